#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: kernel_net.py run RECORD PROGRAM          run a program of the kernel's tests of network drivers
       kernel_net.py judge RECORD PROGRAM SAID   compare what it has said, a file, with the record of this kernel and driver

The programs read descriptions in YAML, for which PyYAML has a fast parser, too. RECORD is a table: kernel, case, result with cxr and with
mlx5, and a reason where that is not "pass". A case may be a pattern; the last row that matches decides. The result "none" is that of
a case that is left out, which programs can from 7.2 on.
"""
import fnmatch
import os
import re
import runpy
import sys

OPEN = "any", "-"       # results that the record does not decide
LEFT_OUT = "none"
RESULT = re.compile(r"(not )?ok \d+ (\S+)(?: # (SKIP|XFAIL))?")


def run(record, program):
    import yaml  # pylint: disable=import-error,import-outside-toplevel

    yaml.safe_load = lambda text: yaml.load(text, Loader=yaml.CSafeLoader)
    name = os.path.basename(program)
    left_out = [case.partition(".")[2] for case, (to_be, _) in recorded(record, name.removesuffix(".py")).items() if to_be == LEFT_OUT]
    os.chdir(os.path.dirname(program))
    sys.argv = ["./" + name] + [word for case in left_out for word in ("-T", case)]
    sys.path[0] = os.path.dirname(program)
    runpy.run_path(program, run_name="__main__")


def results(said):
    """{case: result} of what a program has said"""
    found = {}
    with open(said, encoding="utf-8", errors="replace") as f:
        for match in filter(None, map(RESULT.match, f)):
            found[match[2]] = match[3].lower() if match[3] else "fail" if match[1] else "pass"
    return found


def recorded(record, program):
    """{case: (result, reason)} of this kernel and driver"""
    column = {"cxr": 2, "mlx5": 3}[os.environ["CXR_DRIVER"]]
    with open(record, encoding="ascii") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    return {row[1]: (row[column], row[4]) for row in rows if row[0] == os.environ["CXR_KERNEL"] and row[1].startswith(program + ".")}


def judge(record, program, said):
    expected, got = recorded(record, program), results(said)
    wrong = [f"{case}: did not run" for case, (to_be, _) in expected.items() if to_be != LEFT_OUT and not fnmatch.filter(got, case)]
    print("".join(f"{case}: left out ({why})\n" for case, (to_be, why) in expected.items() if to_be == LEFT_OUT), end="")
    for case, result in got.items():
        to_be, why = next((row for known, row in reversed(expected.items()) if fnmatch.fnmatch(case, known)), (None, ""))
        print(f"{case}: {result}" + (f" ({why})" if why and result != "pass" else ""))
        if to_be is None:
            wrong.append(f"{case}: {result}, which is not recorded")
        elif to_be not in (*OPEN, result):
            wrong.append(f"{case}: {result}, recorded is {to_be}")
    print("\n".join(wrong))
    return 1 if wrong or not got else 0


def main():
    what, *words = sys.argv[1:]
    if what == "run":
        return run(*words)
    return judge(*words)


if __name__ == "__main__":
    sys.exit(main())
