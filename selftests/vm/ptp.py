#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Timestamps of packets, and the PTP clock that they are of.

usage: ptp.py time INTERFACE              its clock, in nanoseconds
       ptp.py ahead INTERFACE             nanoseconds by which it is ahead of the system's real-time clock
       ptp.py runs INTERFACE SECONDS      parts per million by which the clock is faster than the system's monotonic one
       ptp.py send INTERFACE ADDRESS N [SECONDS]    send N packets over UDP, and as many raw ones, and print how many got a
                                          timestamp when they were sent, within SECONDS, and the median of the time from the
                                          timestamp until it was there, in microseconds
       ptp.py throw INTERFACE ADDRESS N   send them over UDP, and ask for nothing
       ptp.py receive INTERFACE N         wait for N packets of `throw`, and print how many got a timestamp when received
       ptp.py ask INTERFACE TX RX         set what gets a timestamp, also what hwstamp_ctl does not know, and print what is set,
                                          or the error
       ptp.py adjust INTERFACE PPB        change its rate, and print by how many microseconds it was stepped thereby
       ptp.py put INTERFACE               set the clock to the system's time
       ptp.py leaves INTERFACE            read the clock until that fails, and print why
       ptp.py convert INTERFACE DEVICE    the counter of the RDMA DEVICE, converted as processes do, must be the time of the clock

