/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Counters of the physical port (PPCNT): of all functions that share it, RoCE included.
 * Monitoring tools depend on the names, which are those of mlx5.
 */
#ifndef CXR_CODEC_PHY_COUNTER_H
#define CXR_CODEC_PHY_COUNTER_H

#include <linux/types.h>
#include "prm/port.h"

enum cxr_phy_group {
	CXR_PHY_802_3,
	CXR_PHY_2863,
	CXR_PHY_2819,
	CXR_PHY_LAYER,
	CXR_PHY_STATISTICAL,	/* if cxr_fec_support.counts */
	CXR_PHY_GROUPS
};

/* By group: X(name, field). In ethtool -S "_phy" is appended to the name. */
#define CXR_PHY_802_3_LIST(X)						\
	X(tx_packets, a_frames_transmitted_ok)				\
	X(rx_packets, a_frames_received_ok)				\
	X(rx_crc_errors, a_frame_check_sequence_errors)			\
	X(tx_bytes, a_octets_transmitted_ok)				\
	X(rx_bytes, a_octets_received_ok)				\
	X(tx_multicast, a_multicast_frames_xmitted_ok)			\
	X(tx_broadcast, a_broadcast_frames_xmitted_ok)			\
	X(rx_multicast, a_multicast_frames_received_ok)			\
	X(rx_broadcast, a_broadcast_frames_received_ok)			\
	X(rx_in_range_len_errors, a_in_range_length_errors)		\
	X(rx_out_of_range_len, a_out_of_range_length_field)		\
	X(rx_oversize_pkts, a_frame_too_long_errors)			\
	X(rx_symbol_err, a_symbol_error_during_carrier)			\
	X(tx_mac_control, a_mac_control_frames_transmitted)		\
	X(rx_mac_control, a_mac_control_frames_received)		\
	X(rx_unsupported_op, a_unsupported_opcodes_received)		\
	X(rx_pause_ctrl, a_pause_mac_ctrl_frames_received)		\
	X(tx_pause_ctrl, a_pause_mac_ctrl_frames_transmitted)

#define CXR_PHY_2863_LIST(X)						\
	X(rx_discards, if_in_discards)					\
	X(tx_discards, if_out_discards)					\
	X(tx_errors, if_out_errors)

/* cxr_en shows the ten sizes as one histogram, so they stay together and in this order. */
#define CXR_PHY_2819_LIST(X)						\
	X(rx_undersize_pkts, ether_stats_undersize_pkts)		\
	X(rx_fragments, ether_stats_fragments)				\
	X(rx_jabbers, ether_stats_jabbers)				\
	X(rx_64_bytes, ether_stats_pkts64octets)			\
	X(rx_65_to_127_bytes, ether_stats_pkts65to127octets)		\
	X(rx_128_to_255_bytes, ether_stats_pkts128to255octets)		\
	X(rx_256_to_511_bytes, ether_stats_pkts256to511octets)		\
	X(rx_512_to_1023_bytes, ether_stats_pkts512to1023octets)	\
	X(rx_1024_to_1518_bytes, ether_stats_pkts1024to1518octets)	\
	X(rx_1519_to_2047_bytes, ether_stats_pkts1519to2047octets)	\
	X(rx_2048_to_4095_bytes, ether_stats_pkts2048to4095octets)	\
	X(rx_4096_to_8191_bytes, ether_stats_pkts4096to8191octets)	\
	X(rx_8192_to_10239_bytes, ether_stats_pkts8192to10239octets)

/* Of 32 bits, all others have 64. */
#define CXR_PHY_LAYER_LIST(X)						\
	X(link_down_events, link_down_events)

#define CXR_PHY_STATISTICAL_LIST(X)					\
	X(rx_pcs_symbol_err, phy_symbol_errors)				\
	X(rx_corrected_bits, phy_corrected_bits)

/* Not in ethtool -S, but in the statistics of the interface. */
#define CXR_PHY_HIDDEN_LIST(X)						\
	X(rx_alignment_errors, a_alignment_errors)

