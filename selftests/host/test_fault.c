// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Page faults: events, and the memory of a request. Capabilities and UMR of on-demand paging. */
#include <errno.h>
#include "fault_walk.h"
#include "codec/caps.h"
#include "codec/umr.h"

#define LKEY	0x1234
#define RKEY	0x5678
#define TERMINATE 0x100
#define AT	0x10000000ULL

/* A WQE in the making. */
struct maker {
	u8 wqe[1024];
	u32 len;
};

static void *put(struct maker *m, u32 bytes)
{
	void *at = m->wqe + m->len;

	m->len += bytes;
	return at;
}

static void put_data(struct maker *m, u32 key, u64 va, u32 len)
{
	struct prm_wqe_data_seg *seg = put(m, sizeof(*seg));

	seg->byte_count = cpu_to_be32(len);
	seg->lkey = cpu_to_be32(key);
	seg->addr = cpu_to_be64(va);
}

static void put_inline(struct maker *m, u32 len)
{
	struct prm_wqe_inline_seg *seg = put(m, (sizeof(*seg) + len + 15) / 16 * 16);

	seg->byte_count = cpu_to_be32(PRM_WQE_INLINE | len);
}

static void begin_send(struct maker *m, u8 opcode)
{
	struct prm_wqe_ctrl_seg *ctrl;

	memset(m, 0, sizeof(*m));
	ctrl = put(m, sizeof(*ctrl));
	ctrl->opmod_idx_opcode = cpu_to_be32(opcode);
}

static struct walked walk(struct maker *m, enum cxr_fault_kind kind, u32 committed, bool datagram,
			  bool xrc)
{
	struct cxr_fault_wqe what = {
		.kind = kind, .datagram = datagram, .xrc = xrc, .terminate_lkey = TERMINATE,
		.committed = committed,
	};

	if (kind == CXR_FAULT_SEND)
		((struct prm_wqe_ctrl_seg *)m->wqe)->qpn_ds = cpu_to_be32(0x4200 | m->len / 16);
	return walk_wqe(&what, m->wqe, m->len);
}

static void expect_range(const struct walked *w, unsigned int i, u32 key, u64 va, u64 len)
{
	expect(w->n > i, true);
	expect(w->range[i].key, key);
	expect(w->range[i].va, va);
	expect(w->range[i].len, len);
}

static const struct {
	const char *sentence;
	u8 opcode;
	u32 before;		/* bytes of segments before the data */
	enum { NEITHER, DATAGRAM, EXTENDED, XRC } kind;
	int ret;
} sends[] = {
	{ "the data of a SEND follow its control segment", PRM_WQE_SEND, 0, NEITHER, 0 },
	{ "of one with an immediate, too", PRM_WQE_SEND_IMM, 0, NEITHER, 0 },
	{ "and if it invalidates a key", PRM_WQE_SEND_INVAL, 0, NEITHER, 0 },
	{ "those of a WRITE follow the address", PRM_WQE_RDMA_WRITE, 16, NEITHER, 0 },
	{ "of a WRITE with an immediate, too", PRM_WQE_RDMA_WRITE_IMM, 16, NEITHER, 0 },
	{ "and so does the memory of a READ", PRM_WQE_RDMA_READ, 16, NEITHER, 0 },
	{ "that of an atomic follows the operands", PRM_WQE_ATOMIC_FA, 32, NEITHER, 0 },
	{ "of a compare and swap, too", PRM_WQE_ATOMIC_CS, 32, NEITHER, 0 },
	{ "a datagram has an address vector", PRM_WQE_SEND, 48, EXTENDED, 0 },
	{ "which may be short", PRM_WQE_SEND, 16, DATAGRAM, 0 },
	{ "an XRC request has a segment of its own", PRM_WQE_RDMA_WRITE, 32, XRC, 0 },
	{ "a UMR moves no data", PRM_WQE_UMR, 0, NEITHER, -EINVAL },
	{ "nor does a NOP", PRM_WQE_NOP, 0, NEITHER, -EINVAL },
	{ "nor an opcode that nobody knows", 0x77, 0, NEITHER, -EINVAL },
	{ "nor one of Ethernet", PRM_WQE_LSO, 0, NEITHER, -EINVAL },
};

