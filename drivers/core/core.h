/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Private to cxr_core. */
#ifndef CXR_CORE_H
#define CXR_CORE_H

#include <linux/debugfs.h>
#include <linux/dmapool.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/ptp_clock_kernel.h>
#include <linux/semaphore.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/timecounter.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "cxr/cxr.h"
#include "cxr/cmd.h"
#include "cxr/stage.h"
#include "cxr/steering.h"
#include "cxr/vf.h"
#include "../policy/fdb.h"
#include "../policy/health.h"
#include "roce.h"

struct prm_iseg;
struct prm_pcam_reg;
struct prm_cmdq_entry;
struct mlx5_ib_clock_info;
struct cmd_ent;

/*
 * A reload and a reset leave stage pci up. Resetting a failed function, which that stage does on
 * its way down, needs the device lock; devlink does not take that on all kernels.
 */
#define CXR_FIRST_STAGE 1

#define CXR_CMD_SLOTS_MAX 32	/* the doorbell and the event carry one bit per slot */

struct cxr_dev;

/* The event of a command is overdue: polls the EQs. True if an interrupt was missed. May sleep. */
typedef bool cxr_cmdq_recover_fn(struct cxr_dev *dev);

/*
 * The command queue. A slot is free while its bit in @busy is clear, and in use by the command that
 * its entry of @ent points to; one in which a command timed out is never used again.
 */
struct cxr_cmdq {
	struct prm_cmdq_entry *ring;
	dma_addr_t dma;
	u8 log_stride;
	u8 slots;		/* the last one is for MANAGE_PAGES only */
	bool up;		/* commands may be issued; cleared under lock */
	cxr_cmdq_recover_fn *recover;	/* NULL: no command EQ yet, poll the slots */
	struct dma_pool *pool;
	struct cxr_cmd_slot *slot;	/* mailboxes of each slot */
	struct semaphore sem;	/* counts all slots but the last */
	struct semaphore pages_sem;	/* the last slot */
	struct semaphore user_sem;	/* those that commands of programs may have at a time */

	spinlock_t lock;	/* taken in interrupts */
	u8 token __guarded_by(&lock);	/* of the last command */
	struct cmd_ent *ent[CXR_CMD_SLOTS_MAX] __guarded_by(&lock);
	u32 busy __guarded_by(&lock);	/* bit per slot */
	u32 running __guarded_by(&lock);	/* commands that use it, or wait */
	wait_queue_head_t idle;		/* there are none */
	/* long chains of lost slots, to which the device may still write */
	struct list_head lost __guarded_by(&lock);

	/* for debugfs; not locked, approximate */
	u64 issued, refused, polled, timed_out, spurious;
	u64 longest_ns;
	u16 longest_op;
};

#define CXR_VFS_MAX 1024	/* more than cards have */
#define CXR_L2_ENTRIES CXR_MACS_MAX	/* of the MPFS, at most */

struct cxr_l2_entry {
	u8 mac[ETH_ALEN];
	u16 users;		/* 0: it is free */
};

#define CXR_PAGE_REQS 32	/* at least; more, if there can be more functions */

struct cxr_page_req {
	u16 func;
	s32 pages;
};

/* Memory lent to the device. */
struct cxr_pages {
	struct mutex lock;		/* pieces, free, counts: to write; no command under it */
	struct xarray pieces;		/* DMA address of a 4 KiB piece >> 12 to struct fw_page */
	struct list_head free __guarded_by(&lock);	/* struct fw_page with free pieces */
	u32 count;			/* pieces that the device holds, of all functions */
	struct xarray func_count;	/* the same by function */
	struct workqueue_struct *wq;	/* ordered */
	struct work_struct work;

	spinlock_t req_lock;		/* taken in interrupts */
	struct cxr_page_req *reqs __guarded_by(&req_lock);
	unsigned int n_reqs;		/* room in reqs, a power of two */
	unsigned int head __guarded_by(&req_lock), tail __guarded_by(&req_lock);
};

