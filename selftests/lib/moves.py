#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: moves.py BEFORE AFTER WORD...

Compares two outputs of ethtool -S. COUNTER=N: it has changed by N and at most what the kernel sends and receives by itself; COUNTER==N:
by exactly N; COUNTER+: by anything; COUNTER?: by anything, or not; traffic?: so all traffic. Traffic without a word has changed by no
more than that, any other counter not at all. rxQ and txQ stand for the sum of all queues. The in-tree driver has other counters of
queues, and more of the port; there only some without a word are looked at, and words for those of queues are ignored.
"""
import os
import re
import sys

# Counters that no test changes, and why. make-docs reads it.
MEMORY = "an allocation would have to fail"
NEVER = {
    "rx_fragments_phy": "the kernel pads frames",
    "rx_undersize_pkts_phy": "the kernel pads frames",
    "rx_in_range_len_errors_phy": "the emulated port does not look at lengths of IEEE 802.3",
    "rx_out_of_range_len_phy": "the emulated port does not look at lengths of IEEE 802.3",
    "rx_unsupported_op_phy": "the only MAC control frames on the wire are pauses",
    "tx_discards_phy": "the emulated port drops nothing that it shall send",
    "tx_errors_phy": "the driver sends no frame that is too long",
    "rx_prioN_cong_discard": "the emulated port does not drop by congestion",
    "rx_prioN_marked": "the emulated port marks nothing, switches do",
    "dev_internal_queue_oob": "the driver creates no queues inside the device",
    "rx_oversize_pkts_buffer": "the driver posts no buffer that is too small",
    "tx_xdp_err": "the kernel redirects no frame that is too long",
    "rxQ_dropped": MEMORY,
    "rxQ_no_page": MEMORY,
    "txQ_dropped": MEMORY,
    "rxQ_cqe_err": "the driver posts no wrong work request",
    "txQ_cqe_err": "the driver posts no wrong work request",
}

SLACK = 20              # packets, of at most 150 bytes
OURS = re.compile(r"_vport_(unicast|multicast|broadcast|rdma)|_prio[0-7]_|_global_|_storm_|^rx_xdp_(drop|redirect)$|"
                  r"^rx_out_of_buffer$|^rx_steer_missed|^rx_oversize_pkts_buffer$|_internal_queue_oob$")
QUEUES = re.compile(r"^([rt]xQ_|rx_pp_)")
SIZES = re.compile(r"^rx_\d+.*_bytes_phy$")
TRAFFIC = re.compile(r"(packets|bytes|multicast|broadcast)(_phy)?$")


def read(path):
    values = {}
    with open(path, encoding="ascii") as f:
        for name, value in re.findall(r"^ +(\w+): (\d+)$", f.read(), re.M):
            name = re.sub(r"^([rt]x)\d+_", r"\1Q_", name)
            values[name] = values.get(name, 0) + int(value)
    return values


def slack(name):
    return SLACK * (150 if "bytes" in name and not SIZES.match(name) else 1)


def wrong(name, by, word, own):
    """Is a change wrong? word: None, or its end behind the name"""
    if word is None:
        if not own and not OURS.search(name) or QUEUES.match(name):
            return False
        return by > (slack(name) if TRAFFIC.search(name) or SIZES.match(name) else 0)
    if word in "+?":
        return by < (word == "+")
    if word.startswith("=="):
        return by != int(word[2:])
    return not 0 <= by - int(word[1:]) <= slack(name)


def main(before, after, *words):
    own = os.environ.get("CXR_DRIVER") == "cxr"
    before, after = read(before), read(after)
    wanted = dict(re.fullmatch(r"(\w+)(=.*|[+?])", word).groups() for word in words)
    wanted = {name: end for name, end in wanted.items() if own or not QUEUES.match(name)}
    if wanted.pop("traffic", None):
        wanted = dict.fromkeys((name for name in after if TRAFFIC.search(name) or SIZES.match(name)), "?") | wanted
    said = [f"there is no {name}" for name in wanted if name not in after]
    changes = {name: value - before.get(name, 0) for name, value in after.items()}
    said += [f"{name} has changed by {by}, not {wanted.get(name, 0)}" for name, by in changes.items()
             if wrong(name, by, wanted.get(name), own)]
    print("\n".join(said))
    return bool(said)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
