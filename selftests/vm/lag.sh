#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# RoCE LAG: both ports of a card in a bond are one RDMA device, which survives the failure of a port;
# all ways to enter and leave it, and what is refused. The same without a bond: ECMP LAG.
# guests: 2
# takes: 600
# turn: yes
# functions: 2
# drivers: cxr mlx5
# timeout: 1800
# long: 7200
# windows: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/lag.sh"
. "$(dirname "$0")/../lib/lag_storm.sh"

QPS=/cxr/selftests/vm/lag_qps.py
RAW_PORT=7003

spread()
{
	require_cxr
	run_python $QPS spread "$(bdf_of_port 1)"
}

# A QP with a flow label gets the port that the bond selects for UDP with these addresses and ports.
labels()
{
	require_cxr
	ktap_spoilt
	ip link set bond0 type bond xmit_hash_policy layer3+4
	wait_until 20 is_lag
	run_python $QPS labels "$(bdf_of_port 1)" "$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")" "$(my_ip 9)" "$(guest_ip b 9)" \
		"$(driver_netdev 0)" "$(driver_netdev 1)"
}

# State, MTU and rate of the RDMA port are those of the bond. With an active slave, its port fails first.
follows()
{
	local mtu sum=1 first=0 other

	has_mtu 1024
	for mtu in 4200 1500; do
		peer "ip link set bond0 mtu $mtu"
		ip link set bond0 mtu $mtu
		wait_until 10 has_mtu $((mtu == 1500 ? 1024 : 4096))
	done
	if bond_has mode active-backup; then
		bond_has active_slave "$(driver_netdev 0)" || first=1
	else
		sum=2
	fi
	other=$((1 - first))
	has_rate $((sum * $(port_speed)))
	set_link_wait $first down
	if bond_has mode active-backup; then bond_has active_slave "$(driver_netdev $other)"; fi
	wait_until 10 has_rate "$(port_speed $other)"
	wait_until 10 has_state mlx5_bond_0 "4: ACTIVE"
	set_link $other down
	wait_until 10 has_state mlx5_bond_0 "1: DOWN"
	set_link $first up
	wait_until 10 has_state mlx5_bond_0 "4: ACTIVE"
	set_link $other up
	wait_until 20 lacp_ready
	wait_until 10 has_rate $((sum * $(port_speed)))
}
has_mtu() { ibv_devinfo -d mlx5_bond_0 | grep -q "active_mtu:[[:space:]]*$1 "; }
port_speed() { cat "/sys/class/net/$(driver_netdev "${1:-0}")/speed"; } # in Mb/s
# Mb/s; the in-tree driver has the speed of one port
has_rate() { [ "$CXR_DRIVER" != cxr ] || [ "$(cut -d ' ' -f 1 /sys/class/infiniband/mlx5_bond_0/ports/1/rate)000" = "$1" ]; }

SLAVE_ADDRESS=10.79.0.1

has_gid() { gid_index mlx5_bond_0 v2 "$1" >/dev/null; } # ADDRESS
has_no_gid() { ! has_gid "$1"; } # ADDRESS

# ib_core looks at addresses in the order in which they come: when that of the bond has a GID, it knows of those before
bond_address_known()
{
	ip addr add 10.79.1.1/24 dev bond0
	wait_until 10 has_gid 10.79.1.1
	ip addr del 10.79.1.1/24 dev bond0
	wait_until 10 has_no_gid 10.79.1.1
}

# Up to 6.11 a driver cannot remove them
gids_can_go() { ! [[ $(uname -r) =~ ^6\.([0-9]|1[01])\. ]] || skip "this ib_core keeps GIDs of a slave that is active no more"; }

