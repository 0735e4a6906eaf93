// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * RSS: an RQT, and a TIR for each kind of packet with a hash of its own; and the ethtool operations
 * that change them (-X, -N rx-flow-hash), for which RTNL is held. A change takes effect at once, or
 * when the interface is opened. Contexts (rss_context.c) have the same of their own.
 */
#include <linux/bitrev.h>
#include <linux/ethtool.h>
#include "en.h"

#define HASH_IPS	(CXR_HASH_SRC_IP | CXR_HASH_DST_IP)
#define HASH_PORTS	(CXR_HASH_SPORT | CXR_HASH_DPORT)

/* What the packets of a TIR are, enum cxr_hash, and their flow type in ethtool. */
static const struct {
	u32 packets;
	u32 flow_type;
	bool ports;
} kinds[CXR_EN_TIRS] = {
	[CXR_EN_TIR_IPV4] = { 0, IPV4_FLOW, false },
	[CXR_EN_TIR_IPV6] = { CXR_HASH_IPV6, IPV6_FLOW, false },
	[CXR_EN_TIR_IPV4_TCP] = { 0, TCP_V4_FLOW, true },
	[CXR_EN_TIR_IPV4_UDP] = { CXR_HASH_UDP, UDP_V4_FLOW, true },
	[CXR_EN_TIR_IPV6_TCP] = { CXR_HASH_IPV6, TCP_V6_FLOW, true },
	[CXR_EN_TIR_IPV6_UDP] = { CXR_HASH_IPV6 | CXR_HASH_UDP, UDP_V6_FLOW, true },
};

/* Entries of the RQT; 0: the device has no RSS. */
static u32 table_size(const struct cxr_en *en)
{
	const struct cxr_caps *caps = &en->core->caps;
	u32 max = min_t(u32, caps->rss_ind_tbl_max, 1U << min_t(u8, caps->log_max_rqt_size, 16));

	if (!caps->rss || !max)
		return 0;
	return rounddown_pow_of_two(min_t(u32, max, CXR_EN_RSS_TABLE));
}

void cxr_en_rss_init(struct cxr_en *en)
{
	unsigned int i;

	netdev_rss_key_fill(en->rss.key, sizeof(en->rss.key));
	for (i = CXR_EN_TIR_IPV4; i < CXR_EN_TIRS; i++)
		en->rss.fields[i] = HASH_IPS | (kinds[i].ports ? HASH_PORTS : 0);
}

/* ---- RQT and TIRs ------------------------------------------------------- */

/* What users chose, with the default of ethtool for a table that they did not choose. */
static void current_rss(const struct cxr_en *en, unsigned int channels, struct cxr_en_rss *rss)
{
	u32 i;

	*rss = en->rss;
	if (netif_is_rxfh_configured(en->ndev))
		return;
	for (i = 0; i < CXR_EN_RSS_TABLE; i++)
		rss->table[i] = ethtool_rxfh_indir_default(i, channels);
}

static const u8 *key_of(const struct cxr_en_rss *rss)
{
	return rss->xor8 ? NULL : rss->key;
}

/* For the TIR @kind: enum cxr_hash. */
static u32 hash_of(const struct cxr_en_rss *rss, unsigned int kind)
{
	return kinds[kind].packets | rss->fields[kind] | (rss->symmetric ? CXR_HASH_SYMMETRIC : 0);
}

/*
 * The RQT, by the value that the hash has in software: XOR8 of the device has its bits in the
 * opposite order (mlx5e_calc_indir_rqns() of the in-tree driver). After a reset there may be fewer
 * channels than a user's table has.
 */
static void fill_rqns(const struct cxr_en *en, const struct cxr_en_rss *rss, u32 size, u32 *rqns)
{
	u32 i, from;

	for (i = 0; i < size; i++) {
		from = rss->xor8 ? (u64)bitrev32(i) >> (32 - ilog2(size)) : i;
		rqns[i] = en->channels[rss->table[from] % en->n_channels]->rq.rqn;
	}
}

static int create_rqt(struct cxr_en *en, const struct cxr_en_rss *rss, u32 size,
		      struct cxr_en_rss_objects *objects)
{
	u32 rqns[CXR_EN_RSS_TABLE];
	int err;

