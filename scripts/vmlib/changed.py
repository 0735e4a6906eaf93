# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Which tests a change can affect, by selftests/changed.tsv: prints the patterns for ONLY=, or "everything".

usage: changed.py FILE...    the files that changed
"""

import re
import sys

from results import table


def pattern(path):
    """Convert a path of the table to a regular expression."""
    parts = re.split(r"(\*\*|\*|\{name\})", path)
    wildcards = {"**": ".*", "*": "[^/]*", "{name}": r"(?P<name>[^/.]+)"}
    return re.compile("".join(wildcards.get(p) or re.escape(p) for p in parts))


def tests_of(path, rows):
    for regex, tests in rows:
        m = regex.fullmatch(path)
        if m:
            return tests.format(**m.groupdict()).split()
    return ["everything"]


def main(paths):
    rows = [(pattern(path), tests) for _, (path, tests) in table("selftests/changed.tsv", 2)]
    found = {}
    for path in paths:
        tests = tests_of(path, rows)
        print(f"  {path}: {' '.join(tests)}", file=sys.stderr)
        found.update(dict.fromkeys(tests))
    print("everything" if "everything" in found else " ".join(found))


main(sys.argv[1:])
