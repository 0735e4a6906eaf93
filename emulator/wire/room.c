// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * When a queue of the card must wait: for a place at the receiver, for a paused priority, or for
 * the rate of its function.
 */
#include "wire/fdb.h"
#include "wire/physics.h"
#include "wire/switch.h"

struct room {
	unsigned int n;
	struct port *fullest;
};

static void consider(struct room *room, struct port *port)
{
	unsigned int n = port->rx_len < PORT_QUEUE ? PORT_QUEUE - port->rx_len : 0;

	if (n >= room->n || !port_link_up(port))
		return;
	room->n = n;
	room->fullest = port;
}

/*
 * A frame to an unknown or to many addresses waits for no port that is held: it is dropped there,
 * as by any switch. @far: also beyond the wire; without it only within the card.
 */
static struct room find_room(const struct port *from, const uint8_t *dmac, bool far)
{
	const struct port *out = from->uplink ? from->uplink : from;
	const struct port *to = dmac[0] & 1 ? NULL : out->cable ? out->cable : fdb_peek(dmac);
	struct room room = { .n = PORT_QUEUE };
	struct port *port;

	for (port = port_next(NULL); port; port = port_next(port)) {
		if (port->uplink && port->uplink == from->uplink)
			consider(&room, port);
		else if (far && (to ? port == to || (is_uplink(to) && port->uplink == to) :
				      !port->hold))
			consider(&room, port);
	}
	return room;
}

unsigned int port_room(const struct port *from, const uint8_t *dmac)
{
	return find_room(from, dmac, true).n;
}

/* Through which the port's frames leave the card. */
static struct port_physics *physics_of(const struct port *port)
{
	return is_behind(port) && port->uplink ? port->uplink->physics : port->physics;
}

bool port_is_instant(const struct port *port)
{
	return !wire_has_rate() && !port->bridge;
}

bool port_may_send(struct port *port, const uint8_t *dmac, unsigned int prio, unsigned int reserve,
		   struct work *work)
{
	struct port_physics *p = physics_of(port);

	if (port->physics && !limit_passes(&port->physics->limit, work))
		return false;
	if (!p || port->bridge) {
		struct room room = find_room(port, dmac, !p);

		if (room.n < reserve) {
			if (room.fullest)
				work_wait(work, &room.fullest->waiting);
			else
				work_queue(work);
			return false;
		}
	}
	return !p || physics_may_send(p, prio, work);
}
