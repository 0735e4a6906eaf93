/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Where received packets go: en's tables, and rules before and after them
 * (drivers/core/steering.c). cxr.h says in which order packets pass them.
 */
#ifndef CXR_STEERING_H
#define CXR_STEERING_H

#include "cxr.h"

/*
 * Sets en's flow tables: packets enter the first one, of CXR_FLOW_LEVEL_EN or above, and leave the
 * last one if it has no entry for them. 0, 0, before they are destroyed, always takes effect. After
 * an error (cmd.h) the old ones are set again, as far as the device lets them.
 */
int cxr_flow_set_en_tables(struct cxr_core *core, u32 first, u32 last);

/*
 * A unicast address that this host receives, on a card that serves several (l2.c). The one who adds
 * it removes it. -EOPNOTSUPP: the card has no table of them, as most; -ENOSPC, logged; or the error
 * of a command. The address still works on all other cards. May sleep.
 */
int cxr_l2_add(struct cxr_core *core, const u8 *mac);
void cxr_l2_remove(struct cxr_core *core, const u8 *mac);

#define CXR_FLOW_PRIOS 16
#define CXR_FLOW_PRIO_FALLBACK CXR_FLOW_PRIOS	/* packets that matched nowhere else */

/**
 * struct cxr_rule_attr - a steering rule before en's tables
 * @mask: bits to match, a subset of caps.ft_match
 * @value: value of these bits, zero elsewhere
 * @prio: 0 is matched first, CXR_FLOW_PRIOS - 1 last; or CXR_FLOW_PRIO_FALLBACK
 * @drop: drop the packets instead of sending them to @tirn
 * @shared: copy the packets: they also go where they would go without the rule
 * @tirn: destination
 * @tag: flow tag in the completions, 24 bits
 * @count: packets are counted in flow counter @counter, which stays until the rule goes
 * @counter: see there
 */
struct cxr_rule_attr {
	struct cxr_flow_fields mask, value;
	u8 prio;
	bool drop, shared, count;
	u32 tirn;
	u32 tag;
	u32 counter;
};

struct cxr_rule;

/**
 * cxr_rule_add() - steer packets to a TIR, or drop them, before en's tables
 * @core: the device, with caps.flow_rules
 * @attr: the rule
 *
 * May sleep.
 *
 * Return: the rule or an ERR_PTR: -EEXIST (a rule for the same packets in this priority has another
 * tag or counter, or one of the two drops them), -ENOSPC (too many rules), or the error of a
 * command.
 */
struct cxr_rule *cxr_rule_add(struct cxr_core *core, const struct cxr_rule_attr *attr);
/* May sleep. */
void cxr_rule_remove(struct cxr_core *core, struct cxr_rule *rule);

#endif
