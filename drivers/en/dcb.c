// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * DCB: traffic classes, flow control of priorities, trust, and the receive buffer of the port, as
 * iproute2's dcb and lldpad set them (IEEE 802.1Qaz). Operations hold RTNL.
 *
 * What is refused is logged, since the interface cannot tell why.
 */
#include <linux/rtnetlink.h>
#include <net/dcbnl.h>
#include "en.h"

#define CABLE_DEFAULT	7	/* metres, as those of the in-tree driver */
#define CABLE_MAX	1000
#define FRAME_MIN	9216	/* the least that a buffer without loss has room for */

/*
 * 0, -EOPNOTSUPP without @feature, or -ENODEV: the device has failed, or there is a reset, and no
 * command may be issued.
 */
static int check_usable(const struct cxr_en *en, bool feature)
{
	if (!feature)
		return -EOPNOTSUPP;
	return cxr_en_usable(en) ? 0 : -ENODEV;
}

static int refuse(struct cxr_en *en, int err, const char *why)
{
	netdev_err(en->ndev, "DCB: %s\n", why);
	return err;
}

/* ---- traffic classes ---------------------------------------------------- */

static int read_ets(struct cxr_en *en, struct ieee_ets *ets, struct cxr_tc *tcs)
{
	int err;

	err = cxr_cmd_query_prio_tc(en->core, ets->prio_tc) ?: cxr_cmd_query_tcs(en->core, tcs);
	if (err)
		return err;

	memcpy(ets->tc_tsa, en->dcb.ets.tc_tsa, sizeof(ets->tc_tsa));
	cxr_ets_describe(tcs, en->core->caps.n_tcs, ets);
	return 0;
}

int cxr_en_get_ets(struct net_device *ndev, struct ieee_ets *ets)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_tc tcs[CXR_TCS];

	return check_usable(en, en->core->caps.ets) ?: read_ets(en, ets, tcs);
}

/* Restores what was there if the device refuses a part. */
static int write_ets(struct cxr_en *en, const struct ieee_ets *ets)
{
	struct cxr_tc old_tcs[CXR_TCS], tcs[CXR_TCS] = {};
	struct cxr_core *core = en->core;
	struct ieee_ets old = {};
	int err;

	err = read_ets(en, &old, old_tcs);
	if (err)
		return err;

	cxr_ets_schedule(ets, core->caps.n_tcs, tcs);
	err = cxr_cmd_set_prio_tc(core, ets->prio_tc) ?: cxr_cmd_set_tc_schedule(core, tcs);
	if (err) {
		cxr_cmd_set_tc_schedule(core, old_tcs);
		cxr_cmd_set_prio_tc(core, old.prio_tc);
		return err;
	}
	en->dcb.ets = *ets;
	return 0;
}

int cxr_en_set_ets(struct net_device *ndev, struct ieee_ets *ets)
{
	struct cxr_en *en = netdev_priv(ndev);
	const char *why;
	int err;

	err = check_usable(en, en->core->caps.ets);
	if (err)
		return err;

	err = cxr_ets_check(ets, en->core->caps.n_tcs, &why);
	return err ? refuse(en, err, why) : write_ets(en, ets);
}

/* The default of the in-tree driver: priority 0 is better than 1. */
static void default_ets(struct cxr_en *en, struct ieee_ets *ets)
{
	unsigned int i, n = en->core->caps.n_tcs;

	memset(ets, 0, sizeof(*ets));
	for (i = 0; i < n; i++) {
		ets->tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		ets->prio_tc[i] = i;
	}
	if (n > 1)
		swap(ets->prio_tc[0], ets->prio_tc[1]);
}

static int read_maxrate(struct cxr_en *en, u64 max_kbps[CXR_TCS])
{
	struct cxr_tc tcs[CXR_TCS];
	unsigned int i;
	int err;

	err = cxr_cmd_query_tcs(en->core, tcs);
	for (i = 0; !err && i < en->core->caps.n_tcs; i++)
		max_kbps[i] = tcs[i].max_kbps;
	return err;
}

