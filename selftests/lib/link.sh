# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The link of $netdev, for tests that set it.

# shellcheck source=selftests/lib/ends.sh
. "$(dirname "${BASH_SOURCE[0]}")/ends.sh"

speed_is() { [ "$(cat "/sys/class/net/$netdev/speed" 2>/dev/null)" = "$1" ]; }
# How often the link has failed: that of the interface, which may come back before anybody looks, is in carrier_changes
link_downs() { counter link_down_events_phy; }
link_downs_are() { [ "$(link_downs)" = "$1" ]; }

# What ethtool shows under a heading, in one line
shown() # HEADING
{
	ethtool "$netdev" | awk -v head="$1:" 'index($0, head) { on = 1; sub(".*" head, ""); print; next } /:/ { on = 0 } on' | tr -s '\t\n ' ' '
}

fec_chosen() { ethtool --show-fec "$netdev" 2>/dev/null | grep -qE "onfigured FEC encodings: *Auto"; }

# As after a reset of the card, for before_each: all modes are advertised, and the firmware chooses the error correction
link_default()
{
	local mode modes=()

	fec_chosen || ethtool --set-fec "$netdev" encoding auto
	if [ "$(shown 'Advertised link modes')" = "$(shown 'Supported link modes')" ] && [ "$(shown Auto-negotiation)" = " on " ]; then
		wait_until 10 speed_is 100000
		return
	fi
	for mode in $(shown 'Supported link modes'); do modes+=("$mode" on); done
	ethtool -s "$netdev" autoneg on advertise "${modes[@]}"
	wait_until 10 speed_is 100000
}
