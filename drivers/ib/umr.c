// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * UMR: memory keys of user space that are changed in place.
 *
 * Commands create and destroy a key; only a work request (UMR) can change one. The driver has a QP
 * for these, of a type that has no connection and may change keys of every PD. It is created for
 * the first change and kept until the device goes. A change that fails leaves the QP in error: it
 * must be destroyed, and the next change creates another one.
 *
 * Memory that is taken back from a process waits for a change of its key (odp_mr.c), so whatever
 * the holder of umr_lock waits for must not reclaim memory: its own allocations use the reserves,
 * see cxr_ib_umr_lock(), as do those of others under db_lock (core/buf.c), and of the worker that
 * gives the device pages, for which a command may wait (core/pages.c). A command waits for others
 * only while the device executes them.
 */
#include <linux/dma-mapping.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "queue.h"

#define LOG_SQ		4	/* blocks */
#define LOG_CQ		2
#define WQE_BLOCKS_MAX	3
#define WAIT_MS		5000
#define LIST_BYTES	(sizeof(struct prm_mtt) << CXR_IB_UMR_LOG_PAGES)
#define LIST_BYTES_ODP	SZ_64K		/* lists of pages that come and go are long */
#define LOG_MSG_MAX	12	/* as for datagrams: the QP sends nothing */

struct umr_wqe {
	struct prm_wqe_ctrl_seg ctrl;
	struct prm_wqe_umr_ctrl_seg umr;
	struct prm_mkc mkc;
	struct prm_wqe_data_seg list;	/* of pages, if the WQE has one */
};

static_assert(sizeof(struct umr_wqe) <= WQE_BLOCKS_MAX * PRM_WQE_BB);

/* Created in the order of the fields, destroyed in reverse order. */
struct cxr_ib_umr {
	u32 pdn;
	u32 lkey;		/* all memory */
	struct prm_mtt *list;
	dma_addr_t list_dma;
	u32 list_bytes;
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
	if (cxr_cmd_destroy_qp(core, 0, umr->qpn))
		cxr_buf_keep(core, &umr->buf);
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
	};
	unsigned int i;
	int err = 0;

	for (i = 1; !err && i < ARRAY_SIZE(states); i++) {
		mod.db_dma = states[i] == CXR_QPS_INIT ? umr->db.dma : 0;
		err = cxr_cmd_modify_qp(dev->core, 0, umr->qpn, states[i - 1], states[i], &mod, 0);
	}
	return err;
}

/* PD, list of pages, and the key by which the QP reads it. */
static int create_list(struct cxr_core *core, struct cxr_ib_umr *umr)
{
	struct cxr_mkey_attr attr = { .kind = CXR_MKEY_ALL };
	int err;

	err = cxr_cmd_alloc_pd(core, 0, &umr->pdn);
	if (err)
		return err;
	attr.pdn = umr->pdn;
	err = cxr_cmd_create_mkey(core, &attr, &umr->lkey);
	if (err)
		goto err_dealloc_pd;
	umr->list_bytes = core->caps.odp ? LIST_BYTES_ODP : LIST_BYTES;
	umr->list = dma_alloc_coherent(core->dev, umr->list_bytes, &umr->list_dma, GFP_KERNEL);
	if (umr->list)
		return 0;

	err = -ENOMEM;
	cxr_cmd_destroy_mkey(core, umr->lkey);
err_dealloc_pd:
	cxr_cmd_dealloc_pd(core, 0, umr->pdn);
	return err;
}

/* If the key is not destroyed, the device may still read the list: its memory is kept. */
static void destroy_list(struct cxr_core *core, struct cxr_ib_umr *umr)
{
	if (!cxr_cmd_destroy_mkey(core, umr->lkey))
		dma_free_coherent(core->dev, umr->list_bytes, umr->list, umr->list_dma);
	cxr_cmd_dealloc_pd(core, 0, umr->pdn);
}

