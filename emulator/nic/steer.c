// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Flow table lookup: of received packets, which leads to TIRs, of RoCE packets, which count and may
 * drop them, of packets in the e-switch, which leads to vports, and of sent packets, which leads to
 * the port that they leave by.
 *
 * The commands make sure that levels rise along every edge, so a lookup ends. A fan-out over many
 * tables, and the groups of all of them, are limited to numbers that no sane set of rules comes
 * near.
 */
#include <string.h>
#include <libdeflate.h>

#include "nic/nic.h"
#include "prm/vport.h"

#define MAX_STEPS 512
#define MAX_GROUPS 2048

struct walk {
	struct cxdev *dev;
	const struct eth_packet *packet;
	struct match_fields fields;
	void (*deliver)(struct tir *tir, const struct eth_packet *packet, uint32_t tag, void *arg);
	void *arg;
	unsigned int steps, groups, delivered;
	enum rdma_fate fate;
	uint32_t vports;	/* ESWITCH_VPORT bits */
};

static struct prm_fte_match_set_lyr_2_4 *outer_of(struct match_fields *fields)
{
	return (struct prm_fte_match_set_lyr_2_4 *)fields->dw;
}

/* ---- received ---- */

/* The entry of the lowest index wins. */
static struct fte *find_entry(struct walk *walk, struct flow_table *table)
{
	const struct flow_group *group;
	struct fte *fte;

	list_for_each_entry(group, &table->groups, node) {
		if (walk->groups == MAX_GROUPS)
			return NULL;
		if (++walk->groups == MAX_GROUPS) {
			violation(walk->dev, "one packet is looked up in %d flow groups",
				  MAX_GROUPS);
			return NULL;
		}
		fte = group_match(group, &walk->fields);
		if (fte)
			return fte;
	}
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
	if (fte->action & PRM_FLOW_DROP) {
		walk->fate = RDMA_DROPPED;
		return;
	}

	if (fte->tag)
		tag = fte->tag;
	for (i = 0; i < fte->n_dests; i++) {
		if (fte->dests[i].table) {
			walk_table(walk, fte->dests[i].table, tag);
			continue;
		}
		if (fte->dests[i].vport) {
			walk->vports |= fte->dests[i].vport;
			continue;
		}
		walk->delivered++;
		walk->deliver(fte->dests[i].tir, walk->packet, tag, walk->arg);
	}
}

/* Its own function's root is no demux table, nor does it lead to one: only port 1 has them. */
static struct flow_table *behind(const struct walk *walk, const struct flow_table *table)
{
	return table->demux && walk->dev != table->obj.dev ? walk->dev->eth->rx_root : table->miss;
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
		if (prm_get(&table->ctx, table_miss_action) == PRM_FT_MISS_DOMAIN)
			walk->fate = RDMA_IS_ETHERNET;
		table = behind(walk, table);
	}
}

unsigned int steer(struct cxdev *dev, struct cxdev *first, const struct eth_packet *packet,
		   void (*deliver)(struct tir *tir, const struct eth_packet *packet, uint32_t tag,
				   void *arg),
		   void *arg)
{
	struct walk walk = { .dev = dev, .packet = packet, .deliver = deliver, .arg = arg };
	struct prm_fte_match_set_lyr_2_4 *inner;

	if (!first->eth->rx_root)
		return 0;
	packet_match_set(packet, outer_of(&walk.fields));
	if (packet->inner) {
		inner = outer_of(&walk.fields) + 2;
		prm_set(inner, ip_version, packet->inner->ip_version);
		prm_set(inner, ip_protocol, packet->inner->proto);
	}
	walk_table(&walk, first->eth->rx_root, 0);
	return walk.delivered;
}

/* ---- RoCE packets ---- */

