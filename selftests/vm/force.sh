#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Forced traffic classes: the rules in sysfs, and the DSCP of frames, also of connections that exist when the rules change.
# guests: 2
# takes: 60
# turn: yes
# drivers: cxr
# timeout: 600
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

XFER_PORT=7002
OWN=40			# traffic class that the programs ask for: DSCP 10

ready()
{
	ends_up 4200
	PEER_TIMEOUT=3000 peer_serves xfer "tcp_listens $XFER_PORT" run_python selftests/lib/xfer.py serve $XFER_PORT
}

clear_rules()
{
	local line

	echo 0 >"$tc/application_wins"
	echo 0 >"$tc/ttl"
	while read -r line; do echo "${line%tclass=*}tclass=-1" >"$tc/traffic_class"; done <<<"$(<"$tc/traffic_class")"
}

before_each()
{
	ends_know
	tc=/sys/class/infiniband/$dev/tc/1
	clear_rules
}

rule() { echo "$1" >"$tc/traffic_class"; }
rules_are() # LINE...
{
	cat "$tc/traffic_class"
	[ "$(<"$tc/traffic_class")" = "$(printf '%s\n' "$@")" ] || fail "expected: $*"
}

xfer()
{
	run_python selftests/lib/xfer.py run b $XFER_PORT "dev=$dev" "peer_dev=$peer_dev" "netdev=$netdev" tclass=$OWN sizes=1000 "$@"
}

# Frames to the peer of a transfer
sends() # OP GID WORDS [NAME=VALUE...]
{
	xfer count=4 "op=$1" "gid=${gid[$2]}" "peer_gid=${peer_gid[$2]}" "window=min=4 to=$peer_mac $3" "${@:4}"
}

# ---- rules -----------------------------------------------------------------------------------------

empty() { rules_are ''; }

printed()
{
	rule 'src_ip=1.1.1.1,dst_ip=10.0.0.5/20,tclass=0x60'
	rule 104
	rule 'dst_ip6=2001:db8::/33, tclass=4'
	rules_are 'Global tclass=104' 'src_ip=1.1.1.1,dst_ip=10.0.0.0/20,tclass=96' \
		'dst_ip6=2001:0db8:0000:0000:0000:0000:0000:0000/33,tclass=4'
	rule 'src_ip=1.1.1.1,dst_ip=10.0.0.0/20,tclass=-1'
	rule tclass=-1
	rules_are 'dst_ip6=2001:0db8:0000:0000:0000:0000:0000:0000/33,tclass=4'
}

refused()
{
	local text

	rule 'dst_ip=10.0.0.0/8,tclass=8'
	for text in 'dst_ip=10.0.0.0/8x,tclass=9' 'tclass=256' 'dst_ip=10.0.0.0/8'; do must_fail rule "$text"; done
	dmesg | tail -n 5
	dmesg | grep -q "$dev: traffic_class: 'dst_ip=10.0.0.0/8x' is refused: the length of a prefix is 0 to 32"
	rules_are 'dst_ip=10.0.0.0/8,tclass=8'
	must_fail eval "echo 2 >$tc/application_wins"
	[ "$(<"$tc/application_wins")" = 0 ]
}

# More than a page of text
many()
{
	local i j

	for i in {0..3}; do for j in {0..249}; do echo "dst_ip=10.0.$i.$j/32,tclass=$((j & 252))"; done; done >/tmp/force-rules
	while read -r i; do echo "$i" >"$tc/traffic_class"; done </tmp/force-rules
	cmp /tmp/force-rules "$tc/traffic_class"
	sends write v2 "type=v2/IPv4 dscp=10"
	rule "dst_ip=$(peer_ip),tclass=96"
	sends write v2 "type=v2/IPv4 dscp=24"
}

# ---- frames ----------------------------------------------------------------------------------------

# Class 96 is DSCP 24; ECT(0) stays
forced() # OP
{
	rule "dst_ip=$(peer_ip),tclass=96"
	rule "dst_ip6=$(peer_ip6),tclass=100"
	sends "$1" v2 "type=v2/IPv4 tclass=98"
	sends "$1" v6 "type=v2/IPv6 tclass=102"
	sends "$1" v1 "type=v1 tclass=$OWN"
}

other_peer()
{
	rule "dst_ip=$(my_ip),tclass=96"
	sends write v2 "type=v2/IPv4 dscp=10"
}

application_wins()
{
	rule 96
	echo 1 >"$tc/application_wins"
	sends write v2 "type=v2/IPv4 dscp=10"
	sends write v2 "type=v2/IPv4 dscp=24" tclass=0
}

