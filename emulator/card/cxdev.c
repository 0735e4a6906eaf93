// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A whole function: its parts are made, reset and unmade here, and what concerns all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fault/fault.h"
#include "func/hca.h"
#include "port/lag.h"

#define BOOT_NS 2000000		/* from reset to the end of "initializing" */

/* ---- guest memory and interrupts ---- */

/* Off the bus, or its firmware dead: neither DMA nor interrupts. */
static bool cut_off(const struct cxdev *dev)
{
	return dev->ails.gone || dev->ails.fatal;
}

int guest_read(struct cxdev *dev, uint64_t addr, void *buf, size_t len)
{
	int err;

	if (cut_off(dev))
		return -EFAULT;
	err = dev->ops->read(dev->guest, addr, buf, len);
	if (err)
		violation(dev, "DMA read of %zu bytes at 0x%llx: not mapped, or no bus master", len,
			  (unsigned long long)addr);
	return err;
}

int guest_write(struct cxdev *dev, uint64_t addr, const void *buf, size_t len)
{
	int err;

	if (cut_off(dev))
		return -EFAULT;
	err = dev->ops->write(dev->guest, addr, buf, len);
	if (err)
		violation(dev, "DMA write of %zu bytes at 0x%llx: not mapped, or no bus master",
			  len, (unsigned long long)addr);
	return err;
}

void hca_raise_irq(struct cxdev *dev, unsigned int vector)
{
	if (cut_off(dev))
		return;
	dev->hca->irqs++;
	if (fault_ask(FAULT_INTERRUPT, dev, vector, NULL) == FAULT_LOSE) {
		dev->hca->irqs_lost++;
		return;
	}
	if (dev->ops->irq(dev->guest, vector)) {
		dev->hca->irqs_lost++;
		trace(dev, "interrupt %u: the vector is off", vector);
	}
}

/* ---- the state behind the registers ---- */

int hca_state_create(struct cxdev *dev)
{
	dev->hca = calloc(1, sizeof(*dev->hca));
	if (!dev->hca)
		return -ENOMEM;
	dev->hca->dev = dev;
	work_init(&dev->hca->cmd_work, cmdq_work);
	hca_caps_reset(dev);
	return 0;
}

void hca_state_reset(struct cxdev *dev)
{
	struct hca_state *hca = dev->hca;

	work_cancel(&hca->cmd_work);
	hca->phase = HCA_OFF;
	hca->cmdq_addr = 0;
	hca->nic_ifc = PRM_NIC_IFC_FULL;
	hca->pending = 0;
	hca->next_slot = 0;
	hca->half_uar = 0;
	hca->pages.n = 0;
	hca->pages_asked = 0;
	hca->boot_done_ns = now_ns() + BOOT_NS;
	hca_caps_reset(dev);
}

void hca_state_destroy(struct cxdev *dev)
{
	if (!dev->hca)
		return;
	work_cancel(&dev->hca->cmd_work);
	free(dev->hca->pages.pa);
	free(dev->hca);
	dev->hca = NULL;
}

/* ---- leaks ---- */

static void report_object(void *p, void *arg)
{
	struct obj *obj = p;
	unsigned int *n = arg;

	(*n)++;
	violation(obj->dev, "leak: %s 0x%x was left", obj_name(obj->type), obj->num);
}

unsigned int cxdev_report_leaks(struct cxdev *dev)
{
	unsigned int type, n = 0;

	if (dev->hca->phase == HCA_RUNNING) {
		for (type = 0; type < OBJ_TYPES; type++)
			obj_for_each(dev, type, report_object, &n);
		n += lag_report(dev);
	} else if (dev->hca->pages.n) {
		n = dev->hca->pages.n;
		violation(dev, "leak: %u pages were not taken back", n);
	}
	return n;
}

void hca_stop(struct cxdev *dev)
{
	cxdev_report_leaks(dev);
	obj_destroy_all(dev);
	lag_reset(dev);
	rdma_state_reset(dev);
	eth_state_reset(dev);
	dev->hca->phase = HCA_ENABLED;
}

/* ---- the function ---- */

