// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Force DSCP: the rule language, the precedence of rules, a random walk beside a plain model. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "tclass_walk.h"

#define ROOM 64

static const struct {
	const char *sentence;
	const char *text;
	const char *line;	/* as it is printed */
} accepted_cases[] = {
	{ "a number is the class of all paths", "96", "Global tclass=96\n" },
	{ "tclass= before it is optional", "tclass=96", "Global tclass=96\n" },
	{ "the printed form is accepted", "Global tclass=96\n", "Global tclass=96\n" },
	{ "a class may be hexadecimal", "0x60", "Global tclass=96\n" },
	{ "a class may be octal", "tclass=0140", "Global tclass=96\n" },
	{ "class 0 is a class", "0", "Global tclass=0\n" },
	{ "class 255 is the largest", "255", "Global tclass=255\n" },
	{ "a rule for a source and a destination network",
	  "tclass=16,src_ip=1.1.1.2,dst_ip=1.1.1.0/24",
	  "src_ip=1.1.1.2,dst_ip=1.1.1.0/24,tclass=16\n" },
	{ "a destination address is printed with its length", "dst_ip=10.0.0.9,4",
	  "dst_ip=10.0.0.9/32,tclass=4\n" },
	{ "a source may be a network as well", "src_ip=10.1.0.0/16,4",
	  "src_ip=10.1.0.0/16,tclass=4\n" },
	{ "bits after a prefix are cleared", "dst_ip=10.1.255.255/20,4",
	  "dst_ip=10.1.240.0/20,tclass=4\n" },
	{ "/0 is every IPv4 address", "dst_ip=1.2.3.4/0,4", "dst_ip=0.0.0.0/0,tclass=4\n" },
	{ "IPv6 addresses are printed in full", "dst_ip6=FE80::2,8",
	  "dst_ip6=fe80:0000:0000:0000:0000:0000:0000:0002,tclass=8\n" },
	{ "an IPv6 prefix is printed with its length", "dst_ip6=2001:db8:ffff::/33,8",
	  "dst_ip6=2001:0db8:8000:0000:0000:0000:0000:0000/33,tclass=8\n" },
	{ "an IPv6 address may end like an IPv4 address", "src_ip6=64:ff9b::192.0.2.1,8",
	  "src_ip6=0064:ff9b:0000:0000:0000:0000:c000:0201,tclass=8\n" },
	{ "::/0 is every IPv6 address", "dst_ip6=::/0,8",
	  "dst_ip6=0000:0000:0000:0000:0000:0000:0000:0000/0,tclass=8\n" },
	{ "blanks around an item are ignored", " tclass=4 ,\tdst_ip=1.2.3.4 ",
	  "dst_ip=1.2.3.4/32,tclass=4\n" },
	{ "empty items are ignored", ",,4,\n", "Global tclass=4\n" },
	{ "of two items of one kind the last counts", "1,dst_ip=1.1.1.1,dst_ip=2.2.2.2,tclass=2",
	  "dst_ip=2.2.2.2/32,tclass=2\n" },
};

#define CLASS "a traffic class is 0 to 255, or negative to remove it"
#define WHAT "an item is tclass=N, N, or src_ip, dst_ip, src_ip6 or dst_ip6 with an address"
#define NOT_IPV4 "this is not an IPv4 address"
#define NOT_IPV6 "this is not an IPv6 address"
#define LEN_IPV4 "the length of a prefix is 0 to 32"

