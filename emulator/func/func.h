/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * func: what all rooms above use of a PCI function: commands, objects with numbers and references,
 * events, pages given by the driver, capabilities.
 *
 * A command is checked against its row before it runs: phase, lengths, reserved bits. A refused
 * command changes nothing, returns a syndrome of its own and logs the reason. Each room has a table
 * of its commands; card/cxdev.c registers them by cmd_set_tables().
 */
#ifndef CXEMU_FUNC_H
#define CXEMU_FUNC_H

#include "base/base.h"
#include "prm/cmdif.h"
#include "prm/eqe.h"
#include "prm/prm.h"

struct cmd;

/* ---- objects: obj.c ---- */

enum obj_type {
	OBJ_UAR,
	OBJ_PD,
	OBJ_TD,
	OBJ_XRCD,
	OBJ_MKEY,
	OBJ_PSV,
	OBJ_EQ,
	OBJ_CQ,
	OBJ_QP,
	OBJ_SRQ,
	OBJ_XRC_SRQ,
	OBJ_RMP,
	OBJ_DCT,
	OBJ_TIS,
	OBJ_TIR,
	OBJ_SQ,
	OBJ_RQ,
	OBJ_RQT,
	OBJ_Q_COUNTER,
	OBJ_FLOW_TABLE,
	OBJ_FLOW_GROUP,
	OBJ_FLOW_COUNTER,
	OBJ_MATCH_DEFINER,
	OBJ_MCG,
	OBJ_UCTX,
	OBJ_UMEM,
	OBJ_MEMIC,
	OBJ_TYPES
};

#define OBJ_NUMBERS (1u << 24)

/*
 * First member of every object. Numbers are unique within a type and function, allocated in turn
 * (but see obj_reuse_numbers) so that use of a stale one is noticed; QP, SQ, RQ, SRQ, XRC_SRQ,
 * RMP and DCT share one number space, since a doorbell or packet names them by number only.
 */
struct obj {
	enum obj_type type;
	uint32_t num;  /* 24 bits; of an mkey: the index */
	uint32_t refs; /* references held by other objects */
	uint16_t uid;  /* of the command that created it; 0: of the driver */
	bool orphan;   /* cannot be named any more, and is freed with its last reference */
	struct cxdev *dev;
	/* puts its references and frees its memory, not the object itself; may be NULL */
	void (*release)(void *obj);
	/* of a queue: moves it to the error state; may be NULL */
	void (*stop)(void *obj);
	struct list_head by_num, by_type; /* private to obj.c */
};

/* Functions allocate the lowest free number. Set before the first object is created. */
extern bool obj_reuse_numbers;
const char *obj_name(enum obj_type type);
/*
 * Allocates a zeroed object of @size bytes and its number; NULL: *c is refused with NO_RES (limit
 * of the card reached).
 */
void *obj_create(struct cmd *c, enum obj_type type, size_t size);
void *obj_find(struct cxdev *dev, enum obj_type type, uint32_t num); /* NULL: no such object */
/* May commands with this uid name the object? The driver's own, 0 or shared, may name all. */
static inline bool obj_is_of(const struct obj *obj, uint16_t uid)
{
	return !uid || uid == PRM_UID_SHARED || obj->uid == uid || obj->uid == PRM_UID_SHARED;
}

/* May they destroy or change it? What all may name is still the driver's. */
static inline bool obj_is_own(const struct obj *obj, uint16_t uid)
{
	return !uid || uid == PRM_UID_SHARED || obj->uid == uid;
}

/*
 * The object that @field of a command names, without a reference; NULL: refused (BAD_RES), there is
 * none, or it is not of the command's user context.
 */
