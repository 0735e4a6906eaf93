# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The C library, for mappings that Python does not make."""
import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
MADV_DONTFORK = 10


def keep_from_children(start, length):
    """Pages of a device that no child inherits: ib_core's locks of mappings are in one order in fork(), and in another when a device
    goes, and lockdep of 6.12 tells"""
    assert LIBC.madvise(start, length, MADV_DONTFORK) == 0


def fork():
    """A child without the pages of devices, which it could not use"""
    with open("/proc/self/maps", encoding="ascii") as maps:
        places = [line.split()[0].split("-") for line in maps if "/dev/infiniband/uverbs" in line]
    for start, end in places:
        keep_from_children(int(start, 16), int(end, 16) - int(start, 16))
    return os.fork()
