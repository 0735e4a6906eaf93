#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Open MPI over the device, as Debian builds it, over UCX and over libfabric, on two and three machines; every byte is checked.
# guests: 3
# takes: 110
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# timeout: 700
# long: 1500
# windows: yes
# when: long
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

ALL=messages,collectives,onesided
RUN="python3 -B /cxr/selftests/vm/mpi_program.py"
UCX="--mca pml ucx --mca osc ucx"
OFI="--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include verbs;ofi_rxm"
# Without these settings data are wrong, on the in-tree driver as well: it seems that memory that malloc gives back to the kernel, and
# gets again, stays registered at its old pages
OFI+=" -x GLIBC_TUNABLES=glibc.malloc.trim_threshold=1000000000:glibc.malloc.mmap_threshold=1000000000"

ready()
{
	programs_up
	peer_on c "driver_up 4200"
	ends_up 4200
}

before_each() { ends_know; }

# Each of KINDS was good in RANKS processes on HOSTS
good() # HOSTS RANKS FRAMES KINDS OPTIONS...
{
	local hosts=$1 ranks=$2 frames=$3 kinds=$4 kind

	shift 4
	# shellcheck disable=SC2086
	window "$frames" mpi "$hosts" "$@" -- $RUN "$kinds" >/tmp/mpi 2>&1 || { cat /tmp/mpi; return 1; }
	cat /tmp/mpi
	for kind in ${kinds//,/ }; do [ "$(grep -c "^rank .*: $kind: good\$" /tmp/mpi)" = "$ranks" ]; done
}

# The GID index is the same on all machines
# shellcheck disable=SC2086
v1() { good a,b 2 type=v1 $ALL $UCX -x "UCX_NET_DEVICES=$dev:1" -x "UCX_IB_GID_INDEX=${gid[v1]}"; }

# A rank dies amidst messages: the job ends with an error, and nothing is left anywhere
killed()
{
	local job rc=0

	# shellcheck disable=SC2086
	mpi a,b,c $UCX -x "UCX_NET_DEVICES=$dev:1" -- $RUN endless >/tmp/mpi 2>&1 &
	job=$!
	wait_until 60 began || { cat /tmp/mpi; return 1; }
	nap 2
	peer_on c "pkill -KILL -f mpi_program"
	wait $job || rc=$?
	cat /tmp/mpi
	[ $rc != 0 ] && [ $rc != 124 ]
	programs_left_nothing
}

began() { [ "$(grep -c ': begins$' /tmp/mpi)" = 3 ]; }

ktap_setup ready
export PROGRAM_SECONDS=150
export KTAP_TIMEOUT=200
# shellcheck disable=SC2086
ktap_test ucx.two "over UCX, two machines: messages, collectives and one-sided operations are right" good a,b 2 type=v2/IPv4 $ALL $UCX
# shellcheck disable=SC2086
ktap_test ucx.three "the same on three machines" good a,b,c 3 type=v2/IPv4 $ALL $UCX
# shellcheck disable=SC2086
ktap_test ucx.six "six processes on three machines" good a:2,b:2,c:2 6 type=v2/IPv4 messages,collectives $UCX --bind-to none
# shellcheck disable=SC2086
ktap_test ofi "over libfabric: messages and collectives are right" good a,b 2 type=v2/IPv4 messages,collectives $OFI
ktap_test ucx.v1 "over UCX and RoCE v1" v1
ktap_test killed "a process is killed: the job ends with an error, and nothing is left" killed
ktap_finally programs_down
ktap_end
