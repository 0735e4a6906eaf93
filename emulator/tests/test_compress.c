// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Compressed and padded completions of Ethernet receive queues, read as drivers do. */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "queue/queue.h"
#include "vfu_client.h"

#define LOG_RQ 7
#define BURST 100

static struct dut *a, *b;
static struct dut_wq sq, rq;
static enum prm_mini_cqe_format format;

/* A completion, and the number of those that came in one CQE with it; 0: it is not the first. */
struct completion {
	struct prm_cqe64 cqe;
	unsigned int of;
};

static struct completion got[2 * BURST];
static unsigned int n_got;

static void compressed(struct prm_cqc *ctx)
{
	prm_set(ctx, cqe_comp_en, 1);
	prm_set(ctx, mini_cqe_res_format, format);
}

static void small(struct prm_cqc *ctx)
{
	compressed(ctx);
	prm_set(ctx, log_cq_size, 4);
}

static void padded(struct prm_cqc *ctx)
{
	prm_set(ctx, cqe_sz, PRM_CQE_SZ_128_PAD);
	prm_set(ctx, log_cq_size, prm_get(ctx, log_cq_size) - 1);
}

/* A TIR that hashes, over a table of the one queue. */
static uint32_t hash_tir(void)
{
	struct prm_create_rqt_in rqt = {};
	struct prm_create_rqt_out rqt_out;
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;
	__be32 list[1] = { cpu_to_be32(rq.num) };

	prm_set(&rqt, rqt_context.rqt_max_size, 1);
	prm_set(&rqt, rqt_context.rqt_actual_size, 1);
	dut_check(dut_cmd_tail(b, create_rqt, &rqt, &rqt_out, list, sizeof(list)), "create_rqt");
	prm_set(&in, ctx.disp_type, PRM_TIR_INDIRECT);
	prm_set(&in, ctx.indirect_table, prm_get(&rqt_out, rqtn));
	prm_set(&in, ctx.transport_domain, b->td);
	prm_set(&in, ctx.rx_hash_fn, PRM_RX_HASH_TOEPLITZ);
	memset(prm_bytes(&in, ctx.rx_hash_toeplitz_key), 0x5a, 40);
	prm_set(&in, ctx.rx_hash_field_selector_outer.selected_fields,
		PRM_RX_HASH_SRC_IP | PRM_RX_HASH_DST_IP | PRM_RX_HASH_L4_SPORT |
			PRM_RX_HASH_L4_DPORT);
	dut_must(b, create_tir, &in, &out);
	return prm_get(&out, tirn);
}

static void set_up(void (*edit_cq)(struct prm_cqc *ctx))
{
	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	sq = dut_create_sq(a, LOG_RQ, NULL);
	dut_edit_cq = edit_cq;
	/* Of its CQ the edit may change the size. */
	rq = dut_create_rq(b, LOG_RQ, 6, NULL);
	dut_edit_cq = NULL;
	dut_receive_all(b, hash_tir());
	n_got = 0;
}

static void tear_down(void)
{
	dut_run();
	dut_destroy(a);
	dut_destroy(b);
}

static void write_packet(const struct flow *flow)
{
	uint8_t *wqe = dut_wqe(a, &sq, PRM_WQE_SEND, 3, PRM_WQE_CE_ALWAYS);
	struct prm_wqe_eth_seg *eseg = (void *)(wqe + 16);
	uint64_t buf = dut_alloc(a, 2048);

	eseg->cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM;
	dut_data_seg(a, (void *)(wqe + 32), buf, make_packet(dut_ptr(a, buf), flow));
	sq.pi++;
}

/* @n packets of different lengths and flows at once; number @odd (if there is one) is of UDP. */
static void burst(unsigned int n, unsigned int odd)
{
	struct flow flow = tcp4;
	uint16_t start = sq.pi;
	unsigned int i;

	for (i = 0; i < n; i++) {
		flow.payload = 10 + i;
		flow.sport = 1000 + i;
		flow.proto = i == odd ? 17 : 6;
		dut_post_rq(b, &rq, 2048);
		write_packet(&flow);
	}
	n = sq.pi - start;
	sq.pi = start;
	dut_ring(a, &sq, n);
	while (dut_poll(a, &sq.cq))
		;
}

