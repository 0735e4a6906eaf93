/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What cxr_core, cxr_en and cxr_ib may know of each other; and how the driver works.
 *
 * THE DEVICE
 *
 * A ConnectX adapter is a PCI function that runs firmware. The driver talks to it in three ways:
 *
 *	commands	A request in memory, a doorbell, an answer in memory: makes and changes
 *			objects. Slow, may fail, may take a minute.
 *	queues		Rings in memory that both sides know: work goes in one way (send and
 *			receive queues), reports come back (completion and event queues). A
 *			producer says "I am here now" by a doorbell record in memory, and by a
 *			doorbell in BAR 0 if the other side has to wake up.
 *	interrupts	MSI-X only, and only as a hint that an event queue is not empty.
 *
 * One function has one port. The port carries Ethernet and RoCE at once: the device sorts RoCE
 * packets out and handles them by itself; everything else goes through flow tables to Ethernet
 * queues.
 *
 * GLOSSARY
 *
 *	PRM	the programmer's manual: include/prm has its layouts and keeps its names
 *	HCA	the function, as the PRM calls it
 *	UAR	a page of BAR 0 with doorbells. Every process gets its own; so do en, ib and the
 *		EQs
 *	EQ, EQE	event queue and its entries: 64 bytes each, "CQ 17 has something", "command 3 is
 *		done"
 *	CQ, CQE	completion queue, and its entries: "WQE 5 of QP 0x4a is done"
 *	WQE	an order in a send or receive queue
 *	arm	to ask a CQ or an EQ for one event, respectively interrupt, at its next entry
 *	PD, TD	protection domain, transport domain: who may use what together
 *	mkey	a memory region; its lkey and rkey are numbers in WQEs and packets
 *	vport	the function's place on the adapter's own switch: MAC, MTU, RoCE on or off
 *	TIS, TIR, RQT	where an SQ's packets go, where a flow's packets come from, a table of RQs
 *	pages	4 KiB pieces of memory that the firmware borrows
 *	stage	one of the steps in which a device, its netdev and its RDMA device come up
 *		(stage.h)
 *
 * WHO OWNS WHOM
 *
 *	pci_dev
 *	  | cxr_probe
 *	cxr_dev ------------------------ cxr_cmdq      slots, mailboxes	(cmdq.c)
 *	  |                     |------- cxr_pages     lent to the device (pages.c)
 *	  |                     |------- cxr_eq [3+n]  one per use and CPU (eq.c)
 *	  |                     `------- cxr_uar       doorbells of the EQs (uar.c)
 *	  | clients_up
 *	  |-- cxr_adev "en" --> cxr_en: netdev, its CQs, SQs, RQs, TIRs, flow tables
 *	  |                       | cxr_port_set_netdev
 *	  |                       v
 *	  |                     cxr_port: netdev, with a reference
 *	  |                       | cxr_client_ops.netdev
 *	  |                       v
 *	  `-- cxr_adev "ib" --> cxr_ib: ib_device, its PDs, mkeys, CQs, SRQs, QPs, WQs, address
 *					table and set of queue counters
 *
 * Who made an object destroys it. Memory that a create function is told the address of stays its
 * caller's, and is the device's too until the destroy function returned. The exceptions are pages,
 * which are the device's from cxr_pages_give_startup() or a request on, until it gives them back;
 * and what a command that timed out was given, which stays where it is until the device's DMA is
 * cut off.
 *
 * FROM PROBE TO THE FIRST PACKET
 *
 *	pci	BAR 0, DMA mask
 *	cmdq	wait for the firmware, bus mastering, tell it where the command queue is. Commands
 *		work from here on; their end is found by looking
 *	hca	ENABLE_HCA, interface revision, boot pages, capabilities (asked, chosen, asked
 *		again, checked), init pages, INIT_HCA. What is granted of roce_mode and ud_gid_type
 *		is decided here
 *	uar	the page with the EQs' doorbells
 *	irq	MSI-X vectors: one for the device, one per CPU for completions
 *	eq	command, asynchronous, page and completion EQs. Commands end by an event from here
 *		on
 *	ports	MAC and GUIDs
 *	health	a look every two seconds
 *	clients	auxiliary devices; cxr_en and cxr_ib bind to them, now or when they are loaded. ib
 *		only if RoCE was granted
 *
 * cxr_en makes a netdev and hands it over:
 *
 *	port	MAC and largest MTU, and so what the netdev offers
 *	base	doorbells, PD, TD, mkey, TIS: what its queues share
 *	wq	the workqueue
 *	netdev	register_netdev()
 *	client	the netdev is handed over, and events come
 *
 * When it is opened: CQs, RQs, TIRs, SQs, flow tables; then packets pass. cxr_ib makes an
 * ib_device:
 *
 *	uar	doorbells of the kernel's QPs; a trial whether the device sees WQEs that are
 *		written to it (BlueFlame, drivers/ib/wc.c)
 *	roce	RoCE is switched on in the vport
 *	gids	an account of who uses which entry of the address table
 *	counters	the port's set of counters
 *	clock	a page for user space
 *	xrc, umr	nothing yet: what these need is made for the first one that wants it
 *	client	events and the netdev come
 *	device	ib_register_device()
 *
 * ib_core then tells what to fill the address table with; a QP on its way to RTS names an entry of
 * that table, and its packets pass.
 *
 * Down is the same tables read upwards, on removal, shutdown, and on an error in the middle. The
 * module parameter fail_stage makes every one of these ways a test.
 *
 * A devlink reload is the way down to pci, which stays, and up again: so what devlink was told for
 * roce_mode and ud_gid_type counts when hca decides anew. If it fails on the way up, all but pci is
 * down and the next reload starts there. A device that was given up needs a reset, and so unbind.
 *
 * The module has no alias: nothing loads it but a user. It then binds to functions that no driver
 * holds.
 *
 * RECEIVED PACKETS
 *
 * What is not RoCE starts at the first flow table there is, and each table leads to the next one:
 * the LAG demux table, the rules of programs by priority, en's, rules for what is left. The core
 * keeps the chain and the rules (drivers/core/steering.c): en says which table is its first
 * (cxr_flow_set_en_table), ib which rules there are (cxr_rule_add). They come and go by themselves.
 *
 * WHO MAY CHANGE A MEMORY KEY
 *
 * A key of pages made with umr_en can be changed by a work request (UMR) of a QP that has fre, list
 * of addresses and all. The keys of user space's memory have the one, for the sake of changes that
 * keep the key (drivers/ib/umr.c); the QPs of user space must not have the other. QPs of the kernel
 * have it, for fast registration. Windows are bound without.
 *
 * WHERE NO COMMAND MAY BE ISSUED
 *
 * Commands sleep. So: not in interrupt context, that is not in cxr_client_ops.event, cxr_cq.comp
 * and cxr_cq.error (queue work); not under a spinlock; not in NAPI poll. Page requests of the
 * device are served by an ordered workqueue and a command slot of their own, since the firmware may
 * need a page to finish another command.
 *
 * EVENTS
 *
 * An interrupt drains its EQ: next_eqe() takes the entry (owner bit, barrier), cxr_event_decode()
 * turns it into struct cxr_event in host order, dispatch() hands it on:
 *
 *	completion		cxr_cq.comp of the CQ with that number
 *	CQ error		cxr_cq.error
 *	command done		the command that waits in that slot
 *	page request		the workqueue of pages.c
 *	port, QP, SRQ		cxr_client_ops.event of both clients
 *	warnings		the log
 *
 * A queue is armed for one interrupt. If that one is lost, a command that waits for its event
 * (after a second) or the look at the device's health (after four at most) does the handler's work
 * and arms it again.
 *
 * The port's state and MTU are those of its netdev, so that there is one truth: cxr_ib watches it
 * and tells ib_core of another MTU, and of another state where ib_core does not watch by itself.
 *
 * Notifiers of netdevs are those of one namespace: the initial one for bonds, else that of the
 * netdev, with which they move. Those of all namespaces wait for pernet_ops_rwsem, and its holder
 * may wait for a reference on a netdev that we have.
 *
 * Numbers come from the device: they are looked up, and what is not found is dropped. When
 * cxr_cq_destroy() or cxr_client_unregister() returned, no handler runs any more.
 *
 * WHEN THE DEVICE IS DEAD
 *
 * A command that got no answer, reads that are all ones, a health syndrome, a counter that stands
 * still: cxr_core_fail() cuts off the device's DMA, only then marks it as dead, says so once, ends
 * all commands that wait with -ENODEV, and tells the clients (cxr_client_ops.fatal). From the mark
 * on commands return -ENODEV at once, destroy functions only free memory, and that is safe because
 * of the DMA. Unbind resets the function, bind brings it back.
 *
 * LAG
 *
 * Two ports of one adapter in a bond become one RDMA device. What is to be done is a step from a
 * snapshot of both and what stands (cxr_lag_step(), drivers/policy/lag.c); a card's work takes it
 * anew after whatever may matter, and acts (drivers/core/lag.c). In: both functions' "ib" devices
 * go, CREATE_LAG and a vport LAG make port 1's function send and receive RoCE for both ports, a LAG
 * demux table before its flow tables gives Ethernet back to port 2's, then "ib" of port 1 comes
 * again. cxr_core.lag tells cxr_ib: the device is called mlx5_bond_N, its port's state is the
 * bond's, its QPs take ports in turn; or none, if card and bond can tell connections apart by a
 * hash: then flow tables lead what is sent to either port (drivers/core/lag_hash.c). Fail-over is
 * MODIFY_LAG, behind other destinations in these tables, and with an active slave another netdev
 * for ib_core; entries of the address table that are in use stay then (drivers/ib/gid.c). Out is
 * the way in, backwards. A function that goes takes the card out of its LAG first; one that is dead
 * makes its card's work do so.
 *
 * An ECMP LAG is one without a bond (drivers/policy/ecmp.c): the interface that a write to
 * roce_lag_ecmp_dev names stands for it. The address table then has each GID twice, half a table
 * apart, with the MAC of either port; a QP uses the half of the port that it is assigned to. Where
 * the map leads elsewhere the half gets the MAC of that port (cxr_client_ops.lag_macs): no QP is
 * touched.
 *
 * LOCKS, outermost first
 *
 *	device_lock of the PCI device
 *	  devlink instance		reload, its parameters, info; not by probe and remove, which
 *					make and end it
 *	    cxr_card.lock		RDMA devices of a card come and go; its work and a write to
 *					roce_lag_enable or roce_lag_ecmp_dev take it without the two
 *					above
 *	      device_lock of an auxiliary device
 *	any of the above
 *	  cxr_dev.client_lock		registration of clients, their netdev and fatal callbacks
 *	    rtnl, and what the clients take in these callbacks; without client_lock also to find
 *					the parent of an ECMP LAG
 *	    cxr_port.lock		who is the netdev
 *	    cards_lock of card.c	which cards there are; innermost
 *	any of the above
 *	  cxr_dev.flow_lock		the chain of flow tables, and rules in it
 *	any of the above
 *	  cmdq.pages_sem or .sem	a command slot; the first only for MANAGE_PAGES
 *	cxr_pages.lock			pieces and counts; no command under it
 *	cxr_dev.db_lock			pages of doorbell records; no command under it
 *	in interrupts
 *	  cxr_dev.fail_lock		the end of the DMA of a dead device; innermost
 *	  cmdq.lock			slots; innermost
 *	  cxr_pages.req_lock		requests; innermost
 *	  RCU				clients for events, CQs by number
 *
 * and of cxr_ib, where commands may be issued under the first five:
 *
 *	cxr_ib_dev.scan_lock		GIDs are scanned, another netdev is watched; under
 *					client_lock, and rtnl under it
 *	cxr_ib_dev.gid_lock		the address table is written; under client_lock, or alone
 *	cxr_ib_qp.mutex			transitions of a QP
 *	cxr_ib_rwq.mutex		transitions of a WQ
 *	cxr_ib_ucontext.td_lock		transport domain of a process
 *	cxr_ib_ucontext.db_lock		pinned doorbell records of a process; mmap_lock under it
 *	cxr_ib_dev.kcq_lock		CQs of the kernel; their completion handlers under it
 *	with interrupts off
 *	  cxr_ib_wq.lock		a queue is posted to; innermost
 *	  cxr_ib_cq.lock		a CQ is polled, or rid of a QP; never two at a time
 *	    lock of cxr_ib_dev.qps	QPs by number, also for events
 *	    cxr_ib_srq.lock		an SRQ is posted to, or gets a WQE back; innermost
 *	  lock of cxr_ib_dev.srqs	SRQs by number, for events; innermost
 *	  lock of cxr_ib_dev.event_targets	the same for SQs and RQs that are no QP's
 */
