#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# As alloc.sh, in what the PF that manages an e-switch does for its VFs. The PF is in guest b; this one has a VF, without a driver.
# guests: 2
# cpus: 2
# card: cx5,vfs=2,sriov,eswitch
# kernels: debug
# takes: 600
# timeout: 3600
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/sweeps.sh"
. "$(dirname "$0")/../lib/sriov.sh"

program=$(dirname "$0")/alloc.py
# shellcheck disable=SC2034	# of peer()
PEER_TIMEOUT=1800

# The modules of the driver are loaded one after another: no other may lie between their functions
ready()
{
	sweeps_agree "$program"
	driver_unload
	sweeps_pf "driver_unload; pf_prepare $(vf_id); modprobe -a ib_uverbs ib_umad; driver_load; sweeps_bind; driver_net_up"
}

fails() { sweeps_pf "sweep selftests/vm/alloc.py $1"; } # ID

ktap_setup ready
KTAP_TIMEOUT=1800 sweeps_allocations "$OPERATIONS_VF" fails
ktap_test works "after all that PF and VF reach each other" sweeps_vf_work
ktap_finally sweeps_vf_leave
ktap_end
