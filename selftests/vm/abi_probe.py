#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: abi_probe.py list | CASE

Requests to the RDMA device that no library makes, straight into the uverbs character device:
too short, too long, with numbers that are not the caller's. Each case says what it asks and which
errors are right. `list` prints the numbers and sentences of the cases.
"""

import errno
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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


# The guest's processor hands a write of 64 bytes on in pieces of 8.
def context_has_no_blue_flame():
    _, size, _, _ = Device().context()
    if size:
        raise AssertionError(f"bf_reg_size {size}")


OK = 0
INVAL, NOTSUPP, FAULT = errno.EINVAL, errno.EOPNOTSUPP, errno.EFAULT
MORE = b"\1" * 8	# behind a request: not zero
ANY, OWN = ("cxr", "mlx5"), ("cxr",)	# OWN: the kernel's driver decides otherwise
EARLIER = ("cxr", "mlx5 6.1", "mlx5 6.12")	# the one of 7.2 does

CASES = [
    ("a context gets doorbell pages on demand", ANY, OK, context_is_dynamic),
    ("a context gets no BlueFlame where writes cannot be combined", ANY, OK, context_has_no_blue_flame),
    ("a context request of 4 bytes", ANY, INVAL, lambda: Device().context(cut=4)),
    ("a context request of 12 bytes", ANY, INVAL, lambda: Device().context(cut=12)),
    ("a context with an unknown flag", ANY, NOTSUPP, lambda: Device().context(flags=1 << 31)),
    ("a context with DEVX", OWN, NOTSUPP, lambda: Device().context(flags=1)),
    ("a context with DEVX, cut to 16 bytes", OWN, NOTSUPP,
     lambda: Device().context(flags=1, cut=16)),
    ("a context with an unknown mask", ANY, NOTSUPP, lambda: Device().context(mask=1)),
    ("a context with a reserved field set", ANY, NOTSUPP, lambda: Device().context(reserved=1)),
    ("a context with as many low latency registers as there are", ANY, INVAL,
     lambda: Device().context(total=4, low=4)),
    ("a context with zeroes behind the request", ANY, OK, lambda: Device().context(tail=bytes(8))),
    ("a context with more than zeroes behind the request", OWN, NOTSUPP,
     lambda: Device().context(tail=MORE)),
    ("a doorbell page of an unknown type", ANY, NOTSUPP, lambda: opened().uar(7)),
    ("an object that does not exist", ANY, errno.EPROTONOSUPPORT,
     lambda: opened().ioctl(0x1000 + 900, 0, [])),
    ("a doorbell page is mapped", ANY, OK, map_own),
    ("a mapping of another context's doorbell page", ANY, INVAL, map_foreign),
    ("a mapping of a doorbell page and the next", ANY, INVAL, map_two),
    ("a mapping at an offset of older libraries", OWN, NOTSUPP, lambda: opened().map_page(0)),
    ("a CQ", ANY, OK, with_cq),
    ("a CQ with entries of 65 bytes", ANY, INVAL, lambda: with_cq(cqe_size=65)),
    ("a CQ with an unknown flag", ANY, INVAL, lambda: with_cq(flags=CQ_UAR_INDEX | 1 << 15)),
    ("a CQ without a doorbell page", ANY, INVAL, lambda: with_cq(flags=0)),
    ("a CQ with a reserved field set", ANY, INVAL, lambda: with_cq(reserved=1)),
    ("a CQ request that is cut", ANY, INVAL, lambda: with_cq(cut=16)),
    ("a CQ with more than zeroes behind the request", OWN, INVAL, lambda: with_cq(tail=MORE)),
    ("a CQ with zeroes behind the request", ANY, OK, lambda: with_cq(tail=bytes(8))),
    ("a CQ of no entries", OWN, INVAL, lambda: with_cq(entries=0)),
    ("a CQ of 2^30 entries", ANY, INVAL, lambda: with_cq(entries=1 << 30)),
    ("a CQ in memory that is not there", ANY, FAULT, lambda: with_cq(buf=NOWHERE)),
    ("a CQ whose doorbell record is not there", ANY, FAULT, lambda: with_cq(db=NOWHERE)),
    ("a CQ whose doorbell record is not aligned", OWN, INVAL,
     lambda: with_cq(db=Memory().addr + 4)),
    ("a CQ that does not begin at a 64th of a page", ANY, INVAL,
     lambda: with_cq(buf=Memory(2).addr + 32)),
    ("a CQ on another context's doorbell page", OWN, INVAL, lambda: foreign(with_cq)),
    ("a CQ that is resized", ANY, OK, with_resize),
    ("a CQ that is resized in memory that is not there", ANY, FAULT, lambda: with_resize(buf=NOWHERE)),
    ("a CQ that is resized to no entries", ANY, INVAL, lambda: with_resize(entries=0)),
    ("a CQ that is resized to 2^30 entries", ANY, INVAL, lambda: with_resize(entries=1 << 30)),
    ("a CQ that is resized to entries of other size", OWN, INVAL, lambda: with_resize(cqe_size=128)),
    ("a CQ that is resized with a reserved field set", ANY, INVAL, lambda: with_resize(reserved=1)),
    ("a CQ that is resized by a request that is cut", OWN, INVAL, lambda: with_resize(cut=8)),
    ("a CQ that is resized with more than zeroes behind the request", OWN, INVAL,
     lambda: with_resize(tail=MORE)),
    ("an XRC SRQ", ANY, OK, with_xsrq),
    ("an XRC SRQ with more than zeroes behind the request", EARLIER, INVAL, lambda: with_xsrq(tail=MORE)),
    ("an XRC SRQ without a user index", ANY, INVAL, lambda: with_xsrq(cut=24)),
    ("an XRC SRQ with an unknown flag", OWN, INVAL, lambda: with_xsrq(flags=1 << 31)),
    ("an XRC SRQ in memory that is not there", ANY, FAULT, lambda: with_xsrq(buf=NOWHERE)),
    ("a QP", ANY, OK, with_qp),
    ("a QP with an unknown flag", ANY, INVAL, lambda: with_qp(flags=QP_UAR_INDEX | 1 << 31)),
    ("a QP with signatures", OWN, NOTSUPP, lambda: with_qp(flags=QP_UAR_INDEX | 1)),
    ("a QP without a doorbell page", OWN, INVAL, lambda: with_qp(flags=0)),
    ("a QP request that is cut", ANY, INVAL, lambda: with_qp(cut=16)),
    ("a QP with more than zeroes behind the request", ANY, INVAL, lambda: with_qp(tail=MORE)),
    ("a QP with 15 send blocks", ANY, INVAL, lambda: with_qp(sq=15)),
    ("a QP with 2^31 send blocks", ANY, INVAL, lambda: with_qp(sq=1 << 31)),
    ("a QP with 17 receive slots", OWN, INVAL, lambda: with_qp(rq=17)),
    ("a QP with receive slots of 2^255 bytes", ANY, INVAL, lambda: with_qp(shift=255)),
    ("a QP with receive slots of 2 bytes", OWN, INVAL, lambda: with_qp(shift=1)),
    ("a QP with no queue at all", OWN, INVAL, lambda: with_qp(sq=0, rq=0, recv=0)),
    ("a QP whose user index has 25 bits", ANY, INVAL, lambda: with_qp(uidx=1 << 24)),
    ("a QP in memory that is not there", ANY, FAULT, lambda: with_qp(buf=NOWHERE)),
    ("a QP on another context's doorbell page", OWN, INVAL, lambda: foreign(with_qp)),
    ("a raw packet QP", ANY, OK, with_raw_qp),
    ("a raw packet QP that only sends", OWN, OK, lambda: with_raw_qp(rq=0, recv=0)),
    ("a raw packet QP whose send memory is not there", ANY, FAULT, lambda: with_raw_qp(sq_buf=NOWHERE)),
    ("a raw packet QP whose receive memory is not there", ANY, FAULT, lambda: with_raw_qp(buf=NOWHERE)),
    ("a raw packet QP whose doorbell record is not aligned", OWN, INVAL, lambda: with_raw_qp(db=NOWHERE + 3)),
    ("a raw packet QP on another context's doorbell page", OWN, INVAL, lambda: foreign(with_raw_qp)),
    ("a WQ", ANY, OK, with_wq),
    ("a WQ request that is cut", ANY, INVAL, lambda: with_wq(cut=32)),
    ("a WQ with more than zeroes behind the request", ANY, NOTSUPP, lambda: with_wq(tail=MORE)),
    ("a WQ with an unknown mask", ANY, NOTSUPP, lambda: with_wq(mask=1 << 31)),
    ("a WQ with signatures", OWN, NOTSUPP, lambda: with_wq(flags=1)),
    ("a WQ with 17 slots", OWN, INVAL, lambda: with_wq(count=17)),
    ("a WQ with slots of 2^255 bytes", ANY, INVAL, lambda: with_wq(shift=255)),
    ("a WQ in memory that is not there", ANY, FAULT, lambda: with_wq(buf=NOWHERE)),
    ("a WQ whose doorbell record is not there", ANY, FAULT, lambda: with_wq(db=NOWHERE)),
    ("a table of WQs", ANY, OK, with_table),
    ("a table of WQs with a request behind", ANY, NOTSUPP, lambda: with_table(driver=MORE)),
    ("a table of 2^14 WQs", ANY, INVAL, lambda: with_table(log_size=14)),
    ("an RSS QP", ANY, OK, with_rss),
    ("an RSS QP request that is cut", ANY, INVAL, lambda: with_rss(cut=64)),
    ("an RSS QP with more than zeroes behind the request", ANY, INVAL, lambda: with_rss(tail=MORE)),
    ("an RSS QP with an unknown mask", ANY, NOTSUPP, lambda: with_rss(mask=1)),
    ("an RSS QP with an unknown flag", ANY, INVAL, lambda: with_rss(flags=1 << 31)),
    ("an RSS QP with a reserved field set", OWN, INVAL, lambda: with_rss(reserved=1)),
    ("an RSS QP that hashes tunnels", OWN, NOTSUPP, lambda: with_rss(flags=4)),
    ("an RSS QP with a key of 41 bytes", ANY, INVAL, lambda: with_rss(key_len=41)),
    ("a memory window", ANY, OK, with_mw),
    ("a memory window without a request", ANY, OK, lambda: with_mw(driver=False)),
    ("a memory window with an unknown mask", ANY, NOTSUPP, lambda: with_mw(mask=1)),
    ("a memory window with a reserved field set", ANY, NOTSUPP, lambda: with_mw(reserved=1)),
    ("a memory window with more than zeroes behind the request", ANY, NOTSUPP, lambda: with_mw(tail=MORE)),
    ("an MR", ANY, OK, with_mr),
    ("an MR of nothing", ANY, INVAL, lambda: with_mr(length=0)),
    ("an MR that wraps", ANY, INVAL, lambda: with_mr(length=(1 << 64) - PAGE)),
    ("an MR of memory that is not there", ANY, FAULT, lambda: with_mr(start=NOWHERE)),
    ("an MR that peers may write and we may not", ANY, INVAL, lambda: with_mr(access=2)),
    ("an MR for memory windows", ANY, OK, lambda: with_mr(access=1 | 16)),
]


def run(number):
    _, drivers, want, request = CASES[number]
    driver = os.environ.get("CXR_DRIVER")
    if driver not in drivers and f"{driver} {os.environ.get('CXR_KERNEL')}" not in drivers:
        print("SKIP: the kernel's driver decides otherwise here")
        return 4
    got = OK
    try:
        request()
    except Refused as e:
        got = e.code
    name = errno.errorcode.get
    if got != want:
        print(f"FAIL: {name(got, 'it was taken')} instead of {name(want, 'success')}")
        return 1
    return 0


def main():
    if sys.argv[1:] == ["list"]:
        for i, (sentence, _, want, _) in enumerate(CASES):
            print(i, sentence, "" if want == OK else f"is refused with {errno.errorcode[want]}")
        return 0
    return run(int(sys.argv[1]))


sys.exit(main())
