// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Completion queues: rings in guest memory whose entries carry an owner bit that flips on each
 * pass. The consumer index is in the doorbell record, which is read only when the queue appears to
 * be full. Each arming raises one event, at once if the queue already holds a newer completion.
 *
 * A completion is newer if no event has reported it yet. The doorbell that arms the CQ carries the
 * driver's consumer index, and that may be stale: the driver keeps polling while the doorbell is on
 * its way.
 */
#include <string.h>

#include "fault/fault.h"
#include "prm/cqe.h"
#include "prm/obj.h"
#include "queue/compress.h"
#include "queue/queue.h"

#define CQ_ST_ARMED_SOL	0x6
#define CQ_ST_ARMED	0x9
#define CQ_ST_FIRED	0xa

#define CQ_ERROR_OVERRUN 1
#define CQ_PERIOD_FROM_CQE 1
#define CQ_OP_MOD_RESIZE 1

static const uint8_t padding[64];

struct cq {
	struct obj obj;
	struct prm_cqc ctx;		/* as created, moderation as modified */
	struct pages pages;
	struct eq *eq;
	struct obj *uar;
	struct umem *dbr_umem;		/* NULL: the record is in none */
	uint64_t dbr;
	uint32_t size, cqe_bytes, pi, ci;
	uint32_t solicited_pi;		/* one after the last solicited completion */
	uint32_t notified_pi;		/* one after the last completion that an event reported */
	uint8_t fired_sn, armed_sn;
	bool armed, armed_solicited, fired, overrun_ignore, error;
	uint32_t unreported;		/* completions held back by moderation */
	struct timer moderation;
	struct session *session;	/* NULL: it does not compress */
};

static bool is_after(uint32_t index, uint32_t other)
{
	return (int32_t)((index - other) << 8) > 0;
}

/* ---- completion queues ---- */

uint32_t cq_number(const struct cq *cq)
{
	return cq->obj.num;
}

static void cq_fire(struct cq *cq)
{
	struct prm_eqe_comp comp = { .cqn = cpu_to_be32(cq->obj.num) };

	timer_cancel(&cq->moderation);
	cq->unreported = 0;
	cq->armed = false;
	cq->fired = true;
	cq->fired_sn = cq->armed_sn;
	cq->notified_pi = cq->pi;
	eq_push(cq->eq, PRM_EVENT_COMP, 0, &comp, sizeof(comp));
}

static void cq_period_over(struct timer *timer)
{
	cq_fire(container_of(timer, struct cq, moderation));
}

/*
 * Interrupt moderation: the event is held back until cq_max_count completions or until the period
 * ends, which starts with the first completion or restarts with each one.
 */
static void cq_moderate(struct cq *cq, uint32_t n)
{
	uint32_t count = prm_get(&cq->ctx, cq_max_count), us = prm_get(&cq->ctx, cq_period);

	cq->unreported += n;
	if (!us || (count && cq->unreported >= count))
		cq_fire(cq);
	else if (prm_get(&cq->ctx, cq_period_mode) == CQ_PERIOD_FROM_CQE ||
		 !timer_armed(&cq->moderation))
		timer_arm(&cq->moderation, us * 1000ull);
}

/*
 * Updates the consumer index from guest memory. Between none and all entries are unread, so it is
 * enough to know the index modulo twice the size: DPDK's has only 16 bits.
 */
static bool cq_consumed(struct cq *cq)
{
	struct cxdev *dev = cq->obj.dev;
	struct prm_cq_dbr dbr;
	uint32_t ci, unread;

	if (guest_read(dev, cq->dbr, &dbr, sizeof(dbr)))
		return false;
	ci = be32_to_cpu(dbr.ci) & RING_INDEX_MASK;
	unread = (cq->pi - ci) & (2 * cq->size - 1);
	if (!cq->overrun_ignore && unread > ring_distance(cq->ci, cq->pi)) {
		violation(dev, "CQ 0x%x: consumer index jumps from 0x%x to 0x%x, producer at 0x%x",
			  cq->obj.num, cq->ci, ci, cq->pi);
		return false;
	}
	cq->ci = (cq->pi - unread) & RING_INDEX_MASK;
	return true;
}

