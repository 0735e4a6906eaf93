// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Transport objects between queues and packets: TIS, RQT, TIR, transport domains.
 *
 * References: an RQT uses its RQs; a TIR its RQ or RQT and its transport domain, a TIS its
 * transport domain.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"

/* ---- TIS ---- */

static void tis_release(void *obj)
{
	struct tis *tis = obj;

	obj_put(tis->td);
}

static int check_tisc(struct cmd *c, const struct prm_tisc *ctx)
{
	if (!lag_advertised(c->dev) &&
	    is_set(c, ctx, strict_lag_tx_port_affinity, "but LAG is not advertised"))
		return -1;
	if (is_set(c, ctx, tls_en, "but TLS is not advertised") ||
	    lag_check_affinity(c, prm_get(ctx, lag_tx_port_affinity)) ||
	    is_set(c, ctx, underlay_qpn, "but this is an Ethernet port") ||
	    is_set(c, ctx, pd, "but only TLS uses it"))
		return -1;
	return 0;
}

static int run_create_tis(struct cmd *c)
{
	const struct prm_create_tis_in *in = c->in;
	const struct prm_tisc *ctx = prm_sub_const(in, ctx, tisc);
	struct prm_create_tis_out *out = c->out;
	struct tis *tis;

	if (check_tisc(c, ctx))
		return -1;
	tis = obj_create(c, OBJ_TIS, sizeof(*tis));
	if (!tis)
		return -1;
	tis->obj.release = tis_release;
	tis->ctx = *ctx;
	tis->td = obj_hold(c, OBJ_TD, prm_get(ctx, transport_domain), "transport_domain");
	if (!tis->td) {
		obj_free(tis);
		return -1;
	}
	prm_set(out, tisn, tis->obj.num);
	return 0;
}

static int run_modify_tis(struct cmd *c)
{
	const struct prm_modify_tis_in *in = c->in;
	struct tis *tis = obj_own(c, OBJ_TIS, prm_get(in, tisn), "tisn");

	if (!tis)
		return -1;
	if (!lag_advertised(c->dev) &&
	    (is_set(c, in, bitmask.lag_tx_port_affinity, "but LAG is not advertised") ||
	     is_set(c, in, bitmask.strict_lag_tx_port_affinity, "but LAG is not advertised")))
		return -1;
	if (prm_get(in, bitmask.lag_tx_port_affinity)) {
		if (lag_check_affinity(c, prm_get(in, ctx.lag_tx_port_affinity)))
			return -1;
		prm_set(&tis->ctx, lag_tx_port_affinity, prm_get(in, ctx.lag_tx_port_affinity));
	}
	if (prm_get(in, bitmask.strict_lag_tx_port_affinity))
		prm_set(&tis->ctx, strict_lag_tx_port_affinity,
			prm_get(in, ctx.strict_lag_tx_port_affinity));
	if (prm_get(in, bitmask.prio)) {
		prm_set(&tis->ctx, prio, prm_get(in, ctx.prio));
		c->dev->hca->vnic.prio_updates += tis->obj.refs;
	}
	return 0;
}

static int run_query_tis(struct cmd *c)
{
	const struct prm_query_tis_in *in = c->in;
	struct prm_query_tis_out *out = c->out;
	struct tis *tis = obj_lookup(c, OBJ_TIS, prm_get(in, tisn), "tisn");

	if (!tis)
		return -1;
	*prm_sub(out, tis_context, tisc) = tis->ctx;
	return 0;
}

static int run_destroy_tis(struct cmd *c)
{
	const struct prm_destroy_tis_in *in = c->in;
	struct tis *tis = obj_own(c, OBJ_TIS, prm_get(in, tisn), "tisn");

	return tis ? obj_destroy(c, tis) : -1;
}

/* ---- RQT ---- */

static void put_rqs(struct rq **rqs, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		obj_put(rqs[i]);
	budget_free(rqs);
}

static void rqt_release(void *obj)
{
	struct rqt *rqt = obj;

	put_rqs(rqt->rqs, rqt->size);
}

/* Gets the RQs that a context lists; *rqs is allocated and holds references. */
static int get_rqs(struct cmd *c, const struct prm_rqtc *ctx, uint32_t max, size_t fixed,
		   struct rq ***rqs)
{
	uint32_t n = prm_get(ctx, rqt_actual_size), i;
	const uint8_t *tail = prm_tail_const(ctx);

