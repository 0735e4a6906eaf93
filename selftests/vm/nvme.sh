#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Kernel ULPs: a disk over NVMe-oF. The host (nvme-rdma) registers memory with REG_MR and has it invalidated remotely by
# the target (nvmet-rdma), which uses RDMA READ and WRITE; both drain their QPs on disconnect.
# guests: 2
# takes: 25
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

	dev=$(disk)
	head -c $(($1 * $2)) /dev/urandom >"$file"
	dd if="$file" of="$dev" bs="$1" seek="${3:-0}" oflag=direct status=none
	dd if="$dev" of="$file.back" bs="$1" skip="${3:-0}" count="$2" iflag=direct status=none
	cmp "$file" "$file.back"
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

	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator to inject an error"
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
ktap_test device.goes "the RDMA devices are unbound while I/O is in flight" device_unbound
ktap_setup connected use_srq=1
ktap_test srq "the target receives through an SRQ" shared_queue
ktap_finally leave
ktap_end
