// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The worst that a guest can ask for with queue pairs and keys, on its own and as a peer: what one
 * callback does, and the host's memory, stay bounded.
 */
#include <stdlib.h>

#include "ktap.h"
#include "rdma.h"

static struct tcq ca, cb;

/* ---- lengths ---- */

/* A key of all memory, as IB_PD_UNSAFE_GLOBAL_RKEY makes it. */
static uint32_t key_of_all(struct side *side)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.rr, 1);
	prm_set(&in, memory_key_mkey_entry.rw, 1);
	prm_set(&in, memory_key_mkey_entry.length64, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, side->pd);
	if (command(side, create_mkey, &in, &out))
		exit(2);
	return prm_get(&out, mkey_index) << 8;
}

/* A request of the peer with a length of its own. */
static void forge(const struct tqp *from, const struct tqp *to, uint8_t opcode, uint32_t psn_back,
		  uint32_t key, uint32_t len)
{
	struct qp *qp = obj_find(from->side->dev, OBJ_QP, from->qpn);
	struct bth bth = { .opcode = opcode, .ack_req = true, .dqpn = to->qpn,
			   .psn = (qp->req.next_psn - psn_back) & 0xffffff };
	uint32_t payload = opcode == BTH_WRITE_FIRST ? qp->mtu : 0;
	struct frame *frame;
	uint8_t *p;

	frame = roce_frame(qp, &qp->av, &bth, RETH_BYTES + payload, &p);
	put64(p, MEM_BASE);
	put32(p + 8, key);
	put32(p + 12, len);
	memset(p + RETH_BYTES, 0, payload);
	roce_send(qp, frame);
}

static const struct {
	const char *what;
	uint8_t opcode;
	uint32_t len;
} length_cases[] = {
	{ "a READ of 4 GiB less one byte", BTH_READ_REQUEST, 0xffffffff },
	{ "a READ of 2 GiB", BTH_READ_REQUEST, 1u << 31 },
	{ "a READ of more than a message can have", BTH_READ_REQUEST, (1u << LOG_MSG_MAX) + 1 },
	{ "a WRITE of 4 GiB less one byte", BTH_WRITE_FIRST, 0xffffffff },
	{ "a WRITE of more than a message can have", BTH_WRITE_FIRST, (1u << LOG_MSG_MAX) + 1 },
};

static void test_lengths(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 1, .timeout = 0 };
	uint32_t key = key_of_all(&b);
	struct tqp x, y;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(length_cases); i++) {
		uint64_t before = b.dev->rdma->tx_packets;

		create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
		forge(&x, &y, length_cases[i].opcode, 0, key, length_cases[i].len);
		settle();
		ok(b.dev->rdma->tx_packets - before == 1 && qp_state(&y) == PRM_QP_ERR,
		   "%s is refused", length_cases[i].what);
		destroy_pair(&x, &y);
		drain(&ca, &cb);
	}
}

/* As if a READ that was answered long ago were asked for again, with another length. */
static void test_repeated_length(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 1, .timeout = 0 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_READ, .n = 1, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { a.va, 256, a.lkey } } };
	uint32_t key = key_of_all(&b);
	struct tqp x, y;
	uint64_t before;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_send(&x, &wr);
	settle();
	before = b.dev->rdma->tx_packets;
	forge(&x, &y, BTH_READ_REQUEST, 1, key, 0xffffffff);
	settle();
	ok(poll(&ca) && b.dev->rdma->tx_packets - before <= 1,
	   "a READ that is repeated with another length is not answered without end");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- SQERR2RTS before all is flushed ---- */

#define POSTED 200

static void test_flush_ends(void)
{
	struct qp_opts o = { .qkey = 5, .log_sq = 9, .log_rq = 9 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 10, a.lkey ^ 1 } },
			 .to = &b, .addr = ADDR_V1, .qkey = 5 };
	struct prm_sqerr2rts_qp_in in = {};
	struct prm_sqerr2rts_qp_out out;
	struct tsge sge = { b.va, 100, b.lkey };
	unsigned int i, flushed = 0, sent = 0, received = 0;
	const struct prm_cqe64 *cqe;
	struct tqp x, y;
	struct qp *qp;

	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	wr.dqpn = y.qpn;
	for (i = 0; i < POSTED; i++)
		post_send_quietly(&x, &wr);
	ring(&x);
	while (qp->state != PRM_QP_SQER)
		loop_run_pending();
	prm_set(&in, qpn, x.qpn);
	prm_set(&in, qpc.st, PRM_QP_ST_UD);
	ok(!command(&a, sqerr2rts_qp, &in, &out), "SQERR2RTS is accepted before all is flushed");
	wr.sge[0].key = a.lkey;
	for (i = 0; i < POSTED; i++) {
		post_recv(&y, 1, &sge);
		post_send_quietly(&x, &wr);
	}
	ring(&x);
	settle();
	while ((cqe = poll(&ca)))
		*(cqe_opcode(cqe) == PRM_CQE_REQ_ERR ? &flushed : &sent) += 1;
	while (poll(&cb))
		received++;
	ok(flushed == POSTED, "what was posted before it is flushed");
	ok(sent == POSTED && received == POSTED, "what is posted after it is sent");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- KLM lists ---- */

