#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The Ethernet device of a port: addresses, traffic, reconfiguration, teardown.
# guests: 2
# ledger: yes
# takes: 120
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

# A fresh interface
ready()
{
	emu fault clear >/dev/null
	driver_unload
	peer "ip addr del 10.79.0.2/24 dev \$(driver_netdev) 2>/dev/null || true"
	ends_up 1500
}

before_each() { ends_know; }

mac_of() { cat "/sys/class/net/$1/address"; }
carrier() { [ "$(cat "/sys/class/net/$1/carrier" 2>/dev/null)" = 1 ]; }

# ---- identity and link -----------------------------------------------------------------------------

netdev_is_there()
{
	local bdf mac

	for bdf in $(driver_bdfs); do
		set -- /sys/bus/pci/devices/"$bdf"/net/*
		[ $# = 1 ]
		[ -d "$1" ]
	done
	[ "$(cat "/sys/class/net/$netdev/dev_port")" = 0 ]
	mac=$(mac_of "$netdev")
	echo "$netdev has $mac"
	[ $((0x${mac%%:*} & 1)) = 0 ]
	[ "$(ethtool -P "$netdev")" = "Permanent address: $mac" ]
}

mac_is_of_the_card()
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator to compare the MAC with"
	emu status | grep -q -i -F "$(mac_of "$netdev")"
}

link_is_up()
{
	carrier "$netdev"
	peer "grep -q 1 /sys/class/net/$peer_netdev/carrier"
	ethtool "$netdev" | grep -q 'Link detected: yes'
	ethtool "$netdev" | grep -q 'Speed: [0-9]'
}

link_follows_the_interface()
{
	ip link set "$netdev" down
	must_fail carrier "$netdev"
	driver_net_up
	carrier "$netdev"
	reachable
}

# ---- traffic ---------------------------------------------------------------------------------------

ping_sizes()
{
	local size

	for size in 18 56 64 230 242 500 1472; do
		pings -M "do" -s $size "$(peer_ip)"
		pings -M "do" -s $((size > 1452 ? 1452 : size)) "$(peer_ip6)"
		peer_pings "-M do -s $size $(my_ip)"
	done
}

ping_fragments()
{
	pings -s 4000 "$(peer_ip)"
	pings -s 30000 "$(peer_ip6)"
	pings -s 65000 "$(peer_ip)"
	peer_pings "-s 65000 $(my_ip)"
}

# Ignore our own answer.
multicast_is_heard()
{
	local out

	out=$(ping -6 -c 2 -i 0.2 -W 2 "ff02::1%$netdev")
	echo "$out"
	grep 'bytes from' <<<"$out" | grep -q -v "$(own_link_local)"
}

own_link_local() { ip -6 -br addr show dev "$netdev" scope link | grep -o 'fe80[^/]*'; }

tcp_transfer()
{
	tcp_both_ways 16M
	tcp_both_ways 1M "$(peer_ip6)"
}

mtu_both()
{
	ip link set "$netdev" mtu "$1"
	peer "ip link set $peer_netdev mtu $1"
	reachable
}

jumbo()
{
	local mtu

	for mtu in 9000 4000 1280; do
		mtu_both $mtu
		pings -M "do" -s $((mtu - 28)) "$(peer_ip)"
		peer_pings "-M do -s $((mtu - 28)) $(my_ip)"
		must_fail ping -q -c 1 -W 1 -M "do" -s $((mtu - 27)) "$(peer_ip)"
		tcp_both_ways 1M
	done
	mtu_both 1500
	must_fail ip link set "$netdev" mtu 20000
	[ "$(cat "/sys/class/net/$netdev/mtu")" = 1500 ]
}

# ---- receive buffers -----------------------------------------------------------------------------------

# Run COMMAND and print how many pages the pools of the receive queues got from the kernel meanwhile
new_pages() # COMMAND...
{
	local trace=/sys/kernel/tracing event=/sys/kernel/tracing/events/page_pool/page_pool_state_hold

	[ -d $trace/events ] || mount -t tracefs tracefs $trace
	[ -d $event ] || skip "the kernel cannot trace page pools"
	echo 0 >$trace/trace
	echo 1 >$event/enable
	"$@" >&2
	echo 0 >$event/enable
	cat $trace/per_cpu/cpu*/stats | awk '/^(entries|overrun):/ { n += $2 } END { print n }'
	echo 0 >$trace/trace
}

channels() { ethtool -l "$netdev" | awk '/^Combined/ { n = $2 } END { print n }'; }
queues_sum() { ethtool -S "$netdev" | awk -v name="^rx[0-9]+_$1:" '$1 ~ name { n += $2 } END { print n + 0 }'; }

