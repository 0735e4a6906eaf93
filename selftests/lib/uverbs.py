# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Raw requests to the uverbs character device, without a library, which a test can corrupt."""

import ctypes
import errno
import fcntl
import glob
import mmap
import os
import struct

GET_CONTEXT, ALLOC_PD, REG_MR, ALLOC_MW, CREATE_CQ, RESIZE_CQ, CREATE_QP = 0, 3, 9, 14, 18, 19, 24
OPEN_XRCD, CREATE_XSRQ, CREATE_WQ, CREATE_TABLE, MODIFY_CQ = 37, 39, 52, 55, 57
EXTENDED = 1 << 31
IOCTL = 0xc0181b01
DRIVER_MLX5 = 1
OBJECT_UAR, UAR_ALLOC = 0x1000 + 8, 0x1000
PAGE = mmap.PAGESIZE
NOWHERE = 0x10000    # never mapped: below vm.mmap_min_addr
RC, RAW_PACKET = 2, 8
SRQT_XRC = 1
WQT_RQ = 0
TOEPLITZ, QP_HAS_TABLE = 1, 1
CQ_UAR_INDEX, QP_UAR_INDEX = 2, 1 << 10


def own_gids():
    """(index, GID) of the first device. Own GIDs need no neighbour discovery, which can take a second."""
    found = []
    for path in glob.glob(sorted(glob.glob("/sys/class/infiniband/*/ports/1/gids"))[0] + "/*"):
        with open(path, encoding="ascii") as f:
            gid = bytes.fromhex(f.read().strip().replace(":", ""))
        if any(gid):
            found.append((int(os.path.basename(path)), gid))
    return sorted(found)


class Refused(Exception):
    def __init__(self, code):
        super().__init__(errno.errorcode.get(code, str(code)))
        self.code = code


class Memory:
    """Anonymous pages, which are kept until the process ends"""

    kept = []

    def __init__(self, pages=1):
        pages = mmap.mmap(-1, pages * PAGE)
        first = ctypes.c_char.from_buffer(pages)
        self.kept.append((pages, first))
        self.addr = ctypes.addressof(first)


class Answer:
    """Buffer for a response of the kernel"""

    def __init__(self, size):
        self.buf = ctypes.create_string_buffer(size)
        self.addr = ctypes.addressof(self.buf)

    def read(self):
        return self.buf.raw


