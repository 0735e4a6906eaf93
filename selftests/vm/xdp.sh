#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# XDP programs on received packets, and packets that programs send. selftests/bpf/xdp.c does with a frame what the frame says;
# xdp_frames.py on b sends them and compares each that comes back.
# guests: 2
# cpus: 2
# ledger: yes
# takes: 110
# turn: yes
# timeout: 900
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/moves.sh
. "$(dirname "$0")/../lib/moves.sh"

OBJECT=build/bpf/xdp.o SOCKET=build/bpf/xdp_socket.o ASKING=build/bpf/xdp_meta.o
PINNED=/sys/fs/bpf/cxr-xdp MAPS=/sys/fs/bpf/cxr-xdp-maps

# Interfaces of the other side of redirections: what is sent to ax arrives at ay; what is sent through bx, at by with a program
pairs()
{
	ip link del ax 2>/dev/null || true
	ip link del bx 2>/dev/null || true
	ip link add ax mtu 9000 type veth peer name ay mtu 9000
	ip link add bx numtxqueues 2 numrxqueues 2 type veth peer name by numtxqueues 2 numrxqueues 2
	# what either CPU sends is received, and redirected, by the same
	echo 1 >/sys/class/net/bx/queues/tx-0/xps_cpus
	echo 2 >/sys/class/net/bx/queues/tx-1/xps_cpus
	# only so does it take redirected packets
	ethtool -K ay gro on
	for i in ax ay bx by; do ip link set $i up; done
}

# The only entry of a map is the interface
leads_to() # MAP NETDEV
{
	local n

	printf -v n '%08x' "$(<"/sys/class/net/$2/ifindex")"
	bpftool map update pinned "$MAPS/$1" key 0 0 0 0 value hex "${n:6:2}" "${n:4:2}" "${n:2:2}" "${n:0:2}"
}

ready() # [MTU]
{
	ends_up "${1:-}"
	ends_know
	ip link set dev "$netdev" xdp off
	rm -rf $PINNED $MAPS
	bpftool prog loadall $OBJECT $PINNED pinmaps $MAPS
	pairs
	leads_to away ax
	leads_to away_frags ax
	leads_to itself "$netdev"
	leads_to itself_frags "$netdev"
}

before_each() { ends_know; }

# In place of another program, if there is one
attach() { ip -force link set dev "${2:-$netdev}" xdpdrv pinned "$PINNED/$1"; } # PROGRAM [NETDEV]
detach() { ip link set dev "$netdev" xdpdrv off; }
attached() { ip -d link show "$netdev" | grep -oE 'prog/xdp id [0-9]+'; }

# The program runs while the test does
with() # PROGRAM
{
	attach "$1"
	trap detach EXIT
	reachable
}

frames() { run_python selftests/vm/xdp_frames.py "$@"; }
peer_frames() { peer "python3 -B selftests/vm/xdp_frames.py $*"; }
returned() { peer_frames returned "$peer_netdev" "$mac" "$@"; } # COMMAND SIZE...
sends() { peer_frames sent "$peer_netdev" "$mac" "$@"; } # COMMAND SIZE...

# Frames that b sends then arrive at NETDEV here, as the command leaves them
arrive() # NETDEV COMMAND SIZE...
{
	local pid

	true >/tmp/arrive
	frames arrive "$@" >/tmp/arrive &
	pid=$!
	wait_until 20 grep -q ready /tmp/arrive
	shift
	sends "$@"
	wait $pid
}

passes()
{
	with act_linear
	attached
	tcp_both_ways 1M
	ping -q -i 0.01 -c 100 -s 1400 -W 5 "$(peer_ip)"
	detach
	must_fail attached
	tcp_both_ways 1M
}

SIZES="60 61 100 500 1000 1500"
# The first buffer takes 3520 bytes, each further one a page
JUMBO="60 3000 3520 3521 5600 7616 7617 8950"

