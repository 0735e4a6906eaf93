// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands of congestion control: parameters, status by priority, statistics. */
#include <string.h>

#include "rdma/rdma.h"

#define ALPHA_MAX 1023
#define GD_MAX 15
#define PERCENT 100
#define THRESHOLD_MAX 31
#define TIME_MAX 131071

/* As cards have them: those of ConnectX-5's firmware, in its order. */
void cong_reset(struct cxdev *dev)
{
	struct cong_state *s = &dev->rdma_state->cong;

	*s = (struct cong_state){ .rp_enabled = 0xff, .np_enabled = 0xff, .flows = s->flows };
	prm_set(&s->rp, clamp_tgt_rate_after_time_inc, 1);
	prm_set(&s->rp, rpg_time_reset, 300);
	prm_set(&s->rp, rpg_byte_reset, 32767);
	prm_set(&s->rp, rpg_threshold, 1);
	prm_set(&s->rp, rpg_ai_rate, 5);
	prm_set(&s->rp, rpg_hai_rate, 50);
	prm_set(&s->rp, rpg_gd, 11);
	prm_set(&s->rp, rpg_min_dec_fac, 50);
	prm_set(&s->rp, rpg_min_rate, 1);
	prm_set(&s->rp, dce_tcp_g, 1019);
	prm_set(&s->rp, dce_tcp_rtt, 1);
	prm_set(&s->rp, rate_reduce_monitor_period, 4);
	prm_set(&s->rp, initial_alpha_value, ALPHA_MAX);
	prm_set(&s->np, min_time_between_cnps, 4);
	prm_set(&s->np, cnp_dscp, 48);
	prm_set(&s->np, cnp_802p_prio, 6);
}

static int check_protocol(struct cmd *c, unsigned int protocol)
{
	if (c->dev->card->vf || !card_dcb)
		return decline(c, PRM_STATUS_BAD_OP, "congestion control is not advertised");
	return protocol == PRM_CONG_RP || protocol == PRM_CONG_NP ? 0 :
	       refuse(c, PRM_STATUS_BAD_PARAM, "cong_protocol %u is not supported", protocol);
}

/* Parameters there are also of neither point. */
static int check_params(struct cmd *c, unsigned int protocol)
{
	return protocol == PRM_CONG_GENERAL && cong_general(c->dev->card) ? 0 :
	       check_protocol(c, protocol);
}

bool cong_general(const struct card *card)
{
	return card->cc_general && card_dcb && !card->vf;
}

/* ---- parameters ---- */

struct cong_field {
	unsigned int select;
	uint32_t bit, width, min, max;
};

