/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* ACCESS_REGISTER and the port registers that go through it. */
#ifndef CXR_PRM_PORT_H
#define CXR_PRM_PORT_H

#include "prm.h"

/* access_register_in.op_mod, .register_id */
enum {
	PRM_ACCESS_REG_WRITE	= 0,
	PRM_ACCESS_REG_READ	= 1,
};

enum prm_reg {
	PRM_REG_PCAP			= 0x5001,
	PRM_REG_PMLP			= 0x5002,
	PRM_REG_PMTU			= 0x5003,
	PRM_REG_PTYS			= 0x5004,
	PRM_REG_PAOS			= 0x5006,
	PRM_REG_PFCC			= 0x5007,
	PRM_REG_PPCNT			= 0x5008,
	PRM_REG_PVLC			= 0x500f,
	PRM_REG_PPLM			= 0x5023,
	PRM_REG_PDDR			= 0x5031,
	PRM_REG_PCMR			= 0x5041,
	PRM_REG_PCAM			= 0x507f,
	PRM_REG_NODE_DESC		= 0x6001,
	PRM_REG_HOST_ENDIANNESS		= 0x7004,
	PRM_REG_MCIA			= 0x9014,
	PRM_REG_MLCR			= 0x902b,
	PRM_REG_MCAM			= 0x907f,
};

/* mcia_reg.status */
enum {
	PRM_MCIA_GOOD			= 0,
	PRM_MCIA_NO_EEPROM_MODULE	= 1,
	PRM_MCIA_MODULE_NOT_SUPPORTED	= 2,
	PRM_MCIA_MODULE_NOT_CONNECTED	= 3,
	PRM_MCIA_I2C_ERROR		= 9,
	PRM_MCIA_MODULE_DISABLED	= 0x10,
};

/* mcia_reg.size, without mcam_reg.mcia_32dwords */
#define PRM_MCIA_MAX	48

/* ptys_reg.proto_mask */
#define PRM_PTYS_IB	(1U << 0)
#define PRM_PTYS_ETH	(1U << 2)

/* ptys_reg.an_status */
enum prm_an_status {
	PRM_AN_COMPLETE	= 1,
};

/* Bits of pplm_reg.fec_*: forward error correction. */
enum prm_fec {
	PRM_FEC_NONE		= 0,
	PRM_FEC_FIRECODE	= 1,
	PRM_FEC_RS_528		= 2,
	PRM_FEC_RS_544		= 7,
	PRM_FEC_LLRS_272	= 9,
};

/* pddr_reg.page_select, and group_opcode of the troubleshooting page */
enum prm_pddr {
	PRM_PDDR_TROUBLESHOOTING	= 1,
	PRM_PDDR_MONITOR		= 0,
};

/* pddr_monitor_opcode.monitor_opcode: why the link is down. The tables of readers have more. */
enum prm_monitor {
	PRM_MONITOR_NO_ISSUE		= 0,
	PRM_MONITOR_CLOSED		= 1,	/* by a command */
	PRM_MONITOR_UNPLUGGED		= 1024,
};

/* ptys_reg.connector_type */
enum prm_connector {
	PRM_CONNECTOR_UNKNOWN	= 0,
	PRM_CONNECTOR_NONE	= 1,
	PRM_CONNECTOR_TP	= 2,
	PRM_CONNECTOR_AUI	= 3,
	PRM_CONNECTOR_BNC	= 4,
	PRM_CONNECTOR_MII	= 5,
	PRM_CONNECTOR_FIBRE	= 6,
	PRM_CONNECTOR_DA	= 7,
	PRM_CONNECTOR_OTHER	= 8,
	PRM_CONNECTORS		= 9,
};

/* paos_reg.admin_status and .oper_status */
enum {
	PRM_PORT_UP		= 1,
	PRM_PORT_DOWN		= 2,
	PRM_PORT_UP_ONCE	= 3,
	PRM_PORT_DISABLED	= 4,	/* by the system */
};

