// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Receive queues, and how a frame gets to one: from the wire through the flow tables and a TIR.
 *
 * References: an RQ uses its CQ, PD and set of counters.
 */
#include <string.h>

#include "nic/nic.h"
#include "prm/cqe.h"
#include "prm/wqe.h"

#define IPPROTO_TCP 6
#define TCP_ACK 0x10
#define RQ_LOG_STRIDE_MAX 9
#define STRIDES_LOG_MAX 16 /* of a WQE of a striding RQ; the index of one has 16 bits */

/* ---- receive queues ---- */

static void complete_error(struct rq *rq, uint16_t index, uint8_t syndrome)
{
	cq_push_error(rq->cq, false, prm_get(&rq->ctx, user_index), rq->obj.num, index, syndrome);
}

static void rq_to_error(void *obj)
{
	struct rq *rq = obj;

	if (rq->state == PRM_WQ_RDY && prm_get(&rq->ctx, flush_in_error_en) &&
	    wq_update(&rq->wq, rq->wq.ci) > 0)
		while (wq_posted(&rq->wq))
			complete_error(rq, rq->wq.ci++, PRM_CQE_SYND_WR_FLUSH);
	rq->state = PRM_WQ_ERR;
}

static void fail(struct rq *rq, uint8_t syndrome)
{
	rq->obj.dev->eth->counters.rx_errors.packets++;
	rq->stride = 0;
	complete_error(rq, rq->wq.ci++, syndrome);
	rq_to_error(rq);
	queue_event(&rq->obj, PRM_EVENT_WQ_CATAS_ERROR);
}

/* The bytes of a packet as the guest gets them, without a stripped VLAN tag. */
struct rx_data {
	const uint8_t *part[2];
	uint32_t len[2];
};

/* ---- strides ---- */

static bool is_striding(const struct rq *rq)
{
	return prm_get(&rq->ctx, wq.wq_type) == PRM_WQ_CYCLIC_STRIDING;
}

/* Of a WQE. */
static uint32_t strides_of(const struct rq *rq)
{
	unsigned int log = prm_get(&rq->ctx, wq.log_wqe_num_of_strides);

	return 1u << (log < PRM_WQ_STRIDES_EXT ? log + PRM_WQ_LOG_STRIDES :
						 log - PRM_WQ_STRIDES_EXT +
							 PRM_WQ_LOG_STRIDES_EXT);
}

static unsigned int log_stride_bytes(const struct rq *rq)
{
	return prm_get(&rq->ctx, wq.log_wqe_stride_size) + PRM_WQ_LOG_STRIDE_BYTES;
}

/* Bytes that are left out before a packet, for the sake of its IP header. */
static uint32_t shift_of(const struct rq *rq)
{
	return prm_get(&rq->ctx, wq.two_byte_shift_en) ? 2 : 0;
}

static uint32_t strides_for(const struct rq *rq, uint32_t len)
{
	uint32_t bytes = 1u << log_stride_bytes(rq);

	return (shift_of(rq) + len + bytes - 1) / bytes;
}

/* The completion takes @n strides of the WQE, which is done with when there are no more. */
static void take_strides(struct rq *rq, struct prm_cqe64 *cqe, uint32_t n)
{
	cqe->wqe_counter = cpu_to_be16(rq->stride);
	cqe->wqe_id = cpu_to_be16(rq->wq.ci);
	cqe->byte_cnt |= cpu_to_be32(n << PRM_CQE_STRIDES_SHIFT);
	rq->stride += n;
	if (rq->stride == strides_of(rq)) {
		rq->stride = 0;
		rq->wq.ci++;
	}
}

/* A packet is in one WQE: what is left of one that is too short has a completion of its own. */
static void skip_strides(struct rq *rq, uint32_t len)
{
	uint32_t left = strides_of(rq) - rq->stride;
	struct prm_cqe64 cqe = {};

	if (!rq->stride || strides_for(rq, len) <= left)
		return;
	cqe.srqn = cpu_to_be32(prm_get(&rq->ctx, user_index));
	cqe.byte_cnt = cpu_to_be32(PRM_CQE_FILLER);
	cqe.op_own = PRM_CQE_RESP_SEND << PRM_CQE_OPCODE_SHIFT;
	take_strides(rq, &cqe, left);
	cq_push(rq->cq, &rq->obj, &cqe, true);
}

/* ---- packets ---- */

