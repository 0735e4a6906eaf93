#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# libfabric's verbs provider, as Debian builds it: connected endpoints, and reliable datagrams by its RxM layer, with checked data.
# guests: 2
# takes: 40
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# windows: yes
# when: long
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

CONTROL_PORT=47592	# fi_pingpong's own default

before_each() { ends_know; }

pingpong() # FRAMES ADDRESS OPTIONS...
{
	local frames=$1 both

	shift
	both=(fi_pingpong -c -I 20 -S all "$@")
	program_serves "tcp_listens $CONTROL_PORT" "${both[@]@Q}"
	window "$frames" program "${both[@]}" "$(peer_ip)" >/tmp/pingpong 2>&1 || {
		cat /tmp/pingpong
		program_ends
		return 1
	}
	program_ends
	cat /tmp/pingpong
	grep -q '^1m .*=20 ' /tmp/pingpong
}

v1()
{
	cma_roce_mode -d "$dev" -m 1
	pingpong type=v1 -p verbs -e msg
	cma_roce_mode -d "$dev" -m 2
}

# Endpoints of each type, and their domain
found()
{
	program fi_info -p verbs >/tmp/info
	sort /tmp/info | uniq -c
	grep -q "domain: $dev" /tmp/info
	grep -q "type: FI_EP_MSG" /tmp/info
	program fi_info -p 'verbs;ofi_rxm' >/tmp/info
	grep -q "type: FI_EP_RDM" /tmp/info
}

ktap_setup programs_meet_by_cm
ktap_test found "the provider finds the device" found
ktap_test msg "connected endpoints" pingpong type=v2/IPv4 -p verbs -e msg
ktap_test rdm "reliable datagrams over connected endpoints" pingpong type=v2/IPv4 -p 'verbs;ofi_rxm' -e rdm
ktap_test v1 "connected endpoints over RoCE v1" v1
ktap_finally programs_down
ktap_end