/* ppcnt_reg.grp */
enum {
	PRM_PPCNT_IEEE_802_3		= 0x00,
	PRM_PPCNT_RFC_2863		= 0x01,
	PRM_PPCNT_RFC_2819		= 0x02,
	PRM_PPCNT_RFC_3635		= 0x03,
	PRM_PPCNT_ETH_EXTENDED		= 0x05,
	PRM_PPCNT_PER_PRIORITY		= 0x10,
	PRM_PPCNT_PER_TC		= 0x11,
	PRM_PPCNT_PHYS_LAYER		= 0x12,
	PRM_PPCNT_PER_TC_CONGESTION	= 0x13,
	PRM_PPCNT_PHYS_STATISTICAL	= 0x16,
	PRM_PPCNT_IB			= 0x20,
};

/* ppcnt_reg.pnat: what local_port is a number of */
enum {
	PRM_PNAT_HOST	= 2,	/* of nothing: the port of the function (en_stats.c of the in-tree driver) */
};

/* HOST_ENDIANNESS: byte order of the host */
struct prm_host_endianness_reg_bits {
	u8 he[8];
	u8 rsvd_08[120];
};
PRM_LAYOUT(host_endianness_reg, 0x10);

/* NODE_DESC: text, not necessarily terminated */
struct prm_node_desc_reg_bits {
	u8 node_desc[512];
};
PRM_LAYOUT(node_desc_reg, 0x40);

struct prm_access_register_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[16];
	u8 register_id[16];
	u8 argument[32];
	/* tail: register_data */
};
PRM_LAYOUT(access_register_in, 0x10);

struct prm_access_register_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
	/* tail: register_data */
};
PRM_LAYOUT(access_register_out, 0x10);

struct prm_ptys_reg_bits {
	u8 rsvd_00[1];
	u8 an_disable_admin[1];
	u8 an_disable_cap[1];
	u8 rsvd_03[5];
	u8 local_port[8];
	u8 rsvd_10[8];
	u8 plane_ind[4];
	u8 rsvd_1c[1];
	u8 proto_mask[3];
	u8 an_status[4];
	u8 rsvd_24[12];
	u8 data_rate_oper[16];
	u8 ext_eth_proto_capability[32];
	u8 eth_proto_capability[32];
	u8 ib_link_width_capability[16];
	u8 ib_proto_capability[16];
	u8 ext_eth_proto_admin[32];
	u8 eth_proto_admin[32];
	u8 ib_link_width_admin[16];
	u8 ib_proto_admin[16];
	u8 ext_eth_proto_oper[32];
	u8 eth_proto_oper[32];
	u8 ib_link_width_oper[16];
	u8 ib_proto_oper[16];
	u8 rsvd_160[28];
	u8 connector_type[4];
	u8 eth_proto_lp_advertise[32];
	u8 rsvd_1a0[96];
};
PRM_LAYOUT(ptys_reg, 0x40);

struct prm_paos_reg_bits {
	u8 swid[8];
	u8 local_port[8];
	u8 rsvd_10[4];
	u8 admin_status[4];
	u8 rsvd_18[4];
	u8 oper_status[4];
	u8 ase[1];
	u8 ee[1];
	u8 rsvd_22[28];
	u8 e[2];
	u8 rsvd_40[64];
};
PRM_LAYOUT(paos_reg, 0x10);

struct prm_pmtu_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[16];
	u8 max_mtu[16];
	u8 rsvd_30[16];
	u8 admin_mtu[16];
	u8 rsvd_50[16];
	u8 oper_mtu[16];
	u8 rsvd_70[16];
};
PRM_LAYOUT(pmtu_reg, 0x10);

struct prm_pmlp_reg_bits {
	u8 rxtx[1];
	u8 rsvd_01[7];
	u8 local_port[8];
	u8 rsvd_10[8];
	u8 width[8];
	u8 lane0_module_mapping[32];
	u8 lane1_module_mapping[32];
	u8 lane2_module_mapping[32];
	u8 lane3_module_mapping[32];
	u8 rsvd_a0[352];
};
PRM_LAYOUT(pmlp_reg, 0x40);

