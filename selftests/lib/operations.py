# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
What is done with an adapter, as a table of operations, and a sweep that repeats one with a fault at each place in turn. A program brings
the fault, a class:

    Fault(nth)          the nth place from then on; nth beyond the last one: none
    strikes()           a context: what is done inside by this process has the fault
    strikes_work()      likewise what workers of the kernel do meanwhile
    runs(words)         runs a command that has it; as subprocess.run()
    struck()            how often it has struck so far
    deadly              after it the device does not work

With a fault an operation may fail or succeed. It must not hang or have the kernel complain, and without a fault it must succeed.
"""
import contextlib
import os
import re
import signal
import subprocess
import time

from pyverbs import enums as e
from pyverbs.addr import AH, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.flow import Flow, FlowAttr
from pyverbs.mr import MR, MW
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.spec import EthSpec
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wq import RwqIndTable, RwqIndTableInitAttr, RxHashConf, WQ, WQInitAttr
from pyverbs.xrcd import XRCD, XRCDInitAttr
import gids
from libc import fork
import rows
from sides import ALL, ATTACH, DETACH, PORT, Scattered, membership, path_attr, xrc_srq

PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))
LIMIT = 120 * PATIENCE      # seconds for one try
ADDRESS = "10.99.7.7"
AUXILIARY = "/sys/bus/auxiliary"
# Of auxiliary devices the end of the name, and their driver
if rows.driver() == "mlx5":
    DRIVER, CLIENTS = "mlx5_core", {"en": ("eth", "mlx5_core.eth"), "ib": ("rdma", "mlx5_ib.rdma")}
else:
    DRIVER, CLIENTS = "cxr_core", {"en": ("en", "cxr_en.en"), "ib": ("ib", "cxr_ib.cxr_ib")}
# What else can go wrong with a device that has died
DEATH = OSError, PyverbsError, subprocess.CalledProcessError, StopIteration, IndexError
DONE, STRUCK, FAILED = 16, 1, 2     # exit code of a try: DONE and bits


class Try:
    """One try of an operation, in a process of its own"""

    def __init__(self, bdf, fault):
        self.bdf, self.fault, self.failed = bdf, fault, False
        self.pci = f"/sys/bus/pci/devices/{bdf}"

    @contextlib.contextmanager
    def here(self):
        """What is done inside has the fault"""
        with self.fault.strikes():
            try:
                yield
            except (OSError, PyverbsError) as error:
                self.failed = str(error) or type(error).__name__

    @contextlib.contextmanager
    def work(self):
        """What workers of the kernel do meanwhile has the fault"""
        with self.fault.strikes_work():
            yield

    def until(self, there, seconds=3):
        """Wait for an effect, which a fault may prevent."""
        if not reached(there, seconds):
            self.failed = "it has no effect"

    def runs(self, *words):
        """A command that has the fault"""
        done = self.fault.runs(words)
        if done.returncode:
            self.failed = done.stdout.decode(errors="replace").strip() or f"exit code {done.returncode}"

    @staticmethod
    def needs(*words):
        """A command without a fault"""
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    def netdev(self, state="up"):
        """The name of the interface, which is brought up or down"""
        self.client("en", "bind")
        name = sorted(os.listdir(f"{self.pci}/net"))[0]
        self.needs("ip", "link", "set", name, state)
        return name

    def link(self):
        """The file that tells whether the interface has a link, which it has got"""
        carrier = f"/sys/class/net/{self.netdev()}/carrier"
        self.until(lambda: line(carrier) == "1", 20)
        return carrier

    def changes(self, there, back):
        """A setting of the interface, and what undoes it: commands with DEV for its name"""
        name = self.netdev()
        self.runs(*there.replace("DEV", name).split())
        self.needs(*back.replace("DEV", name).split())

    def bound(self):
        return os.path.exists(f"{self.pci}/driver")

    def unbind(self):
        if self.bound():
            put(f"{self.pci}/driver/unbind", self.bdf)

    def bind(self):
        if not self.bound():
            put(f"/sys/bus/pci/drivers/{DRIVER}/bind", self.bdf)

    def client(self, name, what):
        """Bind or unbind the driver of the interface ("en") or of the RDMA device ("ib"), if it is not."""
        self.bind()
        suffix, driver = CLIENTS[name]
        device = next(d for d in os.listdir(self.pci) if d.startswith(f"{DRIVER}.{suffix}."))
        if os.path.exists(f"{self.pci}/{device}/driver") == (what == "unbind"):
            put(f"{AUXILIARY}/drivers/{driver}/{what}", device)

    def ibdev(self):
        self.client("ib", "bind")
        return sorted(os.listdir(f"{self.pci}/infiniband"))[0]

    def context(self):
        return Context(name=self.ibdev())

    def gid_of(self, address):
        """The index of the RoCE v2 GID of an IPv4 address, or None"""
        port = f"/sys/class/infiniband/{self.ibdev()}/ports/{PORT}"
        wanted = gids.ip_gid(address).packed.hex(":", 2)
        for index in os.listdir(f"{port}/gids"):
            if line(f"{port}/gids/{index}") == wanted and line(f"{port}/gid_attrs/types/{index}") == "RoCE v2":
                return int(index)
        return None


def reached(there, seconds):
    """Wait: is it so within this time?"""
    end = time.monotonic() + seconds * PATIENCE
    while not there():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def put(path, value):
    """In one write: a file object repeats one that has failed when it is closed."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, str(value).encode())
    finally:
        os.close(fd)