/* 0, or the syndrome. */
static uint8_t scatter(struct rq *rq, const struct rx_data *data)
{
	uint32_t total = data->len[0] + data->len[1], off = 0, head = 0;
	uint8_t raw[1u << RQ_LOG_STRIDE_MAX];
	struct sge sges[RECV_SGES_MAX];
	struct sg_list list = { .owner = &rq->obj,
				.user = { .pdn = rq->pd ? rq->pd->num : 0, .qpn = MEM_ANY_QP },
				.index = rq->wq.ci,
				.log = violation };
	int bytes = wq_read(&rq->wq, rq->wq.ci, raw);
	uint64_t room;

	if (bytes < 0)
		return PRM_CQE_SYND_LOCAL_QP_OP;
	if (is_striding(rq)) {
		head = sizeof(struct prm_wqe_srq_next_seg);
		off = (rq->stride << log_stride_bytes(rq)) + shift_of(rq);
	}
	sg_parse_recv(&list, sges, raw + head, raw + bytes);
	room = list.len;
	if (is_striding(rq) && room > (uint64_t)strides_of(rq) << log_stride_bytes(rq))
		room = (uint64_t)strides_of(rq) << log_stride_bytes(rq);
	if (room < off + total) {
		violation(rq->obj.dev, "RQ 0x%x: WQE %u has room for %u bytes of a packet of %u",
			  rq->obj.num, rq->wq.ci, room < off ? 0 : (uint32_t)room - off, total);
		rq->obj.dev->hca->vnic.small_wqes++;
		return PRM_CQE_SYND_LOCAL_LENGTH;
	}
	if (sg_scatter(&list, off, data->part[0], data->len[0]) ||
	    (data->len[1] &&
	     sg_scatter(&list, off + data->len[0], data->part[1], data->len[1])))
		return PRM_CQE_SYND_LOCAL_PROT;
	return 0;
}

/* What flow tables and TIR say of a packet. */
struct delivery {
	uint32_t tag;
	struct rss rss;
	bool tunnels;
};

static uint8_t l4_type(const struct eth_packet *packet)
{
	const uint8_t *tcp = packet->data + packet->l4;

	if (!packet->l4 || packet->frag)
		return PRM_CQE_L4_NONE;
	if (packet->proto != IPPROTO_TCP)
		return PRM_CQE_L4_UDP;
	if (!(tcp[13] & TCP_ACK))
		return PRM_CQE_L4_TCP_NO_ACK;
	return packet->l4 + (tcp[12] >> 4) * 4u < packet->end ? PRM_CQE_L4_TCP_ACK_AND_DATA :
								PRM_CQE_L4_TCP_ACK_NO_DATA;
}

static uint8_t header_types(const struct eth_packet *packet)
{
	uint8_t l3 = packet->ip_version == 4 ? PRM_CQE_L3_IPV4 :
		     packet->ip_version == 6 ? PRM_CQE_L3_IPV6 :
					       PRM_CQE_L3_NONE;

	return l4_type(packet) << PRM_CQE_L4_SHIFT | l3 << PRM_CQE_L3_SHIFT;
}

/*
 * Types and checksums of headers, of a tunnel the inner ones: then "ok" says that all are right, of
 * both levels. What the TIR does not look into is no tunnel.
 */
static void describe(struct prm_cqe64 *cqe, const struct eth_packet *packet, uint64_t l3_sum,
		     uint64_t l4_sum, bool tunnels)
{
	const struct eth_packet *inner = tunnels ? packet->inner : NULL;
	bool l3_ok = packet_l3_ok(packet, l3_sum), l4_ok;

	if (inner) {
		cqe->tls_outer_l3_tunneled = PRM_CQE_TUNNELED |
					     (packet->ip_version == 4 ? PRM_CQE_OUTER_IPV4 : 0);
		l3_ok = l3_ok && packet_l3_ok(inner, packet_l3_sum(inner));
		l4_ok = tunnel_csum_ok(packet, l4_sum) &&
			packet_l4_ok(inner, packet_l4_sum(inner));
	} else {
		inner = packet;
		l4_ok = packet_l4_ok(packet, l4_sum);
	}
	cqe->hds_ip_ext = PRM_CQE_L2_OK | (l3_ok ? PRM_CQE_L3_OK : 0) |
			  (l4_ok ? PRM_CQE_L4_OK : 0);
	cqe->l4_l3_hdr_type = header_types(inner);
}

/* Of the headers of layer 3 and what follows them. */
static uint16_t packet_csum(const struct eth_packet *packet, uint64_t l3_sum, uint64_t l4_sum)
{
	uint32_t from = packet->l3 ? packet->l3 : 14, to = l4_sum ? packet->l4 : packet->end;

	if (!l3_sum || !l4_sum)
		l3_sum = csum_add(0, packet->data + from, to - from);
	return csum_fold(l4_sum + l3_sum);
}

