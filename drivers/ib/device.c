// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Attributes of the device and its port. */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_mad.h>

#include "queue.h"

static u64 fw_version(const struct cxr_core *core)
{
	return (u64)core->fw_major << 32 | (u32)core->fw_minor << 16 | core->fw_sub;
}

/* Data segments in the largest send WQE of a connected QP. */
static u32 max_send_sge(const struct cxr_caps *caps)
{
	u32 desc = min_t(u32, caps->max_wqe_sz_sq, CXR_IB_SQ_DESC_MAX);

	return (desc - sizeof(struct prm_wqe_ctrl_seg) - sizeof(struct prm_wqe_raddr_seg)) /
	       sizeof(struct prm_wqe_data_seg);
}

/*
 * Send requests that fit into the largest queue whatever the QP is: WQEs have one data segment and
 * the segments of an XRC request that changes a memory key, or of a datagram with headers to
 * segment; up to a power of two.
 */
static u32 max_send_wr(const struct cxr_caps *caps)
{
	u32 key = sizeof(struct prm_wqe_ctrl_seg) + sizeof(struct prm_wqe_xrc_seg) +
		  sizeof(struct prm_wqe_umr_ctrl_seg) + sizeof(struct prm_mkc);
	u32 blocks = roundup_pow_of_two(key + sizeof(struct prm_wqe_data_seg)) / CXR_WQE_BLOCK;

	return BIT(caps->log_max_qp_sz) / blocks;
}

/* What the port does and counts. */
static u64 port_flags(const struct cxr_caps *caps)
{
	return IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
	       IB_DEVICE_CHANGE_PHY_PORT |
	       (caps->bad_pkey_counter ? IB_DEVICE_BAD_PKEY_CNTR : 0) |
	       (caps->bad_qkey_counter ? IB_DEVICE_BAD_QKEY_CNTR : 0);
}

/* Raw packet QPs and RSS. */
static void fill_raw_attr(const struct cxr_caps *caps, struct ib_device_attr *attr)
{
	if (caps->vlan)
		attr->raw_packet_caps |= IB_RAW_PACKET_CAP_CVLAN_STRIPPING;
	if (caps->csum) {
		attr->raw_packet_caps |= IB_RAW_PACKET_CAP_IP_CSUM;
		attr->device_cap_flags |= IB_DEVICE_RAW_IP_CSUM;
	}
	if (cxr_ib_has_flows(caps))
		attr->device_cap_flags |= IB_DEVICE_MANAGED_FLOW_STEERING;
	if (cxr_ib_has_rss(caps)) {
		attr->rss_caps.max_rwq_indirection_tables = 1 << caps->log_max_rqt;
		attr->rss_caps.max_rwq_indirection_table_size =
			min_t(u32, 1 << caps->log_max_rqt_size, caps->rss_ind_tbl_max);
		attr->rss_caps.supported_qpts = BIT(IB_QPT_RAW_PACKET);
		attr->max_wq_type_rq = 1 << caps->log_max_rq;
	}
}

static u32 tunnel_offloads(const struct cxr_caps *caps)
{
	return (caps->tunnel_vxlan ? MLX5_IB_TUNNELED_OFFLOADS_VXLAN : 0) |
	       (caps->tunnel_gre ? MLX5_IB_TUNNELED_OFFLOADS_GRE : 0) |
	       (caps->tunnel_geneve_rx ? MLX5_IB_TUNNELED_OFFLOADS_GENEVE : 0) |
	       (caps->tunnel_mpls_gre ? MLX5_IB_TUNNELED_OFFLOADS_MPLS_GRE : 0) |
	       (caps->tunnel_mpls_udp ? MLX5_IB_TUNNELED_OFFLOADS_MPLS_UDP : 0);
}

static void fill_strides(const struct cxr_caps *caps, struct mlx5_ib_striding_rq_caps *to)
{
	to->min_single_stride_log_num_of_bytes = CXR_STRIDE_LOG_BYTES_MIN;
	to->max_single_stride_log_num_of_bytes = CXR_STRIDE_LOG_BYTES_MAX;
	to->min_single_wqe_log_num_of_strides = caps->few_strides ? CXR_LOG_STRIDES_FEW :
								    CXR_LOG_STRIDES_MIN;
	to->max_single_wqe_log_num_of_strides = CXR_LOG_STRIDES_MAX;
	to->supported_qpts = BIT(IB_QPT_RAW_PACKET);
}

