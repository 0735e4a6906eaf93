// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory keys: lists of pages and of other keys, of any lengths and shapes, and of the device's
 * memory, which the host accesses as well; and accesses by them. An input is a list of steps; a key
 * is named by when it was made.
 */
#include "../tests/rdma.h"
#include "fuzz.h"

#define STEPS_MAX 64
#define KEYS_MAX 32
#define ENTRIES_MAX 2048u
#define ACCESS_MAX 65536u

enum {
	CREATE_KLM, CREATE_MTT, DESTROY, CHECK, READ, WRITE, CREATE_KSM, CREATE_MEMIC, ALLOC_MEMIC,
	FREE_MEMIC, CPU, ACTIONS
};

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

struct pattern {
	struct klm entry[4];
	unsigned int n;
	uint32_t block, times;	/* entries of a repeat block; 0: no blocks but by chance */
};

/* The top of the number of entries asks for blocks, which have the right sums. */
static struct pattern some_pattern(struct input *in, enum mkey_mode mode)
{
	uint8_t shape = input_u8(in);
	struct pattern p = { .n = 1 + shape % 4 };
	unsigned int i;

	for (i = 0; i < p.n; i++) {
		p.entry[i].bytes = input_number(in);
		p.entry[i].key = some_key(in);
		p.entry[i].va = input_u8(in) & 1 ? a.va : input_number(in);
	}
	if (mode == MKEY_KLM && shape >= 128) {
		p.block = 1 + input_u16(in) % (ENTRIES_MAX - 1);
		p.times = input_number(in);
	}
	return p;
}

/* The head of a block of entry @at and those behind it. */
static struct klm block_head(const struct pattern *p, uint32_t at, uint32_t n)
{
	struct klm head = { 0, PRM_KLM_REPEAT, (uint64_t)p->times << 32 | n };

	while (n--)
		head.bytes += klm_bytes(&p->entry[at++ % p->n]);
	return head;
}

/* Entries repeat the pattern. */
static void put_list(struct input *in, enum mkey_mode mode, uint8_t *list, uint32_t octwords)
{
	const struct pattern p = some_pattern(in, mode);
	uint32_t i, n;

	for (i = 0; i < octwords; i++, list += 16) {
		struct klm klm = p.entry[i % p.n];

		if (p.block && !(i % (p.block + 1))) {
			n = octwords - i - 1;
			klm = block_head(&p, i + 1, n < p.block ? n : p.block);
		}
		put32(list, klm.bytes);
		put32(list + 4, klm.key);
		put64(list + 8, klm.va);
		if (mode != MKEY_MTT)
			continue;
		put64(list, a.buf);
		put64(list + 8, klm.va & ~7ull);
	}
}

