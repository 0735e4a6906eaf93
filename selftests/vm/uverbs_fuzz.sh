#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Random and mutated requests of user space, by one process and by several at once (uverbs_fuzz.py), do no harm.
# guests: 1
# takes: 90
# turn: yes
# drivers: cxr
# timeout: 900
# long: 1200
. "$(dirname "$0")/../lib/ktap.sh"

fuzz=$(dirname "$0")/uverbs_fuzz.py
if [ -n "${CXR_LONG:-}" ]; then
	limits=(100000000 300) each=("${limits[@]}") seed=${CXR_SEED:-$EPOCHSECONDS}
else
	limits=(10000) each=(4000) seed=${CXR_SEED:-1}
fi

# A run fails if some command was never accepted; its other output is informational
one() # LIMITS...
{
	shares_pages
	echo "seed $seed"
	python3 -B "$fuzz" "$seed" "$@"
}

several()
{
	local pids=() pid wrong=0

	shares_pages
	echo "seeds $((seed + 1)) to $((seed + 4))"
	for i in 1 2 3 4; do
		python3 -B "$fuzz" $((seed + i)) "${each[@]}" >"/tmp/fuzz.$i" 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid" || wrong=1; done
	tail -n +1 /tmp/fuzz.[1-4]
	return $wrong
}

# The emulator reports commands that it refuses as violations: there must be none
nothing_left()
{
	local kind

	one 4000
	for kind in qp mr cq; do lacks python3 rdma resource show $kind; done
	driver_unload
	device_is_clean
}

ktap_setup driver_up
KTAP_TIMEOUT=900 ktap_test one "random requests of one process do no harm" one "${limits[@]}"
KTAP_TIMEOUT=900 ktap_test several "random requests of four processes at once do no harm" several
KTAP_TIMEOUT=300 ktap_test nothing-left "no object is left, and the device was not sent a command that it refuses" nothing_left
ktap_end
