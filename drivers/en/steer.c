// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Receive steering. The MAC table filters by destination MAC: exact addresses, all multicast,
 * everything. The class table behind it chooses the TIR by protocol; of GRE and IP in IP, which are
 * spread by what is in them, a second one does. Rules of users come before both (ntuple.c), and the
 * device handles RoCE packets before all of them.
 *
 * In addition the vport has lists of addresses, by which the embedded switch forwards packets to
 * this function.
 */
#include <linux/slab.h>
#include "en.h"

/*
 * Entries of the MAC table: exact addresses, then one for all multicast, one for everything.
 */
#define ALLMULTI	CXR_EN_MACS
#define PROMISC		(CXR_EN_MACS + 1)
#define LOG_CLASS_TABLE	4
#define LOG_INNER_TABLE	3

enum {
	MAC_LEVEL = CXR_FLOW_LEVEL_EN_2, CLASS_LEVEL = CXR_FLOW_LEVEL_EN_3,
	INNER_LEVEL = CXR_FLOW_LEVEL_EN_4,
};

enum { GROUP_MAC, GROUP_ALLMULTI, GROUP_PROMISC };
enum { GROUP_L4, GROUP_L3, GROUP_REST };

struct group {
	u32 first, last;
	struct cxr_flow_fields mask;
};

static const struct group mac_groups[CXR_EN_GROUPS] = {
	[GROUP_MAC] = { 0, CXR_EN_MACS - 1, { .dmac = { [0 ... ETH_ALEN - 1] = 0xff } } },
	[GROUP_ALLMULTI] = { ALLMULTI, ALLMULTI, { .dmac = { 0x01 } } },
	[GROUP_PROMISC] = { PROMISC, PROMISC, {} },
};

static const struct group class_groups[CXR_EN_GROUPS] = {
	[GROUP_L4] = { 0, 9, { .ethertype = 0xffff, .ip_protocol = 0xff } },
	[GROUP_L3] = { 10, 11, { .ethertype = 0xffff } },
	[GROUP_REST] = { 12, 12, {} },
};

static const struct group inner_groups[CXR_EN_GROUPS] = {
	[GROUP_L4] = { 0, 3, { .inner_version = 0xf, .inner_protocol = 0xff } },
	[GROUP_L3] = { 4, 5, { .inner_version = 0xf } },
	[GROUP_REST] = { 6, 6, {} },
};

enum tunnel { NO_TUNNEL, TUNNEL_GRE, TUNNEL_IP };

static const struct packet_class {
	unsigned int group;
	u16 ethertype;
	u8 protocol;
	enum cxr_en_tir tir;
	enum tunnel tunnel;	/* leads to the class table of what is in it */
} classes[] = {
	{ GROUP_L4, ETH_P_IP, IPPROTO_GRE, CXR_EN_TIR_IPV4, TUNNEL_GRE },
	{ GROUP_L4, ETH_P_IPV6, IPPROTO_GRE, CXR_EN_TIR_IPV6, TUNNEL_GRE },
	{ GROUP_L4, ETH_P_IP, IPPROTO_IPIP, CXR_EN_TIR_IPV4, TUNNEL_IP },
	{ GROUP_L4, ETH_P_IPV6, IPPROTO_IPIP, CXR_EN_TIR_IPV6, TUNNEL_IP },
	{ GROUP_L4, ETH_P_IP, IPPROTO_IPV6, CXR_EN_TIR_IPV4, TUNNEL_IP },
	{ GROUP_L4, ETH_P_IPV6, IPPROTO_IPV6, CXR_EN_TIR_IPV6, TUNNEL_IP },
	{ GROUP_L4, ETH_P_IP, IPPROTO_TCP, CXR_EN_TIR_IPV4_TCP },
	{ GROUP_L4, ETH_P_IP, IPPROTO_UDP, CXR_EN_TIR_IPV4_UDP },
	{ GROUP_L4, ETH_P_IPV6, IPPROTO_TCP, CXR_EN_TIR_IPV6_TCP },
	{ GROUP_L4, ETH_P_IPV6, IPPROTO_UDP, CXR_EN_TIR_IPV6_UDP },
	{ GROUP_L3, ETH_P_IP, 0, CXR_EN_TIR_IPV4 },
	{ GROUP_L3, ETH_P_IPV6, 0, CXR_EN_TIR_IPV6 },
	{ GROUP_REST, 0, 0, CXR_EN_TIR_DIRECT },
};

