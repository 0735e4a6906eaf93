// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The codecs of device input: addresses, QP contexts, WQEs. */
#include <errno.h>
#include <string.h>
#include "host.h"
#include "codec/addrpath.h"
#include "codec/qpc.h"
#include "codec/umr.h"
#include "codec/wqe.h"

static const struct cxr_addr addr_v2 = {
	.dgid = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2 },
	.dmac = { 2, 3, 4, 5, 6, 7 },
	.sgid_index = 5,
	.port = 1,
	.static_rate = 3,
	.pkey_index = 0x1234,
	.ack_timeout = 14,
	.path = { .traffic_class = 106, .dscp = 26, .ecn = 2, .prio = 3, .hop_limit = 64,
	  .flow_label = 0x12345,
		  .udp_sport = 0xc123 },
};

static void test_roce_addr(void)
{
	/* GID; VLAN, MAC; IP version, RoCE version */
	static const u8 bytes[] = {
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 1,
		0x10, 100, 2, 3, 4, 5, 6, 7, 0, 0, 1, 2, 0, 0, 0, 0,
	};
	struct cxr_gid_entry entry = {
		.gid = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 1 },
		.mac = { 2, 3, 4, 5, 6, 7 },
		.vlan_valid = true,
		.vlan = 100,
		.type = CXR_GID_V2,
		.ip = CXR_GID_IPV6,
	};
	struct prm_roce_addr_layout addr = {};

	begin("addrpath", "an entry of the address table, byte for byte");
	cxr_roce_addr_encode(&addr, &entry);
	expect_bytes(&addr, bytes, sizeof(bytes));

	begin("addrpath", "an IPv4 entry of v2, and one of v1, which has no other network layer");
	entry.ip = CXR_GID_IPV4;
	cxr_roce_addr_encode(&addr, &entry);
	expect(prm_get(&addr, roce_l3_type), PRM_ROCE_L3_IPV4);
	expect(prm_get(&addr, roce_version), PRM_ROCE_V2);
	entry.type = CXR_GID_V1;
	entry.ip = CXR_GID_IP_NONE;
	cxr_roce_addr_encode(&addr, &entry);
	expect(prm_get(&addr, roce_l3_type), PRM_ROCE_L3_IPV4);
	expect(prm_get(&addr, roce_version), PRM_ROCE_V1);
}

void test_addrpath(void)
{
	/*
	 * pkey; timeout << 3, source; rate, hops; class, label; GID; flags, ECN and DSCP, UDP port;
	 * priority, vport, MAC
	 */
	static const u8 ads_bytes[] = {
		0, 0, 0x12, 0x34, 0, 0, 0, 0, 14 << 3, 5, 3, 64, 0x06, 0xa1, 0x23, 0x45,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2,
		0, 0x80 | 26, 0xc1, 0x23, 0x30, 1, 2, 3, 4, 5, 6, 7,
	};
	static const u8 av_bytes[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3 << 4 | 3 << 1, 0, 0xc1, 0x23,
		0, 0, 0, 0, 2, 3, 4, 5, 6, 7, 106, 64, 0x40, 0x51, 0x23, 0x45,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2,
	};
	struct prm_ads ads = {};
	struct cxr_addr back;
	struct prm_av av;

	begin("addrpath", "an address path of a QP context, byte for byte");
	cxr_ads_encode(&ads, &addr_v2);
	expect_bytes(&ads, ads_bytes, sizeof(ads_bytes));

	begin("addrpath", "decoding reverses encoding");
	cxr_ads_decode(&ads, &back);
	expect_bytes(back.dgid, addr_v2.dgid, 16);
	expect_bytes(back.dmac, addr_v2.dmac, 6);
	expect(back.sgid_index, 5);
	expect(back.port, 1);
	expect(back.static_rate, 3);
	expect(back.pkey_index, 0x1234);
	expect(back.ack_timeout, 14);
	expect(back.path.traffic_class, 106);
	expect(back.path.dscp, 26);
	expect(back.path.ecn, 2);
	expect(back.path.prio, 3);
	expect(back.path.hop_limit, 64);
	expect(back.path.flow_label, 0x12345);
	expect(back.path.udp_sport, 0xc123);

	begin("addrpath", "an address vector, byte for byte");
	memset(&av, 0xff, sizeof(av));
	cxr_av_encode(&av, &addr_v2);
	expect_bytes(&av, av_bytes, sizeof(av_bytes));

	begin("addrpath", "an address vector decoded and encoded again is the same");
	cxr_av_decode(&av, &back);
	memset(&av, 0xff, sizeof(av));
	cxr_av_encode(&av, &back);
	expect_bytes(&av, av_bytes, sizeof(av_bytes));

	test_roce_addr();
}