/* The driver's part of the response, without which the library does neither RSS nor TSO. */
static int copy_resp_query_device(const struct cxr_caps *caps, struct ib_device *ibdev,
				  struct ib_udata *udata)
{
	static const struct cxr_ib_request request = { .what = "query device", .unknown = -EINVAL };
	struct mlx5_ib_query_device_resp resp = {};
	int err;

	err = cxr_ib_copy_req(ibdev, udata, &request, NULL);
	if (err)
		return err;
	if (!udata->outlen)
		return 0;
	if (udata->outlen < offsetofend(typeof(resp), response_length)) {
		ibdev_dbg(ibdev, "query device: response buffer of %zu bytes is too small\n",
			  udata->outlen);
		return -EINVAL;
	}

	resp.response_length = min(udata->outlen, sizeof(resp));
	if (cxr_ib_has_rss(caps)) {
		resp.rss_caps.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ;
		resp.rss_caps.rx_hash_fields_mask = cxr_ib_hash_fields();
	}
	if (caps->lso) {
		resp.tso_caps.max_tso = caps->max_lso;
		resp.tso_caps.supported_qpts = BIT(IB_QPT_RAW_PACKET);
	}
	if (caps->rates.n) {
		resp.packet_pacing_caps.qp_rate_limit_min = caps->rates.min;
		resp.packet_pacing_caps.qp_rate_limit_max = caps->rates.max;
		resp.packet_pacing_caps.supported_qpts = BIT(IB_QPT_RAW_PACKET);
		if (caps->rates.burst && caps->rates.typical)
			resp.packet_pacing_caps.cap_flags = MLX5_IB_PP_SUPPORT_BURST;
	}
	resp.tunnel_offloads_caps = tunnel_offloads(caps);
	if (caps->cqe_zip) {
		resp.cqe_comp_caps.max_num = caps->cqe_zip_max;
		resp.cqe_comp_caps.supported_format =
			MLX5_IB_CQE_RES_FORMAT_HASH | MLX5_IB_CQE_RES_FORMAT_CSUM |
			(caps->cqe_zip_stride ? MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX : 0);
	}
	resp.mlx5_ib_support_multi_pkt_send_wqes = (caps->mpw ? MLX5_IB_ALLOW_MPW : 0) |
						   (caps->enhanced_mpw ? MLX5_IB_SUPPORT_EMPW : 0);
	if (caps->striding_rq)
		fill_strides(caps, &resp.striding_rq_caps);
	/* The last one says that the driver takes the flag for targets, whatever the device can. */
	resp.flags = (caps->cqe_zip_128 ? MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_COMP : 0) |
		     (caps->cqe_padding ? MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD : 0) |
		     MLX5_IB_QUERY_DEV_RESP_FLAGS_SCAT2CQE_DCT;
	resp.dci_streams_caps.max_log_num_concurent = caps->dc_streams.channels;
	resp.dci_streams_caps.max_log_num_errored = caps->dc_streams.errored;
	return ib_copy_to_udata(udata, &resp, resp.response_length);
}

static void fill_mr_attr(const struct cxr_caps *caps, struct ib_device_attr *attr)
{
	attr->max_mr_size = ~0ull;
	attr->max_mr = 1 << caps->log_max_mkey;
	if (caps->imaicl) {
		attr->device_cap_flags |= IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B;
		attr->max_mw = attr->max_mr;
	}
	attr->max_fast_reg_page_list_len = cxr_ib_max_fast_reg(caps);
	if (!attr->max_fast_reg_page_list_len)
		return;
	attr->device_cap_flags |= IB_DEVICE_MEM_MGT_EXTENSIONS;
	/* READs into more pieces are for an MR: rdma_rw makes one without a look at the flag. */
	attr->max_sgl_rd = caps->max_sgl_for_optimized_performance;
}

