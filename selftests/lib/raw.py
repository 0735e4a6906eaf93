#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Raw packet QPs, flow rules and RSS: who receives which frame, byte for byte.

  raw.py obey HOST PORT DEV NETDEV IP   near end, a worker of lib/obey.sh whose requests are ids of tests; NETDEV is the interface
                                        of the same port as DEV, IP is the far end's address there; frames.py serves at HOST PORT
  raw.py list                           ids and sentences of the tests
"""

import errno
import json
import os
import socket
import struct
import sys
import time
import traceback
import types

from frames import IP, IP6, PEER_IP, PEER_IP6, Wire, csum, eth, ipv4, ipv6, mac_bytes, mac_text, payload
from obey import obey
from toeplitz import RSS_KEY, toeplitz

ETH_P_TEST = 0x88b6	# local experimental; 0x88b5 is used by windows (window.sh)
TESTS = []

# `list` needs no pyverbs: it is imported at the end.
# pylint: disable=possibly-used-before-assignment
class Skip(Exception):
    pass


# ---- the near end ----------------------------------------------------------------------------------

class Near:
    def __init__(self, host, port, dev, netdev, ip):
        self.ip = ip
        end = time.monotonic() + WAIT
        while True:
            try:
                self.peer = socket.create_connection((host, port), timeout=120 * PATIENCE)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        self.lines = self.peer.makefile("r")
        self.out = self.peer.makefile("w")
        self.peer_mac = mac_bytes(json.loads(self.lines.readline())["mac"])
        self.wire = Wire(netdev)
        self.mac = self.wire.mac
        self.ctx = Context(name=dev)
        self.pd = PD(self.ctx)
        self.here = {}

    def ask(self, **request):
        print(json.dumps(request), file=self.out, flush=True)
        return json.loads(self.lines.readline())

    def peer_sends(self, *frames):
        self.ask(op="send", frames=[f.hex() for f in frames])

    def peer_got(self, count):
        return [bytes.fromhex(f) for f in self.ask(op="receive", count=count, wait=WAIT)]

    def keep(self, queue):
        self.here[str(len(self.here))] = queue
        return queue

    def queue(self, **more):
        return self.keep(Queue(self, **more))

    def spread(self, *args, **more):
        return self.keep(Spread(self, *args, **more))

    # frames to this side
    def plain(self, ethertype=ETH_P_TEST, dst=None, **more):
        return eth(dst or self.mac, self.peer_mac, ethertype, payload(), **more)

    def v4(self, **more):
        return ipv4(self.mac, self.peer_mac, payload(), **more)

    def v6(self, **more):
        return ipv6(self.mac, self.peer_mac, payload(), **more)

    def arrive(self, wanted):
        """The peer sends frames: [(frame, receiver or None, ...)]; receivers are "interface" or keys of self.here. Each
        frame must reach these and no other. A final frame to the interface shows that all have arrived."""
        where = {f: [] for f, *_ in wanted}
        last = eth(self.mac, self.peer_mac, 0x88fe, payload())
        self.peer_sends(*[f for f, *_ in wanted], last)
        end, seen = time.monotonic() + WAIT, False
        while time.monotonic() < end and not seen:
            frame = self.wire.receive()
            seen = frame == last
            if frame in where:
                where[frame].append("interface")
        if not seen:
            raise Wrong("the interface did not receive the final frame")
        for name, queue in self.here.items():
            for frame in queue.receive():
                if frame not in where:
                    raise Wrong("%s received an unknown frame: %s" % (name, frame.hex()))
                where[frame].append(name)
        for i, (frame, *names) in enumerate(wanted):
            check("frame %d reached" % i, sorted(where[frame]), sorted(n for n in names if n))


def refused(codes, call, *args, **more):
    try:
        made = call(*args, **more)
    except PyverbsRDMAError as error:
        if error.error_code in codes:
            return
        raise Wrong("refused with %s" % errno.errorcode.get(error.error_code, error.error_code)) from error
    made.close()
    raise Wrong("not refused")


def test(function):
    TESTS.append((function.__name__, function.__doc__))
    return function


def ethertype(near, value=ETH_P_TEST, **more):
    return EthSpec(dst_mac=mac_text(near.mac), ether_type=value, **more)


# ---- tests -----------------------------------------------------------------------------------------

@test
def sends(near):
    """frames sent by a raw packet QP arrive unmodified"""
    queue = near.queue()
    frames = [eth(near.peer_mac, near.mac, ETH_P_TEST, payload(size)) for size in (46, 47, 100, 500, 1000, 1499, 1500)]
    queue.send(frames)
    check("the peer got", near.peer_got(len(frames)), frames)


@test
def segments(near):
    """a raw packet QP has the adapter cut what it sends into TCP segments"""
    cq = CQ(near.ctx, 16, None, None, 0)
    init = QPInitAttrEx(qp_type=e.IBV_QPT_RAW_PACKET, scq=cq, rcq=cq, cap=QPCap(max_send_wr=16, max_recv_wr=1), pd=near.pd,
                        send_ops_flags=e.IBV_QP_EX_WITH_TSO, max_tso_header=64,
                        comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | e.IBV_QP_INIT_ATTR_MAX_TSO_HEADER)
    qp = QPEx(near.ctx, init)
    qp.modify(QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1), e.IBV_QP_STATE | e.IBV_QP_PORT)
    for state in (e.IBV_QPS_RTR, e.IBV_QPS_RTS):
        qp.modify(QPAttr(qp_state=state), e.IBV_QP_STATE)
    data = b"".join(payload(n) for n in (1000, 1000, 500))
    whole = bytearray(ipv4(near.peer_mac, near.mac, data, proto=socket.IPPROTO_TCP, src_ip=IP, dst_ip=PEER_IP))
    whole[47] |= 0x20    # URG: receivers do not put them together again
    mr = MR(near.pd, SLOT + len(data), e.IBV_ACCESS_LOCAL_WRITE)
    mr.write(bytes(whole[:54]), 54)
    mr.write(data, len(data), SLOT)
    qp.wr_start()
    qp.wr_flags = e.IBV_SEND_SIGNALED | e.IBV_SEND_IP_CSUM
    qp.wr_send_tso(mr.buf, 54, 1000)
    qp.wr_set_sge(SGE(mr.buf + SLOT, len(data), mr.lkey))
    qp.wr_complete()
    got = near.peer_got(3)
    check("segments", [(struct.unpack_from(">I", f, 38)[0], f[54:]) for f in got],
          [(1, data[:1000]), (1001, data[1000:2000]), (2001, data[2000:])])
    check("headers", [(csum(f[14:34]), struct.unpack_from(">H", f, 16)[0]) for f in got], [(0, 1040), (0, 1040), (0, 540)])
    check("completions", [(wc.status, wc.wr_id) for wc in cq.poll(16)[1]], [(e.IBV_WC_SUCCESS, 0)])
    qp.close()


def heard(near, sender, receivers):
    """Which of a unicast and a multicast frame to this side reach each of the receivers"""
    frames = [eth(near.mac, near.mac, ETH_P_TEST, payload()),
              eth(mac_bytes("33:33:00:00:00:01"), near.mac, ETH_P_TEST, payload())]
    got = [[] for _ in receivers]
    for number, frame in enumerate(frames):
        sender.send([frame])
        end = time.monotonic() + 1 * PATIENCE
        while time.monotonic() < end and not all(number in seen for seen in got):
            for seen, receiver in zip(got, receivers):
                seen += [frames.index(f) for f in receiver.receive()]
    return got


@test
def own_process(near):
    """a raw packet QP hears its own process only if it was created for that, and other processes always"""
    receivers = [near.queue(own=own) for own in (0, SELF_UC, SELF_MC, SELF_UC | SELF_MC)]
    for receiver in receivers:
        receiver.rule(EthSpec(ether_type=ETH_P_TEST))
    check("of its own process", heard(near, near.queue(), receivers), [[], [0], [1], [0, 1]])
    other = types.SimpleNamespace(ctx=Context(name=near.ctx.name))
    other.pd = PD(other.ctx)
    sender = Queue(other)
    check("of another process", heard(near, sender, receivers), [[0, 1]] * 4)
    check("multicast frames of the peer", len(near.peer_got(2)), 2)
    sender.close()
    other.ctx.close()


@test
def ethernet_rule(near):
    """a flow rule takes matching frames from the interface, and no others"""
    queue = near.queue()
    flow = queue.rule(ethertype(near))
    near.arrive([(near.plain(), "0"), (near.plain(0x88b7), "interface"), (near.v4(), "interface")])
    flow.close()
    near.arrive([(near.plain(), "interface")])


@test
def source_rule(near):
    """rules on the source MAC, exact and masked"""
    near.queue().rule(EthSpec(src_mac="02:00:00:00:12:34", src_mac_mask="ff:ff:ff:ff:ff:ff"))
    near.queue().rule(EthSpec(src_mac="00:00:00:aa:00:00", src_mac_mask="00:00:00:ff:00:00"), priority=1)

    def frame(source):
        return eth(near.mac, mac_bytes(source), ETH_P_TEST, payload())

    near.arrive([(frame("02:00:00:00:12:34"), "0"), (frame("02:00:00:00:12:35"), "interface"),
                 (frame("02:00:00:aa:99:35"), "1")])


@test
def priorities(near):
    """the rule with the lower priority number wins"""
    one, two = near.queue(), near.queue()
    two.rule(ethertype(near), priority=1)
    near.arrive([(near.plain(), "1")])
    first = one.rule(ethertype(near))
    near.arrive([(near.plain(), "0"), (near.plain(0x88b7), "interface")])
    first.close()
    near.arrive([(near.plain(), "1")])


@test
def ipv4_rule(near):
    """rules on masked IPv4 addresses and on the TOS"""
    near.queue().rule(Ipv4ExtSpec(src_ip="198.51.100.0", src_ip_mask="255.255.255.0"))
    near.queue().rule(Ipv4ExtSpec(tos=0x28, tos_mask=0xfc), priority=1)
    near.arrive([(near.v4(src_ip="198.51.100.7"), "0"), (near.v4(src_ip="198.51.101.7"), "interface"),
                 (near.v4(tos=0x2a), "1"), (near.v4(ttl=9), "interface"), (near.v6(), "interface")])


@test
def hops_rule(near):
    """rules on TTL and hop limit"""
    if os.environ.get("CXR_DRIVER") == "mlx5":
        raise Skip("the in-tree driver refuses such a rule")
    near.queue().rule(Ipv4ExtSpec(dst_ip=IP, ttl=9, ttl_mask=0xff))
    near.queue().rule(Ipv6Spec(src_ip=PEER_IP6, dst_ip=IP6, hop_limit=64, hop_limit_mask=0xff), priority=3)
    near.arrive([(near.v4(ttl=9), "0"), (near.v4(ttl=8), "interface"), (near.v6(), "1")])


@test
def udp_rule(near):
    """rules on UDP ports over IPv4, exact and masked"""
    near.queue().rule(ethertype(near, 0x800), Ipv4ExtSpec(dst_ip=IP), TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=2001))
    near.queue().rule(TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, src_port=3072, src_port_mask=0xff00))
    near.arrive([(near.v4(dport=2001), "0"), (near.v4(dport=2002), "interface"), (near.v4(sport=3100), "1"),
                 (near.v4(dport=2001, proto=socket.IPPROTO_TCP), "interface"), (near.v6(sport=3101), "1")])


@test
def ipv6_rule(near):
    """rules on a TCP port over IPv6 and on the traffic class"""
    near.queue().rule(ethertype(near, 0x86dd), Ipv6Spec(src_ip=PEER_IP6, dst_ip=IP6, next_hdr=socket.IPPROTO_TCP),
                      TcpUdpSpec(e.IBV_FLOW_SPEC_TCP, src_port=1000, dst_port=2000))
    near.queue().rule(Ipv6Spec(src_ip=PEER_IP6, dst_ip=IP6, traffic_class=0x44, traffic_class_mask=0xff), priority=1)
    near.arrive([(near.v6(proto=socket.IPPROTO_TCP), "0"), (near.v6(), "interface"),
                 (near.v6(proto=socket.IPPROTO_TCP, src_ip="2001:db8::3"), "interface"), (near.v6(tclass=0x44), "1")])


@test
def vlan_rule(near):
    """a VLAN rule matches neither untagged frames nor other VLANs"""
    near.queue().rule(ethertype(near, vlan_tag=0x2064, vlan_tag_mask=0xffff))
    near.queue().rule(ethertype(near), priority=1)	# the interface may filter VLANs
    near.arrive([(near.plain(vlan=0x2064), "0"), (near.plain(vlan=0x2065), "1"), (near.plain(vlan=0x0064), "1"),
                 (near.plain(), "1")])


@test
def drop_rule(near):
    """a drop rule drops matching frames"""
    queue = near.queue()
    flow = queue.rule(ethertype(near), Action(e.IBV_FLOW_SPEC_ACTION_DROP))
    near.arrive([(near.plain(), None), (near.plain(0x88b7), "interface")])
    flow.close()
    near.arrive([(near.plain(), "interface")])


@test
def tag_rule(near):
    """a rule sets the flow tag"""
    queue = near.queue(tags=True)
    queue.rule(ethertype(near), Action(e.IBV_FLOW_SPEC_ACTION_TAG, 0x123456))
    queue.rule(ethertype(near, 0x88b7))
    near.arrive([(near.plain(), "0"), (near.plain(0x88b7), "0")])
    check("tags", [t & 0xffffff for t in queue.tags], [0x123456, 0])


@test
def shared_rule(near):
    """a DONT_TRAP rule copies matching frames"""
    queue = near.queue()
    queue.rule(ethertype(near), flags=e.IBV_FLOW_ATTR_FLAGS_DONT_TRAP)
    near.arrive([(near.plain(), "0", "interface"), (near.plain(0x88b7), "interface")])


@test
def shared_refused(near):
    """a DONT_TRAP rule that the device has refused once copies matching frames the next time"""
    queue = near.queue()
    queue.rule(ethertype(near, 0x88b7))
    refused((errno.EINVAL,), queue.rule, ethertype(near), flags=e.IBV_FLOW_ATTR_FLAGS_DONT_TRAP)
    queue.rule(ethertype(near), flags=e.IBV_FLOW_ATTR_FLAGS_DONT_TRAP)
    near.arrive([(near.plain(), "0", "interface"), (near.plain(0x88b7), "0")])


@test
def root_refused(near):
    """the interface receives when the device has refused to make its table the first one again"""
    queue = near.queue()
    queue.rule(ethertype(near)).close()
    near.arrive([(near.plain(), "interface")])
    flow = queue.rule(ethertype(near))
    near.arrive([(near.plain(), "0"), (near.plain(0x88b7), "interface")])
    flow.close()
    near.arrive([(near.plain(), "interface")])


@test
def same_rule(near):
    """two QPs with the same rule both receive"""
    near.queue().rule(ethertype(near))
    near.queue().rule(ethertype(near))
    near.arrive([(near.plain(), "0", "1")])


class Match:
    """A matcher in the device's layout (mlx5dv_create_flow_matcher), and its rules"""
    OUTER = 1

    def __init__(self, near, mask, criteria=OUTER, **more):
        # kept: the attributes only point to it
        self.mask = Mlx5FlowMatchParameters(len(mask), mask)
        self.matcher = Mlx5FlowMatcher(near.ctx, Mlx5FlowMatcherAttr(match_mask=self.mask, match_criteria_enable=criteria, **more))

    def rule(self, value, *actions):
        return Mlx5Flow(self.matcher, Mlx5FlowMatchParameters(len(value), value), list(actions), len(actions))

    def close(self):
        self.matcher.close()


