// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The capability pages of a function, after boot and as set by the driver. */
#include <errno.h>
#include <string.h>

#include "func/func.h"
#include "prm/caps.h"
#include "prm/tunnel.h"
#include "prm/wqe.h"

#define OWN_TERMINATE_LKEY 0x700

/* What the function has when it starts. -1: it has no such type. */
static int fill(const struct cxdev *dev, unsigned int type, uint8_t *cur, uint8_t *max)
{
	const struct cap_change *change;
	unsigned int i;
	int err;

	memset(cur, 0, CAP_BYTES);
	memset(max, 0, CAP_BYTES);
	err = dev->card->caps(dev, type, cur, max);
	for (i = 0; i < dev->hca->n_cap_changes; i++) {
		change = &dev->hca->cap_changes[i];
		if (change->cap.type != type)
			continue;
		cap_set(&change->cap, cur, change->value);
		cap_set(&change->cap, max, change->value);
	}
	return err;
}

void hca_caps_reset(struct cxdev *dev)
{
	struct hca_state *hca = dev->hca;
	unsigned int i;

	for (i = 0; i < CAP_TYPES; i++)
		hca->cap_valid[i] = !fill(dev, i, hca->cap_cur[i], hca->cap_max[i]);
	hca->issi = 0;
}

/* A reset, and DISABLE_HCA, read the capabilities of the card again. */
void hca_caps_changed(struct cxdev *dev)
{
	if (dev->hca->phase == HCA_OFF)
		hca_caps_reset(dev);
}

int hca_cap_change(struct cxdev *dev, const struct cap *cap, uint64_t value)
{
	struct hca_state *hca = dev->hca;
	unsigned int i = 0;

	while (i < hca->n_cap_changes && hca->cap_changes[i].cap.field != cap->field)
		i++;
	if (i == CAP_CHANGES)
		return -ENOSPC;
	if (i == hca->n_cap_changes)
		hca->n_cap_changes++;
	hca->cap_changes[i] = (struct cap_change){ *cap, value };
	hca_caps_changed(dev);
	return 0;
}

void hca_caps_restore(struct cxdev *dev)
{
	dev->hca->n_cap_changes = 0;
	hca_caps_changed(dev);
}

static const struct prm_cmd_hca_cap *general(const struct cxdev *dev)
{
	return (const void *)dev->hca->cap_cur[CAP_GENERAL];
}

#define GENERAL(field) offsetof(struct prm_cmd_hca_cap_bits, field)

bool hca_has_page(const struct cxdev *dev, enum cap_type type)
{
	static const unsigned int announced_by[CAP_TYPES] = {
		[CAP_ETH] = GENERAL(eth_net_offloads),
		[CAP_ODP] = GENERAL(pg),
		[CAP_ATOMIC] = GENERAL(atomic),
		[CAP_ROCE] = GENERAL(roce),
		[CAP_FLOW_NIC] = GENERAL(nic_flow_table),
		[CAP_FLOW_ESW] = GENERAL(eswitch_manager),
		[CAP_ESW] = GENERAL(eswitch_manager),
		[CAP_QOS] = GENERAL(qos),
		[CAP_DEBUG] = GENERAL(debug),
		[CAP_DEVICE_MEM] = GENERAL(device_memory),
		[CAP_EVENT] = GENERAL(event_cap),
		[CAP_PORT_SELECTION] = GENERAL(port_selection_cap),
	};

	if (type >= CAP_TYPES || !dev->hca->cap_valid[type])
		return false;
	return !announced_by[type] || prm_get_bits(general(dev)->dw, announced_by[type], 1);
}

uint32_t hca_terminate_lkey(const struct cxdev *dev)
{
	return prm_get(general(dev), terminate_scatter_list_mkey) ? OWN_TERMINATE_LKEY :
								     PRM_WQE_LKEY_TERMINATE;
}

bool hca_uplink_follows(const struct cxdev *dev)
{
	return prm_get(general(dev), eswitch_manager) && prm_get(general(dev), uplink_follow);
}

bool hca_has_owner(const struct cxdev *dev)
{
	return prm_get(general(dev), sw_owner_id);
}