#define PARAM(layout, s, f, lo, hi)						\
	{ s, offsetof(struct prm_cong_control_r_roce_##layout##_bits, f),	\
	  sizeof(((struct prm_cong_control_r_roce_##layout##_bits *)0)->f), lo, hi }
#define RP(s, f, lo, hi) PARAM(ecn_rp, PRM_CONG_RP_##s, f, lo, hi)
#define NP(s, f, lo, hi) PARAM(ecn_np, PRM_CONG_NP_##s, f, lo, hi)
#define GENERAL(s, f, lo, hi) PARAM(general, PRM_CONG_GENERAL_##s, f, lo, hi)

static const struct cong_field rp_fields[] = {
	RP(CLAMP, clamp_tgt_rate, 0, 1),
	RP(CLAMP_AFTER_TIME, clamp_tgt_rate_after_time_inc, 0, 1),
	RP(TIME_RESET, rpg_time_reset, 0, TIME_MAX),
	RP(BYTE_RESET, rpg_byte_reset, 0, UINT32_MAX),
	RP(THRESHOLD, rpg_threshold, 1, THRESHOLD_MAX),
	RP(MAX_RATE, rpg_max_rate, 0, UINT32_MAX),
	RP(AI_RATE, rpg_ai_rate, 0, UINT32_MAX),
	RP(HAI_RATE, rpg_hai_rate, 0, UINT32_MAX),
	RP(MIN_DEC_FAC, rpg_min_dec_fac, 1, PERCENT),
	RP(MIN_RATE, rpg_min_rate, 1, UINT32_MAX),
	RP(FIRST_CNP, rate_to_set_on_first_cnp, 0, UINT32_MAX),
	RP(G, dce_tcp_g, 0, ALPHA_MAX),
	RP(RTT, dce_tcp_rtt, 1, TIME_MAX),
	RP(MONITOR_PERIOD, rate_reduce_monitor_period, 0, TIME_MAX),
	RP(INITIAL_ALPHA, initial_alpha_value, 1, ALPHA_MAX),
	RP(GD, rpg_gd, 0, GD_MAX),
};

static const struct cong_field np_fields[] = {
	NP(MIN_TIME, min_time_between_cnps, 0, TIME_MAX),
	NP(DSCP, cnp_dscp, 0, 63),
	NP(PRIO_MODE, cnp_prio_mode, 0, 1),
	NP(PRIO_MODE, cnp_802p_prio, 0, 7),
};

static const struct cong_field general_fields[] = {
	GENERAL(RTT_DSCP, rtt_resp_dscp_valid, 0, 1),
	GENERAL(RTT_DSCP, rtt_resp_dscp, 0, 63),
};

static int run_query_cong_params(struct cmd *c)
{
	const struct prm_query_cong_params_in *in = c->in;
	struct prm_query_cong_params_out *out = c->out;
	const struct cong_state *s = &c->dev->rdma_state->cong;
	unsigned int protocol = prm_get(in, cong_protocol);

	if (check_params(c, protocol))
		return -1;
	if (protocol == PRM_CONG_RP)
		*prm_sub(out, congestion_parameters.cong_control_r_roce_ecn_rp,
			 cong_control_r_roce_ecn_rp) = s->rp;
	else if (protocol == PRM_CONG_NP)
		*prm_sub(out, congestion_parameters.cong_control_r_roce_ecn_np,
			 cong_control_r_roce_ecn_np) = s->np;
	else
		*prm_sub(out, congestion_parameters.cong_control_r_roce_general,
			 cong_control_r_roce_general) = s->general;
	return 0;
}

/* Sets the fields that are selected; all or none. A user's value that is too large is declined. */
static int set_fields(struct cmd *c, const struct cong_field *fields, unsigned int n,
		      uint32_t select, const __be32 *from, __be32 *to)
{
	unsigned int i;
	uint32_t v, known = 0;

	for (i = 0; i < n; i++) {
		known |= 1u << fields[i].select;
		v = prm_get_bits(from, fields[i].bit, fields[i].width);
		if (select & 1u << fields[i].select && (v < fields[i].min || v > fields[i].max))
			return decline(c, PRM_STATUS_BAD_PARAM,
				       "parameter %u of congestion control: %u is not within %u to %u",
				       fields[i].select, v, fields[i].min, fields[i].max);
	}
	if (select & ~known)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "field_select 0x%x: the parameters of the protocol are 0x%x", select,
			      known);
	for (i = 0; i < n; i++) {
		v = prm_get_bits(from, fields[i].bit, fields[i].width);
		if (select & 1u << fields[i].select)
			prm_set_bits(to, fields[i].bit, fields[i].width, v);
	}
	return 0;
}

static int run_modify_cong_params(struct cmd *c)
{
	const struct prm_modify_cong_params_in *in = c->in;
	struct cong_state *s = &c->dev->rdma_state->cong;
	const __be32 *from = in->dw + prm_bit(in, congestion_parameters) / 32;
	unsigned int protocol = prm_get(in, cong_protocol);
	uint32_t select = prm_get(in, field_select);

	if (check_params(c, protocol))
		return -1;
	if (protocol == PRM_CONG_RP)
		return set_fields(c, rp_fields, ARRAY_SIZE(rp_fields), select, from, s->rp.dw);
	if (protocol == PRM_CONG_GENERAL)
		return set_fields(c, general_fields, ARRAY_SIZE(general_fields), select, from,
				  s->general.dw);
	return set_fields(c, np_fields, ARRAY_SIZE(np_fields), select, from, s->np.dw);
}

/* ---- status ---- */

static int check_status(struct cmd *c, unsigned int protocol, unsigned int prio)
{
	if (check_protocol(c, protocol))
		return -1;
	return prio < PRIORITIES ? 0 :
	       refuse(c, PRM_STATUS_BAD_PARAM, "priority %u of congestion control is above 7",
		      prio);
}

static int run_query_cong_status(struct cmd *c)
{
	const struct prm_query_cong_status_in *in = c->in;
	struct prm_query_cong_status_out *out = c->out;
	const struct cong_state *s = &c->dev->rdma_state->cong;
	unsigned int prio = prm_get(in, priority);
	bool rp = prm_get(in, cong_protocol) == PRM_CONG_RP;

	if (check_status(c, prm_get(in, cong_protocol), prio))
		return -1;
	prm_set(out, enable, (rp ? s->rp_enabled : s->np_enabled) >> prio & 1);
	return 0;
}

static void set_bit(uint8_t *set, unsigned int bit, bool on)
{
	*set = (*set & ~(1u << bit)) | on << bit;
}

/* tag_enable is of another protocol, that of 802.1Qau; drivers leave it 0. */
static int run_modify_cong_status(struct cmd *c)
{
	const struct prm_modify_cong_status_in *in = c->in;
	struct cong_state *s = &c->dev->rdma_state->cong;
	unsigned int prio = prm_get(in, priority);

	if (check_status(c, prm_get(in, cong_protocol), prio))
		return -1;
	if (prm_get(in, cong_protocol) == PRM_CONG_NP) {
		set_bit(&s->np_enabled, prio, prm_get(in, enable));
		return 0;
	}
	set_bit(&s->rp_enabled, prio, prm_get(in, enable));
	return 0;
}

/* ---- statistics ---- */

static int run_query_cong_statistics(struct cmd *c)
{
	const struct prm_query_cong_statistics_in *in = c->in;
	struct prm_query_cong_statistics_out *out = c->out;
	struct rdma_counters *n = c->dev->rdma;
	const struct cong_state *s = &c->dev->rdma_state->cong;

	prm_set(out, rp_cur_flows, s->flows);
	prm_set(out, sum_flows, s->flows_ever);
	PUT64(out, np_ecn_marked_roce_packets, n->rx_ecn_marked);
	PUT64(out, np_cnp_sent, n->tx_cnp);
	PUT64(out, rp_cnp_handled, n->rx_cnp);
	PUT64(out, rp_cnp_ignored, n->rx_cnp_ignored);
	PUT64(out, time_stamp, hca_clock(c->dev));
	if (prm_get(in, clear)) {
		n->rx_ecn_marked = 0;
		n->tx_cnp = 0;
		n->rx_cnp = 0;
		n->rx_cnp_ignored = 0;
	}
	return 0;
}

const struct cmd_desc cmds_cong[] = {
	CMD(query_cong_params),
	CMD(modify_cong_params),
	CMD(query_cong_status),
	CMD(modify_cong_status),
	CMD(query_cong_statistics),
	{}
};
