// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * How fast the NIC of the device is by itself: two functions in this process, arrays as guest
 * memory, no virtual machine. The queues, the tables and the offloads are as a netdev has them: TCP
 * streams by LSO, small UDP packets, RSS and checksums. Bandwidth stands beside memcpy of the same
 * bytes in the same run. Numbers are CPU time, so that other work on the machine does not count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "../tests/dut.h"

#define STREAM_BYTES 65160u	/* of one LSO: 45 segments of 1448 */
#define STREAM_WQES 8192
#define SMALL_PACKETS 1000000
#define BURST 16
#define LOG_RQ 8
#define BUFFER_BYTES 9216u
#define PLACES 8
#define TCP_HEADERS 54u
#define MTU 9022u	/* with FCS and tags, of the port */
#define ROUNDS 5

static struct dut *a, *b;
static struct dut_wq sq, rq;
static uint64_t place[PLACES];	/* of what is sent */

static void die(const char *what)
{
	fprintf(stderr, "bench_eth: %s\n", what);
	exit(1);
}

/* ---- tables and queues as of a netdev ---- */

static uint32_t rss_tir(void)
{
	struct prm_create_rqt_in rqt_in = {};
	struct prm_create_rqt_out rqt_out;
	struct prm_create_tir_in in = {};
	struct prm_create_tir_out out;
	uint32_t list[1] = { htobe32(rq.num) };
	uint8_t *key = prm_bytes(prm_sub(&in, ctx, tirc), rx_hash_toeplitz_key);
	unsigned int i;

	prm_set(&rqt_in, rqt_context.rqt_max_size, 1);
	prm_set(&rqt_in, rqt_context.rqt_actual_size, 1);
	dut_check(dut_cmd_tail(b, create_rqt, &rqt_in, &rqt_out, list, sizeof(list)), "create_rqt");
	prm_set(&in, ctx.disp_type, PRM_TIR_INDIRECT);
	prm_set(&in, ctx.indirect_table, prm_get(&rqt_out, rqtn));
	prm_set(&in, ctx.transport_domain, b->td);
	prm_set(&in, ctx.rx_hash_fn, PRM_RX_HASH_TOEPLITZ);
	prm_set(&in, ctx.rx_hash_field_selector_outer.selected_fields,
		PRM_RX_HASH_SRC_IP | PRM_RX_HASH_DST_IP | PRM_RX_HASH_L4_SPORT |
		PRM_RX_HASH_L4_DPORT);
	for (i = 0; i < 40; i++)
		key[i] = i * 37 + 11;
	dut_must(b, create_tir, &in, &out);
	return prm_get(&out, tirn);
}

/* By MAC, then by kind of packet; as in drivers the one that comes is not the first. */
static void tables(uint32_t tirn)
{
	static const uint8_t protos[] = { 50, 51, 17, 6 };
	struct prm_fte_match_set_lyr_2_4 mac = {}, macs = {}, kind = {}, kinds = {};
	uint32_t kind_table = dut_table(b, 1, 3, 0), mac_table = dut_table(b, 0, 3, 0);
	uint32_t group;
	unsigned int i;

	prm_set(&kinds, ethertype, 0xffff);
	prm_set(&kinds, ip_protocol, 0xff);
	prm_set(&kind, ethertype, 0x0800);
	group = dut_group(b, kind_table, 0, 7, &kinds);
	for (i = 0; i < sizeof(protos); i++) {
		prm_set(&kind, ip_protocol, protos[i]);
		dut_check(dut_fte(b, kind_table, group, i, &kind, PRM_FLOW_DEST_TIR, tirn),
			  "set_fte");
	}
	memset(prm_bytes(&macs, dmac_47_16), 0xff, 6);
	memcpy(prm_bytes(&mac, dmac_47_16), tcp4.dmac, 6);
	group = dut_group(b, mac_table, 0, 7, &macs);
	dut_check(dut_fte(b, mac_table, group, 3, &mac, PRM_FLOW_DEST_TABLE, kind_table),
		  "set_fte");
	dut_check(dut_root(b, mac_table), "set_flow_table_root");
}

static void set_up(void)
{
	unsigned int i;

	a = dut_create("a", 0);
	b = dut_create("b", 1);
	dut_run();
	a->dev->eth->port_mtu = MTU;
	b->dev->eth->port_mtu = MTU;
	sq = dut_create_sq(a, 6, NULL);
	rq = dut_create_rq(b, LOG_RQ, 5, NULL);
	tables(rss_tir());
	for (i = 0; i < PLACES; i++)
		place[i] = dut_alloc(a, STREAM_BYTES);
	for (i = 0; i < 1u << LOG_RQ; i++)
		dut_post_rq(b, &rq, BUFFER_BYTES);
}

