/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Commands of the device, one function each, named after the command (cxr_cmd_alloc_pd() is
 * ALLOC_PD). What they have in common is described here; comments at a function only describe what
 * differs.
 *
 * They may sleep. Callers log nothing: the core logs a refusal with status and syndrome. They
 * return 0 or
 *
 *	-ENODEV		the device is gone or has failed
 *	-ETIMEDOUT	no response: the device is now marked as failed
 *	-ENOMEM		no memory for the request or its mailboxes
 *	-EIO, -EPROTO	invalid request, or invalid response
 *
 * or the errno of the firmware's status.
 *
 * Destroy and dealloc functions are void, since callers cannot do anything about a refusal, and do
 * nothing on a failed device. Some return an error because their callers handle it, but only of a
 * working device: one that fails meanwhile (-ETIMEDOUT) has let go of everything. These are
 * cxr_cmd_destroy_mkey(), cxr_cmd_destroy_lag(), cxr_cmd_detach_mcg(), cxr_cmd_delete_fte(),
 * cxr_cmd_destroy_flow_group(), and those of queues: after an error the device has kept the queue,
 * whose memory must not be freed.
 *
 * A caller takes an object out of its own tables before it destroys it: once the command is done,
 * a new object may have the number, before the function has returned.
 *
 * Arrays are only read before the return. Queue memory belongs to the caller, but the device uses
 * it until the destroy function returns.
 */
#ifndef CXR_CMD_H
#define CXR_CMD_H

#include "cxr.h"
#include "steering.h"
#include "../../drivers/codec/cong.h"
#include "../../drivers/codec/devx.h"
#include "../../drivers/codec/counter.h"
#include "../../drivers/codec/dct.h"
#include "../../drivers/codec/fec.h"
#include "../../drivers/codec/flow.h"
#include "../../drivers/codec/link.h"
#include "../../drivers/codec/phy_counter.h"
#include "../../drivers/codec/qpc.h"
#include "../../drivers/codec/umr.h"
#include "../../drivers/policy/dcb.h"
#include "../../drivers/policy/gid.h"

/*
 * @err of a command that takes something from the device, or 0 if the device is gone or has failed,
 * and so has nothing any more.
 */
static inline int cxr_cmd_refusal(const struct cxr_core *core, int err)
{
	return err == -ENODEV || cxr_core_dead(core) ? 0 : err;
}

/*
 * @uid of the commands below is the user context that an object is created for, 0 for the kernel
 * (devx.h); the later commands for the object name the same. The numbers of memory keys, XRC
 * domains, flow tables and counters are always the kernel's, as the in-tree driver has it.
 */

/* ---- PD, TD, mkey, counters (cmd_obj.c) ------------------------------------------------------ */

int cxr_cmd_alloc_pd(struct cxr_core *core, u16 uid, u32 *pdn);
int cxr_cmd_dealloc_pd(struct cxr_core *core, u16 uid, u32 pdn);
int cxr_cmd_alloc_xrcd(struct cxr_core *core, u32 *xrcd);
void cxr_cmd_dealloc_xrcd(struct cxr_core *core, u32 xrcd);
/* ALLOC_TRANSPORT_DOMAIN */
int cxr_cmd_alloc_td(struct cxr_core *core, u16 uid, u32 *tdn);
int cxr_cmd_dealloc_td(struct cxr_core *core, u16 uid, u32 tdn);
/* *uar: index for cxr_uar_phys(). */
int cxr_cmd_alloc_uar(struct cxr_core *core, u16 uid, u32 *uar);
int cxr_cmd_dealloc_uar(struct cxr_core *core, u16 uid, u32 uar);
int cxr_cmd_alloc_q_counter(struct cxr_core *core, u32 *id);
void cxr_cmd_dealloc_q_counter(struct cxr_core *core, u32 id);
/* Fills the first CXR_Q_COUNTERS of @values[CXR_COUNTERS]. */
int cxr_cmd_query_q_counter(struct cxr_core *core, u32 id, u64 *values);

enum cxr_mkey_kind {
	CXR_MKEY_PAGES,		/* a list of pages */
	CXR_MKEY_ALL,		/* physical addresses, all of them: a DMA MR */
	CXR_MKEY_FAST_REG,	/* room for pages, to be registered by a send WQE */
	CXR_MKEY_WINDOW,	/* memory window, to be bound by a send WQE */
	CXR_MKEY_WINDOW_INV,	/* the same, and a peer may invalidate it */
	CXR_MKEY_MEMIC,		/* memory of the device */
	CXR_MKEY_PAGING,	/* room for pages that come and go, by UMR; free until then */
	CXR_MKEY_PAGING_ALL,	/* the same for keys of type CXR_MKEY_PAGING, all of one size */
	CXR_MKEY_NULL,		/* all addresses, and nothing is there: caps.odp_memory */
};

