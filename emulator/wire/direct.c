// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Where a frame would go that nobody can tell from one that was never built. */
#include "fault/fault.h"
#include "wire/fdb.h"
#include "wire/physics.h"
#include "wire/switch.h"

/* Does the wire hand frames from this port straight to the switch, or from the switch to it? */
static bool is_plain(const struct port *port)
{
	return port->dev && !port->bridge && !port->cable && !port->sink && port_link_up(port);
}

struct port *port_direct(struct port *from, const uint8_t *smac, const uint8_t *dmac)
{
	struct port *to;

	if (wire_has_rate() || switch_has_filter() || capture_wants_frames() ||
	    fault_has_frame_rules() || !is_plain(from) || (smac[0] | dmac[0]) & 1)
		return NULL;
	to = fdb_lookup(smac) == from ? fdb_lookup(dmac) : NULL;
	return to && is_plain(to) && !to->hold && list_empty(&to->rx) ? to : NULL;
}
