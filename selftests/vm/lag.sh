#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# RoCE LAG: both ports of a card in one bond are one RDMA device, which outlives the loss of a port;
# every way in, every way out, and what is refused. The same without a bond: ECMP LAG.
# guests: 2
# takes: 600
# functions: 2
# drivers: cxr mlx5
# timeout: 1800
# long: 7200
# windows: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/lag.sh"

STORM=${CXR_LONG:+1000}
STORM=${STORM:-30}

QPS=/cxr/selftests/vm/lag_qps.py

spread()
{
	ours
	run_python $QPS spread "$(function_of 1)"
}

# Queue pairs to the peer with a flow label get the port by which the bond sends UDP of these addresses and ports.
labels()
{
	ours
	ktap_spoilt
	ip link set bond0 type bond xmit_hash_policy layer3+4
	wait_until 20 is_lag
	run_python $QPS labels "$(function_of 1)" "$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")" "$(my_ip 9)" "$(guest_ip b 9)" \
		"$(driver_netdev 0)" "$(driver_netdev 1)"
}

# What the port of the one device tells is what the bond tells. First the port fails that carries, if one does alone.
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
	link_heard $first down
	if bond_has mode active-backup; then bond_has active_slave "$(driver_netdev $other)"; fi
	wait_until 10 has_rate "$(port_speed $other)"
	wait_until 10 has_state mlx5_bond_0 "4: ACTIVE"
	link $other down
	wait_until 10 has_state mlx5_bond_0 "1: DOWN"
	link $first up
	wait_until 10 has_state mlx5_bond_0 "4: ACTIVE"
	link $other up
	wait_until 20 both_used
	wait_until 10 has_rate $((sum * $(port_speed)))
}
has_mtu() { ibv_devinfo -d mlx5_bond_0 | grep -q "active_mtu:[[:space:]]*$1 "; }
port_speed() { cat "/sys/class/net/$(driver_netdev "${1:-0}")/speed"; } # in Mb/s
# Mb/s; the kernel's own driver has the speed of one port
has_rate() { [ "$CXR_DRIVER" != cxr ] || [ "$(cut -d ' ' -f 1 /sys/class/infiniband/mlx5_bond_0/ports/1/rate)000" = "$1" ]; }

# ---- what is refused -------------------------------------------------------------------------------

refused() # REASON: there are two devices, the attribute and the log say why
{
	wait_until 20 state_is "^off: $1"
	wait_until 20 is_pair
	dmesg | awk '/cxr-test: / { t = "" } { t = t "\n" $0 } END { print t }' | grep -q "no RoCE LAG: $1"
}

foreign_slave()
{
	ours
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
	ours
	ktap_spoilt
	bond balance-rr
	refused "the bond's mode is not 1, 2 or 4"
}

two_bonds()
{
	ours
	ktap_spoilt
	bond active-backup
	wait_until 20 is_lag
	ip link add bond1 type bond mode active-backup
	ip link set "$(driver_netdev 1)" down
	ip link set "$(driver_netdev 1)" master bond1
	refused "the ports are in different bonds"
}

