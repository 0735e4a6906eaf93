/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Queues of the RDMA device: CQs, SRQs, WQs and QPs. */
#ifndef CXR_IB_QUEUE_H
#define CXR_IB_QUEUE_H

#include "ib.h"

/* CQ of the driver's own, polled and never armed. */
struct cxr_ib_internal_cq {
	struct cxr_cq cq;
	struct cxr_buf buf;
	struct cxr_db db;
	u8 log_size;
	u32 ci;
};

/* xrc.c: an SRQ that never receives. */
struct cxr_ib_default_srq {
	bool xrc;
	u32 srqn;
	struct cxr_buf buf;
	struct cxr_db db;
};

/*
 * xrc.c: objects that an XRC QP must have for the device, and its owner does not. Never used. So
 * has an initiator of DC transport, with an SRQ of its own, created for the first one.
 */
struct cxr_ib_xrc_defaults {
	u32 pdn;
	u32 xrcd;
	struct cxr_ib_internal_cq cq;
	struct cxr_ib_default_srq srq;
	struct cxr_ib_default_srq dci_srq;
	bool has_dci_srq;
};

/**
 * struct cxr_ib_cq - completion queue
 * @ibcq: of ib_core
 * @cq: of the core
 * @lock: protects @ci, @last_qp, @send_qps, @recv_qps, the CQEs in @buf, and of the QPs that
 *        complete here cxr_ib_wq.tail and cxr_ib_qp.peer; never two at a time
 * @ci: consumer index
 * @last_qp: kernel QP of the last completion, or NULL: it was destroyed, or there was none
 * @log_size: in CQEs
 * @arm_sn: completion events so far: the device ignores an arm with an old number; written by the
 *          event handler alone
 * @buf: CQEs of a kernel CQ
 * @db: doorbell record of @buf
 * @send_qps: kernel QPs whose sends complete here
 * @recv_qps: kernel QPs whose receives complete here
 * @kcq_entry: in cxr_ib_dev.kcqs
 * @cqe_size: of its CQEs
 * @resize_lock: protects @queue and @log_size of a user CQ
 * @queue: CQEs of a user CQ
 * @user_db: doorbell record of @queue
 * @uar: UAR of a user CQ; NULL: a CQ of the kernel
 */
struct cxr_ib_cq {
	struct ib_cq ibcq;
	struct cxr_cq cq;
	spinlock_t lock;		/* polling */
	u32 ci __guarded_by(&lock);
	struct cxr_ib_qp *last_qp __guarded_by(&lock);
	u8 log_size;			/* user CQ: resize_lock; kernel CQ: constant */
	u32 arm_sn;
	struct cxr_buf buf;
	struct cxr_db db;
	struct list_head send_qps __guarded_by(&lock);
	struct list_head recv_qps __guarded_by(&lock);
	struct list_head kcq_entry;	/* cxr_ib_dev.kcq_lock */
	enum cxr_cqe_size cqe_size;
	struct mutex resize_lock;	/* resizing */
	struct cxr_ib_queue queue __guarded_by(&resize_lock);
	struct cxr_ib_db user_db;
	struct cxr_ib_uar *uar;
};

/**
 * struct cxr_ib_srq - shared receive queue
 * @ibsrq: of ib_core
 * @srqn: its number
 * @uid: user context of its PD, but for XRC
 * @log_size: in WQEs, one of which is never posted
 * @log_stride: of a WQE in bytes
 * @max_sge: of a work request
 * @ref: events in flight, plus one
 * @unused: @ref dropped to zero
 * @lock: protects @wrid, @posted, @head, @tail and the WQEs in @buf
 * @wrid: wr_id by WQE
 * @posted: WQEs posted so far
 * @head: next WQE to post
 * @tail: last free WQE
 * @buf: WQEs of a kernel SRQ
 * @db: doorbell record of @buf
 * @queue: WQEs of a user SRQ
 * @user_db: doorbell record of @queue
 */