static void make_names(struct cxdev *dev)
{
	uint8_t guid[8];
	uint64_t v = 0;
	unsigned int i;

	dev->mac[0] = 0x02;
	dev->mac[1] = 0xc4;
	dev->mac[2] = 0x00;
	dev->mac[3] = 0x00;
	dev->mac[4] = dev->index >> 8;
	dev->mac[5] = dev->index + 1;
	memcpy(guid, dev->mac, 3);
	guid[3] = 0xff;
	guid[4] = 0xfe;
	memcpy(guid + 5, dev->mac + 3, 3);
	guid[0] ^= 2;
	for (i = 0; i < sizeof(guid); i++)
		v = v << 8 | guid[i];
	dev->node_guid = v;
	dev->sys_image_guid = v;
}

struct cxdev *cxdev_create(const char *name, unsigned int index, const struct card *card,
			   const struct guest_ops *ops, void *guest)
{
	struct cxdev *dev = calloc(1, sizeof(*dev));

	if (!dev)
		goto no_memory;
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	dev->index = index;
	dev->native_port = 1;
	dev->card = card;
	dev->ops = ops;
	dev->guest = guest;
	make_names(dev);
	if (hca_state_create(dev) || obj_state_create(dev) || rdma_state_create(dev) ||
	    eth_state_create(dev))
		goto destroy;
	dev->port = port_create(dev, name);
	if (!dev->port)
		goto destroy;
	return dev;

destroy:
	cxdev_destroy(dev);
no_memory:
	fprintf(stderr, "cxemu: %s: out of memory\n", name);
	return NULL;
}

void cxdev_destroy(struct cxdev *dev)
{
	if (dev->objs)
		obj_destroy_all(dev);
	adapter_leave(dev);
	if (dev->port)
		port_destroy(dev->port);
	if (dev->eth)
		eth_state_destroy(dev);
	if (dev->rdma_state)
		rdma_state_destroy(dev);
	obj_state_destroy(dev);
	hca_state_destroy(dev);
	free(dev);
}

void cxdev_reset(struct cxdev *dev)
{
	obj_destroy_all(dev);
	lag_reset(dev);
	rdma_state_reset(dev);
	eth_state_reset(dev);
	hca_state_reset(dev);
	fault_reset(dev);
}

/* ---- status ---- */

static void rdma_status(struct cxdev *dev, FILE *out)
{
	const struct rdma_counters *r = &dev->rdma;

	fprintf(out, "  rdma: tx %llu packets %llu bytes, rx %llu packets %llu bytes",
		(unsigned long long)(r->tx_packets + r->tx_mcast_packets),
		(unsigned long long)(r->tx_bytes + r->tx_mcast_bytes),
		(unsigned long long)(r->rx_packets + r->rx_mcast_packets),
		(unsigned long long)(r->rx_bytes + r->rx_mcast_bytes));
	fprintf(out, ", icrc errors %llu, dropped %llu\n", (unsigned long long)r->rx_icrc_errors,
		(unsigned long long)r->rx_dropped);
}

void cxdev_status(struct cxdev *dev, FILE *out)
{
	static const char *const phases[] = { "off", "enabled", "running" };
	const struct hca_state *hca = dev->hca;
	unsigned int type;

	fprintf(out, "function %s: %s, mac %02x:%02x:%02x:%02x:%02x:%02x, ", dev->name,
		dev->card->model, dev->mac[0], dev->mac[1], dev->mac[2], dev->mac[3], dev->mac[4],
		dev->mac[5]);
	fprintf(out, "%s, link %s, violations %llu\n", phases[hca->phase],
		port_link_up(dev->port) ? "up" : "down", (unsigned long long)dev->violations);
	fprintf(out, "  commands: %llu, refused %llu, declined %llu, delivery errors %llu\n",
		(unsigned long long)hca->commands, (unsigned long long)hca->refused,
		(unsigned long long)hca->declined, (unsigned long long)hca->delivery_errors);
	fprintf(out, "  pages: %u held, peak %llu\n", hca->pages.n,
		(unsigned long long)hca->pages_peak);
	fprintf(out, "  interrupts: %llu, lost %llu\n", (unsigned long long)hca->irqs,
		(unsigned long long)hca->irqs_lost);
	fprintf(out, "  objects: %u", obj_count_all(dev));
	for (type = 0; type < OBJ_TYPES; type++)
		if (obj_count(dev, type))
			fprintf(out, ", %u %s", obj_count(dev, type), obj_name(type));
	fprintf(out, "\n");
	lag_status(dev, out);
	rdma_status(dev, out);
	eth_status(dev, out);
}
