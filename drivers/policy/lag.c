// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include "lag.h"

const char *cxr_lag_mode_name(enum cxr_lag_mode mode)
{
	switch (mode) {
	case CXR_LAG_ACTIVE_BACKUP:
		return "active-backup";
	case CXR_LAG_SPREAD:
		return "spread";
	case CXR_LAG_HASH:
		return "hash";
	case CXR_LAG_ECMP:
		return "ecmp";
	default:
		return "off";
	}
}

const char *cxr_lag_why_text(enum cxr_lag_why why)
{
	static const char * const texts[CXR_LAG_WHYS] = {
		[CXR_LAG_WHY_NONE] = "all conditions are met",
		[CXR_LAG_WHY_DRIVER] = "a port of the card is not held by this driver, or failed",
		[CXR_LAG_WHY_ROCE] = "a port has no RoCE",
		[CXR_LAG_WHY_DISABLED] = "roce_lag_enable is 0",
		[CXR_LAG_WHY_NETDEV] = "a port has no netdev",
		[CXR_LAG_WHY_NETNS] = "a port is not in the initial network namespace",
		[CXR_LAG_WHY_NOT_IN_BOND] = "a port is not in a bond",
		[CXR_LAG_WHY_DIFFERENT_BONDS] = "the ports are in different bonds",
		[CXR_LAG_WHY_FOREIGN] = "the bond has slaves that are not ports of this card",
		[CXR_LAG_WHY_TX] = "the bond's mode is not 1, 2 or 4",
		[CXR_LAG_WHY_REFUSED] = "the device refused",
		[CXR_LAG_WHY_PORT_IN_BOND] = "a port is in a bond, and roce_lag_ecmp_dev is set",
		[CXR_LAG_WHY_TABLE] = "the RoCE address table has no halves",
		[CXR_LAG_WHY_PARENT] = "there is no interface of that name",
		[CXR_LAG_WHY_PARENT_PORT] = "that interface is a port of this card",
		[CXR_LAG_WHY_PARENT_TYPE] = "that interface is not an Ethernet one",
		[CXR_LAG_WHY_PARENT_OTHER] = "roce_lag_ecmp_dev names another interface already",
	};

	return (unsigned int)why < CXR_LAG_WHYS ? texts[why] : "unknown";
}

/*
 * What concerns both ports is asked of both before the next question, so that the answer does not
 * depend on their order, and the first thing to mend is named first.
 */
static enum cxr_lag_why ask(const struct cxr_lag_in *in)
{
	const struct cxr_lag_port *a = &in->port[0], *b = &in->port[1];

	if (!a->driver || !b->driver)
		return CXR_LAG_WHY_DRIVER;
	if (!a->roce || !b->roce)
		return CXR_LAG_WHY_ROCE;
	if (!a->allowed || !b->allowed)
		return CXR_LAG_WHY_DISABLED;
	if (!a->netdev || !b->netdev)
		return CXR_LAG_WHY_NETDEV;
	if (!a->init_net || !b->init_net)
		return CXR_LAG_WHY_NETNS;
	if (!a->bond || !b->bond)
		return CXR_LAG_WHY_NOT_IN_BOND;
	if (a->bond != b->bond)
		return CXR_LAG_WHY_DIFFERENT_BONDS;
	if (in->foreign)
		return CXR_LAG_WHY_FOREIGN;
	if (in->tx == CXR_LAG_TX_OTHER)
		return CXR_LAG_WHY_TX;
	if (in->refused)
		return CXR_LAG_WHY_REFUSED;
	return CXR_LAG_WHY_NONE;
}

/*
 * The one port to use, or 0 if both are equal. A port that the bond sends on comes first; where
 * there is none a link will do, since the bond is about to choose it.
 */
static u8 better(const struct cxr_lag_in *in)
{
	bool one = in->port[0].link && in->port[0].tx_enabled;
	bool two = in->port[1].link && in->port[1].tx_enabled;

	if (!one && !two) {
		one = in->port[0].link;
		two = in->port[1].link;
	}
	if (one == two)
		return 0;
	return one ? 1 : 2;
}

/*
 * A bond that hashes no ports has all connections of two hosts on one port; such a hash is not
 * given to the card: its QPs take turns.
 */
static enum cxr_lag_mode mode_of(const struct cxr_lag_in *in)
{
	if (in->tx == CXR_LAG_TX_ACTIVE_BACKUP)
		return CXR_LAG_ACTIVE_BACKUP;
	return in->tx == CXR_LAG_TX_HASH_FLOW && in->hashes ? CXR_LAG_HASH : CXR_LAG_SPREAD;
}

struct cxr_lag_out cxr_lag_decide(const struct cxr_lag_in *in)
{
	struct cxr_lag_out out = { .mode = CXR_LAG_OFF, .why = ask(in), .map = { 1, 2 } };
	u8 port;

	if (out.why != CXR_LAG_WHY_NONE)
		return out;

	port = better(in);
	out.mode = mode_of(in);
	out.active = 1;
	if (out.mode == CXR_LAG_ACTIVE_BACKUP) {
		if (!port)
			port = in->last == 2 ? 2 : 1;
		out.active = port;
	}
	if (port) {
		out.map[0] = port;
		out.map[1] = port;
	}
	return out;
}
