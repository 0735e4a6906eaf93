// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Interrupt moderation: the device delays the event of a CQ until there are some completions, or
 * the first has waited for some time. Both are set by the user or, if moderation is adaptive, by
 * the kernel's DIM library, which samples events, packets and bytes of each CQ, and changes the CQ
 * from a work.
 */
#include <linux/ethtool.h>
#include "en.h"

/* The period of the CQ does not begin again with each completion. */
#define PERIOD_MODE	DIM_CQ_PERIOD_MODE_START_FROM_EQE

static void dim_work(struct work_struct *work)
{
	struct dim *dim = container_of(work, struct dim, work);
	struct cxr_en_cq *cq = container_of(dim, struct cxr_en_cq, dim);
	struct cxr_en *en = cq->ch->en;
	struct dim_cq_moder moder;
	int err;

	if (cq->tx)
		moder = net_dim_get_tx_moderation(dim->mode, dim->profile_ix);
	else
		moder = net_dim_get_rx_moderation(dim->mode, dim->profile_ix);
	err = cxr_cq_moderate(en->core, &cq->cq, moder.usec, moder.pkts);
	if (err) {
		WRITE_ONCE(cq->adaptive, false);
		if (!cxr_core_dead(en->core))
			netdev_warn(en->ndev, "the moderation of CQ %#x stays as it is: %pe\n",
				    cq->cq.cqn, ERR_PTR(err));
		return;
	}
	dim->state = DIM_START_MEASURE;
}

/* DIM knows nothing, and begins to measure. */
static void init_dim(struct cxr_en_cq *cq)
{
	cq->dim = (struct dim){ .mode = PERIOD_MODE };
	INIT_WORK(&cq->dim.work, dim_work);
}

void cxr_en_moderation_init(struct cxr_en_cq *cq, const struct cxr_en_moderation *moderation)
{
	init_dim(cq);
	cq->adaptive = moderation->adaptive;
}

void cxr_en_moderation_cancel(struct cxr_en_cq *cq)
{
	cancel_work_sync(&cq->dim.work);
}

void cxr_en_moderation_values(bool tx, const struct cxr_en_moderation *moderation, u16 *period,
			      u16 *count)
{
	struct dim_cq_moder moder;

	if (!moderation->adaptive) {
		*period = moderation->usecs;
		*count = moderation->frames;
		return;
	}
	moder = tx ? net_dim_get_def_tx_moderation(PERIOD_MODE) :
		     net_dim_get_def_rx_moderation(PERIOD_MODE);
	*period = moder.usec;
	*count = moder.pkts;
}

void cxr_en_moderation_sample(struct cxr_en_cq *cq, const struct cxr_en_stats *stats)
{
	struct dim_sample sample = {};

	if (!READ_ONCE(cq->adaptive))
		return;

	dim_update_sample(READ_ONCE(cq->events), u64_stats_read(&stats->packets),
			  u64_stats_read(&stats->bytes), &sample);
	cxr_net_dim(&cq->dim, &sample);
}

/* ---- ethtool ------------------------------------------------------------ */

static int change_cq(struct cxr_en_cq *cq, const struct cxr_en_moderation *moderation)
{
	u16 period, count;
	int err;

	cxr_en_moderation_cancel(cq);
	cxr_en_moderation_values(cq->tx, moderation, &period, &count);
	err = cxr_cq_moderate(cq->ch->en->core, &cq->cq, period, count);
	if (err)
		return err;

	init_dim(cq);	/* no one samples: see change() */
	WRITE_ONCE(cq->adaptive, moderation->adaptive);
	return 0;
}

/* After an error the moderation of some channels is the new one. */
static int change(struct cxr_en *en, const struct cxr_en_config *config)
{
	unsigned int i, tc;
	int err;

	for (i = 0; i < en->n_channels; i++) {
		WRITE_ONCE(en->channels[i]->rq.cq.adaptive, false);
		for (tc = 0; tc < en->channels[i]->n_sqs; tc++)
			WRITE_ONCE(en->channels[i]->sq[tc].cq.adaptive, false);
	}
	/* NAPI polls that have seen the flag may still schedule the work */
	synchronize_net();
	for (i = 0; i < en->n_channels; i++) {
		err = change_cq(&en->channels[i]->rq.cq, &config->rx_moderation);
		for (tc = 0; !err && tc < en->channels[i]->n_sqs; tc++)
			err = change_cq(&en->channels[i]->sq[tc].cq, &config->tx_moderation);
		if (!err)
			err = change_cq(&en->channels[i]->xdp_sq.cq, &config->tx_moderation);
		if (err)
			return err;
	}
	return 0;
}

int cxr_en_get_coalesce(struct net_device *ndev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal, struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_en_config *config = &en->config;

	if (!en->core->caps.cq_moderation)
		return -EOPNOTSUPP;

	coal->rx_coalesce_usecs = config->rx_moderation.usecs;
	coal->rx_max_coalesced_frames = config->rx_moderation.frames;
	coal->use_adaptive_rx_coalesce = config->rx_moderation.adaptive;
	coal->tx_coalesce_usecs = config->tx_moderation.usecs;
	coal->tx_max_coalesced_frames = config->tx_moderation.frames;
	coal->use_adaptive_tx_coalesce = config->tx_moderation.adaptive;
	return 0;
}

int cxr_en_set_coalesce(struct net_device *ndev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal, struct netlink_ext_ack *extack)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_config config = en->config;
	int err;

	if (!en->core->caps.cq_moderation)
		return -EOPNOTSUPP;

	if (max(coal->rx_coalesce_usecs, coal->tx_coalesce_usecs) > CXR_CQ_PERIOD_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "the longest period is 4095 microseconds");
		return -ERANGE;
	}
	if (max(coal->rx_max_coalesced_frames, coal->tx_max_coalesced_frames) > U16_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "the largest number of frames is 65535");
		return -ERANGE;
	}
	config.rx_moderation = (struct cxr_en_moderation){
		.usecs = coal->rx_coalesce_usecs,
		.frames = coal->rx_max_coalesced_frames,
		.adaptive = coal->use_adaptive_rx_coalesce,
	};
	config.tx_moderation = (struct cxr_en_moderation){
		.usecs = coal->tx_coalesce_usecs,
		.frames = coal->tx_max_coalesced_frames,
		.adaptive = coal->use_adaptive_tx_coalesce,
	};
	err = change(en, &config);
	if (!err) {
		en->config = config;
		return 0;
	}
	NL_SET_ERR_MSG_MOD(extack, "the device refused the moderation");
	if (change(en, &en->config) && !cxr_core_dead(en->core))
		netdev_warn(ndev, "some queues have another interrupt moderation than the others, until the interface is closed\n");
	return err;
}
