// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * On-demand paging by the memory scheme: what the events of a page fault say, how its token ends,
 * and the null key that a driver makes for an address space.
 */
#include "rdma_odp.h"

#define LEN	9000u
#define MTU	1024u

/* An event of the key's pages, by their addresses: @n from page @page on. */
static bool asks_for(const struct odp_event *event, const struct odp_key *key, unsigned int page,
		     unsigned int n)
{
	return event->subtype == PRM_FAULT_MEMORY && event->rkey == key->key &&
	       event->va == key->va / PAGE * PAGE + page * PAGE && event->pages == n;
}

/* ---- every access -------------------------------------------------------------------------- */

/* Memory at one end is missing, page by page. */
struct access {
	const char *name;
	uint8_t opcode;
	bool target;		/* at the end that is not the requester */
	bool imm;		/* takes a receive, too */
	uint8_t bits;		/* what the pages need */
	unsigned int error;	/* of the requester, if they do not come */
};

static const struct access accesses[] = {
	{ "data of a SEND", PRM_WQE_SEND, false, true, MTT_READ, PRM_CQE_SYND_LOCAL_PROT },
	{ "data of a WRITE", PRM_WQE_RDMA_WRITE, false, false, MTT_READ, PRM_CQE_SYND_LOCAL_PROT },
	{ "destination of a READ", PRM_WQE_RDMA_READ, false, false, PRESENT,
	  PRM_CQE_SYND_LOCAL_PROT },
	{ "room of a receive", PRM_WQE_SEND, true, true, PRESENT, PRM_CQE_SYND_REMOTE_OP },
	{ "target of a WRITE", PRM_WQE_RDMA_WRITE, true, false, PRESENT,
	  PRM_CQE_SYND_REMOTE_ACCESS },
	{ "target of a WRITE with immediate", PRM_WQE_RDMA_WRITE_IMM, true, true, PRESENT,
	  PRM_CQE_SYND_REMOTE_ACCESS },
	{ "source of a READ", PRM_WQE_RDMA_READ, true, false, MTT_READ,
	  PRM_CQE_SYND_REMOTE_ACCESS },
};

static const struct access data_of_write = { .opcode = PRM_WQE_RDMA_WRITE };

static void start(const struct access *access, const struct odp_key *key)
{
	struct tsge there = { b.va, LEN, b.lkey }, here = { a.va, LEN, a.lkey },
		    paged = { key->va, LEN, key->key }, far = access->target ? paged : there;
	struct wr wr = { .opcode = access->opcode, .n = 1, .raddr = far.va,
			 .rkey = access->opcode == PRM_WQE_SEND ? 0 : far.key,
			 .sge = { access->target ? here : paged } };

	if (access->imm)
		post_recv(&y, 1, &far);
	post_send(&x, &wr);
}

static void test_access(const struct access *access)
{
	struct side *side = access->target ? &b : &a;
	struct odp_key key = odp_create(side, 0, 0);
	uint32_t from = access->target ? 0 : key.off, to = access->target ? key.off : 0;
	bool read = access->opcode == PRM_WQE_RDMA_READ;
	struct odp_event event;
	unsigned int page = 0;
	uint64_t last = 0;
	bool good = true;

	odp_pair(&odp_rc);
	buf_fill(read ? &b : &a, read ? to : from, LEN, 3);
	start(access, &key);
	while (odp_event(side, &event)) {
		good = good && asks_for(&event, &key, page, 1) && event.last &&
		       event.token >> 32 && event.token != last && odp_result(&ca) == 0xff;
		last = event.token;
		odp_set(&key, page++, 1, access->bits);
		good = good && odp_no_event(side) && !odp_resume(side, &event, false);
		odp_wait_rnr();
	}
	ok(good && page == 3, "%s: an event for each page that is missing", access->name);
	ok(!odp_result(&ca) && buf_is(read ? &a : &b, read ? from : to, LEN, 3),
	   "%s: with all pages it ends well", access->name);
	drain(&ca, &cb);
	odp_set(&key, 0, ODP_PAGES, 0);
	start(access, &key);
	ok(odp_event(side, &event) && !odp_resume(side, &event, true),
	   "%s: resumed with an error", access->name);
	odp_wait_rnr();
	ok(odp_result(&ca) == access->error && odp_no_event(side),
	   "%s: it fails, by syndrome 0x%02x", access->name, access->error);
	destroy_pair(&x, &y);
	destroy_mkey(side, key.key);
}