static int get_maxrate(struct net_device *ndev, struct ieee_maxrate *maxrate)
{
	struct cxr_en *en = netdev_priv(ndev);

	memset(maxrate, 0, sizeof(*maxrate));
	return check_usable(en, en->core->caps.ets) ?: read_maxrate(en, maxrate->tc_maxrate);
}

static int write_maxrate(struct cxr_en *en, const u64 max_kbps[CXR_TCS])
{
	struct cxr_tc tcs[CXR_TCS] = {};
	unsigned int i;
	int err;

	for (i = 0; i < CXR_TCS; i++)
		tcs[i].max_kbps = max_kbps[i];
	err = cxr_cmd_set_tc_rates(en->core, tcs);
	if (!err)
		memcpy(en->dcb.max_kbps, max_kbps, sizeof(en->dcb.max_kbps));
	return err;
}

static int set_maxrate(struct net_device *ndev, struct ieee_maxrate *maxrate)
{
	struct cxr_en *en = netdev_priv(ndev);
	int err;

	err = check_usable(en, en->core->caps.ets);
	if (err)
		return err;

	err = write_maxrate(en, maxrate->tc_maxrate);
	return err == -ERANGE ? refuse(en, -EINVAL, "the rate of a class is above 255 Gbit/s") :
				err;
}

/* ---- receive buffer ----------------------------------------------------- */

/* @b: with sizes and priorities as a user wants them. */
static int plan_buffers(struct cxr_en *en, struct cxr_buffers *b, u8 lossless)
{
	u32 frame = max_t(u32, en->ndev->max_mtu, FRAME_MIN);
	struct cxr_link link;
	const char *why;
	u32 response;
	int err;

	err = cxr_cmd_query_link(en->core, &link);
	if (err)
		return err;

	response = cxr_buffer_response(link.speed_mbps, en->dcb.cable, en->ndev->mtu);
	err = cxr_buffers_plan(b, lossless, response, frame, &why);
	return err ? refuse(en, err, why) : 0;
}

static u8 paused_priorities(const struct cxr_flow_control *fc)
{
	return cxr_pause_on(&fc->pause) ? 0xff : fc->pfc_tx;
}

static int read_buffers(struct cxr_en *en, struct cxr_buffers *b)
{
	memset(b, 0, sizeof(*b));
	b->cell = en->dcb.support.cell;
	return cxr_cmd_query_buffers(en->core, b);
}

static int write_buffers(struct cxr_en *en, const struct cxr_buffers *old,
			 const struct cxr_buffers *b)
{
	int err;

	err = cxr_cmd_set_buffers(en->core, old, b);
	if (err == -ENOSPC)
		return refuse(en, -EINVAL, "the buffers leave nothing to be shared");
	if (err)
		return err;

	en->dcb.own_buffers = true;
	en->dcb.buffers = *b;
	return 0;
}

static int get_buffer(struct net_device *ndev, struct dcbnl_buffer *buffer)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_buffers b;
	unsigned int i;
	int err;

	err = check_usable(en, en->dcb.support.buffers) ?: read_buffers(en, &b);
	if (err)
		return err;
	memcpy(buffer->prio2buffer, b.prio_buffer, sizeof(buffer->prio2buffer));
	for (i = 0; i < CXR_BUFFERS; i++)
		buffer->buffer_size[i] = b.buffer[i].size;
	buffer->total_size = b.room;
	return 0;
}

/* From now on the firmware leaves the buffers to us, also when flow control changes. */
static int set_buffer(struct net_device *ndev, struct dcbnl_buffer *buffer)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_flow_control fc;
	struct cxr_buffers old, b;
	unsigned int i;
	int err;

	err = check_usable(en, en->dcb.support.buffers) ?: read_buffers(en, &old) ?:
	      cxr_cmd_query_flow_control(en->core, &fc);
	if (err)
		return err;
	b = old;
	memcpy(b.prio_buffer, buffer->prio2buffer, sizeof(b.prio_buffer));
	for (i = 0; i < CXR_BUFFERS; i++)
		b.buffer[i].size = buffer->buffer_size[i];
	err = plan_buffers(en, &b, paused_priorities(&fc));
	return err ?: write_buffers(en, &old, &b);
}

/* ---- flow control of priorities ----------------------------------------- */

