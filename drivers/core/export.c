// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Exports of codec and policy, whose files are independent of the kernel. */
#include <linux/export.h>

#include "../codec/addrpath.h"
#include "../codec/caps.h"
#include "../codec/cong.h"
#include "../codec/counter.h"
#include "../codec/cqe.h"
#include "../codec/devx.h"
#include "../codec/fault.h"
#include "../codec/fec.h"
#include "../codec/flow.h"
#include "../codec/link.h"
#include "../codec/ntuple.h"
#include "../codec/phy_counter.h"
#include "../codec/umr.h"
#include "../codec/wqe.h"
#include "../policy/dc.h"
#include "../policy/dcb.h"
#include "../policy/ecmp.h"
#include "../policy/gid.h"
#include "../policy/limits.h"
#include "../policy/mode.h"
#include "../policy/path.h"
#include "../policy/rx.h"
#include "../policy/tclass.h"

EXPORT_SYMBOL_GPL(cxr_av_decode);
EXPORT_SYMBOL_GPL(cxr_av_encode);
EXPORT_SYMBOL_GPL(cxr_caps_missing_eth);
EXPORT_SYMBOL_GPL(cxr_cong_params);
EXPORT_SYMBOL_GPL(cxr_counter_name);
EXPORT_SYMBOL_GPL(cxr_counter_present);
EXPORT_SYMBOL_GPL(cxr_cqe_decode_other);
EXPORT_SYMBOL_GPL(cxr_cqe_session_load);
EXPORT_SYMBOL_GPL(cxr_cqe_session_start);
EXPORT_SYMBOL_GPL(cxr_cqe_session_take);
EXPORT_SYMBOL_GPL(cxr_cqe_syndrome_text);
EXPORT_SYMBOL_GPL(cxr_devx_allowed);
EXPORT_SYMBOL_GPL(cxr_devx_check_create);
EXPORT_SYMBOL_GPL(cxr_devx_cq_eqn);
EXPORT_SYMBOL_GPL(cxr_devx_created);
EXPORT_SYMBOL_GPL(cxr_devx_destroy_umem);
EXPORT_SYMBOL_GPL(cxr_devx_event_allowed);
EXPORT_SYMBOL_GPL(cxr_devx_event_fits);
EXPORT_SYMBOL_GPL(cxr_devx_event_key);
EXPORT_SYMBOL_GPL(cxr_devx_event_source);
EXPORT_SYMBOL_GPL(cxr_devx_flow_counters);
EXPORT_SYMBOL_GPL(cxr_devx_mkey_parts);
EXPORT_SYMBOL_GPL(cxr_devx_is_public);
EXPORT_SYMBOL_GPL(cxr_devx_kind);
EXPORT_SYMBOL_GPL(cxr_devx_object);
EXPORT_SYMBOL_GPL(cxr_devx_opcode);
EXPORT_SYMBOL_GPL(cxr_devx_set_uid);
EXPORT_SYMBOL_GPL(cxr_devx_use_umems);
EXPORT_SYMBOL_GPL(cxr_wqe_opcode_text);
EXPORT_SYMBOL_GPL(cxr_fault_decode);
EXPORT_SYMBOL_GPL(cxr_fault_ends);
EXPORT_SYMBOL_GPL(cxr_fault_send_bytes);
EXPORT_SYMBOL_GPL(cxr_fault_walk_begin);
EXPORT_SYMBOL_GPL(cxr_fault_walk_next);
EXPORT_SYMBOL_GPL(cxr_fec_corrects);
EXPORT_SYMBOL_GPL(cxr_fec_ethtool);
EXPORT_SYMBOL_GPL(cxr_fec_modes);
EXPORT_SYMBOL_GPL(cxr_flow_criteria);
EXPORT_SYMBOL_GPL(cxr_flow_decode);
EXPORT_SYMBOL_GPL(cxr_flow_ethertype);
EXPORT_SYMBOL_GPL(cxr_flow_ip_by_type);
EXPORT_SYMBOL_GPL(cxr_flow_mask);
EXPORT_SYMBOL_GPL(cxr_flow_within);
EXPORT_SYMBOL_GPL(cxr_link_down_reason);
EXPORT_SYMBOL_GPL(cxr_link_media);
EXPORT_SYMBOL_GPL(cxr_link_modes);
EXPORT_SYMBOL_GPL(cxr_link_port);
EXPORT_SYMBOL_GPL(cxr_link_protos_of);
EXPORT_SYMBOL_GPL(cxr_ntuple_decode);
EXPORT_SYMBOL_GPL(cxr_phy_counter_name);
EXPORT_SYMBOL_GPL(cxr_prio_counter_name);
EXPORT_SYMBOL_GPL(cxr_vnic_counter_shown);
EXPORT_SYMBOL_GPL(cxr_vport_counter_name);
EXPORT_SYMBOL_GPL(cxr_tc_counter_name);
EXPORT_SYMBOL_GPL(cxr_umr_reg);
EXPORT_SYMBOL_GPL(cxr_umr_revoke);
EXPORT_SYMBOL_GPL(cxr_umr_invalidate);
EXPORT_SYMBOL_GPL(cxr_umr_access);
EXPORT_SYMBOL_GPL(cxr_umr_enable);
EXPORT_SYMBOL_GPL(cxr_umr_page);
EXPORT_SYMBOL_GPL(cxr_umr_list);
EXPORT_SYMBOL_GPL(cxr_umr_mtt);
EXPORT_SYMBOL_GPL(cxr_umr_key);
EXPORT_SYMBOL_GPL(cxr_wqe_atomic);
EXPORT_SYMBOL_GPL(cxr_wqe_inline);
EXPORT_SYMBOL_GPL(cxr_wqe_datagram);
EXPORT_SYMBOL_GPL(cxr_dc_scatter_req);
EXPORT_SYMBOL_GPL(cxr_dc_scatter_res);
EXPORT_SYMBOL_GPL(cxr_dc_streams_check);
EXPORT_SYMBOL_GPL(cxr_ets_check);
EXPORT_SYMBOL_GPL(cxr_ets_schedule);
EXPORT_SYMBOL_GPL(cxr_ets_describe);
EXPORT_SYMBOL_GPL(cxr_buffer_response);
EXPORT_SYMBOL_GPL(cxr_stall_minor);
EXPORT_SYMBOL_GPL(cxr_buffers_plan);
EXPORT_SYMBOL_GPL(cxr_ecmp_half);
EXPORT_SYMBOL_GPL(cxr_ecmp_index);
EXPORT_SYMBOL_GPL(cxr_ecmp_port);
EXPORT_SYMBOL_GPL(cxr_ecmp_primary_index);
EXPORT_SYMBOL_GPL(cxr_gid_decide);
EXPORT_SYMBOL_GPL(cxr_limits_blocks);
EXPORT_SYMBOL_GPL(cxr_limits_cq);
EXPORT_SYMBOL_GPL(cxr_limits_pages);
EXPORT_SYMBOL_GPL(cxr_limits_qp);
EXPORT_SYMBOL_GPL(cxr_limits_srq);
EXPORT_SYMBOL_GPL(cxr_limits_srq_sges);
EXPORT_SYMBOL_GPL(cxr_limits_strides);
EXPORT_SYMBOL_GPL(cxr_limits_user_qp);
EXPORT_SYMBOL_GPL(cxr_limits_wq);
EXPORT_SYMBOL_GPL(cxr_roce_mode_has_v1);
EXPORT_SYMBOL_GPL(cxr_roce_mode_has_v2);
EXPORT_SYMBOL_GPL(cxr_ud_gid_type_spec);
EXPORT_SYMBOL_GPL(cxr_ud_gid_type_allows);
EXPORT_SYMBOL_GPL(cxr_param_name);
EXPORT_SYMBOL_GPL(cxr_path_decide);
EXPORT_SYMBOL_GPL(cxr_path_ib_rate);
EXPORT_SYMBOL_GPL(cxr_path_mtu);
EXPORT_SYMBOL_GPL(cxr_path_rate);
EXPORT_SYMBOL_GPL(cxr_path_static_rate);
EXPORT_SYMBOL_GPL(cxr_rx_layout);
EXPORT_SYMBOL_GPL(cxr_rx_max_frame);
EXPORT_SYMBOL_GPL(cxr_rx_sum_valid);
EXPORT_SYMBOL_GPL(cxr_tclass_change);
EXPORT_SYMBOL_GPL(cxr_tclass_of);
EXPORT_SYMBOL_GPL(cxr_tclass_parse);
EXPORT_SYMBOL_GPL(cxr_tclass_print);
