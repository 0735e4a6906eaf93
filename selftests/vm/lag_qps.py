#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The ports of QPs in a RoCE LAG, as the driver reports them.

  lag_qps.py spread BDF                            64 QPs are spread evenly, in debugfs and in the tool rdma
  lag_qps.py no-port BDF                           a QP has no port: the card hashes
  lag_qps.py labels BDF INDEX HERE PEER NETDEV NETDEV
               a QP with a flow label has the port that the bond selects for UDP with these addresses and ports from HERE to
               PEER; NETDEVs are the ports, INDEX is the GID's
  lag_qps.py itself INDEX                          two QPs of this host, one on each port, reach each other by GID INDEX
"""

import json
import socket
import subprocess
import sys
import time

from pyverbs import enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

DEVICE = "mlx5_bond_0"
QPS = 64
LABELS = (0x00001, 0x00002, 0x12345, 0x0ffff, 0xabcde, 0xfffff, 0x54321, 0x00fed)
ROCE_PORT = 4791
OTHER = 0x800           # flipped in both UDP ports: keeps their XOR, which the bond hashes, and avoids the RoCE port
DATAGRAMS = 50


class Device:
    """Context, PD and CQ for QPs"""

    def __init__(self):
        self.ctx = Context(name=DEVICE)
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 16)

    def qp(self, **cap):
        return QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=QPCap(**cap), sq_sig_all=1))


def in_debugfs(bdf, qp):
    """The words of a QP's line in debugfs: number, type, state, and "port" and the port if it has one"""
    with open(f"/sys/kernel/debug/cxr/{bdf}/qps", encoding="ascii") as f:
        rows = [row.split() for row in f]
    return next(row for row in rows if int(row[0], 16) == qp.qp_num)


def in_rdma_tool():
    """Output of rdma resource show, by QPN"""
    out = subprocess.run(["rdma", "resource", "show", "qp", "link", f"{DEVICE}/1", "-dd", "-j"], capture_output=True, text=True,
                         check=True).stdout
    return {row["lqpn"]: row for row in json.loads(out)}


def port_of(bdf, qp):
    return int(in_debugfs(bdf, qp)[4])


def spread(bdf):
    dev = Device()
    qps = [dev.qp() for _ in range(QPS)]
    for qp in qps:
        qp.to_init(QPAttr(port_num=1))
    ports = [port_of(bdf, qp) for qp in qps]
    print(f"port 1: {ports.count(1)} QPs, port 2: {ports.count(2)}")
    assert ports.count(1) == ports.count(2) == QPS // 2
    rows = in_rdma_tool()
    print(rows[qps[0].qp_num])
    assert [rows[qp.qp_num]["drv_lag-port"] for qp in qps] == ports


def no_port(bdf):
    qp = Device().qp()
    qp.to_init(QPAttr(port_num=1))
    row = in_debugfs(bdf, qp)
    assert row[2:] == ["INIT"], row
    row = in_rdma_tool()[qp.qp_num]
    assert "drv_lag-port" not in row, row


def path(dgid, index, label=0):
    return AHAttr(gr=GlobalRoute(dgid=dgid, sgid_index=index, flow_label=label, hop_limit=1), is_global=1, port_num=1)


class Bond:
    """UDP datagrams over the bond from one address to another"""

    def __init__(self, here, peer, netdevs):
        self.here, self.peer, self.netdevs = here, peer, netdevs

    def sent(self):
        counts = []
        for netdev in self.netdevs:
            with open(f"/sys/class/net/{netdev}/statistics/tx_packets", encoding="ascii") as f:
                counts.append(int(f.read()))
        return counts

    def port(self, label):
        """The port that sends packets with the UDP source port of this flow label"""
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind((self.here, ROCE_PORT ^ OTHER))
        before = self.sent()
        for _ in range(DATAGRAMS):
            sock.sendto(b"x", (self.peer, ((label & 0x3fff ^ label >> 14) | 0xc000) ^ OTHER))
        end = time.monotonic() + 10
        while time.monotonic() < end:
            sent = [now - was for now, was in zip(self.sent(), before)]
            if max(sent) >= DATAGRAMS:
                return 1 + sent.index(max(sent))
            time.sleep(0.1)
        raise AssertionError(f"{DATAGRAMS} datagrams were not sent: {sent}")


def labels(bdf, index, here, peer, *netdevs):
    dev, bond = Device(), Bond(here, peer, netdevs)
    dgid = GID(val="0000:0000:0000:0000:0000:ffff:{:02x}{:02x}:{:02x}{:02x}".format(*socket.inet_aton(peer)))

    def port(label):
        qp = dev.qp()
        attr = QPAttr(port_num=1)
        attr.dest_qp_num, attr.path_mtu, attr.timeout = 0x100, e.IBV_MTU_1024, 14
        attr.ah_attr = path(dgid, int(index), label)
        qp.to_rts(attr)
        return port_of(bdf, qp)

    seen = set()
    for label in LABELS:
        want, got = bond.port(label), [port(label) for _ in range(2)]
        print(f"label {label:#07x}: the bond uses port {want}, the QPs have {got}")
        assert got == [want, want]
        seen.add(want)
    assert seen == {1, 2}, "all labels select one port"
    turns = [port(0) for _ in range(4)]
    assert sorted(turns) == [1, 1, 2, 2], f"without a label: {turns}"


def itself(index):
    dev, index = Device(), int(index)
    mr = MR(dev.pd, 4096, e.IBV_ACCESS_LOCAL_WRITE)
    qps = [dev.qp(max_send_wr=4, max_recv_wr=4) for _ in range(2)]
    for qp, to in zip(qps, reversed(qps)):
        attr = QPAttr(port_num=1)
        attr.dest_qp_num, attr.path_mtu, attr.timeout, attr.retry_cnt, attr.rnr_retry = to.qp_num, e.IBV_MTU_1024, 17, 7, 7
        attr.ah_attr = path(dev.ctx.query_gid(1, index), index)
        qp.to_rts(attr)
        got = qp.query(e.IBV_QP_AV)[0].ah_attr.sgid_index
        assert got == index, f"GID index is {got}, not {index}"
    for qp, to in zip(qps, reversed(qps)):
        to.post_recv(RecvWR(num_sge=1, sg=[SGE(mr.buf + 2048, 64, mr.lkey)]))
        qp.post_send(SendWR(num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)], opcode=e.IBV_WR_SEND))
    left, end = 4, time.monotonic() + 50
    while left and time.monotonic() < end:
        n, wcs = dev.cq.poll(left)
        assert all(wc.status == e.IBV_WC_SUCCESS for wc in wcs), [wc.status for wc in wcs]
        left -= n
    assert not left, f"{left} completions are missing"



if __name__ == "__main__":
    {"spread": spread, "no-port": no_port, "labels": labels, "itself": itself}[sys.argv[1]](*sys.argv[2:])
