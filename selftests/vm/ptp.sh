#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The PTP clock, timestamps of packets, and linuxptp, which synchronizes the clocks of two machines.
# guests: 2
# takes: 110
# turn: yes
# timeout: 900
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

BILLION=1000000000

before_each() { ends_know; }

ptp() { python3 -B selftests/vm/ptp.py "$@"; }
now() { ptp time "$netdev"; }
ahead() { ptp ahead "$netdev"; }

# N of /dev/ptpN
ptp_index() { ethtool -T "$netdev" | sed -n 's/^\(PTP Hardware Clock\|Hardware timestamp provider index\): //p'; }

stamps() { hwstamp_ctl -i "$netdev" "$@"; } # -t TX-TYPE -r RX-FILTER

# "TX-TYPE RX-FILTER"
stamps_are() { stamps | awk '/^(tx_type|rx_filter)/ { s = s sep $2; sep = " " } END { print s }'; }

# What the test changes is set back at its end
may_stamp() { trap 'stamps -t 0 -r 0 >/dev/null || true' EXIT; }
may_adjust() { trap 'phc freq 0 set >/dev/null || true' EXIT; }

phc() { phc_ctl "$netdev" -- "$@"; }

within() # VALUE LEAST MOST
{
	is_within "$@" || fail "$1 is not between $2 and $3"
}

is_within() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; } # VALUE LEAST MOST

# ---- the clock ----

announced()
{
	local said flag

	said=$(ethtool -T "$netdev")
	echo "$said"
	for flag in hardware-transmit hardware-receive hardware-raw-clock '\boff' '\bon\b' '\bnone' '\ball\b'; do
		grep -q "$flag" <<<"$said"
	done
	[ "$(readlink -f "/sys/class/ptp/ptp$(ptp_index)/device")" = "$(readlink -f "/sys/class/net/$netdev/device/")" ] ||
		[ "$(readlink -f "/sys/class/ptp/ptp$(ptp_index)/device")" = "$(readlink -f "/sys/bus/pci/devices/$(driver_bdfs | head -n 1)")" ]
	[ "$(cat "/sys/class/ptp/ptp$(ptp_index)/max_adjustment")" = 50000000 ]
}

# Set when the driver was loaded
begins()
{
	driver_unload
	driver_load
	netdev=$(driver_netdev)
	within "$(ahead)" -$((BILLION / 100)) $((BILLION / 100))
	# nothing else drives it
	nap 1.2
	within "$(ahead)" -$((BILLION / 100)) $((BILLION / 100))
}

sets()
{
	may_adjust
	phc set 1000000000.5
	within "$(now)" 1000000000500000000 1000000030000000000
	phc adj 100.25
	within "$(now)" 1000000100750000000 1000000130000000000
	phc adj -50.5
	within "$(now)" 1000000050250000000 1000000100000000000
	phc set
	within "$(ahead)" -$((BILLION / 10)) $((BILLION / 10))
}

runs_by() { within "$(ptp runs "$netdev" 2)" $(($1 - 300)) $(($1 + 300)); } # PARTS-PER-MILLION

# The change of the rate is no change of the time
changes_rate() { within "$(ptp adjust "$netdev" "$1")" -20000 20000; } # PARTS-PER-BILLION

adjusts()
{
	may_adjust
	runs_by 0
	changes_rate 50000000
	runs_by 50000
	changes_rate -1000000
	runs_by -1000
	changes_rate 0
	runs_by 0
	must_fail ptp adjust "$netdev" 50000001
	# as linuxptp does it
	phc freq 1000000
	runs_by 1000
	phc freq 0
	runs_by 0
}

# mlx5dv_ts_to_ns()
for_processes()
{
	may_adjust
	ptp convert "$netdev" "$dev"
	phc set 5000
	ptp convert "$netdev" "$dev"
	phc freq 50000000
	ptp convert "$netdev" "$dev"
	nap 2
	ptp convert "$netdev" "$dev"
}

# ---- timestamps ----

# N packets, each over UDP and raw, to ADDRESS: all have a timestamp
sent_all() # N ADDRESS
{
	ptp send "$netdev" "$2" "$1" | tee /tmp/sent
	grep -qx "udp $1 raw $1" /tmp/sent
}

sends()
{
	may_stamp
	stamps -t 1 -r 0
	[ "$(stamps_are)" = "1 0" ]
	sent_all 20 "$(peer_ip)"
	sent_all 20 "$(peer_ip6)"
}

