#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The tests in the form of kernel selftests, as a user runs them on a machine: driver loaded, port up.
# guests: 1
# takes: 40
# turn: yes
# drivers: cxr rxe
# timeout: 400
# long: 700
. "$(dirname "$0")/../lib/ktap.sh"

installed=/cxr/build/package/kselftest/install

# A clean environment, without the variables of a guest
clean_env() { env -i "PATH=/cxr/scripts:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root "DEV=$(driver_ibdev)" "$@"; }

passes()
{
	set -o pipefail
	"$@" | tee /tmp/kselftest
	grep -qx 'ok 1 selftests: cxr: roce_port.sh' /tmp/kselftest
	grep -Eq '^# ok [0-9]+ - .*with itself over RoCE v2$' /tmp/kselftest
}

own_runner()
{
	passes clean_env make -s -C selftests run_tests
	# nothing has changed
	[ "$(rdma link show | sed -n 's|^link \([^/]*\)/.*|\1|p' | head -n 1)" = "$(driver_ibdev)" ]
}

kernels_runner()
{
	[ -n "${CXR_LONG:-}" ] || skip "the same tests under another runner: LONG=1"
	[ -x $installed/run_kselftest.sh ] || skip "there is no install folder: make check-package LONG=1"
	diff -r $installed/cxr/lib selftests/lib || skip "the install folder is outdated: make check-package LONG=1"
	passes clean_env $installed/run_kselftest.sh -c cxr
}

# A missing device is skipped, with a reason
no_such_device()
{
	set -o pipefail
	clean_env make -s -C selftests run_tests DEV=mlx5_77 | tee /tmp/kselftest
	grep -qx 'ok 1 selftests: cxr: roce_port.sh # SKIP' /tmp/kselftest
	grep -q '# SKIP this machine has no RDMA device mlx5_77' /tmp/kselftest
}

export KTAP_TIMEOUT=300
ktap_setup driver_up
ktap_test own "make -C selftests run_tests" own_runner
ktap_test kernels "the kernel's run_kselftest.sh" kernels_runner
ktap_test no-device "a missing device is skipped" no_such_device
ktap_end
