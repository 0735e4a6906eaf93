// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The ECMP LAG policy: a table of cases, the split address table, a random walk. */
#include <linux/errno.h>
#include "host.h"
#include "policy/ecmp.h"

/* Rows start from a valid port and override fields. */
#pragma GCC diagnostic ignored "-Woverride-init"

static char eth0;	/* stands for a netdev: only compared, never dereferenced */

#define PORT(...) { .driver = true, .roce = true, .allowed = true, .netdev = &eth0, \
		    .init_net = true, .link = true, ##__VA_ARGS__ }
#define UP		PORT()
#define DOWN		PORT(.link = false)
#define NO_DRIVER	PORT(.driver = false)
#define NO_ROCE		PORT(.roce = false)
#define FORBIDDEN	PORT(.allowed = false)
#define NO_NETDEV	PORT(.netdev = NULL)
#define ELSEWHERE	PORT(.init_net = false)
#define BONDED		PORT(.bond = 7, .tx_enabled = true)

#define PARENT(...)	{ .found = true, .ethernet = true, ##__VA_ARGS__ }
#define FOUND		PARENT()
#define NONE		{ .found = false }
#define ITSELF		PARENT(.port = true)
#define LOOPBACK	PARENT(.ethernet = false)
#define SECOND		PARENT(.another = true)

#define N		256
#define ON(a, b)	{ .mode = CXR_LAG_ECMP, .map = { a, b }, .active = 1 }
#define OFF(w)		{ .mode = CXR_LAG_OFF, .why = CXR_LAG_WHY_##w, .map = { 1, 2 } }

static const struct {
	const char *sentence;
	struct cxr_lag_in in;
	bool refused;
	struct cxr_lag_out out;
	int error;
} cases[] = {
	{ .sentence = "ECMP, both ports up: each maps to itself",
	  .in = { .port = { UP, UP }, .parent = FOUND, .addresses = N }, .out = ON(1, 2) },
	{ .sentence = "ECMP, second port down: both map to the first",
	  .in = { .port = { UP, DOWN }, .parent = FOUND, .addresses = N }, .out = ON(1, 1) },
	{ .sentence = "ECMP, first port down: both map to the second",
	  .in = { .port = { DOWN, UP }, .parent = FOUND, .addresses = N }, .out = ON(2, 2) },
	{ .sentence = "ECMP, both ports down: each maps to itself",
	  .in = { .port = { DOWN, DOWN }, .parent = FOUND, .addresses = N }, .out = ON(1, 2) },
	{ .sentence = "an address table of odd size is halved as well",
	  .in = { .port = { UP, UP }, .parent = FOUND, .addresses = 3 }, .out = ON(1, 2) },
	{ .sentence = "a parent that does not exist is refused",
	  .in = { .port = { UP, UP }, .parent = NONE, .addresses = N },
	  .out = OFF(PARENT), .error = -ENODEV },
	{ .sentence = "a port of the card as its parent is refused",
	  .in = { .port = { UP, UP }, .parent = ITSELF, .addresses = N },
	  .out = OFF(PARENT_PORT), .error = -EINVAL },
	{ .sentence = "a parent that is not Ethernet is refused",
	  .in = { .port = { UP, UP }, .parent = LOOPBACK, .addresses = N },
	  .out = OFF(PARENT_TYPE), .error = -EINVAL },
	{ .sentence = "a second parent is refused",
	  .in = { .port = { UP, UP }, .parent = SECOND, .addresses = N },
	  .out = OFF(PARENT_OTHER), .error = -EBUSY },
	{ .sentence = "a second parent is refused even if it does not exist",
	  .in = { .port = { UP, UP }, .parent = { .another = true }, .addresses = N },
	  .out = OFF(PARENT_OTHER), .error = -EBUSY },
	{ .sentence = "a parent is refused while a port is unbound",
	  .in = { .port = { UP, NO_DRIVER }, .parent = FOUND, .addresses = N },
	  .out = OFF(DRIVER), .error = -ENODEV },
	{ .sentence = "a parent is refused while a port has no RoCE",
	  .in = { .port = { NO_ROCE, UP }, .parent = FOUND, .addresses = N },
	  .out = OFF(ROCE), .error = -EOPNOTSUPP },
	{ .sentence = "a parent is refused if the address table has one entry",
	  .in = { .port = { UP, UP }, .parent = FOUND, .addresses = 1 },
	  .out = OFF(TABLE), .error = -EOPNOTSUPP },
	{ .sentence = "a parent is refused while LAG is disabled on a port",
	  .in = { .port = { UP, FORBIDDEN }, .parent = FOUND, .addresses = N },
	  .out = OFF(DISABLED), .error = -EPERM },
	{ .sentence = "a parent is refused while a port has virtual functions",
	  .in = { .port = { UP, PORT(.vfs = true) }, .parent = FOUND, .addresses = N },
	  .out = OFF(VFS), .error = -EBUSY },
	{ .sentence = "a parent is refused while a port has no netdev",
	  .in = { .port = { NO_NETDEV, UP }, .parent = FOUND, .addresses = N },
	  .out = OFF(NETDEV), .error = -ENODEV },
	{ .sentence = "a parent is refused while a port is in another network namespace",
	  .in = { .port = { UP, ELSEWHERE }, .parent = FOUND, .addresses = N },
	  .out = OFF(NETNS), .error = -EINVAL },
	{ .sentence = "a parent is refused while a port is in a bond",
	  .in = { .port = { UP, BONDED }, .parent = FOUND, .addresses = N },
	  .out = OFF(PORT_IN_BOND), .error = -EBUSY },
	{ .sentence = "a parent that the device refused is not retried",
	  .in = { .port = { UP, UP }, .parent = FOUND, .addresses = N }, .refused = true,
	  .out = OFF(REFUSED), .error = -EIO },
	{ .sentence = "problems of the parent are reported before those of the card",
	  .in = { .port = { NO_DRIVER, BONDED }, .parent = NONE, .addresses = 0 }, .refused = true,
	  .out = OFF(PARENT), .error = -ENODEV },
};