static const struct {
	const char *sentence;
	const char *text;
	const char *item;
	const char *why;
} refused_cases[] = {
	{ "an empty text is refused", "", "", "there is no traffic class" },
	{ "a rule without a class is refused", "dst_ip=1.2.3.4", "dst_ip=1.2.3.4",
	  "there is no traffic class" },
	{ "class 256 is refused", "256", "256", CLASS },
	{ "a class with a letter after it is refused", "tclass=12x", "tclass=12x", CLASS },
	{ "an octal class with a digit 8 is refused", "08", "08", CLASS },
	{ "a class of no digits is refused", "tclass=", "tclass=", CLASS },
	{ "a lone minus is refused", "-", "-", CLASS },
	{ "an unknown key is refused", "4,dscp=3", "dscp=3", WHAT },
	{ "a blank item is refused", "4, ", "", "an item is blank" },
	{ "text after a source address is refused", "src_ip=1.2.3.4x,4", "src_ip=1.2.3.4x",
	  NOT_IPV4 },
	{ "an address of three parts is refused", "4, dst_ip=1.2.3", "dst_ip=1.2.3", NOT_IPV4 },
	{ "an address of five parts is refused", "dst_ip=1.2.3.4.5,4", "dst_ip=1.2.3.4.5",
	  NOT_IPV4 },
	{ "a leading zero in an address is refused", "dst_ip=010.2.3.4,4", "dst_ip=010.2.3.4",
	  NOT_IPV4 },
	{ "a byte over 255 is refused", "dst_ip=1.2.3.256,4", "dst_ip=1.2.3.256", NOT_IPV4 },
	{ "a prefix longer than 32 is refused", "dst_ip=1.2.3.4/33,4", "dst_ip=1.2.3.4/33",
	  LEN_IPV4 },
	{ "a prefix without a length is refused", "dst_ip=1.2.3.4/,4", "dst_ip=1.2.3.4/",
	  LEN_IPV4 },
	{ "text after the length of a prefix is refused", "dst_ip=1.2.3.4/24x,4",
	  "dst_ip=1.2.3.4/24x", LEN_IPV4 },
	{ "an IPv6 prefix longer than 128 is refused", "dst_ip6=::/129,4", "dst_ip6=::/129",
	  "the length of a prefix is 0 to 128" },
	{ "an IPv6 address for an IPv4 key is refused", "dst_ip=::1,4", "dst_ip=::1", NOT_IPV4 },
	{ "an IPv4 address for an IPv6 key is refused", "dst_ip6=1.2.3.4,4", "dst_ip6=1.2.3.4",
	  NOT_IPV6 },
	{ "two :: in an address are refused", "src_ip6=1::2::3,4", "src_ip6=1::2::3", NOT_IPV6 },
	{ "an IPv6 address of nine groups is refused", "src_ip6=1:2:3:4:5:6:7:8:9,4",
	  "src_ip6=1:2:3:4:5:6:7:8:9", NOT_IPV6 },
	{ "a group of five digits is refused", "src_ip6=12345::,4", "src_ip6=12345::", NOT_IPV6 },
	{ "an IPv6 address with a zone is refused", "src_ip6=fe80::1%eth0,4",
	  "src_ip6=fe80::1%eth0", NOT_IPV6 },
	{ "an IPv4 address in IPv6 form is refused", "src_ip6=::ffff:1.2.3.4,4",
	  "src_ip6=::ffff:1.2.3.4", "the key of an IPv4 address is src_ip or dst_ip" },
	{ "IPv4 and IPv6 addresses in one rule are refused", "src_ip=1.2.3.4,dst_ip6=::1,4",
	  "dst_ip6=::1", "a rule has addresses of one kind, IPv4 or IPv6" },
	{ "two rules in one text are refused", "4\n8", "4\n8", CLASS },
};

static void expect_fault(const struct cxr_word_fault *fault, const char *item, const char *why)
{
	expect(fault->len, strlen(item));
	expect_bytes(fault->word, item, strlen(item));
	expect_text(fault->why, why);
}

static struct cxr_tclass_rule rules[ROOM];
static struct cxr_tclass_table table;

static void clear(void)
{
	table = (struct cxr_tclass_table){
		.global = CXR_TCLASS_NONE, .room = ROOM, .rule = rules,
	};
}

static int put(const char *text)
{
	struct cxr_word_fault fault;
	struct cxr_tclass_rule rule;

	return cxr_tclass_parse(text, &rule, &fault) ?: cxr_tclass_change(&table, &rule);
}

