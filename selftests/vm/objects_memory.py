# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Atomics, memory regions and memory windows, rows of objects.py.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import struct
import sys

from pyverbs import enums as e
from pyverbs.device import Context
from pyverbs.mr import MR, MW, DmaBufMR, MWBindInfo, MWBind
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.wr import SGE, SendWR

from libc import fork
from rows import Skip, driver, kernel, lacks, row
from sides import ALL, SIGNALED, UMR_PAGES, Scattered, Side, fill, has, pair, refused, require_adapter, same


# ---- atomics -----------------------------------------------------------------------------------

def value(side, offset=0):
    return int.from_bytes(side.mr.read(8, offset), sys.byteorder)


@row("atomics", "fetch-and-add and compare-and-swap")
def atomics(ctx, gid):
    """both operations return the previous value and store the new one"""
    if ctx.query_device().atomic_caps == e.IBV_ATOMIC_NONE:
        lacks("atomics")
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


@row("atomics.denied", "atomics on an MR without remote atomic access fail")
def atomics_denied(ctx, gid):
    """completion error for an MR without remote atomic access"""
    if ctx.query_device().atomic_caps == e.IBV_ATOMIC_NONE:
        lacks("atomics")
    a = Side(ctx, gid)
    b = Side(ctx, gid, access=ALL & ~e.IBV_ACCESS_REMOTE_ATOMIC)
    a.connect(b)
    b.connect(a)
    a.send(e.IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 8, remote=b, compare=5)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


# ---- memory regions ----------------------------------------------------------------------------

def another_page():
    """Memory that shares no page with another region, and its address"""
    memory = mmap.mmap(-1, 4096)
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


def write_to(a, b, address, length):
    wr = SendWR(wr_id=2, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(length)], send_flags=SIGNALED)
    wr.set_wr_rdma(b.mr.rkey, address)
    return wr


@row("mr.changes", "an MR can be reregistered")
def rereg(ctx, gid):
    """change access, translation, and PD"""
    a, b = pair(ctx, gid)
    other, address = another_page()
    text = b"written after the change"
    fill(a, text)
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0,
               e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
    a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
    a.wait()
    same(b, text)
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION, None, address, 4096, 0)
    wr = write_to(a, b, address, len(text))
    a.qp.post_send(wr)
    a.wait()
    assert other[:len(text)] == text
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_PD, PD(ctx), 0, 0, 0)
    a.qp.post_send(wr)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


@row("mr.keeps-key", "an MR keeps its key when its access or PD changes")
def rereg_key(ctx, gid):
    """change access and PD without changing the key"""
    a, b = pair(ctx, gid)
    key, text = b.mr.rkey, b"under the same key"
    other = PD(ctx)

    def change(flags, pd=None, access=0):
        b.mr.rereg(flags, pd, 0, 0, access)
        assert b.mr.rkey == key and b.mr.lkey == key, "the key has changed"

    fill(a, text)
    change(e.IBV_REREG_MR_CHANGE_ACCESS)
    change(e.IBV_REREG_MR_CHANGE_PD, other)
    change(e.IBV_REREG_MR_CHANGE_ACCESS | e.IBV_REREG_MR_CHANGE_PD, b.pd, ALL)
    a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
    a.wait()
    same(b, text)
    change(e.IBV_REREG_MR_CHANGE_ACCESS, access=e.IBV_ACCESS_LOCAL_WRITE)
    change(e.IBV_REREG_MR_CHANGE_PD, other)
    change(e.IBV_REREG_MR_CHANGE_PD, b.pd)
    a.send(e.IBV_WR_RDMA_WRITE, 2, len(text), remote=b)
    a.wait(status=e.IBV_WC_REM_ACCESS_ERR)


@row("mr.read-only", "an MR of memory that was pinned for reading does not become writable, unless it is given memory")
def rereg_read_only(ctx, gid):
    """neither here nor in a child, whose memory at that address is another; and it stays as it was"""
    if driver() == "mlx5" and kernel() == "6.1":
        raise Skip("the in-tree driver of 6.1 does not look how memory was pinned")
    a = Side(ctx, gid)
    b = Side(ctx, gid, access=e.IBV_ACCESS_REMOTE_READ)
    a.connect(b)
    b.connect(a)
    text = b"read, not written"
    fill(b, text)
    pid = fork()
    if not pid:
        try:
            refused(errno.EACCES, b.mr.rereg, e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, ALL)
        except BaseException as err:    # nothing of the parent is for the child
            print(err, flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0, "a child makes it writable"
    for more, pd in ((0, None), (e.IBV_REREG_MR_CHANGE_PD, PD(ctx))):
        refused(errno.EACCES, b.mr.rereg, e.IBV_REREG_MR_CHANGE_ACCESS | more, pd, 0, 0, e.IBV_ACCESS_LOCAL_WRITE)
    a.send(e.IBV_WR_RDMA_READ, 1, len(text), remote=b)
    a.wait()
    same(a, text)
    _other, address = another_page()
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS | e.IBV_REREG_MR_CHANGE_TRANSLATION, None, address, 4096, ALL)
    a.qp.post_send(write_to(a, b, address, len(text)))
    a.wait()


