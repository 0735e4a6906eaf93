// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The cards of the table and their virtual functions: what one advertises it has, and what it does
 * not advertise it refuses.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "dut.h"
#include "prm/caps.h"
#include "prm/obj.h"
#include "prm/port.h"
#include "prm/vport.h"
#include "vfu_client.h"

static const struct card *card;
static struct dut *dut;
static char name[32];

static void query_cap(unsigned int type, void *cap)
{
	struct prm_query_hca_cap_in in = {};
	struct prm_query_hca_cap_out out;

	prm_set(&in, op_mod, type << 1 | 1);
	dut_must(dut, query_hca_cap, &in, &out);
	memcpy(cap, (uint8_t *)&out + sizeof(struct prm_mbox_out), CAP_BYTES);
}

static void test_identity(void)
{
	const struct card *other;
	unsigned int i, same = 0;

	for (i = 0; (other = card_nth(i)); i++)
		same += other->device_id == card->device_id || other->hw_id == card->hw_id ||
			!strcmp(other->psid, card->psid);
	ktap(same == 1 && iseg_read(dut->dev, offsetof(struct prm_iseg, health.hw_id)) ==
	     card->hw_id &&
	     iseg_read(dut->dev, offsetof(struct prm_iseg, fw_rev)) ==
	     ((uint32_t)card->fw_minor << 16 | card->fw_major),
	     "%s: device ID 0x%04x, chip 0x%x and the firmware version are its own", name,
	     card->device_id, card->hw_id);
}

static void test_vf_identity(const struct card *pf)
{
	ktap(card->vf && card->device_id == pf->vf_device_id && card->device_id != pf->device_id,
	     "%s: device ID 0x%04x is the VF's", name, card->device_id);
}

static int set_port_admin(bool up)
{
	struct { struct prm_access_register_in in; struct prm_paos_reg reg; } b = {};
	struct { struct prm_access_register_out out; struct prm_paos_reg reg; } out;

	prm_set(&b.in, register_id, PRM_REG_PAOS);
	prm_set(&b.reg, local_port, 1);
	prm_set(&b.reg, ase, 1);
	prm_set(&b.reg, admin_status, up ? PRM_PORT_UP : PRM_PORT_DOWN);
	return dut_exec(dut, PRM_OP_access_register, &b, sizeof(b), &out, sizeof(out));
}

static int set_host_endianness(void)
{
	struct { struct prm_access_register_in in; struct prm_host_endianness_reg reg; } b = {};
	struct { struct prm_access_register_out out; struct prm_host_endianness_reg reg; } out;

	prm_set(&b.in, register_id, PRM_REG_HOST_ENDIANNESS);
	return dut_exec(dut, PRM_OP_access_register, &b, sizeof(b), &out, sizeof(out));
}

/* The MAC of a VF comes from its administrator, of whom there is none. */
static void test_port(void)
{
	struct prm_query_nic_vport_context_in in = {};
	struct prm_query_nic_vport_context_out out;
	static const uint8_t none[6];

	dut_must(dut, query_nic_vport_context, &in, &out);
	ktap(!memcmp(prm_bytes(&out, nic_vport_context.permanent_address.mac_addr_47_32),
		     card->vf ? none : dut->dev->mac, 6),
	     "%s: the vport has %s", name, card->vf ? "no MAC" : "the MAC of the card");
	ktap(!set_port_admin(true) == !card->vf && !dut_violations(dut), "%s: PAOS is %s", name,
	     card->vf ? "declined" : "granted");
	ktap(!set_host_endianness() == !card->vf && !dut_violations(dut),
	     "%s: HOST_ENDIANNESS is %s", name, card->vf ? "declined" : "granted");
}

static int create_eq(unsigned int vector)
{
	struct prm_create_eq_in in = {};
	struct prm_create_eq_out out;
	__be64 pas[1] = { cpu_to_be64(dut_alloc(dut, 4096)) };
	int err;

	prm_set(&in, eq_context_entry.log_eq_size, 4);
	prm_set(&in, eq_context_entry.intr, vector);
	prm_set(&in, eq_context_entry.uar_page, dut->uar);
	err = dut_cmd_tail(dut, create_eq, &in, &out, pas, 8);
	if (!err)
		dut_destroy_obj(dut, PRM_OP_destroy_eq, prm_get(&out, eq_number));
	return err;
}

