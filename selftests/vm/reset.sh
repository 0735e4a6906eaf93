#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Resets of a bound function, as a person asks for them in sysfs and as the recovery from PCI errors makes them: the network interface
# stays, the RDMA device comes back, and programs of before get errors. And functions that leave the bus.
# guests: 2
# takes: 235
# turn: yes
# timeout: 900
# long: 2400
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/faults.sh
. "$(dirname "$0")/../lib/faults.sh"
# shellcheck source=selftests/lib/returns.sh
. "$(dirname "$0")/../lib/returns.sh"

RESETS=${CXR_LONG:+100}
RESETS=${RESETS:-3}

ready()
{
	clear_faults
	echo 1 >/sys/bus/pci/rescan
	returned
}

reset() { echo 1 >"/sys/bus/pci/devices/$BDF/reset"; }

keeps()
{
	local counted

	ktap_spoilt
	ethtool -G "$netdev" rx 512 tx 256
	ethtool -C "$netdev" adaptive-rx off rx-usecs 17 tx-frames 9
	wait_until 20 link_up "$netdev"
	wait_until 20 reachable
	peer "ping -q -c 3 -i 0.1 -W 1 ff02::1%$peer_netdev" >/dev/null || true
	counted=$(statistics)
	echo "$counted"
	grep -q '^multicast:[1-9]' <<<"$counted"
	BEFORE=$(snapshot)
	echo "$BEFORE"
	for _ in 1 2 3; do
		counted=$(statistics)
		reset
		wait_as_before
		none_falls "$counted"
		ends_pingpong 100
		tcp_both_ways 200000
	done
	no_violation
}

traffic()
{
	local pinger i

	ktap_spoilt
	BEFORE=$(snapshot)
	ping -q -i 0.05 "$(peer_ip)" >/tmp/ping &
	pinger=$!
	for ((i = 0; i < RESETS; i++)); do
		endless_pingpong
		reset
		works_again
	done
	kill -INT $pinger
	wait $pinger || true
	cat /tmp/ping
}

stack_has() { grep -q "$2" "/proc/$1/stack" 2>/dev/null; } # PID FUNCTION

# By one call, which waits for its turn once. In the background
takes_down() { exec python3 -c 'import fcntl, socket, struct, sys; fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", sys.argv[1].encode(), 0))' "$1"; } # SIOCSIFFLAGS

# RTNL is held until the reset waits for it to begin, and then the interface that goes down to be next
closing()
{
	local holder resetter closer

	ktap_spoilt
	rmmod cxr_ib
	ethtool -G "$netdev" rx 512
	trap 'emu command-us off >/dev/null; [ -d /sys/module/cxr_ib ] || driver_insmod cxr_ib' EXIT
	emu command-us 400000 >/dev/null
	ethtool -G "$netdev" rx 1024 &
	holder=$!
	wait_until 30 stack_has $holder cxr_en_reconfigure
	reset &
	resetter=$!
	wait_until 30 stack_has $resetter en_suspend
	takes_down "$netdev" &
	closer=$!
	wait_until 30 stack_has $closer devinet_ioctl
	stack_has $holder cxr_en_reconfigure || fail "RTNL was held too shortly"
	emu command-us off >/dev/null
	wait $holder
	wait $closer
	wait $resetter
	[ -z "$(ip link show dev "$netdev" up)" ] || fail "the interface is open"
	no_violation
	driver_insmod cxr_ib
	driver_net_up $MTU
	reachable
	no_violation
}

restart_queues() { ethtool -G "$netdev" rx 512; }

GROUP=01:00:5e:00:00:78

# The kernel does not tell the driver of a group that somebody joins while the interface is detached
late_group() # COMMAND...
{
	ktap_spoilt
	[ "$(receives_frames_to $GROUP)" = no ] || fail "the group is known already"
	insmod "/cxr/build/$CXR_KERNEL-kmod/latecomer.ko" netdev="$netdev" group=$GROUP
	trap 'rmmod latecomer' EXIT
	"$@"
	wait_until 20 link_up "$netdev"
	ip maddr show dev "$netdev" | grep $GROUP
	[ "$(receives_frames_to $GROUP)" = yes ] || fail "frames to the group do not arrive"
}

# A receive queue that the device does not let go of is stopped; if that is refused as well, what it may write to stays allocated
queue_stays() # 0|1: the queue can be stopped
{
	local before

	ktap_spoilt
	before=$(commands_sent modify_rq)
	fault command destroy_rq status bad_res_state nth=1
	[ "$1" = 1 ] || fault command modify_rq status bad_param nth=1
	ip link set "$netdev" down
	[ $(($(commands_sent modify_rq) - before)) = 1 ] || fail "the queue was not stopped"
	clear_faults
	driver_net_up $MTU
	reachable
	dead_comes_back reset
}

