#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The kernel's own tests of network drivers (tools/testing/selftests/drivers/net of the same kernel) between two guests. What each of
# their cases has to say is in selftests/kernel_net.tsv.
# guests: 2
# cpus: 10
# capture: no
# takes: 1500
# timeout: 6000
# when: long
# kernels: 6.12 7.2
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

FROM=$(cd "$KTAP_DIR/../.." && pwd)/build/net-tests/$CXR_KERNEL
PROGRAMS=$FROM/tools/testing/selftests/drivers/net
SAID=/run/kernel_net
here=$(cd "$(dirname "$0")" && pwd)

before_each() { ends_know; }

ready()
{
	case $(uname -r) in "$CXR_KERNEL".*) ;; *) skip "another kernel has taken the place of this one, and has other tests" ;; esac
	[ -e "$PROGRAMS/ping.py" ] || fail "the tests are not in $PROGRAMS: scripts/check puts them there (LONG=1)"
	ends_up 1500
	ends_know
	rm -rf $SAID
	mkdir -p $SAID/bin
	cp selftests/lib/net_tests_ssh $SAID/bin/ssh
	cp selftests/lib/net_tests_ssh $SAID/bin/scp
	# the tests end a program by ending its shell, which is to have become the program
	mountpoint -q /usr/bin/dash || mount --bind /usr/bin/bash /usr/bin/dash
	sysctl -qw "net.ipv6.conf.$netdev.keep_addr_on_down=1"
	modprobe pppoe	# merges packets of PPPoE from 7.2 on
	if [ "$CXR_DRIVER" = mlx5 ]; then ethtool -K "$netdev" ntuple on; fi
}

# A program, all of whose cases have to end as the record says
program() # NAME
{
	local name

	name=$(basename "$1")
	[ -e "$PROGRAMS/$1.py" ] || skip "this kernel has no such test"
	NETIF=$netdev LOCAL_V4=$(my_ip) LOCAL_V6=$(my_ip6) REMOTE_V4=$(peer_ip) REMOTE_V6=$(peer_ip6) REMOTE_TYPE=ssh REMOTE_ARGS=b \
		PATH=$SAID/bin:$PATH PYTHONPATH=$FROM/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$FROM/usr/lib/x86_64-linux-gnu \
		python3 -B -u "$here/kernel_net.py" run "$PWD/selftests/kernel_net.tsv" "$PROGRAMS/$1.py" 2>&1 | tee "$SAID/$name" | sed -u -n 's/^\(not \)*ok /# &/p' || true
	python3 -B "$here/kernel_net.py" judge selftests/kernel_net.tsv "$name" "$SAID/$name" || { cat "$SAID/$name"; fail "$1.py"; }
}

export KTAP_TIMEOUT=900
ktap_setup ready
ktap_test ping "ping.py: IPv4, IPv6 and TCP, also with XDP programs" program ping
ktap_test queues "queues.py: queues come and go, and netlink has as many as sysfs" program queues
ktap_test rings "ring_reconfig.py: channels and ring sizes" program ring_reconfig
ktap_test stats "stats.py: statistics by netlink, of the interface and of its queues" program stats
ktap_test napi.id "napi_id.py: sockets know the NAPI of their queue" program napi_id
ktap_test xdp "xdp.py: what XDP programs do with packets" program xdp
ktap_test csum "csum.py: checksums that the device verifies and inserts" program hw/csum
ktap_test tso "tso.py: segmentation of TCP, also in tunnels" program hw/tso
ktap_test uso "uso.py: segmentation of UDP" program hw/uso
ktap_test gro "gro.py: packets that are merged, and that are not" program gro
ktap_test hds "hds.py: split of headers and data" program hds
ktap_test shaper "shaper.py: rates by netlink" program shaper
ktap_test ntuple "ntuple.py: rules for received packets" program hw/ntuple
ktap_test irq "irq.py: interrupts, their affinity and XPS" program hw/irq
ktap_test rss.api "rss_api.py: RSS by netlink" program hw/rss_api
ktap_test rss.driver "rss_drv.py: RSS and numbers of queues" program hw/rss_drv
KTAP_TIMEOUT=2400 ktap_test rss.contexts "rss_ctx.py: key, table, and contexts" program hw/rss_ctx
ktap_test rss.label "rss_flow_label.py: hash of the IPv6 flow label" program hw/rss_flow_label
ktap_test rss.symmetric "rss_input_xfrm.py: symmetric hashing" program hw/rss_input_xfrm
ktap_test stamps "nic_timestamp.py: timestamps of the device" program hw/nic_timestamp
ktap_test xdp.metadata "xdp_metadata.py: what programs learn of a packet" program hw/xdp_metadata
ktap_end
