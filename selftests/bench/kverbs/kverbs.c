// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * insmod kverbs.ko devices=NAME,NAME...
 *
 * What a kernel consumer waits for in a driver: posting, polling, a message there and back. Each
 * device has one RC queue pair, connected to itself over a RoCE v2 GID of IPv4. The devices take
 * turns, and the medians of many turns are in the kernel log. In a guest whose clock counts
 * instructions a nanosecond is one.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define DEVICES	4
#define TURNS	101
#define BATCH	16
#define BYTES	8

static char *devices[DEVICES];
static unsigned int device_count;
module_param_array(devices, charp, &device_count, 0);
MODULE_PARM_DESC(devices, "names of two to four RDMA devices");

struct dev {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	void *buf;
	u64 dma;
};

static struct dev devs[DEVICES];
static u64 times[DEVICES][TURNS];

static const struct ib_gid_attr *v2_gid(struct ib_device *ib)
{
	const struct ib_gid_attr *attr;
	int i;

	for (i = 0; i < 16; i++) {
		attr = rdma_get_gid_attr(ib, 1, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((struct in6_addr *)attr->gid.raw))
			return attr;
		rdma_put_gid_attr(attr);
	}
	return ERR_PTR(-ENOENT);
}

static int to_rtr(struct dev *d)
{
	const struct ib_gid_attr *gid = v2_gid(d->ib);
	union ib_gid dgid;
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR, .path_mtu = IB_MTU_1024, .dest_qp_num = d->qp->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
	};
	int err;

	if (IS_ERR(gid))
		return PTR_ERR(gid);
	dgid = gid->gid;
	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	err = rdma_read_gid_l2_fields(gid, NULL, attr.ah_attr.roce.dmac);
	rdma_move_grh_sgid_attr(&attr.ah_attr, &dgid, 0, 1, 0, gid);
	if (!err)
		err = ib_modify_qp(d->qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
				   IB_QP_DEST_QPN | IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
				   IB_QP_MIN_RNR_TIMER);
	rdma_destroy_ah_attr(&attr.ah_attr);
	return err;
}

