# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: coverage.py FOLDER...

What guests with modules that count what they execute have counted (coverage-GUEST.tar of after.sh, in each FOLDER): lines that were
executed, and each goto of the driver that was never taken. See scripts/coverage.
"""

import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

from images import REPO

GOTO = re.compile(r"\bgoto (\w+);")
TABLE = os.path.join(REPO, "selftests/never-taken")


def expected():
    """{(file, function, label): (how many, reason)} of the table"""
    found = {}
    with open(TABLE, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#") and line.strip():
                path, function, label, number, reason = line.rstrip("\n").split("\t")
                found[path, function, label] = int(number), reason
    return found


def objects(top):
    """gcov data below a folder, relative to the driver's sources"""
    for folder, _, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith(".gcda") and "/drivers/" in path:
                yield "drivers/" + path.rpartition("/drivers/")[2], path


def unpack(tars, where):
    """Each archive becomes a folder in which data stand beside the notes of the compiler."""
    tops = []
    for i, name in enumerate(tars):
        raw, top = os.path.join(where, f"raw{i}"), os.path.join(where, str(i))
        with tarfile.open(name) as tar:
            tar.extractall(raw, filter="data")
        for relative, path in objects(raw):
            os.makedirs(os.path.dirname(os.path.join(top, relative)), exist_ok=True)
            os.rename(path, os.path.join(top, relative))
        if os.path.isdir(top):
            tops.append(top)
    return tops


def add_up(tops, where):
    total = tops[0]
    for i, top in enumerate(tops[1:]):
        into = os.path.join(where, f"sum{i}")
        subprocess.run(["gcov-tool-14", "merge", "-o", into, total, top], check=True, stdout=subprocess.DEVNULL)
        total = into
    return total


def counts(total, where):
    """{file: {line: (count, function)}} of the driver's sources"""
    lines = collections.defaultdict(dict)
    for relative, path in objects(total):
        notes = os.path.join(REPO, "build/debug", relative[:-len("gcda")] + "gcno")
        with tempfile.TemporaryDirectory(dir=where) as place:
            for file in path, notes:
                os.symlink(file, os.path.join(place, os.path.basename(file)))
            subprocess.run(["gcov-14", "--json-format", os.path.basename(path)], cwd=place, check=True, stdout=subprocess.DEVNULL)
            for name in glob.glob(f"{place}/*.gcov.json.gz"):
                with gzip.open(name) as f:
                    gather(json.load(f), lines)
    return lines


def gather(report, lines):
    for file in report["files"]:
        source = file["file"].rpartition("/drivers/")
        if not source[1] or file["file"].endswith(".h"):
            continue
        known = lines["drivers/" + source[2]]
        for line in file["lines"]:
            number = line["line_number"]
            known[number] = known.get(number, (0, ""))[0] + line["count"], line.get("function_name", "")


def never_taken(lines):
    """{(file, function, label): [line, ...]}"""
    found = collections.defaultdict(list)
    for path, known in sorted(lines.items()):
        with open(os.path.join(REPO, path), encoding="utf-8") as f:
            for number, text in enumerate(f, 1):
                match = GOTO.search(text)
                if match and number in known and not known[number][0]:
                    found[path, known[number][1].partition(".")[0], match[1]].append(number)
    return found


def main():
    tars = [name for folder in sys.argv[1:] for name in sorted(glob.glob(f"{folder}/coverage-*.tar"))]
    with tempfile.TemporaryDirectory() as where:
        tops = unpack(tars, where)
        if not tops:
            sys.exit("coverage: there is no coverage-*.tar with data of the driver: scripts/coverage run")
        lines = counts(add_up(tops, where), where)
    for path, known in sorted(lines.items()):
        done = sum(count > 0 for count, _ in known.values())
        print(f"{100 * done / len(known):5.1f} % of {len(known):4} lines  {path}")
    done = sum(count > 0 for known in lines.values() for count, _ in known.values())
    every = sum(len(known) for known in lines.values())
    print(f"{100 * done / every:5.1f} % of {every} lines, {len(tops)} guests\n")
    return judge(never_taken(lines))


def judge(found):
    table, wrong = expected(), 0
    for place, numbers in sorted(found.items()):
        path, function, label = place
        number, reason = table.get(place, (0, "not in selftests/never-taken"))
        if number < len(numbers):
            wrong += 1
            reason = f"FAIL: {reason}" if not number else f"FAIL: only {number} of them: {reason}"
        print(f"{path}:{','.join(map(str, numbers))}: {function}: goto {label} is never taken: {reason}")
    for place, (number, _) in sorted(table.items()):
        taken = number - len(found.get(place, ()))
        if taken > 0:
            wrong += 1
            print(f"FAIL: selftests/never-taken has {number} of {' '.join(place)}, of which {taken} were taken")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
