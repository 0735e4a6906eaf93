// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Ethernet queues: from an SQ over the wire to an RQ; offloads, errors, refusals. */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "prm/vport.h"
#include "vfu_client.h"

static struct dut *a, *b;
static struct dut_wq sq, rq; /* a sends, b receives everything */

static void set_up(void (*edit_sq)(struct prm_sqc *), void (*edit_rq)(struct prm_rqc *))
{
	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	sq = dut_create_sq(a, 6, edit_sq);
	rq = dut_create_rq(b, 4, 6, edit_rq);
	dut_receive_all(b, dut_direct_tir(b, rq.num));
}

static void tear_down(void)
{
	dut_run();
	dut_destroy(a);
	dut_destroy(b);
}

/* Sends, takes both completions, returns the received bytes (NULL: something is missing). */
static const uint8_t *pass(const uint8_t *packet, uint32_t len, unsigned int cs_flags,
			   const struct prm_cqe64 **rx)
{
	const struct prm_cqe64 *tx;
	uint64_t buf = dut_post_rq(b, &rq, 4096);
	uint16_t index = sq.pi;

	dut_send(a, &sq, packet, len, cs_flags);
	tx = dut_poll(a, &sq.cq);
	*rx = dut_poll(b, &rq.cq);
	if (!tx || tx->op_own >> 4 != PRM_CQE_REQ || be16toh(tx->wqe_counter) != index || !*rx ||
	    (*rx)->op_own >> 4 != PRM_CQE_RESP_SEND)
		return NULL;
	return dut_ptr(b, buf);
}

static void test_pass(void)
{
	struct flow flow = tcp4;
	uint8_t packet[2048], inner[2048];
	const struct prm_cqe64 *cqe;
	const uint8_t *got;
	uint32_t len, i;
	bool same = true;

	set_up(NULL, NULL);
	for (i = 0; i < 40; i++) {
		flow.ip = 0;
		flow.proto = 0;
		flow.payload = 46 + i * 30;
		len = make_packet(packet, &flow);
		memcpy(inner, packet, len);
		got = pass(packet, len, 0, &cqe);
		same = same && got && be32toh(cqe->byte_cnt) == len && !memcmp(got, inner, len) &&
		       be16toh(cqe->wqe_counter) == i && (be32toh(cqe->srqn) & 0xffffff) == 0xdef;
	}
	ktap(same, "40 packets of growing length arrive unchanged while the RQ wraps");
	ktap(a->dev->eth->counters.tx_unicast.packets == 40 &&
	     b->dev->eth->counters.rx_unicast.packets == 40,
	     "the vport counters of both sides count them");
	len = make_packet(packet, &(struct flow){ .dmac = { 1 },
			  .smac = { 2, 0xc4, 0, 0, 0, 1 },
						  .vlan = -1,
						  .payload = 4 });
	got = pass(packet, len, 0, &cqe);
	ktap(got && be32toh(cqe->byte_cnt) == 60, "a short frame is padded to 60 bytes");
	ktap(!dut_violations(a) && !dut_violations(b), "sending frames causes no violation");
	tear_down();
}

