#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: net_churn.py SECONDS SEED NETDEV XDP PORT HOST...

Changes of an interface at random while TCP streams to the echo service at PORT of HOST (several addresses of one peer) run over it. After
each change the setting is read back: it is what was asked for, or, if the change has to be refused, what it was. Every few changes all
streams must go on, and every queue that packets can come to must send and receive. XDP is the folder of pinned programs, - without BPF.
"""
import collections
import contextlib
import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import rows  # noqa: E402
from echo import Echo, WrongData  # noqa: E402
from gids import Emulator  # noqa: E402

PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))
FUNCTION = os.environ.get("CXR_GUEST", "a")     # the emulator's name
CONNECT = 2 * PATIENCE          # seconds
RETURN = 60 * PATIENCE          # seconds in which streams and queues must go on
OFTEN = 8                       # changes between two checks of that
STREAMS = 4
LARGEST = 200000                # bytes of an exchange
LINEAR_MTU = 3000               # up to it a program without fragments can be attached
MTUS = 1280, 1500, 2000, LINEAR_MTU, 4000, 9000
RINGS = 64, 256, 512, 1024, 2048
FEATURES = {"rx": "rx-checksumming", "gro": "generic-receive-offload", "rxhash": "receive-hashing", "rxvlan": "rx-vlan-offload",
            "txvlan": "tx-vlan-offload", "tx": None, "sg": None, "tso": None, "tx-udp-segmentation": "tx-udp-segmentation"}
NEEDS_OTHERS = "sg", "tso", "tx-udp-segmentation"
FLOWS = "tcp4", "udp4", "tcp6", "udp6"
MAX_OBJECTS = 6                 # rules, VLANs, contexts, addresses


class Refused(Exception):
    """A command has failed."""


class Wrong(Exception):
    """What the test looks for"""


def run(*words):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(map(str, words))}: {done.stdout.strip()}")
    return done.stdout


def ethtool(option, netdev):
    """What it prints, as {name: value}; of maximum and current value the current one"""
    lines = (line.partition(":") for line in run("ethtool", option, netdev).splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


class Stream(threading.Thread):
    """Data to the peer and back"""

    def __init__(self, rng, hosts, port, end):
        super().__init__(daemon=True)
        self.echo, self.over, self.done, self.failed, self.wrong = Echo(hosts, port, CONNECT, rng), end, 0, 0, None

    def run(self):
        while not self.over.is_set():
            try:
                self.echo.exchange(LARGEST)
                self.done += 1
            except OSError:
                self.failed += 1
                time.sleep(0.05)
            except WrongData as wrong:
                self.wrong = wrong
                break
        self.echo.close()


class Interface:
    """What is known of the interface, and each kind of change"""

    def __init__(self, rng, netdev, xdp):
        self.rng, self.netdev, self.xdp = rng, netdev, xdp
        self.emulator = Emulator()
        self.mtu, self.program, self.table, self.channels = 1500, None, 0, self.read_channels()
        self.most = int(next(line.split()[1] for line in run("ethtool", "-l", netdev).splitlines() if line.startswith("Combined:")))
        self.rules, self.vlans, self.contexts, self.groups, self.off = {}, [], [], [], set()
        self.by_ports = set(FLOWS)

    # ---- reading ----

    def ip(self):
        return json.loads(run("ip", "-j", "link", "show", self.netdev))[0]

    def read_channels(self):
        return int(ethtool("-l", self.netdev)["Combined"])

    def read_rings(self):
        rings = ethtool("-g", self.netdev)
        return int(rings["RX"]), int(rings["TX"])

    def read_table(self):
        """The queues that packets without a rule are spread over"""
        lines = re.findall(r"^ +\d+:((?: +\d+)+)$", run("ethtool", "-x", self.netdev), re.M)
        return {int(queue) for line in lines for queue in line.split()}

    def read_rules(self):
        lines = run("ethtool", "-n", self.netdev).splitlines()
        return {int(line.split()[1]) for line in lines if line.startswith("Filter: ")}

    def expect(self, what, wanted, read):
        got = read()
        if got != wanted:
            raise Wrong(f"{what}: {got}, not {wanted}")

    # ---- changes ----

    def change(self, can, *words):
        """A command that has to succeed, or to be refused, or either if @can is None; whether it has succeeded"""
        print("#   ", *words, flush=True)
        try:
            run(*words)
        except Refused as why:
            if can:
                raise
            print(f"# refused: {why}", flush=True)
            return False
        if can is False:
            raise Wrong(f"{' '.join(map(str, words))}: succeeds")
        return True

    def set_mtu(self):
        mtu = self.rng.choice(MTUS)
        if self.change(self.program != "act_linear" or mtu <= LINEAR_MTU, "ip", "link", "set", self.netdev, "mtu", mtu):
            self.mtu = mtu
        self.expect("MTU", self.mtu, lambda: self.ip()["mtu"])

    def set_rings(self):
        rings = self.rng.choice(RINGS), self.rng.choice(RINGS)
        if rings != self.read_rings():
            self.change(True, "ethtool", "-G", self.netdev, "rx", rings[0], "tx", rings[1])
        self.expect("rings", rings, self.read_rings)

    def needed(self):
        """The smallest number of channels that rules and tables allow; a table of the user's stays, others follow the channels"""
        tables = [self.table, *(size for _, size in self.contexts)]
        return max([1, *tables, *(queue + 1 for queue in self.rules.values())])

    def set_channels(self):
        count = self.rng.randrange(1, self.most + 1)
        if count == self.channels:
            return
        if self.change(count >= self.needed(), "ethtool", "-L", self.netdev, "combined", count):
            self.channels = count
        self.expect("channels", self.channels, self.read_channels)

    def set_coalescing(self):
        if self.rng.random() < 0.4:
            on = self.rng.choice(("on", "off"))
            self.command("ethtool", "-C", self.netdev, "adaptive-rx", on, "adaptive-tx", on)
            return
        usecs, frames = self.rng.randrange(1, 200), self.rng.randrange(1, 200)
        self.command("ethtool", "-C", self.netdev, "adaptive-rx", "off", "rx-usecs", usecs, "rx-frames", frames)
        self.expect("moderation", (usecs, frames), self.read_moderation)

    def read_moderation(self):
        now = ethtool("-c", self.netdev)
        return int(now["rx-usecs"]), int(now["rx-frames"])

    def command(self, *words):
        """One that may find nothing to change, which some of ethtool's commands call a failure"""
        try:
            run(*words)
        except Refused as why:
            if "no " not in str(why) or "changed" not in str(why):
                raise

    def set_feature(self):
        name = self.rng.choice(list(FEATURES))
        on = self.rng.random() < 0.6
        # without checksums, or fragments, the kernel lets nothing be switched on that needs them
        free = on and name in NEEDS_OTHERS and self.off & {"tx", "sg"}
        self.change(None if free else True, "ethtool", "-K", self.netdev, name, "on" if on else "off")
        self.off = self.off - {name} if on else self.off | {name}
        if FEATURES[name] and not free:
            self.expect(name, on, lambda: ethtool("-k", self.netdev)[FEATURES[name]].startswith("on"))

    def set_mac(self):
        mac = "02:" + self.rng.randbytes(5).hex(":")
        self.change(True, "ip", "link", "set", self.netdev, "address", mac)
        self.expect("MAC", mac, lambda: self.ip()["address"])

    def set_flags(self):
        flag, on = self.rng.choice(("promisc", "allmulticast")), self.rng.choice(("on", "off"))
        self.change(True, "ip", "link", "set", self.netdev, flag, on)
        name = "ALLMULTI" if flag == "allmulticast" else "PROMISC"
        self.expect(flag, on == "on", lambda: name in self.ip()["flags"])

    def set_link(self):
        if self.rng.random() < 0.5:
            self.change(True, "ip", "link", "set", self.netdev, "down")
            time.sleep(self.rng.random() / 2)
            self.change(True, "ip", "link", "set", self.netdev, "up")
        else:
            self.emulator.ask(f"fault {FUNCTION} port down")
            time.sleep(self.rng.random() / 2)
            self.emulator.ask(f"fault {FUNCTION} port up")

    def set_xdp(self):
        program = self.rng.choice(("act_linear", "act_frags", None))
        if not program:
            self.change(True, "ip", "link", "set", "dev", self.netdev, "xdpdrv", "off")
            self.program = None
        elif self.change(program != "act_linear" or self.mtu <= LINEAR_MTU,
                         "ip", "-force", "link", "set", "dev", self.netdev, "xdpdrv", "pinned", f"{self.xdp}/{program}"):
            self.program = program
        self.expect("XDP program", bool(self.program), lambda: "xdp" in self.ip())

    def set_rules(self):
        if self.rules and (len(self.rules) >= MAX_OBJECTS or self.rng.random() < 0.4):
            location = self.rng.choice(list(self.rules))
            self.change(True, "ethtool", "-N", self.netdev, "delete", location)
            del self.rules[location]
        else:
            location, queue = self.rng.randrange(100), self.rng.randrange(self.most)
            if self.change(queue < self.channels, "ethtool", "-N", self.netdev, "flow-type", "udp4", "dst-port",
                           self.rng.randrange(20000, 30000), "action", queue, "loc", location):
                self.rules[location] = queue
        self.expect("rules", set(self.rules), self.read_rules)

    def set_rss(self):
        kind = self.rng.randrange(4)
        if kind == 0:
            self.change(True, "ethtool", "-X", self.netdev, "default")
            self.table = 0
        elif kind == 1:
            self.change(True, "ethtool", "-X", self.netdev, "hkey", self.rng.randbytes(40).hex(":"))
        elif kind == 2:
            flow, fields = self.rng.choice(FLOWS), self.rng.choice(("sd", "sdfn"))
            self.change(True, "ethtool", "-N", self.netdev, "rx-flow-hash", flow, fields)
            self.by_ports = self.by_ports | {flow} if "n" in fields else self.by_ports - {flow}
        else:
            size = self.rng.randrange(1, self.most + 1)
            if self.change(size <= self.channels, "ethtool", "-X", self.netdev, "equal", size):
                self.table = size
        self.expect("RSS table", set(range(self.table or self.channels)), self.read_table)

    def set_context(self):
        if self.contexts and (len(self.contexts) >= MAX_OBJECTS or self.rng.random() < 0.4):
            context, _ = self.contexts.pop(self.rng.randrange(len(self.contexts)))
            self.change(True, "ethtool", "-X", self.netdev, "context", context, "delete")
            return
        size = self.rng.randrange(1, self.channels + 1)
        said = run("ethtool", "-X", self.netdev, "context", "new", "equal", size)
        self.contexts.append((int(said.split()[-1]), size))

    def set_vlan(self):
        if self.vlans and (len(self.vlans) >= MAX_OBJECTS or self.rng.random() < 0.4):
            name = self.vlans.pop(self.rng.randrange(len(self.vlans)))
            self.change(True, "ip", "link", "del", name)
            return
        tag = self.rng.randrange(1, 4095)
        name = f"churn{tag}"
        if name in self.vlans:
            return
        self.change(True, "ip", "link", "add", "link", self.netdev, "name", name, "type", "vlan", "id", tag)
        self.vlans.append(name)
        self.change(True, "ip", "link", "set", name, "up")

    def set_group(self):
        if self.groups and (len(self.groups) >= MAX_OBJECTS or self.rng.random() < 0.4):
            mac = self.groups.pop(self.rng.randrange(len(self.groups)))
            self.change(True, "bridge", "fdb", "del", mac, "dev", self.netdev, "self")
            return
        mac = self.rng.choice(("01:00:5e:7f:", "02:77:00:00:")) + self.rng.randbytes(2).hex(":")
        if mac not in self.groups:
            self.change(True, "bridge", "fdb", "add", mac, "dev", self.netdev, "self")
            self.groups.append(mac)

    def set_pause(self):
        rx, tx = self.rng.choice(("on", "off")), self.rng.choice(("on", "off"))
        self.command("ethtool", "-A", self.netdev, "rx", rx, "tx", tx)

    def read_all(self):
        self.change(True, "ethtool", *self.rng.choice((["-S"], ["-m"], ["-T"], [])), self.netdev)

    def restore(self):
        """What would be in the way of the next test"""
        self.emulator.ask(f"fault {FUNCTION} port up")
        for name in self.vlans:
            run("ip", "link", "del", name)
        for location in self.rules:
            run("ethtool", "-N", self.netdev, "delete", location)
        for context, _ in self.contexts:
            run("ethtool", "-X", self.netdev, "context", context, "delete")
        for mac in self.groups:
            run("bridge", "fdb", "del", mac, "dev", self.netdev, "self")
        for words in (("ethtool", "-X", self.netdev, "default"), ("ip", "link", "set", "dev", self.netdev, "xdpdrv", "off")):
            with contextlib.suppress(Refused):
                run(*words)