static void test_parse(void)
{
	char line[CXR_TCLASS_LINE_MAX];
	struct cxr_word_fault fault;
	struct cxr_tclass_rule rule;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(accepted_cases); i++) {
		begin("tclass", accepted_cases[i].sentence);
		clear();
		expect(put(accepted_cases[i].text), 0);
		expect(cxr_tclass_print(&table, 0, line), strlen(accepted_cases[i].line));
		expect_text(line, accepted_cases[i].line);
		expect(cxr_tclass_print(&table, 1, line), 0);
		expect(reads_back(&table, 0), true);
	}
	for (i = 0; i < ARRAY_SIZE(refused_cases); i++) {
		begin("tclass", refused_cases[i].sentence);
		expect(cxr_tclass_parse(refused_cases[i].text, &rule, &fault), -EINVAL);
		expect_fault(&fault, refused_cases[i].item, refused_cases[i].why);
	}
}

static void test_lengths(void)
{
	char text[CXR_TCLASS_TEXT_MAX + 2];
	struct cxr_word_fault fault;
	struct cxr_tclass_rule rule;

	begin("tclass", "a rule of 256 characters is refused");
	memset(text, ',', sizeof(text));
	text[0] = '4';
	text[CXR_TCLASS_TEXT_MAX + 1] = '\0';
	expect(cxr_tclass_parse(text, &rule, &fault), -EINVAL);
	expect_text(fault.why, "a rule is longer than 255 characters");

	begin("tclass", "a rule of 255 characters is accepted");
	text[CXR_TCLASS_TEXT_MAX] = '\0';
	expect(cxr_tclass_parse(text, &rule, &fault), 0);
}

static struct cxr_tclass_path path_of(const char *src, const char *dst, u8 tclass)
{
	struct cxr_tclass_path path = { .type = CXR_GID_V2, .tclass = tclass };
	const char *text[2] = { src, dst };
	u8 *gid[2] = { path.sgid, path.dgid };
	int i;

	for (i = 0; i < 2; i++) {
		if (inet_pton(AF_INET6, text[i], gid[i]) == 1)
			continue;
		memset(gid[i], 0, 10);
		memset(gid[i] + 10, 0xff, 2);
		inet_pton(AF_INET, text[i], gid[i] + 12);
	}
	return path;
}

#define OF_V1			1
#define APPLICATION_WINS	2