sends_back()
{
	with act_linear
	# shellcheck disable=SC2086
	returned t $SIZES 1514
	returned c 100 101 500 1514
	# shellcheck disable=SC2086
	returned g ${SIZES/1500/1498}
	# shellcheck disable=SC2086
	returned h $SIZES 1510
	tcp_both_ways 300k
}

pass_changed()
{
	with act_linear
	# shellcheck disable=SC2086
	arrive "$netdev" p $SIZES 1514
	arrive "$netdev" q 100 500 1514
	# shellcheck disable=SC2086
	arrive "$netdev" m $SIZES 1514
}

# tc sees what the program has written before a packet
metadata()
{
	modprobe cls_bpf || skip "this kernel has no filters in BPF for tc"
	with act_linear
	tc qdisc add dev "$netdev" clsact
	trap 'detach; tc qdisc del dev "$netdev" clsact' EXIT
	tc filter add dev "$netdev" ingress bpf da object-pinned $PINNED/meta_arrives
	# shellcheck disable=SC2086
	arrive "$netdev" m $SIZES 1514
	tc -s filter show dev "$netdev" ingress
	tc -s qdisc show dev "$netdev" clsact
	tc -s qdisc show dev "$netdev" clsact | grep -q "dropped 0,"
}

# What the asking program was told about the last packet
told() { bpftool map dump pinned $MAPS-ask/answers | sed -n "s/.*\"$1\": \([-0-9]*\).*/\1/p"; } # FIELD

NO_DATA=-61

# b sends packets of one flow, over its address or NETDEV's
asked() # [ADDRESS]
{
	local before

	before=$(told packets)
	peer "python3 -B selftests/vm/ptp.py throw - ${1:-$(my_ip)} 5"
	wait_until 20 eval "[ \$(told packets) = $((before + 5)) ]"
}

# The hash is the one that chose the queue
hash_chose()
{
	local entries

	read -ra entries < <(rss_table)
	[ "$(told hash_answer)" = 0 ]
	[ "${entries[$(($(told hash) % ${#entries[@]}))]}" = "$(told queue)" ] ||
		fail "hash $(told hash) leads to another queue than $(told queue)"
	# XDP_RSS_TYPE_L4_IPV4_UDP
	[ "$(told type)" = 41 ]
}

asking()
{
	case $(uname -r) in
	6.1.*) skip "programs of this kernel cannot ask" ;;
	esac
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF, by which programs find the functions"
	rm -rf $PINNED-ask $MAPS-ask
	bpftool prog load $ASKING $PINNED-ask type xdp xdpmeta_dev "$netdev" pinmaps $MAPS-ask
	ip link set dev "$netdev" xdpdrv pinned $PINNED-ask
	reachable
}

end_asking()
{
	detach
	rm -rf $PINNED-ask $MAPS-ask
}

asks_hash()
{
	trap 'ethtool -K "$netdev" rxhash on; end_asking' EXIT
	asking
	for _ in {1..6}; do
		asked
		hash_chose
	done
	ethtool -K "$netdev" rxhash off
	asked
	[ "$(told hash_answer)" = $NO_DATA ]
}

asks_time()
{
	local before stamp

	trap 'hwstamp_ctl -i "$netdev" -r 0; end_asking' EXIT
	asking
	asked
	[ "$(told stamp_answer)" = $NO_DATA ]
	hwstamp_ctl -i "$netdev" -r 1
	before=$(python3 -B selftests/vm/ptp.py time "$netdev")
	asked
	[ "$(told stamp_answer)" = 0 ]
	stamp=$(told stamp)
	[ "$stamp" -gt "$before" ] && [ "$stamp" -lt "$(python3 -B selftests/vm/ptp.py time "$netdev")" ] ||
		fail "$stamp is not after $before, or in the future"
}