struct cxr_mkey_attr {
	enum cxr_mkey_kind kind;
	u32 pdn;
	u32 access;		/* enum cxr_access; local read is always allowed */
	u32 npages;		/* for windows: number of parts; for PAGING_ALL: of keys */
	/* CXR_MKEY_PAGES, CXR_MKEY_MEMIC */
	u64 va;			/* IOVA of the first byte, or its place in BAR 0 */
	u64 len;
	/* CXR_MKEY_PAGES only */
	const dma_addr_t *dma;	/* pages of 2^log_page_size: cxr_limits_blocks() */
	u8 log_page_size;
	u32 room;		/* for pages, if that is more: a WQE may give it others */
};

/*
 * *mkey: index << 8 | variant, as used in WQEs. The variant changes with each call, so that a stale
 * key does not match a new one. The device uses the pages until cxr_cmd_destroy_mkey().
 */
int cxr_cmd_create_mkey(struct cxr_core *core, const struct cxr_mkey_attr *attr, u32 *mkey);
/* 0: the device does not access the memory any more. After an error it may still use it. */
int cxr_cmd_destroy_mkey(struct cxr_core *core, u32 mkey);

/* ---- memory of the device (cmd_memic.c); addresses are offsets in BAR 0 ---------------------- */

#define CXR_MEMIC_UNIT	64	/* lengths are multiples of it */

struct cxr_memic_attr {
	u64 from;		/* of a range in which the memory is to be */
	u32 range;
	u32 len;
	u8 log_align;		/* of a multiple of CXR_MEMIC_UNIT */
};

/* -ENOSPC: the device has no room in the range. */
int cxr_cmd_alloc_memic(struct cxr_core *core, const struct cxr_memic_attr *attr, u64 *addr);
/* After an error the device has kept the memory, for example because a key refers to it. */
int cxr_cmd_dealloc_memic(struct cxr_core *core, u64 addr, u32 len);
/* MODIFY_MEMIC. *op_addr: where accesses are the operation @op on the memory at @addr. */
int cxr_cmd_alloc_memic_op(struct cxr_core *core, u64 addr, u8 op, u64 *op_addr);
void cxr_cmd_dealloc_memic_op(struct cxr_core *core, u64 addr, u8 op);
/* The physical address of a range, or 0 if it cannot be one of memory. Any context. */
phys_addr_t cxr_memic_phys(const struct cxr_core *core, u64 addr, u64 len);

/* ---- commands of programs (cmd_devx.c) ------------------------------------------------------- */

/*
 * CREATE_UCTX. @raw: the program may send packets as it likes; @internal: it may use resources of
 * the device that are the firmware's. Each only if the device knows it.
 */
int cxr_cmd_create_uctx(struct cxr_core *core, bool raw, bool internal, u16 *uid);
/* 0: no object of the context is left. */
int cxr_cmd_destroy_uctx(struct cxr_core *core, u16 uid);

struct cxr_umem_attr {
	u16 uid;
	bool writable;
	u32 offset;		/* of the first byte in the first page */
	u8 log_page_size;
	u64 n;
	const dma_addr_t *dma;
};

/* The device uses the pages until cxr_devx_destroy_umem() has succeeded. */
int cxr_cmd_create_umem(struct cxr_core *core, const struct cxr_umem_attr *attr, u32 *umem);
/**
 * cxr_cmd_user() - run a command that a program composed
 * @core: the device
 * @in: input; opcode and user context set; see codec/devx.h for what is allowed
 * @len: its length in bytes, CXR_DEVX_MIN or more
 * @out: output, cleared first
 * @out_len: its length in bytes, CXR_DEVX_MIN or more
 *
 * May sleep. A refusal is the program's own affair, and not logged.
 *
 * Return: 0; -EREMOTEIO: the device refused, and @out says why; another error as described above:
 * the device did not answer, and the status in @out is that of an internal error.
 */
int cxr_cmd_user(struct cxr_core *core, void *in, u32 len, void *out, u32 out_len);
/*
 * Gives back what such a command created, or a umem. 0: the device does not access its memory any
 * more; or why it has kept it, and may use that still.
 */
int cxr_cmd_user_destroy(struct cxr_core *core, const struct cxr_devx_destroy *destroy);

/* ---- CQs that the device has already (eq.c) -------------------------------------------------- */

/*
 * For a CQ that the device has already, with all fields set: from here on its handlers may run.
 * -ENOMEM, or -EPROTO: another CQ has this number, and must not be destroyed. May sleep.
 */
int cxr_cq_register(struct cxr_core *core, struct cxr_cq *cq);
/* After it no handler of the CQ runs. May sleep; not under a lock that a handler takes. */
void cxr_cq_unregister(struct cxr_core *core, struct cxr_cq *cq);
/* The completion vector whose EQ has this number, or -ENOENT. While the device is up. */
int cxr_comp_vector(const struct cxr_core *core, u8 eqn);

/* ---- QP (cmd_qp.c) --------------------------------------------------------------------------- */

