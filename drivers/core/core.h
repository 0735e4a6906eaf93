/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the files of cxr_core share and nobody else sees. */
#ifndef CXR_CORE_H
#define CXR_CORE_H

#include <linux/debugfs.h>
#include <linux/dmapool.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "cxr/cxr.h"
#include "cxr/cmd.h"
#include "cxr/stage.h"
#include "roce.h"

struct prm_iseg;
struct prm_cmdq_entry;
struct cmd_ent;

#define CXR_CMD_SLOTS_MAX 32	/* the doorbell and the event carry one bit per slot */

/*
 * The command queue. A slot is ours while its bit in @busy is clear, a command's while an entry of
 * @ent points at it, and lost for good if a command timed out in it.
 */
struct cxr_dev;

/* A command's event is overdue. May sleep. True if its interrupt was lost. */
typedef bool cxr_cmdq_recover_fn(struct cxr_dev *dev);

struct cxr_cmdq {
	struct prm_cmdq_entry *ring;
	dma_addr_t dma;
	u8 log_stride;
	u8 slots;		/* the last one is for MANAGE_PAGES only */
	bool up;
	cxr_cmdq_recover_fn *recover;	/* NULL: no EQ tells of the end of commands */
	struct dma_pool *pool;
	struct semaphore sem;	/* slots but the last */
	struct semaphore pages_sem;
	u8 token;

	spinlock_t lock;	/* ent, busy, token, lost; taken in interrupts */
	struct cmd_ent *ent[CXR_CMD_SLOTS_MAX];
	u32 busy;
	struct list_head lost;	/* mailboxes that the device may still write to */

	/* for debugfs; no lock: an approximate number is good enough */
	u64 issued, refused, polled, timed_out, spurious;
	u64 longest_ns;
	u16 longest_op;
};

#define CXR_PAGE_REQS 32

struct cxr_page_req {
	u16 func;
	s32 pages;
};

/* Memory that the device borrows. */
struct cxr_pages {
	struct xarray pieces;		/* 4 KiB piece by DMA address >> 12 -> struct fw_page */
	struct mutex lock;		/* pieces, free, count; not held over a command */
	struct list_head free;		/* struct fw_page with pieces that nobody has */
	u32 count;			/* pieces that the device holds, of all functions */
	struct xarray func_count;	/* the same by function */
	bool needs_reset;		/* the device did not return all of it */
	struct workqueue_struct *wq;	/* ordered */
	struct work_struct work;

	spinlock_t req_lock;		/* reqs, head, tail; taken in interrupts */
	struct cxr_page_req reqs[CXR_PAGE_REQS];
	unsigned int head, tail;
};

struct cxr_eq {
	struct cxr_dev *dev;
	const char *name;
	struct cxr_buf buf;
	u8 log_size;
	u32 ci;
	u8 eqn;
	int vector;		/* MSI-X */
	bool live;		/* the handler may look at it */
	bool pending;		/* cxr_eq_poll_missed(): entry checked_ci was there last time */
	u32 checked_ci;
	u64 events;
};

enum cxr_async_eq { CXR_EQ_CMD, CXR_EQ_ASYNC, CXR_EQ_PAGES, CXR_ASYNC_EQS };

struct cxr_eqs {
	struct cxr_eq async[CXR_ASYNC_EQS];	/* all on MSI-X vector 0 */
	struct cxr_eq *comp;			/* comp[n] is on MSI-X vector n + 1 */
	struct mutex poll_lock;		/* who does an interrupt's work for it */
	struct xarray cqs;			/* CQN -> struct cxr_cq */
	char (*names)[40];			/* of the interrupts, by MSI-X vector */
};

struct cxr_health {
	struct delayed_work work;
	u32 counter;
	unsigned int misses;
	bool warned;
};

struct cxr_client_slot {
	const struct cxr_client_ops *ops;
	void *priv;
};

struct cxr_dev {
	struct cxr_core core;		/* what clients see */
	int id;				/* of the auxiliary devices */
	struct cxr_stages stages;
	unsigned long state;		/* CXR_DEAD */
	spinlock_t fail_lock;		/* from the end of the DMA to CXR_DEAD; in any context */
	/* by the module parameters, or devlink before a reload */
	int requested[CXR_ROCE_PARAM_COUNT];
	bool roce_off;			/* by devlink's enable_roce */