bool hca_detects_stalls(const struct cxdev *dev)
{
	const struct prm_debug_cap *debug = (const void *)dev->hca->cap_cur[CAP_DEBUG];

	return hca_has_page(dev, CAP_DEBUG) && prm_get(debug, stall_detect);
}

bool hca_roce(const struct cxdev *dev)
{
	return prm_get(general(dev), roce);
}

bool hca_fixed_buffers(const struct cxdev *dev)
{
	return prm_get(general(dev), fixed_buffer_size);
}

bool hca_null_mkey(const struct cxdev *dev)
{
	return prm_get(general(dev), null_mkey);
}

bool hca_far_umr(const struct cxdev *dev)
{
	return prm_get(general(dev), umr_extended_translation_offset);
}

unsigned int hca_umr_fence(const struct cxdev *dev)
{
	return prm_get(general(dev), umr_fence);
}

unsigned int hca_indirection(const struct cxdev *dev)
{
	return prm_get(general(dev), max_indirection);
}

bool hca_pages(const struct cxdev *dev)
{
	return prm_get(general(dev), pg);
}

/* NULL: not advertised. */
static const struct prm_odp_cap *odp_caps(const struct cxdev *dev)
{
	return hca_has_page(dev, CAP_ODP) ? (const void *)dev->hca->cap_cur[CAP_ODP] : NULL;
}

bool hca_memory_faults(const struct cxdev *dev)
{
	const struct prm_odp_cap *caps = odp_caps(dev);

	return caps && prm_get(caps, mem_page_fault);
}

bool hca_prefetches(const struct cxdev *dev)
{
	const struct prm_odp_cap *caps = odp_caps(dev);

	return caps && prm_get(caps, memory_page_fault_scheme_cap.page_prefetch);
}

#define SCHEME(name) offsetof(struct prm_odp_cap_bits, name##_page_fault_scheme_cap.rc_odp_caps)

unsigned int hca_page_faults(const struct cxdev *dev, enum odp_service service)
{
	const struct prm_odp_cap *caps = odp_caps(dev);
	uint32_t at;

	if (!caps)
		return 0;
	at = hca_memory_faults(dev) ? SCHEME(memory) : SCHEME(transport);
	at += service * sizeof(struct prm_odp_per_transport_service_cap_bits);
	return prm_get_bits(caps->dw, at, 6);
}

bool hca_dc(const struct cxdev *dev)
{
	return prm_get(general(dev), dct);
}

unsigned int hca_dc_reads(const struct cxdev *dev)
{
	return prm_get(general(dev), log_max_ra_req_dc);
}

unsigned int hca_dc_answers(const struct cxdev *dev)
{
	return prm_get(general(dev), log_max_ra_res_dc);
}

uint32_t hca_dc_wqe_bytes(const struct cxdev *dev)
{
	return prm_get(general(dev), max_wqe_sz_sq_dc);
}

bool hca_resets_streams(const struct cxdev *dev)
{
	return prm_get(general(dev), qpc_extension) &&
	       prm_get(general(dev), log_max_dci_errored_streams);
}

bool hca_changes_sport(const struct cxdev *dev)
{
	return prm_get(general(dev), rts2rts_qp_udp_sport);
}

bool hca_striding(const struct cxdev *dev)
{
	return prm_get(general(dev), striding_rq);
}

bool hca_few_strides(const struct cxdev *dev)
{
	return prm_get(general(dev), ext_stride_num_range);
}

bool hca_stride_index(const struct cxdev *dev)
{
	return prm_get(general(dev), mini_cqe_resp_stride_index);
}

uint32_t hca_session_max(const struct cxdev *dev)
{
	return prm_get(general(dev), cqe_compression_max_num);
}

uint32_t hca_eq_limit(const struct cxdev *dev)
{
	uint32_t max = prm_get(general(dev), max_num_eqs);

	return max ? max : 1u << prm_get(general(dev), log_max_eq);
}

bool hca_requests_pages(const struct cxdev *dev)
{
	return !prm_get(general(dev), page_request_disable);
}