#ifndef CXR_H
#define CXR_H

#include <linux/auxiliary_bus.h>
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/refcount.h>

#include "../../drivers/codec/caps.h"
#include "../../drivers/codec/event.h"
#include "../../drivers/codec/flow.h"
#include "../../drivers/policy/lag.h"
#include "../../drivers/policy/mode.h"

#define CXR_AUX_EN "en"		/* auxiliary devices are cxr_core.en.N and cxr_core.ib.N */
#define CXR_AUX_IB "ib"

struct cxr_core;
struct cxr_uar;

/**
 * struct cxr_port - the one port of a function
 * @core: its device
 * @mac: MAC of the vport as the device gave it at start
 * @lock: guards @netdev
 * @netdev: the netdev that cxr_en registered, NULL before and after; cxr_port_get_netdev() takes a
 * reference
 * @netdev_nb: hears that @netdev moved to another network namespace; cxr_port_set_netdev() alone
 * has to do with it
 * @netdev_nn: ties @netdev_nb to @netdev
 * @notifier_registered: @netdev_nb is
 */
struct cxr_port {
	struct cxr_core *core;
	u8 mac[ETH_ALEN];
	struct mutex lock;		/* netdev */
	struct net_device *netdev;
	struct notifier_block netdev_nb;
	struct netdev_net_notifier netdev_nn;
	bool notifier_registered;
};

