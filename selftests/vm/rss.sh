#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The Ethernet device on more than one CPU: a channel for each, flows on all of them, and which one a
# flow is received on (ethtool -X, -N rx-flow-hash).
# guests: 2
# cpus: 2
# ledger: yes
# takes: 60
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

before_each() { ends_know; }

set_channels() # N
{
	# ethtool fails if nothing changes
	[ "$(channels_are)" = "$1" ] || ethtool -L "$netdev" combined "$1"
}

# Packet counts of the receive queues, one per line
by_queue() { ethtool -S "$netdev" | sed -n 's/^ *rx\([0-9][0-9]*\)_packets: /\1 /p' | sort -n | cut -d ' ' -f 2; }

# Packet counts of the receive queues, before and after the peer runs COMMAND; once more if there was no buffer for some
before_and_after() # COMMAND
{
	local before after lost

	for _ in {1..5}; do
		lost=$(counter rx_out_of_buffer) before=$(by_queue)
		peer "$1"
		reachable
		after=$(by_queue)
		if [ "$(counter rx_out_of_buffer)" = "$lost" ]; then break; fi
	done
	paste <(echo "$before") <(echo "$after")
}

# Packets of many flows reach N queues from the one FIRST on (default 0), and no other gets more than the packets of other programs
spread_over() # N [FIRST]
{
	# there is no listener, but the packets are counted
	before_and_after "for i in {1..300}; do echo >/dev/udp/$(my_ip)/\$((20000 + i)); done 2>/dev/null; true" | awk -v n="$1" -v first="${2:-0}" '
		{ got = $2 - $1; print "queue", NR - 1 ":", got; here = NR > first && NR <= first + n }
		here && got > 0 { busy++ }
		!here && got > (n == 1 && first ? 20 : 0) { wrong = 1 }
		END { exit wrong || busy != n }'
}

