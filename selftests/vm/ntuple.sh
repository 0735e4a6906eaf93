#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Rules for received packets: ethtool -N. By default all packets go to queue 0, those of a rule to queue 1.
# guests: 2
# cpus: 2
# timeout: 900
# takes: 240
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

before_each() { ends_know; }

COUNT=200	# frames of a kind; other programs send some, too

ready()
{
	ends_up
	ends_know
	[ "$(channels_are)" = 2 ] || ethtool -L "$netdev" combined 2
	set_rss equal 1
}

rules() { ethtool -n "$netdev" 2>&1 | sed -n 's/^Filter: //p'; }

no_rules()
{
	local location

	for location in $(rules); do ethtool -N "$netdev" delete "$location"; done
	[ -z "$(rules)" ]
}

# A rule, which the end of the test deletes
rule() # WORDS...
{
	trap no_rules EXIT
	ethtool -N "$netdev" "$@"
}

# What each of the queues 0 and 1 has received
counts() { echo "$(counter rx0_packets) $(counter rx1_packets)"; }

got() { counts | awk -v b0="${BEFORE% *}" -v b1="${BEFORE#* }" '{ print $1 - b0, $2 - b1 }'; }

# The peer sends COUNT frames of each kind; got() prints how many each queue has received since
sends() # KIND[,FIELD=VALUE]...
{
	local frames=() word addresses fields

	for word; do
		fields=${word#"${word%%,*}"}
		case ${word%%,*} in
		ether) addresses='' ;;
		*4*) addresses=",src=$(peer_ip),dst=$(my_ip)" ;;
		*) addresses=",src=$(peer_ip6),dst=$(my_ip6)" ;;
		esac
		frames+=("${word%%,*},to=$mac$addresses$fields")
	done
	BEFORE=$(counts)
	peer "python3 -B selftests/lib/flow_frames.py $peer_netdev $COUNT ${frames[*]}"
	reachable		# it answers after the last of them
}

has_got() { got | awk -v n0="$1" -v n1="$2" '{ exit $1 < n0 || $2 < n1 }'; } # PACKETS0 PACKETS1
# N0 and N1 times COUNT frames, and at most some of other programs
got_no_more() { got | awk -v n0="$1" -v n1="$2" -v n=$COUNT '{ exit $1 >= (n0 + .5) * n || $2 >= (n1 + .5) * n }'; }

# The rule for UDP port 7
acts() { get 1 1 udp4,dport=7 udp4,dport=8; }

# How many of the kinds of frames each queue gets
get() # N0 N1 KIND...
{
	local n0=$1 n1=$2

	shift 2
	sends "$@"
	wait_until 5 has_got $((n0 * COUNT)) $((n1 * COUNT)) && got_no_more "$n0" "$n1" ||
		fail "of frames ($*) the queues got: $(got), not $n0 and $n1 times $COUNT"
}

