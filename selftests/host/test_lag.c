// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The LAG policy: a table of cases, and random walks against invariants. */
#include "host.h"
#include "policy/lag.h"

/* Rows start from a valid port and override fields. */
#pragma GCC diagnostic ignored "-Woverride-init"

static char eth0;	/* stands for a netdev: only compared, never dereferenced */

#define BOND	7
#define PORT(...) \
	{ .driver = true, .roce = true, .allowed = true, .netdev = &eth0, .init_net = true, \
	  .bond = BOND, .link = true, .tx_enabled = true, ##__VA_ARGS__ }
#define UP		PORT()			/* an active slave */
#define BACKUP		PORT(.tx_enabled = false)
#define DARK		PORT(.link = false)	/* unnoticed by the bond */
#define DOWN		PORT(.link = false, .tx_enabled = false)
#define NO_DRIVER	PORT(.driver = false)
#define NO_ROCE		PORT(.roce = false)
#define FORBIDDEN	PORT(.allowed = false)
#define NO_NETDEV	PORT(.netdev = NULL)
#define ELSEWHERE	PORT(.init_net = false)
#define NO_BOND		PORT(.bond = 0)
#define OTHER_BOND	PORT(.bond = 8)

#define AB	CXR_LAG_TX_ACTIVE_BACKUP
#define HASH	CXR_LAG_TX_HASH
#define FLOW	CXR_LAG_TX_HASH_FLOW
#define OFF(w)	{ .mode = CXR_LAG_OFF, .why = CXR_LAG_WHY_##w, .map = { 1, 2 } }
#define ON(m, a, b, port) { .mode = CXR_LAG_##m, .map = { a, b }, .active = port }

static const struct {
	const char *sentence;
	struct cxr_lag_in in;
	bool refused;
	u8 last;
	struct cxr_lag_out out;
} cases[] = {
	{ .sentence = "active-backup: both ports map to the active slave",
	  .in = { .port = { UP, BACKUP }, .tx = AB }, .out = ON(ACTIVE_BACKUP, 1, 1, 1) },
	{ .sentence = "active-backup: the second port may be the active slave",
	  .in = { .port = { BACKUP, UP }, .tx = AB }, .out = ON(ACTIVE_BACKUP, 2, 2, 2) },
	{ .sentence = "hashing: each port maps to itself",
	  .in = { .port = { UP, UP }, .tx = HASH }, .out = ON(SPREAD, 1, 2, 1) },
	{ .sentence = "hashing, first port down: both map to the second",
	  .in = { .port = { DOWN, UP }, .tx = HASH }, .out = ON(SPREAD, 2, 2, 1) },
	{ .sentence = "hashing, second port down: both map to the first",
	  .in = { .port = { UP, DOWN }, .tx = HASH }, .out = ON(SPREAD, 1, 1, 1) },
	{ .sentence = "hashing, one slave with TX enabled: both map to it",
	  .in = { .port = { BACKUP, UP }, .tx = HASH }, .out = ON(SPREAD, 2, 2, 1) },
	{ .sentence = "hashing, both ports down: each maps to itself",
	  .in = { .port = { DOWN, DOWN }, .tx = HASH }, .out = ON(SPREAD, 1, 2, 1) },
	{ .sentence = "hashing, no slave with TX enabled, one with link: both map to it",
	  .in = { .port = { DOWN, BACKUP }, .tx = HASH }, .out = ON(SPREAD, 2, 2, 1) },
	{ .sentence = "the bond hashes L4 ports, and the card can: hash mode",
	  .in = { .port = { UP, UP }, .tx = FLOW, .hashes = true }, .out = ON(HASH, 1, 2, 1) },
	{ .sentence = "the bond hashes L4 ports, the card cannot: spread mode",
	  .in = { .port = { UP, UP }, .tx = FLOW }, .out = ON(SPREAD, 1, 2, 1) },
	{ .sentence = "the card can hash, the bond does not hash L4 ports: spread mode",
	  .in = { .port = { UP, UP }, .tx = HASH, .hashes = true }, .out = ON(SPREAD, 1, 2, 1) },
	{ .sentence = "the card can hash, the bond is active-backup: active-backup mode",
	  .in = { .port = { BACKUP, UP }, .tx = AB, .hashes = true },
	  .out = ON(ACTIVE_BACKUP, 2, 2, 2) },
	{ .sentence = "hash mode, first port down: both map to the second",
	  .in = { .port = { DOWN, UP }, .tx = FLOW, .hashes = true }, .out = ON(HASH, 2, 2, 1) },
	{ .sentence = "active slave without link, unnoticed by the bond: the other slave",
	  .in = { .port = { DARK, BACKUP }, .tx = AB }, .last = 1,
	  .out = ON(ACTIVE_BACKUP, 2, 2, 2) },
	{ .sentence = "active-backup, both links down: the active port is kept",
	  .in = { .port = { DOWN, DOWN }, .tx = AB }, .last = 2,
	  .out = ON(ACTIVE_BACKUP, 2, 2, 2) },
	{ .sentence = "active-backup, no active slave so far: the first port",
	  .in = { .port = { BACKUP, BACKUP }, .tx = AB }, .out = ON(ACTIVE_BACKUP, 1, 1, 1) },
	{ .sentence = "active-backup, active slave about to change: the active port is kept",
	  .in = { .port = { BACKUP, BACKUP }, .tx = AB }, .last = 2,
	  .out = ON(ACTIVE_BACKUP, 2, 2, 2) },
	{ .sentence = "second port unbound: no LAG",
	  .in = { .port = { UP, NO_DRIVER }, .tx = AB }, .out = OFF(DRIVER) },
	{ .sentence = "first port unbound: no LAG",
	  .in = { .port = { NO_DRIVER, UP }, .tx = AB }, .out = OFF(DRIVER) },
	{ .sentence = "a port without RoCE: no LAG",
	  .in = { .port = { UP, NO_ROCE }, .tx = AB }, .out = OFF(ROCE) },
	{ .sentence = "LAG disabled on one port: no LAG",
	  .in = { .port = { FORBIDDEN, UP }, .tx = HASH }, .out = OFF(DISABLED) },
	{ .sentence = "a port with virtual functions: no LAG",
	  .in = { .port = { UP, PORT(.vfs = true) }, .tx = HASH }, .out = OFF(VFS) },
	{ .sentence = "a port without a netdev: no LAG",
	  .in = { .port = { UP, NO_NETDEV }, .tx = HASH }, .out = OFF(NETDEV) },
	{ .sentence = "a port in another network namespace: no LAG",
	  .in = { .port = { UP, ELSEWHERE }, .tx = HASH }, .out = OFF(NETNS) },
	{ .sentence = "only one port in a bond: no LAG",
	  .in = { .port = { UP, NO_BOND }, .tx = HASH }, .out = OFF(NOT_IN_BOND) },
	{ .sentence = "no bond: no LAG",
	  .in = { .port = { NO_BOND, NO_BOND }, .tx = CXR_LAG_TX_OTHER }, .out = OFF(NOT_IN_BOND) },
	{ .sentence = "ports in different bonds: no LAG",
	  .in = { .port = { UP, OTHER_BOND }, .tx = HASH }, .out = OFF(DIFFERENT_BONDS) },
	{ .sentence = "a foreign slave in the bond: no LAG",
	  .in = { .port = { UP, BACKUP }, .tx = AB, .foreign = 1 }, .out = OFF(FOREIGN) },
	{ .sentence = "unsupported bond mode: no LAG",
	  .in = { .port = { UP, UP }, .tx = CXR_LAG_TX_OTHER }, .out = OFF(TX) },
	{ .sentence = "refused by the device before: no LAG",
	  .in = { .port = { UP, UP }, .tx = HASH }, .refused = true, .out = OFF(REFUSED) },
	{ .sentence = "of several reasons the one to fix first is reported",
	  .in = { .port = { FORBIDDEN, NO_BOND }, .tx = CXR_LAG_TX_OTHER, .foreign = 3 },
	  .refused = true, .out = OFF(DISABLED) },
};

static u32 roll(u64 *seed, u32 n)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*seed >> 33) % n;
}

