#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: abi_probe.py list | obey | ID

Sends requests to the uverbs character device that no library sends: too short, too long, with
handles of another context. Each case has the request and the expected error. `list` prints ids and
sentences of the cases; `obey` is a worker of lib/obey.sh.
"""

import errno
import os
import struct
import sys
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from obey import obey  # noqa: E402
from uverbs import CQ_UAR_INDEX, NOWHERE, PAGE, QP_UAR_INDEX, RAW_PACKET, Device, Memory, Refused  # noqa: E402


def opened():
    dev = Device()
    dev.context()
    return dev


def with_cq(**what):
    dev = opened()
    uar, _ = dev.uar()
    mem = Memory(2)
    return dev.cq(**{"uar": uar, "buf": mem.addr, "db": mem.addr + PAGE, **what})


def with_qp(**what):
    dev = opened()
    uar, _ = dev.uar()
    mem = Memory(4)
    cq = dev.cq(uar, mem.addr, mem.addr + PAGE)
    return dev.qp(**{"pd": dev.pd(), "cq": cq, "uar": uar, "buf": mem.addr + 2 * PAGE,
                     "db": mem.addr + PAGE + 64, **what})


def with_raw_qp(**what):
    return with_qp(**{"kind": RAW_PACKET, "sq_buf": Memory().addr, **what})


def with_resize(**what):
    dev = opened()
    uar, _ = dev.uar()
    mem = Memory(3)
    cq = dev.cq(uar, mem.addr, mem.addr + PAGE)
    return dev.resize(**{"cq": cq, "buf": mem.addr + 2 * PAGE, **what})


def with_xsrq(**what):
    dev = opened()
    uar, _ = dev.uar()
    mem = Memory(4)
    cq = dev.cq(uar, mem.addr, mem.addr + PAGE)
    return dev.xsrq(**{"pd": dev.pd(), "domain": dev.xrcd(), "cq": cq, "buf": mem.addr + 2 * PAGE,
                       "db": mem.addr + PAGE + 64, **what})


def number_of_xsrq():
    """The number in ib_core's part of the answer, and in the driver's"""
    answer = with_xsrq()
    common, own = struct.unpack_from("<I", answer, 12)[0], struct.unpack_from("<I", answer, 16)[0]
    assert common == own != 0, f"ib_core says {common:#x}, the driver {own:#x}"


def a_wq(dev, **what):
    uar, _ = dev.uar()
    mem = Memory(4)
    cq = dev.cq(uar, mem.addr, mem.addr + PAGE)
    return dev.wq(**{"pd": dev.pd(), "cq": cq, "buf": mem.addr + 2 * PAGE, "db": mem.addr + PAGE + 64, **what})


def with_wq(**what):
    return a_wq(opened(), **what)


def with_table(**what):
    dev = opened()
    return dev.table(a_wq(dev), **what)


def with_rss(**what):
    dev = opened()
    table = dev.table(a_wq(dev))
    return dev.rss(**{"pd": dev.pd(), "table": table, "fields": 3, **what})


def with_mw(**what):
    dev = opened()
    return dev.mw(dev.pd(), **what)


def foreign(make):
    other = opened()
    number, _ = other.uar()
    make(uar=number)


def map_foreign():
    opened().map_page(opened().uar()[1])


def map_two():
    dev = opened()
    dev.map_page(dev.uar()[1], 2)


def map_own():
    dev = opened()
    dev.map_page(dev.uar()[1])


def with_mr(start=None, length=PAGE, access=1):
    dev = opened()
    mem = Memory()
    return dev.mr(dev.pd(), mem.addr if start is None else start, length, access)


def context_is_dynamic():
    _, _, bfregs, line = Device().context()
    if bfregs or not line:
        raise AssertionError(f"tot_bfregs {bfregs}, cache_line_size {line}")


# An emulated CPU splits a write of 64 bytes into writes of 8.
def context_has_no_blue_flame():
    _, size, _, _ = Device().context()
    if size:
        raise AssertionError(f"bf_reg_size {size}")


OK = 0
INVAL, NOTSUPP, FAULT = errno.EINVAL, errno.EOPNOTSUPP, errno.EFAULT
MORE = b"\1" * 8	# a non-zero tail
TUNNELS, INNER = 4, 1 << 31    # flag and hash field of RSS QPs
ANY, OWN = ("cxr", "mlx5"), ("cxr",)	# OWN: the in-tree driver behaves differently
EARLIER = ("cxr", "mlx5 6.1", "mlx5 6.12")	# the in-tree driver of 7.2 behaves differently

CASES = [
    ("context.dynamic", "a context allocates UARs dynamically", ANY, OK, context_is_dynamic),
    ("context.no.blue.flame", "a context gets no BlueFlame where writes cannot be combined", ANY, OK,
     context_has_no_blue_flame),
    ("context.4.bytes", "a context request of 4 bytes", ANY, INVAL, lambda: Device().context(cut=4)),
    ("context.12.bytes", "a context request of 12 bytes", ANY, INVAL, lambda: Device().context(cut=12)),
    ("context.unknown.flag", "a context with an unknown flag", ANY, NOTSUPP, lambda: Device().context(flags=1 << 31)),
    ("context.devx", "a context with DEVX", ANY, INVAL, lambda: Device().context(flags=1)),
    ("context.devx.cut.16.bytes", "a context with DEVX, truncated to 16 bytes", OWN, NOTSUPP,
     lambda: Device().context(flags=1, cut=16)),
    ("context.unknown.mask", "a context with an unknown mask", ANY, NOTSUPP, lambda: Device().context(mask=1)),
    ("context.reserved", "a context with a reserved field set", ANY, NOTSUPP, lambda: Device().context(reserved=1)),
    ("context.all.low.latency", "a context with all registers low-latency", ANY, INVAL,
     lambda: Device().context(total=4, low=4)),
    ("context.zero.tail", "a context request with trailing zeros is accepted", ANY, OK,
     lambda: Device().context(tail=bytes(8))),
    ("context.tail", "a context request with a non-zero tail, of a later library, is accepted", ANY, OK,
     lambda: Device().context(tail=MORE)),
    ("uar.unknown", "a UAR of an unknown type", ANY, NOTSUPP, lambda: opened().uar(7)),
    ("object.unknown", "an unknown uverbs object", ANY, errno.EPROTONOSUPPORT,
     lambda: opened().ioctl(0x1000 + 900, 0, [])),
    ("map.own", "a UAR is mapped", ANY, OK, map_own),
    ("map.foreign", "a mapping of another context's UAR", ANY, INVAL, map_foreign),
    ("map.two", "a mapping of two pages at a UAR's offset", ANY, INVAL, map_two),
    ("map.old.offset", "a mapping at a legacy offset", ANY, INVAL, lambda: opened().map_page(0)),
    ("cq", "a CQ is accepted", ANY, OK, with_cq),
    ("cq.entries.65", "a CQ with CQEs of 65 bytes", ANY, INVAL, lambda: with_cq(cqe_size=65)),
    ("cq.unknown.flag", "a CQ with an unknown flag", ANY, INVAL, lambda: with_cq(flags=CQ_UAR_INDEX | 1 << 15)),
    ("cq.no.page", "a CQ without a UAR", ANY, INVAL, lambda: with_cq(flags=0)),
    ("cq.reserved", "a CQ with a reserved field set", ANY, INVAL, lambda: with_cq(reserved=1)),
    ("cq.cut", "a truncated CQ request", ANY, INVAL, lambda: with_cq(cut=16)),
    ("cq.tail", "a CQ request with a non-zero tail is accepted", EARLIER, OK, lambda: with_cq(tail=MORE)),
    ("cq.zero.tail", "a CQ request with trailing zeros is accepted", ANY, OK, lambda: with_cq(tail=bytes(8))),
    ("cq.zero.entries", "a CQ of size 0", OWN, INVAL, lambda: with_cq(entries=0)),
    ("cq.2-30.entries", "a CQ of 2^30 entries", ANY, INVAL, lambda: with_cq(entries=1 << 30)),
    ("cq.nowhere", "a CQ in unmapped memory", ANY, FAULT, lambda: with_cq(buf=NOWHERE)),
    ("cq.db.nowhere", "a CQ with an unmapped doorbell record", ANY, FAULT, lambda: with_cq(db=NOWHERE)),
    ("cq.db.unaligned", "a CQ with an unaligned doorbell record", OWN, INVAL,
     lambda: with_cq(db=Memory().addr + 4)),
    ("cq.buffer.unaligned", "a CQ buffer that is not aligned to 1/64 of a page", ANY, INVAL,
     lambda: with_cq(buf=Memory(2).addr + 32)),
    ("cq.foreign.page", "a CQ on another context's UAR", OWN, INVAL, lambda: foreign(with_cq)),
    ("cq.resize", "a CQ resize is accepted", ANY, OK, with_resize),
    ("cq.resize.nowhere", "a CQ resize to unmapped memory", ANY, FAULT,
     lambda: with_resize(buf=NOWHERE)),
    ("cq.resize.zero.entries", "a CQ resize to size 0", ANY, INVAL, lambda: with_resize(entries=0)),
    ("cq.resize.2-30.entries", "a CQ resize to 2^30 entries", ANY, INVAL,
     lambda: with_resize(entries=1 << 30)),
    ("cq.resize.entries.size", "a CQ resize to another CQE size", OWN, INVAL,
     lambda: with_resize(cqe_size=128)),
    ("cq.resize.reserved", "a CQ resize with a reserved field set", ANY, INVAL,
     lambda: with_resize(reserved=1)),
    ("cq.resize.cut", "a truncated CQ resize request", OWN, INVAL, lambda: with_resize(cut=8)),
    ("cq.resize.tail", "a CQ resize request with a non-zero tail is accepted", ANY, OK,
     lambda: with_resize(tail=MORE)),
    ("xrc.srq", "an XRC SRQ is accepted", ANY, OK, with_xsrq),
    ("xrc.srq.number", "an XRC SRQ has the same number for ib_core and for the driver", ANY, OK, number_of_xsrq),
    ("xrc.srq.tail", "an XRC SRQ request with a non-zero tail", EARLIER, INVAL,
     lambda: with_xsrq(tail=MORE)),
    ("xrc.srq.no.index", "an XRC SRQ without a user index", ANY, INVAL, lambda: with_xsrq(cut=24)),
    ("xrc.srq.unknown.flag", "an XRC SRQ with an unknown flag", OWN, INVAL, lambda: with_xsrq(flags=1 << 31)),
    ("xrc.srq.nowhere", "an XRC SRQ in unmapped memory", ANY, FAULT, lambda: with_xsrq(buf=NOWHERE)),
    ("qp", "a QP is accepted", ANY, OK, with_qp),
    ("qp.unknown.flag", "a QP with an unknown flag", ANY, INVAL, lambda: with_qp(flags=QP_UAR_INDEX | 1 << 31)),
    ("qp.signatures", "a QP with WQE signatures", OWN, NOTSUPP, lambda: with_qp(flags=QP_UAR_INDEX | 1)),
    ("qp.hears.itself", "a QP that is no raw packet QP, and hears its own process", OWN, NOTSUPP,
     lambda: with_qp(flags=QP_UAR_INDEX | 1 << 6)),
    ("qp.no.page", "a QP without a UAR", OWN, INVAL, lambda: with_qp(flags=0)),
    ("qp.cut", "a truncated QP request", ANY, INVAL, lambda: with_qp(cut=16)),
    ("qp.tail", "a QP request with a non-zero tail", ANY, INVAL, lambda: with_qp(tail=MORE)),
    ("qp.15.blocks", "a QP with 15 send blocks", ANY, INVAL, lambda: with_qp(sq=15)),
    ("qp.2-31.blocks", "a QP with 2^31 send blocks", ANY, INVAL, lambda: with_qp(sq=1 << 31)),
    ("qp.17.slots", "a QP with 17 receive slots", OWN, INVAL, lambda: with_qp(rq=17)),
    ("qp.slots.2-255", "a QP with receive slots of 2^255 bytes", ANY, INVAL, lambda: with_qp(shift=255)),
    ("qp.slots.2.bytes", "a QP with receive slots of 2 bytes", OWN, INVAL, lambda: with_qp(shift=1)),
    ("qp.no.queue", "a QP without queues", OWN, INVAL, lambda: with_qp(sq=0, rq=0, recv=0)),
    ("qp.index.25.bits", "a QP with a user index of 25 bits", ANY, INVAL, lambda: with_qp(uidx=1 << 24)),
    ("qp.nowhere", "a QP in unmapped memory", ANY, FAULT, lambda: with_qp(buf=NOWHERE)),
    ("qp.half.page", "a QP whose buffer is at 33/64 of a page is accepted", ANY, OK,
     lambda: with_qp(sq=8, buf=Memory().addr + 33 * PAGE // 64)),
    ("qp.foreign.page", "a QP on another context's UAR", OWN, INVAL, lambda: foreign(with_qp)),
    ("raw", "a raw packet QP is accepted", ANY, OK, with_raw_qp),
    ("raw.sends", "a send-only raw packet QP is accepted", OWN, OK, lambda: with_raw_qp(rq=0, recv=0)),
    ("raw.hears.itself", "a raw packet QP that hears its own process is accepted", ANY, OK,
     lambda: with_raw_qp(flags=QP_UAR_INDEX | 1 << 6 | 1 << 7)),
    ("raw.send.nowhere", "a raw packet QP with an unmapped send buffer", ANY, FAULT,
     lambda: with_raw_qp(sq_buf=NOWHERE)),
    ("raw.receive.nowhere", "a raw packet QP with an unmapped receive buffer", ANY, FAULT,
     lambda: with_raw_qp(buf=NOWHERE)),
    ("raw.db.unaligned", "a raw packet QP with an unaligned doorbell record", OWN, INVAL,
     lambda: with_raw_qp(db=NOWHERE + 3)),
    ("raw.send.half.page", "a raw packet QP whose send buffer is at 33/64 of a page", ANY, INVAL,
     lambda: with_raw_qp(sq_buf=Memory().addr + 33 * PAGE // 64)),
    ("raw.receive.half.page", "a raw packet QP whose receive buffer is at 33/64 of a page", ANY, INVAL,
     lambda: with_raw_qp(buf=Memory().addr + 33 * PAGE // 64)),
    ("raw.foreign.page", "a raw packet QP on another context's UAR", OWN, INVAL,
     lambda: foreign(with_raw_qp)),
    ("wq", "a WQ is accepted", ANY, OK, with_wq),
    ("wq.cut", "a truncated WQ request", ANY, INVAL, lambda: with_wq(cut=32)),
    ("wq.tail", "a WQ request with a non-zero tail", ANY, NOTSUPP, lambda: with_wq(tail=MORE)),
    ("wq.unknown.mask", "a WQ with an unknown mask", ANY, NOTSUPP, lambda: with_wq(mask=1 << 31)),
    ("wq.signatures", "a WQ with WQE signatures", OWN, NOTSUPP, lambda: with_wq(flags=1)),
    ("wq.17.slots", "a WQ with 17 slots", OWN, INVAL, lambda: with_wq(count=17)),
    ("wq.slots.2-255", "a WQ with slots of 2^255 bytes", ANY, INVAL, lambda: with_wq(shift=255)),
    ("wq.nowhere", "a WQ in unmapped memory", ANY, FAULT, lambda: with_wq(buf=NOWHERE)),
    ("wq.31.parts", "a WQ whose buffer is at 31/64 of a page is accepted", ANY, OK,
     lambda: with_wq(buf=Memory().addr + 31 * PAGE // 64)),
    ("wq.half.page", "a WQ whose buffer is at 33/64 of a page", ANY, INVAL,
     lambda: with_wq(buf=Memory().addr + 33 * PAGE // 64)),
    ("wq.db.nowhere", "a WQ with an unmapped doorbell record", ANY, FAULT, lambda: with_wq(db=NOWHERE)),
    ("table", "an RWQ indirection table is accepted", ANY, OK, with_table),
    ("table.tail", "an RWQ indirection table with a driver request", ANY, NOTSUPP, lambda: with_table(driver=MORE)),
    ("table.2-14.wqs", "an RWQ indirection table of 2^14 WQs", ANY, INVAL, lambda: with_table(log_size=14)),
    ("rss", "an RSS QP is accepted", ANY, OK, with_rss),
    ("rss.cut", "a truncated RSS QP request", ANY, INVAL, lambda: with_rss(cut=64)),
    ("rss.tail", "an RSS QP request with a non-zero tail", ANY, INVAL, lambda: with_rss(tail=MORE)),
    ("rss.unknown.mask", "an RSS QP with an unknown mask", ANY, NOTSUPP, lambda: with_rss(mask=1)),
    ("rss.unknown.flag", "an RSS QP with an unknown flag", ANY, INVAL, lambda: with_rss(flags=1 << 31)),
    ("rss.hears.itself", "an RSS QP that hears its own process is accepted", ANY, OK,
     lambda: with_rss(flags=1 << 6 | 1 << 7)),
    ("rss.reserved", "an RSS QP with a reserved field set", OWN, INVAL, lambda: with_rss(reserved=1)),
    ("rss.tunnels", "an RSS QP with tunnel offloads is accepted", ANY, OK, lambda: with_rss(flags=TUNNELS)),
    ("rss.inner", "an RSS QP that hashes what is in a tunnel is accepted", ANY, OK,
     lambda: with_rss(fields=INNER | 3, flags=TUNNELS)),
    ("rss.inner.alone", "an RSS QP that hashes what is in a tunnel, without tunnel offloads", ANY, NOTSUPP,
     lambda: with_rss(fields=INNER | 3)),
    ("rss.key.41", "an RSS QP with a key of 41 bytes", ANY, INVAL, lambda: with_rss(key_len=41)),
    ("mw", "a memory window is accepted", ANY, OK, with_mw),
    ("mw.no.request", "a memory window without a driver request is accepted", ANY, OK, lambda: with_mw(driver=False)),
    ("mw.unknown.mask", "a memory window with an unknown mask", ANY, NOTSUPP, lambda: with_mw(mask=1)),
    ("mw.reserved", "a memory window with a reserved field set", ANY, NOTSUPP, lambda: with_mw(reserved=1)),
    ("mw.tail", "a memory window request with a non-zero tail", ANY, NOTSUPP, lambda: with_mw(tail=MORE)),
    ("mr", "an MR is accepted", ANY, OK, with_mr),
    ("mr.nothing", "an MR of length 0", ANY, INVAL, lambda: with_mr(length=0)),
    ("mr.wraps", "an MR that wraps around the address space", ANY, INVAL, lambda: with_mr(length=(1 << 64) - PAGE)),
    ("mr.nowhere", "an MR of unmapped memory", ANY, FAULT, lambda: with_mr(start=NOWHERE)),
    ("mr.remote.write.alone", "an MR with remote but no local write access", ANY, INVAL, lambda: with_mr(access=2)),
    ("mr.mw.bind", "an MR that allows memory window binding is accepted", ANY, OK, lambda: with_mr(access=1 | 16)),
]



def applies(drivers):
    driver = os.environ.get("CXR_DRIVER")
    return driver in drivers or f"{driver} {os.environ.get('CXR_KERNEL')}" in drivers


def run(name):
    """Run case NAME; returns code and output"""
    _, _, drivers, want, request = next(case for case in CASES if case[0] == name)
    if not applies(drivers):
        return 4, "SKIP: the in-tree driver behaves differently\n"
    got = OK
    try:
        request()
    except Refused as e:
        got = e.code
    word = errno.errorcode.get
    if got != want:
        return 1, f"FAIL: {word(got, 'it was accepted')} instead of {word(want, 'success')}\n"
    return 0, ""


def run_apart(words):
    """Run a case in its own process, so that it leaves nothing behind"""
    there, here = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(here, 1)
        os.dup2(here, 2)
        try:
            code, text = run(words[0])
            sys.stdout.write(text)
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        os._exit(code)
    os.close(here)
    with open(there, encoding="utf-8") as said:
        text = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def main():
    if sys.argv[1] == "list":
        for name, sentence, _, want, _ in CASES:
            print(name, sentence + ("" if want == OK else f" is refused with {errno.errorcode[want]}"), sep="\t")
        return 0
    if sys.argv[1] == "obey":
        return obey(run_apart)
    code, text = run(sys.argv[1])
    print(text, end="")
    return code


sys.exit(main())
