#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: odp.py list | run ID DEVICE GID | obey DEVICE GID | faults DEVICE GID

On-demand paging: requests on memory that is not there yet, that goes, and that does not exist. `list` prints ids and sentences of
the tests, `obey` is a worker of lib/obey.sh, and `faults` a program that has faults until its device goes.
"""

import ctypes
import errno
import mmap
import os
import pathlib
import select
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from pyverbs import enums as e  # noqa: E402
from pyverbs.device import Context  # noqa: E402
from pyverbs.mr import MR, MW, MWBind, MWBindInfo  # noqa: E402
from pyverbs.pd import PD  # noqa: E402
from pyverbs.pyverbs_error import PyverbsError  # noqa: E402
from pyverbs.qp import QPCap, QPInitAttrEx  # noqa: E402
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr  # noqa: E402
from pyverbs.wr import SGE, RecvWR, SendWR  # noqa: E402
from devx_commands import command, get  # noqa: E402
from devx_loop import Loop  # noqa: E402
from anonymous import BOTH, Child, Crowd, Memory  # noqa: E402
from libc import LIBC, fork  # noqa: E402
from obey import obey  # noqa: E402
from odp_ends import ODP, PAGE, End, WhileGoing, Xrc, counters, ends, pinned_and, prefetched, text_of  # noqa: E402
import rows  # noqa: E402
from rows import row  # noqa: E402
from sides import ALL, SIGNALED, Side, close_when_gone, fill, path_attr, refused, same  # noqa: E402
from uverbs import Device, Refused  # noqa: E402

READABLE = e.IBV_ACCESS_REMOTE_READ | ODP
FLUSH = 1
PREFETCH, PREFETCH_WRITE, NO_FAULT = 0, 1, 2


# ---- what there is -------------------------------------------------------------------------------

@row("caps", "a program is told what may fault, and that all its memory can be registered at once")
def caps(name, _gid):
    odp = Context(name=name).query_device_ex().odp_caps
    every = e.IBV_ODP_SUPPORT_SEND | e.IBV_ODP_SUPPORT_RECV | e.IBV_ODP_SUPPORT_WRITE | e.IBV_ODP_SUPPORT_READ | \
        e.IBV_ODP_SUPPORT_ATOMIC | e.IBV_ODP_SUPPORT_SRQ_RECV
    assert odp.general_caps == e.IBV_ODP_SUPPORT | e.IBV_ODP_SUPPORT_IMPLICIT, odp.general_caps
    assert odp.rc_odp_caps == every, odp.rc_odp_caps
    assert odp.xrc_odp_caps == every & ~e.IBV_ODP_SUPPORT_RECV, odp.xrc_odp_caps
    assert odp.ud_odp_caps & e.IBV_ODP_SUPPORT_SEND, odp.ud_odp_caps
    assert odp.uc_odp_caps == 0, odp.uc_odp_caps


# ---- requests ------------------------------------------------------------------------------------

@row("send", "memory that is not there is sent from, and received into")
def send(name, gid):
    a, b = ends(name, gid)
    text = text_of(5 * PAGE)
    a.memory.write(text, 100)
    b.recv(1, len(text), 700)
    a.send(e.IBV_WR_SEND, 2, len(text), 100)
    a.wait()
    b.wait()
    b.has(text, 700)


@row("send.nothing", "memory that nobody has written to is sent as zeroes")
def send_nothing(name, gid):
    a, b = ends(name, gid)
    b.memory.write(b"x" * 3 * PAGE)
    b.recv(1, 3 * PAGE)
    a.send(e.IBV_WR_SEND, 2, 3 * PAGE)
    a.wait()
    b.wait()
    b.has(bytes(3 * PAGE))


@row("parts", "a request has parts that are there, and parts that are not")
def parts(name, gid):
    a, b = ends(name, gid)
    pinned = MR(a.pd, PAGE, ALL)
    pinned.write(b"pinned", 6)
    a.memory.write(b"paged", PAGE - 2)
    a.memory.forget()
    a.memory.write(b"paged", PAGE - 2)
    b.recv(1, PAGE)
    sges = [SGE(pinned.buf, 6, pinned.lkey), SGE(a.mr.buf + PAGE - 2, 5, a.mr.lkey)]
    a.qp.post_send(SendWR(wr_id=2, opcode=e.IBV_WR_SEND, num_sge=2, sg=sges, send_flags=SIGNALED))
    a.wait()
    b.wait()
    b.has(b"pinnedpaged")
    more = Memory()
    key = MR(a.pd, more.size, ALL | ODP, more.address)
    more.write(b"more")
    a.memory.forget()
    a.memory.write(b"paged", PAGE - 2)
    b.recv(1, PAGE)
    sges = [SGE(a.mr.buf + PAGE - 2, 5, a.mr.lkey), SGE(more.address, 4, key.lkey)]
    a.qp.post_send(SendWR(wr_id=2, opcode=e.IBV_WR_SEND, num_sge=2, sg=sges, send_flags=SIGNALED))
    a.wait()
    b.wait()
    b.has(b"pagedmore")


@row("write", "RDMA WRITE reaches memory that is not there, from memory that is not there")
def write(name, gid):
    a, b = ends(name, gid)
    text = text_of(6 * PAGE + 5, 3)
    a.memory.write(text)
    a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
    a.wait()
    b.has(text)


@row("read", "RDMA READ reads memory that is not there into memory that is not there")
def read(name, gid):
    a, b = ends(name, gid)
    text = text_of(6 * PAGE + 5, 5)
    b.memory.write(text)
    a.send(e.IBV_WR_RDMA_READ, 1, len(text), remote=b)
    a.wait()
    a.has(text)


@row("atomic", "an atomic works on memory that is not there, and returns its result into some")
def atomic(name, gid):
    a, b = ends(name, gid)
    b.memory.write((40).to_bytes(8, sys.byteorder))
    for _ in range(2):
        a.send(e.IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 8, remote=b, compare=2)
        a.wait()
    a.has((42).to_bytes(8, sys.byteorder))
    b.has((44).to_bytes(8, sys.byteorder))


@row("ud", "datagrams are sent from memory that is not there")
def datagram(name, gid):
    ctx = Context(name=name)
    a = End(ctx, gid, kind=e.IBV_QPT_UD)
    b = Side(ctx, gid, kind=e.IBV_QPT_UD)
    for side in (a, b):
        side.qp.to_rts(ud_attr())
    text = text_of(1000)
    a.memory.write(text, PAGE - 500)
    b.recv(1, 2048)
    wr = SendWR(wr_id=2, opcode=e.IBV_WR_SEND, num_sge=1, sg=[a.sge(len(text), PAGE - 500)], send_flags=SIGNALED)
    wr.set_wr_ud(path_to(a, b), b.qp.qp_num, 0x11111111)
    a.qp.post_send(wr)
    a.wait()
    b.wait()
    same(b, text, 40)


def ud_attr():
    from pyverbs.qp import QPAttr  # pylint: disable=import-outside-toplevel
    attr = QPAttr(port_num=1)
    attr.qkey = 0x11111111
    return attr


def path_to(a, b):
    from pyverbs.addr import AH  # pylint: disable=import-outside-toplevel
    return AH(a.pd, attr=a.path(b))


@row("srq", "requests of an SRQ receive into memory that is not there")
def shared(name, gid):
    ctx = Context(name=name)
    pd = PD(ctx)
    srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=10, max_sge=2)))
    a = Side(ctx, gid, size=4 * PAGE)
    b = End(ctx, gid, pd=pd, srq=srq)
    a.connect(b)
    b.connect(a)
    text = text_of(3 * PAGE)
    fill(a, text)
    for offset in (0, 4 * PAGE):
        srq.post_recv(RecvWR(wr_id=1, sg=[b.sge(3 * PAGE, offset)], num_sge=1))
        a.send(e.IBV_WR_SEND, 2, len(text))
        a.wait()
        b.wait()
        b.has(text, offset)


@row("xrc", "an XRC connection sends, writes, reads and adds in memory that is not there, and its SRQ receives into some")
def extended(name, gid):
    link = Xrc(Context(name=name), gid)
    text = text_of(3 * PAGE)
    link.a.memory.write(text, 100)
    link.srq.post_recv(RecvWR(wr_id=1, sg=[link.b.sge(len(text), 4 * PAGE + 8)], num_sge=1))
    link.do(e.IBV_WR_SEND, len(text), 100)
    link.b.wait()
    link.b.has(text, 4 * PAGE + 8)
    link.a.memory.forget()
    link.b.memory.forget()
    link.a.memory.write(text)
    link.do(e.IBV_WR_RDMA_WRITE, len(text))
    link.b.has(text)
    link.a.memory.forget()
    link.do(e.IBV_WR_RDMA_READ, len(text))
    link.a.has(text)
    link.a.memory.forget()
    link.b.memory.forget()
    for _ in range(2):
        link.do(e.IBV_WR_ATOMIC_FETCH_AND_ADD, 8, add=2)
    link.a.has((2).to_bytes(8, sys.byteorder))
    link.b.has((4).to_bytes(8, sys.byteorder))


@row("xrc.none", "memory that does not exist ends the request of an XRC connection")
def extended_none(name, gid):
    link = Xrc(Context(name=name), gid)
    link.b.memory.unmap()
    wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[link.a.sge(PAGE)], send_flags=SIGNALED)
    wr.set_qp_type_xrc(link.srq.get_srq_num())
    wr.set_wr_rdma(link.b.mr.rkey, link.b.mr.buf)
    link.source.post_send(wr)
    link.a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


@row("window", "a memory window shows memory that is not there")
def window(name, gid):
    a, b = pinned_and(name, gid, access=ALL | ODP | e.IBV_ACCESS_MW_BIND)
    mw = MW(b.pd, e.IBV_MW_TYPE_1)
    b.qp.bind_mw(mw, MWBind(MWBindInfo(b.mr, b.mr.buf + PAGE, 3 * PAGE, e.IBV_ACCESS_REMOTE_WRITE), SIGNALED))
    b.wait()
    text = text_of(2 * PAGE)
    fill(a, text)
    wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(len(text))], send_flags=SIGNALED)
    wr.set_wr_rdma(mw.rkey, b.mr.buf + PAGE + 100)
    a.qp.post_send(wr)
    a.wait()
    b.has(text, PAGE + 100)


def key_of(end, gid, parts):
    """A key of parts of the end's memory"""
    from pyverbs.providers.mlx5 import mlx5_enums as dve  # pylint: disable=import-outside-toplevel
    from pyverbs.providers.mlx5.mlx5dv import Mlx5DVQPInitAttr, Mlx5QP  # pylint: disable=import-outside-toplevel
    from pyverbs.providers.mlx5.mlx5dv_mkey import Mlx5Mkey  # pylint: disable=import-outside-toplevel
    init = QPInitAttrEx(qp_type=e.IBV_QPT_RC, scq=end.cq, rcq=end.cq, pd=end.pd, comp_mask=e.IBV_QP_INIT_ATTR_PD |
                        e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, send_ops_flags=e.IBV_QP_EX_WITH_SEND,
                        cap=QPCap(max_send_wr=4, max_recv_wr=1, max_send_sge=1, max_recv_sge=1, max_inline_data=512))
    qp = Mlx5QP(end.ctx, init, Mlx5DVQPInitAttr(comp_mask=dve.MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
                                                send_ops_flags=dve.MLX5DV_QP_EX_WITH_MR_LIST))
    qp.to_rts(path_attr(end.ctx, gid, qp.qp_num))
    key = Mlx5Mkey(end.pd, dve.MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, len(parts))
    qp.wr_start()
    qp.wr_flags = e.IBV_SEND_SIGNALED | e.IBV_SEND_INLINE
    qp.wr_mr_list(key, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE, parts)
    qp.wr_complete()
    end.wait()
    return key


