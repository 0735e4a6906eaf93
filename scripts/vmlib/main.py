# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""scripts/vm: boot guests with emulated adapters, run a command, tidy up."""

import argparse
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time

import images
import process
import qemu
from session import Session, VmError
from snapshot import Snapshots

KEEP_RUNS = 10
EXIT_TIMEOUT = 124
EXIT_VM = 125

EPILOG = """
The command runs as root in guest a, in a bash that has the functions of
selftests/lib/driver.sh; the other guests are idle peers (selftests/lib/peer.sh).
In a guest /cxr is the repository (read-only) and /out the result directory,
which is shared by all guests. Exit code: the command's; 124 when time ran out; 125 when
a guest or the emulator failed (a panic, a leak, a driver that does not unload).
"""


def parse_args(argv):
    p = argparse.ArgumentParser(prog="scripts/vm", epilog=EPILOG,
                                formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Boot guests with emulated adapters and run a command.")
    p.add_argument("--kernel", default="6.12", choices=images.KERNELS)
    p.add_argument("--guests", type=int, default=1, choices=range(1, 5), metavar="1..4")
    p.add_argument("--functions", type=int, default=1, choices=range(1, 9), metavar="1..8",
                   help="adapter functions per guest")
    p.add_argument("--driver", default="cxr", choices=("cxr", "mlx5", "rxe", "none"),
                   help="driver the guests use; none: no adapter at all")
    p.add_argument("--soft", action="store_true",
                   help="the other guests use Soft-RoCE, on a network card connected to the adapters' wire")
    p.add_argument("--soft-kernel", default="7.2", choices=images.KERNELS,
                   help="kernel of those guests (default %(default)s)")
    p.add_argument("--load", action="store_true", help="load the driver before the command runs")
    p.add_argument("--smp", type=int, default=1, metavar="CPUS")
    p.add_argument("--mem", default="1G", metavar="SIZE")
    p.add_argument("--timeout", type=float, default=300, metavar="SECONDS",
                   help="time limit of the command, after boot (default %(default)s)")
    p.add_argument("--iommu", action="store_true", help="guests have a virtual IOMMU in strict mode")
    p.add_argument("--card", default="cx5", help="the card to emulate (cxemu --card)")
    p.add_argument("--administrator", action="store_true", help="VFs have MACs of the PF's administrator, who trusts them")
    p.add_argument("--pcap", metavar="FILE", help="capture every frame on the wire")
    p.add_argument("--emulator-socket", action="append", default=[], metavar="GUEST=PATH",
                   help="use a function of a running emulator")
    p.add_argument("--emu-arg", action="append", default=[], metavar="ARG", help="argument for cxemu")
    p.add_argument("--append", action="append", default=[], metavar="ARGS", help="kernel arguments")
    p.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="CXR_NAME in the guests")
    p.add_argument("--boot", action="store_true",
                   help="boot the guests instead of restoring them from snapshots")
    p.add_argument("--accel", default="auto", choices=("auto", "kvm", "tcg", "icount"),
                   help="icount: TCG with a clock that counts the guest's instructions, one per nanosecond")
    p.add_argument("--out", metavar="DIR", help="directory for logs and results")
    p.add_argument("--shell", action="store_true", help="open a shell on the console of guest a (^] ends it)")
    p.add_argument("command", nargs="*", metavar="COMMAND")
    opts = p.parse_args(argv)
    if bool(opts.command) == opts.shell:
        p.error("give a command or --shell (see --help)")
    if not re.fullmatch(r"[1-9][0-9]*[MG]", opts.mem):
        p.error(f"--mem {opts.mem}: give a number with M or G")
    if opts.soft and (opts.guests == 1 or opts.driver not in ("cxr", "mlx5") or opts.emulator_socket):
        p.error("--soft: needs --guests 2 or more, an adapter in guest a, and an emulator of this run")
    if opts.accel == "icount" and opts.smp != 1:
        p.error("--accel icount: instructions are counted on one CPU (--smp 1)")
    if not all(re.fullmatch(r"[A-Z_]+=[^\s]*", e) for e in opts.env):
        p.error(f"--env {' '.join(opts.env)}: give NAME=VALUE, without spaces")
    if opts.administrator and (",vfs=" not in opts.card or opts.emulator_socket):
        p.error("--administrator: is for --card NAME,vfs=N, with an emulator of the run's own")
    opts.env = dict(e.split("=", 1) for e in opts.env) | ({"VF": "yes"} if ",vfs=" in opts.card else {})
    if opts.timeout <= 0 or opts.smp < 1:
        p.error("--timeout and --smp must be positive")
    return p, opts


