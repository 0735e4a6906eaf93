# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The module that uses a device as kernel consumers do (selftests/kmod). Sourced behind ktap.sh.

KVERBS=/cxr/build/$CXR_KERNEL-kmod/kverbs.ko

kverbs() # DEVICE TEST
{
	local said

	if said=$(insmod "$KVERBS" "devices=$1" "test=$2" 2>&1); then rmmod kverbs; return; fi
	dmesg | sed -n "s/.*kverbs: test: //p" | tail -n 1
	echo "$said"
	# Adapters have all of this; Soft-RoCE and others may be without.
	case $CXR_DRIVER-$said in
	cxr-* | mlx5-*) ;;
	*"Operation not supported"*) skip "the device does not offer it" ;;
	esac
	return 1
}
