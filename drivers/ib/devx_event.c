// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * DEVX: events of the device and of objects that programs create, for a file that a program reads,
 * or for its eventfds.
 *
 * A subscription belongs to a file, and ends with it; that of an object also with the object, but
 * what has come before can still be read.
 */
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#include "devx.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

#define EVENTS_MAX 16		/* of a subscription */
#define QUEUED_MAX 16384	/* events that a program does not read */
#define SUBS_MAX 256		/* of an object, and of the device for each file */

/**
 * struct subscription - of one event
 * @node: in cxr_ib_devx.subs, until the object or the file goes
 * @hashed: it is there; cxr_ib_devx.lock
 * @of_file: in cxr_ib_event_file.subs
 * @of_object: in cxr_ib_devx_obj.subs; empty: of the device, or the object has gone
 * @obj: while it is there
 * @pending: in cxr_ib_event_file.events; its lock
 * @file: with a reference
 * @signal: instead of the file; or NULL
 * @cookie: of the program
 * @key: event and kind of the object
 * @num: number of the object, 0 for the device
 * @rcu: frees it
 */
struct subscription {
	struct hlist_node node;
	bool hashed;
	struct list_head of_file, of_object, pending;
	struct cxr_ib_devx_obj *obj;
	struct cxr_ib_event_file *file;
	struct eventfd_ctx *signal;
	__aligned_u64 cookie;
	u32 key, num;
	struct rcu_head rcu;
};

struct event {
	struct list_head entry;
	__aligned_u64 cookie;
	u8 eqe[CXR_IB_EQE_BYTES];
};

static_assert(offsetof(struct event, eqe) - offsetof(struct event, cookie) ==
	      sizeof(struct mlx5_ib_uapi_devx_async_event_hdr));
#define EVENT_BYTES (sizeof(struct mlx5_ib_uapi_devx_async_event_hdr) + CXR_IB_EQE_BYTES)

static u64 hash_key(u32 key, u32 num)
{
	return (u64)key << 32 | num;
}

/* ---- delivery ---- */

/* Until it is read, a cookie is there once. */
static void add_cookie(struct subscription *sub)
	__must_hold(&sub->file->lock)
{
	if (list_empty(&sub->pending))
		list_add_tail(&sub->pending, &sub->file->events);
}

static void add_event(struct subscription *sub, const struct prm_eqe *eqe)
	__must_hold(&sub->file->lock)
{
	struct event *event = NULL;

	if (sub->file->queued < QUEUED_MAX)
		event = kmalloc(sizeof(*event), GFP_ATOMIC);
	if (!event) {
		sub->file->lost = true;
		return;
	}
	event->cookie = sub->cookie;
	memcpy(event->eqe, eqe, sizeof(event->eqe));
	list_add_tail(&event->entry, &sub->file->events);
	sub->file->queued++;
}

static void deliver(struct subscription *sub, const struct prm_eqe *eqe)
{
	struct cxr_ib_event_file *file = sub->file;
	unsigned long flags;

	if (sub->signal) {
		cxr_eventfd_signal(sub->signal);
		return;
	}
	spin_lock_irqsave(&file->lock, flags);
	if (!file->gone) {
		if (file->cookies_only)
			add_cookie(sub);
		else
			add_event(sub, eqe);
		wake_up_all(&file->wait);
	}
	spin_unlock_irqrestore(&file->lock, flags);
}

static void dispatch(struct cxr_ib_dev *dev, u32 key, u32 num, const struct prm_eqe *eqe)
{
	struct subscription *sub;

	rcu_read_lock();
	hash_for_each_possible_rcu(dev->devx->subs, sub, node, hash_key(key, num))
		if (sub->key == key && sub->num == num)
			deliver(sub, eqe);
	rcu_read_unlock();
}

static const struct cxr_devx_events *user_events(const struct cxr_ib_dev *dev)
{
	const struct cxr_caps *caps = &dev->core->caps;

	return caps->event_cap ? &caps->user_events : NULL;
}

void cxr_ib_devx_event(struct cxr_ib_dev *dev, const struct prm_eqe *eqe)
{
	struct cxr_devx_source source;

	if (!dev->devx)
		return;
	cxr_devx_event_source(eqe, user_events(dev), &source);
	dispatch(dev, source.key, source.num, eqe);
}

