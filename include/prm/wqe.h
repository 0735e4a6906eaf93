/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Work queue entries. A send WQE is a control segment followed by those that its opcode needs, in
 * units of 16 bytes; it starts on a 64-byte basic block. A receive WQE has data segments only.
 */
#ifndef CXR_PRM_WQE_H
#define CXR_PRM_WQE_H

#include "prm.h"

#define PRM_WQE_DS	16
#define PRM_WQE_BB	64

enum prm_wqe_opcode {
	PRM_WQE_NOP			= 0x00,
	PRM_WQE_SEND_INVAL		= 0x01,
	PRM_WQE_RDMA_WRITE		= 0x08,
	PRM_WQE_RDMA_WRITE_IMM		= 0x09,
	PRM_WQE_SEND			= 0x0a,
	PRM_WQE_SEND_IMM		= 0x0b,
	PRM_WQE_LSO			= 0x0e,
	PRM_WQE_RDMA_READ		= 0x10,
	PRM_WQE_ATOMIC_CS		= 0x11,
	PRM_WQE_ATOMIC_FA		= 0x12,
	PRM_WQE_ATOMIC_MASKED_CS	= 0x14,
	PRM_WQE_ATOMIC_MASKED_FA	= 0x15,
	PRM_WQE_BIND_MW			= 0x18,
	PRM_WQE_SET_PSV			= 0x20,
	PRM_WQE_GET_PSV			= 0x21,
	PRM_WQE_CHECK_PSV		= 0x22,
	PRM_WQE_DUMP			= 0x23,
	PRM_WQE_UMR			= 0x25,
	PRM_WQE_ENHANCED_MPSW		= 0x29,
};

/* opmod of PRM_WQE_LSO: packets of mss bytes each, with their headers */
#define PRM_WQE_LSO_MPW			0x01

/* fm_ce_se: 7:5 fence, 3:2 completion, 1 solicited event */
#define PRM_WQE_FENCE_NONE		0x00
#define PRM_WQE_FENCE_INITIATOR_SMALL	0x20
#define PRM_WQE_FENCE			0x40
#define PRM_WQE_FENCE_STRONG		0x60
#define PRM_WQE_FENCE_SMALL_AND_FENCE	0x80
#define PRM_WQE_CE_ERROR		0x00	/* completion on error only */
#define PRM_WQE_CE_ALWAYS		0x08
#define PRM_WQE_CE_ALWAYS_EQE		0x0c
#define PRM_WQE_SOLICITED		0x02

struct prm_wqe_ctrl_seg {
	__be32 opmod_idx_opcode;	/* 31:24 modifier, 23:8 WQE index, 7:0 opcode */
	__be32 qpn_ds;			/* 31:8 QPN or SQN, 5:0 size in 16-byte units */
	u8 signature;
	u8 dci_stream_channel_id[2];	/* big-endian, of a DCI with streams */
	u8 fm_ce_se;
	union {
		__be32 imm;
		__be32 general_id;
		__be32 umr_mkey;
		__be32 tis_tir_num;
	};
};
static_assert(sizeof(struct prm_wqe_ctrl_seg) == 16, "control segment");
static_assert(offsetof(struct prm_wqe_ctrl_seg, fm_ce_se) == 0x0b, "fm_ce_se");

struct prm_wqe_raddr_seg {
	__be64 raddr;
	__be32 rkey;
	__be32 rsvd_0c;
};
static_assert(sizeof(struct prm_wqe_raddr_seg) == 16, "remote address segment");

struct prm_wqe_atomic_seg {
	__be64 swap_add;
	__be64 compare;
};
static_assert(sizeof(struct prm_wqe_atomic_seg) == 16, "atomic segment");

struct prm_wqe_masked_atomic_seg {
	__be64 swap_add;
	__be64 compare;
	__be64 swap_add_mask;
	__be64 compare_mask;
};
static_assert(sizeof(struct prm_wqe_masked_atomic_seg) == 32, "masked atomic segment");

struct prm_wqe_xrc_seg {
	__be32 xrc_srqn;
	u8 rsvd_04[12];
};
static_assert(sizeof(struct prm_wqe_xrc_seg) == 16, "XRC segment");

