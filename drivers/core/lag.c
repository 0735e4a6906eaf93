// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * RoCE LAG: the two functions of a card whose netdevs are slaves of one bond share an RDMA device,
 * which sends through both ports and survives the loss of one. In an ECMP LAG there is no bond: the
 * interface named by roce_lag_ecmp_dev, the parent, takes its place.
 *
 * drivers/policy/lag.c derives the next action from a snapshot of both ports and the current state.
 * The work of the card evaluates it after every event that may matter: most events come under rtnl,
 * where no command may wait for a device.
 *
 *	        | cxr_lag_join(): add_ib_adevs()
 *	        v
 *	.-----------------------------------.
 *	| an RDMA device for each function; |  cxr_lag_leave(): cxr_adev_remove()
 *	| cxr_card.now.why: why no LAG      | -------------------------------->
 *	'-----------------------------------'
 *	  | enter_lag():             ^ leave_lag():
 *	  |   remove_ib_adevs()      |   cxr_adev_remove()
 *	  |   create_lag_objects()   |   destroy_lag_objects()
 *	  |   add_ib_adevs()         | apply_decision(): add_ib_adevs()
 *	  v                          |
 *	.-----------------------------------.
 *	| one RDMA device, which has        | ---. remap_lag(): remap_ports(), remap_macs(),
 *	| cxr_core.lag, at port 1           | <--' cxr_clients_set_lag_netdev()
 *	'-----------------------------------'
 *
 * A remap is invisible to QPs. A LAG is also left when a remap fails, and before one of the
 * functions is removed. After an error of entering or of a remap the device is not tried again
 * before something has changed.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <net/bonding.h>

#include "../policy/ecmp.h"
#include "lag.h"

/* ---- the snapshot ---------------------------------------------------------------------------- */

static struct net_device *bond_of(struct net_device *netdev)
{
	struct net_device *master = netdev_master_upper_dev_get_rcu(netdev);

	return master && netif_is_bond_master(master) ? master : NULL;
}

static bool hashes_ports(const struct bonding *bonding)
{
	int policy = READ_ONCE(bonding->params.xmit_policy);

	return policy == BOND_XMIT_POLICY_LAYER34 || policy == BOND_XMIT_POLICY_ENCAP34;
}

static enum cxr_lag_tx tx_of(const struct net_device *bond)
{
	const struct bonding *bonding = netdev_priv(bond);

	switch (BOND_MODE(bonding)) {
	case BOND_MODE_ACTIVEBACKUP:
		return CXR_LAG_TX_ACTIVE_BACKUP;
	case BOND_MODE_XOR:
	case BOND_MODE_8023AD:
		return hashes_ports(bonding) ? CXR_LAG_TX_HASH_FLOW : CXR_LAG_TX_HASH;
	default:
		return CXR_LAG_TX_OTHER;
	}
}

static void snapshot_netdev(struct net_device *netdev, struct cxr_lag_port *port)
{
	struct net_device *bond = bond_of(netdev);
	struct slave *slave;

	/* If it is being changed, an event follows, and another snapshot. */
	ether_addr_copy(port->mac, netdev->dev_addr);
	port->init_net = net_eq(dev_net(netdev), &init_net);
	port->link = netif_running(netdev) && netif_carrier_ok(netdev);
	if (!bond)
		return;
	port->bond = bond->ifindex;
	slave = bond_slave_get_rcu(netdev);
	port->tx_enabled = slave && bond_is_active_slave(slave);
}

static unsigned int count_foreign(const struct cxr_lag_in *in, struct net_device *bond)
{
	struct net_device *netdev;
	unsigned int n = 0;

	for_each_netdev_rcu(&init_net, netdev)
		if (netdev_master_upper_dev_get_rcu(netdev) == bond &&
		    netdev != in->port[0].netdev && netdev != in->port[1].netdev)
			n++;
	return n;
}

static void snapshot_bond(struct cxr_lag_in *in)
{
	const struct cxr_lag_port *one = &in->port[0], *two = &in->port[1];
	struct net_device *bond;

	if (!one->init_net || !two->init_net || !one->bond || one->bond != two->bond)
		return;
	bond = bond_of(one->netdev);
	if (!bond)
		return;
	in->tx = tx_of(bond);
	in->foreign = count_foreign(in, bond);
	dev_hold(bond);
	in->upper = bond;
}

static void snapshot_parent(struct cxr_lag_in *in, struct net_device *parent)
{
	in->ecmp = true;
	in->parent.found = true;
	in->parent.port = parent == in->port[0].netdev || parent == in->port[1].netdev;
	in->parent.ethernet = parent->type == ARPHRD_ETHER && !(parent->flags & IFF_LOOPBACK);
	dev_hold(parent);
	in->upper = parent;
}

