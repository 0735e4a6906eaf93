// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The LAG step, from snapshot and state to an action: a table of cases, and a random walk. */
#include <string.h>
#include "host.h"
#include "policy/ecmp.h"
#include "policy/lag.h"

/* Rows start from a valid port and override fields. */
#pragma GCC diagnostic ignored "-Woverride-init"

/* stand for netdevs: only compared, never dereferenced */
static char eth0, eth1, eth9, bond0, bond1, dummy0, dummy1;

#define MAC(n)	{ 2, 0, 0, 0, 0, n }
static const u8 macs[CXR_LAG_PORTS][6] = { MAC(1), MAC(2) };

#define ONE(...) { .driver = true, .roce = true, .allowed = true, .netdev = &eth0, .mac = MAC(1), \
		   .init_net = true, .bond = 7, .link = true, .tx_enabled = true, ##__VA_ARGS__ }
#define TWO(...) ONE(.netdev = &eth1, .mac = MAC(2), ##__VA_ARGS__)

/* Both ports in bond0, in no bond, and with dummy0 as the parent of an ECMP LAG. */
#define BONDED(how, ...) { .port = { ONE(), TWO() }, .upper = &bond0, .tx = CXR_LAG_TX_##how, \
			   ##__VA_ARGS__ }
#define FREE(...) { .port = { ONE(.bond = 0), TWO(.bond = 0) }, ##__VA_ARGS__ }
#define ROUTED(...) FREE(.ecmp = true, .upper = &dummy0, .addresses = 256, \
			 .parent = { .found = true, .ethernet = true }, ##__VA_ARGS__)

#define OFF(w, ...) { .now = { .why = CXR_LAG_WHY_##w, .map = { 1, 2 } }, .mac = macs, \
		      ##__VA_ARGS__ }
#define LAG(m, ...) { .now = { .mode = CXR_LAG_##m, .map = { 1, 2 }, .active = 1 }, \
		      .upper = &bond0, .netdev = &bond0, .mac = macs, ##__VA_ARGS__ }
#define BACKUP LAG(ACTIVE_BACKUP, .netdev = &eth0, \
		   .now = { .mode = CXR_LAG_ACTIVE_BACKUP, .map = { 1, 1 }, .active = 1 })
#define ECMP LAG(ECMP, .upper = &dummy0, .netdev = &dummy0)

static const struct cxr_lag_in hashing = BONDED(HASH);

