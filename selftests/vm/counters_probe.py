#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: counters_probe.py list | run ID DEVICE GID-INDEX NETDEV | serve FOLDER ROWS

Changes each counter of an RDMA device by an event of its own, between two QPs of the device (RoCE v2
over IPv4) or by a frame injected on its interface. A case names the counters that must change, and by
how much; no other may. The changed counters are recorded in a file for the last row, which checks that
all of them did.
"""

import ipaddress
import os
import socket
import struct
import subprocess
import sys
import time
import zlib

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import gids  # noqa: E402
import rows  # noqa: E402
from rows import driver, kernel, row  # noqa: E402
import window  # noqa: E402
from sides import ATTACH, DETACH, GROUP, membership  # noqa: E402

ALL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE
ROCE_PORT, TTL, UDP = 4791, 64, 17
ACK, NAK_SEQUENCE, SEND_ONLY, ACK_SYNDROME, CNP, ECN_CE = 0x11, 0x60, 0x04, 0x1f, 0x81, 3
PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))
MOVED = "/run/counters.moved"    # lines: a case and the counters that it changed

# Traffic changes these by any amount.
TRAFFIC = {"rdma_rx_packets", "rdma_rx_bytes", "rdma_tx_packets", "rdma_tx_bytes"} | {
    f"{kind}_{way}_packets" for kind in ("port", "unicast", "multicast") for way in ("xmit", "rcv")} | {
    "port_xmit_data", "port_rcv_data"}


# Counters that an in-tree driver does not have yet
LATER = {"mlx5-6.1": {"req_transport_retries_exceeded", "req_rnr_retries_exceeded"}}

# Counters that nothing can change here, and why
CABLE = "the emulated cable makes no errors"
NO_INFINIBAND = "InfiniBand only"
NEVER = {
    "VL15_dropped": NO_INFINIBAND,
    "port_rcv_constraint_errors": NO_INFINIBAND,
    "port_xmit_constraint_errors": NO_INFINIBAND,
    "port_rcv_switch_relay_errors": NO_INFINIBAND,
    "link_error_recovery": CABLE,
    "local_link_integrity_errors": CABLE,
    "port_rcv_remote_physical_errors": CABLE,
    "port_xmit_wait": "the emulated port has no credits to wait for",
    "excessive_buffer_overrun_errors": "a guest cannot send enough frames at once; covered by the emulator's tests",
    "rx_dct_connect": "the card of the test has no DC transport",
    "roce_adp_retrans": "no emulated adapter has it",
    "roce_adp_retrans_to": "no emulated adapter has it",
    "roce_slow_restart": "no emulated adapter has it",
    "roce_slow_restart_cnps": "no emulated adapter has it",
    "roce_slow_restart_trans": "no emulated adapter has it",
}
# Changed by tests of other scripts, which have a card or faults for that.
ELSEWHERE = {"symbol_error": "fec.rdma"}


class Wrong(Exception):
    pass


class Device:
    def __init__(self, name, gid, netdev):
        self.name, self.gid_index, self.netdev = name, gid, netdev
        self.ctx = Context(name=name)
        self.gid = str(self.ctx.query_gid(1, gid).gid)
        self.pd = PD(self.ctx)
        self.port = f"/sys/class/infiniband/{name}/ports/1"
        self.ours = driver() == "cxr"
        self.before = {}

    def lifespan(self, ms):
        with open(f"{self.port}/hw_counters/lifespan", "w", encoding="ascii") as f:
            f.write(str(ms))
        if not ms:
            time.sleep(0.05)  # ib_core keeps a counter for the rest of the jiffy even then

    def read_one(self):
        with open(f"{self.port}/hw_counters/rx_write_requests", encoding="ascii") as f:
            return int(f.read())

    def await_moved(self, name, by=1):
        """Wait for the effect of a frame that has no completion"""
        self.lifespan(0)

        def moved():
            with open(f"{self.port}/hw_counters/{name}", encoding="ascii") as f:
                return int(f.read()) - self.before[name] >= by

        wait_for(moved, f"{name} does not change")

    def counters(self):
        """All counters, with one query of the device"""
        values = {}
        self.lifespan(0)
        self.read_one()
        self.lifespan(10000)
        for part in ("hw_counters", "counters"):
            for name in os.listdir(f"{self.port}/{part}"):
                if name != "lifespan":
                    with open(f"{self.port}/{part}/{name}", encoding="ascii") as f:
                        values[name] = int(f.read())
        return values

    def ip(self):
        return ipaddress.ip_address(self.gid).ipv4_mapped.packed

    def ip6(self):
        """The link-local address, of a GID of RoCE v2"""
        for index in range(256):
            gid = str(self.ctx.query_gid(1, index).gid)
            if gid.startswith("fe80"):
                with open(f"{self.port}/gid_attrs/types/{index}", encoding="ascii") as f:
                    if f.read() == "RoCE v2\n":
                        return ipaddress.ip_address(gid).packed
        raise Wrong("there is no link-local GID of RoCE v2")

    def mac(self):
        with open(f"/sys/class/net/{self.netdev}/address", encoding="ascii") as f:
            return bytes.fromhex(f.read().strip().replace(":", ""))


class Queue:
    """An RC QP with its own CQ"""

    def __init__(self, dev, access=ALL):
        self.dev, self.access = dev, access
        self.cq = CQ(dev.ctx, 64)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, sq_sig_all=1,
                          cap=QPCap(max_send_wr=16, max_recv_wr=16))
        self.qp = QP(dev.pd, init)

    def connect(self, peer, sq_psn=100, rq_psn=100, retry=7, rnr_retry=7, timeout=14):
        route = GlobalRoute(dgid=self.dev.ctx.query_gid(1, self.dev.gid_index), sgid_index=self.dev.gid_index)
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = self.access
        attr.path_mtu = e.IBV_MTU_1024
        attr.dest_qp_num, attr.rq_psn, attr.sq_psn = peer, rq_psn, sq_psn
        attr.max_dest_rd_atomic, attr.max_rd_atomic = 4, 4
        attr.min_rnr_timer, attr.timeout, attr.retry_cnt, attr.rnr_retry = 1, timeout, retry, rnr_retry
        attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
        self.qp.to_rts(attr)

    def send(self, mr, opcode=e.IBV_WR_SEND, length=10, to=None, rkey=None, lkey=None, off=0):
        wr = SendWR(num_sge=1, sg=[SGE(mr.buf, length, mr.lkey if lkey is None else lkey)], opcode=opcode,
                    send_flags=e.IBV_SEND_SIGNALED)
        if opcode == e.IBV_WR_ATOMIC_FETCH_AND_ADD:
            wr.set_wr_atomic(to.rkey, to.buf, 1)
        if opcode in (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ):
            wr.set_wr_rdma(to.rkey if rkey is None else rkey, to.buf + off)
        self.qp.post_send(wr)

    def receive(self, mr, length=4096):
        self.qp.post_recv(RecvWR(num_sge=1, sg=[SGE(mr.buf, length, mr.lkey)]))

    def done(self, n=1, seconds=10):
        """Wait for n completions; returns their statuses"""
        end, got = time.monotonic() + seconds * PATIENCE, []
        while len(got) < n:
            _, wcs = self.cq.poll(n - len(got))
            got += [wc.status for wc in wcs]
            if time.monotonic() > end:
                raise Wrong(f"{len(got)} of {n} completions")
        return got

    def error(self):
        self.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)

    def close(self):
        self.qp.close()
        self.cq.close()


class Pair:
    """Two connected QPs of the same device, and an MR of each"""

    def __init__(self, dev, access=ALL, **how):
        self.a, self.b = Queue(dev), Queue(dev, access)
        self.from_, self.to = MR(dev.pd, 65536, ALL), MR(dev.pd, 65536, access | ALL)
        back = {"sq_psn": how.get("rq_psn", 100), "rq_psn": how.get("sq_psn", 100)}
        back["rq_psn"] += how.pop("gap", 0)
        self.a.connect(self.b.qp.qp_num, **how)
        self.b.connect(self.a.qp.qp_num, **back)

    def write(self, **how):
        self.a.send(self.from_, e.IBV_WR_RDMA_WRITE, to=self.to, **how)
        return self.a.done()[0]

    def close(self):
        self.a.close()
        self.b.close()
        self.from_.close()
        self.to.close()


# ---- injected frames -------------------------------------------------------------------------------

def bth(opcode, qpn, psn):
    return struct.pack("!BBHII", opcode, 0, 0xffff, qpn, psn)


def ipv4(dev, length, ecn):
    head = struct.pack("!BBHHHBBH4s4s", 0x45, ecn, 20 + length, 0, 0x4000, TTL, UDP, 0, dev.ip(), dev.ip())
    total = sum(struct.unpack("!10H", head))
    total = (total & 0xffff) + (total >> 16)
    return head[:10] + struct.pack("!H", ~((total & 0xffff) + (total >> 16)) & 0xffff) + head[12:]


def ipv6(dev, length, ecn):
    return struct.pack("!IHBB16s16s", 6 << 28 | ecn << 20, length, UDP, TTL, dev.ip6(), dev.ip6())


def roce_frame(dev, transport, version=4, spoil=False, ecn=0):
    """A RoCE v2 frame from the device to itself. The ICRC is computed here, over all ones for what routers may change."""
    udp = struct.pack("!HHHH", 0xc000, ROCE_PORT, 8 + len(transport) + 4, 0)
    ip = {4: ipv4, 6: ipv6}[version](dev, len(udp) + len(transport) + 4, ecn)
    masked = bytearray(ip + udp + transport)
    if version == 4:
        masked[1] = masked[8] = 0xff                            # type of service, time to live
        masked[10:12] = b"\xff\xff"                             # checksum
    else:
        masked[0] |= 0x0f                                       # traffic class and flow label
        masked[1:4] = b"\xff\xff\xff"
        masked[7] = 0xff                                        # hop limit
    masked[len(ip) + 6:len(ip) + 8] = b"\xff\xff"               # checksum
    masked[len(ip) + len(udp) + 4] = 0xff                       # FECN, BECN and reserved bits
    icrc = struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked)) ^ spoil)
    return dev.mac() * 2 + {4: b"\x08\x00", 6: b"\x86\xdd"}[version] + ip + udp + transport + icrc


def inject(dev, transport, **how):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((dev.netdev, 0))
        s.send(roce_frame(dev, transport, **how))


def lone(dev, **how):
    """A QP whose peer was destroyed"""
    pair = Pair(dev, timeout=18, **how)         # a second until it retransmits
    pair.b.close()
    pair.peer = pair.b.qp
    return pair


# ---- cases -----------------------------------------------------------------------------------------

def case(name, sentence, **moves):
    """A row with an event, and the counters that it must change"""
    def add(function):
        def run(dev):
            dev.before = dev.counters()
            function(dev)
            moved, wrong = difference(dev.before, dev.counters(), moves)
            with open(MOVED, "a", encoding="ascii") as f:
                print(name, *moved, file=f)
            if wrong:
                raise Wrong("; ".join(wrong))

        CASES[name] = run
        return row(name, sentence)(run)
    return add


CASES = {}


def expect(got, want):
    if got != want:
        raise Wrong(f"completed with status {got} instead of {want}")


@case("write", "a WRITE counts as one request, whatever its length", rx_write_requests=1)
def write(dev):
    pair = Pair(dev)
    expect(pair.write(length=3000), e.IBV_WC_SUCCESS)
    pair.close()


@case("read", "a READ counts as one request", rx_read_requests=1)
def read(dev):
    pair = Pair(dev)
    pair.a.send(pair.from_, e.IBV_WR_RDMA_READ, 3000, pair.to)
    expect(pair.a.done(), [e.IBV_WC_SUCCESS])
    pair.close()


@case("atomic", "an atomic counts as one request", rx_atomic_requests=1)
def atomic(dev):
    pair = Pair(dev, access=ALL | e.IBV_ACCESS_REMOTE_ATOMIC)
    pair.a.send(pair.from_, e.IBV_WR_ATOMIC_FETCH_AND_ADD, 8, pair.to)
    expect(pair.a.done(), [e.IBV_WC_SUCCESS])
    pair.close()


# changes: rdma_rx_packets rdma_rx_bytes rdma_tx_packets rdma_tx_bytes
# changes: port_xmit_data port_rcv_data port_xmit_packets port_rcv_packets unicast_xmit_packets unicast_rcv_packets
@case("traffic", "traffic: counters/ counts 4-byte words, hw_counters/ bytes")
def traffic(dev):
    pair = Pair(dev)
    before = dev.counters()
    for _ in range(10):
        pair.b.receive(pair.to)
        pair.a.send(pair.from_, length=3000)
        expect(pair.a.done() + pair.b.done(), [e.IBV_WC_SUCCESS] * 2)
    now = dev.counters()
    d = {name: now[name] - before[name] for name in now}
    for way in ("xmit", "rcv"):
        packets, words = d[f"port_{way}_packets"], d[f"port_{way}_data"]
        if not 40 <= packets <= 60 or d[f"unicast_{way}_packets"] != packets or words * 4 < 30000:
            raise Wrong(f"{way}: {packets} packets, {words} words")
        if dev.ours:
            ours = "tx" if way == "xmit" else "rx"
            if d[f"rdma_{ours}_packets"] != packets or not 0 <= d[f"rdma_{ours}_bytes"] - 4 * words < 4:
                raise Wrong(f"{ours}: {d[f'rdma_{ours}_packets']} packets, {d[f'rdma_{ours}_bytes']} bytes")
    pair.close()


@case("not-ready", "RNR NAK: no receive posted", out_of_buffer=2, rnr_nak_retry_err=2, req_rnr_retries_exceeded=1,
      req_cqe_error=1)
def rnr(dev):
    pair = Pair(dev, rnr_retry=1)
    pair.a.send(pair.from_)
    expect(pair.a.done(), [e.IBV_WC_RNR_RETRY_EXC_ERR])
    pair.close()


@case("wrong-key", "WRITE with a wrong rkey", req_remote_access_errors=1, resp_remote_access_errors=1, req_cqe_error=1)
def wrong_key(dev):
    pair = Pair(dev)
    expect(pair.write(rkey=pair.to.rkey ^ 1), e.IBV_WC_REM_ACCESS_ERR)
    pair.close()


@case("beyond", "WRITE beyond the region", req_remote_access_errors=1, resp_remote_access_errors=1, req_cqe_error=1)
def beyond(dev):
    pair = Pair(dev)
    expect(pair.write(off=65536), e.IBV_WC_REM_ACCESS_ERR)
    pair.close()


@case("not-allowed", "WRITE to a QP without remote write access", req_remote_invalid_request=1, req_cqe_error=1)
def not_allowed(dev):
    pair = Pair(dev, access=e.IBV_ACCESS_LOCAL_WRITE)
    expect(pair.write(), e.IBV_WC_REM_INV_REQ_ERR)
    pair.close()


@case("too-long", "SEND longer than the receive", resp_local_length_error=1, resp_cqe_error=1,
      req_remote_invalid_request=1, req_cqe_error=1)
def too_long(dev):
    pair = Pair(dev)
    pair.b.receive(pair.to, 100)
    pair.a.send(pair.from_, length=101)
    expect(pair.a.done() + pair.b.done(), [e.IBV_WC_REM_INV_REQ_ERR, e.IBV_WC_LOC_LEN_ERR])
    pair.close()


@case("send-key", "SEND with a wrong lkey", req_cqe_error=1)
def protection(dev):
    pair = Pair(dev)
    pair.a.send(pair.from_, lkey=pair.from_.lkey ^ 1)
    expect(pair.a.done(), [e.IBV_WC_LOC_PROT_ERR])
    pair.close()


@case("flush", "flushed work requests", req_cqe_flush_error=2, req_cqe_error=2, resp_cqe_flush_error=3, resp_cqe_error=3)
def flush(dev):
    pair = Pair(dev)
    for _ in range(3):
        pair.b.receive(pair.to)
    pair.a.error()
    pair.b.error()
    for _ in range(2):
        pair.a.send(pair.from_)
    expect(pair.a.done(2) + pair.b.done(3), [e.IBV_WC_WR_FLUSH_ERR] * 5)
    pair.close()


@case("no-peer", "ACK timeouts without a peer", local_ack_timeout_err=3, req_transport_retries_exceeded=1, req_cqe_error=1)
def retries(dev):
    pair = Pair(dev, retry=2, timeout=10)
    pair.b.close()
    expect(pair.write(), e.IBV_WC_RETRY_EXC_ERR)
    pair.close()


@case("early", "a request ahead of the expected PSN", out_of_sequence=1)
def early(dev):
    pair = Pair(dev)
    inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 105) + b"data")
    dev.await_moved("out_of_sequence")
    pair.close()


@case("again", "a duplicate request", duplicate_request=1, rx_write_requests=1)
def again(dev):
    pair = Pair(dev)
    expect(pair.write(), e.IBV_WC_SUCCESS)
    inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 100) + b"data")
    dev.await_moved("duplicate_request")
    pair.close()


@case("nak", "a NAK for a PSN sequence error", packet_seq_err=1)
def nak(dev):
    pair = lone(dev)
    pair.a.send(pair.from_)
    inject(dev, bth(ACK, pair.a.qp.qp_num, 100) + struct.pack("!BBH", NAK_SEQUENCE, 0, 0))
    dev.await_moved("packet_seq_err")
    pair.close()


@case("implied", "an ACK that implies a lost READ response", implied_nak_seq_err=1)
def implied(dev):
    pair = lone(dev)
    pair.a.send(pair.from_, e.IBV_WR_RDMA_READ, 10, pair.to)
    inject(dev, bth(ACK, pair.a.qp.qp_num, 100) + struct.pack("!BBH", ACK_SYNDROME, 0, 0))
    dev.await_moved("implied_nak_seq_err")
    pair.close()


@case("icrc", "packets with a wrong ICRC", rx_icrc_encapsulated=3, port_rcv_errors=3)
def icrc(dev):
    pair = Pair(dev)
    window.begin(dev.netdev, "icrc=0 min=3", "packets whose ICRC is wrong")
    for _ in range(3):
        inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 100) + b"data", spoil=True)
    dev.await_moved("rx_icrc_encapsulated", 3)
    window.end(dev.netdev)
    pair.close()


@case("ecn", "an ECN-marked packet, and the CNP that answers it",
      np_ecn_marked_roce_packets=1, np_cnp_sent=1, rp_cnp_handled=1, duplicate_request=1, rx_write_requests=1)
def congestion(dev):
    pair = Pair(dev)
    expect(pair.write(), e.IBV_WC_SUCCESS)
    inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 100) + b"data", ecn=ECN_CE)
    dev.await_moved("rp_cnp_handled")
    pair.close()


@case("cnp", "a CNP for an unknown QP", rp_cnp_ignored=1)
def stray_notification(dev):
    inject(dev, bth(CNP, 0x7777, 0) + bytes(16))
    dev.await_moved("rp_cnp_ignored")


@case("cnp-marked", "a CNP over IPv6 that is marked itself", rp_cnp_ignored=1)
def marked_notification(dev):
    inject(dev, bth(CNP, 0x7777, 0) + bytes(16), version=6, ecn=ECN_CE)
    dev.await_moved("rp_cnp_ignored")


def datagrams(ctx):
    """A UD QP with its CQ and MR"""
    pd = PD(ctx)
    cq = CQ(ctx, 8)
    mr = MR(pd, 4096, ALL)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4, max_recv_wr=4)))
    attr = QPAttr(port_num=1)
    attr.qkey = 0x1234
    qp.to_rts(attr)
    return pd, qp, cq, mr


def send_datagram(dev, things, dgid, qpn, qkey):
    pd, qp, cq, mr = things
    route = GlobalRoute(dgid=dgid, sgid_index=dev.gid_index)
    ah = AH(pd, attr=AHAttr(gr=route, is_global=1, port_num=1))
    wr = SendWR(num_sge=1, sg=[SGE(mr.buf, 10, mr.lkey)], send_flags=e.IBV_SEND_SIGNALED)
    wr.set_wr_ud(ah, qpn, qkey)
    qp.post_send(wr)
    wait_for(lambda: cq.poll(1)[0], "the datagram did not complete")
    ah.close()


def to_group(dev, things):
    send_datagram(dev, things, GROUP, 0xffffff, 0x1234)


def close(things):
    for thing in things[1:]:
        thing.close()
    things[0].close()


# changes: multicast_xmit_packets multicast_rcv_packets
@case("multicast", "datagrams sent to a multicast group, one received by a member")
def multicast(dev):
    listener = Context(name=dev.name)
    near, member = datagrams(dev.ctx), datagrams(listener)
    _, qp, cq, mr = member
    qp.post_recv(RecvWR(num_sge=1, sg=[SGE(mr.buf, 256, mr.lkey)]))
    to_group(dev, near)
    if membership(listener, ATTACH) != 1:
        raise Wrong("the QP was not attached")
    to_group(dev, near)
    wait_for(lambda: cq.poll(1)[0], "the member received nothing")
    now = dev.counters()
    sent, received = (now[f"multicast_{way}_packets"] - dev.before[f"multicast_{way}_packets"] for way in ("xmit", "rcv"))
    if (sent, received) != (2, 1):
        raise Wrong(f"{sent} multicast packets were sent, {received} received")
    membership(listener, DETACH)
    close(near)
    close(member)


def wait_for(condition, otherwise, seconds=10):
    end = time.monotonic() + seconds * PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise Wrong(otherwise)


@case("datagram-key", "a datagram with a wrong Q_Key counts at the port")
def datagram_key(dev):
    things = datagrams(dev.ctx)
    before = dev.ctx.query_port(1).qkey_viol_cntr
    send_datagram(dev, things, dev.ctx.query_gid(1, dev.gid_index), things[1].qp_num, 0x1235)
    wait_for(lambda: dev.ctx.query_port(1).qkey_viol_cntr == before + 1, "it is not counted")
    close(things)


@case("lifespan", "lifespan: counter values are cached for that long", rx_write_requests=1)
def lifespan(dev):
    pair = Pair(dev)
    dev.lifespan(0)
    before = dev.read_one()
    dev.lifespan(10000)
    expect(pair.write(), e.IBV_WC_SUCCESS)
    kept = dev.read_one()
    dev.lifespan(0)
    now = dev.read_one()
    pair.close()
    if (kept, now) != (before, before + 1):
        raise Wrong(f"{before}, kept {kept}, then {now}")
    try:
        dev.lifespan(10001)
    except OSError:
        return
    raise Wrong("a lifespan of more than 10 s was accepted")


@case("link", "link down: transmitted packets are discarded", link_downed=1, port_xmit_discards=2,
      local_ack_timeout_err=2, req_transport_retries_exceeded=1, req_cqe_error=1)
def link(dev):
    def ip_link(state):
        # the link of a VF is the administrator's
        if "CXR_VF" in os.environ:
            gids.Emulator().ask(f"vf {os.environ['CXR_GUEST']} link " + {"down": "disable", "up": "auto"}[state])
        else:
            subprocess.run(["ip", "link", "set", dev.netdev, state], check=True)

    def says(text):
        with open(f"{dev.port}/state", encoding="ascii") as f:
            return text in f.read()

    pair = Pair(dev, retry=1, timeout=14)
    ip_link("down")
    try:
        wait_for(lambda: says("DOWN"), "the port stays up")
        expect(pair.write(), e.IBV_WC_RETRY_EXC_ERR)
    finally:
        ip_link("up")
    wait_for(lambda: says("ACTIVE"), "the port stays down", 30)
    pair.close()


# ---- all -------------------------------------------------------------------------------------------

def difference(before, now, wanted):
    """Returns the changed counters, and the differences to the wanted changes"""
    later = LATER.get(f"{driver()}-{kernel()}", set())
    moved = {name: now[name] - before[name] for name in now if now[name] != before[name]}
    wrong = [f"{name} changed by {moved.get(name, 0)} instead of {by}" if name in now else f"there is no {name}"
             for name, by in wanted.items() if moved.get(name, 0) != by and name not in later]
    wrong += [f"{name} changed by {by}" for name, by in moved.items() if name not in wanted and name not in TRAFFIC]
    return moved, wrong


def moved_by_cases():
    """{case: names of changed counters}, of the cases that ran"""
    if not os.path.exists(MOVED):
        return {}
    with open(MOVED, encoding="ascii") as f:
        return {line.split()[0]: line.split()[1:] for line in f}


@row("all-moved", "every counter that can change has changed")
def all_moved(dev):
    for name in set(CASES) - set(moved_by_cases()):
        CASES[name](dev)
    moved = {name for names in moved_by_cases().values() for name in names}
    still = set(dev.counters()) - moved
    for name in sorted(still & set(NEVER)):
        print(f"{name} does not change: {NEVER[name]}")
    for name in sorted(still & set(ELSEWHERE)):
        print(f"{name} is changed by {ELSEWHERE[name]}")
    still -= set(NEVER) | set(ELSEWHERE)
    if still:
        raise Wrong(f"not changed by any case: {' '.join(sorted(still))}")
    if moved & set(NEVER):
        raise Wrong(f"changed, but listed as constant: {' '.join(sorted(moved & set(NEVER)))}")


if __name__ == "__main__":
    sys.exit(rows.main(__doc__, lambda name, gid, netdev: (Device(name, int(gid), netdev),)))
