// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The vport: NIC context, state, counters, the pkey table. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/counter.h"
#include "prm/vport.h"

#define MIN_MTU 68
#define DEFAULT_MTU 1500
#define DEFAULT_PORT_MTU 1522
#define LEFT_MTU 576
#define PKEYS 128
#define DEFAULT_PKEY 0xffff

uint64_t mac_to_u64(const uint8_t *mac)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < 6; i++)
		v = v << 8 | mac[i];
	return v;
}

bool mac_is_unicast(const uint8_t *mac)
{
	return !(mac[0] & 1) && mac_to_u64(mac);
}

static uint64_t port_guid(const uint8_t *mac)
{
	uint64_t m = mac_to_u64(mac);

	/* EUI-64: the universal bit is inverted, ff:fe inserted in the middle */
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
	prm_set(ctx, event_on_mtu, !!(eth->change_events & VPORT_MTU));
	prm_set(ctx, event_on_promisc_change, !!(eth->change_events & VPORT_PROMISC));
	prm_set(ctx, event_on_vlan_change, !!(eth->change_events & VPORT_VLANS));
	prm_set(ctx, event_on_mc_address_change, !!(eth->change_events & VPORT_MC));
	prm_set(ctx, event_on_uc_address_change, !!(eth->change_events & VPORT_UC));
	prm_set(ctx, mtu, eth->mtu);
	prm_set64(ctx, system_image_guid, dev->health.no_guid ? 0 : dev->sys_image_guid);
	prm_set64(ctx, port_guid, port_guid(eth->mac));
	prm_set64(ctx, node_guid, dev->node_guid);
	prm_set(ctx, qkey_violation_counter,
		dev->rdma->rx_bad_qkeys < 0xffff ? dev->rdma->rx_bad_qkeys : 0xffff);
	prm_set(ctx, promisc_uc, eth->promisc_uc);
	prm_set(ctx, promisc_mc, eth->promisc_mc);
	prm_set(ctx, promisc_all, eth->promisc_all);
	memcpy(prm_bytes(ctx, permanent_address.mac_addr_47_32), eth->mac, 6);
}

/* Returns as many addresses as fit the output. */
static int run_query_nic_vport_context(struct cmd *c)
{
	const struct prm_query_nic_vport_context_in *in = c->in;
	struct prm_query_nic_vport_context_out *out = c->out;
	struct prm_nic_vport_context *ctx = prm_sub(out, nic_vport_context, nic_vport_context);
	unsigned int type = prm_get(in, allowed_list_type),
		     room = (c->out_len - sizeof(*out)) / sizeof(uint64_t), i;
	const struct address_list *list;
	struct cxdev *dev = cmd_vport(c, in);
	uint64_t *tail = prm_tail(out);

	if (!dev)
		return -1;
	if (type >= LIST_TYPES)
		return refuse(c, PRM_STATUS_BAD_PARAM, "allowed_list_type %u is unknown", type);

	list = &dev->eth->lists[type];
	fill_context(dev, ctx);
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
		/* the ID is in the low bits of the first dword */
		if (entry & ~(0xfffull << 32))
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "VLAN list entry 0x%llx has reserved bits",
				      (unsigned long long)entry);
		return 0;
	case LIST_UC:
		if (entry >> 48 || !entry || multicast)
			return refuse(c, PRM_STATUS_BAD_PARAM, "0x%llx is not a unicast address",
				      (unsigned long long)entry);
		return 0;
	default:
		if (entry >> 48 || !multicast)
			return refuse(c, PRM_STATUS_BAD_PARAM, "0x%llx is not a multicast address",
				      (unsigned long long)entry);
		return 0;
	}
}

/* The list of field_select.addresses_list; its entries are allocated. */
static int copy_list(struct cmd *c, const struct prm_modify_nic_vport_context_in *in,
		     struct address_list *list)
{
	const unsigned int log_max[LIST_TYPES] = { hca_log_max_uc_list(c->dev),
						   ETH_LOG_MAX_MC_LIST, ETH_LOG_MAX_VLAN_LIST };
	unsigned int type = prm_get(in, nic_vport_context.allowed_list_type);
	uint32_t n = prm_get(in, nic_vport_context.allowed_list_size), i;
	const uint8_t *tail = prm_tail_const(in);

