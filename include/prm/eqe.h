/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Event queue entries, and the doorbells of an event queue. */
#ifndef CXR_PRM_EQE_H
#define CXR_PRM_EQE_H

#include "prm.h"

/* X(name, number, text): a bit of CREATE_EQ's event_bitmask has the event's number. */
#define PRM_EVENT_LIST(X)						\
	X(COMP,			0x00, "completion")			\
	X(PATH_MIG,		0x01, "path migrated")			\
	X(COMM_EST,		0x02, "communication established")	\
	X(SQ_DRAINED,		0x03, "send queue drained")		\
	X(CQ_ERROR,		0x04, "CQ error")			\
	X(WQ_CATAS_ERROR,	0x05, "work queue catastrophic error")	\
	X(PATH_MIG_FAILED,	0x07, "path migration failed")		\
	X(INTERNAL_ERROR,	0x08, "internal error")			\
	X(PORT_CHANGE,		0x09, "port change")			\
	X(CMD,			0x0a, "command completion")		\
	X(PAGE_REQUEST,		0x0b, "page request")			\
	X(PAGE_FAULT,		0x0c, "page fault")			\
	X(NIC_VPORT_CHANGE,	0x0d, "vport context change")		\
	X(ESW_FUNCTIONS_CHANGED, 0x0e, "e-switch functions changed")	\
	X(VHCA_STATE_CHANGE,	0x0f, "VHCA state change")		\
	X(WQ_INVAL_REQ_ERROR,	0x10, "invalid request at work queue")	\
	X(WQ_ACCESS_ERROR,	0x11, "access error at work queue")	\
	X(SRQ_CATAS_ERROR,	0x12, "SRQ catastrophic error")		\
	X(SRQ_LAST_WQE,		0x13, "last WQE of SRQ reached")	\
	X(SRQ_RQ_LIMIT,		0x14, "SRQ limit reached")		\
	X(GPIO,			0x15, "GPIO")				\
	X(PORT_MODULE,		0x16, "port module")			\
	X(TEMP_WARN,		0x17, "temperature warning")		\
	X(XRQ_ERROR,		0x18, "XRQ error")			\
	X(REMOTE_CONFIG,	0x19, "remote configuration")		\
	X(DB_BF_CONGESTION,	0x1a, "doorbell congestion")		\
	X(STALL,		0x1b, "stall")				\
	X(DCT_DRAINED,		0x1c, "DCT drained")			\
	X(DCT_KEY_VIOLATION,	0x1d, "DCT key violation")		\
	X(FPGA_ERROR,		0x20, "FPGA error")			\
	X(FPGA_QP_ERROR,	0x21, "FPGA QP error")			\
	X(GENERAL,		0x22, "general event")			\
	X(MONITOR_COUNTER,	0x24, "monitored counter")		\
	X(PPS,			0x25, "pulse per second")		\
	X(DEVICE_TRACER,	0x26, "device tracer")			\
	X(OBJECT_CHANGE,	0x27, "object change")

#define PRM_ENUM_EVENT(name, number, text)	PRM_EVENT_##name = (number),
enum prm_event { PRM_EVENT_LIST(PRM_ENUM_EVENT) };

/* sub_type of PRM_EVENT_PORT_CHANGE */
enum prm_port_change {
	PRM_PORT_CHANGE_DOWN		= 1,
	PRM_PORT_CHANGE_ACTIVE		= 4,
	PRM_PORT_CHANGE_INITIALIZED	= 5,
	PRM_PORT_CHANGE_LID		= 6,
	PRM_PORT_CHANGE_PKEY		= 7,
	PRM_PORT_CHANGE_GUID		= 8,
	PRM_PORT_CHANGE_CLIENT_REREG	= 9,
};

/* sub_type of PRM_EVENT_GENERAL */
enum prm_general_event {
	PRM_GENERAL_DELAY_DROP_TIMEOUT	= 1,
	PRM_GENERAL_PCI_POWER_CHANGE	= 5,
	PRM_GENERAL_FW_LIVE_PATCH	= 7,
	PRM_GENERAL_PCI_SYNC_FOR_FW	= 8,
};

/* type of prm_eqe_qp_srq: kind of the queue */
enum prm_eqe_rsc {
	PRM_EQE_RSC_QP	= 0,
	PRM_EQE_RSC_RQ	= 1,
	PRM_EQE_RSC_SQ	= 2,
	PRM_EQE_RSC_DCT	= 6,
};

/* sub_type of PRM_EVENT_PAGE_FAULT: which member of prm_eqe_page_fault it is */
enum prm_fault {
	PRM_FAULT_WQE		= 0,
	PRM_FAULT_RDMA		= 1,
	PRM_FAULT_MEMORY	= 2,
};

/* Kind of a fault of PRM_FAULT_WQE: the queue that the number is of, and the request. */
enum prm_fault_wqe {
	PRM_FAULT_WQE_RMP		= 0,	/* a receive WQE; the number is an SRQN */
	PRM_FAULT_WQE_SEND_WRITE	= 1,
	PRM_FAULT_WQE_RECEIVE		= 2,	/* of the QP's own receive queue */
	PRM_FAULT_WQE_READ_ATOMIC	= 3,
};

