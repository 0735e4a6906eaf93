// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Channels: the queues of a completion vector, their memory, and their NAPI context.
 */
#include <linux/if_vlan.h>
#include <linux/irq.h>
#include <linux/slab.h>
#include "en.h"

#define LOG_BB		6	/* of PRM_WQE_BB */

/* ---- send queue --------------------------------------------------------- */

static int create_sq_object(struct cxr_en_sq *sq, u8 prio, u8 inline_mode)
{
	struct cxr_en *en = sq->en;
	struct cxr_sq_attr attr = {
		.tisn = en->tisn[prio],
		.cqn = sq->cq.cq.cqn,
		.pdn = en->pdn,
		.uar = en->uar->index,
		.log_size = sq->log_size,
		.min_inline_mode = inline_mode,
		.pas = cxr_buf_pas(&sq->buf),
		.db_dma = sq->db.dma,
	};
	int err;

	sq->inline_mode = inline_mode;
	err = cxr_cmd_create_sq(en->core, &attr, &sq->sqn);
	if (err)
		return err;

	err = cxr_cmd_sq_ready(en->core, 0, sq->sqn);
	if (err)
		cxr_cmd_destroy_sq(en->core, 0, sq->sqn);
	return err;
}

static int alloc_sq(struct cxr_en_channel *ch, struct cxr_en_sq *sq, u8 log_size)
{
	struct cxr_core *core = ch->en->core;
	int err;

	spin_lock_init(&sq->lock);
	sq->uar = ch->en->uar;
	sq->log_size = log_size;
	sq->mask = (1U << log_size) - 1;
	sq->map_mask = (4U << log_size) - 1;
	sq->stop_room = cxr_en_tx_max_blocks(core, &sq->max_ds);
	err = cxr_buf_alloc(core, &sq->buf, 1UL << log_size << LOG_BB);
	if (err)
		return err;

	err = cxr_db_alloc(core, &sq->db);
	if (err)
		goto err_free_buf;

	err = -ENOMEM;
	sq->info = kvcalloc(sq->mask + 1, sizeof(*sq->info), GFP_KERNEL);
	if (!sq->info)
		goto err_free_db;

	sq->map = kvcalloc(sq->map_mask + 1, sizeof(*sq->map), GFP_KERNEL);
	if (!sq->map)
		goto err_free_info;
	return 0;

err_free_info:
	kvfree(sq->info);
err_free_db:
	cxr_db_free(core, &sq->db);
err_free_buf:
	cxr_buf_free(core, &sq->buf);
	return err;
}

static void free_sq(struct cxr_en_sq *sq)
{
	kvfree(sq->map);
	kvfree(sq->info);
	cxr_db_free(sq->en->core, &sq->db);
	cxr_buf_free(sq->en->core, &sq->buf);
}

/* @txq: NULL for an SQ of XDP; @tc: its class, which is its priority as well */
static int open_sq(struct cxr_en_channel *ch, struct cxr_en_sq *sq, struct netdev_queue *txq,
		   u8 tc, const struct cxr_en_config *config)
{
	int err;

	sq->en = ch->en;
	sq->txq = txq;
	sq->stats = cxr_en_tx_stats(ch->en, ch->index, tc);
	sq->max_frame = config->mtu + ETH_HLEN + VLAN_HLEN;
	err = alloc_sq(ch, sq, config->log_sq);
	if (err)
		return err;

	err = cxr_en_cq_create(ch, &sq->cq, config->log_sq, true, &config->tx_moderation);
	if (err)
		goto err_free_sq;

	err = create_sq_object(sq, tc, config->inline_mode);
	if (err)
		goto err_destroy_cq;

	if (sq->txq) {
		netdev_tx_reset_queue(sq->txq);
		cxr_en_open_rate(sq);
	}
	return 0;

err_destroy_cq:
	cxr_en_cq_destroy(&sq->cq);
err_free_sq:
	free_sq(sq);
	return err;
}

static void close_sq(struct cxr_en_sq *sq)
{
	if (cxr_cmd_destroy_sq(sq->en->core, 0, sq->sqn))
		cxr_buf_keep(sq->en->core, &sq->buf);
	cxr_en_close_rate(sq);
	cxr_en_tx_flush(sq);
	cxr_en_cq_destroy(&sq->cq);
	free_sq(sq);
}

/* ---- receive queue ------------------------------------------------------ */

static int create_rq_object(struct cxr_en_rq *rq, bool vlan_strip)
{
	struct cxr_en *en = rq->en;
	struct cxr_rq_attr attr = {
		.cqn = rq->cq.cq.cqn,
		.pdn = en->pdn,
		.q_counter = en->q_counter,
		.log_size = rq->log_size,
		.log_stride = rq->log_stride,
		.vlan_strip = vlan_strip,
		.end_pad = true,
		.pas = cxr_buf_pas(&rq->buf),
		.db_dma = rq->db.dma,
	};
	int err;

	err = cxr_cmd_create_rq(en->core, &attr, &rq->rqn);
	if (err)
		return err;

	err = cxr_cmd_rq_ready(en->core, 0, rq->rqn);
	if (err)
		cxr_cmd_destroy_rq(en->core, 0, rq->rqn);
	return err;
}

