// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/types.h>
#include <linux/ethtool.h>
#include "link.h"

#define MODE(name)	ETHTOOL_LINK_MODE_##name##_BIT
#define PROTO(n)	(1U << (n))

/* A mode is never 0, which is one of 10 Mbit/s. */
struct proto {
	u32 mbps;
	u8 lanes;
	u8 modes[CXR_LINK_MODES];
};

static const struct proto protos[CXR_LINK_PROTOS] = {
	[0] = { 1000, 1, { MODE(1000baseKX_Full) } },
	[1] = { 1000, 1, { MODE(1000baseKX_Full) } },
	[2] = { 10000, 4, { MODE(10000baseKX4_Full) } },
	[3] = { 10000, 4, { MODE(10000baseKX4_Full) } },
	[4] = { 10000, 1, { MODE(10000baseKR_Full) } },
	[5] = { 20000, 2, { MODE(20000baseKR2_Full) } },
	[6] = { 40000, 4, { MODE(40000baseCR4_Full) } },
	[7] = { 40000, 4, { MODE(40000baseKR4_Full) } },
	[8] = { 56000, 4, { MODE(56000baseKR4_Full) } },
	[12] = { 10000, 1, { MODE(10000baseKR_Full) } },
	[13] = { 10000, 1, { MODE(10000baseKR_Full) } },
	[14] = { 10000, 1, { MODE(10000baseKR_Full) } },
	[15] = { 40000, 4, { MODE(40000baseSR4_Full) } },
	[16] = { 40000, 4, { MODE(40000baseLR4_Full) } },
	[18] = { 50000, 2, { MODE(50000baseSR2_Full) } },
	[20] = { 100000, 4, { MODE(100000baseCR4_Full) } },
	[21] = { 100000, 4, { MODE(100000baseSR4_Full) } },
	[22] = { 100000, 4, { MODE(100000baseKR4_Full) } },
	[23] = { 100000, 4, { MODE(100000baseLR4_ER4_Full) } },
	[24] = { 100, 1, { MODE(100baseT_Full) } },
	[25] = { 1000, 1, { MODE(1000baseT_Full) } },
	[26] = { 10000, 1, { MODE(10000baseT_Full) } },
	[27] = { 25000, 1, { MODE(25000baseCR_Full) } },
	[28] = { 25000, 1, { MODE(25000baseKR_Full) } },
	[29] = { 25000, 1, { MODE(25000baseSR_Full) } },
	[30] = { 50000, 2, { MODE(50000baseCR2_Full) } },
	[31] = { 50000, 2, { MODE(50000baseKR2_Full) } },
};