struct prm_pplm_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[48];
	u8 port_profile_mode[8];
	u8 static_port_profile[8];
	u8 active_port_profile[8];
	u8 rsvd_58[8];
	u8 retransmission_active[8];
	u8 fec_mode_active[24];
	u8 rs_fec_correction_bypass_cap[4];
	u8 rsvd_84[8];
	u8 fec_override_cap_56g[4];
	u8 fec_override_cap_100g[4];
	u8 fec_override_cap_50g[4];
	u8 fec_override_cap_25g[4];
	u8 fec_override_cap_10g_40g[4];
	u8 rs_fec_correction_bypass_admin[4];
	u8 rsvd_a4[8];
	u8 fec_override_admin_56g[4];
	u8 fec_override_admin_100g[4];
	u8 fec_override_admin_50g[4];
	u8 fec_override_admin_25g[4];
	u8 fec_override_admin_10g_40g[4];
	u8 fec_override_cap_400g_8x[16];
	u8 fec_override_cap_200g_4x[16];
	u8 fec_override_cap_100g_2x[16];
	u8 fec_override_cap_50g_1x[16];
	u8 fec_override_admin_400g_8x[16];
	u8 fec_override_admin_200g_4x[16];
	u8 fec_override_admin_100g_2x[16];
	u8 fec_override_admin_50g_1x[16];
	u8 fec_override_cap_800g_8x[16];
	u8 fec_override_cap_400g_4x[16];
	u8 fec_override_cap_200g_2x[16];
	u8 fec_override_cap_100g_1x[16];
	u8 rsvd_180[160];
	u8 fec_override_admin_800g_8x[16];
	u8 fec_override_admin_400g_4x[16];
	u8 fec_override_admin_200g_2x[16];
	u8 fec_override_admin_100g_1x[16];
	u8 rsvd_260[32];
};
PRM_LAYOUT(pplm_reg, 0x50);

struct prm_pfcc_reg_bits {
	u8 rsvd_00[4];
	u8 buf_ownership[2];
	u8 rsvd_06[2];
	u8 local_port[8];
	u8 rsvd_10[11];
	u8 ppan_mask_n[1];
	u8 minor_stall_mask[1];
	u8 critical_stall_mask[1];
	u8 rsvd_1e[2];
	u8 ppan[4];
	u8 rsvd_24[4];
	u8 prio_mask_tx[8];
	u8 rsvd_30[8];
	u8 prio_mask_rx[8];
	u8 pptx[1];
	u8 aptx[1];
	u8 pptx_mask_n[1];
	u8 rsvd_43[5];
	u8 pfctx[8];
	u8 rsvd_50[16];
	u8 pprx[1];
	u8 aprx[1];
	u8 pprx_mask_n[1];
	u8 rsvd_63[5];
	u8 pfcrx[8];
	u8 rsvd_70[16];
	u8 device_stall_minor_watermark[16];
	u8 device_stall_critical_watermark[16];
	u8 rsvd_a0[96];
};
PRM_LAYOUT(pfcc_reg, 0x20);

struct prm_pvlc_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[44];
	u8 vl_hw_cap[4];
	u8 rsvd_40[28];
	u8 vl_admin[4];
	u8 rsvd_60[28];
	u8 vl_operational[4];
};
PRM_LAYOUT(pvlc_reg, 0x10);

