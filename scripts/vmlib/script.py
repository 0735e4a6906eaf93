# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The test scripts of selftests/vm: the requirements in their heads, and the ids of their tests."""

import glob
import os
import re
import subprocess

import process
from images import KERNELS, REPO
from results import chosen

FOLDER = os.path.join(REPO, "selftests/vm")
CARD = "cx5"    # of scripts that name none

# Keys in the head of a script: (default, allowed values, meaning)
HEAD = {
    "guests": ("1", "[1-4]", "number of guests"),
    "functions": ("1", "[12]", "functions of each guest; two are the ports of one card, or with card sriov, of guest a, a PF and its VF"),
    "cpus": ("1", "1|2|10", "CPUs of each guest"),
    "card": (CARD, "[a-z0-9]+(,vfs=[1-4](,sriov(,eswitch)?)?|,dcb)?(,devx(,odp=memory)?)?",
             "the card, as named by cxemu; with vfs=N guests a and on have a VF each, the next the PF; with sriov a has a VF, and b "
             "the PF, whose driver enables them; dcb: it has traffic classes; devx: it has user contexts; "
             "odp=memory: page faults that name memory"),
    "administrator": ("", "yes", "the VFs have MACs of the PF's administrator, who trusts them"),
    "numbers": ("", "reuse", "numbers of objects, as cxemu --numbers takes it"),
    "ledger": ("", "yes", "what the driver writes to the device is compared with the in-tree driver (scripts/ledger)"),
    "capture": ("", "no", "frames on the wire are not captured and judged: they are too many"),
    "wire": ("", "rate=[a-z0-9=+:/%,]+", "the wire has a rate; a list of keys, as cxemu --wire switch: takes it"),
    "peers": ("", "soft", "the other guests have Soft-RoCE instead of an adapter"),
    "needs": ("", "packages", "runs after the tests of packages, and uses what they install"),
    "takes": ("60", "[0-9]+", "run time in seconds on an idle machine, used to group scripts into sets"),
    "timeout": ("300", "[0-9]+", "time limit of the script in seconds"),
    "long": ("", "[0-9]+", "the same with LONG=1"),
    "when": ("", "long", "run only with LONG=1"),
    "turn": ("", "yes", "with TURN=K/N it runs only in its turn, one of N (K is taken modulo N)"),
    "kernels": ("", f"(({'|'.join(map(re.escape, KERNELS))}) ?)+", "supported kernels (default: all)"),
    "drivers": ("", "((cxr|mlx5|rxe) ?)+", "supported drivers (default: all)"),
    "windows": ("", "yes|((cxr|mlx5) ?)+", "uses windows (selftests/lib/window.sh): always, or with these drivers"),
}


class HeadError(Exception):
    """An invalid key or value in the head of a script."""


def emulator_args(head):
    """Words for scripts/vm: the options of cxemu that the head of a script asks for."""
    words = [f"--emu-arg=--numbers={head['numbers']}"] if head["numbers"] else []
    words += ["--administrator"] if head["administrator"] else []
    return words + ([f"--emu-arg=--wire=switch:{head['wire']}"] if head["wire"] else [])


def read_head(path):
    """Parse the comments at the top of a script. A line `# word: ...` must be a known key."""
    name = os.path.relpath(path, REPO)
    head = {key: default for key, (default, _, _) in HEAD.items()}
    seen = set()
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if not line.startswith("#"):
                break
            m = re.match(r"# ([a-z]+): *(.*)", line)
            if not m:
                continue
            key, value = m.group(1), m.group(2).strip()
            if key not in HEAD:
                raise HeadError(f"{name}:{number}: unknown key '{key}' (known: {', '.join(HEAD)})")
            if key in seen:
                raise HeadError(f"{name}:{number}: duplicate key '{key}'")
            if not re.fullmatch(HEAD[key][1], value):
                raise HeadError(f"{name}:{number}: '{key}: {value}' does not match {HEAD[key][1]}: {HEAD[key][2]}")
            seen.add(key)
            head[key] = value
    return head