static const struct {
	const char *sentence;
	const char *rule[4];
	const char *src, *dst;
	u8 own, got;
	unsigned int how;
} match_cases[] = {
	{ "without rules a path keeps its class", {}, "1.1.1.1", "2.2.2.2", 42, 42, 0 },
	{ "the class of all paths replaces that of the application", { "96" },
	  "1.1.1.1", "2.2.2.2", 32, 96, 0 },
	{ "the class of all paths comes before rules", { "96", "dst_ip=2.2.2.2,4" },
	  "1.1.1.1", "2.2.2.2", 0, 96, 0 },
	{ "class 0 for all paths replaces that of the application", { "0" },
	  "1.1.1.1", "2.2.2.2", 32, 0, 0 },
	{ "a path of RoCE v1 keeps its class", { "96" }, "1.1.1.1", "2.2.2.2", 32, 32, OF_V1 },
	{ "the ECN bits are those of the application", { "255" },
	  "1.1.1.1", "2.2.2.2", 33, 253, 0 },
	{ "source and destination come before a longer destination",
	  { "src_ip=1.1.1.0/24,dst_ip=2.0.0.0/8,4", "dst_ip=2.2.2.2,8" },
	  "1.1.1.1", "2.2.2.2", 0, 4, 0 },
	{ "a destination comes before a source", { "src_ip=1.1.1.1,4", "dst_ip=2.0.0.0/8,8" },
	  "1.1.1.1", "2.2.2.2", 0, 8, 0 },
	{ "a source counts if no destination matches", { "src_ip=1.1.1.1,4", "dst_ip=3.0.0.0/8,8" },
	  "1.1.1.1", "2.2.2.2", 0, 4, 0 },
	{ "the longest destination counts", { "dst_ip=2.0.0.0/8,4", "dst_ip=2.2.2.0/23,8",
	  "dst_ip=2.2.0.0/16,12" }, "1.1.1.1", "2.2.3.2", 0, 8, 0 },
	{ "with equal destinations the longest source counts",
	  { "src_ip=1.0.0.0/8,dst_ip=2.2.2.2,4", "src_ip=1.1.0.0/16,dst_ip=2.2.2.2,8" },
	  "1.1.1.1", "2.2.2.2", 0, 8, 0 },
	{ "a prefix of 20 bits ends within a byte", { "dst_ip=10.1.240.0/20,4" },
	  "1.1.1.1", "10.1.255.1", 0, 4, 0 },
	{ "a prefix of 20 bits excludes the address before it", { "dst_ip=10.1.240.0/20,4" },
	  "1.1.1.1", "10.1.239.255", 0, 0, 0 },
	{ "a prefix of no bits matches every address", { "dst_ip=0.0.0.0/0,4" },
	  "1.1.1.1", "255.1.2.3", 0, 4, 0 },
	{ "rules for IPv4 do not match IPv6", { "dst_ip=0.0.0.0/0,4" }, "2001:db8::1",
	  "2001:db8::2", 0, 0, 0 },
	{ "rules for IPv6 do not match IPv4", { "dst_ip6=::/0,4" }, "1.1.1.1", "2.2.2.2", 0, 0, 0 },
	{ "an IPv6 prefix of 33 bits ends within a byte", { "dst_ip6=2001:db8:8000::/33,4" },
	  "2001:db8::1", "2001:db8:ffff::1", 0, 4, 0 },
	{ "an IPv6 prefix of 33 bits excludes the network before it",
	  { "dst_ip6=2001:db8:8000::/33,4" },
	  "2001:db8::1", "2001:db8:7fff::1", 0, 0, 0 },
	{ "a removed rule does not match", { "dst_ip=2.2.2.2,4", "dst_ip=2.2.2.2,-1" },
	  "1.1.1.1", "2.2.2.2", 32, 32, 0 },
	{ "a removed class of all paths uncovers the rules", { "96", "dst_ip=2.2.2.2,4", "-5" },
	  "1.1.1.1", "2.2.2.2", 0, 4, 0 },
	{ "prefixes of different lengths are different rules",
	  { "dst_ip=2.2.0.0/16,4", "dst_ip=2.2.0.0/24,8", "dst_ip=2.2.0.0/24,-1" },
	  "1.1.1.1", "2.2.0.1", 0, 4, 0 },
	{ "a rule replaces the same rule", { "dst_ip=2.2.2.2,4", "dst_ip=2.2.2.2/32,8" },
	  "1.1.1.1", "2.2.2.2", 0, 8, 0 },
	{ "an application that wins keeps its DSCP", { "96" },
	  "1.1.1.1", "2.2.2.2", 32, 32, APPLICATION_WINS },
	{ "an application that wins but has no DSCP gets that of the rules", { "96" },
	  "1.1.1.1", "2.2.2.2", 2, 98, APPLICATION_WINS },
};

static void test_match(void)
{
	struct cxr_tclass_path path;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(match_cases); i++) {
		begin("tclass", match_cases[i].sentence);
		clear();
		for (k = 0; k < 4 && match_cases[i].rule[k]; k++)
			expect(put(match_cases[i].rule[k]), 0);
		path = path_of(match_cases[i].src, match_cases[i].dst, match_cases[i].own);
		if (match_cases[i].how & OF_V1)
			path.type = CXR_GID_V1;
		expect(cxr_tclass_of(&table, match_cases[i].how & APPLICATION_WINS, &path),
		       match_cases[i].got);
	}
}

static void test_full(void)
{
	static struct cxr_tclass_rule before[ROOM];
	char text[64];
	u32 i;

	begin("tclass", "a rule too many is refused and changes nothing");
	clear();
	for (i = 0; i < ROOM; i++) {
		snprintf(text, sizeof(text), "dst_ip=10.0.0.%u,4", i);
		expect(put(text), 0);
	}
	memcpy(before, rules, sizeof(rules));
	expect(put("dst_ip=10.0.0.200,4"), -ENOSPC);
	expect(table.n, ROOM);
	expect_bytes(rules, before, sizeof(rules));

	begin("tclass", "a full table takes replacements and removals");
	expect(put("dst_ip=10.0.0.5,8"), 0);
	expect(put("dst_ip=10.0.0.200,-1"), 0);
	expect(put("dst_ip=10.0.0.6,-1"), 0);
	expect(table.n, ROOM - 1);
	expect(put("dst_ip=10.0.0.200,4"), 0);
}

