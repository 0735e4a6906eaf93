// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* CQs for work requests of the driver itself. They are polled, never armed. */
#include <linux/iopoll.h>

#include "queue.h"

#define SPIN_US 20
#define POLL_US 50

/* It is never armed; after an error the wait for a CQE times out. */
static void ignore_comp(struct cxr_cq *cq)
{
}

static void ignore_error(struct cxr_cq *cq, u8 syndrome)
{
}

static struct prm_cqe64 *internal_cqe_at(const struct cxr_ib_internal_cq *cq, u32 i)
{
	u32 slot = i & (BIT(cq->log_size) - 1);

	return cxr_buf_at(&cq->buf, slot * sizeof(struct prm_cqe64));
}

static int create_internal_cq(struct cxr_core *core, const struct cxr_uar *uar,
			      struct cxr_ib_internal_cq *cq)
{
	struct cxr_cq_attr attr = {
		.log_size = cq->log_size,
		.uar = uar->index,
		.pas = cxr_buf_pas(&cq->buf),
		.db_dma = cq->db.dma,
	};
	u32 i;

	for (i = 0; i < BIT(cq->log_size); i++)
		cxr_cqe_invalidate(internal_cqe_at(cq, i));
	cq->cq.comp = ignore_comp;
	cq->cq.error = ignore_error;
	return cxr_cq_create(core, &cq->cq, &attr);
}

int cxr_ib_internal_cq_create(struct cxr_core *core, const struct cxr_uar *uar, u8 log_size,
			      struct cxr_ib_internal_cq *cq)
{
	int err;

	cq->log_size = log_size;
	err = cxr_buf_alloc(core, &cq->buf, sizeof(struct prm_cqe64) << log_size);
	if (err)
		return err;
	err = cxr_db_alloc(core, &cq->db);
	if (err)
		goto err_free_buf;
	err = create_internal_cq(core, uar, cq);
	if (err)
		goto err_free_db;
	return 0;

err_free_db:
	cxr_db_free(core, &cq->db);
err_free_buf:
	cxr_buf_free(core, &cq->buf);
	return err;
}

void cxr_ib_internal_cq_destroy(struct cxr_core *core, struct cxr_ib_internal_cq *cq)
{
	if (cxr_cq_destroy(core, &cq->cq))
		cxr_buf_keep(core, &cq->buf);
	cxr_db_free(core, &cq->db);
	cxr_buf_free(core, &cq->buf);
}

/* Most work requests take a few microseconds, less than it takes to sleep. */
static void spin_for_cqe(const struct cxr_ib_internal_cq *cq, const struct prm_cqe64 *entry)
{
	u8 op_own;

	read_poll_timeout_atomic(READ_ONCE, op_own,
				 cxr_cqe_sw_owned(op_own, cq->ci, cq->log_size), 1, SPIN_US, false,
				 entry->op_own);
}

int cxr_ib_internal_cq_wait(struct cxr_core *core, struct cxr_ib_internal_cq *cq, unsigned int ms,
			    struct cxr_cqe *cqe)
{
	const struct prm_cqe64 *entry = internal_cqe_at(cq, cq->ci);
	u8 op_own;

	spin_for_cqe(cq, entry);
	read_poll_timeout(READ_ONCE, op_own,
			  cxr_cqe_sw_owned(op_own, cq->ci, cq->log_size) || cxr_core_dead(core),
			  POLL_US, ms * USEC_PER_MSEC, false, entry->op_own);
	if (!cxr_cqe_sw_owned(op_own, cq->ci, cq->log_size))
		return -ETIMEDOUT;

	dma_rmb();	/* read the owner bit before the rest */
	cxr_cqe_decode(entry, cqe);
	cq->ci++;
	WRITE_ONCE(cq->db.rec[0], cpu_to_be32(cq->ci & CXR_CQE_NUM_MASK));
	return 0;
}
