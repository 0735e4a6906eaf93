#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Cards that lack capabilities: the driver comes up with what is left, or says what is missing. scripts/caps-walk tries all of them.
# The in-tree driver has not been tried here: scripts/caps-walk compares it.
# guests: 2
# takes: 80
# turn: yes
# drivers: cxr
# timeout: 600
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

ETH=per_protocol_networking_offload_caps
RX=flow_table_nic_cap.flow_table_properties_nic_receive

# Whatever makes work easier, but is not needed for it
OPTIONAL="cq_moderation cq_resize cq_oi cq_period_start_from_cqe block_lb_mc disable_local_lb_uc disable_local_lb_mc
	nic_vport_change_event vport_counters out_of_seq_cnt retransmission_q_counters enhanced_error_q_counters max_qp_cnt
	rts2rts_qp_counters_set_id rts2rts_qp_dscp cc_query_allowed driver_version pcam_reg bf atomic xrc uc imaicl local_ca_ack_delay device_frequency_khz
	roce_cap.sw_r_roce_src_udp_port $ETH.csum_cap $ETH.vlan_cap $ETH.wqe_vlan_insert $ETH.max_lso_cap $ETH.rss_ind_tbl_cap $ETH.self_lb_en_modifiable
	$RX.flow_counter $RX.flow_modify_en $RX.flow_table_modify $RX.identified_miss_table_mode"

# What mpfs gives the peer
PEER_FORGETS="for at in 10.78.0.2 10.79.0.2; do ip addr del \$at/24 dev \$(driver_netdev); done 2>/dev/null; \
	ip neigh del $(my_ip) dev \$(driver_netdev) 2>/dev/null; true"

require_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "$1; the driver is $CXR_DRIVER"; }

# Set-up: the peer works, nothing is loaded here
ready()
{
	local there

	emu fault clear >/dev/null
	peer "$PEER_FORGETS"
	peer driver_up
	there=$(peer "ib=\$(driver_ibdev); echo \$ib; gid_index \$ib v2 $(peer_ip); gid_index \$ib v1 $(peer_ip)")
	echo "$there" | paste -s >/run/cxr-caps
	driver_unload
}

# Load the driver on a card that has 0 for the capabilities NAME, or VALUE
load_without() # NAME[=VALUE]...
{
	local cap

	# shellcheck disable=SC2064
	trap "driver_unload; emu fault clear >/dev/null; emu violations" EXIT
	driver_unload
	for cap; do
		case $cap in *=*) ;; *) cap+="=0" ;; esac
		emu fault "$CXR_GUEST" cap "${cap%=*}" "${cap#*=}" >/dev/null
	done
	driver_load
}

log_has() { kmsg | grep "$1"; }

pingpong() # PROGRAM [TYPE]
{
	local there here

	read -r -a there </run/cxr-caps
	[ "${2:-v2}" = v2 ] || there[1]=${there[2]}
	peer_serves "$1" "tcp_listens 18515" "ibv_$1_pingpong -d ${there[0]} -g ${there[1]} -n 50"
	here=$(driver_ibdev)
	"ibv_$1_pingpong" -d "$here" -g "$(gid_index "$here" "${2:-v2}" "$(my_ip)")" -n 50 b
	peer_wait "$1"
}

gid_there() { gid_index "$(driver_ibdev)" "$1" "$(my_ip)" >/dev/null; }

works() # [TYPE]
{
	driver_net_up
	reachable
	tcp_both_ways 1M
	wait_until 20 gid_there "${1:-v2}"
	pingpong rc "${1:-v2}"
	pingpong ud "${1:-v2}"
}

bare()
{
	require_cxr "the in-tree driver has no network interface without offloads"
	# shellcheck disable=SC2086
	load_without $OPTIONAL
	works
	must_fail ethtool -c "$(driver_netdev)"
	no_violation
}

no_interface() # CAPABILITY
{
	load_without "$1"
	[ -z "$(driver_netdev)" ] || fail "there is a network interface"
	[ -n "$(driver_ibdev)" ] || fail "there is no RDMA device"
	[ "$CXR_DRIVER" != cxr ] || log_has "no network interface: ${1##*.} is missing or too small: update the firmware"
	no_violation
}

no_roce()
{
	require_cxr "the in-tree driver has an RDMA device for raw packets"
	load_without roce
	driver_net_up
	reachable
	tcp_both_ways 1M
	[ -z "$(driver_ibdev)" ] || fail "there is an RDMA device"
	log_has "no RDMA device: RoCE is disabled in the firmware: see ROCE_CONTROL"
	no_violation
}

one_version() # TYPE VALUE
{
	require_cxr "the in-tree driver asks for both versions"
	load_without "roce_cap.roce_version=$2"
	works "$1"
	must_fail gid_index "$(driver_ibdev)" "$([ "$1" = v1 ] && echo v2 || echo v1)"
	no_violation
}