def function_sockets(parser, opts):
    """{guest: [socket, ...]} of --emulator-socket, checked."""
    given = {}
    for arg in opts.emulator_socket:
        name, eq, path = arg.partition("=")
        if not eq or name not in "abcd"[:opts.guests] or not name:
            parser.error(f"--emulator-socket {arg}: give GUEST=PATH with a guest of this run")
        if not os.path.exists(path):
            parser.error(f"--emulator-socket {arg}: there is no socket {path}; is the emulator running?")
        given.setdefault(name, []).append(os.path.realpath(path))
    if given and len(given) != opts.guests:
        parser.error("--emulator-socket: give at least one socket for every guest")
    return given


def result_dir(opts):
    if opts.out:
        os.makedirs(opts.out, exist_ok=True)
        return os.path.realpath(opts.out)
    runs = os.path.join(images.CACHE, "runs")
    os.makedirs(runs, exist_ok=True)
    old = sorted(d for d in os.listdir(runs) if re.match(r"\d{8}-", d))
    for d in old[:-(KEEP_RUNS - 1)]:
        shutil.rmtree(os.path.join(runs, d), ignore_errors=True)
    out = os.path.join(runs, time.strftime("%Y%m%d-%H%M%S-") + str(os.getpid()))
    os.mkdir(out)
    return out


def say(text):
    print(f"vm: {text}", file=sys.stderr, flush=True)


def socket_dir():
    """A directory with a short path for sockets; removes those of killed runs."""
    for d in os.listdir("/tmp"):
        m = re.fullmatch(r"cxr-vm-(\d+)-\w+", d)
        if m and not os.path.exists(f"/proc/{m.group(1)}"):
            shutil.rmtree(os.path.join("/tmp", d), ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"cxr-vm-{os.getpid()}-", dir="/tmp")


def write_command(opts):
    with open(os.path.join(opts.out, "command"), "w", encoding="utf-8") as f:
        words = opts.command
        f.write((words[0] if len(words) == 1 else shlex.join(words)) + "\n")


def guest_kernel(opts, index):
    """The kernel of a guest, with the initramfs to boot it."""
    kernel = images.Kernel(opts.soft_kernel if opts.soft and index else opts.kernel)
    kernel.initrd = images.initramfs(kernel)
    return kernel


def prepare(parser, opts):
    """Check and create what the run needs; fills in opts."""
    opts.sockets = function_sockets(parser, opts)
    opts.uses_adapter = opts.driver in ("cxr", "mlx5")
    if opts.uses_adapter:
        qemu.check_vfio_user()
        opts.emulator = os.path.join(images.REPO, "build/emulator/cxemu")
        if not opts.sockets and not os.path.exists(opts.emulator):
            raise VmError("the emulator is not built: make emulator")
    opts.guest_kernels = [guest_kernel(opts, i) for i in range(opts.guests)]
    kernel = opts.guest_kernels[0]
    if opts.driver == "cxr" and not os.path.exists(
            os.path.join(images.REPO, "build", kernel.name, "cxr_core.ko")):
        raise VmError(f"the driver is not built for this kernel: make modules KERNEL={kernel.name}")
    opts.kernel = kernel
    if opts.accel == "auto":
        opts.accel = qemu.accelerator(images.Kernel("6.12").image)
    opts.root = images.root(say) if any(k.has_erofs for k in opts.guest_kernels) else None
    if opts.pcap:
        opts.pcap = os.path.realpath(opts.pcap)
    opts.out = result_dir(opts)
    write_command(opts)


def snapshots(opts):
    """Returns a function from a guest to its snapshot or None. Not used with KVM, where booting is fast, nor with --append."""
    all_erofs = all(k.has_erofs for k in opts.guest_kernels)
    if opts.boot or opts.accel != "tcg" or opts.append or not all_erofs:
        return lambda guest: None
    return Snapshots(opts, say).of


def on_signal(signum, _frame):
    raise VmError(f"interrupted by {signal.Signals(signum).name}")


def main(argv):
    parser, opts = parse_args(argv)
    process.die_with_parent(signal.SIGTERM)
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, on_signal)
    session = None
    run_dir = None
    try:
        prepare(parser, opts)
        run_dir = socket_dir()
        session = Session(opts, run_dir, say, snapshots(opts))
        code = session.run()
    except (VmError, images.ImageError, qemu.MonitorError) as e:
        say(str(e))
        code = getattr(e, "code", EXIT_VM)
    finally:
        for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(s, signal.SIG_IGN)
        if session:
            session.tear_down()
        if run_dir:
            shutil.rmtree(run_dir, ignore_errors=True)
    if code and session:
        say(f"logs are in {opts.out}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
