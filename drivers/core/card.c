// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Cards: which functions are on the same adapter, and the parent of its ECMP LAG. lag.c decides
 * about the LAG.
 */
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "lag.h"

/* cards, cxr_card.users, .parent and .parent_unregistering, cxr_dev.card; innermost */
static DEFINE_MUTEX(cards_lock);
static LIST_HEAD(cards);
static struct workqueue_struct *cards_wq;

/* ---- cards ----------------------------------------------------------------------------------- */

static void free_card(struct kref *ref)
{
	struct cxr_card *card = container_of(ref, struct cxr_card, ref);

	mutex_destroy(&card->lock);
	kfree(card);
}

void cxr_card_put(struct cxr_card *card)
{
	kref_put(&card->ref, free_card);
}

static struct cxr_card *get_or_create_card(__be64 guid, work_func_t work)
{
	struct cxr_card *card;

	list_for_each_entry(card, &cards, node)
		if (card->guid == guid)
			return card;

	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return NULL;
	kref_init(&card->ref);
	mutex_init(&card->lock);
	INIT_WORK(&card->work, work);
	card->guid = guid;
	context_unsafe(card->now.why = CXR_LAG_WHY_DRIVER);
	list_add(&card->node, &cards);
	return card;
}

struct cxr_card *cxr_card_attach(struct cxr_dev *dev, work_func_t work)
{
	struct cxr_card *card;

	mutex_lock(&cards_lock);
	card = get_or_create_card(dev->core.sys_image_guid, work);
	if (card) {
		card->users++;
		dev->card = card;
	}
	mutex_unlock(&cards_lock);
	return card;
}

void cxr_card_detach(struct cxr_dev *dev)
{
	struct cxr_card *card = dev->card;
	bool last;

	mutex_lock(&cards_lock);
	dev->card = NULL;
	last = !--card->users;
	if (last)
		list_del(&card->node);
	mutex_unlock(&cards_lock);
	if (!last)
		return;
	/* It is off the list: nobody can queue the work or set a parent any more. */
	cancel_work_sync(&card->work);
	mutex_lock(&card->lock);
	cxr_card_put_parent(card);
	mutex_unlock(&card->lock);
	cxr_card_put(card);
}

struct cxr_card *cxr_card_get(struct cxr_dev *dev)
{
	struct cxr_card *card;

	mutex_lock(&cards_lock);
	card = dev->card;
	if (card)
		kref_get(&card->ref);
	mutex_unlock(&cards_lock);
	return card;
}

/* ---- parents --------------------------------------------------------------------------------- */

bool cxr_card_has_parent(struct cxr_card *card)
{
	bool has;

	mutex_lock(&cards_lock);
	has = card->parent && !card->parent_unregistering;
	mutex_unlock(&cards_lock);
	return has;
}

void cxr_card_set_parent(struct cxr_card *card, struct net_device *parent)
{
	mutex_lock(&cards_lock);
	card->parent = parent;
	card->parent_unregistering = false;
	mutex_unlock(&cards_lock);
}

void cxr_card_put_parent(struct cxr_card *card)
{
	struct net_device *parent = card->parent;

	cxr_card_set_parent(card, NULL);
	dev_put(parent);
}

/* ---- work ------------------------------------------------------------------------------------ */

void cxr_lag_schedule(struct cxr_dev *dev)
{
	mutex_lock(&cards_lock);
	if (dev->card)
		queue_work(cards_wq, &dev->card->work);
	mutex_unlock(&cards_lock);
}

void cxr_cards_schedule(const struct net_device *netdev, bool unregistering, bool of_bond)
{
	struct cxr_card *card;

	mutex_lock(&cards_lock);
	list_for_each_entry(card, &cards, node) {
		if (card->parent == netdev && unregistering)
			card->parent_unregistering = true;
		if (of_bond || card->parent)
			queue_work(cards_wq, &card->work);
	}
	mutex_unlock(&cards_lock);
}

int __init cxr_cards_init(void)
{
	cards_wq = alloc_workqueue("cxr_lag", WQ_UNBOUND, 0);
	return cards_wq ? 0 : -ENOMEM;
}

void cxr_cards_exit(void)
{
	destroy_workqueue(cards_wq);
}