int cxr_en_get_pfc(struct net_device *ndev, struct ieee_pfc *pfc)
{
	struct cxr_en *en = netdev_priv(ndev);
	u64 values[CXR_PRIO_COUNTERS];
	struct cxr_flow_control fc;
	unsigned int i;
	int err;

	err = check_usable(en, true) ?: cxr_cmd_query_flow_control(en->core, &fc);
	if (err)
		return err;

	pfc->pfc_cap = en->core->caps.n_tcs;
	pfc->pfc_en = fc.pfc_tx;
	pfc->delay = en->dcb.support.buffers ? en->dcb.cable : 0;
	for (i = 0; i < CXR_PRIOS && !cxr_cmd_query_prio_counters(en->core, i, values); i++) {
		pfc->requests[i] = values[CXR_PRIO_tx_pause];
		pfc->indications[i] = values[CXR_PRIO_rx_pause];
	}
	return 0;
}

/* Takes effect when the link comes up, so it goes down, as with the in-tree driver. */
static int write_pfc(struct cxr_en *en, u8 prios)
{
	int err;

	err = cxr_cmd_set_pfc(en->core, prios);
	if (err)
		return err;

	en->dcb.flow.pfc_rx = prios;
	en->dcb.flow.pfc_tx = prios;
	en->dcb.flow.pause = (struct cxr_pause){};
	err = cxr_cmd_toggle_port(en->core);
	if (err)
		netdev_warn(en->ndev, "DCB: flow control takes effect when the link goes down and up, which the firmware refuses: %pe\n",
			    ERR_PTR(err));
	return 0;
}

/* As it was before write_pfc(). */
static void undo_pfc(struct cxr_en *en, const struct cxr_flow_control *old)
{
	write_pfc(en, old->pfc_tx);
	if (cxr_pause_on(&old->pause) && !cxr_cmd_set_pause(en->core, &old->pause))
		en->dcb.flow.pause = old->pause;
}

/* With buffers that a user has set, those for @prios; else the firmware sizes them. */
static int set_pfc_and_buffers(struct cxr_en *en, const struct cxr_flow_control *old, u8 prios)
{
	bool change = prios != old->pfc_tx;
	struct cxr_buffers old_b, b;
	int err;

	if (!en->dcb.support.buffer_owner || !old->own_buffers)
		return change ? write_pfc(en, prios) : 0;

	err = read_buffers(en, &old_b);
	if (err)
		return err;
	b = old_b;
	err = plan_buffers(en, &b, change ? prios : paused_priorities(old));
	if (!err && change)
		err = write_pfc(en, prios);
	if (err)
		return err;
	err = write_buffers(en, &old_b, &b);
	if (err && change)
		undo_pfc(en, old);
	return err;
}

int cxr_en_set_pfc(struct net_device *ndev, struct ieee_pfc *pfc)
{
	struct cxr_en *en = netdev_priv(ndev);
	u32 cable = en->dcb.cable;
	struct cxr_flow_control old;
	int err;

	err = check_usable(en, true) ?: cxr_cmd_query_flow_control(en->core, &old);
	if (err)
		return err;
	/* metres; with others bit times, so that it is not refused; 0: as before */
	if (pfc->delay >= CABLE_MAX)
		netdev_warn(ndev, "DCB: a delay of %u is no length of a cable, 1 to %u m, which stays %u m\n",
			    pfc->delay, CABLE_MAX - 1, cable);
	else if (pfc->delay)
		en->dcb.cable = pfc->delay;
	err = set_pfc_and_buffers(en, &old, pfc->pfc_en);
	if (err)
		en->dcb.cable = cable;
	return err;
}

/* ---- trust and DSCPs ---------------------------------------------------- */

/* The device reads the DSCP of a packet in its WQE. */
static u8 inline_mode(const struct cxr_en *en, bool dscp)
{
	return dscp && en->device_inline == CXR_EN_INLINE_L2 ? CXR_EN_INLINE_IP :
							       en->device_inline;
}

static int set_inline(struct cxr_en *en, bool dscp)
{
	struct cxr_en_config config = en->config;

	config.inline_mode = inline_mode(en, dscp);
	return config.inline_mode == en->config.inline_mode ? 0 : cxr_en_reconfigure(en, &config);
}

