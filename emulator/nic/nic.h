/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the Ethernet side shares: vport, queues, steering, packets. */
#ifndef CXEMU_ETH_H
#define CXEMU_ETH_H

#include "base/device.h"
#include "prm/caps.h"
#include "prm/definer.h"
#include "prm/flow.h"
#include "prm/nic.h"

/* Limits that the capability pages advertise and the commands enforce. */
#define ETH_LOG_MAX_WQ_SZ 15
#define ETH_LOG_MAX_RQT_SIZE 9
#define ETH_LOG_MAX_LSO 18
#define ETH_LOG_MAX_UC_LIST 7
#define ETH_LOG_MAX_MC_LIST 11
#define ETH_LOG_MAX_VLAN_LIST 12
#define ETH_MAX_WQE_SQ 1008 /* 63 units of 16 bytes */
#define ETH_MAX_WQE_RQ 512
#define ETH_MAX_MTU 10000 /* port MTU, FCS included */
#define FLOW_LOG_MAX_SIZE 20
#define FLOW_MAX_LEVEL 128 /* the in-tree driver uses 66 levels */
#define FLOW_MAX_DESTS 64

/*
 * -1 and refused in the words of the field, or 0. The format stays a literal, so that each field
 * has a syndrome of its own.
 */
#define is_set(c, p, field, why) ({							\
	unsigned int value_ = prm_get(p, field);					\
											\
	value_ ? refuse(c, PRM_STATUS_BAD_PARAM, #field " is set (0x%x), " why, value_) : 0; \
})

/* ---- the vport ---- */

struct traffic {
	uint64_t packets, bytes;
};

struct eth_counters {
	struct traffic rx_unicast, rx_multicast, rx_broadcast;
	struct traffic tx_unicast, tx_multicast, tx_broadcast;
	struct traffic rx_errors, tx_errors;
	uint64_t rx_oversize, rx_no_rule, rx_no_buffer, rx_queue_off, rx_loopback_blocked;
};

struct address_list {
	uint32_t count;
	uint64_t *entries; /* MACs, or VLAN ids */
};

enum address_list_type { LIST_UC, LIST_MC, LIST_VLAN, LIST_TYPES };

struct flow_table;

struct eth_state {
	uint8_t mac[6];
	uint16_t mtu;
	uint8_t min_inline;
	bool promisc_uc, promisc_mc, promisc_all;
	bool block_uc, block_mc; /* disable_uc_local_lb, disable_mc_local_lb */
	uint8_t change_events;	 /* event_on_... bits, as written */
	bool change_armed;
	struct address_list lists[LIST_TYPES];

	uint8_t inline_mode; /* of the card */
	struct flow_table *rx_root, *port_root; /* NIC_RX, PORT_SEL */
	struct eth_counters counters;

	uint16_t port_mtu;
	uint8_t pause_tx, pause_rx, pfc_tx, pfc_rx;
	uint8_t an_disable;
	uint32_t proto_admin;
	uint8_t node_desc[64];
};

/* ---- queues ---- */

struct tis {
	struct obj obj;
	struct obj *td;
	struct prm_tisc ctx;
};

struct rq {
	struct obj obj;
	struct cq *cq;
	struct obj *pd, *counters;
	struct pages pages;
	/* as created; state and what may be modified is kept here too */
	struct prm_rqc ctx;
	uint64_t dbr;
	uint8_t log_size, log_stride;
	uint8_t state;
	uint16_t ci;
	uint64_t out_of_buffer;
};

struct sq {
	struct obj obj;
	struct cq *cq;
	struct obj *pd, *uar;
	struct tis *tis; /* NULL: only NOPs */
	struct pages pages;
	struct prm_sqc ctx;
	uint64_t dbr;
	uint8_t log_size;
	uint8_t state;
	uint16_t ci, pi;
	struct work work;
};

struct rqt {
	struct obj obj;
	uint32_t max_size, size;
	struct rq **rqs;
};

struct tir {
	struct obj obj;
	struct obj *td;
	struct rq *rq;	 /* direct */
	struct rqt *rqt; /* indirect */
	struct prm_tirc ctx;
};

