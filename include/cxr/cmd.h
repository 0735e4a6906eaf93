/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Commands of the device: plain arguments in, numbers out, one function per command, which is named
 * after it (cxr_cmd_alloc_pd() is ALLOC_PD). What all of them have in common is told here, and only
 * what differs stands at a function.
 *
 * They may sleep, and their callers print nothing: the core reports a refusal once, in the
 * firmware's words. They return 0 or
 *
 *	-ENODEV		the device is gone or was given up
 *	-ETIMEDOUT	no answer came: the device is now given up
 *	-ENOMEM		no memory for the request or its mailboxes
 *	-EIO, -EPROTO	the device did not understand us, or we did not understand it
 *
 * or the errno of the firmware's status.
 *
 * What a create or alloc function makes is the caller's until the function that undoes it. That
 * one is void, since there is nothing left to do about a refusal, and does nothing on a dead
 * device. Three return what became of it, as their callers do something about it:
 * cxr_cmd_destroy_mkey(), cxr_cmd_destroy_lag() and cxr_cmd_detach_mcg().
 *
 * Arrays are read before the return and stay the caller's. So does queue memory that a create
 * function gets the addresses of, but it is the device's too until the destroy function returned.
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
/* A domain of shared receive queues that peers may name. */
int cxr_cmd_alloc_xrcd(struct cxr_core *core, u32 *xrcd);
void cxr_cmd_dealloc_xrcd(struct cxr_core *core, u32 xrcd);
/* ALLOC_TRANSPORT_DOMAIN */
int cxr_cmd_alloc_td(struct cxr_core *core, u32 *tdn);
void cxr_cmd_dealloc_td(struct cxr_core *core, u32 tdn);
/* A page of BAR 0 with doorbells, by its index: cxr_uar_phys() says where it is. */
int cxr_cmd_alloc_uar(struct cxr_core *core, u32 *uar);
void cxr_cmd_dealloc_uar(struct cxr_core *core, u32 uar);
/* A set of counters that queues can share. */
int cxr_cmd_alloc_q_counter(struct cxr_core *core, u32 *id);
void cxr_cmd_dealloc_q_counter(struct cxr_core *core, u32 id);
/* Fills the first CXR_Q_COUNTERS of @values[CXR_COUNTERS]. */
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

/*
 * *mkey: index << 8 | variant, as it stands in WQEs. The variant changes with each call, so that an
 * old key is not a new one. The pages are the device's too until cxr_cmd_destroy_mkey().
 */
int cxr_cmd_create_mkey(struct cxr_core *core, const struct cxr_mkey_attr *attr, u32 *mkey);
/*
 * 0 or -ENODEV: the device does not touch the memory any more, and it may be unpinned. After any
 * other error the device may still use it.
 */
int cxr_cmd_destroy_mkey(struct cxr_core *core, u32 mkey);

/* ---- QP (cmd_qp.c) --------------------------------------------------------------------------- */

/* In state RST. */
int cxr_cmd_create_qp(struct cxr_core *core, const struct cxr_qp_create *attr,
		      const struct cxr_pas *pas, u32 *qpn);
void cxr_cmd_destroy_qp(struct cxr_core *core, u32 qpn);
/**
 * cxr_cmd_modify_qp() - one transition of a QP; the states pick the command (RST2INIT, 2ERR, ...)
 * @core: the device
 * @qpn: the QP
 * @from: the state it is in
 * @to: the state it shall go to; to CXR_QPS_ERR and CXR_QPS_RST it can go from any
 * @mod: what the transition sets; may be NULL for those two
 * @opts: enum cxr_qp_opt: the optional parts that @mod carries
 *
 * Return: 0, -EINVAL (there is no such transition), or the command's error.
 */
int cxr_cmd_modify_qp(struct cxr_core *core, u32 qpn, enum cxr_qp_state from, enum cxr_qp_state to,
		      const struct cxr_qp_mod *mod, u32 opts);
/* *mod: what the context holds of it; *draining: in SQD, and the send queue is not empty yet. */
int cxr_cmd_query_qp(struct cxr_core *core, u32 qpn, enum cxr_qp_state *state, bool *draining,
		     struct cxr_qp_mod *mod);
/* ATTACH_TO_MCG and DETACH_FROM_MCG: datagrams to the multicast GID reach the UD QP. */
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

/* Memory pool (RMP) or XRC SRQ: what @attr says, and @xrc of the others. */
int cxr_cmd_create_srq(struct cxr_core *core, const struct cxr_srq_attr *attr, u32 *srqn);
void cxr_cmd_destroy_srq(struct cxr_core *core, bool xrc, u32 srqn);
/* Asks for one event when fewer than @limit WQEs are left; 0 asks for none. */
int cxr_cmd_arm_srq(struct cxr_core *core, bool xrc, u32 srqn, u16 limit);
/* The limit of cxr_cmd_arm_srq(), or 0 if that event came. */
int cxr_cmd_query_srq(struct cxr_core *core, bool xrc, u32 srqn, u16 *limit);