	if (type >= LIST_TYPES)
		return refuse(c, PRM_STATUS_BAD_PARAM, "allowed_list_type %u is unknown", type);
	if (n > 1u << log_max[type])
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "list of %u addresses is longer than the advertised %u",
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
	    (prm_get(in, field_select.roce_en) && !hca_roce(c->dev) &&
	     is_set(c, ctx, roce_en, "but RoCE is not advertised")) ||
	    is_set(c, in, field_select.node_guid, "but only a group manager may set it") ||
	    is_set(c, in, field_select.port_guid, "but only a group manager may set it"))
		return -1;
	if (prm_get(in, field_select.min_inline) &&
	    hca_inline_mode(c->dev) != PRM_INLINE_MODE_VPORT)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "min_wqe_inline_mode cannot be set: wqe_inline_mode is %u",
			      hca_inline_mode(c->dev));
	if (prm_get(in, field_select.min_inline) &&
	    prm_get(ctx, min_wqe_inline_mode) > PRM_VPORT_INLINE_TCP)
		return refuse(c, PRM_STATUS_BAD_PARAM, "min_wqe_inline_mode %u is unknown",
			      prm_get(ctx, min_wqe_inline_mode));
	if (prm_get(in, field_select.mtu) && (mtu < MIN_MTU || mtu > ETH_MAX_MTU))
		return refuse(c, PRM_STATUS_BAD_PARAM, "mtu %u is not within %u to %u", mtu,
			      MIN_MTU, ETH_MAX_MTU);
	if (prm_get(in, field_select.permanent_address) &&
	    !mac_is_unicast(prm_bytes_const(ctx, permanent_address.mac_addr_47_32)))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "permanent_address is not a unicast address");
	return 0;
}

/* The manager of an e-switch gives another vport its addresses; the rest is its owner's. */
static int check_other(struct cmd *c, const struct prm_modify_nic_vport_context_in *in,
		       const struct cxdev *dev)
{
	const uint8_t *mac = prm_bytes_const(in,
				nic_vport_context.permanent_address.mac_addr_47_32);
	struct prm_modify_nic_vport_context_in rest = *in;

	prm_set(&rest, field_select.node_guid, 0);
	prm_set(&rest, field_select.change_event, 0);
	prm_set(&rest, field_select.permanent_address, 0);
	if (prm_get_bits(rest.dw, offsetof(struct prm_modify_nic_vport_context_in_bits,
					   field_select), 32))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "vport %u is another's: only addresses and events are the manager's",
			      dev->vport);
	if (prm_get(in, field_select.permanent_address) && mac[0] & 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "permanent_address of vport %u is a group address", dev->vport);
	return 0;
}

static void set_events(struct eth_state *eth, const struct prm_nic_vport_context *ctx)
{
	eth->change_armed = prm_get(ctx, arm_change_event);
	eth->change_events = (prm_get(ctx, event_on_mtu) ? VPORT_MTU : 0) |
			     (prm_get(ctx, event_on_promisc_change) ? VPORT_PROMISC : 0) |
			     (prm_get(ctx, event_on_vlan_change) ? VPORT_VLANS : 0) |
			     (prm_get(ctx, event_on_mc_address_change) ? VPORT_MC : 0) |
			     (prm_get(ctx, event_on_uc_address_change) ? VPORT_UC : 0);
}

/* What the administrator of a VF sets; a MAC of zeros: its driver takes one. */
static void modify_other(struct cxdev *dev, const struct prm_modify_nic_vport_context_in *in)
{
	const struct prm_nic_vport_context *ctx = prm_sub_const(in, nic_vport_context,
								nic_vport_context);

	if (prm_get(in, field_select.change_event))
		set_events(dev->eth, ctx);
	if (prm_get(in, field_select.permanent_address)) {
		memcpy(eswitch_vf(dev)->mac,
		       prm_bytes_const(ctx, permanent_address.mac_addr_47_32), 6);
		memcpy(dev->eth->mac, eswitch_vf(dev)->mac, 6);
	}
	if (prm_get(in, field_select.node_guid))
		dev->node_guid = prm_get64(ctx, node_guid);
}

/* As VPORT_... */
static unsigned int changes(const struct prm_modify_nic_vport_context_in *in)
{
	static const unsigned int of_list[LIST_TYPES] = { VPORT_UC, VPORT_MC, VPORT_VLANS };

	return (prm_get(in, field_select.mtu) ? VPORT_MTU : 0) |
	       (prm_get(in, field_select.promisc) ? VPORT_PROMISC : 0) |
	       (prm_get(in, field_select.addresses_list) ?
			of_list[prm_get(in, nic_vport_context.allowed_list_type)] : 0);
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
	if (prm_get(in, field_select.change_event))
		set_events(eth, ctx);
	if (prm_get(in, field_select.permanent_address))
		memcpy(eth->mac, prm_bytes_const(ctx, permanent_address.mac_addr_47_32), 6);
	if (prm_get(in, field_select.roce_en))
		dev->roce_enabled = prm_get(ctx, roce_en);
}

