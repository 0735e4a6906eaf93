# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""For tests of tools written in Python."""

import importlib.machinery
import importlib.util
import os
import traceback


def load_tool(name):
    """A program of scripts/ as a module."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts", name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def run(tests):
    """Run tests, (sentence, function), and print KTAP. Exit status: 0, or 1 if one fails."""
    print(f"KTAP version 1\n1..{len(tests)}")
    failed = 0
    for n, (sentence, function) in enumerate(tests, 1):
        try:
            function()
            print(f"ok {n} - {sentence}")
        except Exception:                                       # report any failure
            print("# " + traceback.format_exc().rstrip().replace("\n", "\n# "))
            print(f"not ok {n} - {sentence}")
            failed += 1
    print(f"# Totals: pass:{len(tests) - failed} fail:{failed} xfail:0 xpass:0 skip:0 error:0")
    return 1 if failed else 0
