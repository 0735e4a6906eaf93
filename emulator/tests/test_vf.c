// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A PF and two VFs of one card: which of them gets a frame, and what the administrator sets for the
 * VFs by lines of the control socket.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "host/control.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/cmdif.h"
#include "prm/vport.h"
#include "vf_card.h"
#include "vfu_client.h"

static void set_up(void)
{
	vfs_set_up();
	control_set_devs(devs, 3);
}

/* The answer to a line, without what follows the first one. */
static const char *line(const char *fmt, ...)
{
	static char answer[16384];
	char text[128];
	FILE *file = fmemopen(answer, sizeof(answer), "w");
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	control_line(text, file);
	fclose(file);
	return answer;
}

static bool must(const char *text)
{
	return !strcmp(line("%s", text), "ok\n");
}

static uint64_t bytes_in(const struct dut *dut)
{
	const struct eth_counters *n = &dut->dev->eth->counters;

	return n->rx_unicast.bytes + n->rx_multicast.bytes + n->rx_broadcast.bytes;
}

/* ---- who gets it ---- */

static void test_unicast(void)
{
	set_up();
	ktap(goes_to(f[1], TO(3), 2, -1, "2") && goes_to(f[2], TO(2), 3, -1, "1"),
	     "unicast between VFs reaches the VF that has the address in its list, alone");
	ktap(goes_to(f[1], TO(1), 2, -1, "0") && goes_to(f[0], TO(3), 1, -1, "2"),
	     "unicast between PF and VF stays in the card");
	ktap(goes_to(f[1], TO(2), 2, -1, "1"), "unicast to its own address comes back to a VF");
	ktap(goes_to(f[1], TO(OUTSIDE), 2, -1, "w") && goes_to(f[0], TO(OUTSIDE), 1, -1, "w"),
	     "unicast to an unknown address leaves the card");
	ktap(goes_to(NULL, TO(3), OUTSIDE, -1, "2") && goes_to(NULL, TO(1), OUTSIDE, -1, "0"),
	     "unicast from the wire reaches the function that has the address");
	ktap(goes_to(NULL, TO(55), OUTSIDE, -1, ""),
	     "unknown unicast from the wire reaches nobody");
	set_list(f[2], PRM_VPORT_LIST_UC, NULL);
	ktap(goes_to(f[1], TO(3), 2, -1, "w") && goes_to(NULL, TO(3), OUTSIDE, -1, ""),
	     "a function whose list loses the address loses the frames");
	set_promisc(f[0], true, false);
	send_frame(f[2], TO(OUTSIDE), 3, -1);
	ktap(goes_to(f[1], TO(3), 2, -1, ""),
	     "an address that the outer switch saw at the card is no way back into it");
	vfs_tear_down();
}

static void test_groups(void)
{
	set_up();
	ktap(goes_to(f[1], broadcast, 2, -1, "02w") && goes_to(NULL, broadcast, OUTSIDE, -1, "012"),
	     "broadcast reaches all but its sender");
	ktap(goes_to(f[1], group, 2, -1, "w") && goes_to(NULL, group, OUTSIDE, -1, ""),
	     "multicast that no list has leaves the card and does not enter it");
	set_list(f[2], PRM_VPORT_LIST_MC, group);
	ktap(goes_to(f[1], group, 2, -1, "2w") && goes_to(NULL, group, OUTSIDE, -1, "2"),
	     "multicast reaches the functions that have it in their lists");
	ktap(port_counters(devs[0]->port)->rx_frames == 3 &&
	     port_counters(devs[0]->port)->tx_frames == 3,
	     "the port of the PF counts what passes the wire, for all functions");
	vfs_tear_down();
}