static const struct {
	const char *sentence;
	u32 opts, mask;
} opt_cases[] = {
	{ "no options: empty mask", 0, 0 },
	{ "access: three bits for read, atomic, write", CXR_QP_OPT_ACCESS, 0x0e },
	{ "P_Key and Q_Key", CXR_QP_OPT_PKEY | CXR_QP_OPT_QKEY, 0x30 },
	{ "address path and ACK timeout", CXR_QP_OPT_PATH | CXR_QP_OPT_ACK_TIMEOUT, 0x4080 },
	{ "max_rd_atomic and max_dest_rd_atomic",
	  CXR_QP_OPT_MAX_RD | CXR_QP_OPT_MAX_DEST_RD, 0x300 },
	{ "retry_cnt and rnr_retry", CXR_QP_OPT_RETRY | CXR_QP_OPT_RNR_RETRY, 0x3000 },
	{ "write access: one bit", CXR_QP_OPT_WRITE, 0x08 },
	{ "counter set", CXR_QP_OPT_COUNTER, 0x2000000 },
	{ "DSCP of the path", CXR_QP_OPT_DSCP, 0x20000 },
	{ "RNR timer and port", CXR_QP_OPT_RNR_TIMER | CXR_QP_OPT_PORT, 0x10040 },
};

static const struct cxr_qp_create new_qp = {
	.type = CXR_QP_RC, .pdn = 0x11, .cqn_snd = 0x22, .cqn_rcv = 0x33, .uar = 0x44,
	.user_index = 0x55, .q_counter = 6, .log_sq_size = 7, .log_rq_size = 8,
	.log_rq_stride = 6, .log_page_size = 12, .page_offset = 3, .db_dma = 0x123456780ULL,
};

static void test_qpc_create(void)
{
	struct cxr_qp_create attr = new_qp;
	struct prm_qpc qpc = {};

	begin("qpc", "a new RC QP");
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, st), PRM_QP_ST_RC);
	expect(prm_get(&qpc, pm_state), PRM_QP_PM_MIGRATED);
	expect(prm_get(&qpc, pd), 0x11);
	expect(prm_get(&qpc, cqn_snd), 0x22);
	expect(prm_get(&qpc, cqn_rcv), 0x33);
	expect(prm_get(&qpc, uar_page), 0x44);
	expect(prm_get(&qpc, user_index), 0x55);
	expect(prm_get(&qpc, counter_set_id), 6);
	expect(prm_get(&qpc, block_lb_mc), 0);
	expect(prm_get(&qpc, fre), 0);
	expect(prm_get(&qpc, log_sq_size), 7);
	expect(prm_get(&qpc, log_rq_size), 8);
	expect(prm_get(&qpc, page_offset), 3);
	expect(prm_get64(&qpc, dbr_addr), 0x123456780ULL);

	begin("qpc", "strides are relative to 16 bytes, page sizes to 4 KiB");
	expect(prm_get(&qpc, log_rq_stride), 2);
	expect(prm_get(&qpc, log_page_size), 0);

	begin("qpc", "a missing queue has size 0");
	memset(&qpc, 0, sizeof(qpc));
	attr.no_sq = true;
	attr.no_rq = true;
	attr.type = CXR_QP_GSI;
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, no_sq), 1);
	expect(prm_get(&qpc, log_sq_size), 0);
	expect(prm_get(&qpc, rq_type), PRM_QP_RQ_NONE);
	expect(prm_get(&qpc, log_rq_size), 0);
	expect(prm_get(&qpc, st), PRM_QP_ST_QP1);
	expect(prm_get(&qpc, srqn_rmpn_xrqn), 0);
}

