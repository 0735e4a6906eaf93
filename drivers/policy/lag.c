// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "ecmp.h"
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
		[CXR_LAG_WHY_DRIVER] = "a port of the card is not bound to this driver, or failed",
		[CXR_LAG_WHY_ROCE] = "RoCE is not enabled on a port",
		[CXR_LAG_WHY_DISABLED] = "roce_lag_enable is 0",
		[CXR_LAG_WHY_VFS] = "a port has virtual functions (sriov_numvfs)",
		[CXR_LAG_WHY_NETDEV] = "a port has no netdev",
		[CXR_LAG_WHY_NETNS] = "a port is not in the initial network namespace",
		[CXR_LAG_WHY_NOT_IN_BOND] = "a port is not in a bond",
		[CXR_LAG_WHY_DIFFERENT_BONDS] = "the ports are in different bonds",
		[CXR_LAG_WHY_FOREIGN] = "the bond has slaves that are not ports of this card",
		[CXR_LAG_WHY_TX] = "the bond's mode is not 1, 2 or 4",
		[CXR_LAG_WHY_REFUSED] = "the device refused",
		[CXR_LAG_WHY_PORT_IN_BOND] = "a port is in a bond, and roce_lag_ecmp_dev is set",
		[CXR_LAG_WHY_TABLE] = "the RoCE address table has only one entry",
		[CXR_LAG_WHY_PARENT] = "there is no interface of that name",
		[CXR_LAG_WHY_PARENT_PORT] = "that interface is a port of this card",
		[CXR_LAG_WHY_PARENT_TYPE] = "that interface is not Ethernet",
		[CXR_LAG_WHY_PARENT_OTHER] = "roce_lag_ecmp_dev names another interface already",
	};

	return (unsigned int)why < CXR_LAG_WHYS ? texts[why] : "unknown";
}

/*
 * Each condition is checked for both ports before the next one, so that the reason does not depend
 * on their order, and the condition to fix first is reported first.
 */
enum cxr_lag_why cxr_lag_check_functions(const struct cxr_lag_in *in)
{
	const struct cxr_lag_port *a = &in->port[0], *b = &in->port[1];

	if (!a->driver || !b->driver)
		return CXR_LAG_WHY_DRIVER;
	if (!a->roce || !b->roce)
		return CXR_LAG_WHY_ROCE;
	return CXR_LAG_WHY_NONE;
}

enum cxr_lag_why cxr_lag_check_netdevs(const struct cxr_lag_in *in)
{
	const struct cxr_lag_port *a = &in->port[0], *b = &in->port[1];

	if (!a->allowed || !b->allowed)
		return CXR_LAG_WHY_DISABLED;
	if (a->vfs || b->vfs)
		return CXR_LAG_WHY_VFS;
	if (!a->netdev || !b->netdev)
		return CXR_LAG_WHY_NETDEV;
	if (!a->init_net || !b->init_net)
		return CXR_LAG_WHY_NETNS;
	return CXR_LAG_WHY_NONE;
}

static enum cxr_lag_why check_bond(const struct cxr_lag_in *in)
{
	const struct cxr_lag_port *a = &in->port[0], *b = &in->port[1];

	if (!a->bond || !b->bond)
		return CXR_LAG_WHY_NOT_IN_BOND;
	if (a->bond != b->bond)
		return CXR_LAG_WHY_DIFFERENT_BONDS;
	if (in->foreign)
		return CXR_LAG_WHY_FOREIGN;
	if (in->tx == CXR_LAG_TX_OTHER)
		return CXR_LAG_WHY_TX;
	return CXR_LAG_WHY_NONE;
}

static enum cxr_lag_why check_lag(const struct cxr_lag_in *in, bool refused)
{
	enum cxr_lag_why why = cxr_lag_check_functions(in) ?: cxr_lag_check_netdevs(in) ?:
			       check_bond(in);

	return why ?: refused ? CXR_LAG_WHY_REFUSED : CXR_LAG_WHY_NONE;
}

/*
 * The only port to use, or 0 for both. Ports that the bond sends on are preferred; if there is
 * none, a link is enough, since the bond is about to choose that port.
 */
static u8 preferred_port(const struct cxr_lag_in *in)
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
 * A bond that does not hash L4 ports has all connections of two hosts on one port; the card does
 * not use that hash: QPs are spread over the ports.
 */