def get(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


def line(path):
    """Of a file that may not be readable, such as that of a GID that does not exist"""
    try:
        return get(path)
    except OSError:
        return ""


def emulator(bdf, words):
    """The answer to a control command, with FUNCTION for the emulator's name of a function: the guest's, numbered if there are several"""
    name = os.environ.get("CXR_GUEST", "a")
    if os.environ.get("CXR_FUNCTIONS", "1") != "1":
        name += bdf[-1]
    return gids.Emulator().ask(words.replace("FUNCTION", name))


class Hang(Exception):
    """A try takes too long."""


def expire(*_):
    raise Hang


def one(function, bdf, fault):
    """Returns whether the fault has struck and whether the operation failed."""
    limit = LIMIT // 4 if fault.deadly else LIMIT
    pid = fork()
    if not pid:
        code = 1
        try:
            signal.signal(signal.SIGALRM, expire)
            signal.alarm(limit)
            attempt = Try(bdf, fault)
            function(attempt)
            code = DONE | (FAILED if attempt.failed else 0)
            if fault.struck():
                code |= STRUCK
            if attempt.failed:
                print(f"# {fault}: {attempt.failed}", flush=True)
        except Exception as error:  # pylint: disable=broad-exception-caught
            print(f"# {fault}: {type(error).__name__}: {error}", flush=True)
            if fault.deadly and fault.struck() and isinstance(error, DEATH):
                code = DONE | STRUCK | FAILED
        finally:
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    assert not os.WIFSIGNALED(status), f"{fault}: signal {os.WTERMSIG(status)}"
    code = os.WEXITSTATUS(status)
    assert code & DONE, f"{fault}: see above"
    assert code & STRUCK or not code & FAILED, "without a fault it fails"
    return bool(code & STRUCK), bool(code & FAILED)


OPERATIONS = {}


def operation(name, sentence):
    """Decorator that makes a function of a Try an operation"""
    def add(function):
        assert name not in OPERATIONS, name
        OPERATIONS[name] = sentence, function
        return function
    return add


def rows_of(sweep):
    """Each operation becomes a row, which calls sweep(function, bdf)."""
    def run(function):
        return lambda bdf: sweep(function, bdf)
    for name, (sentence, function) in OPERATIONS.items():
        rows.row(name, sentence)(run(function))


# ---- the function -----------------------------------------------------------


@operation("probe.core", "cxr_core is bound to the function, without cxr_en and cxr_ib")
def probe(t):
    t.unbind()
    put(f"{AUXILIARY}/drivers_autoprobe", 0)
    try:
        with t.here():
            t.bind()
    finally:
        put(f"{AUXILIARY}/drivers_autoprobe", 1)
    t.unbind()


@operation("remove.core", "cxr_core is unbound")
def remove(t):
    put(f"{AUXILIARY}/drivers_autoprobe", 0)
    try:
        t.bind()
    finally:
        put(f"{AUXILIARY}/drivers_autoprobe", 1)
    with t.here():
        t.unbind()
    assert not t.bound()


@operation("probe.en", "cxr_en is bound, which makes an interface")
def probe_en(t):
    t.client("en", "unbind")
    with t.here():
        t.client("en", "bind")


@operation("remove.en", "cxr_en is unbound")
def remove_en(t):
    t.client("en", "bind")
    with t.here():
        t.client("en", "unbind")


@operation("probe.ib", "cxr_ib is bound, which makes an RDMA device")
def probe_ib(t):
    t.client("ib", "unbind")
    with t.here():
        t.client("ib", "bind")


@operation("remove.ib", "cxr_ib is unbound")
def remove_ib(t):
    t.client("ib", "bind")
    with t.here():
        t.client("ib", "unbind")


# ---- the interface ----------------------------------------------------------


@operation("open", "the interface is opened")
def open_interface(t):
    t.runs("ip", "link", "set", t.netdev("down"), "up")


@operation("close", "the interface is closed")
def close_interface(t):
    t.runs("ip", "link", "set", t.netdev(), "down")


@operation("mtu", "the MTU changes")
def mtu(t):
    t.changes("ip link set DEV mtu 4000", "ip link set DEV mtu 1500")


@operation("channels", "the number of channels changes")
def channels(t):
    t.changes("ethtool -L DEV combined 1", "ethtool -L DEV combined 2")


@operation("rings", "the rings change")
def rings(t):
    t.changes("ethtool -G DEV rx 512 tx 512", "ethtool -G DEV rx 1024 tx 1024")


@operation("features", "offloads change")
def features(t):
    t.changes("ethtool -K DEV rx-all on rx-fcs on rxhash off rxvlan off", "ethtool -K DEV rx-all off rx-fcs off rxhash on rxvlan on")


@operation("rss", "the indirection table changes")
def rss(t):
    t.changes("ethtool -X DEV equal 1", "ethtool -X DEV default")


RULE = "loc", "5"


@operation("ntuple", "a rule for received packets replaces another")
def ntuple(t):
    rules = "ethtool", "-N", t.netdev()
    t.needs(*rules, "flow-type", "udp4", "dst-port", "9", "action", "0", *RULE)
    t.runs(*rules, "flow-type", "tcp4", "dst-port", "9", "action", "-1", *RULE)
    t.needs(*rules, "delete", "5")


@operation("ntuple.first", "the first rule for received packets is set")
def ntuple_first(t):
    rules = "ethtool", "-N", t.netdev()
    t.runs(*rules, "flow-type", "udp4", "dst-port", "9", "action", "0", *RULE)
    if not t.failed:
        t.needs(*rules, "delete", "5")


@operation("ntuple.open", "an interface with a rule and an RSS context is opened")
def ntuple_open(t):
    name = t.netdev("down")
    t.needs("ethtool", "-X", name, "context", "new", "equal", "1")
    t.needs("ethtool", "-N", name, "flow-type", "udp4", "dst-port", "9", "context", "1", *RULE)
    t.runs("ip", "link", "set", name, "up")
    t.needs("ethtool", "-N", name, "delete", "5")
    t.needs("ethtool", "-X", name, "context", "1", "delete")


@operation("ntuple.delete", "the last rule for received packets is deleted")
def ntuple_delete(t):
    rules = "ethtool", "-N", t.netdev()
    t.needs(*rules, "flow-type", "udp4", "dst-port", "9", "action", "0", *RULE)
    t.runs(*rules, "delete", "5")
    if t.failed:
        t.needs(*rules, "delete", "5")


@operation("context", "an RSS context is created")
def rss_context(t):
    name = t.netdev()
    t.runs("ethtool", "-X", name, "context", "new", "equal", "1")
    if not t.failed:
        t.needs("ethtool", "-X", name, "context", "1", "delete")


@operation("coalescing", "the moderation of interrupts changes")
def coalescing(t):
    t.changes("ethtool -C DEV adaptive-rx off rx-usecs 3", "ethtool -C DEV adaptive-rx on rx-usecs 8")


@operation("timestamps", "timestamps of frames are turned on and off")
def timestamps(t):
    t.changes("hwstamp_ctl -i DEV -t 1 -r 1", "hwstamp_ctl -i DEV -t 0 -r 0")


@operation("mac", "the MAC address changes")
def mac(t):
    t.changes("ip link set DEV address 02:00:00:00:77:77", f"ip link set DEV address {get(f'/sys/class/net/{t.netdev()}/address')}")


@operation("vlan", "a VLAN comes and goes")
def vlan(t):
    name = t.netdev()
    t.runs("ip", "link", "add", "link", name, "name", "cxrvlan", "type", "vlan", "id", "77")
    if os.path.exists("/sys/class/net/cxrvlan"):
        t.runs("ip", "link", "set", "cxrvlan", "up")
        t.needs("ip", "link", "del", "cxrvlan")


@operation("promiscuous", "the interface becomes promiscuous")
def promiscuous(t):
    t.changes("ip link set DEV promisc on", "ip link set DEV promisc off")


@operation("multicast", "the interface listens to a multicast address")
def multicast(t):
    name = t.netdev()
    with t.work():
        for what in "add", "del":
            t.needs("ip", "maddr", what, "33:33:00:00:77:77", "dev", name)
            time.sleep(0.1 * PATIENCE)      # of what the worker does nothing tells


@operation("cable", "the cable is pulled and plugged in again")
def cable(t):
    carrier = t.link()
    if t.failed:
        return
    with t.work():
        for state, value in ("down", "0"), ("up", "1"):
            emulator(t.bdf, f"fault FUNCTION port {state}")
            t.until(lambda v=value: line(carrier) == v)


@operation("gid", "an address comes and goes, and with it a GID")
def gid(t):
    name = t.netdev()
    t.ibdev()
    with t.work():
        t.needs("ip", "addr", "add", f"{ADDRESS}/32", "dev", name)
        t.until(lambda: t.gid_of(ADDRESS) is not None)
        t.needs("ip", "addr", "del", f"{ADDRESS}/32", "dev", name)
        t.until(lambda: t.gid_of(ADDRESS) is None)


@operation("statistics", "statistics are read")
def statistics(t):
    t.runs("ethtool", "-S", t.netdev())


@operation("module", "the EEPROM of the module is read")
def module(t):
    t.runs("ethtool", "-m", t.netdev(), "hex", "on")


@operation("link", "settings of the link are read and changed")
def link(t):
    t.runs("ethtool", t.netdev())
    t.changes("ethtool -s DEV speed 100000 autoneg off", "ethtool -s DEV autoneg on")


@operation("dcb", "traffic classes, priority flow control and buffers change")
def dcb(t):
    name = t.netdev()
    for there, back in (("ets set dev DEV tc-tsa all:ets tc-bw 0:50 1:50 2:0 3:0 4:0 5:0 6:0 7:0", "ets set dev DEV tc-tsa all:strict"),
                        ("pfc set dev DEV prio-pfc 3:on", "pfc set dev DEV prio-pfc all:off"),
                        ("app add dev DEV dscp-prio 10:3", "app del dev DEV dscp-prio 10:3")):
        t.runs("dcb", *there.replace("DEV", name).split())
        subprocess.run(["dcb", *back.replace("DEV", name).split()], check=False, stderr=subprocess.DEVNULL)


# ---- devlink ----------------------------------------------------------------


@operation("dump", "devlink dumps the state of the device and of its queues")
def dump(t):
    for reporter in ("fw", "fw_fatal"):
        t.runs("devlink", "health", "dump", "show", f"pci/{t.bdf}", "reporter", reporter)
        subprocess.run(["devlink", "health", "dump", "clear", f"pci/{t.bdf}", "reporter", reporter], check=False,
                       stderr=subprocess.DEVNULL)


@operation("diagnose", "devlink diagnoses")
def diagnose(t):
    t.runs("devlink", "health", "diagnose", f"pci/{t.bdf}", "reporter", "vnic")


@operation("reload", "devlink reloads the driver")
def reload(t):
    t.runs("devlink", "dev", "reload", f"pci/{t.bdf}")
    if t.failed:    # devlink leaves it without its devices
        t.unbind()
    t.bind()


def recoveries(t):
    """How often the driver has recovered, as devlink counts; -1 if it does not"""
    done = subprocess.run(["devlink", "-j", "health", "show", f"pci/{t.bdf}", "reporter", "fw_fatal"], check=False, stdout=subprocess.PIPE)
    count = re.search(rb'"recover":(\d+)', done.stdout)
    return int(count[1]) if count else -1


@operation("recover", "the driver recovers from a failure of the firmware")
def recover(t):
    reporter = "devlink", "health", "set", f"pci/{t.bdf}", "reporter", "fw_fatal"
    t.netdev()
    t.ibdev()
    t.needs(*reporter, "grace_period", "0", "auto_recover", "true")
    before = recoveries(t)

    def over():
        if not os.path.exists(f"{t.pci}/net"):      # it is given up
            t.failed = "it does not recover"
        return t.failed or recoveries(t) > before
    with t.work():
        emulator(t.bdf, "fault FUNCTION health 7 rfr")
        t.until(over, 10)
    emulator(t.bdf, "fault clear")
    if t.failed:
        t.unbind()
    t.bind()
    t.needs(*reporter, "auto_recover", "false")


# ---- verbs ------------------------------------------------------------------


@operation("verbs.context", "a program opens the device")
def context(t):
    with t.here():
        t.context()


@operation("verbs.pd", "a program allocates a protection domain")
def protection_domain(t):
    ctx = t.context()
    with t.here():
        PD(ctx).close()


@operation("verbs.mr", "a program registers memory, of one page and of many, and releases it")
def memory(t):
    pd = PD(t.context())
    many = Scattered(600)
    with t.here():
        MR(pd, 4096, ALL).close()
        MR(pd, many.size, ALL, many.address).close()


@operation("verbs.rereg", "a program registers memory again, with other rights and another place")
def again(t):
    pd = PD(t.context())
    many = Scattered(600)
    with t.here():
        mr = MR(pd, 4096, ALL)
        mr.rereg(e.IBV_REREG_MR_CHANGE_ACCESS, None, 0, 0, e.IBV_ACCESS_LOCAL_WRITE)
        mr.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION, None, many.address, many.size, 0)
        mr.close()


