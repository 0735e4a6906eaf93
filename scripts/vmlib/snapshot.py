# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Snapshots of booted guests, saved before the adapter is plugged and before anything specific to a run.

Under TCG a boot takes 20 seconds of a CPU, and is always the same. A snapshot is taken when scripts/guest/init has sent "booted":
the root file system is mounted, the shares are not (QEMU cannot save a guest with a mounted 9p share), and the functions of the
adapter are not present: they are hot-plugged after loading.
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

UNUSED_DAYS = 2


class Maker(Session):
    """Boots a guest and saves it."""

    def booted(self, g):
        g.state = "booted"

    def make(self, guest, path):
        self.guests = [guest]
        self.start_guest(guest, qemu.monitor_at(guest.sock("qmp")))
        self.boot(lambda: guest.state == "booted")
        qemu.Monitor(guest.sock("qmp"), guest.child).save(path)


class Snapshots:
    """The snapshots of a run."""

    def __init__(self, opts, say):
        self.opts, self.say = opts, say
        self.version = subprocess.run([qemu.QEMU, "--version"], capture_output=True, text=True, check=True).stdout

    def of(self, guest):
        """The snapshot file for GUEST, which is created if it does not exist."""
        cmd = self.plain(qemu.machine(guest, self.opts), os.path.dirname(guest.sock("x")), self.opts.out, images.REPO)
        kernel = guest.kernel
        path = images.cached(f"snapshot-{kernel.release}-{images.hash_of(self.version, os.path.getmtime(kernel.image), cmd)}",
                             lambda new: self.make(guest.index, new))
        os.utime(path)
        return path

    @staticmethod
    def plain(cmd, *folders):
        """CMD without the parts that differ between runs, and between clones: their folders are mounted later."""
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