INTERFACE may be the clock's /dev/ptpN.
A timestamp that is not between two readings of the clock, one before and one after the packet, is an error.
"""
import array
import ctypes
import errno
import fcntl
import os
import select
import socket
import statistics
import struct
import sys
import time

PORT, ETHERTYPE = 7319, 0x88b6
SIOCETHTOOL, ETHTOOL_GET_TS_INFO, SIOCSHWTSTAMP = 0x8946, 0x41, 0x89b0
PATIENCE = 30 * float(os.environ.get("CXR_PATIENCE") or 1)
SO_TIMESTAMPING = 37
TX_HARDWARE, RX_HARDWARE, RAW_HARDWARE, OPT_TSONLY = 1 << 0, 1 << 2, 1 << 6, 1 << 11
MSG_ERRQUEUE = 0x2000
ADJ_FREQUENCY = 2


class Clock:
    def __init__(self, interface):
        if not interface.startswith("/dev/"):
            interface = f"/dev/ptp{self.index(interface)}"
        self.id = ~os.open(interface, os.O_RDWR) << 3 | 3

    @staticmethod
    def index(interface):
        info = array.array("B", struct.pack("=IIi", ETHTOOL_GET_TS_INFO, 0, -1) + bytes(32))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            fcntl.ioctl(s, SIOCETHTOOL, struct.pack("16sP16x", interface.encode(), info.buffer_info()[0]))
        index = struct.unpack_from("=i", info, 8)[0]
        if index < 0:
            sys.exit(f"{interface} has no PTP clock")
        return index

    def now(self):
        return time.clock_gettime_ns(self.id)

    def with_other(self, other):
        """This clock and another one at the same time: the reading of 20 that was interrupted least"""
        readings = []
        for _ in range(20):
            before, own, after = other(), self.now(), other()
            readings.append((after - before, own, (before + after) // 2))
        return min(readings)[1:]


def stamp_of(ancillary):
    """The hardware timestamp of a message, in nanoseconds; 0: it has none"""
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPING):
            seconds, ns = struct.unpack_from("qq", data, 32)
            return seconds * 10**9 + ns
    return 0


def check(before, stamp, after, what):
    if stamp and not before <= stamp <= after:
        sys.exit(f"{what}: {stamp} is not between {before} and {after}")
    return bool(stamp)


def send_stamped(clock, sock, send, seconds):
    """Nanoseconds from the timestamp of the packet until it is there; None: it has none"""
    before = clock.now()
    send()
    poll = select.poll()
    poll.register(sock, 0)
    if not poll.poll(1000 * seconds):
        return None
    ancillary = sock.recvmsg(0, 512, MSG_ERRQUEUE)[1]
    stamp, after = stamp_of(ancillary), clock.now()
    return after - stamp if check(before, stamp, after, "sent") else None


def send(interface, clock, address, number, seconds):
    info = socket.getaddrinfo(address, PORT, type=socket.SOCK_DGRAM)[0]
    with socket.socket(info[0], socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, TX_HARDWARE | RAW_HARDWARE | OPT_TSONLY)
        udp = [send_stamped(clock, s, lambda: s.sendto(b"x" * 44, info[4]), seconds) for _ in range(number)]
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, TX_HARDWARE | RAW_HARDWARE | OPT_TSONLY)
        to = (interface, ETHERTYPE, 0, 1, bytes.fromhex("011b19000000"))
        raw = [send_stamped(clock, s, lambda: s.sendto(b"x" * 44, to), seconds) for _ in range(number)]
    waits = [wait for wait in udp + raw if wait is not None]
    print("udp", number - udp.count(None), "raw", number - raw.count(None))
    if waits:
        print("waited", round(statistics.median(waits) / 1000))


def throw(address, number):
    info = socket.getaddrinfo(address, PORT, type=socket.SOCK_DGRAM)[0]
    with socket.socket(info[0], socket.SOCK_DGRAM) as s:
        for _ in range(number):
            s.sendto(b"x" * 44, info[4])


def receive(clock, number):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, RX_HARDWARE | RAW_HARDWARE)
        s.bind(("::", PORT))
        s.settimeout(PATIENCE)
        before = clock.now()
        print("ready", flush=True)
        stamped = 0
        for _ in range(number):
            ancillary = s.recvmsg(128, 512)[1]
            stamped += check(before, stamp_of(ancillary), clock.now(), "received")
    print("stamped", stamped, "of", number)


def runs(clock, seconds):
    first = clock.with_other(time.monotonic_ns)
    time.sleep(seconds)
    last = clock.with_other(time.monotonic_ns)
    print(round(((last[0] - first[0]) / (last[1] - first[1]) - 1) * 10**6))


def ask(interface, tx_type, rx_filter):
    config = array.array("i", [0, tx_type, rx_filter])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            fcntl.ioctl(s, SIOCSHWTSTAMP, struct.pack("16sP16x", interface.encode(), config.buffer_info()[0]))
            print(config[1], config[2])
        except OSError as e:
            print(errno.errorcode[e.errno])


def adjust(clock, ppb):
    timex = array.array("q", [ADJ_FREQUENCY, 0, round(ppb * 65.536)] + [0] * 23)
    first = clock.with_other(time.monotonic_ns)
    if ctypes.CDLL(None).clock_adjtime(clock.id, ctypes.c_void_p(timex.buffer_info()[0])) < 0:
        sys.exit("clock_adjtime failed")
    last = clock.with_other(time.monotonic_ns)
    print(round((last[0] - first[0] - (last[1] - first[1])) / 1000))


def leaves(clock):
    print("ready", flush=True)
    while True:
        try:
            clock.now()
        except OSError as e:
            sys.exit(print(e.strerror))
        time.sleep(0.1)


def convert(clock, device):
    # pylint: disable-next=import-outside-toplevel
    from pyverbs.providers.mlx5.mlx5dv import Mlx5Context, Mlx5DVContextAttr

    with Mlx5Context(Mlx5DVContextAttr(), device) as ctx:
        for _ in range(20):
            before = clock.now()
            converted = Mlx5Context.device_timestamp_to_ns(ctx, ctx.query_rt_values_ex()[1])
            check(before, converted, clock.now(), "converted")


def main():
    command, interface, *more = sys.argv[1:]
    if command == "throw":
        throw(more[0], int(more[1]))
        return
    if command == "ask":
        ask(interface, int(more[0]), int(more[1]))
        return
    clock = Clock(interface)
    if command == "time":
        print(clock.now())
    elif command == "adjust":
        adjust(clock, int(more[0]))
    elif command == "put":
        time.clock_settime_ns(clock.id, time.time_ns())
    elif command == "ahead":
        own, other = clock.with_other(time.time_ns)
        print(own - other)
    elif command == "runs":
        runs(clock, float(more[0]))
    elif command == "send":
        send(interface, clock, more[0], int(more[1]), float(more[2]) if more[2:] else PATIENCE)
    elif command == "receive":
        receive(clock, int(more[0]))
    elif command == "leaves":
        leaves(clock)
    else:
        convert(clock, more[0])


if len(sys.argv) < 3:
    sys.exit(__doc__)
main()