/* Takes references on the netdevs, which snapshot_put() releases. */
static void snapshot_get(struct cxr_card *card, struct cxr_lag_in *in)
{
	bool ecmp = cxr_card_has_parent(card);
	struct cxr_dev *dev;
	int i;

	memset(in, 0, sizeof(*in));
	in->hashes = card->port[0] && card->port[0]->core.caps.lag_hash;
	in->addresses = card->port[0] ? card->port[0]->core.caps.roce_addresses : 0;
	for (i = 0; i < CXR_LAG_PORTS; i++) {
		dev = card->port[i];
		if (!dev)
			continue;
		in->port[i].driver = !cxr_core_dead(&dev->core);
		in->port[i].roce = dev->core.roce.roce;
		in->port[i].allowed = READ_ONCE(dev->lag_allowed);
		in->port[i].vfs = READ_ONCE(dev->vfs_wanted);
		in->port[i].netdev = cxr_port_get_netdev(&dev->core.port);
	}

	rcu_read_lock();
	for (i = 0; i < CXR_LAG_PORTS; i++)
		if (in->port[i].netdev)
			snapshot_netdev(in->port[i].netdev, &in->port[i]);
	if (ecmp)
		snapshot_parent(in, card->parent);
	else
		snapshot_bond(in);
	rcu_read_unlock();
}

static void snapshot_put(const struct cxr_lag_in *in)
{
	dev_put(in->upper);
	dev_put(in->port[0].netdev);
	dev_put(in->port[1].netdev);
}

/* ---- RDMA devices ---------------------------------------------------------------------------- */

/* Adds the missing ones; in a LAG only the function of port 1 has one. */
static int add_ib_adevs(struct cxr_card *card)
{
	int i, err, first = 0;
	struct cxr_dev *dev;

	for (i = 0; i < CXR_LAG_PORTS; i++) {
		dev = card->port[i];
		if (!dev || dev->adevs[CXR_CLIENT_IB] || !dev->core.roce.roce ||
		    cxr_core_dead(&dev->core) || (i && card->port[0] && card->port[0]->core.lag))
			continue;
		err = cxr_adev_add(dev, CXR_CLIENT_IB);
		if (err) {
			dev_err(dev->core.dev, "cannot add the RDMA device: %pe\n",
				ERR_PTR(err));
			first = first ?: err;
		}
	}
	return first;
}

static void remove_ib_adevs(struct cxr_card *card)
{
	int i;

	for (i = 0; i < CXR_LAG_PORTS; i++)
		if (card->port[i])
			cxr_adev_remove(card->port[i], CXR_CLIENT_IB);
}

/* ---- the device ------------------------------------------------------------------------------ */

static int create_lag_objects(struct cxr_card *card, const struct cxr_lag_out *out)
{
	struct cxr_core *one = &card->port[0]->core, *two = &card->port[1]->core;
	bool hash = out->mode == CXR_LAG_HASH;
	int err;

	if (hash) {
		err = cxr_lag_tables_create(card, out->map);
		if (err)
			return err;
	}
	err = cxr_cmd_create_lag(one, out->map, hash);
	if (err)
		goto err_destroy_tables;
	err = cxr_cmd_create_vport_lag(one);
	if (err)
		goto err_destroy_lag;
	err = cxr_demux_create(card->port[0]);
	if (err)
		goto err_destroy_vport_lag;
	/* Port 2 has no RDMA device that enables it, and must recognize RoCE packets, too. */
	err = cxr_cmd_set_vport_roce(two, true);
	if (err)
		goto err_destroy_demux;
	return 0;

err_destroy_demux:
	cxr_demux_destroy(card->port[0]);
err_destroy_vport_lag:
	cxr_cmd_destroy_vport_lag(one);
err_destroy_lag:
	cxr_cmd_destroy_lag(one);
err_destroy_tables:
	if (hash)
		cxr_lag_tables_destroy(card);
	return err;
}

static void destroy_lag_objects(struct cxr_card *card)
{
	struct cxr_core *one = &card->port[0]->core, *two = &card->port[1]->core;
	int err;

	cxr_cmd_set_vport_roce(two, false);
	cxr_demux_destroy(card->port[0]);
	cxr_cmd_destroy_vport_lag(one);
	err = cxr_cmd_destroy_lag(one);
	if (err)
		dev_err(one->dev,
			"DESTROY_LAG failed (%pe): unbind this function and bind it again\n",
			ERR_PTR(err));
	if (card->lag.hash)
		cxr_lag_tables_destroy(card);
}