switched_off()
{
	local attr

	ours
	ktap_spoilt
	attr=/sys/bus/pci/drivers/cxr_core/$(function_of 2)/roce_lag_enable
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

# ---- what may happen -------------------------------------------------------------------------------

# A function without its driver, in a LAG; then it comes back.
function_goes() # PORT
{
	local bdf

	ours
	ktap_spoilt
	bdf=$(function_of "$1")
	bond active-backup
	wait_until 20 is_lag
	echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind
	[ "$(driver_ibdevs | wc -l)" = 1 ]
	must_fail is_lag
	echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind
	unbond
	wait_until 20 is_pair
}

reload_in_lag()
{
	ours
	ktap_spoilt
	bond active-backup
	wait_until 20 is_lag
	devlink dev reload "pci/$(function_of 1)"
	wait_until 20 is_pair
	unbond
	bond active-backup
	wait_until 20 is_lag
}

# A slave that leaves for another namespace leaves the bond, and a bond there is no LAG. The end of a namespace gives the ports back.
namespaces()
{
	local dev port both

	ours
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

# The kernel's own driver empties a GID's entry of the adapter under queue pairs that send by it, which the emulator tells of.
keeps_gids() { [ "$CXR_DRIVER" = cxr ] || skip "the kernel's own driver takes the GID from queue pairs that send by it"; }

bond_goes()
{
	keeps_gids
	ktap_spoilt
	traffic_starts traffic wait=5
	flows
	ip link del bond0
	wait_until 30 is_pair
	traffic_breaks
}

# The module waits for all who have a reference on one of its bonds, with a lock that stops all who change what they hear of.
module_goes()
{
	keeps_gids
	ktap_spoilt
	traffic_starts traffic wait=5
	flows
	rm -f /tmp/rmmod
	{ rmmod bonding && echo gone >/tmp/rmmod; } &
	wait_until 30 test -s /tmp/rmmod || fail "rmmod bonding waits: $(cat "/proc/$(pgrep -x rmmod)/stack")"
	wait_until 30 is_pair
	traffic_breaks
}

unload_in_lag()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the kernel's own driver leaves its LAG to the device"
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

# The RDMA device that has this address
ibdev_with()
{
	local d

	for d in $(driver_ibdevs); do
		if gid_index "$d" v2 "$1" >/dev/null 2>&1; then echo "$d"; return; fi
	done
	return 1
}

# The parent stands for both ports: its addresses, and the way to the peer as a router would be the way. The peer has one port
# in this. The parent's own MAC is port 1's, so that this host finds itself.
make_parent() # NAME PEER-MAC
{
	modprobe dummy numdummies=0
	ip link add "$1" address "$(mac_of "$(driver_netdev 0)")" type dummy
	ip link set "$1" arp on up
	ip addr add "$(my_ip 9)/24" dev "$1"
	ip neigh replace "$(guest_ip b 9)" lladdr "$2" dev "$1" nud permanent
}

# What the tests ask of the peer: its port gets the address; MAC, device
peer_joins()
{
	ip addr replace "$(my_ip 9)/24" dev "$(driver_netdev)"
	wait_until 20 ibdev_with "$(my_ip 9)" >/dev/null
	echo "$(mac_of "$(driver_netdev)") $(ibdev_with "$(my_ip 9)")"
}

peer_sends_to() { peer "ip neigh replace $(my_ip 9) lladdr $1 dev \$(driver_netdev) nud permanent"; }

# The adapter's table: each entry of the first half has its double in the second, each half has its MAC. MAC MAC
doubles()
{
	emu gids a0 | awk -v one="$1" -v two="$2" '
		$1 !~ /^[0-9]+$/ { next }
		$1 < 128 { n++; first[$1] = $2 $3 $5; if ($4 != one) bad = 1 }
		$1 >= 128 { m++; if ($4 != two || first[$1 - 128] != $2 $3 $5) bad = 1 }
		END { exit bad || n != m || n < 2 }'
}

# Into an ECMP LAG over ecmp0
ecmp_join()
{
	peer ". selftests/lib/lag.sh; $(declare -f mac_of ibdev_with peer_joins); peer_joins" >/tmp/ecmp.peer
	read -r peer_mac _ </tmp/ecmp.peer
	make_parent ecmp0 "$peer_mac"
	[ "$(parent)" = "" ]
	echo ecmp0 >"$(ecmp_attr 1)"
	is_lag			# at once
	wait_until 20 gid_is_there
}

# A set-up: in an ECMP LAG
ecmp_in()
{
	ours
	lag_out
	ecmp_join
}

# For the tests of it: interfaces and MACs by port, the peer's MAC and device
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
	ours
	ktap_spoilt
	ecmp_join
	[ "$(parent 0)" = ecmp0 ]
	[ "$(parent 1)" = ecmp0 ]
	cat "$(state_file)"
	has_map "1 2"
	[ "$(echo /sys/class/infiniband/mlx5_bond_0/ports/1/gids/* | wc -w)" = 128 ]
	ibv_devinfo -v -d mlx5_bond_0 | grep "gid_tbl_len:[[:space:]]*128$"
	emu gids a0
	doubles "${mac[1]}" "${mac[2]}"
}

ecmp_traffic() # NAME=VALUE... [+ NAME=VALUE...]
{
	traffic "peer_dev=$peer_dev" "netdev=${netdev[1]}" "$@"
}

# Which port the next connection gets: the other one than that of a connection now
next_port()
{
	local before

	before=$(sent 1)
	ecmp_traffic op=write sizes=4096 count=16 >&2 || return
	if [ $(($(sent 1) - before)) -ge 60 ]; then echo 1; else echo 2; fi
}

# A connection by this port: all that it sends has the port's MAC, and leaves there. PORT
by_port()
{
	local before after

	before=("$(sent 0)" "$(sent 1)")
	ecmp_traffic op=write sizes=4096 count=16 "window=min=60 to=$peer_mac smac=${mac[$1]}"
	after=("$(sent 0)" "$(sent 1)")
	echo "port $1, ${mac[$1]}; sent before: ${before[*]}, after: ${after[*]}"
	[ $((after[$1 - 1] - before[$1 - 1])) -ge 60 ]
	[ $((after[2 - $1] - before[2 - $1])) -lt 30 ]
}

ecmp_macs()
{
	local port before

	peer_sends_to "${mac[1]}"
	port=$(next_port)
	by_port "$port"
	# Datagrams are port 1's; they take no turn.
	before=$(sent 0)
	ecmp_traffic op=datagram sizes=1024 count=16 "window=min=16 to=$peer_mac smac=${mac[1]}"
	[ $(($(sent 0) - before)) -ge 16 ]
	by_port $((3 - port))
}

# Two connected queue pairs of this host, each of another port, by the host's own address; what a query says of the path
ecmp_itself() { run_python $QPS itself "$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")"; }

# While traffic goes on, PORT sends it, under its MAC
sends_as() # PORT PORT-THAT-IT-WAS-GIVEN-TO
{
	wait_until 30 more_sent $(($1 - 1)) $(($(sent $(($1 - 1))) + 20))
	window_frame "begin min=8 to=$peer_mac smac=${mac[$1]} : port $1 carries what was given to port $2" "${netdev[$1]}"
	wait_until 30 more_sent $(($1 - 1)) $(($(sent $(($1 - 1))) + 20))
	window_frame end "${netdev[$1]}"
}

# A port fails under a connection that it carries: the other one does, as itself, until it is back. The peer sends to the port
# that lives, as a router would that lost the other one.
fails_over() # PORT
{
	local other=$((3 - $1))

	peer_sends_to "${mac[other]}"
	[ "$(next_port)" = "$1" ] || ecmp_traffic op=write sizes=64 count=1
	traffic_starts ecmp_traffic
	sends_as "$1" "$1"
	link $(($1 - 1)) down
	wait_until 20 has_map "$other $other"
	doubles "${mac[other]}" "${mac[other]}"
	sends_as "$other" "$1"
	link $(($1 - 1)) up
	wait_until 20 has_map "1 2"
	doubles "${mac[1]}" "${mac[2]}"
	sends_as "$1" "$1"
	traffic_stops
}

# Its connections are none of ours to break: the address stays, and the entries follow.
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
	echo "" >"$(ecmp_attr)"	# once more is no error
}

