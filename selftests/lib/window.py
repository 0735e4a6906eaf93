# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Windows of the capture, like window.sh: marks that say what the RoCE frames between them must be"""


import os
import socket

HEADER = bytes.fromhex("0200000000fe0200000000ff88b5")


def frame(netdev, text):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((netdev, 0))
        s.send(HEADER + text.ljust(60).encode())


def begin(netdev, words, label):
    script = os.environ.get("CXR_SCRIPT")
    frame(netdev, "begin " + (f"script={script} " if script else "") + f"{words} : {label}")


def end(netdev):
    if os.environ.get("CXR_WINDOWS"):
        with open(os.environ["CXR_WINDOWS"], "a", encoding="ascii") as f:
            f.write(".\n")
    frame(netdev, "end")
