// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * An XDP program that does with a frame what the frame says: the first byte after the Ethertype for
 * experiments is a command (selftests/vm/xdp_frames.py sends them). All other frames pass.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ETHERTYPE	0x88b6
#define CUT		40
#define CUT_FRAGS	5000
#define GROWN		16
#define META		0x43585221
#define ECHO_REQUEST	128
#define DISCARD		9	/* the UDP port of pktgen */

struct frame {
	struct ethhdr eth;
	char command;
	char rest[3];
} __attribute__((packed));

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} away SEC(".maps"), itself SEC(".maps");

/* A map is for programs of one kind only. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} away_frags SEC(".maps"), itself_frags SEC(".maps");

/* The frame at the beginning of the packet, or NULL. */
static __always_inline struct frame *frame_of(struct xdp_md *ctx)
{
	struct frame *f = (void *)(long)ctx->data;

	if ((void *)(f + 1) > (void *)(long)ctx->data_end || f->eth.h_proto != bpf_htons(ETHERTYPE))
		return NULL;
	return f;
}

static __always_inline void turn_round(struct frame *f)
{
	unsigned char mac[ETH_ALEN];

	__builtin_memcpy(mac, f->eth.h_dest, ETH_ALEN);
	__builtin_memcpy(f->eth.h_dest, f->eth.h_source, ETH_ALEN);
	__builtin_memcpy(f->eth.h_source, mac, ETH_ALEN);
}

/* Sent back with four bytes more at the beginning: the header moves, its command is repeated. */
static __always_inline int longer_head(struct xdp_md *ctx, struct frame *f)
{
	struct ethhdr eth = f->eth;

	if (bpf_xdp_adjust_head(ctx, -4))
		return XDP_ABORTED;
	f = (void *)(long)ctx->data;
	if ((void *)(f + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	f->eth = eth;
	f->command = 'h';
	__builtin_memset(f->rest, 0, sizeof(f->rest));
	return XDP_TX;
}

/* What is passed with 'm' has metadata. */
static __always_inline int add_meta(struct xdp_md *ctx)
{
	__u32 *meta;

	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
		return XDP_ABORTED;
	meta = (void *)(long)ctx->data_meta;
	if ((void *)(meta + 1) > (void *)(long)ctx->data)
		return XDP_ABORTED;
	*meta = META;
	return XDP_PASS;
}

/* Changes the sum over a packet by what no checksum of IPv6 covers: the hops of an echo request. */
static __always_inline void change_hops(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct ipv6hdr *ip = (void *)(eth + 1);
	__u8 *icmp = (void *)(ip + 1);

	if ((void *)(icmp + 1) <= (void *)(long)ctx->data_end &&
	    eth->h_proto == bpf_htons(ETH_P_IPV6) && ip->nexthdr == IPPROTO_ICMPV6 &&
	    *icmp == ECHO_REQUEST)
		ip->hop_limit = 7;
}

static __always_inline int act(struct xdp_md *ctx, void *to_away, void *to_itself_map)
{
	struct frame *f = frame_of(ctx);

	if (!f) {
		change_hops(ctx);
		return XDP_PASS;
	}
	switch (f->command) {
	case 'd':
		return XDP_DROP;
	case 'a':
		return XDP_ABORTED;
	case 'u':
		return 77;	/* no action of XDP */
	case 'm':
		return add_meta(ctx);
	case 'q':
		return bpf_xdp_adjust_tail(ctx, -CUT) ? XDP_ABORTED : XDP_PASS;
	case 'Q':
		return bpf_xdp_adjust_tail(ctx, -CUT_FRAGS) ? XDP_ABORTED : XDP_PASS;
	case 'D':
		return bpf_xdp_adjust_tail(ctx, -CUT_FRAGS) ? XDP_ABORTED : XDP_DROP;
	case 'r':
		return bpf_redirect_map(to_away, 0, 0);
	case 'R':
		turn_round(f);
		return bpf_redirect_map(to_itself_map, 0, 0);
	case 't':
		turn_round(f);
		return XDP_TX;
	case 'c':
		turn_round(f);
		return bpf_xdp_adjust_tail(ctx, -CUT) ? XDP_ABORTED : XDP_TX;
	case 'C':
		turn_round(f);
		return bpf_xdp_adjust_tail(ctx, -CUT_FRAGS) ? XDP_ABORTED : XDP_TX;
	case 'g':
		turn_round(f);
		return bpf_xdp_adjust_tail(ctx, GROWN) ? XDP_ABORTED : XDP_TX;
	case 'h':
		turn_round(f);
		return longer_head(ctx, f);
	}
	return XDP_PASS;
}

SEC("xdp")
int act_linear(struct xdp_md *ctx)
{
	return act(ctx, &away, &itself);
}

SEC("xdp.frags")
int act_frags(struct xdp_md *ctx)
{
	return act(ctx, &away_frags, &itself_frags);
}

/* Frames for experiments go to the interface under test. */
SEC("xdp.frags")
int to_itself(struct xdp_md *ctx)
{
	return frame_of(ctx) ? bpf_redirect_map(&itself_frags, 0, 0) : XDP_PASS;
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} dropped SEC(".maps");

struct datagram {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
} __attribute__((packed));

/*
 * For benchmarks: the frames of pktgen. Others pass, since the guest may be controlled through the
 * interface.
 */
SEC("xdp")
int drop(struct xdp_md *ctx)
{
	struct datagram *d = (void *)(long)ctx->data;
	__u32 key = 0;
	__u64 *count;

	if ((void *)(d + 1) > (void *)(long)ctx->data_end ||
	    d->eth.h_proto != bpf_htons(ETH_P_IP) ||
	    d->ip.protocol != IPPROTO_UDP || d->udp.dest != bpf_htons(DISCARD))
		return XDP_PASS;
	count = bpf_map_lookup_elem(&dropped, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	return XDP_DROP;
}

/* Of tc: frames with the command 'm' pass only with their metadata. */
SEC("tc")
int meta_arrives(struct __sk_buff *skb)
{
	struct frame *f = (void *)(long)skb->data;
	__u32 *meta = (void *)(long)skb->data_meta;

	if ((void *)(f + 1) > (void *)(long)skb->data_end ||
	    f->eth.h_proto != bpf_htons(ETHERTYPE) || f->command != 'm')
		return TC_ACT_OK;
	if ((void *)(meta + 1) > (void *)(long)skb->data || *meta != META)
		return TC_ACT_SHOT;
	return TC_ACT_OK;
}

SEC("xdp.frags")
int pass(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

char xdp_license[] SEC("license") = "Dual BSD/GPL";
