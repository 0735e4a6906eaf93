/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A function under test inside the test's own process: its guest memory is an array, commands skip
 * the command queue. Also a small NIC driver on top: queues, completions, packets.
 */
#ifndef CXEMU_DUT_H
#define CXEMU_DUT_H

#include "card/card.h"
#include "nic/nic.h"
#include "prm/counter.h"
#include "prm/cqe.h"
#include "prm/eqe.h"
#include "prm/wqe.h"

#define DUT_BASE 0x100000000ull /* guest address of the array */
#define DUT_BYTES (8u << 20)

struct dut {
	struct cxdev *dev;
	uint8_t *mem;
	uint64_t next;
	unsigned int irqs;
	uint32_t uar, eq, pd, td, lkey;
	uint64_t eq_buf;
	unsigned int number; /* of those created by the program */
	bool ready;
};

/* A running function with UAR, EQ (all events), PD, TD and a key for all of memory. */
struct dut *dut_create(const char *name, unsigned int index);
struct dut *dut_create_card(const char *name, unsigned int index, const struct card *card);
void dut_destroy(struct dut *dut);
uint64_t dut_alloc(struct dut *dut, size_t len); /* whole pages, zeroed */
void *dut_ptr(struct dut *dut, uint64_t addr);
uint32_t dut_load(struct dut *dut, uint64_t addr); /* big-endian dwords */
void dut_store(struct dut *dut, uint64_t addr, uint32_t value);
void dut_run(void);			  /* until no work is left */
uint64_t dut_violations(struct dut *dut); /* since the last call */

/* Status of the command. dut_must() ends the test program if it is not OK. */
int dut_exec(struct dut *dut, unsigned int opcode, void *in, size_t in_len, void *out,
	     size_t out_len);
#define dut_cmd(d, name, in, out)                                        \
	dut_exec(d, PRM_OP_##name, in, sizeof(struct prm_##name##_in), out, \
		 sizeof(struct prm_##name##_out))
#define dut_must(d, name, in, out) dut_check(dut_cmd(d, name, in, out), #name)
void dut_check(int status, const char *name);
/* As dut_cmd with @n bytes behind the layout. */
#define dut_cmd_tail(d, name, in, out, tail, n)                                   \
	dut_exec_tail(d, PRM_OP_##name, in, sizeof(struct prm_##name##_in), tail, n, \
		      out, sizeof(struct prm_##name##_out))
int dut_exec_tail(struct dut *dut, unsigned int opcode, const void *in, size_t in_len,
		  const void *tail, size_t n, void *out, size_t out_len);
/* Objects that many tests destroy: the status. */
int dut_destroy_obj(struct dut *dut, unsigned int opcode, uint32_t num);

/* Page requests from here on go there, not to the EQ: their number, and the last one. */
extern struct dut_asked {
	unsigned int n, function;
	int32_t pages;
} dut_asked;
void dut_watch_pages(struct dut *dut);

/* A counter of QUERY_VNIC_ENV. */
#define dut_vnic(d, field)							\
	dut_vnic_at(d, offsetof(struct prm_query_vnic_env_out_bits, vport_env.field), \
		    sizeof(((struct prm_vnic_diagnostic_statistics_bits *)0)->field))
uint64_t dut_vnic_at(struct dut *dut, uint32_t bit, uint32_t width);

/* ---- NIC ---- */

struct dut_cq {
	uint32_t num, ci;
	unsigned int log;
	uint64_t buf, dbr;
};

struct dut_wq {
	uint32_t num;
	unsigned int log, log_stride;
	uint64_t buf, dbr;
	uint16_t pi;
	struct dut_cq cq;
};

/* May change the context of CQs before the command, also of those below; NULL at first. */
extern void (*dut_edit_cq)(struct prm_cqc *ctx);
struct dut_cq dut_create_cq(struct dut *dut, unsigned int log);
/* The next completion, or NULL. */
const struct prm_cqe64 *dut_poll(struct dut *dut, struct dut_cq *cq);
uint32_t dut_create_tis(struct dut *dut);
/* Queues in RDY. @edit may change the context before the command (NULL: no). */
struct dut_wq dut_create_sq(struct dut *dut, unsigned int log, void (*edit)(struct prm_sqc *ctx));
struct dut_wq dut_create_rq(struct dut *dut, unsigned int log, unsigned int log_stride,
			    void (*edit)(struct prm_rqc *ctx));
int dut_modify_sq(struct dut *dut, uint32_t sqn, unsigned int from, unsigned int to);
int dut_modify_rq(struct dut *dut, uint32_t rqn, unsigned int from, unsigned int to);
uint32_t dut_direct_tir(struct dut *dut, uint32_t rqn);
/* What a TIR with this context hashes. */
struct rss dut_rss(const struct eth_packet *packet, const struct prm_tirc *ctx);
/* @self: PRM_TIR_SELF_*, what it hears of the function's own queues. */
void dut_tir_hears(struct dut *dut, uint32_t tirn, unsigned int self);
/*
 * The WQE at the producer index, cleared, with its control segment filled; dut_ring() posts @bbs
 * blocks.
 */
void *dut_wqe(struct dut *dut, struct dut_wq *sq, unsigned int opcode, unsigned int ds,
	      unsigned int ce);
void dut_ring(struct dut *dut, struct dut_wq *sq, unsigned int bbs);
void dut_data_seg(struct dut *dut, struct prm_wqe_data_seg *seg, uint64_t addr, uint32_t len);
/* A SEND of a packet that lies in memory as one data segment. */
void dut_send(struct dut *dut, struct dut_wq *sq, const void *packet, uint32_t len,
	      unsigned int cs_flags);
/* A receive WQE of one buffer; returns its address. */
uint64_t dut_post_rq(struct dut *dut, struct dut_wq *rq, uint32_t len);
uint32_t dut_table(struct dut *dut, unsigned int level, unsigned int log_size, uint32_t miss);
uint32_t dut_group(struct dut *dut, uint32_t table, uint32_t start, uint32_t end,
		   const struct prm_fte_match_set_lyr_2_4 *criteria);
int dut_root(struct dut *dut, uint32_t table);
/* An entry with one destination (type, id); the status. */
int dut_fte(struct dut *dut, uint32_t table, uint32_t group, uint32_t index,
	    const struct prm_fte_match_set_lyr_2_4 *value, unsigned int type, uint32_t id);
/* All packets to this TIR. */
void dut_receive_all(struct dut *dut, uint32_t tirn);

/* ---- packets, built without the emulator's code ---- */

struct flow {
	uint8_t dmac[6], smac[6];
	int vlan;	 /* tag control information, -1: none */
	unsigned int ip; /* 4, 6, or 0: ethertype 0x88b5 */
	uint8_t proto, tos;
	uint16_t sport, dport;
	uint8_t src[16], dst[16];
	uint32_t payload;
};

/* 200 bytes of TCP over IPv4, from the first function to the second */
extern const struct flow tcp4;

/* Writes headers (checksums zero) and a payload of a pattern; returns the length. */
uint32_t make_packet(uint8_t *buf, const struct flow *flow);
/*
 * The packet of @inner in a tunnel between the addresses of @outer: with its Ethernet header for
 * TUNNEL_VXLAN, to port @outer->dport. Returns the length; @at: where what is in the tunnel begins.
 */
uint32_t make_tunnel(uint8_t *buf, unsigned int tunnel, const struct flow *outer,
		     const struct flow *inner, uint32_t *at);
/* 0 if the checksums are right; otherwise the layer (3 or 4) whose checksum is wrong. */
int wrong_checksum(const uint8_t *packet, uint32_t len);

#endif
