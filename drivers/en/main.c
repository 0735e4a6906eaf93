// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* cxr_en: probe and remove, and the operations of the netdev. See en.h for what exists when. */
#include <linux/auxiliary_bus.h>
#include <linux/bpf.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/devlink.h>
#include "en.h"

#define MODERATION_US		16	/* if it is not adaptive, as those of the in-tree driver */
#define MODERATION_FRAMES	32
#define MIN_SQ_WQE	512	/* bytes: all headers and one data segment, with room to spare */

/* ---- works -------------------------------------------------------------- */

/* Statistics queue work while the netdev is detached, too, and others have done so before. */
static void stats_work(struct work_struct *work)
{
	struct cxr_en *en = container_of(work, struct cxr_en, stats_work);

	if (!READ_ONCE(en->kept))
		cxr_en_read_stats(en);
}

static void rx_mode_work(struct work_struct *work)
{
	struct cxr_en *en = container_of(work, struct cxr_en, rx_mode_work);

	if (!READ_ONCE(en->kept))
		cxr_en_apply_rx_mode(en);
}

/* ---- netdev operations -------------------------------------------------- */

/* A program that does not know fragments gets all of a packet in one buffer. */
static bool prog_fits(const struct bpf_prog *prog, u32 mtu)
{
	return !prog || prog->aux->xdp_has_frags || mtu <= cxr_en_rx_max_mtu(1, true);
}

static int en_change_mtu(struct net_device *ndev, int mtu)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_config config = en->config;

	if (!prog_fits(rtnl_dereference(en->xdp_prog), mtu)) {
		netdev_warn(ndev, "MTU %d: the XDP program handles at most %u, since it does not support fragments (xdp.frags)\n",
			    mtu, cxr_en_rx_max_mtu(1, true));
		return -EINVAL;
	}
	config.mtu = mtu;
	return cxr_en_reconfigure(en, &config);
}

static netdev_features_t en_fix_features(struct net_device *ndev, netdev_features_t features)
{
	struct cxr_en *en = netdev_priv(ndev);

	/* what is compressed has lost it */
	if (en->config.rx_zip)
		features &= ~NETIF_F_RXHASH;
	/* the device also strips a C-tag behind an S-tag, as if it were the outer one */
	if (!bitmap_empty(en->svlans, VLAN_N_VID))
		features &= ~NETIF_F_HW_VLAN_CTAG_RX;
	return features;
}

/* Of NETIF_F_HW_VLAN_STAG_FILTER alone. Packets of other VLANs are left to the kernel. */
static int en_add_vid(struct net_device *ndev, __be16 proto, u16 vid)
{
	struct cxr_en *en = netdev_priv(ndev);

	__set_bit(vid, en->svlans);
	netdev_update_features(ndev);
	return 0;
}

static int en_kill_vid(struct net_device *ndev, __be16 proto, u16 vid)
{
	struct cxr_en *en = netdev_priv(ndev);

	__clear_bit(vid, en->svlans);
	netdev_update_features(ndev);
	return 0;
}

/* The kernel does not tell of VLANs that go while the netdev is detached. */
static void renew_svlans(struct cxr_en *en)
{
	int err;

	bitmap_zero(en->svlans, VLAN_N_VID);
	err = vlan_get_rx_stag_filter_info(en->ndev);
	if (err)
		netdev_warn(en->ndev, "the 802.1ad VLANs are not known: %pe\n", ERR_PTR(err));
	netdev_update_features(en->ndev);
}

static int en_set_features(struct net_device *ndev, netdev_features_t features)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_config config = en->config;

	/* the others take effect per packet */
	config.vlan_strip = features & NETIF_F_HW_VLAN_CTAG_RX;
	if (config.vlan_strip == en->config.vlan_strip)
		return 0;

	return cxr_en_reconfigure(en, &config);
}

static int en_set_mac_address(struct net_device *ndev, void *p)
{
	struct sockaddr *addr = p;

	if (!is_valid_ether_addr(addr->sa_data))
		return -EADDRNOTAVAIL;

	eth_hw_addr_set(ndev, addr->sa_data);
	cxr_en_apply_rx_mode(netdev_priv(ndev));
	return 0;
}

