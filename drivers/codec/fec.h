/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Forward error correction of the port (PPLM), and what it has corrected (PPCNT). */
#ifndef CXR_CODEC_FEC_H
#define CXR_CODEC_FEC_H

#include <linux/types.h>
#include "prm/port.h"

/* Which speeds the register has; of 25 Gbit/s a lane and less it always does. */
struct cxr_fec_support {
	bool pplm;		/* there is the register */
	bool lanes_50g, lanes_100g;
	bool counts;		/* wrong bits are counted: CXR_PHY_STATISTICAL */
};

/* Sets of enum prm_fec. */
struct cxr_fec {
	u16 can;		/* at any speed */
	u16 configured;		/* of the first speed for which one is; 0: the port chooses */
	u32 active;		/* at the speed that is up; 0: none is */
};

#define CXR_FEC_LANES 4

/* Blocks of the code that is active: of the port, or of each lane. */
struct cxr_fec_blocks {
	bool by_lane;
	u8 n;		/* 1 of the port, or of how many lanes; 0: the code is unknown */
	u64 corrected[CXR_FEC_LANES], uncorrectable[CXR_FEC_LANES];
};

void cxr_fec_decode(const struct prm_pplm_reg *pplm, const struct cxr_fec_support *support,
		    struct cxr_fec *fec);
/*
 * Changes the register, as it was read, so that each speed which can has @fec (ETHTOOL_FEC_*, one
 * bit), and others choose; ETHTOOL_FEC_AUTO: all of them. -EOPNOTSUPP: no speed can.
 */
int cxr_fec_encode(u32 fec, const struct cxr_fec_support *support, struct prm_pplm_reg *pplm);
/* ETHTOOL_FEC_* of the lowest of a set of enum prm_fec, AUTO if it is empty; 0: unknown. */
u32 cxr_fec_ethtool(u32 set);
/* ETHTOOL_LINK_MODE_FEC_*_BIT of each of the set, into @modes[4]; returns how many. */
unsigned int cxr_fec_modes(u32 set, u8 modes[4]);

/* Does @active, of struct cxr_fec, correct anything? */
bool cxr_fec_corrects(u32 active);
/* Does it count blocks of each lane? */
bool cxr_fec_by_lane(u32 active);
/* @lanes: how many the port has, if blocks are counted by lane. @reg: group CXR_PHY_LAYER. */
void cxr_fec_blocks_decode(u32 active, u8 lanes, const struct prm_ppcnt_reg *reg,
			   struct cxr_fec_blocks *blocks);

#endif