/* Receive requests of the kernel cannot fault, as in-tree. */
static void fill_odp_attr(const struct cxr_caps *caps, struct ib_device_attr *attr, bool user)
{
	u32 recv = IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_SRQ_RECV;

	cxr_ib_odp_fill_caps(caps, &attr->odp_caps);
	if (caps->odp)
		attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	if (user)
		return;
	attr->odp_caps.per_transport_caps.rc_odp_caps &= ~recv;
	attr->odp_caps.per_transport_caps.ud_odp_caps &= ~recv;
	attr->odp_caps.per_transport_caps.xrc_odp_caps &= ~recv;
}

/* ib_core itself calls this without @udata. */
int cxr_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	const struct cxr_core *core = to_cxr_dev(ibdev)->core;
	const struct cxr_caps *caps = &core->caps;
	const struct cxr_limits limits = cxr_ib_limits(caps);

	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = fw_version(core);
	attr->sys_image_guid = core->sys_image_guid;
	attr->vendor_id = core->vendor_id;
	attr->vendor_part_id = core->pdev->device;
	attr->hw_ver = core->pdev->revision;
	attr->device_cap_flags = port_flags(caps);
	attr->page_size_cap = ~0ull << caps->log_pg_sz;
	attr->max_qp = 1 << caps->log_max_qp;
	attr->max_qp_wr = max_send_wr(caps);
	attr->max_send_sge = max_send_sge(caps);
	attr->max_recv_sge = caps->max_wqe_sz_rq / sizeof(struct prm_wqe_data_seg);
	attr->max_sge_rd = attr->max_send_sge;
	attr->max_cq = 1 << caps->log_max_cq;
	attr->max_cqe = (1 << caps->log_max_cq_sz) - 1;
	if (caps->log_max_srq) {
		attr->max_srq = 1 << caps->log_max_srq;
		attr->max_srq_wr = (1 << caps->log_max_srq_sz) - 1;
		attr->max_srq_sge = cxr_limits_srq_sges(&limits);
	}
	if (caps->xrc)
		attr->device_cap_flags |= IB_DEVICE_XRC;
	if (caps->block_lb_mc)
		attr->kernel_cap_flags |= IBK_BLOCK_MULTICAST_LOOPBACK;
	attr->max_pd = 1 << caps->log_max_pd;
	attr->max_ah = INT_MAX;
	attr->max_qp_rd_atom = 1 << caps->log_max_ra_req_qp;
	attr->max_qp_init_rd_atom = 1 << caps->log_max_ra_res_qp;
	attr->max_res_rd_atom = attr->max_qp_rd_atom * attr->max_qp;
	attr->local_ca_ack_delay = caps->local_ca_ack_delay;
	attr->atomic_cap = caps->atomic ? IB_ATOMIC_HCA : IB_ATOMIC_NONE;
	attr->masked_atomic_cap = IB_ATOMIC_NONE;
	attr->max_pkeys = 1;
	attr->max_mcast_grp = 1 << caps->log_max_mcg;
	attr->max_mcast_qp_attach = caps->max_qp_mcg;
	attr->max_total_mcast_qp_attach = attr->max_mcast_grp * attr->max_mcast_qp_attach;
	/* Of completions, whether processes can map the clock or not. */
	attr->timestamp_mask = GENMASK_ULL(62, 0);
	attr->hca_core_clock = caps->device_frequency_khz;
	if (caps->cq_moderation) {
		attr->cq_caps.max_cq_moderation_count = U16_MAX;
		attr->cq_caps.max_cq_moderation_period = CXR_CQ_PERIOD_MAX;
	}
	attr->max_dm_size = caps->memic_max;
	fill_mr_attr(caps, attr);
	fill_odp_attr(caps, attr, udata);
	fill_raw_attr(caps, attr);
	return udata ? copy_resp_query_device(caps, ibdev, udata) : 0;
}

/*
 * Not ib_get_eth_speed(): before 6.6 it returns 100 Gb/s for everything above 40. An unknown speed
 * counts as the lowest.
 */
static void fill_rate(struct net_device *ndev, struct ib_port_attr *attr)
{
	struct ethtool_link_ksettings settings = {};
	struct cxr_path_rate rate;
	int err;

	rtnl_lock();
	err = ndev->reg_state == NETREG_REGISTERED ?
	      __ethtool_get_link_ksettings(ndev, &settings) : -ENODEV;
	rtnl_unlock();
	if (err || settings.base.speed == (u32)SPEED_UNKNOWN)
		settings.base.speed = 0;
	rate = cxr_path_rate(settings.base.speed, settings.lanes);
	attr->active_width = rate.width;
	attr->active_speed = rate.speed;
}

