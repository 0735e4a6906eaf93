#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: differences.py SEED N [GROUP...]      ask
       differences.py list                   the groups

Asks the RDMA device N times of each GROUP (all of them) for something that a program can ask for, and prints what it was and what
came of it: an error, or the fields of the response and of the object as it is queried afterwards. What is asked follows from SEED
alone, so that two drivers can be asked the same on one device (differences.sh). Each request is a valid one of which some fields
have other values, mostly at the edge of what is allowed; its objects are new, and nobody else's.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import uverbs  # noqa: E402
from uverbs import NOWHERE, PAGE, RAW_PACKET, RC, Refused  # noqa: E402

POOL = 0x2000    # pages for queues and regions; behind them as many of which none may be used
QUERY_DEVICE, QUERY_PORT, CREATE_AH, REREG_MR, QUERY_QP, MODIFY_QP, ATTACH_MCAST = 1, 2, 5, 11, 25, 26, 30
CREATE_SRQ, MODIFY_SRQ, QUERY_SRQ, CREATE_FLOW, MODIFY_WQ = 32, 33, 34, 50, 53
UC, UD, XRC_INI, XRC_TGT, DRIVER_QP = 3, 4, 9, 10, 0xff
RESET, INIT, RTR, RTS, SQD, SQE, ERR = range(7)
STATES = ("RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR")
KINDS = {"RC": RC, "UC": UC, "UD": UD, "RAW": RAW_PACKET, "XRC_INI": XRC_INI, "XRC_TGT": XRC_TGT}

# Attributes of each transition to RTS, by the masks of <rdma/ib_user_verbs.h>
STATE, ACCESS, PKEY, PORT, QKEY, AV, PATH_MTU, TIMEOUT = 1, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200
RETRY, RNR_RETRY, RQ_PSN, RD_ATOMIC, MIN_RNR, SQ_PSN = 0x400, 0x800, 0x1000, 0x2000, 0x8000, 0x10000
DEST_RD_ATOMIC, DEST_QPN = 0x20000, 0x100000
UC_RTR = STATE | AV | PATH_MTU | DEST_QPN | RQ_PSN
RC_RTS = STATE | TIMEOUT | RETRY | RNR_RETRY | SQ_PSN | RD_ATOMIC
CONNECTED = {INIT: STATE | PKEY | PORT | ACCESS, RTR: UC_RTR | DEST_RD_ATOMIC | MIN_RNR, RTS: RC_RTS}
MASKS = {
    "RC": CONNECTED, "XRC_INI": {**CONNECTED, RTR: UC_RTR}, "XRC_TGT": {**CONNECTED, RTS: STATE | TIMEOUT | SQ_PSN},
    "UC": {INIT: STATE | PKEY | PORT | ACCESS, RTR: UC_RTR, RTS: STATE | SQ_PSN},
    "UD": {INIT: STATE | PKEY | PORT | QKEY, RTR: STATE, RTS: STATE | SQ_PSN},
    "RAW": {INIT: STATE | PORT, RTR: STATE, RTS: STATE},
}

BITS = {size: [0, 1, 2, 3, *(n for i in range(2, 8 * size, 3) for n in ((1 << i) - 1, 1 << i, (1 << i) + 1)), (1 << 8 * size) - 1]
        for size in (1, 2, 4, 8)}


class Layout:
    """A struct of the ABI: "name:format" of each field, the default is 0"""

    def __init__(self, text):
        self.fields = [f.split(":") for f in text.split()]
        self.format = struct.Struct("<" + "".join(f for _, f in self.fields))
        self.names = [name for name, _ in self.fields]

    def pack(self, values):
        return self.format.pack(*(values.get(name, b"" if f.endswith("s") else 0) & self.mask(f) if not f.endswith("s")
                                  else values.get(name, b"") for name, f in self.fields))

    @staticmethod
    def mask(fmt):
        return (1 << 8 * struct.calcsize("<" + fmt)) - 1

    def read(self, data):
        """Of the fields that are all there"""
        values, at = {}, 0
        for name, f in self.fields:
            size = struct.calcsize("<" + f)
            if at + size <= len(data):
                values[name] = struct.unpack_from("<" + f, data, at)[0]
            at += size
        return values

    def edges(self, name):
        """Values to try for a number"""
        return BITS[struct.calcsize("<" + dict(self.fields)[name])]


CQ = Layout("user_handle:Q cqe:I vector:I channel:I reserved:I")
EX_CQ = Layout("user_handle:Q cqe:I vector:I channel:I comp_mask:I flags:I reserved:I")
CQ_DRIVER = Layout("buf:Q db:Q cqe_size:I comp_en:B comp_format:B flags:H uar:I zero0:H zero1:H")
CQ_RESIZE = Layout("cq:I cqe:I")
CQ_RESIZE_DRIVER = Layout("buf:Q cqe_size:H reserved0:H reserved1:I")
CQ_MODERATE = Layout("cq:I mask:I count:H period:H reserved:I")
QP_FIELDS = ("user_handle:Q pd:I scq:I rcq:I srq:I send_wr:I recv_wr:I send_sge:I recv_sge:I inline:I sig_all:B kind:B is_srq:B "
             "reserved:B")
QP = Layout(QP_FIELDS)
QP_EX = Layout(QP_FIELDS + " comp_mask:I create_flags:I table:I source_qpn:I")
QP_DRIVER = Layout("buf:Q db:Q sq_wqes:I rq_wqes:I rq_shift:I flags:I uidx:I bfreg:I sq_buf:Q ece:I reserved:I")
QP_RESPONSE = Layout("handle:I qpn:I send_wr:I recv_wr:I send_sge:I recv_sge:I inline:I reserved:I bfreg:I ece:I comp_mask:I tirn:I "
                     "tisn:I rqn:I sqn:I reserved1:I")
