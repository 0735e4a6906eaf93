/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Commands: initialization segment, command queue, mailboxes, opcodes. */
#ifndef CXR_PRM_CMDIF_H
#define CXR_PRM_CMDIF_H

#include "prm.h"

/* Initialization segment, at offset 0 of BAR 0. */
struct prm_health_buffer {
	__be32 assert_var[6];
	__be32 rsvd_18[2];
	__be32 assert_exit_ptr;
	__be32 assert_callra;
	__be32 rsvd_28;
	__be32 time;
	__be32 fw_ver;
	__be32 hw_id;
	u8 rfr_severity;	/* bit 7: firmware asks for a reset; 3: valid; 2:0: severity */
	u8 rsvd_39[3];
	u8 irisc_index;
	u8 synd;
	__be16 ext_synd;
};
static_assert(sizeof(struct prm_health_buffer) == 0x40, "health buffer");

struct prm_iseg {
	__be32 fw_rev;			/* 31:16 minor, 15:0 major */
	__be32 cmdif_rev_fw_sub;	/* 31:16 interface revision, 15:0 firmware subminor */
	__be32 rsvd_008[2];
	__be32 cmdq_addr_h;
	__be32 cmdq_addr_l_sz;		/* 31:12 address, 10:8 nic interface, 7:4 and 3:0 logs */
	__be32 cmd_dbell;		/* bit n: slot n holds a command */
	__be32 rsvd_01c[120];
	__be32 initializing;		/* bit 31: firmware is not up yet; bit 30: can reset */
	struct prm_health_buffer health;
	__be32 rsvd_240[878];
	__be32 cmd_exec_to;
	__be32 cmd_q_init_to;
	__be32 internal_timer_h;
	__be32 internal_timer_l;
	__be32 rsvd_1008[2];
	__be32 health_counter;		/* advances while firmware lives */
	__be32 rsvd_1014[11];
	__be32 real_time_h;
	__be32 real_time_l;
	__be32 rsvd_1048[1006];
	__be64 ieee1588_clk;
	__be32 ieee1588_clk_type;
	__be32 clr_intx;
};
static_assert(offsetof(struct prm_iseg, cmdq_addr_h) == 0x10, "cmdq_addr_h");
static_assert(offsetof(struct prm_iseg, cmd_dbell) == 0x18, "cmd_dbell");
static_assert(offsetof(struct prm_iseg, initializing) == 0x1fc, "initializing");
static_assert(offsetof(struct prm_iseg, health) == 0x200, "health");
static_assert(offsetof(struct prm_iseg, internal_timer_h) == 0x1000, "internal_timer_h");
static_assert(offsetof(struct prm_iseg, health_counter) == 0x1010, "health_counter");
static_assert(sizeof(struct prm_iseg) == 0x2010, "initialization segment");

#define PRM_CMDIF_REV			5
#define PRM_ISEG_INITIALIZING		0x80000000
#define PRM_ISEG_CAN_RESET		0x40000000	/* by PRM_NIC_IFC_SW_RESET */
#define PRM_HEALTH_RFR			0x80		/* rfr_severity */
#define PRM_HEALTH_SEVERITY_VALID	0x08
#define PRM_HEALTH_SEVERITY		0x07		/* enum prm_health_severity */
#define PRM_ISEG_CMDQ_ADDR_L_MASK	0xfffff000
#define PRM_ISEG_NIC_IFC_SHIFT		8
#define PRM_ISEG_NIC_IFC_MASK		0x700

enum prm_nic_ifc {
	PRM_NIC_IFC_FULL		= 0,
	PRM_NIC_IFC_DISABLED		= 1,
	PRM_NIC_IFC_NO_DRAM_NIC		= 2,
	PRM_NIC_IFC_SW_RESET		= 7,
};

/* As the kernel's levels of messages. */
enum prm_health_severity {
	PRM_HEALTH_CRITICAL		= 2,
	PRM_HEALTH_ERROR		= 3,
};