static void en_set_rx_mode(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);

	queue_work(en->wq, &en->rx_mode_work);
}

static void en_tx_timeout(struct net_device *ndev, unsigned int queue)
{
	struct cxr_en *en = netdev_priv(ndev);
	const struct cxr_en_sq *sq = en->sqs[queue];

	/* it may be up to the user to have a queue with an error recovered */
	if (sq && !READ_ONCE(sq->failed))
		cxr_en_report(en, CXR_EN_TX, "send queue", sq->sqn, "timed out");
}

/*
 * The program runs only in queues that are made for it: it comes after them, and goes before them.
 * The kernel expects that its removal succeeds; queues that are made for one work without.
 */
static int set_xdp_prog(struct cxr_en *en, struct bpf_prog *prog, struct netlink_ext_ack *extack)
{
	struct bpf_prog *old = rtnl_dereference(en->xdp_prog);
	struct cxr_en_config config = en->config;
	int err = 0;

	if (!prog_fits(prog, config.mtu)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "the MTU is too large for a program without fragments (xdp.frags)");
		return -EINVAL;
	}
	if (!prog)
		RCU_INIT_POINTER(en->xdp_prog, NULL);
	config.xdp = prog;
	if (config.xdp != en->config.xdp)
		err = cxr_en_reconfigure(en, &config);
	if (err && prog) {
		NL_SET_ERR_MSG_MOD(extack, "the queues could not be restarted");
		return err;
	}
	if (err)
		netdev_warn(en->ndev, "XDP program removed, but the queues could not be restarted: %pe\n",
			    ERR_PTR(err));
	rcu_assign_pointer(en->xdp_prog, prog);
	if (old)
		bpf_prog_put(old);
	return 0;
}

static int en_bpf(struct net_device *ndev, struct netdev_bpf *bpf)
{
	if (bpf->command != XDP_SETUP_PROG)
		return -EINVAL;

	return set_xdp_prog(netdev_priv(ndev), bpf->prog, bpf->extack);
}

static const struct net_device_ops netdev_ops = {
	.ndo_open = cxr_en_open,
	.ndo_stop = cxr_en_stop,
	.ndo_start_xmit = cxr_en_start_xmit,
	.ndo_select_queue = cxr_en_select_queue,
	.ndo_features_check = cxr_en_features_check,
	.ndo_change_mtu = en_change_mtu,
	.ndo_fix_features = en_fix_features,
	.ndo_set_features = en_set_features,
	.ndo_vlan_rx_add_vid = en_add_vid,
	.ndo_vlan_rx_kill_vid = en_kill_vid,
	.ndo_set_mac_address = en_set_mac_address,
	.ndo_set_rx_mode = en_set_rx_mode,
	.ndo_get_stats64 = cxr_en_get_stats64,
	.ndo_tx_timeout = en_tx_timeout,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_set_vf_mac = cxr_en_set_vf_mac,
	.ndo_set_vf_vlan = cxr_en_set_vf_vlan,
	.ndo_set_vf_link_state = cxr_en_set_vf_link_state,
	.ndo_set_vf_trust = cxr_en_set_vf_trust,
	.ndo_set_vf_spoofchk = cxr_en_set_vf_spoofchk,
	.ndo_get_vf_config = cxr_en_get_vf_config,
	.ndo_get_vf_stats = cxr_en_get_vf_stats,
	.ndo_setup_tc = cxr_en_setup_tc,
	.ndo_set_tx_maxrate = cxr_en_set_tx_maxrate,
	.ndo_bpf = en_bpf,
	.ndo_xdp_xmit = cxr_en_xdp_xmit,
	CXR_DEVLINK_PORT_OP(cxr_en_get_devlink_port)
	CXR_HWTSTAMP_OPS(cxr_en_get_hwtstamp, cxr_en_set_hwtstamp, cxr_en_hwtstamp_ioctl)
};