	fill_rqns(en, rss, size, rqns);
	err = cxr_cmd_create_rqt(en->core, 0, rqns, size, &objects->rqtn);
	objects->rqt = !err;
	return err;
}

static int create_tir(struct cxr_en *en, const struct cxr_en_rss *rss, unsigned int kind,
		      struct cxr_en_rss_objects *objects)
{
	if (kind == CXR_EN_TIR_DIRECT)
		return cxr_cmd_create_direct_tir(en->core, 0, en->tdn, cxr_en_tir_flags(en),
						 en->channels[0]->rq.rqn, &objects->tirn[kind]);
	return cxr_cmd_create_hash_tir(en->core, 0, en->tdn, cxr_en_tir_flags(en),
				       hash_of(rss, kind), objects->rqtn,
				       key_of(rss), &objects->tirn[kind]);
}

/* Hashes of what is in a tunnel; with an error those that were created stay. */
static int create_inner(struct cxr_en *en, const struct cxr_en_rss *rss,
			struct cxr_en_rss_objects *objects)
{
	unsigned int kind;
	int err;

	for (kind = CXR_EN_TIR_IPV4; kind < CXR_EN_TIRS; kind++) {
		err = cxr_cmd_create_hash_tir(en->core, 0, en->tdn, cxr_en_tir_flags(en),
					      hash_of(rss, kind) | CXR_HASH_INNER, objects->rqtn,
					      key_of(rss), &objects->inner_tirn[kind]);
		if (err)
			return err;
		objects->inner_end = kind + 1;
	}
	return 0;
}

int cxr_en_rss_objects_create(struct cxr_en *en, const struct cxr_en_rss *rss,
			      enum cxr_en_tir first, struct cxr_en_rss_objects *objects)
{
	u32 size = table_size(en);
	unsigned int last = size ? CXR_EN_TIRS : CXR_EN_TIR_DIRECT + 1;
	int err = 0;

	objects->first = first;
	objects->end = first;
	objects->inner_end = 0;
	if (size) {
		err = create_rqt(en, rss, size, objects);
		if (err)
			return err;
	}
	for (; !err && objects->end < last; objects->end += !err)
		err = create_tir(en, rss, objects->end, objects);
	if (!err && size && first == CXR_EN_TIR_DIRECT && cxr_en_spreads_inner(en))
		err = create_inner(en, rss, objects);
	if (err)
		cxr_en_rss_objects_destroy(en, objects);
	return err;
}

void cxr_en_rss_objects_destroy(struct cxr_en *en, struct cxr_en_rss_objects *objects)
{
	while (objects->inner_end > CXR_EN_TIR_IPV4)
		cxr_cmd_destroy_tir(en->core, 0, objects->inner_tirn[--objects->inner_end]);
	while (objects->end > objects->first)
		cxr_cmd_destroy_tir(en->core, 0, objects->tirn[--objects->end]);
	if (objects->rqt)
		cxr_cmd_destroy_rqt(en->core, 0, objects->rqtn);
	objects->rqt = false;
}

int cxr_en_rss_create(struct cxr_en *en)
{
	struct cxr_en_rss rss;
	int err;

	current_rss(en, en->n_channels, &rss);
	err = cxr_en_rss_objects_create(en, &rss, CXR_EN_TIR_DIRECT, &en->steer.rss);
	if (err)
		return err;
	err = cxr_en_contexts_create(en);
	if (err)
		cxr_en_rss_objects_destroy(en, &en->steer.rss);
	return err;
}

void cxr_en_rss_destroy(struct cxr_en *en)
{
	cxr_en_contexts_destroy(en);
	cxr_en_rss_objects_destroy(en, &en->steer.rss);
}

/* ---- changes ------------------------------------------------------------ */

static bool tir_differs(unsigned int kind, const struct cxr_en_rss *a, const struct cxr_en_rss *b)
{
	return a->xor8 != b->xor8 || hash_of(a, kind) != hash_of(b, kind) ||
	       (!a->xor8 && memcmp(a->key, b->key, sizeof(a->key)));
}

