// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Commands of the function as a whole: its phases, the pages it borrows from the driver,
 * capabilities, UARs.
 *
 * A real card keeps its contexts in pages that the driver gives; this one only counts them, but it
 * counts as if it needed them: a number at boot, more for INIT_HCA, then one page for every few
 * objects, asked for by page request events in good time and offered back when objects have gone.
 */
#include <stdlib.h>
#include <string.h>

#include "func/hca.h"
#include "prm/caps.h"
#include "prm/obj.h"

#define OBJECTS_PER_PAGE 8	/* beyond what the pages of INIT_HCA hold */
#define OBJECTS_IN_INIT_PAGES 512
#define PAGES_LOW 16		/* fewer spare pages than this: ask for more */
#define PAGES_STEP 64
#define PAGES_HIGH (PAGES_STEP + 2 * PAGES_LOW)	/* more spare pages than this: offer some back */

enum query_pages_when { PAGES_BOOT = 1, PAGES_INIT = 2, PAGES_REGULAR = 3 };
enum manage_pages_op { PAGES_CANT_GIVE = 0, PAGES_GIVE = 1, PAGES_TAKE = 2 };

/* ---- phases ---- */

static int check_function(struct cmd *c, bool embedded, uint32_t id)
{
	if (embedded || id)
		return refuse(c, PRM_STATUS_BAD_PARAM, "function %u%s: there is only function 0",
			      id, embedded ? " of the embedded CPU" : "");
	return 0;
}

static int run_enable_hca(struct cmd *c)
{
	const struct prm_enable_hca_in *in = c->in;
	struct hca_state *hca = c->dev->hca;

	if (check_function(c, prm_get(in, embedded_cpu_function), prm_get(in, function_id)))
		return -1;
	if (hca->phase != HCA_OFF)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "the function is enabled already");
	hca->phase = HCA_ENABLED;
	return 0;
}

static int run_disable_hca(struct cmd *c)
{
	const struct prm_disable_hca_in *in = c->in;
	struct hca_state *hca = c->dev->hca;

	if (check_function(c, prm_get(in, embedded_cpu_function), prm_get(in, function_id)))
		return -1;
	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "TEARDOWN_HCA has to come first");
	cxdev_report_leaks(c->dev);
	hca->pages.n = 0;
	hca->pages_asked = 0;
	hca->phase = HCA_OFF;
	hca_caps_reset(c->dev);
	return 0;
}

static uint32_t start_pages(const struct cxdev *dev)
{
	return dev->card->boot_pages + dev->card->init_pages;
}

static int run_init_hca(struct cmd *c)
{
	struct hca_state *hca = c->dev->hca;

	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "the function runs already");
	if (hca->pages.n < start_pages(c->dev))
		return refuse(c, PRM_STATUS_BAD_SYS_STATE,
			      "the card needs %u pages before INIT_HCA and has %u",
			      start_pages(c->dev), hca->pages.n);
	hca->phase = HCA_RUNNING;
	return 0;
}

static int run_teardown_hca(struct cmd *c)
{
	const struct prm_teardown_hca_in *in = c->in;

	if (prm_get(in, profile))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "profile %u: only graceful teardown is supported",
			      prm_get(in, profile));
	hca_stop(c->dev);
	return 0;
}

static int run_query_issi(struct cmd *c)
{
	struct prm_query_issi_out *out = c->out;

	prm_set(out, current_issi, c->dev->hca->issi);
	prm_set(out, supported_issi_dw0, 1u << 0 | 1u << 1);
	return 0;
}

static int run_set_issi(struct cmd *c)
{
	const struct prm_set_issi_in *in = c->in;

	if (prm_get(in, current_issi) > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM, "current_issi %u is not supported",
			      prm_get(in, current_issi));
	c->dev->hca->issi = prm_get(in, current_issi);
	return 0;
}

/* ---- pages ---- */

static int32_t pages_needed(struct cxdev *dev, unsigned int objects)
{
	uint32_t more = 0;

	if (dev->hca->phase != HCA_RUNNING)
		return 0;
	if (objects > OBJECTS_IN_INIT_PAGES)
		more = (objects - OBJECTS_IN_INIT_PAGES + OBJECTS_PER_PAGE - 1) / OBJECTS_PER_PAGE;
	return start_pages(dev) + more;
}

