// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Rules of ethtool -N, in a table before that of MAC addresses: packets that match one go to a
 * channel, to any by the hash of an RSS context, or nowhere. Of several rules the one of the lowest
 * location counts, and so does the entry of the lowest index in the device: the location is the
 * index. Each rule has a group of its own, since its neighbours may match on other fields.
 *
 * The list is under RTNL. While the interface is open its rules are in the device, too, which is
 * under cxr_en.lock as all steering is.
 */
#include <linux/ethtool.h>
#include <linux/slab.h>
#include "en.h"
#include "../codec/ntuple.h"

#define LOG_RULES 10	/* as the in-tree driver */

struct cxr_en_rule {
	struct list_head node;
	struct ethtool_rx_flow_spec spec;
	struct cxr_flow_fields mask, value;
	struct cxr_en_context *context;	/* NULL: not by RSS, or by that of the netdev */
	/* what of it is in the device; cxr_en.lock */
	bool entry, group, tir;
	u32 group_id, tirn;
};

static u8 log_rules(const struct cxr_en *en)
{
	return min_t(u8, en->core->caps.ft_log_max_size, LOG_RULES);
}

static bool leads_to_channel(const struct cxr_en_rule *rule)
{
	return rule->spec.ring_cookie != RX_CLS_FLOW_DISC && !(rule->spec.flow_type & FLOW_RSS);
}

static enum cxr_en_tir tir_of(const struct cxr_en_rule *rule)
{
	return cxr_en_rss_tir_of(rule->spec.flow_type & ~(FLOW_EXT | FLOW_MAC_EXT | FLOW_RSS));
}

int cxr_en_ntuple_last_channel(const struct cxr_en *en)
{
	const struct cxr_en_rule *rule;
	int last = -1;

	list_for_each_entry(rule, &en->rules, node)
		if (leads_to_channel(rule))
			last = max_t(int, last, rule->spec.ring_cookie);
	return last;
}

/* ---- one rule in the device --------------------------------------------- */

/* 0, or what of it the device has not let go of is still marked. */
static int unset_rule(struct cxr_en *en, struct cxr_en_rule *rule)
	__must_hold(&en->lock)
{
	u32 table = en->steer.rules;
	int err;

	if (rule->entry) {
		err = cxr_cmd_delete_fte(en->core, table, rule->spec.location);
		if (err)
			return err;
		rule->entry = false;
	}
	if (rule->tir)		/* it holds the RQ */
		cxr_cmd_destroy_tir(en->core, 0, rule->tirn);
	rule->tir = false;
	if (rule->group) {
		err = cxr_cmd_destroy_flow_group(en->core, table, rule->group_id);
		if (err)
			return err;
		rule->group = false;
	}
	return 0;
}

/* After a reset there may be fewer channels than a rule knows. */
static int create_tir(struct cxr_en *en, struct cxr_en_rule *rule)
{
	u32 channel = (u32)rule->spec.ring_cookie % en->n_channels;
	int err;

	if (rule->tir)
		return 0;
	err = cxr_cmd_create_direct_tir(en->core, 0, en->tdn, cxr_en_tir_flags(en),
					en->channels[channel]->rq.rqn,
					&rule->tirn);
	rule->tir = !err;
	return err;
}

static int create_group(struct cxr_en *en, struct cxr_en_rule *rule)
	__must_hold(&en->lock)
{
	u32 location = rule->spec.location;
	int err;

	if (rule->group)
		return 0;
	err = cxr_cmd_create_flow_group(en->core, en->steer.rules, location, location,
					&rule->mask, &rule->group_id);
	rule->group = !err;
	return err;
}

static int set_rule(struct cxr_en *en, struct cxr_en_rule *rule)
	__must_hold(&en->lock)
{
	struct cxr_flow_action action = {};
	int err = 0;

	if (leads_to_channel(rule)) {
		err = create_tir(en, rule);
		action.dests[0].num = rule->tirn;
	} else if (rule->context) {
		action.dests[0].num = cxr_en_context_tirn(rule->context, tir_of(rule));
	} else {
		action.dests[0].to = CXR_FLOW_TO_TABLE;
		action.dests[0].num = en->steer.classes.id;
	}
	action.n_dests = rule->spec.ring_cookie != RX_CLS_FLOW_DISC;
	err = err ?: create_group(en, rule);
	err = err ?: cxr_cmd_set_fte(en->core, en->steer.rules, rule->group_id,
				     rule->spec.location, &rule->value, &action, false);
	if (err)
		unset_rule(en, rule);
	else
		rule->entry = true;
	return err;
}

/* ---- the table ---------------------------------------------------------- */

