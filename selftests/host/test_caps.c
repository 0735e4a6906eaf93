// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* What the driver makes of a card's capability pages. */
#include <errno.h>
#include <string.h>
#include "host.h"
#include "codec/caps.h"
#include "prm/definer.h"

/* Capabilities that pass the check. */
static void good_hca(struct prm_cmd_hca_cap *cap)
{
	memset(cap, 0, sizeof(*cap));
	prm_set(cap, num_ports, 1);
	prm_set(cap, port_type, PRM_PORT_TYPE_ETH);
	prm_set(cap, log_max_qp, 18);
	prm_set(cap, log_max_qp_sz, 15);
	prm_set(cap, log_max_cq, 24);
	prm_set(cap, log_max_cq_sz, 22);
	prm_set(cap, log_max_eq, 7);
	prm_set(cap, log_max_eq_sz, 22);
	prm_set(cap, log_max_pd, 23);
	prm_set(cap, log_max_mkey, 24);
	prm_set(cap, log_max_msg, 30);
	prm_set(cap, max_wqe_sz_sq, 1024);
	prm_set(cap, max_wqe_sz_rq, 512);
	prm_set(cap, cqe_version, 1);
	prm_set(cap, bf, 1);
	prm_set(cap, log_bf_reg_size, 9);
	prm_set(cap, roce, 1);
	prm_set(cap, eth_net_offloads, 1);
	prm_set(cap, nic_flow_table, 1);
	prm_set(cap, log_max_wq_sz, 15);
	prm_set(cap, log_max_sq, 14);
	prm_set(cap, log_max_rq, 14);
	prm_set(cap, log_max_tir, 12);
}

static void good_roce(struct prm_roce_cap *cap)
{
	memset(cap, 0, sizeof(*cap));
	prm_set(cap, roce_version, 5);
	prm_set(cap, l3_type, 6);
	prm_set(cap, roce_address_table_size, 256);
	prm_set(cap, r_roce_dest_udp_port, 4791);
	prm_set(cap, r_roce_min_src_udp_port, 0xc000);
	prm_set(cap, r_roce_max_src_udp_port, 0xffff);
}

static void test_caps_decode(struct cxr_caps *caps)
{
	struct prm_per_protocol_networking_offload_caps eth = {};
	struct prm_flow_table_nic_cap flow = {};
	struct prm_cmd_hca_cap hca;
	struct prm_roce_cap roce;

	good_hca(&hca);
	good_roce(&roce);
	prm_set(&eth, csum_cap, 1);
	prm_set(&eth, max_lso_cap, 18);
	prm_set(&eth, rss_ind_tbl_cap, 8);
	prm_set(&eth, wqe_inline_mode, PRM_INLINE_MODE_NOT_REQUIRED);
	prm_set(&flow, flow_table_properties_nic_receive.ft_support, 1);
	prm_set(&flow, flow_table_properties_nic_receive.log_max_ft_size, 20);
	prm_set(&flow, flow_table_properties_nic_receive.max_ft_level, 64);
	cxr_caps_decode_hca(&hca, caps);
	cxr_caps_decode_eth(&eth, caps);
	cxr_caps_decode_flow(&flow, caps);
	cxr_caps_decode_roce(&roce, caps);
}

/* Tunnels of a device with these capabilities: VXLAN, GRE, IP in IP to send, to receive. */
static unsigned int tunnels(u32 vxlan, u32 gre, u32 ip, u32 ip_tx, u32 ip_rx)
{
	struct prm_per_protocol_networking_offload_caps eth = {};
	struct cxr_caps caps = {};

	prm_set(&eth, tunnel_stateless_vxlan, vxlan);
	prm_set(&eth, tunnel_stateless_gre, gre);
	prm_set(&eth, tunnel_stateless_ip_over_ip, ip);
	prm_set(&eth, tunnel_stateless_ip_over_ip_tx, ip_tx);
	prm_set(&eth, tunnel_stateless_ip_over_ip_rx, ip_rx);
	cxr_caps_decode_eth(&eth, &caps);
	return caps.tunnel_vxlan | caps.tunnel_gre << 1 | caps.tunnel_ip << 2 |
	       caps.tunnel_ip_rx << 3;
}