# An address of the active slave has a GID, while it is that
slave_addresses()
{
	local active=0 dev

	gids_can_go
	bond_has active_slave "$(driver_netdev 0)" || active=1
	dev=$(driver_netdev $active)
	ip addr add $SLAVE_ADDRESS/24 dev "$dev"
	wait_until 10 has_gid $SLAVE_ADDRESS
	set_link_wait $active down
	bond_has active_slave "$(driver_netdev $((1 - active)))"
	wait_until 10 has_no_gid $SLAVE_ADDRESS
	wait_until 10 bond_gid_exists
	set_link_wait $active up
	set_link_wait $((1 - active)) down
	wait_until 10 has_gid $SLAVE_ADDRESS
	set_link_wait $((1 - active)) up
	set_link_wait $active down
	ip addr del $SLAVE_ADDRESS/24 dev "$dev"
	bond_address_known
	has_no_gid $SLAVE_ADDRESS
	set_link_wait $active up
}

# The in-tree driver has those of the first port
no_slave_addresses()
{
	local n

	for n in 0 1; do ip addr add 10.79.$((2 + n)).1/24 dev "$(driver_netdev $n)"; done
	bond_address_known
	case $CXR_DRIVER in
	cxr) has_no_gid 10.79.2.1 ;;
	*) has_gid 10.79.2.1 ;;
	esac
	has_no_gid 10.79.3.1
	for n in 0 1; do ip addr del 10.79.$((2 + n)).1/24 dev "$(driver_netdev $n)"; done
}

# Frames that a program's rule names come from both ports, all others reach the netdev of their port. Each port has a cable.
raw()
{
	local n

	trap 'for n in 0 1; do peer_kill raw$n; done' EXIT
	for n in 0 1; do
		peer_serves raw$n "tcp_listens $((RAW_PORT + n))" \
			"python3 -B selftests/lib/frames.py serve $((RAW_PORT + n)) \$(driver_netdev $n)"
	done
	run_python /cxr/selftests/vm/lag_raw.py b $RAW_PORT "$(driver_netdev 0)" $((RAW_PORT + 1)) "$(driver_netdev 1)"
}

# ---- what is refused -------------------------------------------------------------------------------

refused() # REASON: there are two RDMA devices, lag_state and the log have the reason
{
	wait_until 20 state_is "^off: $1"
	wait_until 20 is_pair
	kmsg | grep -q "no RoCE LAG: $1"
}

foreign_slave()
{
	require_cxr
	ktap_spoilt
	bond active-backup
	wait_until 20 is_lag
	ip link add lagd0 type dummy
	ip link set lagd0 master bond0
	refused "the bond has slaves that are not ports of this card"
	ip link set lagd0 nomaster
	ip link del lagd0
	wait_until 20 is_lag
}

wrong_mode()
{
	require_cxr
	ktap_spoilt
	bond balance-rr
	refused "the bond's mode is not 1, 2 or 4"
}

two_bonds()
{
	require_cxr
	ktap_spoilt
	bond active-backup
	wait_until 20 is_lag
	ip link add bond1 type bond mode active-backup
	ip link set "$(driver_netdev 1)" down
	ip link set "$(driver_netdev 1)" master bond1
	refused "the ports are in different bonds"
}

lag_enable()
{
	local attr

	require_cxr
	ktap_spoilt
	attr=/sys/bus/pci/drivers/cxr_core/$(bdf_of_port 2)/roce_lag_enable
	[ "$(cat "$attr")" = 1 ]
	bond active-backup
	wait_until 20 is_lag
	echo 0 >"$attr"
	state_is "^off: roce_lag_enable is 0"	# at once
	is_pair
	must_fail sh -c "echo 2 >$attr"
	must_fail sh -c "echo yes >$attr"
	[ "$(cat "$attr")" = 0 ]
	echo 1 >"$attr"
	is_lag
	echo 0 >"$attr"
	unbond
	bond active-backup
	refused "roce_lag_enable is 0"
	echo 1 >"$attr"
	is_lag
}

# ---- events in a LAG -------------------------------------------------------------------------------

# A function is unbound in a LAG, and bound again.
unbind_in_lag() # PORT
{
	local bdf

	require_cxr
	ktap_spoilt
	bdf=$(bdf_of_port "$1")
	bond active-backup
	wait_until 20 is_lag
	echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind
	[ "$(driver_ibdevs | wc -l)" = 1 ]
	must_fail is_lag
	echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind
	unbond
	wait_until 20 is_pair
}