enum prm_health_synd {
	PRM_HEALTH_SYND_FW_INTERNAL	= 0x01,
	PRM_HEALTH_SYND_HW_UNRECOVERABLE = 0x08,
	PRM_HEALTH_SYND_ASYNC_EQ_OVERRUN = 0x0c,
	PRM_HEALTH_SYND_EQ_ERROR	= 0x0d,
	PRM_HEALTH_SYND_HIGH_TEMP	= 0x10,
};

/* A slot of the command queue, with the first 16 bytes of input and output. */
struct prm_cmdq_entry {
	u8 type;
	u8 rsvd_01[3];
	__be32 inlen;
	__be64 in_ptr;
	__be32 in[4];
	__be32 out[4];
	__be64 out_ptr;
	__be32 outlen;
	u8 token;
	u8 sig;
	u8 rsvd_3e;
	u8 status_own;		/* 7:1 delivery status, 0: the device owns the slot */
};
static_assert(sizeof(struct prm_cmdq_entry) == 0x40, "command queue entry");
static_assert(offsetof(struct prm_cmdq_entry, in_ptr) == 0x08, "in_ptr");
static_assert(offsetof(struct prm_cmdq_entry, out_ptr) == 0x30, "out_ptr");
static_assert(offsetof(struct prm_cmdq_entry, status_own) == 0x3f, "status_own");

#define PRM_CMDQ_TYPE_PCI	7
#define PRM_CMDQ_OWN_HW		0x01
#define PRM_CMDQ_INLINE		16

#define PRM_MBOX_DATA		512

/* A mailbox: a chain of them has what does not fit in the slot. Aligned to 1 KiB. */
struct prm_mbox_block {
	u8 data[PRM_MBOX_DATA];
	u8 rsvd_200[48];
	__be64 next;
	__be32 block_num;
	u8 rsvd_23c;
	u8 token;
	u8 ctrl_sig;		/* over the bytes from rsvd_200 to ctrl_sig itself */
	u8 sig;			/* over the whole block */
};
static_assert(sizeof(struct prm_mbox_block) == 0x240, "mailbox block");
static_assert(offsetof(struct prm_mbox_block, next) == 0x230, "next");
static_assert(offsetof(struct prm_mbox_block, token) == 0x23d, "token");

#define PRM_MBOX_ALIGN		1024

/* Common head of the input and output of all commands. */
struct prm_mbox_in_bits {
	u8 opcode[16];
	u8 uid[16];
	u8 rsvd_20[16];
	u8 op_mod[16];
	u8 rsvd_40[64];
};
PRM_LAYOUT(mbox_in, 0x10);

struct prm_mbox_out_bits {
	u8 status[8];
	u8 rsvd_08[24];
	u8 syndrome[32];
	u8 rsvd_40[64];
};
PRM_LAYOUT(mbox_out, 0x10);

/* Whether the command ran at all: prm_cmdq_entry.status_own >> 1. X(name, number, text) */
#define PRM_DELIVERY_LIST(X)						\
	X(OK,			0x00, "no errors")			\
	X(SIGNATURE,		0x01, "signature error")		\
	X(TOKEN,		0x02, "token error")			\
	X(BLOCK_NUM,		0x03, "bad block number")		\
	X(OUT_PTR,		0x04, "output pointer not aligned")	\
	X(IN_PTR,		0x05, "input pointer not aligned")	\
	X(FW,			0x06, "internal error")			\
	X(IN_LEN,		0x07, "input length error")		\
	X(OUT_LEN,		0x08, "output length error")		\
	X(RSVD_NOT_ZERO,	0x09, "reserved field not zero")	\
	X(CMD_TYPE,		0x10, "bad command type")

