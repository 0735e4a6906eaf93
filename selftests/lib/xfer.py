#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Move data between two RDMA devices and check every byte.

  xfer.py serve PORT                    far end, until stopped
  xfer.py stop HOST PORT                stop it
  xfer.py run HOST PORT NAME=VALUE... [+ NAME=VALUE...]...   near end; each + begins the options of another run, in
               addition to those before the first +
  xfer.py intact FILE                   FILE is the output of runs that may have failed: fails if data were wrong

  dev, gid     local device and its GID: an index, v1:ADDRESS or v2:ADDRESS; peer_dev, peer_gid: those of the far end
  op           send, write, read, atomic (RC), datagram (UD) or uc_send (UC)
  sizes        in bytes, separated by commas (default 64,1024,4096,65536,1048576)
  count        messages of each size (default 8)
  until        a local file: ends after the current round, once the file exists
  from         near or far: who posts the requests (default near)
  depth        messages in flight (default and maximum 16)
  timeout      ACK timeout, 4.096 us * 2^timeout (default 17: 0.5 s)
  mtu          path MTU (default 1024)
  sl, tclass, hops, flow   of the path, both ways: service level, traffic class, hop limit (default 1), flow label
  netdev, window           words of a window (window.sh) around the frames, sent on netdev; the word sport=qpns is
               the UDP source port that is derived from the QPNs
  seed         of the data (default 1)
  wait         seconds to wait for completions (default 60)
  pause        1: print the longest time between two rounds of depth messages

