/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A driver that does one thing wrong at a time. Each case must raise exactly one violation with the
 * expected text, and a refused command must return the status and the syndrome of the text.
 * emulator/tests/texts checks that each text of the emulator has a case.
 */
#ifndef CXEMU_WRONG_H
#define CXEMU_WRONG_H

#include "vfu_client.h"
#include "wrong_log.h"

/* Who is to blame: the driver for commands without a uid, else the application. */
enum wrong_whose { WRONG_BY_UID, WRONG_DRIVER };

/* How a valid command becomes wrong. */
struct wrong_row {
	const char *field;	/* for the result line */
	uint32_t bit, width;	/* 0: no field */
	uint64_t value;
	uint32_t bit2, width2;	/* a second field, if one alone would be another error */
	uint64_t value2;
	uint32_t in_len, out_len;	/* 0: those of the command */
	int status;		/* 0: BAD_PARAM */
	const char *text;	/* of the violation; '*' matches anything */
	enum wrong_whose whose;
};

struct wrong_cmd {
	const char *name;
	uint16_t opcode;
	const void *in;
	uint32_t in_len, out_len;
};

#define WRONG_CMD(n, input)                                                       \
	((struct wrong_cmd){ #n, PRM_OP_##n, input, sizeof(*(input)), \
			     sizeof(struct prm_##n##_out) })

/* @f is the name of a field, in any depth. */
#define FIELD_BIT(layout, f) offsetof(struct prm_##layout##_bits, f)
#define FIELD_WIDTH(layout, f) sizeof((*(struct prm_##layout##_bits *)0).f)

/* A row: field @f of layout @layout, which begins @at bytes behind the start of the input. */
#define FAT(at, layout, f, v, t, ...)                                             \
	{ .field = #f, .bit = (at) * 8 + FIELD_BIT(layout, f),                    \
	  .width = FIELD_WIDTH(layout, f), .value = v, .text = t, ##__VA_ARGS__ }
#define F(cmd, f, v, t, ...) FAT(0, cmd##_in, f, v, t, ##__VA_ARGS__)
#define AND_AT(at, layout, f, v)                                                  \
	.bit2 = (at) * 8 + FIELD_BIT(layout, f), .width2 = FIELD_WIDTH(layout, f), .value2 = v
#define AND(cmd, f, v) AND_AT(0, cmd##_in, f, v)

/* The function under test, running, with objects that commands may name. */
struct rig {
	struct emu emu;
	struct client c;
	uint32_t uar, uar2, pd, pd2, td, xrcd, eq, cq, counter, log_vectors;
};

extern struct rig rig;

void rig_open(const char *bin_dir);
void rig_open_card(const char *bin_dir, unsigned int functions, const char *card);
int rig_close(void);		/* the emulator's exit status */
uint32_t rig_page(void);	/* low dword of the address of a fresh page; the high one is 0 */
/* Sends; the status, and the number in dword 2 of the output. */
int rig_send(const struct wrong_cmd *cmd, uint32_t *num);
/* Must succeed; the object's number. */
uint32_t rig_create(const struct wrong_cmd *cmd);
void rig_address(void);	/* entry 0 of the RoCE address table: v2 over IPv6 */
/* Each row applied alone to the command; then the unmodified command, which must succeed. */
void wrong_rows(const struct wrong_cmd *cmd, const struct wrong_row *rows, unsigned int n);
/* The rows only, for commands whose success would change too much. */
void wrong_rows_only(const struct wrong_cmd *cmd, const struct wrong_row *rows, unsigned int n);
/* The rows only, of a part of the input that begins at bit @at. */
void wrong_rows_at(const struct wrong_cmd *cmd, uint32_t at, const struct wrong_row *rows,
		   unsigned int n);
#define WRONG(cmd, rows) wrong_rows(cmd, rows, sizeof(rows) / sizeof((rows)[0]))
#define WRONG_AT(cmd, at, rows) \
	wrong_rows_at(cmd, at, rows, sizeof(rows) / sizeof((rows)[0]))
#define WRONG_ONLY(cmd, rows) wrong_rows_only(cmd, rows, sizeof(rows) / sizeof((rows)[0]))

#endif
