// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Optional counters: packets marked as congested, and CNPs, counted by entries of flow tables
 * through which the RoCE packets of the function pass. They cost the device a lookup per packet,
 * so there is a table only while one of its counters is enabled.
 *
 * ib_core enables, disables and reads under one lock, that of the port's statistics.
 */
#include <linux/string.h>
#include <net/inet_ecn.h>
#include <rdma/ib_hdrs.h>

#include "ib.h"

#define VERSION_MASK 0xf
#define LOG_ENTRIES 2

/*
 * Entries @first to @first + @n - 1 of a table, a group. A packet counts in the entry of the lowest
 * index that it matches, so a CNP that is marked counts as marked.
 */
static const struct optional {
	bool tx;
	u32 first, n;
	struct cxr_flow_fields mask, values[2];
} optionals[CXR_OPTIONAL_COUNTERS] = {
	[CXR_CNT_cc_rx_ce_pkts - CXR_ALWAYS_COUNTERS] = {
		.first = 0, .n = 2,
		.mask = { .ip_version = VERSION_MASK, .traffic_class = INET_ECN_MASK },
		.values = { { .ip_version = 4, .traffic_class = INET_ECN_CE },
			    { .ip_version = 6, .traffic_class = INET_ECN_CE } },
	},
	[CXR_CNT_cc_rx_cnp_pkts - CXR_ALWAYS_COUNTERS] = {
		.first = 2, .n = 1,
		.mask = { .bth_opcode = 0xff }, .values = { { .bth_opcode = IB_BTH_OPCODE_CNP } },
	},
	[CXR_CNT_cc_tx_cnp_pkts - CXR_ALWAYS_COUNTERS] = {
		.tx = true, .first = 0, .n = 1,
		.mask = { .bth_opcode = 0xff }, .values = { { .bth_opcode = IB_BTH_OPCODE_CNP } },
	},
};

/* ---- tables ---- */

static int table_get(struct cxr_ib_dev *dev, bool tx)
{
	struct cxr_ib_rdma_table *table = &dev->rdma_tables[tx];
	int err;

	if (table->users++)
		return 0;
	err = cxr_cmd_create_rdma_table(dev->core, tx, LOG_ENTRIES, &table->id);
	if (err)
		goto err_users;
	err = cxr_cmd_set_flow_root(dev->core, table->id);
	if (err)
		goto err_table;
	return 0;

err_table:
	cxr_cmd_destroy_flow_table(dev->core, table->id);
err_users:
	table->users--;
	return err;
}

static void table_put(struct cxr_ib_dev *dev, bool tx)
{
	struct cxr_ib_rdma_table *table = &dev->rdma_tables[tx];

	if (!--table->users)
		cxr_cmd_destroy_flow_table(dev->core, table->id);
}

/* ---- entries ---- */

/* The last one first; an error: the device keeps this one, and those before it. */
static int delete_entries(struct cxr_ib_dev *dev, const struct optional *opt,
			  struct cxr_ib_optional *state)
{
	int err;

	for (; state->entries; state->entries--) {
		err = cxr_cmd_delete_fte(dev->core, dev->rdma_tables[opt->tx].id,
					 opt->first + state->entries - 1);
		if (err)
			return err;
	}
	return 0;
}

/* Those that are missing. */
static int set_entries(struct cxr_ib_dev *dev, const struct optional *opt,
		       struct cxr_ib_optional *state)
{
	struct cxr_flow_action action = { .allow = true, .count = true,
					  .counter = state->counter };
	u32 i;
	int err;

	for (i = state->entries; i < opt->n; i++, state->entries++) {
		err = cxr_cmd_set_fte(dev->core, dev->rdma_tables[opt->tx].id, state->group,
				      opt->first + i, &opt->values[i], &action, false);
		if (err)
			return err;
	}
	return 0;
}

/* ---- groups ---- */

/* With its table. One that the device did not let go of is still there. */
static int group_get(struct cxr_ib_dev *dev, const struct optional *opt,
		     struct cxr_ib_optional *state)
{
	int err;

	if (state->grouped)
		return 0;
	err = table_get(dev, opt->tx);
	if (err)
		return err;
	err = cxr_cmd_create_flow_group(dev->core, dev->rdma_tables[opt->tx].id, opt->first,
					opt->first + opt->n - 1, &opt->mask, &state->group);
	if (err)
		table_put(dev, opt->tx);
	else
		state->grouped = true;
	return err;
}

static void group_put(struct cxr_ib_dev *dev, const struct optional *opt,
		      struct cxr_ib_optional *state)
{
	if (cxr_cmd_destroy_flow_group(dev->core, dev->rdma_tables[opt->tx].id, state->group))
		return;
	state->grouped = false;
	table_put(dev, opt->tx);
}

/* ---- counters ---- */

static int enable(struct cxr_ib_dev *dev, const struct optional *opt,
		  struct cxr_ib_optional *state)
{
	int err;

	err = cxr_cmd_alloc_flow_counter(dev->core, &state->counter);
	if (err)
		return err;
	err = group_get(dev, opt, state);
	if (err)
		goto err_counter;
	/* Entries that were kept have another counter. */
	err = delete_entries(dev, opt, state) ?: set_entries(dev, opt, state);
	if (err)
		goto err_entries;
	state->on = true;
	return 0;

err_entries:
	if (!delete_entries(dev, opt, state))
		group_put(dev, opt, state);
err_counter:
	cxr_cmd_dealloc_flow_counter(dev->core, state->counter);
	return err;
}

/* After an error it is as before. */
static int disable(struct cxr_ib_dev *dev, const struct optional *opt,
		   struct cxr_ib_optional *state)
{
	int err;

	err = delete_entries(dev, opt, state);
	if (err) {
		set_entries(dev, opt, state);
		return err;
	}
	state->on = false;
	group_put(dev, opt, state);
	cxr_cmd_dealloc_flow_counter(dev->core, state->counter);
	return 0;
}

int cxr_ib_modify_hw_stat(struct ib_device *ibdev, u32 port, unsigned int index, bool on)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);
	struct cxr_ib_optional *state;
	const struct optional *opt;
	unsigned int i;

	if (index >= dev->n_stats || dev->stat_counters[index] < CXR_ALWAYS_COUNTERS)
		return -EINVAL;
	i = dev->stat_counters[index] - CXR_ALWAYS_COUNTERS;
	state = &dev->optional[i];
	opt = &optionals[i];
	if (on == state->on)
		return on ? -EEXIST : -EINVAL;
	if (on)
		return enable(dev, opt, state);
	return disable(dev, opt, state);
}

int cxr_ib_read_optional(struct cxr_ib_dev *dev, u64 *values)
{
	struct cxr_traffic traffic;
	unsigned int i;
	int err;

	for (i = 0; i < CXR_OPTIONAL_COUNTERS; i++) {
		if (!dev->optional[i].on)
			continue;
		err = cxr_cmd_query_flow_counter(dev->core, dev->optional[i].counter, &traffic);
		if (err)
			return err;
		values[CXR_ALWAYS_COUNTERS + i] = traffic.packets;
	}
	return 0;
}

void cxr_ib_optional_down(struct cxr_ib_dev *dev)
{
	struct cxr_ib_optional *state;
	unsigned int i;

	for (i = 0; i < CXR_OPTIONAL_COUNTERS; i++) {
		state = &dev->optional[i];
		if (state->on)
			disable(dev, &optionals[i], state);
		else if (state->grouped)
			group_put(dev, &optionals[i], state);
	}
}