/* ---- events ------------------------------------------------------------- */

static void on_event(void *priv, const struct cxr_event *event)
{
	struct cxr_en *en = priv;

	if (event->kind == CXR_EVENT_PORT)
		mod_delayed_work(en->wq, &en->link_work, 0);
}

static void on_fatal(void *priv)
{
	struct cxr_en *en = priv;

	netif_device_detach(en->ndev);
	netif_carrier_off(en->ndev);
}

static const struct cxr_client_ops client_ops = {
	.event = on_event,
	.fatal = on_fatal,
};

/* ---- stages, see stage.h ------------------------------------------------ */

static void set_features(struct cxr_en *en)
{
	const struct cxr_caps *caps = &en->core->caps;
	struct net_device *ndev = en->ndev;
	netdev_features_t offloads = NETIF_F_SG;

	if (caps->csum)
		offloads |= NETIF_F_HW_CSUM | NETIF_F_RXCSUM;
	if (caps->csum && caps->lso && caps->max_lso) {
		offloads |= NETIF_F_TSO | NETIF_F_TSO6 | NETIF_F_GSO_UDP_L4;
		/* the stack cuts off a shorter last datagram, see set_udp_length() */
		offloads |= NETIF_F_GSO_PARTIAL;
		ndev->gso_partial_features = NETIF_F_GSO_UDP_L4;
		netif_set_tso_max_size(ndev, caps->max_lso);
	}
	ndev->vlan_features = offloads | NETIF_F_HIGHDMA;
	offloads |= NETIF_F_HW_VLAN_CTAG_TX | NETIF_F_HW_VLAN_STAG_TX;
	if (caps->vlan)
		offloads |= NETIF_F_HW_VLAN_CTAG_RX;
	if (caps->rss)
		offloads |= NETIF_F_RXHASH;
	ndev->hw_features = offloads;
	cxr_en_tunnel_set_features(en);
	offloads = ndev->hw_features;
	if (cxr_en_has_ntuple(en))
		offloads |= NETIF_F_NTUPLE;
	if (caps->vlan)
		offloads |= NETIF_F_HW_VLAN_STAG_FILTER;
	ndev->features = offloads | NETIF_F_HIGHDMA;
	ndev->priv_flags |= IFF_UNICAST_FLT;
	cxr_xdp_set_features(ndev);
	cxr_en_xdp_set_metadata(ndev);
}

/* The largest MTU that the port supports and that fits the scatter list of a receive WQE. */
static u32 max_mtu(struct cxr_core *core)
{
	u32 bufs = min_t(u32, CXR_EN_RX_BUFS_MAX, core->caps.max_wqe_sz_rq / PRM_WQE_DS);
	u16 port_max;
	int err;

	err = cxr_cmd_query_max_mtu(core, &port_max);
	if (err) {
		port_max = ETH_DATA_LEN;
		dev_warn(core->dev, "cannot read the maximum MTU of the port, using %u: %pe\n",
			 port_max, ERR_PTR(err));
	}
	return min_t(u32, port_max, cxr_en_rx_max_mtu(bufs, true));
}

/* Of a netdev that is not registered yet: later these are the user's. */
static void set_defaults(struct cxr_en *en)
{
	struct cxr_core *core = en->core;
	struct net_device *ndev = en->ndev;

	eth_hw_addr_set(ndev, core->port.mac);
	if (core->port.mac_random)
		ndev->addr_assign_type = NET_ADDR_RANDOM;
	ndev->min_mtu = ETH_MIN_MTU;
	ndev->mtu = min_t(u32, ETH_DATA_LEN, ndev->max_mtu);
	ndev->netdev_ops = &netdev_ops;
	ndev->ethtool_ops = &cxr_en_ethtool_ops;
	CXR_SET_STAT_OPS(ndev, &cxr_en_stat_ops);
	ndev->watchdog_timeo = 15 * HZ;
	ndev->dev_port = 0;	/* a function has one port */
	set_features(en);
	en->log_ring_max = min_t(u8, CXR_EN_LOG_RING_MAX, min(core->caps.log_max_wq_sz,
							      core->caps.log_max_cq_sz));
	en->config = (struct cxr_en_config){
		.channels = min(cxr_en_max_channels(core), num_online_cpus()),
		.log_sq = min_t(u8, CXR_EN_LOG_RING_DEFAULT, en->log_ring_max),
		.log_rq = min_t(u8, CXR_EN_LOG_RING_DEFAULT, en->log_ring_max),
		.mtu = ndev->mtu,
		.tcs = 1,
		.vlan_strip = ndev->features & NETIF_F_HW_VLAN_CTAG_RX,
		.inline_mode = en->device_inline,
		.rx_moderation = { MODERATION_US, MODERATION_FRAMES, core->caps.cq_moderation },
		.tx_moderation = { MODERATION_US, MODERATION_FRAMES, core->caps.cq_moderation },
	};
}