void *obj_lookup(struct cmd *c, enum obj_type type, uint32_t num, const char *field);
/* The same for a command that destroys or changes it: that of a context needs the same uid. */
void *obj_own(struct cmd *c, enum obj_type type, uint32_t num, const char *field);
/* As obj_lookup() with a reference, for obj_put() in release() or when the change is undone. */
void *obj_hold(struct cmd *c, enum obj_type type, uint32_t num, const char *field);
void obj_put(void *obj); /* NULL: no effect */
/* Releases and frees; 0, or the command is refused (RES_BUSY) because it is still referenced. */
int obj_destroy(struct cmd *c, void *obj);
/* The same, but a referenced object becomes an orphan instead. */
void obj_abandon(struct cmd *c, void *obj);
/* Releases and frees without a check, for create commands that fail. */
void obj_free(void *obj);
unsigned int obj_count(struct cxdev *dev, enum obj_type type);
/* for FLR and reset: users before what they use */
void obj_destroy_all(struct cxdev *dev);
/* Calls @fn for each object of a type. */
void obj_for_each(struct cxdev *dev, enum obj_type type, void (*fn)(void *obj, void *arg),
		  void *arg);

/* ---- memory of the host: budget.c ---- */

extern uint64_t budget_bytes;	/* of each function; set before the first is created */
/*
 * @n zeroed items that the guest has asked for, to be freed by budget_free(); NULL: the function
 * has used up what it may, or there is no memory. An object's memory counts, too.
 */
void *budget_alloc(struct cxdev *dev, uint64_t n, size_t size);
void budget_free(void *p);	/* NULL: no effect */
int budget_refuse(struct cmd *c);	/* refuses for that reason; always -1 */

/* ---- the card ---- */

enum cap_type {
	CAP_GENERAL = 0,
	CAP_ETH = 1,
	CAP_ODP = 2,
	CAP_ATOMIC = 3,
	CAP_ROCE = 4,
	CAP_FLOW_NIC = 7,
	CAP_FLOW_ESW = 8,
	CAP_ESW = 9,
	CAP_QOS = 0xc,
	CAP_DEBUG = 0xd,
	CAP_DEVICE_MEM = 0xf,
	CAP_EVENT = 0x14,
	CAP_PORT_SELECTION = 0x25,
	CAP_TYPES = 0x26
};

#define CAP_BYTES 0x1000

/* The pages that cards have, and their layouts. */
#define CAP_PAGES(X)				\
	X(CAP_GENERAL, cmd_hca_cap)		\
	X(CAP_ETH, per_protocol_networking_offload_caps) \
	X(CAP_ODP, odp_cap)			\
	X(CAP_ATOMIC, atomic_caps)		\
	X(CAP_ROCE, roce_cap)			\
	X(CAP_FLOW_NIC, flow_table_nic_cap)	\
	X(CAP_FLOW_ESW, flow_table_eswitch_cap)	\
	X(CAP_ESW, e_switch_cap)		\
	X(CAP_QOS, qos_cap)			\
	X(CAP_DEBUG, debug_cap)			\
	X(CAP_DEVICE_MEM, device_mem_cap)	\
	X(CAP_EVENT, device_event_cap)		\
	X(CAP_PORT_SELECTION, port_selection_cap)

/* A field of a layout. Lists are generated by scripts/prm-fields and end with width 0. */
struct prm_field {
	const char *name;
	uint32_t bit, width;
};

#define CAP_DECLARE_FIELDS(type, layout) extern const struct prm_field prm_fields_##layout[];
CAP_PAGES(CAP_DECLARE_FIELDS)

/* A capability: a field of a page. */
struct cap {
	enum cap_type type;
	const struct prm_field *field;
};

/* How many there can be, and the number of the first. */
struct obj_range {
	uint32_t first, count;
};