@operation("verbs.mw", "a program allocates a memory window")
def window(t):
    pd = PD(t.context())
    with t.here():
        MW(pd, e.IBV_MW_TYPE_2).close()


@operation("verbs.cq", "a program creates, resizes and destroys a CQ")
def completions(t):
    ctx = t.context()
    with t.here():
        cq = CQ(ctx, 100, None, None, 0)
        cq.resize(1000)
        cq.close()


def create(pd, cq, kind, **words):
    cap = QPCap(max_send_wr=16, max_recv_wr=16)
    return QP(pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=cap, **words))


def connect(t):
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    with t.here():
        qp = create(pd, cq, e.IBV_QPT_RC)
        qp.to_rts(path_attr(ctx, 0, 1))
        qp.query(e.IBV_QP_STATE)
        qp.close()


@operation("verbs.rc", "a program creates, connects and destroys an RC QP")
def reliable(t):
    connect(t)


@operation("verbs.ud", "a program creates and destroys a UD QP and an address handle")
def datagram(t):
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    gid = ctx.query_gid(PORT, 0)
    with t.here():
        qp = create(pd, cq, e.IBV_QPT_UD)
        qp.to_rts(QPAttr(port_num=PORT))
        AH(pd, attr=AHAttr(gr=GlobalRoute(dgid=gid, sgid_index=0), is_global=1, port_num=PORT)).close()
        qp.close()