@row("list", "a key of parts of memory that is not there is sent from, and written to")
def listed(name, gid):
    a, b = pinned_and(name, gid, pages=16)
    places = [i * 2 * PAGE + 8 for i in range(8)]
    key = key_of(b, gid, [b.sge(PAGE, at) for at in places])
    text = text_of(8 * PAGE)
    for i, at in enumerate(places):
        b.memory.write(text[i * PAGE:(i + 1) * PAGE], at)
    a.recv(1, len(text))
    b.qp.post_send(SendWR(wr_id=2, opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(0, len(text), key.lkey)], send_flags=SIGNALED))
    b.wait()
    a.wait()
    same(a, text)
    b.memory.forget()
    wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(len(text))], send_flags=SIGNALED)
    wr.set_wr_rdma(key.rkey, 0)
    a.qp.post_send(wr)
    a.wait()
    for i, at in enumerate(places):
        b.has(text[i * PAGE:(i + 1) * PAGE], at)


@row("list.many", "a request reaches thousands of parts by keys of keys, some of memory that is not there")
def listed_many(_name, _gid):
    if rows.driver() == "mlx5":
        raise rows.Skip("the in-tree driver does not bring in all of such a key: the request never ends")
    loop = Loop()
    source, target, pinned = Memory(24), Memory(30), Memory(24)
    lkey, key, pinned_key = loop.mr(source, ALL), loop.mr(target, ALL | ODP), loop.mr(pinned, ALL)
    text = text_of(6000 * 16)
    source.write(text)
    parts = [(16, pinned_key, pinned.address + i * 16) if i % 200 else (16, key, target.address + i // 200 * PAGE) for i in range(6000)]
    halves = [loop.key_of(parts[:3000]), loop.key_of(parts[3000:])]
    loop.write(source.address, lkey, 0, loop.key_of([(48000, half, 0) for half in halves]), len(text))
    ended = loop.wait(20)
    assert ended == 0, ended
    for i, (_, _, address) in enumerate(parts):
        assert ctypes.string_at(address, 16) == text[i * 16:(i + 1) * 16], i


@row("implicit", "a key for all memory reaches what a program maps later, and its end reaches nothing")
def implicit(name, gid):
    ctx = Context(name=name)
    a, b = Side(ctx, gid, size=8 * PAGE), Side(ctx, gid)
    a.connect(b)
    b.connect(a)
    mr = MR(b.pd, access=ALL | ODP, implicit=True)
    text = text_of(5 * PAGE)
    fill(a, text)
    far = Memory(1 << 18)                   # of 1 GiB: in two parts of the key
    places = [Memory().address + 50, far.address + far.size - 3 * PAGE, (far.address + far.size - 1) // (1 << 30) * (1 << 30) - PAGE]
    for at in places:
        wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(2 * PAGE)], send_flags=SIGNALED)
        wr.set_wr_rdma(mr.rkey, at)
        a.qp.post_send(wr)
        a.wait()
        got = ctypes.string_at(at, 2 * PAGE)
        assert got == text[:2 * PAGE], f"{got[:16]!r}"
    far.unmap()
    time.sleep(0.3)                         # a part of the key may go now
    far.again()
    for at in places[1:]:
        wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(2 * PAGE)], send_flags=SIGNALED)
        wr.set_wr_rdma(mr.rkey, at)
        a.qp.post_send(wr)
        a.wait()
        assert ctypes.string_at(at, 2 * PAGE) == text[:2 * PAGE]
    mr.close()
    a.qp.post_send(wr)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