/* Writes what differs. Ends at the first error, unless @back: then it goes on. */
static int apply(struct cxr_en *en, const struct cxr_en_rss_objects *objects,
		 const struct cxr_en_rss *from, const struct cxr_en_rss *to, bool back)
{
	u32 rqns[CXR_EN_RSS_TABLE];
	u32 size = table_size(en), hash;
	int err = 0, failed = 0;
	unsigned int i;

	if (from->xor8 != to->xor8 || memcmp(from->table, to->table, sizeof(to->table))) {
		fill_rqns(en, to, size, rqns);
		failed = cxr_cmd_modify_rqt(en->core, objects->rqtn, rqns, size);
	}
	for (i = CXR_EN_TIR_IPV4; i < objects->end && (back || !failed); i++) {
		if (!tir_differs(i, from, to))
			continue;
		hash = hash_of(to, i);
		err = cxr_cmd_set_tir_hash(en->core, objects->tirn[i], hash, key_of(to));
		failed = failed ?: err;
		if (i >= objects->inner_end || (failed && !back))
			continue;
		err = cxr_cmd_set_tir_hash(en->core, objects->inner_tirn[i], hash | CXR_HASH_INNER,
					   key_of(to));
		failed = failed ?: err;
	}
	return failed;
}

/*
 * An error of the device leaves everything as it was; if it refuses even that, new queues and TIRs
 * have it.
 */
int cxr_en_rss_objects_change(struct cxr_en *en, const struct cxr_en_rss_objects *objects,
			      const struct cxr_en_rss *from, const struct cxr_en_rss *to)
{
	int err;

	lockdep_assert_held(&en->lock);
	if (!objects->rqt || en->kept)
		return 0;
	err = apply(en, objects, from, to, false);
	if (err && apply(en, objects, to, from, true) && !cxr_core_dead(en->core))
		cxr_en_report(en, CXR_EN_RX, "RQT", objects->rqtn,
			      "and its TIRs have half of a change");
	return err;
}

static int change(struct cxr_en *en, const struct cxr_en_rss *rss)
{
	struct cxr_en_rss old;
	int err;

	current_rss(en, en->config.channels, &old);
	mutex_lock(&en->lock);
	err = cxr_en_rss_objects_change(en, &en->steer.rss, &old, rss);
	if (!err)
		en->rss = *rss;
	mutex_unlock(&en->lock);
	return err;
}

u32 cxr_en_get_rxfh_key_size(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);

	return table_size(en) ? CXR_EN_HASH_KEY : 0;
}

u32 cxr_en_get_rxfh_indir_size(struct net_device *ndev)
{
	return table_size(netdev_priv(ndev));
}

/* Without RSS there is nothing to show; an error would end a dump of all netdevs. */
int cxr_en_get_rxfh(struct net_device *ndev, struct cxr_rxfh *rxfh)
{
	struct cxr_en *en = netdev_priv(ndev);
	unsigned int channels = en->config.channels;
	u32 i, size = table_size(en);
	struct cxr_en_rss rss;

	if (!size)
		return 0;
	current_rss(en, channels, &rss);
	if (rxfh->key)
		memcpy(rxfh->key, rss.key, sizeof(rss.key));
	for (i = 0; rxfh->indir && i < size; i++)
		rxfh->indir[i] = rss.table[i] % channels;
	rxfh->hfunc = rss.xor8 ? ETH_RSS_HASH_XOR : ETH_RSS_HASH_TOP;
	cxr_rxfh_tell_symmetric(rxfh, rss.symmetric);
	return 0;
}

int cxr_en_rss_merge(const struct cxr_en *en, const struct cxr_rxfh *rxfh, struct cxr_en_rss *rss,
		     struct netlink_ext_ack *extack)
{
	u32 i, size = table_size(en);

