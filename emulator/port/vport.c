// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The vport: NIC context, state, counters; the RoCE address table; the pkey table. */
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"
#include "prm/counter.h"
#include "prm/vport.h"

#define MIN_MTU 68
#define PKEYS 128
#define DEFAULT_PKEY 0xffff
#define VLAN_MAX 4094

#define other_vport(c, in)                                                       \
	({                                                                       \
		typeof(in) in_ = (in);                                           \
		struct cmd *c_ = (c);                                            \
	\
		is_set(c_, in_, other_vport, "but there is one vport") ||        \
			is_set(c_, in_, vport_number, "but there is one vport"); \
	})

static uint64_t mac_to_u64(const uint8_t *mac)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < 6; i++)
		v = v << 8 | mac[i];
	return v;
}

static bool mac_is_unicast(const uint8_t *mac)
{
	return !(mac[0] & 1) && mac_to_u64(mac);
}

static uint64_t port_guid(const uint8_t *mac)
{
	uint64_t m = mac_to_u64(mac);

	/* EUI-64: the universal bit is turned, ff:fe goes into the middle */
	return ((m >> 24) ^ 0x020000) << 40 | 0xfffeull << 24 | (m & 0xffffff);
}

/* ---- NIC vport context ---- */

static void fill_context(struct cxdev *dev, struct prm_nic_vport_context *ctx)
{
	struct eth_state *eth = dev->eth;

	prm_set(ctx, min_wqe_inline_mode, eth->min_inline);
	prm_set(ctx, disable_mc_local_lb, eth->block_mc);
	prm_set(ctx, disable_uc_local_lb, eth->block_uc);
	prm_set(ctx, roce_en, dev->roce_enabled);
	prm_set(ctx, arm_change_event, eth->change_armed);
	prm_set(ctx, event_on_mtu, eth->change_events & 1);
	prm_set(ctx, event_on_promisc_change, eth->change_events >> 1 & 1);
	prm_set(ctx, event_on_vlan_change, eth->change_events >> 2 & 1);
	prm_set(ctx, event_on_mc_address_change, eth->change_events >> 3 & 1);
	prm_set(ctx, event_on_uc_address_change, eth->change_events >> 4 & 1);
	prm_set(ctx, mtu, eth->mtu);
	prm_set64(ctx, system_image_guid, dev->sys_image_guid);
	prm_set64(ctx, port_guid, port_guid(eth->mac));
	prm_set64(ctx, node_guid, dev->node_guid);
	prm_set(ctx, qkey_violation_counter,
		dev->rdma.rx_bad_qkeys < 0xffff ? dev->rdma.rx_bad_qkeys : 0xffff);
	prm_set(ctx, promisc_uc, eth->promisc_uc);
	prm_set(ctx, promisc_mc, eth->promisc_mc);
	prm_set(ctx, promisc_all, eth->promisc_all);
	memcpy(prm_bytes(ctx, permanent_address.mac_addr_47_32), eth->mac, 6);
}

/*
 * As many addresses as the driver left room for; a caller that wants none offers the fixed part
 * alone.
 */
static int run_query_nic_vport_context(struct cmd *c)
{
	const struct prm_query_nic_vport_context_in *in = c->in;
	struct prm_query_nic_vport_context_out *out = c->out;
	struct prm_nic_vport_context *ctx = prm_sub(out, nic_vport_context, nic_vport_context);
	unsigned int type = prm_get(in, allowed_list_type),
		     room = (c->out_len - sizeof(*out)) / sizeof(uint64_t), i;
	const struct address_list *list;
	uint64_t *tail = prm_tail(out);

	if (other_vport(c, in))
		return -1;
	if (type >= LIST_TYPES)
		return refuse(c, PRM_STATUS_BAD_PARAM, "allowed_list_type %u is unknown", type);

	list = &c->dev->eth->lists[type];
	fill_context(c->dev, ctx);
	prm_set(ctx, allowed_list_type, type);
	prm_set(ctx, allowed_list_size, list->count < room ? list->count : room);
	for (i = 0; i < list->count && i < room; i++) {
		uint64_t be = htobe64(list->entries[i]);

		memcpy(tail + i, &be, sizeof(be));
	}
	return 0;
}

static int check_address(struct cmd *c, unsigned int type, uint64_t entry)
{
	bool multicast = entry >> 40 & 1;

	switch (type) {
	case LIST_VLAN:
		/* the id stands in the low bits of the first dword */
		if (entry & ~(0xfffull << 32))
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "VLAN list entry 0x%llx has reserved bits",
				      (unsigned long long)entry);
		return 0;
	case LIST_UC:
		if (entry >> 48 || !entry || multicast)
			return refuse(c, PRM_STATUS_BAD_PARAM, "0x%llx is no unicast address",
				      (unsigned long long)entry);
		return 0;
	default:
		if (entry >> 48 || !multicast)
			return refuse(c, PRM_STATUS_BAD_PARAM, "0x%llx is no multicast address",
				      (unsigned long long)entry);
		return 0;
	}
}

