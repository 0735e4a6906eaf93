# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Sleep of a guest's system, up to the point at which the machine would stop: all devices go through the same as in a real sleep, and the
# adapter is in D3. Only the virtio devices stay awake, as the shares of a guest would not survive.
#
#   sleep_ready [refuse=1]	skips without support in the kernel; refuse=1: a device fails late, so that all others wake up again
#   sleeps mem|disk		to S3, or for the image of a hibernation
#   sleep_done			undo sleep_ready

POWER=/sys/power

virtio_devices()
{
	local d

	for d in /sys/bus/pci/devices/*; do
		if [ "$(<"$d/vendor")" = 0x1af4 ]; then echo "${d##*/}"; fi
	done | paste -sd,
}

sleep_done() { ! grep -q '^awake ' /proc/modules || rmmod awake; }

sleep_ready()
{
	[ -e $POWER/pm_test ] && grep -qF '[deep]' $POWER/mem_sleep || skip "this kernel cannot test its sleep"
	sleep_done
	insmod "/cxr/build/$CXR_KERNEL-kmod/awake.ko" devices="$(virtio_devices)" "$@"
	echo 2 >/sys/module/suspend/parameters/pm_test_delay
}

# With mem the clocks stop, too.
sleeps()
{
	local code=0

	if [ "$1" = mem ]; then echo core >$POWER/pm_test; else echo platform >$POWER/pm_test; fi
	echo "$1" >$POWER/state || code=1
	echo none >$POWER/pm_test
	return $code
}
