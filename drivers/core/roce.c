// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Which RoCE versions were asked for, by module parameters, and which are granted. */
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "core.h"

struct roce_param {
	const struct cxr_param_spec *spec;
	struct cxr_param param;
};

static struct roce_param roce_mode = {
	.spec = &cxr_roce_mode_spec,
	.param = { .value = CXR_ROCE_V1_V2 },
};

static struct roce_param ud_gid_type = {
	.spec = &cxr_ud_gid_type_spec,
	.param = { .value = CXR_UD_ANY },
};

static int set_param(const char *val, const struct kernel_param *kp)
{
	struct roce_param *p = kp->arg;
	struct cxr_param_fault fault;
	int err;

	err = cxr_param_parse(p->spec, val, &p->param, &fault);
	if (err)
		pr_err("cxr_core: %s=%.64s: '%.*s' is refused: %s\n", kp->name, val, fault.len,
		       fault.word, fault.why);
	return err;
}

/* In the form that is read: the name of the value, or the list. */
static int get_param(char *buf, const struct kernel_param *kp)
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

static const struct kernel_param_ops param_ops = { .set = set_param, .get = get_param };

module_param_cb(roce_mode, &param_ops, &roce_mode, 0444);
MODULE_PARM_DESC(roce_mode,
		 "RoCE versions to offer: 0 or v1, 2 or v2, 4 or v1v2 (default); "
		 "for all devices, or as a list of ADDRESS-VALUE,... with addresses like 0000:03:00.0");

module_param_cb(ud_gid_type, &param_ops, &ud_gid_type, 0444);
MODULE_PARM_DESC(ud_gid_type,
		 "type of the GIDs that address handles for datagrams may have: 0 or v1, 2 or v2, any (default); "
		 "for all devices, or as a list as of roce_mode");

static int value_of(const struct roce_param *p, struct pci_dev *pdev)
{
	return cxr_param_of(&p->param, pci_domain_nr(pdev->bus), pdev->bus->number,
			    PCI_SLOT(pdev->devfn), PCI_FUNC(pdev->devfn));
}

void cxr_roce_ask(struct cxr_dev *dev)
{
	struct pci_dev *pdev = pci_physfn(dev->core.pdev);

	dev->asked_mode = value_of(&roce_mode, pdev);
	dev->asked_ud = value_of(&ud_gid_type, pdev);
}

const char *cxr_roce_granted(const struct cxr_core *core)
{
	return core->roce.roce ? cxr_param_name(&cxr_roce_mode_spec, core->roce.mode) : "off";
}

const char *cxr_roce_granted_ud(const struct cxr_core *core)
{
	return core->roce.roce ? cxr_param_name(&cxr_ud_gid_type_spec, core->ud_gid_type) : "off";
}

/* These sentences are what scripts know from other drivers of such parameters. */
static void say_granted(const struct cxr_core *core)
{
	enum cxr_roce_mode mode = core->roce.mode;
	enum cxr_ud_gid_type ud = core->ud_gid_type;

	if (!core->roce.roce)
		return;
	dev_info(core->dev, "device is working in RoCE mode: Roce %s\n",
		 mode == CXR_ROCE_V1 ? "V1" : mode == CXR_ROCE_V2 ? "V2" : "V1/V2");
	dev_info(core->dev, "UD QP Gid type is: %s\n",
		 ud == CXR_UD_V1 ? "V1" : ud == CXR_UD_V2 ? "V2" : "any");
}

static void grant_ud(struct cxr_dev *dev)
{
	struct cxr_core *core = &dev->core;
	struct cxr_ud_grant grant = cxr_ud_gid_type_grant(dev->asked_ud, &core->roce);

	core->ud_gid_type = grant.type;
	if (grant.differs)
		dev_warn(core->dev,
			 "gid_type %d for UD QPs is not supported by the device, gid_type %d was chosen instead\n",
			 dev->asked_ud, grant.type);
}

void cxr_roce_grant(struct cxr_dev *dev)
{
	const struct cxr_roce_support *can = &dev->core.caps.roce;
	struct cxr_core *core = &dev->core;

	if (dev->roce_off) {
		core->roce = (struct cxr_mode_grant){};
		core->ud_gid_type = dev->asked_ud;
		dev_info(core->dev, "RoCE is off, as devlink's enable_roce has it\n");
		return;
	}
	core->roce = cxr_roce_mode_grant(dev->asked_mode, can);
	if (core->roce.differs)
		dev_warn(core->dev, "roce_mode %s was asked for, the device has%s%s%s: granted %s\n",
			 cxr_param_name(&cxr_roce_mode_spec, dev->asked_mode),
			 can->v1 ? " v1" : "", can->v2 ? " v2" : "", can->roce ? "" : " no RoCE",
			 cxr_roce_granted(core));
	grant_ud(dev);
	say_granted(core);
}
