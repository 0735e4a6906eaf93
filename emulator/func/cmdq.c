// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The command queue: slots in guest memory, mailbox chains, tokens, signatures, and the checks that
 * are the same for all commands. What a command does stands in the cmd_*.c files.
 *
 * Two things can go wrong and they are told apart as the PRM does: a slot or chain that cannot be
 * understood ends with a delivery status in the slot, a command that was understood and refused
 * ends with a status and syndrome in its output.
 */
#include <stdlib.h>
#include <string.h>
#include <libdeflate.h>

#include "fault/fault.h"
#include "func/hca.h"
#include "base/trace.h"

#define CMD_MAX_BYTES (4u << 20)	/* of input and of output */
#define CMDS_PER_ROUND 4
#define OPCODES 0x1000

/* Rows of the tables that give numbers their names. */
#define NAME(number, string)[number] = string
#define OPCODE_NAME(n, number) NAME(number, #n),
#define STATUS_NAME(n, number, text) NAME(number, #n),

static const struct cmd_desc *const tables[] = {
	cmds_hca,   cmds_obj, cmds_eq_cq, cmds_qp,  cmds_srq,  cmds_vport,
	cmds_nic,   cmds_flow, cmds_fte,  cmds_definer, cmds_port, cmds_lag,
};

/* A command on its way through the queue. */
struct slot {
	struct cxdev *dev;
	uint32_t num;
	struct prm_cmdq_entry entry;
	uint8_t *in, *out;
	uint32_t in_len, out_len;
	enum prm_delivery delivery;
};

static const struct cmd_desc *find_desc(uint16_t opcode)
{
	static const struct cmd_desc *by_opcode[OPCODES];
	static bool ready;
	const struct cmd_desc *desc;
	unsigned int i;

	if (!ready) {
		for (i = 0; i < ARRAY_SIZE(tables); i++)
			for (desc = tables[i]; desc->name; desc++)
				by_opcode[desc->opcode] = desc;
		ready = true;
	}
	return opcode < OPCODES ? by_opcode[opcode] : NULL;
}

static const char *opcode_name(uint16_t opcode)
{
	static const char *const names[OPCODES] = { PRM_CMD_LIST(OPCODE_NAME) };

	return opcode < OPCODES && names[opcode] ? names[opcode] : "unknown command";
}

const char *cmd_status_name(uint8_t status)
{
	static const char *const names[256] = { PRM_STATUS_LIST(STATUS_NAME) };

	return names[status] ? names[status] : "?";
}

/* ---- refusals ---- */

static void set_refusal(struct cmd *c, enum prm_status status, const char *fmt)
{
	c->status = status;
	c->syndrome = libdeflate_crc32(0, fmt, strlen(fmt)) & 0xffffff;
}

int refuse(struct cmd *c, enum prm_status status, const char *fmt, ...)
{
	char prefix[128];
	va_list ap;

	set_refusal(c, status, fmt);
	c->dev->hca->refused++;
	snprintf(prefix, sizeof(prefix),
		 "%s op_mod 0x%x refused, %s, syndrome 0x%06x: ", opcode_name(c->opcode), c->op_mod,
		 cmd_status_name(status), c->syndrome);
	va_start(ap, fmt);
	vviolation(c->dev, prefix, fmt, ap);
	va_end(ap);
	return -1;
}

int decline(struct cmd *c, enum prm_status status, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	set_refusal(c, status, fmt);
	c->dev->hca->declined++;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	notice(c->dev, "%s op_mod 0x%x declined, %s: %s", opcode_name(c->opcode), c->op_mod,
	       cmd_status_name(status), text);
	return -1;
}

/* ---- dispatch ---- */

