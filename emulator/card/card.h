/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * card: the rooms put together. The cards there are and what they announce, a function from its
 * first to its last moment, its phases, its BAR.
 *
 * This room alone knows all others but the host: it makes and resets their state, hands their
 * command tables to func, received frames and doorbells to whom they are for.
 */
#ifndef CXEMU_CARD_H
#define CXEMU_CARD_H

#include "func/func.h"

extern const struct cmd_desc cmds_hca[], cmds_uar[];

/* ---- cards.c ---- */

const struct card *card_find(const char *name, size_t len);	/* NULL: no such card */
const struct card *card_vf(const struct card *card);		/* its virtual function */
const struct card *card_nth(unsigned int n);			/* NULL: there are fewer */
void card_list(FILE *out);
/* Fills one type's capability pages: struct card's caps of every card. caps.c */
int card_fill_caps(const struct cxdev *dev, unsigned int type, void *cur, void *max);

/* ---- the function: cxdev.c ---- */

/*
 * Constructor of the whole function; NULL with a message. Host tests use it with their own
 * guest_ops.
 */
struct cxdev *cxdev_create(const char *name, unsigned int index, const struct card *card,
			   const struct guest_ops *ops, void *guest);
void cxdev_destroy(struct cxdev *dev);
/* FLR and reset: all objects go (without leak report), registers as after power-on. */
void cxdev_reset(struct cxdev *dev);
/* Ends the INIT_HCA phase: all objects must be gone (reported otherwise). */
void hca_stop(struct cxdev *dev);
/*
 * What TEARDOWN_HCA and process end report: objects and pages that the driver left. Returns their
 * number.
 */
unsigned int cxdev_report_leaks(struct cxdev *dev);
void cxdev_status(struct cxdev *dev, FILE *out);

/* ---- BAR 0 ---- */

/*
 * len 1, 2, 4 or 8, as the bus carries it (little-endian on the bus; registers
 * are big-endian inside).
 */
void bar_read(struct cxdev *dev, uint64_t offset, void *buf, size_t len);
void bar_write(struct cxdev *dev, uint64_t offset, const void *buf, size_t len);

/* The initialization segment: iseg.c. */
uint32_t iseg_read(struct cxdev *dev, uint32_t offset);
void iseg_write(struct cxdev *dev, uint32_t offset, uint32_t value);

/* A send doorbell: finds QP or SQ by number; checks the UAR's owner. */
void sq_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value);

/* ---- faults that are done at once, and the end of them: health.c ---- */

/*
 * What is done at once. 0, or -ENODEV: the driver has no event queue that takes such an event.
 */
int health_request_pages(struct cxdev *dev, int32_t n);
int health_warn_temperature(struct cxdev *dev);
void health_remove(struct cxdev *dev);
void health_restore(struct cxdev *dev);
void health_fatal(struct cxdev *dev);

/*
 * Reset of the function: what ails it is over, rules stay. The end of the connection: rules go too,
 * so that the next guest finds a healthy card.
 */
void health_reset(struct cxdev *dev);
void health_disconnect(struct cxdev *dev);
void health_clear(struct cxdev *dev);	       /* as if nothing had been asked for */

#endif