static struct cxr_ib_umr *create_umr(struct cxr_ib_dev *dev)
{
	struct cxr_core *core = dev->core;
	struct cxr_ib_umr *umr;
	int err = -ENOMEM;

	umr = kzalloc(sizeof(*umr), GFP_KERNEL);
	if (!umr)
		goto err;
	err = create_list(core, umr);
	if (err)
		goto err_free;
	err = cxr_ib_internal_cq_create(core, dev->uar, LOG_CQ, &umr->cq);
	if (err)
		goto err_destroy_list;
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
err_destroy_list:
	destroy_list(core, umr);
err_free:
	kfree(umr);
err:
	ibdev_dbg(&dev->ibdev, "UMR: failed to create the QP: %d\n", err);
	return ERR_PTR(err);
}

void cxr_ib_umr_down(struct cxr_ib_dev *dev)
{
	struct cxr_core *core = dev->core;
	struct cxr_ib_umr *umr = dev->umr;

	if (!umr)
		return;
	dev->umr = NULL;
	destroy_umr_qp(core, umr);
	cxr_db_free(core, &umr->db);
	cxr_buf_free(core, &umr->buf);
	cxr_ib_internal_cq_destroy(core, &umr->cq);
	destroy_list(core, umr);
	kfree(umr);
}

static int get_umr(struct cxr_ib_dev *dev)
{
	struct cxr_ib_umr *umr;

	lockdep_assert_held(&dev->umr_lock);
	if (dev->umr)
		return 0;

	umr = create_umr(dev);
	if (IS_ERR(umr))
		return PTR_ERR(umr);
	dev->umr = umr;
	return 0;
}

/* Posts the first @bytes of a WQE whose control segment is not filled yet. */
static void post_umr(struct cxr_ib_dev *dev, u32 mkey, struct umr_wqe *wqe, size_t bytes)
	__must_hold(&dev->umr_lock)
{
	struct cxr_ib_umr *umr = dev->umr;
	struct prm_wqe_ctrl_seg *ctrl = NULL;
	size_t at, n;

	/* After the small fence DMA by an old translation is over. */
	cxr_wqe_ctrl(&wqe->ctrl, umr->qpn, umr->head, PRM_WQE_UMR, 0, bytes / sizeof(wqe->ctrl),
		     CXR_WQE_SIGNALED | CXR_WQE_FENCE_SMALL, cpu_to_be32(mkey));
	for (at = 0; at < bytes; at += n, umr->head++) {
		u32 slot = umr->head & (BIT(LOG_SQ) - 1);
		void *block = cxr_buf_at(&umr->buf, slot * PRM_WQE_BB);

		n = min_t(size_t, bytes - at, PRM_WQE_BB);
		memcpy(block, (void *)wqe + at, n);
		if (!ctrl)
			ctrl = block;
	}
	dma_wmb();	/* WQE before the record */
	WRITE_ONCE(umr->db.rec[1], cpu_to_be32(umr->head));
	/* This orders the record before the doorbell. */
	cxr_uar_ring(dev->uar, ctrl);
}

static int run_umr(struct cxr_ib_dev *dev, u32 mkey, struct umr_wqe *wqe, size_t bytes)
	__must_hold(&dev->umr_lock)
{
	struct cxr_ib_umr *umr = dev->umr;
	struct cxr_cqe cqe;
	int err;

	post_umr(dev, mkey, wqe, bytes);
	err = cxr_ib_internal_cq_wait(dev->core, &umr->cq, WAIT_MS, &cqe);
	if (!err && cqe.kind == CXR_CQE_REQ)
		return 0;
	/* The caller destroys the key; a late UMR must not find another one by its index. */
	if (err)
		cxr_cmd_modify_qp(dev->core, 0, umr->qpn, CXR_QPS_RTS, CXR_QPS_ERR, NULL, 0);
	ibdev_warn_ratelimited(&dev->ibdev, "UMR: failed to change mkey %#x: %s\n", mkey,
			       err ? "no completion" : cxr_cqe_syndrome_text(cqe.syndrome));
	return err ?: -EIO;
}

