/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * port: the vport with its addresses and counters, the registers of ACCESS_REGISTER, LAG, and the
 * embedded switch of a card with virtual functions.
 *
 * The engines above count in the vport and read what the driver has set there; LAG tells them the
 * port by which a frame is sent.
 */
#ifndef CXEMU_PORT_H
#define CXEMU_PORT_H

#include "func/func.h"
#include "wire/wire.h"

extern const struct cmd_desc cmds_vport[], cmds_register[], cmds_lag[], cmds_eswitch[];

/* Limits that the capabilities advertise and the commands enforce. */
#define ETH_LOG_MAX_UC_LIST 7	/* after a reset */
#define ETH_LOG_MOST_UC_LIST 10	/* as a driver can set it */
#define ETH_LOG_MAX_MC_LIST 11
#define ETH_LOG_MAX_VLAN_LIST 12
#define ETH_MAX_MTU 10000 /* port MTU, FCS included */

/* -1 and refused: the command names another vport. */
#define other_vport(c, in)							\
	({									\
		typeof(in) own_in_ = (in);					\
		struct cmd *own_c_ = (c);					\
										\
		is_set(own_c_, own_in_, other_vport, "but there is only one vport") ||	\
			is_set(own_c_, own_in_, vport_number, "but there is only one vport");	\
	})

/* ---- the table of a card that serves several hosts: l2.c ---- */

#define L2_LOG_MAX 6

extern const struct cmd_desc cmds_l2[];

/* Is the frame for this host? */
bool l2_passes(struct cxdev *dev, const struct frame *frame);
bool l2_has(const struct cxdev *dev, const uint8_t *mac);	/* or there is no table */
/* Is a frame from the wire for this host? Counts those that are not. */
bool l2_admits(struct cxdev *dev, const struct frame *frame);

/* ---- the vport: vport.c ---- */

struct traffic {
	uint64_t packets, bytes;
};

struct eth_counters {
	struct traffic rx_unicast, rx_multicast, rx_broadcast;
	struct traffic tx_unicast, tx_multicast, tx_broadcast;
	struct traffic rx_errors, tx_errors;
	struct traffic rx_oversize;
	uint64_t rx_other_host, rx_no_rule, rx_no_buffer, rx_queue_off;
	uint64_t rx_loopback_blocked;
	uint64_t rx_strides, tx_several; /* packets in strides, and of WQEs of several */
};

/* Vport counters of RDMA traffic, for QUERY_VPORT_COUNTER and `status`. */
struct rdma_counters {
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes, tx_mcast_packets, tx_mcast_bytes,
		rx_mcast_packets, rx_mcast_bytes;
	uint64_t direct;	/* of tx_packets: without a frame, for `status` only */
	uint64_t rx_icrc_errors, rx_dropped, rx_bad_qkeys;
	uint64_t rx_ecn_marked, tx_cnp, rx_cnp, rx_cnp_ignored;
};

struct address_list {
	uint32_t count;
	uint64_t *entries; /* MACs, or VLAN ids */
};

enum address_list_type { LIST_UC, LIST_MC, LIST_VLAN, LIST_TYPES };

struct flow_table;

/* ---- the receive buffers of the port: buffers.c; sizes in cells ---- */

#define PORT_BUFFERS 10
#define PORT_POOLS 4

struct receive_buffer {
	bool lossy;
	uint16_t size, xoff, xon;
};

struct pool {
	bool infinite;
	uint32_t size;
	uint8_t mode;
};

/* What a buffer may take of its pool. */
struct pool_user {
	bool exc, infinite;
	uint32_t min, max;
	uint8_t pool;
};

struct port_buffers {
	bool software;		/* a driver has sized them */
	uint16_t xoff_timer, xoff_refresh;
	struct receive_buffer buffer[PORT_BUFFERS];
	uint8_t prio_buffer[PRIORITIES];
	struct pool pool[2][PORT_POOLS];
	struct pool_user user[2][PORT_BUFFERS];
};

/* Flow control, traffic classes and buffers as a card has them before a driver runs. */
void port_buffers_reset(struct cxdev *dev);

/* Speeds for which PPLM selects a forward error correction. */
enum fec_speed {
	FEC_10G_40G, FEC_25G, FEC_50G, FEC_100G, FEC_50G_1X, FEC_100G_2X, FEC_SPEEDS
};

/* PTYS and PPLM: what a driver has selected, and what is up. */
struct port_link {
	uint32_t admin, oper;
	bool ext, oper_ext;	/* their numbering */
	bool an_disable;
	uint16_t fec_admin[FEC_SPEEDS], fec_oper[FEC_SPEEDS];
};

