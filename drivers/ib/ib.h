/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* cxr_ib, the RDMA device: what its files share. Queues are in queue.h. */
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
#include "../policy/tclass.h"
#include "verbs.h"

#define CXR_IB_PORT 1		/* a function has one port */
#define CXR_IB_NO_UIDX 0xffffff	/* user index of a queue without one */
#define CXR_IB_EVENT_KEY_RQ BIT(24)	/* above the 24 bits of a queue number */
#define CXR_IB_SQ_DESC_MAX 512	/* bytes of a send WQE */
#define CXR_IB_UMR_WQE 192	/* bytes of a WQE that registers memory, in whole blocks */

/* A folder of the device in sysfs, and that of the port in it. */
struct cxr_ib_folder {
	struct kobject *device, *port;
};

/* A flow table of RoCE packets, which exists while it has users. */
struct cxr_ib_rdma_table {
	u32 id;
	unsigned int users;
};

/*
 * An optional counter, if it is enabled: the group of its entries, how many of them there are, and
 * their flow counter.
 */
struct cxr_ib_optional {
	bool on;
	bool grouped;		/* there is the group, also if the device did not let go of it */
	u32 group, counter;
	u32 entries;
};

/**
 * struct cxr_ib_dev - RDMA device of a function
 * @ibdev: of ib_core
 * @core: the function
 * @uar: doorbells of the kernel's queues
 * @bf: the device takes WQEs by BlueFlame; constant
 * @qps: QPN of the device to struct cxr_ib_qp; its lock is taken with interrupts disabled
 * @srqs: SRQN to struct cxr_ib_srq; as @qps
 * @event_targets: SQN, or RQN with CXR_IB_EVENT_KEY_RQ, to struct cxr_ib_event_target; as @qps
 * @dc_targets: DC targets that are drained, by number: struct cxr_ib_target; as @qps
 * @kcq_lock: protects @kcqs; a QP leaves the lists of its kernel CQs under it
 * @kcqs: CQs of the kernel; their handlers are called when the device dies
 * @flush_work: on a dead device calls the completion handlers of those @kcqs that have QPs
 * @netdev_lock: protects @port_active, @active_mtu and writes to @netdev
 * @netdev: netdev whose state is the port's, with a reference, or NULL; in a LAG the bond
 * @port_active: port state last reported to ib_core
 * @active_mtu: port MTU last reported to ib_core, in bytes
 * @netdev_nb: notifier of @watched
 * @netdev_nn: ties @netdev_nb to @watched
 * @watched: netdev that @netdev_nb is registered for, or NULL; @netdev while the device is
 *           registered
 * @scan_lock: protects @watched, @netdev_nb, @netdev_nn, @registered and @fatal; held while GIDs
 *             are scanned; rtnl_lock nests inside
 * @registered: the device is registered with ib_core, so GIDs may be scanned
 * @fatal: the device has failed
 * @gsi_pd: PD of the GSI QP, or NULL; only compared, never dereferenced
 * @xrc_lock: protects @xrc_defaults
 * @xrc_defaults: objects that XRC QPs share, created for the first one
 * @loopback_lock: protects @domains
 * @domains: contexts with transport domains; from the second one on they need loopback
 * @umr_lock: protects @umr and @mkeys, and serializes UMR work requests
 * @umr: QP that changes memory keys, created for the first change
 * @mkeys: keys of deregistered MRs, for new ones; or NULL
 * @force_lock: serializes writes to @force, and the walks over the QPs that follow
 * @force: rules of Force DSCP, or NULL: none yet
 * @ttl: TTL or hop limit of new paths; 0: their own; accessed with READ_ONCE() and WRITE_ONCE()
 * @tc_folder: tc in sysfs
 * @ttl_folder: ttl in sysfs
 * @q_set: counter set of QPs that have no other; 0: the device has none
 * @q_sets: other counter sets, number to struct cxr_ib_q_set
 * @n_q_stats: how many of @stat_descs, from the first one on, a counter set has
 * @gid_lock: protects @gid_entries, @gid_set, @lag_mac, writes to @gid_deferred, and the device's
 *            address table
 * @gid_refs: QPs and AHs that use an entry of the address table, by index
 * @gid_deferred: entries that ib_core removed and the device keeps, since they are in use
 * @gid_work: removes deferred entries that are no longer in use
 * @gid_half: in an ECMP LAG the number of GIDs, and the distance from each to its copy for port 2;
 *            else 0
 * @gid_entries: in an ECMP LAG the entries of the device, to be written again with another MAC
 * @gid_set: which of @gid_entries are valid
 * @lag_mac: as cxr_lag.mac
 * @lag_next: counts the QPs of a LAG, to spread them over its ports
 * @icrc_counted: the port counts ICRC errors
 * @n_stats: number of counters
 * @stat_counters: the counters
 * @stat_descs: their names
 * @rdma_tables: flow tables of RoCE packets received and sent, for @optional
 * @optional: optional counters; as @rdma_tables under the lock of the port's statistics
 * @devx: user contexts, or NULL: the device has none
 * @odp: on-demand paging, or NULL: the device has none
 * @dm_lock: protects @dm_pages
 * @dm_pages: which pages of the device's memory are not free, or NULL: it has none
 * @debugfs: file that lists the QPs
 * @stages: which stages are up
 */
