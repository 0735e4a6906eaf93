#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: flow_frames.py NETDEV COUNT KIND[,FIELD=VALUE]...

Sends COUNT frames of each kind, which nobody answers. KIND: udp4, tcp4, ip4, udp6, tcp6, ip6 or ether. FIELDs: to and from (MACs), src and
dst (addresses), sport, dport, proto (of IP, or the Ethertype), tos, vlan (TCI). None is lost on the way to the device, see send_frames.py.
"""
import ipaddress
import socket
import struct
import sys

from frames import csum
from send_frames import ETHERTYPE, SOL_PACKET, PACKET_QDISC_BYPASS, VLAN, send

PROTO = {"tcp": 6, "udp": 17, "ip": 253}    # 253: for experiments
DEFAULTS = {"sport": "1000", "dport": "1000", "tos": "0"}


def l4(name, f):
    ports = struct.pack("!HH", int(f["sport"]), int(f["dport"]))
    if name == "udp":
        return ports + struct.pack("!HH", 8 + 32, 0) + bytes(32)
    if name == "tcp":       # RST, which is not answered
        return ports + struct.pack("!IIBBHHH", 1, 1, 5 << 4, 0x04, 1000, 0, 0)
    return bytes(40)


def ip(version, proto, f, payload):
    src, dst = (ipaddress.ip_address(f[name]).packed for name in ("src", "dst"))
    if version == "6":
        return struct.pack("!IHBB", 6 << 28 | int(f["tos"], 0) << 20, len(payload), proto, 64) + src + dst + payload
    header = struct.pack("!BBHHHBBH", 0x45, int(f["tos"], 0), 20 + len(payload), 0, 0, 64, proto, 0) + src + dst
    return header[:10] + struct.pack("!H", csum(header)) + header[12:] + payload


def frame(kind, f):
    name, version = kind[:-1], kind[-1]
    if kind == "ether":
        ethertype, data = int(f.get("proto", hex(ETHERTYPE)), 0), bytes(46)
    else:
        ethertype = {"4": 0x0800, "6": 0x86dd}[version]
        data = ip(version, int(f.get("proto", PROTO[name])), f, l4(name, f))
    tag = struct.pack("!HH", VLAN, int(f["vlan"], 0)) if "vlan" in f else b""
    macs = b"".join(bytes.fromhex(f[end].replace(":", "")) for end in ("to", "from"))
    return (macs + tag + struct.pack("!H", ethertype) + data).ljust(60, b"\0")


def main(netdev, count, *kinds):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
        s.bind((netdev, 0))
        for words in kinds:
            kind, *fields = words.split(",")
            data = frame(kind, DEFAULTS | {"from": s.getsockname()[4].hex()} | dict(word.split("=", 1) for word in fields))
            for _ in range(int(count)):
                send(s, data)


if __name__ == "__main__":
    main(*sys.argv[1:])
