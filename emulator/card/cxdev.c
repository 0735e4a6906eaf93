// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A function as a whole: creation, reset and destruction of the state of all rooms, status. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "card/card.h"
#include "fault/fault.h"
#include "nic/nic.h"
#include "rdma/rdma.h"
#include "wire/wire.h"

/* ---- leaks ---- */

static void report_object(void *p, void *arg)
{
	struct obj *obj = p;
	unsigned int *n = arg;

	(*n)++;
	violation_leak(obj->dev, "%s 0x%x was not destroyed", obj_name(obj->type), obj->num);
}

/* What the driver of a PF has left to its VFs. */
static unsigned int report_vfs(struct cxdev *pf)
{
	unsigned int i, n = 0;
	struct cxdev *vf;

	for (i = 1; i <= vfs_count(pf); i++) {
		vf = vfs_function(pf, i);
		if (!vf || (!vf->enabled_by_pf && !vf->hca->pages.n))
			continue;
		violation_leak(pf, "function %u: %s, and %u pages were not reclaimed", i,
			       vf->enabled_by_pf ? "not disabled" : "disabled", vf->hca->pages.n);
		n += vf->enabled_by_pf + vf->hca->pages.n;
	}
	return n;
}

unsigned int cxdev_report_leaks(struct cxdev *dev)
{
	unsigned int type, n = 0;

	if (dev->hca->phase == HCA_RUNNING) {
		for (type = 0; type < OBJ_TYPES; type++)
			obj_for_each(dev, type, report_object, &n);
		n += lag_report_leak(dev);
		n += tunnel_report_leaks(dev);
	} else if (dev->hca->pages.n && !dev->pf) {
		n = dev->hca->pages.n;
		violation_leak(dev, "%u pages were not reclaimed", n);
	}
	return n + report_vfs(dev);
}

void hca_stop(struct cxdev *dev)
{
	cxdev_report_leaks(dev);
	obj_destroy_all(dev);
	lag_reset(dev);
	rdma_state_stop(dev);
	eth_state_stop(dev);
	memset(dev->hca->owner, 0, sizeof(dev->hca->owner));
	memset(&dev->hca->gone_cqs, 0, sizeof(dev->hca->gone_cqs));
	dev->hca->phase = HCA_ENABLED;
}

/* ---- the function ---- */

static void set_addresses(struct cxdev *dev)
{
	uint8_t guid[8];
	uint64_t v = 0;
	unsigned int i;

	dev->mac[0] = 0x02;
	dev->mac[1] = 0xc4;
	dev->mac[2] = 0x00;
	dev->mac[3] = 0x00;
	dev->mac[4] = dev->index >> 8;
	dev->mac[5] = dev->index + 1;
	memcpy(guid, dev->mac, 3);
	guid[3] = 0xff;
	guid[4] = 0xfe;
	memcpy(guid + 5, dev->mac + 3, 3);
	guid[0] ^= 2;
	for (i = 0; i < sizeof(guid); i++)
		v = v << 8 | guid[i];
	dev->node_guid = v;
	dev->sys_image_guid = v;
}

static const struct cmd_desc *const tables[] = {
	cmds_hca, cmds_user, cmds_uar, cmds_pages, cmds_caps, cmds_eq, cmds_cq,
	cmds_q_counter, cmds_key, cmds_memic, cmds_vport, cmds_eswitch, cmds_l2, cmds_register,
	cmds_lag, cmds_qp, cmds_qp_state, cmds_mcg, cmds_srq, cmds_dct, cmds_odp, cmds_roce,
	cmds_cong, cmds_sq, cmds_rq, cmds_tir, cmds_flow, cmds_fte, cmds_definer, cmds_tunnel,
	cmds_pace, NULL
};

/* Of Ethernet and RoCE alike. */
static void drop_oversize(struct cxdev *dev, struct frame *frame)
{
	struct eth_counters *counters = &dev->eth->counters;

	counters->rx_oversize.packets++;
	counters->rx_oversize.bytes += frame->len;
	counters->rx_errors.packets++;
	counters->rx_errors.bytes += frame->len;
	frame_free(frame);
}

