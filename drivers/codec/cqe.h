/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Completion queue entries. */
#ifndef CXR_CODEC_CQE_H
#define CXR_CODEC_CQE_H

#include <linux/types.h>
#include "prm/cqe.h"

#define CXR_CQE_NUM_MASK 0xffffff	/* QPNs and counters have 24 bits */

enum cxr_cqe_kind {
	CXR_CQE_REQ, CXR_CQE_RESP_WRITE_IMM, CXR_CQE_RESP_SEND, CXR_CQE_RESP_SEND_IMM,
	CXR_CQE_RESP_SEND_INV, CXR_CQE_REQ_ERR, CXR_CQE_RESP_ERR, CXR_CQE_RESIZE, CXR_CQE_UNKNOWN,
};

/* Receive offloads. */
enum cxr_cqe_flag {
	CXR_CQE_L2_OK = PRM_CQE_L2_OK,
	CXR_CQE_L3_OK = PRM_CQE_L3_OK,
	CXR_CQE_L4_OK = PRM_CQE_L4_OK,
	CXR_CQE_IPV4 = 1 << 3,
	CXR_CQE_IPV6 = 1 << 4,
	CXR_CQE_TCP = 1 << 5,
	CXR_CQE_UDP = 1 << 6,
	CXR_CQE_VLAN = 1 << 7,
	CXR_CQE_GRH = 1 << 8,		/* a GRH, or an IP header in its place, precedes the data */
	CXR_CQE_IPV4_GRH = 1 << 9,	/* it is an IPv4 header, in the last 20 bytes */
	/* a tunnel: the protocols are the inner ones, and OK is what outer and inner headers are */
	CXR_CQE_TUNNELED = 1 << 10,
};

struct cxr_cqe {
	enum cxr_cqe_kind kind;
	u32 qpn;		/* or SQN */
	u16 wqe_counter;
	u8 send_opcode;		/* kind REQ, REQ_ERR: opcode of the WQE that finished */
	u32 byte_count;
	/* the fields below are not set for kind REQ */
	u32 user_index;		/* srqn_uidx: RQN/SRQN of version 0 */
	__be32 imm_inval;	/* immediate, or invalidated rkey */
	u32 flags;		/* enum cxr_cqe_flag */
	u32 src_qpn;
	u16 pkey_index;
	u16 tci;		/* of the VLAN tag: priority, DEI, VLAN id */
	u8 smac_mlpath;
	__be16 check_sum;	/* Ethernet: one's complement sum from the IP header on */
	u32 rss_hash;
	u8 rss_type;
	u8 syndrome;		/* errors */
	u8 vendor_err;
	bool inline_data;	/* the payload is in the CQE (scatter to CQE) */
};

/* Initial value: a zeroed entry would be valid in the first pass. */
static inline void cxr_cqe_invalidate(struct prm_cqe64 *cqe)
{
	cqe->op_own = PRM_CQE_INVALID << PRM_CQE_OPCODE_SHIFT | PRM_CQE_OWNER;
}

/* Checks the owner bit. The caller reads @op_own once, and calls dma_rmb() after it. */
static inline bool cxr_cqe_sw_owned(u8 op_own, u32 ci, u8 log_size)
{
	if (op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_INVALID)
		return false;
	return (op_own & PRM_CQE_OWNER) == (ci >> log_size & 1);
}

/* For all kinds but REQ; fields that the kind does not have are 0. */
void cxr_cqe_decode_other(const struct prm_cqe64 *cqe, struct cxr_cqe *out);

/* The fast path, kind REQ, is inline and only sets the fields of that kind. */
static inline void cxr_cqe_decode(const struct prm_cqe64 *cqe, struct cxr_cqe *out)
{
	u32 sop_qpn = be32_to_cpu(cqe->sop_drop_qpn);

	if (cqe->op_own >> PRM_CQE_OPCODE_SHIFT != PRM_CQE_REQ) {
		cxr_cqe_decode_other(cqe, out);
		return;
	}
	out->kind = CXR_CQE_REQ;
	out->qpn = sop_qpn & CXR_CQE_NUM_MASK;
	out->send_opcode = sop_qpn >> 24;
	out->wqe_counter = be16_to_cpu(cqe->wqe_counter);
	out->byte_count = be32_to_cpu(cqe->byte_cnt);
}

