// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A guest that does its worst while another one works: commands, queue entries, doorbells,
 * registers and messages, random or with random mistakes, while its memory changes or goes. The
 * other one measures how long its registers and commands take. A life of the hostile guest is one
 * seed; it begins again when it has broken its own device.
 *
 * Arguments: folder of cxemu, seconds (default 4), first seed.
 */
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prm/dct.h"
#include "prm/devx.h"
#include "prm/mkey.h"
#include "prm/nic.h"
#include "prm/qp.h"
#include "prm/srq.h"
#include "prm/vport.h"
#include "prm/wqe.h"
#include "random.h"
#include "vfu_client.h"

#define ACTIONS 3000	/* of a life */
#define LATE_US (1 << 20)	/* no more than one in 1000 may wait so long */
#define COMMANDS_MAX 1024
#define KNOWN 32
#define ROUND_MS 1	/* between two measurements */
#define QPS 4
#define USERS 2
#define KEYS 16
#define LOG_SQ 6
#define UAR_BYTES 4096u
#define ANY_QP 0xffffff
#define MODE_PA 0
#define MODE_MTT 1
#define MODE_KLM 2

#define OPCODE(name, number) PRM_OP_##name,
static const uint16_t opcodes[] = { PRM_CMD_LIST(OPCODE) };

static const char *bin_dir;
static struct emu emu;
static struct {
	uint16_t opcode;
	uint32_t len;	/* the shortest input that is taken */
} commands[COMMANDS_MAX];
static unsigned int n_commands;
/* What all lives together have done. */
static struct {
	unsigned int lives, actions, commands_done;
} *sum;

/* ---- the hostile guest ---- */

static struct client c;
static uint32_t uar, pd, eq, cq;
static uint32_t keys[KEYS];	/* the first is of all memory */
static uint32_t known[KNOWN];	/* numbers of objects */

struct queue {
	uint32_t num, pi;
	uint64_t ring, dbr;
};

static struct queue queues[QPS];
/* The first two are an RC connection between each other; the last sends to a DCT of its own. */
static const unsigned int services[QPS] = { PRM_QP_ST_RC, PRM_QP_ST_RC, PRM_QP_ST_UD,
					    PRM_QP_ST_DCI };
static uint32_t dct;
static bool boot_again;
static uint32_t users[USERS];	/* contexts */

/* Fills and sends a command; now and then it has a mistake, and so has its frame. */
static int order(void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	struct corruption wrong = {};
	unsigned int what = rnd(8);
	int status;

	wrong.wrong_token = what == 0;
	wrong.wrong_block = what == 1;
	wrong.bad_signature = what == 2;
	wrong.bad_type = what == 3;
	wrong.in_ptr = what == 4 ? RAM_IOVA + rnd(RAM_BYTES) : 0;
	wrong.out_ptr = what == 5 ? RAM_IOVA + rnd(RAM_BYTES) : 0;
	wrong.in_len = what == 6 ? rnd(0x20000) : 0;
	wrong.out_len = what == 7 ? rnd(0x20000) : 0;
	if (!rnd(3))
		spoil((uint8_t *)in + 4, in_len - 4, 1 + rnd(3));
	status = cmd_exec(&c, in, in_len, out, out_len, rnd(40) ? NULL : &wrong);
	if (!status) {
		sum->commands_done++;
		known[rnd(KNOWN)] = be32_to_cpu(((__be32 *)out)[2]) & 0xffffff;
	}
	return status;
}

/* One that must be right. */
static uint32_t make(void *in, uint32_t in_len)
{
	uint8_t out[512] __attribute__((aligned(8))) = {};

	if (cmd_exec(&c, in, in_len, out, 16, NULL))
		exit(1);	/* a new connection begins with a fresh function */
	return be32_to_cpu(((__be32 *)out)[2]) & 0xffffff;
}

static uint32_t make_simple(uint16_t opcode)
{
	struct prm_mbox_in in[4] = {};

	prm_set(in, opcode, opcode);
	return make(in, opcode == PRM_OP_create_uctx ? sizeof(struct prm_create_uctx_in) : 16);
}

