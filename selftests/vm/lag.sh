#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# RoCE LAG: both ports of a card in one bond are one RDMA device, which outlives the loss of a port;
# every way in, every way out, and what is refused. The same without a bond: ECMP LAG.
# guests: 2
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

# Number and port of each, as debugfs has it
ports_in_debugfs() { sed -n 's/^0x\([0-9a-f]*\) [A-Z]* [A-Z]* port \([12]\)$/\1 \2/p' "/sys/kernel/debug/cxr/$(function_of 1)/qps"; }

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
	echo "port 1: $one queue pairs, port 2: $two"
	ports_in_debugfs | cut -d ' ' -f 2 | sort | uniq -c >/tmp/debugfs
	kill $pid
	[ "$one" = 32 ] && [ "$two" = 32 ]
	sed 's/^ *//' /tmp/debugfs
	grep -q "^ *32 1$" /tmp/debugfs
	grep -q "^ *32 2$" /tmp/debugfs
}

# Queue pairs to the peer with a flow label get the port by which the bond sends UDP of these addresses and ports.
labels()
{
	ours
	ip link set bond0 type bond xmit_hash_policy layer3+4
	timeout 120 python3 - "$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")" "$(my_ip 9)" "$(guest_ip b 9)" "$(function_of 1)" \
		"$(driver_netdev 0)" "$(driver_netdev 1)" <<-'END'
	import socket, sys, time
	from pyverbs import enums as e
	from pyverbs.addr import AHAttr, GID, GlobalRoute
	from pyverbs.cq import CQ
	from pyverbs.device import Context
	from pyverbs.pd import PD
	from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
	index, me, peer, bdf, *netdevs = sys.argv[1:]
	ctx = Context(name="mlx5_bond_0")
	pd, cq = PD(ctx), CQ(ctx, 16)
	dgid = GID(val="0000:0000:0000:0000:0000:ffff:{:02x}{:02x}:{:02x}{:02x}".format(*socket.inet_aton(peer)))

	def rdma_port(label):
	    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
	    attr = QPAttr(port_num=1)
	    attr.dest_qp_num, attr.path_mtu, attr.timeout = 0x100, e.IBV_MTU_1024, 14
	    attr.ah_attr = AHAttr(gr=GlobalRoute(dgid=dgid, sgid_index=int(index), flow_label=label, hop_limit=1), is_global=1,
	                          port_num=1)
	    qp.to_rts(attr)
	    rows = [row.split() for row in open(f"/sys/kernel/debug/cxr/{bdf}/qps")]
	    return next(int(row[4]) for row in rows if int(row[0], 16) == qp.qp_num and row[2] == "RTS")

	def counts():
	    return [int(open(f"/sys/class/net/{n}/statistics/tx_packets").read()) for n in netdevs]

	def udp_port(label):
	    # The hash is of the two ports' XOR, which is that of RoCE, but the ports are others: this is none.
	    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	    sock.bind((me, 4791 ^ 0x800))
	    before = counts()
	    for _ in range(50):
	        sock.sendto(b"x", (peer, ((label & 0x3fff ^ label >> 14) | 0xc000) ^ 0x800))
	    end = time.monotonic() + 10
	    while time.monotonic() < end:
	        sent = [now - was for now, was in zip(counts(), before)]
	        if max(sent) >= 50:
	            return 1 + sent.index(max(sent))
	        time.sleep(0.1)
	    raise AssertionError(f"50 packets did not leave: {sent}")

	seen = set()
	for label in (0x00001, 0x00002, 0x12345, 0x0ffff, 0xabcde, 0xfffff, 0x54321, 0x00fed):
	    want, got = udp_port(label), [rdma_port(label) for _ in range(2)]
	    print(f"label {label:#07x}: the bond sends by port {want}, the queue pairs have {got}")
	    assert got == [want, want]
	    seen.add(want)
	assert seen == {1, 2}, "all labels lead to one port"
	turns = [rdma_port(0) for _ in range(4)]
	assert sorted(turns) == [1, 1, 2, 2], f"without a label: {turns}"
	END
	ip link set bond0 type bond xmit_hash_policy layer2
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

