#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: counters_probe.py list | DEVICE GID-INDEX NETDEV

Moves the counters of an RDMA device, each by an event of its own between two queues of the device
(RoCE v2 over IPv4), or by a frame on its interface that no queue would send. A case names what must
move, and by how much; nothing else may. Prints for each what was wrong, and a line "NUMBER ok|fail";
at the end the counters that nothing has moved. `list` prints the sentences of the cases.
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
from pyverbs.addr import AH, GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import window

ALL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE
ROCE_PORT, TTL = 4791, 64
ACK, NAK_SEQUENCE, SEND_ONLY, ACK_SYNDROME, CNP, ECN_CE = 0x11, 0x60, 0x04, 0x1f, 0x81, 3
PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))

# Traffic moves these by any amount: a case names the rest.
TRAFFIC = {"rdma_rx_packets", "rdma_rx_bytes", "rdma_tx_packets", "rdma_tx_bytes"} | {
    f"{kind}_{way}_packets" for kind in ("port", "unicast", "multicast") for way in ("xmit", "rcv")} | {
    "port_xmit_data", "port_rcv_data"}


class Wrong(Exception):
    pass


class Device:
    def __init__(self, name, gid, netdev):
        self.name, self.gid_index, self.netdev = name, gid, netdev
        self.ctx = Context(name=name)
        self.gid = str(self.ctx.query_gid(1, gid).gid)
        self.pd = PD(self.ctx)
        self.port = f"/sys/class/infiniband/{name}/ports/1"
        self.ours = bool(os.path.exists(f"{self.port}/hw_counters/rdma_rx_bytes"))
        self.moved = set()

    def lifespan(self, ms):
        with open(f"{self.port}/hw_counters/lifespan", "w", encoding="ascii") as f:
            f.write(str(ms))
        if not ms:
            time.sleep(0.05)  # ib_core keeps a counter for the rest of the jiffy even then

    def read_one(self):
        with open(f"{self.port}/hw_counters/rx_write_requests", encoding="ascii") as f:
            return int(f.read())

    def counters(self):
        """All, asked of the device once"""
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

    def mac(self):
        with open(f"/sys/class/net/{self.netdev}/address", encoding="ascii") as f:
            return bytes.fromhex(f.read().strip().replace(":", ""))


class Queue:
    """An RC queue pair with a CQ of its own"""

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
        if opcode in (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ):
            wr.set_wr_rdma(to.rkey if rkey is None else rkey, to.buf + off)
        self.qp.post_send(wr)

    def receive(self, mr, length=4096):
        self.qp.post_recv(RecvWR(num_sge=1, sg=[SGE(mr.buf, length, mr.lkey)]))

    def done(self, n=1, seconds=10):
        """The statuses of n completions"""
        end, got = time.monotonic() + seconds * PATIENCE, []
        while len(got) < n:
            _, wcs = self.cq.poll(n - len(got))
            got += [wc.status for wc in wcs]
            if time.monotonic() > end:
                raise Wrong(f"{len(got)} of {n} completions came")
        return got

    def error(self):
        self.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)

    def close(self):
        self.qp.close()
        self.cq.close()


class Pair:
    """Two queues of the same device, connected to each other, and memory of both"""

    def __init__(self, dev, access=ALL, **how):
        self.a, self.b = Queue(dev), Queue(dev, access)
        self.from_, self.to = MR(dev.pd, 65536, ALL), MR(dev.pd, 65536, ALL)
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


# ---- frames that no queue would send ---------------------------------------------------------------

def bth(opcode, qpn, psn):
    return struct.pack("!BBHII", opcode, 0, 0xffff, qpn, psn)


def roce_frame(dev, transport, spoil=False, ecn=0):
    """A RoCE v2 frame from the device to itself. The ICRC is made here, by the book."""
    udp = struct.pack("!HHHH", 0xc000, ROCE_PORT, 8 + len(transport) + 4, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, ecn, 20 + len(udp) + len(transport) + 4, 0, 0x4000, TTL, 17, 0,
                     dev.ip(), dev.ip())
    total = sum(struct.unpack("!10H", ip))
    total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack("!H", ~((total & 0xffff) + (total >> 16)) & 0xffff) + ip[12:]
    masked = bytearray(b"\xff" * 8 + ip + udp + transport)
    masked[9] = masked[16] = 0xff                               # type of service, time to live
    masked[18:20] = masked[34:36] = b"\xff\xff"                 # the two checksums
    masked[40] = 0xff                                           # FECN, BECN and reserved bits
    icrc = struct.pack("<I", zlib.crc32(bytes(masked)) ^ spoil)
    return dev.mac() * 2 + b"\x08\x00" + ip + udp + transport + icrc