static void test_trust(void)
{
	set_up();
	set_promisc(f[1], true, true);
	ktap(goes_to(NULL, TO(55), OUTSIDE, -1, "") && goes_to(NULL, group, OUTSIDE, -1, ""),
	     "a VF that is not trusted is not promiscuous");
	ktap(must("vf 0 trust on") && goes_to(NULL, TO(55), OUTSIDE, -1, "1") &&
	     goes_to(f[2], group, 3, -1, "1w"), "a trusted VF is");
	ktap(goes_to(NULL, TO(3), OUTSIDE, -1, "2"),
	     "a promiscuous VF does not hear what a list has for another");
	set_promisc(f[1], false, true);
	ktap(goes_to(NULL, TO(55), OUTSIDE, -1, "") && goes_to(NULL, group, OUTSIDE, -1, "1"),
	     "a trusted VF can hear all groups without being promiscuous");
	set_promisc(f[0], true, false);
	ktap(must("vf 0 trust off") && goes_to(NULL, TO(55), OUTSIDE, -1, "0"),
	     "the PF needs no trust");
	vfs_tear_down();
}

/* ---- MAC and spoof check ---- */

static bool has_mac(struct dut *dut, const uint8_t *mac)
{
	struct prm_query_nic_vport_context_in in = {};
	struct prm_query_nic_vport_context_out reply;

	dut_must(dut, query_nic_vport_context, &in, &reply);
	return !memcmp(prm_bytes(&reply, nic_vport_context.permanent_address.mac_addr_47_32), mac,
		       6);
}

static void test_mac(void)
{
	static const uint8_t none[6];

	set_up();
	ktap(has_mac(f[0], devs[0]->mac) && has_mac(f[1], none) && has_mac(f[2], none),
	     "the vports of VFs have no MAC at first");
	must("vf 1 mac 02:00:00:AA:bb:0c");
	start_again(f[2]);
	ktap(has_mac(f[2], (uint8_t[]){ 2, 0, 0, 0xaa, 0xbb, 0x0c }) && has_mac(f[1], none),
	     "a VF has the MAC that the administrator gave to it");
	must("vf f2 mac 00:00:00:00:00:00");
	start_again(f[2]);
	ktap(has_mac(f[2], none), "a MAC of zeros takes it away");
	ktap(devs[1]->sys_image_guid == devs[0]->sys_image_guid &&
	     devs[1]->node_guid != devs[0]->node_guid,
	     "PF and VFs have the system image GUID of the card, and node GUIDs of their own");
	vfs_tear_down();
}

static void test_spoof(void)
{
	set_up();
	ktap(goes_to(f[1], TO(3), 77, -1, "2"), "a VF may use any source address");
	ktap(must("vf 0 mac 02:00:00:00:00:02") && must("vf 0 spoofchk on") &&
	     goes_to(f[1], TO(3), 77, -1, "") && goes_to(f[1], broadcast, 77, -1, ""),
	     "with spoof check frames from another address are dropped");
	ktap(strstr(line("vf 0"), "spoofed 2,"), "they are counted");
	ktap(goes_to(f[1], TO(3), 2, -1, "2") && goes_to(f[2], TO(2), 77, -1, "1"),
	     "with spoof check frames from its MAC pass, and those of other VFs");
	ktap(must("vf 0 spoofchk off") && goes_to(f[1], TO(3), 77, -1, "2"),
	     "spoof check can be switched off");
	vfs_tear_down();
}

/* ---- VLAN ---- */

static bool tagged_out(uint16_t tci)
{
	return out.len == 64 && get16(out.data + 12) == ETH_P_8021Q &&
	       get16(out.data + 14) == tci && get16(out.data + 16) == 0x88b5 &&
	       out.data[63] == 0x5a;
}

