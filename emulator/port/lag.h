/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The ports of one card, and what two of them are as a LAG.
 *
 * A LAG belongs to the function of port 1: the RDMA engine of that function sends through both
 * ports, and with a vport LAG also gets the RoCE packets that arrive at the other one. Ethernet
 * frames stay with the function whose port they arrive at.
 */
#ifndef CXEMU_LAG_H
#define CXEMU_LAG_H

#include "base/device.h"

#define LAG_PORTS 2

struct adapter {
	struct cxdev *dev[LAG_PORTS]; /* by port; NULL: the function is gone */
	bool active;
	bool vport;		 /* CREATE_VPORT_LAG came */
	unsigned int demux;	 /* flow tables of kind LAG demux */
	bool hash;		 /* flow tables select the port, and there is no map */
	uint8_t active_ports;	 /* of hash mode: bits of those that an affinity can name */
	uint8_t map[LAG_PORTS]; /* physical port (from 1) of affinity 1, 2 */
};

/* @devs become the ports of one card, in this order. 0 or -ENOMEM. */
int adapter_join(struct cxdev **devs);
void adapter_leave(struct cxdev *dev); /* the function ends */
/* Reset or the end of INIT_HCA: a LAG does not outlive the function it belongs to. */
void lag_reset(struct cxdev *dev);
unsigned int lag_report(struct cxdev *dev); /* of leaks: 1 if there is a LAG */
bool lag_announced(const struct cxdev *dev);
bool port_select_announced(const struct cxdev *dev);
unsigned int lag_port_of(const struct cxdev *dev, unsigned int vhca_id); /* 0: of none */
/* 0, or refused: @affinity is no port of the card. */
int lag_check_affinity(struct cmd *c, unsigned int affinity);
/*
 * Where a frame of this function leaves; affinity 0: the function's own port, or in hash mode what
 * the flow tables say. Both are mapped.
 */
struct port *lag_tx_port(const struct cxdev *dev, unsigned int affinity, const struct frame *frame);
/* The same without the map: a port that was named must be the one. */
struct port *lag_strict_port(const struct cxdev *dev, unsigned int affinity);
/* Whose RDMA engine looks at frames that arrive at the port of @dev. */
struct cxdev *lag_rdma(struct cxdev *dev);
void lag_status(const struct cxdev *dev, FILE *out);

/* steer.c: the port (from 1) that the tables of @dev select for the frame; 0: none. */
unsigned int port_select(const struct cxdev *dev, const struct frame *frame);

#endif
