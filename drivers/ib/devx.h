/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * DEVX: objects of the device that programs make themselves, by commands that they compose. The
 * device keeps those of one context from another's by the number of the context ("uid"), which the
 * driver puts into each command; objects of verbs have it as well, so that one kind can refer to
 * the other. libmlx5 asks for it whenever it opens a device.
 *
 * The driver decides which commands a program may send and in which way, and compares the number of
 * the object in them with that of the handle (drivers/codec/devx.c, a table). It sets the bits that
 * say "this memory is a umem's", so that an address in a command is not used as one; a umem is
 * memory of the program that the driver pins. How an object is destroyed is fixed when it is
 * created.
 *
 * The device refuses to destroy what another object uses. Of verbs, that may be an object that the
 * driver does not know: while the context has such objects (cxr_ib_devx_holds()) a refusal is
 * returned, and the object stays; a QP is in reset by then. When the process ends, ib_core destroys
 * its objects, the newest first. What the device does not take back then, since an older object
 * uses it, loses its handle, but not its memory, and is tried again before each object of verbs and
 * when the context goes (cxr_ib_devx_settle()).
 *
 * Events reach a program by a file: each event of the asynchronous EQ is looked up by its number,
 * and the kind and number of its object, in the subscriptions (drivers/ib/devx_event.c).
 */
#ifndef CXR_IB_DEVX_H
#define CXR_IB_DEVX_H

#include <linux/hashtable.h>
#include <linux/mutex.h>

#include "queue.h"

#define CXR_IB_EQE_BYTES 64

/**
 * struct cxr_ib_devx - of an RDMA device with user contexts
 * @public_uid: user context of the driver, for questions of programs that have none; 0: none
 * @queries: runs commands whose answers programs read from a file
 * @lock: serializes subscription and its end, of events and of the objects that have them
 * @subs: subscriptions by event and number of the object; @lock to write, RCU to read
 */
struct cxr_ib_devx {
	u16 public_uid;
	struct workqueue_struct *queries;
	struct mutex lock;		/* subscriptions */
	DECLARE_HASHTABLE(subs, 8);
};

/**
 * struct cxr_ib_left - what the device has to take back; the first member of what it is about
 * @entry: in cxr_ib_ucontext.left, once the device has refused and there is no handle any more
 * @destroy: the command
 * @umem: its memory, or NULL
 */
struct cxr_ib_left {
	struct list_head entry;
	struct cxr_devx_destroy destroy;
	struct ib_umem *umem;
};

/**
 * struct cxr_ib_devx_obj - an object of the device
 * @left: how it is destroyed
 * @dev: the device
 * @ctx: context it belongs to
 * @id: kind and number
 * @counters: flow counters: how many, from the number on; 0: one
 * @parts: of a memory key: of other keys, which faults follow; 0: none
 * @cq: of a CQ with events
 * @has_cq: @cq is registered
 * @target: of a DC target
 * @subs: its subscriptions; cxr_ib_devx.lock
 * @n_subs: how many
 */
struct cxr_ib_devx_obj {
	struct cxr_ib_left left;
	struct cxr_ib_dev *dev;
	struct cxr_ib_ucontext *ctx;
	struct cxr_devx_id id;
	u32 counters;
	u32 parts;
	struct cxr_cq cq;
	bool has_cq;
	struct cxr_ib_target target;
	struct list_head subs;
	unsigned int n_subs;
};

/**
 * struct cxr_ib_async_file - answers of queries that a program reads
 * @uobj: of ib_core
 * @wait: readers; and the destruction, for @running
 * @lock: protects all below
 * @answers: queries that are done, the oldest first
 * @bytes: memory of answers that are not read yet, and of those to come
 * @running: queries that are not done
 * @gone: the context has gone
 */
struct cxr_ib_async_file {
	struct ib_uobject uobj;
	wait_queue_head_t wait;
	spinlock_t lock;		/* answers */
	struct list_head answers __guarded_by(&lock);
	size_t bytes __guarded_by(&lock);
	unsigned int running __guarded_by(&lock);
	bool gone __guarded_by(&lock);
};

/**
 * struct cxr_ib_event_file - events that a program reads
 * @uobj: of ib_core
 * @dev: the device
 * @cookies_only: the program reads the cookie of the subscription, not the event
 * @subs: its subscriptions; cxr_ib_devx.lock
 * @n_device_subs: how many of them are of the device
 * @wait: readers
 * @lock: protects all below; taken in interrupts
 * @events: events to read, or subscriptions, if @cookies_only
 * @queued: how many events
 * @lost: there was no room for an event
 * @gone: the context has gone
 */
struct cxr_ib_event_file {
	struct ib_uobject uobj;
	struct cxr_ib_dev *dev;
	bool cookies_only;
	struct list_head subs;
	unsigned int n_device_subs;
	wait_queue_head_t wait;
	spinlock_t lock;		/* events */
	struct list_head events __guarded_by(&lock);
	unsigned int queued __guarded_by(&lock);
	bool lost __guarded_by(&lock);
	bool gone __guarded_by(&lock);
};

/* devx.c */
/* For UAPI_DEF_IS_OBJ_SUPPORTED(). */
static inline bool cxr_ib_has_devx(struct ib_device *ibdev)
{
	return to_cxr_dev(ibdev)->devx;
}

/*
 * A command of user space, checked, of @len bytes and with an answer of @out_len: it is of this
 * use, and about the object of @uobj, if that is not NULL. Has the number of the context from here
 * on. 0, -EINVAL, or -EOPNOTSUPP: the context has no number.
 */
int cxr_ib_devx_check(struct cxr_ib_ucontext *ctx, void *in, u32 len, u32 out_len,
		      enum cxr_devx_use use, struct ib_uobject *uobj);
/*
 * The handle of an object goes, and @err is what the device said: it took it back, or keeps it
 * until another object has gone. Frees @left and its memory then, or now.
 */
void cxr_ib_devx_end(struct cxr_ib_ucontext *ctx, struct cxr_ib_left *left, int err);
/* An object has a handle; ended by cxr_ib_devx_end(). */
void cxr_ib_devx_add(struct cxr_ib_ucontext *ctx);

/* devx_event.c */
/*
 * Events of the object come to nobody from here on: the device may give its number to another. If
 * it refuses to destroy it, they come again with the second; if not, the third ends it. May sleep.
 */
void cxr_ib_devx_mute(struct cxr_ib_devx_obj *obj);
void cxr_ib_devx_unmute(struct cxr_ib_devx_obj *obj);
void cxr_ib_devx_unsubscribe(struct cxr_ib_devx_obj *obj);
/* Completion of the CQ of an object. Interrupt context. */
void cxr_ib_devx_comp(struct cxr_cq *cq, const struct prm_eqe *eqe);

#endif
