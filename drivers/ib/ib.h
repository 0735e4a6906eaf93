/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* cxr_ib: the RDMA device. What its files know of each other. */
#ifndef CXR_IB_H
#define CXR_IB_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>
#include CXR_RDMA_ITER_H

#include "cxr/cxr.h"
#include "cxr/cmd.h"
#include "cxr/stage.h"
#include "../codec/cqe.h"
#include "../codec/wqe.h"
#include "../policy/ecmp.h"
#include "../policy/limits.h"
#include "verbs.h"

#define CXR_IB_PORT 1		/* a function has one port */
#define CXR_IB_NO_UIDX 0xffffff	/* user index of a queue that has none */
#define CXR_IB_EVENT_KEY_RQ BIT(24)	/* above the 24 bits of a queue number */
#define CXR_IB_SQ_DESC_MAX 512	/* bytes of a send WQE */
#define CXR_IB_UMR_WQE 192	/* bytes of one that registers memory, in whole blocks */

/* The device's clock for user space; without @info it has none. */
struct cxr_ib_clock {
	struct mlx5_ib_clock_info *info;	/* a page that processes map */
	struct delayed_work work;
};

/**
 * struct cxr_ib_dev - the RDMA device of a function
 * @ibdev: ib_core's
 * @core: the function
 * @uar: doorbells of the kernel's queues
 * @bf: the device sees BlueFlame writes as such; constant
 * @qps: hardware QPN to struct cxr_ib_qp; its lock is taken with interrupts off
 * @srqs: SRQN to struct cxr_ib_srq; as @qps
 * @event_targets: SQN, or RQN with CXR_IB_EVENT_KEY_RQ, to struct cxr_ib_event_target; as @qps
 * @kcq_lock: guards @kcqs
 * @kcqs: CQs of the kernel, which have to be woken when the device dies
 * @clock: user space's view of the device's clock
 * @flush_work: calls the completion handlers of @kcqs on a dead device
 * @netdev_lock: guards @netdev, @port_active and @active_mtu
 * @netdev: netdev whose state is the port's, with a reference, or NULL; in a LAG the bond
 * @port_active: last state that was told to ib_core
 * @active_mtu: of the port when ib_core was told last, in bytes
 * @netdev_nb: watches @netdev for these purposes
 * @netdev_nn: ties @netdev_nb to @watched
 * @watched: netdev that has @netdev_nb, or NULL; @netdev, once the device is registered
 * @scan_lock: guards @watched, and @registered while GIDs are scanned; rtnl_lock is taken below it
 * @registered: ib_core has the device: GIDs may be scanned
 * @gsi_pd: PD of the GSI QP, or NULL; to be compared and not followed
 * @xrc_lock: guards @xrc_defaults
 * @xrc_defaults: what XRC QPs are lent, from the first one on
 * @umr_lock: guards @umr
 * @umr: what changes memory keys, from the first time on
 * @q_set: the set of counters of QPs without their own; 0: the device has none
 * @q_sets: other sets, by number: struct cxr_ib_q_set
 * @n_q_stats: how many of @stat_descs, from the first on, a set of counters has
 * @gid_lock: serializes what is written to the device's address table
 * @gid_refs: QPs and AHs by index in that table
 * @gid_deferred: entries that ib_core took away, and that are in the device because they are in use
 * @gid_work: takes those away that are in use no more
 * @gid_half: in an ECMP LAG: how many there are, and how far behind each its double is; else 0
 * @gid_entries: in an ECMP LAG: what stands in the device, to change the MACs; guarded by @gid_lock
 * @gid_set: which of @gid_entries do
 * @lag_mac: as cxr_lag.mac, guarded by @gid_lock
 * @lag_next: counts QPs of a LAG, to spread them over the ports
 * @icrc_counted: the port counts wrong ICRCs
 * @n_stats: counters that the device has
 * @stat_counters: which
 * @stat_descs: their names
 * @debugfs: the file of QPs
 * @stages: what of it is up
 */
