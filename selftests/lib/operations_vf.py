# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Operations (operations.py) on the VFs of a function that manages the e-switch of its card. No driver is bound to them here.
"""
import contextlib

from operations import operation, put

VFS = 2


def enable(t, n):
    put(f"{t.pci}/sriov_drivers_autoprobe", 0)
    put(f"{t.pci}/sriov_numvfs", n)


@contextlib.contextmanager
def vfs(t):
    """The name of the interface; inside there are VFs."""
    name = t.netdev()
    enable(t, VFS)
    try:
        yield name
    finally:
        if not (t.fault.deadly and t.fault.struck()):
            enable(t, 0)


@operation("vf.enable", "VFs are enabled")
def vf_enable(t):
    t.netdev()
    with t.here():
        enable(t, VFS)
    enable(t, 0)


@operation("vf.disable", "VFs are disabled")
def vf_disable(t):
    with vfs(t), t.here():
        enable(t, 0)


@operation("vf.settings", "address, VLAN, trust, spoof check and link of a VF change")
def vf_settings(t):
    with vfs(t) as name:
        for setting, back in (("mac 02:00:00:00:77:70", "mac 00:00:00:00:00:00"), ("vlan 77 qos 3", "vlan 0"), ("trust on", "trust off"),
                              ("spoofchk on", "spoofchk off"), ("state disable", "state auto")):
            for words in setting, back:
                t.runs("ip", "link", "set", name, "vf", "1", *words.split())


@operation("vf.again", "what restricts a VF already changes")
def vf_again(t):
    with vfs(t) as name:
        def sets(run, words):
            run("ip", "link", "set", name, "vf", "1", *words.split())
        for first, then, last in (("mac 02:00:00:00:77:71", "mac 02:00:00:00:77:72", "mac 02:00:00:00:77:73"),
                                  ("vlan 77", "vlan 78", "vlan 79 qos 3")):
            sets(t.needs, "spoofchk on")
            sets(t.needs, first)
            sets(t.runs, then)
            sets(t.needs, last)


@operation("vf.statistics", "settings and statistics of VFs are read")
def vf_statistics(t):
    with vfs(t) as name:
        t.runs("ip", "-s", "-d", "link", "show", name)


@operation("vf.open", "the interface of a function with VFs is closed and opened")
def vf_open(t):
    with vfs(t) as name:
        t.needs("ip", "link", "set", name, "down")
        t.runs("ip", "link", "set", name, "up")
        t.needs("ip", "link", "set", name, "up")


@operation("vf.unbind", "the driver of a function with VFs is unbound")
def vf_unbind(t):
    with vfs(t):
        with t.here():
            t.unbind()
        t.netdev()
