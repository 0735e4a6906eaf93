#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What separates the users of an adapter from one another, and what does not: the statements of Documentation/guide/isolation.rst.
# guests: 2
# takes: 40
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
. "$KTAP_DIR/rows.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

probe=$(dirname "$0")/isolation.py

ready()
{
	rdma system set netns shared
	ip netns del tenant 2>/dev/null || true
	ends_up
	rows_agree "$probe"
}

before_each() { ends_know; }

case_of() # ID
{
	run_python "$probe" run "$1" "$dev" "${gid[v2]}" || exit
}

uverbs() { echo "/dev/infiniband/$(ls "/sys/class/infiniband/$dev/device/infiniband_verbs")"; }
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

# The permissions of the file are all that decides who may use the adapter
permissions()
{
	local file

	file=$(uverbs)
	chmod 660 "$file"
	must_fail nobody ibv_devinfo -d "$dev" -v
	chmod 666 "$file"
	nobody ibv_devinfo -d "$dev" -v >/dev/null
}

in_tenant() { ip netns exec tenant "$@"; }
opens() { in_tenant ibv_devinfo -d "$dev" >/dev/null 2>&1; }

# A namespace without any interface: its processes can use the device, and the addresses of others
shared()
{
	ip netns add tenant
	rdma system show | grep -q "netns shared"
	must_fail in_tenant ping -q -c 1 -W 1 "$(peer_ip)"
	in_tenant python3 -B "$probe" run rkey.own "$dev" "${gid[v2]}"
	ip netns del tenant
}

can_open() { (: <"$1"); }

# The device belongs to one namespace, like its interface
exclusive()
{
	local file address

	ktap_spoilt
	file=$(uverbs)
	address=$(my_ip)
	rdma system set netns exclusive
	ip netns add tenant
	must_fail opens
	ip link set "$netdev" netns tenant
	rdma dev set "$dev" netns tenant
	must_fail rdma dev show "$dev"
	must_fail can_open "$file"
	in_tenant rdma dev show "$dev"
	in_tenant ip addr add "$address/24" dev "$netdev"
	in_tenant ip link set "$netdev" up
	wait_until 20 in_tenant ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null
	# shellcheck disable=SC2016
	ends_serve "ibv_rc_pingpong -d $peer_dev" "-g ${peer_gid[v2]} -n 100"
	in_tenant bash -c ". selftests/lib/driver.sh; ibv_rc_pingpong -d $dev -g \$(gid_index $dev v2 $address) -n 100 -p $PP_PORT $(peer_ip)"
	peer_wait servers
	ip netns del tenant
	wait_until 20 rdma dev show "$dev"
	wait_until 20 test -e "/sys/class/net/$netdev"
	rdma system set netns shared
}

dropped() { tc -s filter show dev "$netdev" "$1" | sed -nE 's/.*\(dropped ([0-9]+),.*/\1/p'; }

# The kernel's filters see what the kernel sends and receives
firewall()
{
	local way

	modprobe -q -a sch_ingress cls_flower act_gact || skip "this kernel has no tc filters"
	tc qdisc add dev "$netdev" clsact
	for way in ingress egress; do
		tc filter add dev "$netdev" $way protocol ip flower ip_proto udp dst_port 4791 action drop
	done
	ends_pingpong 100
	[ "$(dropped ingress) $(dropped egress)" = "0 0" ]
	echo x >"/dev/udp/$(peer_ip)/4791"
	[ "$(dropped egress)" = 1 ]
	tc qdisc del dev "$netdev" clsact
}

# There is one partition key, which all have
pkeys() { [ "$(cat "/sys/class/infiniband/$dev/ports/1/pkeys"/*)" = 0xffff ]; }

restore()
{
	ip netns del tenant 2>/dev/null || true
	rdma system set netns shared
	tc qdisc del dev "$netdev" clsact 2>/dev/null || true
}

ktap_setup ready
ktap_test permissions "who may not open the file of the device cannot use the adapter" permissions
ktap_rows case_of < <(rows_list "$probe")
ktap_test pkeys "a RoCE port has one partition key" pkeys
ktap_test firewall "filters of the interface do not see RoCE packets" firewall
ktap_test netns.shared "by default a network namespace can use all RDMA devices" shared
ktap_test netns.exclusive "a device that belongs to a network namespace is usable there, and nowhere else" exclusive
ktap_finally restore
ktap_end
