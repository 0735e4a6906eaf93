// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The health reporters of devlink: fw for errors that the firmware survives, fw_fatal for failures
 * of the device, which it recovers from by a reset of the function, or of the firmware: by itself,
 * unless the user has set auto_recover to false, but neither twice within the grace period nor
 * after a recovery that failed; devlink sees to that. After any other reset (reset.c) both are
 * healthy, too. vnic has no errors: it tells what the device counts.
 *
 * A report may take the lock of the devlink instance, under which stages go down and wait for
 * works: so it is made by a work that no stage waits for. What happened last is what devlink shows
 * last.
 */
#include <linux/mm.h>
#include <linux/pci.h>
#include <net/devlink.h>

#include "cxr/health.h"
#include "core.h"

#define GRACE_MS	60000	/* as for the in-tree driver's PFs */
#define RETRY		(HZ / 10)

enum { FW, FW_FATAL, VNIC };

static struct cxr_dev *dev_of(struct devlink_health_reporter *reporter)
{
	return devlink_health_reporter_priv(reporter);
}

/* During a reset there are no registers. */
static int read_buffer(struct cxr_dev *dev, struct cxr_health_buffer *buffer,
		       struct netlink_ext_ack *extack)
{
	if (READ_ONCE(dev->resetting)) {
		NL_SET_ERR_MSG_MOD(extack, "the function is being reset");
		return -EBUSY;
	}
	cxr_core_read_health_buffer(dev, buffer);
	return 0;
}

/* The same words as those of the in-tree driver, for programs that read them. */
static int diagnose(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
		    struct netlink_ext_ack *extack)
{
	struct cxr_health_buffer buffer;
	int err;

	err = read_buffer(dev_of(reporter), &buffer, extack);
	if (err)
		return err;
	devlink_fmsg_u8_pair_put(fmsg, "Syndrome", buffer.synd);
	if (buffer.synd)
		devlink_fmsg_string_pair_put(fmsg, "Description",
					     cxr_health_synd_text(buffer.synd));
	return 0;
}

static int diagnose_fatal(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
			  struct netlink_ext_ack *extack)
{
	struct cxr_dev *dev = dev_of(reporter);

	devlink_fmsg_bool_pair_put(fmsg, "failed", cxr_core_dead(&dev->core));
	return diagnose(reporter, fmsg, extack);
}

static int dump(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg, void *unused,
		struct netlink_ext_ack *extack)
{
	struct cxr_health_buffer buffer;
	unsigned int i;
	int err;

	err = read_buffer(dev_of(reporter), &buffer, extack);
	if (err)
		return err;
	devlink_fmsg_pair_nest_start(fmsg, "health_buffer");
	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_arr_pair_nest_start(fmsg, "assert_var");
	for (i = 0; i < ARRAY_SIZE(buffer.assert_var); i++)
		devlink_fmsg_u32_put(fmsg, buffer.assert_var[i]);
	devlink_fmsg_arr_pair_nest_end(fmsg);
	devlink_fmsg_u32_pair_put(fmsg, "assert_exit_ptr", buffer.assert_exit_ptr);
	devlink_fmsg_u32_pair_put(fmsg, "assert_callra", buffer.assert_callra);
	devlink_fmsg_u32_pair_put(fmsg, "time", buffer.time);
	devlink_fmsg_u32_pair_put(fmsg, "hw_id", buffer.hw_id);
	devlink_fmsg_u8_pair_put(fmsg, "rfr_severity", buffer.rfr_severity);
	devlink_fmsg_u8_pair_put(fmsg, "irisc_index", buffer.irisc_index);
	devlink_fmsg_u8_pair_put(fmsg, "synd", buffer.synd);
	devlink_fmsg_u32_pair_put(fmsg, "ext_synd", buffer.ext_synd);
	devlink_fmsg_obj_nest_end(fmsg);
	devlink_fmsg_pair_nest_end(fmsg);
	return 0;
}

/*
 * devlink holds the lock of its instance, which is taken after that of the PCI device. @locked is
 * NULL if that is not held: then a user asks for it.
 */
