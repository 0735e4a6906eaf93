// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * CREATE, MODIFY, QUERY and DESTROY_LAG, CREATE and DESTROY_VPORT_LAG.
 *
 * The order is strict: LAG, vport LAG, demux tables, and destruction in reverse. Ports are selected
 * by queue affinity and a map, or in hash mode by the flow tables of port 1's function. Native FDB
 * selection is not advertised.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "port/port.h"
#include "prm/lag.h"

/* ---- the card ---- */

int adapter_join(struct cxdev **devs)
{
	struct adapter *adapter = calloc(1, sizeof(*adapter));
	unsigned int i;

	if (!adapter)
		return -ENOMEM;
	for (i = 0; i < LAG_PORTS; i++) {
		adapter->dev[i] = devs[i];
		devs[i]->adapter = adapter;
		devs[i]->native_port = i + 1;
		devs[i]->sys_image_guid = devs[0]->node_guid;
		hca_caps_reset(devs[i]);
	}
	return 0;
}

void adapter_leave(struct cxdev *dev)
{
	struct adapter *adapter = dev->adapter;
	unsigned int i, left = 0;

	if (!adapter)
		return;
	adapter->active = false;
	adapter->dev[dev->native_port - 1] = NULL;
	dev->adapter = NULL;
	for (i = 0; i < LAG_PORTS; i++)
		left += !!adapter->dev[i];
	if (!left)
		free(adapter);
}

bool lag_advertised(const struct cxdev *dev)
{
	return dev->adapter;
}

bool port_select_advertised(const struct cxdev *dev)
{
	return lag_advertised(dev) && dev->card->port_select;
}

/* Called after the objects of the function, demux tables too, are destroyed. */
void lag_reset(struct cxdev *dev)
{
	struct adapter *adapter = dev->adapter;

	if (!adapter || dev->native_port != 1)
		return;
	adapter->active = false;
	adapter->vport = false;
	adapter->hash = false;
	ports_wake_senders();
}

unsigned int lag_report_leak(struct cxdev *dev)
{
	if (!dev->adapter || dev->native_port != 1 || !dev->adapter->active)
		return 0;
	violation_leak(dev, "the LAG was not destroyed");
	return 1;
}

/* ---- ports ---- */

int lag_check_affinity(struct cmd *c, unsigned int affinity)
{
	if (affinity && !lag_advertised(c->dev))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "lag_tx_port_affinity is set (0x%x), but LAG is not advertised",
			      affinity);
	if (affinity > LAG_PORTS)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "lag_tx_port_affinity %u: the card has %u ports", affinity,
			      LAG_PORTS);
	return 0;
}

static struct port *port_of(const struct adapter *adapter, unsigned int number)
{
	const struct cxdev *dev = adapter->dev[number - 1];

	return dev ? dev->port : NULL;
}

unsigned int lag_port_of_vhca(const struct cxdev *dev, unsigned int vhca_id)
{
	unsigned int i;

	for (i = 0; dev->adapter && i < LAG_PORTS; i++)
		if (dev->adapter->dev[i] && dev->adapter->dev[i]->index == vhca_id)
			return i + 1;
	return 0;
}

/* An affinity overrides the tables, but only while its port is active. */
static unsigned int hash_port(const struct cxdev *dev, unsigned int affinity,
			      const struct frame *frame)
{
	const struct adapter *adapter = dev->adapter;
	unsigned int selected;

	if (affinity && adapter->active_ports & 1u << (affinity - 1))
		return affinity;
	selected = adapter->select ? adapter->select(adapter->dev[0], frame) : 0;
	return selected ? selected : dev->native_port;
}

bool lag_exists(const struct cxdev *dev)
{
	return dev->adapter && dev->adapter->active;
}

bool lag_hashes(const struct cxdev *dev)
{
	return dev->adapter && dev->adapter->active && dev->adapter->hash;
}

struct port *lag_tx_port(const struct cxdev *dev, unsigned int affinity, const struct frame *frame)
{
	const struct adapter *adapter = dev->adapter;

	if (!adapter || !adapter->active)
		return dev->port;
	if (adapter->hash)
		return port_of(adapter, hash_port(dev, affinity, frame));
	return port_of(adapter, adapter->map[(affinity ? affinity : dev->native_port) - 1]);
}

struct port *lag_strict_port(const struct cxdev *dev, unsigned int affinity)
{
	const struct adapter *adapter = dev->adapter;

	if (!adapter || !adapter->active || !affinity)
		return dev->port;
	return port_of(adapter, affinity);
}

