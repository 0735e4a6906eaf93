// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The table of cards: identity, limits, capability pages.
 *
 * What a capability promises is what the commands and engines do; a limit stands here and in the
 * object ranges and is enforced where the object is made.
 */
#include <string.h>

#include "eth.h"
#include "hca.h"
#include "prm/caps.h"

#define DEVICE_KHZ 78125
#define ATOMIC_8B	(1u << 3)
#define ROCE_V1 0x01
#define ROCE_V2 0x04
#define L3_IPV4 0x2		/* bits of l3_type */
#define L3_IPV6 0x4

static uint8_t log2_floor(uint64_t n)
{
	uint8_t log = 0;

	while (n >>= 1)
		log++;
	return log;
}

#define LOG_OBJS(card, type) log2_floor((card)->objs[type].count)

static void cx5_general_sizes(const struct card *card, struct prm_cmd_hca_cap *cap)
{
	prm_set(cap, log_max_qp, LOG_OBJS(card, OBJ_QP));
	prm_set(cap, log_max_qp_sz, 15);
	prm_set(cap, log_max_srq, LOG_OBJS(card, OBJ_SRQ));
	prm_set(cap, log_max_srq_sz, 15);
	prm_set(cap, log_max_cq, LOG_OBJS(card, OBJ_CQ));
	prm_set(cap, log_max_cq_sz, 22);
	prm_set(cap, log_max_eq, LOG_OBJS(card, OBJ_EQ));
	prm_set(cap, log_max_eq_sz, 22);
	prm_set(cap, log_max_mkey, LOG_OBJS(card, OBJ_MKEY));
	prm_set(cap, log_max_mrw_sz, 64);
	prm_set(cap, log_max_pd, LOG_OBJS(card, OBJ_PD));
	prm_set(cap, log_max_xrcd, LOG_OBJS(card, OBJ_XRCD));
	prm_set(cap, log_max_transport_domain, LOG_OBJS(card, OBJ_TD));
	prm_set(cap, log_max_rq, LOG_OBJS(card, OBJ_RQ));
	prm_set(cap, log_max_sq, LOG_OBJS(card, OBJ_SQ));
	prm_set(cap, log_max_rmp, LOG_OBJS(card, OBJ_RMP));
	prm_set(cap, log_max_tir, LOG_OBJS(card, OBJ_TIR));
	prm_set(cap, log_max_tis, LOG_OBJS(card, OBJ_TIS));
	prm_set(cap, log_max_rqt, LOG_OBJS(card, OBJ_RQT));
	prm_set(cap, log_max_rqt_size, ETH_LOG_MAX_RQT_SIZE);
	prm_set(cap, log_max_ra_req_qp, 4);
	prm_set(cap, log_max_ra_res_qp, 4);
	prm_set(cap, log_max_msg, 30);
	prm_set(cap, max_wqe_sz_sq, 1024);
	prm_set(cap, max_wqe_sz_rq, ETH_MAX_WQE_RQ);
	prm_set(cap, log_max_wq_sz, ETH_LOG_MAX_WQ_SZ);
	prm_set(cap, log_max_stride_sz_rq, 9);
	prm_set(cap, log_min_stride_sz_rq, 4);
	prm_set(cap, log_max_stride_sz_sq, 6);
	prm_set(cap, log_min_stride_sz_sq, 6);
	prm_set(cap, log_max_current_uc_list, ETH_LOG_MAX_UC_LIST);
	prm_set(cap, log_max_current_mc_list, ETH_LOG_MAX_MC_LIST);
	prm_set(cap, log_max_vlan_list, ETH_LOG_MAX_VLAN_LIST);
}

