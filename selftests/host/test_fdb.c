// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The FDB policy: what each entry says, what does not fit, random lists against a naive model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "policy/fdb.h"

#define MAX 128

static struct cxr_fdb_entry entries[MAX];
static u32 n, left;

#define UC(n) (0x020000000000ULL + (n))
#define MC(n) (0x01005e000000ULL + (n))

static void build(struct cxr_fdb_vport *vports, u32 count, u32 max)
{
	left = cxr_fdb_share(vports, count, max);
	n = cxr_fdb_build(vports, count, entries);
}

static u64 to(u32 at)
{
	expect(entries[at].to[1], 0);
	expect(entries[at].to[2] & ~(1ULL << 63), 0);
	return entries[at].to[0] | (cxr_fdb_to(entries[at].to, CXR_FDB_UPLINK) ? 1ULL << 63 : 0);
}

#define WIRE (1ULL << 63)

static void test_lists(void)
{
	static const u64 uc_0[] = { UC(1), UC(9) }, uc_1[] = { UC(2) }, uc_2[] = { UC(2), UC(3) };
	static const u64 mc_0[] = { MC(5) };
	struct cxr_fdb_vport vports[] = {
		{ .uc = uc_0, .n_uc = 2, .mc = mc_0, .n_mc = 1, .broadcast = true },
		{ .uc = uc_1, .n_uc = 1, .broadcast = true },
		{ .uc = uc_2, .n_uc = 2 },
	};

	begin("fdb", "without vports that hear something there are no entries");
	build(vports, 0, MAX);
	expect(n, 0);

	begin("fdb", "an address goes to the vports that list it, in the order of addresses");
	build(vports, 3, MAX);
	expect(n, 6);
	expect(entries[0].key, MC(5));
	expect(entries[1].key, UC(1));
	expect(to(1), 1);
	expect(entries[2].key, UC(2));
	expect(to(2), 6);
	expect(to(3), 4);
	expect(entries[4].key, UC(9));

	begin("fdb", "a group also goes to the uplink");
	expect(to(0), 1 | WIRE);
	expect(entries[5].key, CXR_FDB_BROADCAST);
	expect(to(5), 3 | WIRE);
	expect(left, 0);

	begin("fdb", "a vport that hears all groups gets each of them, and those without an entry");
	vports[2].allmulti = true;
	build(vports, 3, MAX);
	expect(n, 7);
	expect(to(0), 5 | WIRE);
	expect(to(5), 7 | WIRE);
	expect(entries[6].key, CXR_FDB_GROUPS);
	expect(to(6), 4 | WIRE);

	begin("fdb", "one that is promiscuous gets what is unknown, not the addresses of others");
	vports[1].promisc = true;
	build(vports, 3, MAX);
	expect(n, 8);
	expect(entries[7].key, CXR_FDB_UNKNOWN);
	expect(to(7), 2);
	expect(to(1), 1);

	begin("fdb", "the weight of an entry is the number of its vports");
	expect(cxr_fdb_weight(entries[6].to), 2);
}

#define ROOM_FOR(macs) ((macs) + CXR_FDB_CATCHALLS + 1)

static u64 uc[3][20], mc[3][20];

static void fill_lists(struct cxr_fdb_vport vports[3])
{
	u32 v, i;

	for (v = 0; v < 3; v++) {
		for (i = 0; i < 20; i++) {
			uc[v][i] = UC(v * 100 + i);
			mc[v][i] = MC(v * 100 + i);
		}
		vports[v] = (struct cxr_fdb_vport){
			.uc = uc[v], .n_uc = 20, .mc = mc[v], .n_mc = 20, .own = uc[v][19],
		};
	}
}

/* To which vports the entry of a key goes; 0: there is none */
static u64 to_of(u64 key)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (entries[i].key == key)
			return to(i);
	return 0;
}