/* The QP is in state RST. */
int cxr_cmd_create_qp(struct cxr_core *core, const struct cxr_qp_create *attr,
		      const struct cxr_pas *pas, u32 *qpn);
int cxr_cmd_destroy_qp(struct cxr_core *core, u16 uid, u32 qpn);
/**
 * cxr_cmd_modify_qp() - one transition of a QP; the states pick the command (RST2INIT, 2ERR, ...)
 * @core: the device
 * @uid: see above
 * @qpn: the QP
 * @from: current state
 * @to: new state; CXR_QPS_ERR and CXR_QPS_RST are possible from any state
 * @mod: attributes; may be NULL for those two
 * @opts: enum cxr_qp_opt: the optional attributes in @mod
 *
 * Return: 0, -EINVAL (no such transition), or the command's error.
 */
int cxr_cmd_modify_qp(struct cxr_core *core, u16 uid, u32 qpn, enum cxr_qp_state from,
		      enum cxr_qp_state to, const struct cxr_qp_mod *mod, u32 opts);
/* *mod: attributes in the context; *draining: in SQD, and the send queue is not empty yet. */
int cxr_cmd_query_qp(struct cxr_core *core, u32 qpn, enum cxr_qp_state *state, bool *draining,
		     struct cxr_qp_mod *mod);
/* ATTACH_TO_MCG and DETACH_FROM_MCG: datagrams to the multicast GID reach the UD QP. */
int cxr_cmd_attach_mcg(struct cxr_core *core, u16 uid, const u8 gid[16], u32 qpn);
int cxr_cmd_detach_mcg(struct cxr_core *core, u16 uid, const u8 gid[16], u32 qpn);

/* ---- targets of DC transport (cmd_qp.c) ------------------------------------------------------ */

/* *ece: extensions that the device has of those asked for. */
int cxr_cmd_create_dct(struct cxr_core *core, const struct cxr_dct *dct, u32 *dctn, u32 *ece);
/* The target answers no new initiator. When it has done with the others there is an event. */
int cxr_cmd_drain_dct(struct cxr_core *core, u16 uid, u32 dctn);
int cxr_cmd_destroy_dct(struct cxr_core *core, u16 uid, u32 dctn);
/* *dct: only what cxr_dctc_decode() reads. */
int cxr_cmd_query_dct(struct cxr_core *core, u32 dctn, struct cxr_dct *dct);

/* ---- SRQ (cmd_srq.c) ------------------------------------------------------------------------- */

struct cxr_srq_attr {
	bool xrc;
	u16 uid;
	u32 pdn;
	u32 xrcd, cqn, user_index;	/* of an XRC SRQ */
	u8 log_size;		/* in WQEs */
	u8 log_stride;		/* in bytes, 5.. */
	struct cxr_pas pas;
	u64 db_dma;
};

/* An RMP or an XRC SRQ, by attr->xrc and by @xrc of the others. */
int cxr_cmd_create_srq(struct cxr_core *core, const struct cxr_srq_attr *attr, u32 *srqn);
int cxr_cmd_destroy_srq(struct cxr_core *core, u16 uid, bool xrc, u32 srqn);
/* Requests one event when fewer than @limit WQEs are left; 0: none. */
int cxr_cmd_arm_srq(struct cxr_core *core, u16 uid, bool xrc, u32 srqn, u16 limit);
/* The limit of cxr_cmd_arm_srq(), or 0 after its event. */
int cxr_cmd_query_srq(struct cxr_core *core, bool xrc, u32 srqn, u16 *limit);

/* ---- Ethernet queues (cmd_nic.c) ------------------------------------------------------------- */

/**
 * cxr_cmd_create_tis() - where a send queue's packets go
 * @core: the device
 * @uid: see above
 * @tdn: transport domain
 * @prio: 0..7
 * @lag_port: port of the LAG, 1.., which its map translates; 0: the function's own port
 * @tisn: its number
 *
 * In a LAG the packets of a netdev still leave by the function's own port: the bond chooses the
 * port, and LACP frames have to reach the link partner of their port.
 *
 * Return: 0 or the command's error.
 */
int cxr_cmd_create_tis(struct cxr_core *core, u16 uid, u32 tdn, u8 prio, u8 lag_port, u32 *tisn);
int cxr_cmd_destroy_tis(struct cxr_core *core, u16 uid, u32 tisn);

struct cxr_sq_attr {
	u16 uid;
	u32 tisn, cqn, pdn, uar;
	u32 user_index;
	u8 log_size;		/* in 64-byte blocks */
	u8 min_inline_mode;	/* in the encoding of the device */
	bool mpw;		/* WQEs may be several packets of one length */
	struct cxr_pas pas;
	u64 db_dma;
};

