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

#define ROWS_MAX 128
#define PAGES 7

/* The first page comes in two lists. */
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
		{ "flow", CAP_FLOW_NIC, caps_flow, caps_flow_n },
		{ "port selection", CAP_PORT_SELECTION, caps_port, caps_port_n },
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
		env.table_type = pages[p].type == CAP_PORT_SELECTION ? PRM_FT_PORT_SEL :
								       PRM_FT_NIC_RX;
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
					       CAP_FLOW_NIC, CAP_PORT_SELECTION };
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
	list_pages();
	for (c = 0; (card = card_nth(c)); c++) {
		for (kind = 0; kind < KINDS; kind++)
			run_function(card, kind);
		for (p = 0; p < PAGES; p++)
			report_page(card, &pages[p], outcomes[p]);
	}
	return ktap_end();
}