struct cxr_eq {
	struct cxr_dev *dev;
	const char *name;
	struct cxr_buf buf;
	u8 log_size;
	u32 ci;			/* written by the handler, or with the interrupt disabled */
	u8 eqn;
	int vector;		/* MSI-X */
	bool live;		/* the handler may poll it */
	/* by cxr_eq_poll_missed() alone */
	bool pending;		/* entry checked_ci was there last time */
	u32 checked_ci;
	u64 events;
};

enum cxr_async_eq { CXR_EQ_CMD, CXR_EQ_ASYNC, CXR_EQ_PAGES, CXR_EQ_FAULTS, CXR_ASYNC_EQS };

/*
 * An MSI-X vector. @irq is Linux's number of it: pci_irq_vector() takes a lock under which memory
 * is allocated, and commands and UMR are waited for where nothing may wait for memory.
 */
struct cxr_vector {
	int irq;
	char name[40];
};

struct cxr_eqs {
	struct cxr_eq async[CXR_ASYNC_EQS];	/* all on MSI-X vector 0 */
	struct cxr_eq *comp;			/* comp[n] is on MSI-X vector n + 1 */
	struct mutex poll_lock;		/* serializes polling in place of an interrupt */
	struct xarray cqs;			/* CQN -> struct cxr_cq */
	/* of cxr_faults_start(), while that EQ is live */
	bool (*take_fault)(void *priv, const struct prm_eqe *eqe);
	void *fault_priv;
	struct cxr_vector *vectors;		/* from cxr_irq_up() to cxr_irq_down() */
};

struct cxr_health {
	struct delayed_work work;
	struct cxr_health_state state;
};

/* What devlink's health reporters are to be told (reporter.c). */
#define CXR_REPORTERS 3

struct cxr_reports {
	struct devlink_health_reporter *reporter[CXR_REPORTERS];
	struct delayed_work work;
	spinlock_t lock;		/* interrupt context */
	bool open __guarded_by(&lock);	/* while the devlink instance is registered */
	bool healthy __guarded_by(&lock);	/* it is again; @why came later */
	const char *why[CXR_REPORTERS] __guarded_by(&lock);	/* NULL: nothing */
};

/* Congestion control (cong.c). The firmware keeps it, but a reset forgets it. */
struct cxr_cong_file {
	struct cxr_dev *dev;
	const struct cxr_cong_param *param;
};

struct cxr_cong {
	struct mutex lock;		/* what users have set */
	bool up __guarded_by(&lock);	/* stage cong: commands may be issued */
	/* what users have set, for after a reset: parameters, and priorities by point */
	DECLARE_BITMAP(params, CXR_CONG_PARAMS) __guarded_by(&lock);
	u32 value[CXR_CONG_PARAMS] __guarded_by(&lock);
	u8 prios[CXR_CONG_POINTS] __guarded_by(&lock), on[CXR_CONG_POINTS] __guarded_by(&lock);
	struct dentry *dir;		/* with the files */
	struct cxr_cong_file file[CXR_CONG_PARAMS];
};

/* The device's counter as a clock (clock.c). */
struct cxr_clock {
	seqlock_t lock;			/* content of @info */
	bool up __guarded_by(&lock);	/* the counter may be read */
	struct cyclecounter cc;		/* mult: @lock */
	struct timecounter tc __guarded_by(&lock);
	u32 mult;			/* of cc, without an adjustment */
	long ppm __guarded_by(&lock);	/* the adjustment, with a fraction of 16 bits */
	ktime_t read_at __guarded_by(&lock);	/* the system's time when tc was read */
	struct mlx5_ib_clock_info *info;	/* page for processes; NULL: no clock */
	unsigned long period;		/* jiffies between updates */
	struct delayed_work work;
	struct ptp_clock_info ptp_info;
	struct ptp_clock *ptp;		/* NULL: no device in /dev */
};

struct cxr_client_slot {
	const struct cxr_client_ops *ops;
	void *priv;
};