static void test_sends(void)
{
	struct walked w;
	struct maker m;
	unsigned int i;
	u8 *before;

	for (i = 0; i < ARRAY_SIZE(sends); i++) {
		begin("fault", sends[i].sentence);
		begin_send(&m, sends[i].opcode);
		before = put(&m, sends[i].before);
		if (sends[i].kind == EXTENDED)
			((struct prm_av *)before)->dqp_dct = cpu_to_be32(PRM_AV_EXTENDED);
		put_data(&m, LKEY, AT, 100);
		w = walk(&m, CXR_FAULT_SEND, 0,
			 sends[i].kind == DATAGRAM || sends[i].kind == EXTENDED,
			 sends[i].kind == XRC);
		expect(w.ret, sends[i].ret);
		expect(w.n, !sends[i].ret);
		if (!sends[i].ret)
			expect_range(&w, 0, LKEY, AT, 100);
	}
}

/* Of a SEND whose first part does not come by faults, and is longer than a fault asks for. */
static struct cxr_fault_range second_part(const struct maker *m)
{
	const struct cxr_fault_wqe send = { .kind = CXR_FAULT_SEND, .committed = 5 };
	struct cxr_fault_range range = {};
	struct cxr_fault_walk walk;

	if (!cxr_fault_walk_begin(&walk, &send, m->wqe, m->len) &&
	    cxr_fault_walk_next(&walk, &range) > 0) {
		cxr_fault_walk_uncount(&walk, &range);
		cxr_fault_walk_next(&walk, &range);
	}
	return range;
}

static void test_lists(void)
{
	struct cxr_fault_range range;
	struct walked w;
	struct maker m;

	begin("fault", "inline data are there; what is done is passed over, inline or not");
	begin_send(&m, PRM_WQE_SEND);
	put_inline(&m, 20);
	put_data(&m, LKEY, AT, 100);
	put_data(&m, LKEY + 1, 2 * AT, 50);
	w = walk(&m, CXR_FAULT_SEND, 0, false, false);
	expect(w.ret, 0);
	expect(w.n, 2);
	expect_range(&w, 0, LKEY, AT, 100);
	expect_range(&w, 1, LKEY + 1, 2 * AT, 50);
	w = walk(&m, CXR_FAULT_SEND, 21, false, false);
	expect_range(&w, 0, LKEY, AT + 1, 99);
	w = walk(&m, CXR_FAULT_SEND, 120, false, false);
	expect(w.n, 1);
	expect_range(&w, 0, LKEY + 1, 2 * AT, 50);
	w = walk(&m, CXR_FAULT_SEND, 170, false, false);
	expect(w.n, 0);
	expect(w.ret, 0);
	w = walk(&m, CXR_FAULT_SEND, 0xffffffff, false, false);
	expect(w.n, 0);
	begin("fault", "a length of 0 is 2 GiB, of which a fault asks for a part");
	begin_send(&m, PRM_WQE_SEND);
	put_data(&m, LKEY, AT, 0);
	put_data(&m, LKEY + 1, AT, 100);
	w = walk(&m, CXR_FAULT_SEND, 0x7ffff000, false, false);
	expect_range(&w, 0, LKEY, AT + 0x7ffff000, 0x1000);
	expect_range(&w, 1, LKEY + 1, AT, 100);
	w = walk(&m, CXR_FAULT_SEND, 5, false, false);
	expect(w.n, 1);
	expect_range(&w, 0, LKEY, AT + 5, CXR_FAULT_BYTES);
	expect(w.ret, 0);
	begin("fault", "but what does not come by faults does not count");
	range = second_part(&m);
	expect(range.key, LKEY + 1);
	expect(range.len, 100);
	begin("fault", "inline data that do not fit are refused");
	begin_send(&m, PRM_WQE_SEND);
	put_inline(&m, 20);
	m.len -= 16;
	w = walk(&m, CXR_FAULT_SEND, 0, false, false);
	expect(w.ret, -EINVAL);
	begin("fault", "a request without data is refused, and one that is longer than it says");
	begin_send(&m, PRM_WQE_RDMA_WRITE);
	put(&m, 16);
	w = walk(&m, CXR_FAULT_SEND, 0, false, false);
	expect(w.ret, -EINVAL);
	begin_send(&m, PRM_WQE_SEND);
	w = walk(&m, CXR_FAULT_SEND, 0, true, false);
	expect(w.ret, -EINVAL);
}

