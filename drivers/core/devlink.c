// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * devlink: device information, parameters, and the reload that applies them. What can be switched
 * off and what has a size has generic parameters (enum cxr_switch, enum cxr_size), the others are
 * driver-specific.
 *
 * The instance is registered when all stages are up and unregistered before they go down, so a
 * reload does not overlap with probe or removal. Callbacks run under the lock of the instance.
 */
#include <linux/netlink.h>
#include <net/devlink.h>

#include "core.h"

/* The first of the RoCE parameters, in the order of cxr_roce_params. */
#define ROCE_PARAM_ID	(DEVLINK_PARAM_GENERIC_ID_MAX + 1)

/* ---- parameters ------------------------------------------------------------------------------ */

static const struct cxr_roce_param_row *row_of(u32 id)
{
	return &cxr_roce_params[id - ROCE_PARAM_ID];
}

/* The runtime value is the granted one, or "down". */
static int get_devlink_param(struct devlink *devlink, u32 id,
			     struct devlink_param_gset_ctx *ctx CXR_DEVLINK_GET_EXTACK_PARAM)
{
	const struct cxr_dev *dev = devlink_priv(devlink);
	bool up = dev->stages.up == dev->stages.count;

	strscpy(ctx->val.vstr, up ? row_of(id)->granted(&dev->core) : "down",
		sizeof(ctx->val.vstr));
	return 0;
}

/* A change invalidates all GIDs, and so needs a reload. */
static int set_devlink_param(struct devlink *devlink, u32 id,
			     struct devlink_param_gset_ctx *ctx CXR_DEVLINK_SET_EXTACK_PARAM)
{
	const struct cxr_dev *dev = devlink_priv(devlink);

	NL_SET_ERR_MSG_MOD(CXR_DEVLINK_SET_EXTACK,
			   "set it with cmode driverinit, then reload");
	dev_dbg(dev->core.dev, "devlink: %s: set it with cmode driverinit, then reload\n",
		row_of(id)->name);
	return -EOPNOTSUPP;
}

static int check_devlink_param(struct devlink *devlink, u32 id, cxr_devlink_value_arg(val),
			       struct netlink_ext_ack *extack)
{
	struct cxr_word_fault fault;
	int value, err;

	err = cxr_param_parse_one(row_of(id)->spec, cxr_devlink_value(val).vstr, &value, &fault);
	if (err && extack)
		extack->_msg = fault.why;
	return err;
}

static int check_enable_roce(struct devlink *devlink, u32 id, cxr_devlink_value_arg(val),
			     struct netlink_ext_ack *extack)
{
	const struct cxr_dev *dev = devlink_priv(devlink);

	if (!cxr_devlink_value(val).vbool || dev->core.caps.roce.roce)
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "the device does not support RoCE");
	return -EOPNOTSUPP;
}

static int check_eq_size(struct devlink *devlink, u32 id, cxr_devlink_value_arg(val),
			 struct netlink_ext_ack *extack)
{
	u32 size = cxr_devlink_value(val).vu32;

	if (size >= CXR_EQ_SIZE_MIN && size <= CXR_EQ_SIZE_MAX)
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "an EQ has 64 to 4096 entries");
	return -EINVAL;
}

static int check_max_macs(struct devlink *devlink, u32 id, cxr_devlink_value_arg(val),
			  struct netlink_ext_ack *extack)
{
	const struct cxr_dev *dev = devlink_priv(devlink);
	u32 macs = cxr_devlink_value(val).vu32;

	if (!is_power_of_2(macs)) {
		NL_SET_ERR_MSG_MOD(extack, "max_macs is not a power of 2");
		return -EINVAL;
	}
	if (macs > dev->macs_max) {
		NL_SET_ERR_MSG_MOD(extack, "the device does not have as many addresses");
		return -EINVAL;
	}
	return 0;
}

#define CMODES (BIT(DEVLINK_PARAM_CMODE_RUNTIME) | BIT(DEVLINK_PARAM_CMODE_DRIVERINIT))

#define ROCE_PARAM(param, initial, granted, text)				\
	DEVLINK_PARAM_DRIVER(ROCE_PARAM_ID + CXR_ROCE_PARAM_##param, #param,	\
			     DEVLINK_PARAM_TYPE_STRING, CMODES,			\
			     get_devlink_param, set_devlink_param, check_devlink_param),