@row("implicit.ended", "a key for all memory of a process that has ended reaches nothing, whoever else has the device")
def implicit_ended(name, gid):
    a, b = pinned_and(name, gid)
    reader, writer = os.pipe()
    pid = fork()
    if not pid:
        mr = MR(b.pd, access=ALL | ODP, implicit=True)
        os.write(writer, struct.pack("<I", mr.lkey))
        os._exit(0)
    key = struct.unpack("<I", os.read(reader, 4))[0]
    assert key and os.waitpid(pid, 0)[1] == 0
    if rows.driver() == "mlx5":
        raise rows.Skip("the in-tree driver looks for memory of a process after it is free")
    b.memory.write(b"not the other's")
    with Crowd(64):     # whose memory is described where that of the process was, if that is free
        refused(errno.EFAULT, b.pd.advise_mr, PREFETCH, FLUSH, [SGE(b.memory.address, 8, key)])
        wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(8)], send_flags=SIGNALED)
        wr.set_wr_rdma(key, b.memory.address)
        a.qp.post_send(wr)
        a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


# ---- memory that goes ----------------------------------------------------------------------------

@row("forgotten", "memory that is given back is zeroes for the device, too")
def forgotten(name, gid):
    a, b = pinned_and(name, gid)
    text = text_of(4 * PAGE)
    b.memory.write(text)
    for expected in (text, bytes(len(text))):
        a.send(e.IBV_WR_RDMA_READ, 1, len(text), remote=b)
        a.wait()
        same(a, expected)
        b.memory.forget()


