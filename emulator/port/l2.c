// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The MPFS of a card that serves several hosts: unicast from the wire reaches the function only if
 * it wrote the address into this table. A card without log_max_l2_table has none.
 */
#include <string.h>

#include "port/port.h"
#include "prm/caps.h"
#include "prm/vport.h"

static unsigned int l2_size(const struct cxdev *dev)
{
	const struct prm_cmd_hca_cap *cap = (const void *)dev->hca->cap_cur[CAP_GENERAL];
	unsigned int log = prm_get(cap, log_max_l2_table);

	return !log ? 0 : log < L2_LOG_MAX ? 1u << log : 1u << L2_LOG_MAX;
}

bool l2_has(const struct cxdev *dev, const uint8_t *mac)
{
	unsigned int size = l2_size(dev), i;

	if (!size)
		return true;
	for (i = 0; i < size; i++)
		if (dev->eth->l2[i].used && !memcmp(dev->eth->l2[i].mac, mac, 6))
			return true;
	return false;
}

bool l2_admits(struct cxdev *dev, const struct frame *frame)
{
	if (frame->data[0] & 1 || l2_has(dev, frame->data))
		return true;
	dev->eth->counters.rx_other_host++;
	return false;
}

/* The manager of an e-switch is asked before it sorts a frame. */
bool l2_passes(struct cxdev *dev, const struct frame *frame)
{
	return frame->from == dev->port || eswitch_manager(dev) || l2_admits(dev, frame);
}

static struct l2_entry *l2_entry(struct cmd *c, unsigned int index)
{
	unsigned int size = l2_size(c->dev);

	if (index < size)
		return &c->dev->eth->l2[index];
	refuse(c, PRM_STATUS_BAD_PARAM, "table_index %u: the card has %u entries", index, size);
	return NULL;
}

static int run_set_l2_table_entry(struct cmd *c)
{
	const struct prm_set_l2_table_entry_in *in = c->in;
	const uint8_t *mac = prm_bytes_const(in, mac_address.mac_addr_47_32);
	struct l2_entry *entry = l2_entry(c, prm_get(in, table_index));

	if (!entry)
		return -1;
	if (prm_get(in, silent_mode_valid) || prm_get(in, silent_mode) ||
	    prm_get(in, vlan_valid) || prm_get(in, vlan))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "silent mode and VLAN of an entry are not supported");
	if (!mac_is_unicast(mac))
		return refuse(c, PRM_STATUS_BAD_PARAM, "mac_address is not a unicast address");
	entry->used = true;
	memcpy(entry->mac, mac, 6);
	return 0;
}

static int run_delete_l2_table_entry(struct cmd *c)
{
	const struct prm_delete_l2_table_entry_in *in = c->in;
	unsigned int index = prm_get(in, table_index);
	struct l2_entry *entry = l2_entry(c, index);

	if (!entry)
		return -1;
	if (!entry->used)
		return refuse(c, PRM_STATUS_BAD_PARAM, "entry %u is not used", index);
	entry->used = false;
	return 0;
}

const struct cmd_desc cmds_l2[] = {
	CMD(set_l2_table_entry),
	CMD(delete_l2_table_entry),
	{}
};