@operation("verbs.group", "a UD QP of a program joins a multicast group and leaves it")
def group(t):
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    qp = create(pd, cq, e.IBV_QPT_UD)
    with t.here():
        for command in ATTACH, DETACH:
            if membership(ctx, command) != 1:
                raise OSError("the group is refused")
        qp.close()


@operation("verbs.counter", "a counter is bound to the QPs of programs, and unbound")
def counter(t):
    name = f"{t.ibdev()}/{PORT}"
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    t.needs("rdma", "statistic", "qp", "set", "link", name, "auto", "type", "on")
    qp = create(pd, cq, e.IBV_QPT_RC)
    with t.here():
        qp.to_rts(path_attr(ctx, 0, 1))
    qp.close()
    t.runs("rdma", "statistic", "qp", "show", "link", name)
    t.needs("rdma", "statistic", "qp", "set", "link", name, "auto", "off")


@operation("force", "a traffic class is forced upon the connections of a program, and a TTL")
def force(t):
    rules = f"/sys/class/infiniband/{t.ibdev()}/tc/{PORT}"
    name = t.netdev()
    t.needs("ip", "addr", "replace", f"{ADDRESS}/32", "dev", name)
    t.until(lambda: t.gid_of(ADDRESS) is not None)
    if t.failed:
        return
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    qp = create(pd, cq, e.IBV_QPT_RC)
    qp.to_rts(path_attr(ctx, t.gid_of(ADDRESS), 1))
    with t.here():
        put(f"{rules}/traffic_class", "tclass=64")
        put(f"{rules}/ttl", 7)
    put(f"{rules}/ttl", 0)
    put(f"{rules}/traffic_class", "tclass=-1")
    qp.close()
    t.needs("ip", "addr", "del", f"{ADDRESS}/32", "dev", name)


