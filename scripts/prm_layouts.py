# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Reads the bit layouts of include/prm for the scripts that check or use them.

A layout is a struct or union prm_<name>_bits whose bytes stand for bits. The reader knows the
subset of C that these headers are written in and stops with file and line at anything else.
"""

import collections
import os
import pathlib
import re
import sys

# kind: "bits" (u8 array), "layout" (another prm_*_bits) or "anon" (struct or union in place).
# count: product of the array dimensions. of: name of the layout, or the Layout of an "anon".
Member = collections.namedtuple("Member", "kind name width count of")
Layout = collections.namedtuple("Layout", "name union members where")

OPEN = re.compile(r"(struct|union)(?: prm_(\w+)_bits)? \{$")
BITS = re.compile(r"u8 (\w+)((?:\[\d+\])+);$")
SUB = re.compile(r"(?:struct|union) prm_(\w+)_bits (\w+)((?:\[\d+\])*);$")
CLOSE = re.compile(r"\}(?: (\w+))?((?:\[\d+\])*);$")


class LayoutError(Exception):
    pass


def product(dims):
    n = 1
    for dim in re.findall(r"\d+", dims):
        n *= int(dim)
    return n


def is_reserved(name):
    return name.startswith("rsvd_")


class Layouts:
    """All layouts of a folder, by name, in the order in which the headers declare them."""

    def __init__(self, folder):
        self.by_name = {}
        self.sizes = {}
        self.headers = sorted(pathlib.Path(folder).glob("*.h"))
        if not self.headers:
            raise LayoutError(f"no headers in {folder}")
        for header in self.headers:
            self.read(header)

    def read(self, header):
        stack = []
        for number, line in enumerate(header.read_text().splitlines(), 1):
            where = f"{header}:{number}"
            line = re.sub(r"/\*.*?\*/", "", line).strip()
            if not stack:
                start = OPEN.match(line)
                if start and start[2]:
                    stack.append(Layout(start[2], start[1] == "union", [], where))
                continue
            if line:
                self.read_member(stack, line, where)

    def read_member(self, stack, line, where):
        start, bits, sub, close = (p.match(line) for p in (OPEN, BITS, SUB, CLOSE))
        if start and not start[2]:
            stack.append(Layout("", start[1] == "union", [], where))
        elif bits:
            stack[-1].members.append(Member("bits", bits[1], product(bits[2]), 1, None))
        elif sub:
            if sub[1] not in self.by_name:
                raise LayoutError(f"{where}: prm_{sub[1]}_bits is not declared above")
            stack[-1].members.append(
                Member("layout", sub[2], self.width(sub[1]), product(sub[3]), sub[1]))
        elif close:
            done = stack.pop()
            if stack:
                stack[-1].members.append(
                    Member("anon", close[1] or "", self.width_of(done), product(close[2]), done))
            else:
                if done.name in self.by_name:
                    raise LayoutError(f"{where}: prm_{done.name}_bits is declared twice")
                self.by_name[done.name] = done
        else:
            raise LayoutError(f"{where}: not understood: {line}")

    def width_of(self, layout):
        widths = [m.width * m.count for m in layout.members]
        return max(widths) if layout.union else sum(widths)

    def width(self, name):
        """Width of a layout in bits."""
        if name not in self.sizes:
            self.sizes[name] = self.width_of(self.by_name[name])
        return self.sizes[name]

    def fields(self, layout, base=0, prefix=""):
        """Named fields as (path, first bit, width): nested layouts are not expanded, anonymous
        structs and unions are."""
        offset = base
        for m in layout.members:
            if m.kind == "anon":
                path = f"{prefix}{m.name}[0]." if m.count > 1 else f"{prefix}{m.name}."
                yield from self.fields(m.of, offset, path if m.name else prefix)
            elif not is_reserved(m.name):
                yield f"{prefix}{m.name}", offset, m.width * m.count
            if not layout.union:
                offset += m.width * m.count

    def leaves(self, layout, only=None, base=0, prefix=""):
        """Named fields as (path, first bit, width), everything expanded: the elements of an array
        have the same path. Of the unions, the alternative @only if it is given."""
        offset = base
        for m in layout.members:
            for first in range(offset, offset + m.count * m.width, m.width):
                if m.kind == "bits":
                    if not is_reserved(m.name):
                        yield f"{prefix}{m.name}", first, m.width
                elif not layout.union or only in (None, m.name):
                    inner = self.by_name[m.of] if m.kind == "layout" else m.of
                    yield from self.leaves(inner, only if inner.union else None, first, f"{prefix}{m.name}." if m.name else prefix)
            if not layout.union:
                offset += m.width * m.count

    def reserved(self, name):
        """Ranges (first bit, width) that are not covered by named fields, including nested ones."""
        named = bytearray(self.width(name))
        for _, first, width in self.leaves(self.by_name[name]):
            named[first:first + width] = b"\1" * width
        return [(r.start(), r.end() - r.start()) for r in re.finditer(rb"\0+", bytes(named))]


def layouts_of_argument(usage):
    """For a program whose only argument is the folder; USAGE: printed if it is not given"""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(usage.strip())
    try:
        return Layouts(sys.argv[1])
    except LayoutError as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
