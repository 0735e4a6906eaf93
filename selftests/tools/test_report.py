#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: test_report.py

Tests of scripts/cxr-report: what it replaces. Output is KTAP. The report itself is made in a guest (tools.cxr-report).
"""

import functools
import sys

from sentences import load_tool, run

sys.dont_write_bytecode = True

Mask = load_tool("cxr-report").Mask

# What is replaced: sentence, text, result. Each begins with nothing replaced yet.
REPLACED = [
    ("a MAC keeps its vendor", "b8:59:9f:03:aa:bb", "b8:59:9f:00:00:01"),
    ("the same MAC becomes the same, another becomes another", "b8:59:9f:03:aa:bb b8:59:9f:03:aa:bc B8-59-9F-03-AA-BB",
     "b8:59:9f:00:00:01 b8:59:9f:00:00:02 B8-59-9F-00-00-01"),
    ("a link-local GID still fits its MAC", "b8:59:9f:03:aa:bb fe80:0000:0000:0000:ba59:9fff:fe03:aabb fe80::ba59:9fff:fe03:aabb",
     "b8:59:9f:00:00:01 fe80:0000:0000:0000:ba59:9fff:fe00:0001 fe80::ba59:9fff:fe00:1"),
    ("a GUID still fits its MAC", "b8:59:9f:03:aa:bb node_guid: b859:9f03:0003:aabb", "b8:59:9f:00:00:01 node_guid: b859:9f03:0000:0001"),
    ("a GID with an IPv4 address still fits it", "192.168.10.1/24 0000:0000:0000:0000:0000:ffff:c0a8:0a01",
     "192.0.2.1/24 0000:0000:0000:0000:0000:ffff:c000:0201"),
    ("a global IPv6 address", "2a02:8071::5", "2001:db8::1"),
    ("a serial number of the product data", "[SN] Serial number: MT1234X", "[SN] Serial number: (removed)"),
    ("a serial number of PCI Express", "Device Serial Number b8-59-9f-03-00-aa-bb-cc", "Device Serial Number (removed)"),
    ("a serial number of devlink", "  serial_number MT1", "  serial_number (removed)"),
    ("the host name", "node7 kernel: node7: up", "host kernel: host: up"),
    ("a PCI address, a version and a time stay", "0000:01:00.0 16.35.4030 6.12.117-1 12:30:45",
     "0000:01:00.0 16.35.4030 6.12.117-1 12:30:45"),
    ("loopback, multicast and broadcast stay", "127.0.0.1 224.0.0.1 ff02::1 ::1 ff:ff:ff:ff:ff:ff",
     "127.0.0.1 224.0.0.1 ff02::1 ::1 ff:ff:ff:ff:ff:ff"),
    ("longer names that begin with the host's stay", "node70 node7-eth", "node70 node7-eth"),
]


def check(text, result):
    got = Mask("node7").text(text)
    assert got == result, f"'{text}' became '{got}', not '{result}'"


if __name__ == "__main__":
    sys.exit(run([(sentence, functools.partial(check, text, result)) for sentence, text, result in REPLACED]))
