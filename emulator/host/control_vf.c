// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * "vf ...": what the administrator of a PF sets for its VFs. On a real card this takes the driver
 * of the PF, its ip-link and devlink; here it takes no guest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "host/control.h"
#include "port/port.h"

#define VLAN_MAX 4094
#define PRIORITY_MAX 7
#define RATE_MAX 400000

/* The VF that a line is about, and its output. */
struct vf_call {
	struct cxdev *dev;
	struct vf *vf;
	const char *name; /* of the VF, as given */
	FILE *out;
};

#define vf_error(call, fmt, ...)                                                          \
	(fprintf((call)->out, "error: vf %s: " fmt "\n", (call)->name, ##__VA_ARGS__), \
	 -EINVAL)

/* ---- words ---- */

/* A decimal number up to @max; false: it is none. */
static bool number(const char *word, uint32_t max, uint32_t *value)
{
	char *end;
	unsigned long v = strtoul(word, &end, 10);

	*value = v;
	return *word >= '0' && *word <= '9' && !*end && v <= max;
}

/* The index of the word, or -EINVAL and an error. */
static int choice(const struct vf_call *call, const char *setting, const char *word,
		  const char *const *words, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return i;
	fprintf(call->out, "error: vf %s: %s: '%s' is not", call->name, setting, word);
	for (i = 0; i < n; i++)
		fprintf(call->out, "%s %s", i ? " or" : "", words[i]);
	fprintf(call->out, "\n");
	return -EINVAL;
}

/* Sets *flag to what the word says, on or off. 0, or -EINVAL and an error. */
static int set_flag(const struct vf_call *call, const char *setting, const char *word, bool *flag)
{
	static const char *const words[] = { "off", "on" };
	int on = choice(call, setting, word, words, ARRAY_SIZE(words));

	if (on < 0)
		return on;
	*flag = on;
	return 0;
}

/* ---- settings ---- */

static int set_mac(struct vf_call *call, const char *word, const char *more)
{
	static const uint8_t none[6];
	uint8_t mac[6];

	(void)more;
	if (strlen(word) != 17 || strspn(word, "0123456789abcdefABCDEF:") != 17 ||
	    sscanf(word, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", &mac[0], &mac[1], &mac[2], &mac[3],
		   &mac[4], &mac[5]) != 6)
		return vf_error(call, "mac: '%s' is not like 02:00:00:00:00:01", word);
	if (!mac_is_unicast(mac) && memcmp(mac, none, 6))
		return vf_error(call, "mac: %s is a group address", word);
	memcpy(call->vf->mac, mac, 6);
	memcpy(call->dev->eth->mac, mac, 6);
	return 0;
}

static int set_vlan(struct vf_call *call, const char *word, const char *more)
{
	uint32_t vlan, priority = 0;

	if (!number(word, VLAN_MAX, &vlan))
		return vf_error(call, "vlan: '%s' is not a number up to %u", word, VLAN_MAX);
	if (more && !number(more, PRIORITY_MAX, &priority))
		return vf_error(call, "vlan: priority '%s' is not a number up to %u", more,
				PRIORITY_MAX);
	if (more && !vlan)
		return vf_error(call, "vlan: priority '%s' without a VLAN", more);
	call->vf->vlan = vlan;
	call->vf->priority = priority;
	return 0;
}

static int set_trust(struct vf_call *call, const char *word, const char *more)
{
	(void)more;
	return set_flag(call, "trust", word, &call->vf->trusted);
}

static int set_spoofchk(struct vf_call *call, const char *word, const char *more)
{
	(void)more;
	return set_flag(call, "spoofchk", word, &call->vf->spoofchk);
}

static int set_link(struct vf_call *call, const char *word, const char *more)
{
	int follow = choice(call, "link", word, eswitch_links, ESWITCH_LINKS);

	(void)more;
	if (follow < 0)
		return follow;
	port_set_follow(call->dev->port, follow);
	return 0;
}

static int set_roce(struct vf_call *call, const char *word, const char *more)
{
	bool on;

	(void)more;
	if (set_flag(call, "roce", word, &on))
		return -EINVAL;
	vf_permit_roce(call->dev, on);
	return 0;
}

static int set_rate(struct vf_call *call, const char *word, const char *more)
{
	uint32_t rate;

	(void)more;
	if (!number(word, RATE_MAX, &rate))
		return vf_error(call, "rate: '%s' is not a number of Mb/s up to %u", word,
				RATE_MAX);
	call->vf->rate = rate;
	port_set_rate(call->dev->port, rate);
	return 0;
}

static int request_pages(struct vf_call *call, const char *word, const char *more)
{
	bool take = *word == '-';
	uint32_t n;

	(void)more;
	if (!number(word + take, INT32_MAX, &n) || !n)
		return vf_error(call, "pages: '%s' is not a number of pages, like 64 or -64", word);
	if (health_request_pages(call->dev, take ? -(int32_t)n : (int32_t)n))
		return vf_error(call, "pages: the driver has no event queue for page requests");
	return 0;
}

static const struct setting {
	const char *name;
	int (*set)(struct vf_call *call, const char *word, const char *more);
	const char *usage;
	bool two; /* takes a second word */
	bool of_manager; /* of the e-switch, if it has one */
} settings[] = {
	{ "mac", set_mac, "mac ADDRESS", .of_manager = true },
	{ "vlan", set_vlan, "vlan ID [PRIORITY]", .two = true, .of_manager = true },
	{ "trust", set_trust, "trust on|off", .of_manager = true },
	{ "spoofchk", set_spoofchk, "spoofchk on|off", .of_manager = true },
	{ "link", set_link, "link auto|enable|disable", .of_manager = true },
	{ "roce", set_roce, "roce on|off" },
	{ "rate", set_rate, "rate MBPS" },
	{ "pages", request_pages, "pages N|-N" },
};

/* ---- lines ---- */

void vf_usage(FILE *out)
{
	unsigned int i;

	fprintf(out, "vf, vf VF");
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		fprintf(out, ", vf VF %s", settings[i].usage);
	fprintf(out, "\n");
}

static void print_vf(const struct cxdev *dev, unsigned int nr, FILE *out)
{
	fprintf(out, "vf %u, function %s:\n", nr, dev->name);
	eswitch_status(dev, out);
}

/* By number, counted in the order of the functions, or by the function's name. */
static struct cxdev *find_vf(const char *word, struct cxdev *const *devs, unsigned int n_devs)
{
	unsigned int i, nr = 0;
	uint32_t wanted;
	bool by_number = number(word, UINT32_MAX, &wanted);

	for (i = 0; i < n_devs; i++) {
		if (!eswitch_vf(devs[i]))
			continue;
		if (by_number ? nr == wanted : !strcmp(devs[i]->name, word))
			return devs[i];
		nr++;
	}
	return NULL;
}

static void print_vfs(const struct cxdev *only, struct cxdev *const *devs, unsigned int n_devs,
		      FILE *out)
{
	unsigned int i, nr = 0;

	for (i = 0; i < n_devs; i++) {
		if (!eswitch_vf(devs[i]))
			continue;
		if (!only || devs[i] == only)
			print_vf(devs[i], nr, out);
		nr++;
	}
	fprintf(out, "ok\n");
}

static int set(struct vf_call *call, const char *name)
{
	const char *word = strtok(NULL, " \t\r"), *more = strtok(NULL, " \t\r"), *extra;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].name, name))
			break;
	if (i == ARRAY_SIZE(settings))
		return vf_error(call, "'%s' is not a setting", name);
	if (settings[i].of_manager && eswitch_managed_by(call->dev))
		return vf_error(call, "%s: the driver of the PF sets it, managing the e-switch",
				name);
	if (!word)
		return vf_error(call, "missing value: %s", settings[i].usage);
	extra = settings[i].two ? more ? strtok(NULL, " \t\r") : NULL : more;
	if (extra)
		return vf_error(call, "unexpected word '%s': %s", extra, settings[i].usage);
	err = settings[i].set(call, word, more);
	if (err)
		return err;
	notice(call->dev, "the administrator sets %s %s%s%s", name, word, more ? " " : "",
	       more ? more : "");
	fprintf(call->out, "ok\n");
	return 0;
}

int vf_line(char *line, struct cxdev *const *devs, unsigned int n_devs, FILE *out)
{
	const char *name = strtok(line, " \t\r"), *setting = name ? strtok(NULL, " \t\r") : NULL;
	struct vf_call call = { .name = name, .out = out };

	if (!name) {
		print_vfs(NULL, devs, n_devs, out);
		return 0;
	}
	call.dev = find_vf(name, devs, n_devs);
	if (!call.dev) {
		fprintf(out, "error: vf: '%s' is not a VF\n", name);
		return -EINVAL;
	}
	call.vf = eswitch_vf(call.dev);
	if (!setting) {
		print_vfs(call.dev, devs, n_devs, out);
		return 0;
	}
	return set(&call, setting);
}
