#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# As odp.sh, on a card whose page faults are of the memory scheme: they name memory, not requests.
# guests: 1
# card: cx6dx,devx,odp=memory
# takes: 90
# turn: yes
# drivers: cxr mlx5
# timeout: 900
export CXR_ODP=memory	# what odp.py expects

# shellcheck source=selftests/vm/odp.sh
. "$(dirname "$0")/odp.sh"