/* The list that goes with field_select.addresses_list; *entries is allocated. */
static int get_list(struct cmd *c, const struct prm_modify_nic_vport_context_in *in,
		    struct address_list *list)
{
	static const unsigned int log_max[LIST_TYPES] = { ETH_LOG_MAX_UC_LIST, ETH_LOG_MAX_MC_LIST,
							  ETH_LOG_MAX_VLAN_LIST };
	unsigned int type = prm_get(in, nic_vport_context.allowed_list_type);
	uint32_t n = prm_get(in, nic_vport_context.allowed_list_size), i;
	const uint8_t *tail = prm_tail_const(in);

	if (type >= LIST_TYPES)
		return refuse(c, PRM_STATUS_BAD_PARAM, "allowed_list_type %u is unknown", type);
	if (n > 1u << log_max[type])
		return refuse(c, PRM_STATUS_BAD_PARAM, "a list of %u addresses, %u are advertised",
			      n, 1u << log_max[type]);
	if (c->in_len < sizeof(*in) + n * 8)
		return refuse(c, PRM_STATUS_BAD_INP_LEN, "%u addresses do not fit in %u bytes", n,
			      c->in_len);
	list->entries = calloc(n + 1, sizeof(*list->entries));
	if (!list->entries)
		return refuse(c, PRM_STATUS_INTERNAL, "no memory for the address list");

	list->count = n;
	for (i = 0; i < n; i++) {
		uint64_t be;

		memcpy(&be, tail + i * 8, sizeof(be));
		list->entries[i] = be64toh(be);
		if (check_address(c, type, list->entries[i])) {
			free(list->entries);
			return -1;
		}
	}
	return 0;
}

static int check_modify(struct cmd *c, const struct prm_modify_nic_vport_context_in *in)
{
	const struct prm_nic_vport_context *ctx = prm_sub_const(in, nic_vport_context,
								nic_vport_context);
	unsigned int mtu = prm_get(ctx, mtu);

	if (is_set(c, in, field_select.affiliation,
		   "but multi-port functions are not advertised") ||
	    is_set(c, in, field_select.node_guid, "but only a group manager may set it") ||
	    is_set(c, in, field_select.port_guid, "but only a group manager may set it"))
		return -1;
	if (prm_get(in, field_select.min_inline) &&
	    c->dev->eth->inline_mode != PRM_INLINE_MODE_VPORT)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "min_wqe_inline_mode is not the vport's: wqe_inline_mode is %u",
			      c->dev->eth->inline_mode);
	if (prm_get(in, field_select.min_inline) &&
	    prm_get(ctx, min_wqe_inline_mode) > PRM_VPORT_INLINE_TCP)
		return refuse(c, PRM_STATUS_BAD_PARAM, "min_wqe_inline_mode %u is unknown",
			      prm_get(ctx, min_wqe_inline_mode));
	if (prm_get(in, field_select.mtu) && (mtu < MIN_MTU || mtu > ETH_MAX_MTU))
		return refuse(c, PRM_STATUS_BAD_PARAM, "mtu %u is not within %u to %u", mtu,
			      MIN_MTU, ETH_MAX_MTU);
	if (prm_get(in, field_select.permanent_address) &&
	    !mac_is_unicast(prm_bytes_const(ctx, permanent_address.mac_addr_47_32)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "permanent_address is no unicast address");
	return 0;
}

static void modify_context(struct cxdev *dev, const struct prm_modify_nic_vport_context_in *in)
{
	const struct prm_nic_vport_context *ctx = prm_sub_const(in, nic_vport_context,
								nic_vport_context);
	struct eth_state *eth = dev->eth;

	if (prm_get(in, field_select.min_inline))
		eth->min_inline = prm_get(ctx, min_wqe_inline_mode);
	if (prm_get(in, field_select.mtu))
		eth->mtu = prm_get(ctx, mtu);
	if (prm_get(in, field_select.disable_uc_local_lb))
		eth->block_uc = prm_get(ctx, disable_uc_local_lb);
	if (prm_get(in, field_select.disable_mc_local_lb))
		eth->block_mc = prm_get(ctx, disable_mc_local_lb);
	if (prm_get(in, field_select.promisc)) {
		eth->promisc_uc = prm_get(ctx, promisc_uc);
		eth->promisc_mc = prm_get(ctx, promisc_mc);
		eth->promisc_all = prm_get(ctx, promisc_all);
	}
	if (prm_get(in, field_select.change_event)) {
		eth->change_armed = prm_get(ctx, arm_change_event);
		eth->change_events = prm_get(ctx, event_on_mtu) |
				     prm_get(ctx, event_on_promisc_change) << 1 |
				     prm_get(ctx, event_on_vlan_change) << 2 |
				     prm_get(ctx, event_on_mc_address_change) << 3 |
				     prm_get(ctx, event_on_uc_address_change) << 4;
	}
	if (prm_get(in, field_select.permanent_address))
		memcpy(eth->mac, prm_bytes_const(ctx, permanent_address.mac_addr_47_32), 6);
	if (prm_get(in, field_select.roce_en))
		dev->roce_enabled = prm_get(ctx, roce_en);
}

