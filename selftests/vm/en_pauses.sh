#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Counters of pause frames: of the whole port, on a switch that sends and obeys them. dcb.sh sets them, incast.sh measures.
# guests: 2
# card: cx6dx,dcb
# wire: rate=100m,delay=1us,buffer=256k,pause=on
# takes: 30
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/moves.sh
. "$(dirname "$0")/../lib/moves.sh"

pauses_here() { driver_up && ethtool -A "$(driver_netdev)" rx on tx on; }

ready()
{
	local limit

	ends_up
	pauses_here
	ethtool -G "$(driver_netdev)" tx 64
	# not the limit in bytes, but the ring shall be full
	for limit in "/sys/class/net/$(driver_netdev)"/queues/tx-*/byte_queue_limits/limit_min; do echo 1000000 >"$limit"; done
	peer "$(declare -f pauses_here); pauses_here"
}

before_each() { ends_know; }

sends() { python3 -B selftests/lib/send_frames.py "$netdev" "$peer_mac" "$@"; }
gets() { peer_bg gets "python3 -B selftests/lib/send_frames.py $peer_netdev $mac $*"; }

# The switch has room for what is sent meanwhile, but may pause all ports
pauses_switch()
{
	emu fault a receive stop
	gets 200 1000
	peer_wait gets
	emu fault a receive go
	reachable
}

# How often a queue was full
stops() { ethtool -S "$netdev" | awk '/^ *tx[0-9]+_stopped:/ { n += $2 } END { print n }'; }
stopped_since() { [ "$(stops)" -gt "$1" ]; }

# The switch is full, and waits for b
is_paused()
{
	local before stops

	before=$(counter rx_global_pause)
	stops=$(stops)
	emu fault b receive stop
	# more than one socket may have under way, so that the ring is full, too
	sends 1000 1000 &
	sends 1000 1000 &
	wait_until 10 counts_more rx_global_pause "$before"
	wait_until 20 stopped_since "$stops"
	emu fault b receive go
	wait
	reachable
}

# After a tenth of a second nothing is lossless any more
storms()
{
	ethtool --set-tunable "$netdev" pfc-prevention-tout 100
	emu fault a receive stop
	gets 1000 1000
	peer_wait gets
	emu fault a receive go
	reachable
}

ktap_setup ready
ktap_test sent "pauses sent, and for how long" moves pauses_switch tx_pause_ctrl_phy+ tx_mac_control_phy+ tx_global_pause+ \
	tx_global_pause_duration+ rx_packets_phy+ rx_bytes_phy+ rx_prio0_packets+ rx_prio0_bytes+ rx_vport_unicast_packets+ \
	rx_vport_unicast_bytes+ rx_512_to_1023_bytes_phy+ rx_pause_ctrl_phy? rx_mac_control_phy? rx_global_pause? \
	rx_global_pause_duration? rx_global_pause_transition?
ktap_test received "pauses received, and for how long" moves is_paused rx_pause_ctrl_phy+ rx_mac_control_phy+ rx_global_pause+ \
	rx_global_pause_duration+ rx_global_pause_transition+ tx_packets_phy+ tx_bytes_phy+ tx_prio0_packets+ tx_prio0_bytes+ \
	tx_vport_unicast_packets+ tx_vport_unicast_bytes+ txQ_stopped+
ktap_test storm "a host that is stuck for too long" moves storms tx_pause_storm_warning_events==1 tx_pause_storm_error_events==1 \
	tx_pause_ctrl_phy+ tx_mac_control_phy+ tx_global_pause+ tx_global_pause_duration+ rx_packets_phy+ rx_bytes_phy+ rx_prio0_packets+ \
	rx_prio0_bytes+ rx_vport_unicast_packets+ rx_vport_unicast_bytes+ rx_512_to_1023_bytes_phy+ rx_discards_phy+ rx_prio0_discards+ \
	rx_prio1_buf_discard+ rx_pause_ctrl_phy? rx_mac_control_phy? rx_global_pause? rx_global_pause_duration? rx_global_pause_transition?
ktap_end
