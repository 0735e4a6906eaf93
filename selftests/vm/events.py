#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: events.py DEVICE GID-INDEX

The CQ of a program overruns: prints "ready" when two QPs are connected, and sends after each line on standard input. If there is a
completion it prints "completed". Otherwise there has to be an event for the CQ, everything can be destroyed, and new objects work: it
prints "works", and ends.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pyverbs import enums as e  # noqa: E402
from pyverbs.device import Context  # noqa: E402
from sides import pair  # noqa: E402


def write(a, b):
    a.send(e.IBV_WR_RDMA_WRITE, 1, 64, remote=b)


def completes(cq):
    end = time.monotonic() + 1
    while time.monotonic() < end:
        if cq.poll()[0]:
            return True
    return False


def main(device, gid):
    ctx = Context(name=device)
    a, b = pair(ctx, gid)
    print("ready", flush=True)
    for _ in sys.stdin:
        write(a, b)
        if not completes(a.cq):
            break
        print("completed", flush=True)
    event = ctx.get_async_event()
    assert event.event_type == e.IBV_EVENT_CQ_ERR, f"event {event.event_type}"
    event.ack()
    for side in (a, b):
        side.qp.close()
        side.cq.close()
    a, b = pair(ctx, gid)
    write(a, b)
    a.wait()
    print("works", flush=True)


main(sys.argv[1], int(sys.argv[2]))
