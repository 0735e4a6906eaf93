// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands that initialize and tear down the function and negotiate its capabilities. */
#include <linux/cache.h>
#include <linux/io.h>
#include <linux/once.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "prm/caps.h"
#include "prm/cmdif.h"
#include "prm/eqe.h"
#include "prm/obj.h"
#include "prm/port.h"
#include "prm/wqe.h"
#include "core.h"

#define PKEYS_128	0	/* pkey_table_size is 128 << n */
#define ENDIAN_BYTES	16	/* of register HOST_ENDIANNESS */

int cxr_cmd_enable_hca(struct cxr_core *core, u16 func)
{
	struct prm_enable_hca_in in = {};
	struct prm_enable_hca_out out;

	prm_set(&in, function_id, func);
	return cxr_cmd(core, enable_hca, &in, &out);
}

int cxr_cmd_disable_hca(struct cxr_core *core, u16 func)
{
	struct prm_disable_hca_in in = {};
	struct prm_disable_hca_out out;

	prm_set(&in, function_id, func);
	return cxr_cmd(core, disable_hca, &in, &out);
}

/*
 * Sets interface revision 1 if the firmware supports it. Firmware that does not know QUERY_ISSI,
 * whatever its answer is, has revision 0.
 */
static int set_issi(struct cxr_core *core)
{
	struct prm_query_issi_out query_out;
	struct prm_query_issi_in query = {};
	struct prm_set_issi_out out;
	struct prm_set_issi_in in = {};
	u32 known;
	int err;

	prm_set(&query, opcode, PRM_OP_query_issi);
	err = cxr_cmd_try(core, &query, sizeof(query), &query_out, sizeof(query_out));
	if (err && prm_get(&query_out, status) != PRM_STATUS_OK)
		return 0;
	if (err)
		return err;

	known = prm_get(&query_out, supported_issi_dw0);
	if (known & BIT(1)) {
		prm_set(&in, current_issi, 1);
		return cxr_cmd(core, set_issi, &in, &out);
	}
	if (!known || known & BIT(0))
		return 0;
	dev_err(core->dev, "unsupported interface revisions %#x, driver supports 0 and 1\n", known);
	return -EOPNOTSUPP;
}

/*
 * Byte order of structures that the firmware writes in host order; zero: little-endian. A VF leaves
 * it to its PF (mlx5_core: set_hca_ctrl()).
 */
static int set_host_endianness(struct cxr_dev *dev)
{
	struct {
		struct prm_access_register_in head;
		u8 data[ENDIAN_BYTES];
	} in = {};
	struct {
		struct prm_access_register_out head;
		u8 data[ENDIAN_BYTES];
	} out;

	if (dev->core.vf)
		return 0;
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		in.data[0] = 0x80;
	prm_set(&in.head, op_mod, PRM_ACCESS_REG_WRITE);
	prm_set(&in.head, register_id, PRM_REG_HOST_ENDIANNESS);
	return cxr_cmd_len(&dev->core, access_register, &in.head, sizeof(in), &out.head,
			   sizeof(out));
}

static int query_caps(struct cxr_core *core, enum prm_cap_page page, u8 which,
		      struct prm_query_hca_cap_out *out)
{
	struct prm_query_hca_cap_in in = {};

	prm_set(&in, op_mod, page << 1 | which);
	return cxr_cmd(core, query_hca_cap, &in, out);
}

static int set_caps(struct cxr_core *core, enum prm_cap_page page, struct prm_set_hca_cap_in *in)
{
	struct prm_set_hca_cap_out out;

	prm_set(in, op_mod, page << 1);
	return cxr_cmd(core, set_hca_cap, in, &out);
}

/* Too large for the stack. */
struct cap_bufs {
	struct prm_query_hca_cap_out max, cur;
	struct prm_set_hca_cap_in set;
};

static int query_both(struct cxr_core *core, enum prm_cap_page page, struct cap_bufs *bufs)
{
	int err = query_caps(core, page, PRM_CAP_MAX, &bufs->max);

	return err ?: query_caps(core, page, PRM_CAP_CUR, &bufs->cur);
}

