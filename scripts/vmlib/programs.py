# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The table of programs that run over the device: usage: programs.py LOGS...

LOGS: the folders of runs of scripts/check, the first half with cxr, the others with the in-tree driver. Prints a line for each test
that noted a program (selftests/lib/programs.sh): program, version, results of both, arguments. They stand in full in
build/programs.tsv. A test is a failure if it passed on the in-tree driver alone. The last line is "N passed, N failed, N skipped".
"""

import glob
import os
import re
import shlex
import subprocess
import sys

from images import REPO

COMMANDS = os.path.join(REPO, "build/programs/COMMANDS")
WIDTH = 90
STARTERS = ("env", "stdbuf", "-oL", "chroot")
ROOT = "/run/release"   # of selftests/vm/releases.sh, whose tests are named after the release
COLUMNS = ("test", "kernel", "program", "version", "cxr", "mlx5", "arguments", "note")


def lines(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def results(folders):
    """{(id, kernel): ok, skip or FAIL}"""
    return {(ident, where.split()[0]): kind for folder in folders
            for ident, kind, where in lines(os.path.join(folder, "results.tsv"))[1:]}


def noted(folders):
    """{(id, program): its last command} of all sessions; a client is noted after its server"""
    return {(ident, program(command)): command for folder in folders
            for path in sorted(glob.glob(os.path.join(folder, "vm-*", "programs.tsv"))) for ident, command in lines(path)}


def words(command):
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def program(command):
    """The first word that is neither a setting nor what starts it."""
    return next((w for w in words(command) if w not in (*STARTERS, ROOT) and not re.match(r"\w+=", w)), command)


class Versions:
    """Which version of which package a program is from"""

    def __init__(self):
        self.known = {name: version for name, _, version in lines(COMMANDS)}

    def __getitem__(self, name):
        if name not in self.known:
            found = subprocess.run(["dpkg", "-S", f"*bin/{name}"], capture_output=True, text=True, check=False).stdout
            package = found.split(":")[0]
            if package:
                package = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                                         capture_output=True, text=True, check=False).stdout
            self.known[name] = package or "-"
        return self.known[name]


def note(ours, theirs):
    if theirs == "ok" and ours != "ok":
        return "passes on the in-tree driver alone"
    if ours == "ok" and theirs == "FAIL":
        return "fails on the in-tree driver"
    return "" if ours == theirs else "not run on both"


def main():
    half = len(sys.argv) // 2
    cxr, mlx5 = sys.argv[1:half + 1], sys.argv[half + 1:]
    ours, theirs = results(cxr), results(mlx5)
    versions = Versions()
    rows = []
    for (ident, name), command in sorted(noted(cxr).items()):
        for kernel in sorted(k for i, k in set(ours) | set(theirs) if i == ident):
            here, there = ours.get((ident, kernel), "-"), theirs.get((ident, kernel), "-")
            version = ident.split(".")[1] if ROOT in words(command) else versions[name]
            rows.append((ident, kernel, name, version, here, there, command, note(here, there)))
    with open(os.path.join(REPO, "build/programs.tsv"), "w", encoding="utf-8") as f:
        f.writelines("\t".join(row) + "\n" for row in [COLUMNS] + rows)
    print(f"{'test':24} {'kernel':6} {'program':18} {'version':18} cxr  mlx5 arguments")
    for ident, kernel, name, version, here, there, command, why in rows:
        arguments = command if len(command) <= WIDTH else command[:WIDTH] + "..."
        print(f"{ident:24} {kernel:6} {name:18} {version:18} {here:4} {there:4} {arguments}" + (f"  ({why})" if why else ""))
    seen = {row[:2]: row for row in rows}.values()
    worse = sum(row[-1] == note("FAIL", "ok") for row in seen)
    skipped = sum(row[4] == "skip" for row in seen)
    print(f"\n{len(seen) - worse - skipped} passed, {worse} failed, {skipped} skipped")
    return int(worse != 0)


sys.exit(main())
