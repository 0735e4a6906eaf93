// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The priority of a frame, as a port or the switch sees it. */
#include <string.h>

#include "wire/wire.h"

#define VENDOR_GROUP 7	/* traffic classes in turn */
#define STALL_MINOR_MS 6800
#define STALL_CRITICAL_MS 8000

void port_qos_reset(struct port_qos *qos)
{
	unsigned int i;

	memset(qos, 0, sizeof(*qos));
	qos->stall_minor_ms = STALL_MINOR_MS;
	qos->stall_critical_ms = STALL_CRITICAL_MS;
	for (i = 0; i < sizeof(qos->dscp_prio); i++)
		qos->dscp_prio[i] = i >> 3;
	for (i = 0; i < PRIORITIES; i++) {
		qos->prio_tc[i] = i;
		qos->group[i] = VENDOR_GROUP;
		qos->weight[i] = 100;
		qos->xoff[i] = UINT32_MAX;
		qos->xon[i] = UINT32_MAX;
	}
}

unsigned int qos_prio(const struct port_qos *qos, int dscp, int pcp)
{
	if (qos->trust_dscp && dscp >= 0)
		return qos->dscp_prio[dscp & 63];
	return pcp < 0 ? 0 : pcp & 7;
}

unsigned int qos_frame_prio(const struct port_qos *qos, const struct frame *frame)
{
	const uint8_t *d = frame->data;
	int dscp = -1, pcp = -1;
	uint32_t l3 = ETH_BYTES;
	uint16_t type;

	if (frame->len < ETH_BYTES + VLAN_BYTES + 2)
		return 0;
	type = get16(d + 12);
	if (type == ETH_P_8021Q || type == ETH_P_8021AD) {
		pcp = d[14] >> 5;
		type = get16(d + 16);
		l3 += VLAN_BYTES;
	}
	if (type == ETH_P_IP)
		dscp = d[l3 + 1] >> 2;
	else if (type == ETH_P_IPV6)
		dscp = (get16(d + l3) >> 4 & 0xff) >> 2;
	return qos_prio(qos, dscp, pcp);
}
