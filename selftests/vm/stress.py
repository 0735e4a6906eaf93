# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Many verbs objects, and many short-lived processes. Both ends of each connection are on one device.

usage: stress.py DEVICE GID-INDEX many QPS MRS          create these at once, use each, print "open", wait to be killed
       stress.py DEVICE GID-INDEX lives SECONDS SEED    processes connect and transfer data, are killed and replaced
       stress.py DEVICE GID-INDEX gone SEED             the same until the device is unbound, which ends standard input
"""
import ctypes
import mmap
import os
import random
import select
import signal
import struct
import sys
import time
import traceback

from pyverbs import enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from sides import ALL, SIGNALED, extras, pair, path_attr, same, transfer  # noqa: E402

PAGE = 4096
PROCESSES = 8
WRONG_DATA = 3      # exit code of a process
PATIENCE = 60 * int(os.environ.get("CXR_PATIENCE", "1"))


# ---- many at once --------------------------------------------------------------------------------

def poll(cq, n):
    end = time.monotonic() + PATIENCE
    while n:
        got, wcs = cq.poll(n)
        for wc in wcs:
            assert wc.status == e.IBV_WC_SUCCESS, f"completion {wc.wr_id} has status {wc.status}"
        n -= got
        assert time.monotonic() < end, f"{n} completions are missing"


def regions(pd, count):
    """MRs of a page each; the first one is the source of writes to the others."""
    memory = mmap.mmap(-1, count * PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return memory, base, [MR(pd, PAGE, ALL, base + i * PAGE) for i in range(count)]


def many(dev, gid, qps, mrs):
    ctx = Context(name=dev)
    pd = PD(ctx)
    cq = CQ(ctx, qps)
    memory, base, keys = regions(pd, mrs)
    print(f"{mrs} memory regions", flush=True)
    init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq,
                      cap=QPCap(max_send_wr=4, max_recv_wr=1, max_send_sge=1, max_recv_sge=1))
    ends = [QP(pd, init) for _ in range(qps)]
    for i, qp in enumerate(ends):
        qp.to_rts(path_attr(ctx, gid, ends[i ^ 1].qp_num))
    print(f"{qps} queue pairs", flush=True)
    # Each MR is written once; QPs take turns.
    turn = min(qps, mrs - 1)
    for first in range(1, mrs, turn):
        last = min(first + turn, mrs)
        for i in range(first, last):
            wr = SendWR(wr_id=i, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, send_flags=SIGNALED | e.IBV_SEND_INLINE,
                        sg=[SGE(base, 8, keys[0].lkey)])
            memory[:8] = struct.pack(">Q", 0x5a5a5a5a << 32 | i)
            wr.set_wr_rdma(keys[i].rkey, base + i * PAGE)
            ends[i % qps].post_send(wr)
        poll(cq, last - first)
    for i in range(1, mrs):
        got = struct.unpack(">Q", memory[i * PAGE:i * PAGE + 8])[0]
        assert got == 0x5a5a5a5a << 32 | i, f"region {i} has {got:#x}"
    print("open", flush=True)
    sys.stdin.read()
    return 0


# ---- short lives ---------------------------------------------------------------------------------

def life(dev, gid, rng, count):
    ctx = Context(name=dev)
    kept = []
    while True:
        a, b = pair(ctx, gid, size=16384)
        kept.append((a, b, extras(a, rng)))
        for _ in range(rng.randrange(1, 8)):
            text = transfer(a, b, rng, PATIENCE)
            try:
                same(b, text)
            except AssertionError:
                traceback.print_exc()
                os._exit(WRONG_DATA)
            count[0] += 1
        if len(kept) > 4:
            old, other, _ = kept.pop(0)
            old.qp.close()
            other.qp.close()


class Lives:
    """Runs PROCESSES processes, which count their transfers in shared memory."""

    def __init__(self, dev, gid, seed):
        self.dev, self.gid, self.seed = dev, gid, seed
        self.rng = random.Random(seed)
        self.shared = mmap.mmap(-1, PROCESSES * 8)
        self.counts = [(ctypes.c_uint64 * 1).from_buffer(self.shared, 8 * i) for i in range(PROCESSES)]
        self.pids = [self.begin(i) for i in range(PROCESSES)]
        self.killed = 0

    def begin(self, slot):
        seed = self.rng.getrandbits(32)
        pid = os.fork()
        if not pid:
            try:
                life(self.dev, self.gid, random.Random(seed), self.counts[slot])
            except (PyverbsError, AssertionError, OSError):
                traceback.print_exc()
            finally:
                os._exit(1)
        return pid

    def ended(self):
        """PID of a process that ended by itself, or 0"""
        return os.waitpid(-1, os.WNOHANG)[0]

    def kill(self, slot):
        os.kill(self.pids[slot], signal.SIGKILL)
        assert os.waitpid(self.pids[slot], 0)[1] != WRONG_DATA << 8, "a process has received wrong data"
        self.killed += 1

    def done(self):
        return [c[0] for c in self.counts]


def lives(dev, gid, seconds, seed):
    """Kill processes at random times after some transfers, and replace them."""
    all_of_them = Lives(dev, gid, seed)
    before = all_of_them.done()
    end = time.monotonic() + seconds
    hard_end = end + PATIENCE
    while time.monotonic() < end or min(all_of_them.done()) == 0:
        time.sleep(all_of_them.rng.random() * 0.3)
        if all_of_them.ended():
            print("a process ended by itself")
            return 1
        assert time.monotonic() < hard_end, f"transfers of each process: {all_of_them.done()}"
        slot = all_of_them.rng.randrange(PROCESSES)
        if all_of_them.done()[slot] > before[slot] or all_of_them.rng.random() < 0.1:
            all_of_them.kill(slot)
            before[slot] = all_of_them.done()[slot]
            all_of_them.pids[slot] = all_of_them.begin(slot)
    for slot in range(PROCESSES):
        all_of_them.kill(slot)
    print(f"{all_of_them.killed} processes killed, {sum(all_of_them.done())} transfers")
    return 0


def gone(dev, gid, seed):
    all_of_them = Lives(dev, gid, seed)
    end = time.monotonic() + PATIENCE
    while min(all_of_them.done()) == 0:
        time.sleep(0.05)
        assert not all_of_them.ended(), "a process ended by itself"
        assert time.monotonic() < end, f"transfers of each process: {all_of_them.done()}"
    print("busy", flush=True)
    select.select([sys.stdin], [], [])
    # Transfers that were complete before may still be counted.
    for _ in range(20):
        at = all_of_them.done()
        time.sleep(0.5)
        if at == all_of_them.done():
            break
    else:
        raise AssertionError("transfers continue without a device")
    try:
        Context(name=dev)
        print("the device can still be opened")
        return 1
    except PyverbsError:
        pass
    for slot in range(PROCESSES):
        all_of_them.kill(slot)
    return 0


def main():
    dev, gid, what, numbers = sys.argv[1], int(sys.argv[2]), sys.argv[3], [int(w) for w in sys.argv[4:]]
    return {"many": many, "lives": lives, "gone": gone}[what](dev, gid, *numbers)


if __name__ == "__main__":
    sys.exit(main())
