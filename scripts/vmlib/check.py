# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""scripts/check: run the tests in the toolbox; count and time them, and print how to repeat a failed one."""

import os
import signal
import sys
import threading
import time

from beside import Beside, finish_all
import images
from images import REPO
from results import BUILD, LOGS, Skips, chosen, heading, out, patterns, times, totals
from script import HeadError, all_scripts, take_turns
from sets import JUDGE, at_once, pack
from steps import asked_for, step

BUILD_KERNELS = ("6.1", "6.12", "7.2")
INSIDE = "scripts/toolbox run "
LOOPS_KERNEL = "6.12"   # scripts/check-loops looks at its modules
NICE = 10   # of what runs beside guests

# Steps without guests: id, description, command, whether it prints KTAP results
HOST_STEPS = (
    ("layers", "include rules of the layers", ["scripts/check-layers"], False),
    ("docs", "documentation matches the tests", ["scripts/check-docs"], False),
    ("ids", "ids of tests are valid, and so are references to them", ["scripts/check-ids"], False),
    ("prm", "layouts match the kernels' headers", ["scripts/check-prm"], False),
    ("host", "host tests of policy, codec and layouts", ["make", "-s", "-C", "selftests/host", f"O={BUILD}/host", "check"], True),
    ("wire", "self-test of roce_check", ["make", "-s", "-C", "selftests/wire", f"O={BUILD}/wire", "check"], True),
    ("user-tools", "the users' tools", ["make", "-s", "-C", "selftests/tools", f"O={BUILD}/tools", "check"], True),
    ("emulator", "emulator tests with sanitizers",
     ["make", "-s", "-j2", "-C", "emulator", f"O={BUILD}/emulator", "check"], True),
)


# ids of all steps
STEPS = (*(s[0] for s in HOST_STEPS), *(f"build-{k}" for k in BUILD_KERNELS), "build-without-odp", "loops", "install", "kselftest-runner")


def emulator_programs():
    """Programs of emulator/tests in ONLY, such as emulator.test_rdma.*"""
    named = {g.split(".")[1] for g in patterns(os.environ["ONLY"]) if g.startswith("emulator.test_") or g.startswith("emulator.fuzz_")}
    return [] if any(c in n for n in named for c in "*?[") else sorted(named)


def host_part():
    heading("Host tests")
    for ident, name, cmd, results in HOST_STEPS:
        if ident == "emulator" and emulator_programs():
            cmd = cmd + [f"PROGRAMS={' '.join(emulator_programs())}"]
        step(ident, name, cmd, INSIDE + " ".join(cmd), results)


def build_part(kernels):
    heading("Builds")
    for k in kernels:
        step(f"build-{k}", f"modules for kernel {k}, W=1, no warnings", ["scripts/build-modules", k, "W=1"],
             f"make modules KERNEL={k}")
        if k == LOOPS_KERNEL:
            cmd = ["scripts/check-loops"]
            step("loops", "no large call cycles between files", cmd, INSIDE + cmd[0])
            if os.environ["LONG"]:
                cmd = ["env", "BUILD_NAME=without-odp", "WITHOUT=INFINIBAND_ON_DEMAND_PAGING", "scripts/build-modules", k, "W=1"]
                step("build-without-odp", f"modules for kernel {k} without on-demand paging", cmd, " ".join(cmd[1:]))


def package_part(kernels):
    """Install and uninstall the release; with LONG=1 for each kernel."""
    heading("Packages")
    fit = [k for k in kernels if k in BUILD_KERNELS] or ["6.12"]
    cmd = ["selftests/package/run", f"{BUILD}/package", *(BUILD_KERNELS if os.environ["LONG"] else fit[:1])]
    step("install", "packages install and uninstall", cmd, "make check-package", True)
    cmd = ["selftests/package/kselftest", f"{BUILD}/package/kselftest"]
    step("kselftest-runner", "the kernel's kselftest runner", cmd, "make check-package LONG=1", True)


class WithoutGuests:
    """The parts without guests. What guests need comes first, the rest runs beside them."""

    def __init__(self, parts):
        self.parts = parts
        self.kernels = os.environ["KERNELS"].split()
        self.installed = threading.Event()      # the packages, which selftests/vm/package.sh looks at
        self.threads = []
        self.builds = os.environ["BUILDS"].split() or BUILD_KERNELS
        self.build([k for k in self.builds if k in self.kernels])

    def build(self, kernels):
        if "build" in self.parts and kernels:
            build_part(kernels)

    def packages(self):
        try:
            if "package" in self.parts:
                package_part(self.kernels)
        finally:
            self.installed.set()

    def rest(self):
        if "host" in self.parts:
            host_part()
        self.build([k for k in self.builds if k not in self.kernels])

    def held(self, work, nice):
        """Do this in a thread, and show its lines together."""
        try:
            out.hold()
            if nice:
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(nice, os.getpriority(os.PRIO_PROCESS, 0)))
            work()
        finally:
            out.hold()

    def begin(self):
        self.threads = [Beside(self.held, work, NICE) for work in (self.packages, self.rest)]

    def finish(self):
        """Run them now if there were no guests to run them beside."""
        if not self.threads:
            self.threads = [Beside(self.held, self.packages, 0)]
            self.rest()
        finish_all(self.threads)


# --- tests in virtual machines ------------------------------------------------

