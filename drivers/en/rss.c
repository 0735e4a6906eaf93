// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * RSS: an RQT, and a TIR for each kind of packet with a hash of its own.
 */
#include "en.h"

#define TABLE_MAX	128

static u32 rqt_size(const struct cxr_en *en)
{
	const struct cxr_caps *caps = &en->core->caps;
	u32 max = min_t(u32, caps->rss_ind_tbl_max, 1U << min_t(u8, caps->log_max_rqt_size, 16));

	return max ? rounddown_pow_of_two(min_t(u32, max, TABLE_MAX)) : 0;
}

static int create_rqt(struct cxr_en *en, u32 size)
{
	u32 rqns[TABLE_MAX];
	u32 i;
	int err;

	for (i = 0; i < size; i++)
		rqns[i] = en->channels[i % en->n_channels]->rq.rqn;
	err = cxr_cmd_create_rqt(en->core, rqns, size, &en->steer.rqtn);
	if (!err)
		en->steer.rqt = true;
	return err;
}

int cxr_en_rss_create(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;
	u32 size = en->core->caps.rss ? rqt_size(en) : 0;
	unsigned int last = size ? CXR_EN_TIRS : 1;
	int err;

	if (size) {
		err = create_rqt(en, size);
		if (err)
			return err;
	}
	for (steer->n_tirs = 0; steer->n_tirs < last; steer->n_tirs++) {
		bool direct = steer->n_tirs == CXR_TIR_NO_HASH;

		err = cxr_cmd_create_tir(en->core, en->tdn, steer->n_tirs,
					 direct ? en->channels[0]->rq.rqn : steer->rqtn,
					 en->hash_key, &steer->tirn[steer->n_tirs]);
		if (err) {
			cxr_en_rss_destroy(en);
			return err;
		}
	}
	return 0;
}

void cxr_en_rss_destroy(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;

	while (steer->n_tirs)
		cxr_cmd_destroy_tir(en->core, steer->tirn[--steer->n_tirs]);
	if (steer->rqt)
		cxr_cmd_destroy_rqt(en->core, steer->rqtn);
	steer->rqt = false;
}
