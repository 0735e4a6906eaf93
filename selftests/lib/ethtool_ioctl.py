#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""ioctls of ethtool that the program itself does not use any more, or not so that older kernels take them.

usage: ethtool_ioctl.py NETDEV COMMAND

    equal N | weight W... | default | hkey KEY | hfunc toeplitz|xor    as ethtool -X, one of them, on kernels before 6.8
    symmetric on|off                                                   the same of the hash for both directions of a flow, from 6.12 on
    context new|ID [delete | one of these]                             the same of an RSS context; with new, prints its number
    module                                                             type and length of the module's memory, and all of it
"""
import ctypes
import fcntl
import socket
import struct
import sys

SIOCETHTOOL = 0x8946
GMODULEINFO, GMODULEEEPROM, GRSSH, SRSSH = 0x42, 0x43, 0x46, 0x47
NO_CHANGE = 0xffffffff      # of the table; 0: the default, or a context goes
NEW = 0xffffffff            # context
FUNCTIONS = {"toeplitz": 1, "xor": 2}
RSS = struct.Struct("=IIIIBB2xI")       # cmd, rss_context, indir_size, key_size, hfunc, input_xfrm, rsvd32; table and key follow
SYM_OR_XOR = 2
EEPROM = struct.Struct("=IIII")         # cmd, magic, offset, len; the data follows
MODINFO = struct.Struct("=III32x")      # cmd, type, eeprom_len


def ioctl(netdev, data):
    buffer = ctypes.create_string_buffer(data, len(data))
    ifreq = struct.pack("16sP16x", netdev.encode(), ctypes.addressof(buffer))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, SIOCETHTOOL, ifreq)
    return buffer.raw


def rss(netdev, what, values, context=0):
    size, key_size = RSS.unpack(ioctl(netdev, RSS.pack(GRSSH, 0, 0, 0, 0, 0, 0)))[2:4]
    table, key, function, count, transform = [], b"", 0, NO_CHANGE, 0
    if what == "equal":
        table = [i % int(values[0]) for i in range(size)]
    elif what == "weight":
        ring = [n for n, weight in enumerate(values) for _ in range(int(weight))]
        table = [ring[i * len(ring) // size] for i in range(size)]
    elif what in ("default", "delete"):
        count = 0
    elif what == "hkey":
        key = bytes.fromhex(values[0].replace(":", ""))
        if len(key) != key_size:
            sys.exit(f"the key has {key_size} bytes")
    elif what == "symmetric":
        transform = SYM_OR_XOR if values[0] == "on" else 0
    else:
        function = FUNCTIONS.get(values[0]) or sys.exit(f"there is no hash function {values[0]}")
    head = RSS.pack(SRSSH, context, len(table) or count, len(key), function, transform, 0)
    done = ioctl(netdev, head + struct.pack(f"={len(table)}I", *table) + key)
    if context == NEW:
        print("New RSS context is", RSS.unpack_from(done)[1])


def module(netdev):
    _, kind, length = MODINFO.unpack(ioctl(netdev, MODINFO.pack(GMODULEINFO, 0, 0)))
    print(kind, length)
    print(ioctl(netdev, EEPROM.pack(GMODULEEEPROM, 0, 0, length) + bytes(length))[EEPROM.size:].hex())


if sys.argv[2:] == ["module"]:
    module(sys.argv[1])
elif sys.argv[2] == "context":
    rss(sys.argv[1], sys.argv[4], sys.argv[5:], NEW if sys.argv[3] == "new" else int(sys.argv[3]))
else:
    rss(sys.argv[1], sys.argv[2], sys.argv[3:])
