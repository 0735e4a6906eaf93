#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The adapter and Soft-RoCE as peers: connected and datagram transport, both ends asking, every
# byte checked; with frames lost on the way; connections made by rdma_cm.
# guests: 2
# peers: soft
# drivers: cxr mlx5
# timeout: 600
# long: 2400
. "$(dirname "$0")/../lib/ktap.sh"

XFER_PORT=7001
SEED=${CXR_SEED:-20}

# OP FROM [NAME=VALUE...]
xfer()
{
	local op=$1 from=$2

	shift 2
	/cxr/selftests/lib/xfer.py run b $XFER_PORT "dev=$dev" "gid=$gid" "peer_dev=$peer_dev" "peer_gid=$peer_gid" \
		"op=$op" "from=$from" "seed=$SEED" "$@"
}

# Soft-RoCE in a guest of an emulated machine acknowledges large messages late: one at a time and with
# patience, or what is repeated for nothing keeps it from ever catching up. OP FROM
connected()
{
	xfer "$1" "$2" sizes=64,1000,4096 count=16
	xfer "$1" "$2" sizes=65536,1048576 count=3 depth=1 timeout=20
}

has_atomics() # END
{
	local text

	if [ "$1" = near ]; then text=$(ibv_devinfo -v -d "$dev"); else text=$(peer "ibv_devinfo -v -d $peer_dev"); fi
	grep -q 'atomic_cap:.*ATOMIC_\(HCA\|GLOB\)' <<<"$text"
}

atomics() # FROM
{
	has_atomics near && has_atomics far || skip "$dev or $peer_dev has no atomic operations"
	xfer atomic "$1" sizes=8 count=16
}

datagrams() { xfer datagram "$1" sizes=64,1024 count=16; }

cm_pingpong()
{
	peer_bg rping "rping -s -a $(peer_ip) -C 5 -v -S 512"
	wait_until 20 peer "cm_listens rping"
	timeout 60 rping -c -a "$(peer_ip)" -C 5 -v -S 512
	peer_wait rping
}

# Frames of both directions are lost, and not a byte. PERCENT OP...
lossy()
{
	local percent=$1 op from sizes=64,4096,65536

	shift
	[ -z "${CXR_LONG:-}" ] || sizes=64,4096,65536,1048576
	trap 'emu fault clear' EXIT
	emu fault a frame any drop dir=tx "percent=$percent" "seed=$SEED"
	emu fault a frame any drop dir=rx "percent=$percent" "seed=$((SEED + 1))"
	for op in "$@"; do
		for from in near far; do
			xfer "$op" "$from" sizes=$sizes count=8 depth=2
		done
	done
	emu fault list
	emu fault list | awk '/drop/ && $NF == 0 { exit 1 }'
}

ktap_plan 14
ktap_run "adapter and Soft-RoCE are ready" driver_both_up
dev=$(driver_ibdev)
peer_dev=$(peer driver_ibdev)
gid=$(gid_index "$dev" v2 "$(my_ip)")
peer_gid=$(peer "gid_index $peer_dev v2 $(peer_ip)")
PEER_TIMEOUT=3000 peer_bg xfer "/cxr/selftests/lib/xfer.py serve $XFER_PORT"
wait_until 20 peer "tcp_listens $XFER_PORT"

ktap_run "the adapter sends, Soft-RoCE receives" connected send near
ktap_run "Soft-RoCE sends, the adapter receives" connected send far
ktap_run "the adapter writes into the memory of Soft-RoCE" connected write near
ktap_run "Soft-RoCE writes into the memory of the adapter" connected write far
ktap_run "the adapter reads from Soft-RoCE" connected read near
ktap_run "Soft-RoCE reads from the adapter" connected read far
ktap_run "the adapter's atomic operations at Soft-RoCE" atomics near
ktap_run "Soft-RoCE's atomic operations at the adapter" atomics far
ktap_run "datagrams from the adapter" datagrams near
ktap_run "datagrams from Soft-RoCE" datagrams far
ktap_run "rping over a connection of rdma_cm" cm_pingpong
KTAP_TIMEOUT=400 ktap_run "1 % of the frames lost, all data right (seed $SEED)" lossy 1 send write read
KTAP_TIMEOUT=400 ktap_run "5 % of the frames lost, all data right (seed $SEED)" lossy 5 send write read

/cxr/selftests/lib/xfer.py stop b $XFER_PORT
peer_wait xfer
ktap_end
