/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Tunnels: the UDP ports by which the device knows VXLAN. */
#ifndef CXR_PRM_TUNNEL_H
#define CXR_PRM_TUNNEL_H

#include "prm.h"

#define PRM_VXLAN_PORT		4789	/* the device knows it without being told */
#define PRM_VXLAN_PORTS_DEFAULT	4	/* what max_vxlan_udp_ports means if it is 0 */

struct prm_add_vxlan_udp_dport_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[48];
	u8 vxlan_udp_port[16];
};
PRM_LAYOUT(add_vxlan_udp_dport_in, 0x10);

struct prm_add_vxlan_udp_dport_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(add_vxlan_udp_dport_out, 0x10);

struct prm_delete_vxlan_udp_dport_in_bits {
	u8 opcode[16];
	u8 rsvd_10[32];
	u8 op_mod[16];
	u8 rsvd_40[48];
	u8 vxlan_udp_port[16];
};
PRM_LAYOUT(delete_vxlan_udp_dport_in, 0x10);

struct prm_delete_vxlan_udp_dport_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(delete_vxlan_udp_dport_out, 0x10);

#endif
