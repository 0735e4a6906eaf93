#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: partial_sums.py send NETDEV MAC          a frame of each kind to MAC, without its checksum, which the kernel or the device inserts
       partial_sums.py receive NETDEV READY     print of each kind if its checksum is right; READY is a file that appears first
"""
import os
import socket
import struct
import sys
import time

from frames import ETH_P_ALL, csum, mac_bytes

SOL_PACKET, PACKET_VNET_HDR, NEEDS_CSUM = 263, 15, 1    # linux/socket.h, linux/if_packet.h, linux/virtio_net.h
IPV4, PPPOE, PPP_IPV4 = 0x0800, 0x8864, 0x0021
ETH_HLEN, IP_HLEN, PPP_HLEN = 14, 20, 8
ICMP, UDP = 1, 17
DATA = b"a sum that somebody else inserts"
ADDRESSES = socket.inet_aton("10.99.0.1") + socket.inet_aton("10.99.0.2")
WAIT = 20 * int(os.environ.get("CXR_PATIENCE", "1"))    # seconds
# {kind: (Ethertype, protocol, offset of the checksum in its header)}
KINDS = {"UDP": (IPV4, UDP, 6), "ICMP": (IPV4, ICMP, 2), "UDP in PPPoE": (PPPOE, UDP, 6)}


def pseudo(proto, length):
    return csum(ADDRESSES + struct.pack("!HH", proto, length)) ^ 0xffff if proto == UDP else 0


def packet(ethertype, proto):
    """What follows the MAC addresses, and where the transport header begins in it"""
    if proto == UDP:
        body = struct.pack("!HHHH", 9, 9, 8 + len(DATA), pseudo(proto, 8 + len(DATA))) + DATA
    else:
        body = struct.pack("!BBHI", 0, 0, 0, 0) + DATA
    ip = struct.pack("!BBHHHBBH", 0x45, 0, IP_HLEN + len(body), 0, 0, 64, proto, 0) + ADDRESSES
    ip = ip[:10] + struct.pack("!H", csum(ip)) + ip[12:] + body
    head = struct.pack("!H", ethertype)
    if ethertype == PPPOE:
        head += struct.pack("!BBHHH", 0x11, 0, 1, 2 + len(ip), PPP_IPV4)
    return head + ip, len(head) + IP_HLEN


def send(netdev, mac):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        s.bind((netdev, 0))
        macs = mac_bytes(mac) + s.getsockname()[4]
        for ethertype, proto, offset in KINDS.values():
            data, start = packet(ethertype, proto)
            s.send(struct.pack("=BBHHHH", NEEDS_CSUM, 0, 0, 0, len(macs) + start, offset) + macs + data)


def kind_of(frame):
    """(kind, whether the checksum is right) of one of these frames, or None"""
    if DATA not in frame:
        return None
    ethertype = struct.unpack_from("!H", frame, 12)[0]
    at = ETH_HLEN + (PPP_HLEN if ethertype == PPPOE else 0)
    proto, length = frame[at + 9], struct.unpack_from("!H", frame, at + 2)[0] - IP_HLEN
    body = frame[at + IP_HLEN:at + IP_HLEN + length]
    kind = next(k for k, (e, p, _) in KINDS.items() if (e, p) == (ethertype, proto))
    return kind, csum(body + struct.pack("!H", pseudo(proto, length))) == 0


def receive(netdev, ready):
    found, end = {}, time.monotonic() + WAIT
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) as s:
        s.bind((netdev, ETH_P_ALL))
        s.settimeout(1)
        with open(ready, "w", encoding="ascii"):
            pass
        while len(found) < len(KINDS) and time.monotonic() < end:
            try:
                got = kind_of(s.recv(2048))
            except TimeoutError:
                continue
            if got:
                found[got[0]] = got[1]
    for kind in KINDS:
        print(f"{kind}: {'right' if found.get(kind) else 'wrong' if kind in found else 'lost'}")


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    {"send": send, "receive": receive}[what](*words)
