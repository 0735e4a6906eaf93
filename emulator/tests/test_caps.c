// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The table of capabilities: a card supports what it advertises, refuses what it does not, and
 * advertises nothing that has no row. Of each card a PF, a VF, and a PF of two ports.
 */
#include <string.h>

#include "caps.h"
#include "port/port.h"
#include "vfu_client.h"

enum kind { PF, VF, TWO_PORTS, KINDS };

static const char *const kinds[KINDS] = { "pf", "vf", "two ports" };

#define ROWS_MAX 160
#define PAGES 14

/* Some pages come in several lists. */
static struct cap_page pages[PAGES];

static struct outcome {
	uint32_t value;
	bool good;
} outcomes[PAGES][ROWS_MAX][KINDS];

static void list_pages(void)
{
	const struct cap_page list[PAGES] = {
		{ "sizes", CAP_GENERAL, caps_sizes, caps_sizes_n },
		{ "general", CAP_GENERAL, caps_general, caps_general_n },
		{ "eth", CAP_ETH, caps_eth, caps_eth_n },
		{ "atomic", CAP_ATOMIC, caps_atomic, caps_atomic_n },
		{ "roce", CAP_ROCE, caps_roce, caps_roce_n },
		{ "flow", CAP_FLOW_NIC, caps_flow, caps_flow_n, PRM_FT_NIC_RX },
		{ "flow of RoCE received", CAP_FLOW_NIC, caps_rdma_rx, caps_rdma_rx_n,
		  PRM_FT_RDMA_RX },
		{ "flow of RoCE sent", CAP_FLOW_NIC, caps_rdma_tx, caps_rdma_tx_n, PRM_FT_RDMA_TX },
		{ "qos", CAP_QOS, caps_qos, caps_qos_n },
		{ "debug", CAP_DEBUG, caps_debug, caps_debug_n },
		{ "memory", CAP_DEVICE_MEM, caps_memic, caps_memic_n },
		{ "odp", CAP_ODP, caps_odp, caps_odp_n },
		{ "event", CAP_EVENT, caps_event, caps_event_n },
		{ "port selection", CAP_PORT_SELECTION, caps_port, caps_port_n, PRM_FT_PORT_SEL },
	};

	memcpy(pages, list, sizeof(list));
}

/* A page that the card does not have reads as zeros. */
static void query_page(struct dut *dut, enum cap_type type, unsigned int which, __be32 *page)
{
	struct prm_query_hca_cap_in in = {};
	struct prm_query_hca_cap_out out = {};

	prm_set(&in, op_mod, type << 1 | which);
	if (dut_cmd(dut, query_hca_cap, &in, &out))
		memset(&out, 0, sizeof(out));
	memcpy(page, (uint8_t *)&out + sizeof(struct prm_mbox_out), CAP_BYTES);
}

/* The first dword of a page with a field that has no row, or the end of the page. */
static unsigned int first_unknown(struct dut *dut, enum cap_type type, unsigned int which,
				  __be32 *page)
{
	unsigned int p, i, at = 0;

	query_page(dut, type, which, page);
	for (p = 0; p < PAGES; p++)
		for (i = 0; pages[p].type == type && i < pages[p].n; i++)
			prm_set_bits(page, pages[p].rows[i].bit, pages[p].rows[i].width, 0);
	while (at < CAP_BYTES / 4 && !page[at])
		at++;
	return at;
}

static void check_complete(struct dut *dut, const char *card, const char *kind, enum cap_type type)
{
	unsigned int at, p = 0;
	__be32 page[CAP_BYTES / 4];

	while (pages[p].type != type)
		p++;
	at = first_unknown(dut, type, PRM_CAP_CUR, page);
	if (at == CAP_BYTES / 4)
		at = first_unknown(dut, type, PRM_CAP_MAX, page);
	if (at != CAP_BYTES / 4)
		printf("# dword 0x%x: 0x%08x has no row\n", at * 4, be32_to_cpu(page[at]));
	ktap(at == CAP_BYTES / 4, "%s, %s: the table covers all of page %s", card, kind,
	     type == CAP_GENERAL ? "general" : pages[p].name);
}

static void probe_all(struct dut *dut, enum kind kind)
{
	__be32 page[CAP_BYTES / 4];
	unsigned int p, i;
	bool is;

	for (p = 0; p < PAGES; p++) {
		query_page(dut, pages[p].type, PRM_CAP_CUR, page);
		env.table_type = pages[p].table_type;
		for (i = 0; i < pages[p].n; i++) {
			const struct cap_row *row = &pages[p].rows[i];
			struct outcome *o = &outcomes[p][i][kind];

			o->value = prm_get_bits(page, row->bit, row->width);
			is = row->probe(dut, o->value, row->arg);
			o->good = row->flag ? is == !!o->value : is;
		}
	}
}