/* What the flow tables of RoCE packets say of one. */
enum rdma_fate {
	RDMA_PASSES,
	RDMA_DROPPED,
	RDMA_IS_ETHERNET,	/* it goes the way of all other packets */
};

#define VXLAN_PORTS 4
#define PP_RATES 128	/* of packet pacing, with the one that limits nothing */
#define PP_MIN_KBPS 1
#define PP_MAX_KBPS 100000000

struct pp_rate {
	uint32_t kbps;	/* 0: not set */
	uint32_t burst;	/* bytes */
	uint16_t uid;	/* of the command that set it */
};

/* Settings and counters of vport and port. */
struct eth_state {
	uint8_t mac[6];
	uint16_t mtu;
	uint8_t min_inline;
	bool promisc_uc, promisc_mc, promisc_all;
	bool block_uc, block_mc; /* disable_uc_local_lb, disable_mc_local_lb */
	struct l2_entry { bool used; uint8_t mac[6]; } l2[1 << L2_LOG_MAX];
	uint8_t change_events;	 /* event_on_... bits, as written */
	bool change_armed;
	struct address_list lists[LIST_TYPES];

	uint16_t vxlan_ports[VXLAN_PORTS];	/* that the driver has told; 0: none */
	struct pp_rate rates[PP_RATES];

	struct flow_table *rx_root, *port_root; /* NIC_RX, PORT_SEL */
	struct flow_table *rdma_rx_root, *rdma_tx_root;
	struct flow_table *fdb_root; /* FDB, of a function that manages the e-switch */
	/* Where this FDB sends a frame of vport @source: ESWITCH_VPORT bits. NULL: no root ever */
	uint32_t (*fdb_steer)(struct cxdev *dev, unsigned int source, const struct frame *frame);
	/* Whether an ACL lets it pass. NULL: no root ever */
	bool (*acl_steer)(struct cxdev *dev, struct flow_table *acl, const struct frame *frame);
	/* Takes a RoCE packet through the tables of type RDMA_RX or RDMA_TX. NULL: no root ever */
	enum rdma_fate (*rdma_steer)(struct cxdev *dev, unsigned int table_type,
				     const struct frame *frame, uint8_t bth_opcode);
	struct eth_counters counters;
	struct rdma_counters rdma;

	uint16_t port_mtu;
	uint16_t old_mtu;	/* the largest of MTU_GRACE_NS before mtu_cut_ns */
	uint64_t mtu_cut_ns;	/* when it became smaller */
	struct port_buffers buffers;
	uint8_t dcbx_version;
	bool dcbx_willing;
	struct port_link link;
	uint8_t node_desc[64];
	uint16_t beacon;	/* the LED blinks for so long; 0: it does not */
};

/* Of PMTU, within the limits of the register. */
void port_set_mtu(struct cxdev *dev, uint16_t mtu);
/* May the port send and receive frames of @len bytes without FCS? */
bool port_mtu_fits(const struct cxdev *dev, uint32_t len);
/*
 * A frame of @len bytes without FCS is too long only because the MTU became smaller a moment ago:
 * queues of the operating system may still have had it.
 */
bool port_mtu_was_enough(const struct cxdev *dev, uint32_t len);
uint64_t mac_to_u64(const uint8_t *mac);
bool mac_is_unicast(const uint8_t *mac);
int eth_state_create(struct cxdev *dev);
void eth_state_reset(struct cxdev *dev);
/* TEARDOWN_HCA: vport and port stay as the driver leaves them. */
void eth_state_stop(struct cxdev *dev);
/* Vport and port as they may be left by a driver that was killed; none is running. */
void eth_state_leave(struct cxdev *dev);
void eth_state_destroy(struct cxdev *dev);
void eth_status(struct cxdev *dev, FILE *out);
void eth_json(const struct cxdev *dev, struct json_object *to);

/* ---- counters: counters.c ---- */

#define PORT_NUMBER 1 /* of the only port of a function */

/* -1 and refused: the register names another port. */
#define bad_port(c, in)                                                                \
	({                                                                             \
		unsigned int port_ = prm_get(in, local_port);                          \
	\
		port_ == PORT_NUMBER ? 0 :                                                    \
				refuse(c, PRM_STATUS_BAD_PARAM,                        \
				       "local_port %u: there is only port 1", port_); \
	})

/* A register. Input and output of the callbacks have its size; NULL: it cannot be read, written. */
struct reg {
	uint16_t id;
	const char *name;
	uint32_t size;
	int (*read)(struct cmd *c, const void *in, void *out);
	int (*write)(struct cmd *c, const void *in, void *out);
};

