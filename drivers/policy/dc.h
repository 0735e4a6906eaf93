/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Decides about dynamically connected transport: data that the device may put into completions, and
 * the streams of an initiator.
 */
#ifndef CXR_POLICY_DC_H
#define CXR_POLICY_DC_H

#include <linux/types.h>

/* A queue whose program is ready to find data in its completions. */
struct cxr_dc_scatter {
	bool device;		/* the device can do it */
	bool device_32;		/* also for an initiator with CQEs of 64 bytes */
	bool offered;		/* by the program */
	bool unsignaled;	/* also with requests that do not all complete */
	bool all_signaled;	/* all requests complete */
	u32 cqe_bytes;		/* 64 or 128 */
};

/* Bytes of data in a completion of an initiator: 64, 32, or 0: none. */
u8 cxr_dc_scatter_req(const struct cxr_dc_scatter *scatter);
/* In one of a target: 64, or 0. */
u8 cxr_dc_scatter_res(const struct cxr_dc_scatter *scatter);

/* Logarithms. */
struct cxr_dc_streams {
	u8 channels;		/* streams that are in progress at a time */
	u8 errored;		/* streams in error with which the initiator itself fails */
};

/* -EINVAL: more than the device has; *why for the log. */
int cxr_dc_streams_check(const struct cxr_dc_streams *max, const struct cxr_dc_streams *asked,
			 const char **why);

#endif
