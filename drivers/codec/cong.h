/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Parameters of RoCE's congestion control: names, ranges, and their places in commands. */
#ifndef CXR_CODEC_CONG_H
#define CXR_CODEC_CONG_H

#include <linux/types.h>

enum cxr_cong_point {
	CXR_CONG_RP,		/* the reaction point, which sends data */
	CXR_CONG_NP,		/* the notification point, which receives them */
	CXR_CONG_POINTS,	/* these can be switched on and off by priority */
	CXR_CONG_GENERAL = CXR_CONG_POINTS,	/* neither; not every device has such parameters */
};

#define CXR_CONG_PARAMS	22

/**
 * struct cxr_cong_param - a parameter
 * @name: that of the in-tree driver, in cc_params
 * @ecn_name: that of the vendor's driver, in ecn/roce_rp or ecn/roce_np; NULL: not there
 * @min: least value
 * @max: largest value
 * @point: whose it is
 * @sets_previous: the parameter before this one, with the same @select, becomes @previous, without
 *                 which this has no effect
 * @previous: see above
 * @select: bit of field_select
 * @bit: place in the block of @point
 * @width: number of bits
 */
struct cxr_cong_param {
	const char *name;
	const char *ecn_name;
	u32 min, max;
	enum cxr_cong_point point;
	bool sets_previous;
	u8 previous;
	u8 select;
	u16 bit;
	u8 width;
};

extern const struct cxr_cong_param cxr_cong_params[CXR_CONG_PARAMS];

/* @block: the parameters of the point. */
u32 cxr_cong_decode(const struct cxr_cong_param *param, const __be32 *block);
void cxr_cong_encode(const struct cxr_cong_param *param, u32 value, __be32 *block);

#endif
