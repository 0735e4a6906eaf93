// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* codec/link: the protocols of PTYS. Offsets, numbers and speeds are those of the PRM. */
#include <errno.h>
#include <string.h>
#include <linux/types.h>
#include <linux/ethtool.h>
#include "host.h"
#include "../../drivers/codec/fec.h"
#include "../../drivers/codec/link.h"

#define EXT_CAPABILITY	0x08
#define CAPABILITY	0x0c
#define EXT_ADMIN	0x14
#define ADMIN		0x18
#define EXT_OPER	0x20
#define OPER		0x24
#define CONNECTOR	0x2f
#define PARTNER		0x30

static struct prm_ptys_reg ptys;

static void put(unsigned int at, u32 value)
{
	u8 *p = (u8 *)&ptys + at;

	p[0] = value >> 24;
	p[1] = value >> 16;
	p[2] = value >> 8;
	p[3] = value;
}

static struct cxr_link decode(void)
{
	struct cxr_link link;

	cxr_link_decode(&ptys, &link);
	return link;
}

static void test_decode(void)
{
	struct cxr_link link;

	begin("link", "an older card has one numbering");
	memset(&ptys, 0, sizeof(ptys));
	put(CAPABILITY, 1U << 20 | 1U << 6);
	put(ADMIN, 1U << 6);
	put(OPER, 1U << 6);
	put(PARTNER, 1U << 7);
	link = decode();
	expect(link.ext, 0);
	expect(link.can[0], 1U << 20 | 1U << 6);
	expect(link.admin, 1U << 6);
	expect(link.partner, 1U << 7);
	expect(link.speed_mbps, 40000);
	expect(link.lanes, 4);
	expect(link.autoneg, 1);
	expect(link.negotiated, 0);

	begin("link", "autonegotiation can be switched off");
	expect(link.autoneg_always, 1);
	((u8 *)&ptys)[0] = 0x20;
	expect(decode().autoneg_always, 0);
	expect(decode().autoneg, 1);

	begin("link", "autonegotiation is off, or complete");
	((u8 *)&ptys)[0] = 0x60;
	expect(decode().autoneg, 0);
	((u8 *)&ptys)[4] = 0x10;
	expect(decode().negotiated, 1);

	begin("link", "a newer card has two, and what was selected is of the first");
	put(EXT_CAPABILITY, 1U << 5);
	put(EXT_OPER, 1U << 5);
	link = decode();
	expect(link.ext, 1);
	expect(link.admin_ext, 0);
	expect(link.can[1], 1U << 5);
	expect(link.oper, 1U << 6);

	begin("link", "or of the second");
	put(ADMIN, 0);
	put(EXT_ADMIN, 1U << 8);
	put(EXT_OPER, 1U << 8);
	link = decode();
	expect(link.admin_ext, 1);
	expect(link.admin, 1U << 8);
	expect(link.speed_mbps, 50000);
	expect(link.lanes, 1);

	begin("link", "a link that is down has no speed");
	put(EXT_OPER, 0);
	expect(decode().speed_mbps, 0);

	begin("link", "the speed of a protocol that nobody knows is the rate that the card says");
	put(EXT_OPER, 1U << 31);
	((u8 *)&ptys)[6] = 0x1;
	((u8 *)&ptys)[7] = 0xf4;
	expect(decode().speed_mbps, 50000);
}

/* Speed, lanes and one of the modes. */
static const struct {
	bool ext;
	unsigned int proto, mbps, modes, mode;
} known[] = {
	{ false, 1, 1000, 1, ETHTOOL_LINK_MODE_1000baseKX_Full_BIT },
	{ false, 4, 10000, 1, ETHTOOL_LINK_MODE_10000baseKR_Full_BIT },
	{ false, 20, 100000, 1, ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT },
	{ false, 29, 25000, 1, ETHTOOL_LINK_MODE_25000baseSR_Full_BIT },
	{ true, 4, 10000, 7, ETHTOOL_LINK_MODE_10000baseER_Full_BIT },
	{ true, 8, 50000, 5, ETHTOOL_LINK_MODE_50000baseDR_Full_BIT },
	{ true, 12, 200000, 5, ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT },
	{ true, 16, 400000, 5, ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT },
	{ true, 19, 800000, 6, ETHTOOL_LINK_MODE_800000baseVR8_Full_BIT },
	{ false, 10, 0, 0, 0 },
	{ true, 2, 0, 0, 0 },
};

