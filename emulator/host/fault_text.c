// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The rule language of faults:
 *
 *	fault FUNCTION NOUN WHAT VERB [VALUE] [KEY=VALUE...]	a rule
 *	fault FUNCTION ACT [VALUE]				takes effect at once
 *	fault list | fault clear [NUMBER]
 *
 * Nouns, verbs and acts are in tables below. A line is parsed to its end before it takes effect;
 * the error names the wrong word.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "card/card.h"
#include "fault/fault.h"
#include "host/control.h"
#include "prm/cqe.h"
#include "prm/dcb.h"
#include "prm/port.h"
#include "prm/wqe.h"
#include "wire/wire.h"

#define WORDS_MAX 16

struct name {
	const char *name;
	uint32_t number;
};

struct names {
	const char *of; /* what they name, for messages */
	const struct name *list;
	size_t n;
	uint32_t max; /* numbers are accepted up to it */
};

#define ROW(name, number) { #name, number },
#define TEXT_ROW(name, number, text) { #name, number },
#define REG(name) { #name, PRM_REG_##name }

static const struct name opcode_list[] = { PRM_CMD_LIST(ROW) };
static const struct name status_list[] = { PRM_STATUS_LIST(TEXT_ROW) };
static const struct name register_list[] = {
	REG(QPTS), REG(QETCR), REG(QTCT), REG(QPDPM), REG(QCAM), REG(DCBX_PARAM), REG(PMLP),
	REG(PMTU), REG(PTYS), REG(PAOS), REG(PFCC), REG(PPCNT), REG(PPTB), REG(PBMC), REG(PPLM),
	REG(PCAM), REG(NODE_DESC), REG(HOST_ENDIANNESS), REG(MCIA), REG(MLCR), REG(SBPR),
	REG(SBCM), REG(SBCAM),
};

static const struct name delivery_list[] = { PRM_DELIVERY_LIST(TEXT_ROW) };
static const struct name event_list[] = { PRM_EVENT_LIST(TEXT_ROW) };
static const struct name syndrome_list[] = { PRM_CQE_SYNDROME_LIST(TEXT_ROW) };

