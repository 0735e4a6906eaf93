// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Does write combining work here?
 *
 * BlueFlame writes a whole WQE to the UAR page, so that the device need not fetch it. That works
 * only if the 64 bytes arrive in one piece, which depends on the processor, the bridges and, in a
 * virtual machine, the hypervisor. In pieces it is a doorbell followed by useless writes: slower
 * than a doorbell alone. So it is tested. NOP WQEs are written by BlueFlame with a completion
 * requested, while in the queue only the last of them requests one: the first completion tells
 * where the device took the WQEs from.
 */
#include <linux/bits.h>
#include <linux/io.h>
#include <linux/slab.h>

#include "../codec/wqe.h"
#include "cxr/cmd.h"
#include "queue.h"

#define LOG_WQES	6	/* combining may fail now and then */
#define WQES		BIT(LOG_WQES)
#define LOG_CQES	(LOG_WQES + 1)
#define WAIT_MS		100

/* Objects of the test. */
struct wc_test {
	struct cxr_core *core;
	struct cxr_uar *uar;
	struct cxr_buf sq_buf;
	struct cxr_db sq_db;
	u32 pdn, tdn, tisn;
	struct cxr_ib_internal_cq cq;
	u32 sqn;
};

static void destroy_test_sq(struct wc_test *t)
{
	if (cxr_cmd_destroy_sq(t->core, 0, t->sqn))
		cxr_buf_keep(t->core, &t->sq_buf);
}

static int create_test_sq(struct wc_test *t)
{
	struct cxr_sq_attr attr = {
		.tisn = t->tisn,
		.cqn = t->cq.cq.cqn,
		.pdn = t->pdn,
		.uar = t->uar->index,
		.log_size = LOG_WQES,
		.pas = cxr_buf_pas(&t->sq_buf),
		.db_dma = t->sq_db.dma,
	};
	int err;

	err = cxr_cmd_create_sq(t->core, &attr, &t->sqn);
	if (err)
		return err;
	err = cxr_cmd_sq_ready(t->core, 0, t->sqn);
	if (err)
		destroy_test_sq(t);
	return err;
}

static int create_test_objects(struct wc_test *t)
{
	int err;

	err = cxr_cmd_alloc_pd(t->core, 0, &t->pdn);
	if (err)
		return err;
	err = cxr_cmd_alloc_td(t->core, 0, &t->tdn);
	if (err)
		goto err_pd;
	err = cxr_cmd_create_tis(t->core, 0, t->tdn, 0, 0, &t->tisn);
	if (err)
		goto err_td;
	err = cxr_ib_internal_cq_create(t->core, t->uar, LOG_CQES, &t->cq);
	if (err)
		goto err_tis;
	err = create_test_sq(t);
	if (err)
		goto err_cq;
	return 0;

err_cq:
	cxr_ib_internal_cq_destroy(t->core, &t->cq);
err_tis:
	cxr_cmd_destroy_tis(t->core, 0, t->tisn);
err_td:
	cxr_cmd_dealloc_td(t->core, 0, t->tdn);
err_pd:
	cxr_cmd_dealloc_pd(t->core, 0, t->pdn);
	return err;
}

static void destroy_test_objects(struct wc_test *t)
{
	destroy_test_sq(t);
	cxr_ib_internal_cq_destroy(t->core, &t->cq);
	cxr_cmd_destroy_tis(t->core, 0, t->tisn);
	cxr_cmd_dealloc_td(t->core, 0, t->tdn);
	cxr_cmd_dealloc_pd(t->core, 0, t->pdn);
}

static void free_test_memory(struct wc_test *t)
{
	cxr_db_free(t->core, &t->sq_db);
	cxr_buf_free(t->core, &t->sq_buf);
	cxr_uar_free(t->core, t->uar);
}

static int alloc_test_memory(struct wc_test *t)
{
	int err;

	t->uar = cxr_uar_alloc_wc(t->core);
	if (IS_ERR(t->uar))
		return PTR_ERR(t->uar);
	err = cxr_buf_alloc(t->core, &t->sq_buf, WQES * PRM_WQE_BB);
	if (err)
		goto err_uar;
	err = cxr_db_alloc(t->core, &t->sq_db);
	if (err)
		goto err_sq_buf;
	return 0;

err_sq_buf:
	cxr_buf_free(t->core, &t->sq_buf);
err_uar:
	cxr_uar_free(t->core, t->uar);
	return err;
}

static void post_test_wqe(struct wc_test *t, unsigned int i)
{
	struct prm_wqe_ctrl_seg *wqe = cxr_buf_at(&t->sq_buf, i * PRM_WQE_BB);
	u64 flame[PRM_WQE_BB / sizeof(u64)] = {};

	cxr_wqe_ctrl(wqe, t->sqn, i, PRM_WQE_NOP, 0, 1, i == WQES - 1 ? CXR_WQE_SIGNALED : 0, 0);
	cxr_wqe_ctrl((void *)flame, t->sqn, i, PRM_WQE_NOP, 0, 1, CXR_WQE_SIGNALED, 0);

	dma_wmb();	/* WQE before the record */
	t->sq_db.rec[1] = cpu_to_be32(i + 1);
	wmb();		/* both before the doorbell */
	__iowrite64_copy(t->uar->map + PRM_UAR_BF + i % 2 * PRM_UAR_BF_HALF, flame,
			 ARRAY_SIZE(flame));
	wmb();		/* flush the combining buffer before the next WQE */
}

/* WQE of the first completion; -ETIMEDOUT: none came, -EIO: it is an error. */
static int first_completed(struct wc_test *t)
{
	struct cxr_cqe cqe;
	int err;

	err = cxr_ib_internal_cq_wait(t->core, &t->cq, WAIT_MS, &cqe);
	if (err)
		return err;
	return cqe.kind == CXR_CQE_REQ ? cqe.wqe_counter : -EIO;
}

bool cxr_ib_test_wc(struct cxr_ib_dev *dev)
{
	struct wc_test t = { .core = dev->core };
	unsigned int i;
	int first;

	if (!dev->core->caps.bf || !dev->core->caps.log_max_sq ||
	    dev->core->caps.log_max_wq_sz < LOG_WQES || !arch_can_pci_mmap_wc())
		return false;
	first = alloc_test_memory(&t);
	if (first)
		goto out;
	first = create_test_objects(&t);
	if (first)
		goto out_free;

	for (i = 0; i < WQES; i++)
		post_test_wqe(&t, i);
	first = first_completed(&t);
	destroy_test_objects(&t);
out_free:
	free_test_memory(&t);
out:
	if (first < 0)
		dev_warn(dev->core->dev, "BlueFlame is not used: the write-combining test could not run: %d\n",
			 first);
	return first >= 0 && first < WQES - 1;
}
