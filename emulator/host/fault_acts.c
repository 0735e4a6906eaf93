// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The rule language of faults: what takes effect at once. */
#include <errno.h>
#include <string.h>

#include "card/card.h"
#include "host/fault_words.h"
#include "wire/wire.h"

static int act_pages(struct fault_parser *t, struct cxdev *dev)
{
	const char *word = fault_word(t);
	uint64_t n;
	bool take = word && *word == '-';

	if (!word)
		return fault_error(t, "missing number of pages");
	if (!fault_number(word + take, INT32_MAX, &n) || !n)
		return fault_error(t, "'%s' is not a number of pages, like 64 or -64", word);
	if (fault_words_end(t))
		return -EINVAL;
	if (health_request_pages(dev, take ? -(int32_t)n : (int32_t)n))
		return fault_error(t, "'%s': the driver has no event queue for page requests",
				   dev->name);
	return 0;
}

static int act_port(struct fault_parser *t, struct cxdev *dev)
{
	const char *word = fault_word(t);
	bool up = word && !strcmp(word, "up");

	if (!word)
		return fault_error(t, "missing up or down");
	if (!up && strcmp(word, "down"))
		return fault_error(t, "'%s' is neither up nor down", word);
	if (fault_words_end(t))
		return -EINVAL;
	port_set_wire(dev->port, up);
	return 0;
}

/* A function that takes no frames pauses the sender, if it may. */
static int act_receive(struct fault_parser *t, struct cxdev *dev)
{
	const char *word = fault_word(t);
	bool stop = word && !strcmp(word, "stop");

	if (!word)
		return fault_error(t, "missing stop or go");
	if (!stop && strcmp(word, "go"))
		return fault_error(t, "'%s' is neither stop nor go", word);
	if (fault_words_end(t))
		return -EINVAL;
	port_hold(dev->port, stop);
	return 0;
}

static int act_health(struct fault_parser *t, struct cxdev *dev)
{
	static const struct fault_names health = { .of = "health syndrome", .max = 0xff };
	uint32_t synd;
	bool rfr;

	if (fault_find(t, &health, false, &synd))
		return -EINVAL;
	rfr = t->at < t->n && !strcmp(t->word[t->at], "rfr");
	t->at += rfr;
	if (fault_words_end(t))
		return -EINVAL;
	health_report(dev, synd, rfr);
	return 0;
}

/* The value of a capability, which may have 64 bits. */
static int get_cap_value(struct fault_parser *t, const struct prm_field *field, uint64_t *value)
{
	const char *word = fault_word(t);

	if (!word)
		return fault_error(t, "missing value of %s", field->name);
	if (!fault_number(word, UINT64_MAX, value))
		return fault_error(t, "'%s' is not a number", word);
	if (field->width < 64 && *value >> field->width)
		return fault_error(t, "'%s' is too large: %s has %u bit%s", word, field->name,
				   field->width, field->width == 1 ? "" : "s");
	return fault_words_end(t);
}

static int act_cap(struct fault_parser *t, struct cxdev *dev)
{
	const char *word = fault_word(t);
	struct cap cap;
	uint64_t value;

	if (!word)
		return fault_error(t, "missing capability");
	if (!cap_find(word, &cap))
		return fault_error(t, "'%s' is not a capability: see Documentation/faults.rst",
				   word);
	if (!dev->hca->cap_valid[cap.type])
		return fault_error(t, "'%s': the card of %s has no such page", word, dev->name);
	if (get_cap_value(t, cap.field, &value))
		return -EINVAL;
	if (hca_cap_change(dev, &cap, value))
		return fault_error(t, "'%s': limit of %u capabilities reached: fault clear", word,
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

/* An interrupt without an event. */
static int act_spurious(struct fault_parser *t, struct cxdev *dev)
{
	const char *word = fault_word(t);
	uint64_t vector;

	if (!word)
		return fault_error(t, "missing vector");
	if (!fault_number(word, dev->card->vectors - 1, &vector))
		return fault_error(t, "'%s' is not a vector: the card has %u", word,
				   dev->card->vectors);
	if (fault_words_end(t))
		return -EINVAL;
	hca_raise_irq(dev, vector);
	return 0;
}

static int act_temperature(struct fault_parser *t, struct cxdev *dev)
{
	if (fault_words_end(t))
		return -EINVAL;
	if (health_warn_temperature(dev))
		return fault_error(t,
				   "'%s': the driver has no event queue for temperature warnings",
				   dev->name);
	return 0;
}

static int act_leftovers(struct fault_parser *t, struct cxdev *dev)
{
	if (fault_words_end(t))
		return -EINVAL;
	if (health_leave(dev))
		return fault_error(t, "'leftovers': the driver of %s is running", dev->name);
	return 0;
}

static int act_back(struct fault_parser *t, struct cxdev *dev)
{
	if (fault_words_end(t))
		return -EINVAL;
	if (!dev->health.gone)
		return fault_error(t, "'%s' is not gone", dev->name);
	health_restore(dev);
	return 0;
}

/*
 * vfio-user has an error interrupt, but QEMU does not forward it to the guest's AER: it stops the
 * VM.
 */
static int act_aer(struct fault_parser *t, struct cxdev *dev)
{
	return fault_error(t,
			   "'aer' of %s: QEMU stops the VM on a vfio-user device error without telling the guest; use aer_inject in the guest",
			   dev->name);
}

struct fault_act {
	const char *name;
	int (*run)(struct fault_parser *t, struct cxdev *dev);	/* reads the words that follow */
	const char *usage;
	void (*effect)(struct cxdev *dev);	/* no words follow */
};

static const struct fault_act acts[] = {
	{ "pages", act_pages, "pages N|-N" },
	{ "port", act_port, "port down|up" },
	{ "receive", act_receive, "receive stop|go" },
	{ "health", act_health, "health SYNDROME (0: none) [rfr]" },
	{ "cap", act_cap, "cap [PAGE.]NAME VALUE (from the next start on)" },
	{ "temperature", act_temperature, "temperature" },
	{ "spurious", act_spurious, "spurious VECTOR" },
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

const struct fault_act *fault_act_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(acts); i++)
		if (!strcmp(acts[i].name, name))
			return &acts[i];
	return NULL;
}

int fault_act_run(struct fault_parser *t, const struct fault_act *act, struct cxdev *dev)
{
	if (act->run)
		return act->run(t, dev);
	if (fault_words_end(t))
		return -EINVAL;
	act->effect(dev);
	return 0;
}

void fault_acts_print(const struct cxdev *dev, FILE *out)
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

void fault_acts_usage(FILE *out)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(acts); i++)
		fprintf(out, "fault FUNCTION %s\n", acts[i].usage);
}
