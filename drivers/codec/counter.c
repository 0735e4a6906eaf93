// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "counter.h"

#define BIT_OF(layout, field) prm_bit((struct prm_##layout *)NULL, field)
#define Q(name, group) \
	[CXR_CNT_##name] = { #name, CXR_CNT_##group, BIT_OF(query_q_counter_out, name) },
#define C(name, group) \
	[CXR_CNT_##name] = { #name, CXR_CNT_##group,			\
			     BIT_OF(query_cong_statistics_out, name##_high) },
#define P(name, group) \
	[CXR_CNT_##name] = { #name, CXR_CNT_##group, 0 },

static const struct {
	const char *name;
	enum cxr_counter_group group;
	u32 bit;		/* offset in the output of its command */
} counters[CXR_COUNTERS] = {
	CXR_Q_COUNTER_LIST(Q)
	CXR_CONG_COUNTER_LIST(C)
	CXR_PORT_COUNTER_LIST(P)
	CXR_OPTIONAL_COUNTER_LIST(P)
};

const char *cxr_counter_name(enum cxr_counter counter)
{
	return counters[counter].name;
}

bool cxr_counter_present(enum cxr_counter counter, const struct cxr_caps *caps, bool icrc)
{
	if (counter < CXR_Q_COUNTERS && !caps->num_q_counters)
		return false;

	switch (counters[counter].group) {
	case CXR_CNT_BASIC:
		return true;
	case CXR_CNT_OUT_OF_SEQ:
		return caps->out_of_seq_cnt;
	case CXR_CNT_RETRANS:
		return caps->retransmission_q_counters;
	case CXR_CNT_ERRORS:
		return caps->enhanced_error_q_counters;
	case CXR_CNT_ACCEL:
		return caps->roce_accl;
	case CXR_CNT_CONG:
		return caps->cc_query_allowed;
	case CXR_CNT_ICRC:
		return icrc;
	case CXR_CNT_VPORT:
		return caps->vport_counters;
	case CXR_CNT_RX_CE:
		return caps->count_rx_ce;
	case CXR_CNT_RX_CNP:
		return caps->count_rx_cnp;
	case CXR_CNT_TX_CNP:
		return caps->count_tx_cnp;
	}
	return false;
}

void cxr_q_counters_decode(const struct prm_query_q_counter_out *out, u64 *values)
{
	enum cxr_counter i;

	for (i = 0; i < CXR_Q_COUNTERS; i++)
		values[i] = prm_get_bits(out->dw, counters[i].bit, 32);
}

void cxr_cong_counters_decode(const struct prm_query_cong_statistics_out *out, u64 *values)
{
	enum cxr_counter i;

	for (i = CXR_Q_COUNTERS; i < CXR_Q_AND_CONG_COUNTERS; i++)
		values[i] = prm_get_dwords(out->dw, counters[i].bit);
}

#define VPORT(dir, kind, field)							\
	[CXR_VPORT_##dir##_##kind] = {						\
		#dir, #kind,							\
		BIT_OF(query_vport_counter_out, field.packets),			\
		BIT_OF(query_vport_counter_out, field.octets),			\
	},

static const struct {
	const char *direction, *kind;
	u32 packets, octets;	/* offsets in the output */
} vport_counters[CXR_VPORT_COUNTERS] = {
	CXR_VPORT_LIST(VPORT)
};

const char *cxr_vport_counter_name(enum cxr_vport_counter counter, const char **direction)
{
	*direction = vport_counters[counter].direction;
	return vport_counters[counter].kind;
}

void cxr_vport_counters_decode(const struct prm_query_vport_counter_out *out,
			       struct cxr_traffic traffic[CXR_VPORT_COUNTERS])
{
	enum cxr_vport_counter i;

	for (i = 0; i < CXR_VPORT_COUNTERS; i++) {
		traffic[i].packets = prm_get_dwords(out->dw, vport_counters[i].packets);
		traffic[i].bytes = prm_get_dwords(out->dw, vport_counters[i].octets);
	}
}

#define VNIC_FIELD(name) vport_env.name
#define VNIC(name, cap, shown)							\
	[CXR_VNIC_##name] = {							\
		#name, shown, BIT_OF(query_vnic_env_out, VNIC_FIELD(name)),	\
		sizeof(((struct prm_query_vnic_env_out_bits *)NULL)->VNIC_FIELD(name)), \
		BIT_OF(cmd_hca_cap, cap),					\
	},

static const struct {
	const char *name, *shown;
	u32 bit, width;		/* in the output */
	u32 cap_bit;		/* of one bit, in the general capabilities */
} vnic_counters[CXR_VNIC_COUNTERS] = {
	CXR_VNIC_REPORTED_LIST(VNIC)
	CXR_VNIC_OTHER_LIST(VNIC)
};

u32 cxr_vnic_counters_present(const struct prm_cmd_hca_cap *cap)
{
	enum cxr_vnic_counter i;
	u32 present = 0;

	for (i = 0; i < CXR_VNIC_COUNTERS; i++)
		present |= prm_get_bits(cap->dw, vnic_counters[i].cap_bit, 1) << i;
	return present;
}

const char *cxr_vnic_counter_name(enum cxr_vnic_counter counter)
{
	return vnic_counters[counter].name;
}

const char *cxr_vnic_counter_shown(enum cxr_vnic_counter counter)
{
	return vnic_counters[counter].shown;
}

void cxr_vnic_counters_decode(const struct prm_query_vnic_env_out *out,
			      u64 values[CXR_VNIC_COUNTERS])
{
	enum cxr_vnic_counter i;

	for (i = 0; i < CXR_VNIC_COUNTERS; i++)
		values[i] = vnic_counters[i].width > 32 ?
				    prm_get_dwords(out->dw, vnic_counters[i].bit) :
				    prm_get_bits(out->dw, vnic_counters[i].bit, 32);
}