channels()
{
	local max n was queues

	was=$(channels_are)
	max=$(ethtool -l "$netdev" | awk '/^Combined:/ { print $2; exit }')
	[ "$max" -ge 2 ] || fail "there is only one channel, with $(nproc) CPUs"
	for n in 1 "$max"; do
		set_channels "$n"
		[ "$(channels_are)" = "$n" ] || fail "there are $(channels_are) channels, not $n"
		queues=("/sys/class/net/$netdev/queues"/rx-*)
		[ ${#queues[@]} = "$n" ] || fail "there are ${#queues[@]} queues, not $n"
		reachable
		spread_over "$n"
		tcp_both_ways 1M
	done
	must_fail ethtool -L "$netdev" combined $((max + 1))
	[ "$(channels_are)" = "$max" ] || fail "there are $(channels_are) channels, not $max, after one more was refused"
	set_channels "$was"
}

log_has() { kmsg | grep "$1"; }

# Load the driver on a card with this FAULT
load_with() # FAULT...
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver creates completion EQs when they are used"
	driver_unload
	emu fault "$CXR_GUEST" "$@" >/dev/null
	# shellcheck disable=SC2064
	trap "emu fault clear >/dev/null; driver_unload" EXIT
	driver_load
}

one_channel()
{
	driver_net_up
	[ "$(ethtool -l "$netdev" | awk '/^Combined:/ { print $2; exit }')" = 1 ]
	ibv_devinfo -v -d "$(driver_ibdev)" | grep -E "num_comp_vectors:[[:space:]]*1$"
	reachable
	tcp_both_ways 1M
}

# The command, asynchronous and page EQs and one for completions, but no more
eq_refused()
{
	load_with command create_eq status no_res nth=5 times=all
	log_has "1 completion vectors instead of 2"
	one_channel
}

# The driver does not try more than the device has.
eq_limit()
{
	load_with cap max_num_eqs 4
	must_fail log_has "completion vectors instead of"
	one_channel
}

too_few_eqs()
{
	must_fail load_with cap max_num_eqs 3
	log_has "device supports 3 event queues, 4 are needed"
}

tx_dropped() { cat "/sys/class/net/$netdev/statistics/tx_dropped"; }
tx_dropped_since() { [ "$(tx_dropped)" -gt "$1" ]; }
sends_since() { [ "$(counter "tx$1_packets")" -gt "$2" ]; }

# A packet that pktgen sends many times keeps its queue, whatever becomes of that
gone()
{
	local pg=/proc/net/pktgen was word before

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver does not count these packets"
	modprobe pktgen 2>/dev/null || skip "this kernel has no pktgen"
	was=$(channels_are)
	set_channels 2
	trap 'echo stop >/proc/net/pktgen/pgctrl; wait; rmmod pktgen' EXIT
	echo "add_device $netdev" >$pg/kpktgend_0
	for word in "count 0" "clone_skb 1000000000" "delay 1000000" "queue_map_min 1" "queue_map_max 1" "dst_mac 02:00:00:00:00:99"; do
		echo "$word" >"$pg/$netdev"
	done
	before=$(counter tx1_packets)
	echo start >$pg/pgctrl &
	wait_until 20 sends_since 1 "$before"
	before=$(tx_dropped)
	set_channels 1
	wait_until 20 tx_dropped_since "$before"
	set_channels 2
	before=$(counter tx1_packets)
	wait_until 20 sends_since 1 "$before"
	echo stop >$pg/pgctrl
	set_channels "$was"
	reachable
}

# ---- what users choose ----

KEY=$(printf '%02x:' {1..39})28

all_of() # QUEUE: the table has no other
{
	rss_table | tr ' ' '\n' | sort -u | diff - <(echo "$1")
}

hash_key() { ethtool -x "$netdev" | grep -x '\(..:\)\{39\}..'; }

back()
{
	set_rss default && set_rss hfunc toeplitz && set_rss hkey "$key_was" && ethtool -N "$netdev" rx-flow-hash udp4 sdfn
}

# What the test changes is set back at its end
may_change()
{
	key_was=$(hash_key)
	trap back EXIT
	set_channels 2
}

send_flows() { before_and_after "python3 -B selftests/vm/rss_flows.py send $(my_ip)"; }

# Each of 64 flows is received on the queue that the hash FUNCTION says
received_by() # toeplitz|xor
{
	python3 -B selftests/vm/rss_flows.py "$1" "$(hash_key)" "$(rss_table)" "$(peer_ip)" "$(my_ip)" >/tmp/flows
	# 50 datagrams a flow, and a few packets of other programs
	send_flows | paste - /tmp/flows | tee /dev/stderr |
		awk 'int(($2 - $1) / 50) != $3 + 0 { wrong = 1 } { all += $3 } END { exit wrong || all != 64 }'
}

# All flows between two addresses are received on one queue
on_one_queue()
{
	send_flows | tee /dev/stderr |
		awk '{ got = $2 - $1; if (got >= 64 * 50) all++; else if (got > 50) some++ } END { exit all != 1 || some }'
}

chosen_table()
{
	may_change
	rss_table | tr ' ' '\n' | sort -u | diff - <(printf '0\n1\n')
	set_rss weight 0 1
	all_of 1
	spread_over 1 1
	tcp_both_ways 1M
	# what is set while the interface is down, and what was set before, is so when it is up again
	ip link set "$netdev" down
	all_of 1
	set_rss equal 1
	ip link set "$netdev" up
	wait_until 20 reachable
	all_of 0
	spread_over 1
	must_fail set_rss weight 1 1 1
	all_of 0
	set_rss weight 0 1
	must_fail ethtool -L "$netdev" combined 1
	[ "$(channels_are)" = 2 ]
	set_rss default
	spread_over 2
}

chosen_key()
{
	may_change
	set_rss hkey "$KEY"
	[ "$(hash_key)" = "$KEY" ]
	must_fail set_rss hkey 01:02:03
	[ "$(hash_key)" = "$KEY" ]
	[ "$CXR_DRIVER" = cxr ] || return 0		# the in-tree driver hashes both directions of a flow alike
	received_by toeplitz
}

chosen_fields()
{
	may_change
	ethtool -n "$netdev" rx-flow-hash udp4 | grep "L4 bytes 2 & 3"
	ethtool -N "$netdev" rx-flow-hash udp4 sd
	ethtool -n "$netdev" rx-flow-hash udp4 | grep "IP DA"
	must_fail eval 'ethtool -n "$netdev" rx-flow-hash udp4 | grep "L4 bytes"'
	on_one_queue
	ethtool -N "$netdev" rx-flow-hash udp4 sdfn
	spread_over 2
	must_fail ethtool -N "$netdev" rx-flow-hash udp4 v
	must_fail ethtool -N "$netdev" rx-flow-hash esp4 s
	must_fail ethtool -N "$netdev" rx-flow-hash sctp4 sd
	ethtool -n "$netdev" rx-flow-hash udp4 | grep "L4 bytes 2 & 3"
	# ethtool has one flow type for AH and ESP, which the in-tree driver does not know
	[ "$CXR_DRIVER" = mlx5 ] || ethtool -n "$netdev" rx-flow-hash esp4 | grep "IP SA"
}

chosen_function()
{
	may_change
	ethtool -x "$netdev" | grep "toeplitz: on"
	set_rss hfunc xor
	ethtool -x "$netdev" | grep "xor: on"
	received_by xor
	must_fail set_rss hfunc crc32
	ethtool -x "$netdev" | grep "xor: on"
}

# Frames of 8 flows, 50 of each, that each queue has received, one way or the other
spread_of() # forth|back
{
	local i ends frames=()

	for i in {1..8}; do
		case $1 in
		forth) ends="src=192.0.2.$i,dst=198.51.100.$i,sport=$((1000 + i)),dport=$((2000 + 7 * i))" ;;
		back) ends="src=198.51.100.$i,dst=192.0.2.$i,sport=$((2000 + 7 * i)),dport=$((1000 + i))" ;;
		esac
		frames+=("udp4,to=$mac,$ends")
	done
	before_and_after "python3 -B selftests/lib/flow_frames.py $peer_netdev 50 ${frames[*]}" |
		awk '{ printf "%d ", int(($2 - $1) / 50) } END { print "" }'
}

