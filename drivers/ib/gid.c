// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The GID table. ib_core owns it; the RoCE address table of the device mirrors it by index, in an
 * ECMP LAG twice, for the QPs of either port.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <rdma/ib_cache.h>

#include "ib.h"

/* Callback of the walk over lower devices: stops at the first VLAN and returns it. */
static int find_vlan(struct net_device *lower, struct netdev_nested_priv *priv)
{
	if (!is_vlan_dev(lower))
		return 0;
	priv->data = lower;
	return 1;
}

/* rdma_read_gid_l2_fields() takes the uppermost VLAN at or below @ndev and looks no further. */
static void read_vlan_tags(struct net_device *ndev, struct cxr_gid_in *in)
{
	struct netdev_nested_priv vlan = {}, below = {};

	if (is_vlan_dev(ndev))
		vlan.data = ndev;
	else
		netdev_walk_all_lower_dev_rcu(ndev, find_vlan, &vlan);
	if (!vlan.data)
		return;

	in->vlan_8021ad = vlan_dev_vlan_proto(vlan.data) != htons(ETH_P_8021Q);
	in->vlan_stacked = netdev_walk_all_lower_dev_rcu(vlan.data, find_vlan, &below);
}

static int read_gid_attr(const struct ib_gid_attr *attr, struct cxr_gid_in *in)
{
	struct net_device *ndev;
	int err;

	switch (attr->gid_type) {
	case IB_GID_TYPE_ROCE:
		in->type = CXR_GID_V1;
		break;
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		in->type = CXR_GID_V2;
		break;
	default:
		ibdev_dbg(attr->device, "GID %u: type %u is not a RoCE type\n", attr->index,
			  attr->gid_type);
		return -EOPNOTSUPP;
	}

	memcpy(in->gid, attr->gid.raw, sizeof(in->gid));
	in->vlan = CXR_VLAN_NONE;
	err = rdma_read_gid_l2_fields(attr, &in->vlan, in->mac);
	if (err)
		return err;

	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev)
		read_vlan_tags(ndev, in);
	rcu_read_unlock();
	return 0;
}

/* ---- the device's table ---------------------------------------------------------------------- */

/* Writes the entry for the QPs of a port, 1 or 2, of an ECMP LAG. */
static int set_port_entry(struct cxr_ib_dev *dev, unsigned int index, u8 port)
	__must_hold(&dev->gid_lock)
{
	struct cxr_gid_entry entry = dev->gid_entries[index];

	ether_addr_copy(entry.mac, dev->lag_mac[port - 1]);
	return cxr_cmd_set_roce_address(dev->core, cxr_ecmp_index(index, port, dev->gid_half),
					&entry);
}

/* A dead device has no entries. */
static int clear_entry(struct cxr_ib_dev *dev, unsigned int index)
{
	int err, err2 = 0;

	lockdep_assert_held(&dev->gid_lock);
	if (dev->gid_half) {
		clear_bit(index, dev->gid_set);
		err2 = cxr_cmd_set_roce_address(dev->core, cxr_ecmp_index(index, 2, dev->gid_half),
						NULL);
	}
	err = cxr_cmd_set_roce_address(dev->core, index, NULL) ?: err2;
	return cxr_cmd_refusal(dev->core, err);
}

/* Both halves or none. */
static int set_entry(struct cxr_ib_dev *dev, unsigned int index, const struct cxr_gid_entry *entry)
{
	int err;

	lockdep_assert_held(&dev->gid_lock);
	if (!dev->gid_half)
		return cxr_cmd_set_roce_address(dev->core, index, entry);

	dev->gid_entries[index] = *entry;
	err = set_port_entry(dev, index, 1);
	if (err)
		return err;
	err = set_port_entry(dev, index, 2);
	if (err)
		clear_entry(dev, index);
	else
		set_bit(index, dev->gid_set);
	return err;
}

int cxr_ib_set_lag_macs(struct cxr_ib_dev *dev, const u8 mac[CXR_LAG_PORTS][ETH_ALEN])
{
	unsigned int index;
	int i, err = 0;

	mutex_lock(&dev->gid_lock);
	for (i = 0; i < CXR_LAG_PORTS; i++) {
		if (ether_addr_equal(mac[i], dev->lag_mac[i]))
			continue;
		ether_addr_copy(dev->lag_mac[i], mac[i]);
		for_each_set_bit(index, dev->gid_set, dev->gid_half)
			err = err ?: set_port_entry(dev, index, i + 1);
	}
	mutex_unlock(&dev->gid_lock);
	return err;
}

/* ---- additions ------------------------------------------------------------------------------- */

