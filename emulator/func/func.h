/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * func: what a PCI function is to the rooms above. It has commands, objects with numbers and
 * references, events, pages that it borrows from the driver, capabilities.
 *
 * A command is checked against its row before it runs: phase, lengths, reserved bits. What is
 * refused changes nothing, and has a syndrome of its own and a line that says why. Each room has a
 * table of its commands; card/cxdev.c hands them all to cmd_set_tables().
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
	OBJ_TYPES
};

/*
 * First member of every object. Numbers are unique within a type and function, handed out in turn
 * so that a stale one is noticed; QP, SQ, RQ, SRQ, XRC_SRQ and RMP share one number space, since a
 * doorbell names them by number alone.
 */
struct obj {
	enum obj_type type;
	uint32_t num;  /* 24 bit; of an mkey: the index */
	uint32_t refs; /* objects that use this one */
	struct cxdev *dev;
	/* frees what hangs on it (references too), never the object; may be NULL */
	void (*release)(void *obj);
	/* of a queue: into error state, as if by itself; NULL: nothing can */
	void (*stop)(void *obj);
	struct list_head by_num, by_type; /* obj.c's own */
};

const char *obj_name(enum obj_type type);
/*
 * Zeroed object of @size bytes with a number of its own; NULL: *c is refused with NO_RES (limit of
 * the card reached).
 */
void *obj_create(struct cmd *c, enum obj_type type, size_t size);
void *obj_find(struct cxdev *dev, enum obj_type type, uint32_t num); /* NULL if there is none */
/* What has this number in the space of QPs; NULL: nothing. */
struct obj *obj_find_queue(struct cxdev *dev, uint32_t num);
/* The object a command's field names; NULL: *c is refused (BAD_RES), naming @field. */
void *obj_get(struct cmd *c, enum obj_type type, uint32_t num, const char *field);
/* obj_get and a reference; give it back with obj_put (in release or where the change is undone). */
void *obj_use(struct cmd *c, enum obj_type type, uint32_t num, const char *field);
void obj_put(void *obj); /* NULL is fine */
/*
 * Destroys: 0, or the command is refused (RES_BUSY) because something still uses it. Calls release,
 * frees.
 */
int obj_destroy(struct cmd *c, void *obj);
/* a create command that fails half-way: release + free, no check */
void obj_drop_failed(void *obj);
unsigned int obj_count(struct cxdev *dev, enum obj_type type);
/* FLR, teardown with force: in an order that frees users first */
void obj_destroy_all(struct cxdev *dev);
/* Calls fn for each object of a type. */
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

struct obj_range {
	uint32_t first, count;
};

struct card {
	const char *name;		/* of --card */
	const char *model;
	uint16_t device_id, vf_device_id, subsystem_id;
	uint16_t fw_major, fw_minor, fw_sub;
	char psid[17];
	uint8_t pcie_gen, pcie_lanes;
	uint8_t port_lanes;
	uint32_t eth_proto;		/* link modes of PTYS; it runs at the lowest */
	uint8_t inline_mode;		/* enum prm_inline_mode */
	bool vlan_insert;		/* WQEs can insert a tag */
	bool port_select;		/* a LAG's ports can be selected by flow tables */
	bool vf;			/* a virtual function of the card */
	uint64_t bar_bytes;
	unsigned int vectors;
	uint32_t boot_pages, init_pages;
	struct obj_range objs[OBJ_TYPES];
	/*
	 * Fills one type's pages (zeroed, CAP_BYTES): as after boot, and the most that can be set.
	 * -1: no such type.
	 */
	int (*caps)(const struct cxdev *dev, unsigned int type, void *cur, void *max);
};

#define UAR_BYTES 4096

/* ---- commands: cmdq.c brings them, cmd.c runs them ---- */

struct cmd {
	struct cxdev *dev;
	uint16_t opcode, op_mod, uid;
	const void *in; /* joined mailbox, in_len bytes (opcode header included) */
	uint32_t in_len;
	/* zeroed, out_len bytes as the driver offered; status and syndrome are filled by cmdq.c */
	void *out;
	uint32_t out_len;
	uint8_t status; /* enum prm_status */
	uint32_t syndrome;
};

/*
 * A range of bits of a command's input that must be zero. Lists are made by scripts/prm-reserved
 * and end with width 0.
 */
struct prm_reserved {
	uint32_t bit, width;
};

/* One row of a command table. */
struct cmd_desc {
	uint16_t opcode;
	const char *name;
	/* of the fixed layouts; shorter is refused (BAD_INP_LEN / BAD_OUTP_LEN) */
	uint32_t in_len, out_len;
	bool tail; /* input longer than in_len (pas[], mtt) is fine */
	/* ranges of the input that must be zero (made by scripts/prm-reserved) */
	const struct prm_reserved *reserved;
	bool early;		   /* legal between ENABLE_HCA and INIT_HCA too */
	int (*run)(struct cmd *c); /* 0, or what refuse() returned */
};

/*
 * 0, or refused naming the first range of reserved bits that holds something; the layout begins
 * @at bytes behind the start of the input.
 */
int check_reserved(struct cmd *c, const struct prm_reserved *r, uint32_t at);