/* How many unicast addresses the port has: as devlink says, if the device lets it. */
static void set_macs(struct cxr_dev *dev, const struct prm_cmd_hca_cap *max,
		     struct prm_cmd_hca_cap *set)
{
	u32 macs = dev->sizes[CXR_SIZE_MACS];

	dev->macs_max = 0;
	if (!prm_get(max, log_max_current_uc_list_wr_supported))
		return;
	dev->macs_max = BIT(min_t(u32, prm_get(max, log_max_current_uc_list),
				  ilog2(CXR_MACS_MAX)));
	if (macs)
		prm_set(set, log_max_current_uc_list, ilog2(min(macs, dev->macs_max)));
}

/*
 * Sets the general capabilities that the driver chooses; the others are written back unchanged.
 */
static int set_general_caps(struct cxr_core *core, struct cap_bufs *bufs)
{
	struct prm_cmd_hca_cap *max, *cur, *set;
	int err;

	err = query_both(core, PRM_CAP_GENERAL, bufs);
	if (err)
		return err;

	max = prm_sub(&bufs->max, capability.cmd_hca_cap, cmd_hca_cap);
	cur = prm_sub(&bufs->cur, capability.cmd_hca_cap, cmd_hca_cap);
	set = prm_sub(&bufs->set, capability.cmd_hca_cap, cmd_hca_cap);
	*set = *cur;
	prm_set(set, pkey_table_size, PKEYS_128);
	prm_set(set, log_max_qp, min_t(u32, prm_get(max, log_max_qp), 18));
	prm_set(set, cmdif_checksum, PRM_CMDIF_CHECKSUM_DISABLED);
	if (!prm_get(cur, cqe_version))
		prm_set(set, cqe_version, min_t(u32, prm_get(max, cqe_version), 1));
	if (prm_get(max, uar_4k) && PAGE_SIZE > CXR_UAR_SIZE)
		prm_set(set, uar_4k, 1);
	prm_set(set, log_uar_page_sz, PAGE_SHIFT - PRM_PAGE_SHIFT);
	if (prm_get(max, cache_line_128byte))
		prm_set(set, cache_line_128byte, cache_line_size() >= 128);
	if (prm_get(max, dct))
		prm_set(set, dct, 1);
	if (prm_get(cur, roce_rw_supported) && prm_get(max, roce))
		prm_set(set, roce, 1);
	set_macs(to_dev(core), max, set);
	return set_caps(core, PRM_CAP_GENERAL, &bufs->set);
}

/* QPs choose their UDP source port, if that is supported. */
static int set_roce_caps(struct cxr_core *core, struct cap_bufs *bufs)
{
	struct prm_roce_cap *max, *cur, *set;
	int err;

	err = query_both(core, PRM_CAP_ROCE, bufs);
	if (err)
		return err;

	max = prm_sub(&bufs->max, capability.roce_cap, roce_cap);
	cur = prm_sub(&bufs->cur, capability.roce_cap, roce_cap);
	if (prm_get(cur, sw_r_roce_src_udp_port) || !prm_get(max, sw_r_roce_src_udp_port))
		return 0;

	memset(&bufs->set, 0, sizeof(bufs->set));
	set = prm_sub(&bufs->set, capability.roce_cap, roce_cap);
	*set = *cur;
	prm_set(set, sw_r_roce_src_udp_port, 1);
	return set_caps(core, PRM_CAP_ROCE, &bufs->set);
}

/* Atomic operations return their value in host order, not big-endian. */
static int set_atomic_caps(struct cxr_core *core, struct cap_bufs *bufs)
{
	struct prm_atomic_caps *max, *set;
	int err;

	err = query_caps(core, PRM_CAP_ATOMIC, PRM_CAP_MAX, &bufs->max);
	if (err)
		return err;
	max = prm_sub(&bufs->max, capability.atomic_caps, atomic_caps);
	if (!prm_get(max, supported_atomic_req_8B_endianness_mode_1))
		return 0;

	memset(&bufs->set, 0, sizeof(bufs->set));
	set = prm_sub(&bufs->set, capability.atomic_caps, atomic_caps);
	prm_set(set, atomic_req_8B_endianness_mode, PRM_ATOMIC_HOST_ENDIAN);
	return set_caps(core, PRM_CAP_ATOMIC, &bufs->set);
}

