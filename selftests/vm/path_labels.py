#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Flow labels and invalid addresses.

usage: path_labels.py label DEVICE GID-INDEX      a QP with a flow label of 32 bits: a query returns the low 20
       path_labels.py refused DEVICE GID-INDEX    100 address handles with an invalid static rate are refused
"""
import sys

from pyverbs import enums as e
from pyverbs.addr import AH, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr


def label(ctx, index):
    pd, cq = PD(ctx), CQ(ctx, 16)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
    attr = QPAttr(port_num=1)
    attr.dest_qp_num, attr.path_mtu = 0x100, e.IBV_MTU_1024
    route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index, flow_label=0xffffffff, hop_limit=1)
    attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
    qp.to_rtr(attr)
    got = qp.query(e.IBV_QP_AV)[0].ah_attr.flow_label
    assert got == 0xfffff, f"the query returned {got:#x}"


def refused(ctx, index):
    pd = PD(ctx)
    route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index, hop_limit=1)
    for _ in range(100):
        try:
            AH(pd, attr=AHAttr(gr=route, is_global=1, port_num=1, static_rate=1))
        except PyverbsRDMAError as err:
            assert err.error_code == 22, err
        else:
            sys.exit("not refused")


{"label": label, "refused": refused}[sys.argv[1]](Context(name=sys.argv[2]), int(sys.argv[3]))
