/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The interface between cxr_core, cxr_en and cxr_ib, and how the driver works.
 *
 * THE DEVICE
 *
 * A ConnectX adapter is a PCI function that runs firmware. The driver talks to it in three ways:
 *
 *	commands	Request and response in memory, started by a doorbell: they create and
 *			modify objects. Slow, may fail, may take a minute.
 *	queues		Rings in memory shared with the device: requests are posted to send and
 *			receive queues, completion and event queues report back. A producer
 *			publishes its index in a doorbell record in memory, and writes a doorbell in
 *			BAR 0 if the device has to be woken up.
 *	interrupts	MSI-X only, and only a hint that an event queue is not empty.
 *
 * A function has one port, which carries Ethernet and RoCE. The device recognizes RoCE packets and
 * processes them itself; all others go through flow tables to Ethernet queues.
 *
 * GLOSSARY
 *
 *	PRM	the programmer's manual: include/prm has its layouts and keeps its names
 *	HCA	the PRM's name for the function
 *	UAR	a page of BAR 0 with doorbells. Every process has its own; so have en, ib and the
 *		EQs
 *	EQ, EQE	event queue and its entries of 64 bytes: "CQ 17 has a completion", "command 3 is
 *		done"
 *	CQ, CQE	completion queue and its entries: "WQE 5 of QP 0x4a is done"
 *	WQE	a request posted to a send or receive queue
 *	arm	request one event from a CQ, or one interrupt from an EQ, for its next entry
 *	PD, TD	protection domain, transport domain: which objects may be used together
 *	mkey	a memory region; its lkey and rkey are the numbers in WQEs and packets
 *	vport	the function's port on the embedded switch: MAC, MTU, RoCE on or off
 *	TIS	where the packets of a send queue go
 *	TIR	where the packets of a flow go: an RQ, or an RQT
 *	RQT	table of RQs that a TIR spreads packets over by a hash
 *	pages	memory in units of 4 KiB that the firmware borrows
 *	stage	one step of bringing up a device, a netdev or an RDMA device (stage.h)
 *
 * OWNERSHIP
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
 *					table and queue counters
 *
 * Whoever creates an object destroys it. Memory whose address is passed to a create function still
 * belongs to the caller, but the device uses it until the destroy function returns. Exceptions:
 * pages belong to the device from cxr_pages_give_startup() or a page request on, until it returns
 * them; the memory of a command that timed out stays allocated until DMA is disabled; what a device
 * refuses to destroy keeps its memory. A device that refuses to return pages or to be disabled is
 * reset before it is used again (struct cxr_dev.needs_reset).
 *
 * FROM PROBE TO THE FIRST PACKET
 *
 *	pci	BAR 0, DMA mask
 *	cmdq	wait for the firmware, enable bus mastering, set the address of the command queue.
 *		Commands work from here on, with polling
 *	hca	ENABLE_HCA, interface revision, boot pages, capabilities (query, set, query again,
 *		check), init pages, INIT_HCA. Grants roce_mode and ud_gid_type
 *	uar	the page with the doorbells of the EQs
 *	irq	MSI-X vectors: one for the device, one per CPU for completions
 *	eq	command, asynchronous, page and completion EQs. From here on commands complete by
 *		an event
 *	ports	MAC and GUIDs
 *	clock	the counter as a PTP clock
 *	cong	parameters of congestion control
 *	health	a check every two seconds
 *	clients	auxiliary devices, which cxr_en and cxr_ib bind to, now or when they are loaded. ib
 *		only if RoCE was granted
 *	vfs	enables the VFs that the PCI core has; there are none at first
 *
 * cxr_en creates a netdev and hands it over:
 *
 *	port	MAC and largest MTU, and what the netdev offers
 *	base	UAR, PD, TD, mkey, TIS, which its queues share
 *	devlink	the devlink port of the netdev, with health reporters for its queues
 *	wq	the workqueue
 *	netdev	register_netdev()
 *	client	events, and the hand-over of the netdev
 *
 * ndo_open creates CQs, SQs, RQs, TIRs and flow tables; then packets pass. cxr_ib creates an
 * ib_device:
 *
 *	uar	doorbells of the kernel's QPs; tests whether BlueFlame works (drivers/ib/wc.c)
 *	roce	enables RoCE in the vport
 *	gids	reference counts of the entries of the address table
 *	counters	the counter set of the port
 *	devx	a user context of the driver, and the table of subscriptions, if the card has them
 *	dm	which pages of the device's memory are free
 *	xrc, umr	nothing yet: the first user, also of DC, creates their objects
 *	client	events and the netdev
 *	device	ib_register_device()
 *	force	files of forced paths, which the removal of the device would not wait for
 *
 * ib_core then adds GIDs, which fill the address table; a QP names one of its entries on the way to
 * RTS, and its packets pass.
 *
 * Removal, shutdown and errors walk the same tables backwards; the module parameter fail_stage
 * makes a test of each of these paths. A devlink reload goes down to stage pci, which stays, and up
 * again, so that hca grants what was set for roce_mode and ud_gid_type. If it fails on the way up,
 * all stages but pci are down and another reload retries. A failed device needs reset or unbind.
 *
 * A reset of a bound function, by a person or for the recovery from a PCI error, goes the same way
 * (drivers/core/reset.c), but the network interface stays registered, so that its name, addresses,
 * settings and bond remain: cxr_en goes down and up, too, and its stage netdev only detaches and
 * closes the interface (struct cxr_en.kept). The RDMA device goes, as it has objects of programs
 * that the reset destroys, and comes back.
 *
 * The module has no alias: only a user loads it. It binds to functions that have no driver.
 *
 * VIRTUAL FUNCTIONS
 *
 * Writing sriov_numvfs enables VFs (drivers/core/sriov.c): first in the firmware, by ENABLE_HCA
 * with a function number from 1, then in the PCI core, which shows them to drivers. From then on
 * the firmware borrows pages for each of them from the driver of the PF (cxr_pages, by function).
 * They go in the reverse order; a VF that a guest uses stays in the PCI core when the driver
 * leaves, and stage vfs of the next one enables it again. While VFs are enabled there is no RoCE
 * LAG.
 *
 * If the PF manages the e-switch (drivers/core/eswitch.c), it sets up the vports and the FDB first.
 * Each function writes the addresses that it wants to hear into the context of its vport; of a
 * change the device tells once, the driver reads the vport again, and the entries of the FDB follow
 * (drivers/policy/fdb.c). What a VF may send and get besides is in ACLs of its vport.
 *
 * RECEIVED PACKETS
 *
 * A packet that is not RoCE starts at the first flow table there is; the miss of each table leads
 * to the next: rules of programs by priority, LAG demux table, en's tables, fallback rules. The
 * core links them (drivers/core/steering.c): en sets its first and last table, of those in
 * drivers/en/ntuple.c and steer.c, ib adds rules (cxr_rule_add). Both may come and go at any time.
 *
 * RoCE packets pass through tables of their own, received and sent, while an optional counter is
 * enabled, and are only counted there (drivers/ib/optional.c).
 *
 * The memory of en's receive queues is of a page pool per queue. cxr_rx_layout()
 * (drivers/policy/rx.c) decides how large a buffer is: several share a page if the MTU allows it;
 * what is left of the last one is the ring's. A buffer belongs to
 *
 *	the device	from its WQE (post(), drivers/en/rx.c), and only from the doorbell record
 *			on does the device know it, to the completion or the destruction of the RQ
 *	the ring	from there until an skb is built around it, or, if there is no memory for
 *			an skb, until it is posted again for another packet
 *	the skb		from build() on. skb_mark_for_recycle() makes the stack return it to the
 *			pool, which takes the page again when none of its buffers is in use
 *
 * The pool maps a page once, and gives it to the device (dma_sync) each time that it hands it out;
 * build() gives it to the CPU, only the packet's bytes. It outlives its queue until no skb is left.
 *
 * With an XDP program the pages are mapped for both directions, and the buffer of a packet is the
 * program's, and then that of what it decides (drivers/en/xdp.c):
 *
 *	pass		the skb, as without a program
 *	drop		the ring: the buffer is posted again; several buffers return to the pool, as
 *			the program may have freed some
 *	tx		the SQ for XDP of the same channel, as an xdp_frame, mapped as it is; its
 *			completion returns it to the pool
 *	redirect	the kernel, which hands it to another device, maybe to the SQ for XDP of an
 *			interface (cxr_en_xdp_xmit()): that maps it, and returns it when it is sent
 *
 * THE CLOCK
 *
 * The device stamps completions with a free-running counter. The time of a stamp is a matter of the
 * driver (drivers/core/clock.c): setting and adjusting the PTP clock changes how the counter is
 * converted, for the netdev's timestamps, and, by a page that they map, for processes that poll
 * their own CQs. The clock goes on over a reset, as the netdev does: it cannot be read until the
 * counter runs again, and then has gone on as the system's monotonic clock has.
 *
 * WHO MAY CHANGE A MEMORY KEY
 *
 * A mkey of pages with umr_en can be changed by a UMR work request of a QP with fre, addresses
 * included. Keys of user memory have umr_en, since the driver changes them in place
 * (drivers/ib/umr.c); therefore QPs of user space must not have fre. QPs of the kernel have it, for
 * fast registration. Binding a memory window does not need it.
 *
 * The key of a deregistered MR is revoked, and kept for another MR (drivers/ib/mkey.c). Until then
 * it is free, and belongs to the driver's PD; then it has another variant. Memory is unpinned after
 * the work request that revokes its key has completed.
 *
 * OBJECTS OF PROGRAMS
 *
 * A program may make objects of the device by commands of its own (DEVX, drivers/ib/devx.h), if the
 * card has user contexts. Each context then has a number, its uid, which is in its commands, and in
 * those of the driver for its verbs; the device lets nobody with a uid name an object of another.
 * Event queues for completions and counter sets belong to all (PRM_UID_SHARED); XRC domains, their
 * SRQs and QPs, and memory keys of verbs are the kernel's, which may name any.
 *
 * WHERE COMMANDS ARE NOT ALLOWED
 *
 * Commands sleep, so not in interrupt context, which cxr_client_ops.event, cxr_cq.comp and
 * cxr_cq.error run in (queue work); not under a spinlock; not in NAPI poll. Page requests are
 * served by an ordered workqueue with a command slot of its own, since the firmware may need a page
 * to complete another command.
 *
 * EVENTS
 *
 * An interrupt drains its EQ: next_eqe() returns an entry (owner bit, barrier), cxr_event_decode()
 * converts it to struct cxr_event in host order, dispatch() passes it on:
 *
 *	completion		cxr_cq.comp of the CQ with that number
 *	CQ error		cxr_cq.error
 *	command done		the command that waits in that slot
 *	page request		the workqueue of pages.c
 *	page fault		the workers of drivers/ib/odp.c
 *	port, QP, SQ, RQ, SRQ, DCT	cxr_client_ops.event of both clients
 *	warnings		the log
 *
 * An EQ is armed for one interrupt. If that is missed, a command that waits for its event (after a
 * second) or the health check (after at most four) polls the queue and arms it again.
 *
 * Numbers in events come from the device: unknown ones are dropped. When cxr_cq_destroy() or
 * cxr_client_unregister() has returned, no handler runs any more.
 *
 * State and MTU of the port are those of its netdev, so that there is one source: cxr_ib watches it
 * and reports to ib_core what ib_core does not watch itself. Netdev notifiers are registered for
 * one namespace, the initial one for bonds, else that of the netdev, which they follow: a notifier
 * for all namespaces waits for pernet_ops_rwsem, whose holder may wait for our netdev reference.
 *
 * TRAFFIC CLASSES AND FLOW CONTROL
 *
 * They are of the port, not of its function: registers that firmware keeps, and that the function
 * with caps.dcb may write (drivers/en/dcb.c). What users set is decided by pure functions
 * (drivers/policy/dcb.h), written, and remembered only to be written again after a reset. Packets
 * have the priority of their VLAN tag, or with trust in DSCPs that of their DSCP, RoCE like all
 * others; the device then reads the IP header of what it sends, so send queues have it inline.
 *
 * CONGESTION CONTROL
 *
 * DCQCN is the device's: it marks no packets, but answers marked ones, and limits the rate of QPs.
 * The driver passes on its parameters (drivers/codec/cong.c has the table, drivers/core/cong.c the
 * state), which the port's firmware keeps, and sets again after a reset what users have set.
 *
 * FORCED TRAFFIC CLASSES AND TTL
 *
 * The administrator may give paths another DSCP than the application asks for (drivers/ib/force.c).
 * The rules (drivers/policy/tclass.h) are those of an RDMA device: they begin empty, and are gone
 * with it, also when it is made again by a reload or a LAG. They are looked up wherever a path is
 * made: an address handle of the kernel, a QP on its way to RTR. Address handles of processes are
 * made by their library, which the driver has no part in. A QP keeps the path that the application
 * asked for, so that a write can give all QPs in RTS what the rules say now, and removing a rule
 * gives them back their own. The SL, and with it the priority of a tag, stays as it is. A forced
 * TTL is looked up in the same places, but no transition of a QP in RTS changes it.
 *
 * WHEN THE DEVICE HAS FAILED
 *
 * A command timeout, reads of all ones, and firmware that requests a reset or has disabled the NIC
 * interface (drivers/policy/health.h) lead to cxr_core_fail(): it disables DMA, then marks the
 * device as dead, logs the reason, completes all waiting commands with -ENODEV, and calls
 * cxr_client_ops.fatal. From the mark on commands return -ENODEV at once and destroy functions only
 * free memory, which is safe since DMA is off.
 *
 * A reset brings it back: of the function, or, if the firmware asks for it, of the firmware
 * (drivers/core/firmware.c), which resets all functions of the card. It is made by the recovery of
 * devlink's health reporter fw_fatal (drivers/core/reporter.c), by itself or when a person asks for
 * it; or in sysfs; or by unbind. The reporter fw shows what the firmware survived.
 *
 * A PCI error is such a failure, too, and the PCI core recovers from it: after error_detected() it
 * resets the link, or slot_reset() the function, which restores the configuration space, and
 * resume() brings up what went down.
 *
 * Before the system sleeps, and before hibernation makes its image, the function goes down in the
 * same way, and it comes up when everything has woken (cxr_pm_ops).
 *
 * LAG
 *
 * Two ports of one adapter in a bond become one RDMA device. cxr_lag_step() (drivers/policy/lag.c)
 * derives the next action from a snapshot of both ports and the current state; the work of the card
 * runs it after every relevant event and applies it (drivers/core/lag.c has a diagram). To enter:
 * both "ib" devices are removed; CREATE_LAG and a vport LAG make the function of port 1 send and
 * receive RoCE for both ports; a LAG demux table behind programs' rules returns Ethernet to port 2;
 * "ib" of port 1 is added again. cxr_core.lag tells cxr_ib that its device is mlx5_bond_N, that the
 * state of the bond is that of its port, and that QPs are spread over both ports; if card and bond
 * hash connections, flow tables choose the port of each packet instead (drivers/core/lag_hash.c).
 * Fail-over is MODIFY_LAG after new destinations in those tables, with active-backup also a new
 * netdev for ib_core; address table entries in use stay (drivers/ib/gid.c). A function that is
 * removed makes its card leave the LAG first, one that failed makes its card's work do so.
 *
 * An ECMP LAG has no bond (drivers/policy/ecmp.c): an interface named by a write to
 * roce_lag_ecmp_dev takes its place. The address table then has each GID twice, half a table apart,
 * with the MAC of each port; a QP uses the half of the port it is assigned to. When the map changes
 * the half is rewritten with the other port's MAC (cxr_client_ops.lag_macs): no QP is modified.
 *
 * LOCKS, outermost first. What a lock guards is marked, __guarded_by() and __must_hold(), and
 * proved by clang (scripts/check-locks), where lockdep_assert_held() does not check it in use.
 * Fields that are read without their lock have a comment.
 *
 *	device_lock of the PCI device
 *	  devlink instance		reload, reset, parameters, info; not probe and remove, which
 *					create and destroy it
 *	    cxr_card.lock		RDMA devices of a card are added and removed; its work and
 *					writes to roce_lag_enable and roce_lag_ecmp_dev take it
 *					without the two above
 *	      device_lock of an auxiliary device
 *	any of the above
 *	  cxr_dev.client_lock		registration of clients, their netdev, lag_macs and fatal
 *					callbacks
 *	    rtnl, and what the clients take in these callbacks; without client_lock also to find
 *					the parent of an ECMP LAG
 *	    cxr_port.lock		cxr_port.netdev
 *	    cards_lock of card.c	the list of cards; innermost
 *	any of the above
 *	  cxr_cong.lock			parameters of congestion control
 *	  cxr_dev.loopback_lock, .rates.lock	loopback of the vport; packet pacing
 *	  cxr_dev.flow_lock		the chain of flow tables, and their rules
 *	any of the above
 *	  cmdq.pages_sem or .sem	a command slot; the former for MANAGE_PAGES only
 *	cxr_eqs.poll_lock		EQs are polled because an interrupt may be missing
 *	cxr_pages.lock			pages and their counts; no command under it
 *	cxr_dev.db_lock			pages of doorbell records; no command under it
 *	cxr_clock.lock			the time; with interrupts off, readers in NAPI; innermost
 *	in interrupts
 *	  cxr_dev.fail_lock		DMA of a failed device; innermost
 *	  cmdq.lock			slots; innermost
 *	  cxr_pages.req_lock		page requests; innermost
 *	  RCU				clients for events, CQs by number
 *
 * and of cxr_ib, where commands may be issued under the first eleven:
 *
 *	cxr_ib_dev.scan_lock		GIDs are scanned, another netdev is watched; under
 *					client_lock, and rtnl under it
 *	cxr_ib_dev.gid_lock		the address table is written; under client_lock, or alone
 *	cxr_ib_dev.force_lock		rules of Force DSCP change, and QPs follow; outermost: only
 *					writes to sysfs take it
 *	cxr_ib_qp.mutex			transitions of a QP
 *	cxr_ib_rwq.mutex		transitions of a WQ
 *	cxr_ib_ucontext.td_lock		transport domain of a process
 *	cxr_ib_cq.resize_lock		memory of a CQ of user space
 *	cxr_ib_dev.loopback_lock	who needs loopback of the vport; under td_lock, or alone
 *	cxr_ib_dev.xrc_lock		what XRC QPs share is created
 *	cxr_ib_odp.lock, ib_umem_odp.umem_mutex	the EQ of faults; pages of an MR (drivers/ib/odp.h)
 *	cxr_ib_dev.umr_lock		the QP that changes memory keys, keys that are kept
 *	cxr_ib_ucontext.db_lock		pinned doorbell records of a process; mmap_lock under it
 *	cxr_ib_dev.kcq_lock		CQs of the kernel; their completion handlers under it
 *	cxr_ib_dev.netdev_lock		the netdev, state and MTU of the port
 *	with interrupts off
 *	  cxr_ib_cq.lock		a CQ is polled, or rid of a QP; never two at a time
 *	    cxr_ib_wq.lock		a queue is posted to, or emptied; innermost
 *	    lock of cxr_ib_dev.qps	QPs by number, also for events
 *	    cxr_ib_srq.lock		an SRQ is posted to, or gets a WQE back; innermost
 *	  lock of cxr_ib_dev.srqs	SRQs by number, for events; innermost
 *	  locks of cxr_ib_dev.event_targets, .dc_targets	the same for other queues, and DC
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

