// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The link of the port: speeds, media and forward error correction, as ethtool shows and sets
 * them. RTNL is held.
 *
 * A setting takes effect when the link comes up, so it is taken down and up. A reset of the device
 * restores what a user has set.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include "en.h"

#define PROTO_56G	8	/* of the first numbering */

/* ---- what there is ------------------------------------------------------ */

static void add_modes(unsigned long *modes, bool ext, unsigned long protos)
{
	unsigned int proto, n;
	const u8 *list;

	for_each_set_bit(proto, &protos, CXR_LINK_PROTOS) {
		n = cxr_link_modes(ext, proto, &list);
		while (n--)
			if (list[n] < __ETHTOOL_LINK_MODE_MASK_NBITS)
				__set_bit(list[n], modes);
	}
}

static void show_pause(struct cxr_en *en, struct ethtool_link_ksettings *settings)
{
	const struct cxr_pause *pause = &en->dcb.flow.pause;

	ethtool_link_ksettings_add_link_mode(settings, supported, Pause);
	if (cxr_en_read_flow_control(en))
		return;
	if (pause->rx)
		ethtool_link_ksettings_add_link_mode(settings, advertising, Pause);
	if (pause->rx != pause->tx)
		ethtool_link_ksettings_add_link_mode(settings, advertising, Asym_Pause);
}

static void show_media(const struct cxr_link *link, struct ethtool_link_ksettings *settings)
{
	unsigned int n;
	u8 media[2];

	n = cxr_link_media(link, media);
	while (n--) {
		__set_bit(media[n], settings->link_modes.supported);
		__set_bit(media[n], settings->link_modes.advertising);
	}
	settings->base.port = cxr_link_port(link);
}

static void show_autoneg(const struct cxr_link *link, struct ethtool_link_ksettings *settings)
{
	ethtool_link_ksettings_add_link_mode(settings, supported, Autoneg);
	if (link->autoneg)
		ethtool_link_ksettings_add_link_mode(settings, advertising, Autoneg);
	if (link->negotiated)
		ethtool_link_ksettings_add_link_mode(settings, lp_advertising, Autoneg);
	settings->base.autoneg = link->autoneg ? AUTONEG_ENABLE : AUTONEG_DISABLE;
}

/* The one that is active is the advertised one. */
static void show_fec(struct cxr_en *en, struct ethtool_link_ksettings *settings)
{
	struct cxr_fec fec;
	unsigned int n;
	u8 modes[4];

	if (!en->fec_support.pplm || cxr_cmd_query_fec(en->core, &en->fec_support, &fec))
		return;
	n = cxr_fec_modes(fec.can, modes);
	while (n--)
		__set_bit(modes[n], settings->link_modes.supported);
	if (cxr_fec_modes(fec.active, modes))
		__set_bit(modes[0], settings->link_modes.advertising);
}

int cxr_en_get_link_ksettings(struct net_device *ndev, struct ethtool_link_ksettings *settings)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_link link;
	int err;

	/* The bonding driver of older kernels does not check that the device is present. */
	if (en->kept)
		return -ENODEV;

	err = cxr_cmd_query_link(en->core, &link);
	if (err)
		return err;

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	ethtool_link_ksettings_zero_link_mode(settings, advertising);
	ethtool_link_ksettings_zero_link_mode(settings, lp_advertising);
	add_modes(settings->link_modes.supported, link.ext, link.can[link.ext]);
	add_modes(settings->link_modes.advertising, link.admin_ext, link.admin);
	add_modes(settings->link_modes.lp_advertising, link.ext, link.partner);
	show_pause(en, settings);
	show_media(&link, settings);
	show_autoneg(&link, settings);
	show_fec(en, settings);
	settings->base.speed = link.speed_mbps ?: SPEED_UNKNOWN;
	settings->base.duplex = link.speed_mbps ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	settings->lanes = link.lanes;
	return 0;
}

/* Not of a link that is up, nor if the device does not say. */
int cxr_en_get_link_ext_state(struct net_device *ndev, struct ethtool_link_ext_state_info *info)
{
	struct cxr_en *en = netdev_priv(ndev);
	u8 state, substate;
	u16 opcode;

	if (netif_carrier_ok(ndev) || cxr_cmd_query_link_down(en->core, &opcode) ||
	    !cxr_link_down_reason(opcode, &state, &substate))
		return -ENODATA;

	info->link_ext_state = state;
	info->__link_ext_substate = substate;
	return 0;
}

