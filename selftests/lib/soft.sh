# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Transfers where one end or both are Soft-RoCE. Needs driver.sh and peer.sh.

XFER_PORT=7001
SEED=${CXR_SEED:-20}

# Set the ends of the following transfers. NEAR: the command that runs a command on the near end (eval: here); FAR: name
# or address of the far end
xfer_between() # NEAR FAR DEVICE GID-INDEX FAR-DEVICE FAR-GID-INDEX
{
	XFER_NEAR=$1 XFER_FAR=$2
	XFER_ENDS="dev=$3 gid=$4 peer_dev=$5 peer_gid=$6"
}

xfer() # OP FROM [NAME=VALUE...]
{
	local op=$1 from=$2

	shift 2
	PEER_TIMEOUT=${KTAP_TIMEOUT:-120} $XFER_NEAR "run_python selftests/lib/xfer.py run $XFER_FAR $XFER_PORT $XFER_ENDS op=$op from=$from seed=$SEED $*"
}

# (Re)start the server of the far end on guest HOST
xfer_serve() # HOST
{
	xfer_end "$1"
	(
		PEER_TIMEOUT=4000 peer_call "$1" xfer "run_python selftests/lib/xfer.py serve $XFER_PORT"
	) >/tmp/xfer-serve 2>&1 &
	wait_until 60 peer_on "$1" "tcp_listens $XFER_PORT"
}

xfer_end() # HOST
{
	peer_on "$1" "kill -- -\$(cat /run/peer-xfer.pid 2>/dev/null) 2>/dev/null || true
		      while tcp_listens $XFER_PORT; do sleep 0.1; done"
}

# Soft-RoCE in an emulated guest acknowledges large messages late: send one at a time, with a long ACK timeout, or
# needless retransmissions keep it from catching up. OP FROM
connected()
{
	xfer "$1" "$2" sizes=64,1000,4096 count=16
	xfer "$1" "$2" sizes=65536,1048576 count=3 depth=1 timeout=20
}

atomics() { xfer atomic "$1" sizes=8 count=16; }
datagrams() { xfer datagram "$1" sizes=64,1024 count=16; }

# Frames of both directions are lost, all data arrives. Few messages of 1 MiB: Soft-RoCE retransmits much of one
# for each lost frame. PORT DIRECTIONS PERCENT OP...
lossy()
{
	local port=$1 dirs=$2 percent=$3 dir op from n=0

	shift 3
	trap 'emu fault clear' EXIT
	for dir in $dirs; do
		emu fault "$port" frame any drop dir="$dir" "percent=$percent" "seed=$((SEED + n++))"
	done
	for op in "$@"; do
		for from in near far; do
			xfer "$op" "$from" sizes=64,4096,65536 count=8 depth=2
			[ -z "${CXR_LONG:-}" ] || xfer "$op" "$from" sizes=1048576 count=2 depth=1
		done
	done
	emu fault list
	emu fault list | awk '/drop/ && $NF == 0 { exit 1 }'
}