static int set_trust(struct cxr_en *en, bool dscp)
{
	int err = 0;

	if (dscp)
		err = set_inline(en, true);
	err = err ?: cxr_cmd_set_trust(en->core, dscp);
	if (!err)
		en->dcb.trust_dscp = dscp;
	/* more headers than necessary do no harm */
	if (!en->dcb.trust_dscp && set_inline(en, false))
		netdev_dbg(en->ndev, "DCB: the send queues keep their inline mode\n");
	return err;
}

static int set_dscp_prio(struct cxr_en *en, u8 dscp, u8 prio)
{
	int err = 0;

	if (en->dcb.dscp_prio[dscp] != prio)
		err = cxr_cmd_set_dscp_prio(en->core, dscp, prio);
	if (!err)
		en->dcb.dscp_prio[dscp] = prio;
	return err;
}

static int check_app(struct cxr_en *en, const struct dcb_app *app)
{
	int err;

	err = check_usable(en, en->dcb.support.dscp);
	if (err)
		return err;
	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP)
		return refuse(en, -EINVAL, "the port has priorities for DSCPs only");
	if (app->protocol >= CXR_DSCPS)
		return refuse(en, -EINVAL, "a DSCP is above 63");
	if (app->priority >= CXR_PRIOS)
		return refuse(en, -EINVAL, "a priority is above 7");
	return 0;
}

static struct dcb_app app_of(const struct cxr_en *en, u8 dscp)
{
	return (struct dcb_app){
		.selector = IEEE_8021QAZ_APP_SEL_DSCP,
		.protocol = dscp,
		.priority = en->dcb.dscp_prio[dscp],
	};
}

static bool any_app(const struct cxr_en *en)
{
	struct dcb_app app = { .selector = IEEE_8021QAZ_APP_SEL_DSCP };

	for (app.protocol = 0; app.protocol < CXR_DSCPS; app.protocol++)
		if (dcb_ieee_getapp_mask(en->ndev, &app))
			return true;
	return false;
}

/* The first DSCP makes the port trust them, and the last that goes ends it. */
static int set_app(struct net_device *ndev, struct dcb_app *app)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct dcb_app old;
	bool trusted, had;
	int err;

	err = check_app(en, app);
	if (err)
		return err;

	old = app_of(en, app->protocol);
	trusted = en->dcb.trust_dscp;
	if (!trusted)
		err = set_trust(en, true);
	err = err ?: set_dscp_prio(en, app->protocol, app->priority);
	if (err)
		goto err_trust;

	/* a DSCP has one priority */
	had = !dcb_ieee_delapp(ndev, &old);
	err = dcb_ieee_setapp(ndev, app);
	if (!err)
		return 0;

	if (had)
		dcb_ieee_setapp(ndev, &old);
	set_dscp_prio(en, old.protocol, old.priority);
err_trust:
	if (!trusted)
		set_trust(en, false);
	return err;
}

static int del_app(struct net_device *ndev, struct dcb_app *app)
{
	struct cxr_en *en = netdev_priv(ndev);
	int err;

	err = check_app(en, app);
	if (err)
		return err;
	if (!(dcb_ieee_getapp_mask(ndev, app) & BIT(app->priority)))
		return -ENOENT;

	err = set_dscp_prio(en, app->protocol, 0) ?: dcb_ieee_delapp(ndev, app);
	if (err)
		return err;
	return any_app(en) ? 0 : set_trust(en, false);
}

void cxr_en_dcb_add_apps(struct cxr_en *en)
{
	unsigned int dscp;
	struct dcb_app app;

	rtnl_lock();
	for (dscp = 0; en->ndev->dcbnl_ops && en->dcb.trust_dscp && dscp < CXR_DSCPS; dscp++) {
		app = app_of(en, dscp);
		dcb_ieee_setapp(en->ndev, &app);
	}
	rtnl_unlock();
}

/* ---- DCBX --------------------------------------------------------------- */

static u8 get_dcbx(struct net_device *ndev)
{
	struct cxr_en *en = netdev_priv(ndev);

	return en->dcb.dcbx;
}

