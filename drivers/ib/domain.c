// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Transport domains of user contexts, and loopback between them. */
#include "ib.h"

/*
 * Loopback of the vport is needed while two processes may want to hear each other, or one itself
 * (raw.c): for nobody else the device has to return each multicast packet that the interface sends.
 */
static int add_domain(struct cxr_ib_ucontext *ctx)
	__must_hold(&ctx->td_lock)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);
	int err = 0;

	if (ctx->has_domain)
		return 0;
	mutex_lock(&dev->loopback_lock);
	if (dev->domains == 1)
		err = cxr_loopback_get(dev->core);
	if (!err)
		dev->domains++;
	mutex_unlock(&dev->loopback_lock);
	ctx->has_domain = !err;
	return err;
}

int cxr_ib_add_domain(struct cxr_ib_ucontext *ctx)
{
	int err;

	mutex_lock(&ctx->td_lock);
	err = add_domain(ctx);
	mutex_unlock(&ctx->td_lock);
	return err;
}

static void remove_domain(struct cxr_ib_dev *dev)
{
	mutex_lock(&dev->loopback_lock);
	if (--dev->domains == 1)
		cxr_loopback_put(dev->core);
	mutex_unlock(&dev->loopback_lock);
}

static int new_td(struct cxr_ib_ucontext *ctx, u32 *tdn)
	__must_hold(&ctx->td_lock)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);
	int err;

	err = cxr_cmd_alloc_td(dev->core, ctx->uid, tdn);
	if (err)
		return err;

	err = add_domain(ctx);
	if (err)
		cxr_cmd_dealloc_td(dev->core, ctx->uid, *tdn);
	return err;
}

int cxr_ib_get_td(struct cxr_ib_ucontext *ctx, u32 *tdn)
{
	int err = 0;

	mutex_lock(&ctx->td_lock);
	if (!ctx->has_td)
		err = new_td(ctx, &ctx->tdn);
	if (!err) {
		ctx->has_td = true;
		*tdn = ctx->tdn;
	}
	mutex_unlock(&ctx->td_lock);
	return err;
}

void cxr_ib_put_domains(struct cxr_ib_ucontext *ctx)
	__context_unsafe("nobody else knows it any more")
{
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);

	if (ctx->has_domain)
		remove_domain(dev);
	if (ctx->has_td)
		cxr_cmd_dealloc_td(dev->core, ctx->uid, ctx->tdn);
}