static int run_modify_nic_vport_context(struct cmd *c)
{
	const struct prm_modify_nic_vport_context_in *in = c->in;
	struct cxdev *dev = cmd_vport(c, in);
	struct address_list list, *old;

	if (!dev)
		return -1;
	if (dev != c->dev) {
		if (check_other(c, in, dev))
			return -1;
		modify_other(dev, in);
		return 0;
	}
	if (check_modify(c, in))
		return -1;
	if (prm_get(in, field_select.addresses_list)) {
		if (copy_list(c, in, &list))
			return -1;
		old = &c->dev->eth->lists[prm_get(in, nic_vport_context.allowed_list_type)];
		free(old->entries);
		*old = list;
	}
	modify_context(c->dev, in);
	vport_changed(c->dev, changes(in));
	return 0;
}

/* ---- state and counters ---- */

static const uint8_t admin_states[] = { [PORT_AUTO] = PRM_VPORT_AUTO, [PORT_UP] = PRM_VPORT_UP,
					[PORT_DOWN] = PRM_VPORT_DOWN };

static int run_query_vport_state(struct cmd *c)
{
	const struct prm_query_vport_state_in *in = c->in;
	struct prm_query_vport_state_out *out = c->out;
	struct cxdev *dev = cmd_vport(c, in);

	if (!dev || cmd_vport_op_mod(c))
		return -1;
	prm_set(out, admin_state, admin_states[port_follow(dev->port)]);
	prm_set(out, state, port_link_up(dev->port) ? PRM_VPORT_UP : PRM_VPORT_DOWN);
	return 0;
}

