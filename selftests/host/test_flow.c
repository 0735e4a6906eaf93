// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Encoding of flow table match parameters. */
#include <string.h>
#include "host.h"
#include "codec/caps.h"
#include "codec/flow.h"

/* Offsets of the fields in a match. */
static const struct {
	const char *sentence;
	struct cxr_flow_fields fields;
	unsigned int at, n;
	u8 bytes[16];
} cases[] = {
	{ "SMAC is the first field of a match", { .smac = { 1, 2, 3, 4, 5, 6 } }, 0, 6,
	  { 1, 2, 3, 4, 5, 6 } },
	{ "the Ethertype follows", { .ethertype = 0x86dd }, 6, 2, { 0x86, 0xdd } },
	{ "then DMAC", { .dmac = { 1, 2, 3, 4, 5, 6 } }, 8, 6,
	  { 1, 2, 3, 4, 5, 6 } },
	{ "VLAN priority, CFI and ID are laid out as in the tag", { .tci = 0xb123 }, 14, 2,
	  { 0xb1, 0x23 } },
	{ "the IP protocol, then the traffic class",
	  { .ip_protocol = 17, .traffic_class = 0xa6 }, 16, 2, { 17, 0xa6 } },
	{ "the VLAN tag bit and the IP version", { .tagged = 1, .ip_version = 6 }, 18, 1,
	  { 0x80 | 6 << 1 } },
	{ "TCP ports", { .tcp_sport = 0x1234, .tcp_dport = 0x5678 }, 20, 4,
	  { 0x12, 0x34, 0x56, 0x78 } },
	{ "the hop limit", { .hop_limit = 9 }, 27, 1, { 9 } },
	{ "UDP ports", { .udp_sport = 0x1234, .udp_dport = 0x5678 }, 28, 4,
	  { 0x12, 0x34, 0x56, 0x78 } },
	{ "an IPv4 source is in the last four of 16 bytes", { .src = { [12] = 10, 0, 0, 1 } },
	  32, 16, { [12] = 10, 0, 0, 1 } },
	{ "the opcode of RoCE packets is in the second set", { .bth_opcode = 0x81 }, 0x57, 1,
	  { 0x81 } },
	{ "an IPv6 destination takes all 16 bytes", { .dst = { 0xfd, [15] = 9 } }, 48, 16,
	  { 0xfd, [15] = 9 } },
};

static void test_encode(void)
{
	struct prm_fte_match_param param;
	u8 want[sizeof(param)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("flow", cases[i].sentence);
		memset(&param, 0xff, sizeof(param));
		memset(want, 0, sizeof(want));
		memcpy(want + cases[i].at, cases[i].bytes, cases[i].n);
		cxr_flow_encode(&cases[i].fields, &param);
		expect_bytes(&param, want, sizeof(want));
	}
}

/* For tables of the netdev; rules of users do not have them. */
static void test_inner(void)
{
	struct cxr_flow_fields f = { .inner_version = 6, .inner_protocol = 17 }, got;
	struct prm_fte_match_param param;
	u8 want[sizeof(param)] = { [0x90] = 17, [0x92] = 6 << 1 };

	begin("flow", "fields of tunnels are in the third set, and are encoded only");
	cxr_flow_encode(&f, &param);
	expect_bytes(&param, want, sizeof(want));
	expect(cxr_flow_decode(&param, &got), false);
}

static void test_decode(void)
{
	unsigned int i, bits = 0, fields = 0;
	struct prm_fte_match_param param;
	struct cxr_flow_fields f, all;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("flow decode", cases[i].sentence);
		cxr_flow_encode(&cases[i].fields, &param);
		expect(cxr_flow_decode(&param, &f), true);
		expect_bytes(&f, &cases[i].fields, sizeof(f));
	}

	begin("flow decode", "a bit of a match is a bit of a field, or refused");
	memset(&all, 0, sizeof(all));
	for (i = 0; i < 8 * sizeof(param); i++) {
		memset(&param, 0, sizeof(param));
		((u8 *)&param)[i / 8] = 0x80 >> i % 8;
		if (!cxr_flow_decode(&param, &f))
			continue;
		bits++;
		for (unsigned int b = 0; b < sizeof(f); b++) {
			expect(((u8 *)&all)[b] & ((u8 *)&f)[b], 0);
			((u8 *)&all)[b] |= ((u8 *)&f)[b];
			fields += __builtin_popcount(((u8 *)&f)[b]);
		}
	}
	/* two MACs, Ethertype, TCI, four ports, two addresses, tag, version, and four of 8 bits */
	expect(bits, 2 * 48 + 16 + 16 + 4 * 16 + 2 * 128 + 1 + 4 + 4 * 8);
	expect(fields, bits);
	expect(all.tagged, 1);
	expect(all.ip_version, 0xf);
	expect(all.tci, 0xffff);
}

