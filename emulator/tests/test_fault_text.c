// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The language of faults: what it refuses and what the error names, list, clear and help. */
#include <string.h>

#include "fault_lines.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define CAP_CHANGES 64

static struct emu emu;

static const struct {
	const char *text, *word; /* what the error must name */
} bad_texts[] = {
	{ "", "missing function, list or clear" },
	{ "f9 gone", "'f9' is not a function, a port" },
	{ "list all", "unexpected word 'all'" },
	{ "clear x", "'x' is not a rule number" },
	{ "clear 77", "'77' is not a rule number" },
	{ "clear 1 2", "unexpected word '2'" },
	{ "f0", "missing fault for 'f0'" },
	{ "f0 burn", "'burn' is not a fault" },
	{ "f0 command", "missing command" },
	{ "f0 command creat_cq silent", "'creat_cq' is not a valid command" },
	{ "f0 command 0x1000 silent", "'0x1000' is not a valid command" },
	{ "f0 command create_cq", "missing action" },
	{ "f0 command create_cq explode", "'explode' is not an action" },
	{ "f0 command create_cq status", "missing status" },
	{ "f0 command create_cq status BAD", "'BAD' is not a valid status" },
	{ "f0 command create_cq status ok", "'ok': this status is not an error" },
	{ "f0 command create_cq status 0x100", "'0x100' is not a valid status" },
	{ "f0 command create_cq delivery ok", "'ok': this delivery" },
	{ "f0 command create_cq length", "missing length" },
	{ "f0 command create_cq length -1", "'-1' is not a valid length" },
	{ "f0 command create_cq silent nth=0", "'nth=0': nth" },
	{ "f0 command create_cq silent nth=", "'nth=': nth" },
	{ "f0 command create_cq silent nth=1x", "'nth=1x': nth" },
	{ "f0 command create_cq silent nth=99999999999999999999", "'nth=99999999999999999999'" },
	{ "f0 command create_cq silent times=0", "'times=0': times" },
	{ "f0 command create_cq silent times=ever", "'times=ever': times" },
	{ "f0 command create_cq silent percent=0", "'percent=0': percent" },
	{ "f0 command create_cq silent percent=101", "'percent=101': percent" },
	{ "f0 command create_cq silent percent=100.01", "'percent=100.01': percent" },
	{ "f0 command create_cq silent percent=1.", "'percent=1.': percent" },
	{ "f0 command create_cq silent percent=1.234", "'percent=1.234': percent" },
	{ "f0 command create_cq silent seed=x percent=1", "'seed=x': seed" },
	{ "f0 command create_cq silent seed=3", "seed needs percent" },
	{ "f0 command create_cq silent nth=2 percent=5", "nth and percent are mutually exclusive" },
	{ "f0 command create_cq silent nth=2 nth=3", "'nth=3': given twice" },
	{ "f0 command create_cq silent twice", "'twice' is not an option" },
	{ "f0 command create_cq silent dir=rx", "'dir=rx' is not an option" },
	{ "f0 command create_cq silent qp=3", "'qp=3' is not an option" },
	{ "any command create_cq silent", "'any' is not a function" },
	{ "f0 register paas status bad_param", "'paas' is not a valid register" },
	{ "f0 register paos silent", "'silent' is not an action" },
	{ "f0 event port lose", "'port' is not a valid event type" },
	{ "f0 event port_change shout", "'shout' is not an action" },
	{ "f0 event port_change type", "missing event type" },
	{ "f0 event port_change type 256", "'256' is not a valid event type" },
	{ "f0 cqe 0x1000000 overrun", "'0x1000000' is not a valid CQ" },
	{ "f0 cqe any error good", "'good' is not a valid syndrome" },
	{ "f0 request recv error local_prot", "'recv' is not a valid request" },
	{ "f0 request 0x100 error local_prot", "'0x100' is not a valid request" },
	{ "f0 request umr overrun", "'overrun' is not an action" },
	{ "f0 interrupt 64 lose", "'64': the card has 64 vectors" },
	{ "f0 interrupt 1 double", "'double' is not an action" },
	{ "f0 gateway cards silent", "'cards' is not a valid address space" },
	{ "f0 gateway any lose", "'lose' is not an action of gateway" },
	{ "f0 gateway any next 0x40000000", "'0x40000000' is not a valid address" },
	{ "f0 gateway any size 0x40000000", "'0x40000000' is not a valid size" },
	{ "f0 gateway semaphores size 8", "semaphores have neither a size" },
	{ "f0 frame rc_send drop", "'rc_send' is not a valid BTH opcode" },
	{ "f0 frame ud_read_request drop", "'ud_read_request' is not a valid BTH opcode" },
	{ "f0 frame any drop dir=up", "'dir=up': dir" },
	{ "f0 frame any drop qp=0x1000000", "'qp=0x1000000': qp" },
	{ "f0 frame any delay 0", "'0': a frame is delayed" },
	{ "f0 frame any delay 1025", "'1025' is not a valid number of frames" },
	{ "f0 frame any flip 0 dir=rx", "'0': at least one bit" },
	{ "f0 frame any flip 513 dir=rx", "'513' is not a valid number of bits" },
	{ "f0 frame any flip 5", "flip needs dir=rx" },
	{ "f0 frame any flip 5 dir=tx", "flip needs dir=rx" },
	{ "f0 frame any corrupt 10240", "'10240' is not a valid byte" },
	{ "any gone", "'any' is not a function" },
	{ "f0 pages", "missing number of pages" },
	{ "f0 pages 0", "'0' is not a number of pages" },
	{ "f0 pages -x", "'-x' is not a number of pages" },
	{ "f0 pages 5000000000", "'5000000000' is not a number of pages" },
	{ "f0 pages 5", "no event queue for page requests" },
	{ "f0 pages 5 6", "unexpected word '6'" },
	{ "f0 temperature", "no event queue for temperature" },
	{ "f0 spurious", "missing vector" },
	{ "f0 spurious 64", "'64' is not a vector: the card has 64" },
	{ "f0 spurious 1 2", "unexpected word '2'" },
	{ "f0 port", "missing up or down" },
	{ "f0 port sideways", "'sideways' is neither" },
	{ "f0 receive", "missing stop or go" },
	{ "f0 receive on", "'on' is neither stop nor go" },
	{ "f0 receive stop now", "unexpected word 'now'" },
	{ "f0 port down now", "unexpected word 'now'" },
	{ "f0 health", "missing health syndrome" },
	{ "f0 health ill", "'ill' is not a valid health syndrome" },
	{ "f0 health 1 reset", "unexpected word 'reset'" },
	{ "f0 cap", "missing capability" },
	{ "f0 cap log_max_qpx 4", "'log_max_qpx' is not a capability" },
	{ "f0 cap atomic_caps.roce 0", "'atomic_caps.roce' is not a capability" },
	{ "f0 cap atomic_caps 0", "'atomic_caps' is not a capability" },
	{ "f0 cap rsvd_40 0", "'rsvd_40' is not a capability" },
	{ "f0 cap port_selection_cap.port_select_flow_table 0",
	  "'port_selection_cap.port_select_flow_table': the card of f0 has no such page" },
	{ "f0 cap native_port_num", "missing value of native_port_num" },
	{ "f0 cap native_port_num 256", "'256' is too large: native_port_num has 8 bits" },
	{ "f0 cap cmd_hca_cap.roce 2", "'2' is too large: roce has 1 bit" },
	{ "f0 cap roce off", "'off' is not a number" },
	{ "f0 cap general_obj_types 18446744073709551616", "'18446744073709551616' is not a" },
	{ "f0 cap roce 0 0", "unexpected word '0'" },
	{ "f0 gone for good", "unexpected word 'for'" },
	{ "f0 fatal now", "unexpected word 'now'" },
	{ "f0 stall now", "unexpected word 'now'" },
	{ "f0 overheat now", "unexpected word 'now'" },
	{ "f0 back", "'f0' is not gone" },
	{ "f0 aer", "'aer' of f0: QEMU stops" },
	{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "unexpected word '17'" },
};

