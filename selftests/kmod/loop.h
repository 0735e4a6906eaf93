/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* One RC queue pair of an RDMA device, connected to itself over a RoCE v2 GID of IPv4. */
#ifndef CXR_KMOD_LOOP_H
#define CXR_KMOD_LOOP_H

#include <rdma/ib_verbs.h>

#define LOOP_DEVICES	4
#define LOOP_BATCH	16
#define LOOP_INLINE	64

/**
 * struct loop - the queue pair, and a page that the device may read and write
 * @ib: the device, which main.c keeps here
 * @pd: domain, whose unsafe_global_rkey is valid for all that is mapped
 * @cq: of sends and receives
 * @qp: takes LOOP_BATCH sends and receives at least, and LOOP_INLINE bytes of inline data
 * @max_inline: how many bytes of inline data it takes
 * @buf: the page
 * @dma: its address for the device
 */
struct loop {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u32 max_inline;
	void *buf;
	u64 dma;
};

/* loop_close() after an error, too. @poll: of the CQ; IB_POLL_DIRECT for loop_reap(). */
int loop_open(struct loop *l, struct ib_device *ib, enum ib_poll_context poll);
void loop_close(struct loop *l);
/* The first GID of @type for an IPv4 address: with a reference, or ERR_PTR(-ENOENT). */
const struct ib_gid_attr *loop_gid(struct ib_device *ib, enum ib_gid_type type);
/* To the device itself by @gid, whose reference is taken; rdma_destroy_ah_attr() frees it. */
int loop_path(const struct ib_gid_attr *gid, struct rdma_ah_attr *attr);
/* @n completions, each with IB_WC_SUCCESS; false: one of an error, or none for a second. */
bool loop_reap(struct loop *l, int n, struct ib_wc *wc);

int loop_test(struct ib_device *ib, const char *what);	/* test.c */
int loop_bench(struct ib_device **ibs, int n);		/* bench.c */

#endif