def to_qp(queue):
    return Mlx5FlowActionAttr(action_type=dve.MLX5DV_FLOW_ACTION_DEST_IBV_QP, qp=queue.qp)


def outer(near, kind=0, ip=b"", port=0):
    """Headers in the device's layout: the near end's MAC, Ethertype, destination of IPv4, destination port of UDP"""
    return (bytes(6) + kind.to_bytes(2, "big") + near.mac + bytes(2) + bytes([17 if port else 0]) + bytes(13) +
            port.to_bytes(2, "big") + bytes(28) + (ip or bytes(4)))


@test
def matcher(near):
    """a rule in the device's layout puts frames into a queue"""
    queue = near.queue()
    match = Match(near, bytes(6) + b"\xff\xff" + b"\xff" * 6)
    # Here what is set outside of the mask has no meaning; the in-tree driver passes it on.
    more = {"port": 2001} if os.environ.get("CXR_DRIVER") == "cxr" else {}
    rule = match.rule(outer(near, ETH_P_TEST, **more), to_qp(queue))
    near.arrive([(near.plain(), "0"), (near.plain(0x88b7), "interface"), (near.v4(), "interface")])
    rule.close()
    match.close()
    near.arrive([(near.plain(), "interface")])


@test
def matcher_fields(near):
    """the same by address and port, before a rule by verbs of a later priority"""
    queue, other = near.queue(), near.queue()
    match = Match(near, bytes(8) + b"\xff" * 6 + bytes(2) + b"\xff" + bytes(13) + b"\xff\xff" + bytes(28) + b"\xff" * 4)
    rule = match.rule(outer(near, ip=socket.inet_aton(IP), port=2001), to_qp(queue))
    other.rule(ethertype(near, 0x800), priority=1)
    near.arrive([(near.v4(dport=2001), "0"), (near.v4(dport=2002), "1"), (near.plain(), "interface")])
    rule.close()
    match.close()


