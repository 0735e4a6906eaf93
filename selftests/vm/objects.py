# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Tests of verbs objects with pyverbs, both ends of a connection on one device.

usage: objects.py list
       objects.py run ID DEVICE GID-INDEX
       objects.py serve FOLDER ROWS
"""
import ctypes
import errno
import json
import mmap
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

from pyverbs import enums as e
from pyverbs.addr import AH, AHAttr, GlobalRoute
from pyverbs.cq import CQ, CQEX, CompChannel, CqInitAttrEx, PollCqAttr
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD, ParentDomain, ParentDomainContext, ParentDomainInitAttr
from pyverbs.providers.mlx5.mlx5dv import Mlx5Context
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttrEx
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR
from pyverbs.xrcd import XRCD, XRCDInitAttr

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import rows  # noqa: E402
import uverbs  # noqa: E402
from rows import Skip, driver, lacks, row  # noqa: E402
from sides import ALL, ATTACH, DETACH, GROUP, PORT, SIGNALED, Side, fill, has, membership, xrc_srq  # noqa: E402
from sides import pair, path_attr, refused, require_adapter, same  # noqa: E402

MAP_HUGETLB = 0x40000	# not in module mmap
BUFFER_OF_SRQ, BUFFER_OF_CQ = 4, 5	# MLX5DV_RES_TYPE_*, their low 32 bits
PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))


# ---- processes ---------------------------------------------------------------------------------

def dead_tasks():
    """Number of task structures without a process or thread"""
    with open("/proc/slabinfo", encoding="ascii") as f:
        (known,) = (int(line.split()[1]) for line in f if line.startswith("task_struct "))
    return known - sum(len(os.listdir(f"/proc/{pid}/task")) for pid in os.listdir("/proc") if pid.isdigit())


@row("processes", "processes that opened the device are freed when they exit")
def opened_and_gone(ctx, _):
    """The first context request of libmlx5 is refused, which must not leak a reference to the process"""
    if driver() == "mlx5":
        raise Skip("ib_core leaks the task reference of a refused context with this driver")
    if os.path.exists("/sys/kernel/debug/kmemleak"):
        raise Skip("KASAN quarantines freed tasks; kmemleak looks for leaks at the end")
    processes, few, before = 60, 20, dead_tasks()
    for _ in range(processes):
        pid = os.fork()
        if not pid:
            try:
                Context(name=ctx.name)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
    end = time.monotonic() + 10 * PATIENCE
    while dead_tasks() - before >= few:
        assert time.monotonic() < end, f"{dead_tasks() - before} of {processes} dead processes were not freed"
        time.sleep(0.1)


# ---- shared receive queues ---------------------------------------------------------------------

def post_srq(srq, side, first, n, length):
    for i in range(first, first + n):
        srq.post_recv(RecvWR(wr_id=i, sg=[side.sge(length, i % 16 * length)], num_sge=1))


@row("srq.limit", "an SRQ raises its limit event once")
def srq_limit(ctx, gid):
    """one event when fewer than the limit are left; then the limit is disarmed"""
    pd = PD(ctx)
    srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=15, max_sge=1)))
    sink, source = Side(ctx, gid, srq=srq, pd=pd), Side(ctx, gid)
    sink.connect(source)
    source.connect(sink)
    post_srq(srq, sink, 0, 8, 256)
    got = srq.query()
    srq.modify(SrqAttr(srq_limit=6), e.IBV_SRQ_LIMIT)
    assert srq.query().srq_limit == 6
    refused(errno.EINVAL, srq.modify, SrqAttr(srq_limit=got.max_wr + 1), e.IBV_SRQ_LIMIT)
    for _ in range(4):
        source.send(e.IBV_WR_SEND, 1, 16)
        source.wait()
        sink.wait()
    event = ctx.get_async_event()
    assert event.event_type == e.IBV_EVENT_SRQ_LIMIT_REACHED, event.event_type
    event.ack()
    assert srq.query().srq_limit == 0


@row("srq.last-wqe", "a QP in error raises the last WQE event of its SRQ")
def srq_last_wqe(ctx, gid):
    """a QP in error raises the event, the SRQ still serves other QPs"""
    pd = PD(ctx)
    srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=15, max_sge=1)))
    sinks = [Side(ctx, gid, srq=srq, pd=pd) for _ in range(2)]
    sources = [Side(ctx, gid) for _ in range(2)]
    for sink, source in zip(sinks, sources):
        sink.connect(source)
        source.connect(sink)
    post_srq(srq, sinks[0], 0, 8, 64)
    sinks[0].qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    event = ctx.get_async_event()
    assert event.event_type == e.IBV_EVENT_QP_LAST_WQE_REACHED, event.event_type
    event.ack()
    sources[1].send(e.IBV_WR_SEND, 1, 64)
    sources[1].wait()
    sinks[1].wait()


HUGE = 2 << 20


def huge_page():
    """Address of a huge page, which is mapped until the process ends"""
    with open("/proc/sys/vm/nr_hugepages", "r+", encoding="ascii") as f:
        if int(f.read()) < 1:
            f.seek(0)
            f.write("1")
    page = mmap.mmap(-1, HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB)
    uverbs.Memory.kept.append(page)
    return ctypes.addressof(ctypes.c_char.from_buffer(page))


@row("srq.half-page", "an SRQ whose memory begins in the upper half of a page")
def srq_half_page(ctx, gid):
    """half a page off, over a page border: the device has fewer bits for the offset than there are places in a page"""
    require_adapter()
    at = huge_page() + mmap.PAGESIZE // 2

    def alloc(_pd, _context, size, _alignment, kind):
        assert size <= HUGE - mmap.PAGESIZE
        # pylint: disable-next=protected-access
        return at if kind & 0xffffffff == BUFFER_OF_SRQ else e._IBV_ALLOCATOR_USE_DEFAULT

    pd = PD(ctx)
    allocator = ParentDomainContext(pd, alloc, lambda *_: None)	# pyverbs keeps no reference
    parent = ParentDomain(ctx, attr=ParentDomainInitAttr(pd=pd, pd_context=allocator))
    srq = SRQ(parent, SrqInitAttr(SrqAttr(max_wr=127, max_sge=1)))
    sink, source = Side(ctx, gid, srq=srq, pd=pd), Side(ctx, gid)
    sink.connect(source)
    source.connect(sink)
    for first in range(0, 256, 16):	# twice around
        post_srq(srq, sink, first, 16, 64)
        for i in range(first, first + 16):
            fill(source, b"%8d" % i)
            source.send(e.IBV_WR_SEND, i, 8)
            source.wait()
            assert sink.wait()[0].wr_id == i
            same(sink, b"%8d" % i, i % 16 * 64)
    srq.close()
    parent.close()


@row("srq.refuses", "SRQs over the device's limits are refused")
def srq_refuses(ctx, gid):
    attr = ctx.query_device()
    pd = PD(ctx)
    refused(errno.EINVAL, SRQ, pd, SrqInitAttr(SrqAttr(max_wr=attr.max_srq_wr + 1, max_sge=1)))
    refused(errno.EINVAL, SRQ, pd, SrqInitAttr(SrqAttr(max_wr=8, max_sge=attr.max_srq_sge + 1)))
    SRQ(pd, SrqInitAttr(SrqAttr(max_wr=0, max_sge=0)))
    SRQ(pd, SrqInitAttr(SrqAttr(max_wr=attr.max_srq_wr, max_sge=attr.max_srq_sge)))


# ---- the device's clock --------------------------------------------------------------------------

@row("clock", "the device clock can be read and converted")
def clock(ctx, gid):
    """the converted counter matches the system clock in rate and time"""
    require_adapter()

    def now():
        return Mlx5Context.device_timestamp_to_ns(ctx, ctx.query_rt_values_ex()[1]) / 1e9

    before, first = time.time(), now()
    assert before - 5 < first < time.time() + 5, f"{first} instead of {before}"
    outer = time.monotonic()
    first = now()
    inner = time.monotonic()
    time.sleep(0.5)
    slept = time.monotonic() - inner
    passed = now() - first
    assert 0.99 * slept < passed < 1.01 * (time.monotonic() - outer), f"{passed} s instead of {slept}"


def stamped(ctx):
    flags = e.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | e.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK
    return CQEX(ctx, CqInitAttrEx(cqe=255, wc_flags=flags))


def polled(cq, n, read):
    """what READ returns at each of the next @n completions"""
    got, end = [], time.time() + 20
    while len(got) < n:
        assert time.time() < end, f"{len(got)} of {n} completions after 20 s"
        if cq.start_poll(PollCqAttr()):
            continue
        while True:
            assert cq.status == e.IBV_WC_SUCCESS, f"completion {cq.wr_id} has status {cq.status}"
            got.append(read())
            if len(got) == n or cq.poll_next():
                break
        cq.end_poll()
    return got


def stamps(cq, n):
    """timestamp and wallclock nanoseconds of the next @n completions"""
    return polled(cq, n, lambda: (cq.read_timestamp(), cq.read_completion_wallclock_ns()))


@row("clock.completions", "completions have device timestamps")
def completion_times(ctx, gid):
    """timestamps are in order, between two reads of the clock, and convert to the same time"""
    require_adapter()

    def counter():
        return ctx.query_rt_values_ex()[1]

    a, b = Side(ctx, gid, cq=stamped(ctx)), Side(ctx, gid, cq=stamped(ctx))
    a.connect(b)
    b.connect(a)
    for number in range(8):
        b.recv(number, 64)
        before, day = counter(), time.time()
        a.send(e.IBV_WR_SEND, number, 64)
        (sent, sent_at), (received, received_at) = stamps(a.cq, 1)[0], stamps(b.cq, 1)[0]
        after = counter()
        assert before < received <= sent < after, f"{before}, {received}, {sent}, {after}"
        for count, at in ((sent, sent_at), (received, received_at)):
            converted = Mlx5Context.device_timestamp_to_ns(ctx, count)
            assert abs(converted - at) < 1e6, f"{count} is {converted} instead of {at}"
            assert day - 5 < at / 1e9 < time.time() + 5, f"{at} ns instead of {day} s"
    before = counter()
    for number in range(16):
        a.send(e.IBV_WR_RDMA_READ if number % 2 else e.IBV_WR_RDMA_WRITE, number, 4096, remote=b)
    counts = [count for count, _ in stamps(a.cq, 16)]
    assert counts == sorted(counts) and before < counts[0] and counts[-1] < counter(), f"{before}: {counts}"


# ---- groups --------------------------------------------------------------------------------------

GRH = 40


def datagrams(ctx, gid, flags=0):
    side = Side(ctx, gid, kind=e.IBV_QPT_UD)
    if flags:
        mask = e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_CREATE_FLAGS
        side.qp = QP(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_UD, comp_mask=mask, pd=side.pd, scq=side.cq, rcq=side.cq,
                                       create_flags=flags, cap=QPCap(max_send_wr=4, max_recv_wr=4)))
    attr = QPAttr(port_num=PORT)
    attr.qkey = 0x1234
    side.qp.to_rts(attr)
    return side


def to_group(side, text):
    fill(side, text)
    route = GlobalRoute(dgid=GROUP, sgid_index=side.gid_index)
    ah = AH(side.pd, attr=AHAttr(gr=route, is_global=1, port_num=PORT))
    wr = SendWR(wr_id=1, num_sge=1, sg=[side.sge(len(text))], opcode=e.IBV_WR_SEND, send_flags=SIGNALED)
    wr.set_wr_ud(ah, 0xffffff, 0x1234)
    side.qp.post_send(wr)
    side.wait()


@row("group", "a multicast member hears its own port, unless the sender blocks loopback")
def group(ctx, gid):
    """a member receives what is sent on its own port, except from a QP with multicast loopback blocked"""
    require_adapter()
    member, other = datagrams(ctx, gid), Context(name=ctx.name)
    assert membership(ctx, ATTACH) == 1
    loud, quiet = datagrams(other, gid), datagrams(other, gid, e.IBV_QP_CREATE_BLOCK_SELF_MCAST_LB)
    for i in range(2):
        member.recv(i, 256, 256 * i)
    to_group(quiet, b"not for you")
    to_group(loud, b"for all of us")
    assert member.wait()[0].wr_id == 0
    same(member, b"for all of us", GRH)
    time.sleep(0.2)
    assert member.cq.poll(1)[0] == 0, "received twice, or although blocked"
    assert membership(ctx, DETACH) == 1
    to_group(loud, b"not any more")
    time.sleep(0.2)
    assert member.cq.poll(1)[0] == 0, "received after leaving the group"


# ---- completion queues -------------------------------------------------------------------------

def deliver(a, b, first, n):
    for i in range(first, first + n):
        b.recv(i, 64)
        a.send(e.IBV_WR_SEND, i, 16)
        a.wait()


def cq_sizes():
    """sizes of this process's CQs in ib_core; the library keeps its own"""
    listed = json.loads(subprocess.check_output(["rdma", "-j", "resource", "show", "cq"]))
    return [cq["cqe"] for cq in listed if cq.get("pid") == os.getpid()]


