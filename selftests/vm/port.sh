#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What ethtool shows and sets of the port that all functions share: its speed, pause frames, what it counts, and the module in it.
# guests: 2
# card: cx5,dcb
# ledger: yes
# takes: 70
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/link.sh
. "$(dirname "$0")/../lib/link.sh"

before_each() { ends_know; link_default; }

# "RX TX": which pause frames are on
pauses() { ethtool -a "$netdev" | awk '/^RX:/ { rx = $2 } /^TX:/ { tx = $2 } END { print rx, tx }'; }

sets_pause()
{
	local rx tx

	for rx in on off; do
		for tx in on off; do
			[ "$(pauses)" = "$rx $tx" ] || ethtool -A "$netdev" rx $rx tx $tx
			[ "$(pauses)" = "$rx $tx" ] || fail "pause frames are $(pauses), not $rx $tx"
		done
	done
	reachable
}

# The card has them forgotten neither when queues are restarted nor when the interface goes down
keeps_pause()
{
	ethtool -A "$netdev" rx on tx off
	ethtool -G "$netdev" rx 256
	[ "$(pauses)" = "on off" ]
	ethtool "$netdev" | grep -q 'Advertised pause frame use: Symmetric'
	ip link set "$netdev" down
	driver_net_up
	[ "$(pauses)" = "on off" ]
	ethtool -A "$netdev" rx off tx off
	ethtool "$netdev" | grep -q 'Advertised pause frame use: No'
	reachable
}

no_negotiation()
{
	local was

	was=$(pauses)
	must_fail ethtool -A "$netdev" autoneg on
	[ "$(pauses)" = "$was" ]
}

# Counter NAME of the standard groups
standard() { ethtool -S "$netdev" --all-groups | sed -n "s/^\(.*-\)\?$1: //p"; }

# 20 frames of 142 bytes each way, without FCS
twenty_pings() { ping -q -i 0.05 -c 20 -W 2 -s 100 "$(peer_ip)" >/dev/null; }

# Counter NAME of READER grows by at least N, but not by twice as much, with twenty_pings
grows() # READER NAME N
{
	local before after

	before=$($1 "$2")
	[ -n "$before" ] || fail "there is no counter $2"
	twenty_pings
	after=$($1 "$2")
	echo "$2: $before, then $after"
	[ $((after - before)) -ge "$3" ]
	[ $((after - before)) -lt $((2 * $3)) ]
}

standard_groups()
{
	grows standard FramesTransmittedOK 20
	grows standard FramesReceivedOK 20
	grows standard OctetsTransmittedOK $((20 * 146))
	grows standard OctetsReceivedOK $((20 * 146))
	grows standard etherStatsPkts128to255Octets 20
	[ "$(standard FrameCheckSequenceErrors)" = 0 ]
	[ "$(standard SymbolErrorDuringCarrier)" = 0 ]
	[ "$(standard etherStatsJabbers)" = 0 ]
	[ -n "$(standard MACControlFramesReceived)" ]
	ethtool -I -a "$netdev" | grep -q 'rx_pause_frames: [0-9]'
}

own_counters()
{
	grows counter rx_packets_phy 20
	grows counter tx_bytes_phy $((20 * 146))
	grows counter rx_128_to_255_bytes_phy 20
	[ "$(counter rx_crc_errors_phy)" = 0 ]
	[ "$(counter tx_pause_ctrl_phy)" = 0 ]
	[ -n "$(counter link_down_events_phy)" ]
}

module() { ethtool -m "$netdev" | sed -n "s/^\s*$1\s*: //p"; }

# Bytes of the module's memory, from OFFSET
bytes() # I2C OFFSET LENGTH
{
	ethtool -m "$netdev" raw on offset "$2" length "$3" page 0 bank 0 i2c "$1"
}

reads_module()
{
	ethtool -m "$netdev"
	module Identifier | grep 'QSFP28'
	[ "$(module 'Vendor name')" = cxemu ]
	[ "$(module 'Vendor PN')" = CX-QSFP28-1M ]
	module 'Length (Copper or Active cable)' | grep -x 1m
	module 'Transceiver type' | grep '100G Base-CR4'
	# more than the device reads at once
	[ "$(bytes 0x50 128 100 | sha256sum)" = "$( (bytes 0x50 128 50; bytes 0x50 178 50) | sha256sum)" ]
	[ "$(bytes 0x50 148 5)" = cxemu ]
}