# Only frames that match have the queue of the rule, and only until it is deleted
leads() # RULE MATCHING OTHERS
{
	local match other

	read -ra match <<<"$2"
	read -ra other <<<"$3"
	# shellcheck disable=SC2086
	rule $1 action 1
	get 0 ${#match[@]} "${match[@]}"
	get ${#other[@]} 0 "${other[@]}"
	no_rules
	get ${#match[@]} 0 "${match[@]}"
}

leads_ours() # as leads
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver does not match on this field"
	leads "$@"
}

ipv4_source() { leads "flow-type udp4 src-ip $(peer_ip)" "udp4 udp4,sport=7" "udp4,src=192.0.2.1 tcp4"; }
ipv4_destination() { leads "flow-type ip4 dst-ip $(my_ip)" "udp4 tcp4 ip4" "udp4,dst=192.0.2.1 udp6"; }
ipv4_network() { leads "flow-type ip4 src-ip 192.0.2.0 m 0.0.0.255" "udp4,src=192.0.2.9 ip4,src=192.0.2.255" "udp4,src=192.0.3.9"; }
ipv6_source() { leads "flow-type tcp6 src-ip $(peer_ip6)" "tcp6" "tcp6,src=2001:db8::1 udp6"; }
ipv6_network() { leads "flow-type ip6 dst-ip 2001:db8:: m ::ffff:ffff:ffff:ffff:ffff" "ip6,dst=2001:db8::5 udp6,dst=2001:db8:0::6" "ip6,dst=2001:db9::5"; }
destination_mac() { leads "flow-type udp4 dst-port 7 dst-mac $mac" "udp4,dport=7" "udp4,dport=8"; }

# The in-tree driver drops packets without a rule of a VLAN that no interface is for.
vlan()
{
	local words="flow-type udp4 dst-port 7 vlan 5 m 0xf000" tagged="udp4,dport=7,vlan=5 udp4,dport=7,vlan=0x2005"

	if [ "$CXR_DRIVER" = cxr ]; then
		leads "$words" "$tagged" "udp4,dport=7 udp4,vlan=5"
	else
		# shellcheck disable=SC2086
		rule $words action 1
		# shellcheck disable=SC2086
		get 0 2 $tagged
		get 1 0 udp4,dport=7
	fi
}

# ---- what becomes of packets ----

drops()
{
	rule flow-type udp4 dst-port 7 action -1
	get 1 0 udp4,dport=7 udp4,dport=8
	reachable
	no_rules
	get 1 0 udp4,dport=7
}

spreads()
{
	rule flow-type ip4 action 1 loc 20
	get 0 2 udp4,dport=7 udp4,dport=8
	rule flow-type udp4 dst-port 7 src-port 1000 context 0 loc 10
	get 1 1 udp4,dport=7 udp4,dport=8
}

# ---- RSS contexts ----

# A new context, with the words of ethtool -X; the end of the test deletes it and all rules
context()
{
	local said

	said=$(set_rss context new "$@") || return
	ID=${said##* }
	trap 'no_rules; no_context' EXIT
}

no_context() { set_rss context "$ID" delete; }
of_context() { ethtool -N "$netdev" "$@" context "$ID"; }

has_context()
{
	context weight 0 1
	of_context flow-type udp4 dst-port 7
	get 1 1 udp4,dport=7 udp4
	set_rss context "$ID" equal 1
	get 2 0 udp4,dport=7 udp4
	set_rss context "$ID" weight 0 1
	get 1 1 udp4,dport=7 udp4
	ethtool -n "$netdev" | grep "RSS Context $ID"
}

context_spreads()
{
	local i flows=()

	context equal 2
	of_context flow-type udp4
	# The queue is a sum of bits of the ports, those where the key has a bit: each bit is tried.
	for i in {0..15}; do flows+=("udp4,dport=$((1 << i))" "udp4,sport=$((1 << i))"); done
	sends "${flows[@]}"
	wait_until 5 has_got $COUNT $COUNT || fail "the queues got: $(got)"
	get 1 0 tcp4
}

context_in_use()
{
	context weight 0 1
	of_context flow-type udp4 dst-port 7
	must_fail no_context
	get 1 1 udp4,dport=7 udp4
	no_rules
	no_context
	must_fail of_context flow-type udp4 dst-port 7
	trap - EXIT
}

context_stays()
{
	context weight 0 1
	of_context flow-type udp4 dst-port 7
	ip link set "$netdev" down
	ip link set "$netdev" up
	wait_until 20 reachable
	acts
	ip link set "$netdev" down
	set_rss context "$ID" equal 1
	ip link set "$netdev" up
	wait_until 20 reachable
	get 2 0 udp4,dport=7 udp4,dport=8
	set_rss context "$ID" weight 0 1
	acts
	[ "$CXR_DRIVER" = cxr ] || return 0		# the in-tree driver makes a new netdev
	echo 1 >"/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/reset"
	wait_until 20 reachable
	acts
}

# As many as the in-tree driver has
many_contexts()
{
	local ids=() i

	for i in {1..15}; do
		context weight 0 1
		ids+=("$ID")
	done
	must_fail context equal 1
	of_context flow-type udp4 dst-port 7
	acts
	no_rules
	for ID in "${ids[@]}"; do no_context; done
	trap - EXIT
}

context_refused()
{
	context weight 0 1
	must_fail of_context flow-type ether src 02:00:00:00:00:77
	must_fail set_rss context "$ID" hfunc crc32
	must_fail set_rss context 14 equal 1
	must_fail ethtool -N "$netdev" flow-type udp4 dst-port 7 context 14
	[ -z "$(rules)" ]
	[[ $(uname -r) != 6.1.* ]] || return 0		# sets the hashed fields of the interface, whatever context is given
	must_fail ethtool -N "$netdev" rx-flow-hash udp4 v context "$ID"
	ethtool -N "$netdev" rx-flow-hash udp4 sd context "$ID"
	ethtool -n "$netdev" rx-flow-hash udp4 context "$ID" | grep "IP DA"
	must_fail eval 'ethtool -n "$netdev" rx-flow-hash udp4 context "$ID" | grep "L4 bytes"'
	ethtool -n "$netdev" rx-flow-hash udp4 | grep "L4 bytes 2 & 3"
}

# The device refuses a part of a context, or of a change
context_device_refuses()
{
	local command

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver keeps the hash that the device refused"
	for command in "create_rqt nth=1" "create_tir nth=1" "create_tir nth=6"; do
		# shellcheck disable=SC2086
		emu fault "$CXR_GUEST" command ${command% *} status no_res ${command#* } >/dev/null
		must_fail context weight 0 1
		emu fault clear >/dev/null
	done
	context weight 0 1
	trap 'emu fault clear >/dev/null; no_rules; no_context' EXIT
	of_context flow-type udp4 dst-port 7
	emu fault "$CXR_GUEST" command modify_rqt status no_res nth=1 >/dev/null
	must_fail set_rss context "$ID" equal 1
	acts
}

# ---- several rules ----

lowest_wins()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver orders rules by how many fields they match on"
	rule flow-type udp4 dst-port 7 action 1 loc 20
	get 0 1 udp4,dport=7
	rule flow-type ip4 action 0 loc 10
	get 1 0 udp4,dport=7
	rule flow-type udp4 dst-port 7 src-port 9 action -1 loc 5
	get 1 0 udp4,dport=7 udp4,dport=7,sport=9
	ethtool -N "$netdev" delete 10
	get 0 1 udp4,dport=7 udp4,dport=7,sport=9
}

same_location()
{
	rule flow-type udp4 dst-port 7 action 1 loc 3
	rule flow-type tcp4 dst-port 8 action 1 loc 3
	[ "$(rules)" = 3 ]
	get 1 1 udp4,dport=7 tcp4,dport=8
	ethtool -n "$netdev" rule 3 | grep "Rule Type: TCP over IPv4"
	ethtool -n "$netdev" rule 3 | grep "Dest port: 8 "
}

# The location of the last of 40 rules, and of the highest and the lowest one
many()
{
	local i

	for i in {100..139}; do rule flow-type udp4 dst-port "$i" action 1 loc $((i + 7)) >/dev/null; done
	rule flow-type udp4 dst-port 140 action 1
	rule flow-type udp4 dst-port 141 action 1 loc 0
	[ "$(rules | wc -l)" = 42 ] && [ "$(rules | head -n 1)" = 0 ] && [ "$(rules | tail -n 1)" = 1023 ]
	get 1 4 udp4,dport=100 udp4,dport=139 udp4,dport=140 udp4,dport=141 udp4,dport=142
}

# ---- over time ----

closed()
{
	rule flow-type udp4 dst-port 7 action 1 loc 9
	ip link set "$netdev" down
	[ "$(rules)" = 9 ]
	rule flow-type udp4 dst-port 8 action 1 loc 11
	ethtool -N "$netdev" delete 9
	rule flow-type udp4 dst-port 7 action 1 loc 10
	ethtool -N "$netdev" delete 11
	ip link set "$netdev" up
	wait_until 20 reachable
	[ "$(rules)" = 10 ]
	acts
}

changed_queues()
{
	# shellcheck disable=SC2064
	trap "no_rules; ip link set $netdev mtu 1500; ethtool -G $netdev rx 1024" EXIT
	ethtool -N "$netdev" flow-type udp4 dst-port 7 action 1
	ip link set "$netdev" mtu 3000
	wait_until 20 reachable
	acts
	ethtool -G "$netdev" rx 512
	wait_until 20 reachable
	acts
}

promiscuous()
{
	rule flow-type udp4 dst-port 7 action 1
	# shellcheck disable=SC2064
	trap "no_rules; ip link set $netdev promisc off allmulticast off" EXIT
	ip link set "$netdev" promisc on
	acts
	ip link set "$netdev" promisc off allmulticast on
	acts
}

# The frame of the self test is not for a rule.
self_test()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the self test of the in-tree driver takes the interface down"
	rule flow-type ether action -1
	ethtool -t "$netdev" online
	must_fail reachable_at_once
	no_rules
	reachable
}

# The device refuses to make the table of the rules the first one again
self_test_refused()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the self test of the in-tree driver takes the interface down"
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	ktap_allows "restarting all queues"
	trap 'emu fault clear' EXIT
	rule flow-type ether action -1
	emu fault "$CXR_GUEST" command set_flow_table_root status bad_res nth=2
	must_fail ethtool -t "$netdev" online
	kmsg | grep "stay as for the loopback test"
	wait_until 30 must_not_reach
	no_rules
	wait_until 30 reachable_at_once
}
must_not_reach() { ! reachable_at_once; }

reachable_at_once() { ping -q -c 1 -W 1 "$(peer_ip)"; }

fewer_channels()
{
	[ "$CXR_DRIVER" = cxr ] || [[ $(uname -r) != 6.1.* ]] || skip "the in-tree driver of 6.1 lets a rule lead to a channel that is not there"
	rule flow-type udp4 dst-port 7 action 1
	must_fail ethtool -L "$netdev" combined 1
	[ "$(channels_are)" = 2 ]
	acts
	no_rules
	ethtool -L "$netdev" combined 1
	must_fail ethtool -N "$netdev" flow-type udp4 dst-port 7 action 1
	ethtool -L "$netdev" combined 2
	set_rss equal 1
	wait_until 20 reachable
}

after_reset()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new netdev"
	rule flow-type udp4 dst-port 7 action 1
	echo 1 >"/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/reset"
	wait_until 20 reachable
	acts
}

