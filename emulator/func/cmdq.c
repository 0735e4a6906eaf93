// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The command queue: slots in guest memory, mailbox chains, tokens, signatures. cmd.c runs the
 * commands.
 *
 * As in the PRM, an invalid slot or mailbox chain completes with a delivery status in the slot, a
 * refused command with a status and syndrome in its output.
 */
#include <stdlib.h>
#include <string.h>

#include "fault/fault.h"
#include "func/func.h"

#define CMDS_PER_ROUND 4

/* A command in the queue. */
struct slot {
	struct cxdev *dev;
	uint32_t num;
	struct prm_cmdq_entry entry;
	uint8_t *in, *out;
	uint32_t in_len, out_len;
	enum prm_delivery delivery;
};

/* Runs the command in the slot's input and fills its output; false: it waits, nothing is done. */
static bool run_command(struct slot *slot)
{
	const struct prm_mbox_in *hdr = (const void *)slot->in;
	struct prm_mbox_out *out = (void *)slot->out;
	struct cmd c = {
		.dev = slot->dev,
		.in = slot->in,
		.in_len = slot->in_len,
		.out = slot->out,
		.out_len = slot->out_len,
		.opcode = prm_get(hdr, opcode),
		.op_mod = prm_get(hdr, op_mod),
		.uid = prm_get(hdr, uid),
	};
	uint64_t start = now_ns();

	journal(c.dev, "cmd", c.opcode, c.in, c.in_len);
	if (cmd_run(&c)) {
		if (c.waits)
			return false;
		memset(slot->out, 0, slot->out_len);
		if (!c.status)
			cmd_set_status(&c, PRM_STATUS_INTERNAL, "internal");
	}
	prm_set(out, status, c.status);
	prm_set(out, syndrome, c.syndrome);
	cmd_time_count(&c);
	trace(slot->dev, "cmd[%u] %s (0x%x) op_mod 0x%x in %u out %u: %s, %u us", slot->num,
	      cmd_opcode_name(c.opcode), c.opcode, c.op_mod, c.in_len, c.out_len,
	      cmd_status_name(c.status), (unsigned int)((now_ns() - start) / 1000));
	return true;
}

/* ---- slots and mailboxes ---- */

static uint8_t xor_bytes(const void *buf, size_t len)
{
	const uint8_t *p = buf;
	uint8_t sum = 0;

	while (len--)
		sum ^= *p++;
	return sum;
}

/* Sets the delivery status and logs why; always false, so that it can be returned. */
static bool delivery_error(struct slot *slot, enum prm_delivery delivery, const char *why)
{
	slot->delivery = delivery;
	slot->dev->hca->delivery_errors++;
	violation(slot->dev, "command slot %u: %s", slot->num, why);
	return false;
}

static bool read_block(struct slot *slot, uint64_t addr, uint32_t num, struct prm_mbox_block *block,
		       bool input)
{
	const size_t ctrl = offsetof(struct prm_mbox_block, rsvd_200);

	if (addr & (PRM_MBOX_DATA - 1))
		return delivery_error(slot, input ? PRM_DELIVERY_IN_PTR : PRM_DELIVERY_OUT_PTR,
				      "mailbox pointer is not aligned to 512 bytes");
	if (guest_read(slot->dev, addr, block, sizeof(*block)))
		return delivery_error(slot, input ? PRM_DELIVERY_IN_PTR : PRM_DELIVERY_OUT_PTR,
				      "mailbox is outside the memory mapped for DMA");
	if (block->token != slot->entry.token)
		return delivery_error(slot, PRM_DELIVERY_TOKEN,
				      "mailbox token differs from the slot's");
	if (be32_to_cpu(block->block_num) != num)
		return delivery_error(slot, PRM_DELIVERY_BLOCK_NUM,
				      "mailbox block number is wrong");
	if (input && block->ctrl_sig &&
	    xor_bytes(&block->rsvd_200, offsetof(struct prm_mbox_block, sig) - ctrl) != 0xff)
		return delivery_error(slot, PRM_DELIVERY_SIGNATURE,
				      "mailbox control signature is wrong");
	if (input && block->sig && xor_bytes(block, sizeof(*block)) != 0xff)
		return delivery_error(slot, PRM_DELIVERY_SIGNATURE, "mailbox signature is wrong");
	return true;
}

static bool read_input(struct slot *slot)
{
	uint64_t next = be64_to_cpu(slot->entry.in_ptr);
	uint32_t done, n, num = 0;
	struct prm_mbox_block block;

	done = slot->in_len < PRM_CMDQ_INLINE ? slot->in_len : PRM_CMDQ_INLINE;
	memcpy(slot->in, slot->entry.in, done);
	while (done < slot->in_len) {
		if (!read_block(slot, next, num, &block, true))
			return false;
		n = slot->in_len - done < PRM_MBOX_DATA ? slot->in_len - done : PRM_MBOX_DATA;
		memcpy(slot->in + done, block.data, n);
		done += n;
		num++;
		next = be64_to_cpu(block.next);
	}
	return true;
}

