// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Registers of traffic classes, flow control and receive buffers: what is written is read back, by
 * the rules of each register, decides the priority and the schedule of frames, and is refused if it
 * makes no sense. The sequences are those of the in-tree driver.
 */
#include <string.h>

#include "dut.h"
#include "ktap.h"
#include "port/port.h"
#include "prm/dcb.h"
#include "prm/port.h"
#include "wire/vtime.h"
#include "wrong_log.h"

static struct dut *d;

/* The register's bytes are input and output. */
static int access_reg(unsigned int id, bool write, void *reg, uint32_t len)
{
	struct prm_access_register_in in = {};
	struct { struct prm_access_register_out head; uint8_t reg[256]; } out;
	int status;

	prm_set(&in, op_mod, write ? PRM_ACCESS_REG_WRITE : PRM_ACCESS_REG_READ);
	prm_set(&in, register_id, id);
	status = dut_exec_tail(d, PRM_OP_access_register, &in, sizeof(in), reg, len, &out,
			       sizeof(out.head) + len);
	if (!status)
		memcpy(reg, out.reg, len);
	return status;
}

#define READ(name, reg) access_reg(PRM_REG_##name, false, reg, sizeof(*(reg)))
#define WRITE(name, reg) access_reg(PRM_REG_##name, true, reg, sizeof(*(reg)))

/* ---- trust and classes ---- */

static unsigned int trust(void)
{
	struct prm_qpts_reg reg = {};

	prm_set(&reg, local_port, 1);
	return READ(QPTS, &reg) ? 0 : prm_get(&reg, trust_state);
}

static int set_trust(unsigned int state)
{
	struct prm_qpts_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, trust_state, state);
	return WRITE(QPTS, &reg);
}

static unsigned int dscp_prio(unsigned int dscp)
{
	struct prm_qpdpm_reg reg = {};

	prm_set(&reg, local_port, 1);
	return READ(QPDPM, &reg) ? 99 : get16(prm_bytes(&reg, dscp) + 2 * dscp);
}

/* As the driver does it: the whole map is read and written, with one entry enabled. */
static int set_dscp_prio(unsigned int dscp, unsigned int prio)
{
	struct prm_qpdpm_reg reg = {};

	prm_set(&reg, local_port, 1);
	READ(QPDPM, &reg);
	memset(prm_bytes(&reg, dscp), 0, 128);
	put16(prm_bytes(&reg, dscp) + 2 * dscp, PRM_QPDPM_ENABLE | prio);
	return WRITE(QPDPM, &reg);
}

static unsigned int prio_class(unsigned int prio)
{
	struct prm_qtct_reg reg = {};

	prm_set(&reg, port_number, 1);
	prm_set(&reg, prio, prio);
	return READ(QTCT, &reg) ? 99 : prm_get(&reg, tclass);
}

static int set_prio_class(unsigned int prio, unsigned int tc)
{
	struct prm_qtct_reg reg = {};

	prm_set(&reg, prio, prio);
	prm_set(&reg, tclass, tc);
	return WRITE(QTCT, &reg);
}

static struct prm_ets_tcn_config_reg *classes(struct prm_qetc_reg *reg)
{
	return (void *)prm_bytes(reg, tc_configuration);
}

static void test_trust(void)
{
	unsigned int i, right = 0;

	for (i = 0; i < 64; i++)
		right += dscp_prio(i) == i / 8;
	ktap(trust() == PRM_QPTS_TRUST_PCP && right == 64,
	     "a card trusts PCP, and its DSCP map is DSCP / 8");
	ktap(!set_trust(PRM_QPTS_TRUST_DSCP) && trust() == PRM_QPTS_TRUST_DSCP,
	     "trust in DSCP can be set");
	ktap(!set_dscp_prio(26, 5) && dscp_prio(26) == 5 && dscp_prio(25) == 3 &&
	     dscp_prio(0) == 0, "a write changes the entries that it enables, and no other");
	set_dscp_prio(26, 3);
}

