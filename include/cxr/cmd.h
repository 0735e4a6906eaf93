/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Commands that cxr_en and cxr_ib call: plain arguments in, numbers out, one function per command.
 *
 * All may sleep, print nothing, and return 0, -ENODEV (the device is gone), -ETIMEDOUT (the command
 * queue is then down), or the errno of the firmware's status. Destroy functions are void: on a dead
 * device they do nothing; a refused one is reported by the core once. Nothing passes ownership of
 * memory except where a line says so.
 */
#ifndef CXR_CMD_H
#define CXR_CMD_H

#include "cxr.h"
#include "../../drivers/codec/counter.h"
#include "../../drivers/codec/flow.h"
#include "../../drivers/codec/qpc.h"
#include "../../drivers/codec/umr.h"
#include "../../drivers/policy/gid.h"

/* ---- PD, TD, mkey, counters (cmd_obj.c) ------------------------------------------------------ */

int cxr_cmd_alloc_pd(struct cxr_core *core, u32 *pdn);
void cxr_cmd_dealloc_pd(struct cxr_core *core, u32 pdn);
int cxr_cmd_alloc_xrcd(struct cxr_core *core, u32 *xrcd);
void cxr_cmd_dealloc_xrcd(struct cxr_core *core, u32 xrcd);
int cxr_cmd_alloc_td(struct cxr_core *core, u32 *tdn);
void cxr_cmd_dealloc_td(struct cxr_core *core, u32 tdn);
int cxr_cmd_alloc_uar(struct cxr_core *core, u32 *uar);
void cxr_cmd_dealloc_uar(struct cxr_core *core, u32 uar);
int cxr_cmd_alloc_q_counter(struct cxr_core *core, u32 *id);
void cxr_cmd_dealloc_q_counter(struct cxr_core *core, u32 id);
/* Fills the queue counters' part of @values[CXR_COUNTERS]. */
int cxr_cmd_query_q_counter(struct cxr_core *core, u32 id, u64 *values);

enum cxr_mkey_kind {
	CXR_MKEY_PAGES,		/* a list of pages */
	CXR_MKEY_ALL,		/* physical addresses, all of them: a DMA MR */
	CXR_MKEY_FAST_REG,	/* room for pages, which a send WQE registers */
	CXR_MKEY_WINDOW,	/* room for a part of another region, which a send WQE binds */
	CXR_MKEY_WINDOW_INV,	/* the same, and a peer may unbind it */
};

struct cxr_mkey_attr {
	enum cxr_mkey_kind kind;
	u32 pdn;
	u32 access;		/* enum cxr_access; local read is always allowed */
	u32 npages;		/* of a window: parts */
	/* of CXR_MKEY_PAGES alone */
	u64 va;			/* IOVA of the first byte */
	u64 len;
	const dma_addr_t *dma;	/* pages of 2^log_page_size; the caller keeps the array */
	u8 log_page_size;
};

/* *mkey: index << 8 | variant, as it stands in WQEs. */
int cxr_cmd_create_mkey(struct cxr_core *core, const struct cxr_mkey_attr *attr, u32 *mkey);
/* int: memory may be unpinned only after 0 or -ENODEV */
int cxr_cmd_destroy_mkey(struct cxr_core *core, u32 mkey);

/* ---- QP (cmd_qp.c) --------------------------------------------------------------------------- */

int cxr_cmd_create_qp(struct cxr_core *core, const struct cxr_qp_create *attr,
		      const struct cxr_pas *pas, u32 *qpn);
void cxr_cmd_destroy_qp(struct cxr_core *core, u32 qpn);
/*
 * One transition; picks the command from the pair of states (RST2INIT, INIT2RTR, RTR2RTS, RTS2RTS,
 * SQERR2RTS, INIT2INIT, 2ERR, 2RST, ...). @opts: enum cxr_qp_opt, the optional parts that *mod
 * carries. -EINVAL: there is no such transition.
 */
int cxr_cmd_modify_qp(struct cxr_core *core, u32 qpn, enum cxr_qp_state from, enum cxr_qp_state to,
		      const struct cxr_qp_mod *mod, u32 opts);
