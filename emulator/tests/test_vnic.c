// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* What QUERY_VNIC_ENV counts: each thing that goes wrong. */
#include <stdlib.h>
#include <string.h>

#include "dut.h"
#include "fault/fault.h"
#include "host/control.h"
#include "ktap.h"
#include "prm/nic.h"

#define SMALL 20		/* bytes of a buffer */
#define LOG_EQES 4
#define EQES (1u << LOG_EQES)

static struct dut *d;
static struct dut_wq sq, rq;
static uint8_t packet[2048];
static uint32_t packet_len;

/* All counters in the order of the layout. */
struct counts {
	uint64_t error_queues, prio_updates, steering, async_eq, comp_eq, invalid, quota, cq, small,
		never;
};

static struct counts read_counts(void)
{
	return (struct counts){
		.error_queues = dut_vnic(d, total_error_queues),
		.prio_updates = dut_vnic(d, send_queue_priority_update_flow),
		.steering = dut_vnic(d, nic_receive_steering_discard),
		.async_eq = dut_vnic(d, async_eq_overrun),
		.comp_eq = dut_vnic(d, comp_eq_overrun),
		.invalid = dut_vnic(d, invalid_command),
		.quota = dut_vnic(d, quota_exceeded_command),
		.cq = dut_vnic(d, cq_overrun),
		.small = dut_vnic(d, eth_wqe_too_small),
		.never = dut_vnic(d, internal_rq_out_of_buffer) |
			 dut_vnic(d, generated_pkt_steering_fail) |
			 dut_vnic(d, handled_pkt_steering_fail),
	};
}

static void fault_must(const char *text)
{
	struct cxdev *devs[] = { d->dev };
	char line[128], answer[256];
	FILE *out = fmemopen(answer, sizeof(answer), "w");
	int err;

	snprintf(line, sizeof(line), "%s", text);
	err = fault_line(line, devs, 1, out);
	fclose(out);
	if (!err)
		return;
	printf("Bail out! fault %s: %s", text, answer);
	exit(1);
}

static void set_up(const struct card *card)
{
	struct flow flow = tcp4;
	uint32_t tir;

	d = dut_create_card("a", 0, card);
	memcpy(flow.dmac, d->dev->mac, 6);
	memcpy(flow.smac, d->dev->mac, 6);
	packet_len = make_packet(packet, &flow);
	rq = dut_create_rq(d, 4, 5, NULL);
	tir = dut_direct_tir(d, rq.num);
	dut_tir_hears(d, tir, PRM_TIR_SELF_UNICAST);
	sq = dut_create_sq(d, 4, NULL);
	dut_send(d, &sq, packet, packet_len, 0);	/* there is no table yet */
	dut_receive_all(d, tir);
}

/* A command that fails, as the fault says. */
static void failed_command(const char *how)
{
	struct prm_query_issi_in in = {};
	struct prm_query_issi_out out;

	fault_must(how);
	dut_cmd(d, query_issi, &in, &out);
	fault_must("clear");
}

static void commands(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		failed_command("a command query_issi status 0x5");
	for (i = 0; i < 3; i++)
		failed_command("a command query_issi status 0x8");
}

static void prio_of_tis(void)
{
	struct prm_query_sq_in ask = {};
	struct prm_query_sq_out context;
	struct prm_modify_tis_in in = {};
	struct prm_modify_tis_out out;

	prm_set(&ask, sqn, sq.num);
	dut_must(d, query_sq, &ask, &context);
	prm_set(&in, tisn, prm_get(&context, sq_context.tis_num_0));
	prm_set(&in, bitmask.prio, 1);
	prm_set(&in, ctx.prio, 3);
	dut_must(d, modify_tis, &in, &out);
}

/* An EQ without asynchronous events is one of completions. */
static void comp_eq_overrun(void)
{
	struct prm_create_eq_in in = {};
	struct prm_create_eq_out out;
	uint64_t pas = htobe64(dut_alloc(d, EQES * 64));
	unsigned int i;

	prm_set(&in, eq_context_entry.log_eq_size, LOG_EQES);
	prm_set(&in, eq_context_entry.uar_page, d->uar);
	dut_check(dut_cmd_tail(d, create_eq, &in, &out, &pas, sizeof(pas)), "create_eq");
	for (i = 0; i < EQES + 2; i++)
		eq_push(obj_find(d->dev, OBJ_EQ, prm_get(&out, eq_number)), PRM_EVENT_COMP, 0, "",
			1);
}

/* Neither the CQ nor the EQ accepts anything more. */
static void overruns(void)
{
	fault_must("a cqe any overrun");
	dut_send(d, &sq, packet, packet_len, 0);
	fault_must("clear");
	fault_must("a event port_change overrun");
	event_dispatch(d->dev, PRM_EVENT_PORT_CHANGE, 0, "", 1);
	fault_must("clear");
	comp_eq_overrun();
}

static void test_card(const struct card *card)
{
	struct counts is, newer = {};

	set_up(card);
	is = read_counts();
	ktap(is.steering == 1 && !is.error_queues && !is.invalid && !is.quota && !is.async_eq,
	     "%s: a packet that no table takes is counted", card->name);
	commands();
	is = read_counts();
	ktap(is.invalid == 2 && is.quota == 3,
	     "%s: commands that fail, and those above a quota, are counted", card->name);
	prio_of_tis();
	ktap(dut_vnic(d, send_queue_priority_update_flow) == 1,
	     "%s: a changed priority of a send queue is counted", card->name);
	dut_post_rq(d, &rq, SMALL);
	dut_send(d, &sq, packet, packet_len, 0);
	if (card->vnic_env_newer)
		newer.small = 1;
	is = read_counts();
	ktap(is.error_queues == 1 && is.small == newer.small,
	     "%s: a queue in error is counted, a buffer that is too small if the card does",
	     card->name);
	overruns();
	if (card->vnic_env_newer)
		newer.cq = 1;
	is = read_counts();
	ktap(is.cq == newer.cq && is.async_eq == 1 && is.comp_eq == 2,
	     "%s: overruns of CQs and EQs are counted", card->name);
	ktap(is.steering == 1 && is.invalid == 2 && is.quota == 3 && is.small == newer.small &&
	     !is.never, "%s: nothing else is", card->name);
	cxdev_reset(d->dev);
	d->dev->hca->phase = HCA_RUNNING;
	is = read_counts();
	ktap(!memcmp(&is, &(struct counts){}, sizeof(is)),
	     "%s: a reset clears them", card->name);
	dut_destroy(d);
}

int main(void)
{
	const struct card *card;
	unsigned int i;

	ktap_plan(0);
	/* ConnectX-4 does not send packets without inline headers, as these are */
	for (i = 0; (card = card_nth(i)); i++)
		if (card->inline_mode != PRM_INLINE_MODE_L2)
			test_card(card);
	return ktap_end();
}
