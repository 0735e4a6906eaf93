/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Decides where the bytes of a received packet go in memory, and what its checksum says. */
#ifndef CXR_POLICY_RX_H
#define CXR_POLICY_RX_H

#include <linux/types.h>

/**
 * struct cxr_rx_memory - what buffers are made of
 * @page: bytes of a page
 * @align: buffers that share a page start at multiples of it, a power of two
 * @head: bytes before the packet that belong to the stack
 * @tail: bytes after it that belong to the stack
 */
struct cxr_rx_memory {
	u32 page, align, head, tail;
};

/**
 * struct cxr_rx_layout - buffers of a receive WQE
 * @size: bytes of the first buffer, of which @cxr_rx_memory.head and tail are the stack's; smaller
 *        than a page if several packets share one, which then have no other buffers
 * @room: bytes of a packet that the first buffer takes
 * @n: number of buffers; all but the first are pages without head and tail
 */
struct cxr_rx_layout {
	u32 size, room;
	unsigned int n;
};

/* Buffers for frames of at most @frame bytes. head and tail have to be smaller than a page. */
struct cxr_rx_layout cxr_rx_layout(const struct cxr_rx_memory *mem, u32 frame);
/* The longest frame that @n buffers take. */
u32 cxr_rx_max_frame(const struct cxr_rx_memory *mem, unsigned int n);

/*
 * Is the device's sum over the IP packet that over all @len bytes from @ip on, at least 40 of which
 * can be read, and can the stack use it? @ethertype: of the packet.
 */
bool cxr_rx_sum_valid(const u8 *ip, u32 len, u16 ethertype);

#endif