Prints a line for each size: what was transferred, or what failed. Exit code 1: a transfer failed.
"""

import ipaddress
import json
import os
import random
import re
import socket
import struct
import sys
import time

from pyverbs import enums as e
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

import window

DEPTH = 16
GRH = 40
QKEY = 0x11111111
WAIT_SECONDS = 60
MTU = {256: e.IBV_MTU_256, 512: e.IBV_MTU_512, 1024: e.IBV_MTU_1024, 2048: e.IBV_MTU_2048, 4096: e.IBV_MTU_4096}
ACCESS = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ |
          e.IBV_ACCESS_REMOTE_ATOMIC)


class Wrong(Exception):
    """Wrong data or a completion error"""


def is_wrong_data(why):
    """Is the text of an exception, of this end or the other one, about data?"""
    return re.search(r"differs from byte|fetched .* instead|the sum is", why)


def data(seed, index, size):
    return random.Random(seed * 1000003 + index).randbytes(size)


def line_of(path):
    """The first line of a sysfs file; empty if it cannot be read, as for an unused GID entry"""
    try:
        with open(path, encoding="ascii") as f:
            return f.readline().strip()
    except OSError:
        return ""


def gid_index(dev, gid):
    """The index itself, or that of the entry for v1:ADDRESS or v2:ADDRESS"""
    kind, found, text = gid.partition(":")
    if not found:
        return int(gid, 0)
    address = ipaddress.ip_address(text)
    want = ipaddress.IPv6Address(f"::ffff:{address}") if address.version == 4 else address
    port = f"/sys/class/infiniband/{dev}/ports/1"
    for index in sorted(map(int, os.listdir(f"{port}/gids"))):
        got = line_of(f"{port}/gids/{index}")
        if got and ipaddress.ip_address(got) == want and line_of(f"{port}/gid_attrs/types/{index}").endswith(kind):
            return index
    raise Wrong(f"{dev} has no GID {gid}")


KIND = {"datagram": e.IBV_QPT_UD, "uc_send": e.IBV_QPT_UC}


class End:
    """One end: device, MR, QP"""

    def __init__(self, dev, gid, op, size, count):
        self.kind = KIND.get(op, e.IBV_QPT_RC)
        self.op, self.size, self.count = op.removeprefix("uc_"), size, count
        self.ctx = Context(name=dev)
        self.gid_index = gid_index(dev, gid)
        self.gid = self.ctx.query_gid(1, self.gid_index).gid
        self.pd = PD(self.ctx)
        self.slot = size + (GRH if op == "datagram" else 0)
        self.mr = MR(self.pd, self.slot * DEPTH, ACCESS)
        self.cq = CQ(self.ctx, 2 * DEPTH)
        cap = QPCap(max_send_wr=DEPTH, max_recv_wr=DEPTH, max_send_sge=1, max_recv_sge=1)
        self.qp = QP(self.pd, QPInitAttr(qp_type=self.kind, scq=self.cq, rcq=self.cq, cap=cap, sq_sig_all=1))
        self.psn = 0x123456
        self.seconds = WAIT_SECONDS
        self.ah = None

    def about(self):
        return {"qpn": self.qp.qp_num, "psn": self.psn, "gid": self.gid, "addr": self.mr.buf, "rkey": self.mr.rkey}

    def connect(self, peer, job):
        route = GlobalRoute(dgid=GID(peer["gid"]), sgid_index=self.gid_index, flow_label=job["flow"],
                            hop_limit=job["hops"], traffic_class=job["tclass"])
        route_attr = AHAttr(gr=route, is_global=1, port_num=1, sl=job["sl"])
        attr = QPAttr(port_num=1)
        if self.op == "datagram":
            attr.qkey = QKEY
            attr.sq_psn = self.psn
            self.qp.to_rts(attr)
            self.ah = AH(self.pd, attr=route_attr)
            return
        attr.qp_access_flags = ACCESS if self.kind == e.IBV_QPT_RC else e.IBV_ACCESS_REMOTE_WRITE
        attr.dest_qp_num = peer["qpn"]
        attr.path_mtu = MTU[job["mtu"]]
        attr.rq_psn = peer["psn"]
        attr.sq_psn = self.psn
        attr.ah_attr = route_attr
        attr.max_dest_rd_atomic = 4
        attr.max_rd_atomic = 4
        attr.min_rnr_timer = 12
        attr.timeout = job["timeout"]
        attr.retry_cnt = 7
        attr.rnr_retry = 7
        self.qp.to_rts(attr)

    def sge(self, slot, size=None):
        return SGE(self.mr.buf + slot * self.slot, self.slot if size is None else size, self.mr.lkey)

    def fill(self, seed, first, n):
        for i in range(n):
            self.mr.write(data(seed, first + i, self.size), self.size, i * self.slot)

    def check(self, seed, first, n, skip=0):
        for i in range(n):
            got = self.mr.read(self.size, i * self.slot + skip)
            want = data(seed, first + i, self.size)
            if got != want:
                at = next(k for k in range(self.size) if got[k] != want[k])
                raise Wrong(f"message {first + i} differs from byte {at} on")

    def post_receives(self, n):
        for i in range(n):
            self.qp.post_recv(RecvWR(wr_id=1000 + i, sg=[self.sge(i)], num_sge=1))

    def post(self, peer, n):
        for i in range(n):
            wr = SendWR(wr_id=i, num_sge=1, sg=[self.sge(i, 8 if self.op == "atomic" else self.size)],
                        opcode=OPCODE[self.op])
            if self.op in ("write", "read"):
                wr.set_wr_rdma(peer["rkey"], peer["addr"] + i * self.slot)
            elif self.op == "atomic":
                wr.set_wr_atomic(peer["rkey"], peer["addr"], 3)
            elif self.op == "datagram":
                wr.set_wr_ud(self.ah, peer["qpn"], QKEY)
            self.qp.post_send(wr)

    def wait(self, n):
        end = time.monotonic() + self.seconds
        while n:
            got, wcs = self.cq.poll(n)
            for wc in wcs:
                if wc.status != e.IBV_WC_SUCCESS:
                    raise Wrong(f"completion {wc.wr_id}: status {wc.status}, vendor {wc.vendor_err:#x}")
            n -= got
            if not got:
                if time.monotonic() > end:
                    raise Wrong(f"{n} completions missing after {self.seconds} s")
                time.sleep(0.001)


OPCODE = {"send": e.IBV_WR_SEND, "datagram": e.IBV_WR_SEND, "write": e.IBV_WR_RDMA_WRITE,
          "read": e.IBV_WR_RDMA_READ, "atomic": e.IBV_WR_ATOMIC_FETCH_AND_ADD}


class Line:
    """JSON objects, one per line, over TCP"""

    def __init__(self, conn):
        self.file = conn.makefile("rw", encoding="ascii")

    def say(self, **words):
        self.file.write(json.dumps(words) + "\n")
        self.file.flush()

    def hear(self):
        text = self.file.readline()
        if not text:
            raise Wrong("the other end closed the connection")
        words = json.loads(text)
        if "wrong" in words:
            raise Wrong(f"at the other end: {words['wrong']}")
        return words


def atomics(line, end, peer, posts, count, seed):
    """Fetch-and-add: each returns the previous value, the target memory has the sum."""
    start = random.Random(seed).getrandbits(63)
    if not posts:
        end.mr.write(struct.pack("=Q", start), 8, 0)
    line.say(ready=1)
    line.hear()
    if posts:
        end.post(peer, count)
        end.wait(count)
        got = [struct.unpack("=Q", end.mr.read(8, i * end.slot))[0] for i in range(count)]
        want = [start + 3 * i for i in range(count)]
        if got != want:
            raise Wrong(f"fetched {got} instead of {want}")
    line.say(done=1)
    line.hear()
    if not posts:
        got = struct.unpack("=Q", end.mr.read(8, 0))[0]
        if got != start + 3 * count:
            raise Wrong(f"the sum is {got} instead of {start + 3 * count}")


def messages(line, end, peer, posts, first, n, seed):
    """One round of at most DEPTH messages"""
    # The source fills its buffer with the data, the other end with different data.
    source = posts == (end.op != "read")
    end.fill(seed if source else ~seed, first, n)
    receives = not posts and end.op in ("send", "datagram")
    if receives:
        end.post_receives(n)
    line.say(ready=1)
    line.hear()
    if posts:
        end.post(peer, n)
        end.wait(n)
    if receives:
        end.wait(n)
    line.say(done=1)
    line.hear()
    if not source:
        end.check(seed, first, n, GRH if end.op == "datagram" else 0)


def another_round(line, job, near):
    """Is there another round? The near end decides and tells the far end."""
    if "until" not in job:
        return True
    if near:
        more = not os.path.exists(job["until"])
        line.say(more=more)
        return more
    return line.hear()["more"]


def sport_of_qpns(a, b):
    """The UDP source port without a flow label: the product of the QPNs, folded to 20 and then to 14 bits."""
    v = a * b
    v ^= v >> 20
    v = (v ^ v >> 40) & 0xfffff
    return 0xc000 | (v & 0x3fff) ^ v >> 14


def one_size(line, job, size, near):
    """Transfer one size, at the near or the far end"""
    op, count, seed = job["op"], job["count"], job["seed"] + size
    dev, gid = (job["dev"], job["gid"]) if near else (job["peer_dev"], job["peer_gid"])
    end = End(dev, gid, op, size, count)
    end.seconds = job["wait"]
    line.say(**end.about())
    peer = line.hear()
    end.connect(peer, job)
    posts = (job["from"] == "near") == near
    windowed = near and "window" in job
    if windowed:
        words = job["window"].replace("sport=qpns", f"sport={sport_of_qpns(end.qp.qp_num, peer['qpn'])}")
        window.begin(job["netdev"], words, f"{op} of {size} bytes")
    if op == "atomic":
        atomics(line, end, peer, posts, min(count, DEPTH), seed)
    else:
        was, longest = time.monotonic(), 0
        for first in range(0, count, job["depth"]):
            if not another_round(line, job, near):
                job["count"] = first
                break
            messages(line, end, peer, posts, first, min(job["depth"], count - first), seed)
            now = time.monotonic()
            was, longest = now, max(longest, now - was)
        job["longest"] = longest
    line.say(good=1)
    line.hear()
    if windowed:
        window.end(job["netdev"])


def attempt(line, job, size, near):
    """Transfer one size; returns the error or None, and reports it to the other end."""
    try:
        one_size(line, job, size, near)
    except (Wrong, PyverbsError, OSError) as why:
        try:
            line.say(wrong=str(why))
        except OSError:
            pass
        return str(why)
    return None


def serve(port):
    with socket.create_server(("", port)) as server:
        while True:
            conn, _ = server.accept()
            with conn:
                line = Line(conn)
                job = line.hear()
                if "stop" in job:
                    return 0
                attempt(line, job, job["size"], False)


def read_job(words):
    job = {"op": "send", "count": 8, "from": "near", "mtu": 1024, "seed": 1, "depth": DEPTH, "timeout": 17,
           "sl": 0, "tclass": 0, "hops": 1, "flow": 0, "wait": WAIT_SECONDS, "sizes": "64,1024,4096,65536,1048576"}
    job.update(w.split("=", 1) for w in words)
    for name in ("count", "depth", "timeout", "mtu", "seed", "sl", "tclass", "hops", "flow", "wait"):
        job[name] = int(str(job[name]), 0)
    job["depth"] = min(job["depth"], DEPTH)
    return job


def jobs_of(words):
    """A job for the words after each +, plus those before the first +; a single job if there is none."""

    parts = [[]]
    for w in words:
        if w == "+":
            parts.append([])
        else:
            parts[-1].append(w)
    return [read_job(parts[0] + p) for p in parts[1:] or [[]]]


def run(host, port, words):
    bad = 0
    for job in jobs_of(words):
        for size in [int(s) for s in job["sizes"].split(",")]:
            with socket.create_connection((host, port), timeout=WAIT_SECONDS + 20) as conn:
                line = Line(conn)
                line.say(**job, size=size)
                why = attempt(line, job, size, True)
            bad += bool(why)
            pause = f", longest pause {job['longest'] * 1000:.0f} ms" if "pause" in job and not why else ""
            print(f"{job['op']} of {size} bytes from the {job['from']} end:",
                  f"WRONG: {why}" if why else f"{job['count']} right{pause}", flush=True)
    return 1 if bad else 0


def intact(path):
    with open(path, encoding="utf-8") as said:
        wrong = [line for line in said if is_wrong_data(line)]
    sys.stdout.writelines(wrong)
    return 1 if wrong else 0


def main(argv):
    if len(argv) == 3 and argv[1] == "intact":
        return intact(argv[2])
    if len(argv) == 3 and argv[1] == "serve":
        return serve(int(argv[2]))
    if len(argv) == 4 and argv[1] == "stop":
        with socket.create_connection((argv[2], int(argv[3]))) as conn:
            Line(conn).say(stop=1)
        return 0
    if len(argv) > 4 and argv[1] == "run":
        return run(argv[2], int(argv[3]), argv[4:])
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
