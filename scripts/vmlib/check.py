# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""scripts/check: run the tests, in the toolbox; count, and say how to run one again."""

import glob
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import process
from images import REPO

BUILD = os.path.join(REPO, "build")
LOGS = os.path.join(BUILD, "check")
KTAP_LINE = re.compile(r"(not )?ok \d+ *(?:- )?(.*)")
SKIP = re.compile(r"# SKIP *(.*)$")
BUILD_KERNELS = ("6.1", "6.12", "7.2")
TSHARK_FRAMES = 20000
SESSION_SLACK = 180


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []

    def result(self, kind, text, rerun=None, log=None):
        """Count one result and show it; kind: ok, FAIL or skip."""
        print(f"    {kind:4}  {text}", flush=True)
        if kind == "ok":
            self.passed += 1
        elif kind == "skip":
            self.skipped += 1
        else:
            self.failed += 1
            self.failures.append((text, rerun, log))

    def ktap(self, line, rerun, log):
        """Count a KTAP result line; False if it is none."""
        m = KTAP_LINE.fullmatch(line)
        if not m:
            return False
        text = m.group(2)
        skip = SKIP.search(text)
        if m.group(1):
            self.result("FAIL", text, rerun, log)
        elif skip:
            self.result("skip", text)
        else:
            self.result("ok", text)
        return True

    def summary(self):
        if os.environ["DRIVER"] == "rxe":
            print("\nSoft-RoCE (rdma_rxe) stood in for the adapter: the generic tests ran in the guests, "
                  "none of driver or emulator")
        if self.failures:
            print("\nFailures:")
        for text, rerun, log in self.failures:
            print(f"  {text}")
            if log:
                print(f"      log:   {os.path.relpath(log, REPO)}")
            if rerun:
                print(f"      again: {rerun}")
        print(f"\n{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)


totals = Totals()


def heading(text):
    print(f"\n{text}", flush=True)


def start(cmd, env=None):
    return subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            cwd=REPO, env=env, preexec_fn=lambda: process.die_with_parent(signal.SIGTERM))


def step(name, cmd, rerun, results=False):
    """Run a command: its KTAP results if it prints them, else one by its exit code."""
    log = os.path.join(LOGS, re.sub(r"[^a-z0-9.]+", "-", name.lower()) + ".log")
    before = totals.passed + totals.failed + totals.skipped
    failed_before = totals.failed
    t0 = time.monotonic()
    proc = start(cmd)
    with open(log, "wb") as f:
        for raw in proc.stdout:
            f.write(raw)
            if results:
                totals.ktap(raw.decode(errors="replace").rstrip("\n"), rerun, log)
    code = proc.wait()
    counted = totals.passed + totals.failed + totals.skipped - before
    took = f"({time.monotonic() - t0:.0f} s)"
    if counted == 0:
        totals.result("FAIL" if code else "ok", f"{name} {took}", rerun, log)
    elif code and totals.failed == failed_before:
        totals.result("FAIL", f"{name}: exit code {code}", rerun, log)
    if code:
        print(process.tail(log, 15), flush=True)
    return code == 0


def host_part():
    heading("Host tests")
    inside = "scripts/toolbox run "
    step("layers: who includes whom", ["scripts/check-layers"], inside + "scripts/check-layers")
    step("documentation says what the tests say", ["scripts/check-docs"], inside + "scripts/check-docs")
    step("layouts against the kernels' own headers", ["scripts/check-prm"], inside + "scripts/check-prm")
    cmd = ["make", "-s", "-C", "selftests/host", f"O={BUILD}/host", "check"]
    step("host tests of policy, codec and layouts", cmd, inside + " ".join(cmd), True)
    cmd = ["make", "-s", "-C", "selftests/wire", f"O={BUILD}/wire", "check"]
    step("the judge of captures judges itself", cmd, inside + " ".join(cmd), True)
    cmd = ["make", "-s", "-C", "selftests/tools", f"O={BUILD}/tools", "check"]
    step("the users' tools", cmd, inside + " ".join(cmd), True)
    cmd = ["make", "-s", "-j2", "-C", "emulator", f"O={BUILD}/emulator", "check"]
    step("emulator tests with sanitizers", cmd, inside + " ".join(cmd), True)


def build_part():
    heading("Builds")
    for k in BUILD_KERNELS:
        step(f"modules for kernel {k}, W=1, without a warning", ["scripts/build-modules", k, "W=1"],
             f"make modules KERNEL={k}")