/**
 * struct cxr_lag - two ports that are one RDMA device, as the latter sees them
 * @bond: the bond, in an ECMP LAG the parent, with a reference of the core's: its state is the
 *        port's
 * @netdev: what ib_core takes for the port's netdev, the same: the active slave, since ib_core
 *          makes GIDs anew when that changes, default ones only for a slave; without one the bond.
 *          A change comes by cxr_client_ops.netdev
 * @slave: netdevs by port, to compare with: they may be gone before the LAG is
 * @hash: the port of a packet is that of its hash, unless its QP was given one; constant
 * @ecmp: there is no bond: what is sent has the MAC of the port it leaves by; constant
 * @mac: in an ECMP LAG: source MACs of what is assigned to port 1 and to port 2; under the lock of
 *       the callbacks. A change comes by cxr_client_ops.lag_macs
 */
struct cxr_lag {
	struct net_device *bond;
	struct net_device *netdev;
	const struct net_device *slave[CXR_LAG_PORTS];
	bool hash;
	bool ecmp;
	u8 mac[CXR_LAG_PORTS][ETH_ALEN];
};

/**
 * struct cxr_core - a function as its clients see it
 * @dev: the PCI device's
 * @pdev: PCI function
 * @caps: what the device can do; constant after probe
 * @roce: granted mode (and whether there is RoCE at all); constant while clients are there
 * @ud_gid_type: what GIDs address handles for datagrams may have; as @roce
 * @lag: of the function of port 1, in a LAG; NULL: none. Constant while ib is there
 * @port: the port
 * @comp_vectors: number of completion EQs; vectors are 0 .. comp_vectors - 1
 * @fw_major: firmware version
 * @fw_minor: the same
 * @fw_sub: the same
 * @board_id: PSID, NUL-terminated
 * @vendor_id: of QUERY_ADAPTER (IEEE)
 * @node_guid: of the vport
 * @sys_image_guid: of the adapter
 * @debugfs: folder of the function; what a client puts there it takes away
 *
 * What else the core knows of the device is in drivers/core/core.h.
 */
