// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The order of flow tables for received packets: rules of programs by priority; the LAG demux
 * table, if there is a LAG; en's tables; fallback rules. The miss of each table leads to the next
 * one, that of the demux table only for packets that port 1 received: those of port 2 go on to the
 * tables of its own function. So rules of a LAG's programs see what both ports receive.
 *
 * A priority has a table while it has rules, with a group per mask. A shared rule has the tables
 * behind its priority as another destination. For that there is an empty table, the tail: when the
 * next table changes, the miss of the tail is changed instead of all such entries.
 */
#include <linux/slab.h>

#include "core.h"

#define LOG_GROUP 5
#define LOG_GROUPS 6
#define GROUP_ENTRIES BIT(LOG_GROUP)
#define GROUPS BIT(LOG_GROUPS)
#define FALLBACK CXR_FLOW_PRIO_FALLBACK

/*
 * Shared by rules for the same packets in the same priority. Without rules: the device did not let
 * go of it, and still acts as told.
 */
struct entry {
	u32 index;
	u32 tag;
	bool count;
	u32 counter;
	struct cxr_flow_fields value;
	struct list_head rules;
};

struct group {
	u32 id;
	struct cxr_flow_fields mask;
	unsigned int used;	/* entries with rules */
	bool kept;		/* no rules: the device did not let go of it */
	struct entry *entries[GROUP_ENTRIES];
};

struct cxr_rule_table {
	u32 id;
	u32 miss;		/* the table its miss leads to; 0: none */
	u32 tail, tail_miss;	/* tail 0: there is none */
	unsigned int used;	/* groups that are not kept */
	struct group *groups[GROUPS];
};

struct cxr_rule {
	struct list_head node;	/* of its entry */
	struct cxr_rule_table *table;
	struct group *group;
	struct entry *entry;
	u8 prio;
	bool drop, shared;
	u32 tirn;
};

/* ---- order of tables ------------------------------------------------------------------------- */

static int set_miss(struct cxr_dev *dev, u32 table, u32 *miss, u32 next)
{
	int err;

	if (!table || *miss == next)
		return 0;
	err = cxr_cmd_set_flow_miss(&dev->core, table, next);
	if (!err)
		*miss = next;
	return err;
}

void cxr_flow_init(struct cxr_dev *dev)
{
	mutex_lock(&dev->flow_lock);
	WARN_ON(dev->demux || dev->en_first);
	dev->first_table = 0;
	dev->en_miss = 0;
	mutex_unlock(&dev->flow_lock);
}

static u32 fallback_table(const struct cxr_dev *dev)
	__must_hold(&dev->flow_lock)
{
	return dev->rules[FALLBACK] ? dev->rules[FALLBACK]->id : 0;
}

static int set_demux_next(struct cxr_dev *dev, u32 next)
	__must_hold(&dev->flow_lock)
{
	int err;

	if (dev->demux_next == next)
		return 0;
	err = cxr_cmd_set_demux_next(&dev->core, dev->demux, next);
	if (!err)
		dev->demux_next = next;
	return err;
}

/* From the last table to the first, which is returned in *first. */
static int link_tables(struct cxr_dev *dev, u32 *first)
	__must_hold(&dev->flow_lock)
{
	u32 next = fallback_table(dev);
	struct cxr_rule_table *table;
	int i, err;

	err = set_miss(dev, dev->en_last, &dev->en_miss, next);
	if (err)
		return err;
	next = dev->en_first ?: next;
	if (dev->demux) {
		err = set_demux_next(dev, next);
		if (err)
			return err;
		next = dev->demux;
	}
	for (i = CXR_FLOW_PRIOS - 1; i >= 0; i--) {
		table = dev->rules[i];
		if (!table)
			continue;
		err = set_miss(dev, table->tail, &table->tail_miss, next);
		err = err ?: set_miss(dev, table->id, &table->miss, next);
		if (err)
			return err;
		next = table->id;
	}
	*first = next;
	return 0;
}

/* 0 needs no command: the device unsets the root with that table. */
static int set_first_table(struct cxr_dev *dev, u32 first)
	__must_hold(&dev->flow_lock)
{
	int err = 0;

	if (dev->first_table == first)
		return 0;
	if (first)
		err = cxr_cmd_set_flow_root(&dev->core, first);
	if (!err)
		dev->first_table = first;
	return err;
}

static int relink(struct cxr_dev *dev)
	__must_hold(&dev->flow_lock)
{
	u32 first;
	int err;

	err = link_tables(dev, &first);
	return err ?: set_first_table(dev, first);
}