static u32 vxlan_ports(u32 max)
{
	struct prm_per_protocol_networking_offload_caps eth = {};
	struct cxr_caps caps = {};

	prm_set(&eth, max_vxlan_udp_ports, max);
	cxr_caps_decode_eth(&eth, &caps);
	return caps.vxlan_ports;
}

static bool inner(u32 gre, u32 ip_rx, u32 version, u32 protocol)
{
	struct prm_flow_table_nic_cap flow = {};
	struct prm_flow_table_prop_layout *rx =
		prm_sub(&flow, flow_table_properties_nic_receive, flow_table_prop_layout);
	struct cxr_caps caps = { .tunnel_gre = gre, .tunnel_ip_rx = ip_rx };

	prm_set(rx, ft_support, 1);
	prm_set(rx, ft_field_support.inner_ip_version, version);
	prm_set(rx, ft_field_support.inner_ip_protocol, protocol);
	cxr_caps_decode_flow(&flow, &caps);
	return cxr_caps_inner(&caps);
}

static void test_tunnels(void)
{
	begin("caps", "each tunnel has a capability, IP in IP one for each direction as well");
	expect(tunnels(0, 0, 0, 0, 0), 0);
	expect(tunnels(1, 0, 0, 0, 0), 1);
	expect(tunnels(0, 1, 0, 0, 0), 2);
	expect(tunnels(0, 0, 1, 0, 0), 4 | 8);
	expect(tunnels(0, 0, 0, 1, 0), 4);
	expect(tunnels(0, 0, 0, 0, 1), 8);

	begin("caps", "a device that does not say how many ports of VXLAN there are knows four");
	expect(vxlan_ports(0), 4);
	expect(vxlan_ports(8), 8);

	begin("caps", "TIRs look into tunnels that flow tables look into");
	expect(inner(1, 0, 1, 1), true);
	expect(inner(0, 1, 1, 1), true);
	expect(inner(0, 0, 1, 1), false);
	expect(inner(1, 1, 0, 1), false);
	expect(inner(1, 1, 1, 0), false);
}

static bool atomics(u32 operations, u32 sizes, u32 endianness)
{
	struct cxr_caps caps = { .atomic = true };
	struct prm_atomic_caps cap = {};

	prm_set(&cap, atomic_operations, operations);
	prm_set(&cap, atomic_size_qp, sizes);
	prm_set(&cap, atomic_req_8B_endianness_mode, endianness);
	cxr_caps_decode_atomic(&cap, &caps);
	return caps.atomic;
}

/* A LAG capable device, with condition number @condition set to @value. */
static struct cxr_caps lag_caps(unsigned int condition, u32 value)
{
	struct prm_cmd_hca_cap hca;
	struct cxr_caps caps = {};

	good_hca(&hca);
	prm_set(&hca, vport_group_manager, condition == 1 ? value : 1);
	prm_set(&hca, lag_master, condition == 2 ? value : 1);
	prm_set(&hca, lag_tx_port_affinity, condition == 3 ? value : 1);
	prm_set(&hca, num_lag_ports, condition == 4 ? value : 2);
	prm_set(&hca, native_port_num, condition == 5 ? value : 2);
	prm_set(&hca, init2_lag_tx_port_affinity, condition == 6 ? value : 1);
	cxr_caps_decode_hca(&hca, &caps);
	return caps;
}

/* Bits 0, 1, 2: completions of SQs, RQs, QPs can be stamped with the free-running clock. */
static unsigned int free_running(u32 sq, u32 rq, u32 qp)
{
	struct prm_cmd_hca_cap hca;
	struct prm_roce_cap roce;
	struct cxr_caps caps = {};

	good_hca(&hca);
	good_roce(&roce);
	prm_set(&hca, sq_ts_format, sq);
	prm_set(&hca, rq_ts_format, rq);
	prm_set(&roce, qp_ts_format, qp);
	cxr_caps_decode_hca(&hca, &caps);
	cxr_caps_decode_roce(&roce, &caps);
	return caps.sq_free_running | caps.rq_free_running << 1 | caps.qp_free_running << 2;
}

static u32 l2_entries(bool manager, u32 log)
{
	struct cxr_caps caps = { .l2_entries = 1 };
	struct prm_cmd_hca_cap hca;

	good_hca(&hca);
	prm_set(&hca, eswitch_manager, manager);
	prm_set(&hca, log_max_l2_table, log);
	cxr_caps_decode_hca(&hca, &caps);
	return caps.l2_entries;
}