static enum cxr_lag_mode mode_of(const struct cxr_lag_in *in)
{
	if (in->tx == CXR_LAG_TX_ACTIVE_BACKUP)
		return CXR_LAG_ACTIVE_BACKUP;
	return in->tx == CXR_LAG_TX_HASH_FLOW && in->hashes ? CXR_LAG_HASH : CXR_LAG_SPREAD;
}

struct cxr_lag_out cxr_lag_decide(const struct cxr_lag_in *in, bool refused, u8 last)
{
	struct cxr_lag_out out = {
		.mode = CXR_LAG_OFF,
		.why = check_lag(in, refused),
		.map = { 1, 2 },
	};
	u8 port;

	if (out.why != CXR_LAG_WHY_NONE)
		return out;

	port = preferred_port(in);
	out.mode = mode_of(in);
	out.active = 1;
	if (out.mode == CXR_LAG_ACTIVE_BACKUP) {
		if (!port)
			port = last == 2 ? 2 : 1;
		out.active = port;
	}
	if (port) {
		out.map[0] = port;
		out.map[1] = port;
	}
	return out;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool same_port(const struct cxr_lag_port *a, const struct cxr_lag_port *b)
{
	return a->driver == b->driver && a->roce == b->roce && a->allowed == b->allowed &&
	       a->vfs == b->vfs &&
	       !a->netdev == !b->netdev && a->init_net == b->init_net && a->bond == b->bond &&
	       a->link == b->link && a->tx_enabled == b->tx_enabled;
}

/*
 * After a refusal the device is tried again when an input of the LAG has changed. MACs do not
 * count; a parent is always tried when it is set.
 */
static bool same_as_refused(const struct cxr_lag_in *in, const struct cxr_lag_in *refused)
{
	return same_port(&in->port[0], &refused->port[0]) &&
	       same_port(&in->port[1], &refused->port[1]) && in->hashes == refused->hashes &&
	       in->tx == refused->tx && in->foreign == refused->foreign;
}

/* Whether the objects of the device are the same in both modes. */
static bool same_objects(enum cxr_lag_mode a, enum cxr_lag_mode b)
{
	return (a == CXR_LAG_HASH) == (b == CXR_LAG_HASH) &&
	       (a == CXR_LAG_ECMP) == (b == CXR_LAG_ECMP);
}

/* The active slave if there is one, so that ib_core updates GIDs when it changes. */
static void *netdev_of(const struct cxr_lag_in *in, const struct cxr_lag_out *out)
{
	if (out->mode == CXR_LAG_ACTIVE_BACKUP)
		return in->port[out->active - 1].netdev;
	return in->upper;
}

static bool same_lag(const struct cxr_lag_step *step, const struct cxr_lag_state *state)
{
	if (step->out.mode != state->now.mode || step->netdev != state->netdev ||
	    memcmp(step->out.map, state->now.map, sizeof(step->out.map)))
		return false;
	return step->out.mode != CXR_LAG_ECMP || !memcmp(step->mac, state->mac, sizeof(step->mac));
}

static enum cxr_lag_action choose_action(const struct cxr_lag_in *in,
					 const struct cxr_lag_step *step,
					 const struct cxr_lag_state *state)
{
	bool wanted = step->out.mode != CXR_LAG_OFF;

	if (state->now.mode == CXR_LAG_OFF)
		return wanted ? CXR_LAG_ENTER : CXR_LAG_KEEP;
	if (!wanted || in->upper != state->upper || !same_objects(step->out.mode, state->now.mode))
		return CXR_LAG_LEAVE;
	return same_lag(step, state) ? CXR_LAG_KEEP : CXR_LAG_REMAP;
}

struct cxr_lag_step cxr_lag_step(const struct cxr_lag_in *in, const struct cxr_lag_state *state)
{
	struct cxr_lag_step step = {};
	bool off;
	int i;

	step.refused = state->refused && same_as_refused(in, state->refused);
	step.out = in->ecmp ? cxr_ecmp_decide(in, step.refused) :
			      cxr_lag_decide(in, step.refused, state->now.active);
	step.netdev = netdev_of(in, &step.out);
	for (i = 0; i < CXR_LAG_PORTS; i++)
		memcpy(step.mac[i], in->port[step.out.map[i] - 1].mac, sizeof(step.mac[i]));
	step.action = choose_action(in, &step, state);

	off = step.out.mode == CXR_LAG_OFF;
	step.supersedes = !off || step.out.why != state->now.why;
	step.tell = off && step.supersedes && (in->ecmp || in->port[0].bond || in->port[1].bond);
	return step;
}
