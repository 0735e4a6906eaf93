# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Which tests a change can affect, by selftests/changed.tsv: prints the patterns for ONLY=, or "everything".

usage: changed.py FILE...    the files that changed
"""

import glob
import os
import re
import sys

from results import table

FOLDERS = ("selftests/vm", "selftests/lib")


def pattern(path):
    """Convert a path of the table to a regular expression."""
    parts = re.split(r"(\*\*|\*|\{name\})", path)
    wildcards = {"**": ".*", "*": "[^/]*", "{name}": r"(?P<name>[^/.]+)"}
    return re.compile("".join(wildcards.get(p) or re.escape(p) for p in parts))


def mentions(path):
    """What a file says that uses PATH."""
    name = os.path.basename(path)
    module = rf"|^\s*(?:import|from) {re.escape(name[:-3])}\b" if name.endswith(".py") else ""
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-]){module}", re.M)


def texts_of_files():
    texts = {}
    for path in sorted(path for folder in FOLDERS for path in glob.glob(f"{folder}/*") if os.path.isfile(path)):
        with open(path, encoding="utf-8") as f:
            texts[path] = f.read()
    return texts


def users(path, texts):
    """Patterns of the tests of the scripts that use PATH, a file of FOLDERS, themselves or through others"""
    found, todo = {path}, [path]
    while todo:
        says = mentions(todo.pop())
        more = {other for other, text in texts.items() if other not in found and says.search(text)}
        found |= more
        todo += more
    scripts = [p for p in texts if re.fullmatch(r"selftests/vm/.*\.sh", p)]
    those = [p for p in scripts if p in found]
    if not those or those == scripts:
        return ["everything"]
    return [os.path.basename(p)[:-3] + ".*" for p in those]


def tests_of(path, rows, texts):
    for regex, tests in rows:
        m = regex.fullmatch(path)
        if m:
            words = tests.format(**m.groupdict()).split()
            return [word for w in words for word in (users(path, texts) if w == "users" else [w])]
    return ["everything"]


def main(paths):
    rows = [(pattern(path), tests) for _, (path, tests) in table("selftests/changed.tsv", 2)]
    found, texts = {}, texts_of_files()
    for path in paths:
        tests = tests_of(path, rows, texts)
        print(f"  {path}: {' '.join(tests)}", file=sys.stderr)
        found.update(dict.fromkeys(tests))
    print("everything" if "everything" in found else " ".join(found))


main(sys.argv[1:])
