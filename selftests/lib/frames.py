#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Builds Ethernet frames, and sends and receives them through a network interface.

  frames.py serve PORT NETDEV           far end of raw.py: sends and receives frames through NETDEV
"""

import errno
import ipaddress
import json
import select
import socket
import struct
import sys
import time

ETH_P_ALL = 3
PACKET_OUTGOING = 4
IP, PEER_IP = "192.0.2.1", "192.0.2.2"	# unused addresses
IP6, PEER_IP6 = "2001:db8::1", "2001:db8::2"


def mac_bytes(text):
    return bytes.fromhex(text.replace(":", ""))


def mac_text(raw):
    return ":".join("%02x" % b for b in raw)


def csum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


counter = 0


def payload(size=46):
    """A unique payload"""
    global counter
    counter += 1
    head = struct.pack(">IQ", 0x43585221, counter)
    return head + bytes((counter * 7 + i) & 0xff for i in range(size - len(head)))


def eth(dst, src, ethertype, data, vlan=None):
    tag = b"" if vlan is None else struct.pack(">HH", 0x8100, vlan)
    return dst + src + tag + struct.pack(">H", ethertype) + data


def l4(proto, sport, dport, data):
    if proto == socket.IPPROTO_UDP:
        return struct.pack(">HHHH", sport, dport, 8 + len(data), 0) + data
    return struct.pack(">HHIIBBHHH", sport, dport, 1, 1, 5 << 4, 0x10, 1024, 0, 0) + data


def ipv4(dst, src, data, proto=socket.IPPROTO_UDP, tos=0, ttl=64, src_ip=PEER_IP, dst_ip=IP, sport=1000, dport=2000,
         vlan=None):
    data = l4(proto, sport, dport, data)
    head = struct.pack(">BBHHHBBH4s4s", 0x45, tos, 20 + len(data), 1, 0, ttl, proto, 0,
                       ipaddress.ip_address(src_ip).packed, ipaddress.ip_address(dst_ip).packed)
    head = head[:10] + struct.pack(">H", csum(head)) + head[12:]
    return eth(dst, src, 0x0800, head + data, vlan)


def ipv6(dst, src, data, proto=socket.IPPROTO_UDP, src_ip=PEER_IP6, dst_ip=IP6, sport=1000, dport=2000, tclass=0):
    data = l4(proto, sport, dport, data)
    head = struct.pack(">IHBB16s16s", 6 << 28 | tclass << 20, len(data), proto, 64,
                       ipaddress.ip_address(src_ip).packed, ipaddress.ip_address(dst_ip).packed)
    return eth(dst, src, 0x86dd, head + data)


class Wire:
    """Sends and receives frames through a network interface"""

    def __init__(self, netdev):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        # the kernel removes the VLAN tag and returns it as auxiliary data
        self.socket.setsockopt(263, 8, 1)	# SOL_PACKET, PACKET_AUXDATA
        self.socket.bind((netdev, ETH_P_ALL))
        self.mac = self.socket.getsockname()[4]

    def send(self, frame):
        self.socket.send(frame)

    def receive(self):
        """The next test frame, or None"""
        while select.select([self.socket], [], [], 0)[0]:
            try:
                frame, aux, _, address = self.socket.recvmsg(65536, 256)
            except OSError as error:
                if error.errno != errno.ENETDOWN:	# reported once
                    raise
                continue
            if address[2] == PACKET_OUTGOING or b"CXR!" not in frame:
                continue
            for _, kind, data in aux:
                status, _, _, _, _, tci, tpid = struct.unpack_from("IIIHHHH", data)
                if kind == 8 and status & 16:
                    frame = frame[:12] + struct.pack(">HH", tpid or 0x8100, tci) + frame[12:]
            return frame
        return None


# ---- the far end -----------------------------------------------------------------------------------

def serve(port, netdev):
    """Serve one near end after another, until killed"""
    wire = Wire(netdev)
    server = socket.create_server(("", port))
    while True:
        connection = server.accept()[0]
        lines = connection.makefile("r")
        print(json.dumps({"mac": mac_text(wire.mac)}), file=connection.makefile("w"), flush=True)
        out = connection.makefile("w")
        for line in lines:
            request = json.loads(line)
            if request["op"] == "send":
                for frame in request["frames"]:
                    wire.send(bytes.fromhex(frame))
                answer = len(request["frames"])
            else:
                answer, end = [], time.monotonic() + request["wait"]
                while len(answer) < request["count"] and time.monotonic() < end:
                    frame = wire.receive()
                    if frame:
                        answer.append(frame.hex())
                    else:
                        time.sleep(0.005)
            print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] != ["serve"] or len(sys.argv) != 4:
        sys.exit(__doc__)
    serve(int(sys.argv[2]), sys.argv[3])
