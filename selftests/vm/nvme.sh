#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Kernel ULPs: a disk over NVMe-oF. The host (nvme-rdma) registers memory with REG_MR and has it invalidated remotely by
# the target (nvmet-rdma), which uses RDMA READ and WRITE; both drain their QPs on disconnect, and when the firmware crashes.
# guests: 2
# takes: 40
# turn: yes
# kernels: 6.1 6.12 7.2
# timeout: 400
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/nvmet.sh"
. "$(dirname "$0")/../lib/programs.sh"

HOSTID=6d1ae1cf-5d9d-4a2b-9b4e-2f6b3e0c7a11
DATA=/tmp/nvme-data
QPS=/run/nvme-qps	# the initial number of QPs, here and on the target

on_target() { peer "set -e; . selftests/lib/nvmet.sh; $*"; }

# With use_srq=1 the target receives through an SRQ.
connected() # [use_srq=1]
{
	local here there

	ends_up 4200
	modprobe nvme-rdma
	nvme disconnect -n "$NVME_NQN"
	here=$(nvme_qps)
	there=$(on_target "nvmet_down; nvmet_up $*; nvme_qps")
	echo "$here $there" >$QPS
	connect
}

disk()
{
	local d n

	for d in /sys/class/nvme/nvme*; do
		[ -e "$d/transport" ] && [ "$(<"$d/transport")" = rdma ] || continue
		for n in /dev/"${d##*/}"n*; do [ -b "$n" ] && echo "$n" && return; done
	done
	return 1
}

no_disk() { ! disk; }

controller_is() # STATE
{
	local d n

	for d in /sys/class/nvme/nvme*; do
		[ -e "$d/state" ] && [ "$(<"$d/state")" = "$1" ] && return
	done
	return 1
}

connect()
{
	program nvme connect -t rdma -a "$(peer_ip)" -s 4420 -n "$NVME_NQN" --nr-io-queues=2 --queue-size=32 \
	     --reconnect-delay=1 --keep-alive-tmo=$((10 * ${CXR_PATIENCE:-1})) \
	     --hostnqn=nqn.2014-08.org.nvmexpress:uuid:$HOSTID --hostid=$HOSTID
	wait_until 20 disk
}

disconnect()
{
	local here there

	read -r here there <$QPS
	nvme disconnect -n "$NVME_NQN"
	must_fail disk
	wait_until 20 nvme_qps_are "$here"
	on_target wait_until 20 nvme_qps_are "$there"
}

reconnect()
{
	[ "$(blockdev --getsize64 "$(disk)")" = $((NVME_MB << 20)) ]
	disconnect
	connect
	write_and_verify 4096 16
}

# Write and read back COUNT blocks of SIZE from block FIRST on, without the page cache
write_and_verify() # SIZE COUNT [FIRST]
{
	local dev file=$DATA-$1-${3:-0}

	dev=$(disk) || return
	head -c $(($1 * $2)) /dev/urandom >"$file"
	dd if="$file" of="$dev" bs="$1" seek="${3:-0}" conv=nocreat oflag=direct status=none || return
	dd if="$dev" of="$file.back" bs="$1" skip="${3:-0}" count="$2" iflag=direct status=none || return
	cmp "$file" "$file.back" || return 3
	rm "$file" "$file.back"
}

sizes()
{
	write_and_verify 512 16
	write_and_verify 4096 128
	write_and_verify 20480 32
	write_and_verify 131072 16
	write_and_verify 1048576 8
}

at_once()
{
	local i ids=()

	for i in 0 1 2 3; do
		write_and_verify 65536 32 $((i * 64)) &
		ids+=($!)
	done
	for i in "${ids[@]}"; do wait "$i"; done
}

# The error is reported once, with its reason and the unreachable peer; the host reconnects and continues.
error_reported()
{
	local line lines try

	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: nothing injects an error"
	echo "nvme: an error follows" >/dev/kmsg
	# A frame of the network interface may take the error.
	for try in 1 2 3; do
		emu fault a cqe any error transport_retry_exc nth=1
		write_and_verify 65536 16 &
		if wait_until 10 controller_is connecting; then break; fi
		wait $!
		[ "$try" != 3 ]
	done
	emu fault clear
	wait_until 60 controller_is live
	wait $!
	write_and_verify 4096 16
	[ "$CXR_DRIVER" = cxr ] || return 0
	line=$(dmesg | tac | sed '/nvme: an error follows/Q' | grep 'QP 0x.*transport retries exceeded')
	lines=$(wc -l <<<"$line")
	echo "$line"
	[ "$lines" = 1 ]
	grep -Eq "QP 0x[0-9a-f]+: (receive|send|memory key update) at WQE [0-9]+: transport retries exceeded" <<<"$line"
	grep -q "no answer from $(gid_text "$(peer_ip)")" <<<"$line"
}

