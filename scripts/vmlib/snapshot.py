# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Guests that have booted already: saved before the adapter is plugged and before anything of a run is known to them.

Under TCG a boot is a third of a minute of one CPU, and the same each time. A snapshot holds the guest where scripts/guest/init has
said "booted": the root file system is mounted, the shares are not (QEMU refuses to save a guest that has one mounted), and no
function of the adapter is there: they are plugged when the guest runs again.
"""

import copy
import os
import subprocess
import tempfile
import time

import images
import qemu
from guest import Guest
from session import Session

UNUSED_DAYS = 7


class Maker(Session):
    """Boots one guest and saves it; see class Session for what it serves meanwhile."""

    def booted(self, g):
        g.state = "booted"

    def make(self, guest, path):
        self.guests = [guest]
        self.start_guest(guest, qemu.monitor_at(guest.sock("qmp")))
        self.boot(lambda: guest.state == "booted")
        qemu.Monitor(guest.sock("qmp"), guest.child).save(path)


class Snapshots:
    """Of the guests of a run."""

    def __init__(self, opts, say):
        self.opts, self.say = opts, say
        self.version = subprocess.run([qemu.QEMU, "--version"], capture_output=True, text=True, check=True).stdout

    def of(self, guest):
        """The file of one that is like GUEST; it is made if there is none."""
        cmd = self.plain(qemu.machine(guest, self.opts), os.path.dirname(guest.sock("x")), self.opts.out)
        kernel = guest.kernel
        path = images.cached(f"snapshot-{kernel.release}-{images.hash_of(self.version, os.path.getmtime(kernel.image), cmd)}",
                             lambda new: self.make(guest.index, new))
        os.utime(path)
        return path

    @staticmethod
    def plain(cmd, *folders):
        """CMD without what differs from run to run."""
        for folder in folders:
            cmd = [word.replace(folder, "") for word in cmd]
        return cmd

    def make(self, index, path):
        self.say(f"booting a guest {'abcd'[index]} to start from (once)")
        self.forget_unused()
        with tempfile.TemporaryDirectory(prefix=f"cxr-vm-{os.getpid()}-", dir="/tmp") as run_dir:
            opts = copy.copy(self.opts)
            opts.out = run_dir
            guest = Guest(index, opts, run_dir)
            guest.cables = [(f"hubport,hubid={n}", mac) for n, (_, mac) in enumerate(guest.cables)]
            maker = Maker(opts, run_dir, self.say)
            try:
                maker.make(guest, path)
            finally:
                maker.tear_down()

    @staticmethod
    def forget_unused():
        for name in os.listdir(images.IMAGES):
            path = os.path.join(images.IMAGES, name)
            if name.startswith("snapshot-") and time.time() - os.path.getmtime(path) > UNUSED_DAYS * 86400:
                os.unlink(path)
