# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""scripts/mutants: does each mutant of the code make its test fail?"""

import fcntl
import fnmatch
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

from images import REPO
from mutants_vm import run_in_guests

BUILD = os.path.join(REPO, "build/mutants")
TREE = os.path.join(BUILD, "tree")      # a copy for host programs; the sources are never modified
COPIED = ("drivers", "include", "emulator", "selftests/host", "scripts/prm-reserved", "scripts/prm-fields",
          "scripts/prm_layouts.py", "Documentation/faults.rst")
KEYS = ("file", "test", "why", "kernel", "dies", "wire")
RESULT = re.compile(r"(not )?ok \d+ (?:- )?(.*)")
PROGRAM_SECONDS = 240


class TableError(Exception):
    """An error in selftests/mutants."""


class Mutant:
    """A mutant: hunks of whole lines, each of which occurs exactly once in the file, and the test that must fail."""

    def __init__(self, name, where):
        self.name, self.where = name, where
        self.hunks = []
        self.key = {}
        self.result = self.note = None
        self.seconds = 0.0

    def add(self, line):
        sign, text = line[0], line[1:]
        if sign == "-" and (not self.hunks or self.hunks[-1][1]):
            self.hunks.append(([], []))
        if not self.hunks:
            raise TableError(f"{self.where}: {self.name}: an added line needs a removed line before it")
        self.hunks[-1][sign == "+"].append(text)

    def check(self):
        for key in ("file", "test", "why"):
            if key not in self.key:
                raise TableError(f"{self.where}: {self.name}: '{key}:' is missing")
        if not self.hunks:
            raise TableError(f"{self.where}: {self.name}: it changes nothing")
        self.kind, _, self.test = self.key["test"].partition(" ")
        if self.kind not in ("host", "emulator", "vm") or not self.test:
            raise TableError(f"{self.where}: {self.name}: test: 'host SUBJECT: SENTENCE', 'emulator PROGRAM: SENTENCE' or 'vm ID'")
        self.kernel = self.key.get("kernel", "6.12")
        self.dies = self.key.get("dies") == "yes"
        self.wire = self.key.get("wire") == "yes"

    def mutated(self):
        """The mutated text of the file, or None if the mutant is stale."""
        try:
            with open(os.path.join(REPO, self.key["file"]), encoding="utf-8") as f:
                text = "\n" + f.read()
        except OSError as e:
            self.note = str(e)
            return None
        for old, new in self.hunks:
            old = "\n" + "".join(line + "\n" for line in old)
            n = text.count(old)
            if n != 1:
                self.note = f"occurs {n} times in {self.key['file']}: {old.strip()}"
                return None
            text = text.replace(old, "\n" + "".join(line + "\n" for line in new))
        return text[1:]

    def end(self, result, note=""):
        self.result, self.note = result, note


def read_table(path):
    where = os.path.relpath(path, REPO)
    found = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            m = re.fullmatch(r"\[([a-z0-9]+(?:[.-][a-z0-9]+)*)\]", line)
            if m:
                found.append(Mutant(m.group(1), where))
                continue
            m = re.fullmatch(r"([a-z]+): (.+)", line)
            if not found:
                raise TableError(f"{where}:{number}: a mutant begins with its [name]")
            if m and m.group(1) in KEYS:
                found[-1].key[m.group(1)] = m.group(2)
            elif line[0] in "-+":
                found[-1].add(line)
            else:
                raise TableError(f"{where}:{number}: neither a line of a hunk nor one of {', '.join(KEYS)}")
    return found


def read_tables(patterns):
    mutants = [m for p in sorted(glob.glob(os.path.join(REPO, "selftests/mutants/*.mutants"))) for m in read_table(p)]
    names = set()
    for m in mutants:
        m.check()
        if m.name in names:
            raise TableError(f"{m.where}: duplicate mutant {m.name}")
        names.add(m.name)
    for p in patterns:
        if not fnmatch.filter(names, p):
            raise TableError(f"there is no mutant {p}")
    return [m for m in mutants if not patterns or any(fnmatch.fnmatchcase(m.name, p) for p in patterns)]


# ---- copies ------------------------------------------------------------------

def sources(parts):
    for part in parts:
        path = os.path.join(REPO, part)
        if os.path.isfile(path):
            yield part
        for folder, _, files in os.walk(path):
            for name in files:
                if re.search(r"(\.[ch]|Makefile|Kbuild|^ask)$", name):
                    yield os.path.relpath(os.path.join(folder, name), REPO)


def sync(copy, parts, changed):
    """Update a copy of the sources, with the changed files {path: text}. Identical files keep their time stamps, so that make
    only compiles what this mutant and the previous one change. Returns a hash of everything."""
    wanted = sorted(set(sources(parts)))
    digest = hashlib.sha256()
    for path in wanted:
        if path in changed:
            data = changed[path].encode()
        else:
            with open(os.path.join(REPO, path), "rb") as f:
                data = f.read()
        digest.update(b"%s %d\n%s" % (path.encode(), len(data), data))
        target = os.path.join(copy, path)
        try:
            with open(target, "rb") as f:
                same = f.read() == data
        except OSError:
            same = False
        if not same:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as f:
                f.write(data)
            shutil.copymode(os.path.join(REPO, path), target)
    for part in parts:
        for folder, _, files in os.walk(os.path.join(copy, part)):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), copy)
                if re.search(r"(?<!\.mod)\.[ch]$", name) and path not in wanted:
                    os.unlink(os.path.join(copy, path))
    return digest.hexdigest()


