#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Flows of known ports, and the queues that the hash of their addresses and ports leads to.

usage: rss_flows.py send ADDRESS                       PACKETS datagrams of each flow
       rss_flows.py toeplitz|xor KEY TABLE SOURCE ADDRESS   print the number of flows for each queue; KEY and TABLE as ethtool -x has them
"""
import fcntl
import ipaddress
import pathlib
import socket
import struct
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from toeplitz import toeplitz  # noqa: E402

FLOWS, PACKETS = 64, 50
FIRST_PORT, TO_PORT = 31000, 9


def send(address):
    for n in range(FLOWS):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind(("", FIRST_PORT + n))
            for _ in range(PACKETS):
                s.sendto(b"rss", (address, TO_PORT))
            # a full queue loses the rest
            while struct.unpack("i", fcntl.ioctl(s, termios.TIOCOUTQ, bytes(4)))[0]:
                time.sleep(0.001)


def xor(_, data, size):
    """Inverted, and drivers turn the bits round by which the device finds the entry."""
    result = 0xff
    for byte in data:
        result ^= byte
    width = size.bit_length() - 1
    return int(f"{result % size:0{width}b}"[::-1], 2)


def expect(function, key, table, source, address):
    key = bytes.fromhex(key.replace(":", ""))
    table = [int(queue) for queue in table.split()]
    queues = [0] * (max(table) + 1)
    for n in range(FLOWS):
        data = ipaddress.ip_address(source).packed + ipaddress.ip_address(address).packed
        data += struct.pack(">HH", FIRST_PORT + n, TO_PORT)
        queues[table[function(key, data, len(table)) % len(table)]] += 1
    print(*queues, sep="\n")


if sys.argv[1] == "send":
    send(sys.argv[2])
else:
    expect({"toeplitz": lambda key, data, _: toeplitz(key, data), "xor": xor}[sys.argv[1]], *sys.argv[2:])