/* The driver of b gives each buffer back at once. */
static unsigned int reap(void)
{
	const struct prm_cqe64 *cqe;
	unsigned int n = 0;

	while ((cqe = dut_poll(b, &rq.cq))) {
		if (cqe->op_own >> 4 != PRM_CQE_RESP_SEND || !(cqe->hds_ip_ext & PRM_CQE_L4_OK))
			die("a packet did not arrive well");
		n++;
	}
	rq.pi += n;
	dut_store(b, rq.dbr, rq.pi);
	return n;
}

static void reap_sent(void)
{
	const struct prm_cqe64 *cqe;

	while ((cqe = dut_poll(a, &sq.cq)))
		if (cqe->op_own >> 4 != PRM_CQE_REQ)
			die("a WQE failed");
}

/* ---- what is sent ---- */

/* MiB/s of payload. */
static double stream(uint32_t mss)
{
	unsigned int ds = 2 + (TCP_HEADERS - 2 + 15) / 16 + 1, i, n = 0;
	uint8_t packet[256];
	struct flow flow = tcp4;
	double t;

	flow.payload = 0;
	make_packet(packet, &flow);
	t = cpu_seconds();
	for (i = 0; i < STREAM_WQES; i++) {
		/* two blocks, so that it does not wrap */
		uint8_t *wqe = dut_wqe(a, &sq, PRM_WQE_LSO, ds, PRM_WQE_CE_ALWAYS);
		struct prm_wqe_eth_seg *eseg = (void *)(wqe + 16);

		memset(wqe + 16, 0, 112);
		eseg->cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM;
		eseg->mss = htobe16(mss);
		eseg->inline_hdr_sz = htobe16(TCP_HEADERS);
		memcpy(wqe + 30, packet, TCP_HEADERS);
		dut_data_seg(a, (void *)(wqe + (ds - 1) * 16), place[i % PLACES], STREAM_BYTES);
		dut_ring(a, &sq, 2);
		n += reap();
		reap_sent();
	}
	if (n != STREAM_WQES * ((STREAM_BYTES + mss - 1) / mss))
		die("segments are missing");
	return STREAM_WQES * (STREAM_BYTES / 1048576.0) / (cpu_seconds() - t);
}

/* Packets of 64 bytes with FCS a second. */
static double packets(void)
{
	unsigned int sent, i, n = 0;
	struct flow flow = tcp4;
	double t;
	uint32_t len;

	flow.proto = 17;
	flow.payload = 18;
	len = make_packet(dut_ptr(a, place[0]), &flow);
	t = cpu_seconds();
	for (sent = 0; sent < SMALL_PACKETS; sent += BURST) {
		for (i = 0; i < BURST; i++, sq.pi++) {
			uint8_t *wqe = dut_wqe(a, &sq, PRM_WQE_SEND, 3,
					       i == BURST - 1 ? PRM_WQE_CE_ALWAYS : 0);
			struct prm_wqe_eth_seg *eseg = (void *)(wqe + 16);

			eseg->cs_flags = PRM_WQE_ETH_L3_CSUM | PRM_WQE_ETH_L4_CSUM;
			dut_data_seg(a, (void *)(wqe + 32), place[0], len);
		}
		sq.pi -= BURST;
		dut_ring(a, &sq, BURST);
		n += reap();
		reap_sent();
	}
	if (n != SMALL_PACKETS)
		die("packets are missing");
	return SMALL_PACKETS / (cpu_seconds() - t);
}

static int by_size(const void *one, const void *two)
{
	double x = *(const double *)one, y = *(const double *)two;

	return x < y ? -1 : x > y;
}

static void report_stream(const char *name, uint32_t mss)
{
	double rate[ROUNDS], ratio[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		rate[i] = stream(mss);
		ratio[i] = rate[i] / copy_rate(PLACES, STREAM_BYTES, 2 * STREAM_WQES);
	}
	qsort(rate, ROUNDS, sizeof(rate[0]), by_size);
	qsort(ratio, ROUNDS, sizeof(ratio[0]), by_size);
	printf("%-34s %10.0f MiB/s   %5.2f of memcpy (%.2f to %.2f)\n", name, rate[ROUNDS / 2],
	       ratio[ROUNDS / 2], ratio[0], ratio[ROUNDS - 1]);
}

static void report_packets(void)
{
	double rate[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		rate[i] = packets();
	qsort(rate, ROUNDS, sizeof(rate[0]), by_size);
	printf("%-34s %10.0f packets/s   (%.0f to %.0f)\n", "UDP, packets of 64 bytes",
	       rate[ROUNDS / 2], rate[0], rate[ROUNDS - 1]);
}

int main(void)
{
	trace_level = TRACE_QUIET;
	set_up();
	report_stream("TCP by LSO, mss 1448", 1448);
	report_stream("TCP by LSO, mss 8948", 8948);
	report_packets();
	return 0;
}
