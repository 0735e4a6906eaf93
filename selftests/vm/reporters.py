# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the health reporters tx and rx of devlink tell about queues.

usage: reporters.py HANDLE REPORTER [diagnose|"dump show"]

Prints a line for each queue: its list, and all values with their names, with _ for spaces:

  SQs channel_ix=0 sqn=138 HW_state=1 ... CQ.cqn=1030 ...
"""
import json
import subprocess
import sys


def values(queue, prefix=""):
    for name, value in queue.items():
        if isinstance(value, dict):
            yield from values(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}={value}".replace(" ", "_")


def main():
    handle, reporter, *how = sys.argv[1:]
    said = subprocess.run(["devlink", "-j", "health", *(how[0] if how else "diagnose").split(), handle, "reporter", reporter],
                          capture_output=True, text=True, check=True).stdout
    for name, queues in json.loads(said or "{}").items():
        for queue in queues if isinstance(queues, list) else []:
            print(name.replace(" ", "_"), *values(queue))


if len(sys.argv) < 3:
    sys.exit(__doc__)
main()
