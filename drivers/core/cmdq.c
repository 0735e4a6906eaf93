// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The command queue: converts input and output to entries and chains of mailboxes, waits for
 * completion, and translates the status. The rest of the driver uses cxr_cmd() only.
 *
 * A command ends in one of three ways; whoever removes it from q->ent[] under q->lock decides:
 *
 *	event or poll	cxr_cmdq_complete(): the device returned the slot
 *	timeout		expire(): the slot is lost, the device has failed
 *	abort		cxr_cmdq_abort(): the device has failed, the slot is lost
 *
 * The device may still write to the mailboxes of a lost slot; they stay allocated until bus
 * mastering is disabled (cxr_cmdq_down()).
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>

#include "prm/cmdif.h"
#include "prm/obj.h"
#include "../codec/mbox.h"
#include "core.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define RING_BYTES	4096
#define SLOT_BLOCKS	2	/* mailboxes of a slot in each direction */
#define EVENT_TIMEOUT	HZ	/* without an event, poll the slot */
#define EVENT_GRACE	(HZ / 4)	/* the slot is done: the event may be on its way */
#define GONE_CHECK	(HZ / 10)

static unsigned int timeout_ms = 60000;

static int set_timeout(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;

	if (kstrtouint(val, 10, &ms) || ms < 100 || ms > 600000) {
		pr_err("cxr_core: cmd_timeout_ms=%.32s: must be 100 to 600000\n", val);
		return -EINVAL;
	}
	WRITE_ONCE(timeout_ms, ms);
	return 0;
}

static const struct kernel_param_ops timeout_ops = {
	.set = set_timeout,
	.get = param_get_uint,
};

module_param_cb(cmd_timeout_ms, &timeout_ops, &timeout_ms, 0644);
MODULE_PARM_DESC(cmd_timeout_ms,
		 "Firmware command timeout in ms, then the device is marked as failed (default 60000)");

struct mbox {
	struct prm_mbox_block *block;
	dma_addr_t dma;
};

struct chain {
	struct list_head lost;
	bool kept;		/* of a slot, with memory for SLOT_BLOCKS */
	u32 n;
	struct mbox box[];
};

struct cxr_cmd_slot {
	struct chain *in, *out;
};

struct cmd_ent {
	struct chain *in, *out;	/* see pick_chain() */
	u8 slot;
	u8 token;
	bool lost;		/* the device may still write to slot and chains */
	struct completion done;
};

struct text {
	u16 number;
	const char *text;
};

#define NAME_ROW(name, number)		{ number, #name },
#define TEXT_ROW(name, number, text)	{ number, text },

static const struct text op_names[] = { PRM_CMD_LIST(NAME_ROW) };
static const struct text status_texts[] = { PRM_STATUS_LIST(TEXT_ROW) };
static const struct text delivery_texts[] = { PRM_DELIVERY_LIST(TEXT_ROW) };

static const char *find_text(const struct text *texts, size_t n, u16 number)
{
	while (n--) {
		if (texts[n].number == number)
			return texts[n].text;
	}
	return "unknown";
}

const char *cxr_cmd_name(u16 op)
{
	return find_text(op_names, ARRAY_SIZE(op_names), op);
}

static const char *status_text(u8 status)
{
	return find_text(status_texts, ARRAY_SIZE(status_texts), status);
}

static const char *delivery_text(u8 delivery)
{
	return find_text(delivery_texts, ARRAY_SIZE(delivery_texts), delivery);
}

static int status_errno(u8 status)
{
	switch (status) {
	case PRM_STATUS_OK:
		return 0;
	case PRM_STATUS_BAD_OP:
		return -EOPNOTSUPP;
	case PRM_STATUS_RES_BUSY:
		return -EBUSY;
	case PRM_STATUS_NOT_READY:
		return -EAGAIN;
	case PRM_STATUS_LIM:
	case PRM_STATUS_NO_RES:
		return -ENOMEM;
	case PRM_STATUS_BAD_PARAM:
	case PRM_STATUS_BAD_RES:
	case PRM_STATUS_BAD_RES_STATE:
	case PRM_STATUS_IX:
	case PRM_STATUS_BAD_QP_STATE:
	case PRM_STATUS_BAD_PKT:
	case PRM_STATUS_BAD_SIZE_OUTS_CQES:
		return -EINVAL;
	default:
		/* internal error, bad system state, bad lengths, or unknown */
		return -EIO;
	}
}

