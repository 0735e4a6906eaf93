// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/string.h>
#include <linux/types.h>
#include "mbox.h"

u32 cxr_mbox_blocks(u32 len)
{
	if (len <= CXR_CMD_INLINE)
		return 0;
	return (len - CXR_CMD_INLINE - 1) / PRM_MBOX_DATA + 1;
}

/* Size and offset of the part of the message in mailbox @n; 0 past its end. */
static u32 part_of(u32 len, u32 n, u32 *offset)
{
	u32 left;

	if (n >= cxr_mbox_blocks(len))
		return 0;
	*offset = CXR_CMD_INLINE + n * PRM_MBOX_DATA;
	left = len - *offset;
	return left < PRM_MBOX_DATA ? left : PRM_MBOX_DATA;
}

void cxr_mbox_fill(struct prm_mbox_block *block, const void *msg, u32 len, u32 n, u64 next,
		   u8 token)
{
	u32 offset = 0;
	u32 part = part_of(len, n, &offset);

	memset(block, 0, sizeof(*block));
	if (part)
		memcpy(block->data, (const u8 *)msg + offset, part);
	block->next = cpu_to_be64(next);
	block->block_num = cpu_to_be32(n);
	block->token = token;
}

void cxr_mbox_read(const struct prm_mbox_block *block, void *msg, u32 len, u32 n)
{
	u32 offset = 0;
	u32 part = part_of(len, n, &offset);

	if (part)
		memcpy((u8 *)msg + offset, block->data, part);
}

u8 cxr_xor8(const void *buf, u32 len)
{
	const u8 *p = buf;
	u8 sum = 0;

	while (len--)
		sum ^= *p++;
	return sum;
}

/* The exclusive or of the covered bytes and the signature is 0xff. */
void cxr_cmd_entry_sign(struct prm_cmdq_entry *entry)
{
	entry->sig = 0;
	entry->sig = ~cxr_xor8(entry, sizeof(*entry));
}

void cxr_mbox_sign(struct prm_mbox_block *block)
{
	block->ctrl_sig = 0;
	block->ctrl_sig = ~cxr_xor8(block->rsvd_200, sizeof(*block) - sizeof(block->data) - 1);
	block->sig = 0;
	block->sig = ~cxr_xor8(block, sizeof(*block));
}
