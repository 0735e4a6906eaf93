/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Context of a DC target. */
#ifndef CXR_CODEC_DCT_H
#define CXR_CODEC_DCT_H

#include <linux/types.h>
#include "prm/dct.h"
#include "../policy/path.h"

/* Attributes of a target, which do not change while it exists in the device. */
struct cxr_dct {
	u16 uid;		/* user context it is created for */
	u32 pdn, srqn, cqn;
	u32 user_index;
	u64 key;		/* what an initiator must know */
	u32 ece;		/* extensions of the connection that the program asks for */
	u8 scatter_res;		/* bytes of data in a CQE: 64, or 0: none */
	bool remote_read, remote_write;
	u8 atomic_mode;		/* 0: no remote atomics */
	u16 pkey_index;
	u8 port;		/* 1.., in a LAG that of its affinity */
	u32 q_counter;
	u8 min_rnr_timer;
	u8 mtu;			/* 1 = 256 .. 5 = 4096 */
	u8 sgid_index;
	struct cxr_path path;	/* of its answers; the rest of the address is the initiator's */
};

void cxr_dctc_encode(struct prm_dctc *ctx, const struct cxr_dct *dct);
/* Of QUERY_DCT: what a program can ask for, access, port, pkey index, MTU and timer. */
void cxr_dctc_decode(const struct prm_dctc *ctx, struct cxr_dct *dct);

#endif