static void make_key(void)
{
	struct prm_create_mkey_in in = {};

	prm_set(&in, opcode, PRM_OP_create_mkey);
	prm_set(&in, memory_key_mkey_entry.access_mode_1_0, MODE_PA);
	prm_set(&in, memory_key_mkey_entry.lr, 1);
	prm_set(&in, memory_key_mkey_entry.lw, 1);
	prm_set(&in, memory_key_mkey_entry.rr, 1);
	prm_set(&in, memory_key_mkey_entry.rw, 1);
	prm_set(&in, memory_key_mkey_entry.a, 1);
	prm_set(&in, memory_key_mkey_entry.length64, 1);
	prm_set(&in, memory_key_mkey_entry.qpn, ANY_QP);
	prm_set(&in, memory_key_mkey_entry.pd, pd);
	keys[0] = make(&in, sizeof(in)) << 8;
}

static void make_completions(void)
{
	struct { struct prm_create_eq_in in; __be64 pas; } eq_in = {};
	struct { struct prm_create_cq_in in; __be64 pas; } cq_in = {};

	prm_set(&eq_in.in, opcode, PRM_OP_create_eq);
	prm_set(&eq_in.in, eq_context_entry.log_eq_size, 6);
	prm_set(&eq_in.in, eq_context_entry.uar_page, uar);
	eq_in.pas = cpu_to_be64(ram_alloc(&c, 4096));
	eq = make(&eq_in, sizeof(eq_in));
	prm_set(&cq_in.in, opcode, PRM_OP_create_cq);
	prm_set(&cq_in.in, cq_context.log_cq_size, 6);
	prm_set(&cq_in.in, cq_context.uar_page, uar);
	prm_set(&cq_in.in, cq_context.oi, 1);	/* nobody reads it */
	prm_set(&cq_in.in, cq_context.c_eqn_or_apu_element, eq);
	prm_set64(&cq_in.in, cq_context.dbr_addr, ram_alloc(&c, 4096));
	cq_in.pas = cpu_to_be64(ram_alloc(&c, 4096));
	cq = make(&cq_in, sizeof(cq_in));
}

static void make_address(void)
{
	static const uint8_t gid[16] = { [10] = 0xff, 0xff, 192, 168, 0, 1 };
	struct prm_modify_nic_vport_context_in roce = {};
	struct prm_set_roce_address_in in = {};

	prm_set(&roce, opcode, PRM_OP_modify_nic_vport_context);
	prm_set(&roce, field_select.roce_en, 1);
	prm_set(&roce, nic_vport_context.roce_en, 1);
	make(&roce, sizeof(roce));
	prm_set(&in, opcode, PRM_OP_set_roce_address);
	memcpy(prm_bytes(&in, roce_address.source_l3_address), gid, 16);
	prm_set(&in, roce_address.source_mac_47_32, 0x02c4);
	prm_set(&in, roce_address.source_mac_31_0, 1);
	prm_set(&in, roce_address.roce_version, 2);
	make(&in, sizeof(in));
}

static void make_queue(struct queue *q, unsigned int st)
{
	struct { struct prm_create_qp_in in; __be64 pas[3]; } in = {};
	unsigned int i;

	q->ring = ram_alloc(&c, 3 * 4096);	/* 64 receive WQEs of 64 bytes, and the SQ */
	q->dbr = ram_alloc(&c, 4096);
	for (i = 0; i < 3; i++)
		in.pas[i] = cpu_to_be64(q->ring + i * 4096);
	prm_set(&in.in, opcode, PRM_OP_create_qp);
	prm_set(&in.in, qpc.st, st);
	prm_set(&in.in, qpc.pm_state, PRM_QP_PM_MIGRATED);
	prm_set(&in.in, qpc.pd, pd);
	prm_set(&in.in, qpc.fre, 1);
	prm_set(&in.in, qpc.log_sq_size, LOG_SQ);
	prm_set(&in.in, qpc.log_rq_size, 6);
	prm_set(&in.in, qpc.log_rq_stride, 2);
	prm_set(&in.in, qpc.uar_page, uar);
	prm_set(&in.in, qpc.cqn_snd, cq);
	prm_set(&in.in, qpc.cqn_rcv, cq);
	prm_set64(&in.in, qpc.dbr_addr, q->dbr);
	q->num = make(&in, sizeof(in));
	q->pi = 0;
}

