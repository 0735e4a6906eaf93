/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* host: a function as a vfio-user device: protocol, PCI configuration space, DMA, interrupts. */
#ifndef CXEMU_HOST_H
#define CXEMU_HOST_H

#include "base/base.h"

#define PCI_CONFIG_BYTES 4096
#define MSG_FDS_MAX 16
#define VECTORS_MAX 64
#define VPD_BYTES 512
#define DMA_RANGES_MAX 65535u	/* as max_dma_maps of the protocol */

struct dma_range;

/* A message that is not yet written to the socket. */
struct out_msg {
	struct list_head node;
	size_t len, done;
	uint8_t data[];
};

#define AHEAD_BYTES 4096

/* The message that is being read, and what came with it. */
struct in_msg {
	uint8_t *data;
	size_t len;		/* read so far */
	int fds[MSG_FDS_MAX];	/* of the message that the last byte read is of */
	unsigned int n_fds;
	uint8_t ahead[AHEAD_BYTES];
	size_t ahead_at, ahead_len;
	bool drained;		/* the last read has left nothing */
	bool fds_lost;		/* it had descriptors for which there was no room */
};

struct function {
	struct cxdev *dev;
	char path[108];
	int listen_fd, conn_fd;	/* -1: none */
	struct in_msg in;
	struct work more;	/* what has been read ahead */
	struct list_head out;
	struct dma_range *ranges;	/* these six: dma.c */
	unsigned int n_ranges, ranges_room, last_range;
	struct list_head files;
	unsigned int n_files;
	uint8_t config[PCI_CONFIG_BYTES];
	uint8_t writable[PCI_CONFIG_BYTES];
	uint8_t vpd[VPD_BYTES];
	int irq_fds[VECTORS_MAX];
};

/* dma.c */
extern const struct guest_ops function_guest_ops;
/* A client may take away memory that it has mapped: to be called once. 0 or -errno. */
int dma_survive_bus_errors(void);
/* Consumes @fd; -1: a range without memory. 0 or -errno; -E2BIG: DMA_RANGES_MAX. */
int dma_map(struct function *fn, uint64_t iova, uint64_t size, uint64_t offset, int fd,
	    bool readable, bool writable);
int dma_unmap(struct function *fn, uint64_t iova, uint64_t size);
void dma_unmap_all(struct function *fn);

/* pci.c */
void pci_reset(struct function *fn);
void pci_read(struct function *fn, uint32_t offset, void *buf, uint32_t len);
void pci_write(struct function *fn, uint32_t offset, const void *buf, uint32_t len);
bool pci_bus_master(const struct function *fn);	/* and in D0 */
bool pci_awake(const struct function *fn);	/* in D0: BAR 0 responds */
void function_reset(struct function *fn, const char *why);
void function_power_on(struct function *fn, const char *why);	/* the firmware starts, too */
/* Little-endian registers. */
void pci_put32(uint8_t *p, uint32_t v);
uint32_t pci_get32(const uint8_t *p);

/* vpd.c: fills VPD_BYTES. */
void vpd_fill(const struct cxdev *dev, uint8_t *data);

/* vsc.c: the vendor specific capability of PFs. */
#define PCI_CAP_VSC 0xc0
void vsc_reset(struct function *fn);
void vsc_counter_was_read(struct function *fn);
/* A write of 4 bytes to a register, by its offset in the capability. */
void vsc_write(struct function *fn, unsigned int reg, uint32_t value);

/* vfio_user.c. 0, or -errno after a message. */
int function_listen(struct function *fn);
void function_close(struct function *fn);

#endif
