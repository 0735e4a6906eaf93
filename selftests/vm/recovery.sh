#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The adapter misbehaves as it is told to (Documentation/faults.rst): the driver says what is wrong, goes on where it can,
# gives up where it cannot, and works again after unbind and bind.
# guests: 1
# timeout: 600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"

LIMIT=/sys/module/cxr_core/parameters/cmd_timeout_ms
BDF=$(driver_bdfs | head -n 1)
DRV=/sys/bus/pci/drivers/cxr_core
DEBUG=/sys/kernel/debug/cxr/$BDF

fault() { emu fault "$CXR_GUEST" "$@" >/dev/null || fail "the emulator refuses: fault $*"; }
heal() { emu fault clear >/dev/null; }

# What the kernel log has since the last mark
said_now() { dmesg | awk '/cxr-test: / { n = 0; next } { l[n++] = $0 } END { for (i = 0; i < n; i++) print l[i] }'; }
has_said() { said_now | grep -qF -- "$1"; }
says() { wait_until "${2:-15}" has_said "$1" || { said_now; fail "the log has no '$1'"; }; }

netdev_there() { [ -n "$(driver_netdev)" ]; }
ibdev_there() { [ -n "$(driver_ibdev)" ]; }
bound() { [ -e "$DRV/$BDF" ]; }
is_dead() { grep -q dead "$DEBUG/stage"; }
count() { awk -v k="$1" '$1 == k { print $2 }' "$DEBUG/cmd"; }
pages_held() { emu status | sed -n 's/.*pages: \([0-9]*\) held.*/\1/p' | head -n 1; }
held_at_least() { [ "$(pages_held)" -ge "$1" ]; }
held_at_most() { [ "$(pages_held)" -le "$1" ]; }

up()
{
	driver_load
	bound || echo "$BDF" >"$DRV/bind"
	wait_until 30 netdev_there
	wait_until 30 ibdev_there
	driver_net_up
}

# A dead device is taken away and brought back
revive()
{
	local start=$SECONDS

	echo "$BDF" >"$DRV/unbind"
	[ $((SECONDS - start)) -lt $((30 * ${CXR_PATIENCE:-1})) ] || fail "unbind took $((SECONDS - start)) s"
	heal
	up
	must_fail is_dead
}

# Something that needs commands
run_commands()
{
	ip link set "$(driver_netdev)" down
	ip link set "$(driver_netdev)" up
}

link_is() { [ "$(cat "/sys/class/net/$(driver_netdev)/carrier")" = "$1" ]; }
port_is() { grep -q "$1" "/sys/class/infiniband/$(driver_ibdev)/ports/1/state"; }

# ---- it goes on --------------------------------------------------------------

more_pages()
{
	local before

	up
	before=$(pages_held)
	fault pages 5000
	wait_until 30 held_at_least $((before + 5000))
	fault pages -5000
	wait_until 30 held_at_most "$before"
	fault pages 1000000
	says "the device asks for 1000000 pages, which cannot be given"
	held_at_most "$before"
	run_commands
}

lost_event()
{
	up
	fault event cmd lose
	run_commands
	says "no event came, found by looking"
	wait_until 30 link_is 1
}

lost_interrupt()
{
	local polled

	up
	fault interrupt 0 lose
	run_commands
	says "found by looking"
	polled=$(count polled)
	run_commands
	[ "$(count polled)" = "$polled" ] || fail "the queue is not armed again: $polled, then $(count polled) commands polled"
	wait_until 30 link_is 1
}

odd_completions()
{
	local before

	up
	before=$(count spurious)
	fault command any twice
	run_commands
	[ "$(count spurious)" -gt "$before" ]
	fault event cmd duplicate times=5
	fault command any length 0xfffffffc times=5
	run_commands
	fault event cmd type 0xfe
	run_commands
	says "cmd EQ: event 0xfe, subtype 0x0 is unknown"
	wait_until 30 link_is 1
}

