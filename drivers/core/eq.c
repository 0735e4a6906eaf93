// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Event queues, and the CQs that report through them.
 *
 * Up to four EQs share MSI-X vector 0: for command completions, page requests (unless the device
 * sends none), page faults (from the first memory on that can have some), and all other events but
 * completions. Each completion vector has an EQ of its own. CQs are
 * looked up by number under RCU; cxr_cq_destroy() waits for both handlers that may have found one,
 * and for poll_vector().
 */
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/eqe.h"
#include "prm/obj.h"
#include "cxr/fault.h"
#include "cxr/health.h"
#include "eswitch.h"
#include "trace.h"

#define EQE_BYTES	sizeof(struct prm_eqe)
/* entries per interrupt; arming raises another interrupt for the rest */
#define EQ_BUDGET	256
/* entries between updates of the consumer index, so that the queue does not overrun */
#define EQ_CI_EVERY	64
#define LOG_CMD_EQ	7		/* more than twice the number of slots */
#define LOG_PAGES_EQ	7
#define LOG_FAULTS_EQ	13		/* as in-tree: 4096, and some to spare */

#define ASYNC_EVENTS (BIT_ULL(PRM_EVENT_PATH_MIG) | BIT_ULL(PRM_EVENT_COMM_EST) | \
		      BIT_ULL(PRM_EVENT_SQ_DRAINED) | \
		      BIT_ULL(PRM_EVENT_CQ_ERROR) | BIT_ULL(PRM_EVENT_WQ_CATAS_ERROR) | \
		      BIT_ULL(PRM_EVENT_PATH_MIG_FAILED) | BIT_ULL(PRM_EVENT_PORT_CHANGE) | \
		      BIT_ULL(PRM_EVENT_WQ_INVAL_REQ_ERROR) | BIT_ULL(PRM_EVENT_WQ_ACCESS_ERROR) | \
		      BIT_ULL(PRM_EVENT_SRQ_CATAS_ERROR) | BIT_ULL(PRM_EVENT_SRQ_LAST_WQE) | \
		      BIT_ULL(PRM_EVENT_SRQ_RQ_LIMIT))

/* ---- polling --------------------------------------------------------------------------------- */

static struct prm_eqe *eqe_at(struct cxr_eq *eq, u32 i)
{
	return cxr_buf_at(&eq->buf, (i & (BIT(eq->log_size) - 1)) * EQE_BYTES);
}

/* The next entry, or NULL. Valid until the consumer index is updated. */
static const struct prm_eqe *next_eqe(struct cxr_eq *eq)
{
	const struct prm_eqe *eqe = eqe_at(eq, eq->ci);

	if (!cxr_eqe_sw_owned(READ_ONCE(eqe->owner), eq->ci, eq->log_size))
		return NULL;

	dma_rmb();	/* the owner bit, then the rest */
	eq->ci++;
	return eqe;
}

static void dispatch_comp(struct cxr_eq *eq, const struct prm_eqe *eqe,
			  const struct cxr_event *event)
{
	struct cxr_cq *cq;

	rcu_read_lock();
	cq = xa_load(&eq->dev->eqs.cqs, event->num);
	if (cq && cq->vector == eq->vector - 1) {
		if (cq->comp_eqe)
			cq->comp_eqe(cq, eqe);
		else
			cq->comp(cq);
	} else {
		dev_dbg_ratelimited(eq->dev->core.dev,
				    "completion event for CQ %#x, not on vector %d\n", event->num,
				    eq->vector - 1);
	}
	rcu_read_unlock();
}

static void dispatch_cq_error(struct cxr_dev *dev, const struct cxr_event *event)
{
	const char *what = "unknown error";
	struct cxr_cq *cq;

	if (event->syndrome == 1)
		what = "overrun";
	else if (event->syndrome == 2)
		what = "access violation";
	dev_warn_ratelimited(dev->core.dev, "CQ %#x: %s (%#x)\n", event->num, what,
			     event->syndrome);
	rcu_read_lock();
	cq = xa_load(&dev->eqs.cqs, event->num);
	if (cq && cq->error)
		cq->error(cq, event->syndrome);
	rcu_read_unlock();
}

