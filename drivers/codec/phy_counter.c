// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "prm/dcb.h"
#include "phy_counter.h"

#define BIT_OF(set, field) prm_bit((struct prm_ppcnt_reg *)NULL, counter_set.set.field)
#define WIDE(name, group, set, field) \
	[CXR_PHY_##name] = { #name "_phy", group, true, BIT_OF(set, field##_high) },
#define IEEE_802_3(name, field) WIDE(name, CXR_PHY_802_3, eth_802_3_cntrs_grp_data_layout, field)
#define RFC_2863(name, field) WIDE(name, CXR_PHY_2863, eth_2863_cntrs_grp_data_layout, field)
#define RFC_2819(name, field) WIDE(name, CXR_PHY_2819, eth_2819_cntrs_grp_data_layout, field)
#define STATISTICAL(name, field) \
	WIDE(name, CXR_PHY_STATISTICAL, phys_layer_statistical_cntrs, field)
#define LAYER(name, field) \
	[CXR_PHY_##name] = { #name "_phy", CXR_PHY_LAYER, false, BIT_OF(phys_layer_cntrs, field) },

static const struct {
	const char *name;
	enum cxr_phy_group group;
	bool wide;
	u32 bit;		/* offset in the register */
} counters[CXR_PHY_COUNTERS] = {
	CXR_PHY_802_3_LIST(IEEE_802_3)
	CXR_PHY_2863_LIST(RFC_2863)
	CXR_PHY_2819_LIST(RFC_2819)
	CXR_PHY_LAYER_LIST(LAYER)
	CXR_PHY_STATISTICAL_LIST(STATISTICAL)
	CXR_PHY_HIDDEN_LIST(IEEE_802_3)
};

static const u8 numbers[CXR_PHY_GROUPS] = {
	[CXR_PHY_802_3] = PRM_PPCNT_IEEE_802_3,
	[CXR_PHY_2863] = PRM_PPCNT_RFC_2863,
	[CXR_PHY_2819] = PRM_PPCNT_RFC_2819,
	[CXR_PHY_LAYER] = PRM_PPCNT_PHYS_LAYER,
	[CXR_PHY_STATISTICAL] = PRM_PPCNT_PHYS_STATISTICAL,
};

#define PRIO(dir, name, field)	\
	[CXR_PRIO_##dir##_##name] = { #dir, #name,				\
				      BIT_OF(eth_per_prio_grp_data_layout, field##_high) },

static const struct {
	const char *direction, *name;
	u32 bit;		/* offset in the register */
} prio_counters[CXR_PRIO_COUNTERS] = {
	CXR_PRIO_LIST(PRIO)
};

const char *cxr_prio_counter_name(enum cxr_prio_counter counter, const char **direction)
{
	*direction = prio_counters[counter].direction;
	return prio_counters[counter].name;
}

void cxr_prio_counters_decode(const struct prm_ppcnt_reg *reg, u64 *values)
{
	enum cxr_prio_counter i;

	for (i = 0; i < CXR_PRIO_COUNTERS; i++)
		values[i] = prm_get_dwords(reg->dw, prio_counters[i].bit);
}

#define TC(name, group, set, field)	\
	[CXR_TC_##name] = { #name, group,					\
			    prm_bit((struct prm_ppcnt_reg *)NULL, counter_set) +	\
			    prm_bit((struct prm_##set *)NULL, field##_high) },

static const struct {
	const char *name;
	u8 group;
	u32 bit;		/* offset in the register */
} tc_counters[CXR_TC_COUNTERS] = {
	CXR_TC_LIST(TC)
};

const char *cxr_tc_counter_name(enum cxr_tc_counter counter)
{
	return tc_counters[counter].name;
}

void cxr_tc_counters_decode(u8 group, const struct prm_ppcnt_reg *reg, u64 *values)
{
	enum cxr_tc_counter i;

	for (i = 0; i < CXR_TC_COUNTERS; i++)
		if (tc_counters[i].group == group)
			values[i] = prm_get_dwords(reg->dw, tc_counters[i].bit);
}

const char *cxr_phy_counter_name(enum cxr_phy_counter counter)
{
	return counters[counter].name;
}

u8 cxr_phy_group_number(enum cxr_phy_group group)
{
	return numbers[group];
}

void cxr_phy_counters_decode(enum cxr_phy_group group, const struct prm_ppcnt_reg *reg, u64 *values)
{
	enum cxr_phy_counter i;

	for (i = 0; i < CXR_PHY_COUNTERS; i++) {
		if (counters[i].group != group)
			continue;
		if (counters[i].wide)
			values[i] = prm_get_dwords(reg->dw, counters[i].bit);
		else
			values[i] = prm_get_bits(reg->dw, counters[i].bit, 32);
	}
}
