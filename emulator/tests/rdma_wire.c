// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* What the tests do to the wire, and a check of each frame that shares no code with the engine. */
#include <stdlib.h>

#include "rdma.h"

struct wire_test wire;
uint64_t wire_passed;

/* CRC-32 bit by bit, most significant bit of the polynomial first on reflected input. */
static uint32_t crc_bits(uint32_t crc, const uint8_t *p, uint32_t len)
{
	int bit;

	while (len--) {
		for (bit = 0; bit < 8; bit++) {
			bool one = (crc ^ (*p >> bit)) & 1;

			crc >>= 1;
			if (one)
				crc ^= 0xedb88320;
		}
		p++;
	}
	return crc;
}

static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
	return crc_bits(crc, &byte, 1);
}

/* Is byte @i of the packet masked in the ICRC? */
static bool masked(uint32_t i, uint16_t ethertype, uint8_t *or)
{
	uint32_t ip = ethertype == 0x0800 ? 20 : 40, bth = ethertype == 0x8915 ? 40 : ip + 8;

	*or = 0xff;
	if (i == bth + 4)
		return true;
	if (ethertype != 0x8915 && (i == ip + 6 || i == ip + 7))
		return true;
	if (ethertype == 0x0800)
		return i == 1 || i == 8 || i == 10 || i == 11;
	if (i == 0) {
		*or = 0x0f;
		return true;
	}
	return (i >= 1 && i <= 3) || i == 7;
}

uint32_t bitwise_icrc(const uint8_t *l3, uint32_t len, uint16_t ethertype)
{
	uint32_t crc = 0xffffffff, i;
	uint8_t or;

	for (i = 0; i < 8; i++)
		crc = crc_byte(crc, 0xff);
	for (i = 0; i < len; i++)
		crc = crc_byte(crc, masked(i, ethertype, &or) ? l3[i] | or : l3[i]);
	return ~crc;
}

static const char *check_ipv4(const uint8_t *ip, uint32_t room, uint32_t *len)
{
	uint32_t sum = 0, i;

	for (i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	if (sum != 0xffff)
		return "IPv4 checksum";
	if (ip[0] != 0x45 || ip[9] != 17 || ip[6] != 0x40 || ip[7])
		return "IPv4 header";
	*len = ip[2] << 8 | ip[3];
	if (*len > room || (room > *len && room > 46))
		return "IPv4 total length";
	return NULL;
}

static const char *check_ipv6(const uint8_t *ip, uint32_t room, uint8_t next, uint32_t *len)
{
	if (ip[0] >> 4 != 6 || ip[6] != next)
		return "IPv6 header or GRH";
	*len = 40 + (ip[4] << 8 | ip[5]);
	return *len == room ? NULL : "payload length";
}

static const char *check_udp(const uint8_t *udp, uint32_t len)
{
	if ((udp[0] << 8 | udp[1]) < 0xc000 || (udp[2] << 8 | udp[3]) != 4791)
		return "UDP ports";
	if ((uint32_t)(udp[4] << 8 | udp[5]) != len)
		return "UDP length";
	return udp[6] || udp[7] ? "UDP checksum" : NULL;
}

const char *frame_check(const uint8_t *d, uint32_t frame_len, uint8_t *opcode)
{
	uint32_t l2 = d[12] == 0x81 && !d[13] ? 18 : 14, len = 0, ip = 40, icrc;
	uint16_t ethertype = d[l2 - 2] << 8 | d[l2 - 1];
	const uint8_t *l3 = d + l2, *bth, *end;
	uint8_t tclass;
	const char *why;

	if (ethertype == 0x0800) {
		why = check_ipv4(l3, frame_len - l2, &len);
		ip = 20;
	} else if (ethertype == 0x86dd || ethertype == 0x8915) {
		why = check_ipv6(l3, frame_len - l2, ethertype == 0x8915 ? 0x1b : 17, &len);
	} else {
		return "ethertype";
	}
	if (!why && ethertype != 0x8915)
		why = check_udp(l3 + ip, len - ip);
	if (why)
		return why;
	bth = l3 + ip + (ethertype == 0x8915 ? 0 : 8);
	end = l3 + len - 4;
	*opcode = bth[0];
	if ((len & 3) || end < bth + 12)
		return "length";
	if ((bth[1] & 0x0f) || bth[2] != 0xff || bth[3] != 0xff ||
	    bth[4] != (bth[0] == BTH_CNP ? 0x40 : 0) || (bth[8] & 0x7f))
		return "BTH";
	tclass = ethertype == 0x0800 ? l3[1] : l3[0] << 4 | l3[1] >> 4;
	if (bth[0] == BTH_CNP && tclass != 48 << 2)
		return "traffic class of a CNP";
	icrc = bitwise_icrc(l3, len - 4, ethertype);
	if (end[0] != (icrc & 0xff) || end[1] != (icrc >> 8 & 0xff) ||
	    end[2] != (icrc >> 16 & 0xff) || end[3] != icrc >> 24)
		return "ICRC";
	return NULL;
}

/* One of @every frames, scattered: a period could coincide with retransmissions. */
static bool due(uint64_t n, uint32_t every, uint32_t at, uint32_t salt)
{
	uint32_t hash = (uint32_t)(n + salt) * 2654435761u;

	return (every && (hash >> 13) % every == 0) || (at && n == at);
}

static enum wire_verdict filter(void *arg, const struct port *from, struct frame *frame)
{
	struct wire_test *w = arg;
	uint8_t opcode = 0;
	const char *why = frame_check(frame->data, frame->len, &opcode);

	(void)from;
	if (why) {
		w->wrong++;
		snprintf(w->why, sizeof(w->why), "%s", why);
	}
	w->by_opcode[opcode]++;
	if (w->only_opcode != 0xff && w->only_opcode != opcode)
		return WIRE_PASS;
	w->frames++;
	if (due(w->frames, w->drop_every, w->drop_at, 0))
		return WIRE_DROP;
	if (due(w->frames, w->corrupt_every, w->corrupt_at, 1000003)) {
		frame->data[frame->len - 1 - w->frames % 5] ^= 1 << w->frames % 8;
		return WIRE_PASS;
	}
	if (due(w->frames, w->hold_every, w->hold_at, 2000003))
		return WIRE_HOLD;
	if (due(w->frames, w->dup_every, w->dup_at, 3000017))
		return WIRE_DUPLICATE;
	return WIRE_PASS;
}

static bool disturbs(const struct wire_test *w)
{
	return w->drop_every || w->dup_every || w->hold_every || w->corrupt_every || w->drop_at ||
	       w->dup_at || w->hold_at || w->corrupt_at;
}

void wire_apply(void)
{
	static int direct = -1;
	bool want;

	if (direct < 0)
		direct = !!getenv("CXEMU_TEST_DIRECT");
	want = !direct || wire.see || disturbs(&wire);
	if (want != wire.on)
		wire_set_filter(want ? filter : NULL, &wire);
	wire.on = want;
}

void wire_watch(void)
{
	wire_set_filter(NULL, NULL);
	memset(&wire, 0, sizeof(wire));
	wire.only_opcode = 0xff;
	wire_apply();
}

void wire_see(void)
{
	wire_watch();
	wire.see = true;
	wire_apply();
}

static enum wire_verdict pass(void *arg, const struct port *from, struct frame *frame)
{
	(void)arg;
	(void)from;
	(void)frame;
	wire_passed++;
	return WIRE_PASS;
}

void wire_in_frames(bool frames)
{
	wire_passed = 0;
	wire_set_filter(frames ? pass : NULL, NULL);
}
