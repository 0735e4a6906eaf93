// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* On-demand paging: what memory a request needs. See odp.h. */
#include <linux/slab.h>

#include "odp.h"

/*
 * Parts that windows, and windows of windows, have of what one fault asks for. There may be more:
 * the device goes on with those that come first, and faults again.
 */
#define PARTS_MAX	4096

/* ---- keys ------------------------------------------------------------------------------------ */

/* Memory that a key stands for, in a list of what is still to be brought in. */
struct part {
	struct part *next;
	struct cxr_fault_range range;
	unsigned int depth;	/* windows on the way to it */
};

struct parts {
	struct part *first;
	int n;			/* so far */
	bool known;		/* on-demand paging is what one has */
};

/* The next one. */
static int add_part(struct parts *parts, const struct cxr_fault_range *range, unsigned int depth)
{
	struct part *part = kmalloc(sizeof(*part), GFP_KERNEL);

	if (!part)
		return -ENOMEM;
	part->range = *range;
	part->depth = depth;
	part->next = parts->first;
	parts->first = part;
	parts->n++;
	return 0;
}

/* The key of the MR that brings in memory for this one. */
static struct cxr_ib_odp_key *root_key(struct cxr_ib_odp_key *key)
{
	switch (key->kind) {
	case CXR_IB_ODP_CHILD:
		return &to_odp_mr(key)->parent->key;
	case CXR_IB_ODP_NULL:
		return &container_of(key, struct cxr_ib_odp_mr, null)->key;
	default:
		return key;
	}
}

static bool is_retired(const struct cxr_ib_odp *odp, u32 key)
{
	unsigned int i, n = min_t(unsigned int, odp->n_retired, CXR_IB_ODP_RETIRED);

	for (i = 0; i < n; i++)
		if (odp->retired[i] == key)
			return true;
	return false;
}

/*
 * With a reference; that of a child or null key is its parent. -ENOENT: a key without on-demand
 * paging, or none at all: others of the request may have some; -EFAULT: it was one of another MR,
 * which is gone, or the parent goes; -EAGAIN: it was a child.
 */
static struct cxr_ib_odp_key *get_key(struct cxr_ib_odp *odp, u32 key)
{
	struct cxr_ib_odp_key *found, *root;

	xa_lock(&odp->keys);
	found = xa_load(&odp->keys, key >> 8);
	/* The number of one that is gone may be another's. */
	if (found && (found->key == key || found->kind == CXR_IB_ODP_WINDOW)) {
		root = root_key(found);
		if (!refcount_inc_not_zero(&root->ref))
			root = ERR_PTR(-EFAULT);
	} else if (is_retired(odp, key)) {
		root = ERR_PTR(-EAGAIN);
	} else {
		root = ERR_PTR(found ? -EFAULT : -ENOENT);
	}
	xa_unlock(&odp->keys);
	return root;
}

/*
 * What of @n parts in a row is in @len bytes that begin @skip bytes after the first one: in place,
 * @most of them. Returns how many; -EFAULT: the row ends before.
 */
static int clip_parts(struct cxr_fault_range *list, u32 n, u64 skip, u64 len, int most)
{
	struct cxr_fault_range one;
	int found = 0;
	u32 i;

	for (i = 0; i < n && len && found < most; i++) {
		one = list[i];
		if (skip >= one.len) {
			skip -= one.len;
			continue;
		}
		one.va += skip;
		one.len = min(len, one.len - skip);
		len -= one.len;
		skip = 0;
		list[found++] = one;
	}
	return len && found < most ? -EFAULT : found;
}

/*
 * What of the window's parts is in @range comes next, and in order: of what is needed at once each
 * window on the way has its share of the parts.
 */