#define DEFINERS	(1ull << PRM_DEFINER_L2 | 1ull << PRM_DEFINER_IPV4 | \
			 1ull << PRM_DEFINER_IPV6_L4)

/* A device capable of hash mode, without condition number @without. */
static struct cxr_caps hash_caps(unsigned int without)
{
	struct prm_port_selection_cap page = {};
	struct prm_flow_table_prop_layout *tables =
		prm_sub(&page, flow_table_properties_port_selection, flow_table_prop_layout);
	struct prm_cmd_hca_cap hca;
	struct cxr_caps caps = {};

	good_hca(&hca);
	prm_set(&hca, vport_group_manager, 1);
	prm_set(&hca, lag_master, without != 1);
	prm_set(&hca, lag_tx_port_affinity, 1);
	prm_set(&hca, num_lag_ports, 2);
	prm_set(&hca, native_port_num, 1);
	prm_set(&hca, port_selection_cap, without != 2);
	prm_set(&hca, vhca_id, 0x1234);
	prm_set64(&hca, general_obj_types, without == 3 ? 0 : 1ull << PRM_OBJ_MATCH_DEFINER);
	prm_set64(&hca, match_definer_format_supported, without == 4 ? DEFINERS & ~1ull : DEFINERS);
	cxr_caps_decode_hca(&hca, &caps);
	if (!caps.lag_hash)
		return caps;

	prm_set(&page, port_select_flow_table, without != 5);
	prm_set(&page, port_select_flow_table_bypass, without != 6);
	prm_set(tables, ft_support, without != 7);
	prm_set(tables, flow_modify_en, without != 8);
	prm_set(tables, modify_root, without != 9);
	prm_set(tables, log_max_ft_size, without == 10 ? 1 : 2);
	prm_set(tables, max_ft_level, without == 11 ? 1 : 2);
	prm_set(tables, ft_field_support.outer_ether_type, without != 12);
	prm_set(tables, ft_field_support.outer_ip_protocol, without != 13);
	cxr_caps_decode_port_selection(&page, &caps);
	return caps;
}

static void test_caps_hash(void)
{
	unsigned int i;

	begin("caps", "hash mode needs port selection tables and match definers");
	expect(hash_caps(0).lag_hash, true);
	expect(hash_caps(0).vhca_id, 0x1234);
	begin("caps", "without one of these there is no hash mode");
	for (i = 1; i <= 13; i++)
		expect(hash_caps(i).lag_hash, false);
	expect(hash_caps(2).lag, true);
}

static void test_caps_lag(void)
{
	begin("caps", "LAG needs two ports, lag_master and TX port affinity");
	expect(lag_caps(0, 0).lag, true);
	expect(lag_caps(0, 0).native_port, 2);
	expect(lag_caps(0, 0).lag_affinity_rtr, true);
	expect(lag_caps(5, 1).lag, true);

	begin("caps", "without one of these there is no LAG");
	expect(lag_caps(1, 0).lag, false);
	expect(lag_caps(2, 0).lag, false);
	expect(lag_caps(3, 0).lag, false);
	expect(lag_caps(4, 0).lag, false);
	expect(lag_caps(4, 4).lag, false);
	expect(lag_caps(5, 0).lag, false);
	expect(lag_caps(5, 3).lag, false);

	begin("caps", "INIT2RTR takes a port affinity only if the device says so");
	expect(lag_caps(6, 0).lag, true);
	expect(lag_caps(6, 0).lag_affinity_rtr, false);
	expect(lag_caps(2, 0).lag_affinity_rtr, false);
}

static void test_caps_eqs(void)
{
	struct prm_cmd_hca_cap_2 more = {};
	struct prm_cmd_hca_cap hca;
	struct cxr_caps caps = {};

	good_hca(&hca);
	prm_set(&hca, log_max_eq, 6);
	begin("caps", "without another limit there are 2^log_max_eq event queues");
	cxr_caps_decode_hca(&hca, &caps);
	cxr_caps_decode_hca_2(&more, &caps);
	expect(caps.max_eqs, 64);

	begin("caps", "the function's own limit of event queues comes before that of the card");
	prm_set(&hca, max_num_eqs, 5);
	cxr_caps_decode_hca(&hca, &caps);
	cxr_caps_decode_hca_2(&more, &caps);
	expect(caps.max_eqs, 5);

	begin("caps", "the limit of the second page, of 24 bits, comes before both");
	prm_set(&more, max_num_eqs_24b, 0x12345);
	cxr_caps_decode_hca_2(&more, &caps);
	expect(caps.max_eqs, 0x12345);

	begin("caps", "a device sends page requests unless it says that it does not");
	expect(caps.page_requests, true);
	prm_set(&hca, page_request_disable, 1);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.page_requests, false);
}

