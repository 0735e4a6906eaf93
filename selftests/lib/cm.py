#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Connections, datagrams and multicast groups of rdma_cm, without the programs of librdmacm (whose buffers share pages).

  cm.py [ADDRESS...]          worker of lib/obey.sh; answers with what failed. Two children serve the addresses, with connected
                              and datagram service, until this process ends.

  ask ADDRESS[,PORT] SERVICE...     rc, ud: send a message and receive its answer; every byte is checked
  group ADDRESS GROUP               join from ADDRESS, send a message to the group, receive the answer of a member
  member ADDRESS GROUP              join, and answer the next message to the group

An answer is the message with each byte inverted. Nothing is destroyed before the process ends.
"""

import ctypes
import os
import random
import signal
import sys
import time

from pyverbs import cm_enums as ce
from pyverbs import enums as e
from pyverbs.addr import AH
from pyverbs.cmid import CMID, AddrInfo, CMEvent, CMEventChannel, ConnParam, UDParam
from pyverbs.cq import CQ
from pyverbs.mr import MR
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QPCap, QPInitAttr

from obey import obey

PORT = "7471"
SIZE = 1000
GRH = 40
WAIT_SECONDS = 30 * int(os.environ.get("CXR_PATIENCE", "1"))
TIMEOUT_MS = 1000 * WAIT_SECONDS	# of address and route resolution
GROUP_QPN = 0xffffff
SPACE = {"rc": ce.RDMA_PS_TCP, "ud": ce.RDMA_PS_UDP}
KEPT = []
PR_SET_PDEATHSIG = 1


class Wrong(Exception):
    """Unexpected event, completion or data"""


def inverted(data):
    return bytes(b ^ 0xff for b in data)


class End:
    """QP and buffers of an id. Two receives are posted, since a message to a group may be looped back."""

    def __init__(self, cmid, service):
        self.cmid, self.head = cmid, GRH if service == "ud" else 0
        self.cq = CQ(cmid.context, 8)
        kind = e.IBV_QPT_UD if service == "ud" else e.IBV_QPT_RC
        cap = QPCap(max_send_wr=2, max_recv_wr=2, max_send_sge=1, max_recv_sge=1)
        cmid.create_qp(QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, cap=cap, sq_sig_all=1))
        self.inboxes = [MR(cmid.pd, SIZE + GRH, e.IBV_ACCESS_LOCAL_WRITE) for _ in range(2)]
        self.outbox = MR(cmid.pd, SIZE, e.IBV_ACCESS_LOCAL_WRITE)
        KEPT.append(self)
        for inbox in self.inboxes:
            cmid.post_recv(inbox)

    def wait(self, opcode, seconds=WAIT_SECONDS):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            n, wcs = self.cq.poll(1)
            if n and wcs[0].status != e.IBV_WC_SUCCESS:
                raise Wrong(f"completion with status {wcs[0].status}, vendor {wcs[0].vendor_err:#x}")
            if n and wcs[0].opcode == opcode:
                return wcs[0]
            time.sleep(0.001)
        raise Wrong(f"no completion of opcode {opcode} in {seconds} s")

    def received(self, seconds=WAIT_SECONDS):
        """The next message: completion, buffer, text"""
        wc = self.wait(e.IBV_WC_RECV, seconds)
        inbox = self.inboxes.pop(0)
        data = inbox.read(SIZE, self.head)
        self.inboxes.append(inbox)
        self.cmid.post_recv(inbox)
        return wc, inbox, data

    def send(self, data, ah=None, qpn=0):
        self.outbox.write(data, SIZE)
        if ah is None:
            self.cmid.post_send(self.outbox)
        else:
            self.cmid.post_ud_send(self.outbox, ah, rqpn=qpn, length=SIZE)

    def answer(self):
        """Wait for a message, send it back inverted."""
        wc, inbox, data = self.received()
        ah = AH(self.cmid.pd, wc=wc, port_num=1, grh=inbox.buf) if self.head else None
        self.send(inverted(data), ah, wc.src_qp)


# --- the far end ----------------------------------------------------------------

def serve(service, addresses):
    channel = CMEventChannel()
    listeners = []
    for address in addresses:
        cmid = CMID(creator=channel, port_space=SPACE[service])
        cmid.bind_addr(AddrInfo(src=address, src_service=PORT, port_space=SPACE[service], flags=ce.RAI_PASSIVE))
        cmid.listen(4)
        listeners.append(cmid)
    ends = []
    while True:
        event = CMEvent(channel)
        kind = event.event_type
        try:
            if kind == ce.RDMA_CM_EVENT_CONNECT_REQUEST:
                end = End(CMID(creator=event, listen_id=listeners[0]), service)
                ends.append(end)
                end.cmid.accept(ConnParam())
                if service == "ud":
                    end.answer()
            elif kind == ce.RDMA_CM_EVENT_ESTABLISHED:
                ends[-1].answer()
            elif kind == ce.RDMA_CM_EVENT_DISCONNECTED:
                ends[-1].cmid.disconnect()
        except (Wrong, PyverbsError) as why:
            print(f"{service}: {event.event_str()}: {why}", flush=True)
        event.ack_cm_event()


# --- the near end ---------------------------------------------------------------

def expect(channel, kind):
    event = CMEvent(channel)
    if event.event_type != kind:
        raise Wrong(f"event {event.event_str()}")
    return event


def swap(end, ah=None, qpn=0):
    """Send a message and check its answer"""
    data = random.randbytes(SIZE)
    end.send(data, ah, qpn)
    got = end.received()[2]
    if got != inverted(data):
        raise Wrong("the answer is not the inverted message")


def ask(service, address, port=PORT):
    channel = CMEventChannel()
    cmid = CMID(creator=channel, port_space=SPACE[service])
    KEPT.append((channel, cmid))
    cmid.resolve_addr(AddrInfo(dst=address, dst_service=port, port_space=SPACE[service]), TIMEOUT_MS)
    expect(channel, ce.RDMA_CM_EVENT_ADDR_RESOLVED).ack_cm_event()
    cmid.resolve_route(TIMEOUT_MS)
    expect(channel, ce.RDMA_CM_EVENT_ROUTE_RESOLVED).ack_cm_event()
    end = End(cmid, service)
    cmid.connect(ConnParam())
    event = expect(channel, ce.RDMA_CM_EVENT_ESTABLISHED)
    if service == "ud":
        param = UDParam(event)
        swap(end, AH(cmid.pd, attr=param.ah_attr), param.qp_num)
        event.ack_cm_event()
        return
    event.ack_cm_event()
    swap(end)
    cmid.disconnect()
    expect(channel, ce.RDMA_CM_EVENT_DISCONNECTED).ack_cm_event()


# --- groups ---------------------------------------------------------------------

class Member:
    """An end that has joined a group"""

    def __init__(self, address, group):
        self.channel = CMEventChannel()
        KEPT.append(self)
        cmid = CMID(creator=self.channel, port_space=ce.RDMA_PS_UDP)
        cmid.bind_addr(AddrInfo(src=address, src_service="0", port_space=ce.RDMA_PS_UDP, flags=ce.RAI_PASSIVE))
        cmid.resolve_addr(AddrInfo(src=address, dst=group, port_space=ce.RDMA_PS_UDP), TIMEOUT_MS)
        expect(self.channel, ce.RDMA_CM_EVENT_ADDR_RESOLVED).ack_cm_event()
        self.end = End(cmid, "ud")
        cmid.join_multicast(addr=AddrInfo(src=group, port_space=ce.RDMA_PS_UDP, flags=ce.RAI_PASSIVE))
        event = expect(self.channel, ce.RDMA_CM_EVENT_MULTICAST_JOIN)
        self.ah = AH(cmid.pd, attr=UDParam(event).ah_attr)
        event.ack_cm_event()

    def send(self, data):
        self.end.send(data, self.ah, GROUP_QPN)


def be_member(member):
    data = member.end.received(3600)[2]
    member.send(inverted(data))


def ask_group(address, group):
    member = Member(address, group)
    data = random.randbytes(SIZE)
    member.send(data)
    got = member.end.received()[2]
    if got == data:		# looped back
        got = member.end.received()[2]
    if got != inverted(data):
        raise Wrong("the answer is not the inverted message")


def do(words):
    """Execute a request; returns code, error text and the further work of a member"""
    what, *rest = words
    try:
        if what == "group":
            ask_group(*rest)
        elif what == "member":
            member = Member(*rest)
            return 0, "", lambda: be_member(member)
        else:
            for service in rest[1:]:
                ask(service, *rest[0].split(","))
    except (Wrong, PyverbsError) as error:
        return 1, f"{' '.join(words)}: {error}\n"
    return 0, ""


def serve_apart(service, addresses):
    if not os.fork():
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        serve(service, addresses)


def main(argv):
    if argv[1:]:
        for service in SPACE:
            serve_apart(service, argv[1:])
    obey(do)


if __name__ == "__main__":
    main(sys.argv)
