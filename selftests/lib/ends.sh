# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The two ends of a connection: this guest and b. The set-up prepares them and saves their devices, GIDs and addresses in a file;
# before_each reads the file, without asking the peer. Needs driver.sh and peer.sh.
#
#   ends_up [MTU]	prepare both ends, and end what an earlier test left running on b; may be called at any time
#   ends_know		sets dev, netdev, mac, gid[v1] gid[v2] gid[v6], and the same for the peer: peer_dev, ...
#			gid[] are GID indices of the first address: v1 and v2 of IPv4, v2 of IPv6
#   ends_stop		end background commands on b: of peer_bg and of obey.sh
#   ends_pingpong N	a pingpong with b
#   ends_cm PROGRAM OPTIONS	run a program of perftest over rdma_cm, here and on b
#   counter NAME		a counter of the interface, of ethtool -S; fails if there is none
#   hw_counter NAME	a counter of the RDMA device
#   channels_are		number of channels of the interface
#   rss_table		the queues in its indirection table
#   set_rss WORDS...	change that, as ethtool -X
#   reachable		wait until b answers pings
#   receives_frames_to MAC	b sends to this address: prints whether the interface gets it, yes or no
#   pings OPTIONS	five pings as ping(8) does with these options; peer_pings "OPTIONS": the same by b
#   ends_crash a|b [MTU]	the firmware of this end or of b crashes; returns when the driver has recovered, with the MTU of ends_up
#   tcp_both_ways SIZE [ADDRESS [BLOCK [OPTIONS]]]	send random bytes to b, with these options of socat, and back, and compare them

. "$(dirname "${BASH_SOURCE[0]}")/obey.sh"

ENDS=/run/cxr-ends
TCP_PORT=5001			# and the next
# shellcheck disable=SC2034
dev='' netdev='' mac='' peer_dev='' peer_netdev='' peer_mac=''
# shellcheck disable=SC2034
declare -A gid=() peer_gid=()

# Print the variables of ends_know for this machine, with PREFIX before each name
ends_here() # PREFIX
{
	local dev netdev

	dev=$(driver_ibdev)
	netdev=$(driver_netdev)
	wait_until 20 gid_index "$dev" v2 "$(my_ip6)" >/dev/null || return
	echo "$1dev=$dev $1netdev=$netdev $1mac=$(<"/sys/class/net/$netdev/address")"
	echo "${1}gid[v1]=$(gid_index "$dev" v1 "$(my_ip)")"
	echo "${1}gid[v2]=$(gid_index "$dev" v2 "$(my_ip)")"
	echo "${1}gid[v6]=$(gid_index "$dev" v2 "$(my_ip6)")"
}

# End background commands of peer_bg and obey.sh on this machine
ends_stop_here()
{
	local f pid

	for f in "$OBEY_RUN"-*; do obey_stop "${f#"$OBEY_RUN"-}"; done
	for f in /run/peer-*.pid; do
		case $f in *'*'*|*/peer-now-*|*/peer-ends.pid) continue ;; esac
		pid=$(cat "$f" 2>/dev/null || true)
		if [ -z "$pid" ] || ! kill -- "-$pid" 2>/dev/null; then continue; fi
		while kill -0 "$pid" 2>/dev/null; do nap 0.05; done
	done
}

# A VLAN over both ends, 10.78.0.1 here and 10.78.0.2 there, until the test ends
vlan_ends() # NAME ID
{
	# shellcheck disable=SC2064 # as it is now
	trap "ip link del $1; peer 'ip link del $1'" EXIT
	ip link add link "$netdev" name "$1" type vlan id "$2"
	ip addr add 10.78.0.1/24 dev "$1"
	ip link set "$1" up
	peer "ip link add link $peer_netdev name $1 type vlan id $2 && ip addr add 10.78.0.2/24 dev $1 && ip link set $1 up"
}

ends_stop() { peer ". selftests/lib/ends.sh; ends_stop_here"; }

ends_up() # [MTU]
{
	local ok=0

	peer_bg ends ". selftests/lib/ends.sh; ends_stop_here; driver_up ${1:-} && ends_here peer_"
	driver_up "${1:-}" && ends_here '' >$ENDS || ok=1
	peer_wait ends >$ENDS.peer || ok=1
	[ $ok = 0 ] || { cat $ENDS.peer; return 1; }
	grep '^peer_.*=' $ENDS.peer >>$ENDS
	reachable
}

PP_PORT=18515		# first port of the pingpong and bandwidth programs

# On b, start COMMAND once with each set of WORDS, on ports from PP_PORT on; returns when all of them listen.
# peer_wait servers waits for their end.
ends_serve() # COMMAND "WORDS"...
{
	local command=$1 servers='' words n=0

	shift
	for words; do
		servers+="$command -p $((PP_PORT + n)) $words & ids+=\" \$!\"; "
		n=$((n + 1))
	done
	peer_serves servers "[ \$(ss -ltn | grep -c ':1851[5-9] ') = $n ]" "$servers for id in \$ids; do wait \$id || exit; done"
}

# Pingpong of N messages with b, RC over RoCE v2; the GID of this end may be another than at the set-up
ends_pingpong() # N
{
	ends_serve "ibv_rc_pingpong -d $peer_dev" "-g ${peer_gid[v2]} -n $1" &&
		timeout $((60 * ${CXR_PATIENCE:-1})) \
			ibv_rc_pingpong -d "$dev" -g "$(gid_index "$dev" v2 "$(my_ip)")" -n "$1" -p "$PP_PORT" "$(peer_ip)" &&
		peer_wait servers
}