bool hca_stamps(const struct cxdev *dev, enum obj_type queue, unsigned int format)
{
	const struct prm_cmd_hca_cap *cap = general(dev);
	const struct prm_roce_cap *roce = (const void *)dev->hca->cap_cur[CAP_ROCE];
	unsigned int formats = queue == OBJ_SQ ? prm_get(cap, sq_ts_format) :
			       queue == OBJ_RQ ? prm_get(cap, rq_ts_format) :
						 prm_get(roce, qp_ts_format);

	switch (format) {
	case PRM_TS_FREE_RUNNING:
		return formats != PRM_TS_CAP_REAL_TIME;
	case PRM_TS_REAL_TIME:
		return formats != PRM_TS_CAP_FREE_RUNNING;
	default:
		return format == PRM_TS_DEFAULT;
	}
}

unsigned int hca_vhca_port(const struct cxdev *dev)
{
	return prm_get(general(dev), num_vhca_ports) ? 1 : 0;
}

/* *vf: the VF that a command of its PF is about, or NULL: the function itself. */
static int other_function(struct cmd *c, bool other, bool embedded, uint32_t id, struct cxdev **vf)
{
	struct cxdev *dev;

	*vf = NULL;
	if (!other && !embedded && !id)
		return 0;
	if (!prm_get(general(c->dev), vhca_resource_manager))
		return refuse(c, PRM_STATUS_BAD_PARAM, "there are no other functions");
	dev = cmd_function(c, embedded, id);
	if (!dev)
		return -1;
	if (!other)
		return refuse(c, PRM_STATUS_BAD_PARAM, "function %u without other_function", id);
	*vf = dev;
	return 0;
}

/* As much of it as there is room for. */
static int show_page(struct cmd *c, const uint8_t *page)
{
	uint32_t room = c->out_len - sizeof(struct prm_mbox_out);

	memcpy(prm_tail((struct prm_mbox_out *)c->out), page, room < CAP_BYTES ? room : CAP_BYTES);
	return 0;
}

/* What it will have when it starts, and may have. */
static int query_vf(struct cmd *c, struct cxdev *vf)
{
	uint8_t cur[CAP_BYTES] __attribute__((aligned(8)));
	uint8_t max[CAP_BYTES] __attribute__((aligned(8)));
	unsigned int type = c->op_mod >> 1;

	if (type >= CAP_TYPES || fill(vf, type, cur, max))
		return decline(c, PRM_STATUS_BAD_PARAM, "the VF has no capabilities of type 0x%x",
			       type);
	return show_page(c, c->op_mod & 1 ? cur : max);
}

/* The PF's driver may take RoCE from it, and give it back. */
static int set_vf(struct cmd *c, struct cxdev *vf, const uint8_t *want)
{
	bool roce = prm_get((const struct prm_cmd_hca_cap *)want, roce);
	uint8_t cur[CAP_BYTES] __attribute__((aligned(8)));
	uint8_t max[CAP_BYTES] __attribute__((aligned(8)));

	if (c->op_mod >> 1 != CAP_GENERAL || c->op_mod & 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "capabilities of type 0x%x of a VF cannot be set", c->op_mod >> 1);
	if (vf->hca->phase == HCA_RUNNING)
		return decline(c, PRM_STATUS_BAD_SYS_STATE, "function %u runs", vf->function_id);
	fill(vf, CAP_GENERAL, cur, max);
	prm_set((struct prm_cmd_hca_cap *)max, roce, roce);
	if (memcmp(max, want, CAP_BYTES))
		return refuse(c, PRM_STATUS_BAD_PARAM, "of a VF only roce can be set");
	vf_permit_roce(vf, roce);
	return 0;
}

static int run_query_hca_cap(struct cmd *c)
{
	const struct prm_query_hca_cap_in *in = c->in;
	unsigned int type = c->op_mod >> 1;
	struct cxdev *vf;
	const struct hca_state *hca = c->dev->hca;

	if (other_function(c, prm_get(in, other_function), prm_get(in, ec_vf_function),
			   prm_get(in, function_id), &vf))
		return -1;
	if (vf)
		return query_vf(c, vf);
	if (!hca_has_page(c->dev, type))
		return decline(c, PRM_STATUS_BAD_PARAM, "the card has no capabilities of type 0x%x",
			       type);
	return show_page(c, c->op_mod & 1 ? hca->cap_cur[type] : hca->cap_max[type]);
}