struct cxr_ib_srq {
	struct ib_srq ibsrq;
	u32 srqn;
	u16 uid;
	u8 log_size;
	u8 log_stride;
	u8 max_sge;
	refcount_t ref;
	struct completion unused;
	spinlock_t lock;		/* posting and completion */
	u64 *wrid __guarded_by(&lock);
	u32 posted __guarded_by(&lock);
	u32 head __guarded_by(&lock);
	u32 tail __guarded_by(&lock);
	struct cxr_buf buf;
	struct cxr_db db;
	struct cxr_ib_queue queue;
	struct cxr_ib_db user_db;
};

/**
 * struct cxr_ib_wq - send or receive queue of a QP
 * @lock: serializes posting; protects writes to @head and the slots between @head and @tail
 * @wrid: by slot: wr_id of the work request that begins there
 * @next: sends, by slot: position after the work request
 * @wc_opcode: sends, by slot: opcode of the completion
 * @head: producer index, free running, in 64-byte blocks (send) or WQEs (receive)
 * @tail: consumer index, free running
 * @size: slots, a power of two; 0: no such queue
 * @offset: in the memory of the QP
 * @max_wrs: sends: largest work requests that it has room for; 0: of user space
 * @log_stride: of a slot in bytes
 * @max_sge: of a work request
 * @max_inline: sends: bytes of inline data
 *
 * A QP of user space has only the sizes. A QP that goes to RESET empties both, under both locks.
 */
struct cxr_ib_wq {
	spinlock_t lock;		/* posting */
	u64 *wrid;
	u32 *next;
	u8 *wc_opcode;
	u32 head;			/* lock to write */
	u32 tail;			/* cxr_ib_cq.lock to write */
	u32 size;
	u32 offset;
	u32 max_wrs;
	u8 log_stride;
	u8 max_sge;
	u16 max_inline;
};

/* Receiver of the events of a raw packet send or receive queue. */
struct cxr_ib_event_target {
	refcount_t ref;			/* events in flight, plus one */
	struct completion unused;	/* @ref dropped to zero */
	struct ib_qp *qp;		/* either this */
	struct ib_wq *wq;		/* or that */
};

/**
 * struct cxr_ib_raw - objects of a raw packet QP in the device
 * @tdn: transport domain of its process
 * @tir_flags: of its TIR: enum cxr_tir_flag
 * @loopback: it is a user of loopback (cxr_loopback_get())
 * @has_tis: @tisn is valid
 * @has_sq: @sqn and @sq_queue are valid
 * @has_rq: @rqn is valid
 * @has_tir: @tirn is valid; it leads to the receive queue or to an indirection table
 * @tisn: TIS of the send queue
 * @sqn: send queue
 * @rqn: receive queue; its memory is cxr_ib_qp.queue
 * @tirn: destination of flow rules
 * @rate: of the send queue; the reference to @rate_index is held unless it is none
 * @rate_index: the rate that the device has for it, 0: none
 * @sq_queue: memory of the send queue
 * @sq_events: events of the send queue
 * @rq_events: events of the receive queue
 */
struct cxr_ib_raw {
	u32 tdn;
	u32 tir_flags;
	bool loopback;
	bool has_tis, has_sq, has_rq, has_tir;
	u32 tisn, sqn, rqn, tirn;
	struct cxr_rate rate;
	u16 rate_index;
	struct cxr_ib_queue sq_queue;
	struct cxr_ib_event_target sq_events, rq_events;
};

/* A DC target that ends: what is asked of it has to be done first. One caller at a time. */
struct cxr_ib_target {
	struct completion drained;	/* the device says so, or has failed */
	bool done;			/* that was waited for */
};

/* A DC target of verbs; cxr_ib_qp.mutex. */
struct cxr_ib_dct {
	struct cxr_ib_target target;
	struct cxr_dct attr;
};

/**
 * struct cxr_ib_counters - counters of flow rules
 * @ibcounters: of ib_core
 * @lock: protects what follows; taken before commands
 * @users: rules that count here
 * @has_id: @id is valid: from the first rule on
 * @id: flow counter of the device
 * @n: of @points; 0: none is attached
 * @points: what is read into which place
 */
