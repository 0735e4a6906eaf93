# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Ends of connections whose memory comes and goes, and the kernel's counters of that."""
import json
import mmap
import os
import subprocess
import threading

from pyverbs import enums as e
from pyverbs.device import Context
from pyverbs.qp import QP, QPCap, QPInitAttrEx
from pyverbs.wr import SendWR
from pyverbs.xrcd import XRCD, XRCDInitAttr
from anonymous import Memory
import rows
from sides import ALL, SIGNALED, Side, path_attr, xrc_srq

PAGE = mmap.PAGESIZE
ODP = e.IBV_ACCESS_ON_DEMAND


def text_of(length, seed=7):
    return bytes((i * seed + i // 251) & 0xff for i in range(length))


class End(Side):
    """A side whose memory comes and goes"""

    def __init__(self, ctx, gid, access=ALL | ODP, pages=8, **what):
        memory = Memory(pages)
        super().__init__(ctx, gid, access=access, memory=memory, **what)

    def has(self, text, offset=0):
        got = self.memory.read(len(text), offset)
        assert got == text, f"{got[:16]!r}... instead of {text[:16]!r}..."


def ends(name, gid, **what):
    ctx = Context(name=name)
    a, b = End(ctx, gid, **what), End(ctx, gid, **what)
    a.connect(b)
    b.connect(a)
    return a, b


def pinned_and(name, gid, **what):
    """A side with pinned memory, and one whose memory comes and goes"""
    ctx = Context(name=name)
    a, b = Side(ctx, gid, size=8 * PAGE), End(ctx, gid, **what)
    a.connect(b)
    b.connect(a)
    return a, b


def counters():
    """{counter: sum over all MRs} of `rdma statistic`"""
    if rows.kernel() == "6.1":
        raise rows.Skip("this kernel does not show counters of MRs to rdma")
    out = subprocess.run(["rdma", "-j", "statistic", "show", "mr"], check=True, capture_output=True, text=True).stdout
    sums = {"page_faults": 0, "page_invalidations": 0, "page_prefetch": 0}
    for mr in json.loads(out or "[]"):
        for counter in sums:
            sums[counter] += int(mr.get(counter, 0))
    return sums


def prefetched():
    return 0 if rows.kernel() == "6.1" else counters()["page_prefetch"]


class Xrc:
    """A connection of XRC whose ends have memory that comes and goes, and an SRQ at one of them"""

    def __init__(self, ctx, gid):
        self.domain = XRCD(ctx, XRCDInitAttr(e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS, os.O_CREAT, -1))
        self.a, self.b = End(ctx, gid), End(ctx, gid)
        self.srq = xrc_srq(ctx, self.b.pd, self.domain, self.b.cq)
        self.target = QP(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_XRC_RECV, comp_mask=e.IBV_QP_INIT_ATTR_XRCD, xrcd=self.domain))
        self.source = QP(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_XRC_SEND, comp_mask=e.IBV_QP_INIT_ATTR_PD, pd=self.a.pd, scq=self.a.cq,
                                           cap=QPCap(max_send_wr=16, max_recv_wr=0, max_recv_sge=0)))
        self.target.to_rts(path_attr(ctx, gid, self.source.qp_num))
        self.source.to_rts(path_attr(ctx, gid, self.target.qp_num))

    def do(self, opcode, length, offset=0, add=None):
        wr = SendWR(wr_id=2, opcode=opcode, num_sge=1, sg=[self.a.sge(length, offset)], send_flags=SIGNALED)
        wr.set_qp_type_xrc(self.srq.get_srq_num())
        if add is not None:
            wr.set_wr_atomic(self.b.mr.rkey, self.b.mr.buf, add, 0)
        elif opcode != e.IBV_WR_SEND:
            wr.set_wr_rdma(self.b.mr.rkey, self.b.mr.buf)
        self.source.post_send(wr)
        self.a.wait()


def taken_back():
    """Pages of all MRs; always 0 on a kernel that does not show them"""
    return 0 if rows.kernel() == "6.1" else counters()["page_invalidations"]


class WhileGoing:
    """Calls do() over and over in a thread while the body runs, which must take pages back"""

    def __init__(self, do):
        self.do = do
        self.stop = threading.Event()
        self.failed = None
        self.thread = threading.Thread(target=self.loop)
        self.before = taken_back()

    def loop(self):
        try:
            while not self.stop.is_set():
                self.do()
        except Exception as err:  # pylint: disable=broad-exception-caught
            self.failed = err

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *what):
        self.stop.set()
        self.thread.join(20)
        if what[0]:
            return
        assert not self.thread.is_alive() and not self.failed, self.failed
        assert rows.kernel() == "6.1" or taken_back() > self.before, "no page was taken back"
