/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * base: what all rooms use. The event loop, the log, guest memory, frames, and struct cxdev.
 *
 * One process serves several PCI functions; each is a struct cxdev with one vport on one port of
 * the switch. Everything runs in one thread, on one event loop: messages of the sockets, doorbells
 * as work items, timers. So there are no locks, runs are repeatable, and the only rule is that no
 * callback may run long: work on guest memory is done in slices (LOOP_SLICE units) and requeues
 * itself. Guest memory and interrupts are accessed through struct guest_ops only, so that the
 * device runs under QEMU, under a socket client and inside host tests.
 *
 * The rooms, from the bottom up; scripts/check-layers checks who may include whom:
 *
 *	base	this
 *	fault	fault injection
 *	wire	the switch that joins the ports, other wires, captures
 *	func	commands, objects, events, pages, capabilities of a function
 *	queue	event and completion queues, work queues
 *	key	protection domains and memory keys
 *	port	the vport, the port's registers and counters, LAG
 *	rdma	queue pairs
 *	nic	Ethernet queues and flow tables
 *	card	cards, the function as a whole, its BAR
 *	host	vfio-user, PCI, DMA, and the control socket
 */
#ifndef CXEMU_BASE_H
#define CXEMU_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/list.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

struct cxdev;
struct json_object;	/* base/json.h */

/* ---- time, work, timers ---- */

#define LOOP_SLICE 64 /* packets or WQEs that one work callback handles before it requeues itself */

struct work {
	struct list_head node; /* empty when not queued */
	void (*fn)(struct work *work);
};

struct timer {
	struct timer *child, *next, *prev; /* private to timer.c, as all but fn */
	uint64_t due_ns, order;
	bool armed;
	void (*fn)(struct timer *timer);
};

uint64_t now_ns(void); /* CLOCK_MONOTONIC; host tests move it by loop_test_clock() */
/* The same, of when the work that runs first asked for it: it costs nothing each further time. */
uint64_t work_ns(void);
void work_init(struct work *work, void (*fn)(struct work *work));
void work_queue(struct work *work); /* no effect on queued work */
void work_cancel(struct work *work);
/*
 * Queued work waits in a list of its caller until work_wake() queues all that waits there; to be
 * called by the work itself. work_queue() has no effect on it.
 */
void work_wait(struct work *work, struct list_head *waiting);
void work_wake(struct list_head *waiting);
void timer_init(struct timer *timer, void (*fn)(struct timer *timer));
void timer_arm(struct timer *timer, uint64_t delay_ns); /* rearms an armed timer */
void timer_cancel(struct timer *timer);
bool timer_armed(const struct timer *timer);
/* For the loop: the one that expires first, NULL: none; runs at most @budget that are due. */
const struct timer *timer_first(void);
void timers_run(unsigned int budget);
/* now_ns() returns @ns from now on; 0: the real clock again */
void loop_test_clock(uint64_t ns);
/* Calls fn when the descriptor is readable. Returns 0 or -errno. */
int loop_add_fd(int fd, void (*fn)(int fd, void *arg), void *arg);
void loop_del_fd(int fd);
/* What fn is called for; after loop_add_fd(): readable only. */
void loop_fd_set_events(int fd, bool readable, bool writable);
/*
 * Creates a socket at @path, in place of one that is there and nobody listens at, and calls fn when
 * somebody connects. Returns its descriptor, for sockets_close(), or -errno.
 */
int sockets_listen(const char *path, int backlog, void (*fn)(int fd, void *arg), void *arg);
void sockets_close(int fd, const char *path);
/* [USER][:GROUP], by name or number; -1: not given. NULL, or what is wrong with @text. */
const char *owner_parse(const char *text, uid_t *user, gid_t *group);
/* Mode (octal) and owner of all of them. NULL, or what is wrong with @text. */
const char *sockets_set_mode(const char *text);
const char *sockets_set_owner(const char *text);
/* Runs queued work and due timers once; true if work is left. Host tests call it directly. */
bool loop_run_pending(void);
bool loop_idle(void);	/* no work is queued */
/* @fn is called at the end of each round; true: there is more to do at once. */
void loop_set_last(bool (*fn)(void));
void loop_set_spin(unsigned int us); /* how long to look for events before sleeping; 0 at first */
int loop_run(void); /* until loop_stop() */
void loop_stop(void);

/* ---- guest memory and interrupts ---- */