/* ---- a random walk --------------------------------------------------------------------------- */

/* The model keeps rules in the order of their arrival and looks at every bit of every one. */
struct plain {
	bool used, ipv6, has_src, has_dst;
	u8 src[16], dst[16];		/* of an IPv4 address the first four bytes */
	int src_len, dst_len, tclass;
};

static struct plain model[ROOM];
static int model_global;
static u64 seed = 1;

static unsigned int roll(unsigned int n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % n;
}

static bool bit(const u8 *addr, int i)
{
	return addr[i / 8] & 0x80 >> i % 8;
}

static bool plain_covers(const u8 *prefix, int len, const u8 *addr)
{
	int i;

	for (i = 0; i < len; i++)
		if (bit(prefix, i) != bit(addr, i))
			return false;
	return true;
}

static void plain_cut(u8 *addr, int len)
{
	int i;

	for (i = len; i < 128; i++)
		addr[i / 8] &= ~(0x80 >> i % 8);
}

/* Few addresses, so that rules meet, nest, and are found. */
static void draw_addr(bool ipv6, u8 *addr)
{
	memset(addr, 0, 16);
	addr[0] = ipv6 ? 0x20 : 10;
	addr[1] = roll(2);
	addr[2] = roll(3) << 6;
	addr[3] = roll(4);
	if (ipv6)
		addr[15] = roll(2);
}

static int draw_len(bool ipv6)
{
	return roll(3) ? (int)roll(ipv6 ? 129 : 33) : ipv6 ? 128 : 32;
}

static void draw_rule(struct plain *rule)
{
	memset(rule, 0, sizeof(*rule));
	rule->ipv6 = roll(2);
	rule->has_src = roll(2);
	rule->has_dst = roll(8) ? !rule->has_src || roll(2) : false;
	rule->tclass = roll(4) ? (int)roll(256) : CXR_TCLASS_NONE;
	if (rule->has_src) {
		draw_addr(rule->ipv6, rule->src);
		rule->src_len = draw_len(rule->ipv6);
	}
	if (rule->has_dst) {
		draw_addr(rule->ipv6, rule->dst);
		rule->dst_len = draw_len(rule->ipv6);
	}
}

/* The rule as a person may write it, with the bits after the prefix. */
static void write_rule(const struct plain *rule, char *text)
{
	const char *six = rule->ipv6 ? "6" : "", *blank = roll(4) ? "" : " ";
	int af = rule->ipv6 ? AF_INET6 : AF_INET, whole = rule->ipv6 ? 128 : 32;
	bool first = roll(2);
	char addr[INET6_ADDRSTRLEN];

	*text = '\0';
	if (first)
		text += sprintf(text, "tclass=%d%s,", rule->tclass, blank);
	if (rule->has_dst) {
		text += sprintf(text, "dst_ip%s=%s", six,
				inet_ntop(af, rule->dst, addr, sizeof(addr)));
		if (rule->dst_len != whole || roll(2))
			text += sprintf(text, "/%d", rule->dst_len);
		text += sprintf(text, "%s,", blank);
	}
	if (rule->has_src) {
		text += sprintf(text, "src_ip%s=%s", six,
				inet_ntop(af, rule->src, addr, sizeof(addr)));
		if (rule->src_len != whole || roll(2))
			text += sprintf(text, "/%d", rule->src_len);
		text += sprintf(text, ",");
	}
	if (!first)
		sprintf(text, rule->tclass >= 0 && roll(2) ? "%s0x%x\n" : "%s%d\n", blank,
			rule->tclass);
}

