#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: pace.py list | run ID DEVICE | source ADDRESS N | holds DEVICE | fills DEVICE KBPS

Packet pacing of raw packet QPs, and rates for queues that are made without verbs (PP objects). `list` prints ids and sentences of the
tests, `run` runs one; `source` sends N datagrams of 1000 bytes, and prints how many microseconds each of them took; `holds` has
rates until its device goes; `fills` has all of them, one of which is KBPS for all, until a line tells it to give that one up.

How long frames take at least is certain: a slow machine makes it longer only.
"""

import errno
import os
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from pyverbs import enums as e  # noqa: E402
from pyverbs.cq import CQ  # noqa: E402
from pyverbs.device import Context  # noqa: E402
from pyverbs.mr import MR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402
from pyverbs.providers.mlx5 import mlx5_enums as m5  # noqa: E402
from pyverbs.providers.mlx5.mlx5dv import Mlx5Context, Mlx5DVContextAttr, Mlx5PP  # noqa: E402
from pyverbs.pyverbs_error import PyverbsRDMAError  # noqa: E402
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr  # noqa: E402
from pyverbs.wr import SGE, SendWR  # noqa: E402
from libc import fork  # noqa: E402
import rows  # noqa: E402
from rows import row  # noqa: E402
from sides import close_when_gone  # noqa: E402

FRAME = 996             # 1000 bytes with FCS: a millisecond at 8 Mb/s
DEDICATED = m5._MLX5DV_PP_ALLOC_FLAGS_DEDICATED_INDEX    # pylint: disable=protected-access
KBPS = 8000
MAX, RATES = 100000000, 127     # of the card
ROOM = 4                # datagrams in a socket with the smallest buffer, or more than there are
DISCARD = 9
NOBODY = bytes.fromhex("02000000000102000000000288b6")     # 0x88b5 is used by windows (window.sh)


class Raw:
    """A raw packet QP in RTS, whose frames nobody receives"""

    def __init__(self, ctx, n=64):
        self.pd = PD(ctx)
        self.cq = CQ(ctx, n)
        self.mr = MR(self.pd, 4096, e.IBV_ACCESS_LOCAL_WRITE)
        self.mr.write(NOBODY, len(NOBODY))
        init = QPInitAttr(qp_type=e.IBV_QPT_RAW_PACKET, scq=self.cq, rcq=self.cq, cap=QPCap(n, 1, 1, 1))
        self.qp = QP(self.pd, init, QPAttr(port_num=1))

    def limit(self, kbps, **more):
        attr = QPAttr(qp_state=e.IBV_QPS_RTS, cur_qp_state=e.IBV_QPS_RTS)
        attr.rate_limit = kbps
        self.qp.modify(attr, e.IBV_QP_RATE_LIMIT | more.get("mask", 0))

    def restart(self, rate=None):
        """Through RESET to RTS, with a rate limit on the way if there is a @rate"""
        for state in (e.IBV_QPS_RESET, e.IBV_QPS_INIT, e.IBV_QPS_RTR, e.IBV_QPS_RTS):
            attr = QPAttr(qp_state=state, port_num=1)
            mask = e.IBV_QP_STATE | (e.IBV_QP_PORT if state == e.IBV_QPS_INIT else 0)
            if state == e.IBV_QPS_RTS and rate is not None:
                attr.rate_limit = rate
                mask |= e.IBV_QP_RATE_LIMIT
            self.qp.modify(attr, mask)

    def takes(self, n):
        """Milliseconds until @n frames are sent"""
        begin = time.monotonic()
        for _ in range(n):
            self.qp.post_send(SendWR(num_sge=1, sg=[SGE(self.mr.buf, FRAME, self.mr.lkey)], opcode=e.IBV_WR_SEND,
                                     send_flags=e.IBV_SEND_SIGNALED))
        got = []
        while len(got) < n:
            got += self.cq.poll(n)[1]
            assert time.monotonic() < begin + 60, f"{len(got)} of {n} frames are sent"
        assert all(wc.status == e.IBV_WC_SUCCESS for wc in got)
        took = (time.monotonic() - begin) * 1000
        print(f"{n} frames: {took:.1f} ms")
        return took


def refused(code, call, *args, **more):
    try:
        call(*args, **more)
    except PyverbsRDMAError as err:
        assert err.error_code == code, f"{errno.errorcode[err.error_code]} instead of {errno.errorcode[code]}"
        return
    raise AssertionError(f"accepted instead of {errno.errorcode[code]}")


@row("caps", "the device says which rates it has, and for which QPs")
def caps(ctx):
    pacing = ctx.query_device_ex().packet_pacing_caps
    assert (pacing.qp_rate_limit_min, pacing.qp_rate_limit_max) == (1, MAX), (pacing.qp_rate_limit_min, pacing.qp_rate_limit_max)
    assert pacing.supported_qpts == 1 << e.IBV_QPT_RAW_PACKET, pacing.supported_qpts


@row("rate", "a raw packet QP keeps to its rate, that of each change, and none after a rate of 0")
def rate(ctx):
    raw = Raw(ctx)
    raw.limit(KBPS)
    assert raw.takes(60) >= 59
    raw.limit(KBPS // 4)
    assert raw.takes(30) >= 4 * 29
    raw.limit(0)
    # a machine that takes a second for this is not measured
    raw.limit(1)
    raw.limit(0)
    assert raw.takes(60) < 60 * 8000


@row("rts", "a rate on the way to RTS, and none after a reset")
def from_rtr(ctx):
    raw = Raw(ctx)
    raw.restart(KBPS)
    assert raw.takes(40) >= 39
    raw.limit(1)
    # eight seconds for each frame, if the rate of before stayed
    raw.restart()
    assert raw.takes(40) < 39 * 8000
    raw.limit(KBPS)
    assert raw.takes(40) >= 39


@row("refused", "rates beyond the limits, and one on the way to RTR, are refused; the QP keeps the one it has")
def refuses(ctx):
    raw = Raw(ctx)
    raw.limit(KBPS)
    refused(errno.EINVAL, raw.limit, MAX + 1)
    assert raw.takes(40) >= 39
    for state in (e.IBV_QPS_RESET, e.IBV_QPS_INIT):
        raw.qp.modify(QPAttr(qp_state=state, port_num=1), e.IBV_QP_STATE | (e.IBV_QP_PORT if state == e.IBV_QPS_INIT else 0))
    attr = QPAttr(qp_state=e.IBV_QPS_RTR)
    attr.rate_limit = KBPS
    refused(errno.EINVAL, raw.qp.modify, attr, e.IBV_QP_STATE | e.IBV_QP_RATE_LIMIT)


@row("table", "all rates of the device can be in use, QPs share those that are the same, and one that is free is given again")
def table(ctx):
    used = [Raw(ctx, 2) for _ in range(RATES)]
    for i, raw in enumerate(used):
        raw.limit(KBPS + i)
    more = Raw(ctx)
    refused(errno.ENOSPC, more.limit, 1000)
    more.limit(KBPS + 5)
    assert more.takes(40) >= 38
    used[7].qp.close()
    more.limit(4 * KBPS)
    assert more.takes(40) >= 39 / 4
    for i, raw in enumerate(used):
        raw.qp.close()
    again = [Raw(ctx, 2) for _ in range(RATES - 1)]
    for i, raw in enumerate(again):
        raw.limit(2 * KBPS + i)


def devx(name):
    return Mlx5Context(Mlx5DVContextAttr(m5.MLX5DV_CONTEXT_FLAGS_DEVX), name)


def shared(ctx, kbps, flags=0):
    return Mlx5PP(ctx, struct.pack(">I", kbps), flags=flags)


@row("objects", "programs get rates for their own queues: the same for the same rate, or one for each of them")
def objects(ctx):
    user = devx(ctx.name)
    one, same = shared(user, KBPS), shared(user, KBPS)
    other = shared(user, KBPS + 1)
    own = [shared(user, KBPS, DEDICATED) for _ in range(2)]
    numbers = [pp.index for pp in (one, same, other, *own)]
    print(numbers)
    assert numbers[0] == numbers[1] and len(set(numbers)) == 4
    one.close()
    assert shared(user, KBPS).index == numbers[0]
    refused(errno.EINVAL, shared, user, MAX + 1)
    refused(errno.EINVAL, shared, user, 0)


@row("objects.killed", "a process with all rates is killed: they are free")
def killed(ctx):
    reader, writer = os.pipe()
    pid = fork()
    if not pid:
        user = devx(ctx.name)
        held = [shared(user, KBPS, DEDICATED) for _ in range(RATES)]
        os.write(writer, b"%d" % len(held))
        time.sleep(1000)
    os.close(writer)
    assert os.read(reader, 8) == b"%d" % RATES
    refused(errno.ENOSPC, Raw(ctx).limit, KBPS)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    Raw(ctx).limit(KBPS)


def holds(name):
    """Rates of each kind until the device goes, and frames that wait for theirs"""
    ctx, user = Context(name=name), devx(name)
    raw = Raw(ctx)
    raw.limit(1)
    rates = [shared(user, KBPS + i, DEDICATED * (i & 1)) for i in range(20)]
    for _ in range(8):
        raw.qp.post_send(SendWR(num_sge=1, sg=[SGE(raw.mr.buf, FRAME, raw.mr.lkey)], opcode=e.IBV_WR_SEND, send_flags=e.IBV_SEND_SIGNALED))
    print("ready", len(rates), flush=True)
    close_when_gone(ctx)
    user.close()


def fills(name, kbps):
    user = devx(name)
    common = shared(user, int(kbps))
    own = [shared(user, KBPS, DEDICATED) for _ in range(RATES - 1)]
    print("full", flush=True)
    sys.stdin.readline()
    common.close()
    print("one less", flush=True)
    time.sleep(1000 + len(own))


def source(address, n):
    """The socket has room for few datagrams: others wait until these are sent, and end in the order of the queue."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        begin = time.monotonic()
        for _ in range(n):
            sock.sendto(bytes(1000), (address, DISCARD))
        print(int((time.monotonic() - begin) / (n - 1 - ROOM) * 1000000))


if __name__ == "__main__":
    if sys.argv[1:2] == ["source"]:
        sys.exit(source(sys.argv[2], int(sys.argv[3])))
    if sys.argv[1:2] == ["holds"]:
        sys.exit(holds(*sys.argv[2:]))
    if sys.argv[1:2] == ["fills"]:
        sys.exit(fills(*sys.argv[2:]))
    sys.exit(rows.main(__doc__, lambda name: (Context(name=name),)))
