/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * fault: fault injection by rules.
 *
 * rules.c keeps the rules and decides which one matches; frames.c applies those of frames. Each
 * injection point calls one function. The rule language is parsed in host/fault_text.c, faults that
 * take effect at once are in card/health.c. Described in Documentation/faults.rst.
 */
#ifndef CXEMU_FAULT_H
#define CXEMU_FAULT_H

#include "base/base.h"

/* Injection points. */
enum fault_site {
	FAULT_COMMAND,		/* a command is about to run */
	FAULT_SLOT,		/* a command slot is about to be completed */
	FAULT_REGISTER,		/* a register is about to be read or written */
	FAULT_EVENT,
	FAULT_CQE,
	FAULT_REQUEST,		/* completion of a send WQE, by opcode */
	FAULT_INTERRUPT,
	FAULT_GATEWAY,		/* an access by the vendor specific capability */
	FAULT_SPACE,		/* a choice of its address space */
	FAULT_FRAME,
	FAULT_SITES
};

enum fault_action {
	FAULT_NONE,
	/* command, register: value is a status; slot: value is a length, a delivery status */
	FAULT_STATUS, FAULT_SILENT, FAULT_TWICE, FAULT_LENGTH, FAULT_DELIVERY, FAULT_UNTAGGED,
	/* event, interrupt; value is an event type */
	FAULT_LOSE, FAULT_DUPLICATE, FAULT_TYPE, FAULT_OVERRUN,
	/* completion; value is a syndrome */
	FAULT_ERROR,
	/* gateway; value is an address */
	FAULT_ADDRESS, FAULT_NEXT,
	/* frame; value is a byte's offset, a number of frames, a number of bits */
	FAULT_DROP, FAULT_CORRUPT, FAULT_DELAY, FAULT_FLIP,
};

#define FAULT_ANY UINT32_MAX
#define FAULT_DELAY_MAX 1024
#define FAULT_FLIP_MAX 512	/* bits of the shortest frame */
#define FAULT_RULES_MAX 256
#define FAULT_BASIS_POINTS 10000

struct fault {
	struct list_head node;
	unsigned int id;
	enum fault_site site;
	struct cxdev *dev;		/* NULL for frames */
	const struct port *port;	/* for frames; NULL: any */
	/* opcode, register, event type, CQ, WQE opcode, vector, space, BTH opcode; or FAULT_ANY */
	uint32_t what;
	uint32_t qpn;			/* for frames: destination QP, or FAULT_ANY */
	bool rx;			/* for frames: received by the port, not sent */
	enum fault_action action;
	uint32_t value;
	/* from the nth match on, or with a chance in 10000 and a seed; at most times, 0: always */
	uint64_t nth, times, seed;
	uint32_t chance;
	uint64_t random;		/* state of the generator */
	uint64_t seen, done;
};

/* The action to inject, its value in *value unless NULL. */
enum fault_action fault_check(enum fault_site site, struct cxdev *dev, uint32_t what,
			      uint32_t *value);

/* ---- rules.c, for the language ---- */

/* 0, or -ENOSPC. Copies the rule; *id is its number. */
int fault_add(const struct fault *rule, unsigned int *id);
bool fault_remove(unsigned int id);
void fault_clear(void);			/* removes all rules, drops held frames */
/* Calls @fn for each rule, oldest first. */
void fault_for_each(void (*fn)(const struct fault *rule, void *arg), void *arg);

void fault_remove_dev(const struct cxdev *dev); /* the rules of a function */
void fault_remove_port(const struct port *port); /* the rules and held frames of a port */

/* ---- frames.c ---- */

typedef void (*frame_fn)(struct port *port, struct frame *frame);

/* How a frame meets the faults of a port: it leaves, or reaches it by a cable or inside a card. */
enum fault_way { FAULT_SENT, FAULT_BY_CABLE, FAULT_IN_CARD };

/* Does a rule of frames match? Bits are flipped on cables only. */
bool fault_matches_frame(const struct fault *rule, const struct port *port, enum fault_way way,
			 const struct frame *frame);
/*
 * A frame leaves or reaches @port: passes it, copies of it, and held frames that are due to @pass.
 * Consumes the frame.
 */
void fault_apply_frame(struct port *port, enum fault_way way, struct frame *frame, frame_fn pass);
void fault_drop_held(const struct port *port); /* held frames of a port; NULL: of all */

struct fault *fault_match_frame(const struct port *port, enum fault_way way,
				const struct frame *frame);
bool fault_has_frame_rules(void);

#endif
