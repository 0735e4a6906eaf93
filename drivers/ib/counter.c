// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Counters of the port. Its QPs count in one set of queue counters, made with the RDMA device. */
#include "ib.h"

/* ---- hw_counters ---- */

static int query_port(struct cxr_ib_dev *dev, u64 *values)
{
	struct cxr_vport_counters vport;
	struct cxr_core *core = dev->core;
	int err = 0;

	if (dev->q_set)
		err = cxr_cmd_query_q_counter(core, dev->q_set, values);
	if (!err && core->caps.cc_query_allowed)
		err = cxr_cmd_query_cong_counters(core, values);
	if (!err && dev->icrc_counted)
		err = cxr_cmd_query_icrc_errors(core, &values[CXR_CNT_rx_icrc_encapsulated]);
	if (err || !core->caps.vport_counters)
		return err;

	err = cxr_cmd_query_vport_counters(core, &vport);
	if (err)
		return err;
	values[CXR_CNT_rdma_rx_packets] = vport.rdma_rx_packets;
	values[CXR_CNT_rdma_rx_bytes] = vport.rdma_rx_bytes;
	values[CXR_CNT_rdma_tx_packets] = vport.rdma_tx_packets;
	values[CXR_CNT_rdma_tx_bytes] = vport.rdma_tx_bytes;
	return 0;
}

static struct rdma_hw_stats *alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);

	return rdma_alloc_hw_stats_struct(dev->stat_descs, dev->n_stats,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* All at once, whichever @index is asked for: ib_core keeps them for a while. */
static int get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);
	u64 values[CXR_COUNTERS];
	int err, i;

	err = query_port(dev, values);
	if (err)
		return err;

	for (i = 0; i < dev->n_stats; i++)
		stats->value[i] = values[dev->stat_counters[i]];
	return dev->n_stats;
}

static const struct ib_device_ops stats_ops = {
	.alloc_hw_port_stats = alloc_hw_port_stats,
	.get_hw_stats = get_hw_stats,
};

/* ---- life ---- */

static void list_counters(struct cxr_ib_dev *dev)
{
	enum cxr_counter counter;

	for (counter = 0; counter < CXR_COUNTERS; counter++) {
		if (!cxr_counter_present(counter, &dev->core->caps, dev->icrc_counted))
			continue;
		dev->stat_descs[dev->n_stats].name = cxr_counter_name(counter);
		dev->stat_counters[dev->n_stats] = counter;
		dev->n_stats++;
	}
}

/* cxr_ib_counters_init - the port's set, and what the device counts; before registration */
int cxr_ib_counters_init(struct cxr_ib_dev *dev)
{
	int err;

	err = cxr_cmd_query_icrc_counted(dev->core, &dev->icrc_counted);
	if (err)
		return err;
	if (dev->core->caps.num_q_counters) {
		err = cxr_cmd_alloc_q_counter(dev->core, &dev->q_set);
		if (err)
			return err;
	}

	list_counters(dev);
	if (dev->n_stats)
		ib_set_device_ops(&dev->ibdev, &stats_ops);
	if (dev->core->caps.vport_counters)
		ib_set_device_ops(&dev->ibdev, &cxr_ib_pma_ops);
	return 0;
}

/* After the last QP. */
void cxr_ib_counters_exit(struct cxr_ib_dev *dev)
{
	if (dev->q_set)
		cxr_cmd_dealloc_q_counter(dev->core, dev->q_set);
}
