/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Capabilities of the device, decoded from QUERY_HCA_CAP. */
#ifndef CXR_CODEC_CAPS_H
#define CXR_CODEC_CAPS_H

#include <linux/types.h>
#include "prm/caps.h"
#include "devx.h"
#include "flow.h"
#include "../policy/dc.h"
#include "../policy/mode.h"
#include "../policy/rate.h"

/* Addresses of a port that the driver has tables for. */
#define CXR_MACS_MAX	1024

/* Requests whose memory may be missing. */
#define CXR_ODP_SEND		0x01
#define CXR_ODP_RECV		0x02
#define CXR_ODP_WRITE		0x04
#define CXR_ODP_READ		0x08
#define CXR_ODP_ATOMIC		0x10
#define CXR_ODP_SRQ_RECV	0x20

struct cxr_caps {
	u8 num_ports;
	bool eth;			/* port_type is Ethernet */
	u8 log_max_qp, log_max_qp_sz, log_max_cq, log_max_cq_sz, log_max_eq, log_max_eq_sz;
	u8 log_max_srq, log_max_srq_sz;
	bool qos;			/* @rates and @rate_uid are valid */
	struct cxr_rate_limits rates;
	bool rate_uid;			/* a rate can be of a user context */
	u8 log_max_uctx;		/* 0: no user contexts */
	u32 uctx_cap;
	bool dct;			/* DC transport, */
	bool lag_dct;			/* also in a LAG; then: */
	bool ece;			/* extensions of a connection can be asked for */
	bool dc_scatter_32;		/* data in CQEs of 64 bytes of an initiator */
	struct cxr_dc_streams dc_streams;	/* no channels: no streams */
	u8 log_max_ra_res_dc;
	u8 dc_atomic_mode;		/* of a target; 0: no atomics */
	bool event_cap;			/* @user_events are valid */
	struct cxr_devx_events user_events;
	u8 log_max_pd, log_max_mkey, log_max_msg, log_max_ra_req_qp, log_max_ra_res_qp;
	u8 log_max_xrcd, log_max_mcg, log_pg_sz;
	u16 max_wqe_sz_sq, max_wqe_sz_rq;	/* bytes */
	u16 max_sgl_for_optimized_performance;
	u16 max_qp_mcg;
	u8 cqe_version;			/* 0 or 1, though the device may know more */
	bool uar_4k;
	u8 log_bf_reg_size;		/* 0: no BlueFlame */
	bool bf;
	bool atomic;			/* 8 bytes, result in host order */
	bool xrc, rc, uc, ud;
	u16 static_rates;		/* a bit for each number: cxr_path_static_rate() */
	bool bad_pkey_counter, bad_qkey_counter;
	bool block_lb_mc;		/* a QP can exclude multicast of its own function */
	bool cq_moderation, cq_oi, cq_resize;
	bool apu;			/* CQs may have their events elsewhere */
	/* one CQE for several, of 64 and of 128 bytes; with the index of a stride */
	bool cqe_zip, cqe_zip_128, cqe_zip_stride;
	bool striding_rq, few_strides;	/* WQEs of several packets; also of less than 2^9 strides */
	u16 cqe_zip_max;		/* at most so many */
	bool cqe_padding;		/* a CQE of 64 bytes takes up 128 */
	bool scatter_to_cqe;
	bool umr_extended_translation_offset, umr_modify_entity_size_disabled;
	bool umr_modify_atomic_disabled;
	bool fixed_buffer_size;
	bool imaicl;			/* mkeys that refer to parts of mkeys: memory windows */
	u8 log_max_klm_list_size;	/* up to what a UMR WQE can say */
	u8 umr_fence;			/* enum prm_umr_fence: what a UMR WQE must wait for */
	u16 pkey_table_size;		/* entries */
	u8 local_ca_ack_delay;		/* 4.096 us * 2^n */
	u32 device_frequency_khz;
	/* Completions can be stamped with the free-running clock; if not, by default (mlx5_ib). */
	bool sq_free_running, rq_free_running, qp_free_running;
	bool uplink_follow;		/* and the function manages the e-switch */
	bool terminate_lkey;		/* it is that of QUERY_SPECIAL_CONTEXTS */
	u8 log_max_current_mc_list, log_max_current_uc_list, log_max_vlan_list;
	u32 l2_entries;			/* of the MPFS, if this function writes it; 0: none */
	bool eth_net_offloads, nic_flow_table;
	/* counters, in groups */
	bool vport_counters;
	u32 vnic_counters;		/* of QUERY_VNIC_ENV, a bit for each (counter.h) */
	u16 num_q_counters;		/* counter sets; 0: no queue counters */
	bool rts2rts_counter_set;	/* the counter set of a QP can change in RTS */
	bool rts2rts_dscp;		/* and so can its DSCP */
	bool out_of_seq_cnt, retransmission_q_counters, enhanced_error_q_counters, roce_accl;
	bool cc_query_allowed;
	bool cc_params;			/* congestion control can be set */
	bool cc_general;		/* also what is not of DCQCN */
	bool pcam_reg;
	bool eswitch_manager;		/* the e-switch has no rules but those of this function */
	bool fdb;			/* it can: tables of the FDB, with what cxr matches there */
	u8 fdb_log_max_size;
	bool vport_acl;			/* what a VF may send and get can be restricted */
	bool acl_counters;		/* and what is dropped is counted */
	bool vport_vlan, vport_guid;	/* of VFs can be set */
	bool vf_caps;			/* the function may set capabilities of its VFs */
	bool port_owner;		/* the function may change settings of the port */
	bool dcb;			/* among them traffic classes; then, with some firmware: */
	bool ets, dcbx, sbcam_reg;
	bool stall_detect;		/* of a function that takes no packets */
	bool beacon_led;		/* an LED can tell which port this is */
	bool qcam_reg;
	u8 n_tcs;			/* traffic classes, 1.. */
	/* Ethernet offloads */
	bool csum, vlan, lso, rss, self_lb_en_modifiable;
	bool mpw, enhanced_mpw;		/* send WQEs of several packets: of one length, of any */
	u32 max_lso;			/* bytes */
	u8 wqe_inline_mode;		/* 0: L2 needed, 1: see the vport context, 2: none needed */
	u16 rss_ind_tbl_max;		/* entries */
	/* tunnels, in which the device segments and computes checksums; IP in IP also verifies */
	bool tunnel_vxlan, tunnel_gre, tunnel_ip, tunnel_ip_rx;
	bool tunnel_geneve_rx, tunnel_mpls_gre, tunnel_mpls_udp;	/* user space only */
	u8 vxlan_ports;			/* UDP ports that can be those of VXLAN */
	u8 log_max_rq, log_max_sq, log_max_tir, log_max_tis, log_max_rqt, log_max_rqt_size;
	u8 log_max_wq_sz;		/* of SQs and RQs */
	/* flow tables, NIC receive side */
	u8 ft_log_max_size, ft_max_level;
	bool flow_rules;		/* tables can be inserted and removed at run time */
	bool ft_counters;		/* entries can count */
	bool ft_inner;			/* IP version and protocol in a tunnel can be matched */
	struct cxr_flow_fields ft_match;	/* bits that can be matched */
	/* flow tables of RoCE packets that count: those marked as congested, and CNPs */
	bool count_rx_ce, count_rx_cnp, count_tx_cnp;
	bool lag;			/* LAG of two ports, with port affinity of queues */
	bool lag_hash;			/* hash mode, with QPs that bypass it */
	bool lag_affinity_rtr;		/* the affinity of a QP can be set by INIT2RTR */
	u16 vhca_id;
	/* event queues that the function can have: what the newest of three fields says */
	u32 max_eqs;
	bool page_requests;		/* the device requests pages by events */
	u8 native_port;			/* number of the port on the card, 1.. */
	u8 num_vhca_ports;		/* 0: there is one, which is not named */
	/* memory of the device in BAR 0, which processes can allocate; size 0: none */
	u64 memic_start;
	u32 memic_size;
	u32 memic_max;			/* bytes at once */
	u8 memic_log_align;		/* of multiples of 64 bytes */
	u32 memic_ops;			/* a bit for each operation */
	bool odp;			/* on-demand paging; then: */
	bool odp_memory;		/* by the memory scheme, not the transport scheme, */
	bool odp_implicit;		/* a key for all of a process can be made, */
	u32 null_key;			/* of parts without a key; by QUERY_SPECIAL_CONTEXTS */
	u8 odp_rc, odp_ud, odp_xrc;	/* what may fault: sets of CXR_ODP_* */
	u8 max_indirection;		/* keys that refer to keys that refer to keys ... */
	bool vport_lb_uc, vport_lb_mc;	/* loopback of the vport can be switched off */
	/* RoCE */
	struct cxr_roce_support roce;
	u16 roce_addresses;
	u16 udp_dport, udp_sport_min, udp_sport_max;
};