static int to_rts(struct dev *d)
{
	struct ib_qp_attr init = {
		.qp_state = IB_QPS_INIT, .port_num = 1, .qp_access_flags = IB_ACCESS_REMOTE_WRITE,
	};
	struct ib_qp_attr rts = {
		.qp_state = IB_QPS_RTS, .timeout = 17, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int err;

	err = ib_modify_qp(d->qp, &init, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			   IB_QP_ACCESS_FLAGS);
	if (!err)
		err = to_rtr(d);
	if (err)
		return err;
	return ib_modify_qp(d->qp, &rts, IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
			    IB_QP_RNR_RETRY | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
}

static int open_queues(struct dev *d)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = { .max_send_wr = 2 * BATCH, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	d->pd = ib_alloc_pd(d->ib, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (IS_ERR(d->pd))
		return PTR_ERR(d->pd);
	d->cq = ib_alloc_cq(d->ib, d, 4 * BATCH, 0, IB_POLL_DIRECT);
	if (IS_ERR(d->cq))
		return PTR_ERR(d->cq);
	init.send_cq = d->cq;
	init.recv_cq = d->cq;
	d->qp = ib_create_qp(d->pd, &init);
	if (IS_ERR(d->qp))
		return PTR_ERR(d->qp);
	return to_rts(d);
}

static int open_dev(struct dev *d, const char *name)
{
	d->ib = ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN);
	if (!d->ib)
		return -ENODEV;
	d->buf = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (!d->buf)
		return -ENOMEM;
	d->dma = ib_dma_map_single(d->ib, d->buf, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(d->ib, d->dma)) {
		d->dma = 0;
		return -ENOMEM;
	}
	return open_queues(d);
}

static void close_dev(struct dev *d)
{
	if (!d->ib)
		return;
	if (!IS_ERR_OR_NULL(d->qp))
		ib_destroy_qp(d->qp);
	if (!IS_ERR_OR_NULL(d->cq))
		ib_free_cq(d->cq);
	if (!IS_ERR_OR_NULL(d->pd))
		ib_dealloc_pd(d->pd);
	if (d->dma)
		ib_dma_unmap_single(d->ib, d->dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	kfree(d->buf);
	ib_device_put(d->ib);
}

/* ---- what is measured: nanoseconds of one, 0: it failed ------------------------------------ */

static int post(struct dev *d)
{
	struct ib_sge sge = { .addr = d->dma, .length = BYTES, .lkey = d->pd->local_dma_lkey };
	struct ib_rdma_wr wr = {
		.wr = { .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_RDMA_WRITE },
		.remote_addr = d->dma + PAGE_SIZE / 2, .rkey = d->pd->unsafe_global_rkey,
	};

	return ib_post_send(d->qp, &wr.wr, NULL);
}

/* Completions until there are @n; false: one of an error, or none for a second. */
static bool reap(struct dev *d, int n)
{
	unsigned long end = jiffies + HZ;
	struct ib_wc wc[BATCH];
	int got, i;

	while (n) {
		got = ib_poll_cq(d->cq, min(n, BATCH), wc);
		for (i = 0; i < got; i++)
			if (wc[i].status != IB_WC_SUCCESS)
				return false;
		if (got < 0 || (!got && time_after(jiffies, end)))
			return false;
		n -= got;
		if (!got)
			cond_resched();
	}
	return true;
}

static u64 post_each(struct dev *d)
{
	u64 t = ktime_get_ns();
	int i, err = 0;

	for (i = 0; i < BATCH && !err; i++)
		err = post(d);
	t = ktime_get_ns() - t;
	return !err && reap(d, BATCH) ? t / BATCH : 0;
}

/* All at once or not counted: what is behind the time of a poll must be the same each time. */
static u64 poll_each(struct dev *d)
{
	struct ib_wc wc[BATCH];
	int i, got, tries;
	u64 t;

	for (tries = 0; tries < 8; tries++) {
		for (i = 0; i < BATCH; i++)
			if (post(d))
				return 0;
		/* Soft-RoCE wants the CPU, a device time, which a clock of instructions skips */
		msleep(20);
		mdelay(5 << tries);
		t = ktime_get_ns();
		got = ib_poll_cq(d->cq, BATCH, wc);
		t = ktime_get_ns() - t;
		if (got == BATCH)
			return t / BATCH;
		if (got < 0 || !reap(d, BATCH - got))
			return 0;
	}
	return 0;
}

static u64 there_and_back(struct dev *d)
{
	u64 t = ktime_get_ns();

	if (post(d) || !reap(d, 1))
		return 0;
	return ktime_get_ns() - t;
}

static const struct measure {
	const char *what;
	u64 (*one)(struct dev *d);
} measures[] = {
	{ "kernel: ib_post_send of a WRITE", post_each },
	{ "kernel: ib_poll_cq, a completion", poll_each },
	{ "kernel: WRITE of 8 bytes, post to completion", there_and_back },
};

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int measure(const struct measure *m)
{
	char line[160];
	int i, turn, at = 0;

	for (turn = 0; turn < TURNS; turn++)
		for (i = 0; i < device_count; i++) {
			times[i][turn] = m->one(&devs[i]);
			if (!times[i][turn]) {
				pr_err("kverbs: %s: %s failed\n", devices[i], m->what);
				return -EIO;
			}
		}
	for (i = 0; i < device_count; i++) {
		sort(times[i], TURNS, sizeof(times[i][0]), compare, NULL);
		at += scnprintf(line + at, sizeof(line) - at, " %llu", times[i][TURNS / 2]);
	}
	pr_info("kverbs: %s:%s\n", m->what, line);
	return 0;
}

static int __init kverbs_init(void)
{
	int i, err = device_count < 2 ? -EINVAL : 0;

	for (i = 0; i < device_count && !err; i++) {
		err = open_dev(&devs[i], devices[i]);
		if (err)
			pr_err("kverbs: %s cannot be used: %d\n", devices[i], err);
	}
	for (i = 0; i < ARRAY_SIZE(measures) && !err; i++)
		err = measure(&measures[i]);
	for (i = 0; i < device_count; i++)
		close_dev(&devs[i]);
	return err;
}

static void __exit kverbs_exit(void)
{
}

module_init(kverbs_init);
module_exit(kverbs_exit);
MODULE_DESCRIPTION("Measures posting and polling of RDMA drivers");
MODULE_LICENSE("Dual BSD/GPL");
