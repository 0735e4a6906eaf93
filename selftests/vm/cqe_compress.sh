#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The private flag rx_cqe_compress: completions of received packets come several in a CQE, and the packets are as they were sent.
# guests: 2
# takes: 60
# turn: yes
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

PORT=5005

flag() { ethtool --show-priv-flags "$netdev" | sed -n 's/^rx_cqe_compress *: //p'; }
set_flag() { ethtool --set-priv-flags "$netdev" rx_cqe_compress "$1" && [ "$(flag)" = "$1" ]; } # on|off
rxhash() { ethtool -k "$netdev" | sed -n 's/^receive-hashing: \([a-z]*\).*/\1/p'; }

ready()
{
	driver_unload
	ends_up 1500
	ends_know
}

before_each()
{
	ends_know
	reachable
}

# Of all queues
total() { ethtool -S "$netdev" | awk -v name="cqe_compress_$1:" '$1 ~ "^rx[0-9]+_" name "$" { n += $2 } END { print n + 0 }'; } # blks|pkts

# Completions of this guest that the adapter has compressed
compressed() { emu status | sed -n "/^function $CXR_GUEST/,/^function [^$CXR_GUEST]/s/.*compressed completions: //p"; }

# Bursts of datagrams from the peer, each of which arrives as it was sent
bursts()
{
	local sent received

	run_python "$PWD/selftests/lib/datagrams.py" receive $PORT 80 >/tmp/received &
	received=$!
	wait_until 20 listens
	sent=$(peer "run_python $PWD/selftests/lib/datagrams.py send $(my_ip) $PORT 100 $(printf '1930 %.0s' {1..4})")
	wait $received
	[ "$(sort </tmp/received)" = "$(sort <<<"$sent")" ]
}

listens() { ss -Hlun "sport = :$PORT" | grep -q .; }

off_by_default()
{
	[ "$(flag)" = off ]
	[ "$(rxhash)" = on ]
	bursts
	[ "$(total pkts)" = 0 ]
	[ "$(compressed)" = 0 ]
}

# What the interface has expanded is what the adapter has compressed
counted()
{
	local of_driver of_adapter blocks

	set_flag on
	of_driver=$(total pkts)
	of_adapter=$(compressed)
	blocks=$(total blks)
	"$@"
	of_driver=$(($(total pkts) - of_driver))
	of_adapter=$(($(compressed) - of_adapter))
	blocks=$(($(total blks) - blocks))
	echo "$of_driver packets in $blocks CQEs, compressed by the adapter: $of_adapter"
	[ "$of_driver" -ge 50 ] && [ "$blocks" -ge 1 ] && [ $((2 * blocks)) -le "$of_driver" ] && [ "$of_driver" = "$of_adapter" ]
}

# The smallest queue: sessions go over its end
small_rings()
{
	ethtool -G "$netdev" rx 64
	counted tcp_both_ways 1M
	ethtool -G "$netdev" rx 1024
}

hash_is_off()
{
	set_flag on
	[ "$(rxhash)" = off ]
	set_flag off
	[ "$(rxhash)" = on ]
}

# Under traffic
switched()
{
	local try loop

	for try in 1 2 3; do
		set_flag on
		set_flag off
	done &
	loop=$!
	tcp_both_ways 1M
	wait $loop
	set_flag off
}

plain_again()
{
	local before

	set_flag on
	set_flag off
	before=$(compressed)
	bursts
	[ "$(compressed)" = "$before" ]
}

# Packets of a session have one time
timestamps()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver has another queue for packets of PTP"
	set_flag on
	must_fail hwstamp_ctl -i "$netdev" -r 1
	hwstamp_ctl -i "$netdev" -t 1 -r 0
	set_flag off
	hwstamp_ctl -i "$netdev" -r 1
	must_fail ethtool --set-priv-flags "$netdev" rx_cqe_compress on
	[ "$(flag)" = off ]
	hwstamp_ctl -i "$netdev" -t 0 -r 0
	set_flag on
}

told()
{
	[ "$CXR_DRIVER" = cxr ] || skip "about the reports of this driver"
	set_flag on
	compression_is true
	set_flag off
	compression_is false
}

compression_is() # true|false
{
	local port

	port=$(devlink port show | sed -n "s/: .* netdev $netdev .*//p")
	devlink -j health diagnose "$port" reporter rx | grep -q "\"CQE compression\":$1"
}

# As it was before a reset
recovers()
{
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver comes back with another interface"
	set_flag on
	ends_crash a
	[ "$(flag)" = on ]
	[ "$(rxhash)" = off ]
	counted bursts
}

# A driver that nobody has set anything of
ready_anew() { ready; }

ktap_setup ready_anew
ktap_test default "the flag is off, and nothing is compressed" off_by_default
ktap_setup ready
# changes: rxQ_cqe_compress_blks rxQ_cqe_compress_pkts
ktap_test bursts "datagrams of bursts are received in compressed CQEs" counted bursts
ktap_test tcp "a stream of TCP, too, with the same data" counted tcp_both_ways 1M
ktap_test wraps "rings of 64: compressed CQEs go over the end of the queue" small_rings
ktap_test rxhash "the hash of packets is off meanwhile" hash_is_off
ktap_test switched "the flag changes while there is traffic" switched
ktap_test off "without the flag nothing is compressed any more" plain_again
ktap_test timestamps "the flag and timestamps of received packets exclude each other" timestamps
ktap_test told "the reporter tells of it" told
ktap_test recovers "the flag outlives a reset of the device" recovers
ktap_end