/* One that matches nothing goes on. */
enum rdma_fate rdma_steer(struct cxdev *dev, unsigned int table_type, const struct frame *frame,
			  uint8_t bth_opcode)
{
	struct flow_table *root = table_type == PRM_FT_RDMA_RX ? dev->eth->rdma_rx_root :
								 dev->eth->rdma_tx_root;
	struct walk walk = { .dev = dev };
	struct prm_fte_match_set_misc *misc =
		(struct prm_fte_match_set_misc *)(outer_of(&walk.fields) + 1);
	struct eth_packet packet;

	if (!root)
		return RDMA_PASSES;
	packet_parse(&packet, frame->data, frame->len);
	packet_match_set(&packet, outer_of(&walk.fields));
	prm_set(misc, bth_opcode, bth_opcode);
	walk.packet = &packet;
	walk_table(&walk, root, 0);
	return walk.fate;
}

/* ---- the e-switch ---- */

uint32_t fdb_steer(struct cxdev *dev, unsigned int source, const struct frame *frame)
{
	struct walk walk = { .dev = dev };
	struct prm_fte_match_set_misc *misc =
		(struct prm_fte_match_set_misc *)(outer_of(&walk.fields) + 1);
	struct eth_packet packet;

	packet_parse(&packet, frame->data, frame->len);
	packet_match_set(&packet, outer_of(&walk.fields));
	prm_set(misc, source_port, source);
	walk.packet = &packet;
	walk_table(&walk, dev->eth->fdb_root, 0);
	if (walk.vports || walk.fate == RDMA_DROPPED)
		return walk.vports;
	return source == PRM_VPORT_NUM_UPLINK ? 0 : ESWITCH_VPORT(PRM_VPORT_NUM_UPLINK);
}

/* What no entry has passes. */
bool acl_steer(struct cxdev *dev, struct flow_table *acl, const struct frame *frame)
{
	struct walk walk = { .dev = dev };
	struct eth_packet packet;

	packet_parse(&packet, frame->data, frame->len);
	packet_match_set(&packet, outer_of(&walk.fields));
	walk.packet = &packet;
	walk_table(&walk, acl, 0);
	return walk.fate != RDMA_DROPPED;
}

/* ---- sent ---- */

/*
 * Which entry of a hash group the packet gets. A CRC alone is linear: flows that count up in steps
 * of two could all have one lowest bit, and so one port of two.
 */
static uint32_t pick(const struct flow_group *group, const struct match_fields *fields)
{
	struct prm_fte_match_set_lyr_2_4 picked;
	uint32_t hash;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(picked.dw); i++)
		picked.dw[i] = fields->dw[i] & group->definer->picked.dw[i];
	hash = libdeflate_crc32(0, picked.dw, sizeof(picked.dw));
	hash = (hash ^ hash >> 16) * 0x9e3779b1u;
	hash ^= hash >> 15;
	return group->start + hash % (group->end - group->start + 1);
}

/* The lowest index wins here too; of a hash group there is one entry at most. */
static const struct fte *find_step(const struct flow_table *table, unsigned int *groups,
				   const struct match_fields *fields)
{
	const struct flow_group *group;
	const struct fte *fte;

	list_for_each_entry(group, &table->groups, node) {
		if (++*groups > MAX_GROUPS)
			return NULL;
		fte = !group->entries ? NULL :
		      group->definer  ? group_entry(group, pick(group, fields)) :
					group_match(group, fields);
		if (fte)
			return fte;
	}
	return NULL;
}

unsigned int port_select(const struct cxdev *dev, const struct frame *frame)
{
	const struct flow_table *table = dev->eth->port_root;
	struct match_fields fields = {};
	struct eth_packet packet;
	unsigned int groups = 0;
	const struct fte *fte;

	if (!table)
		return 0;
	packet_parse(&packet, frame->data, frame->len);
	packet_match_set(&packet, outer_of(&fields));
	while (table) {
		fte = find_step(table, &groups, &fields);
		if (fte && fte->dests->uplink)
			return fte->dests->uplink;
		table = fte ? fte->dests->table : table->miss;
	}
	return 0;
}
