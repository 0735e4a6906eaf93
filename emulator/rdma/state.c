// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The state of the RDMA engine, one for each function. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "prm/vport.h"
#include "rdma/rdma.h"

int rdma_state_create(struct cxdev *dev)
{
	dev->rdma_state = calloc(1, sizeof(*dev->rdma_state));
	if (!dev->rdma_state || mcg_table_create(&dev->rdma_state->mcgs))
		return -1;
	dev->roce_addrs = dev->rdma_state->addrs;
	dc_state_init(dev);
	cong_reset(dev);
	return 0;
}

/* Objects go by obj_destroy_all(), and what hangs on them with them. */
void rdma_state_reset(struct cxdev *dev)
{
	rdma_state_stop(dev);
	memset(dev->rdma_state->addrs, 0, sizeof(dev->rdma_state->addrs));
	cong_reset(dev);
}

void rdma_state_stop(struct cxdev *dev)
{
	unsigned int i;

	memset(&dev->rdma_state->no_counter, 0, sizeof(dev->rdma_state->no_counter));
	dev->rdma_state->last_addr = 0;
	for (i = 0; i < ROCE_ADDRS; i++)
		dev->rdma_state->addrs[i].removed = false;
	memset(&dev->rdma_state->gone, 0, sizeof(dev->rdma_state->gone));
	dc_state_stop(dev);
	page_fault_state_stop(&dev->rdma_state->page_faults);
}

void rdma_state_leave(struct cxdev *dev)
{
	struct roce_addr addr = { .valid = true, .version = PRM_ROCE_V2,
				  .l3_type = PRM_ROCE_L3_IPV6, .gid = { 0xfe, 0x80, 2, 0xde, 0xad },
				  .mac = { 0x02, 0xde, 0xad } };
	unsigned int i;

	for (i = 0; i < dev->card->roce_addrs; i++) {
		addr.gid[15] = i;
		dev->rdma_state->addrs[i] = addr;
	}
}

void rdma_state_destroy(struct cxdev *dev)
{
	if (dev->rdma_state)
		free(dev->rdma_state->mcgs.buckets);
	free(dev->rdma_state);
	dev->rdma_state = NULL;
}

void qp_goes(const struct qp *qp)
{
	if (qp->uar)
		gone_add(&qp->obj.dev->rdma_state->gone, qp->obj.num, qp->uar->num);
}

bool qp_has_gone(const struct cxdev *dev, uint32_t num, uint32_t uar)
{
	return gone_has(&dev->rdma_state->gone, num, uar);
}

void rdma_status(struct cxdev *dev, FILE *out)
{
	const struct page_fault_state *faults = &dev->rdma_state->page_faults;
	const struct rdma_counters *r = dev->rdma;

	fprintf(out, "  rdma: tx %llu packets %llu bytes, rx %llu packets %llu bytes",
		(unsigned long long)(r->tx_packets + r->tx_mcast_packets),
		(unsigned long long)(r->tx_bytes + r->tx_mcast_bytes),
		(unsigned long long)(r->rx_packets + r->rx_mcast_packets),
		(unsigned long long)(r->rx_bytes + r->rx_mcast_bytes));
	fprintf(out, ", icrc errors %llu, dropped %llu, direct %llu\n",
		(unsigned long long)r->rx_icrc_errors, (unsigned long long)r->rx_dropped,
		(unsigned long long)r->direct);
	if (hca_pages(dev))
		fprintf(out, "  page faults: raised %llu, failed %llu, waiting %u, put off %llu\n",
			(unsigned long long)faults->raised, (unsigned long long)faults->failed,
			faults->n, (unsigned long long)faults->later);
}

void rdma_json(const struct cxdev *dev, struct json_object *to)
{
	const struct page_fault_state *faults = &dev->rdma_state->page_faults;
	struct json_object *part = json_part(to, "rdma");
	const struct rdma_counters *r = dev->rdma;

	json_number(part, "tx_packets", r->tx_packets + r->tx_mcast_packets);
	json_number(part, "tx_bytes", r->tx_bytes + r->tx_mcast_bytes);
	json_number(part, "rx_packets", r->rx_packets + r->rx_mcast_packets);
	json_number(part, "rx_bytes", r->rx_bytes + r->rx_mcast_bytes);
	json_number(part, "icrc_errors", r->rx_icrc_errors);
	json_number(part, "dropped", r->rx_dropped);
	json_number(part, "direct", r->direct);
	if (!hca_pages(dev))
		return;
	part = json_part(to, "page_faults");
	json_number(part, "raised", faults->raised);
	json_number(part, "failed", faults->failed);
	json_number(part, "waiting", faults->n);
	json_number(part, "put_off", faults->later);
}