static void test_classes(void)
{
	struct prm_qetc_reg reg = {};
	unsigned int i, right = 0;

	for (i = 0; i < 8; i++)
		right += prio_class(i) == i;
	ktap(right == 8 && !set_prio_class(0, 1) && !set_prio_class(1, 0) && prio_class(0) == 1 &&
	     prio_class(1) == 0 && prio_class(2) == 2, "priorities can be moved to other classes");
	READ(QETCR, &reg);
	ktap(prm_get(&classes(&reg)[3], group) == 7 &&
	     prm_get(&classes(&reg)[3], bw_allocation) == 100 &&
	     !prm_get(&classes(&reg)[3], max_bw_units),
	     "classes are served in turn, without limit");
	memset(&reg, 0, sizeof(reg));
	prm_set(&classes(&reg)[3], g, 1);
	prm_set(&classes(&reg)[4], b, 1);
	prm_set(&classes(&reg)[4], bw_allocation, 30);
	prm_set(&classes(&reg)[5], r, 1);
	prm_set(&classes(&reg)[5], max_bw_units, PRM_MAX_BW_100_MBPS);
	prm_set(&classes(&reg)[5], max_bw_value, 25);
	ktap(!WRITE(QETCR, &reg) && !READ(QETCR, &reg) &&
	     prm_get(&classes(&reg)[3], group) == 0 &&
	     prm_get(&classes(&reg)[3], bw_allocation) == 100 &&
	     prm_get(&classes(&reg)[4], group) == 7 &&
	     prm_get(&classes(&reg)[4], bw_allocation) == 30 &&
	     prm_get(&classes(&reg)[5], max_bw_units) == PRM_MAX_BW_100_MBPS &&
	     prm_get(&classes(&reg)[5], max_bw_value) == 25,
	     "group, bandwidth and rate are set one by one");
	ktap(port_qos(d->dev->port)->max_mbps[5] == 2500, "the rate is that of the unit");
	memset(&reg, 0, sizeof(reg));
	prm_set(&classes(&reg)[5], r, 1);
	prm_set(&classes(&reg)[6], r, 1);
	prm_set(&classes(&reg)[6], max_bw_units, PRM_MAX_BW_1_GBPS);
	prm_set(&classes(&reg)[6], max_bw_value, 40);
	ktap(!WRITE(QETCR, &reg) && !port_qos(d->dev->port)->max_mbps[5] &&
	     port_qos(d->dev->port)->max_mbps[6] == 40000,
	     "a rate can be taken away, and be in gigabits");
}

/* ---- flow control and buffers ---- */

static int set_pfcc(uint8_t pfc, uint8_t mask, bool pause, bool keep)
{
	struct prm_pfcc_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, prio_mask_tx, mask);
	prm_set(&reg, prio_mask_rx, mask);
	prm_set(&reg, pfctx, pfc);
	prm_set(&reg, pfcrx, pfc);
	prm_set(&reg, pptx, pause);
	prm_set(&reg, pprx, pause);
	prm_set(&reg, pptx_mask_n, keep);
	prm_set(&reg, pprx_mask_n, keep);
	return WRITE(PFCC, &reg);
}

static bool pfcc_is(uint8_t pfc, bool pause, unsigned int owner)
{
	struct prm_pfcc_reg reg = {};

	prm_set(&reg, local_port, 1);
	return !READ(PFCC, &reg) && prm_get(&reg, pfctx) == pfc && prm_get(&reg, pfcrx) == pfc &&
	       prm_get(&reg, pptx) == pause && prm_get(&reg, pprx) == pause &&
	       prm_get(&reg, buf_ownership) == owner;
}

static struct prm_pbmc_reg read_buffers(void)
{
	struct prm_pbmc_reg reg = {};

	prm_set(&reg, local_port, 1);
	READ(PBMC, &reg);
	return reg;
}

static struct prm_bufferx_reg *buffer(struct prm_pbmc_reg *reg, unsigned int i)
{
	return (struct prm_bufferx_reg *)prm_bytes(reg, buffer) + i;
}

static uint32_t buffer_map(void)
{
	struct prm_pptb_reg reg = {};

	prm_set(&reg, local_port, 1);
	return READ(PPTB, &reg) ? 0xffffffff : prm_get(&reg, prio_x_buff);
}