struct card {
	const char *name;		/* of --card */
	const char *model;
	uint16_t device_id, vf_device_id, subsystem_id;
	uint16_t fw_major, fw_minor, fw_sub;
	char psid[17];
	uint16_t hw_id;			/* of the chip, in the health buffer */
	uint32_t clock_khz;		/* of the internal timer */
	uint16_t roce_addrs;		/* entries of the RoCE address table */
	uint8_t pcie_gen, pcie_lanes;
	uint8_t port_lanes;
	bool phys_statistical;		/* PPCNT counts bits that are wrong */
	uint32_t eth_proto, ext_proto;	/* of PTYS, in both numberings; 0: not the second */
	uint8_t inline_mode;		/* enum prm_inline_mode */
	bool vlan_insert;		/* WQEs can insert a VLAN tag */
	bool tunnels;			/* it looks into VXLAN, GRE and IP in IP */
	bool vpd_function;		/* the vital product data names the function */
	bool port_select;		/* flow tables can select the port of a LAG */
	bool rdma_tables;		/* flow tables of RoCE packets */
	bool vnic_env_newer;		/* QUERY_VNIC_ENV has counters that older cards lack */
	bool cc_general;		/* congestion control by round-trip times has parameters */
	bool vf;			/* it is a VF of the card */
	uint64_t bar_bytes;
	uint64_t memic_at;		/* in the BAR: memory of its own; 0: it has none */
	unsigned int vectors;
	uint32_t boot_pages, init_pages;
	struct obj_range objs[OBJ_TYPES];
	/*
	 * Fills one type's pages (zeroed, CAP_BYTES): current values after boot, and maxima.
	 * -1: no such type.
	 */
	int (*caps)(const struct cxdev *dev, unsigned int type, void *cur, void *max);
};

/*
 * Cards advertise traffic classes and DCB, user contexts, and with these page faults of the memory
 * scheme. Set before the first function.
 */
extern bool card_dcb, card_devx, card_memory_faults;

#define UAR_BYTES 4096

/* ---- commands: cmdq.c fetches them, cmd.c runs them ---- */

#define CMD_OPCODES 0x1000
#define CMD_MAX_BYTES (4u << 20)	/* of input and of output */

struct cmd {
	struct cxdev *dev;
	uint16_t opcode, op_mod, uid;
	const void *in; /* joined mailboxes, in_len bytes with the header */
	uint32_t in_len;
	/* zeroed, out_len bytes as the driver requested; cmdq.c sets status and syndrome */
	void *out;
	uint32_t out_len;
	uint8_t status; /* enum prm_status */
	uint32_t syndrome;
	bool waits; /* not run: it runs again after the next command (cmd_wait_for_pages()) */
};

/*
 * A range of bits of a command's input that must be zero. Lists are generated by
 * scripts/prm-reserved and end with width 0.
 */
struct prm_reserved {
	uint32_t bit, width;
};

/* One row of a command table. */
struct cmd_desc {
	uint16_t opcode;
	const char *name;
	/* of the fixed layouts; less is refused (BAD_INP_LEN / BAD_OUTP_LEN) */
	uint32_t in_len, out_len;
	bool tail; /* input may be longer than in_len (pas[], mtt) */
	bool part; /* an application may have room for the first part of the output only */
	const struct prm_reserved *reserved;
	bool early;		   /* valid between ENABLE_HCA and INIT_HCA, too */
	int (*run)(struct cmd *c); /* 0, or what refuse() returned */
};

/*
 * 0, or refused with the first reserved bit that is set; the layout begins at byte @at of the
 * input. The place of the uid in the header is not checked: not all layouts have the field.
 */
int check_reserved(struct cmd *c, const struct prm_reserved *r, uint32_t at);

/* A list for each command, generated from the layouts. */
#define PRM_DECLARE_RESERVED(n, ...) extern const struct prm_reserved prm_reserved_##n##_in[];
PRM_CMD_LIST(PRM_DECLARE_RESERVED)
extern const struct prm_reserved prm_reserved_match_definer[];

/*
 * CMD(create_eq, .tail = true): a row for run_create_eq with the sizes of struct
 * prm_create_eq_in/_out.
 */
