// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * RSS contexts: tables and hashes besides those of the netdev, for packets that rules of ethtool -N
 * lead to them (-X context new, -N context ID). RTNL protects the list. While the interface is open
 * each has its RQT and TIRs, which are under cxr_en.lock as all steering is.
 */
#include <linux/ethtool.h>
#include <linux/slab.h>
#include "en.h"

struct cxr_en_context {
	struct list_head node;
	u32 id;
	unsigned int users;	/* rules */
	struct cxr_en_rss rss;
	struct cxr_en_rss_objects objects;
};

static struct cxr_en_context *find_context(const struct cxr_en *en, u32 id)
{
	struct cxr_en_context *context;

	list_for_each_entry(context, &en->contexts, node)
		if (context->id == id)
			return context;
	return NULL;
}

/* ---- in the device ------------------------------------------------------ */

/* TIRs of kinds of packets that have a hash */
static int create_objects(struct cxr_en *en, struct cxr_en_context *context)
{
	return cxr_en_rss_objects_create(en, &context->rss, CXR_EN_TIR_DIRECT + 1,
					 &context->objects);
}

void cxr_en_contexts_destroy(struct cxr_en *en)
{
	struct cxr_en_context *context;

	list_for_each_entry(context, &en->contexts, node)
		cxr_en_rss_objects_destroy(en, &context->objects);
}

int cxr_en_contexts_create(struct cxr_en *en)
{
	struct cxr_en_context *context;
	int err;

	list_for_each_entry(context, &en->contexts, node) {
		err = create_objects(en, context);
		if (err) {
			cxr_en_contexts_destroy(en);
			return err;
		}
	}
	return 0;
}

u32 cxr_en_context_tirn(const struct cxr_en_context *context, enum cxr_en_tir tir)
{
	return context->objects.tirn[tir];
}

/* ---- for rules and ethtool.c -------------------------------------------- */

struct cxr_en_context *cxr_en_context_get(struct cxr_en *en, u32 id)
{
	struct cxr_en_context *context = find_context(en, id);

	if (context)
		context->users++;
	return context;
}

u32 cxr_en_context_id(const struct cxr_en_context *context)
{
	return context->id;
}

void cxr_en_context_put(struct cxr_en_context *context)
{
	context->users--;
}

const struct cxr_en_rss *cxr_en_context_rss(const struct cxr_en *en, u32 id)
{
	const struct cxr_en_context *context = find_context(en, id);

	return context ? &context->rss : NULL;
}

int cxr_en_context_change(struct cxr_en *en, u32 id, const struct cxr_en_rss *rss)
{
	struct cxr_en_context *context = find_context(en, id);
	int err;

	mutex_lock(&en->lock);
	err = cxr_en_rss_objects_change(en, &context->objects, &context->rss, rss);
	if (!err)
		context->rss = *rss;
	mutex_unlock(&en->lock);
	return err;
}

/* ---- contexts come and go ----------------------------------------------- */

/* By default the hash is as that of the netdev, but for the key, and all channels get the same. */
static void init_rss(const struct cxr_en *en, struct cxr_en_rss *rss)
{
	u32 i;

	*rss = en->rss;
	netdev_rss_key_fill(rss->key, sizeof(rss->key));
	for (i = 0; i < CXR_EN_RSS_TABLE; i++)
		rss->table[i] = ethtool_rxfh_indir_default(i, en->config.channels);
}

static int create_context(struct cxr_en *en, u32 id, const struct cxr_rxfh *rxfh,
			  struct netlink_ext_ack *extack, const struct cxr_en_rss **rss)
{
	struct cxr_en_context *context;
	int err;

	if (!cxr_en_get_rxfh_indir_size(en->ndev) || !cxr_en_has_ntuple(en))
		return -EOPNOTSUPP;
	if (!cxr_en_usable(en))
		return -EBUSY;
	context = kzalloc(sizeof(*context), GFP_KERNEL);
	if (!context)
		return -ENOMEM;
	context->id = id;
	init_rss(en, &context->rss);
	err = cxr_en_rss_merge(en, rxfh, &context->rss, extack);
	if (err)
		goto err_free;

	mutex_lock(&en->lock);
	if (en->steer.active)
		err = create_objects(en, context);
	mutex_unlock(&en->lock);
	if (err)
		goto err_free;
	list_add_tail(&context->node, &en->contexts);
	*rss = &context->rss;
	return 0;

err_free:
	kfree(context);
	return err;
}

