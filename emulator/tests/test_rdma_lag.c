// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Two ports of a card as a LAG: the commands and their order, the port that packets of a queue pair
 * leave by, fail-over under traffic, who gets what arrives at the other port.
 */
#include <stdio.h>

#include "fault/fault.h"
#include "host/control.h"
#include "port/port.h"
#include "prm/caps.h"
#include "prm/flow.h"
#include "prm/lag.h"
#include "rdma_dc.h"

static struct side a2;	/* port 2 of a's card */
static struct tcq ca, cb;

/* ---- commands ---- */

static int create(struct side *side, unsigned int one, unsigned int two)
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;

	prm_set(&in, ctx.tx_remap_affinity_1, one);
	prm_set(&in, ctx.tx_remap_affinity_2, two);
	return command(side, create_lag, &in, &out);
}

static int modify(unsigned int select, unsigned int one, unsigned int two)
{
	struct prm_modify_lag_in in = {};
	struct prm_modify_lag_out out;

	prm_set(&in, field_select, select);
	prm_set(&in, ctx.tx_remap_affinity_1, one);
	prm_set(&in, ctx.tx_remap_affinity_2, two);
	return command(&a, modify_lag, &in, &out);
}

#define SIMPLE(name)						\
static int name(struct side *side)				\
{								\
	struct prm_##name##_in in = {};				\
	struct prm_##name##_out out;				\
								\
	return command(side, name, &in, &out);			\
}

SIMPLE(destroy_lag)
SIMPLE(create_vport_lag)
SIMPLE(destroy_vport_lag)
SIMPLE(query_lag)

static int create_mode(unsigned int mode, unsigned int fdb, unsigned int active)
{
	struct prm_create_lag_in in = {};
	struct prm_create_lag_out out;

	prm_set(&in, ctx.tx_remap_affinity_1, 1);
	prm_set(&in, ctx.tx_remap_affinity_2, 2);
	prm_set(&in, ctx.port_select_mode, mode);
	prm_set(&in, ctx.fdb_selection_mode, fdb);
	prm_set(&in, ctx.active_port, active);
	return command(&a, create_lag, &in, &out);
}

static int table(unsigned int op_mod, uint32_t *id)
{
	struct prm_create_flow_table_in in = {};
	struct prm_create_flow_table_out out;
	int status;

	prm_set(&in, op_mod, op_mod);
	prm_set(&in, flow_table_context.level, 3);
	status = command(&a, create_flow_table, &in, &out);
	*id = prm_get(&out, table_id);
	return status;
}

static int destroy_table(uint32_t id)
{
	struct prm_destroy_flow_table_in in = {};
	struct prm_destroy_flow_table_out out;

	prm_set(&in, table_id, id);
	return command(&a, destroy_flow_table, &in, &out);
}

/* Violations since the last call, which are forgotten. */
static uint64_t violations(void)
{
	uint64_t n = a.dev->violations + a2.dev->violations + b.dev->violations;

	a.dev->violations = 0;
	a2.dev->violations = 0;
	b.dev->violations = 0;
	return n;
}

static unsigned int cap_of(struct side *side, unsigned int *ports)
{
	const struct prm_cmd_hca_cap *cap = (const void *)side->dev->hca->cap_cur[CAP_GENERAL];

	*ports = prm_get(cap, num_lag_ports);
	return prm_get(cap, native_port_num);
}

static void test_one_port(void)
{
	struct qp_opts o = { .affinity = 1 };
	unsigned int ports;
	struct tqp qp;

	ok(cap_of(&b, &ports) == 1 && !ports, "a card with one port advertises no LAG");
	ok(create(&b, 1, 2) == PRM_STATUS_BAD_OP, "a card with one port refuses CREATE_LAG");
	create_qp(&qp, &b, PRM_QP_ST_RC, &cb, &o);
	ok(qp_init(&qp, &o) == PRM_STATUS_BAD_PARAM,
	   "a card with one port refuses a QP's affinity");
	qp_command(&qp, PRM_OP_destroy_qp);
	ok(violations() == 2, "LAG on a card with one port is a violation");
}