# The packet is stamped, not its interrupt, which comes milliseconds later
sends_late()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver does not change the moderation of this card"
	trap 'stamps -t 0 -r 0 >/dev/null; ethtool -C "$netdev" adaptive-rx on adaptive-tx on || true' EXIT
	stamps -t 1 -r 0
	ethtool -C "$netdev" adaptive-rx off adaptive-tx off rx-usecs 4000 tx-usecs 4000 rx-frames 100 tx-frames 100
	sent_all 10 "$(peer_ip)"
	[ "$(sed -n 's/^waited //p' /tmp/sent)" -ge 2000 ]
}

# This end receives N packets that the peer sends to ADDRESS; prints what ptp.py says
received() # N ADDRESS
{
	local pid

	true >/tmp/received
	ptp receive "$netdev" "$1" >/tmp/received &
	pid=$!
	wait_until 20 grep -q ready /tmp/received
	peer "python3 -B selftests/vm/ptp.py throw '$peer_netdev' $2 $1"
	wait $pid
	tail -n 1 /tmp/received
}

receives()
{
	may_stamp
	stamps -t 0 -r 1
	[ "$(stamps_are)" = "0 1" ]
	[ "$(received 20 "$(my_ip)")" = "stamped 20 of 20" ]
	[ "$(received 20 "$(my_ip6)")" = "stamped 20 of 20" ]
}

# Although the socket asks for them
off()
{
	stamps -t 0 -r 0
	[ "$(stamps_are)" = "0 0" ]
	[ "$(received 20 "$(my_ip)")" = "stamped 0 of 20" ]
	[ "$CXR_DRIVER" = cxr ] || return 0		# the in-tree driver stamps what is sent, whatever the interface is set to
	[ "$(ptp send "$netdev" "$(peer_ip)" 2 0.5)" = "udp 0 raw 0" ]
}

# Filters for packets of PTP are accepted, and all packets are stamped; timestamps that the device would put into packets are not
asked()
{
	may_stamp
	stamps -t 1 -r 12
	[ "$(stamps_are)" = "1 1" ]
	[ "$(ptp ask "$netdev" 1 1)" = "1 1" ]
	# HWTSTAMP_TX_ONESTEP_SYNC and _P2P
	[ "$(ptp ask "$netdev" 2 0)" = ERANGE ]
	[ "$(ptp ask "$netdev" 3 0)" = ERANGE ]
	[ "$(stamps_are)" = "1 1" ]
}

counted()
{
	local before

	ethtool -I -T "$netdev" | grep -q tx_pkts || skip "this kernel or this driver does not count timestamps"
	may_stamp
	stamps -t 1 -r 0
	before=$(ethtool -I -T "$netdev" | sed -n 's/^ *tx_pkts: //p')
	sent_all 10 "$(peer_ip)"
	[ $(($(ethtool -I -T "$netdev" | sed -n 's/^ *tx_pkts: //p') - before)) = 20 ]
}

kept()
{
	trap 'stamps -t 0 -r 0 >/dev/null; ethtool -G "$netdev" rx 1024 tx 1024; ip link set "$netdev" mtu 1500' EXIT
	stamps -t 1 -r 1
	ethtool -G "$netdev" rx 256 tx 256
	ip link set "$netdev" mtu 3000
	ip link set "$netdev" down
	driver_net_up
	[ "$(stamps_are)" = "1 1" ]
	reachable
	sent_all 5 "$(peer_ip)"
	[ "$(received 5 "$(my_ip)")" = "stamped 5 of 5" ]
}

# ---- a reset of the function, and its end ----

# Runs COMMAND, which resets the function: what was set and the rate of a part in a hundred stay, and the time goes on, also when the
# counter that has begun again overflows
goes_on() # COMMAND...
{
	local before index

	trap 'if grep -q dead /sys/kernel/debug/cxr/*/stage; then driver_unload; else stamps -t 0 -r 0; phc freq 0 set; fi >/dev/null' EXIT
	stamps -t 1 -r 1
	index=$(ptp_index)
	exec 9<"/dev/ptp$index"
	phc set adj 1000 freq 10000000
	before=$(ahead)
	SECONDS=0
	"$@"
	wait_until 20 reachable
	[ "$(ptp_index)" = "$index" ]
	# the clock is not adjusted while it cannot be read
	within $(($(ahead) - before)) -$((BILLION / 20)) $((SECONDS * BILLION / 80 + BILLION / 20))
	runs_by 10000
	nap 4
	within $(($(ahead) - before)) -$((BILLION / 20)) $((SECONDS * BILLION / 80 + BILLION / 20))
	[ "$(stamps_are)" = "1 1" ]
	sent_all 5 "$(peer_ip)"
	[ "$(received 5 "$(my_ip)")" = "stamped 5 of 5" ]
	exec 9<&-
}

