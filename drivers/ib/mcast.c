// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Multicast groups of UD QPs. uverbs forgets a group before it asks to leave it, and ib_core never
 * destroys a QP that has not left: a refusal of the device stays here, and is tried again when the
 * QP goes.
 */
#include <linux/slab.h>

#include "queue.h"
#include "verbs.h"

/* The device keeps the QP in this group. */
struct cxr_ib_left_group {
	struct list_head entry;
	u8 gid[16];
};

static struct cxr_ib_left_group *find_left(const struct cxr_ib_qp *qp, const u8 gid[16])
	__must_hold(&qp->mutex)
{
	struct cxr_ib_left_group *left;

	list_for_each_entry(left, &qp->left_groups, entry)
		if (!memcmp(left->gid, gid, sizeof(left->gid)))
			return left;
	return NULL;
}

static void free_left(struct cxr_ib_left_group *left)
{
	list_del(&left->entry);
	kfree(left);
}

/* A RoCE group has no LID. */
int cxr_ib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	struct cxr_ib_left_group *left;
	int err = 0;

	if (qp->raw || qp->dct || qp->type != CXR_QP_UD) {
		ibdev_dbg(ibqp->device, "QP %#x: only UD QPs join multicast groups\n", qp->qpn);
		return -EOPNOTSUPP;
	}
	mutex_lock(&qp->mutex);
	left = find_left(qp, gid->raw);
	if (left)
		free_left(left);	/* it is in the group still */
	else
		err = cxr_cmd_attach_mcg(to_cxr_dev(ibqp->device)->core, qp->uid, gid->raw,
					 qp->qpn);
	mutex_unlock(&qp->mutex);
	return err;
}

/* Without memory to remember it, the device refuses to destroy the QP later. */
static void keep_left(struct cxr_ib_qp *qp, const u8 gid[16])
	__must_hold(&qp->mutex)
{
	struct cxr_ib_left_group *left = kmalloc(sizeof(*left), GFP_KERNEL);

	if (!left)
		return;
	memcpy(left->gid, gid, sizeof(left->gid));
	list_add(&left->entry, &qp->left_groups);
}

int cxr_ib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);

	mutex_lock(&qp->mutex);
	if (cxr_cmd_detach_mcg(to_cxr_dev(ibqp->device)->core, qp->uid, gid->raw, qp->qpn))
		keep_left(qp, gid->raw);
	mutex_unlock(&qp->mutex);
	return 0;
}

void cxr_ib_leave_groups(struct cxr_ib_qp *qp)
{
	struct cxr_core *core = to_cxr_dev(qp->ibqp.device)->core;
	struct cxr_ib_left_group *left, *next;

	list_for_each_entry_safe(left, next, &qp->left_groups, entry)
		if (!cxr_cmd_detach_mcg(core, qp->uid, left->gid, qp->qpn))
			free_left(left);
}

void cxr_ib_forget_groups(struct cxr_ib_qp *qp)
{
	struct cxr_ib_left_group *left, *next;

	list_for_each_entry_safe(left, next, &qp->left_groups, entry)
		free_left(left);
}
