# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Bonds of both ports of a card, here and at the peer, and traffic over them while ports fail. Sourced behind ktap.sh and
# window.sh; the peer sources it for the first part.

XFER_PORT=7002
SEED=${CXR_SEED:-42}
FLIPS=${CXR_LONG:+100}
FLIPS=${FLIPS:-4}
traffic_pid=

# ---- one host, this one or the peer ----------------------------------------------------------------

has_state() { holds "/sys/class/infiniband/$1/ports/1/state" "$2"; }
is_lag() { [ "$(driver_ibdevs)" = mlx5_bond_0 ] && has_state mlx5_bond_0 "4: ACTIVE"; }
is_pair() { [[ $(driver_ibdevs) =~ ^mlx5_[0-9]+$'\n'mlx5_[0-9]+$ ]]; }
gid_is_there() { gid_index mlx5_bond_0 v2 "$(my_ip 9)" >/dev/null; }
bond_has() { local word; { read -r word _ <"/sys/class/net/bond0/bonding/$1"; } 2>/dev/null && [ "$word" = "$2" ]; }
slave_is() { holds "/sys/class/net/$(driver_netdev "$1")/bonding_slave/mii_status" "$2"; } # PORT up|down
# LACP: this end of each of the two cables and the other one collect and distribute (states 61, and 63 at the fast rate).
both_used() { ! bond_has mode 802.3ad || [ "$(grep -c "port state: 6[13]$" /proc/net/bonding/bond0)" = 4 ]; }

# bond0 of both ports, as it is when it was just made. MODE [HASH-POLICY]
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

# The bond is a device, and both its ports carry
lag_here() { wait_until 20 is_lag && wait_until 20 gid_is_there && wait_until 30 both_used; }

# Start who answers to traffic() of the other host, until lag_end()
xfer_server()
{
	if tcp_listens $XFER_PORT; then return; fi
	setsid /cxr/selftests/lib/xfer.py serve $XFER_PORT </dev/null >/run/xfer.log 2>&1 &
	echo $! >/run/xfer.pid
}

# ---- in and out ------------------------------------------------------------------------------------

function_of() { nth $(($1 - 1)) driver_bdfs; }
state_file() { echo "/sys/bus/pci/drivers/cxr_core/$(function_of 1)/lag_state"; }
state_is() { local state; read -r state <"$(state_file)" && [[ $state =~ $1 ]]; } # REGEX
ours() { [ "$CXR_DRIVER" = cxr ] || skip "lag_state and the attributes roce_lag_* are those of cxr_core"; }

both_there() { [ "$(driver_netdevs | wc -l)" = 2 ]; }

# What a test did, or left when it failed, to this card and its cables; bonds of both ports are not looked at.
card_is_whole()
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
	wait_until 20 both_there
}

# On both hosts TEXT, and here the command behind it
on_both() # TEXT COMMAND...
{
	peer_bg lag "set -e; . selftests/lib/lag.sh; xfer_server; driver_load; $1; wait_until 60 tcp_listens $XFER_PORT"
	shift
	"$@"
	peer_wait lag
}

# A set-up: two ports and two devices at each end
lag_out()
{
	card_is_whole
	emu uncable a0 >/dev/null
	emu uncable a1 >/dev/null
	on_both "unbond; wait_until 20 is_pair" unbond
	wait_until 20 is_pair
}

# Port by port: LACP is between the two ends of a cable, not for others on a switch.
cables() # MODE
{
	local port

	for port in 0 1; do
		if [ "$1" = 802.3ad ]; then
			emu cable a$port b$port >/dev/null || true	# which they may have already
		else
			emu uncable a$port >/dev/null
		fi
	done
}

# A set-up: a bond at each end, one device, and a way between them
lag_in() # MODE [HASH-POLICY]
{
	card_is_whole
	cables "$1"
	on_both "bond $*; lag_here" bond "$@"
	lag_here
	wait_until 20 ping -q -c 1 -W 1 "$(guest_ip b 9)" >/dev/null
}

lag_end()
{
	lag_out
	peer "kill \$(cat /run/xfer.pid) 2>/dev/null || true"
}

# Did the kernel of this guest say so in this test?
said() # REGEX
{
	dmesg | awk '/cxr-test: / { t = "" } { t = t "\n" $0 } END { print t }' | grep "$1"
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
	lag_in "$@"
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
	must_fail said "DESTROY_LAG failed"
}

# ---- ports that fail -------------------------------------------------------------------------------

link() # PORT up|down: of guest a, as the cable sees it
{
	emu fault "a$1" port "$2" >/dev/null
}

