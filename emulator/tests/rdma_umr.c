// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory keys changed through the send queue: what the tests of UMR and of windows share. */
#include "rdma_umr.h"

struct tcq ca, cb;

bool good(struct tcq *cq)
{
	struct prm_cqe64 *cqe;

	settle();
	cqe = poll(cq);
	return cqe && cqe_opcode(cqe) == PRM_CQE_REQ;
}

unsigned int syndrome_of(struct tcq *cq)
{
	struct prm_cqe64 *cqe;

	settle();
	cqe = poll(cq);
	return cqe && cqe_opcode(cqe) == PRM_CQE_REQ_ERR ? cqe_syndrome(cqe) : 0;
}

uint32_t create_free_mkey(struct side *side, uint32_t pd, enum mkey_mode mode, uint32_t octwords,
			  bool rinval)
{
	struct prm_create_mkey_in in = {};
	struct prm_create_mkey_out out;

	prm_set(&in, memory_key_mkey_entry.free, 1);
	prm_set(&in, memory_key_mkey_entry.umr_en, 1);
	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, mode);
	prm_set(&in, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&in, memory_key_mkey_entry.mkey_7_0, 0x5a);
	prm_set(&in, memory_key_mkey_entry.pd, pd);
	prm_set(&in, memory_key_mkey_entry.en_rinval, rinval);
	prm_set(&in, memory_key_mkey_entry.translations_octword_size, octwords);
	prm_set(&in, memory_key_mkey_entry.log_page_size, mode == MKEY_KLM ? 0 : 12);
	if (command(side, create_mkey, &in, &out))
		return 0;
	return prm_get(&out, mkey_index) << 8 | 0x5a;
}

uint32_t build_umr(const struct umr_wr *u, uint8_t *raw)
{
	struct prm_wqe_umr_ctrl_seg *ctrl = (void *)(raw + 16);
	struct prm_mkc *mkc = (void *)(raw + 64);

	ctrl->flags = u->flags;
	ctrl->xlt_octowords = cpu_to_be16(u->octwords);
	ctrl->xlt_offset = cpu_to_be16(u->offset);
	ctrl->xlt_offset_47_16 = cpu_to_be32(u->offset >> 16);
	ctrl->mkey_mask = cpu_to_be64(u->mask);
	prm_set(mkc, free, u->free);
	prm_set(mkc, en_rinval, u->rinval);
	prm_set(mkc, lr, !!(u->rights & MEM_LOCAL_READ));
	prm_set(mkc, lw, !!(u->rights & MEM_LOCAL_WRITE));
	prm_set(mkc, rr, !!(u->rights & MEM_REMOTE_READ));
	prm_set(mkc, rw, !!(u->rights & MEM_REMOTE_WRITE));
	prm_set(mkc, a, !!(u->rights & MEM_REMOTE_ATOMIC));
	prm_set(mkc, qpn, u->qpn ? u->qpn : 0xffffff);
	prm_set(mkc, mkey_7_0, u->new_key & 0xff);
	prm_set(mkc, pd, u->pd);
	prm_set64(mkc, start_addr, u->va);
	prm_set64(mkc, len, u->len);
	prm_set(mkc, length64, u->length64);
	prm_set(mkc, log_page_size, 12);
	if (u->list) {
		memcpy(raw + 128, u->list, u->list_len);
		return 128 + ((u->list_len + 63) & ~63u);
	}
	if (!u->sge.key)
		return 128;
	put32(raw + 128, u->sge.len);
	put32(raw + 132, u->sge.key);
	put64(raw + 136, u->sge.va);
	return 144;
}

void post_umr(struct tqp *qp, const struct umr_wr *u)
{
	struct wr wr = { .opcode = PRM_WQE_UMR, .imm = u->key, .flags = u->fence,
			 .quiet = u->quiet };
	uint8_t raw[1024] __attribute__((aligned(8))) = {};

	post_wqe(qp, &wr, raw, build_umr(u, raw));
	ring(qp);
}

void page_list(struct side *side, uint8_t *list, uint32_t off, unsigned int n)
{
	uint8_t *base = mem_at(side, MEM_BASE);
	unsigned int i;

	for (i = 0; i < n; i++) {
		uint64_t skew = (side->va + off) & (PAGE - 1);

		put64(list + 8 * i, MEM_BASE + (buf_at(side, off - skew + i * PAGE) - base) + 3);
	}
}