static u32 roll(u64 *seed, u32 n)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*seed >> 33) % n;
}

/* A random snapshot, with links and parents mostly present. */
static void draw(struct cxr_lag_in *in, u64 *seed)
{
	unsigned int i;

	for (i = 0; i < CXR_LAG_PORTS; i++) {
		in->port[i].driver = roll(seed, 16);
		in->port[i].roce = roll(seed, 16);
		in->port[i].allowed = roll(seed, 16);
		in->port[i].vfs = !roll(seed, 16);
		in->port[i].netdev = roll(seed, 16) ? &eth0 : NULL;
		in->port[i].init_net = roll(seed, 16);
		in->port[i].bond = roll(seed, 16) ? 0 : 7;
		in->port[i].link = roll(seed, 3);
		in->port[i].tx_enabled = roll(seed, 2);
	}
	in->parent.found = roll(seed, 16);
	in->parent.port = !roll(seed, 16);
	in->parent.ethernet = roll(seed, 16);
	in->parent.another = !roll(seed, 16);
	in->addresses = roll(seed, 16) ? N : roll(seed, 3);
}

/* The conditions, written independently of the policy. */
static bool may(const struct cxr_lag_in *in, bool refused)
{
	unsigned int i, good = 0;

	for (i = 0; i < CXR_LAG_PORTS; i++)
		good += in->port[i].driver && in->port[i].roce && in->port[i].allowed &&
			!in->port[i].vfs && in->port[i].netdev && in->port[i].init_net &&
			!in->port[i].bond;
	return good == CXR_LAG_PORTS && in->parent.found && in->parent.ethernet &&
	       !in->parent.port && !in->parent.another && in->addresses > 1 && !refused;
}

