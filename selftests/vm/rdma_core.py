# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Runs rdma-core's own tests one at a time.

usage: rdma_core.py FOLDER DEVICE GID-INDEX list             "id<TAB>name" of each test
       rdma_core.py FOLDER DEVICE GID-INDEX serve SECONDS    run the tests named on standard input, one per line

FOLDER holds the tests/ of rdma-core. For each test `serve` prints on file descriptor 3 "pass", "skip REASON" or, after the output of
the test, "fail". A test that takes more than SECONDS ends this process, with a traceback in standard error.
"""
import faulthandler
import os
import random
import re
import sys
import tempfile
import unittest

PREFIX = "tests."


def suite(folder, device, gid):
    """Import the tests, with options set like their own program does"""
    sys.path[:0] = [folder, os.path.join(folder, "tests")]
    sys.argv[1:] = ["--dev", device, "--gid", gid]
    # They are in the folder, and parse the arguments on import.
    # pylint: disable=import-error, import-outside-toplevel
    from args_parser import parser
    parser.parse_args()
    import tests
    return tests


def names(tests):
    """module.Class.test of all tests, without those that a module imports from another"""
    found = []
    for module in tests.__test_modules__:
        for group in unittest.defaultTestLoader.loadTestsFromModule(module):
            found += [t.id().removeprefix(PREFIX) for t in group if type(t).__module__ == module.__name__]
    return found


def id_of(name):
    """An id like those of other tests: lower-case words and numbers, separated by . and -"""
    return ".".join(re.sub("[^a-z0-9]+", "-", part.lower()).strip("-") for part in name.split("."))


def verdict(test):
    """Run a test; returns result, reason, and lines of output"""
    result = unittest.TestResult()
    test.run(result)
    wrong = result.errors + result.failures
    if wrong:
        return "fail", "", "\n".join(text for _, text in wrong).splitlines()
    if result.skipped:
        return "skip", " ".join(result.skipped[0][1].split()), []
    if result.unexpectedSuccesses or result.testsRun != 1:
        return "fail", "", ["it did not run, or passed unexpectedly"]
    return "pass", "", []


def serve(answers, seconds):
    for line in sys.stdin:
        name = line.strip()
        with tempfile.TemporaryFile() as said:
            kept = os.dup(1), os.dup(2)
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            random.seed(name)  # reproducible
            faulthandler.dump_traceback_later(seconds, exit=True, file=kept[1])
            try:
                (test,) = unittest.defaultTestLoader.loadTestsFromName(PREFIX + name)
                word, reason, text = verdict(test)
            finally:
                faulthandler.cancel_dump_traceback_later()
                sys.stdout.flush()
                sys.stderr.flush()
                os.dup2(kept[0], 1)
                os.dup2(kept[1], 2)
                os.close(kept[0])
                os.close(kept[1])
            said.seek(0)
            text += said.read().decode(errors="replace").splitlines()
        if word == "fail":
            for one in text:
                print("|", one, file=answers)
        print(word, reason, file=answers, flush=True)


def main(argv):
    if len(argv) < 5:
        sys.stderr.write(__doc__)
        return 2
    folder, device, gid, what, *rest = argv[1:]
    tests = suite(folder, device, gid)
    if what == "list":
        print("\n".join(f"{id_of(name)}\t{name}" for name in names(tests)))
        return 0
    if what == "serve" and len(rest) == 1:
        faulthandler.enable()
        with os.fdopen(3, "w") as answers:
            serve(answers, float(rest[0]))
        return 0
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
