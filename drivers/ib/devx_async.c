// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * DEVX: queries whose answers a program reads from a file. Each is a work item: the command waits
 * there for the device.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#include "devx.h"

#define UVERBS_MODULE_NAME cxr_ib
#include <rdma/uverbs_named_ioctl.h>

#define BYTES_MAX (1024 * 1024)	/* of queries whose answers are not read yet, for each file */

struct query {
	struct list_head entry;		/* async_file.answers */
	struct work_struct work;
	struct cxr_ib_async_file *file;	/* waits for it before it goes */
	struct cxr_core *core;
	void *in;
	u32 len;
	u32 out_len;
	struct mlx5_ib_uapi_devx_async_cmd_hdr answer;	/* out_len bytes follow */
};

/* Memory of a query: its command goes when there is an answer. */
static size_t query_bytes(const struct query *query)
{
	return sizeof(*query) + query->len + query->out_len;
}

static void free_query(struct query *query)
{
	kvfree(query->in);
	kvfree(query);
}

static bool is_gone(struct cxr_ib_async_file *file)
{
	bool gone;

	spin_lock_irq(&file->lock);
	gone = file->gone;
	spin_unlock_irq(&file->lock);
	return gone;
}

static void run_query(struct work_struct *work)
{
	struct query *query = container_of(work, struct query, work);
	struct cxr_ib_async_file *file = query->file;

	/* The answer says how it went. */
	if (!is_gone(file))
		cxr_cmd_user(query->core, query->in, query->len, query->answer.out_data,
			     query->out_len);
	kvfree(query->in);
	query->in = NULL;

	spin_lock_irq(&file->lock);
	list_add_tail(&query->entry, &file->answers);
	file->running--;
	wake_up_all(&file->wait);
	spin_unlock_irq(&file->lock);
}

static int reserve(struct cxr_ib_async_file *file, const struct query *query)
{
	size_t bytes = query_bytes(query);
	int err = 0;

	spin_lock_irq(&file->lock);
	if (file->gone)
		err = -EIO;
	else if (bytes > BYTES_MAX - file->bytes)
		err = -EAGAIN;
	else
		file->bytes += bytes;
	if (!err)
		file->running++;
	spin_unlock_irq(&file->lock);
	return err;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE);
	void *in = uverbs_attr_get_alloced_ptr(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN);
	struct cxr_ib_ucontext *ctx = rdma_udata_to_drv_context(&attrs->driver_udata,
								struct cxr_ib_ucontext, ibucontext);
	struct ib_uobject *file =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD);
	u32 len = uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN);
	struct cxr_ib_dev *dev = to_cxr_dev(ctx->ibucontext.device);
	struct query *query;
	u16 out_len;
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = uverbs_get_const(&out_len, attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN);
	err = err ?: cxr_ib_devx_check(ctx, in, len, out_len, CXR_DEVX_QUERY, uobj);
	if (err)
		return err;
	if (out_len < CXR_DEVX_MIN)
		return -EINVAL;

	query = kvzalloc(struct_size(query, answer.out_data, out_len), GFP_KERNEL_ACCOUNT);
	if (!query)
		return -ENOMEM;
	*query = (struct query){
		.file = container_of(file, struct cxr_ib_async_file, uobj),
		.core = dev->core,
		.in = kvmalloc(len, GFP_KERNEL_ACCOUNT),
		.len = len,
		.out_len = out_len,
	};
	if (!query->in) {
		free_query(query);
		return -ENOMEM;
	}
	memcpy(query->in, in, len);
	err = uverbs_copy_from(&query->answer.wr_id, attrs,
			       MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID);
	err = err ?: reserve(query->file, query);
	if (err) {
		free_query(query);
		return err;
	}
	INIT_WORK(&query->work, run_query);
	queue_work(dev->devx->queries, &query->work);
	return 0;
}

/* ---- the file ---- */

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC)(struct uverbs_attr_bundle *attrs)
	__context_unsafe("nobody else knows it yet")
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE);
	struct cxr_ib_async_file *file = container_of(uobj, struct cxr_ib_async_file, uobj);

	spin_lock_init(&file->lock);
	INIT_LIST_HEAD(&file->answers);
	init_waitqueue_head(&file->wait);
	file->bytes = 0;
	file->running = 0;
	file->gone = false;
	return 0;
}

