#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The Ethernet device on more than one CPU: a channel for each, and flows on all of them.
# guests: 2
# cpus: 2
# ledger: yes
# takes: 60
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

before_each() { ends_know; }

channels_are() { ethtool -l "$netdev" | awk '/^Combined:/ { n = $2 } END { print n }'; }

set_channels() # N
{
	# ethtool fails if nothing changes
	[ "$(channels_are)" = "$1" ] || ethtool -L "$netdev" combined "$1"
}

# Packet counts of the receive queues, one per line
by_queue() { ethtool -S "$netdev" | sed -n 's/^ *rx\([0-9][0-9]*\)_packets: /\1 /p' | sort -n | cut -d ' ' -f 2; }

# Packets of many flows reach N queues, and no other
spread_over() # N
{
	local before after

	before=$(by_queue)
	# there is no listener, but the packets are counted
	peer "for i in {1..300}; do echo >/dev/udp/$(my_ip)/\$((20000 + i)); done 2>/dev/null; true"
	reachable
	after=$(by_queue)
	paste <(echo "$before") <(echo "$after") | awk -v n="$1" '
		{ got = $2 - $1; print "queue", NR - 1 ":", got }
		got > 0 { busy++ }
		got > 0 && NR > n { wrong = 1 }
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
sent_by_queue() { ethtool -S "$netdev" | sed -n "s/^ *tx$1_packets: //p"; }
sends_since() { [ "$(sent_by_queue "$1")" -gt "$2" ]; }

# A packet that pktgen sends many times keeps its queue, whatever becomes of that
gone()
{
	local pg=/proc/net/pktgen was word before

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver does not count these packets"
	was=$(channels_are)
	set_channels 2
	modprobe pktgen
	trap 'echo stop >/proc/net/pktgen/pgctrl; wait; rmmod pktgen' EXIT
	echo "add_device $netdev" >$pg/kpktgend_0
	for word in "count 0" "clone_skb 1000000000" "delay 1000000" "queue_map_min 1" "queue_map_max 1" "dst_mac 02:00:00:00:00:99"; do
		echo "$word" >"$pg/$netdev"
	done
	before=$(sent_by_queue 1)
	echo start >$pg/pgctrl &
	wait_until 20 sends_since 1 "$before"
	before=$(tx_dropped)
	set_channels 1
	wait_until 20 tx_dropped_since "$before"
	set_channels 2
	before=$(sent_by_queue 1)
	wait_until 20 sends_since 1 "$before"
	echo stop >$pg/pgctrl
	set_channels "$was"
	reachable
}

ktap_setup ends_up
ktap_test channels "the number of channels can be changed, and flows use all of them" channels
ktap_test eq.refused "a completion EQ is refused: there are fewer completion vectors and channels" eq_refused
ktap_test eq.limit "a function with few EQs: the driver creates no more" eq_limit
ktap_test eq.too-few "a function with too few EQs: the probe fails and says so" too_few_eqs
ktap_test gone "packets for a channel that is gone are dropped" gone
ktap_end
