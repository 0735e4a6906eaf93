# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The link of $netdev, for tests that set it.

# shellcheck source=selftests/lib/ends.sh
. "$(dirname "${BASH_SOURCE[0]}")/ends.sh"

speed_is() { [ "$(cat "/sys/class/net/$netdev/speed" 2>/dev/null)" = "$1" ]; }
changes_are() { [ "$(carrier_changes)" = "$1" ]; }
carrier_changes() { cat "/sys/class/net/$netdev/carrier_changes"; }

# What ethtool shows under a heading, in one line
shown() # HEADING
{
	ethtool "$netdev" | awk -v head="$1:" 'index($0, head) { on = 1; sub(".*" head, ""); print; next } /:/ { on = 0 } on' | tr -s '\t\n ' ' '
}
