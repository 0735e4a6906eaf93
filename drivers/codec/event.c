// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "event.h"

#define NUM_MASK 0xffffff

bool cxr_eqe_sw_owned(u8 owner, u32 ci, u8 log_size)
{
	return (owner & 1) == (ci >> log_size & 1);
}

static u32 num24(__be32 v)
{
	return be32_to_cpu(v) & NUM_MASK;
}

struct queue_event {
	u8 type;
	u8 kind;
	u8 what;
};

static const struct queue_event queue_events[] = {
	{ PRM_EVENT_PATH_MIG, CXR_EVENT_QP, CXR_QPE_PATH_MIGRATED },
	{ PRM_EVENT_COMM_EST, CXR_EVENT_QP, CXR_QPE_COMM_EST },
	{ PRM_EVENT_SQ_DRAINED, CXR_EVENT_QP, CXR_QPE_SQ_DRAINED },
	{ PRM_EVENT_SRQ_LAST_WQE, CXR_EVENT_QP, CXR_QPE_LAST_WQE },
	{ PRM_EVENT_WQ_CATAS_ERROR, CXR_EVENT_QP, CXR_QPE_FATAL },
	{ PRM_EVENT_PATH_MIG_FAILED, CXR_EVENT_QP, CXR_QPE_PATH_MIG_FAILED },
	{ PRM_EVENT_WQ_INVAL_REQ_ERROR, CXR_EVENT_QP, CXR_QPE_INVALID_REQ },
	{ PRM_EVENT_WQ_ACCESS_ERROR, CXR_EVENT_QP, CXR_QPE_ACCESS },
	{ PRM_EVENT_DCT_DRAINED, CXR_EVENT_DCT_DRAINED, 0 },
	{ PRM_EVENT_SRQ_RQ_LIMIT, CXR_EVENT_SRQ, 0 },
	{ PRM_EVENT_SRQ_CATAS_ERROR, CXR_EVENT_SRQ, 1 },
	{ }
};

/* SQs and RQs without a QP, and DC targets, have number spaces of their own. */
static u8 queue_kind(u8 kind, u8 type)
{
	if (kind != CXR_EVENT_QP)
		return kind;
	switch (type) {
	case PRM_EQE_RSC_SQ:
		return CXR_EVENT_SQ;
	case PRM_EQE_RSC_RQ:
		return CXR_EVENT_RQ;
	case PRM_EQE_RSC_DCT:
		return CXR_EVENT_DCT;
	default:
		return CXR_EVENT_QP;
	}
}

static int decode_queue_event(const struct prm_eqe *eqe, struct cxr_event *event)
{
	const struct queue_event *e;

	for (e = queue_events; e->type; e++) {
		if (e->type != eqe->type)
			continue;
		event->kind = queue_kind(e->kind, eqe->data.qp_srq.type);
		event->what = e->what;
		event->num = num24(eqe->data.qp_srq.qp_srq_n);
		return 0;
	}
	return -EPROTO;
}

/* Other changes (LID, GUID) mean nothing to an Ethernet port, and are only logged. */
static void decode_port(const struct prm_eqe *eqe, struct cxr_event *event)
{
	event->port = eqe->data.port.port >> 4;
	event->up = eqe->sub_type == PRM_PORT_CHANGE_ACTIVE;
	if (event->up || eqe->sub_type == PRM_PORT_CHANGE_DOWN)
		event->kind = CXR_EVENT_PORT;
	else
		event->kind = CXR_EVENT_HEALTH;
}

int cxr_event_decode(const struct prm_eqe *eqe, struct cxr_event *event)
{
	memset(event, 0, sizeof(*event));
	event->type = eqe->type;
	event->subtype = eqe->sub_type;

	switch (eqe->type) {
	case PRM_EVENT_COMP:
		event->kind = CXR_EVENT_COMP;
		event->num = num24(eqe->data.comp.cqn);
		return 0;
	case PRM_EVENT_CMD:
		event->kind = CXR_EVENT_CMD;
		event->vector = be32_to_cpu(eqe->data.cmd.vector);
		return 0;
	case PRM_EVENT_PAGE_REQUEST:
		event->kind = CXR_EVENT_PAGES;
		event->func = be16_to_cpu(eqe->data.req_pages.func_id);
		event->pages = (s32)be32_to_cpu(eqe->data.req_pages.num_pages);
		return 0;
	case PRM_EVENT_PORT_CHANGE:
		decode_port(eqe, event);
		return 0;
	case PRM_EVENT_NIC_VPORT_CHANGE:
		event->kind = CXR_EVENT_VPORT;
		event->num = be16_to_cpu(eqe->data.vport_change.vport_num);
		return 0;
	case PRM_EVENT_CQ_ERROR:
		event->kind = CXR_EVENT_CQ_ERROR;
		event->num = num24(eqe->data.cq_err.cqn);
		event->syndrome = eqe->data.cq_err.syndrome;
		return 0;
	case PRM_EVENT_INTERNAL_ERROR:
	case PRM_EVENT_GENERAL:
	case PRM_EVENT_TEMP_WARN:
	case PRM_EVENT_PORT_MODULE:
	case PRM_EVENT_GPIO:
	case PRM_EVENT_REMOTE_CONFIG:
	case PRM_EVENT_DB_BF_CONGESTION:
	case PRM_EVENT_STALL:
		event->kind = CXR_EVENT_HEALTH;
		return 0;
	default:
		return decode_queue_event(eqe, event);
	}
}
