# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Which tests a change can touch, by selftests/changed.tsv: prints the patterns for ONLY=, or "everything".

usage: changed.py FILE...    the files that changed
"""

import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../selftests/changed.tsv")


def pattern(path):
    """A path of the table as a regular expression."""
    parts = re.split(r"(\*\*|\*|\{name\})", path)
    said = {"**": ".*", "*": "[^/]*", "{name}": r"(?P<name>[^/.]+)"}
    return re.compile("".join(said.get(p) or re.escape(p) for p in parts))


def read():
    rows = []
    with open(TABLE, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            row = re.split(r"\t+", line.rstrip("\n"))
            if len(row) != 2:
                sys.exit(f"selftests/changed.tsv:{number}: not two columns with a tab between them")
            rows.append((pattern(row[0]), row[1]))
    return rows


def tests_of(path, rows):
    for regex, tests in rows:
        m = regex.fullmatch(path)
        if m:
            return tests.format(**m.groupdict()).split()
    return ["everything"]


def main(paths):
    rows = read()
    found = {}
    for path in paths:
        tests = tests_of(path, rows)
        print(f"  {path}: {' '.join(tests)}", file=sys.stderr)
        found.update(dict.fromkeys(tests))
    print("everything" if "everything" in found else " ".join(found))


main(sys.argv[1:])
