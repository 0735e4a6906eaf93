# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
The two ends of a connection under pyverbs, both on one device, and checks for tests.
"""
import ctypes
import errno
import mmap
import os
import struct
import time

from rows import Skip, driver, lacks
from pyverbs import enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError, PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr, SrqInitAttrEx
from pyverbs.wr import RecvWR, SGE, SendWR

PORT = 1
GOES = 30    # seconds
PAGE = 4096
UMR_PAGES = 2048    # cxr changes larger lists by commands
ALL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | \
    e.IBV_ACCESS_REMOTE_ATOMIC
MAP_FIXED = 0x10
SIGNALED = e.IBV_SEND_SIGNALED
GROUP = GID("0000:0000:0000:0000:0000:ffff:ef01:0203")


def path_attr(ctx, gid, dest):
    attr = QPAttr(port_num=PORT)
    route = GlobalRoute(dgid=ctx.query_gid(PORT, gid), sgid_index=gid, hop_limit=64)
    attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=PORT)
    attr.dest_qp_num = dest
    attr.path_mtu = e.IBV_MTU_1024
    attr.max_rd_atomic = attr.max_dest_rd_atomic = 4
    attr.min_rnr_timer = 1
    attr.timeout, attr.retry_cnt, attr.rnr_retry = 14, 7, 7
    attr.qp_access_flags = ALL
    return attr


def xrc_srq(ctx, pd, domain, cq):
    init = SrqInitAttrEx(max_wr=15)
    init.srq_type = e.IBV_SRQT_XRC
    init.pd, init.xrcd, init.cq = pd, domain, cq
    init.comp_mask = e.IBV_SRQ_INIT_ATTR_TYPE | e.IBV_SRQ_INIT_ATTR_PD | e.IBV_SRQ_INIT_ATTR_CQ | \
        e.IBV_SRQ_INIT_ATTR_XRCD
    return SRQ(ctx, init)


class Scattered:
    """
    Memory that needs a list of all its pages: every other page of a file. Behind an IOMMU they may become a sequence,
    but with another alignment: the memory begins at an odd page.
    """

    def __init__(self, pages):
        libc = ctypes.CDLL(None, use_errno=True)
        self.mmap = libc.mmap
        self.mmap.restype = ctypes.c_void_p
        self.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        self.size = pages * PAGE
        room = self.map(None, self.size + PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1)
        self.address = room | PAGE
        file = os.memfd_create("pages")
        os.posix_fallocate(file, 0, 2 * self.size)    # in order
        for at in range(0, self.size, PAGE):
            self.map(self.address + at, PAGE, mmap.MAP_SHARED | MAP_FIXED, file, 2 * at)
        os.close(file)

    def map(self, address, size, flags, fd, offset=0):
        got = self.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, fd, offset)
        if got == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "mmap")
        return got


class Side:
    """A QP with a CQ and a buffer."""

    def __init__(self, ctx, gid_index, kind=e.IBV_QPT_RC, srq=None, pd=None, access=ALL, size=8192, recv=64, cq=None,
                 memory=None):
        self.gid_index = gid_index
        self.ctx = ctx
        self.gid = ctx.query_gid(PORT, gid_index)
        self.pd = pd or PD(ctx)
        self.cq = cq or CQ(ctx, 255, None, None, 0)
        self.memory = memory
        self.mr = MR(self.pd, memory.size, access, memory.address) if memory else MR(self.pd, size, access)
        cap = QPCap(max_send_wr=64, max_recv_wr=recv, max_send_sge=2, max_recv_sge=2)
        init = QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, srq=srq, cap=cap, sq_sig_all=0)
        self.qp = QP(self.pd, init)
        self.kind = kind

    def path(self, other):
        route = GlobalRoute(dgid=other.gid, sgid_index=self.gid_index, hop_limit=64)
        return AHAttr(gr=route, is_global=1, port_num=PORT)

    def connect(self, other, timeout=14, retry=7, rnr=7, allow=ALL):
        attr = QPAttr(port_num=PORT)
        attr.ah_attr = self.path(other)
        attr.dest_qp_num = other.qp.qp_num
        attr.path_mtu = e.IBV_MTU_1024
        attr.max_rd_atomic = 4
        attr.max_dest_rd_atomic = 4
        attr.min_rnr_timer = 1
        attr.qp_access_flags = allow
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
        """Wait for the next @n completions"""
        got, end = [], time.time() + seconds
        while len(got) < n:
            got += self.cq.poll(n - len(got))[1]
            assert time.time() < end, f"{len(got)} of {n} completions after {seconds} s"
        for wc in got:
            assert wc.status == status, f"completion {wc.wr_id} has status {wc.status}, not {status}"
        return got


def is_there(ctx):
    """Does the kernel have what the program has of its device?"""
    try:
        ctx.query_port(PORT)
    except PyverbsError:
        return False
    return True


def close_when_gone(ctx, failed=False):
    """Waits until the device goes, and closes what the program has of it. What has failed by then must have failed because it goes:
    within GOES seconds. Needs RDMAV_ALLOW_DISASSOC_DESTROY in the environment"""
    since = time.monotonic()
    while is_there(ctx):
        assert not failed or time.monotonic() < since + GOES, "it failed, but the device is still there"
        time.sleep(0.05)
    print("gone", flush=True)
    ctx.close()
    print("closed", flush=True)


def pair(ctx, gid, **what):
    a, b = Side(ctx, gid, **what), Side(ctx, gid, **what)
    a.connect(b)
    b.connect(a)
    return a, b


def fill(side, text, offset=0):
    side.mr.write(text, len(text), offset)


def same(side, text, offset=0):
    got = side.mr.read(len(text), offset)
    assert got == text, f"{got[:16]!r}... instead of {text[:16]!r}..."


def transfer(a, b, rng, seconds):
    """Data of random kind and size, up to 16 KiB, from a to b within @seconds; returns them, to be compared with b's."""
    text = rng.randbytes(rng.randrange(1, 16384))
    fill(a, text)
    kind = rng.choice((e.IBV_WR_SEND, e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ))
    if kind == e.IBV_WR_RDMA_READ:
        b.send(kind, 1, len(text), remote=a)
        b.wait(seconds=seconds)
        return text
    if kind == e.IBV_WR_SEND:
        b.recv(2, len(text))
    a.send(kind, 1, len(text), remote=b)
    a.wait(seconds=seconds)
    if kind == e.IBV_WR_SEND:
        b.wait(seconds=seconds)
    return text


