// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Frames that arrive with wrong bits: what each code corrects, and what the port counts. */
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "dut.h"
#include "fault/fault.h"
#include "host/control.h"
#include "port/port.h"
#include "prm/port.h"
#include "vfu_client.h"

#define FCS 4
#define SHORT 60

static struct dut *dut;
static struct port *peer;
static unsigned int at_peer;

static bool count_frame(void *arg, const struct frame *frame)
{
	(void)arg;
	(void)frame;
	at_peer++;
	return true;
}

/* ---- registers and rules ---- */

static int access_reg(struct dut *d, unsigned int op_mod, unsigned int id, void *reg, uint32_t len)
{
	struct { struct prm_access_register_in hdr; uint8_t reg[256]; } in = {};
	struct { struct prm_access_register_out hdr; uint8_t reg[256]; } out;
	int err;

	prm_set(&in.hdr, op_mod, op_mod);
	prm_set(&in.hdr, register_id, id);
	err = dut_exec_tail(d, PRM_OP_access_register, &in.hdr, sizeof(in.hdr), reg, len, &out,
			    sizeof(out.hdr) + len);
	memcpy(reg, out.reg, len);
	return err;
}

static void must_write(unsigned int id, void *reg, uint32_t len)
{
	dut_check(access_reg(dut, PRM_ACCESS_REG_WRITE, id, reg, len), "ACCESS_REGISTER");
}

static int read_group(struct dut *d, unsigned int group, struct prm_ppcnt_reg *reg)
{
	memset(reg, 0, sizeof(*reg));
	prm_set(reg, local_port, 1);
	prm_set(reg, grp, group);
	return access_reg(d, PRM_ACCESS_REG_READ, PRM_REG_PPCNT, reg, sizeof(*reg));
}

/* Counters of all groups that know of wrong bits. */
#define COUNTERS(X)								\
	X(good, IEEE_802_3, eth_802_3_cntrs_grp_data_layout.a_frames_received_ok)	\
	X(crc, IEEE_802_3, eth_802_3_cntrs_grp_data_layout.a_frame_check_sequence_errors) \
	X(long_ones, IEEE_802_3, eth_802_3_cntrs_grp_data_layout.a_frame_too_long_errors) \
	X(carrier, IEEE_802_3, eth_802_3_cntrs_grp_data_layout.a_symbol_error_during_carrier) \
	X(in_errors, RFC_2863, eth_2863_cntrs_grp_data_layout.if_in_errors)		\
	X(pkts, RFC_2819, eth_2819_cntrs_grp_data_layout.ether_stats_pkts)		\
	X(octets, RFC_2819, eth_2819_cntrs_grp_data_layout.ether_stats_octets)		\
	X(crc_align, RFC_2819, eth_2819_cntrs_grp_data_layout.ether_stats_crc_align_errors) \
	X(jabbers, RFC_2819, eth_2819_cntrs_grp_data_layout.ether_stats_jabbers)	\
	X(size64, RFC_2819, eth_2819_cntrs_grp_data_layout.ether_stats_pkts64octets)	\
	X(symbols, PHYS_LAYER, phys_layer_cntrs.symbol_errors)			\
	X(fc_good, PHYS_LAYER, phys_layer_cntrs.fc_fec_corrected_blocks_lane0)	\
	X(fc_bad, PHYS_LAYER, phys_layer_cntrs.fc_fec_uncorrectable_blocks_lane0)	\
	X(fc_other, PHYS_LAYER, phys_layer_cntrs.fc_fec_corrected_blocks_lane1)	\
	X(rs_good, PHYS_LAYER, phys_layer_cntrs.rs_fec_corrected_blocks)		\
	X(rs_bad, PHYS_LAYER, phys_layer_cntrs.rs_fec_uncorrectable_blocks)		\
	X(rs_single, PHYS_LAYER, phys_layer_cntrs.rs_fec_single_error_blocks)		\
	X(rs_symbols, PHYS_LAYER, phys_layer_cntrs.rs_fec_corrected_symbols_total)	\
	X(rs_lane, PHYS_LAYER, phys_layer_cntrs.rs_fec_corrected_symbols_lane0)	\
	X(bits_in, PHYS_STATISTICAL, phys_layer_statistical_cntrs.phy_received_bits)	\
	X(pcs, PHYS_STATISTICAL, phys_layer_statistical_cntrs.phy_symbol_errors)	\
	X(bits, PHYS_STATISTICAL, phys_layer_statistical_cntrs.phy_corrected_bits)	\
	X(bits_lane, PHYS_STATISTICAL, phys_layer_statistical_cntrs.phy_corrected_bits_lane0) \
	X(bits_other, PHYS_STATISTICAL, phys_layer_statistical_cntrs.phy_corrected_bits_lane1)