/* UARs are there up to the end of the BAR, or to the memory, and no further. */
static void test_limits(void)
{
	struct prm_cmd_hca_cap *cap = calloc(1, CAP_BYTES);
	struct prm_alloc_uar_in in = {};
	struct prm_alloc_uar_out out;
	uint64_t end = card->memic_at ? card->memic_at : card->bar_bytes;
	uint32_t n = 0, highest = 0;

	query_cap(CAP_GENERAL, cap);
	while (!dut_cmd(dut, alloc_uar, &in, &out)) {
		n++;
		if (prm_get(&out, uar) > highest)
			highest = prm_get(&out, uar);
	}
	ktap((highest + 1ull) * UAR_BYTES == end &&
	     1u << prm_get(cap, uar_sz) == card->bar_bytes >> 20,
	     "%s: %u more UARs fill the BAR of %u MiB", name, n, 1u << prm_get(cap, uar_sz));
	free(cap);
	ktap(!create_eq(card->vectors - 1) && create_eq(card->vectors) == PRM_STATUS_BAD_PARAM,
	     "%s: there are %u MSI-X vectors", name, card->vectors);
}

static int access_reg(unsigned int op_mod, unsigned int id, void *reg, uint32_t len)
{
	struct { struct prm_access_register_in hdr; uint8_t reg[256]; } in = {};
	struct { struct prm_access_register_out hdr; uint8_t reg[256]; } out;
	int err;

	prm_set(&in.hdr, op_mod, op_mod);
	prm_set(&in.hdr, register_id, id);
	err = dut_exec_tail(dut, PRM_OP_access_register, &in.hdr, sizeof(in.hdr), reg, len, &out,
			    sizeof(out.hdr) + len);
	memcpy(reg, out.reg, len);
	return err;
}

static int set_protos(uint32_t proto, uint32_t ext)
{
	struct prm_ptys_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, proto_mask, PRM_PTYS_ETH);
	prm_set(&reg, an_disable_admin, 1);
	prm_set(&reg, eth_proto_admin, proto);
	prm_set(&reg, ext_eth_proto_admin, ext);
	return access_reg(PRM_ACCESS_REG_WRITE, PRM_REG_PTYS, &reg, sizeof(reg));
}

static void set_admin(unsigned int status)
{
	struct prm_paos_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, ase, 1);
	prm_set(&reg, admin_status, status);
	access_reg(PRM_ACCESS_REG_WRITE, PRM_REG_PAOS, &reg, sizeof(reg));
}

static void toggle(void)
{
	set_admin(PRM_PORT_DOWN);
	dut_run();
	set_admin(PRM_PORT_UP);
	dut_run();
}

/* What PDDR says of the link; -1: it is declined. */
static int down_reason(void)
{
	struct prm_pddr_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, page_select, PRM_PDDR_TROUBLESHOOTING);
	return access_reg(PRM_ACCESS_REG_READ, PRM_REG_PDDR, &reg, sizeof(reg)) ? -1 :
	       ((uint8_t *)&reg)[14] << 8 | ((uint8_t *)&reg)[15];
}

static void test_down(void)
{
	int up, unplugged, closed;

	set_admin(PRM_PORT_UP);
	dut_run();
	up = down_reason();
	port_set_wire(dut->dev->port, false);
	unplugged = down_reason();
	set_admin(PRM_PORT_DOWN);
	closed = down_reason();
	port_set_wire(dut->dev->port, true);
	set_admin(PRM_PORT_UP);
	dut_run();
	ktap(card->vf ? up == -1 : !up && unplugged == 1024 && closed == 1, "%s: PDDR %s", name,
	     card->vf ? "is declined" : "tells an unplugged cable from a closed port");
}

/* What is up, in both numberings. */
static bool runs_at(uint32_t proto, uint32_t ext)
{
	struct prm_ptys_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, proto_mask, PRM_PTYS_ETH);
	return !access_reg(PRM_ACCESS_REG_READ, PRM_REG_PTYS, &reg, sizeof(reg)) &&
	       prm_get(&reg, eth_proto_oper) == proto && prm_get(&reg, ext_eth_proto_oper) == ext;
}

/* What is selected for the speed of 25 Gb/s, and of 100 on two lanes. */
static int set_fec(uint32_t at_25g, uint32_t at_100g_2x)
{
	struct prm_pplm_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, fec_override_admin_25g, at_25g);
	prm_set(&reg, fec_override_admin_100g_2x, at_100g_2x);
	return access_reg(PRM_ACCESS_REG_WRITE, PRM_REG_PPLM, &reg, sizeof(reg));
}