int check_reserved(struct cmd *c, const struct prm_reserved *r, uint32_t at)
{
	const uint8_t *in = (const uint8_t *)c->in + at;
	uint32_t bit, end;

	for (; r->width; r++) {
		end = r->bit + r->width;
		for (bit = r->bit; bit < end; bit++) {
			if (!(bit % 8) && bit + 8 <= end && !in[bit / 8]) {
				bit += 7;
				continue;
			}
			if (in[bit / 8] & (0x80 >> bit % 8))
				return refuse(c, PRM_STATUS_BAD_PARAM,
					      "reserved bit 0x%x (of 0x%x..0x%x) is not zero",
					      at * 8 + bit, at * 8 + r->bit, at * 8 + end - 1);
		}
	}
	return 0;
}

static int check_phase(struct cmd *c, const struct cmd_desc *desc)
{
	enum hca_phase phase = c->dev->hca->phase;

	if (c->opcode == PRM_OP_enable_hca || phase == HCA_RUNNING ||
	    (phase == HCA_ENABLED && desc->early))
		return 0;
	return refuse(c, PRM_STATUS_BAD_SYS_STATE, "legal only after %s",
		      desc->early ? "ENABLE_HCA" : "INIT_HCA");
}

int cmd_run(struct cmd *c)
{
	const struct cmd_desc *desc = find_desc(c->opcode);
	uint32_t value;

	if (!desc)
		return refuse(c, PRM_STATUS_BAD_OP, "opcode 0x%x is not supported", c->opcode);
	if (c->uid && (c->uid != PRM_UID_SHARED || c->opcode != PRM_OP_alloc_q_counter))
		return refuse(c, PRM_STATUS_BAD_RES, "uid %u: there are no user contexts", c->uid);
	if (check_phase(c, desc))
		return -1;
	if (c->in_len < desc->in_len)
		return refuse(c, PRM_STATUS_BAD_INP_LEN, "%u bytes of input, the layout has %u",
			      c->in_len, desc->in_len);
	if (c->in_len > desc->in_len && !desc->tail)
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "%u bytes of input, the layout has only %u", c->in_len, desc->in_len);
	if (c->out_len < desc->out_len)
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN,
			      "room for %u bytes of output, the layout has %u", c->out_len,
			      desc->out_len);
	if (check_reserved(c, desc->reserved, 0))
		return -1;
	if (fault_ask(FAULT_COMMAND, c->dev, c->opcode, &value) == FAULT_STATUS) {
		set_refusal(c, value, "a fault was asked for");
		return -1;
	}
	return desc->run(c);
}

/* Runs the input of the slot; the output is complete afterwards. */
static void run_command(struct slot *slot)
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

	if (cmd_run(&c)) {
		memset(slot->out, 0, slot->out_len);
		if (!c.status)
			set_refusal(&c, PRM_STATUS_INTERNAL, "internal");
	}
	prm_set(out, status, c.status);
	prm_set(out, syndrome, c.syndrome);
	slot->dev->hca->commands++;
	trace(slot->dev, "cmd[%u] %s (0x%x) op_mod 0x%x in %u out %u: %s, %u us", slot->num,
	      opcode_name(c.opcode), c.opcode, c.op_mod, c.in_len, c.out_len,
	      cmd_status_name(c.status), (unsigned int)((now_ns() - start) / 1000));
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

/* The delivery status is set and said; false, so that it can be returned. */
static bool undeliverable(struct slot *slot, enum prm_delivery delivery, const char *why)
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
		return undeliverable(slot, input ? PRM_DELIVERY_IN_PTR : PRM_DELIVERY_OUT_PTR,
				     "mailbox pointer is not aligned to 512 bytes");
	if (guest_read(slot->dev, addr, block, sizeof(*block)))
		return undeliverable(slot, input ? PRM_DELIVERY_IN_PTR : PRM_DELIVERY_OUT_PTR,
				     "mailbox is outside the memory mapped for DMA");
	if (block->token != slot->entry.token)
		return undeliverable(slot, PRM_DELIVERY_TOKEN,
				     "mailbox has another token than the slot");
	if (be32_to_cpu(block->block_num) != num)
		return undeliverable(slot, PRM_DELIVERY_BLOCK_NUM,
				     "mailbox has a wrong block number");
	if (input && block->ctrl_sig &&
	    xor_bytes(&block->rsvd_200, offsetof(struct prm_mbox_block, sig) - ctrl) != 0xff)
		return undeliverable(slot, PRM_DELIVERY_SIGNATURE,
				     "mailbox control signature is wrong");
	if (input && block->sig && xor_bytes(block, sizeof(*block)) != 0xff)
		return undeliverable(slot, PRM_DELIVERY_SIGNATURE, "mailbox signature is wrong");
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

