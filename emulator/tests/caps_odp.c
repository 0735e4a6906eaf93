// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Capabilities of on-demand paging, and of the keys that it needs. */
#include <string.h>

#include "caps.h"
#include "prm/dct.h"
#include "rdma/rdma.h"

#define PAGE 4096u

/* A key of a page that is not there. */
static uint32_t create_empty(struct dut *dut)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;
	__be64 mtt[2] = {};

	prm_set(&in, pg_access, 1);
	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_MTT);
	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.lw, 1);
	prm_set(&in, memory_key_mkey_entry.rr, 1);
	prm_set(&in, memory_key_mkey_entry.rw, 1);
	prm_set(&in, memory_key_mkey_entry.a, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, dut->pd);
	prm_set64(&in, memory_key_mkey_entry.len, PAGE);
	prm_set(&in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(&in, memory_key_mkey_entry.translations_octword_size, 1);
	prm_set(&in, translations_octword_actual_size, 1);
	if (dut_cmd_tail(dut, create_mkey, &in, &out, mtt, sizeof(mtt)))
		return 0;
	return prm_get(&out, mkey_index) << 8;
}

/* ---- queue pairs --------------------------------------------------------------------------- */

static const enum prm_qp_st services[] = {
	[ODP_RC] = PRM_QP_ST_RC, [ODP_UC] = PRM_QP_ST_UC, [ODP_UD] = PRM_QP_ST_UD,
	[ODP_XRC] = PRM_QP_ST_XRC, [ODP_DC] = PRM_QP_ST_DCI,
};

static uint32_t create_shared(struct dut *dut, uint32_t xrcd)
{
	__be64 pas = cpu_to_be64(dut_alloc(dut, PAGE));
	struct prm_create_xrc_srq_in in = {};
	struct prm_create_xrc_srq_out out;
	uint64_t dbr = dut_alloc(dut, PAGE);

	prm_set(&in, xrc_srq_context_entry.log_xrc_srq_size, 2);
	prm_set(&in, xrc_srq_context_entry.log_rq_stride, 2);
	prm_set(&in, xrc_srq_context_entry.xrcd, xrcd);
	prm_set(&in, xrc_srq_context_entry.cqn, env.cqn);
	prm_set(&in, xrc_srq_context_entry.pd, dut->pd);
	prm_set(&in, xrc_srq_context_entry.db_record_addr_h, dbr >> 32);
	prm_set(&in, xrc_srq_context_entry.db_record_addr_l, (uint32_t)dbr >> 2);
	dut_check(dut_cmd_tail(dut, create_xrc_srq, &in, &out, &pas, 8), "create_xrc_srq");
	return prm_get(&out, xrc_srqn);
}

/* In RTS, connected to itself; *srqn: of XRC. NULL: there are no such. */
static struct qp *create(struct dut *dut, enum odp_service service, uint32_t *srqn)
{
	struct prm_alloc_xrcd_in alloc = {};
	struct prm_alloc_xrcd_out out;
	struct prm_create_qp_in in = {};
	struct qp *qp;
	uint32_t qpn;

	prm_set(&in, qpc.st, services[service]);
	prm_set64(&in, qpc.dbr_addr, dut_alloc(dut, PAGE));
	prm_set(&in, qpc.log_sq_size, 4);
	if (service == ODP_XRC) {
		dut_must(dut, alloc_xrcd, &alloc, &out);
		*srqn = create_shared(dut, prm_get(&out, xrcd));
		prm_set(&in, qpc.xrcd, prm_get(&out, xrcd));
		prm_set(&in, qpc.rq_type, PRM_QP_RQ_SRQ);
		prm_set(&in, qpc.srqn_rmpn_xrqn, *srqn);
	} else if (service == ODP_DC) {
		prm_set(&in, qpc.rq_type, PRM_QP_RQ_NONE);
	}
	if (create_qp(dut, &in, &qpn) || set_address(dut, 0, PRM_ROCE_V2, PRM_ROCE_L3_IPV4))
		return NULL;
	qp = obj_find(dut->dev, OBJ_QP, qpn);
	qp->state = PRM_QP_RTS;
	qp->mtu = 1024;
	qp->max_msg = 1u << LOG_MSG_MAX;
	qp->remote_qpn = qpn;
	qp->rre = true;
	qp->rwe = true;
	qp->rae = true;
	memcpy(qp->av.dmac, dut->dev->mac, 6);
	memcpy(qp->av.dgid, dut->dev->roce_addrs[0].gid, 16);
	requester_start(qp);
	responder_start(qp);
	return qp;
}

