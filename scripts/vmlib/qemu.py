# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""QEMU: its capabilities, and the command line of a guest."""

import json
import os
import socket
import subprocess
import tempfile
import time

from images import CACHE, REPO, ImageError

QEMU = "qemu-system-x86_64"

APPEND = ("console=ttyS0 quiet panic=-1 nokaslr no_timer_check tsc=reliable mitigations=off "
          "log_buf_len=4M random.trust_cpu=on rcupdate.rcu_cpu_stall_timeout=120 "
          "panic_on_warn=1 oops=panic softlockup_panic=1 watchdog_thresh=60 hung_task_panic=1")
# Under TCG five-level page tables and SMAP/SMEP are expensive: without them a guest takes two thirds of the time. The debug kernel has
# SMAP and SMEP, to find stray accesses to user memory. rep movsb/stosb take one step per byte under TCG, and KASAN would use them to
# fill its shadow memory.
CPU = "max,la57=off,smap=off,smep=off,umip=off,pku=off,erms=off,fsrm=off"
CPU_DEBUG = "max,la57=off,erms=off,fsrm=off,fsrs=off"
ROOT_PORT_ROOM = "512M"   # 8 functions of 32 MiB, twice
# Detection of memory errors: KASAN, which is better than SLUB debugging, which in addition would cost a third of the
# time; SLUB debugging on kernels without KASAN, for cxr only.
WITH_KASAN = "slab_debug=-"
WITHOUT_KASAN = "slub_debug=FZP"
# A race may be the kernel's own, so no warning is a panic there: tests still fail of one, by the log (KTAP_BAD). An emulated processor is
# slow: what it watches, it watches for longer.
KCSAN = "panic_on_warn=0 kcsan.skip_watch=3000 kcsan.udelay_task=200 kcsan.udelay_interrupt=50"


class MonitorError(Exception):
    """A monitor command failed."""


