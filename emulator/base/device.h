/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the files of the device proper know of each other.
 *
 * One process serves several PCI functions; each is a struct cxdev with one vport on one port of
 * the switch (wire.c). Everything runs in one thread, on one loop (loop.c): messages of the
 * sockets, doorbells as work items, timers. So there are no locks, runs are repeatable, and the
 * only rule is that no callback may run long: work on guest memory comes in slices (LOOP_SLICE
 * units) and queues itself again. Nothing here knows vfio-user: guest memory and interrupts are
 * reached through struct guest_ops alone, so that the device runs under QEMU, under a socket client
 * and inside host tests.
 *
 * Guest addresses are translated anew at each access; nobody keeps a pointer into guest memory.
 */
#ifndef CXEMU_DEVICE_H
#define CXEMU_DEVICE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "prm/prm.h"
#include "prm/cmdif.h"
#include "base/list.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

struct cxdev;
struct cmd;

/* ---- loop.c: time, work, timers ---- */

#define LOOP_SLICE 64 /* packets or WQEs one work callback handles before it queues itself again */

struct work {
	struct list_head node; /* empty when not queued */
	void (*fn)(struct work *work);
};

struct timer {
	struct list_head node;
	uint64_t due_ns;
	void (*fn)(struct timer *timer);
};

/* iseg.c: the internal timer, which completions have as their timestamp */
uint64_t device_clock(void);
uint64_t now_ns(void); /* CLOCK_MONOTONIC; host tests move it by loop_test_clock() */
void work_init(struct work *work, void (*fn)(struct work *work));
void work_queue(struct work *work); /* once: queueing queued work changes nothing */
void work_cancel(struct work *work);
void timer_init(struct timer *timer, void (*fn)(struct timer *timer));
void timer_arm(struct timer *timer, uint64_t delay_ns); /* an armed timer is moved */
void timer_cancel(struct timer *timer);
bool timer_armed(const struct timer *timer);
/* time stands at @ns from now on; 0: the real clock again */
void loop_test_clock(uint64_t ns);
/* A file descriptor on the loop; fn is called when it can be read. Returns 0 or -errno. */
int loop_add_fd(int fd, void (*fn)(int fd, void *arg), void *arg);
void loop_del_fd(int fd);
/* What fn is called for; after loop_add_fd: readable only. */
void loop_fd_wants(int fd, bool readable, bool writable);
/* runs queued work and due timers once; true if some work is left. For host tests too. */
bool loop_run_pending(void);
int loop_run(void); /* until loop_stop() */
void loop_stop(void);

/* ---- guest.c: the guest as the device sees it ---- */

struct guest_ops {
	/*
	 * 0, or -EFAULT when part of the range is not mapped for DMA (then nothing is known of how
	 * much was done).
	 */
	int (*read)(void *guest, uint64_t addr, void *buf, size_t len);
	int (*write)(void *guest, uint64_t addr, const void *buf, size_t len);
	int (*irq)(void *guest, unsigned int vector); /* 0, or -errno: the vector is off */
};

/* a refused access counts as violation */
int guest_read(struct cxdev *dev, uint64_t addr, void *buf, size_t len);
int guest_write(struct cxdev *dev, uint64_t addr, const void *buf, size_t len);

/* ---- trace and violations (trace.c) ---- */