/* A target whose shared receive queue is that of the random receives. */
static void make_target(void)
{
	struct { struct prm_create_rmp_in in; __be64 pas; } rmp = {};
	struct prm_create_dct_in in = {};

	prm_set(&rmp.in, opcode, PRM_OP_create_rmp);
	prm_set(&rmp.in, ctx.state, PRM_WQ_RDY);
	prm_set(&rmp.in, ctx.wq.pd, pd);
	prm_set(&rmp.in, ctx.wq.log_wq_stride, 6);
	prm_set(&rmp.in, ctx.wq.log_wq_sz, 6);
	prm_set64(&rmp.in, ctx.wq.dbr_addr, queues[QPS - 1].dbr);
	rmp.pas = cpu_to_be64(queues[QPS - 1].ring);
	prm_set(&in, opcode, PRM_OP_create_dct);
	prm_set(&in, dct_context_entry.pd, pd);
	prm_set(&in, dct_context_entry.cqn, cq);
	prm_set(&in, dct_context_entry.srqn_xrqn, make(&rmp, sizeof(rmp)));
	prm_set(&in, dct_context_entry.port, 1);
	prm_set(&in, dct_context_entry.mtu, PRM_QP_MTU_1024);
	prm_set(&in, dct_context_entry.rwe, 1);
	prm_set(&in, dct_context_entry.rre, 1);
	prm_set(&in, dct_context_entry.hop_limit, 64);
	dct = make(&in, sizeof(in));
}

static void connect_queue(const struct queue *q, const struct queue *peer, unsigned int st)
{
	static const uint8_t gid[16] = { [10] = 0xff, 0xff, 192, 168, 0, 1 };
	struct prm_rst2init_qp_in init = {};
	struct prm_init2rtr_qp_in rtr = {};
	struct prm_rtr2rts_qp_in rts = {};

	prm_set(&init, opcode, PRM_OP_rst2init_qp);
	prm_set(&init, qpn, q->num);
	prm_set(&init, qpc.st, st);
	prm_set(&init, qpc.primary_address_path.vhca_port_num, 1);
	prm_set(&init, qpc.rre, st != PRM_QP_ST_UD);
	prm_set(&init, qpc.rwe, st != PRM_QP_ST_UD);
	prm_set(&init, qpc.rae, st != PRM_QP_ST_UD);
	prm_set(&init, qpc.atomic_mode, st != PRM_QP_ST_UD ? PRM_QP_ATOMIC_IB : 0);
	make(&init, sizeof(init));
	prm_set(&rtr, opcode, PRM_OP_init2rtr_qp);
	prm_set(&rtr, qpn, q->num);
	prm_set(&rtr, qpc.st, st);
	prm_set(&rtr, qpc.mtu, PRM_QP_MTU_1024);
	prm_set(&rtr, qpc.log_msg_max, 30);
	if (st == PRM_QP_ST_RC) {
		prm_set(&rtr, qpc.remote_qpn, peer->num);
		prm_set(&rtr, qpc.log_rra_max, 4);
		prm_set(&rtr, qpc.min_rnr_nak, 12);
		prm_set(&rtr, qpc.primary_address_path.vhca_port_num, 1);
		prm_set(&rtr, qpc.primary_address_path.hop_limit, 64);
		prm_set(&rtr, qpc.primary_address_path.rmac_47_32, 0x02c4);
		prm_set(&rtr, qpc.primary_address_path.rmac_31_0, 1);
		memcpy(prm_bytes(&rtr, qpc.primary_address_path.rgid_rip), gid, 16);
	}
	make(&rtr, sizeof(rtr));
	prm_set(&rts, opcode, PRM_OP_rtr2rts_qp);
	prm_set(&rts, qpn, q->num);
	prm_set(&rts, qpc.st, st);
	if (st != PRM_QP_ST_UD) {
		prm_set(&rts, qpc.retry_count, 7);
		prm_set(&rts, qpc.rnr_retry, 7);
		prm_set(&rts, qpc.log_sra_max, 4);
		prm_set(&rts, qpc.primary_address_path.ack_timeout, 10);
	}
	make(&rts, sizeof(rts));
}

static void reset_queue(const struct queue *q)
{
	struct prm_qp_2rst_in in = {};
	uint8_t out[16] __attribute__((aligned(8)));

	prm_set(&in, opcode, PRM_OP_qp_2rst);
	prm_set(&in, qpn, q->num);
	if (cmd_exec(&c, &in, sizeof(in), out, sizeof(out), NULL))
		exit(0);	/* it has destroyed it */
}

