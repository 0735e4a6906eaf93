// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The settings of a wire with a rate, as text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/physics.h"

#define RATE_MAX_MBPS 400000
#define DELAY_MAX_PS (1000 * 1000 * PS_PER_US)	/* a second */
#define BUFFER_MAX 1000000000ull
/* What a sender may still send when it has been told to stop, beside what is on its way. */
#define RESPONSE_BYTES (2 * (FRAME_MAX + 24) + 2 * 84)

struct physics physics;

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit sizes[] = { { "", 1 }, { "k", 1000 }, { "m", 1000000 }, {} };
static const struct unit rates[] = { { "m", 1 }, { "g", 1000 }, {} };
static const struct unit times[] = { { "ns", PS_PER_NS }, { "us", PS_PER_US },
				     { "ms", 1000 * PS_PER_US }, {} };
static const struct unit shares[] = { { "%", 1 }, {} };

/* "12m": a number and its unit, at most @max of the smallest. */
static bool number(const char *text, const struct unit *units, uint64_t max, uint64_t *value)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 12)
		return false;
	for (; units->name; units++) {
		if (strcmp(text + digits, units->name))
			continue;
		*value = strtoull(text, NULL, 10) * units->factor;
		return *value <= max;
	}
	return false;
}

static bool small_number(const char *text, const struct unit *units, uint32_t max, uint32_t *value)
{
	uint64_t n;

	if (!number(text, units, max, &n))
		return false;
	*value = n;
	return true;
}

/* "3+4" */
static bool priorities(const char *text, uint8_t *set)
{
	*set = 0;
	for (;; text += 2) {
		if (*text < '0' || *text >= '0' + PRIORITIES)
			return false;
		*set |= 1u << (*text - '0');
		if (!text[1])
			return true;
		if (text[1] != '+')
			return false;
	}
}

/* "1/8" */
static bool alpha(const char *text, struct physics *p)
{
	uint32_t n;

	if (strncmp(text, "1/", 2) || !small_number(text + 2, sizes, 1024, &n) || !n ||
	    (n & (n - 1)))
		return false;
	p->alpha_shift = __builtin_ctz(n);
	return true;
}

static bool trust(const char *text, struct physics *p)
{
	p->trust_dscp = !strcmp(text, "dscp");
	return p->trust_dscp || !strcmp(text, "pcp");
}

static bool weight(const char *key, const char *text, struct physics *p)
{
	uint32_t n;

	if (strncmp(key, "weight", 6) || key[6] < '0' || key[6] >= '0' + PRIORITIES || key[7] ||
	    !small_number(text, sizes, 100, &n) || !n)
		return false;
	p->weight[key[6] - '0'] = n;
	return true;
}

static bool take_buffer(const char *key, const char *text, struct physics *p)
{
	if (!strcmp(key, "buffer"))
		return small_number(text, sizes, BUFFER_MAX, &p->buffer) && p->buffer;
	if (!strcmp(key, "headroom"))
		return small_number(text, sizes, BUFFER_MAX, &p->headroom);
	if (!strcmp(key, "xoff"))
		return small_number(text, sizes, BUFFER_MAX, &p->xoff);
	if (!strcmp(key, "alpha"))
		return alpha(text, p);
	if (!strcmp(key, "pfc"))
		return priorities(text, &p->lossless);
	if (!strcmp(key, "pause"))
		p->pause = !strcmp(text, "on");
	return !strcmp(key, "pause") && p->pause;
}

static bool take_marks(const char *key, const char *text, struct physics *p)
{
	uint32_t percent;

	if (!strcmp(key, "ecn"))
		return priorities(text, &p->ecn);
	if (!strcmp(key, "kmin"))
		return small_number(text, sizes, BUFFER_MAX, &p->kmin);
	if (!strcmp(key, "kmax"))
		return small_number(text, sizes, BUFFER_MAX, &p->kmax);
	if (!strcmp(key, "seed"))
		return small_number(text, sizes, UINT32_MAX, &p->seed) && p->seed;
	if (strcmp(key, "pmax") || !small_number(text, shares, 100, &percent))
		return false;
	p->pmax_ppm = percent * 10000;
	return true;
}

static bool take(const char *key, const char *text, struct physics *p)
{
	if (!strcmp(key, "rate"))
		return number(text, rates, RATE_MAX_MBPS, &p->rate_mbps) && p->rate_mbps;
	if (!strcmp(key, "delay"))
		return number(text, times, DELAY_MAX_PS, &p->delay_ps);
	if (!strcmp(key, "trust"))
		return trust(text, p);
	if (!strcmp(key, "strict"))
		return priorities(text, &p->strict);
	if (!strcmp(key, "watchdog"))
		return number(text, times, 10 * DELAY_MAX_PS, &p->watchdog_ps);
	return take_buffer(key, text, p) || take_marks(key, text, p) || weight(key, text, p);
}

static const char *check(const struct physics *p)
{
	if (!p->rate_mbps)
		return "a rate is needed";
	if (p->pause && p->lossless)
		return "pause and pfc exclude each other";
	if (p->kmax <= p->kmin)
		return "kmax must be above kmin";
	if ((uint64_t)p->headroom * __builtin_popcount(p->lossless) >= p->buffer)
		return "the buffer is smaller than the headroom of a port";
	return NULL;
}

static uint32_t own_headroom(const struct physics *p)
{
	return RESPONSE_BYTES + 2 * p->delay_ps / PS_PER_NS * p->rate_mbps / 8000;
}

int physics_set(const char *text, const char **why)
{
	struct physics p = { .buffer = 12000000, .alpha_shift = 3, .kmin = 5000, .kmax = 200000,
			     .pmax_ppm = 10000, .headroom = UINT32_MAX, .trust_dscp = true };
	char copy[256], *at = copy, *item;
	unsigned int i;

	*why = "it is too long";
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	for (i = 0; i < PRIORITIES; i++)
		p.weight[i] = 1;
	while ((item = strsep(&at, ","))) {
		char *value = strchr(item, '=');

		*why = "each item is KEY=VALUE; see device-model.rst";
		if (!value)
			return -EINVAL;
		*value++ = 0;
		if (!take(item, value, &p))
			return -EINVAL;
	}
	if (p.headroom == UINT32_MAX)
		p.headroom = p.lossless || p.pause ? own_headroom(&p) : 0;
	*why = check(&p);
	if (*why)
		return -EINVAL;
	physics = p;
	switch_schedule_init();
	return 0;
}

bool wire_has_rate(void)
{
	return physics.rate_mbps;
}

uint64_t wire_rate_mbps(void)
{
	return physics.rate_mbps;
}
