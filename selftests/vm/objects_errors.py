# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
The error matrix, rows of objects.py: completion status of each error, at both ends, and the event that it raises.
"""
from pyverbs import enums as e
from pyverbs.wr import RecvWR, SGE, SendWR

from rows import row
from sides import ALL, SIGNALED, Side


def error(name, sentence, status, peer=None, event=None, allow=ALL, **connect):
    """
    A row: the requester's completion status, the responder's, and the event of the responder's QP. Afterwards the requester's QP is
    in error and flushes.
    """
    def add(function):
        def run(ctx, gid):
            a, b = Side(ctx, gid), Side(ctx, gid)
            a.connect(b, **connect)
            b.connect(a, allow=allow)
            function(a, b)
            check(ctx, a, b, status, peer, event)


        return row(name, sentence)(run)
    return add


def check(ctx, a, b, status, peer, event):
    wc = a.wait(status=status)[0]
    assert wc.wr_id == 1, wc.wr_id
    if peer is not None:
        assert b.wait(status=peer)[0].wr_id == 9
    if event is not None:
        got = ctx.get_async_event()
        assert got.event_type == event, got.event_type
        got.ack()
    assert a.qp.query(0x1fffff)[0].qp_state == e.IBV_QPS_ERR
    a.send(e.IBV_WR_RDMA_WRITE, 2, 16, remote=a)
    assert a.wait(status=e.IBV_WC_WR_FLUSH_ERR)[0].wr_id == 2


def write_to(a, b, key, offset=0):
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(64)], send_flags=SIGNALED)
    wr.set_wr_rdma(key, b.mr.buf + offset)
    a.qp.post_send(wr)


@error("error.key", "error matrix: WRITE with a wrong rkey", e.IBV_WC_REM_ACCESS_ERR, event=e.IBV_EVENT_QP_ACCESS_ERR)
def error_key(a, b):
    write_to(a, b, b.mr.rkey ^ 0x55)


@error("error.beyond", "error matrix: WRITE beyond the region", e.IBV_WC_REM_ACCESS_ERR, event=e.IBV_EVENT_QP_ACCESS_ERR)
def error_beyond(a, b):
    write_to(a, b, b.mr.rkey, 8192 - 63)


@error("error.not-allowed", "error matrix: WRITE to a QP without remote write access", e.IBV_WC_REM_INV_REQ_ERR,
       event=e.IBV_EVENT_QP_REQ_ERR, allow=0)
def error_allowed(a, b):
    write_to(a, b, b.mr.rkey)


@error("error.too-long", "error matrix: SEND longer than the receive", e.IBV_WC_REM_INV_REQ_ERR, e.IBV_WC_LOC_LEN_ERR)
def error_length(a, b):
    b.recv(9, 63)
    a.send(e.IBV_WR_SEND, 1, 64)


@error("error.send-key", "error matrix: SEND with a wrong lkey", e.IBV_WC_LOC_PROT_ERR)
def error_protection(a, _):
    a.qp.post_send(SendWR(wr_id=1, num_sge=1, sg=[SGE(a.mr.buf, 64, a.mr.lkey ^ 0x55)], send_flags=SIGNALED))


@error("error.receive-key", "error matrix: receive with a wrong lkey", e.IBV_WC_REM_OP_ERR, e.IBV_WC_LOC_PROT_ERR)
def error_operation(a, b):
    b.qp.post_recv(RecvWR(wr_id=9, num_sge=1, sg=[SGE(b.mr.buf, 64, b.mr.lkey ^ 0x55)]))
    a.send(e.IBV_WR_SEND, 1, 64)


@error("error.no-peer", "error matrix: retries exceeded without a peer", e.IBV_WC_RETRY_EXC_ERR, timeout=10, retry=1)
def error_retry(a, b):
    b.qp.close()
    write_to(a, b, b.mr.rkey)


@error("error.not-ready", "error matrix: RNR retries exceeded", e.IBV_WC_RNR_RETRY_EXC_ERR, rnr=1)
def error_rnr(a, _):
    a.send(e.IBV_WR_SEND, 1, 64)


@error("error.unaligned", "error matrix: unaligned atomic", e.IBV_WC_REM_INV_REQ_ERR, event=e.IBV_EVENT_QP_REQ_ERR)
def error_aligned(a, b):
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_ATOMIC_FETCH_AND_ADD, num_sge=1, sg=[a.sge(8)], send_flags=SIGNALED)
    wr.set_wr_atomic(b.mr.rkey, b.mr.buf + 4, 1)
    a.qp.post_send(wr)


@error("error.no-key", "error matrix: local invalidate of an unknown key", e.IBV_WC_MW_BIND_ERR)
def error_invalidation(a, _):
    wr = SendWR(wr_id=1, opcode=e.IBV_WR_LOCAL_INV, send_flags=SIGNALED)
    wr.imm_data = 0xfffff155
    a.qp.post_send(wr)
