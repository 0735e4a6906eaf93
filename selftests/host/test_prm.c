// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The accessors of include/prm/prm.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host.h"
#include "prm/obj.h"
#include "prm/qp.h"
#include "prm/vport.h"

static void test_get_set(void)
{
	static const u8 expected[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x90, 0x05, 0x12, 0x34,
				      0x56 };
	struct prm_create_eq_in in = {};
	struct prm_eqc eqc = {};
	struct prm_qpc qpc = {};

	begin("prm", "a field is written most significant bit first");
	prm_set(&eqc, log_eq_size, 5);
	prm_set(&eqc, uar_page, 0x123456);
	prm_set(&eqc, st, 9);
	expect_bytes((u8 *)&eqc + 12, expected + 12, 4);
	expect(be32_to_cpu(eqc.dw[0]), 0x00000900);

	begin("prm", "a nested field is at the sum of the offsets");
	prm_set(&in, eq_context_entry.log_eq_size, 5);
	expect(be32_to_cpu(in.dw[4 + 3]), 0x05000000);
	expect(prm_get(&in, eq_context_entry.log_eq_size), 5);

	begin("prm", "writing a field again replaces its value and nothing else");
	prm_set(&in, eq_context_entry.uar_page, 0xffffff);
	prm_set(&in, eq_context_entry.uar_page, 1);
	expect(prm_get(&in, eq_context_entry.uar_page), 1);
	expect(prm_get(&in, eq_context_entry.log_eq_size), 5);

	begin("prm", "a field of 32 bits holds all of them");
	prm_set(&qpc, q_key, 0xffffffff);
	expect(prm_get(&qpc, q_key), 0xffffffff);
	expect(prm_get(&qpc, rq_type), 0);

	begin("prm", "an array element is written by its constant index");
	prm_set64(&in, event_bitmask[1], 0x1122334455667788ULL);
	expect(prm_get64(&in, event_bitmask[0]), 0);
	expect(prm_get64(&in, event_bitmask[1]), 0x1122334455667788ULL);
}

static void test_wide(void)
{
	static const u8 mac[] = { 1, 2, 3, 4, 5, 6 };
	struct prm_query_nic_vport_context_out out = {};
	struct prm_nic_vport_context *ctx = prm_sub(&out, nic_vport_context, nic_vport_context);
	struct prm_create_qp_in in = {};

	begin("prm", "a field of 64 bits is two dwords in order");
	prm_set64(&in, qpc.dbr_addr, 0x1122334455667788ULL);
	expect(prm_get64(&in, qpc.dbr_addr), 0x1122334455667788ULL);
	expect(*((u8 *)&in + prm_bit(&in, qpc.dbr_addr) / 8), 0x11);

	begin("prm", "a MAC is copied as six bytes across two fields");
	memcpy(prm_bytes(ctx, permanent_address.mac_addr_47_32), mac, 6);
	expect(prm_get(&out, nic_vport_context.permanent_address.mac_addr_47_32), 0x0102);
	expect(prm_get(&out, nic_vport_context.permanent_address.mac_addr_31_0), 0x03040506);

	begin("prm", "a nested layout shares the memory of the outer one");
	prm_set(ctx, mtu, 1500);
	expect(prm_get(&out, nic_vport_context.mtu), 1500);

	begin("prm", "the tail begins where the layout ends");
	expect((u8 *)prm_tail(&in) - (u8 *)&in, 0x110);
}

/* The child's exit code, or the signal that killed it. */
static int set_in_child(u32 value)
{
	struct prm_alloc_uar_out out = {};
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		prm_set(&out, uar, value);
		_exit(prm_get(&out, uar) != value);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_too_wide(void)
{
	begin("prm", "the largest value that fits is accepted");
	expect(set_in_child(0xffffff), 0);

	begin("prm", "a value wider than its field aborts in the host build");
	expect(set_in_child(0x1000000), SIGABRT);
}

struct snippet {
	const char *sentence;
	const char *code;
	bool compiles;
};

static const struct snippet snippets[] = {
	{ "a correct use compiles (control)",
	  "struct prm_create_eq_in in = {}; prm_set(&in, eq_context_entry.log_eq_size, 7);", true },
	{ "a field of another layout does not compile",
	  "struct prm_create_cq_in in = {}; prm_set(&in, eq_context_entry.log_eq_size, 7);",
	  false },
	{ "prm_set() of a field of 64 bits does not compile",
	  "struct prm_create_qp_in in = {}; prm_set(&in, qpc.dbr_addr, 7);", false },
	{ "prm_set64() of a field of 24 bits does not compile",
	  "struct prm_create_qp_in in = {}; prm_set64(&in, qpc.pd, 7);", false },
	{ "a field that crosses a dword boundary does not compile",
	  "struct prm_bad_bits { u8 a[20]; u8 b[20]; u8 rsvd_28[24]; }; PRM_LAYOUT(bad, 0x08);"
	  "struct prm_bad in = {}; prm_set(&in, b, 7);", false },
	{ "a layout of the wrong size does not compile",
	  "struct prm_bad_bits { u8 a[20]; u8 rsvd_14[11]; }; PRM_LAYOUT(bad, 0x04);", false },
	{ "a sub-layout of another type does not compile",
	  "struct prm_create_eq_in in = {};"
	  "struct prm_cqc *c = prm_sub(&in, eq_context_entry, cqc); (void)c;",
	  false },
	{ "prm_bytes() of a field that is not whole bytes does not compile",
	  "struct prm_eqc eqc = {}; u8 *p = prm_bytes(&eqc, st); (void)p;", false },
};

static bool compiles(const char *code)
{
	const char *cc = getenv("CC");
	char command[512];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "%s -std=gnu11 -fsyntax-only -I%s/include -x c - 2>/dev/null",
		 cc ? cc : "cc", TOP);
	pipe = popen(command, "w");
	if (!pipe)
		return false;
	fprintf(pipe,
		"#include \"prm/obj.h\"\n#include \"prm/qp.h\"\n"
		"void f(void);\nvoid f(void)\n{\n%s\n}\n", code);
	return pclose(pipe) == 0;
}

static void test_compile(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(snippets); i++) {
		begin("prm", snippets[i].sentence);
		expect(compiles(snippets[i].code), snippets[i].compiles);
	}
}

void test_prm(void)
{
	test_get_set();
	test_wide();
	test_too_wide();
	test_compile();
}
