# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The PF of a card whose VF another guest, a, has. To be sourced on the guest of the PF; the first two are for that of the VF.
#
#   vf_id		the PCI device ID of the VF
#   pf TEXT		run it on the guest of the PF, b, with the modules of this one
#   pf_prepare DEVICE	the PF gets the capability SR-IOV, for two VFs of this PCI device ID; no driver is loaded
#   pf_vfs N		N VFs, which nothing drives on this guest
#   pf_forget		the capability goes
#   pf_log		what the driver has logged of them

SHIM=/cxr/build/${CXR_KERNEL:-}-kmod/sriov_shim.ko

pf_device() { echo "/sys/bus/pci/devices/$(driver_bdfs | head -n 1)"; }

vf_id() { cat "$(pf_device)/device"; }
pf() { peer "CXR_MODULES=$CXR_MODULES; . selftests/lib/sriov.sh; $*"; }

# The kernel looks for capabilities of a device that it finds
pf_find_again()
{
	echo 1 >"$(pf_device)/remove"
	echo 1 >/sys/bus/pci/rescan
	[ -e "$(pf_device)/config" ]
}

pf_prepare() # DEVICE
{
	[ ! -e "$(pf_device)/sriov_totalvfs" ] || return 0
	[ -d /sys/module/sriov_shim ] || insmod "$SHIM" device="$(driver_bdfs | head -n 1)" vfs=2 vf_device="$1" || return
	pf_find_again && [ "$(cat "$(pf_device)/sriov_totalvfs")" = 2 ]
}

pf_vfs() # N
{
	local there

	there=$(cat "$(pf_device)/sriov_numvfs") || return
	[ "$there" != "$1" ] || return 0
	echo 0 >"$(pf_device)/sriov_drivers_autoprobe"
	echo "$1" >"$(pf_device)/sriov_numvfs"
}

pf_forget()
{
	[ -d /sys/module/sriov_shim ] || return 0
	driver_unload
	rmmod sriov_shim && pf_find_again
}

pf_log() { dmesg | grep -i "sriov_numvfs\|VFs\|vf_roce" | tail -n 3; }