static int alloc_rq(struct cxr_en_channel *ch, const struct cxr_en_config *config, int node)
{
	struct cxr_core *core = ch->en->core;
	struct cxr_en_rq *rq = &ch->rq;
	int err;

	rq->en = ch->en;
	rq->log_size = config->log_rq;
	rq->mask = (1U << config->log_rq) - 1;
	rq->zip = config->rx_zip;
	cxr_en_rx_layout(rq, config->mtu, config->xdp);
	rq->log_stride = order_base_2(rq->layout.n * PRM_WQE_DS);
	rq->stats = &ch->en->rx_stats[ch->index];
	rq->xdp_stats = &ch->en->xdp_rx_stats[ch->index];
	err = cxr_buf_alloc(core, &rq->buf, 1UL << rq->log_size << rq->log_stride);
	if (err)
		return err;

	err = cxr_db_alloc(core, &rq->db);
	if (err)
		goto err_free_buf;

	err = cxr_en_rx_alloc(rq, &ch->napi, node);
	if (err)
		goto err_free_db;
	return 0;

err_free_db:
	cxr_db_free(core, &rq->db);
err_free_buf:
	cxr_buf_free(core, &rq->buf);
	return err;
}

static void free_rq(struct cxr_en_rq *rq)
{
	cxr_en_rx_free(rq);
	cxr_db_free(rq->en->core, &rq->db);
	cxr_buf_free(rq->en->core, &rq->buf);
}

static int open_rq(struct cxr_en_channel *ch, const struct cxr_en_config *config, int node)
{
	struct cxr_en_rq *rq = &ch->rq;
	int err;

	err = alloc_rq(ch, config, node);
	if (err)
		return err;

	err = cxr_en_cq_create(ch, &rq->cq, config->log_rq, false, &config->rx_moderation);
	if (err)
		goto err_free_rq;

	err = create_rq_object(rq, config->vlan_strip);
	if (err)
		goto err_destroy_cq;
	return 0;

err_destroy_cq:
	cxr_en_cq_destroy(&rq->cq);
err_free_rq:
	free_rq(rq);
	return err;
}

static void close_rq(struct cxr_en_rq *rq)
{
	struct cxr_core *core = rq->en->core;

	if (cxr_cmd_destroy_rq(core, 0, rq->rqn)) {
		cxr_buf_keep(core, &rq->buf);
		rq->undead = cxr_cmd_modify_rq(core, 0, rq->rqn, CXR_WQ_RDY, CXR_WQ_ERR);
	}
	cxr_en_cq_destroy(&rq->cq);
	free_rq(rq);
}

/* ---- channels ----------------------------------------------------------- */

/* False: the interrupt has moved. */
static bool on_its_cpu(const struct cxr_en_channel *ch)
{
	return cpumask_test_cpu(smp_processor_id(), ch->cpus);
}

static int poll(struct napi_struct *napi, int budget)
{
	struct cxr_en_channel *ch = container_of(napi, struct cxr_en_channel, napi);
	bool busy = false;
	unsigned int i;
	int done = 0;

	for (i = 0; i < ch->n_sqs; i++)
		busy |= cxr_en_tx_poll(&ch->sq[i], budget);
	/* netpoll has no budget and may only poll the send side */
	if (!budget)
		return 0;

	busy |= cxr_en_tx_poll(&ch->xdp_sq, budget);
	done = cxr_en_rx_poll(&ch->rq, napi, budget);
	busy |= done == budget;
	/* an empty ring raises no events: keep polling until there is memory */
	if (!cxr_en_rx_fill(&ch->rq))
		return budget;
	if (busy && likely(on_its_cpu(ch)))
		return budget;

	/* the event of what is left goes to the CPU where the interrupt is now */
	done = min(done, budget - 1);
	if (napi_complete_done(napi, done)) {
		cxr_en_moderation_sample(&ch->rq.cq, ch->rq.stats);
		cxr_en_cq_arm(&ch->rq.cq);
		for (i = 0; i < ch->n_sqs; i++) {
			cxr_en_moderation_sample(&ch->sq[i].cq, ch->sq[i].stats);
			cxr_en_cq_arm(&ch->sq[i].cq);
		}
		cxr_en_cq_arm(&ch->xdp_sq.cq);
	}
	return done;
}

static void close_tx(struct cxr_en_channel *ch)
{
	while (ch->n_sqs)
		close_sq(&ch->sq[--ch->n_sqs]);
}

/* The tx queues of the channel: one of each class. */
static int open_tx(struct cxr_en_channel *ch, const struct cxr_en_config *config)
{
	struct netdev_queue *txq;
	int err;

	for (; ch->n_sqs < config->tcs; ch->n_sqs++) {
		txq = netdev_get_tx_queue(ch->en->ndev, cxr_en_txq(config, ch->index, ch->n_sqs));
		err = open_sq(ch, &ch->sq[ch->n_sqs], txq, ch->n_sqs, config);
		if (err) {
			close_tx(ch);
			return err;
		}
	}
	return 0;
}

