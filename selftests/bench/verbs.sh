#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# usage: verbs.sh [instructions|rules]
#
# Runs in a guest with two functions, one bound to cxr and one to mlx5, and Soft-RoCE. verbs_bench compares them in user space, kverbs
# in the kernel. First the commands are counted that the card gets, which does not depend on times. The times are measured with commands
# that take no time, as usual, and with commands that take as long as on cards. With "instructions" the guest's clock counts instructions, and only kverbs runs: such a clock is meaningless for
# operations that wait for the device. With "rules" only cxr is measured, with 0, 1 and 1000 rules for DSCPs.
set -euo pipefail
. /cxr/selftests/lib/driver.sh
. /cxr/selftests/lib/peer.sh

REPEAT=40	# of each operation whose commands are counted
verbs_bench=/cxr/build/bench/verbs_bench

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

# The emulator's name of the function with the network interface NETDEV
function_of()
{
	local mac

	read -r mac <"/sys/class/net/$1/address"
	emu status | sed -n "s/^function \([^:]*\): .*, mac $mac, .*/\1/p"
}

# "N US": the commands that a function has got so far, and their time by the emulator's table
counts() # FUNCTION
{
	emu commands "$1" | sed -n 's/^function .*: \([0-9]*\) commands, \([0-9]*\) us by the table$/\1 \2/p'
}

# The same, when a second has passed without a command: drivers also send some in the background.
settled_counts() # FUNCTION
{
	local old='' now=none end=$((SECONDS + 60))

	until [ "$now" = "$old" ]; do
		[ $SECONDS -lt $end ] || { echo "function $1 still gets commands after a minute" >&2; return 1; }
		old=$now
		sleep 1
		now=$(counts "$1")
	done
	echo "$now"
}

# "N US" for doing OPERATION N times and undoing it, and for the program around that
counts_of() # FUNCTION DEVICE OPERATION N
{
	local before after

	before=$(settled_counts "$1")
	$verbs_bench --run "$3" "$4" "$2"
	after=$(settled_counts "$1")
	echo "$((${after% *} - ${before% *})) $((${after#* } - ${before#* }))"
}

# Commands of cxr, their time; the same of mlx5; each of these divided by N
count_row() # WHAT N
{
	awk -v what="$1" -v n="$2" 'function ratio(x, y) { return y ? sprintf("%.2f", x / y) : x ? "more" : "same" }
		{ printf "%-42s %10.1f %10.1f %8s %10.0f %10.0f %8s\n", what, $1 / n, $3 / n, ratio($1, $3), $2 / n, $4 / n, ratio($2, $4) }'
}

count_commands()
{
	local op dev base more row

	printf '%-42s %10s %10s %8s %10s %10s %8s\n' "commands, and microseconds of the table" cxr mlx5 cxr/mlx5 cxr mlx5 cxr/mlx5
	echo "$cxr_load $mlx5_load" | count_row "driver: load" 1
	for op in $($verbs_bench --operations); do
		row=
		for dev in "$cxr_fn $a" "$mlx5_fn $b"; do
			# shellcheck disable=SC2086 # two words
			base=$(counts_of $dev "$op" 0)
			# shellcheck disable=SC2086
			more=$(counts_of $dev "$op" "$REPEAT")
			row+=" $((${more% *} - ${base% *})) $((${more#* } - ${base#* }))"
		done
		echo "$row" | count_row "$op" "$REPEAT"
	done
}

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
cxr_fn=$(function_of "$(driver_netdev 0)") mlx5_fn=$(function_of "$(driver_netdev 1)")
address "$(driver_netdev 0)" 10.77.0.1
a=$(ibdev_of "$cxr_bdf")
wait_until 20 gid_index "$a" v2 10.77.0.1 >/dev/null
if [ "${1:-}" = rules ]; then
	echo "bench: begin"
	$verbs_bench --rules "$a" "/sys/class/infiniband/$a/tc/1/traffic_class"
	echo "bench: done"
	exit
fi
cxr_load=$(settled_counts "$cxr_fn")
echo "$mlx5_bdf" >/sys/bus/pci/drivers/cxr_core/unbind
before=$(settled_counts "$mlx5_fn")
echo mlx5_core >"/sys/bus/pci/devices/$mlx5_bdf/driver_override"
modprobe mlx5_core
modprobe mlx5_ib
wait_until 30 ibdev_of "$mlx5_bdf" >/dev/null
address "$(driver_netdev 1)" 10.77.1.1
b=$(ibdev_of "$mlx5_bdf")
wait_until 20 gid_index "$b" v2 10.77.1.1 >/dev/null
after=$(settled_counts "$mlx5_fn")	# its mkey cache is full, too
mlx5_load="$((${after% *} - ${before% *})) $((${after#* } - ${before#* }))"
ip link add soft0 type veth peer name soft1
ip link set soft1 up
address soft0 10.77.2.1
modprobe rdma_rxe
rdma link add rxe0 type rxe netdev soft0
wait_until 20 gid_index rxe0 v2 10.77.2.1 >/dev/null
echo "bench: begin"
if [ "${1:-}" = instructions ]; then
	heading "instructions, median"
	kernel_verbs 1 0 'post_send|poll_cq'
else
	count_commands
	echo
	heading "microseconds, median"
	$verbs_bench "$a" "$b" rxe0
	kernel_verbs 1000 1 .
	echo
	heading "the same, commands take their time"
	emu command-us table
	$verbs_bench "$a" "$b" rxe0
	emu command-us off
fi
echo "bench: done"
# restore the state of the guest for the runner
rdma link del rxe0
ip link del soft0
rmmod mlx5_ib
rmmod mlx5_core
