// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Multicast groups: attaching queue pairs and detaching them. */
#include <stdlib.h>
#include <string.h>

#include "rdma/rdma.h"

void mcg_detach_all(struct qp *qp)
{
	struct mcg *mcg, *tmp;

	list_for_each_entry_safe(mcg, tmp, &qp->obj.dev->rdma_state->mcgs, node) {
		if (mcg->qp != qp)
			continue;
		list_del(&mcg->node);
		free(mcg);
	}
}

bool mcg_attached(const struct qp *qp)
{
	const struct mcg *mcg;

	list_for_each_entry(mcg, &qp->obj.dev->rdma_state->mcgs, node)
		if (mcg->qp == qp)
			return true;
	return false;
}

static struct mcg *mcg_find(struct qp *qp, const uint8_t *gid)
{
	struct mcg *mcg;

	list_for_each_entry(mcg, &qp->obj.dev->rdma_state->mcgs, node)
		if (mcg->qp == qp && !memcmp(mcg->gid, gid, 16))
			return mcg;
	return NULL;
}

static int run_attach_to_mcg(struct cmd *c)
{
	const struct prm_attach_to_mcg_in *in = c->in;
	const uint8_t *gid = prm_bytes_const(in, multicast_gid);
	struct qp *qp = obj_lookup(c, OBJ_QP, prm_get(in, qpn), "qpn");
	struct mcg *mcg;

	if (!qp)
		return -1;
	if (qp->st != PRM_QP_ST_UD)
		return refuse(c, PRM_STATUS_BAD_PARAM, "QP 0x%x is not UD", qp->obj.num);
	if (mcg_find(qp, gid))
		return refuse(c, PRM_STATUS_BAD_PARAM, "QP 0x%x is attached to the group already",
			      qp->obj.num);
	mcg = calloc(1, sizeof(*mcg));
	if (!mcg)
		return refuse(c, PRM_STATUS_INTERNAL, "the emulator is out of memory");
	memcpy(mcg->gid, gid, 16);
	mcg->qp = qp;
	list_add_tail(&mcg->node, &c->dev->rdma_state->mcgs);
	return 0;
}

static int run_detach_from_mcg(struct cmd *c)
{
	const struct prm_detach_from_mcg_in *in = c->in;
	struct qp *qp = obj_lookup(c, OBJ_QP, prm_get(in, qpn), "qpn");
	struct mcg *mcg;

	if (!qp)
		return -1;
	mcg = mcg_find(qp, prm_bytes_const(in, multicast_gid));
	if (!mcg)
		return refuse(c, PRM_STATUS_BAD_PARAM, "QP 0x%x is not attached to the group",
			      qp->obj.num);
	list_del(&mcg->node);
	free(mcg);
	return 0;
}

const struct cmd_desc cmds_mcg[] = {
	CMD(attach_to_mcg),
	CMD(detach_from_mcg),
	{}
};