def flow_to(qp, mac_address):
    attr = FlowAttr(num_of_specs=1, port=PORT)
    attr.specs.append(EthSpec(dst_mac=mac_address, is_inner=0))
    return Flow(qp, attr)


@operation("verbs.raw", "a program creates a raw packet QP with a flow")
def raw(t):
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    with t.here():
        qp = create(pd, cq, e.IBV_QPT_RAW_PACKET)
        qp.to_rts(QPAttr(port_num=PORT))
        flow_to(qp, "02:00:00:00:00:77").close()
        qp.close()


def raw_qp(ctx):
    """A raw packet QP that can send"""
    qp = create(PD(ctx), CQ(ctx, 100, None, None, 0), e.IBV_QPT_RAW_PACKET)
    qp.to_rts(QPAttr(port_num=PORT))
    return qp


@operation("verbs.flows", "flows of a program come and go in a table that has others")
def flows(t):
    qp = raw_qp(t.context())
    kept = flow_to(qp, "02:00:00:00:00:66")
    with t.here():
        for _ in range(3):
            flow_to(qp, "02:00:00:00:00:77").close()
    kept.close()
    qp.close()


@operation("verbs.srq", "a program creates, changes and destroys an SRQ")
def shared(t):
    pd = PD(t.context())
    with t.here():
        srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=100)))
        srq.modify(SrqAttr(srq_limit=5), e.IBV_SRQ_LIMIT)
        srq.query()
        srq.close()


