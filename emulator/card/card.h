/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * card: the cards and what they advertise, the lifetime of a function, its phases, its BAR.
 *
 * Only this room knows all others but the host: it creates and resets their state, registers their
 * command tables, dispatches received frames and doorbells.
 */
#ifndef CXEMU_CARD_H
#define CXEMU_CARD_H

#include "func/func.h"

extern const struct cmd_desc cmds_hca[], cmds_uar[];

/* ---- cards.c ---- */

const struct card *card_find(const char *name, size_t len);	/* NULL: unknown */
const struct card *card_vf(const struct card *card);		/* its VF */
const struct card *card_nth(unsigned int n);			/* NULL: the end */
void card_list(FILE *out);
/* caps of struct card, for every card: caps.c */
int card_fill_caps(const struct cxdev *dev, unsigned int type, void *cur, void *max);

/* ---- the function: cxdev.c ---- */

/* NULL after a message. Host tests have their own guest_ops. */
struct cxdev *cxdev_create(const char *name, unsigned int index, const struct card *card,
			   const struct guest_ops *ops, void *guest);
void cxdev_destroy(struct cxdev *dev);
/*
 * FLR: destroys all objects without a leak report, registers as after power-on. Firmware that has
 * failed stays as it is: only power, or cxdev_reset_firmware(), starts it again.
 */
void cxdev_reset(struct cxdev *dev);
void cxdev_power_on(struct cxdev *dev);
void cxdev_reset_firmware(struct cxdev *dev);	/* by the driver, for all functions of the card */
/* Of all that are on its card. */
struct cxdev *card_first(struct cxdev *dev);
void card_for_each(struct cxdev *dev, void (*fn)(struct cxdev *dev));
/* TEARDOWN_HCA: reports objects that are left, destroys them. */
void hca_stop(struct cxdev *dev);
/*
 * Reports objects and pages that the driver has not destroyed or reclaimed; returns their number.
 */
unsigned int cxdev_report_leaks(struct cxdev *dev);
/* The PF is off, or reset: its VFs are, too, and have no pages. */
void cxdev_drop_vfs(struct cxdev *pf);
void cxdev_status(struct cxdev *dev, FILE *out);
void cxdev_json(struct cxdev *dev, struct json_object *to);

/* ---- BAR 0 ---- */

/* len is 1, 2, 4 or 8; registers are big-endian. */
void bar_read(struct cxdev *dev, uint64_t offset, void *buf, size_t len);
void bar_write(struct cxdev *dev, uint64_t offset, const void *buf, size_t len);

/* The initialization segment: iseg.c. */
uint32_t iseg_read(struct cxdev *dev, uint32_t offset);
void iseg_write(struct cxdev *dev, uint32_t offset, uint32_t value);

/* A send doorbell: looks up QP or SQ by number, checks that it uses the UAR. */
void sq_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value);

/* ---- faults that take effect at once: health.c ---- */

/* 0, or -ENODEV: the driver has no event queue for such an event. */
int health_request_pages(struct cxdev *dev, int32_t n);
int health_warn_temperature(struct cxdev *dev);
void health_stall(struct cxdev *dev);	/* the health counter stops where it is */
void health_hide_guid(struct cxdev *dev);
void health_lose_power(struct cxdev *dev);	/* in its next D3 */
/* High temperature is reported and the health counter stops; then a card leaves the bus. */
void health_overheat(struct cxdev *dev);
void health_remove(struct cxdev *dev);
void health_restore(struct cxdev *dev);
void health_fatal(struct cxdev *dev);
/* 0, or -EBUSY: the driver is running. */
int health_leave(struct cxdev *dev);

/*
 * A start of the firmware ends its faults but not the rules. A disconnect removes the rules, too,
 * so that the next guest gets a healthy card.
 */
void health_reset(struct cxdev *dev);
void health_disconnect(struct cxdev *dev);
void health_clear(struct cxdev *dev);	/* ends all faults */

#endif