/* ---- Ethernet queues (cmd_nic.c) ------------------------------------------------------------- */

/**
 * cxr_cmd_create_tis() - where a send queue's packets go
 * @core: the device
 * @tdn: transport domain
 * @prio: 0..7
 * @lag_port: port of the LAG, 1.., which is what the LAG's map makes of it; 0: the function's own
 * @tisn: its number
 *
 * An interface's packets leave by the function's own port in a LAG, too: which port an interface
 * sends through is for its bond to say, and what a port tells its link partner (LACP) must go
 * there.
 *
 * Return: 0 or the command's error.
 */
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

/*
 * Created in reset; *_ready moves from there to ready, and destroy flushes what is queued. No
 * cxr_cmd_modify_*() leads from reset to error or from error to ready.
 */
int cxr_cmd_create_sq(struct cxr_core *core, const struct cxr_sq_attr *attr, u32 *sqn);
int cxr_cmd_sq_ready(struct cxr_core *core, u32 sqn);
int cxr_cmd_modify_sq(struct cxr_core *core, u32 sqn, enum cxr_wq_state from, enum cxr_wq_state to);
int cxr_cmd_query_sq(struct cxr_core *core, u32 sqn, enum cxr_wq_state *state);
void cxr_cmd_destroy_sq(struct cxr_core *core, u32 sqn);
int cxr_cmd_create_rq(struct cxr_core *core, const struct cxr_rq_attr *attr, u32 *rqn);
int cxr_cmd_rq_ready(struct cxr_core *core, u32 rqn);
int cxr_cmd_modify_rq(struct cxr_core *core, u32 rqn, enum cxr_wq_state from, enum cxr_wq_state to);
/* Whether the RQ, which is in @state, takes VLAN tags off from now on. */
int cxr_cmd_set_rq_strip(struct cxr_core *core, u32 rqn, enum cxr_wq_state state, bool strip);
int cxr_cmd_query_rq(struct cxr_core *core, u32 rqn, enum cxr_wq_state *state);
void cxr_cmd_destroy_rq(struct cxr_core *core, u32 rqn);

/* @n is a power of two up to caps.rss_ind_tbl_max, else -EINVAL. */
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
 * Direct to @num = RQN (CXR_TIR_NO_HASH; @key is not read), or spread over @num = RQTN by Toeplitz
 * hash with @key of 40 bytes.
 */
int cxr_cmd_create_tir(struct cxr_core *core, u32 tdn, enum cxr_tir_hash hash, u32 num,
		       const u8 *key, u32 *tirn);
/* Direct; @block_mc: without what the function itself sends to a group. */
int cxr_cmd_create_direct_tir(struct cxr_core *core, u32 tdn, u32 rqn, bool block_mc, u32 *tirn);
/* Spread, by a choice of enum cxr_hash. */
int cxr_cmd_create_hash_tir(struct cxr_core *core, u32 tdn, u32 fields, u32 rqtn, const u8 *key,
			    u32 *tirn);
void cxr_cmd_destroy_tir(struct cxr_core *core, u32 tirn);

/* ---- flow tables (cmd_flow.c) ---------------------------------------------------------------- */

/*
 * Of two types: for packets that the NIC receives, and to choose the port of what a LAG sends. A
 * table's number has 24 bits; above stands its type, which for the former is 0.
 */

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
	CXR_FLOW_LEVEL_FALLBACK,
};

/* For received packets; 2^@log_size entries. */
int cxr_cmd_create_flow_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table);
/* The same, to choose the port of what a LAG sends; @core: the function of port 1. */
int cxr_cmd_create_port_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table);
void cxr_cmd_destroy_flow_table(struct cxr_core *core, u32 table);
/* Where packets of the table's type start. */
int cxr_cmd_set_flow_root(struct cxr_core *core, u32 table);
/* Where packets go that no entry is for: a table of a higher level; 0: nowhere. */
int cxr_cmd_set_flow_miss(struct cxr_core *core, u32 table, u32 next);
/* Entries first..last; @mask: the bits that its entries match on. */
int cxr_cmd_create_flow_group(struct cxr_core *core, u32 table, u32 first, u32 last,
			      const struct cxr_flow_fields *mask, u32 *group);
/* Entries of a port table among which a hash chooses, of what cxr_cmd_create_definer() picked. */
int cxr_cmd_create_hash_group(struct cxr_core *core, u32 table, u32 first, u32 last, u32 definer,
			      u32 *group);
void cxr_cmd_destroy_flow_group(struct cxr_core *core, u32 table, u32 group);
/*
 * Entry @index, which lies in @group, for packets with @value in the parts that the group matches
 * on. @modify: the entry exists, and gets other destinations.
 */
int cxr_cmd_set_fte(struct cxr_core *core, u32 table, u32 group, u32 index,
		    const struct cxr_flow_fields *value, const struct cxr_flow_action *action,
		    bool modify);
void cxr_cmd_delete_fte(struct cxr_core *core, u32 table, u32 index);

