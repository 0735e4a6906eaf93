// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong in memory: send queues, receive queues, indices, one thing at a time. */
#include <string.h>
#include <unistd.h>

#include "card/card.h"
#include "dut.h"
#include "ktap.h"
#include "wrong_log.h"

static struct dut *d;
static uint8_t packet[2048];
static uint32_t packet_len;

/* ---- send queues ---- */

/* A valid SEND of the packet in @wqe. Returns how many blocks to ring the doorbell for. */
struct send_wqe {
	struct prm_wqe_ctrl_seg *ctrl;
	struct prm_wqe_eth_seg *eth;
	struct prm_wqe_data_seg *data;
};

struct send_case {
	const char *what;
	void (*corrupt)(struct send_wqe *w, struct dut_wq *sq);
	void (*edit)(struct prm_sqc *ctx);
	const char *text;
};

static void no_size(struct send_wqe *w, struct dut_wq *sq)
{
	w->ctrl->qpn_ds = htobe32(sq->num << 8);
}

static void too_long(struct send_wqe *w, struct dut_wq *sq)
{
	w->ctrl->qpn_ds = htobe32(sq->num << 8 | 5);
}

static void other_index(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->ctrl->opmod_idx_opcode = htobe32(77 << 8 | PRM_WQE_SEND);
}

static void other_queue(struct send_wqe *w, struct dut_wq *sq)
{
	w->ctrl->qpn_ds = htobe32((sq->num + 1) << 8 | 3);
}

static void unknown_opcode(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->ctrl->opmod_idx_opcode = htobe32(PRM_WQE_RDMA_WRITE);
}

static void no_segments(struct send_wqe *w, struct dut_wq *sq)
{
	w->ctrl->qpn_ds = htobe32(sq->num << 8 | 2);
}

static void software_parser(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->eth->swp_flags = 1;
}

static void inner_checksum(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->eth->cs_flags = PRM_WQE_ETH_L3_INNER_CSUM;
}

static void tag_and_header(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->eth->inline_hdr_sz = htobe16(PRM_WQE_ETH_INSERT_VLAN | 14);
}

static void long_header(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->eth->inline_hdr_sz = htobe16(200);
}

static void wrong_lkey(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->data->lkey = htobe32(d->lkey ^ 1);
}

static void reserved_lkey(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->data->lkey = htobe32(MKEY_RESERVED_LKEY);
}

static void too_much(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->data->byte_count = htobe32(1 << 20);
}

static void lso_without_mss(struct send_wqe *w, struct dut_wq *sq)
{
	(void)sq;
	w->ctrl->opmod_idx_opcode = htobe32(PRM_WQE_LSO);
}

static void without_tis(struct prm_sqc *ctx)
{
	prm_set(ctx, tis_lst_sz, 0);
	prm_set(ctx, tis_num_0, 0);
}

static const struct send_case send_cases[] = {
	{ "a WQE without a size", no_size, NULL, "SQ 0x*: send WQE 0: its size is 0 (0x*)" },
	{ "a WQE longer than what is posted", too_long, NULL,
	  "SQ 0x*: send WQE 0: it is longer than what was posted (0x2)" },
	{ "a WQE with another index", other_index, NULL,
	  "SQ 0x*: send WQE 0: its control segment has another index (0x4d0a)" },
	{ "a WQE of another queue", other_queue, NULL,
	  "SQ 0x*: send WQE 0: its control segment has another QPN (0x*)" },
	{ "an opcode of RDMA", unknown_opcode, NULL,
	  "SQ 0x*: send WQE 0: the opcode is not advertised for SQs (0x*)" },
	{ "a SEND without data", no_segments, NULL,
	  "SQ 0x*: send WQE 0: too small for a frame (0x*)" },
	{ "software parsing", software_parser, NULL,
	  "SQ 0x*: send WQE 0: software parsing is not advertised (0x*)" },
	{ "a checksum of inner headers", inner_checksum, NULL,
	  "SQ 0x*: send WQE 0: inner checksums, but the card sees no tunnel (0x*)" },
	{ "a tag and inline headers", tag_and_header, NULL,
	  "SQ 0x*: send WQE 0: VLAN insertion and inline headers exclude each other (0x*)" },
	{ "inline headers beyond the WQE", long_header, NULL,
	  "SQ 0x*: send WQE 0: the inline header is longer than the WQE (0x*)" },
	{ "a wrong lkey", wrong_lkey, NULL, "SQ 0x*: WQE 0: lkey 0x*, * bytes at 0x*: *" },
	{ "the reserved lkey", reserved_lkey, NULL,
	  "SQ 0x*: WQE 0: lkey 0x200, * bytes at 0x*: no such key, or it is free, or reserved *" },
	{ "a packet of 1 MiB", too_much, NULL,
	  "SQ 0x*: send WQE 0: it has more data than a packet may have (0x*)" },
	{ "an LSO without an mss", lso_without_mss, NULL,
	  "SQ 0x*: send WQE 0: LSO needs TCP or UDP headers inline and an mss (0x*)" },
	{ "a SEND on a queue without a TIS", NULL, without_tis,
	  "SQ 0x*: send WQE 0: the SQ has no TIS (0x*)" },
};