static struct prm_cmdq_entry *entry_at(const struct cxr_cmdq *q, u8 slot)
{
	return (void *)q->ring + ((size_t)slot << q->log_stride);
}

/*
 * ---- mailbox chains --------------------------------------------------------------------------
 *
 * Each slot has chains of SLOT_BLOCKS mailboxes, so that no command that ends an object needs
 * memory: if it failed, the object would stay in the device. Longer chains, for messages with lists
 * of pages and the like, are allocated for one command; MANAGE_PAGES may fail for want of them.
 */

static void free_chain(struct cxr_cmdq *q, struct chain *chain)
{
	u32 i;

	if (!chain)
		return;

	for (i = 0; i < chain->n; i++)
		dma_pool_free(q->pool, chain->box[i].block, chain->box[i].dma);
	kvfree(chain);
}

static struct chain *alloc_chain(struct cxr_cmdq *q, u32 n)
{
	struct chain *chain = kvzalloc(struct_size(chain, box, n), GFP_KERNEL);
	struct mbox *box;

	if (!chain)
		return ERR_PTR(-ENOMEM);

	while (chain->n < n) {
		box = &chain->box[chain->n];
		box->block = dma_pool_zalloc(q->pool, GFP_KERNEL, &box->dma);
		if (!box->block) {
			free_chain(q, chain);
			return ERR_PTR(-ENOMEM);
		}
		chain->n++;
	}
	return chain;
}

/* Mailboxes for a message of @len bytes if those of a slot are too few, otherwise NULL */
static struct chain *alloc_long(struct cxr_cmdq *q, u32 len)
{
	u32 n = cxr_mbox_blocks(len);

	return n > SLOT_BLOCKS ? alloc_chain(q, n) : NULL;
}

static void free_long(struct cxr_cmdq *q, struct chain *chain)
{
	if (chain && !chain->kept)
		free_chain(q, chain);
}

/* The chain for @len bytes: @own of alloc_long(), else @kept of the slot, or NULL for none */
static struct chain *pick_chain(struct chain *own, struct chain *kept, u32 len)
{
	u32 n = cxr_mbox_blocks(len);

	if (own || !n)
		return own;
	kept->n = n;
	return kept;
}

static void fill_chain(struct chain *chain, const void *msg, u32 len, u8 token)
{
	u32 i;

	for (i = 0; chain && i < chain->n; i++) {
		u64 next = i + 1 < chain->n ? chain->box[i + 1].dma : 0;

		cxr_mbox_fill(chain->box[i].block, msg, len, i, next, token);
		cxr_mbox_sign(chain->box[i].block);
	}
}

static u64 chain_dma(const struct chain *chain)
{
	return chain ? chain->box[0].dma : 0;
}

/* ---- one command ----------------------------------------------------------------------------- */

/* False: there is no queue. Else it stays until leave(). */
static bool enter(struct cxr_cmdq *q)
{
	unsigned long flags;
	bool up;

	spin_lock_irqsave(&q->lock, flags);
	up = q->up;
	q->running += up;
	spin_unlock_irqrestore(&q->lock, flags);
	return up;
}

static void leave(struct cxr_cmdq *q)
{
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	if (!--q->running)
		wake_up(&q->idle);
	spin_unlock_irqrestore(&q->lock, flags);
}

static bool is_idle(struct cxr_cmdq *q)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&q->lock, flags);
	idle = !q->running;
	spin_unlock_irqrestore(&q->lock, flags);
	return idle;
}

/* The caller holds the semaphore, so there is a free slot. */
static int reserve_slot(struct cxr_dev *dev, struct cmd_ent *ent, bool pages)
{
	struct cxr_cmdq *q = &dev->cmdq;
	u32 usable = BIT(q->slots - 1) - 1;
	unsigned long flags;
	u32 idle;
	int err = 0;

	spin_lock_irqsave(&q->lock, flags);
	idle = ~q->busy & (pages ? BIT(q->slots - 1) : usable);
	if (!q->up || !idle || cxr_core_dead(&dev->core)) {
		err = -ENODEV;
	} else {
		ent->slot = __ffs(idle);
		ent->token = ++q->token ?: ++q->token;
		q->busy |= BIT(ent->slot);
		q->issued++;
	}
	spin_unlock_irqrestore(&q->lock, flags);
	return err;
}

