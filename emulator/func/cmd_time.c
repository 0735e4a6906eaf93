// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What commands cost: the time that each takes on a card, and how many there were.
 *
 * Nobody has published times by opcode. The table is derived from measurements of what programs and
 * drivers do, and names them; the rest is assumed. Documentation/device-model.rst repeats it
 * (make docs).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "func/func.h"

#define NS_PER_US 1000ull
#define MBOX_US 1		/* for each mailbox: a read or a write over PCI Express */
#define CLASS_OPCODES 12

static const struct cmd_class {
	const char *what;
	uint32_t us;
	const char *source;
	uint16_t opcodes[CLASS_OPCODES];	/* ends with 0; none: all others */
} classes[] = {
	{
		.what = "CREATE_MKEY",
		.us = 220,
		.source = "MR: 280 us with it, 50 without (Linux dd1b913fb0d0); ucx#9838: 216",
		.opcodes = { PRM_OP_create_mkey },
	},
	{
		.what = "DESTROY_MKEY",
		.us = 160,
		.source = "MR: 200 us with it, 40 without (Linux dd1b913fb0d0)",
		.opcodes = { PRM_OP_destroy_mkey },
	},
	{
		.what = "CREATE of a queue",
		.us = 170,
		.source = "CREATE_CQ of ConnectX-3 (Linux e45678973dcb); the others are assumed",
		.opcodes = { PRM_OP_create_cq, PRM_OP_create_qp, PRM_OP_create_eq,
			     PRM_OP_create_srq, PRM_OP_create_xrc_srq, PRM_OP_create_rmp,
			     PRM_OP_create_sq, PRM_OP_create_rq, PRM_OP_create_dct },
	},
	{
		.what = "DESTROY of a queue",
		.us = 160,
		.source = "assumed: as DESTROY_MKEY",
		.opcodes = { PRM_OP_destroy_cq, PRM_OP_destroy_qp, PRM_OP_destroy_eq,
			     PRM_OP_destroy_srq, PRM_OP_destroy_xrc_srq, PRM_OP_destroy_rmp,
			     PRM_OP_destroy_sq, PRM_OP_destroy_rq, PRM_OP_destroy_dct },
	},
	{
		.what = "state of a QP",
		.us = 60,
		.source = "assumed: an rdma_cm connection takes 889 us (rdma-core#1448)",
		.opcodes = { PRM_OP_rst2init_qp, PRM_OP_init2init_qp, PRM_OP_init2rtr_qp,
			     PRM_OP_rtr2rts_qp, PRM_OP_rts2rts_qp, PRM_OP_sqerr2rts_qp,
			     PRM_OP_sqd2rts_qp, PRM_OP_qp_2err, PRM_OP_qp_2rst },
	},
	{
		.what = "any other",
		.us = 10,
		.source = "assumed",
	},
};

/* The setting: the table, or the same for each command (0: none). */
static bool by_table;
static uint64_t fixed_us;

static const struct cmd_class *class_of(uint16_t opcode)
{
	const struct cmd_class *class = classes;
	unsigned int i;

	for (; class->opcodes[0]; class++)
		for (i = 0; i < CLASS_OPCODES && class->opcodes[i]; i++)
			if (class->opcodes[i] == opcode)
				return class;
	return class;
}

static uint32_t mailboxes(uint32_t len)
{
	if (len > CMD_MAX_BYTES)
		return 0;	/* not read: a delivery error */
	return len > PRM_CMDQ_INLINE ?
	       (len - PRM_CMDQ_INLINE + PRM_MBOX_DATA - 1) / PRM_MBOX_DATA : 0;
}

static uint64_t table_us(uint16_t opcode, uint32_t in_len, uint32_t out_len)
{
	return class_of(opcode)->us + (mailboxes(in_len) + mailboxes(out_len)) * MBOX_US;
}

uint64_t cmd_time_ns(uint16_t opcode, uint32_t in_len, uint32_t out_len)
{
	return (by_table ? table_us(opcode, in_len, out_len) : fixed_us) * NS_PER_US;
}

int cmd_time_set(const char *text)
{
	unsigned long us = 0;
	char *end;

	if (strcmp(text, "off") && strcmp(text, "table")) {
		us = strtoul(text, &end, 10);
		if (*text < '0' || *text > '9' || *end || us > CMD_TIME_MAX_US)
			return -EINVAL;
	}
	by_table = !strcmp(text, "table");
	fixed_us = us;
	return 0;
}

void cmd_time_print(FILE *out)
{
	unsigned int i;

	if (by_table)
		fprintf(out, "commands take the time of the table\n");
	else
		fprintf(out, "commands take %llu us\n", (unsigned long long)fixed_us);
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		fprintf(out, "  %s: %u us, %s\n", classes[i].what, classes[i].us,
			classes[i].source);
	fprintf(out, "  each mailbox: %u us more, assumed\n", MBOX_US);
}

void cmd_time_count(const struct cmd *c)
{
	struct hca_state *hca = c->dev->hca;

	hca->commands++;
	if (c->opcode < CMD_OPCODES)
		hca->by_opcode[c->opcode]++;
	hca->table_us += table_us(c->opcode, c->in_len, c->out_len);
}

void cmd_counts_print(const struct cxdev *dev, FILE *out)
{
	const struct hca_state *hca = dev->hca;
	unsigned int i;

	fprintf(out, "function %s: %llu commands, %llu us by the table\n", dev->name,
		(unsigned long long)hca->commands, (unsigned long long)hca->table_us);
	for (i = 0; i < CMD_OPCODES; i++)
		if (hca->by_opcode[i])
			fprintf(out, "  %s: %llu\n", cmd_opcode_name(i),
				(unsigned long long)hca->by_opcode[i]);
}
