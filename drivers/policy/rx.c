// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "rx.h"

#define ETHERTYPE_IPV4	0x0800
#define ETHERTYPE_IPV6	0x86dd
#define IPV4_HEADER	20
#define IPV6_HEADER	40
#define PROTO_SCTP	132	/* has a CRC, to which the sum of the packet says nothing */
/* frames up to this length may be padded, and cards differ in whether they sum padding */
#define SHORT_PACKET	46

struct cxr_rx_layout cxr_rx_layout(const struct cxr_rx_memory *mem, u32 frame)
{
	struct cxr_rx_layout layout = { .size = mem->page, .n = 1 };
	u32 own = mem->head + mem->tail;
	u32 sharing = mem->page / (own + frame);

	while (sharing > 1 && ((mem->page / sharing) & ~(mem->align - 1)) < own + frame)
		sharing--;
	if (sharing > 1)
		layout.size = (mem->page / sharing) & ~(mem->align - 1);
	layout.room = layout.size - own;
	if (frame > layout.room)
		layout.n += (frame - layout.room + mem->page - 1) / mem->page;
	return layout;
}

u32 cxr_rx_max_frame(const struct cxr_rx_memory *mem, unsigned int n)
{
	return n * mem->page - mem->head - mem->tail;
}

bool cxr_rx_sum_valid(const u8 *ip, u32 len, u16 ethertype)
{
	u32 total;
	u8 proto;

	if (len <= SHORT_PACKET)
		return false;

	switch (ethertype) {
	case ETHERTYPE_IPV4:
		total = ip[2] << 8 | ip[3];
		proto = ip[9];
		if (ip[0] >> 4 != 4 || total < IPV4_HEADER)
			return false;
		break;
	case ETHERTYPE_IPV6:
		total = IPV6_HEADER + (ip[4] << 8 | ip[5]);
		proto = ip[6];
		if (ip[0] >> 4 != 6)
			return false;
		break;
	default:
		return false;
	}
	return total == len && proto != PROTO_SCTP;
}