static void receive_frame(struct cxdev *dev, struct frame *frame)
{
	if (!l2_passes(dev, frame)) {
		frame_free(frame);
		return;
	}
	if (!port_mtu_fits(dev, frame->len)) {
		drop_oversize(dev, frame);
		return;
	}
	if (roce_receive(dev, frame))
		return;
	frame_finish(frame);
	eth_receive(dev, frame);
}

static void link_changed(struct cxdev *dev, bool up)
{
	struct prm_eqe_port data = { .port = 1 << 4 };

	if (up)
		port_link_starts(dev);
	event_dispatch(dev, PRM_EVENT_PORT_CHANGE,
		       up ? PRM_PORT_CHANGE_ACTIVE : PRM_PORT_CHANGE_DOWN,
		       &data, sizeof(data));
}

static const struct port_ops port_ops = {
	.receive = receive_frame, .link = link_changed, .mend = port_mend
};

struct cxdev *cxdev_create(const char *name, unsigned int index, const struct card *card,
			   const struct guest_ops *ops, void *guest)
{
	struct cxdev *dev = calloc(1, sizeof(*dev));

	if (!dev)
		goto no_memory;
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	dev->index = index;
	dev->native_port = 1;
	dev->card = card;
	dev->ops = ops;
	dev->guest = guest;
	set_addresses(dev);
	cmd_set_tables(tables);
	if (hca_state_create(dev) || obj_state_create(dev) || memic_create(dev) ||
	    rdma_state_create(dev) || eth_state_create(dev))
		goto destroy;
	dev->port = port_create(dev, name);
	if (!dev->port)
		goto destroy;
	port_set_ops(dev->port, &port_ops);
	if (!card || !card->vf)
		port_buffers_reset(dev);
	return dev;

destroy:
	cxdev_destroy(dev);
no_memory:
	fprintf(stderr, "cxemu: %s: out of memory\n", name);
	return NULL;
}

void cxdev_destroy(struct cxdev *dev)
{
	if (dev->objs)
		obj_destroy_all(dev);
	adapter_leave(dev);
	vfs_leave(dev);
	eswitch_leave(dev);
	if (dev->port)
		port_destroy(dev->port);
	if (dev->eth)
		eth_state_destroy(dev);
	if (dev->rdma_state)
		rdma_state_destroy(dev);
	memic_destroy(dev);
	obj_state_destroy(dev);
	hca_state_destroy(dev);
	free(dev);
}

void cxdev_drop_vfs(struct cxdev *pf)
{
	unsigned int i;
	struct cxdev *vf;

	for (i = 1; i <= vfs_count(pf); i++) {
		vf = vfs_function(pf, i);
		if (!vf)
			continue;
		vf->enabled_by_pf = false;
		cxdev_power_on(vf);
		vf->health.excused = true;
	}
}

void cxdev_reset(struct cxdev *dev)
{
	obj_destroy_all(dev);
	lag_reset(dev);
	rdma_state_reset(dev);
	eth_state_reset(dev);
	hca_state_reset(dev);
	cxdev_drop_vfs(dev);
	dev->dma_dropped = 0;
	/* firmware that has failed does not initialize anything */
	if (dev->health.fatal)
		dev->hca->boot_done_ns = 0;
	else
		dev->health.excused = dev->health.gone;
}

void cxdev_power_on(struct cxdev *dev)
{
	health_reset(dev);
	cxdev_reset(dev);
}

/* ---- the functions of a card ---- */

void card_for_each(struct cxdev *dev, void (*fn)(struct cxdev *dev))
{
	unsigned int i;

	if (dev->eswitch) {
		eswitch_for_each(dev, fn);
		return;
	}
	if (!dev->adapter) {
		fn(dev);
		return;
	}
	for (i = 0; i < LAG_PORTS; i++)
		if (dev->adapter->dev[i])
			fn(dev->adapter->dev[i]);
}

struct cxdev *card_first(struct cxdev *dev)
{
	if (dev->eswitch)
		return eswitch_first(dev);
	return dev->adapter && dev->adapter->dev[0] ? dev->adapter->dev[0] : dev;
}

/* Late doorbells may follow. */
static void reset_firmware_of(struct cxdev *dev)
{
	notice(dev, "reset of the firmware");
	cxdev_power_on(dev);
	dev->health.excused = true;
	dev->hca->nic_ifc = PRM_NIC_IFC_DISABLED;
}

