// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* What the firmware writes into the health buffer when it fails. */
#include <string.h>
#include <time.h>

#include "func/func.h"

/* Addresses in a firmware of ConnectX-5. */
#define EXIT_PTR	0x008033b4
#define CALLRA		0x008033f0

#define OVERHEATED	115	/* degrees Celsius, as a card said before it switched off */

/* The extended syndromes of cards that failed so; for the others a number of our own. */
static uint16_t ext_synd_of(uint8_t synd)
{
	switch (synd) {
	case PRM_HEALTH_SYND_FW_INTERNAL:
		return 0x8da6;
	case PRM_HEALTH_SYND_HW_UNRECOVERABLE:
		return 0x003d;
	case PRM_HEALTH_SYND_HIGH_TEMP:
		return 0;
	default:
		return 0x8000 | synd;
	}
}

/*
 * What the variables of an assert mean only the vendor knows: each of ours is another number. Of
 * high temperature the first two are the temperature.
 */
static void fill_asserts(struct health *health)
{
	unsigned int i;

	if (health->synd == PRM_HEALTH_SYND_HIGH_TEMP) {
		health->assert_var[0] = OVERHEATED;
		health->assert_var[1] = OVERHEATED;
		return;
	}
	for (i = 0; i < ARRAY_SIZE(health->assert_var); i++)
		health->assert_var[i] = 0x05210000 | health->synd << 8 | i;
	health->assert_exit_ptr = EXIT_PTR;
	health->assert_callra = CALLRA;
}

void health_report(struct cxdev *dev, uint8_t synd, bool rfr)
{
	struct health *health = &dev->health;

	memset(health->assert_var, 0, sizeof(health->assert_var));
	health->assert_exit_ptr = 0;
	health->assert_callra = 0;
	health->ext_synd = 0;
	health->severity = 0;
	health->time = 0;
	health->synd = synd;
	health->rfr = rfr;
	if (!synd)
		return;
	fill_asserts(health);
	health->ext_synd = ext_synd_of(synd);
	health->severity = rfr ? PRM_HEALTH_CRITICAL : PRM_HEALTH_ERROR;
	health->time = time(NULL);
}