static void destroy(struct dut *dut, struct qp *qp, uint32_t srqn)
{
	struct prm_dealloc_xrcd_in in = {};
	struct prm_dealloc_xrcd_out out;

	if (qp->xrcd)
		prm_set(&in, xrcd, qp->xrcd->num);
	dut_run();
	dut_destroy_obj(dut, PRM_OP_destroy_qp, qp->obj.num);
	if (!srqn)
		return;
	dut_destroy_obj(dut, PRM_OP_destroy_xrc_srq, srqn);
	dut_must(dut, dealloc_xrcd, &in, &out);
}

/* ---- what meets the page ------------------------------------------------------------------- */

static void put_data(uint8_t *seg, uint32_t key)
{
	put32(seg, 8);
	put32(seg + 4, key);
	put64(seg + 8, 0);
}

/* The data of a SEND or WRITE. */
static void post(struct dut *dut, struct qp *qp, uint8_t opcode, uint32_t key, uint32_t srqn)
{
	uint8_t *wqe = dut_ptr(dut, DUT_BASE + qp->sq.offset), *at = wqe + 16;
	struct prm_wqe_ctrl_seg *ctrl = (void *)wqe;
	struct prm_av *av = (void *)at;

	memset(wqe, 0, 256);
	if (qp->st == PRM_QP_ST_XRC) {
		put32(at, srqn);
		at += sizeof(struct prm_wqe_xrc_seg);
	} else if (qp->st == PRM_QP_ST_UD || qp->st == PRM_QP_ST_DCI) {
		av->dqp_dct = cpu_to_be32(PRM_AV_EXTENDED | qp->obj.num);
		memcpy(av->rmac, qp->av.dmac, 6);
		memcpy(av->rgid, qp->av.dgid, 16);
		at += sizeof(*av);
	}
	if (opcode == PRM_WQE_RDMA_WRITE)
		at += sizeof(struct prm_wqe_raddr_seg);
	put_data(at, key);
	ctrl->opmod_idx_opcode = cpu_to_be32(opcode);
	ctrl->qpn_ds = cpu_to_be32(qp->obj.num << 8 | (at + 16 - wqe) / 16);
	qp->sq.pi = (at + 16 - wqe + PRM_WQE_BB - 1) / PRM_WQE_BB;
	work_queue(&qp->req.work);
	dut_run();
}

/* A request of 8 bytes; a SEND has a receive of the QP's own, or of a shared queue. */
static void request(struct qp *qp, unsigned int op, uint32_t key, uint32_t srqn)
{
	static struct srq shared;
	uint8_t ext[ATOMIC_ETH_BYTES] = {};
	struct packet pkt = { .n = 1, .type = PRM_CQE_ROCE_IPV4, .ext = ext, .xrc_srqn = srqn };
	struct responder *p = &qp->resp;
	bool recv = op == ODP_RECEIVE || op == ODP_SRQ_RECEIVE;

	pkt.bth = (struct bth){ .opcode = recv ? BTH_SEND_ONLY : op == ODP_WRITE ? BTH_WRITE_ONLY :
					  op == ODP_READ ? BTH_READ_REQUEST : BTH_FETCH_ADD,
				.psn = p->psn };
	pkt.ext_len = recv ? 8 : op == ODP_READ ? RETH_BYTES : op == ODP_WRITE ? RETH_BYTES + 8 :
										 ATOMIC_ETH_BYTES;
	if (!recv) {
		put32(ext + 8, key);
		put32(ext + 12, op == ODP_ATOMIC ? 0 : 8);
	}
	p->have_wqe = recv;
	p->wqe.srq = op == ODP_SRQ_RECEIVE ? &shared : NULL;
	p->wqe.sges[0] = (struct sge){ .lkey = key, .len = 64 };
	p->wqe.room = (struct sg_list){ .owner = &qp->obj, .user = p->user, .n = 1, .len = 64,
					.sges = p->wqe.sges, .log = trace };
	if (qp->st == PRM_QP_ST_UD) {
		pkt.bth.opcode = BTH_UD | BTH_SEND_ONLY;
		pkt.ext_len = DETH_BYTES + 8;
		responder_datagram(qp, &pkt);
	} else {
		responder_request(qp, &pkt);
	}
	dut_run();
	p->have_wqe = false;
}

static unsigned int seen;
static bool by_memory, prefetched;	/* what was seen last */

static void see(struct event_sink *sink, uint8_t type, uint8_t subtype, const void *data,
		size_t len)
{
	const struct prm_eqe_page_fault *event = data;

	(void)sink;
	(void)len;
	if (type != PRM_EVENT_PAGE_FAULT)
		return;
	seen++;
	by_memory = subtype == PRM_FAULT_MEMORY;
	prefetched = by_memory && event->memory.post_demand_fault_pages;
}

