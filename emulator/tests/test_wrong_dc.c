// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong about DC transport, one thing at a time. */
#include "prm/dct.h"
#include "prm/devx.h"
#include "prm/nic.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "wrong.h"

#define GONE PRM_STATUS_BAD_RES
#define CTX dct_context_entry

static uint32_t srq;

static void make_srq(void)
{
	struct { struct prm_create_rmp_in in; __be64 pas[1]; } b = {};

	prm_set(&b.in, ctx.state, PRM_WQ_RDY);
	prm_set(&b.in, ctx.wq.pd, rig.pd);
	prm_set(&b.in, ctx.wq.log_wq_stride, 6);
	prm_set(&b.in, ctx.wq.log_wq_sz, 4);
	prm_set64(&b.in, ctx.wq.dbr_addr, rig_page());
	b.pas[0] = cpu_to_be64(rig_page());
	srq = rig_create(&WRONG_CMD(create_rmp, &b));
}

static struct prm_create_dct_in good_dct(void)
{
	struct prm_create_dct_in in = {};

	prm_set(&in, CTX.pd, rig.pd);
	prm_set(&in, CTX.cqn, rig.cq);
	prm_set(&in, CTX.srqn_xrqn, srq);
	prm_set(&in, CTX.port, 1);
	prm_set(&in, CTX.mtu, PRM_QP_MTU_1024);
	prm_set(&in, CTX.user_index, 0xffffff);
	return in;
}

static const struct wrong_row dct_rows[] = {
	F(create_dct, CTX.state, 1, "state is set (0x1), but a DCT is made active"),
	F(create_dct, CTX.dc_access_key_violation_count, 1,
	  "dc_access_key_violation_count is set (0x1), but the device counts them"),
	F(create_dct, CTX.atomic_like_write_en, 1,
	  "atomic_like_write_en is set (0x1), but it is not supported"),
	F(create_dct, CTX.free_ar, 1, "free_ar is set (0x1), but it is not supported"),
	F(create_dct, CTX.ece, 1, "ece is set (0x1), but ECE is not advertised"),
	F(create_dct, CTX.cs_res, 1, "cs_res is set (0x1), but scatter to CQE is not advertised"),
	F(create_dct, CTX.atomic_mode, 4, "dctc.atomic_mode 4 with rae 0"),
	F(create_dct, CTX.rae, 1, "dctc.atomic_mode 0 with rae 1"),
	F(create_dct, CTX.port, 2, "a DCT needs port 1, not 2"),
	F(create_dct, CTX.mtu, 6, "dctc.mtu 6 is not one of 1 (256) to 5 (4096)"),
	F(create_dct, CTX.mtu, 0, "dctc.mtu 0 is not one of 1 (256) to 5 (4096)"),
	F(create_dct, CTX.my_addr_index, 9,
	  "dctc.my_addr_index 9: the RoCE address table is empty there"),
	F(create_dct, CTX.pkey_index, 1, "pkey_index is set (0x1), but the table has one P_Key"),
	F(create_dct, CTX.pd, 0xabcdef, "dctc.pd: there is no PD 0xabcdef", .status = GONE),
	F(create_dct, CTX.cqn, 0xabcdef, "dctc.cqn: there is no CQ 0xabcdef", .status = GONE),
	F(create_dct, CTX.srqn_xrqn, 0, "dctc.srqn_xrqn: there is no RMP 0x0", .status = GONE),
	F(create_dct, CTX.counter_set_id, 99,
	  "dctc.counter_set_id: there is no Q_COUNTER 0x63", .status = GONE),
};

