# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
A program that is a table of tests: each row an id, the sentence that holds, and a function. Id and
sentence stand in one line before the function, where scripts read them (lib/rows.sh).

    PROGRAM list                 "id<TAB>sentence" of each row
    PROGRAM run ID WORDS...      one row: leaves with 0 if it passed, with 4 and a reason if it was skipped
    PROGRAM serve FOLDER ROWS    rows as they are asked for, of which there must be so many: a guest takes seconds to start
                                 Python with pyverbs, and nothing to fork it
"""
import os
import sys
import traceback

SKIP = 4
ADAPTERS = "cxr", "mlx5"
ROWS = {}


class Skip(Exception):
    pass


def row(name, sentence):
    """What stands before the function of a row"""
    def add(function):
        assert name not in ROWS, name
        ROWS[name] = sentence, function
        return function
    return add


def driver():
    return os.environ.get("CXR_DRIVER", "host")


def kernel():
    return os.environ.get("CXR_KERNEL", "")


def lacks(what):
    """The device does not offer it: another one may do so, an adapter's driver that is tested here must not"""
    assert driver() not in ADAPTERS, f"this driver offers no {what}"
    raise Skip(f"the device has no {what}")


def verdict(begin, name, words):
    """The exit code of a row; what was wrong is printed"""
    try:
        ROWS[name][1](*begin(*words))
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIP
    except Exception:  # pylint: disable=broad-exception-caught
        traceback.print_exc(file=sys.stdout)
        return 1
    return 0


def answer(begin, words, out):
    """A row in a process of its own, whose output is @out; its exit code"""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            os.dup2(out, 1)
            os.dup2(out, 2)
            code = verdict(begin, words[0], words[1:])
            sys.stdout.flush()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def serve(begin, folder):
    os.setpgid(0, 0)    # whoever ends this process ends its rows with it
    with open(f"{folder}/pid", "w", encoding="ascii") as f:
        f.write(str(os.getpid()))
    while True:
        with open(f"{folder}/ask", encoding="ascii") as f:
            words = f.readline().split()
        with open(f"{folder}/answer", "wb", buffering=0) as f:
            code = answer(begin, words, f.fileno())
            f.write(f"\nexit code {code}\n".encode())


def main(doc, begin):
    """@begin makes the arguments of the functions out of the words behind the id."""
    what, *words = sys.argv[1:] or [""]
    if what == "list":
        print("\n".join(f"{name}\t{sentence}" for name, (sentence, _) in ROWS.items()))
        return 0
    if what == "run" and words and words[0] in ROWS:
        return verdict(begin, words[0], words[1:])
    if what == "serve" and len(words) == 2:
        assert len(ROWS) == int(words[1]), f"{len(ROWS)} rows, and {words[1]} lines that begin one"
        return serve(begin, words[0])
    sys.stderr.write(doc)
    return 2