int cxr_cmd_query_qp(struct cxr_core *core, u32 qpn, enum cxr_qp_state *state, bool *draining,
		     struct cxr_qp_mod *mod);
/* Multicast: datagrams to this GID reach the QP. */
int cxr_cmd_attach_mcg(struct cxr_core *core, const u8 gid[16], u32 qpn);
int cxr_cmd_detach_mcg(struct cxr_core *core, const u8 gid[16], u32 qpn);

/* ---- SRQ (cmd_srq.c) ------------------------------------------------------------------------- */

struct cxr_srq_attr {
	bool xrc;
	u32 pdn;
	u32 xrcd, cqn, user_index;	/* of an XRC SRQ */
	u8 log_size;		/* in WQEs */
	u8 log_stride;		/* in bytes, 5.. */
	struct cxr_pas pas;
	u64 db_dma;
};

int cxr_cmd_create_srq(struct cxr_core *core, const struct cxr_srq_attr *attr, u32 *srqn);
void cxr_cmd_destroy_srq(struct cxr_core *core, bool xrc, u32 srqn);
int cxr_cmd_arm_srq(struct cxr_core *core, bool xrc, u32 srqn, u16 limit);
int cxr_cmd_query_srq(struct cxr_core *core, bool xrc, u32 srqn, u16 *limit);

/* ---- Ethernet queues (cmd_nic.c) ------------------------------------------------------------- */

int cxr_cmd_create_tis(struct cxr_core *core, u32 tdn, u8 prio, u8 lag_port, u32 *tisn);
void cxr_cmd_destroy_tis(struct cxr_core *core, u32 tisn);

struct cxr_sq_attr {
	u32 tisn, cqn, pdn, uar;
	u32 user_index;
	u8 log_size;		/* in 64-byte blocks */
	u8 min_inline_mode;	/* as the device counts */
	struct cxr_pas pas;
	u64 db_dma;
};

struct cxr_rq_attr {
	u32 cqn, pdn;
	u32 user_index;
	u8 log_size;		/* in WQEs */
	u8 log_stride;		/* in bytes */
	bool vlan_strip;
	bool end_pad;		/* may fill up the last cache line behind a packet */
	struct cxr_pas pas;
	u64 db_dma;
};

enum cxr_wq_state { CXR_WQ_RST, CXR_WQ_RDY, CXR_WQ_ERR };

/* Created in reset; *_ready moves to ready, and destroy flushes what is queued. */
int cxr_cmd_create_sq(struct cxr_core *core, const struct cxr_sq_attr *attr, u32 *sqn);
int cxr_cmd_sq_ready(struct cxr_core *core, u32 sqn);
int cxr_cmd_modify_sq(struct cxr_core *core, u32 sqn, enum cxr_wq_state from, enum cxr_wq_state to);
int cxr_cmd_query_sq(struct cxr_core *core, u32 sqn, enum cxr_wq_state *state);
void cxr_cmd_destroy_sq(struct cxr_core *core, u32 sqn);
int cxr_cmd_create_rq(struct cxr_core *core, const struct cxr_rq_attr *attr, u32 *rqn);
int cxr_cmd_rq_ready(struct cxr_core *core, u32 rqn);
int cxr_cmd_modify_rq(struct cxr_core *core, u32 rqn, enum cxr_wq_state from, enum cxr_wq_state to);
int cxr_cmd_set_rq_strip(struct cxr_core *core, u32 rqn, enum cxr_wq_state state, bool strip);
int cxr_cmd_query_rq(struct cxr_core *core, u32 rqn, enum cxr_wq_state *state);
void cxr_cmd_destroy_rq(struct cxr_core *core, u32 rqn);

/* @n is a power of two up to caps.rss_ind_tbl_max. */
int cxr_cmd_create_rqt(struct cxr_core *core, const u32 *rqns, u32 n, u32 *rqtn);
void cxr_cmd_destroy_rqt(struct cxr_core *core, u32 rqtn);

enum cxr_tir_hash {
	CXR_TIR_NO_HASH, CXR_TIR_IPV4, CXR_TIR_IPV6, CXR_TIR_IPV4_TCP, CXR_TIR_IPV4_UDP,
	CXR_TIR_IPV6_TCP, CXR_TIR_IPV6_UDP,
};