struct cxr_ib_dev {
	struct ib_device ibdev;
	struct cxr_core *core;
	struct cxr_uar *uar;
	bool bf;
	struct xarray qps;
	struct xarray srqs;
	struct xarray event_targets;
	struct mutex kcq_lock;		/* kcqs */
	struct list_head kcqs;
	struct cxr_ib_clock clock;
	struct work_struct flush_work;
	spinlock_t netdev_lock;		/* netdev, port_active, active_mtu */
	struct net_device *netdev;
	bool port_active;
	unsigned int active_mtu;
	struct notifier_block netdev_nb;
	struct netdev_net_notifier netdev_nn;
	struct net_device *watched;
	struct mutex scan_lock;		/* registered, watched */
	bool registered;
	const struct ib_pd *gsi_pd;
	struct mutex xrc_lock;		/* xrc_defaults */
	struct cxr_ib_xrc_defaults *xrc_defaults;
	struct mutex umr_lock;		/* umr */
	struct cxr_ib_umr *umr;
	struct mutex gid_lock;		/* the address table */
	atomic_t *gid_refs;
	unsigned long *gid_deferred;
	struct work_struct gid_work;
	u16 gid_half;
	struct cxr_gid_entry *gid_entries;
	unsigned long *gid_set;
	u8 lag_mac[CXR_LAG_PORTS][ETH_ALEN];
	atomic_t lag_next;
	u32 q_set;
	struct xarray q_sets;
	int n_q_stats;
	bool icrc_counted;
	int n_stats;
	enum cxr_counter stat_counters[CXR_COUNTERS];
	struct rdma_stat_desc stat_descs[CXR_COUNTERS];
	struct dentry *debugfs;
	struct cxr_stages stages;
};

/**
 * struct cxr_ib_ucontext - an open device of a process
 * @ibucontext: ib_core's
 * @cqe_version: 1: queues carry an index of user space
 * @uar_4k: the library knows UARs that are smaller than a page
 * @uars_per_page: device UARs in a system page
 * @uars: first UAR index of the page to struct cxr_ib_uar; what is in it belongs to this context
 * @db_lock: guards @db_pages
 * @db_pages: pinned pages with doorbell records
 * @td_lock: guards @tdn and @has_td
 * @tdn: transport domain of its queues of raw packets, from the first one on
 * @has_td: there is one
 */
struct cxr_ib_ucontext {
	struct ib_ucontext ibucontext;
	u8 cqe_version;
	bool uar_4k;
	u32 uars_per_page;
	struct xarray uars;
	struct mutex db_lock;		/* db_pages */
	struct list_head db_pages;
	struct mutex td_lock;		/* tdn, has_td */
	u32 tdn;
	bool has_td;
};

/*
 * A UAR page of user space. Mappings and the queues that ring it hold references on @entry; the
 * last one frees it.
 */
struct cxr_ib_uar {
	struct rdma_user_mmap_entry entry;
	u32 index;
	bool wc;
};

struct cxr_ib_pd {
	struct ib_pd ibpd;
	u32 pdn;
};

struct cxr_ib_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcd;
};

/* A CQ of the driver's own that it polls; zeroed before it is created. */
struct cxr_ib_internal_cq {
	struct cxr_cq cq;
	struct cxr_buf buf;
	struct cxr_db db;
	u8 log_size;
	u32 ci;
};

/* xrc.c: what an XRC QP has for the device but not for its owner. Nothing ever comes of it. */
struct cxr_ib_xrc_defaults {
	u32 pdn;
	u32 xrcd;
	u32 srqn;
	struct cxr_ib_internal_cq cq;
	struct cxr_buf srq_buf;
	struct cxr_db srq_db;
};

/* umr.c: the queue that changes memory keys. */
struct cxr_ib_umr;

/* A set of queue counters beside the port's, of the QPs that share it. */
struct cxr_ib_q_set {
	u32 id;
	refcount_t ref;		/* ib_core's counter, QPs that the device counts in it */
};