# A slave that leaves for another namespace leaves the bond, and a bond there is no LAG. The end of a namespace gives the ports back.
namespaces()
{
	local dev port both

	ours
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
	unbond
	wait_until 20 is_pair
}
netdev_is_there() { [ -e "/sys/class/net/$1" ]; }

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
make_parent() # NAME
{
	modprobe dummy numdummies=0
	ip link add "$1" address "$(mac_of "$(driver_netdev 0)")" type dummy
	ip link set "$1" arp on up
	ip addr add "$(my_ip 9)/24" dev "$1"
	ip neigh replace "$(guest_ip b 9)" lladdr "$(peer 'cat /sys/class/net/$(driver_netdev)/address')" dev "$1" nud permanent
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

ecmp_enters()
{
	ours
	make_parent ecmp0
	peer "ip addr replace $(guest_ip b 9)/24 dev \$(driver_netdev)"
	[ "$(parent)" = "" ]
	echo ecmp0 >"$(ecmp_attr 1)"
	is_lag			# at once
	[ "$(parent 0)" = ecmp0 ]
	[ "$(parent 1)" = ecmp0 ]
	cat "$(state_file)"
	has_map "1 2"
	wait_until 20 gid_is_there
	[ "$(echo /sys/class/infiniband/mlx5_bond_0/ports/1/gids/* | wc -w)" = 128 ]
	ibv_devinfo -v -d mlx5_bond_0 | grep "gid_tbl_len:[[:space:]]*128$"
	emu gids a0
	doubles "$(mac_of "$(driver_netdev 0)")" "$(mac_of "$(driver_netdev 1)")"
	peer "$(declare -f ibdev_with) && wait_until 20 ibdev_with $(guest_ip b 9) >/dev/null"
}

# What all the tests of it ask, once: interfaces and MACs by port, the peer's MAC and device, the GIDs
ecmp_facts()
{
	local n

	for n in 1 2; do
		netdev[n]=$(driver_netdev $((n - 1)))
		mac[n]=$(mac_of "${netdev[n]}")
	done
	gid=$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")
	read -r peer_mac peer_dev peer_gid < <(peer "$(declare -f ibdev_with)
		d=\$(ibdev_with $(guest_ip b 9)); echo \$(cat /sys/class/net/\$(driver_netdev)/address) \$d \$(gid_index \$d v2 $(guest_ip b 9))")
}

ecmp_traffic() # NAME=VALUE... [+ NAME=VALUE...]
{
	/cxr/selftests/lib/xfer.py run b "$XFER_PORT" dev=mlx5_bond_0 "gid=$gid" "peer_dev=$peer_dev" "peer_gid=$peer_gid" \
		"netdev=${netdev[1]}" "seed=$SEED" "$@"
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

	ours
	peer_sends_to "${mac[1]}"
	serve
	port=$(next_port)
	by_port "$port"
	# Datagrams are port 1's; they take no turn.
	before=$(sent 0)
	ecmp_traffic op=datagram sizes=1024 count=16 "window=min=16 to=$peer_mac smac=${mac[1]}"
	[ $(($(sent 0) - before)) -ge 16 ]
	by_port $((3 - port))
	serve_no_more
}

# Two connected queue pairs of this host, each of another port, by the host's own address; what a query says of the path
ecmp_itself()
{
	ours
	timeout 60 python3 - "$gid" <<-'END'
	import sys, time
	from pyverbs import enums as e
	from pyverbs.addr import AHAttr, GlobalRoute
	from pyverbs.cq import CQ
	from pyverbs.device import Context
	from pyverbs.mr import MR
	from pyverbs.pd import PD
	from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
	from pyverbs.wr import SGE, RecvWR, SendWR
	index = int(sys.argv[1])
	ctx = Context(name="mlx5_bond_0")
	pd, cq = PD(ctx), CQ(ctx, 16)
	mr = MR(pd, 4096, e.IBV_ACCESS_LOCAL_WRITE)
	qps = [QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4, max_recv_wr=4),
	                         sq_sig_all=1)) for _ in range(2)]
	for qp, to in zip(qps, reversed(qps)):
	    route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index, hop_limit=1)
	    attr = QPAttr(port_num=1)
	    attr.dest_qp_num, attr.path_mtu, attr.timeout, attr.retry_cnt, attr.rnr_retry = to.qp_num, e.IBV_MTU_1024, 17, 7, 7
	    attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
	    qp.to_rts(attr)
	    got = qp.query(e.IBV_QP_AV)[0].ah_attr.sgid_index
	    assert got == index, f"index {index} became {got}"
	for qp, to in zip(qps, reversed(qps)):
	    to.post_recv(RecvWR(num_sge=1, sg=[SGE(mr.buf + 2048, 64, mr.lkey)]))
	    qp.post_send(SendWR(num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)], opcode=e.IBV_WR_SEND))
	left, end = 4, time.monotonic() + 50
	while left and time.monotonic() < end:
	    n, wcs = cq.poll(left)
	    assert all(wc.status == e.IBV_WC_SUCCESS for wc in wcs), [wc.status for wc in wcs]
	    left -= n
	assert not left, f"{left} completions did not come"
	END
}

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
	local other=$((3 - $1)) pid

	peer_sends_to "${mac[other]}"
	[ "$(next_port)" = "$1" ] || ecmp_traffic op=write sizes=64 count=1
	ecmp_traffic op=write sizes=4096 count=8000 >/tmp/traffic 2>&1 &
	pid=$!
	sends_as "$1" "$1"
	link $(($1 - 1)) down
	wait_until 20 has_map "$other $other"
	doubles "${mac[other]}" "${mac[other]}"
	sends_as "$other" "$1"
	link $(($1 - 1)) up
	wait_until 20 has_map "1 2"
	doubles "${mac[1]}" "${mac[2]}"
	sends_as "$1" "$1"
	kill -0 $pid || { cat /tmp/traffic; fail "the traffic broke, or was over too soon"; }
	pkill -P $pid	# the program in the shell that runs it
	wait $pid || true
	cat /tmp/traffic
}