@operation("verbs.xrc", "a program opens an XRC domain and creates an SRQ and QPs of it")
def extended(t):
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    with t.here():
        domain = XRCD(ctx, XRCDInitAttr(e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS, os.O_CREAT, -1))
        srq = xrc_srq(ctx, pd, domain, cq)
        target = QP(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_XRC_RECV, comp_mask=e.IBV_QP_INIT_ATTR_XRCD, xrcd=domain))
        source = QP(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_XRC_SEND, comp_mask=e.IBV_QP_INIT_ATTR_PD, pd=pd, scq=cq,
                                      cap=QPCap(max_send_wr=16, max_recv_wr=0, max_recv_sge=0)))
        for thing in (source, target, srq, domain):
            thing.close()


def spreading_qp(ctx, pd, table):
    key = list(range(40))
    conf = RxHashConf(rx_hash_function=e.IBV_RX_HASH_FUNC_TOEPLITZ, rx_hash_key_len=len(key), rx_hash_key=key,
                      rx_hash_fields_mask=e.IBV_RX_HASH_SRC_IPV4 | e.IBV_RX_HASH_DST_IPV4)
    mask = e.IBV_QP_INIT_ATTR_CREATE_FLAGS | e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_RX_HASH | e.IBV_QP_INIT_ATTR_IND_TABLE
    return QPEx(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_RAW_PACKET, comp_mask=mask, pd=pd, hash_conf=conf, ind_table=table))


@operation("verbs.rss", "a program creates work queues, a table of them and a QP that spreads over it")
def spread(t):
    ctx = t.context()
    pd, cq = PD(ctx), CQ(ctx, 100, None, None, 0)
    with t.here():
        init = WQInitAttr(wq_context=None, wq_pd=pd, wq_cq=cq, wq_type=e.IBV_WQT_RQ, max_wr=16, max_sge=1)
        queues = [WQ(ctx, init) for _ in (1, 2)]
        table = RwqIndTable(ctx, RwqIndTableInitAttr(1, queues))
        qp = spreading_qp(ctx, pd, table)
        for thing in (qp, table, *queues):
            thing.close()