static void test_card(void)
{
	unsigned int one, two;

	ok(cap_of(&a, &one) == 1 && one == 2 && cap_of(&a2, &two) == 2 && two == 2,
	   "two ports of a card have their numbers and advertise a LAG of two");
	ok(a.dev->sys_image_guid == a2.dev->sys_image_guid &&
	   a.dev->sys_image_guid != b.dev->sys_image_guid,
	   "two ports of a card share the system image GUID");
}

static void test_order(void)
{
	struct prm_query_lag_in in = {};
	struct prm_query_lag_out out;
	struct dct_opts d = {};
	uint32_t id, other;
	struct tdct dct;

	ok(modify(1, 1, 2) == PRM_STATUS_BAD_RES_STATE && destroy_lag(&a) &&
	   query_lag(&a) && create_vport_lag(&a) && destroy_vport_lag(&a),
	   "without a LAG only CREATE_LAG is accepted");
	ok(create(&a2, 1, 2) == PRM_STATUS_BAD_PARAM, "CREATE_LAG on port 2 is refused");
	ok(create(&a, 0, 2) && create(&a, 1, 3), "the map accepts ports 1 and 2 only");
	ok(create_mode(1, 0, 0) && create_mode(0, 1, 0) && create_mode(0, 0, 3),
	   "hash mode, native FDB selection and active ports are not advertised");
	ok(violations() == 11, "each refused LAG command is a violation");

	ok(!create(&a, 1, 2), "CREATE_LAG on port 1 succeeds");
	ok(create_dct(&dct, &a, &ca, &d) == PRM_STATUS_BAD_PARAM && violations() == 1,
	   "a target of DC transport in a LAG is refused: lag_dct is not announced");
	ok(create(&a, 1, 2) == PRM_STATUS_BAD_RES_STATE, "a second CREATE_LAG is refused");
	ok(modify(0, 1, 2) && modify(2, 1, 2) && modify(1, 0, 1),
	   "MODIFY_LAG accepts a change of the map only");
	ok(!modify(1, 2, 2) && !command(&a, query_lag, &in, &out) &&
	   prm_get(&out, ctx.tx_remap_affinity_1) == 2 &&
	   prm_get(&out, ctx.tx_remap_affinity_2) == 2, "QUERY_LAG returns the map");
	ok(table(1, &id) == PRM_STATUS_BAD_RES_STATE, "a demux table needs a vport LAG");
	ok(!create_vport_lag(&a) && create_vport_lag(&a), "a second vport LAG is refused");
	ok(!table(0, &other) && !table(1, &id), "with a vport LAG a demux table can be created");
	ok(destroy_vport_lag(&a) == PRM_STATUS_RES_BUSY,
	   "a vport LAG with a demux table cannot be destroyed");
	ok(!destroy_table(other) && destroy_vport_lag(&a),
	   "another table can be destroyed before the demux table");
	ok(destroy_lag(&a) == PRM_STATUS_RES_BUSY, "a LAG with a vport LAG cannot be destroyed");
	ok(!destroy_table(id) && !destroy_vport_lag(&a) && !destroy_lag(&a),
	   "demux table, vport LAG and LAG can be destroyed in order");
	ok(violations() == 9, "each command refused in a LAG is a violation");
}

/* ---- traffic ---- */

static struct sent sent(void)
{
	return frames_sent(&a, &a2);
}

static bool datagram_left(struct tqp *ud, const struct wr *wr, unsigned int one, unsigned int two)
{
	struct sent n;

	sent();
	post_send(ud, wr);
	settle();
	n = sent();
	return poll(&ca) && n.one == one && n.two == two;
}