/*
 * Beside @waiting completions. Reads the consumer index from guest memory only if the last known
 * one leaves no room.
 */
static bool cq_has_room(struct cq *cq, uint32_t waiting)
{
	if (cq->overrun_ignore || ring_distance(cq->ci, cq->pi) + waiting < cq->size)
		return true;
	return cq_consumed(cq) && ring_distance(cq->ci, cq->pi) + waiting < cq->size;
}

static void session_end(struct cq *cq);

static void cq_overrun(struct cq *cq)
{
	struct prm_eqe_cq_err err = { .cqn = cpu_to_be32(cq->obj.num),
				      .syndrome = CQ_ERROR_OVERRUN };

	session_end(cq);
	cq->error = true;
	cq->obj.dev->hca->vnic.cq_overruns++;
	event_dispatch(cq->obj.dev, PRM_EVENT_CQ_ERROR, 0, &err, sizeof(err));
}

/* How large the CQ of an application is, and whether it is polled, is not the driver's business. */
static void log_overrun(struct cq *cq)
{
	if (cq->obj.uid)
		notice(cq->obj.dev, "application: CQ 0x%x overrun: all %u entries are unread",
		       cq->obj.num, cq->size);
	else
		violation(cq->obj.dev, "CQ 0x%x overrun: all %u entries are unread", cq->obj.num,
			  cq->size);
}

static bool is_error(const struct prm_cqe64 *cqe)
{
	unsigned int opcode = cqe->op_own >> PRM_CQE_OPCODE_SHIFT;

	return opcode == PRM_CQE_REQ_ERR || opcode == PRM_CQE_RESP_ERR;
}

/* Turns a successful completion into the error completion of the same WQE. */
static void make_error(struct prm_cqe64 *cqe, enum prm_cqe_syndrome syndrome)
{
	bool send = cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_REQ;
	struct prm_err_cqe err = {
		.srqn = cqe->srqn,
		.vendor_err_synd = syndrome == PRM_CQE_SYND_WR_FLUSH ? 0xf9 : 0x80 | syndrome,
		.syndrome = syndrome,
		.s_wqe_opcode_qpn = cqe->sop_drop_qpn,
		.wqe_counter = cqe->wqe_counter,
		.op_own = (send ? PRM_CQE_REQ_ERR : PRM_CQE_RESP_ERR) << PRM_CQE_OPCODE_SHIFT,
	};

	memcpy(cqe, &err, sizeof(err));
}

/* Keeps an old index from looking like a new one when the indices wrap. */
static void keep_behind(const struct cq *cq, uint32_t *index)
{
	if (ring_distance(*index, cq->pi) > cq->size)
		*index = (cq->pi - cq->size) & RING_INDEX_MASK;
}

/* Where the completion is in the entry at @index: at its end. */
static uint64_t entry_at(const struct cq *cq, uint32_t index)
{
	return (uint64_t)(index & (cq->size - 1)) * cq->cqe_bytes + cq->cqe_bytes -
	       sizeof(struct prm_cqe64);
}

/* Writes @cqe, and those that it stands for have been. The dword with the owner bit is last. */
static void cq_write(struct cq *cq, struct prm_cqe64 *cqe, uint32_t n)
{
	uint64_t at = entry_at(cq, cq->pi);
	struct cxdev *dev = cq->obj.dev;
	const size_t last = sizeof(*cqe) - 4;
	const uint8_t *p = (const uint8_t *)cqe;
	uint64_t sum = 0, word;
	uint8_t *entry;
	size_t i;

	cqe->op_own = (cqe->op_own & ~1) | (cq->pi & cq->size ? 1 : 0);
	cqe->signature = 0;
	for (i = 0; i < sizeof(*cqe); i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		sum ^= word;
	}
	sum ^= sum >> 32;
	sum ^= sum >> 16;
	cqe->signature = ~(sum ^ sum >> 8);
	if (prm_get(&cq->ctx, cqe_sz) == PRM_CQE_SZ_128_PAD)
		pages_write(dev, &cq->pages, at - sizeof(padding), padding, sizeof(padding));
	entry = pages_ptr(dev, &cq->pages, at, sizeof(*cqe));
	if (entry) {
		memcpy(entry, p, last);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		memcpy(entry + last, p + last, sizeof(*cqe) - last);
	} else {
		pages_write(dev, &cq->pages, at, p, last);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		pages_write(dev, &cq->pages, at + last, p + last, sizeof(*cqe) - last);
	}
	cq->pi = (cq->pi + n) & RING_INDEX_MASK;
	keep_behind(cq, &cq->notified_pi);
	keep_behind(cq, &cq->solicited_pi);
}

