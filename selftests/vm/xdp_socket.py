#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: xdp_socket.py NETDEV MAP COUNT

An AF_XDP socket on queue 0 of the interface, entered into the pinned XSKMAP, that returns each frame to its sender, COUNT frames in
all. The kernel copies frames: the driver has no zero-copy mode.
"""
import ctypes
import mmap
import os
import select
import socket
import struct
import sys

AF_XDP, SOL_XDP, XDP_COPY = 44, 283, 1 << 1
MMAP_OFFSETS, RX_RING, TX_RING, UMEM_REG, FILL_RING, COMPLETION_RING = 1, 2, 3, 4, 5, 6
PAGE_OFFSETS = {RX_RING: 0, TX_RING: 0x80000000, FILL_RING: 0x100000000, COMPLETION_RING: 0x180000000}
DESC = struct.Struct("QII")     # address, length, options; the others have only the address
FRAMES, CHUNK = 64, 4096
SYS_BPF, OBJ_GET, MAP_UPDATE = 321, 7, 2
PATIENCE_MS = 100000

libc = ctypes.CDLL(None, use_errno=True)


def checked(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


class Ring:
    """One of the four rings. The kernel is at the other end."""

    def __init__(self, sock, kind, offsets, entry):
        sock.setsockopt(SOL_XDP, kind, FRAMES)
        self.producer, self.consumer, self.first, _ = offsets
        self.entry = entry
        self.memory = mmap.mmap(sock.fileno(), self.first + FRAMES * entry.size, offset=PAGE_OFFSETS[kind])

    def index(self, at):
        return struct.unpack_from("I", self.memory, at)[0]

    def put(self, *values):
        at = self.index(self.producer)
        self.entry.pack_into(self.memory, self.first + at % FRAMES * self.entry.size, *values)
        struct.pack_into("I", self.memory, self.producer, (at + 1) & 0xffffffff)

    def get(self):
        """The next entry, or None."""
        at = self.index(self.consumer)
        if at == self.index(self.producer):
            return None
        values = self.entry.unpack_from(self.memory, self.first + at % FRAMES * self.entry.size)
        struct.pack_into("I", self.memory, self.consumer, (at + 1) & 0xffffffff)
        return values


class Socket:
    def __init__(self, netdev):
        self.sock = socket.socket(AF_XDP, socket.SOCK_RAW)
        self.umem = mmap.mmap(-1, FRAMES * CHUNK)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.umem))
        self.sock.setsockopt(SOL_XDP, UMEM_REG, struct.pack("QQIIII", address, FRAMES * CHUNK, CHUNK, 0, 0, 0))
        address = struct.Struct("Q")
        # the rings exist before their offsets are asked for
        kinds = (RX_RING, TX_RING, FILL_RING, COMPLETION_RING)
        offsets = struct.unpack("16Q", self.sock.getsockopt(SOL_XDP, MMAP_OFFSETS, 128))
        self.rx, self.tx, self.fill, self.done = (
            Ring(self.sock, kind, offsets[4 * i:4 * i + 4], DESC if i < 2 else address) for i, kind in enumerate(kinds))
        name = struct.pack("HHIII", AF_XDP, XDP_COPY, socket.if_nametoindex(netdev), 0, 0)
        checked(libc.bind(self.sock.fileno(), name, len(name)), "bind")
        for n in range(FRAMES):
            self.fill.put(n * CHUNK)

    def enter(self, path):
        """The entry of queue 0 in the map."""
        name = ctypes.create_string_buffer(path.encode())
        attr = struct.pack("QII", ctypes.addressof(name), 0, 0)
        fd = checked(libc.syscall(SYS_BPF, OBJ_GET, attr, len(attr)), path)
        key, value = ctypes.c_uint32(0), ctypes.c_uint32(self.sock.fileno())
        attr = struct.pack("IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(value), 0)
        checked(libc.syscall(SYS_BPF, MAP_UPDATE, attr, len(attr)), path)

    def turn_round(self):
        """Send what has been received back; returns the number of frames."""
        n = 0
        while frame := self.rx.get():
            at, size, _ = frame
            dst, src = self.umem[at:at + 6], self.umem[at + 6:at + 12]
            self.umem[at:at + 12] = src + dst
            self.tx.put(at, size, 0)
            n += 1
        if n:
            checked(libc.sendto(self.sock.fileno(), None, 0, socket.MSG_DONTWAIT, None, 0), "sendto")
        while sent := self.done.get():
            self.fill.put(sent[0] // CHUNK * CHUNK)
        return n


def main(netdev, path, count):
    xsk = Socket(netdev)
    xsk.enter(path)
    print("ready", flush=True)
    left, poll = int(count), select.poll()
    poll.register(xsk.sock, select.POLLIN)
    while left > 0:
        if not poll.poll(PATIENCE_MS):
            sys.exit(f"{left} frames have not arrived")
        left -= xsk.turn_round()


if __name__ == "__main__":
    main(*sys.argv[1:])
