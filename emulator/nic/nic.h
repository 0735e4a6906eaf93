/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * nic: Ethernet. Send and receive queues, RSS and flow steering, and the parsing and offloads of
 * packets.
 *
 * A WQE of a send queue is checked, segmented, and its checksums are filled in as it asks. A
 * received frame is steered by the flow tables to each TIR that they name. Of tunnels that the card
 * knows the same is done with the inner headers.
 */
#ifndef CXEMU_NIC_H
#define CXEMU_NIC_H

#include "key/key.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/definer.h"
#include "prm/flow.h"
#include "prm/nic.h"
#include "queue/queue.h"

extern const struct cmd_desc cmds_sq[], cmds_rq[], cmds_tir[], cmds_flow[], cmds_fte[],
	cmds_definer[], cmds_tunnel[], cmds_pace[];

/* Limits that the capability pages advertise and the commands enforce. */
#define ETH_LOG_MAX_WQ_SZ 15
#define ETH_LOG_MAX_RQT_SIZE 11
#define ETH_LOG_MAX_LSO 18
#define ETH_MAX_WQE_SQ 1008 /* 63 units of 16 bytes */
#define ETH_MAX_WQE_RQ 512
#define FLOW_LOG_MAX_SIZE 20
#define FLOW_MAX_LEVEL 128 /* the in-tree driver uses 66 levels */
#define FLOW_MAX_DESTS 64

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
	struct umem *dbr_umem;
	/* as created; state and what may be modified is kept here too */
	struct prm_rqc ctx;
	struct wq wq;
	uint8_t state;
	uint32_t stride; /* of a striding RQ: where the next packet goes in the WQE at wq.ci */
	uint64_t out_of_buffer;
};

struct sq {
	struct obj obj;
	struct cq *cq;
	struct obj *pd, *uar;
	struct tis *tis; /* NULL: only NOPs */
	struct pages pages;
	struct umem *dbr_umem;
	struct prm_sqc ctx;
	struct wq wq;
	uint8_t state;
	struct work work;
	/* of the WQE of several frames under way: bytes of its data and frames that were sent */
	uint32_t done, frames;
	/* and what it was when the first were: the host must leave it alone */
	uint32_t begun_bytes;
	uint8_t begun[WQE_MAX];
	bool waits; /* for a receiver or its rate: the WQE has not been executed to its end */
	struct pace {
		struct timer timer;
		uint64_t clear_ns;	/* when what was sent has left at the rate */
	} pace;
	/* during a round: so many frames more find room at the receivers of this address */
	unsigned int room;
	const struct port *room_port;
	uint8_t room_mac[6];
};

struct rqt {
	struct obj obj;
	uint32_t max_size, size;
	struct rq **rqs;
};

/* A key of 40 bytes: what each value of each half of a byte of up to 36 adds to the hash. */
#define TOEPLITZ_BYTES 36

struct toeplitz {
	uint32_t adds[2 * TOEPLITZ_BYTES][16];
};

struct tir {
	struct obj obj;
	struct obj *td;
	struct rq *rq;	 /* direct */
	struct rqt *rqt; /* indirect */
	struct prm_tirc ctx;
	struct toeplitz toeplitz;	/* of the key in ctx */
};

/* ---- what SQs and RQs share: wq.c; 0, or the command is refused ---- */

int eth_check_wq(struct cmd *c, const struct prm_wq *ctx, unsigned int type);
/* Sets location and size of the ring, and its doorbell record, from the context. */
int eth_get_wq(struct cmd *c, const struct prm_wq *ctx, struct wq *wq, struct pages *pages,
	       struct umem **dbr_umem);
/* May a queue in state @is, which the command says is in @said, go to @next? */
int eth_check_transition(struct cmd *c, struct obj *obj, unsigned int said, unsigned int is,
			 unsigned int next);

/* ---- packet pacing: pace.c ---- */

void pace_init(struct sq *sq);
void pace_stop(struct sq *sq);
/* Must its next frame wait? Then the work is queued when it may be sent. */
bool pace_must_wait(struct sq *sq);
void pace_sent(struct sq *sq, uint32_t bytes); /* a frame, without FCS */
/* May an SQ of this command have the rate? 0, or the command is refused. */
int pace_check(struct cmd *c, unsigned int index);

void eth_sq_doorbell(struct sq *sq); /* new work */
struct obj *sq_uar(const struct sq *sq);
void eth_receive(struct cxdev *dev, struct frame *frame); /* consumes the frame */
/*
 * Does a TIR hear multicast that SQs of transport domain @td of its own function send? Of the same
 * domain only if its context allows it.
 */
bool eth_hears_itself(struct cxdev *dev, uint32_t td);

/* ---- packets: packet.c ---- */

