#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The GID table of an RDMA device in ib_core and in the emulator.

usage: gids.py DEVICE NETDEV[,mac=M] [ADDRESS@NDEV[,vlan=N][,mac=M]]...

Waits until the table of DEVICE, port 1, has exactly the default GID of NETDEV and an entry for each
ADDRESS, of every type of the port; and until the adapter's address table matches it by index, with the
right network layer, MAC and VLAN (if there is an emulator). NETDEV "-": no default GID. Prints the table.
The default MAC of an entry is that of NDEV. GID_TYPES: the types of the port (v1 v2).

usage: gids.py serve FOLDER

Does the same for each line written to FOLDER/ask, a FIFO; the answer in FOLDER/answer is a line with
the exit code, and the output. Starting an interpreter takes a second in a guest.

usage: gids.py default MAC

Prints the default GID of an interface with that MAC.
"""

import contextlib
import errno
import io
import ipaddress
import os
import re
import sys
import time

CLASS = "/sys/class/infiniband"
WAIT = 10 * int(os.environ.get("CXR_PATIENCE") or 1)


def read(path):
    """The first line of a sysfs file, or None if it cannot be read."""
    try:
        with open(path, encoding="ascii") as f:
            return f.readline().rstrip("\n")
    except OSError:
        return None


def core_table(device):
    """{index: (gid, v1 or v2, ndev)} of ib_core."""
    port = f"{CLASS}/{device}/ports/1"
    table = {}
    for index in map(int, os.listdir(f"{port}/gids")):
        gid = ipaddress.ip_address(read(f"{port}/gids/{index}") or "::")
        if int(gid) == 0:
            continue
        kind = read(f"{port}/gid_attrs/types/{index}")
        ndev = read(f"{port}/gid_attrs/ndevs/{index}")
        # An entry that is removed while it is read has no type.
        if kind and ndev:
            table[index] = (gid, kind[-2:], ndev)
    return table


class Emulator:
    """The emulator's control socket, through a port of the guest that only one process can open"""

    def ask(self, words):
        port = self.open_port()
        os.write(port, words.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            answer += os.read(port, 65536) or b"125 the emulator does not answer\n"
        os.close(port)
        code, _, text = answer.partition(b" ")
        text = re.sub(rb"\\0([0-7]{3})", lambda m: bytes([int(m[1], 8)]), text.rstrip(b"\n")).decode()
        if code != b"0":
            raise OSError(f"emulator: {words}: {text}")
        return text

    @staticmethod
    def open_port():
        end = time.monotonic() + WAIT
        while True:
            try:
                return os.open(os.environ["CXR_EMU_PORT"], os.O_RDWR)
            except OSError as e:
                if e.errno != errno.EBUSY or time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def table(self, function):
        """{index: (gid, v1 or v2/IPv4 or v2/IPv6, mac, vlan or None)} of the adapter."""
        table = {}
        for line in self.ask(f"gids {function}").splitlines()[1:]:
            index, gid, kind, mac, vlan = line.split()
            table[int(index)] = (ipaddress.ip_address(gid), kind, mac, None if vlan == "-" else int(vlan))
        return table


def hardware_kind(gid, kind):
    """The type of an entry in the adapter's table."""
    if kind == "v1":
        return kind
    return "v2/IPv4" if gid.ipv4_mapped else "v2/IPv6"


def default_gid(mac):
    b = bytes.fromhex(mac.replace(":", ""))
    return ipaddress.ip_address(bytes([0xfe, 0x80, 0, 0, 0, 0, 0, 0, b[0] ^ 2, b[1], b[2], 0xff, 0xfe, b[3], b[4], b[5]]))


def ip_gid(address):
    a = ipaddress.ip_address(address)
    return a if a.version == 6 else ipaddress.ip_address(f"::ffff:{a}")


def compare(core, hardware, wanted, default):
    """Differences, as lines. wanted: set of (gid, kind, ndev, mac, vlan); default: the same, at the first indices."""
    wrong = []
    have = {}
    for index in sorted(set(core) | set(hardware)):
        if index not in core:
            wrong.append(f"index {index} is empty in ib_core, but {hardware[index]} in the adapter")
        elif index not in hardware:
            wrong.append(f"index {index} is {core[index]}, but empty in the adapter")
        else:
            (gid, kind, ndev), (hw_gid, hw_kind, mac, vlan) = core[index], hardware[index]
            if (gid, hardware_kind(gid, kind)) != (hw_gid, hw_kind):
                wrong.append(f"index {index} is {core[index]}, but the adapter has {hardware[index]}")
            entry = (gid, kind, ndev, mac, vlan)
            if entry in have:
                wrong.append(f"duplicate: {entry} at index {have[entry]} and {index}")
            have[entry] = index
    for entry in (wanted | default) - set(have):
        wrong.append(f"missing: {entry}")
    for entry in set(have) - wanted - default:
        wrong.append(f"unexpected: index {have[entry]}: {entry}")
    for entry in default & set(have):
        if have[entry] >= len(default):
            wrong.append(f"the default GID {entry} has index {have[entry]}")
    return wrong


def assumed_table(core, wanted):
    """Stands for the adapter's table if it cannot be read."""
    links = {entry[:3]: entry[3:] for entry in wanted}
    return {i: (e[0], hardware_kind(*e[:2]), *links.get(e, ("?", None))) for i, e in core.items()}


def options_of(words):
    return dict(w.split("=") for w in words)


def mac_of(ndev, given):
    return given.get("mac") or read(f"/sys/class/net/{ndev}/address")


def parse(word):
    """(gid, ndev, mac, vlan) of ADDRESS@NDEV[,vlan=N][,mac=M]"""
    place, *options = word.split(",")
    address, ndev = place.split("@")
    given = options_of(options)
    return ip_gid(address), ndev, mac_of(ndev, given), int(given["vlan"]) if "vlan" in given else None


def expect(device, netdev, words):
    """Print the table and the differences; returns the exit code."""
    emulator = Emulator() if os.environ.get("CXR_EMU_PORT") else None
    kinds = os.environ.get("GID_TYPES", "v1 v2").split()
    wanted = {(gid, kind, ndev, mac, vlan) for gid, ndev, mac, vlan in map(parse, words) for kind in kinds}
    ndev, *options = netdev.split(",")
    default = set()
    if ndev != "-":
        mac = mac_of(ndev, options_of(options))
        default = {(default_gid(mac), kind, ndev, mac, None) for kind in kinds}
    end = time.monotonic() + WAIT
    while True:
        core = core_table(device)
        hardware = emulator.table(os.environ["CXR_GUEST"]) if emulator else assumed_table(core, wanted | default)
        wrong = compare(core, hardware, wanted, default)
        if not wrong or time.monotonic() > end:
            break
        time.sleep(0.05)
    for index in sorted(core):
        print(index, *core[index], *hardware.get(index, ())[2:])
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def serve(folder):
    while True:
        with open(f"{folder}/ask", encoding="ascii") as f:
            words = f.readline().split()
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            try:
                code = expect(words[0], words[1], words[2:])
            except (OSError, ValueError, IndexError) as e:
                code = print(f"gids.py: {e!r}") or 1
        with open(f"{folder}/answer", "w", encoding="ascii") as f:
            f.write(f"{code}\n{text.getvalue()}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    if sys.argv[1] == "default":
        sys.exit(print(default_gid(sys.argv[2])))
    sys.exit(expect(sys.argv[1], sys.argv[2], sys.argv[3:]))
