// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "prm/vport.h"
#include "wrong.h"

#define INPUT_MAX 8192

struct rig rig;

/* ---- the function ---- */

int rig_send(const struct wrong_cmd *cmd, uint32_t *num)
{
	uint8_t in[INPUT_MAX] __attribute__((aligned(8))) = {};
	uint8_t out[INPUT_MAX] __attribute__((aligned(8)));
	int err;

	memcpy(in, cmd->in, cmd->in_len);
	prm_set((struct prm_mbox_in *)in, opcode, cmd->opcode);
	err = cmd_exec(&rig.c, in, cmd->in_len, out, cmd->out_len, NULL);
	if (num)
		*num = be32_to_cpu(((__be32 *)out)[2]) & 0xffffff;
	return err;
}

uint32_t rig_create(const struct wrong_cmd *cmd)
{
	uint32_t num;
	int err = rig_send(cmd, &num);

	if (err) {
		printf("Bail out! %s: status 0x%x\n", cmd->name, err);
		exit(2);
	}
	return num;
}

uint32_t rig_page(void)
{
	return ram_alloc(&rig.c, 4096) & 0xffffffff;
}

/* An allocation without parameters. */
static uint32_t alloc(const char *name, uint16_t opcode)
{
	struct prm_mbox_in in[1] = {};

	return rig_create(&(struct wrong_cmd){ name, opcode, in, 16, 16 });
}

static void create_queues(void)
{
	struct { struct prm_create_eq_in in; __be64 pas; } eq = {};
	struct { struct prm_create_cq_in in; __be64 pas; } cq = {};

	prm_set(&eq.in, eq_context_entry.log_eq_size, 6);
	prm_set(&eq.in, eq_context_entry.uar_page, rig.uar);
	eq.pas = cpu_to_be64(rig_page());
	memset(ram_ptr(&rig.c, be64_to_cpu(eq.pas)), 0xff, 4096);
	rig.eq = rig_create(&WRONG_CMD(create_eq, &eq));
	prm_set(&cq.in, cq_context.log_cq_size, 6);
	prm_set(&cq.in, cq_context.uar_page, rig.uar);
	prm_set(&cq.in, cq_context.c_eqn_or_apu_element, rig.eq);
	prm_set64(&cq.in, cq_context.dbr_addr, rig_page());
	cq.pas = cpu_to_be64(rig_page());
	rig.cq = rig_create(&WRONG_CMD(create_cq, &cq));
}

void rig_open(const char *bin_dir)
{
	rig_open_card(bin_dir, 1, NULL);
}

void rig_open_card(const char *bin_dir, unsigned int functions, const char *card)
{
	emu_start_option(&rig.emu, bin_dir, functions, "--card", card);
	client_open(&rig.c, &rig.emu, 0);
	if (boot_to_init(&rig.c)) {
		printf("Bail out! bring-up failed\n");
		exit(2);
	}
	wrong_open(rig.emu.log, ktap);
	rig.uar = alloc("alloc_uar", PRM_OP_alloc_uar);
	rig.uar2 = alloc("alloc_uar", PRM_OP_alloc_uar);
	rig.pd = alloc("alloc_pd", PRM_OP_alloc_pd);
	rig.pd2 = alloc("alloc_pd", PRM_OP_alloc_pd);
	rig.td = alloc("alloc_transport_domain", PRM_OP_alloc_transport_domain);
	rig.xrcd = alloc("alloc_xrcd", PRM_OP_alloc_xrcd);
	rig.counter = alloc("alloc_q_counter", PRM_OP_alloc_q_counter);
	create_queues();
}

int rig_close(void)
{
	client_close(&rig.c);
	wrong_close();
	return emu_stop(&rig.emu);
}

/* ---- rows ---- */

static void set_bits(uint8_t *in, uint32_t bit, uint32_t width, uint64_t value)
{
	if (width == 64)
		prm_set_dwords((__be32 *)in, bit, value);
	else if (width)
		prm_set_bits((__be32 *)in, bit, width, value);
}

static void wrong_row(const struct wrong_cmd *cmd, const struct wrong_row *row)
{
	uint8_t in[INPUT_MAX] __attribute__((aligned(8))) = {};
	uint8_t out[INPUT_MAX] __attribute__((aligned(8))) = {};
	int want = row->status ? row->status : PRM_STATUS_BAD_PARAM, err;
	char text[512], what[160];

	memcpy(in, cmd->in, cmd->in_len);
	prm_set((struct prm_mbox_in *)in, opcode, cmd->opcode);
	set_bits(in, row->bit, row->width, row->value);
	set_bits(in, row->bit2, row->width2, row->value2);
	wrong_begin();
	err = cmd_exec(&rig.c, in, row->in_len ? row->in_len : cmd->in_len, out,
		       row->out_len ? row->out_len : cmd->out_len, NULL);
	snprintf(text, sizeof(text), "%s op_mod 0x%x refused, *, syndrome 0x%06x: %s",
		 prm_get((struct prm_mbox_in *)in, opcode) == cmd->opcode ? cmd->name : "*",
		 prm_get((struct prm_mbox_in *)in, op_mod), cmd_syndrome(out), row->text);
	snprintf(what, sizeof(what), "%s, %s 0x%llx", cmd->name, row->field,
		 (unsigned long long)row->value);
	if (err != want) {
		ktap(false, "%s: status 0x%x instead of 0x%x", what, err, want);
		return;
	}
	if (prm_get((struct prm_mbox_in *)in, uid) && row->whose == WRONG_BY_UID)
		wrong_expect_application(what, text);
	else
		wrong_expect(what, text);
}

void wrong_rows_only(const struct wrong_cmd *cmd, const struct wrong_row *rows, unsigned int n)
{
	while (n--)
		wrong_row(cmd, rows++);
}

void wrong_rows_at(const struct wrong_cmd *cmd, uint32_t at, const struct wrong_row *rows,
		   unsigned int n)
{
	struct wrong_row row;

	while (n--) {
		row = *rows++;
		row.bit += at;
		row.bit2 += at;
		wrong_row(cmd, &row);
	}
}

void wrong_rows(const struct wrong_cmd *cmd, const struct wrong_row *rows, unsigned int n)
{
	wrong_rows_only(cmd, rows, n);
	ktap(!rig_send(cmd, NULL),
	     "%s succeeds unmodified after the cases from %s on", cmd->name, rows->field);
}

void rig_address(void)
{
	struct prm_set_roce_address_in in = {};

	prm_set(&in, roce_address.source_l3_address[0], 0xfd);
	prm_set(&in, roce_address.source_mac_47_32, 0x02c4);
	prm_set(&in, roce_address.roce_version, PRM_ROCE_V2);
	prm_set(&in, roce_address.roce_l3_type, PRM_ROCE_L3_IPV6);
	rig_create(&WRONG_CMD(set_roce_address, &in));
}