/* Entry @index of the CQ of @rq. */
static void *entry(uint32_t index)
{
	return dut_ptr(b, rq.cq.buf + (index & ((1u << rq.cq.log) - 1)) * 64);
}

/*
 * Takes the completions of a compressed one apart: the array of the first eight is behind it, the
 * next ones in its eighth entry and so on. The driver makes all of the entries its own.
 */
static void take_apart(const struct prm_cqe64 *first, uint32_t at)
{
	const struct prm_mini_cqe *minis = entry(at + 1);
	struct prm_cqe64 title = *first;
	unsigned int n = be32toh(title.byte_cnt), i;

	for (i = 0; i < n; i++) {
		struct completion *to = &got[n_got++];

		if (i && i % PRM_MINI_CQES == 0)
			minis = entry(at + i);
		to->cqe = title;
		to->of = i ? 0 : n;
		to->cqe.byte_cnt = minis[i % PRM_MINI_CQES].byte_cnt;
		to->cqe.wqe_counter = htobe16(be16toh(title.wqe_counter) + i);
		if (format == PRM_MINI_CQE_HASH)
			to->cqe.rss_hash_result = minis[i % PRM_MINI_CQES].rss_hash_result;
		else
			to->cqe.check_sum = minis[i % PRM_MINI_CQES].check_sum;
	}
	for (i = 0; i < n; i++)
		((struct prm_cqe64 *)entry(at + i))->op_own =
			PRM_CQE_INVALID << PRM_CQE_OPCODE_SHIFT | ((at + i) >> rq.cq.log & 1);
	rq.cq.ci = at + n;
	dut_store(b, rq.cq.dbr, rq.cq.ci & 0xffffff);
}

static void receive(void)
{
	const struct prm_cqe64 *cqe;

	while ((cqe = dut_poll(b, &rq.cq))) {
		if ((cqe->op_own >> PRM_CQE_FORMAT_SHIFT & 3) == PRM_CQE_COMPRESSED)
			take_apart(cqe, rq.cq.ci - 1);
		else
			got[n_got++] = (struct completion){ *cqe, 1 };
	}
}

/* Are these as without compression? @format says which of hash and checksum survives. */
static bool are_alike(const struct completion *plain, unsigned int n)
{
	unsigned int i;
	bool alike = n_got == n;

	for (i = 0; alike && i < n; i++) {
		const struct prm_cqe64 *x = &plain[i].cqe, *y = &got[i].cqe;

		alike = x->byte_cnt == y->byte_cnt && x->wqe_counter == y->wqe_counter &&
			x->l4_l3_hdr_type == y->l4_l3_hdr_type &&
			x->hds_ip_ext == y->hds_ip_ext && x->srqn == y->srqn &&
			(format == PRM_MINI_CQE_HASH ? x->rss_hash_result == y->rss_hash_result :
						       x->check_sum == y->check_sum);
	}
	return alike;
}

static void test_formats(void)
{
	static struct completion plain[BURST];
	static const char * const names[] = { "hash", "checksum" };
	unsigned int f;

	set_up(NULL);
	burst(BURST, BURST);
	receive();
	memcpy(plain, got, sizeof(plain));
	ktap(n_got == BURST && plain[1].cqe.rss_hash_result != plain[2].cqe.rss_hash_result &&
	     plain[1].cqe.check_sum != plain[2].cqe.check_sum && plain[99].of == 1,
	     "without compression each packet has a completion");
	tear_down();
	for (f = 0; f < 2; f++) {
		format = f ? PRM_MINI_CQE_CSUM : PRM_MINI_CQE_HASH;
		set_up(compressed);
		burst(BURST, BURST);
		receive();
		ktap(are_alike(plain, BURST),
		     "%s: length and %s of each packet survive, all else is that of the first",
		     names[f], names[f]);
		ktap(got[0].of == CQE_SESSION_MAX && got[64].of == BURST - CQE_SESSION_MAX,
		     "%s: sessions have 64 completions at most", names[f]);
		ktap(b->dev->hca->compressed == BURST && !dut_violations(a) && !dut_violations(b),
		     "%s: they are counted, and none is a violation", names[f]);
		tear_down();
	}
}

