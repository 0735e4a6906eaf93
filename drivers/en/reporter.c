// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The health reporters tx and rx of devlink: errors of send queues, and of receive queues. devlink
 * recovers from them by a restart of all queues (cxr_en_reconfigure()), unless the user has set
 * auto_recover to false: then a queue with an error stays as it is until the user has devlink
 * recover. Either way the dump has the queues as they were at the error.
 *
 * Errors are noticed in any context; a work reports them. Names and numbers in diagnose and dump
 * are those of the in-tree driver, for programs that read them.
 */
#include <linux/rtnetlink.h>
#include <net/devlink.h>
#include "cxr/health.h"
#include "en.h"

#define GRACE_MS	500	/* as the in-tree driver; shorter than CXR_EN_RESTART_GAP */
#define WQ_CYCLIC	1

/* ---- recovery ----------------------------------------------------------- */

/* 0: there are queues. */
static int has_queues(const struct cxr_en *en, struct netlink_ext_ack *extack)
{
	ASSERT_RTNL();
	if (cxr_core_dead(en->core)) {
		NL_SET_ERR_MSG_MOD(extack, "the device has failed");
		return -EIO;
	}
	if (en->kept) {
		NL_SET_ERR_MSG_MOD(extack, "the function is being reset");
		return -EBUSY;
	}
	if (!netif_running(en->ndev)) {
		NL_SET_ERR_MSG_MOD(extack, "the interface is down: its next queues are healthy");
		return -ENETDOWN;
	}
	return 0;
}

static int restart_queues(struct cxr_en *en)
{
	struct cxr_en_config config = en->config;
	int err;

	netdev_info(en->ndev, "restarting all queues\n");
	err = cxr_en_reconfigure(en, &config);
	WRITE_ONCE(en->restarted, jiffies);
	return err;
}

/* @context: NULL if a user asks for it; else the restart is up to the work that reports */
static int recover(struct devlink_health_reporter *reporter, void *context,
		   struct netlink_ext_ack *extack)
{
	struct cxr_en *en = devlink_health_reporter_priv(reporter);
	bool *wanted = context;
	int err;

	if (wanted) {
		*wanted = true;
		return 0;
	}
	rtnl_lock();
	err = has_queues(en, extack);
	if (!err) {
		err = restart_queues(en);
		if (err)
			NL_SET_ERR_MSG_MOD(extack, "the queues could not be restarted");
	}
	rtnl_unlock();
	return err;
}

/* ---- diagnose and dump -------------------------------------------------- */

static void nest_start(struct devlink_fmsg *fmsg, const char *name)
{
	devlink_fmsg_pair_nest_start(fmsg, name);
	devlink_fmsg_obj_nest_start(fmsg);
}

static void nest_end(struct devlink_fmsg *fmsg)
{
	devlink_fmsg_obj_nest_end(fmsg);
	devlink_fmsg_pair_nest_end(fmsg);
}

static void put_sizes(struct devlink_fmsg *fmsg, u32 stride, u8 log_size)
{
	devlink_fmsg_u64_pair_put(fmsg, "stride size", stride);
	devlink_fmsg_u32_pair_put(fmsg, "size", 1U << log_size);
}

static void put_cq_sizes(struct devlink_fmsg *fmsg, const struct cxr_en_cq *cq)
{
	nest_start(fmsg, "CQ");
	put_sizes(fmsg, sizeof(struct prm_cqe64), cq->log_size);
	nest_end(fmsg);
}

/* The CQ and its EQ. What the device does not tell is left out. */
static void put_cq(struct devlink_fmsg *fmsg, const struct cxr_en_cq *cq)
{
	struct cxr_core *core = cq->ch->en->core;
	struct cxr_comp_eq eq = cxr_comp_eq(core, cq->cq.vector);
	u8 status;

	nest_start(fmsg, "CQ");
	devlink_fmsg_u32_pair_put(fmsg, "cqn", cq->cq.cqn);
	if (!cxr_cq_query_status(core, &cq->cq, &status))
		devlink_fmsg_u8_pair_put(fmsg, "HW status", status);
	devlink_fmsg_u32_pair_put(fmsg, "ci", READ_ONCE(cq->ci));
	devlink_fmsg_u32_pair_put(fmsg, "size", 1U << cq->log_size);
	nest_end(fmsg);
	nest_start(fmsg, "EQ");
	devlink_fmsg_u8_pair_put(fmsg, "eqn", eq.eqn);
	devlink_fmsg_u32_pair_put(fmsg, "irqn", cxr_comp_irq(core, cq->cq.vector));
	devlink_fmsg_u32_pair_put(fmsg, "vecidx", cq->cq.vector + 1);
	devlink_fmsg_u32_pair_put(fmsg, "ci", eq.ci);
	devlink_fmsg_u32_pair_put(fmsg, "size", eq.size);
	nest_end(fmsg);
}