# The same, and the bond has heard of it; so has the driver, as far as it can be asked
link_heard() # PORT up|down
{
	link "$1" "$2"
	wait_until 20 slave_is "$1" "$2"
	if [ "$2" = up ]; then
		wait_until 20 both_used
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

# Start PROGRAM, as of traffic(): it writes until traffic_stops, and does then what the words behind ask for, each anew connected
traffic_starts() # PROGRAM [+ NAME=VALUE...]
{
	local program=$1

	shift
	rm -f /tmp/traffic.stop
	"$program" + op=write sizes=4096 count=1000000 until=/tmp/traffic.stop "$@" >/tmp/traffic 2>&1 &
	traffic_pid=$!
}

traffic_runs() { kill -0 "$traffic_pid" 2>/dev/null || { cat /tmp/traffic; fail "the traffic broke"; }; }

traffic_stops()
{
	traffic_runs
	touch /tmp/traffic.stop
	wait "$traffic_pid" || { cat /tmp/traffic; fail "the traffic broke"; }
	cat /tmp/traffic
}

# As the device went: the program says so
traffic_breaks()
{
	must_fail wait "$traffic_pid"
	cat /tmp/traffic
	grep -q "^write of 4096 bytes from the near end: WRONG: " /tmp/traffic
}

# Frames that port N of guest a sent
sent() { [[ $(emu status) =~ $'\n'"port a$1: "[^$'\n']*" sent "([0-9]+)" frames" ]] && echo "${BASH_REMATCH[1]}"; }

more_sent() { [ "$(sent "$1")" -ge "$2" ]; } # PORT FRAMES

# PORT sends, from now on
carries() { wait_until 30 more_sent "$1" $(($(sent "$1") + 40)) || { cat /tmp/traffic; fail "port $(($1 + 1)) does not carry"; }; }

# Both ports of guest a together have sent more than FRAMES and a few
flowing() { [ $(($(sent 0) + $(sent 1))) -gt $(($1 + 100)) ]; }
flows() { wait_until 60 flowing $(($(sent 0) + $(sent 1))) || { cat /tmp/traffic; fail "there is no traffic"; }; }

gids() { cat /sys/class/infiniband/mlx5_bond_0/ports/1/gids/{0,1,2,3,4,5} 2>/dev/null; }
same_gids() { [ "$(gids)" = "$1" ]; }

# When the active slave changes, ib_core takes the bond's GIDs away, and so does that driver, under the queue pairs that use them.
keeps_connections()
{
	if [ "$CXR_DRIVER" = mlx5 ] && bond_has mode active-backup; then
		skip "the kernel's own driver loses connections when the active slave changes"
	fi
}

# The port that a connection leaves by fails, and stays down until the connection leaves by the other one.
moves()
{
	local before port=0

	keeps_connections
	before=("$(sent 0)" "$(sent 1)")
	traffic_starts traffic
	wait_until 60 flowing $((before[0] + before[1]))
	[ $(($(sent 0) - before[0])) -gt $(($(sent 1) - before[1])) ] || port=1
	link_heard $port down
	echo "port $((port + 1)) carried, and is down"
	carries $((1 - port))
	traffic_stops
	link_heard $port up
}

# PORT fails, the other one carries; it comes back, and the traffic goes on.
flip() # PORT
{
	link_heard "$1" down
	carries $((1 - $1))
	traffic_runs
	link_heard "$1" up
	flows
}

# Traffic goes on while ports are closed and opened in turn, and no GID moves.
survives()
{
	local before i port

	echo "$FLIPS fail-overs, seed $SEED"
	keeps_connections
	before=$(gids)
	traffic_starts traffic + op=send sizes=64,65536 from=far count=8
	flows	# a connection that begins amid a change may find its GID gone
	RANDOM=$SEED
	for ((i = 0; i < FLIPS; i++)); do flip $((RANDOM % 2)); done
	traffic_stops
	# A GID that is in use while the active slave changes gets another index: ib_core makes it anew.
	# The next change finds it unused.
	for port in 0 1; do
		link_heard $port down
		link_heard $port up
	done
	wait_until 20 same_gids "$before" || { echo "$before"; echo now; gids; fail "the GIDs moved"; }
}

connected() { [ "$(rdma resource show qp link mlx5_bond_0/1 | grep -c "type RC state RTS")" -ge "$1" ]; } # QPS

# ib_send_bw and ib_write_bw, four queue pairs each, while ports are closed and opened in turn
tools_go_on()
{
	local gid peer_gid i tool port pids=() words=()

	keeps_connections
	gid=$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")
	peer_gid=$(peer "gid_index mlx5_bond_0 v2 $(guest_ip b 9)")
	port=18515
	for tool in ib_send_bw ib_write_bw; do
		# A timeout of a second, which an emulated processor may need; a megabyte a second, as all of it is captured.
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
	wait_until 60 connected 8	# a connection that begins amid a change may find its GID gone
	# they poll all the time, and all else takes so much longer
	for ((i = 0; i < FLIPS / 2; i++)); do
		link_heard $((i % 2)) down
		link_heard $((i % 2)) up
	done
	echo "$i fail-overs"
	tools_end "${pids[@]}"
	for tool in ib_send_bw ib_write_bw; do
		wait "${pids[0]}" || { cat /tmp/$tool; fail "$tool broke"; }
		pids=("${pids[@]:1}")
		grep -A 1 '^ #bytes' /tmp/$tool
		peer_wait $tool
	done
}

# perftest's clock is SIGALRM: the first begins what is measured, the second ends it, the third ends the run. Each comes when
# data has moved since the one before.
tools_end() # PIDS
{
	local n

	for n in begin end stop; do
		flows
		kill -ALRM "$@" || { cat /tmp/ib_*_bw; fail "one ended before it was told to ($n)"; }
		peer "pkill -ALRM -x ib_send_bw"	# who is written to has no clock
	done
}

both_ports_carry()
{
	local before=("$(sent 0)" "$(sent 1)") after i

	traffic op=write sizes=4096 count=16 + + + +
	after=("$(sent 0)" "$(sent 1)")
	echo "sent before: ${before[*]}, after: ${after[*]}"
	for i in 0 1; do [ $((after[i] - before[i])) -ge 60 ]; done
}