static void test_flow_control(void)
{
	uint64_t declined = d->dev->hca->declined;

	ktap(pfcc_is(0, false, PRM_BUF_OWNER_FIRMWARE), "a card has no flow control");
	ktap(!set_pfcc(0, 0, true, false) && pfcc_is(0, true, PRM_BUF_OWNER_FIRMWARE),
	     "global pause can be set without the priorities");
	ktap(!set_pfcc(0x08, 0xff, false, false) && pfcc_is(0x08, false, PRM_BUF_OWNER_FIRMWARE),
	     "setting priorities ends global pause");
	ktap(!set_pfcc(0x10, 0x10, false, true) && pfcc_is(0x18, false, PRM_BUF_OWNER_FIRMWARE),
	     "the mask says which priorities are set");
	ktap(set_pfcc(0, 0, true, false) == PRM_STATUS_BAD_PARAM &&
	     d->dev->hca->declined == declined + 1 && pfcc_is(0x18, false, PRM_BUF_OWNER_FIRMWARE),
	     "global pause beside priorities is declined, and changes nothing");
	set_pfcc(0x08, 0xff, false, false);
}

static int set_stall(uint16_t minor, uint16_t critical)
{
	struct prm_pfcc_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, pptx_mask_n, 1);
	prm_set(&reg, pprx_mask_n, 1);
	prm_set(&reg, ppan_mask_n, 1);
	prm_set(&reg, minor_stall_mask, 1);
	prm_set(&reg, critical_stall_mask, 1);
	prm_set(&reg, device_stall_minor_watermark, minor);
	prm_set(&reg, device_stall_critical_watermark, critical);
	return WRITE(PFCC, &reg);
}

static bool stall_is(uint16_t minor, uint16_t critical)
{
	struct prm_pfcc_reg reg = {};

	prm_set(&reg, local_port, 1);
	return !READ(PFCC, &reg) && prm_get(&reg, device_stall_minor_watermark) == minor &&
	       prm_get(&reg, device_stall_critical_watermark) == critical;
}

static void test_stall(void)
{
	ktap(stall_is(6800, 8000) && !set_stall(85, 100) && stall_is(85, 100) &&
	     pfcc_is(0x08, false, PRM_BUF_OWNER_FIRMWARE),
	     "watermarks of a stuck function are set, and flow control stays");
	ktap(!set_pfcc(0x18, 0xff, false, false) && stall_is(85, 100) &&
	     !set_pfcc(0x08, 0xff, false, false), "flow control is set, and they stay");
	ktap(set_stall(101, 100) == PRM_STATUS_BAD_PARAM && stall_is(85, 100),
	     "a minor watermark above the critical is refused");
	ktap(!set_stall(80, 0) && stall_is(80, 0), "the critical can be off");
}

/* 100 Gb/s, 7 m, MTU 1522: 316 * 100 + 4139 bytes may still come. */
static void test_buffers(void)
{
	struct prm_pbmc_reg reg = read_buffers();
	struct prm_sbcam_reg sb = {};
	uint32_t cell, room, least = 316 * 100 + 272 * d->dev->eth->port_mtu / 100;

	READ(SBCAM, &sb);
	cell = prm_get(&sb, cap_cell_size);
	room = (prm_get(buffer(&reg, 1), size) - prm_get(buffer(&reg, 1), xoff_threshold)) * cell;
	ktap(cell == 96 && prm_get(&sb, cap_total_buffer_size) == 4151520 &&
	     prm_get(&reg, port_buffer_size) * cell == 4151520, "the size of the buffer is known");
	ktap(buffer_map() == 0x00001000 && prm_get(buffer(&reg, 0), lossy) &&
	     !prm_get(buffer(&reg, 1), lossy),
	     "the firmware gives a priority that is paused a buffer without loss");
	ktap(room >= least && room < least + 200 &&
	     prm_get(buffer(&reg, 1), xon_threshold) * cell + 9216 <=
	     prm_get(buffer(&reg, 1), xoff_threshold) * cell,
	     "it has room for what comes until the pause has an effect");
	ktap(port_qos(d->dev->port)->xoff[3] == prm_get(buffer(&reg, 1), xoff_threshold) * cell &&
	     port_qos(d->dev->port)->xoff[2] == UINT32_MAX,
	     "the port pauses by the thresholds of the buffer");
	prm_set(buffer(&reg, 1), size, 1000);
	prm_set(buffer(&reg, 1), xoff_threshold, 600);
	prm_set(buffer(&reg, 1), xon_threshold, 500);
	ktap(!WRITE(PBMC, &reg) && pfcc_is(0x08, false, PRM_BUF_OWNER_SOFTWARE) &&
	     port_qos(d->dev->port)->xoff[3] == 600 * cell &&
	     port_qos(d->dev->port)->xon[3] == 500 * cell, "a driver can size the buffers itself");
	set_pfcc(0x18, 0xff, false, false);
	reg = read_buffers();
	ktap(prm_get(buffer(&reg, 1), size) == 1000 && buffer_map() == 0x00001000,
	     "then the firmware leaves them alone");
}