static void test_sessions(void)
{
	unsigned int n, i;
	bool right = true;

	format = PRM_MINI_CQE_CSUM;
	set_up(compressed);
	burst(1, 1);
	receive();
	ktap(n_got == 1 && got[0].of == 1, "a single packet is not compressed");
	for (n = 2; n <= 40; n++) {
		n_got = 0;
		burst(n, n);
		receive();
		right = right && n_got == n && got[0].of == n;
		for (i = 0; i < n_got; i++)
			right = right && be32toh(got[i].cqe.byte_cnt) == 54 + 10 + i;
	}
	ktap(right, "bursts of 2 to 40 packets are compressed, also at the end of the CQ");
	n_got = 0;
	burst(20, 7);
	receive();
	ktap(n_got == 20 && got[0].of == 7 && got[7].of == 1 && got[8].of == 12,
	     "a packet of another type is not in the session");
	ktap(!dut_violations(b), "none of this is a violation");
	tear_down();
}

static void test_limits(void)
{
	struct cap cap;

	set_up(compressed);
	if (!cap_find("cqe_compression_max_num", &cap) || hca_cap_change(b->dev, &cap, 5))
		exit(1);
	hca_caps_reset(b->dev);	/* as if it had been started since */
	burst(12, 12);
	receive();
	ktap(n_got == 12 && got[0].of == 5 && got[5].of == 5 && got[10].of == 2,
	     "a session has no more completions than are announced");
	tear_down();
	set_up(small);
	burst(20, 20);
	ktap(b->dev->hca->vnic.cq_overruns == 1 && dut_violations(b),
	     "completions that wait to be compressed take up room: the CQ overruns");
	tear_down();
}

/* The queue stops at a buffer that is too small. */
static void test_error(void)
{
	struct flow flow = tcp4;
	uint16_t start = sq.pi;
	unsigned int i;

	set_up(compressed);
	start = sq.pi;
	for (i = 0; i < 5; i++) {
		dut_post_rq(b, &rq, i == 3 ? 64 : 2048);
		write_packet(&flow);
	}
	sq.pi = start;
	dut_ring(a, &sq, 5);
	receive();
	ktap(n_got >= 4 && got[0].of == 3 &&
	     got[3].cqe.op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_RESP_ERR,
	     "an error comes behind the session, and is not compressed");
	tear_down();
}

/* A session is written before what a command says of the CQ. */
static void test_query(void)
{
	struct prm_query_cq_in in = {};
	struct prm_query_cq_out out;

	set_up(compressed);
	burst(3, 3);
	prm_set(&in, cqn, rq.cq.num);
	dut_must(b, query_cq, &in, &out);
	ktap(prm_get(&out, cq_context.producer_counter) == 3, "all completions of a session count");
	tear_down();
}

static void test_padding(void)
{
	const struct prm_cqe64 *cqe;
	uint8_t *half;
	bool written = true;
	unsigned int i;

	set_up(padded);
	half = dut_ptr(b, rq.cq.buf);
	memset(half, 0xff, 64);
	burst(1, 1);
	cqe = (void *)(half + 64);
	for (i = 0; i < 64; i++)
		written = written && !half[i];
	ktap(written && be32toh(cqe->byte_cnt) == 64 &&
	     cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_RESP_SEND,
	     "a CQE of 64 bytes is padded to 128, all of which are written");
	tear_down();
}

int main(void)
{
	ktap_plan(16);
	test_formats();
	test_sessions();
	test_limits();
	test_error();
	test_query();
	test_padding();
	return ktap_end();
}