/* Interrupt context: receivers queue work for anything that needs a command. */
static void dispatch(struct cxr_eq *eq, const struct prm_eqe *eqe, const struct cxr_event *event)
{
	struct cxr_dev *dev = eq->dev;

	switch (event->kind) {
	case CXR_EVENT_COMP:
		dispatch_comp(eq, eqe, event);
		break;
	case CXR_EVENT_CMD:
		cxr_cmdq_complete(dev, event->vector);
		break;
	case CXR_EVENT_PAGES:
		cxr_pages_request(dev, event->func, event->pages);
		break;
	case CXR_EVENT_VPORT:
		cxr_eswitch_event(dev, event->num);
		break;
	case CXR_EVENT_CQ_ERROR:
		dispatch_cq_error(dev, event);
		break;
	case CXR_EVENT_HEALTH:
		dev_warn_ratelimited(dev->core.dev, "device warning: event %#x, subtype %#x\n",
				     event->type, event->subtype);
		break;
	case CXR_EVENT_PORT:
		if (event->port != 1) {
			dev_warn_ratelimited(dev->core.dev,
					     "event for nonexistent port %u\n",
					     event->port);
			break;
		}
		fallthrough;
	case CXR_EVENT_QP:
	case CXR_EVENT_SQ:
	case CXR_EVENT_RQ:
	case CXR_EVENT_SRQ:
	case CXR_EVENT_DCT_DRAINED:
		cxr_clients_dispatch(dev, event);
		break;
	case CXR_EVENT_DCT:	/* its initiators learn what is wrong */
		break;
	}
}

/* Some that only programs want may be unknown. */
static bool is_user_event(const struct cxr_dev *dev, u8 event)
{
	const struct cxr_caps *caps = &dev->core.caps;

	if (event == PRM_EVENT_DCT_KEY_VIOLATION)
		return caps->dct;
	return caps->event_cap && (cxr_devx_event_allowed(&caps->user_events, event, false) ||
				   cxr_devx_event_allowed(&caps->user_events, event, true));
}

/* Returns the number of entries consumed. */
static unsigned int drain(struct cxr_eq *eq)
{
	const struct prm_eqe *eqe;
	struct cxr_event event;
	unsigned int n = 0;
	int err;

	if (!smp_load_acquire(&eq->live))	/* pairs with start_eq() */
		return 0;

	while (n < EQ_BUDGET && (eqe = next_eqe(eq))) {
		memset(&event, 0, sizeof(event));
		err = cxr_event_decode(eqe, &event);
		trace_cxr_event(dev_name(eq->dev->core.dev), eq->name, event.type, event.subtype,
				event.num, err);
		if (eq == &eq->dev->eqs.async[CXR_EQ_ASYNC])
			cxr_clients_dispatch_eqe(eq->dev, eqe);
		if (err && !is_user_event(eq->dev, event.type))
			dev_warn_ratelimited(eq->dev->core.dev,
					     "%s EQ: unknown event %#x, subtype %#x\n", eq->name,
					     event.type, event.subtype);
		else if (!err)
			dispatch(eq, eqe, &event);
		if (!(++n % EQ_CI_EVERY))
			cxr_uar_update_eq(eq->dev->uar, eq->eqn, eq->ci, false);
	}

	/* Without an entry the interrupt was for another EQ, and this one is still armed. */
	if (n) {
		eq->events += n;
		cxr_uar_update_eq(eq->dev->uar, eq->eqn, eq->ci, true);
	}
	return n;
}

/* As above, of page faults. What the client does not take stays in the queue, not armed. */
static unsigned int drain_faults(struct cxr_eq *eq)
{
	const struct prm_eqe *eqe;
	unsigned int n = 0;
	bool taken = true;

	if (!smp_load_acquire(&eq->live))	/* pairs with start_eq() */
		return 0;

	while (n < EQ_BUDGET && (eqe = next_eqe(eq))) {
		taken = eq->dev->eqs.take_fault(eq->dev->eqs.fault_priv, eqe);
		if (!taken) {
			eq->ci--;
			break;
		}
		trace_cxr_event(dev_name(eq->dev->core.dev), eq->name, eqe->type, eqe->sub_type,
				0, 0);
		if (!(++n % EQ_CI_EVERY))
			cxr_uar_update_eq(eq->dev->uar, eq->eqn, eq->ci, false);
	}

	eq->events += n;
	if (n || !taken)
		cxr_uar_update_eq(eq->dev->uar, eq->eqn, eq->ci, taken);
	return n;
}

