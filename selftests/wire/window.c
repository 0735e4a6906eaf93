// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

#define ANY (-2)
#define COMPLAINTS 10

#define SPORT_BITS 14	    /* variable bits of a port in 49152..65535 */
#define BINS 16
#define CHI_SQUARE_MAX 50.5 /* 15 degrees of freedom: p = 0.00001 */

const char * const kind_name[KINDS] = { "other", "v1", "v2/IPv4", "v2/IPv6" };
static const char * const trait_name[TRAITS] = {
	"vlan", "pcp", "dscp", "tclass", "hops", "flow", "sport", "icrc"
};

static void __attribute__((format(printf, 2, 3))) complain(struct windows *w, const char *fmt, ...)
{
	va_list args;

	if (w->bad++ >= COMPLAINTS)
		return;
	fprintf(stderr, "roce_check: %s%s%s: ", w->script, w->script[0] ? ": " : "", w->label);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Returns OTHER for an unknown name. */
static enum kind kind_of(const char *name)
{
	for (int k = V1; k < KINDS; k++)
		if (!strcmp(name, kind_name[k]))
			return k;
	return OTHER;
}

/* Returns where to store the value of keyword @word, or NULL if it is no trait. */
static int *trait_of(struct windows *w, const char *word, size_t len)
{
	for (int t = 0; t < TRAITS; t++)
		if (!strncmp(word, trait_name[t], len) && !trait_name[t][len])
			return &w->want[t];
	return NULL;
}

/* Returns false if @text is not a MAC address. */
static bool take_mac(const char *text, uint64_t *mac)
{
	unsigned int b[6];
	int end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &end) != 6 || text[end])
		return false;
	*mac = 0;
	for (int i = 0; i < 6; i++)
		*mac = *mac << 8 | b[i];
	return true;
}

/* Returns false for an unknown keyword or an invalid value. */
static bool take_word(struct windows *w, const char *word)
{
	const char *value = strchr(word, '=');
	unsigned long n;
	char *end;
	int *want;

	if (!value++)
		return false;
	if (!strncmp(word, "type=", 5)) {
		n = kind_of(value);
		if (n)
			w->type = n;
		return n;
	}
	if (!strncmp(word, "script=", 7)) {
		snprintf(w->script, sizeof(w->script), "%s", value);
		return true;
	}
	if (!strncmp(word, "to=", 3))
		return take_mac(value, &w->to);
	if (!strncmp(word, "smac=", 5))
		return take_mac(value, &w->smac);
	want = trait_of(w, word, value - word - 1);
	if (want && !strcmp(value, "none")) {
		*want = ABSENT;
		return true;
	}
	n = strtoul(value, &end, 0);
	if (end == value || *end)
		return false;
	if (want)
		*want = n;
	else if (!strncmp(word, "min=", 4))
		w->min = n;
	else if (!strncmp(word, "except=", 7))
		w->except = n;
	else if (!strncmp(word, "spread=", 7) && n && n <= MAX_FLOWS)
		w->spread = n;
	else
		return false;
	return true;
}

static void begin(struct windows *w, char *words)
{
	char *label = strstr(words, " : ");

	if (w->open)
		complain(w, "the next window begins before this one ends");
	w->open = true;
	w->script[0] = 0;
	w->frames = 0;
	w->min = 1;
	w->type = ANY;
	w->except = ANY;
	w->to = 0;
	w->smac = 0;
	w->spread = 0;
	w->n_flows = 0;
	for (int t = 0; t < TRAITS; t++)
		w->want[t] = ANY;
	snprintf(w->label, sizeof(w->label), "%s", label ? label + 3 : "window without a label");
	if (label)
		*label = 0;
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		if (!take_word(w, word))
			complain(w, "unknown keyword or value '%s'", word);
}

/* Records the source port of a destination QP, which must not change. */
static void add_flow(struct windows *w, const struct traits *t, unsigned long number)
{
	for (unsigned int i = 0; i < w->n_flows; i++) {
		if (w->flow[i].qpn != t->qpn)
			continue;
		if (w->flow[i].sport != t->value[SPORT])
			complain(w, "frame %lu: QP %#x has source ports %u and %d", number,
				 t->qpn, w->flow[i].sport, t->value[SPORT]);
		return;
	}
	if (w->n_flows == MAX_FLOWS) {
		complain(w, "frame %lu: more than %d destination QPs", number, MAX_FLOWS);
		return;
	}
	w->flow[w->n_flows].qpn = t->qpn;
	w->flow[w->n_flows++].sport = t->value[SPORT];
}

