// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The entries of a flow group: found by their index, which commands use, and by their value. All
 * entries of a group match the same fields, so a packet is looked up in a hash of these, however
 * many entries there are, as on a card.
 */
#include "base/hash.h"
#include "nic/nic.h"

#define BUCKETS_MIN 16u	/* a power of 2, as all numbers of them */

void group_prepare(struct flow_group *group)
{
	unsigned int i;

	for (i = 0; i < MATCH_DWORDS; i++)
		if (group->criteria.dw[i])
			group->used[group->n_used++] = i;
}

static uint64_t hash_of(const struct flow_group *group, const struct match_fields *fields)
{
	uint64_t hash = 0;
	unsigned int i;

	for (i = 0; i < group->n_used; i++)
		hash = hash_mix(hash, fields->dw[group->used[i]] &
				      group->criteria.dw[group->used[i]]);
	return hash;
}

static bool matches(const struct match_fields *fields, const struct fte *fte)
{
	const struct flow_group *group = fte->group;
	unsigned int i, at;

	for (i = 0; i < group->n_used; i++) {
		at = group->used[i];
		if ((fields->dw[at] ^ fte->value.dw[at]) & group->criteria.dw[at])
			return false;
	}
	return true;
}

static struct list_head *bucket_of(const struct flow_group *group,
				   const struct match_fields *fields)
{
	return &group->by_value[hash_of(group, fields) & (group->n_buckets - 1)];
}

struct fte *group_entry(const struct flow_group *group, uint32_t index)
{
	return group->by_index ? group->by_index[index - group->start] : NULL;
}

struct fte *group_match(const struct flow_group *group, const struct match_fields *fields)
{
	struct fte *fte;

	if (!group->entries)
		return NULL;
	/* equal ones stand in the order of their indices */
	list_for_each_entry(fte, bucket_of(group, fields), by_value)
		if (matches(fields, fte))
			return fte;
	return NULL;
}

/* From the end: of equal values, which all stand in one bucket, the next one is mostly the last. */
static void put_in_bucket(struct flow_group *group, struct fte *fte)
{
	struct list_head *bucket = bucket_of(group, &fte->value);
	struct fte *other;

	list_for_each_entry_reverse(other, bucket, by_value)
		if (other->index < fte->index)
			break;
	list_add(&fte->by_value, &other->by_value);
}

/* As many buckets as entries. */
static int grow(struct flow_group *group)
{
	uint32_t n = group->n_buckets ? 2 * group->n_buckets : BUCKETS_MIN, i;
	struct list_head *buckets = budget_alloc(group->obj.dev, n, sizeof(*buckets));
	struct fte *fte;

	if (!buckets)
		return -1;
	list_init_all(buckets, n);
	list_for_each_entry(fte, &group->ftes, node)
		list_del(&fte->by_value);
	budget_free(group->by_value);
	group->by_value = buckets;
	group->n_buckets = n;
	for (i = group->start; i <= group->end; i++) {
		fte = group_entry(group, i);
		if (fte)
			put_in_bucket(group, fte);
	}
	return 0;
}

int group_add(struct flow_group *group, struct fte *fte)
{
	if (!group->by_index)
		group->by_index = budget_alloc(group->obj.dev, group->end - group->start + 1ull,
					       sizeof(*group->by_index));
	if (!group->by_index || (group->entries == group->n_buckets && grow(group)))
		return -1;
	group->by_index[fte->index - group->start] = fte;
	list_add_tail(&fte->node, &group->ftes);
	put_in_bucket(group, fte);
	group->entries++;
	return 0;
}

void group_remove(struct fte *fte)
{
	struct flow_group *group = fte->group;

	group->by_index[fte->index - group->start] = NULL;
	list_del(&fte->node);
	list_del(&fte->by_value);
	group->entries--;
}

void group_destroy(struct flow_group *group)
{
	struct fte *fte, *tmp;

	list_for_each_entry_safe(fte, tmp, &group->ftes, node)
		fte_free(fte);
	budget_free(group->by_index);
	budget_free(group->by_value);
}
