// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* RoCE LAG: attributes of the PCI device. */
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../policy/ecmp.h"
#include "lag.h"

/* ---- roce_lag_enable ------------------------------------------------------------------------- */

static ssize_t roce_lag_enable_show(struct device *device, struct device_attribute *attr,
				    char *buf)
{
	const struct cxr_dev *dev = dev_get_drvdata(device);

	return sysfs_emit(buf, "%d\n", READ_ONCE(dev->lag_allowed));
}

/* Takes effect before the write returns. */
static ssize_t roce_lag_enable_store(struct device *device, struct device_attribute *attr,
				     const char *buf, size_t count)
{
	struct cxr_dev *dev = dev_get_drvdata(device);
	u32 value;
	int err;

	err = kstrtou32(buf, 0, &value);
	if (!err && value > 1)
		err = -EINVAL;
	if (err) {
		dev_err(device, "roce_lag_enable: '%.*s' is refused: must be 0 or 1\n",
			cxr_written(buf), buf);
		return err;
	}

	WRITE_ONCE(dev->lag_allowed, value);
	cxr_lag_evaluate(dev);
	return count;
}
static DEVICE_ATTR_RW(roce_lag_enable);

/* ---- roce_lag_ecmp_dev ----------------------------------------------------------------------- */

static ssize_t roce_lag_ecmp_dev_show(struct device *device, struct device_attribute *attr,
				      char *buf)
{
	struct cxr_card *card = cxr_card_get(dev_get_drvdata(device));
	ssize_t len;

	if (!card)
		return sysfs_emit(buf, "\n");

	mutex_lock(&card->lock);
	len = sysfs_emit(buf, "%s\n", card->parent ? netdev_name(card->parent) : "");
	mutex_unlock(&card->lock);
	cxr_card_put(card);
	return len;
}

static int set_ecmp_dev(struct cxr_card *card, struct cxr_dev *dev, const char *name)
{
	enum cxr_lag_why why;

	lockdep_assert_held(&card->lock);
	/* The function is being removed, and may have released the parent. */
	if (card->port[dev->core.caps.native_port - 1] != dev)
		return -ENODEV;
	if (!*name) {
		cxr_card_leave_ecmp(card);
		return 0;
	}
	why = cxr_card_enter_ecmp(card, name);
	if (why != CXR_LAG_WHY_NONE)
		dev_err(dev->core.dev, "roce_lag_ecmp_dev: '%s' is refused: %s\n", name,
			cxr_lag_why_text(why));
	return cxr_ecmp_errno(why);
}

/* Takes effect before the write returns. */
static ssize_t roce_lag_ecmp_dev_store(struct device *device, struct device_attribute *attr,
				       const char *buf, size_t count)
{
	struct cxr_dev *dev = dev_get_drvdata(device);
	char text[2 * IFNAMSIZ], *name;
	struct cxr_card *card;
	int err;

	/* A name that is too long is truncated, and still names no interface. */
	strscpy(text, buf, sizeof(text));
	name = strim(text);

	card = cxr_card_get(dev);
	if (!card)
		return -ENODEV;
	mutex_lock(&card->lock);
	err = set_ecmp_dev(card, dev, name);
	mutex_unlock(&card->lock);
	cxr_card_put(card);
	return err ?: count;
}
static DEVICE_ATTR_RW(roce_lag_ecmp_dev);

/* ---- lag_state ------------------------------------------------------------------------------- */

static ssize_t lag_state_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct cxr_dev *dev = dev_get_drvdata(device);
	struct cxr_card *card = cxr_card_get(dev_get_drvdata(device));
	const struct cxr_lag_out *now;
	ssize_t len;

	if (!card)
		return sysfs_emit(buf, "off: %s\n",
				  READ_ONCE(dev->no_card_why) ?: "the function is down");

	mutex_lock(&card->lock);
	now = &card->now;
	if (now->mode == CXR_LAG_OFF)
		len = sysfs_emit(buf, "off: %s%s\n", card->refusal ? "roce_lag_ecmp_dev: " : "",
				 cxr_lag_why_text(card->refusal ?: now->why));
	else
		len = sysfs_emit(buf, "%s over %s, ports %u %u\n", cxr_lag_mode_name(now->mode),
				 netdev_name(card->lag.bond), now->map[0], now->map[1]);
	mutex_unlock(&card->lock);
	cxr_card_put(card);
	return len;
}
static DEVICE_ATTR_RO(lag_state);

static struct attribute *lag_attrs[] = {
	&dev_attr_roce_lag_enable.attr,
	&dev_attr_roce_lag_ecmp_dev.attr,
	&dev_attr_lag_state.attr,
	NULL
};

static umode_t lag_attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct cxr_dev *dev = dev_get_drvdata(kobj_to_dev(kobj));

	return dev && dev->core.caps.lag ? attr->mode : 0;
}

const struct attribute_group cxr_lag_attr_group = {
	.attrs = lag_attrs,
	.is_visible = lag_attr_visible,
};
