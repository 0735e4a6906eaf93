// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Queues of a user context that lie in umems: traffic through them, an overrun, a cyclic shared
 * receive queue, a key of a umem. The context goes with its function.
 */
#include <stdlib.h>
#include <string.h>

#include "prm/caps.h"
#include "prm/counter.h"
#include "prm/devx.h"
#include "prm/mkey.h"
#include "prm/nic.h"
#include "prm/srq.h"
#include "rdma.h"

#define PAGE 4096u
#define PAGES 8
#define DBR_OFF 128u		/* in the first page */
#define RING_OFF 4096u
#define LOG_CQ 3
#define DATA_OFF (1u << 20)
#define BYTES 3000

/* Memory of a context: its pages are in a row for the program, and the umem begins within one. */
struct memory {
	uint32_t umem;
	uint64_t at;
};

/* A context on a side, and what belongs to it. */
struct user {
	struct side *side;
	uint32_t uid, pd, uar;
};

static struct user ua, ub;
static uint32_t driver_uar;	/* of b */

static void must(bool good, const char *what)
{
	if (good)
		return;
	ok(false, "%s", what);
	exit(ok_end());
}

static struct user open_user(struct side *side)
{
	struct prm_create_uctx_in in = {};
	struct prm_create_uctx_out out;
	struct prm_alloc_pd_in pd = {};
	struct prm_alloc_pd_out pd_out;
	struct prm_alloc_uar_in uar = {};
	struct prm_alloc_uar_out uar_out;
	struct user user = { .side = side };

	must(!command(side, create_uctx, &in, &out), "a context is created");
	user.uid = prm_get(&out, uid);
	prm_set(&pd, uid, user.uid);
	must(!command(side, alloc_pd, &pd, &pd_out), "a PD of the context");
	user.pd = prm_get(&pd_out, pd);
	prm_set(&uar, uid, user.uid);
	must(!command(side, alloc_uar, &uar, &uar_out), "a UAR of the context");
	user.uar = prm_get(&uar_out, uar);
	return user;
}

static struct memory make_memory(const struct user *user, unsigned int access)
{
	struct { struct prm_create_umem_in in; __be64 mtt[PAGES]; } cmd = {};
	struct memory m = { .at = mem_alloc(user->side, PAGES * PAGE) + 64 };
	struct prm_create_umem_out out;
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		cmd.mtt[i] = cpu_to_be64((m.at - 64 + i * PAGE) | access);
	prm_set(&cmd.in, opcode, PRM_OP_create_umem);
	prm_set(&cmd.in, uid, user->uid);
	prm_set(&cmd.in, page_offset, 64);
	prm_set64(&cmd.in, num_of_mtt, PAGES);
	must(!exec(user->side, PRM_OP_create_umem, &cmd, sizeof(cmd), &out, sizeof(out)), "umem");
	m.umem = prm_get(&out, umem_id);
	return m;
}

/* The driver's EQ is for all contexts. */
static void share_eq(struct side *side)
{
	struct obj *found = obj_find(side->dev, OBJ_EQ, side->eqn);

	found->uid = PRM_UID_SHARED;
}

static struct tcq make_cq(const struct user *user)
{
	struct memory m = make_memory(user, MTT_READ | MTT_WRITE);
	struct prm_create_cq_in in = {};
	struct prm_create_cq_out out;
	struct tcq cq = { .side = user->side, .log = LOG_CQ, .dbr = m.at + DBR_OFF,
			  .ring = m.at + RING_OFF };
	unsigned int i;

	for (i = 0; i < 1u << LOG_CQ; i++)
		((struct prm_cqe64 *)mem_at(user->side, cq.ring))[i].op_own =
			PRM_CQE_INVALID << PRM_CQE_OPCODE_SHIFT | 1;
	prm_set(&in, uid, user->uid);
	prm_set(&in, cq_context.log_cq_size, LOG_CQ);
	prm_set(&in, cq_context.uar_page, user->uar);
	prm_set(&in, cq_context.c_eqn_or_apu_element, user->side->eqn);
	prm_set(&in, cq_context.dbr_umem_valid, 1);
	prm_set(&in, cq_context.dbr_umem_id, m.umem);
	prm_set64(&in, cq_context.dbr_addr, DBR_OFF);
	prm_set(&in, cq_umem_valid, 1);
	prm_set(&in, cq_umem_id, m.umem);
	prm_set64(&in, cq_umem_offset, RING_OFF);
	must(!command(user->side, create_cq, &in, &out), "a CQ in a umem");
	cq.cqn = prm_get(&out, cqn);
	return cq;
}

