// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * An XDP program that asks the interface about each UDP packet of selftests/vm/ptp.py, and keeps
 * the answers in a map, which selftests/vm/xdp.sh reads. It is made for one interface (bpftool prog
 * load ... xdpmeta_dev).
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define PORT 7319

/* The kernel's, of which this needs no more. */
enum xdp_rss_hash_type { XDP_RSS_TYPE_NONE };

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *timestamp) __ksym;
extern int bpf_xdp_metadata_rx_hash(const struct xdp_md *ctx, __u32 *hash,
				    enum xdp_rss_hash_type *type) __ksym;
extern int bpf_xdp_metadata_rx_vlan_tag(const struct xdp_md *ctx, __be16 *proto,
					__u16 *tci) __ksym;

/* Of the last packet; the answers are 0 or an error. */
struct seen {
	__u64 packets;
	__u64 stamp;
	__u32 hash, type;
	__u32 proto, tci;
	__s32 stamp_answer, hash_answer, tag_answer;
	__u32 queue;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct seen);
	__uint(max_entries, 1);
} answers SEC(".maps");

SEC("xdp")
int ask(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);
	__be16 proto = 0;
	__u32 key = 0, hash = 0, type = 0;
	__u64 stamp = 0;
	__u16 tci = 0;
	struct seen *seen;

	if ((void *)(udp + 1) > (void *)(long)ctx->data_end ||
	    eth->h_proto != bpf_htons(ETH_P_IP) || ip->protocol != IPPROTO_UDP ||
	    udp->dest != bpf_htons(PORT))
		return XDP_PASS;
	seen = bpf_map_lookup_elem(&answers, &key);
	if (!seen)
		return XDP_PASS;

	seen->stamp_answer = bpf_xdp_metadata_rx_timestamp(ctx, &stamp);
	seen->hash_answer = bpf_xdp_metadata_rx_hash(ctx, &hash, (void *)&type);
	seen->tag_answer = bpf_xdp_metadata_rx_vlan_tag(ctx, &proto, &tci);
	seen->stamp = stamp;
	seen->hash = hash;
	seen->type = type;
	seen->proto = bpf_ntohs(proto);
	seen->tci = tci;
	seen->queue = ctx->rx_queue_index;
	seen->packets++;
	return XDP_PASS;
}

char xdp_meta_license[] SEC("license") = "Dual BSD/GPL";
