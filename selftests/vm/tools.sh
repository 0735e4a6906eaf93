#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The users' tools on a real sysfs: selftests/tools compares their output with
# golden files, these tests with the kernel's state.
# guests: 1
# takes: 115
# turn: yes
# functions: 2
# drivers: cxr mlx5
# timeout: 900
. "$(dirname "$0")/../lib/ktap.sh"

class=/sys/class/infiniband

before_each() { dev=$(driver_ibdev); }

# Set-up: only the driver under test is loaded
one_driver()
{
	if [ -d /sys/module/mlx5_core ] && [ -d /sys/module/cxr_core ]; then unload_both; fi
	driver_up
}

# The table of all devices, read from sysfs independently of the tool
table()
{
	local t d p i type

	for t in "$class"/*/ports/*/gid_attrs/types/*; do
		{ read -r type <"$t"; } 2>/dev/null || continue
		i=${t##*/} d=${t#"$class"/} p=${t%/gid_attrs/*}
		echo "${d%%/*} ${p##*/} $i $(cat "$p/gids/$i") ${type#*RoCE } $(cat "$p/gid_attrs/ndevs/$i")"
	done
}

gids_agree()
{
	local lines

	lines=$(show_gids)
	echo "$lines"
	diff -u <(table) <(sed '1,2d;$d' <<<"$lines" | awk '{ print $1, $2, $3, $4, $(NF - 1), $NF }')
	[ "$(tail -n 1 <<<"$lines")" = "n_gids_found=$(table | wc -l)" ]
	grep -qP "^$dev\t1\t$(gid_index "$dev" v1 "$(my_ip)")\t$(gid_text "$(my_ip)")\t$(my_ip)  \tv1\t$(driver_netdev)$" <<<"$lines"
	grep -qP "^$dev\t1\t$(gid_index "$dev" v2 "$(my_ip6)")\t$(gid_text "$(my_ip6)")\t\t\tv2\t$(driver_netdev)$" <<<"$lines"
}

row() { printf '%s\t1\t%s\t%s\t%s\t%s\t%s\n' "$@"; }

# Rows for both RoCE versions; the kernel's order is v1 first
rows() { row "$1" "$2" "$3" "$4" v1 "$5"; row "$1" $(($2 + 1)) "$3" "$4" v2 "$5"; }

example_wanted()
{
	local tab=$'\t'

	rows "$1" 0 fe80:0000:0000:0000:0202:c9ff:feb6:7c70 "$tab" eth1
	rows "$1" 2 0000:0000:0000:0000:0000:ffff:c0a8:0146 "192.168.1.70  " eth1
	rows "$1" 4 0000:0000:0000:0000:0000:ffff:c1a8:0146 "193.168.1.70  " eth1.100
	rows "$1" 6 1234:0000:0000:0000:0000:0000:0000:0070 "$tab" eth1
	rows "$2" 0 fe80:0000:0000:0000:0202:c9ff:feb6:7c71 "$tab" eth2
	echo n_gids_found=10
}

example_is_there() { [ "$(show_gids | tail -n +3)" = "$(example_wanted "$1" "$2")" ]; }

# The GID table in the vendor's documents: its ports are functions here, and the VLAN has no
# link-local address, as in the documents.
example()
{
	local dev1 dev2 n=0 d

	driver_unload	# fresh interfaces
	driver_load
	dev1=$(driver_ibdev 0) dev2=$(driver_ibdev 1)
	for d in $(driver_netdevs); do ip link set "$d" down name "tmp$n"; n=$((n + 1)); done
	for n in 0 1; do
		d=eth$((n + 1))
		ip link set "tmp$n" name $d address 00:02:c9:b6:7c:7$n addrgenmode none
		echo 0 >/proc/sys/net/ipv6/conf/$d/accept_dad
		echo 0 >/proc/sys/net/ipv6/conf/$d/disable_ipv6
		ip link set $d up
		wait_until 30 link_up $d
	done
	ip addr add 192.168.1.70/24 dev eth1
	ip link add link eth1 name eth1.100 type vlan id 100
	ip link set eth1.100 addrgenmode none
	ip link set eth1.100 up
	wait_until 20 gid_index "$dev1" v2 192.168.1.70	# entries are added asynchronously, in the order of events
	ip addr add 193.168.1.70/24 dev eth1.100
	wait_until 20 gid_index "$dev1" v2 193.168.1.70
	ip addr add 1234::70/64 dev eth1 nodad
	wait_until 20 example_is_there "$dev1" "$dev2" || true
	show_gids
	diff -u <(example_wanted "$dev1" "$dev2") <(show_gids | tail -n +3)
	ip link del eth1.100
	driver_unload
}

