#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: test_compat.py

Tests of include/compat on kernels that no distribution has headers of: compat.h is preprocessed for a version, with what `ask' finds in
the lines of headers that matter. Output is KTAP.
"""

import os
import re
import subprocess
import sys
import tempfile

from sentences import run

REPO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ASK = os.path.join(REPO, "include/compat/ask")
COMPAT = os.path.join(REPO, "include/compat/compat.h")
OPTIONS = ("64BIT", "INFINIBAND_USER_ACCESS", "DIMLIB", "PAGE_POOL", "NET_DEVLINK")

# Lines of headers as releases have them. What a later release adds comes on top of this.
OLD = {
    "linux/sysfs.h": "ssize_t (*read)(struct file *, struct kobject *, struct bin_attribute *,\n char *, loff_t, size_t);",
    "linux/timecounter.h": "u64 (*read)(const struct cyclecounter *cc);",
    "linux/dim.h": " * by net_dim()\n */\nvoid net_dim(struct dim *dim, struct dim_sample end_sample);",
    "net/ipv6.h": "static inline int ipv6_has_hopopt_jumbo(const struct sk_buff *skb)",
    "net/udp_tunnel.h": "UDP_TUNNEL_NIC_INFO_MAY_SLEEP = BIT(0),",
    "net/devlink.h": "int (*get)(struct devlink *devlink, u32 id,\n\t   struct devlink_param_gset_ctx *ctx);\n"
                     "int (*set)(struct devlink *devlink, u32 id,\n\t   struct devlink_param_gset_ctx *ctx);\n"
                     "int (*validate)(struct devlink *devlink, u32 id,\n\t\tunion devlink_param_value val,\n\t\tint *extack);\n",
    "rdma/ib_umem.h": "struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access);",
    "rdma/ib_verbs.h": "int (*create_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,\n struct ib_udata *udata);\n"
                       "int (*resize_cq)(struct ib_cq *cq, int cqe, struct ib_udata *udata);\n"
                       "struct ib_mr *(*reg_user_mr_dmabuf)(struct ib_pd *pd,\n int mr_access_flags,\n struct ib_udata *udata);\n"
                       "int (*counter_bind_qp)(struct rdma_counter *counter, struct ib_qp *qp);\n",
}
EXTACK = "\t   struct devlink_param_gset_ctx *ctx,\n\t   struct netlink_ext_ack *extack);"
BEFORE_SET, AFTER_SET = OLD["net/devlink.h"].rsplit("\t   struct devlink_param_gset_ctx *ctx);", 1)
CONTEXTS = "u32 rxfh_per_ctx_key:1;\nu32 rxfh_max_num_contexts;\n"
FIELDS = "int (*get_rxfh_fields)(struct net_device *,\n struct ethtool_rxfh_fields *);\n"


class Kernel:
    """The macros of compat.h on a kernel"""

    def __init__(self, version, headers=None, without=()):
        self.version, self.headers = version, {**OLD, **(headers or {})}
        self.options = [o for o in OPTIONS if o not in without]
        self.said = ""
        self.macros = {}
        with tempfile.TemporaryDirectory(prefix="compat-") as folder:
            self.preprocess(folder)

    def preprocess(self, folder):
        major, minor = self.version.split(".")
        files = {**self.headers, "linux/types.h": "", "linux/version.h":
                 "#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))\n"
                 f"#define LINUX_VERSION_CODE KERNEL_VERSION({major}, {minor}, 0)\n",
                 "linux/kconfig.h": "#define IS_ENABLED(option) option\n" + "".join(f"#define CONFIG_{o} 1\n" for o in self.options)}
        for name, text in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as f:
                f.write(text)
        asked = subprocess.run(["sh", ASK, folder], stdout=subprocess.PIPE, text=True, check=True)
        done = subprocess.run(["gcc", "-E", "-dM", "-nostdinc", f"-I{folder}", *asked.stdout.split(), COMPAT], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.said = done.stderr
        for line in done.stdout.splitlines():
            name, text = re.match(r"#define (\w+(?:\([^)]*\))?) ?(.*)", line).groups()
            self.macros[name.split("(")[0]] = " ".join(text.split())

    def has(self, name, text):
        assert not self.said, self.said
        assert text in self.macros[name] if text else not self.macros[name], f"{self.version}: {name} is '{self.macros[name]}'"


def later_devlink():
    return BEFORE_SET + EXTACK + AFTER_SET


def contexts():
    Kernel("6.7").has("CXR_RXFH_CONTEXT_OPS", ".get_rxfh_context")
    for version in ("6.8", "6.11"):
        Kernel(version, {"linux/ethtool.h": "u32 cap_rss_ctx_supported:1;"}).has("CXR_RXFH_CONTEXT_OPS", "")
    Kernel("6.12", {"linux/ethtool.h": CONTEXTS}).has("CXR_RXFH_CONTEXT_OPS", ".create_rxfh_context")


def hashed_fields():
    old = Kernel("6.16", {"linux/ethtool.h": CONTEXTS + "u32 supported_input_xfrm:8;"})
    old.has("CXR_RXFH_FIELDS_OPS", "")
    old.has("CXR_RXFH_SYMMETRIC_OP", "supported_input_xfrm")
    new = Kernel("6.17", {"linux/ethtool.h": CONTEXTS + FIELDS})
    new.has("CXR_RXFH_FIELDS_OPS", ".get_rxfh_fields")
    new.has("CXR_RX_RING_COUNT_OP", "")
    Kernel("6.18", {"linux/ethtool.h": CONTEXTS + FIELDS + "u32 (*get_rx_ring_count)(struct net_device *dev);\n"}).has(
        "CXR_RX_RING_COUNT_OP", ".get_rx_ring_count")


def devlink():
    Kernel("6.9").has("CXR_DEVLINK_SET_EXTACK_PARAM", "")
    new = Kernel("6.10", {"net/devlink.h": later_devlink()})
    new.has("CXR_DEVLINK_SET_EXTACK_PARAM", "extack")
    new.has("CXR_DEVLINK_GET_EXTACK_PARAM", "")
    new.has("cxr_devlink_value", "(name)")
    both = later_devlink().replace("*ctx);", "*ctx, struct netlink_ext_ack *extack);")
    Kernel("6.19", {"net/devlink.h": both}).has("CXR_DEVLINK_GET_EXTACK_PARAM", "extack")


def counters():
    Kernel("6.14").has("CXR_COUNTER_PORT_PARAM", "")
    verbs = OLD["rdma/ib_verbs.h"].replace("struct ib_qp *qp);", "struct ib_qp *qp,\n\t\t\t u32 port);")
    Kernel("6.16", {"rdma/ib_verbs.h": verbs}).has("CXR_COUNTER_PORT_PARAM", "u32 port")


def memory():
    Kernel("6.11").has("cxr_reg_dmabuf_arg", "struct ib_udata")
    attrs = OLD["rdma/ib_verbs.h"].replace("flags,\n struct ib_udata *udata", "flags,\n struct uverbs_attr_bundle *attrs")
    Kernel("6.12", {"rdma/ib_verbs.h": attrs}).has("cxr_reg_dmabuf_arg", "struct uverbs_attr_bundle")
    Kernel("7.1").has("cxr_umem_get", "ib_umem_get")
    Kernel("7.2", {"rdma/ib_umem.h": "struct ib_umem *ib_umem_get_va(struct ib_device *device,"}).has("cxr_umem_get", "ib_umem_get_va")


def tunnels():
    Kernel("6.12").has("CXR_UDP_TUNNEL_MAY_SLEEP", "UDP_TUNNEL_NIC_INFO_MAY_SLEEP")
    Kernel("6.12", {"net/udp_tunnel.h": "UDP_TUNNEL_NIC_INFO_OPEN_ONLY = BIT(0),"}).has("CXR_UDP_TUNNEL_MAY_SLEEP", "0")


def every_answer():
    """Each answer is to a question, and each question is asked for somebody."""
    found = set()
    for top in ("include/compat/compat.h", "drivers"):
        done = subprocess.run(["grep", "-rhoE", "--include=*.[ch]", r"(def|defined\() ?CXR_HAS_[A-Z0-9_]+", os.path.join(REPO, top)],
                              stdout=subprocess.PIPE, text=True, check=True)
        found |= {w.split("CXR_HAS_")[1] for w in done.stdout.split("\n") if w}
    with open(ASK, encoding="ascii") as f:
        asked = set(re.findall(r"^(?:has|takes) (\w+)", f.read(), re.M))
    assert found == asked, found ^ asked


def options():
    assert not Kernel("6.12").said
    for option in OPTIONS:
        said = Kernel("6.12", without=(option,)).said
        assert "#error" in said, f"{option}: {said}"


TESTS = [
    ("there are no RSS contexts on 6.8 to 6.11, whose kernel has none of the operations", contexts),
    ("the operations on hashed fields are of 6.17, that on rings of 6.18", hashed_fields),
    ("callbacks of devlink parameters get an extack in 6.10 and 6.19", devlink),
    ("a counter is bound with a port where the kernel says it", counters),
    ("registration of memory is as the kernel has it", memory),
    ("the driver says that it sleeps where the kernel wants it, within a stable series, too", tunnels),
    ("each CXR_HAS_... is asked for, and used", every_answer),
    ("a kernel without an option that is needed is told", options),
]

if __name__ == "__main__":
    sys.exit(run(TESTS))