struct cxr_rq_attr {
	u16 uid;
	u32 cqn, pdn;
	u32 user_index;
	u32 q_counter;		/* 0 = none */
	u8 log_size;		/* in WQEs */
	u8 log_stride;		/* in bytes */
	bool vlan_strip;
	bool end_pad;		/* the device may pad a packet to a full cache line */
	/* WQEs of several packets: logs of the number of strides, and of their bytes; 0, 0: not */
	u8 log_strides, log_stride_bytes;
	bool two_byte_shift;	/* before each of those packets */
	struct cxr_pas pas;
	u64 db_dma;
};

enum cxr_wq_state { CXR_WQ_RST, CXR_WQ_RDY, CXR_WQ_ERR };

/* The number that the device has for it, for people. */
u8 cxr_cmd_wq_state_number(enum cxr_wq_state state);

/*
 * Created in state RST; *_ready moves from there to RDY, and destroy flushes what is queued. There
 * is no transition from RST to ERR or from ERR to RDY.
 */
int cxr_cmd_create_sq(struct cxr_core *core, const struct cxr_sq_attr *attr, u32 *sqn);
int cxr_cmd_sq_ready(struct cxr_core *core, u16 uid, u32 sqn);
int cxr_cmd_modify_sq(struct cxr_core *core, u16 uid, u32 sqn, enum cxr_wq_state from,
		      enum cxr_wq_state to);
/* As cxr_cmd_modify_sq(), with the rate that it has from then on: cxr_rate_get(), 0: none. */
int cxr_cmd_set_sq_rate(struct cxr_core *core, u16 uid, u32 sqn, enum cxr_wq_state from,
			enum cxr_wq_state to, u16 rate);
int cxr_cmd_query_sq(struct cxr_core *core, u32 sqn, enum cxr_wq_state *state);
int cxr_cmd_destroy_sq(struct cxr_core *core, u16 uid, u32 sqn);
int cxr_cmd_create_rq(struct cxr_core *core, const struct cxr_rq_attr *attr, u32 *rqn);
int cxr_cmd_rq_ready(struct cxr_core *core, u16 uid, u32 rqn);
int cxr_cmd_modify_rq(struct cxr_core *core, u16 uid, u32 rqn, enum cxr_wq_state from,
		      enum cxr_wq_state to);
/* As cxr_cmd_modify_rq(), and switches VLAN stripping; @from and @to may be the same. */
int cxr_cmd_set_rq_strip(struct cxr_core *core, u16 uid, u32 rqn, enum cxr_wq_state from,
			 enum cxr_wq_state to, bool strip);
int cxr_cmd_query_rq(struct cxr_core *core, u32 rqn, enum cxr_wq_state *state);
int cxr_cmd_destroy_rq(struct cxr_core *core, u16 uid, u32 rqn);

/* -EINVAL: @n is not a power of two up to caps.rss_ind_tbl_max. */
int cxr_cmd_create_rqt(struct cxr_core *core, u16 uid, const u32 *rqns, u32 n, u32 *rqtn);
/* @n as it was created with. */
int cxr_cmd_modify_rqt(struct cxr_core *core, u32 rqtn, const u32 *rqns, u32 n);
int cxr_cmd_destroy_rqt(struct cxr_core *core, u16 uid, u32 rqtn);

/* Fields to hash, and of which packets (default IPv4 and TCP). */
enum cxr_hash {
	CXR_HASH_SRC_IP = BIT(0), CXR_HASH_DST_IP = BIT(1),
	CXR_HASH_SPORT = BIT(2), CXR_HASH_DPORT = BIT(3),
	CXR_HASH_IPV6 = BIT(4), CXR_HASH_UDP = BIT(5),
	CXR_HASH_SYMMETRIC = BIT(6),	/* Toeplitz, the same for both directions of a flow */
	CXR_HASH_INNER = BIT(7),	/* all of them in a tunnel */
};

/*
 * What a TIR hears of the send queues of its own transport domain, by default nothing; and that it
 * looks into tunnels, for completions and the hash (cxr_caps_inner()).
 */
enum cxr_tir_flag {
	CXR_TIR_SELF_UNICAST = BIT(0), CXR_TIR_SELF_MULTICAST = BIT(1), CXR_TIR_TUNNELS = BIT(2),
};

/* Direct to an RQ. @flags: enum cxr_tir_flag. */
int cxr_cmd_create_direct_tir(struct cxr_core *core, u16 uid, u32 tdn, u32 flags, u32 rqn,
			      u32 *tirn);
/*
 * Spread over an RQT by a hash of @fields, enum cxr_hash: Toeplitz with @key of 40 bytes, or XOR8
 * if that is NULL.
 */
int cxr_cmd_create_hash_tir(struct cxr_core *core, u16 uid, u32 tdn, u32 flags, u32 fields,
			    u32 rqtn, const u8 *key, u32 *tirn);
/* Of a TIR with a hash; @fields and @key as for cxr_cmd_create_hash_tir(). */
int cxr_cmd_set_tir_hash(struct cxr_core *core, u32 tirn, u32 fields, const u8 *key);
/* @self: CXR_TIR_SELF_*, if the device can change it (caps.self_lb_en_modifiable). */
int cxr_cmd_set_tir_self(struct cxr_core *core, u32 tirn, u32 self);
int cxr_cmd_destroy_tir(struct cxr_core *core, u16 uid, u32 tirn);