static const struct proto ext_protos[CXR_LINK_PROTOS] = {
	[0] = { 100, 1, { MODE(100baseT_Full) } },
	[1] = { 1000, 1, { MODE(1000baseT_Full), MODE(1000baseKX_Full), MODE(1000baseX_Full) } },
	[3] = { 5000, 1, { MODE(5000baseT_Full) } },
	[4] = { 10000, 1, { MODE(10000baseT_Full), MODE(10000baseKR_Full), MODE(10000baseR_FEC),
			    MODE(10000baseCR_Full), MODE(10000baseSR_Full), MODE(10000baseLR_Full),
			    MODE(10000baseER_Full) } },
	[5] = { 40000, 4, { MODE(40000baseKR4_Full), MODE(40000baseCR4_Full),
			    MODE(40000baseSR4_Full), MODE(40000baseLR4_Full) } },
	[6] = { 25000, 1, { MODE(25000baseCR_Full), MODE(25000baseKR_Full),
			    MODE(25000baseSR_Full) } },
	[7] = { 50000, 2, { MODE(50000baseCR2_Full), MODE(50000baseKR2_Full),
			    MODE(50000baseSR2_Full) } },
	[8] = { 50000, 1, { MODE(50000baseKR_Full), MODE(50000baseSR_Full), MODE(50000baseCR_Full),
			    MODE(50000baseLR_ER_FR_Full), MODE(50000baseDR_Full) } },
	[9] = { 100000, 4, { MODE(100000baseKR4_Full), MODE(100000baseSR4_Full),
			     MODE(100000baseCR4_Full), MODE(100000baseLR4_ER4_Full) } },
	[10] = { 100000, 2, { MODE(100000baseKR2_Full), MODE(100000baseSR2_Full),
			      MODE(100000baseCR2_Full), MODE(100000baseLR2_ER2_FR2_Full),
			      MODE(100000baseDR2_Full) } },
	[11] = { 100000, 1, { MODE(100000baseKR_Full), MODE(100000baseSR_Full),
			      MODE(100000baseLR_ER_FR_Full), MODE(100000baseDR_Full),
			      MODE(100000baseCR_Full) } },
	[12] = { 200000, 4, { MODE(200000baseKR4_Full), MODE(200000baseSR4_Full),
			      MODE(200000baseLR4_ER4_FR4_Full), MODE(200000baseDR4_Full),
			      MODE(200000baseCR4_Full) } },
	[13] = { 200000, 2, { MODE(200000baseKR2_Full), MODE(200000baseSR2_Full),
			      MODE(200000baseLR2_ER2_FR2_Full), MODE(200000baseDR2_Full),
			      MODE(200000baseCR2_Full) } },
	[15] = { 400000, 8, { MODE(400000baseKR8_Full), MODE(400000baseSR8_Full),
			      MODE(400000baseLR8_ER8_FR8_Full), MODE(400000baseDR8_Full),
			      MODE(400000baseCR8_Full) } },
	[16] = { 400000, 4, { MODE(400000baseKR4_Full), MODE(400000baseSR4_Full),
			      MODE(400000baseLR4_ER4_FR4_Full), MODE(400000baseDR4_Full),
			      MODE(400000baseCR4_Full) } },
	/* 800000baseCR8 to VR8, which older kernels do not know */
	[19] = { 800000, 8, { 93, 94, 95, 96, 97, 98 } },
};

static const struct proto *proto_of(bool ext, unsigned int proto)
{
	return &(ext ? ext_protos : protos)[proto];
}

u32 cxr_link_speed(bool ext, unsigned int proto)
{
	return proto_of(ext, proto)->mbps;
}

unsigned int cxr_link_modes(bool ext, unsigned int proto, const u8 **modes)
{
	unsigned int n = 0;

	*modes = proto_of(ext, proto)->modes;
	while (n < CXR_LINK_MODES && (*modes)[n])
		n++;
	return n;
}

u32 cxr_link_protos_of(bool ext, u32 mbps)
{
	unsigned int i;
	u32 set = 0;

	for (i = 0; i < CXR_LINK_PROTOS; i++)
		if (proto_of(ext, i)->mbps && proto_of(ext, i)->mbps == mbps)
			set |= PROTO(i);
	return set;
}

/* The lowest protocol that is up gives the speed. */
static void decode_speed(struct cxr_link *link)
{
	unsigned int i;

	for (i = 0; i < CXR_LINK_PROTOS; i++) {
		if (!(link->oper & PROTO(i)))
			continue;
		link->speed_mbps = proto_of(link->admin_ext, i)->mbps;
		link->lanes = proto_of(link->admin_ext, i)->lanes;
		return;
	}
}