	if (is_set(c, ctx, rq_vhca_id_format, "but RQs of other functions are not advertised") ||
	    is_set(c, ctx, list_q_type, "but only RQs can be listed"))
		return -1;
	if (!n || n > max)
		return refuse(c, PRM_STATUS_BAD_PARAM, "rqt_actual_size %u is not within 1 to %u",
			      n, max);
	if (c->in_len < fixed + n * 4)
		return refuse(c, PRM_STATUS_BAD_INP_LEN, "%u RQ numbers do not fit in %u bytes", n,
			      c->in_len);
	*rqs = budget_alloc(c->dev, n, sizeof(**rqs));
	if (!*rqs)
		return budget_refuse(c);

	for (i = 0; i < n; i++) {
		uint32_t be;

		memcpy(&be, tail + i * 4, sizeof(be));
		(*rqs)[i] = obj_hold(c, OBJ_RQ, be32toh(be), "rq_num");
		if (!(*rqs)[i]) {
			put_rqs(*rqs, i);
			return -1;
		}
	}
	return 0;
}

static int run_create_rqt(struct cmd *c)
{
	const struct prm_create_rqt_in *in = c->in;
	const struct prm_rqtc *ctx = prm_sub_const(in, rqt_context, rqtc);
	uint32_t max = prm_get(ctx, rqt_max_size);
	struct prm_create_rqt_out *out = c->out;
	struct rqt *rqt;
	struct rq **rqs;

	if (!max || max > 1u << ETH_LOG_MAX_RQT_SIZE)
		return refuse(c, PRM_STATUS_BAD_PARAM, "rqt_max_size %u is not within 1 to %u", max,
			      1u << ETH_LOG_MAX_RQT_SIZE);
	if (get_rqs(c, ctx, max, sizeof(*in), &rqs))
		return -1;
	rqt = obj_create(c, OBJ_RQT, sizeof(*rqt));
	if (!rqt) {
		put_rqs(rqs, prm_get(ctx, rqt_actual_size));
		return -1;
	}
	rqt->obj.release = rqt_release;
	rqt->max_size = max;
	rqt->size = prm_get(ctx, rqt_actual_size);
	rqt->rqs = rqs;
	prm_set(out, rqtn, rqt->obj.num);
	return 0;
}

static int run_modify_rqt(struct cmd *c)
{
	const struct prm_modify_rqt_in *in = c->in;
	const struct prm_rqtc *ctx = prm_sub_const(in, ctx, rqtc);
	struct rqt *rqt = obj_own(c, OBJ_RQT, prm_get(in, rqtn), "rqtn");
	struct rq **rqs;

	if (!rqt)
		return -1;
	if (!prm_get(in, bitmask.rqn_list))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "bitmask.rqn_list is not set: there is nothing else to modify");
	if (get_rqs(c, ctx, rqt->max_size, sizeof(*in), &rqs))
		return -1;
	put_rqs(rqt->rqs, rqt->size);
	rqt->rqs = rqs;
	rqt->size = prm_get(ctx, rqt_actual_size);
	return 0;
}

static int run_query_rqt(struct cmd *c)
{
	const struct prm_query_rqt_in *in = c->in;
	struct prm_query_rqt_out *out = c->out;
	struct rqt *rqt = obj_lookup(c, OBJ_RQT, prm_get(in, rqtn), "rqtn");
	uint8_t *tail = prm_tail(out);
	uint32_t i;

	if (!rqt)
		return -1;
	if (c->out_len < sizeof(*out) + rqt->size * 4)
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN, "%u RQ numbers do not fit in %u bytes",
			      rqt->size, c->out_len);
	prm_set(out, rqt_context.rqt_max_size, rqt->max_size);
	prm_set(out, rqt_context.rqt_actual_size, rqt->size);
	for (i = 0; i < rqt->size; i++) {
		uint32_t be = htobe32(rqt->rqs[i]->obj.num);

		memcpy(tail + i * 4, &be, sizeof(be));
	}
	return 0;
}

