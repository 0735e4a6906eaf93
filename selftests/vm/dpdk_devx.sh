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
# shellcheck source=selftests/vm/dpdk.sh
. "$(dirname "$0")/dpdk.sh"