static int create_table(struct cxr_en *en)
	__must_hold(&en->lock)
{
	struct cxr_en_steer *steer = &en->steer;
	u32 table;
	int err;

	err = cxr_cmd_create_flow_table(en->core, CXR_FLOW_LEVEL_EN, log_rules(en), &table);
	if (err)
		return err;
	err = cxr_cmd_set_flow_miss(en->core, table, steer->macs.id);
	if (err) {
		cxr_cmd_destroy_flow_table(en->core, table);
		return err;
	}
	steer->rules = table;
	return 0;
}

static void destroy_table(struct cxr_en *en)
	__must_hold(&en->lock)
{
	if (en->steer.rules)
		cxr_cmd_destroy_flow_table(en->core, en->steer.rules);
	en->steer.rules = 0;
}

void cxr_en_ntuple_destroy(struct cxr_en *en)
{
	struct cxr_en_rule *rule;

	list_for_each_entry(rule, &en->rules, node) {
		unset_rule(en, rule);
		/* what is left goes with the table */
		rule->entry = false;
		rule->group = false;
		rule->tir = false;
	}
	destroy_table(en);
}

int cxr_en_ntuple_create(struct cxr_en *en)
{
	struct cxr_en_rule *rule;
	int err;

	if (list_empty(&en->rules))
		return 0;
	err = create_table(en);
	if (err)
		return err;
	list_for_each_entry(rule, &en->rules, node) {
		err = set_rule(en, rule);
		if (err) {
			netdev_err(en->ndev, "cannot set rule %u of ethtool -N: %pe\n",
				   rule->spec.location, ERR_PTR(err));
			cxr_en_ntuple_destroy(en);
			return err;
		}
	}
	return 0;
}

/* For a first rule. */
static int table_get(struct cxr_en *en)
	__must_hold(&en->lock)
{
	int err;

	if (en->steer.rules)
		return 0;
	err = create_table(en);
	if (err)
		return err;
	err = cxr_en_steer_link(en);
	if (err)
		destroy_table(en);
	return err;
}

/* If the device goes on using the table, so do rules that come later. */
static void table_put(struct cxr_en *en)
	__must_hold(&en->lock)
{
	u32 table = en->steer.rules;

	if (!table || !list_empty(&en->rules))
		return;
	en->steer.rules = 0;
	if (cxr_en_steer_link(en))
		en->steer.rules = table;
	else
		cxr_cmd_destroy_flow_table(en->core, table);
}

/* ---- changes ------------------------------------------------------------ */

static struct cxr_en_rule *find_rule(struct cxr_en *en, u32 location)
{
	struct cxr_en_rule *rule;

	list_for_each_entry(rule, &en->rules, node)
		if (rule->spec.location == location)
			return rule;
	return NULL;
}

static void add_to_list(struct cxr_en *en, struct cxr_en_rule *rule)
{
	struct cxr_en_rule *next;

	list_for_each_entry(next, &en->rules, node)
		if (next->spec.location > rule->spec.location)
			break;
	list_add_tail(&rule->node, &next->node);
	en->n_rules++;
}

static void free_rule(struct cxr_en_rule *rule)
{
	if (rule->context)
		cxr_en_context_put(rule->context);
	kfree(rule);
}

static void remove_from_list(struct cxr_en *en, struct cxr_en_rule *rule)
{
	list_del(&rule->node);
	en->n_rules--;
	free_rule(rule);
}

/* A rule that could not be replaced or deleted acts as before, if the device lets it. */
static void restore_rule(struct cxr_en *en, struct cxr_en_rule *rule)
	__must_hold(&en->lock)
{
	int err;

	if (rule->entry)
		return;
	err = set_rule(en, rule);
	if (err)
		netdev_err(en->ndev, "rule %u of ethtool -N does not act until the interface is opened: %pe\n",
			   rule->spec.location, ERR_PTR(err));
}

/* @rule in place of @old, or NULL. */
static int replace(struct cxr_en *en, struct cxr_en_rule *old, struct cxr_en_rule *rule)
	__must_hold(&en->lock)
{
	int err;

	err = table_get(en);
	if (!err && old)
		err = unset_rule(en, old);
	err = err ?: set_rule(en, rule);
	if (err && old)
		restore_rule(en, old);
	return err;
}

static int insert_rule(struct cxr_en *en, struct cxr_en_rule *rule)
{
	struct cxr_en_rule *old = find_rule(en, rule->spec.location);
	int err = 0;

	mutex_lock(&en->lock);
	if (en->steer.active)
		err = replace(en, old, rule);
	if (!err && old)
		remove_from_list(en, old);
	if (!err)
		add_to_list(en, rule);
	table_put(en);
	mutex_unlock(&en->lock);
	return err;
}