static void connect_all(void)
{
	unsigned int i;

	for (i = 0; i < QPS; i++)
		connect_queue(&queues[i], &queues[i ^ 1], services[i]);
}

static void boot(void)
{
	unsigned int i;

	if (boot_to_init(&c))
		exit(1);
	uar = make_simple(PRM_OP_alloc_uar);
	pd = make_simple(PRM_OP_alloc_pd);
	for (i = 0; i < USERS; i++)
		users[i] = make_simple(PRM_OP_create_uctx) & 0xffff;
	make_key();
	make_completions();
	make_address();
	for (i = 0; i < QPS; i++)
		make_queue(&queues[i], services[i]);
	make_target();
	connect_all();
}

/* ---- what it does ---- */

/* Most WQEs are errors, after which a queue does nothing more. */
static void renew_queues(void)
{
	unsigned int i;

	for (i = 0; i < QPS; i++) {
		reset_queue(&queues[i]);
		queues[i].pi = 0;
		memset(ram_ptr(&c, queues[i].dbr), 0, 8);
	}
	connect_all();
}

static void random_command(void)
{
	static uint8_t in[0x1100] __attribute__((aligned(8)));
	static uint8_t out[0x1100] __attribute__((aligned(8)));
	unsigned int i = rnd(n_commands);
	uint32_t len = commands[i].len + (rnd(8) ? 0 : 8 * rnd(66));

	memset(in, 0, sizeof(in));
	prm_set((struct prm_mbox_in *)in, opcode, commands[i].opcode);
	prm_set((struct prm_mbox_in *)in, uid, rnd(3) ? 0 : users[rnd(USERS)]);
	/* an object that is there */
	((__be32 *)in)[2] = cpu_to_be32(rnd(3) ? known[rnd(KNOWN)] : queues[rnd(QPS)].num);
	spoil(in + 8, len - 8, rnd(6));
	order(in, len, out, rnd(2) ? 16 : 0x1010);
}

static void random_key(void)
{
	struct { struct prm_create_mkey_in in; uint8_t xlt[256]; } in = {};
	uint8_t out[16] __attribute__((aligned(8)));
	unsigned int i, n = 1 + rnd(16);
	bool is_list = rnd(2);

	prm_set(&in.in, opcode, PRM_OP_create_mkey);
	prm_set(&in.in, memory_key_mkey_entry.access_mode_1_0, is_list ? MODE_KLM : MODE_MTT);
	prm_set(&in.in, memory_key_mkey_entry.lr, 1);
	prm_set(&in.in, memory_key_mkey_entry.lw, 1);
	prm_set(&in.in, memory_key_mkey_entry.rr, 1);
	prm_set(&in.in, memory_key_mkey_entry.rw, 1);
	prm_set(&in.in, memory_key_mkey_entry.qpn, ANY_QP);
	prm_set(&in.in, memory_key_mkey_entry.pd, pd);
	prm_set64(&in.in, memory_key_mkey_entry.len, (is_list ? n : 2 * n) * 4096ull);
	prm_set(&in.in, memory_key_mkey_entry.translations_octword_size, n);
	prm_set(&in.in, memory_key_mkey_entry.log_page_size, 12);
	prm_set(&in.in, translations_octword_actual_size, n);
	for (i = 0; i < 2 * n; i++) {
		uint64_t at = RAM_IOVA + rnd(RAM_BYTES / 4096) * 4096;

		/* a list of other keys, which may be lists */
		if (is_list && !(i & 1))
			at = 4096ull << 32 | keys[rnd(KEYS)];
		((__be64 *)in.xlt)[i] = cpu_to_be64(at);
	}
	if (!order(&in, sizeof(in.in) + 16 * n, out, sizeof(out)))
		keys[1 + rnd(KEYS - 1)] = be32_to_cpu(((__be32 *)out)[2]) << 8;
}