struct cxr_ib_ah {
	struct ib_ah ibah;
	u8 sgid_index;
	struct prm_av av;
};

/**
 * struct cxr_ib_mr - memory region
 * @ibmr: ib_core's
 * @umem: memory of user space, or NULL
 * @mkey: as it was created; 0: none, because a change of it failed
 * @access: enum cxr_access
 * @va: IOVA of @umem
 * @pages: of fast registration: the list that a WQE gives to the device
 * @pages_dma: its address for the device
 * @pages_size: in bytes
 * @npages: in the list
 * @max_pages: room in the list
 */
struct cxr_ib_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	u32 mkey;
	u32 access;
	u64 va;
	struct prm_mtt *pages;
	dma_addr_t pages_dma;
	u32 pages_size;
	u32 npages;
	u32 max_pages;
};

/**
 * struct cxr_ib_request - what a driver's part of a request of user space must be
 * @what: name of the object, for the log
 * @size: bytes of it that this driver knows
 * @min_size: bytes that must be there
 * @unknown: error if more than @size are there and are not zero
 */
struct cxr_ib_request {
	const char *what;
	size_t size;
	size_t min_size;
	int unknown;
};

/* A pinned page of user space with doorbell records; umem.c's. */
struct cxr_ib_db_page;

/* A doorbell record in user space. */
struct cxr_ib_db {
	struct cxr_ib_db_page *page;
	dma_addr_t dma;
};

/* Queue memory in user space, pinned; @pas describes it to the device as long as @dma lives. */
struct cxr_ib_queue {
	struct ib_umem *umem;
	dma_addr_t *dma;
	struct cxr_pas pas;
};

/**
 * struct cxr_ib_cq - completion queue
 * @ibcq: ib_core's
 * @cq: the core's
 * @lock: guards all down to @recv_qps; never two at a time
 * @ci: entries consumed
 * @log_size: entries
 * @arm_sn: events so far: the device drops a repeated arm of an old one
 * @buf: entries, in the kernel
 * @db: doorbell record of @buf
 * @send_qps: QPs of the kernel that complete sends here
 * @recv_qps: the same for receives
 * @kcq_entry: in dev->kcqs
 * @cqe_128: entries are of 128 bytes
 * @resize_lock: guards @queue while the CQ can be used, and @log_size with it
 * @queue: entries, in user space
 * @user_db: doorbell record of @queue
 * @uar: page of user space that arms it; NULL: a CQ of the kernel
 */
struct cxr_ib_cq {
	struct ib_cq ibcq;
	struct cxr_cq cq;
	spinlock_t lock;		/* ci .. recv_qps */
	u32 ci;
	u8 log_size;
	u32 arm_sn;
	struct cxr_buf buf;
	struct cxr_db db;
	struct list_head send_qps;
	struct list_head recv_qps;
	struct list_head kcq_entry;
	bool cqe_128;
	struct mutex resize_lock;	/* queue */
	struct cxr_ib_queue queue;
	struct cxr_ib_db user_db;
	struct cxr_ib_uar *uar;
};

/**
 * struct cxr_ib_srq - shared receive queue
 * @ibsrq: ib_core's
 * @srqn: its number
 * @log_size: WQEs, one of which is never posted
 * @log_stride: of a WQE in bytes
 * @max_sge: of a work request
 * @ref: events in flight, plus one
 * @unused: @ref came to zero
 * @lock: guards all down to @tail
 * @wrid: cookie of the work request at a WQE, in the kernel
 * @posted: WQEs so far
 * @head: next WQE to post
 * @tail: last free WQE
 * @buf: WQEs, in the kernel
 * @db: doorbell record of @buf
 * @queue: WQEs, in user space
 * @user_db: doorbell record of @queue
 */