def inject(dev, transport, **how):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((dev.netdev, 0))
        s.send(roce_frame(dev, transport, **how))


def lone(dev, **how):
    """A queue whose peer does not exist any more"""
    pair = Pair(dev, timeout=18, **how)         # a second until it asks again
    pair.b.close()
    pair.peer = pair.b.qp
    return pair


# ---- cases -----------------------------------------------------------------------------------------

CASES = []


def case(sentence, **moves):
    def add(function):
        CASES.append((sentence, moves, function))
        return function
    return add


def expect(got, want):
    if got != want:
        raise Wrong(f"completed with status {got}, not {want}")


@case("a WRITE is one request, however long", rx_write_requests=1)
def write(dev):
    pair = Pair(dev)
    expect(pair.write(length=3000), e.IBV_WC_SUCCESS)
    pair.close()


@case("a READ is one request", rx_read_requests=1)
def read(dev):
    pair = Pair(dev)
    pair.a.send(pair.from_, e.IBV_WR_RDMA_READ, 3000, pair.to)
    expect(pair.a.done(), [e.IBV_WC_SUCCESS])
    pair.close()


@case("packets and bytes: counters/ counts words, hw_counters bytes")
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


@case("a receiver that is not ready", out_of_buffer=2, rnr_nak_retry_err=2, req_rnr_retries_exceeded=1,
      req_cqe_error=1)
def rnr(dev):
    pair = Pair(dev, rnr_retry=1)
    pair.a.send(pair.from_)
    expect(pair.a.done(), [e.IBV_WC_RNR_RETRY_EXC_ERR])
    pair.close()


@case("a WRITE with a wrong key", req_remote_access_errors=1, resp_remote_access_errors=1, req_cqe_error=1)
def wrong_key(dev):
    pair = Pair(dev)
    expect(pair.write(rkey=pair.to.rkey ^ 1), e.IBV_WC_REM_ACCESS_ERR)
    pair.close()


@case("a WRITE beyond the region", req_remote_access_errors=1, resp_remote_access_errors=1, req_cqe_error=1)
def beyond(dev):
    pair = Pair(dev)
    expect(pair.write(off=65536), e.IBV_WC_REM_ACCESS_ERR)
    pair.close()


@case("a WRITE to a queue that allows none", req_remote_invalid_request=1, req_cqe_error=1)
def not_allowed(dev):
    pair = Pair(dev, access=e.IBV_ACCESS_LOCAL_WRITE)
    expect(pair.write(), e.IBV_WC_REM_INV_REQ_ERR)
    pair.close()


@case("a SEND longer than the receive", resp_local_length_error=1, resp_cqe_error=1,
      req_remote_invalid_request=1, req_cqe_error=1)
def too_long(dev):
    pair = Pair(dev)
    pair.b.receive(pair.to, 100)
    pair.a.send(pair.from_, length=101)
    expect(pair.a.done() + pair.b.done(), [e.IBV_WC_REM_INV_REQ_ERR, e.IBV_WC_LOC_LEN_ERR])
    pair.close()


@case("a SEND from memory with a wrong key", req_cqe_error=1)
def protection(dev):
    pair = Pair(dev)
    pair.a.send(pair.from_, lkey=pair.from_.lkey ^ 1)
    expect(pair.a.done(), [e.IBV_WC_LOC_PROT_ERR])
    pair.close()


@case("what is flushed", req_cqe_flush_error=2, req_cqe_error=2, resp_cqe_flush_error=3, resp_cqe_error=3)
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


@case("a peer that is gone", local_ack_timeout_err=3, req_transport_retries_exceeded=1, req_cqe_error=1)
def retries(dev):
    pair = Pair(dev, retry=2, timeout=10)
    pair.b.close()
    expect(pair.write(), e.IBV_WC_RETRY_EXC_ERR)
    pair.close()


@case("a packet that comes too early", out_of_sequence=1)
def early(dev):
    pair = Pair(dev)
    inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 105) + b"data")
    time.sleep(0.2)
    pair.close()


@case("a packet that comes again", duplicate_request=1, rx_write_requests=1)
def again(dev):
    pair = Pair(dev)
    expect(pair.write(), e.IBV_WC_SUCCESS)
    inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 100) + b"data")
    time.sleep(0.2)
    pair.close()


@case("a peer that missed a packet", packet_seq_err=1)
def nak(dev):
    pair = lone(dev)
    pair.a.send(pair.from_)
    inject(dev, bth(ACK, pair.a.qp.qp_num, 100) + struct.pack("!BBH", NAK_SEQUENCE, 0, 0))
    time.sleep(0.2)
    pair.close()


