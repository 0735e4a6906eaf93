// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The embedded switch of a card with virtual functions, in what drivers of PFs call legacy mode.
 *
 * If nobody in the guests manages it, its rules come from the lists that each function writes into
 * its vport context, and from what the administrator has set for the VFs on the control socket.
 * Else they are those of the FDB, and the driver of the PF sets up the vports.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "port/port.h"
#include "prm/vport.h"

#define VPORTS (1 + VFS_MAX)
#define TAG_AT 12	/* after the addresses */

struct eswitch {
	unsigned int n;
	bool managed;
	struct vport {
		struct cxdev *dev;	/* NULL: destroyed */
		struct vf vf;		/* not of vport 0 */
		struct flow_table *acl[2];	/* of a managed switch: ingress, egress */
	} vports[VPORTS];
};

static uint16_t tag_of(const struct frame *frame)
{
	uint16_t ethertype = get16(frame->data + TAG_AT);

	return ethertype == ETH_P_8021Q || ethertype == ETH_P_8021AD ? ethertype : 0;
}

/* ---- from a function into the switch ---- */

static void push_tag(struct frame *frame, const struct vf *vf)
{
	uint8_t *at = frame->data + TAG_AT;

	memmove(at + VLAN_BYTES, at, frame->len - TAG_AT);
	put16(at, ETH_P_8021Q);
	put16(at + 2, vf->priority << 13 | vf->vlan);
	frame->len += VLAN_BYTES;
}

/* The ACL of the vport, which sees what it sends without the tag that the switch inserts. */
static bool allowed(struct cxdev *dev, const struct frame *frame, bool egress)
{
	struct vport *vport = &dev->eswitch->vports[dev->vport];
	struct cxdev *pf = dev->eswitch->vports[0].dev;

	if (!pf || !vport->acl[egress] || pf->eth->acl_steer(pf, vport->acl[egress], frame))
		return true;
	trace(dev, "a frame was dropped by the ACL of the vport");
	vport->vf.denied++;
	return false;
}

static bool push_vlan(struct cxdev *dev, struct frame *frame, const struct vf *vf)
{
	if (vf->cvlan_insert == PRM_CVLAN_INSERT_NONE ||
	    (vf->cvlan_insert == PRM_CVLAN_INSERT_MISSING && tag_of(frame) == ETH_P_8021Q))
		return true;
	if (frame->len + VLAN_BYTES > FRAME_MAX) {
		trace(dev, "a frame was dropped: there is no room for the tag of the VF");
		return false;
	}
	push_tag(frame, vf);
	return true;
}

static bool admit(struct cxdev *dev, struct frame *frame)
{
	struct vf *vf = eswitch_vf(dev);

	if (!vf)
		return true;
	if (dev->eswitch->managed)
		return allowed(dev, frame, false) && push_vlan(dev, frame, vf);
	if (vf->spoofchk && memcmp(frame->data + 6, vf->mac, 6)) {
		trace(dev, "a frame was dropped: its source is not the MAC of the VF");
		vf->spoofed++;
		return false;
	}
	if (!vf->vlan)
		return true;
	if (tag_of(frame) || frame->len + VLAN_BYTES > FRAME_MAX) {
		trace(dev, "a frame was dropped: the VF has a VLAN, and may not send tags");
		vf->tagged++;
		return false;
	}
	push_tag(frame, vf);
	return true;
}

/* ---- who gets it ---- */

static bool in_list(const struct cxdev *dev, enum address_list_type type, const uint8_t *mac)
{
	const struct address_list *list = &dev->eth->lists[type];
	uint64_t wanted = mac_to_u64(mac);
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (list->entries[i] == wanted)
			return true;
	return false;
}

/* A VF of a VLAN sees nothing else, not even frames for everybody. */
static bool in_vlan(struct cxdev *dev, const struct frame *frame)
{
	struct vf *vf = eswitch_vf(dev);

	if (!vf || !vf->vlan ||
	    (get16(frame->data + TAG_AT) == ETH_P_8021Q &&
	     (get16(frame->data + TAG_AT + 2) & 0xfff) == vf->vlan))
		return true;
	vf->other_vlan++;
	return false;
}

static bool trusted(const struct cxdev *dev)
{
	const struct vf *vf = eswitch_vf(dev);

	return !vf || vf->trusted;
}

static bool hears_group(const struct cxdev *dev, const uint8_t *mac)
{
	return mac_to_u64(mac) == 0xffffffffffffull || in_list(dev, LIST_MC, mac) ||
	       ((dev->eth->promisc_mc || dev->eth->promisc_all) && trusted(dev));
}

static bool hears_unknown(const struct cxdev *dev)
{
	return (dev->eth->promisc_uc || dev->eth->promisc_all) && trusted(dev);
}

static bool pops_tag(const struct cxdev *dev, const struct frame *frame)
{
	const struct vf *vf = eswitch_vf(dev);

	if (dev->eswitch->managed)
		return vf && vf->cvlan_strip && tag_of(frame) == ETH_P_8021Q;
	return vf && vf->vlan;
}

