// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What the administrator sets for paths: Force DSCP, the traffic classes (drivers/policy/tclass.h),
 * and Force TTL. In /sys/class/infiniband/<device>:
 *
 *	tc/1/traffic_class	the rules, a rule per write
 *	tc/1/application_wins	the rules are for applications without a DSCP
 *	ttl/1/ttl, tc/1/ttl	of new paths: no transition of a QP in use changes it
 *
 * Rules are looked up where paths are made, also in atomic context, so they are under RCU: a write
 * copies them, changes the copy and publishes it, or changes nothing. Then it walks over the QPs.
 * A path that is made meanwhile has either looked the new rules up or is found by the walk, since
 * both hold the mutex of the QP; one that the walk finds before RTS, where the device cannot change
 * it, is looked up again on its way to RTS.
 */
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "queue.h"

struct cxr_ib_force {
	struct rcu_head rcu;
	bool application_wins;
	struct cxr_tclass_table table;
	struct cxr_tclass_rule rules[];
};

/* ---- paths ----------------------------------------------------------------------------------- */

void cxr_ib_force_path(const struct rdma_ah_attr *ah, struct cxr_tclass_path *path)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	bool v1 = grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE;

	path->type = v1 ? CXR_GID_V1 : CXR_GID_V2;
	path->tclass = grh->traffic_class;
	memcpy(path->sgid, grh->sgid_attr->gid.raw, sizeof(path->sgid));
	memcpy(path->dgid, grh->dgid.raw, sizeof(path->dgid));
}

u8 cxr_ib_force_tclass(struct cxr_ib_dev *dev, const struct cxr_tclass_path *path)
{
	const struct cxr_ib_force *force;
	u8 tclass = path->tclass;

	rcu_read_lock();
	force = rcu_dereference(dev->force);
	if (force)
		tclass = cxr_tclass_of(&force->table, force->application_wins, path);
	rcu_read_unlock();
	return tclass;
}

