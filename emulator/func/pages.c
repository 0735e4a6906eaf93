// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The pages that the driver gives to the card.
 *
 * A real card keeps its contexts in them; this one only counts, as if it needed them: a number at
 * boot, more for INIT_HCA, then one page for every few objects, requested by page request events
 * before they run out, and returned the same way when objects are destroyed.
 *
 * For a VF that its PF enables, it is the PF's driver that is asked and that gives them: those of
 * boot and INIT_HCA as soon as it is enabled.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "func/func.h"
#include "prm/caps.h"
#include "prm/obj.h"

#define OBJECTS_PER_PAGE 8	/* beyond OBJECTS_IN_INIT_PAGES */
#define OBJECTS_IN_INIT_PAGES 512
#define ROCE_PAGES 256		/* of those for INIT_HCA; 1 MiB */
#define PAGES_LOW 16		/* fewer spare pages: request more */
#define PAGES_STEP 64
#define PAGES_ROOM_MIN 2048
#define PAGES_MAX (1u << 18)	/* 1 GiB; 2 million objects need no more */
#define PAGES_HIGH (PAGES_STEP + 2 * PAGES_LOW)	/* more spare pages: return some */

enum query_pages_when { PAGES_BOOT = 1, PAGES_INIT = 2, PAGES_REGULAR = 3 };

uint32_t pages_initial(const struct cxdev *dev)
{
	return dev->card->boot_pages + dev->card->init_pages - (hca_roce(dev) ? 0 : ROCE_PAGES);
}

static int32_t pages_needed(struct cxdev *dev, unsigned int objects)
{
	uint32_t more = 0;

	if (dev->hca->phase != HCA_RUNNING)
		return dev->enabled_by_pf ? pages_initial(dev) : 0;
	if (objects > OBJECTS_IN_INIT_PAGES && hca_requests_pages(dev))
		more = (objects - OBJECTS_IN_INIT_PAGES + OBJECTS_PER_PAGE - 1) / OBJECTS_PER_PAGE;
	return pages_initial(dev) + more;
}

struct cxdev *pages_giver(struct cxdev *dev)
{
	return dev->pf ? dev->pf : dev;
}

static void ask(struct cxdev *dev, int32_t n)
{
	struct prm_eqe_page_req req = { .func_id = cpu_to_be16(dev->pf ? dev->function_id : 0),
					.num_pages = cpu_to_be32(n) };

	trace(dev, "page request: %d", n);
	event_dispatch(pages_giver(dev), PRM_EVENT_PAGE_REQUEST, 0, &req, sizeof(req));
}

void pages_request(struct cxdev *dev, int32_t n)
{
	dev->hca->pages_requested = n;
	ask(dev, n);
}

/* Earlier requests may be on their way. */
void pages_balance(struct cxdev *vf)
{
	int32_t lacks = pages_needed(vf, obj_count_all(vf)) - (int32_t)vf->hca->pages.n;
	int32_t more = lacks - vf->hca->pages_requested;

	vf->hca->pages_requested = lacks;
	if (more)
		ask(vf, more);
}

int32_t pages_wanted(struct cxdev *dev)
{
	unsigned int objects = obj_count_all(dev);
	int32_t held = dev->hca->pages.n;

	if (!hca_requests_pages(dev))
		return 0;
	if (held < pages_needed(dev, objects + PAGES_LOW * OBJECTS_PER_PAGE))
		return PAGES_STEP;
	if (held > pages_needed(dev, objects) + PAGES_HIGH)
		return -PAGES_STEP;
	return 0;
}

bool pages_suffice(struct cxdev *dev)
{
	int32_t wanted = pages_wanted(dev);

	if (wanted > 0 && dev->hca->pages_requested <= 0)
		pages_request(dev, wanted);
	return (int32_t)dev->hca->pages.n >= pages_needed(dev, obj_count_all(dev) + 1);
}

bool pages_to_come(struct cxdev *dev)
{
	return dev->hca->pages_requested > 0 && !dev->hca->pages_denied &&
	       event_has_sink(pages_giver(dev), PRM_EVENT_PAGE_REQUEST);
}

void pages_object_destroyed(struct cxdev *dev)
{
	int32_t wanted = pages_wanted(dev);

	if (wanted < 0 && !dev->hca->pages_requested)
		pages_request(dev, wanted);
}

