#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: send_frames.py NETDEV MAC COUNT SIZE[:PRIORITY]...

Sends COUNT frames of each size, in bytes without FCS, to MAC, with an Ethertype for experiments. With a priority they have a VLAN tag
that says nothing else. None is lost: the queueing discipline of most kernels drops frames that have waited for long, of which a busy
machine makes some.
"""
import errno
import socket
import struct
import sys
import time

SOL_PACKET, PACKET_QDISC_BYPASS = 263, 20   # linux/socket.h, linux/if_packet.h
ETHERTYPE, VLAN = 0x88b6, 0x8100     # 0x88b5 is that of window.py


def frame(dst, src, size, prio):
    tag = struct.pack("!HH", VLAN, int(prio) << 13) if prio else b""
    return (dst + src + tag + struct.pack("!H", ETHERTYPE)).ljust(size, b"\0")


def send(s, data):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            s.send(data)
            return
        except OSError as error:
            if error.errno != errno.ENOBUFS:    # the queue of the interface is full, or its link is down
                raise
        time.sleep(0.001)
    sys.exit("the interface does not send")


def main(netdev, mac, count, *kinds):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
        s.bind((netdev, 0))
        src, dst = s.getsockname()[4], bytes.fromhex(mac.replace(":", ""))
        for kind in kinds:
            size, _, prio = kind.partition(":")
            for _ in range(int(count)):
                send(s, frame(dst, src, int(size), prio))


if __name__ == "__main__":
    main(*sys.argv[1:])