# A tag that the device has stripped
asks_tag()
{
	trap 'ip link del xdp.100 || true; peer "ip link del xdp.100" || true; end_asking' EXIT
	asking
	ip link add link "$netdev" name xdp.100 type vlan id 100
	ip addr add 10.78.0.1/24 dev xdp.100
	ip link set xdp.100 up
	peer "ip link add link $peer_netdev name xdp.100 type vlan id 100 egress-qos-map 0:5 && ip addr add 10.78.0.2/24 dev xdp.100 && ip link set xdp.100 up"
	asked
	[ "$(told tag_answer)" = $NO_DATA ]
	asked 10.78.0.1
	[ "$(told tag_answer)" = 0 ]
	[ "$(told proto) $(told tci)" = "$((0x8100)) $((5 << 13 | 100))" ]
}

# The device's sum over the packet is not used for what a program has changed
sum_changed()
{
	with act_linear
	ping -q -6 -i 0.01 -c 50 -s 1000 -W 5 "$(peer_ip6)"
	peer "ping -q -6 -i 0.01 -c 50 -s 1000 -W 5 $(my_ip6)"
	must_fail eval 'kmsg | grep "csum failure"'
}

small_buffers()
{
	with act_linear
	returned t 60 500 1294
	returned c 100 1294
	returned h 60 1290
	returned R 60 500 1294
	arrive ay r 60 500 1294
	arrive "$netdev" q 100 1294
	sends d 60 1294
	arrive "$netdev" p 60 1294
	tcp_both_ways 300k
}

fragments()
{
	with act_frags
	# shellcheck disable=SC2086
	returned t $JUMBO 9014
	# shellcheck disable=SC2086
	returned c ${JUMBO/60/100} 9014
	# shellcheck disable=SC2086
	returned h $JUMBO 9010
	tcp_both_ways 1M
}

fragments_redirect()
{
	case $(uname -r) in
	6.1.*) skip "this kernel redirects no packets in several buffers" ;;
	esac
	with act_frags
	# shellcheck disable=SC2086
	returned R $JUMBO 9014
	# shellcheck disable=SC2086
	arrive ay r $JUMBO 9014
}

# Shorter by whole buffers, which the program frees
fragments_cut()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver frees such buffers twice"
	with act_frags
	returned C 5100 7700 9014
	arrive "$netdev" Q 5100 7700 9014
	sends D 5100 7700 9014
	# shellcheck disable=SC2086
	arrive "$netdev" p $JUMBO
}

frags_can_grow()
{
	case $CXR_DRIVER-$(uname -r) in
	mlx5-6.1.*) skip "with the in-tree driver of this kernel no frame in several buffers can grow" ;;
	esac
}

fragments_grow()
{
	frags_can_grow
	with act_frags
	returned g 60 3000 3600 5600 8950
}

fragments_pass()
{
	with act_frags
	# shellcheck disable=SC2086
	arrive "$netdev" p $JUMBO 9014
	arrive "$netdev" q 100 3600 5600 9014
	# shellcheck disable=SC2086
	arrive "$netdev" m $JUMBO 9014
}

# What is dropped is seen by no one: the first frame that arrives is one that may pass
drops()
{
	local pid command

	with act_linear
	true >/tmp/arrive
	frames arrive "$netdev" p 60 >/tmp/arrive &
	pid=$!
	wait_until 20 grep -q ready /tmp/arrive
	for command in d a u; do
		# shellcheck disable=SC2086
		sends $command $SIZES
	done
	sends p 60
	wait $pid
	kmsg | grep -i "XDP return value 77"
}

redirects()
{
	with act_linear
	# shellcheck disable=SC2086
	arrive ay r $SIZES 1514
	# shellcheck disable=SC2086
	returned R $SIZES 1514
}

# A program in user space returns the frames: they are received and sent without the stack
user_space()
{
	local pid

	# frames that are not IP arrive at the first queue
	python3 -c 'import socket; socket.socket(44, socket.SOCK_RAW)' || skip "this kernel has no AF_XDP sockets"
	bpftool prog loadall $SOCKET $PINNED pinmaps $MAPS
	with to_socket
	run_python selftests/vm/xdp_socket.py "$netdev" $MAPS/sockets 240 >/tmp/socket &
	pid=$!
	wait_until 20 grep -q ready /tmp/socket
	returned x 60 61 100 500 1000 1514
	wait $pid
}

