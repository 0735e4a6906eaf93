#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# usage: verbs.sh [instructions]
#
# Runs in a guest with two functions, one bound to cxr and one to mlx5, and Soft-RoCE. verbs_bench compares them in user space, kverbs
# in the kernel. With "instructions" the guest's clock counts instructions, and only kverbs runs: such a clock is meaningless for
# operations that wait for the device.
set -euo pipefail
. /cxr/selftests/lib/driver.sh

ibdev_of() # BDF
{
	local d

	for d in /sys/class/infiniband/*; do
		[ "$(readlink -f "$d/device")" != "$(readlink -f "/sys/bus/pci/devices/$1")" ] || { echo "${d##*/}"; return; }
	done
	return 1
}

address() # NETDEV ADDRESS
{
	ip link set "$1" up
	ip addr replace "$2/24" dev "$1"
	wait_until 30 link_up "$1"
}

heading() { printf '%-42s %10s %10s %10s %8s %8s\n' "$1" cxr mlx5 rxe cxr/mlx5 cxr/rxe; }

kernel_verbs() # UNIT DIGITS WHICH
{
	insmod /cxr/build/6.12-kmod/kverbs.ko "devices=$a,$b,rxe0"
	rmmod kverbs
	dmesg | sed -n 's/.*kverbs: //p' | grep -E "($3).*: [0-9 ]+$" | awk -F': ' -v unit="$1" -v digits="$2" '{
		split($NF, t, " ")
		sub(/: [0-9 ]+$/, "")
		printf "%-42s", $0
		for (i = 1; i <= 3; i++) printf " %10." digits "f", t[i] / unit
		printf " %8.2f %8.2f\n", t[1] / t[2], t[1] / t[3]
	}'
}

driver_load
cxr_bdf=$(driver_bdfs | sed -n 1p) mlx5_bdf=$(driver_bdfs | sed -n 2p)
echo "$mlx5_bdf" >/sys/bus/pci/drivers/cxr_core/unbind
echo mlx5_core >"/sys/bus/pci/devices/$mlx5_bdf/driver_override"
modprobe mlx5_core
modprobe mlx5_ib
wait_until 30 ibdev_of "$mlx5_bdf" >/dev/null
address "$(driver_netdev 0)" 10.77.0.1
address "$(driver_netdev 1)" 10.77.1.1
ip link add soft0 type veth peer name soft1
ip link set soft1 up
address soft0 10.77.2.1
modprobe rdma_rxe
rdma link add rxe0 type rxe netdev soft0
a=$(ibdev_of "$cxr_bdf") b=$(ibdev_of "$mlx5_bdf")
wait_until 20 gid_index "$a" v2 10.77.0.1 >/dev/null
wait_until 20 gid_index "$b" v2 10.77.1.1 >/dev/null
wait_until 20 gid_index rxe0 v2 10.77.2.1 >/dev/null
sleep 5	# mlx5 fills its mkey cache
echo "bench: begin"
if [ "${1:-}" = instructions ]; then
	heading "instructions, median"
	kernel_verbs 1 0 'post_send|poll_cq'
else
	heading "microseconds, median"
	/cxr/build/bench/verbs_bench "$a" "$b" rxe0
	kernel_verbs 1000 1 .
fi
echo "bench: done"
# restore the state of the guest for the runner
rdma link del rxe0
ip link del soft0
rmmod mlx5_ib
rmmod mlx5_core
