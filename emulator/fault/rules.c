// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Faults on command: which rules there are, whether one applies now, and what is done at once.
 *
 * A rule counts what it matches and acts on the nth, or by a generator of its own that a seed
 * starts: never by time. Of several that apply, the oldest acts; all of them count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fault/fault.h"
#include "func/hca.h"

static struct list_head rules = LIST_HEAD_INIT(rules);
static unsigned int n_rules, next_id = 1;
static unsigned int n_at[FAULT_SITES]; /* so that nobody searches where nothing is */

/* The generator "splitmix64": the same numbers from the same seed on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Counts one more match; true if the rule acts on it. */
static bool applies(struct fault *rule)
{
	bool now;

	rule->seen++;
	if (rule->chance)
		now = next_random(&rule->random) % FAULT_BASIS_POINTS < rule->chance;
	else
		now = rule->seen >= rule->nth;
	return now && (!rule->times || rule->done < rule->times);
}

enum fault_action fault_ask(enum fault_site site, struct cxdev *dev, uint32_t what, uint32_t *value)
{
	struct fault *rule, *acts = NULL;

	if (!n_at[site])
		return FAULT_NONE;
	list_for_each_entry(rule, &rules, node) {
		if (rule->site != site || rule->dev != dev ||
		    (rule->what != FAULT_ANY && rule->what != what))
			continue;
		if (applies(rule) && !acts)
			acts = rule;
	}
	if (!acts)
		return FAULT_NONE;
	acts->done++;
	notice(dev, "fault %u acts, the %lluth time", acts->id, (unsigned long long)acts->done);
	if (value)
		*value = acts->value;
	return acts->action;
}

struct fault *fault_of_frame(const struct port *port, bool rx, const struct frame *frame)
{
	struct fault *rule, *acts = NULL;

	list_for_each_entry(rule, &rules, node) {
		if (rule->site != FAULT_FRAME || !fault_matches_frame(rule, port, rx, frame))
			continue;
		if (applies(rule) && !acts)
			acts = rule;
	}
	if (acts)
		acts->done++;
	return acts;
}

bool fault_wants_frames(void)
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

static void drop_rule(struct fault *rule)
{
	list_del(&rule->node);
	n_rules--;
	n_at[rule->site]--;
	free(rule);
	if (!n_at[FAULT_FRAME])
		fault_frames_drop(NULL);
}

bool fault_remove(unsigned int id)
{
	struct fault *rule;

	list_for_each_entry(rule, &rules, node) {
		if (rule->id == id) {
			drop_rule(rule);
			return true;
		}
	}
	return false;
}

void fault_clear(void)
{
	struct fault *rule, *tmp;

	list_for_each_entry_safe(rule, tmp, &rules, node)
		drop_rule(rule);
}

void fault_for_each(void (*fn)(const struct fault *rule, void *arg), void *arg)
{
	struct fault *rule;

	list_for_each_entry(rule, &rules, node)
		fn(rule, arg);
}

/* ---- what is done at once ---- */

int fault_pages(struct cxdev *dev, int32_t n)
{
	struct prm_eqe_page_req req = { .num_pages = cpu_to_be32(n) };

	if (!dev->hca->eq_by_event[PRM_EVENT_PAGE_REQUEST])
		return -ENODEV;
	dev->hca->pages_asked = n;
	event_push(dev, PRM_EVENT_PAGE_REQUEST, 0, &req, sizeof(req));
	return 0;
}

int fault_temperature(struct cxdev *dev)
{
	struct prm_eqe_temp_warning warn = { .sensor_warning_lsb = cpu_to_be64(1) };

	if (!dev->hca->eq_by_event[PRM_EVENT_TEMP_WARN])
		return -ENODEV;
	event_push(dev, PRM_EVENT_TEMP_WARN, 0, &warn, sizeof(warn));
	return 0;
}

/* What the driver does before it has noticed is no fault of its own. */
static void excuse(struct cxdev *dev)
{
	dev->ails.excused = true;
}

void fault_gone(struct cxdev *dev)
{
	cxdev_reset(dev);
	dev->ails.gone = true;
	excuse(dev);
	notice(dev, "fault: off the bus");
}

void fault_back(struct cxdev *dev)
{
	if (!dev->ails.gone)
		return;
	dev->ails.gone = false;
	cxdev_reset(dev);
	dev->ails.config_lost = true;
	excuse(dev);
	notice(dev, "fault: on the bus again");
}

/* The firmware died: what it knew is lost, the registers still answer. */
void fault_fatal(struct cxdev *dev)
{
	cxdev_reset(dev);
	dev->hca->boot_done_ns = 0;
	dev->ails.fatal = true;
	dev->ails.synd = 0x1;
	excuse(dev);
	notice(dev, "fault: the firmware stops");
}

void fault_reset(struct cxdev *dev)
{
	bool gone = dev->ails.gone, config_lost = dev->ails.config_lost;

	memset(&dev->ails, 0, sizeof(dev->ails));
	dev->ails.gone = gone;
	dev->ails.config_lost = config_lost;
	dev->ails.excused = gone;
}

void fault_heal(struct cxdev *dev)
{
	fault_back(dev);
	dev->ails.fatal = false;
	dev->ails.stalled = false;
	dev->ails.synd = 0;
	port_set_wire(dev->port, true);
}

void fault_port_gone(const struct port *port)
{
	struct fault *rule, *tmp;

	list_for_each_entry_safe(rule, tmp, &rules, node)
		if (rule->port == port)
			drop_rule(rule);
	fault_frames_drop(port);
}

void fault_disconnect(struct cxdev *dev)
{
	struct fault *rule, *tmp;

	list_for_each_entry_safe(rule, tmp, &rules, node)
		if (rule->dev == dev)
			drop_rule(rule);
	fault_port_gone(dev->port);
	fault_heal(dev);
	dev->ails.excused = false;
}
