// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The e-switch of a PF that manages it, in legacy mode, while there are VFs.
 *
 * Each function writes into the context of its vport what it wants to hear. The device tells of a
 * change once, the vport is read again, and the entries of the FDB follow (policy/fdb.h). What is
 * for a VF from outside must also be in the table of the card's addresses (cxr_l2_add()).
 */
#include <linux/bitmap.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "eswitch.h"

#define LOG_TABLE_MAX	16		/* each change looks at all entries */
#define LOG_LIST_MAX	12		/* of the addresses of a vport */
#define CATCHALLS	CXR_FDB_CATCHALLS	/* entries at the end of the table */
#define GROUP_BYTE	0x01		/* of a MAC, the first */
#define UPLINK		0xffff
#define RETRY		HZ

struct vport {
	struct cxr_fdb_vport wants;	/* its lists are kvmalloc'ed */
	struct cxr_acl ingress, egress;
};

/* An entry that is in the device */
struct installed {
	struct cxr_fdb_entry entry;
	u32 index;
	bool l2;		/* its address is in the table of the card, too */
};

struct cxr_eswitch {
	u16 n_vports;
	struct vport *vports;
	u32 table, groups[1 + CATCHALLS];
	u8 n_groups;
	u32 size;
	unsigned long *used;	/* entries */
	struct installed *installed;	/* ascending by key */
	u32 n_installed;
	u8 refused;		/* settings of VFs, when they came up */
};

/* ---- entries --------------------------------------------------------------------------------- */

static u32 group_of(u64 key)
{
	return key == CXR_FDB_GROUPS ? 1 : key == CXR_FDB_UNKNOWN ? 2 : 0;
}

static void mask_of(u32 group, struct cxr_flow_fields *mask)
{
	memset(mask, 0, sizeof(*mask));
	switch (group) {
	case 0:
		eth_broadcast_addr(mask->dmac);
		break;
	case 1:
		mask->dmac[0] = GROUP_BYTE;
		break;
	default:
		mask->source_vport = UPLINK;
	}
}

static void value_of(u64 key, struct cxr_flow_fields *value)
{
	mask_of(group_of(key), value);
	if (!group_of(key))
		u64_to_ether_addr(key, value->dmac);
}

static int write_entry(struct cxr_dev *dev, const struct cxr_eswitch *esw,
		       const struct cxr_fdb_entry *entry, u32 index, bool modify)
{
	struct cxr_flow_action action = { .vports = entry->to };
	u32 group = group_of(entry->key);
	struct cxr_flow_fields value;

	value_of(entry->key, &value);
	return cxr_cmd_set_fte(&dev->core, esw->table, esw->groups[group], index, &value, &action,
			       modify);
}

static bool is_address(u64 key)
{
	return !group_of(key) && !(key >> 40 & GROUP_BYTE);
}

/* What is for a VF from outside; cards of one host have no table. */
static void add_address(struct cxr_dev *dev, struct installed *entry)
{
	u8 mac[ETH_ALEN];

	u64_to_ether_addr(entry->entry.key, mac);
	if (is_address(entry->entry.key) && !entry->l2)
		entry->l2 = !cxr_l2_add(&dev->core, mac);
}

static void put_address(struct cxr_dev *dev, struct installed *entry)
{
	u8 mac[ETH_ALEN];

	u64_to_ether_addr(entry->entry.key, mac);
	if (entry->l2)
		cxr_l2_remove(&dev->core, mac);
	entry->l2 = false;
}

/* False: the device has not taken it. */
static bool add_entry(struct cxr_dev *dev, struct cxr_eswitch *esw,
		      const struct cxr_fdb_entry *entry, struct installed *to)
{
	u32 group = group_of(entry->key), index = esw->size - CATCHALLS;

	index = group ? index + group - 1 : find_first_zero_bit(esw->used, index);
	if (!group && index == esw->size - CATCHALLS)
		return false;
	if (write_entry(dev, esw, entry, index, false))
		return false;
	__set_bit(index, esw->used);
	*to = (struct installed){ .entry = *entry, .index = index };
	add_address(dev, to);
	return true;
}

