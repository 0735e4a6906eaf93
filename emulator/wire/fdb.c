// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The addresses that the switch has learned, in sets. */
#include <string.h>

#include "wire/fdb.h"

#define FDB_SETS 256
#define FDB_WAYS 4

struct fdb_entry {
	uint64_t key;	/* of the address */
	struct port *port; /* NULL: free */
	uint64_t used;
};

static struct fdb_entry fdb[FDB_SETS][FDB_WAYS];
static uint64_t fdb_clock;

/* In two parts: one of eight bytes would have to wait for the stores of six. */
static uint64_t key_of(const uint8_t *mac)
{
	uint32_t low;
	uint16_t high;

	memcpy(&low, mac, sizeof(low));
	memcpy(&high, mac + sizeof(low), sizeof(high));
	return low | (uint64_t)high << 32;
}

static struct fdb_entry *fdb_set(uint64_t key)
{
	return fdb[(key * 0x9e3779b97f4a7c15ull >> 32) % FDB_SETS];
}

struct port *fdb_lookup(const uint8_t *mac)
{
	uint64_t key = key_of(mac);
	struct fdb_entry *set = fdb_set(key);
	int i;

	for (i = 0; i < FDB_WAYS; i++) {
		if (set[i].port && set[i].key == key) {
			set[i].used = ++fdb_clock;
			return set[i].port;
		}
	}
	return NULL;
}

struct port *fdb_peek(const uint8_t *mac)
{
	uint64_t key = key_of(mac);
	const struct fdb_entry *set = fdb_set(key);
	int i;

	for (i = 0; i < FDB_WAYS; i++)
		if (set[i].port && set[i].key == key)
			return set[i].port;
	return NULL;
}

struct port *fdb_learn(const uint8_t *mac, struct port *port)
{
	uint64_t key = key_of(mac);
	struct fdb_entry *set = fdb_set(key), *victim = &set[0];
	struct port *before;
	int i;

	for (i = 0; i < FDB_WAYS; i++) {
		if (set[i].port && set[i].key == key) {
			victim = &set[i];
			break;
		}
		if (!set[i].port || (victim->port && set[i].used < victim->used))
			victim = &set[i];
	}

	before = victim->port;
	victim->key = key;
	victim->port = port;
	victim->used = ++fdb_clock;
	return before == port ? NULL : before;
}

void fdb_flush_port(const struct port *port)
{
	int i, j;

	for (i = 0; i < FDB_SETS; i++)
		for (j = 0; j < FDB_WAYS; j++)
			if (fdb[i][j].port == port)
				fdb[i][j].port = NULL;
}