/* ---- enter, remap, leave --------------------------------------------------------------------- */

static void log_map(const struct cxr_card *card, const struct cxr_lag_out *out)
{
	struct device *dev = card->port[0]->core.dev;

	if (out->map[0] == out->map[1])
		dev_info(dev, "RoCE LAG over %s, mode %s: all traffic on port %u\n",
			 netdev_name(card->lag.bond), cxr_lag_mode_name(out->mode), out->map[0]);
	else
		dev_info(dev, "RoCE LAG over %s, mode %s: traffic on both ports\n",
			 netdev_name(card->lag.bond), cxr_lag_mode_name(out->mode));
}

/* Removes the RDMA device of the LAG; those of the functions are not added yet. */
static void leave_lag(struct cxr_card *card)
	__must_hold(&card->lock)
{
	struct cxr_dev *one = card->port[0];

	cxr_adev_remove(one, CXR_CLIENT_IB);
	destroy_lag_objects(card);
	one->core.lag = NULL;
	dev_info(one->core.dev, "RoCE LAG over %s removed\n", netdev_name(card->lag.bond));
	dev_put(card->lag.bond);
	dev_put(card->lag.netdev);
	memset(&card->lag, 0, sizeof(card->lag));
	card->now.mode = CXR_LAG_OFF;
}

/* After an error there is no LAG, and the caller adds the RDMA devices of the functions. */
static int enter_lag(struct cxr_card *card, const struct cxr_lag_in *in,
		     const struct cxr_lag_step *step)
	__must_hold(&card->lock)
{
	struct cxr_dev *one = card->port[0];
	int i, err;

	remove_ib_adevs(card);
	err = create_lag_objects(card, &step->out);
	if (err) {
		dev_err(one->core.dev, "cannot create a RoCE LAG: %pe\n", ERR_PTR(err));
		return err;
	}

	card->lag.bond = in->upper;
	dev_hold(card->lag.bond);
	card->lag.netdev = step->netdev;
	dev_hold(card->lag.netdev);
	for (i = 0; i < CXR_LAG_PORTS; i++) {
		card->lag.core[i] = &card->port[i]->core;
		card->lag.slave[i] = in->port[i].netdev;
	}
	card->lag.ecmp = step->out.mode == CXR_LAG_ECMP;
	card->lag.hash = step->out.mode == CXR_LAG_HASH;
	memcpy(card->lag.mac, step->mac, sizeof(card->lag.mac));
	one->core.lag = &card->lag;
	card->now = step->out;
	log_map(card, &step->out);
	err = add_ib_adevs(card);
	if (err)
		leave_lag(card);
	return err;
}

static int remap_ports(struct cxr_card *card, const struct cxr_lag_out *out)
	__must_hold(&card->lock)
{
	struct cxr_core *one = &card->port[0]->core;
	int err = 0;

	if (!memcmp(out->map, card->now.map, sizeof(out->map)))
		return 0;
	if (card->lag.hash)
		err = cxr_lag_tables_remap(card, card->now.map, out->map);
	err = err ?: cxr_cmd_modify_lag(one, out->map, card->lag.hash);
	if (err)
		dev_err(one->dev, "cannot change the port map: %pe\n", ERR_PTR(err));
	return err;
}

static int remap_macs(struct cxr_card *card, const struct cxr_lag_step *step)
{
	int err;

	if (!card->lag.ecmp || !memcmp(step->mac, card->lag.mac, sizeof(step->mac)))
		return 0;
	err = cxr_clients_set_lag_macs(card->port[0], &card->lag, step->mac);
	if (err)
		dev_err(card->port[0]->core.dev, "cannot change the source MACs: %pe\n",
			ERR_PTR(err));
	return err;
}

/* After an error the LAG has to be left. */
static int remap_lag(struct cxr_card *card, const struct cxr_lag_step *step)
	__must_hold(&card->lock)
{
	const struct cxr_lag_out *out = &step->out;
	bool macs_first = cxr_ecmp_macs_first(out->map);
	int err = 0;

	if (macs_first)
		err = remap_macs(card, step);
	if (!err)
		err = remap_ports(card, out);
	if (!err && !macs_first)
		err = remap_macs(card, step);
	if (err)
		return err;
	if (memcmp(out->map, card->now.map, sizeof(out->map)) || out->mode != card->now.mode)
		log_map(card, out);
	card->now = *out;
	if (card->lag.netdev != step->netdev)
		cxr_clients_set_lag_netdev(card->port[0], &card->lag, step->netdev);
	return 0;
}

