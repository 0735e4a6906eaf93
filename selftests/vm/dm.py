#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: dm.py list | run ID DEVICE GID | obey DEVICE GID | maps | alloc | count

Memory on the device: how programs allocate, map and register it. `list` prints ids and sentences of the tests, `obey` is a
worker of lib/obey.sh, `maps` a program whose device goes, `alloc` one that prints the error of an allocation, or 0, and `count`
one that prints how many pages are free.
"""

import ctypes
import errno
import mmap
import os
import pathlib
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from pyverbs import enums as e  # noqa: E402
from pyverbs.device import AllocDmAttr, Context as Verbs, DM  # noqa: E402
from pyverbs.mr import DMMR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402
from pyverbs.wr import SGE, RecvWR, SendWR  # noqa: E402
from libc import LIBC, fork, keep_from_children  # noqa: E402
from obey import obey  # noqa: E402
import rows  # noqa: E402
from rows import row  # noqa: E402
from sides import ALL, SIGNALED, fill, pair, refused as verbs_refused, same  # noqa: E402
from uverbs import Device, Refused  # noqa: E402

PAGE = mmap.PAGESIZE
SIZE = 131072           # of the card's memory
PAGES = SIZE // PAGE
UNIT = 64
FIRST = 0x1000          # attributes and methods of the provider
MR, DM_OBJECT = 7, 14
DM_MR_REG, MR_DESTROY = 0, 1
DM_ALLOC, DM_FREE, DM_MAP_OP, DM_QUERY = 0, 1, FIRST, FIRST + 1
INCREMENT, TEST_AND_SET = 0, 1
MEMIC, STEERING, HEADER_MODIFY, UNKNOWN = 0, 1, 2, 77
DEVICE_MEM = 8          # command of an mmap() offset
LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, MW_BIND, ZERO_BASED, RELAXED = 1, 2, 4, 8, 16, 32, 1 << 20
NOBODY = 65534


def refused(code, call, *args, **more):
    try:
        call(*args, **more)
    except Refused as err:
        assert err.code == code, f"{errno.errorcode[err.code]} instead of {errno.errorcode[code]}"
        return
    raise AssertionError(f"accepted instead of {errno.errorcode[code]}")


class Map:
    """Pages of a device file, which are accessed by instructions of 1, 2, 4 and 8 bytes, as a program does"""

    TYPES = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}

    def __init__(self, ctx, index, offset=0, pages=1, flags=mmap.MAP_SHARED):
        pgoff = DEVICE_MEM << 8 | index & 0xff | index >> 8 << 16
        self.bytes = pages * PAGE
        self.start = LIBC.mmap(None, self.bytes, mmap.PROT_READ | mmap.PROT_WRITE, flags, ctx.fd, pgoff * PAGE)
        if self.start == ctypes.c_void_p(-1).value:
            raise Refused(ctypes.get_errno())
        keep_from_children(self.start, self.bytes)
        self.at = self.start + offset

    def load(self, offset, size=4):
        return self.TYPES[size].from_address(self.at + offset).value

    def store(self, offset, value, size=4):
        self.TYPES[size].from_address(self.at + offset).value = value

    def close(self):
        assert LIBC.munmap(self.start, self.bytes) == 0


class Context(Device):
    def __init__(self):
        super().__init__()
        self.context()

    def place(self, method, attrs, first):
        """(buffer, index for mmap(), offset) of a method that returns them from attribute @first on"""
        offset, index = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)
        buf = self.ioctl(DM_OBJECT, method, attrs + [(first, 8, ctypes.addressof(offset)), (first + 1, 2, ctypes.addressof(index))])
        return buf, struct.unpack_from("<H", index.raw)[0], struct.unpack("<Q", offset.raw)[0]

    def reg(self, dm, pd, offset, length, access):
        """The handle of an MR"""
        keys = ctypes.create_string_buffer(8)
        address = ctypes.addressof(keys)
        buf = self.ioctl(MR, DM_MR_REG, [(0, 0, 0), (1, 8, offset), (2, 8, length), (3, 0, pd), (4, 4, access), (5, 0, dm.handle),
                                         (6, 4, address), (7, 4, address + 4)])
        return struct.unpack_from("<Q", buf, 24 + 8)[0]

    def dereg(self, handle):
        self.ioctl(MR, MR_DESTROY, [(0, 0, handle)])


class Dm:
    """Memory on the device"""

    def __init__(self, ctx, length=PAGE, align=0, kind=None):
        attrs = [(0, 0, 0), (1, 8, length), (2, 4, align)]
        if kind is not None:
            attrs.append((FIRST + 2, 8, kind))
        buf, self.index, self.offset = ctx.place(DM_ALLOC, attrs, FIRST)
        self.handle = struct.unpack_from("<Q", buf, 24 + 8)[0]
        self.ctx = ctx
        self.pages = (length + PAGE - 1) // PAGE

    def map(self):
        return Map(self.ctx, self.index, self.offset, self.pages)

    def free(self):
        self.ctx.ioctl(DM_OBJECT, DM_FREE, [(0, 0, self.handle)])

    def query(self):
        """(index, offset, length)"""
        length = ctypes.create_string_buffer(8)
        attrs = [(FIRST, 0, self.handle), (FIRST + 3, 8, ctypes.addressof(length))]
        _, index, offset = self.ctx.place(DM_QUERY, attrs, FIRST + 1)
        return index, offset, struct.unpack("<Q", length.raw)[0]

    def op(self, op):
        """(index, offset) of the addresses of an operation"""
        return self.ctx.place(DM_MAP_OP, [(FIRST, 0, self.handle), (FIRST + 1, 1, op)], FIRST + 2)[1:]

    def map_op(self, op):
        return Map(self.ctx, *self.op(op), self.pages)


def exhaust(ctx, length=PAGE):
    """Allocations until there is no room"""
    dms = []
    while True:
        try:
            dms.append(Dm(ctx, length))
        except Refused as err:
            assert err.code == errno.ENOMEM, errno.errorcode[err.code]
            return dms


def is_free(pages=PAGES):
    """All is given back: so many pages can be allocated."""
    dms = exhaust(Context())
    assert len(dms) == pages, f"{len(dms)} pages of {pages} are free"


def child(function, *args):
    """Run it in another process; returns how that ended."""
    pid = fork()
    if not pid:
        code = 1
        try:
            function(*args)
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# ---- allocation ----------------------------------------------------------------------------------

@row("size", "the device says how much memory there is, and so much can be allocated at once")
def size(name, _):
    assert Verbs(name=name).query_device_ex().max_dm_size == SIZE
    Dm(Context(), SIZE)


@row("copy", "what is written to the memory is read")
def copy(name, _):
    ctx = Verbs(name=name)
    for length in (4, 100, PAGE, 3 * PAGE + 8, SIZE // 2):
        with DM(ctx, AllocDmAttr(length=length)) as dm:
            text = bytes(i * 7 & 0xff for i in range(min(length, 2 * PAGE)))
            dm.copy_to_dm(length - len(text), text, len(text))
            assert dm.copy_from_dm(length - len(text), len(text)) == text, length


@row("widths", "the memory is accessed by 1, 2, 4 and 8 bytes")
def widths(_name, _gid):
    m = Dm(Context(), 128).map()
    for width, value in ((8, 0x1122334455667788), (4, 0x99aabbcc), (2, 0xddee), (1, 0xff)):
        for at in (0, 64, 128 - width):
            m.store(at, value, width)
            assert m.load(at, width) == value
            assert m.load(at, 1) == value & 0xff


@row("pages", "no two allocations share a page")
def pages(_name, _gid):
    ctx = Context()
    dms = [Dm(ctx, UNIT) for _ in range(4)]
    maps = [dm.map() for dm in dms]
    for i, m in enumerate(maps):
        m.store(0, i + 1)
    assert len({dm.index for dm in dms}) == 4
    assert [m.load(0) for m in maps] == [1, 2, 3, 4]
    assert [dm.map().load(0) for dm in dms] == [1, 2, 3, 4], "a second mapping shows the same"


@row("align", "memory is aligned as asked for, up to a page; more is refused")
def align(_name, _gid):
    ctx = Context()
    for log in range(13):
        assert Dm(ctx, 200, log).offset % (1 << log) == 0
    for log in (13, 32, 0xffffffff):
        refused(errno.EINVAL, Dm, ctx, 200, log)


@row("lengths", "lengths that are invalid, or more than there is, are refused")
def lengths(_name, _gid):
    ctx = Context()
    for length in (0, (1 << 64) - 1, (1 << 64) - 63):
        refused(errno.EINVAL, Dm, ctx, length)
    for length in (SIZE + 1, 2 * SIZE, 1 << 31, 1 << 40):
        refused(errno.ENOMEM, Dm, ctx, length)
    is_free()


@row("exhausted", "the memory can be allocated to its last page; what is freed can be allocated again")
def exhausted(_name, _gid):
    ctx = Context()
    dms = exhaust(ctx)
    assert len(dms) == PAGES, len(dms)
    dms[3].free()
    dms[5].free()
    refused(errno.ENOMEM, Dm, ctx, 2 * PAGE)
    dms[4].free()
    Dm(ctx, 2 * PAGE + 1).map().store(2 * PAGE, 5)
    refused(errno.ENOMEM, Dm, ctx, 1)


@row("types", "memory of other types is refused, and not even that is said to everybody")
def types(_name, _gid):
    ctx = Context()
    Dm(ctx, kind=MEMIC)
    for kind in (STEERING, HEADER_MODIFY, UNKNOWN):
        refused(errno.EOPNOTSUPP, Dm, ctx, kind=kind)

    def nobody():
        os.setresuid(NOBODY, NOBODY, NOBODY)
        refused(errno.EPERM, Dm, ctx, kind=STEERING)
        refused(errno.EPERM, Dm, ctx, kind=HEADER_MODIFY)
        refused(errno.EOPNOTSUPP, Dm, ctx, kind=UNKNOWN)
        Dm(ctx)
    assert child(nobody) == 0


# ---- mappings ------------------------------------------------------------------------------------

@row("query", "a program is told where the memory is, and how long")
def query(_name, _gid):
    dm = Dm(Context(), 2 * PAGE + 100)
    assert dm.query() == (dm.index, dm.offset, 2 * PAGE + 100)


@row("mmap", "only the whole memory can be mapped, and only shared")
def wrong_maps(_name, _gid):
    ctx = Context()
    dm = Dm(ctx, 2 * PAGE)
    for count in (1, 3):
        refused(errno.EINVAL, Map, ctx, dm.index, pages=count)
    refused(errno.EINVAL, Map, ctx, dm.index, pages=2, flags=mmap.MAP_PRIVATE)
    for index in (dm.index + 1, dm.index + 2, 0x1234, 0xffff):
        refused(errno.EINVAL, Map, ctx, index, pages=2)
    dm.free()
    refused(errno.EINVAL, Map, ctx, dm.index, pages=2)


@row("process", "a process maps no memory of another")
def process(_name, _gid):
    dm = Dm(Context())
    m = dm.map()
    m.store(0, 0x600d)

    def other():
        ctx = Context()
        refused(errno.EINVAL, Map, ctx, dm.index)
        mine = Dm(ctx).map()
        mine.store(0, 0xbad)
        refused(errno.EINVAL, Map, ctx, dm.index + 1)
    assert child(other) == 0
    assert m.load(0) == 0x600d


@row("freed", "memory that is mapped lives on when it is freed, until it is unmapped")
def freed(_name, _gid):
    ctx = Context()
    dm = Dm(ctx, 2 * PAGE)
    maps = [dm.map(), dm.map()]
    maps[0].store(PAGE, 7)
    dm.free()
    rest = exhaust(ctx)
    assert len(rest) == PAGES - 2, len(rest)
    for other in rest:
        other.map().store(0, 1)
    assert maps[1].load(PAGE) == 7
    maps[1].store(PAGE, 8)
    maps.pop().close()
    refused(errno.ENOMEM, Dm, ctx)
    assert maps[0].load(PAGE) == 8
    maps.pop().close()
    Dm(ctx, 2 * PAGE)


# ---- operations ----------------------------------------------------------------------------------

@row("op.increment", "a byte that is written to the address of an increment is added")
def increment(_name, _gid):
    dm = Dm(Context())
    m, inc = dm.map(), dm.map_op(INCREMENT)
    m.store(100, 0)
    for value in (1, 1, 0xff, 3):
        inc.store(101, value, 1)
    assert m.load(100) == 4 << 8


@row("op.test-and-set", "a read of the address of a test-and-set returns the byte, and sets it to 1")
def test_and_set(_name, _gid):
    dm = Dm(Context())
    m, test = dm.map(), dm.map_op(TEST_AND_SET)
    m.store(100, 0x55)
    assert [test.load(100, 1), test.load(100, 1), m.load(100)] == [0x55, 1, 1]


@row("op.again", "an operation that is asked for again has the same address")
def op_again(_name, _gid):
    dm = Dm(Context(), 100)
    assert dm.op(INCREMENT) == dm.op(INCREMENT) != dm.op(TEST_AND_SET)


@row("op.unknown", "operations that the device does not have are refused")
def op_unknown(_name, _gid):
    dm = Dm(Context())
    for op in (2, 31, 32, 255):
        refused(errno.EOPNOTSUPP, dm.op, op)


@row("op.freed", "an operation that is mapped keeps the memory that is freed")
def op_freed(_name, _gid):
    ctx = Context()
    dm = Dm(ctx)
    inc, test = dm.map_op(INCREMENT), dm.map_op(TEST_AND_SET)
    dm.map().store(8, 0)
    dm.free()
    assert len(exhaust(ctx)) == PAGES - 1
    inc.store(8, 6, 1)
    assert test.load(8, 1) == 6


# ---- memory regions ------------------------------------------------------------------------------

KEY = e.IBV_ACCESS_ZERO_BASED | ALL


def region(ctx, side, length=PAGE, access=KEY, offset=0, dm_length=None):
    """(memory, its MR in the PD of @side)"""
    dm = DM(ctx, AllocDmAttr(length=dm_length or length))
    return dm, DMMR(side.pd, length, access, dm, offset)


def remote(side, opcode, length, mr, at=0, status=e.IBV_WC_SUCCESS, atomic=None):
    """A request of @side to the MR, whose addresses begin at 0"""
    wr = SendWR(wr_id=1, opcode=opcode, num_sge=1, sg=[side.sge(length)], send_flags=SIGNALED)
    if atomic is None:
        wr.set_wr_rdma(mr.rkey, at)
    else:
        wr.set_wr_atomic(mr.rkey, at, atomic, 0)
    side.qp.post_send(wr)
    return side.wait(status=status)


@row("mr.remote", "RDMA WRITE, RDMA READ and atomics reach the memory")
def mr_remote(name, gid):
    ctx = Verbs(name=name)
    a, b = pair(ctx, gid)
    dm, mr = region(ctx, b, 2 * PAGE)
    text = bytes(i * 11 & 0xff for i in range(5000))
    fill(a, text)
    remote(a, e.IBV_WR_RDMA_WRITE, len(text), mr, 64)
    assert dm.copy_from_dm(64, 5000) == text
    dm.copy_to_dm(0, b"by the CPU 1", 12)
    remote(a, e.IBV_WR_RDMA_READ, 12, mr)
    same(a, b"by the CPU 1")
    dm.copy_to_dm(8, (40).to_bytes(8, sys.byteorder), 8)
    remote(a, e.IBV_WR_ATOMIC_FETCH_AND_ADD, 8, mr, 8, atomic=2)
    same(a, (40).to_bytes(8, sys.byteorder))
    assert dm.copy_from_dm(8, 8) == (42).to_bytes(8, sys.byteorder)


@row("mr.local", "the memory is sent from, and received into")
def mr_local(name, gid):
    ctx = Verbs(name=name)
    a, b = pair(ctx, gid)
    dm, mr = region(ctx, a, 2 * PAGE)
    text = bytes(i * 7 & 0xff for i in range(3000))
    dm.copy_to_dm(0, text, len(text))
    b.recv(2, len(text))
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(0, len(text), mr.lkey)], send_flags=SIGNALED)
    a.qp.post_send(wr)
    a.wait()
    b.wait()
    same(b, text)
    a.qp.post_recv(RecvWR(wr_id=3, sg=[SGE(PAGE, len(text), mr.lkey)], num_sge=1))
    b.send(e.IBV_WR_SEND, 4, len(text))
    b.wait()
    a.wait()
    assert dm.copy_from_dm(PAGE, len(text)) == text


@row("mr.part", "an MR of a part of the memory begins there, and ends where it is to end")
def mr_part(name, gid):
    ctx = Verbs(name=name)
    a, b = pair(ctx, gid)
    dm, mr = region(ctx, b, 64, offset=128, dm_length=256)
    dm.copy_to_dm(128, b"here", 4)
    remote(a, e.IBV_WR_RDMA_READ, 4, mr)
    same(a, b"here")
    remote(a, e.IBV_WR_RDMA_READ, 4, mr, 61, status=e.IBV_WC_REM_ACCESS_ERR)


@row("mr.rights", "an MR has the access that it is registered with")
def mr_rights(name, gid):
    ctx = Verbs(name=name)
    a, b = pair(ctx, gid)
    _, mr = region(ctx, b, access=e.IBV_ACCESS_ZERO_BASED | e.IBV_ACCESS_REMOTE_READ)
    remote(a, e.IBV_WR_RDMA_READ, 4, mr)
    remote(a, e.IBV_WR_RDMA_WRITE, 4, mr, status=e.IBV_WC_REM_ACCESS_ERR)


@row("mr.access", "access that such memory does not have is refused, and so are addresses that are not from 0 on")
def mr_access(_name, _gid):
    ctx = Context()
    dm, pd = Dm(ctx), ctx.pd()
    for access in (0, LOCAL_WRITE, ZERO_BASED | MW_BIND, ZERO_BASED | RELAXED):
        refused(errno.EINVAL, ctx.reg, dm, pd, 0, 64, access)
    ctx.reg(dm, pd, 0, 64, ZERO_BASED | LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)


@row("mr.range", "an MR is within the memory; it may have no bytes")
def mr_range(_name, _gid):
    ctx = Context()
    dm, pd = Dm(ctx, 100), ctx.pd()
    for offset, length in ((0, 101), (100, 1), (1, 100), (101, 0), (1 << 63, 1), (1, (1 << 64) - 1)):
        refused(errno.EINVAL, ctx.reg, dm, pd, offset, length, ZERO_BASED)
    for offset, length in ((0, 100), (99, 1), (100, 0), (0, 0)):
        ctx.reg(dm, pd, offset, length, ZERO_BASED)


@row("mr.holds", "memory with an MR cannot be freed")
def mr_holds(_name, _gid):
    ctx = Context()
    dm = Dm(ctx)
    mr = ctx.reg(dm, ctx.pd(), 0, PAGE, ZERO_BASED)
    refused(errno.EBUSY, dm.free)
    ctx.dereg(mr)
    dm.free()


@row("mr.changes", "an MR of the memory cannot be reregistered")
def mr_changes(name, _gid):
    ctx = Verbs(name=name)
    pd = PD(ctx)
    mr = DMMR(pd, 64, KEY, DM(ctx, AllocDmAttr(length=64)), 0)
    verbs_refused(errno.EINVAL, mr.rereg, e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, e.IBV_ACCESS_LOCAL_WRITE)
    verbs_refused(errno.EINVAL, mr.rereg, e.IBV_REREG_MR_CHANGE_PD, PD(ctx), 0, 0, 0)


# ---- the end of a program, and of the device -----------------------------------------------------

@row("killed", "a program with mappings, operations and MRs is killed: its memory is free")
def killed(_name, _gid):
    reader, writer = os.pipe()
    pid = fork()
    if not pid:
        ctx = Context()
        dms = exhaust(ctx)
        kept = [dm.map() for dm in dms[1:]] + [dms[2].map_op(INCREMENT), dms[2].map_op(TEST_AND_SET)]
        ctx.reg(dms[3], ctx.pd(), 0, PAGE, ZERO_BASED)
        dms[4].free()
        os.write(writer, b"%d" % len(kept))
        time.sleep(1000)
    assert os.read(reader, 8) == b"%d" % (PAGES + 1)
    refused(errno.ENOMEM, Dm, Context())
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    is_free()


def is_gone(ctx):
    """Does the kernel have nothing of the device for the program any more?"""
    try:
        Dm(ctx).free()
    except Refused as err:
        return err.code == errno.EIO
    return False


def maps():
    """Map memory and operations; access them while and after the device goes."""
    ctx = Context()
    dm = Dm(ctx)
    m, inc = dm.map(), dm.map_op(INCREMENT)
    ctx.reg(dm, ctx.pd(), 0, PAGE, ZERO_BASED)
    m.store(0, 1)
    print("ready", flush=True)
    while m.load(0):
        m.store(4, 5)
    # that of a device that has failed may read as zeroes before it goes
    while not is_gone(ctx):
        time.sleep(0.05)
    inc.store(0, 1, 1)
    m.store(0, 9)
    m.close()
    inc.close()
    print("gone")


def alloc():
    """Allocate a page, and fill it; that it is gone is seen by the next one."""
    try:
        Dm(Context()).map().store(0, 1)
        print(0)
    except Refused as err:
        print(errno.errorcode[err.code])


def begin(name, gid):
    return name, int(gid)


if __name__ == "__main__":
    if sys.argv[1:2] == ["obey"]:
        obey(lambda words: rows.apart(begin, words, sys.argv[2:]))
    if sys.argv[1:] == ["alloc"]:
        sys.exit(alloc())
    if sys.argv[1:] == ["count"]:
        print(len(exhaust(Context())))
        sys.exit(0)
    if sys.argv[1:] == ["maps"]:
        sys.exit(maps())
    sys.exit(rows.main(__doc__, begin))