struct cxr_ib_srq {
	struct ib_srq ibsrq;
	u32 srqn;
	u8 log_size;
	u8 log_stride;
	u8 max_sge;
	refcount_t ref;
	struct completion unused;
	spinlock_t lock;		/* wrid .. tail */
	u64 *wrid;
	u32 posted;
	u32 head;
	u32 tail;
	struct cxr_buf buf;
	struct cxr_db db;
	struct cxr_ib_queue queue;
	struct cxr_ib_db user_db;
};

/**
 * struct cxr_ib_wq - send or receive queue of a QP of the kernel
 * @lock: serializes posting
 * @wrid: cookie of the work request that begins at a slot
 * @next: of a send: position after it
 * @wc_opcode: of a send: what its completion will be called
 * @head: written under @lock; free running, in 64-byte blocks (send) or WQEs (receive)
 * @tail: written under the lock of the CQ; free running
 * @size: slots, a power of two; 0: no such queue
 * @offset: in the QP's memory
 * @log_stride: of a slot in bytes
 * @max_sge: of a work request
 * @max_inline: of a send, in bytes
 */
struct cxr_ib_wq {
	spinlock_t lock;		/* head, and what it vouches for */
	u64 *wrid;
	u32 *next;
	u8 *wc_opcode;
	u32 head;
	u32 tail;
	u32 size;
	u32 offset;
	u8 log_stride;
	u8 max_sge;
	u16 max_inline;
};

/* Whom events of a send or receive queue that is no QP's of the device concern. */
struct cxr_ib_event_target {
	refcount_t ref;			/* events in flight, plus one */
	struct completion unused;	/* @ref came to zero */
	struct ib_qp *qp;		/* either */
	struct ib_wq *wq;
};

/**
 * struct cxr_ib_raw - what a QP of raw packets has in the device
 * @tdn: transport domain, of its process
 * @has_sq: there are @tisn, @sqn and @sq_queue
 * @has_rq: there is @rqn
 * @has_tir: there is @tirn, of the receive queue or of a table of them
 * @tisn: where it sends to
 * @sqn: send queue
 * @rqn: receive queue, whose memory is cxr_ib_qp.queue
 * @tirn: what flow rules lead to
 * @sq_queue: memory of the send queue
 * @sq_events: of the send queue
 * @rq_events: of the receive queue
 */
struct cxr_ib_raw {
	u32 tdn;
	bool has_sq, has_rq, has_tir;
	u32 tisn, sqn, rqn, tirn;
	struct cxr_ib_queue sq_queue;
	struct cxr_ib_event_target sq_events, rq_events;
};

/**
 * struct cxr_ib_rwq - receive queue by itself, of user space
 * @ibwq: ib_core's
 * @rqn: its number
 * @mutex: serializes transitions
 * @queue: its memory
 * @db: doorbell record
 * @events: of the queue
 */
struct cxr_ib_rwq {
	struct ib_wq ibwq;
	u32 rqn;
	struct mutex mutex;		/* transitions */
	struct cxr_ib_queue queue;
	struct cxr_ib_db db;
	struct cxr_ib_event_target events;
};

struct cxr_ib_ind_table {
	struct ib_rwq_ind_table ibtable;
	u32 rqtn;
};