# By the ioctls, as programs without netlink do
by_ioctl()
{
	local said

	said=$(python3 -B selftests/lib/ethtool_ioctl.py "$netdev" module)
	echo "$said"
	# SFF-8636 and all its pages
	[ "$(sed 1q <<<"$said")" = "3 640" ]
	[ "$(sed -n '2s/^.\{296\}\(.\{10\}\).*/\1/p' <<<"$said")" = "$(printf cxemu | od -An -tx1 | tr -d ' ')" ]
	[ "$(sed -n '2s/^.\{256\}\(.\{256\}\).*/\1/p' <<<"$said")" = "$(sed -n '2s/^.\{1024\}\(.\{256\}\)/\1/p' <<<"$said")" ]
}

no_module()
{
	local said

	[ "$CXR_DRIVER $CXR_KERNEL" != "mlx5 6.1" ] || skip "the in-tree driver of this kernel answers with zeros"
	said=$(must_fail bytes 0x51 0 1 2>&1)
	[ "$CXR_DRIVER" = mlx5 ] || grep "does not answer" <<<"$said"
	must_fail bytes 0x50 250 10
	[ "$(bytes 0x50 148 5)" = cxemu ]
}

# ---- speed -----------------------------------------------------------------------------------------

shows_link()
{
	local modes

	modes=" 1000baseKX/Full 10000baseKR/Full 40000baseKR4/Full 40000baseCR4/Full 40000baseSR4/Full 40000baseLR4/Full"
	modes+=" 25000baseCR/Full 25000baseKR/Full 25000baseSR/Full 50000baseCR2/Full 50000baseKR2/Full 100000baseKR4/Full"
	modes+=" 100000baseSR4/Full 100000baseCR4/Full 100000baseLR4_ER4/Full 50000baseSR2/Full "
	ethtool "$netdev"
	[ "$(shown 'Supported link modes')" = "$modes" ]
	[ "$(shown 'Advertised link modes')" = "$modes" ]
	[ "$(shown 'Link partner advertised link modes')" = "$modes" ]
	[ "$(shown 'Supported ports')" = " [ FIBRE Backplane ] " ]
	[ "$(shown Speed)" = " 100000Mb/s " ]
	[ "$(shown Duplex)" = " Full " ]
	[ "$(shown Auto-negotiation)" = " on " ]
	[ "$(shown Port)" = " Direct Attach Copper " ]
	[ "$(shown 'Supports auto-negotiation')" = " Yes " ]
}

# Each speed is up after the link was down once
sets_speed()
{
	local speed before

	for speed in 40000 1000 50000; do
		before=$(link_downs)
		ethtool -s "$netdev" speed $speed autoneg off
		wait_until 10 speed_is $speed
		wait_until 10 link_downs_are $((before + 1))
		[ "$(shown Auto-negotiation)" = " off " ]
	done
	[ "$(shown 'Advertised link modes')" = " 50000baseCR2/Full 50000baseKR2/Full 50000baseSR2/Full " ]
	reachable
	# that again changes nothing
	before=$(link_downs)
	ethtool -s "$netdev" speed 50000 autoneg off
	[ "$(link_downs)" = "$before" ]
}

# 25000baseCR and 40000baseKR4 are bits 31 and 23: the link takes the faster one
advertises()
{
	ethtool -s "$netdev" autoneg on advertise 0x80800000
	wait_until 10 speed_is 40000
	[ "$(shown 'Advertised link modes')" = " 40000baseKR4/Full 25000baseCR/Full " ]
	[ "$(shown Auto-negotiation)" = " on " ]
	reachable
}

# What the port does not have: 2.5 Gbit/s, 10000baseT (bit 12), 50000baseKR (bit 52), which newer cards have
refuses_speeds()
{
	local before

	before=$(ethtool "$netdev"; link_downs)
	must_fail ethtool -s "$netdev" speed 2500 autoneg off
	must_fail ethtool -s "$netdev" autoneg on advertise 0x1000
	must_fail ethtool -s "$netdev" autoneg on advertise 0x10000000000000
	[ "$(ethtool "$netdev"; link_downs)" = "$before" ]
	[ "$CXR_DRIVER" = mlx5 ] || kmsg | grep "link settings: the port does not have this speed"
	[ "$CXR_DRIVER" = mlx5 ] || kmsg | grep "link settings: the port does not have these modes"
}

