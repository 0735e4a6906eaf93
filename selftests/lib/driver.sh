# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The adapter and its driver. To be sourced; in a guest it is sourced already,
# also for commands run by `peer`.
#
# CXR_DRIVER  cxr, mlx5 (in-tree), rxe (Soft-RoCE) or none; host (the default): a machine on which nothing
#             is loaded, unloaded or configured
# CXR_GUEST   a, b, c or d
# CXR_MODULES the folder of the cxr modules (default build/KERNEL)
# DEV         on a host: the RDMA device (default: the first)

CXR_DRIVER=${CXR_DRIVER:-host}

DRIVER_STATE=/run/cxr-driver
DRIVER_SETUP=/run/cxr-setup	# the last set-up (ktap.sh), while its state is intact
CXR_MODULES=${CXR_MODULES:-/cxr/build/${CXR_KERNEL:-}}

need_module() { [ -d "/sys/module/$1" ] || modprobe "$1"; } # NAME

# Load the cxr MODULE with PARAMETERS, after its dependencies.
driver_insmod()
{
	local ko=$CXR_MODULES/$1.ko dep deps memo

	[ ! -d "/sys/module/$1" ] || return 0
	memo=/run/cxr-depends${ko//\//-}
	[ -e "$memo" ] || modinfo -F depends "$ko" >"$memo" || return
	IFS=, read -ra deps <"$memo" || true
	for dep in "${deps[@]}"; do
		case $dep in
		cxr_*) driver_insmod "$dep" || return ;;
		*) need_module "$dep" || return ;;
		esac
	done
	shift
	insmod "$ko" "$@"
}

# Is each function bound? A failed test may have left one unbound.
driver_bound()
{
	local bdf

	for bdf in $(driver_bdfs); do [ -e "/sys/bus/pci/devices/$bdf/driver" ] || return; done
}

wc_test_timeouts() { dmesg | grep -c 'while trying to test write-combining support' || true; }

# mlx5_ib sends a test packet when it loads; on 6.1 there is no RDMA device if that takes more than 100 ms, as on a busy host.
# Profile 0 of mlx5_core has no cache of thousands of mkeys.
load_mlx5()
{
	local before _

	modprobe mlx5_core prof_sel=0 || return
	for _ in 1 2 3; do
		before=$(wc_test_timeouts)
		modprobe mlx5_ib || return
		[ "$(wc_test_timeouts)" -gt "$before" ] || return 0
		modprobe -r mlx5_ib
	done
	echo "load_mlx5: mlx5_ib does not send its test packet in time" >&2
	return 1
}

# Load the driver with exactly these PARAMETERS of cxr_core, and the user-space
# interfaces of the RDMA stack. It is not reloaded if it has these already.
# The in-tree driver has no roce_mode: it always offers both versions.
driver_load()
{
	local want="$CXR_DRIVER $*" bdf

	if [ "$CXR_DRIVER" = host ]; then
		[ -n "$(driver_ibdevs)" ] && return
		echo "driver_load: this machine has no RDMA device${DEV:+ $DEV}" >&2
		return 1
	fi
	if holds $DRIVER_STATE "$want" && driver_bound; then return 0; fi
	rm -f $DRIVER_SETUP
	driver_unload || return
	case $CXR_DRIVER in
	cxr)
		driver_insmod cxr_core "$@" &&
			driver_insmod cxr_en && driver_insmod cxr_ib || return
		;;
	mlx5)
		load_mlx5 || return
		;;
	rxe)
		soft_cable
		modprobe rdma_rxe && rdma link add rxe0 type rxe netdev "$(driver_netdev 0)" || return
		;;
	*)
		echo "driver_load: this guest has no adapter (driver $CXR_DRIVER)" >&2
		return 1
		;;
	esac
	for bdf in $(driver_bdfs); do
		if [ ! -e "/sys/bus/pci/devices/$bdf/driver" ]; then
			echo "driver_load: $bdf is not bound, see the kernel log" >&2
			return 1
		fi
	done
	need_module ib_uverbs && need_module ib_umad && need_module rdma_ucm || return
	echo "$want" >$DRIVER_STATE
}

# For Soft-RoCE in a single guest: a veth pair. Two guests on a loaded machine are less reliable, since a connection does not survive
# half a second without its peer.
soft_cable()
{
	[ -z "$(driver_netdevs)" ] || return 0
	ip link add soft0 type veth peer name soft1 && ip link set soft1 up
}

