#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# As dpdk.sh, on a card with DEVX: testpmd then makes queues, counters and rules by commands of its own.
# guests: 2
# cpus: 2
# card: cx6dx,devx
# takes: 60
# turn: yes
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# timeout: 500

# Packets of this guest that the adapter has received in strides, or sent as several of a WQE
packets() # in strides|of WQEs of several
{
	emu status | sed -n "/^function $CXR_GUEST/,/^function [^$CXR_GUEST]/s/.*packets: .*$1 \([0-9]*\).*/\1/p"
}

# COMMAND makes the adapter count LEAST packets more, at least
count_packets() # in strides|of WQEs of several LEAST COMMAND...
{
	local before after

	before=$(packets "$1")
	"${@:3}"
	after=$(packets "$1")
	echo "$1: $before, then $after"
	[ $((after - ${before:-0})) -ge "$2" ]
}

# In strides and in compressed CQEs, which then say the stride
strides() # [ARGUMENTS]
{
	local before

	before=$(compressed)
	count_packets "in strides" 200 bursts "mprq_en=1,rxqs_min_mprq=1${1:+,$1}"
	[ $(($(compressed) - before)) -ge 100 ]
}

strides_plain() { count_packets "in strides" 200 bursts mprq_en=1,rxqs_min_mprq=1,rxq_cqe_comp_en=0; }

several() { count_packets "of WQEs of several" 100 transmits "$@"; }

more()
{
	ktap_test strides "bursts are received in strides, several packets of a WQE" strides
	ktap_test strides.verbs "the same in queues of verbs" strides dv_flow_en=0
	ktap_test strides.plain "and with plain CQEs" strides_plain
	ktap_test several "testpmd sends several packets with a WQE" several
	ktap_test several.verbs "the same from queues of verbs" several dv_flow_en=0
	ktap_test several.pointers "and without inline data" several txq_inline_mpw=0
}

# shellcheck source=selftests/vm/dpdk.sh
. "$(dirname "$0")/dpdk.sh"