static void test_checksum(void)
{
	static const struct {
		const char *name;
		unsigned int ip;
		uint8_t proto;
		int vlan;
		uint32_t payload;
	} cases[] = {
		{ "TCP over IPv4", 4, 6, -1, 200 },
		{ "UDP over IPv4", 4, 17, -1, 333 },
		{ "TCP over IPv6", 6, 6, -1, 1 },
		{ "UDP over IPv6", 6, 17, -1, 1400 },
		{ "TCP over IPv4 in a VLAN", 4, 6, 100, 99 },
	};
	const struct prm_cqe64 *cqe;
	uint8_t packet[2048];
	unsigned int i;

	set_up(NULL, NULL);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct flow flow = tcp4;
		const uint8_t *got;
		uint32_t len;
		uint8_t want = PRM_CQE_L2_OK | PRM_CQE_L3_OK | PRM_CQE_L4_OK;
		unsigned int l4 = PRM_CQE_L4_UDP;
		unsigned int l3 = PRM_CQE_L3_IPV6;

		if (cases[i].proto == 6)
			l4 = PRM_CQE_L4_TCP_ACK_AND_DATA;
		if (cases[i].ip == 4)
			l3 = PRM_CQE_L3_IPV4;

		flow.ip = cases[i].ip;
		flow.proto = cases[i].proto;
		flow.payload = cases[i].payload;
		len = make_packet(packet, &flow);
		got = pass(packet, len, PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM, &cqe);
		ktap(got && !wrong_checksum(got, len),
		     "%s: checksum offload inserts valid checksums",
		     cases[i].name);
		ktap(got && cqe->hds_ip_ext == want && cqe->l4_l3_hdr_type == (l4 << 4 | l3 << 2),
		     "%s: the receiver's CQE has the right checksum flags and types",
		     cases[i].name);
		got = pass(packet, len, 0, &cqe);
		/* UDP over IPv4 may go without a checksum. */
		ktap(got && !(cqe->hds_ip_ext & PRM_CQE_L4_OK) ==
				     (cases[i].ip == 6 || cases[i].proto == 6),
		     "%s: without offload the receiver checks the zero checksum", cases[i].name);
		memset(packet + (flow.ip == 4 ? 34 : 54) + (flow.proto == 6 ? 16 : 6), 0xa5, 2);
		got = pass(packet, len, PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM, &cqe);
		ktap(got && !wrong_checksum(got, len), "%s: the offload replaces what was there",
		     cases[i].name);
	}
	ktap(!dut_violations(a) && !dut_violations(b), "checksum offload causes no violation");
	tear_down();
}

/* The sum that CHECKSUM_COMPLETE needs: over the IP packet, without inversion. */
static void test_check_sum(void)
{
	const struct prm_cqe64 *cqe;
	struct flow flow = tcp4;
	uint8_t packet[2048];
	uint32_t len, sum = 0, i;
	const uint8_t *got;

	set_up(NULL, NULL);
	len = make_packet(packet, &flow);
	got = pass(packet, len, PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM, &cqe);
	for (i = 14; got && i < len; i += 2)
		sum += got[i] << 8 | (i + 1 < len ? got[i + 1] : 0);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	ktap(got && be16toh(cqe->check_sum) == sum, "check_sum is the sum of the IP packet");
	tear_down();
}

struct lso_seen {
	unsigned int n;
	uint32_t bytes;
	bool right;
};

static struct {
	uint32_t hdr, mss, total;
	uint8_t packet[8192];
} lso;

static bool lso_sink(void *arg, const struct frame *frame)
{
	struct lso_seen *seen = arg;
	const uint8_t *ip = frame->data + 14, *tcp = ip + (lso.packet[12] == 8 ? 20 : 40);
	uint32_t n = lso.total - seen->bytes < lso.mss ? lso.total - seen->bytes : lso.mss, seq;
	bool last = seen->bytes + n == lso.total, first = !seen->n;
	unsigned int flags = 0x10 | (last ? 0x09 : 0) | (first ? 0x80 : 0);

	memcpy(&seq, tcp + 4, 4);
	seen->right = seen->right && frame->len == (lso.hdr + n < 60 ? 60 : lso.hdr + n) &&
		      !wrong_checksum(frame->data, frame->len) &&
		      be32toh(seq) == 1000u + seen->bytes && tcp[13] == flags &&
		      !memcmp(frame->data + lso.hdr, lso.packet + lso.hdr + seen->bytes, n) &&
		      (lso.packet[12] != 8 || (ip[4] << 8 | ip[5]) == 0x1234 + (int)seen->n);
	seen->n++;
	seen->bytes += n;
	return true;
}

/* One LSO WQE: headers inline, payload in two data segments. */
static void send_lso(uint32_t mss)
{
	unsigned int inline_ds = (lso.hdr - 2 + 15) / 16, ds = 2 + inline_ds + 2,
		     half = lso.total / 2;
	uint8_t raw[256] = {};
	struct prm_wqe_eth_seg *eseg = (void *)(raw + 16);
	struct prm_wqe_data_seg *seg = (void *)(raw + 32 + inline_ds * 16);
	uint64_t buf = dut_alloc(a, lso.total);
	uint8_t *wqe;

	wqe = dut_wqe(a, &sq, PRM_WQE_LSO, ds, PRM_WQE_CE_ALWAYS);
	memcpy(dut_ptr(a, buf), lso.packet + lso.hdr, lso.total);
	memcpy(raw, wqe, 16);
	eseg->cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM;
	eseg->mss = htobe16(mss);
	eseg->inline_hdr_sz = htobe16(lso.hdr);
	memcpy(raw + 30, lso.packet, lso.hdr);
	dut_data_seg(a, &seg[0], buf, half);
	dut_data_seg(a, &seg[1], buf + half, lso.total - half);
	memcpy(wqe, raw, ds * 16);
	lso.mss = mss;
	dut_ring(a, &sq, (ds + 3) / 4);
}

