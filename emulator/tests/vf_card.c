// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <string.h>

#include "port/port.h"
#include "prm/vport.h"
#include "vf_card.h"

const uint8_t broadcast[6] = { 255, 255, 255, 255, 255, 255 };
const uint8_t group[6] = { 0x01, 0x00, 0x5e, 0, 0, 7 };
struct dut *f[3];
struct cxdev *devs[3];
struct wire_out out;
struct port *wire;

static bool on_wire(void *arg, const struct frame *frame)
{
	(void)arg;
	out.n++;
	out.len = frame->len;
	memcpy(out.data, frame->data, frame->len);
	return true;
}

void set_list(struct dut *dut, unsigned int type, const uint8_t *mac)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out reply;
	uint64_t list = mac ? htobe64(mac_to_u64(mac)) : 0;

	prm_set(&in, field_select.addresses_list, 1);
	prm_set(&in, nic_vport_context.allowed_list_type, type);
	prm_set(&in, nic_vport_context.allowed_list_size, !!mac);
	dut_check(dut_cmd_tail(dut, modify_nic_vport_context, &in, &reply, &list, 8), "list");
}

void set_promisc(struct dut *dut, bool all, bool groups)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out reply;

	prm_set(&in, field_select.promisc, 1);
	prm_set(&in, nic_vport_context.promisc_all, all);
	prm_set(&in, nic_vport_context.promisc_mc, groups);
	dut_must(dut, modify_nic_vport_context, &in, &reply);
}

void vfs_functions(void)
{
	const struct card *card = card_find("cx5", 3);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		char name[] = { 'f', '0' + i, 0 };

		f[i] = dut_create_card(name, i, i ? card_vf(card) : card);
		devs[i] = f[i]->dev;
	}
	dut_check(eswitch_create(devs[0]), "eswitch_create");
	eswitch_add(devs[0], devs[1]);
	eswitch_add(devs[0], devs[2]);
}

void vfs_set_up(void)
{
	unsigned int i;

	vfs_functions();
	for (i = 0; i < 3; i++)
		set_list(f[i], PRM_VPORT_LIST_UC, (uint8_t[])MAC(i + 1));
	wire = port_create(NULL, "wire");
	port_set_sink(wire, on_wire, NULL);
	memset(&out, 0, sizeof(out));
}

void vfs_tear_down(void)
{
	unsigned int i;

	dut_run();
	port_destroy(wire);
	for (i = 0; i < 3; i++)
		dut_destroy(f[i]);
}

void send_frame(struct dut *from, const uint8_t *to, uint8_t station, int vlan)
{
	uint32_t len = vlan < 0 ? 60 : 64;
	struct frame *frame = frame_alloc(len);

	memset(frame->data, 0, len);
	memcpy(frame->data, to, 6);
	memcpy(frame->data + 6, (uint8_t[])MAC(station), 6);
	if (vlan >= 0) {
		put16(frame->data + 12, ETH_P_8021Q);
		put16(frame->data + 14, vlan);
	}
	put16(frame->data + len - 60 + 12, 0x88b5);
	frame->data[len - 1] = 0x5a;
	port_send(from ? from->dev->port : wire, frame);
}

uint64_t frames_in(const struct dut *dut)
{
	const struct eth_counters *n = &dut->dev->eth->counters;

	return n->rx_unicast.packets + n->rx_multicast.packets + n->rx_broadcast.packets;
}

const char *got(void)
{
	static uint64_t before[3];
	static unsigned int wire_before;
	static char who[64];
	unsigned int i, n = 0;

	dut_run();
	for (i = 0; i < 3; i++) {
		uint64_t now = frames_in(f[i]);

		for (; now > before[i] && n < 30; before[i]++)
			who[n++] = '0' + i;
		before[i] = now;
	}
	for (; out.n > wire_before && n < 30; wire_before++)
		who[n++] = 'w';
	wire_before = out.n;
	who[n] = 0;
	return who;
}

bool goes_to(struct dut *from, const uint8_t *to, uint8_t station, int vlan, const char *who)
{
	got();
	send_frame(from, to, station, vlan);
	return !strcmp(got(), who);
}

void start_again(struct dut *dut)
{
	cxdev_reset(dut->dev);
	dut->dev->hca->phase = HCA_RUNNING;
}