static int run_query_pages(struct cmd *c)
{
	const struct prm_query_pages_in *in = c->in;
	struct prm_query_pages_out *out = c->out;
	struct cxdev *dev = cmd_function(c, prm_get(in, embedded_cpu_function),
					 prm_get(in, function_id));
	uint32_t total;

	if (!dev)
		return -1;
	switch (c->op_mod) {
	case PAGES_BOOT:
		total = dev->card->boot_pages;
		break;
	case PAGES_INIT:
		total = pages_initial(dev);
		break;
	case PAGES_REGULAR:
		total = 0;
		break;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod is not boot (1), init (2) or regular (3)");
	}
	prm_set(out, function_id, prm_get(in, function_id));
	if (c->dev->pf)		/* its PF gives them */
		return 0;
	if (c->op_mod == PAGES_REGULAR)
		prm_set(out, num_pages, pages_wanted(dev));
	else
		prm_set(out, num_pages, total > dev->hca->pages.n ? total - dev->hca->pages.n : 0);
	return 0;
}

/* ---- the pages that it holds: a list, in the order in which they came, and a hash of it ---- */

static uint32_t hash_place(const struct held_pages *held, uint64_t pa)
{
	return hash_mix(0, pa) & held->mask;
}

/* The place of the page in the hash, or the free one where it would be. */
static uint32_t find_place(const struct held_pages *held, uint64_t pa)
{
	uint32_t at = hash_place(held, pa);

	while (held->hash[at] && held->pa[held->hash[at] - 1] != pa)
		at = (at + 1) & held->mask;
	return at;
}

/* Doubles the room: the hash has twice as many places as there are pages. */
static int more_room(struct held_pages *held)
{
	uint32_t room = held->room ? 2 * held->room : PAGES_ROOM_MIN, i;
	uint64_t *pa = realloc(held->pa, room * sizeof(*pa));
	uint32_t *hash = calloc(2 * room, sizeof(*hash));

	if (pa)
		held->pa = pa;
	if (!pa || !hash) {
		free(hash);
		return -1;
	}
	free(held->hash);
	held->hash = hash;
	held->mask = 2 * room - 1;
	held->room = room;
	for (i = 0; i < held->listed; i++)
		held->hash[find_place(held, held->pa[i])] = i + 1;
	return 0;
}

static bool holds(const struct held_pages *held, uint64_t pa)
{
	return held->listed && held->hash[find_place(held, pa)];
}

/* By the function that gives it, or one of its VFs. */
static bool is_held(struct cxdev *dev, uint64_t pa)
{
	const struct cxdev *vf;
	unsigned int i;

	if (holds(&dev->hca->pages, pa))
		return true;
	for (i = 1; i <= vfs_count(dev); i++) {
		vf = vfs_function(dev, i);
		if (vf && holds(&vf->hca->pages, pa))
			return true;
	}
	return false;
}

static int add_page(struct cmd *c, struct held_pages *held, uint64_t pa)
{
	if (pa & 0xfff)
		return refuse(c, PRM_STATUS_BAD_PARAM, "page 0x%llx is not aligned to 4 KiB",
			      (unsigned long long)pa);
	if (held->listed == PAGES_MAX)
		return refuse(c, PRM_STATUS_NO_RES, "the card holds %u pages, as many as it can",
			      held->listed);
	if (held->listed == held->room && more_room(held))
		return refuse(c, PRM_STATUS_INTERNAL, "the emulator is out of memory");
	if (is_held(c->dev, pa))
		return refuse(c, PRM_STATUS_BAD_PARAM, "page 0x%llx was already given",
			      (unsigned long long)pa);
	held->n++;
	held->pa[held->listed++] = pa;
	held->hash[find_place(held, pa)] = held->listed;
	return 0;
}

/* The page that came last: no other has its place in the hash because of it. */
static uint64_t take_page(struct held_pages *held)
{
	uint64_t pa = held->pa[held->listed - 1];

	held->hash[find_place(held, pa)] = 0;
	held->n--;
	held->listed--;
	return pa;
}

void pages_forget(struct cxdev *dev)
{
	struct held_pages *held = &dev->hca->pages;

	free(held->pa);
	free(held->hash);
	memset(held, 0, sizeof(*held));
}