static void put_sq(struct devlink_fmsg *fmsg, const struct cxr_en_sq *sq, unsigned int index,
		   unsigned int tc)
{
	enum cxr_wq_state state;

	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_u32_pair_put(fmsg, "channel ix", index);
	devlink_fmsg_u32_pair_put(fmsg, "tc", tc);
	if (sq->txq)
		devlink_fmsg_u32_pair_put(fmsg, "txq ix", cxr_en_txq_index(sq));
	devlink_fmsg_u32_pair_put(fmsg, "sqn", sq->sqn);
	if (!cxr_cmd_query_sq(sq->en->core, sq->sqn, &state))
		devlink_fmsg_u8_pair_put(fmsg, "HW state", cxr_cmd_wq_state_number(state));
	if (sq->txq)
		devlink_fmsg_bool_pair_put(fmsg, "stopped", netif_xmit_stopped(sq->txq));
	devlink_fmsg_u32_pair_put(fmsg, "cc", READ_ONCE(sq->cc));
	devlink_fmsg_u32_pair_put(fmsg, "pc", READ_ONCE(sq->pc));
	devlink_fmsg_bool_pair_put(fmsg, "failed", READ_ONCE(sq->failed));
	put_cq(fmsg, &sq->cq);
	devlink_fmsg_obj_nest_end(fmsg);
}

static void put_rq(struct devlink_fmsg *fmsg, const struct cxr_en_rq *rq, unsigned int index)
{
	u16 pc = READ_ONCE(rq->pc), cc = READ_ONCE(rq->cc);
	enum cxr_wq_state state;

	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_u32_pair_put(fmsg, "channel ix", index);
	devlink_fmsg_u32_pair_put(fmsg, "rqn", rq->rqn);
	devlink_fmsg_bool_pair_put(fmsg, "CQE compression", rq->zip);
	if (!cxr_cmd_query_rq(rq->en->core, rq->rqn, &state))
		devlink_fmsg_u8_pair_put(fmsg, "HW state", cxr_cmd_wq_state_number(state));
	devlink_fmsg_u32_pair_put(fmsg, "WQE counter", pc);
	devlink_fmsg_u32_pair_put(fmsg, "posted WQEs", (u16)(pc - cc));
	devlink_fmsg_u32_pair_put(fmsg, "cc", cc);
	devlink_fmsg_bool_pair_put(fmsg, "failed", READ_ONCE(rq->failed));
	put_cq(fmsg, &rq->cq);
	devlink_fmsg_obj_nest_end(fmsg);
}

static void put_tx(struct devlink_fmsg *fmsg, const struct cxr_en *en)
{
	const struct cxr_en_sq *first = &en->channels[0]->sq[0];
	unsigned int i, tc;

	nest_start(fmsg, "Common Config");
	nest_start(fmsg, "SQ");
	put_sizes(fmsg, PRM_WQE_BB, first->log_size);
	put_cq_sizes(fmsg, &first->cq);
	nest_end(fmsg);
	nest_end(fmsg);
	devlink_fmsg_arr_pair_nest_start(fmsg, "SQs");
	for (i = 0; i < en->n_channels; i++)
		for (tc = 0; tc < en->channels[i]->n_sqs; tc++)
			put_sq(fmsg, &en->channels[i]->sq[tc], i, tc);
	devlink_fmsg_arr_pair_nest_end(fmsg);
	devlink_fmsg_arr_pair_nest_start(fmsg, "XDP SQs");
	for (i = 0; i < en->n_channels; i++)
		put_sq(fmsg, &en->channels[i]->xdp_sq, i, 0);
	devlink_fmsg_arr_pair_nest_end(fmsg);
}

static void put_rx(struct devlink_fmsg *fmsg, const struct cxr_en *en)
{
	const struct cxr_en_rq *first = &en->channels[0]->rq;
	unsigned int i;

	nest_start(fmsg, "Common config");
	nest_start(fmsg, "RQ");
	devlink_fmsg_u8_pair_put(fmsg, "type", WQ_CYCLIC);
	put_sizes(fmsg, 1U << first->log_stride, first->log_size);
	put_cq_sizes(fmsg, &first->cq);
	nest_end(fmsg);
	nest_end(fmsg);
	devlink_fmsg_arr_pair_nest_start(fmsg, "RQs");
	for (i = 0; i < en->n_channels; i++)
		put_rq(fmsg, &en->channels[i]->rq, i);
	devlink_fmsg_arr_pair_nest_end(fmsg);
}