struct cxdev *lag_first_dev(struct cxdev *dev)
{
	const struct adapter *adapter = dev->adapter;

	return adapter && adapter->active && adapter->vport ? adapter->dev[0] : dev;
}

static const char *port_set(unsigned int bits)
{
	static const char *const sets[1u << LAG_PORTS] = { "none", "1", "2", "1 2" };

	return sets[bits];
}

void lag_status(const struct cxdev *dev, FILE *out)
{
	const struct adapter *adapter = dev->adapter;

	if (!adapter)
		return;
	fprintf(out, "  port %u of the card, lag: %s", dev->native_port,
		adapter->active ? "on" : "off");
	if (adapter->active && adapter->hash)
		fprintf(out, ", hash mode, active ports %s", port_set(adapter->active_ports));
	else if (adapter->active)
		fprintf(out, ", map 1:%u 2:%u", adapter->map[0], adapter->map[1]);
	fprintf(out, "%s\n", adapter->active && adapter->vport ? ", vport" : "");
}

void lag_json(const struct cxdev *dev, struct json_object *to)
{
	const struct adapter *adapter = dev->adapter;
	struct json_object *part;

	if (!adapter)
		return;
	part = json_part(to, "lag");
	json_number(part, "port", dev->native_port);
	json_flag(part, "active", adapter->active);
	if (adapter->active && adapter->hash) {
		json_text(part, "active_ports", port_set(adapter->active_ports));
	} else if (adapter->active) {
		json_number(part, "map1", adapter->map[0]);
		json_number(part, "map2", adapter->map[1]);
	}
	json_flag(part, "vport", adapter->active && adapter->vport);
}

/* ---- commands ---- */

/* NULL: refused, the function cannot have a LAG, or its state is not @active. */
static struct adapter *get_lag(struct cmd *c, bool active)
{
	struct adapter *adapter = c->dev->adapter;

	if (!adapter) {
		refuse(c, PRM_STATUS_BAD_OP, "LAG is not advertised: the card has one port");
		return NULL;
	}
	if (c->dev->native_port != 1) {
		refuse(c, PRM_STATUS_BAD_PARAM, "a LAG belongs to port 1, this is port %u",
		       c->dev->native_port);
		return NULL;
	}
	if (adapter->active && !active) {
		refuse(c, PRM_STATUS_BAD_RES_STATE, "there is a LAG already");
		return NULL;
	}
	if (!adapter->active && active) {
		refuse(c, PRM_STATUS_BAD_RES_STATE, "there is no LAG");
		return NULL;
	}
	return adapter;
}

static bool is_port(unsigned int number)
{
	return number >= 1 && number <= LAG_PORTS;
}

static int set_map(struct cmd *c, struct adapter *adapter, const struct prm_lagc *ctx)
{
	unsigned int one = prm_get(ctx, tx_remap_affinity_1);
	unsigned int two = prm_get(ctx, tx_remap_affinity_2);

	if (!is_port(one) || !is_port(two))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "tx_remap_affinity %u and %u: ports are 1 to %u", one, two,
			      LAG_PORTS);
	adapter->map[0] = one;
	adapter->map[1] = two;
	ports_wake_senders();
	notice(c->dev, "LAG map 1:%u 2:%u", one, two);
	return 0;
}

/* With the bypass an affinity overrides the tables, if its port is one of the active ones. */
static int set_active_ports(struct cmd *c, struct adapter *adapter, const struct prm_lagc *ctx)
{
	unsigned int ports = prm_get(ctx, active_port);

	if (is_set(c, ctx, tx_remap_affinity_1, "but hash mode has no map") ||
	    is_set(c, ctx, tx_remap_affinity_2, "but hash mode has no map"))
		return -1;
	if (!hca_affinity_bypass(c->dev)) {
		if (is_set(c, ctx, active_port, "but port_select_flow_table_bypass is off"))
			return -1;
	} else if (!ports || ports >> LAG_PORTS) {
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "active_port 0x%x: must be a set of ports 1 to %u that is not empty",
			      ports, LAG_PORTS);
	}
	adapter->active_ports = ports;
	ports_wake_senders();
	notice(c->dev, "LAG in hash mode, active ports %s", port_set(ports));
	return 0;
}

static int set_selection(struct cmd *c, struct adapter *adapter, const struct prm_lagc *ctx,
			 bool hash)
{
	if (is_set(c, ctx, fdb_selection_mode, "but it is not advertised") ||
	    is_set(c, ctx, lag_state, "but it is read-only"))
		return -1;
	if (hash)
		return set_active_ports(c, adapter, ctx);
	return is_set(c, ctx, active_port, "but it is valid only in hash mode") ? -1 :
	       set_map(c, adapter, ctx);
}

