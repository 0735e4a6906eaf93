#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# User space of other Debian releases on this kernel and driver: rdma-core 33 (bullseye), 44 (bookworm) and 65 (sid) beside the guests' own
# (trixie), with the perftest of each. A guest runs them in a tree of that release (scripts/toolbox release), by chroot.
# guests: 2
# card: cx5,devx
# takes: 90
# when: long
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

TREES=/cxr/build/releases
ROOT=/run/release
export KTAP_TIMEOUT=200

enter_here() # RELEASE
{
	local dir

	leave_here
	mkdir -p $ROOT
	mount --bind "$TREES/$1" $ROOT
	for dir in dev proc sys tmp run; do mount --rbind /$dir $ROOT/$dir; done
}

leave_here() { ! mountpoint -q $ROOT || umount -R -l $ROOT; }

on_both() # FUNCTION [RELEASE]
{
	"$@" && peer "TREES=$TREES ROOT=$ROOT; $(declare -f "$1" leave_here); $*"
}

ready()
{
	programs_meet_by_cm
	on_both leave_here
}

before_each() { ends_know; }

# The values that its ibv_devinfo shows under the same names as the guests' own, which may know more
devices() # RELEASE
{
	local own same

	on_both enter_here "$1"
	program chroot $ROOT ibv_devices
	chroot $ROOT ibv_devices | grep -qw "$dev"
	own=$(ibv_devinfo -v -d "$dev" | sed 's/[ \t]\+/ /g' | grep ': ')
	same=$(chroot $ROOT ibv_devinfo -v -d "$dev" | sed 's/[ \t]\+/ /g' | grep ': ' | grep -vE 'GID\[|hca_core_clock')
	echo "$same"
	[ "$(wc -l <<<"$same")" -ge 50 ]
	if grep -vxFf <(echo "$own") <<<"$same" | cut -d: -f1 | grep -xFf <(cut -d: -f1 <<<"$own"); then fail "these differ"; fi
}

# PROGRAM of that release here, with itself, or the peer's own, on b
pingpong() # "PREFIX ON B" PROGRAM OPTIONS...
{
	local version prefix=$1 name=$2

	shift 2
	for version in v1 v2; do
		ends_serve "$prefix $name -d $peer_dev $*" "-g ${peer_gid[$version]}"
		program chroot $ROOT "$name" -d "$dev" -g "${gid[$version]}" -p "$PP_PORT" "$@" "$(peer_ip)"
		peer_wait servers
	done
}

pingpongs() # RELEASE
{
	on_both enter_here "$1"
	pingpong "chroot $ROOT" ibv_rc_pingpong -n 200 -c
	pingpong "" ibv_rc_pingpong -n 200 -c
	# not both: it takes the event of a completion that it has seen already for an error
	pingpong "chroot $ROOT" ibv_rc_pingpong -n 200 -e
	pingpong "chroot $ROOT" ibv_rc_pingpong -n 200 -t
	pingpong "chroot $ROOT" ibv_uc_pingpong -n 200 -c
	pingpong "chroot $ROOT" ibv_ud_pingpong -n 200 -c -s 1024
	pingpong "chroot $ROOT" ibv_srq_pingpong -n 200 -c
}

# TOOL ARGUMENTS... of that release on both ends
pair()
{
	local tool=$1

	shift
	ends_serve "chroot $ROOT $tool -d $peer_dev -x ${peer_gid[v2]} -F" "$*"
	program chroot $ROOT "$tool" -d "$dev" -x "${gid[v2]}" -F -p "$PP_PORT" "$@" "$(peer_ip)"
	peer_wait servers
}

perftests() # RELEASE
{
	on_both enter_here "$1"
	pair ib_write_bw -s 65536 -n 100 -q 4
	pair ib_send_bw -c RC -s 65536 -n 100 -b
	pair ib_send_bw -c UD -s 1024 -n 100 -e
	pair ib_send_bw -c XRC -s 4096 -n 100
	pair ib_send_bw -c RC -s 4096 -n 100 --use-srq
	pair ib_read_bw -s 65536 -n 100
	pair ib_atomic_bw -A CMP_AND_SWAP -n 100
	pair ib_send_lat -s 64 -n 200 -I 64
	pair ib_write_lat -s 64 -n 200
}

served() # COMMAND OF THE SERVER -- COMMAND
{
	local server=''

	while [ "$1" != -- ]; do
		server+=" $1"
		shift
	done
	shift
	program_serves "rdma resource show cm_id | grep -q 'LISTEN .*comm $1 '" "chroot $ROOT$server"
	program chroot $ROOT "$@"
	peer_wait program
}

by_cm() # RELEASE
{
	on_both enter_here "$1"
	served rping -s -a "$(peer_ip)" -C 50 -V -S 65535 -- rping -c -a "$(peer_ip)" -C 50 -V -S 65535
	served ucmatose -b "$(peer_ip)" -c 50 -C 5 -- ucmatose -s "$(peer_ip)" -c 50 -C 5
	served udaddy -b "$(peer_ip)" -C 5 -- udaddy -s "$(peer_ip)" -C 5
	programs_left_nothing
}

down()
{
	ends_stop
	on_both leave_here
	programs_down
}

ktap_setup ready
ktap_test bullseye.devices "rdma-core 33: the device has the values that the guests' own release shows" devices bullseye
ktap_test bullseye.pingpongs "rdma-core 33: pingpongs over each transport, RoCE v1 and v2, also with the guests' own release" pingpongs bullseye
ktap_test bullseye.perftest "rdma-core 33: its perftest, each operation" perftests bullseye
ktap_test bullseye.cm "rdma-core 33: programs of rdma_cm" by_cm bullseye
ktap_test bookworm.devices "rdma-core 44: the device has the values that the guests' own release shows" devices bookworm
ktap_test bookworm.pingpongs "rdma-core 44: pingpongs over each transport, RoCE v1 and v2, also with the guests' own release" pingpongs bookworm
ktap_test bookworm.perftest "rdma-core 44: its perftest, each operation" perftests bookworm
ktap_test bookworm.cm "rdma-core 44: programs of rdma_cm" by_cm bookworm
ktap_test sid.devices "rdma-core 65: the device has the values that the guests' own release shows" devices sid
ktap_test sid.pingpongs "rdma-core 65: pingpongs over each transport, RoCE v1 and v2, also with the guests' own release" pingpongs sid
ktap_test sid.perftest "rdma-core 65: its perftest, each operation" perftests sid
ktap_test sid.cm "rdma-core 65: programs of rdma_cm" by_cm sid
ktap_finally down
ktap_end
