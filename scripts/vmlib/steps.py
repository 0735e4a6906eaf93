# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Commands whose exit code or KTAP output are results."""

import os
import re
import signal
import subprocess
import time

import process
from images import REPO
from results import LOGS, WHY_LINES, Skips, chosen, out, parse, patterns, slug, times, totals


ALL_SKIPPED = 4    # exit code, as in kselftest


def start(cmd, env=None):
    return subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            cwd=REPO, env=env, preexec_fn=lambda: process.die_with_parent(signal.SIGTERM))


def asked_for(ident):
    """Does ONLY match this step or one of its results?"""
    globs = patterns(os.environ["ONLY"])
    return not globs or any(g == ident or g.startswith(f"{ident}.") or chosen(ident, [g]) for g in globs)


class Rows:
    """The KTAP results of a step. Their ids are derived from the step's id and their sentences; scripts/ktap-check
    prints the name of the program."""

    def __init__(self, ident, rerun, log):
        self.ident, self.rerun, self.log = ident, rerun, log
        self.program = ""
        self.kinds = set()
        self.plans = self.count = 0

    def line(self, text):
        m = re.fullmatch(r"# program: (\S+)", text)
        if m:
            self.program = "" if m.group(1) == self.ident else f".{m.group(1)}"
        m = re.fullmatch(r"1\.\.(\d+)", text)
        if m:
            self.plans += int(m.group(1))
        result = parse(text)
        if not result:
            return
        kind, sentence, reason = result
        self.count += 1
        ident = f"{self.ident}{self.program}.{slug(sentence)}"
        if not chosen(ident, patterns(os.environ["ONLY"])) and not chosen(self.ident, patterns(os.environ["ONLY"])):
            return
        self.kinds.add(kind)
        if kind == "skip" and not Skips().allow(ident, os.environ["DRIVER"], "-", reason):
            kind, sentence = "FAIL", f"{sentence}: skipped ({reason}), which selftests/skips does not allow"
        totals.result(kind, sentence, self.rerun, self.log, ident)


def step(ident, name, cmd, rerun, results=False):
    """Run a command; RESULTS: it prints KTAP results, else its exit code is the result. Without an id it always runs."""

    if ident and not asked_for(ident):
        return True
    log = os.path.join(LOGS, slug(ident or name) + ".log")
    rows = Rows(ident, rerun, log)
    t0 = time.monotonic()
    proc = start(cmd)
    with open(log, "wb") as f:
        for raw in proc.stdout:
            f.write(raw)
            if results:
                rows.line(raw.decode(errors="replace").rstrip("\n"))
    code, cpu = process.ended(proc)
    took = time.monotonic() - t0
    times.add("step", name, took, cpu=cpu)
    if results and not rows.kinds and not code:
        totals.result("FAIL", f"{name}: no result that is asked for", rerun, log, ident)
    elif not rows.kinds:
        why = process.last_lines(log, WHY_LINES) if code else ()
        totals.result("FAIL" if code else "ok", f"{name} ({took:.0f} s)", rerun, log, ident, why=why)
    elif code and "FAIL" not in rows.kinds and not (code == ALL_SKIPPED and rows.kinds == {"skip"}):
        totals.result("FAIL", f"{name}: exit code {code}", rerun, log)
    elif rows.plans != rows.count:
        totals.result("FAIL", f"{name}: {rows.count} results of {rows.plans} planned", rerun, log)
    if code and rows.kinds != {"skip"}:
        out.line(process.tail(log, 15))
    return code == 0