static void pages_request(struct cxdev *dev, int32_t n)
{
	struct prm_eqe_page_req req = { .num_pages = cpu_to_be32(n) };

	dev->hca->pages_asked = n;
	trace(dev, "page request: %d", n);
	event_push(dev, PRM_EVENT_PAGE_REQUEST, 0, &req, sizeof(req));
}

int32_t pages_wanted(struct cxdev *dev)
{
	unsigned int objects = obj_count_all(dev);
	int32_t held = dev->hca->pages.n;

	if (held < pages_needed(dev, objects + PAGES_LOW * OBJECTS_PER_PAGE))
		return PAGES_STEP;
	if (held > pages_needed(dev, objects) + PAGES_HIGH)
		return -PAGES_STEP;
	return 0;
}

bool pages_afford(struct cxdev *dev)
{
	int32_t wanted = pages_wanted(dev);

	if (wanted > 0 && dev->hca->pages_asked <= 0)
		pages_request(dev, wanted);
	return (int32_t)dev->hca->pages.n >= pages_needed(dev, obj_count_all(dev) + 1);
}

void pages_object_gone(struct cxdev *dev)
{
	int32_t wanted = pages_wanted(dev);

	if (wanted < 0 && !dev->hca->pages_asked)
		pages_request(dev, wanted);
}

static int run_query_pages(struct cmd *c)
{
	const struct prm_query_pages_in *in = c->in;
	struct prm_query_pages_out *out = c->out;
	struct hca_state *hca = c->dev->hca;
	uint32_t total;

	if (check_function(c, prm_get(in, embedded_cpu_function), prm_get(in, function_id)))
		return -1;
	switch (c->op_mod) {
	case PAGES_BOOT:
		total = c->dev->card->boot_pages;
		break;
	case PAGES_INIT:
		total = start_pages(c->dev);
		break;
	case PAGES_REGULAR:
		prm_set(out, num_pages, pages_wanted(c->dev));
		return 0;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod is not boot (1), init (2) or regular (3)");
	}
	prm_set(out, num_pages, total > hca->pages.n ? total - hca->pages.n : 0);
	return 0;
}

static bool page_held(const struct held_pages *held, uint64_t pa)
{
	uint32_t i;

	for (i = 0; i < held->n; i++)
		if (held->pa[i] == pa)
			return true;
	return false;
}

static int hold_page(struct cmd *c, struct held_pages *held, uint64_t pa)
{
	uint64_t *bigger;

	if (pa & 0xfff)
		return refuse(c, PRM_STATUS_BAD_PARAM, "page 0x%llx is not aligned to 4 KiB",
			      (unsigned long long)pa);
	if (page_held(held, pa))
		return refuse(c, PRM_STATUS_BAD_PARAM, "page 0x%llx was given before",
			      (unsigned long long)pa);
	if (held->n == held->room) {
		bigger = realloc(held->pa, (held->room + 1024) * sizeof(*bigger));
		if (!bigger)
			return refuse(c, PRM_STATUS_INTERNAL, "the emulator is out of memory");
		held->pa = bigger;
		held->room += 1024;
	}
	held->pa[held->n++] = pa;
	return 0;
}

static int give_pages(struct cmd *c, uint32_t n)
{
	const uint8_t *list = prm_tail_const((const struct prm_manage_pages_in *)c->in);
	struct held_pages *held = &c->dev->hca->pages;
	uint32_t before = held->n, i;
	__be64 be;

	if ((c->in_len - sizeof(struct prm_manage_pages_in)) / 8 < n)
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "input_num_entries %u does not fit into %u bytes", n, c->in_len);
	for (i = 0; i < n; i++) {
		memcpy(&be, list + 8 * i, sizeof(be));
		if (hold_page(c, held, be64_to_cpu(be))) {
			held->n = before;
			return -1;
		}
	}
	if (held->n > c->dev->hca->pages_peak)
		c->dev->hca->pages_peak = held->n;
	return 0;
}

/* Returns what is spare, at most what was asked for and fits; the last ones given come first. */
static int return_pages(struct cmd *c, uint32_t n)
{
	struct prm_manage_pages_out *out = c->out;
	struct held_pages *held = &c->dev->hca->pages;
	int32_t spare = (int32_t)held->n - pages_needed(c->dev, obj_count_all(c->dev));
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
	for (i = 0; i < n; i++) {
		be = cpu_to_be64(held->pa[--held->n]);
		memcpy(list + 8 * i, &be, sizeof(be));
	}
	prm_set(out, output_num_entries, n);
	return 0;
}

