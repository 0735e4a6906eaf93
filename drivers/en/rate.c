// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* tx_maxrate: the rate of a tx queue, by packet pacing. The stack remembers it. */
#include "cxr/rate.h"
#include "en.h"

#define KBPS	1000	/* of a megabit per second */

/* Over a rate that is in the table, or has room there. */
static int give_rate(struct cxr_en_sq *sq, u32 mbps)
{
	struct cxr_rate rate = { .kbps = mbps * KBPS };
	struct cxr_core *core = sq->en->core;
	u16 index = 0;
	int err = 0;

	if (mbps)
		err = cxr_rate_get(core, &rate, &index);
	if (err)
		return err;
	err = cxr_cmd_set_sq_rate(core, 0, sq->sqn, CXR_WQ_RDY, CXR_WQ_RDY, index);
	if (!err)
		swap(sq->rate, index);
	if (index)
		cxr_rate_put(core, index);
	return err;
}

/* That of its tx queue. */
void cxr_en_open_rate(struct cxr_en_sq *sq)
{
	u32 mbps = sq->txq->tx_maxrate;
	int err;

	if (!mbps)
		return;
	err = give_rate(sq, mbps);
	if (err)
		netdev_warn(sq->en->ndev, "tx queue %u has no tx_maxrate of %u Mb/s now: %pe\n",
			    cxr_en_txq_index(sq), mbps, ERR_PTR(err));
}

/*
 * If the table is full there is room when this queue has no rate, unless others have the same: then
 * it gets back what it had.
 */
static int set_rate(struct cxr_en_sq *sq, u32 mbps)
{
	int err = give_rate(sq, mbps);

	if (err != -ENOSPC || !sq->rate || give_rate(sq, 0))
		return err;
	err = give_rate(sq, mbps);
	if (err)
		cxr_en_open_rate(sq);
	return err;
}

void cxr_en_close_rate(struct cxr_en_sq *sq)
{
	if (sq->rate)
		cxr_rate_put(sq->en->core, sq->rate);
}

int cxr_en_set_tx_maxrate(struct net_device *ndev, int txq, u32 mbps)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_rate_limits *limits = &en->core->caps.rates;
	int err = 0;

	if (!limits->n) {
		netdev_warn(ndev, "tx_maxrate: the device has no packet pacing\n");
		return -EINVAL;
	}
	if (mbps && (mbps > limits->max / KBPS || mbps * KBPS < limits->min)) {
		netdev_warn(ndev, "tx_maxrate: %u Mb/s is not within %u to %u kb/s\n", mbps,
			    limits->min, limits->max);
		return -ERANGE;
	}
	mutex_lock(&en->lock);
	if (en->sqs[txq])
		err = set_rate(en->sqs[txq], mbps);
	mutex_unlock(&en->lock);
	return err;
}