/* Its receive queue is @rmp, or follows the send queue's place in the umem. */
static struct tqp make_qp(const struct user *user, struct tcq *cq, const struct tsrq *rmp)
{
	struct memory m = make_memory(user, MTT_READ);
	struct prm_create_qp_in in = {};
	struct prm_create_qp_out out;
	struct tqp qp = { .side = user->side, .st = PRM_QP_ST_RC, .cq = cq, .log_sq = 5,
			  .log_rq = rmp ? 0 : 4, .log_rq_stride = 2, .dbr = m.at + DBR_OFF,
			  .rq = m.at + RING_OFF, .sq = m.at + RING_OFF + (rmp ? 0 : 64 << 4) };

	prm_set(&in, uid, user->uid);
	prm_set(&in, qpc.st, PRM_QP_ST_RC);
	prm_set(&in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&in, qpc.pd, user->pd);
	prm_set(&in, qpc.uar_page, user->uar);
	prm_set(&in, qpc.user_index, 0x123);
	prm_set(&in, qpc.cqn_snd, cq->cqn);
	prm_set(&in, qpc.cqn_rcv, cq->cqn);
	prm_set(&in, qpc.log_sq_size, qp.log_sq);
	if (rmp) {
		prm_set(&in, qpc.rq_type, PRM_QP_RQ_SRQ);
		prm_set(&in, qpc.srqn_rmpn_xrqn, rmp->num);
	} else {
		prm_set(&in, qpc.log_rq_size, qp.log_rq);
		prm_set(&in, qpc.log_rq_stride, qp.log_rq_stride);
	}
	prm_set(&in, qpc.dbr_umem_valid, 1);
	prm_set(&in, qpc.dbr_umem_id, m.umem);
	prm_set64(&in, qpc.dbr_addr, DBR_OFF);
	prm_set(&in, wq_umem_valid, 1);
	prm_set(&in, wq_umem_id, m.umem);
	prm_set64(&in, wq_umem_offset, RING_OFF);
	must(!command(user->side, create_qp, &in, &out), "a QP in a umem");
	qp.qpn = prm_get(&out, qpn);
	return qp;
}

/* The pair's QPs on the UARs of their contexts, up to RTS. */
static void connect_qps(struct tqp *x, struct tqp *y)
{
	const struct qp_opts o = { .addr = ADDR_V2_IPV4 };

	must(!qp_init(x, &o) && !qp_init(y, &o) && !qp_rtr(x, y, &o) && !qp_rtr(y, x, &o) &&
	     !qp_rts(x, &o) && !qp_rts(y, &o), "QPs in umems go to RTS");
}

/* A key of the buffer in the PD of the context, as the driver makes it. */
static uint32_t make_key(const struct user *user)
{
	return create_mkey(user->side, user->pd,
			   MEM_LOCAL_READ | MEM_LOCAL_WRITE | MEM_REMOTE_READ | MEM_REMOTE_WRITE,
			   user->side->va, BUF_BYTES - PAGE, 0);
}

static void send_bytes(struct tqp *qp, uint32_t bytes, uint32_t key)
{
	const struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, bytes, key } } };

	post_send(qp, &wr);
}

static void traffic(void)
{
	uint32_t ka = make_key(&ua), kb = make_key(&ub);
	struct tcq ca = make_cq(&ua), cb = make_cq(&ub);
	struct tqp x = make_qp(&ua, &ca, NULL), y = make_qp(&ub, &cb, NULL);
	struct tsge to = { b.va + DATA_OFF, BYTES, kb };
	struct prm_cqe64 *cqe;

	connect_qps(&x, &y);
	buf_fill(&a, 0, BYTES, 7);
	post_recv(&y, 1, &to);
	send_bytes(&x, BYTES, ka);
	settle();
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ, "a SEND of a queue in a umem completes");
	cqe = poll(&cb);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_RESP_SEND && buf_is(&b, DATA_OFF, BYTES, 7),
	   "it is received by a queue in a umem");
	send_bytes(&x, BYTES, a.lkey);
	settle();
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_LOCAL_PROT, "the driver's keys are of another PD");
}

/* Consumes the driver's EQ, which is on the driver's UAR. */
static bool saw_overrun(struct side *side, uint32_t cqn)
{
	uint32_t uar = side->uar;
	struct prm_eqe *eqe;
	bool seen = false;

	side->uar = driver_uar;
	while ((eqe = poll_eq(side)))
		seen |= eqe->type == PRM_EVENT_CQ_ERROR &&
			be32_to_cpu(eqe->data.cq_err.cqn) == cqn &&
			eqe->data.cq_err.syndrome == 1;
	side->uar = uar;
	return seen;
}

