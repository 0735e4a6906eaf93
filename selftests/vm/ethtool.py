#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: ethtool.py run ID DRIVER NETDEV         leaves with 0 if ethtool answers as recorded in selftests/ethtool/DRIVER.tsv
       ethtool.py words NETDEV                tries options.tsv every option and word that ethtool --help has?
       ethtool.py settle NETDEV               waits until the link is up
       ethtool.py record DRIVER NETDEV FILE [ID...]     writes the answers to FILE; with IDs only these are new
"""
import difflib
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))

import answers

PATIENCE = int(os.environ.get("CXR_PATIENCE", "1"))
LIMIT = 60 * PATIENCE       # seconds for one command
SETTLES = 10 * PATIENCE     # and for the link to be up again

LEFT = "not undone:"        # begins a line on what is left of a setting

# Names and numbers that differ from run to run
MOVING = [(r"\b(?:[0-9a-f]{2}:){39}[0-9a-f]{2}\b", "KEY"), (r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", "MAC"),
          (r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b", "ADDRESS"), (r"^version: .*", "version: KERNEL"),
          (r"^(PTP Hardware Clock|Hardware timestamp provider index): \d+", r"\1: N"),
          (r"^((?:netlink )?(?:error|warning): )(?:cxr_en|cxr_core|mlx5_core): ", r"\1DRIVER: ")]
# Of counters there are the names, of queues and priorities the names of one
COUNTERS = [(r": \d+$", ""), (r"^([rt]x|ch|tx_xdp|rx_xdp|rx_xsk|tx_xsk)\d+_", r"\1N_"), (r"_prio\d_", "_prioN_")]


def joined(lines):
    """Lines of an indirection table that have the same queues are one"""
    found = []
    for line in lines:
        now, was = (re.fullmatch(r"(\d+)(?: to \d+)?: (\d+(?: \d+)*)", text) for text in (line, found[-1] if found else ""))
        if now and was and now[2] == was[2]:
            found[-1] = f"{was[1]} to {now[1]}: {was[2]}"
        else:
            found.append(line)
    return found


class Device:
    def __init__(self, netdev):
        self.netdev = netdev

    def ethtool(self, command):
        """Exit code and output"""
        words = [self.netdev if word == "DEV" else word for word in command.split()]
        done = subprocess.run(["ethtool", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=LIMIT, check=False)
        return done.returncode, done.stdout

    def has_carrier(self):
        try:
            with open(f"/sys/class/net/{self.netdev}/carrier", encoding="ascii") as f:
                return f.read().strip() == "1"
        except OSError:     # the interface is closed
            return False

    def settle(self):
        """A link that changes goes down a moment later, and comes back."""
        end = time.monotonic() + SETTLES
        since = time.monotonic()
        while time.monotonic() < end and time.monotonic() < since + 0.3:
            if not self.has_carrier():
                since = time.monotonic()
            time.sleep(0.05)

    def open(self, up):
        subprocess.run(["ip", "link", "set", self.netdev, "up" if up else "down"], check=True)

    def lines(self, command, text):
        """What of an answer is the same in each run"""
        counters = re.match(r"(-I )?-S |-I |--phy-statistics", command)
        found = []
        for line in text.replace("ethtool -h\n", "").splitlines():
            line = " ".join(line.replace(self.netdev, "DEV").split())
            for pattern, new in MOVING + (COUNTERS if counters else []):
                line = re.sub(pattern, new, line)
            if line not in ("", "For more information run") and not (counters and line in found):
                found.append(line)
        return joined(found)

    def changed(self, shows, before, now):
        return [line for line in difflib.ndiff(self.lines(shows, before), self.lines(shows, now)) if line[0] in "+-"]

    def shown(self, shows):
        """Output of the command that shows a setting"""
        if shows == "DEV":
            self.settle()
        return self.ethtool(shows)[1] if shows != "-" else ""

    def undo_words(self, pattern, before, after):
        """What stands for {PATTERN} in the undo column"""
        if pattern == "modes":
            modes = re.search(r"Supported link modes:(.*?)\n\t[A-Z]", before, re.S)[1].split()
            return " ".join(f"{mode} on" for mode in modes)
        text, pattern = (after, pattern[1:]) if pattern[0] == "+" else (before, pattern)
        found = re.search(pattern + r":\s+(\S+)", text, re.S)
        return found[1] if found else "?"

    def undo(self, option, before, after):
        """Says what is left of a setting"""
        code, said = 0, ""
        if option.undo != "-":
            code, said = self.ethtool(re.sub(r"\{([^{}]+)\}", lambda m: self.undo_words(m[1], before, after), option.undo))
        if option.shows == "-":
            return [f"{LEFT} {option.undo} fails: {line}" for line in said.splitlines()] if code else []
        return [f"{LEFT} {line}" for line in self.changed(option.shows, before, self.shown(option.shows))]

    def setting(self, option):
        before = self.shown(option.shows)
        code, said = self.ethtool(option.command)
        after = self.shown(option.shows)
        return code, [*self.lines(option.command, said), *self.changed(option.shows, before, after), *self.undo(option, before, after)]

    def each_feature(self, option):
        """Switches each feature, and back: what happens to it and others"""
        before = self.shown(option.shows)
        lines = []
        for feature, state in re.findall(r"^\t?([\w-]+): (on|off)$", before, re.M):
            other = "off" if state == "on" else "on"
            code, said = self.ethtool(f"-K DEV {feature} {other}")
            lines.append(f"{feature} {other}: exit code {code}")
            lines += [line for line in self.lines(option.command, said) if line not in ("Actual changes:", f"{feature}: {other}")]
            self.ethtool(f"-K DEV {feature} {state}")
            # names of several features set more than what was set
            for line in self.changed(option.shows, before, self.shown(option.shows)):
                if line[0] == "-":
                    self.ethtool(f"-K DEV {line[2:].replace(':', '')}")
            lines += [f"{LEFT} {line}" for line in self.changed(option.shows, before, self.shown(option.shows))]
        return 0, lines

    def answer(self, option):
        """Exit code and lines"""
        where, _, command = option.command.rpartition(") ")
        option = option._replace(command=command)
        if where == "(each":
            return self.each_feature(option)
        if where == "(closed":
            self.open(False)
        try:
            if option.shows != "-" or option.undo != "-":
                return self.setting(option)
            code, said = self.ethtool(option.command)
            return code, self.lines(option.command, said)
        finally:
            if where:
                self.open(True)
                self.settle()


def run(ident, driver, netdev):
    code, lines = Device(netdev).answer(answers.options()[ident])
    try:
        was_code, was = answers.recorded(driver)[ident]
    except (FileNotFoundError, KeyError):
        was_code, was = "none", []
    left = [line for line in lines if line.startswith(LEFT)]
    if (code, lines) == (was_code, was) and not left:
        return 0
    print(f"ethtool {answers.options()[ident].command}: not the answer that selftests/ethtool/{driver}.tsv has.")
    print(f"exit code recorded: {was_code}, now: {code}; lines recorded (-) and now (+):")
    print("\n".join(list(difflib.unified_diff(was, lines, lineterm="", n=1))[2:]) or "the same")
    if left:
        return 1
    print(f"If the new one is right: selftests/ethtool/record {driver} {ident}; make docs")
    return 1


def words(netdev):
    """The help has a line for each option, and its words in the lines below."""
    text = re.sub(r"\nFLAGS:.*|.*\nUsage:", "", Device(netdev).ethtool("--help")[1], flags=re.S)
    commands = [re.sub(r"^\(\w+\) ", "", option.command).split() for option in answers.options().values()]
    left = {(option, word) for option, left, _ in answers.rows("untried.tsv", 3) for word in left.split()}
    missing, named = [], set()
    for names, below in re.findall(r"ethtool \[ FLAGS \](?: \[ --phy PHY \])? +(\S+ )?DEVNAME(.*(?:\n(?! *ethtool ).*)*)", text):
        names = names.strip().split("|")
        name = min(names, key=len)
        tried = {word for command in commands if set(names) & {*command, ""} for word in command}
        if names != [""] and not tried:
            missing.append(f"{name}: the option")
        below = re.sub(r"^.*\n?|The supported sub commands include", "", below, count=2)
        for word in re.findall(r"(?<![\w%:.-])-{0,2}[a-z][a-z0-9_-]+(?![\w:-]|\.\.)", below):
            if word not in tried and (name, word) not in left and (name, word) not in named:
                missing.append(f"{name}: {word}")
            named.add((name, word))
    for line in missing:
        print(f"ethtool --help has a word that no row of selftests/ethtool/options.tsv has, nor untried.tsv: {line}")
    for option, word in sorted(left - named):
        print(f"untried.tsv has a word that ethtool --help has not: {option}: {word}")
    return bool(missing or left - named)


def settle(netdev):
    Device(netdev).settle()
    return 0


def record(driver, netdev, path, *idents):
    device = Device(netdev)
    was = answers.recorded(driver) if idents else {}
    with open(path, "w", encoding="utf-8") as f:
        answers.write(f, {ident: was[ident] if ident in was and ident not in idents else device.answer(option)
                          for ident, option in answers.options().items()})
    return 0


def main():
    what, *arguments = sys.argv[1:] or [""]
    verbs = {"run": (run, 3, 3), "words": (words, 1, 1), "settle": (settle, 1, 1), "record": (record, 3, 1000)}
    if what in verbs and verbs[what][1] <= len(arguments) <= verbs[what][2]:
        return verbs[what][0](*arguments)
    sys.stderr.write(__doc__)
    return 2


sys.exit(main())