# PROGRAM of perftest over rdma_cm. The server listens again after exchanging parameters, and the client does not wait for that: if it
# is too early, it is rejected (event 8), and both are started again.
ends_cm() # PROGRAM OPTIONS...
{
	local program=$1 try code said

	shift
	for try in 1 2 3; do
		peer_serves cm "cm_listens $program" "$program -d $peer_dev -R -F $*"
		code=0
		said=$("$program" -d "$dev" -R -F "$@" "$(peer_ip)" 2>&1) || code=$?
		echo "$said"
		[[ $code != 0 && $said == *"RDMA_CM_EVENT_REJECTED; error: 8."* ]] || break
		echo "$program: too early, try $try"
		peer_kill cm
		peer_wait cm || true
	done
	[ $code = 0 ] || return $code
	peer_wait cm
}

ends_know()
{
	# shellcheck source=/dev/null
	. $ENDS
}

# The first packets after a change may be lost to neighbour discovery
reachable() { wait_until 20 ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null; }
pings() { ping -q -i 0.05 -c 5 -W 2 "$@" >/dev/null; }
peer_pings() { peer "ping -q -i 0.05 -c 5 -W 2 $* >/dev/null"; }

# Send random bytes to the peer and back, and compare them
tcp_both_ways() # SIZE [ADDRESS [BLOCK [OPTIONS]]]
{
	local size=$1 address=${2:-} sum got listen="reuseaddr,ipv6only=0" connect="retry=200,interval=0.1"
	local back=$((TCP_PORT + 1)) block=${3:-8192}

	[ -n "$address" ] || address=$(peer_ip)
	case $address in *:*) address="[$address]" ;; esac
	[ -e /tmp/ends.data ] || head -c 16M /dev/urandom >/tmp/ends.data
	sum=$(head -c "$size" /tmp/ends.data | sha256sum)
	peer_bg tcp "socat -u TCP6-LISTEN:$TCP_PORT,$listen CREATE:/tmp/ends.got && sha256sum </tmp/ends.got &&
		     socat -u OPEN:/tmp/ends.got TCP6-LISTEN:$back,$listen"
	head -c "$size" /tmp/ends.data | socat -b "$block" -u STDIN "TCP:$address:$TCP_PORT,$connect${4:+,$4}"
	got=$(socat -u "TCP:$address:$back,$connect" STDOUT | sha256sum)
	[ "$(peer_wait tcp)" = "$sum" ] || fail "data received by the peer differs"
	[ "$got" = "$sum" ] || fail "data received from the peer differs"
}

# Also if it has recovered a moment ago
recover_again() { devlink health set "pci/$(driver_bdfs | head -n 1)" reporter fw_fatal grace_period 0 auto_recover true; }

# Another one each time the RDMA device is registered
rdma_number() { rdma dev show "$(driver_ibdev)" | sed 's/:.*//'; }
other_number() { local now; now=$(rdma_number 2>/dev/null) && [ -n "$now" ] && [ "$now" != "$1" ]; }

# The in-tree driver makes a new interface, which a person has to open
crash_over() # NUMBER [MTU]
{
	wait_until 60 other_number "$1" || { echo "the driver has not recovered"; return 1; }
	[ "$CXR_DRIVER" = cxr ] || driver_up "${2:-}" || return
	wait_until 20 gid_index "$(driver_ibdev)" v2 "$(my_ip)" >/dev/null
}

at_end() # a|b COMMAND...
{
	local command=("${@:2}")

	if [ "$1" = a ]; then "${command[@]}"; else peer ". selftests/lib/ends.sh; ${command[*]@Q}"; fi
}

ends_crash() # a|b [MTU]
{
	local number

	at_end "$1" recover_again
	number=$(at_end "$1" rdma_number)
	[ -n "$number" ] || fail "there is no RDMA device at $1"
	emu fault "$1" fatal >/dev/null
	at_end "$1" crash_over "$number" "${2:-}"
}

hw_counter() { cat "/sys/class/infiniband/$(driver_ibdev)/ports/1/hw_counters/$1"; }
counter() { ethtool -S "$netdev" | awk -v name="$1:" '$1 == name { print $2; found = 1 } END { exit !found }'; }
channels_are() { ethtool -l "$netdev" | awk '/^Combined:/ { n = $2 } END { print n }'; }
rss_table() { ethtool -x "$netdev" | sed -n 's/^ *[0-9]*: *\([0-9 ]*\)$/\1/p' | xargs; }

# ethtool -X, also on kernels before 6.8, to which ethtool gives what they do not know
set_rss()
{
	case $(uname -r) in
	6.1.*) python3 -B selftests/lib/ethtool_ioctl.py "$netdev" "$@" ;;
	*) ethtool -X "$netdev" "$@" ;;
	esac
}

receives_frames_to() # MAC
{
	local log id seen=no ip=10.77.0.99	# of nobody

	log=$(mktemp)
	tcpdump --immediate-mode -p -i "$netdev" -c 1 -n ether dst "$1" >/dev/null 2>"$log" &
	id=$!
	wait_until 30 grep -q '^listening' "$log"
	rm -f "$log"
	peer "ip neigh replace $ip lladdr $1 dev $peer_netdev && { ping -q -i 0.1 -c 10 -W 1 $ip >/dev/null || true; }"
	# tcpdump ends by itself after a packet
	kill -KILL $id 2>/dev/null || true
	! wait $id || seen=yes
	echo $seen
}