static int run_manage_pages(struct cmd *c)
{
	const struct prm_manage_pages_in *in = c->in;
	uint32_t n = prm_get(in, input_num_entries);
	int err = 0;

	if (check_function(c, prm_get(in, embedded_cpu_function), prm_get(in, function_id)))
		return -1;
	switch (c->op_mod) {
	case PAGES_CANT_GIVE:
		notice(c->dev, "the driver cannot give pages");
		break;
	case PAGES_GIVE:
		err = give_pages(c, n);
		break;
	case PAGES_TAKE:
		err = return_pages(c, n);
		break;
	default:
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "op_mod is not can't give (0), give (1) or take back (2)");
	}
	if (!err)
		c->dev->hca->pages_asked = 0;
	return err;
}

/* ---- capabilities ---- */

void hca_caps_reset(struct cxdev *dev)
{
	struct hca_state *hca = dev->hca;
	unsigned int i;

	memset(hca->cap_cur, 0, sizeof(hca->cap_cur));
	memset(hca->cap_max, 0, sizeof(hca->cap_max));
	for (i = 0; i < CAP_TYPES; i++)
		hca->cap_valid[i] = !dev->card->caps(dev, i, hca->cap_cur[i], hca->cap_max[i]);
	hca->issi = 0;
}

static int run_query_hca_cap(struct cmd *c)
{
	const struct prm_query_hca_cap_in *in = c->in;
	struct prm_query_hca_cap_out *out = c->out;
	unsigned int type = c->op_mod >> 1;
	struct hca_state *hca = c->dev->hca;

	if (prm_get(in, other_function) || prm_get(in, ec_vf_function) || prm_get(in, function_id))
		return refuse(c, PRM_STATUS_BAD_PARAM, "there are no other functions");
	if (type >= CAP_TYPES || !hca->cap_valid[type])
		return decline(c, PRM_STATUS_BAD_PARAM, "the card has no capabilities of type 0x%x",
			       type);
	memcpy(prm_tail((struct prm_mbox_out *)c->out),
	       c->op_mod & 1 ? hca->cap_cur[type] : hca->cap_max[type],
	       sizeof(*out) - sizeof(struct prm_mbox_out));
	return 0;
}

/* All ones where the driver may change a capability. */
static void settable(unsigned int type, uint8_t *mask)
{
	struct prm_cmd_hca_cap *gen = (void *)mask;
	struct prm_port_selection_cap *port_selection = (void *)mask;
	struct prm_roce_cap *roce = (void *)mask;

	if (type == CAP_GENERAL) {
		prm_set(gen, pkey_table_size, 0xffff);
		prm_set(gen, log_max_qp, 0x1f);
		prm_set(gen, cmdif_checksum, 3);
		prm_set(gen, uar_4k, 1);
		prm_set(gen, log_uar_page_sz, 0xffff);
		prm_set(gen, cache_line_128byte, 1);
	} else if (type == CAP_ROCE) {
		prm_set(roce, sw_r_roce_src_udp_port, 1);
	} else if (type == CAP_PORT_SELECTION) {
		prm_set(port_selection, port_select_flow_table_bypass, 1);
	}
}

static int check_general(struct cmd *c, const struct prm_cmd_hca_cap *want,
			 const struct prm_cmd_hca_cap *max)
{
	if (prm_get(want, log_max_qp) > prm_get(max, log_max_qp))
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_max_qp %u is above %u",
			      prm_get(want, log_max_qp), prm_get(max, log_max_qp));
	if (prm_get(want, pkey_table_size) > prm_get(max, pkey_table_size))
		return refuse(c, PRM_STATUS_BAD_PARAM, "pkey_table_size 0x%x is above 0x%x",
			      prm_get(want, pkey_table_size), prm_get(max, pkey_table_size));
	if (prm_get(want, log_uar_page_sz) && !prm_get(want, uar_4k))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_uar_page_sz %u without uar_4k: UARs are 4 KiB",
			      prm_get(want, log_uar_page_sz));
	if (prm_get(want, cache_line_128byte) > prm_get(max, cache_line_128byte))
		return refuse(c, PRM_STATUS_BAD_PARAM, "cache_line_128byte is not supported");
	return 0;
}

bool hca_atomics_in_host_order(const struct cxdev *dev)
{
	return prm_get((const struct prm_atomic_caps *)dev->hca->cap_cur[CAP_ATOMIC],
		       atomic_req_8B_endianness_mode);
}