static void test_receives(void)
{
	struct walked w;
	struct maker m;

	begin("fault", "a receive has data segments only, up to the one that ends the list");
	memset(&m, 0, sizeof(m));
	put_data(&m, LKEY, AT, 100);
	put_data(&m, TERMINATE, 0, 0);
	put_data(&m, LKEY + 1, AT, 100);
	w = walk(&m, CXR_FAULT_RECV, 0, false, false);
	expect(w.ret, 0);
	expect(w.n, 1);
	expect_range(&w, 0, LKEY, AT, 100);
	begin("fault", "in an SRQ behind its link");
	memset(&m, 0, sizeof(m));
	put(&m, 16);
	put_data(&m, LKEY, AT, 100);
	w = walk(&m, CXR_FAULT_SRQ, 30, false, false);
	expect(w.n, 1);
	expect_range(&w, 0, LKEY, AT + 30, 70);
	begin("fault", "it has no inline data");
	memset(&m, 0, sizeof(m));
	put_inline(&m, 4);
	w = walk(&m, CXR_FAULT_RECV, 0, false, false);
	expect(w.ret, -EINVAL);
}

static struct prm_eqe event(u8 subtype)
{
	struct prm_eqe eqe;

	memset(&eqe, 0, sizeof(eqe));
	eqe.type = PRM_EVENT_PAGE_FAULT;
	eqe.sub_type = subtype;
	return eqe;
}

static const struct {
	const char *sentence;
	u8 type;
	enum cxr_fault_kind kind;
} kinds[] = {
	{ "an SRQ may fault", PRM_FAULT_WQE_RMP, CXR_FAULT_SRQ },
	{ "a send queue may fault", PRM_FAULT_WQE_SEND_WRITE, CXR_FAULT_SEND },
	{ "a receive queue may fault", PRM_FAULT_WQE_RECEIVE, CXR_FAULT_RECV },
	{ "a READ may fault", PRM_FAULT_WQE_READ_ATOMIC, CXR_FAULT_SEND },
	{ "a fault of type 4 is not known", 4, CXR_FAULT_UNKNOWN },
	{ "a fault of type 7 is not known", 7, CXR_FAULT_UNKNOWN },
};

static void test_wqe_events(void)
{
	struct cxr_fault fault;
	struct prm_eqe eqe;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		begin("fault", kinds[i].sentence);
		eqe = event(PRM_FAULT_WQE);
		eqe.data.page_fault.wqe.pftype_wq = cpu_to_be32(0xf8abcdefU |
								(u32)kinds[i].type << 24);
		eqe.data.page_fault.wqe.token = cpu_to_be32(0xff123456);
		eqe.data.page_fault.wqe.wqe_index = cpu_to_be16(0xfedc);
		eqe.data.page_fault.wqe.bytes_committed = cpu_to_be32(0x87654321);
		expect(cxr_fault_decode(&eqe, &fault),
		       kinds[i].kind == CXR_FAULT_UNKNOWN ? -EPROTO : 0);
		expect(fault.kind, kinds[i].kind);
		expect(fault.type, kinds[i].type);
		expect(fault.queue, 0xabcdef);
		expect(fault.token, 0x123456);
		expect(fault.index, 0xfedc);
		expect(fault.committed, 0x87654321);
	}
	begin("fault", "a fault of no scheme is not known");
	eqe = event(PRM_FAULT_MEMORY + 1);
	expect(cxr_fault_decode(&eqe, &fault), -EPROTO);
	expect(fault.kind, CXR_FAULT_UNKNOWN);
	eqe = event(9);
	expect(cxr_fault_decode(&eqe, &fault), -EPROTO);
}

