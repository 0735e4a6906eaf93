#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Congestion control: its parameters in debugfs and sysfs, and what they do to marked packets.
# guests: 2
# card: cx7,dcb
# takes: 60
# turn: yes
# drivers: cxr mlx5
# ledger: yes
# windows: cxr
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/window.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

XFER_PORT=7002

# Name, value of a card after a reset, least and largest value, name under ecn
PARAMS="\
rp_clamp_tgt_rate 0 0 1 roce_rp/clamp_tgt_rate
rp_clamp_tgt_rate_ati 1 0 1 roce_rp/clamp_tgt_rate_after_time_inc
rp_time_reset 300 0 131071 roce_rp/rpg_time_reset
rp_byte_reset 32767 0 4294967295 roce_rp/rpg_byte_reset
rp_threshold 1 1 31 roce_rp/rpg_threshold
rp_ai_rate 5 0 4294967295 roce_rp/rpg_ai_rate
rp_max_rate 0 0 4294967295 roce_rp/rpg_max_rate
rp_hai_rate 50 0 4294967295 roce_rp/rpg_hai_rate
rp_min_dec_fac 50 1 100 roce_rp/rpg_min_dec_fac
rp_min_rate 1 1 4294967295 roce_rp/rpg_min_rate
rp_rate_to_set_on_first_cnp 0 0 4294967295 roce_rp/rate_to_set_on_first_cnp
rp_dce_tcp_g 1019 0 1023 roce_rp/dce_tcp_g
rp_dce_tcp_rtt 1 1 131071 roce_rp/dce_tcp_rtt
rp_rate_reduce_monitor_period 4 0 131071 roce_rp/rate_reduce_monitor_period
rp_initial_alpha_value 1023 1 1023 roce_rp/initial_alpha_value
rp_gd 11 0 15 roce_rp/rpg_gd
np_min_time_between_cnps 4 0 131071 roce_np/min_time_between_cnps
np_cnp_dscp 48 0 63 roce_np/cnp_dscp
np_cnp_prio_mode 0 0 1 -
np_cnp_prio 6 0 7 roce_np/cnp_802p_prio
rtt_resp_dscp_valid 0 0 1 -
rtt_resp_dscp 0 0 63 -"

cc_here() { echo "/sys/kernel/debug/$CXR_DRIVER/$(driver_bdfs | head -n 1)/cc_params"; }