/**
 * struct cxr_ib_qp - queue pair
 * @ibqp: ib_core's; its qp_num is 1 for the GSI QP
 * @qpn: as the device knows it; of raw packets the number of its send or receive queue, or 0
 * @type: as the device knows it; of no use with @raw
 * @raw: of a QP of raw packets, which the device does not know as a QP; else NULL
 * @mutex: serializes transitions; guards all down to @lag_port
 * @state: written under @mutex, read by post functions without
 * @access: IB_ACCESS_* of remote peers
 * @dest_rd: reads that a peer may have outstanding; 0: none
 * @dest_qpn: peer of a connected QP
 * @has_sgid: it uses an entry of the address table
 * @sgid_index: that one
 * @port: 1
 * @lag_port: port of the LAG that it was given, 1..; 0: none
 * @gone: the device does not have it any more; under @mutex
 * @counter_pending: the set of counters changes when it comes to RTS; under @mutex
 * @q_set: of counters that the device counts in, if it is not the port's; under @mutex
 * @user: it is user space's; one of XRC that receives has no queue, no matter whose
 * @pdn: what it works with: that of its owner, or lent
 * @cqn_snd: as @pdn
 * @cqn_rcv: as @pdn
 * @peer: GID, of a QP of the kernel; under the lock of its send CQ
 * @sig_all: every send completes
 * @after_umr: the last WQE changed a memory key; under the lock of @sq
 * @sq: sends; of user space's only the size
 * @rq: receives; of user space's only the sizes
 * @buf: memory of both, in the kernel
 * @db: doorbell record of @buf
 * @send_entry: in the send_qps of a CQ; under its lock
 * @recv_entry: in the recv_qps of a CQ
 * @ref: events in flight, plus one
 * @unused: @ref came to zero
 * @queue: memory of both queues, in user space
 * @user_db: doorbell record of @queue
 * @uar: page of user space that rings it, or NULL
 */
struct cxr_ib_qp {
	struct ib_qp ibqp;
	u32 qpn;
	enum cxr_qp_type type;
	struct cxr_ib_raw *raw;
	struct mutex mutex;		/* state .. lag_port */
	enum ib_qp_state state;
	int access;
	u8 dest_rd;
	u32 dest_qpn;
	bool has_sgid;
	u8 sgid_index;
	u8 port;
	u8 lag_port;
	bool gone;
	bool counter_pending;
	struct cxr_ib_q_set *q_set;
	bool user;
	u32 pdn, cqn_snd, cqn_rcv;
	u8 peer[16];
	bool sig_all;
	bool after_umr;
	struct cxr_ib_wq sq;
	struct cxr_ib_wq rq;
	struct cxr_buf buf;
	struct cxr_db db;
	struct list_head send_entry;
	struct list_head recv_entry;
	refcount_t ref;
	struct completion unused;
	struct cxr_ib_queue queue;
	struct cxr_ib_db user_db;
	struct cxr_ib_uar *uar;
};

static inline struct cxr_ib_dev *to_cxr_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct cxr_ib_dev, ibdev);
}

static inline struct cxr_ib_ucontext *to_cxr_ucontext(struct ib_ucontext *ibucontext)
{
	return container_of(ibucontext, struct cxr_ib_ucontext, ibucontext);
}

static inline struct cxr_ib_pd *to_cxr_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct cxr_ib_pd, ibpd);
}

static inline struct cxr_ib_ah *to_cxr_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct cxr_ib_ah, ibah);
}

static inline struct cxr_ib_xrcd *to_cxr_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct cxr_ib_xrcd, ibxrcd);
}

static inline struct cxr_ib_mr *to_cxr_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct cxr_ib_mr, ibmr);
}

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

/* device.c */
extern const struct attribute_group cxr_ib_attr_group;

/* context.c */
extern const struct uapi_definition cxr_ib_uapi_defs[];
/*
 * A doorbell page by the number that user space named, with a reference, or NULL. Only pages of the
 * context itself are found: whoever rings another's page rings another's queues.
 */
struct cxr_ib_uar *cxr_ib_uar_get(struct cxr_ib_ucontext *ctx, u32 index);
void cxr_ib_uar_put(struct cxr_ib_uar *uar);
/* The process's transport domain, which it keeps. */
int cxr_ib_get_td(struct cxr_ib_ucontext *ctx, u32 *tdn);
/*
 * The user index of a queue as CQE version 1 demands it and version 0 forbids it; @present: the
 * request was long enough to hold @uidx.
 */
int cxr_ib_check_uidx(struct cxr_ib_ucontext *ctx, bool present, u32 uidx, u32 *user_index);

/* internal_cq.c */
/* A CQ of 2^@log_size entries; @cq is zeroed. May sleep. 0, -ENOMEM or the command's error. */
int cxr_ib_internal_cq_create(struct cxr_core *core, const struct cxr_uar *uar, u8 log_size,
			      struct cxr_ib_internal_cq *cq);