def make(*words):
    """Returns None, or the error output."""
    done = subprocess.run(["make", "-s", "-j2", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    return None if done.returncode == 0 else done.stdout.strip() or f"make: exit code {done.returncode}"


# ---- host programs -------------------------------------------------------------

class Program:
    """A test program, built from the copy; of the emulator also NAME:direct, as emulator/tests/run has it."""

    def __init__(self, kind, name):
        self.kind = kind
        self.name, _, way = name.partition(":")
        self.environ = dict(os.environ, CXEMU_TEST_DIRECT="1") if way == "direct" else None
        self.good = None

    def build(self):
        out = os.path.join(TREE, "build", self.kind)
        if self.kind == "host":
            return make("-C", os.path.join(TREE, "selftests/host"), f"O={out}")
        return make("-C", os.path.join(TREE, "emulator"), f"O={out}", "CFLAGS=-O1", "LTO=", f"{out}/cxemu", f"{out}/{self.name}")

    def run(self):
        """Returns (results, exit code); results: {sentence: True or False}."""
        out = os.path.join(TREE, "build", self.kind)
        words = [os.path.join(out, self.name)] + [out] * (self.kind == "emulator")
        try:
            done = subprocess.run(words, env=self.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, errors="replace", timeout=PROGRAM_SECONDS, check=False)
            text, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as e:
            text, code = (e.stdout or b"").decode(errors="replace"), 124
        results = {}
        for line in text.splitlines():
            m = RESULT.fullmatch(line)
            if m:
                results[m.group(2)] = results.get(m.group(2), True) and not m.group(1)
        return results, code

    def good_results(self):
        """Results without a mutant."""
        if self.good is None:
            sync(TREE, COPIED, {})
            why = self.build()
            self.good = ({}, why) if why else self.run()
        return self.good

    def lacks(self, pattern):
        """Why these tests cannot be used, or None."""
        good, code = self.good_results()
        if code:
            return f"{self.name} fails without a mutant: {code}"
        return None if fnmatch.filter(good, pattern) else f"{self.name} has no test '{pattern}'"

    def verdict(self, m, pattern):
        """(result, note) of the current build."""
        results, code = self.run()
        ended = [good for t, good in results.items() if fnmatch.fnmatchcase(t, pattern)]
        if not all(ended):
            return "caught", ""
        if len(ended) >= len(fnmatch.filter(self.good_results()[0], pattern)):
            return "SURVIVED", f"{sum(not good for good in results.values())} other tests fail"
        if m.dies and code:
            return "caught", f"{self.name} ended with {code}"
        return "SURVIVED", f"{self.name} ended with {code} before its test"


def judge_program(m, program, pattern):
    text = m.mutated()
    if text is None:
        return m.end("stale", m.note)
    why = program.lacks(pattern)
    if why:
        return m.end("no test", why)
    sync(TREE, COPIED, {m.key["file"]: text})
    why = program.build()
    if why:
        return m.end("does not build", why)
    return m.end(*program.verdict(m, pattern))


def run_programs(mutants, show):
    """Run mutants with host programs as their tests, grouped by file to compile less."""
    programs = {}
    for m in sorted(mutants, key=lambda m: (m.kind != "host", m.key["file"])):
        name, pattern = ("host", m.test) if m.kind == "host" else m.test.split(": ", 1)
        program = programs.setdefault((m.kind, name), Program(m.kind, name))
        program.good_results()
        t0 = time.monotonic()
        judge_program(m, program, pattern)
        m.seconds = time.monotonic() - t0
        show(m)


# ---- output --------------------------------------------------------------------

def show(m):
    print(f"    {m.result:9} {m.name}  ({m.test}, {m.seconds:.1f} s)", flush=True)
    for line in (m.note or "").splitlines()[:15]:
        print(f"              {line}", flush=True)


def totals(mutants):
    with open(os.path.join(BUILD, "result.tsv"), "w", encoding="utf-8") as f:
        f.write("mutant\tresult\tkind\ttest\tseconds\tfile\twhy\tnote\n")
        for m in mutants:
            note = (m.note or "").replace("\t", " ").replace("\n", " / ")
            f.write(f"{m.name}\t{m.result}\t{m.kind}\t{m.test}\t{m.seconds:.1f}\t{m.key['file']}\t{m.key['why']}\t{note}\n")
    caught = sum(m.result == "caught" for m in mutants)
    skipped = sum(m.result == "skip" for m in mutants)
    print(f"\n{caught} passed, {len(mutants) - caught - skipped} failed, {skipped} skipped", flush=True)
    return caught + skipped != len(mutants)


def main(patterns):
    try:
        mutants = read_tables(patterns)
    except TableError as e:
        sys.exit(f"mutants: {e}")
    os.makedirs(BUILD, exist_ok=True)
    # one run at a time: there is only one copy
    with open(os.path.join(BUILD, ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        judge(mutants)
    return totals(mutants)


def judge(mutants):
    programs = [m for m in mutants if m.kind != "vm"]
    guests = [m for m in mutants if m.kind == "vm"]
    if programs:
        print("Host tests and emulator tests", flush=True)
        run_programs(programs, show)
    if guests:
        run_in_guests(guests, sync, show)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