int cxr_ib_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct cxr_ib_dev *dev = to_cxr_dev(attr->device);
	struct cxr_core *core = dev->core;
	struct cxr_gid_entry entry = {};
	struct cxr_gid_in in = {};
	const char *why;
	int err;

	if (attr->index >= cxr_ib_gid_tbl_len(dev)) {
		ibdev_dbg(attr->device, "GID %u: index out of range, the table has %u entries\n",
			  attr->index, cxr_ib_gid_tbl_len(dev));
		return -EINVAL;
	}

	err = read_gid_attr(attr, &in);
	if (err)
		return err;

	err = cxr_gid_decide(&in, cxr_roce_mode_has_v1(core->roce.mode),
			     cxr_roce_mode_has_v2(core->roce.mode), &entry, &why);
	if (err) {
		ibdev_dbg(attr->device, "GID %u: %s\n", attr->index, why);
		return err;
	}
	mutex_lock(&dev->gid_lock);
	clear_bit(attr->index, dev->gid_deferred);
	err = set_entry(dev, attr->index, &entry);
	mutex_unlock(&dev->gid_lock);
	return err;
}

/* ---- removal, and entries that outlive it ---------------------------------------------------- */

/*
 * attr->ndev may be gone already: only the index counts.
 *
 * When a bond changes its active slave, ib_core removes all its entries, adds those in use again at
 * other indexes, and calls this at once. In a LAG the QPs that use them must survive: such an entry
 * stays in the device until its last user is gone. ib_core does not reuse the index before that.
 */
int cxr_ib_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct cxr_ib_dev *dev = to_cxr_dev(attr->device);
	unsigned int index = attr->index;
	int err = 0;

	mutex_lock(&dev->gid_lock);
	if (dev->core->lag)
		set_bit(index, dev->gid_deferred);
	smp_mb__after_atomic();		/* pairs with atomic_dec_and_test() in cxr_ib_gid_put() */
	if (!dev->core->lag || !atomic_read(&dev->gid_refs[index])) {
		clear_bit(index, dev->gid_deferred);
		err = clear_entry(dev, index);
	}
	mutex_unlock(&dev->gid_lock);
	return err;
}

void cxr_ib_gid_get(struct cxr_ib_dev *dev, unsigned int index)
{
	atomic_inc(&dev->gid_refs[index]);
}

void cxr_ib_gid_put(struct cxr_ib_dev *dev, unsigned int index)
{
	if (atomic_dec_and_test(&dev->gid_refs[index]) && test_bit(index, dev->gid_deferred))
		schedule_work(&dev->gid_work);
}

static void gid_work(struct work_struct *work)
{
	struct cxr_ib_dev *dev = container_of(work, struct cxr_ib_dev, gid_work);
	unsigned int index;

	mutex_lock(&dev->gid_lock);
	for_each_set_bit(index, dev->gid_deferred, cxr_ib_gid_tbl_len(dev)) {
		if (atomic_read(&dev->gid_refs[index]))
			continue;
		clear_bit(index, dev->gid_deferred);
		clear_entry(dev, index);
	}
	mutex_unlock(&dev->gid_lock);
}

static void free_tables(struct cxr_ib_dev *dev)
	__context_unsafe("nobody else knows them yet, or any more")
{
	bitmap_free(dev->gid_set);
	kfree(dev->gid_entries);
	bitmap_free(dev->gid_deferred);
	kfree(dev->gid_refs);
	mutex_destroy(&dev->gid_lock);
}

int cxr_ib_gids_up(void *owner)
	__context_unsafe("nobody else knows them yet")
{
	struct cxr_ib_dev *dev = owner;
	const struct cxr_core *core = dev->core;
	unsigned int n;

	if (core->lag && core->lag->ecmp)
		dev->gid_half = cxr_ecmp_half(core->caps.roce_addresses);
	n = cxr_ib_gid_tbl_len(dev);
	mutex_init(&dev->gid_lock);
	INIT_WORK(&dev->gid_work, gid_work);
	dev->gid_refs = kcalloc(n, sizeof(*dev->gid_refs), GFP_KERNEL);
	dev->gid_deferred = bitmap_zalloc(n, GFP_KERNEL);
	dev->gid_entries = kcalloc(dev->gid_half, sizeof(*dev->gid_entries), GFP_KERNEL);
	dev->gid_set = bitmap_zalloc(dev->gid_half, GFP_KERNEL);
	if (dev->gid_refs && dev->gid_deferred && dev->gid_entries && dev->gid_set)
		return 0;

	free_tables(dev);
	return -ENOMEM;
}

void cxr_ib_gids_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	flush_work(&dev->gid_work);
	free_tables(dev);
}
