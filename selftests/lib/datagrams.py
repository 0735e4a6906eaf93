#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: datagrams.py send ADDRESS PORT SIZE LENGTH...   a send for each length, of datagrams of SIZE bytes (UDP_SEGMENT)
       datagrams.py receive PORT COUNT

Prints length and hash of each datagram that is to arrive, or has arrived.
"""
import hashlib
import os
import socket
import sys

UDP_SEGMENT = 103
WAIT = 20 * int(os.environ.get("CXR_PATIENCE", "1"))    # seconds


def tell(data):
    print(len(data), hashlib.sha256(data).hexdigest()[:16], flush=True)


def send(address, port, size, *lengths):
    size = int(size)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, size)
        s.connect((address, int(port)))
        for length in map(int, lengths):
            data = os.urandom(length)
            s.send(data)
            for at in range(0, length, size):
                tell(data[at:at + size])


def receive(port, count):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        s.settimeout(WAIT)
        s.bind(("::", int(port)))
        for _ in range(int(count)):
            tell(s.recv(65536))


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    {"send": send, "receive": receive}[what](*words)