/* All ones where the driver may change a capability. */
static void settable_mask(const struct cxdev *dev, unsigned int type, uint8_t *mask)
{
	const struct prm_cmd_hca_cap *max = (const void *)dev->hca->cap_max[CAP_GENERAL];
	struct prm_cmd_hca_cap *gen = (void *)mask;
	struct prm_port_selection_cap *port_selection = (void *)mask;
	struct prm_roce_cap *roce = (void *)mask;

	if (type == CAP_GENERAL) {
		prm_set(gen, pkey_table_size, 0xffff);
		prm_set(gen, log_max_qp, 0x1f);
		prm_set(gen, cmdif_checksum, 3);
		prm_set(gen, uar_4k, 1);
		prm_set(gen, log_uar_page_sz, 0xffff);
		prm_set(gen, cache_line_128byte, 1);
		if (prm_get(max, log_max_current_uc_list_wr_supported))
			prm_set(gen, log_max_current_uc_list, 0x1f);
	} else if (type == CAP_ODP) {	/* whatever there can be */
		memcpy(mask, dev->hca->cap_max[type], CAP_BYTES);
	} else if (type == CAP_ROCE) {
		prm_set(roce, sw_r_roce_src_udp_port, 1);
	} else if (type == CAP_PORT_SELECTION) {
		prm_set(port_selection, port_select_flow_table_bypass, 1);
	}
}

static int check_general(struct cmd *c, const struct prm_cmd_hca_cap *want,
			 const struct prm_cmd_hca_cap *max)
{
	if (prm_get(want, log_max_qp) > prm_get(max, log_max_qp))
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_max_qp %u is above %u",
			      prm_get(want, log_max_qp), prm_get(max, log_max_qp));
	if (prm_get(want, pkey_table_size) > prm_get(max, pkey_table_size))
		return refuse(c, PRM_STATUS_BAD_PARAM, "pkey_table_size 0x%x is above 0x%x",
			      prm_get(want, pkey_table_size), prm_get(max, pkey_table_size));
	if (prm_get(want, log_uar_page_sz) && !prm_get(want, uar_4k))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "log_uar_page_sz %u without uar_4k: UARs are 4 KiB",
			      prm_get(want, log_uar_page_sz));
	if (prm_get(want, cache_line_128byte) > prm_get(max, cache_line_128byte))
		return refuse(c, PRM_STATUS_BAD_PARAM, "cache_line_128byte is not supported");
	if (prm_get(want, log_max_current_uc_list) > prm_get(max, log_max_current_uc_list))
		return refuse(c, PRM_STATUS_BAD_PARAM, "log_max_current_uc_list %u is above %u",
			      prm_get(want, log_max_current_uc_list),
			      prm_get(max, log_max_current_uc_list));
	return 0;
}

bool hca_atomics_in_host_order(const struct cxdev *dev)
{
	return prm_get((const struct prm_atomic_caps *)dev->hca->cap_cur[CAP_ATOMIC],
		       atomic_req_8B_endianness_mode);
}

/* NULL: not advertised. */
static const struct prm_per_protocol_networking_offload_caps *eth_caps(const struct cxdev *dev)
{
	return dev->hca->cap_valid[CAP_ETH] ? (const void *)dev->hca->cap_cur[CAP_ETH] : NULL;
}

unsigned int hca_inline_mode(const struct cxdev *dev)
{
	const struct prm_per_protocol_networking_offload_caps *caps = eth_caps(dev);

	return caps ? prm_get(caps, wqe_inline_mode) : dev->card->inline_mode;
}

bool hca_inserts_vlan(const struct cxdev *dev)
{
	const struct prm_per_protocol_networking_offload_caps *caps = eth_caps(dev);

	return caps ? prm_get(caps, wqe_vlan_insert) : dev->card->vlan_insert;
}

const struct prm_qos_cap *hca_pacing(const struct cxdev *dev)
{
	const struct prm_qos_cap *caps = (const void *)dev->hca->cap_cur[CAP_QOS];

	return dev->hca->cap_valid[CAP_QOS] && prm_get(caps, packet_pacing) ? caps : NULL;
}

bool hca_sends_equal(const struct cxdev *dev)
{
	const struct prm_per_protocol_networking_offload_caps *caps = eth_caps(dev);

	return caps && prm_get(caps, multi_pkt_send_wqe);
}

