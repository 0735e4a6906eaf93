/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Link protocols of a port (PTYS), and what they are for ethtool.
 *
 * There are two numberings. Older firmware knows the first one alone, where a protocol has a
 * medium; in the extended one, of newer speeds, it stands for all media of a number of lanes.
 */
#ifndef CXR_CODEC_LINK_H
#define CXR_CODEC_LINK_H

#include <linux/types.h>
#include "prm/port.h"

#define CXR_LINK_PROTOS	32
#define CXR_LINK_MODES	7	/* of a protocol, at most */

/* Protocols are sets of bits. */
struct cxr_link {
	u32 can[2];		/* of both numberings, the extended one second; it may be 0 */
	bool ext;		/* the numbering of partner: the extended one, if there is one */
	bool admin_ext;		/* of admin and oper */
	u32 admin, oper, partner;
	u32 speed_mbps;		/* 0 if down */
	u8 lanes;
	bool autoneg;		/* it may negotiate */
	bool autoneg_always;	/* which cannot be switched off */
	bool negotiated;
	u8 connector;		/* enum prm_connector */
};

void cxr_link_decode(const struct prm_ptys_reg *ptys, struct cxr_link *link);

/* In Mbit/s; 0: there is no such protocol. */
u32 cxr_link_speed(bool ext, unsigned int proto);
/* ETHTOOL_LINK_MODE_*_BIT of a protocol; returns how many. */
unsigned int cxr_link_modes(bool ext, unsigned int proto, const u8 **modes);
/* All protocols of a speed. */
u32 cxr_link_protos_of(bool ext, u32 mbps);
/* PORT_* of ethtool, by the connector, or by the protocols if the firmware does not say. */
u8 cxr_link_port(const struct cxr_link *link);
/*
 * The kind of cable that a port is for: ETHTOOL_LINK_MODE_FIBRE_BIT and others, into @modes[2];
 * returns how many.
 */
unsigned int cxr_link_media(const struct cxr_link *link, u8 modes[2]);

/*
 * Why the link is down, for ethtool: ETHTOOL_LINK_EXT_STATE_*, and ETHTOOL_LINK_EXT_SUBSTATE_* of
 * that, or 0. @opcode: of PDDR. False: it is not down, or ethtool has no word for it.
 */
bool cxr_link_down_reason(u16 opcode, u8 *state, u8 *substate);

#endif