/* Functions of different drivers, or hosts, do not share ports. */
static bool same_owner(const struct adapter *adapter)
{
	static const uint8_t nobody[sizeof(adapter->dev[0]->hca->owner)];
	const struct cxdev *one = adapter->dev[0], *two = adapter->dev[1];

	return two && !memcmp(one->hca->owner, two->hca->owner, sizeof(nobody)) &&
	       memcmp(one->hca->owner, nobody, sizeof(nobody));
}

static int run_create_lag(struct cmd *c)
{
	const struct prm_create_lag_in *in = c->in;
	const struct prm_lagc *ctx = prm_sub_const(in, ctx, lagc);
	struct adapter *adapter = get_lag(c, false);
	unsigned int mode = prm_get(ctx, port_select_mode);
	bool hash = mode == PRM_LAG_PORT_SELECT_FT;

	if (!adapter)
		return -1;
	if (mode && !(hash && port_select_advertised(c->dev)))
		return refuse(c, PRM_STATUS_BAD_PARAM, "port_select_mode %u is not advertised",
			      mode);
	if (hca_has_owner(c->dev) && !same_owner(adapter))
		return refuse(c, PRM_STATUS_BAD_RES_STATE,
			      "the functions of the card have no common sw_owner_id");
	if (set_selection(c, adapter, ctx, hash))
		return -1;
	adapter->hash = hash;
	adapter->active = true;
	return 0;
}

static int run_modify_lag(struct cmd *c)
{
	const struct prm_modify_lag_in *in = c->in;
	const struct prm_lagc *ctx = prm_sub_const(in, ctx, lagc);
	struct adapter *adapter = get_lag(c, true);
	unsigned int select = prm_get(in, field_select), can = PRM_MODIFY_LAG_REMAP;

	if (!adapter)
		return -1;
	if (adapter->hash)
		can = hca_affinity_bypass(c->dev) ? PRM_MODIFY_LAG_ACTIVE_PORT : 0;
	if (!select || select != can)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "field_select 0x%x: this LAG can modify 0x%x", select, can);
	if (is_set(c, ctx, port_select_mode, "but a LAG keeps its mode"))
		return -1;
	return set_selection(c, adapter, ctx, adapter->hash);
}

static int run_query_lag(struct cmd *c)
{
	struct prm_query_lag_out *out = c->out;
	struct adapter *adapter = c->dev->adapter;

	/* applications ask on any card, whether there is one */
	if (c->uid && (!adapter || !adapter->active))
		return 0;
	adapter = get_lag(c, true);
	if (!adapter)
		return -1;
	if (c->uid)
		prm_set(out, ctx.lag_state, 1);
	if (adapter->hash) {
		prm_set(out, ctx.port_select_mode, PRM_LAG_PORT_SELECT_FT);
		prm_set(out, ctx.active_port, adapter->active_ports);
		return 0;
	}
	prm_set(out, ctx.tx_remap_affinity_1, adapter->map[0]);
	prm_set(out, ctx.tx_remap_affinity_2, adapter->map[1]);
	return 0;
}

static int run_destroy_lag(struct cmd *c)
{
	struct adapter *adapter = get_lag(c, true);

	if (!adapter)
		return -1;
	if (adapter->vport)
		return refuse(c, PRM_STATUS_RES_BUSY, "the vport LAG must be destroyed first");
	adapter->active = false;
	ports_wake_senders();
	notice(c->dev, "LAG destroyed");
	return 0;
}

static int run_create_vport_lag(struct cmd *c)
{
	struct adapter *adapter = get_lag(c, true);

	if (!adapter)
		return -1;
	if (adapter->vport)
		return refuse(c, PRM_STATUS_BAD_RES_STATE, "there is a vport LAG already");
	adapter->vport = true;
	return 0;
}

static int run_destroy_vport_lag(struct cmd *c)
{
	struct adapter *adapter = get_lag(c, true);

	if (!adapter)
		return -1;
	if (!adapter->vport)
		return refuse(c, PRM_STATUS_BAD_RES_STATE, "there is no vport LAG");
	if (adapter->demux)
		return refuse(c, PRM_STATUS_RES_BUSY, "%u LAG demux tables must be destroyed first",
			      adapter->demux);
	adapter->vport = false;
	return 0;
}

const struct cmd_desc cmds_lag[] = {
	CMD(create_lag), CMD(modify_lag), CMD(query_lag), CMD(destroy_lag),
	CMD(create_vport_lag), CMD(destroy_vport_lag), {}
};