static bool fetch(struct slot *slot)
{
	const struct prm_cmdq_entry *e = &slot->entry;

	slot->in_len = be32_to_cpu(e->inlen);
	slot->out_len = be32_to_cpu(e->outlen);
	if (e->type != PRM_CMDQ_TYPE_PCI)
		return undeliverable(slot, PRM_DELIVERY_CMD_TYPE, "type is not 7 (PCI)");
	if (e->rsvd_01[0] || e->rsvd_01[1] || e->rsvd_01[2] || e->rsvd_3e)
		return undeliverable(slot, PRM_DELIVERY_RSVD_NOT_ZERO,
				     "reserved bytes of the slot are not zero");
	if (e->sig && xor_bytes(e, sizeof(*e)) != 0xff)
		return undeliverable(slot, PRM_DELIVERY_SIGNATURE,
				     "signature of the slot is wrong");
	if (slot->in_len < sizeof(struct prm_mbox_in) || slot->in_len > CMD_MAX_BYTES ||
	    slot->in_len % 4)
		return undeliverable(slot, PRM_DELIVERY_IN_LEN,
				     "input length is below 16, above 4 MiB, or no dwords");
	/* status and syndrome are 8 bytes; the shortest outputs of the PRM are 12 */
	if (slot->out_len < 8 || slot->out_len > CMD_MAX_BYTES || slot->out_len % 4)
		return undeliverable(slot, PRM_DELIVERY_OUT_LEN,
				     "output length is below 8, above 4 MiB, or no dwords");
	slot->in = calloc(1, slot->in_len);
	slot->out = calloc(1, slot->out_len > PRM_CMDQ_INLINE ? slot->out_len : PRM_CMDQ_INLINE);
	if (!slot->in || !slot->out)
		return undeliverable(slot, PRM_DELIVERY_FW, "the emulator is out of memory");
	return read_input(slot);
}

static bool write_output(struct slot *slot)
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
		block.ctrl_sig = ~xor_bytes(block.rsvd_200,
					    offsetof(struct prm_mbox_block, ctrl_sig) - ctrl);
		block.sig = ~xor_bytes(&block, offsetof(struct prm_mbox_block, sig));
		if (guest_write(slot->dev, addr, &block, sizeof(block)))
			return undeliverable(slot, PRM_DELIVERY_OUT_PTR,
					     "output mailbox cannot be written");
		addr = be64_to_cpu(block.next);
	}
	return true;
}

/* Gives the slot back: the ownership byte goes last, in a write of its own. */
static void give_back(struct slot *slot, uint64_t addr)
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

