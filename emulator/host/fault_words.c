// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The rule language of faults: its nouns, verbs and names, and how words are read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/fault_words.h"
#include "prm/cmdif.h"
#include "prm/cqe.h"
#include "prm/dcb.h"
#include "prm/eqe.h"
#include "prm/port.h"
#include "prm/vsc.h"
#include "prm/wqe.h"
#include "wire/wire.h"

#define ROW(name, number) { #name, number },
#define TEXT_ROW(name, number, text) { #name, number },
#define REG(name) { #name, PRM_REG_##name }

static const struct fault_name opcode_list[] = { PRM_CMD_LIST(ROW) };
static const struct fault_name status_list[] = { PRM_STATUS_LIST(TEXT_ROW) };
static const struct fault_name register_list[] = {
	REG(QPTS), REG(QETCR), REG(QTCT), REG(QPDPM), REG(QCAM), REG(DCBX_PARAM), REG(PMLP),
	REG(PMTU), REG(PTYS), REG(PAOS), REG(PFCC), REG(PPCNT), REG(PPTB), REG(PBMC), REG(PPLM),
	REG(PDDR), REG(PCAM), REG(NODE_DESC), REG(HOST_ENDIANNESS), REG(MCIA), REG(MLCR), REG(SBPR),
	REG(SBCM), REG(SBCAM),
};

static const struct fault_name delivery_list[] = { PRM_DELIVERY_LIST(TEXT_ROW) };
static const struct fault_name event_list[] = { PRM_EVENT_LIST(TEXT_ROW) };
static const struct fault_name syndrome_list[] = { PRM_CQE_SYNDROME_LIST(TEXT_ROW) };

static const struct fault_name request_list[] = {
	{ "send", PRM_WQE_SEND },
	{ "send_imm", PRM_WQE_SEND_IMM },
	{ "send_inval", PRM_WQE_SEND_INVAL },
	{ "rdma_write", PRM_WQE_RDMA_WRITE },
	{ "rdma_write_imm", PRM_WQE_RDMA_WRITE_IMM },
	{ "rdma_read", PRM_WQE_RDMA_READ },
	{ "atomic_cs", PRM_WQE_ATOMIC_CS },
	{ "atomic_fa", PRM_WQE_ATOMIC_FA },
	{ "lso", PRM_WQE_LSO },
	{ "umr", PRM_WQE_UMR },
};

static const struct fault_name space_list[] = {
	{ "semaphores", PRM_VSC_SEMAPHORES },
	{ "registers", PRM_VSC_SCAN },
};

/* BTH opcodes: three bits of transport, five of operation. Names are built at first use. */
static const struct {
	const char *name;
	uint8_t bits, first, last; /* operations */
} transports[] = {
	{ "rc", 0x00, 0x00, 0x17 },
	{ "uc", 0x20, 0x00, 0x0b },
	{ "ud", 0x60, 0x04, 0x05 },
	{ "xrc", 0xa0, 0x00, 0x17 },
	{ "dc", 0xc0, 0x00, 0x17 },
};

static const char *const operations[] = {
	"send_first", "send_middle", "send_last", "send_last_imm", "send_only", "send_only_imm",
	"write_first", "write_middle", "write_last", "write_last_imm", "write_only",
	"write_only_imm", "read_request", "read_resp_first", "read_resp_middle", "read_resp_last",
	"read_resp_only", "ack", "atomic_ack", "cmp_swap", "fetch_add", NULL, "send_last_inv",
	"send_only_inv",
};

#define BTH_NAMES_MAX (ARRAY_SIZE(transports) * ARRAY_SIZE(operations) + 1)
#define OPCODE_CNP 0x81

static struct fault_name bth_list[BTH_NAMES_MAX] = { { "cnp", OPCODE_CNP } };

#define NAMES(text, rows, m) { .of = text, .list = rows, .n = ARRAY_SIZE(rows), .max = m }

static const struct fault_names opcodes = NAMES("command", opcode_list, 0xfff);
static const struct fault_names registers = NAMES("register", register_list, 0xffff);
static const struct fault_names statuses = NAMES("status", status_list, 0xff);
static const struct fault_names deliveries = NAMES("delivery status", delivery_list, 0x7f);
static const struct fault_names events = NAMES("event type", event_list, 0xff);
static const struct fault_names syndromes = NAMES("syndrome", syndrome_list, 0xff);
static struct fault_names bth_opcodes = { .of = "BTH opcode", .list = bth_list, .max = 0xff };
static const struct fault_names cq_numbers = { .of = "CQ", .max = 0xffffff };
static const struct fault_names requests = NAMES("request", request_list, 0xff);
static const struct fault_names vectors = { .of = "vector", .max = 2047 };
static const struct fault_names lengths = { .of = "length", .max = UINT32_MAX - 1 };
static const struct fault_names offsets = { .of = "byte", .max = FRAME_MAX - 1 };
static const struct fault_names spaces = NAMES("address space", space_list, 0xffff);
static const struct fault_names addresses = { .of = "address", .max = PRM_VSC_ADDR_BITS };
static const struct fault_names sizes = { .of = "size", .max = PRM_VSC_ADDR_BITS };
static const struct fault_names frame_counts = { .of = "number of frames", .max = FAULT_DELAY_MAX };
static const struct fault_names bit_counts = { .of = "number of bits", .max = FAULT_FLIP_MAX };

