// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands of the function as a whole: its phases, its identity. */
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "prm/caps.h"
#include "prm/obj.h"

/* ---- phases ---- */

static int run_enable_hca(struct cmd *c)
{
	const struct prm_enable_hca_in *in = c->in;
	struct hca_state *hca = c->dev->hca;

	if (cmd_check_function(c, prm_get(in, embedded_cpu_function), prm_get(in, function_id)))
		return -1;
	if (hca->phase != HCA_OFF)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "the function is already enabled");
	hca->phase = HCA_ENABLED;
	return 0;
}

static int run_disable_hca(struct cmd *c)
{
	const struct prm_disable_hca_in *in = c->in;
	struct hca_state *hca = c->dev->hca;

	if (cmd_check_function(c, prm_get(in, embedded_cpu_function), prm_get(in, function_id)))
		return -1;
	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "TEARDOWN_HCA must come first");
	cxdev_report_leaks(c->dev);
	pages_forget(c->dev);
	hca->pages_requested = 0;
	hca->phase = HCA_OFF;
	hca_caps_reset(c->dev);
	return 0;
}

static int run_init_hca(struct cmd *c)
{
	const struct prm_init_hca_in *in = c->in;
	const void *owner = prm_bytes_const(in, sw_owner_id);
	static const uint8_t nobody[sizeof(c->dev->hca->owner)];
	struct hca_state *hca = c->dev->hca;

	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "the function is already initialized");
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
