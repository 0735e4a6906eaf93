#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: dc.py list
       dc.py obey PEER PORT DEVICE GIDS PEER-DEVICE PEER-GIDS    a worker of lib/obey.sh
       dc.py serve PORT                                          the far end, until stopped
       dc.py waits DEVICE GID                                    a program whose device goes

DC transport: initiators here, targets in the other guest. `list` prints ids and sentences of the tests. GIDS are three indices,
separated by commas: RoCE v1, v2 over IPv4, v2 over IPv6.
"""

import errno
import json
import os
import pathlib
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import pyverbs.providers.mlx5.mlx5_enums as dve  # noqa: E402
from pyverbs import enums as e  # noqa: E402
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute  # noqa: E402
from pyverbs.cq import CQ  # noqa: E402
from pyverbs.mr import MR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402
from pyverbs.providers.mlx5.mlx5dv import Mlx5Context, Mlx5DVContextAttr, Mlx5DVDCInitAttr, Mlx5DVQPInitAttr, Mlx5QP  # noqa: E402
from pyverbs.pyverbs_error import PyverbsError, PyverbsRDMAError  # noqa: E402
from pyverbs.qp import QPAttr, QPCap, QPInitAttrEx  # noqa: E402
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr  # noqa: E402
from pyverbs.wr import SGE, RecvWR  # noqa: E402
import differences as raw  # noqa: E402
from devx_commands import Context as DevxContext, Cq, command, get  # noqa: E402
from libc import fork  # noqa: E402
from obey import obey  # noqa: E402
import rows  # noqa: E402
from rows import row  # noqa: E402
from sides import close_when_gone  # noqa: E402
from uverbs import ALLOC_PD, CREATE_QP, Refused, own_gids  # noqa: E402

KEY, WRONG_KEY = 0x1234567890abcdef, 0x1234567890abcdee
PORT = 1
ALL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC
OPS = (e.IBV_QP_EX_WITH_SEND | e.IBV_QP_EX_WITH_SEND_WITH_IMM | e.IBV_QP_EX_WITH_RDMA_WRITE | e.IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
       e.IBV_QP_EX_WITH_RDMA_READ | e.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | e.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
ROOM = 1 << 20
SLOT = 8192
KEY_VIOLATION = 0x1d
# MLX5_QP_FLAG_*
TUNNELS, DCT, DCI, SELF, CREDIT, UAR, STREAMS, UNKNOWN = 1 << 2, 1 << 4, 1 << 5, 1 << 6, 1 << 9, 1 << 10, 1 << 11, 1 << 31
SECONDS = 20


class Failed(Exception):
    def __init__(self, status):
        super().__init__(f"completion with status {status}")
        self.status = status


class End:
    """A device with memory; its targets receive into an SRQ."""

    def __init__(self, dev, index, size=ROOM):
        self.ctx = Mlx5Context(Mlx5DVContextAttr(), name=dev)
        self.index = index
        self.gid = self.ctx.query_gid(PORT, index)
        self.pd = PD(self.ctx)
        self.cq, self.rcq = CQ(self.ctx, 255, None, None, 0), CQ(self.ctx, 255, None, None, 0)
        self.srq = SRQ(self.pd, SrqInitAttr(SrqAttr(max_wr=128, max_sge=1)))
        self.mr = MR(self.pd, size, ALL)

    def path(self, gid):
        return AHAttr(gr=GlobalRoute(dgid=gid, sgid_index=self.index, hop_limit=64), is_global=1, port_num=PORT)

    def ah(self, gid):
        return AH(self.pd, attr=self.path(GID(gid)))

    def attr(self, access=ALL):
        attr = QPAttr(port_num=PORT)
        attr.qp_access_flags = access
        attr.ah_attr = self.path(self.gid)
        attr.path_mtu = e.IBV_MTU_1024
        attr.min_rnr_timer, attr.timeout, attr.retry_cnt, attr.rnr_retry = 1, 14, 7, 7
        attr.max_rd_atomic = 4
        return attr

    def qp(self, init, kind):
        attr = Mlx5DVQPInitAttr(comp_mask=dve.MLX5DV_QP_INIT_ATTR_MASK_DC, dc_init_attr=kind)
        return Mlx5QP(self.ctx, init, attr)

    def new_target(self, key=KEY):
        init = QPInitAttrEx(cap=QPCap(0, 0, 0, 0), pd=self.pd, scq=self.cq, rcq=self.rcq, srq=self.srq, qp_type=e.IBV_QPT_DRIVER,
                            comp_mask=e.IBV_QP_INIT_ATTR_PD)
        return self.qp(init, Mlx5DVDCInitAttr(dc_type=dve.MLX5DV_DCTYPE_DCT, dct_access_key=key))

    def target(self, key=KEY, access=ALL):
        target = self.new_target(key)
        target.to_rtr(self.attr(access))
        return target

    def new_initiator(self):
        init = QPInitAttrEx(cap=QPCap(64, 0, 1, 0), pd=self.pd, scq=self.cq, rcq=self.rcq, qp_type=e.IBV_QPT_DRIVER, sq_sig_all=1,
                            send_ops_flags=OPS, comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
        return self.qp(init, Mlx5DVDCInitAttr())

    def initiator(self):
        qp = self.new_initiator()
        qp.to_rts(self.attr())
        return qp

    def recv(self, n=1):
        for i in range(n):
            self.srq.post_recv(RecvWR(wr_id=i, sg=[SGE(self.mr.buf + i * SLOT, SLOT, self.mr.lkey)], num_sge=1))

    @staticmethod
    def wait(cq, n=1):
        got, end = [], time.time() + SECONDS
        while len(got) < n:
            got += cq.poll(n - len(got))[1]
            assert time.time() < end, f"{len(got)} of {n} completions after {SECONDS} s"
        for wc in got:
            if wc.status != e.IBV_WC_SUCCESS:
                raise Failed(wc.status)
        return got

    def post(self, qp, op, to, length, key=KEY, offset=0, imm=0, values=()):
        """Post a request of @length bytes at @offset to @to: what a far end says of its target"""
        qp.wr_start()
        qp.wr_id = 1
        qp.wr_flags = e.IBV_SEND_SIGNALED
        if op in ("wr_send", "wr_send_imm"):
            getattr(qp, op)(*([imm] if op == "wr_send_imm" else []))
        elif op == "wr_rdma_write_imm":
            qp.wr_rdma_write_imm(to["rkey"], to["addr"], imm)
        else:
            getattr(qp, op)(to["rkey"], to["addr"], *values)
        qp.wr_set_dc_addr(to["ah"], to["dctn"], key)
        qp.wr_set_sge(SGE(self.mr.buf + offset, length, self.mr.lkey))
        qp.wr_complete()

    def do(self, *args, **more):
        self.post(*args, **more)
        self.wait(self.cq)


# ---- the far end ----------------------------------------------------------------------------------------------------------

class Far:
    """Answers the requests of one connection"""

    def __init__(self, dev, index):
        self.end = End(dev, index)
        self.targets = []

    def target(self, key=KEY, access=ALL):
        self.targets.append(self.end.target(key, access))
        return {"number": len(self.targets) - 1, "dctn": self.targets[-1].qp_num, "gid": str(self.end.gid), "rkey": self.end.mr.rkey,
                "addr": self.end.mr.buf}

    def destroy(self, number):
        self.targets[number].close()

    def recv(self, n):
        self.end.recv(n)

    def received(self, n):
        return [[wc.byte_len, wc.opcode, wc.imm_data if wc.wc_flags & e.IBV_WC_WITH_IMM else None, wc.qp_num]
                for wc in self.end.wait(self.end.rcq, n)]

    def fill(self, seed, length):
        self.end.mr.write(random.Random(seed).randbytes(length), length)

    def read(self, length, offset=0):
        return self.end.mr.read(length, offset).hex()


def serve_one(conn):
    lines = conn.makefile("rw")
    far = Far(*json.loads(lines.readline()))
    lines.write("null\n")
    lines.flush()
    for line in lines:
        name, args = json.loads(line)
        try:
            answer = getattr(far, name)(*args)
        except Exception as why:  # pylint: disable=broad-exception-caught
            answer = {"error": repr(why)}
        lines.write(json.dumps(answer) + "\n")
        lines.flush()


def serve(port):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.create_server(("", port), reuse_port=True)
    while True:
        conn, _ = listener.accept()
        if not fork():
            listener.close()
            serve_one(conn)
            os._exit(0)
        conn.close()


class Peer:
    """The far end as this one sees it"""

    def __init__(self, address, dev, index):
        self.lines = socket.create_connection(address, timeout=4 * SECONDS).makefile("rw")
        self.ask_raw([dev, index])

    def ask_raw(self, what):
        self.lines.write(json.dumps(what) + "\n")
        self.lines.flush()
        answer = json.loads(self.lines.readline())
        assert not isinstance(answer, dict) or "error" not in answer, answer["error"]
        return answer

    def __getattr__(self, name):
        return lambda *args: self.ask_raw([name, args])


class Net:
    """What the tests get: both devices, by RoCE version"""

    def __init__(self, host, port, dev, gids, peer_dev, peer_gids):
        self.address, self.dev, self.peer_dev = (host, int(port)), dev, peer_dev
        self.gids = dict(zip(("v1", "v2", "v6"), map(int, gids.split(","))))
        self.peer_gids = dict(zip(("v1", "v2", "v6"), map(int, peer_gids.split(","))))

    def near(self, version="v2", size=ROOM):
        return End(self.dev, self.gids[version], size)

    def far(self, version="v2"):
        return Peer(self.address, self.peer_dev, self.peer_gids[version])

    def pair(self, *args, version="v2"):
        """Both ends, and a target of the far one"""
        near, far = self.near(version), self.far(version)
        return near, far, aimed(near, far.target(*args))


def aimed(near, to):
    return {**to, "ah": near.ah(to["gid"])}


def data(seed, length):
    return random.Random(seed).randbytes(length)


def refused(code, call, *args, **more):
    try:
        call(*args, **more)
    except (PyverbsRDMAError, Refused) as why:
        got = why.error_code if isinstance(why, PyverbsRDMAError) else why.code
        assert got in (code if isinstance(code, tuple) else (code,)), f"{errno.errorcode.get(got, got)} instead of {code}"
        return
    raise AssertionError(f"accepted instead of {code}")


def fails(call, *args, **more):
    """The status of the completion"""
    try:
        call(*args, **more)
    except Failed as why:
        return why.status
    raise AssertionError("the request succeeded")


# ---- data ---------------------------------------------------------------------------------------------------------------------

def every_operation(net, version):
    near, far, to = net.pair(version=version)
    qp = near.initiator()
    for length in (1, 1000, 1024, 5000, 100000):
        near.mr.write(data(length, length), length)
        near.do(qp, "wr_rdma_write", to, length)
        assert far.read(length) == data(length, length).hex(), f"WRITE of {length} bytes"
        far.fill(length + 1, length)
        near.do(qp, "wr_rdma_read", to, length)
        assert near.mr.read(length, 0) == data(length + 1, length), f"READ of {length} bytes"
    for length in (0, 1, 1024, 8000):
        near.mr.write(data(length, length), length)
        far.recv(2)
        near.do(qp, "wr_send", to, length)
        near.mr.write(data(length + 1, length), length)
        near.do(qp, "wr_send_imm", to, length, imm=socket.htonl(0x12345678))
        assert [g[::2] for g in far.received(2)] == [[length, None], [length, 0x12345678]]
        assert far.read(length) == data(length, length).hex(), f"SEND of {length} bytes"
        assert far.read(length, SLOT) == data(length + 1, length).hex(), f"SEND with immediate data of {length} bytes"
    far.recv(1)
    near.mr.write(data(64, 64), 64)
    near.do(qp, "wr_rdma_write_imm", to, 64, imm=socket.htonl(77))
    assert far.received(1)[0][2] == 77
    assert far.read(64) == data(64, 64).hex(), "WRITE with immediate data"
    atomics(near, far, to, qp)


def atomics(near, far, to, qp):
    near.mr.write(struct.pack("<Q", 1000), 8)
    near.do(qp, "wr_rdma_write", to, 8)
    near.do(qp, "wr_atomic_fetch_add", to, 8, values=(5,))
    assert near.mr.read(8, 0) == struct.pack("<Q", 1000)
    near.do(qp, "wr_atomic_cmp_swp", to, 8, values=(1005, 7))
    assert near.mr.read(8, 0) == struct.pack("<Q", 1005)
    assert far.read(8) == struct.pack("<Q", 7).hex()


@row("v1", "over RoCE v1 all operations reach a target in the other guest: SEND, WRITE, READ, atomics, with immediate data")
def over_v1(net):
    every_operation(net, "v1")


@row("v2", "over RoCE v2 with IPv4: the same")
def over_v2(net):
    every_operation(net, "v2")


@row("v6", "over RoCE v2 with IPv6: the same")
def over_v6(net):
    every_operation(net, "v6")


@row("targets", "one initiator sends to three targets in turn, at both ends, without a connection to any of them")
def targets(net):
    near, far, first = net.pair()
    second = aimed(near, far.target(KEY + 1))
    here = net.near()
    own = here.target(KEY + 2)
    third = {"dctn": own.qp_num, "ah": near.ah(str(here.gid)), "rkey": here.mr.rkey, "addr": here.mr.buf}
    qp = near.initiator()
    for i in range(20):
        for n, to in enumerate((first, second, third)):
            sent = data(3 * i + n, 4000)
            near.mr.write(sent, 4000)
            near.do(qp, "wr_rdma_write", to, 4000, key=KEY + n)
            got = here.mr.read(4000, 0).hex() if to is third else far.read(4000)
            assert got == sent.hex()


@row("queued", "requests to two targets that are queued together arrive in order at each")
def queued(net):
    near, far, first = net.pair()
    second = aimed(near, far.target(KEY + 1))
    qp = near.initiator()
    far.recv(64)
    for i in range(32):
        near.post(qp, "wr_send_imm", (first, second)[i % 2], 100, KEY + i % 2, imm=socket.htonl(i))
    near.wait(near.cq, 32)
    got = far.received(32)
    for n, to in enumerate((first, second)):
        # in host order
        assert [imm for _, _, imm, qpn in got if qpn == to["dctn"]] == list(range(n, 32, 2)), got


@row("initiators", "a hundred initiators send to one target")
def initiators(net):
    near, far, to = net.pair()
    qps = [near.initiator() for _ in range(100)]
    far.recv(100)
    for qp in qps:
        near.post(qp, "wr_send", to, 500)
    near.wait(near.cq, 100)
    assert len(far.received(100)) == 100


# ---- what fails -----------------------------------------------------------------------------------------------------------------

@row("key", "a request with a wrong key fails; the target and another initiator go on")
def key(net):
    near, _, to = net.pair()
    qp, other = near.initiator(), near.initiator()
    near.do(other, "wr_rdma_write", to, 100)
    assert fails(near.do, qp, "wr_rdma_write", to, 100, key=WRONG_KEY) in (e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_REM_OP_ERR)
    near.do(other, "wr_rdma_write", to, 100)
    restart(near, qp)
    near.do(qp, "wr_rdma_write", to, 100)


def restart(near, qp):
    qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
    qp.to_rts(near.attr())


@row("access", "a target gives the access that it was made with, and no other")
def access(net):
    near, _, to = net.pair(KEY, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
    qp = near.initiator()
    near.do(qp, "wr_rdma_write", to, 100)
    assert fails(near.do, qp, "wr_rdma_read", to, 100) in (e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_REM_INV_REQ_ERR)
    restart(near, qp)
    assert fails(near.do, qp, "wr_atomic_fetch_add", to, 8, values=(1,)) in (e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_REM_INV_REQ_ERR)


@row("nobody", "a request to a target that is gone fails")
def nobody(net):
    near, far, to = net.pair()
    qp = near.initiator()
    near.do(qp, "wr_rdma_write", to, 100)
    far.destroy(to["number"])
    fails(near.do, qp, "wr_rdma_write", to, 100)


@row("busy", "a target is destroyed under large messages: the initiator gets an error, and nobody hangs")
def busy(net):
    near, far, to = net.pair()
    qp = near.initiator()
    for _ in range(60):
        near.post(qp, "wr_rdma_write", to, ROOM)
    far.destroy(to["number"])
    # All of them may have been faster. This one is not.
    near.post(qp, "wr_rdma_write", to, ROOM)
    fails(near.wait, near.cq, 61)
    again = aimed(near, far.target())
    restart(near, qp)
    while near.cq.poll(16)[0]:
        pass
    near.do(qp, "wr_rdma_write", again, 100)


def child(run):
    """Run a function in a process of its own, and kill that once it is ready."""
    reader, writer = os.pipe()
    pid = fork()
    if not pid:
        run(lambda: os.write(writer, b"1"))
        os._exit(1)
    assert os.read(reader, 1) == b"1"
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@row("killed.initiator", "a process with initiators and requests on their way is killed; the target goes on")
def killed_initiator(net):
    def run(ready):
        near = net.near()
        to = aimed(near, shared)
        qps = [near.initiator() for _ in range(8)]
        for _ in range(30):
            for qp in qps:
                near.post(qp, "wr_rdma_write", to, ROOM)
        ready()
        time.sleep(1000)

    far = net.far()
    shared = far.target()
    child(run)
    near = net.near()
    near.do(near.initiator(), "wr_rdma_write", aimed(near, shared), 100)


@row("killed.target", "a process with targets is killed while they are written to")
def killed_target(net):
    near, qp = net.near(), None
    reader, writer = os.pipe()

    def run(ready):
        here = net.near()
        held = [here.target() for _ in range(8)]
        os.write(writer, json.dumps([held[0].qp_num, str(here.gid), here.mr.rkey, here.mr.buf]).encode())
        ready()
        time.sleep(1000)

    pid = fork()
    if not pid:
        run(lambda: None)
    dctn, gid, rkey, addr = json.loads(os.read(reader, 4096))
    qp = near.initiator()
    to = {"dctn": dctn, "ah": near.ah(gid), "rkey": rkey, "addr": addr}
    for _ in range(60):
        near.post(qp, "wr_rdma_write", to, ROOM)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    # those may have been done before
    near.post(qp, "wr_rdma_write", to, ROOM)
    fails(near.wait, near.cq, 61)


# ---- states and queries --------------------------------------------------------------------------------------------------------

@row("states", "a target goes from RESET over INIT to RTR, and nowhere else")
def states(net):
    near = net.near()
    target = near.new_target()
    refused(errno.EINVAL, target.query, e.IBV_QP_STATE)
    refused(errno.EINVAL, target.modify, QPAttr(qp_state=e.IBV_QPS_RTR), e.IBV_QP_STATE)
    attr = near.attr()
    target.to_init(attr)
    for state in (e.IBV_QPS_INIT, e.IBV_QPS_RTS, e.IBV_QPS_ERR, e.IBV_QPS_RESET):
        refused(errno.EINVAL, target.modify, QPAttr(qp_state=state), e.IBV_QP_STATE)
    target.close()
    target = near.target(access=e.IBV_ACCESS_REMOTE_WRITE)
    for state in (e.IBV_QPS_RTR, e.IBV_QPS_RTS, e.IBV_QPS_ERR, e.IBV_QPS_RESET):
        refused(errno.EINVAL, target.modify, QPAttr(qp_state=state), e.IBV_QP_STATE)


@row("query", "a target in RTR tells its state, access, MTU and timer; an initiator tells what a QP tells")
def query(net):
    near = net.near()
    target = near.target(access=e.IBV_ACCESS_REMOTE_WRITE)
    got, _ = target.query(e.IBV_QP_STATE | e.IBV_QP_ACCESS_FLAGS | e.IBV_QP_PORT | e.IBV_QP_PATH_MTU | e.IBV_QP_MIN_RNR_TIMER)
    assert (got.qp_state, got.qp_access_flags, got.port_num, got.path_mtu, got.min_rnr_timer) == \
        (e.IBV_QPS_RTR, e.IBV_ACCESS_REMOTE_WRITE, PORT, e.IBV_MTU_1024, 1), str(got)
    refused(errno.EINVAL, target.query, e.IBV_QP_DEST_QPN)
    got, _ = near.initiator().query(e.IBV_QP_STATE)
    assert (got.qp_state, got.path_mtu, got.retry_cnt, got.rnr_retry, got.max_rd_atomic) == \
        (e.IBV_QPS_RTS, e.IBV_MTU_1024, 7, 7, 4), str(got)


@row("shown", "rdma resource shows an initiator as DCI, of 6.12 on, and no target")
def shown(net):
    near = net.near()
    qp, target = near.initiator(), near.target()
    lines = subprocess.run(["rdma", "resource", "show", "qp", "-dd"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    kind = "" if rows.kernel().startswith("6.1.") or rows.kernel() == "6.1" else "DCI"
    assert any(f"lqpn {qp.qp_num} " in line and kind in line for line in lines), lines
    assert not any(f"lqpn {target.qp_num} " in line for line in lines), lines


# ---- requests without a library ---------------------------------------------------------------------------------------------

class Raw(raw.Asker, DevxContext):
    """A context with a number of its own, and QPs that a library would not ask for"""

    def __init__(self):
        super().__init__(random.Random(1), raw.Memory(), own_gids())
        self.page, self.page_at = self.uar()
        self.pd0, self.cq0 = self.pd(), None
        self.cq0, self.srq0 = self.a_cq(), self.a_srq()

    def make(self, flags, cut=None, tail=b"", streams=0, **other):
        """Handle of a new QP of type DRIVER"""
        target = flags & DCT
        values = {"pd": self.pd0, "scq": self.cq0, "rcq": self.cq0, "kind": raw.DRIVER_QP, "send_wr": 0 if target else 16,
                  "send_sge": 1, "is_srq": 1 if target else 0, "srq": self.srq0 if target else 0}
        driver = {"uidx": 5, "flags": flags, "sq_buf": KEY, "reserved": streams}
        if not target:
            driver.update(buf=self.memory.queue, db=self.memory.record + 64, sq_wqes=64, bfreg=self.page, sq_buf=0,
                          flags=flags | UAR)
        for name, value in other.items():
            (driver if name in raw.QP_DRIVER.names else values)[name] = value
        data = raw.QP_DRIVER.pack(driver)[:cut] + tail
        return struct.unpack_from("<I", self.command(CREATE_QP, raw.QP.pack(values), 32 + 32, data))[0]

    def move(self, qp, state, mask, room=16, driver=b"", **other):
        values = {**self.attributes(qp, "RC", state), "mask": mask, **other}
        return self.extended(raw.MODIFY_QP, raw.MODIFY_EX.pack(values), 8, driver, room)[8:]

    def target(self):
        """(handle, number)"""
        qp = self.make(DCT)
        self.move(qp, raw.INIT, TO_INIT)
        return qp, struct.unpack_from("<II", self.move(qp, raw.RTR, TO_RTR))[1]


TO_INIT = raw.STATE | raw.ACCESS | raw.PKEY | raw.PORT
TO_RTR = raw.STATE | raw.AV | raw.PATH_MTU | raw.MIN_RNR


@row("refused", "QPs of type DRIVER that are neither initiator nor target, or lack something, are refused")
def not_made(_):
    rows.shares_pages()
    ctx = Raw()
    ctx.make(DCI)
    ctx.make(DCI | STREAMS, streams=0x0204)
    ctx.target()
    wrong = (errno.EINVAL, errno.EOPNOTSUPP)
    for flags in (0, DCI | DCT, DCI | TUNNELS, DCT | TUNNELS, DCI | CREDIT, DCT | SELF, DCI | UNKNOWN, DCT | UNKNOWN):
        refused(wrong, ctx.make, flags)
    refused(wrong, ctx.make, DCT, is_srq=0, srq=0)
    refused(wrong, ctx.make, DCI, recv_wr=16, recv_sge=1, rq_wqes=16, rq_shift=4)
    refused(wrong, ctx.make, DCI, rq_shift=4)
    refused(wrong + (errno.EIO,), ctx.make, DCI, sq_wqes=0)     # in-tree: what the device says of the length
    refused(wrong, ctx.make, DCI, sq_wqes=63)
    refused(wrong, ctx.make, DCI, uidx=0x1000000)
    refused(wrong, ctx.make, DCT, uidx=0xffffff)
    for kind in (DCI, DCT):
        refused(wrong, ctx.make, kind, cut=44)
        refused(wrong, ctx.make, kind, tail=b"\1" * 8)
        refused(wrong, ctx.make, kind, streams=1 << 16)
    refused(wrong, ctx.make, DCI | STREAMS, streams=0x001f)
    refused(wrong, ctx.make, DCI | STREAMS, streams=0x1f00)


@row("refused.states", "and transitions with attributes too many or too few, or no room for the number of the target")
def not_moved(_):
    ctx = Raw()
    wrong = (errno.EINVAL, errno.EOPNOTSUPP)
    qp = ctx.make(DCT)
    for mask in (raw.STATE, TO_INIT & ~raw.ACCESS, TO_INIT & ~raw.PKEY, TO_INIT & ~raw.PORT, TO_INIT | raw.QKEY, TO_INIT | 2):
        refused(wrong, ctx.move, qp, raw.INIT, mask)
    refused(wrong, ctx.move, qp, raw.INIT, TO_INIT, port_num=2)
    refused(wrong, ctx.move, qp, raw.RTR, TO_RTR)
    ctx.move(qp, raw.INIT, TO_INIT)
    for mask in (raw.STATE, TO_RTR & ~raw.AV, TO_RTR & ~raw.PATH_MTU, TO_RTR & ~raw.MIN_RNR, TO_RTR | raw.DEST_QPN):
        refused(wrong, ctx.move, qp, raw.RTR, mask)
    for mtu in (0, 6, 7):
        refused(wrong, ctx.move, qp, raw.RTR, TO_RTR, mtu=mtu)
    refused(wrong, ctx.move, qp, raw.RTR, TO_RTR, room=0)
    refused(wrong, ctx.move, qp, raw.RTR, TO_RTR, driver=bytes(8))
    refused(wrong, ctx.move, qp, raw.RTR, TO_RTR, driver=b"\1" + bytes(15))
    refused(wrong, ctx.move, qp, raw.RTR, TO_RTR, driver=bytes(16) + b"\1" * 8)
    length, dctn = struct.unpack_from("<II", ctx.move(qp, raw.RTR, TO_RTR, room=8))
    assert (length, dctn != 0) == (8, True), (length, dctn)
    refused(wrong, ctx.move, qp, raw.RTR, TO_RTR)
    dci = ctx.make(DCI)
    refused(wrong, ctx.move, dci, raw.INIT, TO_INIT)
    refused(wrong, ctx.move, dci, raw.RTS, raw.RC_RTS)
    ctx.move(dci, raw.INIT, raw.STATE | raw.PKEY | raw.PORT, room=0)
    refused(wrong, ctx.move, dci, raw.RTR, TO_RTR)
    ctx.move(dci, raw.RTR, raw.STATE | raw.PATH_MTU, room=0)
    refused(wrong, ctx.move, dci, raw.RTS, raw.RC_RTS, rd_atomic=255)
    ctx.move(dci, raw.RTS, raw.RC_RTS, room=0)
    ctx.move(dci, raw.RTS, raw.STATE | raw.MIN_RNR, room=0)
    refused(wrong, ctx.move, dci, raw.SQD, raw.STATE)
    ctx.move(dci, raw.ERR, raw.STATE, room=0)
    ctx.move(dci, raw.RESET, raw.STATE, room=0)


def violated(near, to):
    """One request with a wrong key"""
    fails(near.do, near.initiator(), "wr_rdma_write", to, 100, key=WRONG_KEY)


def violations(ctx, handle, dctn):
    out = ctx.query(handle, command("query_dct", dctn=dctn), "query_dct_out")
    return get(out, "query_dct_out", "dct_context_entry.dc_access_key_violation_count")


@row("devx", "a program asks the device about a target of verbs by a command, but not about another target")
def by_command(net):
    ctx, near = Raw(), net.near()
    ctx.gids = [entry for entry in ctx.gids if entry[0] == near.index]
    qp, dctn = ctx.target()
    _, other = ctx.target()
    assert violations(ctx, qp, dctn) == 0
    violated(near, {"dctn": dctn, "ah": near.ah(str(near.gid)), "rkey": 0, "addr": 0})
    assert violations(ctx, qp, dctn) == 1
    refused(errno.EINVAL, violations, ctx, qp, other)
    ctx.modify(qp, command("arm_dct_for_key_violation", dct_number=dctn))
    refused(errno.EINVAL, ctx.modify, qp, command("arm_dct_for_key_violation", dct_number=other))


@row("event", "a program that has made and armed a target by commands hears of the next wrong key")
def event(net):
    ctx, near = Raw(), net.near()
    handle, pdn = struct.unpack("<II", ctx.command(ALLOC_PD, b"", 8))
    srq = ctx.command(raw.CREATE_SRQ, raw.SRQ.pack({"pd": handle, "wr": 15, "sge": 1}), 16 + 8,
                      raw.SRQ_DRIVER.pack({"buf": ctx.memory.other_queue, "db": ctx.memory.record + 256, "uidx": 7}))
    values = {"pd": pdn, "cqn": Cq(ctx).cqn, "srqn_xrqn": raw.SRQ_RESPONSE.read(srq)["driver_srqn"], "dc_access_key": KEY, "rwe": 1,
              "port": PORT, "mtu": e.IBV_MTU_1024, "my_addr_index": near.index, "hop_limit": 64}
    target, out = ctx.create(command("create_dct", **{"dct_context_entry__" + name: value for name, value in values.items()}),
                             "create_dct_out")
    dctn = get(out, "create_dct_out", "dctn")
    file = ctx.event_file()
    ctx.subscribe(file, [KEY_VIOLATION], handle=target, cookie=0x77)
    ctx.modify(target, command("arm_dct_for_key_violation", dct_number=dctn))
    violated(near, {"dctn": dctn, "ah": near.ah(str(near.gid)), "rkey": 0, "addr": 0})
    assert select.select([file], [], [], SECONDS)[0], "no event"
    assert struct.unpack_from("<Q", os.read(file, 4096))[0] == 0x77
    ctx.destroy(target)


# ---- the program ---------------------------------------------------------------------------------------------------------------

def waits(dev, index):
    """Hold targets and initiators until the device goes: some are written to, others have done nothing."""
    end = End(dev, int(index))
    held = [end.target() for _ in range(4)] + [end.initiator() for _ in range(4)]
    to = {"dctn": held[0].qp_num, "ah": end.ah(str(end.gid)), "rkey": end.mr.rkey, "addr": end.mr.buf}
    try:
        while True:
            end.do(held[4], "wr_rdma_write", to, 8 * SLOT)
            held[0].query(e.IBV_QP_STATE)
            print("ready", flush=True)
    except (PyverbsError, AssertionError, Failed) as why:
        print(why, flush=True)
    close_when_gone(end.ctx, failed=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["obey"]:
        the_net = Net(*sys.argv[2:])
        obey(lambda words: rows.apart(lambda: (the_net,), words, []))
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]))
    if sys.argv[1:2] == ["waits"]:
        sys.exit(waits(*sys.argv[2:]))
    sys.exit(rows.main(__doc__, lambda *words: words))
