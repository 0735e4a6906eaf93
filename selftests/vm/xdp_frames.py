#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Frames for the XDP programs of selftests/bpf/xdp.c, which do what their first byte says.

usage: xdp_frames.py returned NETDEV MAC COMMAND SIZE...    send, and receive what the program sends back
       xdp_frames.py sent NETDEV MAC COMMAND SIZE...        only send
       xdp_frames.py flood NETDEV MAC COMMAND SIZE...       send without pauses
       xdp_frames.py arrive NETDEV COMMAND SIZE...          receive what another sends so

COUNT frames of each size, in bytes without FCS. Each is compared with what the command makes of it.
"""
import random
import socket
import struct
import sys
import time

ETHERTYPE = 0x88b6
COUNT, WINDOW, PATIENCE = 40, 20, 100
HEADER = 14
SO_RCVBUFFORCE = 33
CHANGES = {
    "h": lambda data: b"h\0\0\0" + data,
    "c": lambda data: data[:-40],
    "q": lambda data: data[:-40],
    "C": lambda data: data[:-5000],
    "Q": lambda data: data[:-5000],
    "g": lambda data: data + bytes(16),
}


def payload(command, size, number):
    start = command.encode() + struct.pack("!I", number)
    return start + random.Random(number * 65537 + size).randbytes(size - HEADER - len(start))


def expected(command, size, number):
    return CHANGES.get(command, lambda data: data)(payload(command, size, number))


def opened(netdev, protocol):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    s.bind((netdev, protocol))
    s.settimeout(PATIENCE)
    return s


def next_frame(s):
    """The next one that was received, and not seen on its way out."""
    while True:
        frame, address = s.recvfrom(65536)
        if address[2] != socket.PACKET_OUTGOING:
            return frame[HEADER:]


def receive(s, command, size, numbers):
    """Frames of these numbers, in any order: the sender may move to another CPU, and so to another queue."""
    left = {expected(command, size, number): number for number in numbers}
    while left:
        got = next_frame(s)
        if left.pop(got, None) is None:
            wanted, number = next(iter(left.items()))
            at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
            sys.exit(f"'{command}' of {size} bytes, number {number}: {len(got)} bytes instead of {len(wanted)}, "
                     f"different from byte {at} on: {got[at:at + 16].hex()} instead of {wanted[at:at + 16].hex()}")


def send(s, mac, command, size, number):
    src, dst = s.getsockname()[4], bytes.fromhex(mac.replace(":", ""))
    s.send(dst + src + struct.pack("!H", ETHERTYPE) + payload(command, size, number))


def returned(netdev, mac, command, *sizes):
    with opened(netdev, ETHERTYPE) as s:
        for size in map(int, sizes):
            for first in range(0, COUNT, WINDOW):
                for number in range(first, first + WINDOW):
                    send(s, mac, command, size, number)
                receive(s, command, size, range(first, first + WINDOW))


def sent(netdev, mac, command, *sizes, pause=0.02):
    with opened(netdev, 0) as s:
        for size in map(int, sizes):
            for number in range(COUNT):
                send(s, mac, command, size, number)
                if number % WINDOW == WINDOW - 1:
                    time.sleep(pause)


def flood(netdev, mac, command, *sizes):
    """All in one process, for ever: to be killed."""
    while True:
        sent(netdev, mac, command, *sizes, pause=0)


def arrive(netdev, command, *sizes):
    with opened(netdev, ETHERTYPE) as s:
        print("ready", flush=True)
        for size in map(int, sizes):
            receive(s, command, size, range(COUNT))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
