#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What iproute2's dcb does not say to the kernel: the older interface of DCB, of CEE, which lldpad uses, and invalid values.

usage: dcb_raw.py NETDEV get                 CEE: what there is, a line each
       dcb_raw.py NETDEV set GROUPS BW PFC   CEE, comma-separated: the group of each priority, the percentage of each group, and
                                             priorities with flow control or "none"; prints what the driver says: 0 is done
       dcb_raw.py NETDEV app SELECTOR PROTOCOL PRIORITY    an application's priority; prints the errno
"""
import socket
import struct
import sys

GETDCB, SETDCB = 78, 79
GSTATE, PGTX_GET, PGTX_SET, PFC_GET, PFC_SET, SET_ALL, GPERM, GCAP, GNUMTCS, PFC_GSTATE, PFC_SSTATE = 1, 3, 4, 7, 8, 9, 10, 11, 12, 14, 15
IEEE_SET, IEEE, APP_TABLE, APP = 20, 13, 3, 1       # a command and its attributes
IFNAME, STATE, PFC_STATE, PFC_CFG, PG_CFG, ATTR_SET_ALL, PERM, CAP, NUMTCS = 1, 2, 3, 4, 6, 7, 8, 9, 10
PGID, TC_ALL, PG_TC_ALL, BW_ALL = 1, 5, 10, 20     # of TC attributes, TC attributes, PG attributes, PG attributes
PFC_ALL, CAP_ALL, NUM_ALL = 9, 1, 1
BW_0 = 11
NESTED = 0x8000


def attr(kind, value):
    return struct.pack("HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def attrs(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("HH", data)
        found[kind & ~NESTED] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


def request(netdev, message, command, body):
    payload = struct.pack("BBH", 0, command, 0) + attr(IFNAME, netdev.encode() + b"\0") + body
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as s:
        s.sendto(struct.pack("IHHII", 16 + len(payload), message, 1, 1, 0) + payload, (0, 0))
        answer = s.recv(65536)
    if struct.unpack_from("H", answer, 4)[0] == 2:
        sys.exit(f"command {command}: errno {-struct.unpack_from('i', answer, 16)[0]}")
    return attrs(answer[20:])


def values(data):
    return {k: v[0] for k, v in attrs(data).items()}


def show(netdev):
    print("state", request(netdev, GETDCB, GSTATE, b"")[STATE][0])
    print("mac", request(netdev, GETDCB, GPERM, attr(PERM, b""))[PERM][:6].hex(":"))
    caps = values(request(netdev, GETDCB, GCAP, attr(CAP, attr(CAP_ALL, b"")))[CAP])
    print("caps", " ".join(f"{k}:{v}" for k, v in caps.items()))
    print("tcs", *values(request(netdev, GETDCB, GNUMTCS, attr(NUMTCS, attr(NUM_ALL, b"")))[NUMTCS]).values())
    groups = attrs(request(netdev, GETDCB, PGTX_GET, attr(PG_CFG, attr(PG_TC_ALL, attr(TC_ALL, b"")) + attr(BW_ALL, b"")))[PG_CFG])
    print("groups", ",".join(str(attrs(groups[1 + prio])[PGID][0]) for prio in range(8)))
    print("bw", ",".join(str(groups[BW_0 + group][0]) for group in range(8)))
    print("pfc-state", request(netdev, GETDCB, PFC_GSTATE, b"")[PFC_STATE][0])
    print("pfc", *values(request(netdev, GETDCB, PFC_GET, attr(PFC_CFG, attr(PFC_ALL, b"")))[PFC_CFG]).values())


def change(netdev, groups, bw, pfc):
    byte = [bytes([n]) for n in range(256)]
    body = b"".join(attr(1 + prio, attr(PGID, byte[int(group)])) for prio, group in enumerate(groups.split(",")))
    body += b"".join(attr(BW_0 + group, byte[int(share)]) for group, share in enumerate(bw.split(",")))
    request(netdev, SETDCB, PGTX_SET, attr(PG_CFG, body))
    on = [] if pfc == "none" else [int(prio) for prio in pfc.split(",")]
    request(netdev, SETDCB, PFC_SET, attr(PFC_CFG, b"".join(attr(1 + prio, byte[prio in on]) for prio in range(8))))
    request(netdev, SETDCB, PFC_SSTATE, attr(PFC_STATE, byte[1]))
    print(request(netdev, SETDCB, SET_ALL, attr(ATTR_SET_ALL, byte[1]))[ATTR_SET_ALL][0])


def app(netdev, selector, protocol, priority):
    entry = attr(APP_TABLE, attr(APP, struct.pack("BBH", int(selector), int(priority), int(protocol))))
    print(-request(netdev, SETDCB, IEEE_SET, attr(IEEE, entry))[IEEE][0] & 0xff)


if sys.argv[2:] == ["get"]:
    show(sys.argv[1])
elif sys.argv[2] == "app":
    app(sys.argv[1], *sys.argv[3:])
else:
    change(sys.argv[1], *sys.argv[3:])
