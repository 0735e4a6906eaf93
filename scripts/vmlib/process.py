# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Child processes that do not outlive the runner."""

import ctypes
import os
import select
import signal
import subprocess
import time

from images import BUILT

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(sig=signal.SIGKILL):
    """Ask the kernel to send SIG to this process when its parent ends."""
    _libc.prctl(PR_SET_PDEATHSIG, int(sig), 0, 0, 0)


def ended(proc):
    """Wait for a Popen object; returns its exit code, and the CPU seconds of it and of all that it waited for."""
    _, status, usage = os.wait4(proc.pid, 0)
    proc.returncode = os.waitstatus_to_exitcode(status)
    return proc.returncode, usage.ru_utime + usage.ru_stime


def patience(kernel):
    """Factor for time limits on the kernels with checkers and on a loaded machine."""
    crowd = os.getloadavg()[0] / (2 * os.cpu_count())
    return (6 if kernel in BUILT else 1) * max(1, min(4, round(crowd)))


class Child:
    """A process in its own session, with its output in a log file."""

    def __init__(self, name, argv, log, env=None):
        self.name = name
        self.log = log
        runner = os.getpid()

        def prepare():
            die_with_parent()
            if os.getppid() != runner:
                os._exit(1)

        with open(log, "wb") as out:
            self.proc = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                         start_new_session=True, preexec_fn=prepare, env=env)
        self.pidfd = os.pidfd_open(self.proc.pid)

    def status(self):
        """None while it runs, else a description of how it ended."""
        rc = self.proc.poll()
        if rc is None:
            return None
        if rc < 0:
            return f"killed by {signal.Signals(-rc).name}"
        return f"exit status {rc}"

    def wait(self, seconds):
        try:
            return self.proc.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self, patience=5.0):
        """Terminate it, then kill it."""
        if self.proc.poll() is None:
            self.proc.terminate()
            if self.wait(patience) is None:
                self.kill()
        return self.proc.returncode

    def kill(self):
        if self.proc.poll() is None:
            try:
                os.killpg(self.proc.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.proc.wait()

    def tail(self, lines=20):
        return tail(self.log, lines)


def last_lines(path, lines):
    """The last lines of a text file that are not empty."""
    try:
        with open(path, "rb") as f:
            f.seek(0, os.SEEK_END)
            f.seek(max(0, f.tell() - 16384))
            text = f.read().decode(errors="replace")
    except OSError:
        return []
    return [r.rstrip("\r") for r in text.split("\n") if r.strip()][-lines:]


def tail(path, lines=20):
    """The last lines of a text file, indented for a terminal."""
    return "\n".join("    | " + r for r in last_lines(path, lines))


def wait_for_path(path, child, seconds):
    """Wait until PATH exists; returns False if the child ended or on timeout."""
    end = time.monotonic() + seconds
    while not os.path.exists(path):
        if child.status() is not None or time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def lines_of(proc, log, end):
    """Lines that a process prints, as they come, until it ends or the time end() is reached. Everything is also written to the file LOG."""
    pending = b""
    with open(log, "wb") as f:
        while select.select([proc.stdout], [], [], max(0, end() - time.monotonic()))[0]:
            data = os.read(proc.stdout.fileno(), 65536)
            if not data:
                return
            f.write(data)
            f.flush()
            *whole, pending = (pending + data).split(b"\n")
            yield from (line.decode(errors="replace").rstrip("\r") for line in whole)
