// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory keys: lists of pages and of other keys, of any lengths and shapes, and accesses by them.
 * An input is a list of steps; a key is named by when it was made.
 */
#include "../tests/rdma.h"
#include "fuzz.h"

#define STEPS_MAX 64
#define KEYS_MAX 32
#define ENTRIES_MAX 2048u
#define ACCESS_MAX 65536u

enum { CREATE_KLM, CREATE_MTT, DESTROY, CHECK, READ, WRITE, ACTIONS };

static uint32_t keys[KEYS_MAX];
static unsigned int n_keys;

/* A known key, the function's own first one, or any. */
static uint32_t some_key(struct input *in)
{
	uint8_t which = input_u8(in);

	if (which == 255)
		return input_u16(in) << 8;
	if (!n_keys || which >= 128)
		return a.lkey;
	return keys[which % n_keys];
}

/* Entries repeat a pattern that the input gives. */
static void put_list(struct input *in, bool klm, uint8_t *list, uint32_t octwords)
{
	struct { uint32_t bytes, key; uint64_t va; } pattern[4];
	unsigned int n = 1 + input_u8(in) % 4, i;

	for (i = 0; i < n; i++) {
		pattern[i].bytes = input_number(in);
		pattern[i].key = some_key(in);
		pattern[i].va = input_u8(in) & 1 ? a.va : input_number(in);
	}
	for (i = 0; i < octwords; i++, list += 16) {
		put32(list, pattern[i % n].bytes);
		put32(list + 4, pattern[i % n].key);
		put64(list + 8, pattern[i % n].va);
		if (klm)
			continue;
		put64(list, a.buf);
		put64(list + 8, pattern[i % n].va & ~7ull);
	}
}

static void create(struct input *in, bool klm)
{
	uint32_t octwords = input_u16(in) % (ENTRIES_MAX + 1);
	uint32_t size = sizeof(struct prm_create_mkey_in) + octwords * 16;
	struct prm_create_mkey_in *cmd = calloc(1, size);
	struct prm_create_mkey_out out;

	prm_set(cmd, opcode, PRM_OP_create_mkey);
	prm_set(cmd, memory_key_mkey_entry.access_mode_1_0, klm ? MKEY_KLM : MKEY_MTT);
	prm_set(cmd, memory_key_mkey_entry.lr, 1);
	prm_set(cmd, memory_key_mkey_entry.lw, 1);
	prm_set(cmd, memory_key_mkey_entry.rr, 1);
	prm_set(cmd, memory_key_mkey_entry.rw, 1);
	prm_set(cmd, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(cmd, memory_key_mkey_entry.pd, a.pd);
	prm_set(cmd, memory_key_mkey_entry.log_page_size, klm ? 0 : 12 + input_u8(in) % 21);
	prm_set64(cmd, memory_key_mkey_entry.start_addr, input_number(in));
	prm_set64(cmd, memory_key_mkey_entry.len, input_number(in));
	prm_set(cmd, memory_key_mkey_entry.translations_octword_size, octwords);
	prm_set(cmd, translations_octword_actual_size, octwords);
	put_list(in, klm, prm_tail(cmd), octwords);
	if (n_keys < KEYS_MAX &&
	    !exec(&a, PRM_OP_create_mkey, cmd, size, &out, sizeof(out)))
		keys[n_keys++] = prm_get(&out, mkey_index) << 8;
	free(cmd);
}

static void one_access(struct input *in, unsigned int action)
{
	static uint8_t data[ACCESS_MAX];
	struct mem_user user = { .pdn = a.pd, .qpn = 5 };
	uint32_t key = some_key(in);
	uint64_t va = input_number(in), len = input_number(in);

	if (action == CHECK)
		mem_check(a.dev, user, key, va, len & 0x7fffffff, MEM_REMOTE_WRITE);
	else if (action == READ)
		mem_read(a.dev, user, key, va, data, len % ACCESS_MAX, MEM_LOCAL_READ);
	else
		mem_write(a.dev, user, key, va, data, len % ACCESS_MAX, MEM_REMOTE_WRITE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_begin(data, size);
	unsigned int n, action;

	n_keys = 0;
	sides_open();
	for (n = 0; n < STEPS_MAX && input.left; n++) {
		action = input_u8(&input) % ACTIONS;
		if (action == CREATE_KLM || action == CREATE_MTT)
			create(&input, action == CREATE_KLM);
		else if (action == DESTROY)
			destroy_mkey(&a, some_key(&input) == a.lkey ? 0 : some_key(&input));
		else
			one_access(&input, action);
	}
	sides_close();
	return input_end();
}