unsigned int cxr_ib_umr_lock(struct cxr_ib_dev *dev)
{
	mutex_lock(&dev->umr_lock);
	return memalloc_noreclaim_save();
}

void cxr_ib_umr_unlock(struct cxr_ib_dev *dev, unsigned int flags)
{
	memalloc_noreclaim_restore(flags);
	mutex_unlock(&dev->umr_lock);
}

int cxr_ib_umr_prepare(struct cxr_ib_dev *dev)
{
	unsigned int flags = cxr_ib_umr_lock(dev);
	int err = get_umr(dev);

	cxr_ib_umr_unlock(dev, flags);
	return err;
}

int cxr_ib_umr_change(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, u32 access, bool atomic)
{
	struct umr_wqe wqe;
	int err;

	err = get_umr(dev);
	if (err)
		return err;
	cxr_umr_access(&wqe.umr, &wqe.mkc, mkey, pdn, access, atomic);
	return run_umr(dev, mkey, &wqe, offsetof(struct umr_wqe, list));
}

int cxr_ib_umr_stop(struct cxr_ib_dev *dev, u32 mkey, u32 pdn)
{
	struct umr_wqe wqe;
	int err;

	err = get_umr(dev);
	if (err)
		return err;
	cxr_umr_revoke(&wqe.umr, &wqe.mkc, mkey, pdn);
	return run_umr(dev, mkey, &wqe, offsetof(struct umr_wqe, list));
}

int cxr_ib_umr_revoke(struct cxr_ib_dev *dev, u32 mkey)
{
	int err = get_umr(dev);

	return err ?: cxr_ib_umr_stop(dev, mkey, dev->umr->pdn);
}

int cxr_ib_umr_enable(struct cxr_ib_dev *dev, const struct cxr_fast_reg *reg,
		      const dma_addr_t *dma, u32 pdn, bool atomic)
{
	u32 room = ALIGN(reg->npages, CXR_UMR_PAGES_ALIGN), i;
	struct cxr_ib_umr *umr;
	struct umr_wqe wqe;
	int err;

	err = get_umr(dev);
	if (err)
		return err;

	umr = dev->umr;
	for (i = 0; i < reg->npages; i++)
		cxr_umr_page(&umr->list[i], dma[i]);
	memset(&umr->list[i], 0, (room - i) * sizeof(*umr->list));
	cxr_umr_enable(&wqe.umr, &wqe.mkc, reg, pdn, atomic);
	cxr_wqe_data(&wqe.list, umr->list_dma, umr->lkey, room * sizeof(*umr->list));
	return run_umr(dev, reg->key, &wqe, sizeof(wqe));
}

int cxr_ib_umr_list(struct cxr_ib_dev *dev, const struct cxr_ib_xlt *xlt, u64 *at, u64 end,
		    const struct cxr_umr_use *use)
{
	struct cxr_umr_part part = { .offset = *at };
	struct cxr_ib_umr *umr;
	struct umr_wqe wqe;
	u64 entry;
	int err;

	err = get_umr(dev);
	if (err)
		return err;

	umr = dev->umr;
	part.bytes = min_t(u64, end - part.offset, umr->list_bytes);
	entry = part.offset >> xlt->log_entry;
	memset(umr->list, 0, part.bytes);
	err = xlt->fill(xlt->arg, umr->list, entry,
			min_t(u64, part.bytes >> xlt->log_entry, xlt->n - entry));
	if (err)
		return err;
	*at += part.bytes;
	cxr_umr_list(&wqe.umr, &wqe.mkc, xlt->key, &part, use, *at == end ? use : NULL);
	cxr_wqe_data(&wqe.list, umr->list_dma, umr->lkey, part.bytes);
	return run_umr(dev, xlt->key, &wqe, sizeof(wqe));
}