/* Precision of "%.*s" in the log, for what was written to an attribute: no newline, and cut off. */
static inline int cxr_written(const char *buf)
{
	return min_t(size_t, strcspn(buf, "\n"), 16);
}

struct cxr_core;
struct cxr_uar;

/**
 * struct cxr_port - the only port of a function
 * @core: its device
 * @mac: permanent MAC of the vport, or one that the core made up
 * @mac_random: it is made up: nobody gave the function one, as is usual for VFs
 * @lock: guards @netdev
 * @netdev: the netdev that cxr_en registered, or NULL; @lock to write, a notifier only compares it
 * @netdev_nb: reports that @netdev moved to another network namespace; guarded by client_lock, as
 *             are the next two
 * @netdev_nn: ties @netdev_nb to @netdev
 * @notifier_registered: @netdev_nb is registered
 */
struct cxr_port {
	struct cxr_core *core;
	u8 mac[ETH_ALEN];
	bool mac_random;
	struct mutex lock;		/* netdev */
	struct net_device *netdev;
	struct notifier_block netdev_nb;
	struct netdev_net_notifier netdev_nn;
	bool notifier_registered;
};

/**
 * struct cxr_lag - two ports that are one RDMA device, as seen by that device
 * @bond: the bond, or the parent of an ECMP LAG, whose state is that of the port; the core holds a
 *        reference
 * @netdev: netdev of the port for ib_core, with a reference of the core: the active slave, since
 *          ib_core updates GIDs when it changes and has default GIDs for slaves only; without an
 *          active slave @bond. cxr_client_ops.netdev reports a change before it is here; while the
 *          RDMA device exists written under cxr_card.lock and client_lock, read under either
 * @core: functions by port; they stay until the RDMA device is gone
 * @slave: netdevs by port, for comparison only: they may be freed before the LAG
 * @hash: a hash chooses the port of a packet, unless its QP has a port; constant
 * @ecmp: there is no bond: packets have the MAC of the port they leave by; constant
 * @mac: source MACs of an ECMP LAG, of QPs assigned to port 1 and port 2. cxr_client_ops.lag_macs
 *       reports a change; locked as @netdev
 */
