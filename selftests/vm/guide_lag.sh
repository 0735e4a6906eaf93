#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The guide's page of bonds, as somebody with a card of two ports follows it: guide.sh has the others.
# guests: 2
# takes: 50
# functions: 2
# drivers: cxr
# kernels: 6.1 6.12 7.2
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/transcript.sh"

# systemd-networkd without the rest of systemd: udev without rules of its own, an identity of the machine, a folder to write to
# shellcheck disable=SC2317 # the peer has it, too
networkd_prepare()
{
	mount -t tmpfs networks /etc/systemd/network
	tr -d - </proc/sys/kernel/random/uuid >/run/machine-id
	mount --bind /run/machine-id /etc/machine-id
	mkdir -p /run/systemd/netif
	chown systemd-network /run/systemd/netif
	cat >/run/transcript/bin/systemctl <<-'END'
	#!/bin/bash
	[ "$*" = "restart systemd-networkd" ] || { echo "systemctl $*: this is none of a guest" >&2; exit 1; }
	pkill -x systemd-network
	/usr/lib/systemd/systemd-udevd --daemon >/dev/null 2>&1
	/usr/bin/udevadm trigger --settle --subsystem-match=net || exit
	setsid /usr/lib/systemd/systemd-networkd </dev/null >/run/transcript/networkd.log 2>&1 &
	END
	chmod +x /run/transcript/bin/systemctl
}

# shellcheck disable=SC2317
networkd_end()
{
	pkill -x systemd-network || true
	pkill -x systemd-udevd || true
	ip link del bond0 2>/dev/null || true
	umount /etc/systemd/network /etc/machine-id 2>/dev/null || true
	rm -r /run/transcript
	driver_unload
}

# A set-up: two machines, each with the two ports of a card
two_machines()
{
	[ ! -e /run/transcript ] || as_it_was
	driver_unload
	transcript_prepare
	networkd_prepare
	modprobe bonding max_bonds=0
	driver_load
	peer "set -e; driver_unload; $(declare -f transcript_prepare networkd_prepare); transcript_prepare; networkd_prepare; modprobe bonding max_bonds=0; driver_load"
	# the guide's names of the interfaces are the kernel's first ones
	[ -e /sys/class/net/eth0 ]
	peer "[ -e /sys/class/net/eth0 ]"
}

as_it_was()
{
	networkd_end
	peer "$(declare -f networkd_end); networkd_end"
}

page()
{
	ktap_spoilt
	transcript_page Documentation/guide/lag.rst
}

ktap_setup two_machines
KTAP_TIMEOUT=300 ktap_test page "the examples of lag.rst work as documented" page
ktap_finally as_it_was
ktap_end
