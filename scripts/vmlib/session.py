# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A run: the emulator, the guests, and the event loop."""

import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import termios
import time
import tty

import qemu
from guest import Guest
from process import Child, patience, wait_for_path

BOOT_SECONDS = 120
STOP_SECONDS = 60
CONSOLE_ESCAPE = b"\x1d"


def on_a_line(text):
    """TEXT as printf's %b takes it: a guest's shell decodes that itself"""
    return b"".join(b"%c" % c if 32 <= c < 127 and c != 92 else b"\\0%03o" % c for c in text)


class VmError(Exception):
    """Ends the run with a message and an exit code."""

    def __init__(self, text, code=125):
        super().__init__(text)
        self.code = code


class Session:
    def __init__(self, opts, run_dir, say, snapshot_of=lambda guest: None):
        """SNAPSHOT_OF: returns the snapshot to start a guest from, or None to boot it"""
        self.opts = opts
        self.snapshot_of = snapshot_of
        self.run_dir = run_dir
        self.say = say
        self.sel = selectors.DefaultSelector()
        self.emulator = None
        self.guests = []
        self.log = open(os.path.join(opts.out, "output.txt"), "wb")
        self.tty_state = None
        self.problems = []

    def patience(self):
        return max(patience(g.kernel.name) for g in self.guests)

    # --- start ---------------------------------------------------------------

    def functions(self):
        """The functions in the order of cxemu's options: (name, guest, or None if nobody has it). With vfs=N the first N guests
        have a VF each, and the next one, if there is one, has their PF; with sriov the first one has a VF and the second one the PF,
        and others have PFs of cards of their own. With two functions the first guest has both PF and VF."""
        guests = [g for g in self.guests if not g.soft]
        vfs = re.search(r",vfs=(\d+)", self.opts.card)
        if not vfs:
            return [(g.name if self.opts.functions == 1 else f"{g.name}{i}", g) for g in guests for i in range(self.opts.functions)]
        n = int(vfs[1])
        owned = [(g.name, g) for g in guests]
        nobody = [(f"vf{i}", None) for i in range(n * len(guests))]
        if ",sriov" in self.opts.card and self.opts.functions == 2:
            own_cards = [f for i, pf in enumerate(owned[1:], 1) for f in [pf] + nobody[n * i:n * (i + 1)]]
            return [(f"{guests[0].name}{i}", guests[0]) for i in range(2)] + nobody[1:n] + own_cards
        if ",sriov" in self.opts.card:
            own_cards = [f for i, pf in enumerate(owned[2:], 1) for f in [pf] + nobody[n * i:n * (i + 1)]]
            return owned[1:2] + owned[:1] + nobody[1:n] + own_cards
        return (owned[n:n + 1] or [("pf", None)]) + (owned[:n] + nobody[len(owned):]) + owned[n + 1:]

    def start_emulator(self):
        """Start cxemu with a function socket per guest and function."""
        opts = self.opts
        self.control = os.path.join(self.run_dir, "control")
        cmd = [opts.emulator, "--card", opts.card, "--control", self.control]
        for g in self.guests:
            if g.soft:
                cmd += ["--wire", f"unix:{g.sock('wire')}"]
        for name, g in self.functions():
            path = os.path.join(self.run_dir, f"fn-{name}")
            cmd += ["--vm", f"{name}={path}"]
            if g:
                g.functions.append(path)
        if opts.pcap:
            cmd += ["--pcap", opts.pcap]
        cmd += opts.emu_arg
        self.emulator = Child("the emulator", cmd, os.path.join(opts.out, "emulator.txt"))
        wires = [g.sock("wire") for g in self.guests if g.soft]
        for path in [self.control] + wires + [f for g in self.guests for f in g.functions]:
            if not wait_for_path(path, self.emulator, 10):
                self.check_emulator()
                raise VmError(f"the emulator did not make its socket {path}\n{self.emulator.tail()}")

        if opts.administrator:
            self.administer()

    def administer(self):
        """What the administrator of a PF does for its VFs."""
        ctl = os.path.join(os.path.dirname(self.opts.emulator), "cxctl")
        n = int(re.search(r",vfs=(\d+)", self.opts.card)[1])
        for i, (name, _) in enumerate(self.functions()[1:n + 1]):
            for setting in (["mac", f"02:76:66:00:00:{i:02x}"], ["trust", "on"]):
                done = subprocess.run([ctl, self.control, "vf", name] + setting, stdin=subprocess.DEVNULL, capture_output=True,
                                      text=True, timeout=10, check=False)
                if done.returncode:
                    raise VmError(f"the emulator does not set vf {name} {' '.join(setting)}: {done.stdout}{done.stderr}")

    def start_guest(self, g, more):
        g.start(self.opts, more)
        self.sel.register(g.child.pidfd, selectors.EVENT_READ, (self.guest_ended, g))
        for port, s in g.listeners.items():
            s.settimeout(20)
            self.accept(g, port, s)

    def start_guests(self, snapshots):
        for g, path in zip(self.guests, snapshots):
            if path:
                self.start_guest(g, qemu.monitor_at(g.sock("qmp")) + ["-incoming", "defer"])
            else:
                self.start_guest(g, [w for f in qemu.functions(g) for w in ("-device", json.dumps(f))])
            # guest a listens on the management cables of the others
            if g.index == 0 and self.opts.guests > 1:
                for peer in range(1, self.opts.guests):
                    if not wait_for_path(os.path.join(self.run_dir, f"cable-{peer}"), g.child, 20):
                        raise VmError(f"guest a did not start\n{g.child.tail()}")

    def wake(self, g, path):
        """Load the snapshot of a guest, and hot-plug the adapter's functions."""
        monitor = qemu.Monitor(g.sock("qmp"), g.child)
        monitor.load(path)
        for f in qemu.functions(g):
            monitor.command("device_add", **f)
        monitor.close()
        self.booted(g)

    def accept(self, g, port, listener):
        """Accept QEMU's connection to a port, which it opens on start."""
        end = time.monotonic() + 20
        listener.settimeout(0.1)
        while True:
            try:
                conn, _ = listener.accept()
                break
            except TimeoutError:
                if g.child.status() or time.monotonic() > end:
                    self.check_emulator()
                    raise VmError(f"QEMU of guest {g.name} did not start "
                                  f"({g.child.status() or 'no answer'})\n{g.child.tail()}") from None
        conn.setblocking(True)
        g.conns[port] = conn
        self.sel.register(conn, selectors.EVENT_READ, (getattr(self, f"on_{port}"), g))

    # --- the loop ------------------------------------------------------------

    def run(self):
        """Boot, run the command, shut down; returns the exit code."""
        opts = self.opts
        self.guests = [Guest(i, opts, self.run_dir) for i in range(opts.guests)]
        snapshots = [self.snapshot_of(g) for g in self.guests]
        if opts.sockets:
            for g in self.guests:
                g.functions = opts.sockets[g.name]
        elif opts.uses_adapter:
            self.start_emulator()
            self.sel.register(self.emulator.pidfd, selectors.EVENT_READ, (self.emulator_ended, None))
        t0 = time.monotonic()
        self.start_guests(snapshots)
        for g, path in zip(self.guests, snapshots):
            if path:
                self.wake(g, path)
        self.boot(lambda: all(g.state == "ready" for g in self.guests))
        self.boot_seconds = time.monotonic() - t0
        self.say(f"{opts.guests} guest{'s' * (opts.guests > 1)} up in {self.boot_seconds:.1f} s "
                 f"({opts.kernel.release}, {opts.accel}, driver {opts.driver}"
                 f"{', peers: Soft-RoCE' if opts.soft else ''})")
        if opts.load:
            self.load_driver()
        a = self.guests[0]
        a.state = "running"
        if opts.shell:
            self.attach_terminal(a)
        a.send("shell" if opts.shell else "run")
        limit = None if opts.shell else opts.timeout
        self.loop(lambda: a.exit_code is not None, limit, "command")
        self.detach_terminal()
        self.shut_down()
        return a.exit_code or (125 if self.problems else 0)

    def boot(self, done):
        self.loop(done, BOOT_SECONDS * self.patience(), "boot")

    def load_driver(self):
        for g in self.guests:
            g.state = "loading"
            g.send("load")
        self.loop(lambda: all(g.state == "ready" for g in self.guests), BOOT_SECONDS * self.patience(),
                  "driver load")
        failed = [g.name for g in self.guests if g.load_failed]
        if failed:
            texts = []
            for name in failed:
                with open(os.path.join(self.opts.out, f"load-{name}.txt"), encoding="utf-8",
                          errors="replace") as f:
                    texts.append(f.read()[-2000:])
            raise VmError(f"the driver did not load in guest {', '.join(failed)}\n" + "\n".join(texts))

    def loop(self, done, seconds, what):
        """Handle events until done() or a timeout."""
        end = None if seconds is None else time.monotonic() + seconds
        while not done():
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                self.give_up(what, seconds)
            for key, _ in self.sel.select(left):
                handler, g = key.data
                handler(g)

    def give_up(self, what, seconds):
        text = f"timeout: the {what} took more than {seconds:.0f} s"
        for g in self.guests:
            if g.state not in ("down",):
                text += f"\nguest {g.name} ({g.state}), last lines of its console:\n{g.console_tail(8)}"
        raise VmError(text, 124)

    def read(self, g, port):
        try:
            data = g.conns[port].recv(65536)
        except OSError:
            data = b""
        if not data:
            self.sel.unregister(g.conns[port])
        return data

    def on_ctl(self, g):
        for words in g.control(self.read(g, "ctl")):
            if words[:1] == ["booted"]:
                self.booted(g)
            elif words[:1] == ["ready"]:
                g.state = "ready"
            elif words[:1] == ["loaded"] and len(words) == 2:
                g.load_failed = words[1] != "0"
                g.state = "ready"
            elif words[:1] == ["exit"] and len(words) == 2:
                self.drain_output(g)
                g.exit_code = int(words[1])
                g.state = "ready"
            elif words[:1] == ["stopped"] and len(words) == 2:
                g.stop_failures = int(words[1])

    def booted(self, g):
        g.state = "booted"
        g.begin()

    def drain_output(self, g):
        """The exit code may arrive before the last output: read the rest."""
        conn = g.conns["out"]
        conn.settimeout(0.3)
        try:
            while True:
                data = conn.recv(65536)
                if not data:
                    break
                self.emit(data)
        except OSError:
            pass
        conn.settimeout(None)

    def on_out(self, g):
        self.emit(self.read(g, "out"))

    def emit(self, data):
        self.log.write(data)
        self.log.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def on_con(self, g):
        data = self.read(g, "con")
        if self.tty_state and g.index == 0:
            os.write(sys.stdout.fileno(), data)

    def boot_files(self):
        """Copy kernel and initramfs of the guests to the output folder, for kexec."""
        kernel = self.opts.kernel
        for what in ("image", "initrd"):
            shutil.copyfile(getattr(kernel, what), os.path.join(self.opts.out, f"boot.{what}"))
        return 0, b""

    def on_emu(self, g):
        """A command of a guest for the emulator's control socket, or for the runner."""
        request = self.read(g, "emu")
        if not request:
            return
        if request.strip() == b"boot-files":
            rc, text = self.boot_files()
        elif not self.emulator:
            rc, text = 1, b"there is no emulator in this run\n"
        else:
            words = request.decode(errors="replace").split()
            ctl = os.path.join(os.path.dirname(self.opts.emulator), "cxctl")
            try:
                done = subprocess.run([ctl, self.control] + words, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      timeout=10, check=False)
                rc, text = done.returncode, done.stdout
            except (OSError, subprocess.TimeoutExpired) as e:
                rc, text = 1, f"{e}\n".encode()
        g.conns["emu"].sendall(b"%d %s\n" % (rc, on_a_line(text)))

    # --- a terminal on the console -------------------------------------------

    def attach_terminal(self, g):
        self.say("a shell in guest a; ^] ends the run, so does leaving the shell")
        if sys.stdin.isatty():
            self.tty_state = termios.tcgetattr(sys.stdin)
            tty.setraw(sys.stdin)
        else:
            self.tty_state = [None]
        self.sel.register(sys.stdin, selectors.EVENT_READ, (self.on_stdin, g))

    def on_stdin(self, g):
        data = os.read(sys.stdin.fileno(), 4096)
        if not data:
            self.sel.unregister(sys.stdin)
        elif CONSOLE_ESCAPE in data:
            g.exit_code = 0
        else:
            g.conns["con"].sendall(data)

    def detach_terminal(self):
        if self.tty_state and self.tty_state != [None]:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.tty_state)
        self.tty_state = None

    # --- end -----------------------------------------------------------------

    def guest_ended(self, g):
        self.sel.unregister(g.child.pidfd)
        was, g.state = g.state, "down"
        if was == "stopping" and not g.panicked():
            while g.stop_failures is None and g.conns["ctl"] in self.sel.get_map():
                self.on_ctl(g)      # it may have been said at last
            return
        self.check_emulator()
        if g.panicked():
            why = "its kernel panicked"
        else:
            why = f"its QEMU ended ({g.child.wait(1) is None or g.child.status()}) while {was}\n{g.child.tail()}"
        raise VmError(f"guest {g.name}: {why}; last lines of its console:\n{g.console_tail(40)}")

    def check_emulator(self):
        if self.emulator and self.emulator.status() is not None:
            raise VmError(f"the emulator ended unexpectedly ({self.emulator.status()}); "
                          f"its last lines:\n{self.emulator.tail()}")

    def emulator_ended(self, _):
        self.emulator.wait(1)
        self.check_emulator()

    def shut_down(self):
        """Stop the guests, then the emulator; collect problems."""
        for g in self.guests:
            g.stop()
        self.loop(lambda: all(g.state == "down" for g in self.guests),
                  STOP_SECONDS * self.patience(), "shutdown")
        for g in self.guests:
            if g.stop_failures is None:
                self.problem(f"guest {g.name} ended before it had said that its driver is unloaded; last lines of its console:\n"
                             + g.console_tail(15))
            elif g.stop_failures:
                self.problem(f"guest {g.name}: the driver did not unload, see dmesg-{g.name}.txt")
        if self.emulator:
            self.sel.unregister(self.emulator.pidfd)
            rc = self.emulator.end(10)
            if rc:
                self.problem(f"the emulator reports problems at the end ({self.emulator.status()}):\n"
                             + self.emulator.tail(15))

    def problem(self, text):
        self.problems.append(text)
        self.say(text)

    def tear_down(self):
        """Clean up in any case."""
        self.detach_terminal()
        for g in self.guests:
            if g.child:
                g.child.kill()
            g.close()
        if self.emulator:
            self.emulator.end()
        self.log.close()