/* After the queues that complete there. May sleep. */
void cxr_ib_internal_cq_destroy(struct cxr_core *core, struct cxr_ib_internal_cq *cq);
/* Takes the next entry. Sleeps. -ETIMEDOUT: none came within @ms, or the device is dead. */
int cxr_ib_internal_cq_wait(struct cxr_core *core, struct cxr_ib_internal_cq *cq, unsigned int ms,
			    struct cxr_cqe *cqe);

/* umr.c */
/*
 * Other rights (enum cxr_access) and another PD for a key in use, which was made as CXR_MKEY_PAGES.
 * The ordering stays as it was made, and so does the right to atomics where the device says so
 * (umr_modify_atomic_disabled). May sleep. After an error nobody knows which rights the key has: it
 * has to be destroyed.
 */
int cxr_ib_umr_change(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, u32 access);
/* Stage, after the last memory region of user space. May sleep. */
void cxr_ib_umr_down(void *dev);

/* wc.c */
/* Tries BlueFlame; may sleep. False as well if the trial cannot be made. */
bool cxr_ib_test_wc(struct cxr_ib_dev *dev);

/* clock.c */
/*
 * Stage. A device whose clock's frequency is not known has none for user space; nor has one where
 * a page shows more of the device than its clock.
 */
int cxr_ib_clock_up(void *dev);
/* Who has the page mapped keeps it. */
void cxr_ib_clock_down(void *dev);
/* What a new context is told of it. */
void cxr_ib_clock_fill_resp(const struct cxr_ib_dev *dev, struct mlx5_ib_alloc_ucontext_resp *resp);
int cxr_ib_clock_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma);

/* debugfs.c */
/* Makes the file, in the function's folder; failure is none of the device's. */
void cxr_ib_debugfs_add(struct cxr_ib_dev *dev);
/* Waits for those who read. */
void cxr_ib_debugfs_remove(struct cxr_ib_dev *dev);

/* udata.c */
/*
 * Copies a request of user space: @to, which may be NULL for none, gets @request->size bytes,
 * zeroes where the process sent fewer. A process newer than this driver may send more, which is
 * refused unless it is zero. Logs what is wrong. May sleep. -EINVAL: too short; @request->unknown:
 * too much; -EFAULT: cannot be read.
 */
int cxr_ib_copy_req(const struct ib_device *ibdev, struct ib_udata *udata,
		    const struct cxr_ib_request *request, void *to);

/* umem.c */
/*
 * Pins a queue, until cxr_ib_queue_unpin(), after the device let go. It must begin where the device
 * can point to: at a 64th of a page. -EINVAL if not, or the errors of pinning.
 */
int cxr_ib_queue_pin(struct cxr_ib_dev *dev, u64 addr, size_t size, struct cxr_ib_queue *queue);
/* The list of pages is of no use once the device has it. */
void cxr_ib_queue_free_list(struct cxr_ib_queue *queue);
void cxr_ib_queue_unpin(struct cxr_ib_queue *queue);
/* Pins a doorbell record at @addr; -EINVAL if it is not aligned. */
int cxr_ib_db_pin(struct cxr_ib_ucontext *ctx, u64 addr, struct cxr_ib_db *db);
void cxr_ib_db_unpin(struct cxr_ib_ucontext *ctx, struct cxr_ib_db *db);
/* Addresses of the blocks of @page_size. kvfree() it. NULL: no memory. */
dma_addr_t *cxr_ib_umem_list(struct ib_umem *umem, unsigned long page_size, u32 *n);

/* pd_ah.c */
/*
 * What ib_core calls an AH attribute, as the device's address: for AHs, where both QPNs are 0, and
 * for the path of a QP.
 */
int cxr_ib_addr_from_ah(struct cxr_ib_dev *dev, const struct rdma_ah_attr *ah, u32 local_qpn,
			u32 remote_qpn, struct cxr_addr *addr);