# Congestion control as cards have it, and the priority of a connection is that of its DSCP
defaults_here()
{
	local name value rest cc file

	cc=$(cc_here)
	while read -r name value rest; do
		[ ! -e "$cc/$name" ] || echo "$value" >"$cc/$name" || return
	done <<<"$PARAMS"
	# which the one after it has switched on
	[ ! -e "$cc/rtt_resp_dscp_valid" ] || echo 0 >"$cc/rtt_resp_dscp_valid" || return
	for file in /sys/class/net/"$(driver_netdev)"/ecn/*/enable/*; do
		[ ! -e "$file" ] || echo 1 >"$file" || return
	done
	dcb app replace dev "$(driver_netdev)" dscp-prio 26:3
}

ready()
{
	emu fault clear >/dev/null
	ends_up 1500
	defaults_here
	peer "PARAMS='$PARAMS'; $(declare -f cc_here defaults_here); defaults_here"
	PEER_TIMEOUT=3000 peer_serves xfer "tcp_listens $XFER_PORT" run_python selftests/lib/xfer.py serve $XFER_PORT
}

before_each()
{
	ends_know
	cc=$(cc_here)
	ecn=/sys/class/net/$netdev/ecn
	emu fault clear >/dev/null
}

about_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "$1"; }

# The parameters of this kernel's driver: the in-tree driver of 6.1 does not have the last two
params()
{
	if [ "$CXR_DRIVER-$CXR_KERNEL" = mlx5-6.1 ]; then grep -v ^rtt_ <<<"$PARAMS"; else echo "$PARAMS"; fi
}

# All values, by name
values() { (cd "$cc" && grep -H . ./*); }

has_files() { diff <(params | cut -d' ' -f1 | sort) <(ls "$cc"); }

has_defaults()
{
	local name value rest

	while read -r name value rest; do
		[ "$(<"$cc/$name")" = "$value" ] || fail "$name is $(<"$cc/$name"), not $value"
	done < <(params)
}

# Each limit is taken, and changes nothing else; and back
takes_limits()
{
	local name value min max rest before n

	before=$(values)
	while read -r name value min max rest; do
		for n in "$max" "$min" "$value"; do
			echo "$n" >"$cc/$name"
			[ $(($(<"$cc/$name") & 0xffffffff)) = "$n" ] || fail "$name is $(<"$cc/$name"), not $n"	# (6.1 prints a sign)
		done
		# what it switches on with it, and what the in-tree driver sets to 0 with it: see the next test
		case $name-$CXR_DRIVER in
		rtt_resp_dscp-*) echo 0 >"$cc/rtt_resp_dscp_valid" ;;
		np_cnp_prio_mode-mlx5) echo 6 >"$cc/np_cnp_prio" ;;
		esac
		diff <(echo "$before") <(values) || fail "$name has changed others"
	done < <(params)
}

modes_and_values()
{
	about_cxr "the in-tree driver sets the priority to 0 with its mode, and the DSCP with its validity"
	echo 1 >"$cc/np_cnp_prio_mode"
	[ "$(<"$cc/np_cnp_prio")" = 6 ]
	echo 5 >"$cc/np_cnp_prio"
	[ "$(<"$cc/np_cnp_prio_mode")" = 0 ]
	echo 26 >"$cc/rtt_resp_dscp"
	[ "$(<"$cc/rtt_resp_dscp_valid")" = 1 ]
	echo 0 >"$cc/rtt_resp_dscp_valid"
	[ "$(<"$cc/rtt_resp_dscp")" = 26 ]
	echo 6 >"$cc/np_cnp_prio"
	echo 0 >"$cc/rtt_resp_dscp"
	echo 0 >"$cc/rtt_resp_dscp_valid"
}

# TEXT is refused for FILE, and NAME and the range will be in the log
refused() # FILE TEXT NAME "RANGE"
{
	[ -w "$1" ] || fail "there is no $1"
	if echo "$2" 2>/dev/null >"$1"; then fail "$1 takes '$2'"; fi
	lines+=("congestion control: $3: '${2:0:16}' is refused: must be $4")
}

refuses()
{
	local name value min max file before line lines=() log

	about_cxr "the in-tree driver leaves the range to the device, and logs nothing of its own"
	before=$(values)
	while read -r name value min max file; do
		refused "$cc/$name" "-1" "$name" "$min to $max"
		refused "$cc/$name" "$((max + 1))" "$name" "$min to $max"
		[ "$min" = 0 ] || refused "$cc/$name" "$((min - 1))" "$name" "$min to $max"
		[ "$file" = - ] || refused "$ecn/$file" "$((max + 2))" "$name" "$min to $max"
	done < <(params)
	refused "$cc/rp_gd" "11 12" rp_gd "0 to 15"
	refused "$cc/rp_gd" "" rp_gd "0 to 15"
	refused "$ecn/roce_rp/rpg_gd" "eleven" rp_gd "0 to 15"
	for name in 2 10 "1 1" none -1; do refused "$ecn/roce_np/enable/3" "$name" roce_np/enable/3 "0 or 1"; done
	log=$(kmsg)
	for line in "${lines[@]}"; do [[ $log == *"$line"* ]] || fail "the log has no line: $line"; done
	diff <(echo "$before") <(values)
}

# The names of the vendor's driver, for the same values
has_ecn_files()
{
	local name value rest file

	about_cxr "the in-tree driver has no such files"
	diff <( (params | sed -n 's/.* roce_/roce_/p'; printf '%s\n' roce_{rp,np}/enable/{0..7}) | sort) \
	     <(cd "$ecn" && find ./* -type f | sed 's/^..//' | sort)
	while read -r name value rest; do
		file=${rest##* }
		[ "$file" = - ] && continue
		[ "$(<"$ecn/$file")" = "$value" ] || fail "$file is $(<"$ecn/$file"), not $value"
	done < <(params)
	echo 10 >"$ecn/roce_rp/rpg_gd"
	[ "$(<"$cc/rp_gd")" = 10 ]
	echo 0x0b >"$cc/rp_gd"
	[ "$(<"$ecn/roce_rp/rpg_gd")" = 11 ]
	[ "$(cat "$ecn"/roce_?p/enable/? | sort | uniq -c | tr -d ' ')" = 161 ]
}

at_peer() { peer "$(declare -f hw_counter cc_here); $*"; }
at_peer_netdev() { at_peer "cd /sys/class/net/\$(driver_netdev)/ecn/ && $*"; }

# Data with DSCP 26, which is priority 3, marked as by a switch (ECN 3): the peer answers each packet by a CNP, since on a wire
# without a rate np_min_time_between_cnps has no effect
marked() # [WORDS of xfer]
{
	run_python selftests/lib/xfer.py run b $XFER_PORT "dev=$dev" "peer_dev=$peer_dev" "netdev=$netdev" sizes=3000 count=4 \
		op=write tclass=107 "gid=${gid[v2]}" "peer_gid=${peer_gid[v2]}" "$@"
}

# By how much NAMES of hw_counters grow here (h:NAME) and at the peer (p:NAME) while COMMAND runs
grow() # "NAMES" COMMAND...
{
	local name names=$1 was=() now i=0

	shift
	for name in $names; do was+=("$(grow_read "$name")"); done
	"$@" >/dev/null || return
	for name in $names; do
		now=$(grow_read "$name")
		echo -n "$((now - was[i++])) "
	done
	echo
}
grow_read() { if [ "${1%%:*}" = h ]; then hw_counter "${1#*:}"; else at_peer hw_counter "${1#*:}"; fi; }

# Marked data: what share of the marks is answered by CNPs, and what of these is handled and ignored: all or none
marks_are() # SENT HANDLED IGNORED
{
	local n marks sent handled ignored

	n=$(grow "p:np_ecn_marked_roce_packets p:np_cnp_sent h:rp_cnp_handled h:rp_cnp_ignored" marked)
	echo "marked, CNPs sent, handled, ignored: $n"
	read -r marks sent handled ignored <<<"$n"
	[ "$marks" -ge 4 ]
	[ "$sent $handled $ignored" = "$(for n; do [ "$n" = all ] && echo "$marks" || echo 0; done | xargs)" ] || fail "expected: $*"
}

notifies()
{
	about_cxr "the in-tree driver does not pass on a mark of an application"
	marks_are all all none
}

by_priority()
{
	about_cxr "the in-tree driver has no such files"
	at_peer_netdev "echo 0 >roce_np/enable/3"
	marks_are none none none
	at_peer_netdev "echo 1 >roce_np/enable/3; echo 0 >roce_np/enable/2"
	echo 0 >"$ecn/roce_rp/enable/3"
	marks_are all none all
	at_peer_netdev "echo 1 >roce_np/enable/2"
	echo 1 >"$ecn/roce_rp/enable/3"
	marks_are all all none
}

# All that comes here from the peer, acknowledgments and CNPs, has DSCP 26
cnp_dscp()
{
	about_cxr "the in-tree driver does not pass on a mark of an application"
	at_peer_netdev "echo 26 >roce_np/cnp_dscp"
	marked "window=min=5 to=$mac dscp=26"
	at_peer_netdev "echo 48 >roce_np/cnp_dscp"
}

# What a user has set, and nothing else; the mode that was set after the priority, too
survives_reset()
{
	local before

	about_cxr "the in-tree driver starts with the device's defaults after a reset"
	echo 40 >"$cc/rp_ai_rate"
	echo 5 >"$cc/np_cnp_prio"
	echo 1 >"$cc/np_cnp_prio_mode"
	echo 26 >"$ecn/roce_np/cnp_dscp"
	echo 0 >"$ecn/roce_rp/enable/5"
	echo 0 >"$ecn/roce_np/enable/6"
	before=$(values)
	echo 1 >"/sys/class/net/$netdev/device/reset"
	ends_up 1500
	diff <(echo "$before") <(values)
	[ "$(cat "$ecn"/roce_rp/enable/? | tr -d '\n')" = 11111011 ]
	[ "$(cat "$ecn"/roce_np/enable/? | tr -d '\n')" = 11111101 ]
	echo 5 >"$ecn/roce_rp/rpg_ai_rate"
	echo 6 >"$cc/np_cnp_prio"
	echo 48 >"$cc/np_cnp_dscp"
	echo 1 >"$ecn/roce_rp/enable/5"
	echo 1 >"$ecn/roce_np/enable/6"
	has_defaults
}

# A refused value is not remembered
device_refuses()
{
	about_cxr "about what this driver remembers"
	emu fault "$CXR_GUEST" command modify_cong_params status bad_param nth=1 >/dev/null
	must_fail tee "$cc/rp_threshold" <<<5 >/dev/null 2>&1
	emu fault "$CXR_GUEST" command modify_cong_status status bad_param nth=1 >/dev/null
	must_fail tee "$ecn/roce_rp/enable/3" <<<0 >/dev/null 2>&1
	emu fault clear >/dev/null
	echo 1 >"/sys/class/net/$netdev/device/reset"
	ends_up 1500
	has_defaults
	[ "$(<"$ecn/roce_rp/enable/3")" = 1 ]
}

# Read and write all files, until /run/cxr-stop exists
use_files()
{
	local f v used=0 failed=0

	set +e
	while [ ! -e /run/cxr-stop ]; do
		for f in "$cc"/* "$ecn"/*/* "$ecn"/*/enable/*; do
			# (writing the DSCP switches it on)
			[ -d "$f" ] || [ "${f##*/}" = rtt_resp_dscp ] && continue
			if read -r v <"$f" && echo "$v" >"$f"; then used=$((used + 1)); else failed=$((failed + 1)); fi
		done
	done
	echo "used $used, failed $failed"
}