def to_xrc_target(near, match):
    """A program's QP that the driver does not know"""
    domain = XRCD(near.ctx, XRCDInitAttr(e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS, os.O_CREAT, -1))
    target = QP(near.ctx, QPInitAttrEx(qp_type=e.IBV_QPT_XRC_RECV, comp_mask=e.IBV_QP_INIT_ATTR_XRCD, xrcd=domain))
    refused([errno.EINVAL], match.rule, outer(near), Mlx5FlowActionAttr(action_type=dve.MLX5DV_FLOW_ACTION_DEST_IBV_QP, qp=target))
    target.close()
    domain.close()


@test
def matcher_wrong(near):
    """matchers and rules in the device's layout that are not possible are refused"""
    queue = near.queue()
    macs = bytes(8) + b"\xff" * 6
    refused([errno.EINVAL, errno.EOPNOTSUPP], lambda: Match(near, macs, comp_mask=1, ft_type=dve.MLX5DV_FLOW_TABLE_TYPE_FDB_))
    match = Match(near, macs)
    far = Match(near, macs, priority=4000)
    refused([errno.ENOMEM], far.rule, outer(near), to_qp(queue))
    far.close()
    to_xrc_target(near, match)
    # The in-tree driver does not look at masks before there is a rule, and warns of itself if that goes nowhere.
    if os.environ.get("CXR_DRIVER") == "cxr":
        refused([errno.EINVAL], match.rule, outer(near))
        refused([errno.EINVAL], lambda: Match(near, macs, criteria=0))
        refused([errno.EOPNOTSUPP], lambda: Match(near, bytes(0x80) + b"\xff", criteria=4))	# inner headers
        refused([errno.EOPNOTSUPP], lambda: Match(near, macs, flags=e.IBV_FLOW_ATTR_FLAGS_EGRESS))
    match.close()
    near.arrive([(near.plain(), "interface")])