static void test_criteria(void)
{
	struct cxr_flow_fields mask = {};

	begin("flow", "a group says of which sets it has fields");
	expect(cxr_flow_criteria(&mask), 0);
	mask.bth_opcode = 0xff;
	expect(cxr_flow_criteria(&mask), PRM_MATCH_MISC);
	mask.hop_limit = 1;
	expect(cxr_flow_criteria(&mask), PRM_MATCH_MISC | PRM_MATCH_OUTER);
	mask.bth_opcode = 0;
	expect(cxr_flow_criteria(&mask), PRM_MATCH_OUTER);
	mask.source_vport = 0xffff;
	expect(cxr_flow_criteria(&mask), PRM_MATCH_MISC | PRM_MATCH_OUTER);
	mask.source_vport = 0;
	mask.inner_version = 0xf;
	expect(cxr_flow_criteria(&mask), PRM_MATCH_OUTER | PRM_MATCH_INNER);
	mask.hop_limit = 0;
	mask.inner_version = 0;
	mask.inner_protocol = 0xff;
	expect(cxr_flow_criteria(&mask), PRM_MATCH_INNER);
}

static void test_ip_by_type(void)
{
	struct cxr_flow_fields mask = { .ip_version = 0xf, .hop_limit = 1 };
	struct cxr_flow_fields value = { .ip_version = 6 };

	begin("flow", "a device that does not match on IP versions gets their EtherType");
	cxr_flow_ip_by_type(&mask, &value);
	expect(mask.ethertype, 0xffff);
	expect(value.ethertype, 0x86dd);
	expect(mask.ip_version, 0);
	expect(value.ip_version, 0);
	expect(mask.hop_limit, 1);
	mask.ip_version = 0xf;
	value.ip_version = 4;
	cxr_flow_ip_by_type(&mask, &value);
	expect(value.ethertype, 0x0800);
	mask = (struct cxr_flow_fields){};
	value = mask;
	cxr_flow_ip_by_type(&mask, &value);
	expect(mask.ethertype, 0);
	expect(value.ethertype, 0);
}

/* Programs have no such rules: they are for the manager of the e-switch. */
static void test_source(void)
{
	struct cxr_flow_fields fields = { .source_vport = 0x1234 }, decoded;
	struct prm_fte_match_param param;
	const u8 *bytes = (const u8 *)&param;

	begin("flow", "the vport that a packet comes from is in the second set, and not read back");
	cxr_flow_encode(&fields, &param);
	expect(bytes[0x46] << 8 | bytes[0x47], 0x1234);
	expect(cxr_flow_decode(&param, &decoded), false);
}

static void test_support(void)
{
	struct prm_flow_table_fields_supported support = {};
	struct cxr_flow_fields bits, mask = { .ethertype = 0xffff, .tci = 0x0fff, .tagged = 1 };

	begin("flow", "a device without match capabilities matches no field");
	cxr_flow_decode_caps(&support, &bits);
	expect(cxr_flow_within(&mask, &bits), false);
	memset(&mask, 0, sizeof(mask));
	expect(cxr_flow_within(&mask, &bits), true);

	begin("flow", "parts of a field are supported separately");
	mask = (struct cxr_flow_fields){ .tci = 0x0fff, .tagged = 1, .traffic_class = 0xfc };
	prm_set(&support, outer_first_vid, 1);
	prm_set(&support, outer_ip_dscp, 1);
	cxr_flow_decode_caps(&support, &bits);
	expect(cxr_flow_within(&mask, &bits), true);
	mask.tci = 0x2fff;
	expect(cxr_flow_within(&mask, &bits), false);
	mask.tci = 0;
	mask.traffic_class = 1;
	expect(cxr_flow_within(&mask, &bits), false);
}

/* A device with all capabilities that flow rules need, except @missing. */
static bool rules_without(unsigned int missing)
{
	struct prm_flow_table_nic_cap cap = {};
	struct prm_flow_table_prop_layout *rx =
		prm_sub(&cap, flow_table_properties_nic_receive, flow_table_prop_layout);
	struct cxr_caps caps = { .flow_rules = true };

	prm_set(rx, ft_support, missing != 1);
	prm_set(rx, flow_modify_en, missing != 2);
	prm_set(rx, modify_root, missing != 3);
	prm_set(rx, identified_miss_table_mode, missing != 4);
	prm_set(rx, flow_table_modify, missing != 5);
	cxr_caps_decode_flow(&cap, &caps);
	return caps.flow_rules;
}

struct rdma_case {
	const char *sentence;
	bool rx_ecn, rx_opcode, tx_opcode;
	unsigned int rx_log_size, tx_levels;
	bool no_counter, no_root;
	bool ce, rx_cnp, tx_cnp;
};