struct cxr_ib_dev {
	struct ib_device ibdev;
	struct cxr_core *core;
	struct cxr_uar *uar;
	bool bf;
	struct xarray qps;
	struct xarray srqs;
	struct xarray event_targets;
	struct xarray dc_targets;
	struct mutex kcq_lock;			/* CQs of the kernel */
	struct list_head kcqs __guarded_by(&kcq_lock);
	struct work_struct flush_work;
	spinlock_t netdev_lock;			/* netdev and state of the port */
	struct net_device *netdev;		/* netdev_lock to write */
	bool port_active __guarded_by(&netdev_lock);
	unsigned int active_mtu __guarded_by(&netdev_lock);
	struct mutex scan_lock;			/* registration and the notifier */
	struct notifier_block netdev_nb __guarded_by(&scan_lock);
	struct netdev_net_notifier netdev_nn __guarded_by(&scan_lock);
	struct net_device *watched __guarded_by(&scan_lock);
	bool registered __guarded_by(&scan_lock);
	bool fatal __guarded_by(&scan_lock);
	const struct ib_pd *gsi_pd;
	struct mutex xrc_lock;			/* the first XRC QP */
	struct cxr_ib_xrc_defaults *xrc_defaults __guarded_by(&xrc_lock);
	struct mutex loopback_lock;		/* loopback of the vport */
	unsigned int domains __guarded_by(&loopback_lock);
	struct mutex umr_lock;			/* UMR work requests */
	struct cxr_ib_umr *umr __guarded_by(&umr_lock);
	struct cxr_ib_mkeys *mkeys __guarded_by(&umr_lock);
	struct mutex gid_lock;			/* the device's address table */
	atomic_t *gid_refs;
	unsigned long *gid_deferred;		/* gid_lock to write */
	struct work_struct gid_work;
	u16 gid_half;
	struct cxr_gid_entry *gid_entries __guarded_by(&gid_lock);
	unsigned long *gid_set __guarded_by(&gid_lock);
	u8 lag_mac[CXR_LAG_PORTS][ETH_ALEN] __guarded_by(&gid_lock);
	atomic_t lag_next;
	struct mutex force_lock;		/* rules of Force DSCP */
	struct cxr_ib_force __rcu *force;	/* force_lock to write */
	u8 ttl;
	struct cxr_ib_folder tc_folder, ttl_folder;
	u32 q_set;
	struct xarray q_sets;
	int n_q_stats;
	bool icrc_counted;
	int n_stats;
	enum cxr_counter stat_counters[CXR_COUNTERS];
	struct rdma_stat_desc stat_descs[CXR_COUNTERS];
	struct cxr_ib_rdma_table rdma_tables[2];
	struct cxr_ib_optional optional[CXR_OPTIONAL_COUNTERS];
	struct cxr_ib_devx *devx;
	struct cxr_ib_odp *odp;
	spinlock_t dm_lock;			/* the device's memory */
	unsigned long *dm_pages __guarded_by(&dm_lock);
	struct dentry *debugfs;
	struct cxr_stages stages;
};

