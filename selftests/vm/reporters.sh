#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The devlink port of the interface, and its health reporters tx and rx: a queue with an error is reported and recovered.
# guests: 2
# takes: 130
# turn: yes
# timeout: 600
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/returns.sh
. "$(dirname "$0")/../lib/returns.sh"

before_each()
{
	ktap_allows 'restarting all queues'
	know_function
	ends_know
	PORT=$(devlink port show | sed -n "s/: .* netdev $netdev .*//p")
}

# Reporters that have counted nothing
ready()
{
	know_function
	clear_faults
	driver_unload
	returned
}

reporter_is() { devlink health show "$PORT" reporter "$1" | grep "state $2 error $3 recover $4 "; } # REPORTER STATE ERRORS RECOVERIES
queues() { python3 -B selftests/vm/reporters.py "$PORT" "$@"; } # REPORTER ["dump show"]
auto() { devlink health set "$PORT" reporter "$1" auto_recover "$2"; } # REPORTER true|false

# A value of the queue of channel 0 in LIST
value() # REPORTER LIST NAME ["dump show"]
{
	queues "$1" ${4:+"$4"} | sed -n "s/^$2 channel_ix=0 .* $3=\([^ ]*\).*/\1/p"
}

own() { [ "$CXR_DRIVER" = cxr ] || skip "$1"; }

vnic() { devlink -j health diagnose "pci/$BDF" reporter vnic; }
vnic_value() { vnic | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; } # COUNTER
VNIC="total_error_queues send_queue_priority_update_flow comp_eq_overrun async_eq_overrun invalid_command quota_exceeded_command \
nic_receive_steering_discard"

# A command that the device refuses with this status, once
refused() # STATUS
{
	fault command query_vport_counter status "$1"
	ethtool -S "$netdev" >/dev/null
	clear_faults
}

counts_more() { [ "$(vnic_value "$1")" -ge $(($2 + $3)) ]; } # COUNTER BEFORE N

