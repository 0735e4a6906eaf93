#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The installation by README's commands with DKMS (selftests/package), in a guest with the files at their installed places: modprobe,
# show_gids, udev.
# guests: 1
# needs: packages
# takes: 20
# functions: 2
# drivers: cxr
# kernels: 6.1 6.12 7.2
# timeout: 400
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/readme.sh"

kept=/cxr/build/package/$CXR_KERNEL

# Set-up: the installed files as an overlay over the guest's /usr, and udev
installed()
{
	[ "$(cat "$kept/stamp" 2>/dev/null)" = "$(selftests/package/stamp)" ] ||
		skip "not installed for kernel $CXR_KERNEL, or outdated: make check-package"
	driver_unload
	mountpoint -q /run/modules || mount_overlay
	udevadm control --ping 2>/dev/null || udev_up
}

# Set-up: the same, and the driver loaded by README's commands
loaded()
{
	installed
	clean_env "$(readme_commands use)"
	wait_until 30 all_loaded
	udevadm settle -t 60
	names >/tmp/names
}

mount_overlay()
{
	modprobe overlay
	mkdir -p /run/modules
	mount -t overlay -o "ro,lowerdir=$kept/usr/lib/modules:/usr/lib/modules" overlay /run/modules
	mount -t overlay -o "ro,lowerdir=$kept/usr:/usr" overlay /usr
	mount --bind /run/modules /usr/lib/modules
}

unmount_overlay()
{
	umount -l /usr/lib/modules
	umount -l /usr
	umount -l /run/modules
	[ ! -e /usr/local/bin/show_gids ]
}

# The next script must find neither udev nor the installed files.
restore()
{
	driver_unload
	if pgrep -f '^systemd-udevd' >/dev/null; then
		udevadm control --exit
		wait_until 20 no_udevd
	fi
	if mountpoint -q /run/modules; then unmount_overlay; fi
}
no_udevd() { ! pgrep -f '^systemd-udevd' >/dev/null; }

# With root's usual PATH instead of the guest's
clean_env() { env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/root bash -ec "$1"; }

all_loaded()
{
	local m

	for m in cxr_core cxr_en cxr_ib; do [ -d /sys/module/$m ] || return; done
	[ "$(driver_ibdevs | wc -l)" = "$CXR_FUNCTIONS" ] && [ "$(driver_netdevs | wc -l)" = "$CXR_FUNCTIONS" ]
}

gids_of_both_versions()
{
	clean_env show_gids >/tmp/gids
	grep -qw v1 /tmp/gids && grep -qw v2 /tmp/gids
}

readme_use()
{
	local m

	ktap_spoilt
	[ -n "$(readme_commands use)" ]
	clean_env "$(readme_commands use)"
	for m in cxr_core cxr_en cxr_ib; do
		case $(modinfo -n $m) in */updates/dkms/$m.ko*) ;; *) fail "$m is $(modinfo -n $m)" ;; esac
		[ "$(modinfo -F signer $m)" = "cxr test key" ]
	done
	all_loaded
	wait_until 20 gids_of_both_versions
	cat /tmp/gids
}

removes()
{
	local m

	ktap_spoilt
	clean_env "modprobe -r cxr_ib cxr_en"
	for m in cxr_core cxr_en cxr_ib; do [ ! -d /sys/module/$m ]; done
	device_is_clean
}

# ---- udev ----------------------------------------------------------------------------------------------------

udev_up()
{
	mkdir -p /run/udev
	(exec -a systemd-udevd udevadm --daemon --resolve-names=never)
	udevadm control --ping
}

# BDF, interface, RDMA device of each function
names()
{
	local bdf

	for bdf in $(driver_bdfs); do
		echo "$bdf $(ls "/sys/bus/pci/devices/$bdf/net") $(ls "/sys/bus/pci/devices/$bdf/infiniband")"
	done
}

# README loads cxr_core only: udev loads the other two by alias, and names the devices.
udev_knows()
{
	local d

	cat /tmp/names
	[ "$(awk '$2 ~ /^en/ && $3 ~ /^rocep/' /tmp/names | wc -l)" = "$CXR_FUNCTIONS" ]
	for d in /sys/class/infiniband/*; do
		udevadm info -q property "$d" | tee /tmp/properties
		grep -qx ID_RDMA_ROCE=1 /tmp/properties
		grep -Eq '^SYSTEMD_WANTS=.*rdma-load-modules@roce.service' /tmp/properties
		ibv_devinfo -d "${d##*/}" | grep 'link_layer:.*Ethernet'
	done
}

# Names depend on the function, not on the bind order.
names_are_stable()
{
	local first second bdf

	first=$(driver_bdfs | sed -n 1p) second=$(driver_bdfs | sed -n 2p)
	for bdf in "$first" "$second"; do echo "$bdf" >/sys/bus/pci/drivers/cxr_core/unbind; done
	for bdf in "$second" "$first"; do echo "$bdf" >/sys/bus/pci/drivers/cxr_core/bind; done
	wait_until 30 all_loaded
	udevadm settle -t 60
	names | diff /tmp/names -
}

ktap_setup installed
ktap_test readme "README's commands load the driver and show the GIDs" readme_use
ktap_setup loaded
ktap_test udev.names "udev names the devices by PCI address and tags them as RoCE" udev_knows
ktap_test udev.order "the names do not depend on the bind order" names_are_stable
ktap_test comes-off "modprobe -r removes all three modules" removes
ktap_finally restore
ktap_end