/* Memory of a context, and a CQ somewhere in it, with the context's objects or others. */
static void random_umem(void)
{
	struct { struct prm_create_umem_in in; __be64 mtt[16]; } in = {};
	uint32_t uid = users[rnd(USERS)], umem;
	struct prm_create_cq_in cq_in = {};
	uint8_t out[16] __attribute__((aligned(8)));
	unsigned int i, n = 1 + rnd(16);

	prm_set(&in.in, opcode, PRM_OP_create_umem);
	prm_set(&in.in, uid, uid);
	prm_set(&in.in, page_offset, rnd(2) ? 0 : rnd(4096));
	prm_set64(&in.in, num_of_mtt, n);
	for (i = 0; i < n; i++)
		in.mtt[i] = cpu_to_be64((RAM_IOVA + rnd(RAM_BYTES / 4096) * 4096ull) |
					(1 + rnd(3)));
	if (order(&in, sizeof(in.in) + 8 * n, out, sizeof(out)))
		return;
	umem = be32_to_cpu(((__be32 *)out)[2]);
	prm_set(&cq_in, opcode, PRM_OP_create_cq);
	prm_set(&cq_in, uid, rnd(2) ? 0 : uid);
	prm_set(&cq_in, cq_context.log_cq_size, rnd(10));
	prm_set(&cq_in, cq_context.uar_page, rnd(4) ? uar : known[rnd(KNOWN)]);
	prm_set(&cq_in, cq_context.c_eqn_or_apu_element, eq);
	prm_set(&cq_in, cq_context.dbr_umem_valid, 1);
	prm_set(&cq_in, cq_context.dbr_umem_id, umem);
	prm_set64(&cq_in, cq_context.dbr_addr, rnd(n * 512) * 8);
	prm_set(&cq_in, cq_umem_valid, 1);
	prm_set(&cq_in, cq_umem_id, rnd(4) ? umem : known[rnd(KNOWN)]);
	prm_set64(&cq_in, cq_umem_offset, rnd(n * 64) * 64);
	order(&cq_in, sizeof(cq_in), out, sizeof(out));
}

/* Data segments from @at on: most of them with a key that is there. */
static void random_segments(uint8_t *at, uint8_t *end)
{
	static const uint32_t lengths[] = { 0, 1, 8, 4096, 4096, 65536, 1u << 20, 1u << 31 };

	for (; at < end; at += 16) {
		struct prm_wqe_data_seg *seg = (void *)at;
		unsigned int of = rnd(2) ? 0 : rnd(KEYS);

		seg->byte_count = cpu_to_be32(lengths[rnd(rnd(8) ? 6 : 8)] + rnd(4));
		seg->lkey = cpu_to_be32(rnd(50) ? keys[of] : rnd(1u << 16) << 8);
		seg->addr = cpu_to_be64(of ? rnd(65536) : RAM_IOVA + rnd(RAM_BYTES));
	}
}

static void ring_doorbell(const struct queue *q)
{
	__be32 pi = cpu_to_be32(q->pi & 0xffff);

	memcpy(ram_ptr(&c, q->dbr + 4), &pi, sizeof(pi));
	reg_write64(&c, (uint64_t)uar * UAR_BYTES + 0x800,
		    (uint64_t)(q->pi & 0xffff) << 40 | q->num << 8);
}

/* A datagram to the queue itself, a SEND or WRITE to the DCT; the size of the WQE. */
static unsigned int address_wqe(const struct queue *q, uint8_t *raw)
{
	bool dc = services[q - queues] == PRM_QP_ST_DCI, is_write = dc && rnd(2);
	struct prm_wqe_ctrl_seg *ctrl = (void *)raw;
	struct prm_av *av = (void *)(raw + 16);
	unsigned int ds = is_write ? 6 : 5;
	uint8_t remote[16];

	memcpy(remote, raw + 16, sizeof(remote));
	ctrl->opmod_idx_opcode = cpu_to_be32((q->pi & 0xffff) << 8 |
					     (is_write ? PRM_WQE_RDMA_WRITE : PRM_WQE_SEND));
	ctrl->qpn_ds = cpu_to_be32(q->num << 8 | ds);
	memset(av, 0, sizeof(*av));
	av->key.dc_key = cpu_to_be64(dc && !rnd(20));
	av->dqp_dct = cpu_to_be32(1u << 31 | (dc ? dct : q->num));
	memcpy(av->rmac, "\x02\xc4\0\0\0\1", 6);
	memcpy(av->rgid + 10, "\xff\xff\xc0\xa8\0\1", 6);
	memcpy(raw + 64, remote, sizeof(remote));
	random_segments(raw + (is_write ? 80 : 64), raw + ds * 16);
	return ds;
}

