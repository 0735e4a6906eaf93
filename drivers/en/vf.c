// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * settings/vf_roce of the interface of a PF, as in the vendor's driver: whether VFs have RoCE. A VF
 * without it has no RDMA device, and borrows less memory.
 */
#include <linux/capability.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "en.h"

static struct cxr_core *core_of(struct device *device)
{
	return ((struct cxr_en *)netdev_priv(to_net_dev(device)))->core;
}

static ssize_t vf_roce_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct cxr_core *core = core_of(device);
	unsigned int vf, n = cxr_vf_count(core);
	ssize_t len = 0;
	bool on;
	int err;

	for (vf = 0; vf < n; vf++) {
		err = cxr_vf_get_roce(core, vf, &on);
		if (err == -ENOENT)	/* they go meanwhile */
			break;
		if (err)
			return err;
		len += sysfs_emit_at(buf, len, "vf_num %u: %d\n", vf, on);
	}
	return len;
}

/* "VF 0|1"; false: it is something else. */
static bool parse(char *text, unsigned int *vf, bool *on)
{
	char *number = strsep(&text, " ");
	u8 value;

	if (!text || kstrtouint(number, 10, vf) || kstrtou8(skip_spaces(text), 10, &value))
		return false;
	*on = value;
	return value <= 1;
}

static ssize_t vf_roce_store(struct device *device, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct cxr_core *core = core_of(device);
	unsigned int vf;
	char text[24];
	bool on;
	int err;

	/* The file belongs to the owner of the interface's network namespace. */
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	if (strscpy(text, skip_spaces(buf), sizeof(text)) < 0 || !parse(strim(text), &vf, &on)) {
		dev_err(core->dev, "vf_roce: '%.*s' is refused: must be the number of a VF, and 0 or 1\n",
			cxr_written(buf), buf);
		return -EINVAL;
	}
	err = cxr_vf_set_roce(core, vf, on);
	if (err == -ENOENT)
		dev_err(core->dev, "vf_roce: there is no VF %u now, of %u that are enabled\n", vf,
			cxr_vf_count(core));
	return err ?: count;
}
static DEVICE_ATTR_RW(vf_roce);

static struct attribute *settings_attrs[] = { &dev_attr_vf_roce.attr, NULL };

const struct attribute_group cxr_en_settings_group = {
	.name = "settings", .attrs = settings_attrs,
};