/**
 * struct cxr_ib_ucontext - context of a process
 * @ibucontext: of ib_core
 * @uid: of DEVX: the device keeps objects of the context apart by it; 0: none
 * @devx_objects: objects of @uid that the program made without verbs
 * @cqe_version: 1: queues have a user index
 * @uar_4k: the library handles UARs smaller than a page
 * @uars_per_page: device UARs in a system page
 * @uars: first UAR index of a page to struct cxr_ib_uar; only pages of this context
 * @db_lock: protects @db_pages and the pages in it
 * @db_pages: pinned pages with doorbell records
 * @td_lock: protects @tdn, @has_td and @has_domain
 * @tdn: transport domain of its raw packet queues, allocated for the first one
 * @has_td: @tdn is allocated
 * @has_domain: it is one of cxr_ib_dev.domains, until it goes
 * @left_lock: protects @left_uars and @left
 * @left_uars: UARs that the device has not taken back yet, since other objects use them
 * @left: likewise, objects without a handle: struct cxr_ib_left
 */
struct cxr_ib_ucontext {
	struct ib_ucontext ibucontext;
	u16 uid;
	atomic_t devx_objects;
	u8 cqe_version;
	bool uar_4k;
	u32 uars_per_page;
	struct xarray uars;
	struct mutex db_lock;		/* doorbell records */
	struct list_head db_pages __guarded_by(&db_lock);
	struct mutex td_lock;		/* transport domain */
	u32 tdn __guarded_by(&td_lock);
	bool has_td __guarded_by(&td_lock);
	bool has_domain __guarded_by(&td_lock);
	struct mutex left_lock;		/* what the device has not taken back */
	struct list_head left_uars __guarded_by(&left_lock);
	struct list_head left __guarded_by(&left_lock);
};

/* First in what an offset for mmap() leads to. */
struct cxr_ib_mapping {
	struct rdma_user_mmap_entry entry;
	enum {
		CXR_IB_MAPPING_UAR,	/* struct cxr_ib_uar */
		CXR_IB_MAPPING_DM,	/* dm.c */
	} kind;
};

/*
 * UAR page of user space. Its mappings and the queues that ring it hold references on the
 * entry; the last put frees it.
 */
struct cxr_ib_uar {
	struct cxr_ib_mapping mapping;
	struct list_head left_entry;	/* cxr_ib_ucontext.left_uars */
	u32 index;
	bool wc;
};

struct cxr_ib_pd {
	struct ib_pd ibpd;
	u16 uid;		/* of its context */
	u32 pdn;
};

struct cxr_ib_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcd;
};

/* queue.h */
struct cxr_ib_qp;

/* umr.c: QP that changes memory keys. */
struct cxr_ib_umr;

/* mkey.c: revoked memory keys. */
struct cxr_ib_mkeys;

/* xrc.c: objects that XRC QPs share. */
struct cxr_ib_xrc_defaults;

/* force.c: rules of Force DSCP. */
struct cxr_ib_force;

/* devx.h: user contexts. */
struct cxr_ib_devx;

/* odp.h: on-demand paging. */
struct cxr_ib_odp;
struct cxr_ib_odp_key;
struct cxr_ib_odp_mr;

/* A counter set of single QPs, beside that of the port. */
struct cxr_ib_q_set {
	u32 id;
	refcount_t ref;		/* rdma_counter of ib_core, and QPs that the device counts in it */
};

struct cxr_ib_ah {
	struct ib_ah ibah;
	u8 sgid_index;
	struct prm_av av;
};

/**
 * struct cxr_ib_mr - memory region
 * @ibmr: of ib_core
 * @umem: memory of user space, or NULL
 * @mkey: as it was created; 0: none, since a change of it failed
 * @log_room: of @mkey, as cxr_ib_mkey_create() returned it
 * @access: enum cxr_access
 * @va: IOVA of @umem
 * @odp: of on-demand paging: everything but @ibmr is there; else NULL
 * @pages: fast registration: page list that a WQE hands to the device
 * @pages_dma: DMA address of @pages
 * @pages_size: size of @pages in bytes
 * @npages: pages in the list
 * @max_pages: capacity of the list
 */
struct cxr_ib_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	u32 mkey;
	u8 log_room;
	u32 access;
	u64 va;
	struct cxr_ib_odp_mr *odp;
	struct prm_mtt *pages;
	dma_addr_t pages_dma;
	u32 pages_size;
	u32 npages;
	u32 max_pages;
};

/**
 * struct cxr_ib_request - what the driver's part of a user space request must look like
 * @what: name of the object, for the log
 * @size: bytes that this driver knows
 * @min_size: bytes that user space must send
 * @unknown: error if there are more than @size bytes and they are not zero; 0: they are ignored
 */
struct cxr_ib_request {
	const char *what;
	size_t size;
	size_t min_size;
	int unknown;
};

