// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "tclass.h"

#define ECN_MASK	3
#define IPV4_BITS	32
#define GID_BITS	128
#define MAPPED_BITS	96	/* of ::ffff:0:0/96, which has the IPv4 addresses */
#define NUMBER_MAX	0x7fffffff

static const u8 mapped[16] = { [10] = 0xff, 0xff };

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct cxr_word trimmed(struct cxr_word word)
{
	for (; word.len && is_space(*word.at); word.len--)
		word.at++;
	while (word.len && is_space(word.at[word.len - 1]))
		word.len--;
	return word;
}

/* Removes @prefix from the start of the word. */
static bool skip(struct cxr_word *word, const char *prefix)
{
	int len = strlen(prefix);

	if (word->len < len || memcmp(word->at, prefix, len))
		return false;
	word->at += len;
	word->len -= len;
	return true;
}

static bool read_class(struct cxr_word word, int *tclass)
{
	u32 number;

	if (skip(&word, "-")) {
		*tclass = CXR_TCLASS_NONE;
		return cxr_word_number(word, NUMBER_MAX, &number) && number;
	}
	if (!cxr_word_number(word, 255, &number))
		return false;
	*tclass = number;
	return true;
}

/* Four decimal bytes without leading zeroes, which some programs take for octal numbers. */
static bool read_ipv4(struct cxr_word rest, u8 *addr)
{
	struct cxr_word part;
	u32 number;
	int i;

	for (i = 0; i < 4; i++) {
		if (i == 3)
			part = rest;
		else if (!cxr_word_cut(&rest, '.', &part))
			return false;
		if (part.len > 1 && *part.at == '0')
			return false;
		if (!cxr_word_digits(part, 10, 255, &number))
			return false;
		addr[i] = number;
	}
	return true;
}

/* Groups of 16 bits up to the end of @rest, the last of which may be an IPv4 address. */
static int read_groups(struct cxr_word rest, u8 *addr, int max)
{
	struct cxr_word part = { NULL, 0 };
	bool more = rest.len > 0;
	u32 number;
	int n = 0;

	while (more) {
		more = cxr_word_cut(&rest, ':', &part);
		if (!more)
			part = rest;
		if (!more && n + 2 <= max && read_ipv4(part, addr + 2 * n))
			return n + 2;
		if (n == max || part.len > 4 || !cxr_word_digits(part, 16, 0xffff, &number))
			return -1;
		addr[2 * n] = number >> 8;
		addr[2 * n + 1] = number;
		n++;
	}
	return n;
}

/* "::" stands for at least one group of zeroes. */
static bool read_ipv6(struct cxr_word text, u8 *addr)
{
	struct cxr_word head = text, tail = { NULL, 0 };
	u8 low[16];
	int i, n, m;

	for (i = 0; i + 1 < text.len; i++) {
		if (text.at[i] != ':' || text.at[i + 1] != ':')
			continue;
		head.len = i;
		tail.at = text.at + i + 2;
		tail.len = text.len - i - 2;
		break;
	}
	memset(addr, 0, 16);
	n = read_groups(head, addr, 8);
	if (!tail.at)
		return n == 8;
	/* Before "::" there are groups only. */
	if (head.len && memchr(head.at, '.', head.len))
		return false;
	m = read_groups(tail, low, 8);
	if (n < 0 || m < 0 || n + m > 7)
		return false;
	memcpy(addr + 16 - 2 * m, low, 2 * m);
	return true;
}

static u8 byte_mask(int bits)
{
	return bits >= 8 ? 0xff : bits <= 0 ? 0 : 0xff << (8 - bits);
}

static bool same_bits(const u8 *a, const u8 *b, int bits)
{
	int i;

	for (i = 0; i < 16; i++)
		if ((a[i] ^ b[i]) & byte_mask(bits - 8 * i))
			return false;
	return true;
}

static int read_prefix(struct cxr_word item, struct cxr_word value, bool ipv6,
		       struct cxr_tclass_prefix *prefix, struct cxr_word_fault *fault)
{
	u32 max = ipv6 ? GID_BITS : IPV4_BITS, len = max;
	struct cxr_word addr = value;
	bool ok;
	int i;

	if (cxr_word_cut(&value, '/', &addr) && !cxr_word_digits(value, 10, max, &len))
		return cxr_word_refuse(fault, item,
				       ipv6 ? "the length of a prefix is 0 to 128" :
					      "the length of a prefix is 0 to 32");
	memcpy(prefix->addr, mapped, sizeof(mapped));
	ok = ipv6 ? read_ipv6(addr, prefix->addr) : read_ipv4(addr, prefix->addr + 12);
	if (!ok)
		return cxr_word_refuse(fault, item, ipv6 ? "this is not an IPv6 address" :
							   "this is not an IPv4 address");
	prefix->given = true;
	prefix->len = ipv6 ? len : len + MAPPED_BITS;
	if (ipv6 && len >= MAPPED_BITS && same_bits(prefix->addr, mapped, MAPPED_BITS))
		return cxr_word_refuse(fault, item,
				       "the key of an IPv4 address is src_ip or dst_ip");
	for (i = 0; i < 16; i++)
		prefix->addr[i] &= byte_mask(prefix->len - 8 * i);
	return 0;
}