struct prm_eth_802_3_cntrs_grp_data_layout_bits {
	u8 a_frames_transmitted_ok_high[32];
	u8 a_frames_transmitted_ok_low[32];
	u8 a_frames_received_ok_high[32];
	u8 a_frames_received_ok_low[32];
	u8 a_frame_check_sequence_errors_high[32];
	u8 a_frame_check_sequence_errors_low[32];
	u8 a_alignment_errors_high[32];
	u8 a_alignment_errors_low[32];
	u8 a_octets_transmitted_ok_high[32];
	u8 a_octets_transmitted_ok_low[32];
	u8 a_octets_received_ok_high[32];
	u8 a_octets_received_ok_low[32];
	u8 a_multicast_frames_xmitted_ok_high[32];
	u8 a_multicast_frames_xmitted_ok_low[32];
	u8 a_broadcast_frames_xmitted_ok_high[32];
	u8 a_broadcast_frames_xmitted_ok_low[32];
	u8 a_multicast_frames_received_ok_high[32];
	u8 a_multicast_frames_received_ok_low[32];
	u8 a_broadcast_frames_received_ok_high[32];
	u8 a_broadcast_frames_received_ok_low[32];
	u8 a_in_range_length_errors_high[32];
	u8 a_in_range_length_errors_low[32];
	u8 a_out_of_range_length_field_high[32];
	u8 a_out_of_range_length_field_low[32];
	u8 a_frame_too_long_errors_high[32];
	u8 a_frame_too_long_errors_low[32];
	u8 a_symbol_error_during_carrier_high[32];
	u8 a_symbol_error_during_carrier_low[32];
	u8 a_mac_control_frames_transmitted_high[32];
	u8 a_mac_control_frames_transmitted_low[32];
	u8 a_mac_control_frames_received_high[32];
	u8 a_mac_control_frames_received_low[32];
	u8 a_unsupported_opcodes_received_high[32];
	u8 a_unsupported_opcodes_received_low[32];
	u8 a_pause_mac_ctrl_frames_received_high[32];
	u8 a_pause_mac_ctrl_frames_received_low[32];
	u8 a_pause_mac_ctrl_frames_transmitted_high[32];
	u8 a_pause_mac_ctrl_frames_transmitted_low[32];
	u8 rsvd_4c0[768];
};
PRM_LAYOUT(eth_802_3_cntrs_grp_data_layout, 0xf8);

struct prm_eth_2863_cntrs_grp_data_layout_bits {
	u8 if_in_octets_high[32];
	u8 if_in_octets_low[32];
	u8 if_in_ucast_pkts_high[32];
	u8 if_in_ucast_pkts_low[32];
	u8 if_in_discards_high[32];
	u8 if_in_discards_low[32];
	u8 if_in_errors_high[32];
	u8 if_in_errors_low[32];
	u8 if_in_unknown_protos_high[32];
	u8 if_in_unknown_protos_low[32];
	u8 if_out_octets_high[32];
	u8 if_out_octets_low[32];
	u8 if_out_ucast_pkts_high[32];
	u8 if_out_ucast_pkts_low[32];
	u8 if_out_discards_high[32];
	u8 if_out_discards_low[32];
	u8 if_out_errors_high[32];
	u8 if_out_errors_low[32];
	u8 if_in_multicast_pkts_high[32];
	u8 if_in_multicast_pkts_low[32];
	u8 if_in_broadcast_pkts_high[32];
	u8 if_in_broadcast_pkts_low[32];
	u8 if_out_multicast_pkts_high[32];
	u8 if_out_multicast_pkts_low[32];
	u8 if_out_broadcast_pkts_high[32];
	u8 if_out_broadcast_pkts_low[32];
	u8 rsvd_340[1152];
};
PRM_LAYOUT(eth_2863_cntrs_grp_data_layout, 0xf8);

