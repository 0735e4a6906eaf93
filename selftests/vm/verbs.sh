#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The RDMA device with the distribution's programs: its attributes, the GID table, RC and UD over
# RoCE v1 and v2, connections of rdma_cm, peers and devices that disappear.
# guests: 2
# ledger: yes
# takes: 85
# timeout: 1500
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

NETDEV_MTU=4200		# for a path MTU of 4096
CM=/sys/kernel/config/rdma_cm

ready()
{
	local f

	ends_up $NETDEV_MTU
	ends_know
	for f in "$CM"/*/ports/1/default_roce_mode; do
		[ ! -e "$f" ] || cma_mode "RoCE v2"
	done
}

before_each() { ends_know; }

# ---- attributes and GIDs ---------------------------------------------------------------------------

devinfo()
{
	local text

	text=$(ibv_devinfo -v -d "$dev")
	echo "$text"
	grep -q 'transport:.*InfiniBand (0)' <<<"$text"
	grep -q 'state:.*PORT_ACTIVE' <<<"$text"
	grep -q 'link_layer:.*Ethernet' <<<"$text"
	grep -q 'active_mtu:.*4096' <<<"$text"
	grep -q 'phys_port_cnt:.*1' <<<"$text"
	grep -Eq 'GID\[ *[0-9]+\]:.*RoCE v1' <<<"$text"
	grep -Eq 'GID\[ *[0-9]+\]:.*RoCE v2' <<<"$text"
	[ "$CXR_DRIVER" = rxe ] || grep -Eq 'vendor_id:.*0x02c9' <<<"$text"
}

sysfs_attributes()
{
	local d=/sys/class/infiniband/$dev f

	[ "$(cat "$d/ports/1/state")" = "4: ACTIVE" ]
	[ "$(cat "$d/ports/1/phys_state")" = "5: LinkUp" ]
	[ "$(cat "$d/ports/1/link_layer")" = Ethernet ]
	[ "$(cat "$d/ports/1/pkeys/0")" = 0xffff ]
	grep -q 'Gb/sec' "$d/ports/1/rate"
	[ "$CXR_DRIVER" != rxe ] || skip "only adapters have hca_type, hw_rev and board_id"
	for f in hca_type hw_rev board_id fw_ver; do
		echo "$f: $(cat "$d/$f")"
		[ -n "$(cat "$d/$f")" ]
	done
	grep -Eq '^MT[0-9]+$' "$d/hca_type"
	grep -Eq '^[0-9]+\.[0-9]+\.[0-9]{4}$' "$d/fw_ver"
}

port_says() # STATE PHYS_STATE
{
	[ "$(<"/sys/class/infiniband/$dev/ports/1/state")" = "$1" ] &&
		[ "$(<"/sys/class/infiniband/$dev/ports/1/phys_state")" = "$2" ]
}

# With a link the rate is that of the netdev.
port_is_up()
{
	local rate

	wait_until 20 port_says "4: ACTIVE" "5: LinkUp"
	rate=$(<"/sys/class/infiniband/$dev/ports/1/rate")
	echo "$rate, $netdev has $(<"/sys/class/net/$netdev/speed") Mb/s"
	[ "$CXR_DRIVER" = rxe ] || [ "${rate%% *}" = $(($(<"/sys/class/net/$netdev/speed") / 1000)) ]
}

follows_link()
{
	# IPv6 addresses and their GIDs are removed, and come back at other indices
	ktap_spoilt
	port_is_up
	ip link set "$netdev" down
	wait_until 20 port_says "1: DOWN" "3: Disabled"
	grep -q 'Gb/sec' "/sys/class/infiniband/$dev/ports/1/rate"
	driver_net_up $NETDEV_MTU
	port_is_up
	[ -c "${CXR_EMU_PORT:-}" ] || return 0
	emu fault "$CXR_GUEST" port down
	wait_until 20 port_says "1: DOWN" "3: Disabled"
	emu fault "$CXR_GUEST" port up
	port_is_up
}

node_desc_is_kept()
{
	local f=/sys/class/infiniband/$dev/node_desc

	echo "a node of mine" >"$f"
	[ "$(cat "$f")" = "a node of mine" ]
}

# Every entry has a type and the port's interface; every address has an entry of each type.
gid_table()
{
	local p=/sys/class/infiniband/$dev/ports/1 i gid type ndev n=0 address

	for ((i = 0; ; i++)); do
		[ -e "$p/gids/$i" ] || break
		gid=$(<"$p/gids/$i")
		if [ "$gid" = 0000:0000:0000:0000:0000:0000:0000:0000 ]; then
			if { read -r type <"$p/gid_attrs/types/$i"; } 2>/dev/null; then fail "empty GID $i has type $type"; fi
			continue
		fi
		type=$(<"$p/gid_attrs/types/$i")
		ndev=$(<"$p/gid_attrs/ndevs/$i")
		echo "$i $gid $type $ndev"
		[ "$type" = "IB/RoCE v1" ] || [ "$type" = "RoCE v2" ]
		[ "$ndev" = "$netdev" ]
		n=$((n + 1))
	done
	[ $n -ge 6 ]	# link-local, IPv4, IPv6, each twice
	for address in "$(my_ip)" "$(my_ip6)"; do
		gid_index "$dev" v1 "$address"
		gid_index "$dev" v2 "$address"
	done
	grep -q '^fe80:' "$p/gids/0"
}

gid_comes_and_goes()
{
	local address=10.77.99.1 type

	ip addr add $address/24 dev "$netdev"
	for type in v1 v2; do wait_until 10 gid_index "$dev" $type $address >/dev/null; done
	ip addr del $address/24 dev "$netdev"
	for type in v1 v2; do
		wait_until 10 no_gid "$dev" $type $address
	done
}
no_gid() { ! gid_index "$@" >/dev/null 2>&1; }

# ---- data ------------------------------------------------------------------------------------------

# Run TOOL here against the peer, over GIDs of TYPE, once with each set of ARGUMENTS; all servers are started first
both() # TYPE GID-OPTION TOOL "ARGUMENTS"...
{
	local type=$1 option=$2 tool=$3 words n=0

	shift 3
	ends_serve "$tool -d $peer_dev $option ${peer_gid[$type]}" "$@"
	for words; do
		# shellcheck disable=SC2086
		"$tool" -d "$dev" "$option" "${gid[$type]}" -p $((PP_PORT + n)) $words "$(peer_ip)"
		n=$((n + 1))
	done
	peer_wait servers
}

rc_pingpong() # TYPE [-e]
{
	local more="-c -m 4096 -r 50 ${2:-}"

	both "$1" -g ibv_rc_pingpong "$more -s 64 -n 100" "$more -s 4097 -n 100" "$more -s 65536 -n 100" "$more -s 1048576 -n 10"
}

rc_pingpong_mtus()
{
	local more="-c -s 20000 -n 20 -r 10"

	both v2 -g ibv_rc_pingpong "$more -m 256" "$more -m 512" "$more -m 1024" "$more -m 2048"
}

rc_pingpong_ipv6() { both v6 -g ibv_rc_pingpong "-c -s 4096 -n 100"; }

# Default GIDs need no address
rc_pingpong_link_local()
{
	gid[mac]=0 peer_gid[mac]=0
	both mac -g ibv_rc_pingpong "-c -s 4096 -n 100"
}

ud_pingpong()
{
	local more="-c -n 100 -r 50"

	both "$1" -g ibv_ud_pingpong "$more -s 64" "$more -s 4000" "$more -s 1024 -e"
}

bandwidth() # TOOL TYPE
{
	both "$2" -x "$1" "-F -s 65536 -n 100 --report_gbits"
}

# ---- connections -----------------------------------------------------------------------------------

cm_bandwidth() { ends_cm ib_write_bw -s 65536 -n 100 --report_gbits; }

rping_works()
{
	shares_pages
	peer_serves cm "cm_listens rping" "rping -s -a $(peer_ip) -C 20 -S 1000 -V"
	rping -c -a "$(peer_ip)" -C 20 -S 1000 -V
	peer_wait cm
}

ucmatose_works()
{
	local out

	shares_pages
	peer_serves cm "cm_listens ucmatose" "ucmatose -b $(peer_ip) -c 4 -C 10 -S 1000"
	out=$(ucmatose -s "$(peer_ip)" -c 4 -C 10 -S 1000)
	echo "$out"
	grep -q 'return status 0' <<<"$out"
	peer_wait cm
}

udaddy_works()
{
	local out

	shares_pages
	peer_serves cm "cm_listens udaddy" "udaddy -b $(peer_ip) -c 2 -C 10 -S 500"
	out=$(udaddy -s "$(peer_ip)" -c 2 -C 10 -S 500)
	echo "$out"
	grep -q 'return status 0' <<<"$out"
	peer_wait cm
}

cma_mode() # MODE, here and on the peer
{
	# shellcheck disable=SC2016
	local set='p=/sys/kernel/config/rdma_cm/$(driver_ibdev); mkdir -p $p &&'

	set="$set echo '$1' >\$p/ports/1/default_roce_mode && grep -qx '$1' \$p/ports/1/default_roce_mode"
	eval "$set"
	peer "$set"
}

rping_v1()
{
	shares_pages
	modprobe rdma_cm
	[ -d $CM ]
	cma_mode "IB/RoCE v1"
	rping_works
	cma_mode "RoCE v2"
	rping_works
}

# The peer's connection manager rejects at once: 8 is RDMA_CM_EVENT_REJECTED
no_listener()
{
	must_fail timeout 60 ib_write_bw -d "$dev" -R -F -p 7999 "$(peer_ip)" >/tmp/refused 2>&1
	cat /tmp/refused
	grep -q 'Unexpected CM event .* 8$' /tmp/refused
}

# ---- errors ----------------------------------------------------------------------------------------

bad_gid_index()
{
	local last=0 limit=$((20 * ${CXR_PATIENCE:-1})) gids=/sys/class/infiniband/$dev/ports/1/gids id

	while [ -e "$gids/$((last + 1))" ]; do last=$((last + 1)); done
	grep -qx '[0:]*' "$gids/$last"
	timeout "$limit" ibv_rc_pingpong -d "$dev" -g $last -n 1 >/tmp/refused 2>&1 &
	id=$!
	wait_until 20 tcp_listens $PP_PORT
	must_fail peer "timeout $limit ibv_rc_pingpong -d $peer_dev -g 0 -n 1 $(my_ip)"
	must_fail wait $id
	cat /tmp/refused
	# the server modifies its QP first: the failure is local
	grep -q 'Failed to modify QP to RTR' /tmp/refused
}

packets() { cat "/sys/class/infiniband/$dev/ports/1/counters/port_xmit_packets"; }
packets_are_more() { [ "$(packets)" -gt "$1" ]; }

# Without ACKs retries are exceeded: completion error, and the program ends
peer_dies()
{
	local before id rc=0

	peer_serves data "tcp_listens $PP_PORT" "ib_write_bw -d $peer_dev -x ${peer_gid[v2]} -F -s 65536 -n 1000000"
	before=$(packets)
	timeout 100 ib_write_bw -d "$dev" -x "${gid[v2]}" -F -s 65536 -n 1000000 "$(peer_ip)" >/tmp/alone 2>&1 &
	id=$!
	wait_until 60 packets_are_more $((before + 2000))
	peer "pkill -KILL -f '^ib_write_bw'"
	wait $id || rc=$?
	echo "exit code $rc: $(cat /tmp/alone)"
	peer_wait data || true
	[ $rc != 0 ]
	[ $rc != 124 ]
	grep -q 'Failed status 12' /tmp/alone
}

# A killed process leaves nothing behind. Its files are closed when wait returns. QPs must not be listed meanwhile: up to
# 6.12 ib_core lists a QP that is already destroyed, and the in-tree driver then queries it.
killed()
{
	local i

	for i in 1 2 3; do
		ibv_rc_pingpong -d "$dev" -g 0 >/dev/null 2>&1 &
		wait_until 20 has_qp
		kill -KILL $!
		wait $! || true
		has_no_qp
	done
}
has_qp() { rdma resource show qp | grep -q ibv_rc_pingpong; }
has_no_qp() { ! has_qp; }

# Unbinding the device must not wait for a process that has it open, nor the other way round.
device_unbound()
{
	local bdf id

	[ "$CXR_DRIVER" != rxe ] || skip "not a PCI device"
	bdf=$(basename "$(readlink -f "/sys/class/infiniband/$dev/device")")
	ibv_rc_pingpong -d "$dev" -g 0 >/tmp/open.out 2>&1 &
	id=$!
	wait_until 20 has_qp
	echo "$bdf" >"/sys/bus/pci/devices/$bdf/driver/unbind"
	[ -z "$(driver_ibdevs)" ]
	kill -KILL $id
	wait $id || true
	driver_unload
	ends_up $NETDEV_MTU
	ends_know
	both v2 -g ibv_rc_pingpong "-c -s 4096 -n 20"
}

ktap_setup ready
ktap_test devinfo "ibv_devinfo -v shows an active RoCE port" devinfo
ktap_test sysfs "sysfs has the attributes that tools read" sysfs_attributes
ktap_test link "state, phys_state and rate follow the link" follows_link
ktap_test node.desc "the node description can be changed" node_desc_is_kept
ktap_test gid.table "the GID table has both types of every address" gid_table
ktap_test gid.comes "GIDs are added and removed with an address" gid_comes_and_goes
KTAP_TIMEOUT=300 ktap_test rc.v1.polling "ibv_rc_pingpong over RoCE v1, polling" rc_pingpong v1
KTAP_TIMEOUT=300 ktap_test rc.v1.events "ibv_rc_pingpong over RoCE v1, events" rc_pingpong v1 -e
KTAP_TIMEOUT=300 ktap_test rc.v2.polling "ibv_rc_pingpong over RoCE v2, polling" rc_pingpong v2
KTAP_TIMEOUT=300 ktap_test rc.v2.events "ibv_rc_pingpong over RoCE v2, events" rc_pingpong v2 -e
ktap_test rc.mtus "ibv_rc_pingpong at every path MTU" rc_pingpong_mtus
ktap_test rc.ipv6 "ibv_rc_pingpong over RoCE v2 and IPv6" rc_pingpong_ipv6
ktap_test rc.mac "ibv_rc_pingpong over the default GIDs" rc_pingpong_link_local
KTAP_TIMEOUT=300 ktap_test ud.v1 "ibv_ud_pingpong over RoCE v1" ud_pingpong v1
KTAP_TIMEOUT=300 ktap_test ud.v2 "ibv_ud_pingpong over RoCE v2" ud_pingpong v2
ktap_test write.bw.v1 "ib_write_bw over RoCE v1" bandwidth ib_write_bw v1
ktap_test write.bw.v2 "ib_write_bw over RoCE v2" bandwidth ib_write_bw v2
ktap_test read.bw.v2 "ib_read_bw over RoCE v2" bandwidth ib_read_bw v2
ktap_test send.bw.v2 "ib_send_bw over RoCE v2" bandwidth ib_send_bw v2
ktap_test cm.bw "ib_write_bw over rdma_cm" cm_bandwidth
ktap_test rping "rping over rdma_cm" rping_works
ktap_test rping.v1 "rping over RoCE v1 and back to v2" rping_v1
ktap_test ucmatose "ucmatose over four connections" ucmatose_works
ktap_test udaddy "udaddy over two UD pairs" udaddy_works
ktap_test no.listener "a connection without a listener is rejected" no_listener
ktap_test bad.gid "an empty GID index is refused" bad_gid_index
ktap_test peer.dies "a dead peer causes a completion error" peer_dies
ktap_test killed "a killed process leaves no QP" killed
ktap_test device.goes "the device can be unbound while a process has it open" device_unbound
ktap_finally ends_stop
ktap_end
