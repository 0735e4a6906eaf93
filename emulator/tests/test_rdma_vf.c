// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* RoCE of functions that share a port: a is a VF of b's card, c a station of the wire. */
#include "port/port.h"
#include "prm/vport.h"
#include "rdma.h"

#define DST_OFF (1u << 20)

static struct side c;
static struct tcq ca, cb, cc;

static void hear(struct side *side)
{
	struct {
		struct prm_modify_nic_vport_context_in in;
		uint64_t mac;
	} b = { .mac = htobe64(mac_to_u64(side->dev->mac)) };
	struct prm_modify_nic_vport_context_out out;

	prm_set(&b.in, opcode, PRM_OP_modify_nic_vport_context);
	prm_set(&b.in, field_select.addresses_list, 1);
	prm_set(&b.in, nic_vport_context.allowed_list_type, PRM_VPORT_LIST_UC);
	prm_set(&b.in, nic_vport_context.allowed_list_size, 1);
	exec(side, PRM_OP_modify_nic_vport_context, &b, sizeof(b), &out, sizeof(out));
}

/* An RC pair writes 3000 bytes from a to @y, unless nothing gets through. */
static bool writes(struct side *to, struct tcq *cq, unsigned int addr)
{
	struct qp_opts o = { .addr = addr, .retry = 1, .retry_set = true, .timeout = 1 };
	struct wr wr = { .opcode = PRM_WQE_RDMA_WRITE,
			 .n = 1,
			 .sge = { { a.va, 3000, a.lkey } },
			 .raddr = to->va + DST_OFF,
			 .rkey = to->rkey };
	static uint32_t seed;
	struct prm_cqe64 *cqe;
	struct tqp x, y;
	bool good;

	create_pair(&x, &y, PRM_QP_ST_RC, &ca, cq, &o);
	buf_fill(&a, 0, 3000, ++seed);
	post_send(&x, &wr);
	settle();
	pass_time(200);
	cqe = poll(&ca);
	good = cqe && cqe_opcode(cqe) == PRM_CQE_REQ && buf_is(to, DST_OFF, 3000, seed);
	destroy_pair(&x, &y);
	settle();
	while (poll(&ca) || poll(cq))
		;
	return good;
}

static void test_sorting(void)
{
	uint64_t left = port_counters(b.dev->port)->tx_frames;

	ok(writes(&b, &cb, ADDR_V2_IPV4) && writes(&b, &cb, ADDR_V1) &&
	   port_counters(b.dev->port)->tx_frames == left && port_counters(a.dev->port)->tx_frames,
	   "RoCE between VF and PF stays in the card");
	ok(writes(&c, &cc, ADDR_V2_IPV6) && port_counters(b.dev->port)->tx_frames > left,
	   "RoCE of a VF passes the port of the PF");
}

/* The VF's address has no VLAN; its peers' has. */
static void test_vlan(void)
{
	struct vf *vf = eswitch_vf(a.dev);

	a.dev->roce_addrs[ADDR_V2_VLAN].vlan_valid = false;
	ok(!writes(&c, &cc, ADDR_V2_VLAN), "a VF without a VLAN does not reach one");
	vf->vlan = 100;
	wire_watch();
	ok(writes(&c, &cc, ADDR_V2_VLAN) && writes(&b, &cb, ADDR_V2_VLAN) && !wire.wrong,
	   "RoCE of a VF with a VLAN has its tag outside, and none inside");
	ok(!writes(&c, &cc, ADDR_V2_IPV4), "a VF with a VLAN reaches nobody without");
	vf->vlan = 0;
	a.dev->roce_addrs[ADDR_V2_VLAN].vlan_valid = true;
}

static void test_spoof(void)
{
	struct vf *vf = eswitch_vf(a.dev);

	memcpy(vf->mac, a.dev->mac, 6);
	vf->spoofchk = true;
	ok(writes(&c, &cc, ADDR_V2_IPV4) && !vf->spoofed,
	   "spoof check passes RoCE from the VF's MAC");
	vf->mac[5]++;
	ok(!writes(&c, &cc, ADDR_V2_IPV4) && vf->spoofed,
	   "spoof check drops RoCE from another MAC");
	vf->spoofchk = false;
}

int main(void)
{
	sides_open();
	side_open(&c, "c", 2);
	create_cq(&ca, &a, 6);
	create_cq(&cb, &b, 6);
	create_cq(&cc, &c, 6);
	if (eswitch_create(b.dev))
		return 1;
	eswitch_add(b.dev, a.dev);
	hear(&a);
	hear(&b);
	test_sorting();
	test_vlan();
	test_spoof();
	settle();
	side_close(&c);
	sides_close();
	return ok_end();
}