static struct cxr_fault rdma(u32 committed, u32 op_len, u16 packet)
{
	struct prm_eqe eqe = event(PRM_FAULT_RDMA);
	struct prm_eqe_page_fault_rdma *from = &eqe.data.page_fault.rdma;
	struct cxr_fault fault;

	from->bytes_committed = cpu_to_be32(committed);
	from->r_key = cpu_to_be32(RKEY);
	from->packet_length = cpu_to_be16(packet);
	from->rdma_op_len = cpu_to_be32(op_len);
	from->rdma_va[0] = cpu_to_be32(0x12);
	from->rdma_va[1] = cpu_to_be32(0xfffff000);
	from->pftype_token = cpu_to_be32(0x06765432);
	expect(cxr_fault_decode(&eqe, &fault), 0);
	return fault;
}

static void test_rdma_events(void)
{
	struct cxr_fault fault;

	begin("fault", "a request of a peer needs what is left of it");
	fault = rdma(0x1800, 0x2000, 1024);
	expect(fault.kind, CXR_FAULT_RDMA);
	expect(fault.last, true);
	expect(fault.type, 6);
	expect(fault.token, 0x765432);
	expect(fault.queue, 0x765432);
	expect(fault.rkey, RKEY);
	expect(fault.va, 0x1300000800ULL);
	expect(fault.len, 0x800);
	begin("fault", "if its length is not known, or is wrong, what its packet has");
	fault = rdma(0x1000, 0, 1024);
	expect(fault.len, 1024);
	fault = rdma(0x1000, 0x800, 1024);
	expect(fault.len, 1024);
	fault = rdma(0, 0, 0);
	expect(fault.len, 1);
	begin("fault", "a fault asks for a bounded part of it");
	fault = rdma(0, 0xffffffff, 1024);
	expect(fault.len, CXR_FAULT_BYTES);
}

/* Counts are of pages. */
static struct cxr_fault memory(u64 va, u32 before, u32 demand, u32 after)
{
	struct prm_eqe eqe = { .sub_type = PRM_FAULT_MEMORY };
	struct prm_eqe_page_fault_memory *from = &eqe.data.page_fault.memory;
	struct cxr_fault fault;

	from->flags = PRM_FAULT_MEMORY_LAST;
	from->token47_32 = cpu_to_be16(0xfedc);
	from->token31_0 = cpu_to_be32(0xba987654);
	from->demand_fault_pages = cpu_to_be32(demand << 12 | 0xfff);
	from->pre_demand_fault_pages = cpu_to_be16(before);
	from->post_demand_fault_pages = cpu_to_be16(after);
	from->mkey = cpu_to_be32(RKEY);
	from->va[0] = cpu_to_be32(va >> 32);
	from->va[1] = cpu_to_be32(va);
	expect(cxr_fault_decode(&eqe, &fault), 0);
	expect(fault.kind, CXR_FAULT_MEMORY);
	return fault;
}

static void expect_memory(const struct cxr_fault *fault, u64 va, u32 before, u32 len, u32 after)
{
	expect(fault->va, va);
	expect(fault->before, before);
	expect(fault->len, len);
	expect(fault->after, after);
}