netdevs_agree()
{
	local line bdf n=0 lines

	lines=$(ibdev2netdev)
	diff -u - <(echo "$lines") <<-END
	$(driver_ibdev 0) port 1 ==> $(driver_netdev 0) (Up)
	$(driver_ibdev 1) port 1 ==> $(driver_netdev 1) (Up)
	END
	for bdf in $(driver_bdfs); do
		line=$(ibdev2netdev -v | grep "^$bdf ")
		echo "$line"
		grep -qP "^$bdf $(driver_ibdev $n) \(MT$(($(<"/sys/bus/pci/devices/$bdf/device"))) - [^)]*\) .*fw $(<"$class/$(driver_ibdev $n)/fw_ver") port 1 \(ACTIVE\) ==> $(driver_netdev $n) \(Up\)$" <<<"$line"
		n=$((n + 1))
	done
	ip link set "$(driver_netdev 1)" down
	ibdev2netdev | grep -qxF "$(driver_ibdev 1) port 1 ==> $(driver_netdev 1) (Down)"
	ip link set "$(driver_netdev 1)" up
}

dat_conf()
{
	diff -u - <(dat_conf_gen) <<-END
	ofa-v2-$(driver_netdev 0) u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 "$(driver_netdev 0) 1" ""
	ofa-v2-$(driver_netdev 1) u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 "$(driver_netdev 1) 1" ""
	END
}

cma_defaults()
{
	local cm=/sys/kernel/config/rdma_cm

	cma_roce_mode -d "$dev"
	[ "$(cma_roce_mode -d "$dev" -p 1 -m 1)" = "IB/RoCE v1" ]
	[ "$(cma_roce_mode -d "$dev")" = "IB/RoCE v1" ]
	[ "$(cma_roce_mode -d "$(driver_ibdev 1)")" = "RoCE v2" ]
	[ "$(cma_roce_mode -d "$dev" -m 2)" = "RoCE v2" ]
	[ "$(cma_roce_tos -d "$dev")" = 0 ]
	[ "$(cma_roce_tos -d "$dev" -t 104)" = 104 ]
	mkdir $cm/"$dev"
	[ "$(<$cm/"$dev"/ports/1/default_roce_tos)" = 104 ]
	cma_roce_tos -d "$dev" -t 0
	[ -d $cm/"$dev" ]
	rmdir $cm/"$dev"
	must_fail cma_roce_mode -d "$dev" -p 7
	must_fail cma_roce_mode -d nothing_0
	[ -z "$(ls $cm)" ]
}

# The names show_counters has to print, in order
counter_names()
{
	local f

	echo "Port 1 hw counters"
	for f in "$1"/hw_counters/* "" "$1"/cm_rx_duplicates/* "$1"/cm_rx_msgs/* "$1"/cm_tx_msgs/* "$1"/cm_tx_retries/*; do
		[ -n "$f" ] || echo "Port 1 cm counters"
		[ ! -f "$f" ] || echo "${f##*/}"
	done
}

counters()
{
	show_counters "$dev" >/tmp/counters
	diff -u <(counter_names "$class/$dev/ports/1") <(sed 's/:.*//' /tmp/counters)
	must_fail grep -vE '^Port 1 (hw|cm) counters:$|^[a-z_0-9]+: [0-9]+$' /tmp/counters
}

has_gid() { show_gids "$dev" | grep -q "$1"; }

