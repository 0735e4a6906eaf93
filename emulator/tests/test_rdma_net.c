// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Multicast that comes back to its sender's function, congestion marks, queues that break. */
#include "ktap.h"
#include "rdma.h"

static struct tcq ca, cb;

#define DST_OFF (1u << 20)
#define QKEY	0x11111111

static const uint8_t group[16] = { 0xff, 0x0e, [15] = 0x77 };

/* ---- multicast ----------------------------------------------------------------------------- */

static int member_of(struct tqp *qp, uint16_t opcode, const uint8_t *gid)
{
	struct prm_attach_to_mcg_in in = {};
	struct prm_attach_to_mcg_out out;

	prm_set(&in, opcode, opcode);
	prm_set(&in, qpn, qp->qpn);
	memcpy(prm_bytes(&in, multicast_gid), gid, 16);
	return exec(qp->side, opcode, &in, sizeof(in), &out, sizeof(out));
}

static int membership(struct tqp *qp, uint16_t opcode)
{
	return member_of(qp, opcode, group);
}

static bool datagram_qp(struct tqp *qp, const struct qp_opts *o)
{
	return !create_qp(qp, &a, PRM_QP_ST_UD, &ca, o) && !qp_init(qp, o) && !qp_rtr(qp, qp, o) &&
	       !qp_rts(qp, o);
}

/* Completions of the CQ: sends, and receives of @qp. */
static unsigned int received(struct tqp *qp)
{
	struct prm_cqe64 *cqe;
	unsigned int n = 0;

	settle();
	while ((cqe = poll(&ca)))
		n += cqe_opcode(cqe) == PRM_CQE_RESP_SEND &&
		     (be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff) == qp->qpn;
	return n;
}

/* Both are in the group; in the end only @x is. */
static void test_other_group(struct tqp *x, struct tqp *y, struct wr *wr)
{
	static const uint8_t other[16] = { 0xff, 0x0e, [14] = 1, [15] = 0x77 };
	struct tsge sge = { a.va + DST_OFF, 2000, a.lkey };

	membership(y, PRM_OP_detach_from_mcg);
	post_send(x, wr);
	ok(received(x) == 1, "the others stay in a group that a QP leaves");
	ok(!member_of(y, PRM_OP_attach_to_mcg, other) && obj_count(a.dev, OBJ_MCG) == 2,
	   "a QP can be attached to another group");
	post_recv(x, 1, &sge);
	post_send(x, wr);
	ok(received(x) == 1, "its members do not hear the first group");
	wr->mgid = other;
	post_send(x, wr);
	ok(received(y) == 1, "they hear their own");
	ok(!member_of(y, PRM_OP_detach_from_mcg, other) && obj_count(a.dev, OBJ_MCG) == 1,
	   "a group without members is gone");
}

#define GROUPS 20000u

/* Such that 31 * (31 * (31 * first + second) + third) + fourth is the same for each of them. */
static void chosen(uint8_t *gid, uint32_t n)
{
	uint32_t rest = (0u - n / 256 * 29791 - n % 256 * 961) % 1024;

	gid[12] = n / 256;
	gid[13] = n % 256;
	gid[14] = rest / 31;
	gid[15] = rest % 31;
}

/* More than there are buckets at first, and values that a simple hash has in one place. */
static void test_many_groups(struct tqp *qp)
{
	uint8_t gid[16] = { 0xff, 0x0e };
	bool right = true;
	uint32_t i;
	double t;

	for (i = 0; i < GROUPS && right; i++) {
		chosen(gid, i);
		right = !member_of(qp, PRM_OP_attach_to_mcg, gid);
	}
	ok(right && obj_count(a.dev, OBJ_MCG) == GROUPS, "a QP can be attached to many groups");
	t = cpu_seconds();
	for (i = 0; i < GROUPS && right; i++) {
		chosen(gid, i);
		right = mcg_find(a.dev, gid);
	}
	gid[2] = 1;
	right = right && !mcg_find(a.dev, gid);
	t = cpu_seconds() - t;
	printf("# %u groups: %.3f s\n", GROUPS, t);
	ok(right && t < 0.5, "a packet finds its group at once, whatever the groups are");
	gid[2] = 0;
	for (i = 0; i < GROUPS && right; i++) {
		chosen(gid, i);
		right = !member_of(qp, PRM_OP_detach_from_mcg, gid);
	}
	ok(right && !obj_count(a.dev, OBJ_MCG), "it can be detached from each of them");
}

