#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Raw packet queue pairs: frames that programs send and receive themselves, rules that say which frames they get, and
# queues among which a hash spreads them. Everything that no rule takes still reaches the interface.
# guests: 2
# drivers: cxr mlx5
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"

RAW=/cxr/selftests/lib/raw.py
RAW_PORT=7003

ready_both()
{
	driver_load
	driver_net_up 1500
	peer "driver_load && driver_net_up 1500"
	wait_until 20 ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null
}

all()
{
	peer_bg raw "python3 -B $RAW serve $RAW_PORT \$(driver_netdev)"
	python3 -B $RAW run b $RAW_PORT "$dev" "$netdev" "$(peer_ip)" >/tmp/raw.txt 2>&1 || true
	peer_kill raw
	cat /tmp/raw.txt
	grep -q " ok$" /tmp/raw.txt
}

# What was said of test NAME; the lines before tell what was wrong
row()
{
	local line

	line=$(grep -E "^$1 (ok|skip|fail)" /tmp/raw.txt) || { tail -n 20 /tmp/raw.txt; fail "it did not get there"; }
	case $line in
	"$1 ok") ;;
	"$1 skip "*) skip "${line#"$1 skip "}" ;;
	*) sed "/^$1 /Q" /tmp/raw.txt | tac | sed '/^[a-z]/Q' | tac; fail "see above" ;;
	esac
}

# The peer sends as long as it takes; what it sends comes with addresses and ports that the rule is for
bandwidth()
{
	local mine theirs

	mine=$(cat "/sys/class/net/$netdev/address")
	# shellcheck disable=SC2016
	theirs=$(peer 'cat "/sys/class/net/$(driver_netdev)/address"')
	peer_bg raw "timeout $((60 * ${CXR_PATIENCE:-1})) raw_ethernet_bw --client -F -d $peer_dev -B $theirs -E $mine \
		-J 192.0.2.1 -j 192.0.2.2 -K 2000 -k 1000 -s 512 -D 20 -f 1"
	timeout $((60 * ${CXR_PATIENCE:-1})) raw_ethernet_bw --server -F -d "$dev" -B "$mine" -E "$theirs" \
		-J 192.0.2.1 -j 192.0.2.2 -K 2000 -k 1000 -s 512 -n 500 -r 256
	peer_kill raw
}

clean()
{
	driver_unload
	peer driver_unload
	device_is_clean
}

mapfile -t rows < <(python3 -B $RAW list)
[ ${#rows[@]} -gt 0 ] || exit 1

ktap_plan $((4 + ${#rows[@]}))
ktap_run "both guests are ready" ready_both
dev=$(driver_ibdev)
netdev=$(driver_netdev)
peer_dev=$(peer driver_ibdev)
KTAP_TIMEOUT=300 ktap_run "the program of the tests comes to its end" all
for line in "${rows[@]}"; do ktap_run "${line#* }" row "${line%% *}"; done
ktap_run "raw_ethernet_bw receives what its peer sends" bandwidth
ktap_run "nothing is left in the device" clean
ktap_end