/* What was set last has one of the two numberings, and the other one is 0. */
void cxr_link_decode(const struct prm_ptys_reg *ptys, struct cxr_link *link)
{
	u32 ext_admin = prm_get(ptys, ext_eth_proto_admin);
	u32 ext_can = prm_get(ptys, ext_eth_proto_capability);

	*link = (struct cxr_link){
		.can = { prm_get(ptys, eth_proto_capability), ext_can },
		.ext = ext_can,
		.admin_ext = ext_can && ext_admin,
		.partner = prm_get(ptys, eth_proto_lp_advertise),
		.autoneg = !prm_get(ptys, an_disable_admin),
		.autoneg_always = !prm_get(ptys, an_disable_cap),
		.negotiated = prm_get(ptys, an_status) == PRM_AN_COMPLETE,
		.connector = prm_get(ptys, connector_type),
	};
	link->admin = link->admin_ext ? ext_admin : prm_get(ptys, eth_proto_admin);
	link->oper = link->admin_ext ? prm_get(ptys, ext_eth_proto_oper) :
				       prm_get(ptys, eth_proto_oper);
	decode_speed(link);
	if (!link->speed_mbps)
		link->speed_mbps = link->oper ? 100 * prm_get(ptys, data_rate_oper) : 0;
}

/* ---- what a user sees ---------------------------------------------------------------------- */

/* Firmware that does not name the connector: what the in-tree driver makes of the protocols. */
#define OPTICAL	(PROTO(0) | PROTO(13) | PROTO(15) | PROTO(21))
#define COPPER	(PROTO(6) | PROTO(12) | PROTO(20))
#define BACKPLANE (PROTO(3) | PROTO(4) | PROTO(7) | PROTO(22))
#define ON_FIBRE (OPTICAL | PROTO(6) | PROTO(12))
#define ON_BACKPLANE (BACKPLANE | PROTO(1))

u8 cxr_link_port(const struct cxr_link *link)
{
	static const u8 ports[PRM_CONNECTORS] = {
		[PRM_CONNECTOR_UNKNOWN] = PORT_OTHER, [PRM_CONNECTOR_NONE] = PORT_NONE,
		[PRM_CONNECTOR_TP] = PORT_TP, [PRM_CONNECTOR_AUI] = PORT_AUI,
		[PRM_CONNECTOR_BNC] = PORT_BNC, [PRM_CONNECTOR_MII] = PORT_MII,
		[PRM_CONNECTOR_FIBRE] = PORT_FIBRE, [PRM_CONNECTOR_DA] = PORT_DA,
		[PRM_CONNECTOR_OTHER] = PORT_OTHER,
	};
	u32 set = link->oper ? link->oper : link->can[link->ext];

	if (link->connector && link->connector < PRM_CONNECTORS)
		return ports[link->connector];
	if (link->connector || (link->oper ? link->admin_ext : link->ext))
		return PORT_OTHER;
	if (set & OPTICAL)
		return PORT_FIBRE;
	if (set & COPPER)
		return PORT_DA;
	return set & BACKPLANE ? PORT_NONE : PORT_OTHER;
}

unsigned int cxr_link_media(const struct cxr_link *link, u8 modes[2])
{
	static const u8 media[PRM_CONNECTORS] = {
		[PRM_CONNECTOR_TP] = MODE(TP), [PRM_CONNECTOR_AUI] = MODE(AUI),
		[PRM_CONNECTOR_BNC] = MODE(BNC), [PRM_CONNECTOR_MII] = MODE(MII),
		[PRM_CONNECTOR_FIBRE] = MODE(FIBRE), [PRM_CONNECTOR_DA] = MODE(Backplane),
	};
	unsigned int n = 0;

	if (link->connector) {
		if (link->connector >= PRM_CONNECTORS || !media[link->connector])
			return 0;
		modes[n++] = media[link->connector];
		return n;
	}
	if (link->admin_ext)
		return 0;
	if (link->admin & ON_FIBRE)
		modes[n++] = MODE(FIBRE);
	if (link->admin & ON_BACKPLANE)
		modes[n++] = MODE(Backplane);
	return n;
}

/* ---- why it is down ----------------------------------------------------- */

#define STATE(name) ETHTOOL_LINK_EXT_STATE_##name
#define SUB(name) ETHTOOL_LINK_EXT_SUBSTATE_##name