static bool raises(struct dut *dut, enum odp_service service, unsigned int op)
{
	static struct event_sink sink = { .push = see };
	uint32_t key = create_empty(dut), srqn = 0;
	struct qp *qp = key ? create(dut, service, &srqn) : NULL;

	seen = 0;
	by_memory = false;
	prefetched = false;
	if (!qp)
		return false;
	dut->dev->hca->sinks[PRM_EVENT_PAGE_FAULT] = &sink;
	if (op == ODP_SEND) {
		post(dut, qp, PRM_WQE_SEND, key, srqn);
	} else if (service == ODP_UC && op == ODP_WRITE) {
		post(dut, qp, PRM_WQE_RDMA_WRITE, key, srqn);
	} else {
		if (service == ODP_DC)	/* as a responder of a target */
			qp->st = PRM_QP_ST_DCT;
		request(qp, op, key, srqn);
		qp->st = services[service];
	}
	destroy(dut, qp, srqn);
	dut_destroy_obj(dut, PRM_OP_destroy_mkey, key >> 8);
	event_sink_remove(dut->dev, &sink);
	return seen;
}

#define AT(service) (offsetof(struct prm_odp_cap_bits,					\
			      transport_page_fault_scheme_cap.rc_odp_caps) + 32 * (service))

/* The bit of the page. */
static unsigned int bit_of(enum odp_service service, unsigned int op)
{
	unsigned int bit = AT(service);

	for (; op < ODP_SEND; op <<= 1)
		bit++;
	return bit;
}

/* If the driver can ask for it, then it does. */
static bool probe_op(struct dut *dut, uint32_t value, uint32_t arg)
{
	enum odp_service service = arg >> 8;
	unsigned int op = arg & 0xff, bit = bit_of(service, op);
	struct hca_state *hca = dut->dev->hca;
	__be32 *cur = (__be32 *)hca->cap_cur[CAP_ODP];
	bool is = raises(dut, service, op), asked;

	if (value || !hca_has_page(dut->dev, CAP_ODP))
		return is;
	if (!prm_get_bits((__be32 *)hca->cap_max[CAP_ODP], bit, 1))
		return is || !try_set_cap(dut, CAP_ODP, bit, 1, 1);
	if (try_set_cap(dut, CAP_ODP, bit, 1, 1))
		return true;
	prm_set_bits(cur, bit, 1, 1);
	asked = raises(dut, service, op);
	prm_set_bits(cur, bit, 1, 0);
	return is || !asked;
}

#define MEMORY_BIT offsetof(struct prm_odp_cap_bits, mem_page_fault)

static void set_scheme(struct dut *dut, bool memory)
{
	prm_set_bits((__be32 *)dut->dev->hca->cap_cur[CAP_ODP], MEMORY_BIT, 1, memory);
}

/* The same of the memory scheme, on cards whose driver can ask for that: there the bits are set. */
static bool probe_memory_op(struct dut *dut, uint32_t value, uint32_t arg)
{
	bool is;

	(void)value;
	if (!hca_has_page(dut->dev, CAP_ODP) || try_set_cap(dut, CAP_ODP, MEMORY_BIT, 1, 1))
		return false;
	set_scheme(dut, true);
	is = raises(dut, arg >> 8, arg & 0xff);
	set_scheme(dut, false);
	return is;
}

static bool probe_prefetch(struct dut *dut, uint32_t value, uint32_t arg)
{
	return probe_memory_op(dut, value, arg) && prefetched;
}

/* Off until the driver asks for it. */
static bool probe_scheme(struct dut *dut, uint32_t value, uint32_t arg)
{
	(void)value;
	(void)arg;
	return raises(dut, ODP_RC, ODP_SEND) && by_memory;
}

/* ---- keys ---------------------------------------------------------------------------------- */

/* The page, and keys whose pages have access bits. */
bool probe_pages(struct dut *dut, uint32_t value, uint32_t arg)
{
	uint32_t key = create_empty(dut);

	if (key)
		dut_destroy_obj(dut, PRM_OP_destroy_mkey, key >> 8);
	return probe_page(dut, value, arg) ? key : key && !value;
}

