# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Random operations on the ports of a LAG under traffic. To be sourced after lag.sh; needs make_parent of vm/lag.sh.

STORM=${CXR_LONG:+1000}
STORM=${STORM:-30}

# A random operation of an administrator, a link or a program; it may fail if the state does not allow it.
random_op()
{
	local n=$((RANDOM % 2)) what=$((RANDOM % 17)) mode=$((RANDOM % 4)) dev bdf

	dev=$(driver_netdev $n)
	bdf=$(bdf_of_port $((n + 1)))
	case $what in
	0) ip link add bond0 type bond mode "$(echo active-backup balance-xor 802.3ad balance-rr | cut -d ' ' -f $((mode + 1)))" miimon 20
		ip link set bond0 up ;;
	1|2|3) ip link set "$dev" down && ip link set "$dev" master bond0 ;;
	4) ip link set "$dev" nomaster ;;
	5) ip link del bond0 ;;
	6) set_link $n down ;;
	7) set_link $n up ;;
	8) ip addr add "10.78.$mode.1/24" dev bond0 || ip addr del "10.78.$mode.1/24" dev bond0 ;;
	9) echo $n >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_enable" ;;
	10) echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind || { echo 1 >"/sys/bus/pci/devices/$bdf/reset"; echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind; } ;;
	11) echo ecmp0 >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_ecmp_dev" ;;
	12) echo >"/sys/bus/pci/drivers/cxr_core/$bdf/roce_lag_ecmp_dev" ;;
	13) ip link set "$dev" up ;;
	14) ip netns add storm; ip link set "$dev" netns storm ;;
	15) ip netns del storm ;;
	16) rmmod cxr_ib; driver_insmod cxr_ib ;;
	esac
}

# Over any RDMA device, between default GIDs. PEER-DEVICE
transfer()
{
	run_python /cxr/selftests/lib/xfer.py run b "$XFER_PORT" "dev=$(driver_ibdev)" "peer_dev=$1" gid=1 peer_gid=1 op=write sizes=4096 \
		count=32 timeout=12 wait=3
}

# Transfers fail when their device is removed; what arrives is right.
storm_traffic() # PEER-DEVICE
{
	while [ ! -e /tmp/storm-is-over ]; do
		transfer "$1" || true
	done >>/tmp/storm-traffic 2>&1
}
transfers() { grep -c "32 right" /tmp/storm-traffic || true; }
transfer_is_right() { [ "$(transfers)" -gt 0 ]; }

# After random operations are undone, everything works.
storm()
{
	local i pid far

	require_cxr
	ktap_spoilt
	echo "$STORM operations, seed $SEED"
	rm -f /tmp/storm-is-over
	true >/tmp/storm-traffic
	far=$(peer driver_ibdev)
	storm_traffic "$far" &
	pid=$!
	wait_until 20 transfer_is_right || { cat /tmp/storm-traffic; fail "there is no traffic before the storm"; }
	make_parent ecmp0 02:00:5e:10:00:02
	RANDOM=$SEED
	for ((i = 0; i < STORM; i++)); do
		random_op >/dev/null 2>&1 || true
		[ "$(driver_ibdevs | wc -l)" -le 2 ]
	done
	touch /tmp/storm-is-over
	wait $pid
	run_python /cxr/selftests/lib/xfer.py intact /tmp/storm-traffic || fail "data were wrong"
	echo "$(transfers) of $(wc -l </tmp/storm-traffic) transfers were successful"
	restore_card
	unbond
	wait_until 20 is_pair
	state_is "^off: a port is not in a bond"
	transfer "$far"
	bond active-backup
	wait_until 20 is_lag
}
