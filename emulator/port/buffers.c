// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * PFCC, and the receive buffers of the port: PBMC, PPTB, SBCAM, SBPR and SBCM.
 *
 * The firmware sizes the buffers by what PFCC sets, until a driver writes them itself. Thresholds
 * of a buffer without loss say when the port has a priority in it paused. The wire counts what
 * waits by priority, not by buffer; pools are stored only.
 */
#include <string.h>

#include "port/port.h"
#include "prm/dcb.h"
#include "prm/port.h"

#define CELL 96u
#define PORT_CELLS 43245u
#define NETWORK_BUFFERS 8
#define LOSSY_CELLS 1364u	/* alone; */
#define SMALL_LOSSY_CELLS 207u	/* and beside one without loss */
#define LOSSLESS_CELLS 2301u
#define CABLE_METRES 7
#define FRAME_BYTES 9216u	/* that may still come when the other end has been told to stop */
#define XOFF_TIMER 0xffff
#define XOFF_REFRESH 0x8000
#define POOL_CELLS ((PORT_CELLS - LOSSY_CELLS) / 2)

/* ---- sizes ---- */

/* What arrives until a pause has an effect: time of the cable and of both ends, at the rate. */
static uint32_t response_bytes(const struct cxdev *dev)
{
	uint32_t mbps = dev->card->port_lanes * 25000;

	if (mbps < 40000)
		mbps = 40000;
	return (301 + 216 * CABLE_METRES / 100) * mbps / 1000 + 272 * dev->eth->port_mtu / 100;
}

static uint8_t paused_priorities(const struct port_qos *qos)
{
	return qos->pause_tx ? 0xff : qos->pfc_tx | qos->pfc_rx;
}

/* As the firmware does it: one buffer for all priorities that are paused, one for the others. */
static void size_buffers(struct cxdev *dev)
{
	struct port_buffers *b = &dev->eth->buffers;
	uint8_t lossless = paused_priorities(port_qos(dev->port));
	uint32_t xoff = response_bytes(dev) / CELL + 1;
	unsigned int i;

	memset(b->buffer, 0, sizeof(b->buffer));
	b->buffer[0].lossy = true;
	b->buffer[0].size = lossless ? SMALL_LOSSY_CELLS : LOSSY_CELLS;
	for (i = 0; i < PRIORITIES; i++)
		b->prio_buffer[i] = lossless >> i & 1;
	if (!lossless)
		return;
	b->buffer[1].size = LOSSLESS_CELLS;
	b->buffer[1].xoff = LOSSLESS_CELLS - xoff;
	b->buffer[1].xon = b->buffer[1].xoff - FRAME_BYTES / CELL;
}

/* Tells the wire. */
static void buffers_changed(struct cxdev *dev)
{
	struct port_buffers *b = &dev->eth->buffers;
	struct port_qos *qos = port_qos(dev->port);
	unsigned int i;

	if (!b->software)
		size_buffers(dev);
	for (i = 0; i < PRIORITIES; i++) {
		const struct receive_buffer *buffer = &b->buffer[b->prio_buffer[i]];
		bool none = buffer->lossy || !buffer->xoff;

		qos->xoff[i] = none ? UINT32_MAX : buffer->xoff * CELL;
		qos->xon[i] = none ? UINT32_MAX : buffer->xon * CELL;
	}
	port_qos_changed(dev->port);
}

void port_buffers_reset(struct cxdev *dev)
{
	struct port_buffers *b = &dev->eth->buffers;
	unsigned int dir;

	memset(b, 0, sizeof(*b));
	b->xoff_timer = XOFF_TIMER;
	b->xoff_refresh = XOFF_REFRESH;
	for (dir = 0; dir < 2; dir++) {
		b->pool[dir][0].size = POOL_CELLS;
		b->pool[dir][1].size = POOL_CELLS;
	}
	port_qos_reset(port_qos(dev->port));
	buffers_changed(dev);
}

/* ---- PFCC ---- */