static void complete(struct rq *rq, const struct eth_packet *packet, const struct delivery *how,
		     bool stripped)
{
	uint64_t l3_sum = packet_l3_sum(packet), l4_sum = packet_l4_sum(packet);
	uint32_t len = packet->len - (stripped ? 4 : 0);
	struct prm_cqe64 cqe = {};

	cqe.rss_hash_result = cpu_to_be32(how->rss.hash);
	cqe.rss_hash_type = how->rss.type;
	cqe.check_sum = cpu_to_be16(packet_csum(packet, l3_sum, l4_sum));
	describe(&cqe, packet, l3_sum, l4_sum, how->tunnels);
	if (stripped) {
		cqe.l4_l3_hdr_type |= PRM_CQE_VLAN;
		cqe.vlan_info = cpu_to_be16(get16(packet->data + packet->c_tag + 2));
	}
	cqe.srqn = cpu_to_be32(prm_get(&rq->ctx, user_index));
	cqe.byte_cnt = cpu_to_be32(len);
	cqe.sop_drop_qpn = cpu_to_be32(how->tag);
	cqe.op_own = PRM_CQE_RESP_SEND << PRM_CQE_OPCODE_SHIFT;
	if (is_striding(rq)) {
		rq->obj.dev->eth->counters.rx_strides++;
		take_strides(rq, &cqe, strides_for(rq, len));
	} else {
		cqe.wqe_counter = cpu_to_be16(rq->wq.ci++);
	}
	cq_push(rq->cq, &rq->obj, &cqe, true);
}

/* Is there one for a packet of @len bytes? */
static bool has_wqe(struct rq *rq, uint32_t len)
{
	if (wq_update(&rq->wq, rq->wq.ci) <= 0)
		return false;
	if (is_striding(rq))
		skip_strides(rq, len);
	/* By a fault rule the completion of what was skipped stops it. */
	return rq->state == PRM_WQ_RDY && wq_posted(&rq->wq);
}

static void rq_receive(struct rq *rq, const struct eth_packet *packet, const struct delivery *how)
{
	bool strip = packet->c_tag && !prm_get(&rq->ctx, vsd);
	uint32_t rest = packet->c_tag + 4;
	struct rx_data data = {
		.part = { packet->data, packet->data + rest },
		.len = { strip ? packet->c_tag : packet->len, strip ? packet->len - rest : 0 },
	};
	struct eth_counters *counters = &rq->obj.dev->eth->counters;
	uint8_t syndrome;

	if (rq->state != PRM_WQ_RDY) {
		counters->rx_queue_off++;
		return;
	}
	if (!has_wqe(rq, data.len[0] + data.len[1])) {
		counters->rx_no_buffer++;
		rq->out_of_buffer++;
		if (rq->counters)
			((struct q_counter *)rq->counters)->out_of_buffer++;
		return;
	}

	syndrome = scatter(rq, &data);
	if (syndrome)
		fail(rq, syndrome);
	else
		complete(rq, packet, how, strip);
}

/* ---- from the wire ---- */

/* May the TIR get what @td, a transport domain of its own function, sends? */
static bool tir_hears(const struct tir *tir, uint32_t td, bool multicast)
{
	return !tir->td || tir->td->num != td || prm_get(&tir->ctx, self_lb_block) &
					     (multicast ? PRM_TIR_SELF_MULTICAST :
							  PRM_TIR_SELF_UNICAST);
}

struct arrival {
	struct cxdev *dev; /* whose port received it */
	const struct frame *frame;
};

/* What the function sent itself does not change hands in a LAG. */
static bool is_own(const struct cxdev *dev, const struct frame *frame)
{
	return frame->from == dev->port;
}

/* Does the TIR, or the vport, block loopback of what its own function sent? */
static bool loopback_blocked(const struct arrival *arrival, const struct tir *tir)
{
	const struct frame *frame = arrival->frame;
	struct cxdev *dev = arrival->dev;
	bool multicast = frame->data[0] & 1;

	if (!is_own(dev, frame))
		return false;
	return (multicast ? dev->eth->block_mc : dev->eth->block_uc) ||
	       !tir_hears(tir, frame->td, multicast);
}

struct search {
	uint32_t td;
	bool found;
};

static void try_tir(void *obj, void *arg)
{
	struct search *search = arg;

	search->found |= tir_hears(obj, search->td, true);
}

bool eth_hears_itself(struct cxdev *dev, uint32_t td)
{
	struct search search = { .td = td };

	if (!dev->eth->block_mc)
		obj_for_each(dev, OBJ_TIR, try_tir, &search);
	return search.found;
}

