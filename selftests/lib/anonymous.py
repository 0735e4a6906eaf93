# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Memory of a process that comes and goes, and children that inherit it."""
import ctypes
import mmap
import os

from libc import LIBC, fork

PAGE = mmap.PAGESIZE
MADV_DONTNEED = 4
ANONYMOUS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000     # no reserve: there may be more than the guest has
MAP_FIXED = 0x10
BOTH = mmap.PROT_READ | mmap.PROT_WRITE


class Memory:
    """Anonymous memory, none of which is there at first"""

    def __init__(self, pages=8):
        self.size = pages * PAGE
        self.address = self.map(None, ANONYMOUS)

    def map(self, address, flags):
        at = LIBC.mmap(address, self.size, BOTH, flags, -1, 0)
        assert at != ctypes.c_void_p(-1).value, os.strerror(ctypes.get_errno())
        return at

    def write(self, text, offset=0):
        ctypes.memmove(self.address + offset, text, len(text))

    def read(self, length, offset=0):
        return ctypes.string_at(self.address + offset, length)

    def forget(self):
        assert LIBC.madvise(self.address, self.size, MADV_DONTNEED) == 0

    def protect(self, how):
        assert LIBC.mprotect(self.address, self.size, how) == 0

    def unmap(self):
        assert LIBC.munmap(self.address, self.size) == 0

    def again(self):
        """Other memory at the same addresses"""
        assert self.map(self.address, ANONYMOUS | MAP_FIXED) == self.address


class Child:
    """It has @memory as it was, and may write to it at once."""

    def __init__(self, memory, first):
        self.reader, self.writer = os.pipe()
        said, says = os.pipe()
        has = b"child!" if first == "child" else b"before"
        self.pid = fork()
        if not self.pid:
            if first == "child":
                memory.write(has)
            os.write(says, b"x")
            os.read(self.reader, 1)
            os._exit(memory.read(6) != has)
        os.read(said, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.writer)

    def ends(self):
        os.write(self.writer, b"x")
        assert os.waitpid(self.pid, 0)[1] == 0, "the child sees what the parent has got"


class Crowd:
    """@n children, while the body runs"""

    def __init__(self, n):
        reader, self.writer = os.pipe()
        self.pids = []
        for _ in range(n):
            pid = fork()
            if not pid:
                os.close(self.writer)
                os.read(reader, 1)
                os._exit(0)
            self.pids.append(pid)
        os.close(reader)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.writer)
        for pid in self.pids:
            os.waitpid(pid, 0)