writes_in_vain() # NAME ERROR REASON
{
	local out

	if out=$( (echo "$1" >"$(ecmp_attr)") 2>&1); then fail "'$1' is taken"; fi
	echo "$out"
	grep -q "write error: $2" <<<"$out"
	said "roce_lag_ecmp_dev: '$1' is refused: $3"
}

ecmp_refused() # NAME ERROR REASON: and there are two devices, as before
{
	writes_in_vain "$@"
	state_is "^off: roce_lag_ecmp_dev: $3"
	[ "$(parent)" = "" ]
	is_pair
}

ecmp_refusals()
{
	local enable

	ours
	ktap_spoilt
	make_parent ecmp0 02:00:5e:10:00:02
	[ "$(parent)" = "" ]
	enable=/sys/bus/pci/drivers/cxr_core/$(function_of 2)/roce_lag_enable
	ecmp_refused nosuch0 "No such device" "there is no interface of that name"
	ecmp_refused longer-than-names-are "No such device" "there is no interface of that name"
	ecmp_refused "$(driver_netdev 1)" "Invalid argument" "that interface is a port of this card"
	ecmp_refused lo "Invalid argument" "that interface is not Ethernet"
	echo 0 >"$enable"
	ecmp_refused ecmp0 "Operation not permitted" "roce_lag_enable is 0"
	echo 1 >"$enable"
	emu fault a0 command create_lag status bad_param >/dev/null
	ecmp_refused ecmp0 "Input/output error" "the device refused"
	# A bond of the ports, in a LAG or not
	bond active-backup
	wait_until 20 is_lag
	writes_in_vain ecmp0 "Device or resource busy" "a port is in a bond, and roce_lag_ecmp_dev is set"
	is_lag
	state_is "^active-backup over bond0"
	unbond
	wait_until 20 is_pair
	# A second parent
	echo ecmp0 >"$(ecmp_attr)"
	is_lag
	ip link add ecmp2 type dummy
	writes_in_vain ecmp2 "Device or resource busy" "roce_lag_ecmp_dev names another interface already"
	is_lag
	[ "$(parent)" = ecmp0 ]
	echo ecmp0 >"$(ecmp_attr 1)"	# the same again is no error
	ip link del ecmp2
}

