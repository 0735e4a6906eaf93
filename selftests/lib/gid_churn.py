#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: gid_churn.py DEVICE NETDEV OPERATIONS SEED

Makes random changes of addresses, VLANs, macvlans, namespaces, names, MACs and link states on NETDEV,
the port of DEVICE. After each batch the GID table, and the adapter's address table if there is an
emulator, must match a model of the rules, and unaffected entries must have kept their index.
"""

import errno
import os
import random
import sys
import time

import gids
import rtnl

MAX_DEVICES = 10
MAX_ADDRESSES = 90	# two entries each, of 255
HOME = 0


class Dev:
    """A network interface in the model"""

    def __init__(self, name, kind, lower, ns, mac, vlan=None):
        self.name, self.kind, self.lower, self.ns, self.mac = name, kind, lower, ns, mac
        self.vlan = vlan		# its own tag
        self.inherits = kind == "vlan"	# follows the MAC of the lower device
        self.up = False
        self.addresses = {}		# address: generation of its entry

    def tag(self):
        """The VLAN of its frames, or None."""
        dev = self
        while dev:
            if dev.vlan is not None:
                return dev.vlan
            dev = dev.lower
        return None


class Model:
    """The expected table. A generation is the lifetime of an entry, during which its index must not change."""

    def __init__(self, port, mac, keep):
        self.port = Dev(port, "port", None, HOME, mac)
        self.port.up = True
        self.devs = [self.port]
        self.keep = keep	# by namespace: IPv6 addresses survive the interface going down
        self.count = 0
        self.default = self.next()

    def next(self):
        self.count += 1
        return self.count

    def above(self, dev):
        return [d for d in self.devs if d.lower is dev]

    def remove(self, dev):
        for d in self.above(dev):
            self.remove(d)
        self.devs.remove(dev)

    def set_down(self, dev):
        if not dev.up:
            return
        dev.up = False
        if not self.keep[dev.ns]:
            dev.addresses = {a: g for a, g in dev.addresses.items() if ":" not in a}
        for d in self.above(dev):
            if d.kind == "vlan":
                self.set_down(d)

    def set_up(self, dev):
        if dev.up:
            return
        if dev.inherits and dev.mac != dev.lower.mac:
            self.set_mac(dev, dev.lower.mac)
        dev.up = True
        for d in self.above(dev):
            if d.kind == "vlan":
                self.set_up(d)

    def set_mac(self, dev, mac):
        dev.mac = mac
        dev.addresses = {a: self.next() for a in dev.addresses}
        if dev is self.port:
            self.default = self.next()
        for d in self.above(dev):
            if d.inherits and d.up:
                self.set_mac(d, mac)

    def move(self, dev, ns):
        self.set_down(dev)
        dev.ns = ns
        dev.addresses = {}

    def addresses(self):
        return sum(len(d.addresses) for d in self.devs)

    def table(self, kinds):
        """{(gid, kind, ndev, mac, vlan): generation}"""
        entries = {(gids.ip_gid(a), k, d.name, d.mac, d.tag()): g
                   for d in self.devs for a, g in d.addresses.items() for k in kinds}
        default = {(gids.default_gid(self.port.mac), k, self.port.name, self.port.mac, None): self.default
                   for k in kinds}
        return entries, default


class Churn:
    def __init__(self, device, port, seed):
        self.device = device
        self.rng = random.Random(seed)
        self.kinds = os.environ.get("GID_TYPES", "v1 v2").split()
        self.emulator = gids.Emulator() if os.environ.get("CXR_EMU_PORT") else None
        self.spaces = [rtnl.Namespace(), rtnl.Namespace(new=True), rtnl.Namespace(new=True)]
        keep = [1, 0, 1]
        self.before = None
        for space, value in zip(self.spaces, keep):
            before = space.sysctl({"default/disable_ipv6": 0, "default/accept_dad": 0, "default/addr_gen_mode": 1,
                                   "all/keep_addr_on_down": value})
            self.before = self.before or before
        self.model = Model(port, gids.mac_of(port, {}), keep)
        self.names = 0
        self.was = {}
        self.done = {}

    # ---- operations: each changes kernel and model, or returns False if it is not possible

    def random_mac(self):
        return "02:" + ":".join("%02x" % self.rng.randrange(256) for _ in range(5))

    def pick(self, *kinds):
        found = [d for d in self.model.devs if d.kind in kinds]
        return self.rng.choice(found) if found else None

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def add_vlan(self):
        lower = self.pick("port", "macvlan")
        tag = self.rng.randrange(1, 4095)
        if lower is None or len(self.model.devs) > MAX_DEVICES or lower.tag() is not None or \
           tag in [d.vlan for d in self.model.above(lower)]:
            return False
        dev = Dev(self.name("cv"), "vlan", lower, lower.ns, lower.mac, tag)
        self.spaces[lower.ns].add_vlan(dev.name, lower.name, tag)
        self.model.devs.append(dev)
        return True

    def add_macvlan(self):
        lower = self.pick("port", "vlan")
        if lower is None or len(self.model.devs) > MAX_DEVICES:
            return False
        dev = Dev(self.name("cm"), "macvlan", lower, lower.ns, self.random_mac())
        self.spaces[lower.ns].add_macvlan(dev.name, lower.name, dev.mac)
        self.model.devs.append(dev)
        return True

    def delete(self):
        dev = self.pick("vlan", "macvlan")
        if dev is None:
            return False
        self.spaces[dev.ns].delete(dev.name)
        self.model.remove(dev)
        return True

    def move(self):
        dev = self.pick("vlan", "macvlan")
        if dev is None:
            return False
        ns = self.rng.choice([n for n in range(len(self.spaces)) if n != dev.ns])
        self.spaces[dev.ns].move(dev.name, self.spaces[ns])
        self.model.move(dev, ns)
        return True

    def add_address(self):
        dev = self.pick("port", "vlan", "macvlan")
        n = self.rng.randrange(1, 60)
        address = self.rng.choice([f"10.200.0.{n}", f"fd99::{n:x}"])
        if address in dev.addresses or self.model.addresses() >= MAX_ADDRESSES:
            return False
        self.spaces[dev.ns].add_address(dev.name, address)
        dev.addresses[address] = self.model.next()
        return True

    def del_address(self):
        dev = self.pick("port", "vlan", "macvlan")
        if not dev.addresses:
            return False
        address = self.rng.choice(sorted(dev.addresses))
        self.spaces[dev.ns].del_address(dev.name, address)
        del dev.addresses[address]
        return True

    def down(self):
        dev = self.pick("port", "vlan", "macvlan")
        self.spaces[dev.ns].down(dev.name)
        self.model.set_down(dev)
        return True

    def up(self):
        dev = self.rng.choice([d for d in self.model.devs if not d.up] or [None])
        if dev is None or (dev.kind == "vlan" and not dev.lower.up):
            return False
        self.spaces[dev.ns].up(dev.name)
        self.model.set_up(dev)
        return True

    def flap(self):
        port = self.model.port
        self.spaces[HOME].down(port.name)
        self.model.set_down(port)
        self.spaces[HOME].up(port.name)
        self.model.set_up(port)
        return True

    def pull_cable(self):
        """Link flap while the interface stays up: no change."""
        if not self.emulator:
            return False
        for state in "down", "up":
            self.emulator.ask(f"fault {os.environ['CXR_GUEST']} port {state}")
        return True

    def rename(self):
        dev = self.pick("port", "vlan", "macvlan")
        was_up, name = dev.up, self.name("cr")
        self.spaces[dev.ns].down(dev.name)
        self.model.set_down(dev)
        self.spaces[dev.ns].rename(dev.name, name)
        dev.name = name
        if was_up and (dev.kind != "vlan" or dev.lower.up):
            self.spaces[dev.ns].up(name)
            self.model.set_up(dev)
        return True

    def set_mac(self):
        dev = self.pick("port", "vlan", "macvlan")
        mac = self.random_mac()
        self.spaces[dev.ns].set_mac(dev.name, mac)
        dev.inherits = False
        self.model.set_mac(dev, mac)
        return True

    WEIGHTS = {"add_address": 30, "del_address": 18, "add_vlan": 6, "add_macvlan": 6, "delete": 6, "move": 6,
               "up": 12, "down": 4, "flap": 1, "pull_cable": 2, "rename": 5, "set_mac": 6}

    def step(self):
        while True:
            op = self.rng.choices(list(self.WEIGHTS), self.WEIGHTS.values())[0]
            if getattr(self, op)():
                self.done[op] = self.done.get(op, 0) + 1
                return

    # ---- the comparison

    def look(self, entries, default):
        core = gids.core_table(self.device)
        hardware = self.emulator.table(os.environ["CXR_GUEST"]) if self.emulator else \
            gids.assumed_table(core, set(entries) | set(default))
        return core, hardware, gids.compare(core, hardware, set(entries), set(default))

    def check(self):
        """Differences after the table had time to settle, as lines."""
        entries, default = self.model.table(self.kinds)
        end = time.monotonic() + gids.WAIT
        while True:
            core, hardware, wrong = self.look(entries, default)
            if not wrong or time.monotonic() > end:
                break
            time.sleep(0.02)
        if wrong:
            return wrong
        now = {}
        for index, entry in core.items():
            key = (*entry, *hardware[index][2:])
            generation = {**entries, **default}[key]
            # An interface may be renamed while the entry stays.
            now[generation, entry[1]] = index
        moved = [f"entry {core[i]} moved from index {self.was[k]} to {i}" for k, i in now.items()
                 if self.was.get(k, i) != i]
        self.was = now
        return moved

    def clean(self):
        """Remove everything; deleting namespaces removes their interfaces."""
        for dev in self.model.above(self.model.port):
            if dev.ns == HOME:
                self.spaces[HOME].delete(dev.name)
                self.model.remove(dev)
        for space in self.spaces[1:]:
            space.close()
        for dev in [d for d in self.model.devs if d.ns != HOME]:
            if dev in self.model.devs:
                self.model.remove(dev)
        for dev in self.model.devs:
            for address in list(dev.addresses):
                self.spaces[HOME].del_address(dev.name, address)
                del dev.addresses[address]

    def restore(self, name, mac):
        port = self.model.port
        self.spaces[HOME].down(port.name)
        self.spaces[HOME].rename(port.name, name)
        self.spaces[HOME].set_mac(name, mac)
        self.spaces[HOME].up(name)
        self.spaces[HOME].sysctl(self.before)


def run(device, port, operations, seed):
    churn = Churn(device, port, seed)
    mac = churn.model.port.mac
    n, wrong, peak = 0, churn.check(), 0
    try:
        while not wrong and n < operations:
            for _ in range(min(churn.rng.randrange(1, 41), operations - n)):
                n += 1
                churn.step()
            wrong = churn.check()
            peak = max(peak, churn.model.addresses())
    except OSError as e:
        wrong = [f"operation {n} was refused: {errno.errorcode.get(e.errno, e.errno)} {e}"]
        raise
    finally:
        print(f"{n} operations, seed {seed}, at most {peak} addresses: {churn.done}")
    if not wrong:
        churn.clean()
        wrong = churn.check()
    for line in wrong:
        print(line)
    if wrong:
        print(f"to repeat: gid_churn.py {device} {port} {operations} {seed}")
        return 1
    churn.restore(port, mac)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(run(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
