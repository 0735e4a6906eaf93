#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Frames that arrive at either port of a RoCE LAG.

  lag_raw.py HOST PORT NETDEV PORT NETDEV     a raw packet QP gets those of its rule from both ports, the netdev of each port its
                                              others; at each PORT of HOST frames.py serves at the far end of NETDEV's cable
"""

import json
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.spec import EthSpec
from frames import Wire, eth, mac_bytes, payload
from raw_queues import WAIT, Queue, check

RULE, OTHER = 0x88b6, 0x88fe


class Cable:
    """A port of this host, and who sends at the other end of its cable"""

    def __init__(self, host, port, netdev):
        self.peer = socket.create_connection((host, int(port)), timeout=WAIT)
        self.lines, self.out = self.peer.makefile("r"), self.peer.makefile("w")
        self.peer_mac = mac_bytes(json.loads(self.lines.readline())["mac"])
        self.wire = Wire(netdev)

    def frame(self, ethertype):
        return eth(self.wire.mac, self.peer_mac, ethertype, payload())

    def arrive(self, *frames):
        print(json.dumps({"op": "send", "frames": [f.hex() for f in frames]}), file=self.out, flush=True)
        self.lines.readline()

    def received(self, last):
        got, end = [], time.monotonic() + WAIT
        while last not in got and time.monotonic() < end:
            got.append(self.wire.receive())
        return [frame for frame in got if frame]


class Near:
    def __init__(self):
        self.ctx = Context(name="mlx5_bond_0")
        self.pd = PD(self.ctx)


def main(host, port0, netdev0, port1, netdev1):
    cables = [Cable(host, port0, netdev0), Cable(host, port1, netdev1)]
    queue = Queue(Near())
    queue.rule(EthSpec(ether_type=RULE))
    for n, cable in enumerate(cables):
        wanted, other = cable.frame(RULE), cable.frame(OTHER)
        cable.arrive(wanted, other)
        check(f"the netdev of port {n + 1} got", cable.received(other), [other])
        check(f"from port {n + 1} the program got", queue.receive(), [wanted])
        check("the netdev of the other port got", cables[1 - n].wire.receive(), None)
    queue.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