/* @n completions were written. */
static void cq_notify(struct cq *cq, uint32_t n, bool solicited)
{
	if (solicited)
		cq->solicited_pi = cq->pi;
	if (cq->armed && (solicited || !cq->armed_solicited))
		cq_moderate(cq, n);
}

/* ---- compression ---- */

static void session_end(struct cq *cq)
{
	struct session *s = cq->session;
	unsigned int i, n, arrays;
	struct prm_cqe64 cqe;

	if (!s || !s->n)
		return;
	timer_cancel(&s->over);
	n = s->n;
	arrays = n > 1 ? (n + PRM_MINI_CQES - 1) / PRM_MINI_CQES : 0;
	for (i = n; i % PRM_MINI_CQES; i++)
		s->mini[i] = (struct prm_mini_cqe){};
	for (i = 0; i < arrays; i++)
		pages_write(cq->obj.dev, &cq->pages, entry_at(cq, cq->pi + session_slot(i)),
			    &s->mini[i * PRM_MINI_CQES], PRM_MINI_CQES * sizeof(s->mini[0]));
	if (n > 1)
		cq->obj.dev->hca->compressed += n;
	session_title(s, &cqe);
	cq_write(cq, &cqe, n);
	s->n = 0;
	cq_notify(cq, n, true);
}

void cq_flush(struct cq *cq)
{
	session_end(cq);
}

static void session_over(struct timer *timer)
{
	session_end(container_of(timer, struct session, over)->cq);
}

/*
 * True: the completion is in the session, which is written when it is full, when a completion comes
 * that it cannot take, or at the end of the round. Only packets that Ethernet queues receive are
 * compressed.
 */
static bool cq_compress(struct cq *cq, const struct obj *queue, const struct prm_cqe64 *cqe)
{
	struct session *s = cq->session;

	if (!s)
		return false;
	if (!queue || queue->type != OBJ_RQ || is_error(cqe)) {
		session_end(cq);
		return false;
	}
	if (!session_takes(s, queue->num, cqe))
		session_end(cq);
	session_add(s, queue->num, cqe);
	if (s->n >= hca_session_max(cq->obj.dev) || s->n == CQE_SESSION_MAX)
		session_end(cq);
	else if (s->n == 1)
		timer_arm(&s->over, 0);
	return true;
}

static bool cq_put(struct cq *cq, const struct obj *queue, struct prm_cqe64 *cqe, bool solicited)
{
	uint64_t now = hca_stamp(cq->obj.dev);

	if (!cq_has_room(cq, cq->session ? cq->session->n : 0)) {
		log_overrun(cq);
		cq_overrun(cq);
		return false;
	}
	/* An error completion has its syndromes in place of the timestamp. */
	if (!is_error(cqe)) {
		cqe->timestamp_h = cpu_to_be32(now >> 32);
		cqe->timestamp_l = cpu_to_be32(now & 0xffffffff);
	}
	if (cq_compress(cq, queue, cqe))
		return true;
	cq_write(cq, cqe, 1);
	cq_notify(cq, 1, solicited);
	return true;
}

/*
 * A fault rule matches a CQ, or the opcode of the completed request. Rules of both kinds count the
 * completion; one that matches the CQ takes precedence.
 */
static enum fault_action fault_of(const struct cq *cq, const struct prm_cqe64 *cqe,
				  uint32_t *syndrome)
{
	enum fault_action by_request = FAULT_NONE, by_queue;
	uint32_t opcode = be32_to_cpu(cqe->sop_drop_qpn) >> 24;

	if (is_error(cqe))
		return FAULT_NONE;
	if (cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_REQ)
		by_request = fault_check(FAULT_REQUEST, cq->obj.dev, opcode, syndrome);
	by_queue = fault_check(FAULT_CQE, cq->obj.dev, cq->obj.num, syndrome);
	return by_queue == FAULT_NONE ? by_request : by_queue;
}

