#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# RoCE LAG on a card that can select the port by a hash of the packet (hash mode), used if the bond hashes L4 ports.
# guests: 2
# ledger: yes
# takes: 220
# turn: yes
# functions: 2
# card: cx6dx
# drivers: cxr mlx5
# timeout: 600
# long: 2000
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/lag.sh"

HASHES=layer3+4		# hashes L4 ports

hash_policy() { ip link set bond0 type bond xmit_hash_policy "$1"; }
both_hash() { hash_policy "$1"; peer "ip link set bond0 type bond xmit_hash_policy $1"; }
device_says() { emu status | grep -q "^  port 1 of the card, lag: on.*$1"; }

# As devlink numbers them, and udev names them.
port_names()
{
	local port netdev

	for port in 1 2; do
		netdev=$(ls "/sys/bus/pci/devices/$(bdf_of_port $port)/net")
		[ "$(cat "/sys/class/net/$netdev/phys_port_name")" = p$((port - 1)) ]
		devlink port show "$netdev" | grep "flavour physical port $((port - 1)) "
	done
}

# Without L4 ports in the hash all connections between two hosts would use one port.
no_l4_hash()
{
	require_cxr
	state_is "^spread over bond0"
	must_fail device_says hash
}

# The bond stays, the RDMA device is replaced.
hash_begins()
{
	require_cxr
	ktap_spoilt
	both_hash $HASHES
	wait_until 20 state_is "^hash over bond0, .*ports 1 2$"
	wait_lag
	peer ". selftests/lib/lag.sh; wait_lag"
	emu status | grep "lag:"
	device_says hash
}

# The other way
hash_ends()
{
	require_cxr
	ktap_spoilt
	both_hash layer2
	wait_until 20 state_is "^spread over bond0"
	wait_lag
	peer ". selftests/lib/lag.sh; wait_lag"
	must_fail device_says hash
}

enters_hashing() # MODE
{
	enters "$1" $HASHES
	emu status | grep "lag:"
	device_says hash
	[ "$CXR_DRIVER" != cxr ] || state_is "^hash over bond0"
}

# A connection has one UDP source port, and so uses one port of the card; the next one may use the other.
one_port_each()
{
	local seen="" before after i diff

	for ((i = 0; i < 24; i++)); do
		before=("$(frames_sent 0)" "$(frames_sent 1)")
		traffic op=write sizes=4096 count=16
		after=("$(frames_sent 0)" "$(frames_sent 1)")
		diff=($((after[0] - before[0])) $((after[1] - before[1])))
		echo "sent by port 1: ${diff[0]}, by port 2: ${diff[1]}"
		if [ "${diff[0]}" -ge 60 ]; then [ "${diff[1]}" -lt 40 ]; seen+="1"; else [ "${diff[1]}" -ge 60 ]; seen+="2"; fi
		case $seen in *1*2* | *2*1*) break ;; esac
	done
	echo "ports, in turn: $seen"
	case $seen in *1*2* | *2*1*) ;; *) fail "all connections use one port" ;; esac
}

# RoCE v1 has no UDP ports: all connections of a host use one port of the card.
roce_v1()
{
	local before after i n=()

	before=("$(frames_sent 0)" "$(frames_sent 1)")
	traffic "gid=v1:$(my_ip 9)" "peer_gid=v1:$(guest_ip b 9)" op=write sizes=4096 count=16 + + + +
	after=("$(frames_sent 0)" "$(frames_sent 1)")
	for i in 0 1; do n[i]=$((after[i] - before[i])); done
	echo "sent by port 1: ${n[0]}, by port 2: ${n[1]}"
	if [ "${n[0]}" -ge 240 ]; then [ "${n[1]}" -lt 40 ]; else [ "${n[1]}" -ge 240 ]; [ "${n[0]}" -lt 40 ]; fi
}

qp_has_no_port()
{
	require_cxr
	run_python /cxr/selftests/vm/lag_qps.py no-port "$(bdf_of_port 1)"
}

nothing_left() { [ "$(emu status | sed -n '/^function a/,/objects:/p' | grep -c "objects: 0$")" = 2 ]; }

# A refused command is rolled back completely: what is left would be reported on unload. The first hash table has been made when the
# second of its objects is refused; the first root is that of the RX table.
refused_step()
{
	local what nth before

	require_cxr
	ktap_spoilt
	before=$(emu status | grep '^violations:')
	bond balance-xor
	wait_until 20 state_is "^spread over bond0"
	while read -r what nth; do
		emu fault a0 command "$what" status bad_param "nth=$nth" >/dev/null
		hash_policy $HASHES
		echo "$what $nth"
		wait_until 20 state_is "^off: the device refused"
		wait_until 20 is_pair
		emu fault list | grep "command $what .*done 1$"
		emu fault clear >/dev/null
		hash_policy layer2
		wait_until 20 state_is "^spread over bond0"
	done <<-END
		create_general_object	1
		create_general_object	2
		create_flow_table	1
		create_flow_group	1
		set_fte			1
		set_flow_table_root	2
		create_lag		1
	END
	unbond
	wait_until 20 is_pair
	driver_unload
	nothing_left
	[ "$(emu status | grep '^violations:')" = "$before" ] || { emu violations; fail "objects were not destroyed"; }
}

ktap_setup setup_no_lag
ktap_test pair "without a bond each port has its own RDMA device" two_devices
ktap_setup setup_lag balance-xor
ktap_test spread "the bond does not hash L4 ports: QPs get ports in turn" no_l4_hash
ktap_test begins "the bond starts to hash L4 ports: hash mode" hash_begins
ktap_setup setup_lag balance-xor $HASHES
ktap_test no-port "hash mode: a QP has no port of its own" qp_has_no_port
ktap_test ends "the bond stops hashing L4 ports: spread mode" hash_ends
ktap_setup setup_no_lag
ktap_test ports "the ports of the card have their numbers" port_names
ktap_test enters.balance-xor "balance-xor with layer3+4: one RDMA device, in hash mode" enters_hashing balance-xor
ktap_setup setup_lag balance-xor $HASHES
ktap_test connections "hash mode: each connection uses one port, both ports are used" one_port_each
ktap_test v1 "hash mode: RoCE v1 uses one port" roce_v1
ktap_test moves "hash mode: connections move off a failed port" moves
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test survives "hash mode: traffic survives port failures, no GID moves" survives
ktap_test leaves.balance-xor "balance-xor: two RDMA devices again when the bond is deleted" leaves
ktap_setup setup_no_lag
ktap_test enters.802.3ad "802.3ad with layer3+4: one RDMA device, in hash mode" enters_hashing 802.3ad
ktap_setup setup_lag 802.3ad $HASHES
ktap_test leaves.802.3ad "802.3ad: two RDMA devices again when the bond is deleted" leaves
ktap_setup setup_no_lag
ktap_test refused "hash mode: a refused command is rolled back completely" refused_step
ktap_finally teardown_lag
ktap_end