static void test_lso(void)
{
	static const struct {
		const char *name;
		unsigned int ip;
		uint32_t payload, mss;
	} cases[] = {
		{ "LSO over IPv4: 3001 bytes in segments of 1000", 4, 3001, 1000 },
		{ "LSO over IPv6: 5000 bytes in segments of 1400", 6, 5000, 1400 },
		{ "LSO of a single segment", 4, 700, 1448 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lso_seen seen = { .right = true };
		struct port *sink;
		struct flow flow = tcp4;
		uint32_t len;

		set_up(NULL, NULL);
		sink = port_create(NULL, "sink");
		port_set_sink(sink, lso_sink, &seen);
		flow.dmac[0] = 0x03; /* a group address: the sink gets it too */
		flow.ip = cases[i].ip;
		flow.payload = cases[i].payload;
		len = make_packet(lso.packet, &flow);
		lso.total = cases[i].payload;
		lso.hdr = len - lso.total;
		lso.packet[lso.hdr - 20 + 4] = 0;
		memcpy(lso.packet + lso.hdr - 16, (uint8_t[]){ 0, 0, 1000 >> 8, 1000 & 0xff }, 4);
		lso.packet[lso.hdr - 7] = 0x99; /* CWR, ACK, PSH, FIN */
		send_lso(cases[i].mss);
		dut_run();
		ktap(seen.right && seen.bytes == lso.total &&
		     seen.n == (lso.total + cases[i].mss - 1) / cases[i].mss &&
			     dut_poll(a, &sq.cq) && !dut_violations(a),
		     "%s", cases[i].name);
		port_destroy(sink);
		tear_down();
	}
}

static bool datagram_sink(void *arg, const struct frame *frame)
{
	struct lso_seen *seen = arg;
	const uint8_t *udp = frame->data + 34;

	seen->right = seen->right && frame->len == 42 + lso.mss &&
		      get16(udp + 4) == 8 + lso.mss && !wrong_checksum(frame->data, frame->len);
	seen->n++;
	return true;
}

static void test_datagrams(void)
{
	struct lso_seen seen = { .right = true };
	struct port *sink;
	struct flow flow = tcp4;

	set_up(NULL, NULL);
	sink = port_create(NULL, "sink");
	port_set_sink(sink, datagram_sink, &seen);
	flow.dmac[0] = 0x03;
	flow.proto = 17;
	flow.payload = 1000;
	make_packet(lso.packet, &flow);
	lso.hdr = 42;
	lso.total = 3000;
	send_lso(1000);
	dut_run();
	ktap(seen.right && seen.n == 3 && dut_poll(a, &sq.cq) && !dut_violations(a),
	     "LSO of three datagrams");
	port_destroy(sink);
	tear_down();
}

/* Adds one of type 802.1ad before all others. Returns the length. */
static uint32_t add_service_tag(uint8_t *packet, uint32_t len, uint16_t tag)
{
	memmove(packet + 16, packet + 12, len - 12);
	memcpy(packet + 12, (uint8_t[]){ 0x88, 0xa8, tag >> 8, tag & 0xff }, 4);
	return len + 4;
}

static void keep_tags(struct prm_rqc *ctx)
{
	prm_set(ctx, vsd, 1);
}

static void test_vlan(void)
{
	struct prm_wqe_eth_seg *eseg;
	const struct prm_cqe64 *cqe;
	struct flow flow = tcp4;
	uint8_t packet[2048], *wqe;
	const uint8_t *got;
	uint64_t buf, rx;
	uint32_t len;

	set_up(NULL, NULL);
	len = make_packet(packet, &flow);
	buf = dut_alloc(a, len);
	memcpy(dut_ptr(a, buf), packet, len);
	rx = dut_post_rq(b, &rq, 4096);
	wqe = dut_wqe(a, &sq, PRM_WQE_SEND, 3, 0);
	eseg = (void *)(wqe + 16);
	eseg->inline_hdr_sz = htobe16(PRM_WQE_ETH_INSERT_VLAN);
	memcpy(eseg->inline_hdr_start, (uint8_t[]){ 0x60, 0x64 }, 2);
	dut_data_seg(a, (void *)(wqe + 32), buf, len);
	dut_ring(a, &sq, 1);
	cqe = dut_poll(b, &rq.cq);
	ktap(cqe && (cqe->l4_l3_hdr_type & PRM_CQE_VLAN) && be16toh(cqe->vlan_info) == 0x6064 &&
	     be32toh(cqe->byte_cnt) == len && !memcmp(dut_ptr(b, rx), packet, len),
	     "a VLAN tag that the WQE inserts is stripped into the CQE");
	ktap(!dut_poll(a, &sq.cq), "an unsignaled WQE does not complete");

	flow.vlan = 7;
	len = make_packet(packet, &flow);
	got = pass(packet, len, 0, &cqe);
	ktap(got && (cqe->l4_l3_hdr_type & PRM_CQE_VLAN) && be16toh(cqe->vlan_info) == 7 &&
	     be32toh(cqe->byte_cnt) == len - 4 && got[12] == 0x08,
	     "a VLAN tag of the packet is stripped");

	len = add_service_tag(packet, len, 100);
	got = pass(packet, len, 0, &cqe);
	ktap(got && (cqe->l4_l3_hdr_type & PRM_CQE_VLAN) && be16toh(cqe->vlan_info) == 7 &&
	     be32toh(cqe->byte_cnt) == len - 4 && !memcmp(got, packet, 16) && got[16] == 0x08,
	     "also one behind an 802.1ad tag, which stays");
	tear_down();

	len = make_packet(packet, &flow);

	set_up(NULL, keep_tags);
	got = pass(packet, len, 0, &cqe);
	ktap(got && !(cqe->l4_l3_hdr_type & PRM_CQE_VLAN) && be32toh(cqe->byte_cnt) == len &&
	     got[12] == 0x81,
	     "with vsd the VLAN tag stays in the packet");
	tear_down();
}

/* ---- errors ---- */

static bool is_error(const void *cqe, unsigned int opcode, unsigned int syndrome,
		     unsigned int index)
{
	const struct prm_err_cqe *err = cqe;

	return err && err->op_own >> 4 == opcode && err->syndrome == syndrome &&
	       be16toh(err->wqe_counter) == index;
}

static unsigned int sq_state(struct dut *dut, uint32_t num)
{
	struct prm_query_sq_in in = {};
	struct prm_query_sq_out out;

	prm_set(&in, sqn, num);
	dut_must(dut, query_sq, &in, &out);
	return prm_get(&out, sq_context.state);
}

static void corrupt_lkey(uint8_t *wqe)
{
	((struct prm_wqe_data_seg *)(wqe + 32))->lkey = htobe32(0xdead00);
}

static void corrupt_opcode(uint8_t *wqe)
{
	wqe[3] = PRM_WQE_RDMA_WRITE;
}

static void corrupt_index(uint8_t *wqe)
{
	wqe[2] = 0x55;
}

static void corrupt_queue(uint8_t *wqe)
{
	wqe[6] ^= 1;
}

static void corrupt_size(uint8_t *wqe)
{
	wqe[7] = 12; /* 3 blocks, 2 are posted */
}

static void corrupt_flags(uint8_t *wqe)
{
	((struct prm_wqe_eth_seg *)(wqe + 16))->cs_flags = PRM_WQE_ETH_L4_INNER_CSUM;
}

static void corrupt_length(uint8_t *wqe)
{
	((struct prm_wqe_data_seg *)(wqe + 32))->byte_count = htobe32(20000);
}

static void corrupt_inline(uint8_t *wqe)
{
	((struct prm_wqe_eth_seg *)(wqe + 16))->inline_hdr_sz = htobe16(100);
}

static void test_sq_errors(void)
{
	static const struct {
		const char *name;
		void (*corrupt)(uint8_t *wqe);
		unsigned int syndrome;
	} cases[] = {
		{ "unknown lkey", corrupt_lkey, PRM_CQE_SYND_LOCAL_PROT },
		{ "RDMA opcode", corrupt_opcode, PRM_CQE_SYND_LOCAL_QP_OP },
		{ "wrong WQE index", corrupt_index, PRM_CQE_SYND_LOCAL_QP_OP },
		{ "wrong SQ number", corrupt_queue, PRM_CQE_SYND_LOCAL_QP_OP },
		{ "size beyond the producer index", corrupt_size, PRM_CQE_SYND_LOCAL_QP_OP },
		{ "inner checksum flags", corrupt_flags, PRM_CQE_SYND_LOCAL_QP_OP },
		{ "more data than fits a frame", corrupt_length, PRM_CQE_SYND_LOCAL_LENGTH },
		{ "inline header beyond the WQE", corrupt_inline, PRM_CQE_SYND_LOCAL_QP_OP },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct flow flow = tcp4;
		const struct prm_eqe *eqe;
		uint8_t packet[256], *wqe;
		uint32_t len = make_packet(packet, &flow);
		uint64_t buf;

		set_up(NULL, NULL);
		buf = dut_alloc(a, len);
		memcpy(dut_ptr(a, buf), packet, len);
		wqe = dut_wqe(a, &sq, PRM_WQE_SEND, 3, 0);
		dut_data_seg(a, (void *)(wqe + 32), buf, len);
		cases[i].corrupt(wqe);
		sq.pi++;
		dut_wqe(a, &sq, PRM_WQE_NOP, 1, PRM_WQE_CE_ALWAYS);
		dut_ring(a, &sq, 1);
		eqe = dut_ptr(a, a->eq_buf);
		ktap(is_error(dut_poll(a, &sq.cq), PRM_CQE_REQ_ERR, cases[i].syndrome, 0) &&
		     sq_state(a, sq.num) == PRM_WQ_ERR && dut_violations(a) &&
			     eqe->type == PRM_EVENT_WQ_CATAS_ERROR &&
			     (be32toh(eqe->data.qp_srq.qp_srq_n) & 0xffffff) == sq.num,
		     "SQ: %s: error completion, state, event", cases[i].name);
		if (cases[i].corrupt != corrupt_size)
			ktap(is_error(dut_poll(a, &sq.cq), PRM_CQE_REQ_ERR, PRM_CQE_SYND_WR_FLUSH,
				      1),
			     "SQ: %s: the next WQE is flushed", cases[i].name);
		tear_down();
	}
}

static void test_sq_recovery(void)
{
	const struct prm_cqe64 *cqe;
	struct flow flow = tcp4;
	uint8_t packet[256];

	set_up(NULL, NULL);
	dut_wqe(a, &sq, PRM_WQE_UMR, 1, 0);
	dut_ring(a, &sq, 1);
	dut_violations(a);
	ktap(dut_modify_sq(a, sq.num, PRM_WQ_ERR, PRM_WQ_RDY) == PRM_STATUS_BAD_RES_STATE,
	     "SQ: modifying ERR to RDY is refused");
	ktap(dut_modify_sq(a, sq.num, PRM_WQ_RDY, PRM_WQ_RST) == PRM_STATUS_BAD_RES_STATE,
	     "SQ: a wrong current state is refused");
	ktap(!dut_modify_sq(a, sq.num, PRM_WQ_ERR, PRM_WQ_RST), "SQ: ERR to RST is accepted");
	dut_violations(a);
	sq.pi = 0;
	dut_wqe(a, &sq, PRM_WQE_NOP, 1, 0);
	dut_ring(a, &sq, 1);
	ktap(dut_violations(a) == 1, "SQ: a doorbell in RST is a violation");
	sq.pi = 0;
	ktap(!dut_modify_sq(a, sq.num, PRM_WQ_RST, PRM_WQ_RDY), "SQ: RST to RDY is accepted");
	dut_poll(a, &sq.cq);
	ktap(pass(packet, make_packet(packet, &flow), 0, &cqe),
	     "SQ: after RST to RDY it sends again");
	sq_doorbell(a->dev, a->uar + 1, (uint64_t)sq.pi << 40 | sq.num << 8);
	ktap(dut_violations(a) == 1, "SQ: a doorbell on another UAR is a violation");
	tear_down();
}

/* A card whose scatter lists end with a key of its own */
static void test_terminator(void)
{
	struct prm_query_special_contexts_in in = {};
	struct prm_query_special_contexts_out out;
	struct prm_wqe_data_seg *seg;
	struct flow flow = tcp4;
	uint8_t packet[2048];
	uint32_t len = make_packet(packet, &flow), key;
	struct cap cap;

	set_up(NULL, NULL);
	cap_find("terminate_scatter_list_mkey", &cap);
	hca_cap_change(b->dev, &cap, 1);
	hca_caps_reset(b->dev);
	dut_must(b, query_special_contexts, &in, &out);
	key = prm_get(&out, terminate_scatter_list_mkey);
	dut_post_rq(b, &rq, 2048);
	seg = dut_ptr(b, rq.buf);
	seg[1].lkey = htobe32(key);
	dut_send(a, &sq, packet, len, 0);
	ktap(key != PRM_WQE_LKEY_TERMINATE && dut_poll(b, &rq.cq) && !dut_violations(b),
	     "RQ: a list ends with the key of QUERY_SPECIAL_CONTEXTS");
	dut_post_rq(b, &rq, 2048);
	dut_send(a, &sq, packet, len, 0);
	ktap(dut_poll(b, &rq.cq) && dut_violations(b) == 1,
	     "RQ: another one is a violation, on a card that has one of its own");
	tear_down();
}

static void test_rq_errors(void)
{
	struct prm_wqe_data_seg *seg;
	const struct prm_cqe64 *cqe;
	struct flow flow = tcp4;
	uint8_t packet[2048];
	uint32_t len = make_packet(packet, &flow);
	uint64_t first, second;

	set_up(NULL, NULL);
	dut_send(a, &sq, packet, len, 0);
	ktap(!dut_poll(b, &rq.cq) && b->dev->eth->counters.rx_no_buffer == 1,
	     "RQ: without a WQE the packet is dropped and counted");

	first = dut_post_rq(b, &rq, 64);
	second = dut_alloc(b, 4096);
	seg = dut_ptr(b, rq.buf);
	dut_data_seg(b, &seg[1], second, 4096);
	seg[2].lkey = htobe32(PRM_WQE_LKEY_TERMINATE);
	dut_send(a, &sq, packet, len, 0);
	cqe = dut_poll(b, &rq.cq);
	ktap(cqe && !memcmp(dut_ptr(b, first), packet, 64) &&
	     !memcmp(dut_ptr(b, second), packet + 64, len - 64),
	     "RQ: a packet is scattered over two buffers");

	dut_post_rq(b, &rq, 100);
	dut_post_rq(b, &rq, 100);
	dut_send(a, &sq, packet, len, 0);
	ktap(is_error(dut_poll(b, &rq.cq), PRM_CQE_RESP_ERR, PRM_CQE_SYND_LOCAL_LENGTH, 1) &&
	     dut_violations(b),
	     "RQ: a WQE that is too small completes with an error");
	ktap(is_error(dut_poll(b, &rq.cq), PRM_CQE_RESP_ERR, PRM_CQE_SYND_WR_FLUSH, 2),
	     "RQ: the next WQE is flushed");
	dut_send(a, &sq, packet, len, 0);
	ktap(b->dev->eth->counters.rx_queue_off == 1, "RQ: in ERR it drops packets");

	ktap(!dut_modify_rq(b, rq.num, PRM_WQ_ERR, PRM_WQ_RST) &&
	     !dut_modify_rq(b, rq.num, PRM_WQ_RST, PRM_WQ_RDY),
	     "RQ: ERR to RST to RDY is accepted");
	rq.pi = 0;
	dut_post_rq(b, &rq, 2048);
	((struct prm_wqe_data_seg *)dut_ptr(b, rq.buf))->lkey = htobe32(0xdead00);
	dut_send(a, &sq, packet, len, 0);
	ktap(is_error(dut_poll(b, &rq.cq), PRM_CQE_RESP_ERR, PRM_CQE_SYND_LOCAL_PROT, 0),
	     "RQ: an unknown lkey completes with an error");
	tear_down();
}

/* A WQE that goes round the end of the queue. */
static void test_wrap(void)
{
	const struct prm_cqe64 *cqe;
	struct flow flow = tcp4;
	uint8_t packet[256], *first, *second;
	uint32_t len = make_packet(packet, &flow), i;
	uint64_t rx;

	set_up(NULL, NULL);
	for (i = 0; i < 63; i++) {
		dut_wqe(a, &sq, PRM_WQE_NOP, 1, 0);
		dut_ring(a, &sq, 1);
	}
	rx = dut_post_rq(b, &rq, 2048);
	first = dut_wqe(a, &sq, PRM_WQE_SEND, 5, PRM_WQE_CE_ALWAYS);
	second = dut_ptr(a, sq.buf);
	memset(second, 0, 64);
	/*
	 * 34 inline bytes fill two units behind the segment's own two; the data segment stands in
	 * the first block
	 */
	((struct prm_wqe_eth_seg *)(first + 16))->inline_hdr_sz = htobe16(34);
	memcpy(first + 30, packet, 34);
	dut_data_seg(a, (void *)second, dut_alloc(a, len), len - 34);
	memcpy(dut_ptr(a, be64toh(((struct prm_wqe_data_seg *)second)->addr)), packet + 34,
	       len - 34);
	dut_ring(a, &sq, 2);
	cqe = dut_poll(b, &rq.cq);
	ktap(cqe && be32toh(cqe->byte_cnt) == len && !memcmp(dut_ptr(b, rx), packet, len) &&
	     !dut_violations(a),
	     "SQ: a WQE may wrap around the end of the queue");
	cqe = dut_poll(a, &sq.cq);
	ktap(cqe && be16toh(cqe->wqe_counter) == 63 &&
	     (be32toh(cqe->sop_drop_qpn) & 0xffffff) == sq.num &&
		     be32toh(cqe->sop_drop_qpn) >> 24 == PRM_WQE_SEND,
	     "SQ: the wrapped WQE completes");
	tear_down();
}

static void test_mtu(void)
{
	struct flow flow = tcp4;
	uint8_t packet[4096];

	set_up(NULL, NULL);
	flow.payload = 1519 - 54;
	dut_post_rq(b, &rq, 4096);
	dut_send(a, &sq, packet, make_packet(packet, &flow), 0);
	ktap(!dut_poll(b, &rq.cq) && dut_violations(a) == 1,
	     "a frame above the sender's port MTU is dropped as a violation");
	a->dev->eth->port_mtu = 9000;
	dut_send(a, &sq, packet, make_packet(packet, &flow), 0);
	ktap(!dut_poll(b, &rq.cq) && b->dev->eth->counters.rx_oversize.packets == 1,
	     "a frame above the receiver's port MTU is dropped and counted");
	b->dev->eth->port_mtu = 9000;
	dut_send(a, &sq, packet, make_packet(packet, &flow), 0);
	ktap(dut_poll(b, &rq.cq), "with the MTU raised on both sides the frame passes");
	tear_down();
}

/* A TCP packet with @n bytes inline, from a card of which the L2 header has to be. */
static bool passes_with_inline(unsigned int n, bool trust_dscp)
{
	const struct flow flow = tcp4;
	uint8_t packet[2048], *wqe, *data;
	uint32_t len = make_packet(packet, &flow);
	unsigned int ds = 3 + (n - 2 + 15) / 16;
	bool passed;
	uint64_t buf;

	set_up(NULL, NULL);
	prm_set((struct prm_per_protocol_networking_offload_caps *)a->dev->hca->cap_cur[CAP_ETH],
		wqe_inline_mode, PRM_INLINE_MODE_L2);
	port_qos(a->dev->port)->trust_dscp = trust_dscp;
	dut_post_rq(b, &rq, 2048);
	buf = dut_alloc(a, len);
	data = dut_ptr(a, buf);
	memcpy(data, packet + n, len - n);
	wqe = dut_wqe(a, &sq, PRM_WQE_SEND, ds, PRM_WQE_CE_ALWAYS);
	((struct prm_wqe_eth_seg *)(wqe + 16))->inline_hdr_sz = htobe16(n);
	memcpy(wqe + 30, packet, n);
	dut_data_seg(a, (void *)(wqe + 16 * (ds - 1)), buf, len - n);
	dut_ring(a, &sq, (ds + 3) / 4);
	passed = dut_poll(b, &rq.cq);
	ktap(passed == !dut_violations(a), "SQ: %u bytes inline, %s: %s", n,
	     trust_dscp ? "trust in DSCPs" : "trust in tags", passed ? "sent" : "a violation");
	tear_down();
	return passed;
}

static void test_dscp(void)
{
	ktap(passes_with_inline(14, false) && !passes_with_inline(14, true) &&
	     passes_with_inline(34, true),
	     "SQ: a card that reads headers in the WQE needs the IP header for a DSCP");
}

int main(void)
{
	ktap_plan(75);
	test_pass();
	test_checksum();
	test_check_sum();
	test_lso();
	test_datagrams();
	test_vlan();
	test_sq_errors();
	test_sq_recovery();
	test_terminator();
	test_rq_errors();
	test_wrap();
	test_mtu();
	test_dscp();
	return ktap_end();
}