asks_symmetric() { python3 -B selftests/lib/ethtool_ioctl.py "$netdev" symmetric "$1"; } # on|off

# Both directions of a flow are received on one queue if that is asked for
symmetric()
{
	local forth back

	case $CXR_KERNEL-$CXR_DRIVER in
	6.1-*) skip "this kernel cannot ask for a symmetric hash" ;;
	6.12-mlx5|debug-mlx5) skip "the in-tree driver of this kernel cannot be asked for another hash than the symmetric one" ;;
	esac
	may_change
	trap 'asks_symmetric off' EXIT
	set_rss hkey "$KEY"
	asks_symmetric off
	forth=$(spread_of forth) back=$(spread_of back)
	echo "each direction by itself: $forth, $back"
	[ "$forth" != "$back" ]
	asks_symmetric on
	forth=$(spread_of forth) back=$(spread_of back)
	echo "symmetric: $forth, $back"
	[ "$forth" = "$back" ]
	must_fail ethtool -N "$netdev" rx-flow-hash udp4 s
	ip link set "$netdev" down
	ip link set "$netdev" up
	[ "$(spread_of forth)" = "$(spread_of back)" ]
}

xps() { cat "/sys/class/net/$netdev/queues/tx-$1/xps_cpus"; } # QUEUE

# A CPU sends through the channel whose interrupt it has.
sends_through_own()
{
	may_change
	[ "$(xps 0) $(xps 1)" = "1 2" ]
	echo 2 >"/sys/class/net/$netdev/queues/tx-0/xps_cpus"
	ip link set "$netdev" mtu 1280
	ip link set "$netdev" mtu 1500
	[ "$(xps 0)" = 2 ]
	set_channels 1
	[ "$(xps 0)" = 3 ]
	set_channels 2
	[ "$(xps 0) $(xps 1)" = "1 2" ]
}

# ethtool -S has as many queues as there can be.
counted()
{
	ethtool -S "$netdev" | sed -n 's/^ *[rt]x\([0-9][0-9]*\)_packets: .*/\1/p' | sort | uniq -c | awk '{ print $1, $2 }' | diff - <(printf '2 0\n2 1\n')
}

# The device refuses the last part of a change: nothing is changed.
refused()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver keeps the hash that the device refused"
	may_change
	trap 'emu fault clear >/dev/null; back' EXIT
	set_rss hkey "$KEY"
	emu fault "$CXR_GUEST" command modify_tir status bad_param nth=6 >/dev/null
	must_fail set_rss hfunc xor
	ethtool -x "$netdev" | grep "toeplitz: on"
	received_by toeplitz
}

# What users chose is kept over a reset.
after_reset()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new netdev"
	may_change
	set_rss weight 0 1
	set_rss hkey "$KEY"
	echo 1 >"/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/reset"
	wait_until 20 reachable
	all_of 1
	[ "$(hash_key)" = "$KEY" ]
	spread_over 1 1
	set_rss default
	received_by toeplitz
}

ktap_setup ends_up
ktap_test channels "the number of channels can be changed, and flows use all of them" channels
ktap_test table "the indirection table: ethtool -X, down and up, and numbers of channels that do not fit" chosen_table
ktap_test key "the hash key: each flow is received on the queue that the Toeplitz hash says" chosen_key
ktap_test fields "the hashed fields can be chosen for TCP and UDP" chosen_fields
ktap_test function "the hash function can be chosen" chosen_function
ktap_test symmetric "the hash can be the same for both directions of a flow" symmetric
ktap_test xps "each processor sends through a channel of its own, unless a user chooses" sends_through_own
ktap_test counted "ethtool -S has the queues that there can be" counted
ktap_test refused "the device refuses a hash: table and function stay" refused
ktap_test reset "a reset of the function leaves table and key" after_reset
ktap_test eq.refused "a completion EQ is refused: there are fewer completion vectors and channels" eq_refused
ktap_test eq.limit "a function with few EQs: the driver creates no more" eq_limit
ktap_test eq.too-few "a function with too few EQs: the probe fails and says so" too_few_eqs
ktap_test gone "packets for a channel that is gone are dropped" gone
ktap_end