static void test_bad_texts(void)
{
	const char *answer;
	unsigned int i;
	bool good;

	for (i = 0; i < ARRAY_SIZE(bad_texts); i++) {
		answer = fault(&emu, &good, "%s", bad_texts[i].text);
		good = !strncmp(answer, "error: fault: ", 14) && strstr(answer, bad_texts[i].word);
		if (!good)
			printf("# answer: %s", answer);
		ktap(good, "refused: fault %s", bad_texts[i].text);
	}
	ktap(fault_none(&emu) && !strcmp(emu_control(&emu, "violations"), "ok\n"),
	     "refused lines leave no fault behind");
}

static void test_list(void)
{
	bool good;
	const char *text;

	fault_must(&emu, "f0 command CREATE_CQ status bad_res nth=3");
	fault_must(&emu, "any frame rc_send_only drop percent=1.5 seed=7 qp=0x80 dir=rx");
	fault_must(&emu, "f1 port down");
	fault_must(&emu, "f1 receive stop");
	text = fault(&emu, &good, "list");
	ktap(good && strstr(text, ": f0 command create_cq status BAD_RES nth=3 times=1: seen 0") &&
	     strstr(text, ": any frame rc_send_only drop dir=rx qp=0x80 percent=1.50 seed=7 ") &&
	     strstr(text, "f1 port down\n") && strstr(text, "f1 receive stop\n"),
	     "list shows the rules and the faults of a function");
	fault_must(&emu, "clear");
	ktap(fault_none(&emu), "clear removes all faults");
	text = emu_control(&emu, "help");
	ktap(strstr(text, "fault FUNCTION command OPCODE|any") &&
	     strstr(text, "fault FUNCTION gone") && strstr(text, "fault list"),
	     "help prints the grammar");
}