/* -ENETDOWN: there are no queues. */
static int put_queues(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg)
{
	struct cxr_en *en = devlink_health_reporter_priv(reporter);
	int err = 0;

	mutex_lock(&en->lock);
	if (!en->n_channels)
		err = -ENETDOWN;
	else if (reporter == en->reporter[CXR_EN_TX])
		put_tx(fmsg, en);
	else
		put_rx(fmsg, en);
	mutex_unlock(&en->lock);
	return err;
}

static int diagnose(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
		    struct netlink_ext_ack *extack)
{
	put_queues(reporter, fmsg);
	return 0;
}

/* devlink keeps a dump until a user clears it: an empty one would be in the way. */
static int dump(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg, void *unused,
		struct netlink_ext_ack *extack)
{
	return put_queues(reporter, fmsg);
}

static const struct devlink_health_reporter_ops ops[CXR_EN_REPORTERS] = {
	[CXR_EN_TX] = {
		.name = "tx",
		.recover = recover,
		.diagnose = diagnose,
		.dump = dump,
		CXR_REPORTER_GRACE(GRACE_MS)
	},
	[CXR_EN_RX] = {
		.name = "rx",
		.recover = recover,
		.diagnose = diagnose,
		.dump = dump,
		CXR_REPORTER_GRACE(GRACE_MS)
	},
};

/* ---- reports ------------------------------------------------------------ */

/* Which reporters have an error of queues that are still there; @generation: of these queues. */
static unsigned long take_failed(struct cxr_en *en, unsigned int *generation)
{
	unsigned long failed;

	rtnl_lock();
	failed = xchg(&en->failed, 0);
	*generation = en->generation;
	if (has_queues(en, NULL))
		failed = 0;
	rtnl_unlock();
	return failed;
}

static void mark(struct cxr_en *en, unsigned long which, enum devlink_health_reporter_state state)
{
	int i;

	for (i = 0; i < CXR_EN_REPORTERS; i++)
		if (which & BIT(i))
			devlink_health_reporter_state_update(en->reporter[i], state);
}

/*
 * One restart for the errors of both reporters, when both have their dumps. Without RTNL queues may
 * have been opened since.
 */
static void finish(struct cxr_en *en, unsigned long failed, unsigned int generation, bool restart)
{
	rtnl_lock();
	if (en->generation != generation)
		cxr_en_report_healthy(en);
	else if (restart && !has_queues(en, NULL) && restart_queues(en) &&
		 !netif_running(en->ndev))
		mark(en, failed, DEVLINK_HEALTH_REPORTER_STATE_ERROR);
	rtnl_unlock();
}

static void report_work(struct work_struct *work)
{
	struct cxr_en *en = container_of(to_delayed_work(work), struct cxr_en, report_work);
	long wait = READ_ONCE(en->restarted) + CXR_EN_RESTART_GAP - jiffies;
	unsigned int generation;
	unsigned long failed;
	bool restart = false;
	int i;

	/* sooner devlink would not recover again */
	if (wait > 0) {
		queue_delayed_work(en->wq, &en->report_work, wait);
		return;
	}
	failed = take_failed(en, &generation);
	for (i = 0; i < CXR_EN_REPORTERS; i++)
		if (failed & BIT(i))
			cxr_health_report(en->core->dev, en->reporter[i], ops[i].name,
					  "error of a queue", &restart);
	if (failed)
		finish(en, failed, generation, restart);
}

void cxr_en_report_healthy(struct cxr_en *en)
{
	mark(en, ~0UL, DEVLINK_HEALTH_REPORTER_STATE_HEALTHY);
}

/* ---- registration ------------------------------------------------------- */

int cxr_en_reporters_create(struct cxr_en *en)
{
	struct devlink_health_reporter *reporter;
	int i;

	for (i = 0; i < CXR_EN_REPORTERS; i++) {
		reporter = cxr_devlink_port_reporter_create(en->port, &ops[i], GRACE_MS, en);
		if (IS_ERR(reporter))
			goto err_destroy;
		en->reporter[i] = reporter;
	}
	return 0;

err_destroy:
	while (i--)
		cxr_devlink_port_reporter_destroy(en->reporter[i]);
	return PTR_ERR(reporter);
}

void cxr_en_reporters_destroy(struct cxr_en *en)
{
	int i;

	for (i = 0; i < CXR_EN_REPORTERS; i++)
		cxr_devlink_port_reporter_destroy(en->reporter[i]);
}

void cxr_en_init_reports(struct cxr_en *en)
{
	INIT_DELAYED_WORK(&en->report_work, report_work);
}
