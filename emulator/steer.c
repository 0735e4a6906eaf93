// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The walk of a received packet through the flow tables.
 *
 * Levels rise along every edge (the commands see to it), so a walk ends; a fan-out over many tables
 * is cut at a number of steps that no sane set of rules comes near.
 */
#include <string.h>

#include "eth.h"

#define MAX_STEPS 512

struct walk {
	struct cxdev *dev;
	const struct eth_packet *packet;
	struct prm_fte_match_set_lyr_2_4 fields;
	void (*deliver)(struct tir *tir, const struct eth_packet *packet, uint32_t tag, void *arg);
	void *arg;
	unsigned int steps, delivered;
};

static bool matches(const struct walk *walk, const struct fte *fte)
{
	const struct prm_fte_match_set_lyr_2_4 *mask =
		prm_sub_const(&fte->group->criteria, outer_headers, fte_match_set_lyr_2_4);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mask->dw); i++)
		if ((walk->fields.dw[i] ^ fte->value.dw[i]) & mask->dw[i])
			return false;
	return true;
}

/* The entry of the lowest index wins. */
static struct fte *find_entry(struct walk *walk, struct flow_table *table)
{
	struct fte *fte;

	list_for_each_entry(fte, &table->ftes, node)
		if (matches(walk, fte))
			return fte;
	return NULL;
}

static void walk_table(struct walk *walk, struct flow_table *table, uint32_t tag);

static void follow(struct walk *walk, const struct fte *fte, uint32_t tag)
{
	unsigned int i;

	for (i = 0; i < fte->n_counters; i++) {
		fte->counters[i]->hits.packets++;
		fte->counters[i]->hits.bytes += walk->packet->len;
	}
	if (fte->action & PRM_FLOW_DROP)
		return;

	if (fte->tag)
		tag = fte->tag;
	for (i = 0; i < fte->n_dests; i++) {
		if (fte->dests[i].table) {
			walk_table(walk, fte->dests[i].table, tag);
			continue;
		}
		walk->delivered++;
		walk->deliver(fte->dests[i].tir, walk->packet, tag, walk->arg);
	}
}

static void walk_table(struct walk *walk, struct flow_table *table, uint32_t tag)
{
	while (table) {
		struct fte *fte;

		if (walk->steps > MAX_STEPS)
			return;
		if (walk->steps++ == MAX_STEPS) {
			violation(walk->dev, "one packet walks through more than %d flow tables",
				  MAX_STEPS);
			return;
		}
		fte = find_entry(walk, table);
		if (fte) {
			follow(walk, fte, tag);
			return;
		}
		table = table->miss;
	}
}

unsigned int steer(struct cxdev *dev, const struct eth_packet *packet,
		   void (*deliver)(struct tir *tir, const struct eth_packet *packet, uint32_t tag,
				   void *arg),
		   void *arg)
{
	struct walk walk = { .dev = dev, .packet = packet, .deliver = deliver, .arg = arg };

	if (!dev->eth->rx_root)
		return 0;
	packet_match_set(packet, &walk.fields);
	walk_table(&walk, dev->eth->rx_root, 0);
	return walk.delivered;
}
