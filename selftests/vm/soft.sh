#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Soft-RoCE against itself on the emulator's wire: what interop.sh asks of it and the adapter, without the
# adapter. Where this fails, too, it is not the adapter's doing.
# guests: 3
# peers: soft
# drivers: cxr
# timeout: 1200
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/soft.sh"

on_c() { peer_on c "$@"; }

both_up()
{
	peer driver_up
	on_c driver_up
	wait_until 20 peer "ping -q -c 1 -W 1 $(guest_ip c)" >/dev/null
}

atomics() { xfer atomic "$1" sizes=8 count=16; }

ktap_plan 13
ktap_run "two guests with Soft-RoCE are ready" both_up
dev=$(peer driver_ibdev)
far_dev=$(on_c driver_ibdev)
xfer_between peer "$(guest_ip c)" "$dev" "$(peer "gid_index $dev v2 $(guest_ip b)")" \
	"$far_dev" "$(on_c "gid_index $far_dev v2 $(guest_ip c)")"
xfer_serve on_c

for op in send write read; do
	ktap_run "$op from the one end" connected $op near
	ktap_run "$op from the other end" connected $op far
done
ktap_run "atomic operations from the one end" atomics near
ktap_run "atomic operations from the other end" atomics far
ktap_run "datagrams from the one end" datagrams near
ktap_run "datagrams from the other end" datagrams far
KTAP_TIMEOUT=400 ktap_run "1 % of the frames lost, all data right (seed $SEED)" lossy any tx 1 send write read
KTAP_TIMEOUT=${CXR_LONG:+2}400 ktap_run "5 % of the frames lost, all data right (seed $SEED)" lossy any tx 5 send write read

xfer_stop
ktap_end
