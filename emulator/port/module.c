// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The module in the port's cage, a copper cable of one metre, and its EEPROM (register MCIA):
 * QSFP28 by SFF-8636 on ports of four lanes, SFP28 by SFF-8472 on those of one. There is one page,
 * which such memories answer with whatever page is selected, and nothing at a second I2C address.
 */
#include <string.h>

#include "port/port.h"
#include "prm/port.h"

#define I2C_ADDRESS 0x50
#define EEPROM_BYTES 256
/* The register as older drivers know it; those that know more dwords cannot read more at once. */
#define MCIA_HEAD 16
#define MCIA_BYTES (MCIA_HEAD + PRM_MCIA_MAX)
#define VENDOR "cxemu"
#define OUI { 0x02, 0x00, 0x00 } /* locally administered */

static void put_text(uint8_t *eeprom, uint8_t at, size_t len, const char *words)
{
	memset(eeprom + at, ' ', len);
	memcpy(eeprom + at, words, strlen(words));
}

static uint8_t sum(const uint8_t *eeprom, unsigned int from, unsigned int to)
{
	uint8_t total = 0;

	while (from <= to)
		total += eeprom[from++];
	return total;
}

/* SFF-8636, Rev 2.10: lower page 00h and upper page 00h. */
static void fill_qsfp28(uint8_t *eeprom)
{
	static const uint8_t oui[] = OUI;

	eeprom[0] = 0x11;	/* QSFP28 */
	eeprom[1] = 0x08;	/* revision 2.8 to 2.10 */
	eeprom[2] = 1 << 2;	/* flat memory */
	eeprom[128] = 0x11;
	eeprom[130] = 0x23;	/* no separable connector */
	eeprom[131] = 0x80;	/* see the extended codes */
	eeprom[139] = 0x03;	/* NRZ */
	eeprom[140] = 0xff;	/* see byte 222 */
	eeprom[146] = 1;	/* metres of copper */
	eeprom[147] = 0xa0;	/* copper, unequalized */
	put_text(eeprom, 148, 16, VENDOR);
	memcpy(eeprom + 165, oui, sizeof(oui));
	put_text(eeprom, 168, 16, "CX-QSFP28-1M");
	put_text(eeprom, 184, 2, "A1");
	eeprom[192] = 0x0b;	/* 100GBASE-CR4 */
	put_text(eeprom, 196, 16, "CX0001");
	put_text(eeprom, 212, 8, "260101");
	eeprom[222] = 103;	/* 25.78 Gbit/s, in 250 Mbit/s */
	eeprom[191] = sum(eeprom, 128, 190);
	eeprom[223] = sum(eeprom, 192, 222);
}

/* SFF-8472, Rev 12.4: address A0h. */
static void fill_sfp28(uint8_t *eeprom)
{
	static const uint8_t oui[] = OUI;

	eeprom[0] = 0x03;	/* SFP */
	eeprom[1] = 0x04;	/* by its two-wire interface alone */
	eeprom[2] = 0x21;	/* copper pigtail */
	eeprom[8] = 1 << 2;	/* passive cable */
	eeprom[11] = 0x03;	/* NRZ */
	eeprom[12] = 0xff;	/* see byte 66 */
	eeprom[18] = 1;		/* metres of copper */
	put_text(eeprom, 20, 16, VENDOR);
	eeprom[36] = 0x0c;	/* 25GBASE-CR CA-S */
	memcpy(eeprom + 37, oui, sizeof(oui));
	put_text(eeprom, 40, 16, "CX-SFP28-1M");
	put_text(eeprom, 56, 4, "A1");
	eeprom[66] = 103;	/* 25.78 Gbit/s, in 250 Mbit/s */
	put_text(eeprom, 68, 16, "CX0001");
	put_text(eeprom, 84, 8, "260101");
	eeprom[63] = sum(eeprom, 0, 62);
	eeprom[95] = sum(eeprom, 64, 94);
}

static int mcia_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_mcia_reg *in = reg_in;
	struct prm_mcia_reg *out = reg_out;
	uint32_t at = prm_get(in, device_address), size = prm_get(in, size);
	uint8_t eeprom[EEPROM_BYTES] = {};

	if (prm_get(in, module) != PORT_MODULE)
		return refuse(c, PRM_STATUS_BAD_PARAM, "module %u: there is only module %u",
			      prm_get(in, module), PORT_MODULE);
	if (is_set(c, in, l, "but modules cannot be locked"))
		return -1;
	if (!size || size > PRM_MCIA_MAX)
		return refuse(c, PRM_STATUS_BAD_PARAM, "size %u is not within 1 to %u", size,
			      PRM_MCIA_MAX);
	if (at >= EEPROM_BYTES || at + size > EEPROM_BYTES)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "device_address %u and size %u: a module has %u bytes", at, size,
			      EEPROM_BYTES);
	memcpy(out, in, MCIA_HEAD);
	if (prm_get(in, i2c_device_address) != I2C_ADDRESS) {
		prm_set(out, status, PRM_MCIA_I2C_ERROR);
		return 0;
	}
	prm_set(out, status, PRM_MCIA_GOOD);

	if (c->dev->card->port_lanes == 1)
		fill_sfp28(eeprom);
	else
		fill_qsfp28(eeprom);
	memcpy(prm_bytes(out, dwords), eeprom + at, size);
	return 0;
}

const struct reg regs_module[] = {
	{ PRM_REG_MCIA, "MCIA", MCIA_BYTES, mcia_read, NULL },
	{}
};
