# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""An MPI program that checks what it receives (mpi.sh).

usage: mpi_program.py KINDS

KINDS, separated by commas: messages, collectives, onesided, endless. Prints a line "rank R of N on HOST: KIND: good" for each.
"""

import array
import sys

from mpi4py import MPI  # pylint: disable=import-error

SIZES = (0, 1, 64, 1000, 4096, 65536, 1 << 20)
WORDS = 4096

world = MPI.COMM_WORLD
RANK, RANKS = world.rank, world.size
SHORTS = b"".join(n.to_bytes(2, "little") for n in range(1 << 15))


def text(rank, size):
    """SIZE bytes that differ by rank and by position."""
    seed = bytes((b + 31 * rank) & 255 for b in SHORTS[:251])
    return (seed * (size // len(seed) + 1))[:size]


def check(what, got, wanted):
    got, wanted = bytes(got), bytes(wanted)
    if got != wanted:
        wrong = [i for i, (one, other) in enumerate(zip(got, wanted)) if one != other]
        print(f"rank {RANK} of {RANKS}: {what}: {len(wrong)} bytes are wrong, from {wrong[0]} on", flush=True)
        world.Abort(1)


def messages():
    """Around the ring in both directions, blocking and not; many at once; from any source."""
    right, left = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    for size in SIZES:
        got = bytearray(size)
        world.Sendrecv(text(RANK, size), dest=right, recvbuf=got, source=left)
        check(f"ring {size}", got, text(left, size))
        both = [bytearray(size), bytearray(size)]
        mine = text(RANK, size)
        MPI.Request.Waitall([world.Irecv(both[0], left, 1), world.Irecv(both[1], right, 2),
                             world.Issend(mine, right, 1), world.Isend(mine, left, 2)])
        check(f"both {size}", both[0], text(left, size))
        check(f"both {size}", both[1], text(right, size))
    many = [bytearray(512) for _ in range(64)]
    asked = [world.Irecv(buf, left, n) for n, buf in enumerate(many)]
    sent = [text(RANK + n, 512) for n in range(64)]
    # in reverse order: most are not expected yet
    asked += [world.Isend(buf, right, n) for n, buf in reversed(list(enumerate(sent)))]
    MPI.Request.Waitall(asked)
    for n, buf in enumerate(many):
        check(f"tag {n}", buf, text(left + n, 512))


def collectives():
    for size in SIZES[1:]:
        buf = bytearray(text(0, size) if RANK == 0 else size)
        world.Bcast(buf, 0)
        check(f"broadcast {size}", buf, text(0, size))
        everything = bytearray(size * RANKS)
        world.Allgather(text(RANK, size), everything)
        check(f"allgather {size}", everything, b"".join(text(r, size) for r in range(RANKS)))
        got = bytearray(size * RANKS)
        world.Alltoall(b"".join(text(RANK * RANKS + r, size) for r in range(RANKS)), got)
        check(f"alltoall {size}", got, b"".join(text(r * RANKS + RANK, size) for r in range(RANKS)))
    for n in (1, 1000, 100000):
        total = array.array("q", [0]) * n
        world.Allreduce(array.array("q", range(RANK, RANK + n)), total, MPI.SUM)
        base = RANKS * (RANKS - 1) // 2
        check(f"allreduce {n}", total, array.array("q", (RANKS * i + base for i in range(n))))
    world.Barrier()


def onesided():
    """Put, get, accumulate and fetch under each kind of synchronization."""
    mem = array.array("q", [RANK + 1]) * WORDS
    win = MPI.Win.Create(mem, disp_unit=mem.itemsize, comm=world)
    right, left = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    win.Fence()
    got = array.array("q", [0]) * WORDS
    win.Get(got, right)
    win.Fence()
    check("get", got, array.array("q", [right + 1]) * WORDS)
    mine = array.array("q", [100 + RANK]) * WORDS
    win.Put(mine, right)
    win.Fence()
    check("put", mem, array.array("q", [100 + left]) * WORDS)
    win.Lock_all()
    ones, before = array.array("q", [1]), array.array("q", [0])
    for _ in range(50):
        win.Fetch_and_op(ones, before, 0, 7, MPI.SUM)
        win.Accumulate(array.array("q", [2]), 0, [8, 1], MPI.SUM)
        win.Flush(0)
    win.Unlock_all()
    world.Barrier()
    if RANK == 0:
        win.Lock(0)
        start = 100 + left
        check("fetch and add", mem[7:9], array.array("q", [start + 50 * RANKS, start + 100 * RANKS]))
        win.Unlock(0)
    win.Free()


def endless():
    """Messages until something dies."""
    print(f"rank {RANK} of {RANKS} on {MPI.Get_processor_name()}: begins", flush=True)
    while True:
        messages()


for kind in sys.argv[1].split(","):
    globals()[kind]()
    print(f"rank {RANK} of {RANKS} on {MPI.Get_processor_name()}: {kind}: good", flush=True)
