# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""
Limits that the system sets to programs that use RDMA devices.

    system.py list
    system.py run ID DEVICE
"""
import ctypes
import errno
import mmap
import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import rows  # noqa: E402
from rows import Skip, row  # noqa: E402
from pyverbs import enums as e  # noqa: E402
from pyverbs.cq import CQ  # noqa: E402
from pyverbs.device import Context  # noqa: E402
from pyverbs.mr import MR  # noqa: E402
from pyverbs.pd import PD  # noqa: E402
from pyverbs.pyverbs_error import PyverbsRDMAError  # noqa: E402

NOBODY = 65534
CGROUPS = "/run/cgroups"
OBJECTS = 12


def refused(number, what, *args):
    try:
        kept = what(*args)
    except PyverbsRDMAError as err:
        assert err.error_code in (number, -number), err
        return
    kept.close()
    raise AssertionError("not refused")


def pinned():
    """Bytes of this process that are pinned for devices, as the kernel counts them"""
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("VmPin"))


@row("memlock", "a program cannot pin more memory than its limit, and can after it has freed some")
def memlock(device):
    """of a user without privileges"""
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (1 << 20, 1 << 20))
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    memory = mmap.mmap(-1, 2 << 20)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    with Context(name=device) as ctx, PD(ctx) as pd:
        before = pinned()
        refused(errno.ENOMEM, MR, pd, 2 << 20, e.IBV_ACCESS_LOCAL_WRITE, address)
        assert pinned() == before, pinned()
        mr = MR(pd, 512 << 10, e.IBV_ACCESS_LOCAL_WRITE, address)
        assert pinned() >= before + (512 << 10), pinned()
        refused(errno.ENOMEM, MR, pd, 600 << 10, e.IBV_ACCESS_LOCAL_WRITE, address + (1 << 20))
        mr.close()
        assert pinned() == before, pinned()
        MR(pd, 600 << 10, e.IBV_ACCESS_LOCAL_WRITE, address + (1 << 20)).close()
    assert pinned() == 0, pinned()


def used(group, device):
    """What the control group counts: {"hca_handle": ..., "hca_object": ...}"""
    with open(group + "/rdma.current", encoding="ascii") as f:
        for line in f:
            name, *counts = line.split()
            if name == device:
                return {what: int(n) for what, n in (count.split("=") for count in counts)}
    return {"hca_handle": 0, "hca_object": 0}


def create_until_refused(ctx):
    made = []
    while len(made) <= OBJECTS:
        try:
            made.append(CQ(ctx, 16))
        except PyverbsRDMAError as err:
            assert err.error_code in (errno.EAGAIN, -errno.EAGAIN), err
            return made
    raise AssertionError(f"{len(made)} CQs, the limit is {OBJECTS} objects")


@row("cgroup", "a control group cannot have more objects than its limit, and can after it has destroyed some")
def cgroup(device):
    """hca_object and hca_handle of the controller rdma"""
    with open(CGROUPS + "/cgroup.controllers", encoding="ascii") as f:
        if "rdma" not in f.read().split():
            raise Skip("this kernel has no control groups for RDMA")
    with open(CGROUPS + "/cgroup.subtree_control", "w", encoding="ascii") as f:
        f.write("+rdma")
    group = CGROUPS + "/limited"
    os.makedirs(group, exist_ok=True)
    with open(group + "/rdma.max", "w", encoding="ascii") as f:
        f.write(f"{device} hca_handle=1 hca_object={OBJECTS}")
    with open(group + "/cgroup.procs", "w", encoding="ascii") as f:
        f.write(str(os.getpid()))
    with Context(name=device) as ctx:
        refused(errno.EAGAIN, lambda: Context(name=device))
        made = create_until_refused(ctx)
        assert used(group, device) == {"hca_handle": 1, "hca_object": OBJECTS}, used(group, device)
        made.pop().close()
        CQ(ctx, 16).close()
        for cq in made:
            cq.close()
    assert used(group, device) == {"hca_handle": 0, "hca_object": 0}, used(group, device)


if __name__ == "__main__":
    sys.exit(rows.main(__doc__, lambda device: (device,)))
