#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What users in the kernel get on cards with other capabilities, tested by the module in selftests/kmod.
# guests: 1
# takes: 20
# drivers: cxr mlx5
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/kverbs.sh"

on_card() # CAPABILITY VALUE TEST
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: not a guest of scripts/vm"
	trap 'driver_unload; emu fault clear' EXIT
	driver_unload
	emu fault "$CXR_GUEST" cap "$1" "$2"
	driver_up
	kverbs "$(driver_ibdev)" "$3"
}

no_registration()
{
	[ "$CXR_DRIVER" != mlx5 ] || skip "the in-tree driver makes such MRs, but does not announce them"
	on_card umr_modify_entity_size_disabled 1 no_registration
}

ktap_test registration.atomic "a fast registration with atomic access is refused where UMRs cannot set it" \
	on_card umr_modify_atomic_disabled 1 no_atomic_registration
ktap_test registration.none "where UMRs cannot change lists there is no fast registration" no_registration
ktap_test reads "READs into more pieces than a card does well are by an MR" \
	on_card max_sgl_for_optimized_performance 3 registered_reads
ktap_finally driver_unload
ktap_end