#define CXR_VXLAN_PORTS 16	/* at most */

/*
 * The UDP port is one of VXLAN, or not any more. There are caps.vxlan_ports; packets of others are
 * no tunnels. A port whose deletion was refused can be added again, also by another client. For one
 * caller at a time.
 */
int cxr_cmd_add_vxlan_port(struct cxr_core *core, u16 port);
int cxr_cmd_delete_vxlan_port(struct cxr_core *core, u16 port);

/* ---- flow tables (cmd_flow.c) ---------------------------------------------------------------- */

/*
 * There are four types: for packets that the NIC receives, for RoCE packets received and sent, and
 * to choose the port of packets that a LAG sends. A table number has the id in the low 24 bits and
 * the type above, 0 for the first one.
 */

enum cxr_flow_to {
	CXR_FLOW_TO_TIR,
	CXR_FLOW_TO_TABLE,	/* of a higher level */
	CXR_FLOW_TO_UPLINK,	/* of the function with that vhca_id; only in port tables */
};

struct cxr_flow_dest {
	enum cxr_flow_to to;
	u32 num;
};

#define CXR_FLOW_DESTS 16

struct cxr_flow_action {
	u32 tag;		/* flow tag in completions, 24 bits */
	u32 n_dests;		/* 0: drop, or allow */
	struct cxr_flow_dest dests[CXR_FLOW_DESTS];
	const u64 *vports;	/* of the FDB: bits of vports (fdb.h) instead of @dests; or NULL */
	bool allow;		/* of RoCE packets: they go on */
	bool count;		/* in flow counter @counter */
	u32 counter;
};

/*
 * A table can lead to tables of higher levels only. Rules have two tables per priority, and one for
 * packets that matched nowhere else.
 */
enum {
	CXR_FLOW_LEVEL_RULES,
	CXR_FLOW_LEVEL_DEMUX = CXR_FLOW_LEVEL_RULES + 2 * CXR_FLOW_PRIOS,
	CXR_FLOW_LEVEL_EN,
	CXR_FLOW_LEVEL_EN_2,
	CXR_FLOW_LEVEL_EN_3,
	CXR_FLOW_LEVEL_EN_4,
	CXR_FLOW_LEVEL_FALLBACK,
};

/* For received packets, with 2^@log_size entries. */
int cxr_cmd_create_flow_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table);
/* For RoCE packets of the function, received or sent; those that match nothing go on. */
int cxr_cmd_create_rdma_table(struct cxr_core *core, bool tx, u8 log_size, u32 *table);
/* Of the e-switch, which the function manages; its entries have vports as destinations. */
int cxr_cmd_create_fdb_table(struct cxr_core *core, u8 log_size, u32 *table);
/* To choose the port of packets that a LAG sends; @core: the function of port 1. */
int cxr_cmd_create_port_table(struct cxr_core *core, u8 level, u8 log_size, u32 *table);
void cxr_cmd_destroy_flow_table(struct cxr_core *core, u32 table);
/* Makes it the first table of its type. */
int cxr_cmd_set_flow_root(struct cxr_core *core, u32 table);
/* Sets the table for packets that match no entry; 0: none. */
int cxr_cmd_set_flow_miss(struct cxr_core *core, u32 table, u32 next);
/* @mask: the bits that entries first..last match on. */
int cxr_cmd_create_flow_group(struct cxr_core *core, u32 table, u32 first, u32 last,
			      const struct cxr_flow_fields *mask, u32 *group);
/* Entries of a port table, chosen by a hash of the fields of @definer. */
int cxr_cmd_create_hash_group(struct cxr_core *core, u32 table, u32 first, u32 last, u32 definer,
			      u32 *group);
/* If it is refused, the range of entries still belongs to the group. */
int cxr_cmd_destroy_flow_group(struct cxr_core *core, u32 table, u32 group);
/*
 * Sets entry @index of @group: @action for packets with @value in the bits of the group. @modify:
 * the entry exists and gets new destinations.
 */
int cxr_cmd_set_fte(struct cxr_core *core, u32 table, u32 group, u32 index,
		    const struct cxr_flow_fields *value, const struct cxr_flow_action *action,
		    bool modify);
/* If it is refused, the entry exists and acts as before. */
int cxr_cmd_delete_fte(struct cxr_core *core, u32 table, u32 index);
/* A flow counter begins at 0. No entry may use it any more when it is deallocated. */
int cxr_cmd_alloc_flow_counter(struct cxr_core *core, u32 *id);
void cxr_cmd_dealloc_flow_counter(struct cxr_core *core, u32 id);
int cxr_cmd_query_flow_counter(struct cxr_core *core, u32 id, struct cxr_traffic *traffic);

/* ---- LAG (cmd_lag.c): @core is the function of port 1 ---------------------------------------- */