static int run_destroy_rqt(struct cmd *c)
{
	const struct prm_destroy_rqt_in *in = c->in;
	struct rqt *rqt = obj_own(c, OBJ_RQT, prm_get(in, rqtn), "rqtn");

	return rqt ? obj_destroy(c, rqt) : -1;
}

/* ---- TIR ---- */

static void tir_release(void *obj)
{
	struct tir *tir = obj;

	obj_put(tir->rq);
	obj_put(tir->rqt);
	obj_put(tir->td);
}

/*
 * Bit 4 is the IPsec SPI, which the in-tree driver always has TIRs for; such packets are spread by
 * address here.
 */
static int check_fields(struct cmd *c, const char *which, unsigned int fields)
{
	if (fields & ~0x1fu)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "%s selected_fields 0x%x: addresses, ports and SPI exist", which,
			      fields);
	return 0;
}

/* @tunnels: tunneled_offload_en of the TIR */
static int check_hash(struct cmd *c, const struct prm_tirc *ctx, bool tunnels)
{
	unsigned int outer = prm_get(ctx, rx_hash_field_selector_outer.selected_fields);
	unsigned int inner = prm_get(ctx, rx_hash_field_selector_inner.selected_fields);
	unsigned int fn = prm_get(ctx, rx_hash_fn);

	if (fn > PRM_RX_HASH_TOEPLITZ)
		return refuse(c, PRM_STATUS_BAD_PARAM, "rx_hash_fn %u is unknown", fn);
	if (check_fields(c, "outer", outer) || check_fields(c, "inner", inner))
		return -1;
	if (!tunnels &&
	    is_set(c, ctx, rx_hash_field_selector_inner.selected_fields,
		   "but not tunneled_offload_en"))
		return -1;
	if (outer && inner)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "selected_fields 0x%x and inner ones 0x%x: there is one hash", outer,
			      inner);
	return 0;
}

static int check_tirc(struct cmd *c, const struct prm_tirc *ctx)
{
	if (is_set(c, ctx, tls_en, "but TLS is not advertised") ||
	    is_set(c, ctx, packet_merge_mask, "but LRO is not advertised") ||
	    is_set(c, ctx, lro_max_ip_payload_size, "but LRO is not advertised") ||
	    is_set(c, ctx, lro_timeout_period_usecs, "but LRO is not advertised"))
		return -1;
	if (!hca_tunnels(c->dev) &&
	    is_set(c, ctx, tunneled_offload_en, "but tunnels are not advertised"))
		return -1;
	switch (prm_get(ctx, disp_type)) {
	case PRM_TIR_DIRECT:
		if (is_set(c, ctx, indirect_table, "but the TIR is direct"))
			return -1;
		break;
	case PRM_TIR_INDIRECT:
		if (is_set(c, ctx, inline_rqn, "but the TIR is indirect"))
			return -1;
		if (prm_get(ctx, rx_hash_fn) == PRM_RX_HASH_NONE)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "an indirect TIR needs an rx_hash_fn");
		break;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM, "disp_type %u is unknown",
			      prm_get(ctx, disp_type));
	}
	return check_hash(c, ctx, prm_get(ctx, tunneled_offload_en));
}

/*
 * A program may name no domain, as DPDK does for packets that it drops: then the TIR hears all that
 * its function sends.
 */
static int hold_domain(struct cmd *c, struct tir *tir)
{
	uint32_t num = prm_get(&tir->ctx, transport_domain);

	if (c->uid && !num)
		return 0;
	tir->td = obj_hold(c, OBJ_TD, num, "transport_domain");
	return tir->td ? 0 : -1;
}

static int run_create_tir(struct cmd *c)
{
	const struct prm_create_tir_in *in = c->in;
	const struct prm_tirc *ctx = prm_sub_const(in, ctx, tirc);
	struct prm_create_tir_out *out = c->out;
	struct tir *tir;

	if (check_tirc(c, ctx))
		return -1;
	tir = obj_create(c, OBJ_TIR, sizeof(*tir));
	if (!tir)
		return -1;
	tir->obj.release = tir_release;
	tir->ctx = *ctx;
	toeplitz_prepare(&tir->toeplitz, prm_bytes_const(ctx, rx_hash_toeplitz_key));
	if (hold_domain(c, tir))
		goto drop;
	if (prm_get(ctx, disp_type) == PRM_TIR_DIRECT) {
		tir->rq = obj_hold(c, OBJ_RQ, prm_get(ctx, inline_rqn), "inline_rqn");
		if (!tir->rq)
			goto drop;
	} else {
		tir->rqt = obj_hold(c, OBJ_RQT, prm_get(ctx, indirect_table), "indirect_table");
		if (!tir->rqt)
			goto drop;
	}
	prm_set(out, tirn, tir->obj.num);
	return 0;

drop:
	obj_free(tir);
	return -1;
}