static void test_vlan(void)
{
	uint64_t bytes;

	set_up();
	must("vf 0 vlan 100 5");
	ktap(goes_to(f[1], TO(OUTSIDE), 2, -1, "w") && tagged_out(5 << 13 | 100),
	     "what a VF with a VLAN sends has the tag and the priority on the wire");
	bytes = bytes_in(f[1]);
	ktap(goes_to(NULL, TO(2), OUTSIDE, 100, "1") && bytes_in(f[1]) - bytes == 60,
	     "what it receives has the tag removed");
	ktap(goes_to(NULL, TO(2), OUTSIDE, -1, "") && goes_to(NULL, TO(2), OUTSIDE, 101, "") &&
	     goes_to(f[2], TO(2), 3, -1, "") && goes_to(NULL, broadcast, OUTSIDE, -1, "02"),
	     "other VLANs, and frames without a tag, do not reach it");
	ktap(strstr(line("vf 0"), "other vlan 4\n"), "frames of other VLANs are counted");
	ktap(goes_to(f[1], TO(3), 2, 100, "") && goes_to(f[1], TO(3), 2, 0, "") &&
	     strstr(line("vf 0"), "tagged 2,"), "it may not send tags of its own");
	bytes = bytes_in(f[2]);
	ktap(goes_to(f[1], TO(3), 2, -1, "2") && bytes_in(f[2]) - bytes == 64,
	     "a VF without a VLAN sees the tag");
	must("vf 1 vlan 100");
	bytes = bytes_in(f[2]);
	ktap(goes_to(f[1], TO(3), 2, -1, "2") && bytes_in(f[2]) - bytes == 60 &&
	     goes_to(f[1], broadcast, 2, -1, "02w") && tagged_out(5 << 13 | 100),
	     "two VFs of a VLAN reach each other without tags");
	must("vf 1 vlan 0");
	ktap(goes_to(f[2], TO(OUTSIDE), 3, -1, "w") && out.len == 60, "VLAN 0 is none");
	vfs_tear_down();
}

/* Two VFs of different VLANs may have the same address. */
static void test_same_mac(void)
{
	set_up();
	set_list(f[2], PRM_VPORT_LIST_UC, TO(2));
	must("vf 0 vlan 100");
	must("vf 1 vlan 200");
	ktap(goes_to(NULL, TO(2), OUTSIDE, 100, "1") && goes_to(NULL, TO(2), OUTSIDE, 200, "2"),
	     "an address in two VLANs is two addresses");
	vfs_tear_down();
}

/* ---- link ---- */

static const struct prm_eqe *event(struct dut *dut, unsigned int nr)
{
	return (const struct prm_eqe *)dut_ptr(dut, dut->eq_buf) + nr;
}

/* The last event is this port change, and the state is what it says. */
static bool link_is(struct dut *dut, unsigned int *events, bool up, unsigned int admin)
{
	struct prm_query_vport_state_in in = {};
	struct prm_query_vport_state_out reply;
	const struct prm_eqe *eqe;

	dut_run();
	eqe = event(dut, (*events)++);
	dut_must(dut, query_vport_state, &in, &reply);
	return eqe->type == PRM_EVENT_PORT_CHANGE &&
	       eqe->sub_type == (up ? PRM_PORT_CHANGE_ACTIVE : PRM_PORT_CHANGE_DOWN) &&
	       event(dut, *events)->type == 0xff && prm_get(&reply, admin_state) == admin &&
	       prm_get(&reply, state) == (up ? PRM_VPORT_UP : PRM_VPORT_DOWN);
}

static void test_link(void)
{
	unsigned int n = 0, m = 0;

	set_up();
	port_set_wire(devs[0]->port, false);
	ktap(link_is(f[1], &n, false, PRM_VPORT_AUTO) && link_is(f[2], &m, false, PRM_VPORT_AUTO),
	     "with link auto a VF loses its link with the port");
	must("vf 0 link enable");
	ktap(link_is(f[1], &n, true, PRM_VPORT_UP), "with link enable it has one all the same");
	must("vf 1 link enable");
	ktap(link_is(f[2], &m, true, PRM_VPORT_UP) && goes_to(f[1], TO(3), 2, -1, "2") &&
	     goes_to(f[1], TO(OUTSIDE), 2, -1, ""),
	     "without a cable the VFs reach each other, and nobody outside");
	port_set_wire(devs[0]->port, true);
	dut_run();
	ktap(event(f[1], n)->type == 0xff, "a link that is enabled does not follow the port");
	must("vf 0 link disable");
	ktap(link_is(f[1], &n, false, PRM_VPORT_DOWN) && goes_to(f[2], TO(2), 3, -1, "") &&
	     goes_to(f[1], TO(3), 2, -1, ""), "with link disable it neither sends nor receives");
	must("vf 0 link auto");
	ktap(link_is(f[1], &n, true, PRM_VPORT_AUTO),
	     "with link auto again it has that of the port");
	vfs_tear_down();
}