/* Kinds of packets, by what is hashed of them. */
enum cxr_lag_packets {
	CXR_LAG_UDP_IPV4, CXR_LAG_UDP_IPV6,	/* by addresses and ports */
	CXR_LAG_REST,				/* by MACs */
	CXR_LAG_PACKETS
};

/* CREATE_GENERAL_OBJECT: the fields to hash of these packets. */
int cxr_cmd_create_definer(struct cxr_core *core, enum cxr_lag_packets packets, u32 *definer);
void cxr_cmd_destroy_definer(struct cxr_core *core, u32 definer);
/*
 * QPs of the function may send through both ports. @map: physical port, 1.., for affinity or hash 1
 * and 2. @hash: existing port tables choose the port of packets instead of the affinity of queues.
 */
int cxr_cmd_create_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash);
/* Changes the map; with @hash the caller changes the entries of the port tables. */
int cxr_cmd_modify_lag(struct cxr_core *core, const u8 map[CXR_LAG_PORTS], bool hash);
/* After an error the LAG still exists. */
int cxr_cmd_destroy_lag(struct cxr_core *core);
/*
 * Packets received by port 2 come to this function: RoCE packets to its QPs, all others to its flow
 * tables, where a LAG demux table returns them to the tables of the function of port 2.
 */
int cxr_cmd_create_vport_lag(struct cxr_core *core);
void cxr_cmd_destroy_vport_lag(struct cxr_core *core);
/*
 * A LAG demux table, without entries, in a vport LAG; destroy it by cxr_cmd_destroy_flow_table().
 * @next: table for packets that port 1 received, 0: none.
 */
int cxr_cmd_create_demux_table(struct cxr_core *core, u32 next, u32 *table);
int cxr_cmd_set_demux_next(struct cxr_core *core, u32 table, u32 next);

/* ---- vport and port (cmd_port.c) ------------------------------------------------------------- */

struct cxr_vport {
	u8 mac[ETH_ALEN];
	u16 mtu;		/* including Ethernet header and FCS */
	u8 min_inline_mode;
	bool roce_enabled;
	__be64 node_guid, sys_image_guid;
	u16 bad_qkeys;		/* received with a wrong Q_Key */
};

/* QUERY_NIC_VPORT_CONTEXT; the setters below are MODIFY_NIC_VPORT_CONTEXT. */
int cxr_cmd_query_vport(struct cxr_core *core, struct cxr_vport *vport);
/*
 * What a send WQE must have of a packet's headers, by the card or, if it says so, by the vport: 0
 * nothing, 1 L2, 2 L3, 3 L4; the encoding of cxr_vport.min_inline_mode.
 */
int cxr_cmd_query_min_inline(struct cxr_core *core, u8 *mode);
/* Off: RoCE packets are received as Ethernet. */
int cxr_cmd_set_vport_roce(struct cxr_core *core, bool on);
/*
 * Whether the vport hears what it sends to its own MAC and groups, where that can be switched. It
 * is an attribute of the function that outlives drivers. RoCE is not affected. For the core, which
 * counts who needs it (cxr_loopback_get()).
 */
int cxr_cmd_set_vport_loopback(struct cxr_core *core, bool on);
int cxr_cmd_set_vport_promisc(struct cxr_core *core, bool promisc, bool allmulti);
/*
 * Replaces the list of unicast or multicast MACs that the vport receives. -ENOSPC: too many for the
 * device.
 */
int cxr_cmd_set_vport_macs(struct cxr_core *core, bool multicast, const u8 macs[][ETH_ALEN],
			   u32 n);

/*
 * SET_L2_TABLE_ENTRY: on a card that serves several hosts, unicast to @mac reaches this one. NULL:
 * DELETE_L2_TABLE_ENTRY. @index is below caps.l2_entries.
 */
int cxr_cmd_set_l2_entry(struct cxr_core *core, u32 index, const u8 *mac);

/* QUERY_VPORT_COUNTER, since initialization of the device. @vport: 0, or that of a VF */
int cxr_cmd_query_vport_counters(struct cxr_core *core, u16 vport,
				 struct cxr_traffic traffic[CXR_VPORT_COUNTERS]);
/* QUERY_VNIC_ENV, if caps.vnic_counters is not 0; those that the device does not have are 0. */
int cxr_cmd_query_vnic_env(struct cxr_core *core, u64 values[CXR_VNIC_COUNTERS]);
int cxr_cmd_query_vport_state(struct cxr_core *core, bool *up);
/* QUERY_CONG_STATISTICS, if caps.cc_query_allowed: fills its part of @values[CXR_COUNTERS]. */
int cxr_cmd_query_cong_counters(struct cxr_core *core, u64 *values);

/* From here on ACCESS_REGISTER. PTYS. */
int cxr_cmd_query_link(struct cxr_core *core, struct cxr_link *link);
/*
 * Protocols of one numbering, and whether to negotiate them; takes effect when the link comes up.
 * A refusal, which a function that does not own the port may get, is not logged.
 */
