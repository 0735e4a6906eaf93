# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash disable=SC2154
#
# Rates of the send queues of an interface, $netdev. To be sourced after ktap.sh.

maxrate() { echo "/sys/class/net/$netdev/queues/tx-0/tx_maxrate"; }

queue_rates() # MBPS: of all tx queues
{
	local queue

	for queue in "/sys/class/net/$netdev/queues"/tx-*; do echo "$1" >"$queue/tx_maxrate"; done
}

# Microseconds that each of N datagrams takes, which are frames of 1042 bytes
datagrams_take() { python3 -B "${BASH_SOURCE[0]%/*}/../vm/pace.py" source "$(peer_ip)" "$1"; } # N

# A frame takes as long as the rate of its queue says
limited() # [MBPS]
{
	local took rate=${1:-8}

	took=$(datagrams_take $((4 + 6 * rate)))
	echo "$took us"
	[ "$took" -ge $((7200 / rate)) ]
}