static bool is_idle(struct cxr_ib_async_file *file)
{
	bool idle;

	spin_lock_irq(&file->lock);
	idle = !file->running;
	spin_unlock_irq(&file->lock);
	return idle;
}

static void destroy_file(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	struct cxr_ib_async_file *file = container_of(uobj, struct cxr_ib_async_file, uobj);
	struct query *query, *next;
	LIST_HEAD(answers);

	spin_lock_irq(&file->lock);
	file->gone = true;
	wake_up_all(&file->wait);
	spin_unlock_irq(&file->lock);
	wait_event(file->wait, is_idle(file));

	spin_lock_irq(&file->lock);
	list_splice_init(&file->answers, &answers);
	spin_unlock_irq(&file->lock);
	list_for_each_entry_safe(query, next, &answers, entry)
		free_query(query);
}

/* The oldest answer, taken from the file, if it has up to @count bytes. ERR_PTR. */
static struct query *take_answer(struct cxr_ib_async_file *file, size_t count, bool wait)
{
	struct query *query;
	int err = 0;

	spin_lock_irq(&file->lock);
	if (list_empty(&file->answers) && !wait)
		err = -EAGAIN;
	else
		err = wait_event_interruptible_lock_irq(file->wait,
							!list_empty(&file->answers) || file->gone,
							file->lock);
	if (!err && file->gone)
		err = -EIO;
	if (err)
		goto out;
	query = list_first_entry(&file->answers, struct query, entry);
	if (sizeof(query->answer) + query->out_len > count) {
		err = -ENOSPC;
		goto out;
	}
	list_del(&query->entry);
	file->bytes -= query_bytes(query);
out:
	spin_unlock_irq(&file->lock);
	return err ? ERR_PTR(err) : query;
}

static ssize_t read_file(struct file *opened, char __user *buf, size_t count, loff_t *pos)
{
	struct query *query;
	ssize_t n;

	query = take_answer(opened->private_data, count, !(opened->f_flags & O_NONBLOCK));
	if (IS_ERR(query))
		return PTR_ERR(query);
	n = sizeof(query->answer) + query->out_len;
	if (copy_to_user(buf, &query->answer, n))
		n = -EFAULT;
	free_query(query);
	return n;
}

static __poll_t poll_file(struct file *opened, struct poll_table_struct *table)
{
	struct cxr_ib_async_file *file = opened->private_data;
	__poll_t events = 0;

	poll_wait(opened, &file->wait, table);
	spin_lock_irq(&file->lock);
	if (file->gone)
		events = EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	else if (!list_empty(&file->answers))
		events = EPOLLIN | EPOLLRDNORM;
	spin_unlock_irq(&file->lock);
	return events;
}

static const struct file_operations async_fops = {
	.owner = THIS_MODULE,
	.read = read_file,
	.poll = poll_file,
	.release = uverbs_uobject_fd_release,
};

/* ---- methods ---- */

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE,
					    UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN,
					       UVERBS_ATTR_MIN_SIZE(CXR_DEVX_MIN), UA_MANDATORY,
					       UA_ALLOC_AND_COPY),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, u16,
						 UA_MANDATORY),
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD,
					   MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, UVERBS_ACCESS_READ,
					   UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID,
					       UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

ADD_UVERBS_METHODS(query_methods, MLX5_IB_OBJECT_DEVX_OBJ,
		   &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC,
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE,
					   MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, UVERBS_ACCESS_NEW,
					   UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD,
			    UVERBS_TYPE_ALLOC_FD(sizeof(struct cxr_ib_async_file), destroy_file,
						 &async_fops, "[devx_async_cmd]", O_RDONLY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC));

const struct uapi_definition cxr_ib_devx_async_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(MLX5_IB_OBJECT_DEVX_OBJ, &query_methods,
				UAPI_DEF_IS_OBJ_SUPPORTED(cxr_ib_has_devx)),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD,
				      UAPI_DEF_IS_OBJ_SUPPORTED(cxr_ib_has_devx)),
	{}
};
