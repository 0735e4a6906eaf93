// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Commands for the vport, the port's registers, and the RoCE address table. */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/slab.h>

#include "prm/cmdif.h"
#include "prm/counter.h"
#include "prm/dcb.h"
#include "prm/port.h"
#include "prm/vport.h"
#include "core.h"

/* included in the device's MTU, but not in that of the netdev */
#define HW_MTU_EXTRA	(ETH_HLEN + VLAN_HLEN + ETH_FCS_LEN)
#define NODE_DESC_BYTES	64

/* ---- vport ----------------------------------------------------------------------------------- */

int cxr_cmd_query_vport(struct cxr_core *core, struct cxr_vport *vport)
{
	struct prm_query_nic_vport_context_in in = {};
	struct prm_query_nic_vport_context_out out;
	const struct prm_nic_vport_context *ctx;
	u16 mac_hi;
	u32 mac_lo;
	int err;

	err = cxr_cmd(core, query_nic_vport_context, &in, &out);
	if (err)
		return err;

	ctx = prm_sub(&out, nic_vport_context, nic_vport_context);
	mac_hi = prm_get(ctx, permanent_address.mac_addr_47_32);
	mac_lo = prm_get(ctx, permanent_address.mac_addr_31_0);
	u64_to_ether_addr((u64)mac_hi << 32 | mac_lo, vport->mac);
	vport->mtu = prm_get(ctx, mtu);
	vport->min_inline_mode = prm_get(ctx, min_wqe_inline_mode);
	vport->roce_enabled = prm_get(ctx, roce_en);
	vport->node_guid = cpu_to_be64(prm_get64(ctx, node_guid));
	vport->sys_image_guid = cpu_to_be64(prm_get64(ctx, system_image_guid));
	vport->bad_qkeys = prm_get(ctx, qkey_violation_counter);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_vport);

int cxr_cmd_query_min_inline(struct cxr_core *core, u8 *mode)
{
	struct cxr_vport vport;
	int err;

	switch (core->caps.wqe_inline_mode) {
	case PRM_INLINE_MODE_L2:
		*mode = PRM_VPORT_INLINE_L2;
		return 0;
	case PRM_INLINE_MODE_VPORT:
		err = cxr_cmd_query_vport(core, &vport);
		if (!err)
			*mode = min_t(u8, vport.min_inline_mode, PRM_VPORT_INLINE_TCP);
		return err;
	default:
		*mode = PRM_VPORT_INLINE_NONE;
		return 0;
	}
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_min_inline);

static int modify_vport(struct cxr_core *core, struct prm_modify_nic_vport_context_in *in, u32 len)
{
	struct prm_modify_nic_vport_context_out out;

	return cxr_cmd_len(core, modify_nic_vport_context, in, len, &out, sizeof(out));
}

int cxr_cmd_set_vport_roce(struct cxr_core *core, bool on)
{
	struct prm_modify_nic_vport_context_in in = {};

	prm_set(&in, field_select.roce_en, 1);
	prm_set(&in, nic_vport_context.roce_en, on);
	return modify_vport(core, &in, sizeof(in));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_vport_roce);

int cxr_cmd_set_vport_loopback(struct cxr_core *core, bool on)
{
	struct prm_modify_nic_vport_context_in in = {};

	if (!core->caps.vport_lb_uc && !core->caps.vport_lb_mc)
		return 0;

	prm_set(&in, field_select.disable_uc_local_lb, core->caps.vport_lb_uc);
	prm_set(&in, field_select.disable_mc_local_lb, core->caps.vport_lb_mc);
	prm_set(&in, nic_vport_context.disable_uc_local_lb, core->caps.vport_lb_uc && !on);
	prm_set(&in, nic_vport_context.disable_mc_local_lb, core->caps.vport_lb_mc && !on);
	return modify_vport(core, &in, sizeof(in));
}

int cxr_cmd_set_vport_promisc(struct cxr_core *core, bool promisc, bool allmulti)
{
	struct prm_modify_nic_vport_context_in in = {};

	prm_set(&in, field_select.promisc, 1);
	prm_set(&in, nic_vport_context.promisc_all, promisc);
	prm_set(&in, nic_vport_context.promisc_mc, allmulti);
	return modify_vport(core, &in, sizeof(in));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_vport_promisc);