void sq_reset(struct sq *sq);
void sq_work(struct work *work);
void rq_to_error(struct rq *rq);
void sq_to_error(struct sq *sq);

/* ---- packets: packet.c ---- */

#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd
#define ETH_P_8021Q 0x8100
#define ETH_P_8021AD 0x88a8

/* Where the headers are. l3 and l4 are 0 if there is none that is understood. */
struct eth_packet {
	const uint8_t *data;
	uint32_t len;
	uint16_t ethertype; /* behind the VLAN tags */
	uint16_t first_tag; /* ethertype of the first tag, 0: untagged */
	uint16_t tci;	    /* of the first tag */
	uint16_t l3, l4;
	uint32_t end;	    /* of the IP packet as its header says, within len */
	uint8_t ip_version; /* 0, 4, 6 */
	uint8_t proto;
	bool frag;   /* a fragment; l4 is 0 unless it is the first */
	bool len_ok; /* the IP header's length lies within the frame */
};

void packet_parse(struct eth_packet *packet, const uint8_t *data, uint32_t len);
/* One's complement sum of big-endian words, not folded, not inverted. */
uint64_t csum_add(uint64_t sum, const void *data, size_t len);
uint16_t csum_fold(uint64_t sum); /* not inverted */
uint64_t packet_pseudo_sum(const struct eth_packet *packet, uint32_t l4_len);
bool packet_l3_ok(const struct eth_packet *packet);
bool packet_l4_ok(const struct eth_packet
			  *packet); /* TCP or UDP with a right checksum (UDP: or none over IPv4) */
/* Write the IPv4 header's checksum; the TCP or UDP one over the bytes from l4 to @end. */
void packet_set_l3_csum(uint8_t *data, const struct eth_packet *packet);
void packet_set_l4_csum(uint8_t *data, const struct eth_packet *packet, uint32_t end);
uint32_t toeplitz(const uint8_t key[40], const uint8_t *input, size_t len);

struct rss {
	uint32_t hash;
	uint8_t type; /* as the CQE's rss_hash_type */
};

struct rss packet_rss(const struct eth_packet *packet, const struct prm_tirc *tirc);
void packet_match_set(const struct eth_packet *packet, struct prm_fte_match_set_lyr_2_4 *set);

/* ---- steering: cmd_flow.c, cmd_fte.c, cmd_definer.c, steer.c ---- */

struct flow_counter {
	struct obj obj;
	struct traffic hits;
};

struct match_definer {
	struct obj obj;
	struct prm_match_definer ctx;
	struct prm_fte_match_set_lyr_2_4 picked; /* its mask, of the fields of a packet */
};

struct flow_dest {
	struct tir *tir;
	struct flow_table *table;
	unsigned int uplink; /* port of the card, from 1; 0: none */
};

/* A flow table entry; it lives in its table's list, ordered by index. */
struct fte {
	struct list_head node;
	uint32_t index;
	struct flow_group *group;
	struct prm_fte_match_set_lyr_2_4 value;
	uint32_t tag;
	uint16_t action;
	unsigned int n_dests, n_counters;
	struct flow_dest *dests;
	struct flow_counter **counters;
	struct prm_flow_context ctx; /* as written, for queries */
};

struct flow_group {
	struct obj obj;
	struct list_head node; /* in the table, ordered by start */
	struct flow_table *table;
	uint32_t start, end;
	unsigned int entries;
	struct match_definer *definer; /* of a hash group; NULL: entries match */
	uint8_t criteria_enable;
	struct prm_fte_match_param criteria;
};

struct flow_table {
	struct obj obj;
	uint8_t type, level, log_size;
	struct flow_table *miss; /* NULL: the packet is dropped, or has the function's own port */
	bool demux;		 /* of a LAG; miss is what stands behind it at its owner */
	struct list_head groups, ftes;
	struct prm_flow_table_context ctx;
};

/*
 * The rules for a packet: calls deliver() once for each TIR it goes to. Returns how often that was.
 */
unsigned int steer(struct cxdev *dev, const struct eth_packet *packet,
		   void (*deliver)(struct tir *tir, const struct eth_packet *packet, uint32_t tag,
				   void *arg),
		   void *arg);

#endif
