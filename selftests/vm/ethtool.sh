#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What each option of ethtool shows (lib/answers.sh).
# cpus: 2
# card: cx6dx,dcb
# kernels: 6.12
# takes: 70
# turn: yes
# timeout: 900
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/answers.sh
. "$(dirname "$0")/../lib/answers.sh"

knows_all() { run_python $ANSWERS words "$(driver_netdev)"; }

ktap_setup answers_ready
ktap_test known "the options and words of ethtool --help are tried, or a reason is given why not" knows_all
ktap_rows answers_run < <(answers_list '^[^s]|^sh')
ktap_end
