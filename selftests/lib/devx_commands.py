# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""DEVX without a library: contexts, commands in the layouts of include/prm, memory, events."""

import ctypes
import errno
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
from prm_layouts import Layouts  # noqa: E402
from uverbs import PAGE, Device, Memory, Refused  # noqa: E402

LAYOUTS = Layouts(pathlib.Path(__file__).resolve().parent.parent.parent / "include" / "prm")
OPCODES = {}

DEVX, OBJ, UMEM, ASYNC_FD, EVENT_FD = 0x1000, 0x1001, 0x1002, 0x1004, 0x1005
OTHER, QUERY_UAR, QUERY_EQN, SUBSCRIBE = 0x1000, 0x1001, 0x1002, 0x1003
CREATE, DESTROY, MODIFY, QUERY, ASYNC_QUERY = 0x1000, 0x1001, 0x1002, 0x1003, 0x1004
FIRST = 0x1000          # attribute of each method
DEALLOC_PD, DESTROY_CQ = 4, 20
LOCAL_WRITE = 1
OMIT_DATA = 1
CQ_ERROR, PORT_CHANGE = 4, 9    # events
PAGE_SHIFT = 12


def _read_opcodes():
    text = (LAYOUTS.headers[0].parent / "cmdif.h").read_text()
    for line in text.splitlines():
        words = line.replace("X(", "").replace(")", "").replace("\\", "").split(",")
        if len(words) == 2 and words[1].strip().startswith("0x") and words[0].strip().isidentifier():
            OPCODES[words[0].strip()] = int(words[1].strip(), 16)


_read_opcodes()


def places(layout):
    return {path: (bit, width) for path, bit, width in LAYOUTS.leaves(LAYOUTS.by_name[layout])}


def put(buf, bit, width, value):
    whole = int.from_bytes(buf, "big")
    shift = 8 * len(buf) - bit - width
    whole &= ~(((1 << width) - 1) << shift)
    buf[:] = (whole | value << shift).to_bytes(len(buf), "big")


def get(data, layout, field):
    bit, width = places(layout)[field]
    return int.from_bytes(data, "big") >> 8 * len(data) - bit - width & (1 << width) - 1