/*
 * The first ones lead to a second table, and only come with it. The others are the classes of what
 * is in a tunnel as well.
 */
#define TUNNEL_CLASSES	6
#define INNER_CLASSES	(ARRAY_SIZE(classes) - TUNNEL_CLASSES)

/* ---- tables ------------------------------------------------------------- */

static void destroy_flow_table(struct cxr_en *en, struct cxr_en_table *table)
{
	if (!table->created)
		return;

	while (table->n_groups)
		cxr_cmd_destroy_flow_group(en->core, table->id, table->group[--table->n_groups]);
	cxr_cmd_destroy_flow_table(en->core, table->id);
	table->created = false;
}

static int create_flow_table(struct cxr_en *en, struct cxr_en_table *table, u8 level, u8 log_size,
			     const struct group groups[CXR_EN_GROUPS])
{
	const struct group *group;
	int err;

	err = cxr_cmd_create_flow_table(en->core, level, log_size, &table->id);
	if (err)
		return err;

	table->created = true;
	for (table->n_groups = 0; table->n_groups < CXR_EN_GROUPS; table->n_groups++) {
		group = &groups[table->n_groups];
		err = cxr_cmd_create_flow_group(en->core, table->id, group->first, group->last,
						&group->mask, &table->group[table->n_groups]);
		if (err) {
			destroy_flow_table(en, table);
			return err;
		}
	}
	return 0;
}

static bool knows_tunnel(const struct cxr_en *en, enum tunnel tunnel)
{
	const struct cxr_caps *caps = &en->core->caps;

	return tunnel == TUNNEL_GRE ? caps->tunnel_gre : caps->tunnel_ip_rx;
}

static int add_classes(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;
	int err;

	steer->first_class = steer->inner.created ? 0 : TUNNEL_CLASSES;
	steer->n_classes = steer->first_class;
	for (; steer->n_classes < ARRAY_SIZE(classes); steer->n_classes++) {
		const struct packet_class *class = &classes[steer->n_classes];
		struct cxr_flow_fields value = {
			.ethertype = class->ethertype,
			.ip_protocol = class->protocol,
		};
		u32 tirn = steer->rss.tirn[class->tir < steer->rss.end ? class->tir :
							CXR_EN_TIR_DIRECT];
		struct cxr_flow_action action = { .n_dests = 1, .dests = { { .num = tirn } } };

		if (class->tunnel && knows_tunnel(en, class->tunnel))
			action.dests[0] = (struct cxr_flow_dest){ .to = CXR_FLOW_TO_TABLE,
								  .num = steer->inner.id };
		err = cxr_cmd_set_fte(en->core, steer->classes.id,
				      steer->classes.group[class->group], steer->n_classes, &value,
				      &action, false);
		if (err)
			return err;
	}
	return 0;
}

static void destroy_inner(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;

	while (steer->n_inner)
		cxr_cmd_delete_fte(en->core, steer->inner.id, --steer->n_inner);
	destroy_flow_table(en, &steer->inner);
}

/* The class table of what is in a tunnel. An error leaves nothing. */
static int create_inner(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;
	int err;

	if (!steer->rss.inner_end)
		return 0;
	err = create_flow_table(en, &steer->inner, INNER_LEVEL, LOG_INNER_TABLE, inner_groups);
	for (; !err && steer->n_inner < INNER_CLASSES; steer->n_inner += !err) {
		const struct packet_class *class = &classes[TUNNEL_CLASSES + steer->n_inner];
		struct cxr_flow_fields value = {
			.inner_version = class->ethertype == ETH_P_IP	? 4 :
					 class->ethertype == ETH_P_IPV6 ? 6 : 0,
			.inner_protocol = class->protocol,
		};
		u32 tirn = class->tir == CXR_EN_TIR_DIRECT ? steer->rss.tirn[CXR_EN_TIR_DIRECT] :
							     steer->rss.inner_tirn[class->tir];
		struct cxr_flow_action action = { .n_dests = 1, .dests = { { .num = tirn } } };

		err = cxr_cmd_set_fte(en->core, steer->inner.id,
				      steer->inner.group[class->group], steer->n_inner, &value,
				      &action, false);
	}
	if (err)
		destroy_inner(en);
	return err;
}

/* ---- addresses ---------------------------------------------------------- */