/* umem.c: pinned page of user space with doorbell records. */
struct cxr_ib_db_page;

/* Doorbell record in user space. */
struct cxr_ib_db {
	struct cxr_ib_db_page *page;
	dma_addr_t dma;
};

/* Pinned queue memory of user space; @pas is valid until @dma is freed. */
struct cxr_ib_queue {
	struct ib_umem *umem;
	dma_addr_t *dma;
	struct cxr_pas pas;
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

/* device.c */
extern const struct attribute_group cxr_ib_attr_group;

/* flow.c */
#define CXR_IB_FLOW_TAG_MAX 0xffffff
/*
 * A flow of one rule, for ib_set_flow(); the number of @users has one more until it is destroyed.
 * Returns an ERR_PTR as cxr_rule_add().
 */
struct ib_flow *cxr_ib_add_flow(struct cxr_ib_dev *dev, const struct cxr_rule_attr *attr,
				atomic_t *users);

/* matcher.c */
extern const struct uapi_definition cxr_ib_matcher_defs[];

/* devx.c, devx_umem.c, devx_async.c, devx_event.c */
extern const struct uapi_definition cxr_ib_devx_defs[];
extern const struct uapi_definition cxr_ib_devx_umem_defs[];
extern const struct uapi_definition cxr_ib_devx_async_defs[];
extern const struct uapi_definition cxr_ib_devx_event_defs[];
/* Stage: user contexts, if the device has them. */
int cxr_ib_devx_up(void *owner);
void cxr_ib_devx_down(void *owner);
/* A number for the context. May sleep. 0, -EINVAL (no DEVX), or the command's error. */
int cxr_ib_devx_open(struct cxr_ib_ucontext *ctx);
/* After its last object with a handle. Does nothing if it has no number. May sleep. */
void cxr_ib_devx_close(struct cxr_ib_ucontext *ctx);
/*
 * The program has objects that verbs do not know. If the device refuses to destroy one of verbs,
 * one of those may use it: the caller returns the error, and leaves the object as it is. @ctx: NULL
 * for the kernel.
 */
bool cxr_ib_devx_holds(const struct cxr_ib_ucontext *ctx);
/*
 * Before an object of verbs is destroyed: objects without a handle that the device refused to take
 * back, and that may use it, go if they can. May sleep. @ctx: as above.
 */
void cxr_ib_devx_settle(struct cxr_ib_ucontext *ctx);
/* Any event but completions. Interrupt context. */
void cxr_ib_devx_event(struct cxr_ib_dev *dev, const struct prm_eqe *eqe);

/* context.c */
extern const struct uapi_definition cxr_ib_uapi_defs[];
/*
 * The UAR page with the index that user space named, with a reference, or NULL. Finds only pages of
 * this context: a foreign page would ring foreign queues.
 */
struct cxr_ib_uar *cxr_ib_uar_get(struct cxr_ib_ucontext *ctx, u32 index);
void cxr_ib_uar_put(struct cxr_ib_uar *uar);
/*
 * Checks the user index of a queue: CQE version 1 requires one, version 0 forbids it. @present: the
 * request was long enough to contain @uidx.
 */
int cxr_ib_check_uidx(struct cxr_ib_ucontext *ctx, bool present, u32 uidx, u32 *user_index);

/* domain.c */
/* The transport domain of the context, allocated at the first call and kept. May sleep. */
int cxr_ib_get_td(struct cxr_ib_ucontext *ctx, u32 *tdn);
/*
 * The context has a transport domain, its own or one that the program allocated by DEVX: for two
 * such contexts there is loopback of the vport. After the first call it does nothing. May sleep.
 */
int cxr_ib_add_domain(struct cxr_ib_ucontext *ctx);
/* When the context closes. May sleep. */
void cxr_ib_put_domains(struct cxr_ib_ucontext *ctx);

/* pp.c */
extern const struct uapi_definition cxr_ib_pp_defs[];

/* dm.c */
extern const struct uapi_definition cxr_ib_dm_defs[];
/* Stage: bookkeeping of the device's memory, if it has any. */
int cxr_ib_dm_up(void *dev);
void cxr_ib_dm_down(void *dev);
/* Does the offset mean such memory, if it is one of the older ones? */
bool cxr_ib_dm_is_mmap(const struct vm_area_struct *vma);
int cxr_ib_dm_mmap(struct ib_ucontext *ibctx, struct vm_area_struct *vma);
/* After the last put of an entry of CXR_IB_MAPPING_DM. May sleep. */
void cxr_ib_dm_mmap_free(struct rdma_user_mmap_entry *entry);
/* Its place in BAR 0, for a memory key. */
u64 cxr_ib_dm_addr(struct ib_dm *ibdm);

/* mkey.c */
/* IB_ACCESS_* as enum cxr_access; without atomics if the device does not support them. */
u32 cxr_ib_device_access(const struct cxr_caps *caps, int access);
/*
 * A key of CXR_MKEY_PAGES, new or of an MR that is gone. *log_room is for cxr_ib_mkey_destroy().
 * May sleep. 0, -ENOMEM, or the command's error.
 */
int cxr_ib_mkey_create(struct cxr_ib_dev *dev, struct cxr_mkey_attr *attr, u32 *mkey,
		       u8 *log_room);
/*
 * 0: the device does not access the memory any more, and the key is invalid; after an error it may.
 * @access: as it is now. May sleep.
 */
int cxr_ib_mkey_destroy(struct cxr_ib_dev *dev, u32 mkey, u8 log_room, u32 access);
/*
 * Changes access (enum cxr_access) and PD of such a key. Relaxed ordering stays as it is, and so
 * does atomic access with caps.umr_modify_atomic_disabled. May sleep. After an error the access of
 * the key is undefined: destroy it.
 */
int cxr_ib_mkey_change(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, u32 access);
struct cxr_ib_xlt;
/*
 * Writes entries of the list of a key of kind CXR_MKEY_PAGING or _PAGING_ALL, in use, or free with
 * @use, all of which but @atomic is set; @n is not 0. -EFAULT: of xlt->fill(); -ENODEV: the device
 * has failed. Sleeps, but does not wait for memory. Other keys may change in between: what keeps
 * others from this one is the caller's.
 */
int cxr_ib_mkey_write(struct cxr_ib_dev *dev, const struct cxr_ib_xlt *xlt, u64 first, u64 n,
		      struct cxr_umr_use *use);
/*
 * From the return on the device does not access memory by the key, which stays, and is free; *gone:
 * it had to be destroyed. After an error the device may. As above.
 */
int cxr_ib_mkey_stop(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, bool *gone);
/* Stage: after the last MR of user space. May sleep. */
void cxr_ib_mkeys_down(void *dev);

/*
 * umr.c: they sleep. After an error the state of the key is undefined, and the QP must go:
 * cxr_ib_umr_down().
 */
#define CXR_IB_UMR_LOG_PAGES 11		/* pages of a list at most: 16 KiB of memory */

/* @atomic: UMR can set atomic access. */
int cxr_ib_umr_change(struct cxr_ib_dev *dev, u32 mkey, u32 pdn, u32 access, bool atomic)
	__must_hold(&dev->umr_lock);
/* A key in use becomes free, and stays in its PD. */
int cxr_ib_umr_stop(struct cxr_ib_dev *dev, u32 mkey, u32 pdn) __must_hold(&dev->umr_lock);
/* A key in use becomes free, and belongs to the PD of the UMR QP. */
int cxr_ib_umr_revoke(struct cxr_ib_dev *dev, u32 mkey) __must_hold(&dev->umr_lock);
/* A free key gets PD, access, region and the pages @dma. */
int cxr_ib_umr_enable(struct cxr_ib_dev *dev, const struct cxr_fast_reg *reg,
		      const dma_addr_t *dma, u32 pdn, bool atomic)
	__must_hold(&dev->umr_lock);
/* A list of a key, whose entries are of 2^@log_entry bytes. */
struct cxr_ib_xlt {
	u32 key;
	u8 log_entry;
	u64 n;			/* entries */
	/* Writes entries @first to @first + @n - 1 to zeroed memory; an error ends the change. */
	int (*fill)(void *arg, void *to, u64 first, u64 n);
	void *arg;
};

/*
 * Bytes from *at on, whole blocks, are written to the list of a key in use, or with @use to that of
 * a free one: as many as one work request can, up to @end. *at: where the next ones begin. With
 * those before @end a free key comes into use.
 */
int cxr_ib_umr_list(struct cxr_ib_dev *dev, const struct cxr_ib_xlt *xlt, u64 *at, u64 end,
		    const struct cxr_umr_use *use)
	__must_hold(&dev->umr_lock);
/*
 * Takes umr_lock. Until it is released no allocation waits for memory to be reclaimed: that may
 * wait for umr_lock. Returns the argument of the other one.
 */
unsigned int cxr_ib_umr_lock(struct cxr_ib_dev *dev) __acquires(&dev->umr_lock);
void cxr_ib_umr_unlock(struct cxr_ib_dev *dev, unsigned int flags) __releases(&dev->umr_lock);
/* Creates the QP now rather than for the first change. -ENOMEM, or the command's error. */
int cxr_ib_umr_prepare(struct cxr_ib_dev *dev);
/* Destroys the QP, if there is one, and its PD: no key may refer to that. */
void cxr_ib_umr_down(struct cxr_ib_dev *dev) __must_hold(&dev->umr_lock);

/* wc.c */
/* Do BlueFlame writes reach the device in one piece? false if the test cannot run. May sleep. */
bool cxr_ib_test_wc(struct cxr_ib_dev *dev);

/* odp.c: a kernel without the option has no such device. */
extern const struct ib_device_ops cxr_ib_odp_ops;
#ifdef CONFIG_INFINIBAND_ON_DEMAND_PAGING
/* Stage: on-demand paging, if the device has it. */
int cxr_ib_odp_up(void *dev);
void cxr_ib_odp_down(void *dev);
/* What ib_core tells programs. */
void cxr_ib_odp_fill_caps(const struct cxr_caps *caps, struct ib_odp_caps *odp);

/* odp_mr.c */
/*
 * Memory of the process at @start, @length bytes, or all of it (0, ~0), with on-demand paging.
 * ERR_PTR: -EOPNOTSUPP, -EINVAL, -ENOMEM, or the error of a command.
 */
struct ib_mr *cxr_ib_odp_reg(struct ib_pd *ibpd, u64 start, u64 length, u64 iova, int access);
/* As it was registered: enum ib_access_flags. */
int cxr_ib_odp_access(const struct cxr_ib_odp_mr *odp);
/* The same memory again, for a new MR. As cxr_ib_odp_reg(); -EINVAL: it is another process's. */
struct ib_mr *cxr_ib_odp_rereg(const struct cxr_ib_odp_mr *odp, struct ib_pd *pd, int access);
/* Waits for faults of the MR in progress. The process may be gone. */
void cxr_ib_odp_dereg(struct cxr_ib_odp_mr *odp);
/*
 * A memory window, or another key that refers to parts of others: without this it cannot be used
 * for memory with on-demand paging. @rkey: any variant. May sleep. -ENOMEM, -EIO
 */
int cxr_ib_odp_add_window(struct cxr_ib_dev *dev, u32 rkey, u32 parts);
/* Does nothing for one that was not added. Waits for faults. */
void cxr_ib_odp_remove_window(struct cxr_ib_dev *dev, u32 rkey);
#else
static inline int cxr_ib_odp_up(void *dev)
{
	return 0;
}

static inline void cxr_ib_odp_down(void *dev)
{
}

static inline void cxr_ib_odp_fill_caps(const struct cxr_caps *caps, struct ib_odp_caps *odp)
{
}

static inline struct ib_mr *cxr_ib_odp_reg(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
					   int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline int cxr_ib_odp_access(const struct cxr_ib_odp_mr *odp)
{
	return 0;
}

static inline struct ib_mr *cxr_ib_odp_rereg(const struct cxr_ib_odp_mr *odp, struct ib_pd *pd,
					     int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void cxr_ib_odp_dereg(struct cxr_ib_odp_mr *odp)
{
}

static inline int cxr_ib_odp_add_window(struct cxr_ib_dev *dev, u32 rkey, u32 parts)
{
	return 0;
}

static inline void cxr_ib_odp_remove_window(struct cxr_ib_dev *dev, u32 rkey)
{
}
#endif

/* clock.c */
/* The clock's part of the response to a new context. */
void cxr_ib_clock_fill_resp(const struct cxr_ib_dev *dev, struct mlx5_ib_alloc_ucontext_resp *resp);
int cxr_ib_clock_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma);

/* debugfs.c */
/* The file in the folder of the function. A failure has no effect on the device. */
void cxr_ib_debugfs_add(struct cxr_ib_dev *dev);
/* Waits for readers. */
void cxr_ib_debugfs_remove(struct cxr_ib_dev *dev);

/* udata.c */
/*
 * Copies @request->size bytes of a user space request to @to (NULL if the size is 0), padded with
 * zeroes if user space sent less. Newer user space may send more, which must be zero. Logs the
 * reason of a refusal. May sleep. -EINVAL: too short; @request->unknown: unknown bytes are not
 * zero; -EFAULT.
 */
int cxr_ib_copy_req(const struct ib_device *ibdev, struct ib_udata *udata,
		    const struct cxr_ib_request *request, void *to);

/* umem.c */
/*
 * Pins queue memory until cxr_ib_queue_unpin(), which comes after the destroy command.
 * @offset_bits: one of CXR_PAS_OFFSET_BITS*, by the kind of queue. 0, -ENOMEM, the errors of
 * pinning, or -EINVAL: the device cannot be told where in a page the memory begins.
 */
int cxr_ib_queue_pin(struct cxr_ib_dev *dev, u64 addr, size_t size, u8 offset_bits,
		     struct cxr_ib_queue *queue);
/* The device has read the page list. */
void cxr_ib_queue_free_list(struct cxr_ib_queue *queue);
void cxr_ib_queue_unpin(struct cxr_ib_queue *queue);
/* As cxr_buf_keep(), for memory of a program: it stays pinned. */
void cxr_ib_queue_keep(struct cxr_ib_queue *queue);
/* Pins a doorbell record; -EINVAL: @addr is not aligned. */
int cxr_ib_db_pin(struct cxr_ib_ucontext *ctx, u64 addr, struct cxr_ib_db *db);
void cxr_ib_db_unpin(struct cxr_ib_ucontext *ctx, struct cxr_ib_db *db);
/*
 * DMA addresses of all blocks of @page_size; kvfree() it. NULL: no memory, or too many blocks for a
 * command.
 */
dma_addr_t *cxr_ib_umem_list(struct ib_umem *umem, unsigned long page_size, u32 *n);

/* pd_ah.c */
/*
 * Converts an AH attribute of ib_core to an address of the device, for an AH (both QPNs are 0) or
 * the path of a QP. Logs the reason of a refusal.
 */
int cxr_ib_addr_from_ah(struct cxr_ib_dev *dev, const struct rdma_ah_attr *ah, u32 local_qpn,
			u32 remote_qpn, struct cxr_addr *addr);
/* The way back, of @port. */
void cxr_ib_addr_to_ah(const struct cxr_addr *addr, u8 port, struct rdma_ah_attr *ah);

/* force.c */
/* What the rules are looked up by. @ah has a GRH and a source GID. */
void cxr_ib_force_path(const struct rdma_ah_attr *ah, struct cxr_tclass_path *path);
/* The traffic class of the path: that of a rule, or its own. Any context. */
u8 cxr_ib_force_tclass(struct cxr_ib_dev *dev, const struct cxr_tclass_path *path);
/* Stage: the files, after registration. */
int cxr_ib_force_up(void *dev);
/* Waits for readers and writers. */
void cxr_ib_force_down(void *dev);
/* Call after the last QP and AH. */
void cxr_ib_force_free(struct cxr_ib_dev *dev);

static inline struct cxr_limits cxr_ib_limits(const struct cxr_caps *caps)
{
	return (struct cxr_limits){
		.log_qp = caps->log_max_qp_sz,
		.log_srq = caps->log_max_srq_sz,
		.log_cq = caps->log_max_cq_sz,
		.send_bytes = min_t(u16, caps->max_wqe_sz_sq, CXR_IB_SQ_DESC_MAX),
		.recv_bytes = caps->max_wqe_sz_rq,
		.few_strides = caps->few_strides,
	};
}

/*
 * The error of what a connection needs: PDs, CQs, QPs and their states. After a failure of the
 * device programs get -ENODEV. Users in the kernel have to try again, since it comes back after a
 * reset: SUNRPC does that after -EHOSTUNREACH, but gives its tasks up after -ENODEV.
 */
static inline int cxr_ib_errno(int err, bool user)
{
	return err == -ENODEV && !user ? -EHOSTUNREACH : err;
}

/* Is there room for a UMR in the largest send WQE? */
static inline bool cxr_ib_has_umr(const struct cxr_caps *caps)
{
	return caps->max_wqe_sz_sq >= CXR_IB_UMR_WQE;
}

/* Can a UMR give a key another list of pages? */
static inline bool cxr_ib_umr_sets_list(const struct cxr_caps *caps)
{
	return cxr_ib_has_umr(caps) && !caps->umr_modify_entity_size_disabled;
}

/* Can a UMR change atomic access? */
static inline bool cxr_ib_umr_sets_atomic(const struct cxr_caps *caps)
{
	return caps->atomic && !caps->umr_modify_atomic_disabled;
}

/*
 * Pages that a user in the kernel can register by a WQE; 0: there are neither such MRs nor such
 * WQEs. IB_DEVICE_MEM_MGT_EXTENSIONS promises more than one page.
 */
static inline u32 cxr_ib_max_fast_reg(const struct cxr_caps *caps)
{
	return cxr_ib_umr_sets_list(caps) && caps->log_max_klm_list_size ?
	       BIT(caps->log_max_klm_list_size) : 0;
}

/* flow.c */
bool cxr_ib_has_flows(const struct cxr_caps *caps);

/* gid.c */
/* A QP or AH uses this entry of the address table. Any context. */
void cxr_ib_gid_get(struct cxr_ib_dev *dev, unsigned int index);
/* It no longer does. Any context. */
void cxr_ib_gid_put(struct cxr_ib_dev *dev, unsigned int index);
/* New source MACs for QPs assigned to port 1 and 2 of an ECMP LAG. May sleep. */
int cxr_ib_set_lag_macs(struct cxr_ib_dev *dev, const u8 mac[CXR_LAG_PORTS][ETH_ALEN]);
/* Stage: bookkeeping of the address table. */
int cxr_ib_gids_up(void *dev);
/* Call after the last cxr_ib_gid_put(). */
void cxr_ib_gids_down(void *dev);

/* Length of the GID table. */
static inline u16 cxr_ib_gid_tbl_len(const struct cxr_ib_dev *dev)
{
	return dev->gid_half ?: dev->core->caps.roce_addresses;
}

/* counter.c */
/* The counter set for a QP: that of its rdma_counter, or of the port. */
u32 cxr_ib_qp_q_set(const struct cxr_ib_qp *qp);
/* Call after each successful transition, with qp->mutex held. */
void cxr_ib_counter_qp_modified(struct cxr_ib_qp *qp, enum ib_qp_state from, enum ib_qp_state to);
/*
 * Deallocates the set with the last reference. rdma_counter holds one, and so does each QP that
 * counts in it in the device: a QP in error keeps its set even if ib_core unbinds it.
 */
void cxr_ib_q_set_put(struct cxr_ib_dev *dev, struct cxr_ib_q_set *set);
/* Stage: the counter set of the port; sets the counter ops, so before registration. */
int cxr_ib_counters_up(void *dev);
/* Functions whose ports the device has: number 0 is its own; in a LAG there is 1, too. Or NULL. */
struct cxr_core *cxr_ib_port(const struct cxr_ib_dev *dev, unsigned int n);
/* RoCE packets, with frames' headers; rx and tx are unicast and multicast. */
struct cxr_ib_traffic {
	struct cxr_traffic rx, tx, rx_unicast, tx_unicast, rx_multicast, tx_multicast;
};

/* Of the vports of all of them, added up. Commands (cmd.h). */
int cxr_ib_query_traffic(struct cxr_ib_dev *dev, struct cxr_ib_traffic *sum);
/* Call after the last QP is destroyed. */
void cxr_ib_counters_down(void *dev);

/* optional.c; under the lock of the port's statistics, or after unregistration */
/* Operation modify_hw_stat: counter @index counts from 0 on, or no more. */
int cxr_ib_modify_hw_stat(struct ib_device *ibdev, u32 port, unsigned int index, bool on);
/* Sets those of @values[CXR_COUNTERS] that are enabled. Commands (cmd.h). */
int cxr_ib_read_optional(struct cxr_ib_dev *dev, u64 *values);
void cxr_ib_optional_down(struct cxr_ib_dev *dev);

/* mad.c */
extern const struct ib_device_ops cxr_ib_pma_ops;

/* event.c */
extern const struct cxr_client_ops cxr_ib_client_ops;
/* The netdev of the port with a reference, or NULL. */
struct net_device *cxr_ib_get_netdev(struct cxr_ib_dev *dev);
/* Starts reporting port state and MTU; after registration. Both under scan_lock. */
int cxr_ib_watch_netdev(struct cxr_ib_dev *dev);
void cxr_ib_unwatch_netdev(struct cxr_ib_dev *dev);
/* After the registration with ib_core; reports a failure during it. Under scan_lock. */
void cxr_ib_set_registered(struct cxr_ib_dev *dev);

#endif