/* CPUs that went offline before a reset have no completion vectors after it. */
static void adapt_config(struct cxr_en *en)
{
	rtnl_lock();
	en->config.inline_mode = en->device_inline;	/* as far as stage dcb does not change it */
	en->config.channels = min(en->config.channels, cxr_en_max_channels(en->core));
	if (en->config.rx_zip && !en->core->caps.cqe_zip) {
		en->config.rx_zip = false;
		netdev_update_features(en->ndev);	/* packets have a hash again */
	}
	if (cxr_en_channels_grouped(&en->config) > en->config.channels)
		cxr_en_forget_classes(en);
	rtnl_unlock();
}

static int port_up(void *owner)
{
	struct cxr_en *en = owner;
	struct cxr_core *core = en->core;
	struct net_device *ndev = en->ndev;
	u32 mtu;
	int err;

	err = cxr_cmd_query_min_inline(core, &en->device_inline);
	if (err)
		return err;

	mtu = max_mtu(core);
	if (mtu < ETH_MIN_MTU) {
		dev_err(core->dev, "invalid maximum MTU of the port: %u\n", mtu);
		return -EPROTO;
	}
	WRITE_ONCE(ndev->max_mtu, mtu);
	if (en->kept) {
		adapt_config(en);
		return 0;
	}
	set_defaults(en);
	return cxr_en_set_queues(en, &en->config);
}

static void destroy_tises(struct cxr_en *en, unsigned int n)
{
	while (n--)
		cxr_cmd_destroy_tis(en->core, 0, en->tisn[n]);
}

/* One for each priority. */
static int create_tises(struct cxr_en *en)
{
	unsigned int i;
	int err;

	for (i = 0; i < CXR_TCS; i++) {
		err = cxr_cmd_create_tis(en->core, 0, en->tdn, i, 0, &en->tisn[i]);
		if (err) {
			destroy_tises(en, i);
			return err;
		}
	}
	return 0;
}

static int base_up(void *owner)
{
	struct cxr_en *en = owner;
	struct cxr_mkey_attr mkey = { .access = CXR_ACCESS_LOCAL_WRITE, .kind = CXR_MKEY_ALL };
	struct cxr_core *core = en->core;
	int err;

	en->uar = cxr_uar_alloc(core);
	if (IS_ERR(en->uar))
		return PTR_ERR(en->uar);

	err = cxr_cmd_alloc_pd(core, 0, &en->pdn);
	if (err)
		goto err_free_uar;

	err = cxr_cmd_alloc_td(core, 0, &en->tdn);
	if (err)
		goto err_dealloc_pd;

	mkey.pdn = en->pdn;
	err = cxr_cmd_create_mkey(core, &mkey, &en->mkey);
	if (err)
		goto err_dealloc_td;

	err = create_tises(en);
	if (err)
		goto err_destroy_mkey;

	/* only for statistics */
	if (core->caps.num_q_counters && cxr_cmd_alloc_q_counter(core, &en->q_counter))
		en->q_counter = 0;
	/* a new counter, also after a reset */
	en->device_counters[CXR_EN_RX_OUT_OF_BUFFER].device = 0;
	return 0;

err_destroy_mkey:
	cxr_cmd_destroy_mkey(core, en->mkey);
err_dealloc_td:
	cxr_cmd_dealloc_td(core, 0, en->tdn);
err_dealloc_pd:
	cxr_cmd_dealloc_pd(core, 0, en->pdn);
err_free_uar:
	cxr_uar_free(core, en->uar);
	return err;
}