struct umr_wr reg_wr(uint32_t key, const uint8_t *list, unsigned int n)
{
	return (struct umr_wr) { .key = key,
				 .flags = PRM_UMR_INLINE | PRM_UMR_CHECK_NOT_FREE,
				 .mask = REG_MASK,
				 .octwords = (n * 8 + 63) / 64 * 4,
				 .rights = ALL_RIGHTS,
				 .rinval = true,
				 .new_key = key,
				 .va = b.va + KEY_OFF,
				 .len = KEY_BYTES,
				 .list = list,
				 .list_len = (n * 8 + 63) / 64 * 64,
				 .fence = PRM_WQE_FENCE_STRONG };
}

struct umr_wr klm_reg_wr(uint32_t key, const uint8_t *list)
{
	return reg_wr(key, list, 64 / sizeof(uint64_t));
}

struct umr_wr inval_wr(uint32_t key)
{
	return (struct umr_wr) { .key = key,
				 .flags = PRM_UMR_INLINE,
				 .mask = PRM_UMR_MASK_FREE,
				 .free = true };
}

void klm_put(uint8_t *klm, uint32_t len, uint32_t key, uint64_t va)
{
	put32(klm, len);
	put32(klm + 4, key);
	put64(klm + 8, va);
}

unsigned int write_to(struct tqp *x, uint32_t rkey, uint64_t va, uint32_t seed)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { { a.va, KEY_BYTES, a.lkey } },
			 .raddr = va,
			 .rkey = rkey };
	struct prm_cqe64 *cqe;

	buf_fill(&a, 0, KEY_BYTES, seed);
	post_send(x, &wr);
	settle();
	cqe = poll(&ca);
	if (!cqe)
		return 0xff;
	return cqe_opcode(cqe) == PRM_CQE_REQ ? 0 : cqe_syndrome(cqe);
}

bool arrived(uint32_t seed)
{
	return buf_is(&b, KEY_OFF, KEY_BYTES, seed);
}

static void pair_with(struct tqp *x, struct tqp *y, bool no_fre)
{
	struct qp_opts o = { .addr = ADDR_V2_IPV4, .no_fre = no_fre };

	drain(&ca, &cb);
	create_pair(x, y, PRM_QP_ST_RC, &ca, &cb, &o);
}

void pair(struct tqp *x, struct tqp *y)
{
	pair_with(x, y, false);
}

void user_pair(struct tqp *x, struct tqp *y)
{
	pair_with(x, y, true);
}

void create_umr_qp(struct tqp *qp, struct side *side, struct tcq *cq)
{
	struct { struct prm_create_qp_in in; __be64 pas[2]; } cmd = {};
	struct prm_create_qp_out out;
	struct qp_opts o = {};

	*qp = (struct tqp) { .side = side, .st = PRM_QP_ST_REG_UMR, .cq = cq, .log_sq = 6 };
	qp->sq = mem_alloc(side, 64 << 6);
	qp->dbr = mem_alloc(side, 64);
	cmd.pas[0] = cpu_to_be64(qp->sq);
	prm_set(&cmd.in, opcode, PRM_OP_create_qp);
	prm_set(&cmd.in, qpc.st, PRM_QP_ST_REG_UMR);
	prm_set(&cmd.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&cmd.in, qpc.fre, 1);
	prm_set(&cmd.in, qpc.log_sq_size, 6);
	prm_set(&cmd.in, qpc.rq_type, PRM_QP_RQ_NONE);
	prm_set(&cmd.in, qpc.uar_page, side->uar);
	prm_set(&cmd.in, qpc.user_index, 0x124);
	prm_set(&cmd.in, qpc.cqn_snd, cq->cqn);
	prm_set64(&cmd.in, qpc.dbr_addr, qp->dbr);
	if (exec(side, PRM_OP_create_qp, &cmd, sizeof(cmd), &out, sizeof(out)))
		return;
	qp->qpn = prm_get(&out, qpn);
	qp_init(qp, &o);
	qp_rtr(qp, qp, &o);
	qp_rts(qp, &o);
}
