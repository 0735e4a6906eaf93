#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: devx.py list | run ID | obey | waits

DEVX: commands that a program composes, and what the kernel lets it do with them. `list` prints ids and sentences of the tests,
`obey` is a worker of lib/obey.sh, and `waits` a program whose device goes.
"""

import errno
import os
import pathlib
import select
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
from devx_commands import CQ_ERROR, LAYOUTS, OMIT_DATA, PAGE, PORT_CHANGE, UMEM, Context, Cq, Qp, Status, command, get, pd  # noqa: E402
from libc import fork  # noqa: E402
from obey import obey  # noqa: E402
import rows  # noqa: E402
from rows import row  # noqa: E402
from uverbs import Memory, Refused  # noqa: E402

CAP_CURRENT = 1
PAGE_REQUEST, COMM_EST = 0xb, 2
EQE_BYTES = 64
XRC_TARGET = 10         # type of a QP
BAD_RES, BAD_PARAM = 5, 3
SECONDS = 10


def refused(code, call, *args, **more):
    try:
        call(*args, **more)
    except Refused as e:
        assert e.code == code, f"{errno.errorcode[e.code]} instead of {errno.errorcode[code]}"
        return
    raise AssertionError(f"accepted instead of {errno.errorcode[code]}")


def refused_by_device(call, *args, **more):
    """The status"""
    try:
        call(*args, **more)
    except Status as e:
        return e.status
    raise AssertionError("accepted by the device")


def with_qp():
    """A context with a CQ, and a QP that uses it"""
    ctx = Context()
    cq = Cq(ctx)
    _, pdn = pd(ctx)
    return ctx, cq, Qp(ctx, pdn, cq.cqn, cq.uar)


def caps(ctx):
    out = ctx.other(command("query_hca_cap", op_mod=CAP_CURRENT), "query_hca_cap_out")
    return get(out, "query_hca_cap_out", "capability.cmd_hca_cap.log_max_uctx")


@row("caps", "a program asks for capabilities, in a context with a number and without")
def with_caps():
    assert caps(Context()) > 0
    assert caps(Context(devx=False)) > 0


@row("without", "without a number of its own a context asks for nothing else, and creates nothing")
def without():
    ctx = Context(devx=False)
    refused(errno.EINVAL, ctx.other, command("query_adapter"), "query_adapter_out")
    refused(errno.EINVAL, ctx.create, command("alloc_pd"), "alloc_pd_out")
    refused(errno.EINVAL, ctx.umem, Memory(1).addr, PAGE)


@row("kernel", "commands of the kernel are refused in all methods")
def kernel_only():
    ctx = Context()
    handle, _ = pd(ctx)
    for name in ("enable_hca", "teardown_hca", "manage_pages", "set_hca_cap", "create_eq", "create_umem", "create_uctx",
                 "access_register", "modify_nic_vport_context", "set_roce_address", "dealloc_pd", "destroy_cq", "delete_fte"):
        data = command(name)
        refused(errno.EINVAL, ctx.other, data)
        refused(errno.EINVAL, ctx.create, data, "mbox_out")
        refused(errno.EINVAL, ctx.modify, handle, data)
        refused(errno.EINVAL, ctx.query, handle, data, "mbox_out")


# What the in-tree driver passes to the device; those beyond the last number of commands are general ones.
GENERAL = {0x100, 0x101, 0x10a, 0x740, 0x750, 0x752, 0x754, 0x760, 0x762, 0x76f, 0x770, 0x80a, 0x80d, 0x822, 0x824, 0x826, 0x842,
           *range(0xb00, 0xd00)}
CREATES = {0x200, 0x400, 0x500, 0x700, 0x705, 0x710, 0x717, 0x771, 0x782, 0x800, 0x806, 0x80e, 0x816, 0x827, 0x829, 0x900, 0x904,
           0x908, 0x90c, 0x912, 0x916, 0x930, 0x933, 0x936, 0x939, 0x93d, 0x940, 0xa00}
QP_MODIFIES, QP_QUERIES = {*range(0x502, 0x508), 0x50a, 0x50e}, {0x50b}
OURS_REFUSES = {0x200, 0x700}     # a key of physical addresses; an SRQ without umem
LONG_ENOUGH = 0x400


def passed(opcodes, call, qpn=0):
    """Those that the kernel does not refuse as commands that are not for programs"""
    found = set()
    for opcode in opcodes:
        data = opcode.to_bytes(2, "big") + bytes(6) + qpn.to_bytes(4, "big")
        try:
            call(data.ljust(LONG_ENOUGH, b"\0"))
        except Refused as e:
            if e.code == errno.EINVAL:
                continue
        except Status:
            pass
        found.add(opcode)
    return found


@row("opcodes", "the same commands are passed to the device as by the in-tree driver: those about no object, and those that create one")
def opcodes():
    ctx = Context()
    every = range(0xe00)
    assert passed(every, lambda data: ctx.other(data, out_len=LONG_ENOUGH)) == GENERAL
    creates = passed(every, lambda data: ctx.create(data, None, out_len=LONG_ENOUGH))
    assert creates == CREATES - (OURS_REFUSES if rows.driver() == "cxr" else set()), creates ^ CREATES


@row("opcodes.qp", "and those about a QP")
def opcodes_qp():
    ctx, _, qp = with_qp()
    every = range(0x480, 0x580)
    assert passed(every, lambda data: ctx.modify(qp.handle, data, "query_qp_out"), qp.qpn) == QP_MODIFIES
    assert passed(every, lambda data: ctx.query(qp.handle, data, "query_qp_out"), qp.qpn) == QP_QUERIES


@row("short", "a command, or room for its answer, of less than 16 bytes is refused")
def short():
    ctx = Context()
    data = command("query_hca_cap", op_mod=CAP_CURRENT)
    refused(errno.EINVAL, ctx.other, data, cut=15)
    refused(errno.EINVAL, ctx.other, data, out_len=15)


@row("odd", "a command, or room for its answer, that is not of whole words of 4 bytes is refused")
def odd():
    ctx = Context()
    cq = Cq(ctx)
    data = command("query_cq", cqn=cq.cqn)
    if rows.driver() == "mlx5":
        raise rows.Skip("the in-tree driver sends it to the device")
    refused(errno.EINVAL, ctx.other, command("nop") + b"\0", "mbox_out")
    refused(errno.EINVAL, ctx.other, command("nop"), out_len=17)
    refused(errno.EINVAL, ctx.create, command("alloc_pd") + b"\0\0", "alloc_pd_out")
    refused(errno.EINVAL, ctx.async_query, cq.handle, data, ctx.async_file(), 1, 0x111)


@row("status", "the device's own refusal reaches the program, with status and syndrome")
def status():
    ctx = Context()
    assert refused_by_device(Cq, ctx, cq_context__uar_page=0xfffff) == BAD_RES
    assert refused_by_device(ctx.other, command("query_hca_cap", op_mod=0x7f << 1), "query_hca_cap_out") == BAD_PARAM


@row("create", "objects are created, queried by their handle, and destroyed")
def create():
    ctx, cq, qp = with_qp()
    out = ctx.query(cq.handle, command("query_cq", cqn=cq.cqn), "query_cq_out")
    assert get(out, "query_cq_out", "cq_context.log_cq_size") == 4
    out = ctx.query(qp.handle, command("query_qp", qpn=qp.qpn), "query_qp_out")
    assert get(out, "query_qp_out", "qpc.cqn_snd") == cq.cqn
    ctx.destroy(qp.handle)
    ctx.destroy(cq.handle)


@row("modify", "a QP is modified by its handle")
def modify():
    ctx, _, qp = with_qp()
    ctx.modify(qp.handle, command("rst2init_qp", qpn=qp.qpn, qpc__pm_state=3, qpc__primary_address_path__vhca_port_num=1))
    out = ctx.query(qp.handle, command("query_qp", qpn=qp.qpn), "query_qp_out")
    assert get(out, "query_qp_out", "qpc.state") == 1


@row("handle", "a command about another object than that of the handle is refused")
def handle():
    ctx = Context()
    first, second = Cq(ctx), Cq(ctx)
    refused(errno.EINVAL, ctx.query, first.handle, command("query_cq", cqn=second.cqn), "query_cq_out")
    pd_handle, _ = pd(ctx)
    refused(errno.EINVAL, ctx.query, pd_handle, command("query_cq", cqn=first.cqn), "query_cq_out")
    refused(errno.ENOENT, ctx.query, 0x7777, command("query_cq", cqn=first.cqn), "query_cq_out")


@row("verbs", "objects of verbs are queried by their handles")
def verbs():
    ctx = Context()
    uar, _ = ctx.uar()
    mem = Memory(6)
    cq_handle = ctx.cq(uar, mem.addr, mem.addr + PAGE)
    refused(errno.EINVAL, ctx.query, cq_handle, command("query_qp", qpn=1), "query_qp_out")
    of_qp = {"cq": cq_handle, "uar": uar, "buf": mem.addr + 2 * PAGE, "db": mem.addr + PAGE + 64}
    handle, qpn = struct.unpack_from("<II", ctx.qp(ctx.pd(), **of_qp))
    ctx.query(handle, command("query_qp", qpn=qpn), "query_qp_out")
    refused(errno.EINVAL, ctx.query, handle, command("query_qp", qpn=qpn ^ 1), "query_qp_out")
    handle, qpn = struct.unpack_from("<II", ctx.qp(ctx.xrcd(), kind=XRC_TARGET, recv=0, rq=0, **of_qp))
    # it is no program's: the driver passes the command on, and the device refuses it
    refused_by_device(ctx.query, handle, command("query_qp", qpn=qpn), "query_qp_out")
    refused(errno.EINVAL, ctx.query, handle, command("query_qp", qpn=qpn ^ 1), "query_qp_out")


@row("isolated", "objects of one context cannot be named by another")
def isolated():
    owner, thief = Context(), Context()
    _, pdn = pd(owner)
    cq = Cq(owner)
    own = Cq(thief)
    assert refused_by_device(Qp, thief, pdn, own.cqn, own.uar) == BAD_RES
    _, own_pdn = pd(thief)
    assert refused_by_device(Qp, thief, own_pdn, cq.cqn, own.uar) == BAD_RES
    assert refused_by_device(Cq, thief, cq_context__uar_page=cq.uar) == BAD_RES


@row("physical", "memory is named by umems only: an address in a command is not used")
def physical():
    ctx = Context()
    uar, _ = ctx.uar()
    data = command("create_cq", tail=struct.pack(">Q", 0x1000), cq_context__log_cq_size=4, cq_context__uar_page=uar,
                   cq_context__c_eqn_or_apu_element=ctx.eqn())
    assert refused_by_device(ctx.create, data, "create_cq_out") == BAD_RES
    if rows.driver() != "mlx5":     # which leaves that to the device
        refused(errno.EINVAL, ctx.create, command("create_mkey"), "create_mkey_out")


@row("eqn", "a completion vector has an EQ, and others have none")
def eqn():
    ctx = Context()
    assert ctx.eqn(0) > 0
    refused(errno.EINVAL, ctx.eqn, 0x7fffffff)
    refused(errno.ENOENT, Cq, ctx, cq_context__c_eqn_or_apu_element=0)


@row("umem.wrong", "memory that does not exist, is not the program's, or has unknown rights is refused")
def umem_wrong():
    ctx = Context()
    mem = Memory(1)
    refused(errno.EFAULT, ctx.umem, 0x10000, PAGE)
    refused(errno.EINVAL, ctx.umem, mem.addr, 1 << 63)
    refused(errno.EINVAL, ctx.umem, mem.addr, PAGE, access=1 << 3)
    refused(errno.EINVAL, ctx.umem, mem.addr, PAGE, access=2)    # remote write needs local write
    refused(errno.EINVAL, ctx.umem, mem.addr, PAGE, sizes=1 << 11)


@row("umem.sizes", "the program limits the page size")
def umem_sizes():
    ctx = Context()
    mem = Memory(8)
    for sizes in (1 << 12, 0xf000, ~0 & (1 << 64) - 1):
        handle_of, _ = ctx.umem(mem.addr, 8 * PAGE, sizes=sizes)
        ctx.destroy(handle_of, UMEM)
    ctx.umem(mem.addr + 64, 100, sizes=1 << 12)


@row("umem.used", "memory that an object uses stays, and goes after it")
def umem_used():
    ctx = Context()
    cq = Cq(ctx)
    refused(errno.EBUSY, ctx.destroy, cq.umem, UMEM)
    ctx.query(cq.handle, command("query_cq", cqn=cq.cqn), "query_cq_out")
    ctx.destroy(cq.handle)
    ctx.destroy(cq.umem, UMEM)


def can_not(call, *args):
    try:
        call(*args)
    except Refused:
        return
    raise AssertionError("accepted")


# Size, offset and page size change
RESIZE = {"modify_field_select_resize_field_select__modify_field_select__modify_field_select": 7}


def number_of(ctx, cq_handle):
    """The number of a CQ of verbs, which the kernel compares"""
    for number in range(1, 4096):
        try:
            ctx.query(cq_handle, command("query_cq", cqn=number), "query_cq_out")
            return number
        except Refused:
            pass
    raise AssertionError("the CQ has no number")


@row("holds", "a CQ and a PD of verbs that a QP of the program uses stay, and go after it")
def holds():
    ctx = Context()
    uar, _ = ctx.uar()
    mem = Memory(2)
    cq_handle = ctx.cq(uar, mem.addr, mem.addr + PAGE)
    cqn = number_of(ctx, cq_handle)
    pd_handle, pdn = ctx.numbered_pd()
    qp = Qp(ctx, pdn, cqn, uar)
    for _ in range(2):
        can_not(ctx.verbs_destroy_cq, cq_handle)
        can_not(ctx.verbs_dealloc_pd, pd_handle)
    ctx.query(cq_handle, command("query_cq", cqn=cqn), "query_cq_out")
    ctx.destroy(qp.handle)
    ctx.verbs_destroy_cq(cq_handle)
    ctx.verbs_dealloc_pd(pd_handle)


@row("order", "memory that an older object of verbs uses goes after it, when the program ends")
def order():
    child = fork()
    if not child:
        ctx = Context()
        uar, _ = ctx.uar()
        mem = Memory(2)
        cq_handle = ctx.cq(uar, mem.addr, mem.addr + PAGE)
        more = Memory(2)
        umem_handle, umem = ctx.umem(more.addr, 2 * PAGE)
        cqn = number_of(ctx, cq_handle)
        # a resize moves the CQ to the newer memory
        ctx.modify(cq_handle, command("modify_cq", cqn=cqn, op_mod=1, cq_context__log_cq_size=4, cq_umem_id=umem, **RESIZE))
        refused(errno.EBUSY, ctx.destroy, umem_handle, UMEM)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    name = sorted(os.listdir("/sys/class/infiniband"))[0]
    assert not os.system(f"! dmesg | tail -n 50 | grep -q '{name}.*keeps'")


def toggle_port():
    name = sorted(os.listdir("/sys/class/infiniband"))[0]
    net = os.listdir(f"/sys/class/infiniband/{name}/device/net")[0]
    for state in ("down", "up"):
        os.system(f"ip link set {net} {state}")


def readable(file):
    return bool(select.select([file], [], [], SECONDS)[0])


def port_events(flags):
    ctx = Context()
    file = ctx.event_file(flags)
    os.set_blocking(file, False)
    try:
        os.read(file, 4096)
        raise AssertionError("an event before any")
    except BlockingIOError:
        pass
    ctx.subscribe(file, [PORT_CHANGE], cookie=0x1122334455667788)
    toggle_port()
    assert readable(file), "no event"
    return file


@row("events", "a program reads events of the port, with its cookie")
def events():
    file = port_events(0)
    try:
        os.read(file, 8)
        raise AssertionError("a short read was accepted")
    except OSError as e:
        assert e.errno == errno.EINVAL
    data = os.read(file, 4096)
    assert len(data) == 8 + EQE_BYTES
    assert struct.unpack_from("<Q", data)[0] == 0x1122334455667788
    assert data[8 + 1] == PORT_CHANGE


@row("events.cookies", "or only the cookies: several events until it reads are one")
def cookies():
    file = port_events(OMIT_DATA)
    time.sleep(1)
    assert os.read(file, 4096) == struct.pack("<Q", 0x1122334455667788)
    try:
        os.read(file, 4096)
        raise AssertionError("a second cookie")
    except BlockingIOError:
        pass


@row("events.signal", "or events go to an eventfd")
def signal():
    ctx = Context()
    file = ctx.event_file()
    counter = os.eventfd(0, os.EFD_NONBLOCK)
    ctx.subscribe(file, [PORT_CHANGE], signal=counter)
    toggle_port()
    assert readable(counter), "no event"
    assert os.eventfd_read(counter) > 0


@row("events.wrong", "subscriptions of the kernel's events, of a wrong eventfd, or of too many are refused")
def events_wrong():
    ctx = Context()
    file = ctx.event_file()
    cq = Cq(ctx)
    for wrong in (PAGE_REQUEST, 0x100, CQ_ERROR):
        refused(errno.EINVAL, ctx.subscribe, file, [wrong])
    refused(errno.EINVAL, ctx.subscribe, file, [PORT_CHANGE], handle=cq.handle)
    refused(errno.EINVAL, ctx.subscribe, file, [PORT_CHANGE], cookie=1, signal=os.eventfd(0))
    refused(errno.EBADF, ctx.subscribe, file, [PORT_CHANGE], signal=1000)
    refused(errno.EINVAL, ctx.subscribe, file, [PORT_CHANGE] * 17)
    if rows.driver() == "cxr":
        refused(errno.EINVAL, ctx.subscribe, file, [COMM_EST], handle=cq.handle)
        for _ in range(16):
            ctx.subscribe(file, [CQ_ERROR] * 16, handle=cq.handle)
        refused(errno.ENOSPC, ctx.subscribe, file, [CQ_ERROR], handle=cq.handle)


@row("events.object", "events of an object end with it; its file stays")
def events_object():
    ctx = Context()
    file = ctx.event_file()
    os.set_blocking(file, False)
    cq = Cq(ctx)
    ctx.subscribe(file, [CQ_ERROR, 0], handle=cq.handle, cookie=7)
    ctx.destroy(cq.handle)
    ctx.subscribe(file, [PORT_CHANGE], cookie=8)
    toggle_port()
    assert readable(file)
    assert struct.unpack_from("<Q", os.read(file, 4096))[0] == 8


@row("async", "answers of queries are read from a file")
def answers():
    ctx = Context()
    cq = Cq(ctx)
    file = ctx.async_file()
    data = command("query_cq", cqn=cq.cqn)
    size = LAYOUTS.width("query_cq_out") // 8
    for wr_id in range(3):
        ctx.async_query(cq.handle, data, file, wr_id, size)
    want = ctx.query(cq.handle, data, "query_cq_out")
    found = set()
    for _ in range(3):
        assert readable(file), "no answer"
        answer = os.read(file, 4096)
        assert answer[8:] == want
        found.add(struct.unpack_from("<Q", answer)[0])
    assert found == {0, 1, 2}


@row("async.wrong", "a short read, another object, and too much to come are refused")
def async_wrong():
    ctx = Context()
    first, second = Cq(ctx), Cq(ctx)
    file = ctx.async_file()
    data = command("query_cq", cqn=first.cqn)
    refused(errno.EINVAL, ctx.async_query, second.handle, data, file, 1, 0x110)
    refused(errno.EINVAL, ctx.async_query, first.handle, command("modify_cq", cqn=first.cqn), file, 1, 0x110)
    ctx.async_query(first.handle, data, file, 5, 0x110)
    assert readable(file)
    try:
        os.read(file, 16)
        raise AssertionError("a short read was accepted")
    except OSError as e:
        assert e.errno == errno.ENOSPC
    assert struct.unpack_from("<Q", os.read(file, 4096))[0] == 5
    for _ in range(17):
        try:
            ctx.async_query(first.handle, data, file, 6, 0xfffc)
        except Refused as e:
            assert e.code == errno.EAGAIN
            return
    raise AssertionError("more than a megabyte was accepted")


def loops(ctx):
    """Is loopback of the vport on? By what it sends to whom"""
    out = ctx.other(command("query_nic_vport_context"), "query_nic_vport_context_out")
    return [not get(out, "query_nic_vport_context_out", f"nic_vport_context.disable_{what}_local_lb") for what in ("uc", "mc")]


def td(ctx):
    return ctx.create(command("alloc_transport_domain"), "alloc_transport_domain_out")


@row("domains", "loopback of the vport is on while two contexts have transport domains of their own")
def domains():
    first, second = Context(), Context()
    td(first)
    td(first)
    handle, _ = td(second)
    assert loops(first) == [True, True], "off, with domains of two"
    second.destroy(handle)
    assert loops(first) == [True, True], "off, before the second context is closed"
    second.close()
    if os.environ.get("CXR_DRIVER") != "mlx5":  # which counts contexts without a domain, too
        assert loops(first) == [False, False], "on, for one context"


@row("killed", "a program with objects, subscriptions and queries is killed: nothing is left")
def killed():
    reader, writer = os.pipe()
    child = fork()
    if not child:
        ctx = Context()
        cq = Cq(ctx)
        _, pdn = pd(ctx)
        Qp(ctx, pdn, cq.cqn, cq.uar)
        file = ctx.event_file()
        ctx.subscribe(file, [CQ_ERROR], handle=cq.handle, cookie=1)
        ctx.subscribe(file, [PORT_CHANGE], cookie=2)
        ctx.async_query(cq.handle, command("query_cq", cqn=cq.cqn), ctx.async_file(), 1, 0x110)
        os.write(writer, b"1")
        time.sleep(1000)
    assert os.read(reader, 1) == b"1"
    os.kill(child, 9)
    os.waitpid(child, 0)
    toggle_port()


def waits():
    """Wait for an event until the device goes; then a CQ can no longer be asked, and be closed."""
    ctx = Context()
    cq = Cq(ctx)
    file = ctx.event_file()
    ctx.subscribe(file, [PORT_CHANGE])
    print("ready", flush=True)
    while True:
        try:
            os.read(file, 4096)
        except OSError as e:
            print(errno.errorcode[e.errno])
            assert e.errno == errno.EIO
            break
    try:
        ctx.query(cq.handle, command("query_cq", cqn=cq.cqn), "query_cq_out")
        return "the CQ is still there"
    except Refused as e:
        print("query:", e)
        assert e.code == errno.EIO
    os.close(file)
    ctx.close()
    print("closed")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["obey"]:
        obey(lambda words: rows.apart(lambda: (), words, []))
    if sys.argv[1:] == ["waits"]:
        sys.exit(waits())
    sys.exit(rows.main(__doc__, lambda *words: words))
