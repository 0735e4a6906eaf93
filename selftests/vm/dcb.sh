#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Traffic classes and flow control of the port, as iproute2's dcb and ethtool set them.
# guests: 2
# card: cx5,dcb
# takes: 90
# turn: yes
# drivers: cxr mlx5
# ledger: yes
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

# Both interfaces up
ready()
{
	emu fault clear >/dev/null
	ends_up 1500
}

before_each() { ends_know; }

# ConnectX-5 does not probe round-trip times
has_cc_params()
{
	local files

	files=("/sys/kernel/debug/$CXR_DRIVER/$(driver_bdfs)/cc_params"/*)
	printf '%s\n' "${files[@]}"
	[ ${#files[@]} = 20 ]
}

has_classes()
{
	dcb ets show dev "$netdev" | tee /run/cxr-ets
	grep -q "ets-cap 8" /run/cxr-ets
	grep -q "prio-tc 0:1 1:0 2:2 3:3 4:4 5:5 6:6 7:7" /run/cxr-ets	# the driver's own default
}

sets_ets()
{
	dcb ets set dev "$netdev" tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:40 3:60
	dcb ets show dev "$netdev" | tee /run/cxr-ets
	grep -q "tc-bw 0:40 .* 3:60" /run/cxr-ets	# of a strict class 0, or 100 (6.1)
	grep -q "tc-tsa 0:ets 1:strict 2:strict 3:ets" /run/cxr-ets
}

# dcb gives bytes per second where the kernel takes kilobits: this is 10 Gbit/s
sets_maxrate()
{
	dcb maxrate set dev "$netdev" tc-maxrate 3:80mbit
	dcb maxrate show dev "$netdev" | tee /run/cxr-rate
	grep -q "3:80Mbit" /run/cxr-rate
	dcb maxrate set dev "$netdev" tc-maxrate 3:0
}

sets_pfc()
{
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	ends_up 1500
	dcb pfc show dev "$netdev" | tee /run/cxr-pfc
	grep -q "3:on" /run/cxr-pfc
	grep -q "2:off" /run/cxr-pfc
	ethtool -S "$netdev" | grep -q rx_prio3_pause:
}

# Agents of DCBX may mean something else by it
ignores_delay()
{
	dcb pfc set dev "$netdev" delay 30
	dcb pfc show dev "$netdev" | grep -q "delay 30"
	dcb pfc set dev "$netdev" delay 1000
	dcb pfc show dev "$netdev" | grep -q "delay 30"
	[ "$CXR_DRIVER" = mlx5 ] || kmsg | grep -q "DCB: a delay of 1000 is no length of a cable, 1 to 999 m, which stays 30 m"
	dcb pfc set dev "$netdev" delay 7
}

# The firmware has moved the priority into a buffer without loss
has_buffers()
{
	dcb buffer show dev "$netdev" | tee /run/cxr-buffer
	grep -q "prio-buffer 0:0 1:0 2:0 3:1" /run/cxr-buffer
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
	dcb buffer show dev "$netdev" | grep -q "prio-buffer 0:0 1:0 2:0 3:0"
}

sets_buffers()
{
	dcb buffer set dev "$netdev" prio-buffer all:0 3:1 buffer-size all:0 0:98304 1:196608
	dcb buffer show dev "$netdev" | tee /run/cxr-buffer
	grep -q "prio-buffer 0:0 1:0 2:0 3:1" /run/cxr-buffer
}

# Traffic with a DSCP is counted in its priority
sorts_by_dscp()
{
	local before

	dcb app add dev "$netdev" dscp-prio 26:3
	dcb app show dev "$netdev" | tee /run/cxr-app
	grep -q "AF31:3" /run/cxr-app
	before=$(counter tx_prio3_packets)
	ping -q -Q 104 -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
	[ $(($(counter tx_prio3_packets) - before)) -ge 10 ]
	dcb app del dev "$netdev" dscp-prio 26:3
	before=$(counter tx_prio3_packets)
	ping -q -Q 104 -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
	[ "$(counter tx_prio3_packets)" = "$before" ]
	# nor are DSCPs that the card has priorities for by itself
	before=$(counter tx_prio5_packets)
	ping -q -Q $((46 * 4)) -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
	[ "$(counter tx_prio5_packets)" = "$before" ]
}

pause_excludes_pfc()
{
	ethtool -A "$netdev" rx on tx on
	ethtool -a "$netdev" | tee /run/cxr-pause
	[ "$(grep -c "on$" /run/cxr-pause)" = 2 ]
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	ends_up 1500
	ethtool -a "$netdev" | tee /run/cxr-pause
	[ "$(grep -c "[RT]X:.*off$" /run/cxr-pause)" = 2 ]
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
}

tunable() { ethtool --get-tunable "$netdev" pfc-prevention-tout | awk '{ print $NF }'; }
set_tunable() { ethtool --set-tunable "$netdev" pfc-prevention-tout "$1"; }

# The time is that of the firmware until somebody sets it; 65535 is the default of users. Pauses stay as they are
prevents_storms()
{
	local ms

	ktap_spoilt
	driver_unload
	ends_up 1500
	[ "$(tunable)" = 8000 ]
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	ends_up 1500
	for ms in 80 8000 0 250; do
		set_tunable $ms
		[ "$(tunable)" = $ms ]
	done
	set_tunable 65535
	[ "$(tunable)" = 100 ]
	for ms in 79 8001 65534; do must_fail set_tunable $ms; done
	[ "$CXR_DRIVER" = mlx5 ] || kmsg | grep -q "pfc-prevention-tout: 79 ms is not in the range"
	[ "$CXR_DRIVER" = mlx5 ] || kmsg | grep -q "pfc-prevention-tout: 8001 ms is not in the range of 80 to 8000, nor 0 (off)"
	[ "$(tunable)" = 100 ]
	dcb pfc show dev "$netdev" | grep -q "3:on"
	[ "$(counter tx_pause_storm_warning_events) $(counter tx_pause_storm_error_events)" = "0 0" ]
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
	[ "$(tunable)" = 100 ]
}

# Everything that dcb shows, but for the counters
shown() { for what in ets maxrate pfc buffer app; do dcb -N $what show dev "$netdev"; done; }

about_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "$1"; }

raw() { run_python selftests/lib/dcb_raw.py "$netdev" "$@"; }

# LINE of the kernel log, WORDS of dcb that are refused; nothing changes
refused() # LINE WORDS...
{
	local before log=$1

	shift
	before=$(shown)
	must_fail dcb "$1" set dev "$netdev" "${@:2}"
	[ "$(shown)" = "$before" ]
	kmsg | grep -q "$netdev: DCB: $log"
}

refuses()
{
	about_cxr "the in-tree driver logs other sentences, and changes flow control before it refuses the buffers"
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
	must_fail scripts/cxr-qos -i "$netdev" -s ets,strict,strict,ets,strict,strict,strict,strict -t 40,0,0,59,0,0,0,0
	kmsg | grep -q "DCB: the bandwidths of the ETS classes do not add up"
	refused "the port has neither credit-based shapers" ets tc-tsa all:strict 0:cbs
	refused "the rate of a class is above 255 Gbit/s" maxrate tc-maxrate 3:256gbps
	refused "the buffers are larger than that of the port" buffer buffer-size all:0 0:4194304
	refused "the buffers leave nothing to be shared" buffer buffer-size all:0 0:4151520
	# nor has that changed what is shared
	refused "the buffers leave nothing to be shared" buffer buffer-size all:0 0:4151520
	must_fail dcb app add dev "$netdev" ethtype-prio 0x8915:3
	kmsg | grep -q "DCB: the port has priorities for DSCPs only"
	[ "$(raw app 5 26 8)" = 22 ]
	kmsg | grep -q "DCB: a priority is above 7"
	[ "$(raw app 5 64 3)" = 22 ]
	kmsg | grep -q "DCB: a DSCP is above 63"
	# with flow control it needs room for what still arrives
	dcb buffer set dev "$netdev" prio-buffer all:0 3:1 5:2 buffer-size all:0 0:98304 1:20000
	refused "a buffer of a priority with flow control is too small" pfc prio-pfc 3:on
	refused "a priority with flow control has a buffer of 0 bytes" pfc prio-pfc 5:on
	dcb buffer set dev "$netdev" prio-buffer all:0 buffer-size all:0 0:98304
}

# PFC on a priority makes the buffer that a user has given it one without loss, and off a lossy one
buffers_follow()
{
	dcb buffer set dev "$netdev" prio-buffer all:0 3:1 buffer-size all:0 0:98304 1:196608
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	ends_up 1500
	dcb buffer show dev "$netdev" | tee /run/cxr-buffer
	grep -q "prio-buffer 0:0 1:0 2:0 3:1" /run/cxr-buffer
	must_fail dcb buffer set dev "$netdev" buffer-size all:0 0:98304
	# two of them share what is left for such buffers
	dcb buffer set dev "$netdev" prio-buffer all:0 3:1 4:2 buffer-size all:0 0:98304 1:196608 2:98304
	dcb pfc set dev "$netdev" prio-pfc 4:on
	ends_up 1500
	dcb buffer show dev "$netdev" | grep -q "prio-buffer 0:0 1:0 2:0 3:1 4:2"
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
	dcb buffer set dev "$netdev" prio-buffer all:0 buffer-size all:0 0:98304
}

# Whatever write the device refuses: all of the classes are new, or none
all_or_nothing()
{
	local n before after refusals=0

	about_cxr "the in-tree driver leaves a part of the classes changed"
	dcb ets set dev "$netdev" tc-tsa all:strict tc-bw all:0 prio-tc 0:0 1:1
	before=$(shown)
	trap 'emu fault clear >/dev/null' EXIT
	# dcb reads all there is first: reads come before
	for n in {25..44}; do
		emu fault "$CXR_GUEST" command access_register status bad_param nth="$n" >/dev/null
		if dcb ets set dev "$netdev" tc-tsa all:strict 2:ets 5:ets tc-bw all:0 2:30 5:70 prio-tc 0:5 1:2; then
			emu fault clear >/dev/null
			dcb ets set dev "$netdev" tc-tsa all:strict tc-bw all:0 prio-tc 0:0 1:1
		else
			emu fault clear >/dev/null
			refusals=$((refusals + 1))
		fi
		after=$(shown)
		[ "$after" = "$before" ] || { diff <(echo "$before") <(echo "$after"); fail "the device refused command $n"; }
	done
	[ $refusals -ge 8 ] || fail "only $refusals writes were refused"
	dcb ets set dev "$netdev" tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:40 3:60
}

survives_reset()
{
	local before

	about_cxr "the in-tree driver starts with its defaults after a reset"
	dcb app add dev "$netdev" dscp-prio 26:3 46:5
	dcb maxrate set dev "$netdev" tc-maxrate 3:80mbit
	dcb ets set dev "$netdev" tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:40 3:60
	dcb buffer set dev "$netdev" prio-buffer all:0 3:1 buffer-size all:0 0:98304 1:196608
	dcb pfc set dev "$netdev" prio-pfc all:off 3:on
	set_tunable 250
	before=$(shown)
	echo 1 >"/sys/class/net/$netdev/device/reset"
	ends_up 1500
	shown | diff <(echo "$before") -
	[ "$(tunable)" = 250 ]
	# and what the port does is not only remembered
	before=$(counter tx_prio3_packets)
	ping -q -Q 104 -i 0.05 -c 10 -W 2 "$(peer_ip)" >/dev/null
	[ $(($(counter tx_prio3_packets) - before)) -ge 10 ]
	dcb app del dev "$netdev" dscp-prio 26:3 46:5
	dcb maxrate set dev "$netdev" tc-maxrate 3:0
	dcb pfc set dev "$netdev" prio-pfc all:off
	ends_up 1500
	# a reset brings back what was set, not what was not
	ethtool -A "$netdev" rx on tx off
	echo 1 >"/sys/class/net/$netdev/device/reset"
	ends_up 1500
	ethtool -a "$netdev" | tee /run/cxr-pause
	grep -q "^RX:.*on$" /run/cxr-pause
	grep -q "^TX:.*off$" /run/cxr-pause
	ethtool -A "$netdev" rx off tx off
}

# What mlnx_qos shows, and with --trust dscp
qos_shows()
{
	cat <<-END
	DCBX mode: OS controlled
	Priority trust state: dscp
	dscp2prio mapping:
		prio:0 dscp:07,06,05,04,03,02,01,00,
		prio:1 dscp:15,14,13,12,11,10,09,08,
		prio:2 dscp:23,22,21,20,19,18,17,16,
		prio:3 dscp:31,30,29,28,27,26,25,24,
		prio:4 dscp:39,38,37,36,35,34,33,32,
		prio:5 dscp:47,46,45,44,43,42,41,40,
		prio:6 dscp:55,54,53,52,51,50,49,48,
		prio:7 dscp:63,62,61,60,59,58,57,56,
	Receive buffer size (bytes): 98304,196608,0,0,0,0,0,0,max_buffer_size=4151520
	Cable len: 30
	PFC configuration:
		priority    0   1   2   3   4   5   6   7
		enabled     0   0   0   1   0   0   0   0
		buffer      0   0   0   1   0   0   0   0
	tc: 0 ratelimit: unlimited, tsa: ets, bw: 40%
		 priority:  0
		 priority:  1
		 priority:  2
	tc: 3 ratelimit: 10.5 Gbps, tsa: ets, bw: 60%
		 priority:  3
		 priority:  4
		 priority:  5
	tc: 6 ratelimit: unlimited, tsa: strict
		 priority:  6
		 priority:  7
	END
}

sets_qos()
{
	local strict=strict,strict

	scripts/cxr-qos -i "$netdev" --trust pcp >/dev/null
	scripts/cxr-qos -i "$netdev" --trust dscp --pfc 0,0,0,1,0,0,0,0 --cable_len 30 --prio2buffer 0,0,0,1,0,0,0,0 \
		--buffer_size 98304,196608,0,0,0,0,0,0 --prio_tc 0,0,0,3,3,3,6,6 --tsa ets,$strict,ets,$strict,$strict \
		--tc_bw 40,0,0,60,0,0,0,0 --ratelimit 0,0,0,10.5,0,0,0,0 -d os >/dev/null
	ends_up 1500
	scripts/cxr-qos -i "$netdev" | tee /run/cxr-qos
	# the in-tree driver of 6.1 says that strict classes have a share of 100 %
	tr -d '\t' </run/cxr-qos | diff <(qos_shows) -
	dcb pfc show dev "$netdev" | tee /run/cxr-pfc
	grep -q "3:on" /run/cxr-pfc
	grep -q "delay 30" /run/cxr-pfc
	[ "$(scripts/cxr-qos -i "$netdev" -a | grep -c ^tc:)" = 8 ]
	scripts/cxr-qos -i "$netdev" --dscp2prio set,26,5 | grep -q "prio:5 dscp:47,46,45,44,43,42,41,40,"
	scripts/cxr-qos -i "$netdev" --dscp2prio del,26,5 | tee /run/cxr-qos
	must_fail grep "[:,]26," /run/cxr-qos
	scripts/cxr-qos -i "$netdev" --trust pcp --pfc 0,0,0,0,0,0,0,0 --cable_len 7 --ratelimit 0,0,0,0,0,0,0,0 >/dev/null
	ends_up 1500
	must_fail scripts/cxr-qos -i "$netdev" --ratelimit 0,0,0,256,0,0,0,0 2>/run/cxr-error
	grep -q "$netdev: ratelimit: Invalid argument; see the kernel log" /run/cxr-error
}

speaks_cee()
{
	about_cxr "the in-tree driver has not all operations that the kernel needs for it"
	[ "$(raw set 0,0,0,1,1,1,1,1 40,60,0,0,0,0,0,0 3,4)" = 0 ]
	ends_up 1500
	raw get | tee /run/cxr-cee
	grep -qx "state 1" /run/cxr-cee
	grep -qx "mac $mac" /run/cxr-cee
	grep -qx "groups 0,0,0,1,1,1,1,1" /run/cxr-cee
	grep -qx "bw 40,60,0,0,0,0,0,0" /run/cxr-cee
	grep -qx "pfc-state 1" /run/cxr-cee
	grep -qx "pfc 0 0 0 1 1 0 0 0" /run/cxr-cee
	grep -qx "tcs 8 8" /run/cxr-cee
	dcb ets show dev "$netdev" | grep -q "prio-tc 0:0 1:0 2:0 3:1 4:1 5:1 6:1 7:1"
	# too little: the driver says that nothing has changed
	[ "$(raw set 0,0,0,0,0,0,0,0 40,59,0,0,0,0,0,0 none)" = 1 ]
	raw get | diff /run/cxr-cee -
	[ "$(raw set 0,1,2,3,4,5,6,7 30,10,10,10,10,10,10,10 none)" = 0 ]
	ends_up 1500
}

# Flow control of the port makes all buffers such without loss, whatever PFC says of the cable
pause_and_buffers()
{
	local n refusals=0

	about_cxr "the in-tree driver leaves the buffers of a port with pause frames as they are"
	dcb buffer set dev "$netdev" prio-buffer all:0 3:1 buffer-size all:0 0:98304 1:98304
	ethtool -A "$netdev" rx on tx on
	dcb pfc set dev "$netdev" delay 30
	must_fail dcb buffer set dev "$netdev" buffer-size all:0 0:20000 1:98304
	kmsg | grep -q "DCB: a buffer of a priority with flow control is too small"
	# the device refuses the buffers that PFC needs: pause frames are on as before. dcb reads all there is first
	trap 'emu fault clear >/dev/null' EXIT
	for n in {30..54..3}; do
		emu fault "$CXR_GUEST" command access_register status bad_param nth="$n" >/dev/null
		if dcb pfc set dev "$netdev" prio-pfc 3:on; then
			emu fault clear >/dev/null
			dcb pfc set dev "$netdev" prio-pfc 3:off
			ethtool -A "$netdev" rx on tx on
		else
			emu fault clear >/dev/null
			refusals=$((refusals + 1))
		fi
		ethtool -a "$netdev" | tee /run/cxr-pause
		[ "$(grep -c "[RT]X:.*on$" /run/cxr-pause)" = 2 ] || fail "the device refused command $n"
	done
	[ $refusals -ge 5 ] || fail "only $refusals commands were refused"
	dcb pfc set dev "$netdev" prio-pfc all:off delay 7
	ends_up 1500
	ethtool -A "$netdev" rx off tx off
}

# Mode 0 gives DCBX to the agent of the firmware
gives_dcbx_away()
{
	dcb dcbx show dev "$netdev" | tee /run/cxr-dcbx
	grep -qw host /run/cxr-dcbx
	must_fail dcb dcbx set dev "$netdev" lld-managed
	must_fail dcb dcbx set dev "$netdev" ieee
	dcb dcbx set dev "$netdev" host ieee
	dcb dcbx show dev "$netdev" | grep -qw host
	scripts/cxr-qos -i "$netdev" -d fw | grep -q "DCBX mode: Firmware controlled"
	if [ "$CXR_DRIVER" = cxr ]; then
		echo 1 >"/sys/class/net/$netdev/device/reset"
		ends_up 1500
	fi
	# the next driver, or the same again, hears of it from the device
	driver_unload
	ends_up 1500
	scripts/cxr-qos -i "$netdev" | grep -q "DCBX mode: Firmware controlled"
	scripts/cxr-qos -i "$netdev" -d os | grep -q "DCBX mode: OS controlled"
	driver_unload
	ends_up 1500
	scripts/cxr-qos -i "$netdev" | grep -q "DCBX mode: OS controlled"
}

# The port keeps what is not the default's of the driver
inherits()
{
	dcb app add dev "$netdev" dscp-prio 26:3
	dcb maxrate set dev "$netdev" tc-maxrate 3:80mbit
	driver_unload
	ends_up 1500
	dcb -N app show dev "$netdev" | tee /run/cxr-app
	grep -q "26:3" /run/cxr-app
	grep -q "46:5" /run/cxr-app	# all that the card trusts
	dcb maxrate show dev "$netdev" | grep -q "3:80Mbit"
	if [ "$CXR_DRIVER" = cxr ]; then
		echo 1 >"/sys/class/net/$netdev/device/reset"
		ends_up 1500
		dcb maxrate show dev "$netdev" | grep -q "3:80Mbit"
		dcb -N app show dev "$netdev" | diff /run/cxr-app -
	fi
	dcb maxrate set dev "$netdev" tc-maxrate 3:0
	scripts/cxr-qos -i "$netdev" --trust pcp | grep -q "Priority trust state: pcp"
}

# A port that trusts DSCPs, and whose registers are refused, has a network interface, and what works of DCB
starts_without()
{
	local drv=/sys/bus/auxiliary/drivers/cxr_en.en aux n

	about_cxr "about the order of the commands of this driver"
	aux=$(basename "$drv"/cxr_core.en.*)
	dcb app add dev "$netdev" dscp-prio 26:3
	trap 'emu fault clear >/dev/null' EXIT
	for n in 1 2 3 4 5 6; do
		echo "$aux" >$drv/unbind
		emu fault "$CXR_GUEST" command access_register status bad_param percent=50 seed=$n times=all >/dev/null
		echo "$aux" >$drv/bind
		emu fault clear >/dev/null
		ends_up 1500
		reachable
	done
	echo "$aux" >$drv/unbind
	echo "$aux" >$drv/bind
	ends_up 1500
	scripts/cxr-qos -i "$netdev" | grep -q "Priority trust state: dscp"
	scripts/cxr-qos -i "$netdev" --trust pcp | grep -q "Priority trust state: pcp"
}

ktap_setup ready
ktap_test cc "congestion control has the parameters that the card has" has_cc_params
ktap_test ets.default "dcb shows the traffic classes of the card" has_classes
ktap_test ets.set "dcb sets the bandwidth of traffic classes" sets_ets
ktap_test maxrate "dcb limits the rate of a traffic class" sets_maxrate
ktap_test pfc "dcb switches priority flow control on, and its counters appear" sets_pfc
ktap_test pfc.delay "a delay that is no length of a cable is ignored, and logged" ignores_delay
ktap_test buffer.firmware "the firmware gives a priority with flow control a buffer without loss" has_buffers
ktap_test app "dcb maps a DSCP to a priority, and its traffic is counted there" sorts_by_dscp
ktap_test pause "switching on flow control of priorities ends that of the port" pause_excludes_pfc
ktap_test stall "how long a stuck host may pause the sender is set and shown" prevents_storms
ktap_test buffer.set "dcb sizes the receive buffers" sets_buffers
ktap_test buffer.follows "flow control of a priority changes the buffer that a user has given it" buffers_follow
ktap_test refused "what the port cannot do is refused and logged, and changes nothing" refuses
ktap_test half "when the device refuses a part, nothing changes" all_or_nothing
ktap_test pause.buffers "pause frames of the port and buffers that a user has set" pause_and_buffers
ktap_test inherits "what the port trusts, and its rates, outlive the driver" inherits
ktap_test refusals "a port with refused registers comes up" starts_without
ktap_test dcbx "dcb says who speaks DCBX" gives_dcbx_away
ktap_test qos "cxr-qos sets and shows the same, as mlnx_qos does" sets_qos
ktap_test cee "the interface of CEE sets the same" speaks_cee
ktap_test reset "a reset of the device leaves flow control and traffic classes as they were" survives_reset
ktap_end