static int lock_device(struct cxr_dev *dev, const void *locked, struct netlink_ext_ack *extack)
{
	if (locked || device_trylock(&dev->core.pdev->dev))
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "the function is being reset, dumped, bound or unbound");
	return -EBUSY;
}

static void unlock_device(struct cxr_dev *dev, const void *locked)
{
	if (!locked)
		device_unlock(&dev->core.pdev->dev);
}

/* A dump without the card's registers, to which only PFs have access, is better than none. */
static void put_registers(struct cxr_dev *dev, struct devlink_fmsg *fmsg)
{
	u32 *words, bytes;
	int err;

	if (dev->core.vf || cxr_core_gone(dev))
		return;
	err = cxr_gateway_dump(dev->core.pdev, &words, &bytes);
	if (!err) {
		devlink_fmsg_binary_pair_put(fmsg, "crdump_data", words, bytes);
		kvfree(words);
	} else if (err != -EOPNOTSUPP) {
		dev_warn(dev->core.dev, "the dump lacks the registers of the card: %pe\n",
			 ERR_PTR(err));
	}
}

static int dump_fatal(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
		      void *locked, struct netlink_ext_ack *extack)
{
	struct cxr_dev *dev = dev_of(reporter);
	int err;

	err = lock_device(dev, locked, extack);
	if (err)
		return err;
	err = dump(reporter, fmsg, locked, extack);
	if (!err)
		put_registers(dev, fmsg);
	unlock_device(dev, locked);
	return err;
}

static int recover(struct devlink_health_reporter *reporter, void *locked,
		   struct netlink_ext_ack *extack)
{
	struct cxr_dev *dev = dev_of(reporter);
	int err;

	err = lock_device(dev, locked, extack);
	if (err)
		return err;
	err = cxr_reset_recover(dev, !locked);
	if (err == -EBUSY)
		NL_SET_ERR_MSG_MOD(extack, "the function is being reset");
	else if (err == -ENODEV)
		NL_SET_ERR_MSG_MOD(extack, "the device does not respond");
	unlock_device(dev, locked);
	return err;
}

static int diagnose_vnic(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
			 struct netlink_ext_ack *extack)
{
	struct cxr_core *core = &dev_of(reporter)->core;
	u64 values[CXR_VNIC_COUNTERS];
	enum cxr_vnic_counter i;
	int err = 0;

	if (core->caps.vnic_counters)
		err = cxr_cmd_query_vnic_env(core, values);
	if (err) {
		NL_SET_ERR_MSG_MOD(extack, "the device does not tell its counters");
		return err;
	}
	devlink_fmsg_pair_nest_start(fmsg, "vNIC env counters");
	devlink_fmsg_obj_nest_start(fmsg);
	for (i = 0; i < CXR_VNIC_REPORTED; i++)
		if (core->caps.vnic_counters & BIT(i))
			devlink_fmsg_u64_pair_put(fmsg, cxr_vnic_counter_name(i), values[i]);
	devlink_fmsg_obj_nest_end(fmsg);
	devlink_fmsg_pair_nest_end(fmsg);
	return 0;
}

static const struct devlink_health_reporter_ops ops[CXR_REPORTERS] = {
	[FW] = { .name = "fw", .diagnose = diagnose, .dump = dump },
	[FW_FATAL] = {
		.name = "fw_fatal",
		.diagnose = diagnose_fatal,
		.dump = dump_fatal,
		.recover = recover,
		CXR_REPORTER_GRACE(GRACE_MS)
	},
	[VNIC] = { .name = "vnic", .diagnose = diagnose_vnic },
};

/* ---- reports --------------------------------------------------------------------------------- */

static void queue_report(struct cxr_dev *dev, unsigned long delay)
{
	queue_delayed_work(system_unbound_wq, &dev->reports.work, delay);
}

void cxr_health_report(struct device *dev, struct devlink_health_reporter *reporter,
		       const char *name, const char *why, void *ctx)
{
	dev_info(dev, "the health reporter %s of devlink has a new error\n", name);
	if (devlink_health_report(reporter, why, ctx) == -ECANCELED)
		dev_warn(dev, "not recovered: the last recovery failed, or is less than the grace period ago\n");
}
EXPORT_SYMBOL_GPL(cxr_health_report);

