#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# RoCE LAG: both ports of a card in one bond are one RDMA device, which outlives the loss of a port;
# every way in, every way out, and what is refused.
# guests: 2
# functions: 2
# drivers: cxr mlx5
# timeout: 900
# long: 2400
. "$(dirname "$0")/../lib/ktap.sh"

XFER_PORT=7002
SEED=${CXR_SEED:-42}
FLIPS=${CXR_LONG:+100}
FLIPS=${FLIPS:-4}

# Text for a shell, here or at the peer: a bond of both ports. MODE ADDRESS
bond_text()
{
	cat <<-END
	modprobe bonding max_bonds=0
	ip link add bond0 type bond mode $1 miimon 20
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

enters() # MODE
{
	bond "$1"
	bond_peer "$1"
	lag_ready
	wait_until 20 peer_is_lag
	rdma link
	rdma link | grep -q "link mlx5_bond_0/1 state ACTIVE.* netdev"
	[ "$CXR_DRIVER" != cxr ] || cat "$(state_file)"
}

leaves()
{
	unbond
	unbond_peer
	wait_until 20 is_pair
	[ "$CXR_DRIVER" != cxr ] || wait_until 10 state_is "^off: a port is not in a bond"
}

# ---- traffic ---------------------------------------------------------------------------------------

serving() { peer "ss -ltn | grep -q ':$XFER_PORT '"; }
serve() { PEER_TIMEOUT=3000 peer_bg xfer "/cxr/selftests/lib/xfer.py serve $XFER_PORT"; wait_until 20 serving; }
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

# Traffic goes on while ports are closed and opened in turn, and no GID moves. MODE
survives()
{
	local before i port pid

	# ib_core takes the bond's GIDs away then, and so does that driver, under the queue pairs that use them.
	[ "$1 $CXR_DRIVER" != "active-backup mlx5" ] ||
		skip "the kernel's own driver loses connections when the active slave changes"
	before=$(gids)
	serve
	traffic op=write sizes=4096 count=$((FLIPS * 160)) >/tmp/traffic 2>&1 &
	pid=$!
	RANDOM=$SEED
	for ((i = 0; i < FLIPS; i++)); do
		port=$((RANDOM % 2))
		link $port down
		sleep 1
		kill -0 $pid 2>/dev/null || break
		link $port up
		sleep 1
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

port_of_qps() { rdma resource show qp link mlx5_bond_0/1 -dd -j | tr ',' '\n' | sed -n 's/.*"drv_lag-port":\([0-9]*\).*/\1/p'; }

spread()
{
	local one two pid

	ours
	rm -f /tmp/qps
	python3 - <<-'END' &
	import time
	from pyverbs.device import Context
	from pyverbs.pd import PD
	from pyverbs.cq import CQ
	from pyverbs.qp import QP, QPCap, QPInitAttr, QPAttr
	from pyverbs import enums as e
	ctx = Context(name="mlx5_bond_0")
	pd, cq = PD(ctx), CQ(ctx, 16)
	qps = []
	for _ in range(64):
	    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
	    attr = QPAttr(port_num=1)
	    qp.to_init(attr)
	    qps.append(qp)
	open("/tmp/qps", "w").close()
	time.sleep(300)
	END
	pid=$!
	wait_until 60 test -e /tmp/qps
	rdma resource show qp link mlx5_bond_0/1 -dd | head -n 3
	one=$(port_of_qps | grep -c '^1$')
	two=$(port_of_qps | grep -c '^2$')
	kill $pid
	echo "port 1: $one queue pairs, port 2: $two"
	[ "$one" = 32 ] && [ "$two" = 32 ]
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
	bond active-backup
	wait_until 20 is_lag
	ip link add lagd0 type dummy
	ip link set lagd0 master bond0
	refused "the bond has slaves that are not ports of this card"
	ip link set lagd0 nomaster
	ip link del lagd0
	wait_until 20 is_lag
	unbond
	wait_until 20 is_pair
}

wrong_mode()
{
	ours
	bond balance-rr
	refused "the bond's mode is not 1, 2 or 4"
	unbond
}

two_bonds()
{
	ours
	bond active-backup
	wait_until 20 is_lag
	ip link add bond1 type bond mode active-backup
	ip link set "$(driver_netdev 1)" down
	ip link set "$(driver_netdev 1)" master bond1
	refused "the ports are in different bonds"
	ip link del bond1
	unbond
}

switched_off()
{
	local attr

	ours
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
	unbond
	wait_until 20 is_pair
}

# ---- what may happen -------------------------------------------------------------------------------

# A function without its driver, in a LAG; then it comes back.
function_goes() # PORT
{
	local bdf

	ours
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

both_functions()
{
	function_goes 1
	function_goes 2
}

reload_in_lag()
{
	ours
	bond active-backup
	wait_until 20 is_lag
	devlink dev reload "pci/$(function_of 1)"
	wait_until 20 is_pair
	unbond
	bond active-backup
	wait_until 20 is_lag
	unbond
	wait_until 20 is_pair
}

bond_goes()
{
	local pid

	enters active-backup
	serve
	traffic op=write sizes=4096 count=2000 >/tmp/traffic 2>&1 &
	pid=$!
	sleep 1
	ip link del bond0
	wait_until 30 is_pair
	wait $pid && fail "the traffic went on without a device"
	peer_kill xfer
	peer_wait xfer || true
	leaves
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

ktap_plan 18
ready() { driver_load; driver_net_up; peer "driver_load && driver_net_up"; }
ktap_run "two cards with two ports are ready" ready
ktap_run "without a bond each port has a device of its own" two_devices
ktap_run "active-backup: one device in place of two" enters active-backup
KTAP_TIMEOUT=$((120 + 4 * FLIPS)) ktap_run "active-backup: traffic goes on while ports fail, $FLIPS times, and no GID moves (seed $SEED)" survives active-backup
ktap_run "without the bond there are two devices again" leaves
ktap_run "balance-xor: one device in place of two" enters balance-xor
ktap_run "balance-xor: 64 queue pairs are spread evenly" spread
ktap_run "balance-xor: both ports carry" both_ports_carry
KTAP_TIMEOUT=$((120 + 4 * FLIPS)) ktap_run "balance-xor: traffic goes on while ports fail, $FLIPS times, and no GID moves (seed $SEED)" survives balance-xor
ktap_run "and two devices again" leaves
ktap_run "a bond with a foreign slave is refused, and taken without it" foreign_slave
ktap_run "a bond of another mode is refused" wrong_mode
ktap_run "two bonds are refused" two_bonds
ktap_run "roce_lag_enable takes effect at once" switched_off
ktap_run "either function loses its driver and gets it back" both_functions
ktap_run "a reload in a LAG ends it" reload_in_lag
ktap_run "the bond goes under traffic" bond_goes
ktap_run "the driver unloads in a LAG" unload_in_lag
ktap_end