static void base_down(void *owner)
{
	struct cxr_en *en = owner;
	struct cxr_core *core = en->core;

	if (en->q_counter)
		cxr_cmd_dealloc_q_counter(core, en->q_counter);
	destroy_tises(en, CXR_TCS);
	cxr_cmd_destroy_mkey(core, en->mkey);
	cxr_cmd_dealloc_td(core, 0, en->tdn);
	cxr_cmd_dealloc_pd(core, 0, en->pdn);
	cxr_uar_free(core, en->uar);
}

static int wq_up(void *owner)
{
	struct cxr_en *en = owner;

	if (en->kept)
		return 0;
	en->wq = alloc_ordered_workqueue("cxr_en_%s", 0, pci_name(en->core->pdev));
	return en->wq ? 0 : -ENOMEM;
}

static void wq_down(void *owner)
{
	struct cxr_en *en = owner;

	/* the interface is closed: nothing queues work any more that needs the device */
	cancel_delayed_work_sync(&en->report_work);
	cancel_delayed_work_sync(&en->link_work);
	if (en->kept)
		flush_workqueue(en->wq);
	else
		destroy_workqueue(en->wq);
}

/* In place of the user, who sees the interface up all the time. */
static void attach(struct cxr_en *en)
{
	struct net_device *ndev = en->ndev;
	int err = 0;

	rtnl_lock();
	if (netif_running(ndev))
		err = cxr_en_open(ndev);
	WRITE_ONCE(en->kept, false);
	cxr_en_tunnel_restore(en);
	cxr_en_attach(en, "cannot start the queues after the reset", err);
	if (netif_device_present(ndev))
		renew_svlans(en);
	rtnl_unlock();
}

static void detach(struct cxr_en *en)
{
	rtnl_lock();
	netif_device_detach(en->ndev);
	if (netif_running(en->ndev))
		cxr_en_close(en);
	rtnl_unlock();
}

static int netdev_up(void *owner)
{
	struct cxr_en *en = owner;
	int err;

	if (en->kept) {
		attach(en);
		return 0;
	}
	netif_carrier_off(en->ndev);
	if (en->core->caps.vf_caps && !en->core->vf)
		en->ndev->sysfs_groups[0] = &cxr_en_settings_group;
	err = register_netdev(en->ndev);
	if (err)
		return err;

	cxr_devlink_port_set_type(en->port, en->ndev);
	cxr_en_dcb_add_apps(en);
	cxr_en_ecn_add(en);
	return 0;
}

static void unregister(struct cxr_en *en)
{
	cxr_en_ecn_remove(en);
	cxr_devlink_port_clear_type(en->port);
	unregister_netdev(en->ndev);
}

static void netdev_down(void *owner)
{
	struct cxr_en *en = owner;

	if (en->kept)
		detach(en);
	else
		unregister(en);
}

static int client_up(void *owner)
{
	struct cxr_en *en = owner;

	cxr_client_register(en->core, CXR_CLIENT_EN, &client_ops, en);
	/* The interface may have been opened already, and the link have changed since. */
	mod_delayed_work(en->wq, &en->link_work, 0);
	cxr_port_set_netdev(&en->core->port, en->ndev);
	return 0;
}

static void client_down(void *owner)
{
	struct cxr_en *en = owner;

	cxr_port_set_netdev(&en->core->port, NULL);
	cxr_client_unregister(en->core, CXR_CLIENT_EN);
}

static const struct cxr_stage stages[] = {
	CXR_EN_STAGES(CXR_STAGE)
};

/* ---- probe and remove --------------------------------------------------- */

