// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands of the manager of an e-switch about the vports of other functions. */
#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/flow.h"
#include "prm/vport.h"
#include "eswitch.h"

#define name_vport(in, vport)						\
	do {								\
		typeof(in) in_ = (in);					\
		u16 vport_ = (vport);					\
									\
		prm_set(in_, other_vport, !!vport_);			\
		prm_set(in_, vport_number, vport_);			\
	} while (0)

static u64 decode_mac(const struct prm_mac_address_layout *mac)
{
	return (u64)prm_get(mac, mac_addr_47_32) << 32 | prm_get(mac, mac_addr_31_0);
}

int cxr_cmd_query_vport_list(struct cxr_core *core, u16 vport, bool multicast,
			     struct cxr_vport_list *list)
{
	struct prm_query_nic_vport_context_in in = {};
	struct prm_query_nic_vport_context_out *out;
	const struct prm_mac_address_layout *macs;
	size_t len = sizeof(*out) + list->max * sizeof(*macs);
	u32 i;
	int err;

	out = kvzalloc(len, GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	name_vport(&in, vport);
	prm_set(&in, allowed_list_type, multicast ? PRM_VPORT_LIST_MC : PRM_VPORT_LIST_UC);
	err = cxr_cmd_len(core, query_nic_vport_context, &in, sizeof(in), out, len);
	if (err)
		goto out_free;

	list->promisc = prm_get(out, nic_vport_context.promisc_all);
	list->allmulti = prm_get(out, nic_vport_context.promisc_mc);
	list->n = min(prm_get(out, nic_vport_context.allowed_list_size), list->max);
	macs = prm_tail(out);
	for (i = 0; i < list->n; i++)
		list->macs[i] = decode_mac(&macs[i]);

out_free:
	kvfree(out);
	return err;
}

int cxr_cmd_arm_vport(struct cxr_core *core, u16 vport, bool on)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;

	name_vport(&in, vport);
	prm_set(&in, field_select.change_event, 1);
	prm_set(&in, nic_vport_context.arm_change_event, 1);
	prm_set(&in, nic_vport_context.event_on_uc_address_change, on);
	prm_set(&in, nic_vport_context.event_on_mc_address_change, on);
	prm_set(&in, nic_vport_context.event_on_promisc_change, on);
	return cxr_cmd(core, modify_nic_vport_context, &in, &out);
}

/* As the in-tree driver, with the universal bit of the MAC as it is */
static u64 guid_of(u64 mac)
{
	return (mac >> 24) << 40 | 0xfffeULL << 24 | (mac & 0xffffff);
}

int cxr_cmd_set_vport_mac(struct cxr_core *core, u16 vport, const u8 *mac)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;
	u64 address = ether_addr_to_u64(mac);

	name_vport(&in, vport);
	prm_set(&in, field_select.permanent_address, 1);
	prm_set(&in, nic_vport_context.permanent_address.mac_addr_47_32, address >> 32);
	prm_set(&in, nic_vport_context.permanent_address.mac_addr_31_0, address & U32_MAX);
	return cxr_cmd(core, modify_nic_vport_context, &in, &out);
}

int cxr_cmd_set_vport_guid(struct cxr_core *core, u16 vport, const u8 *mac)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;
	u64 address = ether_addr_to_u64(mac);

	if (!core->caps.vport_guid)
		return 0;
	name_vport(&in, vport);
	prm_set(&in, field_select.node_guid, 1);
	prm_set64(&in, nic_vport_context.node_guid, address ? guid_of(address) : 0);
	return cxr_cmd(core, modify_nic_vport_context, &in, &out);
}

int cxr_cmd_set_vport_link(struct cxr_core *core, u16 vport, enum cxr_vf_link link)
{
	static const u8 states[] = {
		[CXR_VF_LINK_AUTO] = PRM_VPORT_AUTO,
		[CXR_VF_LINK_UP] = PRM_VPORT_UP,
		[CXR_VF_LINK_DOWN] = PRM_VPORT_DOWN,
	};
	struct prm_modify_vport_state_in in = {};
	struct prm_modify_vport_state_out out;

	prm_set(&in, op_mod, PRM_VPORT_ESW);
	name_vport(&in, vport);
	prm_set(&in, admin_state, states[link]);
	return cxr_cmd(core, modify_vport_state, &in, &out);
}

int cxr_cmd_set_vport_vlan(struct cxr_core *core, u16 vport, u16 vlan, u8 qos)
{
	struct prm_modify_esw_vport_context_in in = {};
	struct prm_modify_esw_vport_context_out out;
	bool on = vlan || qos;

	name_vport(&in, vport);
	prm_set(&in, field_select.vport_cvlan_strip, 1);
	prm_set(&in, field_select.vport_cvlan_insert, 1);
	prm_set(&in, esw_vport_context.vport_cvlan_strip, on);
	prm_set(&in, esw_vport_context.vport_cvlan_insert,
		on ? PRM_CVLAN_INSERT_MISSING : PRM_CVLAN_INSERT_NONE);
	prm_set(&in, esw_vport_context.cvlan_id, vlan);
	prm_set(&in, esw_vport_context.cvlan_pcp, qos);
	return cxr_cmd(core, modify_esw_vport_context, &in, &out);
}

/* ---- ACLs ------------------------------------------------------------------------------------ */

#define LOG_ACL 2