/* mr.c */
/* IB_ACCESS_* as enum cxr_access, without atomics where the device has none: it refuses them. */
u32 cxr_ib_device_access(const struct cxr_caps *caps, int access);

static inline struct cxr_limits cxr_ib_limits(const struct cxr_caps *caps)
{
	return (struct cxr_limits){
		.log_qp = caps->log_max_qp_sz,
		.log_srq = caps->log_max_srq_sz,
		.log_cq = caps->log_max_cq_sz,
		.send_bytes = min_t(u16, caps->max_wqe_sz_sq, CXR_IB_SQ_DESC_MAX),
		.recv_bytes = caps->max_wqe_sz_rq,
	};
}

/* Pages that a send WQE can register; 0: none, the WQE that does it is too large. */
static inline u32 cxr_ib_max_fast_reg(const struct cxr_caps *caps)
{
	return caps->max_wqe_sz_sq >= CXR_IB_UMR_WQE ? BIT(caps->log_max_klm_list_size) : 0;
}

/* cq.c */
/* Wakes whoever waits for completions that a dead device will not write. */
void cxr_ib_flush_work(struct work_struct *work);

/* poll.c */
/* The device has written none of the entries of a new CQ. */
void cxr_ib_cq_invalidate(struct cxr_ib_cq *cq);
/* Its outstanding work is to be found if the device dies; process context. */
void cxr_ib_cq_add_qp(struct cxr_ib_qp *qp);
/* No entry of the QP is left in its CQs; @remove: it goes for good. Process context. */
void cxr_ib_cq_clean_qp(struct cxr_ib_qp *qp, bool remove);
/* Whom a QP of the kernel talks to, as poll reports it; process context. */
void cxr_ib_cq_set_peer(struct cxr_ib_qp *qp, const u8 gid[16]);

/* srq.c */
/* The device is done with a WQE; false: with one that does not exist. Any context. */
bool cxr_ib_srq_finish(struct cxr_ib_srq *srq, u16 index, u64 *wr_id);

static inline struct cxr_ib_rwq *to_cxr_rwq(struct ib_wq *ibwq)
{
	return container_of(ibwq, struct cxr_ib_rwq, ibwq);
}

static inline struct cxr_ib_ind_table *to_cxr_ind_table(struct ib_rwq_ind_table *ibtable)
{
	return container_of(ibtable, struct cxr_ib_ind_table, ibtable);
}