	switch (rxfh->hfunc) {
	case ETH_RSS_HASH_NO_CHANGE:
		break;
	case ETH_RSS_HASH_TOP:
		rss->xor8 = false;
		break;
	case ETH_RSS_HASH_XOR:
		rss->xor8 = true;
		break;
	default:
		NL_SET_ERR_MSG_MOD(extack, "the hash functions are toeplitz and xor");
		return -EINVAL;
	}
	rss->symmetric = cxr_rxfh_symmetric(rxfh, rss->symmetric);
	if (rxfh->key)
		memcpy(rss->key, rxfh->key, CXR_EN_HASH_KEY);
	/* the caller checked that there are these channels */
	for (i = 0; rxfh->indir && i < size; i++)
		rss->table[i] = rxfh->indir[i];
	return 0;
}

int cxr_en_set_rxfh(struct net_device *ndev, struct cxr_rxfh *rxfh, struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_rss rss;
	int err;

	if (!table_size(en))
		return -EOPNOTSUPP;
	current_rss(en, en->config.channels, &rss);
	err = cxr_en_rss_merge(en, rxfh, &rss, extack);
	return err ?: change(en, &rss);
}

/* ---- hashed fields ------------------------------------------------------ */

static const struct {
	u32 ours, ethtool;
} fields[] = {
	{ CXR_HASH_SRC_IP, RXH_IP_SRC },
	{ CXR_HASH_DST_IP, RXH_IP_DST },
	{ CXR_HASH_SPORT, RXH_L4_B_0_1 },
	{ CXR_HASH_DPORT, RXH_L4_B_2_3 },
};

/* 0: there is none. IPsec packets are IP packets like others. */
enum cxr_en_tir cxr_en_rss_tir_of(u32 flow_type)
{
	unsigned int i;

	switch (flow_type) {
	case IPV4_USER_FLOW:
	case AH_ESP_V4_FLOW:
	case AH_V4_FLOW:
	case ESP_V4_FLOW:
		return CXR_EN_TIR_IPV4;
	case IPV6_USER_FLOW:
	case AH_ESP_V6_FLOW:
	case AH_V6_FLOW:
	case ESP_V6_FLOW:
		return CXR_EN_TIR_IPV6;
	}

	for (i = CXR_EN_TIRS - 1; i > 0; i--)
		if (kinds[i].flow_type == flow_type)
			break;
	return i;
}

int cxr_en_get_rxfh_fields(struct net_device *ndev, struct cxr_rxfh_fields *info)
{
	struct cxr_en *en = netdev_priv(ndev);
	unsigned int i, tir = cxr_en_rss_tir_of(info->flow_type);
	const struct cxr_en_rss *rss;

	if (!table_size(en))
		return -EOPNOTSUPP;
	rss = info->rss_context ? cxr_en_context_rss(en, info->rss_context) : &en->rss;
	if (!tir)
		return -EINVAL;
	if (!rss)
		return -ENOENT;
	info->data = 0;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (rss->fields[tir] & fields[i].ours)
			info->data |= fields[i].ethtool;
	return 0;
}

int cxr_en_set_rxfh_fields(struct net_device *ndev, const struct cxr_rxfh_fields *info,
			   struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	unsigned int i, tir = cxr_en_rss_tir_of(info->flow_type);
	struct cxr_en_rss rss;
	u64 left = info->data;

	if (!table_size(en))
		return -EOPNOTSUPP;
	if (!tir)
		return -EINVAL;
	if (info->rss_context && !cxr_en_context_rss(en, info->rss_context))
		return -ENOENT;
	if (!kinds[tir].ports) {
		NL_SET_ERR_MSG_MOD(extack, "only the fields of TCP and UDP packets can be chosen");
		return -EOPNOTSUPP;
	}
	if (info->rss_context)
		rss = *cxr_en_context_rss(en, info->rss_context);
	else
		current_rss(en, en->config.channels, &rss);
	rss.fields[tir] = 0;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (left & fields[i].ethtool)
			rss.fields[tir] |= fields[i].ours;
		left &= ~(u64)fields[i].ethtool;
	}
	if (left) {
		NL_SET_ERR_MSG_MOD(extack, "only addresses and ports can be hashed (sdfn)");
		return -EOPNOTSUPP;
	}
	return info->rss_context ? cxr_en_context_change(en, info->rss_context, &rss) :
				   change(en, &rss);
}