/* Generic devlink parameters that switch something off: enable_roce, enable_eth, enable_rdma. */
enum cxr_switch {
	CXR_SWITCH_ROCE,
	CXR_SWITCH_ETH,		/* the network interface */
	CXR_SWITCH_RDMA,	/* the RDMA device, and RoCE with it */
	CXR_SWITCHES,
};

/* Generic devlink parameters that are sizes: io_eq_size, event_eq_size, max_macs. */
enum cxr_size {
	CXR_SIZE_IO_EQ,		/* entries of a completion EQ */
	CXR_SIZE_EVENT_EQ,	/* entries of the EQ of asynchronous events */
	CXR_SIZE_MACS,		/* unicast addresses of the port; a power of two, 0: as it is */
	CXR_SIZES,
};

#define CXR_EQ_SIZE_MIN		64
#define CXR_EQ_SIZE_MAX		4096	/* the default */

struct cxr_rates {
	struct mutex lock;		/* getting and giving back a rate */
	struct cxr_rate_entry *entries __guarded_by(&lock);	/* NULL until one is used */
	u16 n __guarded_by(&lock);	/* entries, also if the device has more after a reset */
};

struct cxr_dev {
	struct cxr_core core;		/* the part that clients see */
	int id;				/* of the auxiliary devices */
	struct cxr_stages stages;
	spinlock_t fail_lock;		/* disabling DMA and setting core.dead; any context */
	/* from module parameters, or by devlink before a reload */
	int requested[CXR_ROCE_PARAM_COUNT];
	bool off[CXR_SWITCHES];		/* by devlink before a reload */
	u32 sizes[CXR_SIZES];		/* as well */
	u32 macs_max;			/* for max_macs; 0: it cannot be set; by stage hca */
	bool has_max_macs;		/* the parameter is registered */
	/*
	 * A reset is about to happen or has happened, and the stages are not up again yet. Written
	 * under the lock of the PCI device and of the devlink instance, read under either
	 */
	bool resetting;
	bool needs_reset;		/* it kept pages, or is still enabled; by stage hca */
	bool asleep;			/* the system sleeps: it must not come up */
	bool with_pf;			/* asleep, until the PF, on this host, wakes it */
	bool slot_flr;			/* slot_reset() resets it, not the PCI core */

	phys_addr_t bar;
	resource_size_t bar_len;
	struct prm_iseg __iomem *iseg;
	struct pci_saved_state *config;	/* without bus mastering; from stage pci on */

	struct cxr_cmdq cmdq;
	struct cxr_pages pages;
	struct cxr_uar *uar;		/* doorbells of the EQs */
	struct cxr_eqs eqs;
	struct cxr_health health;
	struct cxr_reports reports;
	struct cxr_cong cong;
	struct cxr_clock clock;
	struct llist_head kept;		/* queue memory that the device may still access (buf.c) */
	struct mutex db_lock;
	struct list_head dbs __guarded_by(&db_lock);	/* pages of doorbell records (buf.c) */
	struct mutex loopback_lock;	/* loopback of the vport */
	unsigned int loopback_users __guarded_by(&loopback_lock);
	atomic_t mkey_variant;
	struct cxr_rates rates;
	struct mutex flow_lock;		/* steering.c */
	/* LAG demux table, and the table behind it; 0: none */
	u32 demux __guarded_by(&flow_lock), demux_next __guarded_by(&flow_lock);
	u32 first_table __guarded_by(&flow_lock);	/* 0: none */
	/* en's first and last table, and where the miss of the last one leads; 0: none */
	u32 en_first __guarded_by(&flow_lock), en_last __guarded_by(&flow_lock);
	u32 en_miss __guarded_by(&flow_lock);
	/* by priority */
	struct cxr_rule_table *rules[CXR_FLOW_PRIO_FALLBACK + 1] __guarded_by(&flow_lock);
	/* UDP ports of VXLAN that it did not let go of; 0: none. For cxr_en, one at a time */
	u16 vxlan_kept[CXR_VXLAN_PORTS];
	bool uar_4k;			/* UAR numbers are in units of 4 KiB, not of PAGE_SIZE */
	bool relaxed_write, relaxed_read;
	/* more events that the device can send, bit per event type */
	u64 more_events;

