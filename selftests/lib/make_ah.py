#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: make_ah.py DEVICE GID-INDEX

Creates an address handle with the GID at that index of port 1, to the GID itself. Prints "made", or the errno.
"""

import sys

from pyverbs.addr import AH, AHAttr, GlobalRoute
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError


def main(name, index):
    ctx = Context(name=name)
    pd = PD(ctx)
    route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index, hop_limit=1)
    try:
        AH(pd, attr=AHAttr(gr=route, is_global=1, port_num=1))
        print("made")
    except PyverbsRDMAError as err:
        print(err.error_code)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]))
