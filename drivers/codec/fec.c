// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/types.h>
#include <linux/ethtool.h>
#include "fec.h"

#define SET(fec) (1U << (fec))

#define SPEEDS 13

enum lane { LANE_25G, LANE_50G, LANE_100G };

#define ROW(speed, lane, bits) {						\
	lane, bits, prm_bit((struct prm_pplm_reg *)NULL, fec_override_cap_##speed),	\
	prm_bit((struct prm_pplm_reg *)NULL, fec_override_admin_##speed),		\
}

/* The speeds of the register, those of faster lanes last. */
static const struct {
	enum lane lane;
	u8 bits;
	u16 cap, admin;
} speeds[SPEEDS] = {
	ROW(10g_40g, LANE_25G, 4), ROW(25g, LANE_25G, 4), ROW(50g, LANE_25G, 4),
	ROW(56g, LANE_25G, 4), ROW(100g, LANE_25G, 4),
	ROW(50g_1x, LANE_50G, 16), ROW(100g_2x, LANE_50G, 16), ROW(200g_4x, LANE_50G, 16),
	ROW(400g_8x, LANE_50G, 16),
	ROW(100g_1x, LANE_100G, 16), ROW(200g_2x, LANE_100G, 16), ROW(400g_4x, LANE_100G, 16),
	ROW(800g_8x, LANE_100G, 16),
};

static bool has_speed(const struct cxr_fec_support *support, unsigned int i)
{
	switch (speeds[i].lane) {
	case LANE_25G:
		return true;
	case LANE_50G:
		return support->lanes_50g;
	case LANE_100G:
		return support->lanes_100g;
	}
	return false;
}

void cxr_fec_decode(const struct prm_pplm_reg *pplm, const struct cxr_fec_support *support,
		    struct cxr_fec *fec)
{
	unsigned int i;
	u16 admin;

	*fec = (struct cxr_fec){ .active = prm_get(pplm, fec_mode_active) };
	for (i = 0; i < SPEEDS; i++) {
		if (!has_speed(support, i))
			continue;
		admin = prm_get_bits(pplm->dw, speeds[i].admin, speeds[i].bits);
		fec->can |= prm_get_bits(pplm->dw, speeds[i].cap, speeds[i].bits);
		fec->configured = fec->configured ? fec->configured : admin;
	}
}

/* Reed-Solomon has another code with lanes of 50 Gbit/s and more. */
static u32 wanted(u32 fec, enum lane lane)
{
	switch (fec) {
	case ETHTOOL_FEC_OFF:
		return SET(PRM_FEC_NONE);
	case ETHTOOL_FEC_BASER:
		return SET(PRM_FEC_FIRECODE);
	case ETHTOOL_FEC_RS:
		return lane == LANE_25G ? SET(PRM_FEC_RS_528) : SET(PRM_FEC_RS_544);
	case ETHTOOL_FEC_LLRS:
		return lane == LANE_25G ? 0 : SET(PRM_FEC_LLRS_272);
	default:
		return 0;
	}
}

int cxr_fec_encode(u32 fec, const struct cxr_fec_support *support, struct prm_pplm_reg *pplm)
{
	bool found = fec == ETHTOOL_FEC_AUTO;
	unsigned int i;
	u32 set;

	for (i = 0; i < SPEEDS; i++) {
		if (!has_speed(support, i))
			continue;
		set = wanted(fec, speeds[i].lane) &
		      prm_get_bits(pplm->dw, speeds[i].cap, speeds[i].bits);
		found |= set;
		prm_set_bits(pplm->dw, speeds[i].admin, speeds[i].bits, set);
	}
	return found ? 0 : -EOPNOTSUPP;
}

#define NAMES (PRM_FEC_LLRS_272 + 1)

static const struct {
	u32 ethtool;
	u8 mode;
} names[NAMES] = {
	[PRM_FEC_NONE] = { ETHTOOL_FEC_OFF, ETHTOOL_LINK_MODE_FEC_NONE_BIT },
	[PRM_FEC_FIRECODE] = { ETHTOOL_FEC_BASER, ETHTOOL_LINK_MODE_FEC_BASER_BIT },
	[PRM_FEC_RS_528] = { ETHTOOL_FEC_RS, ETHTOOL_LINK_MODE_FEC_RS_BIT },
	[PRM_FEC_RS_544] = { ETHTOOL_FEC_RS, ETHTOOL_LINK_MODE_FEC_RS_BIT },
	[PRM_FEC_LLRS_272] = { ETHTOOL_FEC_LLRS, ETHTOOL_LINK_MODE_FEC_LLRS_BIT },
};

u32 cxr_fec_ethtool(u32 set)
{
	unsigned int i = 0;

	if (!set)
		return ETHTOOL_FEC_AUTO;
	while (!(set & SET(i)))
		i++;
	return i < NAMES ? names[i].ethtool : 0;
}

unsigned int cxr_fec_modes(u32 set, u8 modes[4])
{
	unsigned int i, n = 0;

	for (i = 0; i < NAMES; i++)
		if (set & SET(i) && names[i].ethtool && (!n || modes[n - 1] != names[i].mode))
			modes[n++] = names[i].mode;
	return n;
}

/* ---- what it has corrected ---------------------------------------------- */

#define COUNTER(field)	\
	prm_bit((struct prm_ppcnt_reg *)NULL, counter_set.phys_layer_cntrs.field##_high)
#define LANE(n) {									\
	COUNTER(fc_fec_corrected_blocks_lane##n), COUNTER(fc_fec_uncorrectable_blocks_lane##n),	\
}

/* Offsets in the register: blocks that were corrected, and those that could not be. */
static const u32 rs_blocks[2] = {
	COUNTER(rs_fec_corrected_blocks), COUNTER(rs_fec_uncorrectable_blocks),
};

static const u32 firecode_blocks[CXR_FEC_LANES][2] = { LANE(0), LANE(1), LANE(2), LANE(3) };

/* The lowest one counts, as it does in cxr_fec_ethtool(). */
static u32 lowest(u32 set)
{
	return set & -set;
}

bool cxr_fec_corrects(u32 active)
{
	return active && lowest(active) != SET(PRM_FEC_NONE);
}

bool cxr_fec_by_lane(u32 active)
{
	return lowest(active) == SET(PRM_FEC_FIRECODE);
}

static void decode_blocks(const struct prm_ppcnt_reg *reg, const u32 (*at)[2],
			  struct cxr_fec_blocks *blocks)
{
	unsigned int i;

	for (i = 0; i < blocks->n; i++) {
		blocks->corrected[i] = prm_get_dwords(reg->dw, at[i][0]);
		blocks->uncorrectable[i] = prm_get_dwords(reg->dw, at[i][1]);
	}
}

void cxr_fec_blocks_decode(u32 active, u8 lanes, const struct prm_ppcnt_reg *reg,
			   struct cxr_fec_blocks *blocks)
{
	*blocks = (struct cxr_fec_blocks){ .by_lane = cxr_fec_by_lane(active) };
	switch (lowest(active)) {
	case SET(PRM_FEC_FIRECODE):
		blocks->n = lanes < CXR_FEC_LANES ? lanes : CXR_FEC_LANES;
		decode_blocks(reg, firecode_blocks, blocks);
		break;
	case SET(PRM_FEC_RS_528):
	case SET(PRM_FEC_RS_544):
	case SET(PRM_FEC_LLRS_272):
		blocks->n = 1;
		decode_blocks(reg, &rs_blocks, blocks);
		break;
	}
}