static void deliver(struct tir *tir, const struct eth_packet *packet, uint32_t tag, void *arg)
{
	struct delivery how = { .tag = tag, .tunnels = prm_get(&tir->ctx, tunneled_offload_en) };

	if (loopback_blocked(arg, tir)) {
		tir->obj.dev->eth->counters.rx_loopback_blocked++;
		return;
	}
	how.rss = packet_rss(packet, &tir->ctx, &tir->toeplitz);
	rq_receive(tir->rqt ? tir->rqt->rqs[how.rss.hash % tir->rqt->size] : tir->rq, packet, &how);
}

void eth_receive(struct cxdev *dev, struct frame *frame)
{
	struct eth_counters *counters = &dev->eth->counters;
	struct arrival arrival = { .dev = dev, .frame = frame };
	struct traffic *traffic = &counters->rx_unicast;
	struct eth_packet packet, inner;

	if (frame->data[0] & 1)
		traffic = memcmp(frame->data, "\xff\xff\xff\xff\xff\xff", 6) ?
				  &counters->rx_multicast :
				  &counters->rx_broadcast;
	traffic->packets++;
	traffic->bytes += frame->len;

	packet_parse(&packet, frame->data, frame->len);
	tunnel_parse(dev, &packet, &inner, packet.end);
	if (!steer(dev, is_own(dev, frame) ? dev : lag_first_dev(dev), &packet, deliver, &arrival))
		counters->rx_no_rule++;
	frame_free(frame);
}

/* ---- commands ---- */

static void rq_release(void *obj)
{
	struct rq *rq = obj;

	pages_free(&rq->pages);
	obj_put(rq->dbr_umem);
	obj_put(rq->counters);
	obj_put(rq->pd);
	obj_put(rq->cq);
}

/* WQEs have a segment before those of the data. */
static int check_strides(struct cmd *c, const struct prm_rqc *ctx)
{
	unsigned int strides = prm_get(ctx, wq.log_wqe_num_of_strides);
	unsigned int stride = prm_get(ctx, wq.log_wq_stride);

	if (strides >= PRM_WQ_STRIDES_EXT ? !hca_few_strides(c->dev) :
					    strides > STRIDES_LOG_MAX - PRM_WQ_LOG_STRIDES)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wqe_num_of_strides %u of the RQ is not advertised", strides);
	if (1u << stride <= sizeof(struct prm_wqe_srq_next_seg))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wq_stride %u: WQEs of a striding RQ have a segment before the data",
			      stride);
	return 0;
}