/* A function that is no VF has a port of its own, which is its uplink. */
static int run_modify_vport_state(struct cmd *c)
{
	const struct prm_modify_vport_state_in *in = c->in;
	unsigned int admin = prm_get(in, admin_state), follow = 0;
	struct cxdev *dev = cmd_vport(c, in);

	if (!dev)
		return -1;
	if (dev != c->dev ? c->op_mod != PRM_VPORT_ESW :
			    c->op_mod != PRM_VPORT_UPLINK || !hca_uplink_follows(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u: the function manages no eswitch",
			      c->op_mod);
	while (follow < ARRAY_SIZE(admin_states) && admin_states[follow] != admin)
		follow++;
	if (follow == ARRAY_SIZE(admin_states))
		return refuse(c, PRM_STATUS_BAD_PARAM, "admin_state %u is unknown", admin);
	port_set_follow(dev->port, follow);
	return 0;
}

static void put_traffic(struct prm_traffic_counter *counter, const struct traffic *traffic)
{
	prm_set64(counter, packets, traffic->packets);
	prm_set64(counter, octets, traffic->bytes);
}

/* The counters of the port, for PPCNT, are kept. */
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
	struct traffic ib_rx, ib_tx, ib_rx_mcast, ib_tx_mcast;
	struct cxdev *dev = cmd_vport(c, in);
	struct rdma_counters *rdma;
	struct eth_counters *eth;

	if (!dev)
		return -1;
	eth = &dev->eth->counters;
	rdma = dev->rdma;
	ib_rx = (struct traffic){ rdma->rx_packets, rdma->rx_bytes };
	ib_tx = (struct traffic){ rdma->tx_packets, rdma->tx_bytes };
	ib_rx_mcast = (struct traffic){ rdma->rx_mcast_packets, rdma->rx_mcast_bytes };
	ib_tx_mcast = (struct traffic){ rdma->tx_mcast_packets, rdma->tx_mcast_bytes };
	if (c->op_mod || prm_get(in, port_num) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod %u, port_num %u: there is only one port",
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

/*
 * Fields that the card does not announce are 0. So are those of an internal RQ, which only hairpin
 * has, and of steering that fails other than by a miss.
 */
static int run_query_vnic_env(struct cmd *c)
{
	const struct prm_query_vnic_env_in *in = c->in;
	struct prm_query_vnic_env_out *out = c->out;
	struct prm_vnic_diagnostic_statistics *env =
		prm_sub(out, vport_env, vnic_diagnostic_statistics);
	const struct prm_cmd_hca_cap *cap = (const void *)c->dev->hca->cap_cur[CAP_GENERAL];
	const struct vnic_env *vnic = &c->dev->hca->vnic;

	if (other_vport(c, in))
		return -1;
	if (c->op_mod)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u: there are no other statistics",
			      c->op_mod);
	if (prm_get(cap, vnic_env_queue_counters)) {
		prm_set(env, total_error_queues, vnic->error_queues);
		prm_set(env, send_queue_priority_update_flow, vnic->prio_updates);
	}
	if (prm_get(cap, eq_overrun_count)) {
		prm_set(env, async_eq_overrun, vnic->async_eq_overruns);
		prm_set(env, comp_eq_overrun, vnic->comp_eq_overruns);
	}
	if (prm_get(cap, vnic_env_cq_overrun))
		prm_set(env, cq_overrun, vnic->cq_overruns);
	if (prm_get(cap, invalid_command_count))
		prm_set(env, invalid_command, vnic->failed_commands);
	if (prm_get(cap, quota_exceeded_count))
		prm_set(env, quota_exceeded_command, vnic->quota_commands);
	if (prm_get(cap, nic_receive_steering_discard))
		prm_set64(env, nic_receive_steering_discard, c->dev->eth->counters.rx_no_rule);
	if (prm_get(cap, eth_wqe_too_small))
		prm_set(env, eth_wqe_too_small, vnic->small_wqes);
	return 0;
}

/* The only pkey is the default one; the rest of the table reads as zero. Index 0xffff is all. */
static int run_query_hca_vport_pkey(struct cmd *c)
{
	const struct prm_query_hca_vport_pkey_in *in = c->in;
	struct prm_query_hca_vport_pkey_out *out = c->out;
	unsigned int index = prm_get(in, pkey_index), n = index == 0xffff ? PKEYS : 1;
	uint32_t first = htobe32(DEFAULT_PKEY);

	if (other_vport(c, in))
		return -1;
	if (prm_get(in, port_num) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "port_num %u: there is only one port",
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

/* ---- the state ---- */

void eth_state_reset(struct cxdev *dev)
{
	struct eth_state *eth = dev->eth;
	bool block_uc = eth->block_uc, block_mc = eth->block_mc;
	/* a VF that starts again does not disarm what the manager of the e-switch wants to know */
	bool armed = eth->change_armed && !eswitch_manager(dev) && eswitch_managed_by(dev);
	uint8_t events = eth->change_events;
	unsigned int i;

	eswitch_stop(dev);
	for (i = 0; i < LIST_TYPES; i++)
		free(eth->lists[i].entries);
	memset(eth, 0, sizeof(*eth));
	/* Drivers set these explicitly: what the last one left may still be there. */
	eth->block_uc = block_uc;
	eth->block_mc = block_mc;
	eth->change_armed = armed;
	eth->change_events = armed ? events : 0;
	memcpy(eth->mac, eswitch_mac(dev), 6);
	eth->mtu = DEFAULT_MTU;
	eth->port_mtu = DEFAULT_PORT_MTU;
	eth->min_inline = PRM_VPORT_INLINE_L2;
	port_link_reset(dev);
	snprintf((char *)eth->node_desc, sizeof(eth->node_desc), "cxemu %s", dev->name);
	dev->roce_enabled = false;
	if (dev->port) {
		port_set_admin(dev->port, true);
		if (!dev->card->vf) {
			port_set_follow(dev->port, PORT_AUTO);
			port_buffers_reset(dev);
		}
		port_flush(dev->port);
	}
}

void eth_state_stop(struct cxdev *dev)
{
	struct eth_state *eth = dev->eth;

	eth->rx_root = NULL;
	eth->port_root = NULL;
	eth->rdma_rx_root = NULL;
	eth->rdma_tx_root = NULL;
	eth->rdma_steer = NULL;
	eth->fdb_root = NULL;
	eth->fdb_steer = NULL;
	eth->acl_steer = NULL;
	if (!eswitch_managed_by(dev))
		eth->change_armed = false;
	eswitch_stop(dev);
	memset(eth->vxlan_ports, 0, sizeof(eth->vxlan_ports));
	memset(eth->rates, 0, sizeof(eth->rates));
	port_flush(dev->port);
}

static void leave_list(struct address_list *list, uint64_t first, uint32_t n)
{
	uint64_t *entries = realloc(list->entries, n * sizeof(*entries));
	uint32_t i;

	if (!entries)
		return;
	for (i = 0; i < n; i++)
		entries[i] = first + i;
	list->entries = entries;
	list->count = n;
}

void eth_state_leave(struct cxdev *dev)
{
	struct eth_state *eth = dev->eth;

	eth->mtu = LEFT_MTU;
	eth->port_mtu = LEFT_MTU + DEFAULT_PORT_MTU - DEFAULT_MTU;
	eth->promisc_uc = true;
	eth->promisc_mc = true;
	eth->promisc_all = true;
	eth->block_uc = true;
	eth->block_mc = true;
	leave_list(&eth->lists[LIST_UC], 0x02dead000000ull, 1u << ETH_LOG_MAX_UC_LIST);
	leave_list(&eth->lists[LIST_MC], 0x01005e000001ull, 16);
	leave_list(&eth->lists[LIST_VLAN], 1, 16);
	dev->roce_enabled = true;
	port_set_admin(dev->port, false);
	if (hca_uplink_follows(dev))
		port_set_follow(dev->port, PORT_DOWN);
}

int eth_state_create(struct cxdev *dev)
{
	dev->eth = calloc(1, sizeof(*dev->eth));
	if (!dev->eth)
		return -1;
	dev->rdma = &dev->eth->rdma;
	eth_state_reset(dev);
	return 0;
}

void eth_state_destroy(struct cxdev *dev)
{
	unsigned int i;

	if (!dev->eth)
		return;
	for (i = 0; i < LIST_TYPES; i++)
		free(dev->eth->lists[i].entries);
	free(dev->eth);
	dev->eth = NULL;
}

void eth_status(struct cxdev *dev, FILE *out)
{
	const struct eth_state *eth = dev->eth;
	const struct eth_counters *n = &eth->counters;

	fprintf(out, "  eth: tx %llu unicast %llu multicast %llu broadcast, rx %llu %llu %llu; ",
		(unsigned long long)n->tx_unicast.packets,
		(unsigned long long)n->tx_multicast.packets,
		(unsigned long long)n->tx_broadcast.packets,
		(unsigned long long)n->rx_unicast.packets,
		(unsigned long long)n->rx_multicast.packets,
		(unsigned long long)n->rx_broadcast.packets);
	fprintf(out, "local loopback %s; ", eth->block_uc || eth->block_mc ? "off" : "on");
	fprintf(out,
		"not received: no buffer %llu, no rule %llu, queue off %llu, too long %llu, other host %llu\n",
		(unsigned long long)n->rx_no_buffer, (unsigned long long)n->rx_no_rule,
		(unsigned long long)n->rx_queue_off, (unsigned long long)n->rx_oversize.packets,
		(unsigned long long)n->rx_other_host);
	if (n->rx_strides || n->tx_several)
		fprintf(out, "  packets: in strides %llu, of WQEs of several %llu\n",
			(unsigned long long)n->rx_strides, (unsigned long long)n->tx_several);
	if (eth->beacon)
		fprintf(out, "  the LED of the port blinks\n");
}

static void traffic_json(struct json_object *to, const char *name, const struct traffic *n)
{
	struct json_object *part = json_part(to, name);

	json_number(part, "packets", n->packets);
	json_number(part, "bytes", n->bytes);
}

void eth_json(const struct cxdev *dev, struct json_object *to)
{
	struct json_object *part = json_part(to, "eth");
	const struct eth_state *eth = dev->eth;
	const struct eth_counters *n = &eth->counters;

	traffic_json(part, "tx_unicast", &n->tx_unicast);
	traffic_json(part, "tx_multicast", &n->tx_multicast);
	traffic_json(part, "tx_broadcast", &n->tx_broadcast);
	traffic_json(part, "rx_unicast", &n->rx_unicast);
	traffic_json(part, "rx_multicast", &n->rx_multicast);
	traffic_json(part, "rx_broadcast", &n->rx_broadcast);
	json_number(part, "rx_no_buffer", n->rx_no_buffer);
	json_number(part, "rx_no_rule", n->rx_no_rule);
	json_number(part, "rx_queue_off", n->rx_queue_off);
	json_number(part, "rx_too_long", n->rx_oversize.packets);
	json_number(part, "rx_other_host", n->rx_other_host);
	json_number(part, "rx_strides", n->rx_strides);
	json_number(part, "tx_several", n->tx_several);
	json_flag(part, "local_loopback", !eth->block_uc && !eth->block_mc);
	json_flag(part, "led", eth->beacon);
}

const struct cmd_desc cmds_vport[] = {
	CMD(query_nic_vport_context),
	CMD(modify_nic_vport_context, .tail = true),
	CMD(query_vport_state),
	CMD(modify_vport_state),
	CMD(query_vport_counter),
	CMD(query_vnic_env),
	CMD(query_hca_vport_pkey),
	{}
};