static unsigned int drain_async(struct cxr_dev *dev)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < CXR_EQ_FAULTS; i++)
		n += drain(&dev->eqs.async[i]);
	return n + drain_faults(&dev->eqs.async[CXR_EQ_FAULTS]);
}

static irqreturn_t async_irq(int irq, void *data)
{
	drain_async(data);
	return IRQ_HANDLED;
}

static irqreturn_t comp_irq(int irq, void *data)
{
	drain(data);
	return IRQ_HANDLED;
}

/* ---- missed interrupts ----------------------------------------------------------------------- */

/*
 * Does the work of the interrupt handler. An EQ is armed for one interrupt: if that is missed, no
 * other comes until the EQ is drained and armed again.
 */
static unsigned int poll_vector(struct cxr_dev *dev, int vector)
{
	unsigned int n = 0;
	int irq;

	mutex_lock(&dev->eqs.poll_lock);
	/* The first to come and the last to go. A command may still wait for an event of it. */
	if (!dev->eqs.async[CXR_EQ_CMD].live)
		goto unlock;
	irq = dev->eqs.vectors[vector].irq;
	disable_irq(irq);
	/*
	 * The context of the handler, which is a thread with PREEMPT_RT: its locks sleep there.
	 * Softirqs that it raises run at local_bh_enable().
	 */
	local_bh_disable();
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		local_irq_disable();
	n = vector ? drain(&dev->eqs.comp[vector - 1]) : drain_async(dev);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		local_irq_enable();
	local_bh_enable();
	enable_irq(irq);
unlock:
	mutex_unlock(&dev->eqs.poll_lock);
	return n;
}

/* cxr_cmdq_recover_fn */
static bool recover(struct cxr_dev *dev)
{
	return poll_vector(dev, 0);
}

/*
 * The next entry was there at the last check already. Under poll_lock, as that for page faults may
 * come and go meanwhile: stop_eq() takes it before the EQ goes.
 */
static bool is_stuck(struct cxr_eq *eq)
{
	bool before;
	u32 ci;

	if (!smp_load_acquire(&eq->live))	/* pairs with start_eq() */
		return false;
	ci = READ_ONCE(eq->ci);
	before = eq->pending && eq->checked_ci == ci;
	eq->checked_ci = ci;
	eq->pending = cxr_eqe_sw_owned(READ_ONCE(eqe_at(eq, ci)->owner), ci, eq->log_size);
	return before && eq->pending;
}

/* Of the EQs of a vector. */
static bool any_stuck(struct cxr_dev *dev, struct cxr_eq *eqs, int n)
{
	bool stuck = false;
	int i;

	mutex_lock(&dev->eqs.poll_lock);
	for (i = 0; i < n; i++)
		stuck |= is_stuck(&eqs[i]);
	mutex_unlock(&dev->eqs.poll_lock);
	return stuck;
}

