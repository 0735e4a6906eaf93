// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The flow tables that choose the port of each packet that a LAG in hash mode sends.
 *
 * The root table leads each kind of packet to a table of its own with one entry per port, among
 * which a hash chooses. RoCE v2 is UDP; of RoCE v1 and all other packets only the MACs are hashed.
 * An entry leads to the uplink of a function; after a fail-over both lead to the working port.
 */
#include <linux/if_ether.h>
#include <linux/in.h>

#include "lag.h"

#define LEVEL_KINDS	0
#define LEVEL_HASH	1
#define LOG_KINDS	2	/* entries of the root table: one for each kind, one unused */
#define LOG_PORTS	1

static const struct cxr_flow_fields udp_mask = { .ethertype = 0xffff, .ip_protocol = 0xff };
static const struct cxr_flow_fields udp_values[] = {
	[CXR_LAG_UDP_IPV4] = { .ethertype = ETH_P_IP, .ip_protocol = IPPROTO_UDP },
	[CXR_LAG_UDP_IPV6] = { .ethertype = ETH_P_IPV6, .ip_protocol = IPPROTO_UDP },
};

static const struct cxr_flow_fields any;

static int set_port(struct cxr_card *card, unsigned int kind, u32 index, u8 port, bool modify)
{
	const struct cxr_lag_hash_table *hash = &card->tables.hash[kind];
	struct cxr_flow_action action = {
		.n_dests = 1,
		.dests = { { .to = CXR_FLOW_TO_UPLINK,
			     .num = card->port[port - 1]->core.caps.vhca_id } },
	};

	return cxr_cmd_set_fte(&card->port[0]->core, hash->id, hash->group, index, &any, &action,
			       modify);
}

/* ---- the table of a kind --------------------------------------------------------------------- */

static void destroy_hash(struct cxr_core *core, const struct cxr_lag_hash_table *hash, u32 entries)
{
	while (entries)
		cxr_cmd_delete_fte(core, hash->id, --entries);
	cxr_cmd_destroy_flow_group(core, hash->id, hash->group);
	cxr_cmd_destroy_flow_table(core, hash->id);
	cxr_cmd_destroy_definer(core, hash->definer);
}

static int create_hash(struct cxr_card *card, unsigned int kind, const u8 map[CXR_LAG_PORTS])
{
	struct cxr_lag_hash_table *hash = &card->tables.hash[kind];
	struct cxr_core *core = &card->port[0]->core;
	u32 i;
	int err;

	err = cxr_cmd_create_definer(core, kind, &hash->definer);
	if (err)
		return err;
	err = cxr_cmd_create_port_table(core, LEVEL_HASH, LOG_PORTS, &hash->id);
	if (err)
		goto err_definer;
	err = cxr_cmd_create_hash_group(core, hash->id, 0, CXR_LAG_PORTS - 1, hash->definer,
					&hash->group);
	if (err)
		goto err_table;
	for (i = 0; i < CXR_LAG_PORTS; i++) {
		err = set_port(card, kind, i, map[i], false);
		if (err) {
			destroy_hash(core, hash, i);
			return err;
		}
	}
	return 0;

err_table:
	cxr_cmd_destroy_flow_table(core, hash->id);
err_definer:
	cxr_cmd_destroy_definer(core, hash->definer);
	return err;
}

/* ---- the root table -------------------------------------------------------------------------- */

static int set_kind_entry(struct cxr_card *card, unsigned int kind, u32 group,
			  const struct cxr_flow_fields *value)
	__must_hold(&card->lock)
{
	struct cxr_flow_action action = {
		.n_dests = 1,
		.dests = { { .to = CXR_FLOW_TO_TABLE, .num = card->tables.hash[kind].id } },
	};

	return cxr_cmd_set_fte(&card->port[0]->core, card->tables.root, group, kind, value, &action,
			       false);
}