/* In a LAG in hash mode a QP can still have a port of its own. */
static int set_port_selection_caps(struct cxr_core *core, struct cap_bufs *bufs)
{
	struct prm_port_selection_cap *max, *cur, *set;
	int err;

	err = query_both(core, PRM_CAP_PORT_SELECTION, bufs);
	if (err)
		return err;

	max = prm_sub(&bufs->max, capability.port_selection_cap, port_selection_cap);
	cur = prm_sub(&bufs->cur, capability.port_selection_cap, port_selection_cap);
	if (prm_get(cur, port_select_flow_table_bypass) ||
	    !prm_get(max, port_select_flow_table_bypass))
		return 0;

	memset(&bufs->set, 0, sizeof(bufs->set));
	set = prm_sub(&bufs->set, capability.port_selection_cap, port_selection_cap);
	*set = *cur;
	prm_set(set, port_select_flow_table_bypass, 1);
	return set_caps(core, PRM_CAP_PORT_SELECTION, &bufs->set);
}

#define FAULTS(sub, cap, transport)								\
	prm_##sub(cap, transport_page_fault_scheme_cap.transport##_odp_caps,			\
		  odp_per_transport_service_cap)

/* Those of @max, or of them that of SRQs alone. Returns whether that is more. */
static bool add_faults(struct prm_odp_per_transport_service_cap *set,
		       const struct prm_odp_per_transport_service_cap *max, bool srq_alone)
{
	unsigned int last = prm_bit(set, srq_receive), bit;
	bool added = false;

	for (bit = srq_alone ? last : 0; bit <= last; bit++) {
		if (!prm_get_bits(max->dw, bit, 1) || prm_get_bits(set->dw, bit, 1))
			continue;
		prm_set_bits(set->dw, bit, 1, 1);
		added = true;
	}
	return added;
}

/* Whatever the device can by the transport scheme, of what it does not do by itself. */
static bool add_transport_faults(struct prm_odp_cap *set, const struct prm_odp_cap *max)
{
	bool added = false;

	added |= add_faults(FAULTS(sub, set, ud), FAULTS(sub_const, max, ud), true);
	added |= add_faults(FAULTS(sub, set, rc), FAULTS(sub_const, max, rc), true);
	added |= add_faults(FAULTS(sub, set, xrc), FAULTS(sub_const, max, xrc), false);
	added |= add_faults(FAULTS(sub, set, dc), FAULTS(sub_const, max, dc), false);
	return added;
}

/* The memory scheme, if the device has it and asks for memory in advance, as in-tree. */
static int set_odp_caps(struct cxr_core *core, struct cap_bufs *bufs)
{
	struct prm_odp_cap *max, *set;
	bool chosen, memory;
	int err;

	err = query_both(core, PRM_CAP_ODP, bufs);
	if (err)
		return err;

	memset(&bufs->set, 0, sizeof(bufs->set));
	max = prm_sub(&bufs->max, capability.odp_cap, odp_cap);
	set = prm_sub(&bufs->set, capability.odp_cap, odp_cap);
	*set = *prm_sub(&bufs->cur, capability.odp_cap, odp_cap);
	memory = prm_get(max, mem_page_fault) &&
		 prm_get(max, memory_page_fault_scheme_cap.page_prefetch);
	chosen = memory != prm_get(set, mem_page_fault);
	prm_set(set, mem_page_fault, memory);
	if (!memory)
		chosen |= add_transport_faults(set, max);
	return chosen ? set_caps(core, PRM_CAP_ODP, &bufs->set) : 0;
}