static const u32 switch_ids[CXR_SWITCHES] = {
	[CXR_SWITCH_ROCE] = DEVLINK_PARAM_GENERIC_ID_ENABLE_ROCE,
	[CXR_SWITCH_ETH] = DEVLINK_PARAM_GENERIC_ID_ENABLE_ETH,
	[CXR_SWITCH_RDMA] = DEVLINK_PARAM_GENERIC_ID_ENABLE_RDMA,
};

static const u32 size_ids[CXR_SIZES] = {
	[CXR_SIZE_IO_EQ] = DEVLINK_PARAM_GENERIC_ID_IO_EQ_SIZE,
	[CXR_SIZE_EVENT_EQ] = DEVLINK_PARAM_GENERIC_ID_EVENT_EQ_SIZE,
	[CXR_SIZE_MACS] = DEVLINK_PARAM_GENERIC_ID_MAX_MACS,
};

static const struct devlink_param params[] = {
	DEVLINK_PARAM_GENERIC(ENABLE_ROCE, BIT(DEVLINK_PARAM_CMODE_DRIVERINIT), NULL, NULL,
			      check_enable_roce),
	DEVLINK_PARAM_GENERIC(ENABLE_ETH, BIT(DEVLINK_PARAM_CMODE_DRIVERINIT), NULL, NULL, NULL),
	DEVLINK_PARAM_GENERIC(ENABLE_RDMA, BIT(DEVLINK_PARAM_CMODE_DRIVERINIT), NULL, NULL,
			      check_enable_roce),
	DEVLINK_PARAM_GENERIC(IO_EQ_SIZE, BIT(DEVLINK_PARAM_CMODE_DRIVERINIT), NULL, NULL,
			      check_eq_size),
	DEVLINK_PARAM_GENERIC(EVENT_EQ_SIZE, BIT(DEVLINK_PARAM_CMODE_DRIVERINIT), NULL, NULL,
			      check_eq_size),
	CXR_ROCE_PARAMS(ROCE_PARAM)
};

/* On devices on which it can be set. */
static const struct devlink_param macs_params[] = {
	DEVLINK_PARAM_GENERIC(MAX_MACS, BIT(DEVLINK_PARAM_CMODE_DRIVERINIT), NULL, NULL,
			      check_max_macs),
};

/* The driverinit value starts as that of the module parameter. */
static void set_initial(struct devlink *devlink, u32 id, int requested)
{
	union devlink_param_value value;

	strscpy(value.vstr, cxr_param_name(row_of(id)->spec, requested), sizeof(value.vstr));
	devl_param_driverinit_value_set(devlink, id, cxr_devlink_pass_value(value));
}

static void set_switch(struct devlink *devlink, enum cxr_switch which, bool on)
{
	union devlink_param_value value = { .vbool = on };

	devl_param_driverinit_value_set(devlink, switch_ids[which], cxr_devlink_pass_value(value));
}

static void set_size(struct devlink *devlink, enum cxr_size which, u32 size)
{
	union devlink_param_value value = { .vu32 = size };

	devl_param_driverinit_value_set(devlink, size_ids[which], cxr_devlink_pass_value(value));
}

/* check_devlink_param() accepted the text when it was set. */
static int read_requested(struct devlink *devlink, u32 id, int *requested)
{
	union devlink_param_value value;
	struct cxr_word_fault fault;
	int err;

	err = devl_param_driverinit_value_get(devlink, id, &value);
	if (err)
		return err;
	return cxr_param_parse_one(row_of(id)->spec, value.vstr, requested, &fault);
}

static int read_switch(struct devlink *devlink, enum cxr_switch which, bool *on)
{
	union devlink_param_value value;
	int err;

	err = devl_param_driverinit_value_get(devlink, switch_ids[which], &value);
	if (!err)
		*on = value.vbool;
	return err;
}

