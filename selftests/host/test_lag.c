// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The policy of LAG: a table of cases, and a random walk against invariants. */
#include "host.h"
#include "policy/lag.h"

#define BOND	7
#define UP	{ true, true, true, true, true, BOND, true, true }	/* a slave that sends */
#define BACKUP	{ true, true, true, true, true, BOND, true, false }
#define DARK	{ true, true, true, true, true, BOND, false, true }	/* no link, bond unaware */
#define DOWN	{ true, true, true, true, true, BOND, false, false }
/* A port that sends, but for one thing. */
#define NO_DRIVER	{ false, true, true, true, true, BOND, true, true }
#define NO_ROCE		{ true, false, true, true, true, BOND, true, true }
#define FORBIDDEN	{ true, true, false, true, true, BOND, true, true }
#define NO_NETDEV	{ true, true, true, false, true, BOND, true, true }
#define ELSEWHERE	{ true, true, true, true, false, BOND, true, true }
#define NO_BOND		{ true, true, true, true, true, 0, true, true }
#define OTHER_BOND	{ true, true, true, true, true, 8, true, true }

#define AB	CXR_LAG_TX_ACTIVE_BACKUP
#define HASH	CXR_LAG_TX_HASH
#define FLOW	CXR_LAG_TX_HASH_FLOW
#define OFF(w)	{ CXR_LAG_OFF, CXR_LAG_WHY_##w, { 1, 2 }, 0 }

static const struct {
	const char *sentence;
	struct cxr_lag_in in;
	struct cxr_lag_out out;
} cases[] = {
	{ "both ports in an active-backup bond: all on the active slave",
	  { { UP, BACKUP }, AB, 0, false, false, 0 }, { CXR_LAG_ACTIVE_BACKUP, 0, { 1, 1 }, 1 } },
	{ "the second port may be the active slave",
	  { { BACKUP, UP }, AB, 0, false, false, 0 }, { CXR_LAG_ACTIVE_BACKUP, 0, { 2, 2 }, 2 } },
	{ "both ports in a hashing bond: each on its own port",
	  { { UP, UP }, HASH, 0, false, false, 0 }, { CXR_LAG_SPREAD, 0, { 1, 2 }, 1 } },
	{ "hashing, the first port is down: all on the second",
	  { { DOWN, UP }, HASH, 0, false, false, 0 }, { CXR_LAG_SPREAD, 0, { 2, 2 }, 1 } },
	{ "hashing, the second port is down: all on the first",
	  { { UP, DOWN }, HASH, 0, false, false, 0 }, { CXR_LAG_SPREAD, 0, { 1, 1 }, 1 } },
	{ "hashing, the bond sends on one slave only: all on that",
	  { { BACKUP, UP }, HASH, 0, false, false, 0 }, { CXR_LAG_SPREAD, 0, { 2, 2 }, 1 } },
	{ "hashing, both ports are down: each on its own port",
	  { { DOWN, DOWN }, HASH, 0, false, false, 0 }, { CXR_LAG_SPREAD, 0, { 1, 2 }, 1 } },
	{ "hashing, no slave sends but one has a link: all on that",
	  { { DOWN, BACKUP }, HASH, 0, false, false, 0 }, { CXR_LAG_SPREAD, 0, { 2, 2 }, 1 } },
	{ "the bond hashes ports, too, and so can the card: by a hash",
	  { { UP, UP }, FLOW, 0, true, false, 0 }, { CXR_LAG_HASH, 0, { 1, 2 }, 1 } },
	{ "the bond hashes ports, the card cannot: in turn",
	  { { UP, UP }, FLOW, 0, false, false, 0 }, { CXR_LAG_SPREAD, 0, { 1, 2 }, 1 } },
	{ "the card can hash, but the bond's hash knows no ports: in turn",
	  { { UP, UP }, HASH, 0, true, false, 0 }, { CXR_LAG_SPREAD, 0, { 1, 2 }, 1 } },
	{ "the card can hash, the bond has an active slave: all on that",
	  { { BACKUP, UP }, AB, 0, true, false, 0 }, { CXR_LAG_ACTIVE_BACKUP, 0, { 2, 2 }, 2 } },
	{ "by a hash, the first port is down: all on the second",
	  { { DOWN, UP }, FLOW, 0, true, false, 0 }, { CXR_LAG_HASH, 0, { 2, 2 }, 1 } },
	{ "the active slave lost its link and the bond did not notice: the other one",
	  { { DARK, BACKUP }, AB, 0, false, false, 1 }, { CXR_LAG_ACTIVE_BACKUP, 0, { 2, 2 }, 2 } },
	{ "active-backup, no link at all: the port that was active stays",
	  { { DOWN, DOWN }, AB, 0, false, false, 2 }, { CXR_LAG_ACTIVE_BACKUP, 0, { 2, 2 }, 2 } },
	{ "active-backup, no active slave yet and none before: the first port",
	  { { BACKUP, BACKUP }, AB, 0, false, false, 0 },
	  { CXR_LAG_ACTIVE_BACKUP, 0, { 1, 1 }, 1 } },
	{ "active-backup, between two active slaves: the port that was active stays",
	  { { BACKUP, BACKUP }, AB, 0, false, false, 2 },
	  { CXR_LAG_ACTIVE_BACKUP, 0, { 2, 2 }, 2 } },
	{ "a port without this driver: no LAG",
	  { { UP, NO_DRIVER }, AB, 0, false, false, 0 }, OFF(DRIVER) },
	{ "the first port without this driver is no better",
	  { { NO_DRIVER, UP }, AB, 0, false, false, 0 }, OFF(DRIVER) },
	{ "a port without RoCE: no LAG",
	  { { UP, NO_ROCE }, AB, 0, false, false, 0 }, OFF(ROCE) },
	{ "switched off on one port: no LAG",
	  { { FORBIDDEN, UP }, HASH, 0, false, false, 0 }, OFF(DISABLED) },
	{ "a port without netdev: no LAG",
	  { { UP, NO_NETDEV }, HASH, 0, false, false, 0 }, OFF(NETDEV) },
	{ "a port in another network namespace: no LAG",
	  { { UP, ELSEWHERE }, HASH, 0, false, false, 0 }, OFF(NETNS) },
	{ "one port alone in the bond: no LAG",
	  { { UP, NO_BOND }, HASH, 0, false, false, 0 }, OFF(NO_BOND) },
	{ "no bond at all: no LAG",
	  { { NO_BOND, NO_BOND }, CXR_LAG_TX_OTHER, 0, false, false, 0 },
	  OFF(NO_BOND) },
	{ "a bond for each port: no LAG",
	  { { UP, OTHER_BOND }, HASH, 0, false, false, 0 }, OFF(BONDS) },
	{ "another slave in the bond: no LAG",
	  { { UP, BACKUP }, AB, 1, false, false, 0 }, OFF(FOREIGN) },
	{ "another mode of the bond: no LAG",
	  { { UP, UP }, CXR_LAG_TX_OTHER, 0, false, false, 0 }, OFF(TX) },
	{ "a device that refused is not asked again",
	  { { UP, UP }, HASH, 0, false, true, 0 }, OFF(REFUSED) },
	{ "of several reasons the one to mend first is told",
	  { { FORBIDDEN, NO_BOND }, CXR_LAG_TX_OTHER, 3, false, true, 0 },
	  OFF(DISABLED) },
};