/* A line of the log, "a0: ...", at --trace debug. */
void trace(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same at the default level: rare events that a reader of any log wants to see. */
void notice(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * The driver did something wrong: counted, kept (first 64), logged, listed by `status`. Say in
 * words what was wrong.
 */
void violation(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- obj.c: numbers, owners, reference counts ---- */

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
	struct list_head by_num, by_type; /* obj.c's own */
};

const char *obj_name(enum obj_type type);
/*
 * Zeroed object of @size bytes with a number of its own; NULL: *c is refused with NO_RES (limit of
 * the card reached).
 */
void *obj_create(struct cmd *c, enum obj_type type, size_t size);
void *obj_find(struct cxdev *dev, enum obj_type type, uint32_t num); /* NULL if there is none */
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

/* ---- cmdq.c: commands ---- */

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

/* The tables that cmdq.c dispatches from; each ends with a row whose name is NULL. */
extern const struct cmd_desc cmds_hca[], cmds_obj[], cmds_eq_cq[], cmds_qp[], cmds_srq[],
	cmds_vport[], cmds_nic[], cmds_flow[], cmds_fte[], cmds_definer[],
	cmds_port[], cmds_lag[];

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

/* Checks a command against its row and runs it; 0, or refused. For host tests too. */
int cmd_run(struct cmd *c);

/* A list of pages as the PRM passes them: queue memory, mkey translation. */
struct pages {
	uint64_t *pa;
	uint32_t n;
	uint8_t log_size; /* of one page, 12.. */
	uint32_t offset;  /* first byte of the queue within the first page */
};

/*
 * Reads the be64 list at @tail of the command's input; checks count, alignment, length. 0 or
 * refused.
 */
int pages_get(struct cmd *c, struct pages *pages, const void *tail, uint64_t bytes,
	      unsigned int log_page_size, uint32_t offset);
void pages_free(struct pages *pages);
int pages_read(struct cxdev *dev, const struct pages *pages, uint64_t off, void *buf, size_t len);
int pages_write(struct cxdev *dev, const struct pages *pages, uint64_t off, const void *buf,
		size_t len);

/* ---- eq_cq.c ---- */

struct cq;
struct prm_cqe64;

/*
 * An entry on the EQ that takes this event type (async EQ, by the event masks); dropped with a
 * trace line if none does.
 */
void event_push(struct cxdev *dev, uint8_t type, uint8_t subtype, const void *data, size_t len);
/*
 * Puts a 64-byte completion (owner bit and signature are filled here) and fires the CQ's EQ if it
 * is armed. @solicited: a receive completion with the solicited bit, or an error. Overrun: CQ error
 * event, CQ in error, false.
 */
bool cq_push(struct cq *cq, struct prm_cqe64 *cqe, bool solicited);
uint32_t cq_number(const struct cq *cq);
/* Doorbells, from pci.c. */
void eq_doorbell(struct cxdev *dev, uint32_t uar, uint32_t value, bool arm);
void cq_arm_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value);
/* finds QP or SQ by number; checks the UAR's owner */
void sq_doorbell(struct cxdev *dev, uint32_t uar, uint64_t value);

/* ---- mem.c: mkeys ---- */

enum mem_access {
	MEM_LOCAL_READ = 1,
	MEM_LOCAL_WRITE = 2,
	MEM_REMOTE_READ = 4,
	MEM_REMOTE_WRITE = 8,
	MEM_REMOTE_ATOMIC = 16
};

/* What was wrong, so that the caller picks the right syndrome. */
enum mem_result {
	MEM_OK,
	MEM_BAD_KEY,
	MEM_BAD_PD,
	MEM_BAD_QP,
	MEM_BAD_RANGE,
	MEM_BAD_ACCESS,
	MEM_DMA_FAULT
};

#define MEM_ANY_QP 0xffffffu
#define MEM_ANY_PD 0xffffffffu	/* the driver's own queues */

/* Who asks: keys belong to a PD, some to one QP of it. */
struct mem_user {
	uint32_t pdn, qpn;
};

/* One access is at most 2 GiB; len 0 is fine and checks nothing. */
enum mem_result mem_check(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  uint64_t len, unsigned int access);
enum mem_result mem_read(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			 void *buf, size_t len, unsigned int access);
enum mem_result mem_write(struct cxdev *dev, struct mem_user user, uint32_t key, uint64_t va,
			  const void *buf, size_t len, unsigned int access);
const char *mem_result_text(enum mem_result result);

/* ---- qp.h objects: cmd_qp.c, requester.c, responder.c, roce.c ---- */

struct qp;

void qp_doorbell(struct qp *qp, uint16_t pi_hint); /* from sq_doorbell(): new send work */
/* From cmd_hca.c: what the requester of an atomic finds in memory. */
bool hca_atomics_in_host_order(const struct cxdev *dev);
/* whose page its doorbells come on; NULL: it has no send queue */
struct obj *qp_uar(const struct qp *qp);
/* Was there such a queue pair a moment ago? Its last doorbell may come after its end. */
bool qp_has_gone(const struct cxdev *dev, uint32_t num, uint32_t uar);

struct frame;
/*
 * A received frame that may be RoCE: true if it was for the RDMA engine (and is consumed), false if
 * it is Ethernet's.
 */
bool roce_receive(struct cxdev *dev, struct frame *frame);

/* Vport counters of RDMA traffic, for QUERY_VPORT_COUNTER and `status`. */
struct rdma_counters {
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes, tx_mcast_packets, tx_mcast_bytes,
		rx_mcast_packets, rx_mcast_bytes;
	uint64_t rx_icrc_errors, rx_dropped, rx_bad_qkeys;
	uint64_t rx_ecn_marked, tx_cnp, rx_cnp, rx_cnp_ignored;
};

/* RoCE address table entry, set by SET_ROCE_ADDRESS (cmd_nic.c), read by the engine. */
struct roce_addr {
	bool valid;
	uint8_t gid[16];
	uint8_t mac[6];
	bool vlan_valid;
	uint16_t vlan;
	uint8_t version; /* 0 = v1, 2 = v2 */
	uint8_t l3_type; /* 0 = IPv4, 1 = IPv6 */
};

#define ROCE_ADDRS 256

/* The entries in use, one a line: index, address, type, MAC, VLAN or "-"; for `gids`. */
void roce_addrs_print(const struct cxdev *dev, FILE *out);

/* ---- eth.c, cmd_nic.c, cmd_flow.c, cmd_fte.c, cmd_port.c ---- */

struct sq;

void eth_sq_doorbell(struct sq *sq, uint16_t pi_hint); /* from sq_doorbell() */
struct obj *sq_uar(const struct sq *sq);
void eth_receive(struct cxdev *dev, struct frame *frame); /* takes the frame */
void eth_status(struct cxdev *dev, FILE *out);

/* ---- wire.c: the switch ---- */

#define FRAME_MAX 10240

struct port;

/*
 * A frame from destination MAC to payload, without FCS. What its sender may leave open until
 * somebody can see it, a checksum, finish() puts there.
 */
struct frame {
	struct list_head node;
	const struct port *from; /* port it entered the switch by; set by port_send() */
	void (*finish)(struct frame *frame); /* NULL: nothing is open */
	uint32_t len;
	uint8_t data[FRAME_MAX];
};

#define PORT_SIZES 10

/*
 * What passed a port, without FCS; a frame that is dropped at the port counts in the last ones
 * only.
 */
struct port_counters {
	uint64_t tx_frames, tx_bytes, tx_multicast, tx_broadcast;
	uint64_t rx_frames, rx_bytes, rx_multicast, rx_broadcast;
	/* by length with FCS: 64, to 127, 255, 511, 1023, 1518, 2047, 4095, 8191, above */
	uint64_t rx_sizes[PORT_SIZES];
	uint64_t link_downs;
	uint64_t full, down, malformed;
};

struct frame *frame_alloc(uint32_t len); /* NULL only if memory is out or len > FRAME_MAX */
void frame_free(struct frame *frame);
struct frame *frame_copy(const struct frame *frame);
void frame_finish(struct frame *frame); /* before its bytes are read or changed as a whole */
/* link is up when both sides want it */
struct port *port_create(struct cxdev *dev, const char *name);
void port_destroy(struct port *port);
/*
 * Sends; takes the frame. Frames to the sender's own MAC come back to it (the NIC's loopback),
 * multicast goes to all others; a port whose queue is full drops and counts. Delivery is queued
 * work, never a nested call.
 */
void port_send(struct port *port, struct frame *frame);
/*
 * To the function at this port alone, as if it came from the wire: multicast that its sender
 * listens to. Takes the frame; neither the capture nor the filter sees it.
 */
void port_loop(struct port *port, struct frame *frame);
bool port_link_up(const struct port *port);
bool port_admin_up(const struct port *port);
bool port_wire_up(const struct port *port);
const char *port_name(const struct port *port);
struct port *port_find(const char *name); /* NULL: there is none */
void port_names(void (*fn)(const char *name, void *arg), void *arg);
/* PAOS; a change raises the port event on its function */
void port_set_admin(struct port *port, bool up);
void port_set_wire(struct port *port, bool up); /* the cable, for faults; likewise */
/*
 * From the switch to a cable between two ports, and back. A cable has a link when all four ends
 * want it. One port twice is a loopback plug: it gets all that it sends. 0; -EBUSY: one of them has
 * a cable.
 */
int port_cable(struct port *a, struct port *b);
void port_uncable(struct port *port); /* both ends; none: nothing happens */
/* reset of the function: what waits for it is lost, the link event too */
void port_flush(struct port *port);
/*
 * Free places in the queues of all ports: a sender that could flood (RDMA requester) waits while it
 * is 0.
 */
unsigned int port_room(const struct port *port);
const struct port_counters *port_counters(const struct port *port);
void wire_status(FILE *out);
/*
 * For other wires and for tests: called for each frame that is delivered to a port without a
 * function; false: it could not be taken and is lost.
 */
void port_set_sink(struct port *port, bool (*fn)(void *arg, const struct frame *frame), void *arg);
/* Its queue is not emptied until it is let go; for a sink that cannot take more at the moment. */
void port_hold(struct port *port, bool hold);

/*
 * For tests: sees each frame after the capture and before faults and switch, may change its
 * bytes, and says what becomes of it. WIRE_HOLD keeps it until another frame has passed
 * (reordering). NULL: no filter; a held frame is released.
 */
enum wire_verdict { WIRE_PASS, WIRE_DROP, WIRE_DUPLICATE, WIRE_HOLD };
void wire_set_filter(enum wire_verdict (*fn)(void *arg, const struct port *from,
					     struct frame *frame),
		     void *arg);

/* uplink.c: unix:SOCKET or tap:INTERFACE; 0 or -errno, message printed */
int uplink_open(const char *what);
void uplinks_close(void);

/*
 * capture.c: pcapng to a file, a pipe, or a client of the control socket; of all ports, or of
 * @only. 0 or -errno.
 */
int capture_open(const char *path, const struct port *only);
int capture_stream(int client, const struct port *only);
void capture_stream_end(int client);	/* the connection ends; none: nothing happens */
int capture_stop(const char *path);	/* 0, or -ENOENT */
void capture_close(void);		/* all of them */
void capture_status(FILE *out);
bool capture_wants_frames(void);
void capture_sent(const struct port *port, const struct frame *frame);
void capture_delivered(const struct port *port, const struct frame *frame);

/* ---- the function ---- */

struct card;	   /* card.c: ids, board id, limits, capability pages */
struct hca_state;  /* cmdq.c, iseg.c, cmd_hca.c, eq_cq.c */
struct rdma_state; /* cmd_obj.c, mem.c, cmd_qp.c, requester.c, responder.c, roce.c */
struct eth_state;  /* cmd_nic.c, cmd_flow.c, cmd_fte.c, cmd_port.c, eth.c */
struct obj_state;  /* obj.c */
struct adapter;	   /* cmd_lag.c: the ports of one card */

/* What is wrong with a function because somebody asked for it (fault.c). */
struct ailments {
	bool gone;	 /* off the bus: all reads are ones */
	bool fatal;	 /* the firmware died: no commands, DMA, interrupts until a reset */
	bool stalled;	 /* the health counter stands at stalled_at */
	bool config_lost; /* it was gone: the configuration space has to be made anew */
	bool excused;	 /* what the driver does wrong is a consequence, and does not count */
	uint8_t synd;	 /* of the health buffer */
	uint32_t stalled_at;
};

struct cxdev {
	char name[32];	    /* as given on the command line: a, a0, ... */
	unsigned int index; /* 0.. in the process; part of MACs and GUIDs */
	const struct card *card;
	const struct guest_ops *ops;
	void *guest;
	struct port *port;
	struct adapter *adapter;  /* NULL: the card has one port */
	unsigned int native_port; /* of the card, from 1 */
	uint8_t mac[6]; /* permanent: 02:c4:... derived from index; current one is eth's */
	uint64_t node_guid, sys_image_guid;
	struct roce_addr roce_addrs[ROCE_ADDRS];
	bool roce_enabled; /* NIC_VPORT_CONTEXT.roce_en */
	struct rdma_counters rdma;
	uint64_t violations;
	struct ailments ails;
	struct hca_state *hca;
	struct rdma_state *rdma_state;
	struct eth_state *eth;
	struct obj_state *objs;
};

/*
 * Constructor of the whole function; NULL with a message. Host tests use it with their own
 * guest_ops.
 */
struct cxdev *cxdev_create(const char *name, unsigned int index, const struct card *card,
			   const struct guest_ops *ops, void *guest);
void cxdev_destroy(struct cxdev *dev);
/* FLR and reset: all objects go (without leak report), registers as after power-on. */
void cxdev_reset(struct cxdev *dev);
/*
 * BAR 0, from pci.c: len 1, 2, 4 or 8, as the bus carries it (little-endian on the bus; registers
 * are big-endian inside).
 */
void bar_read(struct cxdev *dev, uint64_t offset, void *buf, size_t len);
void bar_write(struct cxdev *dev, uint64_t offset, const void *buf, size_t len);
/* State constructors of the three parts, called by cxdev_create/_reset/_destroy. */
int rdma_state_create(struct cxdev *dev);
void rdma_state_reset(struct cxdev *dev);
void rdma_state_destroy(struct cxdev *dev);
int eth_state_create(struct cxdev *dev);
void eth_state_reset(struct cxdev *dev);
void eth_state_destroy(struct cxdev *dev);
/*
 * What TEARDOWN_HCA and process end report: objects and pages that the driver left. Returns their
 * number.
 */
unsigned int cxdev_report_leaks(struct cxdev *dev);

#endif