static int set_mac_entry(struct cxr_en *en, u32 index, unsigned int group, const u8 *addr)
{
	struct cxr_en_steer *steer = &en->steer;
	struct cxr_flow_action action = {
		.n_dests = 1,
		.dests = { { .to = CXR_FLOW_TO_TABLE, .num = steer->classes.id } },
	};
	struct cxr_flow_fields value = {};

	if (addr)
		memcpy(value.dmac, addr, ETH_ALEN);
	return cxr_cmd_set_fte(en->core, steer->macs.id, steer->macs.group[group], index, &value,
			       &action, false);
}

static void set_catchall(struct cxr_en *en, bool *installed, bool wanted, u32 index,
			 unsigned int group)
	__must_hold(&en->lock)
{
	static const u8 multicast[ETH_ALEN] = { 0x01 };
	int err;

	if (*installed == wanted)
		return;

	if (wanted)
		err = set_mac_entry(en, index, group, group == GROUP_ALLMULTI ? multicast : NULL);
	else
		err = cxr_cmd_delete_fte(en->core, en->steer.macs.id, index);
	if (!err)
		*installed = wanted;
}

static struct cxr_en_mac *find_mac(struct cxr_en_steer *steer, const u8 *addr)
{
	unsigned int i;

	for (i = 0; i < CXR_EN_MACS; i++)
		if (steer->mac[i].used && ether_addr_equal(steer->mac[i].addr, addr))
			return &steer->mac[i];
	return NULL;
}

/* Marks the address as wanted. False: the table is full, or the command failed. */
static bool add_mac(struct cxr_en *en, const u8 *addr)
{
	struct cxr_en_steer *steer = &en->steer;
	struct cxr_en_mac *mac = find_mac(steer, addr);
	unsigned int i;

	for (i = 0; !mac && i < CXR_EN_MACS; i++) {
		if (steer->mac[i].used)
			continue;
		if (set_mac_entry(en, i, GROUP_MAC, addr))
			return false;
		mac = &steer->mac[i];
		ether_addr_copy(mac->addr, addr);
		mac->used = true;
		mac->l2 = !is_multicast_ether_addr(addr) && !cxr_l2_add(en->core, addr);
	}
	if (mac)
		mac->wanted = true;
	return mac;
}

static void put_l2(struct cxr_en *en, struct cxr_en_mac *mac)
{
	if (mac->l2)
		cxr_l2_remove(en->core, mac->addr);
	mac->l2 = false;
}

/* One that the device does not let go of is tried again the next time. */
static void remove_stale_macs(struct cxr_en *en)
	__must_hold(&en->lock)
{
	struct cxr_en_steer *steer = &en->steer;
	unsigned int i;

	for (i = 0; i < CXR_EN_MACS; i++) {
		if (steer->mac[i].used && !steer->mac[i].wanted &&
		    !cxr_cmd_delete_fte(en->core, steer->macs.id, i)) {
			put_l2(en, &steer->mac[i]);
			steer->mac[i].used = false;
		}
		steer->mac[i].wanted = false;
	}
}

/* Copy of the rx mode of the netdev, taken under its address lock. */
struct rx_mode {
	bool promisc, allmulti;
	u32 n_uc, n_mc;
	u8 uc[CXR_EN_MACS][ETH_ALEN];	/* dev_addr first */
	u8 mc[CXR_EN_MACS][ETH_ALEN];	/* broadcast first */
};

static u32 list_max(u8 log_max)
{
	return 1U << min_t(u8, log_max, CXR_EN_LOG_MACS);
}

static void copy_rx_mode(struct cxr_en *en, struct rx_mode *mode)
{
	u32 max_uc = list_max(en->core->caps.log_max_current_uc_list);
	u32 max_mc = list_max(en->core->caps.log_max_current_mc_list);
	struct net_device *ndev = en->ndev;
	struct netdev_hw_addr *ha;

	netif_addr_lock_bh(ndev);
	mode->promisc = ndev->flags & IFF_PROMISC;
	mode->allmulti = ndev->flags & IFF_ALLMULTI;
	ether_addr_copy(mode->uc[mode->n_uc++], ndev->dev_addr);
	eth_broadcast_addr(mode->mc[mode->n_mc++]);
	netdev_for_each_uc_addr(ha, ndev) {
		if (mode->n_uc == max_uc)
			mode->promisc = true;
		else
			ether_addr_copy(mode->uc[mode->n_uc++], ha->addr);
	}
	netdev_for_each_mc_addr(ha, ndev) {
		if (mode->n_mc == max_mc)
			mode->allmulti = true;
		else
			ether_addr_copy(mode->mc[mode->n_mc++], ha->addr);
	}
	netif_addr_unlock_bh(ndev);
}