/* That of a fault of PRM_FAULT_RDMA is a set of these. */
#define PRM_FAULT_REQUESTOR	0x1
#define PRM_FAULT_WRITE		0x2
#define PRM_FAULT_IS_RDMA	0x4

/* flags of a fault of PRM_FAULT_MEMORY: the last one of its token, which is resumed */
#define PRM_FAULT_MEMORY_LAST	0x80

struct prm_eqe_comp {
	__be32 rsvd_00[6];
	__be32 cqn;		/* 23:0 */
};

struct prm_eqe_qp_srq {
	__be32 rsvd_00[5];
	u8 type;
	u8 rsvd_15[3];
	__be32 qp_srq_n;	/* 23:0 */
};

struct prm_eqe_cq_err {
	__be32 cqn;		/* 23:0 */
	u8 rsvd_04[7];
	u8 syndrome;		/* 1: overrun; 2: access violation */
};

struct prm_eqe_port {
	u8 rsvd_00[8];
	u8 port;		/* 7:4 port number */
	u8 rsvd_09[3];
};

struct prm_eqe_cmd {
	__be32 vector;		/* bit n: slot n is done */
	__be32 rsvd_04[6];
};

#define PRM_PAGE_REQ_EC_FUNCTION	0x8000
#define PRM_PAGE_REQ_RELEASE_ALL	0x4000

struct prm_eqe_page_req {
	__be16 ec_function;
	__be16 func_id;
	__be32 num_pages;	/* signed; negative: pages that the device can return */
	__be32 rsvd_08[5];
};

struct prm_eqe_vport_change {
	u8 rsvd_00[2];
	__be16 vport_num;
	__be32 rsvd_04[6];
};

struct prm_eqe_page_fault_wqe {
	__be32 bytes_committed;		/* of the WQE's data that are done */
	u8 rsvd_04[2];
	__be16 wqe_index;
	u8 rsvd_08[2];
	__be16 packet_length;
	__be32 token;			/* 23:0 */
	u8 rsvd_10[8];
	__be32 pftype_wq;		/* 26:24 enum prm_fault_wqe, 23:0 number of the queue */
};

struct prm_eqe_page_fault_rdma {
	__be32 bytes_committed;
	__be32 r_key;
	u8 rsvd_08[2];
	__be16 packet_length;
	__be32 rdma_op_len;		/* 0: not known */
	__be32 rdma_va[2];		/* high, low */
	__be32 pftype_token;		/* 31:24 set of PRM_FAULT flags, 23:0 token */
};

/* Pages are of 4 KiB. */
struct prm_eqe_page_fault_memory {
	u8 flags;
	u8 rsvd_01;
	__be16 post_demand_fault_pages;
	__be16 pre_demand_fault_pages;
	__be16 token47_32;
	__be32 token31_0;
	__be32 demand_fault_pages;	/* 31:12 */
	__be32 mkey;
	__be32 va[2];			/* high, low */
};

struct prm_eqe_page_fault {
	union {
		struct prm_eqe_page_fault_wqe wqe;
		struct prm_eqe_page_fault_rdma rdma;
		struct prm_eqe_page_fault_memory memory;
	};
};
static_assert(sizeof(struct prm_eqe_page_fault) == 28, "page fault");
static_assert(offsetof(struct prm_eqe_page_fault_wqe, pftype_wq) == 0x18, "pftype_wq");
static_assert(offsetof(struct prm_eqe_page_fault_rdma, pftype_token) == 0x18, "pftype_token");
static_assert(offsetof(struct prm_eqe_page_fault_memory, va) == 0x14, "va");

struct prm_eqe_port_module {
	u8 rsvd_00;
	u8 module;
	u8 rsvd_02;
	u8 module_status;	/* 3:0 */
	u8 rsvd_04[2];
	u8 error_type;		/* 3:0 */
	u8 rsvd_07;
};

struct prm_eqe_temp_warning {
	__be64 sensor_warning_msb;
	__be64 sensor_warning_lsb;	/* bit n: sensor n */
};

struct prm_eqe {
	u8 rsvd_00;
	u8 type;
	u8 rsvd_02;
	u8 sub_type;
	__be32 rsvd_04[7];
	union {
		__be32 raw[7];
		struct prm_eqe_comp comp;
		struct prm_eqe_qp_srq qp_srq;
		struct prm_eqe_cq_err cq_err;
		struct prm_eqe_port port;
		struct prm_eqe_cmd cmd;
		struct prm_eqe_page_req req_pages;
		struct prm_eqe_page_fault page_fault;
		struct prm_eqe_vport_change vport_change;
		struct prm_eqe_port_module port_module;
	} data;
	__be16 rsvd_3c;
	u8 signature;
	u8 owner;		/* bit 0 flips with each pass; initially 1 */
};
static_assert(sizeof(struct prm_eqe) == 64, "event queue entry");
static_assert(offsetof(struct prm_eqe, data) == 0x20, "event data");
static_assert(offsetof(struct prm_eqe, owner) == 0x3f, "event owner");

/*
 * Doorbells, offsets into the UAR page. The dword is eqn << 24 | consumer index; one register arms
 * the queue, the other only updates the index.
 */
#define PRM_UAR_EQ_ARM		0x40
#define PRM_UAR_EQ_CI		0x48

#endif