/* QPs on an SRQ or without queues. */
static void test_qpc_create_srq(void)
{
	struct cxr_qp_create attr = new_qp;
	struct prm_qpc qpc = {};

	begin("qpc", "a QP on an SRQ has no receive queue of its own");
	attr.type = CXR_QP_GSI;
	attr.no_sq = true;
	attr.no_rq = true;
	attr.srq = true;
	attr.srqn = 0x123456;
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, rq_type), PRM_QP_RQ_SRQ);
	expect(prm_get(&qpc, srqn_rmpn_xrqn), 0x123456);
	expect(prm_get(&qpc, log_rq_size), 0);
	expect(prm_get(&qpc, log_rq_stride), 0);
	expect(prm_get(&qpc, xrcd), 0);

	begin("qpc", "a QP with multicast loopback blocked");
	memset(&qpc, 0, sizeof(qpc));
	attr.type = CXR_QP_UD;
	attr.block_lb_mc = true;
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, st), PRM_QP_ST_UD);
	expect(prm_get(&qpc, block_lb_mc), 1);

	begin("qpc", "an XRC QP has an XRC domain and an SRQ");
	memset(&qpc, 0, sizeof(qpc));
	attr.type = CXR_QP_XRC;
	attr.xrcd = 0xabcdef;
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, st), PRM_QP_ST_XRC);
	expect(prm_get(&qpc, rq_type), PRM_QP_RQ_SRQ);
	expect(prm_get(&qpc, srqn_rmpn_xrqn), 0x123456);
	expect(prm_get(&qpc, xrcd), 0xabcdef);

	begin("qpc", "the UMR QP has its own type and fast registration enabled");
	memset(&qpc, 0, sizeof(qpc));
	attr.type = CXR_QP_UMR;
	attr.fast_reg = true;
	cxr_qpc_encode_create(&qpc, &attr);
	expect(prm_get(&qpc, st), PRM_QP_ST_REG_UMR);
	expect(prm_get(&qpc, fre), 1);
}

static void expect_same_mod(const struct cxr_qp_mod *back, const struct cxr_qp_mod *mod)
{
	expect_bytes(&back->addr, &mod->addr, sizeof(mod->addr));
	expect(back->type, mod->type);
	expect(back->port, mod->port);
	expect(back->pkey_index, mod->pkey_index);
	expect(back->qkey, mod->qkey);
	expect(back->remote_read, mod->remote_read);
	expect(back->remote_write, mod->remote_write);
	expect(back->remote_atomic, mod->remote_atomic);
	expect(back->mtu, mod->mtu);
	expect(back->log_msg_max, mod->log_msg_max);
	expect(back->dest_qpn, mod->dest_qpn);
	expect(back->rq_psn, mod->rq_psn);
	expect(back->sq_psn, mod->sq_psn);
	expect(back->log_max_rd, mod->log_max_rd);
	expect(back->log_max_dest_rd, mod->log_max_dest_rd);
	expect(back->min_rnr_timer, mod->min_rnr_timer);
	expect(back->retry_cnt, mod->retry_cnt);
	expect(back->lag_port, mod->lag_port);
	expect(back->rnr_retry, mod->rnr_retry);
	expect(back->pdn, mod->pdn);
	expect(back->cqn_snd, mod->cqn_snd);
	expect(back->cqn_rcv, mod->cqn_rcv);
	expect(back->q_counter, mod->q_counter);
	expect(back->db_dma, mod->db_dma);
}

static void test_qpc_mod(void)
{
	struct cxr_qp_mod mod = {
		.type = CXR_QP_UC, .port = 1, .pkey_index = 9, .qkey = 0x80010000,
		  .remote_write = true,
		.remote_atomic = true, .mtu = 5, .log_msg_max = 30, .dest_qpn = 0xabcdef,
		  .rq_psn = 0x111111,
		.sq_psn = 0x222222, .log_max_rd = 4, .log_max_dest_rd = 3, .min_rnr_timer = 12,
		  .retry_cnt = 7,
		.rnr_retry = 6, .lag_port = 2, .addr = addr_v2, .pdn = 1, .cqn_snd = 2,
		  .cqn_rcv = 3, .q_counter = 4,
		.db_dma = 0x1000,
	};
	struct prm_qpc qpc = {};
	struct cxr_qp_mod back;
	enum cxr_qp_state state;
	bool draining;

	begin("qpc", "a query decodes what a transition encoded");
	cxr_qpc_encode_mod(&qpc, &mod);
	prm_set(&qpc, state, PRM_QP_RTS);
	expect(cxr_qpc_decode(&qpc, &state, &draining, &back), 0);
	expect(state, CXR_QPS_RTS);
	expect(draining, false);
	mod.addr.pkey_index = 9;
	expect_same_mod(&back, &mod);

	begin("qpc", "remote atomic access sets the atomic mode");
	expect(prm_get(&qpc, atomic_mode), PRM_QP_ATOMIC_IB);

	begin("qpc", "a draining send queue is decoded as SQD");
	prm_set(&qpc, state, PRM_QP_SQ_DRAINING);
	expect(cxr_qpc_decode(&qpc, &state, &draining, &back), 0);
	expect(state, CXR_QPS_SQD);
	expect(draining, true);

	begin("qpc", "a query recognizes an XRC QP");
	prm_set(&qpc, st, PRM_QP_ST_XRC);
	expect(cxr_qpc_decode(&qpc, &state, &draining, &back), 0);
	expect(back.type, CXR_QP_XRC);

	begin("qpc", "an unknown state is refused");
	prm_set(&qpc, state, 12);
	expect(cxr_qpc_decode(&qpc, &state, &draining, &back), -EPROTO);

	begin("qpc", "an unsupported service type is refused");
	prm_set(&qpc, state, PRM_QP_RTS);
	prm_set(&qpc, st, PRM_QP_ST_DCT);
	expect(cxr_qpc_decode(&qpc, &state, &draining, &back), -EPROTO);
}