/* A device that does not answer has a port all the same. */
static u16 count_bad_qkeys(struct cxr_ib_dev *dev)
{
	struct cxr_vport vport;

	return cxr_cmd_query_vport(dev->core, &vport) ? 0 : vport.bad_qkeys;
}

int cxr_ib_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);
	const struct cxr_caps *caps = &dev->core->caps;
	struct net_device *ndev;

	if (port != CXR_IB_PORT) {
		ibdev_dbg(ibdev, "query port: invalid port %u\n", port);
		return -EINVAL;
	}

	/* ib_core has zeroed @attr: Ethernet has no LIDs and no subnet manager. */
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->ip_gids = true;
	attr->gid_tbl_len = cxr_ib_gid_tbl_len(dev);
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = 1u << caps->log_max_msg;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_256;
	attr->max_vl_num = 1;
	attr->state = IB_PORT_DOWN;
	attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	attr->qkey_viol_cntr = count_bad_qkeys(dev);

	ndev = cxr_ib_get_netdev(dev);
	if (!ndev)
		return 0;

	attr->active_mtu = ib_mtu_int_to_enum(cxr_path_mtu(READ_ONCE(ndev->mtu)));
	if (netif_running(ndev) && netif_carrier_ok(ndev)) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
		fill_rate(ndev, attr);
	}
	dev_put(ndev);
	return 0;
}

static u32 core_cap_flags(const struct cxr_mode_grant *roce)
{
	u32 flags = RDMA_CORE_PORT_RAW_PACKET;

	if (cxr_roce_mode_has_v1(roce->mode))
		flags |= RDMA_CORE_PORT_IBA_ROCE;
	if (cxr_roce_mode_has_v2(roce->mode))
		flags |= RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	return flags;
}

int cxr_ib_get_port_immutable(struct ib_device *ibdev, u32 port, struct ib_port_immutable *imm)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);

	imm->core_cap_flags = core_cap_flags(&dev->core->roce);
	imm->gid_tbl_len = cxr_ib_gid_tbl_len(dev);
	imm->pkey_tbl_len = 1;
	imm->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer cxr_ib_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

int cxr_ib_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index) {
		ibdev_dbg(ibdev, "query pkey: invalid index %u: a RoCE port has one pkey\n", index);
		return -EINVAL;
	}

	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

int cxr_ib_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibdev);
	int err;

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;

	err = cxr_cmd_set_node_desc(dev->core, (const u8 *)modify->node_desc);
	if (err)
		return err;

	memcpy(ibdev->node_desc, modify->node_desc, IB_DEVICE_NODE_DESC_MAX);
	return 0;
}

void cxr_ib_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	const struct cxr_core *core = to_cxr_dev(ibdev)->core;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%04u", core->fw_major, core->fw_minor,
		 core->fw_sub);
}

/*
 * What `rdma -r resource show' asks for is an object as the device keeps it, of a register that the
 * driver does not use. Without these operations ib_core says -EINVAL.
 */
int cxr_ib_fill_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp)
{
	return -EOPNOTSUPP;
}

int cxr_ib_fill_res_cq_raw(struct sk_buff *msg, struct ib_cq *ibcq)
{
	return -EOPNOTSUPP;
}

int cxr_ib_fill_res_mr_raw(struct sk_buff *msg, struct ib_mr *ibmr)
{
	return -EOPNOTSUPP;
}

int cxr_ib_fill_res_srq_raw(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	return -EOPNOTSUPP;
}

static const struct cxr_core *dev_core(struct device *device)
{
	return rdma_device_to_drv_device(device, struct cxr_ib_dev, ibdev)->core;
}

static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%x\n", dev_core(device)->pdev->revision);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "MT%u\n", dev_core(device)->pdev->device);
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_core(device)->board_id);
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *cxr_ib_attrs[] = {
	&dev_attr_hw_rev.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_board_id.attr,
	NULL
};

const struct attribute_group cxr_ib_attr_group = {
	.attrs = cxr_ib_attrs,
};