static const struct {
	const char *sentence;
	struct cxr_lag_state state;
	struct cxr_lag_in in;
	enum cxr_lag_action action;
	enum cxr_lag_why why;
	void *netdev;			/* for enter and remap */
	bool refused, tell, same;	/* same: does not supersede the previous reason */
} cases[] = {
	{ .sentence = "ports in a bond, no LAG: enter",
	  .state = OFF(NOT_IN_BOND), .in = BONDED(HASH),
	  .action = CXR_LAG_ENTER, .netdev = &bond0 },
	{ .sentence = "active-backup bond, no LAG: enter, with the active slave's netdev",
	  .state = OFF(DRIVER),
	  .in = BONDED(ACTIVE_BACKUP, .port = { ONE(.tx_enabled = false), TWO() }),
	  .action = CXR_LAG_ENTER, .netdev = &eth1 },
	{ .sentence = "no change: keep the LAG",
	  .state = LAG(SPREAD), .in = BONDED(HASH), .action = CXR_LAG_KEEP },
	{ .sentence = "a port loses its link: remap",
	  .state = LAG(SPREAD), .in = BONDED(HASH, .port = { ONE(.link = false), TWO() }),
	  .action = CXR_LAG_REMAP, .netdev = &bond0 },
	{ .sentence = "the active slave changes: remap, with the new slave's netdev",
	  .state = BACKUP,
	  .in = BONDED(ACTIVE_BACKUP, .port = { ONE(.tx_enabled = false), TWO() }),
	  .action = CXR_LAG_REMAP, .netdev = &eth1 },
	{ .sentence = "the bond changes from active-backup to hashing: remap",
	  .state = BACKUP, .in = BONDED(HASH), .action = CXR_LAG_REMAP, .netdev = &bond0 },
	{ .sentence = "the active slave is replaced by another netdev: remap",
	  .state = BACKUP,
	  .in = BONDED(ACTIVE_BACKUP,
		       .port = { ONE(.netdev = &eth9), TWO(.tx_enabled = false) }),
	  .action = CXR_LAG_REMAP, .netdev = &eth9 },
	{ .sentence = "hash mode becomes possible: leave first",
	  .state = LAG(SPREAD), .in = BONDED(HASH_FLOW, .hashes = true),
	  .action = CXR_LAG_LEAVE },
	{ .sentence = "hash mode is no longer possible: leave first",
	  .state = LAG(HASH), .in = BONDED(HASH, .hashes = true), .action = CXR_LAG_LEAVE },
	{ .sentence = "the ports move to another bond: leave first",
	  .state = LAG(SPREAD), .in = BONDED(HASH, .upper = &bond1), .action = CXR_LAG_LEAVE },
	{ .sentence = "ports in another bond, the LAG was left: enter",
	  .state = OFF(NONE), .in = BONDED(HASH, .upper = &bond1),
	  .action = CXR_LAG_ENTER, .netdev = &bond1 },
	{ .sentence = "a port leaves the bond: leave",
	  .state = LAG(SPREAD), .in = BONDED(HASH, .port = { ONE(.bond = 0), TWO() }),
	  .action = CXR_LAG_LEAVE, .why = CXR_LAG_WHY_NOT_IN_BOND, .tell = true },
	{ .sentence = "the MAC of a bonded port changes: keep",
	  .state = LAG(SPREAD), .in = BONDED(HASH, .port = { ONE(.mac = MAC(9)), TWO() }),
	  .action = CXR_LAG_KEEP },
	{ .sentence = "no bond, no LAG: keep, no reason is reported",
	  .state = OFF(DRIVER), .in = FREE(),
	  .action = CXR_LAG_KEEP, .why = CXR_LAG_WHY_NOT_IN_BOND },
	{ .sentence = "a bond that cannot be a LAG: the reason is reported",
	  .state = OFF(NOT_IN_BOND), .in = BONDED(HASH, .foreign = 1),
	  .action = CXR_LAG_KEEP, .why = CXR_LAG_WHY_FOREIGN, .tell = true },
	{ .sentence = "a bond that cannot be a LAG, same reason as before: not reported again",
	  .state = OFF(FOREIGN), .in = BONDED(HASH, .foreign = 2),
	  .action = CXR_LAG_KEEP, .why = CXR_LAG_WHY_FOREIGN, .same = true },
	{ .sentence = "a refused LAG is not retried",
	  .state = OFF(REFUSED, .refused = &hashing), .in = BONDED(HASH),
	  .action = CXR_LAG_KEEP, .why = CXR_LAG_WHY_REFUSED, .refused = true, .same = true },
	{ .sentence = "a refused LAG is retried after a link change",
	  .state = OFF(REFUSED, .refused = &hashing),
	  .in = BONDED(HASH, .port = { ONE(.link = false), TWO() }),
	  .action = CXR_LAG_ENTER, .netdev = &bond0 },
	{ .sentence = "a refused LAG is retried after a change of the bond's hash policy",
	  .state = OFF(REFUSED, .refused = &hashing), .in = BONDED(HASH_FLOW),
	  .action = CXR_LAG_ENTER, .netdev = &bond0 },
	{ .sentence = "a refused LAG is not retried after a change of MAC or netdev",
	  .state = OFF(REFUSED, .refused = &hashing),
	  .in = BONDED(HASH, .port = { ONE(.mac = MAC(9), .netdev = &eth9), TWO() }),
	  .action = CXR_LAG_KEEP, .why = CXR_LAG_WHY_REFUSED, .refused = true, .same = true },
	{ .sentence = "a parent, no LAG: enter an ECMP LAG",
	  .state = OFF(NOT_IN_BOND), .in = ROUTED(),
	  .action = CXR_LAG_ENTER, .netdev = &dummy0 },
	{ .sentence = "no change: keep the ECMP LAG",
	  .state = ECMP, .in = ROUTED(), .action = CXR_LAG_KEEP },
	{ .sentence = "the MAC of a port in an ECMP LAG changes: remap",
	  .state = ECMP,
	  .in = ROUTED(.port = { ONE(.bond = 0), TWO(.bond = 0, .mac = MAC(9)) }),
	  .action = CXR_LAG_REMAP, .netdev = &dummy0 },
	{ .sentence = "another parent: leave the ECMP LAG first",
	  .state = ECMP, .in = ROUTED(.upper = &dummy1), .action = CXR_LAG_LEAVE },
	{ .sentence = "the parent is gone: leave the ECMP LAG, no reason is reported",
	  .state = ECMP, .in = FREE(),
	  .action = CXR_LAG_LEAVE, .why = CXR_LAG_WHY_NOT_IN_BOND },
	{ .sentence = "a bond instead of a parent: leave the ECMP LAG first",
	  .state = ECMP, .in = BONDED(HASH), .action = CXR_LAG_LEAVE },
	{ .sentence = "a parent that cannot be a LAG: the reason is reported",
	  .state = OFF(NONE),
	  .in = ROUTED(.port = { ONE(.bond = 0), TWO(.bond = 0, .allowed = false) }),
	  .action = CXR_LAG_KEEP, .why = CXR_LAG_WHY_DISABLED, .tell = true },
};