static bool plain_same(const struct plain *a, const struct plain *b)
{
	return a->ipv6 == b->ipv6 && a->has_src == b->has_src && a->has_dst == b->has_dst &&
	       a->src_len == b->src_len && a->dst_len == b->dst_len &&
	       !memcmp(a->src, b->src, 16) && !memcmp(a->dst, b->dst, 16);
}

static int plain_change(struct plain rule)
{
	struct plain *free = NULL;
	int i;

	if (!rule.has_src && !rule.has_dst) {
		model_global = rule.tclass;
		return 0;
	}
	plain_cut(rule.src, rule.src_len);
	plain_cut(rule.dst, rule.dst_len);
	rule.used = rule.tclass != CXR_TCLASS_NONE;
	for (i = 0; i < ROOM; i++) {
		if (model[i].used && plain_same(&model[i], &rule)) {
			model[i] = rule;
			return 0;
		}
		if (!model[i].used)
			free = &model[i];
	}
	if (!rule.used)
		return 0;
	if (!free)
		return -ENOSPC;
	*free = rule;
	return 0;
}

/* Larger is tried first. */
static int plain_rank(const struct plain *rule)
{
	int kind = rule->has_src && rule->has_dst ? 2 : rule->has_dst ? 1 : 0;

	return kind * 1000000 + rule->dst_len * 1000 + rule->src_len;
}

static u8 plain_lookup(bool ipv6, const u8 *src, const u8 *dst, u8 own)
{
	const struct plain *best = NULL;
	int i, tclass = model_global;

	for (i = 0; i < ROOM; i++) {
		const struct plain *rule = &model[i];

		if (!rule->used || rule->ipv6 != ipv6 ||
		    (rule->has_src && !plain_covers(rule->src, rule->src_len, src)) ||
		    (rule->has_dst && !plain_covers(rule->dst, rule->dst_len, dst)))
			continue;
		if (!best || plain_rank(rule) > plain_rank(best))
			best = rule;
	}
	if (tclass == CXR_TCLASS_NONE)
		tclass = best ? best->tclass : CXR_TCLASS_NONE;
	return tclass == CXR_TCLASS_NONE ? own : (tclass & 0xfc) | (own & 3);
}

static bool lookup_agrees(void)
{
	struct cxr_tclass_path path = { .type = CXR_GID_V2, .tclass = roll(256) };
	bool ipv6 = roll(2);
	u8 src[16], dst[16];

	draw_addr(ipv6, src);
	draw_addr(ipv6, dst);
	if (ipv6) {
		memcpy(path.sgid, src, 16);
		memcpy(path.dgid, dst, 16);
	} else {
		memset(path.sgid + 10, 0xff, 2);
		memset(path.dgid + 10, 0xff, 2);
		memcpy(path.sgid + 12, src, 4);
		memcpy(path.dgid + 12, dst, 4);
	}
	return cxr_tclass_of(&table, false, &path) == plain_lookup(ipv6, src, dst, path.tclass);
}

static bool step(void)
{
	struct plain rule;
	char text[256];
	u32 n, i;

	draw_rule(&rule);
	/* Otherwise the class of all paths would hide the rules most of the time. */
	if (!rule.has_src && !rule.has_dst && roll(8))
		rule.tclass = CXR_TCLASS_NONE;
	write_rule(&rule, text);
	if (put(text) != plain_change(rule))
		return false;
	for (n = i = 0; i < ROOM; i++)
		n += model[i].used;
	if (n != table.n || model_global != table.global)
		return false;
	return lookup_agrees() && (!lines_of(&table) || reads_back(&table, roll(lines_of(&table))));
}

static void test_walk(void)
{
	unsigned int i, right = 0;

	begin("tclass", "1000000 random rules and lookups agree with a plain model");
	clear();
	model_global = CXR_TCLASS_NONE;
	for (i = 0; i < 1000000; i++) {
		/* The table is not always full. */
		if (!roll(1000)) {
			clear();
			memset(model, 0, sizeof(model));
			model_global = CXR_TCLASS_NONE;
		}
		right += step();
	}
	expect(right, 1000000);
}

void test_tclass(void)
{
	test_parse();
	test_lengths();
	test_match();
	test_full();
	test_walk();
}