static u32 roll(u64 *seed, u32 n)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*seed >> 33) % n;
}

static void change(struct cxr_lag_in *in, u64 *seed)
{
	struct cxr_lag_port *port = &in->port[roll(seed, CXR_LAG_PORTS)];

	/* Mostly links and slaves, so that the walk is in LAG for half of its way. */
	switch (roll(seed, 16)) {
	case 0:
		port->driver = roll(seed, 4);
		break;
	case 1:
		port->allowed = roll(seed, 4);
		break;
	case 2:
		port->netdev = roll(seed, 4);
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
		in->refused = !roll(seed, 4);
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

/* The conditions of LAG once more, in another form than the policy has them. */
static bool may(const struct cxr_lag_in *in)
{
	unsigned int i, good = 0;

	for (i = 0; i < CXR_LAG_PORTS; i++) {
		const struct cxr_lag_port *port = &in->port[i];

		good += port->driver && port->roce && port->allowed && port->netdev &&
			port->init_net && port->bond && port->bond == in->port[!i].bond;
	}
	return good == CXR_LAG_PORTS && !in->foreign && in->tx != CXR_LAG_TX_OTHER && !in->refused;
}

/* The rules that a decision breaks, a bit each. */
static u32 broken(const struct cxr_lag_in *in, const struct cxr_lag_out *out)
{
	bool on = out->mode != CXR_LAG_OFF, reason = out->why != CXR_LAG_WHY_NONE;
	bool links = in->port[0].link || in->port[1].link;
	bool hashes = in->hashes && in->tx == CXR_LAG_TX_HASH_FLOW;
	u32 bad = 0;
	unsigned int i;

	if (on != may(in))
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

/* RDMA devices that a port is in, as the actor makes them of a decision. */
static unsigned int owners(const struct cxr_lag_in *in, const struct cxr_lag_out *out,
			   unsigned int port)
{
	bool own = in->port[port].driver && in->port[port].roce;

	return (out->mode == CXR_LAG_OFF && own) + (out->mode != CXR_LAG_OFF);
}

static void walk(u64 seed)
{
	struct cxr_lag_in in = { { UP, UP }, HASH, 0, false, false, 0 };
	unsigned int step, i, entered = 0, off = 0;
	struct cxr_lag_out out, again;
	u32 bad = 0;

	for (step = 0; step < 100000 && !bad; step++) {
		change(&in, &seed);
		out = cxr_lag_decide(&in);
		again = cxr_lag_decide(&in);
		bad = broken(&in, &out);
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
		in.last = out.active;
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
		out = cxr_lag_decide(&cases[i].in);
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

	begin("lag", "each reason has a text of its own");
	for (i = 0; i < CXR_LAG_WHYS; i++)
		for (j = 0; j < i; j++)
			expect(cxr_lag_why_text(i) == cxr_lag_why_text(j), false);
	expect_text(cxr_lag_why_text(CXR_LAG_WHYS), "unknown");

	begin("lag", "no port has two owners, no queue pair a dead port while one lives");
	for (i = 0; i < 8; i++)
		walk(i + 1);
}
