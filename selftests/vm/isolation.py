#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: isolation.py list | run ID DEVICE GID-INDEX

What one process can do with the objects of another one that uses the same RDMA device. Each test has a process of its own for the
victim, which says what it has by a pipe.
"""
import errno
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import rows  # noqa: E402
from rows import row  # noqa: E402
from pyverbs import enums as e  # noqa: E402
from pyverbs.device import Context  # noqa: E402
from pyverbs.wr import SGE, SendWR  # noqa: E402
from sides import ALL, SIGNALED, Side  # noqa: E402
from uverbs import PAGE, Device, Memory, Refused  # noqa: E402

DEALLOC_PD, DESTROY_CQ, DESTROY_QP = 4, 20, 27
NOBODY = 65534
SECRET = b"a secret of the victim's"


class Victim:
    """A process that makes objects, tells what make() returns, and on a word checks that they still work"""

    def __init__(self, make, check):
        from_child, to_parent = os.pipe()
        from_parent, to_child = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            code = 1
            os.close(from_child)        # so that the end of either is seen by the other
            os.close(to_child)
            try:
                kept, said = make()
                os.write(to_parent, json.dumps(said).encode())
                os.read(from_parent, 1)
                check(kept)
                code = 0
            finally:
                os._exit(code)
        os.close(to_parent)
        os.close(from_parent)
        self.told = json.loads(os.read(from_child, 4096).decode())
        self.go = to_child

    def end(self):
        os.write(self.go, b".")
        assert os.waitpid(self.pid, 0)[1] == 0, "the victim's objects are damaged"


DESTROY = (("qp", DESTROY_QP, 8), ("cq", DESTROY_CQ, 8), ("pd", DEALLOC_PD, 0))    # number of the command, length of its answer


def destroy(device, number, handle, answer):
    body = struct.pack("<I", handle)
    if answer:
        device.command(number, body + bytes(4), answer)
    else:
        device.plain(number, body)


def objects():
    device, memory = Device(), Memory(3)
    device.context()
    page, _ = device.uar()
    pd = device.pd()
    cq = device.cq(page, memory.addr, memory.addr + 2 * PAGE)
    qp = struct.unpack_from("<I", device.qp(pd, cq, page, memory.addr + PAGE, memory.addr + 2 * PAGE + 64))[0]
    return device, {"pd": pd, "cq": cq, "qp": qp}


def destroy_own(kept):
    device, made = kept
    for what, number, answer in DESTROY:
        destroy(device, number, made[what], answer)


@row("handles", "handles of another process are unknown: nothing is destroyed by them")
def handles(_dev, _gid):
    def make():
        device, made = objects()
        return (device, made), made

    victim = Victim(make, destroy_own)
    other = Device()
    other.context()
    for what, number, answer in DESTROY:
        try:
            destroy(other, number, victim.told[what], answer)
        except Refused as refused:
            assert refused.code in (errno.EINVAL, errno.ENOENT), (what, refused.code)
        else:
            raise AssertionError(f"it destroyed the {what} of another process")
    victim.end()


def region(dev, gid):
    side = Side(Context(name=dev), gid)
    side.mr.write(SECRET.decode(), len(SECRET))
    return side, {"addr": side.mr.buf, "lkey": side.mr.lkey, "rkey": side.mr.rkey}


def untouched(side):
    assert side.mr.read(len(SECRET), 0) == SECRET


def with_region(dev, gid, attack):
    victim = Victim(lambda: region(dev, gid), untouched)
    ctx = Context(name=dev)
    a, b = Side(ctx, gid), Side(ctx, gid)
    a.connect(b)
    b.connect(a)
    attack(a, victim.told)
    victim.end()


def remote(opcode):
    """By a connection to a QP on the victim's machine, which is not the victim's"""
    def attack(a, its):
        wr = SendWR(wr_id=1, opcode=opcode, num_sge=1, sg=[a.sge(16)], send_flags=SIGNALED)
        wr.set_wr_rdma(its["rkey"], its["addr"])
        a.qp.post_send(wr)
        a.wait(status=e.IBV_WC_REM_ACCESS_ERR)
    return attack


@row("rkey.write", "the rkey of another process is of no use on a connection that is not that process's: WRITE")
def rkey_write(dev, gid):
    with_region(dev, gid, remote(e.IBV_WR_RDMA_WRITE))


@row("rkey.read", "the rkey of another process is of no use on a connection that is not that process's: READ")
def rkey_read(dev, gid):
    with_region(dev, gid, remote(e.IBV_WR_RDMA_READ))


@row("lkey", "the lkey of another process is of no use")
def lkey(dev, gid):
    def attack(a, its):
        wr = SendWR(wr_id=1, opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(its["addr"], 16, its["lkey"])], send_flags=SIGNALED)
        a.qp.post_send(wr)
        a.wait(status=e.IBV_WC_LOC_PROT_ERR)

    with_region(dev, gid, attack)


@row("rkey.own", "a key can be used on a connection of the process that it belongs to")
def rkey_own(dev, gid):
    """The other tests would pass if nothing worked at all"""
    ctx = Context(name=dev)
    a, b = Side(ctx, gid), Side(ctx, gid)
    a.connect(b)
    b.connect(a, allow=ALL)
    a.send(e.IBV_WR_RDMA_WRITE, 1, 16, remote=b)
    a.wait()


def as_nobody(function):
    """In a process without privileges"""
    pid = os.fork()
    if not pid:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        code = 1
        try:
            function()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


@row("raw", "raw packets need CAP_NET_RAW, RDMA does not")
def raw(dev, gid):
    def connected():
        side = Side(Context(name=dev), gid)
        side.connect(side)
        side.send(e.IBV_WR_RDMA_WRITE, 1, 16, remote=side)
        side.wait()

    def raw_packets():
        Side(Context(name=dev), gid, kind=e.IBV_QPT_RAW_PACKET)

    assert as_nobody(connected)
    raw_packets()
    assert not as_nobody(raw_packets)


if __name__ == "__main__":
    sys.exit(rows.main(__doc__, lambda name, gid: (name, int(gid))))