static int modify_context(struct cxr_en *en, u32 id, const struct cxr_rxfh *rxfh,
			  struct netlink_ext_ack *extack)
{
	const struct cxr_en_rss *old = cxr_en_context_rss(en, id);
	struct cxr_en_rss rss;
	int err;

	if (!old)
		return -ENOENT;
	if (!cxr_en_usable(en))
		return -EBUSY;
	rss = *old;
	err = cxr_en_rss_merge(en, rxfh, &rss, extack);
	return err ?: cxr_en_context_change(en, id, &rss);
}

static int remove_context(struct cxr_en *en, u32 id, struct netlink_ext_ack *extack)
{
	struct cxr_en_context *context = find_context(en, id);

	if (!context)
		return -ENOENT;
	if (context->users) {
		NL_SET_ERR_MSG_MOD(extack, "rules lead to this context (ethtool -n)");
		return -EBUSY;
	}
	if (!cxr_en_usable(en))
		return -EBUSY;
	mutex_lock(&en->lock);
	cxr_en_rss_objects_destroy(en, &context->objects);
	mutex_unlock(&en->lock);
	list_del(&context->node);
	kfree(context);
	return 0;
}

void cxr_en_contexts_free(struct cxr_en *en)
{
	struct cxr_en_context *context, *next;

	list_for_each_entry_safe(context, next, &en->contexts, node) {
		list_del(&context->node);
		kfree(context);
	}
}

/* ---- operations of ethtool ---------------------------------------------- */

static void tell_table(const struct cxr_en *en, const struct cxr_en_rss *rss, u32 *indir)
{
	u32 i;

	for (i = 0; i < cxr_en_get_rxfh_indir_size(en->ndev); i++)
		indir[i] = rss->table[i] % en->config.channels;
}

static u8 hfunc_of(const struct cxr_en_rss *rss)
{
	return rss->xor8 ? ETH_RSS_HASH_XOR : ETH_RSS_HASH_TOP;
}

#ifdef CXR_HAS_RXFH_CONTEXTS
int cxr_en_create_context(struct net_device *ndev, struct ethtool_rxfh_context *ctx,
			  const struct ethtool_rxfh_param *rxfh, struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_en_rss *rss;
	int err;

	err = create_context(en, rxfh->rss_context, rxfh, extack, &rss);
	if (err)
		return err;
	tell_table(en, rss, ethtool_rxfh_context_indir(ctx));
	memcpy(ethtool_rxfh_context_key(ctx), rss->key, sizeof(rss->key));
	ctx->hfunc = hfunc_of(rss);
	cxr_rxfh_tell_symmetric(ctx, rss->symmetric);
	return 0;
}

int cxr_en_modify_context(struct net_device *ndev, struct ethtool_rxfh_context *ctx,
			  const struct ethtool_rxfh_param *rxfh, struct netlink_ext_ack *extack)
{
	return modify_context(netdev_priv(ndev), rxfh->rss_context, rxfh, extack);
}

int cxr_en_remove_context(struct net_device *ndev, struct ethtool_rxfh_context *ctx, u32 id,
			  struct netlink_ext_ack *extack)
{
	return remove_context(netdev_priv(ndev), id, extack);
}
#else
int cxr_en_get_context(struct net_device *ndev, u32 *indir, u8 *key, u8 *hfunc, u32 id)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_en_rss *rss = cxr_en_context_rss(en, id);

	if (!rss)
		return -ENOENT;
	if (indir)
		tell_table(en, rss, indir);
	if (key)
		memcpy(key, rss->key, sizeof(rss->key));
	if (hfunc)
		*hfunc = hfunc_of(rss);
	return 0;
}

static int create_any(struct cxr_en *en, const struct cxr_rxfh *rxfh, u32 *id)
{
	const struct cxr_en_rss *unused;
	u32 i;
	int err;

	for (i = 1; i < CXR_EN_CONTEXTS && find_context(en, i); i++)
		;
	if (i == CXR_EN_CONTEXTS)
		return -EBUSY;
	err = create_context(en, i, rxfh, NULL, &unused);
	if (!err)
		*id = i;
	return err;
}

int cxr_en_set_context(struct net_device *ndev, const u32 *indir, const u8 *key, const u8 hfunc,
		       u32 *id, bool delete)
{
	struct cxr_rxfh rxfh = { .indir = (u32 *)indir, .key = (u8 *)key, .hfunc = hfunc };
	struct cxr_en *en = netdev_priv(ndev);

	if (delete)
		return remove_context(en, *id, NULL);
	if (*id == ETH_RXFH_CONTEXT_ALLOC)
		return create_any(en, &rxfh, id);
	return modify_context(en, *id, &rxfh, NULL);
}
#endif