struct cxr_ib_counters {
	struct ib_counters ibcounters;
	struct mutex lock;	/* see above */
	unsigned int users __guarded_by(&lock);
	bool has_id __guarded_by(&lock);
	u32 id __guarded_by(&lock);
	u32 n __guarded_by(&lock);
	struct mlx5_ib_flow_counters_desc *points __guarded_by(&lock);
};

/**
 * struct cxr_ib_rwq - WQ: a receive queue of user space without a QP
 * @ibwq: of ib_core; @mutex protects its state
 * @rqn: its number
 * @uid: user context of its PD
 * @mutex: serializes transitions
 * @queue: its memory
 * @db: doorbell record
 * @events: of the queue
 */
struct cxr_ib_rwq {
	struct ib_wq ibwq;
	u32 rqn;
	u16 uid;
	struct mutex mutex;		/* transitions */
	struct cxr_ib_queue queue;
	struct cxr_ib_db db;
	struct cxr_ib_event_target events;
};

struct cxr_ib_ind_table {
	struct ib_rwq_ind_table ibtable;
	u32 rqtn;
	u16 uid;			/* of its WQs */
};

/**
 * struct cxr_ib_qp - queue pair
 * @ibqp: of ib_core; its qp_num is 1 for the GSI QP
 * @qpn: QPN of the device; of a raw packet QP the number of its send or receive queue, or 0; of a
 *       DC target its number, valid in RTR
 * @uid: user context of its PD, but for XRC; constant
 * @type: type in the device; not valid with @raw or @dct
 * @raw: objects of a raw packet QP, which is no QP in the device; else NULL
 * @dct: attributes of a DC target, which is no QP in the device either; else NULL
 * @mutex: serializes transitions
 * @state: post functions read it without @mutex
 * @access: IB_ACCESS_* of the peer
 * @dest_rd: reads that the peer may have outstanding
 * @dest_qpn: peer of a connected QP
 * @has_sgid: @sgid_index is valid
 * @sgid_index: entry of the address table in use
 * @path: of the application; valid with @has_sgid, as is @dscp
 * @dscp: in the device; 0 for RoCE v1
 * @port: 1
 * @lag_port: port of the LAG it is assigned to, 1 or 2; 0: none; debugfs reads it without @mutex
 * @gone: destroyed in the device
 * @counter_pending: the counter set changes on the next transition to RTS
 * @q_set: counter set in the device, if not that of the port
 * @user: of user space; or XRC target, which has no queues
 * @pdn: PD in the device; constant
 * @cqn_snd: send CQ in the device; constant
 * @cqn_rcv: receive CQ in the device; constant
 * @peer: GID of the peer of a kernel QP
 * @sig_all: every send completes
 * @create_flags: IB_QP_CREATE_*; constant
 * @after_umr: the last send changed a memory key
 * @sq: sends
 * @rq: receives
 * @left_groups: multicast groups that the device keeps it in (mcast.c)
 * @buf: memory of both queues of a kernel QP
 * @db: doorbell record of @buf
 * @send_entry: in cxr_ib_cq.send_qps
 * @recv_entry: in cxr_ib_cq.recv_qps
 * @ref: events in flight, plus one
 * @unused: @ref dropped to zero
 * @queue: memory of both queues of a user QP
 * @user_db: doorbell record of @queue
 * @uar: UAR of a user QP, or NULL
 */