def needs_default_rules():
    if os.environ.get("CXR_DRIVER") == "mlx5" and os.environ.get("CXR_KERNEL") == "7.2":
        raise Skip("the in-tree driver of 7.2 refuses default rules, without asking the device")


@test
def all_default(near):
    """an all-default rule gets unmatched frames"""
    needs_default_rules()
    queue = near.queue()
    flow = queue.rule(kind=e.IBV_FLOW_ATTR_ALL_DEFAULT)
    other = mac_bytes("02:00:00:00:77:77")
    near.arrive([(near.plain(), "interface"), (near.plain(dst=other), "0"),
                 (near.plain(dst=mac_bytes("01:00:5e:01:02:03")), "0")])
    flow.close()
    near.arrive([(near.plain(dst=other), None)])


@test
def multicast_default(near):
    """a multicast-default rule gets unmatched multicast frames"""
    needs_default_rules()
    queue = near.queue()
    queue.rule(kind=e.IBV_FLOW_ATTR_MC_DEFAULT)
    near.arrive([(near.plain(dst=mac_bytes("02:00:00:00:77:77")), None), (near.plain(dst=b"\xff" * 6), "interface"),
                 (near.plain(dst=mac_bytes("01:00:5e:01:02:03")), "0")])


@test
def interface_works(near):
    """the interface works beside rules of every kind"""
    needs_default_rules()
    near.queue().rule(ethertype(near))
    near.queue().rule(TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=99), priority=9)
    near.queue().rule(ethertype(near, 0x800), priority=15, flags=e.IBV_FLOW_ATTR_FLAGS_DONT_TRAP)
    near.queue().rule(kind=e.IBV_FLOW_ATTR_ALL_DEFAULT)
    if os.system("ping -q -i 0.2 -c 5 -W %d %s" % (WAIT, near.ip)):
        raise Wrong("ping failed")
    copies = len(near.here["2"].receive())
    if copies < 5:
        raise Wrong("the DONT_TRAP rule got %d of 5 replies" % copies)


