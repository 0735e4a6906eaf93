/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What card.c, lag.c, lag_hash.c and lag_sysfs.c know of each other. */
#ifndef CXR_CORE_LAG_H
#define CXR_CORE_LAG_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include "core.h"

/* Entries among which a hash of the packet chooses. */
struct cxr_lag_hash_table {
	u32 definer, id, group;
};

/* In hash mode: root leads what is UDP, and the rest, to a table each. */
struct cxr_lag_tables {
	u32 root, udp_group, rest_group;
	struct cxr_lag_hash_table hash[CXR_LAG_PACKETS];
};

/**
 * struct cxr_card - two functions with one port each
 * @ref: for who waits for @lock; the functions have one together
 * @node: in cards
 * @guid: system image GUID, which tells cards apart
 * @users: functions that joined, under cards_lock
 * @work: the decision is taken anew
 * @lock: guards all below; RDMA devices of the card come and go under it
 * @port: functions by port; NULL: not here
 * @now: what is done
 * @lag: what the RDMA device is told, while there is a LAG
 * @tables: where it leaves by a hash, while @now is such a LAG
 * @refused: snapshot with which the device refused a LAG; the netdevs may be gone
 * @was_refused: @refused holds one
 * @parent: interface that roce_lag_ecmp_dev names, with a reference, or NULL; written under
 *          cards_lock, too
 * @parent_unregistering: it left the initial network namespace; under cards_lock
 * @refusal: why the last write to roce_lag_ecmp_dev was refused, as long as nothing else happens
 */
struct cxr_card {
	struct kref ref;
	struct list_head node;
	__be64 guid;
	unsigned int users;
	struct work_struct work;

	struct mutex lock;		/* all below */
	struct cxr_dev *port[CXR_LAG_PORTS];
	struct cxr_lag_out now;
	struct cxr_lag lag;
	struct cxr_lag_tables tables;
	struct cxr_lag_in refused;
	bool was_refused;
	struct net_device *parent;
	bool parent_unregistering;
	enum cxr_lag_why refusal;
};

/* card.c */
int cxr_cards_init(void);
void cxr_cards_exit(void);
/* The function is on its card until cxr_card_detach(). @work: a new card's. NULL: no memory. */
struct cxr_card *cxr_card_attach(struct cxr_dev *dev, work_func_t work);
void cxr_card_detach(struct cxr_dev *dev);
/* The card of a function, with a reference, or NULL. */
struct cxr_card *cxr_card_get(struct cxr_dev *dev);
void cxr_card_put(struct cxr_card *card);
/* There is a parent, and it does not go. These three under the card's lock. */
bool cxr_card_has_parent(struct cxr_card *card);
/* Takes over the caller's reference on @parent, and forgets that on the former one. */
void cxr_card_set_parent(struct cxr_card *card, struct net_device *parent);
void cxr_card_put_parent(struct cxr_card *card);
/*
 * Queues the work of cards with a parent, with @of_bond of all. @goes: if the netdev is a parent,
 * it leaves the initial network namespace. Any context that may sleep, also under rtnl.
 */
void cxr_cards_schedule(const struct net_device *netdev, bool goes, bool of_bond);

/* lag.c */
/* The decision is taken anew, and done; under the card's lock. */
void cxr_card_evaluate(struct cxr_card *card);
/*
 * Enter an ECMP LAG with that interface; under the card's lock. Nothing changes if it is refused.
 * Return: why, or CXR_LAG_WHY_NONE.
 */
enum cxr_lag_why cxr_card_enter_ecmp(struct cxr_card *card, const char *name);
/* Leave the ECMP LAG for good; under the card's lock. */
void cxr_card_leave_ecmp(struct cxr_card *card);

/* lag_hash.c */
/* Before CREATE_LAG; @map: the port that a hash of 1 and 2 leads to. */
int cxr_lag_tables_create(struct cxr_card *card, const u8 map[CXR_LAG_PORTS]);
/* After DESTROY_LAG; the device forgets the first table with that. */
void cxr_lag_tables_destroy(struct cxr_card *card);
/* Entries whose port in @map is not that in @old lead there. */
int cxr_lag_tables_remap(struct cxr_card *card, const u8 old[CXR_LAG_PORTS],
			 const u8 map[CXR_LAG_PORTS]);

#endif