static void run_function(const struct card *card, enum kind kind)
{
	static const enum cap_type types[] = { CAP_GENERAL, CAP_ETH, CAP_ATOMIC, CAP_ROCE,
					       CAP_FLOW_NIC, CAP_QOS, CAP_DEBUG, CAP_DEVICE_MEM,
					       CAP_EVENT, CAP_ODP, CAP_PORT_SELECTION };
	struct dut *dut = dut_create_card("a", 3, kind == VF ? card_vf(card) : card), *other;
	struct cxdev *devs[LAG_PORTS] = { dut->dev };
	struct dut_wq rq;
	unsigned int i;

	if (kind == TWO_PORTS) {
		other = dut_create_card("b", 4, card);
		devs[1] = other->dev;
		adapter_join(devs);
	}
	rq = dut_create_rq(dut, 4, 6, NULL);
	env.cqn = rq.cq.num;
	env.rqn = rq.num;
	env.tirn = dut_direct_tir(dut, rq.num);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		check_complete(dut, card->name, kinds[kind], types[i]);
	probe_all(dut, kind);
	dut_destroy(dut);
	if (kind == TWO_PORTS) {
		check_complete(other, card->name, "second port", CAP_GENERAL);
		check_complete(other, card->name, "second port", CAP_PORT_SELECTION);
		dut_destroy(other);
	}
}

static bool all_zero(const struct outcome *o)
{
	return !o[PF].value && !o[VF].value && !o[TWO_PORTS].value;
}

/* ---- changed capabilities ---- */

/* What is only said when a fault has changed it: the function does what it can do, all the same. */
static const char *const only_said[] = {
	/* of packets, WQEs and keys */
	"log_max_klm_list_size", "log_max_mrw_sz", "log_pg_sz", "max_wqe_sz_sq", "max_wqe_sz_rq",
	"imaicl", "umr_ptr_rlky", "qkv", "pkv", "csum_cap", "vlan_cap", "max_lso_cap",
	"atomic_operations", "atomic_size_qp", "atomic_size_dc",
	"r_roce_dest_udp_port", "r_roce_min_src_udp_port",
	/* of the function and its registers */
	"vhca_id", "port_type", "num_ports", "native_port_num", "cqe_version", "cmdif_checksum",
	"bf", "log_bf_reg_size", "num_of_uars_per_page", "uar_sz", "device_frequency_mhz",
	"device_frequency_khz", "local_ca_ack_delay", "ets", "max_tc", "dcbx", "qcam_reg",
	"sbcam_reg", "vport_group_manager", "events of queues", "events of the port",
	/* what drivers do not ask for, and what they ask a number of */
	"vport_counters", "out_of_seq_cnt", "retransmission_q_counters",
	"enhanced_error_q_counters", "supported_atomic_req_8B_endianness_mode_1",
	"nic_rx_multi_path_tirs", "nic_rx_multi_path_tirs_fts",
	"log_max_current_mc_list", "log_max_vlan_list", "log_min_stride_sz_rq",
	"log_max_stride_sz_sq", "log_min_stride_sz_sq", "max_flow_counter_15_0",
	"log_max_flow_counter_bulk", "log_max_flow_counter", "modify_root", "log_max_eq_sz",
	"log_max_mcg", "max_qp_mcg", "nic_vport_change_event", "log_max_stride_sz_rq",
	"log_max_ft_num", "log_max_destination",
	"increment_size_sup", "test_and_set_size_sup", "log_min_memic_alloc_size",
	"ft_field_support.outer_dmac", "ft_field_support.outer_ether_type",
	"ft_field_support.outer_first_vid", "ft_field_support.outer_ip_protocol",
};

/* Obeyed, but these probes look at the card; and sets, of which less by one says nothing. */
static const char *const not_probed[] = {
	"log_max_qp", "log_max_cq", "log_max_srq", "log_max_mkey", "log_max_pd", "log_max_rq",
	"log_max_sq", "log_max_rmp", "log_max_rqt", "log_max_umem", "l3_type", "roce_version",
};

static bool is_in(const char *const *list, unsigned int n, const char *name)
{
	while (n--)
		if (!strcmp(list[n], name))
			return true;
	return false;
}

static bool find_cap(enum cap_type type, const struct cap_row *row, struct cap *cap)
{
#define FIELDS(type, layout)[type] = prm_fields_##layout,
	static const struct prm_field *const fields[CAP_TYPES] = { CAP_PAGES(FIELDS) };

	*cap = (struct cap){ type, fields[type] };
	while (cap->field->width &&
	       (cap->field->bit != row->bit || cap->field->width != row->width))
		cap->field++;
	return cap->field->width;
}

/* As if the function had been started since. */
static void change(struct dut *dut, const struct cap *cap, uint64_t value)
{
	hca_cap_change(dut->dev, cap, value);
	hca_caps_reset(dut->dev);
}