@row("remapped", "other memory at the same addresses is what the device sees")
def remapped(name, gid):
    a, b = pinned_and(name, gid)
    for seed in (3, 5, 7):
        text = text_of(4 * PAGE, seed)
        b.memory.write(text)
        a.send(e.IBV_WR_RDMA_READ, 1, len(text), remote=b)
        a.wait()
        same(a, text)
        b.memory.unmap()
        b.memory.again()


def read_is(a, b, data):
    """What the device reads of b"""
    a.send(e.IBV_WR_RDMA_READ, 1, 6, remote=b)
    a.wait()
    same(a, data)


@row("fork", "after a fork the device has the memory of the parent, whoever writes first")
def forked(name, gid):
    a, b = pinned_and(name, gid)
    for first in "parent", "child", "device":
        b.memory.write(b"before")
        read_is(a, b, b"before")
        with Child(b.memory, first) as child:
            if first == "parent":
                b.memory.write(b"parent")
            if first != "device":
                read_is(a, b, b.memory.read(6))
                assert b.memory.read(6) == (b"parent" if first == "parent" else b"before"), "the parent sees what the child wrote"
            fill(a, b"device")
            a.send(e.IBV_WR_RDMA_WRITE, 1, 6, remote=b)
            a.wait()
            b.has(b"device")
            child.ends()