/* ---- two ports as one (cmd_lag.c): @core is the function of port 1 --------------------------- */

/* Packets that are told apart by a hash. */
enum cxr_lag_packets {
	CXR_LAG_UDP_IPV4, CXR_LAG_UDP_IPV6,	/* by addresses and ports */
	CXR_LAG_REST,				/* by MACs */
	CXR_LAG_PACKETS
};

/* CREATE_GENERAL_OBJECT: what is hashed of these packets, for cxr_cmd_create_hash_group(). */
int cxr_cmd_create_definer(struct cxr_core *core, enum cxr_lag_packets packets, u32 *definer);
void cxr_cmd_destroy_definer(struct cxr_core *core, u32 definer);
/*
 * The function's QPs may send through both ports. @map: physical port (from 1) of what has affinity
 * 1 and 2, or such a hash. @hash: port tables, which stand already, say where packets leave, and
 * not their queues.
 */
int cxr_cmd_create_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash);
/* Another map; with @hash the entries of the tables are not changed here. */
int cxr_cmd_modify_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash);
/* After an error other than -ENODEV the device still has it. */
int cxr_cmd_destroy_lag(struct cxr_core *core);
/*
 * What port 2 receives comes to this function: RoCE packets to its QPs, all else through its flow
 * tables up to a LAG demux table, which gives it back to the function of port 2.
 */
int cxr_cmd_create_vport_lag(struct cxr_core *core);
void cxr_cmd_destroy_vport_lag(struct cxr_core *core);
/*
 * A LAG demux table, without entries, in a vport LAG; cxr_cmd_destroy_flow_table() destroys it.
 * @next: table of a higher level for what port 1 received, 0: none.
 */
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

/* QUERY_NIC_VPORT_CONTEXT, and MODIFY_NIC_VPORT_CONTEXT for what can be set. */
int cxr_cmd_query_vport(struct cxr_core *core, struct cxr_vport *vport);
/* RoCE packets are the vport's RDMA; else they are Ethernet. */
int cxr_cmd_set_vport_roce(struct cxr_core *core, bool on);
/* Every packet; every multicast packet. */
int cxr_cmd_set_vport_promisc(struct cxr_core *core, bool promisc, bool allmulti);
/*
 * The whole list of MACs of a kind that the vport takes beside its own; replaces the former one.
 * -ENOSPC: more than the device can hold.
 */
int cxr_cmd_set_vport_macs(struct cxr_core *core, bool multicast, const u8 macs[][ETH_ALEN],
			   u32 n);

/* Since the device was started. */
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
/* Can packets pass? */
int cxr_cmd_query_vport_state(struct cxr_core *core, bool *up);
/* QUERY_CONG_STATISTICS, with caps.cc_query_allowed: fills its part of @values[CXR_COUNTERS]. */
int cxr_cmd_query_cong_counters(struct cxr_core *core, u64 *values);

struct cxr_link {
	bool up;		/* PAOS oper status */
	u32 speed_mbps;		/* 0 if down */
	u8 lanes;
	u16 max_mtu;		/* Ethernet MTU without header */
};

/* From here on ACCESS_REGISTER: of PAOS, PTYS and PMTU. */
int cxr_cmd_query_link(struct cxr_core *core, struct cxr_link *link);
int cxr_cmd_set_port_admin(struct cxr_core *core, bool up);
/* PMTU and the vport's MTU; @mtu is without header. -EINVAL: with its header it does not fit. */
int cxr_cmd_set_port_mtu(struct cxr_core *core, u16 mtu);

/* PPCNT, as InfiniBand's performance management counts; narrow, they stay at their limits. */
struct cxr_ib_port_counters {
	u16 symbol_error, rcv_errors, rcv_remphys_errors, rcv_switch_relay_errors;
	u16 xmit_discards, vl15_dropped;
	u8 link_error_recovery, link_downed, xmit_constraint_errors, rcv_constraint_errors;
	u8 link_overrun_errors;	/* local link integrity << 4 | excessive buffer overrun */
	u32 xmit_wait;
};

int cxr_cmd_query_ib_port(struct cxr_core *core, struct cxr_ib_port_counters *counters);
/* Does the port count RoCE packets with a wrong ICRC (PCAM)? If so, how many (PPCNT). */
int cxr_cmd_query_icrc_counted(struct cxr_core *core, bool *counted);
int cxr_cmd_query_icrc_errors(struct cxr_core *core, u64 *errors);

/* All 64 bytes, without a NUL behind them. */
int cxr_cmd_get_node_desc(struct cxr_core *core, u8 desc[64]);
int cxr_cmd_set_node_desc(struct cxr_core *core, const u8 desc[64]);

/*
 * Entry @index of the RoCE address table; NULL clears it. -EINVAL: @index is not below
 * caps.roce_addresses.
 */
int cxr_cmd_set_roce_address(struct cxr_core *core, u16 index, const struct cxr_gid_entry *entry);

#endif