static int check_rqc(struct cmd *c, const struct prm_rqc *ctx)
{
	unsigned int stride = prm_get(ctx, wq.log_wq_stride);

	if (is_set(c, ctx, rlky, "but the reserved lkey is not advertised for RQs") ||
	    is_set(c, ctx, delay_drop_en, "but it is not advertised") ||
	    is_set(c, ctx, scatter_fcs, "but it is not advertised") ||
	    is_set(c, ctx, mem_rq_type, "but RQs of RMPs are not advertised") ||
	    is_set(c, ctx, rmpn, "but RQs of RMPs are not advertised") ||
	    is_set(c, ctx, hairpin, "but it is not advertised") ||
	    is_set(c, ctx, hairpin_peer_sq, "but hairpin is not advertised") ||
	    is_set(c, ctx, hairpin_peer_vhca, "but hairpin is not advertised") ||
	    is_set(c, ctx, shampo_no_match_alignment_granularity, "but it is not advertised") ||
	    is_set(c, ctx, shampo_match_criteria_type, "but it is not advertised") ||
	    is_set(c, ctx, reservation_timeout, "but it is not advertised") ||
	    is_set(c, ctx, wq.uar_page, "but an RQ has no UAR"))
		return -1;
	if (prm_get(ctx, state) != PRM_WQ_RST)
		return refuse(c, PRM_STATUS_BAD_PARAM, "an RQ begins in RST, not in state %u",
			      prm_get(ctx, state));
	if (!hca_stamps(c->dev, OBJ_RQ, prm_get(ctx, ts_format)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "ts_format %u of the RQ is not advertised",
			      prm_get(ctx, ts_format));
	if (stride < RQ_LOG_STRIDE_MIN || stride > RQ_LOG_STRIDE_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_wq_stride %u of the RQ is not within %u to %u", stride,
			      RQ_LOG_STRIDE_MIN, RQ_LOG_STRIDE_MAX);
	if (!hca_striding(c->dev) || prm_get(ctx, wq.wq_type) != PRM_WQ_CYCLIC_STRIDING)
		return eth_check_wq(c, prm_sub_const(ctx, wq, wq), PRM_WQ_CYCLIC);
	return check_strides(c, ctx) ||
	       eth_check_wq(c, prm_sub_const(ctx, wq, wq), PRM_WQ_CYCLIC_STRIDING);
}

static int rq_references(struct cmd *c, struct rq *rq)
{
	const struct prm_rqc *ctx = &rq->ctx;

	rq->cq = obj_hold(c, OBJ_CQ, prm_get(ctx, cqn), "cqn");
	if (!rq->cq)
		return -1;
	/*
	 * The drop RQ of the in-tree driver is created without a PD: its WQEs cannot access
	 * memory.
	 */
	if (prm_get(ctx, wq.pd)) {
		rq->pd = obj_hold(c, OBJ_PD, prm_get(ctx, wq.pd), "wq.pd");
		if (!rq->pd)
			return -1;
	}
	if (!prm_get(ctx, counter_set_id))
		return 0;
	rq->counters = obj_hold(c, OBJ_Q_COUNTER, prm_get(ctx, counter_set_id), "counter_set_id");
	return rq->counters ? 0 : -1;
}

static int run_create_rq(struct cmd *c)
{
	const struct prm_create_rq_in *in = c->in;
	const struct prm_rqc *ctx = prm_sub_const(in, ctx, rqc);
	struct prm_create_rq_out *out = c->out;
	struct rq *rq;

	if (check_rqc(c, ctx))
		return -1;
	rq = obj_create(c, OBJ_RQ, sizeof(*rq));
	if (!rq)
		return -1;
	rq->obj.release = rq_release;
	rq->obj.stop = rq_to_error;
	rq->ctx = *ctx;
	rq->wq.owner = &rq->obj;
	rq->state = PRM_WQ_RST;
	if (rq_references(c, rq) ||
	    eth_get_wq(c, prm_sub_const(ctx, wq, wq), &rq->wq, &rq->pages,
		       &rq->dbr_umem)) {
		obj_free(rq);
		return -1;
	}
	prm_set(out, rqn, rq->obj.num);
	return 0;
}

/* What modify_bitmask names, checked before anything changes. */
static int modify_rq_fields(struct cmd *c, const struct prm_modify_rq_in *in, struct rq *rq)
{
	uint64_t mask = prm_get64(in, modify_bitmask);

	if (mask & ~PRM_MODIFY_RQ_VSD)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "modify_bitmask 0x%llx has fields that are not advertised",
			      (unsigned long long)mask);
	if (mask & PRM_MODIFY_RQ_VSD)
		prm_set(&rq->ctx, vsd, prm_get(in, ctx.vsd));
	return 0;
}

static int run_modify_rq(struct cmd *c)
{
	const struct prm_modify_rq_in *in = c->in;
	struct rq *rq = obj_own(c, OBJ_RQ, prm_get(in, rqn), "rqn");
	unsigned int next = prm_get(in, ctx.state);

	if (!rq || eth_check_transition(c, &rq->obj, prm_get(in, rq_state), rq->state, next) ||
	    modify_rq_fields(c, in, rq))
		return -1;

	cq_flush(rq->cq);
	if (next == PRM_WQ_ERR && rq->state != PRM_WQ_ERR)
		rq_to_error(rq);
	rq->state = next;
	if (next == PRM_WQ_RST) {
		rq->wq.ci = 0;
		rq->stride = 0;
	}
	return 0;
}

static int run_query_rq(struct cmd *c)
{
	const struct prm_query_rq_in *in = c->in;
	struct prm_query_rq_out *out = c->out;
	struct prm_rqc *ctx = prm_sub(out, rq_context, rqc);
	struct rq *rq = obj_lookup(c, OBJ_RQ, prm_get(in, rqn), "rqn");

	if (!rq)
		return -1;
	*ctx = rq->ctx;
	prm_set(ctx, state, rq->state);
	prm_set(ctx, wq.hw_counter, rq->wq.ci);
	return 0;
}

static int run_destroy_rq(struct cmd *c)
{
	const struct prm_destroy_rq_in *in = c->in;
	struct rq *rq = obj_own(c, OBJ_RQ, prm_get(in, rqn), "rqn");

	if (!rq)
		return -1;
	cq_flush(rq->cq);
	return obj_destroy(c, rq);
}

const struct cmd_desc cmds_rq[] = {
	CMD(create_rq, .tail = true),
	CMD(modify_rq),
	CMD(query_rq),
	CMD(destroy_rq),
	{}
};