	/*
	 * clients, netdev_nb and its state in core.port, netdev and mac of core.lag;
	 * serializes registration with netdev, lag_macs and fatal callbacks
	 */
	struct mutex client_lock;
	struct cxr_client_slot client_slots[CXR_CLIENTS] __guarded_by(&client_lock);
	/* to client_slots, or NULL; read under RCU by event callbacks */
	struct cxr_client_slot __rcu *clients[CXR_CLIENTS];
	struct cxr_adev *adevs[CXR_CLIENTS];	/* ib: under the lock of @card */
	struct work_struct fatal_work;
	const char *fail_why;		/* for it, a constant */
	struct cxr_card *card;		/* cards_lock to write; NULL: no LAG is possible */
	const char *no_card_why;	/* NULL: it has one while stage clients is up */
	bool lag_allowed;		/* roce_lag_enable; READ_ONCE() */
	/* VFs that there are to be, also over a reset; lock of devlink to write, READ_ONCE() */
	u16 vfs_wanted;
	struct mutex vfs_lock;		/* VFs, and commands about them */
	/* enabled in the firmware, by VF */
	DECLARE_BITMAP(vfs, CXR_VFS_MAX) __guarded_by(&vfs_lock);
	/* of vfs_wanted VFs; NULL: there are none, or the function does not manage the e-switch */
	struct cxr_vf_settings *vf_settings __guarded_by(&vfs_lock);
	struct cxr_eswitch *eswitch __guarded_by(&vfs_lock);
	/* vports whose context is to be read again, by vports_work */
	DECLARE_BITMAP(vports_changed, CXR_FDB_VPORTS);
	struct delayed_work vports_work;
	struct mutex l2_lock;		/* l2, and commands about it */
	struct cxr_l2_entry l2[CXR_L2_ENTRIES] __guarded_by(&l2_lock);
};

static inline struct cxr_dev *to_dev(const struct cxr_core *core)
{
	return container_of(core, struct cxr_dev, core);
}

/* devlink.c */
struct cxr_dev *cxr_devlink_alloc(struct pci_dev *pdev);	/* zeroed; NULL */
void cxr_devlink_free(struct cxr_dev *dev);
int cxr_devlink_register(struct cxr_dev *dev);
void cxr_devlink_unregister(struct cxr_dev *dev);
/*
 * The driverinit value of enable_roce, while the instance is registered. A value that a user of
 * devlink has set is seen after the reload. -EOPNOTSUPP: the device has no RoCE to switch on. Take
 * the lock of the instance. Only with CXR_DEVLINK_SETS_REGISTERED.
 */
int cxr_devlink_get_roce(struct cxr_dev *dev, bool *on);
int cxr_devlink_set_roce(struct cxr_dev *dev, bool on);

/* cmdq.c */
/* Stage: the command queue, with polling. */
int cxr_cmdq_up(void *dev);
/* Waits for commands that others than the stages have issued, at most until they time out. */
void cxr_cmdq_down(void *dev);
/*
 * Commands wait for events from now on, and call @recover if one does not come; with NULL they
 * poll. One that waits already notices within a second.
 */
void cxr_cmdq_use_events(struct cxr_dev *dev, cxr_cmdq_recover_fn *recover);
/*
 * Completes the commands in these slots, one bit each. Slots that the device still owns, and those
 * without a command, are counted and ignored. Any context.
 */
void cxr_cmdq_complete(struct cxr_dev *dev, u32 slots);
/*
 * The device is marked as dead: all waiting commands return -ENODEV. Their memory stays allocated
 * until cxr_cmdq_down(). Any context.
 */
void cxr_cmdq_abort(struct cxr_dev *dev);
/**
 * cxr_cmd_exec() - run a command
 * @core: the device
 * @in: input, opcode set
 * @inlen: its length in bytes, 16 or more
 * @out: output, cleared first
 * @outlen: its length in bytes
 *
 * May sleep. The buffers need not be suitable for DMA. A refusal is logged here, so callers log
 * nothing.
 *
 * Return: 0 or an error as described in cmd.h.
 */