def resized(ctx, gid):
    """completions stay in order across resizes; a size that is too small is refused"""
    a, b = pair(ctx, gid)
    deliver(a, b, 0, 5)
    try:
        b.cq.resize(1000)
    except PyverbsRDMAError as err:
        if err.error_code == errno.EOPNOTSUPP:
            lacks("CQs of another size")
        raise
    assert b.cq.cqe >= 1000, b.cq.cqe
    assert b.cq.cqe in cq_sizes(), cq_sizes()
    deliver(a, b, 5, 5)
    assert [wc.wr_id for wc in b.wait(10)] == list(range(10))
    deliver(a, b, 10, 12)
    refused(errno.EINVAL, b.cq.resize, 6)
    b.cq.resize(14)
    assert b.cq.cqe == 15, b.cq.cqe
    assert b.cq.cqe in cq_sizes(), cq_sizes()
    assert [wc.wr_id for wc in b.wait(12)] == list(range(10, 22))
    for first in range(22, 70, 12):
        deliver(a, b, first, 12)
        assert [wc.wr_id for wc in b.wait(12)] == list(range(first, first + 12))
    return a, b


@row("cq.resize", "a CQ is resized up and down with completions in it")
def cq_resize(ctx, gid):
    """not beyond what the device has"""
    _, b = resized(ctx, gid)
    refused(errno.EINVAL, b.cq.resize, ctx.query_device().max_cqe + 1)