/* link.c */
int ptys_read(struct cmd *c, const void *reg_in, void *reg_out);
int ptys_write(struct cmd *c, const void *reg_in, void *reg_out);
int pddr_read(struct cmd *c, const void *reg_in, void *reg_out);
void port_link_reset(struct cxdev *dev);
void port_link_starts(struct cxdev *dev); /* it comes up with what was selected */
/* Of the protocol that was up last; FEC_SPEEDS: it needs none. */
enum fec_speed port_link_fec_speed(const struct cxdev *dev);

/* fec.c */
/* mend of struct port_ops */
bool port_mend(struct cxdev *dev, const struct frame *frame, struct port_errors *errors);
int pplm_read(struct cmd *c, const void *reg_in, void *reg_out);
int pplm_write(struct cmd *c, const void *reg_in, void *reg_out);

extern const struct reg regs_dcb[], regs_buffers[], regs_module[];

#define PORT_MODULE 0 /* number of the module in the port's cage */

/* -1 and declined: what belongs to the owner of the port, or of the host, a PF. */
int check_owner(struct cmd *c, const char *reg);
int check_dcb(struct cmd *c, const char *reg); /* and what only cards with DCB have */

int ppcnt_read(struct cmd *c, const void *reg_in, void *reg_out); /* register PPCNT */
bool has_phys_statistical(const struct cxdev *dev);		  /* that group of it */

