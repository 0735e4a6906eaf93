# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Raw packet QPs and RSS QPs over WQs, with their buffers and rules."""
import os
import time

from pyverbs import enums as e
from pyverbs.cq import CQ, CQEX, CqInitAttrEx, PollCqAttr
from pyverbs.flow import Flow, FlowAttr
from pyverbs.mr import MR
from pyverbs.providers.mlx5.mlx5_enums import MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS as QP_CREATE_FLAGS
from pyverbs.providers.mlx5.mlx5dv import Mlx5DVQPInitAttr, Mlx5QP
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.wq import RwqIndTable, RwqIndTableInitAttr, RxHashConf, WQ, WQAttr, WQInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR
from toeplitz import RSS_KEY

PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))
WAIT = 10 * PATIENCE	# for frames that must arrive
SLOT = 2048


class Wrong(Exception):
    """An unexpected result"""


def check(what, got, wanted):
    if got != wanted:
        raise Wrong("%s: %r, must be %r" % (what, got, wanted))


class Queue:
    """A raw packet QP with its buffer"""

    def __init__(self, near, receives=64, states=True, flags=0, tags=False, own=0):
        self.near = near
        self.tags = [] if tags else None
        if tags:
            self.cq = CQEX(near.ctx, CqInitAttrEx(cqe=255, wc_flags=e.IBV_WC_EX_WITH_FLOW_TAG |
                                                  e.IBV_WC_EX_WITH_BYTE_LEN))
        else:
            self.cq = CQ(near.ctx, 255, None, None, 0)
        self.mr = MR(near.pd, 128 * SLOT, e.IBV_ACCESS_LOCAL_WRITE)
        cap = QPCap(max_send_wr=64, max_recv_wr=64, max_send_sge=2, max_recv_sge=2)
        if flags or own:
            init = QPInitAttrEx(qp_type=e.IBV_QPT_RAW_PACKET, scq=self.cq, rcq=self.cq, cap=cap, pd=near.pd,
                                create_flags=flags, comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_CREATE_FLAGS)
            self.qp = Mlx5QP(near.ctx, init, Mlx5DVQPInitAttr(QP_CREATE_FLAGS, own)) if own else QP(near.ctx, init)
        else:
            self.qp = QP(near.pd, QPInitAttr(qp_type=e.IBV_QPT_RAW_PACKET, scq=self.cq, rcq=self.cq, cap=cap))
        self.flows = []
        self.bad = []
        self.ok_flags = []
        self.posted = 0
        if states:
            self.up(receives)

    def up(self, receives=64):
        attr = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
        self.qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_PORT)
        for _ in range(receives):
            self.post()
        self.qp.modify(QPAttr(qp_state=e.IBV_QPS_RTR), e.IBV_QP_STATE)
        self.qp.modify(QPAttr(qp_state=e.IBV_QPS_RTS), e.IBV_QP_STATE)

    def post(self):
        at = self.mr.buf + self.posted % 64 * SLOT
        self.qp.post_recv(RecvWR(wr_id=at, sg=[SGE(at, SLOT, self.mr.lkey)], num_sge=1))
        self.posted += 1

    def poll(self, wait=0):
        end = time.monotonic() + wait
        while True:
            n, wcs = self.cq.poll(16)
            if n or time.monotonic() >= end:
                return wcs or []

    def receive_tagged(self):
        frames = []
        while not self.cq.start_poll(PollCqAttr()):
            check("status", self.cq.status, e.IBV_WC_SUCCESS)
            frames.append(self.mr.read(self.cq.read_byte_len(), self.cq.wr_id - self.mr.buf))
            self.tags.append(self.cq.read_flow_tag())
            self.cq.end_poll()
            self.post()
        return frames

    def receive(self):
        """Received frames"""
        if self.tags is not None:
            return self.receive_tagged()
        frames = []
        while wcs := self.poll():
            for wc in wcs:
                if wc.status != e.IBV_WC_SUCCESS:
                    self.bad.append(wc.status)
                    continue
                frames.append(self.mr.read(wc.byte_len, wc.wr_id - self.mr.buf))
                self.ok_flags.append(wc.wc_flags)
                self.post()
        return frames

    def send(self, frames, flags=0):
        for i, frame in enumerate(frames):
            at = 64 * SLOT + i % 64 * SLOT
            self.mr.write(frame, len(frame), at)
            # two SGEs
            cut = len(frame) // 2
            sg = [SGE(self.mr.buf + at, cut, self.mr.lkey), SGE(self.mr.buf + at + cut, len(frame) - cut, self.mr.lkey)]
            self.qp.post_send(SendWR(wr_id=i, opcode=e.IBV_WR_SEND, sg=sg, num_sge=2,
                                     send_flags=e.IBV_SEND_SIGNALED | flags))
            wcs = self.poll(WAIT)
            check("completions of a send", [(wc.status, wc.wr_id) for wc in wcs], [(e.IBV_WC_SUCCESS, i)])

    def rule(self, *specs, **more):
        flow = Flow(self.qp, flow_attr(specs, **more))
        self.flows.append(flow)
        return flow

    def close(self):
        for flow in self.flows:
            flow.close()
        self.qp.close()
        self.mr.close()
        self.cq.close()