/* False: the device has not let go of it. */
static bool remove_entry(struct cxr_dev *dev, struct cxr_eswitch *esw, struct installed *entry)
{
	if (cxr_cmd_delete_fte(&dev->core, esw->table, entry->index))
		return false;
	__clear_bit(entry->index, esw->used);
	put_address(dev, entry);
	return true;
}

/*
 * An entry that is to say something else, or whose address the card did not take. If it is refused,
 * the old one stays, and it is false.
 */
static bool change_entry(struct cxr_dev *dev, struct cxr_eswitch *esw,
			 const struct cxr_fdb_entry *entry, struct installed *to)
{
	add_address(dev, to);
	if (!memcmp(to->entry.to, entry->to, sizeof(entry->to)))
		return true;
	if (write_entry(dev, esw, entry, to->index, true))
		return false;
	to->entry = *entry;
	return true;
}

/* What is not wanted goes first, for its place. Keeps what the device does not let go of. */
static u32 remove_others(struct cxr_dev *dev, struct cxr_eswitch *esw,
			 const struct cxr_fdb_entry *wanted, u32 n)
{
	u32 i, j = 0, kept = 0, refused = 0;

	for (i = 0; i < esw->n_installed; i++) {
		while (j < n && wanted[j].key < esw->installed[i].entry.key)
			j++;
		if (j == n || wanted[j].key != esw->installed[i].entry.key) {
			if (remove_entry(dev, esw, &esw->installed[i]))
				continue;
			refused++;
		}
		esw->installed[kept++] = esw->installed[i];
	}
	esw->n_installed = kept;
	return refused;
}

/* Returns how much the device has refused. */
static u32 add_wanted(struct cxr_dev *dev, struct cxr_eswitch *esw,
		      const struct cxr_fdb_entry *wanted, u32 n, struct installed *now)
{
	u32 i = 0, j = 0, k = 0, refused = 0;

	while (i < esw->n_installed || j < n) {
		if (j == n || (i < esw->n_installed &&
			       esw->installed[i].entry.key < wanted[j].key)) {
			now[k++] = esw->installed[i++];
		} else if (i < esw->n_installed && esw->installed[i].entry.key == wanted[j].key) {
			now[k] = esw->installed[i++];
			refused += !change_entry(dev, esw, &wanted[j++], &now[k++]);
		} else if (add_entry(dev, esw, &wanted[j++], &now[k])) {
			k++;
		} else {
			refused++;
		}
		cond_resched();
	}
	esw->n_installed = k;
	return refused;
}

/* The device gets the entries that are wanted. -EAGAIN: not all of them */
static int install(struct cxr_dev *dev, struct cxr_eswitch *esw,
		   const struct cxr_fdb_entry *wanted, u32 n)
{
	struct installed *now = kvcalloc(n + esw->n_installed + 1, sizeof(*now), GFP_KERNEL);
	u32 refused;

	if (!now)
		return -ENOMEM;
	refused = remove_others(dev, esw, wanted, n);
	refused += add_wanted(dev, esw, wanted, n, now);
	kvfree(esw->installed);
	esw->installed = now;
	return refused ? -EAGAIN : 0;
}

/* 0, -ENOMEM or -EAGAIN */
static int update(struct cxr_dev *dev, struct cxr_eswitch *esw)
{
	struct cxr_fdb_vport *vports = kvcalloc(esw->n_vports, sizeof(*vports), GFP_KERNEL);
	struct cxr_fdb_entry *entries = NULL;
	int err = -ENOMEM;
	u32 i, left;

	if (!vports)
		return -ENOMEM;
	for (i = 0; i < esw->n_vports; i++)
		vports[i] = esw->vports[i].wants;
	left = cxr_fdb_share(vports, esw->n_vports, esw->size);
	if (left)
		dev_warn_ratelimited(dev->core.dev, "the e-switch has no room for %u addresses of its functions\n",
				     left);
	entries = kvcalloc(cxr_fdb_most(vports, esw->n_vports), sizeof(*entries), GFP_KERNEL);
	if (entries)
		err = install(dev, esw, entries, cxr_fdb_build(vports, esw->n_vports, entries));
	kvfree(entries);
	kvfree(vports);
	return err;
}