void cxr_ib_devx_comp(struct cxr_cq *cq, const struct prm_eqe *eqe)
{
	struct cxr_ib_devx_obj *obj = container_of(cq, struct cxr_ib_devx_obj, cq);
	u32 key = cxr_devx_event_key(CXR_DEVX_EVENT_COMP, &obj->id);

	dispatch(obj->dev, key, cq->cqn, eqe);
}

/* ---- subscription ---- */

static void free_subscription(struct rcu_head *rcu)
{
	struct subscription *sub = container_of(rcu, struct subscription, rcu);

	if (sub->signal)
		eventfd_ctx_put(sub->signal);
	uverbs_uobject_put(&sub->file->uobj);
	kfree(sub);
}

static void hash(struct cxr_ib_devx *devx, struct subscription *sub)
{
	lockdep_assert_held(&devx->lock);
	hash_add_rcu(devx->subs, &sub->node, hash_key(sub->key, sub->num));
	sub->hashed = true;
}

static void unhash(struct cxr_ib_devx *devx, struct subscription *sub)
{
	lockdep_assert_held(&devx->lock);
	if (sub->hashed)
		hash_del_rcu(&sub->node);
	sub->hashed = false;
}

void cxr_ib_devx_mute(struct cxr_ib_devx_obj *obj)
{
	struct cxr_ib_devx *devx = obj->dev->devx;
	struct subscription *sub;

	mutex_lock(&devx->lock);
	list_for_each_entry(sub, &obj->subs, of_object)
		unhash(devx, sub);
	mutex_unlock(&devx->lock);
}

void cxr_ib_devx_unmute(struct cxr_ib_devx_obj *obj)
{
	struct cxr_ib_devx *devx = obj->dev->devx;
	struct subscription *sub;

	synchronize_rcu();	/* nobody walks the list from where they were */
	mutex_lock(&devx->lock);
	list_for_each_entry(sub, &obj->subs, of_object)
		hash(devx, sub);
	mutex_unlock(&devx->lock);
}

void cxr_ib_devx_unsubscribe(struct cxr_ib_devx_obj *obj)
{
	struct cxr_ib_devx *devx = obj->dev->devx;
	struct subscription *sub, *next;

	mutex_lock(&devx->lock);
	list_for_each_entry_safe(sub, next, &obj->subs, of_object) {
		list_del_init(&sub->of_object);
		sub->obj = NULL;
	}
	mutex_unlock(&devx->lock);
}

/* @like: what is the same for all events. ERR_PTR. */
static struct subscription *new_subscription(const struct subscription *like, u16 event,
					     const struct cxr_ib_devx_obj *obj)
{
	struct subscription *sub = kmemdup(like, sizeof(*like), GFP_KERNEL_ACCOUNT);

	if (!sub)
		return NULL;
	INIT_LIST_HEAD(&sub->of_object);
	INIT_LIST_HEAD(&sub->pending);
	sub->key = obj ? cxr_devx_event_key(event, &obj->id) : event;
	sub->num = obj ? obj->id.num : 0;
	return sub;
}

/* Those that nobody has seen yet */
static void free_subscriptions(struct list_head *subs)
{
	struct subscription *sub, *next;

	list_for_each_entry_safe(sub, next, subs, of_file)
		free_subscription(&sub->rcu);
}

/* All or none. Each subscription holds the file, and the eventfd. */
static int subscribe(const struct subscription *like, const u16 *events, int n, int signal_fd,
		     struct cxr_ib_devx_obj *obj)
{
	struct cxr_ib_devx *devx = like->file->dev->devx;
	struct subscription *sub;
	unsigned int *count;
	LIST_HEAD(subs);
	int i, err = 0;

	for (i = 0; i < n && !err; i++) {
		sub = new_subscription(like, events[i], obj);
		if (!sub) {
			err = -ENOMEM;
			break;
		}
		uverbs_uobject_get(&sub->file->uobj);
		list_add_tail(&sub->of_file, &subs);
		if (signal_fd < 0)
			continue;
		sub->signal = eventfd_ctx_fdget(signal_fd);
		if (IS_ERR(sub->signal)) {
			err = PTR_ERR(sub->signal);
			sub->signal = NULL;
		}
	}
	if (err) {
		free_subscriptions(&subs);
		return err;
	}