def scripts_wanted():
    """[(script, its selected ids, or None for all)]"""
    found = all_scripts()
    names = os.environ["TESTS"].split()
    for n in names:
        if n not in [s.name for s in found] + [s.name[:-3] for s in found]:
            sys.exit(f"check: TESTS: there is no selftests/vm/{n}")
    found = [s for s in found if not names or s.name in names or s.name[:-3] in names]
    if os.environ["TURN"]:
        kernel, driver = os.environ["KERNELS"].split()[0], os.environ["DRIVER"]
        take_turns([s for s in found if not s.unfit(kernel, driver)], os.environ["TURN"])
    globs = patterns(os.environ["ONLY"])
    if not globs:
        return [(s, None) for s in found]
    rows = [(s, s.wanted(globs)) for s in found]
    return [(s, ids) for s, ids in rows if ids]


def prepare_vm(kernels, driver):
    """Build emulator and modules for the VM tests; returns False if that fails."""
    ok = True
    for k in kernels:
        cmd = ["env", "FOLDER=selftests/kmod", "scripts/build-modules", k, "W=1"]
        ok = step(None, f"test modules for the guests, kernel {k}", cmd, " ".join(cmd[1:])) and ok
    cmd = ["make", "-s", "-C", "selftests/bpf", f"O={BUILD}/bpf"]
    ok = step(None, "XDP programs for the guests", cmd, INSIDE + " ".join(cmd)) and ok
    if driver == "rxe":
        return ok
    cmd = ["make", "-s", "-C", "selftests/wire", f"O={BUILD}/wire", JUDGE]
    ok = step(None, "the judge of captures builds", cmd, INSIDE + " ".join(cmd)) and ok
    cmd = ["make", "-s", "-j2", "-C", "emulator", f"O={BUILD}/emulator"]
    ok = step(None, "emulator builds", cmd, "make emulator") and ok
    if driver == "cxr":
        for k in kernels:
            ok = step(None, f"modules for the guests, kernel {k}", ["scripts/build-modules", k, "W=1"],
                      f"make modules KERNEL={k}") and ok
    return ok


def ledger_steps(sessions, kernel, driver):
    """Compare what the driver writes with the in-tree driver, if all scripts of the ledger have run as they were for the record."""
    wanted = {s.name for s in all_scripts() if s.head["ledger"]}
    those = [s for s in sessions if s.ledger and s.kernel == kernel]
    ran = {script.name for s in those for script, ids in s.scripts if ids is None}
    record = f"selftests/ledger/mlx5-{kernel}.tsv"
    if ran != wanted or os.environ["LONG"] or os.environ["CARD"] or not os.path.exists(os.path.join(REPO, record)):
        return
    folders = [s.folder(n) for s in those for n in range(s.boots)]
    if driver == "cxr":
        cmd = ["scripts/ledger", "--kernel", kernel, record, *folders]
        step(f"ledger-{kernel}", f"what the driver writes to the device is explained, kernel {kernel}", cmd, " ".join(cmd))
    elif not images.Kernel(kernel).release.startswith(kernel + "."):
        totals.result("skip", f"ledger-{kernel}: the record is of {kernel}, which the archive does not have any more")
    else:
        cmd = ["scripts/ledger", "--recorded", record, *folders]
        step(f"ledger-{kernel}", f"what the in-tree driver writes to the device is recorded, kernel {kernel}", cmd, " ".join(cmd))


def vm_part(others):
    """OTHERS: what runs beside the guests."""
    kernels, driver = os.environ["KERNELS"].split(), os.environ["DRIVER"]
    scripts = scripts_wanted()
    if not scripts:
        return
    heading("For the virtual machines")
    if not prepare_vm(kernels, driver):
        for s, _ in scripts:
            totals.result("FAIL", f"{s.name}: did not run")
        return
    heading(f"VM tests: kernel {', '.join(kernels)}, driver {driver}" + (f", card {os.environ['CARD']}" if os.environ["CARD"] else "") +
            (", IOMMU" if os.environ["IOMMU"] else ""))
    sessions, skips = [], Skips()
    for kernel in kernels:
        fit = []
        for s, ids in scripts:
            why = s.unfit(kernel, driver)
            if why:
                totals.result("skip", f"{s.name} {why}")
            else:
                fit.append((s, ids))
        sessions += pack(fit, kernel, driver, skips)
    others.begin()
    at_once(sessions, others.installed)
    for kernel in kernels:
        ledger_steps(sessions, kernel, driver)


def list_part():
    """List ids and sentences of the VM tests, and the steps without guests"""
    globs = patterns(os.environ["ONLY"])
    for s in all_scripts():
        for ident, sentence in s.ids().items():
            if chosen(ident, globs):
                print(f"{ident}\t{sentence}")
    for ident in STEPS:
        if asked_for(ident):
            print(f"{ident}\t(a step of make check-host)")


def run(parts):
    if "list" in parts:
        list_part()
        return 0
    os.makedirs(LOGS, exist_ok=True)
    t0 = time.monotonic()
    others = WithoutGuests([] if os.environ["TESTS"] else parts)
    try:
        if "vm" in parts:
            vm_part(others)
    except Exception:
        finish_all(others.threads)
        raise
    others.finish()
    if not totals.passed + totals.failed + totals.skipped:
        sys.exit(f"check: ONLY: there is no test '{os.environ['ONLY']}' (make check-list)")
    times.summary()
    print(f"\ntook {(time.monotonic() - t0) / 60:.1f} minutes, {times.cpu / 60:.1f} of a CPU, load {os.getloadavg()[0]:.1f}")
    totals.summary()
    return 1 if totals.failed else 0


def main(parts):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run(parts)
    except HeadError as e:
        sys.exit(f"check: {e}")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