/* What of a packet is hashed, and in which packets (else IPv4 and TCP). */
enum cxr_hash {
	CXR_HASH_SRC_IP = BIT(0), CXR_HASH_DST_IP = BIT(1),
	CXR_HASH_SPORT = BIT(2), CXR_HASH_DPORT = BIT(3),
	CXR_HASH_IPV6 = BIT(4), CXR_HASH_UDP = BIT(5),
};

/*
 * Direct to @num = RQN (CXR_TIR_NO_HASH), or spread over @num = RQTN by Toeplitz hash with @key of
 * 40 bytes.
 */
int cxr_cmd_create_tir(struct cxr_core *core, u32 tdn, enum cxr_tir_hash hash, u32 num,
		       const u8 *key, u32 *tirn);
/* Direct, to hear multicast of its own function or not. */
int cxr_cmd_create_direct_tir(struct cxr_core *core, u32 tdn, u32 rqn, bool block_mc, u32 *tirn);
/* Spread, by a choice of enum cxr_hash. */
int cxr_cmd_create_hash_tir(struct cxr_core *core, u32 tdn, u32 fields, u32 rqtn, const u8 *key,
			    u32 *tirn);
void cxr_cmd_destroy_tir(struct cxr_core *core, u32 tirn);

/* ---- flow tables (cmd_flow.c) ---------------------------------------------------------------- */

enum cxr_flow_to {
	CXR_FLOW_TO_TIR,
	CXR_FLOW_TO_TABLE,	/* of a higher level */
	CXR_FLOW_TO_UPLINK,	/* of the function with that vhca_id; entries of port selection */
};

struct cxr_flow_dest {
	enum cxr_flow_to to;
	u32 num;
};

#define CXR_FLOW_DESTS 16

struct cxr_flow_action {
	u32 tag;		/* 24 bits, in completions */
	u32 n_dests;		/* 0: packets are dropped */
	struct cxr_flow_dest dests[CXR_FLOW_DESTS];
};

/*
 * A table leads only to tables of higher levels. Rules have two tables for each priority, and one
 * for what is left when nobody else wanted it.
 */
enum {
	CXR_FLOW_LEVEL_DEMUX,
	CXR_FLOW_LEVEL_RULES,
	CXR_FLOW_LEVEL_EN = CXR_FLOW_LEVEL_RULES + 2 * CXR_FLOW_PRIOS,
	CXR_FLOW_LEVEL_EN_2,
	CXR_FLOW_LEVEL_LEFT,
};

int cxr_cmd_create_flow_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table);
int cxr_cmd_create_port_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table);
void cxr_cmd_destroy_flow_table(struct cxr_core *core, u32 table);
int cxr_cmd_set_flow_root(struct cxr_core *core, u32 table);
int cxr_cmd_set_flow_miss(struct cxr_core *core, u32 table, u32 next);
/* Entries first..last; @mask: the bits that its entries match on. */
int cxr_cmd_create_flow_group(struct cxr_core *core, u32 table, u32 first, u32 last,
			      const struct cxr_flow_fields *mask, u32 *group);
int cxr_cmd_create_hash_group(struct cxr_core *core, u32 table, u32 first, u32 last, u32 definer,
			      u32 *group);
void cxr_cmd_destroy_flow_group(struct cxr_core *core, u32 table, u32 group);
int cxr_cmd_set_fte(struct cxr_core *core, u32 table, u32 group, u32 index,
		    const struct cxr_flow_fields *value, const struct cxr_flow_action *action,
		    bool again);
void cxr_cmd_delete_fte(struct cxr_core *core, u32 table, u32 index);

/* ---- two ports as one (cmd_lag.c) ------------------------------------------------------------ */

/* Packets that are told apart by a hash. */
enum cxr_lag_packets {
	CXR_LAG_UDP_IPV4, CXR_LAG_UDP_IPV6,	/* by addresses and ports */
	CXR_LAG_REST,				/* by MACs */
	CXR_LAG_PACKETS
};

