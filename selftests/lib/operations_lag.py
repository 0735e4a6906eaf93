# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Operations (operations.py) on the two ports of a card in a RoCE LAG. Faults strike the function of port 1, which has the RDMA device.
"""
import contextlib
import os
import subprocess

from kernel_log import KernelLog
from operations import ADDRESS, DRIVER, Try, connect, emulator, get, line, operation, put, reached

BOND, PARENT, LAG = "cxrbond", "cxrparent", "mlx5_bond_0"
# After a command to destroy it was refused. The driver asks for this.
STUCK = "unbind this function and bind it again"


def second(t):
    return Try(f"{t.bdf[:-1]}1", t.fault)


def device(t):
    """The RDMA device of a function, or None"""
    try:
        return os.listdir(f"{t.pci}/infiniband")[0]
    except (FileNotFoundError, IndexError):
        return None


def is_lag(t):
    return device(t) == LAG


def is_pair(t):
    return device(t) and device(second(t)) and not is_lag(t)


def attribute(t, name):
    return f"/sys/bus/pci/drivers/{DRIVER}/{t.bdf}/{name}"


def says(t, state):
    """What the driver tells of the LAG of a function"""
    return state in line(attribute(t, "lag_state"))


def wait(there, what):
    assert reached(there, 20), what


def may_fail(*words):
    subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def apart(t):
    """No LAG is wanted: the driver leaves it, whatever had failed."""
    may_fail("ip", "link", "del", BOND)
    if t.bound():
        put(attribute(t, "roce_lag_ecmp_dev"), "\n")
    may_fail("ip", "link", "del", PARENT)
    if not t.fault.deadly:
        wait(lambda: not t.bound() or says(t, "off"), "the LAG is not left")


@contextlib.contextmanager
def pair(t):
    """Inside and afterwards both functions are bound and have an RDMA device and an interface, which is up, of their own."""
    said = KernelLog()
    both = t, second(t)

    def settle():
        apart(t)
        if any(STUCK in text for text in said.lines()):
            for one in both:
                one.unbind()
        for one in both:
            one.netdev()
            one.client("ib", "bind")
        wait(lambda: is_pair(t), "the functions have no RDMA devices of their own")

    settle()
    try:
        yield both
    finally:
        if not (t.fault.deadly and t.fault.struck()):
            settle()


def bond(both):
    """A bond, not yet of the ports, and the names of their interfaces"""
    may_fail("modprobe", "bonding", "max_bonds=0")
    both[0].needs(*f"ip link add {BOND} type bond mode balance-xor miimon 20 xmit_hash_policy layer3+4".split())
    names = [one.netdev("down") for one in both]
    both[0].needs("ip", "link", "set", BOND, "up")
    return names


def enters(t):
    """A LAG with an RDMA device. A refusal ends the waiting, and so does a device without a driver."""
    def over():
        return is_lag(t) or says(t, "refused")
    t.until(over)
    if not is_lag(t):
        t.failed = "there is no LAG"


@contextlib.contextmanager
def lag(t):
    with pair(t) as both:
        for name in bond(both):
            t.needs("ip", "link", "set", name, "master", BOND)
        wait(lambda: is_lag(t), "without a fault there is no LAG")
        wait(lambda: says(t, "ports 1 2"), "not both ports are used")
        yield both


@operation("lag.enter", "both ports enter a bond, which makes a LAG")
def enter(t):
    with pair(t) as both:
        names = bond(both)
        with t.work():
            for name in names:
                may_fail("ip", "link", "set", name, "master", BOND)
            enters(t)


@operation("lag.leave", "the bond of a LAG is deleted")
def leave(t):
    with lag(t), t.work():
        t.needs("ip", "link", "del", BOND)
        t.until(lambda: is_pair(t))


@operation("lag.remap", "a port of a LAG fails and returns")
def remap(t):
    port = "fault FUNCTION port"
    with lag(t):
        try:
            with t.work():
                for state, ports in ("down", "ports 1 1"), ("up", "ports 1 2"):
                    emulator(second(t).bdf, f"{port} {state}")
                    t.until(lambda p=ports: says(t, p) or says(t, "off"))
                    if not says(t, ports):
                        t.failed = "the LAG was left"
        finally:
            emulator(second(t).bdf, f"{port} up")


@operation("lag.gid", "an address of a bond comes and goes, and with it a GID of both ports")
def bond_gid(t):
    with lag(t), t.work():
        t.needs("ip", "addr", "add", f"{ADDRESS}/32", "dev", BOND)
        t.until(lambda: t.gid_of(ADDRESS) is not None)
        t.needs("ip", "addr", "del", f"{ADDRESS}/32", "dev", BOND)
        t.until(lambda: t.gid_of(ADDRESS) is None)


@operation("lag.qp", "a program creates, connects and destroys an RC QP of a LAG")
def bond_qp(t):
    with lag(t):
        connect(t)


@operation("lag.ecmp", "a LAG without a bond is made and left")
def ecmp(t):
    with pair(t):
        t.needs("ip", "link", "add", PARENT, "type", "dummy")
        t.needs("ip", "link", "set", PARENT, "up")
        with t.here():
            put(attribute(t, "roce_lag_ecmp_dev"), PARENT)
            put(attribute(t, "roce_lag_ecmp_dev"), "\n")
        assert not get(attribute(t, "roce_lag_ecmp_dev")), "it has kept the interface"


@operation("lag.unbind", "the function of port 2 is unbound from a LAG")
def unbind_second(t):
    with lag(t) as both, t.here():
        both[1].unbind()


@operation("lag.unbind.first", "the function of port 1 is unbound from a LAG")
def unbind_first(t):
    with lag(t), t.here():
        t.unbind()