def check_vfio_user():
    """Check that QEMU supports the emulated adapter."""
    try:
        out = subprocess.run([QEMU, "-device", "help"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as e:
        raise ImageError(f"cannot run {QEMU}: {e}") from e
    if '"vfio-user-pci"' not in out:
        version = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=False)
        raise ImageError("this QEMU has no vfio-user-pci device (10.1 or later is needed); it is "
                         + version.stdout.splitlines()[0]
                         + "\nThe generic tests run on Soft-RoCE without it: make check HCA=rxe")


def accelerator(kernel_image):
    """kvm if a kernel boots with it, else tcg; tested once per boot of the machine."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        boot = f.read().strip()
    memo = os.path.join(CACHE, "kvm-probe")
    try:
        with open(memo, encoding="ascii") as f:
            seen, answer = f.read().split()
        if seen == boot:
            return answer
    except (OSError, ValueError):
        pass
    answer = "kvm" if os.access("/dev/kvm", os.R_OK | os.W_OK) and _kvm_works(kernel_image) else "tcg"
    with tempfile.NamedTemporaryFile("w", dir=CACHE, delete=False) as f:
        f.write(f"{boot} {answer}\n")
    os.rename(f.name, memo)
    return answer


def _kvm_works(kernel_image):
    # Without a root the kernel panics, and panic=-1 ends QEMU.
    cmd = [QEMU, "-accel", "kvm", "-cpu", "max", "-M", "q35", "-m", "256M", "-nodefaults", "-display", "none",
           "-no-reboot", "-serial", "stdio", "-kernel", kernel_image, "-append", "console=ttyS0 panic=-1"]
    try:
        out = subprocess.run(cmd, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return out.returncode == 0 and b"Kernel panic" in out.stdout


def machine(guest, opts):
    """The command line of a guest without the adapter's functions; see class Guest for the fields."""
    sock, out = guest.sockets, guest.out
    # With a thread for each CPU, one may run into a breakpoint of a kernel that patches itself after the kernel has removed it:
    # "Oops: int3", rarely, on a busy host. The kernel that looks for data races does not do that, and finds none with one thread.
    threads = "single" if opts.accel == "icount" or opts.smp > 1 and guest.kernel.name != "kcsan" else "multi"
    accel = "kvm" if opts.accel == "kvm" else f"tcg,thread={threads}"
    board = "q35,memory-backend=m0"
    append = [APPEND]
    if guest.kernel.name == "debug":
        append.append(WITH_KASAN)
    elif guest.kernel.name == "kcsan":
        append.append(KCSAN)
    elif guest.driver == "cxr":
        append.append(WITHOUT_KASAN)
    append.append("cxr.root=" + ("erofs" if guest.kernel.has_erofs else "9p"))
    if guest.driver != "mlx5":
        append.append("modprobe.blacklist=mlx5_core,mlx5_ib")
    if opts.iommu:
        append.append("intel_iommu=on iommu.strict=1")
        if accel == "kvm":
            board += ",kernel-irqchip=split"
    append += opts.append

    cmd = [QEMU, "-name", f"cxr-{guest.name}", "-accel", accel,
           "-cpu", CPU_DEBUG if guest.kernel.name == "debug" else CPU, "-machine", board,
           "-object", f"memory-backend-memfd,id=m0,size={opts.mem},share=on", "-m", opts.mem,
           "-smp", str(opts.smp), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
           "-kernel", guest.kernel.image, "-initrd", guest.kernel.initrd, "-append", " ".join(append)]
    if opts.accel == "icount":
        cmd += ["-icount", "shift=0,sleep=off,align=off"]
    if opts.iommu:
        cmd += ["-device", "intel-iommu,intremap=on,caching-mode=on"]
    cmd += ["-chardev", f"socket,id=con,path={sock('con')},logfile={out('console')}", "-serial", "chardev:con",
            "-device", "virtio-serial-pci"]
    for port in ("ctl", "out", "emu"):
        cmd += ["-chardev", f"socket,id={port},path={sock(port)}",
                "-device", f"virtserialport,chardev={port},name=cxr.{port}"]
    if guest.kernel.has_erofs:
        cmd += ["-drive", f"file={opts.root},format=raw,if=none,id=root,readonly=on",
                "-device", "virtio-blk-pci,drive=root"]
    else:
        cmd += _share("root", "/", True)
    cmd += _share("repo", REPO, True) + _share("out", opts.out, False)
    cmd += _share("kmods", guest.kernel.modules, True)
    for i, (netdev, mac) in enumerate(guest.cables):
        # With guest_announce, and announcements disabled (Monitor.load()), QEMU crashes when the guest resets the card.
        cmd += ["-netdev", f"{netdev},id=net{i}", "-device", f"virtio-net-pci,netdev=net{i},mac={mac},guest_announce=off"]
    if opts.uses_adapter and not guest.soft:
        # Address space is reserved for functions that are hot-plugged after the firmware has run. A faster port has to
        # report that its link is active, which QEMU does not do after such a hot-plug, and a reset of the bus would fail.
        cmd += ["-device", f"pcie-root-port,id=rp0,chassis=1,slot=1,x-speed=5,pref64-reserve={ROOT_PORT_ROOM}"]
    return cmd


def functions(guest):
    """The adapter's functions behind the root port, in plug order: function 0 must be the last one."""
    return [{"driver": "vfio-user-pci", "socket": {"type": "unix", "path": path}, "bus": "rp0", "addr": f"0.{i}",
             "multifunction": len(guest.functions) > 1} for i, path in reversed(list(enumerate(guest.functions)))]


def connect(path, child, seconds):
    """A connection to the socket PATH, as soon as the child listens there: the path exists a moment before."""
    end = time.monotonic() + seconds
    while True:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.connect(path)
            return sock
        except (FileNotFoundError, ConnectionRefusedError):
            sock.close()
            if child.status() is not None or time.monotonic() > end:
                raise MonitorError(f"QEMU did not start\n{child.tail()}") from None
        time.sleep(0.02)


class Monitor:
    """The monitor of a QEMU that was started with monitor_at()."""

    def __init__(self, path, child):
        self.sock = connect(path, child, 20)
        self.sock.settimeout(60)
        self.file = self.sock.makefile("rw", encoding="utf-8")
        self.file.readline()    # the greeting
        self.command("qmp_capabilities")

    def close(self):
        self.file.close()
        self.sock.close()

    def command(self, name, **arguments):
        """Execute a command; returns its answer."""
        self.file.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline() or '{"error": {"desc": "it ended"}}')
            if "error" in answer:
                raise MonitorError(f"QEMU: {name}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def migrated(self):
        """Wait for the end of the migration."""
        while True:
            state = self.command("query-migrate")
            if state.get("status") == "completed":
                return
            if state.get("status") in ("failed", "cancelled"):
                raise MonitorError(f"QEMU: {state.get('error-desc', state['status'])}")
            time.sleep(0.02)

    def save(self, path):
        """Save the machine in a file. It is stopped afterwards."""
        self.command("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        self.command("migrate", uri=f"file:{path}")
        self.migrated()

    def load(self, path):
        """Load a saved machine into a QEMU started with -incoming defer. Announcements are disabled: they are not needed, and
        crash the stream network back end of QEMU 11.1 while its other end is missing."""
        self.command("migrate-set-parameters", **{"announce-rounds": 0})
        self.command("migrate-incoming", uri=f"file:{path}")
        self.migrated()


def monitor_at(path):
    return ["-qmp", f"unix:{path},server=on,wait=off"]


def _share(tag, path, readonly):
    ro = ",readonly=on" if readonly else ""
    return ["-virtfs", f"local,path={path},mount_tag={tag},security_model=none,multidevs=remap{ro}"]