struct prm_eth_2819_cntrs_grp_data_layout_bits {
	u8 ether_stats_drop_events_high[32];
	u8 ether_stats_drop_events_low[32];
	u8 ether_stats_octets_high[32];
	u8 ether_stats_octets_low[32];
	u8 ether_stats_pkts_high[32];
	u8 ether_stats_pkts_low[32];
	u8 ether_stats_broadcast_pkts_high[32];
	u8 ether_stats_broadcast_pkts_low[32];
	u8 ether_stats_multicast_pkts_high[32];
	u8 ether_stats_multicast_pkts_low[32];
	u8 ether_stats_crc_align_errors_high[32];
	u8 ether_stats_crc_align_errors_low[32];
	u8 ether_stats_undersize_pkts_high[32];
	u8 ether_stats_undersize_pkts_low[32];
	u8 ether_stats_oversize_pkts_high[32];
	u8 ether_stats_oversize_pkts_low[32];
	u8 ether_stats_fragments_high[32];
	u8 ether_stats_fragments_low[32];
	u8 ether_stats_jabbers_high[32];
	u8 ether_stats_jabbers_low[32];
	u8 ether_stats_collisions_high[32];
	u8 ether_stats_collisions_low[32];
	u8 ether_stats_pkts64octets_high[32];
	u8 ether_stats_pkts64octets_low[32];
	u8 ether_stats_pkts65to127octets_high[32];
	u8 ether_stats_pkts65to127octets_low[32];
	u8 ether_stats_pkts128to255octets_high[32];
	u8 ether_stats_pkts128to255octets_low[32];
	u8 ether_stats_pkts256to511octets_high[32];
	u8 ether_stats_pkts256to511octets_low[32];
	u8 ether_stats_pkts512to1023octets_high[32];
	u8 ether_stats_pkts512to1023octets_low[32];
	u8 ether_stats_pkts1024to1518octets_high[32];
	u8 ether_stats_pkts1024to1518octets_low[32];
	u8 ether_stats_pkts1519to2047octets_high[32];
	u8 ether_stats_pkts1519to2047octets_low[32];
	u8 ether_stats_pkts2048to4095octets_high[32];
	u8 ether_stats_pkts2048to4095octets_low[32];
	u8 ether_stats_pkts4096to8191octets_high[32];
	u8 ether_stats_pkts4096to8191octets_low[32];
	u8 ether_stats_pkts8192to10239octets_high[32];
	u8 ether_stats_pkts8192to10239octets_low[32];
	u8 rsvd_540[640];
};
PRM_LAYOUT(eth_2819_cntrs_grp_data_layout, 0xf8);

struct prm_eth_extended_cntrs_grp_data_layout_bits {
	u8 port_transmit_wait_high[32];
	u8 port_transmit_wait_low[32];
	u8 rsvd_40[256];
	u8 rx_buffer_almost_full_high[32];
	u8 rx_buffer_almost_full_low[32];
	u8 rx_buffer_full_high[32];
	u8 rx_buffer_full_low[32];
	u8 rx_icrc_encapsulated_high[32];
	u8 rx_icrc_encapsulated_low[32];
	u8 rsvd_200[1472];
};
PRM_LAYOUT(eth_extended_cntrs_grp_data_layout, 0xf8);

struct prm_eth_per_prio_grp_data_layout_bits {
	u8 rx_octets_high[32];
	u8 rx_octets_low[32];
	u8 rsvd_40[192];
	u8 rx_frames_high[32];
	u8 rx_frames_low[32];
	u8 tx_octets_high[32];
	u8 tx_octets_low[32];
	u8 rsvd_180[192];
	u8 tx_frames_high[32];
	u8 tx_frames_low[32];
	u8 rx_pause_high[32];
	u8 rx_pause_low[32];
	u8 rx_pause_duration_high[32];
	u8 rx_pause_duration_low[32];
	u8 tx_pause_high[32];
	u8 tx_pause_low[32];
	u8 tx_pause_duration_high[32];
	u8 tx_pause_duration_low[32];
	u8 rx_pause_transition_high[32];
	u8 rx_pause_transition_low[32];
	u8 rx_discards_high[32];
	u8 rx_discards_low[32];
	u8 device_stall_minor_watermark_cnt_high[32];
	u8 device_stall_minor_watermark_cnt_low[32];
	u8 device_stall_critical_watermark_cnt_high[32];
	u8 device_stall_critical_watermark_cnt_low[32];
	u8 rsvd_480[832];
};
PRM_LAYOUT(eth_per_prio_grp_data_layout, 0xf8);

struct prm_ib_port_cntrs_grp_data_layout_bits {
	u8 symbol_error_counter[16];
	u8 link_error_recovery_counter[8];
	u8 link_downed_counter[8];
	u8 port_rcv_errors[16];
	u8 port_rcv_remote_physical_errors[16];
	u8 port_rcv_switch_relay_errors[16];
	u8 port_xmit_discards[16];
	u8 port_xmit_constraint_errors[8];
	u8 port_rcv_constraint_errors[8];
	u8 rsvd_70[8];
	u8 link_overrun_errors[8];
	u8 rsvd_80[16];
	u8 vl_15_dropped[16];
	u8 rsvd_a0[128];
	u8 port_xmit_wait[32];
};
PRM_LAYOUT(ib_port_cntrs_grp_data_layout, 0x28);

