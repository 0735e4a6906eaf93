# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The link of $netdev, for tests that set it.

# shellcheck source=selftests/lib/ends.sh
. "$(dirname "${BASH_SOURCE[0]}")/ends.sh"

speed_is() { [ "$(cat "/sys/class/net/$netdev/speed" 2>/dev/null)" = "$1" ]; }
# How often the link has failed: that of the interface, which may come back before anybody looks, is in carrier_changes
link_downs() { counter link_down_events_phy; }
# The same number, by ethtool -I, which kernel 6.1 does not have
link_downs_told() { [ "$CXR_KERNEL" = 6.1 ] || ethtool -I "$netdev" | grep -q "Link Down Events: $1\$"; }
link_downs_are() { [ "$(link_downs)" = "$1" ]; }

# What ethtool shows under a heading, in one line
shown() # HEADING
{
	ethtool "$netdev" | awk -v head="$1:" 'index($0, head) { on = 1; sub(".*" head, ""); print; next } /:/ { on = 0 } on' | tr -s '\t\n ' ' '
}

fec_chosen() { ethtool --show-fec "$netdev" 2>/dev/null | grep -qE "onfigured FEC encodings: *Auto"; }

fec_is() # CONFIGURED ACTIVE
{
	ethtool --show-fec "$netdev" | tee /run/cxr-fec
	[ "$(sed -n 's/^.*onfigured FEC encodings: *//p; s/^Active FEC encodings*: *//p' /run/cxr-fec | tr -s ' \n' ' ')" = "$1 $2 " ]
}

# Blocks corrected and not correctable, and bits corrected, as ethtool shows them; nothing if it shows none
fec_stats()
{
	ethtool -I --show-fec "$netdev" | awk '$1 ~ /^(corrected_blocks|uncorrectable_blocks|corrected_bits):$/ { n[$1] = $2; any = 1 }
		END { if (any) print n["corrected_blocks:"] + 0, n["uncorrectable_blocks:"] + 0, n["corrected_bits:"] + 0 }'
}

# 100 frames from b; of these, and of others that come, the first TIMES arrive with BITS wrong ones in a row
gets_wrong() # BITS TIMES
{
	emu fault a frame any flip "$1" dir=rx "times=$2"
	# shellcheck disable=SC2154
	peer "python3 -B selftests/lib/send_frames.py $peer_netdev $mac 100 500"
	# a packet socket has sent them, but they may be on their way
	reachable
}

# By how much fec_stats changes while COMMAND runs: "BLOCKS UNCORRECTABLE BITS"
fec_counts() # CHANGE COMMAND...
{
	local want=$1 before after

	shift
	before=$(fec_stats)
	[ -n "$before" ] || fail "there are no statistics of forward error correction"
	"$@"
	after=$(fec_stats)
	echo "statistics: $before, and now $after"
	[ "$(awk '{ print $4 - $1, $5 - $2, $6 - $3 }' <<<"$before $after")" = "$want" ] || fail "they have not changed by $want"
}

# As after a reset of the card, for before_each: all modes are advertised, and the firmware chooses the error correction
link_default() # [SPEED]
{
	local mode modes=() speed=${1:-100000}

	fec_chosen || ethtool --set-fec "$netdev" encoding auto
	if [ "$(shown 'Advertised link modes')" = "$(shown 'Supported link modes')" ] && [ "$(shown Auto-negotiation)" = " on " ]; then
		wait_until 10 speed_is "$speed"
		return
	fi
	for mode in $(shown 'Supported link modes'); do modes+=("$mode" on); done
	ethtool -s "$netdev" autoneg on advertise "${modes[@]}"
	wait_until 10 speed_is "$speed"
}