def package_part(kernels):
    """Install and remove what is released; with LONG=1 for each kernel."""
    heading("Packages")
    fit = [k for k in kernels if k in BUILD_KERNELS] or ["6.12"]
    cmd = ["selftests/package/run", f"{BUILD}/package", *(BUILD_KERNELS if os.environ["LONG"] else fit[:1])]
    step("packages", cmd, "make check-package", True)
    cmd = ["selftests/package/kselftest", f"{BUILD}/package/kselftest"]
    step("the kernel's runner of selftests", cmd, "make check-package LONG=1", True)


# --- tests in virtual machines ------------------------------------------------

class Script:
    """A test script and what its head says it needs."""

    def __init__(self, path):
        self.path = os.path.relpath(path, REPO)
        self.name = os.path.basename(path)
        self.head = {"guests": "1", "functions": "1", "timeout": "300", "long": "", "kernels": "", "drivers": "",
                     "peers": "", "windows": ""}
        with open(path, encoding="utf-8") as f:
            for line in f:
                if not line.startswith("#"):
                    break
                m = re.match(r"# (guests|functions|peers|timeout|long|kernels|drivers|windows): *(.*)", line)
                if m:
                    self.head[m.group(1)] = m.group(2).strip()

    def unfit(self, kernel, driver):
        """Why it cannot run there, or None."""
        if self.head["kernels"] and kernel not in self.head["kernels"].split():
            return f"is for kernel {self.head['kernels']}"
        if self.head["drivers"] and driver not in self.head["drivers"].split():
            return f"is for driver {self.head['drivers']}"
        if driver == "rxe" and (self.head["guests"] != "1" or self.head["peers"]):
            return "is for guests on the adapters' wire"
        return None

    def seconds(self, kernel):
        limit = self.head["long"] if os.environ["LONG"] and self.head["long"] else self.head["timeout"]
        return int(limit) * process.patience(kernel)


def scripts_wanted():
    found = [Script(p) for p in sorted(glob.glob(os.path.join(REPO, "selftests/vm/*.sh")))]
    names = os.environ["TESTS"].split()
    for n in names:
        if n not in [s.name for s in found] + [s.name[:-3] for s in found]:
            sys.exit(f"check: TESTS: there is no selftests/vm/{n}")
    return [s for s in found if not names or s.name in names or s.name[:-3] in names]


class Session:
    """One boot of the guests, and the scripts that run in it."""

    def __init__(self, kernel, driver, guests, functions, peers, todo):
        self.kernel, self.driver = kernel, driver
        self.guests, self.functions, self.peers = guests, functions, peers
        self.todo = todo
        self.current = None

    def rerun(self, script):
        extra = "".join(f" {name}=1" for name in ("IOMMU", "LONG") if os.environ[name])
        return f"make check TESTS={script} KERNELS={self.kernel} DRIVER={self.driver}{extra}"

    def command(self, out):
        seconds = sum(s.seconds(self.kernel) for s in self.todo) + SESSION_SLACK
        cmd = ["scripts/vm", "--kernel", self.kernel, "--driver", self.driver, "--guests", self.guests,
               "--functions", self.functions, "--timeout", str(seconds), "--out", out]
        if self.driver != "rxe":
            cmd += ["--pcap", os.path.join(out, "wire.pcap")]
        if self.functions == "2":
            cmd += ["--card", "cx5,ports=2"]  # the two ports of one card
        if os.environ["IOMMU"]:
            cmd.append("--iommu")
        if self.peers == "soft":
            cmd.append("--soft")
        if os.environ["LONG"]:
            cmd += ["--append", "cxr.env.LONG=1"]
        words = [f"{s.seconds(self.kernel)}:{s.path}" for s in self.todo] + ["400:selftests/lib/after.sh"]
        return cmd + ["--", "selftests/lib/run-tests", *words]

    def line(self, text, log):
        m = re.fullmatch(r"# script: (.*)", text)
        if m:
            self.current = m.group(1)
            print(f"  {self.current}", flush=True)
            self.failed_before = totals.failed
            self.todo = [s for s in self.todo if s.name != self.current]
            return
        m = re.fullmatch(r"# end of script: (\S+) (\d+)", text)
        if m:
            if m.group(2) != "0" and totals.failed == self.failed_before:
                totals.result("FAIL", f"{m.group(1)}: exit code {m.group(2)}", self.rerun(m.group(1)), log)
            self.current = None
            return
        if not totals.ktap(text, self.rerun(self.current), log) and re.match(r"# |vm: ", text):
            self.notes.append(text)

    def boot(self, number):
        """Boot and run; what is left in self.todo has not run."""
        windows = any(s.head["windows"] for s in self.todo)
        out = os.path.join(LOGS, f"vm-{self.kernel}-{self.driver}-{self.guests}x{self.functions}{self.peers}-{number}")
        os.makedirs(out, exist_ok=True)
        log = os.path.join(out, "output.txt")
        self.current = None
        self.notes = []
        proc = start(self.command(out))
        for raw in proc.stdout:
            text = raw.decode(errors="replace").rstrip("\r\n")
            failed = totals.failed
            self.line(text, log)
            if totals.failed > failed or text.startswith(("vm: ", "    | ")):
                print("\n".join(f"          {n}" for n in self.notes) or f"          {text}", flush=True)
                self.notes = []
            elif KTAP_LINE.fullmatch(text):
                self.notes = []
        code = proc.wait()
        what = f"kernel {self.kernel}, {self.driver}, {self.guests} guests"
        what += ", peers with Soft-RoCE" if self.peers == "soft" else ""
        if self.current:
            totals.result("FAIL", f"{self.current}: the machine went down in it ({what})",
                          self.rerun(self.current), os.path.join(out, "console-a.txt"))
        else:
            totals.result("FAIL" if code else "ok", "guests and emulator end without a complaint: " + what,
                          None, os.path.join(out, "emulator.txt"))
        self.judge_capture(os.path.join(out, "wire.pcap"), what, windows and not self.todo)
        return code, self.current is not None

    def judge_capture(self, pcap, what, windows):
        """Every RoCE frame of the capture, and what tests said of them (windows: some did). What Wireshark makes
        of the first frames is in its own log."""
        if not os.path.exists(pcap):
            return
        judge = f"{BUILD}/wire/roce_check"
        inside = "scripts/toolbox run "
        subprocess.run(["make", "-s", "-C", "selftests/wire", f"O={BUILD}/wire", judge], cwd=REPO, check=True)
        words = [judge] + ["--need-window"] * windows + [pcap]
        step(f"every RoCE frame on the wire is right: {what}", words, inside + " ".join(words))
        # A dissector that takes payload of its own accord for its protocol says nothing of the frame.
        cmd = f'bad=$(tshark -n --disable-protocol rpcordma -r {pcap} -c {TSHARK_FRAMES} -Y _ws.malformed) && echo "$bad" && [ -z "$bad" ]'
        step(f"tshark finds no malformed frame: {what}", ["sh", "-c", cmd], f"{inside}sh -c {shlex.quote(cmd)}")

    def run(self):
        number = 0
        while self.todo:
            before = len(self.todo)
            code, died = self.boot(number)
            number += 1
            if len(self.todo) == before or (code and not died and self.todo):
                for s in self.todo:
                    totals.result("FAIL", f"{s.name}: did not run", self.rerun(s.name))
                return


