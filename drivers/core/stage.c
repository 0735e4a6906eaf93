// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Bring-up and teardown by stages, see stage.h, and fault injection into them. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "core.h"

/* ---- fail_stage ------------------------------------------------------------------------------ */

#define NAME(name, up, down) name,
static const char *const names[] = {
	CXR_CORE_STAGES(NAME) CXR_EN_STAGES(NAME) CXR_IB_STAGES(NAME)
};

#define TEXT(name, up, down) " " name
static const char all_names[] = CXR_CORE_STAGES(TEXT) CXR_EN_STAGES(TEXT) CXR_IB_STAGES(TEXT);

static int fail_stage = -1;	/* index of names */

static int set_fail_stage(const char *val, const struct kernel_param *kp)
{
	int i = sysfs_match_string(names, val);

	if (sysfs_streq(val, "")) {
		i = -1;
	} else if (i < 0 && (kstrtoint(val, 10, &i) || i < -1 || i >= (int)ARRAY_SIZE(names))) {
		pr_err("cxr_core: fail_stage=%.32s: must be a number from -1 (none) to %zu, or one of%s\n",
		       val, ARRAY_SIZE(names) - 1, all_names);
		return -EINVAL;
	}
	WRITE_ONCE(fail_stage, i);
	return 0;
}

static int get_fail_stage(char *buf, const struct kernel_param *kp)
{
	int i = READ_ONCE(fail_stage);

	return sysfs_emit(buf, "%s\n", i < 0 ? "-1" : names[i]);
}

static const struct kernel_param_ops fail_stage_ops = {
	.set = set_fail_stage,
	.get = get_fail_stage,
};

module_param_cb(fail_stage, &fail_stage_ops, NULL, 0644);
MODULE_PARM_DESC(fail_stage,
		 "For tests: stage (name or number) after which bring-up fails with EIO; -1: none");

static bool should_fail(const struct cxr_stage *stage)
{
	int fail = READ_ONCE(fail_stage);

	return fail >= 0 && !strcmp(stage->name, names[fail]);
}

/* ---- up and down ----------------------------------------------------------------------------- */

void cxr_stages_down(struct cxr_stages *stages, unsigned int first)
{
	const struct cxr_stage *stage;

	while (stages->up > first) {
		stage = &stages->table[--stages->up];
		if (stage->down)
			stage->down(stages->owner);
	}
}
EXPORT_SYMBOL_GPL(cxr_stages_down);

int cxr_stages_up(struct cxr_stages *stages, unsigned int first)
{
	const struct cxr_stage *stage;
	bool injected = false;
	int err;

	while (stages->up < stages->count) {
		stage = &stages->table[stages->up];
		err = stage->up ? stage->up(stages->owner) : 0;
		if (!err) {
			stages->up++;
			injected = should_fail(stage);
			if (!injected)
				continue;
			err = -EIO;
		}
		dev_err(stages->dev, "bring-up failed at stage %s: %pe%s\n", stage->name,
			ERR_PTR(err), injected ? " (requested by fail_stage)" : "");
		cxr_stages_down(stages, first);
		return err;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_stages_up);