/* The receiver never polls: an application's mistake, of which it gets an event. */
static void overrun(void)
{
	uint32_t ka = make_key(&ua), kb = make_key(&ub);
	uint64_t violations = violations_total();
	struct tcq ca = make_cq(&ua), cb = make_cq(&ub);
	struct tqp x = make_qp(&ua, &ca, NULL), y = make_qp(&ub, &cb, NULL);
	struct tsge to = { b.va, 16, kb };
	unsigned int i;

	connect_qps(&x, &y);
	saw_overrun(&b, 0);
	for (i = 0; i < (1u << LOG_CQ) + 1; i++) {
		post_recv(&y, 1, &to);
		send_bytes(&x, 16, ka);
		settle();
		poll(&ca);
	}
	ok(saw_overrun(&b, cb.cqn), "an overrun raises the event of a CQ error");
	ok(violations_total() == violations, "it is no violation of the driver");
}

static void cyclic(void)
{
	uint32_t ka = make_key(&ua), kb = make_key(&ub), i, n = 0;
	struct memory m = make_memory(&ub, MTT_READ);
	struct tsrq rmp = { .side = &b, .log = 2, .dbr = m.at + DBR_OFF, .ring = m.at + RING_OFF };
	struct prm_create_rmp_in in = {};
	struct prm_create_rmp_out out;
	struct tcq ca = make_cq(&ua), cb = make_cq(&ub);
	struct tqp x, y;

	prm_set(&in, uid, ub.uid);
	prm_set(&in, ctx.state, PRM_WQ_RDY);
	prm_set(&in, ctx.wq.wq_type, PRM_WQ_CYCLIC);
	prm_set(&in, ctx.wq.log_wq_sz, 2);
	prm_set(&in, ctx.wq.log_wq_stride, 6);
	prm_set(&in, ctx.wq.pd, ub.pd);
	prm_set(&in, ctx.wq.dbr_umem_valid, 1);
	prm_set(&in, ctx.wq.dbr_umem_id, m.umem);
	prm_set64(&in, ctx.wq.dbr_addr, DBR_OFF);
	prm_set(&in, ctx.wq.wq_umem_valid, 1);
	prm_set(&in, ctx.wq.wq_umem_id, m.umem);
	prm_set64(&in, ctx.wq.wq_umem_offset, RING_OFF);
	must(!command(&b, create_rmp, &in, &out), "a cyclic RMP in a umem");
	rmp.num = prm_get(&out, rmpn);
	x = make_qp(&ua, &ca, NULL);
	y = make_qp(&ub, &cb, &rmp);
	connect_qps(&x, &y);
	for (i = 0; i < 6; i++) {
		/* what a list would have there is nowhere in the ring */
		uint8_t *wqe = mem_at(&b, rmp.ring + (i & 3) * 64);
		struct prm_wqe_data_seg seg = { cpu_to_be32(16), cpu_to_be32(kb),
						cpu_to_be64(b.va + DATA_OFF + i * 64) };
		struct prm_wqe_data_seg end = { 0, cpu_to_be32(PRM_WQE_LKEY_TERMINATE), 0 };

		memset(wqe, 0xee, 16);
		memcpy(wqe + 16, &seg, 16);
		memcpy(wqe + 32, &end, 16);
		*(__be32 *)mem_at(&b, rmp.dbr) = cpu_to_be32(i + 1);
		buf_fill(&a, 0, 16, i);
		send_bytes(&x, 16, ka);
		settle();
		poll(&ca);
		n += poll(&cb) && buf_is(&b, DATA_OFF + i * 64, 16, i);
	}
	ok(n == 6, "WQEs of a cyclic RMP follow each other: %u", n);
}