@test
def wrong_rules(near):
    """invalid and unsupported rules are refused"""
    queue = near.queue()
    refused([errno.EOPNOTSUPP], queue.rule, kind=e.IBV_FLOW_ATTR_SNIFFER)
    refused([errno.ENOSPC, errno.ENOMEM], queue.rule, ethertype(near), priority=4000)
    refused([errno.EINVAL], queue.rule, Action(0x77))
    if os.environ.get("CXR_DRIVER") == "cxr":	# the in-tree driver ignores the port, and uses the last header of the two
        refused([errno.EINVAL], queue.rule, ethertype(near), port=7)
        refused([errno.EINVAL], queue.rule, Ipv4ExtSpec(dst_ip=IP), Ipv6Spec(src_ip=PEER_IP6, dst_ip=IP6))
        refused([errno.EINVAL], queue.rule, ethertype(near, 0x86dd), Ipv4ExtSpec(dst_ip=IP))
        refused([errno.EOPNOTSUPP], queue.rule, Ipv6Spec(src_ip=PEER_IP6, dst_ip=IP6, flow_label=5))
    near.arrive([(near.plain(), "interface"), (near.v4(), "interface")])


@test
def many_rules(near):
    """a hundred rules, half of them removed and replaced"""
    queue = near.queue()
    flows = [queue.rule(TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=5000 + i)) for i in range(100)]
    near.arrive([(near.v4(dport=5000 + i), "0") for i in range(0, 100, 9)] + [(near.v4(dport=5100), "interface")])
    for flow in flows[::2]:
        flow.close()
    near.arrive([(near.v4(dport=5000), "interface"), (near.v4(dport=5001), "0"), (near.v4(dport=5098), "interface"),
                 (near.v4(dport=5099), "0")])
    for i in range(0, 100, 2):
        queue.rule(TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=6000 + i))
    near.arrive([(near.v4(dport=6000), "0"), (near.v4(dport=5098), "interface"), (near.v4(dport=6098), "0")])