@row("traffic.read", "pages are taken away again and again while they are read")
def traffic_read(name, gid):
    a, b = pinned_and(name, gid, access=READABLE)
    text = text_of(8 * PAGE)
    b.memory.write(text)

    def flicker():
        b.memory.protect(mmap.PROT_READ)
        b.memory.protect(BOTH)
    with WhileGoing(flicker):
        for _ in range(60):
            fill(a, bytes(len(text)))
            a.send(e.IBV_WR_RDMA_READ, 1, len(text), remote=b)
            a.wait()
            same(a, text)


@row("traffic.write", "pages are shared with children again and again while they are written to")
def traffic_write(name, gid):
    a, b = pinned_and(name, gid)

    def children():
        pid = fork()
        if not pid:
            os._exit(0)
        os.waitpid(pid, 0)
    with WhileGoing(children):
        for seed in range(1, 40, 2):
            text = text_of(8 * PAGE, seed)
            fill(a, text)
            a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
            a.wait()
            b.has(text)


# ---- memory that does not exist ------------------------------------------------------------------

@row("none.local", "a request from memory that does not exist fails with a local protection error")
def none_local(name, gid):
    a, b = ends(name, gid)
    a.memory.unmap()
    b.recv(1, PAGE)
    a.send(e.IBV_WR_SEND, 2, PAGE)
    a.wait(status=e.IBV_WC_LOC_PROT_ERR)


@row("none.remote", "a request for memory that does not exist fails with a remote access error")
def none_remote(name, gid):
    a, b = pinned_and(name, gid)
    b.memory.unmap()
    a.send(e.IBV_WR_RDMA_WRITE, 1, PAGE, remote=b)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


@row("beyond", "a request beyond the MR fails, and so does one that its access does not allow")
def beyond(name, gid):
    a, b = pinned_and(name, gid)
    wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(PAGE)], send_flags=SIGNALED)
    wr.set_wr_rdma(b.mr.rkey, b.mr.buf + 8 * PAGE - 8)
    a.qp.post_send(wr)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)
    a, b = pinned_and(name, gid, access=READABLE)
    a.send(e.IBV_WR_RDMA_WRITE, 1, 8, remote=b)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


