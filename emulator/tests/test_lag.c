// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Ethernet frames of a card whose two ports are a LAG: the port that a TIS names, or a hash. */
#include <string.h>

#include "card/card.h"
#include "dut.h"
#include "port/port.h"
#include "prm/definer.h"
#include "prm/lag.h"
#include "vfu_client.h"

static struct dut *card[LAG_PORTS], *alone;

static int create_tis(struct dut *dut, unsigned int affinity, bool strict, uint32_t *tisn)
{
	struct prm_create_tis_in in = {};
	struct prm_create_tis_out out;
	int status;

	prm_set(&in, ctx.transport_domain, dut->td);
	prm_set(&in, ctx.lag_tx_port_affinity, affinity);
	prm_set(&in, ctx.strict_lag_tx_port_affinity, strict);
	status = dut_cmd(dut, create_tis, &in, &out);
	*tisn = prm_get(&out, tisn);
	return status;
}

static uint32_t tis_of_next;

static void use_tis(struct prm_sqc *ctx)
{
	prm_set(ctx, tis_num_0, tis_of_next);
}

/* By which port of the card a frame of this function leaves: 1 or 2, 0: none. */
static unsigned int leaves(struct dut *dut, struct dut_wq *sq)
{
	struct flow flow = { .dmac = { 2, 9, 9, 9, 9, 9 }, .vlan = -1, .payload = 64 };
	uint64_t before[LAG_PORTS];
	uint8_t packet[128];
	unsigned int i, port = 0;

	memcpy(flow.smac, dut->dev->mac, 6);
	for (i = 0; i < LAG_PORTS; i++)
		before[i] = port_counters(card[i]->dev->port)->tx_frames;
	dut_send(dut, sq, packet, make_packet(packet, &flow), 0);
	dut_run();
	for (i = 0; i < LAG_PORTS; i++)
		if (port_counters(card[i]->dev->port)->tx_frames != before[i])
			port = port ? 9 : i + 1;
	return port;
}

static int lag(bool on, unsigned int one, unsigned int two)
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;
	struct prm_destroy_lag_in gone = {};

	if (!on)
		return dut_cmd(card[0], destroy_lag, &gone, &out);
	prm_set(&in, ctx.tx_remap_affinity_1, one);
	prm_set(&in, ctx.tx_remap_affinity_2, two);
	return dut_cmd(card[0], create_lag, &in, &out);
}

static int change(struct dut *dut, uint32_t tisn, unsigned int affinity)
{
	struct prm_modify_tis_in in = {};
	struct prm_modify_tis_out out;

	prm_set(&in, tisn, tisn);
	prm_set(&in, bitmask.lag_tx_port_affinity, 1);
	prm_set(&in, ctx.lag_tx_port_affinity, affinity);
	return dut_cmd(dut, modify_tis, &in, &out);
}

static struct dut_wq sq_with(struct dut *dut, unsigned int affinity, bool strict, uint32_t *tisn)
{
	dut_check(create_tis(dut, affinity, strict, tisn), "create_tis");
	tis_of_next = *tisn;
	return dut_create_sq(dut, 8, use_tis);
}

static bool count(void *arg, const struct frame *frame)
{
	(void)frame;
	++*(unsigned int *)arg;
	return true;
}

/* Port 2 has a cable to a receiver that stands still; port 1 is on the switch. */
static void test_wait(struct dut_wq *sq, const char *mode)
{
	struct flow flow = { .dmac = { 2, 9, 9, 9, 9, 9 }, .vlan = -1, .payload = 64 };
	struct port *slow = port_create(NULL, "slow");
	uint64_t at = card[0]->next, own;
	unsigned int i, got = 0;
	uint8_t packet[128];
	uint32_t len;

	port_set_sink(slow, count, &got);
	port_cable(card[1]->dev->port, slow);
	port_hold(slow, true);
	memcpy(flow.smac, card[0]->dev->mac, 6);
	len = make_packet(packet, &flow);
	for (i = 0; i < 970; i++) {
		struct frame *frame = frame_alloc(60);

		memset(frame->data, 2, 60);
		port_send(card[1]->dev->port, frame);
	}
	for (i = 0; i < 200; i++) {
		card[0]->next = at;
		dut_send(card[0], sq, packet, len, 0);
	}
	dut_run();
	ktap(!port_counters(slow)->full, "%s: a queue waits for whom its port of the card sends to",
	     mode);
	own = port_counters(card[0]->dev->port)->tx_frames;
	dut_check(lag(false, 0, 0), "destroy_lag");
	dut_run();
	ktap(port_counters(card[0]->dev->port)->tx_frames > own + 100,
	     "%s: it goes on by another port when the LAG says so", mode);
	port_hold(slow, false);
	dut_run();
	port_destroy(slow);
	while (dut_poll(card[0], &sq->cq))
		;
}