#define NIC "flow_table_nic_cap.flow_table_properties_nic_"
#define NIC_RX NIC "receive"
#define TIMER "per_protocol_networking_offload_caps.lro_timer_supported_periods"

/* By the names in which the capabilities of a function are shown as well. */
static void test_caps(void)
{
	const char *text;

	fault_must(&emu, "f1 cap " NIC_RX ".ft_field_support.outer_dmac 0");
	fault_must(&emu, "f1 cap " NIC_RX ".max_ft_level 255");
	fault_must(&emu, "f1 cap " TIMER "[3] 0xffffffff");
	fault_must(&emu, "f1 cap general_obj_types 0x8000000000000001");
	text = emu_control(&emu, "caps f1");
	ktap(!strstr(text, "f1 " NIC_RX ".ft_field_support.outer_dmac ") &&
	     strstr(text, "f1 " NIC_RX ".ft_field_bitmask_support.outer_dmac 1 1\n") &&
	     strstr(text, "f1 " NIC_RX ".max_ft_level 8 255\n") &&
	     strstr(text, "f1 " TIMER "[3] 32 4294967295\n") &&
	     strstr(text, "f1 general_obj_types 64 9223372036854775809\n"),
	     "capabilities of any page and width are changed by name");
	ktap(strstr(text, "f1 roce_cap.sw_r_roce_src_udp_port 1 0 1\n") && !strstr(text, "f0 "),
	     "caps shows the maximum where it differs, and no other function");
	fault_must(&emu, "f1 cap roce 0");
	ktap(!strstr(emu_control(&emu, "caps f1"), "f1 roce_cap."),
	     "a page that is not announced is not shown");
	fault_must(&emu, "clear");
	text = emu_control(&emu, "caps");
	ktap(strstr(text, "f0 roce 1 1\n") && strstr(text, "f1 roce_cap.l3_type 4 6\n") &&
	     !strstr(text, TIMER),
	     "clear restores all pages; caps without a function shows all functions");
	ktap(!strcmp(emu_control(&emu, "caps f9"), "error: caps: no function 'f9'\n"),
	     "caps names a function that does not exist");
}

/* Of 96 fields, each of them twice. */
static void test_caps_limit(void)
{
	static const char *const tables[] = { "receive", "receive_rdma", "receive_sniffer",
					      "transmit", "transmit_rdma", "transmit_sniffer" };
	unsigned int i, n = 0;
	const char *text;
	bool good;

	for (i = 0; i < 192; i++) {
		text = fault(&emu, &good, "f0 cap " NIC "%s.ft_field_%ssupport.metadata_reg_c_%u 1",
			     tables[i / 2 % 6], i / 12 % 2 ? "bitmask_" : "", i / 24);
		n += good;
	}
	ktap(n == 2 * CAP_CHANGES && !good && strstr(text, ".metadata_reg_c_7': limit of 64 "),
	     "there is a limit to the number of changed capabilities, not of changes");
	fault_must(&emu, "clear");
	ktap(fault_none(&emu), "clear makes room");
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(ARRAY_SIZE(bad_texts) + 12);
	emu_start(&emu, argv[1], 2);
	test_bad_texts();
	test_list();
	test_caps();
	test_caps_limit();
	ktap(!emu_stop(&emu), "the exit status is 0");
	return ktap_end();
}
