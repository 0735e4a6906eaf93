// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* RoCE versions: requested by module parameters, granted by capabilities; and RoCE on and off. */
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "core.h"

struct roce_param {
	const struct cxr_param_spec *spec;
	struct cxr_param param;
};

static int set_roce_param(const char *val, const struct kernel_param *kp)
{
	struct roce_param *p = kp->arg;
	struct cxr_word_fault fault;
	int err;

	err = cxr_param_parse(p->spec, val, &p->param, &fault);
	if (err)
		pr_err("cxr_core: %s=%.64s: '%.*s' is refused: %s\n", kp->name, val, fault.len,
		       fault.word, fault.why);
	return err;
}

/* The name of the value, or the list. */
static int get_roce_param(char *buf, const struct kernel_param *kp)
{
	const struct roce_param *p = kp->arg;
	const struct cxr_param_device *d = p->param.device;
	unsigned int i;
	int len = 0;

	if (!p->param.devices)
		return sysfs_emit(buf, "%s\n", cxr_param_name(p->spec, p->param.value));
	for (i = 0; i < p->param.devices; i++, d++)
		len += sysfs_emit_at(buf, len, "%s%04x:%02x:%02x.%u-%s", i ? "," : "", d->domain,
				     d->bus, d->slot, d->func, cxr_param_name(p->spec, d->value));
	return len + sysfs_emit_at(buf, len, "\n");
}

static const struct kernel_param_ops param_ops = { .set = set_roce_param, .get = get_roce_param };

#define PARAM(name, initial, granted, text)				\
	static struct roce_param name = {				\
		.spec = &cxr_##name##_spec,				\
		.param = { .value = initial },				\
	};								\
	module_param_cb(name, &param_ops, &name, 0444);			\
	MODULE_PARM_DESC(name, text);
CXR_ROCE_PARAMS(PARAM)

#define ADDRESS(name, initial, granted, text) &name,
static const struct roce_param *const module_params[] = { CXR_ROCE_PARAMS(ADDRESS) };

#define ROW(name, initial, granted, text) { #name, &cxr_##name##_spec, granted },
const struct cxr_roce_param_row cxr_roce_params[] = { CXR_ROCE_PARAMS(ROW) };

static int value_of(const struct roce_param *p, struct pci_dev *pdev)
{
	return cxr_param_of(&p->param, pci_domain_nr(pdev->bus), pdev->bus->number,
			    PCI_SLOT(pdev->devfn), PCI_FUNC(pdev->devfn));
}

void cxr_roce_read_params(struct cxr_dev *dev)
{
	struct pci_dev *pdev = pci_physfn(dev->core.pdev);
	enum cxr_roce_param i;

	for (i = 0; i < CXR_ROCE_PARAM_COUNT; i++)
		dev->requested[i] = value_of(module_params[i], pdev);
}

const char *cxr_roce_granted(const struct cxr_core *core)
{
	return core->roce.roce ? cxr_param_name(&cxr_roce_mode_spec, core->roce.mode) : "off";
}

const char *cxr_roce_granted_ud(const struct cxr_core *core)
{
	return core->roce.roce ? cxr_param_name(&cxr_ud_gid_type_spec, core->ud_gid_type) : "off";
}

/* Scripts match the texts of other drivers with these parameters: keep them. */
static void log_granted(const struct cxr_core *core)
{
	enum cxr_roce_mode mode = core->roce.mode;
	enum cxr_ud_gid_type ud = core->ud_gid_type;

	if (!core->roce.roce) {
		dev_info(core->dev,
			 "no RDMA device: RoCE is disabled in the firmware: see ROCE_CONTROL of mlxconfig\n");
		return;
	}
	dev_info(core->dev, "device is working in RoCE mode: Roce %s\n",
		 mode == CXR_ROCE_V1 ? "V1" : mode == CXR_ROCE_V2 ? "V2" : "V1/V2");
	dev_info(core->dev, "UD QP Gid type is: %s\n",
		 ud == CXR_UD_V1 ? "V1" : ud == CXR_UD_V2 ? "V2" : "any");
}

static void grant_ud(struct cxr_dev *dev)
{
	struct cxr_core *core = &dev->core;
	enum cxr_ud_gid_type requested = dev->requested[CXR_ROCE_PARAM_ud_gid_type];
	struct cxr_ud_grant grant = cxr_ud_gid_type_grant(requested, &core->roce);

	core->ud_gid_type = grant.type;
	if (grant.differs)
		dev_warn(core->dev,
			 "gid_type %d for UD QPs is not supported by the device, gid_type %d was chosen instead\n",
			 requested, grant.type);
}

void cxr_roce_grant(struct cxr_dev *dev)
{
	const struct cxr_roce_support *can = &dev->core.caps.roce;
	enum cxr_roce_mode requested = dev->requested[CXR_ROCE_PARAM_roce_mode];
	struct cxr_core *core = &dev->core;

	if (can->roce && (dev->off[CXR_SWITCH_ROCE] || dev->off[CXR_SWITCH_RDMA])) {
		core->roce = (struct cxr_mode_grant){};
		core->ud_gid_type = dev->requested[CXR_ROCE_PARAM_ud_gid_type];
		dev_info(core->dev, "RoCE is disabled by devlink parameter %s\n",
			 dev->off[CXR_SWITCH_ROCE] ? "enable_roce" : "enable_rdma");
		return;
	}
	core->roce = cxr_roce_mode_grant(requested, can);
	if (core->roce.differs)
		dev_warn(core->dev, "roce_mode %s requested, device supports%s%s%s: granted %s\n",
			 cxr_param_name(&cxr_roce_mode_spec, requested),
			 can->v1 ? " v1" : "", can->v2 ? " v2" : "", can->roce ? "" : " no RoCE",
			 cxr_roce_granted(core));
	grant_ud(dev);
	log_granted(core);
}

/* ---- roce_enable, the vendor's name for devlink's enable_roce -------------------------------- */

static ssize_t roce_enable_show(struct device *device, struct device_attribute *attr, char *buf)
{
	bool on = false;
	int err;

	err = cxr_devlink_get_roce(dev_get_drvdata(device), &on);
	return err ?: sysfs_emit(buf, "%d\n", on);
}

static ssize_t roce_enable_store(struct device *device, struct device_attribute *attr,
				 const char *buf, size_t count)
{
	bool on;
	int err;

	err = kstrtobool(buf, &on);
	if (err) {
		dev_err(device, "roce_enable: '%.*s' is refused: must be 0 or 1\n",
			cxr_written(buf), buf);
		return err;
	}
	err = cxr_devlink_set_roce(dev_get_drvdata(device), on);
	if (err) {
		dev_err(device, "roce_enable: the device does not support RoCE\n");
		return err;
	}
	dev_info(device, "roce_enable: %d from the next 'devlink dev reload pci/%s' on\n", on,
		 dev_name(device));
	return count;
}
static DEVICE_ATTR_RW(roce_enable);

static struct attribute *roce_attrs[] = {
	&dev_attr_roce_enable.attr,
	NULL
};

static umode_t roce_attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return CXR_DEVLINK_SETS_REGISTERED ? attr->mode : 0;
}

const struct attribute_group cxr_roce_attr_group = {
	.is_visible = roce_attr_visible,
	.attrs = roce_attrs,
};
