#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: uverbs_fuzz.py SEED STEPS [SECONDS]

Sends random requests to the RDMA device: commands of the uverbs ABI in random order, on random
objects, about half of them mutated, mostly in the part that the driver reads. For some, the buffer
for the response is not (completely) writable. Created objects are used by later requests, and
destroyed at random or at the end of the process. Ends after STEPS, or after SECONDS, and prints how
many of each command were accepted and refused. Fails if in many steps a command was never accepted,
since then it was not really tested.
"""

import collections
import ctypes
import errno
import mmap
import os
import random
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import uverbs  # noqa: E402
from uverbs import NOWHERE, PAGE, RAW_PACKET, RC, Memory, Refused  # noqa: E402

# Pages: queues and MRs are in the first POOL. Doorbell records are far behind those, where mutated addresses do not lead and nothing
# is ever written, so that the device finds no work: how it handles invalid work is not the driver's business.
PAGES, POOL, RECORDS, RECORD_PAGES = 0x1000, 64, 0x555, 8
USER_END = 1 << 47
GROWTH = 1 << 26    # of the heap, and of mappings until the next context
GROWTH_DOWN = 1 << 40    # from here on also downwards
CONTEXTS = 3
OBJECTS = 40    # limit by kind and context; then one is destroyed first
DRIVER_OBJECTS = 0x1000
UC, UD, XRC_INI = 3, 4, 9
RESET, INIT, RTR, RTS, SQD, SQE, ERR = range(7)
STATE, ACCESS, PKEY, PORT, QKEY, AV, PATH_MTU, TIMEOUT = 1, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200
RETRY, RNR_RETRY, RQ_PSN, RD_ATOMIC, MIN_RNR, SQ_PSN = 0x400, 0x800, 0x1000, 0x2000, 0x8000, 0x10000
DEST_RD_ATOMIC, DEST_QPN = 0x20000, 0x100000
RC_RTS = STATE | TIMEOUT | RETRY | RNR_RETRY | SQ_PSN | RD_ATOMIC
UC_RTR = STATE | AV | PATH_MTU | DEST_QPN | RQ_PSN

# Attribute masks of the transitions from RESET to RTS, by QP type
MASKS = {
    RC: {INIT: STATE | PKEY | PORT | ACCESS, RTR: UC_RTR | DEST_RD_ATOMIC | MIN_RNR, RTS: RC_RTS},
    UC: {INIT: STATE | PKEY | PORT | ACCESS, RTR: UC_RTR, RTS: STATE | SQ_PSN},
    UD: {INIT: STATE | PKEY | PORT | QKEY, RTR: STATE, RTS: STATE | SQ_PSN},
    XRC_INI: {INIT: STATE | PKEY | PORT | ACCESS, RTR: UC_RTR, RTS: RC_RTS},
    RAW_PACKET: {INIT: STATE | PORT, RTR: STATE, RTS: STATE},
}

# Commands that are not in uverbs.py. Two known bugs of ib_core are avoided: for a WQ that is modified
# to an invalid state it leaks a reference, and warns when the process ends; and for a second context
# of a file, which it refuses, it leaks the task (SECOND_CONTEXT).
QUERY_DEVICE, CREATE_AH, REREG_MR, QUERY_QP, MODIFY_QP, ATTACH_MCAST = 1, 5, 11, 25, 26, 30
CREATE_SRQ, MODIFY_SRQ, QUERY_SRQ = 32, 33, 34
CREATE_FLOW, MODIFY_WQ = 50, 53
SECOND_CONTEXT = 0, 3    # UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT

# How to destroy each kind: number of the command, and whether it is an extended one.
DESTROY = {"pd": (4, False), "mr": (13, False), "mw": (16, False), "cq": (20, False), "qp": (27, False),
        "srq": (35, False), "xrcd": (38, False), "ah": (8, False), "flow": (51, True),
        "wq": (54, True), "table": (56, True)}
ANSWERED = {"cq", "qp", "srq", "wq"}    # destroy commands with a response


def program(memory):
    """Where the process has mapped anything but these pages, or may map it soon: the device must not take its contents for a doorbell
    record"""
    places = []
    with open("/proc/self/maps", encoding="ascii") as maps:
        for line in maps:
            start, end = (int(n, 16) for n in line.split()[0].split("-"))
            if start <= memory.addr < end or start >= USER_END:
                continue
            start -= GROWTH if start > GROWTH_DOWN else 0
            if places and start <= places[-1].stop:
                start = places.pop().start
            places.append(range(start, end + GROWTH))
    return places


class Mutator:
    """Mutates bytes of valid requests."""

    def __init__(self, rand, memory):
        self.rand, self.memory, self.taken = rand, range(memory.addr, memory.addr + PAGES * PAGE), program(memory)
        near = [memory.addr + i for i in (0, 4, 8, 64, PAGE, PAGE - 64, POOL * PAGE - 64, POOL * PAGE)]
        self.numbers = near + [0, 1, 2, 3, 0xff, NOWHERE, 1 << 47, (1 << 47) - PAGE, 0xffff << 48,
                               0xffff888000001000, (1 << 64) - 1, (1 << 64) - PAGE]
        self.numbers += [n for i in range(64) for n in (1 << i, (1 << i) - 1, (1 << i) + 1)]

    def field(self, data):
        size = self.rand.choice([n for n in (1, 2, 4, 8) if n <= len(data)])
        at = self.rand.randrange(0, len(data) - size + 1, size)
        number = self.rand.choice(self.numbers) & ((1 << 8 * size) - 1)
        return data[:at] + number.to_bytes(size, "little") + data[at + size:]

    def bits(self, data):
        data = bytearray(data)
        for _ in range(self.rand.randint(1, 3)):
            data[self.rand.randrange(len(data))] ^= 1 << self.rand.randrange(8)
        return bytes(data)

    def cut(self, data):
        return data[:self.rand.randrange(0, len(data), 4)]

    def longer(self, data):
        more = self.rand.choice((4, 8, 16, 64, 256))
        return data + self.rand.choice((bytes(more), self.rand.randbytes(more)))

    def noise(self, data):
        return self.rand.randbytes(len(data))

    def mutate(self, data):
        if not data:
            return self.longer(data) if self.rand.random() < 0.2 else data
        while True:
            how = self.rand.choices((self.field, self.bits, self.cut, self.longer, self.noise), (6, 3, 2, 2, 1))
            mutated = how[0](data)
            if not self.leads_astray(mutated):
                return mutated

    def leads_astray(self, data):
        """Whether a number, which may be an address, points at a part of the process that is not for the device"""
        for (number,) in struct.iter_unpack("<Q", data[:len(data) & ~7]):
            if number >= PAGE and number not in self.memory and any(number in place for place in self.taken):
                return True
        return False


class Guarded:
    """A page for responses between two pages that are not writable"""

    def __init__(self, rand):
        self.rand = rand
        self.first = Memory(3).addr
        for page in (0, 2):
            if ctypes.CDLL(None).mprotect(ctypes.c_void_p(self.first + page * PAGE), PAGE, mmap.PROT_READ):
                sys.exit("mprotect failed")

    def answer(self, size):
        """A buffer that begins in the first guard page or ends in the second"""
        outside = self.rand.randrange(4, size + 4, 4)
        return GuardedAnswer(self.first + self.rand.choice((PAGE - outside, 2 * PAGE - size + outside)), size)


class GuardedAnswer:
    def __init__(self, addr, size):
        self.addr, self.size = addr, size

    def read(self):
        return ctypes.string_at(self.addr, self.size)


class Context(uverbs.Device):
    """A uverbs context that mutates its requests."""

    def __init__(self, rand, memory, guarded, gids):
        super().__init__()
        self.gids = gids
        self.rand, self.mutator = rand, Mutator(rand, memory)
        self.memory, self.guarded = memory, guarded
        self.have = collections.defaultdict(list)
        self.types = {}     # of QPs
        self.states = {}
        self.maps = collections.deque(maxlen=8)

    def mutated(self, body, driver, answer_len, unit):
        dice = self.rand.random()
        if dice < 0.35:
            driver = self.mutator.mutate(driver)
        elif dice < 0.45:
            body = self.mutator.field(body) if body else body
        elif dice < 0.5:
            answer_len = max(0, answer_len + self.rand.choice((-8, -4, 4, 8, 64)))
        self.answer = self.guarded.answer if 0.5 < dice < 0.55 else uverbs.Answer
        driver += bytes(-(len(body) + len(driver)) % unit)
        return body, driver, answer_len

    def command(self, number, body, answer_len, driver=b""):
        body, driver, answer_len = self.mutated(body, driver, answer_len, 4)
        return super().command(number, body, answer_len, driver)

    def extended(self, number, body, answer_len, driver=b"", answer_driver=32):
        whole = body
        body, driver, answer_len = self.mutated(body, driver, answer_len, 8)
        if number == MODIFY_WQ:
            body = whole
        return super().extended(number, body[:len(body) & ~7], answer_len, driver, answer_driver)

    def ioctl(self, obj, method, attrs):
        if self.rand.random() < 0.3:
            attrs = [(i, self.rand.choice((n, n + 4, 0, 0xffff)), d) for i, n, d in attrs]
        return super().ioctl(obj, method, attrs)

    # ---- arguments of requests ------------------------------------------------------------------

    def a(self, kind):
        """A handle of this kind; sometimes an invalid one."""
        if not self.have[kind] or self.rand.random() < 0.02:
            return self.rand.choice((0, 1, 7, 1 << 31))
        return self.rand.choice(self.have[kind])

    def qp_of(self, kind):
        return self.rand.choice([q for q in self.have["qp"] if self.types[q] == kind] or [self.a("qp")])

    def keep_qp(self, handle, kind):
        self.keep("qp", handle)
        self.types[handle], self.states[handle] = kind, RESET

    def place(self, align=PAGE):
        return self.memory.addr + self.rand.randrange(0, POOL * PAGE // 2, align)

    def record(self):
        return self.memory.addr + RECORDS * PAGE + self.rand.randrange(0, RECORD_PAGES * PAGE, 64)

    def keep(self, kind, handle):
        self.have[kind].append(handle)

    def destroy_one(self, kind):
        handle = self.a(kind)
        number, extended = DESTROY[kind]
        self.answer = uverbs.Answer
        if extended:
            body = struct.pack("<II", 0, handle)
            uverbs.Device.extended(self, number, body, 8 if kind in ANSWERED else 0)
        elif kind in ANSWERED:
            uverbs.Device.command(self, number, struct.pack("<II", handle, 0), 8)
        else:
            self.plain(number, struct.pack("<I", handle))
        if handle in self.have[kind]:
            self.have[kind].remove(handle)

    # ---- requests -------------------------------------------------------------------------------

    def alloc_pd(self):
        self.keep("pd", self.pd())

    def alloc_uar(self):
        self.keep("uar", self.uar(self.rand.choice((0, 0, 1, 2, 1 << 31))))

    def map_uar(self):
        _, offset = self.rand.choice(self.have["uar"] or [(0, 0)])
        if self.rand.random() < 0.3:
            offset = self.rand.choice((0, offset + PAGE, 3 << 12, 1 << 20, self.rand.getrandbits(40) << 12))
        self.maps.append(self.map_page(offset, self.rand.choice((1, 1, 1, 2, 300))))

    def uar_number(self):
        return self.rand.choice(self.have["uar"] or [(1, 0)])[0]

    def reg_mr(self):
        start = self.place(64)
        length = self.rand.choice((1, 64, PAGE, 5 * PAGE + 1))
        answer = self.mr(self.a("pd"), start, length, self.rand.choice((0, 1, 3, 7, 15, 31)))
        self.keep("mr", struct.unpack_from("<I", answer)[0])

    def rereg_mr(self):
        start = self.place(64)
        body = struct.pack("<IIQQQII", self.a("mr"), self.rand.randrange(1, 8), start, 3 * PAGE, start, self.a("pd"),
                           self.rand.choice((1, 3, 7, 15)))
        self.command(REREG_MR, body, 8)

    def alloc_mw(self):
        answer = self.mw(self.a("pd"), self.rand.choice((1, 2)))
        self.keep("mw", struct.unpack_from("<I", answer)[0])

    def create_cq(self):
        self.keep("cq", self.cq(self.uar_number(), self.place(), self.record(), self.rand.choice((1, 15, 63, 100)),
                                self.rand.choice((64, 64, 128))))

    def resize_cq(self):
        self.resize(self.a("cq"), self.place(), self.rand.choice((15, 31, 200)))

    def moderate_cq(self):
        body = struct.pack("<IIHHI", self.a("cq"), 1, self.rand.getrandbits(12), self.rand.getrandbits(12), 0)
        self.extended(uverbs.MODIFY_CQ, body, 0)

    def create_qp(self):
        kind = self.rand.choice((RC, RC, UC, UD, XRC_INI, RAW_PACKET))
        answer = self.qp(self.a("pd"), self.a("cq"), self.uar_number(), self.place(), self.record(), kind,
                         self.rand.choice((0, 1, 16, 64)), rq=self.rand.choice((0, 16, 16, 32)),
                         sq_buf=self.place(), uidx=self.rand.getrandbits(24))
        self.keep_qp(struct.unpack_from("<I", answer)[0], kind)

    def create_rss(self):
        answer = self.rss(self.a("pd"), self.a("table"), self.rand.choice((0, 3, 0xff)))
        self.keep_qp(struct.unpack_from("<8xI", answer)[0], RAW_PACKET)

    def create_srq(self):
        body = struct.pack("<QIIII", 0, self.a("pd"), self.rand.choice((1, 15, 100)), self.rand.choice((1, 2, 4)), 0)
        driver = struct.pack("<QQIIII", self.place(), self.record(), 0, 0, self.rand.getrandbits(24), 0)
        self.keep("srq", struct.unpack_from("<I", self.command(CREATE_SRQ, body, 16 + 8, driver))[0])

    def create_xsrq(self):
        answer = self.xsrq(self.a("pd"), self.a("xrcd"), self.a("cq"), self.place(), self.record())
        self.keep("srq", struct.unpack_from("<I", answer)[0])

    def modify_srq(self):
        self.plain(MODIFY_SRQ, struct.pack("<IIII", self.a("srq"), self.rand.choice((1, 2, 2, 3)), 100, self.rand.choice((0, 1, 9))))

    def query_srq(self):
        self.command(QUERY_SRQ, struct.pack("<II", self.a("srq"), 0), 16)

    def open_xrcd(self):
        self.keep("xrcd", self.xrcd())

    def create_wq(self):
        self.keep("wq", self.wq(self.a("pd"), self.a("cq"), self.place(), self.record()))

    def modify_wq(self):
        body = struct.pack("<IIIIII", self.rand.choice((1, 1, 2, 3, 4)), self.a("wq"), self.rand.randrange(3),
                           self.rand.randrange(3), self.rand.randrange(16), self.rand.randrange(16))
        self.extended(MODIFY_WQ, body, 0)

    def create_table(self):
        self.keep("table", self.table(self.a("wq"), 1))

    def create_flow(self):
        eth = struct.pack("<IHH6s6sHH6s6sHH", 0x20, 40, 0, self.rand.randbytes(6), bytes(6), 0, 0, b"\xff" * 6, bytes(6), 0, 0)
        ipv4 = struct.pack("<IHHIIBBBBIIBBBB", 0x30, 32, 0, 0, self.rand.getrandbits(32), 17, 0, 0, 0,
                           0, 0xffffffff, 255, 0, 0, 0)
        ports = struct.pack("<IHHHHHH", 0x41, 16, 0, self.rand.getrandbits(16), 0, 0xffff, 0)
        tag = struct.pack("<IHHII", 0x1000, 16, 0, self.rand.getrandbits(24), 0)
        specs = self.rand.choice(([eth], [eth, ipv4], [eth, ipv4, ports], [eth, tag], [ports], [ipv4, tag]))
        data = b"".join(specs)
        attr = struct.pack("<IHHB2sBI", self.rand.choice((0, 0, 0, 1, 2, 3)), len(data), self.rand.randrange(4),
                           len(specs), b"", 1, 0)
        body = struct.pack("<II", 0, self.qp_of(RAW_PACKET)) + attr + data
        self.keep("flow", struct.unpack_from("<4xI", self.extended(CREATE_FLOW, body + bytes(-len(body) % 8), 8))[0])

    def create_ah(self):
        body = struct.pack("<QII", 0, self.a("pd"), 0) + self.grh() + struct.pack("<HBBBBBB", 0, 0, 0, 0, 1, 1, 0)
        self.keep("ah", struct.unpack_from("<I", self.command(CREATE_AH, body, 4 + 24))[0])

    def grh(self):
        index, gid = self.rand.choice(self.gids)
        return gid + struct.pack("<IBBBB", self.rand.getrandbits(20), index, 64, self.rand.getrandbits(8), 0)

    def modify_qp(self):
        """Mostly to the next state on the way to RTS."""
        handle = self.a("qp")
        kind = self.types.get(handle, RC)
        state = min(self.states.get(handle, RESET) + 1, RTS)
        if self.rand.random() < 0.25:
            state = self.rand.randrange(ERR + 1)
        mask = MASKS[kind].get(state, STATE)
        if self.rand.random() < 0.1:
            mask ^= 1 << self.rand.randrange(26)
        index, gid = self.rand.choice(self.gids)
        dest = gid + struct.pack("<IHHBBBBBBBB", 0, 0, 0, index, 64, 0, self.rand.randrange(8),
                                        0, 0, 1, 1)
        body = dest + dest + struct.pack(
            "<IIIIIIIHHBBBBBBBBBBBBBB2s", handle, mask, 0x11111111, self.rand.getrandbits(24), self.rand.getrandbits(24),
            self.rand.getrandbits(24), self.rand.choice((0, 1, 2, 15)), 0, 0, state, 0, self.rand.randrange(1, 4), 0, 0,
            self.rand.choice((0, 1, 16)), self.rand.choice((0, 1, 16)), 12, 1, 14, 7, 7, 0, 0, b"")
        if self.rand.random() < 0.5:
            self.plain(MODIFY_QP, body)
        else:
            self.extended(MODIFY_QP, body + struct.pack("<II", 0, 0), 8)
        self.states[handle] = state

    def query_qp(self):
        self.command(QUERY_QP, struct.pack("<II", self.a("qp"), 0xffffff), 128)

    def join(self):
        gid = b"\xff\x0e" + self.rand.randbytes(14)
        self.plain(ATTACH_MCAST, gid + struct.pack("<IHH", self.qp_of(UD), 0xc000, 0))

    def query_device(self):
        self.extended(QUERY_DEVICE, struct.pack("<II", 0, 0), 280)

    def any_ioctl(self):
        """Objects and methods of ib_core and of the driver, with random attributes."""
        obj = self.rand.choice((self.rand.randrange(24), DRIVER_OBJECTS + self.rand.randrange(16)))
        method = self.rand.choice((self.rand.randrange(10), DRIVER_OBJECTS + self.rand.randrange(4)))
        attrs = [(self.rand.choice((0, DRIVER_OBJECTS)) + self.rand.randrange(8),
                  self.rand.choice((0, 4, 8, 16, 64)), self.rand.choice((0, 1, self.memory.addr)))
                 for _ in range(self.rand.randrange(6))]
        if (obj, method) != SECOND_CONTEXT:
            super().ioctl(obj, method, attrs)

    def destroy(self):
        self.destroy_one(self.rand.choice(list(DESTROY)))


# Weight of each request, and the kind of object that it creates
STEPS = {
    Context.alloc_pd: (2, "pd"), Context.alloc_uar: (2, None), Context.map_uar: (2, None), Context.reg_mr: (4, "mr"),
    Context.rereg_mr: (3, None), Context.alloc_mw: (2, "mw"), Context.create_cq: (6, "cq"),
    Context.resize_cq: (4, None), Context.moderate_cq: (1, None), Context.create_qp: (10, "qp"),
    Context.create_rss: (3, "qp"), Context.create_srq: (5, "srq"), Context.create_xsrq: (3, "srq"),
    Context.modify_srq: (2, None), Context.query_srq: (1, None), Context.open_xrcd: (1, "xrcd"),
    Context.create_wq: (4, "wq"), Context.modify_wq: (4, None), Context.create_table: (3, "table"),
    Context.create_flow: (4, "flow"), Context.create_ah: (3, "ah"), Context.modify_qp: (14, None),
    Context.query_qp: (2, None), Context.join: (1, None), Context.query_device: (1, None),
    Context.any_ioctl: (3, None), Context.destroy: (8, None),
}
# ib_core knows few of the methods that any_ioctl tries: it may never be accepted.
MAY_FAIL = {"any_ioctl"}
ENOUGH = 10000    # steps, for each of the others to be accepted


class Run:
    def __init__(self, seed):
        self.rand = random.Random(seed)
        self.memory = Memory(PAGES)
        self.guarded = Guarded(self.rand)
        self.gids = uverbs.own_gids()
        self.contexts = []
        self.counts = collections.Counter()
        self.errors = collections.Counter()

    def count(self, name, request):
        """Send a request; returns whether it was accepted."""
        try:
            request()
        except Refused as e:
            self.counts[name, "refused"] += 1
            self.errors[errno.errorcode.get(e.code, str(e.code))] += 1
            return False
        except struct.error:
            pass    # accepted, with a response that is too short to parse
        self.counts[name, "accepted"] += 1
        return True

    def context(self):
        if len(self.contexts) == CONTEXTS:
            self.contexts.pop(self.rand.randrange(CONTEXTS)).close()
        new = Context(self.rand, self.memory, self.guarded, self.gids)
        if self.count("context", new.context):
            self.contexts.append(new)
        else:
            new.close()

    def step(self):
        while not self.contexts or self.rand.random() < 0.003:
            self.context()
        dev = self.rand.choice(self.contexts)
        step = self.rand.choices(list(STEPS), [weight for weight, _ in STEPS.values()])[0]
        kind = STEPS[step][1]
        if kind and len(dev.have[kind]) >= OBJECTS:
            self.count("destroy", lambda: dev.destroy_one(kind))
        self.count(step.__name__, lambda: step(dev))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    run = Run(int(sys.argv[1]))
    end = time.monotonic() + float(sys.argv[3]) if len(sys.argv) == 4 else None
    steps = 0
    while steps < int(sys.argv[2]) and (end is None or time.monotonic() < end):
        run.step()
        steps += 1

    print(f"{steps} steps; refused with", ", ".join(f"{k} {n}" for k, n in run.errors.most_common()))
    never = []
    for name in ["context"] + [s.__name__ for s in STEPS]:
        accepted, refused = run.counts[name, "accepted"], run.counts[name, "refused"]
        print(f"{name}: {accepted} accepted, {refused} refused")
        if not accepted and name not in MAY_FAIL:
            never.append(name)
    if never and steps >= ENOUGH:
        sys.exit(f"FAIL: never accepted: {' '.join(never)}")


if __name__ == "__main__":
    main()
