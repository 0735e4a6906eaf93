#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# UCX over both ports of a card in a bond, also while one of them fails.
# guests: 2
# functions: 2
# card: cx5
# takes: 90
# when: long
# kernels: 6.12 7.2
# drivers: cxr mlx5
# timeout: 600
# windows: yes
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
. "$(dirname "$0")/../lib/lag.sh"
. "$(dirname "$0")/../lib/ucx.sh"

# shellcheck disable=SC2034
dev=mlx5_bond_0

ready() # MODE [HASH-POLICY]
{
	programs_up
	setup_lag "$@"
	ucx_up
}

# shellcheck disable=SC2034
before_each() { UCX_PEER=$(guest_ip b 9); }

backup()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver clears GIDs that QPs use"
	survives
}

# Reads and writes go on while each port of this end goes down in turn, and are right
survives()
{
	local port state

	ktap_spoilt
	ucx_demo_starts -i 1000000000 -l $((30 * ${CXR_PATIENCE:-1}))
	wait_until 30 grep -q ' | read [1-9]' /tmp/demo
	for port in 0 1; do
		for state in down up; do set_link_wait $port $state; done
	done
	ucx_demo_runs || fail "io_demo ended before the ports had failed"
	ucx_demo_ends
}

leave()
{
	teardown_lag
	programs_down
}

ktap_setup ready balance-xor layer3+4
ktap_test defaults "over a bond UCX selects RoCE v2 and rc_mlx5: messages, streams, RDMA and atomics" ucx_selects rc_mlx5
ktap_test ud.verbs "ud_verbs: the same" ucx_selects ud_verbs UCX_TLS=ud_v
ktap_test survives "io_demo: reads and writes arrive intact while each port fails in turn" survives
ktap_setup ready active-backup
ktap_test backup "the same over a bond with an active port" backup
ktap_finally leave
ktap_end
