/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* A card with a PF and two VFs, whose functions and wire get and send frames. */
#ifndef CXEMU_VF_CARD_H
#define CXEMU_VF_CARD_H

#include "card/card.h"
#include "dut.h"

#define MAC(n) { 2, 0, 0, 0, 0, n }
#define TO(n) ((uint8_t[])MAC(n))
#define OUTSIDE 0x99	/* a station on the wire */

extern const uint8_t broadcast[6], group[6];

/* f0 is the PF, with MAC(1); f1 and f2 are its VFs 1 and 2, with MAC(2) and MAC(3). */
extern struct dut *f[3];
extern struct cxdev *devs[3];

extern struct port *wire;

/* Frames that have left the card, and the last one */
extern struct wire_out {
	unsigned int n;
	uint32_t len;
	uint8_t data[FRAME_MAX];
} out;

/* The functions, without addresses and a wire */
void vfs_functions(void);
/* Nobody manages the e-switch. */
void vfs_set_up(void);
void vfs_tear_down(void);
void start_again(struct dut *dut);	/* a reset, and it runs */
/* Of one address; NULL: of none */
void set_list(struct dut *dut, unsigned int type, const uint8_t *mac);
void set_promisc(struct dut *dut, bool all, bool groups);
/* From a function, or from the wire (@from NULL), 60 bytes, 64 with a tag; -1: without. */
void send_frame(struct dut *from, const uint8_t *to, uint8_t station, int vlan);
/* Who has received a frame since the last call: "0", "12w"; twice if two. Not in a static order. */
uint64_t frames_in(const struct dut *dut);
const char *got(void);
bool goes_to(struct dut *from, const uint8_t *to, uint8_t station, int vlan, const char *who);

#endif
