// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Multicast groups. A group is an object of the function from its first member to its last; it
 * holds a reference to each member.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "rdma/rdma.h"

#define BUCKETS_MIN 64u

static struct list_head *bucket_of(const struct mcg_table *table, const uint8_t *gid)
{
	uint64_t word[2];
	uint64_t hash;

	memcpy(word, gid, sizeof(word));
	hash = hash_mix(hash_mix(0, word[0]), word[1]);
	return &table->buckets[hash & (table->n_buckets - 1)];
}

/* An empty one of @n buckets. */
static int init_table(struct mcg_table *table, uint32_t n)
{
	table->buckets = malloc(n * sizeof(*table->buckets));
	if (!table->buckets)
		return -1;
	list_init_all(table->buckets, n);
	table->n_buckets = n;
	return 0;
}

int mcg_table_create(struct mcg_table *table)
{
	return init_table(table, BUCKETS_MIN);
}

/* As many buckets as groups, unless there is no memory. */
static void grow(struct mcg_table *table)
{
	struct mcg_table bigger = *table;
	struct mcg *mcg, *tmp;
	uint32_t i;

	if (init_table(&bigger, 2 * table->n_buckets))
		return;
	for (i = 0; i < table->n_buckets; i++) {
		list_for_each_entry_safe(mcg, tmp, &table->buckets[i], by_gid) {
			list_del(&mcg->by_gid);
			list_add_tail(&mcg->by_gid, bucket_of(&bigger, mcg->gid));
		}
	}
	free(table->buckets);
	*table = bigger;
}

struct mcg *mcg_find(struct cxdev *dev, const uint8_t *gid)
{
	struct mcg *mcg;

	list_for_each_entry(mcg, bucket_of(&dev->rdma_state->mcgs, gid), by_gid)
		if (!memcmp(mcg->gid, gid, 16))
			return mcg;
	return NULL;
}

/* The place of @qp in its group, or the number of members. */
static unsigned int place_of(const struct mcg *mcg, const struct qp *qp)
{
	unsigned int i = 0;

	while (i < mcg->n && mcg->qps[i] != qp)
		i++;
	return i;
}

static void mcg_release(void *obj)
{
	struct mcg *mcg = obj;

	while (mcg->n)
		obj_put(mcg->qps[--mcg->n]);
	budget_free(mcg->qps);
	list_del(&mcg->by_gid);
	mcg->obj.dev->rdma_state->mcgs.n--;
}

static struct mcg *mcg_create(struct cmd *c, const uint8_t *gid)
{
	struct mcg_table *table = &c->dev->rdma_state->mcgs;
	struct mcg *mcg = obj_create(c, OBJ_MCG, sizeof(*mcg));

	if (!mcg)
		return NULL;
	mcg->obj.release = mcg_release;
	memcpy(mcg->gid, gid, 16);
	if (++table->n > table->n_buckets)
		grow(table);
	list_add_tail(&mcg->by_gid, bucket_of(table, gid));
	return mcg;
}

/* 0, or refused: there is no memory for it. */
static int add_member(struct cmd *c, struct mcg *mcg, struct qp *qp)
{
	struct qp **more = budget_alloc(c->dev, mcg->n + 1, sizeof(struct qp *));

	if (!more)
		return budget_refuse(c);
	if (mcg->n)
		memcpy(more, mcg->qps, mcg->n * sizeof(struct qp *));
	budget_free(mcg->qps);
	mcg->qps = more;
	mcg->qps[mcg->n++] = qp;
	qp->obj.refs++;
	return 0;
}

static int run_attach_to_mcg(struct cmd *c)
{
	const struct prm_attach_to_mcg_in *in = c->in;
	const uint8_t *gid = prm_bytes_const(in, multicast_gid);
	struct qp *qp = obj_own(c, OBJ_QP, prm_get(in, qpn), "qpn");
	struct mcg *mcg;

	if (!qp)
		return -1;
	if (qp->st != PRM_QP_ST_UD)
		return refuse(c, PRM_STATUS_BAD_PARAM, "QP 0x%x is not UD", qp->obj.num);
	mcg = mcg_find(c->dev, gid);
	if (mcg && place_of(mcg, qp) < mcg->n)
		return refuse(c, PRM_STATUS_BAD_PARAM, "QP 0x%x is attached to the group already",
			      qp->obj.num);
	if (mcg && mcg->n == MCG_QPS)
		return refuse(c, PRM_STATUS_NO_RES, "the group has %u QPs already", MCG_QPS);
	if (!mcg)
		mcg = mcg_create(c, gid);
	if (!mcg)
		return -1;
	if (!add_member(c, mcg, qp))
		return 0;
	if (!mcg->n)
		obj_free(mcg);
	return -1;
}

static int run_detach_from_mcg(struct cmd *c)
{
	const struct prm_detach_from_mcg_in *in = c->in;
	struct qp *qp = obj_own(c, OBJ_QP, prm_get(in, qpn), "qpn");
	struct mcg *mcg;
	unsigned int at;

	if (!qp)
		return -1;
	mcg = mcg_find(c->dev, prm_bytes_const(in, multicast_gid));
	at = mcg ? place_of(mcg, qp) : 0;
	if (!mcg || at == mcg->n)
		return refuse(c, PRM_STATUS_BAD_PARAM, "QP 0x%x is not attached to the group",
			      qp->obj.num);
	mcg->n--;
	memmove(&mcg->qps[at], &mcg->qps[at + 1], (mcg->n - at) * sizeof(struct qp *));
	obj_put(qp);
	return mcg->n ? 0 : obj_destroy(c, mcg);
}

const struct cmd_desc cmds_mcg[] = {
	CMD(attach_to_mcg),
	CMD(detach_from_mcg),
	{}
};
