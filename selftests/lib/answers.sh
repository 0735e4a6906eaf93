# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# For ethtool.sh and ethtool_set.sh: what ethtool answers, option by option (vm/ethtool.py). ethtool/options.tsv has the options,
# DRIVER.tsv beside it the answers.
#
#   answers_ready           set-up: as after loading, all settings are the defaults
#   answers_list REGEX      "id<TAB>sentence" of the options whose id matches
#   answers_run ID          one option

ANSWERS=selftests/vm/ethtool.py

answers_ready()
{
	driver_unload
	driver_up
	run_python $ANSWERS settle "$(driver_netdev)"
}

answers_list() # REGEX
{
	awk -F '\t+' -v wanted="$1" '!/^#/ && NF && $1 ~ wanted { print $1 "\tethtool " $2 ": as recorded" }' \
		"$(dirname "${BASH_SOURCE[0]}")/../ethtool/options.tsv"
}

answers_run() { run_python $ANSWERS run "$1" "$CXR_DRIVER" "$(driver_netdev)"; } # ID
