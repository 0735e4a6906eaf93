// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Ethernet send queues: LSO and plain sends with headers, also of tunnels, sizes and segments that
 * the input gives, to a receiver that may stand still.
 */
#include "../tests/dut.h"
#include "fuzz.h"

#define WQES_MAX 16
#define LOG_SQ 6
#define DATA_BYTES 262144u

enum { WITH_HEADERS = 1, HOLD = 2, FOREIGN_KEY = 4, VXLAN = 8, GRE = 16, IP = 32 };

static struct dut *dut;
static struct dut_wq sq;
static uint64_t data_at;

static bool take_frame(void *arg, const struct frame *frame)
{
	(void)arg;
	(void)frame;
	return true;
}

static void post(struct input *in, struct port *port)
{
	static const uint8_t opcodes[] = { PRM_WQE_SEND, PRM_WQE_LSO, PRM_WQE_LSO, PRM_WQE_NOP };
	uint8_t how = input_u8(in), header[256];
	unsigned int opcode = opcodes[input_u8(in) % ARRAY_SIZE(opcodes)];
	uint32_t len = input_u8(in) % 128, patches = input_u8(in) % 8, ds, inside;
	struct prm_wqe_eth_seg *eseg;
	struct flow flow = tcp4, outer = tcp4;
	uint8_t *wqe;

	flow.payload = 0;
	flow.ip = input_u8(in) & 1 ? 4 : 6;
	if (how & WITH_HEADERS && how & (VXLAN | GRE | IP)) {
		outer.ip = how & 64 ? 6 : 4;
		outer.dport = 4789;
		len = make_tunnel(header, how & VXLAN ? TUNNEL_VXLAN : how & GRE ? TUNNEL_GRE :
				  TUNNEL_IP, &outer, &flow, &inside);
	} else if (how & WITH_HEADERS) {
		len = make_packet(header, &flow);
	} else {
		input_bytes(in, header, len);
	}
	ds = 2 + (len < 2 ? 0 : (len - 2 + 15) / 16) + 1;
	wqe = dut_wqe(dut, &sq, opcode, ds, PRM_WQE_CE_ALWAYS);
	eseg = (void *)(wqe + 16);
	eseg->mss = htobe16(input_number(in));
	eseg->inline_hdr_sz = htobe16(len);
	eseg->cs_flags = input_u8(in) & 0xf0;
	memcpy(eseg->inline_hdr_start, header, len);
	dut_data_seg(dut, (void *)(wqe + (ds - 1) * 16), data_at,
		     input_number(in) % (DATA_BYTES + 9));
	if (how & FOREIGN_KEY)
		put32(wqe + (ds - 1) * 16 + 4, input_u16(in));
	for (; patches; patches--) {
		unsigned int at = input_u8(in) % (ds * 16);

		wqe[at] = input_u8(in);
	}
	port_hold(port, how & HOLD);
	dut_ring(dut, &sq, (ds + 3) / 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_begin(data, size);
	struct frame *hello = frame_alloc(60);
	struct port *port;
	unsigned int n;

	dut = dut_create("a", 0);
	port = port_create(NULL, "receiver");
	port_set_sink(port, take_frame, NULL);
	memset(hello->data, 0, 60);
	memcpy(hello->data, "\x02\xc4", 2);
	memcpy(hello->data + 6, tcp4.dmac, 6);
	port_send(port, hello);
	sq = dut_create_sq(dut, LOG_SQ, NULL);
	data_at = dut_alloc(dut, DATA_BYTES + 4096);
	for (n = 0; n < WQES_MAX && input.left; n++)
		post(&input, port);
	port_hold(port, false);
	dut_run();
	port_destroy(port);
	dut_destroy(dut);
	return input_end();
}