/* ---- vports ---------------------------------------------------------------------------------- */

static int compare_macs(const void *a, const void *b)
{
	u64 left = *(const u64 *)a, right = *(const u64 *)b;

	return left < right ? -1 : left > right;
}

/* Ascending, each once, and of one kind only: a VF may have written anything. */
static u32 sort_macs(u64 *macs, u32 n, bool multicast)
{
	u32 i, kept = 0;

	sort(macs, n, sizeof(*macs), compare_macs, NULL);
	for (i = 0; i < n; i++)
		if (macs[i] && (macs[i] >> 40 & GROUP_BYTE) == multicast &&
		    (!kept || macs[kept - 1] != macs[i]))
			macs[kept++] = macs[i];
	return kept;
}

/* The address that a driver of a vport lists first is its own, as the in-tree driver has it. */
static u64 own_of(const struct cxr_vport_list *uc)
{
	return uc->n && !(uc->macs[0] >> 40 & GROUP_BYTE) ? uc->macs[0] : 0;
}

/* Of a sorted list, which it is the last of */
static bool take_broadcast(const u64 *macs, u32 *n)
{
	bool there = *n && macs[*n - 1] == CXR_FDB_BROADCAST;

	*n -= there;
	return there;
}

static u32 list_max(u8 log)
{
	return 1U << min_t(u8, log, LOG_LIST_MAX);
}

/* Without an answer the vport keeps what it had. */
static int read_vport(struct cxr_dev *dev, struct cxr_eswitch *esw, u16 number)
	__must_hold(&dev->vfs_lock)
{
	bool trusted = !number || dev->vf_settings[number - 1].trusted;
	struct cxr_fdb_vport *wants = &esw->vports[number].wants;
	const struct cxr_caps *caps = &dev->core.caps;
	struct cxr_vport_list uc = { .max = list_max(caps->log_max_current_uc_list) },
			      mc = { .max = list_max(caps->log_max_current_mc_list) };
	int err = -ENOMEM;

	uc.macs = kvcalloc(uc.max, sizeof(u64), GFP_KERNEL);
	mc.macs = kvcalloc(mc.max, sizeof(u64), GFP_KERNEL);
	if (uc.macs && mc.macs)
		err = cxr_cmd_query_vport_list(&dev->core, number, false, &uc);
	if (!err)
		err = cxr_cmd_query_vport_list(&dev->core, number, true, &mc);
	if (!err) {
		kvfree(wants->uc);
		kvfree(wants->mc);
		wants->own = own_of(&uc);
		wants->n_uc = sort_macs(uc.macs, uc.n, false);
		wants->n_mc = sort_macs(mc.macs, mc.n, true);
		wants->broadcast = take_broadcast(mc.macs, &wants->n_mc);
		wants->uc = uc.macs;
		wants->mc = mc.macs;
		wants->promisc = mc.promisc && trusted;
		wants->allmulti = (mc.promisc || mc.allmulti) && trusted;
		return 0;
	}
	kvfree(uc.macs);
	kvfree(mc.macs);
	return err;
}

void cxr_eswitch_event(struct cxr_dev *dev, u16 vport)
{
	if (vport >= CXR_FDB_VPORTS)
		return;
	set_bit(vport, dev->vports_changed);
	/* also if try_again() has it wait for its time */
	mod_delayed_work(cxr_system_wq, &dev->vports_work, 0);
}

static void try_again(struct cxr_dev *dev)
{
	schedule_delayed_work(&dev->vports_work, RETRY);
}

/* Armed before it is read: what changes from now on is told again. What fails is tried again. */
static void follow_vport(struct cxr_dev *dev, struct cxr_eswitch *esw, u16 vport)
	__must_hold(&dev->vfs_lock)
{
	int err = cxr_cmd_arm_vport(&dev->core, vport, true);

	err = err ?: read_vport(dev, esw, vport);
	if (!err || cxr_core_dead(&dev->core))
		return;
	dev_warn_ratelimited(dev->core.dev, "the e-switch does not follow vport %u: %pe\n", vport,
			     ERR_PTR(err));
	set_bit(vport, dev->vports_changed);
	try_again(dev);
}