# Both functions as those of cards with these faults
rebind_with() # FAULT-OF-PORT-1 FAULT-OF-PORT-2
{
	local bdf drv=/sys/bus/pci/drivers/cxr_core

	for bdf in $(driver_bdfs); do echo "$bdf" >$drv/unbind; done
	emu fault clear >/dev/null
	[ -z "$1" ] || emu fault a0 "$1" >/dev/null
	[ -z "$2" ] || emu fault a1 "$2" >/dev/null
	for bdf in $(driver_bdfs); do echo "$bdf" >$drv/bind; done
	wait_until 20 both_netdevs
	wait_until 20 is_pair
	driver_net_up
}

# Cards whose firmware asks who owns a function have a LAG only for one owner.
owned()
{
	require_cxr
	ktap_spoilt
	rebind_with "cap sw_owner_id 1" "cap sw_owner_id 1"
	bond active-backup
	wait_until 20 is_lag
	unbond
	wait_until 20 is_pair
	rebind_with "" ""
}

# Functions that do not belong together, as far as the driver knows: each works without LAG.
no_pair() # REGEX FAULT-OF-PORT-1 FAULT-OF-PORT-2
{
	require_cxr
	ktap_spoilt
	rebind_with "$2" "$3"
	kmsg_has "no RoCE LAG: $1"
	grep "^off: $1$" "/sys/bus/pci/drivers/cxr_core/$(bdf_of_port 2)/lag_state"
	bond active-backup
	is_pair
	unbond
	rebind_with "" ""
	bond active-backup
	wait_until 20 is_lag
	unbond
	wait_until 20 is_pair
}

reload_in_lag()
{
	require_cxr
	ktap_spoilt
	bond active-backup
	wait_until 20 is_lag
	devlink dev reload "pci/$(bdf_of_port 1)"
	wait_until 20 is_pair
	unbond
	bond active-backup
	wait_until 20 is_lag
}

# Each function in turn is reset: the bond keeps its slave, and the LAG comes back.
reset_in_lag()
{
	local port

	require_cxr
	ktap_spoilt
	for port in 1 2; do
		traffic_start traffic wait=5
		wait_traffic
		echo 1 >"/sys/bus/pci/devices/$(bdf_of_port $port)/reset"
		traffic_must_fail
		kmsg_has "RoCE LAG over bond0 removed"
		wait_until 20 slave_is $((port - 1)) up
		wait_lag
		traffic + op=send sizes=64,65536 count=8
	done
}

# A slave that moves to another namespace leaves the bond. A bond in another namespace is no LAG. Deleting the namespace returns the
# ports.
namespaces()
{
	local dev port both

	require_cxr
	ktap_spoilt
	both=$(driver_netdevs)
	for port in 0 1; do
		dev=$(driver_netdev $port)
		bond active-backup
		wait_until 20 is_lag
		ip netns add lagns
		ip link set "$dev" netns lagns
		wait_until 20 is_pair
		state_is "^off: a port is not in "
		ip netns del lagns
		wait_until 20 netdev_is_there "$dev"
		ip link set "$dev" master bond0
		wait_until 20 is_lag
		unbond
		wait_until 20 is_pair
	done
	ip netns add lagns
	for dev in $both; do ip link set "$dev" down; ip link set "$dev" netns lagns; done
	ip netns exec lagns ip link add bond0 type bond mode active-backup miimon 20
	for dev in $both; do ip netns exec lagns ip link set "$dev" master bond0; done
	ip netns exec lagns ip link set bond0 up
	wait_until 20 state_is "^off: a port is not in the initial network namespace"
	is_pair
	ip netns del lagns
	for dev in $both; do wait_until 20 netdev_is_there "$dev"; done
	bond active-backup
	wait_until 20 is_lag
}
netdev_is_there() { [ -e "/sys/class/net/$1" ]; }

