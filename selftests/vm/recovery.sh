#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Fault injection in the adapter (Documentation/faults.rst): the driver logs the fault, goes on if it can, and marks the device as dead
# if it cannot. It works again after unbind and bind. (Here the driver does not recover it by itself, see health.sh.)
# guests: 1
# takes: 210
# turn: yes
# timeout: 600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"

# ---- recovered faults --------------------------------------------------------

more_pages()
{
	local before

	before=$(pages_held)
	fault pages 5000
	wait_until 30 held_at_least $((before + 5000))
	fault pages -5000
	wait_until 30 held_at_most "$before"
	fault pages 1000000
	wait_kmsg "page request for 1000000 pages failed"
	held_at_most "$before"
	run_commands
}

lost_event()
{
	fault event cmd lose
	run_commands
	rule_hit
	wait_kmsg "missed event, recovered by polling"
	wait_until 30 link_is 1
}

# The vector also serves port events, which may consume the fault: try again
lost_interrupt()
{
	local polled

	for _ in 1 2 3; do
		clear_faults
		polled=$(count polled)
		fault interrupt 0 lose
		run_commands
		wait_until 5 kmsg_has "recovered by polling" && break
	done
	wait_kmsg "recovered by polling" 1
	rule_hit
	run_commands
	[ "$(count polled)" -le $((polled + 1)) ] || fail "the EQ was not rearmed: $polled, then $(count polled) commands polled"
	wait_until 30 link_is 1
}

odd_completions()
{
	local before

	before=$(count spurious)
	fault command any twice
	run_commands
	[ "$(count spurious)" -gt "$before" ]
	fault event cmd duplicate times=5
	fault command any length 0xfffffffc times=5
	run_commands
	ktap_allows 'missed event, recovered by polling'
	fault event cmd type 0xfe
	run_commands
	wait_kmsg "cmd EQ: unknown event 0xfe, subtype 0x0"
	wait_until 30 link_is 1
}

# Bring-up and user space need long outputs: capabilities, counters, lists of addresses
untagged_output()
{
	ktap_spoilt
	unbind
	fault command any untagged times=all
	try_bind
	wait_until 30 netdev_there
	wait_until 30 ibdev_there
	run_commands
	wait_until 30 link_is 1
	rule_hit
	unbind
	device_is_clean
}