static void test_share(void)
{
	struct cxr_fdb_vport vports[3];
	u32 v;

	begin("fdb", "the PF has all its addresses, each VF a share of the rest, unicast first");
	fill_lists(vports);
	vports[0].n_mc = 2;
	build(vports, 3, ROOM_FOR(22 + 50));
	expect(vports[0].n_uc + vports[0].n_mc, 22);
	expect(vports[1].n_uc, 20);
	expect(vports[1].n_mc, 5);
	expect(vports[2].n_uc, 20);
	expect(vports[2].n_mc, 5);
	expect(n, 72);

	begin("fdb", "what does not fit is counted");
	expect(left, 30);

	begin("fdb", "a PF with too many addresses leaves each VF its own one");
	fill_lists(vports);
	build(vports, 3, ROOM_FOR(19));
	expect(vports[0].n_uc, 16);
	expect(vports[0].n_mc, 0);
	expect(left, 120 - 19);
	expect(n, 19);
	for (v = 0; v < 3; v++)
		expect(to_of(uc[v][19]), 1ULL << v);
	expect(to_of(uc[0][16]), 0);

	begin("fdb", "without room for all VFs the PF has it");
	fill_lists(vports);
	build(vports, 3, ROOM_FOR(1));
	expect(n, 1);
	expect(to_of(uc[0][19]), 1);
	expect(left, 119);
}

static void test_not_cut(void)
{
	static const u64 shared[] = { MC(1), MC(2), MC(3), MC(4), MC(5), MC(6), MC(7), MC(8) };
	struct cxr_fdb_vport vports[3];
	u32 v;

	begin("fdb", "a VF with more addresses than its share keeps its own one, and broadcast");
	fill_lists(vports);
	vports[0].n_uc = 0;
	vports[0].n_mc = 0;
	vports[0].own = 0;
	vports[1].broadcast = true;
	build(vports, 3, ROOM_FOR(6));
	expect(n, 7);
	expect(to_of(CXR_FDB_BROADCAST), 2 | WIRE);
	for (v = 1; v < 3; v++) {
		expect(to_of(uc[v][1]), 1ULL << v);
		expect(to_of(uc[v][2]), 0);
		expect(to_of(uc[v][19]), 1ULL << v);
	}
	expect(left, 80 - 6);

	begin("fdb", "one whose own address is among the lowest has its share, too");
	fill_lists(vports);
	vports[1].own = uc[1][0];
	build(vports, 3, ROOM_FOR(46));
	expect(vports[1].n_uc, 3);
	expect(n, 46);

	begin("fdb", "a group that many hear takes one place");
	for (v = 0; v < 3; v++)
		vports[v] = (struct cxr_fdb_vport){ .mc = shared, .n_mc = 8, .broadcast = true };
	build(vports, 3, ROOM_FOR(8));
	expect(left, 0);
	expect(n, 9);
	expect(to(7), 7 | WIRE);
	build(vports, 3, ROOM_FOR(7));
	expect(left, 24 - 5 - 2);
}

static void test_many(void)
{
	static struct cxr_fdb_vport vports[1 + CXR_FDB_VFS_MAX];
	static const u64 group = MC(1);
	u32 i;

	begin("fdb", "as many VFs as there may be, and none of them is the uplink");
	for (i = 0; i < ARRAY_SIZE(vports); i++)
		vports[i] = (struct cxr_fdb_vport){ .mc = &group, .n_mc = 1 };
	n = cxr_fdb_build(vports, ARRAY_SIZE(vports), entries);
	expect(n, 1);
	expect(cxr_fdb_weight(entries[0].to), ARRAY_SIZE(vports) + 1);
	vports[CXR_FDB_VFS_MAX].n_mc = 0;
	vports[100].n_mc = 0;
	n = cxr_fdb_build(vports, ARRAY_SIZE(vports), entries);
	expect(cxr_fdb_to(entries[0].to, CXR_FDB_VFS_MAX), false);
	expect(cxr_fdb_to(entries[0].to, 100), false);
	expect(cxr_fdb_to(entries[0].to, 99), true);
	expect(cxr_fdb_to(entries[0].to, CXR_FDB_UPLINK), true);
}

#define VPORTS 5
#define MACS 24

struct model {
	bool uc[MACS], mc[MACS];
};

