// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Extended reliable connections: a connection whose requests say for which shared receive queue of
 * the other side they are. One end only sends (XRC_INI), the other only receives (XRC_TGT) and
 * belongs to a domain, as do the queues it may reach.
 *
 * The device knows one type of QP for both, and wants of each what only the other has: a domain, an
 * SRQ and a CQ of receives of the one that sends, a PD and CQs of the one that receives. These are
 * lent, the same to all QPs. Nothing is ever received into them: requests name an SRQ of the
 * domain, and whoever sends belongs to a domain that has no QP to receive.
 */
#include <linux/slab.h>

#include "ib.h"

#define LOG_LOAN_CQ 2
#define LOG_LOAN_SRQ 1
#define LOG_LOAN_STRIDE 5

int cxr_ib_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibxrcd->device);

	if (!dev->core->caps.xrc) {
		ibdev_dbg(&dev->ibdev, "XRC domain: the device has no XRC\n");
		return -EOPNOTSUPP;
	}
	return cxr_cmd_alloc_xrcd(dev->core, &to_cxr_xrcd(ibxrcd)->xrcd);
}

int cxr_ib_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	cxr_cmd_dealloc_xrcd(to_cxr_dev(ibxrcd->device)->core, to_cxr_xrcd(ibxrcd)->xrcd);
	return 0;
}

/* ---- what is lent ---- */

static int make_srq(struct cxr_ib_dev *dev, struct cxr_ib_loan *loan)
{
	struct cxr_srq_attr attr = {
		.xrc = true,
		.pdn = loan->pdn,
		.xrcd = loan->xrcd,
		.cqn = loan->cq.cq.cqn,
		.user_index = CXR_IB_NO_UIDX,
		.log_size = LOG_LOAN_SRQ,
		.log_stride = LOG_LOAN_STRIDE,
	};
	int err;

	err = cxr_buf_alloc(dev->core, &loan->srq_buf, BIT(LOG_LOAN_SRQ + LOG_LOAN_STRIDE));
	if (err)
		return err;
	err = cxr_db_alloc(dev->core, &loan->srq_db);
	if (err)
		goto err_free_buf;

	attr.pas = cxr_buf_pas(&loan->srq_buf);
	attr.db_dma = loan->srq_db.dma;
	err = cxr_cmd_create_srq(dev->core, &attr, &loan->srqn);
	if (err)
		goto err_free_db;
	return 0;

err_free_db:
	cxr_db_free(dev->core, &loan->srq_db);
err_free_buf:
	cxr_buf_free(dev->core, &loan->srq_buf);
	return err;
}

static struct cxr_ib_loan *make_loan(struct cxr_ib_dev *dev)
{
	struct cxr_ib_loan *loan;
	int err = -ENOMEM;

	loan = kzalloc(sizeof(*loan), GFP_KERNEL);
	if (!loan)
		goto err;
	err = cxr_cmd_alloc_pd(dev->core, &loan->pdn);
	if (err)
		goto err_free;
	err = cxr_cmd_alloc_xrcd(dev->core, &loan->xrcd);
	if (err)
		goto err_dealloc_pd;
	err = cxr_ib_polled_create(dev->core, dev->uar, LOG_LOAN_CQ, &loan->cq);
	if (err)
		goto err_dealloc_xrcd;
	err = make_srq(dev, loan);
	if (err)
		goto err_destroy_cq;
	return loan;

err_destroy_cq:
	cxr_ib_polled_destroy(dev->core, &loan->cq);
err_dealloc_xrcd:
	cxr_cmd_dealloc_xrcd(dev->core, loan->xrcd);
err_dealloc_pd:
	cxr_cmd_dealloc_pd(dev->core, loan->pdn);
err_free:
	kfree(loan);
err:
	ibdev_dbg(&dev->ibdev, "XRC: the objects that its QPs share cannot be made: %d\n", err);
	return ERR_PTR(err);
}

const struct cxr_ib_loan *cxr_ib_xrc_lend(struct cxr_ib_dev *dev)
{
	struct cxr_ib_loan *loan;

	mutex_lock(&dev->loan_lock);
	loan = dev->loan;
	if (!loan) {
		loan = make_loan(dev);
		if (!IS_ERR(loan))
			dev->loan = loan;
	}
	mutex_unlock(&dev->loan_lock);
	return loan;
}

void cxr_ib_xrc_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	struct cxr_ib_loan *loan = dev->loan;

	if (!loan)
		return;
	dev->loan = NULL;
	cxr_cmd_destroy_srq(dev->core, true, loan->srqn);
	cxr_db_free(dev->core, &loan->srq_db);
	cxr_buf_free(dev->core, &loan->srq_buf);
	cxr_ib_polled_destroy(dev->core, &loan->cq);
	cxr_cmd_dealloc_xrcd(dev->core, loan->xrcd);
	cxr_cmd_dealloc_pd(dev->core, loan->pdn);
	kfree(loan);
}