static int run_modify_nic_vport_context(struct cmd *c)
{
	const struct prm_modify_nic_vport_context_in *in = c->in;
	struct address_list list, *old;

	if (other_vport(c, in))
		return -1;
	if (check_modify(c, in))
		return -1;
	if (prm_get(in, field_select.addresses_list)) {
		if (get_list(c, in, &list))
			return -1;
		old = &c->dev->eth->lists[prm_get(in, nic_vport_context.allowed_list_type)];
		free(old->entries);
		*old = list;
	}
	modify_context(c->dev, in);
	return 0;
}

/* ---- state and counters ---- */

static int run_query_vport_state(struct cmd *c)
{
	const struct prm_query_vport_state_in *in = c->in;
	struct prm_query_vport_state_out *out = c->out;

	if (other_vport(c, in))
		return -1;
	if (c->op_mod != PRM_VPORT_VNIC)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u: there is no e-switch",
			      c->op_mod);
	prm_set(out, admin_state, PRM_VPORT_AUTO);
	prm_set(out, state, port_link_up(c->dev->port) ? PRM_VPORT_UP : PRM_VPORT_DOWN);
	return 0;
}

static void put_traffic(struct prm_traffic_counter *counter, const struct traffic *traffic)
{
	prm_set64(counter, packets, traffic->packets);
	prm_set64(counter, octets, traffic->bytes);
}

/* What the port counts beside, for PPCNT, goes on. */
static void clear_vport(struct eth_counters *eth, struct rdma_counters *rdma)
{
	*eth = (struct eth_counters){ .rx_oversize = eth->rx_oversize };
	*rdma = (struct rdma_counters){ .rx_icrc_errors = rdma->rx_icrc_errors,
					.rx_dropped = rdma->rx_dropped,
					.rx_bad_qkeys = rdma->rx_bad_qkeys,
					.rx_ecn_marked = rdma->rx_ecn_marked,
					.tx_cnp = rdma->tx_cnp,
					.rx_cnp = rdma->rx_cnp,
					.rx_cnp_ignored = rdma->rx_cnp_ignored };
}

static int run_query_vport_counter(struct cmd *c)
{
	const struct prm_query_vport_counter_in *in = c->in;
	struct prm_query_vport_counter_out *out = c->out;
	struct eth_counters *eth = &c->dev->eth->counters;
	struct rdma_counters *rdma = &c->dev->rdma;
	struct traffic ib_rx = { rdma->rx_packets, rdma->rx_bytes };
	struct traffic ib_tx = { rdma->tx_packets, rdma->tx_bytes };
	struct traffic ib_rx_mcast = { rdma->rx_mcast_packets, rdma->rx_mcast_bytes };
	struct traffic ib_tx_mcast = { rdma->tx_mcast_packets, rdma->tx_mcast_bytes };

	if (other_vport(c, in))
		return -1;
	if (c->op_mod || prm_get(in, port_num) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u, port_num %u: there is one port",
			      c->op_mod, prm_get(in, port_num));

	put_traffic(prm_sub(out, received_errors, traffic_counter), &eth->rx_errors);
	put_traffic(prm_sub(out, transmit_errors, traffic_counter), &eth->tx_errors);
	put_traffic(prm_sub(out, received_ib_unicast, traffic_counter), &ib_rx);
	put_traffic(prm_sub(out, transmitted_ib_unicast, traffic_counter), &ib_tx);
	put_traffic(prm_sub(out, received_ib_multicast, traffic_counter), &ib_rx_mcast);
	put_traffic(prm_sub(out, transmitted_ib_multicast, traffic_counter), &ib_tx_mcast);
	put_traffic(prm_sub(out, received_eth_broadcast, traffic_counter), &eth->rx_broadcast);
	put_traffic(prm_sub(out, transmitted_eth_broadcast, traffic_counter), &eth->tx_broadcast);
	put_traffic(prm_sub(out, received_eth_unicast, traffic_counter), &eth->rx_unicast);
	put_traffic(prm_sub(out, transmitted_eth_unicast, traffic_counter), &eth->tx_unicast);
	put_traffic(prm_sub(out, received_eth_multicast, traffic_counter), &eth->rx_multicast);
	put_traffic(prm_sub(out, transmitted_eth_multicast, traffic_counter), &eth->tx_multicast);
	if (prm_get(in, clear))
		clear_vport(eth, rdma);
	return 0;
}