static const struct name request_list[] = {
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

/* BTH opcodes: three bits of transport, five of operation. Names are built at first use. */
static const struct {
	const char *name;
	uint8_t bits, first, last; /* operations */
} transports[] = {
	{ "rc", 0x00, 0x00, 0x17 },
	{ "uc", 0x20, 0x00, 0x0b },
	{ "ud", 0x60, 0x04, 0x05 },
	{ "xrc", 0xa0, 0x00, 0x17 },
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

static struct name bth_list[BTH_NAMES_MAX] = { { "cnp", OPCODE_CNP } };

#define NAMES(text, rows, m) { .of = text, .list = rows, .n = ARRAY_SIZE(rows), .max = m }

static const struct names opcodes = NAMES("command", opcode_list, 0xfff);
static const struct names registers = NAMES("register", register_list, 0xffff);
static const struct names statuses = NAMES("status", status_list, 0xff);
static const struct names deliveries = NAMES("delivery status", delivery_list, 0x7f);
static const struct names events = NAMES("event type", event_list, 0xff);
static const struct names syndromes = NAMES("syndrome", syndrome_list, 0xff);
static struct names bth_opcodes = { .of = "BTH opcode", .list = bth_list, .max = 0xff };
static const struct names cq_numbers = { .of = "CQ", .max = 0xffffff };
static const struct names requests = NAMES("request", request_list, 0xff);
static const struct names vectors = { .of = "vector", .max = 2047 };
static const struct names lengths = { .of = "length", .max = UINT32_MAX - 1 };
static const struct names offsets = { .of = "byte", .max = FRAME_MAX - 1 };
static const struct names frame_counts = { .of = "number of frames", .max = FAULT_DELAY_MAX };

static void name_bth_opcodes(void)
{
	static char texts[BTH_NAMES_MAX][32];
	unsigned int n = 1, i, op;

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

struct verb {
	const char *name;
	enum fault_action action;
	const struct names *value; /* NULL: none */
	uint32_t fixed;		   /* the value, if the line has none */
	enum fault_site site;	   /* if it differs from the noun's */
};

struct noun {
	const char *name;
	enum fault_site site;
	const struct names *what;
	const struct verb *verbs; /* ends with one without a name */
	const char *usage;
};

static const struct verb command_verbs[] = {
	{ "status", FAULT_STATUS, &statuses },
	{ "silent", FAULT_SILENT, .site = FAULT_SLOT },
	{ "twice", FAULT_TWICE, .site = FAULT_SLOT },
	{ "length", FAULT_LENGTH, &lengths, .site = FAULT_SLOT },
	{ "delivery", FAULT_DELIVERY, &deliveries, .site = FAULT_SLOT },
	{ "untagged", FAULT_UNTAGGED, .site = FAULT_SLOT },
	{}
};

static const struct verb register_verbs[] = { { "status", FAULT_STATUS, &statuses }, {} };

static const struct verb event_verbs[] = {
	{ "lose", FAULT_LOSE },
	{ "duplicate", FAULT_DUPLICATE },
	{ "type", FAULT_TYPE, &events },
	{ "overrun", FAULT_OVERRUN },
	{}
};

static const struct verb cqe_verbs[] = {
	{ "error", FAULT_ERROR, &syndromes },
	{ "overrun", FAULT_OVERRUN },
	{}
};

static const struct verb request_verbs[] = { { "error", FAULT_ERROR, &syndromes }, {} };

static const struct verb interrupt_verbs[] = { { "lose", FAULT_LOSE }, {} };

static const struct verb frame_verbs[] = {
	{ "drop", FAULT_DROP },
	{ "duplicate", FAULT_DUPLICATE },
	{ "reorder", FAULT_DELAY, .fixed = 1 },
	{ "corrupt", FAULT_CORRUPT, &offsets },
	{ "delay", FAULT_DELAY, &frame_counts },
	{}
};

static const struct noun nouns[] = {
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
	{ "frame", FAULT_FRAME, &bth_opcodes, frame_verbs,
	  "frame OPCODE|any  drop | duplicate | reorder | corrupt BYTE | delay N [dir=rx] [qp=N]" },
};

/* The words of a line. */
struct parser {
	char *word[WORDS_MAX + 1];
	unsigned int n, at;
	struct cxdev *const *devs;
	unsigned int n_devs;
	FILE *out;
};

#define syntax_error(t, ...)                                        \
	({                                                   \
		fprintf((t)->out, "error: fault: " __VA_ARGS__); \
		fprintf((t)->out, "\n");                      \
		-EINVAL;                                     \
	})

/* ---- words ---- */

static const char *next_word(struct parser *t)
{
	return t->at < t->n ? t->word[t->at++] : NULL;
}

static int at_end(struct parser *t)
{
	if (t->at == t->n)
		return 0;
	return syntax_error(t, "unexpected word '%s'", t->word[t->at]);
}

static bool get_number(const char *word, uint64_t max, uint64_t *value)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 0);
	return !errno && !*end && *value <= max;
}

static const char *name_of(const struct names *names, uint32_t number)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (names->list[i].number == number)
			return names->list[i].name;
	return NULL;
}

/* A name of the list or a number; "any" if @any. */
static int get_name(struct parser *t, const struct names *names, bool any, uint32_t *number)
{
	const char *word = next_word(t);
	uint64_t value;
	size_t i;

	if (!word)
		return syntax_error(t, "missing %s", names->of);
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
	if (!get_number(word, names->max, &value))
		return syntax_error(t, "'%s' is not a valid %s%s", word, names->of,
				    names->n ? " (neither a known name nor a number)" : "");
	*number = value;
	return 0;
}

/* ---- rules ---- */

struct options {
	bool nth, times, percent, seed, dir, qp; /* was given */
};

/* "P", "P.p" or "P.pp", above 0 and up to 100, in hundredths. */
static bool get_percent(const char *word, uint32_t *chance)
{
	unsigned int whole = 0, part = 0, digits = 0;
	const char *p = word;

	for (; *p >= '0' && *p <= '9' && whole <= 100; p++)
		whole = whole * 10 + *p - '0';
	if (p == word)
		return false;
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9' && digits < 2; p++, digits++)
			part = part * 10 + *p - '0';
		if (!digits)
			return false;
		if (digits == 1)
			part *= 10;
	}
	*chance = whole * 100 + part;
	return !*p && *chance && *chance <= FAULT_BASIS_POINTS;
}

