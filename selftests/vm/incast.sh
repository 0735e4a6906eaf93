#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Incast: three senders and one receiver on a switch whose links have a rate. By its DSCP the traffic has a priority
# with neither flow control nor congestion control, with one of them, or with both. Then a part of that is set wrongly,
# and the counters tell which.
# guests: 4
# card: cx5,dcb
# wire: rate=100m,delay=1us,buffer=4m,pfc=3+5,ecn=3+4,kmin=10k,kmax=100k,pmax=10%
# takes: 420
# when: long
# drivers: cxr mlx5
# timeout: 1200
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

LINK_MIB=11.9		# of payload and headers, per second
# 12 seconds, of which perftest measures 8; a message takes 5 ms on the link, and 0.5 s after a loss that nobody noticed
OPTIONS="-D 12 -s 65536 -t 16 -u 17 -F"

# DCQCN for the links here: that of the paper, for 40 Gbit/s, with times 50 times as long, and the least increases. The firmware's
# adds 5 Mbit/s to the target of recovery each 0.3 ms: at 100 Mbit/s that is as good as no congestion control.
DCQCN="rp_clamp_tgt_rate=1 rp_time_reset=2750 rp_byte_reset=10000000 rp_threshold=5 rp_ai_rate=1 rp_hai_rate=1 rp_dce_tcp_g=1020
	rp_dce_tcp_rtt=2750 rp_rate_reduce_monitor_period=2500 np_min_time_between_cnps=2500"

# Run on each machine: the priorities of the three DSCPs, flow control of two of them, and congestion control
classes_here()
{
	local netdev cc set

	driver_up 4200 || return
	cc=/sys/kernel/debug/$CXR_DRIVER/$(driver_bdfs)/cc_params
	for set in $DCQCN; do echo "${set#*=}" >"$cc/${set%=*}" || return; done
	netdev=$(driver_netdev)
	dcb app add dev "$netdev" dscp-prio 24:3 32:4 40:5 && dcb pfc set dev "$netdev" prio-pfc all:off 3:on 5:on || return
	wait_until 20 grep -q up "/sys/class/net/$netdev/operstate"
}

ready()
{
	local host

	classes_here
	for host in $(peer_hosts); do peer_on "$host" "DCQCN='$DCQCN'; $(declare -f classes_here); classes_here"; done
	for host in $(peer_hosts); do wait_until 20 ping -q -c 1 -W 1 "$(guest_ip "$host")" >/dev/null; done
}

# Sum of a counter of all senders
of_senders()
{
	local host sum=0

	for host in $(peer_hosts); do sum=$((sum + $(peer_on "$host" "$(declare -f hw_counter); hw_counter $1"))); done
	echo $sum
}
# Of the switch: frames of a priority that it dropped, and pauses that it sent
of_switch() # WORD PRIORITY
{
	emu status | awk -v word="$1" -v prio="priority $2:" 'index($0, prio) { sub(".*" word " ", ""); sum += $0 } END { print sum + 0 }'
}

# Of a host, before or after; a counter that is not there is "none"
count_on() # HOST COUNTER
{
	local script="netdev=\$(driver_netdev); counter $2 || echo none"

	if [ "$1" = a ]; then eval "$script"; else peer_on "$1" "$(declare -f counter); $script"; fi
}

declare -A got=()