void cxr_eq_poll_missed(struct cxr_dev *dev)
{
	int i;

	if (any_stuck(dev, dev->eqs.async, CXR_ASYNC_EQS) && poll_vector(dev, 0))
		dev_warn_ratelimited(dev->core.dev,
				     "vector 0: missed interrupt, recovered by polling\n");
	for (i = 0; i < dev->core.comp_vectors; i++) {
		if (any_stuck(dev, &dev->eqs.comp[i], 1) && poll_vector(dev, i + 1))
			dev_warn_ratelimited(dev->core.dev,
					     "vector %d: missed interrupt, recovered by polling\n",
					     i + 1);
	}
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* Events that user contexts may have, but for those that have an EQ of their own. */
static void add_user_events(const struct cxr_dev *dev, struct prm_create_eq_in *in, u64 events)
{
	const struct cxr_devx_events *user = &dev->core.caps.user_events;
	u64 own = BIT_ULL(PRM_EVENT_COMP) | BIT_ULL(PRM_EVENT_CMD) |
		  BIT_ULL(PRM_EVENT_PAGE_REQUEST) | BIT_ULL(PRM_EVENT_PAGE_FAULT);

	prm_set64(in, event_bitmask[0],
		  events | ((user->affiliated[0] | user->unaffiliated[0]) & ~own));
	prm_set64(in, event_bitmask[1], user->affiliated[1] | user->unaffiliated[1]);
	prm_set64(in, event_bitmask[2], user->affiliated[2] | user->unaffiliated[2]);
	prm_set64(in, event_bitmask[3], user->affiliated[3] | user->unaffiliated[3]);
}

static int create_eq(struct cxr_eq *eq, u64 events)
{
	struct cxr_pas pas = cxr_buf_pas(&eq->buf);
	struct cxr_dev *dev = eq->dev;
	struct prm_create_eq_out out;
	struct prm_create_eq_in *in;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), &pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, eq_context_entry.log_eq_size, eq->log_size);
	prm_set(in, eq_context_entry.uar_page, dev->uar->index);
	prm_set(in, eq_context_entry.intr, eq->vector);
	prm_set(in, eq_context_entry.log_page_size, pas.log_size - PRM_PAGE_SHIFT);
	/* CQs of user contexts report to an EQ for completions. */
	if (!events && dev->core.caps.log_max_uctx)
		prm_set(in, uid, PRM_UID_SHARED);
	prm_set64(in, event_bitmask[0], events);
	if (eq == &dev->eqs.async[CXR_EQ_ASYNC])
		add_user_events(dev, in, events);
	err = cxr_cmd_len(&dev->core, create_eq, in, len, &out, sizeof(out));
	if (!err)
		eq->eqn = prm_get(&out, eq_number);
	kvfree(in);
	return err;
}

/* It must not fill up between two updates of the consumer index. */
static u8 log_size_of(const struct cxr_dev *dev, enum cxr_size size)
{
	return order_base_2(max_t(u32, dev->sizes[size], 2 * EQ_CI_EVERY));
}

static int start_eq(struct cxr_dev *dev, struct cxr_eq *eq, const char *name, u8 log_size,
		    int vector, u64 events)
{
	u32 i;
	int err;

	eq->dev = dev;
	eq->name = name;
	eq->log_size = min(log_size, dev->core.caps.log_max_eq_sz);
	eq->vector = vector;
	eq->ci = 0;
	eq->pending = false;
	err = cxr_buf_alloc(&dev->core, &eq->buf, EQE_BYTES << eq->log_size);
	if (err)
		return err;
	for (i = 0; i < BIT(eq->log_size); i++)
		eqe_at(eq, i)->owner = 1;

	err = create_eq(eq, events);
	if (err) {
		cxr_buf_free(&dev->core, &eq->buf);
		return err;
	}
	smp_store_release(&eq->live, true);	/* all of the above, then the handler may poll */
	cxr_uar_update_eq(dev->uar, eq->eqn, 0, true);
	return 0;
}

static void stop_eq(struct cxr_eq *eq)
{
	struct cxr_dev *dev = eq->dev;
	struct prm_destroy_eq_in in = {};
	struct prm_destroy_eq_out out;

	mutex_lock(&dev->eqs.poll_lock);
	WRITE_ONCE(eq->live, false);
	mutex_unlock(&dev->eqs.poll_lock);
	cxr_irq_sync(dev, eq->vector);
	prm_set(&in, eq_number, eq->eqn);
	if (cxr_cmd_refusal(&dev->core, cxr_cmd(&dev->core, destroy_eq, &in, &out)))
		cxr_buf_keep(&dev->core, &eq->buf);
	cxr_buf_free(&dev->core, &eq->buf);
}

static void stop_comp(struct cxr_dev *dev, int n)
{
	while (n--) {
		stop_eq(&dev->eqs.comp[n]);
		cxr_irq_free(dev, n + 1, &dev->eqs.comp[n]);
	}
	kfree(dev->eqs.comp);
	dev->eqs.comp = NULL;
}

