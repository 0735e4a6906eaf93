#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Cards that lack capabilities: the driver comes up with what is left, or says what is missing. scripts/caps-walk tries all of them.
# The in-tree driver has not been tried here: scripts/caps-walk compares it.
# guests: 2
# takes: 60
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
	roce_cap.sw_r_roce_src_udp_port $ETH.csum_cap $ETH.vlan_cap $ETH.max_lso_cap $ETH.rss_ind_tbl_cap $ETH.self_lb_en_modifiable
	$RX.flow_counter $RX.flow_modify_en $RX.flow_table_modify $RX.identified_miss_table_mode"

require_cxr() { [ "$CXR_DRIVER" = cxr ] || skip "$1; the driver is $CXR_DRIVER"; }

# Set-up: the peer works, nothing is loaded here
ready()
{
	local there

	emu fault clear >/dev/null
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

no_violation()
{
	emu violations
	[ -z "$(emu violations)" ]
}

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

# As on the hosts of a multi-host card, and on that of a DPU
shared_port()
{
	load_without vport_group_manager eswitch_manager
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
ktap_test refused.qps "a card with too few queue pairs is refused with a reason" refused log_max_qp=3 "log_max_qp is out of range"
ktap_test refused.wqes "a card with send requests that are too small is refused with a reason" refused max_wqe_sz_sq=64 "max_wqe_sz_sq is too small"
ktap_finally driver_unload
ktap_end