def prepare_vm(kernels, driver):
    """Emulator and modules that the VM tests run on; False if they do not build."""
    if driver == "rxe":
        return True
    cmd = ["make", "-s", "-j2", "-C", "emulator", f"O={BUILD}/emulator"]
    ok = step("emulator builds", cmd, "make emulator")
    if driver == "cxr":
        for k in kernels:
            ok = step(f"modules for the guests, kernel {k}", ["scripts/build-modules", k, "W=1"],
                      f"make modules KERNEL={k}") and ok
    return ok


def vm_part():
    kernels, driver = os.environ["KERNELS"].split(), os.environ["DRIVER"]
    scripts = scripts_wanted()
    heading("For the virtual machines")
    if not prepare_vm(kernels, driver):
        for s in scripts:
            totals.result("FAIL", f"{s.name}: did not run")
        return
    for kernel in kernels:
        heading(f"VM tests: kernel {kernel}, driver {driver}" + (", IOMMU" if os.environ["IOMMU"] else ""))
        groups = {}
        for s in scripts:
            why = s.unfit(kernel, driver)
            if why:
                totals.result("skip", f"{s.name} {why}")
                continue
            guests = int(s.head["guests"])
            groups.setdefault((s.head["functions"], s.head["peers"], guests), []).append(s)
        # Guests that a script does not need do not disturb it: one boot per kind of machines.
        for kind in sorted({(f, p) for f, p, _ in groups}):
            guests = max(g for f, p, g in groups if (f, p) == kind)
            todo = [s for (f, p, _), group in sorted(groups.items()) if (f, p) == kind for s in group]
            Session(kernel, driver, str(guests), *kind, todo).run()


def main(parts):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.makedirs(LOGS, exist_ok=True)
    t0 = time.monotonic()
    if not os.environ["TESTS"]:
        if "host" in parts:
            host_part()
        if "build" in parts:
            build_part()
        if "package" in parts:
            package_part(os.environ["KERNELS"].split())
    if "vm" in parts:
        vm_part()
    print(f"\ntook {(time.monotonic() - t0) / 60:.1f} minutes")
    totals.summary()
    return 1 if totals.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