static void test_modes(void)
{
	const u8 *modes;
	unsigned int i;

	begin("link", "protocols have a speed, and the modes that ethtool has for them");
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		expect(cxr_link_speed(known[i].ext, known[i].proto), known[i].mbps);
		expect(cxr_link_modes(known[i].ext, known[i].proto, &modes), known[i].modes);
		if (known[i].modes)
			expect(modes[known[i].modes - 1], known[i].mode);
	}

	begin("link", "all protocols of a speed");
	expect(cxr_link_protos_of(false, 100000), 0xfU << 20);
	expect(cxr_link_protos_of(true, 100000), 7U << 9);
	expect(cxr_link_protos_of(false, 2500), 0);
	expect(cxr_link_protos_of(true, 0), 0);
}

static void expect_media(const struct cxr_link *link, unsigned int n, u8 first, u8 port)
{
	u8 media[2] = { 0xff, 0xff };

	expect(cxr_link_media(link, media), n);
	expect(media[0], n ? first : 0xff);
	expect(cxr_link_port(link), port);
}

static void test_media(void)
{
	struct cxr_link link = { .can = { 1U << 20 | 1U << 13 }, .admin = 1U << 13 };

	begin("link", "the connector follows from the protocols, up or possible");
	expect_media(&link, 1, ETHTOOL_LINK_MODE_FIBRE_BIT, PORT_FIBRE);
	link.oper = 1U << 20;
	expect_media(&link, 1, ETHTOOL_LINK_MODE_FIBRE_BIT, PORT_DA);
	link.admin = 1U << 22;
	link.oper = 1U << 22;
	expect_media(&link, 1, ETHTOOL_LINK_MODE_Backplane_BIT, PORT_NONE);
	link.admin = 1U << 22 | 1U << 21;
	link.oper = 1U << 27;
	expect_media(&link, 2, ETHTOOL_LINK_MODE_FIBRE_BIT, PORT_OTHER);

	begin("link", "those of the second numbering do not say it");
	link = (struct cxr_link){ .ext = true, .can = { 1, 1 }, .admin = 16, .admin_ext = true };
	expect_media(&link, 0, 0, PORT_OTHER);

	begin("link", "unless the card says it");
	link.connector = PRM_CONNECTOR_TP;
	expect_media(&link, 1, ETHTOOL_LINK_MODE_TP_BIT, PORT_TP);
	link.connector = PRM_CONNECTOR_DA;
	expect_media(&link, 1, ETHTOOL_LINK_MODE_Backplane_BIT, PORT_DA);
	link.connector = PRM_CONNECTOR_NONE;
	expect_media(&link, 0, 0, PORT_NONE);
	link.connector = 15;
	expect_media(&link, 0, 0, PORT_OTHER);
}

/* ---- forward error correction ---- */

#define FEC_ACTIVE	0x0c	/* three bytes from 0x0d on */
#define FEC_CAP		0x10	/* 56g, 100g, 50g, 25g, 10g_40g in the low 20 bits */
#define FEC_ADMIN	0x14
#define FEC_CAP_2X	0x1c	/* 100g_2x, 50g_1x */
#define FEC_ADMIN_2X	0x24
#define FEC_CAP_1X	0x2c	/* 200g_2x, 100g_1x */
#define FEC_ADMIN_1X	0x48

static struct prm_pplm_reg pplm;

static void put_fec(unsigned int at, u32 value)
{
	u8 *p = (u8 *)&pplm + at;

	p[0] = value >> 24;
	p[1] = value >> 16;
	p[2] = value >> 8;
	p[3] = value;
}