static void delete_root_entries(struct cxr_core *core, const struct cxr_lag_tables *tables,
				u32 entries)
{
	while (entries)
		cxr_cmd_delete_fte(core, tables->root, --entries);
}

static int fill_root(struct cxr_card *card)
	__must_hold(&card->lock)
{
	const struct cxr_lag_tables *tables = &card->tables;
	u32 i;
	int err;

	for (i = 0; i < CXR_LAG_PACKETS; i++) {
		if (i == CXR_LAG_REST)
			err = set_kind_entry(card, i, tables->rest_group, &any);
		else
			err = set_kind_entry(card, i, tables->udp_group, &udp_values[i]);
		if (err) {
			delete_root_entries(&card->port[0]->core, tables, i);
			return err;
		}
	}
	return 0;
}

static int create_root(struct cxr_card *card)
	__must_hold(&card->lock)
{
	struct cxr_core *core = &card->port[0]->core;
	struct cxr_lag_tables *tables = &card->tables;
	int err;

	err = cxr_cmd_create_port_table(core, LEVEL_KINDS, LOG_KINDS, &tables->root);
	if (err)
		return err;
	err = cxr_cmd_create_flow_group(core, tables->root, 0, CXR_LAG_REST - 1, &udp_mask,
					&tables->udp_group);
	if (err)
		goto err_table;
	err = cxr_cmd_create_flow_group(core, tables->root, CXR_LAG_REST, CXR_LAG_REST, &any,
					&tables->rest_group);
	if (err)
		goto err_udp;
	err = fill_root(card);
	if (err)
		goto err_rest;
	err = cxr_cmd_set_flow_root(core, tables->root);
	if (err)
		goto err_entries;
	return 0;

err_entries:
	delete_root_entries(core, tables, CXR_LAG_PACKETS);
err_rest:
	cxr_cmd_destroy_flow_group(core, tables->root, tables->rest_group);
err_udp:
	cxr_cmd_destroy_flow_group(core, tables->root, tables->udp_group);
err_table:
	cxr_cmd_destroy_flow_table(core, tables->root);
	return err;
}

static void destroy_root(struct cxr_core *core, const struct cxr_lag_tables *tables)
{
	delete_root_entries(core, tables, CXR_LAG_PACKETS);
	cxr_cmd_destroy_flow_group(core, tables->root, tables->rest_group);
	cxr_cmd_destroy_flow_group(core, tables->root, tables->udp_group);
	cxr_cmd_destroy_flow_table(core, tables->root);
}

/* ---- all of them ----------------------------------------------------------------------------- */

int cxr_lag_tables_create(struct cxr_card *card, const u8 map[CXR_LAG_PORTS])
{
	struct cxr_core *core = &card->port[0]->core;
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < CXR_LAG_PACKETS; i++) {
		err = create_hash(card, i, map);
		if (err)
			goto err_hash;
	}
	err = create_root(card);
	if (err)
		goto err_hash;
	return 0;

err_hash:
	while (i)
		destroy_hash(core, &card->tables.hash[--i], CXR_LAG_PORTS);
	return err;
}

void cxr_lag_tables_destroy(struct cxr_card *card)
{
	struct cxr_core *core = &card->port[0]->core;
	unsigned int i;

	lockdep_assert_held(&card->lock);
	destroy_root(core, &card->tables);
	for (i = CXR_LAG_PACKETS; i; i--)
		destroy_hash(core, &card->tables.hash[i - 1], CXR_LAG_PORTS);
}

int cxr_lag_tables_remap(struct cxr_card *card, const u8 old[CXR_LAG_PORTS],
			 const u8 map[CXR_LAG_PORTS])
{
	unsigned int kind, i;
	int err;

	lockdep_assert_held(&card->lock);
	for (kind = 0; kind < CXR_LAG_PACKETS; kind++) {
		for (i = 0; i < CXR_LAG_PORTS; i++) {
			if (map[i] == old[i])
				continue;
			err = set_port(card, kind, i, map[i], true);
			if (err)
				return err;
		}
	}
	return 0;
}
