// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>

#include "fdb.h"

#define GROUP_BIT 0x10000000000ULL
#define NO_KEY (~0ULL)

bool cxr_fdb_to(const u64 *to, u32 vport)
{
	return to[vport / 64] >> (vport % 64) & 1;
}

u32 cxr_fdb_weight(const u64 *to)
{
	u32 vport, n = 0;

	for (vport = 0; vport < CXR_FDB_VPORTS; vport++)
		n += cxr_fdb_to(to, vport);
	return n;
}

static void send_to(struct cxr_fdb_entry *entry, u32 vport)
{
	entry->to[vport / 64] |= 1ULL << (vport % 64);
}

/* The first MAC of a list that is not below @from */
static u64 next_of(const u64 *list, u32 n, u64 from)
{
	u32 low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n ? list[low] : NO_KEY;
}

static u64 lower(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 next_key(const struct cxr_fdb_vport *vports, u32 n, u64 from)
{
	u64 key = NO_KEY;
	u32 i;

	for (i = 0; i < n; i++) {
		key = lower(key, next_of(vports[i].uc, vports[i].n_uc, from));
		key = lower(key, next_of(vports[i].mc, vports[i].n_mc, from));
		if (vports[i].own && vports[i].own >= from)
			key = lower(key, vports[i].own);
		if (vports[i].broadcast && CXR_FDB_BROADCAST >= from)
			key = lower(key, CXR_FDB_BROADCAST);
	}
	return key;
}

static bool lists(const struct cxr_fdb_vport *vport, u64 key)
{
	if (key == CXR_FDB_BROADCAST)
		return vport->broadcast;
	if (key & GROUP_BIT)
		return next_of(vport->mc, vport->n_mc, key) == key;
	return key == vport->own || next_of(vport->uc, vport->n_uc, key) == key;
}

static void fill(const struct cxr_fdb_vport *vports, u32 n, struct cxr_fdb_entry *entry, u64 key)
{
	u32 i;

	memset(entry, 0, sizeof(*entry));
	entry->key = key;
	for (i = 0; i < n; i++)
		if (lists(&vports[i], key) || (key & GROUP_BIT && vports[i].allmulti))
			send_to(entry, i);
	if (key & GROUP_BIT)
		send_to(entry, CXR_FDB_UPLINK);
}

/* Those of all groups, and of what is unknown, if anybody wants them */
static u32 add_catchalls(const struct cxr_fdb_vport *vports, u32 n, struct cxr_fdb_entry *entries)
{
	struct cxr_fdb_entry unknown = { .key = CXR_FDB_UNKNOWN };
	struct cxr_fdb_entry groups = { .key = CXR_FDB_GROUPS };
	u32 i, added = 0;

	for (i = 0; i < n; i++) {
		if (vports[i].allmulti)
			send_to(&groups, i);
		if (vports[i].promisc)
			send_to(&unknown, i);
	}
	if (cxr_fdb_weight(groups.to)) {
		send_to(&groups, CXR_FDB_UPLINK);
		entries[added++] = groups;
	}
	if (cxr_fdb_weight(unknown.to))
		entries[added++] = unknown;
	return added;
}

static u32 cut(u32 *n, u32 limit)
{
	u32 left = *n > limit ? *n - limit : 0;

	*n -= left;
	return left;
}

/* Unicast first, and of it @own. Returns how much of @share it has. */
static u32 cut_vport(struct cxr_fdb_vport *vport, u32 share, u32 *left)
{
	u32 over = cut(&vport->n_uc, share), n_uc = vport->n_uc;

	if (!share)
		vport->own = 0;
	else if (over && vport->own > vport->uc[n_uc - 1])
		vport->n_uc--;		/* it takes the place of another */
	*left += over + cut(&vport->n_mc, share - n_uc);
	return n_uc + vport->n_mc;
}

/* VFs that listen to the same groups need one entry for each. */
static bool all_fit(const struct cxr_fdb_vport *vports, u32 n, u32 limit)
{
	u64 key = next_key(vports, n, 0);
	u32 count = 0;

	for (; key < CXR_FDB_BROADCAST; key = next_key(vports, n, key + 1))
		if (++count > limit)
			return false;
	return true;
}

u32 cxr_fdb_share(struct cxr_fdb_vport *vports, u32 n, u32 max)
{
	u32 i, limit = max - CXR_FDB_CATCHALLS - 1, vfs = n - 1, left = 0;

	if (!n || all_fit(vports, n, limit))
		return 0;
	limit -= cut_vport(&vports[0], vfs < limit ? limit - vfs : limit, &left);
	for (i = 1; i < n; i++)
		cut_vport(&vports[i], limit / vfs, &left);
	return left;
}

u32 cxr_fdb_most(const struct cxr_fdb_vport *vports, u32 n)
{
	u32 i, most = CXR_FDB_CATCHALLS + 1;

	for (i = 0; i < n; i++)
		most += vports[i].n_uc + vports[i].n_mc + 1;
	return most;
}

u32 cxr_fdb_build(const struct cxr_fdb_vport *vports, u32 n, struct cxr_fdb_entry *entries)
{
	u64 key = next_key(vports, n, 0);
	u32 filled = 0;

	for (; key != NO_KEY; key = next_key(vports, n, key + 1))
		fill(vports, n, &entries[filled++], key);
	return filled + add_catchalls(vports, n, &entries[filled]);
}