/* Speeds that no card here has. */
static bool takes_other_speeds(void)
{
	static const unsigned int fields[] = {
#define FIELD(f) offsetof(struct prm_pplm_reg_bits, fec_override_admin_##f)
		FIELD(56g), FIELD(200g_4x), FIELD(400g_8x), FIELD(100g_1x), FIELD(200g_2x),
		FIELD(400g_4x), FIELD(800g_8x),
#undef FIELD
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		struct prm_pplm_reg reg = {};

		prm_set(&reg, local_port, 1);
		prm_set_bits(reg.dw, fields[i], 4, 1);
		if (access_reg(PRM_ACCESS_REG_WRITE, PRM_REG_PPLM, &reg, sizeof(reg)) !=
		    PRM_STATUS_BAD_PARAM)
			return true;
	}
	return false;
}

static uint32_t fec(void)
{
	struct prm_pplm_reg reg = {};

	prm_set(&reg, local_port, 1);
	return access_reg(PRM_ACCESS_REG_READ, PRM_REG_PPLM, &reg, sizeof(reg)) ? 0 :
	       prm_get(&reg, fec_mode_active);
}

static void test_fec(void)
{
	bool ext = card->ext_proto;

	ktap(fec() == 1u << PRM_FEC_RS_528, "%s: the port chooses a forward error correction",
	     name);
	set_protos(1 << 27, 0);
	ktap(!set_fec(1u << PRM_FEC_NONE, 0) && fec() == 1u << PRM_FEC_RS_528,
	     "%s: another one does not change a link that is up", name);
	toggle();
	ktap(fec() == 1u << PRM_FEC_NONE, "%s: it comes up with the one selected for its speed",
	     name);
	ktap(set_fec(1u << PRM_FEC_FIRECODE, 0) ==
	     (card->port_lanes == 1 ? PRM_STATUS_OK : PRM_STATUS_BAD_PARAM) &&
	     (set_fec(0, 1u << PRM_FEC_LLRS_272) == PRM_STATUS_OK) == ext,
	     "%s: one that the card does not have is refused", name);
	ktap(!takes_other_speeds(), "%s: so is one for a speed that it does not have", name);
	if (!ext)
		return;
	set_protos(0, 1 << 10);
	toggle();
	ktap(fec() == 1u << PRM_FEC_LLRS_272, "%s: faster lanes have others", name);
	set_protos(0, 1 << 1);
	toggle();
	ktap(fec() == 1u << PRM_FEC_NONE, "%s: 1 Gb/s needs none", name);
}

static void test_speeds(void)
{
	bool large = card->port_lanes == 4, ext = card->ext_proto;
	uint32_t first = large ? 1 << 20 : 1 << 27, slow = 1 << 12;

	set_protos(slow | 1 << 1, 0);
	ktap(runs_at(first, ext ? 1 << 9 : 0), "%s: a selection does not change a link that is up",
	     name);
	toggle();
	ktap(runs_at(slow, ext ? 1 << 4 : 0), "%s: it comes up with the fastest protocol selected",
	     name);
	if (ext) {
		ktap(set_protos(slow, 1 << 8) == PRM_STATUS_BAD_PARAM &&
		     set_protos(0, 1 << 11) == PRM_STATUS_BAD_PARAM,
		     "%s: protocols of both numberings, or of a speed that it lacks, are refused",
		     name);
		set_protos(0, 1 << 7 | 1 << 6);
		toggle();
		ktap(runs_at(1 << 18, 1 << 7), "%s: protocols of the second numbering are selected",
		     name);
	}
	set_protos(card->eth_proto, 0);
	toggle();
	ktap(runs_at(first, ext ? 1 << 9 : 0), "%s: with all of them it is the card's speed", name);
	test_fec();
}