static void cx5_general(const struct cxdev *dev, struct prm_cmd_hca_cap *cap)
{
	const struct card *card = dev->card;

	cx5_general_sizes(card, cap);
	prm_set(cap, vhca_id, dev->index);
	prm_set(cap, port_type, 1);
	prm_set(cap, num_ports, 1);
	prm_set(cap, native_port_num, 1);
	prm_set(cap, gid_table_size, 4);
	prm_set(cap, pkey_table_size, 0);
	prm_set(cap, local_ca_ack_delay, 16);
	prm_set(cap, cqe_version, 1);
	prm_set(cap, eth_net_offloads, 1);
	prm_set(cap, nic_flow_table, 1);
	prm_set(cap, roce, 1);
	prm_set(cap, rc, 1);
	prm_set(cap, uc, 1);
	prm_set(cap, ud, 1);
	prm_set(cap, xrc, 1);
	prm_set(cap, atomic, 1);
	prm_set(cap, pkv, 1);
	prm_set(cap, qkv, 1);
	prm_set(cap, cq_oi, 1);
	prm_set(cap, cq_moderation, 1);
	prm_set(cap, cq_period_start_from_cqe, 1);
	prm_set(cap, vport_counters, 1);
	prm_set(cap, max_flow_counter_15_0, 1 << 14);
	prm_set(cap, log_max_flow_counter_bulk, 10);
	prm_set(cap, out_of_seq_cnt, 1);
	prm_set(cap, retransmission_q_counters, 1);
	prm_set(cap, enhanced_error_q_counters, 1);
	prm_set(cap, disable_local_lb_uc, 1);
	prm_set(cap, disable_local_lb_mc, 1);
	prm_set(cap, nic_vport_change_event, 1);
	prm_set(cap, basic_cyclic_rcv_wqe, 1);
	prm_set(cap, umr_modify_entity_size_disabled, 1);
	prm_set(cap, cmdif_checksum, 3);
	prm_set(cap, driver_version, 1);
	prm_set(cap, log_pg_sz, 12);
	prm_set(cap, bf, 1);
	prm_set(cap, log_bf_reg_size, 9);
	prm_set(cap, uar_sz, log2_floor(card->bar_bytes >> 20));
	prm_set(cap, num_of_uars_per_page, 1);
	prm_set(cap, device_frequency_mhz, DEVICE_KHZ / 1000);
	prm_set(cap, device_frequency_khz, DEVICE_KHZ);
}

static void cx5_eth(struct prm_per_protocol_networking_offload_caps *cap)
{
	prm_set(cap, csum_cap, 1);
	prm_set(cap, vlan_cap, 1);
	prm_set(cap, max_lso_cap, ETH_LOG_MAX_LSO);
	prm_set(cap, wqe_inline_mode, PRM_INLINE_MODE_NOT_REQUIRED);
	prm_set(cap, wqe_vlan_insert, 1);
	prm_set(cap, rss_ind_tbl_cap, ETH_LOG_MAX_RQT_SIZE);
	prm_set(cap, self_lb_en_modifiable, 1);
}

static void cx5_roce(struct prm_roce_cap *cap)
{
	prm_set(cap, l3_type, L3_IPV4 | L3_IPV6);
	prm_set(cap, roce_version, ROCE_V1 | ROCE_V2);
	prm_set(cap, r_roce_dest_udp_port, 4791);
	prm_set(cap, r_roce_min_src_udp_port, 0xc000);
	prm_set(cap, r_roce_max_src_udp_port, 0xffff);
	prm_set(cap, roce_address_table_size, ROCE_ADDRS);
}

/*
 * 8 bytes; whether a requester finds the old value big-endian or as its CPU has it is for the
 * driver to set.
 */
static void cx5_atomic(struct prm_atomic_caps *cap)
{
	prm_set(cap, supported_atomic_req_8B_endianness_mode_1, 1);
	prm_set(cap, atomic_operations, PRM_ATOMIC_CMP_SWAP | PRM_ATOMIC_FETCH_ADD);
	prm_set(cap, atomic_size_qp, ATOMIC_8B);
}

/* All of a packet's outer headers up to the ports can be matched, each field with any mask. */
static void cx5_flow_fields(struct prm_flow_table_fields_supported *fields)
{
	prm_set(fields, outer_dmac, 1);
	prm_set(fields, outer_smac, 1);
	prm_set(fields, outer_ether_type, 1);
	prm_set(fields, outer_ip_version, 1);
	prm_set(fields, outer_first_prio, 1);
	prm_set(fields, outer_first_cfi, 1);
	prm_set(fields, outer_first_vid, 1);
	prm_set(fields, outer_ipv4_ttl, 1);
	prm_set(fields, outer_sip, 1);
	prm_set(fields, outer_dip, 1);
	prm_set(fields, outer_frag, 1);
	prm_set(fields, outer_ip_protocol, 1);
	prm_set(fields, outer_ip_ecn, 1);
	prm_set(fields, outer_ip_dscp, 1);
	prm_set(fields, outer_udp_sport, 1);
	prm_set(fields, outer_udp_dport, 1);
	prm_set(fields, outer_tcp_sport, 1);
	prm_set(fields, outer_tcp_dport, 1);
	prm_set(fields, outer_tcp_flags, 1);
}