/*
 * By a fault rule. The queue flushes the rest. A receive that was successful may have a flow tag in
 * place of the number of its queue.
 */
static bool push_fault(struct cq *cq, struct obj *queue, struct prm_cqe64 *cqe, uint32_t syndrome)
{
	bool put;

	if (cqe->op_own >> PRM_CQE_OPCODE_SHIFT != PRM_CQE_REQ)
		cqe->sop_drop_qpn = cpu_to_be32(queue->num);
	make_error(cqe, syndrome);
	put = cq_put(cq, queue, cqe, true);
	queue->stop(queue);
	return put;
}

bool cq_push(struct cq *cq, struct obj *queue, struct prm_cqe64 *cqe, bool solicited)
{
	uint32_t syndrome;

	if (cq->error)
		return false;
	switch (fault_of(cq, cqe, &syndrome)) {
	case FAULT_OVERRUN:
		notice(cq->obj.dev, "fault: CQ 0x%x overruns", cq->obj.num);
		cq_overrun(cq);
		return false;
	case FAULT_ERROR:
		return push_fault(cq, queue, cqe, syndrome);
	default:
		return cq_put(cq, queue, cqe, solicited);
	}
}

bool cq_push_error(struct cq *cq, bool send, uint32_t owner, uint32_t op_qpn, uint16_t index,
		   enum prm_cqe_syndrome syndrome)
{
	struct prm_cqe64 cqe = {
		.srqn = cpu_to_be32(owner),
		.sop_drop_qpn = cpu_to_be32(op_qpn),
		.wqe_counter = cpu_to_be16(index),
		.op_own = (send ? PRM_CQE_REQ : PRM_CQE_RESP_SEND) << PRM_CQE_OPCODE_SHIFT,
	};

	make_error(&cqe, syndrome);
	return cq_push(cq, NULL, &cqe, true);
}

/*
 * The arm sequence number changes with each event: a doorbell that repeats the one of the last
 * event is too late.
 *
 * Completions that an event has reported raise no second event, consumed or not, so that a driver
 * that arms first and polls afterwards gets one event for each. A completion that arrived since
 * raises an event at once, whatever the doorbell's consumer index: the doorbell may be late and the
 * driver may have stopped polling.
 */
void cq_arm_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value)
{
	uint32_t num = value & RING_INDEX_MASK;
	struct cq *cq = obj_find(dev, OBJ_CQ, num);
	uint32_t word = value >> 32, ci = word & RING_INDEX_MASK;
	uint8_t sn = word >> PRM_CQ_ARM_SN_SHIFT & 3;
	uint32_t newest;

	if (!cq) {
		if (!gone_has(&dev->hca->gone_cqs, num, uar))
			violation(dev, "CQ doorbell names CQ 0x%x, which does not exist", num);
		return;
	}
	if (cq->uar->num != uar) {
		violation(dev, "CQ 0x%x: doorbell on UAR 0x%x, its own is 0x%x", cq->obj.num, uar,
			  cq->uar->num);
		return;
	}
	if (!cq->overrun_ignore && is_after(ci, cq->pi)) {
		violation(dev, "CQ 0x%x: armed at index 0x%x, the producer is at 0x%x",
			  cq->obj.num, ci, cq->pi);
		return;
	}
	if (cq->fired && sn == cq->fired_sn) {
		trace(dev, "CQ 0x%x: armed again with sequence number %u of the last event",
		      cq->obj.num, sn);
		return;
	}
	cq->armed = true;
	cq->armed_sn = sn;
	cq->armed_solicited = word & PRM_CQ_ARM_SOLICITED;
	newest = cq->armed_solicited ? cq->solicited_pi : cq->pi;
	if (is_after(newest, ci) && is_after(newest, cq->notified_pi))
		cq_fire(cq);
}

static void cq_release(void *obj)
{
	struct cq *cq = obj;

	timer_cancel(&cq->moderation);
	if (cq->session)
		timer_cancel(&cq->session->over);
	obj_put(cq->eq);
	obj_put(cq->uar);
	obj_put(cq->dbr_umem);
	pages_free(&cq->pages);
}