static u32 collect(const bool *has, u64 first, u64 *list)
{
	u32 i, count = 0;

	for (i = 0; i < MACS; i++)
		if (has[i])
			list[count++] = first + i;
	return count;
}

/* Where a frame to @mac from the uplink goes, asked of the entries. */
static u64 looked_up(u64 mac)
{
	bool group = mac >> 40 & 1;
	u32 i;

	for (i = 0; i < n; i++)
		if (entries[i].key == mac || (group && entries[i].key == CXR_FDB_GROUPS) ||
		    entries[i].key == CXR_FDB_UNKNOWN)
			return to(i) & ~WIRE;
	return 0;
}

static u64 wanted(const struct model *model, const struct cxr_fdb_vport *vports, u32 i, bool group)
{
	u64 who = 0, promisc = 0;
	u32 v;

	for (v = 0; v < VPORTS; v++) {
		if (group ? model[v].mc[i] || vports[v].allmulti : model[v].uc[i])
			who |= 1ULL << v;
		if (vports[v].promisc)
			promisc |= 1ULL << v;
	}
	return who ? who : promisc;
}

static void test_random(void)
{
	u64 uc[VPORTS][MACS], mc[VPORTS][MACS];
	struct cxr_fdb_vport vports[VPORTS];
	struct model model[VPORTS];
	u32 round, v, i;

	begin("fdb", "100,000 times random lists: each frame goes where a naive model says");
	for (round = 0; round < 100000; round++) {
		memset(model, 0, sizeof(model));
		for (v = 0; v < VPORTS; v++) {
			for (i = 0; i < MACS; i++) {
				model[v].uc[i] = random() % 4 == 0;
				model[v].mc[i] = random() % 4 == 0;
			}
			vports[v] = (struct cxr_fdb_vport){
				.uc = uc[v], .n_uc = collect(model[v].uc, UC(0), uc[v]),
				.mc = mc[v], .n_mc = collect(model[v].mc, MC(0), mc[v]),
				.allmulti = random() % 4 == 0, .promisc = random() % 4 == 0,
			};
		}
		n = cxr_fdb_build(vports, VPORTS, entries);
		for (i = 0; i < MACS; i++) {
			expect(looked_up(UC(i)), wanted(model, vports, i, false));
			expect(looked_up(MC(i)), wanted(model, vports, i, true));
		}
	}
}

/* Nobody knows where a frame should go, but what is promised holds. */
static void test_random_share(void)
{
	u64 uc_of[VPORTS][MACS], mc_of[VPORTS][MACS];
	struct cxr_fdb_vport vports[VPORTS];
	struct model model;
	u32 round, v, i, max;

	begin("fdb", "100,000 random lists: they fit, own addresses and broadcast are there");
	for (round = 0; round < 100000; round++) {
		for (v = 0; v < VPORTS; v++) {
			for (i = 0; i < MACS; i++) {
				model.uc[i] = random() % 4 == 0;
				model.mc[i] = random() % 4 == 0;
			}
			vports[v] = (struct cxr_fdb_vport){
				.uc = uc_of[v], .n_uc = collect(model.uc, UC(v * 8), uc_of[v]),
				.mc = mc_of[v], .n_mc = collect(model.mc, MC(0), mc_of[v]),
				.broadcast = random() % 2, .allmulti = random() % 4 == 0,
			};
			if (vports[v].n_uc)
				vports[v].own = uc_of[v][random() % vports[v].n_uc];
		}
		max = ROOM_FOR(VPORTS + random() % 64);
		build(vports, VPORTS, max);
		expect(n <= max && n <= cxr_fdb_most(vports, VPORTS), true);
		for (v = 0; v < VPORTS; v++) {
			if (vports[v].own)
				expect(to_of(vports[v].own) >> v & 1, 1);
			expect(vports[v].own || !vports[v].n_uc, true);
			if (vports[v].broadcast)
				expect(to_of(CXR_FDB_BROADCAST) >> v & 1, 1);
		}
	}
}

void test_fdb(void)
{
	test_lists();
	test_share();
	test_not_cut();
	test_many();
	test_random();
	test_random_share();
}