struct cxr_ib_qp {
	struct ib_qp ibqp;
	u32 qpn;
	u16 uid;
	enum cxr_qp_type type;
	struct cxr_ib_raw *raw;
	struct cxr_ib_dct *dct;
	struct mutex mutex;		/* transitions */
	enum ib_qp_state state;		/* mutex to write */
	int access __guarded_by(&mutex);
	u8 dest_rd __guarded_by(&mutex);
	u32 dest_qpn __guarded_by(&mutex);
	bool has_sgid __guarded_by(&mutex);
	u8 sgid_index __guarded_by(&mutex);
	struct cxr_tclass_path path __guarded_by(&mutex);
	u8 dscp __guarded_by(&mutex);
	u8 port;
	u8 lag_port;			/* mutex to write */
	bool gone __guarded_by(&mutex);
	bool counter_pending __guarded_by(&mutex);
	struct list_head left_groups __guarded_by(&mutex);
	struct cxr_ib_q_set *q_set __guarded_by(&mutex);
	bool user;
	u32 pdn, cqn_snd, cqn_rcv;
	u8 peer[16];			/* cxr_ib_cq.lock of the send CQ */
	bool sig_all;
	u32 create_flags;
	bool after_umr __guarded_by(&sq.lock);
	struct cxr_ib_wq sq;
	struct cxr_ib_wq rq;
	struct cxr_buf buf;
	struct cxr_db db;
	struct list_head send_entry;	/* cxr_ib_cq.lock of the send CQ */
	struct list_head recv_entry;	/* cxr_ib_cq.lock of the receive CQ */
	refcount_t ref;
	struct completion unused;
	struct cxr_ib_queue queue;
	struct cxr_ib_db user_db;
	struct cxr_ib_uar *uar;
};

static inline struct cxr_ib_cq *to_cxr_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct cxr_ib_cq, ibcq);
}

static inline struct cxr_ib_srq *to_cxr_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct cxr_ib_srq, ibsrq);
}

static inline struct cxr_ib_qp *to_cxr_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct cxr_ib_qp, ibqp);
}

static inline struct cxr_ib_rwq *to_cxr_rwq(struct ib_wq *ibwq)
{
	return container_of(ibwq, struct cxr_ib_rwq, ibwq);
}

static inline struct cxr_ib_counters *to_cxr_counters(struct ib_counters *ibcounters)
{
	return container_of(ibcounters, struct cxr_ib_counters, ibcounters);
}

static inline struct cxr_ib_ind_table *to_cxr_ind_table(struct ib_rwq_ind_table *ibtable)
{
	return container_of(ibtable, struct cxr_ib_ind_table, ibtable);
}

/* internal_cq.c */
/* A CQ of 2^@log_size CQEs; @cq must be zeroed. May sleep. 0, -ENOMEM or the command's error. */
int cxr_ib_internal_cq_create(struct cxr_core *core, const struct cxr_uar *uar, u8 log_size,
			      struct cxr_ib_internal_cq *cq);
/* Call after destroying the queues that complete there. May sleep. */
void cxr_ib_internal_cq_destroy(struct cxr_core *core, struct cxr_ib_internal_cq *cq);
/* Waits for the next CQE and consumes it. Sleeps. -ETIMEDOUT: none in @ms, or a dead device. */
int cxr_ib_internal_cq_wait(struct cxr_core *core, struct cxr_ib_internal_cq *cq, unsigned int ms,
			    struct cxr_cqe *cqe);

/* cq.c */
/* Calls the completion handlers of all kernel CQs: a dead device writes no CQEs. */
void cxr_ib_flush_work(struct work_struct *work);

/* poll.c */
/* Marks all CQEs of a new CQ as not written. */
void cxr_ib_cq_invalidate(struct cxr_ib_cq *cq);
/* So that poll can flush the QP when the device dies. Process context. */
void cxr_ib_cq_add_qp(struct cxr_ib_qp *qp);
/*
 * Empties the queues of the QP, which nobody posts to, and removes its CQEs; with @remove, undoes
 * cxr_ib_cq_add_qp(). Process context.
 */
void cxr_ib_cq_clean_qp(struct cxr_ib_qp *qp, bool remove);
/* The QP is no longer in dev->qps: polls do not find it from now on. Process context. */
void cxr_ib_cq_forget_qp(struct cxr_ib_qp *qp);
/* The peer of a kernel QP, for the log. Process context. */
void cxr_ib_cq_set_peer(struct cxr_ib_qp *qp, const u8 gid[16]);

/* srq.c */
/* Frees a WQE that the device completed; false: there is no such WQE. Interrupts are off. */
bool cxr_ib_srq_finish(struct cxr_ib_srq *srq, u16 index, u64 *wr_id);