static int refuse_offset(struct cmd *c, const struct prm_cqc *ctx)
{
	return refuse(c, PRM_STATUS_BAD_PARAM, "cqc.page_offset %u must be zero",
		      prm_get(ctx, page_offset));
}

static bool knows_format(const struct cxdev *dev, unsigned int format)
{
	return format == PRM_MINI_CQE_HASH || format == PRM_MINI_CQE_CSUM ||
	       (format == PRM_MINI_CQE_CSUM_STRIDE && hca_stride_index(dev));
}

static int cq_check(struct cmd *c, const struct prm_create_cq_in *in)
{
	const struct prm_cqc *ctx = prm_sub_const(in, cq_context, cqc);

	if (prm_get(ctx, log_cq_size) > 22)
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_cq_size %u is above 22",
			      prm_get(ctx, log_cq_size));
	if (prm_get(ctx, log_page_size) > RING_LOG_PAGE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "cqc.log_page_size %u is above %u",
			      prm_get(ctx, log_page_size), RING_LOG_PAGE_MAX);
	if (prm_get(ctx, page_offset))
		return refuse_offset(c, ctx);
	if (prm_get(ctx, cqe_sz) > PRM_CQE_SZ_128_PAD)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "cqe_sz %u is neither 64 nor 128 bytes, nor 64 padded to 128",
			      prm_get(ctx, cqe_sz));
	if (prm_get(ctx, cc) || prm_get(ctx, apu_cq) || prm_get(ctx, scqe_break_moderation_en))
		return refuse(c, PRM_STATUS_BAD_PARAM, "collapsed CQs are not supported");
	if (!knows_format(c->dev, prm_get(ctx, mini_cqe_res_format)) ||
	    prm_get(ctx, cqe_compression_layout))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "mini_cqe_res_format %u, cqe_compression_layout %u: not advertised",
			      prm_get(ctx, mini_cqe_res_format),
			      prm_get(ctx, cqe_compression_layout));
	if (prm_get(ctx, cqe_comp_en) && prm_get(ctx, cqe_sz) != PRM_CQE_SZ_64)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "only CQEs of 64 bytes are compressed, cqe_sz is %u",
			      prm_get(ctx, cqe_sz));
	if (prm_get(ctx, status) || prm_get(ctx, st) || prm_get(ctx, consumer_counter) ||
	    prm_get(ctx, producer_counter) || prm_get(ctx, last_notified_index) ||
	    prm_get(ctx, last_solicit_index))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "status, st and counters must be zero at creation");
	if (prm_get64(ctx, dbr_addr) & 7)
		return refuse(c, PRM_STATUS_BAD_PARAM, "dbr_addr is not aligned to 8 bytes");
	return 0;
}

static int cq_get_pages(struct cmd *c, struct pages *pages, uint64_t bytes,
			const struct prm_cqc *ctx, const struct umem_part *part, const void *tail)
{
	if (part->valid)
		return pages_get_umem(c, pages, part, bytes, sizeof(struct prm_cqe64), MTT_WRITE,
				      0);
	return pages_get(c, pages, tail, bytes, prm_get(ctx, log_page_size), 0);
}