static u32 roll(u64 *seed, u32 n)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*seed >> 33) % n;
}

static void change(struct cxr_lag_in *in, u64 *seed)
{
	static void *const uppers[] = { &bond0, &bond1, &dummy0, &dummy1 };
	unsigned int n = roll(seed, CXR_LAG_PORTS);
	struct cxr_lag_port *port = &in->port[n];

	switch (roll(seed, 10)) {
	case 0:
		port->driver = roll(seed, 8);
		break;
	case 1:
		in->ecmp = roll(seed, 2);
		in->upper = uppers[2 * in->ecmp + roll(seed, 2)];
		in->port[0].bond = !in->ecmp;
		in->port[1].bond = !in->ecmp;
		in->parent.found = in->ecmp;
		in->parent.ethernet = in->ecmp;
		break;
	case 2:
		in->foreign = !roll(seed, 8);
		break;
	case 3:
		in->tx = 1 + roll(seed, 3);
		break;
	case 4:
		in->hashes = roll(seed, 2);
		break;
	case 5:
		port->mac[5] = roll(seed, 256);
		break;
	case 6:
		port->netdev = n ? &eth1 : roll(seed, 4) ? &eth0 : &eth9;
		break;
	case 7:
		port->link = roll(seed, 3);
		break;
	default:
		port->tx_enabled = roll(seed, 2);
	}
}

/* The state of a card, as kept by the driver. */
struct card {
	struct cxr_lag_out now;
	struct cxr_lag_in refused;
	bool was_refused;
	const void *upper, *netdev;
	u8 mac[CXR_LAG_PORTS][6];
};

static struct cxr_lag_step next(const struct card *card, const struct cxr_lag_in *in)
{
	const struct cxr_lag_state state = {
		.now = card->now,
		.refused = card->was_refused ? &card->refused : NULL,
		.upper = card->upper,
		.netdev = card->netdev,
		.mac = card->mac,
	};

	return cxr_lag_step(in, &state);
}

/* Modes that use the same device objects have the same number. */
static int objects_of(enum cxr_lag_mode mode)
{
	return mode == CXR_LAG_HASH || mode == CXR_LAG_ECMP ? mode : CXR_LAG_SPREAD;
}