#define WHAT "an item is tclass=N, N, or src_ip, dst_ip, src_ip6 or dst_ip6 with an address"

/* @seen: bit 0: a class, bits 1 and 2: IPv4 and IPv6 addresses. */
static int read_item(struct cxr_word item, struct cxr_tclass_rule *rule, unsigned int *seen,
		     struct cxr_word_fault *fault)
{
	static const struct {
		const char *name;
		bool ipv6, dst;
	} keys[] = {
		{ "src_ip=", false, false }, { "dst_ip=", false, true },
		{ "src_ip6=", true, false }, { "dst_ip6=", true, true },
		{ NULL, false, false }
	};
	struct cxr_word value = item;
	unsigned int i;

	for (i = 0; keys[i].name; i++) {
		if (!skip(&value, keys[i].name))
			continue;
		*seen |= keys[i].ipv6 ? 4 : 2;
		if ((*seen & 6) == 6)
			return cxr_word_refuse(fault, item,
					       "a rule has addresses of one kind, IPv4 or IPv6");
		rule->ipv6 = keys[i].ipv6;
		return read_prefix(item, value, keys[i].ipv6,
				   keys[i].dst ? &rule->dst : &rule->src, fault);
	}

	*seen |= 1;
	if (skip(&value, "tclass=") || skip(&value, "Global tclass=") ||
	    cxr_word_digit(*item.at) < 10 || *item.at == '-')
		return read_class(value, &rule->tclass) ? 0 :
		       cxr_word_refuse(fault, item,
				       "a traffic class is 0 to 255, or negative to remove it");
	return cxr_word_refuse(fault, item, WHAT);
}

int cxr_tclass_parse(const char *text, struct cxr_tclass_rule *rule,
		     struct cxr_word_fault *fault)
{
	struct cxr_word rest = cxr_word_of(text), item, given;
	unsigned int seen = 0;
	bool more = true;
	int err;