static void test_link(void)
{
	struct prm_ptys_reg reg = {};
	struct prm_pmlp_reg lanes = {};
	uint32_t can, oper, bit;
	bool good;

	prm_set(&reg, local_port, 1);
	prm_set(&reg, proto_mask, PRM_PTYS_ETH);
	prm_set(&lanes, local_port, 1);
	good = !access_reg(PRM_ACCESS_REG_READ, PRM_REG_PTYS, &reg, sizeof(reg)) &&
	       !access_reg(PRM_ACCESS_REG_READ, PRM_REG_PMLP, &lanes, sizeof(lanes));
	can = prm_get(&reg, eth_proto_capability);
	oper = prm_get(&reg, eth_proto_oper);
	ktap(good && can == card->eth_proto && oper && !(oper & (oper - 1)) && can & oper &&
	     prm_get(&lanes, width) == card->port_lanes,
	     "%s: the link supports modes 0x%08x and runs at 0x%08x on %u lanes", name, can, oper,
	     prm_get(&lanes, width));
	for (good = true, bit = 1; bit; bit <<= 1)
		good &= (set_protos(bit, 0) == PRM_STATUS_OK) == (can & bit && !card->vf);
	set_protos(card->eth_proto, 0);
	ktap(good, "%s: each supported link mode can be set, no other, and none by a VF", name);
	if (!card->vf)
		test_speeds();
}

/* 0 and @n bytes of the module's memory, or the status of the command or the register. */
static int read_module(unsigned int i2c, unsigned int page, unsigned int at, uint8_t *data,
		       unsigned int n)
{
	struct prm_mcia_reg reg = {};
	int err;

	prm_set(&reg, i2c_device_address, i2c);
	prm_set(&reg, page_number, page);
	prm_set(&reg, device_address, at);
	prm_set(&reg, size, n);
	err = access_reg(PRM_ACCESS_REG_READ, PRM_REG_MCIA, &reg, sizeof(reg));
	memcpy(data, prm_bytes(&reg, dwords), n);
	return err ?: (int)prm_get(&reg, status);
}

static bool sum_is(const uint8_t *memory, unsigned int from, unsigned int to)
{
	uint8_t sum = 0;

	while (from < to)
		sum += memory[from++];
	return sum == memory[to];
}

/* By SFF-8636 and SFF-8472. */
static void test_module(void)
{
	bool sfp = card->port_lanes == 1;
	uint8_t memory[256], page[16];
	unsigned int at;
	bool good = true;

	for (at = 0; at < sizeof(memory); at += 32)
		good &= !read_module(0x50, 0, at, memory + at, 32);
	ktap(good && memory[0] == (sfp ? 0x03 : 0x11) &&
	     !memcmp(memory + (sfp ? 20 : 148), "cxemu           ", 16),
	     "%s: the module is %s", name, sfp ? "an SFP28" : "a QSFP28");
	ktap(sfp ? sum_is(memory, 0, 63) && sum_is(memory, 64, 95) :
		   sum_is(memory, 128, 191) && sum_is(memory, 192, 223),
	     "%s: the sums of its memory are right", name);
	ktap(!read_module(0x50, 3, 128, page, 16) && !memcmp(page, memory + 128, 16),
	     "%s: its memory has one page, whichever is selected", name);
	ktap(read_module(0x51, 0, 0, page, 16) == PRM_MCIA_I2C_ERROR,
	     "%s: nothing answers at a second I2C address", name);
}

static void wants_inline(struct prm_sqc *ctx)
{
	prm_set(ctx, min_wqe_inline_mode, PRM_VPORT_INLINE_L2);
}

static unsigned int sent(const void *packet, uint32_t len, bool inline_header, bool insert,
			 void (*edit)(struct prm_sqc *ctx))
{
	struct dut_wq sq = dut_create_sq(dut, 6, edit);
	uint32_t head = inline_header ? 18 : 0;
	uint64_t buf = dut_alloc(dut, 4096);
	struct prm_wqe_eth_seg *eseg;
	const struct prm_cqe64 *cqe;
	uint8_t *wqe;

	memcpy(dut_ptr(dut, buf), packet, len);
	wqe = dut_wqe(dut, &sq, PRM_WQE_SEND, inline_header ? 4 : 3, PRM_WQE_CE_ALWAYS);
	eseg = (void *)(wqe + PRM_WQE_DS);
	if (inline_header) {
		eseg->inline_hdr_sz = cpu_to_be16(head);
		memcpy(wqe + PRM_WQE_DS + offsetof(struct prm_wqe_eth_seg, inline_hdr_start),
		       packet, head);
	} else if (insert) {
		eseg->inline_hdr_sz = cpu_to_be16(PRM_WQE_ETH_INSERT_VLAN);
	}
	dut_data_seg(dut, (void *)(wqe + (inline_header ? 3 : 2) * PRM_WQE_DS), buf + head,
		     len - head);
	dut_ring(dut, &sq, 1);
	dut_run();
	cqe = dut_poll(dut, &sq.cq);
	return cqe ? cqe->op_own >> PRM_CQE_OPCODE_SHIFT : 0xff;
}