# What happens to the parent, the ports and their functions in an ECMP LAG
ecmp_life()
{
	local enable bdf n

	ktap_spoilt
	enable=/sys/bus/pci/drivers/cxr_core/$(function_of 2)/roce_lag_enable
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
		bdf=$(function_of $n)
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind
		must_fail is_lag
		[ "$(driver_ibdevs | wc -l)" = 1 ]
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind
		driver_net_up
		wait_until 20 is_lag
	done
	devlink dev reload "pci/$(function_of 1)"
	driver_net_up
	wait_until 20 is_lag
}

# Both ports in turn: the device is the same when the parent's LAG is back.
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
		[ "$(cat "/sys/bus/pci/devices/$(function_of 1)/roce_lag_ecmp_dev")" = ecmp0 ]
		ip netns del lagns
		wait_until 20 netdev_is_there "$dev"
		driver_net_up
		wait_until 20 is_lag
	done
}

no_parent() { [ "$(parent)" = "" ] && is_pair; }

ecmp_parent_goes()
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

# ---- by chance -------------------------------------------------------------------------------------

# One thing that an administrator, a cable or a program may do; what the state does not allow fails, and that is all right.
something()
{
	local n=$((RANDOM % 2)) what=$((RANDOM % 17)) mode=$((RANDOM % 4)) dev bdf

	dev=$(driver_netdev $n)
	bdf=$(function_of $((n + 1)))
	case $what in
	0) ip link add bond0 type bond mode "$(echo active-backup balance-xor 802.3ad balance-rr | cut -d ' ' -f $((mode + 1)))" miimon 20
		ip link set bond0 up ;;
	1|2|3) ip link set "$dev" down && ip link set "$dev" master bond0 ;;
	4) ip link set "$dev" nomaster ;;
	5) ip link del bond0 ;;
	6) link $n down ;;
	7) link $n up ;;
	8) ip addr add "10.78.$mode.1/24" dev bond0 || ip addr del "10.78.$mode.1/24" dev bond0 ;;
	9) echo $n >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_enable" ;;
	10) echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind || { echo 1 >"/sys/bus/pci/devices/$bdf/reset"; echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind; } ;;
	11) echo ecmp0 >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_ecmp_dev" ;;
	12) echo >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_ecmp_dev" ;;
	13) ip link set "$dev" up ;;
	14) ip netns add storm; ip link set "$dev" netns storm ;;
	15) ip netns del storm ;;
	16) rmmod cxr_ib; driver_insmod cxr_ib ;;
	esac
}