void test_qpc(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opt_cases); i++) {
		begin("qpc options", opt_cases[i].sentence);
		expect(cxr_qp_opt_encode(opt_cases[i].opts), opt_cases[i].mask);
	}
	test_qpc_create();
	test_qpc_create_srq();
	test_qpc_mod();
}

static void test_wqe_eth(void)
{
	static const u8 headers[] = { 0x52, 0x54, 0, 1 };
	static const u8 full[] = { 0, 0, 0, 0, 0xc0, 0, 5, 0xb4, 0, 0, 0, 0, 0, 18, 0x52, 0x54 };
	static const u8 plain[16];
	u8 seg[16];

	begin("wqe", "an Ethernet segment with checksums, segment size and 18 inline bytes");
	memset(seg, 0xff, sizeof(seg));
	cxr_wqe_eth((void *)seg, CXR_WQE_CSUM, 1460, headers, 18);
	expect_bytes(seg, full, 16);

	begin("wqe", "of a tunnel the outer L4 checksum is not the device's");
	cxr_wqe_eth((void *)seg, CXR_WQE_CSUM_INNER, 0, NULL, 0);
	expect(seg[4], 0x70);

	begin("wqe", "an Ethernet segment without offloads is zero");
	memset(seg, 0xff, sizeof(seg));
	cxr_wqe_eth((void *)seg, CXR_WQE_NO_CSUM, 0, NULL, 0);
	expect_bytes(seg, plain, 16);
}

static const struct {
	const char *sentence;
	u32 flags;
	u8 fence;
} fence_cases[] = {
	{ "no fence", 0, 0x00 },
	{ "a fence for READs and atomics", CXR_WQE_FENCE, 0x40 },
	{ "a fence for UMR WQEs", CXR_WQE_FENCE_SMALL, 0x20 },
	{ "both fences", CXR_WQE_FENCE | CXR_WQE_FENCE_SMALL, 0x80 },
	{ "a strong fence overrides the others", CXR_WQE_FENCE | CXR_WQE_FENCE_STRONG, 0x60 },
};

static void test_wqe_strides(void)
{
	begin("wqe", "2^9 to 2^16 strides are 0 to 7, 2^3 to 2^8 are 10 to 15");
	expect(cxr_wqe_strides(9), 0);
	expect(cxr_wqe_strides(16), 7);
	expect(cxr_wqe_strides(3), 10);
	expect(cxr_wqe_strides(8), 15);
}

static void test_wqe_atomic(void)
{
	static const u8 atomic[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0x12, 0x34 };
	struct prm_wqe_ctrl_seg ctrl;
	unsigned int i;
	u8 seg[16];

	begin("wqe", "an atomic segment: swap or add value, then compare value");
	cxr_wqe_atomic((void *)seg, 0x0102030405060708ULL, 0x1234);
	expect_bytes(seg, atomic, 16);

	for (i = 0; i < ARRAY_SIZE(fence_cases); i++) {
		begin("wqe fence", fence_cases[i].sentence);
		cxr_wqe_ctrl(&ctrl, 1, 0, PRM_WQE_UMR, 0, 3, fence_cases[i].flags, 0);
		expect(ctrl.fm_ce_se, fence_cases[i].fence);
	}
}

