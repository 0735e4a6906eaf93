// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What the manager of an e-switch commands of the vports of others, and what it is told of them:
 * QUERY/MODIFY_ESW_VPORT_CONTEXT, and the event of a vport context that has changed.
 */
#include <string.h>

#include "port/port.h"
#include "prm/eqe.h"
#include "prm/vport.h"

struct cxdev *cmd_vport_named(struct cmd *c, bool other, unsigned int number)
{
	struct cxdev *dev;

	if (!other && number) {
		refuse(c, PRM_STATUS_BAD_PARAM, "vport_number %u without other_vport", number);
		return NULL;
	}
	if (!number)
		return c->dev;
	dev = eswitch_vport(c->dev, number);
	if (!dev)
		refuse(c, PRM_STATUS_BAD_PARAM, "vport %u: there are 0 to %u", number,
		       eswitch_vports(c->dev) - 1);
	return dev;
}

int cmd_vport_op_mod(struct cmd *c)
{
	if (c->op_mod == PRM_VPORT_VNIC || (c->op_mod == PRM_VPORT_ESW && eswitch_manager(c->dev)))
		return 0;
	return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod %u: the function manages no eswitch",
		      c->op_mod);
}

/* The manager arms the event again when it has read the context. */
void vport_changed(struct cxdev *dev, unsigned int what)
{
	struct cxdev *manager = eswitch_managed_by(dev);
	struct prm_eqe_vport_change eqe = { .vport_num = htobe16(dev->vport) };

	if (!manager || !dev->eth->change_armed || !(dev->eth->change_events & what))
		return;
	dev->eth->change_armed = false;
	event_dispatch(manager, PRM_EVENT_NIC_VPORT_CHANGE, 0, &eqe, sizeof(eqe));
}

/* ---- VLAN of a vport ---- */

/* The VF that a command of the manager names; NULL: refused. */
static struct vf *get_vf(struct cmd *c, struct cxdev *dev)
{
	if (dev && !eswitch_manager(c->dev))
		refuse(c, PRM_STATUS_BAD_OP, "the function manages no eswitch");
	else if (dev && dev == c->dev)
		refuse(c, PRM_STATUS_BAD_PARAM, "vport 0 is no VF: its context is fixed");
	else if (dev)
		return eswitch_vf(dev);
	return NULL;
}

static int run_query_esw_vport_context(struct cmd *c)
{
	const struct prm_query_esw_vport_context_in *in = c->in;
	struct prm_query_esw_vport_context_out *out = c->out;
	const struct vf *vf = get_vf(c, cmd_vport(c, in));

	if (!vf)
		return -1;
	prm_set(out, esw_vport_context.vport_cvlan_strip, vf->cvlan_strip);
	prm_set(out, esw_vport_context.vport_cvlan_insert, vf->cvlan_insert);
	prm_set(out, esw_vport_context.cvlan_id, vf->vlan);
	prm_set(out, esw_vport_context.cvlan_pcp, vf->priority);
	return 0;
}

static int run_modify_esw_vport_context(struct cmd *c)
{
	const struct prm_modify_esw_vport_context_in *in = c->in;
	const struct prm_esw_vport_context *ctx = prm_sub_const(in, esw_vport_context,
								esw_vport_context);
	struct vf *vf = get_vf(c, cmd_vport(c, in));
	unsigned int insert = prm_get(ctx, vport_cvlan_insert);

	if (!vf)
		return -1;
	if (is_set(c, in, field_select.fdb_to_vport_reg_c_id, "but metadata is not advertised") ||
	    is_set(c, in, field_select.vport_svlan_insert, "but S-VLANs are not advertised") ||
	    is_set(c, in, field_select.vport_svlan_strip, "but S-VLANs are not advertised"))
		return -1;
	if (prm_get(in, field_select.vport_cvlan_insert) && insert != PRM_CVLAN_INSERT_NONE &&
	    insert != PRM_CVLAN_INSERT_MISSING)
		return refuse(c, PRM_STATUS_BAD_PARAM, "vport_cvlan_insert %u is not advertised",
			      insert);
	if (prm_get(in, field_select.vport_cvlan_strip))
		vf->cvlan_strip = prm_get(ctx, vport_cvlan_strip);
	if (prm_get(in, field_select.vport_cvlan_insert)) {
		vf->cvlan_insert = insert;
		vf->vlan = insert ? prm_get(ctx, cvlan_id) : 0;
		vf->priority = insert ? prm_get(ctx, cvlan_pcp) : 0;
	}
	return 0;
}

const struct cmd_desc cmds_eswitch[] = {
	CMD(query_esw_vport_context),
	CMD(modify_esw_vport_context),
	{}
};