# Over whatever device there is, by addresses that are made of MACs. PEER-DEVICE
transfer()
{
	run_python /cxr/selftests/lib/xfer.py run b "$XFER_PORT" "dev=$(driver_ibdev)" "peer_dev=$1" gid=1 peer_gid=1 op=write sizes=4096 \
		count=32 timeout=12 wait=3
}

# Those that a device takes with it fail.
storm_traffic() # PEER-DEVICE
{
	while [ ! -e /tmp/storm-is-over ]; do
		transfer "$1" || true
	done >>/tmp/storm-traffic 2>&1
}
transfers() { grep -c "32 right" /tmp/storm-traffic || true; }
transfer_is_right() { [ "$(transfers)" -gt 0 ]; }

# What was done does not matter once it is undone.
storm()
{
	local i pid far

	ours
	ktap_spoilt
	echo "$STORM things, seed $SEED"
	rm -f /tmp/storm-is-over
	true >/tmp/storm-traffic
	far=$(peer driver_ibdev)
	storm_traffic "$far" &
	pid=$!
	wait_until 20 transfer_is_right || { cat /tmp/storm-traffic; fail "there is no traffic before the storm"; }
	make_parent ecmp0 02:00:5e:10:00:02
	RANDOM=$SEED
	for ((i = 0; i < STORM; i++)); do
		something >/dev/null 2>&1 || true
		[ "$(driver_ibdevs | wc -l)" -le 2 ]
	done
	touch /tmp/storm-is-over
	wait $pid
	echo "$(transfers) of $(wc -l </tmp/storm-traffic) lines of the traffic say that all is right"
	card_is_whole
	unbond
	wait_until 20 is_pair
	state_is "^off: a port is not in a bond"
	transfer "$far"
	bond active-backup
	wait_until 20 is_lag
}

ktap_setup lag_out
ktap_test pair "without a bond each port has its own RDMA device" two_devices
ktap_test enters.active-backup "active-backup: one RDMA device instead of two" enters active-backup
ktap_setup lag_in active-backup
ktap_test follows.active-backup "active-backup: state, MTU and rate follow the bond" follows
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test survives.active-backup "active-backup: traffic survives port failures, no GID moves" survives
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test tools.active-backup "active-backup: ib_send_bw and ib_write_bw survive port failures" tools_go_on
ktap_test moves.active-backup "active-backup: connections move off a failed port" moves
ktap_test leaves.active-backup "active-backup: two RDMA devices again when the bond is deleted" leaves
ktap_setup lag_in active-backup
ktap_test goes "active-backup: the bond is deleted under traffic" bond_goes
ktap_test module.active-backup "active-backup: the bonding module is unloaded under traffic" module_goes

ktap_setup lag_out
ktap_test enters.balance-xor "balance-xor: one RDMA device instead of two" enters balance-xor
ktap_setup lag_in balance-xor
ktap_test follows.balance-xor "balance-xor: state, MTU and rate follow the bond" follows
ktap_test spread.balance-xor "balance-xor: 64 QPs are spread evenly" spread
ktap_test carry.balance-xor "balance-xor: both ports carry traffic" both_ports_carry
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test survives.balance-xor "balance-xor: traffic survives port failures, no GID moves" survives
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_test tools.balance-xor "balance-xor: ib_send_bw and ib_write_bw survive port failures" tools_go_on
ktap_test moves.balance-xor "balance-xor: connections move off a failed port" moves
ktap_test leaves.balance-xor "balance-xor: two RDMA devices again when the bond is deleted" leaves
ktap_test labels "balance-xor: a QP with a flow label gets the port of the bond's hash" labels
ktap_test module.balance-xor "balance-xor: the bonding module is unloaded under traffic" module_goes

