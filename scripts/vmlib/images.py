# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What a guest boots from: kernels, initramfs images and the root file system.

Images are made from the toolbox tree (the root directory here) and kept in
the cache, keyed by a hash of their sources.
"""

import fcntl
import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile

REPO = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
CACHE = os.environ.get("CXR_CACHE") or os.path.expanduser("~/.cache/cxr")
IMAGES = os.path.join(CACHE, "images")

BUILT = ("debug", "kcsan")      # by scripts/debug-kernel
KERNELS = ("6.1", "6.12", "7.2", *BUILT)

# Modules for booting a guest, unless built in.
# (crc32c_generic is not a dependency in modules.dep: libcrc32c requests it by name.)
BOOT_MODULES = ("virtio_pci", "virtio_blk", "virtio_console", "virtio_net", "9pnet_virtio", "9p", "crc32c_generic",
                "erofs")

# Parts of the tree that no guest uses: compilers, emulators, kernels.
ROOT_EXCLUDES = (
    "^boot/.+", "^usr/src/.+", "^usr/lib/modules/.+", "^usr/include/", "^usr/lib/gcc/",
    "^usr/libexec/gcc/", "^usr/lib/linux-kbuild", "^usr/share/(qemu|seabios|doc|man|info|perl)/",
    "^usr/bin/(qemu-|x86_64-linux-gnu-|shellcheck|erofs|mkfs.erofs)", r"\.a$",
    "^usr/lib/x86_64-linux-gnu/qemu/", "^(proc|sys|dev|run|tmp|cxr|out|root)/.+",
    "^var/(cache|lib/(apt|dpkg))/.+", "^usr/lib/udev/",
)


class ImageError(Exception):
    """Something that a guest needs is missing; the text says what to do."""


class Kernel:
    """A bootable kernel: paths of image, modules and configuration."""

    def __init__(self, name):
        self.name = name
        if name in BUILT:
            base = self._built_dir()
            with open(os.path.join(base, "release"), encoding="ascii") as f:
                self.release = f.read().strip()
            self.image = os.path.join(base, "bzImage")
            self.modules = os.path.join(base, "lib/modules")
            config = os.path.join(base, "build/.config")
        else:
            stamp = f"/var/lib/cxr/kernel-{name}"
            if not os.path.exists(stamp):
                raise ImageError(f"kernel {name} is not in the toolbox: scripts/toolbox kernel {name}")
            with open(stamp, encoding="ascii") as f:
                self.release = f.read().strip()
            self.modules = "/usr/lib/modules"
            own = f"{self.modules}/{self.release}"
            self.image = f"/boot/vmlinuz-{self.release}"
            if not os.path.exists(self.image):
                self.image = f"{own}/vmlinuz"
            config = f"/boot/config-{self.release}"
            if not os.path.exists(config):
                config = f"{own}/config"
        with open(config, encoding="ascii") as f:
            self.has_erofs = "\nCONFIG_EROFS_FS=" in f.read()

    def _built_dir(self):
        base = os.path.join(CACHE, f"{self.name}-kernel")
        if not os.path.exists(os.path.join(base, "release")):
            raise ImageError(f"there is no {self.name} kernel yet: run scripts/debug-kernel {self.name}")
        return base

    def boot_modules(self):
        """Files of BOOT_MODULES and their dependencies, in load order."""
        deps = {}
        top = f"{self.modules}/{self.release}"
        with open(f"{top}/modules.dep", encoding="ascii") as f:
            for line in f:
                path, rest = line.split(":", 1)
                name = os.path.basename(path).split(".")[0].replace("-", "_")
                deps[name] = (path, rest.split())
        order = []
        for want in BOOT_MODULES:
            if want not in deps:
                continue    # built in
            path, needs = deps[want]
            for p in reversed([path] + needs):
                if p not in order:
                    order.append(p)
        return [f"{top}/{p}" for p in order]


def hash_of(*parts):
    """A short hash of PARTS."""
    h = hashlib.sha256()
    for p in parts:
        h.update(repr(p).encode())
    return h.hexdigest()[:12]


def cached(name, make):
    """Path of image NAME; make(path) creates it if it does not exist."""
    os.makedirs(IMAGES, exist_ok=True)
    path = os.path.join(IMAGES, name)
    with open(path + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            make(path + ".new")
            os.rename(path + ".new", path)
    return path


def _module_bytes(path):
    with open(path, "rb") as f:
        data = f.read()
    return lzma.decompress(data) if path.endswith(".xz") else data


def initramfs(kernel):
    """The image that mounts the root file system, and has the programs that run before the repository is mounted."""
    scripts = {}
    for path in ("scripts/guest/initramfs-init", "scripts/guest/init", "selftests/lib/agent"):
        with open(os.path.join(REPO, path), "rb") as f:
            scripts[os.path.basename(path)] = f.read()
    modules = kernel.boot_modules()
    key = hash_of(3, scripts, [(m, os.path.getmtime(m)) for m in modules])

    def make(path):
        with tempfile.TemporaryDirectory() as top:
            os.makedirs(f"{top}/bin")
            os.makedirs(f"{top}/modules")
            shutil.copy("/usr/bin/busybox", f"{top}/bin/busybox")
            os.makedirs(f"{top}/guest")
            for name, text in scripts.items():
                to = f"{top}/init" if name == "initramfs-init" else f"{top}/guest/{name}"
                with open(to, "wb") as f:
                    f.write(text)
                os.chmod(to, 0o755)
            names = []
            for m in modules:
                names.append(os.path.basename(m).split(".")[0] + ".ko")
                with open(f"{top}/modules/{names[-1]}", "wb") as f:
                    f.write(_module_bytes(m))
            with open(f"{top}/modules/list", "w", encoding="ascii") as f:
                f.writelines(n + "\n" for n in names)
            subprocess.run(f"cd {top} && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1 >{path}",
                           shell=True, check=True)

    return cached(f"initramfs-{kernel.release}-{key}.gz", make)


def root(say):
    """The guests' read-only root file system, an erofs image of the toolbox tree."""
    with open("/.cxr-toolbox", encoding="ascii") as f:
        tree = f.read().strip()
    key = hash_of(3, ROOT_EXCLUDES)

    def make(path):
        say("making the guests' root file system (once)")
        cmd = ["mkfs.erofs", "--quiet", "-T0", "--all-root"]
        cmd += [f"--exclude-regex={x}" for x in ROOT_EXCLUDES]
        # a non-recursive bind mount: the tree without its submounts
        with tempfile.TemporaryDirectory() as plain:
            subprocess.run(["mount", "--bind", "/", plain], check=True)
            try:
                done = subprocess.run(cmd + [path, plain], check=False, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True)
            finally:
                subprocess.run(["umount", plain], check=True)
        if done.returncode:
            raise ImageError("mkfs.erofs failed: " + done.stdout[-500:])

    return cached(f"root-{tree}-{key}.erofs", make)
