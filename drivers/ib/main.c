// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The auxiliary driver: registers and unregisters the RDMA device. */
#include <linux/module.h>
#include <rdma/lag.h>

#include "queue.h"

static const struct ib_device_ops cxr_ib_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_MLX5,
	.uverbs_abi_ver = MLX5_IB_UVERBS_ABI_VERSION,
	.device_group = &cxr_ib_attr_group,

	.query_device = cxr_ib_query_device,
	.query_port = cxr_ib_query_port,
	.get_port_immutable = cxr_ib_get_port_immutable,
	.get_link_layer = cxr_ib_get_link_layer,
	CXR_REPORT_PORT_EVENT_OP(cxr_ib_report_port_event)
	.query_pkey = cxr_ib_query_pkey,
	.modify_device = cxr_ib_modify_device,
	.get_dev_fw_str = cxr_ib_get_dev_fw_str,

	.alloc_ucontext = cxr_ib_alloc_ucontext,
	.dealloc_ucontext = cxr_ib_dealloc_ucontext,
	.query_ucontext = cxr_ib_query_ucontext,
	.disassociate_ucontext = cxr_ib_disassociate_ucontext,
	.mmap = cxr_ib_mmap,
	.mmap_free = cxr_ib_mmap_free,

	.alloc_pd = cxr_ib_alloc_pd,
	.dealloc_pd = cxr_ib_dealloc_pd,
	.alloc_xrcd = cxr_ib_alloc_xrcd,
	.dealloc_xrcd = cxr_ib_dealloc_xrcd,
	.create_ah = cxr_ib_create_ah,
	.create_user_ah = cxr_ib_create_ah,
	.query_ah = cxr_ib_query_ah,
	.destroy_ah = cxr_ib_destroy_ah,
	.get_dma_mr = cxr_ib_get_dma_mr,
	.reg_user_mr = cxr_ib_reg_user_mr,
	.reg_user_mr_dmabuf = cxr_ib_reg_user_mr_dmabuf,
	.rereg_user_mr = cxr_ib_rereg_user_mr,
	.alloc_mr = cxr_ib_alloc_mr,
	.map_mr_sg = cxr_ib_map_mr_sg,
	.dereg_mr = cxr_ib_dereg_mr,
	.alloc_mw = cxr_ib_alloc_mw,
	.dealloc_mw = cxr_ib_dealloc_mw,

	.create_cq = cxr_ib_create_cq,
	.modify_cq = cxr_ib_modify_cq,
	.CXR_OP_RESIZE_CQ = cxr_ib_resize_cq,
	.destroy_cq = cxr_ib_destroy_cq,
	.poll_cq = cxr_ib_poll_cq,
	.req_notify_cq = cxr_ib_req_notify_cq,

	.create_srq = cxr_ib_create_srq,
	.modify_srq = cxr_ib_modify_srq,
	.query_srq = cxr_ib_query_srq,
	.destroy_srq = cxr_ib_destroy_srq,
	.post_srq_recv = cxr_ib_post_srq_recv,

	.create_qp = cxr_ib_create_qp,
	.modify_qp = cxr_ib_modify_qp,
	.query_qp = cxr_ib_query_qp,
	.destroy_qp = cxr_ib_destroy_qp,
	.fill_res_qp_entry = cxr_ib_fill_res_qp_entry,
	.fill_res_qp_entry_raw = cxr_ib_fill_res_qp_raw,
	.fill_res_cq_entry_raw = cxr_ib_fill_res_cq_raw,
	.fill_res_mr_entry_raw = cxr_ib_fill_res_mr_raw,
	CXR_RES_SRQ_RAW_OP(cxr_ib_fill_res_srq_raw)
	.post_send = cxr_ib_post_send,
	.post_recv = cxr_ib_post_recv,
	.create_wq = cxr_ib_create_wq,
	.modify_wq = cxr_ib_modify_wq,
	.destroy_wq = cxr_ib_destroy_wq,
	.create_rwq_ind_table = cxr_ib_create_ind_table,
	.destroy_rwq_ind_table = cxr_ib_destroy_ind_table,
	.create_flow = cxr_ib_create_flow,
	.destroy_flow = cxr_ib_destroy_flow,
	.create_counters = cxr_ib_create_counters,
	.destroy_counters = cxr_ib_destroy_counters,
	.read_counters = cxr_ib_read_counters,
	.attach_mcast = cxr_ib_attach_mcast,
	.detach_mcast = cxr_ib_detach_mcast,

	.add_gid = cxr_ib_add_gid,
	.del_gid = cxr_ib_del_gid,

	.size_ib_mw = sizeof(struct ib_mw),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, cxr_ib_ucontext, ibucontext),
	INIT_RDMA_OBJ_SIZE(ib_pd, cxr_ib_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_ah, cxr_ib_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, cxr_ib_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_qp, cxr_ib_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, cxr_ib_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, cxr_ib_xrcd, ibxrcd),
	INIT_RDMA_OBJ_SIZE(ib_counters, cxr_ib_counters, ibcounters),
	INIT_RDMA_OBJ_SIZE(ib_rwq_ind_table, cxr_ib_ind_table, ibtable),
};