static int start_one_comp(struct cxr_dev *dev, int n)
{
	struct cxr_eq *eq = &dev->eqs.comp[n];
	int err;

	err = cxr_irq_request(dev, n + 1, comp_irq, eq);
	if (err)
		return err;
	err = start_eq(dev, eq, "comp", log_size_of(dev, CXR_SIZE_IO_EQ), n + 1, 0);
	if (err)
		cxr_irq_free(dev, n + 1, eq);
	return err;
}

/* Sets comp_vectors to what the device has. */
static int start_comp(struct cxr_dev *dev)
{
	int err = 0;
	int i;

	dev->eqs.comp = kcalloc(dev->core.comp_vectors, sizeof(*dev->eqs.comp), GFP_KERNEL);
	if (!dev->eqs.comp)
		return -ENOMEM;

	for (i = 0; i < dev->core.comp_vectors; i++) {
		err = start_one_comp(dev, i);
		if (err)
			break;
	}
	/* The device may have fewer EQs than it says, or other functions may have taken them. */
	if (err && i && !cxr_core_dead(&dev->core)) {
		dev_warn(dev->core.dev, "%d completion vectors instead of %d: %pe\n", i,
			 dev->core.comp_vectors, ERR_PTR(err));
		dev->core.comp_vectors = i;
		err = 0;
	}
	if (err)
		stop_comp(dev, i);
	return err;
}

static int start_pages_eq(struct cxr_dev *dev)
{
	if (!dev->core.caps.page_requests)
		return 0;
	return start_eq(dev, &dev->eqs.async[CXR_EQ_PAGES], "pages", LOG_PAGES_EQ, 0,
			BIT_ULL(PRM_EVENT_PAGE_REQUEST));
}

static void stop_pages_eq(struct cxr_dev *dev)
{
	if (!dev->core.caps.page_requests)
		return;
	stop_eq(&dev->eqs.async[CXR_EQ_PAGES]);
	cxr_pages_flush(dev);
}

u32 cxr_eq_async(const struct cxr_dev *dev)
{
	return CXR_ASYNC_EQS - !dev->core.caps.page_requests - !dev->core.caps.odp;
}

int cxr_eq_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_eq *async = dev->eqs.async;
	int err;

	err = cxr_irq_request(dev, 0, async_irq, dev);
	if (err)
		return err;
	err = start_eq(dev, &async[CXR_EQ_CMD], "cmd", LOG_CMD_EQ, 0, BIT_ULL(PRM_EVENT_CMD));
	if (err)
		goto err_free_irq;
	cxr_cmdq_use_events(dev, recover);
	err = start_eq(dev, &async[CXR_EQ_ASYNC], "async", log_size_of(dev, CXR_SIZE_EVENT_EQ), 0,
		       ASYNC_EVENTS | dev->more_events);
	if (err)
		goto err_stop_cmd;
	err = start_pages_eq(dev);
	if (err)
		goto err_stop_async;
	err = start_comp(dev);
	if (err)
		goto err_stop_pages;
	return 0;

err_stop_pages:
	stop_pages_eq(dev);
err_stop_async:
	stop_eq(&async[CXR_EQ_ASYNC]);
err_stop_cmd:
	cxr_cmdq_use_events(dev, NULL);
	stop_eq(&async[CXR_EQ_CMD]);
err_free_irq:
	cxr_irq_free(dev, 0, dev);
	return err;
}

void cxr_eq_down(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_eq *async = dev->eqs.async;

	stop_comp(dev, dev->core.comp_vectors);
	stop_pages_eq(dev);
	stop_eq(&async[CXR_EQ_ASYNC]);
	cxr_cmdq_use_events(dev, NULL);
	stop_eq(&async[CXR_EQ_CMD]);
	cxr_irq_free(dev, 0, dev);
}

/* ---- page faults ----------------------------------------------------------------------------- */

int cxr_faults_start(struct cxr_core *core, bool (*take)(void *priv, const struct prm_eqe *eqe),
		     void *priv)
{
	struct cxr_dev *dev = to_dev(core);

	dev->eqs.take_fault = take;
	dev->eqs.fault_priv = priv;
	return start_eq(dev, &dev->eqs.async[CXR_EQ_FAULTS], "faults", LOG_FAULTS_EQ, 0,
			BIT_ULL(PRM_EVENT_PAGE_FAULT));
}
EXPORT_SYMBOL_GPL(cxr_faults_start);

