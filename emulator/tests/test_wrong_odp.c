// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A driver that is wrong about on-demand paging, one thing at a time. */
#include "prm/cap_odp.h"
#include "prm/mkey.h"
#include "wrong.h"

#define INFO page_fault_info.trans_page_fault_info
#define MKC memory_key_mkey_entry

static void wrong_resume(void)
{
	static const struct wrong_row rows[] = {
		F(page_fault_resume, op_mod, 1, "op_mod 1 is not 0"),
		F(page_fault_resume, INFO.fault_token, 0x12345, "there is no page fault 0x12345",
		  .status = PRM_STATUS_BAD_RES),
		F(page_fault_resume, INFO.error, 1, "there is no page fault 0x400",
		  .status = PRM_STATUS_BAD_RES),
	};
	struct prm_page_fault_resume_in in = {};

	prm_set(&in, INFO.fault_token, 0x400);
	WRONG_ONLY(&WRONG_CMD(page_fault_resume, &in), rows);
}

static void wrong_keys(void)
{
	static const struct wrong_row rows[] = {
		F(create_mkey, MKC.access_mode_1_0, PRM_MKC_KSM,
		  "pg_access: the mkey has no list of pages"),
		F(create_mkey, MKC.access_mode_1_0, PRM_MKC_PA,
		  "pg_access: the mkey has no list of pages"),
		F(create_mkey, data_direct, 1, "pg_access and data_direct are not supported"),
		{ .field = "a page", .bit = 8 * sizeof(struct prm_create_mkey_in), .width = 64,
		  .value = 0x1004,
		  .text = "page 0 of the mkey, 0x1004, is not aligned to 2^12" },
	};
	struct { struct prm_create_mkey_in in; __be64 mtt[2]; } b = {};

	prm_set(&b.in, pg_access, 1);
	prm_set(&b.in, MKC.access_mode_1_0, PRM_MKC_MTT);
	prm_set(&b.in, MKC.lr, 1);
	prm_set(&b.in, MKC.qpn, 0xffffff);
	prm_set(&b.in, MKC.pd, rig.pd);
	prm_set64(&b.in, MKC.len, 8192);
	prm_set(&b.in, MKC.log_page_size, 12);
	prm_set(&b.in, MKC.translations_octword_size, 1);
	prm_set(&b.in, translations_octword_actual_size, 1);
	b.mtt[1] = cpu_to_be64(rig_page() | 1);
	WRONG(&WRONG_CMD(create_mkey, &b), rows);
}

/* A card without the key announces nothing of it. */
static void without_key(const char *bin_dir)
{
	static const struct wrong_row resume[] = {
		{ .field = "", .status = PRM_STATUS_BAD_OP, .text = "pg is not announced" },
	};
	struct prm_page_fault_resume_in in = {};

	rig_open(bin_dir);
	WRONG_ONLY(&WRONG_CMD(page_fault_resume, &in), resume);
	ktap(rig_close() == 3, "without the key: exit status 3");
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(0);
	without_key(argv[1]);
	rig_open_card(argv[1], 1, "cx6dx,devx");
	wrong_resume();
	wrong_keys();
	ktap(rig_close() == 3, "exit status 3");
	return ktap_end();
}