/* Sets the capabilities that the driver chooses. *owned: INIT_HCA takes the owner. */
static int choose_caps(struct cxr_core *core, bool *owned)
{
	struct cap_bufs *bufs = kvzalloc(sizeof(*bufs), GFP_KERNEL);
	bool roce, atomic, odp, port_selection;
	int err;

	if (!bufs)
		return -ENOMEM;

	err = set_general_caps(core, bufs);
	*owned = prm_get(&bufs->set, capability.cmd_hca_cap.sw_owner_id);
	roce = prm_get(&bufs->set, capability.cmd_hca_cap.roce);
	atomic = prm_get(&bufs->set, capability.cmd_hca_cap.atomic);
	odp = IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING) &&
	      prm_get(&bufs->set, capability.cmd_hca_cap.pg);
	port_selection = prm_get(&bufs->set, capability.cmd_hca_cap.port_selection_cap);
	if (!err && roce)
		err = set_roce_caps(core, bufs);
	if (!err && atomic)
		err = set_atomic_caps(core, bufs);
	if (!err && odp)
		err = set_odp_caps(core, bufs);
	if (!err && port_selection)
		err = set_port_selection_caps(core, bufs);
	kvfree(bufs);
	return err;
}

static void store_general_caps(struct cxr_dev *dev, const struct prm_cmd_hca_cap *cap)
{
	cxr_caps_decode_hca(cap, &dev->core.caps);
	dev->uar_4k = prm_get(cap, uar_4k);
	dev->relaxed_write = prm_get(cap, relaxed_ordering_write);
	dev->relaxed_read = prm_get(cap, relaxed_ordering_read);
	if (dev->core.caps.eswitch_manager && dev->core.caps.port_owner)
		dev->more_events |= BIT_ULL(PRM_EVENT_NIC_VPORT_CHANGE);
	if (prm_get(cap, temp_warn_event))
		dev->more_events |= BIT_ULL(PRM_EVENT_TEMP_WARN);
	if (prm_get(cap, general_notification_event))
		dev->more_events |= BIT_ULL(PRM_EVENT_GENERAL);
	if (dev->core.caps.dct)
		dev->more_events |= BIT_ULL(PRM_EVENT_DCT_DRAINED);
	/* for programs that arm a target of their own */
	if (dev->core.caps.dct && dev->core.caps.log_max_uctx)
		dev->more_events |= BIT_ULL(PRM_EVENT_DCT_KEY_VIOLATION);
}

/* For the vendor's tools only: a refusal is logged and ignored. */
static void set_driver_version(struct cxr_core *core)
{
	struct prm_set_driver_version_in in = {};
	struct prm_set_driver_version_out out;

	snprintf(prm_bytes(&in, driver_version),
		 sizeof(in.layout[0].driver_version) / BITS_PER_BYTE, "Linux,cxr_core,%.48s",
		 utsname()->release);
	cxr_cmd(core, set_driver_version, &in, &out);
}

static int read_eswitch_pages(struct cxr_core *core, struct prm_query_hca_cap_out *out)
{
	int err;

	err = query_caps(core, PRM_CAP_ESW_FLOW_TABLE, PRM_CAP_CUR, out);
	if (err)
		return err;
	cxr_caps_decode_fdb(prm_sub(out, capability.flow_table_eswitch_cap,
				    flow_table_eswitch_cap), &core->caps);
	err = query_caps(core, PRM_CAP_ESWITCH, PRM_CAP_CUR, out);
	if (err)
		return err;
	cxr_caps_decode_eswitch(prm_sub(out, capability.e_switch_cap, e_switch_cap), &core->caps);
	return 0;
}

static int read_user_events(struct cxr_core *core, struct prm_query_hca_cap_out *out)
{
	int err;

	if (!core->caps.log_max_uctx || !core->caps.event_cap)
		return 0;
	err = query_caps(core, PRM_CAP_EVENT, PRM_CAP_CUR, out);
	if (!err)
		cxr_caps_decode_events(prm_sub(out, capability.device_event_cap,
					       device_event_cap), &core->caps);
	return err;
}

static int read_rates(struct cxr_core *core, struct prm_query_hca_cap_out *out)
{
	int err;

	if (!core->caps.qos)
		return 0;
	err = query_caps(core, PRM_CAP_QOS, PRM_CAP_CUR, out);
	if (!err)
		cxr_caps_decode_qos(prm_sub(out, capability.qos_cap, qos_cap), &core->caps);
	return err;
}