static int run_create_cq(struct cmd *c)
{
	const struct prm_create_cq_in *in = c->in;
	struct prm_create_cq_out *out = c->out;
	const struct prm_cqc *ctx = prm_sub_const(in, cq_context, cqc);
	const struct umem_part part = { prm_get(in, cq_umem_valid), prm_get(in, cq_umem_id),
					prm_get64(in, cq_umem_offset) };
	const struct umem_part dbr = { prm_get(ctx, dbr_umem_valid), prm_get(ctx, dbr_umem_id),
				       prm_get64(ctx, dbr_addr) };
	struct cq *cq;

	if (cq_check(c, in))
		return -1;
	cq = obj_create(c, OBJ_CQ,
			sizeof(*cq) + (prm_get(ctx, cqe_comp_en) ? sizeof(*cq->session) : 0));
	if (!cq)
		return -1;
	timer_init(&cq->moderation, cq_period_over);
	if (prm_get(ctx, cqe_comp_en)) {
		cq->session = (struct session *)(cq + 1);
		cq->session->cq = cq;
		cq->session->format = prm_get(ctx, mini_cqe_res_format);
		timer_init(&cq->session->over, session_over);
	}
	cq->obj.release = cq_release;
	cq->ctx = *ctx;
	cq->size = 1u << prm_get(ctx, log_cq_size);
	cq->cqe_bytes = prm_get(ctx, cqe_sz) == PRM_CQE_SZ_64 ? 64 : 128;
	cq->overrun_ignore = prm_get(ctx, oi);
	cq->eq = obj_hold(c, OBJ_EQ, prm_get(ctx, c_eqn_or_apu_element),
			  "cqc.c_eqn_or_apu_element");
	cq->uar = cq->eq ? obj_hold(c, OBJ_UAR, prm_get(ctx, uar_page), "cqc.uar_page") : NULL;
	if (!cq->eq || !cq->uar ||
	    dbr_get(c, &dbr, sizeof(struct prm_cq_dbr), part.valid, &cq->dbr_umem, &cq->dbr) ||
	    cq_get_pages(c, &cq->pages, (uint64_t)cq->size * cq->cqe_bytes, ctx, &part,
			 prm_tail_const(in))) {
		obj_free(cq);
		return -1;
	}
	prm_set(out, cqn, cq->obj.num);
	return 0;
}

static int run_destroy_cq(struct cmd *c)
{
	const struct prm_destroy_cq_in *in = c->in;
	struct cq *cq = obj_own(c, OBJ_CQ, prm_get(in, cqn), "cqn");
	uint32_t uar;

	if (!cq)
		return -1;
	session_end(cq);
	uar = cq->uar->num;
	if (obj_destroy(c, cq))
		return -1;
	gone_add(&c->dev->hca->gone_cqs, prm_get(in, cqn), uar);
	return 0;
}

static int run_query_cq(struct cmd *c)
{
	const struct prm_query_cq_in *in = c->in;
	struct prm_query_cq_out *out = c->out;
	struct cq *cq = obj_lookup(c, OBJ_CQ, prm_get(in, cqn), "cqn");
	struct prm_cqc *ctx = prm_sub(out, cq_context, cqc);

	if (!cq)
		return -1;
	session_end(cq);
	cq_consumed(cq);
	*ctx = cq->ctx;
	prm_set(ctx, status, cq->error ? CTX_OVERRUN : CTX_OK);
	prm_set(ctx, st,
		!cq->armed	      ? CQ_ST_FIRED
		: cq->armed_solicited ? CQ_ST_ARMED_SOL
				      : CQ_ST_ARMED);
	prm_set(ctx, consumer_counter, cq->ci);
	prm_set(ctx, producer_counter, cq->pi);
	return 0;
}

enum modify_cq_field {
	CQ_MODIFY_PERIOD = 1,
	CQ_MODIFY_COUNT = 2,
	CQ_MODIFY_OVERRUN = 4,
	CQ_MODIFY_EQN = 8,
	CQ_MODIFY_PERIOD_MODE = 16,
};

enum resize_cq_field {
	CQ_RESIZE_SIZE = 1,
	CQ_RESIZE_PAGE_OFFSET = 2,
	CQ_RESIZE_PAGE_SIZE = 4,
	CQ_RESIZE_UMEM = 8,
};

/*
 * A resize entry ends the old buffer, and the CQ continues in the new one. The driver copies the
 * entries that it has not consumed. They move up by one, because the resize entry takes an index
 * too.
 */
static int cq_move(struct cmd *c, struct cq *cq, struct pages *pages, const struct prm_cqc *ctx)
{
	struct prm_cqe64 cqe = { .op_own = PRM_CQE_RESIZE_CQ << PRM_CQE_OPCODE_SHIFT };
	uint32_t log_size = prm_get(ctx, log_cq_size), unread;

	if (cq->error || !cq_consumed(cq) || ring_distance(cq->ci, cq->pi) >= cq->size)
		return decline(c, PRM_STATUS_BAD_RES_STATE,
			       "CQ 0x%x has no room for the entry that ends it", cq->obj.num);
	unread = ring_distance(cq->ci, cq->pi);
	if (unread >= 1u << log_size)
		return decline(c, PRM_STATUS_BAD_SIZE_OUTS_CQES,
			       "%u completions are unread, the new size is %u", unread,
			       1u << log_size);
	cq_write(cq, &cqe, 1);
	if (is_after(cq->solicited_pi, cq->ci))
		cq->solicited_pi = (cq->solicited_pi + 1) & RING_INDEX_MASK;
	if (is_after(cq->notified_pi, cq->ci))
		cq->notified_pi = (cq->notified_pi + 1) & RING_INDEX_MASK;
	pages_free(&cq->pages);
	cq->pages = *pages;
	cq->size = 1u << log_size;
	prm_set(&cq->ctx, log_cq_size, log_size);
	prm_set(&cq->ctx, log_page_size, prm_get(ctx, log_page_size));
	return 0;
}

