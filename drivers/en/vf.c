// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * VFs of a PF, as its network interface tells and sets them: with `ip link set DEV vf N`, if the PF
 * manages the e-switch; and settings/vf_roce, as in the vendor's driver: whether they have RoCE. A
 * VF without it has no RDMA device, and borrows less memory.
 */
#include <linux/capability.h>
#include <linux/if_link.h>
#include <linux/if_vlan.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "cxr/vf.h"
#include "en.h"

/* ---- vports of VFs --------------------------------------------------------------------------- */

static int set_settings(struct net_device *ndev, int vf, u32 which,
			const struct cxr_vf_settings *settings)
{
	struct cxr_en *en = netdev_priv(ndev);
	int err = vf < 0 ? -ENOENT : cxr_vf_set_settings(en->core, vf, which, settings);

	if (err == -EOPNOTSUPP)
		netdev_err(ndev, "VF %d: the device cannot do that\n", vf);
	if (err != -ENOENT)
		return err;
	netdev_err(ndev, "there is no VF %d\n", vf);
	return -EINVAL;
}

int cxr_en_set_vf_mac(struct net_device *ndev, int vf, u8 *mac)
{
	struct cxr_vf_settings settings = {};

	if (is_multicast_ether_addr(mac)) {
		netdev_err(ndev, "VF %d: %pM is a group address\n", vf, mac);
		return -EINVAL;
	}
	ether_addr_copy(settings.mac, mac);
	return set_settings(ndev, vf, CXR_VF_MAC, &settings);
}

int cxr_en_set_vf_vlan(struct net_device *ndev, int vf, u16 vlan, u8 qos, __be16 proto)
{
	const struct cxr_vf_settings settings = { .vlan = vlan, .qos = qos };

	if (proto != htons(ETH_P_8021Q)) {
		netdev_err(ndev, "VF %d: a VLAN of protocol %#06x is refused: must be 802.1Q\n",
			   vf, ntohs(proto));
		return -EPROTONOSUPPORT;
	}
	if (vlan > VLAN_VID_MASK || qos > VLAN_PRIO_MASK >> VLAN_PRIO_SHIFT) {
		netdev_err(ndev, "VF %d: VLAN %u with priority %u is refused\n", vf, vlan, qos);
		return -EINVAL;
	}
	return set_settings(ndev, vf, CXR_VF_VLAN, &settings);
}

int cxr_en_set_vf_link_state(struct net_device *ndev, int vf, int state)
{
	static const enum cxr_vf_link links[] = {
		[IFLA_VF_LINK_STATE_AUTO] = CXR_VF_LINK_AUTO,
		[IFLA_VF_LINK_STATE_ENABLE] = CXR_VF_LINK_UP,
		[IFLA_VF_LINK_STATE_DISABLE] = CXR_VF_LINK_DOWN,
	};
	struct cxr_vf_settings settings = {};

	if (state < 0 || state >= ARRAY_SIZE(links)) {
		netdev_err(ndev, "VF %d: link state %d is refused\n", vf, state);
		return -EINVAL;
	}
	settings.link = links[state];
	return set_settings(ndev, vf, CXR_VF_LINK, &settings);
}

int cxr_en_set_vf_trust(struct net_device *ndev, int vf, bool trusted)
{
	const struct cxr_vf_settings settings = { .trusted = trusted };

	return set_settings(ndev, vf, CXR_VF_TRUST, &settings);
}

int cxr_en_set_vf_spoofchk(struct net_device *ndev, int vf, bool on)
{
	const struct cxr_vf_settings settings = { .spoofchk = on };

	return set_settings(ndev, vf, CXR_VF_SPOOFCHK, &settings);
}

int cxr_en_get_vf_config(struct net_device *ndev, int vf, struct ifla_vf_info *info)
{
	static const u32 states[] = {
		[CXR_VF_LINK_AUTO] = IFLA_VF_LINK_STATE_AUTO,
		[CXR_VF_LINK_UP] = IFLA_VF_LINK_STATE_ENABLE,
		[CXR_VF_LINK_DOWN] = IFLA_VF_LINK_STATE_DISABLE,
	};
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_vf_settings settings;
	int err = cxr_vf_get_settings(en->core, vf, &settings);

	if (err)
		return err;
	info->vf = vf;
	ether_addr_copy(info->mac, settings.mac);
	info->vlan = settings.vlan;
	info->qos = settings.qos;
	info->vlan_proto = htons(ETH_P_8021Q);
	info->linkstate = states[settings.link];
	info->trusted = settings.trusted;
	info->spoofchk = settings.spoofchk;
	return 0;
}

