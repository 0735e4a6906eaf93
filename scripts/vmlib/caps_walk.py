# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""scripts/caps-walk: what do the drivers do on a card that lacks a capability?

For each capability that the emulated card announces, a driver is loaded in a guest whose card has a smaller value: 0 if it is one
bit. It is tried what works: the netdev, ping and TCP, the RDMA device, the pingpong programs with a healthy peer. One line is printed
for each: what is missing in comparison with the healthy card, then a line of the kernel log. Results are in build/caps-walk; the walk
goes on where it was interrupted.
"""

import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import process
from images import KERNELS, REPO

OUT = os.path.join(REPO, "build/caps-walk")
TABLE = os.path.join(REPO, "Documentation/capabilities.tsv")
EMULATOR = os.path.join(REPO, "build/emulator")
BOOT_SECONDS = 300
CARD_SECONDS = 150
HEALTHY = ("none", "0")
ALL = "netdev ping tcp rdma rc uc ud srq xsrq"

# Smaller values of fields that are not one bit, if 0 is not what a card might have, or not the only one
SMALLER = {
    "cmdif_checksum": (0, 1),
    "max_wqe_sz_sq": (64, 128),
    "max_wqe_sz_rq": (16, 32),
    "roce_cap.l3_type": (2, 4),
    "roce_cap.roce_version": (1, 4),
    "roce_cap.roce_address_table_size": (0, 2),
    "atomic_caps.atomic_operations": (1, 2),
    "per_protocol_networking_offload_caps.wqe_inline_mode": (0, 1),
}
SMALL_LOG = 3   # of log_max_*, besides 0

Result = collections.namedtuple("Result", "name value works log device")


class WalkError(Exception):
    pass


# ---- the cards -----------------------------------------------------------------------------------

def ask_emulator(card):
    """What function a of the card announces: [(name, width, value)]"""
    with tempfile.TemporaryDirectory(prefix="caps-walk-") as folder:
        control = os.path.join(folder, "control")
        words = [f"{EMULATOR}/cxemu", "--card", card, "--vm", f"a={folder}/a", "--control", control]
        child = process.Child("the emulator", words, os.path.join(folder, "log"))
        try:
            if not process.wait_for_path(control, child, 10):
                raise WalkError(f"the emulator does not start:\n{child.tail()}")
            text = subprocess.run([f"{EMULATOR}/cxctl", control, "caps", "a"], check=True, stdout=subprocess.PIPE, text=True).stdout
        finally:
            child.end()
    rows = [line.split() for line in text.splitlines()]
    return [(words[1], int(words[2]), max(int(w) for w in words[3:])) for words in rows]


def smaller(name, width, value):
    if name in SMALLER:
        values = SMALLER[name]
    elif width > 1 and name.rpartition(".")[2].startswith("log_max_"):
        values = (0, SMALL_LOG)
    else:
        values = (0,)
    return [str(v) for v in values if v != value]


def all_cards(card):
    return [(name, v) for name, width, value in ask_emulator(card) for v in smaller(name, width, value)]


# ---- results -------------------------------------------------------------------------------------

class Results:
    """The results of a driver, in a file that grows."""

    def __init__(self, driver):
        self.path = os.path.join(OUT, f"{driver}.tsv")
        self.rows = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as f:
                for line in f:
                    row = Result(*line.rstrip("\n").split("\t"))
                    self.rows[row.name, row.value] = row

    def add(self, row):
        self.rows[row.name, row.value] = row
        with open(self.path, "a", encoding="utf-8") as f:
            f.write("\t".join(text.replace("\t", " ") for text in row) + "\n")

    def missing(self, row):
        """What works on the healthy card, but not here."""
        healthy = self.rows.get(HEALTHY)
        if not healthy or row.works.startswith("!"):
            return row.works.lstrip("!")
        gone = [w for w in healthy.works.split() if w not in row.works.split()]
        if not gone:
            return "all works"
        if not row.works:
            return "no device"
        # the programs need the RDMA device, the others the netdev
        if "netdev" in gone:
            gone = [w for w in gone if w not in ("ping", "tcp")]
        if "rdma" in gone or "netdev" in gone:
            gone = [w for w in gone if w in ("netdev", "ping", "tcp", "rdma")]
        return "no " + ", ".join(gone)

    def line(self, row):
        return self.verdict(row) + (f" [device: {first(row.device)}]" if row.device else "")

    def verdict(self, row):
        """What is missing, and why"""
        text, why = self.missing(row), sentence(row, self.rows.get(HEALTHY))
        return f"{text}: {why}" if why and text != "all works" else text


# What a line of the log begins with: the time, the driver, the address, the device; in-tree also the process
LOG_HEAD = re.compile(r"\[ *[0-9.]+\] ")
NAMES = re.compile(r"(?:cxr|mlx5|infiniband)\S*(?: [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d)?(?: [\w.]+)?: (?:\w+:\d+:\(pid \d+\): )?")
# What follows from another line
FOLLOWS = re.compile(r"probe with driver \S+ failed|probe of \S+ failed|bring-up failed at stage|link (up|down)$|Link (up|down)$")


def first(text):
    return text.split(" | ")[0]


def shape(line):
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "N", line)


def sentence(row, healthy):
    """The first line of the log that the healthy card does not cause"""
    usual = {shape(line) for line in healthy.log.split(" | ")} if healthy else set()
    new = [line for line in row.log.split(" | ") if line and shape(line) not in usual]
    return next((line for line in new if not FOLLOWS.search(line)), new[0] if new else "")


# ---- the guests ----------------------------------------------------------------------------------

class Walk:
    """The cards of one driver."""

    def __init__(self, driver, opts, cards):
        self.driver, self.opts = driver, opts
        self.results = Results(driver)
        self.left = [c for c in cards if c not in self.results.rows]
        if HEALTHY not in self.results.rows and self.left:
            self.left.insert(0, HEALTHY)
        self.total, self.boots = len(self.left), 0

    def run(self):
        print(f"{self.driver}: {self.total} cards to try, {len(self.results.rows)} done", flush=True)
        while self.left:
            before = len(self.left)
            self.boot()
            if len(self.left) == before:
                raise WalkError(f"{self.driver}: the guests did not come up, see {self.out}")

    def boot(self):
        """Boot, and try cards until the guests have to be booted again."""
        self.out = os.path.join(OUT, f"vm-{self.driver}-{self.boots}")
        self.boots += 1
        os.makedirs(self.out, exist_ok=True)
        with open(os.path.join(self.out, "list"), "w", encoding="utf-8") as f:
            f.writelines(f"{name} {value}\n" for name, value in self.left)
        limit = CARD_SECONDS * process.patience(self.opts.kernel)
        words = ["scripts/vm", "--kernel", self.opts.kernel, "--driver", self.driver, "--guests", "2", "--card", self.opts.card,
                 "--timeout", str(BOOT_SECONDS + limit * len(self.left)), "--out", self.out, "--", "selftests/lib/caps-walk", "/out/list"]
        proc = subprocess.Popen(words, cwd=REPO, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                preexec_fn=lambda: process.die_with_parent(signal.SIGTERM))
        try:
            self.follow(proc, limit)
        finally:
            if proc.poll() is None:
                proc.terminate()
            proc.wait()

    def follow(self, proc, limit):
        """Process the output of the guests, card by card."""
        lines, end = None, time.monotonic() + BOOT_SECONDS
        for text in process.lines_of(proc, os.path.join(self.out, "said.txt"), lambda: end):
            if text.startswith("# cap: "):
                lines, end = [], time.monotonic() + limit
            elif text.startswith("# end of cap: ") and lines is not None:
                self.judge(lines)
                lines, end = None, time.monotonic() + BOOT_SECONDS
            elif lines is not None:
                lines.append(text)
        if lines is not None:
            self.add("!the guest hangs" if time.monotonic() >= end else "!the guest crashes", [self.crash()], [])

    def crash(self):
        """The first line of the console that tells of it."""
        try:
            with open(os.path.join(self.out, "console-a.txt"), encoding="utf-8", errors="replace") as f:
                found = re.search(r"(WARNING:|BUG:|Oops|Kernel panic|Internal error).*", f.read())
        except OSError:
            found = None
        return found[0] if found else ""

    def judge(self, lines):
        def after(head):
            return [line[len(head):] for line in lines if line.startswith(head)]

        works = after("# works:")
        self.add(works[0].strip() if works else "!the walk fails here: " + (lines or [""])[-1], after("# log: "), after("# device: "))

    def add(self, works, log, device):
        name, value = self.left.pop(0)
        log = [NAMES.sub("", LOG_HEAD.sub("", line), count=1) for line in log]
        row = Result(name, value, works, " | ".join(dict.fromkeys(log)), " | ".join(dict.fromkeys(device)))
        if (name, value) == HEALTHY and works != ALL:
            raise WalkError(f"{self.driver}: the healthy card does '{works}', not '{ALL}', see {self.out}/said.txt")
        self.results.add(row)
        print(f"{self.driver} {self.total - len(self.left)}/{self.total} {name} {value}: {self.results.line(row)}", flush=True)


# ---- the table -----------------------------------------------------------------------------------

HEAD = """# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# What the drivers do on a ConnectX-5 that lacks a capability; written by scripts/caps-walk --table, kernel {kernel}. Columns,
# separated by tabs: capability, its value, the in-tree driver, cxr, what the device refused to the in-tree driver, and to cxr.
#
"""


def write_table(opts, cards):
    both = [Results("mlx5"), Results("cxr")]
    rows = [c for c in cards if all(c in r.rows for r in both)]
    if not rows:
        raise WalkError("no card was tried with both drivers")
    with open(TABLE, "w", encoding="utf-8") as f:
        f.write(HEAD.format(kernel=opts.kernel))
        for card in rows:
            said = [r.verdict(r.rows[card]) for r in both] + [first(r.rows[card].device) for r in both]
            f.write("\t".join([*card, *said]).rstrip("\t") + "\n")
    print(f"{os.path.relpath(TABLE, REPO)}: {len(rows)} of {len(cards)} cards")


def parse_args(argv):
    p = argparse.ArgumentParser(prog="scripts/caps-walk", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--driver", default="both", choices=("cxr", "mlx5", "both"))
    p.add_argument("--only", default="", metavar="REGEX", help="only capabilities whose names match, like 'log_max_|roce_cap'")
    p.add_argument("--again", action="store_true", help="also those that have a result")
    p.add_argument("--kernel", default="6.12", choices=KERNELS)
    p.add_argument("--card", default="cx5", help="the card to change (default %(default)s)")
    p.add_argument("--list", action="store_true", help="print the capabilities and values, and try nothing")
    p.add_argument("--table", action="store_true", help=f"try nothing: write the results into {os.path.relpath(TABLE, REPO)}")
    return p.parse_args(argv)


def forget(drivers, cards):
    for driver in drivers:
        results = Results(driver)
        keep = [row for card, row in results.rows.items() if card not in cards]
        with open(results.path, "w", encoding="utf-8") as f:
            f.writelines("\t".join(row) + "\n" for row in keep)


def main(argv):
    opts = parse_args(argv)
    os.makedirs(OUT, exist_ok=True)
    drivers = ("mlx5", "cxr") if opts.driver == "both" else (opts.driver,)
    process.die_with_parent(signal.SIGTERM)
    try:
        cards = [c for c in all_cards(opts.card) if re.search(opts.only, c[0])]
        if not cards:
            raise WalkError(f"--only {opts.only}: no capability of {opts.card} matches")
        if opts.list:
            print("\n".join(" ".join(c) for c in cards))
        elif opts.table:
            write_table(opts, cards)
        else:
            if opts.again:
                forget(drivers, [*cards, HEALTHY])
            for driver in drivers:
                Walk(driver, opts, cards).run()
    except (WalkError, OSError, subprocess.CalledProcessError, re.error) as e:
        sys.exit(f"caps-walk: {e}")
    except KeyboardInterrupt:
        sys.exit("caps-walk: interrupted; start it again to go on")


if __name__ == "__main__":
    main(sys.argv[1:])