/* ---- RoCE ---- */

static int set_roce_enabled(struct dut *dut)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out reply;

	prm_set(&in, field_select.roce_en, 1);
	prm_set(&in, nic_vport_context.roce_en, 1);
	return dut_cmd(dut, modify_nic_vport_context, &in, &reply);
}

static int clear_roce_address(struct dut *dut)
{
	struct prm_set_roce_address_in in = {};
	struct prm_set_roce_address_out reply;

	return dut_cmd(dut, set_roce_address, &in, &reply);
}

static int query_caps(struct dut *dut, unsigned int type, uint8_t *cap)
{
	struct prm_query_hca_cap_in in = {};
	struct prm_query_hca_cap_out reply;
	int status;

	prm_set(&in, op_mod, type << 1 | 1);
	status = dut_cmd(dut, query_hca_cap, &in, &reply);
	memcpy(cap, (uint8_t *)&reply + sizeof(struct prm_mbox_out), CAP_BYTES);
	return status;
}

static void test_roce(void)
{
	static uint8_t cap[CAP_BYTES] __attribute__((aligned(8)));
	uint32_t pages;

	set_up();
	pages = pages_initial(devs[1]);
	must("vf 0 roce off");
	ktap(!query_caps(f[1], CAP_GENERAL, cap) && prm_get((struct prm_cmd_hca_cap *)cap, roce) &&
	     pages_initial(devs[1]) == pages && !set_roce_enabled(f[1]),
	     "a VF that runs keeps RoCE");
	start_again(f[1]);
	ktap(!query_caps(f[1], CAP_GENERAL, cap) && !prm_get((struct prm_cmd_hca_cap *)cap, roce) &&
	     query_caps(f[1], CAP_ROCE, cap) && !dut_violations(f[1]),
	     "after its next start it has no RoCE, and no capabilities of it");
	ktap(pages_initial(devs[1]) + 256 == pages && pages_initial(devs[2]) == pages,
	     "without RoCE it takes 1 MiB less of the driver's memory");
	ktap(set_roce_enabled(f[1]) == PRM_STATUS_BAD_PARAM &&
	     clear_roce_address(f[1]) == PRM_STATUS_BAD_PARAM && dut_violations(f[1]) == 2,
	     "without RoCE roce_en and RoCE addresses are refused");
	cxdev_reset(devs[1]);
	must("vf 0 roce on");
	devs[1]->hca->phase = HCA_RUNNING;
	ktap(!query_caps(f[1], CAP_ROCE, cap) && pages_initial(devs[1]) == pages,
	     "a VF that is off has RoCE again at once");
	vfs_tear_down();
}

/* ---- pages, rate ---- */

static void test_pages(void)
{
	set_up();
	ktap(!strcmp(line("vf 0 pages -64"),
		     "error: vf 0: pages: the driver has no event queue for page requests\n"),
	     "pages cannot be requested without an event queue");
	dut_watch_pages(f[1]);
	ktap(must("vf 0 pages -64") && dut_asked.pages == -64,
	     "the card can offer pages back to the driver");
	ktap(must("vf 0 pages 100") && dut_asked.pages == 100, "the card can request pages");
	devs[1]->hca->sinks[PRM_EVENT_PAGE_REQUEST] = NULL;
	ktap(must("vf 0 rate 5000") && strstr(line("vf 0"), "rate 5000;"), "the rate is kept");
	vfs_tear_down();
}

/* ---- lines ---- */