void cxr_faults_stop(struct cxr_core *core)
{
	stop_eq(&to_dev(core)->eqs.async[CXR_EQ_FAULTS]);
}
EXPORT_SYMBOL_GPL(cxr_faults_stop);

void cxr_faults_poll(struct cxr_core *core)
{
	poll_vector(to_dev(core), 0);
}
EXPORT_SYMBOL_GPL(cxr_faults_poll);

struct cxr_comp_eq cxr_comp_eq(const struct cxr_core *core, int vector)
{
	const struct cxr_eq *eq = &to_dev(core)->eqs.comp[vector];

	return (struct cxr_comp_eq){
		.eqn = eq->eqn,
		.ci = READ_ONCE(eq->ci),
		.size = BIT(eq->log_size),
	};
}
EXPORT_SYMBOL_GPL(cxr_comp_eq);

int cxr_comp_vector(const struct cxr_core *core, u8 eqn)
{
	int i;

	for (i = 0; i < core->comp_vectors; i++)
		if (to_dev(core)->eqs.comp[i].eqn == eqn)
			return i;
	return -ENOENT;
}
EXPORT_SYMBOL_GPL(cxr_comp_vector);

/* ---- CQs ------------------------------------------------------------------------------------- */

static int destroy_cq(struct cxr_core *core, const struct cxr_cq *cq)
{
	struct prm_destroy_cq_in in = {};
	struct prm_destroy_cq_out out;

	prm_set(&in, uid, cq->uid);
	prm_set(&in, cqn, cq->cqn);
	return cxr_cmd_refusal(core, cxr_cmd(core, destroy_cq, &in, &out));
}

static void fill_cq_memory(struct prm_cqc *cqc, enum cxr_cqe_size cqe_size, u8 log_size,
			   const struct cxr_pas *pas)
{
	static const u8 sizes[] = {
		[CXR_CQE_64] = PRM_CQE_SZ_64,
		[CXR_CQE_128] = PRM_CQE_SZ_128,
		[CXR_CQE_64_PADDED] = PRM_CQE_SZ_128_PAD,
	};

	prm_set(cqc, cqe_sz, sizes[cqe_size]);
	prm_set(cqc, log_cq_size, log_size);
	prm_set(cqc, log_page_size, pas->log_size - PRM_PAGE_SHIFT);
}

static int create_cq(struct cxr_core *core, const struct cxr_cq_attr *attr, u8 eqn, u32 *cqn)
{
	static const u8 formats[] = {
		[CXR_CQE_ZIP_HASH] = PRM_MINI_CQE_HASH,
		[CXR_CQE_ZIP_CSUM] = PRM_MINI_CQE_CSUM,
		[CXR_CQE_ZIP_CSUM_STRIDE] = PRM_MINI_CQE_CSUM_STRIDE,
	};
	struct prm_create_cq_out out;
	struct prm_create_cq_in *in;
	struct prm_cqc *cqc;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), &attr->pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, attr->uid);
	cqc = prm_sub(in, cq_context, cqc);
	fill_cq_memory(cqc, attr->cqe_size, attr->log_size, &attr->pas);
	prm_set(cqc, cqe_comp_en, attr->zip != CXR_CQE_ZIP_OFF);
	prm_set(cqc, mini_cqe_res_format, formats[attr->zip]);
	prm_set(cqc, oi, attr->overrun_ignore);
	prm_set(cqc, uar_page, attr->uar);
	prm_set(cqc, cq_period, attr->period);
	prm_set(cqc, cq_max_count, attr->max_count);
	prm_set(cqc, c_eqn_or_apu_element, eqn);
	prm_set64(cqc, dbr_addr, attr->db_dma);
	err = cxr_cmd_len(core, create_cq, in, len, &out, sizeof(out));
	if (!err)
		*cqn = prm_get(&out, cqn);
	kvfree(in);
	return err;
}