static void test_caps_clamped(void)
{
	struct prm_cmd_hca_cap hca;
	struct cxr_caps caps = {};

	good_hca(&hca);
	prm_set(&hca, log_max_klm_list_size, 18);
	prm_set(&hca, cqe_version, 2);
	cxr_caps_decode_hca(&hca, &caps);
	begin("caps", "a UMR list is no longer than 16 bits can count");
	expect(caps.log_max_klm_list_size, 16);
	begin("caps", "CQE version 1 is used on a device that knows later ones");
	expect(caps.cqe_version, 1);
}

static void test_caps_values(void)
{
	struct cxr_caps caps = {};
	struct prm_cmd_hca_cap hca;
	const char *why = NULL;

	begin("caps", "a supported device passes the check");
	test_caps_decode(&caps);
	expect(cxr_caps_check(&caps, &why), 0);

	begin("caps", "general capabilities are decoded");
	expect(caps.num_ports, 1);
	expect(caps.eth, true);
	expect(caps.log_max_qp, 18);
	expect(caps.log_max_msg, 30);
	expect(caps.max_wqe_sz_sq, 1024);
	expect(caps.log_bf_reg_size, 9);

	begin("caps", "completions are stamped with the free-running clock unless there is none");
	expect(free_running(PRM_TS_CAP_FREE_RUNNING, PRM_TS_CAP_BOTH, PRM_TS_CAP_BOTH), 7);
	expect(free_running(PRM_TS_CAP_REAL_TIME, PRM_TS_CAP_BOTH, PRM_TS_CAP_BOTH), 6);
	expect(free_running(PRM_TS_CAP_BOTH, PRM_TS_CAP_REAL_TIME, PRM_TS_CAP_BOTH), 5);
	expect(free_running(PRM_TS_CAP_BOTH, PRM_TS_CAP_BOTH, PRM_TS_CAP_REAL_TIME), 3);

	begin("caps", "the MPFS is written by the manager of the embedded switch only");
	expect(l2_entries(true, 5), 32);
	expect(l2_entries(true, 0), 0);
	expect(l2_entries(false, 5), 0);

	begin("caps", "P_Key table size 0 means 128 entries");
	expect(caps.pkey_table_size, 128);

	begin("caps", "RoCE bits 0 and 2 are v1 and v2, network layer bits 1 and 2 IPv4 and IPv6");
	expect(caps.roce.roce && caps.roce.v1 && caps.roce.v2, true);
	expect(caps.roce.l3_ipv4 && caps.roce.l3_ipv6, true);
	expect(caps.roce_addresses, 256);
	expect(caps.udp_dport, 4791);

	begin("caps", "LSO and RSS sizes are decoded from their logarithms");
	expect(caps.max_lso, 1 << 18);
	expect(caps.rss_ind_tbl_max, 256);
	expect(caps.ft_max_level, 64);

	begin("caps", "atomics need both operations, 8 bytes, and host byte order");
	expect(atomics(3, 8, 1), true);
	expect(atomics(1, 8, 1), false);
	expect(atomics(3, 4, 1), false);
	expect(atomics(3, 8, 0), false);

	begin("caps", "without BlueFlame its register size is ignored");
	good_hca(&hca);
	prm_set(&hca, bf, 0);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.log_bf_reg_size, 0);
}

