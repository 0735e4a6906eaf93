/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * On-demand paging: memory keys whose pages are missing until the device needs them.
 *
 * A request that reaches a missing page stops its QP, and the device reports a page fault. A worker
 * (odp.c, odp_fault.c) finds out what memory the request refers to, brings it in, tells the device
 * where it is (odp_mr.c), and resumes the QP; if the memory does not exist, the QP fails. When the
 * system takes a page back, a notifier (odp_mr.c) first takes it from the device.
 *
 * By the transport scheme a fault names the request, by the memory scheme (caps.odp_memory) the key
 * that has the page, and where: so that works for requests that the kernel cannot read.
 *
 * A key of all memory of a process (implicit) has a list of keys, one for each GiB: a null key, or
 * that of a child, an MR that the first fault there creates, and that goes when it has no pages.
 * By the memory scheme it has a null key of its own. Faults of that, and of children, are its.
 *
 * LOCKS. umem_mutex of an MR protects its pages and their list in the device; a notifier takes it,
 * and under it umr_lock, when memory is reclaimed. So under both nothing reclaims memory, nor does
 * anything that is waited for there (umr.c). The QP for changes exists before the first page does;
 * a notifier issues commands only if the device does not let go of pages, or if a change failed
 * before and the QP had to go. Of two MRs, the mutex of a child is never held with that of its
 * parent.
 *
 * LIFETIME. Whoever uses an MR, or the key of a window, has a reference, which they get from the
 * table of keys or of children, under its lock. To end one, take it out of the table, drop the
 * table's reference and wait for the others. A child has one on its parent while it is destroyed.
 * A child or null key in the table of keys leads to its parent, which goes after it.
 */
#ifndef CXR_IB_ODP_H
#define CXR_IB_ODP_H

#include <linux/mempool.h>
#include <linux/mmu_notifier.h>
#include <rdma/ib_umem_odp.h>

#include "cxr/fault.h"
#include "queue.h"

/* A child of an implicit MR. */
#define CXR_IB_ODP_LOG_CHILD	30
/* Children that are gone, of which there may still be faults. */
#define CXR_IB_ODP_RETIRED	256

/**
 * struct cxr_ib_odp - on-demand paging of a device
 * @dev: the device
 * @keys: what a key leads to, by its index: struct cxr_ib_odp_key
 * @retired: keys of children that are gone, which lock of @keys protects, as it does:
 * @n_retired: how often one was added
 * @later: children that are destroyed, and prefetches
 * @lock: protects @started
 * @started: the EQ of faults, @faults and @pool exist
 * @faults: workers
 * @pool: struct fault of odp.c, so that there is always one, however little memory there is
 * @starved: an event had to wait for one
 */
struct cxr_ib_odp {
	struct cxr_ib_dev *dev;
	struct xarray keys;
	u32 retired[CXR_IB_ODP_RETIRED];
	unsigned int n_retired;
	struct workqueue_struct *later;
	struct mutex lock;		/* the first MR */
	bool started __guarded_by(&lock);
	struct workqueue_struct *faults;
	mempool_t *pool;
	unsigned long starved;
};

/* In the table of keys. */
enum cxr_ib_odp_kind {
	CXR_IB_ODP_MR,		/* in a struct cxr_ib_odp_mr */
	CXR_IB_ODP_WINDOW,	/* alone: a list, which the device knows, looked at up to @parts */
	/* Only by the memory scheme: */
	CXR_IB_ODP_CHILD,	/* in that of a child */
	CXR_IB_ODP_NULL,	/* the null key of an implicit MR, in its; no reference counts */
};

struct cxr_ib_odp_key {
	enum cxr_ib_odp_kind kind;
	u32 key;			/* of a window any variant is valid */
	u32 parts;
	refcount_t ref;
	struct completion unused;
};

/**
 * struct cxr_ib_odp_mr - an MR with on-demand paging, or a child of one
 * @key: of the MR or child; by the transport scheme that of a child is not in the table
 * @null: of an implicit MR, by the memory scheme
 * @dev: the device
 * @pd: its PD
 * @access: enum cxr_access
 * @flags: as it was registered: enum ib_access_flags
 * @umem: its memory, whose umem_mutex protects the list of the key, and:
 * @stopped: the device does not access memory by the key any more
 * @gone: and the key does not exist any more
 * @iova: of the first byte
 * @length: in bytes; 0: implicit
 * @slots: entries of the list of an implicit MR
 * @children: of an implicit MR, by GiB: struct cxr_ib_odp_mr
 * @parent: of a child
 * @destroy: of a child
 * @faults: pages that faults brought in
 * @invalidations: pages that were taken back
 * @prefetches: pages that programs asked for
 */
struct cxr_ib_odp_mr {
	struct cxr_ib_odp_key key, null;
	struct cxr_ib_dev *dev;
	struct ib_pd *pd;
	u32 access;
	int flags;
	struct ib_umem_odp *umem;
	bool stopped, gone;
	u64 iova, length;
	u64 slots;
	struct xarray children;
	struct cxr_ib_odp_mr *parent;
	struct work_struct destroy;
	atomic64_t faults, invalidations, prefetches;
};

/* Of a WQE: the size of a send WQE has six bits, in units of 16 bytes. */
#define CXR_IB_ODP_WQE 1024

/* How pages come in. */
enum {
	CXR_IB_ODP_READ_ONLY = 1,	/* even if the MR may be written to */
	CXR_IB_ODP_PRESENT = 2,		/* only those that are in memory */
};

/* odp.c */
/* Before the first MR. May sleep. -ENOMEM, or the command's error. */
int cxr_ib_odp_start(struct cxr_ib_odp *odp);

/* odp_mr.c */
/*
 * Brings in memory that the key refers to, @len bytes at @va, and returns the number of pages.
 * -EFAULT, -EINVAL: there is no such memory; -EAGAIN: it was taken back meanwhile; or another
 * error. The caller has a reference. Sleeps.
 */
int cxr_ib_odp_page_in(struct cxr_ib_odp_mr *mr, u64 va, u64 len, unsigned int flags);
/*
 * How many bytes of a range are the MR's: @len bytes at *va, without an overflow. *va: where they
 * begin.
 */
u64 cxr_ib_odp_within(const struct cxr_ib_odp_mr *mr, u64 *va, u64 len);
void cxr_ib_odp_put(struct cxr_ib_odp_key *key);

static inline struct cxr_ib_odp_mr *to_odp_mr(struct cxr_ib_odp_key *key)
{
	return container_of(key, struct cxr_ib_odp_mr, key);
}

/* odp_fault.c */
/*
 * Brings in what the request needs, and resumes it. @wqe: room of CXR_IB_ODP_WQE bytes. Sleeps.
 */
void cxr_ib_odp_handle(struct cxr_ib_odp *odp, const struct cxr_fault *fault, void *wqe);

#endif