#define CMD(n, ...)                                                                         \
	{                                                                                   \
		.opcode = PRM_OP_##n, .name = #n, .in_len = sizeof(struct prm_##n##_in),    \
		.out_len = sizeof(struct prm_##n##_out), .reserved = prm_reserved_##n##_in, \
		.run = run_##n, ##__VA_ARGS__                                               \
	}
/* Registers the tables of cmd_run(): a list that ends with NULL. */
void cmd_set_tables(const struct cmd_desc *const *tables);

/*
 * Refuses the command: sets status and syndrome (24 bits of the CRC-32 of the format string, so the
 * same in every run), logs the reason, counts a violation; of a command with the uid of a user
 * context only as decline() does, since the driver passes on what an application asks for. Always
 * returns -1, so `return refuse(...)`.
 */
int refuse(struct cmd *c, enum prm_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * As refuse(), but a violation whatever the uid: of a command that the driver makes itself, or a
 * field that it sets in an application's. Nothing that the application asks for leads there.
 */
int refuse_driver(struct cmd *c, enum prm_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * As refuse(), but no violation: the driver probes for something that no capability advertises
 * (capability groups, registers, counter sets), or passes on an application's request that only the
 * card can check. `status` counts these as declined.
 */
int decline(struct cmd *c, enum prm_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The command lacks pages that the card has requested: it stays in its slot and runs again after
 * each command that completes, MANAGE_PAGES among them, as on a card, for which drivers keep a slot
 * for MANAGE_PAGES. To be called before anything is changed; always returns -1.
 */
int cmd_wait_for_pages(struct cmd *c);

/* Sets status and syndrome only. */
void cmd_set_status(struct cmd *c, enum prm_status status, const char *fmt);
/*
 * The function that a command with a function number is about: the sender's own, or a VF that it
 * enables. NULL: refused.
 */
struct cxdev *cmd_function(struct cmd *c, bool embedded, uint32_t id);
const char *cmd_opcode_name(uint16_t opcode);

/* Checks a command against its row and runs it; 0, or refused. Host tests call it directly. */
int cmd_run(struct cmd *c);
/*
 * Refuses a field that is set: -1, else 0. The format stays a literal, so that each field has a
 * syndrome of its own.
 */
#define is_set(c, p, field, why) ({							\
	unsigned int value_ = prm_get(p, field);					\
											\
	value_ ? refuse(c, PRM_STATUS_BAD_PARAM, #field " is set (0x%x), " why, value_) : 0; \
})

/* ---- what commands cost: cmd_time.c ---- */

#define CMD_TIME_MAX_US 1000000

/*
 * How long commands of all functions take from now on: "off", "table", or microseconds. 0, or
 * -EINVAL: none of these.
 */
int cmd_time_set(const char *text);
uint64_t cmd_time_ns(uint16_t opcode, uint32_t in_len, uint32_t out_len);
void cmd_time_print(FILE *out);		/* the setting and the table */
void cmd_time_count(const struct cmd *c);
void cmd_counts_print(const struct cxdev *dev, FILE *out);

/* ---- events and interrupts: event.c ---- */

/* Receiver of events; embedded in an event queue. */
struct event_sink {
	void (*push)(struct event_sink *sink, uint8_t type, uint8_t subtype, const void *data,
		     size_t len);
};

/*
 * Passes the event to the sink of its type (the EQ whose event mask has it); without one it is
 * dropped with a trace line.
 */
void event_dispatch(struct cxdev *dev, uint8_t type, uint8_t subtype, const void *data, size_t len);
bool event_has_sink(const struct cxdev *dev, uint8_t type);
void event_sink_remove(struct cxdev *dev, struct event_sink *sink);
void hca_raise_irq(struct cxdev *dev, unsigned int vector);

/* ---- the state behind the registers ---- */

#define CMDQ_LOG_SZ 5
#define CMDQ_LOG_STRIDE 6
#define CMDQ_SLOTS (1u << CMDQ_LOG_SZ)

enum hca_phase { HCA_OFF, HCA_ENABLED, HCA_RUNNING };

enum manage_pages_op { PAGES_CANT_GIVE = 0, PAGES_GIVE = 1, PAGES_TAKE = 2 };

/* Page addresses given by the driver and not reclaimed. */
struct held_pages {
	uint32_t n;
	uint64_t *pa;
	uint32_t listed, room;	/* in pa; fewer than n in host tests, which set n alone */
	uint32_t *hash;		/* places in pa, from 1; 0: free */
	uint32_t mask;
};

#define CAP_CHANGES 64		/* fields that faults change at a time */

/*
 * Recently destroyed queues of a kind. Their last doorbell may arrive late: ib_core unmaps a
 * program's doorbell page only after them.
 */
#define GONE_QUEUES 64

struct gone_queues {
	struct {
		uint32_t num, uar;
	} queues[GONE_QUEUES];
	unsigned int count;
};

void gone_add(struct gone_queues *gone, uint32_t num, uint32_t uar);
bool gone_has(const struct gone_queues *gone, uint32_t num, uint32_t uar);

/*
 * For QUERY_VNIC_ENV: what goes wrong on the device's side of a function. Each room counts its own;
 * cleared by a reset of the function.
 */
struct vnic_env {
	uint32_t error_queues;		/* by themselves, not by a command */
	uint32_t prio_updates;		/* of send queues */
	uint32_t async_eq_overruns, comp_eq_overruns, cq_overruns;
	uint32_t failed_commands, quota_commands;
	uint32_t small_wqes;		/* of RQs, for the packet */
};

struct hca_state {
	struct cxdev *dev;
	enum hca_phase phase;
	uint64_t cmdq_addr;
	uint8_t nic_ifc;		/* enum prm_nic_ifc, as the driver wrote it */
	uint64_t boot_done_ns;
	uint32_t issi;
	uint8_t owner[16];		/* sw_owner_id of INIT_HCA */
	uint8_t cap_cur[CAP_TYPES][CAP_BYTES] __attribute__((aligned(8)));
	uint8_t cap_max[CAP_TYPES][CAP_BYTES] __attribute__((aligned(8)));
	bool cap_valid[CAP_TYPES];
	/* capabilities that faults change, from the next start on */
	struct cap_change { struct cap cap; uint64_t value; } cap_changes[CAP_CHANGES];
	unsigned int n_cap_changes;

	uint32_t pending;		/* doorbell bits of commands that have not run */
	uint32_t waiting;		/* of those that ran and wait for pages */
	uint32_t busy;			/* of those whose time is not over, until due_ns */
	uint32_t timed;			/* of pending and waiting ones: their time is over */
	uint64_t due_ns[CMDQ_SLOTS];
	struct timer cmd_timer;
	struct work cmd_work;
	uint32_t next_slot;
	uint32_t half_uar, half_at, half_value;	/* first half of a doorbell of 8 bytes */

	struct held_pages pages;
	int32_t pages_requested; /* by an event, not answered yet; negative: to reclaim */
	bool pages_denied;	 /* the driver cannot give any; until it gives some */
	uint64_t pages_peak;

	struct gone_queues gone_cqs;

	uint64_t clock_from;	/* now_ns() at the last reset */

	uint64_t budget_used, budget_peak;
	bool budget_told;

	struct event_sink *sinks[256];	/* the async EQ whose mask has the event type */
	struct event_sink *cmd_sink;

	struct vnic_env vnic;
	uint64_t commands, refused, declined, delivery_errors, irqs, irqs_lost;
	uint64_t compressed;	/* completions in CQEs of several */
	uint64_t by_opcode[CMD_OPCODES];
	uint64_t table_us;	/* what the commands would have taken by the table of cmd_time.c */
};

int hca_state_create(struct cxdev *dev);
void hca_state_reset(struct cxdev *dev);
/*
 * The internal timer. A reset starts it some seconds before its 41 bits that drivers rely on
 * overflow.
 */
uint64_t hca_clock(const struct cxdev *dev);
/* The timestamp of a completion: what the timer shows when the work that runs first asks for it. */
uint64_t hca_stamp(const struct cxdev *dev);
void hca_state_destroy(struct cxdev *dev);

/* ---- VFs that the driver of their PF enables: vf.c ---- */

#define VFS_MAX 15

int vfs_create(struct cxdev *pf);	/* 0 or -ENOMEM */
void vfs_add(struct cxdev *pf, struct cxdev *dev); /* as function 1, 2, ... */
void vfs_leave(struct cxdev *dev);	/* PF or VF is destroyed */
unsigned int vfs_count(const struct cxdev *pf);
struct cxdev *vfs_function(const struct cxdev *pf, unsigned int id); /* NULL: there is none */
bool vf_is_absent(const struct cxdev *dev); /* its PF has not enabled it */
/* May the card advertise RoCE to the VF at its next start? */
void vf_permit_roce(struct cxdev *dev, bool permit);

/* cmdq.c */
void cmdq_work(struct work *work);
void cmdq_time_over(struct timer *timer);
void cmdq_doorbell(struct cxdev *dev, uint32_t bits);
void cmdq_retry(struct cxdev *dev); /* commands that wait for pages */
const char *cmd_status_name(uint8_t status);

/*
 * pages.c: do the pages that the card holds suffice for one more object? Requests more before they
 * run out.
 */
bool pages_suffice(struct cxdev *dev);
bool pages_to_come(struct cxdev *dev);	/* requested, and not denied */
void pages_object_destroyed(struct cxdev *dev);
int32_t pages_wanted(struct cxdev *dev);	/* to request; negative: to reclaim */
uint32_t pages_initial(const struct cxdev *dev);	/* for boot and INIT_HCA */
void pages_forget(struct cxdev *dev);	/* the driver has them back */
/* Whose driver is asked for the function's pages: its own, or that of the PF that enables it. */
struct cxdev *pages_giver(struct cxdev *dev);
void pages_refused(struct cmd *c);	/* MANAGE_PAGES: if they were given, the request is over */
void pages_request(struct cxdev *dev, int32_t n); /* asks; negative: offers so many back */
/* Asks the PF's driver for what a VF needs before INIT_HCA, or to take back what it does not. */
void pages_balance(struct cxdev *vf);

/* caps.c */
void hca_caps_reset(struct cxdev *dev);
/*
 * Makes the function one of a card with another capability, from its next start on: -ENOSPC, there
 * are CAP_CHANGES already.
 */
int hca_cap_change(struct cxdev *dev, const struct cap *cap, uint64_t value);
void hca_caps_restore(struct cxdev *dev);
/* Does the function have this page: the card, and what announces it? */
bool hca_has_page(const struct cxdev *dev, enum cap_type type);
/* The card has changed something: the function sees it from its next start on. */
void hca_caps_changed(struct cxdev *dev);
bool hca_roce(const struct cxdev *dev);		/* advertised */
bool hca_fixed_buffers(const struct cxdev *dev);	/* has KSM keys */
bool hca_null_mkey(const struct cxdev *dev);	/* a key whose pages are never present */
bool hca_far_umr(const struct cxdev *dev);	/* offsets of UMR have more than 16 bits */
unsigned int hca_umr_fence(const struct cxdev *dev);	/* that a registration needs */
unsigned int hca_indirection(const struct cxdev *dev);	/* keys in lists of keys, so many times */
bool hca_pages(const struct cxdev *dev);	/* keys may have pages that are not present */

/* The transports of page ODP, in its order, and a transport's bits. */
enum odp_service { ODP_RC, ODP_UC, ODP_UD, ODP_XRC, ODP_DC };

#define ODP_SEND	0x20
#define ODP_RECEIVE	0x10
#define ODP_WRITE	0x08
#define ODP_READ	0x04
#define ODP_ATOMIC	0x02
#define ODP_SRQ_RECEIVE	0x01

/* Are page faults of the memory scheme, as the driver has set it? */
bool hca_memory_faults(const struct cxdev *dev);
/* Do they ask for pages around those that are missing? */
bool hca_prefetches(const struct cxdev *dev);
/* What of the transport raises page faults of that scheme, the same. */
unsigned int hca_page_faults(const struct cxdev *dev, enum odp_service service);
bool hca_dc(const struct cxdev *dev);		/* DC transport is advertised */
/* Logarithm of the READs and atomics that a DCI may have outstanding. */
unsigned int hca_dc_reads(const struct cxdev *dev);
unsigned int hca_dc_answers(const struct cxdev *dev);	/* the same of a DCT's initiators, each */
uint32_t hca_dc_wqe_bytes(const struct cxdev *dev);	/* a WQE of a DCI has at most */
/* Are the streams of a DCI reset by an extension of the QP context? */
bool hca_resets_streams(const struct cxdev *dev);
bool hca_changes_sport(const struct cxdev *dev);	/* the UDP port of a QP in RTS */
bool hca_detects_stalls(const struct cxdev *dev); /* of a function that takes no frames */
bool hca_has_owner(const struct cxdev *dev);	/* sw_owner_id is advertised */
/* The key that ends a scatter list: another one if the card has one of its own. */
uint32_t hca_terminate_lkey(const struct cxdev *dev);
/* May the driver set the state of the uplink by MODIFY_VPORT_STATE? */
bool hca_uplink_follows(const struct cxdev *dev);
uint32_t hca_eq_limit(const struct cxdev *dev);
/* Completions that are compressed into one. */
uint32_t hca_session_max(const struct cxdev *dev);
bool hca_stride_index(const struct cxdev *dev); /* each of them may say which stride it is of */
bool hca_striding(const struct cxdev *dev);	/* WQEs of RQs may take several packets */
bool hca_few_strides(const struct cxdev *dev);	/* and have less than 512 strides */
bool hca_requests_pages(const struct cxdev *dev);
/* Are the completions of an SQ, RQ or QP stamped in this format, enum prm_ts_format? */
bool hca_stamps(const struct cxdev *dev, enum obj_type queue, unsigned int format);
/* What SET_ROCE_ADDRESS calls the port: 0 if num_vhca_ports is. */
unsigned int hca_vhca_port(const struct cxdev *dev);
/* Does an affinity override the port selection flow tables? */
bool hca_affinity_bypass(const struct cxdev *dev);
/* Does the requester of an atomic get the old value in host order? */
bool hca_atomics_in_host_order(const struct cxdev *dev);
/*
 * What WQEs must have inline, enum prm_inline_mode, and whether they may have a tag to insert: as
 * advertised; as the card does it, if no page of Ethernet is.
 */
unsigned int hca_inline_mode(const struct cxdev *dev);
bool hca_inserts_vlan(const struct cxdev *dev);
/* Capabilities of packet pacing; NULL: it is not advertised. */
const struct prm_qos_cap *hca_pacing(const struct cxdev *dev);
/* May WQEs of SQs be several packets: of one length, of any? */
bool hca_sends_equal(const struct cxdev *dev);
bool hca_sends_several(const struct cxdev *dev);

enum { TUNNEL_VXLAN = 1, TUNNEL_GRE = 2, TUNNEL_IP = 4 };

/* The tunnels that are advertised, whose inner headers the card knows. */
unsigned int hca_tunnels(const struct cxdev *dev);
unsigned int hca_vxlan_ports(const struct cxdev *dev);

/* Of the vport's list of unicast addresses; drivers can set it. */
unsigned int hca_log_max_uc_list(const struct cxdev *dev);

/*
 * health_buffer.c: the firmware reports a failure with all that belongs to it, and the time; 0: it
 * takes the report back.
 */
void health_report(struct cxdev *dev, uint8_t synd, bool rfr);

/*
 * cap_names.c: a capability is named by its page and field, "roce_cap.l3_type", a general one also
 * by its field alone. False: there is none of this name.
 */
bool cap_find(const char *name, struct cap *cap);
void cap_print_name(const struct cap *cap, FILE *out);
uint64_t cap_get(const struct cap *cap, const uint8_t *page);
void cap_set(const struct cap *cap, uint8_t *page, uint64_t value);
/* What is not 0, a line each: function, name, bits, value, and the maximum if that differs. */
void cap_print_all(const struct cxdev *dev, FILE *out);

/* needs.c: 0, or refused: a fault has taken a capability that the command needs. */
int check_needs(struct cmd *c);

/* obj.c */
int obj_state_create(struct cxdev *dev);
void obj_state_destroy(struct cxdev *dev);
unsigned int obj_count_all(struct cxdev *dev);

extern const struct cmd_desc cmds_pages[], cmds_caps[];

#endif