static void run_slot(struct cxdev *dev, uint32_t num)
{
	struct slot slot = { .dev = dev, .num = num };
	uint64_t addr = dev->hca->cmdq_addr + (num << CMDQ_LOG_STRIDE);
	struct eq *eq = dev->hca->cmd_eq;
	enum fault_action fault = FAULT_NONE;
	uint32_t value;

	if (guest_read(dev, addr, &slot.entry, sizeof(slot.entry))) {
		violation(dev, "command slot %u is outside the memory mapped for DMA", num);
		return;
	}
	if (!(slot.entry.status_own & PRM_CMDQ_OWN_HW)) {
		violation(dev, "doorbell for command slot %u, which belongs to software", num);
		return;
	}
	if (fetch(&slot)) {
		fault = fault_ask(FAULT_SLOT, dev, opcode_of(&slot), &value);
		if (fault == FAULT_SILENT)
			goto free;
		if (fault != FAULT_DELIVERY) {
			run_command(&slot);
			write_output(&slot);
		}
	}
	if (fault == FAULT_DELIVERY)
		slot.delivery = value;
	else if (fault == FAULT_LENGTH)
		slot.entry.outlen = cpu_to_be32(value);
	give_back(&slot, addr);
	/*
	 * Who had no command EQ when the command began polls; who destroyed it by the command polls
	 * too.
	 */
	if (eq && dev->hca->cmd_eq == eq) {
		eq_report_command(dev, eq, 1u << num);
		if (fault == FAULT_TWICE)
			eq_report_command(dev, eq, 1u << num);
	}
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

void cmdq_doorbell(struct cxdev *dev, uint32_t bits)
{
	struct hca_state *hca = dev->hca;

	if (dev->ails.fatal)
		return;
	if (!hca->cmdq_addr) {
		violation(dev, "command doorbell 0x%x before the queue's address was written",
			  bits);
		return;
	}
	if (hca->pending & bits)
		violation(dev, "command doorbell 0x%x: slots 0x%x are still being processed", bits,
			  hca->pending & bits);
	hca->pending |= bits;
	work_queue(&hca->cmd_work);
}

/* ---- page lists ---- */

int pages_get(struct cmd *c, struct pages *pages, const void *tail, uint64_t bytes,
	      unsigned int log_page_size, uint32_t offset)
{
	uint64_t at = (const uint8_t *)tail - (const uint8_t *)c->in;
	uint64_t n, pa;
	uint32_t i;
	__be64 be;

	memset(pages, 0, sizeof(*pages));
	if (log_page_size < 12 || log_page_size > 43)
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_page_size %u is not one of 12..43",
			      log_page_size);
	if (offset >= 1ull << log_page_size)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "page offset 0x%x is not within a page of 2^%u", offset,
			      log_page_size);
	n = (bytes + offset + (1ull << log_page_size) - 1) >> log_page_size;
	if (at > c->in_len || (c->in_len - at) / 8 < n)
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "%llu pages are needed, the input has no room for them",
			      (unsigned long long)n);
	pages->pa = calloc(n ? n : 1, sizeof(*pages->pa));
	if (!pages->pa)
		return refuse(c, PRM_STATUS_INTERNAL, "the emulator is out of memory");
	for (i = 0; i < n; i++) {
		memcpy(&be, (const uint8_t *)tail + 8 * i, sizeof(be));
		pa = be64_to_cpu(be);
		if (pa & ((1ull << log_page_size) - 1)) {
			pages_free(pages);
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "page %u: address 0x%llx is not aligned to 2^%u", i,
				      (unsigned long long)pa, log_page_size);
		}
		pages->pa[i] = pa;
	}
	pages->n = n;
	pages->log_size = log_page_size;
	pages->offset = offset;
	return 0;
}

void pages_free(struct pages *pages)
{
	free(pages->pa);
	memset(pages, 0, sizeof(*pages));
}

static int pages_copy(struct cxdev *dev, const struct pages *pages, uint64_t off, void *buf,
		      size_t len, bool write)
{
	uint64_t size = 1ull << pages->log_size, in_page, page;
	uint8_t *p = buf;
	size_t n;
	int err;

	off += pages->offset;
	while (len) {
		page = off >> pages->log_size;
		in_page = off & (size - 1);
		n = len < size - in_page ? len : size - in_page;
		if (page >= pages->n)
			return -1;
		err = write ? guest_write(dev, pages->pa[page] + in_page, p, n) :
			      guest_read(dev, pages->pa[page] + in_page, p, n);
		if (err)
			return err;
		off += n;
		p += n;
		len -= n;
	}
	return 0;
}

int pages_read(struct cxdev *dev, const struct pages *pages, uint64_t off, void *buf, size_t len)
{
	return pages_copy(dev, pages, off, buf, len, false);
}

int pages_write(struct cxdev *dev, const struct pages *pages, uint64_t off, const void *buf,
		size_t len)
{
	return pages_copy(dev, pages, off, (void *)buf, len, true);
}