@row("cq.large", "a CQ with entries of 128 bytes has completions and errors, and is resized")
def cq_large(ctx, gid):
    """the library takes their size from its environment"""
    require_adapter()
    os.environ["MLX5_CQE_SIZE"] = "96"
    refused(errno.EINVAL, CQ, ctx, 15)
    os.environ["MLX5_CQE_SIZE"] = "128"
    a, _ = resized(ctx, gid)
    a.qp.post_send(SendWR(wr_id=1, num_sge=1, sg=[SGE(a.mr.buf, 64, a.mr.lkey ^ 0x55)], send_flags=SIGNALED))
    assert a.wait(status=e.IBV_WC_LOC_PROT_ERR)[0].wr_id == 1


def cq_at(ctx, address):
    """a CQ of 256 entries in memory at ADDRESS, and its parent domain: if pyverbs collects that, it destroys the CQ"""
    def alloc(_pd, _context, _size, _alignment, kind):
        # pylint: disable-next=protected-access
        return address if kind & 0xffffffff == BUFFER_OF_CQ else e._IBV_ALLOCATOR_USE_DEFAULT

    pd = PD(ctx)
    allocator = ParentDomainContext(pd, alloc, lambda *_: None)
    parent = ParentDomain(ctx, attr=ParentDomainInitAttr(pd=pd, pd_context=allocator))
    uverbs.Memory.kept.append(allocator)    # pyverbs keeps no reference
    return CQEX(ctx, CqInitAttrEx(cqe=255, comp_mask=e.IBV_CQ_INIT_ATTR_MASK_PD, parent_domain=parent)), parent