struct cxr_core {
	struct device *dev;
	struct pci_dev *pdev;
	struct cxr_caps caps;
	struct cxr_mode_grant roce;
	enum cxr_ud_gid_type ud_gid_type;
	const struct cxr_lag *lag;
	struct cxr_port port;
	int comp_vectors;
	u16 fw_major, fw_minor, fw_sub;
	char board_id[20];
	u32 vendor_id;
	__be64 node_guid, sys_image_guid;
	struct dentry *debugfs;
};

/* An auxiliary device carries its core: to_cxr_core(adev). */
struct cxr_adev {
	struct auxiliary_device adev;
	struct cxr_core *core;
};

static inline struct cxr_core *to_cxr_core(struct auxiliary_device *adev)
{
	return container_of(adev, struct cxr_adev, adev)->core;
}

/* ---- port ------------------------------------------------------------------------------------ */

/*
 * The one event between en and ib: en hands over its netdev after it registered it, and NULL before
 * it unregisters it. The port holds a reference until the next call. Tells both clients
 * (cxr_client_ops.netdev). May sleep; takes client_lock, under it port->lock and rtnl in turn.
 */
void cxr_port_set_netdev(struct cxr_port *port, struct net_device *netdev);
/* The netdev with a reference (dev_put() it), or NULL. May sleep; takes port->lock. */
struct net_device *cxr_port_get_netdev(struct cxr_port *port);