@test
def checksums(near):
    """checksums are computed and verified"""
    queue = near.queue()
    queue.rule(ethertype(near, 0x800))
    good = near.v4()
    bad = bytearray(near.v4())
    bad[24] ^= 1
    near.arrive([(good, "0"), (bytes(bad), "0")])
    check("checksum flags", [bool(f & e.IBV_WC_IP_CSUM_OK) for f in queue.ok_flags], [True, False])
    frame = bytearray(ipv4(near.peer_mac, near.mac, payload(), src_ip=IP, dst_ip=PEER_IP))
    want = bytes(frame)
    frame[24:26] = b"\0\0"
    queue.send([bytes(frame)], e.IBV_SEND_IP_CSUM)
    got = near.peer_got(1)[0]
    check("the IPv4 header", got[14:34], want[14:34])
    check("the UDP checksum", csum(got[26:34] + struct.pack(">HH", 17, len(got) - 34) + got[34:]), 0)


def loses_tag(near, queue):
    """A tagged frame is received without its tag."""
    queue.rule(ethertype(near, vlan_tag=100, vlan_tag_mask=0xfff))
    tagged = near.plain(vlan=100)
    near.peer_sends(tagged)
    frames, end = [], time.monotonic() + WAIT
    while not frames and time.monotonic() < end:
        frames = queue.receive()
    check("frames", frames, [tagged[:12] + tagged[16:]])


@test
def strips_vlan(near):
    """VLAN stripping on a raw packet QP"""
    queue = near.queue(flags=e.IBV_QP_CREATE_CVLAN_STRIPPING)
    loses_tag(near, queue)


@test
def states(near):
    """a raw packet QP reports its state, flushes in error and works after a reset"""
    queue = near.queue(states=False)

    def state():
        return queue.qp.query(e.IBV_QP_STATE)[0].qp_state

    check("state", state(), e.IBV_QPS_RESET)
    queue.qp.modify(QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1), e.IBV_QP_STATE | e.IBV_QP_PORT)
    check("state", state(), e.IBV_QPS_INIT)
    for _ in range(4):
        queue.post()
    queue.rule(ethertype(near))
    near.arrive([(near.plain(), None)])
    queue.qp.modify(QPAttr(qp_state=e.IBV_QPS_RTR), e.IBV_QP_STATE)
    check("state", state(), e.IBV_QPS_RTR)
    near.arrive([(near.plain(), "0")])
    queue.qp.modify(QPAttr(qp_state=e.IBV_QPS_RTS), e.IBV_QP_STATE)
    check("state", state(), e.IBV_QPS_RTS)
    near.arrive([(near.plain(), "0")])
    queue.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    check("state", state(), e.IBV_QPS_ERR)
    flushed, end = [], time.monotonic() + WAIT
    while len(flushed) < 4 and time.monotonic() < end:
        flushed += [wc.status for wc in queue.poll()]
    check("flushed", flushed, [e.IBV_WC_WR_FLUSH_ERR] * 4)
    near.arrive([(near.plain(), None)])
    queue.qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
    check("state", state(), e.IBV_QPS_RESET)
    queue.posted = 0
    queue.up()
    near.arrive([(near.plain(), "0")])
    frame = eth(near.peer_mac, near.mac, ETH_P_TEST, payload())
    queue.send([frame])
    check("the peer got", near.peer_got(1), [frame])