/* For the kernel's list of queues. */
static void set_queues_napi(struct cxr_en_channel *ch, struct napi_struct *napi)
{
	unsigned int i;

	cxr_rxq_set_napi(ch->en->ndev, ch->index, napi);
	for (i = 0; i < ch->n_sqs; i++)
		cxr_txq_set_napi(ch->en->ndev, cxr_en_txq_index(&ch->sq[i]), napi);
}

static struct cxr_en_channel *open_channel(struct cxr_en *en, unsigned int index,
					   const struct cxr_en_config *config)
{
	int node = dev_to_node(en->core->dev);
	int irq = cxr_comp_irq(en->core, index);
	struct cxr_en_channel *ch;
	int err;

	ch = kvzalloc_node(sizeof(*ch), GFP_KERNEL, node);
	if (!ch)
		return ERR_PTR(-ENOMEM);

	ch->en = en;
	ch->index = index;
	/* CQs are not armed yet, so there are no events before napi_enable() */
	cxr_napi_add(en->ndev, &ch->napi, poll, index);
	cxr_napi_set_irq(&ch->napi, irq);
	ch->cpus = irq_get_effective_affinity_mask(irq);
	err = open_tx(ch, config);
	if (err)
		goto err_del_napi;

	err = open_sq(ch, &ch->xdp_sq, NULL, 0, config);
	if (err)
		goto err_close_tx;

	err = open_rq(ch, config, node);
	if (err)
		goto err_close_xdp_sq;

	cxr_en_rx_fill(&ch->rq);
	napi_enable(&ch->napi);
	set_queues_napi(ch, &ch->napi);
	/* arms the CQs, and retries if the ring could not be filled */
	local_bh_disable();
	napi_schedule(&ch->napi);
	local_bh_enable();
	return ch;

err_close_xdp_sq:
	close_sq(&ch->xdp_sq);
err_close_tx:
	close_tx(ch);
err_del_napi:
	netif_napi_del(&ch->napi);
	kvfree(ch);
	return ERR_PTR(err);
}

/* All but its SQ for XDP. */
static void close_channel(struct cxr_en_channel *ch)
{
	set_queues_napi(ch, NULL);
	close_rq(&ch->rq);
	close_tx(ch);
	netif_napi_del(&ch->napi);
	kvfree(ch);
}

/*
 * A CPU sends through the channel whose interrupt it has, or, if there are fewer channels than
 * vectors, through that of another CPU. What users choose (xps_cpus) stays until the number of
 * channels changes, as with the in-tree driver. The stack has it for its first class only; packets
 * of others go through the channel of their hash.
 */
static void set_xps(struct cxr_en *en, unsigned int channels)
{
	int node = dev_to_node(en->core->dev);
	unsigned int i, vector;
	cpumask_var_t cpus;

	if (en->xps_channels == channels || !zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	for (i = 0; i < channels; i++) {
		cpumask_clear(cpus);
		for (vector = i; vector < en->core->comp_vectors; vector += channels)
			cpumask_set_cpu(cpumask_local_spread(vector, node), cpus);
		netif_set_xps_queue(en->ndev, cpus, i);
	}
	free_cpumask_var(cpus);
	en->xps_channels = channels;
}

int cxr_en_open_channels(struct cxr_en *en, const struct cxr_en_config *config)
{
	struct cxr_en_channel *ch;
	unsigned int tc;
	int err;

	err = cxr_en_set_queues(en, config);
	if (err)
		return err;
	set_xps(en, config->channels);

	for (en->n_channels = 0; en->n_channels < config->channels; en->n_channels++) {
		ch = open_channel(en, en->n_channels, config);
		if (IS_ERR(ch)) {
			cxr_en_close_channels(en);
			return PTR_ERR(ch);
		}
		en->channels[en->n_channels] = ch;
		for (tc = 0; tc < config->tcs; tc++)
			en->sqs[cxr_en_txq(config, en->n_channels, tc)] = &ch->sq[tc];
	}
	smp_store_release(&en->xdp_open, true);	/* pairs with cxr_en_xdp_xmit() */
	return 0;
}

void cxr_en_close_channels(struct cxr_en *en)
{
	unsigned int i;

	if (en->xdp_open) {
		WRITE_ONCE(en->xdp_open, false);
		synchronize_net();
	}
	for (i = 0; i < en->n_channels; i++)
		napi_disable(&en->channels[i]->napi);
	netif_tx_disable(en->ndev);	/* after NAPI, which wakes queues */
	memset(en->sqs, 0, sizeof(en->sqs));
	/* they return buffers to the pools of all RQs */
	for (i = 0; i < en->n_channels; i++)
		close_sq(&en->channels[i]->xdp_sq);
	while (en->n_channels) {
		close_channel(en->channels[--en->n_channels]);
		en->channels[en->n_channels] = NULL;
	}
	cxr_en_cancel_reports(en);
}