	phys_addr_t bar;
	resource_size_t bar_len;
	struct prm_iseg __iomem *iseg;

	struct cxr_cmdq cmdq;
	struct cxr_pages pages;
	struct cxr_uar *uar;		/* doorbells of the EQs */
	struct cxr_eqs eqs;
	struct cxr_health health;
	struct mutex db_lock;		/* dbs */
	struct list_head dbs;		/* pages of doorbell records (buf.c) */
	atomic_t mkey_variant;
	struct mutex flow_lock;		/* demux .. rules */
	u32 demux;			/* LAG demux table; 0: none */
	u32 first_table;		/* table behind it, or the first one; 0: none */
	u32 en_table, en_table_miss;	/* en's first flow table and where it leads; 0: none */
	/* by priority (steering.c) */
	struct cxr_rule_table *rules[CXR_FLOW_PRIO_FALLBACK + 1];
	bool uar_4k;			/* UAR numbers count 4 KiB, not system pages */
	bool relaxed_write, relaxed_read;
	/* events for the log that the device can send, bit per type */
	u64 warn_events;

	/* serializes registration with netdev and fatal callbacks */
	struct mutex client_lock;
	struct cxr_client_slot client_slots[CXR_CLIENTS];
	struct cxr_client_slot __rcu *clients[CXR_CLIENTS];	/* to client_slots, or NULL */
	struct cxr_adev *adevs[CXR_CLIENTS];
	struct work_struct fatal_work;
	struct cxr_card *card;		/* card.c's; NULL: no LAG is possible */
	bool lag_allowed;		/* roce_lag_enable */
};

enum { CXR_DEAD };

static inline struct cxr_dev *to_dev(const struct cxr_core *core)
{
	return container_of(core, struct cxr_dev, core);
}

/* main.c */

/* devlink.c */
struct cxr_dev *cxr_devlink_alloc(struct pci_dev *pdev);	/* zeroed; NULL */
void cxr_devlink_free(struct cxr_dev *dev);
int cxr_devlink_register(struct cxr_dev *dev);
void cxr_devlink_unregister(struct cxr_dev *dev);

/* cmdq.c */
/* Stage: a queue that commands can be issued to and are polled for. */
int cxr_cmdq_up(void *dev);
void cxr_cmdq_down(void *dev);
/*
 * Commands wait for events from now on, or with NULL look for themselves; @recover is called when
 * an event does not come. One that waits already notices within a second.
 */
void cxr_cmdq_use_events(struct cxr_dev *dev, cxr_cmdq_recover_fn *recover);
/*
 * The device says, or we saw, that the slots of these bits are done. A slot that the device still
 * owns, or in which there is no command, is counted and left alone. Any context.
 */
void cxr_cmdq_complete(struct cxr_dev *dev, u32 slots);
/*
 * The device is marked as dead: all commands that wait return -ENODEV. Their memory stays until
 * cxr_cmdq_down(). Any context.
 */
void cxr_cmdq_abort(struct cxr_dev *dev);
/**
 * cxr_cmd_exec() - run a command
 * @core: the device
 * @in: input, opcode set
 * @inlen: its length in bytes, 16 or more
 * @out: where the answer goes; cleared first
 * @outlen: its length in bytes
 *
 * May sleep. Both buffers stay the caller's and need not be fit for DMA. A refusal is reported
 * here, so that callers print nothing.
 *
 * Return: 0 or an error, as cmd.h tells.
 */
int cxr_cmd_exec(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen);
/* As cxr_cmd_exec(), but a refusal is not reported: the caller has another way. */
int cxr_cmd_try(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen);
const char *cxr_cmd_name(u16 op);
/*
 * A zeroed layout of @fixed bytes with a list of pages behind it, *len bytes in all. NULL without
 * memory. May sleep; kvfree() it.
 */
void *cxr_cmd_alloc_in(size_t fixed, const struct cxr_pas *pas, size_t *len);

/*
 * Runs the command @name: @src and @dst are struct prm_<name>_in * and struct prm_<name>_out *,
 * @src zeroed but for what the caller set. See cxr_cmd_exec() for the contract. cxr_cmd_len() is
 * for commands with a tail.
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
/* Stage: the function runs, and we know what it can do. */
int cxr_hca_up(void *dev);
void cxr_hca_down(void *dev);