# The pages of a ring of 1024 buffers for 1522 bytes: 512 where pages have 4 KiB
buffers_share_pages()
{
	local size pages most

	[ "$CXR_DRIVER" = cxr ] || skip "about the receive queues of this driver"
	size=$(getconf PAGESIZE)
	ethtool -G "$netdev" rx 512
	pages=$(new_pages ethtool -G "$netdev" rx 1024)
	most=$(($(channels) * (1024 * 2048 / size + 32)))
	echo "$pages pages, at most $most expected"
	[ "$pages" -gt 0 ]
	[ "$pages" -le $most ]
	reachable
}

pages_are_recycled()
{
	local packets pages

	[ "$CXR_DRIVER" = cxr ] || skip "about the receive queues of this driver"
	tcp_both_ways 1M
	packets=$(received)
	pages=$(new_pages tcp_both_ways 16M)
	packets=$(($(received) - packets))
	echo "$packets packets, $pages new pages"
	[ $packets -gt 10000 ]
	[ "$pages" -lt $((packets / 5)) ]
}

# The device verifies TCP and UDP, and sums all other IP packets. The kernel logs sums that are wrong.
sums_are_used()
{
	local before size

	[ "$CXR_DRIVER" = cxr ] || skip "about the statistics of this driver"
	ethtool -K "$netdev" rx on
	before=$(queues_sum csum_complete)
	for size in 19 56 57 1472; do
		pings -s $size "$(peer_ip)"
		pings -s $((size > 1452 ? 1452 : size)) "$(peer_ip6)"
	done
	pings -s 4000 "$(peer_ip)"
	# those of 19 bytes may be padded
	[ $(($(queues_sum csum_complete) - before)) -ge 30 ]
	lacks "hw csum failure" dmesg
	ethtool -K "$netdev" rx off
	before=$(queues_sum csum_complete)
	pings "$(peer_ip)"
	[ "$(queues_sum csum_complete)" = "$before" ]
	ethtool -K "$netdev" rx on
}

pool_statistics()
{
	local slow

	[ "$CXR_DRIVER" = cxr ] || skip "about the statistics of this driver"
	ethtool -S "$netdev" | grep -q rx_pp_alloc_fast || skip "the kernel has no statistics of page pools"
	slow=$(counter rx_pp_alloc_slow)
	[ "$slow" -gt 0 ]
	# with new pools
	ethtool -G "$netdev" rx 512
	ethtool -G "$netdev" rx 1024
	[ "$(counter rx_pp_alloc_slow)" -gt "$slow" ]
}

# ---- unicast filtering -----------------------------------------------------------------------------

promisc()
{
	[ -z "${CXR_VF:-}" ] || skip "a promiscuous VF hears unknown addresses from the wire, not from its own card"
	[ "$(receives_frames_to 02:aa:bb:cc:dd:ee)" = no ]
	ip link set "$netdev" promisc on
	[ "$(receives_frames_to 02:aa:bb:cc:dd:ee)" = yes ]
	ip link set "$netdev" promisc off
	[ "$(receives_frames_to 02:aa:bb:cc:dd:ee)" = no ]
}

extra_unicast()
{
	# the lower interface must not answer ARP requests for the macvlan
	echo 1 >"/proc/sys/net/ipv4/conf/$netdev/arp_ignore"
	ip link add link "$netdev" name en.mac address 02:12:34:56:78:9a type macvlan mode private
	ip addr add 10.79.0.1/24 dev en.mac
	ip link set en.mac up
	peer "ip addr add 10.79.0.2/24 dev $peer_netdev"
	wait_until 20 peer "ping -q -c 1 -W 1 10.79.0.1 >/dev/null"
	peer_pings 10.79.0.1
	peer "ip neigh show 10.79.0.1 | grep -q 02:12:34:56:78:9a"
	peer "ip addr del 10.79.0.2/24 dev $peer_netdev"
	ip link del en.mac
	echo 0 >"/proc/sys/net/ipv4/conf/$netdev/arp_ignore"
}

change_mac()
{
	local old

	old=$(mac_of "$netdev")
	ip link set "$netdev" address 02:00:5e:11:22:33
	peer "ip neigh flush dev $peer_netdev"
	reachable
	peer "ping -q -c 2 -W 2 $(my_ip) >/dev/null && ip neigh show $(my_ip) | grep -q 02:00:5e:11:22:33"
	[ "$(receives_frames_to "$old")" = no ]
	ip link set "$netdev" address "$old"
	peer "ip neigh flush dev $peer_netdev"
	reachable
	must_fail ip link set "$netdev" address 01:00:5e:00:00:01
	[ "$(mac_of "$netdev")" = "$old" ]
}