static int get_option(struct parser *t, struct fault *rule, struct options *given, const char *word)
{
	const char *eq = strchr(word, '='), *value = eq ? eq + 1 : "";
	size_t len = eq ? (size_t)(eq - word) : 0;
	uint64_t number = 0;
	bool *seen;

#define IS(key) (len == sizeof(key) - 1 && !memcmp(word, key, len))
	if (IS("nth")) {
		seen = &given->nth;
		if (!get_number(value, UINT64_MAX, &rule->nth) || !rule->nth)
			return syntax_error(t, "'%s': nth is a number, at least 1", word);
	} else if (IS("times")) {
		seen = &given->times;
		if (!strcmp(value, "all"))
			rule->times = 0;
		else if (!get_number(value, UINT64_MAX, &rule->times) || !rule->times)
			return syntax_error(t, "'%s': times is a number, at least 1, or all", word);
	} else if (IS("percent")) {
		seen = &given->percent;
		if (!get_percent(value, &rule->chance))
			return syntax_error(t, "'%s': percent is 0.01 to 100", word);
	} else if (IS("seed")) {
		seen = &given->seed;
		if (!get_number(value, UINT64_MAX, &rule->seed))
			return syntax_error(t, "'%s': seed is a number", word);
	} else if (IS("dir") && rule->site == FAULT_FRAME) {
		seen = &given->dir;
		rule->rx = !strcmp(value, "rx");
		if (!rule->rx && strcmp(value, "tx"))
			return syntax_error(t, "'%s': dir is tx or rx", word);
	} else if (IS("qp") && rule->site == FAULT_FRAME) {
		seen = &given->qp;
		if (!get_number(value, 0xffffff, &number))
			return syntax_error(t, "'%s': qp is a number of 24 bits", word);
		rule->qpn = number;
	} else {
		return syntax_error(t, "'%s' is not an option here", word);
	}
#undef IS
	if (*seen)
		return syntax_error(t, "'%s': given twice", word);
	*seen = true;
	return 0;
}

static int get_options(struct parser *t, struct fault *rule)
{
	struct options given = {};
	const char *word;

	while ((word = next_word(t)))
		if (get_option(t, rule, &given, word))
			return -EINVAL;
	if (given.percent && given.nth)
		return syntax_error(t, "nth and percent are mutually exclusive");
	if (given.seed && !given.percent)
		return syntax_error(t, "seed needs percent");
	if (!given.percent && !given.nth)
		rule->nth = 1;
	if (!given.times)
		rule->times = given.percent ? 0 : 1;
	return 0;
}

static const struct verb *get_verb(struct parser *t, const struct noun *noun)
{
	const char *word = next_word(t);
	const struct verb *verb;

	for (verb = noun->verbs; word && verb->name; verb++)
		if (!strcmp(word, verb->name))
			return verb;
	if (word)
		syntax_error(t, "'%s' is not an action of %s: %s", word, noun->name, noun->usage);
	else
		syntax_error(t, "missing action: %s", noun->usage);
	return NULL;
}

/* Checks of a value beyond the tables. */
static int check_value(struct parser *t, const struct fault *rule)
{
	if (rule->action == FAULT_STATUS && rule->value == PRM_STATUS_OK)
		return syntax_error(t, "'%s': this status is not an error", t->word[t->at - 1]);
	if (rule->action == FAULT_DELIVERY && rule->value == PRM_DELIVERY_OK)
		return syntax_error(t, "'%s': this delivery status is not an error",
				    t->word[t->at - 1]);
	if (rule->action == FAULT_DELAY && !rule->value)
		return syntax_error(t, "'%s': a frame is delayed by at least one frame",
				    t->word[t->at - 1]);
	return 0;
}

static void print_rule(const struct fault *rule, void *arg)
{
	const struct noun *noun = &nouns[0];
	const struct verb *verb;
	const char *name;
	FILE *out = arg;

	while (noun->site != (rule->site == FAULT_SLOT ? FAULT_COMMAND : rule->site))
		noun++;
	verb = noun->verbs;
	while (verb->action != rule->action || (verb->fixed && verb->fixed != rule->value))
		verb++;
	fprintf(out, "fault %u: %s %s ", rule->id,
		rule->dev  ? rule->dev->name :
		rule->port ? port_name(rule->port) :
			     "any",
		noun->name);
	name = rule->what == FAULT_ANY ? "any" : name_of(noun->what, rule->what);
	if (name)
		fprintf(out, "%s %s", name, verb->name);
	else
		fprintf(out, "0x%x %s", rule->what, verb->name);
	if (verb->value) {
		name = name_of(verb->value, rule->value);
		if (name)
			fprintf(out, " %s", name);
		else
			fprintf(out, " %u", rule->value);
	}
	if (rule->site == FAULT_FRAME)
		fprintf(out, " dir=%s", rule->rx ? "rx" : "tx");
	if (rule->site == FAULT_FRAME && rule->qpn != FAULT_ANY)
		fprintf(out, " qp=0x%x", rule->qpn);
	if (rule->chance)
		fprintf(out, " percent=%u.%02u seed=%llu", rule->chance / 100, rule->chance % 100,
			(unsigned long long)rule->seed);
	else
		fprintf(out, " nth=%llu", (unsigned long long)rule->nth);
	if (rule->times)
		fprintf(out, " times=%llu", (unsigned long long)rule->times);
	else
		fprintf(out, " times=all");
	fprintf(out, ": seen %llu, done %llu\n", (unsigned long long)rule->seen,
		(unsigned long long)rule->done);
}