void fault_words_init(void)
{
	static char texts[BTH_NAMES_MAX][32];
	unsigned int n = 1, i, op;

	if (bth_opcodes.n)
		return;
	for (i = 0; i < ARRAY_SIZE(transports); i++) {
		for (op = transports[i].first; op <= transports[i].last; op++) {
			if (!operations[op])
				continue;
			snprintf(texts[n], sizeof(texts[n]), "%s_%s", transports[i].name,
				 operations[op]);
			bth_list[n].name = texts[n];
			bth_list[n++].number = transports[i].bits | op;
		}
	}
	bth_opcodes.n = n;
}

static const struct fault_verb command_verbs[] = {
	{ "status", FAULT_STATUS, &statuses },
	{ "silent", FAULT_SILENT, .site = FAULT_SLOT },
	{ "twice", FAULT_TWICE, .site = FAULT_SLOT },
	{ "length", FAULT_LENGTH, &lengths, .site = FAULT_SLOT },
	{ "delivery", FAULT_DELIVERY, &deliveries, .site = FAULT_SLOT },
	{ "untagged", FAULT_UNTAGGED, .site = FAULT_SLOT },
	{}
};

static const struct fault_verb register_verbs[] = { { "status", FAULT_STATUS, &statuses }, {} };

static const struct fault_verb event_verbs[] = {
	{ "lose", FAULT_LOSE },
	{ "duplicate", FAULT_DUPLICATE },
	{ "type", FAULT_TYPE, &events },
	{ "overrun", FAULT_OVERRUN },
	{}
};

static const struct fault_verb cqe_verbs[] = {
	{ "error", FAULT_ERROR, &syndromes },
	{ "overrun", FAULT_OVERRUN },
	{}
};

static const struct fault_verb request_verbs[] = { { "error", FAULT_ERROR, &syndromes }, {} };

static const struct fault_verb interrupt_verbs[] = { { "lose", FAULT_LOSE }, {} };

static const struct fault_verb gateway_verbs[] = {
	{ "silent", FAULT_SILENT },
	{ "error", FAULT_ADDRESS },
	{ "next", FAULT_NEXT, &addresses },
	{ "size", FAULT_LENGTH, &sizes, .site = FAULT_SPACE },
	{}
};

static const struct fault_verb frame_verbs[] = {
	{ "drop", FAULT_DROP },
	{ "duplicate", FAULT_DUPLICATE },
	{ "reorder", FAULT_DELAY, .fixed = 1 },
	{ "corrupt", FAULT_CORRUPT, &offsets },
	{ "delay", FAULT_DELAY, &frame_counts },
	{ "flip", FAULT_FLIP, &bit_counts },
	{}
};

const struct fault_noun fault_nouns[] = {
	{ "command", FAULT_COMMAND, &opcodes, command_verbs,
	  "command OPCODE|any  status NAME|silent|twice|untagged|length N|delivery NAME" },
	{ "register", FAULT_REGISTER, &registers, register_verbs,
	  "register NAME|any  status NAME" },
	{ "event", FAULT_EVENT, &events, event_verbs,
	  "event TYPE|any  lose | duplicate | type N | overrun" },
	{ "cqe", FAULT_CQE, &cq_numbers, cqe_verbs, "cqe CQN|any  error SYNDROME | overrun" },
	{ "request", FAULT_REQUEST, &requests, request_verbs,
	  "request OPCODE|any  error SYNDROME" },
	{ "interrupt", FAULT_INTERRUPT, &vectors, interrupt_verbs, "interrupt VECTOR|any  lose" },
	{ "gateway", FAULT_GATEWAY, &spaces, gateway_verbs,
	  "gateway semaphores|registers|any  silent | error | next N | size N" },
	{ "frame", FAULT_FRAME, &bth_opcodes, frame_verbs,
	  "frame OPCODE|any  drop|duplicate|reorder|corrupt BYTE|delay N|flip N [dir=rx] [qp=N]" },
};

const unsigned int fault_n_nouns = ARRAY_SIZE(fault_nouns);

const char *fault_word(struct fault_parser *t)
{
	return t->at < t->n ? t->word[t->at++] : NULL;
}

int fault_words_end(struct fault_parser *t)
{
	if (t->at == t->n)
		return 0;
	return fault_error(t, "unexpected word '%s'", t->word[t->at]);
}

bool fault_number(const char *word, uint64_t max, uint64_t *value)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 0);
	return !errno && !*end && *value <= max;
}

const char *fault_name_of(const struct fault_names *names, uint32_t number)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (names->list[i].number == number)
			return names->list[i].name;
	return NULL;
}

int fault_find(struct fault_parser *t, const struct fault_names *names, bool any, uint32_t *number)
{
	const char *word = fault_word(t);
	uint64_t value;
	size_t i;

	if (!word)
		return fault_error(t, "missing %s", names->of);
	if (any && !strcmp(word, "any")) {
		*number = FAULT_ANY;
		return 0;
	}
	for (i = 0; i < names->n; i++) {
		if (!strcasecmp(word, names->list[i].name)) {
			*number = names->list[i].number;
			return 0;
		}
	}
	if (!fault_number(word, names->max, &value))
		return fault_error(t, "'%s' is not a valid %s%s", word, names->of,
				   names->n ? " (neither a known name nor a number)" : "");
	*number = value;
	return 0;
}