/* As it is if the parameter is not registered. */
static int read_size(struct devlink *devlink, enum cxr_size which, u32 *size)
{
	const struct cxr_dev *dev = devlink_priv(devlink);
	union devlink_param_value value;
	int err;

	*size = dev->sizes[which];
	if (which == CXR_SIZE_MACS && !dev->has_max_macs)
		return 0;
	err = devl_param_driverinit_value_get(devlink, size_ids[which], &value);
	if (!err)
		*size = value.vu32;
	return err;
}

int cxr_devlink_get_roce(struct cxr_dev *dev, bool *on)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err;

	devl_lock(devlink);
	err = read_switch(devlink, CXR_SWITCH_ROCE, on);
	devl_unlock(devlink);
	return err;
}

int cxr_devlink_set_roce(struct cxr_dev *dev, bool on)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err = 0;

	devl_lock(devlink);
	if (on && !dev->core.caps.roce.roce)
		err = -EOPNOTSUPP;
	else
		set_switch(devlink, CXR_SWITCH_ROCE, on);
	devl_unlock(devlink);
	return err;
}

/* ---- reload ---------------------------------------------------------------------------------- */

/* A device that failed, also while its stages went down, needs a reset. */
static int refuse_dead(const struct cxr_dev *dev, struct netlink_ext_ack *extack)
{
	if (dev->resetting) {
		NL_SET_ERR_MSG_MOD(extack,
				   "the function is being reset, or the recovery from a PCI error failed");
		return -EBUSY;
	}
	if (!cxr_core_dead(&dev->core))
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "the device has failed: reset it, or unbind and bind it again");
	return -EIO;
}

static int reload_down(struct devlink *devlink, bool netns_change,
		       enum devlink_reload_action action, enum devlink_reload_limit limit,
		       struct netlink_ext_ack *extack)
{
	struct cxr_dev *dev = devlink_priv(devlink);
	int err;

	if (netns_change) {
		NL_SET_ERR_MSG_MOD(extack,
				   "the network namespace cannot be changed, move the interface instead");
		return -EOPNOTSUPP;
	}
	err = refuse_dead(dev, extack);
	if (err)
		return err;
	cxr_stages_down(&dev->stages, CXR_FIRST_STAGE);
	return 0;
}

/* The driverinit values. */
struct wanted {
	int requested[CXR_ROCE_PARAM_COUNT];
	bool on[CXR_SWITCHES];
	u32 sizes[CXR_SIZES];
};

static int read_wanted(struct devlink *devlink, struct wanted *wanted)
{
	int err = 0;
	int i;

	for (i = 0; !err && i < CXR_ROCE_PARAM_COUNT; i++)
		err = read_requested(devlink, ROCE_PARAM_ID + i, &wanted->requested[i]);
	for (i = 0; !err && i < CXR_SWITCHES; i++)
		err = read_switch(devlink, i, &wanted->on[i]);
	for (i = 0; !err && i < CXR_SIZES; i++)
		err = read_size(devlink, i, &wanted->sizes[i]);
	return err;
}

static int reload_up(struct devlink *devlink, enum devlink_reload_action action,
		     enum devlink_reload_limit limit, u32 *actions_performed,
		     struct netlink_ext_ack *extack)
{
	struct cxr_dev *dev = devlink_priv(devlink);
	struct wanted wanted;
	enum cxr_switch s;
	int err;

	err = read_wanted(devlink, &wanted);
	if (err)
		return err;
	err = refuse_dead(dev, extack);
	if (err)
		return err;
	if (dev->needs_reset) {
		NL_SET_ERR_MSG_MOD(extack,
				   "the device was not shut down cleanly: reset it, or unbind and bind it");
		return -EIO;
	}

	memcpy(dev->requested, wanted.requested, sizeof(dev->requested));
	memcpy(dev->sizes, wanted.sizes, sizeof(dev->sizes));
	for (s = 0; s < CXR_SWITCHES; s++)
		dev->off[s] = !wanted.on[s];
	err = cxr_stages_up(&dev->stages, CXR_FIRST_STAGE);
	if (err) {
		NL_SET_ERR_MSG_MOD(extack,
				   "bring-up failed, the log has the stage; reload again to retry");
		return err;
	}
	cxr_report_healthy(dev);
	*actions_performed = BIT(DEVLINK_RELOAD_ACTION_DRIVER_REINIT);
	return 0;
}

/* ---- info ------------------------------------------------------------------------------------ */

