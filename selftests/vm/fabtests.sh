#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# libfabric's own tests (fabtests), from the source package of the library that Debian has, by their own runner: the verbs provider, and
# reliable datagrams over it.
# guests: 2
# takes: 600
# kernels: 6.12
# drivers: cxr mlx5
# when: long
# timeout: 3600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

FABTESTS=/cxr/build/fabtests
BIN=/run/fabtests
export KTAP_TIMEOUT=1800

ready()
{
	local name

	programs_meet_by_cm
	mkdir -p $BIN
	for name in ssh sleep; do cp /cxr/selftests/lib/fabtests_ssh $BIN/$name; done
}

before_each() { ends_know; }

# Its results, test by test, and no failure among at least MIN that pass
suite() # MIN PROVIDER EXCLUDES SETS
{
	local min=$1 passed

	# it writes files where it runs
	(cd /tmp && PATH=$BIN:$PATH $FABTESTS/fabtests/scripts/runfabtests.sh -v -T 100 -p $FABTESTS/bin/ -t "$4" -s "$(peer_ip)" \
		-c "$(my_ip)" -N -f "$FABTESTS/fabtests/test_configs/$3" "$2" b a) >/tmp/fabtests 2>&1 || true
	cat /tmp/fabtests
	passed=$(grep -c 'result: *Pass' /tmp/fabtests) || true
	echo "$passed tests passed"
	! grep -q 'result: *Fail' /tmp/fabtests
	[ "$passed" -ge "$min" ]
}

ktap_setup ready
ktap_test unit "unit tests of the verbs provider pass" suite 4 verbs verbs/verbs.exclude unit
ktap_test verbs "tests of the verbs provider pass" suite 10 verbs verbs/verbs.exclude functional,short
ktap_test rxm "tests of reliable datagrams over the verbs provider pass" suite 20 "verbs;ofi_rxm" ofi_rxm/ofi_rxm.exclude functional,short
ktap_finally programs_down
ktap_end
