#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Many connections, one small write on each: roce_check judges the distribution of their UDP source ports in the capture.

  flows.py serve PORT                                     far end, for one run
  flows.py run HOST PORT N DEV GID PEER_DEV PEER_GID NETDEV WORDS
               near end of N connections; the window (window.sh) has WORDS and is sent on NETDEV

Exit code 1: a write failed.
"""

import random
import socket
import sys
import time

from pyverbs import enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

import window
from xfer import WAIT_SECONDS, Line, Wrong

SIZE = 8


def word(i):
    """The data written by connection I. Wireshark takes zeros in bytes 2 and 3 for Ethernet over InfiniBand."""
    return (0xc0ffee << 40 | i).to_bytes(SIZE, "big")


class End:
    """N QPs and one MR"""

    def __init__(self, dev, gid, n):
        self.ctx, self.gid_index = Context(name=dev), gid
        self.gid = self.ctx.query_gid(1, gid).gid
        self.pd, self.cq = PD(self.ctx), CQ(self.ctx, 2 * n)
        self.mr = MR(self.pd, SIZE * n, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, sq_sig_all=1,
                          cap=QPCap(max_send_wr=1, max_recv_wr=1))
        self.qps = [QP(self.pd, init) for _ in range(n)]

    def about(self):
        return {"qpns": [qp.qp_num for qp in self.qps], "gid": self.gid, "addr": self.mr.buf, "rkey": self.mr.rkey}

    def connect(self, peer):
        route = GlobalRoute(dgid=GID(peer["gid"]), sgid_index=self.gid_index, hop_limit=1)
        for qp, qpn in zip(self.qps, peer["qpns"]):
            attr = QPAttr(port_num=1)
            attr.qp_access_flags = e.IBV_ACCESS_REMOTE_WRITE
            attr.dest_qp_num, attr.path_mtu = qpn, e.IBV_MTU_1024
            attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
            attr.min_rnr_timer, attr.timeout, attr.retry_cnt, attr.rnr_retry = 12, 17, 7, 7
            qp.to_rts(attr)

    def write(self, peer):
        """One small write on each QP"""
        for i, qp in enumerate(self.qps):
            self.mr.write(word(i), SIZE, i * SIZE)
            wr = SendWR(wr_id=i, num_sge=1, sg=[SGE(self.mr.buf + i * SIZE, SIZE, self.mr.lkey)],
                        opcode=e.IBV_WR_RDMA_WRITE)
            wr.set_wr_rdma(peer["rkey"], peer["addr"] + i * SIZE)
            qp.post_send(wr)
        left, end = len(self.qps), time.monotonic() + WAIT_SECONDS
        while left:
            n, wcs = self.cq.poll(left)
            left -= n
            for wc in wcs:
                if wc.status != e.IBV_WC_SUCCESS:
                    raise Wrong(f"write {wc.wr_id}: status {wc.status}")
            if not n and time.monotonic() > end:
                raise Wrong(f"{left} writes did not complete in {WAIT_SECONDS} s")

    def check(self):
        """Check the data written by the other end"""
        for i in range(len(self.qps)):
            if self.mr.read(SIZE, i * SIZE) != word(i):
                raise Wrong(f"connection {i} wrote wrong data")


def serve(port):
    with socket.create_server(("", port)) as server:
        conn, _ = server.accept()
    with conn:
        line = Line(conn)
        job = line.hear()
        end = End(job["dev"], job["gid"], job["n"])
        line.say(**end.about())
        end.connect(line.hear())
        line.say(ready=1)
        line.hear()
        end.check()
        line.say(good=1)
    return 0


def run(host, port, n, dev, gid, peer_dev, peer_gid, netdev, words):
    end = End(dev, gid, n)
    # Otherwise connections would have the same QPN at both ends, which is not so in a cluster.
    random.Random(1).shuffle(end.qps)
    with socket.create_connection((host, port), timeout=3 * WAIT_SECONDS) as conn:
        line = Line(conn)
        line.say(dev=peer_dev, gid=peer_gid, n=n)
        peer = line.hear()
        line.say(**end.about())
        end.connect(peer)
        line.hear()
        window.begin(netdev, words, f"{n} connections")
        end.write(peer)
        window.end(netdev)
        line.say(done=1)
        line.hear()
    print(f"{n} connections wrote {SIZE} bytes each")
    return 0


def main(argv):
    if len(argv) == 3 and argv[1] == "serve":
        return serve(int(argv[2]))
    if len(argv) == 11 and argv[1] == "run":
        return run(argv[2], int(argv[3]), int(argv[4]), argv[5], int(argv[6]), argv[7], int(argv[8]), argv[9], argv[10])
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv))
    except Wrong as why:
        sys.exit(f"flows: {why}")