int cxr_cmd_exec(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen);
/* As cxr_cmd_exec(), but a refusal is not logged: the caller has an alternative. */
int cxr_cmd_try(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen);
/* Logs the refusal, if it is one for which the caller of cxr_cmd_try() has no alternative. */
void cxr_cmd_report(struct cxr_core *core, const void *in, const void *out);
/*
 * As cxr_cmd_try(), for a command that a program composed: it waits while others of theirs have
 * half of the slots, or returns -EINTR if the program is killed.
 */
int cxr_cmd_try_user(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen);
const char *cxr_cmd_name(u16 op);
/*
 * Input of @fixed zeroed bytes followed by a list of pages, *len bytes in total, or NULL. May
 * sleep; free it with kvfree().
 */
void *cxr_cmd_alloc_in(size_t fixed, const struct cxr_pas *pas, size_t *len);

/*
 * ACCESS_REGISTER (cmd_port.c): @data of @len bytes is input and output. The only port of a
 * function is CXR_LOCAL_PORT. As cxr_cmd_exec().
 */
#define CXR_LOCAL_PORT 1
int cxr_reg_read(struct cxr_core *core, u16 reg, void *data, u32 len);
int cxr_reg_write(struct cxr_core *core, u16 reg, void *data, u32 len);
/*
 * A register of capabilities, or PCAM: what the port can do. Zeros, if the firmware does not say or
 * refuses it, as it may to a virtual function; the in-tree driver ignores that, too.
 */
int cxr_cap_reg_read(struct cxr_core *core, u16 reg, void *data, u32 len);
int cxr_pcam_read(struct cxr_core *core, struct prm_pcam_reg *pcam);

/*
 * Runs the command @name: @src and @dst are struct prm_<name>_in * and struct prm_<name>_out *. See
 * cxr_cmd_exec() for the contract. cxr_cmd_len() is for commands with a tail.
 */