static void cx5_flow(struct prm_flow_table_nic_cap *nic)
{
	struct prm_flow_table_prop_layout *cap =
		prm_sub(nic, flow_table_properties_nic_receive, flow_table_prop_layout);

	prm_set(nic, nic_rx_multi_path_tirs, 1);
	prm_set(nic, nic_rx_multi_path_tirs_fts, 1);
	prm_set(cap, ft_support, 1);
	prm_set(cap, flow_counter, 1);
	prm_set(cap, flow_modify_en, 1);
	prm_set(cap, modify_root, 1);
	prm_set(cap, identified_miss_table_mode, 1);
	prm_set(cap, flow_table_modify, 1);
	prm_set(cap, log_max_ft_size, FLOW_LOG_MAX_SIZE);
	prm_set(cap, max_ft_level, FLOW_MAX_LEVEL);
	prm_set(cap, log_max_ft_num, 10);
	prm_set(cap, log_max_flow_counter, 14);
	prm_set(cap, log_max_destination, 6);
	prm_set(cap, log_max_flow, 20);
	cx5_flow_fields(prm_sub(cap, ft_field_support, flow_table_fields_supported));
	cx5_flow_fields(prm_sub(cap, ft_field_bitmask_support, flow_table_fields_supported));
}

static int cx5_caps(const struct cxdev *dev, unsigned int type, void *cur, void *max)
{
	switch (type) {
	case CAP_GENERAL:
		cx5_general(dev, cur);
		break;
	case CAP_ETH:
		cx5_eth(cur);
		break;
	case CAP_ATOMIC:
		cx5_atomic(cur);
		break;
	case CAP_ROCE:
		cx5_roce(cur);
		break;
	case CAP_FLOW_NIC:
		cx5_flow(cur);
		break;
	default:
		return -1;
	}
	memcpy(max, cur, CAP_BYTES);
	if (type == CAP_GENERAL)
		prm_set((struct prm_cmd_hca_cap *)max, uar_4k, 1);
	else if (type == CAP_ROCE)
		prm_set((struct prm_roce_cap *)max, sw_r_roce_src_udp_port, 1);
	return 0;
}

static const struct card cards[] = {
	{
		.name = "cx5", .model = "ConnectX-5", .device_id = 0x1017, .subsystem_id = 0x0008,
		.fw_major = 16, .fw_minor = 35, .fw_sub = 4030, .psid = "CXR0000000005",
		.bar_bytes = 32u << 20, .vectors = 64, .boot_pages = 64, .init_pages = 1100,
		.objs = {
			[OBJ_UAR] = { 64, 8192 - 64 },
			[OBJ_PD] = { 1, 1 << 16 },
			[OBJ_TD] = { 1, 1 << 10 },
			[OBJ_XRCD] = { 1, 1 << 10 },
			[OBJ_MKEY] = { 16, 1 << 20 },
			[OBJ_PSV] = { 1, 1 << 16 },
			[OBJ_EQ] = { 1, 1 << 6 },
			[OBJ_CQ] = { 0x400, 1 << 16 },
			[OBJ_QP] = { 0x80, 1 << 18 },
			[OBJ_SRQ] = { 0, 1 << 16 },
			[OBJ_XRC_SRQ] = { 0, 1 << 16 },
			[OBJ_RMP] = { 0, 1 << 16 },
			[OBJ_TIS] = { 1, 1 << 12 },
			[OBJ_TIR] = { 1, 1 << 12 },
			[OBJ_SQ] = { 0, 1 << 14 },
			[OBJ_RQ] = { 0, 1 << 14 },
			[OBJ_RQT] = { 1, 1 << 10 },
			[OBJ_Q_COUNTER] = { 1, 128 },
			[OBJ_FLOW_TABLE] = { 1, 1 << 10 },
			[OBJ_FLOW_GROUP] = { 1, 1 << 14 },
			[OBJ_FLOW_COUNTER] = { 1, 1 << 14 },
		},
		.caps = cx5_caps,
	},
};

const struct card *card_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cards); i++)
		if (strlen(cards[i].name) == len && !memcmp(cards[i].name, name, len))
			return &cards[i];
	return NULL;
}

void card_list(FILE *out)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cards); i++)
		fprintf(out, "%s (%s)%s", cards[i].name, cards[i].model,
			i + 1 < ARRAY_SIZE(cards) ? ", " : "");
}