compat()
{
	local mac gid

	mac=$(<"/sys/class/net/$(driver_netdev)/address")
	IFS=: read -r -a m <<<"$mac"
	gid=$(printf 'fe80:0000:0000:0000:%02x%s:%s00:64%s:%s%s' $((0x${m[0]} ^ 2)) "${m[1]}" "${m[2]}" "${m[3]}" "${m[4]}" "${m[5]}")
	must_fail has_gid "$gid"
	compat_gid_gen -d "$(driver_netdev)" -v 100
	wait_until 20 has_gid "$gid"
	compat_gid_gen -d "$(driver_netdev)" -v 100 | grep -q already
	compat_gid_gen -d "$(driver_netdev)" -v 100 -n | grep -xE "ip -6 addr add fe80::.*/64 dev $(driver_netdev)" >/tmp/compat
	sed -i 's/ add / del /' /tmp/compat
	sh -e /tmp/compat
}

# Set-up: both cxr and the in-tree driver are loaded
both_drivers()
{
	if [ "$CXR_DRIVER" = mlx5 ] && [ ! -e "$CXR_MODULES/cxr_ib.ko" ]; then
		skip "no cxr modules for this kernel: make modules"
	fi
	unload_both
	driver_up
	if [ "$CXR_DRIVER" = mlx5 ]; then
		driver_insmod cxr_core
		driver_insmod cxr_en
		driver_insmod cxr_ib
	else
		modprobe mlx5_core
		modprobe mlx5_ib
	fi
}

driver_of() { basename "$(readlink "/sys/bus/pci/devices/$1/driver")"; }

# Function $1 is bound to driver $2 and has a netdev and an RDMA device
works_with()
{
	[ "$(driver_of "$1")" = "$2" ] && [ -n "$(ls "/sys/bus/pci/devices/$1/net")" ] &&
		[ -n "$(ls "/sys/bus/pci/devices/$1/infiniband")" ]
}

# Unload both drivers and clear driver_override
unload_both()
{
	local bdf

	for bdf in $(driver_bdfs); do echo >"/sys/bus/pci/devices/$bdf/driver_override"; done
	driver_unload
}

hand_over()
{
	local first second here=cxr_core other=mlx5_core

	first=$(driver_bdfs | sed -n 1p) second=$(driver_bdfs | sed -n 2p)
	if [ "$CXR_DRIVER" = mlx5 ]; then here=mlx5_core other=cxr_core; fi
	for to in $other $here; do
		if [ "$to" = mlx5_core ]; then cxr-bind --back "$first"; else cxr-bind "$first"; fi
		wait_until 30 works_with "$first" "$to"
		[ "$(driver_of "$second")" = $here ]
		cxr-bind --list
		cxr-bind --list | grep -qE "^$first +ConnectX[^ ]* .*$to"
		ip link set "$(ls "/sys/bus/pci/devices/$first/net")" up
		wait_until 30 link_up "$(ls "/sys/bus/pci/devices/$first/net")"
	done
	driver_net_up
}

refuses()
{
	local first netdev rc=0 words=() here=mlx5_core

	first=$(driver_bdfs | sed -n 1p) netdev=$(driver_netdev)
	if [ "$CXR_DRIVER" = cxr ]; then words=(--back) here=cxr_core; fi
	trap 'ip route del default table 77' EXIT
	ip route add default via "$(peer_ip)" dev "$netdev" table 77
	cxr-bind "${words[@]}" "$first" >/tmp/refused 2>&1 || rc=$?
	cat /tmp/refused
	[ $rc = 3 ]
	grep -qx "$netdev carries the default route" /tmp/refused
	works_with "$first" $here
	[ "$(</sys/bus/pci/drivers_autoprobe)" = 1 ]
}

