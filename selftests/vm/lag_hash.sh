#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# RoCE LAG on a card that chooses the port of each packet by a hash, which is done where the bond hashes ports, too.
# guests: 2
# functions: 2
# card: cx6dx
# drivers: cxr mlx5
# timeout: 600
# long: 2000
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/lag.sh"

hash_policy() { ip link set bond0 type bond xmit_hash_policy "$1"; }
both_hash() { hash_policy "$1"; peer "ip link set bond0 type bond xmit_hash_policy $1"; }
device_says() { emu status | grep -q "^  port 1 of the card, lag: on.*$1"; }

# The driver's own rule: a hash without ports would have all connections of two hosts on one port.
without_ports()
{
	ours
	enters balance-xor
	state_is "^spread over bond0"
	must_fail device_says hash
}

hash_begins()
{
	ours
	both_hash layer3+4
	wait_until 20 state_is "^hash over bond0, .*ports 1 2$"
	lag_ready
	wait_until 20 peer_is_lag
	emu status | grep "lag:"
	device_says hash
}

enters_hashing() # MODE
{
	BOND_OPTIONS="xmit_hash_policy layer3+4" enters "$1"
	emu status | grep "lag:"
	device_says hash
	[ "$CXR_DRIVER" != cxr ] || state_is "^hash over bond0"
}

# A connection has one UDP source port, and so one port of the card, whichever; the next may have the other.
one_port_each()
{
	local seen="" before after i diff

	serve
	for ((i = 0; i < 24; i++)); do
		before=("$(sent 0)" "$(sent 1)")
		traffic op=write sizes=4096 count=16
		after=("$(sent 0)" "$(sent 1)")
		diff=($((after[0] - before[0])) $((after[1] - before[1])))
		echo "sent by port 1: ${diff[0]}, by port 2: ${diff[1]}"
		if [ "${diff[0]}" -ge 60 ]; then [ "${diff[1]}" -lt 40 ]; seen+="1"; else [ "${diff[1]}" -ge 60 ]; seen+="2"; fi
		case $seen in *1*2* | *2*1*) break ;; esac
	done
	serve_no_more
	echo "ports, in turn: $seen"
	case $seen in *1*2* | *2*1*) ;; *) fail "all connections leave by one port" ;; esac
}

# RoCE v1 has no ports; all of one host's leaves by one port of the card.
by_macs()
{
	local before after gids=()

	mapfile -t gids < <(gid_index mlx5_bond_0 v1 "$(my_ip 9)"; peer "gid_index mlx5_bond_0 v1 $(guest_ip b 9)")
	before=("$(sent 0)" "$(sent 1)")
	serve
	/cxr/selftests/lib/xfer.py run b "$XFER_PORT" dev=mlx5_bond_0 peer_dev=mlx5_bond_0 "gid=${gids[0]}" "peer_gid=${gids[1]}" \
		"seed=$SEED" op=write sizes=4096 count=16
	serve_no_more
	after=("$(sent 0)" "$(sent 1)")
	echo "sent by port 1: $((after[0] - before[0])), by port 2: $((after[1] - before[1]))"
	[ $((after[0] - before[0])) -ge 60 ] || [ $((after[1] - before[1])) -ge 60 ]
}

no_port_of_its_own()
{
	ours
	timeout 60 python3 - "$(function_of 1)" <<-'END'
	import subprocess, sys
	from pyverbs import enums as e
	from pyverbs.cq import CQ
	from pyverbs.device import Context
	from pyverbs.pd import PD
	from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
	ctx = Context(name="mlx5_bond_0")
	pd, cq = PD(ctx), CQ(ctx, 16)
	qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
	qp.to_init(QPAttr(port_num=1))
	rows = [row.split() for row in open(f"/sys/kernel/debug/cxr/{sys.argv[1]}/qps")]
	row = next(row for row in rows if int(row[0], 16) == qp.qp_num)
	assert row[2:] == ["INIT"], row
	out = subprocess.run("rdma resource show qp link mlx5_bond_0/1 -dd".split(), capture_output=True, text=True, check=True).stdout
	line = next(line for line in out.splitlines() if f" lqpn {qp.qp_num} " in line)
	assert "lag-port" not in line, line
	END
}

# The other way, under the same bond; what was open is not.
hash_ends()
{
	ours
	both_hash layer2
	wait_until 20 state_is "^spread over bond0"
	lag_ready
	wait_until 20 peer_is_lag
	must_fail device_says hash
}

nothing_left() { [ "$(emu status | sed -n '/^function a/,/objects:/p' | grep -c "objects: 0$")" = 2 ]; }

# What the card refuses is undone, to the last table: what is left would be reported when the driver goes.
refused_on_the_way()
{
	local what nth

	ours
	bond balance-xor
	wait_until 20 state_is "^spread over bond0"
	for what in create_general_object create_flow_table create_flow_group set_fte set_flow_table_root create_lag; do
		nth=1
		[ $what != set_flow_table_root ] || nth=2	# that of received packets comes first
		emu fault a0 command $what status bad_param "nth=$nth" >/dev/null
		hash_policy layer3+4
		echo "$what"
		wait_until 20 state_is "^off: the device refused"
		wait_until 20 is_pair
		hash_policy layer2
		wait_until 20 state_is "^spread over bond0"
	done
	unbond
	wait_until 20 is_pair
	driver_unload
	nothing_left
	driver_load
	driver_net_up
}

ktap_plan 16
ktap_run "two cards with two ports are ready" lag_cards_ready
ktap_run "without a bond each port has a device of its own" two_devices
ktap_run "a bond that hashes no ports: queue pairs take turns" without_ports
ktap_run "it begins to hash ports: so does the card" hash_begins
ktap_run "a queue pair has no port then" no_port_of_its_own
ktap_run "it ceases to: queue pairs take turns again" hash_ends
ktap_run "two devices without the bond" leaves
ktap_run "balance-xor that hashes ports: one device, and the card hashes" enters_hashing balance-xor
ktap_run "each connection has one port, not all the same" one_port_each
ktap_run "RoCE v1 leaves by one port" by_macs
ktap_run "a port that fails: its connections leave by the other one" moves balance-xor
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_run "balance-xor: traffic goes on while ports fail, $FLIPS times, and no GID moves (seed $SEED)" survives balance-xor
ktap_run "and two devices again" leaves
ktap_run "802.3ad that hashes ports: one device, and the card hashes" enters_hashing 802.3ad
ktap_run "two devices after 802.3ad" leaves
ktap_run "where the card refuses a step, nothing is left of the others" refused_on_the_way
ktap_end