# The reset has no result of its own: the log says what happened, and a reload retries.
fails()
{
	local stage

	for stage in hca eq clients; do
		ktap_spoilt
		echo $stage >$FAIL
		reset
		echo -1 >$FAIL
		kmsg_has "bring-up failed at stage $stage"
		[ -z "$(driver_netdev)" ] || fail "$stage: there is an interface without a device"
		[ -z "$(clock)" ] || fail "$stage: there is a PTP clock without a device"
		devlink dev reload "pci/$BDF" >/dev/null
		wait_until 30 netdev_there
		driver_net_up $MTU
		reachable
	done
}

# This function has no objects and no pages; that of the peer has.
is_clean()
{
	local status

	status=$(emu status | sed -n "/^function $CXR_GUEST:/,/ objects:/p")
	echo "$status"
	grep -q " objects: 0$" <<<"$status"
	grep -q " pages: 0 held" <<<"$status"
	no_violation
}

en_fails()
{
	ktap_spoilt
	echo en:base >$FAIL
	reset
	echo -1 >$FAIL
	kmsg_has "bring-up failed at stage en:base"
	must_fail is_dead
	[ -z "$(driver_netdev)" ] || fail "the interface is still there"
	[ "$(cat "$DEBUG/stage")" = vfs ]
	echo "$BDF" >"$DRV/unbind"
	is_clean
}

no_client()
{
	ktap_spoilt
	rmmod cxr_ib cxr_en
	reset
	driver_insmod cxr_en
	driver_insmod cxr_ib
	wait_until 30 test -e "/sys/class/net/$netdev"
	driver_net_up $MTU
	reachable
}

# The function leaves the bus under traffic, with or without a warning, and is found again.
rescan() # removed|vanished
{
	local start

	ktap_spoilt
	endless_pingpong
	if [ "$1" = vanished ]; then
		fault gone
		wait_until 15 kmsg_has "device failed: no response"
	fi
	start=$SECONDS
	echo 1 >"/sys/bus/pci/devices/$BDF/remove"
	[ $((SECONDS - start)) -lt $((20 * ${CXR_PATIENCE:-1})) ] || fail "the removal took $((SECONDS - start)) s"
	wait_until 30 ended "$PINGPONG" || fail "a program of before still runs"
	wait "$PINGPONG" && fail "a program did not notice that the device has gone"
	ends_stop
	[ -z "$(driver_netdev)" ] || fail "there is an interface without a device"
	is_clean
	clear_faults
	echo 1 >/sys/bus/pci/rescan
	wait_until 30 netdev_there
	driver_net_up $MTU
	wait_until 20 link_up "$netdev"
	ends_pingpong 100
	reachable
}

recovers() # UNCORRECTABLE WHAT
{
	local said

	ktap_spoilt
	BEFORE=$(snapshot)
	endless_pingpong
	said=$(pci_error "$1") || skip "$said"
	wait_until 30 kmsg_has "device failed: $2 PCI error"
	wait_until 60 kmsg_has "device recovery successful"
	must_fail is_dead
	works_again
}

fatal() { recovers 0x40000 fatal; }		# malformed packet
nonfatal() { recovers 0x8000 nonfatal; }	# completer abort

ktap_setup ready
ktap_test keeps "a reset keeps the interface with its name, addresses and settings, GIDs and parameters" keeps
ktap_test closed "a closed interface stays closed over a reset" stays_closed reset
ktap_test closing "an interface that is closed while a reset begins has no queues left" closing
ktap_test group.restart "a multicast group that comes while the queues restart is received" late_group restart_queues
ktap_test group.reset "so is one that comes while a reset ends" late_group reset
ktap_test queue "a receive queue that the device does not let go of is stopped, and a reset ends it" queue_stays 1
ktap_test queue.runs "also one that cannot be stopped" queue_stays 0
KTAP_TIMEOUT=$((60 + RESETS * 20)) ktap_test traffic "under RDMA and Ethernet traffic programs of before a reset get errors, new ones work" traffic
ktap_test dead "a reset brings back a device that had failed" dead_comes_back reset
ktap_test fails "bring-up fails after a reset: no interface is left, a reload retries" fails
ktap_test fails.en "the interface fails to come back after a reset: it is removed and leaves nothing" en_fails
ktap_test no-client "a reset without clients: they bind afterwards" no_client
ktap_test remove "a function is removed under traffic, and found again" rescan removed
ktap_test vanish "a function vanishes under traffic, is removed, and found again" rescan vanished
ktap_test aer.fatal "a fatal PCI error under traffic: the device recovers" fatal
ktap_test aer.nonfatal "a nonfatal PCI error under traffic: the device recovers" nonfatal
ktap_finally ready
ktap_end