# ---- interrupt moderation -------------------------------------------------------------------------------

moderation() # WORD... of ethtool -c
{
	local word

	for word; do ethtool -c "$netdev" | sed -n "s/^$word:[[:space:]]*//p"; done | paste -sd ' '
}

# The median of 21 round trip times, in microseconds. A single one may be shorter, since any event polls both queues
round_trip()
{
	ping -i 0.02 -c 21 -W 2 "$(peer_ip)" | sed -n 's/.* time=\([0-9.]*\) ms$/\1/p' | sort -n | awk '{ t[NR] = $1 } END { print int(t[11] * 1000) }'
}

# From now on moderations() prints "CQ PERIOD COUNT" for each change of a CQ that the driver wants: arguments 2, 3 and 4
watch_moderation()
{
	TRACE=/sys/kernel/tracing
	[ -d $TRACE/events ] || mount -t tracefs tracefs $TRACE
	[ -e $TRACE/kprobe_events ] || skip "this kernel has no kprobe events"
	trap 'echo 0 >$TRACE/events/kprobes/cxr_moderate/enable; echo >$TRACE/kprobe_events' EXIT
	echo 'p:cxr_moderate cxr_cq_moderate cq=%si:x64 period=%dx:u16 count=%cx:u16' >$TRACE/kprobe_events
	echo >$TRACE/trace
	echo 1 >$TRACE/events/kprobes/cxr_moderate/enable
}
moderations() { sed -n 's/.* cq=\([^ ]*\) period=\([0-9]*\) count=\([0-9]*\)$/\1 \2 \3/p' "$TRACE/trace"; }

# Round trips take 3000 us longer if an event waits for 4000 us, or for 1000 frames, than if it waits for one. On a busy host replies
# come late, and are polled with the event of the request: that passes
waits()
{
	local slow fast

	for _ in {1..15}; do
		slow=$(round_trip)
		ethtool -C "$netdev" rx-frames 1
		fast=$(round_trip)
		ethtool -C "$netdev" rx-frames 1000
		echo "round trips of $slow and $fast us"
		if [ $((slow - fast)) -ge 3000 ]; then return; fi
	done
	return 1
}

coalescing()
{
	[ "$CXR_DRIVER" = cxr ] || skip "about the interrupt moderation of this driver"
	ktap_spoilt
	ethtool -c "$netdev" | grep -q '^Adaptive RX: on  TX: on'
	watch_moderation
	ethtool -C "$netdev" adaptive-rx off adaptive-tx off rx-usecs 4000 rx-frames 1000 tx-usecs 30 tx-frames 40
	ethtool -c "$netdev" | grep -q '^Adaptive RX: off  TX: off'
	[ "$(moderation rx-usecs rx-frames tx-usecs tx-frames)" = "4000 1000 30 40" ]
	[ "$(moderations | awk '{ last[$1] = $2 " " $3 } END { for (cq in last) print last[cq] }' | sort -u | paste -sd ' ')" = "30 40 4000 1000" ]
	waits
	# new queues have it, too
	ip link set "$netdev" down
	driver_net_up
	reachable
	waits
	must_fail ethtool -C "$netdev" rx-usecs 4096
	must_fail ethtool -C "$netdev" tx-frames 65536
	[ "$(moderation rx-usecs rx-frames tx-usecs tx-frames)" = "4000 1000 30 40" ]
}

# The command for the second queue fails: the first has the old moderation again
coalescing_fails()
{
	[ "$CXR_DRIVER" = cxr ] || skip "about the interrupt moderation of this driver"
	ktap_spoilt
	ethtool -C "$netdev" adaptive-rx off adaptive-tx off rx-usecs 4000 rx-frames 1000
	watch_moderation
	emu fault "$CXR_GUEST" command modify_cq status bad_param nth=2 >/dev/null
	must_fail ethtool -C "$netdev" rx-usecs 10 rx-frames 20
	emu fault clear >/dev/null
	[ "$(moderation rx-usecs rx-frames)" = "4000 1000" ]
	moderations
	moderations | awk 'NR == 1 { first = $1; if ($2 != 10) exit 1 } $1 == first { period = $2 } END { exit period != 4000 }'
}