# ---- bad input ----

said() { kmsg | grep "ethtool -N: .*$1"; }

# Nothing is changed, and the log says why.
no() # REASON WORDS...
{
	local reason=$1

	shift
	must_fail ethtool -N "$netdev" "$@"
	[ "$(rules)" = 5 ] || fail "the rules are: $(rules)"
	[ "$CXR_DRIVER" != cxr ] || said "$reason"
}

refused()
{
	rule flow-type udp4 dst-port 7 action 1 loc 5
	must_fail ethtool -N "$netdev" flow-type udp4 dst-port 8 action 1 loc 1024		# ethtool does
	no "no such channel" flow-type udp4 dst-port 8 action 2
	no "no such channel" flow-type udp4 dst-port 8 action 1 loc 5 vf 1
	no "flow types are" flow-type sctp4 dst-port 8 action 1
	no "l4data" flow-type ip4 l4data 0x1234 action 1
	no "vlan-etype" flow-type udp4 dst-port 8 vlan-etype 0x88a8 action 1
	[ "$CXR_DRIVER" != cxr ] || no "user-def" flow-type udp4 dst-port 8 user-def 0x1 action 1
	no "no such RSS context" flow-type udp4 dst-port 8 context 7
	must_fail ethtool -N "$netdev" delete 6
	[ "$(rules)" = 5 ]
	acts
}

