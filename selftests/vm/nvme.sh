#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The kernel's own consumers: a disk over NVMe-oF. The host (nvme-rdma) registers memory by work requests and has it
# invalidated by the target (nvmet-rdma), which reads and writes by RDMA; both drain queue pairs when they part.
# guests: 2
# kernels: 6.1 6.12 7.2
# timeout: 400
. "$(dirname "$0")/../lib/ktap.sh"

NQN=nqn.2000-01.test:disk
HOSTID=6d1ae1cf-5d9d-4a2b-9b4e-2f6b3e0c7a11
NVMET=/sys/kernel/config/nvmet
SIZE_MB=32
DATA=/tmp/nvme-data

# The number alone: in kernels to 6.12 a list of queue pairs may ask the device for one that has gone.
qps() { rdma resource show | sed -n 's/.* qp \([0-9]*\).*/\1/p'; }
qps_are() { [ "$(qps)" = "$1" ]; }

# ---- on the peer: the target ------------------------------------------------------------------------

# What kind of memory the target receives into is a parameter of nvmet-rdma.
target_up() # [use_srq=1]
{
	modprobe brd rd_nr=1 rd_size=$((SIZE_MB * 1024))
	modprobe nvmet
	modprobe nvmet-rdma "$@"
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	mkdir -p $NVMET/subsystems/$NQN/namespaces/1 $NVMET/ports/1
	echo 1 >$NVMET/subsystems/$NQN/attr_allow_any_host
	echo /dev/ram0 >$NVMET/subsystems/$NQN/namespaces/1/device_path
	echo 1 >$NVMET/subsystems/$NQN/namespaces/1/enable
	echo rdma >$NVMET/ports/1/addr_trtype
	echo ipv4 >$NVMET/ports/1/addr_adrfam
	my_ip >$NVMET/ports/1/addr_traddr
	echo 4420 >$NVMET/ports/1/addr_trsvcid
	ln -sfn $NVMET/subsystems/$NQN $NVMET/ports/1/subsystems/$NQN
}

target_down()
{
	[ -d $NVMET/ports/1 ] || return 0
	rm -f $NVMET/ports/1/subsystems/$NQN
	rmdir $NVMET/ports/1
	rmdir $NVMET/subsystems/$NQN/namespaces/1
	rmdir $NVMET/subsystems/$NQN
	rmmod nvmet_rdma && rmmod nvmet
	rmmod brd
}

if [ $# -gt 0 ]; then
	set -e
	"$@"
	exit
fi

on_target() { peer "bash selftests/vm/nvme.sh $*"; }

# ---- here: the host ---------------------------------------------------------------------------------

ready_both()
{
	driver_both_up 4200
	modprobe nvme-rdma
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
	nvme connect -t rdma -a "$(peer_ip)" -s 4420 -n $NQN --nr-io-queues=2 --queue-size=32 \
	     --reconnect-delay=1 --keep-alive-tmo=$((10 * ${CXR_PATIENCE:-1})) \
	     --hostnqn=nqn.2014-08.org.nvmexpress:uuid:$HOSTID --hostid=$HOSTID
	wait_until 20 disk
}

disconnect()
{
	nvme disconnect -n $NQN
	must_fail disk
	wait_until 20 qps_are "$qps_before"
	peer "bash selftests/vm/nvme.sh wait_until 20 qps_are $peer_qps_before"
}

# Write and read back COUNT blocks of SIZE from block FIRST on, with no cache between
moves() # SIZE COUNT [FIRST]
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
	moves 512 16
	moves 4096 128
	moves 20480 32
	moves 131072 16
	moves 1048576 8
}

at_once()
{
	local i ids=()

	for i in 0 1 2 3; do
		moves 65536 32 $((i * 64)) &
		ids+=($!)
	done
	for i in "${ids[@]}"; do wait "$i"; done
}

# The error is reported once, in words, with whom could not be reached; the host connects again and goes on.
error_is_told()
{
	local line lines

	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator to make an error"
	dmesg -C
	emu fault a cqe any error transport_retry_exc nth=1
	moves 65536 16 &
	wait_until 30 controller_is connecting
	emu fault clear
	wait_until 60 controller_is live
	wait $!
	moves 4096 16
	[ "$CXR_DRIVER" = cxr ] || return 0
	lines=$(dmesg | grep -c 'transport retries exceeded') || true
	line=$(dmesg | grep 'transport retries exceeded' || true)
	echo "$line"
	[ "$lines" = 1 ]
	grep -Eq "QP 0x[0-9a-f]+: (receive|send|change of a memory key) at WQE [0-9]+: transport retries exceeded" <<<"$line"
	grep -q "no answer from $(gid_text "$(peer_ip)")" <<<"$line"
}

shared_queue()
{
	disconnect
	on_target target_down
	on_target target_up use_srq=1
	connect
	moves 4096 64
	moves 262144 8
}

# Both ends lose their device while they are connected: queue pairs are drained, memory comes back.
device_goes()
{
	local bdf

	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$(driver_ibdev)/device")")
	echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
	must_fail disk
	rmmod nvme_rdma
	driver_unload
	on_target driver_unload
	on_target target_down
}

ktap_plan 7
ktap_run "both guests are ready" ready_both
qps_before=$(qps)
peer_qps_before=$(on_target qps)
ktap_run "a disk of the other guest's kernel appears" eval "on_target target_up && connect"
ktap_run "blocks of many sizes come back as they were written" sizes
ktap_run "four streams at once" at_once
ktap_run "an error of a queue pair is told in words, and got over" error_is_told
ktap_run "the target receives by a shared receive queue" shared_queue
ktap_run "the devices go while the disk is in use" device_goes
ktap_end
