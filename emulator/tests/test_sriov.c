// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A PF and two VFs that its driver enables: their life, their pages, their RoCE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "dut.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/obj.h"
#include "vf_card.h"
#include "vfu_client.h"

#define GIVE 1
#define TAKE 2
#define ROCE_PAGES 256

/* ---- what the PF's driver is asked for ---- */

static bool was_asked(unsigned int function, int32_t pages)
{
	bool right = dut_asked.n == 1 && dut_asked.function == function && dut_asked.pages == pages;

	dut_asked.n = 0;
	return right;
}

/* The PF runs, and has not enabled its VFs. */
static void set_up(void)
{
	unsigned int i;

	vfs_functions();
	dut_check(vfs_create(devs[0]), "vfs_create");
	for (i = 1; i < 3; i++) {
		vfs_add(devs[0], devs[i]);
		cxdev_power_on(devs[i]);
		dut_violations(f[i]);
	}
	dut_watch_pages(f[0]);
}

static void tear_down(void)
{
	unsigned int i;

	dut_run();
	for (i = 0; i < 3; i++)
		dut_destroy(f[i]);
}

/* ---- commands ---- */

static int enable(struct dut *dut, unsigned int function)
{
	struct prm_enable_hca_out out;
	struct prm_enable_hca_in in = {};

	prm_set(&in, function_id, function);
	return dut_cmd(dut, enable_hca, &in, &out);
}

static int disable(struct dut *dut, unsigned int function)
{
	struct prm_disable_hca_out out;
	struct prm_disable_hca_in in = {};

	prm_set(&in, function_id, function);
	return dut_cmd(dut, disable_hca, &in, &out);
}

static int init(struct dut *dut)
{
	struct prm_init_hca_out out;
	struct prm_init_hca_in in = {};

	return dut_cmd(dut, init_hca, &in, &out);
}

/* Pages from address @from on, in units of 4 KiB */
static int give(struct dut *dut, unsigned int function, unsigned int from, unsigned int n)
{
	struct prm_manage_pages_out out;
	struct prm_manage_pages_in in = {};
	uint64_t *list = calloc(n + 1, sizeof(*list));
	unsigned int i;
	int status;

	for (i = 0; i < n; i++)
		list[i] = htobe64((uint64_t)(from + i) << 12);
	prm_set(&in, op_mod, GIVE);
	prm_set(&in, function_id, function);
	prm_set(&in, input_num_entries, n);
	status = dut_cmd_tail(dut, manage_pages, &in, &out, list, n * sizeof(*list));
	free(list);
	return status;
}

/* How many it returns */
static unsigned int take(struct dut *dut, unsigned int function, unsigned int n)
{
	size_t len = sizeof(struct prm_manage_pages_out) + n * 8;
	struct prm_manage_pages_out *out = calloc(1, len);
	struct prm_manage_pages_in in = {};
	unsigned int got;

	prm_set(&in, op_mod, TAKE);
	prm_set(&in, function_id, function);
	prm_set(&in, input_num_entries, n);
	dut_check(dut_exec(dut, PRM_OP_manage_pages, &in, sizeof(in), out, len), "manage_pages");
	got = prm_get(out, output_num_entries);
	free(out);
	return got;
}

static unsigned int wanted_at_boot(struct dut *dut)
{
	struct prm_query_pages_out out;
	struct prm_query_pages_in in = {};

	prm_set(&in, op_mod, 1);
	dut_must(dut, query_pages, &in, &out);
	return prm_get(&out, num_pages);
}

static struct prm_query_hca_cap_out general;

static int query_general(unsigned int function, bool max)
{
	struct prm_query_hca_cap_in in = {};

	prm_set(&in, op_mod, CAP_GENERAL << 1 | !max);
	prm_set(&in, other_function, 1);
	prm_set(&in, function_id, function);
	return dut_cmd(f[0], query_hca_cap, &in, &general);
}

static bool has_roce(unsigned int function)
{
	dut_check(query_general(function, false), "query_hca_cap");
	return prm_get(&general, capability.cmd_hca_cap.roce);
}

/* @edit: what else to change; may be NULL */
static int set_roce(unsigned int function, bool roce, void (*edit)(struct prm_set_hca_cap_in *in))
{
	static struct prm_set_hca_cap_in in;
	struct prm_set_hca_cap_out out;

	dut_check(query_general(function, true), "query_hca_cap");
	memset(&in, 0, sizeof(in));
	memcpy((uint8_t *)&in + sizeof(struct prm_mbox_in),
	       (uint8_t *)&general + sizeof(struct prm_mbox_out), CAP_BYTES);
	prm_set(&in, op_mod, CAP_GENERAL << 1);
	prm_set(&in, other_function, 1);
	prm_set(&in, function_id, function);
	prm_set(&in, capability.cmd_hca_cap.roce, roce);
	if (edit)
		edit(&in);
	return dut_cmd(f[0], set_hca_cap, &in, &out);
}

