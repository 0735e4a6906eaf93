// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The state and the counters of all ports. */
#include "base/json.h"
#include "wire/physics.h"
#include "wire/switch.h"

static unsigned long long ull(uint64_t v)
{
	return v;
}

void wire_status(FILE *out)
{
	const struct filter_counts *filter = &switch_filtered;
	const struct port *port;

	for (port = port_next(NULL); port; port = port_next(port)) {
		const struct port_counters *n = &port->counters;

		fprintf(out, "port %s: link %s (function %s, wire %s%s%s), ", port->name,
			port_link_up(port) ? "up" : "down", port->admin ? "up" : "down",
			port->wire ? "up" : "down",
			port->cable ? ", cable to " : is_behind(port) ? ", behind " : "",
			port->cable ? port->cable->name :
			is_behind(port) && port->uplink ? port->uplink->name : "");
		fprintf(out,
			"sent %llu frames %llu bytes, received %llu frames %llu bytes, waiting %u, ",
			ull(n->tx_frames), ull(n->tx_bytes), ull(n->rx_frames), ull(n->rx_bytes),
			port->rx_len);
		fprintf(out, "dropped: queue full %llu, link down %llu, malformed %llu\n",
			ull(n->full), ull(n->down), ull(n->malformed));
		if (n->errors.corrected_bits || n->errors.frames)
			fprintf(out, "  wrong bits: %llu corrected, %llu frames lost\n",
				ull(n->errors.corrected_bits), ull(n->errors.frames));
		if (port->physics)
			physics_status(port->physics, out);
	}
	if (filter->dropped || filter->duplicated || filter->held)
		fprintf(out, "filter: dropped %llu, duplicated %llu, reordered %llu\n",
			ull(filter->dropped), ull(filter->duplicated), ull(filter->held));
}

static void port_json(const struct port *port, struct json_object *to)
{
	const struct port_counters *n = &port->counters;

	json_text(to, "name", port->name);
	json_flag(to, "link", port_link_up(port));
	json_flag(to, "function_up", port->admin);
	json_flag(to, "wire_up", port->wire);
	if (port->cable)
		json_text(to, "cable", port->cable->name);
	if (is_behind(port) && port->uplink)
		json_text(to, "behind", port->uplink->name);
	json_number(to, "tx_frames", n->tx_frames);
	json_number(to, "tx_bytes", n->tx_bytes);
	json_number(to, "rx_frames", n->rx_frames);
	json_number(to, "rx_bytes", n->rx_bytes);
	json_number(to, "waiting", port->rx_len);
	json_number(to, "dropped_queue_full", n->full);
	json_number(to, "dropped_link_down", n->down);
	json_number(to, "dropped_malformed", n->malformed);
	json_number(to, "corrected_bits", n->errors.corrected_bits);
	json_number(to, "frames_with_wrong_bits", n->errors.frames);
	if (port->physics)
		physics_json(port->physics, to);
}

void wire_json(struct json_object *to)
{
	struct json_object *list = json_list(to, "ports"), *part;
	const struct port *port;

	for (port = port_next(NULL); port; port = port_next(port))
		port_json(port, json_row(list));
	part = json_part(to, "filter");
	json_number(part, "dropped", switch_filtered.dropped);
	json_number(part, "duplicated", switch_filtered.duplicated);
	json_number(part, "reordered", switch_filtered.held);
}