/* byte_count 31: the segment is inline data, see below; a length of 0 means 2 GiB */
struct prm_wqe_data_seg {
	__be32 byte_count;
	__be32 lkey;
	__be64 addr;
};
static_assert(sizeof(struct prm_wqe_data_seg) == 16, "data segment");

/* Inline data follow the count and fill whole 16-byte units; 9:0 length. */
struct prm_wqe_inline_seg {
	__be32 byte_count;
};
static_assert(sizeof(struct prm_wqe_inline_seg) == 4, "inline segment");

#define PRM_WQE_INLINE		0x80000000
#define PRM_WQE_INLINE_MASK	0x3ff
#define PRM_WQE_LKEY_TERMINATE	0x100	/* ends a scatter list that is shorter than its WQE */

/* Address vector: the first 16 bytes alone if the extension bit is clear. */
struct prm_av {
	union {
		struct {
			__be32 qkey;
			__be32 rsvd_04;
		} qkey;
		__be64 dc_key;
	} key;
	__be32 dqp_dct;			/* 31 extended, 23:0 QPN */
	u8 stat_rate_sl;		/* 7:4 rate, 3:0 SL or Ethernet priority << 1 */
	u8 fl_mlid;
	union {
		__be16 rlid;
		__be16 udp_sport;
	};
	u8 rsvd_10[4];
	u8 rmac[6];
	u8 tclass;
	u8 hop_limit;
	__be32 grh_gid_fl;		/* 30 GRH, 27:20 source GID index, 19:0 flow label */
	u8 rgid[16];
};
static_assert(sizeof(struct prm_av) == 48, "address vector");
static_assert(offsetof(struct prm_av, rmac) == 0x14, "rmac");
static_assert(offsetof(struct prm_av, grh_gid_fl) == 0x1c, "grh_gid_fl");

#define PRM_AV_EXTENDED		0x80000000
#define PRM_AV_GRH		0x40000000
#define PRM_AV_GID_SHIFT	20

struct prm_wqe_datagram_seg {
	struct prm_av av;
};

/* cs_flags */
#define PRM_WQE_ETH_L3_INNER_CSUM	0x10
#define PRM_WQE_ETH_L4_INNER_CSUM	0x20
#define PRM_WQE_ETH_L3_CSUM		0x40
#define PRM_WQE_ETH_L4_CSUM		0x80

struct prm_wqe_eth_seg {
	u8 swp_outer_l4_offset;
	u8 swp_outer_l3_offset;
	u8 swp_inner_l4_offset;
	u8 swp_inner_l3_offset;
	u8 cs_flags;
	u8 swp_flags;
	__be16 mss;
	__be32 flow_table_metadata;
	__be16 inline_hdr_sz;		/* 15 insert VLAN, 0 of 802.1ad; else 9:0 length */
	u8 inline_hdr_start[2];		/* continued in the next 16-byte units */
};
static_assert(sizeof(struct prm_wqe_eth_seg) == 16, "Ethernet segment");
static_assert(offsetof(struct prm_wqe_eth_seg, inline_hdr_sz) == 0x0c, "inline_hdr_sz");

#define PRM_WQE_ETH_INSERT_VLAN		0x8000	/* the tag is in inline_hdr_start */
#define PRM_WQE_ETH_SERVICE_VLAN	0x0001

/* flags of the UMR control segment */
#define PRM_UMR_INLINE			0x80
#define PRM_UMR_CHECK_NOT_FREE		0x20
#define PRM_UMR_CHECK_FREE		0x40
#define PRM_UMR_TRANSLATION_OFFSET_EN	0x10
#define PRM_UMR_CHECK_QPN		0x08

/*
 * Of a list that is not inline, in bytes. No public manual has it: mlx5_ib and UCC's tl_mlx5 align
 * their lists so, and UCC says that they must be.
 */
#define PRM_UMR_LIST_ALIGN		2048

