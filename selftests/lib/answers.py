# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The tables of selftests/ethtool: what ethtool is asked, and what it answered with each driver."""

import collections
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../ethtool")
HEAD = """\
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What ethtool answers with this driver, recorded by selftests/ethtool/record. A row for each line of an answer; columns, separated by
# tabs: id of options.tsv, exit code, line (- if there is none). Of a setting "- " and "+ " mark lines that are gone and new afterwards.

"""
Option = collections.namedtuple("Option", "command shows undo")


def rows(name, columns):
    """Cells of each row; # begins a comment"""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            cells = re.split(r"\t+", line.rstrip("\n"))
            assert len(cells) == columns, f"{name}:{number}: {len(cells)} columns instead of {columns}"
            yield cells


def options():
    """{id: Option}"""
    return {ident: Option(command, shows, undo) for ident, command, shows, undo in rows("options.tsv", 4)}


def recorded(driver):
    """{id: (exit code, lines)}"""
    answers = {}
    for ident, code, line in rows(f"{driver}.tsv", 3):
        answers.setdefault(ident, (int(code), []))[1].extend([] if line == "-" else [line])
    return answers


def write(f, answers):
    f.write(HEAD)
    for ident, (code, lines) in answers.items():
        f.writelines(f"{ident}\t{code}\t{line}\n" for line in lines or ["-"])