static void wrong_dct(void)
{
	static const struct wrong_row active[] = {
		{ .field = "of an active DCT", .status = PRM_STATUS_BAD_RES_STATE,
		  .text = "DCT 0x* is not drained" },
	};
	static const struct wrong_row none[] = {
		F(query_dct, dctn, 0xabcdef, "dctn: there is no DCT 0xabcdef", .status = GONE),
	};
	static const struct wrong_row longer[] = {
		{ .field = "more of it", .bit = sizeof(struct prm_create_dct_in) * 8, .width = 32,
		  .value = 1, .text = "the context of the DCT goes on behind its end" },
	};
	struct { struct prm_create_dct_in in; __be32 more[12]; } long_in = { .in = good_dct() };
	struct prm_create_dct_in in = good_dct();
	struct prm_destroy_dct_in destroy = {};
	struct prm_drain_dct_in drain = {};
	struct prm_query_dct_in query = {};
	uint32_t dctn;

	wrong_rows_only(&WRONG_CMD(create_dct, &in), dct_rows,
			sizeof(dct_rows) / sizeof(dct_rows[0]));
	WRONG_ONLY(&WRONG_CMD(create_dct, &long_in), longer);
	rig_create(&WRONG_CMD(create_dct, &long_in));
	dctn = rig_create(&WRONG_CMD(create_dct, &in));
	prm_set(&query, dctn, dctn);
	WRONG(&WRONG_CMD(query_dct, &query), none);
	prm_set(&destroy, dctn, dctn);
	WRONG_ONLY(&WRONG_CMD(destroy_dct, &destroy), active);
	prm_set(&drain, dctn, dctn);
	rig_create(&WRONG_CMD(drain_dct, &drain));
	while (rig_send(&WRONG_CMD(destroy_dct, &destroy), &dctn))
		;
}

/* Of a user context, with the same reasons. */
static void wrong_user(void)
{
	static const struct wrong_row rows[] = {
		F(create_dct, CTX.rlky, 1, "rlky is set (0x1), but the DCT is of a user context"),
	};
	struct prm_create_uctx_in context = {};
	struct prm_create_dct_in in = good_dct();

	prm_set(&in, uid, rig_create(&WRONG_CMD(create_uctx, &context)) & 0xffff);
	WRONG_ONLY(&WRONG_CMD(create_dct, &in), rows);
}

static void wrong_dci(void)
{
	static const struct wrong_row rows[] = {
		F(create_qp, qpc.no_sq, 1, "qpc.no_sq is set, but a DCI only sends"),
		F(create_qp, qpc.st, 0,
		  "log_num_dci_stream_channels is set (0x1), but the QP is no DCI"),
		F(create_qp, qpc.st, 0,
		  "log_num_dci_errored_streams is set (0x1), but the QP is no DCI",
		  AND(create_qp, qpc.log_num_dci_stream_channels, 0)),
	};
	struct { struct prm_create_qp_in in; __be64 pas[1]; } b = {};

	prm_set(&b.in, qpc.st, PRM_QP_ST_DCI);
	prm_set(&b.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&b.in, qpc.pd, rig.pd);
	prm_set(&b.in, qpc.uar_page, rig.uar);
	prm_set(&b.in, qpc.rq_type, PRM_QP_RQ_NONE);
	prm_set(&b.in, qpc.log_sq_size, 4);
	prm_set(&b.in, qpc.cqn_snd, rig.cq);
	prm_set(&b.in, qpc.cqn_rcv, rig.cq);
	prm_set(&b.in, qpc.log_num_dci_stream_channels, 1);
	prm_set(&b.in, qpc.log_num_dci_errored_streams, 1);
	prm_set64(&b.in, qpc.dbr_addr, rig_page());
	b.pas[0] = cpu_to_be64(rig_page());
	WRONG(&WRONG_CMD(create_qp, &b), rows);
}

/* A card without the key announces nothing of it. */
static void without_key(const char *bin_dir)
{
	static const struct wrong_row dct[] = {
		{ .field = "", .status = PRM_STATUS_BAD_OP, .text = "dct is not announced" },
	};
	static const struct wrong_row dci[] = {
		F(create_qp, qpc.st, PRM_QP_ST_DCI, "qpc.st 0x5: dct is not announced"),
	};
	struct { struct prm_create_qp_in in; __be64 pas[1]; } b = {};
	struct prm_create_dct_in in = {};

	rig_open(bin_dir);
	WRONG_ONLY(&WRONG_CMD(create_dct, &in), dct);
	prm_set(&b.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	WRONG_ONLY(&WRONG_CMD(create_qp, &b), dci);
	ktap(rig_close() == 3, "without the key: exit status 3");
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(0);
	without_key(argv[1]);
	rig_open_card(argv[1], 1, "cx6dx,devx");
	rig_address();
	make_srq();
	wrong_dct();
	wrong_user();
	wrong_dci();
	ktap(rig_close() == 3, "exit status 3");
	return ktap_end();
}
