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
	OBJ_TYPES
};

#define OBJ_NUMBERS (1u << 24)

/*
 * First member of every object. Numbers are unique within a type and function, allocated in turn
 * (but see obj_reuse_numbers) so that use of a stale one is noticed; QP, SQ, RQ, SRQ, XRC_SRQ and
 * RMP share one number space, since a doorbell names them by number only.
 */
struct obj {
	enum obj_type type;
	uint32_t num;  /* 24 bits; of an mkey: the index */
	uint32_t refs; /* references held by other objects */
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
/* The queue of any type with this number; NULL: none. */
struct obj *obj_find_queue(struct cxdev *dev, uint32_t num);
/* The object that @field of a command names, without a reference; NULL: refused (BAD_RES). */
void *obj_lookup(struct cmd *c, enum obj_type type, uint32_t num, const char *field);
/* The same with a reference, for obj_put() in release() or when the change is undone. */
void *obj_hold(struct cmd *c, enum obj_type type, uint32_t num, const char *field);
void obj_put(void *obj); /* NULL: no effect */
/* Releases and frees; 0, or the command is refused (RES_BUSY) because it is still referenced. */
int obj_destroy(struct cmd *c, void *obj);
/* Releases and frees without a check, for create commands that fail. */
void obj_free(void *obj);
unsigned int obj_count(struct cxdev *dev, enum obj_type type);
/* for FLR and reset: users before what they use */
void obj_destroy_all(struct cxdev *dev);
/* Calls @fn for each object of a type. */
void obj_for_each(struct cxdev *dev, enum obj_type type, void (*fn)(void *obj, void *arg),
		  void *arg);

/* ---- the card ---- */

enum cap_type {
	CAP_GENERAL = 0,
	CAP_ETH = 1,
	CAP_ATOMIC = 3,
	CAP_ROCE = 4,
	CAP_FLOW_NIC = 7,
	CAP_PORT_SELECTION = 0x25,
	CAP_TYPES = 0x26
};

#define CAP_BYTES 0x1000

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
	uint32_t eth_proto;		/* link modes of PTYS; the link runs at the lowest */
	uint8_t inline_mode;		/* enum prm_inline_mode */
	bool vlan_insert;		/* WQEs can insert a VLAN tag */
	bool vpd_function;		/* the vital product data names the function */
	bool port_select;		/* flow tables can select the port of a LAG */
	bool vf;			/* it is a VF of the card */
	uint64_t bar_bytes;
	unsigned int vectors;
	uint32_t boot_pages, init_pages;
	struct obj_range objs[OBJ_TYPES];
	/*
	 * Fills one type's pages (zeroed, CAP_BYTES): current values after boot, and maxima.
	 * -1: no such type.
	 */
	int (*caps)(const struct cxdev *dev, unsigned int type, void *cur, void *max);
};

#define UAR_BYTES 4096

/* ---- commands: cmdq.c fetches them, cmd.c runs them ---- */

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
	const struct prm_reserved *reserved;
	bool early;		   /* valid between ENABLE_HCA and INIT_HCA, too */
	int (*run)(struct cmd *c); /* 0, or what refuse() returned */
};

/*
 * 0, or refused with the first reserved bit that is set; the layout begins at byte @at of the
 * input.
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
 * same in every run), logs the reason, counts a violation. Always returns -1, so `return
 * refuse(...)`.
 */
int refuse(struct cmd *c, enum prm_status status, const char *fmt, ...)
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
/* 0, or refused: another function. */
int cmd_check_function(struct cmd *c, bool embedded, uint32_t id);
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

/* Page addresses given by the driver and not reclaimed. */
struct held_pages {
	uint64_t *pa;
	uint32_t n, room;
};

#define CAP_CHANGES 16		/* fields in the grammar of faults, at least */

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
	/* general capabilities that a fault changes */
	struct cap_change { uint32_t bit, width, value; } cap_changes[CAP_CHANGES];
	unsigned int n_cap_changes;

	uint32_t pending;		/* doorbell bits of commands that have not run */
	uint32_t waiting;		/* of those that ran and wait for pages */
	struct work cmd_work;
	uint32_t next_slot;
	uint32_t half_uar, half_at, half_value;	/* first half of a doorbell of 8 bytes */

	struct held_pages pages;
	int32_t pages_requested; /* by an event, not answered yet; negative: to reclaim */
	bool pages_denied;	 /* the driver cannot give any; until it gives some */
	uint64_t pages_peak;

	struct event_sink *sinks[256];	/* the async EQ whose mask has the event type */
	struct event_sink *cmd_sink;

	uint64_t commands, refused, declined, delivery_errors, irqs, irqs_lost;
};

int hca_state_create(struct cxdev *dev);
void hca_state_reset(struct cxdev *dev);
/* The internal timer, also the timestamp of completions. */
uint64_t hca_clock(const struct cxdev *dev);
void hca_state_destroy(struct cxdev *dev);
/* cmdq.c */
void cmdq_work(struct work *work);
void cmdq_doorbell(struct cxdev *dev, uint32_t bits);
const char *cmd_status_name(uint8_t status);

/*
 * pages.c: do the pages that the card holds suffice for one more object? Requests more before they
 * run out.
 */
bool pages_suffice(struct cxdev *dev);
bool pages_to_come(const struct cxdev *dev);	/* requested, and not denied */
void pages_object_destroyed(struct cxdev *dev);
int32_t pages_wanted(struct cxdev *dev);	/* to request; negative: to reclaim */
uint32_t pages_initial(const struct cxdev *dev);	/* for boot and INIT_HCA */

/* caps.c */
void hca_caps_reset(struct cxdev *dev);
/*
 * Makes the function one of a card with another general capability, from its next start on: the
 * field at @bit, @width bits wide.
 */
void hca_cap_change(struct cxdev *dev, uint32_t bit, uint32_t width, uint32_t value);
void hca_caps_restore(struct cxdev *dev);
bool hca_has_owner(const struct cxdev *dev);	/* sw_owner_id is advertised */
uint32_t hca_eq_limit(const struct cxdev *dev);
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
 * health_buffer.c: the firmware reports a failure with all that belongs to it, and the time; 0: it
 * takes the report back.
 */
void health_report(struct cxdev *dev, uint8_t synd, bool rfr);

/* obj.c */
int obj_state_create(struct cxdev *dev);
void obj_state_destroy(struct cxdev *dev);
unsigned int obj_count_all(struct cxdev *dev);

extern const struct cmd_desc cmds_pages[], cmds_caps[];

#endif