struct guest_ops {
	/*
	 * 0, -EPERM without bus mastering, or -EFAULT when part of the range is not mapped for
	 * DMA; part of it may have been accessed then.
	 */
	int (*read)(void *guest, uint64_t addr, void *buf, size_t len);
	int (*write)(void *guest, uint64_t addr, const void *buf, size_t len);
	/*
	 * The host's memory behind @addr, and in *len how many of so many bytes lie there in a row.
	 * NULL: the first one is not mapped for that.
	 */
	uint8_t *(*ptr)(void *guest, uint64_t addr, size_t *len, bool write);
	int (*irq)(void *guest, unsigned int vector); /* 0, or -errno: the vector is disabled */
};

/* Removed from the bus, or after a fatal firmware error: neither DMA nor interrupts. */
bool guest_unreachable(const struct cxdev *dev);
/*
 * A failed access is a violation. Not without bus mastering, by which a driver stops a device that
 * has failed: the access is dropped, and what is lost with it is gone until a reset
 * (dma_resumed()).
 */
int guest_read(struct cxdev *dev, uint64_t addr, void *buf, size_t len);
int guest_write(struct cxdev *dev, uint64_t addr, const void *buf, size_t len);
/*
 * guest_ops.ptr(), good until the callback of the loop ends; NULL without a violation. The memory
 * may be taken away while it is accessed: then guest_memory_lost grows.
 */
uint8_t *guest_ptr(struct cxdev *dev, uint64_t addr, size_t *len, bool write);
extern volatile int guest_memory_lost;	/* by a signal handler */
/* There is bus mastering, after a write to the command register. */
void dma_resumed(struct cxdev *dev);

/* ---- the log, and violations ---- */