/*
 * The slot of a chain is lost: its own chains stay with it, which is not used again, and a longer
 * one is left to cxr_cmdq_down().
 */
static void lose_chain(struct cxr_cmdq *q, struct chain **chain)
	__must_hold(&q->lock)
{
	if (*chain && !(*chain)->kept)
		list_add(&(*chain)->lost, &q->lost);
	*chain = NULL;
}

static void release_slot(struct cxr_cmdq *q, struct cmd_ent *ent)
{
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	if (!ent->lost) {
		q->busy &= ~BIT(ent->slot);
	} else {
		lose_chain(q, &ent->in);
		lose_chain(q, &ent->out);
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

static int issue_cmd(struct cxr_dev *dev, struct cmd_ent *ent, const void *in, u32 inlen,
		     const void *out, u32 outlen)
{
	struct prm_cmdq_entry *slot = entry_at(&dev->cmdq, ent->slot);
	struct prm_cmdq_entry entry = {
		.type = PRM_CMDQ_TYPE_PCI,
		.inlen = cpu_to_be32(inlen),
		.in_ptr = cpu_to_be64(chain_dma(ent->in)),
		.out_ptr = cpu_to_be64(chain_dma(ent->out)),
		.outlen = cpu_to_be32(outlen),
		.token = ent->token,
		.status_own = PRM_CMDQ_OWN_HW,
	};
	unsigned long flags;
	bool dead;

	memcpy(entry.in, in, min_t(u32, inlen, CXR_CMD_INLINE));
	fill_chain(ent->in, in, inlen, ent->token);
	fill_chain(ent->out, out, outlen, ent->token);
	cxr_cmd_entry_sign(&entry);

	entry.status_own = 0;
	*slot = entry;
	dma_wmb();	/* the entry and its mailboxes, then the ownership */
	WRITE_ONCE(slot->status_own, PRM_CMDQ_OWN_HW);

	/*
	 * Events for this slot are accepted from now on. Either cxr_cmdq_abort() finds the command
	 * here, or we find the device dead.
	 */
	spin_lock_irqsave(&dev->cmdq.lock, flags);
	dead = cxr_core_dead(&dev->core);
	if (!dead)
		dev->cmdq.ent[ent->slot] = ent;
	spin_unlock_irqrestore(&dev->cmdq.lock, flags);
	if (dead)
		return -ENODEV;

	wmb();		/* memory, then the doorbell */
	iowrite32be(BIT(ent->slot), &dev->iseg->cmd_dbell);
	return 0;
}

/* The command timed out. False: it has completed just now. */
static bool expire(struct cxr_cmdq *q, struct cmd_ent *ent)
{
	unsigned long flags;
	bool ours;

	spin_lock_irqsave(&q->lock, flags);
	ours = q->ent[ent->slot] == ent;
	if (ours) {
		q->ent[ent->slot] = NULL;
		q->timed_out++;
		ent->lost = true;
	}
	spin_unlock_irqrestore(&q->lock, flags);
	return ours;
}

/* Polls the slot; if the event is only late, waits for it a little longer. */
static bool poll_slot(struct cxr_dev *dev, struct cmd_ent *ent, u16 op,
		      cxr_cmdq_recover_fn *recover)
{
	bool lost;

	if (READ_ONCE(entry_at(&dev->cmdq, ent->slot)->status_own) & PRM_CMDQ_OWN_HW)
		return try_wait_for_completion(&ent->done);

	if (recover) {
		if (wait_for_completion_timeout(&ent->done, EVENT_GRACE))
			return true;
		dev->cmdq.polled++;
		lost = recover(dev);
		dev_warn_ratelimited(dev->core.dev, "%s: missed %s, recovered by polling\n",
				     cxr_cmd_name(op), lost ? "interrupt" : "event");
	}
	cxr_cmdq_complete(dev, BIT(ent->slot));
	return try_wait_for_completion(&ent->done);
}

/* Waits for the event if there is a command EQ, and polls if there is none or no event comes. */
static int wait_done(struct cxr_dev *dev, struct cmd_ent *ent, u16 op)
{
	unsigned int timeout = READ_ONCE(timeout_ms);
	unsigned long deadline = jiffies + msecs_to_jiffies(timeout);
	unsigned long check = jiffies + GONE_CHECK;
	struct cxr_cmdq *q = &dev->cmdq;
	unsigned int nap = 20;
	cxr_cmdq_recover_fn *recover;

	for (;;) {
		recover = READ_ONCE(q->recover);
		if (recover) {
			if (wait_for_completion_timeout(&ent->done, EVENT_TIMEOUT))
				break;
		} else {
			usleep_range(nap, 2 * nap);
			nap = min(2 * nap, 1000U);
		}

		if (poll_slot(dev, ent, op, recover))
			break;

		if (time_after(jiffies, check)) {
			check = jiffies + GONE_CHECK;
			if (cxr_core_gone(dev))
				cxr_core_fail(dev, "no response");
		}

		if (time_after(jiffies, deadline) && expire(q, ent)) {
			dev_err(dev->core.dev, "%s (%#x): timed out after %u ms\n",
				cxr_cmd_name(op), op, timeout);
			cxr_core_fail(dev, "a command timed out");
			return -ETIMEDOUT;
		}
	}
	return ent->lost ? -ENODEV : 0;
}

/* A refused command need not have written its mailboxes. */
static int copy_output(struct cxr_dev *dev, const struct cmd_ent *ent, u16 op, void *out,
		       u32 outlen)
{
	const struct prm_cmdq_entry *slot = entry_at(&dev->cmdq, ent->slot);
	const struct prm_mbox_out *head = out;
	u8 delivery = slot->status_own >> 1;
	u32 i;

	if (delivery != PRM_DELIVERY_OK) {
		dev_err_ratelimited(dev->core.dev, "%s (%#x): delivery failed: %s (%#x)\n",
				    cxr_cmd_name(op), op, delivery_text(delivery), delivery);
		return -EIO;
	}

	memcpy(out, slot->out, min_t(u32, outlen, CXR_CMD_INLINE));
	if (prm_get(head, status) != PRM_STATUS_OK)
		return 0;

	for (i = 0; ent->out && i < ent->out->n; i++)
		cxr_mbox_read(ent->out->box[i].block, out, outlen, i);
	return 0;
}

/* Between enter() and leave() */
static int run_cmd(struct cxr_dev *dev, u16 op, const void *in, u32 inlen, void *out, u32 outlen)
{
	bool pages = op == PRM_OP_manage_pages;
	struct cxr_cmdq *q = &dev->cmdq;
	struct semaphore *sem = pages ? &q->pages_sem : &q->sem;
	struct cmd_ent ent = {};
	int err;

	ent.in = alloc_long(q, inlen);
	if (IS_ERR(ent.in))
		return PTR_ERR(ent.in);
	ent.out = alloc_long(q, outlen);
	if (IS_ERR(ent.out)) {
		err = PTR_ERR(ent.out);
		goto err_free_in;
	}
	init_completion(&ent.done);

	down(sem);
	err = reserve_slot(dev, &ent, pages);
	if (err)
		goto err_up;
	ent.in = pick_chain(ent.in, q->slot[ent.slot].in, inlen);
	ent.out = pick_chain(ent.out, q->slot[ent.slot].out, outlen);

	if (trace_cxr_cmd_input_enabled())
		trace_cxr_cmd_input(dev_name(dev->core.dev), cxr_cmd_name(op), op, in, inlen);
	err = issue_cmd(dev, &ent, in, inlen, out, outlen);
	if (!err)
		err = wait_done(dev, &ent, op);
	if (!err)
		err = copy_output(dev, &ent, op, out, outlen);
	release_slot(q, &ent);
err_up:
	up(sem);
	free_long(q, ent.out);
err_free_in:
	free_long(q, ent.in);
	return err;
}

int cxr_cmd_try(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen)
{
	const struct prm_mbox_in *head_in = in;
	const struct prm_mbox_out *head_out = out;
	struct cxr_dev *dev = to_dev(core);
	u16 op = prm_get(head_in, opcode);
	u64 ns = 0;
	u64 start;
	int err;

	might_sleep();
	memset(out, 0, outlen);
	if (cxr_core_dead(core) || !enter(&dev->cmdq))
		return -ENODEV;

	start = ktime_get_ns();
	err = run_cmd(dev, op, in, inlen, out, outlen);
	leave(&dev->cmdq);
	ns = ktime_get_ns() - start;
	if (!err)
		err = status_errno(prm_get(head_out, status));

	if (ns > dev->cmdq.longest_ns) {
		dev->cmdq.longest_ns = ns;
		dev->cmdq.longest_op = op;
	}
	if (trace_cxr_cmd_enabled())
		trace_cxr_cmd(dev_name(core->dev), cxr_cmd_name(op), op,
			      prm_get(head_out, status), prm_get(head_out, syndrome), ns, err);
	return err;
}

int cxr_cmd_try_user(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen)
{
	struct cxr_cmdq *q = &to_dev(core)->cmdq;
	int err;

	err = down_killable(&q->user_sem);
	if (err)
		return err;
	err = cxr_cmd_try(core, in, inlen, out, outlen);
	up(&q->user_sem);
	return err;
}

void cxr_cmd_report(struct cxr_core *core, const void *in, const void *out)
{
	const struct prm_mbox_out *head_out = out;
	const struct prm_mbox_in *head_in = in;
	u16 op = prm_get(head_in, opcode);
	u8 status = prm_get(head_out, status);

	if (status == PRM_STATUS_OK)
		return;
	to_dev(core)->cmdq.refused++;
	dev_warn_ratelimited(core->dev,
			     "%s (%#x) of %#x, modifier %#x, refused: %s (status %#x, syndrome %#x)\n",
			     cxr_cmd_name(op), op, be32_to_cpu(head_in->dw[2]),
			     prm_get(head_in, op_mod), status_text(status), status,
			     prm_get(head_out, syndrome));
}

int cxr_cmd_exec(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen)
{
	int err = cxr_cmd_try(core, in, inlen, out, outlen);

	if (err)
		cxr_cmd_report(core, in, out);
	return err;
}

void cxr_cmdq_complete(struct cxr_dev *dev, u32 slots)
{
	struct cxr_cmdq *q = &dev->cmdq;
	unsigned long bits = slots;
	unsigned long flags;
	struct cmd_ent *ent;
	unsigned int slot;

	spin_lock_irqsave(&q->lock, flags);
	for_each_set_bit(slot, &bits, CXR_CMD_SLOTS_MAX) {
		ent = slot < q->slots ? q->ent[slot] : NULL;
		if (!ent || READ_ONCE(entry_at(q, slot)->status_own) & PRM_CMDQ_OWN_HW) {
			q->spurious++;
			continue;
		}
		dma_rmb();	/* the ownership, then the output */
		q->ent[slot] = NULL;
		complete(&ent->done);
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

void cxr_cmdq_abort(struct cxr_dev *dev)
{
	struct cxr_cmdq *q = &dev->cmdq;
	unsigned long flags;
	unsigned int slot;

	spin_lock_irqsave(&q->lock, flags);
	for (slot = 0; slot < CXR_CMD_SLOTS_MAX; slot++) {
		if (!q->ent[slot])
			continue;
		q->ent[slot]->lost = true;
		complete(&q->ent[slot]->done);
		q->ent[slot] = NULL;
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

void cxr_cmdq_use_events(struct cxr_dev *dev, cxr_cmdq_recover_fn *recover)
{
	WRITE_ONCE(dev->cmdq.recover, recover);
}

void *cxr_cmd_alloc_in(size_t fixed, const struct cxr_pas *pas, size_t *len)
{
	__be64 *list;
	void *in;
	u32 i;

	*len = fixed + pas->n * sizeof(*list);
	in = kvzalloc(*len, GFP_KERNEL);
	if (!in)
		return NULL;

	list = in + fixed;
	for (i = 0; i < pas->n; i++)
		list[i] = cpu_to_be64(pas->dma[i]);
	return in;
}

/* ---- bring-up -------------------------------------------------------------------------------- */

static int read_geometry(struct cxr_dev *dev)
{
	u32 rev = ioread32be(&dev->iseg->cmdif_rev_fw_sub) >> 16;
	u32 size = ioread32be(&dev->iseg->cmdq_addr_l_sz) & 0xff;
	struct cxr_cmdq *q = &dev->cmdq;
	u8 log_slots = size >> 4;

	if (rev != PRM_CMDIF_REV) {
		dev_err(dev->core.dev, "unsupported command interface revision %u, driver supports %u\n",
			rev, PRM_CMDIF_REV);
		return -EOPNOTSUPP;
	}

	q->log_stride = size & 0xf;
	if (!log_slots || BIT(log_slots) > CXR_CMD_SLOTS_MAX ||
	    q->log_stride < ilog2(sizeof(struct prm_cmdq_entry)) ||
	    BIT(log_slots + q->log_stride) > RING_BYTES) {
		dev_err(dev->core.dev,
			"command queue of 2^%u entries of 2^%u bytes: unsupported geometry\n",
			log_slots, q->log_stride);
		return -EPROTO;
	}
	q->slots = BIT(log_slots);
	return 0;
}

static void free_kept(struct cxr_cmdq *q, struct chain *chain)
{
	if (chain)
		chain->n = SLOT_BLOCKS;
	free_chain(q, chain);
}

static void free_slots(struct cxr_cmdq *q)
{
	u8 i;

	for (i = 0; i < q->slots; i++) {
		free_kept(q, q->slot[i].in);
		free_kept(q, q->slot[i].out);
	}
	kfree(q->slot);
}

static struct chain *alloc_kept(struct cxr_cmdq *q)
{
	struct chain *chain = alloc_chain(q, SLOT_BLOCKS);

	if (IS_ERR(chain))
		return NULL;
	chain->kept = true;
	return chain;
}

static int alloc_slots(struct cxr_cmdq *q)
{
	u8 i;

	q->slot = kcalloc(q->slots, sizeof(*q->slot), GFP_KERNEL);
	if (!q->slot)
		return -ENOMEM;
	for (i = 0; i < q->slots; i++) {
		q->slot[i].in = alloc_kept(q);
		q->slot[i].out = alloc_kept(q);
		if (!q->slot[i].in || !q->slot[i].out) {
			free_slots(q);
			return -ENOMEM;
		}
	}
	return 0;
}

int cxr_cmdq_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_cmdq *q = &dev->cmdq;
	struct device *device = dev->core.dev;
	int err;

	err = cxr_core_wait_ready(dev);
	if (err)
		return err;
	err = read_geometry(dev);
	if (err)
		return err;

	sema_init(&q->sem, q->slots - 1);
	sema_init(&q->pages_sem, 1);
	sema_init(&q->user_sem, max(1, q->slots / 2));
	context_unsafe(q->busy = 0);

	q->ring = dma_alloc_coherent(device, RING_BYTES, &q->dma, GFP_KERNEL);
	if (!q->ring)
		return -ENOMEM;
	q->pool = dma_pool_create("cxr_mbox", device, sizeof(struct prm_mbox_block), PRM_MBOX_ALIGN,
				  0);
	if (!q->pool) {
		err = -ENOMEM;
		goto err_free_ring;
	}
	err = alloc_slots(q);
	if (err)
		goto err_destroy_pool;

	err = cxr_core_enable_dma(dev);
	if (err)
		goto err_free_slots;
	/* The low half also has the NIC interface bits; 0: full driver. */
	iowrite32be(upper_32_bits(q->dma), &dev->iseg->cmdq_addr_h);
	iowrite32be(lower_32_bits(q->dma), &dev->iseg->cmdq_addr_l_sz);
	err = cxr_core_wait_ready(dev);
	if (err)
		goto err_clear_master;

	WRITE_ONCE(q->up, true);
	return 0;

err_clear_master:
	pci_clear_master(dev->core.pdev);
err_free_slots:
	free_slots(q);
err_destroy_pool:
	dma_pool_destroy(q->pool);
err_free_ring:
	dma_free_coherent(device, RING_BYTES, q->ring, q->dma);
	return err;
}

static void free_lost(struct cxr_cmdq *q)
	__context_unsafe("no command is issued any more")
{
	struct chain *chain, *next;

	list_for_each_entry_safe(chain, next, &q->lost, lost) {
		list_del(&chain->lost);
		free_chain(q, chain);
	}
}

void cxr_cmdq_down(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_cmdq *q = &dev->cmdq;
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	WRITE_ONCE(q->up, false);
	spin_unlock_irqrestore(&q->lock, flags);
	/* Of those outside the stages: they are answered, aborted, or time out. */
	wait_event(q->idle, is_idle(q));

	/* A device that did not finish its commands cannot write to memory after this. */
	pci_clear_master(dev->core.pdev);
	free_lost(q);
	free_slots(q);
	cxr_bufs_free_kept(dev);
	dma_pool_destroy(q->pool);
	dma_free_coherent(dev->core.dev, RING_BYTES, q->ring, q->dma);
}