# DIM begins with 8 us, also where it only goes on
adaptive()
{
	[ "$CXR_DRIVER" = cxr ] || skip "about the interrupt moderation of this driver"
	ktap_spoilt
	watch_moderation
	ethtool -C "$netdev" adaptive-rx on adaptive-tx on
	for _ in 1 2 3 4; do
		tcp_both_ways 16M
		if moderations | awk '$2 != 8 { found = 1 } END { exit !found }'; then return; fi
	done
	cat $TRACE/trace; moderations
	fail "the moderation did not change"
}

# ---- reconfiguration and teardown ------------------------------------------------------------------

counters()
{
	local before after

	before=$(cat "/sys/class/net/$netdev/statistics/rx_packets")
	pings "$(peer_ip)"
	after=$(cat "/sys/class/net/$netdev/statistics/rx_packets")
	[ $((after - before)) -ge 5 ]
	[ "$(cat "/sys/class/net/$netdev/statistics/rx_errors")" = 0 ]
	[ "$(cat "/sys/class/net/$netdev/statistics/tx_errors")" = 0 ]
	ethtool -S "$netdev" | grep -q 'rdma'
}

# A card whose scatter lists end with a key of its own: frames of 9000 bytes have lists of three pages in WQEs of four
terminator()
{
	local violations

	[ "$CXR_DRIVER" = cxr ] || skip "about the receive queues of this driver"
	ktap_spoilt
	driver_unload
	emu fault "$CXR_GUEST" cap terminate_scatter_list_mkey 1 >/dev/null
	violations=$(emu status | sed -n 's/^violations: //p')
	driver_up 9000
	peer "ip link set $peer_netdev mtu 9000"
	reachable
	ping -q -i 0.05 -c 5 -W 2 -M "do" -s 8972 "$(peer_ip)"
	[ "$(emu status | sed -n 's/^violations: //p')" = "$violations" ]
}

status_of() { emu status | awk -v f="$1:" '$1 == "function" { own = $2 == f } own'; } # FUNCTION
no_buffer() { status_of "$CXR_GUEST" | sed -n 's/.*not received: no buffer \([0-9]*\),.*/\1/p'; }
# of the statistics in sysfs, which may be those of the read before
missed_is() { [ "$(cat "/sys/class/net/$netdev/statistics/rx_missed_errors")" = "$1" ]; }

# The device goes on counting between two reads.
counted_as_lost() # LOST-BEFORE COUNTER-BEFORE
{
	local lost=$(($(no_buffer) - $1)) counted=$(($(counter rx_out_of_buffer) - $2))

	echo "$lost lost, $counted counted"
	[ $lost -gt 0 ] && [ $counted = $lost ]
}

# More frames than a ring has room for that nobody empties, since no event says that there are completions
missed()
{
	local device was

	ktap_spoilt
	ethtool -G "$netdev" rx 64
	reachable
	device=$(no_buffer) was=$(counter rx_out_of_buffer)
	emu fault "$CXR_GUEST" event comp lose times=all >/dev/null
	peer "timeout 20 ping -q -c 200 -l 100 -i 0.005 -W 1 $(my_ip)" || true
	emu fault clear >/dev/null
	# with new completion queues
	ethtool -G "$netdev" rx 1024
	reachable
	wait_until 5 counted_as_lost "$device" "$was"
	wait_until 10 missed_is "$(counter rx_out_of_buffer)"
}

multicast() { cat "/sys/class/net/$netdev/statistics/multicast"; }
multicast_is() { [ "$(multicast)" -ge "$1" ]; }

counts_multicast()
{
	local before

	multicast >/dev/null
	nap 0.5
	before=$(multicast)
	peer "ping -q -c 10 -i 0.05 -W 1 -I $peer_netdev ff02::1" || true
	wait_until 10 multicast_is $((before + 10))
}

flood() { PEER_TIMEOUT=300 peer_bg flood "ping -f -q -s 1000 $(my_ip)"; }
flood_end() { peer_kill flood; peer_wait flood || true; }

received() { cat "/sys/class/net/$netdev/statistics/rx_packets"; }
receives() { [ "$(received)" -gt "$1" ]; }
wait_traffic() { wait_until 20 receives $(($(received) + 20)); }

rings() { ethtool -g "$netdev" | awk '/^Current/ { n = 1 } n && /^(RX|TX):/ { print $1 $2 }' | paste -sd ' '; }