struct cxr_lag {
	struct net_device *bond;
	struct net_device *netdev;
	struct cxr_core *core[CXR_LAG_PORTS];
	const struct net_device *slave[CXR_LAG_PORTS];
	bool hash;
	bool ecmp;
	u8 mac[CXR_LAG_PORTS][ETH_ALEN];
};

/**
 * struct cxr_core - a function as its clients see it
 * @dev: of @pdev
 * @pdev: PCI function
 * @caps: capabilities of the device; constant while clients are bound
 * @roce: granted RoCE mode; constant while clients are bound
 * @ud_gid_type: GID types allowed for UD address handles; as @roce
 * @lag: the LAG, if this is the function of its port 1, else NULL; constant while ib is bound
 * @port: the port
 * @dead: the device has failed, and was not reset since; read by cxr_core_dead()
 * @vf: a virtual function, by the PCI id: a guest's pdev->is_virtfn is false
 * @comp_vectors: number of completion EQs; vectors are 0 .. comp_vectors - 1
 * @fw_major: firmware version
 * @fw_minor: the same
 * @fw_sub: the same
 * @board_id: PSID, NUL-terminated
 * @vendor_id: of QUERY_ADAPTER (IEEE)
 * @terminate_lkey: ends a scatter list that is shorter than its WQE
 * @node_guid: of the vport
 * @sys_image_guid: of the adapter
 * @debugfs: directory of the function; clients remove their own files
 *
 * Private data of the core is in drivers/core/core.h.
 */