static void change(struct cxr_lag_in *in, u64 *seed)
{
	struct cxr_lag_port *port = &in->port[roll(seed, CXR_LAG_PORTS)];

	/* Mostly link and TX changes, so that a LAG exists about half of the time. */
	switch (roll(seed, 16)) {
	case 0:
		port->driver = roll(seed, 4);
		break;
	case 1:
		port->allowed = roll(seed, 4);
		port->vfs = !roll(seed, 16);
		break;
	case 2:
		port->netdev = roll(seed, 4) ? &eth0 : NULL;
		break;
	case 3:
		port->init_net = roll(seed, 4);
		break;
	case 4:
		port->bond = roll(seed, 4) ? BOND : roll(seed, 2) * 9;
		break;
	case 5:
		in->foreign = roll(seed, 4) ? 0 : 1 + roll(seed, 3);
		break;
	case 6:
		in->tx = roll(seed, 8) ? 1 + roll(seed, 3) : CXR_LAG_TX_OTHER;
		break;
	case 7:
		in->hashes = roll(seed, 2);
		break;
	case 8:
		port->roce = roll(seed, 4);
		break;
	case 9 ... 12:
		port->link = roll(seed, 3);
		break;
	default:
		port->tx_enabled = roll(seed, 2);
	}
}

/* The conditions of LAG, written independently of the policy. */
static bool may(const struct cxr_lag_in *in, bool refused)
{
	unsigned int i, good = 0;

	for (i = 0; i < CXR_LAG_PORTS; i++) {
		const struct cxr_lag_port *port = &in->port[i];

		good += port->driver && port->roce && port->allowed && !port->vfs &&
			port->netdev && port->init_net && port->bond &&
			port->bond == in->port[!i].bond;
	}
	return good == CXR_LAG_PORTS && !in->foreign && in->tx != CXR_LAG_TX_OTHER && !refused;
}