static void more_qps(struct prm_set_hca_cap_in *in)
{
	prm_set(in, capability.cmd_hca_cap.log_max_qp, 1);
}

static void of_ethernet(struct prm_set_hca_cap_in *in)
{
	prm_set(in, op_mod, CAP_ETH << 1);
}

static void without_other(struct prm_set_hca_cap_in *in)
{
	prm_set(in, other_function, 0);
}

static uint32_t register_of(struct cxdev *dev)
{
	uint32_t value;

	bar_read(dev, offsetof(struct prm_iseg, fw_rev), &value, sizeof(value));
	return value;
}

/* ---- tests ---- */

static void test_life(void)
{
	uint32_t pages;

	set_up();
	pages = pages_initial(devs[1]);
	bar_write(devs[1], offsetof(struct prm_iseg, cmd_dbell), &(uint32_t){ 1 }, 4);
	ktap(register_of(devs[1]) == UINT32_MAX && !dut_violations(f[1]),
	     "a VF that is not enabled is not on the bus");
	ktap(!enable(f[0], 1) && was_asked(1, pages) && register_of(devs[1]) != UINT32_MAX &&
	     register_of(devs[2]) == UINT32_MAX,
	     "enabled, it is, and the PF's driver is asked for its pages");
	ktap(!enable(f[1], 0) && !wanted_at_boot(f[1]) && !init(f[1]) &&
	     devs[1]->hca->phase == HCA_ENABLED && !dut_violations(f[1]),
	     "it asks its own driver for none, and INIT_HCA waits for them");
	ktap(!give(f[0], 1, 0x1000, pages) && !init(f[1]) &&
	     devs[1]->hca->phase == HCA_RUNNING && !dut_violations(f[1]),
	     "INIT_HCA works as soon as the PF has given them");
	ktap(!disable(f[0], 1) && was_asked(1, -(int32_t)pages) &&
	     register_of(devs[1]) == UINT32_MAX && !dut_violations(f[1]),
	     "disabled under its driver, it leaves the bus, and offers its pages");
	ktap(take(f[0], 1, pages + 7) == pages && !take(f[0], 1, 1),
	     "the PF's driver takes all of them back");
	ktap(!enable(f[0], 1) && was_asked(1, pages) && !give(f[0], 1, 0x1000, pages) &&
	     !enable(f[1], 0) && !init(f[1]), "it can be enabled again");
	ktap(!disable(f[0], 1) && !enable(f[0], 1) && devs[1]->hca->pages.n == pages &&
	     take(f[0], 1, pages) == 0, "enabled again before its pages were taken, it keeps them");
	ktap(!dut_violations(f[0]) && !dut_violations(f[1]), "all of this is without a violation");
	dut_check(disable(f[0], 1), "disable_hca");
	take(f[0], 1, pages);
	tear_down();
}

static void test_refused(void)
{
	set_up();
	devs[0]->hca->phase = HCA_ENABLED;
	ktap(enable(f[0], 1) == PRM_STATUS_BAD_SYS_STATE && dut_violations(f[0]) == 1,
	     "a PF that is not initialized enables no VFs");
	devs[0]->hca->phase = HCA_RUNNING;
	dut_check(enable(f[0], 1), "enable_hca");
	ktap(enable(f[0], 1) == PRM_STATUS_BAD_SYS_STATE &&
	     disable(f[0], 2) == PRM_STATUS_BAD_SYS_STATE && dut_violations(f[0]) == 2,
	     "a VF is enabled once, and disabled once");
	ktap(enable(f[0], 3) == PRM_STATUS_BAD_PARAM && disable(f[0], 3) == PRM_STATUS_BAD_PARAM &&
	     give(f[0], 3, 0x1000, 1) == PRM_STATUS_BAD_PARAM && dut_violations(f[0]) == 3,
	     "there is no third VF");
	devs[1]->health.excused = false;	/* as when its driver starts */
	ktap(enable(f[1], 1) == PRM_STATUS_BAD_PARAM && dut_violations(f[1]) == 1,
	     "a VF enables no other function");
	dut_check(enable(f[1], 0), "enable_hca");
	ktap(give(f[1], 0, 0x1000, 1) == PRM_STATUS_BAD_PARAM && dut_violations(f[1]) == 1,
	     "a VF that its PF enables gives no pages");
	ktap(give(f[0], 2, 0x2000, 1) == PRM_STATUS_BAD_SYS_STATE && !dut_violations(f[0]),
	     "pages for a VF that was disabled meanwhile are not taken");
	dut_check(enable(f[0], 2), "enable_hca");
	ktap(!give(f[0], 1, 0x1000, 2) && !give(f[0], 2, 0x2000, 1) &&
	     give(f[0], 2, 0x1001, 1) == PRM_STATUS_BAD_PARAM &&
	     give(f[0], 0, 0x2000, 1) == PRM_STATUS_BAD_PARAM && dut_violations(f[0]) == 2,
	     "a page of one function is not given to another");
	tear_down();
}

