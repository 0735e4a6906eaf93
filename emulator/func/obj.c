// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Numbers, lookup and reference counts of all objects.
 *
 * A number is looked up in a hash of its number space. Numbers are allocated in turn, so that a
 * freed one stays unused for as long as possible and a driver that still uses it is noticed; or the
 * lowest free one is, as on a card that reuses numbers at once, so that a driver that frees one
 * before it has forgotten it is noticed.
 */
#include <stdlib.h>

#include "func/func.h"

#define BUCKETS_MIN 64u		/* doubled as objects come */

static const char *const names[OBJ_TYPES] = {
	[OBJ_UAR] = "UAR",
	[OBJ_PD] = "PD",
	[OBJ_TD] = "TD",
	[OBJ_XRCD] = "XRCD",
	[OBJ_MKEY] = "mkey",
	[OBJ_PSV] = "PSV",
	[OBJ_EQ] = "EQ",
	[OBJ_CQ] = "CQ",
	[OBJ_QP] = "QP",
	[OBJ_SRQ] = "SRQ",
	[OBJ_XRC_SRQ] = "XRC_SRQ",
	[OBJ_RMP] = "RMP",
	[OBJ_DCT] = "DCT",
	[OBJ_TIS] = "TIS",
	[OBJ_TIR] = "TIR",
	[OBJ_SQ] = "SQ",
	[OBJ_RQ] = "RQ",
	[OBJ_RQT] = "RQT",
	[OBJ_Q_COUNTER] = "Q_COUNTER",
	[OBJ_FLOW_TABLE] = "FLOW_TABLE",
	[OBJ_FLOW_GROUP] = "FLOW_GROUP",
	[OBJ_FLOW_COUNTER] = "FLOW_COUNTER",
	[OBJ_MATCH_DEFINER] = "MATCH_DEFINER",
	[OBJ_MCG] = "MCG",
	[OBJ_UCTX] = "UCTX",
	[OBJ_UMEM] = "UMEM",
	[OBJ_MEMIC] = "MEMIC",
};

/* The hash of a number space. */
struct space {
	struct list_head *buckets;
	uint32_t n_buckets, n;	/* the former is a power of two */
	uint32_t next;	/* where to look for a free number; with reuse all before it are in use */
};

struct obj_state {
	struct space spaces[OBJ_TYPES];
	struct list_head by_type[OBJ_TYPES];
	unsigned int count[OBJ_TYPES];
};

bool obj_reuse_numbers;

const char *obj_name(enum obj_type type)
{
	return names[type];
}

/* A doorbell or a packet names queues by number only: they share the space of QPs. */
static enum obj_type space_of(enum obj_type type)
{
	switch (type) {
	case OBJ_SQ:
	case OBJ_RQ:
	case OBJ_SRQ:
	case OBJ_XRC_SRQ:
	case OBJ_RMP:
	case OBJ_DCT:
		return OBJ_QP;
	default:
		return type;
	}
}

static struct list_head *bucket_of(struct space *space, uint32_t num)
{
	return &space->buckets[num & (space->n_buckets - 1)];
}

static struct list_head *alloc_buckets(uint32_t n)
{
	struct list_head *buckets = malloc(n * sizeof(*buckets));

	if (buckets)
		list_init_all(buckets, n);
	return buckets;
}

/* As many buckets as objects, so that a packet finds its queue at once. */
static void grow(struct space *space)
{
	struct space bigger = *space;
	struct obj *obj, *tmp;
	uint32_t i;

	bigger.n_buckets *= 2;
	bigger.buckets = alloc_buckets(bigger.n_buckets);
	if (!bigger.buckets)
		return;
	for (i = 0; i < space->n_buckets; i++) {
		list_for_each_entry_safe(obj, tmp, &space->buckets[i], by_num) {
			list_del(&obj->by_num);
			list_add_tail(&obj->by_num, bucket_of(&bigger, obj->num));
		}
	}
	free(space->buckets);
	*space = bigger;
}

static struct obj *find_in_space(struct cxdev *dev, enum obj_type space, uint32_t num)
{
	struct obj *obj;

	list_for_each_entry(obj, bucket_of(&dev->objs->spaces[space], num), by_num)
		if (obj->num == num)
			return obj;
	return NULL;
}

