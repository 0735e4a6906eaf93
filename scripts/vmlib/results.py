# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Test results: counted, timed, compared with the list of allowed skips, and shown."""

import fnmatch
import os
import re
import threading
import time

from images import REPO

BUILD = os.path.join(REPO, "build")
# a folder for each part of a run (scripts/parts)
LOGS = os.path.join(BUILD, "check" + (f"-{os.environ['PART']}" if os.environ.get("PART") else ""))
KTAP_LINE = re.compile(r"(not )?ok \d+ *(?:- )?(.*)")
KTAP_ID = re.compile(r"([a-z0-9_]+(?:[.-][a-z0-9]+)+): (.*)")
SKIP = re.compile(r" *# SKIP *(.*)$")
SKIPS = "selftests/skips"
LONGEST = 10
WHY_LINES = 8


class Output(threading.local):
    """Prints lines at once, or holds the lines of a thread to print them together."""
    mutex = threading.Lock()
    held = None

    def line(self, text):
        if self.held is None:
            print(text, flush=True)
        else:
            self.held.append(text)

    def hold(self):
        """Print the held lines, and hold further lines of this thread until the next call."""
        with self.mutex:
            print("".join(f"{text}\n" for text in self.held or ()), end="", flush=True)
        self.held = []


out = Output()


def heading(text):
    out.line(f"\n{text}")


def slug(text):
    """An id derived from a sentence, for tests without an id."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def patterns(text):
    """The globs of ONLY."""
    return re.split(r"[ ,]+", text.strip()) if text.strip() else []


def chosen(ident, globs):
    """Does the id match one of the globs? Without globs it does."""
    return not globs or any(fnmatch.fnmatchcase(ident, g) for g in globs)


def table(path, columns):
    """(line number, cells) of a tab-separated file in the repository; # begins a comment."""
    with open(os.path.join(REPO, path), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            cells = re.split(r"\t+", line.rstrip("\n"))
            if len(cells) != columns:
                raise ValueError(f"{path}:{number}: {len(cells)} tab-separated columns instead of {columns}")
            yield number, cells


def tsv(name, head):
    """Create a file of results with its first line."""
    os.makedirs(LOGS, exist_ok=True)
    f = open(os.path.join(LOGS, name), "w", encoding="utf-8")
    f.write(head + "\n")
    return f


class Skips:
    """selftests/skips: allowed skips with driver, kernel and reason."""

    def __init__(self):
        self.rows = [cells for _, cells in table(SKIPS, 4)]

    def allow(self, ident, driver, kernel, reason):
        """Is there a row for this skip?"""
        for globs, drivers, kernels, why in self.rows:
            here = drivers in ("*", driver) or driver in drivers.split()
            here = here and (kernels == "*" or kernel in kernels.split())
            if here and fnmatch.fnmatchcase(ident, globs) and fnmatch.fnmatchcase(reason, why):
                return True
        return False


class Times:
    """times.tsv: duration of each set of scripts, boot, set-up, test and step, the load of the machine, and of sets and steps the
    CPU time, which hardly depends on that load."""

    def __init__(self):
        self.mutex = threading.Lock()
        self.rows = []
        self.file = None
        self.cpu = 0.0

    def add(self, what, name, seconds, where="-", cpu=None):
        """what: step, set, boot, set-up, test or script."""
        with self.mutex:
            if not self.file:
                self.file = tsv("times.tsv", "what\tseconds\tcpu\tload\tended\twhere\tname")
            used = "-" if cpu is None else f"{cpu:.1f}"
            self.file.write(f"{what}\t{seconds:.1f}\t{used}\t{os.getloadavg()[0]:.1f}\t{time.strftime('%H:%M:%S')}\t{where}\t{name}\n")
            self.file.flush()
            self.cpu += cpu or 0
            self.rows.append((seconds, what, name, where))

    def summary(self):
        rows = sorted((r for r in self.rows if r[1] not in ("script", "set")), reverse=True)
        if len(rows) > LONGEST:
            print(f"\nThe {LONGEST} longest (all: {os.path.relpath(LOGS, REPO)}/times.tsv):")
            for seconds, what, name, where in rows[:LONGEST]:
                print(f"  {seconds:6.1f} s  {what:6}  {name}" + (f"  ({where})" if where != "-" else ""))


class Totals:
    def __init__(self):
        self.mutex = threading.Lock()
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.seen = {}
        self.file = None

    def result(self, kind, text, rerun=None, log=None, ident=None, where="-", why=()):
        """Count and print a result; kind: ok, FAIL or skip. An id may occur once per place. The last lines of WHY stand in the summary."""
        out.line(f"    {kind:4}  {text}")
        with self.mutex:
            if kind == "ok":
                self.passed += 1
            elif kind == "skip":
                self.skipped += 1
            else:
                self.failed += 1
                self.failures.append((text, rerun, log, why[-WHY_LINES:]))
            if ident:
                self.record(kind, ident, where)

    def record(self, kind, ident, where):
        if not self.file:
            self.file = tsv("results.tsv", "id\tresult\twhere")
        self.file.write(f"{ident}\t{kind}\t{where}\n")
        self.file.flush()
        if (ident, where) in self.seen:
            text = f"duplicate id {ident}"
            self.failed += 1
            self.failures.append((text, None, None, ()))
            out.line(f"    FAIL  {text}")
        self.seen[ident, where] = kind

    def summary(self):
        if os.environ["DRIVER"] == "rxe":
            print("\nSoft-RoCE (rdma_rxe) was used instead of the adapter: only the generic tests ran in the guests, "
                  "none of the driver or the emulator")
        if self.failures:
            print("\nFailures:")
        for text, rerun, log, why in self.failures:
            print(f"  {text}")
            for line in why:
                print(f"      | {line}")
            if log:
                print(f"      log:   {os.path.relpath(log, REPO)}")
            if rerun:
                print(f"      again: {rerun}")
        print(f"\n{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)


def parse(line):
    """(kind, text, reason of a skip) of a KTAP result line; None for other lines."""
    m = KTAP_LINE.fullmatch(line)
    if not m:
        return None
    text = m.group(2)
    skip = SKIP.search(text)
    if m.group(1):
        return "FAIL", text, None
    return ("skip", SKIP.sub("", text), skip.group(1)) if skip else ("ok", text, None)


totals = Totals()
times = Times()