static void test_multicast_loop(void)
{
	struct wr wr = { .opcode = PRM_WQE_SEND,
			 .n = 1,
			 .sge = { { a.va, 50, a.lkey } },
			 .to = &b,
			 .addr = ADDR_V2_IPV6,
			 .dqpn = MCAST_QPN,
			 .qkey = QKEY,
			 .mgid = group };
	struct qp_opts o = { .qkey = QKEY, .addr = ADDR_V2_IPV6 }, deaf = o;
	struct tsge sge = { a.va + DST_OFF, 2000, a.lkey };
	struct tqp x, y, z;
	unsigned int i;

	deaf.block_lb_mc = true;
	if (!ok(datagram_qp(&x, &o) && datagram_qp(&y, &o) && datagram_qp(&z, &deaf),
		"three UD QPs of one function can be created"))
		return;
	for (i = 0; i < 4; i++) {
		post_recv(&x, 1, &sge);
		post_recv(&y, 1, &sge);
	}
	post_send(&x, &wr);
	ok(!received(&y), "a QP that is not attached receives no multicast");
	ok(!membership(&y, PRM_OP_attach_to_mcg), "a QP can be attached");
	buf_fill(&a, 0, 50, 7);
	post_send(&x, &wr);
	ok(received(&y) == 1 && buf_is(&a, DST_OFF + 40, 50, 7),
	   "an attached QP receives multicast of its function");
	post_send(&z, &wr);
	ok(!received(&y), "multicast of a QP with block_lb_mc is not looped back");
	ok(!membership(&x, PRM_OP_attach_to_mcg), "the sender can be attached");
	post_send(&x, &wr);
	ok(received(&x) == 1, "an attached sender receives its own multicast");
	test_other_group(&x, &y, &wr);
	membership(&x, PRM_OP_detach_from_mcg);
	test_many_groups(&x);
	qp_command(&x, PRM_OP_destroy_qp);
	qp_command(&y, PRM_OP_destroy_qp);
	qp_command(&z, PRM_OP_destroy_qp);
	drain(&ca, &cb);
}

/* ---- congestion ---------------------------------------------------------------------------- */

static void test_marks(unsigned int addr, bool told)
{
	struct qp_opts o = { .addr = addr };
	uint64_t marked = b.dev->rdma->rx_ecn_marked, cnps = a.dev->rdma->rx_cnp;
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { { a.va, 3000, a.lkey } },
			 .raddr = b.va + DST_OFF,
			 .rkey = b.rkey };
	struct tqp x, y;
	struct qp *qp;

	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	wire_see();
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && !wire.by_opcode[BTH_CNP], "address %u: without marks no CNP is sent", addr);
	qp = obj_find(a.dev, OBJ_QP, x.qpn);
	qp->av.tclass |= 3;		/* as if a switch had marked every packet */
	post_send(&x, &wr);
	settle();
	ok(poll(&ca) && wire.by_opcode[BTH_CNP] == (told ? 3 : 0) && !wire.wrong &&
	   b.dev->rdma->rx_ecn_marked - marked == (told ? 3 : 0) &&
	   a.dev->rdma->rx_cnp - cnps == (told ? 3 : 0),
	   "address %u: %s", addr, told ? "each marked packet is answered by a CNP" :
					  "RoCE v1 has no marks");
	wire_watch();
	destroy_pair(&x, &y);
}

/* ---- a path that changes --------------------------------------------------------------------- */

struct tos_watch {
	const struct port *from;
	unsigned int frames, tos[4];
};

static enum wire_verdict watch_tos(void *arg, const struct port *from, struct frame *frame)
{
	struct tos_watch *w = arg;

	if (from == w->from && w->frames < ARRAY_SIZE(w->tos))
		w->tos[w->frames++] = frame->data[15];	/* of an untagged IPv4 frame */
	return WIRE_PASS;
}

static int change_dscp(struct tqp *qp, unsigned int dscp)
{
	struct prm_rts2rts_qp_in in = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	prm_set(&in, qpc.st, qp->st);
	prm_set(&in, opt_param_mask, PRM_QP_OPT_PRIMARY_PATH_DSCP);
	prm_set(&in, qpc.primary_address_path.dscp, dscp);
	prm_set(&in, qpc.primary_address_path.hop_limit, 3);
	return command(qp->side, rts2rts_qp, &in, &out);
}