/* RoCE packets count, too. */
int cxr_en_get_vf_stats(struct net_device *ndev, int vf, struct ifla_vf_stats *stats)
{
	static const enum cxr_vport_counter counters[][2] = {
		{ CXR_VPORT_rx_unicast, CXR_VPORT_tx_unicast },
		{ CXR_VPORT_rx_multicast, CXR_VPORT_tx_multicast },
		{ CXR_VPORT_rx_broadcast, CXR_VPORT_tx_broadcast },
		{ CXR_VPORT_rx_rdma_unicast, CXR_VPORT_tx_rdma_unicast },
		{ CXR_VPORT_rx_rdma_multicast, CXR_VPORT_tx_rdma_multicast },
	};
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_traffic *traffic;
	struct cxr_vf_stats own;
	unsigned int i;
	int err;

	err = cxr_vf_get_stats(en->core, vf, &own);
	if (err)
		return err;
	traffic = own.traffic;
	stats->rx_dropped = own.rx_dropped;
	stats->tx_dropped = own.tx_dropped;
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		stats->rx_packets += traffic[counters[i][0]].packets;
		stats->rx_bytes += traffic[counters[i][0]].bytes;
		stats->tx_packets += traffic[counters[i][1]].packets;
		stats->tx_bytes += traffic[counters[i][1]].bytes;
	}
	stats->broadcast = traffic[CXR_VPORT_rx_broadcast].packets;
	stats->multicast = traffic[CXR_VPORT_rx_multicast].packets +
			   traffic[CXR_VPORT_rx_rdma_multicast].packets;
	return 0;
}

/* ---- settings/vf_roce ------------------------------------------------------------------------ */

static struct cxr_core *core_of(struct device *device)
{
	return ((struct cxr_en *)netdev_priv(to_net_dev(device)))->core;
}

static ssize_t vf_roce_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct cxr_core *core = core_of(device);
	unsigned int vf, n = cxr_vf_count(core);
	ssize_t len = 0;
	bool on;
	int err;

	for (vf = 0; vf < n; vf++) {
		err = cxr_vf_get_roce(core, vf, &on);
		if (err == -ENOENT)	/* they go meanwhile */
			break;
		if (err)
			return err;
		len += sysfs_emit_at(buf, len, "vf_num %u: %d\n", vf, on);
	}
	return len;
}

/* "VF 0|1"; false: it is something else. */
static bool parse(char *text, unsigned int *vf, bool *on)
{
	char *number = strsep(&text, " ");
	u8 value;

	if (!text || kstrtouint(number, 10, vf) || kstrtou8(skip_spaces(text), 10, &value))
		return false;
	*on = value;
	return value <= 1;
}

static ssize_t vf_roce_store(struct device *device, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct cxr_core *core = core_of(device);
	unsigned int vf;
	char text[24];
	bool on;
	int err;

	/* The file belongs to the owner of the interface's network namespace. */
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	if (strscpy(text, skip_spaces(buf), sizeof(text)) < 0 || !parse(strim(text), &vf, &on)) {
		dev_err(core->dev, "vf_roce: '%.*s' is refused: must be the number of a VF, and 0 or 1\n",
			cxr_written(buf), buf);
		return -EINVAL;
	}
	err = cxr_vf_set_roce(core, vf, on);
	if (err == -ENOENT)
		dev_err(core->dev, "vf_roce: there is no VF %u now, of %u that are enabled\n", vf,
			cxr_vf_count(core));
	return err ?: count;
}
static DEVICE_ATTR_RW(vf_roce);

static struct attribute *settings_attrs[] = { &dev_attr_vf_roce.attr, NULL };

const struct attribute_group cxr_en_settings_group = {
	.name = "settings", .attrs = settings_attrs,
};
