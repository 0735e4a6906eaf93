#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: differences_system.py SEED N [GROUP...]      ask
       differences_system.py list                   the groups

As differences.py, but what an administrator asks for with ip, devlink, rdma, tc and sysfs. What a request has changed of the interface is
looked at and taken back; other settings go with the driver.
"""

import glob
import json
import os
import random
import re
import subprocess
import sys

NUMBERS = (0, 1, 2, 3, 8, 15, 16, 63, 64, 67, 68, 69, 255, 256, 575, 576, 1279, 1280, 1499, 1500, 1501, 4200, 8999, 9000, 9216,
           9977, 9978, 9979, 9982, 10000, 65535, 65536, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32)
MAC = "<00:00:00:00:00:00|ff:ff:ff:ff:ff:ff|01:00:5e:00:00:01|33:33:00:00:00:01|02:11:22:33:44:55|00:11:22:33:44:55>"
ON = "<on|off>"
FEATURES = ("<rx|tx|sg|tso|gso|gro|lro|rxvlan|txvlan|ntuple|rxhash|rx-fcs|rx-all|hw-tc-offload|rx-vlan-filter|tx-udp-segmentation|"
            "tx-gre-segmentation|tx-udp_tnl-segmentation|rx-gro-hw|loopback|l2-fwd-offload|tls-hw-tx-offload>")

# Requests: commands without their first word, with NETDEV, IBDEV and PCI (devlink's name), N for one of the numbers, and <one|of|these>
LINK = (f"promisc {ON}", f"allmulticast {ON}", f"multicast {ON}", f"arp {ON}", f"dynamic {ON}", f"trailers {ON}", f"carrier {ON}",
        f"protodown {ON}", "txqueuelen N", "gso_max_size N", "gso_max_segs N", "gso_ipv4_max_size N", "gro_max_size N",
        "gro_ipv4_max_size N", "mode <dormant|default>", "group N")
LINK_DEFAULTS = {"promisc": "off", "allmulticast": "off", "multicast": "on", "arp": "on", "dynamic": "off", "trailers": "on",
                 "carrier": "on",
                 "protodown": "off", "txqueuelen": "1000", "mode": "default", "group": "0"}
LINK_SHOWN = ("flags", "promiscuity", "allmulti", "txqlen", "gso_max_size", "gso_max_segs", "tso_max_size", "tso_max_segs", "num_tx_queues",
              "num_rx_queues", "linkmode")
REPORTER = "reporter <fw|fw_fatal|tx|rx|vnic|none>"
PARAMETERS = ("<enable_roce|enable_rdma|enable_eth|enable_vnet|enable_iwarp|flow_steering_mode|io_eq_size|event_eq_size|max_macs|"
              "fw_load_policy|hairpin_num_queues|esw_multiport|esw_port_metadata|enable_sriov|no_such>")
VALUE = "value <true|false|0|1|63|64|4096|4097|smfs|dmfs> cmode <driverinit|runtime|permanent>"
DEVLINK = 10 * (f"dev param set PCI name {PARAMETERS} {VALUE}",) + (
    f"health set PCI {REPORTER} <grace_period|auto_recover|auto_dump> <0|true|500>", f"health test PCI {REPORTER}",
    "dev eswitch show PCI", "dev reload PCI action fw_activate limit no_reset", "port set PCI/<0|1|65535> type <eth|ib|auto>",
    "port function rate show", "trap show PCI", "dev selftests show PCI", "lc show PCI", "sb show PCI")
RDMA = (f"dev set IBDEV adaptive-moderation {ON}", "dev show IBDEV -d",
        f"statistic qp set link IBDEV/1 auto <type|pid|type,pid|on|off> {ON}",
        "statistic qp show link IBDEV/1", "statistic show link IBDEV/1", "statistic mode supported link IBDEV/1",
        "statistic qp bind link IBDEV/1 lqpn <0|1|2|0x99>", "statistic qp unbind link IBDEV/1 cntn <0|1|2>",
        "statistic set link IBDEV/1 optional-counters <cc_rx_ce_pkts|cc_rx_cnp_pkts,cc_tx_cnp_pkts|rdma_tx_bytes|none_such>",
        "statistic unset link IBDEV/1 optional-counters", "statistic mr show dev IBDEV", "resource show <qp|cq|mr|pd|cm_id|ctx|srq>",
        "resource show qp link IBDEV/1 -d", "-r resource show <qp|cq|mr|srq>", "link show IBDEV/1 -d", "system show",
        "dev newdev x type y parent IBDEV", "link add x type rxe netdev none", "monitor none", "dev set IBDEV netns none",
        "dev set IBDEV privileged-qkey on")
QDISC = ("root mqprio num_tc <0|1|2|8|16> map 0 0 1 1 hw <0|1|2>", "root mqprio num_tc 2 map 0 1 queues <1@0|1@1|2@0|1@2> 1@1 hw 1",
         "root mqprio num_tc 2 map 0 1 queues 1@0 1@1 hw 1 mode channel shaper bw_rlimit max_rate 1Gbit 2Gbit",
         "root taprio num_tc 2 map 0 1 queues 1@0 1@1 flags 0x2 base-time 0 sched-entry S 03 300000", "root htb offload", "root mq",
         "root fq",
         "root etf clockid CLOCK_TAI offload", "clsact", "ingress", "root noqueue", "root prio", "root tbf rate 1gbit burst 10k limit 1m",
         "root red limit 100000 avpkt 1000", "root ets bands 3")
MATCH = ("flower skip_sw", "flower skip_sw ip_proto tcp dst_port 80", "flower skip_sw dst_mac 02:00:00:00:00:01", "matchall skip_sw",
         "u32 skip_sw match u32 0 0", "flower", "flower skip_hw ct_state +trk")
ACTION = ("drop", "pass", "mirred egress redirect dev lo", "skbedit mark 5", "vlan push id 3", "police rate 1gbit burst 10k",
          "goto chain 1")
ABOVE = (f"bridge fdb add {MAC} dev NETDEV", f"bridge fdb add {MAC} dev NETDEV self <permanent|dynamic>",
         "bridge link set dev NETDEV hwmode <vepa|veb>", "bridge link show dev NETDEV", f"ip maddr add {MAC} dev NETDEV",
         "ip link add link NETDEV name dif0 type vlan id <0|1|4094|4095> protocol <802.1q|802.1ad>",
         "ip link add link NETDEV name dif0 type macvlan mode <bridge|passthru|private|source>",
         "ip link add link NETDEV name dif0 type ipvlan",
         "ip link add link NETDEV name dif0 type macsec", "ip link add name dif0 type vxlan id 5 dev NETDEV dstport 4789 group 239.1.1.1",
         "ip link set NETDEV master none", "ip link set NETDEV name a-name-that-is-too-long",
         "ip link set NETDEV xdp off", "ip link set NETDEV xdpoffload off", "ip link set NETDEV numtxqueues 2",
         "ip link property add dev NETDEV altname other", "ip link del NETDEV", "ip tuntap del NETDEV mode tap")
UNDO = (("bridge fdb add (.*)", r"bridge fdb del \1"), ("ip maddr add (.*)", r"ip maddr del \1"),
        ("ip link property add (.*)", r"ip link property del \1"), ("ip link add .*", "ip link del dif0"))
# Files below the interface, the PCI function and the RDMA device, with what is written
FILES = {"net": ("mtu N", "tx_queue_len N", "flags <0x1003|0x1103|0x1203>", "gro_flush_timeout N", "napi_defer_hard_irqs N",
                 "threaded <0|1|2>",
                 "proto_down <0|1>", "ifalias x", "group N", "queues/tx-0/xps_cpus <0|1|3|ffff|x>", "queues/tx-0/xps_rxqs <0|1|3>",
                 "queues/tx-0/tx_maxrate N", "queues/rx-0/rps_cpus <0|1|3>", "queues/rx-0/rps_flow_cnt <0|1|3|65536>",
                 "queues/tx-0/byte_queue_limits/limit_max N"),
         "pci": ("sriov_numvfs <0|1|1000>", "sriov_drivers_autoprobe <0|1>", "broken_parity_status <0|1>",
                 "msi_bus <0|1>",
                 "d3cold_allowed <0|1>", "power/control <auto|on>", "reset_method <flr|none>"),
         "ib": ("node_desc x", "node_desc " + "x" * 63, "node_desc " + "x" * 65, "ports/1/hw_counters/lifespan N",
                "hw_counters/lifespan N")}
NOT_LISTED = re.compile(r"power|msi_irqs|queues|statistics|net|infiniband.*|ptp|hwmon|gids|gid_attrs|ndevs|types|byte_queue_limits")


def run(*words):
    """(exit code, output, errors)"""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False, text=True)
    except subprocess.TimeoutExpired:
        return 124, "", "no answer in a minute"
    return done.returncode, done.stdout, done.stderr


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


class System:
    """The adapter's function, interface and RDMA device"""

    def __init__(self):
        self.pci = next(d for d in sorted(glob.glob("/sys/bus/pci/devices/*")) if read(d + "/vendor") == "0x15b3")
        self.bdf = os.path.basename(self.pci)
        self.netdev, self.ibdev = os.listdir(self.pci + "/net")[0], os.listdir(self.pci + "/infiniband")[0]
        self.roots = {"net": f"/sys/class/net/{self.netdev}", "pci": self.pci, "ib": f"/sys/class/infiniband/{self.ibdev}"}

    def named(self, text):
        return text.replace("NETDEV", self.netdev).replace("IBDEV", self.ibdev).replace("PCI", "pci/" + self.bdf)

    def plain(self, text):
        """Without the names of drivers, interfaces and devices"""
        text = text.replace(self.netdev, "NETDEV").replace(self.ibdev, "IBDEV").replace(self.bdf, "BDF")
        return re.sub(r"\b(cxr|mlx5)_\w+", "DRIVER", text)

    def link(self, *names):
        shown = json.loads(run("ip", "-j", "-d", "link", "show", self.netdev)[1])[0]
        return {name: str(shown.get(name)).replace(" ", "") for name in names}

    def features(self):
        return [line.split()[:2] for line in run("ethtool", "-k", self.netdev)[1].splitlines()[1:]]

    def parameters(self):
        shown = json.loads(run("devlink", "-j", "dev", "param", "show", "pci/" + self.bdf)[1].strip() or '{"param": {"": []}}')
        return {p["name"] for p in next(iter(shown["param"].values()))}