# Does the interface send for others only while it has a program?
needs_program() { [ "$CXR_DRIVER" = mlx5 ] && [[ $(uname -r) = 7.* ]]; }

# Programs of by send through the interface
sent_by_others()
{
	attach to_itself by
	trap 'detach' EXIT
	! needs_program || attach pass
}

sends_of_others()
{
	local command

	sent_by_others
	for command in true "attach pass"; do
		$command
		# shellcheck disable=SC2086
		peer_serves arrive "true" "python3 -B selftests/vm/xdp_frames.py arrive $peer_netdev p $SIZES 1514"
		wait_until 20 peer_has_heard
		# shellcheck disable=SC2086
		frames sent bx "$peer_mac" p $SIZES 1514
		peer_wait arrive
	done
}

# Frames of both CPUs to bx, until they are ended
flood()
{
	for cpu in 0 1; do
		taskset -c $cpu python3 -B selftests/vm/xdp_frames.py flood bx "$peer_mac" p 60 1000 &
	done
}

sent_more() { [ "$(($(counter tx_xdp_xmit) + $(counter tx_xdp_full)))" -gt "$1" ]; }

# Others send while the queues are closed and opened
xmit_reopened()
{
	local n

	sent_by_others
	flood
	for n in {1..5}; do
		ethtool -G "$netdev" rx 256 tx 256
		ethtool -G "$netdev" rx 1024 tx 1024
	done
	[ "$CXR_DRIVER" = mlx5 ] || echo 1 >"/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/reset"
	wait_until 20 reachable
	n=$(counter tx_xdp_xmit)
	wait_until 20 sent_more "$n"
	kill %1 %2
	reachable
}

# Two CPUs share a short queue
xmit_shared()
{
	local n

	channels_before=$(channels_are)
	sent_by_others
	trap 'kill %1 %2; detach; ethtool -L "$netdev" combined $channels_before; ethtool -G "$netdev" tx 1024' EXIT
	ethtool -L "$netdev" combined 1
	ethtool -G "$netdev" tx 64
	n=$(($(counter tx_xdp_xmit) + $(counter tx_xdp_full)))
	flood
	wait_until 60 sent_more $((n + 5000))
	reachable
	must_fail eval 'kmsg | grep "restarting all queues"'
}

# Queues are closed whose completions the driver has not seen
closed_full()
{
	local n

	[ "$CXR_DRIVER" = cxr ] || skip "without interrupts the in-tree driver says that its queues hang"
	attach to_itself by
	with act_linear
	for n in 1 2; do emu fault a interrupt $n lose times=all >/dev/null; done
	sends t 60 1000
	frames sent bx "$peer_mac" p 60 1000
	ip link set "$netdev" down
	emu fault clear >/dev/null
	ip link set "$netdev" up
	reachable
	returned t 1000
}

peer_has_heard() { grep -q '^ready$' /tmp/peer-arrive.out; }

mtu_limits()
{
	trap 'detach; ip link set "$netdev" mtu 1500' EXIT
	attach pass
	ip link set "$netdev" mtu 9000
	must_fail attach act_linear
	attached
	detach
	must_fail attach act_linear
	must_fail attached
	ip link set "$netdev" mtu 1500
	attach act_linear
	must_fail ip link set "$netdev" mtu 9000
	[ "$(<"/sys/class/net/$netdev/mtu")" = 1500 ]
	reachable
	# the largest that the in-tree driver allows, too
	ip link set "$netdev" mtu 3498
	must_fail ip link set "$netdev" mtu 3499
	reachable
}

# Attach, replace and detach while b and this machine talk
replaced()
{
	local n

	with act_linear
	peer_bg ping "ping -q -i 0.01 -c 3000 -w 60 $(my_ip) >/dev/null || true"
	for n in {1..5}; do
		attach pass
		attach act_linear
		reachable
		detach
		reachable
		attach act_linear
	done
	returned t 1000
	peer_kill ping
	peer_wait ping || true
}