static void test_atomic(void)
{
	struct odp_key from = odp_create(&a, 0, 0), to = odp_create(&b, 0, MTT_READ);
	struct wr wr = { .opcode = PRM_WQE_ATOMIC_FA, .n = 1, .raddr = to.va, .rkey = to.key,
			 .swap_add = 5, .sge = { { from.va + 8, 8, from.key } } };
	uint8_t *at = buf_at(&b, to.off);
	struct odp_event event;

	odp_pair(&odp_rc);
	memset(at, 0, 8);
	at[0] = 9;
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && asks_for(&event, &to, 0, 1) && at[0] == 9,
	   "FETCH_ADD: a page that may only be read is none");
	odp_set(&to, 0, 1, PRESENT);
	odp_resume(&b, &event, false);
	odp_wait_rnr();
	ok(at[0] == 14 && odp_event(&a, &event) && asks_for(&event, &from, 0, 1),
	   "FETCH_ADD: it has been added, the page of the result is missing");
	odp_set(&from, 0, 1, PRESENT);
	odp_resume(&a, &event, false);
	ok(!odp_result(&ca) && at[0] == 14 && *buf_at(&a, from.off + 15) == 9,
	   "FETCH_ADD: the result comes, and nothing was added twice");
	destroy_pair(&x, &y);
	destroy_mkey(&a, from.key);
	destroy_mkey(&b, to.key);
}

/* ---- events of a fault --------------------------------------------------------------------- */

/* Parts of one packet in two keys, with one that is not paged between them. */
static void start_parts(const struct odp_key *one, const struct odp_key *two)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 3, .raddr = b.va, .rkey = b.rkey,
			 .sge = { { one->va + PAGE - 50, 100, one->key }, { a.va, 50, a.lkey },
				  { two->va + 8, 64, two->key } } };

	post_send(&x, &wr);
}

static void test_parts(void)
{
	struct odp_key one = odp_create(&a, 0, 0), two = odp_create(&a, 1, 0);
	struct odp_event first, second;

	odp_pair(&odp_rc);
	buf_fill(&a, one.off + PAGE - 50, 100, 5);
	start_parts(&one, &two);
	ok(odp_event(&a, &first) && asks_for(&first, &one, 0, 2) && !first.last,
	   "one event for two pages of a key, and it is not the last one");
	ok(odp_event(&a, &second) && asks_for(&second, &two, 0, 1) && second.last &&
	   second.token == first.token && odp_no_event(&a),
	   "the last one is for another key, and has the same token");
	odp_set(&one, 0, 2, PRESENT);
	odp_set(&two, 0, 1, PRESENT);
	ok(!odp_resume(&a, &second, false) && !odp_result(&ca) && buf_is(&b, 0, 100, 5),
	   "the token is resumed once");
	odp_violations();
	ok(odp_resume(&a, &first, false) == PRM_STATUS_BAD_RES && odp_violations() == 1,
	   "to resume each event is a violation");
	destroy_pair(&x, &y);
	destroy_mkey(&a, one.key);
	destroy_mkey(&a, two.key);
}

/* Resumes that come after the first one, and which of them is a violation. */
struct late {
	const char *name;
	bool error[3], wrong[3];
};

static const struct late late_cases[] = {
	{ "an error, then the last event", { true, false, false }, { false, false, true } },
	{ "an error for each event", { true, true, true }, { false, false, true } },
	{ "the last event, then an error", { false, true, true }, { false, false, true } },
	{ "the last event twice", { false, false, true }, { false, true, false } },
};

/* As of events that are handled at the same time. */
static void test_late(const struct late *late)
{
	struct odp_key one = odp_create(&a, 0, 0), two = odp_create(&a, 1, 0);
	unsigned int i, synd = late->error[0] ? PRM_CQE_SYND_LOCAL_PROT : 0;
	struct odp_event first, second;
	bool good = true;
	int status;

	odp_pair(&odp_rc);
	start_parts(&one, &two);
	odp_event(&a, &first);
	odp_event(&a, &second);
	if (!synd) {
		odp_set(&one, 0, 2, PRESENT);
		odp_set(&two, 0, 1, PRESENT);
	}
	odp_violations();
	for (i = 0; i < ARRAY_SIZE(late->error); i++) {
		status = odp_resume(&a, late->error[i] ? &first : &second, late->error[i]);
		good = good && status == (i ? PRM_STATUS_BAD_RES : 0) &&
		       odp_violations() == late->wrong[i];
	}
	ok(good, "%s: one of each event is let pass, and one without an error", late->name);
	ok(odp_result(&ca) == synd && odp_result(&ca) == 0xff && odp_no_event(&a),
	   "%s: the first one counts", late->name);
	destroy_pair(&x, &y);
	destroy_mkey(&a, one.key);
	destroy_mkey(&a, two.key);
}