static void restore(struct dut *dut)
{
	hca_caps_restore(dut->dev);
	hca_caps_reset(dut->dev);
}

/* Of tables of RoCE packets only that there are none is obeyed. */
static bool only_says(const struct cap_page *page, const struct cap_row *row)
{
	if (page->table_type == PRM_FT_RDMA_RX || page->table_type == PRM_FT_RDMA_TX)
		return strcmp(row->name, "ft_support");
	return is_in(only_said, ARRAY_SIZE(only_said), row->name) ||
	       !strncmp(row->name, "ft_field_bitmask_support.", 25);
}

/* A flag is taken, a value is less by one: the probe sees that. */
static void check_changed(struct dut *dut, const struct cap_page *page, const struct cap_row *row)
{
	struct cap cap;
	uint32_t value;
	bool is, good, said = only_says(page, row);

	if (!find_cap(page->type, row, &cap) ||
	    is_in(not_probed, ARRAY_SIZE(not_probed), row->name))
		return;
	value = cap_get(&cap, dut->dev->hca->cap_cur[page->type]);
	if (!value)
		return;
	value--;
	change(dut, &cap, value);
	is = row->probe(dut, value, row->arg);
	good = row->flag ? !is : is;
	restore(dut);
	ktap(good != said, "%s.%s %u is %s", page->name, row->name, value,
	     said ? "only said" : "obeyed");
}

static int alloc_pd(struct dut *dut)
{
	struct prm_alloc_pd_in in = {};
	struct prm_alloc_pd_out out;

	return dut_cmd(dut, alloc_pd, &in, &out);
}

static void change_named(struct dut *dut, const char *name, uint32_t value)
{
	struct cap cap;

	if (cap_find(name, &cap))
		change(dut, &cap, value);
}

/* The device has a PD already. */
static void check_numbers_and_sets(struct dut *dut)
{
	change_named(dut, "log_max_pd", 1);
	ktap(!alloc_pd(dut) && alloc_pd(dut) == PRM_STATUS_NO_RES,
	     "with log_max_pd 1 there are two PDs");
	restore(dut);
	change_named(dut, "roce_cap.roce_version", PRM_ROCE_CAP_V1);
	ktap(set_address(dut, 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV4) &&
	     !set_address(dut, 1, PRM_ROCE_V1, 0), "without RoCE v2 there are addresses of v1");
	restore(dut);
	change_named(dut, "roce_cap.l3_type", PRM_ROCE_CAP_L3_IPV6);
	ktap(set_address(dut, 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV4) &&
	     !set_address(dut, 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV6),
	     "without IPv4 there are addresses of IPv6");
	change_named(dut, "roce_cap.l3_type", PRM_ROCE_CAP_L3_IPV4);
	ktap(!set_address(dut, 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV4) &&
	     set_address(dut, 1, PRM_ROCE_V2, PRM_ROCE_L3_IPV6),
	     "without IPv6 there are addresses of IPv4");
	restore(dut);
}

static void run_changed(const struct card *card)
{
	struct dut *dut = dut_create_card("a", 3, card);
	struct dut_wq rq = dut_create_rq(dut, 4, 6, NULL);
	unsigned int p, i;

	env.cqn = rq.cq.num;
	env.rqn = rq.num;
	env.tirn = dut_direct_tir(dut, rq.num);
	for (p = 0; p < PAGES; p++) {
		env.table_type = pages[p].table_type;
		for (i = 0; i < pages[p].n; i++)
			check_changed(dut, &pages[p], &pages[p].rows[i]);
	}
	check_numbers_and_sets(dut);
	dut_destroy(dut);
}

/* One result for each field; fields that are rightly 0 share one for the page. */
static void report_page(const struct card *card, const struct cap_page *page,
			struct outcome (*outcome)[KINDS])
{
	unsigned int i, kind;

	for (i = 0; i < page->n; i++) {
		const struct outcome *o = outcome[i];
		bool good = o[PF].good && o[VF].good && o[TWO_PORTS].good;

		for (kind = 0; kind < KINDS; kind++)
			if (!o[kind].good)
				printf("# as %s: %u\n", kinds[kind], o[kind].value);
		if (!good || !all_zero(o))
			ktap(good,
			     "%s: %s.%s is as advertised",
			     card->name, page->name, page->rows[i].name);
	}
	ktap(true, "%s: %s: fields that are 0 are as advertised", card->name, page->name);
}

int main(void)
{
	const struct card *card;
	unsigned int c, kind, p;

	ktap_plan(0);
	card_dcb = true;
	card_devx = true;
	card_memory_faults = true;
	list_pages();
	for (c = 0; (card = card_nth(c)); c++) {
		for (kind = 0; kind < KINDS; kind++)
			run_function(card, kind);
		for (p = 0; p < PAGES; p++)
			report_page(card, &pages[p], outcomes[p]);
	}
	run_changed(card_find("cx5", 3));
	return ktap_end();
}
