#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Sends RoCE v2 packets with a wrong ICRC: bad_icrc.py NETDEV MAC ADDRESS COUNT."""

import socket
import struct
import sys

from frames import PEER_IP, csum, mac_bytes

ROCE_PORT, SEND_ONLY = 4791, 0x04


def packet(source, dest, address):
    bth = struct.pack("!BBHII", SEND_ONLY, 0, 0xffff, 2, 0)
    payload = bth + b"data" + b"\0" * 4         # the ICRC of these is not 0
    udp = struct.pack("!HHHH", 0xc000, ROCE_PORT, 8 + len(payload), 0) + payload
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0, socket.inet_aton(PEER_IP), socket.inet_aton(address))
    ip = ip[:10] + struct.pack("!H", csum(ip)) + ip[12:]
    return dest + source + b"\x08\x00" + ip + udp


def main():
    netdev, mac, address, count = sys.argv[1:]
    with open(f"/sys/class/net/{netdev}/address", encoding="ascii") as f:
        source = mac_bytes(f.read().strip())
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((netdev, 0))
        for _ in range(int(count)):
            s.send(packet(source, mac_bytes(mac), address))


main()
