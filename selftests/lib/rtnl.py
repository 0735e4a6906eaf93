# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Changes links and addresses by rtnetlink in several network namespaces, without a process for each change."""

import ipaddress
import os
import socket
import struct

NEWLINK, DELLINK, GETLINK, NEWADDR, DELADDR = 16, 17, 18, 20, 21
REQUEST, ACK, EXCL, CREATE = 1, 4, 0x200, 0x400
ERROR = 2
IFLA_ADDRESS, IFLA_IFNAME, IFLA_LINK, IFLA_LINKINFO, IFLA_NET_NS_FD = 1, 3, 5, 18, 28
INFO_KIND, INFO_DATA = 1, 2
VLAN_ID, MACVLAN_MODE, MACVLAN_BRIDGE = 1, 1, 4
IFA_ADDRESS, IFA_LOCAL, IFA_FLAGS, IFA_F_NODAD = 1, 2, 8, 2
IFF_UP = 1


def attr(kind, value):
    value = value if isinstance(value, bytes) else struct.pack("I", value)
    return struct.pack("HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def mac_bytes(mac):
    return bytes.fromhex(mac.replace(":", ""))


class Namespace:
    """A network namespace: that of the process, or a new one, which exists while its handle is open."""

    def __init__(self, new=False):
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        if new:
            os.unshare(os.CLONE_NEWNET)
        self.fd = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self.sock.bind((0, 0))
        self.seq = 0
        os.setns(home, os.CLONE_NEWNET)
        os.close(home)

    def sysctl(self, settings):
        """Set files below /proc/sys/net/ipv6/conf; returns the previous values."""
        before = {}
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        os.setns(self.fd, os.CLONE_NEWNET)
        for name, value in settings.items():
            with open(f"/proc/sys/net/ipv6/conf/{name}", "r+", encoding="ascii") as f:
                before[name] = f.read().strip()
                f.seek(0)
                f.write(str(value))
        os.setns(home, os.CLONE_NEWNET)
        os.close(home)
        return before

    def close(self):
        self.sock.close()
        os.close(self.fd)

    def request(self, kind, body, flags=0):
        """Send a request; returns the answer, or raises OSError if it is refused."""
        self.seq += 1
        self.sock.send(struct.pack("IHHII", 16 + len(body), kind, REQUEST | flags, self.seq, 0) + body)
        reply = self.sock.recv(65536)
        if struct.unpack_from("H", reply, 4)[0] == ERROR:
            code = -struct.unpack_from("i", reply, 16)[0]
            if code:
                raise OSError(code, os.strerror(code))
        return reply[16:]

    def index(self, name):
        body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + attr(IFLA_IFNAME, name.encode() + b"\0")
        return struct.unpack_from("i", self.request(GETLINK, body), 4)[0]

    def change(self, name, attrs=b"", flags=0, mask=0):
        self.request(NEWLINK, struct.pack("BxHiII", 0, 0, self.index(name), flags, mask) + attrs, ACK)

    def up(self, name):
        self.change(name, flags=IFF_UP, mask=IFF_UP)

    def down(self, name):
        self.change(name, mask=IFF_UP)

    def rename(self, name, new):
        self.change(name, attr(IFLA_IFNAME, new.encode() + b"\0"))

    def set_mac(self, name, mac):
        self.change(name, attr(IFLA_ADDRESS, mac_bytes(mac)))

    def move(self, name, namespace):
        self.change(name, attr(IFLA_NET_NS_FD, namespace.fd))

    def delete(self, name):
        self.request(DELLINK, struct.pack("BxHiII", 0, 0, self.index(name), 0, 0), ACK)

    def add(self, name, lower, kind, data, mac=None):
        body = struct.pack("BxHiII", 0, 0, 0, 0, 0)
        body += attr(IFLA_IFNAME, name.encode() + b"\0") + attr(IFLA_LINK, self.index(lower))
        if mac:
            body += attr(IFLA_ADDRESS, mac_bytes(mac))
        body += attr(IFLA_LINKINFO, attr(INFO_KIND, kind.encode()) + attr(INFO_DATA, data))
        self.request(NEWLINK, body, ACK | CREATE | EXCL)

    def add_vlan(self, name, lower, vlan):
        self.add(name, lower, "vlan", attr(VLAN_ID, struct.pack("H", vlan)))

    def add_macvlan(self, name, lower, mac):
        self.add(name, lower, "macvlan", attr(MACVLAN_MODE, MACVLAN_BRIDGE), mac)

    def address(self, kind, name, address, flags=0):
        a = ipaddress.ip_address(address)
        family, bits = (socket.AF_INET, 32) if a.version == 4 else (socket.AF_INET6, 128)
        body = struct.pack("BBBBI", family, bits, 0, 0, self.index(name))
        body += attr(IFA_LOCAL, a.packed) + attr(IFA_ADDRESS, a.packed) + attr(IFA_FLAGS, IFA_F_NODAD)
        self.request(kind, body, ACK | flags)

    def add_address(self, name, address):
        self.address(NEWADDR, name, address, CREATE | EXCL)

    def del_address(self, name, address):
        self.address(DELADDR, name, address)
