/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A small driver for tests: starts cxemu, speaks vfio-user to it as QEMU does, maps memory for DMA
 * and sends commands. Errors of the test itself end the program with a message.
 */
#ifndef CXEMU_VFU_CLIENT_H
#define CXEMU_VFU_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "ktap.h"
#include "prm/cmdif.h"
#include "prm/obj.h"
#include "prm/prm.h"

/* ---- the emulator and its card ---- */

#define RAM_IOVA 0x40000000ull
#define RAM_BYTES (64ull << 20)
#define CMDQ_OFFSET                                                                                \
	0ull /* of the RAM: command queue, then mailboxes, then what ram_alloc() gives */

struct emu {
	pid_t pid;
	char dir[64], control[96], log[96];
	unsigned int n;
};

struct client {
	int fd;
	uint16_t id;
	uint8_t *ram;
	int ram_fd;
	uint64_t next;		/* first free byte of RAM */
	uint8_t token;
	unsigned int tries;	/* of 100 us, for a command to complete; 0: 20000 */
	int vector_fds[64];
};

/* Starts cxemu from @bin_dir with @n functions f0, f1... */
void emu_start(struct emu *emu, const char *bin_dir, unsigned int n);
/* ... with an option of the process and its @value, empty if it has none; NULL: without. */
void emu_start_option(struct emu *emu, const char *bin_dir, unsigned int n, const char *option,
		      const char *value);
/* With any number of options; the list ends with NULL. */
void emu_start_options(struct emu *emu, const char *bin_dir, unsigned int n,
		       const char *const *options);
int emu_stop(struct emu *emu);	/* SIGTERM; the exit status, or 128 + signal */
int control_connect(struct emu *emu);	/* the greeting is read */
/* The answer to a control command, in a static buffer. */
const char *emu_control(struct emu *emu, const char *line);

void client_connect(struct client *c, struct emu *emu,
		    unsigned int function); /* the socket alone */
void client_open(struct client *c, struct emu *emu,
		 unsigned int function); /* with handshake, memory, bus mastering */
void client_close(struct client *c);

/* Sends a message; with @fds. */
void vfu_send(struct client *c, uint16_t command, uint32_t flags, const void *payload, size_t len,
	      const int *fds, unsigned int n_fds);
/* The reply's error (0: none), its payload in @buf; -1000: the connection ended. */
int vfu_reply(struct client *c, void *buf, size_t room, size_t *len);
int vfu_call(struct client *c, uint16_t command, const void *payload, size_t len, const int *fds,
	     unsigned int n_fds);

int region_read(struct client *c, unsigned int region, uint64_t offset, void *buf, uint32_t len);
int region_write(struct client *c, unsigned int region, uint64_t offset, const void *buf,
		 uint32_t len, bool posted);
uint32_t reg_read(struct client *c, uint64_t offset);	/* BAR 0, big-endian register */
void reg_write(struct client *c, uint64_t offset, uint32_t value);
void reg_write64(struct client *c, uint64_t offset, uint64_t value);
uint16_t config_read16(struct client *c, uint32_t offset);
void config_write16(struct client *c, uint32_t offset, uint16_t value);
void vector_on(struct client *c, unsigned int vector);
bool vector_fired(struct client *c, unsigned int vector, int timeout_ms); /* takes the event */

/* ---- memory and commands ---- */

uint64_t ram_alloc(struct client *c, uint64_t len);	/* whole pages; the card's address */
void *ram_ptr(struct client *c, uint64_t iova);

/* What is wrong with a command when it is sent. */
struct corruption {
	bool wrong_token, wrong_block, bad_signature, bad_type, software_owned;
	bool bad_ctrl, reserved;	/* the mailbox's control signature; a byte of the slot */
	uint64_t in_ptr, out_ptr;	/* 0: where the mailboxes are */
	uint32_t in_len, out_len;	/* 0: as given */
};

/* Delivery status << 8 | status; -1: no completion. */
int cmd_exec(struct client *c, const void *in, uint32_t in_len, void *out, uint32_t out_len,
	     const struct corruption *corrupt);
uint32_t cmd_syndrome(const void *out);

/* cmd(c, create_eq, &in, &out): opcode and lengths from the name. */
#define cmd(c, name, in, out) ({							\
	struct prm_##name##_in *in_ = (in);						\
	struct prm_##name##_out *out_ = (out);						\
	prm_set(in_, opcode, PRM_OP_##name);						\
	cmd_exec(c, in_, sizeof(*in_), out_, sizeof(*out_), NULL);			\
})

void cmdq_setup(struct client *c);
/* ENABLE_HCA .. INIT_HCA as a driver does; 0 or the first failure. */
int boot_to_init(struct client *c);
int shut_down(struct client *c);	/* TEARDOWN_HCA, pages back, DISABLE_HCA */
int give_pages(struct client *c, unsigned int when);

#endif
