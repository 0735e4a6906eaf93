/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Entry of the RoCE address table (prm_roce_addr_layout), address path of a QP context (prm_ads)
 * and address vector of a datagram WQE (prm_av).
 */
#ifndef CXR_CODEC_ADDRPATH_H
#define CXR_CODEC_ADDRPATH_H

#include <linux/types.h>
#include "prm/qp.h"
#include "prm/vport.h"
#include "prm/wqe.h"
#include "../policy/gid.h"
#include "../policy/path.h"

struct cxr_addr {
	u8 dgid[16];
	u8 dmac[6];
	u8 sgid_index;		/* index in the RoCE address table = ib_core's GID index */
	u8 port;		/* 1.. */
	u8 static_rate;		/* encoding of the device; 0 = port rate */
	u16 pkey_index;
	u8 ack_timeout;		/* QP only: 4.096 us * 2^n */
	struct cxr_path path;
};

void cxr_roce_addr_encode(struct prm_roce_addr_layout *addr, const struct cxr_gid_entry *entry);
void cxr_ads_encode(struct prm_ads *ads, const struct cxr_addr *addr);
void cxr_ads_decode(const struct prm_ads *ads, struct cxr_addr *addr);
/* Without Q_Key and QPN, which cxr_wqe_datagram() sets. */
void cxr_av_encode(struct prm_av *av, const struct cxr_addr *addr);
/* What cxr_av_encode() stores, and no more. */
void cxr_av_decode(const struct prm_av *av, struct cxr_addr *addr);

#endif