# A card takes up to milliseconds for a command. Commands in different slots run at once, and what is posted meanwhile must wait.
slow_commands()
{
	local dev gid server

	ktap_spoilt
	unbind
	trap 'emu command-us off >/dev/null; kill $server 2>/dev/null || true' EXIT
	emu command-us 20000
	try_bind
	wait_until 60 netdev_there
	wait_until 60 ibdev_there
	driver_net_up
	run_commands
	dev=$(driver_ibdev)
	gid=$(wait_until 30 gid_index "$dev" v2 "$(my_ip)")
	gid=${gid##*$'\n'}
	ibv_rc_pingpong -d "$dev" -g "$gid" -n 100 >/tmp/server 2>&1 &
	server=$!
	wait_until 20 tcp_listens 18515
	ibv_rc_pingpong -d "$dev" -g "$gid" -n 100 localhost
	wait $server
	[ "$(count polled)" = 0 ] || fail "completions were found by polling"
	unbind
	emu command-us off
	device_is_clean
	up
}

port_down()
{
	local events

	ibv_asyncwatch -d "$(driver_ibdev)" >/tmp/events 2>&1 &
	events=$!
	wait_until 10 test -s /tmp/events
	fault port down
	wait_until 10 link_is 0
	wait_until 10 port_is DOWN
	# Link watch runs once a second, and misses a shorter flap.
	wait_until 10 grep -q PORT_ERR /tmp/events
	fault port up
	wait_until 10 link_is 1
	wait_until 10 port_is ACTIVE
	wait_until 10 grep -q PORT_ACTIVE /tmp/events
	kill $events
}

# No further event comes, so the driver has to ask again
state_refused_twice() # RULES EVENT...
{
	fault command query_vport_state status res_busy times=2
	fault "${@:2}"
	wait_until 15 refused_twice "$1"
}

refused_twice() { [ "$(emu fault list | grep -c "done 2")" = "$1" ]; } # RULES

port_state_refused()
{
	state_refused_twice 1 port down
	wait_until 10 link_is 0
	state_refused_twice 2 port up
	wait_until 10 link_is 1
	wait_until 10 port_is ACTIVE
}

# ---- probe -------------------------------------------------------------------

try_bind() { { echo "$BDF" >"$DRV/bind"; } 2>/dev/null; }

# The oldest rule has matched
rule_hit() { emu fault list | head -n 1 | grep ": seen [0-9]*, done [1-9]"; }

# Neither objects nor pages are left in the device
is_empty()
{
	emu status | grep -q 'objects: 0' || { emu status; fail "$1: objects are left"; }
	held_at_most 0 || fail "$1: $(pages_held) pages are left"
}

# Bind, and print what works: the function, the netdev, opening it, the RDMA device
try_devices()
{
	local got=

	if try_bind; then got=function; fi
	if netdev_there; then
		got="$got netdev"
		if ip link set "$(driver_netdev)" up 2>/dev/null; then got="$got open"; fi
	fi
	if ibdev_there; then got="$got rdma"; fi
	echo "$got"
}

# Each command or register of TABLE is refused in turn; ends with the function unbound and nothing left in the device
refused() # command|register TABLE: lines NAME STATUS [EXPECTED-DEVICES...]
{
	local command status want got bad=

	ktap_spoilt
	unbind
	while read -r command status want; do
		[ -n "$command" ] || continue
		fault "$1" "$command" status "$status" times=all
		got=$(try_devices)
		rule_hit >/dev/null || { emu fault list; fail "$command: was not issued"; }
		unbind
		clear_faults
		echo "$command $status ${got# }"
		[ "$got" = "$want" ] || { echo "expected: $want"; bad=1; }
		is_empty "$command"
	done <<<"$2"
	no_violation
	[ -z "$bad" ]
}

BRING_UP="
enable_hca		bad_sys_state
set_issi		bad_param
query_pages		bad_param
manage_pages		no_res
query_hca_cap		bad_op
set_hca_cap		bad_param
init_hca		bad_sys_state
query_adapter		internal
alloc_uar		no_res
create_eq		no_res
query_nic_vport_context	bad_param
"

DEVICES="
alloc_pd		no_res	function rdma
alloc_transport_domain	no_res	function rdma
create_mkey		lim	function rdma
create_cq		no_res	function netdev rdma
create_tis		no_res	function rdma
create_sq		no_res	function netdev rdma
create_rq		bad_res	function netdev rdma
create_rqt		no_res	function netdev rdma
create_tir		bad_param	function netdev rdma
create_flow_table	no_res	function netdev rdma
create_qp		no_res	function netdev open rdma
"

# What firmware may refuse to a virtual function, or does not have
REGISTERS="
pcam		bad_param	function netdev open rdma
ptys		bad_param	function netdev open rdma
paos		bad_param	function netdev open rdma
pmtu		bad_param	function netdev open rdma
ppcnt		no_res		function netdev open rdma
node_desc	bad_param	function netdev open rdma
"

bring_up_refused()
{
	refused command "$BRING_UP"
	# the probe fails at the stage of the command, and logs it
	[ "$(kmsg | grep -c 'bring-up failed at stage ')" = "$(grep -c . <<<"$BRING_UP")" ] || { kmsg; fail "a failure was not logged"; }
	up
}

devices_refused()
{
	refused command "$DEVICES"
	up
}

registers_refused()
{
	refused register "$REGISTERS"
	up
}

# The BlueFlame test creates the first send queue.
no_blueflame()
{
	[ -e /sys/kernel/debug/x86/pat_memtype_list ] || skip "this kernel has no write combining: BlueFlame is not tested"
	ktap_spoilt
	unbind
	fault command create_sq status no_res
	try_bind
	wait_kmsg "BlueFlame is not used: the write-combining test could not run: "
	rule_hit
	clear_faults
	wait_until 30 ibdev_there
	unbind
	device_is_clean >/dev/null || fail "objects or pages are left in the device"
}

silent_probe()
{
	ktap_spoilt
	unbind
	echo 1500 >$LIMIT
	fault command create_eq silent nth=2
	must_fail try_bind
	echo 60000 >$LIMIT
	wait_kmsg "create_eq (0x301): timed out after 1500 ms" 1
	kmsg_has "bring-up failed at stage eq"
	rule_hit
	up
}

# Firmware without QUERY_ISSI may answer with any status: its interface revision is 0.
no_issi()
{
	local status

	ktap_spoilt
	unbind
	for status in bad_op bad_param internal; do
		fault command query_issi status $status
		try_bind || fail "query_issi $status: the probe failed"
		rule_hit
		clear_faults
		wait_until 30 ibdev_there
		unbind
		device_is_clean >/dev/null
	done
}

# The driver's count and the device's
pages_agree() { [ "$(cat "$DEBUG/pages")" = "$(pages_held)" ]; }

# A device that refuses pages does not have them.
pages_refused()
{
	ktap_spoilt
	pages_agree
	fault command manage_pages status internal times=2
	fault pages 1000
	wait_kmsg "page request for 1000 pages failed"
	# The second command is not that the driver cannot give them, which would answer the next request
	fault pages 500
	wait_kmsg "page request for 500 pages failed"
	must_fail kmsg_has "modifier 0x0, refused"
	rule_hit
	wait_until 10 pages_agree
	works
	unbind
	must_fail kmsg_has "not returned"
	device_is_clean
}

memory() { awk -v k="$1:" '$1 == k { print $2 }' /proc/meminfo; } # NAME, in KiB

FULL=/run/cxr-full

free_memory()
{
	kill "$LOWEST" 2>/dev/null || true
	chrt -o -p 0 "$(pgrep -x kswapd0)"
	umount $FULL 2>/dev/null || true
}

# Until it is killed; prints how much memory was free at least, and how much must be for those who may not take the reserves, in pages
lowest_free()
{
	exec python3 -B -c '
import os, re, signal, sys, time

def pages(what):
    with open("/proc/zoneinfo", encoding="utf-8") as f:
        return sum(map(int, re.findall(what + r" +([0-9]+)\n", f.read())))

def end(*_):
    print(lowest, pages("  min"))
    sys.exit()

os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
lowest = pages("pages free")
signal.signal(signal.SIGTERM, end)
print("looks", flush=True)
while True:
    time.sleep(0.002)
    lowest = min(lowest, pages("pages free"))
'
}

request_failed() { kmsg_has "page request for $1 pages failed"; }	# PIECES
request_over() { held_at_least $((before + $1)) || request_failed "$1"; }

# There is less free memory than the device asks for, but files have more that need not stay. Only kswapd may free it: the driver lets it
# run. While that hardly does, the device rather gets nothing than the reserves of the system
pages_cached()
{
	local before pieces lowest reserve

	before=$(pages_held)
	mkdir -p $FULL
	mount -t tmpfs -o size=100% none $FULL
	cat /dev/vda >/dev/null
	head -c $((($(memory MemFree) - 96 * 1024) * 1024)) /dev/zero >$FULL/file
	pieces=$((($(memory MemFree) + 64 * 1024) / 4))
	echo "free: $(memory MemFree) KiB, of the disk: $(memory Buffers) KiB; the device asks for $((4 * pieces)) KiB"
	lowest_free >/tmp/lowest &
	LOWEST=$!
	trap free_memory EXIT
	wait_until 20 test -s /tmp/lowest
	chrt -i -p 0 "$(pgrep -x kswapd0)"
	fault pages $pieces
	wait_until 90 request_over $pieces
	chrt -o -p 0 "$(pgrep -x kswapd0)"
	kill $LOWEST
	wait $LOWEST
	read -r lowest reserve < <(tail -n 1 /tmp/lowest)
	echo "at least $lowest pages were free, the reserve is $reserve"
	[ "$lowest" -gt $((reserve / 2)) ] || fail "the driver has taken the reserves"

	if request_failed $pieces; then
		pieces=$((pieces + 1))
		fault pages $pieces
		wait_until 60 request_over $pieces
		must_fail request_failed $pieces
	fi
	fault pages -$pieces
	wait_until 60 held_at_most "$before"
}

# The device still has pages, and objects for all that the driver knows.
pages_kept()
{
	ktap_spoilt
	fault command teardown_hca status internal times=all
	fault command disable_hca status internal times=all
	unbind
	wait_kmsg "not returned; freed after DMA was disabled"
	clear_faults
	try_bind || fail "it does not start again: there was no reset"
	wait_until 30 ibdev_there
	driver_net_up
	works
	unbind
	device_is_clean
}

# ---- cards that are not in the emulator's table --------------------------------

# The function as one of a card with this capability, bound if that is possible
changed_cap() # NAME VALUE
{
	ktap_spoilt
	unbind
	fault cap "$1" "$2"
	try_bind || true
}

no_page_requests()
{
	changed_cap page_request_disable 1
	bound
	wait_until 30 ibdev_there
	driver_net_up
	three_checks
	works
	unbind
	device_is_clean
}

larger_caps()
{
	changed_cap log_max_klm_list_size 18
	bound
	wait_until 30 ibdev_there
	changed_cap cqe_version 2
	bound
	wait_until 30 ibdev_there
	driver_net_up
	works
	unbind
	device_is_clean
}

infiniband()
{
	changed_cap port_type 0
	must_fail bound
	wait_kmsg "the port is in InfiniBand mode: set LINK_TYPE_P1=2 with mlxconfig, and reset the card"
	device_is_clean
}

# ---- health ------------------------------------------------------------------

kmsg_count() { kmsg | grep -cF -- "$1" || true; }

# The device was checked at least three times: that many checks without an advance are a standstill.
three_checks()
{
	fault stall
	wait_kmsg "health counter does not advance"
}

works()
{
	must_fail is_dead
	run_commands
	wait_until 30 link_is 1
}

# Firmware asserts that it survives
health_reported()
{
	ktap_spoilt
	fault health 1
	three_checks
	[ "$(kmsg_count "health: firmware internal error (syndrome 0x1)")" = 1 ] || { kmsg; fail "the syndrome is not logged once"; }
	kmsg_has "health buffer: assert_var 05210100 05210101 05210102 05210103 05210104 05210105, exit_ptr 008033b4, callra 008033f0, time "
	kmsg_has "rfr_severity 0xb, irisc_index 0, synd 0x1, ext_synd 0x8da6"
	fault health 0x10
	wait_kmsg "health: high temperature (syndrome 0x10)"
	works
}

health_older()
{
	ktap_spoilt
	unbind
	fault health 8
	try_bind
	wait_kmsg "health: an earlier error: unrecoverable hardware error (syndrome 0x8)"
	three_checks
	[ "$(kmsg_count "health: unrecoverable hardware error")" = 0 ] || { kmsg; fail "the earlier error is reported as a new one"; }
	works
}

# The syndrome after the standstill shows that checks go on.
health_stands_still()
{
	ktap_spoilt
	three_checks
	kmsg | grep -E "health buffer: .* hw_id 0x20d,"
	fault health 9
	wait_kmsg "health: firmware CRC error (syndrome 0x9)"
	[ "$(kmsg_count "health counter does not advance")" = 1 ] || { kmsg; fail "the standstill is not logged once"; }
	works
}

# ---- fatal faults ------------------------------------------------------------

health_wants_reset()
{
	ktap_spoilt
	fault health 7 rfr
	wait_kmsg "device failed: firmware requests a reset"
	kmsg_has "health: a processor of the firmware does not respond (syndrome 0x7)"
	is_dead
	rebind_dead
}

silent_running()
{
	ktap_spoilt
	echo 1500 >$LIMIT
	fault command any silent
	ip link set "$(driver_netdev)" down || true
	echo 60000 >$LIMIT
	wait_kmsg "timed out after 1500 ms"
	kmsg_has "device failed: a command timed out"
	is_dead
	rule_hit
	rebind_dead
}

# The last command on the way down is lost: nothing goes up again.
reload_dead()
{
	local text

	ktap_spoilt
	echo 1500 >$LIMIT
	fault command disable_hca silent
	text=$(devlink dev reload "pci/$BDF" 2>&1) && fail "the reload succeeded"
	echo 60000 >$LIMIT
	grep "the device has failed: reset it, or unbind and bind it again" <<<"$text"
	must_fail kmsg_has "bring-up failed"
	must_fail bus_master
	rebind_dead
}

# By a command that times out: the device is dead then, and has let go of memory and groups
release()
{
	local dev command what

	while read -r command what; do
		ktap_spoilt
		dev=$(driver_ibdev)
		echo 1500 >$LIMIT
		fault command "$command" silent
		run_python "$(dirname "$0")/release_when_dead.py" "$what" "$dev" "$(gid_index "$dev" v2 "$(my_ip)")" ||
			fail "$what: not released"
		echo 60000 >$LIMIT
		wait_kmsg "$command"
		is_dead
		rule_hit
		rebind_dead
	done <<-END
		destroy_mkey		mr
		detach_from_mcg		group
	END
}

# ib_core creates the GSI QP while it registers the device. An earlier failure would end the registration
registering()
{
	local trace=/sys/kernel/tracing

	[ -e $trace/kprobe_events ] || skip "this kernel has no kprobe events"
	ktap_spoilt
	unbind
	trap 'echo 0 >/sys/kernel/tracing/events/kprobes/cxr_ib_event/enable; echo >/sys/kernel/tracing/kprobe_events' EXIT
	echo 'p:cxr_ib_event ib_dispatch_event type=+16(%di):u32' >$trace/kprobe_events
	echo >$trace/trace
	echo 1 >$trace/events/kprobes/cxr_ib_event/enable
	echo 1500 >$LIMIT
	fault command create_qp silent
	try_bind || true
	echo 60000 >$LIMIT
	wait_kmsg "create_qp"
	rule_hit
	# IB_EVENT_DEVICE_FATAL
	wait_until 10 grep -q 'cxr_ib_event: .* type=8$' $trace/trace
	if bound; then rebind_dead; else up; fi
}

bus_master() { [ $(($(od -An -tu1 -j 4 -N 1 "/sys/bus/pci/devices/$BDF/config") & 4)) != 0 ]; }

# Printing a line takes a second. Other tasks must run meanwhile, also on the same CPU.
slow_prints()
{
	local preempt=/sys/kernel/debug/sched/preempt was=

	if [ "$(nproc)" = 1 ] && ! uname -v | grep -qw PREEMPT; then
		was=$(sed -n 's/.*(\([a-z]*\)).*/\1/p' $preempt 2>/dev/null)
		[ -n "$was" ] || skip "one CPU without preemption: nothing else runs while the driver prints"
		echo full >$preempt
	fi
	# shellcheck disable=SC2064
	trap "echo 0 >/proc/sys/kernel/printk_delay; ${was:+echo $was >$preempt}" EXIT
	echo 1000 >/proc/sys/kernel/printk_delay
}

# With two timed out commands: the second caller, too, must not return before bus mastering is off.
dma_off()
{
	local counters n rc=0

	ktap_spoilt
	counters=/sys/class/infiniband/$(driver_ibdev)/ports/1/counters
	bus_master
	# Frames would make the adapter access memory: without DMA that is a violation.
	ip link set "$(driver_netdev)" down
	rm -f /tmp/back-*
	slow_prints
	echo 1500 >$LIMIT
	fault command query_vport_counter silent times=2
	for n in xmit rcv; do
		{
			cat "$counters/port_${n}_packets" || true
			if bus_master; then echo on; else echo off; fi >/tmp/back-$n
		} &
	done
	run_python "$(dirname "$0")/dma_when_dead.py" "$DEBUG/stage" "/sys/bus/pci/devices/$BDF/config" $((60 * ${CXR_PATIENCE:-1})) || rc=$?
	wait_until 60 test -s /tmp/back-xmit
	wait_until 60 test -s /tmp/back-rcv
	echo 0 >/proc/sys/kernel/printk_delay
	echo 60000 >$LIMIT
	grep . /tmp/back-*
	[ $rc = 0 ]
	must_fail grep -q on /tmp/back-xmit /tmp/back-rcv
	wait_kmsg "device failed: a command timed out"
	rebind_dead
}

healthy()
{
	driver_unload
	device_is_clean
}

ktap_setup up
ktap_test pages "the device requests pages and returns them, an excessive request is refused" more_pages
ktap_test event.lost "a lost command event is recovered by polling" lost_event
ktap_test interrupt.lost "a lost command interrupt is recovered by polling, and the EQ is rearmed" lost_interrupt
ktap_test odd "duplicate completions, bad lengths and unknown events are tolerated" odd_completions
ktap_test untagged "output mailboxes without token and block number are read" untagged_output
KTAP_TIMEOUT=300 ktap_test slow "commands that take 20 ms each: bring-up, settings, queue pairs, and down again" slow_commands
ktap_test port "port down and up: carrier, RDMA port state, events" port_down
ktap_test port.refused "a refused query of the port's state is repeated: the carrier follows the port" port_state_refused
KTAP_TIMEOUT=300 ktap_test refused.bring-up "a command refused during bring-up: the probe fails and leaves nothing behind" bring_up_refused
KTAP_TIMEOUT=300 ktap_test refused.devices "a command refused for one device: what does not need it works, nothing is left behind" devices_refused
KTAP_TIMEOUT=300 ktap_test refused.registers "a register refused: the interface and the RDMA device work" registers_refused
ktap_test flame "the BlueFlame test cannot run: BlueFlame is not used" no_blueflame
ktap_test silent.probe "a command timeout during probe: the probe fails, the next one works" silent_probe
ktap_test issi "QUERY_ISSI is refused with any status: the device works with interface revision 0" no_issi
ktap_test pages.refused "pages that the device refuses are not counted as its own" pages_refused
ktap_test pages.cached "the device gets pages that files have to give up" pages_cached
ktap_test pages.kept "a device that keeps pages is reset before it is used again" pages_kept
ktap_test no-page-requests "a device without page requests has no EQ for them" no_page_requests
ktap_test larger "a device with larger limits than the driver knows is used up to what it knows" larger_caps
ktap_test infiniband "a port in InfiniBand mode: the probe fails and says what to do" infiniband
ktap_test health.reported "a health syndrome without a request for a reset is logged once, the device works" health_reported
ktap_test health.older "a health syndrome from before the probe is mentioned, and not reported as new" health_older
ktap_test health.still "a health counter that stands still is logged once, the device works" health_stands_still
ktap_test health.reset "a health syndrome with a request for a reset: the device is dead until it is rebound" health_wants_reset
ktap_test silent.running "a command timeout at run time: the device is dead until it is rebound" silent_running
ktap_test reload "a device that fails on the way down of a reload does not come up" reload_dead
ktap_test silent.release "an MR and a multicast membership whose release times out are released" release
ktap_test silent.registering "a device that dies while its RDMA device is registered reports DEVICE_FATAL" registering
KTAP_TIMEOUT=240 ktap_test dma.off "DMA is off by the time a device is seen as dead" dma_off
ktap_test unload "unload of a healthy device leaves nothing in it" healthy
ktap_finally up
ktap_end