static const struct {
	const char *sentence;
	size_t offset;
	u8 value;
	const char *why;
} caps_cases[] = {
	{ "no port", offsetof(struct cxr_caps, num_ports), 0, "the device has no port" },
	{ "more QPs than 24 bit QPNs", offsetof(struct cxr_caps, log_max_qp), 25,
	  "log_max_qp is out of range" },
	{ "fewer CQs than the driver needs for itself", offsetof(struct cxr_caps, log_max_cq), 3,
	  "log_max_cq is out of range" },
	{ "queues that are too small for the driver's own",
	  offsetof(struct cxr_caps, log_max_qp_sz), 7, "log_max_qp_sz is out of range" },
	{ "no event queue", offsetof(struct cxr_caps, log_max_eq), 0,
	  "log_max_eq is out of range" },
	{ "a CQ size that is too large to shift by", offsetof(struct cxr_caps, log_max_cq_sz), 255,
	  "log_max_cq_sz is out of range" },
	{ "an SRQ whose WQE links exceed 16 bits",
	  offsetof(struct cxr_caps, log_max_srq_sz), 17, "log_max_srq_sz is out of range" },
	{ "more SRQs than 24 bit SRQNs", offsetof(struct cxr_caps, log_max_srq), 25,
	  "log_max_srq is out of range" },
	{ "messages shorter than a datagram", offsetof(struct cxr_caps, log_max_msg), 11,
	  "log_max_msg is out of range" },
	{ "messages over 2 GiB", offsetof(struct cxr_caps, log_max_msg), 32,
	  "log_max_msg is out of range" },
};

static const struct {
	const char *sentence;
	size_t offset;
	u8 value;
	const char *missing;
} eth_cases[] = {
	{ "nothing is missing", offsetof(struct cxr_caps, log_max_wq_sz), 6, "" },
	{ "no Ethernet queues", offsetof(struct cxr_caps, eth_net_offloads), 0,
	  "eth_net_offloads" },
	{ "no send queues", offsetof(struct cxr_caps, log_max_sq), 0, "log_max_sq" },
	{ "no receive queues", offsetof(struct cxr_caps, log_max_rq), 0, "log_max_rq" },
	{ "no flow tables of a NIC", offsetof(struct cxr_caps, nic_flow_table), 0,
	  "nic_flow_table" },
	{ "no flow tables of received packets", offsetof(struct cxr_caps, ft_max_level), 0,
	  "ft_support" },
	{ "too few levels of flow tables", offsetof(struct cxr_caps, ft_max_level), 18,
	  "max_ft_level" },
	{ "flow tables that are too small", offsetof(struct cxr_caps, ft_log_max_size), 8,
	  "log_max_ft_size" },
	{ "rings that are too small", offsetof(struct cxr_caps, log_max_wq_sz), 5,
	  "log_max_wq_sz" },
	{ "completion queues that are too small", offsetof(struct cxr_caps, log_max_cq_sz), 5,
	  "log_max_cq_sz" },
	{ "too few TIRs", offsetof(struct cxr_caps, log_max_tir), 2, "log_max_tir" },
};

/* Of a netdev with rings of 64 entries, tables of 512, and tables of level 18. */
static void test_caps_eth(void)
{
	struct cxr_caps caps;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(eth_cases); i++) {
		begin("caps for a netdev", eth_cases[i].sentence);
		memset(&caps, 0, sizeof(caps));
		test_caps_decode(&caps);
		*((u8 *)&caps + eth_cases[i].offset) = eth_cases[i].value;
		expect_text(cxr_caps_missing_eth(&caps, 6, 18, 9) ?: "", eth_cases[i].missing);
	}
}

void test_caps(void)
{
	struct cxr_caps caps;
	const char *why;
	unsigned int i;

	test_caps_values();
	test_caps_lag();
	test_caps_eqs();
	test_caps_clamped();
	test_caps_hash();
	test_tunnels();
	test_caps_eth();
	for (i = 0; i < ARRAY_SIZE(caps_cases); i++) {
		begin("caps are refused", caps_cases[i].sentence);
		memset(&caps, 0, sizeof(caps));
		test_caps_decode(&caps);
		*((u8 *)&caps + caps_cases[i].offset) = caps_cases[i].value;
		why = NULL;
		expect(cxr_caps_check(&caps, &why), -EPROTO);
		expect_text(why, caps_cases[i].why);
	}

	begin("caps are refused", "RoCE without an address table");
	memset(&caps, 0, sizeof(caps));
	test_caps_decode(&caps);
	caps.roce_addresses = 0;
	why = NULL;
	expect(cxr_caps_check(&caps, &why), -EPROTO);
	expect_text(why, "the RoCE address table is empty");
}
