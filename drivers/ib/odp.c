// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* On-demand paging: events of page faults, and what the device can. See odp.h. */
#include <linux/slab.h>

#include "odp.h"

/*
 * That there are always. There may be more faults: a QP waits in up to four places, and an SRQ has
 * one fault per QP. Those wait in the EQ.
 */
#define FAULTS_MIN	64

static_assert(CXR_ODP_SEND == IB_ODP_SUPPORT_SEND);
static_assert(CXR_ODP_RECV == IB_ODP_SUPPORT_RECV);
static_assert(CXR_ODP_WRITE == IB_ODP_SUPPORT_WRITE);
static_assert(CXR_ODP_READ == IB_ODP_SUPPORT_READ);
static_assert(CXR_ODP_ATOMIC == IB_ODP_SUPPORT_ATOMIC);
static_assert(CXR_ODP_SRQ_RECV == IB_ODP_SUPPORT_SRQ_RECV);

struct fault {
	struct work_struct work;
	struct cxr_ib_odp *odp;
	struct cxr_fault fault;
	u8 wqe[CXR_IB_ODP_WQE];
};

/* ---- faults ---------------------------------------------------------------------------------- */

static void fault_work(struct work_struct *work)
{
	struct fault *f = container_of(work, struct fault, work);
	struct cxr_ib_odp *odp = f->odp;

	cxr_ib_odp_handle(odp, &f->fault, f->wqe);
	mempool_free(f, odp->pool);
	smp_mb__after_atomic();	/* free, then the mark; pairs with get_fault() */
	if (test_and_clear_bit(0, &odp->starved))
		cxr_faults_poll(odp->dev->core);
}

/* If there is none, those in progress poll the events when they are done. */
static struct fault *get_fault(struct cxr_ib_odp *odp)
{
	struct fault *f = mempool_alloc(odp->pool, GFP_ATOMIC);

	if (f)
		return f;
	set_bit(0, &odp->starved);
	smp_mb__after_atomic();	/* the mark, then another try; pairs with fault_work() */
	return mempool_alloc(odp->pool, GFP_ATOMIC);
}

/* Interrupt context. */
static bool take_fault(void *priv, const struct prm_eqe *eqe)
{
	struct cxr_ib_odp *odp = priv;
	struct fault *f = get_fault(odp);

	if (!f)
		return false;
	if (cxr_fault_decode(eqe, &f->fault))
		ibdev_warn_ratelimited(&odp->dev->ibdev, "page fault of unknown type %#x\n",
				       f->fault.type);
	f->odp = odp;
	INIT_WORK(&f->work, fault_work);
	queue_work(odp->faults, &f->work);
	return true;
}

static int start(struct cxr_ib_odp *odp)
{
	int err;

	/* Page faults, and memory that is taken back, find it there. */
	err = cxr_ib_umr_prepare(odp->dev);
	if (err)
		return err;
	odp->pool = mempool_create_kmalloc_pool(FAULTS_MIN, sizeof(struct fault));
	if (!odp->pool)
		return -ENOMEM;
	err = -ENOMEM;
	/* Reclaim may wait for a QP that waits for a page. */
	odp->faults = alloc_workqueue("cxr_ib_faults", WQ_HIGHPRI | WQ_UNBOUND | WQ_MEM_RECLAIM,
				      0);
	if (!odp->faults)
		goto err_free_pool;
	err = cxr_faults_start(odp->dev->core, take_fault, odp);
	if (err)
		goto err_free_queue;
	return 0;

err_free_queue:
	destroy_workqueue(odp->faults);
err_free_pool:
	mempool_destroy(odp->pool);
	return err;
}

int cxr_ib_odp_start(struct cxr_ib_odp *odp)
{
	int err = 0;

	mutex_lock(&odp->lock);
	if (!odp->started)
		err = start(odp);
	odp->started = !err;
	mutex_unlock(&odp->lock);
	return err;
}

/* ---- stage ----------------------------------------------------------------------------------- */

int cxr_ib_odp_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	struct cxr_ib_odp *odp;

	if (!dev->core->caps.odp)
		return 0;
	odp = kzalloc(sizeof(*odp), GFP_KERNEL);
	if (!odp)
		return -ENOMEM;
	odp->later = alloc_workqueue("cxr_ib_odp", WQ_UNBOUND, 0);
	if (!odp->later) {
		kfree(odp);
		return -ENOMEM;
	}
	odp->dev = dev;
	mutex_init(&odp->lock);
	xa_init(&odp->keys);
	dev->odp = odp;
	return 0;
}

/* Works that are left find nothing by their keys. */
void cxr_ib_odp_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	struct cxr_ib_odp *odp = dev->odp;

	if (!odp)
		return;
	mutex_lock(&odp->lock);
	if (odp->started) {
		cxr_faults_stop(dev->core);
		destroy_workqueue(odp->faults);
		mempool_destroy(odp->pool);
		odp->started = false;
	}
	mutex_unlock(&odp->lock);
	destroy_workqueue(odp->later);
	xa_destroy(&odp->keys);
	mutex_destroy(&odp->lock);
	dev->odp = NULL;
	kfree(odp);
}

/* ---- for programs ---------------------------------------------------------------------------- */

void cxr_ib_odp_fill_caps(const struct cxr_caps *caps, struct ib_odp_caps *odp)
{
	if (!caps->odp)
		return;
	odp->general_caps = IB_ODP_SUPPORT | (caps->odp_implicit ? IB_ODP_SUPPORT_IMPLICIT : 0);
	odp->per_transport_caps.rc_odp_caps = caps->odp_rc;
	odp->per_transport_caps.ud_odp_caps = caps->odp_ud;
	odp->per_transport_caps.xrc_odp_caps = caps->odp_xrc;
}