@row("cq.place", "a CQ begins at any 4 KiB of larger pages, and nowhere else")
def cq_place(ctx, gid):
    """the device cannot be told where in a page it begins"""
    require_adapter()
    at = huge_page() + 3 * mmap.PAGESIZE
    cq, _parent = cq_at(ctx, at)
    sink, source = Side(ctx, gid, cq=cq), Side(ctx, gid)
    sink.connect(source)
    source.connect(sink)
    for first in range(0, 320, 32):    # more than once around
        deliver(source, sink, first, 32)
        assert polled(sink.cq, 32, lambda: sink.cq.wr_id) == list(range(first, first + 32))
    # other pages: DMA debugging reports those that are mapped twice
    refused(errno.EINVAL, cq_at, ctx, at + 64 * mmap.PAGESIZE + 64)


CQ_MODERATION, PERIOD_MAX = 1, 4095


def modify_cq(ctx, handle, count, period):
    """pyverbs has no call for it"""
    raw = uverbs.Device.__new__(uverbs.Device)
    raw.fd = ctx.cmd_fd
    raw.extended(uverbs.MODIFY_CQ, struct.pack("<IIHHI", handle, CQ_MODERATION, count, period, 0), 0)


def handle_of_cq(ctx):
    """the handle of the only CQ, which pyverbs does not expose"""
    for handle in range(64):
        try:
            modify_cq(ctx, handle, 0, 0)
            return handle
        except uverbs.Refused as err:
            if err.code == errno.EOPNOTSUPP:
                lacks("moderation of CQs")
    raise AssertionError("there is no CQ")


