// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands of the function as a whole: its phases, its identity. */
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "prm/caps.h"
#include "prm/obj.h"

/* ---- phases ---- */

/* By the driver of its PF. */
static int enable_vf(struct cmd *c, struct cxdev *vf)
{
	if (c->dev->hca->phase != HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "valid only after INIT_HCA of the PF");
	if (vf->enabled_by_pf)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "function %u is already enabled",
			      vf->function_id);
	vf->enabled_by_pf = true;	/* first: keeps pages that the PF has not taken yet */
	cxdev_power_on(vf);
	vf->health.excused = true;	/* a driver of before may not know yet */
	notice(vf, "enabled by the PF");
	pages_balance(vf);
	return 0;
}

/* A driver that it has loses it as by surprise. */
static int disable_vf(struct cmd *c, struct cxdev *vf)
{
	if (!vf->enabled_by_pf)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "function %u is not enabled",
			      vf->function_id);
	cxdev_power_on(vf);	/* keeps the pages until the PF takes them */
	vf->enabled_by_pf = false;
	vf->health.excused = true;
	notice(vf, "disabled by the PF");
	pages_balance(vf);
	return 0;
}

static int run_enable_hca(struct cmd *c)
{
	const struct prm_enable_hca_in *in = c->in;
	struct hca_state *hca = c->dev->hca;
	struct cxdev *dev = cmd_function(c, prm_get(in, embedded_cpu_function),
					 prm_get(in, function_id));

	if (!dev)
		return -1;
	if (dev != c->dev)
		return enable_vf(c, dev);
	if (hca->phase != HCA_OFF)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "the function is already enabled");
	hca->phase = HCA_ENABLED;
	return 0;
}

static int run_disable_hca(struct cmd *c)
{
	const struct prm_disable_hca_in *in = c->in;
	struct hca_state *hca = c->dev->hca;
	struct cxdev *dev = cmd_function(c, prm_get(in, embedded_cpu_function),
					 prm_get(in, function_id));

	if (!dev)
		return -1;
	if (dev != c->dev)
		return disable_vf(c, dev);
	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "TEARDOWN_HCA must come first");
	cxdev_report_leaks(c->dev);
	cxdev_drop_vfs(c->dev);
	hca->phase = HCA_OFF;
	if (!c->dev->pf) {
		pages_forget(c->dev);
		hca->pages_requested = 0;
	}
	hca_caps_reset(c->dev);
	return 0;
}

/* Its PF has not given the pages yet, or cannot; that is no fault of the VF's driver. */
static int wait_for_pf(struct cmd *c)
{
	if (!c->dev->hca->pages_denied)
		pages_balance(c->dev);
	if (pages_to_come(c->dev))
		return cmd_wait_for_pages(c);
	return decline(c, PRM_STATUS_NO_RES, "the PF gives no pages");
}

static int run_init_hca(struct cmd *c)
{
	const struct prm_init_hca_in *in = c->in;
	const void *owner = prm_bytes_const(in, sw_owner_id);
	static const uint8_t nobody[sizeof(c->dev->hca->owner)];
	struct hca_state *hca = c->dev->hca;

	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "the function is already initialized");
	if (c->dev->pf && hca->pages.n < pages_initial(c->dev))
		return wait_for_pf(c);
	if (hca->pages.n < pages_initial(c->dev))
		return refuse(c, PRM_STATUS_BAD_SYS_STATE,
			      "the card needs %u pages before INIT_HCA and has %u",
			      pages_initial(c->dev), hca->pages.n);
	if (memcmp(owner, nobody, sizeof(nobody)) && !hca_has_owner(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM, "sw_owner_id is not advertised");
	memcpy(hca->owner, owner, sizeof(hca->owner));
	hca->phase = HCA_RUNNING;
	return 0;
}

static int run_teardown_hca(struct cmd *c)
{
	const struct prm_teardown_hca_in *in = c->in;

	if (prm_get(in, profile))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "profile %u: only graceful teardown is supported",
			      prm_get(in, profile));
	hca_stop(c->dev);
	return 0;
}

static int run_query_issi(struct cmd *c)
{
	struct prm_query_issi_out *out = c->out;

	prm_set(out, current_issi, c->dev->hca->issi);
	prm_set(out, supported_issi_dw0, 1u << 0 | 1u << 1);
	return 0;
}

static int run_set_issi(struct cmd *c)
{
	const struct prm_set_issi_in *in = c->in;

	if (prm_get(in, current_issi) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "current_issi %u is not supported",
			      prm_get(in, current_issi));
	c->dev->hca->issi = prm_get(in, current_issi);
	return 0;
}

static int run_query_adapter(struct cmd *c)
{
	struct prm_query_adapter_out *out = c->out;

	prm_set(out, query_adapter_struct.ieee_vendor_id, 0x0002c9);
	prm_set(out, query_adapter_struct.vsd_vendor_id, 0x15b3);
	memcpy(prm_bytes(out, query_adapter_struct.vsd_contd_psid), c->dev->card->psid, 16);
	return 0;
}

static int run_set_driver_version(struct cmd *c)
{
	const struct prm_set_driver_version_in *in = c->in;
	const char *version = (const char *)prm_bytes_const(in, driver_version);

	notice(c->dev, "driver %.*s", (int)strnlen(version, 64), version);
	return 0;
}

const struct cmd_desc cmds_hca[] = {
	CMD(enable_hca, .early = true),
	CMD(disable_hca, .early = true),
	CMD(init_hca, .early = true),
	CMD(teardown_hca),
	CMD(query_issi, .early = true),
	CMD(set_issi, .early = true),
	CMD(query_adapter, .early = true),
	CMD(set_driver_version),
	{}
};
