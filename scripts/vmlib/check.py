# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""scripts/check: run the tests, in the toolbox; count, and say how to run one again."""

import glob
import os
import re
import signal
import subprocess
import sys
import threading
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


class Output(threading.local):
    """Shows lines at once, or, for a thread that holds them, all together when it lets them go."""
    mutex = threading.Lock()
    held = None

    def line(self, text):
        if self.held is None:
            print(text, flush=True)
        else:
            self.held.append(text)

    def hold(self):
        """What this thread says from now on waits for the next call, which shows it."""
        with self.mutex:
            print("".join(f"{text}\n" for text in self.held or ()), end="", flush=True)
        self.held = []


out = Output()


class Totals:
    def __init__(self):
        self.mutex = threading.Lock()
        self.passed = self.failed = self.skipped = 0
        self.failures = []

    def result(self, kind, text, rerun=None, log=None):
        """Count one result and show it; kind: ok, FAIL or skip."""
        out.line(f"    {kind:4}  {text}")
        with self.mutex:
            if kind == "ok":
                self.passed += 1
            elif kind == "skip":
                self.skipped += 1
            else:
                self.failed += 1
                self.failures.append((text, rerun, log))

    def ktap(self, line, rerun, log):
        """Count a KTAP result line; its kind, or None if it is none."""
        m = KTAP_LINE.fullmatch(line)
        if not m:
            return None
        text = m.group(2)
        kind = "FAIL" if m.group(1) else "skip" if SKIP.search(text) else "ok"
        self.result(kind, text, rerun, log)
        return kind

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
    kinds = set()
    t0 = time.monotonic()
    proc = start(cmd)
    with open(log, "wb") as f:
        for raw in proc.stdout:
            f.write(raw)
            if results:
                kinds.add(totals.ktap(raw.decode(errors="replace").rstrip("\n"), rerun, log))
    code = proc.wait()
    took = f"({time.monotonic() - t0:.0f} s)"
    if not kinds - {None}:
        totals.result("FAIL" if code else "ok", f"{name} {took}", rerun, log)
    elif code and "FAIL" not in kinds:
        totals.result("FAIL", f"{name}: exit code {code}", rerun, log)
    if code:
        out.line(process.tail(log, 15))
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
                     "peers": "", "windows": "", "card": "cx5"}
        with open(path, encoding="utf-8") as f:
            for line in f:
                if not line.startswith("#"):
                    break
                m = re.match(r"# (guests|functions|card|peers|timeout|long|kernels|drivers|windows): *(.*)", line)
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

    def says_frames(self, driver):
        """Will the capture have windows, which say what the frames in them must be?"""
        return self.head["windows"] == "yes" or driver in self.head["windows"].split()

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

    def __init__(self, kernel, driver, guests, functions, card, peers, todo):
        self.kernel, self.driver = kernel, driver
        self.guests, self.functions, self.card, self.peers = guests, functions, card, peers
        self.todo = todo
        self.current = None
        self.kinds = set()    # of the results since the script began
        self.what = f"kernel {kernel}, {driver}, {guests} guest" + "s" * (guests != "1")
        self.what += f" with {functions} functions" if functions != "1" else ""
        self.what += f" on {card}" if card != "cx5" else ""
        self.what += ", peers with Soft-RoCE" if peers == "soft" else ""

    def limit(self):
        """Seconds that its scripts may take together."""
        return sum(s.seconds(self.kernel) for s in self.todo)

    def rerun(self, script):
        extra = "".join(f" {name}={os.environ[name]}" for name in ("IOMMU", "LONG", "SEED") if os.environ[name])
        return f"make check TESTS={script} KERNELS={self.kernel} DRIVER={self.driver}{extra}"

    def command(self, where):
        cmd = ["scripts/vm", "--kernel", self.kernel, "--driver", self.driver, "--guests", self.guests,
               "--functions", self.functions, "--timeout", str(self.limit() + SESSION_SLACK), "--out", where]
        if self.driver != "rxe":
            cmd += ["--pcap", os.path.join(where, "wire.pcap")]
        cmd += ["--card", self.card + (",ports=2" if self.functions == "2" else "")]  # the two ports of one card
        if os.environ["IOMMU"]:
            cmd.append("--iommu")
        if self.peers == "soft":
            cmd.append("--soft")
        for name in ("LONG", "SEED"):
            if os.environ[name]:
                cmd += ["--append", f"cxr.env.{name}={os.environ[name]}"]
        words = [f"{s.seconds(self.kernel)}:{s.path}" for s in self.todo] + ["400:selftests/lib/after.sh"]
        return cmd + ["--", "selftests/lib/run-tests", *words]

    def line(self, text, log):
        m = re.fullmatch(r"# script: (.*)", text)
        if m:
            self.current = m.group(1)
            self.kinds = set()
            out.hold()
            out.line(f"  {self.current}  ({self.what})")
            self.todo = [s for s in self.todo if s.name != self.current]
            return
        m = re.fullmatch(r"# end of script: (\S+) (\d+)", text)
        if m:
            if m.group(2) != "0" and "FAIL" not in self.kinds:
                totals.result("FAIL", f"{m.group(1)}: exit code {m.group(2)}", self.rerun(m.group(1)), log)
            self.current = None
            return
        kind = totals.ktap(text, self.rerun(self.current), log)
        self.kinds.add(kind)
        if not kind and re.match(r"# |vm: ", text):
            self.notes.append(text)
        if kind == "FAIL" or text.startswith(("vm: ", "    | ")):
            out.line("\n".join(f"          {n}" for n in self.notes) or f"          {text}")
        if kind or text.startswith(("vm: ", "    | ")):
            self.notes = []

    def place(self, number):
        """Its folder of logs."""
        card = "" if self.card == "cx5" else self.card
        return f"vm-{self.kernel}-{self.driver}-{self.guests}x{self.functions}{card}{self.peers}-{number}"

    def boot(self, number):
        """Boot and run; what is left in self.todo has not run."""
        windows = any(s.says_frames(self.driver) for s in self.todo)
        where = os.path.join(LOGS, self.place(number))
        os.makedirs(where, exist_ok=True)
        log = os.path.join(where, "output.txt")
        self.current = None
        self.notes = []
        proc = start(self.command(where))
        for raw in proc.stdout:
            self.line(raw.decode(errors="replace").rstrip("\r\n"), log)
        code = proc.wait()
        if self.current:
            totals.result("FAIL", f"{self.current}: the machine went down in it ({self.what})",
                          self.rerun(self.current), os.path.join(where, "console-a.txt"))
        else:
            totals.result("FAIL" if code else "ok", f"guests and emulator end without a complaint: {self.what}",
                          None, os.path.join(where, "emulator.txt"))
        self.judge_capture(os.path.join(where, "wire.pcap"), windows and not self.todo)
        out.hold()
        return code, self.current is not None

    def judge_capture(self, pcap, windows):
        """Every RoCE frame of the capture, and what tests said of them (windows: some did). What Wireshark makes
        of the first frames is in its own log."""
        if not os.path.exists(pcap):
            return
        judge = f"{BUILD}/wire/roce_check"
        inside = "scripts/toolbox run "
        subprocess.run(["make", "-s", "-C", "selftests/wire", f"O={BUILD}/wire", judge], cwd=REPO, check=True)
        words = [judge] + ["--need-window"] * windows + [pcap]
        step(f"every RoCE frame on the wire is right: {self.what}", words, inside + " ".join(words))
        words = ["selftests/wire/malformed", pcap, str(TSHARK_FRAMES)]
        step(f"tshark finds no malformed frame: {self.what}", words, inside + " ".join(words))

    def run(self):
        number = 0
        out.hold()
        while self.todo:
            before = len(self.todo)
            code, died = self.boot(number)
            number += 1
            if len(self.todo) == before or (code and not died and self.todo):
                for s in self.todo:
                    totals.result("FAIL", f"{s.name}: did not run", self.rerun(s.name))
                self.todo = []
        out.hold()