static void update_or_retry(struct cxr_dev *dev, struct cxr_eswitch *esw)
{
	if (update(dev, esw) && !cxr_core_dead(&dev->core))
		try_again(dev);
}

void cxr_eswitch_work(struct work_struct *work)
{
	struct cxr_dev *dev = container_of(work, struct cxr_dev, vports_work.work);
	struct cxr_eswitch *esw;
	u32 vport;

	mutex_lock(&dev->vfs_lock);
	esw = dev->eswitch;
	for_each_set_bit(vport, dev->vports_changed, CXR_FDB_VPORTS) {
		clear_bit(vport, dev->vports_changed);
		if (esw && vport < esw->n_vports)
			follow_vport(dev, esw, vport);
	}
	if (esw)
		update_or_retry(dev, esw);
	mutex_unlock(&dev->vfs_lock);
}

/* ---- settings -------------------------------------------------------------------------------- */

static bool vlan_differs(const struct cxr_vf_settings *a, const struct cxr_vf_settings *b)
{
	return a->vlan != b->vlan || a->qos != b->qos;
}

/*
 * Groups of an ACL. A VF in a VLAN sends without a tag, and gets what has the VLAN's; with spoofchk
 * it sends from its MAC. The last one is what drops the rest.
 */
enum { IN_UNTAGGED_MAC, IN_UNTAGGED, IN_MAC, IN_DROP, IN_GROUPS };
enum { OUT_VLAN, OUT_DROP, OUT_GROUPS };

static_assert(IN_GROUPS <= CXR_ACL_GROUPS && OUT_GROUPS <= CXR_ACL_GROUPS);

static u32 fill_masks(bool egress, struct cxr_flow_fields masks[CXR_ACL_GROUPS])
{
	memset(masks, 0, CXR_ACL_GROUPS * sizeof(*masks));
	if (egress) {
		masks[OUT_VLAN].tagged = 1;
		masks[OUT_VLAN].tci = VLAN_VID_MASK;
		return OUT_GROUPS;
	}
	masks[IN_UNTAGGED_MAC].tagged = 1;
	masks[IN_UNTAGGED].tagged = 1;
	eth_broadcast_addr(masks[IN_UNTAGGED_MAC].smac);
	eth_broadcast_addr(masks[IN_MAC].smac);
	return IN_GROUPS;
}

/* What passes: its group, and the value. False: all does, and there is no ACL. */
static bool acl_of(const struct cxr_vf_settings *s, bool egress, u32 *group,
		   struct cxr_flow_fields *value)
{
	bool vlan = s->vlan || s->qos;

	memset(value, 0, sizeof(*value));
	if (egress) {
		*group = OUT_VLAN;
		value->tagged = 1;
		value->tci = s->vlan;
		return vlan;
	}
	*group = !s->spoofchk ? IN_UNTAGGED : vlan ? IN_UNTAGGED_MAC : IN_MAC;
	if (s->spoofchk)
		ether_addr_copy(value->smac, s->mac);
	return vlan || s->spoofchk;
}

static u32 drop_of(const struct cxr_acl *acl)
{
	return acl->egress ? OUT_DROP : IN_DROP;
}

/* Nothing passes from now on; also if that is so already. */
static int close_acl(struct cxr_dev *dev, struct cxr_acl *acl)
{
	int err = 0;

	if (acl->open)
		err = cxr_cmd_delete_acl_entry(&dev->core, acl, acl->allow);
	if (!err)
		acl->open = false;
	return err;
}

static int open_acl(struct cxr_dev *dev, struct cxr_acl *acl, u32 group,
		    const struct cxr_flow_fields *value)
{
	int err = cxr_cmd_set_acl_entry(&dev->core, acl, group, value);

	if (err)
		return err;
	acl->allow = group;
	acl->open = true;
	return 0;
}

