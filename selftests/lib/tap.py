#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Observes TCP packets between stack and network interface through a packet socket: which offloads were used.

  tap.py NETDEV PORT        worker of lib/obey.sh; observes connections with PORT or PORT + 1, also in VXLAN

  begin                     start counting
  end WORD=on|off...        check the packets since begin: "on" holds for some of them, "off" for none; there must be packets

  out.large, in.large       larger than the MTU: segmented by the device (TSO), or merged by GRO
  out.big                   larger than the 64 KiB that an IP header can tell (BIG TCP)
  out.checksum              the checksum is left to the device
  in.checksum               the checksum was verified below the stack
  in.hash                   the packet has the device's hash
  out.tag                   the VLAN tag is out of band, to be inserted by the device; received tags always are out of band
  out.options               there are IPv6 destination options before the TCP header

Only packets with data count.
"""

import ctypes
import select
import socket
import struct
import sys

from obey import obey

ETH_P_ALL = 3
SOL_PACKET, PACKET_AUXDATA, PACKET_OUTGOING = 263, 8, 4
SO_ATTACH_FILTER, SO_RCVBUFFORCE = 26, 33
CSUM_NOT_READY, VLAN_VALID, CSUM_VALID = 1 << 3, 1 << 4, 1 << 7	# TP_STATUS_
PLAIN, HASHED = 128, 192	# length to which the filter truncates packets without and with a hash
HEADERS = 14
VXLAN_PORT, VXLAN_HEADERS = 4789, 16
MARKS = ("large", "big", "checksum", "hash", "tag", "options")


def filter_by_hash(sock):
    """Truncate each packet to a length that tells whether it has a hash"""
    program = struct.pack("=" + "HBBI" * 4,
                          0x20, 0, 0, 0xfffff000 + 32,	# load SKF_AD_RXHASH
                          0x15, 0, 1, 0,		# is it zero?
                          0x06, 0, 0, PLAIN,
                          0x06, 0, 0, HASHED)
    memory = ctypes.create_string_buffer(program)
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", 4, ctypes.addressof(memory)))


class Tap:
    def __init__(self, netdev, port):
        self.ports = port, port + 1
        self.netdev = netdev
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        filter_by_hash(self.socket)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.bind((netdev, ETH_P_ALL))

    def packets(self):
        while select.select([self.socket], [], [], 0)[0]:
            data, aux, _, address = self.socket.recvmsg(HASHED, 256)
            status, size, _, _, _, _, _ = struct.unpack_from("IIIHHHH", aux[0][2])
            yield data, status, size, address[2] == PACKET_OUTGOING

    def has_options(self, data):
        """None: other than TCP to or from our ports; else whether it has IPv6 destination options"""
        if len(data) < HEADERS + 40:
            return None
        at = 18 if data[12:14] in (b"\x81\0", b"\x88\xa8") else HEADERS
        options = False
        if data[at - 2:at] == b"\x08\0":
            protocol = data[at + 9]
            at += (data[at] & 15) * 4
        elif data[at - 2:at] == b"\x86\xdd":
            protocol = data[at + 6]
            at += 40
            if protocol in (socket.IPPROTO_HOPOPTS, socket.IPPROTO_DSTOPTS):
                options = protocol == socket.IPPROTO_DSTOPTS
                protocol = data[at]
                at += 8 * (data[at + 1] + 1)
        else:
            return None
        if protocol == socket.IPPROTO_UDP and struct.unpack_from(">H", data, at + 2)[0] == VXLAN_PORT:
            return self.has_options(data[at + VXLAN_HEADERS:])
        if protocol != socket.IPPROTO_TCP or not any(port in self.ports for port in struct.unpack_from(">HH", data, at)):
            return None
        return options

    def begin(self):
        for _ in self.packets():
            pass

    def end(self):
        """Packet counts by direction and mark"""
        seen = {f"{way}.{mark}": 0 for way in ("out", "in") for mark in ("packets",) + MARKS}
        with open(f"/sys/class/net/{self.netdev}/mtu", encoding="ascii") as f:
            largest = int(f.read()) + HEADERS + 4
        for data, status, size, out in self.packets():
            options = self.has_options(data) if len(data) >= PLAIN else None
            if options is None:
                continue
            way = "out" if out else "in"
            seen[f"{way}.packets"] += 1
            seen[f"{way}.large"] += size > largest
            seen[f"{way}.big"] += size > 65536 + HEADERS
            seen[f"{way}.checksum"] += bool(status & (CSUM_NOT_READY if out else CSUM_VALID))
            seen[f"{way}.hash"] += len(data) == HASHED
            seen[f"{way}.tag"] += bool(status & VLAN_VALID)
            seen[f"{way}.options"] += options
        return seen

    def do(self, words):
        if words[0] == "begin":
            self.begin()
            return 0, ""
        seen = self.end()
        wrong = [way for way in ("out", "in") if not seen[f"{way}.packets"]]
        for word in words[1:]:
            name, want = word.split("=")
            if bool(seen[name]) != (want == "on"):
                wrong.append(word)
        said = " ".join(f"{name}={n}" for name, n in seen.items())
        return (1 if wrong else 0), said + "\n" + (f"FAIL: does not hold: {' '.join(wrong)}\n" if wrong else "")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    obey(Tap(sys.argv[1], int(sys.argv[2])).do)