/* In BAR 0, from which processes map whole pages: nothing else may be there. */
static int read_memory(struct cxr_core *core, struct prm_query_hca_cap_out *out)
{
	struct cxr_caps *caps = &core->caps;
	u64 start;
	u32 size;
	int err;

	err = query_caps(core, PRM_CAP_DEVICE_MEM, PRM_CAP_CUR, out);
	if (err)
		return err;
	cxr_caps_decode_memic(prm_sub(out, capability.device_mem_cap, device_mem_cap), caps);
	start = caps->memic_start;
	size = caps->memic_size;
	if (prm_get(out, capability.device_mem_cap.memic) &&
	    !cxr_caps_check_memic(caps, to_dev(core)->bar_len, PAGE_SIZE))
		dev_warn(core->dev, "device memory of %#x bytes at %#llx of BAR 0 is not usable\n",
			 size, start);
	return 0;
}

static int read_rdma_pages(struct cxr_core *core, struct prm_query_hca_cap_out *out)
{
	struct cxr_caps *caps = &core->caps;
	int err;

	if (caps->roce.roce) {
		err = query_caps(core, PRM_CAP_ROCE, PRM_CAP_CUR, out);
		if (err)
			return err;
		cxr_caps_decode_roce(prm_sub(out, capability.roce_cap, roce_cap), caps);
	}
	if (caps->atomic) {
		err = query_caps(core, PRM_CAP_ATOMIC, PRM_CAP_CUR, out);
		if (err)
			return err;
		cxr_caps_decode_atomic(prm_sub(out, capability.atomic_caps, atomic_caps), caps);
	}
	caps->odp = caps->odp && IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING);
	if (caps->odp) {
		err = query_caps(core, PRM_CAP_ODP, PRM_CAP_CUR, out);
		if (err)
			return err;
		cxr_caps_decode_odp(prm_sub(out, capability.odp_cap, odp_cap), caps);
	}
	if (caps->lag_hash) {
		err = query_caps(core, PRM_CAP_PORT_SELECTION, PRM_CAP_CUR, out);
		if (err)
			return err;
		cxr_caps_decode_port_selection(prm_sub(out, capability.port_selection_cap,
						       port_selection_cap), caps);
	}
	return 0;
}

/* The other capability pages, as announced by the general one, which is in @out. */
static int read_cap_pages(struct cxr_core *core, struct prm_query_hca_cap_out *out)
{
	bool flow = prm_get(out, capability.cmd_hca_cap.nic_flow_table);
	bool more = prm_get(out, capability.cmd_hca_cap.hca_cap_2);
	bool memory = prm_get(out, capability.cmd_hca_cap.device_memory);
	bool debug = prm_get(out, capability.cmd_hca_cap.debug);
	struct cxr_caps *caps = &core->caps;
	int err;

	if (prm_get(out, capability.cmd_hca_cap.eth_net_offloads)) {
		err = query_caps(core, PRM_CAP_ETHERNET, PRM_CAP_CUR, out);
		if (err)
			return err;
		cxr_caps_decode_eth(prm_sub(out, capability.per_protocol_networking_offload_caps,
					    per_protocol_networking_offload_caps), caps);
	}
	if (more) {
		err = query_caps(core, PRM_CAP_GENERAL_2, PRM_CAP_CUR, out);
		if (err)
			return err;
		cxr_caps_decode_hca_2(prm_sub(out, capability.cmd_hca_cap_2, cmd_hca_cap_2), caps);
	}
	/* in-tree, a function that may not read this page works without */
	caps->stall_detect = debug && !query_caps(core, PRM_CAP_DEBUG, PRM_CAP_CUR, out) &&
			     prm_get(out, capability.debug_cap.stall_detect);
	if (flow) {
		err = query_caps(core, PRM_CAP_FLOW_TABLE, PRM_CAP_CUR, out);
		if (err)
			return err;
		cxr_caps_decode_flow(prm_sub(out, capability.flow_table_nic_cap,
					     flow_table_nic_cap), caps);
	}
	err = read_user_events(core, out) ?: read_rates(core, out);
	if (!err && memory)
		err = read_memory(core, out);
	if (err)
		return err;
	if (caps->eswitch_manager && caps->port_owner) {
		err = read_eswitch_pages(core, out);
		if (err)
			return err;
	}
	return read_rdma_pages(core, out);
}