int cxr_cmd_create_definer(struct cxr_core *core, enum cxr_lag_packets packets, u32 *definer);
void cxr_cmd_destroy_definer(struct cxr_core *core, u32 definer);
/* @hash: the tables of port selection say where packets leave, and not their queues. */
int cxr_cmd_create_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash);
int cxr_cmd_modify_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash);
int cxr_cmd_destroy_lag(struct cxr_core *core);
int cxr_cmd_create_vport_lag(struct cxr_core *core);
void cxr_cmd_destroy_vport_lag(struct cxr_core *core);
int cxr_cmd_create_demux_table(struct cxr_core *core, u32 next, u32 *table);
int cxr_cmd_set_demux_next(struct cxr_core *core, u32 table, u32 next);

/* ---- vport and port (cmd_port.c) ------------------------------------------------------------- */

struct cxr_vport {
	u8 mac[ETH_ALEN];
	u16 mtu;		/* with Ethernet header and FCS as the device counts */
	u8 min_inline_mode;
	bool roce_enabled;
	__be64 node_guid, sys_image_guid;
};

int cxr_cmd_query_vport(struct cxr_core *core, struct cxr_vport *vport);
int cxr_cmd_set_vport_roce(struct cxr_core *core, bool on);
int cxr_cmd_set_vport_promisc(struct cxr_core *core, bool promisc, bool allmulti);
/* The whole list of MACs of a kind that the vport takes beside its own; replaces the former one. */
int cxr_cmd_set_vport_macs(struct cxr_core *core, bool multicast, const u8 macs[][ETH_ALEN],
			   u32 n);

struct cxr_vport_counters {
	/* Ethernet: unicast + multicast + broadcast */
	u64 rx_packets, rx_bytes, tx_packets, tx_bytes;
	u64 rx_multicast;
	u64 rx_errors, tx_errors;
	/* unicast + multicast, and the latter alone */
	u64 rdma_rx_packets, rdma_rx_bytes, rdma_tx_packets, rdma_tx_bytes;
	u64 rdma_rx_multicast, rdma_tx_multicast;
};

int cxr_cmd_query_vport_counters(struct cxr_core *core, struct cxr_vport_counters *counters);
int cxr_cmd_query_vport_state(struct cxr_core *core, bool *up);
/* Fills the congestion counters' part of @values[CXR_COUNTERS]. */
int cxr_cmd_query_cong_counters(struct cxr_core *core, u64 *values);

struct cxr_link {
	bool up;		/* PAOS oper status */
	u32 speed_mbps;		/* 0 if down */
	u8 lanes;
	u16 max_mtu;		/* Ethernet MTU without header */
};

int cxr_cmd_query_link(struct cxr_core *core, struct cxr_link *link);
int cxr_cmd_set_port_admin(struct cxr_core *core, bool up);
int cxr_cmd_set_port_mtu(struct cxr_core *core, u16 mtu);	/* without header; port and vport */

/* The port as InfiniBand's performance management counts; narrow, they stay at their limits. */
struct cxr_ib_port_counters {
	u16 symbol_error, rcv_errors, rcv_remphys_errors, rcv_switch_relay_errors;
	u16 xmit_discards, vl15_dropped;
	u8 link_error_recovery, link_downed, xmit_constraint_errors, rcv_constraint_errors;
	u8 link_overrun_errors;	/* local link integrity << 4 | excessive buffer overrun */
	u32 xmit_wait;
};

int cxr_cmd_query_ib_port(struct cxr_core *core, struct cxr_ib_port_counters *counters);
/* Does the port count RoCE packets with a wrong ICRC? If so, how many. */
int cxr_cmd_query_icrc_counted(struct cxr_core *core, bool *counted);
int cxr_cmd_query_icrc_errors(struct cxr_core *core, u64 *errors);

/* RoCE address table. @entry NULL clears the index. */
int cxr_cmd_set_roce_address(struct cxr_core *core, u16 index, const struct cxr_gid_entry *entry);
/* node_desc: 64 bytes. */
int cxr_cmd_get_node_desc(struct cxr_core *core, u8 desc[64]);
int cxr_cmd_set_node_desc(struct cxr_core *core, const u8 desc[64]);

#endif