/* raw.c */
/* A QP of raw packets, or of RSS over them; ib_core checked CAP_NET_RAW. */
int cxr_ib_create_raw(struct cxr_ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
/* All of it; ib_core has no rule that leads to it any more. */
void cxr_ib_destroy_raw(struct cxr_ib_qp *qp, struct cxr_ib_ucontext *ctx);
/* As cxr_ib_modify_qp(); qp->mutex held. */
int cxr_ib_modify_raw(struct cxr_ib_qp *qp, const struct ib_qp_attr *attr, int mask);
/* As cxr_ib_query_qp(); both structs are zeroed. */
int cxr_ib_query_raw(struct cxr_ib_qp *qp, struct ib_qp_attr *attr, struct ib_qp_init_attr *init);

/* wq.c */
/* All that a QP of RSS has; cxr_ib_destroy_raw() undoes it. */
int cxr_ib_create_rss_tir(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr,
			  struct ib_udata *udata);
/* What a hash can be made of: enum mlx5_rx_hash_fields. */
u64 cxr_ib_hash_fields(void);
bool cxr_ib_has_rss(const struct cxr_caps *caps);

/* flow.c */
bool cxr_ib_has_flows(const struct cxr_caps *caps);

/* qp_common.c */
/*
 * The request of user space for a QP, as far as it can be checked by itself. *bytes: both queues,
 * if they lie in one piece.
 */
int cxr_ib_copy_req_qp(struct cxr_ib_ucontext *ctx, const struct ib_qp_init_attr *attr,
		       struct ib_udata *udata, struct mlx5_ib_create_qp *req, u32 *user_index,
		       u64 *bytes);
void cxr_ib_init_qp(struct cxr_ib_qp *qp, const struct ib_qp_init_attr *attr, bool user);
int cxr_ib_copy_resp_qp(struct ib_udata *udata);
/* The entry of the address table that the QP uses from now on; -1: none. */
void cxr_ib_qp_set_sgid(struct cxr_ib_qp *qp, int index);

/* wr.c */
/* The data segments of a receive WQE, which has @max; a shorter list ends with one that says so. */
void cxr_ib_write_recv(struct prm_wqe_data_seg *seg, u32 max, const struct ib_recv_wr *wr);

/* gid.c */
/* A QP or an AH is about to send with this entry; any context. */
void cxr_ib_gid_get(struct cxr_ib_dev *dev, unsigned int index);
/* It will not any more; any context. */
void cxr_ib_gid_put(struct cxr_ib_dev *dev, unsigned int index);
/* Other source MACs for what is assigned to port 1 and 2 of an ECMP LAG. */
int cxr_ib_set_lag_macs(struct cxr_ib_dev *dev, const u8 mac[CXR_LAG_PORTS][ETH_ALEN]);
/* Stage: the driver's account of the device's address table. */
int cxr_ib_gids_up(void *dev);
/* All users are gone. */
void cxr_ib_gids_down(void *dev);

/* Entries of the GID table. */
static inline u16 cxr_ib_gid_tbl_len(const struct cxr_ib_dev *dev)
{
	return dev->gid_half ?: dev->core->caps.roce_addresses;
}

/* xrc.c */
/*
 * What a QP of XRC works with where its owner has nothing: made for the first one, stays until the
 * device goes. May sleep.
 */
const struct cxr_ib_xrc_defaults *cxr_ib_xrc_defaults(struct cxr_ib_dev *dev);
/* Stage, after the last QP. */
void cxr_ib_xrc_down(void *dev);

/* counter.c */
/* Number of the set that a QP shall count in. */
u32 cxr_ib_qp_q_set(const struct cxr_ib_qp *qp);
/* A transition succeeded; what it means for the set of counters. */
void cxr_ib_counter_qp_modified(struct cxr_ib_qp *qp, enum ib_qp_state from, enum ib_qp_state to);
/*
 * A set can be freed when neither ib_core's counter nor the device's context of a QP names it. The
 * latter may last: a QP in error stays with its set whatever ib_core does.
 */
void cxr_ib_q_set_put(struct cxr_ib_dev *dev, struct cxr_ib_q_set *set);
/* Stage: the port's set, and what the device counts; before registration. */
int cxr_ib_counters_up(void *dev);
/* After the last QP. */
void cxr_ib_counters_down(void *dev);

/* mad.c */
extern const struct ib_device_ops cxr_ib_pma_ops;

/* event.c */
extern const struct cxr_client_ops cxr_ib_client_ops;
/* The port's netdev with a reference, or NULL. */
struct net_device *cxr_ib_get_netdev(struct cxr_ib_dev *dev);
/* Reports port events and another MTU from now on; after registration. Both under scan_lock. */
int cxr_ib_watch_netdev(struct cxr_ib_dev *dev);
void cxr_ib_unwatch_netdev(struct cxr_ib_dev *dev);
void cxr_ib_put_qp(struct cxr_ib_qp *qp);
void cxr_ib_put_srq(struct cxr_ib_srq *srq);
/* Events of a queue go to @target, which names a QP or a WQ. */
int cxr_ib_register_event_target(struct cxr_ib_dev *dev, u32 key,
				 struct cxr_ib_event_target *target);
/* After it no event is under way. */
void cxr_ib_unregister_event_target(struct cxr_ib_dev *dev, u32 key,
				    struct cxr_ib_event_target *target);
/* An event of a QP to whoever has it; any context. */
void cxr_ib_dispatch_qp_event(struct cxr_ib_qp *qp, enum ib_event_type type);

#endif
