#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Whether a device has its DMA on when it is first seen as given up: quick enough to see the moment.

usage: dma_when_dead.py STAGE CONFIG SECONDS    the driver's file in debugfs, the function's configuration space in sysfs
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
            return "the device is not given up"
        time.sleep(0.001)
    with open(config, "rb") as f:
        return "it is dead, and its DMA is on" if f.read(6)[4] & BUS_MASTER else 0


sys.exit(main(*sys.argv[1:]))