static u32 get_fec(unsigned int at)
{
	const u8 *p = (u8 *)&pplm + at;

	return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static void test_fec(void)
{
	struct cxr_fec_support old = { .pplm = true };
	struct cxr_fec_support new = { .pplm = true, .lanes_50g = true, .lanes_100g = true };
	struct cxr_fec fec;
	u8 modes[4];

	begin("link", "forward error correction of the speeds that the card has");
	memset(&pplm, 0, sizeof(pplm));
	put_fec(FEC_ACTIVE, 0x4);
	put_fec(FEC_CAP, 0x05721);
	put_fec(FEC_ADMIN, 0x00020);
	put_fec(FEC_CAP_2X, 0x00800280);
	put_fec(FEC_CAP_1X, 0x00000080);
	cxr_fec_decode(&pplm, &old, &fec);
	expect(fec.active, 4);
	expect(fec.can, 7);
	expect(fec.configured, 2);
	cxr_fec_decode(&pplm, &new, &fec);
	expect(fec.can, 0x287);

	begin("link", "one is set for all speeds that can have it, and others choose");
	expect(cxr_fec_encode(ETHTOOL_FEC_RS, &old, &pplm), 0);
	expect(get_fec(FEC_ADMIN), 0x04400);
	expect(get_fec(FEC_ADMIN_2X), 0);
	expect(cxr_fec_encode(ETHTOOL_FEC_BASER, &old, &pplm), 0);
	expect(get_fec(FEC_ADMIN), 0x00220);

	begin("link", "with faster lanes RS is another code");
	expect(cxr_fec_encode(ETHTOOL_FEC_RS, &new, &pplm), 0);
	expect(get_fec(FEC_ADMIN), 0x04400);
	expect(get_fec(FEC_ADMIN_2X), 0x00800080);
	expect(get_fec(FEC_ADMIN_1X), 0x00000080);
	expect(cxr_fec_encode(ETHTOOL_FEC_LLRS, &new, &pplm), 0);
	expect(get_fec(FEC_ADMIN), 0);
	expect(get_fec(FEC_ADMIN_2X), 0x00000200);

	begin("link", "all choose");
	expect(cxr_fec_encode(ETHTOOL_FEC_AUTO, &new, &pplm), 0);
	expect(get_fec(FEC_ADMIN), 0);
	expect(get_fec(FEC_ADMIN_2X), 0);

	begin("link", "what no speed can have is refused");
	expect(cxr_fec_encode(ETHTOOL_FEC_LLRS, &old, &pplm), -EOPNOTSUPP);
	put_fec(FEC_CAP, 0x05501);
	expect(cxr_fec_encode(ETHTOOL_FEC_BASER, &new, &pplm), -EOPNOTSUPP);
	expect(cxr_fec_encode(ETHTOOL_FEC_NONE, &new, &pplm), -EOPNOTSUPP);

	begin("link", "ethtool has names for them");
	expect(cxr_fec_ethtool(0), ETHTOOL_FEC_AUTO);
	expect(cxr_fec_ethtool(1), ETHTOOL_FEC_OFF);
	expect(cxr_fec_ethtool(2), ETHTOOL_FEC_BASER);
	expect(cxr_fec_ethtool(4), ETHTOOL_FEC_RS);
	expect(cxr_fec_ethtool(0x80), ETHTOOL_FEC_RS);
	expect(cxr_fec_ethtool(0x200), ETHTOOL_FEC_LLRS);
	expect(cxr_fec_ethtool(0x800000), 0);
	expect(cxr_fec_modes(0x285, modes), 3);
	expect(modes[0], ETHTOOL_LINK_MODE_FEC_NONE_BIT);
	expect(modes[1], ETHTOOL_LINK_MODE_FEC_RS_BIT);
	expect(modes[2], ETHTOOL_LINK_MODE_FEC_LLRS_BIT);
}

/* Bytes of the register before the counters, and offsets in group 0x12, from the PRM. */
#define SET		8
#define FC_CORRECTED	0x38	/* by lane, 8 bytes each */
#define FC_UNCORRECTABLE 0x58
#define RS_CORRECTED	0x78
#define RS_UNCORRECTABLE 0x80

/* Each counter has its offset in the upper half. */
static void fill_blocks(struct prm_ppcnt_reg *reg)
{
	unsigned int at;

	memset(reg, 0, sizeof(*reg));
	for (at = 0; SET + at < sizeof(*reg); at += 8)
		((u8 *)reg)[SET + at + 3] = at;
}

static void test_fec_blocks(void)
{
	static const u32 rs[] = { 1 << 2, 1 << 7, 1 << 9, 1 << 9 | 1 << 20 };
	struct cxr_fec_blocks blocks;
	struct prm_ppcnt_reg reg;
	unsigned int i;

	fill_blocks(&reg);
	begin("link", "Reed-Solomon codes have blocks of the port");
	for (i = 0; i < ARRAY_SIZE(rs); i++) {
		cxr_fec_blocks_decode(rs[i], 4, &reg, &blocks);
		expect(blocks.by_lane, false);
		expect(blocks.n, 1);
		expect(blocks.corrected[0], (u64)RS_CORRECTED << 32);
		expect(blocks.uncorrectable[0], (u64)RS_UNCORRECTABLE << 32);
	}

	begin("link", "Firecode has them of each lane");
	cxr_fec_blocks_decode(1 << 1, 4, &reg, &blocks);
	expect(blocks.by_lane, true);
	expect(blocks.n, 4);
	for (i = 0; i < 4; i++) {
		expect(blocks.corrected[i], (u64)(FC_CORRECTED + 8 * i) << 32);
		expect(blocks.uncorrectable[i], (u64)(FC_UNCORRECTABLE + 8 * i) << 32);
	}
	cxr_fec_blocks_decode(1 << 1, 1, &reg, &blocks);
	expect(blocks.n, 1);
	expect(blocks.corrected[1], 0);
	cxr_fec_blocks_decode(1 << 1, 8, &reg, &blocks);
	expect(blocks.n, 4);
	expect(cxr_fec_by_lane(1 << 1), true);
	expect(cxr_fec_by_lane(1 << 2), false);

	begin("link", "without a code, or with an unknown one, there are none");
	cxr_fec_blocks_decode(1 << 0, 4, &reg, &blocks);
	expect(blocks.n, 0);
	cxr_fec_blocks_decode(1 << 20, 4, &reg, &blocks);
	expect(blocks.n, 0);
	expect(cxr_fec_corrects(0), false);
	expect(cxr_fec_corrects(1 << 0), false);
	expect(cxr_fec_corrects(1 << 1), true);
	expect(cxr_fec_corrects(1 << 20), true);
}

/* As the in-tree driver tells ethtool: a sample of each state, and what is no reason. */
static void test_down(void)
{
	static const struct {
		u16 opcode;
		u8 state, substate;
	} rows[] = {
		{ 2, ETHTOOL_LINK_EXT_STATE_AUTONEG, 1 }, { 39, ETHTOOL_LINK_EXT_STATE_AUTONEG, 6 },
		{ 7, ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 3 },
		{ 8, ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 0 },
		{ 14, ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 4 },
		{ 13, ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 5 },
		{ 15, ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 0 },
		{ 42, ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 2 },
		{ 1024, ETHTOOL_LINK_EXT_STATE_NO_CABLE, 0 },
		{ 1025, ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, 1 },
		{ 1031, ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, 0 },
		{ 1027, ETHTOOL_LINK_EXT_STATE_EEPROM_ISSUE, 0 },
		{ 23, ETHTOOL_LINK_EXT_STATE_CALIBRATION_FAILURE, 0 },
		{ 1032, ETHTOOL_LINK_EXT_STATE_POWER_BUDGET_EXCEEDED, 0 },
		{ 1030, ETHTOOL_LINK_EXT_STATE_OVERHEAT, 0 },
	};
	unsigned int i;
	u8 state, substate;

	begin("link", "ethtool has words for reasons why it is down");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		expect(cxr_link_down_reason(rows[i].opcode, &state, &substate), true);
		expect(state, rows[i].state);
		expect(substate, rows[i].substate);
	}
	begin("link", "but not for all, and a link that is up has none");
	expect(cxr_link_down_reason(0, &state, &substate), false);
	expect(cxr_link_down_reason(1, &state, &substate), false);
	expect(cxr_link_down_reason(1026, &state, &substate), false);
}

void test_link(void)
{
	test_down();
	test_fec();
	test_fec_blocks();
	test_decode();
	test_modes();
	test_media();
}