/* ---- LAG (lag.c) ----------------------------------------------------------------------------- */

/*
 * Port of the LAG, 1 or 2, whose netdev this is, or 0; @netdev is compared and not followed. For
 * the RDMA device of the LAG, which does not outlive it. Any context.
 */
u8 cxr_lag_port_of(const struct cxr_core *core, const struct net_device *netdev);

/* ---- received packets (steering.c) ----------------------------------------------------------- */

/* en's first flow table, of CXR_FLOW_LEVEL_EN; 0 before it is destroyed. A command (cmd.h). */
int cxr_flow_set_en_table(struct cxr_core *core, u32 table);

#define CXR_FLOW_PRIOS 16
#define CXR_FLOW_PRIO_FALLBACK CXR_FLOW_PRIOS	/* what is left when nobody wanted it */

/**
 * struct cxr_rule_attr - a rule for packets before en gets them
 * @mask: bits that count, of what caps.ft_match says
 * @value: of these bits; others are zero
 * @prio: 0 is asked first, CXR_FLOW_PRIOS - 1 last; or CXR_FLOW_PRIO_FALLBACK
 * @drop: nobody gets the packets; else @tirn
 * @shared: whoever would get them without the rule gets them too
 * @tirn: who gets them
 * @tag: of 24 bits, in their completions
 */
struct cxr_rule_attr {
	struct cxr_flow_fields mask, value;
	u8 prio;
	bool drop, shared;
	u32 tirn;
	u32 tag;
};

struct cxr_rule;

/**
 * cxr_rule_add() - packets to a TIR, or to nobody, before en gets them
 * @core: the device, with caps.flow_rules
 * @attr: which packets, and what is done with them
 *
 * May sleep.
 *
 * Return: a rule; ERR_PTR: -EEXIST (another rule for the same packets in this priority has another
 * tag, or drops them), -ENOSPC (too many rules), or the error of a command.
 */
struct cxr_rule *cxr_rule_add(struct cxr_core *core, const struct cxr_rule_attr *attr);
/* Packets go where they went without the rule. May sleep. */
void cxr_rule_remove(struct cxr_core *core, struct cxr_rule *rule);

/* ---- clients: events to en and ib ------------------------------------------------------------ */

/**
 * struct cxr_client_ops - what a client is told
 * @event: an event (port, QP, SRQ, health). Interrupt context: no sleeping; queue work for what
 * needs a command. Completion
 *         and CQ error events do not come here but to the CQ.
 * @netdev: cxr_port_set_netdev() was called; may sleep; ndev NULL: it goes
 * @lag_macs: source MACs of an ECMP LAG, by what is assigned to port 1 and 2; may sleep; 0 or the
 *            error of a command
 * @fatal: the device is gone or being recovered; may sleep
 */
struct cxr_client_ops {
	void (*event)(void *priv, const struct cxr_event *event);
	void (*netdev)(void *priv, struct net_device *ndev);
	int (*lag_macs)(void *priv, const u8 mac[CXR_LAG_PORTS][ETH_ALEN]);
	void (*fatal)(void *priv);
};

enum cxr_client { CXR_CLIENT_EN, CXR_CLIENT_IB, CXR_CLIENTS };

/**
 * cxr_client_register() - be told of events
 * @core: the device
 * @which: who
 * @ops: callbacks, NULL for what is not wanted; must stay until cxr_client_unregister()
 * @priv: their first argument
 *
 * May sleep; not from a callback. The current netdev, if there is one, is told before the return;
 * so are the MACs of an ECMP LAG, and a device that is dead.
 */
void cxr_client_register(struct cxr_core *core, enum cxr_client which,
			 const struct cxr_client_ops *ops, void *priv);
/* After its return no callback runs. Nothing without a registration. May sleep; not from one. */
void cxr_client_unregister(struct cxr_core *core, enum cxr_client which);

