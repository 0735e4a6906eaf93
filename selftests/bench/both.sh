# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# For benchmarks in guests with two functions, loaded with cxr:
#
#   both_drivers          function 1 gets the in-tree driver; sets cxr and mlx5, the names of the interfaces, which are up
#   both_end              the state of the guest for the runner
#   pktgen_send NETDEV MAC COUNT    send one frame of 64 bytes so often from queue 0 of NETDEV; prints microseconds of work and frames per second
#   median                of the numbers on standard input
. /cxr/selftests/lib/driver.sh
. /cxr/selftests/lib/peer.sh

both_drivers()
{
	local bdf

	driver_load
	bdf=$(driver_bdfs | sed -n 2p)
	echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind
	echo mlx5_core >"/sys/bus/pci/devices/$bdf/driver_override"
	modprobe mlx5_core
	cxr=$(driver_netdev 0) mlx5=$(driver_netdev 1)
	ip link set "$cxr" up
	ip link set "$mlx5" up
}

both_end() { rmmod mlx5_core; }

pktgen_send() # NETDEV MAC COUNT
{
	local dir=/proc/net/pktgen word

	modprobe pktgen
	echo "add_device $1" >$dir/kpktgend_0
	for word in "count $3" "clone_skb $3" "pkt_size 60" "delay 0" "dst_mac $2" "dst 10.99.0.1" "src_min 10.99.0.2" "src_max 10.99.0.2" \
		"udp_dst_min 9" "udp_dst_max 9"; do
		echo "$word" >"$dir/$1"
	done
	echo start >$dir/pgctrl
	awk '/^Result:/ { match($0, /c[0-9]+/); busy = substr($0, RSTART + 1, RLENGTH - 1) }
	     / [0-9]+pps/ { match($0, /[0-9]+pps/); rate = substr($0, RSTART, RLENGTH - 3) }
	     END { print busy, rate }' "$dir/$1"
	echo rem_device_all >$dir/kpktgend_0
}

median() { sort -n | awk '{ v[NR] = $0 } END { print v[int((NR + 1) / 2)] }'; }