int cxr_ib_force_qp(struct cxr_ib_qp *qp)
{
	struct cxr_ib_dev *dev = to_cxr_dev(qp->ibqp.device);
	struct cxr_qp_mod mod = { .type = qp->type };
	u8 dscp;
	int err;

	lockdep_assert_held(&qp->mutex);
	/* An initiator of DC transport has the addresses of its requests. */
	if (qp->gone || !qp->has_sgid || qp->path.type == CXR_GID_V1 || qp->type == CXR_QP_DCI)
		return 0;
	dscp = cxr_ib_force_tclass(dev, &qp->path) >> 2;
	if (dscp == qp->dscp)
		return 0;
	if (!dev->core->caps.rts2rts_dscp)
		return -EOPNOTSUPP;

	mod.addr.path.dscp = dscp;
	err = cxr_cmd_modify_qp(dev->core, qp->uid, qp->qpn, CXR_QPS_RTS, CXR_QPS_RTS, &mod,
				CXR_QP_OPT_DSCP);
	if (!err)
		qp->dscp = dscp;
	return err;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static struct cxr_ib_force *current_force(struct cxr_ib_dev *dev)
{
	return rcu_dereference_protected(dev->force, lockdep_is_held(&dev->force_lock));
}

/* A copy, with room for one more rule. */
static struct cxr_ib_force *copy_force(const struct cxr_ib_force *old)
{
	u32 n = old ? old->table.n : 0, room = min_t(u32, n + 1, CXR_TCLASS_RULES_MAX);
	struct cxr_ib_force *new;

	new = kvzalloc(struct_size(new, rules, room), GFP_KERNEL);
	if (!new)
		return NULL;
	new->table.global = CXR_TCLASS_NONE;
	if (old) {
		new->application_wins = old->application_wins;
		new->table = old->table;
		memcpy(new->rules, old->rules, n * sizeof(*new->rules));
	}
	new->table.room = room;
	new->table.rule = new->rules;
	return new;
}

/* The QP at *qpn or the next one, with a reference, or NULL. */
static struct cxr_ib_qp *next_qp(struct cxr_ib_dev *dev, unsigned long *qpn)
{
	struct cxr_ib_qp *qp;

	xa_lock_irq(&dev->qps);
	qp = xa_find(&dev->qps, qpn, ULONG_MAX, XA_PRESENT);
	if (qp)
		refcount_inc(&qp->ref);
	xa_unlock_irq(&dev->qps);
	return qp;
}

/* A QP that cannot be changed keeps its class until it has another path. */
static void update_qps(struct cxr_ib_dev *dev)
{
	unsigned int unable = 0, failed = 0;
	struct cxr_ib_qp *qp;
	unsigned long qpn;
	int err;

	lockdep_assert_held(&dev->force_lock);
	for (qpn = 0; (qp = next_qp(dev, &qpn)); qpn++) {
		mutex_lock(&qp->mutex);
		err = qp->state == IB_QPS_RTS ? cxr_ib_force_qp(qp) : 0;
		mutex_unlock(&qp->mutex);
		cxr_ib_put_qp(qp);
		unable += err == -EOPNOTSUPP;
		failed += err && err != -EOPNOTSUPP;
	}
	if (unable)
		ibdev_warn(&dev->ibdev,
			   "traffic_class: %u connections keep their traffic class, which this device cannot change\n",
			   unable);
	if (failed)
		ibdev_warn(&dev->ibdev,
			   "traffic_class: the device refused to change %u connections, which keep their traffic class\n",
			   failed);
}

static void publish(struct cxr_ib_dev *dev, struct cxr_ib_force *new)
{
	struct cxr_ib_force *old = current_force(dev);

	rcu_assign_pointer(dev->force, new);
	if (old)
		kvfree_rcu(old, rcu);
	update_qps(dev);
}

static int change_rule(struct cxr_ib_dev *dev, const struct cxr_tclass_rule *rule)
{
	struct cxr_ib_force *new;
	int err;

	mutex_lock(&dev->force_lock);
	new = copy_force(current_force(dev));
	err = new ? cxr_tclass_change(&new->table, rule) : -ENOMEM;
	if (err)
		kvfree(new);
	else
		publish(dev, new);
	mutex_unlock(&dev->force_lock);
	return err;
}

void cxr_ib_force_free(struct cxr_ib_dev *dev)
{
	kvfree(rcu_dereference_protected(dev->force, true));
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Files are in a folder of the port, in one of the device. */
static struct cxr_ib_dev *dev_of(struct kobject *port)
{
	return rdma_device_to_drv_device(kobj_to_dev(port->parent->parent), struct cxr_ib_dev,
					 ibdev);
}

/* All rules may be more than a page. */
static ssize_t traffic_class_read(struct file *file, struct kobject *kobj,
				  cxr_bin_attr_arg *attr, char *buf, loff_t off, size_t count)
{
	const struct cxr_ib_force *force;
	char line[CXR_TCLASS_LINE_MAX];
	size_t done = 0, n;
	int len;
	u32 i;

	rcu_read_lock();
	force = rcu_dereference(dev_of(kobj)->force);
	for (i = 0; force && done < count; i++) {
		len = cxr_tclass_print(&force->table, i, line);
		if (!len)
			break;
		if (off >= len) {
			off -= len;
			continue;
		}
		n = min_t(size_t, len - off, count - done);
		memcpy(buf + done, line + off, n);
		done += n;
		off = 0;
	}
	rcu_read_unlock();
	return done;
}

/* Every write is a rule, wherever in the file. Takes effect before it returns. */
static ssize_t traffic_class_write(struct file *file, struct kobject *kobj,
				   cxr_bin_attr_arg *attr, char *buf, loff_t off, size_t count)
{
	struct cxr_ib_dev *dev = dev_of(kobj);
	struct cxr_word_fault fault;
	struct cxr_tclass_rule rule;
	int err;

	err = cxr_tclass_parse(buf, &rule, &fault);
	if (err) {
		ibdev_err(&dev->ibdev, "traffic_class: '%*pE' is refused: %s\n", fault.len,
			  fault.word, fault.why);
		return err;
	}
	err = change_rule(dev, &rule);
	if (err == -ENOSPC)
		ibdev_err(&dev->ibdev, "traffic_class: there are %u rules, and no room for more\n",
			  CXR_TCLASS_RULES_MAX);
	return err ?: count;
}

static const BIN_ATTR_RW(traffic_class, 0);

static ssize_t application_wins_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct cxr_ib_force *force;
	bool wins;

	rcu_read_lock();
	force = rcu_dereference(dev_of(kobj)->force);
	wins = force && force->application_wins;
	rcu_read_unlock();
	return sysfs_emit(buf, "%d\n", wins);
}

/* Takes effect before the write returns. */
static ssize_t application_wins_store(struct kobject *kobj, struct kobj_attribute *attr,
				      const char *buf, size_t count)
{
	struct cxr_ib_dev *dev = dev_of(kobj);
	struct cxr_ib_force *new;
	bool wins;

	if (kstrtobool(buf, &wins)) {
		ibdev_err(&dev->ibdev, "application_wins: '%.*s' is refused: must be 0 or 1\n",
			  cxr_written(buf), buf);
		return -EINVAL;
	}

	mutex_lock(&dev->force_lock);
	new = copy_force(current_force(dev));
	if (new) {
		new->application_wins = wins;
		publish(dev, new);
	}
	mutex_unlock(&dev->force_lock);
	return new ? count : -ENOMEM;
}

static const struct kobj_attribute application_wins_attr = __ATTR_RW(application_wins);

static ssize_t ttl_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(dev_of(kobj)->ttl));
}