static void wrong_send(const struct send_case *k)
{
	struct dut_wq sq = dut_create_sq(d, 4, k->edit);
	uint8_t *raw = dut_wqe(d, &sq, PRM_WQE_SEND, 3, PRM_WQE_CE_ALWAYS);
	struct send_wqe w = { (void *)raw, (void *)(raw + 16), (void *)(raw + 32) };
	uint64_t buf = dut_alloc(d, packet_len);
	const struct prm_err_cqe *cqe;

	memcpy(dut_ptr(d, buf), packet, packet_len);
	dut_data_seg(d, w.data, buf, packet_len);
	if (k->corrupt)
		k->corrupt(&w, &sq);
	wrong_begin();
	dut_ring(d, &sq, 1);
	cqe = (const void *)dut_poll(d, &sq.cq);
	if (!cqe || cqe->op_own >> PRM_CQE_OPCODE_SHIFT != PRM_CQE_REQ_ERR)
		ktap(false, "%s: there is no error completion", k->what);
	wrong_expect(k->what, k->text);
}

/* An LSO whose headers are inline, @header bytes of them, and whose segments have @mss bytes. */
static void wrong_lso(const char *what, unsigned int header, unsigned int mss, const char *text)
{
	struct dut_wq sq = dut_create_sq(d, 4, NULL);
	unsigned int ds = 2 + (header - 2 + 15) / 16 + 1;
	uint8_t *raw = dut_wqe(d, &sq, PRM_WQE_LSO, ds, PRM_WQE_CE_ALWAYS);
	struct prm_wqe_eth_seg *eth = (void *)(raw + 16);

	eth->mss = htobe16(mss);
	eth->inline_hdr_sz = htobe16(header);
	memcpy(eth->inline_hdr_start, packet, header);
	dut_data_seg(d, (void *)(raw + (ds - 1) * 16), dut_alloc(d, 4096), 4096);
	wrong_begin();
	dut_ring(d, &sq, (ds + 3) / 4);
	wrong_expect(what, text);
}

static void wrong_datagrams(struct flow flow)
{
	flow.proto = 17;
	make_packet(packet, &flow);
	wrong_lso("an LSO of datagrams of several lengths", 42, 500,
		  "SQ 0x*: send WQE 0: the last datagram of an LSO is shorter (0x60)");
	wrong_lso("an LSO whose UDP header has the length of all data", 42, 512,
		  "SQ 0x*: send WQE 0: the UDP header of an LSO has not the length of a datagram (0x3f0)");
}

static void wrong_send_index(void)
{
	struct dut_wq sq = dut_create_sq(d, 4, NULL);

	wrong_begin();
	dut_store(d, sq.dbr + 4, 17);
	sq_doorbell(d->dev, d->uar, (uint64_t)sq.num << 8);
	dut_run();
	wrong_expect("a send queue that is overfull",
		     "SQ 0x*: send producer index 17 is not within 0 to 16");
	wrong_begin();
	sq_doorbell(d->dev, d->uar + 1, (uint64_t)sq.num << 8);
	wrong_expect("a send doorbell on another UAR",
		     "queue 0x*: send doorbell on UAR 0x*, the queue's is 0x*");
	dut_modify_sq(d, sq.num, PRM_WQ_RDY, PRM_WQ_RST);
	wrong_begin();
	sq_doorbell(d->dev, d->uar, (uint64_t)sq.num << 8);
	wrong_expect("a send doorbell in RST", "SQ 0x*: doorbell in state RST");
}

