// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The rule language of faults:
 *
 *	fault FUNCTION NOUN WHAT VERB [VALUE] [KEY=VALUE...]	a rule
 *	fault FUNCTION ACT [VALUE]				takes effect at once
 *	fault list | fault clear [NUMBER]
 *
 * Nouns, verbs and acts are in tables. A line is parsed to its end before it takes effect; the
 * error names the wrong word.
 */
#include <errno.h>
#include <string.h>

#include "card/card.h"
#include "host/control.h"
#include "host/fault_words.h"
#include "prm/vsc.h"
#include "wire/wire.h"

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

static int get_option(struct fault_parser *t, struct fault *rule, struct options *given,
		      const char *word)
{
	const char *eq = strchr(word, '='), *value = eq ? eq + 1 : "";
	size_t len = eq ? (size_t)(eq - word) : 0;
	uint64_t number = 0;
	bool *seen;

#define IS(key) (len == sizeof(key) - 1 && !memcmp(word, key, len))
	if (IS("nth")) {
		seen = &given->nth;
		if (!fault_number(value, UINT64_MAX, &rule->nth) || !rule->nth)
			return fault_error(t, "'%s': nth is a number, at least 1", word);
	} else if (IS("times")) {
		seen = &given->times;
		if (!strcmp(value, "all"))
			rule->times = 0;
		else if (!fault_number(value, UINT64_MAX, &rule->times) || !rule->times)
			return fault_error(t, "'%s': times is a number, at least 1, or all", word);
	} else if (IS("percent")) {
		seen = &given->percent;
		if (!get_percent(value, &rule->chance))
			return fault_error(t, "'%s': percent is 0.01 to 100", word);
	} else if (IS("seed")) {
		seen = &given->seed;
		if (!fault_number(value, UINT64_MAX, &rule->seed))
			return fault_error(t, "'%s': seed is a number", word);
	} else if (IS("dir") && rule->site == FAULT_FRAME) {
		seen = &given->dir;
		rule->rx = !strcmp(value, "rx");
		if (!rule->rx && strcmp(value, "tx"))
			return fault_error(t, "'%s': dir is tx or rx", word);
	} else if (IS("qp") && rule->site == FAULT_FRAME) {
		seen = &given->qp;
		if (!fault_number(value, 0xffffff, &number))
			return fault_error(t, "'%s': qp is a number of 24 bits", word);
		rule->qpn = number;
	} else {
		return fault_error(t, "'%s' is not an option here", word);
	}
#undef IS
	if (*seen)
		return fault_error(t, "'%s': given twice", word);
	*seen = true;
	return 0;
}

static int get_options(struct fault_parser *t, struct fault *rule)
{
	struct options given = {};
	const char *word;

	while ((word = fault_word(t)))
		if (get_option(t, rule, &given, word))
			return -EINVAL;
	if (given.percent && given.nth)
		return fault_error(t, "nth and percent are mutually exclusive");
	if (given.seed && !given.percent)
		return fault_error(t, "seed needs percent");
	if (!given.percent && !given.nth)
		rule->nth = 1;
	if (!given.times)
		rule->times = given.percent ? 0 : 1;
	return 0;
}

static const struct fault_verb *get_verb(struct fault_parser *t, const struct fault_noun *noun)
{
	const char *word = fault_word(t);
	const struct fault_verb *verb;

	for (verb = noun->verbs; word && verb->name; verb++)
		if (!strcmp(word, verb->name))
			return verb;
	if (word)
		fault_error(t, "'%s' is not an action of %s: %s", word, noun->name, noun->usage);
	else
		fault_error(t, "missing action: %s", noun->usage);
	return NULL;
}

/* Checks of a value beyond the tables. */
static int check_value(struct fault_parser *t, const struct fault *rule)
{
	if ((rule->action == FAULT_NEXT || rule->site == FAULT_SPACE) &&
	    rule->what == PRM_VSC_SEMAPHORES)
		return fault_error(t, "semaphores have neither a size nor a next one");
	if (rule->action == FAULT_STATUS && rule->value == PRM_STATUS_OK)
		return fault_error(t, "'%s': this status is not an error", t->word[t->at - 1]);
	if (rule->action == FAULT_DELIVERY && rule->value == PRM_DELIVERY_OK)
		return fault_error(t, "'%s': this delivery status is not an error",
				   t->word[t->at - 1]);
	if (rule->action == FAULT_DELAY && !rule->value)
		return fault_error(t, "'%s': a frame is delayed by at least one frame",
				   t->word[t->at - 1]);
	if (rule->action == FAULT_FLIP && !rule->value)
		return fault_error(t, "'%s': at least one bit is flipped", t->word[t->at - 1]);
	return 0;
}

/* The site of the noun whose verbs have @site. */
static enum fault_site noun_site(enum fault_site site)
{
	switch (site) {
	case FAULT_SLOT:
		return FAULT_COMMAND;
	case FAULT_SPACE:
		return FAULT_GATEWAY;
	default:
		return site;
	}
}

