# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
usage: mr_keys.py list | run ID DEVICE GID | cycle DEVICE TIMES PAGES... | many DEVICE COUNT

Memory keys of MRs that were deregistered: rows for mr.sh, and programs whose commands mr.sh counts.
"""
import os
import sys

from pyverbs import enums as e
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.wr import SendWR

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import rows  # noqa: E402
from rows import row  # noqa: E402
from sides import ALL, SIGNALED, Scattered, fill, pair  # noqa: E402

SIZE = 8192


def write(a, key, address, status=e.IBV_WC_SUCCESS):
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(16)], send_flags=SIGNALED)
    wr.set_wr_rdma(key, address)
    a.qp.post_send(wr)
    a.wait(status=status)


def target(b):
    mr = MR(b.pd, SIZE, ALL)
    mr.write(b"-" * 16, 16)
    return mr


@row("revoked", "the rkey of a deregistered MR is invalid")
def revoked(ctx, gid):
    a, b = pair(ctx, gid)
    mr = target(b)
    key, address = mr.rkey, mr.buf
    fill(a, b"+" * 16)
    write(a, key, address)
    assert mr.read(16, 0) == b"+" * 16
    mr.close()
    write(a, key, address, e.IBV_WC_REM_ACCESS_ERR)


@row("stale", "an old rkey is invalid when its key belongs to a new MR")
def stale(ctx, gid):
    a, b = pair(ctx, gid)
    c, d = pair(ctx, gid, pd=b.pd)
    mr = target(b)
    old, fillers = mr.rkey, []
    mr.close()
    while True:     # other tests have left keys that are used first
        mr = target(b)
        if mr.rkey >> 8 == old >> 8:
            break
        fillers.append(mr)
        assert len(fillers) < 2000, "the key is not used again"
    assert mr.rkey != old, "the new MR has the same rkey"
    fill(a, b"+" * 16)
    fill(c, b"*" * 16)
    write(a, old, mr.buf, e.IBV_WC_REM_ACCESS_ERR)
    assert mr.read(16, 0) == b"-" * 16, "written by the old rkey"
    write(c, mr.rkey, mr.buf)
    assert mr.read(16, 0) == b"*" * 16
    assert d.mr.rkey >> 8 != mr.rkey >> 8


@row("pd", "a PD can be deallocated when the keys of its MRs are kept")
def pd_gone(ctx, _gid):
    pd = PD(ctx)
    mr = MR(pd, SIZE, ALL)
    mr.close()
    pd.close()


@row("access", "a kept key gets the access and the length of its new MR")
def access(ctx, gid):
    a, b = pair(ctx, gid)
    keys = set()
    for size, rights, status in ((SIZE, ALL, e.IBV_WC_SUCCESS), (4096, ALL, e.IBV_WC_REM_ACCESS_ERR),
                                 (SIZE, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ, e.IBV_WC_REM_ACCESS_ERR)):
        mr = MR(b.pd, size, rights)
        keys.add(mr.rkey)
        write(a, mr.rkey, mr.buf + SIZE - 16, status)
        mr.close()
        if status != e.IBV_WC_SUCCESS:
            a, b = pair(ctx, gid)
    assert len(keys) == 3, "two MRs had the same rkey"


def begin(device, gid):
    return Context(name=device), int(gid)


def cycle(device, times, *sizes):
    pd = PD(Context(name=device))
    parts = [Scattered(int(pages)) for pages in sizes]
    for _ in range(int(times)):
        for part in parts:
            MR(pd, part.size, ALL, part.address).close()


def many(device, count):
    pd = PD(Context(name=device))
    for mr in [MR(pd, 4096, ALL) for _ in range(int(count))]:
        mr.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["cycle"]:
        sys.exit(cycle(*sys.argv[2:]))
    if sys.argv[1:2] == ["many"]:
        sys.exit(many(*sys.argv[2:]))
    sys.exit(rows.main(__doc__, begin))
