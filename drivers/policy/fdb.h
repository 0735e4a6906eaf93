/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The FDB of an e-switch in legacy mode: from what the functions of a card want to hear, the
 * entries that send it to their vports.
 */
#ifndef CXR_POLICY_FDB_H
#define CXR_POLICY_FDB_H

#include <linux/types.h>

/* Vport 0 is the PF's, 1 and on those of its VFs; the last one stands for the uplink. */
#define CXR_FDB_WORDS	3
#define CXR_FDB_VPORTS	(CXR_FDB_WORDS * 64)
#define CXR_FDB_UPLINK	(CXR_FDB_VPORTS - 1)
#define CXR_FDB_VFS_MAX	(CXR_FDB_VPORTS - 2)

/* What a vport wants to hear. Lists of MACs, ascending and without duplicates */
struct cxr_fdb_vport {
	const u64 *uc, *mc;
	u32 n_uc, n_mc;
	u64 own;		/* of those in @uc the one to cut last; 0: none */
	bool broadcast;		/* which is in no list */
	bool allmulti, promisc;	/* granted, not only asked for */
};

/* Keys above all MACs: any group, and, from the uplink, what has no other entry */
#define CXR_FDB_GROUPS	0x1000000000000ULL
#define CXR_FDB_UNKNOWN	0x2000000000000ULL

struct cxr_fdb_entry {
	u64 key;		/* a MAC, or one of the above */
	u64 to[CXR_FDB_WORDS];	/* a bit for each vport */
};

/* Entries beside those of MACs */
#define CXR_FDB_CATCHALLS 2
#define CXR_FDB_BROADCAST 0xffffffffffffULL

/*
 * Cuts the lists so that all fit into @max entries, at least 4, if they do not. Each VF may have
 * the same share of what vport 0 leaves, which is one entry at least if there are that many, so
 * that none can take the place of another. Broadcast is not cut, and the own address of a vport
 * only if it has no share. Returns how many MACs are left out.
 */
u32 cxr_fdb_share(struct cxr_fdb_vport *vports, u32 n, u32 max);
/* The most entries that cxr_fdb_build() fills. */
u32 cxr_fdb_most(const struct cxr_fdb_vport *vports, u32 n);
/*
 * Fills @entries, ascending by key, and returns their number. A group goes to those that listed it,
 * to those that hear all groups, and to the uplink, as the sender may be in the card.
 */
u32 cxr_fdb_build(const struct cxr_fdb_vport *vports, u32 n, struct cxr_fdb_entry *entries);
bool cxr_fdb_to(const u64 *to, u32 vport);
u32 cxr_fdb_weight(const u64 *to);

#endif