/* What the capabilities say of WQEs is what WQEs may do. */
static void test_wqes(void)
{
	struct prm_per_protocol_networking_offload_caps *cap = calloc(1, CAP_BYTES);
	static const uint8_t packet[100] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x88, 0xb5 };
	unsigned int mode, insert;

	query_cap(CAP_ETH, cap);
	mode = prm_get(cap, wqe_inline_mode);
	insert = prm_get(cap, wqe_vlan_insert);
	ktap(sent(packet, sizeof(packet), true, false, NULL) == PRM_CQE_REQ,
	     "%s: inline headers are accepted", name);
	ktap(sent(packet, sizeof(packet), false, false, NULL) ==
	     (mode == PRM_INLINE_MODE_L2 ? PRM_CQE_REQ_ERR : PRM_CQE_REQ) &&
	     (mode != PRM_INLINE_MODE_VPORT ||
	      sent(packet, sizeof(packet), false, false, wants_inline) == PRM_CQE_REQ_ERR),
	     "%s: WQEs without inline headers are refused as inline mode %u says", name, mode);
	ktap(sent(packet, sizeof(packet), false, true, NULL) ==
	     (insert ? PRM_CQE_REQ : PRM_CQE_REQ_ERR),
	     "%s: VLAN insertion works if advertised (%u)", name, insert);
	free(cap);
}

/* Queues share numbers, of which there are more than of queue pairs. */
static void test_numbers(void)
{
	struct card few = *card_find("cx5", 3);
	struct dut_wq last;
	unsigned int i;

	few.objs[OBJ_QP].count = 2;
	dut = dut_create_card("a", 0, &few);
	for (i = 0; i < 3; i++)
		last = dut_create_sq(dut, 4, NULL);
	ktap(last.num == few.objs[OBJ_QP].first + 2,
	     "the numbers of queues do not end with the number of queue pairs");
	dut_destroy(dut);
}

/* The rows of Documentation/device-model.rst are those of the table of cards. */
static void test_document(void)
{
	unsigned int chip, clock, qps, pds, rqts, addrs, n = 0;
	int dir = strrchr(__FILE__, '/') - __FILE__;
	char line[512], word[32];
	const struct card *c;
	bool good = true;
	FILE *f;

	snprintf(line, sizeof(line), "%.*s/../../Documentation/device-model.rst", dir, __FILE__);
	f = fopen(line, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " ``%31[^`]`` 0x%x %u 2^%u 2^%u 2^%u %u", word, &chip, &clock,
			   &qps, &pds, &rqts, &addrs) != 7)
			continue;
		c = card_find(word, strlen(word));
		good &= c && c == card_nth(n++) && chip == c->hw_id && clock == c->clock_khz &&
			c->objs[OBJ_QP].count == 1u << qps && c->roce_addrs == addrs &&
			c->objs[OBJ_PD].count + (pds == 24) == 1u << pds &&
			c->objs[OBJ_RQT].count == 1u << rqts;
	}
	if (f)
		fclose(f);
	ktap(good && n && !card_nth(n), "the documentation has the numbers of all cards");
}

static void test_card(const struct card *which, const struct card *pf)
{
	card = which;
	snprintf(name, sizeof(name), "%s%s", card->name, card->vf ? ",vf" : "");
	dut = dut_create_card("a", 0, card);
	if (pf)
		test_vf_identity(pf);
	else
		test_identity();
	test_port();
	test_link();
	test_down();
	test_module();
	test_wqes();
	test_limits();
	dut_destroy(dut);
}

int main(void)
{
	static const char *const names[] = { "cx4", "cx4lx", "cx5", "cx6", "cx6dx", "cx7" };
	unsigned int i;

	ktap_plan(0);
	test_document();
	test_numbers();
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct card *pf = card_find(names[i], strlen(names[i]));

		ktap(pf && pf == card_nth(i), "--card %s is known", names[i]);
		test_card(pf, NULL);
		test_card(card_vf(pf), pf);
	}
	return ktap_end();
}
