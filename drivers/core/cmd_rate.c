// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The table of rates of packet pacing. */
#include <linux/slab.h>

#include "cxr/rate.h"
#include "prm/cmdif.h"
#include "prm/devx.h"
#include "prm/rate.h"
#include "core.h"

static_assert(sizeof(struct prm_set_pp_rate_limit_context) == CXR_RATE_BYTES);

/* @raw: NULL to clear it */
static int set_rate(struct cxr_core *core, int entry, const u8 *raw, u16 uid)
{
	struct prm_set_pp_rate_limit_in in = {};
	struct prm_set_pp_rate_limit_out out;

	prm_set(&in, uid, uid);
	prm_set(&in, rate_limit_index, entry + 1);
	if (raw)
		memcpy(prm_sub(&in, ctx, set_pp_rate_limit_context), raw, CXR_RATE_BYTES);
	return cxr_cmd(core, set_pp_rate_limit, &in, &out);
}

static int get_entry(struct cxr_core *core, struct cxr_rates *rates, const u8 *raw, u16 own)
	__must_hold(&rates->lock)
{
	u16 uid = own ?: core->caps.rate_uid ? PRM_UID_SHARED : 0;
	struct cxr_rate_entry *entry;
	u16 n;
	int i, err;

	if (!rates->entries) {
		rates->n = core->caps.rates.n;
		rates->entries = kvcalloc(rates->n, sizeof(*rates->entries), GFP_KERNEL);
	}
	if (!rates->entries)
		return -ENOMEM;
	n = min(rates->n, core->caps.rates.n);
	i = cxr_rate_find(rates->entries, n, raw, uid, own);
	if (i < 0) {
		dev_warn_ratelimited(core->dev, "packet pacing: all %u rates are in use\n", n);
		return i;
	}
	entry = &rates->entries[i];
	if (!entry->users) {
		/* As the kernel: its user context may be gone. */
		err = entry->kept ? set_rate(core, i, NULL, 0) : 0;
		entry->kept = err;
		err = err ?: set_rate(core, i, raw, uid);
		if (err)
			return err;
		memcpy(entry->raw, raw, CXR_RATE_BYTES);
		entry->uid = uid;
		entry->own = own;
	}
	entry->users++;
	return i;
}

int cxr_rate_get_raw(struct cxr_core *core, const u8 raw[CXR_RATE_BYTES], u16 uid, u16 *index)
{
	struct cxr_rates *rates = &to_dev(core)->rates;
	const struct prm_set_pp_rate_limit_context *ctx = (const void *)raw;
	struct cxr_rate rate = {
		.kbps = prm_get(ctx, rate_limit),
		.burst = prm_get(ctx, burst_upper_bound),
		.typical = prm_get(ctx, typical_packet_size),
	};
	const char *why;
	int err;

	err = cxr_rate_check(&core->caps.rates, &rate, &why);
	if (err) {
		dev_warn_ratelimited(core->dev,
				     "packet pacing: %u kb/s, burst %u, packets of %u bytes: %s\n",
				     rate.kbps, rate.burst, rate.typical, why);
		return err;
	}
	mutex_lock(&rates->lock);
	err = get_entry(core, rates, raw, uid);
	mutex_unlock(&rates->lock);
	if (err < 0)
		return err;
	*index = err + 1;
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_rate_get_raw);

int cxr_rate_get(struct cxr_core *core, const struct cxr_rate *rate, u16 *index)
{
	struct prm_set_pp_rate_limit_context ctx = {};

	prm_set(&ctx, rate_limit, rate->kbps);
	prm_set(&ctx, burst_upper_bound, rate->burst);
	prm_set(&ctx, typical_packet_size, rate->typical);
	return cxr_rate_get_raw(core, (const u8 *)&ctx, 0, index);
}
EXPORT_SYMBOL_GPL(cxr_rate_get);

void cxr_rate_put(struct cxr_core *core, u16 index)
{
	struct cxr_rates *rates = &to_dev(core)->rates;
	struct cxr_rate_entry *entry;

	mutex_lock(&rates->lock);
	entry = &rates->entries[index - 1];
	/* For the device it is still that of its user, and nobody else can set it. */
	if (!--entry->users)
		entry->kept = set_rate(core, index - 1, NULL, entry->uid);
	mutex_unlock(&rates->lock);
}
EXPORT_SYMBOL_GPL(cxr_rate_put);