struct counters {
#define FIELD(name, group, field) uint64_t name;
	COUNTERS(FIELD)
#undef FIELD
	uint64_t ib_symbols, ib_errors;
};

#define ROW(name, group, field) {							\
	offsetof(struct counters, name), PRM_PPCNT_##group,				\
	prm_bit((struct prm_ppcnt_reg *)NULL, counter_set.field##_high)			\
},

static const struct {
	size_t at;
	unsigned int group, bit;
} rows[] = { COUNTERS(ROW) };

static void read_counters(struct counters *n)
{
	struct prm_ppcnt_reg reg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		read_group(dut, rows[i].group, &reg);
		*(uint64_t *)((char *)n + rows[i].at) = prm_get_dwords(reg.dw, rows[i].bit);
	}
	read_group(dut, PRM_PPCNT_IB, &reg);
	n->ib_symbols =
		prm_get(&reg, counter_set.ib_port_cntrs_grp_data_layout.symbol_error_counter);
	n->ib_errors = prm_get(&reg, counter_set.ib_port_cntrs_grp_data_layout.port_rcv_errors);
}

/* What has changed, field by field; all are of 64 bits. */
static bool has_changed(const struct counters *before, const struct counters *by)
{
	struct counters now;
	const uint64_t *a = (const uint64_t *)before, *b = (const uint64_t *)&now,
		       *want = (const uint64_t *)by;
	unsigned int i, wrong = 0;

	read_counters(&now);
	for (i = 0; i < sizeof(now) / sizeof(*a); i++) {
		if (b[i] - a[i] == want[i])
			continue;
		wrong++;
		printf("# counter %u has changed by %llu, not by %llu\n", i,
		       (unsigned long long)(b[i] - a[i]), (unsigned long long)want[i]);
	}
	return !wrong;
}

static int rule(struct cxdev *const *devs, unsigned int n, const char *fmt, unsigned int bits)
{
	char line[128];

	snprintf(line, sizeof(line), fmt, bits);
	return fault_line(line, devs, n, stderr);
}

static void no_rules(void)
{
	char line[] = "clear";

	fault_line(line, &dut->dev, 1, stderr);
}

static void send_from(struct port *port, const uint8_t *mac, uint32_t len)
{
	struct frame *frame = frame_alloc(len);

	memset(frame->data, 0, len);
	memcpy(frame->data, mac, 6);
	memcpy(frame->data + 6, port == peer ? "\2\0\0\0\0\x99" : "\2\0\0\0\0\x98", 6);
	port_send(port, frame);
	dut_run();
}

static void send_frame(const uint8_t *mac, uint32_t len)
{
	send_from(peer, mac, len);
}

/* ---- set-up ---- */

static void set_up(const char *card)
{
	dut = dut_create_card("f0", 0, card_find(card, strlen(card)));
	peer = port_create(NULL, "peer");
	port_set_sink(peer, count_frame, NULL);
	dut_run();
}

static void tear_down(void)
{
	no_rules();
	dut_run();
	port_destroy(peer);
	dut_destroy(dut);
}

/* The link comes up with this protocol, of either numbering, and this code for all its speeds. */
static void select_code(uint32_t proto, uint32_t ext, unsigned int fec)
{
	struct prm_ptys_reg ptys = {};
	struct prm_pplm_reg pplm = {};

	prm_set(&ptys, local_port, 1);
	prm_set(&ptys, proto_mask, PRM_PTYS_ETH);
	prm_set(&ptys, eth_proto_admin, proto);
	prm_set(&ptys, ext_eth_proto_admin, ext);
	must_write(PRM_REG_PTYS, &ptys, sizeof(ptys));
	prm_set(&pplm, local_port, 1);
	if (ext)
		prm_set(&pplm, fec_override_admin_100g_2x, 1u << fec);
	else
		prm_set(&pplm, fec_override_admin_25g, 1u << fec);
	must_write(PRM_REG_PPLM, &pplm, sizeof(pplm));
	port_set_wire(dut->dev->port, false);
	dut_run();
	port_set_wire(dut->dev->port, true);
	dut_run();
}