/* Numbers have 24 bits. Queues of several types need more than there can be of one type. */
static uint32_t numbers_in(const struct obj_range *range, enum obj_type space)
{
	return space == OBJ_QP ? OBJ_NUMBERS - range->first : range->count;
}

/* False: no number is free. */
static bool alloc_number(struct cxdev *dev, enum obj_type type, uint32_t *num)
{
	enum obj_type space = space_of(type);
	const struct obj_range *range = &dev->card->objs[space];
	uint32_t *next = &dev->objs->spaces[space].next;
	uint32_t n = numbers_in(range, space), tries;

	for (tries = 0; tries < n; tries++) {
		*num = range->first + *next;
		*next = (*next + 1) % n;
		if (!find_in_space(dev, space, *num))
			return true;
	}
	return false;
}

static void free_number(const struct obj *obj)
{
	enum obj_type space = space_of(obj->type);
	uint32_t at = obj->num - obj->dev->card->objs[space].first;
	uint32_t *next = &obj->dev->objs->spaces[space].next;

	if (at < *next)
		*next = at;
}

void *obj_find(struct cxdev *dev, enum obj_type type, uint32_t num)
{
	struct obj *obj = find_in_space(dev, space_of(type), num);

	return obj && obj->type == type ? obj : NULL;
}

/* A user context cannot be destroyed before its objects. */
static void count_in_context(const struct obj *obj, int n)
{
	struct obj *uctx = obj->uid ? obj_find(obj->dev, OBJ_UCTX, obj->uid) : NULL;

	if (uctx)
		uctx->refs += n;
}

void *obj_create(struct cmd *c, enum obj_type type, size_t size)
{
	struct cxdev *dev = c->dev;
	struct obj_state *objs = dev->objs;
	struct space *space = &objs->spaces[space_of(type)];
	struct obj *obj;
	uint32_t num;

	if (objs->count[type] >= dev->card->objs[type].count || !alloc_number(dev, type, &num)) {
		refuse(c, PRM_STATUS_NO_RES, "the card's limit of %u %ss is reached",
		       dev->card->objs[type].count, obj_name(type));
		return NULL;
	}
	if (!pages_suffice(dev)) {
		if (pages_to_come(dev))
			cmd_wait_for_pages(c);
		else
			refuse(c, PRM_STATUS_NO_RES,
			       "the card needs more pages: no room for another %s",
			       obj_name(type));
		return NULL;
	}
	obj = budget_alloc(dev, 1, size);
	if (!obj) {
		budget_refuse(c);
		return NULL;
	}
	obj->type = type;
	obj->num = num;
	obj->dev = dev;
	/* a group is of all its members */
	obj->uid = type == OBJ_MCG ? 0 : c->uid;
	count_in_context(obj, 1);
	if (++space->n > space->n_buckets)
		grow(space);
	list_add_tail(&obj->by_num, bucket_of(space, num));
	list_add_tail(&obj->by_type, &objs->by_type[type]);
	objs->count[type]++;
	return obj;
}

static void *find_named(struct cmd *c, enum obj_type type, uint32_t num, const char *field,
			bool (*may)(const struct obj *obj, uint16_t uid))
{
	struct obj *obj = obj_find(c->dev, type, num);

	if (!obj || obj->orphan) {
		refuse(c, PRM_STATUS_BAD_RES, "%s: there is no %s 0x%x", field, obj_name(type),
		       num);
		return NULL;
	}
	if (!may(obj, c->uid)) {
		refuse(c, PRM_STATUS_BAD_RES, "%s: %s 0x%x is of user context %u, not of %u",
		       field, obj_name(type), num, obj->uid, c->uid);
		return NULL;
	}
	return obj;
}

void *obj_lookup(struct cmd *c, enum obj_type type, uint32_t num, const char *field)
{
	return find_named(c, type, num, field, obj_is_of);
}

void *obj_own(struct cmd *c, enum obj_type type, uint32_t num, const char *field)
{
	return find_named(c, type, num, field, obj_is_own);
}

void *obj_hold(struct cmd *c, enum obj_type type, uint32_t num, const char *field)
{
	struct obj *obj = obj_lookup(c, type, num, field);

	if (obj)
		obj->refs++;
	return obj;
}

