#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: gid_hold.py DEVICE INDEX

Holds a reference to the GID at INDEX of port 1: connects a QP to itself (RTR), prints "held", and
waits until it is killed.
"""

import signal
import sys

from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
import pyverbs.enums as e
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

device, index = sys.argv[1], int(sys.argv[2])
ctx = Context(name=device)
gid = ctx.query_gid(port_num=1, index=index)
pd = PD(ctx)
cq = CQ(ctx, 10)
qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
attr = QPAttr(port_num=1)
attr.qp_access_flags = e.IBV_ACCESS_LOCAL_WRITE
attr.dest_qp_num = qp.qp_num
attr.path_mtu = e.IBV_MTU_1024
attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=GlobalRoute(dgid=gid, sgid_index=index))
qp.to_rtr(attr)
print("held", flush=True)
signal.pause()
