/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * base: what every room stands on. Time and work, the log, the guest's memory, frames, and the
 * function that all of them are about.
 *
 * One process serves several PCI functions; each is a struct cxdev with one vport on one port of
 * the switch. Everything runs in one thread, on one loop: messages of the sockets, doorbells as
 * work items, timers. So there are no locks, runs are repeatable, and the only rule is that no
 * callback may run long: work on guest memory comes in slices (LOOP_SLICE units) and queues itself
 * again. Guest memory and interrupts are reached through struct guest_ops alone, so that the device
 * runs under QEMU, under a socket client and inside host tests.
 *
 * The rooms, from the bottom up; scripts/check-layers knows who may include whom:
 *
 *	base	this
 *	fault	what is to go wrong, and when
 *	wire	the switch that joins the ports, other wires, captures
 *	func	commands, objects, events, pages, capabilities of a function
 *	queue	event and completion queues, work queues
 *	key	protection domains and memory keys
 *	port	the vport, the port's registers and counters, LAG
 *	rdma	queue pairs
 *	nic	Ethernet queues and flow tables
 *	card	the rooms put together: cards, the function as a whole, its BAR
 *	host	what plugs it into a machine, and the control socket
 */
#ifndef CXEMU_BASE_H
#define CXEMU_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/list.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

struct cxdev;

/* ---- time, work, timers ---- */

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

#define DEVICE_CLOCK_KHZ 78125

uint64_t device_clock(void); /* the internal timer, which completions have as their timestamp */
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
void loop_fd_set_events(int fd, bool readable, bool writable);
/* runs queued work and due timers once; true if some work is left. For host tests too. */
bool loop_run_pending(void);
int loop_run(void); /* until loop_stop() */
void loop_stop(void);

/* ---- the guest as the device sees it ---- */

struct guest_ops {
	/*
	 * 0, or -EFAULT when part of the range is not mapped for DMA (then nothing is known of how
	 * much was done).
	 */
	int (*read)(void *guest, uint64_t addr, void *buf, size_t len);
	int (*write)(void *guest, uint64_t addr, const void *buf, size_t len);
	int (*irq)(void *guest, unsigned int vector); /* 0, or -errno: the vector is off */
};

/* Off the bus, or its firmware dead: neither DMA nor interrupts. */
bool guest_unreachable(const struct cxdev *dev);
/* a refused access counts as violation */
int guest_read(struct cxdev *dev, uint64_t addr, void *buf, size_t len);
int guest_write(struct cxdev *dev, uint64_t addr, const void *buf, size_t len);

/* ---- the log, and what drivers do wrong ---- */

/* A line of the log, "a0: ...", at --trace debug. */
void trace(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same at the default level: rare events that a reader of any log wants to see. */
void notice(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * The driver did something wrong: counted, kept (first 64), logged, listed by `status`. Say in
 * words what was wrong.
 */
void violation(struct cxdev *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

enum trace_level { TRACE_QUIET, TRACE_INFO, TRACE_DEBUG };

/* Violations are always logged; notice() from TRACE_INFO on, trace() from TRACE_DEBUG on. */
extern enum trace_level trace_level;

void trace_set_output(FILE *out);	/* NULL: nowhere */
void vviolation(struct cxdev *dev, const char *prefix, const char *fmt, va_list ap);
uint64_t violations_total(void);
void violations_print(FILE *out);

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

/* What stands in them, in bytes. */
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
#define ETH_P_ROCE 0x8915 /* version 1 */
#define ROCE_UDP_PORT 4791 /* version 2 */

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

struct frame *frame_alloc(uint32_t len); /* NULL only if memory is out or len > FRAME_MAX */
void frame_free(struct frame *frame);
struct frame *frame_copy(const struct frame *frame);
void frame_finish(struct frame *frame); /* before its bytes are read or changed as a whole */
void frame_pool_drain(void); /* gives back what is kept of freed frames */

/* ---- the function ---- */

/* What is wrong with a function because somebody asked for it. */
struct health {
	bool gone;	 /* off the bus: all reads are ones */
	bool fatal;	 /* the firmware died: no commands, DMA, interrupts until a reset */
	bool stalled;	 /* the health counter stands at stalled_at */
	bool config_lost; /* it was gone: the configuration space has to be made anew */
	bool excused;	 /* what the driver does wrong is a consequence, and does not count */
	uint8_t synd;	 /* of the health buffer */
	uint32_t stalled_at;
};

/* What all rooms know a function by. A room's own state hangs on the pointer of its name. */
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
	uint64_t violations;
	struct health health;
	struct obj_state *objs;		/* func */
	struct hca_state *hca;		/* func */
	struct eth_state *eth;		/* port */
	struct rdma_counters *rdma;	/* port: in eth */
	struct rdma_state *rdma_state;	/* rdma */
	struct roce_addr *roce_addrs;	/* rdma: in rdma_state */
	bool roce_enabled;		/* NIC_VPORT_CONTEXT.roce_en */
};

#endif
