/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What ib_core calls, by the file that has it: contracts are those of struct ib_device_ops. */
#ifndef CXR_IB_VERBS_H
#define CXR_IB_VERBS_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

/* device.c */
int cxr_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata);
int cxr_ib_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
int cxr_ib_get_port_immutable(struct ib_device *ibdev, u32 port, struct ib_port_immutable *imm);
enum rdma_link_layer cxr_ib_get_link_layer(struct ib_device *ibdev, u32 port);
int cxr_ib_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int cxr_ib_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify);
void cxr_ib_get_dev_fw_str(struct ib_device *ibdev, char *str);
int cxr_ib_fill_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp);
int cxr_ib_fill_res_cq_raw(struct sk_buff *msg, struct ib_cq *ibcq);
int cxr_ib_fill_res_mr_raw(struct sk_buff *msg, struct ib_mr *ibmr);
int cxr_ib_fill_res_srq_raw(struct sk_buff *msg, struct ib_srq *ibsrq);

/* context.c */
int cxr_ib_alloc_ucontext(struct ib_ucontext *ibucontext, struct ib_udata *udata);
void cxr_ib_dealloc_ucontext(struct ib_ucontext *ibucontext);
int cxr_ib_query_ucontext(struct ib_ucontext *ibucontext, struct uverbs_attr_bundle *attrs);
void cxr_ib_disassociate_ucontext(struct ib_ucontext *ibucontext);
int cxr_ib_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma);
void cxr_ib_mmap_free(struct rdma_user_mmap_entry *entry);

/* pd_ah.c */
int cxr_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int cxr_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int cxr_ib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr, struct ib_udata *udata);
int cxr_ib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *ah);
int cxr_ib_destroy_ah(struct ib_ah *ibah, u32 flags);

/* mr.c */
struct ib_mr *cxr_ib_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *cxr_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 virt_addr,
				 int access CXR_REG_MR_DMAH_PARAM, struct ib_udata *udata);
struct ib_mr *cxr_ib_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 virt_addr,
					int fd, int access CXR_REG_MR_DMAH_PARAM,
					cxr_reg_dmabuf_arg *arg);
struct ib_mr *cxr_ib_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				   int access, struct ib_pd *new_pd, struct ib_udata *udata);
struct ib_mr *cxr_ib_reg_dm_mr(struct ib_pd *ibpd, struct ib_dm *ibdm, struct ib_dm_mr_attr *attr,
			       struct uverbs_attr_bundle *attrs);
struct ib_mr *cxr_ib_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg);
int cxr_ib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset);
int cxr_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int cxr_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int cxr_ib_dealloc_mw(struct ib_mw *ibmw);

/* cq.c */
int cxr_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     cxr_create_cq_arg(arg));
int cxr_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int cxr_ib_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int cxr_ib_resize_cq(struct ib_cq *ibcq, cxr_resize_cq_count entries, struct ib_udata *udata);

/* poll.c */
int cxr_ib_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc);
int cxr_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

/* srq.c */
int cxr_ib_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata);
int cxr_ib_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int cxr_ib_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata);
int cxr_ib_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int cxr_ib_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr);

/* wq.c */
struct ib_wq *cxr_ib_create_wq(struct ib_pd *ibpd, struct ib_wq_init_attr *attr,
			       struct ib_udata *udata);
int cxr_ib_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata);
int cxr_ib_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
		     struct ib_udata *udata);
int cxr_ib_create_ind_table(struct ib_rwq_ind_table *ibtable,
			    struct ib_rwq_ind_table_init_attr *attr, struct ib_udata *udata);
int cxr_ib_destroy_ind_table(struct ib_rwq_ind_table *ibtable);

/* dm.c */
struct ib_dm *cxr_ib_alloc_dm(struct ib_device *ibdev, struct ib_ucontext *ctx,
			      struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs);
int cxr_ib_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs);

/* flow.c */
struct ib_flow *cxr_ib_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				   struct ib_udata *udata);
int cxr_ib_destroy_flow(struct ib_flow *ibflow);

/* flow_counter.c */
int cxr_ib_create_counters(struct ib_counters *ibcounters, struct uverbs_attr_bundle *attrs);
int cxr_ib_destroy_counters(struct ib_counters *ibcounters);
int cxr_ib_read_counters(struct ib_counters *ibcounters, struct ib_counters_read_attr *attr,
			 struct uverbs_attr_bundle *attrs);

/* qp.c */
int cxr_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int cxr_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* mcast.c */
int cxr_ib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
/* Never fails. */
int cxr_ib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* qp_state.c */
int cxr_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int cxr_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init);
int cxr_ib_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);

/* wr.c */
int cxr_ib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr);
int cxr_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr);

/* gid.c */
int cxr_ib_add_gid(const struct ib_gid_attr *attr, void **context);
int cxr_ib_del_gid(const struct ib_gid_attr *attr, void **context);

/* xrc.c */
int cxr_ib_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int cxr_ib_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

/* event.c */
void cxr_ib_report_port_event(struct ib_device *ibdev, struct net_device *ndev,
			      unsigned long event);

#endif