@row("hole", "memory beside some that does not exist is reached")
def hole(name, gid):
    a, b = pinned_and(name, gid)
    assert LIBC.munmap(ctypes.c_void_p(b.memory.address + 4 * PAGE), PAGE) == 0
    text = text_of(2 * PAGE)
    fill(a, text)
    a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
    a.wait()
    b.has(text)


# ---- queues that the kernel does not know ---------------------------------------------------------

CAP_ODP_CURRENT = 2 << 1 | 1
PROT_ERROR = 4          # syndrome


def names_memory(ctx):
    """Are faults of the memory scheme?"""
    out = ctx.other(command("query_hca_cap", op_mod=CAP_ODP_CURRENT), "query_hca_cap_out")
    return get(out, "query_hca_cap_out", "capability.odp_cap.mem_page_fault")


@row("devx", "a queue of DEVX writes from memory that is not there to memory that is not there, if faults name memory")
def devx(_name, _gid):
    loop = Loop()
    source, target = Memory(), Memory()
    keys = [loop.mr(memory, ALL | ODP) for memory in (source, target)]
    text = text_of(7 * PAGE)
    memory_scheme = names_memory(loop.ctx)
    knows = rows.driver() != "mlx5" or rows.kernel() != "6.1"
    assert bool(memory_scheme) == (knows and os.environ.get("CXR_ODP") == "memory"), memory_scheme
    for _ in range(3 if memory_scheme else 1):
        source.forget()
        target.forget()
        source.write(text, 100)
        source.protect(mmap.PROT_READ)          # takes it from the device
        source.protect(BOTH)
        loop.write(source.address + 100, keys[0], target.address + 8, keys[1], len(text))
        ended = loop.wait(20 if memory_scheme else 3)
        if memory_scheme:
            assert ended == 0 and target.read(len(text), 8) == text, ended
        else:                                   # the in-tree driver lets it wait until the queue goes
            assert ended == (None if rows.driver() == "mlx5" else PROT_ERROR), ended


# ---- prefetch ------------------------------------------------------------------------------------

def advise(side, advice, flags=FLUSH, length=8 * PAGE, offset=0):
    side.pd.advise_mr(advice, flags, [side.sge(length, offset)])


@row("prefetch", "memory that a program asks for is there, and is used without faults")
def prefetch(name, gid):
    a, b = pinned_and(name, gid)
    text = text_of(8 * PAGE)
    fill(a, text)
    start = counters()
    advise(b, PREFETCH_WRITE)
    middle = counters()
    assert middle["page_prefetch"] - start["page_prefetch"] == 8, middle
    a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
    a.wait()
    b.has(text)
    assert counters()["page_faults"] == middle["page_faults"], counters()


@row("prefetch.read", "memory that is asked for to read can be written to after a fault")
def prefetch_read(name, gid):
    a, b = pinned_and(name, gid)
    b.memory.write(b"r" * 8 * PAGE)
    advise(b, PREFETCH)
    start = counters()["page_faults"]
    a.send(e.IBV_WR_RDMA_READ, 1, 8 * PAGE, remote=b)
    a.wait()
    same(a, b"r" * 8 * PAGE)
    assert counters()["page_faults"] == start
    fill(a, b"w" * PAGE)
    a.send(e.IBV_WR_RDMA_WRITE, 1, PAGE, remote=b)
    a.wait()
    b.has(b"w" * PAGE)
    assert counters()["page_faults"] > start


@row("prefetch.nothing", "memory that nobody has written to is asked for, to read: all of it is the one page of zeroes")
def prefetch_nothing(name, gid):
    rows.shares_pages()
    a, b = pinned_and(name, gid)
    for flags in (FLUSH, 0):
        advise(b, PREFETCH, flags)
        fill(a, b"x" * 8 * PAGE)
        a.send(e.IBV_WR_RDMA_READ, 1, 8 * PAGE, remote=b)
        a.wait()
        same(a, bytes(8 * PAGE))
    fill(a, b"w" * PAGE)
    a.send(e.IBV_WR_RDMA_WRITE, 1, PAGE, remote=b)
    a.wait()
    b.has(b"w" * PAGE + bytes(7 * PAGE))