def card_option(card, functions):
    """What --card of scripts/vm is for a script with this card and number of functions."""
    return card + (",ports=2" if functions == "2" and ",sriov" not in card else "")


class Script:
    """A test script and its requirements."""

    def __init__(self, path):
        self.path = os.path.relpath(path, REPO)
        self.name = os.path.basename(path)
        self.head = read_head(path)
        if os.environ.get("CAPTURE") == "no" and not self.head["windows"]:
            self.head["capture"] = "no"
        self.off_card = self.move(os.environ.get("CARD", ""))
        self.found = None
        self.waits = False      # for its turn

    def move(self, card):
        """Put it on CARD, cx6, or its VFs, cx6-vf, or with user contexts, cx6-devx, unless it names a model itself.

        Returns why it cannot be there, or None.
        """
        if not card:
            return None
        model, _, vfs = self.head["card"].partition(",")
        if model != CARD:
            return f"is for card {model}"
        if card.endswith("-devx") and "devx" not in vfs:
            vfs += ",devx" if vfs else "devx"
        if card.endswith("-vf"):
            if self.head["functions"] != "1":
                return "is for cards with two ports"
            self.head["administrator"] = self.head["administrator"] if vfs else "yes"
            vfs = vfs or f"vfs={1 if self.head['peers'] == 'soft' else self.head['guests']}"
        self.head["card"] = card.partition("-")[0] + (f",{vfs}" if vfs else "")
        return None

    def ids(self):
        """{id: sentence} of its tests, as listed by the script."""
        if self.found is None:
            done = subprocess.run(["bash", self.path], cwd=REPO, env={**os.environ, "CXR_LIST": "1", "CXR_DRIVER": "none"},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
            if done.returncode:
                raise HeadError(f"{self.path} does not list its tests:\n{done.stderr}")
            self.found = dict(line.split("\t", 1) for line in done.stdout.splitlines())
        return self.found

    def wanted(self, globs):
        """Its ids that match the globs."""
        if globs and not any(re.match(r"[*?\[]", g) or g.partition(".")[0] == self.name[:-3] or
                             re.search(r"[*?\[]", g.partition(".")[0]) for g in globs):
            return []
        return [i for i in self.ids() if chosen(i, globs)]

    def unfit(self, kernel, driver):
        """Why it cannot run there, or None."""
        if self.head["kernels"] and kernel not in self.head["kernels"].split():
            return f"is for kernel {self.head['kernels']}"
        if self.head["drivers"] and driver not in self.head["drivers"].split():
            return f"is for driver {self.head['drivers']}"
        if self.off_card or self.waits:
            return self.off_card or f"waits for its turn, which is not TURN={os.environ['TURN']}"
        if self.head["when"] and not os.environ["LONG"]:
            return "takes LONG=1"
        if driver == "rxe" and (self.head["guests"] != "1" or self.head["peers"]):
            return "is for guests on the adapters' wire"
        return None

    def says_frames(self, driver):
        """Does the script put windows into the capture?"""
        return self.head["windows"] == "yes" or driver in self.head["windows"].split()

    def takes(self):
        return int(self.head["takes"])

    def seconds(self, kernel):
        limit = self.head["long"] if os.environ["LONG"] and self.head["long"] else self.head["timeout"]
        return int(limit) * process.patience(kernel)


def take_turns(scripts, turn):
    """Have those wait whose turn it is not. The N turns of TURN, K/N, take about equally long; the scripts of the ledger have one turn."""
    number, turns = map(int, turn.split("/"))
    takers = [s for s in scripts if s.head["turn"]]
    groups = [[s] for s in takers if not s.head["ledger"]] + [[s for s in takers if s.head["ledger"]]]
    takes = [0] * turns
    for length, group in sorted(((sum(s.takes() for s in g), g) for g in groups), key=lambda g: (-g[0], [s.name for s in g[1]])):
        its = takes.index(min(takes))
        takes[its] += length
        for s in group:
            s.waits = its != number % turns


def all_scripts():
    return [Script(p) for p in sorted(glob.glob(os.path.join(FOLDER, "*.sh")))]
