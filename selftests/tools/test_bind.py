#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: test_bind.py FOLDER

Tests of scripts/cxr-bind on a fake sysfs below FOLDER; class Machine stands for the kernel. Output is KTAP.
"""

import io
import os
import re
import shutil
import sys

from sentences import load_tool, run

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(os.path.abspath(sys.argv[1]), "bind")
A, B = "0000:03:00.0", "0000:03:00.1"
sys.dont_write_bytecode = True

bind = load_tool("cxr-bind")


class Machine(bind.System):
    """Two ports of a ConnectX-5 bound to mlx5_core, and the kernel's reaction to writes to sysfs."""

    def __init__(self):
        shutil.rmtree(WORK, ignore_errors=True)
        super().__init__({"CXR_SYSFS": f"{WORK}/sys", "CXR_ETC": f"{WORK}/etc"})
        self.texts = {}             # output of programs
        self.refusing = set()       # (driver, address) whose probe fails
        self.missing = set()        # modules that do not exist
        self.log = []
        self.root = True
        self.put("bus/pci/drivers_autoprobe", "1")
        self.put("bus/pci/drivers_probe", "")
        for i, a in enumerate((A, B)):
            self.card(a, "0x1017")
            self.register("mlx5_core")
            self.attach(a, "mlx5_core", f"eth{i}")

    def put(self, path, text):
        path = os.path.join(self.sysfs, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.write(text + "\n")

    def folder(self, path):
        os.makedirs(os.path.join(self.sysfs, path), exist_ok=True)

    def card(self, address, device, vendor="0x15b3"):
        d = f"bus/pci/devices/{address}"
        for name, text in (("vendor", vendor), ("device", device), ("class", "0x020000"),
                           ("driver_override", "(null)"), ("sriov_numvfs", "0")):
            self.put(f"{d}/{name}", text)

    def register(self, driver):
        self.put(f"bus/pci/drivers/{driver}/unbind", "")
        self.folder(f"module/{driver}")

    def attach(self, address, driver, netdev):
        d = os.path.join(self.sysfs, f"bus/pci/devices/{address}")
        os.symlink(f"../../drivers/{driver}", f"{d}/driver")
        self.folder(f"bus/pci/devices/{address}/net/{netdev}")
        self.folder(f"bus/pci/devices/{address}/infiniband/mlx5_{netdev[-1]}")
        self.put(f"class/net/{netdev}/carrier", "1")

    def write(self, path, text):
        self.log.append((path, text.strip()))
        super().write(path, text)
        word = text.strip()
        if path.endswith("/unbind"):
            d = os.path.join(self.sysfs, f"bus/pci/devices/{word}")
            os.unlink(f"{d}/driver")
            shutil.rmtree(f"{d}/net")
            shutil.rmtree(f"{d}/infiniband")
        elif path.endswith("/driver_override"):
            super().write(path, (word or "(null)") + "\n")
        elif path == "bus/pci/drivers_probe":
            self.probe(word)

    def probe(self, address):
        d = f"bus/pci/devices/{address}"
        driver = self.read(f"{d}/driver_override")
        if driver == "(null)":
            driver = "mlx5_core"
        if not self.exists(f"bus/pci/drivers/{driver}") or self.exists(f"{d}/driver"):
            return
        if (driver, address) in self.refusing:
            raise OSError(22, "Invalid argument", d)
        self.attach(address, driver, f"eth{address[-1]}")

    def output(self, *cmd):
        return self.texts.get(" ".join(cmd), "")

    def modules(self, program, name):
        self.log.append((program, name))
        if name in self.missing:
            raise bind.Failure(f"modprobe {name}: Module {name} not found")
        if program == "modprobe":
            assert self.read("bus/pci/drivers_autoprobe") == "0", "it could bind to any unbound card"
            if name.endswith("_core"):
                self.register(name)
            else:
                self.folder(f"module/{name}")
        else:
            shutil.rmtree(f"{self.sysfs}/module/{name}")
            shutil.rmtree(f"{self.sysfs}/bus/pci/drivers/{name}", ignore_errors=True)

    def is_root(self):
        return self.root

    def sleep(self, seconds):
        pass

    # called by tests

    def run(self, *argv):
        """Exit code, standard output, standard error."""
        out, err = io.StringIO(), io.StringIO()
        code = bind.main(list(argv), self, out, err)
        return code, out.getvalue(), err.getvalue()

    def drivers(self):
        return {a: (bind.Function(self, a).driver, bind.Function(self, a).override) for a in (A, B)}

    def loaded(self):
        return self.names("module")

    def snapshot(self):
        return self.drivers(), self.loaded(), self.read("bus/pci/drivers_autoprobe"), self.etc_files()

    def etc_files(self):
        found = {}
        for top, _, names in os.walk(self.etc):
            for n in names:
                with open(os.path.join(top, n), encoding="ascii") as f:
                    found[os.path.relpath(os.path.join(top, n), self.etc)] = f.read()
        return found

    def wrote(self):
        return [entry for entry in self.log if entry[0] not in ("modprobe", "rmmod")]


def equal(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def holds(text, *words):
    for w in words:
        assert w in text, f"'{w}' is not in: {text}"


def unchanged(m, before, code, want):
    equal(code, want)
    equal(m.snapshot(), before)


UNTOUCHED = {A: ("mlx5_core", ""), B: ("mlx5_core", "")}


def bind_and_back():
    m = Machine()
    code, out, err = m.run("03:00.0")
    equal((code, err), (0, ""))
    equal(m.drivers(), {A: ("cxr_core", "cxr_core"), B: ("mlx5_core", "")})
    equal(m.loaded(), ["cxr_core", "cxr_en", "cxr_ib", "mlx5_core"])
    equal(m.read("bus/pci/drivers_autoprobe"), "1")
    holds(out, "taking it from mlx5_core (eth0, mlx5_0 go away)", "cxr_core has it (eth0, mlx5_0)", "until the next boot")
    code, out, err = m.run("--back", A)
    equal((code, err), (0, ""))
    equal(m.drivers(), UNTOUCHED)
    holds(out, "taking it from cxr_core", "mlx5_core has it")


def marked_before_free():
    m = Machine()
    m.run(A)
    writes = [path for path, _ in m.wrote() if A in path or path.endswith(("unbind", "drivers_probe"))]
    equal(writes, [f"bus/pci/devices/{A}/driver_override", "bus/pci/drivers/mlx5_core/unbind",
                   f"bus/pci/devices/{A}/driver_override", "bus/pci/drivers_probe"])


def already_there():
    m = Machine()
    code, out, _ = m.run("--back", A)
    equal(code, 0)
    equal(m.log, [])
    holds(out, f"{A}: mlx5_core has it already")


def second_refuses():
    m = Machine()
    m.refusing.add(("cxr_core", B))
    before = m.snapshot()
    code, out, err = m.run(A, B)
    unchanged(m, before, code, 1)
    holds(err, f"{B}: cxr_core did not take it")
    holds(out, f"undone: {A}: it is with mlx5_core again")


def module_missing():
    m = Machine()
    m.missing.add("cxr_ib")
    before = m.snapshot()
    code, _, err = m.run(A)
    unchanged(m, before, code, 1)
    holds(err, "modprobe cxr_ib: Module cxr_ib not found")
    assert not any(path.endswith("unbind") for path, _ in m.log), "the function was touched"


def interrupted():
    m = Machine()
    before = m.snapshot()
    probe, count = m.probe, []

    def stop(address):
        count.append(address)
        if len(count) == 1:
            raise bind.Failure("interrupted")
        probe(address)
    m.probe = stop
    code, _, err = m.run("--persist", A)
    unchanged(m, before, code, 1)
    holds(err, "interrupted")


def boot_not_writable():
    m = Machine()
    os.makedirs(os.path.join(m.etc, "modules-load.d", "cxr-bind.conf.new"))
    before = m.snapshot()
    code, _, err = m.run("--persist", A)
    unchanged(m, before, code, 1)
    holds(err, "modules-load.d/cxr-bind.conf")


def refused(m, *words):
    before = m.snapshot()
    code, _, err = m.run(A)
    unchanged(m, before, code, 3)
    holds(err, "refused", "nothing is changed", *words)
    code, out, _ = m.run("--force", A)
    equal(code, 0)
    holds(out, "forced: ", *words)
    equal(m.drivers()[A][0], "cxr_core")


ROUTES = "ip -{} -o route show table all"
SS = "ss -H -t -n -p state established"


def default_route():
    for family, text in (("4", "default via 10.0.0.1 dev eth0 proto dhcp metric 100\n10.0.0.0/24 dev eth0 scope link\n"),
                         ("6", "default via fe80::1 dev eth0 proto ra metric 100 pref medium\n"),
                         ("4", "default proto static \\\tnexthop via 10.0.0.1 dev eth9 weight 1 "
                          "\\\tnexthop via 10.1.0.1 dev eth0 weight 1\n"),
                         ("4", "default via 10.0.0.1 dev eth0 table 100\n")):
        m = Machine()
        m.texts[ROUTES.format(family)] = text
        refused(m, "eth0 carries the default route")


def route_elsewhere():
    m = Machine()
    m.texts[ROUTES.format("4")] = "default via 10.0.0.1 dev eth1\n10.0.0.0/24 dev eth0 scope link\n"
    equal(m.run(A)[0], 0)
    code, _, err = m.run(B)
    equal(code, 3)
    holds(err, "eth1 carries the default route")


def route_over_uppers():
    m = Machine()
    m.folder("class/net/eth0/upper_br0")
    m.folder("class/net/br0/upper_br0.7")
    m.texts[ROUTES.format("4")] = "default via 10.0.0.1 dev br0.7\n"
    refused(m, "br0.7 carries the default route")


def bond():
    def machine():
        m = Machine()
        for dev in ("eth0", "eth1"):
            m.folder(f"class/net/{dev}/upper_bond0")
        m.put("class/net/bond0/bonding/slaves", "eth0 eth1")
        m.texts[ROUTES.format("4")] = "default via 10.0.0.1 dev bond0\n"
        return m
    equal(machine().run(A)[0], 0)                   # the other slave takes over
    m = machine()
    m.put("class/net/eth1/carrier", "0")
    refused(m, "bond0 carries the default route")
    equal(machine().run(A, B)[0], 3)


def login():
    addr = "2: eth0    inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0\n"
    m = Machine()
    m.ssh = "10.0.0.9 51234 10.0.0.5 22"
    m.texts["ip -o addr show to 10.0.0.5"] = addr
    refused(m, "eth0 carries a login session, from 10.0.0.9")
    for line in ('0 0 10.0.0.5:22 10.0.0.9:51234 users:(("sshd-session",pid=7,fd=4))\n',
                 "0 0 10.0.0.5:22 10.0.0.9:51234\n",
                 '0 0 10.0.0.5:2222 10.0.0.9:51234 users:(("sshd",pid=7,fd=4))\n',
                 '0 0 [::ffff:10.0.0.5]:2222 [::ffff:10.0.0.9]:51234 users:(("dropbear",pid=7,fd=4))\n',
                 '0 0 [fe80::5]%eth0:22 [fe80::9]:51234 users:(("sshd",pid=7,fd=4))\n'):
        m = Machine()
        m.texts["ip -o addr show to 10.0.0.5"] = addr
        m.texts[SS] = line
        refused(m, "eth0 carries a login session")


def login_routed():
    m = Machine()
    m.texts[SS] = '0 0 10.9.9.9:22 10.0.0.9:51234 users:(("sshd",pid=7,fd=4))\n'
    m.texts["ip -o addr show to 10.9.9.9"] = "1: lo    inet 10.9.9.9/32 scope global lo\n"
    m.texts["ip -o route get 10.0.0.9"] = "10.0.0.9 via 10.1.0.1 dev eth0 src 10.9.9.9 uid 0\n"
    refused(m, "eth0 carries a login session, from 10.0.0.9")


def other_traffic():
    m = Machine()
    m.texts["ip -o addr show to 10.0.0.5"] = "2: eth0    inet 10.0.0.5/24 scope global eth0\n"
    m.texts[SS] = '0 0 10.0.0.5:443 10.0.0.9:51234 users:(("nginx",pid=7,fd=4))\n'
    equal(m.run(A)[0], 0)


def no_program():
    m = Machine()

    def output(*cmd):
        raise bind.Failure(f"{cmd[0]} does not run")
    m.output = output
    before = m.snapshot()
    code, _, err = m.run(A)
    unchanged(m, before, code, 1)
    holds(err, "ip does not run")
    equal(m.run("--force", A)[0], 0)


def virtual_functions():
    m = Machine()
    m.put(f"bus/pci/devices/{A}/sriov_numvfs", "4")
    refused(m, f"{A}: its 4 virtual functions would go away")


def persists():
    m = Machine()
    equal(m.run("--persist", B)[0], 0)
    code, out, _ = m.run("--persist", A)
    equal(code, 0)
    holds(out, f"at every boot cxr_core gets {A} {B}")
    files = m.etc_files()
    equal(sorted(files), ["modprobe.d/cxr-bind.conf", "modules-load.d/cxr-bind.conf"])
    lines = files["modprobe.d/cxr-bind.conf"].splitlines()
    equal(lines[1:], [f"install mlx5_core for a in {A} {B}; do f=/sys/bus/pci/devices/$a/driver_override; "
                      "[ ! -e $f ] || echo cxr_core >$f; done; "
                      "/sbin/modprobe --ignore-install mlx5_core $CMDLINE_OPTS", "softdep cxr_core pre: mlx5_core"])
    equal(files["modules-load.d/cxr-bind.conf"].splitlines()[1:], ["cxr_core", "cxr_en", "cxr_ib"])
    code, out, _ = m.run("--back", A)
    holds(out, "goes to cxr_core again at the next boot")
    equal(m.etc_files(), files)
    m.run("--back", "--persist", A)
    holds(m.etc_files()["modprobe.d/cxr-bind.conf"], f"for a in {B};")
    m.run("--back", "--persist", B)
    equal(m.etc_files(), {})


def lists():
    m = Machine()
    m.card("0000:05:00.0", "0x1007")
    m.card("0000:06:00.0", "0x10d3", "0x8086")
    m.run("--persist", A)
    code, out, _ = m.run("--list")
    equal(code, 0)
    equal(out.splitlines(), [
        "ADDRESS       CARD        DRIVER     NETDEV  RDMA    BOOT",
        f"{A}  ConnectX-5  cxr_core   eth0    mlx5_0  cxr_core",
        f"{B}  ConnectX-5  mlx5_core  eth1    mlx5_1  -",
        "0000:05:00.0  15b3:1007   -          -       -       -"])


def unsupported_functions():
    m = Machine()
    m.card("0000:05:00.0", "0x1007")
    m.card("0000:06:00.0", "0x10d3", "0x8086")
    m.card("0000:07:00.0", "0x1017")
    m.register("vfio-pci")
    m.attach("0000:07:00.0", "vfio-pci", "eth7")
    before = m.snapshot()
    for address, words in (("0000:09:00.0", "there is no such PCI function"),
                           ("0000:05:00.0", "15b3:1007 is no card that cxr_core drives"),
                           ("0000:06:00.0", "8086:10d3 is no card that cxr_core drives"),
                           ("0000:07:00.0", "vfio-pci has it")):
        code, _, err = m.run(A, address)
        unchanged(m, before, code, 1)
        holds(err, f"{address}: {words}")


def not_root():
    m = Machine()
    m.root = False
    before = m.snapshot()
    code, _, err = m.run(A)
    unchanged(m, before, code, 1)
    holds(err, "You must be root to run this")


def same_cards_as_driver():
    with open(os.path.join(REPO, "drivers/core/main.c"), encoding="ascii") as f:
        ids = re.findall(r"PCI_VDEVICE\(MELLANOX, (0x[0-9a-f]{4})\)", f.read())
    assert ids, "there are no ids in drivers/core/main.c"
    equal(sorted(bind.DEVICES), sorted(ids))


TESTS = [
    ("a function is bound to cxr_core and back, the other is not touched", bind_and_back),
    ("driver_override is set before the driver is unbound", marked_before_free),
    ("a function that is already bound is left alone", already_there),
    ("if the second function fails, the first is rebound and the modules are unloaded", second_refuses),
    ("a missing module is detected before anything is changed", module_missing),
    ("an interrupt rolls everything back", interrupted),
    ("if the boot configuration cannot be written, everything is rolled back", boot_not_writable),
    ("refuses to cut the default route: IPv4, IPv6, multipath, other tables", default_route),
    ("a default route over another function is ignored", route_elsewhere),
    ("refuses if the default route is on a VLAN over a bridge over it", route_over_uppers),
    ("a bond with another working slave is ignored; without one it counts", bond),
    ("refuses to cut a login session", login),
    ("refuses if the route back to a login's peer leads over it", login_routed),
    ("other connections are ignored", other_traffic),
    ("refuses if it cannot find out what is in use", no_program),
    ("refuses if virtual functions would disappear", virtual_functions),
    ("--persist: the boot configuration is written and removed", persists),
    ("--list: card, driver, interfaces and boot configuration", lists),
    ("other cards and functions of other drivers are refused by name", unsupported_functions),
    ("not root: exit code 1", not_root),
    ("the list of cards matches the driver's", same_cards_as_driver),
]


if __name__ == "__main__":
    sys.exit(run(TESTS))
