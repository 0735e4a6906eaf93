/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Command entries and mailboxes: data, tokens, signatures. */
#ifndef CXR_CODEC_MBOX_H
#define CXR_CODEC_MBOX_H

#include <linux/types.h>
#include "prm/cmdif.h"

#define CXR_CMD_INLINE 16	/* bytes of input and output in the entry itself */

/* Number of mailboxes that @len bytes need in addition to the entry. */
u32 cxr_mbox_blocks(u32 len);
/* Fills mailbox @n (0..) with its part of the message; @next is 0 for the last one. */
void cxr_mbox_fill(struct prm_mbox_block *block, const void *msg, u32 len, u32 n, u64 next,
		   u8 token);
/*
 * Copies the part in output mailbox @n to the message. Token and block number are not compared:
 * nothing says that firmware writes them, and no other driver reads them.
 */
void cxr_mbox_read(const struct prm_mbox_block *block, void *msg, u32 len, u32 n);
u8 cxr_xor8(const void *buf, u32 len);
/* Sets the signatures of an entry or a mailbox; all other members have to be set before. */
void cxr_cmd_entry_sign(struct prm_cmdq_entry *entry);
void cxr_mbox_sign(struct prm_mbox_block *block);

#endif