static const struct {
	const char *line, *error;
} bad_lines[] = {
	{ "vf 2", "vf: '2' is not a VF" },
	{ "vf f0 trust on", "vf: 'f0' is not a VF" },
	{ "vf f9", "vf: 'f9' is not a VF" },
	{ "vf -1", "vf: '-1' is not a VF" },
	{ "vf 0 speed 5", "vf 0: 'speed' is not a setting" },
	{ "vf 0 mac", "vf 0: missing value: mac ADDRESS" },
	{ "vf 0 mac 1", "vf 0: mac: '1' is not like 02:00:00:00:00:01" },
	{ "vf 0 mac 02:00:00:00:00:1", "vf 0: mac: '02:00:00:00:00:1' is not like" },
	{ "vf 0 mac 02:00:00:00:00:0g", "vf 0: mac: '02:00:00:00:00:0g' is not like" },
	{ "vf 0 mac 02:00:00:00:00:01:02", "vf 0: mac: '02:00:00:00:00:01:02' is not like" },
	{ "vf 0 mac 020000:00:00:00:0", "vf 0: mac: '020000:00:00:00:0' is not like" },
	{ "vf 0 mac 01:00:5e:00:00:01", "vf 0: mac: 01:00:5e:00:00:01 is a group address" },
	{ "vf 0 vlan 4095", "vf 0: vlan: '4095' is not a number up to 4094" },
	{ "vf 0 vlan x", "vf 0: vlan: 'x' is not a number" },
	{ "vf 0 vlan 100 8", "vf 0: vlan: priority '8' is not a number up to 7" },
	{ "vf 0 vlan 0 1", "vf 0: vlan: priority '1' without a VLAN" },
	{ "vf 0 vlan 100 1 2", "vf 0: unexpected word '2': vlan ID [PRIORITY]" },
	{ "vf 0 trust yes", "vf 0: trust: 'yes' is not off or on" },
	{ "vf 0 spoofchk 1", "vf 0: spoofchk: '1' is not off or on" },
	{ "vf 0 spoofchk on off", "vf 0: unexpected word 'off': spoofchk on|off" },
	{ "vf 0 link up", "vf 0: link: 'up' is not auto or enable or disable" },
	{ "vf 0 roce maybe", "vf 0: roce: 'maybe' is not off or on" },
	{ "vf 0 rate fast", "vf 0: rate: 'fast' is not a number of Mb/s up to 400000" },
	{ "vf 0 rate 400001", "vf 0: rate: '400001' is not a number" },
	{ "vf 0 rate 99999999999999999999", "vf 0: rate: '99999999999999999999' is not a number" },
	{ "vf 0 pages 0", "vf 0: pages: '0' is not a number of pages" },
	{ "vf 0 pages -", "vf 0: pages: '-' is not a number of pages" },
	{ "cable f1 wire", "one of the ports is that of a VF, which has no connector" },
};

static void test_lines(void)
{
	char before[512], wanted[128];
	unsigned int i;

	set_up();
	must("vf 0 mac 02:00:00:00:00:02");
	must("vf 0 vlan 100 5");
	must("vf 0 rate 7");
	snprintf(before, sizeof(before), "%s", line("vf 0"));
	ktap(!strcmp(before, "vf 0, function f1:\n"
			     "  vf: mac 02:00:00:00:00:02, vlan 100 priority 5, trust off, spoofchk off, link auto, roce on, rate 7; dropped: spoofed 0, tagged 0, other vlan 0\n"
			     "ok\n"), "vf VF prints the settings");
	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		snprintf(wanted, sizeof(wanted), "error: %s", bad_lines[i].error);
		ktap(!strncmp(line("%s", bad_lines[i].line), wanted, strlen(wanted)),
		     "%s is refused", bad_lines[i].line);
	}
	ktap(!strcmp(line("vf 0"), before), "a refused line changes nothing");
	ktap(strstr(line("vf"), "vf 0, function f1:") && strstr(line("vf"), "vf 1, function f2:") &&
	     !strstr(line("vf"), "f0"), "vf lists the VFs, and nothing else");
	ktap(strstr(line("status"), ", behind f0), "), "the status names the port of a VF");
	ktap(strstr(line("help"), "vf VF link auto|enable|disable"), "help has the settings");
	vfs_tear_down();
}

/* ---- the firmware ---- */

static void test_firmware(void)
{
	set_up();
	iseg_write(devs[1], offsetof(struct prm_iseg, cmdq_addr_l_sz),
		   PRM_NIC_IFC_SW_RESET << PRM_ISEG_NIC_IFC_SHIFT);
	ktap(dut_violations(f[1]) == 1, "a VF must not reset the firmware");
	vfs_tear_down();
}

