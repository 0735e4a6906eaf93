// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory windows of both types: binding, access, unbinding, through the send queue. */
#include "rdma_umr.h"

#define BIND_MASK	(PRM_UMR_MASK_FREE | PRM_UMR_MASK_KEY | PRM_UMR_MASK_LEN |		\
			 PRM_UMR_MASK_START_ADDR | PRM_UMR_MASK_LW | PRM_UMR_MASK_RR |		\
			 PRM_UMR_MASK_RW | PRM_UMR_MASK_A)

static struct umr_wr bind_wr(uint32_t old, uint32_t new, const uint8_t *klm, uint64_t va)
{
	return (struct umr_wr) { .key = old,
				 .flags = PRM_UMR_INLINE | PRM_UMR_TRANSLATION_OFFSET_EN,
				 .mask = BIND_MASK,
				 .rights = MEM_REMOTE_READ | MEM_REMOTE_WRITE,
				 .new_key = new,
				 .va = va,
				 .len = KEY_BYTES,
				 .list = klm,
				 .list_len = 64 };
}

static void test_window_type1(void)
{
	/* Remote rights are the window's; the region gives only local ones. */
	uint32_t region = create_mkey(&b, b.pd, MEM_LOCAL_READ | MEM_LOCAL_WRITE, b.va + KEY_OFF,
				      KEY_BYTES, KEY_OFF);
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 4, false), next = (key & ~0xffu) | 0x77;
	uint64_t va = b.va + KEY_OFF;
	uint8_t klm[64] = {};
	struct umr_wr bind;
	struct tqp x, y;

	klm_put(klm, KEY_BYTES, region, va);
	bind = bind_wr(key, next, klm, va);
	user_pair(&x, &y);
	post_umr(&y, &bind);
	ok(good(&cb) && !write_to(&x, next, va, 11) && arrived(11),
	   "a type 1 memory window can be bound");
	bind = bind_wr(next, key, klm, 0);
	post_umr(&y, &bind);
	ok(good(&cb) && !write_to(&x, key, 0, 12) && arrived(12),
	   "a type 1 window can be bound again, with another key and zero-based");
	ok(write_to(&x, next, va, 13) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "the old key of a window is refused");
	destroy_pair(&x, &y);

	user_pair(&x, &y);
	bind = (struct umr_wr) { .key = key,
				 .flags = PRM_UMR_INLINE | PRM_UMR_TRANSLATION_OFFSET_EN,
				 .mask = PRM_UMR_MASK_FREE | PRM_UMR_MASK_KEY,
				 .free = true,
				 .new_key = next };
	post_umr(&y, &bind);
	ok(good(&cb) && write_to(&x, next, va, 14) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "a type 1 window can be unbound");
	destroy_pair(&x, &y);

	user_pair(&x, &y);
	bind = bind_wr(next, next, klm, va);
	klm_put(klm, KEY_BYTES, region ^ 1, va);
	post_umr(&y, &bind);
	ok(good(&cb) && write_to(&x, next, va, 15) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "a window over a key that does not exist is refused at the access");
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
	destroy_mkey(&b, region);
}

static void test_window_type2(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 4, true), next = (key & ~0xffu) | 0x78;
	struct tqp x, y, x2, y2;
	uint64_t va = b.va + KEY_OFF;
	uint8_t klm[64] = {};
	struct umr_wr bind;

	klm_put(klm, KEY_BYTES, b.lkey, va);
	user_pair(&x, &y);
	pair(&x2, &y2);
	bind = bind_wr(key, next, klm, va);
	bind.mask |= PRM_UMR_MASK_QPN;
	bind.flags |= PRM_UMR_CHECK_NOT_FREE;
	bind.qpn = y.qpn;
	post_umr(&y, &bind);
	ok(good(&cb) && !write_to(&x, next, va, 21) && arrived(21),
	   "a type 2 memory window can be bound");
	ok(write_to(&x2, next, va, 22) == PRM_CQE_SYND_REMOTE_ACCESS && !arrived(22),
	   "access to a type 2 window through another QP is refused");
	drain(&ca, &cb);
	post_umr(&y, &bind);
	ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND && qp_state(&y) == PRM_QP_ERR,
	   "a bound type 2 window cannot be bound again");
	destroy_pair(&x2, &y2);
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

static void test_window_type2_unbind(void)
{
	uint32_t key = create_free_mkey(&b, b.pd, MKEY_KLM, 4, true), next = (key & ~0xffu) | 0x79;
	uint64_t va = b.va + KEY_OFF;
	struct umr_wr bind, unbind;
	uint8_t klm[64] = {};
	struct tqp x, y, x2, y2;

	klm_put(klm, KEY_BYTES, b.lkey, va);
	bind = bind_wr(key, next, klm, va);
	bind.mask |= PRM_UMR_MASK_QPN;
	unbind = (struct umr_wr) { .key = next,
				   .flags = PRM_UMR_INLINE | PRM_UMR_TRANSLATION_OFFSET_EN |
					    PRM_UMR_CHECK_QPN,
				   .mask = PRM_UMR_MASK_FREE | PRM_UMR_MASK_KEY | PRM_UMR_MASK_QPN,
				   .free = true };
	user_pair(&x, &y);
	pair(&x2, &y2);
	bind.qpn = y.qpn;
	post_umr(&y, &bind);
	settle();
	poll(&cb);
	post_umr(&y2, &unbind);
	ok(syndrome_of(&cb) == PRM_CQE_SYND_MW_BIND, "only its own QP can unbind a type 2 window");
	drain(&ca, &cb);
	post_umr(&y, &unbind);
	ok(good(&cb) && write_to(&x, next, va, 23) == PRM_CQE_SYND_REMOTE_ACCESS,
	   "a type 2 window can be unbound by its QP");
	destroy_pair(&x2, &y2);
	destroy_pair(&x, &y);
	destroy_mkey(&b, key);
}

int main(void)
{
	sides_open();
	create_cq(&ca, &a, 8);
	create_cq(&cb, &b, 8);
	test_window_type1();
	test_window_type2();
	test_window_type2_unbind();
	sides_close();
	return ok_end();
}
