// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The codecs of device output: events, mailboxes, completions. */
#include <errno.h>
#include <string.h>
#include "host.h"
#include "codec/cqe.h"
#include "codec/event.h"
#include "codec/mbox.h"
#include "prm/wqe.h"

static const struct {
	const char *sentence;
	u8 owner;
	u32 ci;
	u8 log_size;
	bool ours;
} owner_cases[] = {
	{ "an entry that was never written is not valid", 1, 0, 4, false },
	{ "first pass: owner bit 0 is valid", 0, 0, 4, true },
	{ "first pass: the last entry is valid", 0, 15, 4, true },
	{ "second pass: owner bit 0 is stale", 0, 16, 4, false },
	{ "second pass: owner bit 1 is valid", 1, 16, 4, true },
	{ "the consumer index wraps at 32 bits", 1, 0xffffffff, 4, true },
	{ "other bits of the owner byte are ignored", 0xfe, 0, 4, true },
};

/* EQE data and the decoded event. */
static const struct {
	const char *sentence;
	u8 type, sub_type;
	u8 data[28];
	int err;
	struct cxr_event event;
} event_cases[] = {
	{ "a completion event has the CQN in its last 24 bits", 0x00, 0, { [24] = 0xff, 0x12, 0x34,
	  0x56 }, 0,
	  { .kind = CXR_EVENT_COMP, .num = 0x123456 } },
	{ "a command event has a bitmap of completed slots", 0x0a, 0, { 0x80, 0, 0, 0x01 }, 0,
	  { .kind = CXR_EVENT_CMD, .vector = 0x80000001 } },
	{ "a page request with a positive count asks for pages",
	  0x0b, 0, { 0, 0, 0, 3, 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_PAGES, .func = 3, .pages = 256 } },
	{ "a page request with a negative count returns pages",
	  0x0b, 0, { 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xfe }, 0,
	  { .kind = CXR_EVENT_PAGES, .pages = -2 } },
	{ "port event: link up", 0x09, 4, { [8] = 0x10 }, 0, { .kind = CXR_EVENT_PORT, .port = 1,
	  .up = true } },
	{ "port event: link down",
	  0x09, 1, { [8] = 0x20 }, 0, { .kind = CXR_EVENT_PORT, .port = 2 } },
	{ "port event: a GUID change is only logged", 0x09, 8, { [8] = 0x10 }, 0,
	  { .kind = CXR_EVENT_HEALTH, .port = 1 } },
	{ "a vport whose context has changed", 0x0d, 0, { [2] = 1, 3 }, 0,
	  { .kind = CXR_EVENT_VPORT, .num = 0x103 } },
	{ "a CQ error has CQN and syndrome", 0x04, 0, { 0, 0, 0, 7, [11] = 1 }, 0,
	  { .kind = CXR_EVENT_CQ_ERROR, .num = 7, .syndrome = 1 } },
	{ "QP event: communication established", 0x02, 0, { [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_QP, .num = 0x100, .what = CXR_QPE_COMM_EST } },
	{ "QP event: invalid request", 0x10, 0, { [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_QP, .num = 0x100, .what = CXR_QPE_INVALID_REQ } },
	{ "QP event: last WQE reached", 0x13, 0, { [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_QP, .num = 0x100, .what = CXR_QPE_LAST_WQE } },
	{ "SQ event: fatal error", 0x05, 0, { [20] = 2, [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_SQ, .num = 0x100, .what = CXR_QPE_FATAL } },
	{ "RQ event: fatal error", 0x05, 0, { [20] = 1, [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_RQ, .num = 0x100, .what = CXR_QPE_FATAL } },
	{ "an error of a DC target is not one of the QP with its number",
	  0x05, 0, { [20] = 6, [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_DCT, .num = 0x100, .what = CXR_QPE_FATAL } },
	{ "a DC target has drained", 0x1c, 0, { [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_DCT_DRAINED, .num = 0x100 } },
	{ "SRQ event: limit reached", 0x14, 0, { [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_SRQ, .num = 0x100, .what = 0 } },
	{ "SRQ event: catastrophic error of any SRQ type",
	  0x12, 0, { [20] = 1, [24] = 0, 0, 1, 0 }, 0,
	  { .kind = CXR_EVENT_SRQ, .num = 0x100, .what = 1 } },
	{ "a temperature warning is only logged", 0x17, 0, { 0 }, 0, { .kind = CXR_EVENT_HEALTH } },
	{ "an unknown event type is reported by number", 0xee, 5, { 0 }, -EPROTO, {} },
	{ "an event type without a subscriber is reported by number", 0x0c, 0, { 0 }, -EPROTO, {} },
};

void test_event(void)
{
	struct cxr_event event;
	struct prm_eqe eqe;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(owner_cases); i++) {
		begin("eqe owner", owner_cases[i].sentence);
		expect(cxr_eqe_sw_owned(owner_cases[i].owner, owner_cases[i].ci,
					owner_cases[i].log_size),
		       owner_cases[i].ours);
	}
	for (i = 0; i < ARRAY_SIZE(event_cases); i++) {
		begin("event", event_cases[i].sentence);
		memset(&eqe, 0, sizeof(eqe));
		memset(&event, 0xff, sizeof(event));
		eqe.type = event_cases[i].type;
		eqe.sub_type = event_cases[i].sub_type;
		memcpy(eqe.data.raw, event_cases[i].data, sizeof(event_cases[i].data));
		expect(cxr_event_decode(&eqe, &event), event_cases[i].err);
		expect(event.type, event_cases[i].type);
		expect(event.subtype, event_cases[i].sub_type);
		if (event_cases[i].err)
			continue;
		expect(event.kind, event_cases[i].event.kind);
		expect(event.num, event_cases[i].event.num);
		expect(event.what, event_cases[i].event.what);
		expect(event.syndrome, event_cases[i].event.syndrome);
		expect(event.vector, event_cases[i].event.vector);
		expect(event.func, event_cases[i].event.func);
		expect(event.pages, event_cases[i].event.pages);
		expect(event.port, event_cases[i].event.port);
		expect(event.up, event_cases[i].event.up);
	}
}

static const struct {
	const char *sentence;
	u32 len, blocks;
} block_cases[] = {
	{ "an empty message needs no block", 0, 0 },
	{ "16 bytes fit into the command entry", 16, 0 },
	{ "the 17th byte needs a block", 17, 1 },
	{ "528 bytes fill one block", 528, 1 },
	{ "529 bytes need two", 529, 2 },
	{ "4112 bytes fill eight", 4112, 8 },
};

static void test_mbox_parts(void)
{
	struct prm_mbox_block block;
	u8 msg[600], back[600];
	unsigned int i;

	for (i = 0; i < sizeof(msg); i++)
		msg[i] = i * 7 + 1;

	begin("mbox", "a message survives the round trip through its blocks");
	memset(back, 0, sizeof(back));
	memcpy(back, msg, 16);
	for (i = 0; i < 2; i++) {
		cxr_mbox_fill(&block, msg, sizeof(msg), i, 0x1000, 0x5a);
		cxr_mbox_read(&block, back, sizeof(back), i);
	}
	expect_bytes(back, msg, sizeof(msg));

	begin("mbox", "the rest of the last block is zeroed");
	expect(block.data[600 - 528 - 1], msg[599]);
	expect(block.data[600 - 528], 0);

	begin("mbox", "a block has its number, token and the address of the next");
	expect(be32_to_cpu(block.block_num), 1);
	expect(block.token, 0x5a);
	expect(be64_to_cpu(block.next), 0x1000);

	begin("mbox", "a block without token and number is read");
	memset(back + 528, 0, sizeof(back) - 528);
	block.token = 0;
	block.block_num = 0;
	cxr_mbox_read(&block, back, sizeof(back), 1);
	expect_bytes(back, msg, sizeof(msg));

	begin("mbox", "a block past the end of the message is empty");
	cxr_mbox_fill(&block, msg, 17, 1, 0, 1);
	expect(cxr_xor8(block.data, sizeof(block.data)), 0);
	cxr_mbox_read(&block, back, 17, 1);
	expect_bytes(back, msg, sizeof(msg));
}

static void test_signatures(void)
{
	struct prm_mbox_block block;
	struct prm_cmdq_entry entry = { .type = PRM_CMDQ_TYPE_PCI, .token = 3, .status_own = 1 };
	u8 msg[100] = { [50] = 0xa5 };

	begin("mbox", "a signed entry XORs to 0xff");
	entry.sig = 0x77;
	cxr_cmd_entry_sign(&entry);
	expect(cxr_xor8(&entry, sizeof(entry)), 0xff);

	begin("mbox", "a signed block XORs to 0xff, so does its control part");
	cxr_mbox_fill(&block, msg, sizeof(msg), 0, 0x12345400, 9);
	block.sig = 0x11;
	block.ctrl_sig = 0x22;
	cxr_mbox_sign(&block);
	expect(cxr_xor8(&block, sizeof(block)), 0xff);
	expect(cxr_xor8((u8 *)&block + 512, 0x3f), 0xff);
}

void test_mbox(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(block_cases); i++) {
		begin("mbox", block_cases[i].sentence);
		expect(cxr_mbox_blocks(block_cases[i].len), block_cases[i].blocks);
	}
	test_mbox_parts();
	test_signatures();
}

static const struct {
	const char *sentence;
	u8 bytes[64];
	struct cxr_cqe cqe;
} cqe_cases[] = {
	{ "a send completion has WQE counter and opcode", { [56] = 0x0a, 0, 1, 2, 0, 9, 0, 0x00 },
	  { .kind = CXR_CQE_REQ, .qpn = 0x102, .send_opcode = 0x0a, .wqe_counter = 9 } },
	{ "a receive completion has length and user index",
	  { [33] = 1, 2, 3, [46] = 2, 0, [57] = 0, 1, 2, 0, 9, 0, 0x20 },
	  { .kind = CXR_CQE_RESP_SEND, .user_index = 0x10203, .byte_count = 0x200, .qpn = 0x102,
	    .wqe_counter = 9 } },
	{ "immediate data stays in network byte order", { [36] = 0, 0, 0x12, 0x34, [63] = 0x30 },
	  { .kind = CXR_CQE_RESP_SEND_IMM, .imm_inval = (__be32)0x34120000,
	  .pkey_index = 0x1234 } },
	{ "a WRITE with immediate is a receive completion", { [63] = 0x10 },
	  { .kind = CXR_CQE_RESP_WRITE_IMM } },
	{ "a UD receive over IPv4 has source QP, GRH and IPv4 flags", { [24] = 0x12, 0, 0, 5,
	  [63] = 0x20 },
	  { .kind = CXR_CQE_RESP_SEND, .src_qpn = 5, .flags = CXR_CQE_GRH | CXR_CQE_IPV4_GRH } },
	{ "a UD receive over IPv6 has no IPv4 flag", { [24] = 0x11, 0, 0, 5, [63] = 0x20 },
	  { .kind = CXR_CQE_RESP_SEND, .src_qpn = 5, .flags = CXR_CQE_GRH } },
	{ "a TCP packet with valid checksums and a VLAN tag",
	  { [28] = 0x07, 0x39, 0xa0, 0x64, [63] = 0x20 },
	  { .kind = CXR_CQE_RESP_SEND, .tci = 5 << 13 | 100,
	    .flags = CXR_CQE_L2_OK | CXR_CQE_L3_OK | CXR_CQE_L4_OK | CXR_CQE_VLAN | CXR_CQE_IPV4 |
		     CXR_CQE_TCP } },
	{ "a UDP packet over IPv6 with an RSS hash", { [12] = 1, 2, 3, 4, 0xc8, [28] = 0x02, 0x24,
	  [63] = 0x20 },
	  { .kind = CXR_CQE_RESP_SEND, .rss_hash = 0x01020304, .rss_type = 0xc8,
	    .flags = CXR_CQE_L3_OK | CXR_CQE_IPV6 | CXR_CQE_UDP } },
	{ "a tunnel over IPv4, with the types of the inner headers",
	  { [0] = 0x03, [28] = 0x07, 0x24, [63] = 0x20 },
	  { .kind = CXR_CQE_RESP_SEND,
	    .flags = CXR_CQE_L2_OK | CXR_CQE_L3_OK | CXR_CQE_L4_OK | CXR_CQE_IPV6 | CXR_CQE_UDP |
		     CXR_CQE_TUNNELED } },
	{ "a packet that TLS has seen is no tunnel", { [0] = 0x18, [63] = 0x20 },
	  { .kind = CXR_CQE_RESP_SEND } },
	{ "data scattered to the CQE is flagged", { [63] = 0x24 },
	  { .kind = CXR_CQE_RESP_SEND, .inline_data = true } },
	{ "a failed send has both syndromes", { [54] = 0x88, 0x15, 0x0a, 0, 1, 2, 0, 9, 0,
	  0xd0 },
	  { .kind = CXR_CQE_REQ_ERR, .syndrome = 0x15, .vendor_err = 0x88, .qpn = 0x102,
	  .send_opcode = 0x0a,
	    .wqe_counter = 9 } },
	{ "a flushed receive", { [55] = 0x05, [63] = 0xe1 }, { .kind = CXR_CQE_RESP_ERR,
	  .syndrome = 5 } },
	{ "an unknown opcode is decoded as such", { [63] = 0x90 }, { .kind = CXR_CQE_UNKNOWN } },
};

static void expect_cqe(const struct cxr_cqe *got, const struct cxr_cqe *want)
{
	expect(got->kind, want->kind);
	expect(got->qpn, want->qpn);
	expect(got->wqe_counter, want->wqe_counter);
	expect(got->send_opcode, want->send_opcode);
	expect(got->byte_count, want->byte_count);
	if (want->kind == CXR_CQE_REQ)
		return;
	expect(got->user_index, want->user_index);
	expect(got->imm_inval, want->imm_inval);
	expect(got->flags, want->flags);
	expect(got->src_qpn, want->src_qpn);
	expect(got->tci, want->tci);
	expect(got->pkey_index, want->pkey_index);
	expect(got->rss_hash, want->rss_hash);
	expect(got->rss_type, want->rss_type);
	expect(got->syndrome, want->syndrome);
	expect(got->vendor_err, want->vendor_err);
	expect(got->inline_data, want->inline_data);
}

/* Of a packet, the fields that it has are decoded alike. */
static void test_cqe_packet(const struct prm_cqe64 *raw, const struct cxr_cqe *all)
{
	struct cxr_cqe got = *all;

	if (all->kind == CXR_CQE_REQ || all->flags & (CXR_CQE_GRH | CXR_CQE_IPV4_GRH))
		return;
	got.kind = CXR_CQE_UNKNOWN;
	got.wqe_counter = ~all->wqe_counter;
	got.byte_count = ~all->byte_count;
	got.flags = ~all->flags;
	got.tci = ~all->tci;
	got.check_sum = ~all->check_sum;
	got.rss_hash = ~all->rss_hash;
	got.rss_type = ~all->rss_type;
	cxr_cqe_decode_packet(raw, &got);
	expect_cqe(&got, all);
}

/* 20 completions: arrays in the entries 1, 8 and 16. */
static void test_session_arrays(void)
{
	struct prm_cqe64 title = { .byte_cnt = cpu_to_be32(20), .rss_hash_type = 0xc8,
				   .rss_hash_result = cpu_to_be32(7),
				   .timestamp_l = cpu_to_be32(99),
				   .wqe_counter = cpu_to_be16(0xfffe), .op_own = 0x2d };
	struct prm_mini_cqe minis[PRM_MINI_CQES];
	struct cxr_cqe_session s;
	struct cxr_cqe got;
	unsigned int i, j;

	begin("cqe", "a session: lengths and checksums by arrays of eight, counters that wrap");
	expect(cxr_cqe_is_compressed(&title), true);
	expect(cxr_cqe_session_start(&s, &title, 64), true);
	for (i = 0; i < 20; i++) {
		expect(cxr_cqe_session_left(&s), true);
		expect(cxr_cqe_session_entry(&s), i % 8 ? -1 : i ? 0 : 1);
		for (j = 0; i % 8 == 0 && j < PRM_MINI_CQES; j++)
			minis[j] = (struct prm_mini_cqe){ .check_sum = cpu_to_be16(100 + i + j),
							  .byte_cnt = cpu_to_be32(60 + i + j) };
		if (i % 8 == 0)
			cxr_cqe_session_load(&s, (struct prm_cqe64 *)minis);
		cxr_cqe_session_take(&s, &got);
		expect(got.kind, CXR_CQE_RESP_SEND);
		expect(got.wqe_counter, (u16)(0xfffe + i));
		expect(got.byte_count, 60 + i);
		expect(be16_to_cpu(got.check_sum), 100 + i);
		expect(got.rss_type, 0);
		expect(got.rss_hash, 0);
	}
	expect(cxr_cqe_session_left(&s), false);
	expect(s.stamp, 99);
}

static void test_session_numbers(void)
{
	static const struct {
		const char *sentence;
		u32 n;
		bool good;
	} session_cases[] = {
		{ "a session of one", 1, true },
		{ "a session as large as the queue", 64, true },
		{ "a session of none is refused", 0, false },
		{ "a session larger than the queue is refused", 65, false },
		{ "a session of 2^32 - 1 is refused", 0xffffffff, false },
	};
	struct prm_cqe64 title = { .op_own = 0x2c };
	struct cxr_cqe_session s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(session_cases); i++) {
		begin("cqe", session_cases[i].sentence);
		title.byte_cnt = cpu_to_be32(session_cases[i].n);
		s.n = 3;
		s.at = 1;
		expect(cxr_cqe_session_start(&s, &title, 64), session_cases[i].good);
		expect(cxr_cqe_session_left(&s), session_cases[i].good);
	}
	begin("cqe", "neither errors nor data in the entry are compressed");
	title.op_own = 0xec;
	expect(cxr_cqe_is_compressed(&title), false);
	title.op_own = 0x24;
	expect(cxr_cqe_is_compressed(&title), false);
	title.op_own = 0x28;
	expect(cxr_cqe_is_compressed(&title), false);
}

void test_cqe(void)
{
	struct cxr_cqe got;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cqe_cases); i++) {
		begin("cqe", cqe_cases[i].sentence);
		memset(&got, 0xff, sizeof(got));
		cxr_cqe_decode((const struct prm_cqe64 *)cqe_cases[i].bytes, &got);
		expect_cqe(&got, &cqe_cases[i].cqe);
		test_cqe_packet((const struct prm_cqe64 *)cqe_cases[i].bytes, &cqe_cases[i].cqe);
	}

	for (i = 0; i < ARRAY_SIZE(owner_cases); i++) {
		begin("cqe owner", owner_cases[i].sentence);
		expect(cxr_cqe_sw_owned(owner_cases[i].owner & 1, owner_cases[i].ci,
					owner_cases[i].log_size),
		       owner_cases[i].ours);
	}
	begin("cqe owner", "an entry with the invalid opcode is not valid, whatever its owner bit");
	expect(cxr_cqe_sw_owned(0xf0, 0, 4), false);
	expect(cxr_cqe_sw_owned(0xf1, 16, 4), false);

	begin("cqe", "each syndrome has a text, an unknown one as well");
	expect_text(cxr_cqe_syndrome_text(0x15), "transport retries exceeded");
	expect_text(cxr_cqe_syndrome_text(0x99), "unknown error");

	begin("cqe", "each opcode has a text, an unknown one as well");
	expect_text(cxr_wqe_opcode_text(PRM_WQE_SEND_INVAL), "send with invalidate");
	expect_text(cxr_wqe_opcode_text(PRM_WQE_UMR), "memory key update");
	expect_text(cxr_wqe_opcode_text(0x77), "unknown opcode");
	test_session_arrays();
	test_session_numbers();
}
