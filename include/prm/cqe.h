/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Completion queue entries, and the doorbells of a completion queue. */
#ifndef CXR_PRM_CQE_H
#define CXR_PRM_CQE_H

#include "prm.h"

/* op_own 7:4 */
enum prm_cqe_opcode {
	PRM_CQE_REQ		= 0x0,
	PRM_CQE_RESP_WR_IMM	= 0x1,
	PRM_CQE_RESP_SEND	= 0x2,
	PRM_CQE_RESP_SEND_IMM	= 0x3,
	PRM_CQE_RESP_SEND_INV	= 0x4,
	PRM_CQE_RESIZE_CQ	= 0x5,
	PRM_CQE_SIG_ERR		= 0xc,
	PRM_CQE_REQ_ERR		= 0xd,
	PRM_CQE_RESP_ERR	= 0xe,
	PRM_CQE_INVALID		= 0xf,
};

#define PRM_CQE_OPCODE_SHIFT	4
#define PRM_CQE_FORMAT_SHIFT	2	/* op_own 3:2 */
#define PRM_CQE_SOLICITED	0x02	/* op_own 1 */
#define PRM_CQE_OWNER		0x01	/* op_own 0 */

enum prm_cqe_format {
	PRM_CQE_NO_INLINE	= 0,
	PRM_CQE_INLINE32	= 1,
	PRM_CQE_INLINE64	= 2,
	PRM_CQE_COMPRESSED	= 3,
};

/* X(name, number, text): syndrome of an error entry */
#define PRM_CQE_SYNDROME_LIST(X)						\
	X(LOCAL_LENGTH,		0x01, "local length error")			\
	X(LOCAL_QP_OP,		0x02, "local QP operation error")		\
	X(LOCAL_PROT,		0x04, "local protection error")			\
	X(WR_FLUSH,		0x05, "work request flushed")			\
	X(MW_BIND,		0x06, "memory window bind error")		\
	X(BAD_RESP,		0x10, "bad response")				\
	X(LOCAL_ACCESS,		0x11, "local access error")			\
	X(REMOTE_INVAL_REQ,	0x12, "remote invalid request")			\
	X(REMOTE_ACCESS,	0x13, "remote access error")			\
	X(REMOTE_OP,		0x14, "remote operation error")			\
	X(TRANSPORT_RETRY_EXC,	0x15, "transport retries exceeded")		\
	X(RNR_RETRY_EXC,	0x16, "receiver not ready retries exceeded")	\
	X(REMOTE_ABORTED,	0x22, "remote aborted")

#define PRM_ENUM_CQE_SYNDROME(name, number, text)	PRM_CQE_SYND_##name = (number),
enum prm_cqe_syndrome { PRM_CQE_SYNDROME_LIST(PRM_ENUM_CQE_SYNDROME) };

/* flags_rqpn 31:24 on RoCE: type of the packet */
#define PRM_CQE_GRH_SHIFT		28	/* 29:28, not 0: GRH or IP header was scattered */
#define PRM_CQE_ROCE_TYPE_SHIFT		24	/* 25:24 */

enum prm_cqe_roce_type {
	PRM_CQE_ROCE_GRH	= 0,
	PRM_CQE_ROCE_IPV6	= 1,
	PRM_CQE_ROCE_IPV4	= 2,
};

/* hds_ip_ext */
#define PRM_CQE_L2_OK		0x01
#define PRM_CQE_L3_OK		0x02
#define PRM_CQE_L4_OK		0x04

/* l4_l3_hdr_type: 6:4 is one of these, 3:2 of the next, 0: a VLAN tag was stripped */
enum prm_cqe_l4 {
	PRM_CQE_L4_NONE			= 0,
	PRM_CQE_L4_TCP_NO_ACK		= 1,
	PRM_CQE_L4_UDP			= 2,
	PRM_CQE_L4_TCP_ACK_NO_DATA	= 3,
	PRM_CQE_L4_TCP_ACK_AND_DATA	= 4,
};

enum prm_cqe_l3 {
	PRM_CQE_L3_NONE	= 0,
	PRM_CQE_L3_IPV6	= 1,
	PRM_CQE_L3_IPV4	= 2,
};

#define PRM_CQE_L4_SHIFT	4
#define PRM_CQE_L4_MASK		0x70
#define PRM_CQE_L3_SHIFT	2
#define PRM_CQE_L3_MASK		0x0c
#define PRM_CQE_VLAN		0x01

/* rss_hash_type: which headers are in the hash */
#define PRM_CQE_RSS_L3		0x0c
#define PRM_CQE_RSS_L4		0xc0