static double chi_square(const uint16_t *value, unsigned int n, unsigned int shift)
{
	unsigned int count[BINS] = { 0 };
	double want = (double)n / BINS, sum = 0;

	for (unsigned int i = 0; i < n; i++)
		count[value[i] >> shift & (BINS - 1)]++;
	for (int b = 0; b < BINS; b++)
		sum += (count[b] - want) * (count[b] - want) / want;
	return sum;
}

static void judge_spread(struct windows *w)
{
	uint16_t value[MAX_FLOWS];
	double chi, lower;

	for (unsigned int i = 0; i < w->n_flows; i++) {
		value[i] = w->flow[i].sport;
		if (w->flow[i].sport < 49152)
			complain(w, "source port %u is below 49152", w->flow[i].sport);
	}
	if (w->n_flows != w->spread) {
		complain(w, "%u destination QPs, expected %u", w->n_flows, w->spread);
		return;
	}
	chi = chi_square(value, w->n_flows, SPORT_BITS - 4);
	lower = chi_square(value, w->n_flows, 0);
	if (lower > chi)
		chi = lower;
	printf("# source ports of %u QPs: chi-square %.1f, limit %.1f\n",
	       w->n_flows, chi, CHI_SQUARE_MAX);
	if (chi > CHI_SQUARE_MAX)
		complain(w, "source ports are not evenly spread: chi-square %.1f", chi);
}

static void end(struct windows *w)
{
	if (w->spread)
		judge_spread(w);
	if (w->frames < w->min)
		complain(w, "%lu RoCE frames, expected at least %lu", w->frames, w->min);
	w->open = false;
	w->closed++;
	for (unsigned int i = 0; i < w->n_demands; i++)
		w->demand[i].got += !strcmp(w->demand[i].script, w->script);
}

bool windows_demand(struct windows *w, const char *text)
{
	const char *equals = strchr(text, '=');
	unsigned int n = w->n_demands;
	char *after;

	if (!equals || equals == text || equals - text >= (long)sizeof(w->demand[n].script) ||
	    n == MAX_DEMANDS)
		return false;
	w->demand[n].want = strtoul(equals + 1, &after, 10);
	if (after == equals + 1 || *after)
		return false;
	memcpy(w->demand[n].script, text, equals - text);
	w->n_demands++;
	return true;
}

void windows_mark(struct windows *w, const uint8_t *text, size_t len)
{
	char line[512];

	if (len >= sizeof(line))
		len = sizeof(line) - 1;
	memcpy(line, text, len);
	line[len] = 0;
	/* Frames are padded with blanks to 60 bytes. */
	while (len && line[len - 1] == ' ')
		line[--len] = 0;
	if (!strncmp(line, "begin ", 6))
		begin(w, line + 6);
	else if (!strcmp(line, "end") && w->open)
		end(w);
	else
		complain(w, "'%s' neither begins nor ends a window", line);
}

void windows_frame(struct windows *w, const struct traits *t, unsigned long number)
{
	if (!w->open || t->qpn == w->except || (w->to && t->dmac != w->to))
		return;
	w->frames++;
	if (w->type != ANY && (int)t->kind != w->type)
		complain(w, "frame %lu is RoCE %s, expected %s", number, kind_name[t->kind],
			 kind_name[w->type]);
	if (w->spread)
		add_flow(w, t, number);
	if (w->smac && t->smac != w->smac)
		complain(w, "frame %lu is from %012llx, expected %012llx", number,
			 (unsigned long long)t->smac, (unsigned long long)w->smac);
	for (int i = 0; i < TRAITS; i++)
		if (w->want[i] != ANY && t->value[i] != w->want[i])
			complain(w, "frame %lu has %s %d, expected %d (%d: none)", number,
				 trait_name[i], t->value[i], w->want[i], ABSENT);
}

bool windows_wants_bad_icrc(const struct windows *w)
{
	return w->open && w->want[ICRC] == 0;
}

void windows_finish(struct windows *w)
{
	if (w->open)
		complain(w, "the capture ends inside a window");
	for (unsigned int i = 0; i < w->n_demands; i++) {
		if (w->demand[i].got >= w->demand[i].want)
			continue;
		w->bad++;
		fprintf(stderr, "roce_check: %s: %lu windows, expected %lu\n",
			w->demand[i].script, w->demand[i].got, w->demand[i].want);
	}
}
