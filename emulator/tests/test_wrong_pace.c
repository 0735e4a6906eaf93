// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong about packet pacing, one thing at a time. */
#include "prm/devx.h"
#include "prm/nic.h"
#include "prm/rate.h"
#include "wrong.h"

#define GONE PRM_STATUS_BAD_RES
#define INDEX ctx.packet_pacing_rate_limit_index

static uint32_t own, other;	/* contexts */

static uint32_t create_uctx(void)
{
	struct prm_create_uctx_in in = {};

	prm_set(&in, cap, PRM_UCTX_RAW_TX);
	return rig_create(&WRONG_CMD(create_uctx, &in)) & 0xffff;
}

static struct prm_set_pp_rate_limit_in good_rate(unsigned int index, uint32_t uid)
{
	struct prm_set_pp_rate_limit_in in = {};

	prm_set(&in, uid, uid);
	prm_set(&in, rate_limit_index, index);
	prm_set(&in, ctx.rate_limit, 1000);
	return in;
}

static void wrong_rate(void)
{
	static const struct wrong_row rows[] = {
		F(set_pp_rate_limit, rate_limit_index, 0,
		  "rate_limit_index 0 is not within 1 to 127"),
		F(set_pp_rate_limit, rate_limit_index, 128,
		  "rate_limit_index 128 is not within 1 to 127"),
		F(set_pp_rate_limit, ctx.rate_limit, 100000001,
		  "rate_limit 100000001 is not within 1 to 100000000"),
	};
	static const struct wrong_row another[] = {
		F(set_pp_rate_limit, rate_limit_index, 2, "rate_limit_index 2 is of uid 0x*",
		  .status = GONE),
	};
	struct prm_set_pp_rate_limit_in rate = good_rate(1, 0), theirs = good_rate(2, own),
					in = good_rate(3, other);

	WRONG(&WRONG_CMD(set_pp_rate_limit, &rate), rows);
	rig_create(&WRONG_CMD(set_pp_rate_limit, &theirs));
	WRONG_ONLY(&WRONG_CMD(set_pp_rate_limit, &in), another);
}

static uint32_t create_pd(void)
{
	struct prm_alloc_pd_in in = {};

	prm_set(&in, uid, other);
	return rig_create(&WRONG_CMD(alloc_pd, &in));
}

/* Rate 1 is the driver's, 2 of the first context, 3 of the other. */
static void wrong_queue(void)
{
	static const struct wrong_row create[] = {
		F(create_sq, INDEX, 9, "packet_pacing_rate_limit_index 9: the rate is not set",
		  .status = GONE),
		F(create_sq, INDEX, 300, "packet_pacing_rate_limit_index 300: the rate is not set",
		  .status = GONE),
	};
	static const struct wrong_row modify[] = {
		F(modify_sq, modify_bitmask, 2,
		  "modify_bitmask 0x2: an SQ has a state and a rate to modify"),
		F(modify_sq, INDEX, 9, "packet_pacing_rate_limit_index 9: the rate is not set",
		  AND(modify_sq, modify_bitmask, PRM_MODIFY_SQ_RATE), .status = GONE),
	};
	static const struct wrong_row theirs[] = {
		F(create_sq, INDEX, 2, "packet_pacing_rate_limit_index 2: the rate is of uid 0x*",
		  .status = GONE),
		F(create_sq, INDEX, 1, "packet_pacing_rate_limit_index 1: the rate is of uid 0x0",
		  .status = GONE),
	};
	struct { struct prm_create_sq_in in; __be64 pas[1]; } b = {};
	struct prm_modify_sq_in change = {};

	prm_set(&b.in, ctx.cqn, rig.cq);
	prm_set(&b.in, ctx.wq.wq_type, PRM_WQ_CYCLIC);
	prm_set(&b.in, ctx.wq.pd, rig.pd);
	prm_set(&b.in, ctx.wq.uar_page, rig.uar);
	prm_set(&b.in, ctx.wq.log_wq_stride, 6);
	prm_set(&b.in, ctx.wq.log_wq_sz, 4);
	prm_set64(&b.in, ctx.wq.dbr_addr, rig_page());
	prm_set(&b.in, INDEX, 2);
	b.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_sq, &b), create);
	prm_set(&change, sqn, rig_create(&WRONG_CMD(create_sq, &b)));
	prm_set(&change, ctx.state, PRM_WQ_RDY);
	WRONG(&WRONG_CMD(modify_sq, &change), modify);

	prm_set(&b.in, uid, other);
	prm_set(&b.in, ctx.wq.pd, create_pd());
	WRONG_ONLY(&WRONG_CMD(create_sq, &b), theirs);
}

/* A card that does not announce packet pacing */
static void not_announced(const char *bin_dir)
{
	static const struct wrong_row set[] = {
		{ .field = "", .status = PRM_STATUS_BAD_OP,
		  .text = "packet pacing is not advertised" },
	};
	struct prm_set_pp_rate_limit_in in = good_rate(1, 0);

	rig_open(bin_dir);
	WRONG_ONLY(&WRONG_CMD(set_pp_rate_limit, &in), set);
	ktap(rig_close() == 3, "not announced: exit status 3");
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(0);
	not_announced(argv[1]);
	rig_open_card(argv[1], 1, "cx6dx,devx");
	own = create_uctx();
	other = create_uctx();
	wrong_rate();
	wrong_queue();
	ktap(rig_close() == 3, "exit status 3");
	return ktap_end();
}