static bool fetch_slot(struct slot *slot)
{
	const struct prm_cmdq_entry *e = &slot->entry;

	slot->in_len = be32_to_cpu(e->inlen);
	slot->out_len = be32_to_cpu(e->outlen);
	if (e->type != PRM_CMDQ_TYPE_PCI)
		return delivery_error(slot, PRM_DELIVERY_CMD_TYPE, "type is not 7 (PCI)");
	if (e->rsvd_01[0] || e->rsvd_01[1] || e->rsvd_01[2] || e->rsvd_3e)
		return delivery_error(slot, PRM_DELIVERY_RSVD_NOT_ZERO,
				      "reserved bytes of the slot are not zero");
	if (e->sig && xor_bytes(e, sizeof(*e)) != 0xff)
		return delivery_error(slot, PRM_DELIVERY_SIGNATURE,
				      "signature of the slot is wrong");
	if (slot->in_len < sizeof(struct prm_mbox_in) || slot->in_len > CMD_MAX_BYTES ||
	    slot->in_len % 4)
		return delivery_error(slot, PRM_DELIVERY_IN_LEN,
				      "input length is below 16, above 4 MiB, or not a multiple of 4");
	/* status and syndrome are 8 bytes; the shortest outputs of the PRM have 12 */
	if (slot->out_len < 8 || slot->out_len > CMD_MAX_BYTES || slot->out_len % 4)
		return delivery_error(slot, PRM_DELIVERY_OUT_LEN,
				      "output length is below 8, above 4 MiB, or not a multiple of 4");
	slot->in = calloc(1, slot->in_len);
	slot->out = calloc(1, slot->out_len > PRM_CMDQ_INLINE ? slot->out_len : PRM_CMDQ_INLINE);
	if (!slot->in || !slot->out)
		return delivery_error(slot, PRM_DELIVERY_FW, "the emulator is out of memory");
	return read_input(slot);
}

static bool write_output(struct slot *slot, bool untagged)
{
	uint64_t addr = be64_to_cpu(slot->entry.out_ptr);
	const size_t ctrl = offsetof(struct prm_mbox_block, rsvd_200);
	uint32_t done, n, num = 0;
	struct prm_mbox_block block;

	memcpy(slot->entry.out, slot->out, PRM_CMDQ_INLINE);
	for (done = PRM_CMDQ_INLINE; done < slot->out_len; done += n, num++) {
		if (!read_block(slot, addr, num, &block, false))
			return false;
		n = slot->out_len - done < PRM_MBOX_DATA ? slot->out_len - done : PRM_MBOX_DATA;
		memset(block.data, 0, sizeof(block.data));
		memcpy(block.data, slot->out + done, n);
		if (untagged) {
			block.token = 0;
			block.block_num = 0;
		}
		block.ctrl_sig = ~xor_bytes(block.rsvd_200,
					    offsetof(struct prm_mbox_block, ctrl_sig) - ctrl);
		block.sig = ~xor_bytes(&block, offsetof(struct prm_mbox_block, sig));
		if (guest_write(slot->dev, addr, &block, sizeof(block)))
			return delivery_error(slot, PRM_DELIVERY_OUT_PTR,
					      "output mailbox cannot be written");
		addr = be64_to_cpu(block.next);
	}
	return true;
}

/* Returns the slot to software: the ownership byte is written last, in a write of its own. */
static void complete_slot(struct slot *slot, uint64_t addr)
{
	const size_t own = offsetof(struct prm_cmdq_entry, token);
	struct prm_cmdq_entry *e = &slot->entry;

	e->status_own = slot->delivery << 1;
	e->sig = 0;
	e->sig = ~xor_bytes(e, sizeof(*e));
	guest_write(slot->dev, addr, e, own);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	guest_write(slot->dev, addr + own, (uint8_t *)e + own, sizeof(*e) - own);
}

static uint16_t opcode_of(const struct slot *slot)
{
	const struct prm_mbox_in *hdr = (const void *)slot->in;

	return prm_get(hdr, opcode);
}

/* The next command whose time ends. */
static void arm_timer(struct hca_state *hca)
{
	uint64_t now = now_ns(), first = UINT64_MAX;
	uint32_t num;

	for (num = 0; num < CMDQ_SLOTS; num++)
		if (hca->busy & 1u << num && hca->due_ns[num] < first)
			first = hca->due_ns[num];
	if (hca->busy)
		timer_arm(&hca->cmd_timer, first > now ? first - now : 0);
}

