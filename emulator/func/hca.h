/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What cxdev.c, iseg.c, cmdq.c, cmd_hca.c, eq_cq.c, obj.c, card.c, pci.c and control.c share. */
#ifndef CXEMU_HCA_H
#define CXEMU_HCA_H

#include "base/device.h"
#include "prm/eqe.h"

/* ---- the card ---- */

enum cap_type {
	CAP_GENERAL = 0,
	CAP_ETH = 1,
	CAP_ATOMIC = 3,
	CAP_ROCE = 4,
	CAP_FLOW_NIC = 7,
	CAP_PORT_SELECTION = 0x25,
	CAP_TYPES = 0x26
};

#define CAP_BYTES 0x1000

struct obj_range {
	uint32_t first, count;
};

struct card {
	const char *name;		/* of --card */
	const char *model;
	uint16_t device_id, vf_device_id, subsystem_id;
	uint16_t fw_major, fw_minor, fw_sub;
	char psid[17];
	uint8_t pcie_gen, pcie_lanes;
	uint8_t port_lanes;
	uint32_t eth_proto;		/* link modes of PTYS; it runs at the lowest */
	uint8_t inline_mode;		/* enum prm_inline_mode */
	bool vlan_insert;		/* WQEs can insert a tag */
	bool port_select;		/* a LAG's ports can be selected by flow tables */
	bool vf;			/* a virtual function of the card */
	uint64_t bar_bytes;
	unsigned int vectors;
	uint32_t boot_pages, init_pages;
	struct obj_range objs[OBJ_TYPES];
	/*
	 * Fills one type's pages (zeroed, CAP_BYTES): as after boot, and the most that can be set.
	 * -1: no such type.
	 */
	int (*caps)(const struct cxdev *dev, unsigned int type, void *cur, void *max);
};

const struct card *card_find(const char *name, size_t len);	/* NULL: no such card */
const struct card *card_vf(const struct card *card);		/* its virtual function */
const struct card *card_nth(unsigned int n);			/* NULL: there are fewer */
void card_list(FILE *out);

#define UAR_BYTES 4096

/* ---- registers and command queue ---- */

#define CMDQ_LOG_SZ 5
#define CMDQ_LOG_STRIDE 6
#define CMDQ_SLOTS (1u << CMDQ_LOG_SZ)

enum hca_phase { HCA_OFF, HCA_ENABLED, HCA_RUNNING };

/* Page addresses that the driver gave and has not got back. */
struct held_pages {
	uint64_t *pa;
	uint32_t n, room;
};

struct eq;

struct hca_state {
	struct cxdev *dev;
	enum hca_phase phase;
	uint64_t cmdq_addr;
	uint8_t nic_ifc;		/* enum prm_nic_ifc, as the driver wrote it */
	uint64_t boot_done_ns;
	uint32_t issi;
	uint8_t cap_cur[CAP_TYPES][CAP_BYTES] __attribute__((aligned(8)));
	uint8_t cap_max[CAP_TYPES][CAP_BYTES] __attribute__((aligned(8)));
	bool cap_valid[CAP_TYPES];

	uint32_t pending;		/* doorbell bits whose command has not run yet */
	struct work cmd_work;
	uint32_t next_slot;
	uint32_t half_uar, half_at, half_value;	/* first half of a doorbell of 8 bytes */

	struct held_pages pages;
	int32_t pages_asked; /* by page request events, not answered yet; negative: to be taken back
			      */
	uint64_t pages_peak;

	struct eq *eq_by_event[256];	/* the async EQ whose mask has the event type */
	struct eq *cmd_eq;

	uint64_t commands, refused, declined, delivery_errors, irqs, irqs_lost;
};

int hca_state_create(struct cxdev *dev);
void hca_state_reset(struct cxdev *dev);
void hca_state_destroy(struct cxdev *dev);
/* Ends the INIT_HCA phase: all objects must be gone (reported otherwise). */
void hca_stop(struct cxdev *dev);

/* iseg.c */
uint32_t iseg_read(struct cxdev *dev, uint32_t offset);
void iseg_write(struct cxdev *dev, uint32_t offset, uint32_t value);

/* cmdq.c */
void cmdq_work(struct work *work);
void cmdq_doorbell(struct cxdev *dev, uint32_t bits);
const char *cmd_status_name(uint8_t status);

/*
 * cmd_hca.c: may one more object be made with the pages the card holds? Asks for more in good time.
 */
bool pages_afford(struct cxdev *dev);
void pages_object_gone(struct cxdev *dev);
int32_t pages_wanted(struct cxdev *dev);	/* more than the card holds; negative: fewer */
void hca_caps_reset(struct cxdev *dev);
/* May an affinity name a port past the flow tables that select one? */
bool hca_affinity_bypass(const struct cxdev *dev);

/* obj.c */
int obj_state_create(struct cxdev *dev);
void obj_state_destroy(struct cxdev *dev);
unsigned int obj_count_all(struct cxdev *dev);

/* eq_cq.c */
void eq_report_command(struct cxdev *dev, struct eq *eq, uint32_t slots);

/* cxdev.c */
void hca_raise_irq(struct cxdev *dev, unsigned int vector);
void cxdev_status(struct cxdev *dev, FILE *out);

#endif
