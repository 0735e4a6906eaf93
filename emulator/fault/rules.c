// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The rules of fault injection, and whether one fires now.
 *
 * A rule counts its matches and fires on the nth, or by a seeded generator of its own: never by
 * time. Of several that fire, the oldest acts; all of them count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fault/fault.h"

static struct list_head rules = LIST_HEAD_INIT(rules);
static unsigned int n_rules, next_id = 1;
static unsigned int n_at[FAULT_SITES]; /* rules by injection point, to skip the search */

/* splitmix64: the same numbers from the same seed on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Counts one more match; true if the rule fires. */
static bool rule_fires(struct fault *rule)
{
	bool now;

	rule->seen++;
	if (rule->chance)
		now = next_random(&rule->random) % FAULT_BASIS_POINTS < rule->chance;
	else
		now = rule->seen >= rule->nth;
	return now && (!rule->times || rule->done < rule->times);
}

enum fault_action fault_check(enum fault_site site, struct cxdev *dev, uint32_t what,
			      uint32_t *value)
{
	struct fault *rule, *match = NULL;

	if (!n_at[site])
		return FAULT_NONE;
	list_for_each_entry(rule, &rules, node) {
		if (rule->site != site || rule->dev != dev ||
		    (rule->what != FAULT_ANY && rule->what != what))
			continue;
		if (rule_fires(rule) && !match)
			match = rule;
	}
	if (!match)
		return FAULT_NONE;
	match->done++;
	notice(dev, "fault %u hit, %llu so far", match->id, (unsigned long long)match->done);
	if (value)
		*value = match->value;
	return match->action;
}

struct fault *fault_match_frame(const struct port *port, enum fault_way way,
				const struct frame *frame)
{
	struct fault *rule, *match = NULL;

	list_for_each_entry(rule, &rules, node) {
		if (rule->site != FAULT_FRAME || !fault_matches_frame(rule, port, way, frame))
			continue;
		if (rule_fires(rule) && !match)
			match = rule;
	}
	if (match)
		match->done++;
	return match;
}

bool fault_has_frame_rules(void)
{
	return n_at[FAULT_FRAME];
}

int fault_add(const struct fault *rule, unsigned int *id)
{
	struct fault *copy;

	if (n_rules == FAULT_RULES_MAX)
		return -ENOSPC;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOSPC;
	*copy = *rule;
	copy->id = *id = next_id++;
	copy->random = copy->seed;
	list_add_tail(&copy->node, &rules);
	n_rules++;
	n_at[copy->site]++;
	return 0;
}

static void remove_rule(struct fault *rule)
{
	list_del(&rule->node);
	n_rules--;
	n_at[rule->site]--;
	free(rule);
	if (!n_at[FAULT_FRAME])
		fault_drop_held(NULL);
}

bool fault_remove(unsigned int id)
{
	struct fault *rule;

	list_for_each_entry(rule, &rules, node) {
		if (rule->id == id) {
			remove_rule(rule);
			return true;
		}
	}
	return false;
}

void fault_clear(void)
{
	struct fault *rule, *tmp;

	list_for_each_entry_safe(rule, tmp, &rules, node)
		remove_rule(rule);
}

void fault_for_each(void (*fn)(const struct fault *rule, void *arg), void *arg)
{
	struct fault *rule;

	list_for_each_entry(rule, &rules, node)
		fn(rule, arg);
}

/* ---- rules of a function or port that is destroyed ---- */

void fault_remove_dev(const struct cxdev *dev)
{
	struct fault *rule, *tmp;

	list_for_each_entry_safe(rule, tmp, &rules, node)
		if (rule->dev == dev)
			remove_rule(rule);
}

void fault_remove_port(const struct port *port)
{
	struct fault *rule, *tmp;

	list_for_each_entry_safe(rule, tmp, &rules, node)
		if (rule->port == port)
			remove_rule(rule);
	fault_drop_held(port);
}
