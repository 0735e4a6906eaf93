/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The table of capabilities: a row for each field, and the probe that checks it. */
#ifndef CXEMU_TESTS_CAPS_H
#define CXEMU_TESTS_CAPS_H

#include "card/card.h"
#include "dut.h"
#include "prm/caps.h"
#include "prm/mkey.h"
#include "prm/obj.h"
#include "prm/qp.h"
#include "prm/nic.h"
#include "prm/srq.h"
#include "prm/vport.h"

struct cap_row {
	const char *name;
	unsigned int bit, width;
	/* Of a flag: does the device support it? Of a value: is it right? */
	bool (*probe)(struct dut *dut, uint32_t value, uint32_t arg);
	uint32_t arg;
	bool flag;
};

struct cap_page {
	const char *name;
	enum cap_type type;
	const struct cap_row *rows;
	unsigned int n;
	unsigned int table_type;	/* of flow tables that it is about */
};

#define CAP_ROW(layout, field, is_flag, fn, a)						\
	{ .name = #field, .bit = offsetof(struct prm_##layout##_bits, field),		\
	  .width = sizeof(((struct prm_##layout##_bits *)0)->field), .probe = fn,	\
	  .arg = a, .flag = is_flag }

extern const struct cap_row caps_sizes[], caps_general[], caps_eth[], caps_atomic[], caps_roce[],
	caps_flow[], caps_rdma_rx[], caps_rdma_tx[], caps_qos[], caps_debug[], caps_event[],
	caps_memic[], caps_odp[], caps_port[];
extern const unsigned int caps_sizes_n, caps_general_n, caps_eth_n, caps_atomic_n, caps_roce_n,
	caps_flow_n, caps_rdma_rx_n, caps_rdma_tx_n, caps_qos_n, caps_debug_n, caps_event_n,
	caps_memic_n, caps_odp_n, caps_port_n;

/* What probes share: a queue of completions, an RQ with its TIR, the type of the page's tables. */
struct caps_env {
	uint32_t cqn, rqn, tirn;
	unsigned int table_type;
};

extern struct caps_env env;

/*
 * A create command, after filling in what @in needs: one large page, a CQ... Returns the status;
 * the object is destroyed again.
 */
int try_cq(struct dut *dut, struct prm_create_cq_in *in);
int try_eq(struct dut *dut, struct prm_create_eq_in *in);
int try_sq(struct dut *dut, struct prm_create_sq_in *in);
int try_rq(struct dut *dut, struct prm_create_rq_in *in);
int try_qp(struct dut *dut, struct prm_create_qp_in *in);
int try_rmp(struct dut *dut, struct prm_create_rmp_in *in);
int try_mkey(struct dut *dut, struct prm_create_mkey_in *in);

#define TRY(dut, kind, layout, field, value) ({						\
	struct prm_create_##layout##_in try_in_ = {};					\
											\
	prm_set(&try_in_, field, value);						\
	try_##kind(dut, &try_in_);							\
})

/* Taken at the limit, refused one beyond it, if the field of @width bits can say so. */
#define AT_MOST(v, width, what) ({							\
	uint32_t most_ = (v), n = most_;						\
	bool good_ = !(what);								\
											\
	n = most_ + 1;									\
	good_ && (most_ + 1 >= 1u << (width) || (what));				\
})

/* A queue pair that is moved to RTS and destroyed there. */
struct qp_steps {
	unsigned int st, log_msg, log_rra, log_sra, affinity;
	uint32_t counters;	/* set in RTS */
	unsigned int dscp, sport, port;	/* the same */
};

int try_qp_to_rts(struct dut *dut,
		  const struct qp_steps *steps);	/* 0, or the first status that is not */
int create_qp(struct dut *dut, struct prm_create_qp_in *in, uint32_t *qpn);
int modify_qp(struct dut *dut, unsigned int opcode, uint32_t qpn, uint32_t opt,
	      const struct prm_qpc *ctx);
int set_address(struct dut *dut, unsigned int index, unsigned int version, unsigned int l3);
/* SET_HCA_CAP as before INIT_HCA, of the page as it is but for one field; all is undone. */
int try_set_cap(struct dut *dut, enum cap_type type, unsigned int bit, unsigned int width,
		uint32_t value);
int create_lag(struct dut *dut, unsigned int one, unsigned int two, bool fdb, unsigned int mode);

/* Reads the register: @len bytes at @reg are its input, and its output. The status. */
int read_reg(struct dut *dut, unsigned int id, void *reg, uint32_t len);
bool probe_port_reg(struct dut *dut, uint32_t value, uint32_t id); /* of port 1 */
bool probe_cong_params(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_cong_statistics(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_classes(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_page(struct dut *dut, uint32_t value, uint32_t type);
bool probe_opcode(struct dut *dut, uint32_t value, uint32_t opcode);
bool probe_cq_compression_128(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_few_strides(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_session(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_cqe_version(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_qkeys(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_umr_list(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_rts2rts_dscp(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_rts2rts_sport(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_rts2rts_port(struct dut *dut, uint32_t value, uint32_t arg);
/* Does QUERY_VNIC_ENV have a counter at @bit of its output? */
bool probe_vnic(struct dut *dut, uint32_t value, uint32_t bit);
bool probe_vnic_newer(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_vport_manager(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_ksm(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_rqt_size(struct dut *dut, uint32_t value, uint32_t arg);
/* Of DC transport; @requester, @errored: which of two. */
bool probe_dc(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_dc_reads(struct dut *dut, uint32_t value, uint32_t requester);
bool probe_dc_streams(struct dut *dut, uint32_t value, uint32_t errored);
bool probe_dc_wqe(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_dc_reset(struct dut *dut, uint32_t value, uint32_t arg);
/* Of keys for on-demand paging. */
bool probe_pages(struct dut *dut, uint32_t value, uint32_t type);
bool probe_far_umr(struct dut *dut, uint32_t value, uint32_t arg);
bool probe_indirection(struct dut *dut, uint32_t value, uint32_t arg);

#endif