# The device refuses a part of a rule that replaces another: that acts.
device_refuses()
{
	local command

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver forgets the rule"
	rule flow-type udp4 dst-port 7 action 1 loc 5
	trap 'emu fault clear >/dev/null; no_rules' EXIT
	for command in delete_fte destroy_flow_group create_tir create_flow_group set_fte; do
		emu fault "$CXR_GUEST" command $command status no_res nth=1 >/dev/null
		must_fail ethtool -N "$netdev" flow-type tcp4 dst-port 7 action 1 loc 5
		ethtool -n "$netdev" rule 5 | grep "UDP over IPv4"
		acts
		emu fault clear >/dev/null
	done
	for command in delete_fte destroy_flow_group; do
		emu fault "$CXR_GUEST" command $command status no_res nth=1 >/dev/null
		must_fail ethtool -N "$netdev" delete 5
		acts
		emu fault clear >/dev/null
	done
	# the entry behind those of 13 kinds of packets, and of 7 in tunnels, of an interface that is opened
	ip link set "$netdev" down
	emu fault "$CXR_GUEST" command set_fte status no_res nth=21 >/dev/null
	must_fail ip link set "$netdev" up
	kmsg | grep "cannot set rule 5 of ethtool -N"
	ip link set "$netdev" up
	wait_until 20 reachable
	acts
	ethtool -N "$netdev" delete 5
	get 2 0 udp4,dport=7 udp4,dport=8
}