static void wrong_mtu(void)
{
	struct dut_wq sq = dut_create_sq(d, 4, NULL);
	static uint8_t big[1600];

	memcpy(big, packet, packet_len < sizeof(big) ? packet_len : sizeof(big));
	d->dev->eth->port_mtu = 1522;
	wrong_begin();
	dut_send(d, &sq, big, sizeof(big), 0);
	wrong_expect("a frame above the MTU",
		     "SQ 0x*: a frame of 1600 bytes, the port's MTU is 1522 with FCS");
}

static void wrong_mtu_later(void)
{
	const struct eth_counters *counters = &d->dev->eth->counters;
	uint64_t sent = counters->tx_unicast.packets, dropped = counters->tx_errors.packets;
	struct dut_wq sq = dut_create_sq(d, 4, NULL);
	static uint8_t big[1600];

	memcpy(big, packet, packet_len);
	dut_violations(d);
	loop_test_clock(now_ns());
	d->dev->eth->port_mtu = 9000;
	port_set_mtu(d->dev, 1522);
	dut_send(d, &sq, big, sizeof(big), 0);
	ktap(!dut_violations(d) && counters->tx_errors.packets == dropped + 1 &&
	     counters->tx_unicast.packets == sent,
	     "a frame that was packed before the MTU became smaller is dropped, and no violation");
	loop_test_clock(now_ns() + 6000000000ull);
	wrong_begin();
	dut_send(d, &sq, big, sizeof(big), 0);
	wrong_expect("a frame above the MTU, some seconds after that became smaller",
		     "SQ 0x*: a frame of 1600 bytes, the port's MTU is 1522 with FCS");
	loop_test_clock(0);
}

/* ---- receive queues ---- */

static void to_myself(struct dut *dut)
{
	struct dut_wq sq = dut_create_sq(dut, 4, NULL);

	dut_send(dut, &sq, packet, packet_len, 0);
}

/* A fresh function, whose RQ takes all packets; @len: what its first WQE has room for. */
static struct dut_wq receiver(uint32_t len)
{
	struct dut_wq rq;
	uint32_t tir;

	dut_destroy(d);
	d = dut_create("a", 0);
	memcpy(packet, d->dev->mac, 6);
	memcpy(packet + 6, d->dev->mac, 6);
	rq = dut_create_rq(d, 4, 5, NULL);
	if (len)
		dut_post_rq(d, &rq, len);
	tir = dut_direct_tir(d, rq.num);
	dut_tir_hears(d, tir, PRM_TIR_SELF_UNICAST);
	dut_receive_all(d, tir);
	return rq;
}

static void wrong_receive(void)
{
	struct dut_wq rq = receiver(0);
	struct prm_wqe_data_seg *seg;

	dut_store(d, rq.dbr, 100);
	wrong_begin();
	to_myself(d);
	wrong_expect("a receive queue that is overfull",
		     "RQ 0x*: receive producer index 100 is not within 0 to 16");
	receiver(20);
	wrong_begin();
	to_myself(d);
	wrong_expect("a buffer that is too small",
		     "RQ 0x*: WQE 0 has room for 20 bytes of a packet of *");
	rq = receiver(2048);
	seg = dut_ptr(d, rq.buf);
	seg->lkey = htobe32(d->lkey ^ 1);
	wrong_begin();
	to_myself(d);
	wrong_expect("a wrong lkey of a receive", "RQ 0x*: WQE 0: lkey 0x*, * bytes at 0x*: *");
}

/* Ten tables, from each two ways to the next. */
static void wrong_walk(void)
{
	uint32_t tables[12], group;
	unsigned int i;

	receiver(2048);
	for (i = 0; i < 12; i++)
		tables[i] = dut_table(d, i, 0, 0);
	for (i = 0; i < 11; i++) {
		struct prm_set_fte_in in = {};
		struct prm_set_fte_out out;
		struct prm_dest_format_struct dest[2] = {};

		group = dut_group(d, tables[i], 0, 0, NULL);
		prm_set(&in, table_id, tables[i]);
		prm_set(&in, flow_context.group_id, group);
		prm_set(&in, flow_context.action, PRM_FLOW_FWD_DEST);
		prm_set(&in, flow_context.destination_list_size, 2);
		prm_set(&dest[0], destination_type, PRM_FLOW_DEST_TABLE);
		prm_set(&dest[0], destination_id, tables[i + 1]);
		dest[1] = dest[0];
		dut_check(dut_cmd_tail(d, set_fte, &in, &out, dest, sizeof(dest)), "set_fte");
	}
	dut_check(dut_root(d, tables[0]), "root");
	wrong_begin();
	to_myself(d);
	wrong_expect("a long chain of flow tables",
		     "one packet walks through more than 512 flow tables");
}