reset_function() { echo 1 >"/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/reset"; }

resets()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new clock"
	goes_on reset_function
}

# The counter of a failed device runs on, but cannot be trusted; nothing updates the clock meanwhile
dies() # CLOCK
{
	local bdf limit=/sys/module/cxr_core/parameters/cmd_timeout_ms

	bdf=$(driver_bdfs | head -n 1)
	devlink health set "pci/$bdf" reporter fw_fatal auto_recover false
	echo 1500 >$limit
	emu fault "$CXR_GUEST" command any silent >/dev/null
	ethtool -S "$netdev" >/dev/null || true
	wait_until 30 grep -q dead "/sys/kernel/debug/cxr/$bdf/stage"
	emu fault clear >/dev/null
	echo 60000 >$limit
	ptp time "$1" 2>&1 | grep "No such device"
	ptp put "$1" 2>&1 | grep "No such device"
	nap 2
	ptp time "$1" 2>&1 | grep "No such device"
	reset_function
	devlink health set "pci/$bdf" reporter fw_fatal auto_recover true
}

dead()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver makes a new clock"
	ktap_spoilt
	goes_on dies "/dev/ptp$(ptp_index)"
}

# A card whose queues stamp with another clock, or that does not say how fast its counter runs
other_clock() # CAP VALUE
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver converts real time as well"
	ktap_spoilt
	# shellcheck disable=SC2064
	trap 'driver_unload; emu fault clear >/dev/null' EXIT
	driver_unload
	while [ $# != 0 ]; do
		emu fault "$CXR_GUEST" cap "$1" "$2" >/dev/null
		shift 2
	done
	driver_load
	driver_net_up
	netdev=$(driver_netdev)
	ethtool -T "$netdev"
	must_fail eval 'ethtool -T "$netdev" | grep "hardware-\(transmit\|receive\)"'
	must_fail stamps -t 1
	must_fail stamps -r 1
	[ "$(stamps_are)" = "0 0" ]
	reachable
}

real_time()
{
	other_clock cmd_hca_cap.sq_ts_format 1 cmd_hca_cap.rq_ts_format 1
	[ -n "$(ptp_index)" ]
	within "$(ahead)" -$BILLION $BILLION
}

no_frequency()
{
	other_clock cmd_hca_cap.device_frequency_khz 0
	kmsg | grep "no clock: its frequency is 0 kHz"
	must_fail ls "/sys/bus/pci/devices/$(driver_bdfs | head -n 1)/ptp"
}

# A program that has the clock open gets an error, and nothing waits for it
unloads()
{
	local pid index

	ptp4l -i "$netdev" -4 -m >/tmp/ptp4l 2>&1 &
	pid=$!
	ptp leaves "$netdev" >/tmp/leaves &
	wait_until 20 grep -q ready /tmp/leaves
	wait_until 20 grep -q "selected\|LISTENING" /tmp/ptp4l
	index=$(ptp_index)
	driver_unload
	[ ! -e "/sys/class/ptp/ptp$index" ]
	wait_until 20 grep -q "No such device" /tmp/leaves
	kill $pid || true
	driver_load
}

# ---- linuxptp ----

# More often than usual, so that it takes seconds, and with patience for a slow machine
OFTEN="--logSyncInterval -3 --logMinDelayReqInterval -3 --logAnnounceInterval -2 --announceReceiptTimeout 20
       --tx_timestamp_timeout 2000 --summary_interval -3 --first_step_threshold 0.001"

# What ptp4l says, every 1/8 s
offsets() { grep "master offset" /tmp/ptp4l | tail -n 16; }

# The clock is locked, and three quarters of the last offsets are less than 100 us. The wire has no length, the rest is the load of the
# machine.
locked() { offsets | awk '$5 == "s2" { s2++; n += $4 > -100000 && $4 < 100000 } END { exit s2 != 16 || n < 12 }'; }

# The correction that the servo has found, in parts per billion, which ptp4l prints with the opposite sign; the median
rate() { offsets | awk '{ print -$7 }' | sort -n | sed -n 8p; }

