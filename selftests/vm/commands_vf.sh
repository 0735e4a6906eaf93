#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# As commands.sh, in what the PF that manages an e-switch does for its VFs. The PF is in guest b; this one has a VF, without a driver.
# guests: 2
# cpus: 2
# card: cx5,vfs=2,sriov,eswitch
# takes: 600
# when: long
# timeout: 2400
# drivers: cxr
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/sweeps.sh"
. "$(dirname "$0")/../lib/sriov.sh"

program=$(dirname "$0")/commands.py
# shellcheck disable=SC2034	# of peer()
PEER_TIMEOUT=900

ready()
{
	sweeps_agree "$program"
	driver_unload
	sweeps_pf "clear_faults; driver_unload; pf_prepare $(vf_id); driver_load; echo 60000 >\$LIMIT; sweeps_bind; driver_net_up"
}

refused() { sweeps_pf "echo 60000 >\$LIMIT; sweep selftests/vm/commands.py $1 refused"; } # ID
silent() { sweeps_pf "echo 500 >\$LIMIT; sweep selftests/vm/commands.py $1 silent"; } # ID

works()
{
	sweeps_pf "echo 60000 >\$LIMIT"
	sweeps_vf_work
}

leave()
{
	clear_faults
	sweeps_vf_leave
}

ktap_setup ready
KTAP_TIMEOUT=900 sweeps_commands "$OPERATIONS_VF"
ktap_test works "after all that PF and VF reach each other" works
ktap_finally leave
ktap_end