/* Bitmap of the invariants that a decision violates. */
static u32 broken(const struct cxr_lag_in *in, bool refused, const struct cxr_lag_out *out)
{
	bool on = out->mode != CXR_LAG_OFF, reason = out->why != CXR_LAG_WHY_NONE;
	bool links = in->port[0].link || in->port[1].link;
	bool hashes = in->hashes && in->tx == CXR_LAG_TX_HASH_FLOW;
	u32 bad = 0;
	unsigned int i;

	if (on != may(in, refused))
		bad |= 1;
	if (reason == on)
		bad |= 2;
	for (i = 0; i < CXR_LAG_PORTS; i++) {
		if (out->map[i] != 1 && out->map[i] != 2)
			return bad | 4;
		if (!on && out->map[i] != i + 1)
			bad |= 8;
		if (on && links && !in->port[out->map[i] - 1].link)
			bad |= 16;
	}
	if (out->mode == CXR_LAG_ACTIVE_BACKUP &&
	    (out->map[0] != out->map[1] || out->map[0] != out->active))
		bad |= 32;
	if (on && out->mode != CXR_LAG_ACTIVE_BACKUP && out->map[0] != out->map[1] &&
	    (out->map[0] != 1 || out->map[1] != 2))
		bad |= 64;
	if (out->mode == CXR_LAG_HASH ? !hashes : on && hashes)
		bad |= 512;
	return bad;
}

/* Number of RDMA devices that own a port after the decision is applied. */
static unsigned int owners(const struct cxr_lag_in *in, const struct cxr_lag_out *out,
			   unsigned int port)
{
	bool own = in->port[port].driver && in->port[port].roce;

	return (out->mode == CXR_LAG_OFF && own) + (out->mode != CXR_LAG_OFF);
}

static void walk(u64 seed)
{
	struct cxr_lag_in in = { .port = { UP, UP }, .tx = HASH };
	unsigned int step, i, entered = 0, off = 0;
	struct cxr_lag_out out, again;
	bool refused;
	u8 last = 0;
	u32 bad = 0;

	for (step = 0; step < 100000 && !bad; step++) {
		change(&in, &seed);
		refused = !roll(&seed, 16);
		out = cxr_lag_decide(&in, refused, last);
		again = cxr_lag_decide(&in, refused, last);
		bad = broken(&in, refused, &out);
		for (i = 0; i < CXR_LAG_PORTS; i++)
			if (owners(&in, &out, i) > 1)
				bad |= 128;
		if (out.active != again.active || out.map[0] != again.map[0] ||
		    out.map[1] != again.map[1] || out.why != again.why)
			bad |= 256;
		if (out.mode == CXR_LAG_OFF)
			off++;
		else
			entered++;
		last = out.active;
	}
	expect(bad, 0);
	expect(entered > 1000 && off > 1000, true);
}

void test_lag(void)
{
	struct cxr_lag_out out;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("lag", cases[i].sentence);
		out = cxr_lag_decide(&cases[i].in, cases[i].refused, cases[i].last);
		expect(out.mode, cases[i].out.mode);
		expect(out.why, cases[i].out.why);
		expect(out.map[0], cases[i].out.map[0]);
		expect(out.map[1], cases[i].out.map[1]);
		expect(out.active, cases[i].out.active);
	}

	begin("lag", "each mode has a name");
	expect_text(cxr_lag_mode_name(CXR_LAG_OFF), "off");
	expect_text(cxr_lag_mode_name(CXR_LAG_ACTIVE_BACKUP), "active-backup");
	expect_text(cxr_lag_mode_name(CXR_LAG_SPREAD), "spread");
	expect_text(cxr_lag_mode_name(CXR_LAG_HASH), "hash");
	expect_text(cxr_lag_mode_name(CXR_LAG_ECMP), "ecmp");

	begin("lag", "each reason has a distinct text");
	for (i = 0; i < CXR_LAG_WHYS; i++)
		for (j = 0; j < i; j++)
			expect(cxr_lag_why_text(i) == cxr_lag_why_text(j), false);
	expect_text(cxr_lag_why_text(CXR_LAG_WHYS), "unknown");

	begin("lag", "random walk: no port has two owners, no QP a dead port while one is up");
	for (i = 0; i < 8; i++)
		walk(i + 1);
}