class Spread:
    """An RSS QP over several WQs"""

    def __init__(self, near, fields, n=4, log_size=3, flags=0, receives=64):
        self.near = near
        self.flows = []
        self.cqs = [CQ(near.ctx, 255, None, None, 0) for _ in range(n)]
        self.mr = MR(near.pd, n * 64 * SLOT, e.IBV_ACCESS_LOCAL_WRITE)
        more = e.IBV_WQ_INIT_ATTR_FLAGS if flags else 0
        self.wqs = [WQ(near.ctx, WQInitAttr(wq_context=None, wq_pd=near.pd, wq_cq=cq, wq_type=e.IBV_WQT_RQ, max_wr=64,
                                            max_sge=1, comp_mask=more, create_flags=flags)) for cq in self.cqs]
        self.table = RwqIndTable(near.ctx, RwqIndTableInitAttr(log_size, [self.wqs[i % n] for i in range(1 << log_size)]))
        self.qp = self.make_qp(fields)
        self.posted = 0
        for wq in range(n):
            self.wqs[wq].modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE, wq_state=e.IBV_WQS_RDY))
            for _ in range(receives):
                self.post(wq)

    def make_qp(self, fields, key=RSS_KEY, function=None):
        conf = RxHashConf(rx_hash_function=e.IBV_RX_HASH_FUNC_TOEPLITZ if function is None else function,
                          rx_hash_key_len=len(key), rx_hash_key=list(key), rx_hash_fields_mask=fields)
        mask = e.IBV_QP_INIT_ATTR_CREATE_FLAGS | e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_RX_HASH | \
            e.IBV_QP_INIT_ATTR_IND_TABLE
        return QPEx(self.near.ctx, QPInitAttrEx(qp_type=e.IBV_QPT_RAW_PACKET, comp_mask=mask, pd=self.near.pd,
                                                hash_conf=conf, ind_table=self.table))

    def post(self, wq):
        at = self.mr.buf + (wq * 64 + self.posted % 64) * SLOT
        self.wqs[wq].post_recv(RecvWR(wr_id=at, sg=[SGE(at, SLOT, self.mr.lkey)], num_sge=1))
        self.posted += 1

    def rule(self, *specs, **more):
        flow = Flow(self.qp, flow_attr(specs, **more))
        self.flows.append(flow)
        return flow

    def receive_each(self):
        """Received frames, by WQ"""
        frames = []
        for cq in self.cqs:
            frames.append([])
            while True:
                n, wcs = cq.poll(16)
                if not n:
                    break
                for wc in wcs:
                    check("status", wc.status, e.IBV_WC_SUCCESS)
                    frames[-1].append(self.mr.read(wc.byte_len, wc.wr_id - self.mr.buf))
        return frames

    def receive(self):
        self.got = self.receive_each()
        return [f for queue in self.got for f in queue]

    def close(self):
        for thing in self.flows + [self.qp, self.table] + self.wqs + [self.mr] + self.cqs:
            thing.close()


def flow_attr(specs, kind=None, priority=0, flags=0, port=1):
    attr = FlowAttr(num_of_specs=len(specs), flow_type=e.IBV_FLOW_ATTR_NORMAL if kind is None else kind,
                    priority=priority, port=port, flags=flags)
    attr.specs.extend(specs)
    return attr