static void test_tis(void)
{
	uint32_t tis_own, tis_two, tis_strict;
	struct dut_wq own = sq_with(card[1], 0, false, &tis_own);
	struct dut_wq two = sq_with(card[0], 2, false, &tis_two);
	struct dut_wq strict = sq_with(card[1], 0, true, &tis_strict);

	ktap(leaves(card[1], &own) == 2 && leaves(card[0], &two) == 1 &&
	     leaves(card[1], &strict) == 2, "without a LAG frames leave by their function's port");
	ktap(!lag(true, 1, 2), "CREATE_LAG succeeds");
	ktap(leaves(card[1], &own) == 2 && leaves(card[0], &two) == 2,
	     "in a LAG frames leave by the TIS's port, or their function's");
	ktap(!lag(false, 0, 0) && !lag(true, 1, 1), "the LAG can map both affinities to port 1");
	ktap(leaves(card[1], &own) == 1 && leaves(card[0], &two) == 1,
	     "frames of both affinities leave by port 1");
	ktap(leaves(card[1], &strict) == 2,
	     "a strict TIS keeps its function's port in spite of the map");
	ktap(!change(card[0], tis_two, 1) && !lag(false, 0, 0) && !lag(true, 2, 1) &&
	     leaves(card[0], &two) == 2, "MODIFY_TIS changes the affinity");
	test_wait(&two, "affinity");
	dut_check(lag(true, 2, 1), "create_lag");
	ktap(change(card[0], tis_two, 3) && dut_violations(card[0]) == 1,
	     "MODIFY_TIS refuses affinity 3");
	lag(false, 0, 0);
}

/* ---- hash mode ---- */

static uint32_t create_definer(void)
{
	struct prm_create_general_object_in in = {};
	struct prm_create_general_object_out out;
	struct prm_match_definer ctx = {};
	struct prm_match_definer_format_0 *mask = (void *)(ctx.dw + prm_bit(&ctx, match_mask) / 32);

	prm_set(&in, obj_type, PRM_OBJ_MATCH_DEFINER);
	prm_set(mask, outer_smac_15_0, 0xffff);
	dut_check(dut_cmd_tail(card[0], create_general_object, &in, &out, &ctx, sizeof(ctx)),
		  "create_general_object");
	return prm_get(&out, obj_id);
}

static uint32_t hash_table, hash_group;

/* A hash group of one entry is the root: all leave by one port. */
static void create_tables(void)
{
	struct prm_create_flow_table_in table = {};
	struct prm_create_flow_table_out made;
	struct prm_create_flow_group_in group = {};
	struct prm_create_flow_group_out grouped;
	struct prm_set_flow_table_root_in root = {};
	struct prm_set_flow_table_root_out out;

	prm_set(&table, table_type, PRM_FT_PORT_SEL);
	dut_must(card[0], create_flow_table, &table, &made);
	hash_table = prm_get(&made, table_id);
	prm_set(&group, table_type, PRM_FT_PORT_SEL);
	prm_set(&group, table_id, hash_table);
	prm_set(&group, group_type, PRM_FG_HASH_SPLIT);
	prm_set(&group, match_definer_id, create_definer());
	dut_must(card[0], create_flow_group, &group, &grouped);
	hash_group = prm_get(&grouped, group_id);
	prm_set(&root, table_type, PRM_FT_PORT_SEL);
	prm_set(&root, table_id, hash_table);
	dut_must(card[0], set_flow_table_root, &root, &out);
}