# The senders write to this machine at once with DSCP; sets got[], and prints a line of the table in the guide
incast() # DSCP PRIORITY [HOST]
{
	local host port=18515 ids=() me dev tclass=$(($1 * 4)) names="drops pauses retries timeouts cnps" name rates
	local hosts=${3:-$(peer_hosts)} n

	n=$(wc -w <<<"$hosts")
	me=$(my_ip)
	dev=$(driver_ibdev)
	for name in $names; do got[$name]=-$(count_of "$name" "$2"); done
	for host in $hosts; do
		# shellcheck disable=SC2086
		ib_write_bw -d "$dev" -x "$(gid_index "$dev" v2 "$me")" -p $port $OPTIONS --tclass=$tclass >"/run/incast-a-$host" 2>&1 &
		ids+=($!)
		port=$((port + 1))
	done
	wait_until 30 listening "$n"
	port=18515
	for host in $hosts; do
		peer_on "$host" "dev=\$(driver_ibdev); ib_write_bw -d \$dev -x \$(gid_index \$dev v2 \$(my_ip)) -p $port $OPTIONS \
			--tclass=$tclass $me" >"/run/incast-$host" 2>&1 &
		ids+=($!)
		port=$((port + 1))
	done
	for host in "${ids[@]}"; do wait "$host" || { cat /run/incast-*; fail "a bandwidth program failed"; }; done
	for name in $names; do got[$name]=$((got[$name] + $(count_of "$name" "$2"))); done
	rates=$(for host in $hosts; do awk '$1 == 65536 { print $4 }' "/run/incast-$host"; done)
	[ "$(wc -w <<<"$rates")" = "$n" ] || { cat /run/incast-*; fail "a bandwidth program has no result"; }
	read -r 'got[sum]' 'got[jain]' < <(awk '{ s += $1; q += $1 * $1; n++ } END { printf "%.2f %.2f\n", s, q ? s * s / (n * q) : 0 }' <<<"$rates")
	echo "DSCP $1: $(tr '\n' ' ' <<<"$rates")MiB/s, sum ${got[sum]}, fairness ${got[jain]}; $(for name in $names; do echo -n "$name ${got[$name]} "; done)" |
		tee /dev/kmsg
}
listening() { [ "$(ss -ltn | grep -c ':1851[5-9] ')" = "$1" ]; }

count_of() # NAME PRIORITY
{
	case $1 in
	drops) of_switch dropped "$2" ;;
	pauses) of_switch "pauses to the port" "$2" ;;
	retries) of_senders packet_seq_err ;;
	timeouts) of_senders local_ack_timeout_err ;;
	cnps) of_senders rp_cnp_handled ;;
	esac
}

is() { awk "BEGIN { exit !($1) }" || fail "not so: $1"; }

# Go-back-N sends everything after a lost packet again
with_nothing()
{
	incast 0 0
	is "${got[drops]} > 0"
	is "${got[retries]} + ${got[timeouts]} > 0"
	is "${got[pauses]} == 0"
	is "${got[cnps]} == 0"
	is "${got[sum]} < 0.5 * $LINK_MIB"
}

with_pfc()
{
	incast 40 5
	is "${got[drops]} == 0"
	is "${got[retries]} + ${got[timeouts]} == 0"
	is "${got[pauses]} > 0"
	is "${got[cnps]} == 0"
	is "${got[sum]} >= 0.9 * $LINK_MIB"
	is "${got[jain]} >= 0.9"
}

with_ecn()
{
	incast 32 4
	is "${got[cnps]} > 0"
	is "${got[pauses]} == 0"
	is "${got[drops]} < 100"		# of the first burst, if at all
	is "${got[sum]} >= 0.6 * $LINK_MIB"
	is "${got[jain]} >= 0.9"
}

with_both()
{
	incast 24 3
	is "${got[cnps]} > 0"
	is "${got[drops]} == 0"
	is "${got[retries]} + ${got[timeouts]} == 0"
	is "${got[pauses]} < 1000"		# a tenth of what there is without congestion control
	is "${got[sum]} >= 0.6 * $LINK_MIB"
	is "${got[jain]} >= 0.9"
}

# ---- what is wrong ----

FEW="-D 5 -s 65536 -t 16 -u 17 -F"	# of which perftest measures 1 s

pfc_of_b()
{
	peer_on b "dcb pfc set dev \$(driver_netdev) prio-pfc $*"
	wait_until 20 peer_on b "ping -q -c 1 -W 1 $(my_ip) >/dev/null"
}

# One of the senders has no PFC: its frames are lost, and it alone shows no pauses
with_one_hop_without()
{
	local seq

	pfc_of_b all:off
	seq=$(peer_on b "$(declare -f hw_counter); hw_counter packet_seq_err")
	OPTIONS=$FEW incast 40 5
	is "${got[drops]} > 0"
	[ "$(count_on b rx_prio5_pause)" = none ]
	is "$(count_on c rx_prio5_pause) > 0"
	is "$(peer_on b "$(declare -f hw_counter); hw_counter packet_seq_err") > $seq"
	pfc_of_b 3:on 5:on
}

