#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: test_vm.py

Tests of how scripts/vm waits for QEMU. Output is KTAP.
"""

import os
import pathlib
import socket
import sys
import tempfile
import threading
import time

from sentences import run

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../../scripts/vmlib"))

import qemu  # noqa: E402  pylint: disable=wrong-import-position


class Child:
    """What a child process looks like from outside."""

    def __init__(self, ended):
        self.ended = ended

    def status(self):
        return "exit status 1" if self.ended else None

    def tail(self):
        return "    | no such option"


def bound(folder):
    path = os.path.join(folder, "qmp")
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind(path)
    return path, sock


def not_yet(folder):
    path, sock = bound(folder)

    def begin():
        time.sleep(0.2)
        sock.listen()

    thread = threading.Thread(target=begin)
    thread.start()
    qemu.connect(path, Child(False), 20).close()
    thread.join()
    sock.close()


def never(folder):
    path, sock = bound(folder)
    try:
        qemu.connect(path, Child(True), 20)
    except qemu.MonitorError as e:
        assert "no such option" in str(e), e
    else:
        raise AssertionError("connected")
    sock.close()


TESTS = [
    ("a socket that nobody listens at yet is waited for", not_yet),
    ("if QEMU has ended, its last words are told", never),
]


def in_folder(function):
    with tempfile.TemporaryDirectory(prefix="vm-") as folder:
        function(folder)


if __name__ == "__main__":
    sys.exit(run([(sentence, lambda f=function: in_folder(f)) for sentence, function in TESTS]))
