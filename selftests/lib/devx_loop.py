# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""An RC QP that a program makes by DEVX commands, connected to itself: only the program knows its requests."""

import ctypes
import struct
import time

from devx_commands import Context, Cq, command, get
from uverbs import ALLOC_PD, PAGE, Memory, own_gids

RDMA_WRITE = 8
COMPLETION = 8              # fm_ce_se: there is one of each request
NO_RQ = 3
KEYS, ANY_QP = 2, 0xffffff   # of a key
DOORBELL = 0x800            # in the page of a UAR
ENTRIES = 16
REQ, REQ_ERR = 0, 0xd


def mac_of(gid):
    """Of the GID with a link-local address that is made of it"""
    return (gid[8] ^ 2).to_bytes(1, "big") + gid[9:11] + gid[13:16]


class Loop:
    """Writes to its own memory"""

    def __init__(self):
        self.ctx = Context()
        self.cq = Cq(self.ctx)
        self.pd, self.pdn = struct.unpack_from("<II", self.ctx.command(ALLOC_PD, b"", 8))
        self.uar, at = self.ctx.uar()
        self.page = self.ctx.map_page(at)
        self.mem = Memory(3)
        _, number = self.ctx.umem(self.mem.addr, 3 * PAGE)
        self.handle, out = self.ctx.create(
            command("create_qp", qpc__pm_state=3, qpc__pd=self.pdn, qpc__uar_page=self.uar, qpc__log_sq_size=4, qpc__rq_type=NO_RQ,
                    qpc__cqn_snd=self.cq.cqn, qpc__cqn_rcv=self.cq.cqn, qpc__dbr_umem_id=number, qpc__dbr_addr=2 * PAGE,
                    qpc__ts_format=1, wq_umem_id=number), "create_qp_out")
        self.qpn = get(out, "create_qp_out", "qpn")
        self.posted = self.polled = 0
        self.connect()

    def connect(self):
        index, gid = next(own for own in own_gids() if own[1][:2] == b"\xfe\x80")
        path = "qpc__primary_address_path__"
        mac = mac_of(gid)
        fields = {"qpn": self.qpn, "qpc__pm_state": 3, path + "vhca_port_num": 1, "qpc__rwe": 1, "qpc__mtu": 3, "qpc__log_msg_max": 30,
                  "qpc__remote_qpn": self.qpn, "qpc__min_rnr_nak": 1, "qpc__retry_count": 7, "qpc__rnr_retry": 7,
                  path + "ack_timeout": 14, path + "src_addr_index": index, path + "hop_limit": 64,
                  path + "rgid_rip": int.from_bytes(gid, "big"), path + "rmac_47_32": int.from_bytes(mac[:2], "big"),
                  path + "rmac_31_0": int.from_bytes(mac[2:], "big"), path + "udp_sport": 0xc000}
        for name in ("rst2init_qp", "init2rtr_qp", "rtr2rts_qp"):
            self.ctx.modify(self.handle, command(name, **fields))

    def mr(self, memory, access):
        """The key of the memory"""
        return struct.unpack_from("<I", self.ctx.mr(self.pd, memory.address, memory.size, access), 4)[0]

    def key_of(self, parts):
        """A key of parts of others: (bytes, key, address)"""
        tail = b"".join(struct.pack(">IIQ", *part) for part in parts)
        length = sum(part[0] for part in parts)
        fields = {"access_mode_1_0": KEYS, "lr": 1, "lw": 1, "rr": 1, "rw": 1, "qpn": ANY_QP, "pd": self.pdn, "len": length,
                  "translations_octword_size": len(parts)}
        data = command("create_mkey", tail, translations_octword_actual_size=len(parts),
                       **{"memory_key_mkey_entry__" + field: value for field, value in fields.items()})
        return get(self.ctx.create(data, "create_mkey_out")[1], "create_mkey_out", "mkey_index") << 8

    def write(self, source, lkey, target, rkey, length):
        head = struct.pack(">II3xBI", self.posted << 8 | RDMA_WRITE, self.qpn << 8 | 3, COMPLETION, 0)
        wqe = head + struct.pack(">QI4x", target, rkey) + struct.pack(">IIQ", length, lkey, source)
        ctypes.memmove(self.mem.addr + self.posted % ENTRIES * 64, wqe, len(wqe))
        self.posted += 1
        ctypes.memmove(self.mem.addr + 2 * PAGE + 4, self.posted.to_bytes(4, "big"), 4)
        ctypes.c_uint64.from_buffer(self.page, DOORBELL).value = int.from_bytes(head[:8], "little")

    def wait(self, seconds):
        """0: success; the syndrome of an error; or None: there is no completion"""
        at = self.cq.mem.addr + self.polled % ENTRIES * 64
        end = time.time() + seconds
        while time.time() < end:
            cqe = ctypes.string_at(at, 64)
            if cqe[63] >> 4 in (REQ, REQ_ERR) and cqe[63] & 1 == self.polled // ENTRIES & 1:
                self.polled += 1
                return cqe[55] if cqe[63] >> 4 == REQ_ERR else 0
            time.sleep(0.01)
        return None