static int run_modify_tir(struct cmd *c)
{
	const struct prm_modify_tir_in *in = c->in;
	const struct prm_tirc *ctx = prm_sub_const(in, ctx, tirc);
	struct tir *tir = obj_own(c, OBJ_TIR, prm_get(in, tirn), "tirn");

	if (!tir)
		return -1;
	if (is_set(c, in, bitmask.packet_merge, "but LRO is not advertised"))
		return -1;
	if (prm_get(in, bitmask.hash)) {
		if (check_hash(c, ctx, prm_get(&tir->ctx, tunneled_offload_en)))
			return -1;
		if (tir->rqt && prm_get(ctx, rx_hash_fn) == PRM_RX_HASH_NONE)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "indirect TIR 0x%x needs an rx_hash_fn", tir->obj.num);
		prm_set(&tir->ctx, rx_hash_fn, prm_get(ctx, rx_hash_fn));
		prm_set(&tir->ctx, rx_hash_symmetric, prm_get(ctx, rx_hash_symmetric));
		memcpy(prm_bytes(&tir->ctx, rx_hash_toeplitz_key),
		       prm_bytes_const(ctx, rx_hash_toeplitz_key), 40);
		toeplitz_prepare(&tir->toeplitz, prm_bytes_const(ctx, rx_hash_toeplitz_key));
		*prm_sub(&tir->ctx, rx_hash_field_selector_outer, rx_hash_field_select) =
			*prm_sub_const(ctx, rx_hash_field_selector_outer, rx_hash_field_select);
		*prm_sub(&tir->ctx, rx_hash_field_selector_inner, rx_hash_field_select) =
			*prm_sub_const(ctx, rx_hash_field_selector_inner, rx_hash_field_select);
	}
	if (prm_get(in, bitmask.self_lb_en))
		prm_set(&tir->ctx, self_lb_block, prm_get(ctx, self_lb_block));
	return 0;
}

static int run_query_tir(struct cmd *c)
{
	const struct prm_query_tir_in *in = c->in;
	struct prm_query_tir_out *out = c->out;
	struct tir *tir = obj_lookup(c, OBJ_TIR, prm_get(in, tirn), "tirn");

	if (!tir)
		return -1;
	*prm_sub(out, tir_context, tirc) = tir->ctx;
	return 0;
}

static int run_destroy_tir(struct cmd *c)
{
	const struct prm_destroy_tir_in *in = c->in;
	struct tir *tir = obj_own(c, OBJ_TIR, prm_get(in, tirn), "tirn");

	return tir ? obj_destroy(c, tir) : -1;
}

/* ---- transport domains ---- */

static int run_alloc_transport_domain(struct cmd *c)
{
	struct prm_alloc_transport_domain_out *out = c->out;
	struct obj *td = obj_create(c, OBJ_TD, sizeof(*td));

	if (!td)
		return -1;
	prm_set(out, transport_domain, td->num);
	return 0;
}

static int run_dealloc_transport_domain(struct cmd *c)
{
	const struct prm_dealloc_transport_domain_in *in = c->in;
	struct obj *td = obj_own(c, OBJ_TD, prm_get(in, transport_domain), "transport_domain");

	return td ? obj_destroy(c, td) : -1;
}

const struct cmd_desc cmds_tir[] = {
	CMD(alloc_transport_domain),
	CMD(dealloc_transport_domain),
	CMD(create_tis),
	CMD(modify_tis),
	CMD(query_tis),
	CMD(destroy_tis),
	CMD(create_rqt, .tail = true),
	CMD(modify_rqt, .tail = true),
	CMD(query_rqt),
	CMD(destroy_rqt),
	CMD(create_tir),
	CMD(modify_tir),
	CMD(query_tir),
	CMD(destroy_tir),
	{}
};