both_back()
{
	phc freq 0 set
	stamps -t 0 -r 0
	peer "phc_ctl $peer_netdev -- freq 0 set; hwstamp_ctl -i $peer_netdev -t 0 -r 0"
} >/dev/null

# The clock of this end follows that of the peer, which has another time and runs by 200 parts per million faster
follows() # INTERFACE PEER-INTERFACE TRANSPORT
{
	local pid

	trap both_back EXIT
	phc set 1000
	peer "phc_ctl $peer_netdev -- set 5000 freq 200000"
	# shellcheck disable=SC2086
	peer_bg master "exec ptp4l -i $2 $3 -m --priority1 1 ${OFTEN//$'\n'/}"
	# shellcheck disable=SC2086
	ptp4l -i "$1" "$3" -s -m $OFTEN >/tmp/ptp4l 2>&1 &
	pid=$!
	if ! wait_until 60 locked; then
		tail -n 40 /tmp/ptp4l
		fail "the clock does not follow that of the peer"
	fi
	within "$(now)" $((5000 * BILLION)) $((5300 * BILLION))
	wait_until 30 rate_is 200000 || { tail -n 40 /tmp/ptp4l; fail "the rate is $(rate)"; }
	kill -INT $pid
	peer_kill master
	peer_wait master | tail -n 3
	tail -n 8 /tmp/ptp4l
}

rate_is() { is_within "$(rate)" $(($1 * 9 / 10)) $(($1 * 11 / 10)); } # PARTS-PER-BILLION

over_vlan()
{
	vlan_ends ptp.7 7
	(follows ptp.7 ptp.7 -4)
}

# phc2sys reads both clocks at once (PTP_SYS_OFFSET_EXTENDED)
follows_system()
{
	local pid

	may_adjust
	phc set 1000
	phc2sys -s CLOCK_REALTIME -c "$netdev" -O 0 -R 8 -m >/tmp/phc2sys 2>&1 &
	pid=$!
	wait_until 30 eval 'tail -n 4 /tmp/phc2sys | awk "/ s2 / && \$5 > -200000 && \$5 < 200000 { n++ } END { exit n != 4 }"' ||
		{ tail /tmp/phc2sys; fail "the clock does not follow that of the system"; }
	kill $pid
	within "$(ahead)" -$((BILLION / 1000)) $((BILLION / 1000))
}

ktap_setup ends_up
ktap_test announced "ethtool -T says what is stamped, and which PTP clock is the interface's own" announced
ktap_test begins "the clock begins with the system's time, and runs" begins
ktap_test sets "the clock can be set, and stepped in both directions" sets
ktap_test adjusts "its rate can be changed by up to 5 %, without a step" adjusts
ktap_test processes "processes that poll completions convert timestamps by the same clock" for_processes
ktap_test sends "packets have a timestamp of when they were sent: UDP over IPv4 and IPv6, and raw" sends
ktap_test sends.late "the timestamp is of the packet, not of its interrupt" sends_late
ktap_test receives "received packets have a timestamp" receives
ktap_test off "without being asked for there are no timestamps" off
ktap_test asked "what the interface shall stamp: all filters stamp all packets, one-step is refused" asked
ktap_test counted "ethtool counts the packets whose sender got a timestamp" counted
ktap_test kept "timestamps stay on over rings, MTU, down and up" kept
ktap_test reset "time, rate and settings stay over a reset of the function" resets
ktap_test dead "the clock of a failed device cannot be read, and goes on after its reset" dead
ktap_test real-time "a card that stamps with a clock of its own: no timestamps" real_time
ktap_test no-frequency "a card that does not say how fast its counter runs has no clock" no_frequency
KTAP_TIMEOUT=180 ktap_test udp4 "ptp4l over UDP and IPv4 follows another machine in time and rate" eval 'follows "$netdev" "$peer_netdev" -4'
KTAP_TIMEOUT=180 ktap_test udp6 "ptp4l over UDP and IPv6" eval 'follows "$netdev" "$peer_netdev" -6'
KTAP_TIMEOUT=180 ktap_test l2 "ptp4l over Ethernet" eval 'follows "$netdev" "$peer_netdev" -2'
KTAP_TIMEOUT=180 ktap_test vlan "ptp4l over a VLAN" over_vlan
ktap_test system "phc2sys makes the clock follow that of the system" follows_system
ktap_test unload "the driver unloads while programs have the clock open" unloads
ktap_end