/* A port of a VPI card is of the type that is stored in its firmware. */
static int check_port(const struct cxr_core *core)
{
	if (core->caps.eth)
		return 0;
	dev_err(core->dev,
		"the port is in InfiniBand mode: set LINK_TYPE_P%u=2 with mlxconfig, and reset the card\n",
		core->caps.native_port ?: 1);
	return -EOPNOTSUPP;
}

/* Reads the current capabilities, to be used only after cxr_caps_check(). */
static int read_caps(struct cxr_dev *dev)
{
	struct cxr_caps *caps = &dev->core.caps;
	struct cxr_core *core = &dev->core;
	struct prm_query_hca_cap_out *out;
	const char *why = "";
	bool version;
	int err;

	out = kvzalloc(sizeof(*out), GFP_KERNEL);
	if (!out)
		return -ENOMEM;

	memset(caps, 0, sizeof(*caps));
	err = query_caps(core, PRM_CAP_GENERAL, PRM_CAP_CUR, out);
	if (err)
		goto out_free;
	store_general_caps(dev, prm_sub(out, capability.cmd_hca_cap, cmd_hca_cap));
	version = prm_get(out, capability.cmd_hca_cap.driver_version);
	err = check_port(core);
	if (!err)
		err = read_cap_pages(core, out);
	if (err)
		goto out_free;

	err = cxr_caps_check(caps, &why);
	if (err)
		dev_err(core->dev, "unsupported device: %s: update its firmware\n", why);
	else if (version)
		set_driver_version(core);
out_free:
	kvfree(out);
	return err;
}

static int query_adapter(struct cxr_core *core)
{
	struct prm_query_adapter_out out;
	struct prm_query_adapter_in in = {};
	const u8 *psid;
	int err;

	err = cxr_cmd(core, query_adapter, &in, &out);
	if (err)
		return err;

	core->vendor_id = prm_get(&out, query_adapter_struct.ieee_vendor_id);
	/* Not all firmware terminates the string. */
	psid = prm_bytes(&out, query_adapter_struct.vsd_contd_psid);
	memcpy(core->board_id, psid, 16);
	core->board_id[16] = '\0';
	return 0;
}

/*
 * The firmware lets functions share ports only if they have the same owner: one number for all
 * functions of this driver on this host, and another one on each host (unproven owner-id:
 * real-card.rst).
 */
static const u8 *owner_id(void)
{
	static u8 id[16];

	get_random_once(id, sizeof(id));
	return id;
}

static int init_hca(struct cxr_core *core, bool owned)
{
	struct prm_init_hca_in in = {};
	struct prm_init_hca_out out;

	memset(to_dev(core)->vxlan_kept, 0, sizeof(to_dev(core)->vxlan_kept));
	if (owned)
		memcpy(prm_bytes(&in, sw_owner_id), owner_id(), prm_width(&in, sw_owner_id) / 8);
	return cxr_cmd(core, init_hca, &in, &out);
}

static int query_special_keys(struct cxr_core *core)
{
	struct prm_query_special_contexts_in in = {};
	struct prm_query_special_contexts_out out;
	int err;

	core->terminate_lkey = PRM_WQE_LKEY_TERMINATE;
	if (!core->caps.terminate_lkey && !core->caps.odp_implicit)
		return 0;

	err = cxr_cmd(core, query_special_contexts, &in, &out);
	if (err)
		return err;
	if (core->caps.terminate_lkey)
		core->terminate_lkey = prm_get(&out, terminate_scatter_list_mkey);
	if (core->caps.odp_implicit)
		core->caps.null_key = prm_get(&out, null_mkey);
	return 0;
}

static void teardown_hca(struct cxr_core *core)
{
	struct prm_teardown_hca_in in = {};
	struct prm_teardown_hca_out out;

	prm_set(&in, profile, PRM_TEARDOWN_GRACEFUL);
	cxr_cmd(core, teardown_hca, &in, &out);
}

