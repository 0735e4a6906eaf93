// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Dynamically connected transport: data in completions, streams, contexts, capabilities. */
#include <errno.h>
#include <string.h>
#include "host.h"
#include "codec/caps.h"
#include "codec/dct.h"
#include "codec/qpc.h"
#include "policy/dc.h"

static const struct {
	const char *sentence;
	struct cxr_dc_scatter scatter;
	u8 req, res;
} scatter_cases[] = {
	{ "completions of 128 bytes hold 64 bytes of data, at both ends",
	  { .device = true, .offered = true, .all_signaled = true, .cqe_bytes = 128 }, 64, 64 },
	{ "completions of 64 bytes hold 32, of an initiator, if the device can do that",
	  { .device = true, .device_32 = true, .offered = true, .all_signaled = true,
	    .cqe_bytes = 64 }, 32, 0 },
	{ "and none if it cannot",
	  { .device = true, .offered = true, .all_signaled = true, .cqe_bytes = 64 }, 0, 0 },
	{ "an initiator whose requests do not all complete gets no data",
	  { .device = true, .device_32 = true, .offered = true, .cqe_bytes = 128 }, 0, 64 },
	{ "but if its program says that it is ready for that",
	  { .device = true, .offered = true, .unsignaled = true, .cqe_bytes = 128 }, 64, 64 },
	{ "a program that has not offered it gets none",
	  { .device = true, .device_32 = true, .unsignaled = true, .all_signaled = true,
	    .cqe_bytes = 128 }, 0, 0 },
	{ "nor does one on a device without it",
	  { .device_32 = true, .offered = true, .unsignaled = true, .all_signaled = true,
	    .cqe_bytes = 128 }, 0, 0 },
};

static const struct {
	const char *sentence;
	struct cxr_dc_streams asked;
	int err;
} stream_cases[] = {
	{ "an initiator may have as many streams as the device has", { 5, 3 }, 0 },
	{ "one stream, and one error", { 0, 0 }, 0 },
	{ "one more stream is refused", { 6, 0 }, -EINVAL },
	{ "one more error is refused", { 5, 4 }, -EINVAL },
	{ "a shift that no integer has is refused", { 255, 255 }, -EINVAL },
};

static void test_scatter(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scatter_cases); i++) {
		begin("dc", scatter_cases[i].sentence);
		expect(cxr_dc_scatter_req(&scatter_cases[i].scatter), scatter_cases[i].req);
		expect(cxr_dc_scatter_res(&scatter_cases[i].scatter), scatter_cases[i].res);
	}
}

static void test_streams(void)
{
	static const struct cxr_dc_streams max = { 5, 3 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(stream_cases); i++) {
		const char *why = "";

		begin("dc", stream_cases[i].sentence);
		expect(cxr_dc_streams_check(&max, &stream_cases[i].asked, &why),
		       stream_cases[i].err);
		expect(!*why, !stream_cases[i].err);
	}
}

static void test_dctc(void)
{
	/*
	 * user index; CQ, counters and access; responses and timer; SRQ; PD; class and label; key;
	 * MTU, port and pkey; address and hops; priority; extensions
	 */
	static const u8 bytes[64] = {
		[4] = 0, 0x12, 0x34, 0x56, [8] = 0, 0, 0, 0x22, 7, 0x1e, [17] = 2, 12,
		[20] = 0, 0, 0, 0x33, 0, 0, 0, 0x11, 106, 0x01, 0x23, 0x45,
		[32] = 1, 2, 3, 4, 5, 6, 7, 8, 5, 1, 0x12, 0x34, [45] = 9, 0, 64,
		[54] = 3, [60] = 0x10, 0, 0, 1,
	};
	struct cxr_dct dct = {
		.pdn = 0x11, .cqn = 0x22, .srqn = 0x33, .user_index = 0x123456,
		.key = 0x0102030405060708ULL, .ece = 0x10000001, .scatter_res = 64,
		.remote_read = true, .remote_write = true, .atomic_mode = PRM_QP_ATOMIC_IB,
		.pkey_index = 0x1234, .port = 1, .q_counter = 7, .min_rnr_timer = 12, .mtu = 5,
		.sgid_index = 9,
		.path = { .traffic_class = 106, .prio = 3, .hop_limit = 64, .flow_label = 0x12345 },
	};
	struct prm_dctc ctx = {};
	struct cxr_dct back;

	begin("dctc", "the context of a target, byte for byte");
	cxr_dctc_encode(&ctx, &dct);
	expect_bytes(&ctx, bytes, sizeof(bytes));

	begin("dctc", "a query decodes what a program can ask for");
	cxr_dctc_decode(&ctx, &back);
	expect(back.remote_read, true);
	expect(back.remote_write, true);
	expect(back.atomic_mode, PRM_QP_ATOMIC_IB);
	expect(back.pkey_index, 0x1234);
	expect(back.port, 1);
	expect(back.min_rnr_timer, 12);
	expect(back.mtu, 5);

	begin("dctc", "a target without access, and without data in completions");
	memset(&ctx, 0, sizeof(ctx));
	dct.scatter_res = 0;
	dct.remote_read = false;
	dct.remote_write = false;
	dct.atomic_mode = 0;
	cxr_dctc_encode(&ctx, &dct);
	expect(prm_get(&ctx, cs_res), 0);
	expect(prm_get(&ctx, rae), 0);
	cxr_dctc_decode(&ctx, &back);
	expect(back.remote_read, false);
	expect(back.remote_write, false);
	expect(back.atomic_mode, 0);
}

