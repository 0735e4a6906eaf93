# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""scripts/mutants: builds modules for each mutant, and boots guests once for all mutants that need the same machines."""

import fnmatch
import glob
import os
import re
import shutil
import signal
import subprocess
import time

import check
import process
import results as results_of
import script
import sets
from images import BUILT, REPO

BUILD = os.path.join(REPO, "build/mutants")
PARTS = ("Kbuild", "drivers", "include")
TEST_SECONDS = 400      # set-up and test have lower limits of their own
BOOT_SECONDS = 300
GOOD = "none"           # name of a run without a mutant


# ---- modules -----------------------------------------------------------------

def output(*words):
    return subprocess.run(words, cwd=REPO, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def tail_of(text):
    return "\n".join(line for line in text.splitlines() if "rror" in line) or text


class Modules:
    """The copy in which the modules for one kernel are built, and a folder of modules for each mutant."""

    def __init__(self, kernel, sync):
        self.kernel, self.sync = kernel, sync
        self.copy = os.path.join(BUILD, kernel)
        if kernel in BUILT:
            self.kdir = output("scripts/debug-kernel", kernel) + "/build"
        else:
            self.kdir = f"/usr/lib/modules/{output('scripts/toolbox', 'kver', kernel)}/build"
        sync(self.copy, PARTS, {})
        if not os.path.exists(os.path.join(self.copy, "Module.symvers")):
            self.take_objects()

    def take_objects(self):
        """Reuse the objects of `make modules`, with the folder replaced in their saved commands."""
        good = os.path.join(REPO, "build", self.kernel)
        for folder, _, files in os.walk(good):
            for name in files:
                if not re.search(r"(\.o|\.cmd|\.mod|\.mod\.c|^modules\.order|^Module\.symvers)$", name):
                    continue
                with open(os.path.join(folder, name), "rb") as f:
                    data = f.read()
                if not name.endswith(".o"):
                    data = data.replace(good.encode(), self.copy.encode())
                with open(os.path.join(self.copy, os.path.relpath(folder, good), name), "wb") as f:
                    f.write(data)

    def build(self, m, text):
        """Build a mutant; returns None, or the error output."""
        want = self.sync(self.copy, PARTS, {m.key["file"]: text})
        place = os.path.join(BUILD, "modules", self.kernel, m.name)
        mark = os.path.join(place, "made-of")
        if os.path.exists(mark):
            with open(mark, encoding="utf-8") as f:
                if f.read() == want:
                    return None
        done = subprocess.run(["make", "-C", self.kdir, f"M={self.copy}", "CC=gcc-14", "HOSTCC=gcc-14", "-j2", "W=1", "modules"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              check=False)
        if done.returncode:
            return tail_of(done.stdout)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        for ko in glob.glob(os.path.join(self.copy, "*.ko")):
            subprocess.run(["strip", "--strip-debug", "-o", os.path.join(place, os.path.basename(ko)), ko], check=True)
        with open(mark, "w", encoding="utf-8") as f:
            f.write(want)
        return None


def build_all(mutants, sync, show):
    """Build all mutants, grouped by kernel and file to compile less; returns those that were built."""
    built, modules = [], {}
    for m in sorted(mutants, key=lambda m: (m.kernel, m.key["file"])):
        text = m.mutated()
        if text is None:
            m.end("stale", m.note)
            show(m)
            continue
        if m.kernel not in modules:
            modules[m.kernel] = Modules(m.kernel, sync)
        why = modules[m.kernel].build(m, text)
        if why:
            m.end("does not build", why)
            show(m)
            continue
        built.append(m)
    return built


# ---- guests ------------------------------------------------------------------

class Machines:
    """Guests of one kind and the mutants to run in them; booted again if a mutant crashes them."""

    def __init__(self, kernel, head, mutants, show):
        self.kernel, self.head, self.mutants, self.show = kernel, head, mutants, show
        self.good = {}      # {id: result} without a mutant
        self.boots = 0
        self.what = f"kernel {kernel}, {head['guests']} guest" + "s" * (head["guests"] != "1")
        self.what += f" with {head['functions']} functions" if head["functions"] != "1" else ""
        self.what += f" with {head['cpus']} CPUs" if head["cpus"] != "1" else ""
        self.what += f" on {head['card']}" if head["card"] != "cx5" else ""
        self.what += ", numbers reused" if head["numbers"] else ""
        self.what += f", wire with {head['wire']}" if head["wire"] else ""
        self.what += ", peers with Soft-RoCE" if head["peers"] == "soft" else ""

    def entries(self):
        """(mutant or None, script, ids): each script first without a mutant, then with each of its mutants."""
        found = []
        for script in sorted({m.script for m in self.mutants}):
            those = [m for m in self.mutants if m.script == script]
            found.append((None, script, ",".join(sorted({m.test for m in those}))))
            found += [(m, script, m.test) for m in those]
        return found

    def command(self, out, seconds):
        head = self.head
        cmd = ["scripts/vm", "--kernel", self.kernel, "--driver", "cxr", "--guests", head["guests"], "--functions", head["functions"],
               "--smp", head["cpus"], "--card", script.card_option(head["card"], head["functions"]),
               "--timeout", str(seconds), "--out", out]
        cmd += script.emulator_args(head)
        if head["peers"] == "soft":
            cmd.append("--soft")
        return cmd + ["--", "selftests/mutants/guest", "/out/list"]

    def run(self):
        print(self.what, flush=True)
        left = self.entries()
        while left:
            before = len(left)
            left = self.boot(left)
            if len(left) == before:
                for m, script, _ in left:
                    if m and not m.result:
                        m.end("no test", f"{script}: the guests did not come up, see {self.out}")
                        self.show(m)
                return

    def boot(self, left):
        """Boot and run; returns the entries that did not run."""
        self.out = os.path.join(BUILD, f"vm-{self.kernel}-{self.head['guests']}x{self.head['functions']}x{self.head['cpus']}"
                                f"{re.sub('[,=]', '-', self.head['card'])}{self.head['numbers']}{'rate' * bool(self.head['wire'])}"
                                f"{self.head['peers']}-{self.boots}")
        self.boots += 1
        limit = TEST_SECONDS * process.patience(self.kernel)
        os.makedirs(self.out, exist_ok=True)
        with open(os.path.join(self.out, "list"), "w", encoding="utf-8") as f:
            for m, script, ids in left:
                folder = f"/cxr/build/mutants/modules/{self.kernel}/{m.name}" if m else f"/cxr/build/{self.kernel}"
                f.write(f"{m.name if m else GOOD} {folder} {limit if m else 3 * limit} {script} {ids}\n")
        words = self.command(self.out, BOOT_SECONDS + (limit + 120) * (len(left) + 2))
        proc = subprocess.Popen(words, cwd=REPO, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                preexec_fn=lambda: process.die_with_parent(signal.SIGTERM))
        try:
            return self.follow(proc, left, limit)
        finally:
            if proc.poll() is None:
                proc.terminate()
            proc.wait()

    def follow(self, proc, left, limit):
        """Process the output of the guests, entry by entry."""
        lines, began = None, time.monotonic()
        log = os.path.join(self.out, "said.txt")
        for text in process.lines_of(proc, log, lambda: began + BOOT_SECONDS + limit * (1 if left and left[0][0] else 3)):
            if re.match(r"# mutant: ", text):
                lines, began = [], time.monotonic()
            elif re.match(r"# end of mutant: ", text):
                self.judge(left[0], lines, time.monotonic() - began)
                left, lines, began = left[1:], None, time.monotonic()
            elif lines is not None:
                lines.append(text)
        if lines is not None:
            self.died(left[0], time.monotonic() - began)
            left = left[1:]
        return left

    # ---- judging

    def judge(self, entry, lines, seconds):
        m, script, _ = entry
        results = {}
        for line in lines:
            k = results_of.KTAP_LINE.fullmatch(line)
            if k:
                name = k.group(2).partition(": ")[0]
                results[name] = "FAIL" if k.group(1) else "skip" if results_of.SKIP.search(line) else "ok"
        if not m:
            self.good.update(results)
            return
        m.seconds = seconds
        tests = fnmatch.filter(self.good, m.test)
        bad = [t for t in tests if self.good[t] == "FAIL"]
        if not tests or bad:
            m.end("no test", f"{bad[0]} fails without a mutant, see {self.out}/said.txt" if bad else f"{script} has no test {m.test}")
        elif not [t for t in tests if self.good[t] == "ok"]:
            m.end("skip", f"{tests[0]} is skipped here")
        elif m.wire and any(results.get(t) == "ok" for t in tests):
            return    # OnTheWire looks at the capture
        elif any(results.get(t) == "FAIL" for t in tests):
            failed = any(re.match("# the set-up failed", line) for line in lines)
            m.end("SURVIVED" if failed else "caught", "its set-up failed, not the test" if failed else "")
        else:
            m.end("SURVIVED", "the test passes" if any(results.get(t) == "ok" for t in tests) else "the test did not run")
        self.show(m)

    def died(self, entry, seconds):
        m, script, _ = entry
        if not m:
            print(f"    {script} crashes the guests without a mutant, see {self.out}", flush=True)
            return
        m.seconds = seconds
        m.end("caught" if m.dies else "died", "" if m.dies else f"the guests crashed or hung, see {self.out}")
        self.show(m)


class NoFrames(Exception):
    """There is nothing that roce_check could judge."""


class OnTheWire(Machines):
    """For tests that check frames on the wire: the test passes, and roce_check finds the error. One boot per mutant, since the
    frames of different mutants cannot be told apart in a capture."""

    def run(self):
        print(f"{self.what}, checked on the wire", flush=True)
        for m in self.mutants:
            try:
                why = self.complaint((None, m.script, m.test))
                if why:
                    m.end("no test", f"without a mutant: {why}")
                else:
                    why = self.complaint((m, m.script, m.test))
                if not m.result:
                    m.end("caught" if why else "SURVIVED", "" if why else "the test passes, and the frames are valid")
            except NoFrames as e:
                m.end("no test", str(e))
            self.show(m)

    def command(self, out, seconds):
        cmd = super().command(out, seconds)
        return cmd[:1] + ["--pcap", os.path.join(out, "wire.pcap")] + cmd[1:]

    def complaint(self, entry):
        """The first error that roce_check finds in this run, or an empty string."""
        if self.boot([entry]):
            raise NoFrames(f"the guests did not come up, see {self.out}")
        with open(os.path.join(self.out, "said.txt"), encoding="utf-8", errors="replace") as f:
            windows = re.findall(r"^# windows: (\S+) (\d+)", f.read(), re.M)
        words = [sets.JUDGE]
        for name, number in windows:
            words += ["--windows", f"{name}={number}"]
        done = subprocess.run(words + [os.path.join(self.out, "wire.pcap")], cwd=REPO, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if not windows or int(windows[0][1]) == 0:
            raise NoFrames("there was no window on the wire")
        if not done.returncode:
            return ""
        said = re.findall(r"^roce_check: .*", done.stdout, re.M)
        judged = [line for line in said if not re.search(r"wire\.pcap| windows, expected ", line)]
        if not judged:
            raise NoFrames((said or ["the judge of captures failed"])[0])
        return judged[0]


def run_in_guests(mutants, sync, show):
    heads = {}
    for m in list(mutants):
        m.script = f"selftests/vm/{m.test.partition('.')[0]}.sh"
        if not os.path.exists(os.path.join(REPO, m.script)):
            m.end("no test", f"there is no {m.script}")
            show(m)
            mutants.remove(m)
            continue
        head = script.Script(os.path.join(REPO, m.script)).head
        key = (m.kernel, *(head[k] for k in sets.MACHINES))
        heads[key] = head
        m.machines = key
    print("For the virtual machines", flush=True)
    os.makedirs(results_of.LOGS, exist_ok=True)
    if not check.prepare_vm(sorted({m.kernel for m in mutants}), "cxr"):
        for m in mutants:
            m.end("no test", "the unmodified code does not build")
            show(m)
        return
    built = build_all(mutants, sync, show)
    for key, head in sorted(heads.items()):
        those = [m for m in built if m.machines == key]
        for kind, wire in ((Machines, False), (OnTheWire, True)):
            if [m for m in those if m.wire == wire]:
                kind(key[0], head, [m for m in those if m.wire == wire], show).run()