# Read and written by several while the device is reset and unbound; the files may be gone, or an error
while_it_goes()
{
	local pids=() bdf n

	about_cxr "about the files of this driver"
	bdf=$(driver_bdfs | head -n 1)
	rm -f /run/cxr-stop
	for n in 1 2 3; do
		use_files >/run/cxr-use-$n 2>/dev/null &
		pids+=($!)
	done
	for n in 1 2; do
		echo 1 >"/sys/bus/pci/devices/$bdf/reset"
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind
		echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind
	done
	touch /run/cxr-stop
	for n in "${pids[@]}"; do wait "$n"; done
	cat /run/cxr-use-?
	[ "$(cat /run/cxr-use-? | grep -c "^used [1-9].*, failed [1-9]")" = 3 ]
	ends_up 1500
	has_defaults
}

ktap_setup ready
ktap_test files "each parameter has a file in debugfs" has_files
ktap_test defaults "they show what the device has after a reset" has_defaults
ktap_test limits "the least and largest value can be set, and change nothing else" takes_limits
ktap_test modes "a parameter keeps those that are set by the same command, and switches on what it needs" modes_and_values
ktap_test refused "what is not in the range is refused and logged, and changes nothing" refuses
ktap_test ecn "the vendor's files in sysfs are there, and show and set the same" has_ecn_files
ktap_test cnp "marked packets are answered, and the sender heeds it" notifies
ktap_test prio "notification and reaction are switched off by priority" by_priority
ktap_test cnp.dscp "notifications have the DSCP that was set" cnp_dscp
ktap_test device "what the device refuses is not remembered" device_refuses
ktap_test reset "a reset of the device leaves what was set as it was" survives_reset
ktap_test goes "the files can be used while the device goes and comes" while_it_goes
ktap_end