/*
 * true once the device is given up: commands fail with -ENODEV, destroy functions only free memory,
 * and the device reads and writes nothing that it was given. Any context.
 */
bool cxr_core_dead(const struct cxr_core *core);

/* ---- UAR: pages of BAR 0 with doorbells (uar.c) ---------------------------------------------- */

/**
 * struct cxr_uar - a UAR page of ours in the kernel
 * @index: for create commands
 * @map: the page, uncached or write-combining; doorbell registers at CXR_UAR_*
 */
struct cxr_uar {
	u32 index;
	void __iomem *map;
};

#define CXR_UAR_CQ_ARM 0x20
#define CXR_UAR_DB 0x800	/* send doorbell (BlueFlame register 0) */
#define CXR_UAR_SIZE 4096	/* of the device; a system page may hold several */

/*
 * ALLOC_UAR and a mapping; _wc: writes to it may be combined. The caller's until cxr_uar_free(), for
 * when no queue uses it any more. ERR_PTR: the command's error, or -EPROTO: the device names a page
 * outside of its BAR. May sleep.
 */
struct cxr_uar *cxr_uar_alloc(struct cxr_core *core);
struct cxr_uar *cxr_uar_alloc_wc(struct cxr_core *core);
void cxr_uar_free(struct cxr_core *core, struct cxr_uar *uar);
/*
 * Physical address of UAR page @index, or 0 if it lies outside of BAR 0. For a mapping of user
 * space, which on systems with larger pages begins at PAGE_SIZE below. Any context.
 */
phys_addr_t cxr_uar_phys(const struct cxr_core *core, u32 index);
/*
 * The device's free-running counter, 64 bits in big endian, in the initialization segment; counts
 * at caps.device_frequency_khz. Its value, all ones if the device is gone, and where it is for a
 * mapping of user space. Any context.
 */
u64 cxr_clock_read(const struct cxr_core *core);
phys_addr_t cxr_clock_phys(const struct cxr_core *core);
/*
 * Rings a send doorbell. @ctrl: first 8 bytes of the control segment of the last WQE, big-endian as
 * they stand there. Orders the doorbell record and the WQEs, which are written, before it. Any
 * context.
 */
void cxr_uar_ring(struct cxr_uar *uar, const void *ctrl);
/**
 * cxr_uar_arm_cq() - ask for an event at the next completion: record first, then the register
 * @uar: the page the CQ was created with
 * @arm_record: second dword of the CQ's doorbell record
 * @cqn: number of the CQ
 * @sn: how often it was armed and fired; the device takes the low two bits
 * @ci: its consumer index
 * @solicited: only a solicited completion, or an error
 *
 * Any context; not two at a time for one CQ.
 */
void cxr_uar_arm_cq(struct cxr_uar *uar, __be32 *arm_record, u32 cqn, u32 sn, u32 ci,
		    bool solicited);

/* ---- queue memory (buf.c) -------------------------------------------------------------------- */

/**
 * struct cxr_buf - queue memory of the kernel: coherent pages, one by one, so that no large
 * contiguous block is needed
 * @size: in bytes, as asked (rounded up to a page)
 * @n: pages of PAGE_SIZE
 * @va: their addresses
 * @dma: their addresses for the device
 */
struct cxr_buf {
	size_t size;
	unsigned int n;
	void **va;
	dma_addr_t *dma;
};

/* Zeroed; the caller's until cxr_buf_free(). 0, -EINVAL (no size), -ENOMEM. May sleep. */
int cxr_buf_alloc(struct cxr_core *core, struct cxr_buf *buf, size_t size);
/* The device does not use it any more. A second call does nothing. May sleep. */
void cxr_buf_free(struct cxr_core *core, struct cxr_buf *buf);

/* Address of byte @off; an item that is a power of two in size never crosses a page. */
static inline void *cxr_buf_at(const struct cxr_buf *buf, size_t off)
{
	return buf->va[off >> PAGE_SHIFT] + (off & ~PAGE_MASK);
}

/**
 * struct cxr_db - a doorbell record: 8 bytes of coherent memory that the device reads
 * @rec: RQ/SQ: [0] receive counter, [1] send counter; CQ: [0] consumer index, [1] arm
 * @dma: its address for the device
 * @page: of several records; buf.c's
 * @slot: in that page; buf.c's
 */