rings_under_traffic()
{
	local size was

	was=$(rings)
	flood
	wait_traffic
	for size in 64 256 4096 1024; do
		ethtool -G "$netdev" rx $size tx $size
		[ "$(rings)" = "RX:$size TX:$size" ]
		wait_traffic
	done
	flood_end
	tcp_both_ways 1M
	must_fail ethtool -G "$netdev" rx 1000000
	[ "$(rings)" = "RX:1024 TX:1024" ]
	ethtool -G "$netdev" rx 512 tx 2048
	[ "$(rings)" = "RX:512 TX:2048" ]
	reachable
	was=${was//[A-Z:]/}
	ethtool -G "$netdev" rx "${was% *}" tx "${was#* }"
}

down_up()
{
	local i

	flood
	wait_traffic
	for ((i = 0; i < 10; i++)); do
		ip link set "$netdev" down
		ip link set "$netdev" up
	done
	flood_end
	driver_net_up
	reachable
}

aux_driver()
{
	case $CXR_DRIVER in
	cxr) echo /sys/bus/auxiliary/drivers/cxr_en.en ;;
	mlx5) echo /sys/bus/auxiliary/drivers/mlx5_core.eth ;;
	*) skip "driver $CXR_DRIVER has no auxiliary Ethernet device" ;;
	esac
}

no_netdev() { [ -z "$(driver_netdev)" ]; }
a_netdev() { [ -n "$(driver_netdev)" ]; }

unbind_bind()
{
	local i driver name

	driver=$(aux_driver)
	name=$(basename "$(find "$driver" -maxdepth 1 -type l -name '*_core.*' | head -n 1)")
	for ((i = 0; i < 20; i++)); do
		echo "$name" >"$driver/unbind"
		no_netdev
		echo "$name" >"$driver/bind"
		a_netdev
	done
	ktap_spoilt
	netdev=$(driver_netdev)
	driver_net_up
	reachable
	tcp_both_ways 1M
}

unload_under_traffic()
{
	local seconds

	for seconds in 0 0.1 0.4; do
		flood
		wait_traffic
		sleep $seconds
		driver_unload
		flood_end
		driver_load
		netdev=$(driver_netdev)
		driver_net_up
		reachable
	done
}

ktap_setup ready
ktap_test netdev "each function has one netdev, with dev_port 0 and a permanent MAC" netdev_is_there
ktap_test mac.card "the MAC is the adapter's" mac_is_of_the_card
ktap_test link "the link is up at both ends, with a known speed" link_is_up
ktap_test carrier "the carrier follows the interface down and up" link_follows_the_interface
ktap_test ping.sizes "pings of many sizes work both ways over IPv4 and IPv6" ping_sizes
ktap_test ping.fragments "fragmented pings work both ways" ping_fragments
ktap_test ping.multicast "the peer answers a multicast ping" multicast_is_heard
KTAP_TIMEOUT=300 ktap_test tcp "TCP transfers data intact both ways" tcp_transfer
KTAP_TIMEOUT=300 ktap_test mtu "MTUs from 1280 to 9000 work, a larger one is refused" jumbo
ktap_test rx.shared "receive buffers share pages" buffers_share_pages
ktap_test rx.recycle "the pages of received packets are used again" pages_are_recycled
ktap_test rx.sum "the sums that the device computes of ICMP and of fragments are used, and are right" sums_are_used
# changes: rx_pp_*
ktap_test rx.pools "the statistics of page pools include pools that are gone" pool_statistics
ktap_test promisc "frames to foreign addresses are seen in promiscuous mode only" promisc
ktap_test mac.second "a second unicast address is received" extra_unicast
ktap_test mac.change "the MAC can be changed, but not to a multicast address" change_mac
ktap_test counters "the statistics count packets and no errors" counters
ktap_test mtu.terminator "a scatter list that is shorter than its WQE ends with the key that the card asks for" terminator
# changes: rx_out_of_buffer
ktap_test counters.missed "frames that find no receive buffer are counted: rx_out_of_buffer, missed" missed
ktap_test counters.multicast "the statistics count multicast frames" counts_multicast
ktap_test rings "ring sizes can be changed under traffic" rings_under_traffic
ktap_test coalescing "ethtool -C delays events by time and by frames, of queues that exist and of later ones" coalescing
ktap_test coalescing.fails "a change of the moderation that fails leaves the old one" coalescing_fails
ktap_test coalescing.adaptive "adaptive moderation follows the traffic" adaptive
ktap_test down.up "the interface survives down and up 10 times under traffic" down_up
ktap_test unbind "the Ethernet driver survives unbind and bind 20 times" unbind_bind
KTAP_TIMEOUT=300 ktap_test unload "the driver unloads under traffic" unload_under_traffic
ktap_finally ends_stop
ktap_end