/* raw.c */
/* A raw packet QP or an RSS QP. ib_core has checked CAP_NET_RAW. */
int cxr_ib_create_raw(struct cxr_ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
/*
 * ib_core has destroyed the flow rules that lead to it. @again: the device may refuse something,
 * which is returned, and there will be another try; else 0 is returned.
 */
int cxr_ib_destroy_raw(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx, bool again);
/* As cxr_ib_modify_qp(); @burst: of the rate limit. qp->mutex held. */
int cxr_ib_modify_raw(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		      const struct mlx5_ib_burst_info *burst);
/* As cxr_ib_query_qp(); both structs are zeroed. */
int cxr_ib_query_raw(struct cxr_ib_qp *qp, struct ib_qp_attr *attr, struct ib_qp_init_attr *init);

/* wq.c */
/* The TIR of an RSS QP, undone by cxr_ib_destroy_raw(). */
int cxr_ib_create_rss_tir(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
			  struct ib_udata *udata);
/* Supported hash fields: enum mlx5_rx_hash_fields. */
u64 cxr_ib_hash_fields(void);
bool cxr_ib_has_rss(const struct cxr_caps *caps);
/* enum cxr_tir_flag, by the flags of a raw packet QP. */
u32 cxr_ib_tir_flags(u32 qp_flags);
/* Flags of raw packet and RSS QPs that this card has: MLX5_QP_FLAG_*. */
u32 cxr_ib_raw_qp_flags(const struct cxr_caps *caps);

/* flow_counter.c */
/*
 * For a rule that counts in @ibcounters, until cxr_ib_counters_put(). @data: what the program has
 * attached to it, or NULL: as with an earlier rule. *id: flow counter. 0, -EINVAL (nothing, or the
 * wrong thing, is attached), -EFAULT, or the command's error.
 */
int cxr_ib_counters_get(struct ib_counters *ibcounters,
			const struct mlx5_ib_flow_counters_data *data, u32 *id);
void cxr_ib_counters_put(struct ib_counters *ibcounters);

/* qp_common.c */
/*
 * Copies and checks the user space request of a transition; zeros without one. What it says of ECE
 * means nothing to raw packet QPs.
 */
int cxr_ib_read_req_modify(struct ib_device *ibdev, struct ib_udata *udata,
			   struct mlx5_ib_modify_qp *req);
/* Copies the user space request for a QP. */
int cxr_ib_read_req_qp(struct cxr_ib_dev *dev, struct ib_udata *udata,
		       struct mlx5_ib_create_qp *req);
/*
 * Copies and checks the user space request for a QP. *bytes: size of both queues, if they are in
 * one buffer.
 */
int cxr_ib_copy_req_qp(struct cxr_ib_ucontext *ctx, const struct ib_qp_init_attr *attr,
		       struct ib_udata *udata, struct mlx5_ib_create_qp *req, u32 *user_index,
		       u64 *bytes);
void cxr_ib_init_qp(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr, bool user);
int cxr_ib_copy_resp_qp(const struct cxr_ib_qp *qp, struct ib_udata *udata);
/* mcast.c: before the device destroys the QP, and after that */
void cxr_ib_leave_groups(struct cxr_ib_qp *qp) __must_hold(&qp->mutex);
void cxr_ib_forget_groups(struct cxr_ib_qp *qp) __must_hold(&qp->mutex);
/* The QP uses this entry of the address table from now on; -1: none. */
void cxr_ib_qp_set_sgid(struct cxr_ib_qp *qp, int index) __must_hold(&qp->mutex);

/* force.c */
/*
 * Gives a QP in RTS the DSCP that the rules say now. qp->mutex held. -EOPNOTSUPP: the device cannot
 * change it; or the command's error.
 */
int cxr_ib_force_qp(struct cxr_ib_qp *qp);

/* wr.c */
/* Writes the data segments of a receive WQE; a list shorter than @max gets a terminator. */
void cxr_ib_write_recv(const struct cxr_core *core, struct prm_wqe_data_seg *seg, u32 max,
		       const struct ib_recv_wr *wr);

/* xrc.c */
/*
 * Objects for XRC QPs, and with @dci also for initiators of DC transport, whose owner does not have
 * them. Created at the first call, kept until cxr_ib_xrc_down(). May sleep. ERR_PTR: the error of a
 * command, or -ENOMEM.
 */
const struct cxr_ib_xrc_defaults *cxr_ib_xrc_defaults(struct cxr_ib_dev *dev, bool dci);
/* Stage: after the last QP. */
void cxr_ib_xrc_down(void *dev);

/* dct.c */
/* Of a QP of type DRIVER: it is a target of DC transport, or an initiator. Logs a refusal. */
int cxr_ib_dc_role(struct cxr_ib_dev *dev, const struct ib_qp_init_attr *attr,
		   struct ib_udata *udata, bool *target);
/* Flags of an initiator that this card has: MLX5_QP_FLAG_*. */
static inline u32 cxr_ib_dci_flags(const struct cxr_caps *caps)
{
	return MLX5_QP_FLAG_TYPE_DCI |
	       (caps->dc_streams.channels ? MLX5_QP_FLAG_DCI_STREAM : 0);
}

/* Before anything is made of @attr. -EINVAL. */
int cxr_ib_dci_check_attr(const struct ib_device *ibdev, const struct ib_qp_init_attr *attr);
/* What the checked request says of an initiator: @scatter_req and @streams. -EINVAL. */
int cxr_ib_dci_read_req(struct cxr_ib_dev *dev, const struct ib_qp_init_attr *attr,
			const struct mlx5_ib_create_qp *req, u8 *scatter_req,
			struct cxr_dc_streams *streams);
/* The same as ib_modify_qp_is_ok(), for an initiator. */
bool cxr_ib_dci_may(enum ib_qp_state from, enum ib_qp_state to, int mask);
int cxr_ib_create_dct(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
		      struct ib_udata *udata);
/* An error, for which there will be another try, only if cxr_ib_devx_holds(). */
int cxr_ib_destroy_dct(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx);
/* As cxr_ib_modify_qp(), and cxr_ib_query_qp() with a zeroed @attr. Take qp->mutex. */
int cxr_ib_modify_dct(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask,
		      struct ib_udata *udata);
int cxr_ib_query_dct(struct cxr_ib_qp *qp, struct ib_qp_attr *attr, int mask);

/* dct_drain.c */
void cxr_ib_target_init(struct cxr_ib_target *target);
/*
 * Requests that target @num has begun to answer end, before it is destroyed. A device without the
 * event that tells the end does not keep the caller for ever. Sleeps. 0; -ENOMEM, -EIO: the device
 * has given the number twice; or the command's error.
 */
int cxr_ib_target_drain(struct cxr_ib_dev *dev, struct cxr_ib_target *target, u16 uid, u32 num);
/* The event. Any context. */
void cxr_ib_target_drained(struct cxr_ib_dev *dev, u32 num);
/* The device has failed. Any context. */
void cxr_ib_targets_fail(struct cxr_ib_dev *dev);

/* event.c */
/* The QP, or SRQ, with a reference, or NULL. Any context. */
struct cxr_ib_qp *cxr_ib_get_qp(struct cxr_ib_dev *dev, u32 qpn);
struct cxr_ib_srq *cxr_ib_get_srq(struct cxr_ib_dev *dev, u32 srqn);
void cxr_ib_put_qp(struct cxr_ib_qp *qp);
void cxr_ib_put_srq(struct cxr_ib_srq *srq);
/* Delivers the events of a queue to @target, whose @qp or @wq is set. May sleep. */
int cxr_ib_register_event_target(struct cxr_ib_dev *dev, u32 key,
				 struct cxr_ib_event_target *target);
/* Waits for events in flight. May sleep. */
void cxr_ib_unregister_event_target(struct cxr_ib_dev *dev, u32 key,
				    struct cxr_ib_event_target *target);
/* Calls the event handler of the QP. Any context. */
void cxr_ib_dispatch_qp_event(struct cxr_ib_qp *qp, enum ib_event_type type);

#endif
