#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Traffic classes and flow control of the port, as iproute2's dcb and ethtool set them.
# guests: 2
# card: cx5,dcb
# takes: 60
# drivers: mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

# Both interfaces up
ready()
{
	emu fault clear >/dev/null
	ends_up 1500
}

before_each() { ends_know; }

# A counter of the interface: ethtool -S
counter() # NAME
{
	local line

	line=$(ethtool -S "$netdev" | grep -w "$1:") || return
	echo "${line##*: }"
}

has_classes()
{
	dcb ets show dev "$netdev" | tee /run/cxr-ets
	grep -q "ets-cap 8" /run/cxr-ets
	grep -q "prio-tc 0:1 1:0 2:2 3:3 4:4 5:5 6:6 7:7" /run/cxr-ets	# the driver's own default
}

sets_ets()
{
	dcb ets set dev "$netdev" tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:40 3:60
	dcb ets show dev "$netdev" | tee /run/cxr-ets
	grep -q "tc-bw 0:40 .* 3:60" /run/cxr-ets	# of a strict class 0, or 100 (6.1)
	grep -q "tc-tsa 0:ets 1:strict 2:strict 3:ets" /run/cxr-ets
}

# dcb gives bytes per second where the kernel takes kilobits: this is 10 Gbit/s
sets_maxrate()
{
	dcb maxrate set dev "$netdev" tc-maxrate 3:80mbit
	dcb maxrate show dev "$netdev" | tee /run/cxr-rate
	grep -q "3:80Mbit" /run/cxr-rate
	dcb maxrate set dev "$netdev" tc-maxrate 3:0
}

sets_pfc()
{
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	ends_up 1500
	dcb pfc show dev "$netdev" | tee /run/cxr-pfc
	grep -q "3:on" /run/cxr-pfc
	grep -q "2:off" /run/cxr-pfc
	ethtool -S "$netdev" | grep -q rx_prio3_pause:
}

# The firmware has moved the priority into a buffer without loss
has_buffers()
{
	dcb buffer show dev "$netdev" | tee /run/cxr-buffer
	grep -q "prio-buffer 0:0 1:0 2:0 3:1" /run/cxr-buffer
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
	dcb buffer show dev "$netdev" | grep -q "prio-buffer 0:0 1:0 2:0 3:0"
}

sets_buffers()
{
	dcb buffer set dev "$netdev" prio-buffer all:0 3:1 buffer-size all:0 0:98304 1:196608
	dcb buffer show dev "$netdev" | tee /run/cxr-buffer
	grep -q "prio-buffer 0:0 1:0 2:0 3:1" /run/cxr-buffer
}

# Traffic with a DSCP is counted in its priority
sorts_by_dscp()
{
	local before

	dcb app add dev "$netdev" dscp-prio 26:3
	dcb app show dev "$netdev" | tee /run/cxr-app
	grep -q "AF31:3" /run/cxr-app
	before=$(counter tx_prio3_packets)
	ping -q -Q 104 -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
	[ $(($(counter tx_prio3_packets) - before)) -ge 10 ]
	dcb app del dev "$netdev" dscp-prio 26:3
	before=$(counter tx_prio3_packets)
	ping -q -Q 104 -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
	[ "$(counter tx_prio3_packets)" = "$before" ]
}

pause_excludes_pfc()
{
	ethtool -A "$netdev" rx on tx on
	ethtool -a "$netdev" | tee /run/cxr-pause
	[ "$(grep -c "on$" /run/cxr-pause)" = 2 ]
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	ends_up 1500
	ethtool -a "$netdev" | tee /run/cxr-pause
	[ "$(grep -c "[RT]X:.*off$" /run/cxr-pause)" = 2 ]
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
}

ktap_setup ready
ktap_test ets.default "dcb shows the traffic classes of the card" has_classes
ktap_test ets.set "dcb sets the bandwidth of traffic classes" sets_ets
ktap_test maxrate "dcb limits the rate of a traffic class" sets_maxrate
ktap_test pfc "dcb switches priority flow control on, and its counters appear" sets_pfc
ktap_test buffer.firmware "the firmware gives a priority with flow control a buffer without loss" has_buffers
ktap_test app "dcb maps a DSCP to a priority, and its traffic is counted there" sorts_by_dscp
ktap_test pause "switching on flow control of priorities ends that of the port" pause_excludes_pfc
ktap_test buffer.set "dcb sizes the receive buffers" sets_buffers
ktap_end