bool hca_affinity_bypass(const struct cxdev *dev)
{
	const void *cur = dev->hca->cap_cur[CAP_PORT_SELECTION];

	return prm_get((const struct prm_port_selection_cap *)cur, port_select_flow_table_bypass);
}

/* Drivers send the one field that can be set, and zeroes around it. */
static int set_atomic(struct cmd *c, const struct prm_atomic_caps *want)
{
	struct prm_atomic_caps *cur = (void *)c->dev->hca->cap_cur[CAP_ATOMIC];
	unsigned int mode = prm_get(want, atomic_req_8B_endianness_mode);

	if (mode > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "atomic_req_8B_endianness_mode %u is neither 0 nor 1", mode);
	if ((prm_get(want, atomic_operations) &&
	     prm_get(want, atomic_operations) != prm_get(cur, atomic_operations)) ||
	    (prm_get(want, atomic_size_qp) &&
	     prm_get(want, atomic_size_qp) != prm_get(cur, atomic_size_qp)))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "of the atomic capabilities only the byte order can be set");
	prm_set(cur, atomic_req_8B_endianness_mode, mode);
	return 0;
}

static int run_set_hca_cap(struct cmd *c)
{
	const struct prm_set_hca_cap_in *in = c->in;
	const uint8_t *want = prm_tail_const((const struct prm_mbox_in *)c->in);
	unsigned int type = c->op_mod >> 1, i;
	struct hca_state *hca = c->dev->hca;
	uint8_t mask[CAP_BYTES] __attribute__((aligned(8))) = {};

	if (prm_get(in, other_function) || prm_get(in, function_id))
		return refuse(c, PRM_STATUS_BAD_PARAM, "there are no other functions");
	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "legal only before INIT_HCA");
	if (type >= CAP_TYPES || !hca->cap_valid[type] || c->op_mod & 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "the card has no capabilities of type 0x%x to set", type);
	if (type == CAP_ATOMIC)
		return set_atomic(c, (const void *)want);
	settable(type, mask);
	for (i = 0; i < CAP_BYTES; i++)
		if ((want[i] ^ hca->cap_cur[type][i]) & ~mask[i])
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "type 0x%x: byte 0x%x is 0x%02x, was 0x%02x: not to be set",
				      type, i, want[i], hca->cap_cur[type][i]);
	if (type == CAP_GENERAL &&
	    check_general(c, (const void *)want, (const void *)hca->cap_max[type]))
		return -1;
	memcpy(hca->cap_cur[type], want, CAP_BYTES);
	return 0;
}

static int run_query_adapter(struct cmd *c)
{
	struct prm_query_adapter_out *out = c->out;

	prm_set(out, query_adapter_struct.ieee_vendor_id, 0x0002c9);
	prm_set(out, query_adapter_struct.vsd_vendor_id, 0x15b3);
	memcpy(prm_bytes(out, query_adapter_struct.vsd_contd_psid), c->dev->card->psid, 16);
	return 0;
}

static int run_set_driver_version(struct cmd *c)
{
	const struct prm_set_driver_version_in *in = c->in;
	const char *version = (const char *)prm_bytes_const(in, driver_version);

	notice(c->dev, "driver %.*s", (int)strnlen(version, 64), version);
	return 0;
}

/* ---- UARs ---- */

static int run_alloc_uar(struct cmd *c)
{
	struct prm_alloc_uar_out *out = c->out;
	struct obj *uar = obj_create(c, OBJ_UAR, sizeof(*uar));

	if (!uar)
		return -1;
	prm_set(out, uar, uar->num);
	return 0;
}

static int run_dealloc_uar(struct cmd *c)
{
	const struct prm_dealloc_uar_in *in = c->in;
	struct obj *uar = obj_get(c, OBJ_UAR, prm_get(in, uar), "uar");

	return uar ? obj_destroy(c, uar) : -1;
}

const struct cmd_desc cmds_hca[] = {
	CMD(enable_hca, .early = true), CMD(disable_hca, .early = true),
	CMD(init_hca, .early = true), CMD(teardown_hca),
	CMD(query_issi, .early = true), CMD(set_issi, .early = true),
	CMD(query_pages, .early = true), CMD(manage_pages, .tail = true, .early = true),
	CMD(query_hca_cap, .early = true), CMD(set_hca_cap, .early = true),
	CMD(query_adapter, .early = true), CMD(set_driver_version),
	CMD(alloc_uar), CMD(dealloc_uar),
	{}
};