static void test_initiator(void)
{
	struct cxr_qp_create attr = {
		.type = CXR_QP_DCI, .no_rq = true, .srq = true, .srqn = 0x123456,
		.xrcd = 0xabcdef, .log_page_size = 12, .streams = { 4, 2 }, .block_lb_mc = true,
	};
	struct prm_qpc qpc = {};
	struct cxr_qp_mod mod;
	enum cxr_qp_state state;
	bool draining;

	begin("qpc", "an initiator of DC transport has an SRQ, an XRC domain and streams");
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, st), PRM_QP_ST_DCI);
	expect(prm_get(&qpc, rq_type), PRM_QP_RQ_SRQ);
	expect(prm_get(&qpc, srqn_rmpn_xrqn), 0x123456);
	expect(prm_get(&qpc, xrcd), 0xabcdef);
	expect(prm_get(&qpc, log_num_dci_stream_channels), 4);
	expect(prm_get(&qpc, log_num_dci_errored_streams), 2);
	expect(prm_get(&qpc, cs_req), 0);

	begin("qpc", "its multicast is never blocked: it has none");
	expect(prm_get(&qpc, block_lb_mc), 0);

	begin("qpc", "the size of the data in completions");
	attr.scatter_req = 32;
	attr.scatter_res = 32;
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, cs_req), PRM_QP_CS_REQ_32);
	expect(prm_get(&qpc, cs_res), PRM_QP_CS_RES_32);
	attr.scatter_req = 64;
	attr.scatter_res = 64;
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, cs_req), PRM_QP_CS_REQ_64);
	expect(prm_get(&qpc, cs_res), PRM_QP_CS_RES_64);

	begin("qpc", "a query recognizes an initiator of DC transport");
	prm_set(&qpc, state, PRM_QP_RTS);
	expect(cxr_qpc_decode(&qpc, &state, &draining, &mod), 0);
	expect(mod.type, CXR_QP_DCI);
}

static u8 atomic_mode(u32 operations, u32 sizes)
{
	struct prm_atomic_caps cap = {};
	struct cxr_caps caps = {};

	prm_set(&cap, atomic_operations, operations);
	prm_set(&cap, atomic_size_dc, sizes);
	cxr_caps_decode_atomic(&cap, &caps);
	return caps.dc_atomic_mode;
}

static void test_dc_caps(void)
{
	struct prm_cmd_hca_cap hca = {};
	struct cxr_caps caps = {};

	begin("caps", "DC transport, in a LAG, with streams and data in completions");
	prm_set(&hca, dct, 1);
	prm_set(&hca, lag_dct, 1);
	prm_set(&hca, dc_req_scat_data_cqe, 1);
	prm_set(&hca, log_max_dci_stream_channels, 6);
	prm_set(&hca, log_max_dci_errored_streams, 3);
	prm_set(&hca, log_max_ra_res_dc, 4);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.dct, true);
	expect(caps.lag_dct, true);
	expect(caps.dc_scatter_32, true);
	expect(caps.dc_streams.channels, 6);
	expect(caps.dc_streams.errored, 3);
	expect(caps.log_max_ra_res_dc, 4);

	begin("caps", "a target has the atomics of InfiniBand, or none");
	expect(atomic_mode(3, 0), PRM_QP_ATOMIC_IB);
	expect(atomic_mode(1, 8), PRM_QP_ATOMIC_NONE);
	expect(atomic_mode(0, 0), PRM_QP_ATOMIC_NONE);

	begin("caps", "with extended atomics its mode is the largest operand, up to 256 bytes");
	expect(atomic_mode(7, 8), PRM_QP_ATOMIC_8B);
	expect(atomic_mode(4, 4), PRM_QP_ATOMIC_8B);
	expect(atomic_mode(8, 0x18), 4);
	expect(atomic_mode(12, 0xfff8), 8);
	expect(atomic_mode(7, 0), PRM_QP_ATOMIC_IB);
	expect(atomic_mode(4, 0xfe00), PRM_QP_ATOMIC_NONE);
}

void test_dc(void)
{
	test_scatter();
	test_streams();
	test_dctc();
	test_initiator();
	test_dc_caps();
}
