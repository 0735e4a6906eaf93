#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Incast: three senders and one receiver on a switch whose links have a rate. By its DSCP the traffic has a priority
# with neither flow control nor congestion control, with one of them, or with both.
# guests: 4
# card: cx5,dcb
# wire: rate=100m,delay=1us,buffer=4m,pfc=3+5,ecn=3+4,kmin=10k,kmax=100k,pmax=10%
# takes: 300
# when: long
# drivers: cxr mlx5
# timeout: 900
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

declare -A got=()

# All senders write to this machine at once with DSCP; sets got[], and prints a line of the table in the guide
incast() # DSCP PRIORITY
{
	local host port=18515 ids=() me dev tclass=$(($1 * 4)) names="drops pauses retries timeouts cnps" name rates

	me=$(my_ip)
	dev=$(driver_ibdev)
	for name in $names; do got[$name]=-$(count_of "$name" "$2"); done
	for host in $(peer_hosts); do
		# shellcheck disable=SC2086
		ib_write_bw -d "$dev" -x "$(gid_index "$dev" v2 "$me")" -p $port $OPTIONS --tclass=$tclass >"/run/incast-a-$host" 2>&1 &
		ids+=($!)
		port=$((port + 1))
	done
	wait_until 30 listening 3
	port=18515
	for host in $(peer_hosts); do
		peer_on "$host" "dev=\$(driver_ibdev); ib_write_bw -d \$dev -x \$(gid_index \$dev v2 \$(my_ip)) -p $port $OPTIONS \
			--tclass=$tclass $me" >"/run/incast-$host" 2>&1 &
		ids+=($!)
		port=$((port + 1))
	done
	for host in "${ids[@]}"; do wait "$host" || { cat /run/incast-*; fail "a bandwidth program failed"; }; done
	for name in $names; do got[$name]=$((got[$name] + $(count_of "$name" "$2"))); done
	rates=$(for host in $(peer_hosts); do awk '$1 == 65536 { print $4 }' "/run/incast-$host"; done)
	[ "$(wc -w <<<"$rates")" = 3 ] || { cat /run/incast-*; fail "a bandwidth program has no result"; }
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

ktap_setup ready
ktap_test nothing "without flow and congestion control packets are lost, and sent again" with_nothing
ktap_test pfc "with flow control nothing is lost, and the senders are paused" with_pfc
ktap_test ecn "with congestion control the senders are notified" with_ecn
ktap_test both "with both they are notified, and nothing is lost" with_both
ktap_end