# If the driver fails to bind, the function is bound to its previous driver again
rolls_back()
{
	local first rc=0

	[ "$CXR_DRIVER" = cxr ] || skip "needs a parameter of cxr_core; the driver is $CXR_DRIVER"
	ktap_spoilt
	first=$(driver_bdfs | sed -n 1p)
	cxr-bind --back "$first"
	wait_until 30 works_with "$first" mlx5_core
	echo hca >/sys/module/cxr_core/parameters/fail_stage
	cxr-bind "$first" >/tmp/back 2>&1 || rc=$?
	echo -1 >/sys/module/cxr_core/parameters/fail_stage
	cat /tmp/back
	[ $rc = 1 ]
	grep -q "cxr_core did not take it" /tmp/back
	wait_until 30 works_with "$first" mlx5_core
	[ "$(<"/sys/bus/pci/devices/$first/driver_override")" = "(null)" ]
}

# Simulate the next boot after --persist: modprobe as udev runs it
boots()
{
	local first second

	first=$(driver_bdfs | sed -n 1p) second=$(driver_bdfs | sed -n 2p)
	rm -rf /run/boot
	CXR_ETC=/run/boot cxr-bind --persist "$first"
	cat /run/boot/modprobe.d/cxr-bind.conf
	unload_both
	MODPROBE_OPTIONS="-C /run/boot/modprobe.d" modprobe mlx5_core
	wait_until 30 test -e "/sys/bus/pci/devices/$second/driver"
	[ "$(driver_of "$second")" = mlx5_core ]
	[ ! -e "/sys/bus/pci/devices/$first/driver" ]
	driver_insmod cxr_core
	[ "$(driver_of "$first")" = cxr_core ]
	[ "$(driver_of "$second")" = mlx5_core ]
}

# An archive under the driver, with its commands if it is ours, and without the guest's addresses
reports()
{
	local first netdev words=() mac

	first=$(driver_bdfs | sed -n 1p) netdev=$(driver_netdev)
	mac=$(</sys/class/net/"$netdev"/address)
	[ "$CXR_DRIVER" = mlx5 ] || words=(--rebind)
	# the test of the port is a run of its own
	env -i PATH="$PATH" HOME=/root cxr-report "${words[@]}" -m 0.05 -o /tmp/report.tar.gz "$first" || {
		tar -xzOf /tmp/report.tar.gz report/traffic.txt | tail -n 100
		fail "a step failed; the traffic is above"
	}
	driver_net_up
	rm -rf /tmp/report
	tar -xzf /tmp/report.tar.gz -C /tmp
	cat /tmp/report/index.txt
	must_fail grep -r FAILED /tmp/report/index.txt
	grep -q 'BW average' /tmp/report/traffic.txt
	grep -Eq 'port_xmit_packets +[0-9]+ +[0-9]+ \+[1-9]' /tmp/report/counters.txt
	must_fail grep -r -e "$mac" -e "$(my_ip)" /tmp/report
	[ "$CXR_DRIVER" = mlx5 ] || grep -Eq 'cxr_cmd_input: .* create_cq 0x400 0400[0-9a-f]{200}' /tmp/report/commands.txt
}

export KTAP_TIMEOUT=300
ktap_setup one_driver
ktap_test show-gids "show_gids shows the kernel's GID table" gids_agree
ktap_test ibdev2netdev "ibdev2netdev shows interface, link and firmware" netdevs_agree
ktap_test dat-conf-gen "dat_conf_gen lists each interface" dat_conf
ktap_test cma "cma_roce_mode and cma_roce_tos set rdma_cm's defaults per port" cma_defaults
ktap_test show-counters "show_counters shows every counter" counters
ktap_test compat-gid-gen "compat_gid_gen adds the GID" compat
ktap_test cxr-report "cxr-report collects commands, tests and traffic, and no address" reports
ktap_setup
ktap_test show-gids.example "show_gids: the documented example" example
ktap_setup both_drivers
ktap_test cxr-bind.over "cxr-bind binds a function to the other driver and back" hand_over
ktap_test cxr-bind.route "cxr-bind refuses a function that carries the default route" refuses
ktap_test cxr-bind.back "cxr-bind rolls back if the driver does not bind" rolls_back
ktap_test cxr-bind.persist "cxr-bind --persist: each driver binds its functions at boot" boots
ktap_finally unload_both
ktap_end
