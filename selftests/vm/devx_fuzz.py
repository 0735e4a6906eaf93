#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: devx_fuzz.py SEED REQUESTS

Random DEVX requests: commands in any method, with fields of edge values and numbers of real objects, memory, subscriptions,
queries. Fails if some kind of request was never accepted. The kernel must survive it, and the device gets no command that a
driver must not send.
"""

import os
import pathlib
import random
import select
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from devx_commands import LAYOUTS, OBJ, OPCODES, PAGE, UMEM, Context, Status, command, get, places  # noqa: E402
from uverbs import Memory, Refused  # noqa: E402

PAGES = 64
NEW = ("alloc_pd", "alloc_transport_domain", "create_cq", "create_qp", "create_mkey", "create_rmp", "create_sq", "create_rq",
       "create_tis", "create_tir", "create_rqt", "alloc_q_counter", "alloc_flow_counter", "create_xrc_srq", "attach_to_mcg")
NAMES = sorted(name for name in OPCODES if name + "_in" in LAYOUTS.by_name)
OUTS = {name: LAYOUTS.width(name + "_out") // 8 for name in NAMES if name + "_out" in LAYOUTS.by_name}
NUMBERS = {"create_cq": "cqn", "alloc_pd": "pd", "create_qp": "qpn", "create_sq": "sqn", "create_rq": "rqn", "create_tis": "tisn",
           "create_tir": "tirn", "alloc_transport_domain": "transport_domain", "create_rmp": "rmpn", "create_mkey": "mkey_index"}

# Commands about an object, by what created it
ABOUT = {"create_cq": ("query_cq", "modify_cq"), "create_qp": ("query_qp", "rst2init_qp", "qp_2rst", "qp_2err"),
         "create_sq": ("query_sq", "modify_sq"), "create_rq": ("query_rq", "modify_rq"), "create_tis": ("query_tis", "modify_tis"),
         "create_tir": ("query_tir", "modify_tir"), "create_rmp": ("query_rmp", "modify_rmp"), "create_mkey": ("query_mkey",)}


class Fuzz:
    def __init__(self, seed):
        self.rand = random.Random(seed)
        self.mem = Memory(PAGES)
        self.accepted = {}
        self.open()

    def open(self):
        self.devx = self.rand.random() < 0.9
        self.ctx = Context(devx=self.devx)
        self.handles, self.umems, self.files, self.answers, self.asked = [], [], [], [], None
        self.numbers = [0, 1, 2, 5, 0xff, 0x100, 0xffff, 0xffffff, 0xffffffff]
        self.uar, self.eqn = self.ctx.uar()[0], self.ctx.eqn()
        self.numbers += [self.uar, self.eqn, self.uar, self.eqn]
        self.kept = [self.keep()] if self.devx else []

    def keep(self):
        """A CQ that no request destroys: there is something to ask about, whatever was refused"""
        umem = self.ctx.umem(self.mem.addr, 2 * PAGE, access=1)
        self.umems.append(umem)
        handle, out = self.ctx.create(command("create_cq", **self.right("create_cq")), None, out_len=OUTS["create_cq"])
        self.umems.remove(umem)
        return handle, "create_cq", get(out, "create_cq_out", "cqn")

    def value(self, width):
        number = self.rand.choice(self.numbers) if self.rand.random() < 0.8 else self.rand.getrandbits(width)
        return number & (1 << width) - 1

    def fields(self, name):
        """Few of them, mostly: a command with many wrong fields is refused for the first"""
        where = [f for f in places(name + "_in") if f not in ("opcode", "uid")]
        chosen = self.rand.sample(where, min(len(where), self.rand.choice((0, 1, 1, 2, 3, 8, 1000))))
        return {f.replace(".", "__"): self.value(places(name + "_in")[f][1]) for f in chosen}

    def right(self, name):
        """What such an object needs"""
        umem = self.rand.choice(self.umems)[1] if self.umems else 0
        pd = self.rand.choice(self.numbers)
        return {"create_cq": {"cq_context__log_cq_size": 4, "cq_context__uar_page": self.uar, "cq_umem_id": umem,
                              "cq_context__c_eqn_or_apu_element": self.eqn, "cq_context__dbr_umem_id": umem,
                              "cq_context__dbr_addr": PAGE},
                "create_qp": {"qpc__pm_state": 3, "qpc__pd": pd & 0xffffff, "qpc__uar_page": self.uar, "qpc__log_sq_size": 4,
                              "qpc__log_rq_size": 4, "qpc__dbr_umem_id": umem, "qpc__dbr_addr": PAGE, "qpc__ts_format": 1,
                              "qpc__cqn_snd": self.rand.choice(self.numbers) & 0xffffff, "wq_umem_id": umem},
                }.get(name, {})

    def data(self, names):
        name = self.rand.choice(names)
        data = command(name, **{**self.right(name), **self.fields(name)})
        if self.rand.random() < 0.1:
            data = data[:self.rand.randrange(16, max(len(data), 17))]
        elif self.rand.random() < 0.1:
            data += self.rand.randbytes(self.rand.choice((1, 4, 8, 64, 4096)))
        return name, data

    def out_len(self, name):
        return OUTS.get(name, 16) if self.rand.random() < 0.9 else self.rand.choice((16, 17, 20, 64, 0xfffc))

    def handle(self):
        return self.rand.choice(self.handles)[0] if self.handles and self.rand.random() < 0.9 else self.rand.randrange(64)

    # ---- requests; the names are the kinds ----

    def other(self):
        name, data = self.data(NAMES)
        self.ctx.other(data, out_len=self.out_len(name))

    def create(self):
        name, data = self.data(NEW if self.rand.random() < 0.9 else NAMES)
        handle, out = self.ctx.create(data, None, out_len=self.out_len(name))
        number = get(out, name + "_out", NUMBERS[name]) if name in NUMBERS else None
        self.handles.append((handle, name, number))
        if number is not None:
            self.numbers.append(number)

    def about(self, query):
        """(handle, name, data) of a command about an object: mostly the right one"""
        known = [(h, n, number) for h, n, number in self.handles if n in ABOUT] + self.kept
        if not known or self.rand.random() < 0.2:
            name, data = self.data([n for n in OUTS if n.startswith("query_") == query])
            return self.handle(), name, data
        handle, creator, number = self.rand.choice(known)
        name = self.rand.choice([n for n in ABOUT[creator] if n.startswith("query_") == query] or ABOUT[creator])
        fields = self.fields(name) if self.rand.random() < 0.3 else {}
        return handle, name, command(name, **{**fields, NUMBERS[creator]: number})

    def modify(self):
        handle, _, data = self.about(False)
        self.ctx.modify(handle, data)

    def query(self):
        handle, name, data = self.about(True)
        self.ctx.query(handle, data, name + "_out")

    def destroy(self):
        if not self.handles:
            return
        at = self.rand.randrange(len(self.handles))
        self.ctx.destroy(self.handles[at][0], OBJ)
        self.handles.pop(at)

    def umem(self):
        page = self.rand.randrange(PAGES)
        length = self.rand.choice((1, 64, PAGE, 2 * PAGE, (PAGES - page) * PAGE))
        self.umems.append(self.ctx.umem(self.mem.addr + page * PAGE + self.rand.choice((0, 0, 64)), length,
                                        access=self.rand.choice((0, 1, 1, 1, 7, 1 << 20, 8)),
                                        sizes=self.rand.choice((None, 1 << 12, 0xff000, 1 << 21, 0, 1))))

    def dereg(self):
        if not self.umems:
            return
        at = self.rand.randrange(len(self.umems))
        self.ctx.destroy(self.umems[at][0], UMEM)
        self.umems.pop(at)

    def event_file(self):
        self.files.append(self.ctx.event_file(self.rand.choice((0, 1, 1, 2))))
        os.set_blocking(self.files[-1], False)

    def subscribe(self):
        file = self.rand.choice(self.files or [0])
        if self.rand.random() < 0.2:
            self.ctx.subscribe(file, [9], cookie=1)
            return
        events = self.rand.choices((0, 1, 3, 4, 5, 9, 0xa, 0xb, 0x14, 0x27, 0x100), k=self.rand.choice((1, 1, 2, 17)))
        self.ctx.subscribe(file, events, handle=self.handle() if self.rand.random() < 0.6 else None,
                           cookie=self.rand.choice((None, 1)), signal=self.rand.choice((None, None, -1, 0, 1000)))

    def async_file(self):
        self.answers.append(self.ctx.async_file())
        os.set_blocking(self.answers[-1], False)

    def async_query(self):
        handle, name, data = self.about(True)
        file = self.rand.choice(self.answers or [0])
        self.ctx.async_query(handle, data, file, 1, self.out_len(name))
        self.asked = file

    def read(self):
        """Mostly an answer that is to come"""
        file = self.rand.choice(self.files + self.answers)
        if self.asked in self.answers and self.rand.random() < 0.8:
            file = self.asked
            select.select([file], [], [], 1)
        os.read(file, self.rand.choice((0, 8, 64, 4096, 1 << 17, 1 << 17)))

    def close(self):
        files = self.rand.choice((self.files, self.answers))
        os.close(files.pop(self.rand.randrange(len(files))))

    def reopen(self):
        for file in self.files + self.answers:
            os.close(file)
        self.ctx.close()
        self.open()

    def step(self):
        kinds = {self.other: 4, self.create: 10, self.modify: 6, self.query: 6, self.destroy: 4, self.umem: 4, self.dereg: 2,
                 self.event_file: 1, self.subscribe: 3, self.async_file: 1, self.async_query: 3, self.read: 3, self.close: 0.5,
                 self.reopen: 0.05}
        kind, = self.rand.choices(list(kinds), list(kinds.values()))
        done, tried = self.accepted.get(kind.__name__, (0, 0))
        ok = 1
        try:
            kind()
        except (Refused, Status, OSError, IndexError, ValueError):
            ok = 0
        self.accepted[kind.__name__] = done + ok, tried + 1


def main(seed, requests):
    fuzz = Fuzz(seed)
    for _ in range(requests):
        fuzz.step()
    for kind, (done, tried) in sorted(fuzz.accepted.items()):
        print(f"{kind}: {done} of {tried} accepted")
    return any(not done for done, _ in fuzz.accepted.values())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