static ssize_t ttl_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			 size_t count)
{
	struct cxr_ib_dev *dev = dev_of(kobj);
	u8 ttl;

	if (kstrtou8(buf, 0, &ttl)) {
		ibdev_err(&dev->ibdev, "ttl: '%.*s' is refused: must be 0 to 255\n",
			  cxr_written(buf), buf);
		return -EINVAL;
	}
	WRITE_ONCE(dev->ttl, ttl);
	return count;
}

static const struct kobj_attribute ttl_attr = __ATTR_RW(ttl);

/* ---- stage ----------------------------------------------------------------------------------- */

static const struct attribute *const tc_attrs[] = {
	&application_wins_attr.attr, &ttl_attr.attr, NULL
};

static int add_folder(struct cxr_ib_dev *dev, const char *name, struct cxr_ib_folder *folder)
{
	folder->device = kobject_create_and_add(name, &dev->ibdev.dev.kobj);
	if (!folder->device)
		return -ENOMEM;
	folder->port = kobject_create_and_add("1", folder->device);
	return folder->port ? 0 : -ENOMEM;
}

static void remove_folder(struct cxr_ib_folder *folder)
{
	kobject_del(folder->port);
	kobject_put(folder->port);
	kobject_del(folder->device);
	kobject_put(folder->device);
}

int cxr_ib_force_up(void *owner)
{
	struct cxr_ib_dev *dev = owner;
	int err;

	err = add_folder(dev, "tc", &dev->tc_folder);
	if (!err)
		err = sysfs_create_bin_file(dev->tc_folder.port, &bin_attr_traffic_class);
	if (!err)
		err = sysfs_create_files(dev->tc_folder.port, tc_attrs);
	if (!err)
		err = add_folder(dev, "ttl", &dev->ttl_folder);
	if (!err)
		err = sysfs_create_file(dev->ttl_folder.port, &ttl_attr.attr);
	if (err)
		cxr_ib_force_down(dev);
	return err;
}

void cxr_ib_force_down(void *owner)
{
	struct cxr_ib_dev *dev = owner;

	remove_folder(&dev->ttl_folder);
	remove_folder(&dev->tc_folder);
}