/* ---- what is corrected ---- */

static const struct code {
	const char *name, *card;
	uint32_t proto, ext;
	unsigned int fec, most;		/* bits in a row that it corrects */
} codes[] = {
	{ "no code", "cx5", 1 << 27, 0, PRM_FEC_NONE, 0 },
	{ "Firecode", "cx4lx", 1 << 27, 0, PRM_FEC_FIRECODE, 11 },
	{ "RS(528,514) of one lane", "cx4lx", 1 << 27, 0, PRM_FEC_RS_528, 70 },
	{ "RS(528,514)", "cx7", 1 << 27, 0, PRM_FEC_RS_528, 70 },
	{ "RS(544,514)", "cx6dx", 0, 1 << 10, PRM_FEC_RS_544, 150 },
	{ "LLRS", "cx6dx", 0, 1 << 10, PRM_FEC_LLRS_272, 70 },
};

static bool is_rs(const struct code *code)
{
	return code->fec != PRM_FEC_NONE && code->fec != PRM_FEC_FIRECODE;
}

/* A frame of 60 bytes with @bits wrong ones. */
static bool corrects(const struct code *code, unsigned int bits)
{
	bool rs = is_rs(code);
	const struct counters want = {
		.good = 1, .pkts = 1, .octets = SHORT + FCS, .size64 = 1, .bits = bits,
		.bits_in = 8 * (SHORT + FCS), .bits_lane = bits,
		.fc_good = !rs, .rs_good = rs, .rs_single = rs && bits <= 10,
		.rs_symbols = rs ? (bits + 9) / 10 : 0, .rs_lane = rs ? (bits + 9) / 10 : 0,
	};
	struct counters before;

	read_counters(&before);
	dut_check(rule(&dut->dev, 1, "f0 frame any flip %u dir=rx", bits), "rule");
	send_frame(dut->dev->mac, SHORT);
	return has_changed(&before, &want);
}

static bool loses(const struct code *code, unsigned int bits)
{
	const struct counters want = {
		.crc = 1, .crc_align = 1, .in_errors = 1, .pkts = 1, .octets = SHORT + FCS,
		.size64 = 1, .bits_in = 8 * (SHORT + FCS), .symbols = 1, .pcs = 1,
		.carrier = code->fec != PRM_FEC_NONE,
		.fc_bad = code->fec == PRM_FEC_FIRECODE, .rs_bad = is_rs(code),
		.ib_symbols = 1, .ib_errors = 1,
	};
	struct counters before;

	read_counters(&before);
	dut_check(rule(&dut->dev, 1, "f0 frame any flip %u dir=rx", bits), "rule");
	send_frame(dut->dev->mac, SHORT);
	return has_changed(&before, &want);
}

static void test_code(const struct code *code)
{
	const struct counters one = {
		.good = 1, .pkts = 1, .octets = SHORT + FCS, .size64 = 1,
		.bits_in = 8 * (SHORT + FCS),
	};
	struct counters before;

	set_up(code->card);
	select_code(code->proto, code->ext, code->fec);
	if (code->most)
		ktap(corrects(code, 1) && corrects(code, code->most),
		     "%s: up to %u wrong bits are corrected, and counted", code->name, code->most);
	ktap(loses(code, code->most + 1) && loses(code, 512),
	     "%s: with more the frame is lost, and counted", code->name);
	read_counters(&before);
	send_frame(dut->dev->mac, SHORT);
	ktap(has_changed(&before, &one) && !dut_violations(dut),
	     "%s: a frame without wrong bits changes no such counter", code->name);
	tear_down();
}