@row("mr.new-key", "an MR gets a new key if the UMR for its change fails")
def rereg_new_key(ctx, gid):
    """if the UMR fails, the MR gets a new key; the next change keeps it"""
    if driver() != "cxr":
        raise Skip("needs a driver that falls back to a new key")
    # No UMR registers so many pages: the first one changes the key
    a, b = (Side(ctx, gid, memory=Scattered(UMR_PAGES + 1)) for _ in range(2))
    a.connect(b)
    b.connect(a)
    key, text = b.mr.rkey, b"under another key"
    fill(a, text)
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
    assert b.mr.rkey != key, "the key has not changed"
    a.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=b)
    a.wait()
    same(b, text)
    key = b.mr.rkey
    b.mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, ALL)
    assert b.mr.rkey == key, "the next change changed the key, too"


DMA_HEAP_ALLOC = 0xc0184800
NO_HEAP = "6.1", "debug", "kcsan", "host"    # kernels built without dma-buf heaps


def heap_buffer(size):
    """allocate a dma-buf from the system heap; returns its file descriptor"""
    try:
        heap = os.open("/dev/dma_heap/system", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError as err:
        if kernel() not in NO_HEAP:
            raise
        raise Skip("this kernel has no dma-buf heap") from err
    request = bytearray(struct.pack("<QIIQ", size, 0, os.O_RDWR | os.O_CLOEXEC, 0))
    fcntl.ioctl(heap, DMA_HEAP_ALLOC, request)
    os.close(heap)
    return struct.unpack_from("<I", request, 8)[0]


@row("mr.dma-buffer", "an MR covers part of a dma-buf")
def dma_buffer(ctx, gid):
    """written by the peer and read through a mapping of the dma-buf, and the other way round"""
    a, b = pair(ctx, gid)
    start, fd = 4096, heap_buffer(16384)
    memory = mmap.mmap(fd, 16384)
    try:
        mr = DmaBufMR(b.pd, 8192, ALL, fd, start)    # addresses are offsets in the buffer
    except PyverbsRDMAError as err:
        if err.error_code != errno.EOPNOTSUPP:
            raise
        if driver() == "mlx5":
            raise Skip("the in-tree driver needs ODP for a dma-buf, which this adapter lacks") from err
        lacks("dma-buf MRs")

    def write(wr_id, address, length, status=e.IBV_WC_SUCCESS):
        wr = SendWR(wr_id=wr_id, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(length)], send_flags=SIGNALED)
        wr.set_wr_rdma(mr.rkey, address)
        a.qp.post_send(wr)
        a.wait(status=status)

    text = b"written by the peer, behind a page's end"
    fill(a, text)
    write(1, start + 4090, len(text))
    assert memory[start + 4090:start + 4090 + len(text)] == text
    memory[start:start + 16] = b"read by the peer"
    a.recv(2, 16)
    b.qp.post_send(SendWR(wr_id=3, opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(start, 16, mr.lkey)], send_flags=SIGNALED))
    b.wait()
    a.wait()
    same(a, b"read by the peer")
    refused(errno.EINVAL, DmaBufMR, b.pd, 8192, ALL, fd, 12288)    # longer than the buffer
    with open("/dev/null", "rb") as null:
        refused(errno.EINVAL, DmaBufMR, b.pd, 4096, ALL, null.fileno(), 0)
    write(4, start + 8192, 16, e.IBV_WC_REM_ACCESS_ERR)    # in the buffer, beyond the MR
    assert memory[start + 8192:start + 8208] == bytes(16)
    mr.close()
    memory.close()
    os.close(fd)


# ---- memory windows ----------------------------------------------------------------------------

def through(a, b, window, offset, status=e.IBV_WC_SUCCESS):
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(64)], send_flags=SIGNALED)
    wr.set_wr_rdma(window, b.mr.buf + offset)
    a.qp.post_send(wr)
    a.wait(status=status)


