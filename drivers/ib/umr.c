// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * UMR: memory keys of user space that are changed in place.
 *
 * Commands create and destroy a key; only a work request (UMR) can change one. The driver has a QP
 * for these, of a type that has no connection and may change keys of every PD. It is created for
 * the first change and kept until the device goes. A change that fails leaves the QP in error: it
 * is destroyed, and the next change creates another one.
 */
#include <linux/slab.h>

#include "queue.h"

#define LOG_SQ		4	/* blocks */
#define LOG_CQ		2
#define WQE_BLOCKS	2
#define WAIT_MS		5000
#define LOG_MSG_MAX	12	/* as for datagrams: the QP sends nothing */

struct umr_wqe {
	struct prm_wqe_ctrl_seg ctrl;
	struct prm_wqe_umr_ctrl_seg umr;
	struct prm_mkc mkc;
};

static_assert(sizeof(struct umr_wqe) == WQE_BLOCKS * PRM_WQE_BB);

/* Created in the order of the fields, destroyed in reverse order. */
struct cxr_ib_umr {
	u32 pdn;
	struct cxr_ib_internal_cq cq;
	struct cxr_buf buf;
	struct cxr_db db;
	u32 qpn;
	u16 head;		/* blocks posted */
};

static int create_umr_qp(struct cxr_ib_dev *dev, struct cxr_ib_umr *umr)
{
	struct cxr_pas pas = cxr_buf_pas(&umr->buf);
	struct cxr_qp_create create = {
		.type = CXR_QP_UMR,
		.pdn = umr->pdn,
		.cqn_snd = umr->cq.cq.cqn,
		.cqn_rcv = umr->cq.cq.cqn,
		.uar = dev->uar->index,
		.user_index = CXR_IB_NO_UIDX,
		.log_sq_size = LOG_SQ,
		.no_rq = true,
		.fast_reg = true,
		.log_page_size = PAGE_SHIFT,
		.db_dma = umr->db.dma,
	};

	return cxr_cmd_create_qp(dev->core, &create, &pas, &umr->qpn);
}

static void destroy_umr_qp(struct cxr_core *core, struct cxr_ib_umr *umr)
{
	if (cxr_cmd_destroy_qp(core, umr->qpn))
		cxr_ib_keep_memory(NULL, &umr->buf);
}

static int move_umr_qp_to_rts(struct cxr_ib_dev *dev, struct cxr_ib_umr *umr)
{
	static const enum cxr_qp_state states[] = {
		CXR_QPS_RST, CXR_QPS_INIT, CXR_QPS_RTR, CXR_QPS_RTS,
	};
	struct cxr_qp_mod mod = {
		.type = CXR_QP_UMR,
		.port = CXR_IB_PORT,
		.addr = { .port = CXR_IB_PORT },
		.mtu = IB_MTU_4096,
		.log_msg_max = LOG_MSG_MAX,
		.pdn = umr->pdn,
		.cqn_snd = umr->cq.cq.cqn,
		.cqn_rcv = umr->cq.cq.cqn,
		.db_dma = umr->db.dma,
	};
	unsigned int i;
	int err = 0;

	for (i = 1; !err && i < ARRAY_SIZE(states); i++)
		err = cxr_cmd_modify_qp(dev->core, umr->qpn, states[i - 1], states[i], &mod, 0);
	return err;
}

static struct cxr_ib_umr *create_umr(struct cxr_ib_dev *dev)
{
	struct cxr_core *core = dev->core;
	struct cxr_ib_umr *umr;
	int err = -ENOMEM;