void cxdev_reset_firmware(struct cxdev *dev)
{
	card_for_each(dev, reset_firmware_of);
}

/* ---- status ---- */

static const char *const phases[] = { "off", "enabled", "running" };

void cxdev_status(struct cxdev *dev, FILE *out)
{
	const struct hca_state *hca = dev->hca;
	char mac[MAC_TEXT];
	unsigned int type;

	fprintf(out, "function %s: %s, mac %s, ", dev->name, dev->card->model,
		mac_text(eswitch_mac(dev), mac));
	fprintf(out, "%s, link %s, violations %llu\n", phases[hca->phase],
		port_link_up(dev->port) ? "up" : "down", (unsigned long long)dev->violations);
	fprintf(out, "  commands: %llu, refused %llu, declined %llu, delivery errors %llu\n",
		(unsigned long long)hca->commands, (unsigned long long)hca->refused,
		(unsigned long long)hca->declined, (unsigned long long)hca->delivery_errors);
	fprintf(out, "  pages: %u held, peak %llu\n", hca->pages.n,
		(unsigned long long)hca->pages_peak);
	if (dev->pf)
		fprintf(out, "  of the PF %s, function %u: %s\n", dev->pf->name,
			dev->function_id, dev->enabled_by_pf ? "enabled" : "not enabled");
	fprintf(out, "  host memory: %llu KiB of %llu, peak %llu\n",
		(unsigned long long)hca->budget_used >> 10, (unsigned long long)budget_bytes >> 10,
		(unsigned long long)hca->budget_peak >> 10);
	fprintf(out, "  compressed completions: %llu\n", (unsigned long long)hca->compressed);
	fprintf(out, "  interrupts: %llu, lost %llu\n", (unsigned long long)hca->irqs,
		(unsigned long long)hca->irqs_lost);
	fprintf(out, "  objects: %u", obj_count_all(dev));
	for (type = 0; type < OBJ_TYPES; type++)
		if (obj_count(dev, type))
			fprintf(out, ", %u %s", obj_count(dev, type), obj_name(type));
	fprintf(out, "\n");
	lag_status(dev, out);
	eswitch_status(dev, out);
	rdma_status(dev, out);
	eth_status(dev, out);
}

void cxdev_json(struct cxdev *dev, struct json_object *to)
{
	const struct hca_state *hca = dev->hca;
	struct json_object *part;
	char mac[MAC_TEXT];
	unsigned int type;

	json_text(to, "name", dev->name);
	json_text(to, "card", dev->card->model);
	json_text(to, "mac", mac_text(eswitch_mac(dev), mac));
	json_text(to, "phase", phases[hca->phase]);
	json_flag(to, "link", port_link_up(dev->port));
	json_number(to, "violations", dev->violations);
	part = json_part(to, "commands");
	json_number(part, "executed", hca->commands);
	json_number(part, "refused", hca->refused);
	json_number(part, "declined", hca->declined);
	json_number(part, "delivery_errors", hca->delivery_errors);
	part = json_part(to, "pages");
	json_number(part, "held", hca->pages.n);
	json_number(part, "peak", hca->pages_peak);
	if (dev->pf) {
		json_text(to, "pf", dev->pf->name);
		json_number(to, "function_id", dev->function_id);
		json_flag(to, "enabled", dev->enabled_by_pf);
	}
	part = json_part(to, "host_memory");
	json_number(part, "used_bytes", hca->budget_used);
	json_number(part, "limit_bytes", budget_bytes);
	json_number(part, "peak_bytes", hca->budget_peak);
	json_number(to, "compressed_completions", hca->compressed);
	part = json_part(to, "interrupts");
	json_number(part, "sent", hca->irqs);
	json_number(part, "lost", hca->irqs_lost);
	part = json_part(to, "objects");
	for (type = 0; type < OBJ_TYPES; type++)
		if (obj_count(dev, type))
			json_number(part, obj_name(type), obj_count(dev, type));
	lag_json(dev, to);
	eswitch_json(dev, to);
	rdma_json(dev, to);
	eth_json(dev, to);
}