/* As libmlx5 does it: nothing else of the context is set, not even the service. */
static void test_assigned(void)
{
	struct prm_rts2rts_qp_in in = {};
	struct prm_rts2rts_qp_out out;
	struct qp_opts o = { .qkey = 5 };
	struct wr wr = { .opcode = PRM_WQE_SEND, .n = 1, .sge = { { a.va, 100, a.lkey } },
			 .to = &b, .addr = ADDR_V2_IPV4, .qkey = 5 };
	struct tqp ud, to;

	modify(1, 1, 2);
	create_qp(&ud, &a, PRM_QP_ST_UD, &ca, &o);
	create_qp(&to, &b, PRM_QP_ST_UD, &cb, &o);
	wr.dqpn = to.qpn;
	ok(!qp_init(&ud, &o) && !qp_rtr(&ud, &ud, &o) && !qp_rts(&ud, &o) &&
	   datagram_left(&ud, &wr, 1, 0), "a UD QP sends by the function's own port");
	prm_set(&in, qpn, ud.qpn);
	prm_set(&in, opt_param_mask, PRM_QP_OPT_LAG_TX_AFF);
	prm_set(&in, qpc.lag_tx_port_affinity, 2);
	ok(!command(&a, rts2rts_qp, &in, &out) && datagram_left(&ud, &wr, 0, 1),
	   "RTS2RTS assigns it to a port");
	qp_command(&ud, PRM_OP_destroy_qp);
	qp_command(&to, PRM_OP_destroy_qp);
}

static bool map_changes(void)
{
	return !modify(1, 2, 2);
}

static void test_ports(void)
{
	struct qp_opts o = { .affinity = 3 };
	struct tqp x[3], y[3], bad;
	struct sent n;
	unsigned int i;

	for (i = 0; i < 3; i++)
		pair_with_affinity(&x[i], &y[i], &ca, &cb, i);
	create_qp(&bad, &a, PRM_QP_ST_RC, &ca, &o);
	ok(qp_init(&bad, &o) && violations() == 1, "affinity 3 is refused");
	qp_command(&bad, PRM_OP_destroy_qp);

	sent();
	for (i = 0; i < 3; i++)
		write_bytes(&x[i], &ca, 5000, i, NULL);
	n = sent();
	ok(n.one && !n.two, "without a LAG all packets leave by the function's own port");

	create(&a, 1, 2);
	create_vport_lag(&a);
	ok(write_bytes(&x[1], &ca, 5000, 1, NULL) && (n = sent(), n.one == 5 && !n.two),
	   "affinity 1 leaves by port 1");
	ok(write_bytes(&x[2], &ca, 5000, 2, NULL) && (n = sent(), !n.one && n.two == 5),
	   "affinity 2 leaves by port 2");
	ok(write_bytes(&x[0], &ca, 5000, 3, NULL) && (n = sent(), n.one == 5 && !n.two),
	   "no affinity leaves by the function's own port");
	modify(1, 2, 1);
	write_bytes(&x[1], &ca, 5000, 1, NULL);
	n = sent();
	ok(!n.one && n.two == 5, "the map moves affinity 1 to port 2");
	write_bytes(&x[2], &ca, 5000, 1, NULL);
	n = sent();
	ok(n.one == 5 && !n.two, "the map moves affinity 2 to port 1");

	modify(1, 1, 2);
	sent();
	ok(write_bytes(&x[1], &ca, 300000, 9, map_changes),
	   "a message survives a change of the map");
	n = sent();
	ok(n.one && n.two, "its packets left by both ports");

	modify(1, 1, 2);
	port_set_wire(a.dev->port, false);
	modify(1, 2, 2);
	ok(write_bytes(&x[1], &ca, 5000, 11, NULL) && (n = sent(), !n.one && n.two),
	   "a QP of a port without link continues by the other port");
	port_set_wire(a.dev->port, true);
	for (i = 0; i < 3; i++)
		destroy_pair(&x[i], &y[i]);
	ok(!violations(), "changing the map causes no violation");
}