	umr = kzalloc(sizeof(*umr), GFP_KERNEL);
	if (!umr)
		goto err;
	err = cxr_cmd_alloc_pd(core, &umr->pdn);
	if (err)
		goto err_free;
	err = cxr_ib_internal_cq_create(core, dev->uar, LOG_CQ, &umr->cq);
	if (err)
		goto err_dealloc_pd;
	err = cxr_buf_alloc(core, &umr->buf, PRM_WQE_BB << LOG_SQ);
	if (err)
		goto err_destroy_cq;
	err = cxr_db_alloc(core, &umr->db);
	if (err)
		goto err_free_buf;
	err = create_umr_qp(dev, umr);
	if (err)
		goto err_free_db;
	err = move_umr_qp_to_rts(dev, umr);
	if (err)
		goto err_destroy_qp;
	return umr;

err_destroy_qp:
	destroy_umr_qp(core, umr);
err_free_db:
	cxr_db_free(core, &umr->db);
err_free_buf:
	cxr_buf_free(core, &umr->buf);
err_destroy_cq:
	cxr_ib_internal_cq_destroy(core, &umr->cq);
err_dealloc_pd:
	cxr_cmd_dealloc_pd(core, umr->pdn);
err_free:
	kfree(umr);
err:
	ibdev_dbg(&dev->ibdev, "UMR: failed to create the QP: %d\n", err);
	return ERR_PTR(err);
}

void cxr_ib_umr_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	struct cxr_core *core = dev->core;
	struct cxr_ib_umr *umr = dev->umr;

	if (!umr)
		return;
	dev->umr = NULL;
	destroy_umr_qp(core, umr);
	cxr_db_free(core, &umr->db);
	cxr_buf_free(core, &umr->buf);
	cxr_ib_internal_cq_destroy(core, &umr->cq);
	cxr_cmd_dealloc_pd(core, umr->pdn);
	kfree(umr);
}

static void post_umr(struct cxr_ib_dev *dev, struct cxr_ib_umr *umr, u32 mkey, u32 pdn, u32 access)
{
	const struct cxr_caps *caps = &dev->core->caps;
	u32 slot = umr->head & (BIT(LOG_SQ) - 1);
	struct umr_wqe *wqe = cxr_buf_at(&umr->buf, slot * PRM_WQE_BB);

	cxr_wqe_ctrl(&wqe->ctrl, umr->qpn, umr->head, PRM_WQE_UMR, 0,
		     sizeof(*wqe) / sizeof(wqe->ctrl), CXR_WQE_SIGNALED, cpu_to_be32(mkey));
	cxr_umr_access(&wqe->umr, &wqe->mkc, mkey, pdn, access,
		       caps->atomic && !caps->umr_modify_atomic_disabled);
	umr->head += WQE_BLOCKS;
	dma_wmb();	/* WQE before the record */
	WRITE_ONCE(umr->db.rec[1], cpu_to_be32(umr->head));
	/* This orders the record before the doorbell. */
	cxr_uar_ring(dev->uar, &wqe->ctrl);
}

static int umr_change_locked(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, u32 access)
{
	struct cxr_cqe cqe;
	int err;

	lockdep_assert_held(&dev->umr_lock);
	if (!dev->umr) {
		struct cxr_ib_umr *umr = create_umr(dev);

		if (IS_ERR(umr))
			return PTR_ERR(umr);
		dev->umr = umr;
	}

	post_umr(dev, dev->umr, mkey, pdn, access);
	err = cxr_ib_internal_cq_wait(dev->core, &dev->umr->cq, WAIT_MS, &cqe);
	if (!err && cqe.kind == CXR_CQE_REQ)
		return 0;
	ibdev_warn_ratelimited(&dev->ibdev, "UMR: failed to change mkey %#x: %s\n", mkey,
			       err ? "no completion" : cxr_cqe_syndrome_text(cqe.syndrome));
	cxr_ib_umr_down(dev);
	return err ?: -EIO;
}

int cxr_ib_umr_change(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, u32 access)
{
	int err;

	mutex_lock(&dev->umr_lock);
	err = umr_change_locked(dev, mkey, pdn, access);
	mutex_unlock(&dev->umr_lock);
	return err;
}
