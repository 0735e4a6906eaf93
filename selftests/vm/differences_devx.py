#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: differences_devx.py SEED N [GROUP...]      ask
       differences_devx.py list                   the groups

As differences.py, of what only some devices have: DC transport, memory on the device, on-demand paging, packet pacing, and commands
that a program composes. A refusal of the device itself is told with its status.
"""

import contextlib
import ctypes
import hashlib
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import devx_commands as devx  # noqa: E402
import differences  # noqa: E402
from devx_commands import command  # noqa: E402
from differences import (ACCESS, AV, ERR, INIT, MIN_RNR, MODIFY_DRIVER, MODIFY_EX, MODIFY_QP, MR, MR_AGAIN, PATH_MTU,  # noqa: E402
                         PKEY, PORT, QP_FIELDS, QP_RESPONSE, QUERIED, QUERY_QP, RC_RTS, REREG_MR, RESET, RTR, RTS, SQD,
                         STATE, STATES, Layout)
from uverbs import CREATE_QP, PAGE, REG_MR, Refused  # noqa: E402

FIRST = 0x1000          # attributes and methods of the provider
ALL = (1 << 64) - 1
CARD_BYTES = 131072     # memory of the device

# ---- DC ----
QP_DC = Layout(QP_FIELDS)
DC_DRIVER = Layout("buf:Q db:Q sq_wqes:I rq_wqes:I rq_shift:I flags:I uidx:I bfreg:I access_key:Q ece:I streams:B errored:B pad:H")
DCT, DCI, UAR_INDEX, STREAMS = 1 << 4, 1 << 5, 1 << 10, 1 << 11
DCT_INIT, DCT_RTR = STATE | ACCESS | PKEY | PORT, STATE | AV | PATH_MTU | MIN_RNR
DCT_QUERY = STATE | ACCESS | PKEY | PORT | AV | PATH_MTU | MIN_RNR
DCI_MASKS = {INIT: STATE | PKEY | PORT, RTR: STATE | PATH_MTU | AV, RTS: RC_RTS}

# ---- memory on the device ----
OBJECT_MR, DM_REG, OBJECT_DM, DM_ALLOC, DM_FREE, DM_MAP_OP, DM_QUERY = 7, 0, 14, 0, 1, FIRST, FIRST + 1
ZERO_BASED = 1 << 5

# ---- on-demand paging ----
ON_DEMAND = 1 << 6
ADVISE = 2
SGE = Layout("addr:Q length:I key:I")

# ---- packet pacing ----
OBJECT_PP, PP_ALLOC = FIRST + 7, FIRST
RATE = Layout("rate_limit:I burst:I reserved:H typical:H")      # in the order of the device
RATE_LIMIT = 1 << 25
MAX_RATE = 100000000
RATES = (0, 1, 2, 999, 1000, 8000, MAX_RATE - 1, MAX_RATE, MAX_RATE + 1, 1 << 31, 0xffffffff)
BURSTS, TYPICALS = (0, 1, 64, 1500, 4096, 65535, 0x7fffffff, 0xffffffff), (0, 1, 64, 1000, 1500, 0x7fff, 0xffff)

# ---- commands ----
# Numbers of objects, which are not the same with two drivers
NUMBERED = {"uid", "pd", "cqn", "qpn", "transport_domain", "uar_page", "cqn_snd", "cqn_rcv", "dbr_umem_id", "wq_umem_id", "cq_umem_id",
            "inline_rqn", "srqn_xrqn", "c_eqn_or_apu_element", "mkey_7_0", "table_id", "counter_set_id", "mkey_umem_id", "start_addr",
            "q_counter", "my_addr_index", "rmpn", "table_miss_id", "state", "opcode", "syndrome", "status", "srqn_rmpn_xrqn"}
OF = {"create_cq": "cqn", "create_qp": "qpn", "create_mkey": "mkey_index", "create_tis": "tisn", "create_tir": "tirn",
      "create_rq": "rqn", "create_flow_table": "table_id", "alloc_pd": "pd"}
MODIFIES = {"create_cq": ("modify_cq",), "create_tis": ("modify_tis",), "create_tir": ("modify_tir",), "create_rq": ("modify_rq",),
            "create_qp": ("rst2init_qp", "qp_2rst", "qp_2err", "init2rtr_qp")}
EVENTS = (0, 1, 2, 3, 4, 5, 8, 9, 0xa, 0xb, 0x14, 0x1d, 0x27, 0xff, 0x100, 0xffff)
CUT = {"alloc_pd", "create_tis", "create_tir", "modify_tis", "modify_tir", "query_hca_cap", "query_vport_counter", "query_roce_address"}
GENERAL = ("query_hca_cap", "query_adapter", "query_vport_state", "query_vport_counter", "query_nic_vport_context", "query_roce_address",
           "query_special_contexts", "query_issi", "nop", "query_lag", "query_pages", "access_register", "set_pp_rate_limit",
           "query_hca_vport_context", "query_cong_status", "query_q_counter", "query_vnic_env", "query_esw_functions")
FIXED = ("query_hca_cap", "query_adapter", "query_issi", "query_special_contexts", "query_esw_functions")
CAP_CURRENT = 1


class Asker(differences.Asker, devx.Context):
    """One context, with a number of its own, and the objects of one request"""

    def __init__(self, *what):
        super().__init__(*what)
        self.files = []

    def ready(self):
        """The context is there already."""
        self.page, self.page_at = self.uar()
        self.pd0 = self.pd()

    @contextlib.contextmanager
    def by_device(self):
        """What the device refuses"""
        try:
            yield
        except devx.Status as refusal:
            raise Refused(f"status-{refusal.status:#x}") from refusal

    def seldom(self, name, usual, others):
        """Mostly the usual value"""
        return usual if self.rand.random() < 0.75 else self.pick(name, others)

    # ---- DC -----------------------------------------------------------------------------------------------------------------

    def dc_values(self, target):
        cq = self.a_cq()
        values = {"pd": self.pd0, "scq": cq, "rcq": cq, "kind": differences.DRIVER_QP, "send_wr": 0 if target else 16, "send_sge": 1,
                  "is_srq": 1 if target else 0, "srq": self.a_srq() if target else 0}
        if target:
            return values, {"uidx": 5, "flags": DCT, "access_key": 0x1234567890abcdef}
        return values, {"buf": self.memory.other_queue, "db": self.memory.record + 64, "sq_wqes": 64, "bfreg": self.page, "uidx": 5,
                        "flags": DCI | UAR_INDEX}

    def new_dc(self, target):
        values, driver = self.dc_values(target)
        answer = self.command(CREATE_QP, QP_DC.pack(values), 32 + 32, DC_DRIVER.pack(driver))
        return QP_RESPONSE.read(answer)["handle"]

    def made_dc(self, values, driver):
        """(handle, what the driver says of it)"""
        answer = self.command(CREATE_QP, QP_DC.pack(values), 32 + 32, self.length(DC_DRIVER.pack(driver)))
        made = QP_RESPONSE.read(answer)
        return made["handle"], {name: made[name] for name in ("send_wr", "recv_wr", "send_sge", "recv_sge", "inline", "bfreg", "ece",
                                                              "comp_mask") if name in made}

    def next_state(self, before, last):
        after = before + 1 if before < last and self.rand.random() < 0.8 else self.rand.choice((RESET, INIT, RTR, RTS, SQD, ERR))
        self.text.append(f"to={STATES[after]}")
        return after

    def move(self, qp, values, room=16, data=b""):
        """What the driver says of a transition"""
        return self.extended(MODIFY_QP, MODIFY_EX.pack({**values, "qp": qp}), 8, data, room)[8:]

    def step(self, target, state):
        masks = {INIT: DCT_INIT, RTR: DCT_RTR} if target else DCI_MASKS
        return {**self.attributes(0, "RC", state), "mask": masks.get(state, STATE)}

    def asked_state(self, qp, mask):
        values = QUERIED.read(self.command(QUERY_QP, struct.pack("<II", qp, mask), 128))
        return {"q." + name: value for name, value in values.items()}

    @staticmethod
    def told(answer):
        length, number, ece = struct.unpack_from("<III", answer)
        return {"length": length, "numbered": bool(number), "ece": ece}

    def ask_dct(self):
        self.ready()
        values, driver = self.dc_values(True)
        self.vary((QP_DC, values), (DC_DRIVER, driver))
        qp, result = self.made_dc(values, driver)
        for state in (INIT, RTR):
            said = self.move(qp, self.step(True, state))
        return {**result, **self.told(said), **self.asked_state(qp, DCT_QUERY)}

    def ask_dct_modify(self):
        """One transition with other attributes, and what a query says afterwards"""
        self.ready()
        qp = self.new_dc(True)
        before = self.pick("from", (RESET, INIT, INIT, INIT, RTR))
        for state in range(INIT, before + 1):
            self.move(qp, self.step(True, state))
        after = self.next_state(before, RTR)
        values, driver = self.step(True, after), {}
        self.vary((MODIFY_EX, values))
        if self.rand.random() < 0.2:
            values["mask"] ^= self.pick("also", [1 << i for i in range(26)])
        if self.rand.random() < 0.2:
            self.vary((MODIFY_DRIVER, driver))
        data = self.length(MODIFY_DRIVER.pack(driver), 8) if driver else b""
        room = self.pick("room", (0, 8, 16, 16, 16, 16))
        said = self.move(qp, values, room, data).ljust(16, b"\0")
        if after == INIT:
            said = self.move(qp, self.step(True, RTR))
        mask = DCT_QUERY
        if self.rand.random() < 0.3:
            mask ^= self.pick("query", [1 << i for i in range(26)])
        return {**self.told(said), **self.asked_state(qp, mask)}

    def ask_dci(self):
        self.ready()
        values, driver = self.dc_values(False)
        if self.rand.random() < 0.3:
            driver.update(flags=driver["flags"] | STREAMS, streams=self.pick("streams", (0, 1, 4, 8, 16, 31)),
                          errored=self.pick("errored", (0, 1, 4, 8, 16, 31)))
        self.vary((QP_DC, values), (DC_DRIVER, driver))
        qp, result = self.made_dc(values, driver)
        for state in (INIT, RTR, RTS):
            self.move(qp, self.step(False, state))
        return {**result, **self.asked_state(qp, 0xffffff)}

    def ask_dci_modify(self):
        self.ready()
        qp = self.new_dc(False)
        before = self.pick("from", (RESET, INIT, RTR, RTS, ERR))
        for state in range(INIT, min(before, RTS) + 1):
            self.move(qp, self.step(False, state))
        if before == ERR:
            self.move(qp, self.step(False, ERR))
        after = self.next_state(before, RTS)
        values, driver = self.step(False, after), {}
        if before == after:
            values["mask"] = STATE
        self.vary((MODIFY_EX, values))
        if self.rand.random() < 0.3:
            values["mask"] ^= self.pick("also", [1 << i for i in range(26)])
        if self.rand.random() < 0.1:
            self.vary((MODIFY_DRIVER, driver))
        self.move(qp, values, self.pick("room", (0, 8, 16)), self.length(MODIFY_DRIVER.pack(driver), 8) if driver else b"")
        return self.asked_state(qp, 0xffffff)

    # ---- memory on the device -------------------------------------------------------------------------------------------------

    def places_of(self, method, attrs, first, sizes=(8, 2)):
        """(buffer, index, offset) of a method that returns a place from attribute @first on"""
        offset, index = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
        outs = [(first, sizes[0], ctypes.addressof(offset)), (first + 1, sizes[1], ctypes.addressof(index))]
        buf = self.ioctl(OBJECT_DM, method, attrs + outs)
        return buf, struct.unpack_from("<H", index.raw)[0], struct.unpack_from("<Q", offset.raw)[0]

    def a_dm(self, length, align=0, more=(), sizes=(8, 2)):
        """(handle, index, offset)"""
        buf, index, offset = self.places_of(DM_ALLOC, [(0, 0, 0), (1, 8, length), (2, 4, align), *more], FIRST, sizes)
        return struct.unpack_from("<Q", buf, 24 + 8)[0], index, offset

    def pages_of(self, index, pages):
        try:
            differences.mmap.mmap(self.fd, pages * PAGE, offset=(8 << 8 | index & 0xff | index >> 8 << 16) * PAGE).close()
        except OSError as e:
            return e.errno
        return 0

    def ask_dm(self):
        length = self.pick("length", (0, 1, 63, 64, 65, 4095, PAGE, PAGE + 1, 3 * PAGE, CARD_BYTES - 64, CARD_BYTES, CARD_BYTES + 1,
                                      1 << 31, 1 << 32, 1 << 40, ALL - 62, ALL))
        align = self.seldom("align", 0, (1, 5, 6, 7, 11, 12, 13, 31, 32, 63, 64, 0xffffffff))
        kind = self.seldom("type", None, (0, 1, 2, 3, 4, 5, 1 << 32, ALL))
        more = [] if kind is None else [(FIRST + 2, 8, kind)]
        sizes = self.seldom("sizes", (8, 2), ((4, 2), (8, 1), (16, 2), (8, 4)))
        handle, index, offset = self.a_dm(length, align, more, sizes)
        pages = max(1, (length + PAGE - 1) // PAGE)
        said = ctypes.create_string_buffer(16)
        size = self.seldom("size", 8, (4, 16))
        _, again, at = self.places_of(DM_QUERY, [(FIRST, 0, handle), (FIRST + 3, size, ctypes.addressof(said))], FIRST + 1)
        maps = [self.pages_of(number, count) for number, count in ((index, pages), (index, pages + 1), (index + 1, pages))]
        self.ioctl(OBJECT_DM, DM_FREE, [(0, 0, handle)])
        return {"index": index, "offset": offset, "same": (again, at) == (index, offset), "told": said.raw.hex(),
                "maps": ",".join(map(str, maps))}

    def ask_dm_op(self):
        """Operations on memory of the device, also the same one twice"""
        handle, *_ = self.a_dm(self.pick("length", (64, 100, PAGE, 3 * PAGE)))
        found = []
        for op in self.pick("ops", ((0,), (1,), (0, 0), (0, 1, 0), (1, 1, 1), (2,), (0, 31), (32,), (63,), (64,), (255,))):
            size = self.seldom("op size", 1, (2, 8))
            attrs = [(FIRST, 0, self.seldom("dm", handle, (0x7777,))), (FIRST + 1, size, op)]
            _, index, offset = self.places_of(DM_MAP_OP, attrs, FIRST + 2)
            found.append(f"{index}:{offset}:{self.pages_of(index, self.pick('pages', (1, 1, 2, 3)))}")
        return {"places": ",".join(found)}

    def ask_dm_mr(self):
        """Of what is asked for at most few things are unusual"""
        self.ready()
        room = self.pick("of", (64, 100, PAGE, 5 * PAGE + 1))
        handle, *_ = self.a_dm(room)
        length = self.seldom("length", room // 2 & ~3, (0, 1, 4, 63, 64, 100, 128, PAGE, 5 * PAGE, 5 * PAGE + 1, 6 * PAGE, 1 << 40, ALL))
        offset = self.seldom("offset", room // 4 & ~3, (0, 1, 3, 60, 64, 99, 100, PAGE, 1 << 32, ALL, ALL - 63))
        access = ZERO_BASED | self.seldom("access", 7, (0, 1, 2, 3, 4, 8, 9, 15, 16, 17, 64, 1 << 7, 1 << 8, 1 << 20 | 1, 1 << 21 | 1))
        access ^= self.seldom("also", 0, (ZERO_BASED, 1 << 31))
        keys = (ctypes.c_uint32 * 2)()
        address = ctypes.addressof(keys)
        attrs = [(0, 0, 0), (1, 8, offset), (2, 8, length), (3, 0, self.seldom("pd", self.pd0, (0x7777,))), (4, 4, access),
                 (5, 0, handle), (6, 4, address), (7, 4, address + 4)]
        mr = struct.unpack_from("<Q", self.ioctl(OBJECT_MR, DM_REG, attrs), 24 + 8)[0]
        told = {"alike": keys[0] == keys[1], "keyed": bool(keys[0])}
        what = self.seldom("rereg", 0, (1, 2, 4, 4, 5, 6, 7))
        if what:
            again = {"mr": mr, "flags": what, "start": self.memory.queue, "length": PAGE, "iova": self.memory.queue, "pd": self.pd(),
                     "access": self.pick("rights", (1, 7, 16, 64))}
            self.command(REREG_MR, MR_AGAIN.pack(again), 8)
        return told

    # ---- on-demand paging -------------------------------------------------------------------------------------------------------

    def registered(self, access=ON_DEMAND | 7, start=None, length=8 * PAGE):
        """(handle, local key)"""
        start = self.memory.queue if start is None else start
        values = {"start": start, "length": length, "iova": start, "pd": self.pd0, "access": access}
        return struct.unpack_from("<II", self.command(REG_MR, MR.pack(values), 12))

    def ask_odp(self):
        self.ready()
        self.warns = True
        whole = self.pick("implicit", (0, 0, 1))
        values = {"start": 0 if whole else self.memory.queue, "pd": self.pd0,
                  "length": ALL if whole else self.pick("size", (1, 64, PAGE, PAGE + 1, 2 << 20, 1 << 30, 1 << 40)),
                  "access": ON_DEMAND | self.seldom("rights", 7, (0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 0x1f, 0x20, 0x21, 0x80, 0x81, 0x100,
                                                             0x101, 1 << 20, 1 << 20 | 7, 1 << 21, 1 << 31))}
        values["iova"] = values["start"]
        if self.rand.random() < 0.4:
            self.vary((MR, values))
        answer = struct.unpack_from("<III", self.command(REG_MR, MR.pack(values), 12))
        return {"alike": answer[1] == answer[2]}

    def ask_odp_rereg(self):
        """Among pinned, on-demand and implicit regions"""
        self.ready()
        self.warns = True
        before = self.pick("from", ("pinned", "odp", "odp", "odp", "implicit"))
        mr, _ = self.registered(**{"pinned": {"access": 7}, "odp": {}, "implicit": {"start": 0, "length": ALL}}[before])
        whole = self.pick("whole", (0, 0, 0, 1))
        values = {"mr": mr, "flags": self.pick("what", range(8)), "start": 0 if whole else self.memory.other_queue,
                  "length": ALL if whole else self.pick("size", (1, PAGE, 3 * PAGE, 1 << 30)), "pd": self.pd(),
                  "access": self.pick("rights", (1, 7, ON_DEMAND, ON_DEMAND | 1, ON_DEMAND | 7, ON_DEMAND | 16, 1 << 20 | 7))}
        values["iova"] = values["start"]
        if self.rand.random() < 0.3:
            self.vary((MR_AGAIN, values))
        answer = struct.unpack_from("<II", self.command(REREG_MR, MR_AGAIN.pack(values), 8))
        return {"alike": answer[0] == answer[1]}

    def ask_advise(self):
        self.ready()
        other = self.pd()
        made = {"odp": self.registered(), "read": self.registered(ON_DEMAND | 4), "pinned": self.registered(7),
                "whole": self.registered(start=0, length=ALL), "none": (0, 0), "nowhere": self.registered(start=self.memory.end - 4 * PAGE)}
        sges = []
        for _ in range(self.pick("n", (1, 1, 1, 2, 3, 8))):
            name = self.seldom("key", "odp", ("read", "pinned", "whole", "none", "nowhere"))
            start = self.memory.end - 4 * PAGE if name == "nowhere" else self.memory.queue
            at = start + self.seldom("at", 0, (1, PAGE, 4 * PAGE, 8 * PAGE - 1, 8 * PAGE, -1, -PAGE))
            sges.append(SGE.pack({"addr": at, "length": self.seldom("bytes", PAGE, (0, 1, 4 * PAGE, 8 * PAGE, 9 * PAGE, 0xffffffff)),
                                  "key": made[name][1] ^ self.seldom("wrong", 0, (0, 0, 1, 1 << 30))}))
        data = b"".join(sges)
        data += bytes(self.seldom("longer", 0, (0, 0, 1, 8)))
        held = ctypes.create_string_buffer(data, len(data))
        pd = other if self.seldom("pd", "own", ("own", "other")) == "other" else self.pd0
        attrs = [(0, 0, pd), (1, 8, self.pick("advice", (0, 1, 2, 0, 1, 2, 3, ALL))),
                 (2, 8, self.seldom("flags", 1, (0, 0, 0, 2, 3, 1 << 31))), (3, len(data), ctypes.addressof(held))]
        self.ioctl(OBJECT_MR, ADVISE, attrs)
        return {}

    # ---- packet pacing ----------------------------------------------------------------------------------------------------------

    def rate(self):
        """A rate as programs hand it to the device, cut at some length. What is reserved in it both drivers hand on."""
        data = struct.pack(">IIHH", self.seldom("rate", 8000, RATES), self.seldom("burst", 0, BURSTS), 0,
                           self.seldom("typical", 0, TYPICALS)).ljust(48, b"\0")
        return data.ljust(49, b"\0")[:self.seldom("bytes", 48, (1, 3, 4, 8, 12, 49))]

    def pp(self, data, flags, size=2):
        index = ctypes.create_string_buffer(64)
        held = ctypes.create_string_buffer(data, len(data))
        inline = int.from_bytes(data, "little") if len(data) <= 8 else ctypes.addressof(held)
        self.ioctl(OBJECT_PP, PP_ALLOC, [(FIRST, 0, 0), (FIRST + 1, len(data), inline), (FIRST + 2, 8, flags),
                                         (FIRST + 3, size, ctypes.addressof(index))])
        return struct.unpack_from("<H", index.raw)[0]

    def ask_pp(self):
        """Two of them, mostly alike"""
        first, flags = self.rate(), self.seldom("flags", 0, (1, 1, 1, 2, 3, 1 << 31, 1 << 32))
        second = first if self.pick("again", (1, 1, 0)) else self.rate()
        one = self.pp(first, flags, self.seldom("room", 2, (1, 4, 8)))
        two = self.pp(second, self.pick("flags", (0, 0, 1)))
        return {"first": one, "same": one == two}

    def ask_rate(self):
        """Rates of a QP on the way to RTS, and in it"""
        self.ready()
        kind = self.seldom("type", "RAW", ("RC", "UD"))
        before = self.pick("from", (INIT, RTR, RTR, RTS, RTS, RTS, SQD))
        qp = self.a_qp(kind, before)
        after = min(before + 1, RTS)
        values = self.attributes(qp, kind, after)
        values.update(rate_limit=self.seldom("rate", 8000, RATES), mask=(values["mask"] if before < RTS else STATE) | RATE_LIMIT)
        driver = {}
        if self.rand.random() < 0.5:
            driver = {"burst": self.seldom("burst", 0, BURSTS), "typical": self.seldom("typical", 0, TYPICALS)}
        if driver and self.rand.random() < 0.2:
            self.vary((MODIFY_DRIVER, driver))
        data = self.length(MODIFY_DRIVER.pack(driver), 8) if driver else b""
        self.extended(MODIFY_QP, MODIFY_EX.pack(values), 8, data)
        if self.pick("again", (0, 1)):
            self.extended(MODIFY_QP, MODIFY_EX.pack({"qp": qp, "mask": STATE | RATE_LIMIT, "state": RTS, "rate_limit": self.pick(
                "next", RATES)}), 8)
        return self.queried(qp)

    # ---- commands ---------------------------------------------------------------------------------------------------------------

    def needs(self, name):
        """What a valid command has"""
        return getattr(self, "of_" + name, dict)()

    def memory_number(self):
        return self.umem(self.memory.queue, 8 * PAGE)[1]

    def of_create_cq(self):
        umem = self.memory_number()
        return {"cq_context__log_cq_size": 4, "cq_context__uar_page": self.page, "cq_umem_id": umem,
                "cq_context__c_eqn_or_apu_element": self.eqn(), "cq_context__dbr_umem_id": umem, "cq_context__dbr_addr": 7 * PAGE}

    def of_create_qp(self):
        umem, cqn = self.memory_number(), self.made("create_cq")[1]
        return {"qpc__pm_state": 3, "qpc__pd": devx.pd(self)[1], "qpc__uar_page": self.page, "qpc__log_sq_size": 4, "qpc__log_rq_size": 4,
                "qpc__cqn_snd": cqn, "qpc__cqn_rcv": cqn, "qpc__dbr_umem_id": umem, "qpc__dbr_addr": 7 * PAGE, "qpc__ts_format": 1,
                "wq_umem_id": umem}

    def of_create_rq(self):
        umem, cqn = self.memory_number(), self.made("create_cq")[1]
        return {"ctx__cqn": cqn, "ctx__vsd": 1, "ctx__flush_in_error_en": 1, "ctx__ts_format": 1, "ctx__wq__wq_type": 1,
                "ctx__wq__pd": devx.pd(self)[1], "ctx__wq__dbr_addr": 7 * PAGE, "ctx__wq__log_wq_stride": 4, "ctx__wq__log_wq_sz": 4,
                "ctx__wq__dbr_umem_id": umem, "ctx__wq__wq_umem_id": umem, "ctx__wq__wq_umem_valid": 1,
                "ctx__wq__dbr_umem_valid": 1}

    def of_create_tir(self):
        return {"ctx__inline_rqn": self.made("create_rq")[1], "ctx__transport_domain": self.domain_number()}

    def of_create_tis(self):
        return {"ctx__transport_domain": self.domain_number(), "ctx__pd": devx.pd(self)[1]}

    def of_create_mkey(self):
        entry = {"pd": devx.pd(self)[1], "access_mode_1_0": 1, "lw": 1, "lr": 1, "rr": 1, "rw": 1, "qpn": 0xffffff, "len": 4 * PAGE,
                 "start_addr": self.memory.queue, "log_page_size": 12, "translations_octword_size": 2, "mkey_7_0": 0x42}
        return {**{"memory_key_mkey_entry__" + field: value for field, value in entry.items()}, "mkey_umem_id": self.memory_number(),
                "translations_octword_actual_size": 2, "mkey_umem_valid": 1}

    @staticmethod
    def of_create_flow_table():
        return {"flow_table_context__level": 64, "flow_table_context__log_size": 2}

    def domain_number(self):
        _, out = self.create(command("alloc_transport_domain"), "alloc_transport_domain_out")
        return devx.get(out, "alloc_transport_domain_out", "transport_domain")

    def made(self, name, values=None):
        """(handle, number)"""
        handle, out = self.create(command(name, **(self.needs(name) if values is None else values)), name + "_out")
        return handle, devx.get(out, name + "_out", OF[name])

    def differs(self, name, values):
        """In one or two fields of a command"""
        where = devx.places(name + "_in")
        for _ in range(self.rand.choice((1, 1, 2))):
            field = self.rand.choice([f for f in sorted(where) if f not in ("opcode", "uid")])
            width = where[field][1]
            value = self.rand.choice((0, 1, 2, 3, 1 << width - 1, (1 << width) - 1, (1 << width) - 2, self.rand.getrandbits(width)))
            value &= (1 << width) - 1
            self.text.append(f"{field}={value:#x}")
            values[field.replace(".", "__")] = value

    @staticmethod
    def shown(out, layout):
        """Fields of an answer, but for numbers of objects"""
        found = {}
        for field in devx.places(layout):
            value = devx.get(out, layout, field)
            if value and field.split(".")[-1] not in NUMBERED:
                found[field] = f"{value:#x}"
        return found

    def cut(self, name, data):
        """Not of commands in which the in-tree driver says that memory is valid, be they so long or not: it writes behind them"""
        if self.rand.random() < 0.8 or name not in CUT:
            return data
        size = self.pick("cut", (0, 8, 15, 16, 20, len(data) - 4, len(data) - 1))
        return data[:size]

    def ask_command(self):
        """An object, what the device says of it, and its end"""
        self.ready()
        name = self.pick("of", OF)
        with self.by_device():
            values = self.needs(name)
            if self.rand.random() < 0.85:
                self.differs(name, values)
            room = devx.LAYOUTS.width(name + "_out") // 8
            if self.rand.random() < 0.05:
                room = self.pick("room", (8, 15, 16, 20, 64))
            handle, out = self.create(self.cut(name, command(name, **values)), None, out_len=room)
            number = devx.get(out.ljust(64, b"\0")[:devx.LAYOUTS.width(name + "_out") // 8], name + "_out", OF[name])
            told = {}
            query = name.replace("create_", "query_")
            if query != name:
                told = self.shown(self.query(handle, command(query, **{OF[name]: number}), query + "_out"), query + "_out")
            self.destroy(handle)
        return told

    def ask_command_modify(self):
        self.ready()
        name = self.pick("of", MODIFIES)
        with self.by_device():
            handle, number = self.made(name)
            change = self.pick("by", MODIFIES[name])
            values = {OF[name]: number}
            if change == "rst2init_qp":
                values.update(qpc__pm_state=3, qpc__primary_address_path__vhca_port_num=1)
            self.differs(change, values)
            self.modify(handle, self.cut(change, command(change, **values)))
            query = name.replace("create_", "query_")
            return self.shown(self.query(handle, command(query, **{OF[name]: number}), query + "_out"), query + "_out")

    def ask_command_other(self):
        """Commands about no object. What they answer is compared where it is the adapter's, not the driver's, and no counter"""
        name = self.pick("name", [n for n in GENERAL if n + "_in" in devx.LAYOUTS.by_name])
        values = {}
        if self.rand.random() < 0.7:
            self.differs(name, values)
        room = devx.LAYOUTS.width(name + "_out") // 8
        if self.rand.random() < 0.2:
            room = self.pick("room", (8, 15, 16, 17, 32, 0x1000, 0xfffc))
        with self.by_device():
            out = devx.Context.other(self, self.cut(name, command(name, **values)), out_len=room)
        fixed = name in FIXED and not values.get("op_mod", 0) & CAP_CURRENT
        return {"status": out[0], "hash": hashlib.sha256(out[8:]).hexdigest()[:16] if fixed else ""}

    def ask_umem(self):
        """Memory for commands"""
        place = self.seldom("place", "+page", sorted(set(self.memory.places()) - {"top"}))
        length = self.seldom("length", PAGE, (1, 64, PAGE + 1, 8 * PAGE, 2 << 20, 0, 1 << 63, ALL))
        access = self.seldom("access", 1, (0, 2, 3, 7, 8, 9, 16, 17, 32, 64, 65, 128, 1 << 20, 1 << 20 | 1, 1 << 31))
        sizes = self.seldom("sizes", None, (0, 1, 1 << 11, 1 << 12, 0xff000, 1 << 21 | 1 << 12, 1 << 31, ALL, ALL - 4095))
        handle, number = self.umem(self.memory.places()[place], length, access, sizes)
        self.destroy(handle, devx.UMEM)
        return {"numbered": bool(number)}

    def ask_subscribe(self):
        """To events of an object, or of the device"""
        self.ready()
        with self.by_device():
            file = self.event_file(self.seldom("flags", 0, (1, 1, 1, 2, 1 << 31)))
            self.files.append(file)
            about = self.pick("object", (1, 0))
            handle = self.made("create_cq")[0] if about else None
            usual = devx.CQ_ERROR if about else devx.PORT_CHANGE
            events = [self.seldom("event", usual, EVENTS) for _ in range(self.seldom("n", 1, (2, 17)))]
            cookie, signal = self.seldom("cookie", 1, (None, ALL)), self.seldom("signal", None, (-1, 1000, file))
            self.subscribe(file, events, handle=handle, cookie=cookie, signal=signal)
        return {}

    def close(self):
        for file in self.files:
            os.close(file)
        super().close()


SENTENCES = {
    "dct": "DC targets", "dct-modify": "states and attributes of DC targets", "dci": "DC initiators",
    "dci-modify": "states and attributes of DC initiators", "dm": "allocations on the device",
    "dm-op": "operations on memory on the device",
    "dm-mr": "memory regions on the device", "odp": "memory regions that are paged on demand",
    "odp-rereg": "memory regions that change to or from such", "advise": "advice about memory", "pp": "rates for queues without verbs",
    "rate": "rates of QPs", "command": "objects that a program's commands create", "command-modify": "changes of such objects",
    "command-other": "commands about no object", "umem": "memories for such objects", "subscribe": "subscriptions to events",
}


if __name__ == "__main__":
    differences.main(__doc__, Asker, SENTENCES)
