#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The Ethernet device of a port: addresses, traffic, offloads, reconfiguration, teardown.
# guests: 2
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"

dev=
FAKE_MAC=02:aa:bb:cc:dd:ee	# nobody has it
FAKE_IP=10.77.0.99

up_both()
{
	driver_load
	driver_net_up
	peer "driver_load && driver_net_up"
}

mac_of() { cat "/sys/class/net/$1/address"; }
carrier() { [ "$(cat "/sys/class/net/$1/carrier" 2>/dev/null)" = 1 ]; }
pings() { ping -q -i 0.05 -c 5 -W 2 "$@" >/dev/null; }
# The first packets after a change may be lost to neighbour discovery
reachable() { wait_until 20 ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null; }
peer_dev() { peer driver_netdev; }

# ---- what is there ---------------------------------------------------------------------------------

netdev_is_there()
{
	local bdf mac

	driver_load
	for bdf in $(driver_bdfs); do
		set -- /sys/bus/pci/devices/"$bdf"/net/*
		[ $# = 1 ] && [ -d "$1" ]
	done
	[ "$(cat "/sys/class/net/$dev/dev_port")" = 0 ]
	mac=$(mac_of "$dev")
	echo "$dev has $mac"
	[ $((0x${mac%%:*} & 1)) = 0 ]
	[ "$(ethtool -P "$dev")" = "Permanent address: $mac" ]
}

mac_is_of_the_card()
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "only the emulator tells the MAC by another way"
	emu status | grep -q -i -F "$(mac_of "$dev")"
}

link_is_up()
{
	up_both
	carrier "$dev"
	peer "grep -q 1 /sys/class/net/$(peer_dev)/carrier"
	ethtool "$dev" | grep -q 'Link detected: yes'
	ethtool "$dev" | grep -q 'Speed: [0-9]'
}

link_follows_the_interface()
{
	ip link set "$dev" down
	must_fail carrier "$dev"
	driver_net_up
	carrier "$dev"
	reachable
}

# ---- traffic ---------------------------------------------------------------------------------------

ping_sizes()
{
	local size

	for size in 18 56 64 230 242 500 1472; do	# 242: header copy of 256 bytes ends
		pings -M "do" -s $size "$(peer_ip)"
		pings -M "do" -s $((size > 1452 ? 1452 : size)) "$(peer_ip6)"
		peer "ping -q -i 0.05 -c 5 -W 2 -M do -s $size $(my_ip) >/dev/null"
	done
}

ping_fragments()
{
	pings -s 4000 "$(peer_ip)"
	pings -s 30000 "$(peer_ip6)"
	pings -s 65000 "$(peer_ip)"
	peer "ping -q -i 0.05 -c 5 -W 2 -s 65000 $(my_ip) >/dev/null"
}

multicast_is_heard()
{
	local answers

	answers=$(ping -6 -c 2 -W 2 "ff02::1%$dev" | grep -c 'bytes from') || true
	echo "$answers answers from all nodes"
	# our own answer to each is not enough
	[ "$answers" -ge 2 ]
	ping -6 -c 2 -W 2 "ff02::1%$dev" | grep 'bytes from' | grep -q -v "$(own_link_local)"
}

own_link_local() { ip -6 -br addr show dev "$dev" scope link | grep -o 'fe80[^/]*'; }

# $1 MiB of random bytes to the peer, and back
tcp_both_ways()
{
	local mib=$1 address=${2:-} sum got listen="reuseaddr,ipv6only=0" connect="retry=200,interval=0.1"

	[ -n "$address" ] || address=$(peer_ip)
	case $address in *:*) address="[$address]" ;; esac
	[ -e /tmp/en.data ] || head -c 16M /dev/urandom >/tmp/en.data
	sum=$(head -c "${mib}M" /tmp/en.data | sha256sum)
	peer_bg tcp "socat -u TCP6-LISTEN:5001,$listen CREATE:/tmp/en.got && sha256sum </tmp/en.got &&
		     socat -u OPEN:/tmp/en.got TCP6-LISTEN:5002,$listen"
	head -c "${mib}M" /tmp/en.data | socat -u STDIN "TCP:$address:5001,$connect"
	got=$(socat -u "TCP:$address:5002,$connect" STDOUT | sha256sum)
	[ "$(peer_wait tcp)" = "$sum" ] || fail "what the peer got is not what was sent"
	[ "$got" = "$sum" ] || fail "what came back is not what was sent"
}

tcp_transfer()
{
	tcp_both_ways 16
	tcp_both_ways 1 "$(peer_ip6)"
}

mtu_both()
{
	ip link set "$dev" mtu "$1"
	peer "ip link set $(peer_dev) mtu $1"
	reachable
}

jumbo()
{
	local mtu

	for mtu in 9000 4000 1280; do
		mtu_both $mtu
		pings -M "do" -s $((mtu - 28)) "$(peer_ip)"
		peer "ping -q -i 0.05 -c 5 -W 2 -M do -s $((mtu - 28)) $(my_ip) >/dev/null"
		must_fail ping -q -c 1 -W 1 -M "do" -s $((mtu - 27)) "$(peer_ip)"
		tcp_both_ways 1
	done
	mtu_both 1500
	must_fail ip link set "$dev" mtu 20000
	[ "$(cat "/sys/class/net/$dev/mtu")" = 1500 ]
}

offloads()
{
	local set

	for set in "tx off" "rx off tx on tso off" "rx on tso on sg off" "sg on gro off rxhash off" \
		   "gro on rxhash on rx on tx on tso on"; do
		# shellcheck disable=SC2086
		ethtool -K "$dev" $set
		echo "$set:"
		tcp_both_ways 1
		pings "$(peer_ip)"
	done
}

vlan_ping()
{
	local set other

	other=$(peer_dev)
	ip link add link "$dev" name en.100 type vlan id 100
	ip addr add 10.78.0.1/24 dev en.100
	ip link set en.100 up
	peer "ip link add link $other name en.100 type vlan id 100 && ip addr add 10.78.0.2/24 dev en.100 &&
	      ip link set en.100 up"
	for set in "txvlan off rxvlan on" "txvlan on rxvlan off" "txvlan on rxvlan on"; do
		# a device may have these fixed: then there is one way only, and it has to work
		# shellcheck disable=SC2086
		ethtool -K "$dev" $set || true
		wait_until 20 ping -q -c 1 -W 1 10.78.0.2 >/dev/null
		pings -M "do" -s 1472 10.78.0.2
		peer "ping -q -i 0.05 -c 5 -W 2 -M do -s 1472 10.78.0.1 >/dev/null"
		tcp_both_ways 1 10.78.0.2
	done
	ip link del en.100
	peer "ip link del en.100"
}

# ---- addresses that are received -------------------------------------------------------------------

# The peer sends to an address that nobody has; succeeds if we see it
sees_foreign()
{
	local log pid

	log=$(mktemp)
	tcpdump -p -i "$dev" -c 1 -n ether dst "$FAKE_MAC" >/dev/null 2>"$log" &
	pid=$!
	wait_until 30 grep -q '^listening' "$log"
	rm -f "$log"
	peer "ip neigh replace $FAKE_IP lladdr $FAKE_MAC dev $(peer_dev) &&
	      { ping -q -i 0.1 -c 20 -W 1 $FAKE_IP >/dev/null || true; }"
	kill -KILL $pid 2>/dev/null || true
	wait $pid
}

promisc()
{
	must_fail sees_foreign
	ip link set "$dev" promisc on
	sees_foreign
	ip link set "$dev" promisc off
	must_fail sees_foreign
}

extra_unicast()
{
	# the interface itself shall not answer for the other one's address
	echo 1 >"/proc/sys/net/ipv4/conf/$dev/arp_ignore"
	ip link add link "$dev" name en.mac address 02:12:34:56:78:9a type macvlan mode private
	ip addr add 10.79.0.1/24 dev en.mac
	ip link set en.mac up
	peer "ip addr add 10.79.0.2/24 dev $(peer_dev)"
	wait_until 20 peer "ping -q -c 1 -W 1 10.79.0.1 >/dev/null"
	peer "ping -q -i 0.05 -c 5 -W 2 10.79.0.1 >/dev/null && ip neigh show 10.79.0.1 | grep -q 02:12:34:56:78:9a"
	peer "ip addr del 10.79.0.2/24 dev $(peer_dev)"
	ip link del en.mac
	echo 0 >"/proc/sys/net/ipv4/conf/$dev/arp_ignore"
}

change_mac()
{
	local old

	old=$(mac_of "$dev")
	ip link set "$dev" address 02:00:5e:11:22:33
	peer "ip neigh flush dev $(peer_dev)"
	reachable
	peer "ping -q -c 2 -W 2 $(my_ip) >/dev/null && ip neigh show $(my_ip) | grep -q 02:00:5e:11:22:33"
	ip link set "$dev" address "$old"
	peer "ip neigh flush dev $(peer_dev)"
	reachable
	must_fail ip link set "$dev" address 01:00:5e:00:00:01
	[ "$(mac_of "$dev")" = "$old" ]
}

# ---- reconfiguration and teardown ------------------------------------------------------------------

counters()
{
	local before after

	before=$(cat "/sys/class/net/$dev/statistics/rx_packets")
	pings "$(peer_ip)"
	after=$(cat "/sys/class/net/$dev/statistics/rx_packets")
	[ $((after - before)) -ge 5 ]
	[ "$(cat "/sys/class/net/$dev/statistics/rx_errors")" = 0 ]
	[ "$(cat "/sys/class/net/$dev/statistics/tx_errors")" = 0 ]
	ethtool -S "$dev" | grep -q 'rdma'
}

flood() { peer_bg flood "ping -f -q -s 1000 -w ${1:-60} $(my_ip)"; }
flood_end() { peer_kill flood; peer_wait flood || true; }

rings_under_traffic()
{
	local size

	flood
	for size in 64 256 4096 1024; do
		ethtool -G "$dev" rx $size tx $size
		reachable
	done
	flood_end
	tcp_both_ways 1
	must_fail ethtool -G "$dev" rx 1000000
}

channels()
{
	local max n

	max=$(ethtool -l "$dev" | awk '/^Combined:/ { print $2; exit }')
	for n in 1 "$max"; do
		# asking for what is set already is answered by an error of ethtool's own
		[ "$(ethtool -l "$dev" | awk '/^Combined:/ { n = $2 } END { print n }')" = "$n" ] ||
			ethtool -L "$dev" combined "$n"
		reachable
		tcp_both_ways 1
	done
}

down_up()
{
	local i

	flood
	for ((i = 0; i < 10; i++)); do
		ip link set "$dev" down
		ip link set "$dev" up
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
	*) skip "the driver here, $CXR_DRIVER, has no auxiliary Ethernet device" ;;
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
	dev=$(driver_netdev)
	driver_net_up
	reachable
	tcp_both_ways 1
}

unload_under_traffic()
{
	local seconds

	for seconds in 1 0.5 0.1; do
		flood 30
		sleep $seconds
		driver_unload
		flood_end
		driver_load
		driver_net_up
		reachable
	done
}

driver_load || exit 1
dev=$(driver_netdev)

ktap_plan 20
ktap_run "each function has one netdev, with dev_port 0 and a permanent MAC" netdev_is_there
ktap_run "the MAC is the card's" mac_is_of_the_card
ktap_run "the link is up on both sides, and has a speed" link_is_up
ktap_run "the carrier goes and comes with the interface" link_follows_the_interface
ktap_run "pings of many sizes go both ways over IPv4 and IPv6" ping_sizes
ktap_run "fragmented pings go both ways" ping_fragments
ktap_run "the peer answers to a multicast ping" multicast_is_heard
KTAP_TIMEOUT=300 ktap_run "TCP carries data unchanged both ways" tcp_transfer
KTAP_TIMEOUT=300 ktap_run "MTUs from 1280 to 9000 work, a larger one is refused" jumbo
KTAP_TIMEOUT=300 ktap_run "TCP works with every offload on and off" offloads
KTAP_TIMEOUT=300 ktap_run "a VLAN device works with its offloads on and off" vlan_ping
ktap_run "packets to foreign addresses are seen in promiscuous mode only" promisc
ktap_run "a second unicast address is received" extra_unicast
ktap_run "the MAC can be changed, and not to a multicast one" change_mac
ktap_run "the counters count, and no errors" counters
ktap_run "ring sizes change under traffic" rings_under_traffic
ktap_run "the number of channels changes" channels
ktap_run "the interface survives 10 times down and up under traffic" down_up
ktap_run "the Ethernet device survives 20 times unbind and bind" unbind_bind
KTAP_TIMEOUT=300 ktap_run "the driver unloads under traffic" unload_under_traffic
ktap_end