static const struct reason {
	u16 opcode;	/* 0: the end */
	u8 state, substate;
} reasons[] = {
	{ 2, STATE(AUTONEG), SUB(AN_NO_PARTNER_DETECTED) },
	{ 3, STATE(AUTONEG), SUB(AN_ACK_NOT_RECEIVED) },
	{ 4, STATE(AUTONEG), SUB(AN_NEXT_PAGE_EXCHANGE_FAILED) },
	{ 5, STATE(LINK_TRAINING_FAILURE), SUB(LT_KR_FRAME_LOCK_NOT_ACQUIRED) },
	{ 6, STATE(LINK_TRAINING_FAILURE), SUB(LT_KR_LINK_INHIBIT_TIMEOUT) },
	{ 7, STATE(LINK_TRAINING_FAILURE), SUB(LT_KR_LINK_PARTNER_DID_NOT_SET_RECEIVER_READY) },
	{ 8, STATE(LINK_TRAINING_FAILURE), 0 },
	{ 9, STATE(LINK_LOGICAL_MISMATCH), SUB(LLM_PCS_DID_NOT_ACQUIRE_BLOCK_LOCK) },
	{ 10, STATE(LINK_LOGICAL_MISMATCH), SUB(LLM_PCS_DID_NOT_ACQUIRE_AM_LOCK) },
	{ 11, STATE(LINK_LOGICAL_MISMATCH), SUB(LLM_PCS_DID_NOT_GET_ALIGN_STATUS) },
	{ 12, STATE(LINK_LOGICAL_MISMATCH), SUB(LLM_FC_FEC_IS_NOT_LOCKED) },
	{ 13, STATE(LINK_LOGICAL_MISMATCH), SUB(LLM_RS_FEC_IS_NOT_LOCKED) },
	{ 14, STATE(LINK_TRAINING_FAILURE), SUB(LT_REMOTE_FAULT) },
	{ 15, STATE(BAD_SIGNAL_INTEGRITY), 0 },
	{ 16, STATE(CABLE_ISSUE), SUB(CI_UNSUPPORTED_CABLE) },
	{ 17, STATE(BAD_SIGNAL_INTEGRITY), SUB(BSI_LARGE_NUMBER_OF_PHYSICAL_ERRORS) },
	{ 20, STATE(CABLE_ISSUE), SUB(CI_UNSUPPORTED_CABLE) },
	{ 23, STATE(CALIBRATION_FAILURE), 0 },
	{ 29, STATE(CABLE_ISSUE), SUB(CI_UNSUPPORTED_CABLE) },
	{ 36, STATE(AUTONEG), SUB(AN_NO_PARTNER_DETECTED_FORCE_MODE) },
	{ 38, STATE(AUTONEG), SUB(AN_FEC_MISMATCH_DURING_OVERRIDE) },
	{ 39, STATE(AUTONEG), SUB(AN_NO_HCD) },
	{ 42, STATE(BAD_SIGNAL_INTEGRITY), SUB(BSI_UNSUPPORTED_RATE) },
	{ PRM_MONITOR_UNPLUGGED, STATE(NO_CABLE), 0 },
	{ 1025, STATE(CABLE_ISSUE), SUB(CI_UNSUPPORTED_CABLE) },
	{ 1027, STATE(EEPROM_ISSUE), 0 },
	{ 1029, STATE(CABLE_ISSUE), SUB(CI_UNSUPPORTED_CABLE) },
	{ 1030, STATE(OVERHEAT), 0 },
	{ 1031, STATE(CABLE_ISSUE), 0 },
	{ 1032, STATE(POWER_BUDGET_EXCEEDED), 0 },
	{}
};

bool cxr_link_down_reason(u16 opcode, u8 *state, u8 *substate)
{
	const struct reason *reason = reasons;

	while (reason->opcode && reason->opcode != opcode)
		reason++;
	*state = reason->state;
	*substate = reason->substate;
	return reason->opcode;
}
