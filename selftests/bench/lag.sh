#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs in guest a, with a card of two ports in each guest: the ports are one RDMA device by a bond, and port 1 loses its link during
# transfers to guest b. QPs get the ports in turn, so every other one is affected.
set -euo pipefail
. /cxr/selftests/lib/driver.sh
. /cxr/selftests/lib/peer.sh

TRANSFERS=12
PORT=7002

bond() # ADDRESS
{
	local d

	modprobe bonding max_bonds=0
	ip link add bond0 type bond mode balance-xor miimon 20
	for d in $(driver_netdevs); do ip link set "$d" down; ip link set "$d" master bond0; done
	ip link set bond0 up
	ip addr replace "$1/24" dev bond0
	wait_until 30 gid_index mlx5_bond_0 v2 "$1" >/dev/null
}

driver_load
peer "driver_load; $(declare -f bond); bond $(guest_ip b 9)"
bond "$(my_ip 9)"
wait_until 20 ping -q -c 1 -W 1 "$(guest_ip b 9)" >/dev/null
PEER_TIMEOUT=800 peer_bg xfer "/cxr/selftests/lib/xfer.py serve $PORT"
wait_until 60 peer "tcp_listens $PORT"
gid=$(gid_index mlx5_bond_0 v2 "$(my_ip 9)")
peer_gid=$(peer "gid_index mlx5_bond_0 v2 $(guest_ip b 9)")
for _ in $(seq $TRANSFERS); do
	/cxr/selftests/lib/xfer.py run b $PORT dev=mlx5_bond_0 peer_dev=mlx5_bond_0 "gid=$gid" "peer_gid=$peer_gid" op=write sizes=4096 \
		count=1600 timeout=14 pause=1 >>/tmp/pauses &
	sleep 2
	emu fault a0 port down >/dev/null
	sleep 2
	emu fault a0 port up >/dev/null
	wait $!
done
/cxr/selftests/lib/xfer.py stop b $PORT
peer_wait xfer
echo "bench: begin"
sed 's/.*pause //' /tmp/pauses | sort -n | awk -v n="$TRANSFERS" -v driver="$CXR_DRIVER" '{ t[NR] = $1 }
	END { m = n / 2; printf "%-5s %d QPs on the failed port: %d to %d ms, median %d; on the other port: up to %d ms\n", driver, m, t[m + 1], t[n],
		t[m + 1 + int(m / 2)], t[m] }'
echo "bench: done"
ip link del bond0
peer "ip link del bond0"