static int set_firmware_dcbx(struct cxr_en *en, bool firmware)
{
	if (!en->core->caps.dcbx || firmware == !(en->dcb.dcbx & DCB_CAP_DCBX_HOST))
		return 0;
	return check_usable(en, true) ?: cxr_cmd_set_dcbx(en->core, firmware);
}

/* Mode 0 is the firmware's agent. Returns 0 or 1. */
static u8 set_dcbx(struct net_device *ndev, u8 mode)
{
	struct cxr_en *en = netdev_priv(ndev);
	bool firmware = !mode && en->core->caps.dcbx;

	if (mode & DCB_CAP_DCBX_LLD_MANAGED || (!firmware && !(mode & DCB_CAP_DCBX_HOST)))
		return 1;
	if (set_firmware_dcbx(en, firmware))
		return 1;
	if (firmware)
		en->dcb.dcbx &= ~DCB_CAP_DCBX_HOST;
	else
		en->dcb.dcbx = mode;
	return 0;
}

/* ---- up ----------------------------------------------------------------- */

static const struct dcbnl_rtnl_ops dcbnl_ops = {
	.ieee_getets = cxr_en_get_ets,
	.ieee_setets = cxr_en_set_ets,
	.ieee_getmaxrate = get_maxrate,
	.ieee_setmaxrate = set_maxrate,
	.ieee_getpfc = cxr_en_get_pfc,
	.ieee_setpfc = cxr_en_set_pfc,
	.ieee_setapp = set_app,
	.ieee_delapp = del_app,
	.dcbnl_getbuffer = get_buffer,
	.dcbnl_setbuffer = set_buffer,
	.getdcbx = get_dcbx,
	.setdcbx = set_dcbx,
	.getstate = cxr_en_cee_getstate,
	.setall = cxr_en_cee_setall,
	.getpermhwaddr = cxr_en_cee_getpermhwaddr,
	.setpgtccfgtx = cxr_en_cee_setpgtccfgtx,
	.setpgbwgcfgtx = cxr_en_cee_setpgbwgcfgtx,
	.setpgtccfgrx = cxr_en_cee_setpgtccfgrx,
	.setpgbwgcfgrx = cxr_en_cee_setpgbwgcfgrx,
	.getpgtccfgtx = cxr_en_cee_getpgtccfgtx,
	.getpgbwgcfgtx = cxr_en_cee_getpgbwgcfgtx,
	.getpgtccfgrx = cxr_en_cee_getpgtccfgtx,
	.getpgbwgcfgrx = cxr_en_cee_getpgbwgcfgtx,
	.setpfccfg = cxr_en_cee_setpfccfg,
	.getpfccfg = cxr_en_cee_getpfccfg,
	.getcap = cxr_en_cee_getcap,
	.getnumtcs = cxr_en_cee_getnumtcs,
	.getpfcstate = cxr_en_cee_getpfcstate,
	.setpfcstate = cxr_en_cee_setpfcstate,
};

static int read_dscps(struct cxr_en *en)
{
	struct cxr_en_dcb *dcb = &en->dcb;

	if (!dcb->support.dscp)
		return 0;
	return cxr_cmd_query_trust(en->core, &dcb->trust_dscp) ?:
	       cxr_cmd_query_dscp_prio(en->core, dcb->dscp_prio);
}

static int read_dcbx(struct cxr_en *en)
{
	bool firmware = false;
	int err = 0;

	if (en->core->caps.dcbx)
		err = cxr_cmd_query_dcbx(en->core, &firmware);
	en->dcb.dcbx = DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE |
		       (firmware ? 0 : DCB_CAP_DCBX_HOST);
	return err;
}

static int read_rates(struct cxr_en *en)
{
	return en->core->caps.ets ? read_maxrate(en, en->dcb.max_kbps) : 0;
}

static int read_own_buffers(struct cxr_en *en)
{
	struct cxr_en_dcb *dcb = &en->dcb;

	dcb->own_buffers = dcb->support.buffers && dcb->support.buffer_owner &&
			   dcb->flow.own_buffers;
	return dcb->own_buffers ? read_buffers(en, &dcb->buffers) : 0;
}

static int reset_ets(struct cxr_en *en)
{
	default_ets(en, &en->dcb.ets);
	return en->core->caps.ets ? write_ets(en, &en->dcb.ets) : 0;
}