static void test_map(void)
{
	struct prm_pptb_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, pm, 0x30);
	prm_set(&reg, prio_x_buff, 0x76543210);
	ktap(!WRITE(PPTB, &reg) && buffer_map() == 0x00541000,
	     "priorities of the mask get another buffer");
}

static void test_pools(void)
{
	struct prm_sbpr_reg pool = {};
	struct prm_sbcm_reg user = {};
	uint32_t size;

	prm_set(&pool, dir, 1);
	READ(SBPR, &pool);
	size = prm_get(&pool, size);
	prm_set(&pool, size, size - 100);
	ktap(size && !WRITE(SBPR, &pool) && !READ(SBPR, &pool) &&
	     prm_get(&pool, size) == size - 100, "the size of a pool can be set");
	memset(&pool, 0, sizeof(pool));
	READ(SBPR, &pool);
	ktap(prm_get(&pool, size) == size, "that of the other direction is its own");
	prm_set(&user, local_port, 1);
	prm_set(&user, pg_buff, 1);
	prm_set(&user, max_buff, 13);
	prm_set(&user, pool, 1);
	ktap(!WRITE(SBCM, &user) && prm_get(&user, max_buff) == 13 && prm_get(&user, pool) == 1,
	     "a buffer can be bound to a pool");
}

static void test_dcbx(void)
{
	struct prm_dcbx_param reg = {};
	struct prm_qcam_reg qcam = {};

	prm_set(&reg, port_number, 1);
	READ(DCBX_PARAM, &reg);
	ktap(prm_get(&reg, version_oper) == PRM_DCBX_HOST, "DCBX is the host's");
	prm_set(&reg, version_admin, PRM_DCBX_FIRMWARE);
	prm_set(&reg, willing_admin, 1);
	ktap(!WRITE(DCBX_PARAM, &reg) && prm_get(&reg, version_oper) == PRM_DCBX_FIRMWARE &&
	     prm_get(&reg, willing_admin), "it can be given to the firmware");
	ktap(!READ(QCAM, &qcam) && prm_get(&qcam, qos_access_reg_cap_mask.reg_cap.qpts) &&
	     prm_get(&qcam, qos_access_reg_cap_mask.reg_cap.qpdpm),
	     "QCAM says that there are QPTS and QPDPM");
}

/* ---- what it does to frames ---- */

static uint64_t counter(unsigned int prio, bool pauses)
{
	struct prm_ppcnt_reg reg = {};
	struct prm_eth_per_prio_grp_data_layout *set =
		(void *)(reg.dw + prm_bit(&reg, counter_set) / 32);

	prm_set(&reg, local_port, 1);
	prm_set(&reg, grp, PRM_PPCNT_PER_PRIORITY);
	prm_set(&reg, prio_tc, prio);
	READ(PPCNT, &reg);
	return pauses ? prm_get(set, rx_pause_low) : prm_get(set, tx_frames_low);
}

static uint64_t clock_ns = 2000000000;

static void a_while(void)
{
	dut_run();
	clock_ns += 1000000;
	loop_test_clock(clock_ns);
	dut_run();
}

static void send_ip(unsigned int dscp, int pcp)
{
	struct frame *frame = frame_alloc(100);
	uint8_t *p;

	memset(frame->data, 0, 100);
	frame->data[0] = 2;
	frame->data[6] = 2;
	p = frame->data + 12;
	if (pcp >= 0) {
		put16(p, 0x8100);
		put16(p + 2, pcp << 13 | 5);
		p += 4;
	}
	put16(p, 0x0800);
	p[2] = 0x45;
	p[3] = dscp << 2;
	port_send(d->dev->port, frame);
	a_while();
}