/* While it changes, all is dropped, and nothing passes that is not to. After an error, too */
static int change_acl(struct cxr_dev *dev, struct cxr_acl *acl, u32 group,
		      const struct cxr_flow_fields *value)
{
	int err = close_acl(dev, acl);

	return err ?: open_acl(dev, acl, group, value);
}

/* After an error it exists still, and may be closed. */
static int remove_acl(struct cxr_dev *dev, struct cxr_acl *acl)
{
	int err;

	if (!acl->exists)
		return 0;
	/* not the one that drops first: the VF would be free for a moment */
	err = close_acl(dev, acl);
	err = err ?: cxr_cmd_delete_acl_entry(&dev->core, acl, drop_of(acl));
	if (err)
		return err;
	cxr_cmd_destroy_acl(&dev->core, acl);
	acl->exists = false;
	return 0;
}

static int add_acl(struct cxr_dev *dev, struct cxr_acl *acl, u32 group,
		   const struct cxr_flow_fields *value)
{
	struct cxr_flow_fields masks[CXR_ACL_GROUPS];
	u32 n = fill_masks(acl->egress, masks);
	int err;

	err = cxr_cmd_create_acl(&dev->core, acl, masks, n);
	if (err)
		return err;
	err = open_acl(dev, acl, group, value);
	if (err)
		goto err_destroy;
	err = cxr_cmd_set_acl_entry(&dev->core, acl, drop_of(acl), NULL);
	if (err)
		goto err_delete;
	err = cxr_cmd_connect_acl(&dev->core, acl);
	if (err)
		goto err_delete_drop;
	acl->exists = true;
	return 0;

err_delete_drop:
	cxr_cmd_delete_acl_entry(&dev->core, acl, drop_of(acl));
err_delete:
	close_acl(dev, acl);
	acl->open = false;
err_destroy:
	cxr_cmd_destroy_acl(&dev->core, acl);
	return err;
}

static int set_acl(struct cxr_dev *dev, unsigned int vf, bool egress)
	__must_hold(&dev->vfs_lock)
{
	struct vport *vport = &dev->eswitch->vports[vf + 1];
	struct cxr_acl *acl = egress ? &vport->egress : &vport->ingress;
	struct cxr_flow_fields value;
	u32 group;

	acl->vport = vf + 1;
	acl->egress = egress;
	if (!acl_of(&dev->vf_settings[vf], egress, &group, &value))
		return remove_acl(dev, acl);
	return acl->exists ? change_acl(dev, acl, group, &value) :
			     add_acl(dev, acl, group, &value);
}

static int set_acls(struct cxr_dev *dev, unsigned int vf)
	__must_hold(&dev->vfs_lock)
{
	int err = set_acl(dev, vf, false);

	return err ?: set_acl(dev, vf, true);
}

static bool acls_differ(const struct cxr_vf_settings *a, const struct cxr_vf_settings *b)
{
	return vlan_differs(a, b) || a->spoofchk != b->spoofchk ||
	       (a->spoofchk && !ether_addr_equal(a->mac, b->mac));
}

static int query_dropped(struct cxr_dev *dev, const struct cxr_acl *acl, u64 *packets)
{
	struct cxr_traffic traffic = {};
	int err = 0;

	if (acl->exists && acl->counted)
		err = cxr_cmd_query_flow_counter(&dev->core, acl->counter, &traffic);
	*packets = traffic.packets;
	return err;
}

int cxr_eswitch_dropped(struct cxr_dev *dev, unsigned int vf, u64 *rx, u64 *tx)
{
	const struct vport *vport;
	int err;

	*rx = 0;
	*tx = 0;
	if (!dev->eswitch)
		return 0;
	vport = &dev->eswitch->vports[vf + 1];
	err = query_dropped(dev, &vport->egress, rx);
	return err ?: query_dropped(dev, &vport->ingress, tx);
}