static void random_wqes(void)
{
	static const uint8_t ops[] = { PRM_WQE_NOP, PRM_WQE_SEND, PRM_WQE_RDMA_WRITE,
				       PRM_WQE_RDMA_WRITE, PRM_WQE_RDMA_READ, PRM_WQE_RDMA_READ,
				       0x09, 0x0b, 0x11, 0x12, 0x1b, 0x25 };
	struct queue *q = &queues[rnd(QPS)];
	unsigned int n = 1 + rnd(20), ds;
	uint64_t to;

	while (n--) {
		uint8_t *ring = ram_ptr(&c, q->ring + 4096), raw[256] __attribute__((aligned(8)));
		struct prm_wqe_ctrl_seg *ctrl = (void *)raw;

		ds = rnd(8) ? 3 + rnd(2) : 1 + rnd(16);
		memset(raw, 0, sizeof(raw));
		ctrl->opmod_idx_opcode = cpu_to_be32((q->pi & 0xffff) << 8 |
						     ops[rnd(rnd(4) ? 6 : sizeof(ops))]);
		ctrl->qpn_ds = cpu_to_be32(q->num << 8 | ds);
		ctrl->fm_ce_se = PRM_WQE_CE_ALWAYS;
		random_segments(raw + 16, raw + ds * 16);
		/* that of an RDMA WRITE or READ */
		to = RAM_IOVA + RAM_BYTES / 2 + rnd(RAM_BYTES / 4);
		memcpy(raw + 16, &(__be64){ cpu_to_be64(to) }, 8);
		memcpy(raw + 24, &(__be32){ cpu_to_be32(keys[rnd(4) ? 0 : rnd(KEYS)]) }, 4);
		if (services[q - queues] != PRM_QP_ST_RC && rnd(8))
			ds = address_wqe(q, raw);
		if (!rnd(30))
			spoil(raw, ds * 16, 1 + rnd(3));
		memcpy(ring + (q->pi & ((1 << LOG_SQ) - 1)) * 64, raw, 64);
		if (services[q - queues] == PRM_QP_ST_DCI)	/* it needs two blocks */
			memcpy(ring + ((q->pi + 1) & ((1 << LOG_SQ) - 1)) * 64, raw + 64, 64);
		q->pi += (ds + 3) / 4;
	}
	ring_doorbell(q);
}

static void post_receives(void)
{
	struct queue *q = &queues[rnd(QPS)];
	uint8_t *ring = ram_ptr(&c, q->ring);

	random_segments(ring, ring + 4096);
	memcpy(ram_ptr(&c, q->dbr), &(__be32){ cpu_to_be32(rnd(70)) }, 4);
}

/* While the device may be looking at it. */
static void spoil_memory(void)
{
	const struct queue *q = &queues[rnd(QPS)];

	spoil(ram_ptr(&c, q->ring), 3 * 4096, rnd(50));
	spoil(ram_ptr(&c, q->dbr), 8, rnd(2));
	spoil(c.ram, c.next, rnd(50));
}

/* As if it had been put into a file that another process cuts. */
static void lose_memory(void)
{
	if (ftruncate(c.ram_fd, 0))
		exit(1);
	reg_write64(&c, (uint64_t)uar * UAR_BYTES + 0x800,
		    (uint64_t)(queues[0].pi & 0xffff) << 40 | queues[0].num << 8);
	usleep(rnd(500));
	if (ftruncate(c.ram_fd, RAM_BYTES))
		exit(1);
	boot_again = true;	/* nothing is left */
}

static void random_mmio(void)
{
	uint64_t page = rnd(3) ? uar : rnd(64);
	static const uint32_t places[] = { 0x20, 0x40, 0x48, 0x800, 0x808, 0x900 };
	uint64_t at = page * UAR_BYTES + (rnd(3) ? places[rnd(6)] : rnd(UAR_BYTES));
	uint8_t data[8] = {};

	spoil(data, sizeof(data), 8);
	region_write(&c, VFIO_PCI_BAR0_REGION_INDEX, at, data, rnd(2) ? 4 : 1 + rnd(8), true);
}

