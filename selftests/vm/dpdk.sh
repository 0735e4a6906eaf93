#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# DPDK's testpmd over its mlx5 driver, which uses the RDMA device beside the kernel's interface: it receives, sends, spreads and steers packets.
# guests: 2
# cpus: 2
# takes: 100
# turn: yes
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# timeout: 500
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/programs.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

PMD=/run/testpmd	# its commands
LOG=/tmp/testpmd
PORT=4000		# of UDP; the next is for the rule

ready()
{
	pkill -KILL -x dpdk-testpmd || true
	programs_up
	ends_up 1500
}

before_each() { ends_know; }

# testpmd with ARGUMENTS of the device and QUEUES, waiting for commands. It asks for compressed CQEs by default.
pmd_starts() # QUEUES [ARGUMENTS]
{
	rm -rf $PMD $LOG
	mkfifo $PMD
	true >$LOG
	# by lines, lest they be torn apart by prompts
	program stdbuf -oL dpdk-testpmd -l 0-1 --no-huge -m 200 --iova-mode va -a "$(driver_bdfs)${2:+,$2}" -- \
		-i --total-num-mbufs=2048 --rxq="$1" --txq="$1" --rss-udp <>$PMD >$LOG 2>&1 &
	PMD_PID=$!
	wait_until 60 prompts 1 && ! grep -a 'Fail to start' $LOG || { tail -n 20 $LOG; return 1; }
}

prompts() { [ "$(grep -ao 'testpmd>' $LOG | wc -l)" -ge "$1" ]; } # NUMBER

# COMMAND; its output is behind the earlier ones in LOG
pmd() # COMMAND...
{
	local n

	n=$(grep -ao 'testpmd>' $LOG | wc -l)
	echo "$*" >$PMD
	wait_until 20 prompts $((n + 1))
}

pmd_ends()
{
	echo quit >$PMD
	wait "$PMD_PID"
	grep -a 'packets\|Port 0\|queue' $LOG | tail -n 30
}

# N datagrams from b to each of PORTS, from different source ports
datagrams() # N PORTS...
{
	local n=$1 port

	shift
	for port; do peer "for i in \$(seq $n); do echo data >/dev/udp/$(my_ip)/$port; done"; done
}

# testpmd receives while COMMAND runs. The kernel does not answer for its address meanwhile.
listen() # COMMAND...
{
	pmd set verbose 1
	pmd set fwd rxonly
	pmd start
	peer "ip neigh replace $(my_ip) lladdr $mac dev $peer_netdev"
	"$@"
	peer "ip neigh del $(my_ip) dev $peer_netdev"
	nap 1
	pmd stop
}

# The number of datagrams that testpmd has received on QUEUE (all): it has printed a line for each when it ends. b's kernel may ask
# for a neighbour as well.
received() { grep -ac "src=${peer_mac^^} - dst=${mac^^} .*Destination UDP port=.*Receive queue=${1:-0x}" $LOG; } # [QUEUE]

# Receive N datagrams to each of PORTS
receive() # N PORTS...
{
	listen datagrams "$@"
	pmd_ends
	echo "queue 0: $(received 0x0), queue 1: $(received 0x1)"
}

receives() # [ARGUMENTS]
{
	pmd_starts 1 "${1:-}"
	receive 50 $PORT
	[ "$(received)" = 50 ]
	kernel_again
}

# Bursts, whose last datagram is shorter: the length is what compressed CQEs tell of each
bursts() # [ARGUMENTS]
{
	pmd_starts 1 "${1:-}"
	listen peer "run_python $PWD/selftests/lib/datagrams.py send $(my_ip) $PORT 100 $(printf '1930 %.0s' {1..10}) >/dev/null"
	pmd_ends
	[ "$(received)" = 200 ]
	[ "$(grep -ac "length=142 .*UDP port=$PORT" $LOG)" = 190 ]
	[ "$(grep -ac "length=72 .*UDP port=$PORT" $LOG)" = 10 ]
}

# Completions of this guest that the adapter has compressed
compressed() { emu status | sed -n "/^function $CXR_GUEST/,/^function [^$CXR_GUEST]/s/.*compressed completions: //p"; }

