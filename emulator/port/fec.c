// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Forward error correction (PPLM). The driver selects one for each speed, or none, and the port
 * takes the one that the speed needs. It has an effect when the link comes up. The wire makes no
 * errors but by faults: some bits in a row of one block, which are all on the first lane.
 */
#include <string.h>

#include "port/port.h"
#include "prm/port.h"

#define SET(fec) (1u << (fec))
#define OLD (SET(PRM_FEC_NONE) | SET(PRM_FEC_RS_528))
#define ALL (OLD | SET(PRM_FEC_FIRECODE))
#define NO_SPEED "but the card does not have that speed"
#define NEW (SET(PRM_FEC_RS_544) | SET(PRM_FEC_LLRS_272))
#define SYMBOL_BITS 10
#define FIRECODE_BITS 11	/* in a row, that it corrects */

/* By enum fec_speed: what a card of 100 Gb/s has on copper, what others have, and the choice. */
static const struct {
	uint16_t large, small, choice;
} speeds[FEC_SPEEDS] = {
	[FEC_10G_40G] = { SET(PRM_FEC_NONE), SET(PRM_FEC_NONE) | SET(PRM_FEC_FIRECODE),
			  SET(PRM_FEC_NONE) },
	[FEC_25G] = { OLD, ALL, SET(PRM_FEC_RS_528) },
	[FEC_50G] = { OLD, 0, SET(PRM_FEC_RS_528) },
	[FEC_100G] = { OLD, 0, SET(PRM_FEC_RS_528) },
	[FEC_50G_1X] = { NEW, 0, SET(PRM_FEC_RS_544) },
	[FEC_100G_2X] = { NEW, 0, SET(PRM_FEC_RS_544) },
};

static uint16_t capability(const struct cxdev *dev, enum fec_speed speed)
{
	if (speed >= FEC_50G_1X && !dev->card->ext_proto)
		return 0;
	return dev->card->port_lanes > 1 ? speeds[speed].large : speeds[speed].small;
}

static uint32_t active(const struct cxdev *dev)
{
	enum fec_speed speed = port_link_fec_speed(dev);
	uint16_t selected;

	if (!port_link_up(dev->port) || speed == FEC_SPEEDS)
		return SET(PRM_FEC_NONE);
	selected = dev->eth->link.fec_oper[speed];
	return selected ? selected & -selected : speeds[speed].choice;
}

int pplm_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pplm_reg *in = reg_in;
	struct prm_pplm_reg *out = reg_out;
	const uint16_t *admin = c->dev->eth->link.fec_admin;

	if (bad_port(c, in) || check_owner(c, "PPLM"))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, fec_mode_active, active(c->dev));
	prm_set(out, fec_override_cap_10g_40g, capability(c->dev, FEC_10G_40G));
	prm_set(out, fec_override_cap_25g, capability(c->dev, FEC_25G));
	prm_set(out, fec_override_cap_50g, capability(c->dev, FEC_50G));
	prm_set(out, fec_override_cap_100g, capability(c->dev, FEC_100G));
	prm_set(out, fec_override_cap_50g_1x, capability(c->dev, FEC_50G_1X));
	prm_set(out, fec_override_cap_100g_2x, capability(c->dev, FEC_100G_2X));
	prm_set(out, fec_override_admin_10g_40g, admin[FEC_10G_40G]);
	prm_set(out, fec_override_admin_25g, admin[FEC_25G]);
	prm_set(out, fec_override_admin_50g, admin[FEC_50G]);
	prm_set(out, fec_override_admin_100g, admin[FEC_100G]);
	prm_set(out, fec_override_admin_50g_1x, admin[FEC_50G_1X]);
	prm_set(out, fec_override_admin_100g_2x, admin[FEC_100G_2X]);
	return 0;
}

int pplm_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pplm_reg *in = reg_in;
	const uint16_t wanted[FEC_SPEEDS] = {
		[FEC_10G_40G] = prm_get(in, fec_override_admin_10g_40g),
		[FEC_25G] = prm_get(in, fec_override_admin_25g),
		[FEC_50G] = prm_get(in, fec_override_admin_50g),
		[FEC_100G] = prm_get(in, fec_override_admin_100g),
		[FEC_50G_1X] = prm_get(in, fec_override_admin_50g_1x),
		[FEC_100G_2X] = prm_get(in, fec_override_admin_100g_2x),
	};
	enum fec_speed i;

	if (bad_port(c, in) || check_owner(c, "PPLM") ||
	    is_set(c, in, fec_override_admin_56g, NO_SPEED) ||
	    is_set(c, in, fec_override_admin_200g_4x, NO_SPEED) ||
	    is_set(c, in, fec_override_admin_400g_8x, NO_SPEED) ||
	    is_set(c, in, fec_override_admin_100g_1x, NO_SPEED) ||
	    is_set(c, in, fec_override_admin_200g_2x, NO_SPEED) ||
	    is_set(c, in, fec_override_admin_400g_4x, NO_SPEED) ||
	    is_set(c, in, fec_override_admin_800g_8x, NO_SPEED))
		return -1;
	for (i = 0; i < FEC_SPEEDS; i++)
		if (wanted[i] & ~capability(c->dev, i))
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "fec_override_admin of speed %u, 0x%x, is not within 0x%x", i,
				      wanted[i], capability(c->dev, i));
	memcpy(c->dev->eth->link.fec_admin, wanted, sizeof(wanted));
	return pplm_read(c, reg_in, reg_out);
}

/* ---- frames with wrong bits ---- */

/* How many symbols of a block it corrects: half of those that it adds. */
static unsigned int rs_symbols(enum prm_fec fec)
{
	switch (fec) {
	case PRM_FEC_RS_528:
		return (528 - 514) / 2;
	case PRM_FEC_RS_544:
		return (544 - 514) / 2;
	case PRM_FEC_LLRS_272:
		return (272 - 258) / 2;
	default:
		return 0;
	}
}

static bool count_block(struct block_errors *blocks, bool good)
{
	if (good)
		blocks->corrected++;
	else
		blocks->uncorrectable++;
	return good;
}

/* The bits begin with a symbol. */
static bool correct_rs(enum prm_fec fec, unsigned int bits, struct port_errors *errors)
{
	unsigned int symbols = (bits + SYMBOL_BITS - 1) / SYMBOL_BITS;

	if (!count_block(&errors->rs, symbols <= rs_symbols(fec)))
		return false;
	errors->corrected_symbols += symbols;
	if (symbols == 1)
		errors->rs_single++;
	return true;
}

static bool correct(enum prm_fec fec, unsigned int bits, struct port_errors *errors)
{
	switch (fec) {
	case PRM_FEC_NONE:
		return false;
	case PRM_FEC_FIRECODE:
		return count_block(&errors->firecode, bits <= FIRECODE_BITS);
	default:
		return correct_rs(fec, bits, errors);
	}
}

bool port_mend(struct cxdev *dev, const struct frame *frame, struct port_errors *errors)
{
	if (correct(__builtin_ctz(active(dev)), frame->wrong_bits, errors)) {
		errors->corrected_bits += frame->wrong_bits;
		return true;
	}
	if (port_mtu_fits(dev, frame->len))
		errors->crc++;
	else
		errors->jabbers++;
	return false;
}
