#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs in a guest with two functions, one bound to cxr and one to mlx5, whose clock counts instructions:
#
# - A TCP stream in each direction: what the softirq of its receiver costs per packet. This is the driver's poll with GRO, and the stack
#   up to the socket, which is the same for both. Softirqs that polled another interface, too, are left out.
# - Frames of 64 bytes, which pktgen sends, with the completions that come meanwhile; the other interface is down.
# - The same frames received, by an XDP program that drops them: the softirq, per frame. The device holds them back until all are sent.
# - Kernel memory of an interface that is up with its one channel.
set -euo pipefail
. /cxr/selftests/bench/both.sh
cxr='' mlx5=''

BYTES=16000000
TURNS=5
PORT=5201
FRAMES=500		# fewer than a ring has
DROP=/run/bench-bpf	# /sys is another one in a network namespace
trace=/sys/kernel/tracing

stream() # sink | source
{
	python3 - "$1" "$PORT" "$BYTES" <<-'PY'
		import socket, sys, time
		what, port, left = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		if what == "sink":
		    conn, _ = socket.create_server(("10.77.0.1", port)).accept()
		    while conn.recv(1 << 18):
		        pass
		    sys.exit()
		for _ in range(100):
		    try:
		        sock = socket.create_connection(("10.77.0.1", port))
		        break
		    except ConnectionRefusedError:
		        time.sleep(0.1)
		block = bytes(1 << 16)
		while left > 0:
		    sock.sendall(block)
		    left -= len(block)
	PY
}

# "INSTRUCTIONS PACKETS" of the softirqs that polled only NETDEV
cost() # NETDEV
{
	awk -v dev="$1" '
		{
			for (i = 2; i < NF && $i !~ /^(softirq_entry|softirq_exit|napi_poll):$/; i++)
				;
			event = $i; at = $(i - 1) + 0
		}
		event == "softirq_entry:" { start = at; work = other = 0 }
		event == "napi_poll:" {
			for (; i < NF; i++) {
				if ($i == "device" && $(i + 1) != dev) other = 1
				if ($i == "work") work += $(i + 1)
			}
		}
		event == "softirq_exit:" && start {
			if (work && !other) { sum += at - start; packets += work }
			start = 0
		}
		END { if (!packets) exit 1; print int(sum / packets), packets }' $trace/trace
}

in_far() { ip netns exec far bash -c "$(declare -f stream); PORT=$PORT BYTES=$BYTES stream $1"; }

# The interface of cxr is in the namespace far, since that of mlx5 cannot leave its own. The sink has 10.77.0.1.
receive() # cxr | mlx5
{
	local here=10.77.0.2 there=10.77.0.1

	[ "$1" = cxr ] || here=10.77.0.1 there=10.77.0.2
	ip addr flush dev "$mlx5"
	ip -n far addr flush dev "$cxr"
	ip addr replace $here/24 dev "$mlx5"
	ip -n far addr replace $there/24 dev "$cxr"
	wait_until 30 ping -q -c 1 -W 1 $there >/dev/null
	echo 0 >$trace/trace
	echo 1 >$trace/tracing_on
	if [ "$1" = cxr ]; then
		in_far sink &
		stream source
	else
		stream sink &
		in_far source
	fi
	wait $!
	echo 0 >$trace/tracing_on
	cost "${!1}"
}

in_netns() { if [ "$1" = cxr ]; then ip netns exec far bash -c "${*:2}"; else bash -c "${*:2}"; fi; } # cxr|mlx5 COMMAND
ip_in() { if [ "$1" = cxr ]; then ip -n far "${@:2}"; else ip "${@:2}"; fi; } # cxr|mlx5 COMMAND
other() { if [ "$1" = cxr ]; then echo mlx5; else echo cxr; fi; }

# Instructions (nanoseconds of the guest's clock) per frame, with few interrupts: when they come depends on the device.
send() # cxr|mlx5
{
	local other busy

	other=$(other "$1")
	ip_in "$other" link set "${!other}" down
	in_netns "$1" "ethtool -C ${!1} adaptive-tx off tx-usecs 4095 tx-frames 65535
		echo max >/sys/class/net/${!1}/queues/tx-0/byte_queue_limits/limit_min"
	in_netns "$1" ". selftests/bench/both.sh; pktgen_send ${!1} 02:00:00:00:00:99 $FRAMES" >/tmp/pktgen
	ip_in "$other" link set "${!other}" up
	read -r busy _ </tmp/pktgen
	echo $((busy * 1000 / FRAMES)) $FRAMES
}

drop() # cxr|mlx5
{
	local other mac
	local -A function=([cxr]=a0 [mlx5]=a1)

	other=$(other "$1")
	mac=$(in_netns "$1" cat "/sys/class/net/${!1}/address")
	ip_in "$1" link set dev "${!1}" xdp pinned $DROP/drop
	wait_until 30 in_netns "$1" "[ \$(cat /sys/class/net/${!1}/carrier) = 1 ]"
	emu fault "${function[$1]}" receive stop >/dev/null
	in_netns "$other" ". selftests/bench/both.sh; pktgen_send ${!other} $mac $FRAMES" >/dev/null
	echo 0 >$trace/trace
	echo 1 >$trace/tracing_on
	emu fault "${function[$1]}" receive go >/dev/null
	nap 1
	echo 0 >$trace/tracing_on
	ip_in "$1" link set dev "${!1}" xdp off
	cost "${!1}"
}

free_kb() { sync; echo 3 >/proc/sys/vm/drop_caches; nap 0.5; awk '/^MemFree:/ { print $2 }' /proc/meminfo; }

memory() # cxr|mlx5
{
	local down up

	ip_in "$1" link set "${!1}" down
	down=$(free_kb)
	ip_in "$1" link set "${!1}" up
	up=$(free_kb)
	echo $((down - up))
}

both_drivers
ip netns add far
ip link set "$cxr" netns far
ip -n far link set "$cxr" up
[ -d $trace/events ] || mount -t tracefs tracefs $trace
echo 0 >$trace/tracing_on
echo 16384 >$trace/buffer_size_kb
echo x86-tsc >$trace/trace_clock
for event in irq/softirq_entry irq/softirq_exit; do
	echo 'vec==3' >$trace/events/$event/filter
	echo 1 >$trace/events/$event/enable
done
echo 1 >$trace/events/napi/napi_poll/enable
mkdir -p $DROP
mount -t bpf bpf $DROP
bpftool prog loadall build/bpf/xdp.o $DROP
for ((i = 0; i < TURNS; i++)); do
	for driver in cxr mlx5; do
		for what in receive send drop memory; do $what $driver >>/tmp/$what.$driver; done
	done
done
echo "bench: begin"
for driver in cxr mlx5; do
	median </tmp/receive.$driver | awk -v driver=$driver '{ printf "%-5s %6d instructions per packet received, of %d TCP packets\n", driver, $1, $2 }'
	median </tmp/send.$driver | awk -v driver=$driver '{ printf "%-5s %6d per frame of 64 bytes sent\n", driver, $1 }'
	median </tmp/drop.$driver | awk -v driver=$driver '{ printf "%-5s %6d per frame of 64 bytes dropped by XDP, of %d\n", driver, $1, $2 }'
	median </tmp/memory.$driver | awk -v driver=$driver '{ printf "%-5s %6d kB of memory for an interface with one channel\n", driver, $1 }'
done
echo "bench: done"
# restore the state of the guest for the runner
ip -n far link set "$cxr" netns 1
ip netns del far
both_end
