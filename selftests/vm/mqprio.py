#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Class and tx queue of each send queue in the answer of the health reporter tx, which is read from stdin."""

import json
import sys


def lists(value):
    """The lists of SQs in it"""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "SQs":
                yield inner
            else:
                yield from lists(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from lists(inner)


rows = sorted((sq["tc"], sq["txq ix"]) for sqs in lists(json.load(sys.stdin)) for sq in sqs)
for row in rows:
    print(*row)
