/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What the commands of flow tables share: cmd_flow.c, cmd_fte.c, cmd_definer.c; and card.c. */
#ifndef CXEMU_FLOW_H
#define CXEMU_FLOW_H

#include "nic/nic.h"

/* The fields that every command of flow tables begins with: -1 and refused, or 0. */
#define bad_head(c, in)                                                            \
	({                                                                         \
		typeof(in) in_ = (in);                                             \
		struct cmd *c_ = (c);                                              \
	\
		is_set(c_, in_, other_vport, "but there is one vport") ||          \
			is_set(c_, in_, vport_number, "but there is one vport") || \
			flow_check_type(c_, prm_get(in_, table_type));             \
	})

int flow_check_type(struct cmd *c, unsigned int type);
/* The table that a command names by number and type; NULL: refused. */
struct flow_table *flow_get_table(struct cmd *c, uint32_t id, unsigned int type);
/* The table behind @level that a miss or an entry names, and a reference; NULL: refused. */
struct flow_table *flow_next_table(struct cmd *c, uint32_t id, unsigned int type,
				   unsigned int level, const char *field);
/* The group @id of the table; NULL: refused. */
struct flow_group *flow_get_group(struct cmd *c, struct flow_table *table, uint32_t id);
void fte_free(struct fte *fte);
uint64_t definer_formats(void); /* as match_definer_format_supported */

#endif