@row("mw.type1", "a type 1 memory window")
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


def window_2(side, window, offset, length):
    """bind a type 2 window to a part of the MR; returns its key"""
    wr = SendWR(wr_id=50, opcode=e.IBV_WR_BIND_MW, send_flags=SIGNALED)
    wr.set_bind_wr(window, MWBindInfo(side.mr, side.mr.buf + offset, length, e.IBV_ACCESS_REMOTE_WRITE))
    side.qp.post_send(wr)
    assert side.wait()[0].opcode == e.IBV_WC_BIND_MW
    return wr.rkey


def invalidate(side, opcode, key):
    wr = SendWR(wr_id=51, opcode=opcode, send_flags=SIGNALED)
    wr.imm_data = key
    side.qp.post_send(wr)
    side.wait()


@row("mw.type2", "a type 2 memory window is bound, invalidated and bound again")
def window_type_2(ctx, gid):
    """bound by a work request, unusable after invalidation, bound again under another key"""
    has(e.IBV_DEVICE_MEM_WINDOW_TYPE_2B, ctx, "memory windows of type 2B")
    a, b = pair(ctx, gid, access=ALL | e.IBV_ACCESS_MW_BIND)
    window = MW(b.pd, e.IBV_MW_TYPE_2)
    key = window_2(b, window, 1024, 256)
    fill(a, b"2" * 64)
    through(a, b, key, 1024)
    same(b, b"2" * 64, 1024)
    invalidate(b, e.IBV_WR_LOCAL_INV, key)
    through(a, b, key, 1024, e.IBV_WC_REM_ACCESS_ERR)
    a, b2 = Side(ctx, gid), Side(ctx, gid, pd=b.pd, access=ALL | e.IBV_ACCESS_MW_BIND)
    a.connect(b2)
    b2.connect(a)
    wr = SendWR(wr_id=52, opcode=e.IBV_WR_BIND_MW, send_flags=SIGNALED)
    wr.set_bind_wr(window, MWBindInfo(b2.mr, b2.mr.buf, 64, e.IBV_ACCESS_REMOTE_WRITE))
    b2.qp.post_send(wr)
    b2.wait()
    fill(a, b"3" * 64)
    through(a, b2, wr.rkey, 0)
    same(b2, b"3" * 64)


@row("mw.remote-inv", "SEND with invalidate invalidates the peer's memory window")
def window_remote_inv(ctx, gid):
    """SEND with invalidate invalidates the window, and the receive completion has its key"""
    has(e.IBV_DEVICE_MEM_WINDOW_TYPE_2B, ctx, "memory windows of type 2B")
    a, b = pair(ctx, gid, access=ALL | e.IBV_ACCESS_MW_BIND)
    window = MW(b.pd, e.IBV_MW_TYPE_2)
    key = window_2(b, window, 0, 512)
    through(a, b, key, 0)
    b.recv(7, 64, 2048)
    invalidate(a, e.IBV_WR_SEND_WITH_INV, key)
    wc = b.wait()[0]
    assert wc.wr_id == 7 and wc.wc_flags & e.IBV_WC_WITH_INV, (wc.wr_id, wc.wc_flags)
    assert wc.imm_data == key, (hex(wc.imm_data), hex(key))
    through(a, b, key, 0, e.IBV_WC_REM_ACCESS_ERR)


# ---- import --------------------------------------------------------------------------------------

@row("imported", "context, PD and MR are imported through a file descriptor")
def imported(ctx, gid):
    """a second library instance uses context, PD and MR through the duplicated command fd"""
    require_adapter()
    home, far = Side(ctx, gid), Side(ctx, gid)
    again = Context(cmd_fd=os.dup(ctx.cmd_fd))
    pd = PD(again, handle=home.pd.handle)
    mr = MR(pd, handle=home.mr.handle, address=home.mr.buf)
    assert (mr.lkey, mr.rkey) == (home.mr.lkey, home.mr.rkey)
    near = Side(again, gid, pd=pd)
    near.mr.close()
    near.mr = mr
    near.connect(far)
    far.connect(near)
    text = b"into a region that was imported"
    fill(far, text)
    far.send(e.IBV_WR_RDMA_WRITE, 1, len(text), remote=near)
    far.wait()
    same(home, text)
    near.send(e.IBV_WR_RDMA_WRITE, 2, len(text), remote=far)
    near.wait()
    near.qp.close()
    near.cq.close()
    mr.unimport()
    pd.unimport()