/* Status of the output. X(name, number, text) */
#define PRM_STATUS_LIST(X)						\
	X(OK,			0x00, "OK")				\
	X(INTERNAL,		0x01, "internal error")			\
	X(BAD_OP,		0x02, "bad operation")			\
	X(BAD_PARAM,		0x03, "bad parameter")			\
	X(BAD_SYS_STATE,	0x04, "bad system state")		\
	X(BAD_RES,		0x05, "bad resource")			\
	X(RES_BUSY,		0x06, "resource busy")			\
	X(NOT_READY,		0x07, "not ready")			\
	X(LIM,			0x08, "limits exceeded")		\
	X(BAD_RES_STATE,	0x09, "bad resource state")		\
	X(IX,			0x0a, "bad index")			\
	X(NO_RES,		0x0f, "no resources")			\
	X(BAD_QP_STATE,		0x10, "bad QP state")			\
	X(BAD_PKT,		0x30, "bad packet (discarded)")		\
	X(BAD_SIZE_OUTS_CQES,	0x40, "too many outstanding CQEs")	\
	X(BAD_INP_LEN,		0x50, "bad input length")		\
	X(BAD_OUTP_LEN,		0x51, "bad output length")

#define PRM_ENUM_DELIVERY(name, number, text)	PRM_DELIVERY_##name = (number),
#define PRM_ENUM_STATUS(name, number, text)	PRM_STATUS_##name = (number),
/* .uid of an object that every user context may name; 0: the kernel's */
#define PRM_UID_SHARED	0xffff

enum prm_delivery { PRM_DELIVERY_LIST(PRM_ENUM_DELIVERY) };
enum prm_status { PRM_STATUS_LIST(PRM_ENUM_STATUS) };

/*
 * X(name, number): the opcodes, in the PRM's order. Names are those of the layouts, so that
 * PRM_OP_x goes with struct prm_x_in and struct prm_x_out.
 */