int cxr_cmd_set_vport_macs(struct cxr_core *core, bool multicast, const u8 macs[][ETH_ALEN], u32 n)
{
	u8 log_max = multicast ? core->caps.log_max_current_mc_list :
				 core->caps.log_max_current_uc_list;
	struct prm_modify_nic_vport_context_in *in;
	struct prm_mac_address_layout *list;
	size_t len;
	u32 i;
	int err;

	if (n > BIT(log_max))
		return -ENOSPC;

	len = sizeof(*in) + n * sizeof(*list);
	in = kvzalloc(len, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	prm_set(in, field_select.addresses_list, 1);
	prm_set(in, nic_vport_context.allowed_list_type, multicast ?
		PRM_VPORT_LIST_MC : PRM_VPORT_LIST_UC);
	prm_set(in, nic_vport_context.allowed_list_size, n);
	list = prm_tail(in);
	for (i = 0; i < n; i++) {
		u64 addr = ether_addr_to_u64(macs[i]);

		prm_set(&list[i], mac_addr_47_32, addr >> 32);
		prm_set(&list[i], mac_addr_31_0, addr);
	}
	err = modify_vport(core, in, len);
	kvfree(in);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_vport_macs);

static int delete_l2_entry(struct cxr_core *core, u32 index)
{
	struct prm_delete_l2_table_entry_in in = {};
	struct prm_delete_l2_table_entry_out out;

	prm_set(&in, table_index, index);
	return cxr_cmd(core, delete_l2_table_entry, &in, &out);
}

int cxr_cmd_set_l2_entry(struct cxr_core *core, u32 index, const u8 *mac)
{
	struct prm_set_l2_table_entry_in in = {};
	struct prm_set_l2_table_entry_out out;
	u64 addr;

	if (!mac)
		return delete_l2_entry(core, index);

	addr = ether_addr_to_u64(mac);
	prm_set(&in, table_index, index);
	prm_set(&in, mac_address.mac_addr_47_32, addr >> 32);
	prm_set(&in, mac_address.mac_addr_31_0, addr);
	return cxr_cmd(core, set_l2_table_entry, &in, &out);
}

int cxr_cmd_query_vport_counters(struct cxr_core *core, u16 vport,
				 struct cxr_traffic traffic[CXR_VPORT_COUNTERS])
{
	struct prm_query_vport_counter_in in = {};
	struct prm_query_vport_counter_out out;
	int err;

	prm_set(&in, other_vport, !!vport);
	prm_set(&in, vport_number, vport);
	err = cxr_cmd(core, query_vport_counter, &in, &out);
	if (!err)
		cxr_vport_counters_decode(&out, traffic);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_vport_counters);

int cxr_cmd_query_vnic_env(struct cxr_core *core, u64 values[CXR_VNIC_COUNTERS])
{
	struct prm_query_vnic_env_in in = {};
	struct prm_query_vnic_env_out out;
	int err;

	err = cxr_cmd(core, query_vnic_env, &in, &out);
	if (!err)
		cxr_vnic_counters_decode(&out, values);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_vnic_env);

int cxr_cmd_query_cong_counters(struct cxr_core *core, u64 *values)
{
	struct prm_query_cong_statistics_in in = {};
	struct prm_query_cong_statistics_out out;
	int err;

	err = cxr_cmd(core, query_cong_statistics, &in, &out);
	if (err)
		return err;

	cxr_cong_counters_decode(&out, values);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_cong_counters);

int cxr_cmd_query_vport_state(struct cxr_core *core, bool *up)
{
	struct prm_query_vport_state_in in = {};
	struct prm_query_vport_state_out out;
	int err;

	prm_set(&in, op_mod, PRM_VPORT_VNIC);
	err = cxr_cmd(core, query_vport_state, &in, &out);
	if (err)
		return err;

	*up = prm_get(&out, state) == PRM_VPORT_UP;
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_vport_state);

/* ---- registers of the port ------------------------------------------------------------------- */

/* ACCESS_REGISTER: @data of @len bytes is input and output. @run: cxr_cmd_exec or cxr_cmd_try. */
static int run_reg(struct cxr_core *core, u16 reg, u8 op, void *data, u32 len,
		   int (*run)(struct cxr_core *core, void *in, u32 inlen, void *out, u32 outlen))
{
	struct prm_access_register_out *out;
	struct prm_access_register_in *in;
	int err = -ENOMEM;

	in = kzalloc(sizeof(*in) + len, GFP_KERNEL);
	out = kzalloc(sizeof(*out) + len, GFP_KERNEL);
	if (!in || !out)
		goto out_free;

	prm_set(in, opcode, PRM_OP_access_register);
	prm_set(in, op_mod, op);
	prm_set(in, register_id, reg);
	memcpy(prm_tail(in), data, len);
	err = run(core, in, sizeof(*in) + len, out, sizeof(*out) + len);
	if (!err)
		memcpy(data, prm_tail(out), len);
out_free:
	kfree(out);
	kfree(in);
	return err;
}

int cxr_reg_read(struct cxr_core *core, u16 reg, void *data, u32 len)
{
	return run_reg(core, reg, PRM_ACCESS_REG_READ, data, len, cxr_cmd_exec);
}

int cxr_reg_write(struct cxr_core *core, u16 reg, void *data, u32 len)
{
	return run_reg(core, reg, PRM_ACCESS_REG_WRITE, data, len, cxr_cmd_exec);
}

/* For what is not of our function alone. */
static int try_reg(struct cxr_core *core, u16 reg, u8 op, void *data, u32 len)
{
	return run_reg(core, reg, op, data, len, cxr_cmd_try);
}

int cxr_cmd_query_link(struct cxr_core *core, struct cxr_link *link)
{
	struct prm_ptys_reg ptys = {};
	int err;

	memset(link, 0, sizeof(*link));
	prm_set(&ptys, local_port, CXR_LOCAL_PORT);
	prm_set(&ptys, proto_mask, PRM_PTYS_ETH);
	err = cxr_reg_read(core, PRM_REG_PTYS, &ptys, sizeof(ptys));
	if (!err)
		cxr_link_decode(&ptys, link);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_link);

int cxr_cmd_set_link(struct cxr_core *core, bool ext, u32 protos, bool autoneg)
{
	struct prm_ptys_reg ptys = {};

	prm_set(&ptys, local_port, CXR_LOCAL_PORT);
	prm_set(&ptys, proto_mask, PRM_PTYS_ETH);
	prm_set(&ptys, an_disable_admin, !autoneg);
	if (ext)
		prm_set(&ptys, ext_eth_proto_admin, protos);
	else
		prm_set(&ptys, eth_proto_admin, protos);
	return try_reg(core, PRM_REG_PTYS, PRM_ACCESS_REG_WRITE, &ptys, sizeof(ptys));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_link);

int cxr_cmd_query_link_down(struct cxr_core *core, u16 *opcode)
{
	struct prm_pddr_reg pddr = {};
	int err;

	prm_set(&pddr, local_port, CXR_LOCAL_PORT);
	prm_set(&pddr, page_select, PRM_PDDR_TROUBLESHOOTING);
	prm_set(&pddr, page_data.pddr_troubleshooting_page.group_opcode, PRM_PDDR_MONITOR);
	err = try_reg(core, PRM_REG_PDDR, PRM_ACCESS_REG_READ, &pddr, sizeof(pddr));
	if (!err)
		*opcode = prm_get(&pddr, page_data.pddr_troubleshooting_page.status_opcode
					 .pddr_monitor_opcode.monitor_opcode);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_link_down);

int cxr_cmd_query_fec_support(struct cxr_core *core, struct cxr_fec_support *support)
{
	struct prm_pcam_reg pcam;
	int err;

	err = cxr_pcam_read(core, &pcam);
	if (err)
		return err;
	support->pplm = prm_get(&pcam, port_access_reg_cap_mask.regs_5000_to_507f.pplm);
	support->lanes_50g =
		prm_get(&pcam, feature_cap_mask.enhanced_features.fec_50G_per_lane_in_pplm);
	support->lanes_100g =
		prm_get(&pcam, feature_cap_mask.enhanced_features.fec_100G_per_lane_in_pplm);
	support->counts =
		prm_get(&pcam, feature_cap_mask.enhanced_features.ppcnt_statistical_group);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_fec_support);

static int read_pplm(struct cxr_core *core, struct prm_pplm_reg *pplm)
{
	memset(pplm, 0, sizeof(*pplm));
	prm_set(pplm, local_port, CXR_LOCAL_PORT);
	/* ethtool asks often */
	return try_reg(core, PRM_REG_PPLM, PRM_ACCESS_REG_READ, pplm, sizeof(*pplm));
}

int cxr_cmd_query_fec(struct cxr_core *core, const struct cxr_fec_support *support,
		      struct cxr_fec *fec)
{
	struct prm_pplm_reg pplm;
	int err;

	err = read_pplm(core, &pplm);
	if (!err)
		cxr_fec_decode(&pplm, support, fec);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_fec);

int cxr_cmd_set_fec(struct cxr_core *core, const struct cxr_fec_support *support, u32 fec)
{
	struct prm_pplm_reg pplm;
	int err;

	err = read_pplm(core, &pplm) ?: cxr_fec_encode(fec, support, &pplm);
	if (err)
		return err;
	prm_set(&pplm, local_port, CXR_LOCAL_PORT);
	return try_reg(core, PRM_REG_PPLM, PRM_ACCESS_REG_WRITE, &pplm, sizeof(pplm));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_fec);

int cxr_cmd_set_beacon(struct cxr_core *core, bool on)
{
	struct prm_mlcr_reg mlcr = {};

	prm_set(&mlcr, local_port, CXR_LOCAL_PORT);
	prm_set(&mlcr, beacon_duration, on ? PRM_BEACON_ENDLESS : 0);
	return try_reg(core, PRM_REG_MLCR, PRM_ACCESS_REG_WRITE, &mlcr, sizeof(mlcr));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_beacon);

int cxr_cmd_query_max_mtu(struct cxr_core *core, u16 *mtu)
{
	struct prm_pmtu_reg pmtu = {};
	u16 hw_mtu;
	int err;

	prm_set(&pmtu, local_port, CXR_LOCAL_PORT);
	err = cxr_reg_read(core, PRM_REG_PMTU, &pmtu, sizeof(pmtu));
	if (err)
		return err;

	hw_mtu = prm_get(&pmtu, max_mtu);
	*mtu = hw_mtu > HW_MTU_EXTRA ? hw_mtu - HW_MTU_EXTRA : 0;
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_max_mtu);

int cxr_cmd_query_flow_control(struct cxr_core *core, struct cxr_flow_control *fc)
{
	struct prm_pfcc_reg pfcc = {};
	int err;

	memset(fc, 0, sizeof(*fc));
	prm_set(&pfcc, local_port, CXR_LOCAL_PORT);
	err = try_reg(core, PRM_REG_PFCC, PRM_ACCESS_REG_READ, &pfcc, sizeof(pfcc));
	if (err)
		return err;

	fc->pause.rx = prm_get(&pfcc, pprx);
	fc->pause.tx = prm_get(&pfcc, pptx);
	fc->pfc_rx = prm_get(&pfcc, pfcrx);
	fc->pfc_tx = prm_get(&pfcc, pfctx);
	fc->own_buffers = prm_get(&pfcc, buf_ownership) == PRM_BUF_OWNER_SOFTWARE;
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_flow_control);

/* Priorities whose mask bits are 0 stay as they are. */
int cxr_cmd_set_pause(struct cxr_core *core, const struct cxr_pause *pause)
{
	struct prm_pfcc_reg pfcc = {};

	prm_set(&pfcc, local_port, CXR_LOCAL_PORT);
	prm_set(&pfcc, pprx, pause->rx);
	prm_set(&pfcc, pptx, pause->tx);
	return try_reg(core, PRM_REG_PFCC, PRM_ACCESS_REG_WRITE, &pfcc, sizeof(pfcc));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_pause);

/* The uplink of an e-switch has a state of its own, and the last driver may have left it down. */
static int set_uplink(struct cxr_core *core, bool up)
{
	struct prm_modify_vport_state_in in = {};
	struct prm_modify_vport_state_out out;

	prm_set(&in, op_mod, PRM_VPORT_UPLINK);
	prm_set(&in, admin_state, up ? PRM_VPORT_AUTO : PRM_VPORT_DOWN);
	return cxr_cmd(core, modify_vport_state, &in, &out);
}

static int set_paos(struct cxr_core *core, u8 status)
{
	struct prm_paos_reg paos = {};

	prm_set(&paos, local_port, CXR_LOCAL_PORT);
	prm_set(&paos, admin_status, status);
	prm_set(&paos, ase, 1);
	return try_reg(core, PRM_REG_PAOS, PRM_ACCESS_REG_WRITE, &paos, sizeof(paos));
}

int cxr_cmd_set_port_admin(struct cxr_core *core, bool up)
{
	int err;

	err = set_paos(core, up ? PRM_PORT_UP : PRM_PORT_DOWN);
	if (err || !core->caps.uplink_follow)
		return err;
	return set_uplink(core, up);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_port_admin);

int cxr_cmd_toggle_port(struct cxr_core *core)
{
	struct prm_paos_reg paos = {};
	u8 status;
	int err;

	prm_set(&paos, local_port, CXR_LOCAL_PORT);
	err = try_reg(core, PRM_REG_PAOS, PRM_ACCESS_REG_READ, &paos, sizeof(paos));
	status = prm_get(&paos, admin_status);
	if (err || status != PRM_PORT_UP)
		return err;
	err = set_paos(core, PRM_PORT_DOWN);
	if (err)
		return err;
	/* a link that stays down is worse than a setting that waits for the next time */
	err = set_paos(core, PRM_PORT_UP);
	return err ? set_paos(core, PRM_PORT_UP) : 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_toggle_port);

int cxr_cmd_set_port_mtu(struct cxr_core *core, u16 mtu)
{
	struct prm_modify_nic_vport_context_in in = {};
	struct prm_modify_nic_vport_context_out out;
	u32 hw_mtu = mtu + HW_MTU_EXTRA;
	struct prm_pmtu_reg pmtu = {};
	int err;

	if (hw_mtu > U16_MAX)
		return -EINVAL;

	prm_set(&pmtu, local_port, CXR_LOCAL_PORT);
	prm_set(&pmtu, admin_mtu, hw_mtu);
	err = try_reg(core, PRM_REG_PMTU, PRM_ACCESS_REG_WRITE, &pmtu, sizeof(pmtu));
	if (err)
		return err;

	prm_set(&in, opcode, PRM_OP_modify_nic_vport_context);
	prm_set(&in, field_select.mtu, 1);
	prm_set(&in, nic_vport_context.mtu, hw_mtu);
	cxr_cmd_try(core, &in, sizeof(in), &out, sizeof(out));
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_port_mtu);

static int read_pmlp(struct cxr_core *core, struct prm_pmlp_reg *pmlp)
{
	memset(pmlp, 0, sizeof(*pmlp));
	prm_set(pmlp, local_port, CXR_LOCAL_PORT);
	return try_reg(core, PRM_REG_PMLP, PRM_ACCESS_REG_READ, pmlp, sizeof(*pmlp));
}

static int module_number(struct cxr_core *core, u32 *number)
{
	struct prm_pmlp_reg pmlp;
	int err;

	err = read_pmlp(core, &pmlp);
	if (!err)
		*number = prm_get(&pmlp, lane0_module_mapping) & 0xff;
	return err;
}

static int module_error(u8 status)
{
	switch (status) {
	case PRM_MCIA_GOOD:
		return 0;
	case PRM_MCIA_NO_EEPROM_MODULE:
	case PRM_MCIA_MODULE_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	case PRM_MCIA_MODULE_NOT_CONNECTED:
		return -ENXIO;
	case PRM_MCIA_MODULE_DISABLED:
		return -ENETDOWN;
	default:
		return -EREMOTEIO;
	}
}

int cxr_cmd_read_module(struct cxr_core *core, const struct cxr_module_place *place, u8 *data,
			u32 len)
{
	u32 done, n, number;
	int err;

	err = module_number(core, &number);
	if (err)
		return err;
	for (done = 0; done < len; done += n) {
		struct prm_mcia_reg mcia = {};

		n = min_t(u32, len - done, PRM_MCIA_MAX);
		prm_set(&mcia, module, number);
		prm_set(&mcia, i2c_device_address, place->i2c_address);
		prm_set(&mcia, page_number, place->page);
		prm_set(&mcia, device_address, place->offset + done);
		prm_set(&mcia, size, n);
		err = try_reg(core, PRM_REG_MCIA, PRM_ACCESS_REG_READ, &mcia, sizeof(mcia));
		err = err ?: module_error(prm_get(&mcia, status));
		if (err)
			return err;
		memcpy(data + done, prm_bytes(&mcia, dwords), n);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_read_module);

/* A working device does not give a register away. */
static bool withheld(struct cxr_core *core, int err)
{
	return err && !cxr_core_dead(core);
}

int cxr_cap_reg_read(struct cxr_core *core, u16 reg, void *data, u32 len)
{
	int err = try_reg(core, reg, PRM_ACCESS_REG_READ, data, len);

	if (!withheld(core, err))
		return err;
	memset(data, 0, len);
	return 0;
}

int cxr_pcam_read(struct cxr_core *core, struct prm_pcam_reg *pcam)
{
	memset(pcam, 0, sizeof(*pcam));
	return core->caps.pcam_reg ? cxr_cap_reg_read(core, PRM_REG_PCAM, pcam, sizeof(*pcam)) : 0;
}

/* @run: cxr_cmd_exec or cxr_cmd_try. */
static int read_ppcnt(struct cxr_core *core, u8 group, struct prm_ppcnt_reg *ppcnt,
		      int (*run)(struct cxr_core *core, void *in, u32 inlen, void *out,
				 u32 outlen))
{
	if (prm_get(ppcnt, pnat) != PRM_PNAT_HOST)
		prm_set(ppcnt, local_port, CXR_LOCAL_PORT);
	prm_set(ppcnt, grp, group);
	return run_reg(core, PRM_REG_PPCNT, PRM_ACCESS_REG_READ, ppcnt, sizeof(*ppcnt), run);
}

int cxr_cmd_query_icrc_errors(struct cxr_core *core, u64 *errors)
{
	const struct prm_eth_extended_cntrs_grp_data_layout *set;
	struct prm_ppcnt_reg ppcnt = {};
	int err;

	err = read_ppcnt(core, PRM_PPCNT_ETH_EXTENDED, &ppcnt, cxr_cmd_exec);
	if (err)
		return err;

	set = prm_sub(&ppcnt, counter_set.eth_extended_cntrs_grp_data_layout,
		      eth_extended_cntrs_grp_data_layout);
	*errors = (u64)prm_get(set, rx_icrc_encapsulated_high) << 32 |
		  prm_get(set, rx_icrc_encapsulated_low);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_icrc_errors);

int cxr_cmd_query_icrc_counted(struct cxr_core *core, bool *counted)
{
	struct prm_ppcnt_reg ppcnt = {};
	struct prm_pcam_reg pcam;
	int err;

	*counted = false;
	err = cxr_pcam_read(core, &pcam);
	if (err ||
	    !prm_get(&pcam, feature_cap_mask.enhanced_features.rx_icrc_encapsulated_counter))
		return err;

	err = read_ppcnt(core, PRM_PPCNT_ETH_EXTENDED, &ppcnt, cxr_cmd_try);
	*counted = !err;
	return withheld(core, err) ? 0 : err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_icrc_counted);

int cxr_cmd_query_phy_counters(struct cxr_core *core, enum cxr_phy_group group, u64 *values)
{
	struct prm_ppcnt_reg ppcnt = {};
	int err;

	err = read_ppcnt(core, cxr_phy_group_number(group), &ppcnt, cxr_cmd_try);
	if (err)
		return err;

	cxr_phy_counters_decode(group, &ppcnt, values);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_phy_counters);

int cxr_cmd_query_fec_blocks(struct cxr_core *core, u32 active, struct cxr_fec_blocks *blocks)
{
	struct prm_ppcnt_reg ppcnt = {};
	struct prm_pmlp_reg pmlp = {};
	int err = 0;

	if (cxr_fec_by_lane(active))
		err = read_pmlp(core, &pmlp);
	err = err ?: read_ppcnt(core, PRM_PPCNT_PHYS_LAYER, &ppcnt, cxr_cmd_try);
	if (!err)
		cxr_fec_blocks_decode(active, prm_get(&pmlp, width), &ppcnt, blocks);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_fec_blocks);

int cxr_cmd_query_prio_counters(struct cxr_core *core, u8 prio, u64 *values)
{
	struct prm_ppcnt_reg ppcnt = {};
	int err;

	prm_set(&ppcnt, prio_tc, prio);
	err = read_ppcnt(core, PRM_PPCNT_PER_PRIORITY, &ppcnt, cxr_cmd_try);
	if (!err)
		cxr_prio_counters_decode(&ppcnt, values);
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_prio_counters);

int cxr_cmd_query_tc_counters(struct cxr_core *core, u8 tc, u64 *values)
{
	static const u8 groups[] = { PRM_PPCNT_PER_TC, PRM_PPCNT_PER_TC_CONGESTION };
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(groups); i++) {
		struct prm_ppcnt_reg ppcnt = {};

		prm_set(&ppcnt, pnat, PRM_PNAT_HOST);
		prm_set(&ppcnt, prio_tc, tc);
		err = read_ppcnt(core, groups[i], &ppcnt, cxr_cmd_try);
		if (!err)
			cxr_tc_counters_decode(groups[i], &ppcnt, values);
	}
	return err;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_tc_counters);

int cxr_cmd_query_ib_port(struct cxr_core *core, struct cxr_ib_port_counters *counters)
{
	const struct prm_ib_port_cntrs_grp_data_layout *set;
	struct prm_ppcnt_reg ppcnt = {};
	int err;

	err = read_ppcnt(core, PRM_PPCNT_IB, &ppcnt, cxr_cmd_exec);
	if (err)
		return err;

	set = prm_sub(&ppcnt, counter_set.ib_port_cntrs_grp_data_layout,
		      ib_port_cntrs_grp_data_layout);
	counters->symbol_error = prm_get(set, symbol_error_counter);
	counters->link_error_recovery = prm_get(set, link_error_recovery_counter);
	counters->link_downed = prm_get(set, link_downed_counter);
	counters->rcv_errors = prm_get(set, port_rcv_errors);
	counters->rcv_remphys_errors = prm_get(set, port_rcv_remote_physical_errors);
	counters->rcv_switch_relay_errors = prm_get(set, port_rcv_switch_relay_errors);
	counters->xmit_discards = prm_get(set, port_xmit_discards);
	counters->xmit_constraint_errors = prm_get(set, port_xmit_constraint_errors);
	counters->rcv_constraint_errors = prm_get(set, port_rcv_constraint_errors);
	counters->link_overrun_errors = prm_get(set, link_overrun_errors);
	counters->vl15_dropped = prm_get(set, vl_15_dropped);
	counters->xmit_wait = prm_get(set, port_xmit_wait);
	return 0;
}
EXPORT_SYMBOL_GPL(cxr_cmd_query_ib_port);

int cxr_cmd_get_node_desc(struct cxr_core *core, u8 desc[64])
{
	memset(desc, 0, NODE_DESC_BYTES);
	return cxr_reg_read(core, PRM_REG_NODE_DESC, desc, NODE_DESC_BYTES);
}
EXPORT_SYMBOL_GPL(cxr_cmd_get_node_desc);

int cxr_cmd_set_node_desc(struct cxr_core *core, const u8 desc[64])
{
	u8 data[NODE_DESC_BYTES];

	memcpy(data, desc, sizeof(data));
	return cxr_reg_write(core, PRM_REG_NODE_DESC, data, sizeof(data));
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_node_desc);

/* ---- RoCE address table ---------------------------------------------------------------------- */

int cxr_cmd_set_roce_address(struct cxr_core *core, u16 index, const struct cxr_gid_entry *entry)
{
	struct prm_set_roce_address_in in = {};
	struct prm_set_roce_address_out out;

	if (index >= core->caps.roce_addresses)
		return -EINVAL;

	prm_set(&in, roce_address_index, index);
	if (core->caps.num_vhca_ports)
		prm_set(&in, vhca_port_num, CXR_LOCAL_PORT);
	if (entry)
		cxr_roce_addr_encode(prm_sub(&in, roce_address, roce_addr_layout), entry);
	return cxr_cmd(core, set_roce_address, &in, &out);
}
EXPORT_SYMBOL_GPL(cxr_cmd_set_roce_address);
