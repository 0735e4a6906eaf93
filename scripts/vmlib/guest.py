# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A guest: its QEMU and the ports through which the runner talks to it."""

import os
import socket
import time

import qemu
from process import Child, patience, tail

LETTERS = "abcd"


class Guest:
    """state: booting, booted, ready, loading, running, stopping, down"""

    def __init__(self, index, opts, run_dir):
        self.index = index
        self.name = LETTERS[index]
        self.out = lambda what: os.path.join(opts.out, f"{what}-{self.name}.txt")
        self.sock = self.sockets = lambda what: os.path.join(run_dir, f"{self.name}-{what}")
        self.state = "booting"
        self.exit_code = None
        self.load_failed = False
        self.stop_failures = None
        self.pending = b""
        self.functions = []
        self.kernel = opts.guest_kernels[index]
        self.soft = bool(opts.soft and index)
        self.driver = "rxe" if self.soft else opts.driver
        self.cables = self._cables(opts.guests)
        self.env = {"GUEST": self.name, "GUESTS": str(opts.guests), "DRIVER": self.driver,
                    "KERNEL": self.kernel.name, "FUNCTIONS": str(opts.functions),
                    "PATIENCE": str(patience(self.kernel.name))}
        if opts.load:
            self.env["LOAD"] = "1"
        self.env.update(opts.env)
        self.listeners = {p: self._listen(self.sock(p)) for p in ("con", "ctl", "out", "emu")}
        self.conns = {}
        self.child = None

    def _cables(self, guests):
        """Management network: one cable from guest a to every other guest."""
        if self.index:
            wire = [(f"stream,server=off,addr.type=unix,addr.path={self.sock('wire')}",
                     f"52:54:00:ce:{self.index:02x}:00")]
            path = os.path.join(os.path.dirname(self.sock("x")), f"cable-{self.index}")
            return [(f"stream,server=off,addr.type=unix,addr.path={path}",
                     f"52:54:00:cc:{self.index:02x}:01")] + (wire if self.soft else [])
        ends = []
        for peer in range(1, guests):
            path = os.path.join(os.path.dirname(self.sock("x")), f"cable-{peer}")
            ends.append((f"stream,server=on,addr.type=unix,addr.path={path}",
                         f"52:54:00:cc:{peer:02x}:00"))
        return ends

    @staticmethod
    def _listen(path):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        s.bind(path)
        s.listen(1)
        return s

    def start(self, opts, more):
        """Start QEMU with the additional arguments MORE."""
        self.child = Child(f"guest {self.name}", qemu.machine(self, opts) + more, self.out("qemu"))

    def begin(self):
        """After the boot: send the settings of this run."""
        self.env["ADAPTER"] = str(len(self.functions))
        self.send(" ".join(["begin", f"{time.time():.2f}"] + [f"{k}={v}" for k, v in self.env.items()]))

    def send(self, word):
        self.conns["ctl"].sendall(word.encode() + b"\n")

    def stop(self):
        if self.state in ("ready", "running", "loading"):
            self.send("stop")
            self.state = "stopping"

    def control(self, data):
        """Process data from the control port; yields the words of each line."""
        self.pending += data
        while b"\n" in self.pending:
            line, self.pending = self.pending.split(b"\n", 1)
            yield line.decode(errors="replace").split()

    def close(self):
        for s in list(self.listeners.values()) + list(self.conns.values()):
            s.close()

    def console_text(self):
        try:
            with open(self.out("console"), encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def panicked(self):
        return "Kernel panic - not syncing" in self.console_text()

    def console_tail(self, lines):
        return tail(self.out("console"), lines)