static void test_memory_events(void)
{
	struct prm_eqe eqe = { .sub_type = PRM_FAULT_MEMORY };
	const u64 last = ~0ULL;
	struct cxr_fault fault;

	begin("fault", "the memory scheme: key, range and token, and pages around it");
	fault = memory(0x1234567000ULL, 3, 2, 5);
	expect(fault.token, 0xfedcba987654ULL);
	expect(fault.rkey, RKEY);
	expect(fault.last, true);
	expect_memory(&fault, 0x1234567000ULL, 0x3000, 0x2000, 0x5000);
	expect(cxr_fault_ends(&fault, 0), true);
	begin("fault", "only one event of a token is the last, or one with an error");
	expect(cxr_fault_decode(&eqe, &fault), 0);
	expect(fault.last, false);
	expect(cxr_fault_ends(&fault, 0), false);
	expect(cxr_fault_ends(&fault, -EFAULT), true);
	begin("fault", "without pages at least the first byte is needed");
	expect_memory(&fault, 0, 0, 1, 0);
	begin("fault", "nothing is before the first address, or behind the last");
	fault = memory(0x1000, 0xffff, 1, 0);
	expect_memory(&fault, 0x1000, 0x1000, 0x1000, 0);
	fault = memory(last - 0x1fff, 0, 1, 0xffff);
	expect_memory(&fault, last - 0x1fff, 0, 0x1000, 0x1000);
	fault = memory(last - 7, 1, 9, 9);
	expect_memory(&fault, last - 7, 0x1000, 8, 0);
	fault = memory(last, 0, 1, 1);
	expect_memory(&fault, last, 0, 1, 0);
	begin("fault", "all of it is bounded, and what is needed goes first");
	fault = memory(AT << 8, 0xffff, 0xfffff, 0xffff);
	expect_memory(&fault, AT << 8, 0, CXR_FAULT_BYTES, 0);
	fault = memory(AT << 8, 0xffff, 1, 0xffff);
	expect_memory(&fault, AT << 8, 0, 0x1000, CXR_FAULT_BYTES - 0x1000);
	fault = memory(AT << 8, 0xffff, 1, 1);
	expect_memory(&fault, AT << 8, CXR_FAULT_BYTES - 0x2000, 0x1000, 0x1000);
}

static void set_odp(struct prm_odp_cap *cap)
{
	memset(cap, 0, sizeof(*cap));
	prm_set(cap, transport_page_fault_scheme_cap.rc_odp_caps.send, 1);
	prm_set(cap, transport_page_fault_scheme_cap.rc_odp_caps.srq_receive, 1);
	prm_set(cap, transport_page_fault_scheme_cap.ud_odp_caps.send, 1);
	prm_set(cap, transport_page_fault_scheme_cap.ud_odp_caps.write, 1);
	prm_set(cap, transport_page_fault_scheme_cap.xrc_odp_caps.receive, 1);
	prm_set(cap, transport_page_fault_scheme_cap.xrc_odp_caps.write, 1);
	prm_set(cap, transport_page_fault_scheme_cap.xrc_odp_caps.read, 1);
	prm_set(cap, transport_page_fault_scheme_cap.xrc_odp_caps.atomic, 1);
	prm_set(cap, memory_page_fault_scheme_cap.rc_odp_caps.read, 1);
}

static void set_hca(struct prm_cmd_hca_cap *cap)
{
	memset(cap, 0, sizeof(*cap));
	prm_set(cap, pg, 1);
	prm_set(cap, fixed_buffer_size, 1);
	prm_set(cap, null_mkey, 1);
	prm_set(cap, umr_extended_translation_offset, 1);
	prm_set(cap, max_indirection, 5);
}