	mutex_lock(&devx->lock);
	/* Interrupts walk them. */
	count = obj ? &obj->n_subs : &like->file->n_device_subs;
	if (*count + n > SUBS_MAX) {
		mutex_unlock(&devx->lock);
		free_subscriptions(&subs);
		return -ENOSPC;
	}
	*count += n;
	list_for_each_entry(sub, &subs, of_file) {
		hash(devx, sub);
		sub->obj = obj;
		if (obj)
			list_add_tail(&sub->of_object, &obj->subs);
	}
	list_splice_tail(&subs, &like->file->subs);
	mutex_unlock(&devx->lock);
	return 0;
}

/* The event goes to an eventfd, or has a cookie. */
static int read_receiver(struct uverbs_attr_bundle *attrs, struct subscription *like,
			 int *signal_fd)
{
	*signal_fd = -1;
	if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM)) {
		if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE))
			return -EINVAL;
		if (uverbs_copy_from(signal_fd, attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM))
			return -EFAULT;
		return *signal_fd < 0 ? -EBADF : 0;
	}
	if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE))
		return uverbs_copy_from(&like->cookie, attrs,
					MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE);
	return 0;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *object =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE);
	struct ib_uobject *file =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE);
	struct cxr_ib_ucontext *ctx = rdma_udata_to_drv_context(&attrs->driver_udata,
								struct cxr_ib_ucontext, ibucontext);
	struct cxr_ib_devx_obj *obj = IS_ERR(object) ? NULL : object->object;
	struct subscription like = {};
	int i, n, signal_fd, err;
	const u16 *events;

	if (IS_ERR(file))
		return PTR_ERR(file);
	if (!ctx->uid)
		return -EINVAL;
	like.file = container_of(file, struct cxr_ib_event_file, uobj);
	err = read_receiver(attrs, &like, &signal_fd);
	if (err)
		return err;
	n = uverbs_attr_ptr_get_array_size(attrs,
					   MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST,
					   sizeof(*events));
	if (n < 0)
		return n;
	events = uverbs_attr_get_alloced_ptr(attrs,
					     MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST);
	if (n > EVENTS_MAX)
		return -EINVAL;
	for (i = 0; i < n; i++)
		if (!cxr_devx_event_allowed(user_events(like.file->dev), events[i], obj) ||
		    (obj && !cxr_devx_event_fits(events[i], &obj->id))) {
			ibdev_dbg(ctx->ibucontext.device, "DEVX: no subscription of event %#x\n",
				  events[i]);
			return -EINVAL;
		}
	return subscribe(&like, events, n, signal_fd, obj);
}

/* ---- the file ---- */

static int
UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC)(struct uverbs_attr_bundle *attrs)
	__context_unsafe("nobody else knows it yet")
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE);
	struct cxr_ib_event_file *file = container_of(uobj, struct cxr_ib_event_file, uobj);
	struct cxr_ib_ucontext *ctx = rdma_udata_to_drv_context(&attrs->driver_udata,
								struct cxr_ib_ucontext, ibucontext);
	u32 flags;
	int err;

	err = uverbs_get_flags32(&flags, attrs, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS,
				 MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA);
	if (err)
		return err;
	file->dev = to_cxr_dev(ctx->ibucontext.device);
	file->cookies_only = flags & MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA;
	INIT_LIST_HEAD(&file->subs);
	file->n_device_subs = 0;
	spin_lock_init(&file->lock);
	INIT_LIST_HEAD(&file->events);
	file->queued = 0;
	init_waitqueue_head(&file->wait);
	file->lost = false;
	file->gone = false;
	return 0;
}

/* Nothing comes any more, and nobody reads. */
static void drop_events(struct cxr_ib_event_file *file)
{
	struct subscription *sub, *next_sub;
	struct event *event, *next;

	spin_lock_irq(&file->lock);
	file->gone = true;
	if (file->cookies_only) {
		list_for_each_entry_safe(sub, next_sub, &file->events, pending)
			list_del_init(&sub->pending);
	} else {
		list_for_each_entry_safe(event, next, &file->events, entry)
			kfree(event);
		INIT_LIST_HEAD(&file->events);
	}
	wake_up_all(&file->wait);
	spin_unlock_irq(&file->lock);
}