class Device:
    answer = Answer

    def __init__(self):
        name = next(d for d in sorted(os.listdir("/sys/class/infiniband_verbs")) if d != "abi_version")
        self.fd = os.open("/dev/infiniband/" + name, os.O_RDWR | os.O_CLOEXEC)

    def command(self, number, body, answer_len, driver=b""):
        """Write a command; the address of the response, its first field, is added here."""
        answer = self.answer(answer_len)
        data = struct.pack("<Q", answer.addr) + body + driver
        head = struct.pack("<IHH", number, (8 + len(data)) // 4, answer_len // 4)
        try:
            os.write(self.fd, head + data)
        except OSError as e:
            raise Refused(e.errno) from e
        return answer.read()

    def plain(self, number, body):
        """Write a command without a response."""
        try:
            os.write(self.fd, struct.pack("<IHH", number, (8 + len(body)) // 4, 0) + body)
        except OSError as e:
            raise Refused(e.errno) from e

    def map_page(self, offset, pages=1):
        try:
            return mmap.mmap(self.fd, pages * PAGE, mmap.MAP_SHARED, mmap.PROT_WRITE, offset=offset)
        except OSError as e:
            raise Refused(e.errno) from e

    def close(self):
        os.close(self.fd)

    def extended(self, number, body, answer_len, driver=b"", answer_driver=32):
        """Write an extended command; the driver's part of the response may have answer_driver bytes"""
        answer = self.answer(answer_len + answer_driver)
        head = struct.pack("<IHH", number | EXTENDED, len(body) // 8, answer_len // 8)
        head += struct.pack("<QHHI", answer.addr, len(driver) // 8, answer_driver // 8, 0)
        try:
            os.write(self.fd, head + body + driver)
        except OSError as e:
            raise Refused(e.errno) from e
        return answer.read()

    def context(self, total=16, low=4, flags=0, mask=0, cqe_version=1, reserved=0, caps=3, cut=None,
                tail=b""):
        request = struct.pack("<IIIIBBHIQ", total, low, flags, mask, cqe_version, 0, 0, reserved, caps)
        answer = self.command(GET_CONTEXT, b"", 8 + 72, request[:cut] + tail)
        return struct.unpack_from("<IIII", answer, 8)

    def pd(self):
        return self.numbered_pd()[0]

    def numbered_pd(self):
        """(handle, number)"""
        return struct.unpack_from("<II", self.command(ALLOC_PD, b"", 8))

    def ioctl(self, obj, method, attrs):
        """attrs: (id, length, data or address); returns the buffer as left by the kernel"""
        raw = b"".join(struct.pack("<HHHHQ", i, n, 1, 0, data) for i, n, data in attrs)
        head = struct.pack("<HHHHQII", 24 + len(raw), obj, method, len(attrs), 0, DRIVER_MLX5, 0)
        buf = bytearray(head + raw)
        try:
            fcntl.ioctl(self.fd, IOCTL, buf)
        except OSError as e:
            raise Refused(e.errno) from e
        return buf

    def uar(self, kind=1):
        """Allocate a UAR; returns (index, mmap offset)"""
        out = [ctypes.create_string_buffer(8) for _ in range(3)]
        attrs = [(0x1000, 0, 0), (0x1001, 8, kind)]
        attrs += [(0x1002 + i, n, ctypes.addressof(out[i])) for i, n in enumerate((8, 4, 4))]
        self.ioctl(OBJECT_UAR, UAR_ALLOC, attrs)
        return struct.unpack("<I", out[2].raw[:4])[0], struct.unpack("<Q", out[0].raw)[0]

    def cq(self, uar, buf, db, entries=15, cqe_size=64, flags=CQ_UAR_INDEX, reserved=0, cut=None,
           tail=b""):
        body = struct.pack("<QIIiI", 0, entries, 0, -1, 0)
        driver = struct.pack("<QQIBBHHHI", buf, db, cqe_size, 0, 0, flags, uar, reserved, 0)
        return struct.unpack_from("<I", self.command(CREATE_CQ, body, 8 + 8, driver[:cut] + tail))[0]

    def qp(self, pd, cq, uar, buf, db, kind=RC, sq=16, rq=16, shift=4, flags=QP_UAR_INDEX, uidx=5,
           recv=16, sq_buf=0, cut=None, tail=b""):
        body = struct.pack("<QIIIIIIIIIBBBB", 0, pd, cq, cq, 0, 16, recv, 1, 1, 0, 0, kind, 0, 0)
        driver = struct.pack("<QQIIIIIIQII", buf, db, sq, rq, shift, flags, uidx, uar, sq_buf, 0, 0)
        return self.command(CREATE_QP, body, 32 + 32, driver[:cut] + tail)

    def resize(self, cq, buf, entries=31, cqe_size=64, reserved=0, cut=None, tail=b""):
        body = struct.pack("<II", cq, entries)
        driver = struct.pack("<QHHI", buf, cqe_size, reserved, 0)
        return self.command(RESIZE_CQ, body, 8, driver[:cut] + tail)

    def xrcd(self):
        body = struct.pack("<iI", -1, os.O_CREAT)
        return struct.unpack_from("<I", self.command(OPEN_XRCD, body, 4))[0]

    def xsrq(self, pd, domain, cq, buf, db, entries=15, flags=0, uidx=7, cut=None,
             tail=b""):
        body = struct.pack("<QIIIIIIII", 0, SRQT_XRC, pd, entries, 1, 0, 0, domain, cq)
        driver = struct.pack("<QQIIII", buf, db, flags, 0, uidx, 0)
        return self.command(CREATE_XSRQ, body, 16 + 8, driver[:cut] + tail)

    def wq(self, pd, cq, buf, db, count=16, shift=4, flags=0, mask=0, cut=None, tail=b""):
        body = struct.pack("<IIQIIIIII", 0, WQT_RQ, 0, pd, cq, count, 1, 0, 0)
        driver = struct.pack("<QQIIIIIIII", buf, db, count, shift, 9, flags, mask, 0, 0, 0)
        return struct.unpack_from("<8xI", self.extended(CREATE_WQ, body, 24, driver[:cut] + tail))[0]

    def table(self, wq, log_size=1, driver=b""):
        body = struct.pack("<IIII", 0, log_size, wq, wq)
        return struct.unpack_from("<8xI", self.extended(CREATE_TABLE, body, 16, driver))[0]

    def rss(self, pd, table, fields=0, function=TOEPLITZ, key_len=40, reserved=0, flags=0, mask=0, cut=None,
            tail=b""):
        body = struct.pack("<QIIIIIIIIIBBBBIIII", 0, pd, 0, 0, 0, 0, 0, 0, 0, 0, 0, RAW_PACKET, 0, 0,
                           QP_HAS_TABLE, 0, table, 0)
        driver = struct.pack("<QBB6s128sII", fields, function, key_len, bytes([reserved]), bytes(range(40)),
                             mask, flags)
        return self.extended(CREATE_QP, body, 40, driver[:cut] + tail)

    def mw(self, pd, kind=1, mask=0, reserved=0, driver=True, tail=b""):
        body = struct.pack("<IBBBB", pd, kind, 0, 0, 0)
        request = struct.pack("<IBBH", mask, 0, 0, reserved) if driver else b""
        return self.command(ALLOC_MW, body, 8 + 8, request + tail)

    def mr(self, pd, start, length, access):
        body = struct.pack("<QQQII", start, length, start, pd, access)
        return self.command(REG_MR, body, 12)