static void print_rule_by_id(const struct fault *rule, void *arg)
{
	struct { unsigned int id; FILE *out; } *want = arg;

	if (rule->id == want->id)
		print_rule(rule, want->out);
}

static int add_rule(struct parser *t, const struct noun *noun, struct cxdev *dev,
		    const struct port *port)
{
	struct fault rule = { .site = noun->site, .dev = dev, .port = port, .qpn = FAULT_ANY };
	struct { unsigned int id; FILE *out; } made = { .out = t->out };
	const struct verb *verb;

	if (get_name(t, noun->what, true, &rule.what))
		return -EINVAL;
	if (noun->site == FAULT_INTERRUPT && rule.what != FAULT_ANY &&
	    rule.what >= dev->card->vectors)
		return syntax_error(t, "'%s': the card has %u vectors", t->word[t->at - 1],
				    dev->card->vectors);
	verb = get_verb(t, noun);
	if (!verb)
		return -EINVAL;
	rule.action = verb->action;
	rule.value = verb->fixed;
	if (verb->site)
		rule.site = verb->site;
	if (verb->value &&
	    (get_name(t, verb->value, false, &rule.value) || check_value(t, &rule)))
		return -EINVAL;
	if (get_options(t, &rule))
		return -EINVAL;
	if (fault_add(&rule, &made.id))
		return syntax_error(t, "limit of %u rules reached: fault clear", FAULT_RULES_MAX);
	fault_for_each(print_rule_by_id, &made);
	return 0;
}

/* ---- acts ---- */

static int act_pages(struct parser *t, struct cxdev *dev)
{
	const char *word = next_word(t);
	uint64_t n;
	bool take = word && *word == '-';

	if (!word)
		return syntax_error(t, "missing number of pages");
	if (!get_number(word + take, INT32_MAX, &n) || !n)
		return syntax_error(t, "'%s' is not a number of pages, like 64 or -64", word);
	if (at_end(t))
		return -EINVAL;
	if (health_request_pages(dev, take ? -(int32_t)n : (int32_t)n))
		return syntax_error(t, "'%s': the driver has no event queue for page requests",
				    dev->name);
	return 0;
}

static int act_port(struct parser *t, struct cxdev *dev)
{
	const char *word = next_word(t);
	bool up = word && !strcmp(word, "up");

	if (!word)
		return syntax_error(t, "missing up or down");
	if (!up && strcmp(word, "down"))
		return syntax_error(t, "'%s' is neither up nor down", word);
	if (at_end(t))
		return -EINVAL;
	port_set_wire(dev->port, up);
	return 0;
}

/* A function that takes no frames pauses the sender, if it may. */
static int act_receive(struct parser *t, struct cxdev *dev)
{
	const char *word = next_word(t);
	bool stop = word && !strcmp(word, "stop");

	if (!word)
		return syntax_error(t, "missing stop or go");
	if (!stop && strcmp(word, "go"))
		return syntax_error(t, "'%s' is neither stop nor go", word);
	if (at_end(t))
		return -EINVAL;
	port_hold(dev->port, stop);
	return 0;
}

static int act_health(struct parser *t, struct cxdev *dev)
{
	static const struct names health = { .of = "health syndrome", .max = 0xff };
	uint32_t synd;
	bool rfr;

	if (get_name(t, &health, false, &synd))
		return -EINVAL;
	rfr = t->at < t->n && !strcmp(t->word[t->at], "rfr");
	t->at += rfr;
	if (at_end(t))
		return -EINVAL;
	health_report(dev, synd, rfr);
	return 0;
}