	if (rest.len > CXR_TCLASS_TEXT_MAX) {
		rest.len = CXR_WORD_SHOWN_MAX;
		return cxr_word_refuse(fault, rest, "a rule is longer than 255 characters");
	}
	given = rest;
	memset(rule, 0, sizeof(*rule));
	while (more) {
		more = cxr_word_cut(&rest, ',', &item);
		if (!more)
			item = rest;
		if (!item.len)
			continue;
		item = trimmed(item);
		if (!item.len)
			return cxr_word_refuse(fault, item, "an item is blank");
		err = read_item(item, rule, &seen, fault);
		if (err)
			return err;
	}
	if (!(seen & 1))
		return cxr_word_refuse(fault, given, "there is no traffic class");
	return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int order_of_kind(const struct cxr_tclass_rule *rule)
{
	if (rule->dst.given)
		return rule->src.given ? 0 : 1;
	return 2;
}

typedef int (*rule_order)(const struct cxr_tclass_rule *a, const struct cxr_tclass_rule *b);

/* < 0: rules with such keys and lengths as @a has are tried before those with @b's. */
static int compare_shapes(const struct cxr_tclass_rule *a, const struct cxr_tclass_rule *b)
{
	int diff = order_of_kind(a) - order_of_kind(b);

	/* A prefix that is not given has length 0. */
	diff = diff ? diff : b->dst.len - a->dst.len;
	diff = diff ? diff : b->src.len - a->src.len;
	return diff ? diff : a->ipv6 - b->ipv6;
}

/* < 0: @a is tried before @b; 0: they are the same rule. */
static int compare(const struct cxr_tclass_rule *a, const struct cxr_tclass_rule *b)
{
	int diff = compare_shapes(a, b);

	diff = diff ? diff : memcmp(a->dst.addr, b->dst.addr, sizeof(a->dst.addr));
	return diff ? diff : memcmp(a->src.addr, b->src.addr, sizeof(a->src.addr));
}

/* The first rule that is not tried before @rule, or, if @past, the first that is tried after it. */
static u32 place_of(const struct cxr_tclass_table *table, const struct cxr_tclass_rule *rule,
		    rule_order order, bool past)
{
	u32 low = 0, high = table->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (order(&table->rule[mid], rule) < past)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int cxr_tclass_change(struct cxr_tclass_table *table, const struct cxr_tclass_rule *rule)
{
	struct cxr_tclass_rule *at;
	bool there;
	u32 i;

	if (!rule->src.given && !rule->dst.given) {
		table->global = rule->tclass;
		return 0;
	}

	i = place_of(table, rule, compare, false);
	there = i < table->n && !compare(&table->rule[i], rule);
	if (rule->tclass == CXR_TCLASS_NONE && !there)
		return 0;
	at = &table->rule[i];
	if (rule->tclass == CXR_TCLASS_NONE) {
		table->n--;
		memmove(at, at + 1, (table->n - i) * sizeof(*at));
		return 0;
	}
	if (!there) {
		if (table->n == table->room)
			return -ENOSPC;
		memmove(at + 1, at, (table->n - i) * sizeof(*at));
		table->n++;
	}
	*at = *rule;
	return 0;
}

static void set_prefix(struct cxr_tclass_prefix *prefix, const u8 *gid)
{
	unsigned int i;

	for (i = 0; i < sizeof(prefix->addr); i++)
		prefix->addr[i] = gid[i] & byte_mask(prefix->len - 8 * (int)i);
}

/* The first rule that matches; NULL: none. Of each shape there is at most one. */
static const struct cxr_tclass_rule *find_rule(const struct cxr_tclass_table *table,
					       const struct cxr_tclass_path *path)
{
	bool ipv6 = !same_bits(path->sgid, mapped, MAPPED_BITS);
	struct cxr_tclass_rule key;
	u32 i = 0, at;

	while (i < table->n) {
		key = table->rule[i];
		i = place_of(table, &key, compare_shapes, true);
		if (key.ipv6 != ipv6)
			continue;
		set_prefix(&key.dst, path->dgid);
		set_prefix(&key.src, path->sgid);
		at = place_of(table, &key, compare, false);
		if (at < table->n && !compare(&table->rule[at], &key))
			return &table->rule[at];
	}
	return NULL;
}

u8 cxr_tclass_of(const struct cxr_tclass_table *table, bool application_wins,
		 const struct cxr_tclass_path *path)
{
	const struct cxr_tclass_rule *rule;
	int tclass = table->global;

	if (path->type == CXR_GID_V1 || (application_wins && path->tclass & ~ECN_MASK))
		return path->tclass;
	if (tclass == CXR_TCLASS_NONE) {
		rule = find_rule(table, path);
		if (!rule)
			return path->tclass;
		tclass = rule->tclass;
	}
	return (tclass & ~ECN_MASK) | (path->tclass & ECN_MASK);
}

/* ---- printing -------------------------------------------------------------------------------- */

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* Up to 255. */
static char *put_number(char *to, unsigned int n)
{
	if (n >= 100)
		*to++ = '0' + n / 100;
	if (n >= 10)
		*to++ = '0' + n / 10 % 10;
	*to++ = '0' + n % 10;
	return to;
}

/* IPv6 addresses in full: other programs compare them as text. */
static char *put_addr(char *to, bool ipv6, const u8 *addr)
{
	int i;

	if (!ipv6) {
		for (i = 12; i < 16; i++) {
			to = put_number(to, addr[i]);
			if (i < 15)
				*to++ = '.';
		}
		return to;
	}
	for (i = 0; i < 16; i++) {
		*to++ = "0123456789abcdef"[addr[i] >> 4];
		*to++ = "0123456789abcdef"[addr[i] & 15];
		if (i % 2 && i < 15)
			*to++ = ':';
	}
	return to;
}

/* A whole address has no length, except after dst_ip. */
static char *put_prefix(char *to, const char *key, bool ipv6, bool always,
			const struct cxr_tclass_prefix *prefix)
{
	if (!prefix->given)
		return to;
	to = put_text(to, key);
	to = put_text(to, ipv6 ? "6=" : "=");
	to = put_addr(to, ipv6, prefix->addr);
	if (always || prefix->len != GID_BITS) {
		*to++ = '/';
		to = put_number(to, ipv6 ? prefix->len : prefix->len - MAPPED_BITS);
	}
	*to++ = ',';
	return to;
}

int cxr_tclass_print(const struct cxr_tclass_table *table, u32 i, char *line)
{
	bool global = table->global != CXR_TCLASS_NONE;
	const struct cxr_tclass_rule *rule;
	char *to = line;

	if (global && !i) {
		to = put_text(to, "Global tclass=");
		to = put_number(to, table->global);
	} else {
		i -= global;
		if (i >= table->n)
			return 0;
		rule = &table->rule[i];
		to = put_prefix(to, "src_ip", rule->ipv6, false, &rule->src);
		to = put_prefix(to, "dst_ip", rule->ipv6, !rule->ipv6, &rule->dst);
		to = put_text(to, "tclass=");
		to = put_number(to, rule->tclass);
	}
	*to++ = '\n';
	*to = '\0';
	return to - line;
}
