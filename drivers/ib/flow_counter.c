// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Counters of flow rules (ibv_create_counters): a flow counter of the device, which all rules count
 * in that name the object. Where a program wants to read packets and bytes is told with the first
 * of these rules.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "queue.h"

#define POINTS_MAX (U16_MAX / sizeof(struct mlx5_ib_flow_counters_desc))

int cxr_ib_create_counters(struct ib_counters *ibcounters, struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_counters *counters = to_cxr_counters(ibcounters);

	if (!to_cxr_dev(ibcounters->device)->core->caps.ft_counters)
		return -EOPNOTSUPP;
	mutex_init(&counters->lock);
	return 0;
}

/* ib_core has no rules with them any more; the device has one that it refused to delete. */
int cxr_ib_destroy_counters(struct ib_counters *ibcounters)
{
	struct cxr_ib_counters *counters = to_cxr_counters(ibcounters);

	mutex_lock(&counters->lock);
	if (counters->has_id)
		cxr_cmd_dealloc_flow_counter(to_cxr_dev(ibcounters->device)->core, counters->id);
	kfree(counters->points);
	mutex_unlock(&counters->lock);
	mutex_destroy(&counters->lock);
	return 0;
}

int cxr_ib_read_counters(struct ib_counters *ibcounters, struct ib_counters_read_attr *attr,
			 struct uverbs_attr_bundle *attrs)
{
	struct cxr_ib_counters *counters = to_cxr_counters(ibcounters);
	struct cxr_traffic traffic;
	u32 i;
	int err = 0;

	mutex_lock(&counters->lock);
	for (i = 0; i < counters->n; i++)
		if (counters->points[i].index >= attr->ncounters)
			err = -EINVAL;
	if (!err && counters->n)
		err = cxr_cmd_query_flow_counter(to_cxr_dev(ibcounters->device)->core,
						 counters->id, &traffic);
	for (i = 0; !err && i < counters->n; i++)
		attr->counters_buff[counters->points[i].index] +=
			counters->points[i].description == IB_COUNTER_PACKETS ? traffic.packets :
										traffic.bytes;
	mutex_unlock(&counters->lock);
	return err;
}

/* ---- rules ---- */

static int check_points(const struct ib_device *ibdev,
			const struct mlx5_ib_flow_counters_desc *points, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (points[i].description <= IB_COUNTER_BYTES)
			continue;
		ibdev_dbg(ibdev, "counters: unknown description %u: packets or bytes only\n",
			  points[i].description);
		return -EINVAL;
	}
	return 0;
}

/* Those that a rule tells; without, those of an earlier rule. */
static int set_points(struct cxr_ib_counters *counters, const struct mlx5_ib_flow_counters_data *to)
	__must_hold(&counters->lock)
{
	const struct ib_device *ibdev = counters->ibcounters.device;
	struct mlx5_ib_flow_counters_desc *points;
	int err;

	if (!to) {
		if (!counters->n)
			ibdev_dbg(ibdev, "counters: nothing is attached\n");
		return counters->n ? 0 : -EINVAL;
	}
	if (to->ncounters > POINTS_MAX || (counters->n && counters->users)) {
		ibdev_dbg(ibdev, "counters: %u of at most %zu to attach, and %u are\n",
			  to->ncounters, POINTS_MAX, counters->n);
		return -EINVAL;
	}
	points = memdup_user(u64_to_user_ptr(to->counters_data),
			     to->ncounters * sizeof(*points));
	if (IS_ERR(points))
		return PTR_ERR(points);
	err = check_points(ibdev, points, to->ncounters);
	if (err) {
		kfree(points);
		return err;
	}
	kfree(counters->points);
	counters->points = points;
	counters->n = to->ncounters;
	return 0;
}

int cxr_ib_counters_get(struct ib_counters *ibcounters,
			const struct mlx5_ib_flow_counters_data *data, u32 *id)
{
	struct cxr_ib_counters *counters = to_cxr_counters(ibcounters);
	int err = 0;

	mutex_lock(&counters->lock);
	if (!counters->has_id)
		err = cxr_cmd_alloc_flow_counter(to_cxr_dev(ibcounters->device)->core,
						 &counters->id);
	counters->has_id = !err;
	err = err ?: set_points(counters, data);
	if (!err) {
		counters->users++;
		*id = counters->id;
	}
	mutex_unlock(&counters->lock);
	return err;
}

void cxr_ib_counters_put(struct ib_counters *ibcounters)
{
	struct cxr_ib_counters *counters = to_cxr_counters(ibcounters);

	mutex_lock(&counters->lock);
	counters->users--;
	mutex_unlock(&counters->lock);
}