/* A line of the log, "a0: ...", at --trace debug. */
void trace(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same at the default level, for rare events. */
void notice(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * The driver did something wrong: counted, kept (the first 64), logged, listed by `status`. The
 * text says what was wrong.
 */
void violation(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

enum trace_level { TRACE_QUIET, TRACE_INFO, TRACE_DEBUG };

/* Violations are always logged; notice() from TRACE_INFO on, trace() from TRACE_DEBUG on. */
extern enum trace_level trace_level;

void trace_set_output(FILE *out);	/* NULL: no log */
void vviolation(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap);
/* One that results from a fault: it is logged, and not counted. */
void vconsequence(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap);
/* An application did something wrong, not the driver: logged as by notice(), and not counted. */
void vapplication(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap);
/* The driver has not given something back. */
void violation_leak(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint64_t violations_total(void);
void violations_print(FILE *out);
/* Those so far count no more; the caller resets the count of each function. */
void violations_forget(void);
void violations_json(struct json_object *to);

/* ---- text ---- */

#define MAC_TEXT 18

static inline const char *mac_text(const uint8_t *mac, char text[MAC_TEXT])
{
	snprintf(text, MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
		 mac[4], mac[5]);
	return text;
}

/* ---- the journal: what drivers write, for scripts/ledger ---- */

extern FILE *journal_file;	/* NULL: none is kept */

/* The only one of this process. 0, or -errno. */
int journal_open(const char *path);
void journal_close(void);
void journal_line(const struct cxdev *dev, const char *kind, uint32_t key, const void *data,
		  size_t len);

/*
 * A line "NAME KIND KEY BYTES", the bytes in hexadecimal. Kinds and their keys: "cmd" and opcode,
 * "reg" and offset in the initialization segment, "uar" and offset in the UAR page, "wqe" and
 * opcode (send WQEs of QPs), "eth" and opcode (those of SQs).
 */
static inline void journal(const struct cxdev *dev, const char *kind, uint32_t key,
			   const void *data, size_t len)
{
	if (journal_file)
		journal_line(dev, kind, key, data, len);
}

/* ---- bytes in network order ---- */

static inline void put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static inline void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static inline void put64(uint8_t *p, uint64_t v)
{
	put32(p, v >> 32);
	put32(p + 4, v);
}

static inline uint16_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static inline uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static inline uint64_t get64(const uint8_t *p)
{
	return (uint64_t)get32(p) << 32 | get32(p + 4);
}

/* ---- frames ---- */

#define FRAME_MAX 10240

/* Header lengths in bytes. */
#define ETH_BYTES 14
#define VLAN_BYTES 4
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES 8
#define GRH_BYTES 40
#define BTH_BYTES 12

#define ETH_P_IP 0x0800
#define ETH_P_8021Q 0x8100
#define ETH_P_IPV6 0x86DD
#define ETH_P_8021AD 0x88A8
#define ETH_P_TEB 0x6558
#define ETH_P_ROCE 0x8915 /* version 1 */
#define ROCE_UDP_PORT 4791 /* version 2 */

/*
 * A frame from destination MAC to payload, without FCS. finish() computes what its sender defers
 * until the frame is observed: a checksum.
 */
struct frame {
	struct list_head node;
	const struct port *from; /* ingress port of the switch; set by port_send() */
	uint32_t td;		 /* transport domain of the SQ that sent it; 0: of no SQ */
	/* on a wire with a rate: wire/link.c, wire/buffer.c */
	uint64_t due_ps;	 /* when it arrives */
	const struct port *in;	 /* whose share of the switch's buffer it takes; NULL: nobody's */
	uint8_t prio;
	uint16_t wrong_bits;	 /* in a row, by a fault; its receiver corrects or loses it */
	void (*finish)(struct frame *frame); /* NULL: complete */
	uint32_t len;
	uint8_t data[FRAME_MAX];
};

struct frame *frame_alloc(uint32_t len); /* NULL if out of memory or len > FRAME_MAX */
void frame_free(struct frame *frame);
struct frame *frame_copy(const struct frame *frame);
void frame_finish(struct frame *frame); /* before the payload is read or changed */
void frame_pool_drain(void); /* frees the pool */

/* ---- the function ---- */

/* Injected faults of a function. */
struct health {
	bool gone;	 /* removed from the bus: all reads return ones */
	bool fatal;	 /* firmware error: no commands, DMA, interrupts until a reset */
	bool stalled;	 /* the health counter stays at stalled_at */
	bool no_guid;	 /* the vport has no system image GUID */
	bool d3cold;	 /* the next D3hot is one without power: it wakes as after power-on */
	bool config_lost; /* it was gone: the configuration space must be reset */
	bool excused;	 /* violations result from a fault and are not counted */
	bool kept;	 /* a rule has refused to take something back: so do leaks */
	uint32_t stalled_at;
	/* the health buffer: health_report() */
	uint8_t synd;	 /* 0: no failure */
	bool rfr;	 /* a reset is requested */
	uint8_t severity;
	uint16_t ext_synd;
	uint32_t assert_var[6], assert_exit_ptr, assert_callra;
	uint32_t time;	 /* of the failure, in seconds since 1970 */
};

/* The semaphore of a card for a reset of its firmware. */
struct reset_semaphore {
	uint32_t number;	/* that its owner has written; 0: free */
	const struct cxdev *owner;
};

/* A PCI function. Each room keeps its state behind a pointer of its own. */
struct cxdev {
	char name[32];	    /* as given on the command line: a, a0, ... */
	unsigned int index; /* 0.. in the process; part of MACs and GUIDs */
	const struct card *card;
	const struct guest_ops *ops;
	void *guest;
	struct port *port;
	struct adapter *adapter;  /* NULL: the card has one port */
	unsigned int native_port; /* of the card, from 1 */
	struct eswitch *eswitch;  /* NULL: the card has no VFs */
	unsigned int vport;	  /* on it; 0: the PF */
	struct vf_list *vfs;	  /* func: of a PF whose driver enables its VFs; else NULL */
	struct cxdev *pf;	  /* of a VF that this one enables; else NULL */
	unsigned int function_id; /* of such a VF, in commands of its PF: from 1 */
	bool enabled_by_pf;
	bool roce_denied;	  /* to a VF, from its next start on */
	uint8_t mac[6]; /* of a PF: 02:c4:... derived from index; the vport's is in eth */
	uint64_t node_guid, sys_image_guid;
	uint64_t violations;
	uint64_t dma_dropped; /* accesses without bus mastering, since it was on */
	struct health health;
	struct reset_semaphore reset_semaphore;	/* if it is the first function of its card */
	struct obj_state *objs;		/* func */
	struct memic_map *memic;	/* key */
	struct hca_state *hca;		/* func */
	struct eth_state *eth;		/* port */
	struct rdma_counters *rdma;	/* port: in eth */
	struct rdma_state *rdma_state;	/* rdma */
	struct roce_addr *roce_addrs;	/* rdma: in rdma_state */
	bool roce_enabled;		/* NIC_VPORT_CONTEXT.roce_en */
};

#endif