ktap_setup ready
ktap_test udp4.ports "UDP ports over IPv4" leads "flow-type udp4 dst-port 7 src-port 9" "udp4,dport=7,sport=9" \
	"udp4,dport=7 udp4,sport=9 tcp4,dport=7,sport=9"
ktap_test tcp4.port "a TCP port over IPv4" leads "flow-type tcp4 dst-port 7" "tcp4,dport=7 tcp4,dport=7,sport=9" "tcp4 udp4,dport=7"
ktap_test udp6.port "a UDP port over IPv6" leads "flow-type udp6 dst-port 7" "udp6,dport=7" "udp6 udp4,dport=7 tcp6,dport=7"
ktap_test udp4.range "a range of ports, by a mask" leads "flow-type udp4 dst-port 0x100 m 0xff" "udp4,dport=256 udp4,dport=511" \
	"udp4,dport=255 udp4,dport=512"
ktap_test ip4.source "an IPv4 source address" ipv4_source
ktap_test ip4.destination "an IPv4 destination address, of all protocols" ipv4_destination
ktap_test ip4.network "an IPv4 network" ipv4_network
ktap_test ip4.protocol "an IP protocol" leads "flow-type ip4 l4proto 253" "ip4" "ip4,proto=254 udp4 ip6"
ktap_test ip6.source "an IPv6 source address" ipv6_source
ktap_test ip6.network "an IPv6 network" ipv6_network
ktap_test tos "the type of service" leads_ours "flow-type udp4 tos 0x20" "udp4,tos=0x20" "udp4 udp4,tos=0x24 tcp4,tos=0x20"
ktap_test ether.type "an Ethertype" leads "flow-type ether proto 0x88b6" "ether" "ether,proto=0x9abc udp4"
ktap_test ether.source "a source MAC" leads "flow-type ether src 02:00:00:00:00:77" "ether,from=02:00:00:00:00:77 udp4,from=02:00:00:00:00:77" \
	"ether udp4"
ktap_test ether.destination "a destination MAC beside other fields" destination_mac
ktap_test vlan "a VLAN" vlan
ktap_test drop "packets of a rule are dropped" drops
ktap_test spread "packets of a rule are spread by RSS" spreads
ktap_test context "packets of a rule go to an RSS context, whose table changes" has_context
ktap_test context.spread "packets of a rule are spread by the hash of an RSS context" context_spreads
ktap_test context.in-use "an RSS context that rules lead to stays" context_in_use
ktap_test context.stays "RSS contexts stay over down and up, and a reset" context_stays
ktap_test context.many "15 RSS contexts" many_contexts
ktap_test context.refused "bad RSS contexts are refused, and each has hashed fields of its own" context_refused
ktap_test context.device-refuses "the device refuses a part of an RSS context: it is as before" context_device_refuses
ktap_test lowest "of several rules the lowest location counts" lowest_wins
ktap_test replace "a rule replaces the one in its location" same_location
ktap_test many "many rules, with and without a location" many
ktap_test closed "rules of an interface that is closed act when it is opened" closed
ktap_test queues "rules stay when queues change" changed_queues
ktap_test promiscuous "rules act in promiscuous mode, too" promiscuous
ktap_test self-test "the self test of the interface passes whatever the rules are" self_test
ktap_test self-test.refused "rules act again after a self test whose end the device refuses" self_test_refused
ktap_test channels "a channel that a rule leads to stays" fewer_channels
ktap_test reset "rules act after a reset of the function" after_reset
ktap_test refused "bad rules are refused, the log says why, and others stay" refused
ktap_test device-refuses "the device refuses a part of a change: the old rule acts" device_refuses
ktap_end
