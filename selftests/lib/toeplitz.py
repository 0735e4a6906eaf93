# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The hash of RSS (Microsoft's "RSS Hash Type Functions")"""

# The key of the verification suite in Microsoft's RSS specification
RSS_KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")


def toeplitz(key, data):
    """The bits of the key from that of each 1 bit of the data on"""
    bits, total, result = int.from_bytes(key, "big"), len(key) * 8, 0
    for at in range(len(data) * 8):
        if data[at // 8] >> (7 - at % 8) & 1:
            result ^= bits >> (total - 32 - at) & 0xffffffff
    return result
