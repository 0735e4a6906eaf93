#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Checks that bus mastering is off when the device is first seen as dead.

usage: dma_when_dead.py STAGE CONFIG SECONDS    STAGE: the driver's debugfs file; CONFIG: the PCI configuration space in sysfs
"""
import sys
import time

BUS_MASTER = 4


def main(stage, config, seconds):
    end = time.monotonic() + int(seconds)
    while True:
        with open(stage, encoding="ascii") as f:
            if "dead" in f.read():
                break
        if time.monotonic() > end:
            return "the device does not become dead"
        time.sleep(0.001)
    with open(config, "rb") as f:
        return "the device is dead, but bus mastering is on" if f.read(6)[4] & BUS_MASTER else 0



sys.exit(main(*sys.argv[1:]))