class Churn:
    def __init__(self, seed, netdev, xdp, port, hosts):
        self.rng = random.Random(seed)
        self.interface, self.hosts, self.port = Interface(self.rng, netdev, None if xdp == "-" else xdp), hosts, port
        self.end, self.count = threading.Event(), collections.Counter()
        # the same choices for a seed, however long streams take
        self.streams = [Stream(random.Random(f"{seed} {i}"), hosts, port, self.end) for i in range(STREAMS)]

    def changes(self):
        i = self.interface
        yield from (i.set_mtu, i.set_mtu, i.set_rings, i.set_rings, i.set_channels, i.set_channels, i.set_coalescing, i.set_feature,
                    i.set_feature, i.set_mac, i.set_flags, i.set_link, i.set_rules, i.set_rules, i.set_vlan, i.set_group, i.set_pause,
                    i.read_all)
        if i.xdp:
            yield from (i.set_xdp, i.set_xdp)
        if rows.kernel() != "6.1":      # ethtool gives it what it does not know
            yield from (i.set_rss, i.set_context)

    def wait(self, what, there):
        end = time.monotonic() + RETURN
        while not there():
            self.check_data()
            if time.monotonic() > end:
                raise Wrong(what)
            time.sleep(0.1)

    def check_data(self):
        for stream in self.streams:
            if stream.wrong:
                raise stream.wrong

    def still(self, counter, queues, before, poke):
        """Those of @queues whose counter has not moved since; packets are sent meanwhile"""
        poke()
        now = self.counters()
        return {q for q in queues if now[counter % q] == before[counter % q]}

    def counters(self):
        return {name: int(value) for name, value in ethtool("-S", self.interface.netdev).items() if value.isdigit()}

    def from_each_cpu(self):
        """The kernel chooses the send queue by CPU."""
        cpus = os.sched_getaffinity(0)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            for cpu in cpus:
                os.sched_setaffinity(0, {cpu})
                with contextlib.suppress(OSError):
                    s.sendto(b"churn", (self.hosts[0], 9))
        os.sched_setaffinity(0, cpus)

    def from_other_ports(self):
        for flow, host in zip(("tcp4", "tcp6"), self.hosts):
            for _ in range(8 if flow in self.interface.by_ports else 0):
                with contextlib.suppress(OSError):
                    socket.create_connection((host, self.port), timeout=CONNECT).close()

    def check(self):
        """All streams go on, and no queue stands still."""
        before = [stream.done for stream in self.streams]
        self.wait("a stream has stopped", lambda: all(s.done > n for s, n in zip(self.streams, before)))
        counts = self.counters()
        channels = set(range(self.interface.channels))
        self.wait("a queue does not send", lambda: not self.still("tx%d_packets", channels, counts, self.from_each_cpu))
        spread = {q for q in self.interface.read_table() if q in channels}
        if {"tcp4", "tcp6"} & self.interface.by_ports:
            self.wait("a queue does not receive", lambda: not self.still("rx%d_packets", spread, counts, self.from_other_ports))

    def run(self, seconds):
        for stream in self.streams:
            stream.start()
        end = time.monotonic() + seconds
        changes = list(self.changes())
        while time.monotonic() < end or sum(self.count.values()) % OFTEN:
            change = self.rng.choice(changes)
            self.count[change.__name__] += 1
            number = sum(self.count.values())
            print(f"# {number} {change.__name__}", flush=True)
            change()
            if not number % OFTEN:
                self.check()
        self.check_data()
        self.end.set()
        for stream in self.streams:
            stream.join(2 * RETURN)
        print(f"{sum(self.count.values())} changes: {dict(self.count)}")
        print(f"{sum(s.done for s in self.streams)} exchanges, {sum(s.failed for s in self.streams)} broken connections")


def main():
    seconds, seed, netdev, xdp, port, *hosts = sys.argv[1:]
    churn = Churn(int(seed), netdev, xdp, int(port), hosts)
    try:
        churn.run(int(seconds))
    except (Wrong, WrongData, Refused) as why:
        print(f"after change {sum(churn.count.values())} of seed {seed}: {why}")
        return 1
    finally:
        churn.interface.restore()
    return 0


if __name__ == "__main__":
    sys.exit(main())