static void create(struct input *in, enum mkey_mode mode)
{
	uint32_t octwords = input_u16(in) % (ENTRIES_MAX + 1);
	uint32_t size = sizeof(struct prm_create_mkey_in) + octwords * 16;
	struct prm_create_mkey_in *cmd = calloc(1, size);
	struct prm_create_mkey_out out;

	prm_set(cmd, opcode, PRM_OP_create_mkey);
	prm_set(cmd, memory_key_mkey_entry.access_mode_1_0, mode);
	prm_set(cmd, memory_key_mkey_entry.lr, 1);
	prm_set(cmd, memory_key_mkey_entry.lw, 1);
	prm_set(cmd, memory_key_mkey_entry.rr, 1);
	prm_set(cmd, memory_key_mkey_entry.rw, 1);
	prm_set(cmd, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(cmd, memory_key_mkey_entry.pd, a.pd);
	prm_set(cmd, memory_key_mkey_entry.log_page_size,
		mode == MKEY_KLM ? 0 : 12 + input_u8(in) % 21);
	prm_set64(cmd, memory_key_mkey_entry.start_addr, input_number(in));
	prm_set64(cmd, memory_key_mkey_entry.len, input_number(in));
	prm_set(cmd, memory_key_mkey_entry.translations_octword_size, octwords);
	prm_set(cmd, translations_octword_actual_size, octwords);
	put_list(in, mode, prm_tail(cmd), octwords);
	if (n_keys < KEYS_MAX &&
	    !exec(&a, PRM_OP_create_mkey, cmd, size, &out, sizeof(out)))
		keys[n_keys++] = prm_get(&out, mkey_index) << 8;
	free(cmd);
}

/* A place near the beginning of the memory, or any. */
static uint64_t some_place(struct input *in)
{
	uint64_t at = input_u16(in);

	return a.dev->card->memic_at + (at & 1 ? input_number(in) : at & ~63ull);
}

static void create_memic(struct input *in)
{
	struct prm_create_mkey_in cmd = {};
	struct prm_create_mkey_out out;

	prm_set(&cmd, memory_key_mkey_entry.access_mode_1_0, MKEY_MEMIC & 3);
	prm_set(&cmd, memory_key_mkey_entry.access_mode_4_2, MKEY_MEMIC >> 2);
	prm_set(&cmd, memory_key_mkey_entry.lr, 1);
	prm_set(&cmd, memory_key_mkey_entry.lw, 1);
	prm_set(&cmd, memory_key_mkey_entry.rw, 1);
	prm_set(&cmd, memory_key_mkey_entry.qpn, 0xffffff);
	prm_set(&cmd, memory_key_mkey_entry.pd, a.pd);
	prm_set64(&cmd, memory_key_mkey_entry.start_addr, some_place(in));
	prm_set64(&cmd, memory_key_mkey_entry.len, input_number(in));
	if (n_keys < KEYS_MAX && !command(&a, create_mkey, &cmd, &out))
		keys[n_keys++] = prm_get(&out, mkey_index) << 8;
}

static void alloc_memic(struct input *in)
{
	struct prm_alloc_memic_in cmd = {};
	struct prm_alloc_memic_out out;

	prm_set64(&cmd, range_start_addr, some_place(in));
	prm_set(&cmd, range_size, input_number(in));
	prm_set(&cmd, memic_size, input_u16(in) & 1 ? input_number(in) : 64 * input_u8(in));
	prm_set(&cmd, log_memic_addr_alignment, input_u8(in) % 8);
	command(&a, alloc_memic, &cmd, &out);
}

static void free_memic(struct input *in)
{
	struct prm_dealloc_memic_in cmd = {};
	struct prm_dealloc_memic_out out;
	uint64_t addr = some_place(in);
	const struct memic *memic = memic_find(a.dev, addr, 0);

	prm_set64(&cmd, memic_start_addr, addr);
	prm_set(&cmd, memic_size, memic ? memic->len : input_number(in));
	command(&a, dealloc_memic, &cmd, &out);
}

static void cpu_access(struct input *in)
{
	uint8_t data[8], how = input_u8(in);
	uint64_t from = a.dev->card->memic_at, at = from + some_place(in) % MEMIC_BAR_BYTES;
	unsigned int len = 1u << (how >> 1 & 3);

	/* The host refuses what leaves the BAR. */
	if (at > a.dev->card->bar_bytes - len)
		at = a.dev->card->bar_bytes - len;
	input_bytes(in, data, len);
	if (how & 1)
		bar_write(a.dev, at, data, len);
	else
		bar_read(a.dev, at, data, len);
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
	card_devx = true;	/* for KSM, and memory */
	sides_open();
	for (n = 0; n < STEPS_MAX && input.left; n++) {
		action = input_u8(&input) % ACTIONS;
		if (action == CREATE_KLM)
			create(&input, MKEY_KLM);
		else if (action == CREATE_MTT)
			create(&input, MKEY_MTT);
		else if (action == CREATE_KSM)
			create(&input, MKEY_KSM);
		else if (action == CREATE_MEMIC)
			create_memic(&input);
		else if (action == ALLOC_MEMIC)
			alloc_memic(&input);
		else if (action == FREE_MEMIC)
			free_memic(&input);
		else if (action == CPU)
			cpu_access(&input);
		else if (action == DESTROY)
			destroy_mkey(&a, some_key(&input) == a.lkey ? 0 : some_key(&input));
		else
			one_access(&input, action);
	}
	sides_close();
	return input_end();
}