static int pfcc_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pfcc_reg *in = reg_in;
	struct prm_pfcc_reg *out = reg_out;
	const struct port_qos *qos = port_qos(c->dev->port);

	if (bad_port(c, in))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	if (!c->dev->card->vf && card_dcb)
		prm_set(out, buf_ownership, c->dev->eth->buffers.software ?
			PRM_BUF_OWNER_SOFTWARE : PRM_BUF_OWNER_FIRMWARE);
	prm_set(out, pptx, qos->pause_tx);
	prm_set(out, pprx, qos->pause_rx);
	prm_set(out, aptx, qos->pause_tx);
	prm_set(out, aprx, qos->pause_rx);
	prm_set(out, pfctx, qos->pfc_tx);
	prm_set(out, pfcrx, qos->pfc_rx);
	prm_set(out, prio_mask_tx, 0xff);
	prm_set(out, prio_mask_rx, 0xff);
	if (hca_detects_stalls(c->dev)) {
		prm_set(out, device_stall_minor_watermark, qos->stall_minor_ms);
		prm_set(out, device_stall_critical_watermark, qos->stall_critical_ms);
	}
	return 0;
}

/* A watermark of 0 is off. */
static int check_stall(struct cmd *c, const struct prm_pfcc_reg *in, uint16_t minor,
		       uint16_t critical)
{
	if (!hca_detects_stalls(c->dev))
		return is_set(c, in, minor_stall_mask, "but stall watermarks are not advertised") ||
		       is_set(c, in, critical_stall_mask,
			      "but stall watermarks are not advertised") ? -1 : 0;
	return !critical || minor <= critical ? 0 :
	       refuse(c, PRM_STATUS_BAD_PARAM,
		      "the minor watermark, %u ms, is above the critical, %u", minor, critical);
}

static int pfcc_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pfcc_reg *in = reg_in;
	struct port_qos *qos = port_qos(c->dev->port);
	uint8_t tx_mask = prm_get(in, prio_mask_tx), rx_mask = prm_get(in, prio_mask_rx);
	uint8_t pfc_tx = (qos->pfc_tx & ~tx_mask) | (prm_get(in, pfctx) & tx_mask);
	uint8_t pfc_rx = (qos->pfc_rx & ~rx_mask) | (prm_get(in, pfcrx) & rx_mask);
	bool tx = prm_get(in, pptx_mask_n) ? qos->pause_tx : prm_get(in, pptx);
	bool rx = prm_get(in, pprx_mask_n) ? qos->pause_rx : prm_get(in, pprx);
	uint16_t minor = prm_get(in, minor_stall_mask) ?
			 prm_get(in, device_stall_minor_watermark) : qos->stall_minor_ms;
	uint16_t critical = prm_get(in, critical_stall_mask) ?
			    prm_get(in, device_stall_critical_watermark) : qos->stall_critical_ms;

	if (bad_port(c, in) || check_owner(c, "PFCC") || check_stall(c, in, minor, critical))
		return -1;
	/* drivers pass on what a user asks for */
	if ((tx && pfc_tx) || (rx && pfc_rx))
		return decline(c, PRM_STATUS_BAD_PARAM,
			       "global pause and priority flow control are mutually exclusive");
	qos->pause_tx = tx;
	qos->pause_rx = rx;
	qos->pfc_tx = pfc_tx;
	qos->pfc_rx = pfc_rx;
	qos->stall_minor_ms = minor;
	qos->stall_critical_ms = critical;
	buffers_changed(c->dev);
	return pfcc_read(c, reg_in, reg_out);
}

/* ---- buffers ---- */

static int pbmc_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pbmc_reg *in = reg_in;
	struct prm_pbmc_reg *out = reg_out;
	struct prm_bufferx_reg *to = (void *)prm_bytes(out, buffer);
	const struct port_buffers *b = &c->dev->eth->buffers;
	unsigned int i;

	if (bad_port(c, in) || check_dcb(c, "PBMC"))
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, xoff_timer_value, b->xoff_timer);
	prm_set(out, xoff_refresh, b->xoff_refresh);
	prm_set(out, port_buffer_size, PORT_CELLS);
	for (i = 0; i < PORT_BUFFERS; i++) {
		prm_set(&to[i], lossy, b->buffer[i].lossy);
		prm_set(&to[i], size, b->buffer[i].size);
		prm_set(&to[i], xoff_threshold, b->buffer[i].xoff);
		prm_set(&to[i], xon_threshold, b->buffer[i].xon);
	}
	return 0;
}