#define cxr_cmd_len(core, name, src, srclen, dst, dstlen) ({		\
	struct prm_##name##_in *cmd_in = (src);				\
	struct prm_##name##_out *cmd_out = (dst);			\
									\
	prm_set(cmd_in, opcode, PRM_OP_##name);				\
	cxr_cmd_exec(core, cmd_in, srclen, cmd_out, dstlen);		\
})
#define cxr_cmd(core, name, src, dst)					\
	cxr_cmd_len(core, name, src, sizeof(struct prm_##name##_in),	\
		    dst, sizeof(struct prm_##name##_out))

/* cmd_hca.c */
/* Stage: the function is initialized and its capabilities are known. */
int cxr_hca_up(void *dev);
void cxr_hca_down(void *dev);

/* @func: 0 is the function itself, 1 and on are its VFs. */
int cxr_cmd_enable_hca(struct cxr_core *core, u16 func);
int cxr_cmd_disable_hca(struct cxr_core *core, u16 func);
/* Its capability roce, when it starts the next time. */
int cxr_cmd_query_vf_roce(struct cxr_core *core, u16 func, bool *on);
int cxr_cmd_set_vf_roce(struct cxr_core *core, u16 func, bool on);

/* sriov.c */
/* Stage: the VFs that the PCI core has are enabled in the firmware. */
int cxr_vfs_up(void *dev);
void cxr_vfs_down(void *dev);
/* Of struct pci_driver: n or 0, or an error that the log explains. The device's lock is held. */
int cxr_sriov_configure(struct pci_dev *pdev, int n);
/* Before removal: the PCI core has none any more, unless a guest uses one. */
void cxr_sriov_remove(struct cxr_dev *dev);

/* l2.c: the device has none after a reset */
void cxr_l2_reset(struct cxr_dev *dev);

/* pages.c */
int cxr_pages_init(struct cxr_dev *dev);
void cxr_pages_exit(struct cxr_dev *dev);
/* Gives the firmware the pages that it needs to boot (@boot), or for INIT_HCA. */
int cxr_pages_give_startup(struct cxr_dev *dev, bool boot);
/* Until the device holds no page, returns none for a while, or a command fails. */
void cxr_pages_reclaim_all(struct cxr_dev *dev);
/*
 * Frees the pages that the device did not return, after disabling its DMA. The device is of no use
 * until it is reset.
 */
void cxr_pages_free_unreturned(struct cxr_dev *dev);
/*
 * A page request event. The device has one request at a time per function; if the queue is full the
 * request is logged and dropped. Interrupt context.
 */
void cxr_pages_request(struct cxr_dev *dev, u16 func, s32 npages);
/*
 * After all VFs were disabled: waits for the requests by which the device returns their pages. 0,
 * also if the device has failed, which returns nothing; -ETIMEDOUT: it has kept some for too long.
 */
int cxr_pages_wait_vfs(struct cxr_dev *dev);
/* Waits until all requests so far are served. */
void cxr_pages_flush(struct cxr_dev *dev);

/* buf.c: what cxr_buf_keep() has kept, when DMA is off */
void cxr_bufs_free_kept(struct cxr_dev *dev);

/* uar.c */
/* Stage: the UAR page of the EQs. */
int cxr_uar_up(void *dev);
void cxr_uar_down(void *dev);
/*
 * Writes the consumer index of an EQ; with @arm the device interrupts at the next entry, at once if
 * there is one already.
 */
void cxr_uar_update_eq(struct cxr_uar *uar, u8 eqn, u32 ci, bool arm);
/*
 * The device's free-running counter at caps.device_frequency_khz; all ones if the device is gone.
 * @sts: gets the system's time just before and after, or NULL. From stage pci on; any context.
 */
u64 cxr_counter_read(const struct cxr_dev *dev, struct ptp_system_timestamp *sts);

/* irq.c */
/* Stage: MSI-X vectors, one per CPU if possible, and one for the device. */
int cxr_irq_up(void *dev);
void cxr_irq_down(void *dev);
int cxr_irq_request(struct cxr_dev *dev, int vector, irq_handler_t handler, void *data);
void cxr_irq_free(struct cxr_dev *dev, int vector, void *data);
/* Waits for running handlers of the vector. */
void cxr_irq_sync(struct cxr_dev *dev, int vector);

/* eq.c */
/* How many EQs there are besides those for completions. */
u32 cxr_eq_async(const struct cxr_dev *dev);
/* Stage: from here on commands complete by an event. */
int cxr_eq_up(void *dev);
void cxr_eq_down(void *dev);
/* Finds missed interrupts and polls their EQs; called every two seconds. May sleep. */
void cxr_eq_poll_missed(struct cxr_dev *dev);

/* port.c */
/* Stage: MAC and GUIDs of the port. */
int cxr_ports_up(void *dev);

/* clock.c */
/* Stage: the time runs, and has a PTP clock if the kernel has those; that one outlives a reset. */
int cxr_clock_up(void *dev);
void cxr_clock_down(void *dev);
/* The PTP clock goes. Stage clock is going down, or is down after a reset that failed. */
void cxr_clock_remove(struct cxr_dev *dev);

/* cong.c */
/* Stage: congestion control is as users have set it, and has files in debugfs. */
int cxr_cong_up(void *dev);
void cxr_cong_down(void *dev);

/* state.c */
/* Waits for the firmware to become ready. 0, -ENODEV (no response), -ETIMEDOUT. */
int cxr_core_wait_ready(struct cxr_dev *dev);
u32 cxr_core_nic_ifc(struct cxr_dev *dev);	/* enum prm_nic_ifc */
/* The device does not respond: it is offline, or reads are all ones. */
bool cxr_core_gone(struct cxr_dev *dev);
/* Waits up to 5 s until registers can be read, whatever the PCI core says of the channel. */
bool cxr_core_wait_response(struct cxr_dev *dev);
/* After a reset, which clears the configuration space. */
void cxr_core_restore_config(struct cxr_dev *dev);
/* Bus mastering; -ENODEV: the device is dead, and it stays disabled. */
int cxr_core_enable_dma(struct cxr_dev *dev);
/*
 * Marks the device as dead, with @why, a constant, for the log; only the first call has an effect.
 * DMA is disabled when it returns. Any context.
 */
void cxr_core_fail(struct cxr_dev *dev, const char *why);

struct cxr_health_buffer {
	u32 assert_var[6];
	u32 assert_exit_ptr, assert_callra, time, hw_id, ext_synd;
	u8 rfr_severity, irisc_index, synd;
};

/* From stage pci on; all ones if the device is gone. */
void cxr_core_read_health_buffer(struct cxr_dev *dev, struct cxr_health_buffer *buffer);

/* gateway.c */
struct cxr_gateway {
	struct pci_dev *pdev;
	bool locked;	/* the PCI core has locked user space out of the configuration space */
	int at;		/* the vendor specific capability; 0: there is none */
	u32 number;	/* ours, of the semaphores */
};

/*
 * User space, which may use the gateway, too, is locked out of the configuration space until
 * cxr_gateway_release(). Of @gw the caller sets pdev and locked. May sleep; -EOPNOTSUPP: there is
 * no such capability; -EBUSY: others have kept it for two seconds; -ENODEV.
 */
int cxr_gateway_take(struct cxr_gateway *gw);
void cxr_gateway_release(struct cxr_gateway *gw);
/*
 * The semaphore of the card, for reset of the firmware and dump: @value is gw->number to take it, 0
 * to release it. -EBUSY: another function has it, or the gateway does not answer; -EOPNOTSUPP,
 * -EIO: the card lets nobody have it; -ENODEV.
 */
int cxr_gateway_semaphore(const struct cxr_gateway *gw, u32 value);
/* Logs that it was not released, if @err says so. */
void cxr_gateway_released(const struct cxr_gateway *gw, int err);
/*
 * The registers of the card, which the vendor can read: @words, for kvfree(), @bytes long.
 * -EOPNOTSUPP: the function has no access; -EBUSY: another function resets or dumps, or the gateway
 * does not answer; -EPROTO: sizes or addresses that cannot be; -ETIMEDOUT, -EIO, -ENODEV, -ENOMEM.
 * Sleeps, for up to half a minute; the caller keeps the PCI core from resetting the function.
 */
int cxr_gateway_dump(struct pci_dev *pdev, u32 **words, u32 *bytes);

/* firmware.c */
/*
 * For another function, whose driver may dump the card's registers before (the in-tree driver waits
 * as long); and where somebody waits under locks of the PCI core.
 */
#define CXR_FIRMWARE_OTHERS	(60 * HZ)
#define CXR_FIRMWARE_PATIENCE	(2 * HZ)
/*
 * If the firmware asks for it, resets it, or waits until another function of the card has done so,
 * for @others jiffies. True: it was reset, and with it this function; the configuration space is
 * restored. May sleep; the stages are down, DMA is disabled. @locked: the PCI core, which calls
 * reset_prepare(), has locked user space out of the configuration space.
 */
bool cxr_firmware_reset(struct cxr_dev *dev, bool locked, unsigned long others);
/* Does it still ask for a reset that it can have? If it cannot, that of the function may do. */
bool cxr_firmware_asks(struct cxr_dev *dev);

/* reset.c */
extern const struct pci_error_handlers cxr_err_handler;
extern const struct dev_pm_ops cxr_pm_ops;
/*
 * Resets a function that has failed, and brings it up. The locks of the PCI device and of the
 * devlink instance are held. -EBUSY: it sleeps, or another reset is under way, or, unless a user
 * asks (@asked), the recovery from a PCI error, which may never come to its end; -ENODEV: not on
 * the bus. After other errors, which are logged, all stages but pci are down, and the interface is
 * gone, unless the device has failed again after it came up.
 */
int cxr_reset_recover(struct cxr_dev *dev, bool asked);

/* health.c */
/* Stage: periodic health check. */
int cxr_health_up(void *dev);
void cxr_health_down(void *dev);

/* reporter.c */
void cxr_reporters_init(struct cxr_dev *dev);
int cxr_reporters_create(struct cxr_dev *dev);
void cxr_reporters_destroy(struct cxr_dev *dev);
/*
 * From open to close, reports are passed on to devlink, also earlier ones. Close waits for the lock
 * of the instance.
 */
void cxr_reporters_open(struct cxr_dev *dev);
void cxr_reporters_close(struct cxr_dev *dev);
/* Any context; @why is a constant. */
void cxr_report_survived(struct cxr_dev *dev, const char *why);
void cxr_report_failed(struct cxr_dev *dev, const char *why);
/* After a reset or reload: there is no error any more, unless the device has failed since. */
void cxr_report_healthy(struct cxr_dev *dev);

/* client.c */
int cxr_adev_add(struct cxr_dev *dev, enum cxr_client which);
/* Does nothing without one. */
void cxr_adev_remove(struct cxr_dev *dev, enum cxr_client which);
/*
 * The client destroys what it has in the device, and keeps what it shows to the system, until
 * cxr_adev_resume(); no other driver can bind meanwhile. False: there is none, or no client that
 * can do it is bound. Remove it then.
 */
bool cxr_adev_suspend(struct cxr_dev *dev, enum cxr_client which);
/* False: there is none, or it was not suspended, or did not come up. Remove it, and add it anew. */
bool cxr_adev_resume(struct cxr_dev *dev, enum cxr_client which);
void cxr_clients_notify_fatal(struct cxr_dev *dev);
/* Interrupt context. */
void cxr_clients_dispatch(struct cxr_dev *dev, const struct cxr_event *event);
void cxr_clients_dispatch_eqe(struct cxr_dev *dev, const struct prm_eqe *eqe);
/* Under client_lock. */
void cxr_clients_notify_netdev(struct cxr_dev *dev, struct net_device *netdev);
/* The LAG of this function has a new netdev. */
void cxr_clients_set_lag_netdev(struct cxr_dev *dev, struct cxr_lag *lag,
				struct net_device *netdev);
/* New source MACs of an ECMP LAG. After an error the RDMA device has to be removed. */
int cxr_clients_set_lag_macs(struct cxr_dev *dev, struct cxr_lag *lag,
			     const u8 mac[CXR_LAG_PORTS][ETH_ALEN]);

/* steering.c */
/* The device has no flow tables, also if it died with some. */
void cxr_flow_init(struct cxr_dev *dev);
/* Tables without rules that it would not let go of. */
void cxr_flow_down(struct cxr_dev *dev);
/* The LAG demux table between rules and en's; of the function of port 1, in a vport LAG. */
int cxr_demux_create(struct cxr_dev *dev);
void cxr_demux_destroy(struct cxr_dev *dev);

/* card.c */
/* Evaluates the LAG of the card in a workqueue. May sleep; may be called under rtnl. */
void cxr_lag_schedule(struct cxr_dev *dev);
/* As that, but returns when it is done: the LAG is left, or entered. */
void cxr_lag_evaluate(struct cxr_dev *dev);

/* lag.c */
int cxr_lag_init(void);
void cxr_lag_exit(void);
/*
 * Adds the RDMA device of the function, or makes it part of that of its card. A function without a
 * place on a card has an RDMA device and no LAG; the reason is logged.
 */
int cxr_lag_join(struct cxr_dev *dev);
/* Removes the RDMA device of the function and its LAG; also after a join that failed. */
void cxr_lag_leave(struct cxr_dev *dev);

/* lag_sysfs.c */
extern const struct attribute_group cxr_lag_attr_group;

/* sysfs.c */
extern const struct attribute_group *cxr_dev_groups[];

/* debugfs.c */
void cxr_debugfs_init(void);
void cxr_debugfs_exit(void);
void cxr_debugfs_add(struct cxr_dev *dev);
void cxr_debugfs_remove(struct cxr_dev *dev);

#endif