keeps_speed()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver starts with the card's defaults after a reset"
	ethtool --set-fec "$netdev" encoding off
	ethtool -s "$netdev" speed 50000 autoneg off
	wait_until 10 speed_is 50000
	echo 1 >"/sys/class/net/$netdev/device/reset"
	ends_up
	wait_until 10 speed_is 50000
	ethtool --show-fec "$netdev" | grep "Active.*Off"
}

blinks() { emu status | grep -q "the LED of the port blinks"; }
dark() { ! blinks; }

# Until ethtool is killed, or for some seconds
identifies()
{
	local pid

	must_fail blinks
	ethtool -p "$netdev" &
	pid=$!
	wait_until 10 blinks
	kill $pid
	wait $pid || true
	wait_until 10 dark
	ethtool -p "$netdev" 1
	dark
}

# ethtool does not hold the interface meanwhile: it ends while the device is reset, and is told of it before or after
identifies_through_reset()
{
	local pid

	[ "$CXR_DRIVER" = cxr ] || skip "the interface of the in-tree driver does not outlive a reset"
	for _ in 1 2 3; do
		ethtool -p "$netdev" &
		pid=$!
		wait_until 10 blinks
		echo 1 >"/sys/class/net/$netdev/device/reset" &
		kill $pid
		wait
		ends_up
		wait_until 10 dark
	done
}

# "LINK SPEED HEALTH LOOPBACK": 0 is good
self_test()
{
	ethtool -t "$netdev" >/run/cxr-selftest && echo passed >>/run/cxr-selftest
	cat /run/cxr-selftest >&2
	awk '/^(Link|Speed|Health|Loopback) Test/ { printf "%s%d", space, $3 != 0; space = " " } /^passed/ { print " passed" }' /run/cxr-selftest
}

received() { cat "/sys/class/net/$netdev/statistics/rx_packets"; }
carrier_is() { [ "$(cat "/sys/class/net/$netdev/carrier")" = "$1" ]; }

tests_itself()
{
	local before

	[ "$(self_test)" = "0 0 0 0 passed" ]
	# the interface does not go on hearing itself
	before=$(received)
	python3 -B selftests/lib/send_frames.py "$netdev" "$mac" 50 100
	[ $(($(received) - before)) -lt 20 ]
	lacks "local loopback on" emu status
	[ "$(self_test)" = "0 0 0 0 passed" ]
	emu fault "$CXR_GUEST" port down
	wait_until 10 carrier_is 0
	[ "$(self_test || true)" = "1 1 0 1" ]
	[ "$CXR_DRIVER" = mlx5 ] || kmsg | grep "self test: Loopback Test: -ENETDOWN"
	emu fault "$CXR_GUEST" port up
	wait_until 10 carrier_is 1
	reachable
}

ktap_setup ends_up
ktap_test selftest "ethtool -t tests link, speed, health, and a frame to itself" tests_itself
ktap_test link "ethtool shows speed, link modes and connector of the port" shows_link
ktap_test link.speed "the speed of the link can be set" sets_speed
ktap_test link.advertise "link modes can be selected, and the fastest of them comes up" advertises
ktap_test link.refused "speeds and link modes that the port does not have are refused, and change nothing" refuses_speeds
ktap_test link.reset "a reset of the device leaves speed and forward error correction as they were set" keeps_speed
ktap_test module.read "the memory of the module in the port can be read, and ethtool knows what is in it" reads_module
ktap_test module.ioctl "so it can by the ioctls, page by page" by_ioctl
ktap_test module.silent "where the module does not answer, a read fails and says so" no_module
ktap_test identify "an LED shows which port this is" identifies
ktap_test identify.reset "it goes out if the device is reset meanwhile" identifies_through_reset
ktap_test pause.set "pause frames can be switched on and off, each way by itself" sets_pause
ktap_test pause.kept "they stay as they are when queues are restarted, and when the interface goes down and up" keeps_pause
ktap_test pause.autoneg "that they be negotiated is refused" no_negotiation
ktap_test counters.standard "the port counts frames, bytes and sizes in the standard groups" standard_groups
ktap_test counters.own "and with the names that mlx5 has for them" own_counters
ktap_end
