#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Random changes of addresses, VLANs, macvlans, namespaces, names, MACs and links; after each batch
# the GID table and the adapter's address table are compared with a model (lib/gid_churn.py).
# guests: 1
# takes: 25
# drivers: cxr mlx5
# timeout: 300
# long: 3600
. "$(dirname "$0")/../lib/ktap.sh"

if [ -n "${CXR_LONG:-}" ]; then
	operations=10000 seed=${CXR_SEED:-$EPOCHSECONDS}
else
	operations=200 seed=${CXR_SEED:-1}
fi

fresh()
{
	modprobe -a 8021q macvlan
	driver_unload	# fresh table and interfaces
	driver_load
	driver_net_up
	ip link set "$(driver_netdev)" addrgenmode none
	ip addr flush dev "$(driver_netdev)"
}

churn()
{
	ktap_spoilt
	echo "$operations operations, seed $seed"
	python3 -B selftests/lib/gid_churn.py "$(driver_ibdev)" "$(driver_netdev)" $operations "$seed"
	driver_unload
	device_is_clean
}

ktap_setup fresh
KTAP_TIMEOUT=3400 ktap_test random "after random changes the GID table matches the model, and nothing is left" churn
ktap_end