static void read_firmware_version(struct cxr_dev *dev)
{
	u32 rev = ioread32be(&dev->iseg->fw_rev);

	dev->core.fw_major = rev & 0xffff;
	dev->core.fw_minor = rev >> 16;
	dev->core.fw_sub = ioread32be(&dev->iseg->cmdif_rev_fw_sub) & 0xffff;
}

static int start_hca(struct cxr_dev *dev)
{
	struct cxr_core *core = &dev->core;
	bool owned;
	int err;

	err = set_issi(core);
	if (err)
		return err;
	err = cxr_pages_give_startup(dev, true);
	if (err)
		return err;
	err = set_host_endianness(dev);
	if (err)
		return err;
	err = choose_caps(core, &owned);
	if (err)
		return err;
	err = cxr_pages_give_startup(dev, false);
	if (err)
		return err;
	return init_hca(core, owned);
}

/* ---- virtual functions ----------------------------------------------------------------------- */

/* What it may have, which is also what SET_HCA_CAP takes. */
static int query_vf_caps(struct cxr_core *core, u16 func, struct prm_query_hca_cap_out *out)
{
	struct prm_query_hca_cap_in in = {};

	prm_set(&in, op_mod, PRM_CAP_GENERAL << 1 | PRM_CAP_MAX);
	prm_set(&in, other_function, 1);
	prm_set(&in, function_id, func);
	return cxr_cmd(core, query_hca_cap, &in, out);
}

int cxr_cmd_query_vf_roce(struct cxr_core *core, u16 func, bool *on)
{
	struct prm_query_hca_cap_out *out;
	int err;

	out = kvmalloc(sizeof(*out), GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	err = query_vf_caps(core, func, out);
	if (!err)
		*on = prm_get(out, capability.cmd_hca_cap.roce);
	kvfree(out);
	return err;
}

int cxr_cmd_set_vf_roce(struct cxr_core *core, u16 func, bool on)
{
	struct prm_set_hca_cap_out out;
	struct prm_cmd_hca_cap *set;
	struct cap_bufs *bufs;
	int err;

	bufs = kvzalloc(sizeof(*bufs), GFP_KERNEL);
	if (!bufs)
		return -ENOMEM;
	err = query_vf_caps(core, func, &bufs->max);
	if (err)
		goto out_free;
	set = prm_sub(&bufs->set, capability.cmd_hca_cap, cmd_hca_cap);
	*set = *prm_sub(&bufs->max, capability.cmd_hca_cap, cmd_hca_cap);
	prm_set(set, roce, on);
	prm_set(&bufs->set, op_mod, PRM_CAP_GENERAL << 1);
	prm_set(&bufs->set, other_function, 1);
	prm_set(&bufs->set, function_id, func);
	err = cxr_cmd(core, set_hca_cap, &bufs->set, &out);
out_free:
	kvfree(bufs);
	return err;
}

/* ---- the stage ------------------------------------------------------------------------------- */

/* A device that stays enabled could not be enabled again. */
static void give_up_hca(struct cxr_dev *dev)
{
	cxr_pages_reclaim_all(dev);
	if (cxr_cmd_disable_hca(&dev->core, 0))
		dev->needs_reset = true;
	cxr_pages_free_unreturned(dev);
}

int cxr_hca_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_core *core = &dev->core;
	int err;

	read_firmware_version(dev);
	cxr_l2_reset(dev);
	err = cxr_cmd_enable_hca(core, 0);
	if (err)
		return err;
	err = start_hca(dev);
	if (err)
		goto err_disable;
	err = read_caps(dev);
	if (!err)
		err = query_adapter(core);
	if (!err)
		err = query_special_keys(core);
	if (err)
		goto err_teardown;
	cxr_roce_grant(dev);
	cxr_flow_init(dev);
	return 0;

err_teardown:
	teardown_hca(core);
err_disable:
	give_up_hca(dev);
	return err;
}

void cxr_hca_down(void *owner)
{
	struct cxr_dev *dev = owner;

	cxr_flow_down(dev);
	teardown_hca(&dev->core);
	give_up_hca(dev);
}