ktap_setup lag_out
ktap_test enters.802.3ad "802.3ad: one RDMA device instead of two" enters 802.3ad
ktap_setup lag_in 802.3ad
ktap_test follows.802.3ad "802.3ad: state, MTU and rate follow the bond" follows
ktap_test spread.802.3ad "802.3ad: 64 QPs are spread evenly" spread
ktap_test carry.802.3ad "802.3ad: both ports carry traffic" both_ports_carry
KTAP_TIMEOUT=$((240 + 8 * FLIPS)) ktap_test survives.802.3ad "802.3ad: traffic survives port failures, no GID moves" survives
KTAP_TIMEOUT=$((240 + 8 * FLIPS)) ktap_test tools.802.3ad "802.3ad: ib_send_bw and ib_write_bw survive port failures" tools_go_on
ktap_test moves.802.3ad "802.3ad: connections move off a failed port" moves
ktap_test leaves.802.3ad "802.3ad: two RDMA devices again when the bond is deleted" leaves

ktap_setup lag_out
ktap_test refuses.foreign-slave "a bond with a foreign slave is refused until the slave leaves" foreign_slave
ktap_test refuses.mode "an unsupported bond mode is refused" wrong_mode
ktap_test refuses.two-bonds "ports in two bonds are refused" two_bonds
ktap_test enable "roce_lag_enable takes effect at once" switched_off
ktap_test rebind.1 "the function of port 1 is unbound in a LAG and bound again" function_goes 1
ktap_test rebind.2 "the function of port 2 is unbound in a LAG and bound again" function_goes 2
ktap_test reload "a devlink reload ends the LAG" reload_in_lag
ktap_test namespaces "ports and bonds move to network namespaces, which are then deleted" namespaces
ktap_test unload "the driver unloads in a LAG" unload_in_lag

ktap_test ecmp.enters "roce_lag_ecmp_dev: one RDMA device without a bond, half the GIDs, two table entries each" ecmp_enters
ktap_setup ecmp_in
ktap_test ecmp.macs "ECMP LAG: packets have the MAC of the port that sends them" ecmp_macs
ktap_test ecmp.itself "ECMP LAG: the host reaches itself, and query_qp returns the GID's index" ecmp_itself
KTAP_TIMEOUT=180 ktap_test ecmp.survives.2 "ECMP LAG: port 2 fails, and port 1 sends with its own MAC until port 2 is back" fails_over 2
KTAP_TIMEOUT=180 ktap_test ecmp.survives.1 "ECMP LAG: port 1 fails, and port 2 sends with its own MAC until port 1 is back" fails_over 1
ktap_test ecmp.mac "ECMP LAG: table entries follow a port's MAC" ecmp_new_mac
ktap_test ecmp.leaves "ECMP LAG: an empty write leaves it" ecmp_leaves
KTAP_TIMEOUT=240 ktap_test ecmp.life "ECMP LAG: renames, bonds, unbind and reload" ecmp_life
ktap_test ecmp.namespaces "ECMP LAG: suspended while a port is in another network namespace" ecmp_namespaces
ktap_test ecmp.parent "ECMP LAG: the parent moves away or is deleted" ecmp_parent_goes
ktap_test ecmp.unload "the driver unloads in an ECMP LAG" ecmp_unload
ktap_setup lag_out
ktap_test ecmp.refusals "roce_lag_ecmp_dev: a refusal sets errno, log message and lag_state" ecmp_refusals

KTAP_TIMEOUT=$((120 + 3 * STORM)) ktap_test storm "random changes of bonds, parents, links and functions under traffic leave nothing behind" storm
ktap_finally lag_end
ktap_end