/* The frame is a copy, or nobody else gets it. */
static void deliver(struct cxdev *dev, struct frame *frame)
{
	if (pops_tag(dev, frame)) {
		memmove(frame->data + TAG_AT, frame->data + TAG_AT + VLAN_BYTES,
			frame->len - TAG_AT - VLAN_BYTES);
		frame->len -= VLAN_BYTES;
	}
	port_deliver(dev->port, frame);
}

static void deliver_copy(struct cxdev *dev, const struct frame *frame)
{
	struct frame *copy = frame_copy(frame);

	if (copy)
		deliver(dev, copy);
}

/* True: a function has the address. The frame is consumed if so. */
static bool sort_unicast(struct eswitch *eswitch, struct frame *frame)
{
	bool known = false;
	unsigned int i;

	for (i = 0; i < eswitch->n; i++) {
		struct cxdev *dev = eswitch->vports[i].dev;

		if (!dev || !in_list(dev, LIST_UC, frame->data))
			continue;
		known = true;
		if (in_vlan(dev, frame)) {
			deliver(dev, frame);
			return true;
		}
	}
	if (known)
		frame_free(frame);
	return known;
}

/* Copies for all functions but @except that hear it. */
static void sort_many(struct eswitch *eswitch, const struct frame *frame,
		      const struct cxdev *except)
{
	bool group = frame->data[0] & 1;
	unsigned int i;

	for (i = 0; i < eswitch->n; i++) {
		struct cxdev *dev = eswitch->vports[i].dev;

		if (dev && dev != except &&
		    (group ? hears_group(dev, frame->data) : hears_unknown(dev)) &&
		    in_vlan(dev, frame))
			deliver_copy(dev, frame);
	}
}

/* Of a group, a vport does not get what it has sent; the wire never does. Consumes the frame. */
static void sort_by_rules(struct eswitch *eswitch, unsigned int source, struct frame *frame)
{
	bool returns = !(frame->data[0] & 1) && source != PRM_VPORT_NUM_UPLINK;
	struct cxdev *pf = eswitch->vports[0].dev, *dev;
	uint32_t to = 0;
	unsigned int i;

	if (pf && pf->eth->fdb_root)
		to = pf->eth->fdb_steer(pf, source, frame) &
		     ~(returns ? 0 : ESWITCH_VPORT(source));
	else if (source == PRM_VPORT_NUM_UPLINK)
		to = ESWITCH_VPORT(0);
	else if (!source)
		to = ESWITCH_VPORT(PRM_VPORT_NUM_UPLINK);
	for (i = 0; i < eswitch->n; i++) {
		dev = eswitch->vports[i].dev;
		if (dev && to & ESWITCH_VPORT(i) && allowed(dev, frame, true))
			deliver_copy(dev, frame);
	}
	if (pf && to & ESWITCH_VPORT(PRM_VPORT_NUM_UPLINK))
		port_leave(pf->port, frame);
	else
		frame_free(frame);
}

static void sent(struct cxdev *dev, struct frame *frame)
{
	struct eswitch *eswitch = dev->eswitch;
	bool group = frame->data[0] & 1;

	if (eswitch->managed) {
		sort_by_rules(eswitch, dev->vport, frame);
		return;
	}
	if (!group && sort_unicast(eswitch, frame))
		return;
	if (group)
		sort_many(eswitch, frame, dev);
	if (eswitch->vports[0].dev)
		port_leave(eswitch->vports[0].dev->port, frame);
	else
		frame_free(frame);
}

static void arrived(struct cxdev *pf, struct frame *frame)
{
	if (pf->eswitch->managed) {
		if (l2_admits(pf, frame))
			sort_by_rules(pf->eswitch, PRM_VPORT_NUM_UPLINK, frame);
		else
			frame_free(frame);
		return;
	}
	if (!(frame->data[0] & 1) && sort_unicast(pf->eswitch, frame))
		return;
	sort_many(pf->eswitch, frame, NULL);
	frame_free(frame);
}

static const struct bridge_ops bridge_ops = { .admit = admit, .sent = sent, .arrived = arrived };

/* ---- the card ---- */

int eswitch_create(struct cxdev *pf)
{
	pf->eswitch = calloc(1, sizeof(*pf->eswitch));
	if (!pf->eswitch)
		return -ENOMEM;
	pf->eswitch->n = 1;
	pf->eswitch->vports[0].dev = pf;
	port_set_bridge(pf->port, pf->port, &bridge_ops);
	return 0;
}

void eswitch_manage(struct cxdev *pf)
{
	pf->eswitch->managed = true;
	hca_caps_reset(pf);
}

bool eswitch_manager(const struct cxdev *dev)
{
	return dev->eswitch && dev->eswitch->managed && !dev->vport;
}