/* Bitmap of the invariants that a step violates. */
static u32 broken(const struct card *card, const struct cxr_lag_in *in,
		  const struct cxr_lag_step *step)
{
	bool stands = card->now.mode != CXR_LAG_OFF, wanted = step->out.mode != CXR_LAG_OFF;
	bool asked = in->ecmp || in->port[0].bond || in->port[1].bond;
	u32 bad = 0;

	if (step->action == CXR_LAG_ENTER && (stands || !wanted))
		bad |= 1;
	if ((step->action == CXR_LAG_REMAP || step->action == CXR_LAG_LEAVE) && !stands)
		bad |= 1;
	if (step->action == CXR_LAG_KEEP && stands != wanted)
		bad |= 2;
	/* A remap changes neither the upper device nor how ports are selected. */
	if (step->action == CXR_LAG_REMAP &&
	    (in->upper != card->upper || !wanted ||
	     objects_of(step->out.mode) != objects_of(card->now.mode)))
		bad |= 4;
	if (step->tell && (wanted || !asked || step->out.why == card->now.why))
		bad |= 8;
	if (step->refused && wanted)
		bad |= 16;
	return bad;
}

/* Mimics drivers/core/lag.c on a device that sometimes refuses. */
static void apply(struct card *card, const struct cxr_lag_in *in, const struct cxr_lag_step *step,
		  bool refuses)
{
	bool asked = step->action == CXR_LAG_ENTER || step->action == CXR_LAG_REMAP;

	card->was_refused = step->refused;
	if (step->action == CXR_LAG_LEAVE || (asked && refuses)) {
		card->now.mode = CXR_LAG_OFF;
		card->upper = NULL;
		card->netdev = NULL;
		memset(card->mac, 0, sizeof(card->mac));
	} else {
		card->now = step->out;
	}
	if (asked && refuses) {
		card->refused = *in;
		card->was_refused = true;
		card->now.why = CXR_LAG_WHY_REFUSED;
	} else if (asked) {
		card->upper = in->upper;
		card->netdev = step->netdev;
		memcpy(card->mac, step->mac, sizeof(card->mac));
	}
}

static void walk(u64 seed)
{
	struct cxr_lag_in in = BONDED(HASH, .addresses = 256);
	unsigned int i, n, done[CXR_LAG_ENTER + 1] = {};
	struct card card = { .now = { .why = CXR_LAG_WHY_DRIVER } };
	struct cxr_lag_step step;
	bool refuses;
	u32 bad = 0;

	for (i = 0; i < 50000 && !bad; i++) {
		change(&in, &seed);
		refuses = !roll(&seed, 32);
		n = 0;
		do {
			step = next(&card, &in);
			bad |= broken(&card, &in, &step);
			apply(&card, &in, &step, refuses);
			done[step.action]++;
		} while (step.action == CXR_LAG_LEAVE && ++n < 2);
		if (n > 1)
			bad |= 32;
		/* Without a change there is nothing to do, whether refused or not. */
		step = next(&card, &in);
		if (step.action != CXR_LAG_KEEP || step.tell || step.out.why != card.now.why)
			bad |= 64;
	}
	expect(bad, 0);
	for (i = 0; i <= CXR_LAG_ENTER; i++)
		expect(done[i] > 1000, true);
}

void test_lag_step(void)
{
	struct cxr_lag_step step;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("lag", cases[i].sentence);
		step = cxr_lag_step(&cases[i].in, &cases[i].state);
		expect(step.action, cases[i].action);
		expect(step.out.why, cases[i].why);
		if (cases[i].netdev)
			expect((unsigned long)step.netdev, (unsigned long)cases[i].netdev);
		expect(step.refused, cases[i].refused);
		expect(step.tell, cases[i].tell);
		expect(step.supersedes, !cases[i].same);
	}

	begin("lag", "random walk: steps converge, nothing is repeated or retried");
	for (i = 0; i < 8; i++)
		walk(i + 1);
}
