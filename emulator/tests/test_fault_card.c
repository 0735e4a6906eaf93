// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Faults that make a card another one: without a GUID, with other capabilities, used before. */
#include <string.h>

#include "prm/caps.h"
#include "prm/vport.h"
#include "fault_lines.h"

static struct client c;
static struct emu emu;

static struct prm_query_nic_vport_context_out vport(void)
{
	struct prm_query_nic_vport_context_in in = {};
	struct prm_query_nic_vport_context_out out = {};

	cmd(&c, query_nic_vport_context, &in, &out);
	return out;
}

static uint64_t guid(void)
{
	struct prm_query_nic_vport_context_out out = vport();

	return prm_get64(&out, nic_vport_context.system_image_guid);
}

static void test_no_guid(void)
{
	uint64_t before;

	boot_to_init(&c);
	before = guid();
	fault_must(&emu, "f0 noguid");
	ktap(before && !guid(), "noguid: the vport has no system image GUID");
	fault_must(&emu, "clear");
	ktap(guid() == before && fault_none(&emu), "after clear it has its GUID");
	shut_down(&c);
}

/* QUERY_HCA_CAP of a page; a status. */
static int query_page(unsigned int page, unsigned int which, struct prm_query_hca_cap_out *out)
{
	struct prm_query_hca_cap_in in = {};

	prm_set(&in, op_mod, page << 1 | which);
	return cmd(&c, query_hca_cap, &in, out);
}

static uint32_t port_type(void)
{
	struct prm_query_hca_cap_out out;

	return query_page(PRM_CAP_GENERAL, PRM_CAP_CUR, &out) ?
	       99 : prm_get(&out, capability.cmd_hca_cap.port_type);
}

/* Of a function that is running: its driver is not surprised. */
static void test_cap(void)
{
	bool good;

	boot_to_init(&c);
	fault_must(&emu, "f0 cap port_type 2");
	fault_must(&emu, "f0 cap port_type 0");
	ktap(!strcmp(fault(&emu, &good, "list"), "f0 cap port_type 0\nok\n"),
	     "list has changed capabilities");
	ktap(port_type() == 1, "a changed capability does not affect a function that runs");
	ktap(!shut_down(&c) && !boot_to_init(&c) && !port_type(), "it affects the next start");
	fault_must(&emu, "clear");
	ktap(!shut_down(&c) && !boot_to_init(&c) && port_type() == 1 && !shut_down(&c) &&
	     fault_none(&emu), "clear restores it");
}

static int set_mtu(uint32_t mtu)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;

	prm_set(&in, field_select.mtu, 1);
	prm_set(&in, nic_vport_context.mtu, mtu);
	return cmd(&c, modify_nic_vport_context, &in, &out);
}

static uint8_t last_gid_byte(uint32_t index)
{
	struct prm_query_roce_address_in in = {};
	struct prm_query_roce_address_out out = {};

	prm_set(&in, roce_address_index, index);
	cmd(&c, query_roce_address, &in, &out);
	return prm_bytes(&out, roce_address.source_l3_address)[15];
}

/* A driver finds the vport as the last one left it, unless there was a reset in between. */
static void test_leftovers(void)
{
	struct prm_query_nic_vport_context_out ctx;
	bool good;

	boot_to_init(&c);
	ktap(strstr(fault(&emu, &good, "f0 leftovers"), "the driver of f0 is running"),
	     "leftovers: refused while the driver is running");
	set_mtu(2000);
	ktap(!shut_down(&c) && !boot_to_init(&c) && (ctx = vport(), true) &&
	     prm_get(&ctx, nic_vport_context.mtu) == 2000, "the MTU survives TEARDOWN_HCA");
	shut_down(&c);
	fault_must(&emu, "f0 leftovers");
	boot_to_init(&c);
	ctx = vport();
	ktap(prm_get(&ctx, nic_vport_context.mtu) == 576 &&
	     prm_get(&ctx, nic_vport_context.promisc_uc) &&
	     prm_get(&ctx, nic_vport_context.disable_uc_local_lb) &&
	     prm_get(&ctx, nic_vport_context.roce_en) && last_gid_byte(77) == 77,
	     "leftovers: the next driver finds another one's settings");
	shut_down(&c);
	client_close(&c);
	client_open(&c, &emu, 0);
	boot_to_init(&c);
	ctx = vport();
	ktap(prm_get(&ctx, nic_vport_context.mtu) == 1500 &&
	     !prm_get(&ctx, nic_vport_context.promisc_uc) && !last_gid_byte(77),
	     "the next guest finds the vport's own");
	shut_down(&c);
}

/* What the driver could set is gone as well, and what it cannot see is not there. */
static void test_cap_pages(void)
{
	struct prm_query_hca_cap_out cur, max;

	fault_must(&emu, "f0 cap roce_cap.l3_type 2");
	fault_must(&emu, "f0 cap roce_cap.sw_r_roce_src_udp_port 0");
	fault_must(&emu, "f0 cap cmd_hca_cap.atomic 0");
	boot_to_init(&c);
	ktap(!query_page(PRM_CAP_ROCE, PRM_CAP_CUR, &cur) &&
	     !query_page(PRM_CAP_ROCE, PRM_CAP_MAX, &max) &&
	     prm_get(&cur, capability.roce_cap.l3_type) == 2 &&
	     prm_get(&max, capability.roce_cap.l3_type) == 2 &&
	     !prm_get(&max, capability.roce_cap.sw_r_roce_src_udp_port) &&
	     prm_get(&max, capability.roce_cap.roce_version) == 5,
	     "a changed field of another page, of the current values and of the maxima");
	ktap(query_page(PRM_CAP_ATOMIC, PRM_CAP_MAX, &max) == PRM_STATUS_BAD_PARAM &&
	     !strcmp(emu_control(&emu, "violations"), "ok\n"),
	     "a page that is not announced is declined");
	shut_down(&c);
	fault_must(&emu, "clear");
	boot_to_init(&c);
	ktap(!query_page(PRM_CAP_ATOMIC, PRM_CAP_MAX, &max) &&
	     !query_page(PRM_CAP_ROCE, PRM_CAP_MAX, &max) &&
	     prm_get(&max, capability.roce_cap.l3_type) == 6 && !shut_down(&c),
	     "clear restores all pages");
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(14);
	emu_start(&emu, argv[1], 1);
	client_open(&c, &emu, 0);
	test_no_guid();
	test_cap();
	test_leftovers();
	test_cap_pages();
	client_close(&c);
	ktap(!emu_stop(&emu), "the exit status is 0");
	return ktap_end();
}
