# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The test module that uses a device like a kernel ULP (selftests/kmod). To be sourced after ktap.sh.

KVERBS=/cxr/build/$CXR_KERNEL-kmod/kverbs.ko

kverbs() # DEVICE TEST
{
	local said

	if said=$(insmod "$KVERBS" "devices=$1" "test=$2" 2>&1); then rmmod kverbs; return; fi
	dmesg | sed -n "s/.*kverbs: test: //p" | tail -n 1
	echo "$said"
	# Adapters support all of this, Soft-RoCE and others may not.
	case $CXR_DRIVER-$said in
	cxr-* | mlx5-*) ;;
	*"Operation not supported"*) skip "the device does not offer it" ;;
	esac
	return 1
}
