#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What each option of ethtool that sets something answers, and changes (lib/answers.sh).
# cpus: 2
# card: cx6dx,dcb
# kernels: 6.12
# takes: 200
# timeout: 1200
# when: long
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/answers.sh
. "$(dirname "$0")/../lib/answers.sh"

sets() { answers_run "set.$1"; }

ktap_setup answers_ready
ktap_rows sets < <(answers_list '^set' | sed 's/^set\.//')
ktap_end