#define LIST 1024u
#define LONG_LIST (1u << KLM_LOG_MAX)
#define WRITES 20000u

/* A key of @n entries; the status. */
static int create_klm_key(struct side *side, uint64_t len, uint32_t n, const struct klm *list,
			  uint32_t *key)
{
	uint32_t size = sizeof(struct prm_create_mkey_in) + n * 16, i;
	struct prm_create_mkey_in *in = calloc(1, size);
	struct prm_create_mkey_out out;
	uint8_t *tail = prm_tail(in);
	int status;

	prm_set(in, memory_key_mkey_entry.access_mode_1_0, MKEY_KLM);
	prm_set(in, memory_key_mkey_entry.lr, 1);
	prm_set(in, memory_key_mkey_entry.lw, 1);
	prm_set(in, memory_key_mkey_entry.rr, 1);
	prm_set(in, memory_key_mkey_entry.rw, 1);
	prm_set(in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(in, memory_key_mkey_entry.pd, side->pd);
	prm_set64(in, memory_key_mkey_entry.len, len);
	prm_set(in, memory_key_mkey_entry.translations_octword_size, n);
	prm_set(in, translations_octword_actual_size, n);
	for (i = 0; i < n; i++, tail += 16) {
		put32(tail, list[i].bytes);
		put32(tail + 4, list[i].key);
		put64(tail + 8, list[i].va);
	}
	prm_set(in, opcode, PRM_OP_create_mkey);
	status = exec(side, PRM_OP_create_mkey, in, size, &out, sizeof(out));
	free(in);
	*key = prm_get(&out, mkey_index) << 8;
	return status;
}

/* @n entries of @bytes at @va by @key, the first @empty of them empty instead. */
static uint32_t klm_key(struct side *side, uint32_t n, uint32_t empty, uint32_t bytes, uint32_t key,
			uint64_t va)
{
	struct klm *list = calloc(n, sizeof(*list));
	uint32_t made, i;

	for (i = 0; i < n; i++)
		list[i] = (struct klm){ i < empty ? 0 : bytes, key, va };
	if (create_klm_key(side, (uint64_t)(n - empty) * bytes, n, list, &made))
		exit(2);
	free(list);
	return made;
}

static void test_klm_trees(void)
{
	uint32_t leaf = klm_key(&b, LIST, LIST - 1, 1, b.lkey, b.va);
	uint32_t middle = klm_key(&b, LIST, 0, 1, leaf, 0);
	uint32_t top = klm_key(&b, LIST, 0, LIST, middle, 0);
	uint32_t late = klm_key(&b, LONG_LIST, LONG_LIST - 1, 1, b.lkey, b.va);
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .mtu = 5, .timeout = 0 };
	struct mem_user user = { .pdn = b.pd, .qpn = 5 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = 0, .rkey = top,
			 .sge = { { a.va, LIST * LIST, a.lkey } } };
	struct klm *list = calloc(LONG_LIST + 1, sizeof(*list));
	struct prm_cqe64 *cqe;
	struct tqp x, y;
	uint8_t byte = 7;
	unsigned int i;
	uint32_t key;
	double t = cpu_seconds();

	for (i = 0; i < 100; i++)
		mem_check(b.dev, user, top, 0, LIST * LIST, MEM_REMOTE_WRITE);
	t = cpu_seconds() - t;
	printf("# 100 checks: %.6f s\n", t);
	ok(t < 0.5, "a tree of lists of single bytes is not walked to its end");

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	t = cpu_seconds();
	post_send(&x, &wr);
	settle();
	t = cpu_seconds() - t;
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_REMOTE_ACCESS && t < 0.5,
	   "a WRITE into such a tree fails");
	destroy_pair(&x, &y);
	drain(&ca, &cb);

	t = cpu_seconds();
	for (i = 0; i < WRITES; i++)
		mem_write(b.dev, user, late, 0, &byte, 1, MEM_REMOTE_WRITE);
	t = cpu_seconds() - t;
	printf("# %u writes: %.6f s\n", WRITES, t);
	ok(*buf_at(&b, 0) == 7 && t < 1, "an entry is found at once behind many empty ones");
	ok(create_klm_key(&b, 0, LONG_LIST + 1, list, &key) == PRM_STATUS_BAD_PARAM,
	   "a list that is longer than the card advertises is refused");
	free(list);
}

