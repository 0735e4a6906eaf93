/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides how the port schedules its traffic classes, and how it divides its receive buffer, from
 * what users say in the terms of DCB.
 */
#ifndef CXR_POLICY_DCB_H
#define CXR_POLICY_DCB_H

#include <linux/dcbnl.h>
#include <linux/types.h>

#define CXR_PRIOS	8
#define CXR_TCS		8	/* of the port, at most */
#define CXR_DSCPS	64
#define CXR_RATE_STEP	100000	/* kbit/s */
#define CXR_RATE_STEPS	255	/* then in steps of ten, and as many */
#define CXR_RATE_MAX	(10ull * CXR_RATE_STEP * CXR_RATE_STEPS)

/**
 * struct cxr_tc - how the port schedules a traffic class
 * @group: 0..7; higher groups are served first
 * @weight: percent of what its group gets
 * @max_kbps: rate limit, 0: none
 */
struct cxr_tc {
	u8 group;
	u8 weight;
	u64 max_kbps;
};

/*
 * Can a port with @n traffic classes do this? 0, -EINVAL, or -EOPNOTSUPP for an algorithm that it
 * does not have; @why says what is wrong.
 */
int cxr_ets_check(const struct ieee_ets *ets, unsigned int n, const char **why);
/* Sets group and weight of @n classes. @ets has been checked. */
void cxr_ets_schedule(const struct ieee_ets *ets, unsigned int n, struct cxr_tc *tcs);
/*
 * The other way: sets ets_cap, tc_tx_bw and tc_tsa. A single class says the same in a group of its
 * own whether it is strict or not, so tc_tsa is what was set last, and corrected by @tcs.
 */
void cxr_ets_describe(const struct cxr_tc *tcs, unsigned int n, struct ieee_ets *ets);

/* Milliseconds for which a function may pause the sender without taking a packet; 0: no limit. */
#define CXR_STALL_MIN	80
#define CXR_STALL_MAX	8000
#define CXR_STALL_AUTO	100

/* When the port warns, if it is @critical_ms until it stops pausing. */
u16 cxr_stall_minor(u16 critical_ms);

#define CXR_BUFFERS	8

/* A part of the receive buffer, in bytes. */
struct cxr_buffer {
	u32 size;
	u32 xoff;		/* with more than that in it, its priorities are paused */
	u32 xon;		/* until there is less than that */
	bool lossy;		/* they never are: both are 0 */
};

struct cxr_buffers {
	struct cxr_buffer buffer[CXR_BUFFERS];
	u8 prio_buffer[CXR_PRIOS];
	u32 room;		/* that all together can have */
	u32 cell;		/* sizes are rounded down to multiples of it */
};

/* But for prio_buffer. */
bool cxr_buffers_same(const struct cxr_buffers *a, const struct cxr_buffers *b);
/* How much arrives at @mbps through @metres of cable after the port has asked for a pause. */
u32 cxr_buffer_response(u32 mbps, u32 metres, u32 mtu);
/**
 * cxr_buffers_plan() - buffers without loss, and their thresholds
 * @b: sizes and priorities as they shall be; the rest is set
 * @lossless: the priorities that are paused
 * @response: of cxr_buffer_response()
 * @frame: bytes of the largest frame
 * @why: what is wrong, after an error
 *
 * Return: 0, -EINVAL (there is no such buffer, one without loss has no bytes, or all together have
 * too many), or -ENOMEM (a buffer without loss is too small).
 */
int cxr_buffers_plan(struct cxr_buffers *b, u8 lossless, u32 response, u32 frame,
		     const char **why);

/* How a buffer uses the memory that all share. */
struct cxr_share {
	u8 pool;
	bool infinite;		/* all of the pool; else by @alpha */
	u8 alpha;
};

enum { CXR_POOL_LOSSY, CXR_POOL_LOSSLESS };

struct cxr_share cxr_buffer_share(const struct cxr_buffers *b, unsigned int buffer);
/* Divides @cells; false: there are not enough. */
bool cxr_pools_divide(u32 cells, u32 *lossy, u32 *lossless);

#endif
