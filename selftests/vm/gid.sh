#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The GID table, and the adapter's address table (if there is an emulator), which must match it by
# index, with the network layer, MAC and VLAN of each entry.
# guests: 1
# ledger: yes
# takes: 95
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

gids=/run/gids
defaults=/proc/sys/net/ipv6/conf/default

# ---- set-up ----------------------------------------------------------------------------------------

settings() # DISABLE_IPV6 ACCEPT_DAD ADDR_GEN_MODE: for new interfaces
{
	echo "$1" >$defaults/disable_ipv6
	echo "$2" >$defaults/accept_dad
	echo "$3" >$defaults/addr_gen_mode
}

# (Re)start gids.py, which compares tables
serve()
{
	if [ -e $gids/server ]; then kill "$(<$gids/server)" 2>/dev/null || true; fi
	rm -f $gids/ask $gids/answer
	mkfifo $gids/ask $gids/answer
	python3 -B selftests/lib/gids.py serve $gids &
	echo $! >$gids/server
}

ready()
{
	local m

	mkdir -p $gids
	[ -e $gids/settings ] ||
		echo "$(<$defaults/disable_ipv6) $(<$defaults/accept_dad) $(<$defaults/addr_gen_mode)" >$gids/settings
	serve
	for m in 8021q macvlan bonding dummy bridge; do modprobe $m; done
	ip netns del gn 2>/dev/null || true	# left by a failed test
	driver_unload	# fresh table and interfaces
	driver_load
	driver_net_up
	settings 0 0 1
	netdev=$(driver_netdev)
	echo "$(driver_ibdev) $netdev $(<"/sys/class/net/$netdev/address")" >$gids/names
	ip link set "$netdev" addrgenmode none
	ip -6 addr flush dev "$netdev"
}

before_each()
{
	read -r dev netdev mac <$gids/names
	clean
}

# Remove all upper devices, leave one address
clean()
{
	ip -n gn link set "$netdev" netns 1 2>/dev/null || true
	ip netns del gn 2>/dev/null || true
	ip -force -batch - >/dev/null 2>&1 <<-END || true
	link del gb0
	link del gbr
	link del gd0
	link del gm0
	link del gv100
	link del gv101
	link set ${netdev}x down
	link set ${netdev}x name $netdev
	addr flush dev $netdev
	link set $netdev nomaster
	link set $netdev address $mac up
	addr add $(my_ip)/24 dev $netdev
	END
}

# The table has the default GIDs, my address, and these
expect() { expect_only "$netdev" "$(my_ip)@$netdev" "$@"; }
# The table has exactly these, and the default GIDs of an interface, or none ("-")
expect_only()
{
	local code

	echo "$dev $*" >$gids/ask
	{ read -r code && cat; } <$gids/answer
	return "$code"
}

unconfigured() { expect; }

# Like expect, without printing a long table
expect_many() { expect "$@" >$gids/text || { tail -n 30 $gids/text; return 1; }; }

batch() { ip -batch -; }

vlan100() { ip link add link "$netdev" name gv100 type vlan id 100 && ip link set gv100 up; }