shared_queue()
{
	write_and_verify 4096 64
	write_and_verify 262144 8
}

# Read from MIB to the end, repeatedly, until an error, which goes to FILE. Small blocks, so that it is rarely between two runs of dd
# when the disk disappears, where dd would only fail to open it.
read_loop() # DISK MIB FILE
{
	while dd if="$1" of=/dev/null bs=4k skip=$(($2 * 256)) iflag=direct status=none 2>"$3"; do :; done
}

in_flight() { cat /sys/block/nvme*/inflight | awk '{ n += $1 } END { print n " requests are in flight"; exit !n }'; }

# Write and verify a MiB from block FIRST on again and again, until the file $DATA-stop is there. Code 3: wrong data
stream() # FIRST
{
	while [ ! -e $DATA-stop ]; do write_and_verify 65536 16 "$1" || return; done
}

# Four streams while the firmware of one end crashes. They wait and go on, unless the host has given its disk up: then they fail, and a
# person connects it again. What was written before is there.
end_crashes() # a|b
{
	local i code=0 one ids=()

	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: there is no firmware that crashes"
	write_before
	rm -f $DATA-stop
	for i in 1 2 3 4; do
		stream $((i * 64)) &
		ids+=($!)
	done
	wait_until 60 in_flight
	ends_crash "$1" 4200
	[ "$1" = a ] || on_target nvmet_enable
	touch $DATA-stop
	for i in "${ids[@]}"; do
		one=0
		wait "$i" || one=$?
		[ $one != 3 ] || fail "what was read is not what was written"
		[ $one = 0 ] || code=$one
	done
	if no_disk; then connect; elif [ $code != 0 ]; then fail "an error, though the disk is there"; fi
	wait_until 60 controller_is live
	cmp -n 4194304 $DATA-before "$(disk)"
	write_and_verify 65536 16 96
}

srq_crashes()
{
	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver does not recover while the target has an SRQ"
	end_crashes b
}

write_before()
{
	head -c 4M /dev/urandom >$DATA-before
	dd if=$DATA-before of="$(disk)" bs=64k oflag=direct status=none
}

# Both ends lose their device with I/O in flight: it fails, QPs are drained, memory is unregistered.
device_unbound()
{
	local bdf device i ids=()

	device=$(disk)
	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$(driver_ibdev)/device")")
	for i in 0 1 2 3; do
		read_loop "$device" $((i * 8)) $DATA-error-$i &
		ids+=($!)
	done
	wait_until 60 in_flight || { cat $DATA-error-*; pgrep -a dd; return 1; }
	echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
	must_fail disk
	for i in "${ids[@]}"; do wait "$i"; done
	cat $DATA-error-*
	# at least one read was in flight
	grep -q 'error reading' $DATA-error-*
	rm $DATA-error-*
	rmmod nvme_rdma
	driver_unload
	on_target "driver_unload; nvmet_down"
}

leave()
{
	nvme disconnect -n "$NVME_NQN" || true
	on_target nvmet_down
}

ktap_setup connected
ktap_test disk "the target's disk appears, and a disconnect destroys its QPs" reconnect
ktap_test sizes "blocks of many sizes are read back intact" sizes
ktap_test at.once "four streams at once" at_once
ktap_test error "a QP error is reported with its reason, and the host reconnects" error_reported
ktap_test host.firmware "the firmware of the host's device crashes: what is written waits or fails, and nothing else is lost" end_crashes a
ktap_test target.firmware "that of the target's device: the host reconnects, and nothing is lost" end_crashes b
ktap_test device.goes "the RDMA devices are unbound while I/O is in flight" device_unbound
ktap_setup connected use_srq=1
ktap_test srq "the target receives through an SRQ" shared_queue
ktap_test srq.firmware "and the firmware of its device crashes: nothing is lost" srq_crashes
ktap_finally leave
ktap_end