static int give_pages(struct cmd *c, struct cxdev *dev, uint32_t n)
{
	const uint8_t *list = prm_tail_const((const struct prm_manage_pages_in *)c->in);
	struct held_pages *held = &dev->hca->pages;
	uint32_t before = held->n, i;
	__be64 be;

	if ((c->in_len - sizeof(struct prm_manage_pages_in)) / 8 < n)
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "input_num_entries %u does not fit into %u bytes", n, c->in_len);
	for (i = 0; i < n; i++) {
		memcpy(&be, list + 8 * i, sizeof(be));
		if (add_page(c, held, be64_to_cpu(be))) {
			while (held->n > before)
				take_page(held);
			return -1;
		}
	}
	if (held->n > dev->hca->pages_peak)
		dev->hca->pages_peak = held->n;
	return 0;
}

/* Returns spare pages, at most @n, the last given first. */
static int return_pages(struct cmd *c, struct cxdev *dev, uint32_t n)
{
	struct prm_manage_pages_out *out = c->out;
	struct held_pages *held = &dev->hca->pages;
	int32_t spare = (int32_t)held->n - pages_needed(dev, obj_count_all(dev));
	uint8_t *list = prm_tail(out);
	uint32_t i;
	__be64 be;

	if ((c->out_len - sizeof(*out)) / 8 < n)
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN,
			      "input_num_entries %u does not fit into %u bytes of output", n,
			      c->out_len);
	if (spare < 0)
		spare = 0;
	if (n > (uint32_t)spare)
		n = spare;
	if (n > held->listed)
		n = held->listed;
	for (i = 0; i < n; i++) {
		be = cpu_to_be64(take_page(held));
		memcpy(list + 8 * i, &be, sizeof(be));
	}
	prm_set(out, output_num_entries, n);
	return 0;
}

/* Of a VF several requests may be on their way. */
static void answer(struct cxdev *vf, unsigned int op_mod, uint32_t n)
{
	int32_t *requested = &vf->hca->pages_requested;

	if (op_mod == PAGES_CANT_GIVE)
		*requested = 0;
	else if (op_mod == PAGES_GIVE && *requested > 0)
		*requested = (uint32_t)*requested > n ? *requested - (int32_t)n : 0;
	else if (op_mod == PAGES_TAKE && *requested < 0)
		*requested = pages_needed(vf, obj_count_all(vf)) < (int32_t)vf->hca->pages.n ?
				     *requested + (int32_t)n : 0;
}

void pages_refused(struct cmd *c)
{
	const struct prm_manage_pages_in *in = c->in;
	struct cxdev *dev = cmd_function(c, prm_get(in, embedded_cpu_function),
					 prm_get(in, function_id));

	if (!dev || c->op_mod != PAGES_GIVE)
		return;
	dev->hca->pages_requested = 0;
	dev->hca->pages_denied = true;
	if (dev != c->dev)
		cmdq_retry(dev);
}

static int run_manage_pages(struct cmd *c)
{
	const struct prm_manage_pages_in *in = c->in;
	struct cxdev *dev = cmd_function(c, prm_get(in, embedded_cpu_function),
					 prm_get(in, function_id));
	uint32_t n = prm_get(in, input_num_entries);
	int err = 0;

	if (!dev)
		return -1;
	if (c->dev->pf)
		return n ? refuse(c, PRM_STATUS_BAD_PARAM,
				  "it is the PF that gives pages to its VFs") : 0;
	if (vf_is_absent(dev) && c->op_mod == PAGES_GIVE)
		return decline(c, PRM_STATUS_BAD_SYS_STATE, "function %u is not enabled",
			       dev->function_id);
	switch (c->op_mod) {
	case PAGES_CANT_GIVE:
		notice(dev, "the driver cannot give pages");
		dev->hca->pages_denied = true;
		break;
	case PAGES_GIVE:
		err = give_pages(c, dev, n);
		dev->hca->pages_denied = false;
		break;
	case PAGES_TAKE:
		err = return_pages(c, dev, n);
		break;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod is not cannot give (0), give (1) or take (2)");
	}
	if (err)
		return err;
	if (dev == c->dev) {
		dev->hca->pages_requested = 0;
		return 0;
	}
	answer(dev, c->op_mod, n);
	cmdq_retry(dev);
	return 0;
}

const struct cmd_desc cmds_pages[] = {
	CMD(query_pages, .early = true),
	CMD(manage_pages, .tail = true, .early = true),
	{}
};
