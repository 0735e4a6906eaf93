# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Verbs objects under pyverbs: one function per object, both ends on one device.

usage: objects.py DEVICE GID-INDEX TEST

Leaves with 0 if the test passed, with 4 and a reason if the device says that it has no such object.
"""
import ctypes
import errno
import mmap
import sys
import time

from pyverbs import enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBindInfo, MWBind
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR

PORT = 1
ALL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | \
    e.IBV_ACCESS_REMOTE_ATOMIC
SIGNALED = e.IBV_SEND_SIGNALED


class Skip(Exception):
    pass


class Side:
    """A queue pair with a completion queue and a buffer."""

    def __init__(self, ctx, gid_index, kind=e.IBV_QPT_RC, srq=None, pd=None, access=ALL, size=8192, recv=64):
        self.gid_index = gid_index
        self.ctx = ctx
        self.gid = ctx.query_gid(PORT, gid_index)
        self.pd = pd or PD(ctx)
        self.cq = CQ(ctx, 255, None, None, 0)
        self.mr = MR(self.pd, size, access)
        cap = QPCap(max_send_wr=64, max_recv_wr=recv, max_send_sge=2, max_recv_sge=2)
        init = QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, srq=srq, cap=cap, sq_sig_all=0)
        self.qp = QP(self.pd, init)
        self.kind = kind

    def path(self, other):
        route = GlobalRoute(dgid=other.gid, sgid_index=self.gid_index, hop_limit=64)
        return AHAttr(gr=route, is_global=1, port_num=PORT)

    def connect(self, other, timeout=14, retry=7, rnr=7):
        attr = QPAttr(port_num=PORT)
        attr.ah_attr = self.path(other)
        attr.dest_qp_num = other.qp.qp_num
        attr.path_mtu = e.IBV_MTU_1024
        attr.max_rd_atomic = 4
        attr.max_dest_rd_atomic = 4
        attr.min_rnr_timer = 1
        attr.qp_access_flags = ALL
        attr.timeout = timeout
        attr.retry_cnt = retry
        attr.rnr_retry = rnr
        self.qp.to_rts(attr)

    def sge(self, length, offset=0):
        return SGE(self.mr.buf + offset, length, self.mr.lkey)

    def recv(self, wr_id, length, offset=0):
        self.qp.post_recv(RecvWR(wr_id=wr_id, sg=[self.sge(length, offset)], num_sge=1))

    def send(self, opcode, wr_id=0, length=0, offset=0, flags=SIGNALED, remote=None, imm=0, **atomic):
        sg = [self.sge(length, offset)] if length else []
        wr = SendWR(wr_id=wr_id, opcode=opcode, num_sge=len(sg), sg=sg, send_flags=flags, imm_data=imm)
        if remote and atomic:
            wr.set_wr_atomic(remote.mr.rkey, remote.mr.buf, atomic["compare"], atomic.get("swap", 0))
        elif remote:
            wr.set_wr_rdma(remote.mr.rkey, remote.mr.buf)
        self.qp.post_send(wr)

    def wait(self, n=1, status=e.IBV_WC_SUCCESS, seconds=20):
        """the next @n completions"""
        got, end = [], time.time() + seconds
        while len(got) < n:
            count, wcs = self.cq.poll(n - len(got))
            got += wcs
            assert time.time() < end, f"{len(got)} of {n} completions after {seconds} s"
        for wc in got:
            assert wc.status == status, f"completion {wc.wr_id} has status {wc.status}, not {status}"
        return got


def pair(ctx, gid, **what):
    a, b = Side(ctx, gid, **what), Side(ctx, gid, **what)
    a.connect(b)
    b.connect(a)
    return a, b


def fill(side, text, offset=0):
    side.mr.write(text, len(text), offset)


def same(side, text, offset=0):
    got = side.mr.read(len(text), offset)
    assert got == text, f"{got[:16]!r}... and not {text[:16]!r}..."


def refused(number, what, *args, **more):
    try:
        what(*args, **more)
    except PyverbsRDMAError as err:
        assert err.error_code == number, f"refused with {err.error_code}, not {number}"
        return
    raise AssertionError("this was not refused")


def has(flag, ctx, name):
    if not ctx.query_device().device_cap_flags & flag:
        raise Skip(f"the device has no {name}")


# ---- shared receive queues ---------------------------------------------------------------------

def post_srq(srq, side, first, n, length):
    for i in range(first, first + n):
        srq.post_recv(RecvWR(wr_id=i, sg=[side.sge(length, i % 16 * length)], num_sge=1))


def srq_limit(ctx, gid):
    """one event when fewer are left than the limit, to the right handle; then it is disarmed"""
    pd = PD(ctx)
    srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=15, max_sge=1)))
    sink, source = Side(ctx, gid, srq=srq, pd=pd), Side(ctx, gid)
    sink.connect(source)
    source.connect(sink)
    post_srq(srq, sink, 0, 8, 256)
    got = srq.query()
    srq.modify(SrqAttr(srq_limit=6), e.IBV_SRQ_LIMIT)
    assert srq.query().srq_limit == 6
    refused(errno.EINVAL, srq.modify, SrqAttr(srq_limit=got.max_wr + 1), e.IBV_SRQ_LIMIT)
    for _ in range(4):
        source.send(e.IBV_WR_SEND, 1, 16)
        source.wait()
        sink.wait()
    event = ctx.get_async_event()
    assert event.event_type == e.IBV_EVENT_SRQ_LIMIT_REACHED, event.event_type
    event.ack()
    assert srq.query().srq_limit == 0


def srq_last_wqe(ctx, gid):
    """a queue pair in error says when it took its last WQE; the SRQ serves the others"""
    pd = PD(ctx)
    srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=15, max_sge=1)))
    sinks = [Side(ctx, gid, srq=srq, pd=pd) for _ in range(2)]
    sources = [Side(ctx, gid) for _ in range(2)]
    for sink, source in zip(sinks, sources):
        sink.connect(source)
        source.connect(sink)
    post_srq(srq, sinks[0], 0, 8, 64)
    sinks[0].qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    event = ctx.get_async_event()
    assert event.event_type == e.IBV_EVENT_QP_LAST_WQE_REACHED, event.event_type
    event.ack()
    sources[1].send(e.IBV_WR_SEND, 1, 64)
    sources[1].wait()
    sinks[1].wait()


def srq_refuses(ctx, gid):
    attr = ctx.query_device()
    pd = PD(ctx)
    refused(errno.EINVAL, SRQ, pd, SrqInitAttr(SrqAttr(max_wr=attr.max_srq_wr + 1, max_sge=1)))
    refused(errno.EINVAL, SRQ, pd, SrqInitAttr(SrqAttr(max_wr=8, max_sge=attr.max_srq_sge + 1)))
    SRQ(pd, SrqInitAttr(SrqAttr(max_wr=attr.max_srq_wr, max_sge=attr.max_srq_sge)))


# ---- atomics -----------------------------------------------------------------------------------

def value(side, offset=0):
    return int.from_bytes(side.mr.read(8, offset), sys.byteorder)


def atomics(ctx, gid):
    """fetch and add, compare and swap: what is there after and what was there before"""
    if ctx.query_device().atomic_caps == e.IBV_ATOMIC_NONE:
        raise Skip("the device has no atomics")
    a, b = pair(ctx, gid)
    start = 0x1122334455667788
    fill(b, start.to_bytes(8, sys.byteorder))
    a.send(e.IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 8, remote=b, compare=5)
    wc = a.wait()[0]
    assert wc.opcode == e.IBV_WC_FETCH_ADD, wc.opcode
    assert value(a) == start and value(b) == start + 5, (hex(value(a)), hex(value(b)))
    a.send(e.IBV_WR_ATOMIC_CMP_AND_SWP, 2, 8, remote=b, compare=start, swap=7)
    a.wait()
    assert value(a) == start + 5 and value(b) == start + 5
    a.send(e.IBV_WR_ATOMIC_CMP_AND_SWP, 3, 8, remote=b, compare=start + 5, swap=7)
    wc = a.wait()[0]
    assert wc.opcode == e.IBV_WC_COMP_SWAP, wc.opcode
    assert value(a) == start + 5 and value(b) == 7


def atomics_denied(ctx, gid):
    """a region without remote atomics refuses them"""
    if ctx.query_device().atomic_caps == e.IBV_ATOMIC_NONE:
        raise Skip("the device has no atomics")
    a = Side(ctx, gid)
    b = Side(ctx, gid, access=ALL & ~e.IBV_ACCESS_REMOTE_ATOMIC)
    a.connect(b)
    b.connect(a)
    a.send(e.IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 8, remote=b, compare=5)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


# ---- memory regions ----------------------------------------------------------------------------

def rereg(ctx, gid):
    """other memory, other access, another domain; the former key is void each time"""
    a, b = pair(ctx, gid)
    other = mmap.mmap(-1, 4096)  # no other region shares a page with it
    address = ctypes.addressof(ctypes.c_char.from_buffer(other))
    text = b"written after the change"
    fill(a, text)
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0,
               e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
    a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
    a.wait()
    same(b, text)
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION, None, address, 4096, 0)
    wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(len(text))], send_flags=SIGNALED)
    wr.set_wr_rdma(b.mr.rkey, address)
    a.qp.post_send(wr)
    a.wait()
    assert other[:len(text)] == text
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_PD, PD(ctx), 0, 0, 0)
    a.qp.post_send(wr)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


# ---- memory windows ----------------------------------------------------------------------------

def through(a, b, window, offset, status=e.IBV_WC_SUCCESS):
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(64)], send_flags=SIGNALED)
    wr.set_wr_rdma(window, b.mr.buf + offset)
    a.qp.post_send(wr)
    a.wait(status=status)


def window_type_1(ctx, gid):
    has(e.IBV_DEVICE_MEM_WINDOW, ctx, "memory windows")
    a, b = pair(ctx, gid, access=ALL | e.IBV_ACCESS_MW_BIND)
    window = MW(b.pd, e.IBV_MW_TYPE_1)
    info = MWBindInfo(b.mr, b.mr.buf + 256, 512, e.IBV_ACCESS_REMOTE_WRITE)
    b.qp.bind_mw(window, MWBind(info, SIGNALED))
    b.wait()
    fill(a, b"w" * 64)
    through(a, b, window.rkey, 256)
    same(b, b"w" * 64, 256)
    through(a, b, window.rkey, 0, e.IBV_WC_REM_ACCESS_ERR)


# ---- states ------------------------------------------------------------------------------------

def sqd_is_refused(ctx, gid):
    """no command of the device drains a send queue: the state is refused, and nothing changes"""
    a, b = pair(ctx, gid)
    try:
        a.qp.modify(QPAttr(qp_state=e.IBV_QPS_SQD), e.IBV_QP_STATE)
        raise AssertionError("this was not refused")
    except PyverbsRDMAError as err:
        assert err.error_code in (errno.EOPNOTSUPP, errno.EINVAL), err.error_code
    a.send(e.IBV_WR_RDMA_WRITE, 1, 16, remote=b)
    a.wait()


def flush(ctx, gid):
    """what is posted on a queue pair in error is flushed, in order"""
    a, b = pair(ctx, gid)
    for i in range(8):
        a.recv(100 + i, 64)
    a.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    a.send(e.IBV_WR_RDMA_WRITE, 1, 16, remote=b)
    a.recv(108, 64)
    wcs = a.wait(10, status=e.IBV_WC_WR_FLUSH_ERR)
    assert sorted(wc.wr_id for wc in wcs) == [1] + list(range(100, 109))
    assert [wc.wr_id for wc in wcs if wc.wr_id >= 100] == list(range(100, 109))


def query_says_what_was_set(ctx, gid):
    a, b = pair(ctx, gid)
    attr, init = a.qp.query(0x1fffff)
    assert attr.qp_state == e.IBV_QPS_RTS and attr.dest_qp_num == b.qp.qp_num
    assert (attr.path_mtu, attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer) == \
        (e.IBV_MTU_1024, 14, 7, 7, 1)
    assert (attr.max_rd_atomic, attr.max_dest_rd_atomic) == (4, 4)
    assert attr.qp_access_flags == ALL & ~e.IBV_ACCESS_LOCAL_WRITE or attr.qp_access_flags == ALL, attr.qp_access_flags
    assert attr.ah_attr.sgid_index == gid and attr.ah_attr.port_num == PORT
    assert init.sq_sig_all == 0


def main():
    name, gid, test = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    try:
        print(globals()[test](Context(name=name), gid) or "")
    except Skip as reason:
        print(f"SKIP: {reason}")
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
