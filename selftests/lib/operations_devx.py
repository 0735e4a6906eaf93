# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Operations (operations.py) of programs on what only some devices have: objects of a program's own commands, DC transport, memory on the
device, on-demand paging, packet pacing.
"""
import contextlib
import os
import struct

from pyverbs import enums as e
from pyverbs.cq import CQ
from pyverbs.device import DM, AllocDmAttr
from pyverbs.mr import DMMR, MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.providers.mlx5 import mlx5_enums, mlx5dv
from pyverbs.qp import QPAttr, QPCap, QPInitAttrEx
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import SGE, SendWR
import devx_commands
from operations import operation, put, raw_qp
from sides import ALL, SIGNALED, Side, path_attr
from uverbs import PAGE, Memory

ODP = e.IBV_ACCESS_ON_DEMAND
PREFETCH, FLUSH = 0, 1      # advice, and its flag
KBPS = 8000


# ---- commands, DC, memory on the device ---------------------------------------


@contextlib.contextmanager
def as_errors():
    """Refusals of the kernel and of the device"""
    try:
        yield
    except (devx_commands.Refused, devx_commands.Status) as refusal:
        raise OSError(str(refusal)) from refusal


@operation("verbs.devx", "a program makes objects and memory of its own, subscribes to events, and asks for answers")
def own_objects(t):
    t.ibdev()
    with t.here(), as_errors():
        ctx = devx_commands.Context()
        cq = devx_commands.Cq(ctx)
        _, pdn = devx_commands.pd(ctx)
        qp = devx_commands.Qp(ctx, pdn, cq.cqn, cq.uar)
        events = ctx.event_file()
        ctx.subscribe(events, [devx_commands.CQ_ERROR], handle=cq.handle, cookie=1)
        answers = ctx.async_file()
        ctx.async_query(qp.handle, devx_commands.command("query_qp", qpn=qp.qpn), answers, 1, 0x110)
        os.read(answers, 4096)
        ctx.destroy(qp.handle)
        ctx.destroy(cq.handle)
        for file in events, answers:
            os.close(file)
        ctx.close()


def dc_qp(ctx, pd, cq, srq, kind):
    init = QPInitAttrEx(cap=QPCap(16, 0, 1, 0), pd=pd, scq=cq, rcq=cq, srq=srq, qp_type=e.IBV_QPT_DRIVER, sq_sig_all=1,
                        comp_mask=e.IBV_QP_INIT_ATTR_PD)
    return mlx5dv.Mlx5QP(ctx, init, mlx5dv.Mlx5DVQPInitAttr(comp_mask=mlx5_enums.MLX5DV_QP_INIT_ATTR_MASK_DC, dc_init_attr=kind))


@operation("verbs.dc", "a program makes a target and an initiator of DC transport, and asks for their states")
def dc(t):
    name = t.ibdev()
    with t.here():
        ctx = mlx5dv.Mlx5Context(mlx5dv.Mlx5DVContextAttr(), name=name)
        pd = PD(ctx)
        cq, srq = CQ(ctx, 15, None, None, 0), SRQ(pd, SrqInitAttr(SrqAttr(max_wr=15, max_sge=1)))
        target = dc_qp(ctx, pd, cq, srq, mlx5dv.Mlx5DVDCInitAttr(dc_type=mlx5_enums.MLX5DV_DCTYPE_DCT, dct_access_key=1))
        target.to_rtr(path_attr(ctx, 0, 0))
        target.query(e.IBV_QP_STATE)
        initiator = dc_qp(ctx, pd, cq, None, mlx5dv.Mlx5DVDCInitAttr())
        initiator.to_rts(path_attr(ctx, 0, 0))
        initiator.query(e.IBV_QP_STATE)
        for thing in initiator, target, srq, cq, pd, ctx:
            thing.close()


@operation("verbs.dm", "a program allocates memory of the device with an operation, registers it, and frees it")
def device_memory(t):
    ctx = t.context()
    pd = PD(ctx)
    with t.here():
        dm = DM(ctx, AllocDmAttr(length=6000))
        mr = DMMR(pd, 6000, e.IBV_ACCESS_ZERO_BASED | e.IBV_ACCESS_LOCAL_WRITE, dm, 0)
        increment = mlx5dv.Mlx5DmOpAddr(dm, 0)
        increment.unmap(6000)
        mr.close()
        dm.close()


# ---- on-demand paging ---------------------------------------------------------


class Absent(Memory):
    """Memory none of which is there yet"""

    def __init__(self, pages):
        super().__init__(pages)
        self.address, self.size = self.addr, pages * PAGE


@operation("verbs.odp", "a program registers memory that is paged on demand, all of its memory, and asks for some in advance")
def paged(t):
    pd = PD(t.context())
    memory = Absent(16)
    with t.here():
        mr = MR(pd, memory.size, ALL | ODP, memory.address)
        pd.advise_mr(PREFETCH, FLUSH, [SGE(memory.address, 4 * PAGE, mr.lkey)])
        mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, e.IBV_ACCESS_LOCAL_WRITE | ODP)
        mr.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION, None, memory.address, 4 * PAGE, 0)
        mr.close()
        MR(pd, access=ALL | ODP, implicit=True).close()


def comes(t, side, what):
    """Wait for the completion of what is posted, which a fault may prevent."""
    got = []

    def polled():
        got.extend(side.cq.poll(1)[1])
        return got
    t.until(polled, 10)
    if got and got[0].status != e.IBV_WC_SUCCESS:
        t.failed = f"{what} has status {got[0].status}"


def write_to(side, key, address):
    wr = SendWR(opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[side.sge(2 * PAGE, 2 * PAGE)], send_flags=SIGNALED)
    wr.set_wr_rdma(key, address)
    side.qp.post_send(wr)


@operation("verbs.faults", "requests of a program meet memory that is not there, with a key of its own, of all memory, and of a window")
def faults(t):
    t.link()    # what a program sends to itself takes the wire
    ctx = t.context()
    side = Side(ctx, 0, access=ALL | ODP | e.IBV_ACCESS_MW_BIND, memory=Absent(16))
    other = Absent(4)
    whole, window = MR(side.pd, access=ALL | ODP, implicit=True), MW(side.pd, e.IBV_MW_TYPE_1)
    side.connect(side, timeout=17)      # a request that gets no answer ends in 5 seconds
    start = side.mr.buf
    side.qp.bind_mw(window, MWBind(MWBindInfo(side.mr, start + 8 * PAGE, 4 * PAGE, e.IBV_ACCESS_REMOTE_WRITE), SIGNALED))
    comes(t, side, "the window")
    with t.work():
        for key, at in (side.mr.rkey, start + 5 * PAGE), (whole.rkey, other.address), (window.rkey, start + 9 * PAGE):
            if not t.failed:
                write_to(side, key, at)
                comes(t, side, "a request")


# ---- packet pacing ------------------------------------------------------------


@operation("verbs.rate", "a raw packet QP gets a rate, another one, and none")
def rate(t):
    qp = raw_qp(t.context())
    with t.here():
        for kbps in KBPS, 2 * KBPS, 0, KBPS:
            attr = QPAttr(qp_state=e.IBV_QPS_RTS, cur_qp_state=e.IBV_QPS_RTS)
            attr.rate_limit = kbps
            qp.modify(attr, e.IBV_QP_RATE_LIMIT)
        qp.close()


@operation("verbs.pp", "a program gets rates for queues of its own commands, shared ones and one for itself")
def rates(t):
    name = t.ibdev()
    with t.here():
        ctx = mlx5dv.Mlx5Context(mlx5dv.Mlx5DVContextAttr(mlx5_enums.MLX5DV_CONTEXT_FLAGS_DEVX), name)
        held = [mlx5dv.Mlx5PP(ctx, struct.pack(">I", KBPS), flags=flags)
                for flags in (0, 0, mlx5_enums._MLX5DV_PP_ALLOC_FLAGS_DEDICATED_INDEX)]  # pylint: disable=protected-access
        for pp in held:
            pp.close()
        ctx.close()


@operation("maxrate", "a send queue of the interface gets a rate, and another one")
def maxrate(t):
    file = f"/sys/class/net/{t.netdev()}/queues/tx-0/tx_maxrate"
    with t.here():
        for mbps in 8, 16:
            put(file, mbps)
    put(file, 0)