class Asker:
    """One request of the administrator"""

    def __init__(self, rand, system):
        self.rand, self.system = rand, system
        self.text = []

    def choose(self, *requests):
        """One of them, with its choices made"""
        text = re.sub("<([^>]*)>", lambda choice: self.rand.choice(choice[1].split("|")), self.rand.choice(requests))
        return re.sub(r"\bN\b", lambda _: str(self.rand.choice(NUMBERS)), text)

    def do(self, command):
        """Run it; whether, and in which words, it is refused"""
        words = self.system.named(command).split()
        self.text.append(self.system.plain(" ".join(words)))
        code, out, err = run(*words)
        said = re.sub(r"\s+", "_", self.system.plain(err or out).strip()) if code else ""
        return {"result": code, "said": said[:160]}

    def undo(self, command):
        run(*self.system.named(command).split())

    # ---- requests -------------------------------------------------------------------------------------------------------------

    def ask_mtu(self):
        """MTUs"""
        came = self.do(self.choose("ip link set NETDEV mtu N"))
        came.update(self.system.link("mtu", "min_mtu", "max_mtu", "flags"))
        self.undo("ip link set NETDEV mtu 1500")
        return came

    def ask_address(self):
        """MAC addresses"""
        before = self.system.link("address")["address"]
        came = self.do(self.choose(f"ip link set NETDEV address {MAC}"))
        came["changed"] = self.system.link("address")["address"] != before
        self.undo(f"ip link set NETDEV address {before}")
        return came

    def ask_link(self):
        """attributes of the interface"""
        request = self.choose(*LINK)
        name = request.split()[0]
        before = self.system.link(name)[name]
        came = self.do(f"ip link set NETDEV {request}")
        came.update(self.system.link(*LINK_SHOWN))
        self.undo(f"ip link set NETDEV {name} {LINK_DEFAULTS.get(name, before)}")
        return came

    def ask_feature(self):
        """features, one after the other"""
        before = self.system.features()
        came = self.do(self.choose(f"ethtool -K NETDEV {FEATURES} {ON}"))
        changed = [(old, new) for old, new in zip(before, self.system.features()) if old != new]
        came["changed"] = ",".join("".join(new) for _, new in changed)
        for (name, value), _ in changed:
            self.undo(f"ethtool -K NETDEV {name.rstrip(':')} {value}")
        return came

    def ask_devlink(self):
        """devlink parameters and reporters"""
        request = self.choose(*DEVLINK)
        came = self.do("devlink " + request)
        if request.startswith("dev param"):
            came["known"] = request.split()[5] in self.system.parameters()
        return came

    def ask_rdma(self):
        """the rdma tool"""
        return self.do("rdma " + self.choose(*RDMA))

    def ask_tc(self):
        """queueing disciplines and filters in hardware"""
        qdisc = self.choose(*QDISC)
        came = self.do(f"tc qdisc replace dev NETDEV {qdisc}")
        if came["result"] == 0 and qdisc in ("clsact", "ingress"):
            came = self.do(self.choose("tc filter add dev NETDEV ingress proto <ip|all|802.1q> ") +
                           f"{self.choose(*MATCH)} action {self.choose(*ACTION)}")
        for where in ("root", "clsact", "ingress"):
            self.undo(f"tc qdisc del dev NETDEV {where}")
        return came

    def ask_above(self):
        """filters of addresses and VLANs, bridging, XDP, and what is above the interface"""
        request = self.choose(*ABOVE)
        came = self.do(request)
        if request.startswith("ip link add"):
            self.undo("ip link set dif0 up")
        for made, undo in UNDO:
            if came["result"] == 0 and re.fullmatch(made, request):
                self.undo(re.sub(made, undo, request))
        return came

    def ask_sysfs(self):
        """files of sysfs: which there are, and who may write them"""
        self.text.append("list")
        files = {}
        for root in self.system.roots.values():
            for folder, folders, names in os.walk(os.path.realpath(root)):
                folders[:] = [f for f in folders if not NOT_LISTED.fullmatch(f)]
                for path in (os.path.join(folder, name) for name in names):
                    name = re.sub(r".*/(NETDEV|IBDEV|BDF)/", r"\1/", self.system.plain(path))
                    files[name] = f"{os.stat(path).st_mode & 0o777:o}"
        return {"result": 0, **files}

    def ask_write(self):
        """files of sysfs that are written"""
        where = self.rand.choice(sorted(FILES))
        name, value = self.choose(*FILES[where]).split()
        path = f"{self.system.roots[where]}/{name}"
        self.text.append(self.system.plain(f"{path} < {value}"))
        came = {"result": 0}
        try:
            before = read(path)
        except OSError as e:
            return {"result": f"unreadable:{e.errno}"}
        for text in (value, before):
            try:
                with open(path, "w", encoding="ascii") as f:
                    f.write(text + "\n")
            except OSError as e:
                if text == value:
                    came["result"] = e.errno
            came.setdefault("now", re.sub(r"\s+", "_", read(path)))
        return came


GROUPS = {name.removeprefix("ask_"): method for name, method in vars(Asker).items() if name.startswith("ask_")}
ONCE = {"sysfs"}    # there is nothing to choose


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(f"{group}\t{method.__doc__}: as with the in-tree driver" for group, method in GROUPS.items()))
        return
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    seed, count, groups = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(GROUPS)
    system = System()
    for group in groups:
        for number in range(1 if group in ONCE else count):
            asker = Asker(random.Random(f"{seed} {group} {number}"), system)
            came = GROUPS[group](asker)
            code = came.pop("result")
            fields = " ".join(f"{name}={value}" for name, value in came.items())
            print(f"{group} {number}\t{' ; '.join(asker.text)}\t{'ok' if code == 0 else code} {fields}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
