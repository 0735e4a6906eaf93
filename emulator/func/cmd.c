// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What all commands share: their rows, the checks before one runs, refusals. The commands
 * themselves are in the room of their object.
 */
#include <string.h>
#include <libdeflate.h>

#include "fault/fault.h"
#include "func/user.h"

/* Rows of the tables of names. */
#define NAME(number, string)[number] = string
#define OPCODE_NAME(n, number) NAME(number, #n),
#define STATUS_NAME(n, number, text) NAME(number, #n),

static const struct cmd_desc *by_opcode[CMD_OPCODES];

void cmd_set_tables(const struct cmd_desc *const *tables)
{
	const struct cmd_desc *desc;

	for (; *tables; tables++)
		for (desc = *tables; desc->name; desc++)
			by_opcode[desc->opcode] = desc;
}

static const struct cmd_desc *find_desc(uint16_t opcode)
{
	return opcode < CMD_OPCODES ? by_opcode[opcode] : NULL;
}

const char *cmd_opcode_name(uint16_t opcode)
{
	static const char *const names[CMD_OPCODES] = { PRM_CMD_LIST(OPCODE_NAME) };

	return opcode < CMD_OPCODES && names[opcode] ? names[opcode] : "unknown command";
}

const char *cmd_status_name(uint8_t status)
{
	static const char *const names[256] = { PRM_STATUS_LIST(STATUS_NAME) };

	return names[status] ? names[status] : "?";
}

/* ---- refusals ---- */

/* Does the driver give something back with it, or cannot without it, as a DC target? */
static bool releases(const struct cmd *c)
{
	static const char *const verbs[] = {
		"destroy_", "dealloc_", "delete_", "detach_", "teardown_", "disable_",
		"drain_",
	};
	const char *name = cmd_opcode_name(c->opcode);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strncmp(name, verbs[i], strlen(verbs[i])))
			return true;
	return c->opcode == PRM_OP_manage_pages && c->op_mod == PAGES_TAKE;
}

void cmd_set_status(struct cmd *c, enum prm_status status, const char *fmt)
{
	c->status = status;
	c->syndrome = libdeflate_crc32(0, fmt, strlen(fmt)) & 0xffffff;
}

/* Does it come from a user context, which may ask for anything? */
static bool of_application(const struct cmd *c)
{
	return c->uid && obj_find(c->dev, OBJ_UCTX, c->uid);
}

static void log_refusal(struct cmd *c, enum prm_status status, bool application, const char *fmt,
			va_list ap)
{
	char prefix[128];

	cmd_set_status(c, status, fmt);
	snprintf(prefix, sizeof(prefix),
		 "%s op_mod 0x%x refused, %s, syndrome 0x%06x: ", cmd_opcode_name(c->opcode),
		 c->op_mod, cmd_status_name(status), c->syndrome);
	if (application) {
		c->dev->hca->declined++;
		vapplication(c->dev, prefix, fmt, ap);
		return;
	}
	c->dev->hca->refused++;
	if (c->dev->health.kept && (releases(c) || status == PRM_STATUS_NO_RES))
		vconsequence(c->dev, prefix, fmt, ap);
	else
		vviolation(c->dev, prefix, fmt, ap);
}

int refuse(struct cmd *c, enum prm_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_refusal(c, status, of_application(c), fmt, ap);
	va_end(ap);
	return -1;
}

int refuse_driver(struct cmd *c, enum prm_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_refusal(c, status, false, fmt, ap);
	va_end(ap);
	return -1;
}

int decline(struct cmd *c, enum prm_status status, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	cmd_set_status(c, status, fmt);
	c->dev->hca->declined++;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	notice(c->dev, "%s op_mod 0x%x declined, %s: %s", cmd_opcode_name(c->opcode), c->op_mod,
	       cmd_status_name(status), text);
	return -1;
}

int cmd_wait_for_pages(struct cmd *c)
{
	c->waits = true;
	trace(c->dev, "%s waits for pages", cmd_opcode_name(c->opcode));
	return -1;
}

/* ---- dispatch ---- */

/* Of the header. */
#define UID_BIT 0x10

int check_reserved(struct cmd *c, const struct prm_reserved *r, uint32_t at)
{
	const uint8_t *in = (const uint8_t *)c->in + at;
	uint32_t bit, end;

	for (; r->width; r++) {
		end = r->bit + r->width;
		for (bit = r->bit; bit < end; bit++) {
			if (!at && bit == UID_BIT)
				bit += 16;
			if (!(bit % 8) && bit + 8 <= end && !in[bit / 8]) {
				bit += 7;
				continue;
			}
			if (in[bit / 8] & (0x80 >> bit % 8))
				return refuse(c, PRM_STATUS_BAD_PARAM,
					      "reserved bit 0x%x (of 0x%x..0x%x) is not zero",
					      at * 8 + bit, at * 8 + r->bit, at * 8 + end - 1);
		}
	}
	return 0;
}

static int check_phase(struct cmd *c, const struct cmd_desc *desc)
{
	enum hca_phase phase = c->dev->hca->phase;

	if (c->opcode == PRM_OP_enable_hca || phase == HCA_RUNNING ||
	    (phase == HCA_ENABLED && desc->early))
		return 0;
	return refuse(c, PRM_STATUS_BAD_SYS_STATE, "valid only after %s",
		      desc->early ? "ENABLE_HCA" : "INIT_HCA");
}

static uint32_t least_out(const struct cmd *c, const struct cmd_desc *desc)
{
	return desc->part && c->uid ? sizeof(struct prm_mbox_out) : desc->out_len;
}

static int check_and_run(struct cmd *c)
{
	const struct cmd_desc *desc = find_desc(c->opcode);
	uint32_t value;

	if (!desc)
		return refuse(c, PRM_STATUS_BAD_OP, "opcode 0x%x is not supported", c->opcode);
	if (user_check(c))
		return -1;
	if (check_phase(c, desc))
		return -1;
	if (c->in_len < desc->in_len)
		return refuse(c, PRM_STATUS_BAD_INP_LEN, "input of %u bytes, the layout needs %u",
			      c->in_len, desc->in_len);
	if (c->in_len > desc->in_len && !desc->tail)
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "input of %u bytes is longer than the layout's %u", c->in_len,
			      desc->in_len);
	if (c->out_len < least_out(c, desc))
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN,
			      "output of %u bytes, the layout needs %u", c->out_len,
			      least_out(c, desc));
	if (check_reserved(c, desc->reserved, 0))
		return -1;
	if (check_needs(c))
		return -1;
	if (fault_check(FAULT_COMMAND, c->dev, c->opcode, &value) == FAULT_STATUS) {
		cmd_set_status(c, value, "injected fault");
		if (releases(c))
			c->dev->health.kept = true;
		if (c->opcode == PRM_OP_manage_pages)
			pages_refused(c);
		return -1;
	}
	return desc->run(c);
}

int cmd_run(struct cmd *c)
{
	struct vnic_env *vnic = &c->dev->hca->vnic;

	if (!check_and_run(c))
		return 0;
	if (c->status == PRM_STATUS_LIM)
		vnic->quota_commands++;
	else if (!c->waits)
		vnic->failed_commands++;
	return -1;
}