ecmp_survives()
{
	ours
	serve
	fails_over 2
	fails_over 1
	serve_no_more
}

# Its connections are none of ours to break: the address stays, and the entries follow.
ecmp_new_mac()
{
	ours
	ip link set "${netdev[2]}" address 02:00:5e:10:00:01
	wait_until 10 doubles "${mac[1]}" 02:00:5e:10:00:01
	ip link set "${netdev[2]}" address "${mac[2]}"
	wait_until 10 doubles "${mac[1]}" "${mac[2]}"
}

ecmp_leaves()
{
	ours
	echo >"$(ecmp_attr)"
	is_pair			# at once
	[ "$(parent)" = "" ]
	state_is "^off: a port is not in a bond"
	echo "" >"$(ecmp_attr)"	# once more is no error
}

writes_in_vain() # NAME ERROR REASON
{
	local said

	if said=$( (echo "$1" >"$(ecmp_attr)") 2>&1); then fail "'$1' is taken"; fi
	echo "$said"
	grep -q "write error: $2" <<<"$said"
	dmesg | awk '/cxr-test: / { t = "" } { t = t "\n" $0 } END { print t }' |
		grep -q "roce_lag_ecmp_dev: '$1' is refused: $3"
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
	enable=/sys/bus/pci/drivers/cxr_core/$(function_of 2)/roce_lag_enable
	ecmp_refused nosuch0 "No such device" "there is no interface of that name"
	ecmp_refused longer-than-names-are "No such device" "there is no interface of that name"
	ecmp_refused "$(driver_netdev 1)" "Invalid argument" "that interface is a port of this card"
	ecmp_refused lo "Invalid argument" "that interface is not an Ethernet one"
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

	ours
	is_lag
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

no_parent() { [ "$(parent)" = "" ] && is_pair; }

ecmp_parent_goes()
{
	ours
	is_lag
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
	ours
	make_parent ecmp0
	echo ecmp0 >"$(ecmp_attr)"
	is_lag
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
	/cxr/selftests/lib/xfer.py run b "$XFER_PORT" "dev=$(driver_ibdev)" "peer_dev=$1" gid=1 peer_gid=1 op=write sizes=4096 \
		count=32 timeout=12 wait=3
}

# Those that a device takes with it fail.
storm_traffic() # PEER-DEVICE
{
	while [ ! -e /tmp/storm-is-over ]; do
		transfer "$1" || true
		sleep 0.2
	done >>/tmp/storm-traffic 2>&1
}
transfers() { grep -c "32 right" /tmp/storm-traffic || true; }
transfer_is_right() { [ "$(transfers)" -gt 0 ]; }

# What was done does not matter once it is undone.
storm()
{
	local i n bdf pid far

	ours
	serve
	rm -f /tmp/storm-is-over
	true >/tmp/storm-traffic
	far=$(peer driver_ibdev)
	storm_traffic "$far" &
	pid=$!
	wait_until 20 transfer_is_right || { cat /tmp/storm-traffic; fail "there is no traffic before the storm"; }
	make_parent ecmp0
	RANDOM=$SEED
	for ((i = 0; i < STORM; i++)); do
		something >/dev/null 2>&1 || true
		[ "$(driver_ibdevs | wc -l)" -le 2 ]
	done
	touch /tmp/storm-is-over
	wait $pid
	echo "$(transfers) of $(wc -l </tmp/storm-traffic) lines of the traffic say that all is right"
	ip netns del storm 2>/dev/null || true
	driver_insmod cxr_ib
	for n in 1 2; do
		link $((n - 1)) up
		bdf=$(function_of $n)
		[ -e "/sys/bus/pci/drivers/cxr_core/$bdf" ] || echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind
		echo 1 >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_enable"
	done
	echo >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_ecmp_dev"
	unbond
	wait_until 20 is_pair
	state_is "^off: a port is not in a bond"
	transfer "$far"
	bond active-backup
	wait_until 20 is_lag
	unbond
	wait_until 20 is_pair
	ip link del ecmp0
	serve_no_more
}

# What the port of the one device tells is what the bond tells. MODE
follows()
{
	local mtu sum=1

	[ "$(cat /sys/class/net/bond0/mtu)" = 1500 ]
	has_mtu 1024
	for mtu in 4200 1500; do
		peer "ip link set bond0 mtu $mtu"
		ip link set bond0 mtu $mtu
		wait_until 10 has_mtu $((mtu == 1500 ? 1024 : 4096))
	done
	[ "$1" = active-backup ] || sum=2
	if [ "$CXR_DRIVER" = cxr ]; then has_rate $((sum * $(port_speed))); fi
	link 0 down
	wait_until 10 has_state mlx5_bond_0 "4: ACTIVE"
	[ "$CXR_DRIVER" != cxr ] || wait_until 10 has_rate "$(port_speed 1)"
	link 1 down
	wait_until 10 has_state mlx5_bond_0 "1: DOWN"
	link 0 up
	link 1 up
	wait_until 10 has_state mlx5_bond_0 "4: ACTIVE"
	wait_until 20 both_used
	[ "$CXR_DRIVER" != cxr ] || wait_until 10 has_rate $((sum * $(port_speed)))
}
has_mtu() { ibv_devinfo -d mlx5_bond_0 | grep -q "active_mtu:[[:space:]]*$1 "; }
port_speed() { cat "/sys/class/net/$(driver_netdev "${1:-0}")/speed"; } # in Mb/s
has_rate() { [ "$(cut -d ' ' -f 1 /sys/class/infiniband/mlx5_bond_0/ports/1/rate)000" = "$1" ]; } # Mb/s

ktap_plan 45
ktap_run "two cards with two ports are ready" lag_cards_ready
ktap_run "without a bond each port has a device of its own" two_devices
ktap_run "active-backup: one device in place of two" enters active-backup
ktap_run "active-backup: state, MTU and speed are those of the bond" follows active-backup
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_run "active-backup: traffic goes on while ports fail, $FLIPS times, and no GID moves (seed $SEED)" survives active-backup
KTAP_TIMEOUT=$((240 + 6 * FLIPS)) ktap_run "active-backup: ib_send_bw and ib_write_bw go on while ports fail" tools_go_on active-backup
ktap_run "active-backup: a port that fails: its connections leave by the other one" moves active-backup
ktap_run "without the bond there are two devices again" leaves
ktap_run "balance-xor: one device in place of two" enters balance-xor
ktap_run "balance-xor: state, MTU and speed are those of the bond" follows balance-xor
ktap_run "balance-xor: 64 queue pairs are spread evenly" spread
ktap_run "balance-xor: both ports carry" both_ports_carry
KTAP_TIMEOUT=$((240 + 4 * FLIPS)) ktap_run "balance-xor: traffic goes on while ports fail, $FLIPS times, and no GID moves (seed $SEED)" survives balance-xor
KTAP_TIMEOUT=$((240 + 6 * FLIPS)) ktap_run "balance-xor: ib_send_bw and ib_write_bw go on while ports fail" tools_go_on balance-xor
ktap_run "balance-xor: a port that fails: its connections leave by the other one" moves balance-xor
ktap_run "balance-xor: a queue pair with a flow label gets the port of the bond's hash" labels
ktap_run "and two devices again" leaves
ktap_run "802.3ad: one device in place of two" enters 802.3ad
ktap_run "802.3ad: state, MTU and speed are those of the bond" follows 802.3ad
ktap_run "802.3ad: 64 queue pairs are spread evenly" spread
ktap_run "802.3ad: both ports carry" both_ports_carry
KTAP_TIMEOUT=$((240 + 8 * FLIPS)) ktap_run "802.3ad: traffic goes on while ports fail, $FLIPS times, and no GID moves (seed $SEED)" survives 802.3ad
KTAP_TIMEOUT=$((240 + 6 * FLIPS)) ktap_run "802.3ad: ib_send_bw and ib_write_bw go on while ports fail" tools_go_on 802.3ad
ktap_run "802.3ad: a port that fails: its connections leave by the other one" moves 802.3ad
ktap_run "two devices after 802.3ad" leaves
ktap_run "a bond with a foreign slave is refused, and taken without it" foreign_slave
ktap_run "a bond of another mode is refused" wrong_mode
ktap_run "two bonds are refused" two_bonds
ktap_run "roce_lag_enable takes effect at once" switched_off
ktap_run "either function loses its driver and gets it back" both_functions
ktap_run "a reload in a LAG ends it" reload_in_lag
ktap_run "ports and bonds in other network namespaces, and the end of those" namespaces
ktap_run "the bond goes under traffic" bond_goes
ktap_run "the driver unloads in a LAG" unload_in_lag
ktap_run "roce_lag_ecmp_dev: one device without a bond, with half the GIDs, each twice in the adapter" ecmp_enters
netdev=() mac=()
[ "$CXR_DRIVER" != cxr ] || ecmp_facts
ktap_run "ECMP LAG: what is sent has the MAC of the port that it leaves by" ecmp_macs
ktap_run "ECMP LAG: the host finds itself, and a query has the index of the GID" ecmp_itself
KTAP_TIMEOUT=240 ktap_run "ECMP LAG: a port fails, and the other one sends under its own MAC until it is back" ecmp_survives
ktap_run "ECMP LAG: the entries follow the MAC of a port" ecmp_new_mac
ktap_run "an empty write leaves the ECMP LAG" ecmp_leaves
ktap_run "what roce_lag_ecmp_dev refuses: the write, the log and lag_state say why" ecmp_refusals
KTAP_TIMEOUT=240 ktap_run "ECMP LAG: names, bonds, functions that go and come" ecmp_life
ktap_run "ECMP LAG: the parent goes" ecmp_parent_goes
ktap_run "the driver unloads in an ECMP LAG" ecmp_unload
KTAP_TIMEOUT=$((120 + 3 * STORM)) ktap_run "$STORM random things with bonds, parents, cables and functions under traffic leave no trace (seed $SEED)" storm
ktap_end
