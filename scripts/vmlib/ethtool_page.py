# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The tables of Documentation/ethtool.rst: what ethtool answers with this driver and with the in-tree driver, from selftests/ethtool."""

import collections
import fnmatch
import os
import re
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../selftests/lib"))

import answers

OURS, THEIRS = "cxr", "mlx5"
SHOWN = 6       # lines of an answer that both give
WIDTH = 56      # of lines
MANY = 30       # lines that one gives, in a paragraph


class Answers:
    def __init__(self):
        self.options = answers.options()
        self.by = {driver: answers.recorded(driver) for driver in (OURS, THEIRS)}
        self.reasons = list(answers.rows("differences.tsv", 3))
        self.used = set()
        self.shown = set()
        self.problems = []
        for driver, found in self.by.items():
            self.problems += [f"selftests/ethtool/{driver}.tsv: {ident} is not in options.tsv, or the other way round"
                              for ident in sorted(found.keys() ^ self.options.keys())]

    def own(self, ident, driver):
        """Lines of an answer that the other driver does not give, and of how many it does"""
        code, lines = self.by[driver][ident]
        other_code, other = self.by[THEIRS if driver == OURS else OURS][ident]
        left = collections.Counter(other)
        own = [f"exit code {code}"] if code != other_code else []
        for line in lines:
            left[line] -= 1
            if left[line] < 0:
                own.append(line)
        return own, len(lines) - len([line for line in own if not line.startswith("exit code")])

    def why(self, ident, lines):
        """Reasons for the lines"""
        why = []
        for line in lines:
            found = [n for n, (ids, pattern, _) in enumerate(self.reasons) if fnmatch.fnmatchcase(ident, ids)
                     and fnmatch.fnmatchcase(line, pattern)]
            self.used.update(found[:1])
            if not found:
                self.problems.append(f"selftests/ethtool/differences.tsv gives no reason for {ident}: {line}")
            why += [self.reasons[n][2] for n in found[:1] if self.reasons[n][2] not in why]
        return why

    def row(self, ident):
        """Cells of the table, each a list of lines"""
        self.shown.add(ident)
        where, _, command = self.options[ident].command.rpartition(") ")
        command = re.sub(r"(\w\w:){20,}\w\w", "KEY", command)
        first = [f"``{command}``" + {"(closed": ", closed"}.get(where, "")]
        ours, common = self.own(ident, OURS)
        theirs, _ = self.own(ident, THEIRS)
        if not ours and not theirs:
            code, lines = self.by[OURS][ident]
            lines = ([f"exit code {code}"] if code else []) + lines
            return [first, block(lines[:SHOWN], len(lines[SHOWN:]), "more"), ["same"], [""]]
        return [first, block(ours, common, "that both give"), block(theirs, common, "that both give"),
                paragraph(". ".join(reason[0].upper() + reason[1:] for reason in self.why(ident, ours + theirs)) + ".")]

    def table(self, patterns):
        idents = [ident for ident in self.options if any(fnmatch.fnmatchcase(ident, p) for p in patterns)]
        rows = [self.row(ident) for ident in idents]
        widths = [max(len(line) for row in rows for line in row[i]) for i in range(4)]
        head = ["``ethtool`` ...", "cxr_en", "mlx5_core", "why they differ"]
        widths = [max(width, len(word)) for width, word in zip(widths, head)]
        border = "  ".join("=" * width for width in widths)
        lines = [border, line_of(head, widths), border]
        for row in rows:
            height = max(len(cell) for cell in row)
            lines += [line_of([cell[n] if n < len(cell) else "" for cell in row], widths) for n in range(height)]
        return "\n".join([*lines, border]) + "\n"

    def left(self):
        """What is wrong when all tables are made"""
        stale = [row for n, row in enumerate(self.reasons) if n not in self.used]
        return [*self.problems, *(f"Documentation/ethtool.rst: no table has {ident}" for ident in self.options if ident not in self.shown),
                *(f"selftests/ethtool/differences.tsv: there is no such difference: {ids} {pattern}" for ids, pattern, _ in stale)]


def line_of(cells, widths):
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()


def paragraph(text):
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def line_block(line):
    return textwrap.wrap(line, WIDTH, initial_indent="| ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def block(lines, number, what):
    """Lines, and how many there are of another kind"""
    more = f"{number} {'line' if number == 1 else 'lines'} {what}"
    if len(lines) > MANY:
        return paragraph(" ".join(f"``{line}``" for line in lines) + (f" and {more}" if number else ""))
    lines = [line if line.startswith("exit code") else f"``{line}``" for line in lines]
    if number:
        lines.append(f"{'and ' if lines else ''}{more}")
    return [part for line in lines for part in line_block(line)] or ["nothing"]
