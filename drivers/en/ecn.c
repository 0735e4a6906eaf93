// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Congestion control, where the vendor's driver has it. In /sys/class/net/<interface>/ecn:
 *
 *	roce_rp/<parameter>, roce_np/<parameter>	DCQCN of sender and receiver
 *	roce_rp/enable/0..7, roce_np/enable/0..7	on or off by priority
 *
 * They stay during a reset, and are then an error to read or write.
 */
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include "en.h"

struct ecn_file {
	struct kobj_attribute attr;
	struct cxr_core *core;
	const struct cxr_cong_param *param;	/* or: */
	enum cxr_cong_point point;
	u8 prio;
};

struct ecn_point {
	struct kobject *dir, *enable;
	struct ecn_file prio[CXR_PRIOS];
};

struct cxr_en_ecn {
	struct kobject *dir;
	struct ecn_point point[CXR_CONG_POINTS];
	struct ecn_file param[CXR_CONG_PARAMS];	/* in the folder of its point */
};

static const char *const point_names[CXR_CONG_POINTS] = {
	[CXR_CONG_RP] = "roce_rp", [CXR_CONG_NP] = "roce_np",
};

static const char *const prio_names[CXR_PRIOS] = { "0", "1", "2", "3", "4", "5", "6", "7" };

/* ---- files -------------------------------------------------------------- */

static ssize_t param_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct ecn_file *file = container_of(attr, struct ecn_file, attr);
	u32 value;
	int err;

	err = cxr_cong_get(file->core, file->param, &value);
	return err ?: sysfs_emit(buf, "%u\n", value);
}

static ssize_t param_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			   size_t count)
{
	const struct ecn_file *file = container_of(attr, struct ecn_file, attr);

	return cxr_cong_set(file->core, file->param, buf) ?: count;
}

static ssize_t prio_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct ecn_file *file = container_of(attr, struct ecn_file, attr);
	bool on;
	int err;

	err = cxr_cong_get_prio(file->core, file->point, file->prio, &on);
	return err ?: sysfs_emit(buf, "%d\n", on);
}

static ssize_t prio_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			  size_t count)
{
	const struct ecn_file *file = container_of(attr, struct ecn_file, attr);
	u8 on;

	if (kstrtou8(buf, 0, &on) || on > 1) {
		dev_err(file->core->dev, "congestion control: %s/enable/%u: '%.*s' is refused: must be 0 or 1\n",
			point_names[file->point], file->prio, cxr_written(buf), buf);
		return -EINVAL;
	}
	return cxr_cong_set_prio(file->core, file->point, file->prio, on) ?: count;
}

static int add_file(struct kobject *dir, struct ecn_file *file, const char *name,
		    struct cxr_core *core)
{
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = name;
	file->attr.attr.mode = 0644;
	file->attr.show = file->param ? param_show : prio_show;
	file->attr.store = file->param ? param_store : prio_store;
	file->core = core;
	return sysfs_create_file(dir, &file->attr.attr);
}

/* ---- folders ------------------------------------------------------------ */

static int add_point(struct cxr_en *en, unsigned int n)
{
	struct ecn_point *point = &en->ecn->point[n];
	const struct cxr_cong_param *param;
	unsigned int i;
	int err = 0;

	point->dir = kobject_create_and_add(point_names[n], en->ecn->dir);
	point->enable = point->dir ? kobject_create_and_add("enable", point->dir) : NULL;
	if (!point->enable)
		return -ENOMEM;

	for (i = 0; !err && i < CXR_CONG_PARAMS; i++) {
		param = &cxr_cong_params[i];
		if (param->point != n || !param->ecn_name)
			continue;
		en->ecn->param[i].param = param;
		err = add_file(point->dir, &en->ecn->param[i], param->ecn_name, en->core);
	}
	for (i = 0; !err && i < CXR_PRIOS; i++) {
		point->prio[i].point = n;
		point->prio[i].prio = i;
		err = add_file(point->enable, &point->prio[i], prio_names[i], en->core);
	}
	return err;
}

static int add_all(struct cxr_en *en)
{
	unsigned int n;
	int err = 0;

	en->ecn = kzalloc(sizeof(*en->ecn), GFP_KERNEL);
	if (!en->ecn)
		return -ENOMEM;
	en->ecn->dir = kobject_create_and_add("ecn", &en->ndev->dev.kobj);
	if (!en->ecn->dir)
		return -ENOMEM;
	for (n = 0; !err && n < CXR_CONG_POINTS; n++)
		err = add_point(en, n);
	return err;
}

void cxr_en_ecn_add(struct cxr_en *en)
{
	int err;

	if (!en->core->caps.cc_params)
		return;
	err = add_all(en);
	if (err) {
		netdev_warn(en->ndev, "cannot create the files of congestion control: %pe\n",
			    ERR_PTR(err));
		cxr_en_ecn_remove(en);
	}
}

static void remove_folder(struct kobject *dir)
{
	kobject_del(dir);
	kobject_put(dir);
}

void cxr_en_ecn_remove(struct cxr_en *en)
{
	unsigned int n;

	if (!en->ecn)
		return;
	for (n = 0; n < CXR_CONG_POINTS; n++) {
		remove_folder(en->ecn->point[n].enable);
		remove_folder(en->ecn->point[n].dir);
	}
	remove_folder(en->ecn->dir);
	kfree(en->ecn);
	en->ecn = NULL;
}