# Unload the driver if it is loaded
driver_unload()
{
	local m rc=0

	[ "$CXR_DRIVER" != host ] || return 0
	rm -f $DRIVER_STATE $DRIVER_SETUP
	for m in cxr_ib cxr_en cxr_core mlx5_ib mlx5_core rdma_rxe; do
		[ -d "/sys/module/$m" ] || continue
		rmmod "$m" || rc=1
	done
	[ ! -e /sys/class/net/soft0 ] || ip link del soft0 || rc=1
	return $rc
}

driver_loaded() { [ -e $DRIVER_STATE ]; }

# PCI addresses of the adapter's functions, one per line; without VFs that a PF here has enabled, which nothing drives
driver_bdfs()
{
	local d vendor

	for d in /sys/bus/pci/devices/*; do
		read -r vendor <"$d/vendor"
		[ "$vendor" != 0x15b3 ] || [ -e "$d/physfn" ] || echo "${d##*/}"
	done
}

# Network interfaces of the adapter, one per line; driver_netdev prints the Nth
driver_netdevs()
{
	local bdf d

	if [ "$CXR_DRIVER" = host ]; then
		cat "/sys/class/infiniband/$(driver_ibdev)/ports/1/gid_attrs/ndevs/0"
		return
	fi
	if [ "$CXR_DRIVER" = rxe ]; then
		if [ -e /sys/class/net/wire0 ]; then echo wire0; return; fi
		for d in /sys/class/net/mgmt* /sys/class/net/soft0; do [ ! -e "$d" ] || echo "${d##*/}"; done
		return
	fi
	for bdf in $(driver_bdfs); do
		for d in "/sys/bus/pci/devices/$bdf"/net/*; do [ ! -e "$d" ] || echo "${d##*/}"; done
	done
}

driver_netdev() { nth "${1:-0}" driver_netdevs; }

# RDMA devices of the adapter, one per line; driver_ibdev prints the Nth
driver_ibdevs()
{
	local d

	for d in /sys/class/infiniband/*; do
		[ "$CXR_DRIVER" != host ] || [ "${DEV:-${d##*/}}" = "${d##*/}" ] || continue
		[ ! -e "$d" ] || echo "${d##*/}"
	done
}

driver_ibdev() { nth "${1:-0}" driver_ibdevs; }
netdev_there() { [ -n "$(driver_netdev)" ]; }
ibdev_there() { [ -n "$(driver_ibdev)" ]; }

# ---- helpers that tests call often: only builtins, as a process takes 20 ms in a guest ------------------------------------------

# Line N, from 0, of what COMMAND prints, if there is one
nth() # N COMMAND...
{
	local n=$1 lines

	shift
	mapfile -t lines <<<"$("$@")"
	[ -z "${lines[n]:-}" ] || echo "${lines[n]}"
}

# Does FILE consist of the line TEXT?
holds() # FILE TEXT
{
	local text

	{ IFS= read -r text <"$1"; } 2>/dev/null && [ "$text" = "$2" ]
}

# sleep: nothing is ever written to this pipe. It is opened here, once, because <() changes $!.
exec {NAP_FD}<> <(:)
nap() { read -r -t "$1" -u "$NAP_FD" || true; } # SECONDS

ended() { ! kill -0 "$1" 2>/dev/null; } # PID

# Wait until CONDITION (a command) succeeds, at most SECONDS; longer on slow machines
wait_until()
{
	local seconds=$1 end

	shift
	end=$((SECONDS + seconds * ${CXR_PATIENCE:-1}))
	until "$@"; do
		if [ $SECONDS -ge $end ]; then
			echo "timed out after $seconds s waiting for: $*" >&2
			return 1
		fi
		nap 0.1
	done
}

# The kernel log since the last mark of a test
kmsg() { dmesg | awk '/cxr-test: / { n = 0; next } { l[n++] = $0 } END { for (i = 0; i < n; i++) print l[i] }'; }