struct cxr_db {
	__be32 *rec;
	dma_addr_t dma;
	void *page;
	unsigned int slot;
};

/* The record is zeroed, and the caller's until cxr_db_free(). 0, -ENOMEM. May sleep. */
int cxr_db_alloc(struct cxr_core *core, struct cxr_db *db);
/* The device does not read it any more. May sleep. */
void cxr_db_free(struct cxr_core *core, struct cxr_db *db);

/* ---- CQs and their EQs (eq.c) ---------------------------------------------------------------- */

/**
 * struct cxr_cq - a CQ as the EQ handler knows it; lives in the client's own struct
 * @cqn: its number
 * @vector: completion vector (EQ) it was created on
 * @uid: user context it was created for, 0 = the kernel's
 * @comp: a completion arrived on an armed CQ. Interrupt context.
 * @error: CQ error event (overrun, access). Interrupt context.
 */
struct cxr_cq {
	u32 cqn;
	int vector;
	u16 uid;
	void (*comp)(struct cxr_cq *cq);
	void (*error)(struct cxr_cq *cq, u8 syndrome);
};

/*
 * Pages of a queue as the device gets them; from a cxr_buf or a umem. The caller keeps the array.
 */
struct cxr_pas {
	const dma_addr_t *dma;
	u32 n;
	u8 log_size;		/* of one page in bytes, 12.. */
	u8 offset;		/* of the queue in the first page, in 1/64 of the page */
};

static inline struct cxr_pas cxr_buf_pas(const struct cxr_buf *buf)
{
	return (struct cxr_pas){ .dma = buf->dma, .n = buf->n, .log_size = PAGE_SHIFT };
}

#define CXR_CQ_PERIOD_MAX 0xfff

struct cxr_cq_attr {
	u8 log_size;		/* entries */
	bool cqe_128;
	u32 uar;
	int vector;
	struct cxr_pas pas;
	u64 db_dma;
	/* moderation: microseconds up to CXR_CQ_PERIOD_MAX, completions; 0 = none */
	u16 period, max_count;
	bool overrun_ignore;
	u16 uid;
};

/**
 * cxr_cq_create() - CREATE_CQ on the EQ of a completion vector
 * @core: the device
 * @cq: the caller's, with @comp (and @error if it wants to know) set; @cqn, @vector and @uid are
 * filled in
 * @attr: what to make; its memory stays the caller's, and the device's too until cxr_cq_destroy()
 *
 * May sleep. From its return on, cq->comp() may run, in interrupt context.
 *
 * Return: 0, -EINVAL (vector), -ENOMEM, -EPROTO (the device gives a number that is in use), or the
 * command's error.
 */
int cxr_cq_create(struct cxr_core *core, struct cxr_cq *cq, const struct cxr_cq_attr *attr);
/*
 * After its return no handler of the CQ runs and the device does not touch its memory, also if the
 * device is dead. May sleep; not under a lock that cq->comp() takes.
 */
void cxr_cq_destroy(struct cxr_core *core, struct cxr_cq *cq);
/*
 * Completions are reported after so many microseconds, up to CXR_CQ_PERIOD_MAX, or so many of them,
 * whatever comes first; both 0: at once. A command (cmd.h).
 */
int cxr_cq_moderate(struct cxr_core *core, struct cxr_cq *cq, u16 period, u16 max_count);
/**
 * cxr_cq_resize() - other memory for a CQ
 * @core: the device
 * @cq: of cxr_cq_create()
 * @cqe_128: as it was created: entries are of 128 bytes
 * @log_size: entries of the new memory
 * @pas: the new memory, the device's too until cxr_cq_destroy(); the array stays the caller's
 *
 * The last entry that the device writes into the old memory says so (PRM_CQE_RESIZE_CQ); at our
 * return it does not touch that memory any more. What was not consumed there has to be copied, by
 * whoever polls the CQ. May sleep.
 *
 * Return: 0, or the command's error; then nothing has changed.
 */
int cxr_cq_resize(struct cxr_core *core, struct cxr_cq *cq, bool cqe_128, u8 log_size,
		  const struct cxr_pas *pas);
/* Interrupt number of a completion vector, or -EINVAL. Any context, while the device is up. */
int cxr_comp_irq(const struct cxr_core *core, int vector);

#endif