int cxr_cq_register(struct cxr_core *core, struct cxr_cq *cq)
{
	int err;

	err = xa_insert(&to_dev(core)->eqs.cqs, cq->cqn, cq, GFP_KERNEL);
	if (err != -EBUSY)
		return err;
	dev_err(core->dev, "device returned CQ number %#x, which is in use\n", cq->cqn);
	return -EPROTO;
}
EXPORT_SYMBOL_GPL(cxr_cq_register);

void cxr_cq_unregister(struct cxr_core *core, struct cxr_cq *cq)
{
	struct cxr_dev *dev = to_dev(core);

	xa_erase(&dev->eqs.cqs, cq->cqn);
	mutex_lock(&dev->eqs.poll_lock);
	mutex_unlock(&dev->eqs.poll_lock);
	cxr_irq_sync(dev, cq->vector + 1);
	cxr_irq_sync(dev, 0);
}
EXPORT_SYMBOL_GPL(cxr_cq_unregister);

int cxr_cq_create(struct cxr_core *core, struct cxr_cq *cq, const struct cxr_cq_attr *attr)
{
	struct cxr_dev *dev = to_dev(core);
	int err;

	if (attr->vector < 0 || attr->vector >= core->comp_vectors)
		return -EINVAL;

	err = create_cq(core, attr, dev->eqs.comp[attr->vector].eqn, &cq->cqn);
	if (err)
		return err;

	cq->vector = attr->vector;
	cq->uid = attr->uid;
	err = cxr_cq_register(core, cq);
	if (err && err != -EPROTO)	/* that would destroy the other CQ */
		destroy_cq(core, cq);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cq_create);

int cxr_cq_destroy(struct cxr_core *core, struct cxr_cq *cq)
{
	/* Before the device frees the number, which the next CQ may get. */
	cxr_cq_unregister(core, cq);
	return destroy_cq(core, cq);
}
EXPORT_SYMBOL_GPL(cxr_cq_destroy);

int cxr_cq_moderate(struct cxr_core *core, struct cxr_cq *cq, u16 period, u16 max_count)
{
	struct prm_modify_cq_in in = {};
	struct prm_modify_cq_out out;

	prm_set(&in, uid, cq->uid);
	prm_set(&in, cqn, cq->cqn);
	prm_set(&in,
		modify_field_select_resize_field_select.modify_field_select.modify_field_select,
		PRM_MODIFY_CQ_PERIOD | PRM_MODIFY_CQ_MAX_COUNT);
	prm_set(&in, cq_context.cq_period, period);
	prm_set(&in, cq_context.cq_max_count, max_count);
	return cxr_cmd(core, modify_cq, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cq_moderate);

int cxr_cq_query_status(struct cxr_core *core, const struct cxr_cq *cq, u8 *status)
{
	struct prm_query_cq_in in = {};
	struct prm_query_cq_out out;
	int err;

	prm_set(&in, cqn, cq->cqn);
	err = cxr_cmd(core, query_cq, &in, &out);
	if (!err)
		*status = prm_get(&out, cq_context.status);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cq_query_status);

int cxr_cq_resize(struct cxr_core *core, struct cxr_cq *cq, enum cxr_cqe_size cqe_size,
		  u8 log_size, const struct cxr_pas *pas)
{
	struct prm_modify_cq_out out;
	struct prm_modify_cq_in *in;
	size_t len;
	int err;

	in = cxr_cmd_alloc_in(sizeof(*in), pas, &len);
	if (!in)
		return -ENOMEM;

	prm_set(in, uid, cq->uid);
	prm_set(in, op_mod, PRM_RESIZE_CQ);
	prm_set(in, cqn, cq->cqn);
	prm_set(in,
		modify_field_select_resize_field_select.resize_field_select.resize_field_select,
		PRM_RESIZE_CQ_LOG_SIZE | PRM_RESIZE_CQ_PAGE_OFFSET | PRM_RESIZE_CQ_PAGE_SIZE);
	fill_cq_memory(prm_sub(in, cq_context, cqc), cqe_size, log_size, pas);
	err = cxr_cmd_len(core, modify_cq, in, len, &out, sizeof(out));
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cq_resize);
