// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Ethernet queue objects: which contexts are refused, who uses whom. */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "port/port.h"
#include "prm/vport.h"
#include "vfu_client.h"

static struct dut *a;
static struct dut_wq sq, rq;
static uint32_t tirn;

static void set_up(void)
{
	a = dut_create("a", 0);
	sq = dut_create_sq(a, 6, NULL);
	rq = dut_create_rq(a, 4, 6, NULL);
	tirn = dut_direct_tir(a, rq.num);
}

static void tear_down(void)
{
	dut_run();
	dut_destroy(a);
}

static void have(const char *name)
{
	struct cap cap;

	if (!cap_find(name, &cap) || hca_cap_change(a->dev, &cap, 1))
		exit(1);
}

static int set_uplink(unsigned int admin)
{
	struct prm_modify_vport_state_in in = {};
	struct prm_modify_vport_state_out out;

	prm_set(&in, op_mod, PRM_VPORT_UPLINK);
	prm_set(&in, admin_state, admin);
	return dut_cmd(a, modify_vport_state, &in, &out);
}

/* Of a card that manages its e-switch; it survives the driver, but no reset. */
static void test_uplink(void)
{
	set_up();
	ktap(set_uplink(PRM_VPORT_DOWN) && port_link_up(a->dev->port),
	     "the uplink's state is refused without an e-switch");
	have("eswitch_manager");
	have("uplink_follow");
	hca_caps_reset(a->dev);
	ktap(!set_uplink(PRM_VPORT_DOWN) && !port_link_up(a->dev->port), "the uplink is down");
	ktap(set_uplink(3) && !port_link_up(a->dev->port), "admin_state 3 is refused");
	ktap(!set_uplink(PRM_VPORT_AUTO) && port_link_up(a->dev->port), "the uplink is up");
	set_uplink(PRM_VPORT_DOWN);
	eth_state_stop(a->dev);
	ktap(!port_link_up(a->dev->port), "a driver finds it as the last one left it");
	eth_state_reset(a->dev);
	ktap(port_link_up(a->dev->port), "a reset restores it");
	tear_down();
}

static int try_sq(void (*edit)(struct prm_create_sq_in *in))
{
	struct prm_create_sq_in in = {};
	struct prm_create_sq_out out;
	uint64_t pas = htobe64(dut_alloc(a, 4096));
	struct dut_cq cq = dut_create_cq(a, 4);

	prm_set(&in, ctx.cqn, cq.num);
	prm_set(&in, ctx.wq.wq_type, PRM_WQ_CYCLIC);
	prm_set(&in, ctx.wq.pd, a->pd);
	prm_set(&in, ctx.wq.uar_page, a->uar);
	prm_set(&in, ctx.wq.log_wq_stride, 6);
	prm_set(&in, ctx.wq.log_wq_sz, 6);
	prm_set64(&in, ctx.wq.dbr_addr, cq.dbr);
	edit(&in);
	return dut_cmd_tail(a, create_sq, &in, &out, &pas, 8);
}

static void with_good(struct prm_create_sq_in *in)
{
	(void)in;
}

static void with_cqn(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.cqn, 0xffffff);
}

static void with_pd(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.wq.pd, 0xffffff);
}

static void with_uar(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.wq.uar_page, 0xffffff);
}

static void with_tis(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.tis_lst_sz, 1);
}

static void with_rdy(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.state, PRM_WQ_RDY);
}

static void with_type(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.wq.wq_type, PRM_WQ_LINKED_LIST);
}

static void with_stride(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.wq.log_wq_stride, 5);
}

static void with_large(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.wq.log_wq_sz, 16);
}

static void with_pas(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.wq.log_wq_sz, 7);
}

static void with_dbr(struct prm_create_sq_in *in)
{
	prm_set64(in, ctx.wq.dbr_addr, DUT_BASE + 4);
}

static void with_umr(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.reg_umr, 1);
}

static void with_reserved(struct prm_create_sq_in *in)
{
	prm_set(in, ctx.rsvd_40, 1);
}

static void with_uid(struct prm_create_sq_in *in)
{
	prm_set(in, rsvd_20, 1);
}