no_xrc()
{
	require_cxr "the in-tree driver has no RDMA device without XRC"
	load_without xrc
	works
	must_fail timeout 30 ibv_xsrq_pingpong -d "$(driver_ibdev)" -g 0
	no_violation
}

# As on the hosts of a multi-host card, and on that of a DPU: the port belongs to another function, which has it up.
shared_port()
{
	local register

	load_without
	driver_net_up
	for register in paos pmtu; do
		emu fault "$CXR_GUEST" register $register status bad_param times=all >/dev/null
	done
	load_without vport_group_manager eswitch_manager
	works
	emu fault list
	[ "$(emu fault list | grep -c 'register .* done [1-9]')" = 2 ]
	no_violation
}

other_host() { emu status | sed -n "/^function $CXR_GUEST:/,/not received/s/.*other host \([0-9]*\).*/\1/p"; }

# Another address of the interface, of a macvlan; the function owns port and e-switch of a card of several hosts.
mpfs()
{
	local dev was others i

	load_without eswitch_manager=1 vport_group_manager=1 uplink_follow=1 num_vhca_ports=1 log_max_l2_table=2
	works
	dev=$(driver_netdev)
	was=$(cat "/sys/class/net/$dev/address")

	echo "another address"
	ip link set "$dev" address 02:77:00:00:00:01
	reachable
	others=$(other_host)
	peer "ip neigh replace $(my_ip) lladdr $was nud permanent dev \$(driver_netdev) && ! ping -q -c 3 -i 0.2 -W 1 $(my_ip) >/dev/null"
	[ "$(other_host)" -ge $((others + 3)) ] || fail "the old address still reaches the interface: other host $others, $(other_host)"
	peer "ip neigh del $(my_ip) dev \$(driver_netdev)"

	echo "a macvlan"
	ip link add mpfs1 link "$dev" address 02:77:00:00:00:02 type macvlan mode bridge
	ip addr add 10.78.0.1/24 dev mpfs1
	ip link set mpfs1 up
	peer "ip addr add 10.78.0.2/24 dev \$(driver_netdev)"
	wait_until 10 ping -q -c 1 -W 1 -I mpfs1 10.78.0.2 >/dev/null

	echo "a full table: the addresses that have a place stay"
	for i in 3 4 5; do
		ip link add mpfs$i link "$dev" address 02:77:00:00:00:0$i type macvlan mode bridge
		ip link set mpfs$i up
	done
	[ "$CXR_DRIVER" != cxr ] || log_has "no place for 02:77:00:00:00:05 in the card's table of addresses"
	wait_until 10 ping -q -c 1 -W 1 -I mpfs1 10.78.0.2 >/dev/null

	echo "a place that is free again"
	ip link del mpfs5
	ip link del mpfs3
	ip link add mpfs5 link "$dev" address 02:77:00:00:00:06 type macvlan mode bridge
	ip addr add 10.79.0.1/24 dev mpfs5
	ip link set mpfs5 up
	peer "ip addr add 10.79.0.2/24 dev \$(driver_netdev)"
	wait_until 10 ping -q -c 1 -W 1 -I mpfs5 10.79.0.2 >/dev/null
	ip link set "$dev" address "$was"
	peer "$PEER_FORGETS"
	no_violation
}

real_time()
{
	load_without sq_ts_format=1 rq_ts_format=1 roce_cap.qp_ts_format=1
	works
	no_violation
}

refused() # NAME[=VALUE] SENTENCE
{
	require_cxr "about the log of this driver"
	must_fail load_without "$1"
	log_has "unsupported device: $2: update its firmware"
	[ -z "$(driver_netdev)$(driver_ibdev)" ] || fail "there is a device"
	no_violation
}

export KTAP_TIMEOUT=200
ktap_setup ready
ktap_test bare "without any optional capability Ethernet, RC and UD work" bare
ktap_test no-interface.offloads "without Ethernet offloads there is an RDMA device, and a reason why there is no interface" no_interface eth_net_offloads
ktap_test no-interface.tables "without flow tables there is an RDMA device, and a reason why there is no interface" no_interface "$RX.ft_support"
ktap_test no-roce "without RoCE Ethernet works, and the log says where RoCE is switched on" no_roce
ktap_test version.v1 "a card with RoCE v1 alone" one_version v1 1
ktap_test version.v2 "a card with RoCE v2 alone" one_version v2 4
ktap_test no-xrc "without XRC everything else works" no_xrc
ktap_test shared-port "a function that owns neither port nor e-switch has Ethernet and RDMA" shared_port
ktap_test mpfs "a card of several hosts gets the addresses of the interface and of macvlans, up to the size of its table" mpfs
ktap_test real-time "a card that has only real-time stamps has Ethernet and RDMA" real_time
ktap_test refused.qps "a card with too few queue pairs is refused with a reason" refused log_max_qp=3 "log_max_qp is out of range"
ktap_test refused.wqes "a card with send requests that are too small is refused with a reason" refused max_wqe_sz_sq=64 "max_wqe_sz_sq is too small"
ktap_finally driver_unload
ktap_end