# The senders do not map the DSCP to the priority that the switch pauses: they count pauses, but no packets
with_wrong_priority()
{
	local host packets pauses

	for host in $(peer_hosts); do peer_on "$host" "dcb app del dev \$(driver_netdev) dscp-prio 40:5"; done
	packets=$(count_on b tx_prio5_packets)
	pauses=$(count_on b rx_prio5_pause)
	OPTIONS=$FEW incast 40 5
	is "${got[drops]} > 0"
	is "$(count_on b tx_prio5_packets) == $packets"
	is "$(count_on b rx_prio5_pause) > $pauses"
	for host in $(peer_hosts); do peer_on "$host" "dcb app add dev \$(driver_netdev) dscp-prio 40:5"; done
}

# The receiver does not tell: packets are marked, but nobody is notified
with_ecn_off()
{
	local marked cnps counters off

	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver has no files for this"
	counters=/sys/class/infiniband/$(driver_ibdev)/ports/1/hw_counters
	off=/sys/class/net/$(driver_netdev)/ecn/roce_np/enable/4
	echo 0 >"$off"
	marked=$(<"$counters/np_ecn_marked_roce_packets") cnps=$(<"$counters/np_cnp_sent")
	OPTIONS=$FEW incast 32 4
	is "$(<"$counters/np_ecn_marked_roce_packets") > $marked"
	is "$(<"$counters/np_cnp_sent") == $cnps"
	is "${got[drops]} > 0"
	echo 1 >"$off"
}

# A sender writes to this machine, whose adapter takes no packets for 2 seconds. Sets before[] and after[].
STORM_COUNTERS="tx_prio5_pause rx_prio5_discards tx_pause_storm_warning_events tx_pause_storm_error_events"
declare -A before=() after=()
stuck() # MILLISECONDS
{
	local name id

	ethtool --set-tunable "$(driver_netdev)" pfc-prevention-tout "$1"
	for name in $STORM_COUNTERS; do before[$name]=$(count_on a "$name"); done
	before[paused]=$(count_on b rx_prio5_pause_duration)
	OPTIONS="-D 8 -s 65536 -t 16 -u 17 -F" incast 40 5 b &
	id=$!
	wait_until 30 traffic
	emu fault a receive stop >/dev/null
	sleep 2
	emu fault a receive go >/dev/null
	wait $id
	for name in $STORM_COUNTERS; do after[$name]=$(count_on a "$name"); done
	after[paused]=$(count_on b rx_prio5_pause_duration)
	for name in "${!before[@]}"; do echo "$name: ${before[$name]} -> ${after[$name]}"; done
}
traffic() { [ "$(count_on b tx_prio5_bytes)" -gt $((SENT + 100000)) ]; }
grew() { is "${after[$1]} - ${before[$1]} $2"; }

# The sender is paused as long as it lasts
with_storm()
{
	SENT=$(count_on b tx_prio5_bytes)
	stuck 0
	grew tx_prio5_pause "> 0"
	grew paused "> 1000000"
	grew rx_prio5_discards "== 0"
	grew tx_pause_storm_error_events "== 0"
}

# From 100 ms on the adapter drops what it cannot take
with_storm_prevented()
{
	SENT=$(count_on b tx_prio5_bytes)
	stuck 65535
	grew tx_prio5_pause "> 0"
	grew tx_pause_storm_warning_events "== 1"
	grew tx_pause_storm_error_events "== 1"
	grew rx_prio5_discards "> 0"
	grew paused "< 500000"
}

ktap_setup ready
ktap_test nothing "without flow and congestion control packets are lost, and sent again" with_nothing
ktap_test pfc "with flow control nothing is lost, and the senders are paused" with_pfc
ktap_test ecn "with congestion control the senders are notified" with_ecn
ktap_test both "with both they are notified, and nothing is lost" with_both
ktap_test wrong.hop "one sender without flow control: its packets are lost, and it counts no pauses" with_one_hop_without
ktap_test wrong.priority "a DSCP that the senders do not map: they count pauses of the priority, and no packets" with_wrong_priority
ktap_test wrong.ecn "a receiver that does not notify: it counts marked packets, and no notifications" with_ecn_off
ktap_test storm "a receiver that is stuck pauses the sender as long as that lasts" with_storm
ktap_test storm.prevented "with a limit it stops pausing, and counts that" with_storm_prevented
ktap_end
