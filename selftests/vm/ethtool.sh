#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What ethtool answers, option by option (ethtool.py): selftests/ethtool/options.tsv has the options, DRIVER.tsv beside it the answers.
# cpus: 2
# card: cx6dx,dcb
# kernels: 6.12
# takes: 240
# timeout: 1200
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"

program=$(dirname "$0")/ethtool.py

# As after loading: all settings are the defaults
ready()
{
	driver_unload
	driver_up
	run_python "$program" settle "$(driver_netdev)"
}

answers() { run_python "$program" run "$1" "$CXR_DRIVER" "$(driver_netdev)"; } # ID
knows_all() { run_python "$program" words "$(driver_netdev)"; }

# "id<TAB>sentence" of each option
options() { awk -F '\t+' '!/^#/ && NF { print $1 "\tethtool " $2 ": as recorded" }' "$(dirname "$0")/../ethtool/options.tsv"; }

ktap_setup ready
ktap_test known "the options and words of ethtool --help are tried, or a reason is given why not" knows_all
ktap_rows answers < <(options)
ktap_end