static void init_en(struct cxr_en *en, struct auxiliary_device *adev, struct net_device *ndev)
{
	struct cxr_core *core = to_cxr_core(adev);

	en->core = core;
	en->device = &adev->dev;
	en->ndev = ndev;
	en->restarted = jiffies - 2 * CXR_EN_RESTART_GAP;
	mutex_init(&en->lock);
	INIT_WORK(&en->rx_mode_work, rx_mode_work);
	INIT_WORK(&en->stats_work, stats_work);
	INIT_LIST_HEAD(&en->contexts);
	INIT_LIST_HEAD(&en->rules);
	cxr_en_init_works(en);
	cxr_en_init_reports(en);
	cxr_en_rss_init(en);
	cxr_en_stats_init(en);
	en->stages = CXR_STAGES_DOWN(stages, en, core->dev);
}

static void free_en(struct cxr_en *en)
{
	cxr_en_ntuple_free(en);
	cxr_en_contexts_free(en);
	mutex_destroy(&en->lock);
	free_netdev(en->ndev);
}

static int en_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	struct cxr_core *core = to_cxr_core(adev);
	struct net_device *ndev;
	const char *missing;
	unsigned int channels;
	struct cxr_en *en;
	int err;

	if (cxr_adev_suspended(adev))
		return -EBUSY;
	missing = cxr_caps_missing_eth(&core->caps, CXR_EN_LOG_RING_MIN, CXR_FLOW_LEVEL_EN_3,
				       CXR_EN_LOG_MAC_TABLE);
	if (missing) {
		dev_err(core->dev, "no network interface: %s is missing or too small: update the firmware of the device\n",
			missing);
		return -EOPNOTSUPP;
	}
	if (core->caps.max_wqe_sz_sq < MIN_SQ_WQE || !core->caps.max_wqe_sz_rq) {
		dev_err(core->dev, "no network interface: max_wqe_sz_sq %u or max_wqe_sz_rq %u is too small: update the firmware of the device\n",
			core->caps.max_wqe_sz_sq, core->caps.max_wqe_sz_rq);
		return -EPROTO;
	}
	channels = cxr_en_max_channels(core);
	ndev = alloc_etherdev_mqs(sizeof(*en), channels * CXR_TCS, channels);
	if (!ndev)
		return -ENOMEM;

	SET_NETDEV_DEV(ndev, core->dev);
	en = netdev_priv(ndev);
	init_en(en, adev, ndev);
	err = cxr_stages_up(&en->stages, 0);
	if (err) {
		free_en(en);
		return err;
	}
	auxiliary_set_drvdata(adev, en);
	return 0;
}

static void en_remove(struct auxiliary_device *adev)
{
	struct cxr_en *en = auxiliary_get_drvdata(adev);

	cxr_stages_down(&en->stages, 0);
	if (en->kept) {
		unregister(en);
		destroy_workqueue(en->wq);
		cxr_en_devlink_remove(en);
	}
	free_en(en);
}

/* Before and after a reset (struct cxr_en.kept). After an error in resume only removal is left. */
static int en_suspend(struct auxiliary_device *adev, pm_message_t unused)
{
	struct cxr_en *en = auxiliary_get_drvdata(adev);

	rtnl_lock();
	WRITE_ONCE(en->kept, true);
	rtnl_unlock();
	cxr_stages_down(&en->stages, 0);
	return 0;
}

static int en_resume(struct auxiliary_device *adev)
{
	struct cxr_en *en = auxiliary_get_drvdata(adev);

	return cxr_stages_up(&en->stages, 0);
}

static const struct auxiliary_device_id ids[] = {
	{ .name = "cxr_core." CXR_AUX_EN },
	{}
};
MODULE_DEVICE_TABLE(auxiliary, ids);

static struct auxiliary_driver en_driver = {
	.name = CXR_AUX_EN,
	.id_table = ids,
	.probe = en_probe,
	.remove = en_remove,
	.suspend = en_suspend,
	.resume = en_resume,
};
module_auxiliary_driver(en_driver);

MODULE_DESCRIPTION("ConnectX RoCE: Ethernet network device");
MODULE_LICENSE("Dual BSD/GPL");