RSS_DRIVER = Layout("fields:Q function:B key_len:B reserved:6s key:128s comp_mask:I flags:I")
DEST = ("{0}gid:16s {0}flow:I {0}dlid:H {0}zero:H {0}sgid_index:B {0}hops:B {0}tclass:B {0}sl:B {0}path:B {0}rate:B {0}global:B "
        "{0}port:B ")
PATHS = DEST.format("") + DEST.format("alt_")
ATTRIBUTES = (PATHS + "qp:I mask:I qkey:I rq_psn:I sq_psn:I dest_qpn:I access:I pkey:H alt_pkey:H state:B cur_state:B mtu:B migration:B "
              "sqd_notify:B rd_atomic:B dest_rd_atomic:B rnr_timer:B port_num:B timeout:B retry:B rnr_retry:B alt_port_num:B "
              "alt_timeout:B reserved:2s")
MODIFY = Layout(ATTRIBUTES)
MODIFY_EX = Layout(ATTRIBUTES + " rate_limit:I reserved1:I")
MODIFY_DRIVER = Layout("comp_mask:I burst:I typical:H reserved:H ece:I")
QUERIED = Layout(PATHS + "send_wr:I recv_wr:I send_sge:I recv_sge:I inline:I qkey:I rq_psn:I sq_psn:I dest_qpn:I access:I pkey:H "
                 "alt_pkey:H state:B cur_state:B mtu:B migration:B draining:B rd_atomic:B dest_rd_atomic:B rnr_timer:B port_num:B "
                 "timeout:B retry:B rnr_retry:B alt_port_num:B alt_timeout:B sig_all:B")
SRQ = Layout("user_handle:Q pd:I wr:I sge:I limit:I")
XSRQ = Layout("user_handle:Q kind:I pd:I wr:I sge:I limit:I tags:I xrcd:I cq:I")
SRQ_DRIVER = Layout("buf:Q db:Q flags:I reserved0:I uidx:I reserved1:I")
SRQ_RESPONSE = Layout("handle:I wr:I sge:I srqn:I driver_srqn:I")
SRQ_ATTRIBUTES = Layout("srq:I mask:I wr:I limit:I")
WQ = Layout("comp_mask:I kind:I user_handle:Q pd:I cq:I wr:I sge:I flags:I reserved:I")
WQ_DRIVER = Layout("buf:Q db:Q wqes:I shift:I uidx:I flags:I comp_mask:I log_strides:I stride_bytes:I two_bytes:I")
WQ_RESPONSE = Layout("comp_mask:I length:I handle:I wr:I sge:I wqn:I")
WQ_ATTRIBUTES = Layout("mask:I wq:I state:I cur_state:I flags:I flags_mask:I")
TABLE = Layout("comp_mask:I log_size:I wq0:I wq1:I")
MR = Layout("start:Q length:Q iova:Q pd:I access:I")
MR_AGAIN = Layout("mr:I flags:I start:Q length:Q iova:Q pd:I access:I")
MW = Layout("pd:I kind:B zero0:B zero1:B zero2:B")
MW_DRIVER = Layout("comp_mask:I klms:B zero0:B zero1:H")
AH = Layout("user_handle:Q pd:I reserved:I gid:16s flow:I sgid_index:B hops:B tclass:B zero0:B dlid:H sl:B path:B rate:B global:B port:B "
            "zero1:B")
AH_RESPONSE = Layout("handle:I length:I dmac:6s reserved:6s")
FLOW = Layout("comp_mask:I qp:I kind:I size:H priority:H specs:B reserved:2s port:B flags:I")
MCAST = Layout("gid:16s qp:I mlid:H reserved:H")
COUNT_DRIVER = Layout("sorts:I reserved:I points:Q n:I reserved1:I")
OBJECT_COUNTERS = 15
CONTEXT_RESPONSE = Layout("async_fd:I vectors:I qp_tab_size:I bf_reg_size:I bfregs:I cache_line:I sq_desc:H rq_desc:H send_wqebb:I "
                          "recv_wr:I srq_wr:I ports:H flow_actions:H comp_mask:I length:I cqe_version:B commands:B min_inline:B "
                          "clock_info:B clock_offset:Q log_uar:I uars_per_page:I dynamic_bfregs:I dump_fill:I")
CONTEXT = Layout("bfregs:I low:I flags:I comp_mask:I cqe_version:B zero0:B zero1:H zero2:I caps:Q")
DEVICE = Layout("fw:Q node_guid:Q image_guid:Q max_mr_size:Q page_sizes:Q vendor:I part:I hw:I max_qp:I max_qp_wr:I flags:I max_sge:I "
                "max_sge_rd:I max_cq:I max_cqe:I max_mr:I max_pd:I qp_rd_atomic:I ee_rd_atomic:I res_rd_atomic:I qp_init_rd_atomic:I "
                "ee_init_rd_atomic:I atomic:I ee:I rdd:I max_mw:I raw_ipv6:I raw_ethy:I mcast_grp:I mcast_qp:I mcast_total:I max_ah:I "
                "fmr:I map_per_fmr:I max_srq:I srq_wr:I srq_sge:I max_pkeys:H ack_delay:B ports:B reserved:4s comp_mask:I length:I odp:Q "
                "odp_rc:I odp_uc:I odp_ud:I reserved1:I timestamp_mask:Q clock_khz:Q flags_ex:Q rss_qpts:I tables:I table_size:I max_wq:I "
                "raw_caps:I tags_header:I tags_num:I tags_flags:I tags_ops:I tags_sge:I tags_reserved:I cq_count:H cq_period:H "
                "reserved2:I dm_size:Q odp_xrc:I reserved3:I")