static void log_reason(const struct cxr_card *card, enum cxr_lag_why why)
{
	const struct cxr_dev *dev = card->port[0] ?: card->port[1];

	if (dev)
		dev_info(dev->core.dev, "no RoCE LAG: %s\n", cxr_lag_why_text(why));
}

static struct cxr_lag_step next_step(const struct cxr_card *card, const struct cxr_lag_in *in)
	__must_hold(&card->lock)
{
	const struct cxr_lag_state state = {
		.now = card->now,
		.refused = card->was_refused ? &card->refused : NULL,
		.upper = card->lag.bond,
		.netdev = card->lag.netdev,
		.mac = card->lag.mac,
	};

	return cxr_lag_step(in, &state);
}

static void apply_decision(struct cxr_card *card, const struct cxr_lag_in *in)
	__must_hold(&card->lock)
{
	struct cxr_lag_step step;
	int err = 0;

	do {
		step = next_step(card, in);
		card->was_refused = step.refused;
		if (step.supersedes)
			card->refusal = CXR_LAG_WHY_NONE;
		switch (step.action) {
		case CXR_LAG_KEEP:
			if (step.tell)
				log_reason(card, step.out.why);
			card->now = step.out;
			break;
		case CXR_LAG_REMAP:
			err = remap_lag(card, &step);
			if (err)
				leave_lag(card);
			break;
		case CXR_LAG_LEAVE:
			leave_lag(card);
			break;
		case CXR_LAG_ENTER:
			err = enter_lag(card, in, &step);
			break;
		}
	} while (step.action == CXR_LAG_LEAVE);
	if (err) {
		card->refused = *in;
		card->was_refused = true;
		card->now.why = CXR_LAG_WHY_REFUSED;
	}
	add_ib_adevs(card);
}

/* The LAG was left; unregistering the netdev only waits for our reference. */
static void release_parent(struct cxr_card *card)
{
	const struct cxr_dev *dev = card->port[0] ?: card->port[1];

	if (dev)
		dev_info(dev->core.dev, "roce_lag_ecmp_dev: %s is gone\n",
			 netdev_name(card->parent));
	cxr_card_put_parent(card);
}

void cxr_card_evaluate(struct cxr_card *card)
{
	struct cxr_lag_in in;

	lockdep_assert_held(&card->lock);
	snapshot_get(card, &in);
	apply_decision(card, &in);
	if (card->parent && !in.ecmp)
		release_parent(card);
	snapshot_put(&in);
}

/* ---- the parent of an ECMP LAG --------------------------------------------------------------- */

/* Under rtnl: if it is unregistered meanwhile, it is not found or its event comes later. */
static void find_parent(struct cxr_card *card, const char *name)
{
	struct net_device *netdev;

	rtnl_lock();
	netdev = __dev_get_by_name(&init_net, name);
	if (netdev) {
		dev_hold(netdev);
		cxr_card_set_parent(card, netdev);
	}
	rtnl_unlock();
}

enum cxr_lag_why cxr_card_enter_ecmp(struct cxr_card *card, const char *name)
{
	bool another;
	struct cxr_lag_out out;
	struct cxr_lag_in in;

	lockdep_assert_held(&card->lock);
	if (card->parent && !cxr_card_has_parent(card))
		cxr_card_evaluate(card);
	another = card->parent;
	if (another && !strcmp(netdev_name(card->parent), name))
		return CXR_LAG_WHY_NONE;
	if (!another)
		find_parent(card, name);

	snapshot_get(card, &in);
	in.parent.another = another;
	/* An earlier refusal by the device does not count. */
	out = cxr_ecmp_decide(&in, false);
	if (out.mode != CXR_LAG_OFF) {
		card->was_refused = false;
		apply_decision(card, &in);
		out.why = card->now.why;
	}
	snapshot_put(&in);
	if (out.why != CXR_LAG_WHY_NONE && !another) {
		cxr_card_put_parent(card);
		cxr_card_evaluate(card);
	}
	card->refusal = out.why;
	return out.why;
}

void cxr_card_leave_ecmp(struct cxr_card *card)
{
	struct net_device *parent = card->parent;

	lockdep_assert_held(&card->lock);
	card->refusal = CXR_LAG_WHY_NONE;
	if (!parent)
		return;
	cxr_card_set_parent(card, NULL);
	cxr_card_evaluate(card);
	dev_put(parent);
}

