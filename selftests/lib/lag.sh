# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Bonds of both ports of a card, here and at the peer, and traffic over them while ports fail. Sourced behind ktap.sh and window.sh.

XFER_PORT=7002
SEED=${CXR_SEED:-42}
FLIPS=${CXR_LONG:+100}
FLIPS=${FLIPS:-4}
BOND_OPTIONS=

lag_cards_ready() { driver_load; driver_net_up; peer "driver_load && driver_net_up"; }

# Text for a shell, here or at the peer: a bond of both ports. MODE ADDRESS
bond_text()
{
	cat <<-END
	modprobe bonding max_bonds=0
	ip link add bond0 type bond mode $1 miimon 20 $BOND_OPTIONS$([ "$1" != 802.3ad ] || echo " lacp_rate fast")
	for d in \$(driver_netdevs); do ip addr flush dev \$d; ip link set \$d down; ip link set \$d master bond0; done
	ip link set bond0 up
	ip addr replace $2/24 dev bond0
	END
}

bond() { eval "$(bond_text "$1" "$(my_ip 9)")"; }
bond_peer() { peer "$(bond_text "$1" "$(guest_ip b 9)" | sed '$!s/$/;/' | tr '\n' ' ')"; }
unbond() { ip link del bond0 2>/dev/null || true; driver_net_up; }
unbond_peer() { peer "ip link del bond0 2>/dev/null; driver_net_up"; }

is_lag() { [ "$(driver_ibdevs | tr '\n' ' ')" = "mlx5_bond_0 " ] && has_state mlx5_bond_0 "4: ACTIVE"; }
has_state() { [ "$(cat "/sys/class/infiniband/$1/ports/1/state")" = "$2" ]; }
is_pair() { [ "$(driver_ibdevs | grep -cv bond)" = 2 ] && [ "$(driver_ibdevs | wc -l)" = 2 ]; }
gid_is_there() { gid_index mlx5_bond_0 v2 "$(my_ip 9)" >/dev/null; }
peer_is_lag() { peer "gid_index mlx5_bond_0 v2 $(guest_ip b 9) >/dev/null"; }

lag_ready()
{
	wait_until 20 is_lag
	wait_until 20 gid_is_there
	wait_until 20 ping -q -c 1 -W 1 "$(guest_ip b 9)" >/dev/null
}

function_of() { driver_bdfs | sed -n "$1p"; }
state_file() { echo "/sys/bus/pci/drivers/cxr_core/$(function_of 1)/lag_state"; }
state_is() { grep -q "$1" "$(state_file)"; }
ours() { [ "$CXR_DRIVER" = cxr ] || skip "lag_state and roce_lag_enable are attributes of cxr_core"; }

link() # PORT up|down: of guest a, as the cable sees it
{
	emu fault "a$1" port "$2" >/dev/null
}

# ---- in and out ------------------------------------------------------------------------------------

two_devices()
{
	wait_until 20 is_pair
	driver_ibdevs
	[ "$CXR_DRIVER" != cxr ] || state_is "^off: a port is not in a bond"
}

# Port by port: LACP is between the two ends of a cable, not for others on a switch.
cables()
{
	[ "$1" = 802.3ad ] || return 0
	emu cable a0 b0
	emu cable a1 b1
}

aggregated() { grep -q "Number of ports: 2" /proc/net/bonding/bond0; }
both_used() { ! grep -q 802.3ad /proc/net/bonding/bond0 || aggregated; }

enters() # MODE
{
	cables "$1"
	bond "$1"
	bond_peer "$1"
	lag_ready
	wait_until 20 peer_is_lag
	wait_until 20 both_used
	rdma link
	rdma link | grep -q "link mlx5_bond_0/1 state ACTIVE.* netdev"
	[ "$CXR_DRIVER" != cxr ] || cat "$(state_file)"
}

leaves()
{
	unbond
	unbond_peer
	emu uncable a0
	emu uncable a1
	wait_until 20 is_pair
	[ "$CXR_DRIVER" != cxr ] || wait_until 10 state_is "^off: a port is not in a bond"
}

# ---- traffic ---------------------------------------------------------------------------------------

# A server that a failed test left has the port.
serve() { peer_kill xfer; PEER_TIMEOUT=3000 peer_bg xfer "/cxr/selftests/lib/xfer.py serve $XFER_PORT"; wait_until 60 peer "tcp_listens $XFER_PORT"; }
serve_no_more() { /cxr/selftests/lib/xfer.py stop b $XFER_PORT; peer_wait xfer; }

traffic() # NAME=VALUE...
{
	/cxr/selftests/lib/xfer.py run b $XFER_PORT dev=mlx5_bond_0 peer_dev=mlx5_bond_0 \
		"gid=$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")" \
		"peer_gid=$(peer "gid_index mlx5_bond_0 v2 $(guest_ip b 9)")" "seed=$SEED" "$@"
}

gids() { cat /sys/class/infiniband/mlx5_bond_0/ports/1/gids/{0,1,2,3,4,5} 2>/dev/null; }

same_gids() { [ "$(gids)" = "$1" ]; }

# Frames that port N of guest a sent
sent() { emu status | sed -n "s/^port a$1: .* sent \([0-9]*\) frames.*/\1/p"; }

more_sent() { [ "$(sent "$1")" -ge "$2" ]; } # PORT FRAMES