bool hca_sends_several(const struct cxdev *dev)
{
	const struct prm_per_protocol_networking_offload_caps *caps = eth_caps(dev);

	return caps && prm_get(caps, enhanced_multi_pkt_send_wqe);
}

unsigned int hca_tunnels(const struct cxdev *dev)
{
	const struct prm_per_protocol_networking_offload_caps *caps = eth_caps(dev);

	if (!caps)
		return 0;
	return (prm_get(caps, tunnel_stateless_vxlan) ? TUNNEL_VXLAN : 0) |
	       (prm_get(caps, tunnel_stateless_gre) ? TUNNEL_GRE : 0) |
	       (prm_get(caps, tunnel_stateless_ip_over_ip) ? TUNNEL_IP : 0);
}

unsigned int hca_vxlan_ports(const struct cxdev *dev)
{
	const struct prm_per_protocol_networking_offload_caps *caps = eth_caps(dev);
	unsigned int n = caps ? prm_get(caps, max_vxlan_udp_ports) : 0;

	return n ? n : PRM_VXLAN_PORTS_DEFAULT;
}

unsigned int hca_log_max_uc_list(const struct cxdev *dev)
{
	return prm_get((const struct prm_cmd_hca_cap *)dev->hca->cap_cur[CAP_GENERAL],
		       log_max_current_uc_list);
}

bool hca_affinity_bypass(const struct cxdev *dev)
{
	const void *cur = dev->hca->cap_cur[CAP_PORT_SELECTION];

	return prm_get((const struct prm_port_selection_cap *)cur, port_select_flow_table_bypass);
}

/* Drivers send the one field that can be set, the others as zeros. */
static int set_atomic(struct cmd *c, const struct prm_atomic_caps *want)
{
	struct prm_atomic_caps *cur = (void *)c->dev->hca->cap_cur[CAP_ATOMIC];
	unsigned int mode = prm_get(want, atomic_req_8B_endianness_mode);

	if (mode > 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "atomic_req_8B_endianness_mode %u is neither 0 nor 1", mode);
	if ((prm_get(want, atomic_operations) &&
	     prm_get(want, atomic_operations) != prm_get(cur, atomic_operations)) ||
	    (prm_get(want, atomic_size_qp) &&
	     prm_get(want, atomic_size_qp) != prm_get(cur, atomic_size_qp)))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "only the byte order of atomics can be set");
	prm_set(cur, atomic_req_8B_endianness_mode, mode);
	return 0;
}

static int run_set_hca_cap(struct cmd *c)
{
	const struct prm_set_hca_cap_in *in = c->in;
	const uint8_t *want = prm_tail_const((const struct prm_mbox_in *)c->in);
	unsigned int type = c->op_mod >> 1, i;
	struct hca_state *hca = c->dev->hca;
	uint8_t mask[CAP_BYTES] __attribute__((aligned(8))) = {};
	struct cxdev *vf;

	if (other_function(c, prm_get(in, other_function), prm_get(in, ec_vf_function),
			   prm_get(in, function_id), &vf))
		return -1;
	if (vf)
		return set_vf(c, vf, want);
	if (hca->phase == HCA_RUNNING)
		return refuse(c, PRM_STATUS_BAD_SYS_STATE, "valid only before INIT_HCA");
	if (!hca_has_page(c->dev, type) || c->op_mod & 1)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "capabilities of type 0x%x cannot be set", type);
	if (type == CAP_ATOMIC)
		return set_atomic(c, (const void *)want);
	settable_mask(c->dev, type, mask);
	for (i = 0; i < CAP_BYTES; i++)
		if ((want[i] ^ hca->cap_cur[type][i]) & ~mask[i])
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "type 0x%x: byte 0x%x is 0x%02x, was 0x%02x: read-only",
				      type, i, want[i], hca->cap_cur[type][i]);
	if (type == CAP_GENERAL &&
	    check_general(c, (const void *)want, (const void *)hca->cap_max[type]))
		return -1;
	memcpy(hca->cap_cur[type], want, CAP_BYTES);
	return 0;
}

const struct cmd_desc cmds_caps[] = {
	CMD(query_hca_cap, .early = true, .part = true),
	CMD(set_hca_cap, .early = true),
	{}
};