/* A parsed packet. l3 and l4 are offsets, 0 without a header that is understood. */
struct eth_packet {
	const uint8_t *data;
	uint32_t len;
	uint16_t ethertype; /* behind the VLAN tags */
	uint16_t first_tag; /* ethertype of the first tag, 0: untagged */
	uint32_t c_tag; /* offset of the first tag of type 0x8100, 0: there is none */
	uint16_t tci;	    /* of the first tag */
	uint16_t l3, l4;
	uint16_t payload;   /* of IP, behind the options; 0: none, or a later fragment */
	uint32_t end;	    /* of the IP packet according to its header, within len */
	uint8_t ip_version; /* 0, 4, 6 */
	uint8_t proto;
	bool frag;   /* a fragment; l4 is 0 except in the first one */
	bool len_ok; /* the IP header's length lies within the frame */
	const struct eth_packet *inner; /* of a tunnel; NULL: none */
};

void packet_parse(struct eth_packet *packet, const uint8_t *data, uint32_t len);
/* The frame, or IP packet, at @at of @data, which ends at @len; offsets are those in @data. */
void packet_parse_at(struct eth_packet *packet, const uint8_t *data, uint32_t at, uint32_t len);
void packet_parse_ip(struct eth_packet *packet, const uint8_t *data, uint32_t at, uint32_t len,
		     uint16_t ethertype);
/* One's complement sum of big-endian words, not folded, not inverted. */
uint64_t csum_add(uint64_t sum, const void *data, size_t len);
uint16_t csum_fold(uint64_t sum); /* not inverted */
uint64_t packet_pseudo_sum(const struct eth_packet *packet, uint32_t l4_len);
/* Of an IPv4 header; otherwise 0. */
uint64_t packet_l3_sum(const struct eth_packet *packet);
bool packet_l3_ok(const struct eth_packet *packet, uint64_t l3_sum);
/* The sum of what is behind the IP header, to the end; 0 without a layer 4. */
uint64_t packet_l4_sum(const struct eth_packet *packet);
/*
 * TCP or UDP with a right checksum (UDP: or none over IPv4); @l4_sum: packet_l4_sum(), which is
 * most of the work.
 */
bool packet_l4_ok(const struct eth_packet *packet, uint64_t l4_sum);
/* Write the IPv4 header's checksum; the TCP or UDP one over the bytes from l4 to @end. */
void packet_set_l3_csum(uint8_t *data, const struct eth_packet *packet);
void packet_set_l4_csum(uint8_t *data, const struct eth_packet *packet, uint32_t end);
/*
 * Of a segment of LSO, number @nr, with @n bytes from @off on: lengths, IP identification, and TCP
 * sequence number and flags; of a tunnel, in both levels. @packet has the headers alone.
 */
void packet_set_segment(uint8_t *data, const struct eth_packet *packet, uint32_t n, uint32_t off,
			bool first, bool last, unsigned int nr);

void toeplitz_prepare(struct toeplitz *hash, const uint8_t key[40]);

struct rss {
	uint32_t hash;
	uint8_t type; /* as the CQE's rss_hash_type */
};

/* @toeplitz: of the key in @tirc */
struct rss packet_rss(const struct eth_packet *packet, const struct prm_tirc *tirc,
		      const struct toeplitz *toeplitz);
void packet_match_set(const struct eth_packet *packet, struct prm_fte_match_set_lyr_2_4 *set);

/* ---- tunnels: tunnel.c ---- */

/*
 * If @packet is a tunnel that is advertised, @inner becomes what is in it, up to @end, and
 * packet->inner.
 */
bool tunnel_parse(struct cxdev *dev, struct eth_packet *packet, struct eth_packet *inner,
		  uint32_t end);
/* The checksum of the tunnel's own header, UDP or GRE, is right, or there is none. */
bool tunnel_csum_ok(const struct eth_packet *packet, uint64_t l4_sum);
/* Ports that the driver has not deleted; their number. */
unsigned int tunnel_report_leaks(struct cxdev *dev);

/* ---- steering: flow.c, fte.c, definer.c, steer.c ---- */

struct flow_counter {
	struct obj obj;
	struct traffic hits;
};

/*
 * What entries match: the first words of fte_match_param, outer headers, misc_parameters and inner
 * headers. Only tables of RoCE packets and of the e-switch match the second, and only those of
 * Ethernet the third.
 */
#define MATCH_SET_DWORDS (sizeof(struct prm_fte_match_set_lyr_2_4) / 4)
#define MATCH_DWORDS (3 * MATCH_SET_DWORDS)

struct match_fields {
	__be32 dw[MATCH_DWORDS];
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
	uint32_t vport;	     /* ESWITCH_VPORT of one; 0: none */
};

/* A flow table entry, of its group. */
struct fte {
	struct list_head node, by_value;
	uint32_t index;
	struct flow_group *group;
	struct match_fields value;
	uint32_t tag;
	uint16_t action;
	unsigned int n_dests, n_counters;
	struct flow_dest *dests;
	struct flow_counter **counters;
	struct prm_flow_context ctx; /* as the driver wrote it, for queries */
};

