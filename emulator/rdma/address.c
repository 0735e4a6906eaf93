// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The RoCE address table. */
#include <string.h>

#include "prm/vport.h"
#include "rdma/rdma.h"

#define VLAN_MAX 4094

static bool all_zero(const void *p, size_t len)
{
	const uint8_t *b = p;

	while (len--)
		if (*b++)
			return false;
	return true;
}

static bool is_v4_mapped(const uint8_t *gid)
{
	return all_zero(gid, 10) && gid[10] == 0xff && gid[11] == 0xff;
}

static int check_roce_address(struct cmd *c, const struct prm_roce_addr_layout *addr)
{
	const uint8_t *gid = prm_bytes_const(addr, source_l3_address);
	unsigned int version = prm_get(addr, roce_version), l3 = prm_get(addr, roce_l3_type);

	if (!mac_is_unicast(prm_bytes_const(addr, source_mac_47_32)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "source_mac is no unicast address");
	if (version != PRM_ROCE_V1 && version != PRM_ROCE_V2)
		return refuse(c, PRM_STATUS_BAD_PARAM, "roce_version %u is not advertised",
			      version);
	if (l3 > PRM_ROCE_L3_IPV6 || (version == PRM_ROCE_V1 && l3))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "roce_l3_type %u does not go with roce_version %u", l3, version);
	if (version == PRM_ROCE_V2 &&
	    l3 != (is_v4_mapped(gid) ? PRM_ROCE_L3_IPV4 : PRM_ROCE_L3_IPV6))
		return refuse(c, PRM_STATUS_BAD_PARAM, "roce_l3_type %u, but the address is %s", l3,
			      is_v4_mapped(gid) ? "IPv4" : "IPv6");
	if (!prm_get(addr, vlan_valid) && prm_get(addr, vlan_id))
		return refuse(c, PRM_STATUS_BAD_PARAM, "vlan_id %u without vlan_valid",
			      prm_get(addr, vlan_id));
	if (prm_get(addr, vlan_id) > VLAN_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "vlan_id %u is above %u",
			      prm_get(addr, vlan_id), VLAN_MAX);
	return 0;
}

static int check_port(struct cmd *c, unsigned int port)
{
	if (port == hca_vhca_port(c->dev))
		return 0;
	return refuse(c, PRM_STATUS_BAD_PARAM, "vhca_port_num %u: by num_vhca_ports it is %u", port,
		      hca_vhca_port(c->dev));
}

static int run_set_roce_address(struct cmd *c)
{
	const struct prm_set_roce_address_in *in = c->in;
	const struct prm_roce_addr_layout *addr = prm_sub_const(in, roce_address, roce_addr_layout);
	unsigned int index = prm_get(in, roce_address_index);
	struct roce_addr *entry;

	if (!hca_roce(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM, "RoCE is not advertised");
	if (index >= c->dev->card->roce_addrs)
		return refuse(c, PRM_STATUS_IX, "roce_address_index %u is outside the table of %u",
			      index, c->dev->card->roce_addrs);
	if (check_port(c, prm_get(in, vhca_port_num)))
		return -1;

	entry = &c->dev->roce_addrs[index];
	if (all_zero(prm_bytes_const(addr, source_l3_address), 16)) {
		if (!all_zero(prm_bytes_const(addr, source_mac_47_32), 6) ||
		    prm_get(addr, vlan_valid))
			return refuse(c, PRM_STATUS_BAD_PARAM, "a MAC or VLAN without an address");
		*entry = (struct roce_addr){ .removed = entry->valid || entry->removed };
		return 0;
	}
	if (check_roce_address(c, addr))
		return -1;

	entry->valid = true;
	memcpy(entry->gid, prm_bytes_const(addr, source_l3_address), 16);
	memcpy(entry->mac, prm_bytes_const(addr, source_mac_47_32), 6);
	entry->vlan_valid = prm_get(addr, vlan_valid);
	entry->vlan = prm_get(addr, vlan_id);
	entry->version = prm_get(addr, roce_version);
	entry->l3_type = prm_get(addr, roce_l3_type);
	return 0;
}

static int run_query_roce_address(struct cmd *c)
{
	const struct prm_query_roce_address_in *in = c->in;
	struct prm_query_roce_address_out *out = c->out;
	struct prm_roce_addr_layout *addr = prm_sub(out, roce_address, roce_addr_layout);
	unsigned int index = prm_get(in, roce_address_index);
	const struct roce_addr *entry;

	if (index >= c->dev->card->roce_addrs)
		return refuse(c, PRM_STATUS_IX, "roce_address_index %u is outside the table of %u",
			      index, c->dev->card->roce_addrs);
	if (check_port(c, prm_get(in, vhca_port_num)))
		return -1;

	entry = &c->dev->roce_addrs[index];
	memcpy(prm_bytes(addr, source_l3_address), entry->gid, 16);
	memcpy(prm_bytes(addr, source_mac_47_32), entry->mac, 6);
	prm_set(addr, vlan_valid, entry->vlan_valid);
	prm_set(addr, vlan_id, entry->vlan);
	prm_set(addr, roce_version, entry->version);
	prm_set(addr, roce_l3_type, entry->l3_type);
	return 0;
}

static const char *roce_addr_type(const struct roce_addr *entry)
{
	if (entry->version == PRM_ROCE_V1)
		return "v1";
	return entry->l3_type == PRM_ROCE_L3_IPV4 ? "v2/IPv4" : "v2/IPv6";
}

static void roce_addr_print(const struct roce_addr *entry, unsigned int index, FILE *out)
{
	unsigned int i;

	fprintf(out, "  %u ", index);
	for (i = 0; i < 16; i += 2)
		fprintf(out, "%s%02x%02x", i ? ":" : "", entry->gid[i], entry->gid[i + 1]);
	fprintf(out, " %s ", roce_addr_type(entry));
	for (i = 0; i < 6; i++)
		fprintf(out, "%s%02x", i ? ":" : "", entry->mac[i]);
	if (entry->vlan_valid)
		fprintf(out, " %u\n", entry->vlan);
	else
		fprintf(out, " -\n");
}

void roce_addrs_print(const struct cxdev *dev, FILE *out)
{
	unsigned int i, n = 0;

	for (i = 0; i < ROCE_ADDRS; i++)
		n += dev->roce_addrs[i].valid;
	fprintf(out, "function %s: %u of %u addresses\n", dev->name, n, dev->card->roce_addrs);
	for (i = 0; i < ROCE_ADDRS; i++)
		if (dev->roce_addrs[i].valid)
			roce_addr_print(&dev->roce_addrs[i], i, out);
}

const struct cmd_desc cmds_roce[] = {
	CMD(set_roce_address),
	CMD(query_roce_address),
	{}
};