/* The functions may be destroyed in any order. */
static void test_end(void)
{
	set_up();
	send_frame(f[1], TO(OUTSIDE), 2, -1);
	send_frame(f[1], TO(3), 2, -1);
	send_frame(f[1], TO(1), 2, -1);
	dut_destroy(f[0]);
	ktap(!port_link_up(devs[1]->port), "without the PF's port a VF has no link");
	port_set_follow(devs[1]->port, PORT_UP);
	port_set_follow(devs[2]->port, PORT_UP);
	dut_run();
	send_frame(f[1], TO(OUTSIDE), 2, -1);
	send_frame(f[1], TO(3), 2, -1);
	dut_run();
	ktap(frames_in(f[2]) == 2, "without the PF the VFs reach each other");
	dut_destroy(f[1]);
	dut_destroy(f[2]);
	port_destroy(wire);
}

/* ---- the process ---- */

/* Does cxemu refuse to start with this card and two functions, and does it say why? */
static bool refuses(const char *bin_dir, const char *card, const char *why)
{
	char command[512], text[512] = "";
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "timeout 5 %s/cxemu --card %s --vm a=/tmp/cxemu-none/a --vm b=/tmp/cxemu-none/b 2>&1",
		 bin_dir, card);
	pipe = popen(command, "r");
	if (!pipe || !fgets(text, sizeof(text), pipe))
		return false;
	return pclose(pipe) && strstr(text, why);
}

static void test_process(const char *bin_dir)
{
	struct emu emu;
	const char *answer;

	ktap(refuses(bin_dir, "cx5,vfs=2", "a PF and vfs=2 take 3 --vm, not 2") &&
	     refuses(bin_dir, "cx5,vfs=0",
		     "'vfs=0' is neither ports=1 or 2, dcb, devx, odp=memory, eswitch, sriov") &&
	     refuses(bin_dir, "cx5,vfs=1,eswitch", "eswitch is for a card with sriov") &&
	     refuses(bin_dir, "cx5,vfs=16", "'vfs=16' is neither") &&
	     refuses(bin_dir, "cx5,vfs=1x", "'vfs=1x' is neither") &&
	     refuses(bin_dir, "cx5,vf", "'vf' is neither") &&
	     refuses(bin_dir, "cx5,vfs=1,ports=2", "a card with virtual functions has one port"),
	     "cxemu refuses a wrong number of VFs");
	emu_start_option(&emu, bin_dir, 5, "--card", "cx5,vfs=2");
	answer = emu_control(&emu, "vf");
	ktap(strstr(answer, "vf 0, function f1:") && strstr(answer, "vf 1, function f2:") &&
	     strstr(answer, "vf 2, function f4:") && !strstr(answer, "vf 3"),
	     "the first of every N + 1 functions is a PF, the others are its VFs");
	ktap(!emu_stop(&emu), "cxemu with VFs exits cleanly");
}

static void unused(struct work *work)
{
	(void)work;
}

/* For good: the wire has a rate from here on. */
static void test_rate(void)
{
	bool before, after, other, without;
	struct work work;
	const char *why;

	work_init(&work, unused);
	dut_check(physics_set("rate=10g", &why), "physics_set");
	set_up();
	must("vf 0 rate 1");
	before = port_may_send(devs[1]->port, broadcast, 0, 64, &work);
	send_frame(f[1], broadcast, 2, -1);
	after = port_may_send(devs[1]->port, broadcast, 0, 64, &work);
	work_cancel(&work);
	other = port_may_send(devs[2]->port, broadcast, 0, 64, &work);
	ktap(before && !after && other, "a VF with a rate waits after a frame, others do not");
	must("vf 0 rate 0");
	without = port_may_send(devs[1]->port, broadcast, 0, 64, &work);
	ktap(without, "without the rate it does not wait");
	vfs_tear_down();
}

int main(int argc, char **argv)
{
	ktap_plan(0);
	test_unicast();
	test_groups();
	test_trust();
	test_mac();
	test_spoof();
	test_vlan();
	test_same_mac();
	test_link();
	test_roce();
	test_pages();
	test_lines();
	test_firmware();
	test_end();
	test_rate();
	test_process(argc > 1 ? argv[1] : ".");
	return ktap_end();
}