stays()
{
	local id was

	with act_linear
	id=$(attached)
	was=$(channels_are)
	ethtool -G "$netdev" rx 256 tx 256
	returned t 1000
	ethtool -L "$netdev" combined 1
	returned t 1000
	ip link set "$netdev" down
	ip link set "$netdev" up
	reachable
	returned t 1000
	ethtool -L "$netdev" combined "$was"
	ethtool -G "$netdev" rx 1024 tx 1024
	[ "$(attached)" = "$id" ]
}

reset()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new netdev"
	with act_linear
	echo 1 >"/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/reset"
	wait_until 20 reachable
	attached
	returned t 1000
}

# b sends all the time, also while there is no driver
unloads()
{
	attach act_frags
	peer_bg flood "while :; do python3 -B selftests/vm/xdp_frames.py sent $peer_netdev $mac t 1000; done"
	reachable
	driver_unload
	peer_kill flood
	peer_wait flood || true
	driver_load
}

# What came to the peer, which may not have had a buffer for all of it
peer_got()
{
	peer "cat '/sys/class/net/$peer_netdev/statistics/rx_packets'; ethtool -S '$peer_netdev'" |
		awk 'NF == 1 || $1 == "rx_out_of_buffer:" { sum += $NF } END { print sum }'
}

peer_got_since() { [ $(($(peer_got) - $1)) -ge "$2" ]; } # BEFORE PACKETS

# Programs of xdp-tools, as their users start them
tools()
{
	local before peer_before pid

	case $(uname -r) in
	7.*) skip "xdp-bench of this distribution looks for a trace point that this kernel has not" ;;
	esac
	trap 'xdp-loader unload "$netdev" --all || true' EXIT
	before=$(counter rx_xdp_drop)
	xdp-bench drop "$netdev" -m native >/tmp/bench &
	pid=$!
	wait_until 60 eval 'xdp-loader status "$netdev" | grep -q xdp_dispatcher'
	sends p 1000
	kill -INT $pid
	wait $pid || true
	cat /tmp/bench
	[ $(($(counter rx_xdp_drop) - before)) -ge 40 ]
	must_fail attached
	before=$(counter tx_xdp_xmit) peer_before=$(peer_got)
	# it fails after the last packet, with the in-tree driver, too
	timeout -s INT 60 xdp-trafficgen udp -m "$peer_mac" -a "$(peer_ip6)" -n 1000 "$netdev" || true
	echo "sent: $(($(counter tx_xdp_xmit) - before)), no room: $(counter tx_xdp_full), received: $(($(peer_got) - peer_before))"
	[ $(($(counter tx_xdp_xmit) - before)) -ge 1000 ]
	wait_until 10 peer_got_since "$peer_before" 1000
	reachable
}

# ---- counters ----

gets_too_big() { sends g 9014; }
gets_d() { sends d 100; sends u 100; sends a 100; }
gets_r() { sends r 100; }
gets_t() { returned t 100; }
gets_R() { returned R 100; }

# All that a program sees and sends counts at the interface, too
interface_counts()
{
	local name by
	local -A before

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver counts only what the stack gets"
	with act_linear
	for name in rx_packets tx_packets rx_bytes tx_bytes; do before[$name]=$(<"/sys/class/net/$netdev/statistics/$name"); done
	sends d 1000
	returned t 1000
	returned R 1000
	for name in rx_packets:120 tx_packets:80 rx_bytes:120000 tx_bytes:80000; do
		by=$(($(<"/sys/class/net/$netdev/statistics/${name%:*}") - before[${name%:*}]))
		[ $by -ge "${name#*:}" ] || fail "${name%:*} has changed by $by"
	done
}

gets_big() { sends g 1514; }

counted() # COMMAND...
{
	with act_linear
	"$@"
}

counted_frags() # COMMAND...
{
	frags_can_grow
	with act_frags
	"$@"
}

# A poll that sends more than fits: b's frames wait until all are there
more_than_fits() # COMMAND
{
	emu fault a receive stop
	sends "$1" 60 61 62 63 64
	emu fault a receive go
	reachable
}

gets_many_t() { more_than_fits t; }
gets_many_R() { more_than_fits R; }