static void random_config(void)
{
	uint32_t value = rnd_state;

	region_write(&c, VFIO_PCI_CONFIG_REGION_INDEX, rnd(256), &value, 1 + rnd(4), true);
	/* with memory and DMA more can go wrong */
	config_write16(&c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

static void random_message(void)
{
	uint32_t flags = rnd(4) ? 0 : rnd(0x40) & ~0xfu;
	uint8_t payload[64] = {}, reply[256];
	int fds[2] = { c.ram_fd, STDERR_FILENO };

	spoil(payload, sizeof(payload), 20);
	vfu_send(&c, 2 + rnd(20), flags, payload, rnd(sizeof(payload)), fds, rnd(3));
	if (!(flags & 0x10) && vfu_reply(&c, reply, sizeof(reply), NULL) == -1000)
		exit(0);
}

/* The end of it, most of the time. */
static void random_bytes(void)
{
	uint8_t bytes[64] = {};

	spoil(bytes, sizeof(bytes), 20);
	if (write(c.fd, bytes, 1 + rnd(sizeof(bytes))) < 0)
		exit(0);
	usleep(1000);
	exit(0);
}

static void move_memory(void)
{
	struct { uint32_t argsz, flags; uint64_t iova, size;
	} unmap = { .argsz = sizeof(unmap), .iova = RAM_IOVA, .size = RAM_BYTES };
	struct { uint32_t argsz, flags; uint64_t offset, iova, size; } map = {
		.argsz = sizeof(map), .flags = 3, .iova = RAM_IOVA, .size = RAM_BYTES,
	};

	vfu_call(&c, 3, &unmap, sizeof(unmap), NULL, 0);
	random_wqes();
	vfu_call(&c, 2, &map, sizeof(map), &c.ram_fd, 1);
}

/* How often, of all. */
static const struct {
	unsigned int weight;
	void (*act)(void);
} actions[] = {
	{ 300, random_wqes }, { 150, random_command }, { 60, random_key }, { 60, random_umem },
	{ 80, post_receives },
	{ 150, renew_queues },
	{ 150, random_mmio }, { 20, spoil_memory }, { 4, random_config }, { 2, random_message },
	{ 2, move_memory }, { 1, lose_memory }, { 1, random_bytes },
};

static void live(uint64_t seed)
{
	unsigned int i, n, all = 0;
	uint32_t pick;

	rnd_state = seed * 0x9e3779b97f4a7c15ull | 1;
	client_open(&c, &emu, 0);
	boot();
	sum->lives++;
	c.tries = 20;
	for (n = 0; n < sizeof(actions) / sizeof(*actions); n++)
		all += actions[n].weight;
	for (i = 0; i < ACTIONS; i++) {
		pick = rnd(all);
		for (n = 0; pick >= actions[n].weight; n++)
			pick -= actions[n].weight;
		actions[n].act();
		sum->actions++;
		if (boot_again)
			exit(0);
	}
	exit(0);
}

/* ---- the other guest ---- */

static double ms_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

struct latencies {
	unsigned int n, bins[64];	/* by the binary logarithm of microseconds */
	double worst;
};

static void note(struct latencies *l, double ms)
{
	unsigned int bin = 0;

	while (bin < 63 && ms * 1000 >= 1ull << bin)
		bin++;
	l->bins[bin]++;
	l->n++;
	if (ms > l->worst)
		l->worst = ms;
}

/* Microseconds that a part of all, of 1000, did not take longer than. */
static unsigned long long within(const struct latencies *l, unsigned int part)
{
	unsigned int bin, seen = 0;

	for (bin = 0; bin < 63; bin++) {
		seen += l->bins[bin];
		if (seen * 1000ull >= (uint64_t)l->n * part)
			break;
	}
	return 1ull << bin;
}

/* False: it is not served as it should be. */
static bool work_once(struct client *good, struct latencies *registers, struct latencies *orders)
{
	struct prm_alloc_pd_in in = {};
	struct prm_alloc_pd_out out;
	struct prm_dealloc_pd_in gone = {};
	struct prm_dealloc_pd_out gone_out;
	double at = ms_now();

	reg_read(good, 0);
	note(registers, ms_now() - at);
	at = ms_now();
	if (cmd(good, alloc_pd, &in, &out))
		return false;
	note(orders, ms_now() - at);
	prm_set(&gone, pd, prm_get(&out, pd));
	return !cmd(good, dealloc_pd, &gone, &gone_out);
}

static pid_t begin_life(uint64_t seed)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		printf("Bail out! fork: %s\n", strerror(errno));
		exit(2);
	}
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!freopen("/dev/null", "w", stdout))
			exit(1);
		live(seed);
	}
	return pid;
}