struct flow_group {
	struct obj obj;
	struct list_head node; /* in the table, ordered by start */
	struct flow_table *table;
	uint32_t start, end;
	unsigned int entries;
	struct list_head ftes;
	struct fte **by_index;		/* from start on; NULL: it has had no entry */
	struct list_head *by_value;	/* a hash, of entries that match */
	uint32_t n_buckets;
	struct match_definer *definer; /* of a hash group; NULL: entries match */
	uint8_t criteria_enable;
	struct prm_fte_match_param criteria;
	/* the words that its entries match */
	uint8_t used[MATCH_DWORDS];
	unsigned int n_used;
};

struct flow_table {
	struct obj obj;
	uint8_t type, level, log_size;
	uint16_t vport;		 /* of an ACL; else 0 */
	struct flow_table *miss; /* NULL: the packet is dropped, or has the function's own port */
	bool demux;		 /* of a LAG; miss is for frames of its own function's port */
	struct list_head groups;
	struct prm_flow_table_context ctx;
};

/*
 * Looks up a packet that @dev received, from the root of @first on, and calls deliver() for each
 * TIR that it goes to. Returns their number. @first is another function only in a vport LAG.
 */
unsigned int steer(struct cxdev *dev, struct cxdev *first, const struct eth_packet *packet,
		   void (*deliver)(struct tir *tir, const struct eth_packet *packet, uint32_t tag,
				   void *arg),
		   void *arg);

/* The port, from 1, that the flow tables of @dev select for the frame; 0: none. */
unsigned int port_select(const struct cxdev *dev, const struct frame *frame);
enum rdma_fate rdma_steer(struct cxdev *dev, unsigned int table_type, const struct frame *frame,
			  uint8_t bth_opcode);	/* eth_state.rdma_steer */
uint32_t fdb_steer(struct cxdev *dev, unsigned int source,
		   const struct frame *frame);		/* eth_state.fdb_steer */
bool acl_steer(struct cxdev *dev, struct flow_table *acl,
	       const struct frame *frame);		/* eth_state.acl_steer */

/* ---- what the commands of flow tables share ---- */

/* The fields that every command of flow tables begins with: -1 and refused, or 0. */
#define bad_head(c, in)                                                            \
	({                                                                         \
		typeof(in) in_ = (in);                                             \
		struct cmd *c_ = (c);                                              \
	\
		(flow_is_acl(prm_get(in_, table_type)) && eswitch_manager(c_->dev)) ? \
			flow_check_acl(c_, cmd_vport(c_, in_)) :                   \
			is_set(c_, in_, other_vport, "but there is one vport") ||  \
			is_set(c_, in_, vport_number, "but there is one vport") || \
			flow_check_type(c_, prm_get(in_, table_type));             \
	})

int flow_check_type(struct cmd *c, unsigned int type);
bool flow_is_rdma(unsigned int type);
bool flow_is_acl(unsigned int type);
int flow_check_acl(struct cmd *c, const struct cxdev *vport); /* -1: refused, before or now */
/* The table that a command names by number and type; NULL: refused. */
struct flow_table *flow_get_table(struct cmd *c, uint32_t id, unsigned int type);
/* The same for a command that changes it or what is in it. */
struct flow_table *flow_own_table(struct cmd *c, uint32_t id, unsigned int type);
/* Such a table, of the vport that the command names; NULL: refused. */
#define flow_table_of(c, in)								\
	flow_of_vport(c, flow_own_table(c, prm_get(in, table_id), prm_get(in, table_type)), \
		      prm_get(in, vport_number))
struct flow_table *flow_of_vport(struct cmd *c, struct flow_table *table, unsigned int vport);
/* The table behind @level that a miss or an entry names, and a reference; NULL: refused. */
struct flow_table *flow_next_table(struct cmd *c, uint32_t id, unsigned int type,
				   unsigned int level, const char *field);
/* The group @id of the table; NULL: refused. */
struct flow_group *flow_get_group(struct cmd *c, struct flow_table *table, uint32_t id);
void fte_free(struct fte *fte);
/* fte_group.c: the entries of a group. The entry of an index; NULL: there is none. */
struct fte *group_entry(const struct flow_group *group, uint32_t index);
/* Of the entries that match the fields of a packet, that of the lowest index; NULL: none does. */
struct fte *group_match(const struct flow_group *group, const struct match_fields *fields);
/* Once the criteria are set. */
void group_prepare(struct flow_group *group);
/* Takes in an entry, whose index and value are set. 0, or -1: no memory. */
int group_add(struct flow_group *group, struct fte *fte);
void group_remove(struct fte *fte);
void group_destroy(struct flow_group *group);	/* with its entries */
uint64_t definer_formats(void); /* as match_definer_format_supported */

#endif