/* A key that is made with the uid of the context lies in a umem, which begins at its address. */
static void umem_key(void)
{
	struct memory m = make_memory(&ub, MTT_READ | MTT_WRITE);
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;
	uint32_t ka = make_key(&ua), key, i;
	struct tcq ca = make_cq(&ua), cb = make_cq(&ub);
	struct tqp x = make_qp(&ua, &ca, NULL), y = make_qp(&ub, &cb, NULL);
	struct wr write = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = 0x7000000040 + 2000,
			    .sge = { { a.va, BYTES, ka } } };
	struct prm_cqe64 *cqe;

	prm_set(&in, uid, ub.uid);
	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MTT);
	prm_set(&in, memory_key_mkey_entry.rw, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, ub.pd);
	prm_set64(&in, memory_key_mkey_entry.start_addr, 0x7000000040);
	prm_set64(&in, memory_key_mkey_entry.len, 4 * PAGE);
	prm_set(&in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(&in, mkey_umem_valid, 1);
	prm_set(&in, mkey_umem_id, m.umem);
	prm_set64(&in, mkey_umem_offset, PAGE);
	must(!command(&b, create_mkey, &in, &out), "a key of a umem");
	key = prm_get(&out, mkey_index) << 8;
	write.rkey = key;
	connect_qps(&x, &y);
	buf_fill(&a, 0, BYTES, 3);
	post_send(&x, &write);
	settle();
	cqe = poll(&ca);
	for (i = 0; i < BYTES; i++)
		if (*(uint8_t *)mem_at(&b, m.at + PAGE + 2000 + i) != *buf_at(&a, i))
			break;
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ && i == BYTES, "a WRITE to a key of a umem");
}

#define KSM_LOG		12
#define KSM_ENTRIES	3
#define KSM_START	0x700000123
#define KSM_SKIP	100u		/* from the start of the region to what is written */

/* Parts of one length anywhere in memory, one after the other from any address on. */
static void ksm_key(void)
{
	static const uint32_t offs[KSM_ENTRIES] = { DATA_OFF + 50003, DATA_OFF, DATA_OFF + 20000 };
	struct { struct prm_create_mkey_in in; __be64 ksm[KSM_ENTRIES][2]; } cmd = {};
	struct prm_create_mkey_out out;
	uint32_t ka = make_key(&ua), kb = make_key(&ub), i, bytes = KSM_ENTRIES << KSM_LOG;
	struct tcq ca = make_cq(&ua), cb = make_cq(&ub);
	struct tqp x = make_qp(&ua, &ca, NULL), y = make_qp(&ub, &cb, NULL);
	struct wr write = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = KSM_START + KSM_SKIP };
	struct prm_cqe64 *cqe;

	for (i = 0; i < KSM_ENTRIES; i++) {
		cmd.ksm[i][0] = cpu_to_be64(kb);
		cmd.ksm[i][1] = cpu_to_be64(b.va + offs[i]);
	}
	prm_set(&cmd.in, opcode, PRM_OP_create_mkey);
	prm_set(&cmd.in, uid, ub.uid);
	prm_set(&cmd.in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KSM);
	prm_set(&cmd.in, memory_key_mkey_entry.rw, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&cmd.in, memory_key_mkey_entry.pd, ub.pd);
	prm_set(&cmd.in, memory_key_mkey_entry.log_page_size, KSM_LOG);
	prm_set64(&cmd.in, memory_key_mkey_entry.start_addr, KSM_START);
	prm_set64(&cmd.in, memory_key_mkey_entry.len, bytes);
	prm_set(&cmd.in, memory_key_mkey_entry.translations_octword_size, KSM_ENTRIES);
	prm_set(&cmd.in, translations_octword_actual_size, KSM_ENTRIES);
	must(!exec(&b, PRM_OP_create_mkey, &cmd, sizeof(cmd), &out, sizeof(out)), "a KSM key");
	write.rkey = prm_get(&out, mkey_index) << 8;
	write.sge[0] = (struct tsge){ a.va, bytes - KSM_SKIP, ka };
	connect_qps(&x, &y);
	buf_fill(&a, 0, bytes, 8);
	post_send(&x, &write);
	settle();
	cqe = poll(&ca);
	for (i = KSM_SKIP; i < bytes; i++)
		if (*buf_at(&b, offs[i >> KSM_LOG] + (i & (PAGE - 1))) != *buf_at(&a, i - KSM_SKIP))
			break;
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ && i == bytes, "a WRITE to a KSM key");
	write.raddr++;
	post_send(&x, &write);
	settle();
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_REMOTE_ACCESS, "it has a length");
}

/* ---- the path ---- */

struct sport_watch {
	const struct port *from;
	unsigned int frames, sport;
};

static enum wire_verdict watch_sport(void *arg, const struct port *from, struct frame *frame)
{
	struct sport_watch *w = arg;

	if (from == w->from) {	/* untagged IPv4 frames */
		w->frames++;
		w->sport = frame->data[34] << 8 | frame->data[35];
	}
	return WIRE_PASS;
}