/* Bitmap of the invariants that a decision violates. */
static u32 broken(const struct cxr_lag_in *in, bool refused, const struct cxr_lag_out *out)
{
	bool on = out->mode == CXR_LAG_ECMP, links = in->port[0].link || in->port[1].link;
	u32 bad = 0;
	unsigned int i;

	if (on != may(in, refused) || (!on && out->mode != CXR_LAG_OFF))
		bad |= 1;
	if (on != !out->why || !cxr_ecmp_errno(out->why) != on)
		bad |= 2;
	for (i = 0; i < CXR_LAG_PORTS; i++) {
		if (out->map[i] != 1 && out->map[i] != 2)
			return bad | 4;
		if (on && links && !in->port[out->map[i] - 1].link)
			bad |= 8;
		/* A port with link maps to itself. */
		if (on && in->port[i].link && out->map[i] != i + 1)
			bad |= 16;
	}
	return bad;
}

static void walk(u64 seed)
{
	unsigned int step, on = 0, off = 0;
	struct cxr_lag_in in = { .ecmp = true };
	struct cxr_lag_out out;
	bool refused;
	u32 bad = 0;

	for (step = 0; step < 20000 && !bad; step++) {
		draw(&in, &seed);
		refused = !roll(&seed, 16);
		out = cxr_ecmp_decide(&in, refused);
		bad = broken(&in, refused, &out);
		if (out.mode == CXR_LAG_OFF)
			off++;
		else
			on++;
	}
	expect(bad, 0);
	expect(on > 1000 && off > 1000, true);
}

/* Each entry of the address table has one owner, and maps back to the GID that it duplicates. */
static void halves(u16 addresses)
{
	u16 half = cxr_ecmp_half(addresses), index, at;
	u8 used[N] = {}, port;

	for (index = 0; index < half; index++) {
		for (port = 1; port <= CXR_LAG_PORTS; port++) {
			at = cxr_ecmp_index(index, port, half);
			expect(at < addresses, true);
			expect(used[at % N]++, 0);
			expect(cxr_ecmp_primary_index(at, half), index);
		}
	}
}

static void ports(void)
{
	unsigned int n[CXR_LAG_PORTS + 1] = {};
	u32 turn;

	for (turn = ~0u - 31; turn != 32; turn++)
		n[cxr_ecmp_port(true, turn)]++;
	expect(n[1], 32);
	expect(n[2], 32);
	for (turn = 0; turn < 4; turn++)
		expect(cxr_ecmp_port(false, turn), 1);
}

void test_ecmp(void)
{
	struct cxr_lag_out out;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin("ecmp", cases[i].sentence);
		out = cxr_ecmp_decide(&cases[i].in, cases[i].refused);
		expect(out.mode, cases[i].out.mode);
		expect(out.why, cases[i].out.why);
		expect(out.map[0], cases[i].out.map[0]);
		expect(out.map[1], cases[i].out.map[1]);
		expect(out.active, cases[i].out.active);
		expect(cxr_ecmp_errno(out.why), cases[i].error);
	}

	begin("ecmp", "each address table entry belongs to one GID and one port");
	halves(N);
	halves(3);
	halves(2);

	begin("ecmp", "QPs can name each entry used of the address table, however large it is");
	expect(cxr_ecmp_half(255), 127);
	expect(cxr_ecmp_half(257), 128);
	expect(cxr_ecmp_half(0xffff), 128);

	begin("ecmp", "without ECMP the table index is the GID index");
	expect(cxr_ecmp_index(7, 0, 0), 7);
	expect(cxr_ecmp_index(7, 2, 0), 7);
	expect(cxr_ecmp_primary_index(7, 0), 7);

	begin("ecmp", "connected QPs get ports in turn, UD QPs the first port");
	ports();

	begin("ecmp", "fail-back writes MACs before the port map, fail-over after it");
	expect(cxr_ecmp_macs_first((const u8[]){ 1, 2 }), true);
	expect(cxr_ecmp_macs_first((const u8[]){ 1, 1 }), false);
	expect(cxr_ecmp_macs_first((const u8[]){ 2, 2 }), false);

	begin("ecmp", "random walk: no QP on a dead port while one is up, none moved needlessly");
	for (i = 0; i < 8; i++)
		walk(i + 1);
}
