# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# What is moved where one end or both are Soft-RoCE. Before: driver.sh, peer.sh.

XFER_PORT=7001
SEED=${CXR_SEED:-20}

# The ends of all that follows. NEAR: eval, if the near end is here, or what runs a command there; FAR: the other
# one's name or address as the near end knows it
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

# Answers at the far end, on guest HOST, in the place of what did before
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

# Soft-RoCE in a guest of an emulated machine acknowledges large messages late: one at a time and with
# patience, or what is repeated for nothing keeps it from ever catching up. OP FROM
connected()
{
	xfer "$1" "$2" sizes=64,1000,4096 count=16
	xfer "$1" "$2" sizes=65536,1048576 count=3 depth=1 timeout=20
}

atomics() { xfer atomic "$1" sizes=8 count=16; }
datagrams() { xfer datagram "$1" sizes=64,1024 count=16; }

# Frames of both directions are lost, and not a byte. Of a megabyte there are few: Soft-RoCE sends much of it
# again for each frame. PORT DIRECTIONS PERCENT OP...
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