port_down()
{
	local events

	up
	ibv_asyncwatch -d "$(driver_ibdev)" >/tmp/events 2>&1 &
	events=$!
	wait_until 10 test -s /tmp/events
	fault port down
	wait_until 10 link_is 0
	wait_until 10 port_is DOWN
	# The network stack tells of links once a second: what is over by then nobody hears of.
	wait_until 10 grep -q PORT_ERR /tmp/events
	fault port up
	wait_until 10 link_is 1
	wait_until 10 port_is ACTIVE
	wait_until 10 grep -q PORT_ACTIVE /tmp/events
	kill $events
}

# ---- probe -------------------------------------------------------------------

try_bind() { { echo "$BDF" >"$DRV/bind"; } 2>/dev/null; }
off()
{
	if bound; then echo "$BDF" >"$DRV/unbind"; fi
}

STATUSES="bad_sys_state no_res"

each_status()
{
	local s

	up
	off
	for s in $STATUSES; do
		fault command init_hca status "$s"
		must_fail try_bind
		heal
		device_is_clean >/dev/null || fail "status $s: something is left"
	done
	[ "$(said_now | grep -c 'bring-up failed at stage hca')" = "$(wc -w <<<"$STATUSES")" ]
	up
}

# Of bring-up, of its last stage, of the netdev and of the RDMA device
COMMANDS="manage_pages create_eq create_cq"

each_command()
{
	local c

	up
	off
	for c in $COMMANDS; do
		fault command "$c" status no_res
		try_bind || true
		off
		heal
		emu status | grep -q 'objects: 0' || { emu status; fail "$c: objects are left"; }
		held_at_most 0 || fail "$c: $(pages_held) pages are left"
	done
	[ "$(emu violations)" = "" ] || { emu violations; fail "the driver did something wrong"; }
	up
}

# The trial of BlueFlame is the first who makes a send queue.
no_flame()
{
	[ -e /sys/kernel/debug/x86/pat_memtype_list ] || skip "this kernel has no pages that combine writes: nothing is tried"
	up
	off
	fault command create_sq status no_res
	try_bind
	says "BlueFlame could not be tried, and is not used: "
	heal
	wait_until 30 ibdev_there
	off
	device_is_clean >/dev/null || fail "something is left"
	up
}

silent_probe()
{
	up
	off
	echo 1500 >$LIMIT
	fault command create_eq silent nth=2
	must_fail try_bind
	echo 60000 >$LIMIT
	says "create_eq (0x301): no answer in 1500 ms" 1
	has_said "bring-up failed at stage eq"
	heal
	up
}

# ---- it gives up -------------------------------------------------------------

silent()
{
	up
	echo 1500 >$LIMIT
	fault command any silent
	ip link set "$(driver_netdev)" down || true
	echo 60000 >$LIMIT
	says "no answer in 1500 ms"
	has_said "given up: a command timed out"
	is_dead
	revive
}

healthy()
{
	heal
	up
	driver_unload
	device_is_clean
}

export KTAP_TIMEOUT=150
ktap_plan 11
ktap_run "the device asks for pages beyond normal and gives them back; for too many it gets none" more_pages
ktap_run "the event of a command is lost: the command is found by looking" lost_event
ktap_run "the interrupt of a command is lost: found by looking, and the next ones come" lost_interrupt
ktap_run "completions that come twice, odd lengths and unknown events do no harm" odd_completions
ktap_run "the port goes down and up: carrier, state of the RDMA port, its events" port_down
ktap_run "INIT_HCA fails by its status: the probe fails and leaves nothing" each_status
ktap_run "commands of bring-up and of both devices fail: nothing is left" each_command
ktap_run "BlueFlame cannot be tried: the device works without" no_flame
ktap_run "a command at probe never completes: the probe fails, the next one works" silent_probe
ktap_run "a command never completes: the device is given up, and works after unbind and bind" silent
ktap_run "the device is healthy at the end, and unload leaves nothing in it" healthy
ktap_end
