#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: test_ledger.py

Tests of scripts/ledger on journals of a few commands. Output is KTAP.
"""

import contextlib
import io
import pathlib
import sys
import tempfile

from sentences import load_tool, run

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../../scripts"))

ledger = load_tool("ledger")
LAYOUTS = ledger.Layouts(ledger.TOP / "include" / "prm")
OPCODES = {name: number for number, name in ledger.opcodes("cmdif.h").items()}
MODER = "create_cq.cq_context.cq_max_count"
SIZE = "create_cq.cq_context.log_cq_size"


def command(name, **values):
    """A line of a journal: the command with these fields; _ stands for a dot, __ for an underscore"""
    values = {key.replace("__", "-").replace("_", ".").replace("-", "_"): value for key, value in values.items()}
    layout, number, bits = LAYOUTS.by_name[f"{name}_in"], OPCODES[name] << 16 * 7, 128
    for path, first, width in LAYOUTS.leaves(layout):
        if first + width > bits:
            number, bits = number << (first + width + 31) // 32 * 32 - bits, (first + width + 31) // 32 * 32
        if path in values:
            number |= values.pop(path) << bits - first - width
    assert not values, f"{name} has no {', '.join(values)}"
    return f"a cmd 0x{OPCODES[name]:x} {number:0{bits // 4}x}\n"


def create_cq(**values):
    return command("create_cq", **{f"cq__context_{key}": value for key, value in values.items()})


class Place:
    """Journals in a folder"""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, *lines):
        path = self.folder / name
        path.write_text("".join(lines), encoding="ascii")
        return path

    def journal(self, *lines):
        return ledger.Journal(LAYOUTS).read([self.write("journal.txt", *lines)])

    def record(self, *lines, old=None):
        with contextlib.redirect_stdout(io.StringIO()):
            ledger.write_record(self.folder / "record.tsv", self.journal(*lines), old)
        return self.folder / "record.tsv"

    def differences(self, theirs, ours):
        """The same for a journal and for the record of it"""
        found = ledger.differences(self.journal(*theirs), self.journal(*ours))
        again = ledger.differences(ledger.Record(self.record(*theirs)), self.journal(*ours))
        assert found == again, f"{found} became {again} with a record"
        return found

    def table(self, *lines):
        return self.write("ledger.tsv", *("\t".join(line) + "\n" for line in lines))

    def verdict(self, table, kernel="6.12"):
        """Exit code and words about cxr, which alone moderates a CQ"""
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            code = ledger.compare(self.journal(create_cq(log__cq__size=7)), self.journal(create_cq(log__cq__size=7, cq__max__count=32)),
                                  ledger.read_table(table, kernel), kernel, False)
        return code, words.getvalue()


def same(got, want):
    assert got == want, f"{got} instead of {want}"


def alike(place):
    lines = [create_cq(log__cq__size=7, cq__max__count=1), command("destroy_cq", cqn=5)]
    same(place.differences(lines, lines), {})


def only_in_tree(place):
    same(place.differences([create_cq(cq__max__count=9)], [create_cq()]), {MODER: "mlx5"})


def only_cxr(place):
    same(place.differences([create_cq()], [create_cq(), create_cq(cq__max__count=9)]), {MODER: "cxr"})


def other_values(place):
    same(place.differences([create_cq(log__cq__size=7), create_cq(log__cq__size=0)], [create_cq(log__cq__size=9)]), {SIZE: "values"})


def a_common_value(place):
    same(place.differences([create_cq(log__cq__size=7), create_cq(log__cq__size=8)],
                           [create_cq(log__cq__size=8), create_cq(log__cq__size=9)]), {})


def a_command(place):
    same(place.differences([create_cq(), command("alloc_pd")], [create_cq()]), {"alloc_pd": "mlx5"})
    same(place.differences([create_cq()], [create_cq(), command("alloc_pd")]), {"alloc_pd": "cxr"})


def numbers(place):
    same(place.differences([command("destroy_cq", cqn=5)], [command("destroy_cq", cqn=6)]), {})
    same(place.differences([create_cq(dbr__addr=0x1000)], [create_cq(dbr__addr=0x2000)]), {})


def chance(place):
    same(place.differences([create_cq(log__page__size=3)], [create_cq(page__offset=5)]), {})


def cut_off(place):
    line = create_cq(log__cq__size=7)
    same(place.journal(line, line[:-20]).counts, {"create_cq": 1})


def a_line(place):
    code, words = place.verdict(place.table((MODER, "cxr", "*", "a reason")))
    same(code, 0)
    assert MODER not in words, words


def no_line(place):
    code, words = place.verdict(place.table())
    same(code, 1)
    assert f"{MODER}\tcxr\tin-tree 0x0, cxr 0x20" in words and "1 without a line, 0 lines without a difference" in words, words


def line_for_nothing(place):
    code, words = place.verdict(place.table((MODER, "cxr", "*", "a reason"), (SIZE, "values", "*", "another")))
    same(code, 1)
    assert f"{SIZE}\tvalues\tis in ledger.tsv, but there is no such difference" in words and "0 without a line, 1 lines" in words, words


def other_kind(place):
    code, words = place.verdict(place.table((MODER, "mlx5", "*", "a reason")))
    same(code, 1)
    assert "1 without a line, 1 lines without" in words, words


def other_kernel(place):
    table = place.table((MODER, "cxr", "6.12", "a reason"), (SIZE, "values", "7.2", "of another"))
    same(place.verdict(table)[0], 0)
    same(place.verdict(table, "7.2")[0], 1)


def malformed(place):
    for line in ((MODER, "cxr", "*"), (MODER, "cxr", "*", " "), (MODER, "ours", "*", "a reason")):
        try:
            ledger.read_table(place.table(line), "6.12")
        except SystemExit as e:
            assert "ledger.tsv:1:" in str(e), e
        else:
            raise AssertionError(f"{line} is accepted")


def up_to_date(place):
    def check(*lines):
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            code = ledger.check_record(record, place.journal(*lines))
        return code, words.getvalue()

    record = place.record(create_cq(log__cq__size=7), create_cq(log__cq__size=8, log__page__size=1))
    same(check(create_cq(log__cq__size=8)), (0, ""))
    same(check(create_cq(log__cq__size=8, log__page__size=2)), (0, ""))
    code, words = check(create_cq(log__cq__size=9))
    assert code == 1 and f"{SIZE}: 9 is not recorded" in words, words
    code, words = check(create_cq(log__cq__size=7), command("alloc_pd"))
    assert code == 1 and "alloc_pd: not recorded" in words, words
    code, words = check(command("destroy_cq"))
    assert code == 1 and "create_cq: recorded, but not seen" in words, words


def added(place):
    """A record to which runs were added is that of all the runs."""
    runs = ([create_cq(log__cq__size=7), command("alloc_pd")], [create_cq(log__cq__size=8, cq__max__count=2)],
            [command("destroy_cq", cqn=5), create_cq(log__cq__size=3)],
            [create_cq(cq__period=n) for n in range(20)], [create_cq(cq__period=n) for n in range(20, 40)])
    whole = place.record(*(line for run in runs for line in run)).read_text(encoding="ascii")
    record = ledger.Record(place.record(*runs[0]))
    for run in runs[1:]:
        record = ledger.Record(place.record(*run, old=record))
    same((place.folder / "record.tsv").read_text(encoding="ascii"), whole)


def the_table(_):
    for kernel in ("6.1", "6.12", "7.2"):
        ledger.read_table(ledger.TABLE, kernel)


TESTS = [
    ("what both drivers write is no difference", alike),
    ("a field that only the in-tree driver sets", only_in_tree),
    ("a field that only cxr sets", only_cxr),
    ("a field that both set, without a common value", other_values),
    ("a common value is enough", a_common_value),
    ("a command that only one of them sends", a_command),
    ("numbers of objects and addresses are not compared", numbers),
    ("what depends on the place in memory is not compared", chance),
    ("the last line of a journal that was cut off is ignored", cut_off),
    ("a difference with a line passes", a_line),
    ("a difference without a line fails", no_line),
    ("a line without a difference fails", line_for_nothing),
    ("a line of another kind is no reason", other_kind),
    ("a line is for the kernels that it names", other_kernel),
    ("a line needs a known kind and a reason", malformed),
    ("a record tells what it does not have", up_to_date),
    ("a record to which runs were added is that of all the runs", added),
    ("the table of the documentation is well-formed", the_table),
]


def in_folder(function):
    with tempfile.TemporaryDirectory(prefix="ledger-") as folder:
        function(Place(pathlib.Path(folder)))


if __name__ == "__main__":
    sys.exit(run([(sentence, lambda f=function: in_folder(f)) for sentence, function in TESTS]))