# mlx5 clears a GID's table entry while QPs send from it, which the emulator reports.
require_kept_gids() { [ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver clears GIDs that QPs use"; }

delete_bond()
{
	require_kept_gids
	ktap_spoilt
	traffic_start traffic wait=5
	wait_traffic
	ip link del bond0
	wait_until 30 is_pair
	traffic_must_fail
}

# The module waits for all references to its bonds, and holds a lock that blocks (un)registration of netdevice notifiers.
unload_bonding()
{
	require_kept_gids
	ktap_spoilt
	traffic_start traffic wait=5
	wait_traffic
	rm -f /tmp/rmmod
	{ rmmod bonding && echo gone >/tmp/rmmod; } &
	wait_until 30 test -s /tmp/rmmod || fail "rmmod bonding hangs: $(cat "/proc/$(pgrep -x rmmod)/stack")"
	wait_until 30 is_pair
	traffic_must_fail
}

unload_in_lag()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver leaves the LAG in the device"
	bond active-backup
	wait_until 20 is_lag
	driver_unload
	ip link del bond0
	driver_load
	driver_net_up
	wait_until 20 is_pair
}

# ---- ECMP LAG --------------------------------------------------------------------------------------

ecmp_attr() { echo "/sys/class/net/$(driver_netdev "${1:-0}")/device/roce_lag_ecmp_dev"; }
parent() { cat "$(ecmp_attr "${1:-0}")"; }
mac_of() { cat "/sys/class/net/$1/address"; }
has_map() { state_is "^ecmp over .*, ports $1\$"; }

# The RDMA device with a GID of this address
ibdev_with()
{
	local d

	for d in $(driver_ibdevs); do
		if gid_index "$d" v2 "$1" >/dev/null 2>&1; then echo "$d"; return; fi
	done
	return 1
}

# The parent has the addresses, and a neighbour entry for the peer in place of a router. The peer uses one port. The MAC of the
# parent is that of port 1, so that this host can reach itself.
make_parent() # NAME PEER-MAC
{
	modprobe dummy numdummies=0
	ip link add "$1" address "$(mac_of "$(driver_netdev 0)")" type dummy
	ip link set "$1" arp on up
	ip addr add "$(my_ip 9)/24" dev "$1"
	ip neigh replace "$(guest_ip b 9)" lladdr "$2" dev "$1" nud permanent
}

# Runs on the peer: give its port the address; prints its MAC and RDMA device
peer_joins()
{
	ip addr replace "$(my_ip 9)/24" dev "$(driver_netdev)"
	wait_until 20 ibdev_with "$(my_ip 9)" >/dev/null
	echo "$(mac_of "$(driver_netdev)") $(ibdev_with "$(my_ip 9)")"
}

peer_sends_to() { peer "ip neigh replace $(my_ip 9) lladdr $1 dev \$(driver_netdev) nud permanent"; }

# In the adapter's address table each entry of the first half has a duplicate in the second; each half has its own MAC. MAC MAC
doubles()
{
	emu gids a0 | awk -v one="$1" -v two="$2" '
		$1 !~ /^[0-9]+$/ { next }
		$1 < 127 { n++; first[$1] = $2 $3 $5; if ($4 != one) bad = 1 }
		$1 >= 127 { m++; if ($4 != two || first[$1 - 127] != $2 $3 $5) bad = 1 }
		END { exit bad || n != m || n < 2 }'
}

# Enter an ECMP LAG over ecmp0
ecmp_join()
{
	peer ". selftests/lib/lag.sh; $(declare -f mac_of ibdev_with peer_joins); peer_joins" >/tmp/ecmp.peer
	read -r peer_mac _ </tmp/ecmp.peer
	make_parent ecmp0 "$peer_mac"
	[ "$(parent)" = "" ]
	echo ecmp0 >"$(ecmp_attr 1)"
	is_lag			# at once
	wait_until 20 bond_gid_exists
}

# Set-up: in an ECMP LAG
setup_ecmp()
{
	require_cxr
	setup_no_lag
	ecmp_join
}

# For tests of ECMP LAG: netdevs and MACs by port, the peer's MAC and RDMA device
before_each()
{
	local n

	for n in 1 2; do
		netdev[n]=$(driver_netdev $((n - 1)))
		[ -z "${netdev[n]}" ] || mac[n]=$(mac_of "${netdev[n]}")
	done
	if [ -e /tmp/ecmp.peer ]; then read -r peer_mac peer_dev </tmp/ecmp.peer; fi
}
netdev=() mac=()

ecmp_enters()
{
	require_cxr
	ktap_spoilt
	ecmp_join
	[ "$(parent 0)" = ecmp0 ]
	[ "$(parent 1)" = ecmp0 ]
	cat "$(state_file)"
	has_map "1 2"
	[ "$(echo /sys/class/infiniband/mlx5_bond_0/ports/1/gids/* | wc -w)" = 127 ]
	ibv_devinfo -v -d mlx5_bond_0 | grep "gid_tbl_len:[[:space:]]*127$"
	emu gids a0
	doubles "${mac[1]}" "${mac[2]}"
}

ecmp_traffic() # NAME=VALUE... [+ NAME=VALUE...]
{
	traffic "peer_dev=$peer_dev" "netdev=${netdev[1]}" "$@"
}

# The port of the next connection: not the one that a connection gets now
next_port()
{
	local before

	before=$(frames_sent 1)
	ecmp_traffic op=write sizes=4096 count=16 >&2 || return
	if [ $(($(frames_sent 1) - before)) -ge 60 ]; then echo 1; else echo 2; fi
}

# A connection on this port: all its packets have the port's MAC and are sent by it. PORT
send_by_port()
{
	local before after

	before=("$(frames_sent 0)" "$(frames_sent 1)")
	ecmp_traffic op=write sizes=4096 count=16 "window=min=60 to=$peer_mac smac=${mac[$1]}"
	after=("$(frames_sent 0)" "$(frames_sent 1)")
	echo "port $1, ${mac[$1]}; sent before: ${before[*]}, after: ${after[*]}"
	[ $((after[$1 - 1] - before[$1 - 1])) -ge 60 ]
	[ $((after[2 - $1] - before[2 - $1])) -lt 30 ]
}

ecmp_macs()
{
	local port before

	peer_sends_to "${mac[1]}"
	port=$(next_port)
	send_by_port "$port"
	# UD QPs always use port 1.
	before=$(frames_sent 0)
	ecmp_traffic op=datagram sizes=1024 count=16 "window=min=16 to=$peer_mac smac=${mac[1]}"
	[ $(($(frames_sent 0) - before)) -ge 16 ]
	send_by_port $((3 - port))
}

# Two connected QPs of this host on different ports, by the host's own address; and the path that query_qp returns
ecmp_loopback() { run_python $QPS itself "$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")"; }

# PORT sends the traffic, with its own MAC
sends_as() # PORT ASSIGNED-PORT
{
	wait_until 30 sent_at_least $(($1 - 1)) $(($(frames_sent $(($1 - 1))) + 20))
	window_frame "begin min=8 to=$peer_mac smac=${mac[$1]} : port $1 sends for port $2" "${netdev[$1]}"
	wait_until 30 sent_at_least $(($1 - 1)) $(($(frames_sent $(($1 - 1))) + 20))
	window_frame end "${netdev[$1]}"
}

# The port of a connection fails: the other one sends, with its own MAC, until the port is back. The peer sends to the surviving
# port, as a router would.
fails_over() # PORT
{
	local other=$((3 - $1))

	peer_sends_to "${mac[other]}"
	[ "$(next_port)" = "$1" ] || ecmp_traffic op=write sizes=64 count=1
	traffic_start ecmp_traffic
	sends_as "$1" "$1"
	set_link $(($1 - 1)) down
	wait_until 20 has_map "$other $other"
	doubles "${mac[other]}" "${mac[other]}"
	sends_as "$other" "$1"
	set_link $(($1 - 1)) up
	wait_until 20 has_map "1 2"
	doubles "${mac[1]}" "${mac[2]}"
	sends_as "$1" "$1"
	traffic_stop
}

# Connections must survive: the GID stays, and its table entries get the new MAC.
ecmp_new_mac()
{
	ip link set "${netdev[2]}" address 02:00:5e:10:00:01
	wait_until 10 doubles "${mac[1]}" 02:00:5e:10:00:01
	ip link set "${netdev[2]}" address "${mac[2]}"
	wait_until 10 doubles "${mac[1]}" "${mac[2]}"
}

ecmp_leaves()
{
	ktap_spoilt
	echo >"$(ecmp_attr)"
	is_pair			# at once
	[ "$(parent)" = "" ]
	state_is "^off: a port is not in a bond"
	echo "" >"$(ecmp_attr)"	# writing it again is no error
}

write_refused() # NAME ERROR REASON
{
	local out

	if out=$( (echo "$1" >"$(ecmp_attr)") 2>&1); then fail "'$1' was accepted"; fi
	echo "$out"
	grep -q "write error: $2" <<<"$out"
	kmsg_has "roce_lag_ecmp_dev: '$1' is refused: $3"
}

ecmp_refused() # NAME ERROR REASON: and there are still two RDMA devices
{
	write_refused "$@"
	state_is "^off: roce_lag_ecmp_dev: $3"
	[ "$(parent)" = "" ]
	is_pair
}

ecmp_refusals()
{
	local enable

	require_cxr
	ktap_spoilt
	make_parent ecmp0 02:00:5e:10:00:02
	[ "$(parent)" = "" ]
	enable=/sys/bus/pci/drivers/cxr_core/$(bdf_of_port 2)/roce_lag_enable
	ecmp_refused nosuch0 "No such device" "there is no interface of that name"
	ecmp_refused longer-than-names-are "No such device" "there is no interface of that name"
	ecmp_refused "$(driver_netdev 1)" "Invalid argument" "that interface is a port of this card"
	ecmp_refused lo "Invalid argument" "that interface is not Ethernet"
	echo 0 >"$enable"
	ecmp_refused ecmp0 "Operation not permitted" "roce_lag_enable is 0"
	echo 1 >"$enable"
	emu fault a0 command create_lag status bad_param >/dev/null
	ecmp_refused ecmp0 "Input/output error" "the device refused"
	# A bond of the ports
	bond active-backup
	wait_until 20 is_lag
	write_refused ecmp0 "Device or resource busy" "a port is in a bond, and roce_lag_ecmp_dev is set"
	is_lag
	state_is "^active-backup over bond0"
	unbond
	wait_until 20 is_pair
	# A second parent
	echo ecmp0 >"$(ecmp_attr)"
	is_lag
	ip link add ecmp2 type dummy
	write_refused ecmp2 "Device or resource busy" "roce_lag_ecmp_dev names another interface already"
	is_lag
	[ "$(parent)" = ecmp0 ]
	echo ecmp0 >"$(ecmp_attr 1)"	# the same name again is no error
	ip link del ecmp2
}

# Events of the parent, the ports and their functions in an ECMP LAG
ecmp_life()
{
	local enable bdf n

	ktap_spoilt
	enable=/sys/bus/pci/drivers/cxr_core/$(bdf_of_port 2)/roce_lag_enable
	ip link set ecmp0 down
	wait_until 10 has_state mlx5_bond_0 "1: DOWN"
	ip link set ecmp0 name ecmp1
	[ "$(parent)" = ecmp1 ]
	ip link set ecmp1 name ecmp0
	ip link set ecmp0 up
	wait_until 10 is_lag
	echo 0 >"$enable"
	is_pair
	state_is "^off: roce_lag_enable is 0"
	[ "$(parent)" = ecmp0 ]
	echo 1 >"$enable"
	is_lag
	bond active-backup
	wait_until 20 state_is "^off: a port is in a bond, and roce_lag_ecmp_dev is set"
	is_pair
	unbond
	wait_until 20 is_lag
	for n in 1 2; do
		bdf=$(bdf_of_port $n)
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind
		must_fail is_lag
		[ "$(driver_ibdevs | wc -l)" = 1 ]
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind
		driver_net_up
		wait_until 20 is_lag
	done
	devlink dev reload "pci/$(bdf_of_port 1)"
	driver_net_up
	wait_until 20 is_lag
}

# Each port in turn: the ECMP LAG is back when the port is.
ecmp_namespaces()
{
	local n dev

	ktap_spoilt
	for n in 0 1; do
		dev=$(driver_netdev $n)
		ip netns add lagns
		ip link set "$dev" netns lagns
		wait_until 20 state_is "^off: a port is not in the initial network namespace"
		is_pair
		[ "$(cat "/sys/bus/pci/devices/$(bdf_of_port 1)/roce_lag_ecmp_dev")" = ecmp0 ]
		ip netns del lagns
		wait_until 20 netdev_is_there "$dev"
		driver_net_up
		wait_until 20 is_lag
	done
}

no_parent() { [ "$(parent)" = "" ] && is_pair; }

ecmp_no_parent()
{
	ktap_spoilt
	ip netns add ecmpns
	ip link set ecmp0 netns ecmpns
	wait_until 20 no_parent
	ip netns exec ecmpns ip link set ecmp0 netns 1
	ip netns del ecmpns
	ip link set ecmp0 up
	echo ecmp0 >"$(ecmp_attr)"
	is_lag
	timeout 30 ip link del ecmp0
	wait_until 20 no_parent
	state_is "^off: a port is not in a bond"
}

ecmp_unload()
{
	driver_unload
	timeout 30 ip link del ecmp0
	driver_load
	driver_net_up
	wait_until 20 is_pair
	[ "$(parent)" = "" ]
}

ktap_setup setup_no_lag
ktap_test pair "without a bond each port has its own RDMA device" two_devices
ktap_test enters.active-backup "active-backup: one RDMA device instead of two" enters active-backup
ktap_setup setup_lag active-backup
ktap_test follows.active-backup "active-backup: state, MTU and rate follow the bond" follows
ktap_test addresses.active-backup "active-backup: addresses of the active slave have GIDs, those of the other one have none" slave_addresses
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test survives.active-backup "active-backup: traffic survives port failures, no GID moves" survives
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test tools.active-backup "active-backup: ib_send_bw and ib_write_bw survive port failures" tools_survive
ktap_test moves.active-backup "active-backup: connections move off a failed port" moves
ktap_test leaves.active-backup "active-backup: two RDMA devices again when the bond is deleted" leaves
ktap_setup setup_lag active-backup
ktap_test goes "active-backup: the bond is deleted under traffic" delete_bond
ktap_test reset "a function is reset in a LAG under traffic: the LAG comes back" reset_in_lag
ktap_test module.active-backup "active-backup: the bonding module is unloaded under traffic" unload_bonding

ktap_setup setup_no_lag
ktap_test enters.balance-xor "balance-xor: one RDMA device instead of two" enters balance-xor
ktap_setup setup_lag balance-xor
ktap_test follows.balance-xor "balance-xor: state, MTU and rate follow the bond" follows
ktap_test addresses.balance-xor "balance-xor: addresses of the slaves have no GIDs" no_slave_addresses
ktap_test spread.balance-xor "balance-xor: 64 QPs are spread evenly" spread
ktap_test carry.balance-xor "balance-xor: both ports carry traffic" both_ports_carry
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test survives.balance-xor "balance-xor: traffic survives port failures, no GID moves" survives
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test tools.balance-xor "balance-xor: ib_send_bw and ib_write_bw survive port failures" tools_survive
ktap_test moves.balance-xor "balance-xor: connections move off a failed port" moves
ktap_test leaves.balance-xor "balance-xor: two RDMA devices again when the bond is deleted" leaves
ktap_test labels "balance-xor: a QP with a flow label gets the port of the bond's hash" labels
ktap_test module.balance-xor "balance-xor: the bonding module is unloaded under traffic" unload_bonding

ktap_setup setup_no_lag
ktap_test enters.802.3ad "802.3ad: one RDMA device instead of two" enters 802.3ad
ktap_setup setup_lag 802.3ad
ktap_test follows.802.3ad "802.3ad: state, MTU and rate follow the bond" follows
ktap_test spread.802.3ad "802.3ad: 64 QPs are spread evenly" spread
ktap_test carry.802.3ad "802.3ad: both ports carry traffic" both_ports_carry
ktap_test raw "802.3ad: a raw packet QP gets frames of its rule from both ports, the interfaces all others" raw
KTAP_TIMEOUT=$((240 + 8 * FLIPS)) ktap_test survives.802.3ad "802.3ad: traffic survives port failures, no GID moves" survives
KTAP_TIMEOUT=$((240 + 8 * FLIPS)) ktap_test tools.802.3ad "802.3ad: ib_send_bw and ib_write_bw survive port failures" tools_survive
ktap_test moves.802.3ad "802.3ad: connections move off a failed port" moves
ktap_test leaves.802.3ad "802.3ad: two RDMA devices again when the bond is deleted" leaves

ktap_setup setup_no_lag
ktap_test refuses.foreign-slave "a bond with a foreign slave is refused until the slave leaves" foreign_slave
ktap_test refuses.mode "an unsupported bond mode is refused" wrong_mode
ktap_test refuses.two-bonds "ports in two bonds are refused" two_bonds
ktap_test enable "roce_lag_enable takes effect at once" lag_enable
ktap_test rebind.1 "the function of port 1 is unbound in a LAG and bound again" unbind_in_lag 1
ktap_test rebind.2 "the function of port 2 is unbound in a LAG and bound again" unbind_in_lag 2
ktap_test reload "a devlink reload ends the LAG" reload_in_lag
ktap_test namespaces "ports and bonds move to network namespaces, which are then deleted" namespaces
ktap_test owned "functions whose firmware asks for an owner have the same one" owned
ktap_test no-pair.port "two functions have the same port of a card: the second works without LAG" no_pair "another function has this port of the card" "" "cap native_port_num 1"
ktap_test no-pair.guid "functions without a system image GUID work without LAG" no_pair "the card has no system image GUID" noguid noguid
ktap_test unload "the driver unloads in a LAG" unload_in_lag

ktap_test ecmp.enters "roce_lag_ecmp_dev: one RDMA device without a bond, half the GIDs, two table entries each" ecmp_enters
ktap_setup setup_ecmp
ktap_test ecmp.macs "ECMP LAG: packets have the MAC of the port that sends them" ecmp_macs
ktap_test ecmp.itself "ECMP LAG: the host reaches itself, and query_qp returns the GID's index" ecmp_loopback
KTAP_TIMEOUT=180 ktap_test ecmp.survives.2 "ECMP LAG: port 2 fails, and port 1 sends with its own MAC until port 2 is back" fails_over 2
KTAP_TIMEOUT=180 ktap_test ecmp.survives.1 "ECMP LAG: port 1 fails, and port 2 sends with its own MAC until port 1 is back" fails_over 1
ktap_test ecmp.mac "ECMP LAG: table entries follow a port's MAC" ecmp_new_mac
ktap_test ecmp.leaves "ECMP LAG: an empty write leaves it" ecmp_leaves
KTAP_TIMEOUT=240 ktap_test ecmp.life "ECMP LAG: renames, bonds, unbind and reload" ecmp_life
ktap_test ecmp.namespaces "ECMP LAG: suspended while a port is in another network namespace" ecmp_namespaces
ktap_test ecmp.parent "ECMP LAG: the parent moves away or is deleted" ecmp_no_parent
ktap_test ecmp.unload "the driver unloads in an ECMP LAG" ecmp_unload
ktap_setup setup_no_lag
ktap_test ecmp.refusals "roce_lag_ecmp_dev: a refusal sets errno, log message and lag_state" ecmp_refusals

KTAP_TIMEOUT=$((120 + 3 * STORM)) ktap_test storm "random changes of bonds, parents, links and functions under traffic leave nothing behind" storm
ktap_finally teardown_lag
ktap_end