static void test_roce(void)
{
	uint32_t pages;

	set_up();
	pages = pages_initial(devs[1]);
	ktap(has_roce(1) && has_roce(2), "VFs have RoCE");
	ktap(!set_roce(1, false, NULL) && !has_roce(1) && has_roce(2) && !dut_asked.n,
	     "the PF's driver can take it from a VF that is not enabled");
	ktap(!enable(f[0], 1) && was_asked(1, pages - ROCE_PAGES),
	     "which then takes 1 MiB less of the driver's memory");
	ktap(!give(f[0], 1, 0x1000, pages - ROCE_PAGES) && !set_roce(1, true, NULL) &&
	     has_roce(1) && was_asked(1, ROCE_PAGES) && !give(f[0], 1, 0x3000, ROCE_PAGES),
	     "with RoCE again it asks for the rest");
	ktap(!set_roce(1, false, NULL) && was_asked(1, -ROCE_PAGES) &&
	     take(f[0], 1, pages) == ROCE_PAGES, "without it, it offers them back");
	dut_check(enable(f[1], 0), "enable_hca");
	ktap(!init(f[1]) && !hca_roce(devs[1]), "its driver sees no RoCE");
	ktap(set_roce(1, true, NULL) == PRM_STATUS_BAD_SYS_STATE && !has_roce(1) &&
	     !dut_violations(f[0]), "the RoCE of a VF that runs cannot be set");
	ktap(set_roce(2, false, more_qps) == PRM_STATUS_BAD_PARAM &&
	     set_roce(2, false, of_ethernet) == PRM_STATUS_BAD_PARAM &&
	     set_roce(2, false, without_other) == PRM_STATUS_BAD_PARAM && has_roce(2) &&
	     dut_violations(f[0]) == 3, "nothing else of a VF can be set");
	ktap(query_general(3, false) == PRM_STATUS_BAD_PARAM && dut_violations(f[0]) == 1,
	     "there is no third VF to ask about");
	tear_down();
}

static void test_leaks(void)
{
	uint32_t pages, own;

	set_up();
	pages = pages_initial(devs[1]);
	own = cxdev_report_leaks(devs[0]);
	dut_violations(f[0]);
	dut_check(enable(f[0], 1), "enable_hca");
	dut_check(give(f[0], 1, 0x1000, pages), "manage_pages");
	ktap(cxdev_report_leaks(devs[0]) == own + pages + 1 && dut_violations(f[0]),
	     "a VF that stays enabled is a leak, with its pages");
	cxdev_reset(devs[0]);
	ktap(register_of(devs[1]) == UINT32_MAX && !devs[1]->hca->pages.n,
	     "a reset of the PF ends its VFs");
	tear_down();
}

static void test_process(const char *bin_dir)
{
	char command[512], text[512] = "";
	struct emu emu;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "timeout 5 %s/cxemu --card cx5,sriov --vm a=/tmp/cxemu-none/a 2>&1", bin_dir);
	pipe = popen(command, "r");
	ktap(pipe && fgets(text, sizeof(text), pipe) && pclose(pipe) &&
	     strstr(text, "sriov is for a card with vfs=N"), "sriov needs VFs");
	emu_start_option(&emu, bin_dir, 3, "--card", "cx5,vfs=2,sriov");
	ktap(strstr(emu_control(&emu, "status"), "of the PF f0, function 2: not enabled"),
	     "the status tells whether a VF is enabled");
	ktap(!emu_stop(&emu), "cxemu with such VFs exits cleanly");
}

int main(int argc, char **argv)
{
	ktap_plan(0);
	test_life();
	test_refused();
	test_roce();
	test_leaks();
	test_process(argc > 1 ? argv[1] : ".");
	return ktap_end();
}
