// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Performance management: ib_core reads the files in counters/ by MADs to the device itself. All
 * other MADs are left to ib_mad.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "ib.h"

#define PMA_DATA 40		/* offset of the attribute in ib_mad.data */
#define PORT_SELECT 41
#define WORD 4			/* bytes: unit of the data counters */

static void fill_class_port_info(void *data)
{
	struct ib_class_port_info *info = data;

	info->base_version = 1;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
}

static u32 at_most_u32(u64 value)
{
	return min_t(u64, value, U32_MAX);
}

static u16 add_u16(u16 a, u16 b)
{
	return min_t(u32, a + b, U16_MAX);
}

static u8 add_u8(u8 a, u8 b, u8 most)
{
	return min_t(u32, a + b, most);
}

/* They stop at their maximum. */
static void add_ib_port(struct cxr_ib_port_counters *sum, const struct cxr_ib_port_counters *port)
{
	u8 integrity = add_u8(sum->link_overrun_errors >> 4, port->link_overrun_errors >> 4, 15);
	u8 overruns = add_u8(sum->link_overrun_errors & 15, port->link_overrun_errors & 15, 15);

	sum->symbol_error = add_u16(sum->symbol_error, port->symbol_error);
	sum->rcv_errors = add_u16(sum->rcv_errors, port->rcv_errors);
	sum->rcv_remphys_errors = add_u16(sum->rcv_remphys_errors, port->rcv_remphys_errors);
	sum->rcv_switch_relay_errors = add_u16(sum->rcv_switch_relay_errors,
					       port->rcv_switch_relay_errors);
	sum->xmit_discards = add_u16(sum->xmit_discards, port->xmit_discards);
	sum->vl15_dropped = add_u16(sum->vl15_dropped, port->vl15_dropped);
	sum->link_error_recovery = add_u8(sum->link_error_recovery, port->link_error_recovery,
					  U8_MAX);
	sum->link_downed = add_u8(sum->link_downed, port->link_downed, U8_MAX);
	sum->xmit_constraint_errors = add_u8(sum->xmit_constraint_errors,
					     port->xmit_constraint_errors, U8_MAX);
	sum->rcv_constraint_errors = add_u8(sum->rcv_constraint_errors,
					    port->rcv_constraint_errors, U8_MAX);
	sum->link_overrun_errors = integrity << 4 | overruns;
	sum->xmit_wait = at_most_u32((u64)sum->xmit_wait + port->xmit_wait);
}

static int query_ib_ports(struct cxr_ib_dev *dev, struct cxr_ib_port_counters *sum)
{
	struct cxr_ib_port_counters port;
	struct cxr_core *core;
	unsigned int n;
	int err;

	memset(sum, 0, sizeof(*sum));
	for (n = 0; (core = cxr_ib_port(dev, n)); n++) {
		err = cxr_cmd_query_ib_port(core, &port);
		if (err)
			return err;
		add_ib_port(sum, &port);
	}
	return 0;
}

static int fill_port_counters(struct cxr_ib_dev *dev, void *data)
{
	struct ib_pma_portcounters *out = data;
	struct cxr_ib_port_counters port;
	struct cxr_ib_traffic traffic;
	int err;

	err = query_ib_ports(dev, &port) ?: cxr_ib_query_traffic(dev, &traffic);
	if (err)
		return err;

	out->symbol_error_counter = cpu_to_be16(port.symbol_error);
	out->link_error_recovery_counter = port.link_error_recovery;
	out->link_downed_counter = port.link_downed;
	out->port_rcv_errors = cpu_to_be16(port.rcv_errors);
	out->port_rcv_remphys_errors = cpu_to_be16(port.rcv_remphys_errors);
	out->port_rcv_switch_relay_errors = cpu_to_be16(port.rcv_switch_relay_errors);
	out->port_xmit_discards = cpu_to_be16(port.xmit_discards);
	out->port_xmit_constraint_errors = port.xmit_constraint_errors;
	out->port_rcv_constraint_errors = port.rcv_constraint_errors;
	out->link_overrun_errors = port.link_overrun_errors;
	out->vl15_dropped = cpu_to_be16(port.vl15_dropped);
	out->port_xmit_wait = cpu_to_be32(port.xmit_wait);
	out->port_xmit_data = cpu_to_be32(at_most_u32(traffic.tx.bytes / WORD));
	out->port_rcv_data = cpu_to_be32(at_most_u32(traffic.rx.bytes / WORD));
	out->port_xmit_packets = cpu_to_be32(at_most_u32(traffic.tx.packets));
	out->port_rcv_packets = cpu_to_be32(at_most_u32(traffic.rx.packets));
	return 0;
}

static int fill_port_counters_ext(struct cxr_ib_dev *dev, void *data)
{
	struct ib_pma_portcounters_ext *out = data;
	struct cxr_ib_traffic traffic;
	int err;

	err = cxr_ib_query_traffic(dev, &traffic);
	if (err)
		return err;

	out->port_xmit_data = cpu_to_be64(traffic.tx.bytes / WORD);
	out->port_rcv_data = cpu_to_be64(traffic.rx.bytes / WORD);
	out->port_xmit_packets = cpu_to_be64(traffic.tx.packets);
	out->port_rcv_packets = cpu_to_be64(traffic.rx.packets);
	out->port_unicast_xmit_packets = cpu_to_be64(traffic.tx_unicast.packets);
	out->port_unicast_rcv_packets = cpu_to_be64(traffic.rx_unicast.packets);
	out->port_multicast_xmit_packets = cpu_to_be64(traffic.tx_multicast.packets);
	out->port_multicast_rcv_packets = cpu_to_be64(traffic.rx_multicast.packets);
	return 0;
}

/* The MAD status of the response, or the negative error of a command. */
static int fill_pma_resp(struct cxr_ib_dev *dev, u32 port, const struct ib_mad *in,
			 struct ib_mad *out)
{
	void *data = &out->data[PMA_DATA];

	if (in->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO) {
		fill_class_port_info(data);
		return 0;
	}
	if (in->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS &&
	    in->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS_EXT)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	if (in->data[PORT_SELECT] != port) {
		ibdev_dbg(&dev->ibdev, "PMA: invalid port %u\n", in->data[PORT_SELECT]);
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	}

	out->data[PORT_SELECT] = port;
	return in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS ?
	       fill_port_counters(dev, data) : fill_port_counters_ext(dev, data);
}

static int process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_size, u16 *out_pkey_index)
{
	int status;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_SUCCESS;

	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	status = fill_pma_resp(to_cxr_dev(ibdev), port, in, out);
	if (status < 0)
		return IB_MAD_RESULT_FAILURE;
	out->mad_hdr.status = cpu_to_be16(status);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

const struct ib_device_ops cxr_ib_pma_ops = {
	.process_mad = process_mad,
};