struct cxr_core {
	struct device *dev;
	struct pci_dev *pdev;
	struct cxr_caps caps;
	struct cxr_mode_grant roce;
	enum cxr_ud_gid_type ud_gid_type;
	const struct cxr_lag *lag;
	struct cxr_port port;
	bool dead;
	bool vf;
	int comp_vectors;
	u16 fw_major, fw_minor, fw_sub;
	char board_id[20];
	u32 vendor_id;
	u32 terminate_lkey;
	__be64 node_guid, sys_image_guid;
	struct dentry *debugfs;
};

struct cxr_adev {
	struct auxiliary_device adev;
	struct cxr_core *core;
	/* from cxr_adev_suspend() to cxr_adev_resume(); device_lock of adev */
	bool suspended;
};

static inline struct cxr_core *to_cxr_core(struct auxiliary_device *adev)
{
	return container_of(adev, struct cxr_adev, adev)->core;
}

/* A client that can be suspended must not bind to a device that is: there are no commands. */
static inline bool cxr_adev_suspended(struct auxiliary_device *adev)
{
	return container_of(adev, struct cxr_adev, adev)->suspended;
}

/* ---- port ------------------------------------------------------------------------------------ */

/*
 * The only event between en and ib: en hands over its netdev after registering it, and NULL before
 * unregistering it. The port holds a reference until the next call. Calls cxr_client_ops.netdev of
 * both clients. May sleep; takes client_lock, and under it port->lock and rtnl in turn.
 */