def prepare_vm(kernels, driver):
    """Emulator and modules that the VM tests run on; False if they do not build."""
    ok = True
    for k in kernels:
        cmd = ["env", "FOLDER=selftests/kmod", "scripts/build-modules", k, "W=1"]
        ok = step(f"test modules for the guests, kernel {k}", cmd, " ".join(cmd[1:])) and ok
    if driver == "rxe":
        return ok
    cmd = ["make", "-s", "-j2", "-C", "emulator", f"O={BUILD}/emulator"]
    ok = step("emulator builds", cmd, "make emulator") and ok
    if driver == "cxr":
        for k in kernels:
            ok = step(f"modules for the guests, kernel {k}", ["scripts/build-modules", k, "W=1"],
                      f"make modules KERNEL={k}") and ok
    return ok


def at_once(sessions):
    """Run them, as many at a time as JOBS allows, those that may take longest first."""
    queue = sorted(sessions, key=Session.limit, reverse=True)
    errors = []

    def work():
        try:
            while queue:
                queue.pop(0).run()
        except Exception as e:  # pylint: disable=broad-exception-caught
            errors.append(e)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(int(os.environ["JOBS"]))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def vm_part():
    kernels, driver = os.environ["KERNELS"].split(), os.environ["DRIVER"]
    scripts = scripts_wanted()
    heading("For the virtual machines")
    if not prepare_vm(kernels, driver):
        for s in scripts:
            totals.result("FAIL", f"{s.name}: did not run")
        return
    heading(f"VM tests: kernel {', '.join(kernels)}, driver {driver}" + (", IOMMU" if os.environ["IOMMU"] else ""))
    groups = {}
    for kernel in kernels:
        for s in scripts:
            why = s.unfit(kernel, driver)
            if why:
                totals.result("skip", f"{s.name} {why}")
                continue
            kind = kernel, driver, s.head["guests"], s.head["functions"], s.head["card"], s.head["peers"]
            groups.setdefault(kind, []).append(s)
    at_once([Session(*kind, todo) for kind, todo in groups.items()])


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