int cxr_cmd_set_link(struct cxr_core *core, bool ext, u32 protos, bool autoneg);
/* PCAM: what PPLM and PPCNT have. Not for a function without the register: support->pplm. */
int cxr_cmd_query_fec_support(struct cxr_core *core, struct cxr_fec_support *support);
/* PPLM. A change takes effect when the link comes up. -EOPNOTSUPP: no speed can have @fec. */
int cxr_cmd_query_fec(struct cxr_core *core, const struct cxr_fec_support *support,
		      struct cxr_fec *fec);
int cxr_cmd_set_fec(struct cxr_core *core, const struct cxr_fec_support *support, u32 fec);
/* PPCNT and PMLP: blocks of the code @active, of struct cxr_fec. A refusal is not logged. */
int cxr_cmd_query_fec_blocks(struct cxr_core *core, u32 active, struct cxr_fec_blocks *blocks);
/* MLCR, with caps.beacon_led: the LED of the port blinks. A refusal is not logged. */
int cxr_cmd_set_beacon(struct cxr_core *core, bool on);
/* PMTU; *mtu is without Ethernet header. */
int cxr_cmd_query_max_mtu(struct cxr_core *core, u16 *mtu);
/* PAOS, which firmware may refuse to a function that does not own the port; that is not logged. */
int cxr_cmd_set_port_admin(struct cxr_core *core, bool up);
/* PAOS: takes the link of a port that is enabled down and up; also not logged. */
int cxr_cmd_toggle_port(struct cxr_core *core);
/*
 * PMTU and, if the firmware lets us, the MTU of the vport; @mtu is without header. A refusal is not
 * logged. -EINVAL: it is too large.
 */
int cxr_cmd_set_port_mtu(struct cxr_core *core, u16 mtu);

/* Global pause frames: does the port obey those it receives, and send them? */
struct cxr_pause {
	bool rx, tx;
};

static inline bool cxr_pause_on(const struct cxr_pause *pause)
{
	return pause->rx || pause->tx;
}

struct cxr_flow_control {
	struct cxr_pause pause;
	u8 pfc_rx, pfc_tx;	/* priorities, a bit each */
	bool own_buffers;	/* the buffers are what a driver wrote, not the firmware */
};

/* PFCC. A refusal is not logged. */
int cxr_cmd_query_flow_control(struct cxr_core *core, struct cxr_flow_control *fc);
/*
 * The firmware may refuse it to a function that does not own the port, and together with flow
 * control of priorities; that is not logged.
 */
int cxr_cmd_set_pause(struct cxr_core *core, const struct cxr_pause *pause);
/* In the memory of a module, by its own addresses. */
struct cxr_module_place {
	u8 i2c_address;
	u8 page;
	u16 offset;
};

/*
 * PMLP and MCIA: reads @len bytes of the module in the port. -ENXIO: there is none; -ENETDOWN: it
 * is disabled; -EOPNOTSUPP: it has no memory, or one that the firmware cannot read; -EREMOTEIO: it
 * does not answer. Errors are not logged.
 */
int cxr_cmd_read_module(struct cxr_core *core, const struct cxr_module_place *place, u8 *data,
			u32 len);
/* PDDR: why the link is down, for cxr_link_down_reason(). A refusal is not logged. */
int cxr_cmd_query_link_down(struct cxr_core *core, u16 *opcode);
/* PPCNT: fills the part of @group of @values[CXR_PHY_COUNTERS]. A refusal is not logged. */
int cxr_cmd_query_phy_counters(struct cxr_core *core, enum cxr_phy_group group, u64 *values);
/* The same for all @values[CXR_PRIO_COUNTERS] of a priority, or [CXR_TC_COUNTERS] of a class. */
int cxr_cmd_query_prio_counters(struct cxr_core *core, u8 prio, u64 *values);
int cxr_cmd_query_tc_counters(struct cxr_core *core, u8 tc, u64 *values);

/* PPCNT, as in InfiniBand PMA PortCounters; counters saturate. */
struct cxr_ib_port_counters {
	u16 symbol_error, rcv_errors, rcv_remphys_errors, rcv_switch_relay_errors;
	u16 xmit_discards, vl15_dropped;
	u8 link_error_recovery, link_downed, xmit_constraint_errors, rcv_constraint_errors;
	u8 link_overrun_errors;	/* local link integrity << 4 | excessive buffer overrun */
	u32 xmit_wait;
};

int cxr_cmd_query_ib_port(struct cxr_core *core, struct cxr_ib_port_counters *counters);
/*
 * Whether the port counts RoCE packets with a wrong ICRC, and their number: PCAM says that it does,
 * and PPCNT can be read. A function that is refused either has no such counter.
 */
int cxr_cmd_query_icrc_counted(struct cxr_core *core, bool *counted);
int cxr_cmd_query_icrc_errors(struct cxr_core *core, u64 *errors);