@row("prefetch.present", "only memory that is present is asked for, or whatever a program has, and later")
def prefetch_present(name, gid):
    a, b = pinned_and(name, gid)
    advise(b, NO_FAULT)
    asked = prefetched()
    b.memory.write(b"now it is there")
    advise(b, NO_FAULT)
    assert rows.kernel() == "6.1" or prefetched() > asked
    asked = prefetched()
    advise(b, PREFETCH_WRITE, flags=0)
    end = time.time() + 20
    while rows.kernel() != "6.1" and prefetched() == asked:
        assert time.time() < end, "nothing is asked for later"
    advise(b, PREFETCH, flags=0)
    a.send(e.IBV_WR_RDMA_READ, 1, 15, remote=b)
    a.wait()
    same(a, b"now it is there")


@row("prefetch.wrong", "advice for a wrong key, PD, range or MR is refused")
def prefetch_wrong(name, gid):
    ctx = Context(name=name)
    b = End(ctx, gid)
    plain = MR(b.pd, PAGE, ALL)
    readable = End(ctx, gid, access=READABLE, pd=b.pd)
    for flags in (0, FLUSH):
        refused(errno.ENOENT, b.pd.advise_mr, PREFETCH, flags, [SGE(plain.buf, 8, plain.lkey)])
        refused(errno.ENOENT, b.pd.advise_mr, PREFETCH, flags, [SGE(b.mr.buf, 8, b.mr.lkey ^ 1)])
        refused(errno.EPERM, PD(ctx).advise_mr, PREFETCH, flags, [b.sge(8)])
        refused(errno.EPERM, advise, readable, PREFETCH_WRITE, flags)
    readable.memory.write(b"r" * 8 * PAGE)
    advise(readable, PREFETCH)
    refused(errno.EFAULT, advise, b, PREFETCH, FLUSH, 9 * PAGE)
    refused(errno.EFAULT, advise, b, PREFETCH, FLUSH, 8, 8 * PAGE)
    b.memory.unmap()
    refused(errno.EFAULT, advise, b, PREFETCH)


# ---- MRs -----------------------------------------------------------------------------------------

@row("counters", "faults, and pages that go, are counted for each MR")
def counted(name, gid):
    a, b = pinned_and(name, gid)
    start = counters()
    a.send(e.IBV_WR_RDMA_WRITE, 1, 8 * PAGE, remote=b)
    a.wait()
    came = counters()
    assert came["page_faults"] - start["page_faults"] >= 8, (start, came)
    b.memory.forget()
    went = counters()
    assert went["page_invalidations"] - came["page_invalidations"] >= 8, (came, went)


@row("reg.wrong", "an MR has at least a byte, and no more than there are addresses")
def reg_wrong(_name, _gid):
    device = Device()
    device.context()
    pd = device.pd()
    memory = Memory()
    # within a page the in-tree driver takes no bytes for the page
    ours = [(0, memory.address + 8)] if rows.driver() == "cxr" else []
    for length, address in (*ours, (0, memory.address), ((1 << 64) - 1, memory.address), ((1 << 64) - PAGE, 0), (1 << 63, 0)):
        try:
            device.mr(pd, address, length, ALL | ODP)
        except Refused as why:
            print(f"{length:#x} bytes at {address:#x}: {errno.errorcode[why.code]}")
            assert why.code in (errno.EINVAL, errno.EOVERFLOW, errno.ENOMEM), why
            continue
        raise AssertionError(f"{length:#x} bytes at {address:#x} are not refused")


def changes(name, order, answer):
    """MRs, one after the other, until it is told when another was registered: how many there were meanwhile, and what one took at most"""
    pd, times = PD(Context(name=name)), []
    os.write(answer, b"x")
    while not select.select([order], [], [], 0)[0]:
        start = time.monotonic()
        MR(pd, PAGE, ALL).close()
        times.append((start, time.monotonic()))
    begin_, end = struct.unpack("dd", os.read(order, 16))
    meanwhile = [after - before for before, after in times if after > begin_ and before < end]
    os.write(answer, struct.pack("Id", len(meanwhile), max(meanwhile)))


