// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Congestion control of RoCE v2 (DCQCN): what users set of it. In /sys/kernel/debug/cxr/<PCI name>:
 *
 *	cc_params/<parameter>	a file for each, with the names of the in-tree driver
 *
 * cxr_en has the files of the vendor's driver. The algorithm is the device's, and so are the
 * values: there is no copy here but of what users have set.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core.h"

/* ---- get and set ----------------------------------------------------------------------------- */

int cxr_cong_get(struct cxr_core *core, const struct cxr_cong_param *param, u32 *value)
{
	struct cxr_cong *cong = &to_dev(core)->cong;
	int err = -ENODEV;

	mutex_lock(&cong->lock);
	if (cong->up)
		err = cxr_cmd_query_cong_param(core, param, value);
	mutex_unlock(&cong->lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cong_get);

static void remember(struct cxr_cong *cong, const struct cxr_cong_param *param, u32 value)
	__must_hold(&cong->lock)
{
	unsigned int i = param - cxr_cong_params;

	__set_bit(i, cong->params);
	cong->value[i] = value;
	if (param->sets_previous)
		__clear_bit(i - 1, cong->params);
}

int cxr_cong_set(struct cxr_core *core, const struct cxr_cong_param *param, const char *text)
{
	struct cxr_cong *cong = &to_dev(core)->cong;
	int err = -ENODEV;
	u32 value;

	if (kstrtou32(text, 0, &value) || value < param->min || value > param->max) {
		dev_err(core->dev, "congestion control: %s: '%.*s' is refused: must be %u to %u\n",
			param->name, cxr_written(text), text, param->min, param->max);
		return -EINVAL;
	}
	mutex_lock(&cong->lock);
	if (cong->up)
		err = cxr_cmd_set_cong_param(core, param, value);
	if (!err)
		remember(cong, param, value);
	mutex_unlock(&cong->lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cong_set);

int cxr_cong_get_prio(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool *on)
{
	struct cxr_cong *cong = &to_dev(core)->cong;
	int err = -ENODEV;

	mutex_lock(&cong->lock);
	if (cong->up)
		err = cxr_cmd_query_cong_status(core, point, prio, on);
	mutex_unlock(&cong->lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cong_get_prio);

int cxr_cong_set_prio(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool on)
{
	struct cxr_cong *cong = &to_dev(core)->cong;
	int err = -ENODEV;

	mutex_lock(&cong->lock);
	if (cong->up)
		err = cxr_cmd_set_cong_status(core, point, prio, on);
	if (!err) {
		cong->prios[point] |= BIT(prio);
		cong->on[point] = (cong->on[point] & ~BIT(prio)) | on << prio;
	}
	mutex_unlock(&cong->lock);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cong_set_prio);

/* ---- files ----------------------------------------------------------------------------------- */

static ssize_t read_param(struct file *f, char __user *buf, size_t count, loff_t *pos)
{
	const struct cxr_cong_file *file = f->private_data;
	char text[12];
	u32 value;
	int err;

	err = cxr_cong_get(&file->dev->core, file->param, &value);
	if (err)
		return err;
	return simple_read_from_buffer(buf, count, pos, text,
				       scnprintf(text, sizeof(text), "%u\n", value));
}

static ssize_t write_param(struct file *f, const char __user *buf, size_t count, loff_t *pos)
{
	const struct cxr_cong_file *file = f->private_data;
	char *text;
	int err;

	text = memdup_user_nul(buf, min_t(size_t, count, PAGE_SIZE));
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = cxr_cong_set(&file->dev->core, file->param, text);
	kfree(text);
	return err ?: count;
}

static const struct file_operations param_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = read_param,
	.write = write_param,
};

/* ---- stage ----------------------------------------------------------------------------------- */

static void warn_lost(struct cxr_dev *dev, const char *what, u32 value, int err)
{
	dev_warn(dev->core.dev, "congestion control: %s is no longer %u, which a user has set before the reset: %pe\n",
		 what, value, ERR_PTR(err));
}

/* Backwards: a parameter that sets the one before it comes first. */
static void restore(struct cxr_dev *dev)
	__must_hold(&dev->cong.lock)
{
	static const char *const points[CXR_CONG_POINTS] = {
		"reaction of a priority", "notification of a priority"
	};
	struct cxr_cong *cong = &dev->cong;
	unsigned int i, point;
	unsigned long prios;
	int err;

	for (i = CXR_CONG_PARAMS; i--;) {
		if (!test_bit(i, cong->params))
			continue;
		err = cxr_cmd_set_cong_param(&dev->core, &cxr_cong_params[i], cong->value[i]);
		if (err)
			warn_lost(dev, cxr_cong_params[i].name, cong->value[i], err);
	}
	for (point = 0; point < CXR_CONG_POINTS; point++) {
		prios = cong->prios[point];
		for_each_set_bit(i, &prios, CXR_PRIOS) {
			err = cxr_cmd_set_cong_status(&dev->core, point, i,
						      cong->on[point] & BIT(i));
			if (err)
				warn_lost(dev, points[point], cong->on[point] >> i & 1, err);
		}
	}
}

static void add_files(struct cxr_dev *dev)
{
	struct cxr_cong *cong = &dev->cong;
	unsigned int i;

	cong->dir = debugfs_create_dir("cc_params", dev->core.debugfs);
	for (i = 0; i < CXR_CONG_PARAMS; i++) {
		cong->file[i] = (struct cxr_cong_file){ dev, &cxr_cong_params[i] };
		if (cxr_cong_params[i].point != CXR_CONG_GENERAL || dev->core.caps.cc_general)
			debugfs_create_file(cxr_cong_params[i].name, 0600, cong->dir,
					    &cong->file[i], &param_fops);
	}
}

int cxr_cong_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_cong *cong = &dev->cong;

	if (!dev->core.caps.cc_params)
		return 0;

	mutex_lock(&cong->lock);
	restore(dev);
	cong->up = true;
	mutex_unlock(&cong->lock);
	add_files(dev);
	return 0;
}

void cxr_cong_down(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_cong *cong = &dev->cong;

	/* waits for readers and writers */
	debugfs_remove_recursive(cong->dir);
	cong->dir = NULL;
	mutex_lock(&cong->lock);
	cong->up = false;
	mutex_unlock(&cong->lock);
}