static int check_buffers(struct cmd *c, const struct prm_bufferx_reg *from)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < PORT_BUFFERS; i++) {
		uint32_t size = prm_get(&from[i], size), xoff = prm_get(&from[i], xoff_threshold);

		if (xoff > size || prm_get(&from[i], xon_threshold) > xoff)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "buffer %u: xon %u, xoff %u and size %u are not in order", i,
				      prm_get(&from[i], xon_threshold), xoff, size);
		sum += size;
	}
	return sum <= PORT_CELLS ? 0 :
	       decline(c, PRM_STATUS_BAD_PARAM, "buffers of %u cells do not fit in %u", sum,
		       PORT_CELLS);
}

static int pbmc_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pbmc_reg *in = reg_in;
	const struct prm_bufferx_reg *from = (const void *)prm_bytes_const(in, buffer);
	struct port_buffers *b = &c->dev->eth->buffers;
	unsigned int i;

	if (bad_port(c, in) || check_dcb(c, "PBMC") || check_buffers(c, from))
		return -1;
	if (prm_get(in, xoff_refresh) >= prm_get(in, xoff_timer_value))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "xoff_refresh %u is not below xoff_timer_value %u",
			      prm_get(in, xoff_refresh), prm_get(in, xoff_timer_value));
	b->xoff_timer = prm_get(in, xoff_timer_value);
	b->xoff_refresh = prm_get(in, xoff_refresh);
	for (i = 0; i < PORT_BUFFERS; i++)
		b->buffer[i] = (struct receive_buffer){
			.lossy = prm_get(&from[i], lossy),
			.size = prm_get(&from[i], size),
			.xoff = prm_get(&from[i], xoff_threshold),
			.xon = prm_get(&from[i], xon_threshold),
		};
	b->software = true;
	buffers_changed(c->dev);
	return pbmc_read(c, reg_in, reg_out);
}

static int pptb_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pptb_reg *in = reg_in;
	struct prm_pptb_reg *out = reg_out;
	uint32_t map = 0;
	unsigned int i;

	if (bad_port(c, in) || check_dcb(c, "PPTB"))
		return -1;
	for (i = 0; i < PRIORITIES; i++)
		map |= (uint32_t)c->dev->eth->buffers.prio_buffer[i] << 4 * i;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, pm, 0xff);
	prm_set(out, prio_x_buff, map);
	return 0;
}

static int pptb_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_pptb_reg *in = reg_in;
	struct port_buffers *b = &c->dev->eth->buffers;
	uint32_t map = prm_get(in, prio_x_buff);
	unsigned int i, mask = prm_get(in, pm);

	if (bad_port(c, in) || check_dcb(c, "PPTB"))
		return -1;
	for (i = 0; i < PRIORITIES; i++)
		if (mask & 1u << i && (map >> 4 * i & 15) >= NETWORK_BUFFERS)
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "buffer %u of priority %u is above 7",
				      map >> 4 * i & 15, i);
	for (i = 0; i < PRIORITIES; i++)
		if (mask & 1u << i)
			b->prio_buffer[i] = map >> 4 * i & 15;
	b->software = true;
	buffers_changed(c->dev);
	return pptb_read(c, reg_in, reg_out);
}

/* ---- the shared buffer ---- */

static int sbcam_read(struct cmd *c, const void *in, void *reg_out)
{
	struct prm_sbcam_reg *out = reg_out;

	(void)in;
	if (check_dcb(c, "SBCAM"))
		return -1;
	prm_set(out, cap_total_buffer_size, PORT_CELLS * CELL);
	prm_set(out, cap_cell_size, CELL);
	prm_set(out, cap_max_pg_buffers, NETWORK_BUFFERS);
	prm_set(out, cap_num_pool_supported, PORT_POOLS);
	prm_set(out, cap_max_tclass_data, PRIORITIES);
	return 0;
}