/* What the device says of a packet. */
static inline u32 cxr_cqe_packet_flags(const struct prm_cqe64 *cqe)
{
	u8 l3 = (cqe->l4_l3_hdr_type & PRM_CQE_L3_MASK) >> PRM_CQE_L3_SHIFT;
	u8 l4 = (cqe->l4_l3_hdr_type & PRM_CQE_L4_MASK) >> PRM_CQE_L4_SHIFT;
	u32 flags = cqe->hds_ip_ext & (CXR_CQE_L2_OK | CXR_CQE_L3_OK | CXR_CQE_L4_OK);

	if (l3 == PRM_CQE_L3_IPV4)
		flags |= CXR_CQE_IPV4;
	else if (l3 == PRM_CQE_L3_IPV6)
		flags |= CXR_CQE_IPV6;
	if (l4 == PRM_CQE_L4_UDP)
		flags |= CXR_CQE_UDP;
	else if (l4 != PRM_CQE_L4_NONE && l4 <= PRM_CQE_L4_TCP_ACK_AND_DATA)
		flags |= CXR_CQE_TCP;
	if (cqe->l4_l3_hdr_type & PRM_CQE_VLAN)
		flags |= CXR_CQE_VLAN;
	if (cqe->tls_outer_l3_tunneled & PRM_CQE_TUNNELED)
		flags |= CXR_CQE_TUNNELED;
	return flags;
}

/* For a CQ of a receive queue of packets: what these do not have is not set for kind RESP_SEND. */
static inline void cxr_cqe_decode_packet(const struct prm_cqe64 *cqe, struct cxr_cqe *out)
{
	if (cqe->op_own >> PRM_CQE_OPCODE_SHIFT != PRM_CQE_RESP_SEND) {
		cxr_cqe_decode_other(cqe, out);
		return;
	}
	out->kind = CXR_CQE_RESP_SEND;
	out->wqe_counter = be16_to_cpu(cqe->wqe_counter);
	out->byte_count = be32_to_cpu(cqe->byte_cnt);
	out->flags = cxr_cqe_packet_flags(cqe);
	out->tci = be16_to_cpu(cqe->vlan_info);
	out->check_sum = cqe->check_sum;
	out->rss_hash = be32_to_cpu(cqe->rss_hash_result);
	out->rss_type = cqe->rss_hash_type;
}

/* A value of the counter. Error completions have none. */
static inline u64 cxr_cqe_timestamp(const struct prm_cqe64 *cqe)
{
	return (u64)be32_to_cpu(cqe->timestamp_h) << 32 | be32_to_cpu(cqe->timestamp_l);
}

/*
 * Packets whose completions the device has compressed into one entry, the title. The completions
 * take as many entries as without; what is different in them is in arrays of eight, the first in
 * the entry behind the title, the others in the own entry of the ninth completion, and so on. The
 * hash of a packet is lost.
 */
struct cxr_cqe_session {
	struct cxr_cqe first;
	u64 stamp;			/* of the first one, and as good as any */
	struct prm_mini_cqe minis[PRM_MINI_CQES];
	u32 n, at;			/* completions, and those that were taken */
};

static inline bool cxr_cqe_is_compressed(const struct prm_cqe64 *cqe)
{
	return cqe->op_own >> PRM_CQE_OPCODE_SHIFT == PRM_CQE_RESP_SEND &&
	       (cqe->op_own >> PRM_CQE_FORMAT_SHIFT & 3) == PRM_CQE_COMPRESSED;
}

/* False: the device says that there are none, or more than @most; there is no session then. */
bool cxr_cqe_session_start(struct cxr_cqe_session *s, const struct prm_cqe64 *title, u32 most);

static inline bool cxr_cqe_session_left(const struct cxr_cqe_session *s)
{
	return s->at < s->n;
}

/*
 * Which entry, counted from that of the next completion, has to be loaded before that is taken; -1:
 * none. Only then may the entry of a completion be given up.
 */
static inline int cxr_cqe_session_entry(const struct cxr_cqe_session *s)
{
	if (s->at % PRM_MINI_CQES)
		return -1;
	return s->at ? 0 : 1;
}

void cxr_cqe_session_load(struct cxr_cqe_session *s, const struct prm_cqe64 *entry);
/* The next completion; one must be left. */
void cxr_cqe_session_take(struct cxr_cqe_session *s, struct cxr_cqe *out);

const char *cxr_cqe_syndrome_text(u8 syndrome);
const char *cxr_wqe_opcode_text(u8 opcode);	/* enum prm_wqe_opcode */

#endif