/* Sets a 64-bit counter whose halves are separate fields. */
#define PUT64(p, field, v)                                 \
	do {                                               \
		typeof(p) p_ = (p);                        \
		uint64_t v_ = (v);                         \
	\
		prm_set(p_, field##_high, v_ >> 32);       \
		prm_set(p_, field##_low, v_ & 0xffffffff); \
	} while (0)

/* ---- LAG: lag.c ---- */

#define LAG_PORTS 2

/*
 * The ports of one card, and their LAG. A LAG belongs to the function of port 1: its RDMA engine
 * sends through both ports, and with a vport LAG it is first to receive what arrives at the other
 * port: RoCE packets by its RDMA engine, others by its flow tables, where a demux table gives them
 * back. All else goes to the function whose port it arrives at.
 */
struct adapter {
	struct cxdev *dev[LAG_PORTS]; /* by port; NULL: destroyed */
	bool active;
	bool vport;		 /* there is a vport LAG */
	unsigned int demux;	 /* flow tables of kind LAG demux */
	bool hash;		 /* flow tables select the port, and there is no map */
	/* of hash mode: the port (from 1) that the tables of @dev select for the frame; 0: none */
	unsigned int (*select)(const struct cxdev *dev, const struct frame *frame);
	uint8_t active_ports;	 /* of hash mode: bits of ports that an affinity can select */
	uint8_t map[LAG_PORTS]; /* physical port (from 1) of affinity 1, 2 */
};

/* @devs become the ports of one card, in this order. 0 or -ENOMEM. */
int adapter_join(struct cxdev **devs);
void adapter_leave(struct cxdev *dev); /* the function is destroyed */
/* On reset or TEARDOWN_HCA: destroys the LAG of the function. */
void lag_reset(struct cxdev *dev);
unsigned int lag_report_leak(struct cxdev *dev); /* 1 if there is a LAG, else 0 */
bool lag_advertised(const struct cxdev *dev);
bool port_select_advertised(const struct cxdev *dev);
unsigned int lag_port_of_vhca(const struct cxdev *dev, unsigned int vhca_id); /* 0: none */
/* 0, or refused: @affinity is not a port of the card. */
int lag_check_affinity(struct cmd *c, unsigned int affinity);
bool lag_exists(const struct cxdev *dev);
bool lag_hashes(const struct cxdev *dev);	/* there is a LAG, in hash mode */
/*
 * The port by which a frame of this function is sent; affinity 0: the function's own port, or in
 * hash mode the one that the flow tables select. Both are mapped. @frame is used in hash mode only.
 */
struct port *lag_tx_port(const struct cxdev *dev, unsigned int affinity, const struct frame *frame);
/* The same without the map: a given affinity is the port. */
struct port *lag_strict_port(const struct cxdev *dev, unsigned int affinity);
/* The function whose RDMA engine and flow tables are first for what the port of @dev receives. */
struct cxdev *lag_first_dev(struct cxdev *dev);
void lag_status(const struct cxdev *dev, FILE *out);
void lag_json(const struct cxdev *dev, struct json_object *to);

/* ---- the embedded switch of a PF and its VFs: eswitch.c ---- */

/* What the administrator has set for a VF, and what was dropped because of it. */
struct vf {
	uint8_t mac[6];		/* zeros: none */
	uint16_t vlan;		/* 0: none; its frames have this tag in the switch */
	uint8_t priority;	/* in that tag */
	uint8_t cvlan_insert;	/* PRM_CVLAN_INSERT_..., of a managed switch */
	bool cvlan_strip;	/* the same */
	bool trusted;		/* may be promiscuous */
	bool spoofchk;		/* sends with its MAC only */
	uint32_t rate;		/* Mb/s, 0: no limit */
	uint64_t spoofed, tagged, other_vlan;
	uint64_t denied;	/* by the ACLs of a managed switch */
};

/* Bit of a vport by its number, or PRM_VPORT_NUM_UPLINK */
#define ESWITCH_VPORT(number) (1u << ((number) == PRM_VPORT_NUM_UPLINK ? 31 : (number)))

/*
 * Unicast goes to the function that has the address in its list of the vport context, multicast to
 * those that have it, broadcast to all, and all but the first to the wire, too. Unknown unicast
 * goes to the wire, or, if it comes from there, to functions that are promiscuous. 0 or -ENOMEM.
 */
int eswitch_create(struct cxdev *pf);
/*
 * The driver of the PF is the manager: it sets vports, and the FDB says who gets what. What no
 * entry says goes to the wire, and is dropped if it comes from there. Without an FDB the PF has
 * the wire alone.
 */
void eswitch_manage(struct cxdev *pf);
bool eswitch_manager(const struct cxdev *dev);
struct cxdev *eswitch_managed_by(const struct cxdev *dev);	/* NULL: nobody, or it is gone */
struct cxdev *eswitch_vport(const struct cxdev *dev, unsigned int number); /* NULL: none */
unsigned int eswitch_vports(const struct cxdev *dev);
/* The root of what a vport may send into the switch, or (@egress) get from it; NULL there: all */
struct flow_table **eswitch_acl(struct cxdev *dev, unsigned int vport, bool egress);
/* TEARDOWN_HCA, or a reset: what the manager set in vports is gone. No effect for others */
void eswitch_stop(struct cxdev *dev);
/* @dev becomes the next VF of the PF's card, of at most VFS_MAX. */
void eswitch_add(struct cxdev *pf, struct cxdev *dev);
void eswitch_leave(struct cxdev *dev); /* the function is destroyed */
/* The PF and its VFs, without those that are destroyed. */
void eswitch_for_each(struct cxdev *dev, void (*fn)(struct cxdev *dev));
struct cxdev *eswitch_first(struct cxdev *dev);
struct vf *eswitch_vf(const struct cxdev *dev); /* NULL: it is no VF of a card */
/* The MAC that the administrator, or for a PF the card, gives to the vport; zeros: none */
const uint8_t *eswitch_mac(const struct cxdev *dev);
void eswitch_status(const struct cxdev *dev, FILE *out);
void eswitch_json(const struct cxdev *dev, struct json_object *to);
/*
 * The function whose vport a command names. It is the caller's, but for the manager of an e-switch,
 * who may say other_vport. NULL: refused.
 */
#define cmd_vport(c, in)									\
	({											\
		struct cmd *cmd_ = (c);								\
												\
		eswitch_manager(cmd_->dev) ?							\
			cmd_vport_named(cmd_, prm_get(in, other_vport),				\
					prm_get(in, vport_number)) :				\
			other_vport(cmd_, in) ? NULL : cmd_->dev;				\
	})
/* Of the manager */
struct cxdev *cmd_vport_named(struct cmd *c, bool other, unsigned int number);
/* PRM_VPORT_VNIC, or of the manager PRM_VPORT_ESW: 0. Others: -1, refused */
int cmd_vport_op_mod(struct cmd *c);

/* Bits of event_on_..., as nic_vport_context has them */
#define VPORT_MTU	(1u << 0)
#define VPORT_PROMISC	(1u << 1)
#define VPORT_VLANS	(1u << 2)
#define VPORT_MC	(1u << 3)
#define VPORT_UC	(1u << 4)
/* Its driver has changed this of the vport: tells the manager of the e-switch, if that asked. */
void vport_changed(struct cxdev *dev, unsigned int what);
/* What the administrator calls the states of a VF's link, by enum port_follow. */
#define ESWITCH_LINKS (PORT_DOWN + 1)
extern const char *const eswitch_links[ESWITCH_LINKS];

#endif
