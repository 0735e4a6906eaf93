#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Prometheus' node_exporter, as on machines with mlx5: what it shows of the device is the same for both drivers.
# guests: 2
# takes: 30
# turn: yes
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

METRICS=/run/cxr-metrics
ADDRESS=127.0.0.1:9100

ready()
{
	ends_up
	ends_know
	pkill -x prometheus-node || true
	prometheus-node-exporter --collector.disable-defaults --collector.infiniband --collector.ethtool \
		--collector.ethtool.device-include="^$netdev$" --web.listen-address=$ADDRESS >/run/cxr-exporter.log 2>&1 &
	wait_until 60 scrape || { cat /run/cxr-exporter.log; return 1; }
}

before_each() { ends_know; }

scrape() { python3 -B -c "import urllib.request as u; print(u.urlopen('http://$ADDRESS/metrics').read().decode())" >$METRICS 2>/dev/null; }

# Of the port; VALUE of METRIC
metric() { awk -v name="$1{" 'index($0, name) == 1 { printf "%.0f\n", $NF; exit }' $METRICS; }

# What dashboards are made of
infiniband_names()
{
	scrape
	sed -n 's/^\(node_infiniband_[a-z0-9_]*\){.*/\1/p' $METRICS | sort -u >/run/cxr-names
	diff - /run/cxr-names <<-END
	node_infiniband_excessive_buffer_overrun_errors_total
	node_infiniband_info
	node_infiniband_link_downed_total
	node_infiniband_link_error_recovery_total
	node_infiniband_local_link_integrity_errors_total
	node_infiniband_multicast_packets_received_total
	node_infiniband_multicast_packets_transmitted_total
	node_infiniband_physical_state_id
	node_infiniband_port_constraint_errors_received_total
	node_infiniband_port_constraint_errors_transmitted_total
	node_infiniband_port_data_received_bytes_total
	node_infiniband_port_data_transmitted_bytes_total
	node_infiniband_port_discards_transmitted_total
	node_infiniband_port_errors_received_total
	node_infiniband_port_packets_received_total
	node_infiniband_port_packets_transmitted_total
	node_infiniband_port_receive_remote_physical_errors_total
	node_infiniband_port_receive_switch_relay_errors_total
	node_infiniband_port_transmit_wait_total
	node_infiniband_rate_bytes_per_second
	node_infiniband_state_id
	node_infiniband_symbol_error_total
	node_infiniband_unicast_packets_received_total
	node_infiniband_unicast_packets_transmitted_total
	node_infiniband_vl15_dropped_total
	END
}

infiniband_values()
{
	local port

	ends_pingpong 200
	scrape
	grep node_infiniband_info $METRICS
	port=/sys/class/infiniband/$dev/ports/1
	[ "$(metric node_infiniband_port_data_transmitted_bytes_total)" = $((4 * $(<"$port/counters/port_xmit_data"))) ]
	[ "$(metric node_infiniband_port_data_received_bytes_total)" = $((4 * $(<"$port/counters/port_rcv_data"))) ]
	[ "$(metric node_infiniband_port_packets_received_total)" = "$(<"$port/counters/port_rcv_packets")" ]
	[ "$(metric node_infiniband_unicast_packets_transmitted_total)" = "$(<"$port/counters/unicast_xmit_packets")" ]
	[ "$(metric node_infiniband_unicast_packets_transmitted_total)" -gt 400 ]
	[ "$(metric node_infiniband_link_downed_total)" = "$(<"$port/counters/link_downed")" ]
	[ "$(metric node_infiniband_state_id)" = 4 ]
	[ "$(metric node_infiniband_physical_state_id)" = 5 ]
	[ "$(metric node_infiniband_rate_bytes_per_second)" = 12500000000 ]
	grep "node_infiniband_info{.*firmware_version=\"$(<"/sys/class/infiniband/$dev/fw_ver")\".*hca_type=\"$(<"/sys/class/infiniband/$dev/hca_type")\"" $METRICS
}

ethtool_values()
{
	local name now

	for name in rx_packets_phy tx_bytes_phy rx_prio0_packets tx_vport_rdma_unicast_packets rx_out_of_buffer; do
		scrape
		now=$(metric "node_ethtool_$(sed 's/^rx_/received_/; s/^tx_/transmitted_/' <<<"$name")")
		echo "$name: $now"
		[ "$now" -le "$(counter $name)" ]
		[ "$now" -gt 0 ] || [ $name = rx_out_of_buffer ]
	done
}

ktap_setup ready
ktap_test infiniband.names "node_exporter shows the counters of the RDMA port" infiniband_names
ktap_test infiniband.values "they are those of sysfs, in bytes" infiniband_values
ktap_test ethtool "and those of ethtool -S" ethtool_values
ktap_end
