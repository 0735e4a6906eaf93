/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The vendor specific capability of PFs: a gateway to address spaces of the card. Registers are of
 * 4 bytes, in configuration space, and so little-endian. Source: the in-tree driver.
 */
#ifndef PRM_VSC_H
#define PRM_VSC_H

#include "prm.h"

/* Offsets from the capability. */
#define PRM_VSC_CTRL		0x04
#define PRM_VSC_COUNTER		0x08	/* another number at each read */
#define PRM_VSC_SEMAPHORE	0x0c	/* of the gateway: its owner's number, 0: free */
#define PRM_VSC_ADDR		0x10
#define PRM_VSC_DATA		0x14
#define PRM_VSC_BYTES		0x18

#define PRM_VSC_CTRL_SPACE	0x0000ffff	/* enum prm_vsc_space */
#define PRM_VSC_CTRL_SIZED	0x10000000	/* PRM_VSC_ADDR has the size of the space, in bytes */
#define PRM_VSC_CTRL_STATUS	0xe0000000	/* 0: there is no such space */

#define PRM_VSC_ADDR_FLAG	0x80000000	/* written: 1 to write, 0 to read; inverted when done */
#define PRM_VSC_ADDR_ERROR	0x40000000
#define PRM_VSC_ADDR_BITS	0x3fffffff

enum prm_vsc_space {
	/*
	 * The card's registers, for a dump: after a read PRM_VSC_ADDR has the address of the next one
	 * that there is, or the size.
	 */
	PRM_VSC_SCAN		= 0x07,
	PRM_VSC_SEMAPHORES	= 0x0a,
};

/* Addresses in the space of the semaphores. */
#define PRM_VSC_SEMAPHORE_RESET	0x20	/* for reset of the firmware and dump, one for all PFs */

#endif