void cxr_port_set_netdev(struct cxr_port *port, struct net_device *netdev);
/* The netdev with a reference for the caller, or NULL. May sleep; takes port->lock. */
struct net_device *cxr_port_get_netdev(struct cxr_port *port);

/*
 * The vport hears what it sends to its own MAC and groups while it has users; RoCE always does.
 * 0, or the error of a command (cmd.h): then the caller is no user.
 */
int cxr_loopback_get(struct cxr_core *core);
void cxr_loopback_put(struct cxr_core *core);

/* ---- LAG (lag.c) ----------------------------------------------------------------------------- */

/*
 * Port of the LAG, 1 or 2, that @netdev belongs to, or 0; @netdev is not dereferenced. For the RDMA
 * device of the LAG only. Any context.
 */
u8 cxr_lag_port_of(const struct cxr_core *core, const struct net_device *netdev);

/* ---- clients: events to en and ib ------------------------------------------------------------ */

/**
 * struct cxr_client_ops - callbacks of a client
 * @event: an event of the port, a QP, SQ, RQ or SRQ. Interrupt context: queue work for anything
 *         that needs a command. CQ events go to the CQ instead.
 * @eqe: the same and any other, as the device wrote it, but for completions, pages and commands; of
 *       the client CXR_CLIENT_IB only. Interrupt context.
 * @netdev: cxr_port_set_netdev() was called; NULL: the netdev is about to be unregistered. May
 *          sleep.
 * @lag_macs: source MACs of an ECMP LAG, of QPs assigned to port 1 and port 2; returns 0 or the
 *            error of a command. May sleep.
 * @fatal: the device has failed. May sleep.
 */