static void test_odp_caps(void)
{
	struct cxr_caps caps = {};
	struct prm_cmd_hca_cap hca;
	struct prm_odp_cap odp;

	begin("fault", "a card says what may fault, by transport");
	set_hca(&hca);
	set_odp(&odp);
	cxr_caps_decode_hca(&hca, &caps);
	cxr_caps_decode_odp(&odp, &caps);
	expect(caps.odp, true);
	expect(caps.odp_implicit, true);
	expect(caps.max_indirection, 5);
	expect(caps.odp_rc, CXR_ODP_SEND | CXR_ODP_SRQ_RECV);
	expect(caps.odp_ud, CXR_ODP_SEND);
	expect(caps.odp_xrc, CXR_ODP_RECV | CXR_ODP_WRITE | CXR_ODP_READ | CXR_ODP_ATOMIC);
	expect(caps.odp_memory, false);
	begin("fault", "by the memory scheme that is for it to say");
	prm_set(&odp, mem_page_fault, 1);
	cxr_caps_decode_odp(&odp, &caps);
	expect(caps.odp, true);
	expect(caps.odp_memory, true);
	expect(caps.odp_implicit, true);
	expect(caps.odp_rc, CXR_ODP_READ);
	expect(caps.odp_ud, 0);
	expect(caps.odp_xrc, 0);
	begin("fault", "without UMR that sets the page size there is no on-demand paging");
	prm_set(&hca, umr_modify_entity_size_disabled, 1);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.odp, false);
	begin("fault", "all of a process needs lists of keys, a null key, and long lists");
	set_hca(&hca);
	prm_set(&hca, umr_indirect_mkey_disabled, 1);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.odp, true);
	expect(caps.odp_implicit, false);
	set_hca(&hca);
	prm_set(&hca, null_mkey, 0);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.odp_implicit, false);
	set_hca(&hca);
	prm_set(&hca, umr_extended_translation_offset, 0);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.odp_implicit, false);
	set_hca(&hca);
	prm_set(&hca, fixed_buffer_size, 0);
	cxr_caps_decode_hca(&hca, &caps);
	expect(caps.odp_implicit, false);
}

static void test_umr_list(void)
{
	struct cxr_umr_part part = { .offset = 0x123450ULL * 64, .bytes = 0x1000 };
	struct cxr_umr_use use = {
		.pdn = 7, .access = CXR_ACCESS_LOCAL_WRITE, .length64 = true, .log_page_size = 30,
	};
	struct prm_wqe_umr_ctrl_seg ctrl;
	struct prm_mkc mkc;

	begin("fault", "a part of a list is written at its offset, of a key in use");
	cxr_umr_list(&ctrl, &mkc, 0x4255, &part, false, NULL);
	expect(ctrl.flags, PRM_UMR_TRANSLATION_OFFSET_EN | PRM_UMR_CHECK_FREE);
	expect(be16_to_cpu(ctrl.xlt_octowords), 0x100);
	expect(be16_to_cpu(ctrl.xlt_offset), 0xd140);
	expect(be32_to_cpu(ctrl.xlt_offset_47_16), 0x48);
	expect(be64_to_cpu(ctrl.mkey_mask), 0);
	expect(prm_get(&mkc, mkey_7_0), 0x55);
	begin("fault", "with the last part a free key comes into use");
	cxr_umr_list(&ctrl, &mkc, 0x4255, &part, true, &use);
	expect(ctrl.flags, PRM_UMR_TRANSLATION_OFFSET_EN | PRM_UMR_CHECK_NOT_FREE);
	expect(be64_to_cpu(ctrl.mkey_mask) & PRM_UMR_MASK_FREE, PRM_UMR_MASK_FREE);
	expect(be64_to_cpu(ctrl.mkey_mask) & PRM_UMR_MASK_A, 0);
	expect(prm_get(&mkc, free), 0);
	expect(prm_get(&mkc, length64), 1);
	expect(prm_get(&mkc, pd), 7);
	expect(prm_get(&mkc, log_page_size), 30);
	expect(prm_get(&mkc, lw), 1);
	expect(prm_get(&mkc, rw), 0);
}

void test_fault(void)
{
	test_sends();
	test_lists();
	test_receives();
	test_wqe_events();
	test_rdma_events();
	test_memory_events();
	test_odp_caps();
	test_umr_list();
}