static int add_window(struct cxr_ib_odp *odp, const struct cxr_ib_odp_key *key,
		      const struct part *from, struct parts *parts)
{
	u8 depth_max = odp->dev->core->caps.max_indirection;
	int most = min(PARTS_MAX / (depth_max + 1), PARTS_MAX - parts->n);
	struct cxr_fault_range *list;
	u64 start = 0;
	int n, err;

	if (from->depth >= depth_max)
		return -EFAULT;
	if (!most)
		return 0;
	list = kvcalloc(key->parts, sizeof(*list), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	err = cxr_cmd_query_mkey_parts(odp->dev->core, key->key, &start, key->parts, list);
	n = err ?: clip_parts(list, key->parts, from->range.va - start, from->range.len, most);
	for (err = min(n, 0); !err && n; n--)
		err = add_part(parts, &list[n - 1], from->depth + 1);
	kvfree(list);
	return err;
}

static int bring_in_part(struct cxr_ib_odp *odp, const struct part *part, struct parts *parts)
{
	struct cxr_ib_odp_key *key = get_key(odp, part->range.key);
	int ret;

	if (IS_ERR(key))
		return PTR_ERR(key) == -ENOENT ? 0 : PTR_ERR(key);
	if (key->kind == CXR_IB_ODP_WINDOW) {
		ret = add_window(odp, key, part, parts);
	} else {
		parts->known = true;
		ret = cxr_ib_odp_page_in(to_odp_mr(key), part->range.va, part->range.len, 0);
		if (ret > 0)
			atomic64_add(ret, &to_odp_mr(key)->faults);
	}
	cxr_ib_odp_put(key);
	return min(ret, 0);
}

/*
 * Depth first, as far as the parts go. 0, or the error of cxr_ib_odp_page_in(). Sets *known if
 * there is on-demand paging in the range: a request without any would fault again and again.
 */
static int bring_in(struct cxr_ib_odp *odp, const struct cxr_fault_range *range, bool *known)
{
	struct parts parts = {};
	struct part *part;
	int err;

	err = add_part(&parts, range, 0);
	while ((part = parts.first)) {
		parts.first = part->next;
		if (!err)
			err = bring_in_part(odp, part, &parts);
		kfree(part);
	}
	*known |= parts.known;
	return err;
}

/* Only what the fault needs must come; what lies around it may be none of the process's memory. */
static int page_in_memory(struct cxr_ib_odp_mr *mr, const struct cxr_fault *fault)
{
	u64 around = fault->va - fault->before, va = fault->va, len, n;
	int ret;

	len = cxr_ib_odp_within(mr, &va, fault->len);
	if (!len)
		return -EFAULT;
	n = cxr_ib_odp_within(mr, &around, (u64)fault->before + fault->len + fault->after);
	ret = cxr_ib_odp_page_in(mr, around, n, 0);
	if (ret < 0 && ret != -EAGAIN && n != len)
		ret = cxr_ib_odp_page_in(mr, va, len, 0);
	return ret;
}

static int bring_in_memory(struct cxr_ib_odp *odp, const struct cxr_fault *fault)
{
	struct cxr_ib_odp_key *key = get_key(odp, fault->rkey);
	int ret = -EFAULT;

	if (IS_ERR(key))
		return PTR_ERR(key);
	/* The device names keys of pages alone. */
	if (key->kind == CXR_IB_ODP_MR)
		ret = page_in_memory(to_odp_mr(key), fault);
	if (ret > 0)
		atomic64_add(ret, &to_odp_mr(key)->faults);
	cxr_ib_odp_put(key);
	return min(ret, 0);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Bytes at @at of a ring of @size bytes that begins at @ring of the queue's memory. */
static int read_ring(const struct cxr_ib_queue *queue, u64 ring, u64 size, u64 at, void *to,
		     u32 len)
{
	u32 n = min_t(u64, len, size - at);
	int err;

	err = ib_umem_copy_from(to, queue->umem, ring + at, n);
	if (!err && n < len)
		err = ib_umem_copy_from(to + n, queue->umem, ring, len - n);
	return err;
}

/* The WQE is in memory of the program, which may change it meanwhile: it is read once. */
static int read_send(const struct cxr_ib_qp *qp, u16 index, void *wqe, u32 *len)
{
	u64 ring = (u64)qp->rq.size << qp->rq.log_stride;
	u64 size = (u64)qp->sq.size * CXR_WQE_BLOCK;
	u64 at;
	int err;

	if (!size)
		return -EINVAL;
	at = (index & (qp->sq.size - 1)) * CXR_WQE_BLOCK;
	err = read_ring(&qp->queue, ring, size, at, wqe, CXR_WQE_BLOCK);
	*len = err ? 0 : cxr_fault_send_bytes(wqe);
	if (*len > size)
		*len = 0;
	if (*len > CXR_WQE_BLOCK)
		err = read_ring(&qp->queue, ring, size, (at + CXR_WQE_BLOCK) & (size - 1),
				wqe + CXR_WQE_BLOCK, *len - CXR_WQE_BLOCK);
	return err;
}

static int read_recv(const struct cxr_ib_queue *queue, u32 n, u8 log_stride, u16 index, void *wqe,
		     u32 *len)
{
	if (!n || BIT(log_stride) > CXR_IB_ODP_WQE)
		return -EINVAL;
	*len = BIT(log_stride);
	return ib_umem_copy_from(wqe, queue->umem, (u64)(index & (n - 1)) << log_stride, *len);
}

static int read_qp_wqe(struct cxr_ib_odp *odp, const struct cxr_fault *fault,
		       struct cxr_fault_wqe *what, void *wqe, u32 *len)
{
	struct cxr_ib_qp *qp = cxr_ib_get_qp(odp->dev, fault->queue);
	int err = -EINVAL;

	/* Programs have queues of their own without verbs, whose requests only they know. */
	if (!qp)
		return -ENOENT;
	what->datagram = qp->type == CXR_QP_UD || qp->type == CXR_QP_DCI;
	what->xrc = qp->ibqp.qp_type == IB_QPT_XRC_INI;
	if (qp->queue.umem && !qp->raw && !qp->dct)
		err = fault->kind == CXR_FAULT_SEND ?
		      read_send(qp, fault->index, wqe, len) :
		      read_recv(&qp->queue, qp->rq.size, qp->rq.log_stride, fault->index, wqe,
				len);
	cxr_ib_put_qp(qp);
	return err;
}

static int read_srq_wqe(struct cxr_ib_odp *odp, const struct cxr_fault *fault, void *wqe, u32 *len)
{
	struct cxr_ib_srq *srq = cxr_ib_get_srq(odp->dev, fault->queue);
	int err = -EINVAL;

	if (!srq)
		return -ENOENT;
	if (srq->queue.umem)
		err = read_recv(&srq->queue, BIT(srq->log_size), srq->log_stride, fault->index,
				wqe, len);
	cxr_ib_put_srq(srq);
	return err;
}

/* A request without on-demand paging would fault again and again: its MR may be gone. */
static int bring_in_wqe(struct cxr_ib_odp *odp, const struct cxr_fault *fault, void *wqe)
{
	struct cxr_fault_wqe what = {
		.kind = fault->kind,
		.terminate_lkey = odp->dev->core->terminate_lkey,
		.committed = fault->committed,
	};
	struct cxr_fault_range range;
	struct cxr_fault_walk walk;
	bool here, known = false;
	u32 len = 0;
	int ret, err;

	err = fault->kind == CXR_FAULT_SRQ ? read_srq_wqe(odp, fault, wqe, &len) :
					     read_qp_wqe(odp, fault, &what, wqe, &len);
	err = err ?: cxr_fault_walk_begin(&walk, &what, wqe, len);
	if (err)
		return err;
	while ((ret = cxr_fault_walk_next(&walk, &range)) > 0) {
		here = false;
		err = bring_in(odp, &range, &here);
		if (err)
			return err;
		if (!here)
			cxr_fault_walk_uncount(&walk, &range);
		known |= here;
	}
	return ret ?: known ? 0 : -EFAULT;
}

void cxr_ib_odp_handle(struct cxr_ib_odp *odp, const struct cxr_fault *fault, void *wqe)
{
	struct cxr_fault_range range = { fault->rkey, fault->va, fault->len };
	struct cxr_core *core = odp->dev->core;
	bool known = false;
	int err;

	if (cxr_core_dead(core))
		return;
	if (fault->kind == CXR_FAULT_UNKNOWN)
		err = -EPROTO;
	else if (fault->kind == CXR_FAULT_MEMORY)
		err = bring_in_memory(odp, fault);
	else if (fault->kind == CXR_FAULT_RDMA)
		err = bring_in(odp, &range, &known) ?: known ? 0 : -ENOENT;
	else
		err = bring_in_wqe(odp, fault, wqe);
	/* Memory that is taken back meanwhile comes again with another fault. */
	if (err == -EAGAIN)
		err = 0;
	if (err)
		ibdev_dbg(&odp->dev->ibdev,
			  "page fault %#llx, queue %#x, key %#x: request fails: %d\n",
			  fault->token, fault->queue, fault->rkey, err);
	if (!cxr_fault_ends(fault, err))
		return;
	err = cxr_cmd_resume_fault(core, fault, err);
	/* The queue may have been destroyed, or another event has ended the fault. */
	if (err)
		ibdev_dbg(&odp->dev->ibdev, "page fault %#llx: it does not go on: %d\n",
			  fault->token, err);
}