struct prm_phys_layer_cntrs_bits {
	u8 time_since_last_clear_high[32];
	u8 time_since_last_clear_low[32];
	u8 symbol_errors_high[32];
	u8 symbol_errors_low[32];
	u8 sync_headers_errors_high[32];
	u8 sync_headers_errors_low[32];
	u8 edpl_bip_errors_lane0_high[32];
	u8 edpl_bip_errors_lane0_low[32];
	u8 edpl_bip_errors_lane1_high[32];
	u8 edpl_bip_errors_lane1_low[32];
	u8 edpl_bip_errors_lane2_high[32];
	u8 edpl_bip_errors_lane2_low[32];
	u8 edpl_bip_errors_lane3_high[32];
	u8 edpl_bip_errors_lane3_low[32];
	u8 fc_fec_corrected_blocks_lane0_high[32];
	u8 fc_fec_corrected_blocks_lane0_low[32];
	u8 fc_fec_corrected_blocks_lane1_high[32];
	u8 fc_fec_corrected_blocks_lane1_low[32];
	u8 fc_fec_corrected_blocks_lane2_high[32];
	u8 fc_fec_corrected_blocks_lane2_low[32];
	u8 fc_fec_corrected_blocks_lane3_high[32];
	u8 fc_fec_corrected_blocks_lane3_low[32];
	u8 fc_fec_uncorrectable_blocks_lane0_high[32];
	u8 fc_fec_uncorrectable_blocks_lane0_low[32];
	u8 fc_fec_uncorrectable_blocks_lane1_high[32];
	u8 fc_fec_uncorrectable_blocks_lane1_low[32];
	u8 fc_fec_uncorrectable_blocks_lane2_high[32];
	u8 fc_fec_uncorrectable_blocks_lane2_low[32];
	u8 fc_fec_uncorrectable_blocks_lane3_high[32];
	u8 fc_fec_uncorrectable_blocks_lane3_low[32];
	u8 rs_fec_corrected_blocks_high[32];
	u8 rs_fec_corrected_blocks_low[32];
	u8 rs_fec_uncorrectable_blocks_high[32];
	u8 rs_fec_uncorrectable_blocks_low[32];
	u8 rs_fec_no_errors_blocks_high[32];
	u8 rs_fec_no_errors_blocks_low[32];
	u8 rs_fec_single_error_blocks_high[32];
	u8 rs_fec_single_error_blocks_low[32];
	u8 rs_fec_corrected_symbols_total_high[32];
	u8 rs_fec_corrected_symbols_total_low[32];
	u8 rs_fec_corrected_symbols_lane0_high[32];
	u8 rs_fec_corrected_symbols_lane0_low[32];
	u8 rs_fec_corrected_symbols_lane1_high[32];
	u8 rs_fec_corrected_symbols_lane1_low[32];
	u8 rs_fec_corrected_symbols_lane2_high[32];
	u8 rs_fec_corrected_symbols_lane2_low[32];
	u8 rs_fec_corrected_symbols_lane3_high[32];
	u8 rs_fec_corrected_symbols_lane3_low[32];
	u8 link_down_events[32];
	u8 successful_recovery_events[32];
	u8 rsvd_640[384];
};
PRM_LAYOUT(phys_layer_cntrs, 0xf8);

struct prm_phys_layer_statistical_cntrs_bits {
	u8 time_since_last_clear_high[32];
	u8 time_since_last_clear_low[32];
	u8 phy_received_bits_high[32];
	u8 phy_received_bits_low[32];
	u8 phy_symbol_errors_high[32];
	u8 phy_symbol_errors_low[32];
	u8 phy_corrected_bits_high[32];
	u8 phy_corrected_bits_low[32];
	u8 phy_corrected_bits_lane0_high[32];
	u8 phy_corrected_bits_lane0_low[32];
	u8 phy_corrected_bits_lane1_high[32];
	u8 phy_corrected_bits_lane1_low[32];
	u8 phy_corrected_bits_lane2_high[32];
	u8 phy_corrected_bits_lane2_low[32];
	u8 phy_corrected_bits_lane3_high[32];
	u8 phy_corrected_bits_lane3_low[32];
	u8 rsvd_200[1472];
};
PRM_LAYOUT(phys_layer_statistical_cntrs, 0xf8);