static void test_dscp(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { { a.va, 100, a.lkey } },
			 .raddr = b.va + DST_OFF,
			 .rkey = b.rkey };
	struct tos_watch w = { .from = a.dev->port };
	struct tqp x, y;
	uint64_t before;

	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	wire_set_filter(watch_tos, &w);
	post_send(&x, &wr);
	settle();
	ok(!change_dscp(&x, 26), "RTS2RTS can change the DSCP");
	post_send(&x, &wr);
	settle();
	ok(w.frames == 2 && w.tos[0] >> 2 == 0x0a && w.tos[1] >> 2 == 26 &&
	   (w.tos[0] & 3) == (w.tos[1] & 3),
	   "then packets have the new DSCP, and the ECN bits of before");
	ok(((struct qp *)obj_find(a.dev, OBJ_QP, x.qpn))->av.hop_limit == 64,
	   "the rest of the path does not change");
	wire_watch();
	destroy_pair(&x, &y);
	create_pair(&x, &y, PRM_QP_ST_UD, &ca, &cb, &o);
	before = a.dev->violations;
	ok(change_dscp(&x, 26) == PRM_STATUS_BAD_PARAM && a.dev->violations == before + 1,
	   "RTS2RTS of the DSCP of a UD QP, which has no path, is refused");
	destroy_pair(&x, &y);
	drain(&ca, &cb);
}

/* ---- errors of receive queues -------------------------------------------------------------- */

static void test_local_access(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .timeout = 14 };
	uint32_t key = create_mkey(&b, b.pd, MEM_LOCAL_WRITE | MEM_REMOTE_WRITE, b.va + DST_OFF,
				   10000, DST_OFF);
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE_IMM,
			 .n = 1,
			 .sge = { { a.va, 3000, a.lkey } },
			 .raddr = b.va + DST_OFF,
			 .rkey = key };
	struct tsge sge = { b.va, 100, b.lkey };
	struct prm_cqe64 *cqe;
	struct tqp x, y;

	drain(&ca, &cb);
	create_pair(&x, &y, PRM_QP_ST_RC, &ca, &cb, &o);
	post_recv(&y, 1, &sge);
	wire_watch();
	wire.drop_at = 3;
	post_send(&x, &wr);
	settle();
	ok(!destroy_mkey(&b, key),
	   "a key can be destroyed before the last packet of a WRITE with immediate");
	pass_time(300);
	cqe = poll(&ca);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_REMOTE_ACCESS,
			"the sender gets a remote access error");
	cqe = poll(&cb);
	ok(cqe && cqe_opcode(cqe) == PRM_CQE_RESP_ERR &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_LOCAL_ACCESS &&
	   saw_event(&b, PRM_EVENT_WQ_ACCESS_ERROR, y.qpn),
	   "the receiver gets a local access error and an event");
	wire_watch();
	destroy_pair(&x, &y);
}

static void test_srq_breaks(void)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 8, a.lkey } } };
	struct prm_cqe64 *cqe;
	struct tsrq srq;
	struct tqp x, y;
	bool srq_event = false, qp_event = false;
	struct prm_eqe *eqe;

	drain(&ca, &cb);
	create_rmp(&srq, &b, 4);
	o.srq = &srq;
	if (!ok(!create_qp(&y, &b, PRM_QP_ST_RC, &cb, &o), "a QP with an RMP can be created"))
		return;
	o.srq = NULL;
	if (create_qp(&x, &a, PRM_QP_ST_RC, &ca, &o) || qp_init(&x, &o) || qp_init(&y, &o) ||
	    qp_rtr(&x, &y, &o) || qp_rtr(&y, &x, &o) || qp_rts(&x, &o) || qp_rts(&y, &o))
		return;
	put32(mem_at(&b, srq.dbr), 17);
	post_send(&x, &wr);
	settle();
	while ((eqe = poll_eq(&b))) {
		srq_event |= eqe->type == PRM_EVENT_SRQ_CATAS_ERROR &&
			     be32_to_cpu(eqe->data.qp_srq.qp_srq_n) == srq.num;
		qp_event |= eqe->type == PRM_EVENT_WQ_CATAS_ERROR &&
			    be32_to_cpu(eqe->data.qp_srq.qp_srq_n) == y.qpn;
	}
	cqe = poll(&ca);
	ok(srq_event && qp_event && qp_state(&y) == PRM_QP_ERR && cqe &&
	   cqe_syndrome(cqe) == PRM_CQE_SYND_REMOTE_OP,
	   "an invalid doorbell record moves the RMP and its QP to error");
	destroy_pair(&x, &y);
}

int main(void)
{
	sides_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 8);
	test_multicast_loop();
	test_marks(ADDR_V2_IPV4, true);
	test_marks(ADDR_V2_IPV6, true);
	test_marks(ADDR_V2_VLAN, true);
	test_marks(ADDR_V1, false);
	test_dscp();
	test_local_access();
	test_srq_breaks();
	sides_close();
	return ok_end();
}