/* pages.c */
int cxr_pages_init(struct cxr_dev *dev);
void cxr_pages_exit(struct cxr_dev *dev);
/* What the firmware needs before (@boot) or for INIT_HCA. */
int cxr_pages_give_startup(struct cxr_dev *dev, bool boot);
/* Asks for everything back; stops when the device gives nothing for a while, or does not answer. */
void cxr_pages_reclaim_all(struct cxr_dev *dev);
/*
 * Frees what the device did not give back. Nothing may be expected of it any more: its DMA is cut
 * off.
 */
void cxr_pages_free_unreturned(struct cxr_dev *dev);
/*
 * Interrupt context. The device has one request at a time per function; more than we can note are
 * dropped, loudly.
 */
void cxr_pages_request(struct cxr_dev *dev, u16 func, s32 npages);
/* All requests so far are served. */
void cxr_pages_flush(struct cxr_dev *dev);

/* uar.c */
/* Stage: the page on which the EQs' doorbells are. */
int cxr_uar_up(void *dev);
void cxr_uar_down(void *dev);
/*
 * An EQ's consumer index; with @arm the device interrupts at the next entry, at once if there is
 * one that we have not seen.
 */
void cxr_uar_update_eq(struct cxr_uar *uar, u8 eqn, u32 ci, bool arm);

/* irq.c */
/* Stage: vectors, as many as there are CPUs if device and system have them. */
int cxr_irq_up(void *dev);
void cxr_irq_down(void *dev);
int cxr_irq_request(struct cxr_dev *dev, int vector, irq_handler_t handler, void *data);
void cxr_irq_free(struct cxr_dev *dev, int vector, void *data);
/* No handler of the vector that ran before runs any more. */
void cxr_irq_sync(struct cxr_dev *dev, int vector);

/* eq.c */
/* Stage: from here on commands end by an event. */
int cxr_eq_up(void *dev);
void cxr_eq_down(void *dev);
/* Called every few seconds while the queues are up. May sleep. */
void cxr_eq_poll_missed(struct cxr_dev *dev);

/* port.c */
/* Stage: what the port is called. */
int cxr_ports_up(void *dev);

/* state.c */
/* The firmware is up. 0, -ENODEV (no answer), -ETIMEDOUT. */
int cxr_core_wait_ready(struct cxr_dev *dev);
/* the device does not answer: reads are all ones, or offline */
bool cxr_core_gone(struct cxr_dev *dev);
/* any context; the first call counts, and none returns before the DMA is off */
void cxr_core_fail(struct cxr_dev *dev, const char *why);

/* health.c */
/* Stage: the device is looked after. */
int cxr_health_up(void *dev);
void cxr_health_down(void *dev);

/* client.c */
int cxr_adev_add(struct cxr_dev *dev, enum cxr_client which);
/* Does nothing without one. */
void cxr_adev_remove(struct cxr_dev *dev, enum cxr_client which);
void cxr_clients_fatal(struct cxr_dev *dev);
/* interrupt context */
void cxr_clients_event(struct cxr_dev *dev, const struct cxr_event *event);
void cxr_clients_netdev(struct cxr_dev *dev, struct net_device *netdev);
/* Another netdev stands for the LAG whose RDMA device this function has. */
void cxr_clients_lag_netdev(struct cxr_dev *dev, struct cxr_lag *lag, struct net_device *netdev);
/* Other source MACs in an ECMP LAG. 0, or an error after which the RDMA device has to go. */
int cxr_clients_lag_macs(struct cxr_dev *dev, struct cxr_lag *lag,
			 const u8 mac[CXR_LAG_PORTS][ETH_ALEN]);

/* steering.c */
/* A LAG demux table before the others; the function of port 1, in a vport LAG. */
int cxr_demux_create(struct cxr_dev *dev);
void cxr_demux_destroy(struct cxr_dev *dev);

/* card.c */
/* Something of the function changed; any context that may sleep, also under rtnl. */
void cxr_lag_schedule(struct cxr_dev *dev);

/* lag.c */
int cxr_lag_init(void);
void cxr_lag_exit(void);
/* The function gets its RDMA device, or takes part in that of its card. */
int cxr_lag_join(struct cxr_dev *dev);
/* The function's RDMA device goes, and so does a LAG; also after half a join. */
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
