// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Protection domains and address handles. */
#include <linux/sched.h>

#include "ib.h"

int cxr_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibpd->device);
	struct cxr_ib_pd *pd = to_cxr_pd(ibpd);
	struct mlx5_ib_alloc_pd_resp resp = {};
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	int err;

	pd->uid = ctx ? ctx->uid : 0;
	err = cxr_cmd_alloc_pd(dev->core, pd->uid, &pd->pdn);
	if (err || !udata)
		return cxr_ib_errno(err, udata);

	resp.pdn = pd->pdn;
	err = ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
	if (err)
		cxr_cmd_dealloc_pd(dev->core, pd->uid, pd->pdn);
	return err;
}

int cxr_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct cxr_ib_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_pd *pd = to_cxr_pd(ibpd);
	int err;

	cxr_ib_devx_settle(ctx);
	err = cxr_cmd_dealloc_pd(to_cxr_dev(ibpd->device)->core, pd->uid, pd->pdn);
	return cxr_ib_devx_holds(ctx) ? err : 0;
}

/*
 * A program that is refused an address gets an errno that can mean anything. The reason is logged
 * where an operator looks for it.
 */
#define warn_refused(dev, fmt, ...)							\
	ibdev_warn_ratelimited(&(dev)->ibdev, "address of %s[%d] refused: " fmt,	\
			       current->comm, task_pid_nr(current), ##__VA_ARGS__)

int cxr_ib_addr_from_ah(struct cxr_ib_dev *dev, const struct rdma_ah_attr *ah, u32 local_qpn,
			u32 remote_qpn, struct cxr_addr *addr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	struct cxr_tclass_path path;
	struct cxr_path_in in = {};
	int err;

	if (ah->type != RDMA_AH_ATTR_TYPE_ROCE || !(rdma_ah_get_ah_flags(ah) & IB_AH_GRH)) {
		warn_refused(dev, "it has no GRH\n");
		return -EINVAL;
	}
	if (rdma_ah_get_port_num(ah) != CXR_IB_PORT || !grh->sgid_attr ||
	    grh->sgid_index >= cxr_ib_gid_tbl_len(dev)) {
		warn_refused(dev, "its port %u or source GID index %u of %u is invalid\n",
			     rdma_ah_get_port_num(ah), grh->sgid_index, cxr_ib_gid_tbl_len(dev));
		return -EINVAL;
	}

	cxr_ib_force_path(ah, &path);
	in.type = path.type;
	in.traffic_class = cxr_ib_force_tclass(dev, &path);
	in.flow_label = grh->flow_label;
	in.sl = rdma_ah_get_sl(ah);
	in.hop_limit = grh->hop_limit;
	in.forced_hop_limit = READ_ONCE(dev->ttl);
	in.local_qpn = local_qpn;
	in.remote_qpn = remote_qpn;
	cxr_path_decide(&in, &addr->path);
	err = cxr_path_static_rate(rdma_ah_get_static_rate(ah), dev->core->caps.static_rates,
				   &addr->static_rate);
	if (err) {
		warn_refused(dev, "there is no static rate %u\n", rdma_ah_get_static_rate(ah));
		return err;
	}

	memcpy(addr->dgid, grh->dgid.raw, sizeof(addr->dgid));
	memcpy(addr->dmac, ah->roce.dmac, sizeof(addr->dmac));
	addr->sgid_index = grh->sgid_index;
	addr->port = CXR_IB_PORT;
	return 0;
}

void cxr_ib_addr_to_ah(const struct cxr_addr *addr, u8 port, struct rdma_ah_attr *ah)
{
	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(ah, port);
	rdma_ah_set_sl(ah, addr->path.prio);
	rdma_ah_set_static_rate(ah, cxr_path_ib_rate(addr->static_rate));
	rdma_ah_set_grh(ah, NULL, addr->path.flow_label, addr->sgid_index, addr->path.hop_limit,
			addr->path.traffic_class);
	rdma_ah_set_dgid_raw(ah, (void *)addr->dgid);
	memcpy(ah->roce.dmac, addr->dmac, sizeof(ah->roce.dmac));
}

/*
 * Enforces ud_gid_type, but not for GSI: its responses have the GID type of the request. The AHs of
 * GSI, also those of ib_umad, are in the PD of the GSI QP.
 */
static int check_ud_type(const struct cxr_ib_dev *dev, const struct ib_ah *ibah,
			 const struct rdma_ah_attr *ah)
{
	const struct ib_gid_attr *gid = rdma_ah_read_grh(ah)->sgid_attr;
	enum cxr_ud_gid_type type = dev->core->ud_gid_type;
	bool v2 = gid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP;

	if (cxr_ud_gid_type_allows(type, v2) || ibah->pd == READ_ONCE(dev->gsi_pd))
		return 0;
	warn_refused(dev, "its GID %u is of RoCE %s, and ud_gid_type is %s\n", gid->index,
		     v2 ? "v2" : "v1", cxr_param_name(&cxr_ud_gid_type_spec, type));
	return -EINVAL;
}

/* User space builds the address vector itself; it only lacks the MAC that ib_core resolved. */
static int copy_resp_ah(const struct rdma_ah_attr *ah, struct ib_udata *udata)
{
	struct mlx5_ib_create_ah_resp resp = {};

	if (!udata || !udata->outlen)
		return 0;

	resp.response_length = min(udata->outlen, offsetofend(typeof(resp), dmac));
	memcpy(resp.dmac, ah->roce.dmac, sizeof(resp.dmac));
	return ib_copy_to_udata(udata, &resp, resp.response_length);
}

int cxr_ib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibah->device);
	struct cxr_addr addr = {};
	int err;

	err = cxr_ib_addr_from_ah(dev, attr->ah_attr, 0, 0, &addr);
	if (err)
		return err;
	err = check_ud_type(dev, ibah, attr->ah_attr);
	if (err)
		return err;

	err = copy_resp_ah(attr->ah_attr, udata);
	if (err) {
		warn_refused(dev, "the response cannot be copied to user space\n");
		return err;
	}

	cxr_av_encode(&to_cxr_ah(ibah)->av, &addr);
	to_cxr_ah(ibah)->sgid_index = addr.sgid_index;
	cxr_ib_gid_get(dev, addr.sgid_index);
	return 0;
}

/* ib_mad asks for it, under a spinlock, to find the request that an answer belongs to. */
int cxr_ib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *ah)
{
	struct cxr_addr addr;

	cxr_av_decode(&to_cxr_ah(ibah)->av, &addr);
	memset(ah, 0, sizeof(*ah));
	cxr_ib_addr_to_ah(&addr, CXR_IB_PORT, ah);
	return 0;
}

/* The device has no AH objects. */
int cxr_ib_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	cxr_ib_gid_put(to_cxr_dev(ibah->device), to_cxr_ah(ibah)->sgid_index);
	return 0;
}
