/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * fault: faults on command. The device does wrong what it was told to, when it was told to.
 *
 * rules.c keeps the rules and decides; frames.c does what is said of frames. The places where
 * something can go wrong ask one function each. The language is the host's (fault_text.c), what is
 * done to a function at once the card's (health.c). Described in Documentation/faults.rst.
 */
#ifndef CXEMU_FAULT_H
#define CXEMU_FAULT_H

#include "base/base.h"

/* Where a rule is asked about; what happens there counts it. */
enum fault_site {
	FAULT_COMMAND,		/* a command is about to run */
	FAULT_SLOT,		/* a command slot is about to be given back */
	FAULT_EVENT,
	FAULT_CQE,
	FAULT_REQUEST,		/* the completion of a send, by the opcode of its request */
	FAULT_INTERRUPT,
	FAULT_FRAME,
	FAULT_SITES
};

enum fault_action {
	FAULT_NONE,
	/* command: value is a status; slot: value is a length, a delivery status */
	FAULT_STATUS, FAULT_SILENT, FAULT_TWICE, FAULT_LENGTH, FAULT_DELIVERY,
	/* event, interrupt; value is an event type */
	FAULT_LOSE, FAULT_DUPLICATE, FAULT_TYPE, FAULT_OVERRUN,
	/* completion; value is a syndrome */
	FAULT_ERROR,
	/* frame; value is a byte's offset, a number of frames */
	FAULT_DROP, FAULT_CORRUPT, FAULT_DELAY,
};

#define FAULT_ANY UINT32_MAX
#define FAULT_DELAY_MAX 1024
#define FAULT_RULES_MAX 256
#define FAULT_BASIS_POINTS 10000

struct fault {
	struct list_head node;
	unsigned int id;
	enum fault_site site;
	struct cxdev *dev;		/* whose; of frames: NULL */
	const struct port *port;	/* of frames; NULL: any */
	/* opcode, event type, CQ, opcode of a request, vector, BTH opcode (FAULT_ANY: each) */
	uint32_t what;
	uint32_t qpn;			/* of frames: destination queue, or FAULT_ANY */
	bool rx;			/* of frames: those to the port, not those from it */
	enum fault_action action;
	uint32_t value;
	/* from the nth on, or with a chance in 10000 from a seed; so many times, 0: always */
	uint64_t nth, times, seed;
	uint32_t chance;
	uint64_t random;		/* state of the generator */
	uint64_t seen, done;
};

/* What was done; @value may be NULL. FAULT_NONE nearly always. */
enum fault_action fault_check(enum fault_site site, struct cxdev *dev, uint32_t what,
			      uint32_t *value);

/* ---- rules.c, for the language ---- */

/* 0, or -ENOSPC. Takes a copy; *id is its number. */
int fault_add(const struct fault *rule, unsigned int *id);
bool fault_remove(unsigned int id);
void fault_clear(void);			/* rules, states, and what is held of frames */
/* @fn for each rule in the order they were made. */
void fault_for_each(void (*fn)(const struct fault *rule, void *arg), void *arg);

void fault_remove_dev(const struct cxdev *dev); /* its rules */
void fault_remove_port(const struct port *port); /* its rules, and what is held of its frames */

/* ---- frames.c ---- */

typedef void (*frame_fn)(struct port *port, struct frame *frame);

/* Does a rule of frames match? Reads the headers itself. */
bool fault_matches_frame(const struct fault *rule, const struct port *port, bool rx,
			 const struct frame *frame);
/*
 * A frame leaves (@rx false) or reaches @port: hands it, copies of it, and what was held back until
 * now to @pass. Takes the frame.
 */
void fault_apply_frame(struct port *port, bool rx, struct frame *frame, frame_fn pass);
void fault_drop_held(const struct port *port); /* what is held of a port; NULL: of all */

struct fault *fault_match_frame(const struct port *port, bool rx, const struct frame *frame);
bool fault_has_frame_rules(void);

#endif