union prm_eth_cntrs_grp_data_layout_auto_bits {
	struct prm_eth_802_3_cntrs_grp_data_layout_bits eth_802_3_cntrs_grp_data_layout;
	struct prm_eth_2863_cntrs_grp_data_layout_bits eth_2863_cntrs_grp_data_layout;
	struct prm_eth_2819_cntrs_grp_data_layout_bits eth_2819_cntrs_grp_data_layout;
	struct prm_eth_extended_cntrs_grp_data_layout_bits eth_extended_cntrs_grp_data_layout;
	struct prm_eth_per_prio_grp_data_layout_bits eth_per_prio_grp_data_layout;
	struct prm_ib_port_cntrs_grp_data_layout_bits ib_port_cntrs_grp_data_layout;
	struct prm_phys_layer_cntrs_bits phys_layer_cntrs;
	struct prm_phys_layer_statistical_cntrs_bits phys_layer_statistical_cntrs;
};

struct prm_ppcnt_reg_bits {
	u8 swid[8];
	u8 local_port[8];
	u8 pnat[2];
	u8 rsvd_12[8];
	u8 grp[6];
	u8 clr[1];
	u8 rsvd_21[19];
	u8 plane_ind[4];
	u8 rsvd_38[3];
	u8 prio_tc[5];
	union prm_eth_cntrs_grp_data_layout_auto_bits counter_set;
};
PRM_LAYOUT(ppcnt_reg, 0x100);

struct prm_pcap_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[16];
	u8 port_capability_mask[4][32];
};
PRM_LAYOUT(pcap_reg, 0x14);

struct prm_pcmr_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[16];
	u8 entropy_force_cap[1];
	u8 entropy_calc_cap[1];
	u8 entropy_gre_calc_cap[1];
	u8 rsvd_23[15];
	u8 rx_ts_over_crc_cap[1];
	u8 rsvd_33[11];
	u8 fcs_cap[1];
	u8 rsvd_3f[1];
	u8 entropy_force[1];
	u8 entropy_calc[1];
	u8 entropy_gre_calc[1];
	u8 rsvd_43[15];
	u8 rx_ts_over_crc[1];
	u8 rsvd_53[11];
	u8 fcs_chk[1];
	u8 rsvd_5f[1];
};
PRM_LAYOUT(pcmr_reg, 0x0c);

struct prm_pddr_monitor_opcode_bits {
	u8 rsvd_00[16];
	u8 monitor_opcode[16];
};
PRM_LAYOUT(pddr_monitor_opcode, 0x04);

union prm_pddr_troubleshooting_page_status_opcode_auto_bits {
	struct prm_pddr_monitor_opcode_bits pddr_monitor_opcode;
};

struct prm_pddr_troubleshooting_page_bits {
	u8 rsvd_00[16];
	u8 group_opcode[16];
	union prm_pddr_troubleshooting_page_status_opcode_auto_bits status_opcode;
	u8 rsvd_40[32];
	u8 status_message[59][32];
};
PRM_LAYOUT(pddr_troubleshooting_page, 0xf8);

union prm_pddr_reg_page_data_auto_bits {
	struct prm_pddr_troubleshooting_page_bits pddr_troubleshooting_page;
};

struct prm_pddr_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 pnat[2];
	u8 rsvd_12[38];
	u8 page_select[8];
	union prm_pddr_reg_page_data_auto_bits page_data;
};
PRM_LAYOUT(pddr_reg, 0x100);

struct prm_pcam_regs_5000_to_507f_bits {
	u8 port_access_reg_cap_mask_127_to_96[32];
	u8 port_access_reg_cap_mask_95_to_64[32];
	u8 rsvd_40[28];
	u8 pplm[1];
	u8 port_access_reg_cap_mask_34_to_32[3];
	u8 port_access_reg_cap_mask_31_to_13[19];
	u8 pbmc[1];
	u8 pptb[1];
	u8 port_access_reg_cap_mask_10_to_09[2];
	u8 ppcnt[1];
	u8 port_access_reg_cap_mask_07_to_00[8];
};
PRM_LAYOUT(pcam_regs_5000_to_507f, 0x10);