@case("an acknowledgment without the data that it acknowledges", implied_nak_seq_err=1)
def implied(dev):
    pair = lone(dev)
    pair.a.send(pair.from_, e.IBV_WR_RDMA_READ, 10, pair.to)
    inject(dev, bth(ACK, pair.a.qp.qp_num, 100) + struct.pack("!BBH", ACK_SYNDROME, 0, 0))
    time.sleep(0.2)
    pair.close()


@case("packets whose ICRC is wrong", rx_icrc_encapsulated=3, port_rcv_errors=3)
def icrc(dev):
    pair = Pair(dev)
    window.begin(dev.netdev, "icrc=0 min=3", "packets whose ICRC is wrong")
    for _ in range(3):
        inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 100) + b"data", spoil=True)
    time.sleep(0.2)
    window.end(dev.netdev)
    pair.close()


@case("a packet that a switch marked as congested, and the notification that answers it",
      np_ecn_marked_roce_packets=1, np_cnp_sent=1, rp_cnp_handled=1, duplicate_request=1, rx_write_requests=1)
def congestion(dev):
    pair = Pair(dev)
    expect(pair.write(), e.IBV_WC_SUCCESS)
    inject(dev, bth(SEND_ONLY, pair.b.qp.qp_num, 100) + b"data", ecn=ECN_CE)
    time.sleep(0.2)
    pair.close()


@case("a congestion notification for nobody", rp_cnp_ignored=1)
def stray_notification(dev):
    inject(dev, bth(CNP, 0x7777, 0) + bytes(16))
    time.sleep(0.2)


@case("a datagram to a group")
def multicast(dev):
    before = dev.counters()
    cq = CQ(dev.ctx, 8)
    mr = MR(dev.pd, 4096, ALL)
    init = QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4, max_recv_wr=4))
    qp = QP(dev.pd, init)
    attr = QPAttr(port_num=1)
    attr.qkey = 0x1234
    qp.to_rts(attr)
    route = GlobalRoute(dgid=gid_of("::ffff:239.1.2.3"), sgid_index=dev.gid_index)
    ah = AH(dev.pd, attr=AHAttr(gr=route, is_global=1, port_num=1))
    wr = SendWR(num_sge=1, sg=[SGE(mr.buf, 10, mr.lkey)], send_flags=e.IBV_SEND_SIGNALED)
    wr.set_wr_ud(ah, 0xffffff, 0x1234)
    qp.post_send(wr)
    wait_for(lambda: cq.poll(1)[0], "the datagram did not complete")
    got = dev.counters()["multicast_xmit_packets"] - before["multicast_xmit_packets"]
    if got != 1:
        raise Wrong(f"{got} multicast packets were sent")
    for thing in (ah, qp, cq, mr):
        thing.close()


def gid_of(text):
    return GID(":".join(f"{w:04x}" for w in struct.unpack("!8H", ipaddress.ip_address(text).packed)))


def wait_for(condition, otherwise, seconds=10):
    end = time.monotonic() + seconds * PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise Wrong(otherwise)


@case("lifespan: a counter is kept that long", rx_write_requests=1)
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
    raise Wrong("a lifespan of more than 10 s is taken")


@case("a link that is down: what is sent then is discarded", link_downed=1, port_xmit_discards=2,
      local_ack_timeout_err=2, req_transport_retries_exceeded=1, req_cqe_error=1)
def link(dev):
    def ip_link(state):
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
    """What moved that should not have, or did not move"""
    moved = {name: now[name] - before[name] for name in now if now[name] != before[name]}
    wrong = [f"{name} moved by {moved.get(name, 0)}, not {by}" for name, by in wanted.items()
             if moved.get(name, 0) != by]
    wrong += [f"{name} moved by {by}" for name, by in moved.items() if name not in wanted and name not in TRAFFIC]
    return moved, wrong


def run(dev, number, wanted, function):
    before = dev.counters()
    try:
        function(dev)
        moved, wrong = difference(before, dev.counters(), {n: by for n, by in wanted.items() if n in before})
        dev.moved |= set(moved)
    except Exception as why:            # the line says which case it was
        wrong = [f"{type(why).__name__}: {why}"]
    for text in wrong:
        print(f"# {text}")
    print(number, "fail" if wrong else "ok", flush=True)


def main(name, gid, netdev):
    dev = Device(name, int(gid), netdev)
    for number, (_, wanted, function) in enumerate(CASES):
        run(dev, number, wanted, function)
    print("still", *sorted(set(dev.counters()) - dev.moved))


if __name__ == "__main__":
    if sys.argv[1:] == ["list"]:
        print("\n".join(case[0] for case in CASES))
    else:
        main(*sys.argv[1:])