static u32 acl_type(const struct cxr_acl *acl)
{
	return acl->egress ? PRM_FT_ESW_EGRESS : PRM_FT_ESW_INGRESS;
}

#define name_acl(in, acl)						\
	do {								\
		typeof(in) acl_in = (in);				\
		const struct cxr_acl *acl_ = (acl);			\
									\
		name_vport(acl_in, acl_->vport);			\
		prm_set(acl_in, table_type, acl_type(acl_));		\
		prm_set(acl_in, table_id, acl_->table);			\
	} while (0)

static int create_acl_table(struct cxr_core *core, struct cxr_acl *acl)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int err;

	name_vport(&in, acl->vport);
	prm_set(&in, table_type, acl_type(acl));
	prm_set(&in, flow_table_context.log_size, LOG_ACL);
	err = cxr_cmd(core, create_flow_table, &in, &out);
	if (!err)
		acl->table = prm_get(&out, table_id);
	return err;
}

static int create_acl_group(struct cxr_core *core, struct cxr_acl *acl,
			    const struct cxr_flow_fields *mask)
{
	struct prm_create_flow_group_in *in = kzalloc(sizeof(*in), GFP_KERNEL);
	struct prm_create_flow_group_out out;
	int err;

	if (!in)
		return -ENOMEM;
	name_acl(in, acl);
	prm_set(in, start_flow_index, acl->n_groups);
	prm_set(in, end_flow_index, acl->n_groups);
	prm_set(in, match_criteria_enable, cxr_flow_criteria(mask));
	cxr_flow_encode(mask, prm_sub(in, match_criteria, fte_match_param));
	err = cxr_cmd(core, create_flow_group, in, &out);
	if (!err)
		acl->groups[acl->n_groups++] = prm_get(&out, group_id);
	kfree(in);
	return err;
}

int cxr_cmd_set_acl_entry(struct cxr_core *core, const struct cxr_acl *acl, u32 index,
			  const struct cxr_flow_fields *value)
{
	bool counts = !value && acl->counted;
	struct {
		struct prm_set_fte_in head;
		struct prm_flow_counter_list counter;
	} *in = kzalloc(sizeof(*in), GFP_KERNEL);
	struct prm_set_fte_out out;
	int err;

	if (!in)
		return -ENOMEM;
	name_acl(&in->head, acl);
	prm_set(&in->head, flow_index, index);
	prm_set(&in->head, flow_context.group_id, acl->groups[index]);
	prm_set(&in->head, flow_context.action, (value ? PRM_FLOW_ALLOW : PRM_FLOW_DROP) |
						(counts ? PRM_FLOW_COUNT : 0));
	prm_set(&in->head, flow_context.flow_counter_list_size, counts);
	if (value)
		cxr_flow_encode(value, prm_sub(&in->head, flow_context.match_value,
					       fte_match_param));
	prm_set(&in->counter, flow_counter_id, counts ? acl->counter : 0);
	err = cxr_cmd_len(core, set_fte, &in->head,
			  sizeof(in->head) + counts * sizeof(in->counter), &out, sizeof(out));
	kfree(in);
	return err;
}

int cxr_cmd_delete_acl_entry(struct cxr_core *core, const struct cxr_acl *acl, u32 index)
{
	struct prm_delete_fte_in in = {};
	struct prm_delete_fte_out out;

	name_acl(&in, acl);
	prm_set(&in, flow_index, index);
	return cxr_cmd_refusal(core, cxr_cmd(core, delete_fte, &in, &out));
}

int cxr_cmd_connect_acl(struct cxr_core *core, const struct cxr_acl *acl)
{
	struct prm_set_flow_table_root_in in = {};
	struct prm_set_flow_table_root_out out;

	name_acl(&in, acl);
	prm_set(&in, op_mod, PRM_FT_ROOT_SET);
	return cxr_cmd(core, set_flow_table_root, &in, &out);
}

static void destroy_acl_group(struct cxr_core *core, struct cxr_acl *acl)
{
	struct prm_destroy_flow_group_in in = {};
	struct prm_destroy_flow_group_out out;

	name_acl(&in, acl);
	prm_set(&in, group_id, acl->groups[--acl->n_groups]);
	cxr_cmd(core, destroy_flow_group, &in, &out);
}

void cxr_cmd_destroy_acl(struct cxr_core *core, struct cxr_acl *acl)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	while (acl->n_groups)
		destroy_acl_group(core, acl);
	name_acl(&in, acl);
	cxr_cmd(core, destroy_flow_table, &in, &out);
	if (acl->counted)
		cxr_cmd_dealloc_flow_counter(core, acl->counter);
	acl->counted = false;
}

int cxr_cmd_create_acl(struct cxr_core *core, struct cxr_acl *acl,
		       const struct cxr_flow_fields *masks, u32 n)
{
	u32 i;
	int err;

	acl->n_groups = 0;
	err = create_acl_table(core, acl);
	if (err)
		return err;
	/* as the in-tree driver, which restricts a VF even if nothing counts that */
	acl->counted = core->caps.acl_counters &&
		       !cxr_cmd_alloc_flow_counter(core, &acl->counter);
	for (i = 0; !err && i < n; i++)
		err = create_acl_group(core, acl, &masks[i]);
	if (err)
		cxr_cmd_destroy_acl(core, acl);
	return err;
}
