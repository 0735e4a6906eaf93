#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs in a guest with two functions, one bound to cxr and one to mlx5, whose clock counts instructions. A TCP stream in each direction:
# what the softirq of its receiver costs per packet. This is the driver's poll with GRO, and the stack up to the socket, which is the
# same for both. Softirqs that polled another interface, too, are left out.
set -euo pipefail
. /cxr/selftests/lib/driver.sh
. /cxr/selftests/lib/peer.sh

BYTES=16000000
TURNS=5
PORT=5201
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

median() { sort -n | awk '{ v[NR] = $0 } END { print v[int((NR + 1) / 2)] }'; }

driver_load
mlx5_bdf=$(driver_bdfs | sed -n 2p)
echo "$mlx5_bdf" >/sys/bus/pci/drivers/cxr_core/unbind
echo mlx5_core >"/sys/bus/pci/devices/$mlx5_bdf/driver_override"
modprobe mlx5_core
cxr=$(driver_netdev 0) mlx5=$(driver_netdev 1)
ip netns add far
ip link set "$cxr" netns far
ip -n far link set "$cxr" up
ip link set "$mlx5" up
[ -d $trace/events ] || mount -t tracefs tracefs $trace
echo 0 >$trace/tracing_on
echo 16384 >$trace/buffer_size_kb
echo x86-tsc >$trace/trace_clock
for event in irq/softirq_entry irq/softirq_exit; do
	echo 'vec==3' >$trace/events/$event/filter
	echo 1 >$trace/events/$event/enable
done
echo 1 >$trace/events/napi/napi_poll/enable
for ((i = 0; i < TURNS; i++)); do
	receive cxr >>/tmp/cxr
	receive mlx5 >>/tmp/mlx5
done
echo "bench: begin"
for driver in cxr mlx5; do
	median </tmp/$driver | awk -v driver=$driver '{ printf "%-5s %d instructions per packet, of %d packets\n", driver, $1, $2 }'
done
echo "bench: done"
# restore the state of the guest for the runner
ip -n far link set "$cxr" netns 1
ip netns del far
rmmod mlx5_core