static void forward_to(unsigned int port, bool modify)
{
	struct prm_set_fte_in in = {};
	struct prm_set_fte_out out;
	struct prm_dest_format_struct dest = {};

	prm_set(&in, op_mod, modify);
	prm_set(&in, modify_enable_mask, modify ? PRM_FTE_MODIFY_DEST_LIST : 0);
	prm_set(&in, table_type, PRM_FT_PORT_SEL);
	prm_set(&in, table_id, hash_table);
	prm_set(&in, flow_context.group_id, hash_group);
	prm_set(&in, flow_context.action, PRM_FLOW_FWD_DEST);
	prm_set(&in, flow_context.destination_list_size, 1);
	prm_set(&dest, destination_type, PRM_FLOW_DEST_UPLINK);
	prm_set(&dest, destination_eswitch_owner_vhca_id_valid, 1);
	prm_set(&dest, destination_eswitch_owner_vhca_id, card[port - 1]->dev->index);
	dut_check(dut_cmd_tail(card[0], set_fte, &in, &out, &dest, sizeof(dest)), "set_fte");
}

static int hash_lag(void)
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;

	prm_set(&in, ctx.port_select_mode, PRM_LAG_PORT_SELECT_FT);
	return dut_cmd(card[0], create_lag, &in, &out);
}

static void test_hash(void)
{
	uint32_t tis_one, tis_two, tis_named, tis_strict;
	struct dut_wq one = sq_with(card[0], 0, false, &tis_one);
	struct dut_wq two = sq_with(card[1], 0, false, &tis_two);
	struct dut_wq named = sq_with(card[0], 1, false, &tis_named);
	struct dut_wq strict = sq_with(card[0], 0, true, &tis_strict);

	create_tables();
	forward_to(2, false);
	ktap(leaves(card[0], &one) == 1, "without a LAG the port selection tables are not used");
	ktap(!hash_lag() && leaves(card[0], &one) == 2 && leaves(card[1], &two) == 2,
	     "in hash mode port 1's tables select the port for both functions");
	forward_to(1, true);
	ktap(leaves(card[0], &one) == 1 && leaves(card[1], &two) == 1,
	     "a modified entry selects the other port");
	forward_to(2, true);
	ktap(leaves(card[0], &named) == 2, "without the bypass the affinity of a TIS is ignored");
	test_wait(&one, "hash");
	dut_check(hash_lag(), "create_lag");
	ktap(leaves(card[0], &strict) == 1, "in hash mode a strict TIS keeps its function's port");
	ktap(!dut_violations(card[0]) && !dut_violations(card[1]), "hash mode causes no violation");
	lag(false, 0, 0);
}

/* ---- frames that arrive at port 2 ---- */

enum { OTHER = 0x88b5, IP = 0x0800 };	/* ethertypes that make_packet() makes */

static struct port *peer[LAG_PORTS];	/* behind the cable of each port */
static struct rx {
	struct dut *dut;
	struct dut_wq rq;
	uint32_t tir;
} program, netdev[LAG_PORTS];	/* a program's queue, of port 1's function, and those of the host */

static void open_rx(struct rx *rx, struct dut *dut)
{
	rx->dut = dut;
	rx->rq = dut_create_rq(dut, 6, 4, NULL);
	rx->tir = dut_direct_tir(dut, rx->rq.num);
}

static bool got(struct rx *rx)
{
	return dut_poll(rx->dut, &rx->rq.cq);
}

/* Who gets a frame that arrives at the port: 0 the program, 1 or 2 the netdev, -1 nobody. */
static int receiver(unsigned int port, unsigned int ethertype)
{
	struct flow flow = { .smac = { 2, 7, 7, 7, 7, 7 }, .vlan = -1, .payload = 64 };
	struct frame *frame = frame_alloc(FRAME_MAX);
	int to = -1, n;

	dut_post_rq(card[0], &program.rq, 2048);
	for (n = 0; n < LAG_PORTS; n++)
		dut_post_rq(card[n], &netdev[n].rq, 2048);
	memcpy(flow.dmac, card[port - 1]->dev->mac, 6);
	flow.ip = ethertype == IP ? 4 : 0;
	flow.proto = 17;
	frame->len = make_packet(frame->data, &flow);
	port_send(peer[port - 1], frame);
	dut_run();
	if (got(&program))
		to = 0;
	for (n = 0; n < LAG_PORTS; n++)
		if (got(&netdev[n]))
			to = to < 0 ? n + 1 : 9;
	return to;
}

static int destroy_table(uint32_t table)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_id, table);
	return dut_cmd(card[0], destroy_flow_table, &in, &out);
}

