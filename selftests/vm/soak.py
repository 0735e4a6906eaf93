#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
What soak.sh runs at the same time, and the operations (operations.py) that it does meanwhile.

usage: soak.py ACTOR SEED STOP [PEER-DEVICE...]     one of ACTORS, until the file STOP exists
       soak.py once SEED STOP [PEER-DEVICE...]      what programs do, once on each device, where nothing may fail
       soak.py try OPERATION BDF KIND NTH           an operation with the NTH command or allocation failing
                                                    KIND: none, alloc, refused

Devices, interfaces and connections may go at any time, and what fails because of that is counted. Wrong data is an error.
"""
import collections
import contextlib
import ctypes
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import traceback

from pyverbs.device import Context
from pyverbs.pyverbs_error import PyverbsError

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import alloc  # noqa: E402
import commands  # noqa: E402
import operations  # noqa: E402
import rtnl  # noqa: E402
import xfer  # noqa: E402
from echo import Echo, WrongData  # noqa: E402
from sides import extras, pair, transfer  # noqa: E402

PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))
SECONDS = 5 * PATIENCE      # for a completion or an answer
DEVICES = "/sys/class/infiniband"
XFER_PORT, ECHO_PORT = 7002, 7003
PR_SET_PDEATHSIG = 1
WRONG = 3                   # exit code
FAILS = OSError, PyverbsError, AssertionError, xfer.Wrong, IndexError, subprocess.SubprocessError


class Actor:
    """Does something again and again."""

    def __init__(self, seed, stop, peers):
        self.rng, self.stop, self.peers = random.Random(seed), stop, peers
        self.failed = collections.Counter()
        self.done = 0
        self.only = None

    def run(self):
        while not os.path.exists(self.stop):
            failure = self.once()
            if failure:
                self.failed[failure] += 1
                time.sleep(0.2)
            else:
                self.done += 1
        self.end()
        print(f"{self.done} done, failed: {dict(self.failed)}", flush=True)

    def once(self):
        """Why the step has failed; None: it has not"""
        try:
            self.step()
        except FAILS as error:
            return type(error).__name__
        return None

    def known(self, *pids):
        """soak.sh waits for the end of these processes; it may look at any moment"""
        name = f"{self.stop}.{type(self).__name__.lower()}"
        with open(f"{name}.new", "w", encoding="ascii") as f:
            f.write(" ".join(map(str, (*pids, os.getpid()))))
        os.replace(f"{name}.new", name)

    def step(self):
        raise NotImplementedError

    def end(self):
        """Undo what is left"""

    def device(self):
        return self.only or self.rng.choice(sorted(os.listdir(DEVICES)))

    def netdev(self):
        return self.rng.choice([d for d in sorted(os.listdir("/sys/class/net")) if is_ours(d)])


def is_ours(netdev):
    return netdev == "bond0" or os.path.basename(os.path.realpath(f"/sys/class/net/{netdev}/device/driver")) == "cxr_core"


def gid_of(device):
    """The RoCE v2 GID of an IPv4 address of the wire, as (index, address)"""
    port = f"{DEVICES}/{device}/ports/1"
    for index in sorted(map(int, os.listdir(f"{port}/gids"))):
        gid = xfer.line_of(f"{port}/gids/{index}")
        match = re.fullmatch(r"(?:0000:){5}ffff:0a4d:(..)(..)", gid)
        if match and xfer.line_of(f"{port}/gid_attrs/types/{index}") == "RoCE v2":
            return index, f"10.77.{int(match[1], 16)}.{int(match[2], 16)}"
    raise OSError("no GID")


class Program(Actor):
    """Each step is a process. If a device refuses to destroy a queue, the driver keeps its pages away from others as long as the device may
    use them. A process that goes on could have them in its next queue, which DMA debugging takes for a fault of the driver."""

    def step(self):
        raise NotImplementedError

    def once(self):
        seed = self.rng.getrandbits(30)
        read_end, write_end = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if not pid:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            self.known(os.getppid())
            self.rng = random.Random(seed)
            self.child(write_end)
        os.close(write_end)
        with os.fdopen(read_end, errors="replace") as f:
            failure = f.read()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code == WRONG:
            raise WrongData(failure)
        if code:
            sys.exit(f"a step ends with {code}")
        return failure

    def child(self, to):
        """Ends the process; why goes to this descriptor"""
        code = 1
        try:
            os.write(to, (super().once() or "").encode())
            code = 0
        except WrongData as error:
            os.write(to, str(error).encode())
            code = WRONG
        finally:
            if code == 1:
                traceback.print_exc()
            os._exit(code)


class Verbs(Program):
    """Programs on this adapter alone: two QPs exchange data, other objects come and go."""

    def step(self):
        device = self.device()
        ctx = Context(name=device)
        a, b = pair(ctx, gid_of(device)[0], size=16384)
        kept = [extras(a, self.rng) for _ in range(self.rng.randrange(3))]
        for _ in range(self.rng.randrange(1, 8)):
            text = transfer(a, b, self.rng, SECONDS)
            if b.mr.read(len(text), 0) != text:
                raise WrongData(f"{len(text)} bytes on {device}")
        del kept


class Wire(Program):
    """Data to and from the other adapter: RC and UD"""

    def step(self):
        device = self.device()
        _, mine = gid_of(device)
        theirs = mine[:-1] + "2"
        op = self.rng.choice(("send", "write", "read", "atomic", "datagram"))
        size = 8 if op == "atomic" else self.rng.choice((64, 1000) if op == "datagram" else (1, 64, 4096, 65536))
        job = xfer.read_job([f"dev={device}", f"gid=v2:{mine}", f"peer_dev={self.peer(device, mine)}", f"peer_gid=v2:{theirs}", f"op={op}",
                             f"from={self.rng.choice(('near', 'far'))}", f"seed={self.rng.getrandbits(30)}", f"wait={SECONDS}",
                             f"count={1 if op == 'datagram' else self.rng.randrange(1, 20)}"])   # others may change their order
        with socket.create_connection(("b", XFER_PORT), timeout=4 * SECONDS) as conn:
            line = xfer.Line(conn)
            line.say(**job, size=size)
            why = xfer.attempt(line, job, size, True)
        if why and xfer.is_wrong_data(why):
            raise WrongData(f"{op} of {size} bytes with {theirs}: {why}")
        if why:
            raise xfer.Wrong(f"{op} with {theirs} from {job['from']}: {why}")

    def peer(self, device, address):
        return device if "bond" in device else self.peers[int(address.split(".")[2])]


class Tcp(Actor):
    """A TCP stream that comes back"""

    def __init__(self, *args):
        super().__init__(*args)
        self.echo = Echo(("10.77.0.2", "10.77.1.2", "10.77.9.2"), ECHO_PORT, SECONDS, self.rng)

    def step(self):
        self.echo.exchange(60000)

    def end(self):
        self.echo.close()


class Gids(Actor):
    """Addresses and VLANs come and go."""

    def __init__(self, *args):
        super().__init__(*args)
        self.space = rtnl.Namespace()
        self.made = []

    def step(self):
        netdev = self.netdev()
        what = self.rng.randrange(4)
        address = self.rng.choice((f"10.99.0.{self.rng.randrange(1, 250)}", f"fd98::{self.rng.randrange(1, 9999):x}"))
        if what < 2:
            self.space.add_address(netdev, address)
            self.made.append((self.space.del_address, netdev, address))
        elif what == 2 and len(self.made) < 40:
            name, tag = f"sk{self.rng.randrange(100)}", self.rng.randrange(1, 4095)
            self.space.add_vlan(name, netdev, tag)
            self.made.append((self.space.delete, name))
            self.space.up(name)
            self.space.add_address(name, address)
        elif self.made:
            undo, *args = self.made.pop(self.rng.randrange(len(self.made)))
            undo(*args)
        time.sleep(0.05 * PATIENCE)

    def end(self):
        for undo, *args in self.made:
            try:
                undo(*args)
            except OSError:
                pass


class Readers(Actor):
    """Everything that can be read is read."""

    COMMANDS = ("ethtool -S NETDEV", "ethtool NETDEV", "ethtool -m NETDEV", "ethtool -x NETDEV", "ethtool -T NETDEV", "rdma resource show",
                "rdma statistic show", "ip -s -s link show NETDEV", "devlink health show", "devlink dev info", "devlink dev param show",
                "devlink health diagnose pci/BDF reporter tx", "devlink health diagnose pci/BDF reporter rx",
                "devlink health diagnose pci/BDF reporter vnic", "devlink health dump show pci/BDF reporter fw")
    TREES = "/sys/kernel/debug/cxr", "/sys/class/infiniband", "/sys/bus/pci/drivers/cxr_core"
    SKIP = re.compile(r"/(rom|resource\w*|uevent|config|subsystem|power|vpd)$")

    def files(self, top):
        for folder, folders, names in os.walk(os.path.realpath(top)):
            folders[:] = [d for d in folders if not self.SKIP.search(f"/{d}")]
            yield from (f"{folder}/{name}" for name in names if not self.SKIP.search(f"/{name}"))

    def roots(self):
        top = self.rng.choice(self.TREES)
        return [f"{top}/{name}" for name in os.listdir(top) if os.path.isdir(f"{top}/{name}")]

    def step(self):
        if self.rng.random() < 0.5:
            words = self.rng.choice(self.COMMANDS)
            bdf = os.path.basename(os.path.realpath(f"/sys/class/net/{self.netdev()}/device"))
            words = words.replace("NETDEV", self.netdev()).replace("BDF", bdf)
            subprocess.run(words.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20 * SECONDS, check=True)
            return
        for path in self.files(self.rng.choice(self.roots())):
            try:
                with open(path, "rb") as f:
                    f.read(65536)
            except OSError:
                continue
            if os.path.exists(self.stop):
                break


ACTORS = {"verbs": Verbs, "wire": Wire, "tcp": Tcp, "gids": Gids, "readers": Readers}


# ---- operations ---------------------------------------------------------------


class Never:
    """No fault"""

    strikes = strikes_work = contextlib.nullcontext

    def __str__(self):
        return "no fault"

    @staticmethod
    def runs(words):
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def anything_may_fail(fault):
    """Others work on the same device: it may have gone, or have another state, at any moment."""
    fault.deadly = True
    fault.struck = lambda: 1
    return fault


def attempt(name, bdf, kind, nth):
    operation = operations.OPERATIONS[name][1]
    if kind == "none":
        operations.one(operation, bdf, anything_may_fail(Never()))
    elif kind == "alloc":
        sweep = alloc.Sweep(operation, bdf)     # reads the log from now on
        try:
            alloc.prepare()
        except AssertionError as why:
            print(f"no allocation fails: {why}")
            return
        alloc.without_panic(lambda: sweep.one(nth, anything_may_fail))
        sweep.log.forget()
    else:
        operations.one(operation, bdf, anything_may_fail(commands.Fault(nth, commands.refused(nth)[0], bdf)))


def once(*words):
    for device in os.listdir(DEVICES):
        for actor in Verbs(*words), Wire(*words):
            actor.only = device
            for _ in range(4):
                actor.step()


def main():
    what, *words = sys.argv[1:]
    if what == "try":
        name, bdf, kind, nth = words
        attempt(name, bdf, kind, int(nth))
        return 0
    if what == "once":
        once(words[0], words[1], words[2:])
        return 0
    try:
        actor = ACTORS[what](words[0], words[1], words[2:])
        actor.known()
        actor.run()
    except WrongData as error:
        print(f"WRONG DATA: {error}", flush=True)
        return WRONG
    return 0


if __name__ == "__main__":
    sys.exit(main())
