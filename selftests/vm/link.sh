#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Link modes of a card that has two numberings of them, the second one for speeds of 50 Gbit/s a lane. port.sh has a card with the
# first one alone.
# guests: 2
# card: cx6dx,dcb
# ledger: yes
# takes: 30
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"
# shellcheck source=selftests/lib/link.sh
. "$(dirname "$0")/../lib/link.sh"

before_each() { ends_know; emu fault clear; link_default; }

# As published of such a card
shows_link()
{
	ethtool "$netdev"
	grep -q "50000baseLR_ER_FR/Full" <<<"$(shown 'Supported link modes')"
	grep -q "100000baseLR2_ER2_FR2/Full" <<<"$(shown 'Supported link modes')"
	grep -q "100000baseDR2/Full" <<<"$(shown 'Advertised link modes')"
	[ "$(shown 'Supported link modes' | wc -w)" = 34 ]
	[ "$(shown 'Advertised link modes')" = "$(shown 'Supported link modes')" ]
	[ "$(shown Speed)" = " 100000Mb/s " ]
	[ "$(shown Port)" = " Direct Attach Copper " ]
	[ "$(shown 'Supported ports')" = " [ Backplane ] " ]
}

sets_speed()
{
	local speed

	for speed in 25000 50000; do
		ethtool -s "$netdev" speed $speed autoneg off
		wait_until 10 speed_is $speed
	done
	# two lanes, and one
	grep -q "50000baseCR2/Full" <<<"$(shown 'Advertised link modes')"
	grep -q "50000baseDR/Full" <<<"$(shown 'Advertised link modes')"
	reachable
}

# A protocol of the second numbering is selected by all of its modes: those of 50 Gbit/s on a lane are bits 52 to 56
advertises()
{
	ethtool -s "$netdev" autoneg on advertise 0x1f0000000000000
	wait_until 10 speed_is 50000
	[ "$(shown 'Advertised link modes')" = " 50000baseKR/Full 50000baseSR/Full 50000baseCR/Full 50000baseLR_ER_FR/Full 50000baseDR/Full " ]
	must_fail ethtool -s "$netdev" autoneg on advertise 0x0f0000000000000
	# those of the first one are selected by any
	ethtool -s "$netdev" autoneg on advertise 0x80800000
	wait_until 10 speed_is 40000
	[ "$(shown 'Advertised link modes')" = " 40000baseKR4/Full 25000baseCR/Full " ]
	reachable
}

# 200 Gbit/s
refuses()
{
	local before

	before=$(ethtool "$netdev"; link_downs)
	must_fail ethtool -s "$netdev" speed 200000 autoneg off
	[ "$(ethtool "$netdev"; link_downs)" = "$before" ]
}

# With a copper cable RS and none; with lanes of 50 Gbit/s another RS, and LLRS
shows_fec()
{
	ethtool -s "$netdev" speed 100000 autoneg off
	wait_until 10 speed_is 100000
	fec_is Auto RS
	[ "$(shown 'Supported FEC modes')" = " None RS LLRS " ]
	[ "$(shown 'Advertised FEC modes')" = " RS " ]
}

sets_fec()
{
	local before

	ethtool -s "$netdev" speed 100000 autoneg off
	wait_until 10 speed_is 100000
	before=$(link_downs)
	ethtool --set-fec "$netdev" encoding off
	wait_until 10 fec_is Off Off
	wait_until 10 link_downs_are $((before + 1))
	link_downs_told $((before + 1))
	[ "$(shown 'Advertised FEC modes')" = " None " ]
	ethtool --set-fec "$netdev" encoding rs
	wait_until 10 fec_is RS RS
	# bits 57 to 61: two lanes
	ethtool -s "$netdev" autoneg on advertise 0x3e00000000000000
	wait_until 10 speed_is 100000
	wait_until 10 fec_is RS RS
	ethtool --set-fec "$netdev" encoding llrs
	wait_until 10 fec_is LLRS LLRS
	ethtool --set-fec "$netdev" encoding auto
	wait_until 10 fec_is Auto RS
	reachable
}

refuses_fec()
{
	local before

	before=$(ethtool --show-fec "$netdev")
	must_fail ethtool --set-fec "$netdev" encoding baser
	must_fail ethtool --set-fec "$netdev" encoding rs off
	[ "$CXR_DRIVER" = mlx5 ] || kmsg | grep "link settings: the port does not have this forward error correction"
	[ "$(ethtool --show-fec "$netdev")" = "$before" ]
}

# With lanes of 50 Gbit/s RS corrects 15 symbols of a block, else 7, as LLRS does. fec.sh has a card with BaseR
counts_fec()
{
	ethtool -s "$netdev" speed 100000 autoneg off
	wait_until 10 speed_is 100000
	reachable
	fec_counts "30 0 2100" gets_wrong 70 30
	fec_counts "0 30 0" gets_wrong 71 30
	# bits 57 to 61: two lanes
	ethtool -s "$netdev" autoneg on advertise 0x3e00000000000000
	wait_until 10 speed_is 100000
	reachable
	fec_counts "30 0 2130" gets_wrong 71 30
	fec_counts "0 30 0" gets_wrong 151 30
	ethtool --set-fec "$netdev" encoding llrs
	wait_until 10 fec_is LLRS LLRS
	reachable
	fec_counts "0 30 0" gets_wrong 71 30
	# these lanes have always one
	link_default
	ethtool --set-fec "$netdev" encoding off
	wait_until 10 fec_is Off Off
	[ -z "$(fec_stats)" ]
}

detected() { ethtool "$netdev" | grep "Link detected: $1"; }

tells_why()
{
	trap 'emu fault clear >/dev/null' EXIT
	detected "yes$"
	emu fault a port down >/dev/null
	wait_until 10 detected "no (No cable)$"
	emu fault a register pddr status bad_param times=all >/dev/null
	detected "no$"
	emu fault clear >/dev/null
	wait_until 10 detected "yes$"
	reachable
	[ "$CXR_DRIVER" = mlx5 ] || must_fail grep -i refuse <(kmsg)
}

ktap_setup ends_up
ktap_test shown "ethtool shows the link modes of both numberings" shows_link
ktap_test speed "the speed of the link can be set" sets_speed
ktap_test advertise "link modes of either numbering can be selected" advertises
ktap_test refused "a speed that the card does not have is refused" refuses
ktap_test fec "ethtool shows the forward error correction" shows_fec
ktap_test fec.set "it can be set, and lanes of 50 Gbit/s have others" sets_fec
ktap_test fec.counts "it counts what it corrects and what it cannot, as its code can" counts_fec
ktap_test down "ethtool tells why the link is down, if the device does" tells_why
ktap_test fec.refused "one that the port does not have is refused" refuses_fec
ktap_end
