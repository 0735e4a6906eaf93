#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: compare.py OURS THEIRS [GROUP...]

What two drivers answered to the same requests (vm/differences.py), field by field. Each difference must be in selftests/differences.tsv
with its reason; others are printed, one of each kind, and are a failure.
"""

import collections
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../differences.tsv")
NOTHING_TO_ACCEPT = {"ioctl"}    # groups of requests that are seldom valid
Row = collections.namedtuple("Row", "group field asked ours theirs reason")
Answer = collections.namedtuple("Answer", "group number asked error fields")


def read(path):
    answers = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            ident, asked, came = line.rstrip("\n").split("\t")
            group, number = ident.split()
            words = came.split(" ")
            answers.append(Answer(group, number, asked, words[0], dict(w.split("=", 1) for w in words[1:])))
    return answers


def rows():
    found = []
    with open(TABLE, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                cells = re.split(r"\t+", line.rstrip("\n"))
                found.append(Row(*(re.compile(cell) for cell in cells[:5]), cells[5]))
    return found


def differences(ours, theirs):
    """(field, our value, their value); of two that are accepted those that differ, else "result" """
    if ours.error != theirs.error:
        return [("result", ours.error, theirs.error)]
    names = list(dict.fromkeys([*theirs.fields, *ours.fields]))
    pairs = [(name, ours.fields.get(name, "-"), theirs.fields.get(name, "-")) for name in names]
    return [pair for pair in pairs if pair[1] != pair[2]]


def reason(table, answer, difference):
    field, ours, theirs = difference
    for row in table:
        if row.group.fullmatch(answer.group) and row.field.fullmatch(field) and row.asked.search(answer.asked) and \
                row.ours.fullmatch(ours) and row.theirs.fullmatch(theirs):
            return row
    return None


def main():
    ours, theirs = read(sys.argv[1]), read(sys.argv[2])
    groups = set(sys.argv[3:])
    assert [a[:2] for a in ours] == [a[:2] for a in theirs], "the drivers were not asked the same"
    table, met, unknown = rows(), collections.Counter(), collections.defaultdict(list)
    asked = accepted = 0
    for mine, other in zip(ours, theirs):
        # what is asked ends where the first fails to prepare it
        assert mine.asked.startswith(other.asked) or other.asked.startswith(mine.asked), f"not the same: {mine} {other}"
        if groups and mine.group not in groups:
            continue
        asked += 1
        accepted += mine.error == other.error == "ok"
        for difference in differences(mine, other):
            row = reason(table, mine, difference)
            if row:
                met[row] += 1
            else:
                fields = " ".join(sorted(set(re.sub(r"=.*", "", w) for w in mine.asked.split())))
                unknown[mine.group, *difference, fields].append((mine, difference))
    for (group, *_), cases in unknown.items():
        answer, (field, mine, other) = cases[0]
        print(f"{group} {answer.number}{f' and {len(cases) - 1} more' if len(cases) > 1 else ''}: {answer.asked}\n"
              f"        {field}: ours {mine}, in-tree {other}")
    print(f"{asked} requests, {accepted} accepted by both; {sum(met.values())} differences explained, "
          f"{sum(map(len, unknown.values()))} not")
    if not accepted and not groups <= NOTHING_TO_ACCEPT:
        print("nothing of it was accepted by both")
    sys.exit(bool(unknown) or (not accepted and not groups <= NOTHING_TO_ACCEPT))


if __name__ == "__main__":
    main()