guest_number() { local l=abcd; l=${l%%"$1"*}; echo $((${#l} + 1)); }

# Address of guest GUEST (a, b, ...) on the wire of function FUNCTION
guest_ip() { echo "10.77.${2:-0}.$(guest_number "$1")"; }
guest_ip6() { echo "fd77:${2:-0}::$(guest_number "$1")"; }
my_ip() { guest_ip "$CXR_GUEST" "${1:-0}"; }
my_ip6() { guest_ip6 "$CXR_GUEST" "${1:-0}"; }
# Address of the first peer
peer_ip() { guest_ip b "${1:-0}"; }
peer_ip6() { guest_ip6 b "${1:-0}"; }

link_up() { holds "/sys/class/net/$1/operstate" up; }

# Bring up every interface of the adapter, with its addresses
driver_net_up() # [MTU]
{
	local i=0 dev

	if [ "$CXR_DRIVER" = host ]; then link_up "$(driver_netdev)"; return; fi
	for dev in $(driver_netdevs); do
		# before IPv6, which needs an MTU of 1280
		[ -z "${1:-}" ] || ip link set "$dev" mtu "$1" || return
		echo 0 >"/proc/sys/net/ipv6/conf/$dev/accept_dad"
		echo 0 >"/proc/sys/net/ipv6/conf/$dev/disable_ipv6"
		ip link set "$dev" up || return
		ip addr replace "$(my_ip $i)/24" dev "$dev" || return
		ip -6 addr replace "$(my_ip6 $i)/64" dev "$dev" nodad || return
		wait_until 30 link_up "$dev" || return
		i=$((i + 1))
	done
	[ $i -gt 0 ] || { echo "driver_net_up: the adapter has no network interface" >&2; return 1; }
}

# GID index of ADDRESS with TYPE (v1 or v2) on DEVICE; without an address the
# first entry of that type
gid_index() # DEVICE TYPE [ADDRESS]
{
	local p=/sys/class/infiniband/$1/ports/1 i type gid want
	local pattern='*'

	case $2 in
	v1) want='IB/RoCE v1' ;;
	v2) want='RoCE v2' ;;
	*) echo "gid_index: unknown type '$2'" >&2; return 1 ;;
	esac
	[ -z "${3:-}" ] || pattern=$(gid_text "$3") || return
	# only builtins: the table has 255 entries
	for ((i = 0; ; i++)); do
		[ -e "$p/gids/$i" ] || break
		{ read -r type <"$p/gid_attrs/types/$i"; } 2>/dev/null || continue
		[ "$type" = "$want" ] || continue
		read -r gid <"$p/gids/$i"
		# shellcheck disable=SC2254
		case $gid in $pattern) echo "$i"; return ;; esac
	done
	echo "gid_index: $1 has no GID of type $2${3:+ for $3}" >&2
	return 1
}

# Is there a listener on a TCP port of this machine? Called in loops, so it reads the kernel's table without starting a process.
tcp_listens() # PORT
{
	local port table address state

	printf -v port ':%04X' "$1"
	for table in /proc/net/tcp /proc/net/tcp6; do
		while read -r _ address _ state _; do
			[[ $state != 0A || $address != *"$port" ]] || return 0
		done <$table
	done
	return 1
}

# Does PROGRAM listen on an rdma_cm id of this machine? The state is LISTEN shortly before requests are accepted; the program is ready
# when it waits for events.
cm_listens()
{
	local line

	line=$(rdma resource show cm_id | grep "LISTEN .*comm $1 ") || return
	[[ $line =~ " pid "([0-9]+) ]]
	grep -qs ucma_get_event "/proc/${BASH_REMATCH[1]}"/task/*/wchan
}

# Load the driver, bring up its interfaces, and wait for the GID of the first address
driver_up() # [MTU]
{
	driver_load || return
	driver_net_up "${1:-}" || return
	wait_until 20 gid_index "$(driver_ibdev)" v2 "$(my_ip)" >/dev/null
}

# The GID of an IPv4 or IPv6 address in sysfs format
gid_text()
{
	local a b c d left right n text

	case $1 in
	*:*)
		IFS=: read -ra left <<<"${1%%::*}"
		IFS=: read -ra right <<<"${1#"${1%%::*}"}"
		# an empty group before and one after the colons
		[ ${#right[@]} = 0 ] || right=("${right[@]:2}")
		n=$((8 - ${#left[@]} - ${#right[@]}))
		left=("${left[@]/#/0x}") right=("${right[@]/#/0x}")
		while [ $n -gt 0 ]; do left+=(0); n=$((n - 1)); done
		printf -v text ':%04x' "${left[@]}" "${right[@]}"
		echo "${text#:}"
		;;
	*)
		IFS=. read -r a b c d <<<"$1"
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' "$a" "$b" "$c" "$d"
		;;
	esac
}