/* By the QP for user memory. */
static void test_umr_user(void)
{
	const struct cxr_fast_reg reg = {
		.key = 0x123456ab, .access = CXR_ACCESS_REMOTE_WRITE, .va = 0x7f0000000123ULL,
		.len = 0x8000, .npages = 9, .log_page_size = 12,
	};
	struct prm_wqe_umr_ctrl_seg ctrl;
	struct prm_mkc mkc;

	begin("umr", "a free key of user memory gets all that makes a key, and a PD");
	cxr_umr_enable(&ctrl, &mkc, &reg, 0x77, true);
	expect(ctrl.flags, 0x20);
	expect(be16_to_cpu(ctrl.xlt_octowords), 8);
	expect(be64_to_cpu(ctrl.mkey_mask), 0x203e20c3);
	expect(prm_get(&mkc, pd), 0x77);
	expect(prm_get(&mkc, mkey_7_0), 0xab);
	expect(prm_get(&mkc, lr) && prm_get(&mkc, rw), true);
	expect(prm_get(&mkc, a) || prm_get(&mkc, free) || prm_get(&mkc, en_rinval), false);
	expect(prm_get64(&mkc, start_addr), 0x7f0000000123ULL);
	expect(prm_get64(&mkc, len), 0x8000);

	begin("umr", "atomic access of user memory is not in the mask where it cannot change");
	cxr_umr_enable(&ctrl, &mkc, &reg, 0x77, false);
	expect(be64_to_cpu(ctrl.mkey_mask), 0x201e20c3);

	begin("umr", "a revoked key is free, and another PD's");
	cxr_umr_revoke(&ctrl, &mkc, 0x123456ab, 0x78);
	expect(ctrl.flags, 0xc0);
	expect(ctrl.xlt_octowords, 0);
	expect(be64_to_cpu(ctrl.mkey_mask), 0x20000080);
	expect(prm_get(&mkc, free), 1);
	expect(prm_get(&mkc, pd), 0x78);
	expect(prm_get(&mkc, mkey_7_0), 0xab);
	expect(prm_get(&mkc, qpn), 0xffffff);
}

static void test_umr(void)
{
	static const u8 page[] = { 0, 0, 0, 0x12, 0x34, 0x56, 0x70, 0x03 };
	struct cxr_fast_reg reg = {
		.key = 0x123456ab, .access = CXR_ACCESS_LOCAL_WRITE | CXR_ACCESS_REMOTE_READ,
		.va = 0x7f0000000123ULL, .len = 0x8000, .npages = 9, .log_page_size = 12,
	};
	struct prm_wqe_umr_ctrl_seg ctrl;
	struct prm_mkc mkc;
	struct prm_mtt mtt;

	begin("umr", "a registration sets only the fields that change");
	cxr_umr_reg(&ctrl, &mkc, &reg);
	expect(ctrl.flags, 0x20);
	expect(be64_to_cpu(ctrl.mkey_mask), 0x209e2143);
	expect(prm_get(&mkc, mkey_7_0), 0xab);
	expect(prm_get(&mkc, qpn), 0xffffff);
	expect(prm_get(&mkc, umr_en) && prm_get(&mkc, lr) && prm_get(&mkc, en_rinval), true);
	expect(prm_get(&mkc, lw) && prm_get(&mkc, rr), true);
	expect(prm_get(&mkc, rw) || prm_get(&mkc, a) || prm_get(&mkc, free), false);
	expect(prm_get64(&mkc, start_addr), 0x7f0000000123ULL);
	expect(prm_get64(&mkc, len), 0x8000);
	expect(prm_get(&mkc, log_page_size), 12);

	begin("umr", "nine pages are rounded up to sixteen, two to an octword");
	expect(be16_to_cpu(ctrl.xlt_octowords), 8);
	expect(prm_get(&mkc, translations_octword_size), 8);

	begin("umr", "atomic access is in the mask only when granted");
	reg.access |= CXR_ACCESS_REMOTE_ATOMIC;
	cxr_umr_reg(&ctrl, &mkc, &reg);
	expect(be64_to_cpu(ctrl.mkey_mask), 0x20be2143);
	expect(prm_get(&mkc, a), 1);

	begin("umr", "invalidation sets the free bit");
	cxr_umr_invalidate(&ctrl, &mkc);
	expect(ctrl.flags, 0x80);
	expect(be64_to_cpu(ctrl.mkey_mask), 1 << 29);
	expect(prm_get(&mkc, free), 1);

	begin("umr", "a change of access and PD keeps the page list");
	cxr_umr_access(&ctrl, &mkc, 0x123456ab, 0x77, CXR_ACCESS_REMOTE_WRITE, false);
	expect(ctrl.flags, 0xc0);
	expect(ctrl.xlt_octowords, 0);
	expect(be64_to_cpu(ctrl.mkey_mask), 0x1e0080);
	expect(prm_get(&mkc, lr) && prm_get(&mkc, rw), true);
	expect(prm_get(&mkc, lw) || prm_get(&mkc, rr) || prm_get(&mkc, a), false);
	expect(prm_get(&mkc, pd), 0x77);
	expect(prm_get(&mkc, mkey_7_0), 0xab);
	expect(prm_get(&mkc, qpn), 0xffffff);

	begin("umr", "atomic access is in the mask where it may change");
	cxr_umr_access(&ctrl, &mkc, 1, 1, CXR_ACCESS_REMOTE_ATOMIC, true);
	expect(be64_to_cpu(ctrl.mkey_mask), 0x3e0080);
	expect(prm_get(&mkc, a), 1);

	begin("umr", "a page list entry is readable and writable");
	cxr_umr_page(&mtt, 0x1234567000ULL);
	expect_bytes(&mtt, page, sizeof(page));
}

