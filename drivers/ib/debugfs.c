// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* /sys/kernel/debug/cxr/<PCI name>/qps: type, state and LAG port of each QP. */

#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/xarray.h>

#include "queue.h"

static const char *const types[] = {
	[CXR_QP_RC] = "RC", [CXR_QP_UC] = "UC", [CXR_QP_UD] = "UD", [CXR_QP_GSI] = "GSI",
	[CXR_QP_XRC] = "XRC", [CXR_QP_DCI] = "DCI",
};

static const char *const states[] = {
	[IB_QPS_RESET] = "RESET", [IB_QPS_INIT] = "INIT", [IB_QPS_RTR] = "RTR",
	[IB_QPS_RTS] = "RTS", [IB_QPS_SQD] = "SQD", [IB_QPS_SQE] = "SQE", [IB_QPS_ERR] = "ERR",
};

/* One QP at a time, since the lock disables interrupts. Its state may be outdated. */
static bool show_next(struct seq_file *s, struct cxr_ib_dev *dev, unsigned long *qpn)
{
	enum cxr_qp_type type = 0;
	enum ib_qp_state state = 0;
	struct cxr_ib_qp *qp;
	u8 port = 0;

	xa_lock_irq(&dev->qps);
	qp = xa_find(&dev->qps, qpn, ULONG_MAX, XA_PRESENT);
	if (qp) {
		type = qp->type;
		state = READ_ONCE(qp->state);
		port = READ_ONCE(qp->lag_port);
	}
	xa_unlock_irq(&dev->qps);
	if (!qp)
		return false;

	seq_printf(s, "%#lx %s %s", *qpn, types[type], states[state]);
	if (port)
		seq_printf(s, " port %u", port);
	seq_putc(s, '\n');
	return true;
}

static int qps_show(struct seq_file *s, void *unused)
{
	unsigned long qpn = 0;

	while (show_next(s, s->private, &qpn))
		qpn++;
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qps);

void cxr_ib_debugfs_add(struct cxr_ib_dev *dev)
{
	dev->debugfs = debugfs_create_file("qps", 0400, dev->core->debugfs, dev, &qps_fops);
}

void cxr_ib_debugfs_remove(struct cxr_ib_dev *dev)
{
	debugfs_remove(dev->debugfs);
}