/* ---- completion queues, registers ---- */

static void wrong_consumer(void)
{
	struct dut_wq sq = dut_create_sq(d, 4, NULL);

	dut_store(d, sq.cq.dbr, 50);
	wrong_begin();
	cq_arm_doorbell(d->dev, d->uar, (uint64_t)50 << 32 | sq.cq.num);
	wrong_expect("arming a CQ beyond the producer",
		     "CQ 0x*: armed at index 0x32, the producer is at 0x0");
	wrong_begin();
	cq_arm_doorbell(d->dev, d->uar + 1, sq.cq.num);
	wrong_expect("arming a CQ on another UAR", "CQ 0x*: doorbell on UAR 0x*, its own is 0x*");
	wrong_begin();
	eq_doorbell(d->dev, d->uar + 1, d->eq << 24, true);
	wrong_expect("arming an EQ on another UAR", "EQ 0x*: doorbell on UAR 0x*, its own is 0x*");
	wrong_begin();
	eq_doorbell(d->dev, d->uar, d->eq << 24 | 0x800, false);
	wrong_expect("an EQ consumer index beyond the producer",
		     "EQ 0x*: consumer index jumps from 0x0 to 0x800, producer at 0x*");
}

/* The record is looked at when the queue seems full. */
static void wrong_record(void)
{
	struct dut_wq sq = dut_create_sq(d, 4, NULL);
	unsigned int i;

	sq.cq.ci = 0;
	for (i = 0; i < 255; i++) {
		dut_wqe(d, &sq, PRM_WQE_NOP, 1, PRM_WQE_CE_ALWAYS);
		dut_ring(d, &sq, 1);
	}
	dut_wqe(d, &sq, PRM_WQE_NOP, 1, PRM_WQE_CE_ALWAYS);
	dut_ring(d, &sq, 1);
	dut_store(d, sq.cq.dbr, 0x101);
	wrong_begin();
	dut_wqe(d, &sq, PRM_WQE_NOP, 1, PRM_WQE_CE_ALWAYS);
	dut_ring(d, &sq, 1);
	wrong_expect("a CQ doorbell record beyond the producer",
		     "CQ 0x*: consumer index jumps from 0x0 to 0x101, producer at 0x100\n"
		     "CQ 0x* overrun: all 256 entries are unread");
}

static void wrong_boot(void)
{
	const uint8_t value[4] = { 0, 0, 0, 1 };

	loop_test_clock(5000000000ull);
	cxdev_reset(d->dev);
	wrong_begin();
	bar_write(d->dev, offsetof(struct prm_iseg, cmd_dbell), value, 4);
	wrong_expect("a register write while the card initializes",
		     "write to register 0x18 while the card is initializing");
	loop_test_clock(0);
}

int main(void)
{
	struct flow flow = { .vlan = -1, .ip = 4, .proto = 6, .src = { 10, 0, 0, 1 },
			     .dst = { 10, 0, 0, 2 }, .payload = 1000,
			     .smac = { 2, 0, 0, 0, 0, 9 } };
	unsigned int i;

	ktap_plan(0);
	wrong_open_here(ktap);
	d = dut_create("a", 0);
	memcpy(flow.dmac, d->dev->mac, 6);
	wrong_datagrams(flow);
	packet_len = make_packet(packet, &flow);
	for (i = 0; i < ARRAY_SIZE(send_cases); i++)
		wrong_send(&send_cases[i]);
	wrong_lso("an LSO whose header ends early", 50, 500,
		  "SQ 0x*: send WQE 0: *");
	wrong_lso("an LSO with more headers than TCP has", 60, 500,
		  "SQ 0x*: send WQE 0: the inline headers of an LSO do not end with the TCP header (0x*)");
	wrong_lso("an LSO of giant segments", 54, 16000,
		  "SQ 0x*: send WQE 0: the mss is larger than a frame (0x*)");
	wrong_send_index();
	wrong_mtu();
	wrong_mtu_later();
	wrong_consumer();
	wrong_record();
	wrong_receive();
	wrong_walk();
	wrong_boot();
	dut_destroy(d);
	wrong_close();
	return ktap_end();
}