static const struct rdma_case rdma_cases[] = {
	{ "tables of RoCE packets count marked packets, and CNPs", true, true, true, 2, 1,
	  .ce = true, .rx_cnp = true, .tx_cnp = true },
	{ "without a match of ECN bits no marked packets are counted", false, true, true, 2, 1,
	  .rx_cnp = true, .tx_cnp = true },
	{ "without a match of the opcode no CNPs are counted", true, false, false, 2, 1,
	  .ce = true },
	{ "received and sent packets have capabilities of their own", false, false, true, 0, 1,
	  .tx_cnp = true },
	{ "received packets need a table of three entries", true, true, .rx_log_size = 1 },
	{ "a table needs a level", .tx_opcode = true },
	{ "tables without counters count nothing", true, true, true, 2, 1, .no_counter = true },
	{ "tables that cannot be the first one see nothing", true, true, true, 2, 1,
	  .no_root = true },
};

static void set_tables(struct prm_flow_table_prop_layout *tables, const struct rdma_case *c,
		       unsigned int log_size, unsigned int levels)
{
	prm_set(tables, ft_support, 1);
	prm_set(tables, flow_counter, !c->no_counter);
	prm_set(tables, modify_root, !c->no_root);
	prm_set(tables, log_max_ft_size, log_size);
	prm_set(tables, max_ft_level, levels);
	prm_set(tables, ft_field_support.outer_ip_version, 1);
	prm_set(tables, ft_field_support.outer_ip_ecn, c->rx_ecn);
}

static void test_rdma_tables(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rdma_cases); i++) {
		const struct rdma_case *c = &rdma_cases[i];
		struct prm_flow_table_nic_cap cap = {};
		struct cxr_caps caps = {};

		begin("flow", rdma_cases[i].sentence);
		set_tables(prm_sub(&cap, flow_table_properties_nic_receive_rdma,
				   flow_table_prop_layout), c, c->rx_log_size, 1);
		set_tables(prm_sub(&cap, flow_table_properties_nic_transmit_rdma,
				   flow_table_prop_layout), c, 2, c->tx_levels);
		prm_set(&cap, ft_field_support_2_nic_receive_rdma.bth_opcode, c->rx_opcode);
		prm_set(&cap, ft_field_support_2_nic_transmit_rdma.bth_opcode, c->tx_opcode);
		cxr_caps_decode_flow(&cap, &caps);
		expect(caps.count_rx_ce, c->ce);
		expect(caps.count_rx_cnp, c->rx_cnp);
		expect(caps.count_tx_cnp, c->tx_cnp);
	}
}

static void test_caps_eswitch(void)
{
	struct prm_flow_table_eswitch_cap tables = {};
	struct prm_e_switch_cap vports = {};
	struct cxr_caps caps;

	begin("caps", "an e-switch has what its pages announce: FDB, ACLs both ways, VLANs, GUIDs");
	memset(&caps, 0xff, sizeof(caps));
	cxr_caps_decode_fdb(&tables, &caps);
	cxr_caps_decode_eswitch(&vports, &caps);
	expect(caps.fdb, false);
	expect(caps.vport_acl, false);
	expect(caps.vport_vlan, false);
	expect(caps.vport_guid, false);
	prm_set(&tables, flow_table_properties_nic_esw_fdb.ft_support, 1);
	prm_set(&tables, flow_table_properties_nic_esw_fdb.log_max_ft_size, 3);
	cxr_caps_decode_fdb(&tables, &caps);
	expect(caps.fdb, false);
	prm_set(&tables, flow_table_properties_nic_esw_fdb.log_max_ft_size, 11);
	prm_set(&tables, flow_table_properties_esw_acl_ingress.ft_support, 1);
	prm_set(&vports, vport_cvlan_strip, 1);
	prm_set(&vports, nic_vport_node_guid_modify, 1);
	cxr_caps_decode_fdb(&tables, &caps);
	cxr_caps_decode_eswitch(&vports, &caps);
	expect(caps.fdb, true);
	expect(caps.fdb_log_max_size, 11);
	expect(caps.vport_acl, false);
	expect(caps.vport_vlan, false);
	expect(caps.vport_guid, true);
	prm_set(&tables, flow_table_properties_esw_acl_egress.ft_support, 1);
	prm_set(&vports, vport_cvlan_insert_if_not_exist, 1);
	cxr_caps_decode_fdb(&tables, &caps);
	cxr_caps_decode_eswitch(&vports, &caps);
	expect(caps.vport_acl, true);
	expect(caps.vport_vlan, true);
}

void test_flow(void)
{
	unsigned int i;

	test_encode();
	test_inner();
	test_decode();
	test_criteria();
	test_ip_by_type();
	test_source();
	test_support();
	test_rdma_tables();
	begin("flow", "flow rules need tables that can be modified, and a replaceable root");
	expect(rules_without(0), true);
	for (i = 1; i <= 5; i++)
		expect(rules_without(i), false);
	test_caps_eswitch();
}
