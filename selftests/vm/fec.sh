#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What forward error correction does to frames with wrong bits, and how it is counted: RS, BaseR, and none. link.sh has the codes of
# faster lanes.
# guests: 2
# card: cx4lx
# takes: 45
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/link.sh
. "$(dirname "$0")/../lib/link.sh"
# shellcheck source=selftests/lib/moves.sh
. "$(dirname "$0")/../lib/moves.sh"

ready() { ends_up 9000; }
before_each() { ends_know; emu fault clear; link_default 25000; }

uses() # ENCODING ITS_NAME
{
	ethtool --set-fec "$netdev" encoding "$1"
	wait_until 10 fec_is "$2" "$2"
	reachable
}

rs() { uses rs RS; "$@"; }
baser() { uses baser BaseR; "$@"; }
off() { uses off Off; "$@"; }

# 7 symbols of 10 bits, or a burst of 11 bits
mends_symbols() { fec_counts "30 0 2100" gets_wrong 70 30; }
loses_symbols() { fec_counts "0 40 0" gets_wrong 71 40; }
mends_burst() { fec_counts "30 0 330" gets_wrong 11 30; }
loses_burst() { fec_counts "0 40 0" gets_wrong 12 40; }

loses_bit()
{
	[ -z "$(fec_stats)" ] || fail "statistics without forward error correction: $(fec_stats)"
	gets_wrong 1 40
}

# Frames that are lost, of 3000 bytes, are too long as well
loses_long()
{
	ip link set "$netdev" mtu 1500
	emu fault a frame any flip 100 dir=rx times=40
	peer "python3 -B selftests/lib/send_frames.py $peer_netdev $mac 100 3000"
	reachable
	ip link set "$netdev" mtu 9000
}

# Frames that are lost are errors of symbols and of packets to the RDMA device
loses_for_rdma()
{
	local dir=/sys/class/infiniband/$dev/ports/1/counters symbols packets

	symbols=$(<"$dir/symbol_error")
	packets=$(<"$dir/port_rcv_errors")
	gets_wrong 71 40
	[ $(($(<"$dir/symbol_error") - symbols)) = 40 ] || fail "symbol_error: $symbols, then $(<"$dir/symbol_error")"
	[ $(($(<"$dir/port_rcv_errors") - packets)) = 40 ] || fail "port_rcv_errors: $packets, then $(<"$dir/port_rcv_errors")"
}

# ethtool has the device read
errors()
{
	ethtool -S "$netdev" >/dev/null
	(cd "/sys/class/net/$netdev/statistics" && echo $(($(<rx_errors) - $1)) $(($(<rx_crc_errors) - $2)) $(($(<rx_length_errors) - $3)))
} # RX_ERRORS CRC LENGTH

# Frames that are lost, and others that are too long, are errors of the interface
loses_for_interface()
{
	local before

	uses off Off
	ip link set "$netdev" mtu 1500
	reachable
	before=$(errors 0 0 0)
	gets_wrong 1 40
	peer "python3 -B selftests/lib/send_frames.py $peer_netdev $mac 7 3000"
	reachable
	ethtool -S "$netdev" | grep -E "rx_(crc_errors|oversize_pkts)_phy"
	# shellcheck disable=SC2086
	[ "$(errors $before)" = "47 40 7" ] || fail "errors, CRC, length: $before, and $(errors $before) more"
	ip link set "$netdev" mtu 9000
	# shellcheck disable=SC2086
	[ "$(errors $before)" = "47 40 7" ] || fail "they change when the queues restart"
}

lanes() { ethtool -I --show-fec "$netdev" | grep -c "^ *Lane 0:"; }

# BaseR counts by lane, RS does not
shows_lanes()
{
	[ "$(lanes)" = 0 ]
	uses baser BaseR
	fec_counts "5 0 15" gets_wrong 3 5
	ethtool -I --show-fec "$netdev"
	[ "$(lanes)" = 2 ]
}

# Counters that the firmware refuses are not shown
refuses()
{
	[ -n "$(fec_stats)" ]
	emu fault a register ppcnt status bad_param times=all
	[ -z "$(fec_stats)" ]
	fec_is Auto RS
	[ "$CXR_DRIVER" = mlx5 ] || lacks refuse kmsg
	emu fault clear
	[ -n "$(fec_stats)" ]
}

ktap_setup ready
ktap_test rs.corrected "RS: wrong bits are corrected and counted" rs moves mends_symbols rx_corrected_bits_phy==2100 \
	rx_vport_unicast_packets=100 traffic?
ktap_test rs.lost "RS: frames with too many of them are lost and counted" rs moves loses_symbols rx_crc_errors_phy==40 \
	rx_symbol_err_phy==40 rx_pcs_symbol_err_phy==40 rx_corrected_bits_phy==0 rx_vport_unicast_packets=60 traffic?
ktap_test baser.corrected "BaseR: wrong bits are corrected and counted" baser moves mends_burst rx_corrected_bits_phy==330 \
	rx_vport_unicast_packets=100 traffic?
ktap_test baser.lost "BaseR: frames with too many of them are lost and counted" baser moves loses_burst rx_crc_errors_phy==40 \
	rx_symbol_err_phy==40 rx_pcs_symbol_err_phy==40 rx_corrected_bits_phy==0 rx_vport_unicast_packets=60 traffic?
ktap_test off "without it a wrong bit loses the frame" off moves loses_bit rx_crc_errors_phy==40 rx_pcs_symbol_err_phy==40 \
	rx_symbol_err_phy==0 rx_corrected_bits_phy==0 rx_vport_unicast_packets=60 traffic?
ktap_test jabber "frames that are lost and too long are counted as such" moves loses_long rx_jabbers_phy+ rx_oversize_pkts_phy+ \
	rx_symbol_err_phy==40 rx_pcs_symbol_err_phy==40 rx_crc_errors_phy? traffic?
# changes: symbol_error
ktap_test rdma "to the RDMA device lost frames are errors" loses_for_rdma
ktap_test interface "so are they to the interface, and frames that are too long" loses_for_interface
ktap_test lanes "blocks of BaseR are counted by lane" shows_lanes
ktap_test refused "counters that the firmware refuses are not shown" refuses
ktap_end
