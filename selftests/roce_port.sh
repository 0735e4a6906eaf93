#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# One RoCE port of any driver, talking to itself: its attributes, its GID table, data over each supported RoCE version, a
# connection of rdma_cm. On a host (make -C selftests run_tests DEV=mlx5_0) nothing is configured: the port must be up.
. "$(dirname "$0")/lib/ktap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PP_PORT=18515		# port of the pingpong and bandwidth programs

is_active()
{
	local text

	text=$(ibv_devinfo -v -d "$dev")
	echo "$text"
	grep -q 'state:.*PORT_ACTIVE' <<<"$text"
	grep -q 'link_layer:.*Ethernet' <<<"$text"
	[ "$(<"$ports/1/state")" = "4: ACTIVE" ]
	[ "$(<"$ports/1/phys_state")" = "5: LinkUp" ]
	grep -q Gb/sec "$ports/1/rate"
}

# INDEX TYPE (v1 or v2) of each GID entry
entries()
{
	local i type

	for ((i = 0; ; i++)); do
		[ -e "$ports/1/gids/$i" ] || break
		{ read -r type <"$ports/1/gid_attrs/types/$i"; } 2>/dev/null || continue
		case $type in
		"IB/RoCE v1") echo "$i v1" ;;
		"RoCE v2") echo "$i v2" ;;
		*) echo "$i '$type'" ;;
		esac
	done
}

# Each entry has a GID, a netdev and a type; there are no duplicates.
table_is_consistent()
{
	local i type gid ndev seen=

	[ -s "$tmp/entries" ]
	while read -r i type; do
		gid=$(<"$ports/1/gids/$i") ndev=$(<"$ports/1/gid_attrs/ndevs/$i")
		echo "$i $gid $type $ndev"
		[ "$type" = v1 ] || [ "$type" = v2 ]
		[ "$gid" != 0000:0000:0000:0000:0000:0000:0000:0000 ]
		[ -e "/sys/class/net/$ndev" ]
		must_fail grep -Fx "$gid $type $ndev" <<<"$seen"
		seen+=$'\n'"$gid $type $ndev"
	done <"$tmp/entries"
}

# IPv4 and global IPv6 addresses of the port's interface
addresses() { ip -o addr show dev "$netdev" scope global | awk '{ sub("/.*", "", $4); print $4 }'; }

addresses_have_entries()
{
	local address type

	[ -n "$(addresses)" ] || skip "$netdev has no address"
	for type in $(types); do
		for address in $(addresses); do
			echo "$address $type: $(gid_index "$dev" "$type" "$address")"
		done
	done
}

# Run TOOL with itself over the entry of VERSION
with_itself() # VERSION INDEX-OPTION TOOL ARGUMENTS...
{
	local idx tool=$3 option=$2 type=$1

	grep -qw "$type" <<<"$(types)" || skip "the port offers no RoCE $type"
	idx=$(awk -v type="$type" '$2 == type { print $1; exit }' "$tmp/entries")
	shift 3
	timeout 100 "$tool" -d "$dev" "$option" "$idx" "$@" >"$tmp/server" 2>&1 &
	wait_until 20 tcp_listens $PP_PORT
	timeout 100 "$tool" -d "$dev" "$option" "$idx" "$@" 127.0.0.1
	wait $! || { cat "$tmp/server"; return 1; }
}

rc() { with_itself "$1" -g ibv_rc_pingpong -c -s 20000 -n 50 -r 20; }
ud() { with_itself "$1" -g ibv_ud_pingpong -c -s 1000 -n 50 -r 20; }
bandwidth() { with_itself "$2" -x "$1" -F -s 65536 -n 50 --report_gbits; }

connection()
{
	local address

	address=$(addresses | head -n 1)
	[ -n "$address" ] || skip "$netdev has no address"
	shares_pages
	timeout 60 rping -s -a "$address" -C 10 -S 1000 >"$tmp/server" 2>&1 &
	wait_until 20 cm_listens rping
	timeout 60 rping -c -a "$address" -C 10 -S 1000
	wait $! || { cat "$tmp/server"; return 1; }
}

# Without such a port a host skips all tests; a guest must have one.
ready()
{
	local why tool

	[ "$(id -u)" = 0 ] || skip "needs root, for the kernel log and pinned memory"
	for tool in ibv_devinfo ibv_rc_pingpong ib_write_bw rping; do
		command -v $tool >/dev/null || skip "$tool is missing (Debian: apt install ibverbs-utils perftest rdmacm-utils)"
	done
	if ! why=$(driver_load 2>&1); then unless_host "${why#driver_load: }"; fi
	driver_net_up || unless_host "the link of $(driver_netdev) is down"
	before_each
	[ "$(<"$ports/1/link_layer")" = Ethernet ] || unless_host "$dev is not RoCE"
	wait_until 20 has_gid
	entries >"$tmp/entries"
	echo "$dev, $netdev, RoCE $(types)"
}

unless_host() { if [ "$CXR_DRIVER" = host ]; then skip "$1"; else fail "$1"; fi; } # REASON
has_gid() { grep -qv '^0000:0000:0000:0000:0000:0000:0000:0000$' "$ports/1/gids/0"; }
types() { awk '{ print $2 }' "$tmp/entries" | sort -u | paste -sd' '; }

before_each()
{
	dev=$(driver_ibdev)
	netdev=$(driver_netdev)
	ports=/sys/class/infiniband/$dev/ports
}

ktap_setup ready
ktap_test active "the device is an active RoCE port" is_active
ktap_test gids "the GID table is consistent" table_is_consistent

ktap_test addresses "each address has an entry of each RoCE version" addresses_have_entries
ktap_test rc.v1 "ibv_rc_pingpong with itself over RoCE v1" rc v1
ktap_test ud.v1 "ibv_ud_pingpong with itself over RoCE v1" ud v1
ktap_test rc.v2 "ibv_rc_pingpong with itself over RoCE v2" rc v2
ktap_test ud.v2 "ibv_ud_pingpong with itself over RoCE v2" ud v2
ktap_test bw.write "ib_write_bw with itself over RoCE v2" bandwidth ib_write_bw v2
ktap_test bw.read "ib_read_bw with itself over RoCE v2" bandwidth ib_read_bw v2
ktap_test bw.send "ib_send_bw with itself over RoCE v2" bandwidth ib_send_bw v2
ktap_test rping "rping with itself" connection
ktap_end
