// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A thousand guests in turn, each of which does random things to a fresh function. The device must
 * survive, become idle each time, and serve a sane guest afterwards. Seeded, so that a guest that
 * fails can be run alone. Arguments: build folder, guests, first guest.
 */
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "dut.h"
#include "random.h"
#include "vfu_client.h"

#define GUESTS 1000
#define ACTIONS 80

#define GUEST_OP(name, number) PRM_OP_##name,
static const uint16_t opcodes[] = { PRM_CMD_LIST(GUEST_OP) };

static struct dut *d, *other;
static uint64_t queue;		/* of commands */

/* ---- actions --------------------------------------------------------------------------------- */

static void random_command(void)
{
	static uint8_t in[0x1100], out[0x1100];
	uint32_t len = 16 + 8 * rnd(66);

	memset(in, 0, sizeof(in));
	spoil(in, len, rnd(10));
	dut_exec_tail(d, opcodes[rnd(ARRAY_SIZE(opcodes))], in, len, NULL, 0, out, 0x1010);
}

static void bar_write32(uint64_t at, uint32_t value)
{
	uint32_t be = htobe32(value);

	bar_write(d->dev, at, &be, sizeof(be));
}

static void random_slot(void)
{
	uint32_t n = rnd(4);
	struct prm_cmdq_entry *e = dut_ptr(d, queue + 64 * n);
	struct prm_mbox_block *box = dut_ptr(d, queue + 4096);

	memset(e, 0, sizeof(*e));
	e->type = PRM_CMDQ_TYPE_PCI;
	e->inlen = htobe32(16 + 4 * rnd(140));
	e->outlen = htobe32(16 + 4 * rnd(140));
	e->in_ptr = htobe64(queue + 4096);
	e->out_ptr = htobe64(queue + 4096 + 1024);
	prm_set((struct prm_mbox_in *)e->in, opcode, opcodes[rnd(ARRAY_SIZE(opcodes))]);
	memset(box, 0, 2048);
	spoil(box->data, sizeof(box->data), rnd(8));
	e->status_own = PRM_CMDQ_OWN_HW;
	spoil(e, sizeof(*e), rnd(3));
	bar_write32(offsetof(struct prm_iseg, cmdq_addr_h), queue >> 32);
	bar_write32(offsetof(struct prm_iseg, cmdq_addr_l_sz), queue & UINT32_MAX);
	bar_write32(offsetof(struct prm_iseg, cmd_dbell), 1u << n | (rnd(4) ? 0 : rnd(256)));
}

static void random_register(void)
{
	uint64_t at = rnd(3) ? (d->uar + rnd(2)) * 4096ull + rnd(512) * 8 : rnd(0x5000);
	uint8_t data[8], i;

	for (i = 0; i < 8; i++)
		data[i] = rnd(2) ? 0 : rnd(256);
	bar_write(d->dev, at, data, 1u << rnd(4));
}

/* Anywhere in use: rings, doorbell records, WQEs, mailboxes. */
static void random_memory(void)
{
	uint64_t used = d->next - DUT_BASE;
	uint32_t i;

	for (i = 0; i < 40; i++)
		d->mem[((uint64_t)rnd(1 << 24) << 8 | rnd(256)) % used] = rnd(256);
}

static void random_send(struct dut_wq *sq)
{
	uint8_t *wqe = dut_wqe(d, sq, rnd(0x2a), 1 + rnd(8), PRM_WQE_CE_ALWAYS);

	spoil(wqe + 16, 48, rnd(12));
	if (rnd(2))
		dut_data_seg(d, (void *)(wqe + 32), DUT_BASE + rnd(DUT_BYTES), rnd(2000));
	dut_ring(d, sq, 1 + rnd(3));
}

static void random_frame(void)
{
	struct frame *frame = frame_alloc(60 + rnd(1400));
	static const uint16_t types[] = { 0x0800, 0x86dd, 0x8915, 0x8100, 0x88b5 };
	uint16_t type = types[rnd(ARRAY_SIZE(types))];

	if (!frame)
		return;
	memset(frame->data, 0, frame->len);
	spoil(frame->data, frame->len, rnd(60));
	memcpy(frame->data, d->dev->mac, 6);
	memcpy(frame->data + 6, other->dev->mac, 6);
	frame->data[12] = type >> 8;
	frame->data[13] = type & 0xff;
	port_send(other->dev->port, frame);
}

/* ---- guests -------------------------------------------------------------------------------- */

/* False if work is left after a bounded number of rounds. */
static bool idle(void)
{
	unsigned int i;

	for (i = 0; i < 20000; i++)
		if (!loop_run_pending())
			return true;
	return false;
}

static bool guest(unsigned int number)
{
	bool nic = number % 3, calm = true;
	struct dut_wq sq, rq;
	unsigned int i;

	rnd_state = 0x9e3779b97f4a7c15ull * (number + 1);
	d = dut_create("a", 0);
	queue = dut_alloc(d, 3 * 4096);
	if (nic) {
		sq = dut_create_sq(d, 4, NULL);
		rq = dut_create_rq(d, 4, 6, NULL);
		for (i = 0; i < 8; i++)
			dut_post_rq(d, &rq, 64 + rnd(2000));
		dut_receive_all(d, dut_direct_tir(d, rq.num));
	} else if (number % 2) {
		cxdev_reset(d->dev);	/* not initialized */
	}
	for (i = 0; i < ACTIONS && calm; i++) {
		switch (rnd(nic ? 7 : 4)) {
		case 0:
			random_register();
			break;
		case 1:
			random_slot();
			break;
		case 2:
			random_memory();
			break;
		case 3:
			random_command();
			break;
		case 4:
			random_send(&sq);
			break;
		default:
			random_frame();
		}
		calm = idle();
	}
	dut_destroy(d);
	return calm;
}

static bool sane_guest(void)
{
	uint8_t packet[200] = {};
	struct dut_wq sq, rq;
	bool good;

	d = dut_create("a", 0);
	sq = dut_create_sq(other, 4, NULL);
	rq = dut_create_rq(d, 4, 6, NULL);
	dut_post_rq(d, &rq, 2048);
	dut_receive_all(d, dut_direct_tir(d, rq.num));
	memcpy(packet, d->dev->mac, 6);
	memcpy(packet + 6, other->dev->mac, 6);
	packet[12] = 0x88;
	packet[13] = 0xb5;
	dut_send(other, &sq, packet, sizeof(packet), 0);
	good = dut_poll(other, &sq.cq) && dut_poll(d, &rq.cq) && !dut_violations(d) &&
	       !dut_violations(other);
	dut_destroy(d);
	return good;
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 2 ? atoi(argv[2]) : GUESTS;
	unsigned int first = argc > 3 ? atoi(argv[3]) : 0, i;

	ktap_plan(2);
	other = dut_create("b", 1);
	for (i = 0; i < n && guest(first + i); i++)
		;
	ktap(i == n, "after %u of %u random guests the device becomes idle", i, n);
	ktap(sane_guest(), "a sane guest after them sends and receives");
	dut_destroy(other);
	return ktap_end();
}
