// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Up and down: the link, the queues, and changes of their configuration. */
#include <linux/rtnetlink.h>
#include "en.h"

unsigned int cxr_en_max_channels(const struct cxr_core *core)
{
	return clamp_t(int, core->comp_vectors, 1, CXR_EN_CHANNELS_MAX);
}

/* ---- link --------------------------------------------------------------- */

#define LINK_WAIT	HZ	/* between queries that are refused */
#define LINK_TRIES	10

/*
 * The state of the link as the device tells it. If it does not, no event will tell again: the query
 * is repeated, and the carrier meanwhile stays as it is.
 */
static bool link_known(struct cxr_en *en, bool *up)
{
	lockdep_assert_held(&en->lock);
	*up = false;
	if (!en->steer.active || cxr_core_dead(en->core) ||
	    !cxr_cmd_query_vport_state(en->core, up)) {
		en->link_tries = 0;
		return true;
	}
	if (++en->link_tries < LINK_TRIES) {
		queue_delayed_work(en->wq, &en->link_work, LINK_WAIT);
		return false;
	}
	netdev_err(en->ndev, "the device does not tell the state of the link\n");
	en->link_tries = 0;
	return true;
}

static void update_link(struct cxr_en *en)
{
	struct net_device *ndev = en->ndev;
	bool up;

	lockdep_assert_held(&en->lock);
	if (!link_known(en, &up) || up == netif_carrier_ok(ndev))
		return;

	if (up)
		netif_carrier_on(ndev);
	else
		netif_carrier_off(ndev);
	netdev_info(ndev, "link %s\n", up ? "up" : "down");
	/* it may have failed since the query, and on_fatal() have been before us */
	if (cxr_core_dead(en->core))
		netif_carrier_off(ndev);
}

static void link_work(struct work_struct *work)
{
	struct cxr_en *en = container_of(to_delayed_work(work), struct cxr_en, link_work);

	mutex_lock(&en->lock);
	update_link(en);
	mutex_unlock(&en->lock);
}

/* ---- up and down -------------------------------------------------------- */

static int open_queues(struct cxr_en *en, const struct cxr_en_config *config)
{
	int err;

	lockdep_assert_held(&en->lock);
	err = cxr_cmd_set_port_mtu(en->core, config->mtu);
	if (err && config->mtu != en->config.mtu)
		return err;
	/* a function that does not own the port may have to use it as it is */
	if (err)
		netdev_dbg(en->ndev, "cannot set the MTU of the port: %pe\n", ERR_PTR(err));

	err = cxr_en_open_channels(en, config);
	if (err)
		return err;

	/*
	 * Last: a TIR of firmware without tis_tir_td_order is deaf only to the SQs of its transport
	 * domain that are older than itself.
	 */
	err = cxr_en_steer_create(en);
	if (err) {
		cxr_en_close_channels(en);
		return err;
	}
	en->generation++;
	cxr_en_report_healthy(en);
	return 0;
}

static void close_queues(struct cxr_en *en)
{
	lockdep_assert_held(&en->lock);
	if (!en->n_channels)
		return;

	cxr_en_steer_destroy(en);
	cxr_en_close_channels(en);
}

void cxr_en_attach(struct cxr_en *en, const char *what, int err)
{
	struct net_device *ndev = en->ndev;

	ASSERT_RTNL();
	if (err && cxr_core_dead(en->core))
		return;
	if (err) {
		netdev_err(ndev, "%s, closing the interface: %pe\n", what, ERR_PTR(err));
		dev_close(ndev);
	}
	netif_device_attach(ndev);
	/* the stack has not told of addresses meanwhile, which come without RTNL as well */
	queue_work(en->wq, &en->rx_mode_work);
	/* it may have failed since, and on_fatal() have been before us */
	if (cxr_core_dead(en->core))
		netif_device_detach(ndev);
}

/* The netdev is detached meanwhile, which stops senders and the watchdog but keeps the carrier. */
int cxr_en_reconfigure(struct cxr_en *en, const struct cxr_en_config *config)
{
	struct net_device *ndev = en->ndev;
	int err, failed = 0;

	ASSERT_RTNL();
	if (!netif_running(ndev) || en->kept) {
		err = cxr_en_set_queues(en, config);
		if (err)
			return err;
		en->config = *config;
		WRITE_ONCE(ndev->mtu, config->mtu);
		return 0;
	}

	mutex_lock(&en->lock);
	netif_device_detach(ndev);
	close_queues(en);
	/* the stack makes its packets no larger from now on than queues and port will take */
	WRITE_ONCE(ndev->mtu, config->mtu);
	err = open_queues(en, config);
	if (!err) {
		en->config = *config;
	} else {
		WRITE_ONCE(ndev->mtu, en->config.mtu);
		failed = open_queues(en, &en->config);
	}
	mutex_unlock(&en->lock);

	cxr_en_attach(en, "cannot restart the queues", failed);
	return err;
}

int cxr_en_open(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);
	int err;

	netif_carrier_off(ndev);
	mutex_lock(&en->lock);
	err = open_queues(en, &en->config);
	if (err)
		goto unlock;

	/* a function that does not own the port cannot enable it, and uses the link as it is */
	err = cxr_cmd_set_port_admin(en->core, true);
	if (err)
		netdev_dbg(ndev, "cannot enable the port: %pe\n", ERR_PTR(err));
	err = 0;
	netif_tx_start_all_queues(ndev);
	update_link(en);
unlock:
	mutex_unlock(&en->lock);
	return err;
}

void cxr_en_close(struct cxr_en *en)
{
	int err;

	mutex_lock(&en->lock);
	netif_carrier_off(en->ndev);
	close_queues(en);
	err = cxr_cmd_set_port_admin(en->core, false);
	if (err)
		netdev_dbg(en->ndev, "cannot disable the port: %pe\n", ERR_PTR(err));
	mutex_unlock(&en->lock);
}

int cxr_en_stop(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);

	/* before a reset detach() has done it, or comes later and does not see it open any more */
	if (!en->kept || en->n_channels)
		cxr_en_close(en);
	return 0;
}

void cxr_en_init_works(struct cxr_en *en)
{
	INIT_DELAYED_WORK(&en->link_work, link_work);
}