static bool is_serving(void)
{
	int status;

	return waitpid(emu.pid, &status, WNOHANG) == 0;
}

/* Which commands there are, and how long they are. */
static void learn_commands(void)
{
	uint8_t in[0x1010] __attribute__((aligned(8))) = {};
	uint8_t out[0x1010] __attribute__((aligned(8)));
	unsigned int i;
	uint32_t len;
	int status;

	client_open(&c, &emu, 0);
	boot_to_init(&c);
	for (i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++) {
		if (opcodes[i] == PRM_OP_teardown_hca || opcodes[i] == PRM_OP_disable_hca)
			continue;
		prm_set((struct prm_mbox_in *)in, opcode, opcodes[i]);
		status = PRM_STATUS_BAD_INP_LEN;
		for (len = 16; len <= 0x400 && status == PRM_STATUS_BAD_INP_LEN; len += 8)
			status = cmd_exec(&c, in, len, out, sizeof(out), NULL) & 0xff;
		if (status == PRM_STATUS_BAD_OP || status == PRM_STATUS_BAD_INP_LEN)
			continue;
		commands[n_commands].opcode = opcodes[i];
		commands[n_commands++].len = len - 8;
	}
	client_close(&c);
}

/* A hostile guest has acted as much as a test of it needs. */
static bool acted(void)
{
	return sum->lives && sum->actions > ACTIONS / 60 && sum->commands_done;
}

/* For the seconds, and on a busy machine until the hostile guest has acted, but not for ever. */
static void run(const char *how, bool isolate, unsigned int seconds, uint64_t seed)
{
	const char *const options[] = { "--card=cx5,devx", "--trace=info",
					isolate ? "--isolate" : NULL, NULL };
	double end = ms_now() + seconds * 1e3, patience = end + 60e3, tell = ms_now() + 60e3;
	struct latencies registers = {}, orders = {};
	uint64_t first = seed;
	bool served = true;
	struct client good;
	pid_t pid = 0;

	emu_start_options(&emu, bin_dir, 2, options);
	if (!n_commands)
		learn_commands();
	memset(sum, 0, sizeof(*sum));
	client_open(&good, &emu, 1);
	ktap(!boot_to_init(&good), "%s: a guest starts", how);
	while (served && is_serving() &&
	       (ms_now() < end || (!acted() && ms_now() < patience))) {
		if (!pid || waitpid(pid, NULL, WNOHANG) == pid)
			pid = begin_life(seed++);
		served = work_once(&good, &registers, &orders);
		usleep(ROUND_MS * 1000);
		if (ms_now() > tell) {
			tell += 60e3;
			printf("# %s: seed %llu, %u actions, %u commands of the other guest\n", how,
			       (unsigned long long)seed, sum->actions, orders.n);
			fflush(stdout);
		}
	}
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	printf("# %s: seeds %llu to %llu: %u lives, %u actions, %u commands that were done\n",
	       how, (unsigned long long)first, (unsigned long long)seed - 1, sum->lives,
	       sum->actions, sum->commands_done);
	printf("# the other: of %u, 500 and 999 in 1000 and all take\n", orders.n);
	printf("#   a register %llu us, %llu us, %.1f ms; a command %llu us, %llu us, %.1f ms\n",
	       within(&registers, 500), within(&registers, 999), registers.worst,
	       within(&orders, 500), within(&orders, 999), orders.worst);
	ktap(acted(), "%s: a hostile guest does what it can", how);
	ktap(served, "%s: a hostile guest does not keep another from its device", how);
	ktap(within(&registers, 999) < LATE_US && within(&orders, 999) < LATE_US,
	     "%s: nor make the other one wait", how);
	client_close(&good);
	client_open(&c, &emu, 0);
	ktap(!boot_to_init(&c), "%s: after it a driver can start its device", how);
	client_close(&c);
	/* violations, and no other fault of any of its processes */
	ktap(is_serving() && emu_stop(&emu) == 3, "%s: and it does not end the emulator", how);
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 2 ? atoi(argv[2]) : 4;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;

	bin_dir = argv[1];
	ktap_plan(0);
	sum = mmap(NULL, sizeof(*sum), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sum == MAP_FAILED)
		return 1;
	run("one process", false, seconds / 2, seed);
	run("isolated", true, seconds / 2, seed);
	return ktap_end();
}
