// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* /sys/kernel/debug/cxr/<PCI name>: for tests and for debugging. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "core.h"

/* Pages of 4 KiB that the device holds. */
static int pages_show(struct seq_file *s, void *unused)
{
	struct cxr_dev *dev = s->private;

	seq_printf(s, "%u\n", READ_ONCE(dev->pages.count));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pages);

static int cmd_show(struct seq_file *s, void *unused)
{
	struct cxr_dev *dev = s->private;
	const struct cxr_cmdq *q = &dev->cmdq;

	seq_printf(s, "issued %llu\nrefused %llu\npolled %llu\ntimed_out %llu\nspurious %llu\n",
		   q->issued, q->refused,
		   q->polled, q->timed_out, q->spurious);
	seq_printf(s, "longest %llu us, %s\n", q->longest_ns / 1000, cxr_cmd_name(q->longest_op));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cmd);

/* The last stage that is up, and whether the device has failed. */
static int stage_show(struct seq_file *s, void *unused)
{
	struct cxr_dev *dev = s->private;
	unsigned int up = READ_ONCE(dev->stages.up);

	seq_printf(s, "%s%s\n", up ? dev->stages.table[up - 1].name : "none",
		   cxr_core_dead(&dev->core) ? " dead" : "");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stage);

static struct dentry *root;

void cxr_debugfs_init(void)
{
	root = debugfs_create_dir("cxr", NULL);
}

void cxr_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}

void cxr_debugfs_add(struct cxr_dev *dev)
{
	dev->core.debugfs = debugfs_create_dir(dev_name(dev->core.dev), root);
	debugfs_create_file("pages", 0400, dev->core.debugfs, dev, &pages_fops);
	debugfs_create_file("cmd", 0400, dev->core.debugfs, dev, &cmd_fops);
	debugfs_create_file("stage", 0400, dev->core.debugfs, dev, &stage_fops);
}

void cxr_debugfs_remove(struct cxr_dev *dev)
{
	debugfs_remove_recursive(dev->core.debugfs);
}
