#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: kernel_net.py run PROGRAM                 run a program of the kernel's tests of network drivers
       kernel_net.py judge RECORD PROGRAM SAID   compare what it has said, a file, with the record of this kernel and driver

The programs read descriptions in YAML, for which PyYAML has a fast parser, too. RECORD is a table: kernel, case, result with cxr and with
mlx5, and a reason where that is not "pass". A case may be a pattern; the last row that matches decides.
"""
import fnmatch
import os
import re
import runpy
import sys

OPEN = "any", "-"       # results that the record does not decide
RESULT = re.compile(r"(not )?ok \d+ (\S+)(?: # (SKIP|XFAIL))?")


def run(program):
    import yaml  # pylint: disable=import-error,import-outside-toplevel

    yaml.safe_load = lambda text: yaml.load(text, Loader=yaml.CSafeLoader)
    os.chdir(os.path.dirname(program))
    sys.argv = ["./" + os.path.basename(program)]
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
    wrong = [f"{case}: did not run" for case in expected if not fnmatch.filter(got, case)]
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
        run(*words)
    return judge(*words)


if __name__ == "__main__":
    sys.exit(main())