/* True: the command has begun, and runs when its time is over. */
static bool take_time(const struct slot *slot)
{
	const struct prm_mbox_in *hdr = (const void *)slot->entry.in;
	struct hca_state *hca = slot->dev->hca;
	uint32_t bit = 1u << slot->num;
	uint64_t ns;

	if (hca->timed & bit) {
		hca->timed &= ~bit;
		return false;
	}
	ns = cmd_time_ns(prm_get(hdr, opcode), be32_to_cpu(slot->entry.inlen),
			 be32_to_cpu(slot->entry.outlen));
	if (!ns)
		return false;
	hca->due_ns[slot->num] = now_ns() + ns;
	hca->busy |= bit;
	arm_timer(hca);
	return true;
}

void cmdq_time_over(struct timer *timer)
{
	struct hca_state *hca = container_of(timer, struct hca_state, cmd_timer);
	uint64_t now = now_ns();
	uint32_t num, over = 0;

	for (num = 0; num < CMDQ_SLOTS; num++)
		if (hca->busy & 1u << num && hca->due_ns[num] <= now)
			over |= 1u << num;
	hca->busy &= ~over;
	hca->timed |= over;
	hca->pending |= over;
	work_queue(&hca->cmd_work);
	arm_timer(hca);
}

static void push_event(struct event_sink *sink, uint32_t slots)
{
	struct prm_eqe_cmd cmd = { .vector = cpu_to_be32(slots) };

	sink->push(sink, PRM_EVENT_CMD, 0, &cmd, sizeof(cmd));
}

static void run_slot(struct cxdev *dev, uint32_t num)
{
	struct slot slot = { .dev = dev, .num = num };
	uint64_t addr = dev->hca->cmdq_addr + (num << CMDQ_LOG_STRIDE);
	struct event_sink *sink = dev->hca->cmd_sink;
	enum fault_action fault = FAULT_NONE;
	uint32_t value;

	if (guest_read(dev, addr, &slot.entry, sizeof(slot.entry))) {
		violation(dev, "command slot %u is outside the memory mapped for DMA", num);
		return;
	}
	if (!(slot.entry.status_own & PRM_CMDQ_OWN_HW)) {
		violation(dev, "doorbell for command slot %u, which software owns", num);
		return;
	}
	if (take_time(&slot))
		return;
	if (fetch_slot(&slot)) {
		fault = fault_check(FAULT_SLOT, dev, opcode_of(&slot), &value);
		if (fault == FAULT_SILENT)
			goto free;
		if (fault != FAULT_DELIVERY) {
			if (!run_command(&slot)) {
				dev->hca->waiting |= 1u << num;
				dev->hca->timed |= 1u << num;
				goto free;
			}
			write_output(&slot, fault == FAULT_UNTAGGED);
		}
	}
	if (fault == FAULT_DELIVERY)
		slot.delivery = value;
	else if (fault == FAULT_LENGTH)
		slot.entry.outlen = cpu_to_be32(value);
	complete_slot(&slot, addr);
	/*
	 * Without a command EQ when the command began, or after the command destroyed it, software
	 * polls.
	 */
	if (sink && dev->hca->cmd_sink == sink) {
		push_event(sink, 1u << num);
		if (fault == FAULT_TWICE)
			push_event(sink, 1u << num);
	}
	cmdq_retry(dev);
free:
	free(slot.in);
	free(slot.out);
}

void cmdq_work(struct work *work)
{
	struct hca_state *hca = container_of(work, struct hca_state, cmd_work);
	unsigned int budget = CMDS_PER_ROUND;
	uint32_t num;

	while (hca->pending && budget--) {
		do {
			num = hca->next_slot;
			hca->next_slot = (num + 1) % CMDQ_SLOTS;
		} while (!(hca->pending & 1u << num));
		hca->pending &= ~(1u << num);
		run_slot(hca->dev, num);
	}
	if (hca->pending)
		work_queue(work);
}

void cmdq_retry(struct cxdev *dev)
{
	struct hca_state *hca = dev->hca;

	hca->pending |= hca->waiting;
	hca->waiting = 0;
	if (hca->pending)
		work_queue(&hca->cmd_work);
}

void cmdq_doorbell(struct cxdev *dev, uint32_t bits)
{
	struct hca_state *hca = dev->hca;
	uint32_t busy;

	if (dev->health.fatal)
		return;
	if (!hca->cmdq_addr) {
		violation(dev, "command doorbell 0x%x before the command queue's address was set",
			  bits);
		return;
	}
	busy = bits & (hca->pending | hca->waiting | hca->busy);
	if (busy)
		violation(dev, "command doorbell 0x%x: slots 0x%x are still being processed", bits,
			  busy);
	hca->pending |= bits;
	work_queue(&hca->cmd_work);
}