/* Longer than the MTU of the port. */
static void test_jabber(void)
{
	const uint32_t len = dut->dev->eth->port_mtu - FCS + 1;
	const struct counters want = {
		.long_ones = 1, .jabbers = 1, .in_errors = 1, .pkts = 1, .octets = len + FCS,
		.bits_in = 8 * (len + FCS), .symbols = 1, .pcs = 1, .carrier = 1, .rs_bad = 1,
		.ib_symbols = 1, .ib_errors = 1,
	};
	struct counters before;

	read_counters(&before);
	rule(&dut->dev, 1, "f0 frame any flip %u dir=rx", 512);
	send_frame(dut->dev->mac, len);
	ktap(has_changed(&before, &want), "one that is lost and too long is a jabber");
}

static void test_elsewhere(void)
{
	const struct counters none = {};
	struct counters before;

	read_counters(&before);
	rule(&dut->dev, 1, "f0 frame any flip %u dir=rx", 512);
	port_set_wire(dut->dev->port, false);
	send_frame(dut->dev->mac, SHORT);
	ktap(has_changed(&before, &none), "bits of a link that is down are not counted");
	port_set_wire(dut->dev->port, true);
	no_rules();
	rule(&dut->dev, 1, "peer frame any flip %u dir=rx", 1);
	at_peer = 0;
	send_from(dut->dev->port, (const uint8_t *)"\xff\xff\xff\xff\xff\xff", SHORT);
	ktap(!at_peer && port_counters(peer)->errors.frames == 1,
	     "a port without a function corrects nothing");
}

static void test_groups(void)
{
	static const char *const names[] = { "cx4", "cx4lx", "cx5", "cx6", "cx6dx", "cx7" };
	struct prm_ppcnt_reg reg;
	unsigned int i, right = 0;
	bool says, has;

	for (i = 0; i < 2 * ARRAY_SIZE(names); i++) {
		const struct card *card = card_find(names[i / 2], strlen(names[i / 2]));
		struct dut *d = dut_create_card("f0", 0, i % 2 ? card_vf(card) : card);
		struct prm_pcam_reg pcam = {};

		dut_check(access_reg(d, PRM_ACCESS_REG_READ, PRM_REG_PCAM, &pcam, sizeof(pcam)),
			  "PCAM");
		says = prm_get(&pcam, feature_cap_mask.enhanced_features.ppcnt_statistical_group);
		has = !read_group(d, PRM_PPCNT_PHYS_STATISTICAL, &reg);
		right += says == has && has == (i % 2 == 0 && i >= 2) && !dut_violations(d);
		dut_destroy(d);
	}
	ktap(right == 2 * ARRAY_SIZE(names),
	     "the group is there if PCAM says so: from ConnectX-4 Lx on, and not for VFs");
}

/* ---- inside a card ---- */

static void add_seen(const struct fault *rule, void *arg)
{
	*(uint64_t *)arg += rule->seen;
}

static uint64_t rules_saw(void)
{
	uint64_t n = 0;

	fault_for_each(add_seen, &n);
	return n;
}

static void test_card(void)
{
	const struct card *card = card_find("cx5", 3);
	struct cxdev *devs[2];
	struct dut *vf;

	set_up("cx5");
	vf = dut_create_card("f1", 1, card_vf(card));
	devs[0] = dut->dev;
	devs[1] = vf->dev;
	dut_check(eswitch_create(devs[0]), "eswitch_create");
	eswitch_add(devs[0], devs[1]);
	rule(devs, 2, "f1 frame any flip %u dir=rx", 512);
	send_frame((const uint8_t *)"\xff\xff\xff\xff\xff\xff", SHORT);
	ktap(port_counters(devs[1]->port)->rx_frames == 1 && !rules_saw() &&
	     !port_counters(devs[1]->port)->errors.frames,
	     "a VF has no cable on which bits could be wrong");
	no_rules();
	rule(devs, 2, "f0 frame any flip %u dir=rx", 512);
	send_frame((const uint8_t *)"\xff\xff\xff\xff\xff\xff", SHORT);
	ktap(port_counters(devs[1]->port)->rx_frames == 1 &&
	     port_counters(devs[0]->port)->errors.frames == 1,
	     "but does not get what the port of its card has lost");
	no_rules();
	dut_destroy(vf);
	tear_down();
}

int main(void)
{
	unsigned int i;

	ktap_plan(0);
	for (i = 0; i < ARRAY_SIZE(codes); i++)
		test_code(&codes[i]);
	set_up("cx5");
	test_jabber();
	test_elsewhere();
	tear_down();
	test_groups();
	test_card();
	return ktap_end();
}