bursts_compressed()
{
	local before

	before=$(compressed)
	bursts
	[ $(($(compressed) - before)) -ge 100 ]
}

bursts_plain()
{
	local before

	before=$(compressed)
	bursts rxq_cqe_comp_en=0
	[ "$(compressed)" = "$before" ]
}

# The interface of the kernel has its packets back
kernel_again() { reachable; }

transmits() # [ARGUMENTS]
{
	local before after

	pmd_starts 1 "${1:-}"
	pmd set fwd txonly
	pmd set txpkts 200
	pmd set eth-peer 0 "$peer_mac"
	before=$(peer "cat /sys/class/net/$peer_netdev/statistics/rx_packets")
	pmd start
	nap 2
	pmd stop
	after=$(peer "cat /sys/class/net/$peer_netdev/statistics/rx_packets")
	pmd_ends
	echo "received by the other end: $((after - before))"
	[ $((after - before)) -gt 100 ]
	kernel_again
}

# By the hash of addresses and ports both queues get some
spreads() # [ARGUMENTS]
{
	pmd_starts 2 "${1:-}"
	receive 60 $PORT
	[ "$(received)" = 60 ]
	[ "$(received 0x0)" -ge 10 ] && [ "$(received 0x1)" -ge 10 ]
}

# A rule puts one port's datagrams into queue 1 with a mark, and another drops a port's
steers() # [ARGUMENTS]
{
	pmd_starts 2 "${1:-}"
	pmd "flow create 0 ingress pattern eth / ipv4 / udp dst is $PORT / end actions mark id 77 / queue index 1 / end"
	pmd "flow create 0 ingress pattern eth / ipv4 / udp dst is $((PORT + 1)) / end actions drop / end"
	receive 40 $PORT $((PORT + 1)) $((PORT + 2))
	[ "$(grep -ac 'Flow rule #[0-9]* created' $LOG)" = 2 ] || { tail -n 20 $LOG; return 1; }
	[ "$(received)" = 80 ]
	[ "$(grep -ac "FDIR matched ID=0x4d .*UDP port=$PORT .*queue=0x1" $LOG)" = 40 ]
}

# Bytes that testpmd has received of the datagrams
lengths() { sed -n "s/.*length=\([0-9]*\) .*UDP port=$PORT .*/\1/p" $LOG | awk '{ sum += $1 } END { print sum }'; }

# Datagrams of 5 bytes, which the counter of a rule counts with their headers
counts()
{
	pmd_starts 1 dv_flow_en=0
	pmd "flow create 0 ingress pattern eth / ipv4 / udp dst is $PORT / end actions count / queue index 0 / end"
	listen datagrams 30 $PORT
	pmd flow query 0 0 count
	pmd_ends
	grep -a 'hits' -A 3 $LOG
	[ "$(received)" = 30 ]
	grep -aq 'hits: 30' $LOG
	grep -aq "bytes: $(lengths)$" $LOG
}

# Nothing is left of a process that is killed, and the kernel's interface has its packets back
killed() # [ARGUMENTS]
{
	pmd_starts 2 "${1:-}"
	pmd start
	pkill -KILL -x dpdk-testpmd
	wait "$PMD_PID" || true
	programs_left_nothing
	kernel_again
}

ktap_setup ready
ktap_test receives "testpmd receives what the other end sends" receives
ktap_test receives.verbs "the same with rules by verbs, not by libmlx5" receives dv_flow_en=0
ktap_test bursts "bursts are received in compressed CQEs" bursts_compressed
ktap_test bursts.plain "and in plain ones, if testpmd is told so" bursts_plain
ktap_test transmits "testpmd sends, and the other end receives" transmits
ktap_test spreads "packets are spread over the queues by their hash" spreads
ktap_test steers "rules mark packets, put them into a queue, and drop them" steers
ktap_test steers.verbs "the same with rules by verbs" steers dv_flow_en=0
ktap_test counts.verbs "a rule by verbs counts packets and bytes" counts
ktap_test killed "testpmd is killed: nothing is left, the interface works" killed
! declare -F more >/dev/null || more
ktap_finally programs_down
ktap_end
