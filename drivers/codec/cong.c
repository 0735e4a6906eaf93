// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Parameters of congestion control. The ranges are those of the vendor's description of DCQCN's
 * parameters, and where that is silent the width of the field: the device may accept less.
 */
#include "prm/cong.h"
#include "cong.h"

#define ALPHA_MAX	1023		/* a fraction of 10 bits */
#define TIME_MAX	131071		/* microseconds */
#define ANY		0xffffffff

#define PLACE(layout, f)							\
	.bit = offsetof(struct prm_cong_control_r_roce_##layout##_bits, f),	\
	.width = sizeof(((struct prm_cong_control_r_roce_##layout##_bits *)0)->f)
#define RP(s, f, least, most)							\
	.point = CXR_CONG_RP, .ecn_name = #f, .min = least, .max = most,	\
	.select = PRM_CONG_RP_##s, PLACE(ecn_rp, f)
#define NP(s, f, most)								\
	.point = CXR_CONG_NP, .max = most, .select = PRM_CONG_NP_##s, PLACE(ecn_np, f)
#define GENERAL(s, f, most)							\
	.point = CXR_CONG_GENERAL, .max = most, .select = PRM_CONG_GENERAL_##s, PLACE(general, f)

const struct cxr_cong_param cxr_cong_params[CXR_CONG_PARAMS] = {
	{ "rp_clamp_tgt_rate", RP(CLAMP, clamp_tgt_rate, 0, 1) },
	{ "rp_clamp_tgt_rate_ati", RP(CLAMP_AFTER_TIME, clamp_tgt_rate_after_time_inc, 0, 1) },
	{ "rp_time_reset", RP(TIME_RESET, rpg_time_reset, 0, TIME_MAX) },
	{ "rp_byte_reset", RP(BYTE_RESET, rpg_byte_reset, 0, ANY) },
	{ "rp_threshold", RP(THRESHOLD, rpg_threshold, 1, 31) },
	{ "rp_ai_rate", RP(AI_RATE, rpg_ai_rate, 0, ANY) },
	{ "rp_max_rate", RP(MAX_RATE, rpg_max_rate, 0, ANY) },
	{ "rp_hai_rate", RP(HAI_RATE, rpg_hai_rate, 0, ANY) },
	{ "rp_min_dec_fac", RP(MIN_DEC_FAC, rpg_min_dec_fac, 1, 100) },
	{ "rp_min_rate", RP(MIN_RATE, rpg_min_rate, 1, ANY) },
	{ "rp_rate_to_set_on_first_cnp", RP(FIRST_CNP, rate_to_set_on_first_cnp, 0, ANY) },
	{ "rp_dce_tcp_g", RP(G, dce_tcp_g, 0, ALPHA_MAX) },
	{ "rp_dce_tcp_rtt", RP(RTT, dce_tcp_rtt, 1, TIME_MAX) },
	{ "rp_rate_reduce_monitor_period",
	  RP(MONITOR_PERIOD, rate_reduce_monitor_period, 0, TIME_MAX) },
	{ "rp_initial_alpha_value", RP(INITIAL_ALPHA, initial_alpha_value, 1, ALPHA_MAX) },
	{ "rp_gd", RP(GD, rpg_gd, 0, 15) },
	{ "np_min_time_between_cnps", NP(MIN_TIME, min_time_between_cnps, TIME_MAX),
	  .ecn_name = "min_time_between_cnps" },
	{ "np_cnp_dscp", NP(DSCP, cnp_dscp, 63), .ecn_name = "cnp_dscp" },
	{ "np_cnp_prio_mode", NP(PRIO_MODE, cnp_prio_mode, 1) },
	{ "np_cnp_prio", NP(PRIO_MODE, cnp_802p_prio, 7), .ecn_name = "cnp_802p_prio",
	  .sets_previous = true, .previous = 0 },
	{ "rtt_resp_dscp_valid", GENERAL(RTT_DSCP, rtt_resp_dscp_valid, 1) },
	{ "rtt_resp_dscp", GENERAL(RTT_DSCP, rtt_resp_dscp, 63),
	  .sets_previous = true, .previous = 1 },
};

u32 cxr_cong_decode(const struct cxr_cong_param *param, const __be32 *block)
{
	return prm_get_bits(block, param->bit, param->width);
}

void cxr_cong_encode(const struct cxr_cong_param *param, u32 value, __be32 *block)
{
	prm_set_bits(block, param->bit, param->width, value);
}