entries() { cat /sys/class/infiniband/"$dev"/ports/1/gid_attrs/types/* 2>/dev/null | wc -l; }
index_is() { [ "$(gid_index "$dev" v1 "$1")" = "$2" ]; }
gone() { ! gid_index "$dev" v1 "$1" >/dev/null 2>&1; }

# ---- sources of entries ----------------------------------------------------------------------------

addresses()
{
	ip addr add 10.78.0.1/24 dev "$netdev"
	ip -6 addr add fd78::1/64 dev "$netdev" nodad
	expect "10.78.0.1@$netdev" "fd78::1@$netdev"
	[ "$(entries)" = 8 ]	# K * (N + 1), K = 2 types, N = 3 addresses
	ip -6 addr del fd78::1/64 dev "$netdev"
	ip addr del 10.78.0.1/24 dev "$netdev"
	expect
	[ "$(entries)" = 4 ]
}

aliases()
{
	batch <<-END
	addr add 10.77.0.101/24 dev $netdev label $netdev:1
	addr add 10.77.0.102/24 dev $netdev label $netdev:2
	addr add 10.78.0.1/32 dev $netdev
	END
	expect "10.77.0.101@$netdev" "10.77.0.102@$netdev" "10.78.0.1@$netdev"
}

# The MAC-based link-local address is a default GID already.
link_local()
{
	local ll

	ll=$(python3 -B selftests/lib/gids.py default "$mac")
	batch <<-END
	addr add $ll/64 dev $netdev nodad
	addr add fe80::77/64 dev $netdev nodad
	END
	expect "fe80::77@$netdev"
	ip -6 addr del "$ll/64" dev "$netdev"
	expect "fe80::77@$netdev"
}

vlans()
{
	vlan100
	batch <<-END
	link add link $netdev name gv101 type vlan id 4094
	link set gv101 up
	addr add 193.168.1.70/24 dev gv100
	addr add fd78::70/64 dev gv100 nodad
	addr add 193.168.2.70/24 dev gv101
	END
	expect 193.168.1.70@gv100,vlan=100 fd78::70@gv100,vlan=100 193.168.2.70@gv101,vlan=4094
	ip link del gv100
	expect 193.168.2.70@gv101,vlan=4094
}

macvlans()
{
	vlan100
	batch <<-END
	link add link $netdev name gm0 address 02:00:00:77:00:01 type macvlan mode bridge
	link set gm0 up
	addr add 10.78.0.1/24 dev gm0
	END
	expect 10.78.0.1@gm0,mac=02:00:00:77:00:01
	batch <<-END
	link del gm0
	link add link gv100 name gm0 address 02:00:00:77:00:02 type macvlan mode bridge
	link set gm0 up
	addr add 10.78.0.1/24 dev gm0
	END
	expect 10.78.0.1@gm0,vlan=100,mac=02:00:00:77:00:02
}

stacked()
{
	batch <<-END
	link add link $netdev name gm0 address 02:00:00:77:00:01 type macvlan mode bridge
	link set gm0 up
	link add link gm0 name gv100 type vlan id 100
	link set gv100 up
	addr add 10.78.0.1/24 dev gv100
	END
	expect 10.78.0.1@gv100,vlan=100,mac=02:00:00:77:00:01
	batch <<-END
	link del gm0
	link add gbr type bridge
	link set $netdev master gbr
	link set gbr up
	addr add 10.78.0.2/24 dev gbr
	END
	expect 10.78.0.2@gbr
	ip link set "$netdev" nomaster
	expect
}

# The adapter inserts one 802.1Q tag: interfaces with other tags get no entry.
unsupported_tags()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver adds an entry with the uppermost tag only"
	vlan100
	batch <<-END
	link add link gv100 name gv101 type vlan id 101
	link set gv101 up
	addr add 10.78.0.1/24 dev gv101
	addr add 10.78.0.2/24 dev gv100
	END
	expect 10.78.0.2@gv100,vlan=100
	ip addr del 10.78.0.1/24 dev gv101
	batch <<-END
	link del gv101
	link add link $netdev name gv101 type vlan proto 802.1ad id 101
	link set gv101 up
	addr add 10.78.0.1/24 dev gv101
	END
	expect 10.78.0.2@gv100,vlan=100
	dmesg | tail -n 20 | grep 'GID add failed'
}

namespaces()
{
	vlan100
	ip netns add gn
	ip -n gn link set lo up
	ip netns exec gn sh -c "echo 1 >$defaults/addr_gen_mode; echo 0 >$defaults/accept_dad"
	ip addr add 10.78.0.1/24 dev gv100
	expect 10.78.0.1@gv100,vlan=100
	ip link set gv100 netns gn	# removes its addresses
	expect
	ip -n gn -batch - <<-END
	link set gv100 up
	addr add 10.78.0.2/24 dev gv100
	addr add fd78::2/64 dev gv100 nodad
	END
	expect "10.78.0.2@gv100,vlan=100,mac=$mac" "fd78::2@gv100,vlan=100,mac=$mac"
	ip netns del gn
	expect
}

port_in_a_namespace()
{
	ip netns add gn
	ip netns exec gn sh -c "echo 1 >$defaults/addr_gen_mode"
	if ! ip link set "$netdev" netns gn; then
		[ "$CXR_DRIVER" != cxr ] || fail "the netdev cannot change its network namespace"
		skip "the netdev of this driver cannot change its network namespace"
	fi
	expect_only "$netdev,mac=$mac"
	ip -n gn addr add 10.78.0.1/24 dev "$netdev"
	expect_only "$netdev,mac=$mac" "10.78.0.1@$netdev,mac=$mac"
	ip -n gn link set "$netdev" netns 1
	expect_only "$netdev"
	clean
	expect
}

# ---- bonds without LAG -----------------------------------------------------------------------------

bond() # MODE
{
	batch <<-END
	link add gd0 type dummy
	link add gb0 type bond mode $1
	link set $netdev down
	link set $netdev master gb0
	link set gd0 master gb0
	link set gb0 up
	addr add 10.78.0.1/24 dev gb0
	END
}

unbond()
{
	ip link del gb0
	ip link set "$netdev" up
	ip addr replace "$(my_ip)/24" dev "$netdev"
	expect
}

# The addresses of the bond have entries on its active slave. Those of the slave itself stay.
bond_active_backup()
{
	ip addr flush dev "$netdev"
	bond active-backup
	ip link set gb0 type bond active_slave "$netdev"
	expect_only gb0 10.78.0.1@gb0
	ip link set gb0 type bond active_slave gd0
	wait_until 10 gone 10.78.0.1
	expect_only gb0
	ip link set gb0 type bond active_slave "$netdev"
	expect_only gb0 10.78.0.1@gb0
	unbond
}

bond_round_robin()
{
	ip addr flush dev "$netdev"
	bond balance-rr
	expect_only gb0 10.78.0.1@gb0
	ip addr add 10.78.0.2/24 dev gb0
	expect_only gb0 10.78.0.1@gb0 10.78.0.2@gb0
	unbond
}

# ---- changes of entries ----------------------------------------------------------------------------

mac_changes()
{
	vlan100
	batch <<-END
	addr add 10.78.0.1/24 dev gv100
	link set $netdev address 02:00:00:78:00:01
	END
	expect 10.78.0.1@gv100,vlan=100,mac=02:00:00:78:00:01
	[ "$(cat "/sys/class/net/$netdev/address")" = 02:00:00:78:00:01 ]
	ip link set "$netdev" address "$mac"
	expect "10.78.0.1@gv100,vlan=100,mac=$mac"
}

renamed()
{
	local index

	vlan100
	ip addr add 10.78.0.1/24 dev gv100
	expect 10.78.0.1@gv100,vlan=100
	index=$(gid_index "$dev" v1 10.78.0.1)
	batch <<-END
	link set gv100 down
	link set gv100 name gv101
	link set gv101 up
	END
	expect 10.78.0.1@gv101,vlan=100
	index_is 10.78.0.1 "$index"
	ip link set "$netdev" down
	ip link set "$netdev" name "${netdev}x"
	ip link set "${netdev}x" up
	expect_only "${netdev}x" "$(my_ip)@${netdev}x" 10.78.0.1@gv101,vlan=100
	index_is 10.78.0.1 "$index"
}

# Users configure GID indices: a link flap must not change them.
flaps()
{
	local before i

	echo 1 >"/proc/sys/net/ipv6/conf/$netdev/keep_addr_on_down"
	vlan100
	batch <<-END
	addr add 10.78.0.1/32 dev $netdev
	addr add 10.78.0.2/32 dev $netdev
	addr add fd78::1/64 dev $netdev nodad
	addr add 10.78.1.1/24 dev gv100
	addr del 10.78.0.1/32 dev $netdev
	END
	before=$(expect "10.78.0.2@$netdev" "fd78::1@$netdev" 10.78.1.1@gv100,vlan=100) || { echo "$before"; return 1; }
	for i in 1 2 3; do
		ip link set "$netdev" down
		ip link set "$netdev" up
		ip link set gv100 up
	done
	wait_until 20 link_up "$netdev"
	diff <(echo "$before") <(expect "10.78.0.2@$netdev" "fd78::1@$netdev" 10.78.1.1@gv100,vlan=100)
	if [ -c "${CXR_EMU_PORT:-}" ]; then
		emu fault "$CXR_GUEST" port down
		wait_until 20 carrier_is 0
		emu fault "$CXR_GUEST" port up
		wait_until 20 carrier_is 1
		diff <(echo "$before") <(expect "10.78.0.2@$netdev" "fd78::1@$netdev" 10.78.1.1@gv100,vlan=100)
	fi
	echo 0 >"/proc/sys/net/ipv6/conf/$netdev/keep_addr_on_down"
}

carrier_is() { [ "$(cat "/sys/class/net/$netdev/carrier")" = "$1" ]; }

# The last index works, and an entry that does not fit is logged: of 255 the last address gets only one, of 256 none.
full()
{
	local i want=() size n last

	size=$(ls "/sys/class/infiniband/$dev/ports/1/gids" | wc -l)
	n=$(((size - 4) / 2)) last=10.80.0.$((n + 1))
	for ((i = 1; i <= n; i++)); do echo "addr add 10.80.0.$i/32 dev $netdev"; done | batch
	for ((i = 1; i <= n; i++)); do want+=("10.80.0.$i@$netdev"); done
	expect_many "${want[@]}"
	[ "$(entries)" = $((2 * n + 4)) ]
	ip addr add "$last/32" dev "$netdev"
	wait_until 10 no_room
	[ "$(entries)" = "$size" ]
	[ $((size % 2)) = 0 ] || [ "$(gid_index "$dev" v1 "$last")" = $((size - 1)) ]

	ibv_rc_pingpong -d "$dev" -g $((size - 1)) -n 20 -c >/tmp/gid-pingpong &
	wait_until 20 tcp_listens 18515
	ibv_rc_pingpong -d "$dev" -g $((size - 1)) -n 20 -c 127.0.0.1
	wait $!

	# The first free index is used.
	i=$(gid_index "$dev" v1 10.80.0.50)
	ip addr del 10.80.0.50/32 dev "$netdev"
	wait_until 10 gone 10.80.0.50
	ip addr add 10.80.0.150/32 dev "$netdev"
	wait_until 10 index_is 10.80.0.150 "$i"
	ip addr flush dev "$netdev"
	expect_only "$netdev"
}
no_room() { dmesg | tail -n 10 | grep -q 'unable to add gid.*error=-28'; }

# A QP keeps the entry that it uses: its index is not reused.
in_use()
{
	local index holder

	ip addr add 10.78.0.1/24 dev "$netdev"
	expect "10.78.0.1@$netdev"
	index=$(gid_index "$dev" v1 10.78.0.1)
	python3 selftests/lib/gid_hold.py "$dev" "$index" >/tmp/gid-hold &
	holder=$!
	wait_until 20 grep -q held /tmp/gid-hold
	ip addr del 10.78.0.1/24 dev "$netdev"
	expect
	ip addr add 10.78.0.2/24 dev "$netdev"
	expect "10.78.0.2@$netdev"
	index_is 10.78.0.2 $((index + 1))	# the index of the v2 entry, which was not in use
	[ "$(gid_index "$dev" v2 10.78.0.2)" = $((index + 2)) ]
	kill $holder
	wait $holder || true
	ip addr add 10.78.0.3/24 dev "$netdev"
	wait_until 10 index_is 10.78.0.3 "$index"
	expect "10.78.0.2@$netdev" "10.78.0.3@$netdev"
}

# Programs get an event for each change
events()
{
	local watch

	stdbuf -oL ibv_asyncwatch -d "$dev" >/tmp/gid-events &
	watch=$!
	wait_until 10 grep -q 'async event FD' /tmp/gid-events
	ip addr add 10.78.0.1/24 dev "$netdev"
	wait_until 10 gid_changes 1
	ip addr del 10.78.0.1/24 dev "$netdev"
	wait_until 10 gid_changes 3
	cat /tmp/gid-events
	kill $watch
}
gid_changes() { [ "$(grep -c GID_CHANGE /tmp/gid-events)" -ge "$1" ]; }

# ---- unbind and bind -------------------------------------------------------------------------------

auxiliary() # en | ib: the auxiliary device of the function
{
	local name

	case $CXR_DRIVER-$1 in
	cxr-*) name=cxr_core.$1 ;;
	mlx5-en) name=mlx5_core.eth ;;
	mlx5-ib) name=mlx5_core.rdma ;;
	esac
	echo "/sys/bus/auxiliary/devices/$name.0"
}

rebind_netdev()
{
	local aux driver back

	aux=$(auxiliary en)
	driver=$(readlink -f "$aux/driver")
	ip addr add 10.78.0.1/24 dev "$netdev"
	expect "10.78.0.1@$netdev"
	echo "${aux##*/}" >"$driver/unbind"
	expect_only -
	[ "$(driver_ibdev)" = "$dev" ]
	echo "${aux##*/}" >"$driver/bind"
	wait_until 10 has_netdev
	back=$(driver_netdev)
	ip link set "$back" addrgenmode none
	# The in-tree driver assigns the new netdev after its NETDEV_REGISTER event: the default GIDs are
	# added at the next event.
	[ "$CXR_DRIVER" = cxr ] || ip link set "$back" up
	expect_only "$back"
	if [ "$back" != "$netdev" ]; then ip link set "$back" name "$netdev"; fi
	clean
	expect
}
has_netdev() { [ -n "$(driver_netdev)" ]; }