#define PRM_CMD_LIST(X)					\
	X(mod_update_header_modify_argument, 0x001)	\
	X(query_hca_cap, 0x100)				\
	X(query_adapter, 0x101)				\
	X(init_hca, 0x102)				\
	X(teardown_hca, 0x103)				\
	X(enable_hca, 0x104)				\
	X(disable_hca, 0x105)				\
	X(query_pages, 0x107)				\
	X(manage_pages, 0x108)				\
	X(set_hca_cap, 0x109)				\
	X(query_issi, 0x10a)				\
	X(set_issi, 0x10b)				\
	X(set_driver_version, 0x10d)			\
	X(query_sf_partition, 0x111)			\
	X(alloc_sf, 0x113)				\
	X(dealloc_sf, 0x114)				\
	X(suspend_vhca, 0x115)				\
	X(resume_vhca, 0x116)				\
	X(query_vhca_migration_state, 0x117)		\
	X(save_vhca_state, 0x118)			\
	X(load_vhca_state, 0x119)			\
	X(create_mkey, 0x200)				\
	X(query_mkey, 0x201)				\
	X(destroy_mkey, 0x202)				\
	X(query_special_contexts, 0x203)		\
	X(page_fault_resume, 0x204)			\
	X(alloc_memic, 0x205)				\
	X(dealloc_memic, 0x206)				\
	X(modify_memic, 0x207)				\
	X(create_eq, 0x301)				\
	X(destroy_eq, 0x302)				\
	X(query_eq, 0x303)				\
	X(gen_eqe, 0x304)				\
	X(create_cq, 0x400)				\
	X(destroy_cq, 0x401)				\
	X(query_cq, 0x402)				\
	X(modify_cq, 0x403)				\
	X(create_qp, 0x500)				\
	X(destroy_qp, 0x501)				\
	X(rst2init_qp, 0x502)				\
	X(init2rtr_qp, 0x503)				\
	X(rtr2rts_qp, 0x504)				\
	X(rts2rts_qp, 0x505)				\
	X(sqerr2rts_qp, 0x506)				\
	X(qp_2err, 0x507)				\
	X(qp_2rst, 0x50a)				\
	X(query_qp, 0x50b)				\
	X(sqd2rts_qp, 0x50c)				\
	X(mad_ifc, 0x50d)				\
	X(init2init_qp, 0x50e)				\
	X(create_psv, 0x600)				\
	X(destroy_psv, 0x601)				\
	X(create_srq, 0x700)				\
	X(destroy_srq, 0x701)				\
	X(query_srq, 0x702)				\
	X(arm_rq, 0x703)				\
	X(create_xrc_srq, 0x705)			\
	X(destroy_xrc_srq, 0x706)			\
	X(query_xrc_srq, 0x707)				\
	X(arm_xrc_srq, 0x708)				\
	X(create_dct, 0x710)				\
	X(destroy_dct, 0x711)				\
	X(drain_dct, 0x712)				\
	X(query_dct, 0x713)				\
	X(arm_dct_for_key_violation, 0x714)		\
	X(create_xrq, 0x717)				\
	X(destroy_xrq, 0x718)				\
	X(query_xrq, 0x719)				\
	X(arm_xrq, 0x71a)				\
	X(query_xrq_dc_params_entry, 0x725)		\
	X(set_xrq_dc_params_entry, 0x726)		\
	X(query_xrq_error_params, 0x727)		\
	X(release_xrq_error, 0x729)			\
	X(modify_xrq, 0x72a)				\
	X(query_esw_functions, 0x740)			\
	X(query_vport_state, 0x750)			\
	X(modify_vport_state, 0x751)			\
	X(query_esw_vport_context, 0x752)		\
	X(modify_esw_vport_context, 0x753)		\
	X(query_nic_vport_context, 0x754)		\
	X(modify_nic_vport_context, 0x755)		\
	X(query_roce_address, 0x760)			\
	X(set_roce_address, 0x761)			\
	X(query_hca_vport_context, 0x762)		\
	X(modify_hca_vport_context, 0x763)		\
	X(query_hca_vport_gid, 0x764)			\
	X(query_hca_vport_pkey, 0x765)			\
	X(query_vnic_env, 0x76f)			\
	X(query_vport_counter, 0x770)			\
	X(alloc_q_counter, 0x771)			\
	X(dealloc_q_counter, 0x772)			\
	X(query_q_counter, 0x773)			\
	X(set_monitor_counter, 0x774)			\
	X(arm_monitor_counter, 0x775)			\
	X(set_pp_rate_limit, 0x780)			\
	X(query_rate_limit, 0x781)			\
	X(create_scheduling_element, 0x782)		\
	X(destroy_scheduling_element, 0x783)		\
	X(query_scheduling_element, 0x784)		\
	X(modify_scheduling_element, 0x785)		\
	X(create_qos_para_vport, 0x786)			\
	X(destroy_qos_para_vport, 0x787)		\
	X(alloc_pd, 0x800)				\
	X(dealloc_pd, 0x801)				\
	X(alloc_uar, 0x802)				\
	X(dealloc_uar, 0x803)				\
	X(config_int_moderation, 0x804)			\
	X(access_register, 0x805)			\
	X(attach_to_mcg, 0x806)				\
	X(detach_from_mcg, 0x807)			\
	X(get_dropped_packet_log, 0x80a)		\
	X(query_mad_demux, 0x80b)			\
	X(set_mad_demux, 0x80c)				\
	X(nop, 0x80d)					\
	X(alloc_xrcd, 0x80e)				\
	X(dealloc_xrcd, 0x80f)				\
	X(alloc_transport_domain, 0x816)		\
	X(dealloc_transport_domain, 0x817)		\
	X(query_cong_status, 0x822)			\
	X(modify_cong_status, 0x823)			\
	X(query_cong_params, 0x824)			\
	X(modify_cong_params, 0x825)			\
	X(query_cong_statistics, 0x826)			\
	X(add_vxlan_udp_dport, 0x827)			\
	X(delete_vxlan_udp_dport, 0x828)		\
	X(set_l2_table_entry, 0x829)			\
	X(query_l2_table_entry, 0x82a)			\
	X(delete_l2_table_entry, 0x82b)			\
	X(set_wol_rol, 0x830)				\
	X(query_wol_rol, 0x831)				\
	X(create_lag, 0x840)				\
	X(modify_lag, 0x841)				\
	X(query_lag, 0x842)				\
	X(destroy_lag, 0x843)				\
	X(create_vport_lag, 0x844)			\
	X(destroy_vport_lag, 0x845)			\
	X(create_tir, 0x900)				\
	X(modify_tir, 0x901)				\
	X(destroy_tir, 0x902)				\
	X(query_tir, 0x903)				\
	X(create_sq, 0x904)				\
	X(modify_sq, 0x905)				\
	X(destroy_sq, 0x906)				\
	X(query_sq, 0x907)				\
	X(create_rq, 0x908)				\
	X(modify_rq, 0x909)				\
	X(destroy_rq, 0x90a)				\
	X(query_rq, 0x90b)				\
	X(create_rmp, 0x90c)				\
	X(modify_rmp, 0x90d)				\
	X(destroy_rmp, 0x90e)				\
	X(query_rmp, 0x90f)				\
	X(set_delay_drop_params, 0x910)			\
	X(create_tis, 0x912)				\
	X(modify_tis, 0x913)				\
	X(destroy_tis, 0x914)				\
	X(query_tis, 0x915)				\
	X(create_rqt, 0x916)				\
	X(modify_rqt, 0x917)				\
	X(destroy_rqt, 0x918)				\
	X(query_rqt, 0x919)				\
	X(set_flow_table_root, 0x92f)			\
	X(create_flow_table, 0x930)			\
	X(destroy_flow_table, 0x931)			\
	X(query_flow_table, 0x932)			\
	X(create_flow_group, 0x933)			\
	X(destroy_flow_group, 0x934)			\
	X(query_flow_group, 0x935)			\
	X(set_fte, 0x936)				\
	X(query_fte, 0x937)				\
	X(delete_fte, 0x938)				\
	X(alloc_flow_counter, 0x939)			\
	X(dealloc_flow_counter, 0x93a)			\
	X(query_flow_counter, 0x93b)			\
	X(modify_flow_table, 0x93c)			\
	X(alloc_packet_reformat_context, 0x93d)		\
	X(dealloc_packet_reformat_context, 0x93e)	\
	X(query_packet_reformat_context, 0x93f)		\
	X(alloc_modify_header_context, 0x940)		\
	X(dealloc_modify_header_context, 0x941)		\
	X(query_modify_header_context, 0x942)		\
	X(fpga_create_qp, 0x960)			\
	X(fpga_modify_qp, 0x961)			\
	X(fpga_query_qp, 0x962)				\
	X(fpga_destroy_qp, 0x963)			\
	X(fpga_query_qp_counters, 0x964)		\
	X(create_general_object, 0xa00)			\
	X(modify_general_object, 0xa01)			\
	X(query_general_object, 0xa02)			\
	X(destroy_general_object, 0xa03)		\
	X(create_uctx, 0xa04)				\
	X(destroy_uctx, 0xa06)				\
	X(create_umem, 0xa08)				\
	X(destroy_umem, 0xa0a)				\
	X(query_vhca_state, 0xb0d)			\
	X(modify_vhca_state, 0xb0e)			\
	X(psp_gen_spi, 0xb10)				\
	X(psp_rotate_key, 0xb11)			\
	X(sync_crypto, 0xb12)				\
	X(allow_other_vhca_access, 0xb16)		\
	X(generate_wqe, 0xb17)

#define PRM_ENUM_OP(name, number)	PRM_OP_##name = (number),
enum prm_op { PRM_CMD_LIST(PRM_ENUM_OP) };

#endif
