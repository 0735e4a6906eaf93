// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The offload of mqprio: the stack's choice of classes (classes.c). */
#include <net/pkt_cls.h>
#include <net/pkt_sched.h>
#include "en.h"

static int refuse(const struct cxr_en *en, int err, const char *why)
{
	netdev_warn(en->ndev, "mqprio: %s\n", why);
	return err;
}

/* In order, without gaps, and no more than there are. */
static int read_groups(const struct cxr_en *en, const struct tc_mqprio_qopt_offload *mqprio,
		       struct cxr_en_config *config)
{
	const struct tc_mqprio_qopt *qopt = &mqprio->qopt;
	unsigned int i, next = 0;

	for (i = 0; i < qopt->num_tc; i++) {
		if (mqprio->min_rate[i] || mqprio->max_rate[i])
			return refuse(en, -EOPNOTSUPP, "rates of classes are not supported");
		if (!qopt->count[i] || qopt->offset[i] != next)
			return refuse(en, -EINVAL, "a class has no queues, or not the next ones");
		config->groups[i].count = qopt->count[i];
		config->groups[i].offset = qopt->offset[i];
		next += qopt->count[i];
	}
	if (next > config->channels)
		return refuse(en, -EINVAL, "the classes have more queues than there are channels");
	config->n_groups = qopt->num_tc;
	return 0;
}

static int setup_mqprio(struct cxr_en *en, struct tc_mqprio_qopt_offload *mqprio)
{
	struct tc_mqprio_qopt *qopt = &mqprio->qopt;
	struct cxr_en_config config = en->config;
	int err = 0;

	if (qopt->num_tc > CXR_TCS)
		return refuse(en, -EINVAL, "there are 8 classes at most");
	if (mqprio->shaper != TC_MQPRIO_SHAPER_DCB)
		return refuse(en, -EOPNOTSUPP, "rates of classes are not supported");

	config.tcs = 1;
	config.n_groups = 0;
	if (mqprio->mode == TC_MQPRIO_MODE_CHANNEL && qopt->num_tc)
		err = read_groups(en, mqprio, &config);
	else if (qopt->num_tc)
		config.tcs = qopt->num_tc;
	if (err)
		return err;

	qopt->hw = TC_MQPRIO_HW_OFFLOAD_TCS;
	err = cxr_en_reconfigure(en, &config);
	/* The qdisc is gone in any case. */
	if (!qopt->num_tc)
		cxr_en_forget_classes(en);
	return err;
}

int cxr_en_setup_tc(struct net_device *ndev, enum tc_setup_type type, void *data)
{
	return type == TC_SETUP_QDISC_MQPRIO ? setup_mqprio(netdev_priv(ndev), data) : -EOPNOTSUPP;
}