vnic_counts()
{
	local missed invalid quota

	[ "$CXR_DRIVER" = cxr ] || devlink health show "pci/$BDF" reporter vnic || skip "the in-tree driver of this kernel has no vnic reporter"
	[ "$(vnic | grep -o '"[a-z_]*":[0-9]' | tr -d '":0-9' | xargs)" = "$(xargs <<<"$VNIC")" ]
	missed=$(vnic_value nic_receive_steering_discard) invalid=$(vnic_value invalid_command) quota=$(vnic_value quota_exceeded_command)
	# a group that nobody has joined
	peer "python3 -B selftests/lib/send_frames.py $peer_netdev 01:00:5e:00:00:77 20 500"
	wait_until 5 counts_more nic_receive_steering_discard "$missed" 20
	refused bad_param
	refused lim
	counts_more invalid_command "$invalid" 1
	counts_more quota_exceeded_command "$quota" 1
	[ "$(vnic_value invalid_command)" -lt $((invalid + 10)) ]
	works
}

# The version of the firmware is in the first two registers; where there is none, a pattern says that nothing was read.
dumps_registers()
{
	local major minor sub

	IFS=. read -r major minor sub <<<"$(ethtool -i "$netdev" | sed -n 's/^firmware-version: \([0-9.]*\).*/\1/p')"
	crdump >/tmp/reporters.dump
	[ "$(wc -l </tmp/reporters.dump)" = $((0x1014)) ]
	[ "$(head -n 12 /tmp/reporters.dump | xargs)" = "$major 0 $minor 0 $((sub % 256)) $((sub / 256)) 5 0 229 204 218 186" ]
	devlink health dump clear "pci/$BDF" reporter fw_fatal
	[ -n "$(crdump)" ] || fail "a second dump has no registers"
	no_violation
	works
}

# A gateway that does not work as it should leaves a dump without registers, and one that calls an address faulty one with them.
dumps_without_registers()
{
	local rule

	own "what the in-tree driver does then is its own matter"
	for rule in "semaphores silent times=all" "semaphores error times=all" "registers size 6" "registers size 0" \
		"registers size 0x10000004" "registers next 0 nth=3" "registers next 7 nth=3" "registers silent nth=5"; do
		echo "$rule"
		# shellcheck disable=SC2086
		fault gateway $rule
		devlink health dump clear "pci/$BDF" reporter fw_fatal
		devlink -j health dump show "pci/$BDF" reporter fw_fatal >/tmp/reporters.dump
		grep -q '"health_buffer"' /tmp/reporters.dump || fail "the dump has no health buffer"
		must_fail grep -q crdump /tmp/reporters.dump
		clear_faults
	done
	[ "$(kmsg | grep -c "the dump lacks the registers of the card: -")" = 8 ]
	fault gateway registers error times=all
	devlink health dump clear "pci/$BDF" reporter fw_fatal
	[ "$(crdump | wc -l)" = $((0x1014)) ]
	clear_faults
	works
}

works()
{
	reachable
	tcp_both_ways 200000
}

port()
{
	local name

	devlink port show "$PORT" | grep " type eth netdev $netdev flavour physical port 0 "
	[ "$(cat "/sys/class/net/$netdev/phys_port_name")" = p0 ]
	[ "${PORT##*/}" = 65535 ]
	name=$(devlink port show "$netdev")
	[ "${name%%: *}" = "$PORT" ]
	# it goes and comes with the interface
	driver_unload
	[ -z "$(devlink port show)" ] || fail "there is a port without a driver"
	ktap_spoilt
}

tells()
{
	local sqn cqn eqn

	[ "$(queues tx | grep -c '^SQs ')" = "$(channels_are)" ]
	[ "$(queues rx | grep -c '^RQs ')" = "$(channels_are)" ]
	queues tx | grep '^SQs channel_ix=0 tc=0 txq_ix=0 sqn=[0-9]* HW_state=1 stopped=False cc=[0-9]* pc=[0-9]* .*CQ.cqn=[0-9]* CQ.HW_status=0 '
	queues rx | grep '^RQs channel_ix=0 rqn=[0-9]* .*HW_state=1 .*WQE_counter=[0-9]* posted_WQEs=[0-9]* cc=[0-9]* .*CQ.cqn=[0-9]* CQ.HW_status=0 '
	devlink -j health diagnose "$PORT" reporter tx | grep '"SQ":{"stride size":64,"size":1024,.*"CQ":{"stride size":64,"size":1024}'
	eqn=$(value rx RQs EQ.eqn)
	[ "$(value tx SQs EQ.eqn)" = "$eqn" ] || fail "queues of a channel have different EQs"
	grep -q "^ *$(value rx RQs EQ.irqn):" /proc/interrupts
	sqn=$(value tx SQs sqn) cqn=$(value tx SQs CQ.cqn)
	[ -n "$sqn" ] && [ -n "$cqn" ] && [ "$cqn" != "$(value rx RQs CQ.cqn)" ]
}

closed()
{
	local tx rx

	ip link set "$netdev" down
	trap 'ip link set "$netdev" up' EXIT
	tx=$(queues tx)
	rx=$(queues rx)
	[ -z "$tx$rx" ] || fail "a closed interface has queues"
	own "of the in-tree driver there is an empty dump"
	must_fail devlink health dump show "$PORT" reporter tx
}

counted() { ! reporter_is "$1" healthy 0 0 >/dev/null; }
peer_pinged_and() { peer "ping -q -c 1 -W 1 $(my_ip) >/dev/null || :"; "$@"; }
pinged_and() { ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null || :; "$@"; }

# The next completion of a queue of the only channel is an error.
breaks() # REPORTER LIST
{
	ethtool -L "$netdev" combined 1
	reachable
	fault cqe "$(value "$1" "$2" CQ.cqn)" error local_prot
	wait_until 30 pinged_and counted "$1"
}

recovers() # REPORTER LIST OTHER
{
	ktap_spoilt
	reporter_is "$1" healthy 0 0
	breaks "$1" "$2"
	wait_until 30 reporter_is "$1" healthy 1 1
	works
	reporter_is "$3" healthy 0 0
	no_violation
}

# Nobody but the user has it recovered.
by_user() # REPORTER LIST
{
	ktap_spoilt
	auto "$1" false
	breaks "$1" "$2"
	must_fail ping -q -c 3 -W 1 "$(peer_ip)"
	reporter_is "$1" error 1 0
	if [ "$CXR_DRIVER" = cxr ]; then
		[ "$(value "$1" "$2" failed "dump show")" = True ]
		[ "$(value "$1" "$2" HW_state "dump show")" = 3 ]
	fi
	devlink health recover "$PORT" reporter "$1"
	reporter_is "$1" healthy 1 1
	works
	no_violation
}

# Other ways to new queues, which are healthy.
by_other() # COMMAND...
{
	ktap_spoilt
	auto tx false
	breaks tx SQs
	reporter_is tx error 1 0
	"$@"
	wait_until 30 reporter_is tx healthy 1 0
	works
	no_violation
}

# One recovery is enough for both.
both()
{
	ktap_spoilt
	auto tx false
	auto rx false
	breaks tx SQs
	reporter_is rx healthy 0 0
	fault cqe "$(value rx RQs CQ.cqn)" error local_prot
	wait_until 30 peer_pinged_and counted rx
	devlink health recover "$PORT" reporter rx
	reporter_is rx healthy 1 1
	reporter_is tx healthy 1 0
	works
	no_violation
}

# A recovery of queues does not help a device that has failed.
dead()
{
	own "about the errors of this driver"
	ktap_spoilt
	devlink health set "pci/$BDF" reporter fw_fatal auto_recover false
	auto tx false
	breaks tx SQs
	fault health 7 rfr
	wait_until 15 is_dead
	must_fail devlink health recover "$PORT" reporter tx >/tmp/reporters.said 2>&1
	grep "the device has failed" /tmp/reporters.said
	must_fail vnic >/tmp/reporters.said 2>&1
	grep "the device does not tell its counters" /tmp/reporters.said
	reporter_is tx error 1 0
	clear_faults
	reset_function
	wait_until 30 reporter_is tx healthy 1 0
	works
	no_violation
}

close_and_open() { ip link set "$netdev" down; ip link set "$netdev" up; }

reset_function()
{
	own "the in-tree driver has new reporters after a reset"
	echo 1 >"/sys/bus/pci/devices/$BDF/reset"
	wait_until 30 netdev_there
}

# A CQ that overruns raises an event.
overrun() # REPORTER LIST
{
	own "the in-tree driver only logs the error of a CQ"
	ktap_spoilt
	ethtool -L "$netdev" combined 1
	reachable
	fault cqe "$(value "$1" "$2" CQ.cqn)" overrun
	ping -q -c 1 -W 1 "$(peer_ip)" || true
	wait_kmsg ": overrun"
	wait_until 30 reporter_is "$1" healthy 1 1
	works
	no_violation
}

# The error of each of several queues in turn, sooner after the last than queues are restarted again
repeated()
{
	own "the in-tree driver recovers one queue"
	ktap_spoilt
	ethtool -L "$netdev" combined 1
	reachable
	fault request send error local_prot times=3
	peer_bg pings "ping -q -i 0.05 $(my_ip)"
	trap 'peer_kill pings' EXIT
	wait_until 60 reporter_is tx healthy 3 3
	must_fail kmsg_has "not recovered"
	works
	no_violation
}

# The queue hangs: its CQ has overrun, and the event about that is lost.
timeout_of_queue()
{
	own "the log of the in-tree driver has a timeout"
	[ "$CXR_KERNEL" != 6.1 ] || skip "the watchdog of this kernel prints a stack"
	ktap_spoilt
	ethtool -L "$netdev" combined 1
	reachable
	fault event cq_error lose
	fault cqe "$(value tx SQs CQ.cqn)" overrun
	peer_bg pings "ping -q -f -s 1400 $(my_ip)"
	trap 'peer_kill pings' EXIT
	wait_kmsg "timed out" 60
	wait_until 30 reporter_is tx healthy 1 1
	peer_kill pings
	works
	no_violation
}

# Without a recovery the driver can be unbound, and leaves nothing.
unbound()
{
	ktap_spoilt
	auto tx false
	breaks tx SQs
	reporter_is tx error 1 0
	driver_unload
	peer driver_unload
	device_is_clean
}

ktap_setup ready
ktap_test port "the interface has a devlink port with its number, and a name by that" port
ktap_test tells "the reporters tx and rx tell numbers and states of queues, CQs and EQs" tells
ktap_test vnic "the reporter vnic tells what the device counts: packets without a rule, commands that failed" vnic_counts
ktap_test registers "the dump of fw_fatal has the registers of the card" dumps_registers
ktap_test registers.wrong "it lacks them if the gateway of the card does not work" dumps_without_registers
ktap_test closed "of a closed interface they tell nothing" closed
ktap_test tx.recovers "an error of a send queue is counted and recovered from" recovers tx SQs rx
ktap_test rx.recovers "an error of a receive queue is counted and recovered from" recovers rx RQs tx
ktap_test tx.user "without auto_recover the user has a send queue recovered, and there is a dump" by_user tx SQs
ktap_test rx.user "likewise a receive queue" by_user rx RQs
ktap_test tx.overrun "the overrun of a CQ of a send queue is recovered from" overrun tx SQs
ktap_test rx.overrun "likewise of a receive queue" overrun rx RQs
ktap_test tx.repeated "errors soon after one another are all recovered from" repeated
ktap_test tx.timeout "a send queue that hangs is recovered" timeout_of_queue
ktap_test both "errors of queues of both kinds need one recovery" both
ktap_test dead "queues of a device that has failed cannot be recovered" dead
ktap_test reopened "an interface that was closed and opened again is healthy" by_other close_and_open
ktap_test reset "so is one after a reset of the function" by_other reset_function
ktap_test unbound "with an error the driver can be unbound" unbound
ktap_end