static int vport_lag(bool on)
{
	struct prm_create_vport_lag_in in = {};
	struct prm_create_vport_lag_out out;
	struct prm_destroy_vport_lag_in gone = {};

	return on ? dut_cmd(card[0], create_vport_lag, &in, &out) :
		    dut_cmd(card[0], destroy_vport_lag, &gone, &out);
}

static uint32_t create_demux(unsigned int level, uint32_t next)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;

	prm_set(&in, op_mod, PRM_FT_OP_LAG_DEMUX);
	prm_set(&in, flow_table_context.level, level);
	prm_set(&in, flow_table_context.lag_master_next_table_id, next);
	dut_must(card[0], create_flow_table, &in, &out);
	return prm_get(&out, table_id);
}

/* A table of one entry: what has the ethertype (0: all) is for the TIR. */
static uint32_t rule(unsigned int level, uint32_t miss, unsigned int ethertype, uint32_t tir)
{
	struct prm_fte_match_set_lyr_2_4 mask = {}, value = {};
	uint32_t table = dut_table(card[0], level, 0, miss), group;

	prm_set(&mask, ethertype, ethertype ? 0xffff : 0);
	prm_set(&value, ethertype, ethertype);
	group = dut_group(card[0], table, 0, 0, ethertype ? &mask : NULL);
	dut_check(dut_fte(card[0], table, group, 0, ethertype ? &value : NULL, PRM_FLOW_DEST_TIR,
			  tir), "set_fte");
	return table;
}

static bool receivers(int other_one, int ip_one, int other_two, int ip_two)
{
	return receiver(1, OTHER) == other_one && receiver(1, IP) == ip_one &&
	       receiver(2, OTHER) == other_two && receiver(2, IP) == ip_two;
}

static void test_arrival(void)
{
	uint32_t host, rules, demux;
	int n;

	open_rx(&program, card[0]);
	for (n = 0; n < LAG_PORTS; n++) {
		peer[n] = port_create(NULL, "peer");
		port_cable(peer[n], card[n]->dev->port);
		open_rx(&netdev[n], card[n]);
	}
	dut_receive_all(card[1], netdev[1].tir);
	host = rule(9, 0, 0, netdev[0].tir);
	rules = rule(1, host, OTHER, program.tir);
	dut_check(dut_root(card[0], rules), "set_flow_table_root");
	ktap(receivers(0, 1, 2, 2), "without a LAG frames of port 2 are its own function's");
	dut_check(lag(true, 1, 2), "create_lag");
	ktap(receivers(0, 1, 2, 2), "without a vport LAG, too");
	dut_check(vport_lag(true), "create_vport_lag");
	ktap(receivers(0, 1, 0, 1), "in a vport LAG the tables of port 1's function get them");

	demux = create_demux(5, host);
	dut_check(dut_root(card[0], demux), "set_flow_table_root");
	ktap(receivers(1, 1, 2, 2), "a demux table gives them back to the function of port 2");
	rules = rule(2, demux, OTHER, program.tir);
	dut_check(dut_root(card[0], rules), "set_flow_table_root");
	ktap(receivers(0, 1, 0, 2), "what a rule before it takes is not given back");
	ktap(!dut_violations(card[0]) && !dut_violations(card[1]),
	     "frames of both ports in the tables of one cause no violation");
	dut_check(dut_root(card[0], host), "set_flow_table_root");
	ktap(destroy_table(demux) && dut_violations(card[0]) == 1,
	     "a demux table that another leads to is not destroyed");
	for (n = 0; n < LAG_PORTS; n++)
		port_destroy(peer[n]);
}

int main(void)
{
	struct cxdev *devs[LAG_PORTS];
	uint32_t tisn;

	ktap_plan(27);
	card[0] = dut_create_card("a0", 0, card_find("cx7", 3));
	card[1] = dut_create_card("a1", 1, card_find("cx7", 3));
	alone = dut_create("b", 2);
	devs[0] = card[0]->dev;
	devs[1] = card[1]->dev;
	ktap(!adapter_join(devs), "two functions become the ports of one card");
	test_tis();
	test_hash();
	ktap(create_tis(alone, 1, false, &tisn) && create_tis(alone, 0, true, &tisn) &&
	     change(alone, dut_create_tis(alone), 1) && dut_violations(alone) == 3,
	     "a card with one port refuses an affinity");
	test_arrival();
	dut_destroy(card[0]);
	dut_destroy(card[1]);
	dut_destroy(alone);
	return ktap_end();
}