static void print_rule(const struct fault *rule, void *arg)
{
	const struct fault_noun *noun = &fault_nouns[0];
	const struct fault_verb *verb;
	const char *name;
	FILE *out = arg;

	while (noun->site != noun_site(rule->site))
		noun++;
	verb = noun->verbs;
	while (verb->action != rule->action || (verb->fixed && verb->fixed != rule->value))
		verb++;
	fprintf(out, "fault %u: %s %s ", rule->id,
		rule->dev  ? rule->dev->name :
		rule->port ? port_name(rule->port) :
			     "any",
		noun->name);
	name = rule->what == FAULT_ANY ? "any" : fault_name_of(noun->what, rule->what);
	if (name)
		fprintf(out, "%s %s", name, verb->name);
	else
		fprintf(out, "0x%x %s", rule->what, verb->name);
	if (verb->value) {
		name = fault_name_of(verb->value, rule->value);
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

static int add_rule(struct fault_parser *t, const struct fault_noun *noun, struct cxdev *dev,
		    const struct port *port)
{
	struct fault rule = { .site = noun->site, .dev = dev, .port = port, .qpn = FAULT_ANY };
	struct { unsigned int id; FILE *out; } made = { .out = t->out };
	const struct fault_verb *verb;

	if (fault_find(t, noun->what, true, &rule.what))
		return -EINVAL;
	if (noun->site == FAULT_INTERRUPT && rule.what != FAULT_ANY &&
	    rule.what >= dev->card->vectors)
		return fault_error(t, "'%s': the card has %u vectors", t->word[t->at - 1],
				   dev->card->vectors);
	verb = get_verb(t, noun);
	if (!verb)
		return -EINVAL;
	rule.action = verb->action;
	rule.value = verb->fixed;
	if (verb->site)
		rule.site = verb->site;
	if (verb->value &&
	    (fault_find(t, verb->value, false, &rule.value) || check_value(t, &rule)))
		return -EINVAL;
	if (get_options(t, &rule))
		return -EINVAL;
	if (rule.action == FAULT_FLIP && !rule.rx)
		return fault_error(t,
				   "flip needs dir=rx: the port that receives the frame corrects it");
	if (fault_add(&rule, &made.id))
		return fault_error(t, "limit of %u rules reached: fault clear", FAULT_RULES_MAX);
	fault_for_each(print_rule_by_id, &made);
	return 0;
}

/* ---- lines ---- */

static int do_list(struct fault_parser *t)
{
	unsigned int i;

	if (fault_words_end(t))
		return -EINVAL;
	fault_for_each(print_rule, t->out);
	for (i = 0; i < t->n_devs; i++)
		fault_acts_print(t->devs[i], t->out);
	return 0;
}

static int do_clear(struct fault_parser *t)
{
	const char *word = fault_word(t);
	unsigned int i;
	uint64_t id;

	if (fault_words_end(t))
		return -EINVAL;
	if (word) {
		if (!fault_number(word, UINT32_MAX, &id) || !fault_remove(id))
			return fault_error(t, "'%s' is not a rule number; see fault list", word);
		return 0;
	}
	fault_clear();
	for (i = 0; i < t->n_devs; i++)
		health_clear(t->devs[i]);
	return 0;
}

static int do_function(struct fault_parser *t, const char *name)
{
	const struct port *port = port_find(name);
	const struct fault_act *act;
	struct cxdev *dev = NULL;
	const char *word;
	unsigned int i;

	for (i = 0; i < t->n_devs; i++)
		if (!strcmp(t->devs[i]->name, name))
			dev = t->devs[i];
	if (!dev && !port && strcmp(name, "any"))
		return fault_error(t, "'%s' is not a function, a port, list or clear", name);
	word = fault_word(t);
	if (!word)
		return fault_error(t, "missing fault for '%s'; see help", name);
	for (i = 0; i < fault_n_nouns; i++) {
		if (strcmp(fault_nouns[i].name, word))
			continue;
		if (fault_nouns[i].site == FAULT_FRAME)
			return add_rule(t, &fault_nouns[i], NULL, port);
		if (!dev)
			return fault_error(t, "'%s' is not a function, and '%s' needs one", name,
					   word);
		return add_rule(t, &fault_nouns[i], dev, NULL);
	}
	act = fault_act_find(word);
	if (!act)
		return fault_error(t, "'%s' is not a fault; see help", word);
	if (!dev)
		return fault_error(t, "'%s' is not a function, and '%s' needs one", name, word);
	return fault_act_run(t, act, dev);
}

int fault_line(char *line, struct cxdev *const *devs, unsigned int n_devs, FILE *out)
{
	struct fault_parser t = { .devs = devs, .n_devs = n_devs, .out = out };
	char *save = NULL, *word;

	fault_words_init();
	for (word = strtok_r(line, " \t\r", &save); word; word = strtok_r(NULL, " \t\r", &save)) {
		if (t.n == WORDS_MAX)
			return fault_error(&t, "unexpected word '%s'", word);
		t.word[t.n++] = word;
	}
	word = (char *)fault_word(&t);
	if (!word)
		return fault_error(&t, "missing function, list or clear; see help");
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
	for (i = 0; i < fault_n_nouns; i++)
		fprintf(out, "fault %s %s  [WHEN]\n",
			fault_nouns[i].site == FAULT_FRAME ? "FUNCTION|PORT|any" : "FUNCTION",
			fault_nouns[i].usage);
	fault_acts_usage(out);
	fprintf(out,
		"WHEN: [nth=N] [times=N|all] (default: the first match, once); or percent=P [seed=S] [times=N|all]\n");
}
