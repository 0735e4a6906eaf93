// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * BAR 0: the initialization segment, from card->objs[OBJ_UAR].first on one UAR per 4 KiB page, and
 * at the end memory (key/memic.c).
 *
 * Registers are big-endian dwords: the first byte is the most significant one. The MSI-X table and
 * PBA at 0x2000 and 0x3000 are handled by QEMU; writes to them are ignored.
 */
#include <string.h>

#include "card/card.h"
#include "nic/nic.h"
#include "prm/cqe.h"
#include "queue/queue.h"
#include "rdma/rdma.h"

#define MSIX_FROM 0x2000
#define MSIX_TO 0x4000

#define UAR_SQ_FROM 0x800		/* BlueFlame registers, 256 bytes each */
#define UAR_SQ_MASK 0xff

static uint64_t get_be(const uint8_t *p, size_t len)
{
	uint64_t v = 0;

	while (len--)
		v = v << 8 | *p++;
	return v;
}

void bar_read(struct cxdev *dev, uint64_t offset, void *buf, size_t len)
{
	bool absent = dev->health.gone || vf_is_absent(dev);
	uint8_t *p = buf;
	uint32_t value;
	size_t i;

	memset(buf, absent ? 0xff : 0, len);
	if (!absent && memic_is_at(dev, offset))
		memic_access(dev, offset, buf, len, false);
	if (absent || offset >= sizeof(struct prm_iseg))
		return;
	for (i = 0; i < len; i++, offset++) {
		value = iseg_read(dev, offset & ~3ull);
		p[i] = value >> (24 - 8 * (offset & 3));
	}
}

/*
 * A doorbell of 8 bytes may be written in two halves (32-bit machines); the second one rings. Of a
 * WQE written to the BlueFlame buffer the first 8 bytes are the doorbell, the rest is a copy of the
 * send queue.
 */
static void doorbell64(struct cxdev *dev, uint32_t uar, uint32_t at, const void *buf, size_t len,
		       void (*ring)(struct cxdev *dev, uint32_t uar, uint64_t value))
{
	uint64_t value = get_be(buf, len);

	if (len == 8 && !(at & 7)) {
		ring(dev, uar, value);
	} else if (len == 4 && !(at & 7)) {
		dev->hca->half_uar = uar;
		dev->hca->half_at = at;
		dev->hca->half_value = value;
	} else if (len == 4 && dev->hca->half_uar == uar && dev->hca->half_at == (at & ~7u)) {
		dev->hca->half_uar = 0;
		ring(dev, uar, (uint64_t)dev->hca->half_value << 32 | value);
	} else {
		violation(dev, "UAR 0x%x: write of %zu bytes at 0x%x is no doorbell", uar, len, at);
	}
}

void sq_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value)
{
	uint32_t num = (uint32_t)value >> 8;
	uint16_t index = value >> 40;
	struct qp *qp = obj_find(dev, OBJ_QP, num);
	struct sq *sq = qp ? NULL : obj_find(dev, OBJ_SQ, num);
	struct obj *own = qp ? qp_uar(qp) : sq ? sq_uar(sq) : NULL;

	if (!qp && !sq) {
		if (qp_has_gone(dev, num, uar))
			return;
		violation(dev, "send doorbell for queue 0x%x, which does not exist", num);
		return;
	}
	if (!own || own->num != uar) {
		violation(dev, "queue 0x%x: send doorbell on UAR 0x%x, the queue's is 0x%x", num,
			  uar, own ? own->num : 0);
		return;
	}
	if (qp)
		qp_doorbell(qp, index, value & 0x3f);
	else
		eth_sq_doorbell(sq);
}

static void uar_write(struct cxdev *dev, uint32_t uar, uint32_t at, const void *buf, size_t len)
{
	if (!obj_find(dev, OBJ_UAR, uar)) {
		violation(dev, "write to UAR 0x%x at 0x%x, which is not allocated", uar, at);
		return;
	}
	if (at >= UAR_SQ_FROM) {
		if ((at & UAR_SQ_MASK) < 8)
			doorbell64(dev, uar, at, buf, len, sq_doorbell);
		return;
	}
	if ((at & ~7u) == PRM_UAR_CQ_ARM)
		doorbell64(dev, uar, at, buf, len, cq_arm_doorbell);
	else if ((at == PRM_UAR_EQ_ARM || at == PRM_UAR_EQ_CI) && len == 4)
		eq_doorbell(dev, uar, get_be(buf, 4), at == PRM_UAR_EQ_ARM);
	else
		violation(dev, "UAR 0x%x: write of %zu bytes at 0x%x is no doorbell", uar, len, at);
}

void bar_write(struct cxdev *dev, uint64_t offset, const void *buf, size_t len)
{
	const struct obj_range *uars = &dev->card->objs[OBJ_UAR];
	const uint8_t *p = buf;
	uint64_t page = offset / UAR_BYTES;

	if (dev->health.gone || vf_is_absent(dev))
		return;
	if (page >= uars->first && page - uars->first < uars->count) {
		journal(dev, "uar", offset % UAR_BYTES, buf, len);
		uar_write(dev, page, offset % UAR_BYTES, buf, len);
		return;
	}
	if (memic_is_at(dev, offset)) {
		memic_access(dev, offset, (uint8_t *)buf, len, true);
		return;
	}
	if (offset >= MSIX_FROM && offset < MSIX_TO)
		return;
	if (offset >= sizeof(struct prm_iseg) || offset % 4 || (len != 4 && len != 8)) {
		violation(dev, "write of %zu bytes at 0x%llx of BAR 0: no such register", len,
			  (unsigned long long)offset);
		return;
	}
	journal(dev, "reg", offset, buf, len);
	for (; len; len -= 4, offset += 4, p += 4)
		iseg_write(dev, offset, get_be(p, 4));
}

/* ---- UARs ---- */

static int run_alloc_uar(struct cmd *c)
{
	struct prm_alloc_uar_out *out = c->out;
	struct obj *uar = obj_create(c, OBJ_UAR, sizeof(*uar));

	if (!uar)
		return -1;
	prm_set(out, uar, uar->num);
	return 0;
}

static int run_dealloc_uar(struct cmd *c)
{
	const struct prm_dealloc_uar_in *in = c->in;
	struct obj *uar;

	if (!c->uid) {
		uar = obj_own(c, OBJ_UAR, prm_get(in, uar), "uar");
		return uar ? obj_destroy(c, uar) : -1;
	}
	/* The driver knows its applications' pages. */
	uar = obj_find(c->dev, OBJ_UAR, prm_get(in, uar));
	if (!uar || uar->orphan || uar->uid != c->uid)
		return refuse_driver(c, PRM_STATUS_BAD_RES,
				     "UAR 0x%x is none of user context %u", prm_get(in, uar),
				     c->uid);
	/* An application may free a queue's page, and the driver does not wait for the queue. */
	obj_abandon(c, uar);
	return 0;
}

const struct cmd_desc cmds_uar[] = {
	CMD(alloc_uar),
	CMD(dealloc_uar),
	{}
};
