# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
The kernel's log, for programs that make things fail which the kernel then complains of: they judge it themselves, and have the tests'
own check begin after it.
"""
import os
import re

MARK = b"cxr-test: "     # the log begins anew (agent)
# What the kernel prints of an allocation that was made to fail; it ends with the stack
INJECTED = re.compile(r"FAULT_INJECTION: forcing a failure|vmalloc error: |page allocation failure")
# Warnings of the kernel that are its own, by the function that warns and one that has called it
ITS_OWN = {
    ("remove_proc_entry", "unregister_irq_proc"),       # of a file in /proc/irq that there was no memory for
}
FRAME = re.compile(r"^ *([\w.]+\+0x\w+)/0x\w+ \[(cxr_\w+)\]")
# KTAP_BAD of ktap.sh
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ktap.sh"), encoding="ascii") as ktap:
    BAD = re.compile("".join(m.strip("\"'").replace("$KTAP_BAD", "") for m in re.findall(r"^KTAP_BAD=(.*)$", ktap.read(), re.M)))
LOST = "messages of the kernel were lost"


def its_own(report):
    text = "\n".join(report)
    return any(f" {warns}+0x" in report[0] and f" {caller}+0x" in text for warns, caller in ITS_OWN)


class KernelLog:
    """From now on"""

    def __init__(self):
        self.fd = os.open("/dev/kmsg", os.O_RDWR | os.O_NONBLOCK)
        os.lseek(self.fd, 0, os.SEEK_END)

    def record(self):
        """The next one, or None"""
        try:
            return os.read(self.fd, 8192)
        except BlockingIOError:
            return None
        except BrokenPipeError:
            return b";" + LOST.encode()

    def lines(self):
        return [record.partition(b";")[2].split(b"\n", 1)[0].decode(errors="replace") for record in iter(self.record, None)]

    def judge(self, allowed=None):
        """
        Functions of the driver on the stack of an allocation that was made to fail, and lines that tell of anything else. Lines that
        match @allowed follow from the fault.
        """
        place, bad, report = [], [], []
        for line in self.lines():
            if report:
                report.append(line)
                if "</TASK>" not in line:
                    continue
                if INJECTED.search(report[0]):
                    place += [m[1] for m in map(FRAME.match, report) if m]
                elif not its_own(report):
                    bad += report
                report = []
            elif INJECTED.search(line) or "WARNING:" in line or "Call Trace" in line:
                report = [line]     # up to the end of the stack
            elif BAD.search(line) and not (allowed and re.search(allowed, line)):
                bad.append(line)
        return tuple(place), bad + report

    def check(self, fault, allowed=None):
        """As judge(): the place. Other lines are printed, and a failure."""
        place, bad = self.judge(allowed)
        print("".join(f"# {line}\n" for line in bad[:40]), end="")
        assert not bad, f"{fault}, at {' '.join(place) or 'no place'}: the kernel complains"
        return place

    def forget(self):
        os.write(self.fd, MARK + b"faults\n")