@row("cq.moderation", "CQ events are moderated")
def moderation(ctx, gid):
    """the event of an armed CQ is delayed for the period; without moderation it is not"""
    channel = CompChannel(ctx)
    a = Side(ctx, gid, cq=CQ(ctx, 64, None, channel, 0))
    handle = handle_of_cq(ctx)
    b = Side(ctx, gid)
    a.connect(b)
    b.connect(a)

    def soonest():
        best = 1e9
        for i in range(20):
            a.cq.req_notify(0)
            begin = time.monotonic()
            a.send(e.IBV_WR_RDMA_WRITE, i, 8, remote=b)
            channel.get_cq_event(a.cq)
            best = min(best, time.monotonic() - begin)
            a.cq.ack_events(1)
            a.wait()
        return round(best * 1e6)

    before = soonest()
    modify_cq(ctx, handle, 8, PERIOD_MAX)
    between = soonest()
    modify_cq(ctx, handle, 0, 0)
    after = soonest()
    print(f"event after {before} us; moderated by {PERIOD_MAX} us: after {between} us; then after {after} us")
    assert between >= PERIOD_MAX
    try:
        modify_cq(ctx, handle, 8, PERIOD_MAX + 1)
        raise AssertionError("a period that is too long was accepted")
    except uverbs.Refused as err:
        assert err.code == errno.EINVAL, err.code


# ---- extended reliable connections ---------------------------------------------------------------

@row("xrc", "one XRC connection reaches two SRQs")
def xrc(ctx, gid):
    """one connection, two SRQs at the other end, each with its own CQ and limit"""
    has(e.IBV_DEVICE_XRC, ctx, "XRC")
    with tempfile.TemporaryFile() as file:
        domain = XRCD(ctx, XRCDInitAttr(e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS, os.O_CREAT,
                                        file.fileno()))
        pd = PD(ctx)
        mr = MR(pd, 8192, ALL)
        cqs = [CQ(ctx, 31) for _ in range(3)]
        srqs = [xrc_srq(ctx, pd, domain, cq) for cq in cqs[:2]]
        target = QP(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_XRC_RECV, comp_mask=e.IBV_QP_INIT_ATTR_XRCD, xrcd=domain))
        source = QP(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_XRC_SEND, comp_mask=e.IBV_QP_INIT_ATTR_PD, pd=pd,
                                      scq=cqs[2], cap=QPCap(max_send_wr=16, max_recv_wr=0, max_recv_sge=0)))
        target.to_rts(path_attr(ctx, gid, source.qp_num))
        source.to_rts(path_attr(ctx, gid, target.qp_num))
        for i, srq in enumerate(srqs):
            for n in range(4):
                srq.post_recv(RecvWR(wr_id=10 * i + n, sg=[SGE(mr.buf + 4096 + 64 * i, 64, mr.lkey)], num_sge=1))
        srqs[1].modify(SrqAttr(srq_limit=3), e.IBV_SRQ_LIMIT)
        for i in (1, 0, 1, 1):
            mr.write(bytes([65 + i]) * 64, 64, 0)
            wr = SendWR(wr_id=i, sg=[SGE(mr.buf, 64, mr.lkey)], num_sge=1, send_flags=SIGNALED)
            wr.set_qp_type_xrc(srqs[i].get_srq_num())
            source.post_send(wr)
            one(cqs[2], i)
            one(cqs[i], None)
            assert mr.read(64, 4096 + 64 * i) == bytes([65 + i]) * 64
        event = ctx.get_async_event()
        assert event.event_type == e.IBV_EVENT_SRQ_LIMIT_REACHED, event.event_type
        event.ack()
        target.close()
        source.close()
        for srq in srqs:
            srq.close()
        domain.close()