/* A table for each command, made from the layouts. */
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
/* Whom cmd_run() asks for a command's row: a list of tables, ended by NULL. */
void cmd_set_tables(const struct cmd_desc *const *tables);

/*
 * Refuses the command: sets status and a syndrome of its own (CRC-32 of the format string, 24 bits:
 * the same in every run), logs the reason in words, counts a violation. Always returns -1, so
 * `return refuse(...)`.
 */
int refuse(struct cmd *c, enum prm_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * As refuse(), but no violation: the driver asks whether the card has something, and the card says
 * no (capability groups, registers and counter sets that no capability bit announces), or hands on
 * what an application asks and only the card can judge. `status` counts these as declined.
 */
int decline(struct cmd *c, enum prm_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A refusal that is nobody's fault: status and syndrome alone. */
void cmd_set_status(struct cmd *c, enum prm_status status, const char *fmt);
/* 0, or refused: @id is another function. */
int cmd_check_function(struct cmd *c, bool embedded, uint32_t id);
const char *cmd_opcode_name(uint16_t opcode);

/* Checks a command against its row and runs it; 0, or refused. For host tests too. */
int cmd_run(struct cmd *c);
/*
 * -1 and refused in the words of the field, or 0. The format stays a literal, so that each field
 * has a syndrome of its own.
 */
#define is_set(c, p, field, why) ({							\
	unsigned int value_ = prm_get(p, field);					\
											\
	value_ ? refuse(c, PRM_STATUS_BAD_PARAM, #field " is set (0x%x), " why, value_) : 0; \
})

/* ---- events and interrupts: event.c ---- */

/* Who takes events; part of an event queue. */
struct event_sink {
	void (*push)(struct event_sink *sink, uint8_t type, uint8_t subtype, const void *data,
		     size_t len);
};

/*
 * To the sink that takes this event type (async EQ, by the event masks); dropped with a trace line
 * if none does.
 */
void event_dispatch(struct cxdev *dev, uint8_t type, uint8_t subtype, const void *data, size_t len);
bool event_has_sink(const struct cxdev *dev, uint8_t type); /* is there a sink for it? */
void event_sink_remove(struct cxdev *dev, struct event_sink *sink);
void hca_raise_irq(struct cxdev *dev, unsigned int vector);

/* ---- the state behind the registers ---- */

#define CMDQ_LOG_SZ 5
#define CMDQ_LOG_STRIDE 6
#define CMDQ_SLOTS (1u << CMDQ_LOG_SZ)

enum hca_phase { HCA_OFF, HCA_ENABLED, HCA_RUNNING };

/* Page addresses that the driver gave and has not got back. */
struct held_pages {
	uint64_t *pa;
	uint32_t n, room;
};

struct hca_state {
	struct cxdev *dev;
	enum hca_phase phase;
	uint64_t cmdq_addr;
	uint8_t nic_ifc;		/* enum prm_nic_ifc, as the driver wrote it */
	uint64_t boot_done_ns;
	uint32_t issi;
	uint8_t cap_cur[CAP_TYPES][CAP_BYTES] __attribute__((aligned(8)));
	uint8_t cap_max[CAP_TYPES][CAP_BYTES] __attribute__((aligned(8)));
	bool cap_valid[CAP_TYPES];

	uint32_t pending;		/* doorbell bits whose command has not run yet */
	struct work cmd_work;
	uint32_t next_slot;
	uint32_t half_uar, half_at, half_value;	/* first half of a doorbell of 8 bytes */

	struct held_pages pages;
	int32_t pages_requested; /* by page request events,
	not answered yet; negative: to be taken back
			      */
	uint64_t pages_peak;

	struct event_sink *sinks[256];	/* the async EQ whose mask has the event type */
	struct event_sink *cmd_sink;

	uint64_t commands, refused, declined, delivery_errors, irqs, irqs_lost;
};

int hca_state_create(struct cxdev *dev);
void hca_state_reset(struct cxdev *dev);
void hca_state_destroy(struct cxdev *dev);
/* cmdq.c */
void cmdq_work(struct work *work);
void cmdq_doorbell(struct cxdev *dev, uint32_t bits);
const char *cmd_status_name(uint8_t status);

/*
 * pages.c: may one more object be made with the pages the card holds? Asks for more in good time.
 */
bool pages_suffice(struct cxdev *dev);
void pages_object_destroyed(struct cxdev *dev);
int32_t pages_wanted(struct cxdev *dev);	/* more than the card holds; negative: fewer */
uint32_t pages_initial(const struct cxdev *dev);	/* those of boot and of INIT_HCA */

/* caps.c */
void hca_caps_reset(struct cxdev *dev);
/* May an affinity name a port past the flow tables that select one? */
bool hca_affinity_bypass(const struct cxdev *dev);
/* What the requester of an atomic finds in memory. */
bool hca_atomics_in_host_order(const struct cxdev *dev);

/* obj.c */
int obj_state_create(struct cxdev *dev);
void obj_state_destroy(struct cxdev *dev);
unsigned int obj_count_all(struct cxdev *dev);

extern const struct cmd_desc cmds_pages[], cmds_caps[];

#endif