typedef int (*port_step)(struct cxr_en *en);

/* What the last driver, or the firmware, has left; but traffic classes start with the default. */
static const port_step first_steps[] = {
	cxr_en_read_flow_control, read_dscps, read_dcbx, read_rates, read_own_buffers, reset_ets,
};

static int restore_flow_control(struct cxr_en *en)
{
	const struct cxr_flow_control *flow = &en->dcb.flow;

	return flow->pfc_tx ? cxr_cmd_set_pfc(en->core, flow->pfc_tx) :
			      cxr_cmd_set_pause(en->core, &flow->pause);
}

static int restore_ets(struct cxr_en *en)
{
	if (!en->core->caps.ets)
		return 0;
	return write_ets(en, &en->dcb.ets) ?: write_maxrate(en, en->dcb.max_kbps);
}

static int restore_dscps(struct cxr_en *en)
{
	struct cxr_en_dcb *dcb = &en->dcb;
	u8 now[CXR_DSCPS];
	unsigned int i;
	int err;

	if (!dcb->support.dscp)
		return 0;
	err = cxr_cmd_query_dscp_prio(en->core, now);
	for (i = 0; !err && i < CXR_DSCPS; i++)
		if (now[i] != dcb->dscp_prio[i])
			err = cxr_cmd_set_dscp_prio(en->core, i, dcb->dscp_prio[i]);
	err = err ?: cxr_cmd_set_trust(en->core, dcb->trust_dscp);
	if (err)
		read_dscps(en);
	return err;
}

static int restore_dcbx(struct cxr_en *en)
{
	int err = 0;

	if (en->core->caps.dcbx)
		err = cxr_cmd_set_dcbx(en->core, !(en->dcb.dcbx & DCB_CAP_DCBX_HOST));
	if (err)
		read_dcbx(en);
	return err;
}

static int restore_buffers(struct cxr_en *en)
{
	struct cxr_buffers now;

	if (!en->dcb.own_buffers)
		return 0;
	return read_buffers(en, &now) ?: cxr_cmd_set_buffers(en->core, &now, &en->dcb.buffers);
}

static int restore_stall(struct cxr_en *en)
{
	u16 ms = en->dcb.stall_ms;

	return en->dcb.stall_set ?
	       cxr_cmd_set_stall(en->core, ms, cxr_stall_minor(ms)) : 0;
}

static const port_step restore_steps[] = {
	restore_flow_control, restore_ets, restore_dscps, restore_dcbx, restore_buffers,
};

/* All of them; the first error. */
static int run_steps(struct cxr_en *en, const port_step *steps, unsigned int n)
{
	unsigned int i;
	int err = 0, last;

	for (i = 0; i < n; i++) {
		last = steps[i](en);
		err = err ?: last;
	}
	return err;
}

/* Without DCB, what the port trusts matters all the same. */
static int dcb_begin(struct cxr_en *en)
{
	int err;

	err = cxr_cmd_query_dcb(en->core, &en->dcb.support);
	if (err || !en->core->caps.dcb)
		return err ?: read_dscps(en);

	en->ndev->dcbnl_ops = &dcbnl_ops;
	return run_steps(en, first_steps, ARRAY_SIZE(first_steps));
}

static int dcb_restore(struct cxr_en *en)
{
	int err = restore_stall(en), last;

	if (en->ndev->dcbnl_ops)
		last = run_steps(en, restore_steps, ARRAY_SIZE(restore_steps));
	else
		last = read_dscps(en);
	return err ?: last;
}

/* The netdev works without, so errors are only logged. */
int cxr_en_dcb_up(void *owner)
{
	struct cxr_en *en = owner;
	int err;

	if (!en->core->caps.dcb && !en->core->caps.qcam_reg)
		return 0;
	rtnl_lock();
	err = en->kept ? dcb_restore(en) : dcb_begin(en);
	en->config.inline_mode = inline_mode(en, en->dcb.trust_dscp);
	rtnl_unlock();
	if (err)
		dev_warn(en->core->dev, "traffic classes and flow control of the port are not as %s: %pe\n",
			 en->kept ? "before the reset" : "they should be", ERR_PTR(err));
	return 0;
}