static int set_vport_rx_mode(struct cxr_en *en, const struct rx_mode *mode)
{
	int err;

	err = cxr_cmd_set_vport_macs(en->core, false, mode->uc, mode->n_uc);
	if (err)
		return err;

	err = cxr_cmd_set_vport_macs(en->core, true, mode->mc, mode->n_mc);
	if (err)
		return err;

	return cxr_cmd_set_vport_promisc(en->core, mode->promisc, mode->allmulti);
}

static void apply_rx_mode(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;
	struct rx_mode *mode;
	u32 i;
	int err;

	lockdep_assert_held(&en->lock);
	mode = kzalloc(sizeof(*mode), GFP_KERNEL);
	if (!mode)
		return;

	copy_rx_mode(en, mode);
	/* new entries first, so that no packet is lost meanwhile */
	for (i = 0; i < mode->n_uc; i++)
		mode->promisc |= !add_mac(en, mode->uc[i]);
	for (i = 0; i < mode->n_mc; i++)
		mode->allmulti |= !add_mac(en, mode->mc[i]);
	set_catchall(en, &steer->promisc, mode->promisc, PROMISC, GROUP_PROMISC);
	set_catchall(en, &steer->allmulti, mode->allmulti, ALLMULTI, GROUP_ALLMULTI);
	remove_stale_macs(en);
	err = set_vport_rx_mode(en, mode);
	if (err && err != -ENODEV)
		netdev_warn(en->ndev, "cannot set the receive filter of the vport: %pe\n",
			    ERR_PTR(err));
	kfree(mode);
}

void cxr_en_apply_rx_mode(struct cxr_en *en)
{
	mutex_lock(&en->lock);
	if (en->steer.active)
		apply_rx_mode(en);
	mutex_unlock(&en->lock);
}

/* ---- create and destroy ------------------------------------------------- */

int cxr_en_steer_link(struct cxr_en *en)
{
	const struct cxr_en_steer *steer = &en->steer;

	return cxr_flow_set_en_tables(en->core, steer->rules ?: steer->macs.id, steer->macs.id);
}

int cxr_en_steer_create(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;
	int err;

	memset(steer, 0, sizeof(*steer));
	err = cxr_en_rss_create(en);
	if (err)
		return err;

	err = create_inner(en);
	if (err)
		goto err_destroy;

	err = create_flow_table(en, &steer->classes, CLASS_LEVEL, LOG_CLASS_TABLE, class_groups);
	if (err)
		goto err_destroy;

	err = add_classes(en);
	if (err)
		goto err_destroy;

	err = create_flow_table(en, &steer->macs, MAC_LEVEL, CXR_EN_LOG_MAC_TABLE, mac_groups);
	if (err)
		goto err_destroy;

	err = cxr_en_ntuple_create(en);
	if (err)
		goto err_destroy;

	err = cxr_en_steer_link(en);
	if (err)
		goto err_destroy;

	steer->active = true;
	apply_rx_mode(en);
	return 0;

err_destroy:
	cxr_en_steer_destroy(en);
	return err;
}

void cxr_en_steer_destroy(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;
	unsigned int i;

	steer->active = false;
	if (steer->macs.created) {
		cxr_flow_set_en_tables(en->core, 0, 0);
		set_catchall(en, &steer->promisc, false, PROMISC, GROUP_PROMISC);
		set_catchall(en, &steer->allmulti, false, ALLMULTI, GROUP_ALLMULTI);
		remove_stale_macs(en);	/* all of them: none is wanted */
		for (i = 0; i < CXR_EN_MACS; i++)	/* also if the device keeps their rules */
			put_l2(en, &steer->mac[i]);
		/* after the addresses: what a rule drops does not get in meanwhile */
		cxr_en_ntuple_destroy(en);
		destroy_flow_table(en, &steer->macs);
	}
	while (steer->n_classes > steer->first_class)
		cxr_cmd_delete_fte(en->core, steer->classes.id, --steer->n_classes);
	destroy_flow_table(en, &steer->classes);
	destroy_inner(en);
	cxr_en_rss_destroy(en);
}