static int cq_resize(struct cmd *c, struct cq *cq, const struct prm_cqc *ctx)
{
	const struct prm_modify_cq_in *in = c->in;
	uint32_t fields = prm_get(in, modify_field_select_resize_field_select.resize_field_select
					      .resize_field_select);
	const struct umem_part part = { prm_get(in, cq_umem_valid), prm_get(in, cq_umem_id),
					prm_get64(in, cq_umem_offset) };
	struct pages pages = {};

	if (part.valid)
		fields &= ~CQ_RESIZE_UMEM;
	if (fields != (CQ_RESIZE_SIZE | CQ_RESIZE_PAGE_OFFSET | CQ_RESIZE_PAGE_SIZE))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "resize_field_select 0x%x: size, page offset and page size go together",
			      fields);
	if (prm_get(ctx, log_cq_size) > 22 || prm_get(ctx, log_page_size) > RING_LOG_PAGE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_cq_size %u or log_page_size %u is above 22 or %u",
			      prm_get(ctx, log_cq_size), prm_get(ctx, log_page_size),
			      RING_LOG_PAGE_MAX);
	if (prm_get(ctx, page_offset))
		return refuse_offset(c, ctx);
	if (prm_get(ctx, cqe_sz) != prm_get(&cq->ctx, cqe_sz))
		return refuse(c, PRM_STATUS_BAD_PARAM, "cqe_sz %u: entries are of %u bytes",
			      prm_get(ctx, cqe_sz), cq->cqe_bytes);
	if (cq_get_pages(c, &pages, (uint64_t)cq->cqe_bytes << prm_get(ctx, log_cq_size), ctx,
			 &part, prm_tail_const(in)))
		return -1;
	if (cq_move(c, cq, &pages, ctx)) {
		pages_free(&pages);
		return -1;
	}
	return 0;
}

static int run_modify_cq(struct cmd *c)
{
	const struct prm_modify_cq_in *in = c->in;
	const struct prm_cqc *ctx = prm_sub_const(in, cq_context, cqc);
	uint32_t fields = prm_get(in, modify_field_select_resize_field_select.modify_field_select
					      .modify_field_select);
	struct cq *cq = obj_own(c, OBJ_CQ, prm_get(in, cqn), "cqn");

	if (!cq)
		return -1;
	session_end(cq);
	if (c->op_mod == CQ_OP_MOD_RESIZE)
		return cq_resize(c, cq, ctx);
	if (c->op_mod)
		return refuse(c, PRM_STATUS_BAD_PARAM, "op_mod 0x%x is neither 0 nor 1, resize",
			      c->op_mod);
	if (fields & ~(CQ_MODIFY_PERIOD | CQ_MODIFY_COUNT | CQ_MODIFY_PERIOD_MODE))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "field_select 0x%x: only moderation can be modified", fields);
	if (fields & CQ_MODIFY_PERIOD)
		prm_set(&cq->ctx, cq_period, prm_get(ctx, cq_period));
	if (fields & CQ_MODIFY_COUNT)
		prm_set(&cq->ctx, cq_max_count, prm_get(ctx, cq_max_count));
	if (fields & CQ_MODIFY_PERIOD_MODE)
		prm_set(&cq->ctx, cq_period_mode, prm_get(ctx, cq_period_mode));
	return 0;
}

const struct cmd_desc cmds_cq[] = {
	CMD(create_cq, .tail = true),
	CMD(destroy_cq),
	CMD(query_cq),
	CMD(modify_cq, .tail = true),
	{}
};