# Both ports of guest a together have sent more than FRAMES and a few
flowing() { [ $(($(sent 0) + $(sent 1))) -gt $(($1 + 100)) ]; }

# When the active slave changes, ib_core takes the bond's GIDs away, and so does that driver, under the queue pairs that use them.
keeps_connections() # MODE
{
	[ "$1 $CXR_DRIVER" != "active-backup mlx5" ] ||
		skip "the kernel's own driver loses connections when the active slave changes"
}

# The port that a connection leaves by fails, and stays down until the connection leaves by the other one. MODE
moves()
{
	local before pid port=0

	keeps_connections "$1"
	serve
	before=("$(sent 0)" "$(sent 1)")
	traffic op=write sizes=4096 count=30000 >/tmp/traffic 2>&1 &
	pid=$!
	wait_until 60 flowing $((before[0] + before[1]))
	[ $(($(sent 0) - before[0])) -gt $(($(sent 1) - before[1])) ] || port=1
	link $port down
	echo "port $((port + 1)) carried, and is down"
	wait_until 20 more_sent $((1 - port)) $(($(sent $((1 - port))) + 100)) || { cat /tmp/traffic; fail "the other port does not carry"; }
	kill -0 $pid || { cat /tmp/traffic; fail "the traffic broke, or was over too soon"; }
	link $port up
	pkill -P $pid	# the program in the shell that runs it
	wait $pid || true
	serve_no_more
	wait_until 20 both_used
}

# Traffic goes on while ports are closed and opened in turn, and no GID moves. MODE
survives()
{
	local before i port pid frames

	keeps_connections "$1"
	before=$(gids)
	serve
	frames=$(($(sent 0) + $(sent 1)))
	traffic op=write sizes=4096 count=$((FLIPS * 4000)) >/tmp/traffic 2>&1 &
	pid=$!
	wait_until 60 flowing "$frames"	# a connection that begins amid a change may find its GID gone
	RANDOM=$SEED
	for ((i = 0; i < FLIPS; i++)); do
		port=$((RANDOM % 2))
		link $port down
		sleep 1
		kill -0 $pid 2>/dev/null || break
		link $port up
		sleep 1
		wait_until 20 both_used
	done
	link 0 up
	link 1 up
	echo "$i fail-overs while it ran"
	wait $pid || { cat /tmp/traffic; fail "the traffic broke"; }
	cat /tmp/traffic
	traffic op=send sizes=64,65536 from=far count=8
	serve_no_more
	[ "$i" -ge 2 ]
	# A GID that is in use while the active slave changes gets another index: ib_core makes it anew.
	# The next change finds it unused.
	link 0 down
	sleep 1
	link 0 up
	link 1 down
	sleep 1
	link 1 up
	wait_until 20 same_gids "$before" || { echo "$before"; echo now; gids; fail "the GIDs moved"; }
}

connected() { [ "$(rdma resource show qp link mlx5_bond_0/1 | grep -c "type RC state RTS")" -ge "$1" ]; } # QPS

# ib_send_bw and ib_write_bw, four queue pairs each, while ports are closed and opened in turn. MODE
tools_go_on()
{
	local gid peer_gid i tool port seconds pids=() words

	# long enough for both to be connected, too, where a program takes a minute to begin
	seconds=$((3 * FLIPS + 4 + 60 * (${CXR_PATIENCE:-1} - 1)))
	keeps_connections "$1"
	gid=$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")
	peer_gid=$(peer "gid_index mlx5_bond_0 v2 $(guest_ip b 9)")
	port=18515
	for tool in ib_send_bw ib_write_bw; do
		# A timeout of a second, which an emulated processor may need; a megabyte a second, as all of it is captured.
		words="$tool -d mlx5_bond_0 -F -c RC -q 4 -s 4096 -u 18 -p $port -D $seconds"
		words="$words --rate_limit=1 --rate_units=M --rate_limit_type=SW --burst_size=16"
		PEER_TIMEOUT=$((seconds + 120)) peer_bg $tool "$words -x $peer_gid"
		wait_until 30 peer "tcp_listens $port"
		$words -x "$gid" b >/tmp/$tool 2>&1 &
		pids+=($!)
		port=$((port + 1))
	done
	wait_until 60 connected 8	# a connection that begins amid a change may find its GID gone
	RANDOM=$SEED
	for ((i = 0; i < FLIPS; i++)); do
		port=$((RANDOM % 2))
		link $port down
		sleep 1
		link $port up
		wait_until 20 both_used
		kill -0 "${pids[@]}" 2>/dev/null || break
	done
	echo "$i fail-overs while they ran"
	for tool in ib_send_bw ib_write_bw; do
		wait "${pids[0]}" || { cat /tmp/$tool; fail "$tool broke"; }
		pids=("${pids[@]:1}")
		grep -A 1 '^ #bytes' /tmp/$tool
		peer_wait $tool
	done
	[ "$i" -ge 2 ]
}

both_ports_carry()
{
	local before=("$(sent 0)" "$(sent 1)") after i

	serve
	for i in 1 2 3 4; do traffic op=write sizes=4096 count=16; done
	serve_no_more
	after=("$(sent 0)" "$(sent 1)")
	echo "sent before: ${before[*]}, after: ${after[*]}"
	for i in 0 1; do [ $((after[i] - before[i])) -ge 60 ]; done
}