def one(cq, wr_id, seconds=20):
    end = time.time() + seconds
    while True:
        n, wcs = cq.poll(1)
        if n:
            break
        assert time.time() < end, f"no completion in {seconds} s"
    assert wcs[0].status == e.IBV_WC_SUCCESS, wcs[0].status
    assert wr_id is None or wcs[0].wr_id == wr_id, wcs[0].wr_id


# ---- per-QP counters -----------------------------------------------------------------------------

def rdma(*words):
    return subprocess.run(["rdma", *words], check=True, capture_output=True, text=True).stdout


def counter_of(ctx, qp):
    """rdma statistic's output for the counter that the QP is bound to, or nothing"""
    text = rdma("statistic", "qp", "show", "link", f"{ctx.name}/{PORT}")
    for part in re.split(r"^link ", text, flags=re.M):
        qps = re.search(r"LQPN: <([0-9,]*)>", part)
        if qps and str(qp.qp_num) in qps.group(1).split(","):
            return part
    return ""


def counted(ctx, qp):
    """rx_write_requests of that counter, or None"""
    got = re.search(r"rx_write_requests (\d+)", counter_of(ctx, qp))
    return int(got.group(1)) if got else None


@row("counter.bound", "a QP bound to a counter is counted alone")
def qp_counters(ctx, gid):
    """bound at run time, counted alone, unbound and bound again"""
    link = f"{ctx.name}/{PORT}"
    a, b = pair(ctx, gid)
    a2, b2 = pair(ctx, gid)
    rdma("statistic", "qp", "bind", "link", link, "lqpn", str(b.qp.qp_num))
    assert counted(ctx, b.qp) == 0 and counted(ctx, b2.qp) is None
    for side, other in ((a, b), (a2, b2)):
        for i in range(3):
            side.send(e.IBV_WR_RDMA_WRITE, i, 64, remote=other)
            side.wait()
    time.sleep(0.1)    # ib_core caches counters for some milliseconds
    assert counted(ctx, b.qp) == 3, counted(ctx, b.qp)
    number = re.search(r"cntn (\d+)", counter_of(ctx, b.qp)).group(1)
    rdma("statistic", "qp", "unbind", "link", link, "cntn", number, "lqpn", str(b.qp.qp_num))
    assert counted(ctx, b.qp) is None
    rdma("statistic", "qp", "bind", "link", link, "lqpn", str(b.qp.qp_num))
    a.send(e.IBV_WR_RDMA_WRITE, 9, 64, remote=b)
    a.wait()
    time.sleep(0.1)
    assert counted(ctx, b.qp) == 1, counted(ctx, b.qp)
    # A QP in error stays bound until it is destroyed. The in-tree driver frees the counter set before.
    if driver() == "mlx5":
        return
    b.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    b.qp.close()


@row("counter.failed", "a QP that failed can be unbound from its counter")
def failed_qp_counter(ctx, gid):
    """the driver does not know that the QP is in error, and the device no longer changes its counter set"""
    if driver() == "mlx5":
        raise Skip("the in-tree driver fails to unbind it")
    link = f"{ctx.name}/{PORT}"
    for unbind in True, False:
        a, b = pair(ctx, gid)
        rdma("statistic", "qp", "bind", "link", link, "lqpn", str(a.qp.qp_num))
        number = re.search(r"cntn (\d+)", counter_of(ctx, a.qp)).group(1)
        wr = SendWR(wr_id=1, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[a.sge(64)], send_flags=SIGNALED)
        wr.set_wr_rdma(b.mr.rkey ^ 1, b.mr.buf)
        a.qp.post_send(wr)
        a.wait(status=e.IBV_WC_REM_ACCESS_ERR)
        if unbind:
            rdma("statistic", "qp", "unbind", "link", link, "cntn", number, "lqpn", str(a.qp.qp_num))
            assert not counter_of(ctx, a.qp)
        a.qp.close()
        b.qp.close()


