/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* An RC QP of an RDMA device, connected to itself over an IPv4 RoCE v2 GID. */
#ifndef CXR_KMOD_LOOP_H
#define CXR_KMOD_LOOP_H

#include <rdma/ib_verbs.h>

#define LOOP_DEVICES	4
#define LOOP_BATCH	16
#define LOOP_INLINE	64

/**
 * struct loop - the QP, and a page that the device may read and write
 * @ib: the device, whose removal main.c blocks
 * @pd: PD, whose unsafe_global_rkey is valid for all mapped memory
 * @cq: CQ of sends and receives
 * @recv_cq: CQ of receives instead, or NULL; of a test, as @srq
 * @srq: SRQ, or NULL
 * @create_flags: of @qp
 * @rdma_ctxs: of @qp: contexts of rdma_rw
 * @qp: QP for at least LOOP_BATCH sends and receives, and LOOP_INLINE bytes of inline data
 * @cap: what it got
 * @buf: the page
 * @dma: DMA address of the page
 */
struct loop {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_cq *recv_cq;
	struct ib_srq *srq;
	u32 create_flags;
	u32 rdma_ctxs;
	struct ib_qp *qp;
	struct ib_qp_cap cap;
	void *buf;
	u64 dma;
};

/* Call loop_close() also after an error. loop_reap() needs IB_POLL_DIRECT. */
int loop_open(struct loop *l, struct ib_device *ib, enum ib_poll_context poll);
void loop_close(struct loop *l);
/* Another QP like that of loop_open(), on the same CQ, after l->qp was destroyed. */
int loop_create_qp(struct loop *l);
/* Returns a reference to the first GID of @type for an IPv4 address, or ERR_PTR(-ENOENT). */
const struct ib_gid_attr *loop_gid(struct ib_device *ib, enum ib_gid_type type);
/* A path to the device itself; takes over the reference to @gid, see rdma_destroy_ah_attr(). */
int loop_path(const struct ib_gid_attr *gid, struct rdma_ah_attr *attr);
/* Poll @n completions. Returns false for a completion error, or if none arrives for a second. */
bool loop_reap(struct loop *l, int n, struct ib_wc *wc);

int loop_test(struct ib_device *ib, const char *what);	/* test.c */
int loop_bench(struct ib_device **ibs, int n);		/* bench.c */

#endif