static int delete_rule(struct cxr_en *en, u32 location)
{
	struct cxr_en_rule *rule = find_rule(en, location);
	int err = 0;

	if (!rule)
		return -ENOENT;
	mutex_lock(&en->lock);
	if (en->steer.active)
		err = unset_rule(en, rule);
	if (err)
		restore_rule(en, rule);
	else
		remove_from_list(en, rule);
	table_put(en);
	mutex_unlock(&en->lock);
	return err;
}

void cxr_en_ntuple_free(struct cxr_en *en)
{
	struct cxr_en_rule *rule, *next;

	list_for_each_entry_safe(rule, next, &en->rules, node)
		remove_from_list(en, rule);
}

/* ---- operations of ethtool ---------------------------------------------- */

/* There is no extack for these. */
static int refuse(const struct cxr_en *en, const char *why, int err)
{
	if (net_ratelimit())
		netdev_warn(en->ndev, "ethtool -N: %s\n", why);
	return err;
}

static int check_target(const struct cxr_en *en, const struct ethtool_rxnfc *info)
{
	const struct ethtool_rx_flow_spec *spec = &info->fs;

	if (spec->location >= 1U << log_rules(en))
		return refuse(en, "there is no such location", -ENOSPC);
	if (spec->ring_cookie == RX_CLS_FLOW_DISC)
		return 0;
	if (spec->flow_type & FLOW_RSS && spec->ring_cookie)
		return refuse(en, "RSS chooses the channel, action is 0", -EINVAL);
	if (spec->ring_cookie >= en->config.channels)
		return refuse(en, "there is no such channel", -EINVAL);
	return 0;
}

/* The context of a rule that has no other destination. */
static int set_context(struct cxr_en *en, struct cxr_en_rule *rule, u32 id)
{
	if (rule->spec.ring_cookie == RX_CLS_FLOW_DISC || !(rule->spec.flow_type & FLOW_RSS) || !id)
		return 0;
	if (tir_of(rule) == CXR_EN_TIR_DIRECT)
		return refuse(en, "RSS contexts spread IP packets only", -EINVAL);
	rule->context = cxr_en_context_get(en, id);
	return rule->context ? 0 : refuse(en, "there is no such RSS context", -ENOENT);
}

static int add_rule(struct cxr_en *en, const struct ethtool_rxnfc *info)
{
	struct cxr_en_rule *rule;
	const char *why;
	int err;

	err = check_target(en, info);
	if (err)
		return err;
	rule = kzalloc(sizeof(*rule), GFP_KERNEL);
	if (!rule)
		return -ENOMEM;
	rule->spec = info->fs;
	err = -EINVAL;
	why = cxr_ntuple_decode(&rule->spec, &rule->mask, &rule->value);
	if (!why && !cxr_flow_within(&rule->mask, &en->core->caps.ft_match)) {
		err = -EOPNOTSUPP;
		why = "the device cannot match on one of these fields";
	}
	err = why ? refuse(en, why, err) : set_context(en, rule, info->rss_context);
	err = err ?: insert_rule(en, rule);
	if (err)
		free_rule(rule);
	return err;
}

int cxr_en_set_ntuple(struct net_device *ndev, struct ethtool_rxnfc *info)
{
	struct cxr_en *en = netdev_priv(ndev);

	if (!cxr_en_has_ntuple(en))
		return -EOPNOTSUPP;
	if (!cxr_en_usable(en))
		return -EBUSY;
	if (info->cmd == ETHTOOL_SRXCLSRLDEL)
		return delete_rule(en, info->fs.location);
	return add_rule(en, info);
}

static int list_rules(struct cxr_en *en, struct ethtool_rxnfc *info, u32 *locations)
{
	const struct cxr_en_rule *rule;
	u32 n = 0;

	if (info->rule_cnt < en->n_rules)
		return -EMSGSIZE;
	list_for_each_entry(rule, &en->rules, node)
		locations[n++] = rule->spec.location;
	info->rule_cnt = n;
	info->data = 1U << log_rules(en);
	return 0;
}

int cxr_en_get_ntuple(struct net_device *ndev, struct ethtool_rxnfc *info, u32 *locations)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_en_rule *rule;

	if (!cxr_en_has_ntuple(en))
		return -EOPNOTSUPP;
	switch (info->cmd) {
	case ETHTOOL_GRXCLSRLCNT:
		info->rule_cnt = en->n_rules;
		return 0;
	case ETHTOOL_GRXCLSRLALL:
		return list_rules(en, info, locations);
	default:
		rule = find_rule(en, info->fs.location);
		if (!rule)
			return -ENOENT;
		info->fs = rule->spec;
		info->rss_context = rule->context ? cxr_en_context_id(rule->context) : 0;
		return 0;
	}
}
