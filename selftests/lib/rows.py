# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
A program that is a table of tests: each row has an id, a sentence, and a function. Id and sentence
are in one line before the function, where scripts find them (lib/rows.sh).

    PROGRAM list                 "id<TAB>sentence" of each row
    PROGRAM run ID WORDS...      one row: leaves with 0 if it passed, with 4 and a reason if it was skipped
"""
import os
import pathlib
import sys
import traceback

from libc import fork

SKIP = 4
ADAPTERS = "cxr", "mlx5"
ROWS = {}


class Skip(Exception):
    pass


def row(name, sentence):
    """Decorator that makes a function a row"""
    def add(function):
        assert name not in ROWS, name
        ROWS[name] = sentence, function
        return function
    return add


def driver():
    return os.environ.get("CXR_DRIVER", "host")


def kernel():
    return os.environ.get("CXR_KERNEL", "")


def shares_pages():
    """As the function of lib/ktap.sh, for rows whose buffers share a page"""
    dma = pathlib.Path("/sys/kernel/debug/dma-api")
    if not (dma / "error_count").exists() or (dma / "disabled").read_text(encoding="ascii").strip() != "N":
        return
    if int(os.uname().release.split(".")[0]) < 7:
        raise Skip("DMA debugging of this kernel reports buffers that share a page; dma_debug=off turns it off")


def lacks(what):
    """The device does not support it: a failure for the drivers of adapters, a skip for others"""
    assert driver() not in ADAPTERS, f"this driver offers no {what}"
    raise Skip(f"the device has no {what}")


def verdict(begin, name, words):
    """Run a row and print what fails; returns the exit code"""
    try:
        ROWS[name][1](*begin(*words))
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIP
    except Exception:  # pylint: disable=broad-exception-caught
        traceback.print_exc(file=sys.stdout)
        return 1
    return 0


def apart(begin, words, fixed):
    """Run a row in a process of its own: what it leaves goes with it. Returns code and output."""
    reader, writer = os.pipe()
    child = fork()
    if not child:
        os.dup2(writer, 1)
        code = verdict(begin, words[0], fixed)
        sys.stdout.flush()
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as output:
        text = output.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def main(doc, begin):
    """@begin converts the words after the id to the arguments of the functions."""
    what, *words = sys.argv[1:] or [""]
    if what == "list":
        print("\n".join(f"{name}\t{sentence}" for name, (sentence, _) in ROWS.items()))
        return 0
    if what == "run" and words and words[0] in ROWS:
        return verdict(begin, words[0], words[1:])
    sys.stderr.write(doc)
    return 2
