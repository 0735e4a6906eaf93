/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the commands of flow tables share: cmd_flow.c, cmd_fte.c. */
#ifndef CXEMU_FLOW_H
#define CXEMU_FLOW_H

#include "eth.h"

/* The fields that every command of flow tables begins with. Both: -1 and refused, or 0. */
#define bad_type(c, in)                                                                  \
	({                                                                               \
		unsigned int type_ = prm_get(in, table_type);                            \
	\
		type_ == PRM_FT_NIC_RX ?                                                 \
			0 :                                                              \
			refuse(c, PRM_STATUS_BAD_PARAM,                                  \
			       "table_type 0x%x is not advertised, only NIC_RX", type_); \
	})

#define bad_head(c, in)                                                            \
	({                                                                         \
		typeof(in) in_ = (in);                                             \
		struct cmd *c_ = (c);                                              \
	\
		is_set(c_, in_, other_vport, "but there is one vport") ||          \
			is_set(c_, in_, vport_number, "but there is one vport") || \
			bad_type(c_, in_);                                         \
	})

/* The table behind @level that a miss or an entry names, and a reference; NULL: refused. */
struct flow_table *flow_next_table(struct cmd *c, uint32_t id, unsigned int level,
				   const char *field);
/* The group @id of the table @table_id; NULL: refused. */
struct flow_group *flow_get_group(struct cmd *c, uint32_t table_id, uint32_t id);
void fte_free(struct fte *fte);

#endif
