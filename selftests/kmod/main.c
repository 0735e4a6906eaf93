// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * insmod kverbs.ko devices=NAME test=NAME
 * insmod kverbs.ko devices=NAME,NAME...
 *
 * Uses RDMA devices like a kernel ULP. With test= the module stays loaded if the test passes; else
 * the reason is in the kernel log, and insmod fails with -EOPNOTSUPP if the device does not support
 * it. Without test= it runs the benchmark in bench.c.
 */
#include <linux/module.h>
#include <linux/mutex.h>

#include "loop.h"

static char *devices[LOOP_DEVICES];
static unsigned int device_count;
module_param_array(devices, charp, &device_count, 0);
MODULE_PARM_DESC(devices, "names of RDMA devices: one for a test, two to four to compare them");
static char *test;
module_param(test, charp, 0);
MODULE_PARM_DESC(test, "name of a test");

static struct ib_device *found[LOOP_DEVICES];
static DEFINE_MUTEX(in_use);	/* blocks the removal of a device */

static int find(struct ib_device *ib)
{
	int i;

	for (i = 0; i < device_count; i++)
		if (!strcmp(devices[i], dev_name(&ib->dev)))
			found[i] = ib;
	return 0;
}

static void remove(struct ib_device *ib, void *unused)
{
	mutex_lock(&in_use);
	mutex_unlock(&in_use);
}

static struct ib_client client = { .name = "kverbs", .add = find, .remove = remove };

static int run(void)
{
	int i;

	for (i = 0; i < device_count; i++) {
		if (!found[i]) {
			pr_err("kverbs: there is no device %s\n", devices[i]);
			return -ENODEV;
		}
	}
	if (test)
		return device_count == 1 ? loop_test(found[0], test) : -EINVAL;
	return device_count > 1 ? loop_bench(found, device_count) : -EINVAL;
}

static int __init kverbs_init(void)
{
	int err;

	mutex_lock(&in_use);
	err = ib_register_client(&client);
	if (err) {
		mutex_unlock(&in_use);
		return err;
	}
	err = run();
	mutex_unlock(&in_use);
	ib_unregister_client(&client);
	return err;
}

static void __exit kverbs_exit(void)
{
}

module_init(kverbs_init);
module_exit(kverbs_exit);
MODULE_DESCRIPTION("Tests and measures RDMA drivers like a kernel ULP");
MODULE_LICENSE("Dual BSD/GPL");