#define CXR_PHY_NUMBER(name, field) CXR_PHY_##name,
enum cxr_phy_counter {
	CXR_PHY_802_3_LIST(CXR_PHY_NUMBER)
	CXR_PHY_2863_LIST(CXR_PHY_NUMBER)
	CXR_PHY_2819_LIST(CXR_PHY_NUMBER)
	CXR_PHY_LAYER_LIST(CXR_PHY_NUMBER)
	CXR_PHY_STATISTICAL_LIST(CXR_PHY_NUMBER)
	CXR_PHY_HIDDEN_LIST(CXR_PHY_NUMBER)
	CXR_PHY_COUNTERS,
	CXR_PHY_SHOWN = CXR_PHY_rx_alignment_errors,	/* number of those in ethtool -S */
	CXR_PHY_ALWAYS = CXR_PHY_rx_pcs_symbol_err,	/* number of those that each device has */
};

/*
 * Of a priority, of 64 bits: X(direction, name, field), those of pauses last. ethtool -S shows them
 * as <direction>_prio<N>_<name>. Storms are those of the port, to be read from priority 0, and
 * shown as <direction>_<name>.
 */
#define CXR_PRIO_LIST(X)						\
	X(rx, bytes, rx_octets)						\
	X(rx, packets, rx_frames)					\
	X(rx, discards, rx_discards)					\
	X(tx, bytes, tx_octets)						\
	X(tx, packets, tx_frames)					\
	X(rx, pause, rx_pause)						\
	X(rx, pause_duration, rx_pause_duration)			\
	X(tx, pause, tx_pause)						\
	X(tx, pause_duration, tx_pause_duration)			\
	X(rx, pause_transition, rx_pause_transition)			\
	X(tx, pause_storm_warning_events, device_stall_minor_watermark_cnt)	\
	X(tx, pause_storm_error_events, device_stall_critical_watermark_cnt)

#define CXR_PRIO_NUMBER(dir, name, field) CXR_PRIO_##dir##_##name,
enum cxr_prio_counter {
	CXR_PRIO_LIST(CXR_PRIO_NUMBER)
	CXR_PRIO_COUNTERS,
	CXR_PRIO_TRAFFIC = CXR_PRIO_rx_pause,	/* number of those that do not count pauses */
	CXR_PRIO_OWN = CXR_PRIO_tx_pause_storm_warning_events,	/* number without storms */
};

/* Of a traffic class: X(name, group, field). ethtool -S shows them as rx_prio<class>_<name>. */
#define CXR_TC_LIST(X)							\
	X(buf_discard, PRM_PPCNT_PER_TC, eth_per_tc_prio_grp_data_layout, no_buffer_discard_uc) \
	X(cong_discard, PRM_PPCNT_PER_TC_CONGESTION, eth_per_tc_congest_prio_grp_data_layout,	\
	  wred_discard)								\
	X(marked, PRM_PPCNT_PER_TC_CONGESTION, eth_per_tc_congest_prio_grp_data_layout,	\
	  ecn_marked_tc)

#define CXR_TC_NUMBER(name, group, set, field) CXR_TC_##name,
enum cxr_tc_counter {
	CXR_TC_LIST(CXR_TC_NUMBER)
	CXR_TC_COUNTERS
};

const char *cxr_tc_counter_name(enum cxr_tc_counter counter);
/* Those of @group, PRM_PPCNT_PER_TC or PRM_PPCNT_PER_TC_CONGESTION. */
void cxr_tc_counters_decode(u8 group, const struct prm_ppcnt_reg *reg, u64 *values);

/* "rx" or "tx", and the rest of the name. */
const char *cxr_prio_counter_name(enum cxr_prio_counter counter, const char **direction);
void cxr_prio_counters_decode(const struct prm_ppcnt_reg *reg, u64 *values);

const char *cxr_phy_counter_name(enum cxr_phy_counter counter);
/* ppcnt_reg.grp */
u8 cxr_phy_group_number(enum cxr_phy_group group);
/* Fills the part of @group of @values[CXR_PHY_COUNTERS]. */
void cxr_phy_counters_decode(enum cxr_phy_group group, const struct prm_ppcnt_reg *reg,
			     u64 *values);

#endif