@test
def interface_down(near):
    """rules survive the interface going down and up"""
    queue = near.queue()
    queue.rule(ethertype(near))
    netdev = near.wire.socket.getsockname()[0]
    if os.system("ip link set %s down" % netdev):
        raise Wrong("the interface cannot be set down")
    if os.system("ip link set %s up" % netdev):
        raise Wrong("the interface cannot be set up")
    end = time.monotonic() + 30 * PATIENCE
    with open("/sys/class/net/%s/operstate" % netdev, encoding="ascii") as state:
        while state.read() != "up\n" and time.monotonic() < end:
            time.sleep(0.05)
            state.seek(0)
    near.arrive([(near.plain(), "0"), (near.plain(0x88b7), "interface")])


def addresses(packet):
    return packet[26:34] if packet[12:14] == b"\x08\0" else packet[22:54]


def ports(packet):
    return packet[34:38] if packet[12:14] == b"\x08\0" else packet[54:58]


def is_spread(near, queue, frames, hashed):
    """Each frame reached the WQ selected by its hash, and more than one WQ was selected"""
    near.arrive([(f, "0") for f in frames])
    for wq, got in enumerate(queue.got):
        want = [f for f in frames if toeplitz(RSS_KEY, hashed(f)) % 8 % len(queue.wqs) == wq]
        # Different flows: the peer may send them out of order, on several queues.
        check("queue %d" % wq, sorted(got), sorted(want))
    if sum(bool(got) for got in queue.got) < 2:
        raise Wrong("one WQ got everything: frames by WQ are %s" % [len(got) for got in queue.got])


@test
def rss_ipv4(near):
    """RSS on IPv4 addresses"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV4 | e.IBV_RX_HASH_DST_IPV4)
    queue.rule(ethertype(near, 0x800))
    is_spread(near, queue, [near.v4(src_ip="198.51.100.%d" % i, sport=7 * i) for i in range(1, 33)], addresses)


@test
def rss_udp(near):
    """RSS on UDP ports over IPv4"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV4 | e.IBV_RX_HASH_DST_IPV4 | e.IBV_RX_HASH_SRC_PORT_UDP |
                        e.IBV_RX_HASH_DST_PORT_UDP)
    queue.rule(ethertype(near, 0x800))
    is_spread(near, queue, [near.v4(sport=1000 + 13 * i) for i in range(32)], lambda f: addresses(f) + ports(f))


@test
def rss_tcp6(near):
    """RSS on TCP ports over IPv6"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV6 | e.IBV_RX_HASH_DST_IPV6 | e.IBV_RX_HASH_SRC_PORT_TCP |
                        e.IBV_RX_HASH_DST_PORT_TCP)
    queue.rule(ethertype(near, 0x86dd))
    is_spread(near, queue, [near.v6(proto=socket.IPPROTO_TCP, dport=99 + 17 * i) for i in range(32)],
              lambda f: addresses(f) + ports(f))


@test
def rss_source(near):
    """RSS on the source address only"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV4)
    queue.rule(ethertype(near, 0x800))
    is_spread(near, queue, [near.v4(src_ip="198.51.100.%d" % i, dst_ip="192.0.2.%d" % (i % 7)) for i in range(1, 33)],
              lambda f: f[26:30])


@test
def rss_wrong(near):
    """invalid RSS configurations are refused"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV4)
    refused([errno.EINVAL], queue.make_qp, e.IBV_RX_HASH_SRC_IPV4 | e.IBV_RX_HASH_SRC_IPV6)
    refused([errno.EINVAL], queue.make_qp, e.IBV_RX_HASH_SRC_PORT_TCP | e.IBV_RX_HASH_SRC_PORT_UDP)
    refused([errno.EINVAL], queue.make_qp, 0)
    refused([errno.EINVAL], queue.make_qp, e.IBV_RX_HASH_SRC_IPV4, key=RSS_KEY[:39])
    refused([errno.EOPNOTSUPP], queue.make_qp, e.IBV_RX_HASH_SRC_IPV4, function=0x40)


@test
def wq_states(near):
    """a WQ flushes in error and works after a reset"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV4, n=1, log_size=1)
    queue.rule(ethertype(near))
    near.arrive([(near.plain(), "0")])
    queue.wqs[0].modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE, wq_state=e.IBV_WQS_ERR))
    flushed, end = 0, time.monotonic() + WAIT
    while flushed < 63 and time.monotonic() < end:
        n, wcs = queue.cqs[0].poll(16)
        for wc in wcs if n else []:
            check("status", wc.status, e.IBV_WC_WR_FLUSH_ERR)
            flushed += 1
    check("flushed", flushed, 63)
    near.arrive([(near.plain(), None)])
    for state in (e.IBV_WQS_RESET, e.IBV_WQS_RDY):
        queue.wqs[0].modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE, wq_state=state))
    queue.posted = 0
    queue.post(0)
    near.arrive([(near.plain(), "0")])


