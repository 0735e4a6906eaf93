#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs in guest a, both of whose functions are on one wire with those of b: TCP throughput, round trips and frames per second over cxr,
# over mlx5, and over the virtio-net of the guests' own network, in turn.
set -euo pipefail
. /cxr/selftests/bench/both.sh
cxr='' mlx5=''

TURNS=3
SECONDS_EACH=3
ROUND_TRIPS=500
FRAMES=20000
ECHO_PORT=7005
DROP=/sys/fs/bpf/bench

peer_setup='. selftests/bench/both.sh; both_drivers; ip addr replace 10.77.0.2/24 dev $cxr; ip addr replace 10.77.1.2/24 dev $mlx5
	iperf3 -s -D >/dev/null; setsid socat TCP6-LISTEN:7005,reuseaddr,fork,ipv6only=0,nodelay EXEC:cat </dev/null >/dev/null 2>&1 &
	sysctl -qw net.ipv4.conf.all.arp_ignore=1
	rm -rf /sys/fs/bpf/bench; mkdir /sys/fs/bpf/bench
	bpftool prog loadall build/bpf/xdp.o /sys/fs/bpf/bench/prog pinmaps /sys/fs/bpf/bench/maps
	echo $cxr $mlx5 $(ip -o route get 10.0.0.0 2>/dev/null | wc -w)'

# Mbit/s
throughput() # ADDRESS OPTIONS...
{
	iperf3 -J -c "$1" -t $SECONDS_EACH "${@:2}" |
		python3 -c 'import json, sys; print(int(json.load(sys.stdin)["end"]["sum_received"]["bits_per_second"] / 1e6))'
}

# Microseconds of a round trip of one byte
round_trip() # ADDRESS
{
	python3 - "$1" $ECHO_PORT $ROUND_TRIPS <<-'PY'
		import socket, sys, time
		s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
		s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
		count = int(sys.argv[3])
		for turn in 0, 1:       # the first warms up
		    begin = time.monotonic()
		    for _ in range(count):
		        s.send(b"x")
		        s.recv(1)
		print(int((time.monotonic() - begin) / count * 1e6))
	PY
}

# What the program on b has dropped so far
dropped()
{
	peer "bpftool -j map dump pinned $DROP/maps/dropped" |
		python3 -c 'import json, sys; print(int.from_bytes(bytes(int(b, 16) for b in json.load(sys.stdin)[0]["value"]), "little"))'
}

# Frames per second that a sends and that b receives and drops
frames() # NETDEV PEER-NETDEV
{
	local mac before busy rate got

	mac=$(peer "cat /sys/class/net/$2/address; ip link set dev $2 xdp pinned $DROP/prog/drop")
	before=$(dropped)
	read -r busy rate < <(pktgen_send "$1" "$mac" $FRAMES)
	nap 1
	got=$(($(dropped) - before))
	peer "ip link set dev $2 xdp off"
	echo "$rate $((got * rate / FRAMES)) $busy"
}

both_drivers
ip addr replace 10.77.0.1/24 dev "$cxr"
ip addr replace 10.77.1.1/24 dev "$mlx5"
sysctl -qw net.ipv4.conf.all.arp_ignore=1
read -r peer_cxr peer_mlx5 _ < <(peer "$peer_setup")
virtio_ip=$(getent hosts b | awk '{ print $1; exit }')
virtio=$(ip -o route get "$virtio_ip" | sed 's/.* dev \([^ ]*\).*/\1/')
peer_virtio=$(peer "ip -o -4 addr show | awk -v a=$virtio_ip 'index(\$4, a \"/\") == 1 { print \$2 }'")
declare -A address=([cxr]=10.77.0.2 [mlx5]=10.77.1.2 [virtio]=$virtio_ip) far=([cxr]=$peer_cxr [mlx5]=$peer_mlx5 [virtio]=$peer_virtio)
declare -A near=([cxr]=$cxr [mlx5]=$mlx5 [virtio]=$virtio)
for driver in cxr mlx5 virtio; do wait_until 30 ping -q -c 1 -W 1 "${address[$driver]}" >/dev/null; done

for ((i = 0; i < TURNS; i++)); do
	for driver in cxr mlx5 virtio; do
		throughput "${address[$driver]}" >>/tmp/out.$driver
		throughput "${address[$driver]}" -R >>/tmp/in.$driver
		throughput "${address[$driver]}" -P 4 >>/tmp/four.$driver
		round_trip "${address[$driver]}" >>/tmp/trip.$driver
		read -r sent got _ < <(frames "${near[$driver]}" "${far[$driver]}")
		echo "$sent" >>/tmp/sent.$driver
		echo "$got" >>/tmp/got.$driver
	done
done
echo "bench: begin"
printf '%-8s %22s %22s %22s %18s %22s %22s\n' "" "TCP sent (Mbit/s)" "received (Mbit/s)" "4 streams (Mbit/s)" "round trip (us)" \
	"64 bytes sent (/s)" "and dropped (/s)"
for driver in cxr mlx5 virtio; do
	printf '%-8s %22s %22s %22s %18s %22s %22s\n' $driver "$(median </tmp/out.$driver)" "$(median </tmp/in.$driver)" \
		"$(median </tmp/four.$driver)" "$(median </tmp/trip.$driver)" "$(median </tmp/sent.$driver)" "$(median </tmp/got.$driver)"
done
echo "bench: done"
peer "pkill iperf3; pkill socat; . selftests/bench/both.sh; both_end" || true
both_end
