// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "prm/qp.h"
#include "dct.h"

void cxr_dctc_encode(struct prm_dctc *ctx, const struct cxr_dct *dct)
{
	prm_set(ctx, pd, dct->pdn);
	prm_set(ctx, srqn_xrqn, dct->srqn);
	prm_set(ctx, cqn, dct->cqn);
	prm_set(ctx, user_index, dct->user_index);
	prm_set64(ctx, dc_access_key, dct->key);
	prm_set(ctx, ece, dct->ece);
	if (dct->scatter_res)
		prm_set(ctx, cs_res, PRM_QP_CS_RES_64);

	prm_set(ctx, rre, dct->remote_read);
	prm_set(ctx, rwe, dct->remote_write);
	prm_set(ctx, rae, dct->atomic_mode != PRM_QP_ATOMIC_NONE);
	prm_set(ctx, atomic_mode, dct->atomic_mode);
	prm_set(ctx, pkey_index, dct->pkey_index);
	prm_set(ctx, port, dct->port);
	prm_set(ctx, counter_set_id, dct->q_counter);

	prm_set(ctx, min_rnr_nak, dct->min_rnr_timer);
	prm_set(ctx, mtu, dct->mtu);
	prm_set(ctx, my_addr_index, dct->sgid_index);
	prm_set(ctx, tclass, dct->path.traffic_class);
	prm_set(ctx, flow_label, dct->path.flow_label);
	prm_set(ctx, hop_limit, dct->path.hop_limit);
	prm_set(ctx, eth_prio, dct->path.prio);
}

void cxr_dctc_decode(const struct prm_dctc *ctx, struct cxr_dct *dct)
{
	memset(dct, 0, sizeof(*dct));
	dct->remote_read = prm_get(ctx, rre);
	dct->remote_write = prm_get(ctx, rwe);
	if (prm_get(ctx, rae))
		dct->atomic_mode = prm_get(ctx, atomic_mode) ?: PRM_QP_ATOMIC_IB;
	dct->pkey_index = prm_get(ctx, pkey_index);
	dct->port = prm_get(ctx, port);
	dct->min_rnr_timer = prm_get(ctx, min_rnr_nak);
	dct->mtu = prm_get(ctx, mtu);
}