def large_among_others(name, pd, memory):
    """Registers the memory: seconds that took, how many MRs another process registered meanwhile, and what one of these took at most"""
    (order, tells), (answer, says) = os.pipe(), os.pipe()
    pid = fork()
    if not pid:
        changes(name, order, says)
        os._exit(0)
    os.read(answer, 1)
    start = time.monotonic()
    mr = MR(pd, memory.size, READABLE, memory.address)
    end = time.monotonic()
    mr.close()
    os.write(tells, struct.pack("dd", start, end))
    found = struct.unpack("Id", os.read(answer, 16))
    assert os.waitpid(pid, 0)[1] == 0
    return end - start, *found


@row("reg.large", "others register MRs while one of much memory is registered")
def reg_large(name, _gid):
    pd = PD(Context(name=name))
    memory = Memory(1 << 22)        # 16 GiB
    memory.protect(0)                     # nothing is there, and nothing comes
    tries = []
    for _ in range(4):
        seconds, count, most = large_among_others(name, pd, memory)
        print(f"{seconds:.3f} s, in which others registered {count} MRs, one of them in {most:.3f} s")
        tries.append(most / seconds)
    assert min(tries) < 0.3, tries      # if they waited for half of it: 0.4 and more


@row("reg.again", "an MR is registered again, with other access, and its key works")
def reg_again(name, gid):
    a, b = pinned_and(name, gid)
    b.memory.write(b"first")
    if rows.driver() != "mlx5":     # which takes what the child has at that address
        pid = fork()
        if not pid:
            try:
                b.mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, READABLE)
            except PyverbsError as error:
                os._exit("Invalid argument" not in str(error) and 2)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0, "a child registers its parent's memory again"
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, READABLE)
    a.send(e.IBV_WR_RDMA_READ, 1, 5, remote=b)
    a.wait()
    same(a, b"first")
    a.send(e.IBV_WR_RDMA_WRITE, 1, 5, remote=b)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


@row("killed", "a program with faults is killed")
def killed(name, gid):
    if os.environ.get("CXR_ODP") == "memory":   # what comes in advance of all memory is in MRs, too
        rows.shares_pages()
    reader, writer = os.pipe()
    pid = fork()
    if not pid:
        churn(name, gid, lambda: os.write(writer, b"x"))
    assert os.read(reader, 1) == b"x"
    time.sleep(0.5)
    os.kill(pid, 9)
    os.waitpid(pid, 0)


class Churn:
    """Requests that fault: in memory of MRs, and in memory of a key for all memory, whose parts come and go"""

    def __init__(self, name, gid):
        self.a, self.b = ends(name, gid, pages=64)
        self.all = MR(self.a.pd, access=ALL | ODP, implicit=True)
        self.memory = Memory(64)

    def again(self):
        for memory in (self.memory, self.a.memory, self.b.memory):
            memory.forget()
        self.a.send(e.IBV_WR_RDMA_WRITE, 1, 64 * PAGE, remote=self.b)
        wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_READ, num_sge=1, sg=[SGE(self.memory.address, 64 * PAGE, self.all.lkey)],
                    send_flags=SIGNALED)
        wr.set_wr_rdma(self.b.mr.rkey, self.b.mr.buf)
        self.a.qp.post_send(wr)
        self.a.wait(2)


def churn(name, gid, ready):
    """Requests that fault, for ever"""
    requests = Churn(name, gid)
    while True:
        requests.again()
        ready()


def faults(name, gid):
    """Requests that fault until the device goes; then the memory is still the program's"""
    requests = Churn(name, int(gid))
    try:
        while True:
            requests.again()
            print("ready", flush=True)
    except (PyverbsError, AssertionError, OSError) as why:
        print(why, flush=True)
    close_when_gone(requests.a.ctx, failed=True)
    for memory in (requests.memory, requests.a.memory, requests.b.memory):
        memory.write(b"here")
        memory.forget()
        assert memory.read(4) == bytes(4)


def begin(name, gid):
    return name, int(gid)


if __name__ == "__main__":
    if sys.argv[1:2] == ["obey"]:
        obey(lambda words: rows.apart(begin, words, sys.argv[2:]))
    if sys.argv[1:2] == ["faults"]:
        sys.exit(faults(*sys.argv[2:]))
    sys.exit(rows.main(__doc__, begin))