enum prm_cqe_rss_l3 {
	PRM_CQE_RSS_IPV4	= 1,
	PRM_CQE_RSS_IPV6	= 2,
};

enum prm_cqe_rss_l4 {
	PRM_CQE_RSS_TCP		= 1,
	PRM_CQE_RSS_UDP		= 2,
	PRM_CQE_RSS_IPSEC	= 3,
};

/* tls_outer_l3_tunneled; the header types are then those of the inner headers */
#define PRM_CQE_TUNNELED	0x01
#define PRM_CQE_OUTER_IPV4	0x02

struct prm_cqe64 {
	u8 tls_outer_l3_tunneled;	/* bits 1 and 0: PRM_CQE_OUTER_IPV4, PRM_CQE_TUNNELED */
	u8 rsvd_01;
	__be16 wqe_id;			/* of a striding RQ: the WQE; wqe_counter is the stride */
	__be32 lro[2];
	__be32 rss_hash_result;
	u8 rss_hash_type;
	u8 ml_path;
	u8 rsvd_12[2];
	__be16 check_sum;
	__be16 slid;
	__be32 flags_rqpn;		/* 31:24 above, 23:0 remote QPN */
	u8 hds_ip_ext;
	u8 l4_l3_hdr_type;
	__be16 vlan_info;		/* 15:13 priority, 11:0 VLAN id */
	__be32 srqn;			/* 31:24 number of LRO segments, 23:0 SRQN or user index */
	union {
		__be32 immediate;
		__be32 inval_rkey;
		__be32 pkey;
		__be32 ft_metadata;
	};
	u8 rsvd_28[4];
	__be32 byte_cnt;
	__be32 timestamp_h;
	__be32 timestamp_l;
	__be32 sop_drop_qpn;		/* 31:24 opcode of the WQE, 23:0 QPN */
	__be16 wqe_counter;
	u8 signature;
	u8 op_own;
};
static_assert(sizeof(struct prm_cqe64) == 64, "completion queue entry");
static_assert(offsetof(struct prm_cqe64, flags_rqpn) == 0x18, "flags_rqpn");
static_assert(offsetof(struct prm_cqe64, immediate) == 0x24, "immediate");
static_assert(offsetof(struct prm_cqe64, byte_cnt) == 0x2c, "byte_cnt");
static_assert(offsetof(struct prm_cqe64, sop_drop_qpn) == 0x38, "sop_drop_qpn");
static_assert(offsetof(struct prm_cqe64, op_own) == 0x3f, "op_own");

/* Bits 3:2 of op_own. A compressed CQE: byte_cnt is a number of completions, see prm_mini_cqe. */
#define PRM_CQE_FORMAT_SHIFT	2
#define PRM_CQE_COMPRESSED	3

/* What is different in the completions of a session. */
struct prm_mini_cqe {
	union {
		__be32 rss_hash_result;
		struct {
			__be16 check_sum;
			__be16 stride_index;
		};
	};
	__be32 byte_cnt;
};
static_assert(sizeof(struct prm_mini_cqe) == 8, "mini CQE");
#define PRM_MINI_CQES	8	/* in an entry */

/* byte_cnt of a striding RQ: 31 no packet, just the rest of a WQE, 30:16 strides, 15:0 length */
#define PRM_CQE_FILLER			0x80000000
#define PRM_CQE_STRIDES_SHIFT		16
#define PRM_CQE_STRIDES_MASK		0x7fff
#define PRM_CQE_STRIDE_LENGTH_MASK	0xffff

struct prm_err_cqe {
	u8 rsvd_00[32];
	__be32 srqn;
	u8 rsvd_24[18];
	u8 vendor_err_synd;
	u8 syndrome;
	__be32 s_wqe_opcode_qpn;
	__be16 wqe_counter;
	u8 signature;
	u8 op_own;
};
static_assert(sizeof(struct prm_err_cqe) == 64, "error completion queue entry");
static_assert(offsetof(struct prm_err_cqe, syndrome) == 0x37, "syndrome");

/*
 * A CQ's doorbell record, and the doorbell at UAR + PRM_UAR_CQ_ARM: two dwords, the record's second
 * and the CQN.
 */
struct prm_cq_dbr {
	__be32 ci;		/* 23:0 consumer index */
	__be32 arm;		/* 29:28 sequence number, 24 solicited only, 23:0 consumer index */
};
static_assert(sizeof(struct prm_cq_dbr) == 8, "CQ doorbell record");

#define PRM_UAR_CQ_ARM		0x20
#define PRM_CQ_ARM_SN_SHIFT	28
#define PRM_CQ_ARM_SOLICITED	0x01000000

#endif
