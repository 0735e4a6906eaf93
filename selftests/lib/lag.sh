# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Bonds of both ports of a card, here and on the peer, and traffic over them while ports fail. To be sourced after ktap.sh and
# window.sh; the peer sources it for the first part.

XFER_PORT=7002
SEED=${CXR_SEED:-42}
FLIPS=${CXR_LONG:+100}
FLIPS=${FLIPS:-4}
traffic_pid=

# ---- one host, this one or the peer ----------------------------------------------------------------

has_state() { holds "/sys/class/infiniband/$1/ports/1/state" "$2"; }
is_lag() { [ "$(driver_ibdevs)" = mlx5_bond_0 ] && has_state mlx5_bond_0 "4: ACTIVE"; }
is_pair() # by builtins alone: it is asked in loops
{
	local names

	mapfile -t names <<<"$(driver_ibdevs)"
	[ ${#names[@]} = 2 ] && [[ ${names[*]} != *bond* ]]
}
bond_gid_exists() { gid_index mlx5_bond_0 v2 "$(my_ip 9)" >/dev/null; }
bond_has() { local word; { read -r word _ <"/sys/class/net/bond0/bonding/$1"; } 2>/dev/null && [ "$word" = "$2" ]; }
slave_is() { holds "/sys/class/net/$(driver_netdev "$1")/bonding_slave/mii_status" "$2"; } # PORT up|down
# LACP: actor and partner of both links are collecting and distributing (states 61, and 63 at the fast rate).
lacp_ready() { ! bond_has mode 802.3ad || [ "$(grep -c "port state: 6[13]$" /proc/net/bonding/bond0)" = 4 ]; }

# A fresh bond0 of both ports. MODE [HASH-POLICY]
bond()
{
	local d policy=${2:-layer2} words=()

	if bond_has mode "$1" && bond_has xmit_hash_policy "$policy" && slave_is 0 up && slave_is 1 up &&
		[ "$(wc -w </sys/class/net/bond0/bonding/slaves)" = 2 ] && [ "$(cat /sys/class/net/bond0/mtu)" = 1500 ]; then
		return 0
	fi
	[ -z "${2:-}" ] || words+=(xmit_hash_policy "$policy")
	[ "$1" != 802.3ad ] || words+=(lacp_rate fast)
	modprobe bonding max_bonds=0
	ip link del bond0 2>/dev/null || true
	ip link add bond0 type bond mode "$1" miimon 20 "${words[@]}"
	for d in $(driver_netdevs); do ip addr flush dev "$d"; ip link set "$d" down; ip link set "$d" master bond0; done
	ip link set bond0 up
	ip addr replace "$(my_ip 9)/24" dev bond0
}

unbond()
{
	local d mac

	ip link del bond0 2>/dev/null || true
	for d in $(driver_netdevs); do
		mac=$(ethtool -P "$d" | cut -d ' ' -f 3)
		[ "$(cat "/sys/class/net/$d/address")" = "$mac" ] || ip link set "$d" address "$mac"
		ip addr del "$(my_ip 9)/24" dev "$d" 2>/dev/null || true
		ip neigh flush dev "$d" nud permanent 2>/dev/null || true
	done
	driver_net_up
}

# Wait until the bond is an RDMA device and both ports are in use
wait_lag() { wait_until 20 is_lag && wait_until 20 bond_gid_exists && wait_until 30 lacp_ready; }

# Start the server for traffic() of the other host; it runs until teardown_lag()
xfer_server()
{
	if tcp_listens $XFER_PORT; then return; fi
	setsid /cxr/selftests/lib/xfer.py serve $XFER_PORT </dev/null >/run/xfer.log 2>&1 &
	echo $! >/run/xfer.pid
}

# ---- set-up and teardown ---------------------------------------------------------------------------

bdf_of_port() { nth $(($1 - 1)) driver_bdfs; }
state_file() { echo "/sys/bus/pci/drivers/cxr_core/$(bdf_of_port 1)/lag_state"; }
state_is() { local state; read -r state <"$(state_file)" && [[ $state =~ $1 ]]; } # REGEX
require_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "needs lag_state and roce_lag_* of cxr_core"; }

both_netdevs() { [ "$(driver_netdevs | wc -l)" = 2 ]; }

# Undo what tests do to this card and its links, also after a failed test; bonds of both ports are left alone.
restore_card()
{
	local bdf name drv=/sys/bus/pci/drivers/cxr_core

	emu fault clear >/dev/null
	for name in lagns ecmpns storm; do ip netns del $name 2>/dev/null || true; done
	for name in bond1 lagd0 ecmp0 ecmp1 ecmp2; do ip link del $name 2>/dev/null || true; done
	driver_load
	if [ "$CXR_DRIVER" = cxr ]; then
		driver_insmod cxr_ib
		for bdf in $(driver_bdfs); do
			[ -e $drv/"$bdf" ] || echo "$bdf" >$drv/bind
			echo 1 >"$drv/$bdf/roce_lag_enable"
			echo >"$drv/$bdf/roce_lag_ecmp_dev"
		done
	fi
	wait_until 20 both_netdevs
}

# Run TEXT on the peer and COMMAND here
on_both() # TEXT COMMAND...
{
	peer_bg lag "set -e; . selftests/lib/lag.sh; xfer_server; driver_load; $1; wait_until 60 tcp_listens $XFER_PORT"
	shift
	"$@"
	peer_wait lag
}

# Set-up: no bond, two RDMA devices at each end
setup_no_lag()
{
	restore_card
	emu uncable a0 >/dev/null
	emu uncable a1 >/dev/null
	on_both "unbond; wait_until 20 is_pair" unbond
	wait_until 20 is_pair
}

# LACP needs point-to-point links, one cable for each port; other modes use the switch.
cables() # MODE
{
	local port

	for port in 0 1; do
		if [ "$1" = 802.3ad ]; then
			emu cable a$port b$port >/dev/null || true	# it may exist already
		else
			emu uncable a$port >/dev/null
		fi
	done
}

# Set-up: a bond and one RDMA device at each end, and connectivity
setup_lag() # MODE [HASH-POLICY]
{
	restore_card
	cables "$1"
	on_both "bond $*; wait_lag" bond "$@"
	wait_lag
	wait_until 20 ping -q -c 1 -W 1 "$(guest_ip b 9)" >/dev/null
}

teardown_lag()
{
	setup_no_lag
	peer "kill \$(cat /run/xfer.pid) 2>/dev/null || true"
}

# Does the kernel log of this guest have it, since the test began?
kmsg_has() # REGEX
{
	kmsg | grep "$1"
}

two_devices()
{
	driver_ibdevs
	is_pair
	[ "$CXR_DRIVER" != cxr ] || state_is "^off: a port is not in a bond"
}

enters() # MODE [HASH-POLICY]
{
	ktap_spoilt
	setup_lag "$@"
	rdma link
	rdma link | grep -q "link mlx5_bond_0/1 state ACTIVE.* netdev"
	[ "$CXR_DRIVER" != cxr ] || cat "$(state_file)"
}

leaves()
{
	ktap_spoilt
	is_lag
	unbond
	wait_until 20 is_pair
	[ "$CXR_DRIVER" != cxr ] || wait_until 10 state_is "^off: a port is not in a bond"
	must_fail kmsg_has "DESTROY_LAG failed"
}

# ---- ports that fail -------------------------------------------------------------------------------

set_link() # PORT up|down: of guest a, as the cable sees it
{
	emu fault "a$1" port "$2" >/dev/null
}

# The same, and wait until the bond has noticed, and the driver as well if it is cxr
set_link_wait() # PORT up|down
{
	set_link "$1" "$2"
	wait_until 20 slave_is "$1" "$2"
	if [ "$2" = up ]; then
		wait_until 20 lacp_ready
		if [ "$CXR_DRIVER" = cxr ] && ! bond_has mode active-backup; then wait_until 20 state_is "ports 1 2$"; fi
	elif [ "$CXR_DRIVER" = cxr ]; then
		wait_until 20 state_is "ports $((2 - $1)) $((2 - $1))$"
	fi
}

# ---- traffic ---------------------------------------------------------------------------------------

traffic() # NAME=VALUE...
{
	run_python /cxr/selftests/lib/xfer.py run b $XFER_PORT dev=mlx5_bond_0 peer_dev=mlx5_bond_0 "gid=v2:$(my_ip 9)" \
		"peer_gid=v2:$(guest_ip b 9)" "seed=$SEED" "$@"
}

# Start PROGRAM, such as traffic: it writes until traffic_stop, and then runs the jobs after each +, over new connections
traffic_start() # PROGRAM [+ NAME=VALUE...]
{
	local program=$1

	shift
	rm -f /tmp/traffic.stop
	"$program" + op=write sizes=4096 count=1000000 until=/tmp/traffic.stop "$@" >/tmp/traffic 2>&1 &
	traffic_pid=$!
}

traffic_check() { kill -0 "$traffic_pid" 2>/dev/null || { cat /tmp/traffic; fail "the traffic stopped"; }; }

traffic_stop()
{
	traffic_check
	touch /tmp/traffic.stop
	wait "$traffic_pid" || { cat /tmp/traffic; fail "the traffic failed"; }
	cat /tmp/traffic
}

# The device has gone: the program reports a failed write, and what it had written was right
traffic_must_fail()
{
	must_fail wait "$traffic_pid"
	cat /tmp/traffic
	run_python /cxr/selftests/lib/xfer.py intact /tmp/traffic || fail "data were wrong"
	grep -q "^write of 4096 bytes from the near end: WRONG: " /tmp/traffic
}

# Number of frames sent by port N of guest a
frames_sent() { [[ $(emu status) =~ $'\n'"port a$1: "[^$'\n']*" sent "([0-9]+)" frames" ]] && echo "${BASH_REMATCH[1]}"; }

sent_at_least() { [ "$(frames_sent "$1")" -ge "$2" ]; } # PORT FRAMES

# Wait until PORT sends
wait_port_carries() { wait_until 30 sent_at_least "$1" $(($(frames_sent "$1") + 40)) || { cat /tmp/traffic; fail "port $(($1 + 1)) carries no traffic"; }; }

# The ports of guest a have sent 100 frames more than FRAMES
sent_since() { [ $(($(frames_sent 0) + $(frames_sent 1))) -gt $(($1 + 100)) ]; }
wait_traffic() { wait_until 60 sent_since $(($(frames_sent 0) + $(frames_sent 1))) || { cat /tmp/traffic; fail "there is no traffic"; }; }

gids() { cat /sys/class/infiniband/mlx5_bond_0/ports/1/gids/{0,1,2,3,4,5} 2>/dev/null; }
same_gids() { [ "$(gids)" = "$1" ]; }

# When the active slave changes, ib_core removes the GIDs of the bond, and mlx5 clears them even if QPs use them.
require_kept_connections()
{
	if [ "$CXR_DRIVER" = mlx5 ] && bond_has mode active-backup; then
		skip "the in-tree driver loses connections when the active slave changes"
	fi
}

# The port that a connection uses fails, and stays down until the connection uses the other one.
moves()
{
	local before port=0

	require_kept_connections
	before=("$(frames_sent 0)" "$(frames_sent 1)")
	traffic_start traffic
	wait_until 60 sent_since $((before[0] + before[1]))
	[ $(($(frames_sent 0) - before[0])) -gt $(($(frames_sent 1) - before[1])) ] || port=1
	set_link_wait $port down
	echo "port $((port + 1)) was in use, and is down"
	wait_port_carries $((1 - port))
	traffic_stop
	set_link_wait $port up
}

# PORT fails and the other one takes over; it comes back, and the traffic continues.
flip() # PORT
{
	set_link_wait "$1" down
	wait_port_carries $((1 - $1))
	traffic_check
	set_link_wait "$1" up
	wait_traffic
}

# Traffic continues while ports go down and up in turn, and no GID changes its index.
survives()
{
	local before i port

	echo "$FLIPS fail-overs, seed $SEED"
	require_kept_connections
	before=$(gids)
	traffic_start traffic + op=send sizes=64,65536 from=far count=8
	wait_traffic	# connect before the first change, which may remove the GID for a moment
	RANDOM=$SEED
	for ((i = 0; i < FLIPS; i++)); do flip $((RANDOM % 2)); done
	traffic_stop
	# A GID in use while the active slave changes gets a new index, since ib_core adds it again.
	# After the next change it has its old index again.
	for port in 0 1; do
		set_link_wait $port down
		set_link_wait $port up
	done
	wait_until 20 same_gids "$before" || { echo "$before"; echo now; gids; fail "the GIDs have moved"; }
}

connected() { [ "$(rdma resource show qp link mlx5_bond_0/1 | grep -c "type RC state RTS")" -ge "$1" ]; } # QPS

# ib_send_bw and ib_write_bw, four QPs each, while ports go down and up in turn
tools_survive()
{
	local gid peer_gid i tool port pids=() words=()

	require_kept_connections
	gid=$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")
	peer_gid=$(peer "gid_index mlx5_bond_0 v2 $(guest_ip b 9)")
	port=18515
	for tool in ib_send_bw ib_write_bw; do
		# An ACK timeout of 1 s, for emulated processors; 1 MB/s, since everything is captured.
		words+=("$tool -d mlx5_bond_0 -F -c RC -q 4 -s 4096 -u 18 -p $port -D 3600
			--rate_limit=1 --rate_units=M --rate_limit_type=SW --burst_size=16")
		peer_bg $tool "${words[-1]//[$'\n\t']/ } -x $peer_gid"
		port=$((port + 1))
	done
	peer "wait_until 60 tcp_listens 18515 && wait_until 60 tcp_listens 18516"
	for tool in ib_send_bw ib_write_bw; do
		${words[${#pids[@]}]} -x "$gid" b >/tmp/$tool 2>&1 &
		pids+=($!)
	done
	wait_until 60 connected 8	# connect before the first change, which may remove the GID for a moment
	# fewer fail-overs: the tools poll all the time and slow down everything else
	for ((i = 0; i < FLIPS / 2; i++)); do
		set_link_wait $((i % 2)) down
		set_link_wait $((i % 2)) up
	done
	echo "$i fail-overs"
	tools_stop "${pids[@]}"
	for tool in ib_send_bw ib_write_bw; do
		wait "${pids[0]}" || { cat /tmp/$tool; fail "$tool failed"; }
		pids=("${pids[@]:1}")
		grep -A 1 '^ #bytes' /tmp/$tool
		peer_wait $tool
	done
}

# perftest's timer is SIGALRM: the first starts the measurement, the second ends it, the third ends the run. Send each after data
# has been transferred.
tools_stop() # PIDS
{
	local n

	for n in begin end stop; do
		wait_traffic
		kill -ALRM "$@" || { cat /tmp/ib_*_bw; fail "one ended too early ($n)"; }
		peer "pkill -ALRM -x ib_send_bw"	# the server of ib_write_bw has no timer
	done
}

both_ports_carry()
{
	local before=("$(frames_sent 0)" "$(frames_sent 1)") after i

	traffic op=write sizes=4096 count=16 + + + +
	after=("$(frames_sent 0)" "$(frames_sent 1)")
	echo "sent before: ${before[*]}, after: ${after[*]}"
	for i in 0 1; do [ $((after[i] - before[i])) -ge 60 ]; done
}