/* One that is not trusted any more hears nothing from now on, whatever the device says. */
static void set_trust(struct cxr_dev *dev, u16 number, bool trusted)
	__must_hold(&dev->vfs_lock)
{
	struct cxr_fdb_vport *wants = &dev->eswitch->vports[number].wants;

	if (!trusted) {
		wants->promisc = false;
		wants->allmulti = false;
	}
	follow_vport(dev, dev->eswitch, number);
	update_or_retry(dev, dev->eswitch);
}

static int set_address(struct cxr_dev *dev, unsigned int vf, const u8 *mac)
{
	int err = cxr_cmd_set_vport_mac(&dev->core, vf + 1, mac);

	if (err)
		return err;
	err = cxr_cmd_set_vport_guid(&dev->core, vf + 1, mac);
	if (err)
		dev_warn(dev->core.dev, "VF %u: its node GUID is refused, RDMA connections of it may fail: %pe\n",
			 vf, ERR_PTR(err));
	return 0;
}

/* What it said before could not be restored. */
static bool is_closed(const struct cxr_acl *acl)
{
	return acl->exists && !acl->open;
}

int cxr_eswitch_apply(struct cxr_dev *dev, unsigned int vf, const struct cxr_vf_settings *old)
{
	const struct cxr_vf_settings *s = &dev->vf_settings[vf];
	const struct vport *v;
	u16 vport = vf + 1;
	int err = 0;

	if (!dev->eswitch)
		return 0;
	v = &dev->eswitch->vports[vport];
	if (!ether_addr_equal(s->mac, old->mac))
		err = set_address(dev, vf, s->mac);
	if (!err && vlan_differs(s, old))
		err = cxr_cmd_set_vport_vlan(&dev->core, vport, s->vlan, s->qos);
	if (!err && (acls_differ(s, old) || is_closed(&v->ingress) || is_closed(&v->egress)))
		err = set_acls(dev, vf);
	if (!err && s->link != old->link)
		err = cxr_cmd_set_vport_link(&dev->core, vport, s->link);
	if (!err && s->trusted != old->trusted)
		set_trust(dev, vport, s->trusted);
	return err;
}

enum { VF_LINK, VF_MAC, VF_GUID, VF_VLAN, VF_SETTINGS };

/* What does not restrict the VF need not be taken: the log tells of the first that is refused. */
static int need_not(struct cxr_dev *dev, unsigned int vf, int setting, int err)
	__must_hold(&dev->vfs_lock)
{
	static const char * const names[VF_SETTINGS] = {
		[VF_LINK] = "link state", [VF_MAC] = "MAC", [VF_GUID] = "node GUID",
		[VF_VLAN] = "VLAN",
	};

	if (!err || cxr_core_dead(&dev->core))
		return err;
	if (!(dev->eswitch->refused & BIT(setting)))
		dev_warn(dev->core.dev, "VF %u: its %s is refused, maybe others', too: %pe\n", vf,
			 names[setting], ERR_PTR(err));
	dev->eswitch->refused |= BIT(setting);
	return 0;
}

/* All of them, whatever a driver before has left */
static int set_up_vport(struct cxr_dev *dev, unsigned int vf)
	__must_hold(&dev->vfs_lock)
{
	const struct cxr_vf_settings *s = &dev->vf_settings[vf];
	u16 vport = vf + 1;
	int err = 0;

	if (dev->core.caps.vport_acl)
		err = set_acls(dev, vf);
	if (err)
		return err;
	err = cxr_cmd_set_vport_link(&dev->core, vport, s->link);
	if (s->link != CXR_VF_LINK_DOWN)
		err = need_not(dev, vf, VF_LINK, err);
	if (!err)
		err = need_not(dev, vf, VF_MAC,
			       cxr_cmd_set_vport_mac(&dev->core, vport, s->mac));
	if (!err)
		err = need_not(dev, vf, VF_GUID,
			       cxr_cmd_set_vport_guid(&dev->core, vport, s->mac));
	if (err || !dev->core.caps.vport_vlan)
		return err;
	err = cxr_cmd_set_vport_vlan(&dev->core, vport, s->vlan, s->qos);
	return s->vlan || s->qos ? err : need_not(dev, vf, VF_VLAN, err);
}

/* ---- up and down ----------------------------------------------------------------------------- */