DEVICE_DRIVER = Layout("comp_mask:I length:I tso_max:I tso_qpts:I hash_fields:Q hash_function:B hash_reserved:7s compression_num:I "
                       "compression_formats:I pacing_min:I pacing_max:I pacing_qpts:I pacing_caps:B pacing_reserved:3s multi_packet:I "
                       "flags:I sw_parsing:I sw_parsing_qpts:I striding_min_log:I striding_max_log:I striding_min_wqes:I "
                       "striding_max_wqes:I striding_qpts:I striding_reserved:I tunnels:I reserved:I dci_streams:B dci_errors:B "
                       "reserved1:6s uar_pages:I user_pages:I reserved2:Q")
PORT_RESPONSE = Layout("caps:I max_msg:I bad_pkey:I bad_qkey:I gids:I pkeys:H lid:H sm_lid:H state:B max_mtu:B mtu:B lmc:B max_vl:B "
                       "sm_sl:B subnet_timeout:B init_type:B width:B speed:B phys_state:B link_layer:B flags:B reserved:B")
PORT_QUERY = Layout("port:B reserved:7s")


class Memory:
    """Pages that the device may use, and behind them as many that nobody may"""

    def __init__(self):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        self.addr = libc.mmap(None, 2 * POOL * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        self.end = self.addr + POOL * PAGE
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if libc.mprotect(self.end, POOL * PAGE, 0):
            sys.exit("mprotect failed")
        self.queue, self.other_queue, self.record = self.addr, self.addr + 0x1000 * PAGE, self.addr + 0x1800 * PAGE

    def places(self):
        """{what a place is called: its address} of those that are tried"""
        return {"none": 0, "nowhere": NOWHERE, "+4": self.queue + 4, "+64": self.queue + 64, "+8": self.queue + 8,
                "+page": self.queue + PAGE,
                "last": self.end - PAGE, "last+64": self.end - PAGE + 64, "end": self.end, "kernel": 0xffff888000001000,
                "top": (1 << 64) - PAGE}


# What is tried instead of any number, where most numbers would only be refused by ib_core
VALUES = {
    "state": range(8), "cur_state": range(8), "mtu": range(8), "migration": range(5), "timeout": (0, 1, 14, 31, 32, 255),
    "retry": (0, 1, 7, 8, 255), "rnr_retry": (0, 1, 7, 8, 255), "rnr_timer": (0, 1, 31, 32, 255), "port": (0, 1, 2, 255),
    "port_num": (0, 1, 2, 255), "alt_port_num": (0, 1, 2), "rd_atomic": (0, 1, 2, 3, 7, 16, 17, 128, 255), "alt_global": (0, 1, 2),
    "dest_rd_atomic": (0, 1, 2, 3, 7, 16, 17, 128, 255), "pkey": (0, 1, 127, 128, 0xffff), "alt_pkey": (0, 1, 0xffff),
    "sgid_index": (0, 1, 2, 3, 4, 5, 127, 200, 255), "global": (0, 1, 2, 255), "access": [1 << i for i in range(0, 9)] + [0, 3, 7, 15,
                                                                                                                          1 << 20],
    "kind": (*range(11), 0x80, 0xff), "sig_all": (0, 1, 2, 255), "is_srq": (0, 1, 2), "cqe_size": (0, 32, 63, 64, 65, 128, 256, 0x10000),
    "send_sge": (0, 1, 2, 3, 4, 29, 30, 31, 32, 61, 62, 255), "recv_sge": (0, 1, 2, 3, 31, 32, 33, 61, 255), "sge": (0, 1, 2, 31, 32, 33,
                                                                                                                     61, 255),
    "inline": (0, 1, 28, 60, 64, 128, 256, 828, 1000, 1024, 4096, 1 << 16), "rq_shift": (*range(12), 31, 32, 64, 0xffffffff),
    "shift": (*range(12), 31, 32, 0xffffffff), "log_size": (*range(13), 31, 32, 0xffffffff), "log_strides": (0, 1, 5, 6, 9, 16, 31),
    "stride_bytes": (0, 1, 5, 6, 13, 14, 31), "two_bytes": (0, 1, 2), "function": range(4), "key_len": (0, 1, 39, 40, 41, 128, 255),
    "vector": (0, 1, 2, 3, 15, 63, 0xffffffff), "create_flags": [1 << i for i in range(14)] + [1 << 31], "cqe_version": (0, 1, 2, 255),
    "low": (0, 1, 3, 4, 5, 16, 17, 0xffffffff), "bfregs": (0, 1, 2, 3, 4, 15, 16, 17, 512, 513, 1024, 0xffffffff), "rate": range(24),
    "sl": (0, 1, 7, 8, 15, 16, 255), "alt_sl": (0, 7, 8, 16), "limit": (0, 1, 2, 14, 15, 16, 17, 255, 1 << 16, 0xffffffff),
    "priority": (0, 1, 7, 15, 16, 0xffff), "uidx": (0, 1, 0xfffffe, 0xffffff, 0x1000000, 0xffffffff), "klms": (0, 1, 2, 16, 255),
    "comp_en": (0, 1, 2), "comp_format": (0, 1, 2, 3, 4, 5), "bfreg": (0, 1, 2, 4, 15, 16, 255, 1024, 0xffffffff),
}
VALUES["mask"] = [1 << i for i in range(32)] + [0, 0xffffffff]
for _name in ("flags", "comp_mask", "flags_mask"):
    VALUES[_name] = VALUES["mask"]
for _name in ("qp", "zero", "alt_zero", "wqes"):
    VALUES.pop(_name, None)
ADDRESSES = {"points", "buf", "db", "sq_buf", "start", "iova"}
HANDLES = {"pd", "scq", "rcq", "cq", "srq", "table", "wq0", "wq1", "xrcd", "mr", "qp", "wq"}
BORING = {"user_handle", "zero0", "zero1", "zero2", "reserved", "reserved0", "reserved1", "dlid", "path", "alt_dlid", "alt_path", "key"}
GIDS = {"gid", "alt_gid"}


class Asker(uverbs.Device):
    """One context with the objects of one request"""

    def __init__(self, rand, memory, gids):
        super().__init__()
        self.rand, self.memory, self.gids = rand, memory, gids
        self.text = []
        self.warns = False    # the in-tree driver, when memory is of length 0 or wraps around
        self.events = None    # the context's file of events

    def command(self, number, body, answer_len, driver=b""):
        answer = super().command(number, body, answer_len, driver)
        if number == uverbs.GET_CONTEXT:
            self.events = struct.unpack_from("<I", answer)[0]
        return answer

    def close(self):
        super().close()
        if self.events is not None:
            os.close(self.events)

    # ---- what the request needs, as any program would ask for it --------------------------------------------------------

    def ready(self):
        self.context()
        self.page, self.page_at = self.uar()
        self.pd0 = self.pd()

    def a_cq(self, place=0x800):
        return self.cq(self.page, self.memory.queue + place * PAGE, self.memory.record)

    def qp_values(self, cq, kind):
        kind = KINDS[kind]
        own = kind not in (XRC_INI, XRC_TGT)
        body = {"pd": self.pd0, "scq": cq, "rcq": cq if own else 0, "send_wr": 16, "recv_wr": 16 if own else 0, "send_sge": 1,
                "recv_sge": 1 if own else 0, "kind": kind}
        driver = {"buf": self.memory.queue, "db": self.memory.record + 64, "sq_wqes": 64, "rq_wqes": 16 if own else 0,
                  "rq_shift": 4 if own else 0, "flags": uverbs.QP_UAR_INDEX, "uidx": 5, "bfreg": self.page}
        if kind == RAW_PACKET:
            driver["sq_buf"] = self.memory.other_queue
        if kind == XRC_TGT:
            body = {"pd": self.domain(), "kind": kind}
            driver = {}
        return body, driver

    def domain(self):
        return self.xrcd()

    def a_qp(self, kind, state=RESET):
        """Handle of a QP that has come to this state on the usual way"""
        body, driver = self.qp_values(self.a_cq(), kind)
        answer = self.command(uverbs.CREATE_QP, QP.pack(body), 32 + 32, QP_DRIVER.pack(driver) if driver else b"")
        qp = struct.unpack_from("<I", answer)[0]
        for step in (INIT, RTR, RTS):
            if step <= state or state in (SQD, ERR) and (step != INIT or state == SQD):
                self.plain(MODIFY_QP, MODIFY.pack(self.attributes(qp, kind, step)))
        if state in (SQD, ERR):
            self.plain(MODIFY_QP, MODIFY.pack({"qp": qp, "mask": STATE, "state": state}))
        return qp

    def attributes(self, qp, kind, state):
        index, gid = self.gids[-1]
        return {"qp": qp, "mask": MASKS[kind].get(state, STATE), "state": state, "gid": gid, "sgid_index": index, "hops": 64, "global": 1,
                "port": 1, "port_num": 1, "mtu": 3, "qkey": 0x11111111, "rq_psn": 100, "sq_psn": 200, "dest_qpn": 0x99, "access": 7,
                "rd_atomic": 1, "dest_rd_atomic": 1, "rnr_timer": 12, "timeout": 14, "retry": 7, "rnr_retry": 7,
                "alt_gid": gid, "alt_sgid_index": index, "alt_global": 1, "alt_port": 1, "alt_port_num": 1}

    def a_wq(self, place=0):
        return self.wq(self.pd0, self.a_cq(), self.memory.queue + place * PAGE, self.memory.record + 128)

    def a_srq(self):
        body = SRQ.pack({"pd": self.pd0, "wr": 15, "sge": 1})
        driver = SRQ_DRIVER.pack({"buf": self.memory.queue, "db": self.memory.record + 192, "uidx": 6})
        return struct.unpack_from("<I", self.command(CREATE_SRQ, body, 16 + 8, driver))[0]

    # ---- other values -----------------------------------------------------------------------------------------------------

    def vary(self, *parts):
        """In one to three fields of these (layout, values)"""
        names = [(layout, values, name) for layout, values in parts for name in layout.names if name not in BORING]
        boring = [(layout, values, name) for layout, values in parts for name in layout.names if name in BORING]
        for _ in range(self.rand.choice((1, 1, 1, 2, 3))):
            layout, values, name = self.rand.choice(boring if boring and self.rand.random() < 0.04 else names)
            values[name] = self.other(layout, name, values.get(name, 0))

    def other(self, layout, name, now):
        if name in ADDRESSES:
            places = {name: addr for name, addr in self.memory.places().items() if name != "top" or not self.warns}
            place = self.rand.choice(sorted(places))
            self.text.append(f"{name}={place}")
            return places[place]
        if name in HANDLES:
            what = self.rand.choice(("zero", "none", "next"))
            self.text.append(f"{name}={what}")
            return {"zero": 0, "none": 0x7fffffff, "next": now + 1}[what]
        if name in GIDS:
            what = self.rand.choice(("zero", "multicast", "own0", "own1", "loopback", "ipv4 multicast"))
            self.text.append(f"{name}={what}")
            return {"zero": bytes(16), "multicast": b"\xff\x0e" + bytes(13) + b"\x09", "own0": self.gids[0][1], "own1": self.gids[1][1],
                    "loopback": bytes(15) + b"\x01", "ipv4 multicast": bytes(10) + b"\xff\xff\xe0\0\0\x09"}[what]
        if dict(layout.fields)[name].endswith("s"):
            self.text.append(f"{name}=random")
            return self.rand.randbytes(struct.calcsize(dict(layout.fields)[name]))
        choice = VALUES.get(name.removeprefix("alt_"), None) if name not in VALUES else VALUES[name]
        value = self.rand.choice(choice or layout.edges(name))
        if self.warns and name == "length":
            value = value or 1
        if name in ("flags", "comp_mask", "create_flags", "mask", "flags_mask") and self.rand.random() < 0.7:
            value ^= now
        self.text.append(f"{name}={value:#x}" if value > 9 else f"{name}={value}")
        return value

    def length(self, data, unit=4):
        """The driver's part of a request, sometimes shorter or longer"""
        if self.rand.random() < 0.85:
            return data
        if self.rand.random() < 0.5 and data:
            size = self.rand.randrange(0, len(data), unit)
            self.text.append(f"cut={size}")
            return data[:size]
        more = self.rand.choice((unit, 16, 64))
        zero = self.rand.random() < 0.6
        self.text.append(f"longer={more}" + ("" if zero else " not zero"))
        return data + (bytes(more) if zero else b"\x01" * more)

    def pick(self, name, choice):
        value = self.rand.choice(list(choice))
        self.text.append(f"{name}={value}")
        return value

    # ---- requests; each returns what is to be compared ----------------------------------------------------------------------

    def ask_context(self):
        values = {"bfregs": 16, "low": 4, "cqe_version": 1, "caps": 3}
        self.vary((CONTEXT, values))
        answer = self.command(uverbs.GET_CONTEXT, b"", 8 + 104, self.length(CONTEXT.pack(values)))
        made = CONTEXT_RESPONSE.read(answer[:8 + 72])
        made.pop("async_fd")
        return made

    def ask_device(self):
        self.ready()
        size = self.pick("size", (0, 8, 40, 176, 184, 232, 264, 304, 312, 336))
        driver = self.pick("driver's size", (0, 8, 16, 32, 40, 80, 120, 136))
        answer = self.extended(QUERY_DEVICE, struct.pack("<II", self.pick("comp_mask", (0, 0, 0, 1)), 0), size, answer_driver=driver)
        return {**DEVICE.read(answer[:size]), **{"d." + name: value for name, value in DEVICE_DRIVER.read(answer[size:]).items()}}

    def ask_port(self):
        self.ready()
        values = {"port": 1}
        self.vary((PORT_QUERY, values))
        return PORT_RESPONSE.read(self.command(QUERY_PORT, PORT_QUERY.pack(values), 40))

    def ask_map(self):
        self.ready()
        command = self.pick("command", range(10))
        index = self.pick("index", (0, 1, 2, 3, 4, 100, 255))
        pages = self.pick("pages", (1, 1, 1, 2))
        protection = self.pick("protection", (mmap.PROT_READ, mmap.PROT_WRITE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.PROT_EXEC))
        flags = self.pick("flags", (mmap.MAP_SHARED, mmap.MAP_SHARED, mmap.MAP_PRIVATE))
        offset = self.page_at if self.pick("own page", (0, 0, 1)) else (command << 8 | index & 0xff | index >> 8 << 16) * PAGE
        try:
            mmap.mmap(self.fd, pages * PAGE, flags, protection, offset=offset).close()
        except OSError as e:
            raise Refused(e.errno) from e
        return {}

    def ask_uar(self):
        self.context()
        kind = self.pick("kind", (0, 1, 2, 3, 1 << 31))
        sizes = [self.pick(name, (n, n, n, 0, 4, 16)) for name, n in (("offset", 8), ("length", 4), ("page", 4))]
        out = [ctypes.create_string_buffer(16) for _ in range(3)]
        attrs = [(0x1000, 0, 0), (0x1001, self.pick("kind length", (8, 8, 8, 4, 16)), kind)]
        attrs += [(0x1002 + i, n, ctypes.addressof(out[i])) for i, n in enumerate(sizes)]
        for gone in sorted(self.rand.sample(range(5), self.rand.choice((0, 0, 1))), reverse=True):
            self.text.append(f"without {gone}")
            del attrs[gone]
        self.ioctl(uverbs.OBJECT_UAR, uverbs.UAR_ALLOC, attrs)
        return {"length": out[1].raw.hex()}

    def ask_ioctl(self):
        """Any method with any attributes; SECOND_CONTEXT of uverbs_fuzz.py is left out"""
        self.ready()
        obj = self.pick("object", (*range(20), *range(0x1000, 0x100e)))
        method = self.pick("method", (*range(12), *range(0x1000, 0x1005)))
        if (obj, method) == (0, 3):
            return {}
        attrs = []
        for _ in range(self.rand.choice((0, 0, 1, 2, 3, 5))):
            ident, size = self.rand.choice((0, 0x1000)) + self.rand.randrange(8), self.rand.choice((0, 1, 4, 8, 16, 64))
            name = self.rand.choice(("zero", "one", "memory"))
            self.text.append(f"{ident:#x}:{size}:{name}")
            attrs.append((ident, size, {"zero": 0, "one": 1, "memory": self.memory.queue}[name]))
        self.ioctl(obj, method, attrs)
        return {}

    def ask_cq(self):
        self.ready()
        extended = self.pick("extended", (0, 1))
        layout = EX_CQ if extended else CQ
        values = {"cqe": 15, "channel": 0xffffffff}
        driver = {"buf": self.memory.queue, "db": self.memory.record, "cqe_size": 64, "flags": uverbs.CQ_UAR_INDEX, "uar": self.page}
        self.vary((layout, values), (CQ_DRIVER, driver))
        data = self.length(CQ_DRIVER.pack(driver), 8 if extended else 4)
        if extended:
            answer = self.extended(uverbs.CREATE_CQ, EX_CQ.pack(values), 16, data)
            return {"cqe": struct.unpack_from("<4xI", answer)[0], "length": struct.unpack_from("<12xI", answer)[0]}
        return {"cqe": struct.unpack_from("<4xI", self.command(uverbs.CREATE_CQ, CQ.pack(values), 8 + 8, data))[0]}

    def ask_resize(self):
        self.ready()
        values = {"cq": self.a_cq(), "cqe": self.pick("to", (1, 7, 15, 31, 255))}
        driver = {"buf": self.memory.other_queue, "cqe_size": 64}
        self.vary((CQ_RESIZE, values), (CQ_RESIZE_DRIVER, driver))
        answer = self.command(uverbs.RESIZE_CQ, CQ_RESIZE.pack(values), 8, self.length(CQ_RESIZE_DRIVER.pack(driver)))
        return {"cqe": struct.unpack_from("<I", answer)[0]}

    def ask_moderate(self):
        self.ready()
        values = {"cq": self.a_cq(), "mask": 1, "count": 10, "period": 20}
        self.vary((CQ_MODERATE, values))
        self.extended(uverbs.MODIFY_CQ, CQ_MODERATE.pack(values), 0)
        return {}

    def ask_qp(self):
        self.ready()
        kind = self.pick("type", ("RC", "RC", "RC", "UC", "UD", "RAW", "XRC_INI", "XRC_TGT"))
        extended = self.pick("extended", (0, 0, 1))
        layout = QP_EX if extended else QP
        values, driver = self.qp_values(self.a_cq(), kind)
        if self.rand.random() < 0.1:
            self.text.append("with SRQ")
            values.update(is_srq=1, srq=self.a_srq(), recv_wr=0, recv_sge=0)
            driver.update(rq_wqes=0, rq_shift=0)
        self.vary((layout, values), (QP_DRIVER, driver))
        data = self.length(QP_DRIVER.pack(driver), 8 if extended else 4) if driver else b""
        if extended:
            answer = self.extended(uverbs.CREATE_QP, QP_EX.pack(values), 40, data)
        else:
            answer = self.command(uverbs.CREATE_QP, QP.pack(values), 32 + 32, data)
        made = QP_RESPONSE.read(answer)
        result = {name: made[name] for name in ("send_wr", "recv_wr", "send_sge", "recv_sge", "inline", "bfreg", "ece", "comp_mask")
                  if name in made}
        return {**result, **self.queried(made["handle"])}

    def queried(self, qp):
        values = QUERIED.read(self.command(QUERY_QP, struct.pack("<II", qp, 0xffffff), 128))
        return {"q." + name: value for name, value in values.items()}

    def ask_modify(self):
        self.ready()
        kind = self.pick("type", MASKS)
        before = self.pick("from", (RESET, INIT, RTR, RTS, RTS, SQD, ERR))
        after = before + 1 if before < RTS and self.rand.random() < 0.7 else self.rand.choice((RESET, INIT, RTR, RTS, SQD, SQE, ERR))
        self.text.append(f"to={STATES[after]}")
        qp = self.a_qp(kind, before)
        values = self.attributes(qp, kind, after)
        if before == after or (before, after) == (SQD, RTS):
            values["mask"] = STATE
        extended = self.pick("extended", (0, 0, 1))
        self.vary((MODIFY_EX if extended else MODIFY, values))
        if self.rand.random() < 0.3:
            values["mask"] ^= self.pick("also", [1 << i for i in range(26)])
        driver = {}
        if self.rand.random() < 0.1:
            self.vary((MODIFY_DRIVER, driver))
        data = self.length(MODIFY_DRIVER.pack(driver), 8) if driver else b""
        if extended:
            self.extended(MODIFY_QP, MODIFY_EX.pack(values), 8, data)
        else:
            self.plain(MODIFY_QP, MODIFY.pack(values) + data)
        return self.queried(qp)

    def ask_srq(self):
        self.ready()
        xrc = self.pick("xrc", (0, 1))
        layout = XSRQ if xrc else SRQ
        values = {"pd": self.pd0, "wr": 15, "sge": 1}
        if xrc:
            values.update(kind=uverbs.SRQT_XRC, xrcd=self.xrcd(), cq=self.a_cq())
        driver = {"buf": self.memory.queue, "db": self.memory.record + 192, "uidx": 6}
        self.vary((layout, values), (SRQ_DRIVER, driver))
        answer = self.command(uverbs.CREATE_XSRQ if xrc else CREATE_SRQ, layout.pack(values), 16 + 8, self.length(SRQ_DRIVER.pack(driver)))
        made = SRQ_RESPONSE.read(answer)
        return {"wr": made["wr"], "sge": made["sge"], **self.queried_srq(made["handle"])}

    def queried_srq(self, srq):
        values = struct.unpack_from("<III", self.command(QUERY_SRQ, struct.pack("<II", srq, 0), 16))
        return dict(zip(("q.wr", "q.sge", "q.limit"), values))

    def ask_modify_srq(self):
        self.ready()
        srq = self.a_srq()
        values = {"srq": srq, "mask": 2, "limit": 1, "wr": 15}
        self.vary((SRQ_ATTRIBUTES, values))
        self.plain(MODIFY_SRQ, SRQ_ATTRIBUTES.pack(values))
        return self.queried_srq(srq)

    def ask_wq(self):
        self.ready()
        values = {"pd": self.pd0, "cq": self.a_cq(), "wr": 16, "sge": 1}
        driver = {"buf": self.memory.queue, "db": self.memory.record + 128, "wqes": 16, "shift": 4, "uidx": 9}
        self.vary((WQ, values), (WQ_DRIVER, driver))
        answer = self.extended(uverbs.CREATE_WQ, WQ.pack(values), 24, self.length(WQ_DRIVER.pack(driver), 8))
        made = WQ_RESPONSE.read(answer)
        return {name: made[name] for name in ("comp_mask", "length", "wr", "sge")}

    def ask_modify_wq(self):
        """Invalid states are left out, as in uverbs_fuzz.py"""
        self.ready()
        wq = self.a_wq()
        values = {"mask": 1, "wq": wq}
        if self.pick("ready", (0, 1)):
            self.extended(MODIFY_WQ, WQ_ATTRIBUTES.pack({"mask": 1, "wq": wq, "state": 1}), 0, bytes(8))
            values["cur_state"] = 1
        values["state"] = self.pick("to", range(3))
        self.vary((WQ_ATTRIBUTES, values))
        values["state"], values["cur_state"] = values["state"] % 3, values.get("cur_state", 0) % 3
        self.extended(MODIFY_WQ, WQ_ATTRIBUTES.pack(values), 0, self.length(bytes(8), 8))
        return {}

    def ask_table(self):
        self.ready()
        wq = self.a_wq()
        values = {"log_size": 1, "wq0": wq, "wq1": wq}
        self.vary((TABLE, values))
        data = b"" if self.rand.random() < 0.8 else self.length(bytes(8), 8)
        answer = self.extended(uverbs.CREATE_TABLE, TABLE.pack(values), 16, data)
        return {"length": struct.unpack_from("<4xI", answer)[0]}

    def ask_rss(self):
        self.ready()
        table = self.table(self.a_wq())
        values = {"pd": self.pd0, "kind": RAW_PACKET, "comp_mask": uverbs.QP_HAS_TABLE, "table": table}
        driver = {"fields": self.pick("fields", (0, 3, 0xc, 0x33, 0xcc, 0xff, 0xf, 0xc3)), "function": uverbs.TOEPLITZ, "key_len": 40,
                  "key": bytes(range(40))}
        self.vary((QP_EX, values), (RSS_DRIVER, driver))
        answer = self.extended(uverbs.CREATE_QP, QP_EX.pack(values), 40, self.length(RSS_DRIVER.pack(driver), 8))
        return {"caps": answer[:28][8:].hex()}

    def ask_mr(self):
        self.ready()
        self.warns = True
        values = {"start": self.memory.queue, "length": self.pick("length", (1, 64, PAGE, PAGE + 1, 2 << 20, 1 << 47, (1 << 64) - 1)),
                  "pd": self.pd0, "access": 7}
        values["iova"] = values["start"]
        self.vary((MR, values))
        self.command(uverbs.REG_MR, MR.pack(values), 12)
        return {}

    def ask_rereg(self):
        self.ready()
        self.warns = True
        mr = struct.unpack_from("<I", self.mr(self.pd0, self.memory.queue, PAGE, 7))[0]
        values = {"mr": mr, "flags": self.pick("what", range(8)), "start": self.memory.other_queue, "length": 3 * PAGE,
                  "iova": self.memory.other_queue, "pd": self.pd(), "access": 1}
        self.vary((MR_AGAIN, values))
        self.command(REREG_MR, MR_AGAIN.pack(values), 8)
        return {}

    def ask_mw(self):
        self.ready()
        values, driver = {"pd": self.pd0, "kind": self.pick("type", (1, 2))}, {}
        self.vary((MW, values), (MW_DRIVER, driver))
        self.command(uverbs.ALLOC_MW, MW.pack(values), 8 + 8, self.length(MW_DRIVER.pack(driver)))
        return {}

    def ask_ah(self):
        self.ready()
        index, gid = self.gids[-1]
        values = {"pd": self.pd0, "gid": gid, "flow": 0x12345, "sgid_index": index, "hops": 64, "tclass": 8, "global": 1, "port": 1}
        self.vary((AH, values))
        made = AH_RESPONSE.read(self.command(CREATE_AH, AH.pack(values), 4 + 16, self.length(b"") if self.rand.random() < 0.1 else b""))
        return {"length": made["length"], "dmac": made["dmac"].hex()}

    def ask_mcast(self):
        self.ready()
        values = {"gid": b"\xff\x0e" + bytes(13) + b"\x07", "qp": self.a_qp(self.pick("type", ("UD", "RC", "RAW"))), "mlid": 0xc000}
        self.vary((MCAST, values))
        self.plain(ATTACH_MCAST, MCAST.pack(values))
        return {}

    def ask_flow(self):
        self.ready()
        qp = self.a_qp(self.pick("on", ("RAW", "RAW", "RAW", "UD")), RTS)
        specs = [self.spec(name) for name in self.pick("specs", (("eth",), ("eth", "ipv4"), ("eth", "ipv4", "udp"), ("ipv4", "udp"),
                                                                 ("eth", "tag"),
                 ("eth", "drop"), ("udp",), (), ("eth", "ipv6", "tcp"), ("eth", "ipv4", "gre"), ("eth", "ipv4", "udp", "vxlan"),
                 ("eth", "mpls"), ("esp",), ("eth", "inner eth"), ("ipv4", "eth"), ("tag",), ("drop",), ("tag", "drop"), ("eth", "eth")))]
        data = b"".join(specs)
        values = {"qp": qp, "kind": self.pick("flow type", (0, 0, 0, 1, 2, 3)), "size": len(data), "specs": len(specs), "port": 1}
        if self.rand.random() < 0.5:
            self.vary((FLOW, values))
        body = FLOW.pack(values) + data
        self.extended(CREATE_FLOW, body + bytes(-len(body) % 8), 8)
        return {}

    def ask_count(self):
        """A rule that counts, and what is read"""
        self.ready()
        qp = self.a_qp("RAW", RTS)
        answer = self.ioctl(OBJECT_COUNTERS, 0, [(0, 0, 0)])
        counters = struct.unpack_from("<I", answer, 24 + 8)[0]
        points = [(self.pick("description", (0, 1, 1, 2)), self.pick("index", (0, 1, 2, 100))) for _ in range(self.pick("points", (0, 1,
                                                                                                                                   2, 4,
                                                                                                                                   5)))]
        wanted = (ctypes.c_uint32 * 16)(*(n for point in points for n in point))
        driver = {"sorts": 1, "points": ctypes.addressof(wanted), "n": len(points)}
        if self.rand.random() < 0.5:
            self.vary((COUNT_DRIVER, driver))
        specs = [struct.pack("<IHH", 0x20, 40, 0) + bytes(32)] + [struct.pack("<IHHII", 0x1003, 16, 0, counters, 0)] * self.pick("times",
                                                                                                                                 (1, 1, 1,
                                                                                                                                  2))
        data = b"".join(specs)
        body = FLOW.pack({"qp": qp, "size": len(data), "specs": len(specs), "port": 1}) + data
        for _ in range(self.pick("rules", (1, 1, 2))):
            self.extended(CREATE_FLOW, body + bytes(-len(body) % 8), 8, self.length(COUNT_DRIVER.pack(driver), 8))
        places = (ctypes.c_uint64 * 128)()
        room = self.pick("room", (0, 1, 2, 3, 101, 128))
        self.ioctl(OBJECT_COUNTERS, 2, [(0, 0, counters), (1, 8 * room, ctypes.addressof(places)), (2, 8, self.pick("flags", (0, 0, 1,
                                                                                                                              2)))])
        return {"read": "".join(str(n) for n in places[:4])}

    def spec(self, name):
        kinds = {"eth": (0x20, 16), "ipv4": (0x30, 12), "ipv6": (0x31, 40), "tcp": (0x40, 4), "udp": (0x41, 4), "esp": (0x34, 8),
                 "vxlan": (0x50, 4), "gre": (0x51, 8), "mpls": (0x60, 4), "tag": (0x1000, 8), "drop": (0x1001, 0)}
        inner, name = 0x100 * name.startswith("inner "), name.removeprefix("inner ")
        kind, size = kinds[name]
        if name in ("tag", "drop"):
            value = struct.pack("<II", self.pick("tag", (0, 1, 0xfffffe, 0xffffff, 0x1000000)), 0) if size else b""
        else:
            value, mask = bytearray(size), bytearray(size)
            for _ in range(self.rand.choice((0, 1, 2))):
                at = self.rand.randrange(size)
                value[at], mask[at] = self.rand.choice((0, 1, 6, 0x45, 255)), self.rand.choice((0, 1, 0xf0, 255))
                self.text.append(f"{name}[{at}]={value[at]:#x}/{mask[at]:#x}")
            if self.rand.random() < 0.4:
                mask = bytearray(b"\xff" * size)
                self.text.append(f"{name}=whole")
            if any(v & ~m for v, m in zip(value, mask)):
                self.text.append("outside")
            value = bytes(value) + bytes(mask)
        size = len(value) + 8
        if self.rand.random() < 0.05:
            size = self.pick("spec size", (0, 7, 8, size - 4, size + 4, 0xffff))
        return struct.pack("<IHH", kind | inner, size, 0) + value


def groups_of(kind):
    """{group: what asks for it} of a class"""
    return {name.removeprefix("ask_").replace("_", "-"): method for name, method in vars(kind).items() if name.startswith("ask_")}


def ask(kind, group, *what):
    """One request: (what was asked, what came of it)"""
    with contextlib.closing(kind(*what)) as asker:
        try:
            result = groups_of(kind)[group](asker)
            came = " ".join(["ok"] + [f"{name}={value.hex() if isinstance(value, bytes) else value}" for name, value in result.items()])
        except Refused as e:
            came = errno.errorcode.get(e.code, str(e.code))
        return " ".join(asker.text), came


SENTENCES = {
    "context": "contexts", "device": "queries of the device", "port": "queries of the port", "map": "mappings of the device file",
    "uar": "doorbell pages", "ioctl": "any method with any attributes", "cq": "CQs", "resize": "CQs that get another size",
    "moderate": "moderation of CQs", "qp": "QPs", "modify": "states and attributes of QPs", "srq": "SRQs", "modify-srq": "limits of SRQs",
    "wq": "WQs", "modify-wq": "states and flags of WQs", "table": "indirection tables", "rss": "RSS QPs", "mr": "memory regions",
    "rereg": "memory regions that change", "mw": "memory windows", "ah": "address handles", "mcast": "multicast groups",
    "flow": "flow rules",
    "count": "counters of flow rules",
}


def main(usage, kind, sentences):
    """A program whose requests are those of a class"""
    if sys.argv[1:] == ["list"]:
        print("\n".join(f"{group}\t{sentences[group]} are as with the in-tree driver" for group in groups_of(kind)))
        return
    if len(sys.argv) < 3:
        sys.exit(usage)
    seed, count, groups = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(groups_of(kind))
    memory, gids = Memory(), uverbs.own_gids()
    for group in groups:
        for number in range(count):
            asked, came = ask(kind, group, random.Random(f"{seed} {group} {number}"), memory, gids)
            print(f"{group} {number}\t{asked}\t{came}", flush=True)


if __name__ == "__main__":
    main(__doc__, Asker, SENTENCES)
