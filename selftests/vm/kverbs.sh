#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What kernel consumers ask for beyond what NVMe over Fabrics does (nvme.sh): a module of our own asks.
# guests: 1
# takes: 5
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/kverbs.sh"

kernel() { kverbs "$(driver_ibdev)" "$1"; }

atomics()
{
	[ "$CXR_DRIVER" != mlx5 ] || skip "the kernel's own driver posts no atomics for the kernel, but announces them"
	kernel atomics
}

no_such_test() { must_fail insmod "$KVERBS" "devices=$(driver_ibdev)" test=nothing; }

ktap_setup driver_up
ktap_test inline "inline data is the device's when it is posted, and has a limit" kernel inline_data
ktap_test fast-registration "memory has a key as long as it is registered" kernel fast_registration
ktap_test atomics "fetch-and-add and compare-and-swap, in the CPU's byte order" atomics
ktap_test completion.softirq "completions come by interrupts" kernel softirq
ktap_test completion.workqueue "completions come to a work queue" kernel workqueue
ktap_test drain "what was posted is over when a queue pair is drained" kernel drain
ktap_test drain.direct "the same where nobody but the consumer polls" kernel drain_direct
ktap_test unknown "a test that there is not is refused" no_such_test
ktap_end
