# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# For tests that inject faults into the adapter of one function, whose address is in BDF. A device that fails stays dead, since
# auto_recover is off.

LIMIT=/sys/module/cxr_core/parameters/cmd_timeout_ms
case $CXR_DRIVER in mlx5) DRV=/sys/bus/pci/drivers/mlx5_core ;; *) DRV=/sys/bus/pci/drivers/cxr_core ;; esac
before_each() { know_function; }
know_function()
{
	BDF=$(driver_bdfs | head -n 1)
	DEBUG=/sys/kernel/debug/cxr/$BDF
}

fault() { emu fault "$CXR_GUEST" "$@" >/dev/null || fail "the emulator refuses: fault $*"; }
clear_faults() { emu fault clear >/dev/null; }

kmsg_has() { kmsg | grep -qF -- "$1"; }
wait_kmsg() { wait_until "${2:-15}" kmsg_has "$1" || { kmsg; fail "the log has no '$1'"; }; }

bound() { [ -e "$DRV/$BDF" ]; }
is_dead() { [ "$CXR_DRIVER" = cxr ] && grep -q dead "$DEBUG/stage"; }
unbind() { if bound; then echo "$BDF" >"$DRV/unbind"; fi; }
count() { awk -v k="$1" '$1 == k { print $2 }' "$DEBUG/cmd"; }
pages_held() { emu status | sed -n 's/.*pages: \([0-9]*\) held.*/\1/p' | head -n 1; }
held_at_least() { [ "$(pages_held)" -ge "$1" ]; }
held_at_most() { [ "$(pages_held)" -le "$1" ]; }

bind_living()
{
	if bound && is_dead; then unbind; fi
	bound || echo "$BDF" >"$DRV/bind"
}

# Set-up: no faults, the function bound and not dead, netdev and RDMA device up
up()
{
	before_each
	clear_faults
	emu command-us off >/dev/null
	driver_load
	echo 60000 >$LIMIT
	bind_living
	wait_until 30 netdev_there
	wait_until 30 ibdev_there
	driver_net_up
	auto_recover false
}

# Nothing of the driver is left in the functions of this guest
function_is_clean()
{
	local status

	status=$(emu status | awk -v ours="^${CXR_GUEST}[0-9]*:$" '/^function/ { is = $2 ~ ours } /^violation/ { is = 1 } is')
	if grep "objects: [1-9]\|pages: [1-9][0-9]* held" <<<"$status" || ! grep -q "^violations: 0" <<<"$status"; then
		echo "$status"
		return 1
	fi
}

# The card's registers as fw_fatal has dumped them, a byte on each line
crdump() { devlink -j health dump show "pci/$BDF" reporter fw_fatal | sed -n 's/.*"crdump_data":\[\([0-9,]*\)\].*/\1/p' | tr , '\n'; }

auto_recover() { devlink health set "pci/$BDF" reporter fw_fatal auto_recover "$1"; }

# Unbind and bind a dead device
rebind_dead()
{
	local start=$SECONDS

	echo "$BDF" >"$DRV/unbind"
	[ $((SECONDS - start)) -lt $((30 * ${CXR_PATIENCE:-1})) ] || fail "unbind took $((SECONDS - start)) s"
	clear_faults
	up
	must_fail is_dead
}

# Down and up needs commands
run_commands()
{
	ip link set "$(driver_netdev)" down
	ip link set "$(driver_netdev)" up
}

link_is() { [ "$(cat "/sys/class/net/$(driver_netdev)/carrier")" = "$1" ]; }
port_is() { grep -q "$1" "/sys/class/infiniband/$(driver_ibdev)/ports/1/state"; }

# An error of the bits UNCORRECTABLE, as the device would report it: struct aer_error_inj of the kernel's aer_inject. If there can be
# none, it fails and prints why.
pci_error() # UNCORRECTABLE
{
	local bus=${BDF#*:} u=$1

	modprobe aer_inject 2>/dev/null || { echo "this kernel has no aer_inject"; return 1; }
	# shellcheck disable=SC2059
	printf "$(printf '\\x%02x\\x00\\x00\\x00\\x%02x\\x%02x\\x%02x\\x%02x' "0x${bus%%:*}" $((u & 255)) $((u >> 8 & 255)) \
		$((u >> 16 & 255)) $((u >> 24)))$(printf '\\x00%.0s' {1..24})" >/run/aer
	dd if=/run/aer of=/dev/aer_inject bs=32 count=1 status=none || { echo "the root port does not take errors"; return 1; }
}