#define PUT64(p, field, v)                                 \
	do {                                               \
		uint64_t v_ = (v);                         \
	\
		prm_set(p, field##_high, v_ >> 32);        \
		prm_set(p, field##_low, v_ & 0xffffffff);  \
	} while (0)

static int run_query_cong_statistics(struct cmd *c)
{
	const struct prm_query_cong_statistics_in *in = c->in;
	struct prm_query_cong_statistics_out *out = c->out;
	struct rdma_counters *n = &c->dev->rdma;

	PUT64(out, np_ecn_marked_roce_packets, n->rx_ecn_marked);
	PUT64(out, np_cnp_sent, n->tx_cnp);
	PUT64(out, rp_cnp_handled, n->rx_cnp);
	PUT64(out, rp_cnp_ignored, n->rx_cnp_ignored);
	if (prm_get(in, clear)) {
		n->rx_ecn_marked = 0;
		n->tx_cnp = 0;
		n->rx_cnp = 0;
		n->rx_cnp_ignored = 0;
	}
	return 0;
}

/* ---- RoCE addresses and pkeys ---- */

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

static int run_set_roce_address(struct cmd *c)
{
	const struct prm_set_roce_address_in *in = c->in;
	const struct prm_roce_addr_layout *addr = prm_sub_const(in, roce_address, roce_addr_layout);
	unsigned int index = prm_get(in, roce_address_index);
	struct roce_addr *entry;

	if (index >= ROCE_ADDRS)
		return refuse(c, PRM_STATUS_IX, "roce_address_index %u is outside the table of %u",
			      index, ROCE_ADDRS);
	if (prm_get(in, vhca_port_num) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "vhca_port_num %u: there is one port",
			      prm_get(in, vhca_port_num));

	entry = &c->dev->roce_addrs[index];
	if (all_zero(prm_bytes_const(addr, source_l3_address), 16)) {
		if (!all_zero(prm_bytes_const(addr, source_mac_47_32), 6) ||
		    prm_get(addr, vlan_valid))
			return refuse(c, PRM_STATUS_BAD_PARAM, "a MAC or VLAN without an address");
		memset(entry, 0, sizeof(*entry));
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

	if (index >= ROCE_ADDRS)
		return refuse(c, PRM_STATUS_IX, "roce_address_index %u is outside the table of %u",
			      index, ROCE_ADDRS);
	if (prm_get(in, vhca_port_num) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "vhca_port_num %u: there is one port",
			      prm_get(in, vhca_port_num));

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
	fprintf(out, "function %s: %u of %u addresses\n", dev->name, n, ROCE_ADDRS);
	for (i = 0; i < ROCE_ADDRS; i++)
		if (dev->roce_addrs[i].valid)
			roce_addr_print(&dev->roce_addrs[i], i, out);
}

/*
 * An Ethernet port has one pkey, the default one; the rest of the table reads as zero. Index 0xffff
 * asks for all.
 */
static int run_query_hca_vport_pkey(struct cmd *c)
{
	const struct prm_query_hca_vport_pkey_in *in = c->in;
	struct prm_query_hca_vport_pkey_out *out = c->out;
	unsigned int index = prm_get(in, pkey_index), n = index == 0xffff ? PKEYS : 1;
	uint32_t first = htobe32(DEFAULT_PKEY);

	if (other_vport(c, in))
		return -1;
	if (prm_get(in, port_num) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "port_num %u: there is one port",
			      prm_get(in, port_num));
	if (n == 1 && index >= PKEYS)
		return refuse(c, PRM_STATUS_IX, "pkey_index %u is outside the table of %u", index,
			      PKEYS);
	if (c->out_len < sizeof(*out) + n * sizeof(first))
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN, "%u pkeys do not fit in %u bytes", n,
			      c->out_len);

	if (!index || n > 1)
		memcpy(prm_tail(out), &first, sizeof(first));
	return 0;
}

const struct cmd_desc cmds_vport[] = {
	CMD(query_nic_vport_context), CMD(modify_nic_vport_context, .tail = true),
	CMD(query_vport_state),	      CMD(query_vport_counter),
	CMD(set_roce_address),	      CMD(query_roce_address),
	CMD(query_hca_vport_pkey),    CMD(query_cong_statistics),
	{}
};