static void test_priority(void)
{
	uint64_t before;

	set_trust(PRM_QPTS_TRUST_DSCP);
	before = counter(3, false);
	send_ip(26, -1);
	send_ip(26, 6);
	ktap(counter(3, false) == before + 2, "with trust in DSCP the DSCP decides");
	set_trust(PRM_QPTS_TRUST_PCP);
	before = counter(6, false);
	send_ip(26, 6);
	ktap(counter(6, false) == before + 1, "with trust in PCP the tag decides");
	before = counter(0, false);
	send_ip(26, -1);
	ktap(counter(0, false) == before + 1, "a frame without a tag then has priority 0");
}

/* A peer without a driver pauses priority 3 of the port. */
static void test_pause(struct port *peer)
{
	static const uint8_t mac[6] = { 0x01, 0x80, 0xc2, 0, 0, 1 };
	struct frame *frame = frame_alloc(60);
	struct prm_ppcnt_reg reg = {};
	struct prm_eth_802_3_cntrs_grp_data_layout *set =
		(void *)(reg.dw + prm_bit(&reg, counter_set) / 32);

	port_cable(d->dev->port, peer);
	set_pfcc(0x08, 0xff, false, false);
	memset(frame->data, 0, 60);
	memcpy(frame->data, mac, 6);
	frame->data[6] = 2;
	put16(frame->data + 12, 0x8808);
	put16(frame->data + 14, 0x0101);
	put16(frame->data + 16, 0x18);
	put16(frame->data + 24, 0xffff);
	put16(frame->data + 26, 0xffff);
	port_send(peer, frame);
	a_while();
	prm_set(&reg, local_port, 1);
	READ(PPCNT, &reg);
	ktap(counter(3, true) == 1 && !counter(4, true) &&
	     prm_get(set, a_pause_mac_ctrl_frames_received_low) == 1 &&
	     prm_get(set, a_mac_control_frames_received_low) == 1,
	     "pauses are counted by priority, where they are obeyed, and for the port");
	prm_set(&reg, local_port, 0);
	prm_set(&reg, pnat, PRM_PNAT_HOST);
	prm_set(&reg, grp, PRM_PPCNT_PER_TC);
	ktap(!READ(PPCNT, &reg), "the counters of a class are those of the function's own port");
	port_uncable(peer);
}

/* ---- what is refused ---- */

static void expect(int status, const char *text)
{
	char line[200];

	snprintf(line, sizeof(line),
		 "access_register op_mod 0x0 refused, BAD_PARAM, syndrome 0x*: %s", text);
	ktap(status == PRM_STATUS_BAD_PARAM, "refused: %s", text);
	wrong_expect("the log says why", line);
}

#define WRONG(name, layout, field, value, text) do {				\
	struct prm_##layout wrong_ = {};					\
	uint8_t *at_ = (uint8_t *)&wrong_;					\
									\
	at_[1] = 1;								\
	prm_set(&wrong_, field, value);						\
	wrong_begin();								\
	expect(WRITE(name, &wrong_), text);					\
} while (0)

/* Of class 2; @flag: what is changed. */
static void wrong_class(unsigned int flag, unsigned int first, unsigned int second,
			const char *text)
{
	struct prm_qetc_reg reg = {};
	uint8_t *tc = prm_bytes(&reg, tc_configuration) + 2 * 8;

	put32(tc, flag | first);
	put32(tc + 4, second);
	wrong_begin();
	expect(WRITE(QETCR, &reg), text);
}

static void wrong_buffers(uint32_t at, uint32_t value, const char *text)
{
	struct prm_pbmc_reg reg = read_buffers();

	put32((uint8_t *)&reg + at, value);
	wrong_begin();
	expect(WRITE(PBMC, &reg), text);
}

