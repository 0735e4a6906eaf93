#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: commands.py list | run ID BDF refused|silent

Each command that the driver sends in an operation (operations.py) is refused by the device once, or not answered, the operation being
repeated for that. With CXR_LONG each is refused with each status, and each not answered, but for operations on a LAG or on VFs; otherwise
every second is refused (of some operations each, of a recovery few), with one status, another one for each, and every eighth not
answered.
"""
import contextlib
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import operations_devx  # noqa: E402,F401 pylint: disable=unused-import
import operations_lag  # noqa: E402,F401 pylint: disable=unused-import
import operations_vf  # noqa: E402,F401 pylint: disable=unused-import
import rows  # noqa: E402
from kernel_log import KernelLog  # noqa: E402
from operations import PATIENCE, Try, emulator, get, one, put, rows_of  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LONG = os.environ.get("CXR_LONG")
NO_COMMANDS = ("dump",)    # operations
EACH = "reload", "flows", "rates", "dc", "group"      # finds what every second does not
FEW = ("recover",)      # each takes seconds, and sends what is sent elsewhere, too
SLOW = "operations_lag", "operations_vf"    # likewise; every second, also with LONG


def statuses():
    with open(f"{HERE}/../../include/prm/cmdif.h", encoding="ascii") as f:
        names = re.search(r"#define PRM_STATUS_LIST\(X\)(.*?)\n\n", f.read(), re.S)[1]
    return [name for name in re.findall(r"X\((\w+),", names) if name != "OK"]


class Fault:
    """The nth command is refused, or not answered"""

    def __init__(self, nth, what, bdf):
        self.nth, self.what, self.bdf, self.done = nth, what, bdf, 0
        self.deadly = what == "silent"

    def __str__(self):
        return f"command {self.nth}, {self.what}"

    @contextlib.contextmanager
    def strikes(self):
        emulator(self.bdf, f"fault FUNCTION command any {self.what} nth={self.nth}")
        try:
            yield
        finally:
            self.done += int(re.search(r": seen \d+, done (\d+)", emulator(self.bdf, "fault list"))[1])
            emulator(self.bdf, "fault clear")

    strikes_work = strikes

    def runs(self, words):
        with self.strikes():
            return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def struck(self):
        return self.done


def is_dead(bdf):
    try:
        return "dead" in get(f"/sys/kernel/debug/cxr/{bdf}/stage")
    except FileNotFoundError:
        return False


class Sweep:
    """All tries of an operation"""

    def __init__(self, function, bdf):
        self.function, self.bdf = function, bdf
        self.log, self.count, self.failed = KernelLog(), 0, 0

    def one(self, fault):
        if is_dead(self.bdf):
            put(f"/sys/bus/pci/devices/{self.bdf}/driver/unbind", self.bdf)
        if fault.deadly:
            self.let_it_die()
        said = KernelLog()
        try:
            struck, failed = one(self.function, self.bdf, fault)
            if struck and fault.deadly:
                self.wait_dead(said)
        finally:
            self.log.check(fault, "timed out" if fault.deadly else None)
        assert fault.deadly or not is_dead(self.bdf), f"{fault}: the device is dead"
        self.count += struck
        self.failed += failed
        return struck

    def let_it_die(self):
        """A device that has been bound anew recovers by itself, which the next try would meet."""
        Try(self.bdf, None).bind()
        subprocess.run(["devlink", "health", "set", f"pci/{self.bdf}", "reporter", "fw_fatal", "auto_recover", "false"], check=True)

    def wait_dead(self, said):
        """
        What is not answered may have been sent by work of the kernel. A probe that has failed is not bound any more; one that has not
        recovers, so that the kernel's log is asked and not the device.
        """
        end = time.monotonic() + 3 * PATIENCE
        while os.path.exists(f"/sys/bus/pci/devices/{self.bdf}/driver") and not any("device failed: " in line for line in said.lines()):
            assert time.monotonic() < end, "the driver does not notice that a command is not answered"
            time.sleep(0.05)

    def run(self, kind):
        kinds, step = plan(self.function, kind)
        nth, began = 1, time.monotonic()
        try:
            while all(self.one(Fault(nth, kind, self.bdf)) for kind in kinds(nth)):
                nth += step
        finally:
            self.log.forget()
        if self.function.__name__ in NO_COMMANDS:
            assert not self.count, "there are commands"
        else:
            assert self.count, "no command was struck"
        print(f"{self.count} tries: {self.failed} of the operation failed, {time.monotonic() - began:.0f} s")


STATUSES = statuses()


def refused(nth, each=False):
    return [f"status {name}" for name in (STATUSES if each else [STATUSES[nth % len(STATUSES)]])]


def plan(function, kind):
    """A function that tells what befalls the nth command, and how far the next one is"""
    name, slow = function.__name__, function.__module__ in SLOW
    long = LONG and not slow
    step = 1 if long or name in EACH else 2 if kind == "refused" else 8
    if name in FEW and not LONG:
        step *= 16
    return (lambda nth: refused(nth, long)) if kind == "refused" else lambda nth: [kind], step


def main():
    kind = sys.argv.pop() if len(sys.argv) > 3 else None
    rows_of(lambda function, bdf: Sweep(function, bdf).run(kind))
    return rows.main(__doc__, lambda bdf: (bdf,))


if __name__ == "__main__":
    sys.exit(main())