#define BLOCK_ENTRIES (LONG_LIST - 1)

/* A head and @n entries of @bytes at @list, which are repeated @times times. */
static void put_block(struct klm *list, uint32_t n, uint32_t bytes, uint32_t times)
{
	uint32_t i;

	list[0] = (struct klm){ n * bytes, PRM_KLM_REPEAT, (uint64_t)times << 32 | n };
	for (i = 1; i <= n; i++)
		list[i] = (struct klm){ bytes, b.lkey, b.va };
}

/* Each access to the last byte would pass all entries. */
static void test_klm_blocks(void)
{
	struct klm *list = calloc(2 * LONG_LIST, sizeof(*list));
	struct mkey mkey = { .klm = list, .n_xlt = 2 * LONG_LIST };
	struct mem_user user = { .pdn = b.pd, .qpn = 5 };
	enum mem_result near, far;
	const char *wrong;
	uint8_t byte = 9;
	uint32_t key, i;
	double t;

	put_block(list, BLOCK_ENTRIES, 1, 2);
	if (create_klm_key(&b, 2 * BLOCK_ENTRIES, LONG_LIST, list, &key))
		exit(2);
	t = cpu_seconds();
	for (i = 0; i < WRITES; i++)
		far = mem_write(b.dev, user, key, BLOCK_ENTRIES - 1, &byte, 1, MEM_REMOTE_WRITE);
	t = cpu_seconds() - t;
	printf("# %u writes: %.6f s\n", WRITES, t);
	near = mem_write(b.dev, user, key, BLOCK_ENTRIES + 100, &byte, 1, MEM_REMOTE_WRITE);
	ok(far == MEM_TOO_MANY && near == MEM_OK && t < 0.5,
	   "a repeat block of many entries is not walked to its end");

	put_block(list, BLOCK_ENTRIES, 0xffff, 0xffffffff);
	put_block(list + LONG_LIST, BLOCK_ENTRIES, 0xffff, 0xffffffff);
	wrong = mkey_set_ends(b.dev, &mkey);
	budget_free(mkey.ends);
	ok(wrong, "a list that UMR has made longer than 2^64 bytes is refused");
	free(list);
}

/* Empty entries anywhere; a piece of a region that begins and ends within entries. */
static void test_klm_pieces(void)
{
	const struct klm list[] = {
		{ 0, b.lkey, b.va }, { 100, b.lkey, b.va + 1000 }, { 0, b.lkey, b.va },
		{ 0, 0, 0 }, { 1, b.lkey, b.va + 5000 }, { 200, b.lkey, b.va + 9000 }, { 0, 0, 0 },
	};
	struct mem_user user = { .pdn = b.pd, .qpn = 5 };
	uint8_t data[301], got[301];
	unsigned int from, i;
	bool right = true;
	uint32_t key;

	if (create_klm_key(&b, 301, ARRAY_SIZE(list), list, &key))
		exit(2);
	for (i = 0; i < 301; i++)
		data[i] = i * 7 + 1;
	right &= !mem_write(b.dev, user, key, 0, data, 301, MEM_REMOTE_WRITE);
	for (i = 0; i < 301; i++)
		right &= *buf_at(&b, i < 100 ? 1000 + i : i == 100 ? 5000 : 9000 + i - 101) ==
			 data[i];
	ok(right, "a list with empty entries leads to the bytes of the others");
	for (from = 0; from < 301; from++) {
		memset(got, 0, sizeof(got));
		right &= !mem_read(b.dev, user, key, from, got, 301 - from, MEM_REMOTE_READ) &&
			 !memcmp(got, data + from, 301 - from);
	}
	ok(right, "an access may begin at any byte of a list");
	ok(mem_read(b.dev, user, key, 1, got, 301, MEM_REMOTE_READ) == MEM_BAD_RANGE,
	   "an access past the end of a list is refused");
}

int main(void)
{
	sides_open();
	wire_set_filter(NULL, NULL);
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	test_lengths();
	test_repeated_length();
	test_flush_ends();
	test_klm_trees();
	test_klm_blocks();
	test_klm_pieces();
	sides_close();
	return ok_end();
}