void cxr_lag_evaluate(struct cxr_dev *dev)
{
	struct cxr_card *card = cxr_card_get(dev);

	if (!card)
		return;
	mutex_lock(&card->lock);
	cxr_card_evaluate(card);
	mutex_unlock(&card->lock);
	cxr_card_put(card);
}

static void lag_work(struct work_struct *work)
{
	struct cxr_card *card = container_of(work, struct cxr_card, work);

	mutex_lock(&card->lock);
	cxr_card_evaluate(card);
	mutex_unlock(&card->lock);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* @why: for a function that could have a LAG. */
static int join_no_card(struct cxr_dev *dev, const char *why)
{
	dev->no_card_why = why;
	if (why)
		dev_warn(dev->core.dev, "no RoCE LAG: %s\n", why);
	return dev->core.roce.roce ? cxr_adev_add(dev, CXR_CLIENT_IB) : 0;
}

/*
 * False: another function has the port. A card can have more functions than ports, for example with
 * one for each CPU socket.
 */
static bool take_port(struct cxr_card *card, struct cxr_dev *dev)
{
	struct cxr_dev **port = &card->port[dev->core.caps.native_port - 1];

	lockdep_assert_held(&card->lock);
	if (*port)
		return false;
	*port = dev;
	return true;
}

int cxr_lag_join(struct cxr_dev *dev)
{
	struct cxr_card *card;
	bool taken;
	int err = 0;

	if (!dev->core.caps.lag)
		return join_no_card(dev, NULL);
	/*
	 * Zero is no number of a card: two functions that have it may be on different ones, as on
	 * Socket Direct. mlx5_core makes no LAG of them either.
	 */
	if (!dev->core.sys_image_guid)
		return join_no_card(dev, "the card has no system image GUID");

	card = cxr_card_attach(dev, lag_work);
	if (!card)
		return -ENOMEM;

	mutex_lock(&card->lock);
	taken = take_port(card, dev);
	if (taken) {
		dev->no_card_why = NULL;
		err = add_ib_adevs(card);
		cxr_card_evaluate(card);
	}
	mutex_unlock(&card->lock);
	if (taken)
		return err;

	cxr_card_detach(dev);
	return join_no_card(dev, "another function has this port of the card");
}

void cxr_lag_leave(struct cxr_dev *dev)
{
	struct cxr_card *card = dev->card;
	int i;

	if (!card) {
		cxr_adev_remove(dev, CXR_CLIENT_IB);
		return;
	}

	mutex_lock(&card->lock);
	for (i = 0; i < CXR_LAG_PORTS; i++) {
		if (card->port[i] != dev)
			continue;
		if (card->now.mode != CXR_LAG_OFF)
			leave_lag(card);
		cxr_adev_remove(dev, CXR_CLIENT_IB);
		card->port[i] = NULL;
		card->now.why = CXR_LAG_WHY_DRIVER;
		add_ib_adevs(card);
	}
	mutex_unlock(&card->lock);
	cxr_card_detach(dev);
}

u8 cxr_lag_port_of(const struct cxr_core *core, const struct net_device *netdev)
{
	int i;

	for (i = 0; core->lag && netdev && i < CXR_LAG_PORTS; i++)
		if (core->lag->slave[i] == netdev)
			return i + 1;
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_lag_port_of);

/* ---- bond and parent ------------------------------------------------------------------------- */

static int lag_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct net_device *netdev = netdev_notifier_info_to_dev(ptr);
	bool of_bond;

	switch (event) {
	case NETDEV_CHANGEUPPER:
	case NETDEV_CHANGELOWERSTATE:
	case NETDEV_CHANGEINFODATA:
	case NETDEV_BONDING_FAILOVER:
	case NETDEV_CHANGE:
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_UNREGISTER:
	case NETDEV_CHANGEADDR:
		break;
	default:
		return NOTIFY_DONE;
	}
	of_bond = event == NETDEV_CHANGEUPPER || netif_is_bond_slave(netdev) ||
		  netif_is_bond_master(netdev);

	/* A move to another network namespace is an unregistration, too. */
	cxr_cards_schedule(netdev, event == NETDEV_UNREGISTER, of_bond);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_nb = { .notifier_call = lag_netdev_event };

int __init cxr_lag_init(void)
{
	int err;

	err = cxr_cards_init();
	if (err)
		return err;
	/* Bonds and parents are in init_net; cxr_port_set_netdev() has a notifier for ports. */
	err = register_netdevice_notifier_net(&init_net, &netdev_nb);
	if (err)
		cxr_cards_exit();
	return err;
}

void cxr_lag_exit(void)
{
	unregister_netdevice_notifier_net(&init_net, &netdev_nb);
	cxr_cards_exit();
}