static const struct ib_device_ops memory_ops = {
	.alloc_dm = cxr_ib_alloc_dm,
	.dealloc_dm = cxr_ib_dealloc_dm,
	.reg_dm_mr = cxr_ib_reg_dm_mr,
};

static void init_ibdev(struct cxr_ib_dev *dev)
{
	struct ib_device *ibdev = &dev->ibdev;
	struct cxr_core *core = dev->core;

	/* Tools read the PCI ids of the parent: it is the function, not the auxiliary device. */
	ibdev->dev.parent = core->dev;
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->node_guid = core->node_guid;
	ibdev->phys_port_cnt = CXR_IB_PORT;
	ibdev->num_comp_vectors = core->comp_vectors;
	ib_set_device_ops(ibdev, &cxr_ib_ops);
	if (core->caps.memic_size)
		ib_set_device_ops(ibdev, &memory_ops);
	if (IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING) && core->caps.odp)
		ib_set_device_ops(ibdev, &cxr_ib_odp_ops);
	ibdev->driver_def = cxr_ib_uapi_defs;
	/* ib_core then asks the bond which slave a flow label leads to. */
	if (core->lag && !core->lag->ecmp)
		ibdev->lag_flags = RDMA_LAG_FLAGS_HASH_ALL_SLAVES;

	if (cxr_cmd_get_node_desc(core, (u8 *)ibdev->node_desc))
		strscpy(ibdev->node_desc, "cxr", sizeof(ibdev->node_desc));
	ibdev->node_desc[sizeof(ibdev->node_desc) - 1] = '\0';
}

/* ---- stages, see stage.h --------------------------------------------------------------------- */

static int uar_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	dev->uar = cxr_uar_alloc(dev->core);
	if (IS_ERR(dev->uar))
		return PTR_ERR(dev->uar);

	dev->bf = cxr_ib_test_wc(dev);
	return 0;
}

static void uar_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	cxr_uar_free(dev->core, dev->uar);
}

/* The address table takes entries only while RoCE is on. */
static int roce_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	return cxr_cmd_set_vport_roce(dev->core, true);
}

static void roce_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	cxr_cmd_set_vport_roce(dev->core, false);
}

/* Delivers the netdev, if cxr_en has one: ib_core needs it before the registration. */
static int client_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	cxr_client_register(dev->core, CXR_CLIENT_IB, &cxr_ib_client_ops, dev);
	return 0;
}

static void client_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	cxr_client_unregister(dev->core, CXR_CLIENT_IB);
	cancel_work_sync(&dev->flush_work);
}

static void device_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	mutex_lock(&dev->scan_lock);
	cxr_ib_unwatch_netdev(dev);
	dev->registered = false;
	mutex_unlock(&dev->scan_lock);
	/*
	 * Drains the QPs. If the device dies meanwhile, that needs the fatal callback, and so the
	 * client.
	 */
	ib_unregister_device(&dev->ibdev);
}