/* The value of a capability, which may have 64 bits. */
static int get_cap_value(struct parser *t, const struct prm_field *field, uint64_t *value)
{
	const char *word = next_word(t);

	if (!word)
		return syntax_error(t, "missing value of %s", field->name);
	if (!get_number(word, UINT64_MAX, value))
		return syntax_error(t, "'%s' is not a number", word);
	if (field->width < 64 && *value >> field->width)
		return syntax_error(t, "'%s' is too large: %s has %u bit%s", word, field->name,
				    field->width, field->width == 1 ? "" : "s");
	return at_end(t);
}

static int act_cap(struct parser *t, struct cxdev *dev)
{
	const char *word = next_word(t);
	struct cap cap;
	uint64_t value;

	if (!word)
		return syntax_error(t, "missing capability");
	if (!cap_find(word, &cap))
		return syntax_error(t, "'%s' is not a capability: see Documentation/faults.rst",
				    word);
	if (!dev->hca->cap_valid[cap.type])
		return syntax_error(t, "'%s': the card of %s has no such page", word, dev->name);
	if (get_cap_value(t, cap.field, &value))
		return -EINVAL;
	if (hca_cap_change(dev, &cap, value))
		return syntax_error(t, "'%s': limit of %u capabilities reached: fault clear", word,
				    CAP_CHANGES);
	return 0;
}

static void print_caps(const struct cxdev *dev, FILE *out)
{
	const struct hca_state *hca = dev->hca;
	unsigned int i;

	for (i = 0; i < hca->n_cap_changes; i++) {
		fprintf(out, "%s cap ", dev->name);
		cap_print_name(&hca->cap_changes[i].cap, out);
		fprintf(out, " %llu\n", (unsigned long long)hca->cap_changes[i].value);
	}
}

static int act_temperature(struct parser *t, struct cxdev *dev)
{
	if (at_end(t))
		return -EINVAL;
	if (health_warn_temperature(dev))
		return syntax_error(t,
				    "'%s': the driver has no event queue for temperature warnings",
				    dev->name);
	return 0;
}

static int act_leftovers(struct parser *t, struct cxdev *dev)
{
	if (at_end(t))
		return -EINVAL;
	if (health_leave(dev))
		return syntax_error(t, "'leftovers': the driver of %s is running", dev->name);
	return 0;
}

static int act_back(struct parser *t, struct cxdev *dev)
{
	if (at_end(t))
		return -EINVAL;
	if (!dev->health.gone)
		return syntax_error(t, "'%s' is not gone", dev->name);
	health_restore(dev);
	return 0;
}

/*
 * vfio-user has an error interrupt, but QEMU does not forward it to the guest's AER: it stops the
 * VM.
 */
static int act_aer(struct parser *t, struct cxdev *dev)
{
	return syntax_error(t,
			    "'aer' of %s: QEMU stops the VM on a vfio-user device error without telling the guest; use aer_inject in the guest",
			    dev->name);
}

static const struct act {
	const char *name;
	int (*run)(struct parser *t, struct cxdev *dev);	/* reads the words that follow */
	const char *usage;
	void (*effect)(struct cxdev *dev);	/* no words follow */
} acts[] = {
	{ "pages", act_pages, "pages N|-N" },
	{ "port", act_port, "port down|up" },
	{ "receive", act_receive, "receive stop|go" },
	{ "health", act_health, "health SYNDROME (0: none) [rfr]" },
	{ "cap", act_cap, "cap [PAGE.]NAME VALUE (from the next start on)" },
	{ "temperature", act_temperature, "temperature" },
	{ "stall", NULL, "stall", health_stall },
	{ "overheat", NULL, "overheat", health_overheat },
	{ "noguid", NULL, "noguid", health_hide_guid },
	{ "leftovers", act_leftovers, "leftovers (while no driver is running)" },
	{ "fatal", NULL, "fatal", health_fatal },
	{ "restart", NULL, "restart", cxdev_reset_firmware },
	{ "gone", NULL, "gone", health_remove },
	{ "d3cold", NULL, "d3cold (until it sleeps once)", health_lose_power },
	{ "back", act_back, "back" },
	{ "aer", act_aer, "aer (not supported: says why)" },
};

static int run_act(struct parser *t, const struct act *act, struct cxdev *dev)
{
	if (act->run)
		return act->run(t, dev);
	if (at_end(t))
		return -EINVAL;
	act->effect(dev);
	return 0;
}

/* ---- lines ---- */