/* A UMR whose list begins at octword 2^16 */
bool probe_far_umr(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct prm_create_qp_in in = {};
	struct prm_wqe_umr_ctrl_seg *umr;
	struct prm_wqe_ctrl_seg *ctrl;
	struct swqe w;
	struct qp *qp;
	uint32_t qpn;
	int err;

	(void)value;
	(void)arg;
	prm_set(&in, qpc.st, PRM_QP_ST_REG_UMR);
	prm_set(&in, qpc.rq_type, PRM_QP_RQ_NONE);
	prm_set(&in, qpc.log_sq_size, 4);
	if (create_qp(dut, &in, &qpn))
		return false;
	qp = obj_find(dut->dev, OBJ_QP, qpn);
	ctrl = dut_ptr(dut, DUT_BASE + qp->sq.offset);
	umr = (void *)(ctrl + 1);
	memset(ctrl, 0, 256);
	ctrl->opmod_idx_opcode = cpu_to_be32(PRM_WQE_UMR);
	ctrl->qpn_ds = cpu_to_be32(qpn << 8 | 8);
	umr->flags = PRM_UMR_INLINE | PRM_UMR_TRANSLATION_OFFSET_EN;
	umr->xlt_offset_47_16 = cpu_to_be32(1);
	qp->sq.pi = 4;
	err = swqe_read(qp, 0, &w);
	dut_destroy_obj(dut, PRM_OP_destroy_qp, qpn);
	return !err;
}

static uint32_t key_of_key(struct dut *dut, uint32_t key)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;
	uint8_t klm[16];

	put32(klm, PAGE);
	put32(klm + 4, key);
	put64(klm + 8, DUT_BASE);
	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, PRM_MKC_KLMS);
	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.pd, dut->pd);
	prm_set64(&in, memory_key_mkey_entry.start_addr, DUT_BASE);
	prm_set64(&in, memory_key_mkey_entry.len, PAGE);
	prm_set(&in, memory_key_mkey_entry.translations_octword_size, 1);
	prm_set(&in, translations_octword_actual_size, 1);
	dut_check(dut_cmd_tail(dut, create_mkey, &in, &out, klm, sizeof(klm)), "create_mkey");
	return prm_get(&out, mkey_index) << 8;
}

#define DEEPEST 8u

/* Cards that say nothing have as much. */
bool probe_indirection(struct dut *dut, uint32_t value, uint32_t arg)
{
	struct mem_user user = { .pdn = dut->pd, .qpn = MEM_ANY_QP };
	uint32_t key = dut->lkey, keys[DEEPEST], depth, most = 0;

	(void)arg;
	for (depth = 0; depth < DEEPEST; depth++) {
		key = key_of_key(dut, key);
		keys[depth] = key;
		if (!mem_check(dut->dev, user, key, DUT_BASE, 64, MEM_LOCAL_READ))
			most = depth + 1;
	}
	while (depth--)
		dut_destroy_obj(dut, PRM_OP_destroy_mkey, keys[depth] >> 8);
	return most == (value ? value : MKEY_MAX_INDIRECTION);
}

#define ROW(t, field, service, op)							\
	CAP_ROW(odp_cap, transport_page_fault_scheme_cap.t##_odp_caps.field, true, probe_op, \
		(service) << 8 | (op)),							\
	CAP_ROW(odp_cap, memory_page_fault_scheme_cap.t##_odp_caps.field, true, probe_memory_op, \
		(service) << 8 | (op))
#define ROWS(t, service)								\
	ROW(t, send, service, ODP_SEND), ROW(t, write, service, ODP_WRITE),		\
	ROW(t, read, service, ODP_READ), ROW(t, atomic, service, ODP_ATOMIC),		\
	ROW(t, srq_receive, service, ODP_SRQ_RECEIVE)

const struct cap_row caps_odp[] = {
	CAP_ROW(odp_cap, mem_page_fault, true, probe_scheme, 0),
	CAP_ROW(odp_cap, memory_page_fault_scheme_cap.page_prefetch, true, probe_prefetch,
		ODP_RC << 8 | ODP_SEND),
	ROWS(rc, ODP_RC),
	ROW(rc, receive, ODP_RC, ODP_RECEIVE),
	ROWS(xrc, ODP_XRC),
	ROWS(dc, ODP_DC),
	ROW(uc, send, ODP_UC, ODP_SEND),
	ROW(uc, receive, ODP_UC, ODP_RECEIVE),
	ROW(uc, write, ODP_UC, ODP_WRITE),
	ROW(ud, send, ODP_UD, ODP_SEND),
	ROW(ud, receive, ODP_UD, ODP_RECEIVE),
	ROW(ud, srq_receive, ODP_UD, ODP_SRQ_RECEIVE),
};

const unsigned int caps_odp_n = ARRAY_SIZE(caps_odp);