short_ring() # COMMAND...
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver puts several packets into a WQE"
	ethtool -G "$netdev" tx 64
	trap 'detach; ethtool -G "$netdev" tx 1024' EXIT
	attach act_linear
	reachable
	"$@"
}

ktap_setup ready
ktap_test pass "a program that passes all: it is seen in ip link, and TCP and ping are not disturbed" passes
ktap_test tx "frames are sent back: as they are, shorter, longer, and with another beginning" sends_back
ktap_test pass.changed "the stack gets a frame as the program has left it" pass_changed
ktap_test pass.meta "metadata of a packet arrive at a filter of tc" metadata
ktap_test pass.sum "checksums are verified of what a program has made of a packet" sum_changed
ktap_test asks.hash "programs can ask for the hash of a packet, by which its queue was chosen" asks_hash
ktap_test asks.time "programs can ask for the timestamp of a packet" asks_time
ktap_test asks.tag "programs can ask for the VLAN tag that was stripped, with its priority" asks_tag
ktap_test drop "dropped and aborted frames, and those with an unknown action, are seen by no one" drops
ktap_test redirect "frames are redirected to another interface, and to this one" redirects
ktap_test xmit "programs of other interfaces send through this one, with a program and without" sends_of_others
ktap_test xmit.reopened "programs of other interfaces send while the queues are closed and opened" xmit_reopened
ktap_test xmit.shared "two CPUs send through the only queue, and it is full all the time" xmit_shared
ktap_test xmit.closed "queues are closed while there are packets in them" closed_full
ktap_test socket "an AF_XDP socket receives frames and sends them back" user_space
ktap_test mtu "a program without fragments and a large MTU exclude one another" mtu_limits
ktap_test replaced "programs are attached, replaced and detached under traffic" replaced
ktap_test stays "the program stays while rings and channels change, and the interface goes down and up" stays
ktap_test reset "the program stays over a reset of the function" reset
ktap_test tools "xdp-bench and xdp-trafficgen of xdp-tools" tools
ktap_test counters.drop "dropped packets are counted" counted moves gets_d rx_xdp_drop==120 traffic?
ktap_test counters.redirect "redirected packets are counted" counted moves gets_r rx_xdp_redirect==40 traffic?
ktap_test counters.tx "packets that are sent back are counted" counted moves gets_t rx_xdp_tx_xmit==40 traffic?
ktap_test counters.xmit "packets that programs send through the interface are counted" counted moves gets_R rx_xdp_redirect==40 tx_xdp_xmit==40 traffic?
ktap_test counters.interface "the interface counts packets that a program sees or sends" interface_counts
ktap_test counters.err "a packet that has become too long is not sent back, but dropped" counted moves gets_big rx_xdp_tx_err==40 rx_xdp_drop==40 traffic?
ktap_test counters.full "packets for which there is no room are dropped" short_ring moves gets_many_t rx_xdp_tx_full+ rx_xdp_drop+ \
	rx_xdp_tx_xmit+ traffic?
ktap_test counters.full.redirect "redirected packets for which there is no room are dropped" short_ring moves gets_many_R tx_xdp_full+ \
	rx_xdp_redirect+ tx_xdp_xmit+ traffic?
ktap_setup ready 1280
ktap_test small "packets that share a page" small_buffers
ktap_setup ready 9000
ktap_test frags "frames in several buffers are sent back" fragments
ktap_test frags.cut "a program may free buffers of a frame: it is sent back, passed and dropped without them" fragments_cut
ktap_test frags.redirect "frames in several buffers are redirected" fragments_redirect
ktap_test frags.err "a frame in several buffers that has become too long is dropped" counted_frags moves gets_too_big rx_xdp_tx_err==40 rx_xdp_drop==40 traffic?
ktap_test frags.grow "frames in several buffers can grow at their end" fragments_grow
ktap_test frags.pass "frames in several buffers pass to the stack" fragments_pass
ktap_test unload "the driver unloads with a program, under traffic" unloads
ktap_end