static void tell(struct cxr_dev *dev, int which, const char *why)
{
	bool locked = true;

	cxr_health_report(dev->core.dev, dev->reports.reporter[which], ops[which].name, why,
			  &locked);
}

static void report_work(struct work_struct *work)
{
	struct cxr_dev *dev = container_of(to_delayed_work(work), struct cxr_dev, reports.work);
	struct device *device = &dev->core.pdev->dev;
	const char *why[CXR_REPORTERS];
	unsigned long flags;
	bool healthy;
	int i;

	/* A recovery needs it. Who unbinds the driver has it, and waits for this work. */
	if (!device_trylock(device)) {
		queue_report(dev, RETRY);
		return;
	}
	spin_lock_irqsave(&dev->reports.lock, flags);
	memcpy(why, dev->reports.why, sizeof(why));
	healthy = dev->reports.healthy;
	memset(dev->reports.why, 0, sizeof(why));
	dev->reports.healthy = false;
	spin_unlock_irqrestore(&dev->reports.lock, flags);

	for (i = 0; i < CXR_REPORTERS; i++) {
		if (healthy)
			devlink_health_reporter_state_update(dev->reports.reporter[i],
							     DEVLINK_HEALTH_REPORTER_STATE_HEALTHY);
		if (why[i])
			tell(dev, i, why[i]);
	}
	device_unlock(device);
}

static void report(struct cxr_dev *dev, int which, const char *why)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->reports.lock, flags);
	dev->reports.why[which] = why;
	if (dev->reports.open)
		queue_report(dev, 0);
	spin_unlock_irqrestore(&dev->reports.lock, flags);
}

void cxr_report_survived(struct cxr_dev *dev, const char *why)
{
	report(dev, FW, why);
}

void cxr_report_failed(struct cxr_dev *dev, const char *why)
{
	report(dev, FW_FATAL, why);
}

void cxr_report_healthy(struct cxr_dev *dev)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->reports.lock, flags);
	/* a failure in the meantime was reported already, or waits for the lock */
	if (!cxr_core_dead(&dev->core)) {
		memset(dev->reports.why, 0, sizeof(dev->reports.why));
		dev->reports.healthy = true;
		if (dev->reports.open)
			queue_report(dev, 0);
	}
	spin_unlock_irqrestore(&dev->reports.lock, flags);
}

/* ---- registration ---------------------------------------------------------------------------- */

void cxr_reporters_init(struct cxr_dev *dev)
{
	spin_lock_init(&dev->reports.lock);
	INIT_DELAYED_WORK(&dev->reports.work, report_work);
}

int cxr_reporters_create(struct cxr_dev *dev)
{
	struct devlink *devlink = priv_to_devlink(dev);
	struct devlink_health_reporter *reporter;
	int i;

	for (i = 0; i < CXR_REPORTERS; i++) {
		reporter = cxr_devlink_reporter_create(devlink, &ops[i],
						       ops[i].recover ? GRACE_MS : 0, dev);
		if (IS_ERR(reporter))
			goto err_destroy;
		dev->reports.reporter[i] = reporter;
	}
	return 0;

err_destroy:
	while (i--)
		devlink_health_reporter_destroy(dev->reports.reporter[i]);
	return PTR_ERR(reporter);
}

void cxr_reporters_destroy(struct cxr_dev *dev)
{
	int i;

	for (i = 0; i < CXR_REPORTERS; i++)
		devlink_health_reporter_destroy(dev->reports.reporter[i]);
}

/*
 * devlink sends notifications, and so takes reports only of an instance that is registered. The
 * device may have failed before.
 */
void cxr_reporters_open(struct cxr_dev *dev)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->reports.lock, flags);
	dev->reports.open = true;
	queue_report(dev, 0);
	spin_unlock_irqrestore(&dev->reports.lock, flags);
}

void cxr_reporters_close(struct cxr_dev *dev)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->reports.lock, flags);
	dev->reports.open = false;
	spin_unlock_irqrestore(&dev->reports.lock, flags);
	cancel_delayed_work_sync(&dev->reports.work);
}