static struct pool *pool_of(struct cmd *c, const struct prm_sbpr_reg *in)
{
	if (prm_get(in, dir) > 1 || prm_get(in, pool) >= PORT_POOLS) {
		refuse(c, PRM_STATUS_BAD_PARAM, "SBPR: there is no pool %u of direction %u",
		       prm_get(in, pool), prm_get(in, dir));
		return NULL;
	}
	return &c->dev->eth->buffers.pool[prm_get(in, dir)][prm_get(in, pool)];
}

static int sbpr_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_sbpr_reg *in = reg_in;
	struct prm_sbpr_reg *out = reg_out;
	const struct pool *pool;

	if (check_dcb(c, "SBPR"))
		return -1;
	pool = pool_of(c, in);
	if (!pool)
		return -1;
	prm_set(out, dir, prm_get(in, dir));
	prm_set(out, pool, prm_get(in, pool));
	prm_set(out, infi_size, pool->infinite);
	prm_set(out, size, pool->size);
	prm_set(out, mode, pool->mode);
	return 0;
}

static int sbpr_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_sbpr_reg *in = reg_in;
	struct pool *pool;

	if (check_dcb(c, "SBPR"))
		return -1;
	pool = pool_of(c, in);
	if (!pool)
		return -1;
	pool->infinite = prm_get(in, infi_size);
	pool->size = prm_get(in, size);
	pool->mode = prm_get(in, mode);
	return sbpr_read(c, reg_in, reg_out);
}

static struct pool_user *user_of(struct cmd *c, const struct prm_sbcm_reg *in)
{
	if (prm_get(in, dir) > 1 || prm_get(in, pg_buff) >= PORT_BUFFERS) {
		refuse(c, PRM_STATUS_BAD_PARAM, "SBCM: there is no buffer %u of direction %u",
		       prm_get(in, pg_buff), prm_get(in, dir));
		return NULL;
	}
	return &c->dev->eth->buffers.user[prm_get(in, dir)][prm_get(in, pg_buff)];
}

static int sbcm_read(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_sbcm_reg *in = reg_in;
	struct prm_sbcm_reg *out = reg_out;
	const struct pool_user *user;

	if (bad_port(c, in) || check_dcb(c, "SBCM"))
		return -1;
	user = user_of(c, in);
	if (!user)
		return -1;
	prm_set(out, local_port, PORT_NUMBER);
	prm_set(out, pg_buff, prm_get(in, pg_buff));
	prm_set(out, dir, prm_get(in, dir));
	prm_set(out, exc, user->exc);
	prm_set(out, min_buff, user->min);
	prm_set(out, infi_max, user->infinite);
	prm_set(out, max_buff, user->max);
	prm_set(out, pool, user->pool);
	return 0;
}

static int sbcm_write(struct cmd *c, const void *reg_in, void *reg_out)
{
	const struct prm_sbcm_reg *in = reg_in;
	struct pool_user *user;

	if (bad_port(c, in) || check_dcb(c, "SBCM"))
		return -1;
	user = user_of(c, in);
	if (!user)
		return -1;
	*user = (struct pool_user){
		.exc = prm_get(in, exc),
		.infinite = prm_get(in, infi_max),
		.min = prm_get(in, min_buff),
		.max = prm_get(in, max_buff),
		.pool = prm_get(in, pool),
	};
	return sbcm_read(c, reg_in, reg_out);
}

const struct reg regs_buffers[] = {
	{ PRM_REG_PFCC, "PFCC", sizeof(struct prm_pfcc_reg), pfcc_read, pfcc_write },
	{ PRM_REG_PBMC, "PBMC", sizeof(struct prm_pbmc_reg), pbmc_read, pbmc_write },
	{ PRM_REG_PPTB, "PPTB", sizeof(struct prm_pptb_reg), pptb_read, pptb_write },
	{ PRM_REG_SBCAM, "SBCAM", sizeof(struct prm_sbcam_reg), sbcam_read, NULL },
	{ PRM_REG_SBPR, "SBPR", sizeof(struct prm_sbpr_reg), sbpr_read, sbpr_write },
	{ PRM_REG_SBCM, "SBCM", sizeof(struct prm_sbcm_reg), sbcm_read, sbcm_write },
	{}
};