struct cxdev *eswitch_managed_by(const struct cxdev *dev)
{
	return dev->eswitch && dev->eswitch->managed ? dev->eswitch->vports[0].dev : NULL;
}

struct cxdev *eswitch_vport(const struct cxdev *dev, unsigned int number)
{
	return number < dev->eswitch->n ? dev->eswitch->vports[number].dev : NULL;
}

unsigned int eswitch_vports(const struct cxdev *dev)
{
	return dev->eswitch->n;
}

struct flow_table **eswitch_acl(struct cxdev *dev, unsigned int vport, bool egress)
{
	return &dev->eswitch->vports[vport].acl[egress];
}

static void stop_vport(struct cxdev *dev)
{
	struct vf *vf = eswitch_vf(dev);

	dev->eth->change_armed = false;
	if (vf) {
		vf->cvlan_insert = PRM_CVLAN_INSERT_NONE;
		vf->cvlan_strip = false;
	}
}

void eswitch_stop(struct cxdev *dev)
{
	if (eswitch_manager(dev))
		eswitch_for_each(dev, stop_vport);
}

void eswitch_add(struct cxdev *pf, struct cxdev *dev)
{
	dev->eswitch = pf->eswitch;
	dev->vport = pf->eswitch->n++;
	dev->eswitch->vports[dev->vport].dev = dev;
	dev->sys_image_guid = pf->sys_image_guid;
	port_set_bridge(dev->port, pf->port, &bridge_ops);
}

void eswitch_leave(struct cxdev *dev)
{
	struct eswitch *eswitch = dev->eswitch;
	unsigned int i, left = 0;

	if (!eswitch)
		return;
	eswitch->vports[dev->vport].dev = NULL;
	for (i = 0; i < eswitch->n; i++)
		left += !!eswitch->vports[i].dev;
	if (!left)
		free(eswitch);
	dev->eswitch = NULL;
}

void eswitch_for_each(struct cxdev *dev, void (*fn)(struct cxdev *dev))
{
	struct eswitch *eswitch = dev->eswitch;
	unsigned int i;

	for (i = 0; i < eswitch->n; i++)
		if (eswitch->vports[i].dev)
			fn(eswitch->vports[i].dev);
}

struct cxdev *eswitch_first(struct cxdev *dev)
{
	struct cxdev *pf = dev->eswitch->vports[0].dev;

	return pf ? pf : dev;
}

struct vf *eswitch_vf(const struct cxdev *dev)
{
	return dev->eswitch && dev->vport ? &dev->eswitch->vports[dev->vport].vf : NULL;
}

const uint8_t *eswitch_mac(const struct cxdev *dev)
{
	static const uint8_t none[6];
	const struct vf *vf = eswitch_vf(dev);

	return vf ? vf->mac : dev->card && dev->card->vf ? none : dev->mac;
}

const char *const eswitch_links[ESWITCH_LINKS] = { [PORT_AUTO] = "auto", [PORT_UP] = "enable",
						   [PORT_DOWN] = "disable" };

void eswitch_status(const struct cxdev *dev, FILE *out)
{
	const struct vf *vf = eswitch_vf(dev);
	char mac[MAC_TEXT];

	if (!vf)
		return;
	fprintf(out, "  vf: mac %s, vlan %u priority %u, ", mac_text(vf->mac, mac), vf->vlan,
		vf->priority);
	fprintf(out, "trust %s, spoofchk %s, link %s, roce %s, rate %u; ",
		vf->trusted ? "on" : "off", vf->spoofchk ? "on" : "off",
		eswitch_links[port_follow(dev->port)], dev->roce_denied ? "off" : "on", vf->rate);
	if (dev->eswitch->managed)
		fprintf(out, "dropped by ACLs: %llu\n", (unsigned long long)vf->denied);
	else
		fprintf(out, "dropped: spoofed %llu, tagged %llu, other vlan %llu\n",
			(unsigned long long)vf->spoofed, (unsigned long long)vf->tagged,
			(unsigned long long)vf->other_vlan);
}

void eswitch_json(const struct cxdev *dev, struct json_object *to)
{
	const struct vf *vf = eswitch_vf(dev);
	struct json_object *part;
	char mac[MAC_TEXT];

	if (!vf)
		return;
	part = json_part(to, "vf");
	json_text(part, "mac", mac_text(vf->mac, mac));
	json_number(part, "vlan", vf->vlan);
	json_number(part, "priority", vf->priority);
	json_flag(part, "trust", vf->trusted);
	json_flag(part, "spoofchk", vf->spoofchk);
	json_text(part, "link", eswitch_links[port_follow(dev->port)]);
	json_flag(part, "roce", !dev->roce_denied);
	json_number(part, "rate", vf->rate);
	json_number(part, "dropped_by_acls", vf->denied);
	json_number(part, "dropped_spoofed", vf->spoofed);
	json_number(part, "dropped_tagged", vf->tagged);
	json_number(part, "dropped_other_vlan", vf->other_vlan);
}
