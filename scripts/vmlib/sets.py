# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Sets of virtual machines: scripts that share a boot, and several boots at once."""

import os
import re
import time

import process
from beside import Beside, finish_all
from results import BUILD, KTAP_ID, LOGS, out, parse, times, totals
from script import card_option, emulator_args
from steps import start, step

JUDGE = f"{BUILD}/wire/roce_check"
TSHARK_FRAMES = 20000
SESSION_SLACK = 180
STRANGE_LINES = 19
# keys of a head that determine the machines
MACHINES = ("guests", "functions", "cpus", "card", "administrator", "numbers", "wire", "peers")
KIND = MACHINES + ("capture", "ledger")   # and a session
SET_SECONDS = 200  # target run time of a set


class Session:
    """A boot of the guests, and the scripts that run in it."""

    def __init__(self, kernel, driver, head, todo, skips):
        self.kernel, self.driver, self.skips = kernel, driver, skips
        self.head = head
        self.guests, self.functions, self.cpus, self.card, _, self.numbers, self.wire, self.peers = (head[k] for k in MACHINES)
        self.ledger, self.captures = head["ledger"], driver != "rxe" and not head["capture"]
        self.cpus = "2" if kernel == "kcsan" else self.cpus     # a race needs two
        self.todo = self.scripts = todo     # [(script, its selected ids, or None for all)]; todo: left to run
        self.current = None
        self.kinds = []     # of the results of the current script
        self.plan, self.asked = None, 0
        self.notes, self.strange = [], []
        self.says_frames, self.windows = [], {}    # scripts with windows, and the number of windows of each script
        self.boots = 0
        self.began = 0.0
        self.script_began = 0.0
        self.what = f"kernel {kernel}, {driver}, {self.guests} guest" + "s" * (self.guests != "1")
        self.what += f" with {self.functions} functions" if self.functions != "1" else ""
        self.what += f" with {self.cpus} CPUs" if self.cpus != "1" else ""
        self.what += f" on {self.card}" if self.card != "cx5" else ""
        self.what += ", numbers reused" if self.numbers else ""
        self.what += f", wire with {self.wire}" if self.wire else ""
        self.what += ", peers with Soft-RoCE" if self.peers == "soft" else ""
        self.where = " ".join(filter(None, (kernel, driver, os.environ["CARD"], "iommu" if os.environ["IOMMU"] else "")))

    def limit(self):
        """Sum of the time limits of its scripts."""
        return sum(s.seconds(self.kernel) for s, _ in self.todo)

    def takes(self):
        """Sum of the run times in the heads of its scripts."""
        return sum(s.takes() for s, _ in self.todo)

    def needs_packages(self):
        return self.scripts[0][0].head["needs"] != ""

    def rerun(self, what):
        extra = "".join(f" {name}={os.environ[name]}" for name in ("CARD", "IOMMU", "LONG", "SEED") if os.environ[name])
        extra += " CAPTURE=no" if os.environ["CAPTURE"] == "no" else ""
        return f"make check {what} KERNELS={self.kernel} DRIVER={self.driver}{extra}"

    def command(self, where):
        cmd = ["scripts/vm", "--kernel", self.kernel, "--driver", self.driver, "--guests", self.guests,
               "--functions", self.functions, "--smp", self.cpus, "--timeout", str(self.limit() + SESSION_SLACK), "--out", where]
        if self.captures:
            cmd += ["--pcap", os.path.join(where, "wire.pcap")]
        cmd += ["--card", card_option(self.card, self.functions)]
        if (self.ledger or os.environ.get("CXR_JOURNAL")) and self.driver != "rxe":
            cmd.append(f"--emu-arg=--journal={os.path.join(where, 'journal.txt')}")
        cmd += emulator_args(self.head)
        if os.environ["IOMMU"]:
            cmd.append("--iommu")
        if self.peers == "soft":
            cmd.append("--soft")
        for name in ("LONG", "SEED", "SHUFFLE"):
            if os.environ[name]:
                cmd += ["--env", f"{name}={os.environ[name]}"]
        words = []
        for s, ids in self.todo:
            words.append(f"{s.seconds(self.kernel)}:{s.path}" + (":" + ",".join(ids) if ids else ""))
        return cmd + ["--", "selftests/lib/run-tests", *words, "400:selftests/lib/after.sh"]

    # ---- output of the guests ----

    def line(self, text, log):
        """Process a line of run-tests or of a script's KTAP."""
        now = time.monotonic()
        for pattern, act in ((r"# script: (.*)", self.script_begins), (r"# end of script: (\S+) (\d+)", self.script_ends),
                             (r"# set-up ([0-9.]+) s: (.*)", self.set_up), (r"1\.\.(\d+)", self.planned),
                             (r"# windows of script: (\S+) (\d+)", self.has_windows),
                             (r"vm: .* up in ([0-9.]+) s .*", self.booted)):
            m = re.fullmatch(pattern, text)
            if m:
                act(m, log)
                break
        else:
            if not self.outcome(text, log, now - self.began):
                if re.match(r"# |vm: ", text):
                    self.notes.append(text)
                elif not self.current:
                    self.strange = self.strange[-STRANGE_LINES:] + [text]
                if text.startswith(("vm: ", "    | ")):
                    out.line(f"          {text}")
                    self.notes = []
                return
        self.began = now

    def script_begins(self, m, _log):
        self.current, self.kinds, self.plan = m.group(1), [], None
        self.script_began = time.monotonic()
        self.asked = sum(len(ids or s.ids()) for s, ids in self.todo if s.name == self.current)
        out.hold()
        out.line(f"  {self.current}  ({self.what})")
        self.todo = [(s, ids) for s, ids in self.todo if s.name != self.current]

    def script_ends(self, m, log):
        name, code = m.groups()
        times.add("script", name, time.monotonic() - self.script_began, self.where)
        if code != "0" and "FAIL" not in self.kinds and not (code == "4" and set(self.kinds) == {"skip"}):
            totals.result("FAIL", f"{name}: exit code {code}", self.rerun(f"TESTS={name}"), log)
        elif len(self.kinds) != self.plan or self.plan < self.asked:
            totals.result("FAIL", f"{name}: {len(self.kinds)} results of {self.plan} planned tests, {self.asked} were asked for",
                          self.rerun(f"TESTS={name}"), log)
        self.current = None

    def set_up(self, m, _log):
        times.add("set-up", f"{self.current}: {m.group(2)}", float(m.group(1)), self.where)

    def has_windows(self, m, log):
        """The number of windows of a script; with a key "windows" in its head it must have some."""
        name, number = m.groups()
        self.windows[name] = int(number)
        if number == "0" and name in self.says_frames and not os.environ["ONLY"]:
            totals.result("FAIL", f"{name}: no window, but its head has '# windows'", self.rerun(f"TESTS={name}"), log)

    def planned(self, m, _log):
        self.plan = int(m.group(1))

    def booted(self, m, _log):
        times.add("boot", self.what, float(m.group(1)), self.where)
        out.line(f"          {m.group(0)}")

    def outcome(self, text, log, seconds):
        """Count a result line; if it failed, print the lines before it."""
        result = parse(text)
        if not result:
            return False
        kind, text, reason = result
        m = KTAP_ID.fullmatch(text)
        ident = m.group(1) if m else None
        again = self.rerun(f"ONLY={ident}" if m and self.current != "after.sh" else f"TESTS={self.current}")
        self.kinds.append(kind)
        if not ident:
            kind, text = "FAIL", f"{self.current}: test without an id: {text}"
        elif kind == "skip" and not self.skips.allow(ident, self.driver, self.kernel, reason):
            kind, text = "FAIL", f"{text}: skipped ({reason}), which selftests/skips does not allow"
        elif kind == "skip":
            text += f": {reason}"
        where = f"{self.where} {self.place(0)}" if self.current == "after.sh" else self.where
        totals.result(kind, text, again, log, None if self.current == "after.sh" else ident, where, self.notes)
        if ident:
            times.add("test", ident, seconds, self.where)
        if kind == "FAIL":
            out.line("\n".join(f"          {n}" for n in self.notes) or f"          {text}")
        self.notes = []
        return True

    # ---- boots ----

    def place(self, number):
        """Name of its log folder."""
        cpus = "" if self.cpus == "1" else f"smp{self.cpus}"
        card = "" if self.card == "cx5" else re.sub("[,=]", "-", self.card)  # QEMU splits options at commas
        first = self.scripts[0][0].name[:-3]
        wire = "rate" if self.wire else ""
        return f"vm-{self.kernel}-{self.driver}-{self.guests}x{self.functions}{cpus}{card}{self.numbers}{wire}{self.peers}-{first}-{number}"

    def folder(self, number):
        """Where it leaves its logs."""
        return os.path.join(LOGS, self.place(number))

    def boot(self, number):
        """Boot and run; scripts left in self.todo did not run."""
        self.says_frames = [s.name for s, _ in self.todo if s.says_frames(self.driver)]
        self.windows = {}
        where = self.folder(number)
        os.makedirs(where, exist_ok=True)
        log = os.path.join(where, "output.txt")
        self.current = None
        self.notes = []
        self.strange = []     # what is printed outside of scripts, such as how the runner failed
        self.began = began = time.monotonic()
        names = " ".join(s.name for s, _ in self.todo)
        proc = start(self.command(where))
        for raw in proc.stdout:
            self.line(raw.decode(errors="replace").rstrip("\r\n"), log)
        code, cpu = process.ended(proc)
        times.add("set", names, time.monotonic() - began, self.where, cpu)
        if self.current:
            totals.result("FAIL", f"{self.current}: the guests crashed ({self.what})",
                          self.rerun(f"TESTS={self.current}"), os.path.join(where, "console-a.txt"))
        else:
            if code:
                out.line("\n".join(f"          {s}" for s in self.strange))
            totals.result("FAIL" if code else "ok", f"guests and emulator shut down cleanly: {self.what}",
                          None, os.path.join(where, "emulator.txt"))
        pcap = os.path.join(where, "wire.pcap")
        if self.judge_capture(pcap) and not code and os.path.exists(pcap):
            os.unlink(pcap)    # a whole run has gigabytes of them
        out.hold()
        return code, self.current is not None

    def judge_capture(self, pcap):
        """Check every RoCE frame of the capture and the windows of tests; let tshark check the first frames. Returns True if all
        are valid."""
        if not os.path.exists(pcap):
            return True
        inside = "scripts/toolbox run "
        words = [JUDGE]
        for name, number in self.windows.items():
            words += ["--windows", f"{name}={number}"] if number else []
        words.append(pcap)
        valid = step(None, f"every RoCE frame on the wire is valid: {self.what}", words, inside + " ".join(words))
        words = ["selftests/wire/malformed", pcap, str(TSHARK_FRAMES)]
        return step(None, f"tshark finds no malformed frame: {self.what}", words, inside + " ".join(words)) and valid

    def run(self):
        out.hold()
        while self.todo:
            before = len(self.todo)
            code, died = self.boot(self.boots)
            self.boots += 1
            if len(self.todo) == before or (code and not died and self.todo):
                for s, _ in self.todo:
                    totals.result("FAIL", f"{s.name}: did not run", self.rerun(f"TESTS={s.name}"))
                self.todo = []
        out.hold()


def pack(scripts, kernel, driver, skips):
    """Group scripts that need the same machines into sets of about SET_SECONDS; the longest first, so that short ones fill the
    gaps. SCRIPTS: [(script, ids or None)]"""
    kinds = {}
    for s, ids in scripts:
        kind = tuple(s.head[k] for k in KIND + ("needs",))
        kinds.setdefault(kind, []).append((s, ids))
    sets = []
    for rows in kinds.values():
        total = sum(s.takes() for s, _ in rows)
        bins = [[] for _ in range(max(1, round(total / SET_SECONDS)))]
        for row in sorted(rows, key=lambda r: r[0].takes(), reverse=True):
            min(bins, key=lambda b: sum(s.takes() for s, _ in b)).append(row)
        sets += [Session(kernel, driver, b[0][0].head, b, skips) for b in bins if b]
    return sets


def at_once(sessions, installed):
    """Run up to JOBS sessions at a time, the longest first; those that need packages last, after the event INSTALLED."""
    queue = iter(sorted(sessions, key=lambda s: (s.needs_packages(), -s.takes())))

    def work():
        for session in queue:
            if session.needs_packages():
                installed.wait()
            session.run()

    finish_all([Beside(work) for _ in range(int(os.environ["JOBS"]))])