/* Port 2 has a cable to a receiver that stands still; port 1 is on the switch. */
static void test_wait(void)
{
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE, .raddr = b.va, .rkey = b.rkey, .n = 1,
			 .sge = { { a.va, 300000, a.lkey } } };
	struct port *slow = port_create(NULL, "slow");
	struct tqp x[2], y[2];
	unsigned int i, j;
	struct sent n;

	modify(1, 1, 2);
	for (i = 0; i < 2; i++)
		pair_with_affinity(&x[i], &y[i], &ca, &cb, 2);
	port_cable(a2.dev->port, slow);
	port_hold(slow, true);
	sent();
	for (j = 0; j < 3; j++)
		for (i = 0; i < 2; i++)
			post_send(&x[i], &wr);
	settle();
	n = sent();
	ok(!n.one && n.two > 900 && !port_counters(slow)->full,
	   "a QP waits for whom its port of the card sends to");
	modify(1, 1, 1);
	settle();
	n = sent();
	ok(n.one > 500 && !n.two, "it goes on by the other port when the map says so");
	port_hold(slow, false);
	settle();
	port_destroy(slow);
	for (i = 0; i < 2; i++)
		destroy_pair(&x[i], &y[i]);
	while (poll(&ca))
		;
	ok(!violations(), "waiting for a port causes no violation");
}

static void corrupt_acks(bool on)
{
	struct cxdev *devs[] = { a.dev, b.dev };
	char line[] = "b frame rc_ack corrupt 55", clear[] = "clear", answer[256];
	FILE *out = fmemopen(answer, sizeof(answer), "w");

	if (fault_line(on ? line : clear, devs, ARRAY_SIZE(devs), out))
		ok(false, "fault: %s", answer);
	fclose(out);
}

/* What arrives at port 2 is for the owner of the LAG once there is a vport LAG. */
static void test_arrival(void)
{
	struct tqp x, y;
	struct sent n;

	modify(1, 2, 2);
	pair_with_affinity(&x, &y, &ca, &cb, 2);
	destroy_vport_lag(&a);
	sent();
	ok(!write_bytes(&x, &ca, 1000, 1, NULL),
	   "without a vport LAG no ACK that arrives at port 2 reaches the QP");
	destroy_pair(&x, &y);
	while (poll(&ca))
		;
	create_vport_lag(&a);
	pair_with_affinity(&x, &y, &ca, &cb, 2);
	ok(write_bytes(&x, &ca, 1000, 1, NULL) && (n = sent(), n.two),
	   "with a vport LAG ACKs that arrive at port 2 reach the QP");
	corrupt_acks(true);
	write_bytes(&x, &ca, 1000, 1, NULL);
	corrupt_acks(false);
	ok(a2.dev->rdma->rx_icrc_errors && !a.dev->rdma->rx_icrc_errors,
	   "packets with a wrong ICRC are counted by the port that they arrive at");
	destroy_pair(&x, &y);
	ok(!violations(), "ACKs at port 2 cause no violation");
}

static int change_affinity(struct tqp *qp, unsigned int opt, unsigned int affinity)
{
	struct prm_rts2rts_qp_in in = {};
	struct prm_rts2rts_qp_out out;

	prm_set(&in, qpn, qp->qpn);
	prm_set(&in, qpc.st, qp->st);
	prm_set(&in, opt_param_mask, opt);
	prm_set(&in, qpc.lag_tx_port_affinity, affinity);
	return command(qp->side, rts2rts_qp, &in, &out);
}