static void test_wrong(void)
{
	struct prm_pbmc_reg reg = read_buffers();
	uint64_t declined = d->dev->hca->declined;

	WRONG(QPTS, qpts_reg, trust_state, 3, "trust_state 3 is neither PCP nor DSCP");
	WRONG(QTCT, qtct_reg, port_number, 2, "port_number 2 is neither 0 nor 1");
	WRONG(QPDPM, qpdpm_reg, local_port, 2, "local_port 2 is neither 0 nor 1");
	WRONG(DCBX_PARAM, dcbx_param, version_admin, 1, "version_admin 1 is neither 0 nor 3");
	WRONG(SBPR, sbpr_reg, dir, 2, "SBPR: there is no pool 0 of direction 2");
	WRONG(SBCM, sbcm_reg, pg_buff, 10, "SBCM: there is no buffer 10 of direction 0");
	WRONG(QETCR, qetc_reg, global_configuration.r, 1,
	      "global_configuration.r is set (0x1), but only classes have rates");
	wrong_class(1u << 31, 8 << 16, 0, "group 8 of class 2 is above 7");
	wrong_class(1u << 30, 101, 0, "bw_allocation 101 of class 2 is above 100");
	wrong_class(1u << 29, 0, 1 << 16 | 1, "max_bw_units 1 of class 2 is unknown");
	wrong_class(1u << 29, 0, 3 << 16, "max_bw_value of class 2 is 0");
	wrong_buffers(0x10, 0x00000005, "buffer 0: xon 5, xoff 0 and size 1364 are not in order");
	wrong_buffers(0x04, 0x00050005, "xoff_refresh 5 is not below xoff_timer_value 5");
	wrong_begin();
	expect(set_dscp_prio(7, 9), "priority 9 of DSCP 7 is above 7");
	prm_set(buffer(&reg, 7), size, 0xffff);
	ktap(WRITE(PBMC, &reg) == PRM_STATUS_BAD_PARAM && d->dev->hca->declined == declined + 1,
	     "buffers that do not fit are declined");
}

static void wrong_map(void)
{
	struct prm_pptb_reg reg = {};

	prm_set(&reg, local_port, 1);
	prm_set(&reg, pm, 1);
	prm_set(&reg, prio_x_buff, 8);
	wrong_begin();
	expect(WRITE(PPTB, &reg), "buffer 8 of priority 0 is above 7");
}

/* As the cards of most tests are. */
static void test_without(void)
{
	struct prm_qpts_reg reg = {};
	uint64_t declined;

	card_dcb = false;
	d = dut_create("a", 0);
	declined = d->dev->hca->declined;
	prm_set(&reg, local_port, 1);
	ktap(READ(QPTS, &reg) && d->dev->hca->declined == declined + 1 &&
	     pfcc_is(0, false, 0) && !set_pfcc(0x08, 0xff, false, false) && pfcc_is(0x08, false, 0),
	     "a card that does not advertise classes has flow control only");
	ktap(stall_is(0, 0) && set_stall(85, 100) == PRM_STATUS_BAD_PARAM && stall_is(0, 0),
	     "without watermarks of a stuck function");
	dut_destroy(d);
}

static void test_vf(void)
{
	struct dut *pf = d, *vf = dut_create_card("vf", 1, card_vf(card_find("cx5", 3)));
	struct prm_qpts_reg reg = {};
	uint64_t declined;

	d = vf;
	declined = vf->dev->hca->declined;
	prm_set(&reg, local_port, 1);
	ktap(READ(QPTS, &reg) && set_pfcc(0x08, 0xff, false, false) &&
	     vf->dev->hca->declined == declined + 2, "a virtual function sets nothing of the port");
	d = pf;
	dut_destroy(vf);
}

int main(void)
{
	struct port *peer;
	const char *why;

	ktap_plan(0);
	wrong_open_here(ktap);
	card_dcb = true;
	loop_test_clock(clock_ns);
	physics_set("rate=100g", &why);
	d = dut_create("a", 0);
	peer = port_create(NULL, "peer");
	test_trust();
	test_classes();
	test_flow_control();
	test_stall();
	test_buffers();
	test_map();
	test_pools();
	test_dcbx();
	test_priority();
	test_pause(peer);
	cxdev_reset(d->dev);
	ktap(port_qos(d->dev->port)->prio_tc[0] == 0 && !port_qos(d->dev->port)->pfc_tx &&
	     !d->dev->eth->buffers.software, "a reset sets all of it back");
	dut_destroy(d);
	d = dut_create("a", 0);
	test_wrong();
	wrong_map();
	test_vf();
	dut_destroy(d);
	test_without();
	port_destroy(peer);
	wrong_close();
	return ktap_end();
}