def command(name, tail=b"", **fields):
    """Input of a command; a dot in the name of a field is two underscores."""
    layout = name + "_in"
    buf = bytearray(LAYOUTS.width(layout) // 8)
    where = places(layout)
    for field, value in {"opcode": OPCODES[name], **fields}.items():
        put(buf, *where[field.replace("__", ".")], value)
    return bytes(buf) + tail


class Status(Exception):
    """The device has refused the command."""

    def __init__(self, status, syndrome):
        super().__init__(f"status {status:#x}, syndrome {syndrome:#x}")
        self.status = status


class Context(Device):
    """A context with a number of its own, unless @devx is False"""

    def __init__(self, devx=True):
        super().__init__()
        self.context(flags=1 if devx else 0)

    def _run(self, obj, method, attrs, name, out_len, cut):
        """Run a command; returns the output."""
        data = name[:cut]
        source = ctypes.create_string_buffer(data, max(len(data), 1))
        out = ctypes.create_string_buffer(out_len)
        address = ctypes.addressof(source)
        if len(data) <= 8:
            address = int.from_bytes(data.ljust(8, b"\0"), "little")
        first = FIRST + len(attrs)
        attrs = attrs + [(first, len(data), address), (first + 1, out_len, ctypes.addressof(out))]
        try:
            buf = self.ioctl(obj, method, attrs)
        except Refused as e:
            if e.code == errno.EREMOTEIO:
                raise Status(out.raw[0], struct.unpack_from(">I", out.raw, 4)[0]) from e
            raise
        return out.raw, buf

    def other(self, data, out="mbox_out", cut=None, out_len=None):
        return self._run(DEVX, OTHER, [], data, out_len or LAYOUTS.width(out) // 8, cut)[0]

    def create(self, data, out, cut=None, out_len=None):
        """(handle, output)"""
        raw, buf = self._run(OBJ, CREATE, [(FIRST, 0, 0)], data, out_len or LAYOUTS.width(out) // 8, cut)
        return struct.unpack_from("<Q", buf, 24 + 8)[0], raw

    def destroy(self, handle, obj=OBJ):
        self.ioctl(obj, DESTROY, [(FIRST, 0, handle)])

    def modify(self, handle, data, out="mbox_out", cut=None):
        return self._run(OBJ, MODIFY, [(FIRST, 0, handle)], data, LAYOUTS.width(out) // 8, cut)[0]

    def query(self, handle, data, out, cut=None):
        return self._run(OBJ, QUERY, [(FIRST, 0, handle)], data, LAYOUTS.width(out) // 8, cut)[0]

    def eqn(self, vector=0):
        out = ctypes.create_string_buffer(8)
        self.ioctl(DEVX, QUERY_EQN, [(FIRST, 4, vector), (FIRST + 1, 4, ctypes.addressof(out))])
        return struct.unpack_from("<I", out.raw)[0]

    def umem(self, addr, length, access=LOCAL_WRITE, sizes=None):
        """(handle, number)"""
        out = ctypes.create_string_buffer(8)
        attrs = [(FIRST, 0, 0), (FIRST + 1, 8, addr), (FIRST + 2, 8, length), (FIRST + 3, 8, access),
                 (FIRST + 4, 4, ctypes.addressof(out))]
        if sizes is not None:
            attrs.append((FIRST + 5, 8, sizes))
        buf = self.ioctl(UMEM, CREATE, attrs)
        return struct.unpack_from("<Q", buf, 24 + 8)[0], struct.unpack_from("<I", out.raw)[0]

    def event_file(self, flags=0):
        buf = self.ioctl(EVENT_FD, CREATE, [(FIRST, 0, 0), (FIRST + 1, 8, flags)])
        return struct.unpack_from("<q", buf, 24 + 8)[0]

    def subscribe(self, file, events, handle=None, cookie=None, signal=None):
        raw = struct.pack(f"<{len(events)}H", *events)
        held = ctypes.create_string_buffer(raw, len(raw))
        value = int.from_bytes(raw.ljust(8, b"\0"), "little") if len(raw) <= 8 else ctypes.addressof(held)
        attrs = [(FIRST, 0, file)]
        if handle is not None:
            attrs.append((FIRST + 1, 0, handle))
        attrs.append((FIRST + 2, len(raw), value))
        if signal is not None:
            attrs.append((FIRST + 3, 4, signal & 0xffffffff))
        if cookie is not None:
            attrs.append((FIRST + 4, 8, cookie))
        self.ioctl(DEVX, SUBSCRIBE, attrs)

    def async_file(self):
        return struct.unpack_from("<q", self.ioctl(ASYNC_FD, CREATE, [(FIRST, 0, 0)]), 24 + 8)[0]

    def async_query(self, handle, data, file, wr_id, out_len):
        source = ctypes.create_string_buffer(data, len(data))
        self.ioctl(OBJ, ASYNC_QUERY, [(FIRST, 0, handle), (FIRST + 1, len(data), ctypes.addressof(source)),
                                      (FIRST + 2, 0, file), (FIRST + 3, 8, wr_id), (FIRST + 4, 8, out_len)])

    def verbs_destroy_cq(self, handle):
        self.command(DESTROY_CQ, struct.pack("<II", handle, 0), 8)

    def verbs_dealloc_pd(self, handle):
        self.plain(DEALLOC_PD, struct.pack("<I", handle))


class Cq:
    """A CQ of 2^log entries whose memory is a umem"""

    def __init__(self, ctx, log=4, **more):
        self.mem = Memory(2)
        ctypes.memset(self.mem.addr, 0xf1, 64 << log)       # owned by the device
        self.umem, number = ctx.umem(self.mem.addr, 2 * PAGE)
        self.uar, _ = ctx.uar()
        fields = {"cq_context__log_cq_size": log, "cq_context__uar_page": self.uar,
                  "cq_context__c_eqn_or_apu_element": ctx.eqn(), "cq_context__dbr_umem_id": number,
                  "cq_context__dbr_addr": PAGE, "cq_umem_id": number}
        self.handle, out = ctx.create(command("create_cq", **{**fields, **more}), "create_cq_out")
        self.cqn = get(out, "create_cq_out", "cqn")


def pd(ctx):
    """(handle, number)"""
    handle, out = ctx.create(command("alloc_pd"), "alloc_pd_out")
    return handle, get(out, "alloc_pd_out", "pd")


class Qp:
    """An RC QP whose memory is a umem"""

    def __init__(self, ctx, pdn, cqn, uar):
        self.mem = Memory(3)
        self.umem, number = ctx.umem(self.mem.addr, 3 * PAGE)
        self.handle, out = ctx.create(
            command("create_qp", qpc__st=0, qpc__pm_state=3, qpc__pd=pdn, qpc__uar_page=uar, qpc__log_sq_size=4,
                    qpc__log_rq_size=4, qpc__cqn_snd=cqn, qpc__cqn_rcv=cqn, qpc__dbr_umem_id=number,
                    qpc__dbr_addr=2 * PAGE, qpc__ts_format=1, wq_umem_id=number), "create_qp_out")
        self.qpn = get(out, "create_qp_out", "qpn")