void obj_put(void *p)
{
	struct obj *obj = p;

	if (!obj)
		return;
	if (!obj->refs) {
		fprintf(stderr, "cxemu: %s 0x%x: reference dropped twice\n", obj_name(obj->type),
			obj->num);
		abort();
	}
	obj->refs--;
	if (obj->orphan && !obj->refs)
		obj_free(obj);
}

void obj_free(void *p)
{
	struct obj *obj = p;
	struct obj_state *objs = obj->dev->objs;

	if (obj->release)
		obj->release(obj);
	count_in_context(obj, -1);
	if (obj_reuse_numbers)
		free_number(obj);
	objs->spaces[space_of(obj->type)].n--;
	list_del(&obj->by_num);
	list_del(&obj->by_type);
	objs->count[obj->type]--;
	budget_free(obj);
}

int obj_destroy(struct cmd *c, void *p)
{
	struct obj *obj = p;

	if (obj->refs)
		return refuse(c, PRM_STATUS_RES_BUSY, "%s 0x%x is still used by %u objects",
			      obj_name(obj->type), obj->num, obj->refs);
	obj_free(obj);
	pages_object_destroyed(c->dev);
	return 0;
}

void obj_abandon(struct cmd *c, void *p)
{
	struct obj *obj = p;

	if (obj->refs)
		obj->orphan = true;
	else
		obj_destroy(c, obj);
}

unsigned int obj_count(struct cxdev *dev, enum obj_type type)
{
	return dev->objs->count[type];
}

unsigned int obj_count_all(struct cxdev *dev)
{
	unsigned int type, n = 0;

	for (type = 0; type < OBJ_TYPES; type++)
		n += dev->objs->count[type];
	return n;
}

/*
 * Frees unreferenced objects until none is left: users hold references, so they are freed before
 * what they use.
 */
void obj_destroy_all(struct cxdev *dev)
{
	struct obj *obj, *tmp;
	unsigned int type, dropped;

	do {
		dropped = 0;
		for (type = 0; type < OBJ_TYPES; type++) {
			list_for_each_entry_safe(obj, tmp, &dev->objs->by_type[type], by_type) {
				if (obj->refs)
					continue;
				obj_free(obj);
				dropped++;
			}
		}
	} while (dropped);

	if (obj_count_all(dev)) {
		fprintf(stderr, "cxemu: %s: %u objects hold references to each other\n", dev->name,
			obj_count_all(dev));
		abort();
	}
}

void obj_for_each(struct cxdev *dev, enum obj_type type, void (*fn)(void *obj, void *arg),
		  void *arg)
{
	struct obj *obj, *tmp;

	list_for_each_entry_safe(obj, tmp, &dev->objs->by_type[type], by_type)
		fn(obj, arg);
}

int obj_state_create(struct cxdev *dev)
{
	unsigned int i;

	dev->objs = calloc(1, sizeof(*dev->objs));
	if (!dev->objs)
		return -1;
	for (i = 0; i < OBJ_TYPES; i++) {
		struct space *space = &dev->objs->spaces[i];

		list_init(&dev->objs->by_type[i]);
		space->n_buckets = BUCKETS_MIN;
		space->buckets = alloc_buckets(BUCKETS_MIN);
		if (!space->buckets) {
			obj_state_destroy(dev);
			return -1;
		}
	}
	return 0;
}

void obj_state_destroy(struct cxdev *dev)
{
	unsigned int i;

	for (i = 0; dev->objs && i < OBJ_TYPES; i++)
		free(dev->objs->spaces[i].buckets);
	free(dev->objs);
	dev->objs = NULL;
}

/* ---- queues that are gone ------------------------------------------------------------------ */

void gone_add(struct gone_queues *gone, uint32_t num, uint32_t uar)
{
	unsigned int i = gone->count++ % GONE_QUEUES;

	gone->queues[i].num = num;
	gone->queues[i].uar = uar;
}

bool gone_has(const struct gone_queues *gone, uint32_t num, uint32_t uar)
{
	unsigned int i;

	for (i = 0; i < GONE_QUEUES; i++)
		if (gone->queues[i].num == num && gone->queues[i].uar == uar)
			return true;
	return false;
}