static void print_health(const struct cxdev *dev, FILE *out)
{
	if (dev->health.gone)
		fprintf(out, "%s gone\n", dev->name);
	if (dev->health.fatal)
		fprintf(out, "%s fatal\n", dev->name);
	if (dev->health.synd)
		fprintf(out, "%s health 0x%02x%s\n", dev->name, dev->health.synd,
			dev->health.rfr ? " rfr" : "");
	if (dev->health.stalled)
		fprintf(out, "%s stall\n", dev->name);
	if (dev->health.no_guid)
		fprintf(out, "%s noguid\n", dev->name);
	if (dev->health.d3cold)
		fprintf(out, "%s d3cold\n", dev->name);
	if (!port_wire_up(dev->port))
		fprintf(out, "%s port down\n", dev->name);
	if (port_held(dev->port))
		fprintf(out, "%s receive stop\n", dev->name);
	print_caps(dev, out);
}

static int do_list(struct parser *t)
{
	unsigned int i;

	if (at_end(t))
		return -EINVAL;
	fault_for_each(print_rule, t->out);
	for (i = 0; i < t->n_devs; i++)
		print_health(t->devs[i], t->out);
	return 0;
}

static int do_clear(struct parser *t)
{
	const char *word = next_word(t);
	unsigned int i;
	uint64_t id;

	if (at_end(t))
		return -EINVAL;
	if (word) {
		if (!get_number(word, UINT32_MAX, &id) || !fault_remove(id))
			return syntax_error(t, "'%s' is not a rule number; see fault list", word);
		return 0;
	}
	fault_clear();
	for (i = 0; i < t->n_devs; i++)
		health_clear(t->devs[i]);
	return 0;
}

static int do_function(struct parser *t, const char *name)
{
	const struct port *port = port_find(name);
	struct cxdev *dev = NULL;
	const char *word;
	unsigned int i;

	for (i = 0; i < t->n_devs; i++)
		if (!strcmp(t->devs[i]->name, name))
			dev = t->devs[i];
	if (!dev && !port && strcmp(name, "any"))
		return syntax_error(t, "'%s' is not a function, a port, list or clear", name);
	word = next_word(t);
	if (!word)
		return syntax_error(t, "missing fault for '%s'; see help", name);
	for (i = 0; i < ARRAY_SIZE(nouns); i++) {
		if (strcmp(nouns[i].name, word))
			continue;
		if (nouns[i].site == FAULT_FRAME)
			return add_rule(t, &nouns[i], NULL, port);
		if (!dev)
			return syntax_error(t, "'%s' is not a function, and '%s' needs one", name,
					    word);
		return add_rule(t, &nouns[i], dev, NULL);
	}
	for (i = 0; i < ARRAY_SIZE(acts); i++) {
		if (strcmp(acts[i].name, word))
			continue;
		if (!dev)
			return syntax_error(t, "'%s' is not a function, and '%s' needs one", name,
					    word);
		return run_act(t, &acts[i], dev);
	}
	return syntax_error(t, "'%s' is not a fault; see help", word);
}

int fault_line(char *line, struct cxdev *const *devs, unsigned int n_devs, FILE *out)
{
	struct parser t = { .devs = devs, .n_devs = n_devs, .out = out };
	char *save = NULL, *word;

	if (!bth_opcodes.n)
		name_bth_opcodes();
	for (word = strtok_r(line, " \t\r", &save); word; word = strtok_r(NULL, " \t\r", &save)) {
		if (t.n == WORDS_MAX)
			return syntax_error(&t, "unexpected word '%s'", word);
		t.word[t.n++] = word;
	}
	word = (char *)next_word(&t);
	if (!word)
		return syntax_error(&t, "missing function, list or clear; see help");
	if (!strcmp(word, "list"))
		return do_list(&t);
	if (!strcmp(word, "clear"))
		return do_clear(&t);
	return do_function(&t, word);
}

void fault_usage(FILE *out)
{
	unsigned int i;

	fprintf(out, "fault list | clear [NUMBER]\n");
	for (i = 0; i < ARRAY_SIZE(nouns); i++)
		fprintf(out, "fault %s %s  [WHEN]\n",
			nouns[i].site == FAULT_FRAME ? "FUNCTION|PORT|any" : "FUNCTION",
			nouns[i].usage);
	for (i = 0; i < ARRAY_SIZE(acts); i++)
		fprintf(out, "fault FUNCTION %s\n", acts[i].usage);
	fprintf(out,
		"WHEN: [nth=N] [times=N|all] (default: the first match, once); or percent=P [seed=S] [times=N|all]\n");
}