@row("counter.by-type", "auto mode counts QPs by type")
def qp_counters_auto(ctx, gid):
    """QPs created while auto mode is on are counted by type"""
    link = f"{ctx.name}/{PORT}"
    rdma("statistic", "qp", "set", "link", link, "auto", "type", "on")
    try:
        a, b = pair(ctx, gid)
        for i in range(4):
            a.send(e.IBV_WR_RDMA_WRITE, i, 64, remote=b)
            a.wait()
        time.sleep(0.1)
        assert counted(ctx, b.qp) == 4, counted(ctx, b.qp)
        a.qp.close()
        b.qp.close()
    finally:
        rdma("statistic", "qp", "set", "link", link, "auto", "off")


# ---- listing --------------------------------------------------------------------------------------

@row("listed", "QPs are listed while they are destroyed")
def listed(ctx, gid):
    """list all QPs while others are created and destroyed"""
    if driver() == "mlx5" and tuple(map(int, os.uname().release.split(".")[:2])) <= (6, 12):
        raise Skip("ib_core up to 6.12 lists destroyed QPs, and this driver queries the device for them")
    with subprocess.Popen(["sh", "-c", "while :; do rdma resource show qp; done"], stdout=subprocess.DEVNULL) as lister:
        try:
            for _ in range(30):
                for side in pair(ctx, gid):
                    side.qp.close()
                    side.mr.close()
        finally:
            lister.kill()


# ---- states ------------------------------------------------------------------------------------

@row("sqd", "the transition to SQD is refused")
def sqd_is_refused(ctx, gid):
    """the device has no command for it: the transition is refused, and the QP stays usable"""
    a, b = pair(ctx, gid)
    try:
        a.qp.modify(QPAttr(qp_state=e.IBV_QPS_SQD), e.IBV_QP_STATE)
        raise AssertionError("not refused")
    except PyverbsRDMAError as err:
        assert err.error_code in (errno.EOPNOTSUPP, errno.EINVAL), err.error_code
    a.send(e.IBV_WR_RDMA_WRITE, 1, 16, remote=b)
    a.wait()


@row("to-group", "a connection to a multicast address is refused")
def no_connection_to_a_group(ctx, gid):
    """the QP can be connected to a unicast address after the refusal"""
    if driver() == "mlx5":
        raise Skip("the in-tree driver leaves the check to the device")
    a, b = Side(ctx, gid), Side(ctx, gid)
    a.gid, own = GROUP, a.gid
    refused(errno.EINVAL, b.connect, a)
    a.gid = own
    a.connect(b)
    b.connect(a)
    b.send(e.IBV_WR_RDMA_WRITE, 1, 16, remote=a)
    b.wait()


@row("flush", "a QP in error flushes its work requests")
def flush(ctx, gid):
    """work requests posted before and after the error are flushed in order"""
    a, b = pair(ctx, gid)
    for i in range(8):
        a.recv(100 + i, 64)
    a.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    a.send(e.IBV_WR_RDMA_WRITE, 1, 16, remote=b)
    a.recv(108, 64)
    wcs = a.wait(10, status=e.IBV_WC_WR_FLUSH_ERR)
    assert sorted(wc.wr_id for wc in wcs) == [1] + list(range(100, 109))
    assert [wc.wr_id for wc in wcs if wc.wr_id >= 100] == list(range(100, 109))


@row("query", "query_qp returns what modify_qp set")
def query_says_what_was_set(ctx, gid):
    a, b = pair(ctx, gid)
    attr, init = a.qp.query(0x1fffff)
    assert attr.qp_state == e.IBV_QPS_RTS and attr.dest_qp_num == b.qp.qp_num
    assert (attr.path_mtu, attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer) == \
        (e.IBV_MTU_1024, 14, 7, 7, 1)
    assert (attr.max_rd_atomic, attr.max_dest_rd_atomic) == (4, 4)
    assert attr.qp_access_flags in (ALL & ~e.IBV_ACCESS_LOCAL_WRITE, ALL), attr.qp_access_flags
    assert attr.ah_attr.sgid_index == gid and attr.ah_attr.port_num == PORT
    assert init.sq_sig_all == 0


# ---- all -----------------------------------------------------------------------------------------

import objects_errors  # noqa: E402, F401  pylint: disable=wrong-import-position,unused-import
import objects_memory  # noqa: E402, F401  pylint: disable=wrong-import-position,unused-import
import objects_numbers  # noqa: E402, F401  pylint: disable=wrong-import-position,unused-import

if __name__ == "__main__":
    sys.exit(rows.main(__doc__, lambda name, gid: (Context(name=name), int(gid))))