/*
 * Received packets can be steered and hashed by what is in a tunnel, and TIRs look into it. The
 * in-tree driver has no such TIRs without the former.
 */
static inline bool cxr_caps_inner(const struct cxr_caps *caps)
{
	return caps->ft_inner && (caps->tunnel_gre || caps->tunnel_ip_rx);
}

void cxr_caps_decode_hca(const struct prm_cmd_hca_cap *cap, struct cxr_caps *caps);
/* The second page of general capabilities. */
void cxr_caps_decode_hca_2(const struct prm_cmd_hca_cap_2 *cap, struct cxr_caps *caps);
void cxr_caps_decode_eth(const struct prm_per_protocol_networking_offload_caps *cap,
			 struct cxr_caps *caps);
void cxr_caps_decode_events(const struct prm_device_event_cap *cap, struct cxr_caps *caps);
void cxr_caps_decode_qos(const struct prm_qos_cap *cap, struct cxr_caps *caps);
/* Of a device with caps->odp. */
void cxr_caps_decode_odp(const struct prm_odp_cap *cap, struct cxr_caps *caps);
void cxr_caps_decode_memic(const struct prm_device_mem_cap *cap, struct cxr_caps *caps);
/* Can the range be one of memory: in a BAR of @bar bytes, behind the registers? */
bool cxr_caps_memic_within(u64 start, u64 len, u64 bar);
/* What the device says of its memory, for pages of @page bytes. If it is wrong, it has none. */
bool cxr_caps_check_memic(struct cxr_caps *caps, u64 bar, u32 page);
void cxr_caps_decode_flow(const struct prm_flow_table_nic_cap *cap, struct cxr_caps *caps);
/* Sets caps->atomic if they are as described there, and caps->dc_atomic_mode. */
void cxr_caps_decode_atomic(const struct prm_atomic_caps *cap, struct cxr_caps *caps);
/* Sets caps->lag_hash if the flow tables are sufficient. */
void cxr_caps_decode_port_selection(const struct prm_port_selection_cap *cap,
				    struct cxr_caps *caps);
void cxr_caps_decode_roce(const struct prm_roce_cap *cap, struct cxr_caps *caps);
/* Of a function that manages the e-switch */
void cxr_caps_decode_fdb(const struct prm_flow_table_eswitch_cap *cap, struct cxr_caps *caps);
void cxr_caps_decode_eswitch(const struct prm_e_switch_cap *cap, struct cxr_caps *caps);
/* Unusable values, such as shift counts out of range: -EPROTO and *why. */
int cxr_caps_check(const struct cxr_caps *caps, const char **why);
/*
 * The first capability that a netdev cannot do without, and that is missing or too small; NULL: all
 * are there. @log_ring: of its smallest queue; @level, @log_table: of its flow tables.
 */
const char *cxr_caps_missing_eth(const struct cxr_caps *caps, u8 log_ring, u8 level, u8 log_table);

#endif