# Of all versions. ib_core gives a path that of the route, 64.
ttl() # OP
{
	sends "$1" v2 "type=v2/IPv4 hops=64" hops=64
	echo 0x1f >"$tc/../../ttl/1/ttl"
	[ "$(<"$tc/ttl")" = 31 ]
	sends "$1" v2 "type=v2/IPv4 hops=31" hops=64
	sends "$1" v6 "type=v2/IPv6 hops=31" hops=64
	sends "$1" v1 "type=v1 hops=31" hops=64
	echo 255 >"$tc/ttl"
	[ "$(<"$tc/../../ttl/1/ttl")" = 255 ]
	sends "$1" v2 "type=v2/IPv4 hops=255" hops=64
	must_fail eval "echo 256 >$tc/ttl"
	must_fail eval "echo -1 >$tc/ttl"
	dmesg | grep -q "$dev: ttl: '256' is refused: must be 0 to 255"
	[ "$(<"$tc/ttl")" = 255 ]
	echo 0 >"$tc/ttl"
	sends "$1" v2 "type=v2/IPv4 hops=64" hops=64
}

# Frames of a connection while it runs
now() # WORDS
{
	window "min=2 to=$peer_mac type=v2/IPv4 $1" nap "${CXR_PATIENCE:-1}"
}

# A connection that is not made again: each change is seen in its frames.
live() # OP
{
	local pid

	rm -f /tmp/force-stop
	xfer "op=$1" "gid=${gid[v2]}" "peer_gid=${peer_gid[v2]}" count=1000000 until=/tmp/force-stop &
	pid=$!
	wait_until 30 busy
	now dscp=10
	rule "dst_ip=$(peer_ip),tclass=96"
	now dscp=24
	rule 4
	now dscp=1
	echo 1 >"$tc/application_wins"
	now dscp=10
	echo 0 >"$tc/application_wins"
	rule -1
	now dscp=24
	rule "dst_ip=$(peer_ip),tclass=-1"
	now dscp=10
	touch /tmp/force-stop
	wait $pid
}
busy() { grep -Eq ' (RC|UC) RTS' /sys/kernel/debug/cxr/*/qps; }

# Messages of the connection manager have address handles of the kernel.
cm()
{
	need_module rdma_cm
	rule 96
	peer "echo 96 >/sys/class/infiniband/$peer_dev/tc/1/traffic_class"
	window "min=6 type=v2/IPv4 dscp=24" ends_cm ib_send_bw -s 1000 -n 10
	peer "echo -1 >/sys/class/infiniband/$peer_dev/tc/1/traffic_class"
}

# ---- at once ---------------------------------------------------------------------------------------

# Rules are written while the device goes: each write succeeds or finds no file, and removal waits for it.
unbound()
{
	local bdf pid

	bdf=$(driver_bdfs | head -n 1)
	rm -f /tmp/force-stop
	(
		n=0
		until [ -e /tmp/force-stop ]; do
			n=$((n + 1))
			for f in /sys/class/infiniband/*/tc/1/traffic_class; do
				echo "dst_ip=10.1.$((n % 200)).0/24,tclass=$((n % 256))" >"$f" || true
			done
		done 2>/dev/null
		echo "$n rounds"
		[ $n -gt 20 ]
	) &
	pid=$!
	for _ in 1 2 3; do
		nap 1
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind
	done
	nap 1
	touch /tmp/force-stop
	wait $pid
}

leave()
{
	ends_stop
	peer 'echo -1 >/sys/class/infiniband/*/tc/1/traffic_class'
	driver_up 4200
}

ktap_setup ready
ktap_test empty "there are no rules at first" empty
ktap_test printed "rules are read as they are written" printed
ktap_test refused "a text that is not understood is refused with a reason in the log, and changes nothing" refused
ktap_test many "1000 rules are all read and looked up" many
ktap_test rc "RC: a rule sets the DSCP of RoCE v2, not the ECN bits, and nothing of RoCE v1" forced write
ktap_test uc "UC: a rule sets the DSCP of RoCE v2, not the ECN bits, and nothing of RoCE v1" forced uc_send
ktap_test other "a rule for another address changes nothing" other_peer
ktap_test wins "with application_wins a rule is for connections without a DSCP" application_wins
ktap_test ttl.rc "RC: a forced TTL replaces that of the path, until it is 0" ttl write
ktap_test ttl.uc "UC: a forced TTL replaces that of the path, until it is 0" ttl uc_send
ktap_test live.rc "RC: a connection follows the rules, and gets its own DSCP back" live write
ktap_test live.uc "UC: a connection follows the rules, and gets its own DSCP back" live uc_send
ktap_test cm "messages of the connection manager have the forced DSCP" cm
ktap_test unbind "rules may be written while the device is unbound" unbound
ktap_finally leave
ktap_end