static int create_groups(struct cxr_dev *dev, struct cxr_eswitch *esw)
{
	const u32 first[] = { 0, esw->size - CATCHALLS, esw->size - CATCHALLS + 1, esw->size };
	struct cxr_flow_fields mask;
	int err = 0;

	while (!err && esw->n_groups < ARRAY_SIZE(esw->groups)) {
		mask_of(esw->n_groups, &mask);
		err = cxr_cmd_create_flow_group(&dev->core, esw->table, first[esw->n_groups],
						first[esw->n_groups + 1] - 1, &mask,
						&esw->groups[esw->n_groups]);
		esw->n_groups += !err;
	}
	return err;
}

static void free_eswitch(struct cxr_eswitch *esw)
{
	u32 i;

	for (i = 0; esw->vports && i < esw->n_vports; i++) {
		kvfree(esw->vports[i].wants.uc);
		kvfree(esw->vports[i].wants.mc);
	}
	kvfree(esw->vports);
	kvfree(esw->installed);
	bitmap_free(esw->used);
	kfree(esw);
}

static struct cxr_eswitch *alloc_eswitch(struct cxr_dev *dev, u16 n_vfs)
{
	struct cxr_eswitch *esw = kzalloc(sizeof(*esw), GFP_KERNEL);

	if (!esw)
		return NULL;
	esw->n_vports = n_vfs + 1;
	esw->size = 1U << min_t(u8, dev->core.caps.fdb_log_max_size, LOG_TABLE_MAX);
	esw->vports = kvcalloc(esw->n_vports, sizeof(*esw->vports), GFP_KERNEL);
	esw->used = bitmap_zalloc(esw->size, GFP_KERNEL);
	if (esw->vports && esw->used)
		return esw;
	free_eswitch(esw);
	return NULL;
}

static void destroy_fdb(struct cxr_dev *dev, struct cxr_eswitch *esw)
{
	while (esw->n_installed) {
		remove_entry(dev, esw, &esw->installed[--esw->n_installed]);
		/* also if the device has not let go of the entry */
		put_address(dev, &esw->installed[esw->n_installed]);
	}
	while (esw->n_groups)
		cxr_cmd_destroy_flow_group(&dev->core, esw->table, esw->groups[--esw->n_groups]);
	if (esw->table)
		cxr_cmd_destroy_flow_table(&dev->core, esw->table);
}

void cxr_eswitch_down(struct cxr_dev *dev)
{
	struct cxr_eswitch *esw = dev->eswitch;
	u16 vport;

	if (!esw)
		return;
	dev->eswitch = NULL;
	for (vport = 0; vport < esw->n_vports; vport++) {
		cxr_cmd_arm_vport(&dev->core, vport, false);
		if (!vport)
			continue;
		cxr_cmd_set_vport_link(&dev->core, vport, CXR_VF_LINK_DOWN);
		remove_acl(dev, &esw->vports[vport].ingress);
		remove_acl(dev, &esw->vports[vport].egress);
	}
	destroy_fdb(dev, esw);
	free_eswitch(esw);
}

/* The FDB takes effect when all is in it, so that the PF's own traffic goes on. */
int cxr_eswitch_up(struct cxr_dev *dev, u16 n)
{
	struct cxr_eswitch *esw;
	u16 vport;
	int err;

	if (dev->eswitch)
		return 0;
	esw = alloc_eswitch(dev, n);
	if (!esw)
		return -ENOMEM;
	err = cxr_cmd_create_fdb_table(&dev->core, ilog2(esw->size), &esw->table);
	err = err ?: create_groups(dev, esw);
	dev->eswitch = esw;
	for (vport = 1; !err && vport < esw->n_vports; vport++)
		err = set_up_vport(dev, vport - 1);
	for (vport = 0; !err && vport < esw->n_vports; vport++)
		follow_vport(dev, esw, vport);
	if (!err)
		update_or_retry(dev, esw);
	err = err ?: cxr_cmd_set_flow_root(&dev->core, esw->table);
	if (err)
		cxr_eswitch_down(dev);
	return err;
}
