#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Executes the examples of the guide's page on LAG, which needs a card with two ports; guide.sh does the other pages.
# guests: 2
# takes: 50
# turn: yes
# functions: 2
# drivers: cxr
# kernels: 6.1 6.12 7.2
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/transcript.sh"

# systemd-networkd without the rest of systemd needs udev, a machine-id and a writable configuration folder
# shellcheck disable=SC2317 # also runs on the peer
networkd_prepare()
{
	mount -t tmpfs networks /etc/systemd/network
	tr -d - </proc/sys/kernel/random/uuid >/run/machine-id
	mount --bind /run/machine-id /etc/machine-id
	mkdir -p /run/systemd/netif
	chown systemd-network /run/systemd/netif
	cat >/run/transcript/bin/systemctl <<-'END'
	#!/bin/bash
	[ "$*" = "restart systemd-networkd" ] || { echo "systemctl $*: not supported in a guest" >&2; exit 1; }
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

# Set-up: two machines, each with both ports of a card
two_machines()
{
	[ ! -e /run/transcript ] || restore
	driver_unload
	transcript_prepare
	networkd_prepare
	modprobe bonding max_bonds=0
	driver_load
	peer "set -e; driver_unload; $(declare -f transcript_prepare networkd_prepare); transcript_prepare; networkd_prepare; modprobe bonding max_bonds=0; driver_load"
	# the guide uses the kernel's first interface names
	[ -e /sys/class/net/eth0 ]
	peer "[ -e /sys/class/net/eth0 ]"
}

restore()
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
ktap_finally restore
ktap_end