/* ---- what there shall be ------------------------------------------------ */

/* Modes that only the extended numbering has are the last ones. */
static bool wants_ext(const unsigned long *modes)
{
	return find_next_bit(modes, __ETHTOOL_LINK_MODE_MASK_NBITS,
			     ETHTOOL_LINK_MODE_50000baseKR_Full_BIT) <
	       __ETHTOOL_LINK_MODE_MASK_NBITS;
}

/*
 * The protocols of the first numbering with any of these modes, or those of the extended one, which
 * have several, with none but these.
 */
static u32 protos_with(bool ext, const unsigned long *modes)
{
	unsigned int proto, n, i, found;
	const u8 *list;
	u32 set = 0;

	for (proto = 0; proto < CXR_LINK_PROTOS; proto++) {
		n = cxr_link_modes(ext, proto, &list);
		for (i = 0, found = 0; i < n; i++)
			found += list[i] < __ETHTOOL_LINK_MODE_MASK_NBITS &&
				 test_bit(list[i], modes);
		if (found && (!ext || found == n))
			set |= BIT(proto);
	}
	return set;
}

static int refuse(struct net_device *ndev, int err, const char *why)
{
	netdev_err(ndev, "link settings: %s\n", why);
	return err;
}

/* Sets @want. 0, or an error that has been logged. */
static int decide(struct net_device *ndev, const struct ethtool_link_ksettings *settings,
		  const struct cxr_link *link, struct cxr_en_link *want)
{
	const unsigned long *modes = settings->link_modes.advertising;

	want->autoneg = settings->base.autoneg == AUTONEG_ENABLE;
	if (!want->autoneg && link->autoneg_always)
		return refuse(ndev, -EPERM, "the port cannot but negotiate");
	want->ext = want->autoneg ? wants_ext(modes) : link->ext;
	if (want->ext && !link->ext)
		return refuse(ndev, -EOPNOTSUPP, "the port does not have these modes");
	want->protos = want->autoneg ? protos_with(want->ext, modes) :
				       cxr_link_protos_of(want->ext, settings->base.speed);
	if (!want->ext && !want->autoneg && want->protos & BIT(PROTO_56G))
		return refuse(ndev, -EINVAL, "56 Gbit/s needs autonegotiation");
	want->protos &= link->can[want->ext];
	if (!want->protos)
		return refuse(ndev, -EINVAL, want->autoneg ? "the port has none of these modes" :
							     "the port does not have this speed");
	return 0;
}

static bool is_so(const struct cxr_link *link, const struct cxr_en_link *want)
{
	return link->autoneg == want->autoneg && link->admin_ext == want->ext &&
	       link->admin == want->protos;
}

static void take_effect(struct cxr_en *en)
{
	int err;

	err = cxr_cmd_toggle_port(en->core);
	if (err)
		netdev_warn(en->ndev, "link settings take effect when the link goes down and up, which the firmware refuses: %pe\n",
			    ERR_PTR(err));
}

static int apply(struct cxr_en *en, const struct cxr_en_link *want)
{
	int err;

	err = cxr_cmd_set_link(en->core, want->ext, want->protos, want->autoneg);
	return err ? refuse(en->ndev, err, "the firmware refuses them") : 0;
}

int cxr_en_set_link_ksettings(struct net_device *ndev,
			      const struct ethtool_link_ksettings *settings)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_en_link want = {};
	struct cxr_link link;
	int err;

	err = cxr_cmd_query_link(en->core, &link) ?: decide(ndev, settings, &link, &want);
	if (err)
		return err;

	if (!is_so(&link, &want)) {
		err = apply(en, &want);
		if (err)
			return err;
		take_effect(en);
	}
	en->link = want;
	return 0;
}

/* ---- forward error correction ------------------------------------------- */

int cxr_en_get_fecparam(struct net_device *ndev, struct ethtool_fecparam *param)
{
	struct cxr_en *en = netdev_priv(ndev);
	struct cxr_fec fec;
	int err;

	if (!en->fec_support.pplm)
		return -EOPNOTSUPP;
	err = cxr_cmd_query_fec(en->core, &en->fec_support, &fec);
	if (err)
		return err;

	param->active_fec = cxr_fec_ethtool(fec.active);
	param->fec = cxr_fec_ethtool(fec.configured);
	return param->active_fec ? 0 : -EOPNOTSUPP;
}