static void test_rts2rts(void)
{
	struct tqp x, y;
	struct sent n;

	modify(1, 1, 2);
	pair_with_affinity(&x, &y, &ca, &cb, 1);
	ok(change_affinity(&x, 0, 2) == PRM_STATUS_BAD_PARAM && violations() == 1,
	   "an affinity that the option mask does not name is refused");
	ok(!change_affinity(&x, PRM_QP_OPT_LAG_TX_AFF, 2), "RTS2RTS changes the affinity");
	sent();
	ok(write_bytes(&x, &ca, 3000, 4, NULL) && (n = sent(), !n.one && n.two == 3),
	   "after RTS2RTS packets leave by the other port");
	destroy_pair(&x, &y);
}

static void test_end(void)
{
	struct prm_teardown_hca_in in = {};
	struct prm_teardown_hca_out out;

	cxdev_reset(a2.dev);
	ok(a.dev->adapter->active && !violations(), "a reset of port 2 keeps the LAG");
	cxdev_reset(a.dev);
	ok(!a.dev->adapter->active && !violations(), "a reset of port 1 destroys the LAG");
	a.dev->hca->phase = HCA_RUNNING;
	create(&a, 1, 1);
	command(&a, teardown_hca, &in, &out);
	ok(!a.dev->adapter->active && violations() == 1, "TEARDOWN_HCA in a LAG is a leak");
}

/* ---- cables ---- */

static void test_cables(void)
{
	struct port *one = a.dev->port, *two = a2.dev->port, *other = b.dev->port;
	struct frame *frame;
	uint64_t got;

	ok(!port_cable(one, other) && port_cable(two, other) && port_cable(two, one),
	   "a cable can join two ports without a cable only");
	got = port_counters(other)->rx_frames;
	frame = frame_alloc(60);
	memset(frame->data, 0xff, 60);
	memcpy(frame->data + 6, a2.dev->mac, 6);
	port_send(two, frame);
	settle();
	ok(port_counters(other)->rx_frames == got, "the switch does not flood to cabled ports");
	frame = frame_alloc(60);
	memset(frame->data, 0x02, 60);
	port_send(one, frame);
	settle();
	ok(port_counters(other)->rx_frames == got + 1, "a cable carries frames to its other end");
	port_set_admin(one, false);
	ok(!port_link_up(other), "a cabled port that is down takes both links down");
	port_uncable(other);
	ok(port_link_up(other) && !port_link_up(one),
	   "without the cable each port has its own link");
	port_set_admin(one, true);
}

static void test_plug(void)
{
	struct port *one = a.dev->port, *other = b.dev->port;
	uint64_t got, elsewhere, downs;
	struct frame *frame;

	ok(!port_cable(one, one) && port_cable(one, other) && port_cable(one, one),
	   "a port with a loopback plug takes no cable");
	settle();
	got = port_counters(one)->rx_frames;
	elsewhere = port_counters(other)->rx_frames;
	frame = frame_alloc(60);
	memset(frame->data, 0x02, 60);
	port_send(one, frame);
	settle();
	ok(port_counters(one)->rx_frames == got + 1 && port_counters(other)->rx_frames == elsewhere,
	   "a loopback plug returns a frame once to its sender only");
	downs = port_counters(one)->link_downs;
	port_set_wire(one, false);
	ok(!port_link_up(one) && port_counters(one)->link_downs == downs + 1,
	   "the link of a port with a loopback plug goes down once");
	port_set_wire(one, true);
	port_uncable(one);
	ok(port_link_up(one) && !port_cable(one, other),
	   "without the loopback plug the port can be cabled");
	port_uncable(one);
}

int main(void)
{
	struct cxdev *card[LAG_PORTS];

	dc_open();
	side_open(&a2, "a2", 2);
	create_cq(&ca, &a, 9);
	create_cq(&cb, &b, 9);
	test_one_port();
	card[0] = a.dev;
	card[1] = a2.dev;
	ok(!adapter_join(card), "two functions become the ports of one card");
	test_card();
	test_order();
	test_ports();
	test_assigned();
	test_wait();
	test_arrival();
	test_rts2rts();
	test_cables();
	test_plug();
	test_end();
	side_close(&a2);
	sides_close();
	return ok_end();
}