/*
 * ib_core scans for GIDs early in the registration, and in 6.1 sees new addresses only after it:
 * another scan finds those that came in between. On all kernels it also finds those of a netdev
 * that came meanwhile: the callback found @registered not set.
 */
static int device_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	int err;

	err = ib_register_device(&dev->ibdev, dev->core->lag ? "mlx5_bond_%d" : "mlx5_%d",
				 dev->core->dev);
	if (err)
		return err;

	mutex_lock(&dev->scan_lock);
	cxr_ib_set_registered(dev);
	rdma_roce_rescan_device(&dev->ibdev);
	err = cxr_ib_watch_netdev(dev);
	mutex_unlock(&dev->scan_lock);
	if (err)
		device_down(dev);
	return err;
}

static const struct cxr_stage stages[] = {
	CXR_IB_STAGES(CXR_STAGE)
};

/* ---- probe and remove ------------------------------------------------------------------------ */

static void free_ibdev(struct cxr_ib_dev *dev)
{
	if (dev->netdev)
		dev_put(dev->netdev);
	cxr_ib_force_free(dev);
	xa_destroy(&dev->dc_targets);
	xa_destroy(&dev->event_targets);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->qps);
	mutex_destroy(&dev->force_lock);
	mutex_destroy(&dev->umr_lock);
	mutex_destroy(&dev->xrc_lock);
	mutex_destroy(&dev->scan_lock);
	mutex_destroy(&dev->kcq_lock);
	ib_dealloc_device(&dev->ibdev);
}

static int cxr_ib_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	struct cxr_core *core = to_cxr_core(adev);
	struct cxr_ib_dev *dev;
	int err;

	dev = ib_alloc_device(cxr_ib_dev, ibdev);
	if (!dev)
		return -ENOMEM;

	dev->core = core;
	xa_init_flags(&dev->qps, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&dev->srqs, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&dev->event_targets, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&dev->dc_targets, XA_FLAGS_LOCK_IRQ);
	mutex_init(&dev->xrc_lock);
	mutex_init(&dev->loopback_lock);
	mutex_init(&dev->umr_lock);
	mutex_init(&dev->force_lock);
	mutex_init(&dev->kcq_lock);
	context_unsafe(INIT_LIST_HEAD(&dev->kcqs));
	INIT_WORK(&dev->flush_work, cxr_ib_flush_work);
	spin_lock_init(&dev->dm_lock);
	spin_lock_init(&dev->netdev_lock);
	mutex_init(&dev->scan_lock);
	init_ibdev(dev);

	dev->stages = CXR_STAGES_DOWN(stages, dev, core->dev);
	err = cxr_stages_up(&dev->stages, 0);
	if (err)
		goto err_dealloc;

	auxiliary_set_drvdata(adev, dev);
	cxr_ib_debugfs_add(dev);
	return 0;

err_dealloc:
	free_ibdev(dev);
	return err;
}

static void cxr_ib_remove(struct auxiliary_device *adev)
{
	struct cxr_ib_dev *dev = auxiliary_get_drvdata(adev);

	cxr_ib_debugfs_remove(dev);
	cxr_stages_down(&dev->stages, 0);
	free_ibdev(dev);
}

static const struct auxiliary_device_id cxr_ib_ids[] = {
	{ .name = "cxr_core." CXR_AUX_IB },
	{ }
};
MODULE_DEVICE_TABLE(auxiliary, cxr_ib_ids);

static struct auxiliary_driver cxr_ib_driver = {
	.name = "cxr_ib",
	.probe = cxr_ib_probe,
	.remove = cxr_ib_remove,
	.id_table = cxr_ib_ids,
};
module_auxiliary_driver(cxr_ib_driver);

MODULE_DESCRIPTION("RoCE device of ConnectX adapters");
MODULE_LICENSE("Dual BSD/GPL");