struct prm_pcam_enhanced_features_bits {
	u8 rsvd_00[72];
	u8 fec_100G_per_lane_in_pplm[1];
	u8 rsvd_49[10];
	u8 buffer_ownership[1];
	u8 rsvd_54[20];
	u8 fec_50G_per_lane_in_pplm[1];
	u8 rsvd_69[4];
	u8 rx_icrc_encapsulated_counter[1];
	u8 rsvd_6e[4];
	u8 ptys_extended_ethernet[1];
	u8 rsvd_73[3];
	u8 pfcc_mask[1];
	u8 rsvd_77[3];
	u8 per_lane_error_counters[1];
	u8 rx_buffer_fullness_counters[1];
	u8 ptys_connector_type[1];
	u8 rsvd_7d[1];
	u8 ppcnt_discard_group[1];
	u8 ppcnt_statistical_group[1];
};
PRM_LAYOUT(pcam_enhanced_features, 0x10);

struct prm_pcam_reg_bits {
	u8 rsvd_00[8];
	u8 feature_group[8];
	u8 rsvd_10[8];
	u8 access_reg_group[8];
	u8 rsvd_20[32];
	union {
		struct prm_pcam_regs_5000_to_507f_bits regs_5000_to_507f;
	} port_access_reg_cap_mask;
	u8 rsvd_c0[128];
	union {
		struct prm_pcam_enhanced_features_bits enhanced_features;
	} feature_cap_mask;
	u8 rsvd_1c0[192];
};
PRM_LAYOUT(pcam_reg, 0x50);

struct prm_mcam_enhanced_features_bits {
	u8 rsvd_00[93];
	u8 mcia_32dwords[1];
	u8 out_pulse_duration_ns[1];
	u8 npps_period[1];
	u8 rsvd_60[10];
	u8 reset_state[1];
	u8 ptpcyc2realtime_modify[1];
	u8 rsvd_6c[2];
	u8 pci_status_and_power[1];
	u8 rsvd_6f[5];
	u8 mark_tx_action_cnp[1];
	u8 mark_tx_action_cqe[1];
	u8 dynamic_tx_overflow[1];
	u8 rsvd_77[4];
	u8 pcie_outbound_stalled[1];
	u8 tx_overflow_buffer_pkt[1];
	u8 mtpps_enh_out_per_adj[1];
	u8 mtpps_fs[1];
	u8 pcie_performance_group[1];
};
PRM_LAYOUT(mcam_enhanced_features, 0x10);

struct prm_mcam_reg_bits {
	u8 rsvd_00[8];
	u8 feature_group[8];
	u8 rsvd_10[8];
	u8 access_reg_group[8];
	u8 rsvd_20[288];
	union {
		struct prm_mcam_enhanced_features_bits enhanced_features;
	} mng_feature_cap_mask;
	u8 rsvd_1c0[128];
};
PRM_LAYOUT(mcam_reg, 0x48);

struct prm_mcia_reg_bits {
	u8 l[1];
	u8 rsvd_01[7];
	u8 module[8];
	u8 rsvd_10[8];
	u8 status[8];
	u8 i2c_device_address[8];
	u8 page_number[8];
	u8 device_address[16];
	u8 rsvd_40[16];
	u8 size[16];
	u8 rsvd_60[32];
	u8 dwords[32][32];
};
PRM_LAYOUT(mcia_reg, 0x90);

#define PRM_BEACON_ENDLESS 0xffff	/* mlcr_reg.beacon_duration, in seconds */

struct prm_mlcr_reg_bits {
	u8 rsvd_00[8];
	u8 local_port[8];
	u8 rsvd_10[32];
	u8 beacon_duration[16];
	u8 rsvd_40[16];
	u8 beacon_remain[16];
};
PRM_LAYOUT(mlcr_reg, 0x0c);

#endif