/* *@changed: it is another one than before. 0, or an error that has been logged. */
static int apply_fec(struct cxr_en *en, u32 want, bool *changed)
{
	struct cxr_fec fec;
	int err;

	*changed = false;
	err = cxr_cmd_query_fec(en->core, &en->fec_support, &fec);
	if (!err && cxr_fec_ethtool(fec.configured) == want)
		return 0;
	err = err ?: cxr_cmd_set_fec(en->core, &en->fec_support, want);
	if (err == -EOPNOTSUPP)
		return refuse(en->ndev, err,
			      "the port does not have this forward error correction");
	if (err)
		return refuse(en->ndev, err, "the firmware refuses the forward error correction");
	*changed = true;
	return 0;
}

int cxr_en_set_fecparam(struct net_device *ndev, struct ethtool_fecparam *param)
{
	struct cxr_en *en = netdev_priv(ndev);
	bool changed;
	int err;

	if (!en->fec_support.pplm)
		return -EOPNOTSUPP;
	if (hweight32(param->fec) != 1)
		return refuse(ndev, -EOPNOTSUPP,
			      "the port has one forward error correction at a time");
	err = apply_fec(en, param->fec, &changed);
	if (err)
		return err;

	en->fec = param->fec;
	if (changed)
		take_effect(en);
	return 0;
}

static void show_blocks(const struct cxr_fec_blocks *blocks, struct ethtool_fec_stats *stats)
{
	unsigned int i;

	if (blocks->n && !blocks->by_lane) {
		stats->corrected_blocks.total = blocks->corrected[0];
		stats->uncorrectable_blocks.total = blocks->uncorrectable[0];
	}
	for (i = 0; blocks->by_lane && i < blocks->n; i++) {
		stats->corrected_blocks.lanes[i] = blocks->corrected[i];
		stats->uncorrectable_blocks.lanes[i] = blocks->uncorrectable[i];
	}
}

/* What is not set is not shown. There is no histogram. */
void cxr_en_get_fec_stats(struct net_device *ndev, struct ethtool_fec_stats *stats CXR_FEC_HIST)
{
	struct cxr_en *en = netdev_priv(ndev);
	u64 values[CXR_PHY_COUNTERS];
	struct cxr_fec_blocks blocks;
	struct cxr_fec fec;

	if (!en->fec_support.pplm || !en->fec_support.counts ||
	    cxr_cmd_query_fec(en->core, &en->fec_support, &fec) || !cxr_fec_corrects(fec.active))
		return;
	if (!cxr_cmd_query_phy_counters(en->core, CXR_PHY_STATISTICAL, values))
		stats->corrected_bits.total = values[CXR_PHY_rx_corrected_bits];
	if (!cxr_cmd_query_fec_blocks(en->core, fec.active, &blocks))
		show_blocks(&blocks, stats);
}

/* ---- after a reset of the device ---------------------------------------- */

static int restore_link(struct cxr_en *en, bool *changed)
{
	struct cxr_link link;
	int err;

	*changed = false;
	err = cxr_cmd_query_link(en->core, &link);
	if (err || is_so(&link, &en->link))
		return err;
	err = apply(en, &en->link);
	*changed = !err;
	return err;
}

/* The firmware may have kept them. */
static void restore(struct cxr_en *en)
{
	bool fec_changed = false, link_changed = false;
	int err = 0, link_err = 0, beacon_err;

	if (en->fec)
		err = apply_fec(en, en->fec, &fec_changed);
	if (en->link.protos)
		link_err = restore_link(en, &link_changed);
	if (fec_changed || link_changed)
		take_effect(en);
	beacon_err = cxr_en_restore_beacon(en);
	err = err ?: link_err ?: beacon_err;
	if (err)
		netdev_warn(en->ndev, "link settings are not as before the reset: %pe\n",
			    ERR_PTR(err));
}

/* The netdev works without, so errors are only logged. */
int cxr_en_link_up(void *owner)
{
	struct cxr_en *en = owner;
	int err = 0;

	rtnl_lock();
	if (en->kept)
		restore(en);
	else
		err = cxr_cmd_query_fec_support(en->core, &en->fec_support);
	rtnl_unlock();
	if (err)
		dev_warn(en->core->dev, "forward error correction is not known: %pe\n",
			 ERR_PTR(err));
	return 0;
}