struct cxr_client_ops {
	void (*event)(void *priv, const struct cxr_event *event);
	void (*eqe)(void *priv, const struct prm_eqe *eqe);
	void (*netdev)(void *priv, struct net_device *ndev);
	int (*lag_macs)(void *priv, const u8 mac[CXR_LAG_PORTS][ETH_ALEN]);
	void (*fatal)(void *priv);
};

enum cxr_client { CXR_CLIENT_EN, CXR_CLIENT_IB, CXR_CLIENTS };

/**
 * cxr_client_register() - register callbacks of a client
 * @core: the device
 * @which: the client
 * @ops: callbacks, or NULL for any of them; must remain valid until cxr_client_unregister()
 * @priv: their first argument
 *
 * May sleep; not from a callback. Calls @netdev, @lag_macs and @fatal before it returns, if there
 * is a netdev, an ECMP LAG, or a failed device.
 */
void cxr_client_register(struct cxr_core *core, enum cxr_client which,
			 const struct cxr_client_ops *ops, void *priv);
/* No callback runs after it. Does nothing if not registered. May sleep; not from a callback. */
void cxr_client_unregister(struct cxr_core *core, enum cxr_client which);

/*
 * The device has failed: commands return -ENODEV, destroy functions only free memory, and the
 * device does no DMA. Any context.
 */
static inline bool cxr_core_dead(const struct cxr_core *core)
{
	return smp_load_acquire(&core->dead);	/* pairs with stop_dma() in drivers/core/state.c */
}

/* ---- UAR: pages of BAR 0 with doorbells (uar.c) ---------------------------------------------- */

/**
 * struct cxr_uar - a UAR page of the kernel
 * @index: for create commands
 * @map: mapping, uncached or write-combining; doorbell registers at CXR_UAR_*
 */
