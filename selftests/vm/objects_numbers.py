# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Rows of objects.py: objects whose number the card gives to another one at once (cxemu --numbers reuse).
"""
import os
import time

from pyverbs import enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wq import WQ, WQInitAttr

import gids
from rows import Skip, driver, row


class Owner:
    """A context with what objects need"""

    def __init__(self, name):
        self.ctx = Context(name=name)
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 15, None, None, 0)

    def another_cq(self):
        return CQ(self.ctx, 15, None, None, 0)

    def srq(self):
        return SRQ(self.pd, SrqInitAttr(SrqAttr(max_wr=16, max_sge=1)))

    def qp(self, kind=e.IBV_QPT_RC):
        cap = QPCap(max_send_wr=16, max_recv_wr=16, max_send_sge=1, max_recv_sge=1)
        return QP(self.pd, QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, cap=cap))

    def raw_qp(self):
        return self.qp(e.IBV_QPT_RAW_PACKET)

    def wq(self):
        return WQ(self.ctx, WQInitAttr(wq_context=None, wq_pd=self.pd, wq_cq=self.cq, wq_type=e.IBV_WQT_RQ, max_wr=16, max_sge=1))


def destroyer(name, create, begin, ready):
    """A process that creates an object, and destroys it when told to"""
    owner = Owner(name)
    obj = create(owner)
    os.write(ready, b"r")
    os.read(begin, 1)
    obj.close()
    os._exit(0)


def create_meanwhile(name, create, nth):
    """
    Create an object when the card has destroyed another one of its kind, but the driver does not know: the event of the @nth
    command of the destruction is lost, which the driver notices after a second.
    """
    if driver() != "cxr":
        raise Skip("needs a driver that notices a lost event within a second")
    emulator = gids.Emulator()
    begin, begin_end = os.pipe()
    ready_end, ready = os.pipe()
    child = os.fork()
    if not child:
        try:
            destroyer(name, create, begin, ready)
        finally:
            os._exit(1)
    owner = Owner(name)
    try:
        assert os.read(ready_end, 1) == b"r"
        emulator.ask(f"fault {os.environ['CXR_GUEST']} event cmd lose nth={nth}")
        os.write(begin_end, b"b")
        end = time.monotonic() + 20
        while "done 1" not in emulator.ask("fault list"):
            assert time.monotonic() < end, "the object was not destroyed"
        obj = create(owner)
    finally:
        emulator.ask("fault clear")
        _, status = os.waitpid(child, 0)
    assert status == 0
    obj.close()


@row("number.cq", "a CQ can get the number of one whose destruction has not returned")
def number_cq(ctx, _):
    create_meanwhile(ctx.name, Owner.another_cq, 1)


@row("number.qp", "a QP can get the number of one whose destruction has not returned")
def number_qp(ctx, _):
    create_meanwhile(ctx.name, Owner.qp, 1)


@row("number.srq", "an SRQ can get the number of one whose destruction has not returned")
def number_srq(ctx, _):
    create_meanwhile(ctx.name, Owner.srq, 1)


@row("number.wq", "a WQ can get the number of one whose destruction has not returned")
def number_wq(ctx, _):
    create_meanwhile(ctx.name, Owner.wq, 1)


@row("number.raw", "a raw packet QP can get the number of one whose destruction has not returned")
def number_raw(ctx, _):
    """the commands are DESTROY_TIR, DESTROY_RQ, and DESTROY_SQ, whose number is that of the QP"""
    create_meanwhile(ctx.name, Owner.raw_qp, 3)