def extras(side, rng):
    """Create other objects, and destroy some of them again"""
    srq = SRQ(side.pd, SrqInitAttr(SrqAttr(max_wr=rng.randrange(1, 64), max_sge=1)))
    cq = CQ(side.ctx, rng.randrange(1, 500))
    mrs = [MR(side.pd, rng.randrange(1, 64) * 512, ALL) for _ in range(rng.randrange(8))]
    if rng.random() < 0.5:
        srq.close()
        for mr in mrs[::2]:
            mr.close()
    return srq, cq, mrs


def refused(number, what, *args, **more):
    try:
        what(*args, **more)
    except PyverbsRDMAError as err:
        assert err.error_code == number, f"refused with {err.error_code} instead of {number}"
        return
    raise AssertionError("not refused")


def has(flag, ctx, name):
    if not ctx.query_device().device_cap_flags & flag:
        lacks(name)


def require_adapter():
    if driver() == "rxe":
        raise Skip("Soft-RoCE does not support it")


ATTACH, DETACH = 30, 31


def membership(ctx, command):
    """Attach or detach all UD QPs of the context. pyverbs has no call for it, and does not expose handles."""
    done, gid = 0, bytes.fromhex(GROUP.gid.replace(":", ""))
    for handle in range(32):
        request = struct.pack("=IHH16sIHH", command, 8, 0, gid, handle, 0xffff, 0)
        try:
            done += os.write(ctx.cmd_fd, request) == len(request)
        except OSError as err:
            if err.errno not in (errno.EINVAL, errno.ENOENT):
                raise
    return done