struct cxr_uar {
	u32 index;
	void __iomem *map;
};

#define CXR_UAR_CQ_ARM 0x20
#define CXR_UAR_DB 0x800	/* send doorbell (BlueFlame register 0) */
#define CXR_UAR_SIZE 4096	/* a system page may hold several */

/*
 * ALLOC_UAR and a mapping, write-combining with _wc. Free it when no queue uses it any more.
 * Returns an ERR_PTR on failure: -EPROTO (the page is outside the BAR), -ENOMEM, or the command's
 * error. May sleep.
 */
struct cxr_uar *cxr_uar_alloc(struct cxr_core *core);
struct cxr_uar *cxr_uar_alloc_wc(struct cxr_core *core);
void cxr_uar_free(struct cxr_core *core, struct cxr_uar *uar);
/*
 * Physical address of UAR page @index, or 0 if it is outside BAR 0. Where PAGE_SIZE is larger, a
 * mapping for user space has to round it down. Any context.
 */
phys_addr_t cxr_uar_phys(const struct cxr_core *core, u32 index);
/*
 * Rings a send doorbell. @ctrl: control segment of the last WQE, whose first 8 bytes are written.
 * WQEs and doorbell record are ordered before it. Any context.
 */
void cxr_uar_ring(struct cxr_uar *uar, const void *ctrl);
/**
 * cxr_uar_arm_cq() - request an event at the next completion
 * @uar: the page that the CQ was created with
 * @arm_record: second dword of the CQ's doorbell record
 * @cqn: number of the CQ
 * @sn: number of events so far; the device uses the low two bits
 * @ci: consumer index of the CQ
 * @solicited: only for a solicited completion or an error
 *
 * Any context; calls for one CQ must be serialized.
 */
void cxr_uar_arm_cq(struct cxr_uar *uar, __be32 *arm_record, u32 cqn, u32 sn, u32 ci,
		    bool solicited);

/* ---- the clock (clock.c) --------------------------------------------------------------------- */

/*
 * False: its frequency is unknown, and there are no timestamps. All functions here are for NAPI and
 * process context, while stage clock is up.
 */
bool cxr_clock_works(const struct cxr_core *core);
/*
 * The time of a timestamp, a value of the device's free-running counter that is not older than
 * CXR_CLOCK_PERIODS of updates (drivers/policy/clock.h).
 */
ktime_t cxr_clock_time(const struct cxr_core *core, u64 stamp);
/* N of /dev/ptpN; -1: the clock has no device. */
int cxr_clock_index(const struct cxr_core *core);
/*
 * struct mlx5_ib_clock_info for processes, in a page that outlives the stage while it is mapped;
 * NULL: there is no clock.
 */
struct page *cxr_clock_page(const struct cxr_core *core);
/* Of the counter's 64-bit big-endian register (uar.c). */
phys_addr_t cxr_clock_phys(const struct cxr_core *core);

/* ---- queue memory (buf.c) -------------------------------------------------------------------- */

/**
 * struct cxr_buf - queue memory of the kernel: single coherent pages, since a large contiguous
 * block may not be available
 * @size: in bytes, rounded up to PAGE_SIZE
 * @n: number of pages
 * @va: their addresses
 * @dma: their DMA addresses
 */
struct cxr_buf {
	size_t size;
	unsigned int n;
	void **va;
	dma_addr_t *dma;
};

/* The memory is zeroed. 0, -EINVAL (size 0), -ENOMEM. May sleep. */
int cxr_buf_alloc(struct cxr_core *core, struct cxr_buf *buf, size_t size);
/* The device must not use it any more. A second call does nothing. May sleep. */
void cxr_buf_free(struct cxr_core *core, struct cxr_buf *buf);
/*
 * The device has refused to destroy a queue and may access its memory, which is freed when DMA is
 * off; cxr_buf_free() has no effect from now on. Doorbell records are only read.
 */
void cxr_buf_keep(struct cxr_core *core, struct cxr_buf *buf);

/* Address of byte @off; an aligned item whose size is a power of two never crosses a page. */
static inline void *cxr_buf_at(const struct cxr_buf *buf, size_t off)
{
	return buf->va[off >> PAGE_SHIFT] + (off & ~PAGE_MASK);
}

/**
 * struct cxr_db - a doorbell record: 8 bytes of coherent memory that the device reads
 * @rec: RQ/SQ: [0] receive counter, [1] send counter; CQ: [0] consumer index, [1] arm
 * @dma: its DMA address
 * @page: the page it is in; private to buf.c
 * @slot: its index in that page; private to buf.c
 */
struct cxr_db {
	__be32 *rec;
	dma_addr_t dma;
	void *page;
	unsigned int slot;
};