def without_receive(near):
    """How many there were, of all queues"""
    with open(f"/sys/class/infiniband/{near.ctx.name}/ports/1/hw_counters/out_of_buffer", encoding="ascii") as f:
        return int(f.read())


@test
def counted(near):
    """frames for which a raw packet QP or a WQ has no receive are counted in out_of_buffer"""
    if os.environ.get("CXR_DRIVER") == "mlx5":
        raise Skip("the in-tree driver sets the counters by MODIFY_RQ, where the card has that")
    for queue in (near.queue(receives=0), near.spread(e.IBV_RX_HASH_SRC_IPV4, n=1, log_size=1, receives=0)):
        before = without_receive(near)
        queue.rule(ethertype(near))
        near.arrive([(near.plain(), None), (near.plain(), None)])
        end = time.monotonic() + WAIT
        while without_receive(near) < before + 2 and time.monotonic() < end:
            time.sleep(0.05)
        check("without a receive", without_receive(near) - before, 2)
        queue.flows.pop().close()


@test
def wq_strips_vlan(near):
    """VLAN stripping on an RSS WQ"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV4, n=1, log_size=1, flags=e.IBV_WQ_FLAGS_CVLAN_STRIPPING)
    loses_tag(near, queue)


@test
def wq_changes(near):
    """VLAN stripping and the state of a WQ change by one command"""
    queue = near.spread(e.IBV_RX_HASH_SRC_IPV4, n=1, log_size=1, receives=0)
    queue.wqs[0].modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE, wq_state=e.IBV_WQS_RESET))
    # The third of them: raw.sh has the fourth one fail
    queue.wqs[0].modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE | e.IBV_WQ_ATTR_FLAGS, wq_state=e.IBV_WQS_RDY,
                               flags=e.IBV_WQ_FLAGS_CVLAN_STRIPPING, flags_mask=e.IBV_WQ_FLAGS_CVLAN_STRIPPING))
    queue.post(0)
    loses_tag(near, queue)


# ---- running ---------------------------------------------------------------------------------------

def test_id(name):
    return name.replace("_", ".")


def run(near, name):
    """Run test NAME; returns code and output"""
    near.here = {}
    try:
        next(globals()[n] for n, _ in TESTS if test_id(n) == name)(near)
        said = 0, ""
    except Skip as why:
        said = 4, f"SKIP: {why}\n"
    except Exception:	# report any error and go on with the next test
        said = 1, traceback.format_exc()
    for queue in reversed(near.here.values()):
        queue.close()
    while near.wire.receive():
        pass
    return said


def main(args):
    if args == ["list"]:
        for name, sentence in TESTS:
            print(test_id(name), sentence, sep="\t")
        return 0
    near = Near(args[1], int(args[2]), *args[3:6])
    return obey(lambda words: run(near, words[0]))


if sys.argv[1:2] == ["obey"]:
    from raw_queues import PATIENCE, SLOT, WAIT, Queue, Spread, Wrong, check
    from pyverbs import enums as e
    from pyverbs.cq import CQ
    from pyverbs.device import Context
    from pyverbs.mr import MR
    from pyverbs.pd import PD
    from pyverbs.providers.mlx5.mlx5_enums import MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC as SELF_MC
    from pyverbs.providers.mlx5.mlx5_enums import MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC as SELF_UC
    from pyverbs.providers.mlx5 import mlx5_enums as dve
    from pyverbs.providers.mlx5.mlx5dv_flow import Mlx5Flow, Mlx5FlowActionAttr, Mlx5FlowMatcher, Mlx5FlowMatcherAttr
    from pyverbs.providers.mlx5.mlx5dv_flow import Mlx5FlowMatchParameters
    from pyverbs.pyverbs_error import PyverbsRDMAError
    from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttrEx
    from pyverbs.spec import EthSpec, Ipv4ExtSpec, Ipv6Spec, Spec, TcpUdpSpec
    from pyverbs.wq import WQAttr
    from pyverbs.wr import SGE
    from pyverbs.xrcd import XRCD, XRCDInitAttr
    import ctypes

    class Action(Spec):
        """A flow spec for the action of a rule"""

        def __init__(self, kind, number=None):
            self.raw = struct.pack("=IH", kind, 8 if number is None else 12) + b"\0\0"
            if number is not None:
                self.raw += struct.pack("=I", number)

        @property
        def size(self):
            return len(self.raw)

        def _copy_data(self, where):
            ctypes.memmove(where, self.raw, len(self.raw))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
