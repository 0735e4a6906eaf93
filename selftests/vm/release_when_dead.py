#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Releases an object with a command that the device does not answer: it dies meanwhile, and the release succeeds.

usage: release_when_dead.py mr|group DEVICE GID-INDEX
"""
import os
import sys

from pyverbs import enums as e
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QPAttr

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from sides import ALL, ATTACH, DETACH, PORT, UMR_PAGES, Scattered, Side, membership  # noqa: E402


def main(what, name, gid):
    ctx = Context(name=name)
    if what == "mr":
        memory = Scattered(UMR_PAGES + 1)   # of so many pages keys are destroyed, not kept
        MR(PD(ctx), memory.size, ALL, memory.address).close()
        return 0
    side = Side(ctx, int(gid), kind=e.IBV_QPT_UD)
    side.qp.to_rts(QPAttr(port_num=PORT))
    assert membership(ctx, ATTACH) == 1
    try:
        assert membership(ctx, DETACH) == 1
    finally:
        side.qp.close()
    return 0


sys.exit(main(*sys.argv[1:]))