/* ---- what DCB sets (cmd_dcb.c): with caps.dcb ------------------------------------------------ */

struct cxr_dcb_support {
	bool dscp;		/* QPTS and QPDPM */
	bool buffers;		/* PBMC and PPTB */
	bool buffer_owner;	/* cxr_flow_control.own_buffers is valid */
	bool stall;		/* the port can stop pausing for a function that is stuck */
	u32 cell;		/* bytes, of the buffers */
};

/* QCAM, PCAM, SBCAM. */
int cxr_cmd_query_dcb(struct cxr_core *core, struct cxr_dcb_support *support);
/* QPTS: the priority of a packet is that of its DSCP, else that of its VLAN tag. */
int cxr_cmd_query_trust(struct cxr_core *core, bool *dscp);
int cxr_cmd_set_trust(struct cxr_core *core, bool dscp);
/* QPDPM. */
int cxr_cmd_query_dscp_prio(struct cxr_core *core, u8 prio[CXR_DSCPS]);
int cxr_cmd_set_dscp_prio(struct cxr_core *core, u8 dscp, u8 prio);
/* QTCT and QETCR, with caps.ets. */
int cxr_cmd_query_prio_tc(struct cxr_core *core, u8 tc[CXR_PRIOS]);
int cxr_cmd_set_prio_tc(struct cxr_core *core, const u8 tc[CXR_PRIOS]);
int cxr_cmd_query_tcs(struct cxr_core *core, struct cxr_tc tcs[CXR_TCS]);
/* Groups and weights. */
int cxr_cmd_set_tc_schedule(struct cxr_core *core, const struct cxr_tc tcs[CXR_TCS]);
/* -ERANGE: a rate is above CXR_RATE_MAX. */
int cxr_cmd_set_tc_rates(struct cxr_core *core, const struct cxr_tc tcs[CXR_TCS]);
/* DCBX_PARAM, with caps.dcbx: does the firmware speak DCBX, or the host? */
int cxr_cmd_query_dcbx(struct cxr_core *core, bool *firmware);
int cxr_cmd_set_dcbx(struct cxr_core *core, bool firmware);

/*
 * PFCC: flow control of @prios in both directions; that of the port is off then. It takes effect
 * when the link comes up.
 */
int cxr_cmd_set_pfc(struct cxr_core *core, u8 prios);
/*
 * PFCC, with cxr_dcb_support.stall: how long a function that takes no packets pauses the sender
 * before the port ends that, and before it counts a warning; 0: never.
 */
int cxr_cmd_query_stall(struct cxr_core *core, u16 *critical_ms);
int cxr_cmd_set_stall(struct cxr_core *core, u16 critical_ms, u16 minor_ms);
/* PPTB and PBMC. b->cell is that of cxr_dcb_support. */
int cxr_cmd_query_buffers(struct cxr_core *core, struct cxr_buffers *b);
/*
 * PBMC and PPTB, what differs from @old, the buffers so far, and the memory that they share (SBPR,
 * SBCM). -ENOSPC: too little of it would be left. After an error the buffers are as before, if the
 * device takes the old values.
 */
int cxr_cmd_set_buffers(struct cxr_core *core, const struct cxr_buffers *old,
			const struct cxr_buffers *b);

/* ---- congestion control (cmd_cong.c): with caps.cc_params ------------------------------------ */

int cxr_cmd_query_cong_param(struct cxr_core *core, const struct cxr_cong_param *param,
			     u32 *value);
int cxr_cmd_set_cong_param(struct cxr_core *core, const struct cxr_cong_param *param, u32 value);
/* @point: not CXR_CONG_GENERAL. */
int cxr_cmd_query_cong_status(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool *on);
int cxr_cmd_set_cong_status(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool on);

/*
 * For files (cong.c). @param is one of cxr_cong_params[]. -ENODEV: not while the device is being
 * reset. What was set is set again after that.
 */
int cxr_cong_get(struct cxr_core *core, const struct cxr_cong_param *param, u32 *value);
/* @text: what was written to the file. -EINVAL: it is not in the range; that is logged. */
int cxr_cong_set(struct cxr_core *core, const struct cxr_cong_param *param, const char *text);
int cxr_cong_get_prio(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool *on);
int cxr_cong_set_prio(struct cxr_core *core, enum cxr_cong_point point, u8 prio, bool on);

/* ---- node description and RoCE address table (cmd_port.c) ------------------------------------ */

/* 64 bytes, not NUL-terminated. */
int cxr_cmd_get_node_desc(struct cxr_core *core, u8 desc[64]);
int cxr_cmd_set_node_desc(struct cxr_core *core, const u8 desc[64]);

/*
 * Sets entry @index of the RoCE address table; NULL clears it. -EINVAL: @index is not below
 * caps.roce_addresses.
 */
int cxr_cmd_set_roce_address(struct cxr_core *core, u16 index, const struct cxr_gid_entry *entry);

#endif