/* All places but one are taken, and none of the faults is resumed. */
static void test_places(void)
{
	struct odp_key one = odp_create(&a, 0, 0), two = odp_create(&a, 1, 0);
	struct page_fault_state *state = &a.dev->rdma_state->page_faults;
	struct odp_event event, last;
	unsigned int n = 0;

	odp_pair(&odp_rc);
	start(&data_of_write, &one);
	settle();
	while (state->n < PAGE_FAULTS / 2) {
		odp_reset_pair(&odp_rc);
		start_parts(&one, &two);
		settle();
		if (state->n != ++n + 1)
			break;
	}
	for (n = 0; odp_event(&a, &event); n++)
		last = event;
	ok(n == PAGE_FAULTS - 1, "there are %u events of page faults", n);
	odp_reset_pair(&odp_rc);
	start_parts(&one, &two);
	pass_time(20);
	ok(odp_no_event(&a) && odp_result(&ca) == 0xff,
	   "a page fault of two events has no room in the last place: it waits");
	odp_resume(&a, &last, false);
	pass_time(3);
	ok(odp_event(&a, &event) && !event.last && odp_event(&a, &event) && event.last,
	   "when another one has been resumed its events come");
	odp_reset_pair(&odp_rc);
	start(&data_of_write, &one);
	ok(odp_event(&a, &event) && event.last, "that of one event has room in the last place");
	destroy_pair(&x, &y);
	ok(!state->n && !state->events, "with the queue pair all of them go");
	destroy_mkey(&a, one.key);
	destroy_mkey(&a, two.key);
}

#define SCHEME "odp_cap.memory_page_fault_scheme_cap."

static void test_caps(void)
{
	struct odp_key key = odp_create(&a, 0, 0);
	struct odp_event event;

	odp_pair(&odp_rc);
	start(&data_of_write, &key);
	ok(odp_event(&a, &event) && event.before && event.after > event.before,
	   "a page fault asks for pages around those that are missing");
	odp_set_cap(&a, SCHEME "page_prefetch", 0);
	odp_resume(&a, &event, false);
	ok(odp_event(&a, &event) && !event.before && !event.after,
	   "without the capability it asks for no more than what is missing");
	odp_set_cap(&a, SCHEME "page_prefetch", 1);
	odp_set_cap(&a, SCHEME "rc_odp_caps.write", 0);
	odp_resume(&a, &event, false);
	ok(odp_result(&ca) == PRM_CQE_SYND_LOCAL_PROT && odp_no_event(&a),
	   "without that of WRITE there is no page fault");
	odp_set_cap(&a, SCHEME "rc_odp_caps.write", 1);
	odp_violations();
	ok(!odp_choose(&a, false) && !odp_choose(&a, true) && !odp_violations(),
	   "either scheme can be chosen");
	destroy_pair(&x, &y);
	destroy_mkey(&a, key.key);
}

/* ---- what the driver can do wrong ---------------------------------------------------------- */

static void test_tokens(void)
{
	struct odp_key key = odp_create(&a, 0, 0);
	struct odp_event event, other;

	odp_pair(&odp_rc);
	start(&data_of_write, &key);
	odp_event(&a, &event);
	odp_violations();
	other = event;
	other.token &= 0xffffffff;
	ok(odp_resume(&a, &other, false) == PRM_STATUS_BAD_RES && odp_violations() == 1,
	   "a token without its upper bits is a violation");
	other = event;
	other.subtype = PRM_FAULT_WQE;
	other.type = PRM_FAULT_WQE_SEND_WRITE;
	other.wq = x.qpn;
	ok(odp_resume(&a, &other, false) == PRM_STATUS_BAD_PARAM && odp_violations() == 1,
	   "so is the form of the transport scheme");
	ok(odp_result(&ca) == 0xff && odp_no_event(&a), "the queue pair still waits");
	odp_set(&key, 0, ODP_PAGES, PRESENT);
	ok(!odp_resume(&a, &event, false) && !odp_result(&ca), "the right one resumes it");
	ok(odp_resume(&a, &event, false) == PRM_STATUS_BAD_RES && odp_violations() == 1,
	   "a second time is a violation");
	destroy_pair(&x, &y);
	destroy_mkey(&a, key.key);
}

/* ---- all memory ---------------------------------------------------------------------------- */

struct null_key {
	unsigned int log_page, octwords;
	bool pages, umr;
};

