// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* An XDP program that gives frames with the Ethertype for experiments to an AF_XDP socket. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ETHERTYPE	0x88b6

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} sockets SEC(".maps");

SEC("xdp")
int to_socket(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end ||
	    eth->h_proto != bpf_htons(ETHERTYPE))
		return XDP_PASS;
	return bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_ABORTED);
}

char xdp_license[] SEC("license") = "Dual BSD/GPL";