/* As libmlx5 does it: all else of the context is zero, and there is room behind it. */
static int change_path(const struct user *user, const struct tqp *qp, uint64_t more,
		       uint32_t counters)
{
	struct { struct prm_rts2rts_qp_in in; uint8_t extension[192]; } cmd = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&cmd.in, opcode, PRM_OP_rts2rts_qp);
	prm_set(&cmd.in, uid, user->uid);
	prm_set(&cmd.in, qpn, qp->qpn);
	prm_set64(&cmd.in, opt_param_mask_95_32, more);
	prm_set(&cmd.in, opt_param_mask, counters ? PRM_QP_OPT_COUNTER_SET_ID : 0);
	prm_set(&cmd.in, qpc.counter_set_id, counters);
	prm_set(&cmd.in, qpc.primary_address_path.udp_sport, 55555);
	return exec(user->side, PRM_OP_rts2rts_qp, &cmd, sizeof(cmd), &out, sizeof(out));
}

static void sport(void)
{
	uint32_t ka = make_key(&ua), kb = make_key(&ub);
	struct tcq ca = make_cq(&ua), cb = make_cq(&ub);
	struct tqp x = make_qp(&ua, &ca, NULL), y = make_qp(&ub, &cb, NULL);
	struct sport_watch w = { .from = a.dev->port };
	const struct user driver = { .side = &a };
	struct tsge to = { b.va, BYTES, kb };
	uint64_t violations;
	unsigned int before;

	connect_qps(&x, &y);
	wire_set_filter(watch_sport, &w);
	post_recv(&y, 1, &to);
	send_bytes(&x, 16, ka);
	settle();
	before = w.sport;
	ok(poll(&ca) && w.frames == 1 && before >= 0xc000, "a source port is chosen");
	ok(!change_path(&ua, &x, PRM_QP_OPT_32_UDP_SPORT, 0), "RTS2RTS sets the source port");
	post_recv(&y, 1, &to);
	send_bytes(&x, 16, ka);
	settle();
	ok(poll(&ca) && w.frames == 2 && w.sport == 55555, "packets have it: %u, before %u",
	   w.sport, before);
	wire_watch();
	violations = a.dev->violations;
	ok(change_path(&driver, &x, 1, 0) == PRM_STATUS_BAD_PARAM &&
	   a.dev->violations == violations + 1,
	   "RTS2RTS of what is not announced is refused");
}

/* A QP without a path has no port to change. */
static void sport_of_datagrams(void)
{
	const struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	const struct user driver = { .side = &a };
	uint64_t violations = a.dev->violations;
	struct prm_dealloc_q_counter_in dealloc = {};
	struct prm_alloc_q_counter_in alloc = {};
	struct prm_alloc_q_counter_out counters;
	struct prm_dealloc_q_counter_out out;
	struct tcq ca;
	struct tqp x;

	create_cq(&ca, &a, 4);
	must(!create_qp(&x, &a, PRM_QP_ST_UD, &ca, &o) && !qp_init(&x, &o) &&
	     !qp_rtr(&x, &x, &o) && !qp_rts(&x, &o), "a UD QP goes to RTS");
	must(!command(&a, alloc_q_counter, &alloc, &counters), "a set of counters");
	prm_set(&dealloc, counter_set_id, prm_get(&counters, counter_set_id));
	ok(change_path(&driver, &x, PRM_QP_OPT_32_UDP_SPORT, prm_get(&counters, counter_set_id)) ==
	   PRM_STATUS_BAD_PARAM && a.dev->violations == violations + 1,
	   "RTS2RTS of the source port of a UD QP is refused");
	ok(!command(&a, dealloc_q_counter, &dealloc, &out),
	   "the counters that it names are not taken");
}

/* With all that the contexts have. */
static void reset(void)
{
	unsigned int type, n = 0;

	must(obj_count(b.dev, OBJ_UCTX) && obj_count(b.dev, OBJ_UMEM), "there are contexts");
	cxdev_reset(b.dev);
	for (type = 0; type < OBJ_TYPES; type++)
		n += obj_count(b.dev, type);
	ok(!n && !b.dev->hca->budget_used, "contexts and umems go with a reset of the function");
}

int main(void)
{
	card_devx = true;
	sides_open();
	share_eq(&a);
	share_eq(&b);
	ua = open_user(&a);
	ub = open_user(&b);
	a.uar = ua.uar;
	driver_uar = b.uar;
	b.uar = ub.uar;
	traffic();
	overrun();
	cyclic();
	umem_key();
	ksm_key();
	sport();
	sport_of_datagrams();
	reset();
	sides_close();
	return ok_end();
}