static int info_get(struct devlink *devlink, struct devlink_info_req *req,
		    struct netlink_ext_ack *extack)
{
	const struct cxr_dev *dev = devlink_priv(devlink);
	const struct cxr_core *core = &dev->core;
	char version[32];
	int err;

	err = cxr_devlink_info_driver(req);
	if (!err && core->board_id[0])
		err = devlink_info_version_fixed_put(req, DEVLINK_INFO_VERSION_GENERIC_FW_PSID,
						     core->board_id);
	if (err)
		return err;

	snprintf(version, sizeof(version), "%u.%u.%04u", core->fw_major, core->fw_minor,
		 core->fw_sub);
	err = devlink_info_version_running_put(req, "fw.version", version);
	if (err)
		return err;
	return devlink_info_version_running_put(req, DEVLINK_INFO_VERSION_GENERIC_FW, version);
}

static const struct devlink_ops ops = {
	.reload_actions = BIT(DEVLINK_RELOAD_ACTION_DRIVER_REINIT),
	.reload_down = reload_down,
	.reload_up = reload_up,
	.info_get = info_get,
};

/* ---- registration ---------------------------------------------------------------------------- */

/* struct cxr_dev is the private part of the instance, and freed with its last reference. */
struct cxr_dev *cxr_devlink_alloc(struct pci_dev *pdev)
{
	struct devlink *devlink = devlink_alloc(&ops, sizeof(struct cxr_dev), &pdev->dev);
	struct cxr_dev *dev;

	if (!devlink)
		return NULL;
	dev = devlink_priv(devlink);
	dev->sizes[CXR_SIZE_IO_EQ] = CXR_EQ_SIZE_MAX;
	dev->sizes[CXR_SIZE_EVENT_EQ] = CXR_EQ_SIZE_MAX;
	return dev;
}

void cxr_devlink_free(struct cxr_dev *dev)
{
	devlink_free(priv_to_devlink(dev));
}

static void set_all_initial(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);
	enum cxr_roce_param i;

	devl_lock(devlink);
	set_switch(devlink, CXR_SWITCH_ROCE, dev->core.caps.roce.roce);
	set_switch(devlink, CXR_SWITCH_ETH, true);
	set_switch(devlink, CXR_SWITCH_RDMA, dev->core.caps.roce.roce);
	set_size(devlink, CXR_SIZE_IO_EQ, dev->sizes[CXR_SIZE_IO_EQ]);
	set_size(devlink, CXR_SIZE_EVENT_EQ, dev->sizes[CXR_SIZE_EVENT_EQ]);
	if (dev->has_max_macs)
		set_size(devlink, CXR_SIZE_MACS,
			 min_t(u32, BIT(dev->core.caps.log_max_current_uc_list), dev->macs_max));
	for (i = 0; i < CXR_ROCE_PARAM_COUNT; i++)
		set_initial(devlink, ROCE_PARAM_ID + i, dev->requested[i]);
	devl_unlock(devlink);
}

static void unregister_params(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);

	if (dev->has_max_macs)
		devlink_params_unregister(devlink, macs_params, ARRAY_SIZE(macs_params));
	devlink_params_unregister(devlink, params, ARRAY_SIZE(params));
}

static int register_params(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err;

	err = devlink_params_register(devlink, params, ARRAY_SIZE(params));
	if (err)
		return err;
	dev->has_max_macs = dev->macs_max;
	if (dev->has_max_macs)
		err = devlink_params_register(devlink, macs_params, ARRAY_SIZE(macs_params));
	if (err) {
		devlink_params_unregister(devlink, params, ARRAY_SIZE(params));
		return err;
	}
	set_all_initial(dev);
	return 0;
}

int cxr_devlink_register(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);
	int err;

	err = register_params(dev);
	if (err)
		return err;
	err = cxr_reporters_create(dev);
	if (err) {
		unregister_params(dev);
		return err;
	}
	cxr_devlink_allow_reload(devlink);
	devlink_register(devlink);
	cxr_reporters_open(dev);
	return 0;
}

void cxr_devlink_unregister(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);

	cxr_reporters_close(dev);
	devlink_unregister(devlink);
	cxr_reporters_destroy(dev);
	unregister_params(dev);
}
