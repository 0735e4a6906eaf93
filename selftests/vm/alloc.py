#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: alloc.py list | run ID BDF
       alloc.py while EVERY FILE    until FILE is gone, each EVERY-th allocation fails, also in interrupts; prints how many

Each allocation of memory that the driver makes in an operation (operations.py) fails once, the operation being repeated for that: by the
kernel's fail-nth, of the process or of the kernel's workers, for allocations with a function of the driver on the stack. What leaks
kmemleak finds afterwards. A place, which is the functions of the driver on the stack, that has failed OFTEN is passed with larger steps,
until a new one is met; with CXR_LONG that is later.
"""
import contextlib
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import operations_devx  # noqa: E402,F401 pylint: disable=unused-import
import operations_lag  # noqa: E402,F401 pylint: disable=unused-import
import operations_vf  # noqa: E402,F401 pylint: disable=unused-import
import rows  # noqa: E402
from kernel_log import KernelLog  # noqa: E402
from operations import get, one, put, rows_of  # noqa: E402

MODULES = "cxr_core", "cxr_en", "cxr_ib"
KINDS = "failslab", "fail_page_alloc", "fail_usercopy"
DEBUG = "/sys/kernel/debug"
PANIC = "/proc/sys/kernel/panic_on_warn"
# Whose allocations do not fail. The PCI core would meet a BUG the next time that it adds VFs, and DMA debugging turns itself off.
PCI, DMA_DEBUG = "sriov_enable", "add_dma_entry"
MANY = 1 << 30
OFTEN = 8 if os.environ.get("CXR_LONG") else 2      # from then on a place is passed with larger steps
STEP_MAX = 64
NO_ALLOCATIONS = "timestamps", "vf_statistics", "vlan"    # operations


def text_of(module):
    """Where the functions of a module begin and end"""
    begin = int(get(f"/sys/module/{module}/sections/.text"), 16)
    with open("/proc/kallsyms", encoding="ascii") as f:
        last = max(int(line.split()[0], 16) for line in f if line.endswith(f"[{module}]\n") and line.split()[1] in "tT")
    return begin, last + 0x1000


def extent(name):
    """Where a function of the kernel begins and ends; nowhere, if there is none of that name"""
    with open("/proc/kallsyms", encoding="ascii") as f:
        symbols = [line.split() for line in f if line.split()[1] in "tT" and "[" not in line]
    for begin in (int(symbol[0], 16) for symbol in symbols if symbol[2] == name):
        return begin, min(at for at in (int(symbol[0], 16) for symbol in symbols) if at > begin)
    return 0, 0


def check_between(begin, end):
    """No other module may lie between those of the driver."""
    with open("/proc/modules", encoding="ascii") as f:
        for line in f:
            name, at = line.split()[0], int(line.split()[5], 16)
            assert name in MODULES or not begin <= at < end, f"the module {name} lies between those of the driver"


def prepare(every=0):
    """With @every, allocations fail from now on, without a report."""
    ranges = [text_of(module) for module in MODULES]
    begin, end = min(r[0] for r in ranges), max(r[1] for r in ranges)
    check_between(begin, end)
    spared = extent(DMA_DEBUG if every else PCI)
    values = {
        "ignore-gfp-wait": "N", "min-order": 0, "cache-filter": "N", "task-filter": "N", "verbose": 0 if every else 2,
        "interval": every or 1, "times": MANY, "stacktrace-depth": 32, "require-start": hex(begin), "require-end": hex(end),
        "reject-start": hex(spared[0]), "reject-end": hex(spared[1]),
        "probability": 100 if every else 0,
    }
    for kind in KINDS:
        for name, value in values.items():
            if os.path.exists(f"{DEBUG}/{kind}/{name}"):
                put(f"{DEBUG}/{kind}/{name}", value)


def injected():
    """How many allocations have been made to fail"""
    return sum(MANY - int(get(f"{DEBUG}/{kind}/times")) for kind in KINDS)


class Fault:
    """The nth allocation of a task fails"""

    deadly = False

    def __init__(self, nth):
        self.nth, self.before = nth, injected()

    def __str__(self):
        return f"allocation {self.nth}"

    @contextlib.contextmanager
    def strikes(self):
        with open("/proc/self/fail-nth", "wb", buffering=0) as f:
            f.write(str(self.nth).encode())
            try:
                yield
            finally:
                f.write(b"0")

    @contextlib.contextmanager
    def strikes_work(self):
        self.in_workers(self.nth)
        try:
            yield
        finally:
            self.in_workers(0)

    @staticmethod
    def in_workers(nth):
        """One that ends meanwhile does not matter."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if get(f"/proc/{pid}/comm").startswith("kworker/"):
                    put(f"/proc/{pid}/fail-nth", nth)
            except OSError:
                pass

    def runs(self, words):
        return subprocess.run(words, preexec_fn=lambda: put("/proc/self/fail-nth", self.nth), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def struck(self):
        return injected() - self.before


class Sweep:
    """All tries of an operation"""

    def __init__(self, function, bdf):
        self.function, self.bdf = function, bdf
        self.log, self.places, self.count, self.failed = KernelLog(), {}, 0, 0

    def one(self, nth, change=lambda fault: fault):
        """Where it struck, or None: it has fewer allocations. @change gets the fault."""
        fault = change(Fault(nth))
        try:
            struck, failed = one(self.function, self.bdf, fault)
        finally:
            place = self.log.check(fault)
        if not struck:
            return None
        self.count += 1
        self.failed += failed
        self.places[place] = self.places.get(place, 0) + 1
        return place

    def run(self):
        nth, step, began = 1, 1, time.monotonic()
        try:
            while True:
                place = self.one(nth)
                if step > 1 and (place is None or self.places[place] == 1):
                    nth, step = nth - step + 1, 1       # what was passed may have others
                    continue
                if place is None:
                    break
                step = min(2 * step, STEP_MAX) if self.places[place] > OFTEN else 1
                nth += step
        finally:
            self.log.forget()
        print(f"{self.count} failures of {nth - 1} allocations, at {len(self.places)} places: {self.failed} of the operation, "
              f"{time.monotonic() - began:.0f} s")
        if self.function.__name__ in NO_ALLOCATIONS:
            assert not self.count, "there are allocations"
        else:
            assert self.count, "no allocation failed"


def without_panic(run):
    """The kernel tells of an allocation that fails as of a warning."""
    before = get(PANIC)
    put(PANIC, 0)
    try:
        run()
    finally:
        put(PANIC, before)


def fail_while(every, path):
    """Of whatever task, and in interrupts"""
    log = KernelLog()
    prepare(int(every))
    before = injected()
    while os.path.exists(path):
        time.sleep(0.1)
    count = injected() - before
    prepare()
    log.check("allocations that fail")
    log.forget()
    print(f"{count} allocations failed")
    assert count > 100, "these are too few"


def sweep(function, bdf):
    prepare()
    without_panic(Sweep(function, bdf).run)


if __name__ == "__main__":
    rows_of(sweep)
    if sys.argv[1:2] == ["while"]:
        sys.exit(fail_while(*sys.argv[2:]))
    sys.exit(rows.main(__doc__, lambda bdf: (bdf,)))
