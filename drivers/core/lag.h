/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Shared by card.c, lag.c, lag_hash.c and lag_sysfs.c. */
#ifndef CXR_CORE_LAG_H
#define CXR_CORE_LAG_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include "core.h"

/* A table with an entry per port; a hash of the packet chooses one. */
struct cxr_lag_hash_table {
	u32 definer, id, group;
};

/* In hash mode: root leads each kind of packet to a table of its own. */
struct cxr_lag_tables {
	u32 root, udp_group, rest_group;
	struct cxr_lag_hash_table hash[CXR_LAG_PACKETS];
};

/**
 * struct cxr_card - the functions of an adapter, with one port each
 * @ref: one reference for all functions together, one for each cxr_card_get()
 * @node: in the list of cards; guarded by cards_lock of card.c
 * @guid: system image GUID, which identifies the card
 * @users: number of functions; guarded by cards_lock
 * @work: evaluates the LAG
 * @lock: RDMA devices of the card are added and removed under it
 * @port: functions by port, or NULL; guarded by @lock
 * @now: current decision
 * @lag: cxr_core.lag of port 1 while there is a LAG; guarded by @lock, see also struct cxr_lag
 * @tables: while @now is a LAG in hash mode
 * @refused: snapshot for which the device refused a LAG, for comparison only: its netdevs may be
 *           freed
 * @was_refused: @refused is valid
 * @parent: interface named by roce_lag_ecmp_dev, with a reference, or NULL; read under @lock or
 *          cards_lock, written under both
 * @parent_unregistering: it leaves the initial network namespace; guarded by cards_lock
 * @refusal: why the last write to roce_lag_ecmp_dev was refused, until the next event
 */
struct cxr_card {
	struct kref ref;
	struct list_head node;
	__be64 guid;
	unsigned int users;
	struct work_struct work;

	struct mutex lock;		/* the decision, and RDMA devices of the card */
	struct cxr_dev *port[CXR_LAG_PORTS];
	struct cxr_lag_out now __guarded_by(&lock);
	struct cxr_lag lag;
	struct cxr_lag_tables tables __guarded_by(&lock);
	struct cxr_lag_in refused __guarded_by(&lock);
	bool was_refused __guarded_by(&lock);
	struct net_device *parent;
	bool parent_unregistering;
	enum cxr_lag_why refusal __guarded_by(&lock);
};

/* card.c */
int cxr_cards_init(void);
void cxr_cards_exit(void);
/* Adds the function to its card, which may be a new one with this @work. NULL: no memory. */
struct cxr_card *cxr_card_attach(struct cxr_dev *dev, work_func_t work);
void cxr_card_detach(struct cxr_dev *dev);
/* The card of a function, with a reference, or NULL. */
struct cxr_card *cxr_card_get(struct cxr_dev *dev);
void cxr_card_put(struct cxr_card *card);
/* There is a parent, and it is not being unregistered. These three under cxr_card.lock. */
bool cxr_card_has_parent(struct cxr_card *card);
/* Takes over the caller's reference on @parent; that on the former parent is not released. */
void cxr_card_set_parent(struct cxr_card *card, struct net_device *parent);
void cxr_card_put_parent(struct cxr_card *card);
/*
 * Queues the work of all cards with a parent, or with @of_bond of all cards. @unregistering:
 * @netdev leaves the initial network namespace. May sleep; may be called under rtnl.
 */
void cxr_cards_schedule(const struct net_device *netdev, bool unregistering, bool of_bond);

/* lag.c */
/* Decides about the LAG and applies the decision; under cxr_card.lock. */
void cxr_card_evaluate(struct cxr_card *card);
/*
 * Enters an ECMP LAG with that interface as parent; under cxr_card.lock. Returns CXR_LAG_WHY_NONE
 * or why it is refused; then nothing has changed.
 */
enum cxr_lag_why cxr_card_enter_ecmp(struct cxr_card *card, const char *name);
/* Leaves the ECMP LAG and releases its parent; under cxr_card.lock. */
void cxr_card_leave_ecmp(struct cxr_card *card);

/* lag_hash.c */
/* Before CREATE_LAG. @map: physical port for hash 1 and 2. */
int cxr_lag_tables_create(struct cxr_card *card, const u8 map[CXR_LAG_PORTS]);
/* After DESTROY_LAG. The device has no root table any more. */
void cxr_lag_tables_destroy(struct cxr_card *card);
/* Updates the entries whose port in @map differs from that in @old. */
int cxr_lag_tables_remap(struct cxr_card *card, const u8 old[CXR_LAG_PORTS],
			 const u8 map[CXR_LAG_PORTS]);

#endif
