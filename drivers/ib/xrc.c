// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Extended reliable connections (XRC): each request names the SRQ of the peer that it is for. One
 * end only sends (XRC_INI), the other only receives (XRC_TGT) and belongs to an XRC domain, as do
 * the SRQs that it may reach.
 *
 * The device has one QP type for both, and requires of each what only the other has: of XRC_INI a
 * domain, an SRQ and a receive CQ, of XRC_TGT a PD and CQs. The driver supplies defaults, shared by
 * all QPs. Nothing is ever received there: requests name an SRQ of the domain, and no QP that
 * receives belongs to the default domain. Initiators of DC transport only send as well, and have
 * the same domain, but an ordinary SRQ, as with the in-tree driver.
 */
#include <linux/slab.h>

#include "queue.h"

#define LOG_CQ_SIZE 2
#define LOG_SRQ_SIZE 1
#define LOG_SRQ_STRIDE 5

int cxr_ib_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibxrcd->device);

	if (!dev->core->caps.xrc) {
		ibdev_dbg(&dev->ibdev, "XRC domain: XRC is not supported by the device\n");
		return -EOPNOTSUPP;
	}
	return cxr_cmd_alloc_xrcd(dev->core, &to_cxr_xrcd(ibxrcd)->xrcd);
}

int cxr_ib_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	cxr_cmd_dealloc_xrcd(to_cxr_dev(ibxrcd->device)->core, to_cxr_xrcd(ibxrcd)->xrcd);
	return 0;
}

/* ---- defaults ---- */

static int create_default_srq(struct cxr_ib_dev *dev, const struct cxr_ib_xrc_defaults *xrc,
			      struct cxr_ib_default_srq *srq)
{
	struct cxr_srq_attr attr = {
		.xrc = srq->xrc,
		.pdn = xrc->pdn,
		.xrcd = xrc->xrcd,
		.cqn = xrc->cq.cq.cqn,
		.user_index = CXR_IB_NO_UIDX,
		.log_size = LOG_SRQ_SIZE,
		.log_stride = LOG_SRQ_STRIDE,
	};
	int err;

	err = cxr_buf_alloc(dev->core, &srq->buf, BIT(LOG_SRQ_SIZE + LOG_SRQ_STRIDE));
	if (err)
		return err;
	err = cxr_db_alloc(dev->core, &srq->db);
	if (err)
		goto err_free_buf;

	attr.pas = cxr_buf_pas(&srq->buf);
	attr.db_dma = srq->db.dma;
	err = cxr_cmd_create_srq(dev->core, &attr, &srq->srqn);
	if (err)
		goto err_free_db;
	return 0;

err_free_db:
	cxr_db_free(dev->core, &srq->db);
err_free_buf:
	cxr_buf_free(dev->core, &srq->buf);
	return err;
}

static void destroy_default_srq(struct cxr_ib_dev *dev, struct cxr_ib_default_srq *srq)
{
	if (cxr_cmd_destroy_srq(dev->core, 0, srq->xrc, srq->srqn))
		cxr_buf_keep(dev->core, &srq->buf);
	cxr_db_free(dev->core, &srq->db);
	cxr_buf_free(dev->core, &srq->buf);
}

static struct cxr_ib_xrc_defaults *create_xrc_defaults(struct cxr_ib_dev *dev)
{
	struct cxr_ib_xrc_defaults *xrc;
	int err = -ENOMEM;

	xrc = kzalloc(sizeof(*xrc), GFP_KERNEL);
	if (!xrc)
		goto err;
	err = cxr_cmd_alloc_pd(dev->core, 0, &xrc->pdn);
	if (err)
		goto err_free;
	err = cxr_cmd_alloc_xrcd(dev->core, &xrc->xrcd);
	if (err)
		goto err_dealloc_pd;
	err = cxr_ib_internal_cq_create(dev->core, dev->uar, LOG_CQ_SIZE, &xrc->cq);
	if (err)
		goto err_dealloc_xrcd;
	xrc->srq.xrc = true;
	err = create_default_srq(dev, xrc, &xrc->srq);
	if (err)
		goto err_destroy_cq;
	return xrc;

err_destroy_cq:
	cxr_ib_internal_cq_destroy(dev->core, &xrc->cq);
err_dealloc_xrcd:
	cxr_cmd_dealloc_xrcd(dev->core, xrc->xrcd);
err_dealloc_pd:
	cxr_cmd_dealloc_pd(dev->core, 0, xrc->pdn);
err_free:
	kfree(xrc);
err:
	ibdev_dbg(&dev->ibdev, "XRC: failed to create the default objects: %d\n", err);
	return ERR_PTR(err);
}

const struct cxr_ib_xrc_defaults *cxr_ib_xrc_defaults(struct cxr_ib_dev *dev, bool dci)
{
	struct cxr_ib_xrc_defaults *xrc;
	int err = 0;

	mutex_lock(&dev->xrc_lock);
	xrc = dev->xrc_defaults;
	if (!xrc) {
		xrc = create_xrc_defaults(dev);
		if (!IS_ERR(xrc))
			dev->xrc_defaults = xrc;
	}
	if (!IS_ERR(xrc) && dci && !xrc->has_dci_srq) {
		err = create_default_srq(dev, xrc, &xrc->dci_srq);
		xrc->has_dci_srq = !err;
	}
	mutex_unlock(&dev->xrc_lock);
	return err ? ERR_PTR(err) : xrc;
}

void cxr_ib_xrc_down(void *owner)
	__context_unsafe("after the last QP")
{
	struct cxr_ib_dev *dev = owner;
	struct cxr_ib_xrc_defaults *xrc = dev->xrc_defaults;

	if (!xrc)
		return;
	dev->xrc_defaults = NULL;
	if (xrc->has_dci_srq)
		destroy_default_srq(dev, &xrc->dci_srq);
	destroy_default_srq(dev, &xrc->srq);
	cxr_ib_internal_cq_destroy(dev->core, &xrc->cq);
	cxr_cmd_dealloc_xrcd(dev->core, xrc->xrcd);
	cxr_cmd_dealloc_pd(dev->core, 0, xrc->pdn);
	kfree(xrc);
}