/* A table that is destroyed: the device may use its number for another one. */
static void forget_table(struct cxr_dev *dev, u32 id)
	__must_hold(&dev->flow_lock)
{
	struct cxr_rule_table *table;
	int i;

	/* it has unset the root with the table */
	if (dev->first_table == id)
		dev->first_table = 0;
	if (dev->demux_next == id)
		dev->demux_next = 0;
	for (i = 0; i < ARRAY_SIZE(dev->rules); i++) {
		table = dev->rules[i];
		if (table && table->miss == id)
			table->miss = 0;
		if (table && table->tail_miss == id)
			table->tail_miss = 0;
	}
}

static void set_en_tables(struct cxr_dev *dev, u32 first, u32 last)
	__must_hold(&dev->flow_lock)
{
	if (last != dev->en_last) {
		if (!last)
			set_miss(dev, dev->en_last, &dev->en_miss, 0);
		dev->en_last = last;
		dev->en_miss = 0;
	}
	dev->en_first = first;
}

int cxr_flow_set_en_tables(struct cxr_core *core, u32 first, u32 last)
{
	struct cxr_dev *dev = to_dev(core);
	u32 old_first, old_last;
	int err;

	mutex_lock(&dev->flow_lock);
	old_first = dev->en_first;
	old_last = dev->en_last;
	set_en_tables(dev, first, last);
	err = relink(dev);
	if (err && first) {
		set_en_tables(dev, old_first, old_last);
		relink(dev);	/* tables that led to it already */
	} else if (err) {
		forget_table(dev, old_first);	/* the caller destroys it all the same */
	}
	mutex_unlock(&dev->flow_lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_flow_set_en_tables);

/* Before it goes, no table leads to it any more. If the device refuses that: after. */
static void remove_demux(struct cxr_dev *dev)
	__must_hold(&dev->flow_lock)
{
	u32 demux = dev->demux;
	int err;

	dev->demux = 0;
	err = relink(dev);
	cxr_cmd_destroy_flow_table(&dev->core, demux);
	if (err) {
		forget_table(dev, demux);
		relink(dev);
	}
}

int cxr_demux_create(struct cxr_dev *dev)
{
	u32 next;
	int err;

	mutex_lock(&dev->flow_lock);
	next = dev->en_first ?: fallback_table(dev);
	err = cxr_cmd_create_demux_table(&dev->core, next, &dev->demux);
	if (!err) {
		dev->demux_next = next;
		err = relink(dev);
		if (err)
			remove_demux(dev);
	}
	mutex_unlock(&dev->flow_lock);
	return err;
}

void cxr_demux_destroy(struct cxr_dev *dev)
{
	mutex_lock(&dev->flow_lock);
	remove_demux(dev);
	mutex_unlock(&dev->flow_lock);
}

/* ---- tables and groups ----------------------------------------------------------------------- */

static u8 table_level(u8 prio)
{
	return prio == FALLBACK ? CXR_FLOW_LEVEL_FALLBACK : CXR_FLOW_LEVEL_RULES + 2 * prio;
}

/* With the entries that the device has kept. */
static void free_group(struct group *group)
{
	u32 i;

	for (i = 0; i < GROUP_ENTRIES; i++)
		kfree(group->entries[i]);
	kfree(group);
}

static void destroy_table(struct cxr_dev *dev, struct cxr_rule_table *table)
{
	u32 i;

	if (table->tail)
		cxr_cmd_destroy_flow_table(&dev->core, table->tail);
	cxr_cmd_destroy_flow_table(&dev->core, table->id);
	for (i = 0; i < GROUPS; i++)
		if (table->groups[i])
			free_group(table->groups[i]);
	kfree(table);
}

/* If the device goes on using a table without rules, so do rules that come later. */
static void put_table(struct cxr_dev *dev, u8 prio)
	__must_hold(&dev->flow_lock)
{
	struct cxr_rule_table *table = dev->rules[prio];

	if (table->used)
		return;
	dev->rules[prio] = NULL;
	if (relink(dev) && !cxr_core_dead(&dev->core))
		dev->rules[prio] = table;
	else
		destroy_table(dev, table);
}

void cxr_flow_down(struct cxr_dev *dev)
{
	struct cxr_rule_table *table;
	u8 prio;

	mutex_lock(&dev->flow_lock);
	for (prio = 0; prio < ARRAY_SIZE(dev->rules); prio++) {
		table = dev->rules[prio];
		if (!table)
			continue;
		WARN_ON(table->used);
		dev->rules[prio] = NULL;
		relink(dev);
		destroy_table(dev, table);
	}
	mutex_unlock(&dev->flow_lock);
}

static int create_table(struct cxr_dev *dev, u8 prio)
	__must_hold(&dev->flow_lock)
{
	struct cxr_rule_table *table = kzalloc(sizeof(*table), GFP_KERNEL);
	int err;

	if (!table)
		return -ENOMEM;
	err = cxr_cmd_create_flow_table(&dev->core, table_level(prio), LOG_GROUPS + LOG_GROUP,
					&table->id);
	if (err)
		kfree(table);
	else
		dev->rules[prio] = table;
	return err;
}

/* ERR_PTR on failure. put_table() destroys it when it is empty. */
static struct cxr_rule_table *get_table(struct cxr_dev *dev, u8 prio)
	__must_hold(&dev->flow_lock)
{
	int err = 0;

	if (!dev->rules[prio])
		err = create_table(dev, prio);
	if (err)
		return ERR_PTR(err);
	/* also if it exists: the device may not have let go of it, or not have linked it */
	err = relink(dev);
	if (err) {
		put_table(dev, prio);
		return ERR_PTR(err);
	}
	return dev->rules[prio];
}

/* For shared rules; destroyed with its table. */
static int get_tail(struct cxr_dev *dev, u8 prio)
	__must_hold(&dev->flow_lock)
{
	struct cxr_rule_table *table = dev->rules[prio];
	int err = 0;

	if (!table->tail)
		err = cxr_cmd_create_flow_table(&dev->core, table_level(prio) + 1, 0, &table->tail);
	/* also if it exists: the device may not have linked it */
	return err ?: relink(dev);
}

static int delete_entry(struct cxr_dev *dev, const struct cxr_rule_table *table,
			struct group *group, u32 i)
{
	int err;

	err = cxr_cmd_delete_fte(&dev->core, table->id, group->entries[i]->index);
	if (err)
		return err;
	kfree(group->entries[i]);
	group->entries[i] = NULL;
	return 0;
}

static void put_group(struct cxr_dev *dev, struct cxr_rule_table *table, struct group *group)
{
	unsigned int i;

	if (group->used)
		return;
	table->used--;
	for (i = 0; i < GROUP_ENTRIES; i++)
		if (group->entries[i])
			delete_entry(dev, table, group, i);
	group->kept = cxr_cmd_destroy_flow_group(&dev->core, table->id, group->id);
	if (group->kept)
		return;
	for (i = 0; table->groups[i] != group; i++)
		;
	table->groups[i] = NULL;
	free_group(group);
}

static u32 free_entry(const struct group *group)
{
	u32 i;

	for (i = 0; i < GROUP_ENTRIES && group->entries[i]; i++)
		;
	return i;
}

/* A group with this mask and a free entry; *slot is its index. ERR_PTR on failure. */
static struct group *get_group(struct cxr_dev *dev, struct cxr_rule_table *table,
			       const struct cxr_flow_fields *mask, u32 *slot)
{
	u32 i, free = GROUPS;
	struct group *group;
	int err;

	for (i = 0; i < GROUPS; i++) {
		group = table->groups[i];
		if (!group)
			free = min(free, i);
		else if (free_entry(group) < GROUP_ENTRIES &&
			 !memcmp(&group->mask, mask, sizeof(*mask)))
			break;
	}
	*slot = i;
	if (i < GROUPS) {
		table->used += group->kept;
		group->kept = false;
		return group;
	}
	if (free == GROUPS)
		return ERR_PTR(-ENOSPC);

	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return ERR_PTR(-ENOMEM);
	group->mask = *mask;
	err = cxr_cmd_create_flow_group(&dev->core, table->id, free << LOG_GROUP,
					(free << LOG_GROUP) + GROUP_ENTRIES - 1, mask, &group->id);
	if (err) {
		kfree(group);
		return ERR_PTR(err);
	}
	table->groups[free] = group;
	table->used++;
	*slot = free;
	return group;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The action of all rules of @entry; -EEXIST: a rule that drops packets is not the only one. */
static int fill_action(const struct cxr_rule_table *table, const struct entry *entry,
		       struct cxr_flow_action *action)
{
	const struct cxr_rule *rule;
	bool shared = true;

	action->tag = entry->tag;
	action->count = entry->count;
	action->counter = entry->counter;
	action->n_dests = 0;
	list_for_each_entry(rule, &entry->rules, node) {
		if (rule->drop && !list_is_singular(&entry->rules))
			return -EEXIST;
		shared &= rule->shared;
		if (rule->drop)
			continue;
		if (action->n_dests == CXR_FLOW_DESTS - 1)
			return -ENOSPC;
		action->dests[action->n_dests++] = (struct cxr_flow_dest){ .num = rule->tirn };
	}
	if (shared && action->n_dests)
		action->dests[action->n_dests++] = (struct cxr_flow_dest){
			.to = CXR_FLOW_TO_TABLE, .num = table->tail,
		};
	return 0;
}

static int write_entry(struct cxr_dev *dev, const struct cxr_rule *rule, bool modify)
{
	struct cxr_flow_action action = {};
	int err;

	err = fill_action(rule->table, rule->entry, &action);
	if (err)
		return err;
	return cxr_cmd_set_fte(&dev->core, rule->table->id, rule->group->id, rule->entry->index,
			       &rule->entry->value, &action, modify);
}

/* The existing entry for the same packets. One without rules is deleted; ERR_PTR if it cannot. */
static struct entry *find_entry(struct cxr_dev *dev, struct cxr_rule_table *table,
				const struct cxr_rule_attr *attr, struct group **group)
{
	struct entry *entry;
	u32 g, i;
	int err;

	for (g = 0; g < GROUPS; g++) {
		*group = table->groups[g];
		if (!*group || memcmp(&(*group)->mask, &attr->mask, sizeof(attr->mask)))
			continue;
		for (i = 0; i < GROUP_ENTRIES; i++) {
			entry = (*group)->entries[i];
			if (!entry || memcmp(&entry->value, &attr->value, sizeof(attr->value)))
				continue;
			if (!list_empty(&entry->rules))
				return entry;
			err = delete_entry(dev, table, *group, i);
			return err ? ERR_PTR(err) : NULL;
		}
	}
	return NULL;
}

static int join_entry(struct cxr_dev *dev, struct cxr_rule *rule, const struct cxr_rule_attr *attr)
{
	int err;

	if (rule->entry->tag != attr->tag || rule->entry->count != attr->count ||
	    rule->entry->counter != attr->counter)
		return -EEXIST;
	list_add_tail(&rule->node, &rule->entry->rules);
	err = write_entry(dev, rule, true);
	if (err)
		list_del(&rule->node);
	return err;
}

static int create_entry(struct cxr_dev *dev, struct cxr_rule *rule,
			const struct cxr_rule_attr *attr)
{
	struct entry *entry;
	u32 slot, i;
	int err;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	rule->group = get_group(dev, rule->table, &attr->mask, &slot);
	if (IS_ERR(rule->group)) {
		err = PTR_ERR(rule->group);
		goto err_free;
	}

	i = free_entry(rule->group);
	entry->index = (slot << LOG_GROUP) + i;
	entry->tag = attr->tag;
	entry->count = attr->count;
	entry->counter = attr->counter;
	entry->value = attr->value;
	INIT_LIST_HEAD(&entry->rules);
	list_add(&rule->node, &entry->rules);
	rule->entry = entry;
	err = write_entry(dev, rule, false);
	if (err)
		goto err_put_group;
	rule->group->entries[i] = entry;
	rule->group->used++;
	return 0;

err_put_group:
	put_group(dev, rule->table, rule->group);
err_free:
	kfree(entry);
	return err;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static int add_rule(struct cxr_dev *dev, struct cxr_rule *rule, const struct cxr_rule_attr *attr)
	__must_hold(&dev->flow_lock)
{
	int err;

	rule->table = get_table(dev, attr->prio);
	if (IS_ERR(rule->table))
		return PTR_ERR(rule->table);
	err = attr->shared ? get_tail(dev, attr->prio) : 0;
	if (err)
		goto err_put_table;

	rule->entry = find_entry(dev, rule->table, attr, &rule->group);
	if (IS_ERR(rule->entry)) {
		err = PTR_ERR(rule->entry);
		goto err_put_table;
	}
	err = rule->entry ? join_entry(dev, rule, attr) : create_entry(dev, rule, attr);
	if (err)
		goto err_put_table;
	return 0;

err_put_table:
	put_table(dev, attr->prio);
	return err;
}

struct cxr_rule *cxr_rule_add(struct cxr_core *core, const struct cxr_rule_attr *attr)
{
	struct cxr_dev *dev = to_dev(core);
	struct cxr_rule *rule;
	int err;

	rule = kzalloc(sizeof(*rule), GFP_KERNEL);
	if (!rule)
		return ERR_PTR(-ENOMEM);
	rule->prio = attr->prio;
	rule->drop = attr->drop;
	rule->shared = attr->shared;
	rule->tirn = attr->tirn;

	mutex_lock(&dev->flow_lock);
	err = add_rule(dev, rule, attr);
	mutex_unlock(&dev->flow_lock);
	if (err) {
		kfree(rule);
		return ERR_PTR(err);
	}
	return rule;
}
EXPORT_SYMBOL_GPL(cxr_rule_add);

void cxr_rule_remove(struct cxr_core *core, struct cxr_rule *rule)
{
	struct cxr_dev *dev = to_dev(core);
	struct entry *entry = rule->entry;
	struct group *group = rule->group;

	mutex_lock(&dev->flow_lock);
	list_del(&rule->node);
	if (!list_empty(&entry->rules)) {
		write_entry(dev, rule, true);
	} else {
		delete_entry(dev, rule->table, group, entry->index % GROUP_ENTRIES);
		group->used--;
		put_group(dev, rule->table, group);
		put_table(dev, rule->prio);
	}
	mutex_unlock(&dev->flow_lock);
	kfree(rule);
}
EXPORT_SYMBOL_GPL(cxr_rule_remove);