/* mkey_mask of the UMR control segment: which mkey fields the WQE sets */
#define PRM_UMR_MASK_LEN		(1ULL << 0)
#define PRM_UMR_MASK_PAGE_SIZE		(1ULL << 1)
#define PRM_UMR_MASK_START_ADDR		(1ULL << 6)
#define PRM_UMR_MASK_PD			(1ULL << 7)
#define PRM_UMR_MASK_EN_RINVAL		(1ULL << 8)
#define PRM_UMR_MASK_EN_SIGERR		(1ULL << 9)
#define PRM_UMR_MASK_BSF_EN		(1ULL << 12)
#define PRM_UMR_MASK_KEY		(1ULL << 13)
#define PRM_UMR_MASK_QPN		(1ULL << 14)
#define PRM_UMR_MASK_LR			(1ULL << 17)
#define PRM_UMR_MASK_LW			(1ULL << 18)
#define PRM_UMR_MASK_RR			(1ULL << 19)
#define PRM_UMR_MASK_RW			(1ULL << 20)
#define PRM_UMR_MASK_A			(1ULL << 21)
#define PRM_UMR_MASK_SMALL_FENCE	(1ULL << 23)
#define PRM_UMR_MASK_RELAXED_WRITE	(1ULL << 25)
#define PRM_UMR_MASK_FREE		(1ULL << 29)
#define PRM_UMR_MASK_RELAXED_READ	(1ULL << 47)

struct prm_wqe_umr_ctrl_seg {
	u8 flags;
	u8 rsvd_01[3];
	__be16 xlt_octowords;
	__be16 xlt_offset;
	__be64 mkey_mask;
	__be32 xlt_offset_47_16;
	u8 rsvd_14[28];
};
static_assert(sizeof(struct prm_wqe_umr_ctrl_seg) == 48, "UMR control segment");
static_assert(offsetof(struct prm_wqe_umr_ctrl_seg, mkey_mask) == 0x08, "mkey_mask");

/* The mkey context segment of a UMR WQE is struct prm_mkc. */

struct prm_mtt {
	__be64 ptag;			/* page address, 1 write, 0 read */
};
static_assert(sizeof(struct prm_mtt) == 8, "MTT");

#define PRM_MTT_READ		0x1
#define PRM_MTT_WRITE		0x2

struct prm_klm {
	__be32 bcount;
	__be32 key;
	__be64 va;
};
static_assert(sizeof(struct prm_klm) == 16, "KLM");

/* In the place of a KLM's key: the entry is the head of a repeat block. */
#define PRM_KLM_REPEAT		0x400

/* Its entries follow. The region has the bytes of each in turn, and that so many times. */
struct prm_repeat_block {
	__be32 bcount;			/* of all entries, once */
	__be32 op;			/* PRM_KLM_REPEAT */
	__be32 repeat_count;
	u8 rsvd_0c[2];
	__be16 num_ent;
};
static_assert(sizeof(struct prm_repeat_block) == 16, "repeat block");

struct prm_repeat_ent {
	__be16 stride;			/* from one time to the next */
	__be16 bcount;
	__be32 key;
	__be64 va;			/* at the first time */
};
static_assert(sizeof(struct prm_repeat_ent) == 16, "entry of a repeat block");

/* First segment of a WQE of an SRQ or of a linked-list receive queue. */
struct prm_wqe_srq_next_seg {
	u8 rsvd_00[2];
	__be16 next_wqe_index;
	u8 signature;
	u8 rsvd_05[11];
};
static_assert(sizeof(struct prm_wqe_srq_next_seg) == 16, "SRQ next segment");

/* A queue's doorbell record: receive and send producer index, 15:0 each. */
struct prm_wq_dbr {
	__be32 rcv;
	__be32 snd;
};
static_assert(sizeof(struct prm_wq_dbr) == 8, "doorbell record");

/*
 * BlueFlame registers of a UAR page; the halves of one are used in turn. A doorbell is the first 8
 * bytes of the control segment of the last WQE, written to the beginning of a half.
 */
#define PRM_UAR_BF		0x800
#define PRM_UAR_BF_STRIDE	0x200
#define PRM_UAR_BF_HALF		0x100
#define PRM_UAR_BF_COUNT	4

#endif
