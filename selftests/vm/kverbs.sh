#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Kernel verbs that NVMe over Fabrics (nvme.sh) does not use, tested by the module in selftests/kmod.
# guests: 1
# ledger: yes
# cpus: 2
# numbers: reuse
# takes: 15
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/kverbs.sh"

kernel() { kverbs "$(driver_ibdev)" "$1"; }

atomics()
{
	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver announces kernel atomics, but does not post them"
	kernel atomics
}

# The health check polls in place of lost interrupts: on CPU 1, while events of commands are handled on CPU 0
destroy_in_handler()
{
	local irq

	[ "$CXR_DRIVER" = cxr ] || skip "needs a driver that polls completion EQs after a lost interrupt"
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	irq=$(sed -n 's/^ *\([0-9]*\):.* cxr-async@.*/\1/p' /proc/interrupts)
	taskset -pc 0 $BASHPID >/dev/null
	echo 1 >"/proc/irq/$irq/smp_affinity"
	echo 2 >/sys/devices/virtual/workqueue/cpumask
	trap 'emu fault clear; echo 3 >/sys/devices/virtual/workqueue/cpumask' EXIT
	emu fault "$CXR_GUEST" interrupt 1 lose times=all
	kernel destroy_in_handler
}

no_such_test() { must_fail insmod "$KVERBS" "devices=$(driver_ibdev)" test=nothing; }

ktap_setup driver_up
ktap_test inline "inline data is copied when posted, and has a limit" kernel inline_data
ktap_test fast-registration "a fast registration's key is valid until it is invalidated" kernel fast_registration
ktap_test atomics "fetch-and-add and compare-and-swap, in host byte order" atomics
ktap_test completion.softirq "completions with IB_POLL_SOFTIRQ" kernel softirq
ktap_test completion.workqueue "completions with IB_POLL_WORKQUEUE" kernel workqueue
ktap_test drain "draining a QP waits for everything posted" kernel drain
ktap_test drain.direct "draining a QP with IB_POLL_DIRECT" kernel drain_direct
ktap_test query "a QP says on a query what it said when it was created" kernel query
ktap_test handle "an address handle says on a query where it leads" kernel query_handle
ktap_test next-qp "a new QP with the number of an old one has its own completions" kernel next_qp
ktap_test srq "an SRQ gets back all WQEs of a QP that is destroyed while its CQ is polled" kernel srq_of_destroyed
ktap_test destroy "a CQ is not destroyed while its handler is called in place of a lost interrupt" destroy_in_handler
ktap_test unknown "an unknown test is refused" no_such_test
ktap_end