void test_wqe(void)
{
	static const u8 ctrl[] = { 1, 0xab, 0xcd, 0x0b, 0x12, 0x34, 0x56, 4, 0, 0, 0, 0x0a, 1, 2, 3,
				  4 };
	static const u8 fenced[] = { 0, 0, 0, 0x10, 0, 0, 1, 3, 0, 0, 0, 0x40, 0, 0, 0, 0 };
	static const u8 raddr[] = { 0, 0, 0x7f, 0, 0, 0, 0x10, 0, 0, 0, 2, 1, 0, 0, 0, 0 };
	static const u8 data[] = { 0, 0, 4, 0, 0, 0, 3, 1, 0, 0, 0x7f, 0, 0, 0, 0x20, 0 };
	static const u8 inl[] = { 0x80, 0, 0, 0x1c };
	static const u8 imm[] = { 1, 2, 3, 4 };
	struct prm_wqe_datagram_seg dgram;
	struct prm_av av;
	u8 seg[16];
	__be32 raw;

	memcpy(&raw, imm, sizeof(raw));
	begin("wqe", "a signaled, solicited control segment with immediate, byte for byte");
	memset(seg, 0xff, sizeof(seg));
	cxr_wqe_ctrl((void *)seg, 0x123456, 0xabcd, PRM_WQE_SEND_IMM, 1, 4,
		     CXR_WQE_SIGNALED | CXR_WQE_SOLICITED,
		     raw);
	expect_bytes(seg, ctrl, 16);

	begin("wqe", "a fenced, unsignaled control segment");
	memset(seg, 0xff, sizeof(seg));
	cxr_wqe_ctrl((void *)seg, 1, 0, PRM_WQE_RDMA_READ, 0, 3, CXR_WQE_FENCE, 0);
	expect_bytes(seg, fenced, 16);

	begin("wqe", "a remote address segment");
	memset(seg, 0xff, sizeof(seg));
	cxr_wqe_raddr((void *)seg, 0x7f0000001000ULL, 0x201);
	expect_bytes(seg, raddr, 16);

	begin("wqe", "a data segment");
	memset(seg, 0xff, sizeof(seg));
	cxr_wqe_data((void *)seg, 0x7f0000002000ULL, 0x301, 1024);
	expect_bytes(seg, data, 16);

	begin("wqe", "an inline segment has the top bit and the length");
	cxr_wqe_inline((void *)seg, 28);
	expect_bytes(seg, inl, 4);

	begin("wqe", "a datagram segment has QPN, Q_Key and the address vector");
	cxr_av_encode(&av, &addr_v2);
	cxr_wqe_datagram(&dgram, &av, 0x123456, 0x80010000);
	expect(be32_to_cpu(dgram.av.key.qkey.qkey), 0x80010000);
	expect(be32_to_cpu(dgram.av.dqp_dct), 0x80123456);
	expect_bytes(&dgram.av.stat_rate_sl, &av.stat_rate_sl, sizeof(av) - 12);

	test_wqe_strides();
	test_wqe_atomic();
	test_umr();
	test_umr_user();
	test_wqe_eth();
}