static void test_refused_sq(void)
{
	static const struct {
		const char *name;
		void (*edit)(struct prm_create_sq_in *in);
		int status;
	} cases[] = {
		{ "a valid context", with_good, PRM_STATUS_OK },
		{ "an unknown CQ", with_cqn, PRM_STATUS_BAD_RES },
		{ "an unknown PD", with_pd, PRM_STATUS_BAD_RES },
		{ "an unknown UAR", with_uar, PRM_STATUS_BAD_RES },
		{ "an unknown TIS", with_tis, PRM_STATUS_BAD_RES },
		{ "state RDY", with_rdy, PRM_STATUS_BAD_PARAM },
		{ "a linked list", with_type, PRM_STATUS_BAD_PARAM },
		{ "a stride of 32 bytes", with_stride, PRM_STATUS_BAD_PARAM },
		{ "more than 2^15 blocks", with_large, PRM_STATUS_BAD_PARAM },
		{ "too few pages", with_pas, PRM_STATUS_BAD_INP_LEN },
		{ "a misaligned doorbell record", with_dbr, PRM_STATUS_BAD_PARAM },
		{ "reg_umr, which is not advertised", with_umr, PRM_STATUS_BAD_PARAM },
		{ "a reserved bit of the context", with_reserved, PRM_STATUS_BAD_PARAM },
		{ "a reserved bit of the header", with_uid, PRM_STATUS_BAD_PARAM },
	};
	unsigned int i, objects;

	set_up();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int status;

		objects = obj_count(a->dev, OBJ_SQ);
		status = try_sq(cases[i].edit);
		ktap(status == cases[i].status && obj_count(a->dev, OBJ_SQ) == objects + !status,
		     "CREATE_SQ with %s returns status 0x%x", cases[i].name, cases[i].status);
	}
	tear_down();
}

static void test_references(void)
{
	struct prm_create_tir_in tir = {};
	struct prm_create_tir_out tir_out;
	uint32_t num;

	set_up();
	ktap(dut_destroy_obj(a, PRM_OP_destroy_cq, sq.cq.num) == PRM_STATUS_RES_BUSY,
	     "the CQ of an SQ cannot be destroyed");
	ktap(dut_destroy_obj(a, PRM_OP_dealloc_pd, a->pd) == PRM_STATUS_RES_BUSY,
	     "the PD of an SQ cannot be destroyed");
	ktap(dut_destroy_obj(a, PRM_OP_dealloc_uar, a->uar) == PRM_STATUS_RES_BUSY,
	     "the UAR of an SQ cannot be destroyed");
	num = obj_count(a->dev, OBJ_TIS);
	ktap(dut_destroy_obj(a, PRM_OP_destroy_tis,
			     prm_get(&((struct sq *)obj_find(a->dev, OBJ_SQ, sq.num))->ctx,
				     tis_num_0)) == PRM_STATUS_RES_BUSY &&
		     obj_count(a->dev, OBJ_TIS) == num,
	     "the TIS of an SQ cannot be destroyed");
	ktap(!dut_destroy_obj(a, PRM_OP_destroy_sq, sq.num) &&
	     !dut_destroy_obj(a, PRM_OP_destroy_cq, sq.cq.num),
	     "without the SQ its CQ can be destroyed");
	ktap(dut_destroy_obj(a, PRM_OP_destroy_sq, sq.num) == PRM_STATUS_BAD_RES,
	     "an SQ cannot be destroyed twice");
	ktap(dut_destroy_obj(a, PRM_OP_destroy_rq, rq.num) == PRM_STATUS_RES_BUSY,
	     "the RQ of a TIR cannot be destroyed");
	ktap(!dut_destroy_obj(a, PRM_OP_destroy_tir, tirn) &&
	     !dut_destroy_obj(a, PRM_OP_destroy_rq, rq.num),
	     "without the TIR its RQ can be destroyed");
	prm_set(&tir, ctx.transport_domain, a->td);
	prm_set(&tir, ctx.inline_rqn, 0x123456);
	ktap(dut_cmd(a, create_tir, &tir, &tir_out) == PRM_STATUS_BAD_RES,
	     "CREATE_TIR refuses an unknown RQ");
	prm_set(&tir, ctx.disp_type, PRM_TIR_INDIRECT);
	ktap(dut_cmd(a, create_tir, &tir, &tir_out) == PRM_STATUS_BAD_PARAM,
	     "CREATE_TIR refuses an indirect TIR with inline_rqn");
	tear_down();
}

int main(void)
{
	ktap_plan(30);
	test_uplink();
	test_refused_sq();
	test_references();
	return ktap_end();
}