/* Of all addresses, none of which is there. */
static int create_null(struct side *side, const struct null_key *as, uint32_t *key)
{
	struct { struct prm_create_mkey_in in; __be64 mtt[8]; } cmd = {};
	struct prm_create_mkey_out out = {};
	int status;

	odp_pages_key(&cmd.in, side);
	prm_set(&cmd.in, pg_access, as->pages);
	prm_set(&cmd.in, translations_octword_actual_size, as->octwords);
	prm_set(&cmd.in, memory_key_mkey_entry.umr_en, as->umr);
	prm_set(&cmd.in, memory_key_mkey_entry.length64, 1);
	prm_set(&cmd.in, memory_key_mkey_entry.translations_octword_size, 4);
	prm_set(&cmd.in, memory_key_mkey_entry.log_page_size, as->log_page);
	status = exec(side, PRM_OP_create_mkey, &cmd, sizeof(cmd), &out, sizeof(out));
	*key = prm_get(&out, mkey_index) << 8;
	return status;
}

static void test_implicit(void)
{
	struct odp_key child = odp_create(&b, 0, PRESENT);
	static const struct null_key all = { 61, 4, true, false };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = 5 * PAGE + 40,
			 .sge = { { a.va, 3000, a.lkey } } };
	struct odp_event event;
	struct odp_list list;
	uint32_t null;

	ok(!create_null(&b, &all, &null), "a null key of all addresses");
	odp_list_create(&list, &b, 0, null);
	wr.rkey = list.key;
	odp_pair(&odp_rc);
	buf_fill(&a, 0, 3000, 12);
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && event.rkey == null && event.va == 5 * PAGE &&
	   event.pages == 1 && event.last, "a WRITE to it raises a page fault of the null key");
	ok(!odp_list_put(&list, 5, child.key, child.va) && !odp_resume(&b, &event, false),
	   "an entry gets a key of pages");
	odp_wait_rnr();
	ok(!odp_result(&ca) && odp_no_event(&b) && buf_is(&b, child.off + 40, 3000, 12),
	   "then the WRITE ends well");
	wr.rkey = null;
	wr.raddr = ~0ull - 2999;
	post_send(&x, &wr);
	ok(odp_event(&b, &event) && event.rkey == null && event.va == -(uint64_t)PAGE,
	   "the last addresses of the null key fault");
	odp_resume(&b, &event, true);
	odp_wait_rnr();
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS, "and fail");
	destroy_pair(&x, &y);
	destroy_mkey(&b, list.key);
	destroy_mkey(&b, null);
	destroy_mkey(&b, child.key);
}

static void test_wrong_null_keys(void)
{
	static const struct null_key wrong[] = {
		{ 31, 4, true, false }, { 61, 3, true, false }, { 61, 4, false, false },
		{ 61, 4, true, true },
	};
	unsigned int i, n = 0;
	uint32_t key;

	odp_violations();
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		n += create_null(&b, &wrong[i], &key) == PRM_STATUS_BAD_PARAM;
	ok(n == ARRAY_SIZE(wrong) && odp_violations() == n,
	   "a key of all addresses in another form is a violation");
}

/* Nobody could say what memory that is. */
static void test_reserved(void)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .n = 1, .raddr = PAGE,
			 .sge = { { a.va, 64, a.lkey } } };
	struct odp_list list;

	odp_list_create(&list, &b, 0, MKEY_NULL);
	wr.rkey = list.key;
	odp_pair(&odp_rc);
	post_send(&x, &wr);
	ok(odp_result(&ca) == PRM_CQE_SYND_REMOTE_ACCESS && odp_no_event(&b),
	   "the device's null key raises no page fault, it fails");
	destroy_pair(&x, &y);
	destroy_mkey(&b, list.key);
}

/* What was to be let pass is not, of a driver that starts the function again. */
static void test_stop(void)
{
	struct odp_key one = odp_create(&a, 0, 0), two = odp_create(&a, 1, 0);
	struct page_fault_state *state = &a.dev->rdma_state->page_faults;
	struct odp_event event;
	unsigned int i, n = 0;

	odp_pair(&odp_rc);
	start_parts(&one, &two);
	odp_event(&a, &event);
	odp_resume(&a, &event, true);
	n = state->faults[event.token % PAGE_FAULTS].late;
	destroy_pair(&x, &y);
	cxdev_reset(a.dev);
	for (i = 0; i < PAGE_FAULTS; i++)
		n += state->faults[i].gone || state->faults[i].late || state->faults[i].qp;
	ok(n == 1 && !state->n && !state->events, "a reset of the function ends all page faults");
}

int main(void)
{
	unsigned int i;

	odp_open(true);
	create_cq(&ca, &a, 7);
	create_cq(&cb, &b, 7);
	for (i = 0; i < ARRAY_SIZE(accesses); i++)
		test_access(&accesses[i]);
	test_atomic();
	test_parts();
	for (i = 0; i < ARRAY_SIZE(late_cases); i++)
		test_late(&late_cases[i]);
	test_places();
	test_caps();
	test_tokens();
	test_implicit();
	test_wrong_null_keys();
	test_reserved();
	test_stop();
	sides_close();
	return ok_end();
}
