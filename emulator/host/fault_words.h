/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The parts of the rule language of faults: fault_words.c has its vocabulary and reads words,
 * fault_acts.c what takes effect at once, fault_text.c rules and lines.
 */
#ifndef CXEMU_FAULT_WORDS_H
#define CXEMU_FAULT_WORDS_H

#include "base/base.h"
#include "fault/fault.h"

#define WORDS_MAX 16

struct fault_name {
	const char *name;
	uint32_t number;
};

struct fault_names {
	const char *of; /* what they name, for messages */
	const struct fault_name *list;
	size_t n;
	uint32_t max; /* numbers are accepted up to it */
};

struct fault_verb {
	const char *name;
	enum fault_action action;
	const struct fault_names *value; /* NULL: none */
	uint32_t fixed;			 /* the value, if the line has none */
	enum fault_site site;		 /* if it differs from the noun's */
};

struct fault_noun {
	const char *name;
	enum fault_site site;
	const struct fault_names *what;
	const struct fault_verb *verbs; /* ends with one without a name */
	const char *usage;
};

/* The words of a line. */
struct fault_parser {
	char *word[WORDS_MAX + 1];
	unsigned int n, at;
	struct cxdev *const *devs;
	unsigned int n_devs;
	FILE *out;
};

#define fault_error(t, ...)                                          \
	({                                                           \
		fprintf((t)->out, "error: fault: " __VA_ARGS__);     \
		fprintf((t)->out, "\n");                             \
		-EINVAL;                                             \
	})

/* ---- fault_words.c ---- */

extern const struct fault_noun fault_nouns[];
extern const unsigned int fault_n_nouns;

void fault_words_init(void);	/* before anything else; again is harmless */
const char *fault_word(struct fault_parser *t); /* the next one, or NULL */
int fault_words_end(struct fault_parser *t);	/* 0, or -EINVAL: there are more */
/* Decimal, octal, or hexadecimal, and no sign. */
bool fault_number(const char *word, uint64_t max, uint64_t *value);
const char *fault_name_of(const struct fault_names *names, uint32_t number); /* or NULL */
/* The next word, a name of the list or a number; "any" if @any. 0 or -EINVAL. */
int fault_find(struct fault_parser *t, const struct fault_names *names, bool any,
	       uint32_t *number);

/* ---- fault_acts.c ---- */

struct fault_act;

const struct fault_act *fault_act_find(const char *name); /* or NULL */
int fault_act_run(struct fault_parser *t, const struct fault_act *act, struct cxdev *dev);
void fault_acts_print(const struct cxdev *dev, FILE *out); /* those that last */
void fault_acts_usage(FILE *out);

#endif