static void destroy_file(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	struct cxr_ib_event_file *file = container_of(uobj, struct cxr_ib_event_file, uobj);
	struct cxr_ib_devx *devx = file->dev->devx;
	struct subscription *sub, *next;

	drop_events(file);
	mutex_lock(&devx->lock);
	list_for_each_entry_safe(sub, next, &file->subs, of_file) {
		unhash(devx, sub);
		list_del(&sub->of_object);
		if (sub->obj)
			sub->obj->n_subs--;
		list_del(&sub->of_file);
		call_rcu(&sub->rcu, free_subscription);
	}
	mutex_unlock(&devx->lock);
}

/* What a program reads next: a cookie, or an event. */
union next {
	__aligned_u64 cookie;
	struct event *event;
};

static int take_next(struct cxr_ib_event_file *file, size_t count, bool wait, union next *next)
{
	struct subscription *sub;
	int err = 0;

	spin_lock_irq(&file->lock);
	if (file->lost) {
		file->lost = false;
		err = -EOVERFLOW;
	} else if (list_empty(&file->events) && !wait) {
		err = -EAGAIN;
	} else {
		err = wait_event_interruptible_lock_irq(file->wait,
							!list_empty(&file->events) || file->gone,
							file->lock);
	}
	if (!err && file->gone)
		err = -EIO;
	if (!err && count < (file->cookies_only ? sizeof(next->cookie) : EVENT_BYTES))
		err = -EINVAL;
	if (err)
		goto out;
	if (file->cookies_only) {
		sub = list_first_entry(&file->events, struct subscription, pending);
		list_del_init(&sub->pending);
		next->cookie = sub->cookie;
	} else {
		next->event = list_first_entry(&file->events, struct event, entry);
		list_del(&next->event->entry);
		file->queued--;
	}
out:
	spin_unlock_irq(&file->lock);
	return err;
}

static ssize_t read_file(struct file *opened, char __user *buf, size_t count, loff_t *pos)
{
	struct cxr_ib_event_file *file = opened->private_data;
	union next next;
	int err;

	err = take_next(file, count, !(opened->f_flags & O_NONBLOCK), &next);
	if (err)
		return err;
	if (file->cookies_only)
		return copy_to_user(buf, &next.cookie, sizeof(next.cookie)) ? -EFAULT :
									      sizeof(next.cookie);
	err = copy_to_user(buf, &next.event->cookie, EVENT_BYTES) ? -EFAULT : 0;
	kfree(next.event);
	return err ?: (ssize_t)EVENT_BYTES;
}

static __poll_t poll_file(struct file *opened, struct poll_table_struct *table)
{
	struct cxr_ib_event_file *file = opened->private_data;
	__poll_t events = 0;

	poll_wait(opened, &file->wait, table);
	spin_lock_irq(&file->lock);
	if (file->gone)
		events = EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	else if (!list_empty(&file->events))
		events = EPOLLIN | EPOLLRDNORM;
	spin_unlock_irq(&file->lock);
	return events;
}

static const struct file_operations event_fops = {
	.owner = THIS_MODULE,
	.read = read_file,
	.poll = poll_file,
	.release = uverbs_uobject_fd_release,
};

/* ---- methods ---- */

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT,
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE,
					   MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, UVERBS_ACCESS_READ,
					   UA_MANDATORY),
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE,
					    MLX5_IB_OBJECT_DEVX_OBJ, UVERBS_ACCESS_READ,
					    UA_OPTIONAL),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST,
					       UVERBS_ATTR_MIN_SIZE(sizeof(u16)), UA_MANDATORY,
					       UA_ALLOC_AND_COPY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE,
					       UVERBS_ATTR_TYPE(u64), UA_OPTIONAL),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM,
					       UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

ADD_UVERBS_METHODS(event_methods, MLX5_IB_OBJECT_DEVX,
		   &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC,
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE,
					   MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, UVERBS_ACCESS_NEW,
					   UA_MANDATORY),
			    UVERBS_ATTR_FLAGS_IN(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS,
						 enum mlx5_ib_uapi_devx_create_event_channel_flags,
						 UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD,
			    UVERBS_TYPE_ALLOC_FD(sizeof(struct cxr_ib_event_file), destroy_file,
						 &event_fops, "[devx_async_event]", O_RDONLY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC));

const struct uapi_definition cxr_ib_devx_event_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(MLX5_IB_OBJECT_DEVX, &event_methods,
				UAPI_DEF_IS_OBJ_SUPPORTED(cxr_ib_has_devx)),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD,
				      UAPI_DEF_IS_OBJ_SUPPORTED(cxr_ib_has_devx)),
	{}
};