# ib_core of 6.1 misses netdev events while it registers a device.
registration()
{
	local aux driver i want=()

	[ "$CXR_DRIVER-$CXR_KERNEL" != mlx5-6.1 ] || skip "the in-tree driver of 6.1 loses such addresses"
	aux=$(auxiliary ib)
	driver=$(readlink -f "$aux/driver")
	for i in {1..100}; do want+=("10.80.0.$i@$netdev"); done
	for _ in 1 2 3; do
		echo "${aux##*/}" >"$driver/unbind"
		[ -z "$(driver_ibdevs)" ]
		for i in {1..100}; do echo "addr add 10.80.0.$i/32 dev $netdev"; done | batch &
		echo "${aux##*/}" >"$driver/bind"
		wait $!
		[ "$(driver_ibdev)" = "$dev" ]
		expect_many "${want[@]}"
		clean
	done
}

nothing_left()
{
	driver_unload
	device_is_clean
}

restore()
{
	local saved

	[ -e $gids/settings ] || return 0
	read -ra saved <$gids/settings
	settings "${saved[@]}"
	driver_unload
	if [ -e $gids/server ]; then kill "$(<$gids/server)" 2>/dev/null || true; fi
	rm -r $gids
}

ktap_setup ready
ktap_test default "the table has the default GIDs and the entries of the only address" unconfigured
ktap_test address "an address has an entry of each type, with network layer and MAC" addresses
ktap_test alias "alias addresses have entries" aliases
ktap_test link-local "the MAC-based link-local address is not duplicated, another one has entries" link_local
ktap_test vlan "addresses of VLANs have entries with the VLAN ID" vlans
ktap_test macvlan "addresses of macvlans have entries with their MAC, and the VLAN ID below" macvlans
ktap_test stacked "a VLAN on a macvlan, and a bridge, have entries" stacked
ktap_test two-tags "unsupported tags: a VLAN on a VLAN and an 802.1ad VLAN get no entry" unsupported_tags
ktap_test netns "an interface in another network namespace has its entries" namespaces
ktap_test netns.port "the port moves to another network namespace and back" port_in_a_namespace
ktap_test bond.active-backup "active-backup bond: entries exist on the active slave only" bond_active_backup
ktap_test bond.round-robin "bond without an active slave: entries exist on all slaves" bond_round_robin
ktap_test mac "entries follow a MAC change" mac_changes
ktap_test renamed "entries follow a rename of the interface and keep their index" renamed
ktap_test flaps "a link flap changes no index" flaps
ktap_test full "a full table is reported, and its last index works" full
ktap_test in-use "an entry in use keeps its index until it is released" in_use
ktap_test events "GID changes raise events" events
ktap_test rebind.netdev "the Ethernet driver is unbound and bound, the RDMA device stays" rebind_netdev
ktap_test rebind.ibdev "addresses added while the RDMA device registers are not lost" registration
ktap_test nothing-left "no object and no violation is left in the emulator" nothing_left
ktap_finally restore
ktap_end