/* The record is zeroed. 0, -ENOMEM. May sleep. */
int cxr_db_alloc(struct cxr_core *core, struct cxr_db *db);
/* The device must not read it any more. May sleep. */
void cxr_db_free(struct cxr_core *core, struct cxr_db *db);

/* ---- CQs and their EQs (eq.c) ---------------------------------------------------------------- */

/**
 * struct cxr_cq - the part of a CQ that the EQ handler needs; embedded in the client's struct
 * @cqn: its number
 * @vector: completion vector it was created on
 * @uid: user context it was created for, 0 for the kernel
 * @comp: completion event. Interrupt context.
 * @comp_eqe: instead of @comp, with the event as the device wrote it; or NULL
 * @error: CQ error event (overrun, access violation), or NULL. Interrupt context.
 */
struct cxr_cq {
	u32 cqn;
	int vector;
	u16 uid;
	void (*comp)(struct cxr_cq *cq);
	void (*comp_eqe)(struct cxr_cq *cq, const struct prm_eqe *eqe);
	void (*error)(struct cxr_cq *cq, u8 syndrome);
};

/* Pages of a queue, of a cxr_buf or a umem. The array belongs to the caller. */
struct cxr_pas {
	const dma_addr_t *dma;
	u32 n;
	u8 log_size;		/* of a page in bytes, 12.. */
	u8 offset;		/* of the queue in the first page, in units of 1/64 page */
};

/*
 * Bits of that offset: of QPs and XRC SRQs, of SQs, RQs and other SRQs, and of CQs: their context
 * has a field for it as well, but the PRM says that it must be zero.
 */
#define CXR_PAS_OFFSET_BITS 6
#define CXR_PAS_OFFSET_BITS_WQ 5
#define CXR_PAS_OFFSET_BITS_CQ 0

static inline struct cxr_pas cxr_buf_pas(const struct cxr_buf *buf)
{
	return (struct cxr_pas){ .dma = buf->dma, .n = buf->n, .log_size = PAGE_SHIFT };
}

#define CXR_CQ_PERIOD_MAX 0xfff

enum cxr_cqe_size {
	CXR_CQE_64,
	CXR_CQE_128,
	CXR_CQE_64_PADDED,	/* to 128 bytes, if caps.cqe_padding */
};

/* What of each completion survives if the device compresses several into one. */
enum cxr_cqe_zip {
	CXR_CQE_ZIP_OFF,
	CXR_CQE_ZIP_HASH,
	CXR_CQE_ZIP_CSUM,
	CXR_CQE_ZIP_CSUM_STRIDE,	/* if caps.cqe_zip_stride */
};

struct cxr_cq_attr {
	u8 log_size;		/* entries */
	enum cxr_cqe_size cqe_size;
	enum cxr_cqe_zip zip;
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
 * @cq: with @comp and @error set; the other fields are filled in
 * @attr: attributes; the device uses the queue memory until cxr_cq_destroy()
 *
 * May sleep. cq->comp() may run from the return on.
 *
 * Return: 0, -EINVAL (vector), -ENOMEM, -EPROTO (the device returned a number that is in use), or
 * the command's error.
 */
int cxr_cq_create(struct cxr_core *core, struct cxr_cq *cq, const struct cxr_cq_attr *attr);
/*
 * After it no handler of the CQ runs and the device does not access its memory, even if the device
 * has failed. May sleep; not under a lock that cq->comp() takes. After an error the device has kept
 * the CQ, and may access its memory, see cmd.h.
 */
int cxr_cq_destroy(struct cxr_core *core, struct cxr_cq *cq);
/*
 * Completion events come after @period microseconds, up to CXR_CQ_PERIOD_MAX, or @max_count
 * completions (0: any number), whichever is first; if @period is 0, at once. A command (cmd.h).
 */
int cxr_cq_moderate(struct cxr_core *core, struct cxr_cq *cq, u16 period, u16 max_count);
/**
 * cxr_cq_resize() - move a CQ to new memory
 * @core: the device
 * @cq: the CQ
 * @cqe_size: as at creation
 * @log_size: number of entries of the new memory
 * @pas: the new memory, which the device uses until cxr_cq_destroy()
 *
 * The last entry that the device writes to the old memory is PRM_CQE_RESIZE_CQ; after the return it
 * does not access that memory any more. Entries not consumed yet have to be copied by whoever polls
 * the CQ. May sleep.
 *
 * Return: 0, or the command's error; then nothing has changed.
 */
int cxr_cq_resize(struct cxr_core *core, struct cxr_cq *cq, enum cxr_cqe_size cqe_size,
		  u8 log_size, const struct cxr_pas *pas);
/* Interrupt number of a completion vector, or -EINVAL. Any context, while the device is up. */
int cxr_comp_irq(const struct cxr_core *core, int vector);

#endif
