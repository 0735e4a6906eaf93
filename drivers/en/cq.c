// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Completion queues, and errors of queues: what cannot wait goes to a work (reporter.c). */
#include "en.h"

void cxr_en_report(struct cxr_en *en, enum cxr_en_reporter which, const char *why, u32 num,
		   const char *what)
{
	if (cxr_core_dead(en->core))
		return;

	/* one message for each reporter, however many queues fail */
	if (!test_and_set_bit(which, &en->failed))
		netdev_err(en->ndev, "%s %#x: %s\n", why, num, what);
	queue_delayed_work(en->wq, &en->report_work, 0);
}

void cxr_en_cancel_reports(struct cxr_en *en)
{
	cancel_delayed_work(&en->report_work);
	xchg(&en->failed, 0);
}

static void cq_comp(struct cxr_cq *cq)
{
	struct cxr_en_cq *en_cq = container_of(cq, struct cxr_en_cq, cq);

	WRITE_ONCE(en_cq->events, en_cq->events + 1);
	napi_schedule(&en_cq->ch->napi);
}

static void cq_error(struct cxr_cq *cq, u8 syndrome)
{
	struct cxr_en_cq *en_cq = container_of(cq, struct cxr_en_cq, cq);

	cxr_en_report(en_cq->ch->en, en_cq->tx ? CXR_EN_TX : CXR_EN_RX, "completion queue",
		      cq->cqn, syndrome == 1 ? "overrun" : "access error");
}

int cxr_en_cq_create(struct cxr_en_channel *ch, struct cxr_en_cq *cq, u8 log_size, bool tx,
		     const struct cxr_en_moderation *moderation)
{
	struct cxr_core *core = ch->en->core;
	struct cxr_cq_attr attr = {
		.log_size = log_size,
		.uar = ch->en->uar->index,
		.vector = ch->index,
		.zip = !tx && ch->rq.zip ? CXR_CQE_ZIP_CSUM : CXR_CQE_ZIP_OFF,
	};
	unsigned int i;
	int err;

	*cq = (struct cxr_en_cq){
		.cq = { .comp = cq_comp, .error = cq_error },
		.ch = ch,
		.log_size = log_size,
		.tx = tx,
	};
	err = cxr_buf_alloc(core, &cq->buf, 1UL << log_size << CXR_EN_LOG_CQE);
	if (err)
		return err;

	err = cxr_db_alloc(core, &cq->db);
	if (err)
		goto err_free_buf;

	for (i = 0; i < 1U << log_size; i++)
		cxr_cqe_invalidate(cxr_buf_at(&cq->buf, (size_t)i << CXR_EN_LOG_CQE));
	if (core->caps.cq_moderation) {
		cxr_en_moderation_init(cq, moderation);
		cxr_en_moderation_values(tx, moderation, &attr.period, &attr.max_count);
	}
	attr.pas = cxr_buf_pas(&cq->buf);
	attr.db_dma = cq->db.dma;
	err = cxr_cq_create(core, &cq->cq, &attr);
	if (err)
		goto err_free_db;
	return 0;

err_free_db:
	cxr_db_free(core, &cq->db);
err_free_buf:
	cxr_buf_free(core, &cq->buf);
	return err;
}

void cxr_en_cq_destroy(struct cxr_en_cq *cq)
{
	struct cxr_core *core = cq->ch->en->core;

	if (core->caps.cq_moderation)
		cxr_en_moderation_cancel(cq);
	if (cxr_cq_destroy(core, &cq->cq))
		cxr_buf_keep(core, &cq->buf);
	cxr_db_free(core, &cq->db);
	cxr_buf_free(core, &cq->buf);
}

void cxr_en_cq_update(struct cxr_en_cq *cq)
{
	cq->db.rec[0] = cpu_to_be32(cq->ci & 0xffffff);
	dma_wmb();	/* room in the CQ, then WQEs that need it */
}

void cxr_en_cq_arm(struct cxr_en_cq *cq)
{
	cxr_uar_arm_cq(cq->ch->en->uar, &cq->db.rec[1], cq->cq.cqn, READ_ONCE(cq->events) & 3,
		       cq->ci, false);
}
