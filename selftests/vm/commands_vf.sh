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
	pf ". selftests/lib/sweeps.sh; set -e; clear_faults; driver_unload; pf_prepare $(vf_id); driver_load; echo 60000 >\$LIMIT; sweeps_bind; driver_net_up"
}

refused() { pf ". selftests/lib/sweeps.sh; set -e; echo 60000 >\$LIMIT; sweep selftests/vm/commands.py $1 refused"; } # ID
silent() { pf ". selftests/lib/sweeps.sh; set -e; echo 500 >\$LIMIT; sweep selftests/vm/commands.py $1 silent"; } # ID

# The VF is that of this guest
works()
{
	pf ". selftests/lib/sweeps.sh; set -e; echo 60000 >\$LIMIT; driver_up; pf_vfs 2"
	ends_up
	ends_know
	ends_pingpong 100
}

leave()
{
	clear_faults
	driver_unload
	pf "pf_forget"
}

ktap_setup ready
while IFS=$'\t' read -r id sentence; do
	KTAP_TIMEOUT=900 ktap_test "refused.$id" "a command is refused while $sentence" refused "$id"
	KTAP_TIMEOUT=900 ktap_test "silent.$id" "a command is not answered while $sentence" silent "$id"
done < <(rows_list "$OPERATIONS_VF")
ktap_test works "after all that PF and VF reach each other" works
ktap_finally leave
ktap_end
