// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Counters of the physical port: where their values are, and their names. */
#include <string.h>
#include "host.h"
#include "codec/phy_counter.h"

#define SET 8	/* bytes of the register before the counters */

/* Byte offsets in the counter set, from the PRM. */
static const struct {
	enum cxr_phy_counter counter;
	enum cxr_phy_group group;
	unsigned int at, bytes;
	const char *name;
} places[CXR_PHY_COUNTERS] = {
	{ CXR_PHY_tx_packets, CXR_PHY_802_3, 0x00, 8, "tx_packets_phy" },
	{ CXR_PHY_rx_packets, CXR_PHY_802_3, 0x08, 8, "rx_packets_phy" },
	{ CXR_PHY_rx_crc_errors, CXR_PHY_802_3, 0x10, 8, "rx_crc_errors_phy" },
	{ CXR_PHY_rx_alignment_errors, CXR_PHY_802_3, 0x18, 8, "rx_alignment_errors_phy" },
	{ CXR_PHY_tx_bytes, CXR_PHY_802_3, 0x20, 8, "tx_bytes_phy" },
	{ CXR_PHY_rx_bytes, CXR_PHY_802_3, 0x28, 8, "rx_bytes_phy" },
	{ CXR_PHY_tx_multicast, CXR_PHY_802_3, 0x30, 8, "tx_multicast_phy" },
	{ CXR_PHY_tx_broadcast, CXR_PHY_802_3, 0x38, 8, "tx_broadcast_phy" },
	{ CXR_PHY_rx_multicast, CXR_PHY_802_3, 0x40, 8, "rx_multicast_phy" },
	{ CXR_PHY_rx_broadcast, CXR_PHY_802_3, 0x48, 8, "rx_broadcast_phy" },
	{ CXR_PHY_rx_in_range_len_errors, CXR_PHY_802_3, 0x50, 8, "rx_in_range_len_errors_phy" },
	{ CXR_PHY_rx_out_of_range_len, CXR_PHY_802_3, 0x58, 8, "rx_out_of_range_len_phy" },
	{ CXR_PHY_rx_oversize_pkts, CXR_PHY_802_3, 0x60, 8, "rx_oversize_pkts_phy" },
	{ CXR_PHY_rx_symbol_err, CXR_PHY_802_3, 0x68, 8, "rx_symbol_err_phy" },
	{ CXR_PHY_tx_mac_control, CXR_PHY_802_3, 0x70, 8, "tx_mac_control_phy" },
	{ CXR_PHY_rx_mac_control, CXR_PHY_802_3, 0x78, 8, "rx_mac_control_phy" },
	{ CXR_PHY_rx_unsupported_op, CXR_PHY_802_3, 0x80, 8, "rx_unsupported_op_phy" },
	{ CXR_PHY_rx_pause_ctrl, CXR_PHY_802_3, 0x88, 8, "rx_pause_ctrl_phy" },
	{ CXR_PHY_tx_pause_ctrl, CXR_PHY_802_3, 0x90, 8, "tx_pause_ctrl_phy" },
	{ CXR_PHY_rx_discards, CXR_PHY_2863, 0x10, 8, "rx_discards_phy" },
	{ CXR_PHY_tx_discards, CXR_PHY_2863, 0x38, 8, "tx_discards_phy" },
	{ CXR_PHY_tx_errors, CXR_PHY_2863, 0x40, 8, "tx_errors_phy" },
	{ CXR_PHY_rx_undersize_pkts, CXR_PHY_2819, 0x30, 8, "rx_undersize_pkts_phy" },
	{ CXR_PHY_rx_fragments, CXR_PHY_2819, 0x40, 8, "rx_fragments_phy" },
	{ CXR_PHY_rx_jabbers, CXR_PHY_2819, 0x48, 8, "rx_jabbers_phy" },
	{ CXR_PHY_rx_64_bytes, CXR_PHY_2819, 0x58, 8, "rx_64_bytes_phy" },
	{ CXR_PHY_rx_65_to_127_bytes, CXR_PHY_2819, 0x60, 8, "rx_65_to_127_bytes_phy" },
	{ CXR_PHY_rx_128_to_255_bytes, CXR_PHY_2819, 0x68, 8, "rx_128_to_255_bytes_phy" },
	{ CXR_PHY_rx_256_to_511_bytes, CXR_PHY_2819, 0x70, 8, "rx_256_to_511_bytes_phy" },
	{ CXR_PHY_rx_512_to_1023_bytes, CXR_PHY_2819, 0x78, 8, "rx_512_to_1023_bytes_phy" },
	{ CXR_PHY_rx_1024_to_1518_bytes, CXR_PHY_2819, 0x80, 8, "rx_1024_to_1518_bytes_phy" },
	{ CXR_PHY_rx_1519_to_2047_bytes, CXR_PHY_2819, 0x88, 8, "rx_1519_to_2047_bytes_phy" },
	{ CXR_PHY_rx_2048_to_4095_bytes, CXR_PHY_2819, 0x90, 8, "rx_2048_to_4095_bytes_phy" },
	{ CXR_PHY_rx_4096_to_8191_bytes, CXR_PHY_2819, 0x98, 8, "rx_4096_to_8191_bytes_phy" },
	{ CXR_PHY_rx_8192_to_10239_bytes, CXR_PHY_2819, 0xa0, 8, "rx_8192_to_10239_bytes_phy" },
	{ CXR_PHY_link_down_events, CXR_PHY_LAYER, 0xc0, 4, "link_down_events_phy" },
	{ CXR_PHY_rx_pcs_symbol_err, CXR_PHY_STATISTICAL, 0x10, 8, "rx_pcs_symbol_err_phy" },
	{ CXR_PHY_rx_corrected_bits, CXR_PHY_STATISTICAL, 0x18, 8, "rx_corrected_bits_phy" },
};

static bool in_group(unsigned int counter, enum cxr_phy_group group)
{
	unsigned int i;

	for (i = 0; i < CXR_PHY_COUNTERS; i++)
		if (places[i].counter == counter)
			return places[i].group == group;
	return false;
}

static void test_place(unsigned int i)
{
	u64 value = places[i].bytes == 8 ? 0x8102030405060788 : 0x81020304;
	u64 values[CXR_PHY_COUNTERS];
	struct prm_ppcnt_reg reg = {};
	unsigned int k;

	memset(values, 0xff, sizeof(values));
	memcpy((u8 *)&reg + SET + places[i].at, "\x81\2\3\4\5\6\7\x88", places[i].bytes);
	cxr_phy_counters_decode(places[i].group, &reg, values);
	for (k = 0; k < CXR_PHY_COUNTERS; k++)
		expect(values[k], k == places[i].counter	   ? value :
				  in_group(k, places[i].group) ? 0 : ~0ull);
}

/* Offsets in the set of a priority, and in those of a class, from the PRM. */
static const struct {
	enum cxr_prio_counter counter;
	unsigned int at;
	const char *direction, *name;
} prio_places[CXR_PRIO_COUNTERS] = {
	{ CXR_PRIO_rx_bytes, 0x00, "rx", "bytes" },
	{ CXR_PRIO_rx_packets, 0x20, "rx", "packets" },
	{ CXR_PRIO_rx_discards, 0x78, "rx", "discards" },
	{ CXR_PRIO_tx_bytes, 0x28, "tx", "bytes" },
	{ CXR_PRIO_tx_packets, 0x48, "tx", "packets" },
	{ CXR_PRIO_rx_pause, 0x50, "rx", "pause" },
	{ CXR_PRIO_rx_pause_duration, 0x58, "rx", "pause_duration" },
	{ CXR_PRIO_tx_pause, 0x60, "tx", "pause" },
	{ CXR_PRIO_tx_pause_duration, 0x68, "tx", "pause_duration" },
	{ CXR_PRIO_rx_pause_transition, 0x70, "rx", "pause_transition" },
	{ CXR_PRIO_tx_pause_storm_warning_events, 0x80, "tx", "pause_storm_warning_events" },
	{ CXR_PRIO_tx_pause_storm_error_events, 0x88, "tx", "pause_storm_error_events" },
};

static const struct {
	enum cxr_tc_counter counter;
	u8 group;
	unsigned int at;
	const char *name;
} tc_places[CXR_TC_COUNTERS] = {
	{ CXR_TC_buf_discard, 0x11, 0x08, "buf_discard" },
	{ CXR_TC_cong_discard, 0x13, 0x00, "cong_discard" },
	{ CXR_TC_marked, 0x13, 0x08, "marked" },
};

static void test_prio_place(unsigned int i)
{
	u64 values[CXR_PRIO_COUNTERS];
	struct prm_ppcnt_reg reg = {};
	const char *direction;
	unsigned int k;

	memcpy((u8 *)&reg + SET + prio_places[i].at, "\x81\2\3\4\5\6\7\x88", 8);
	cxr_prio_counters_decode(&reg, values);
	for (k = 0; k < CXR_PRIO_COUNTERS; k++)
		expect(values[k], k == prio_places[i].counter ? 0x8102030405060788 : 0);
	expect_text(cxr_prio_counter_name(prio_places[i].counter, &direction),
		    prio_places[i].name);
	expect_text(direction, prio_places[i].direction);
}

static void test_tc_place(unsigned int i)
{
	u64 values[CXR_TC_COUNTERS] = { 1, 1, 1 };
	struct prm_ppcnt_reg reg = {};
	unsigned int k;

	memcpy((u8 *)&reg + SET + tc_places[i].at, "\x81\2\3\4\5\6\7\x88", 8);
	cxr_tc_counters_decode(tc_places[i].group, &reg, values);
	for (k = 0; k < CXR_TC_COUNTERS; k++)
		expect(values[k], k == tc_places[i].counter ? 0x8102030405060788 :
				  tc_places[k].group != tc_places[i].group);
	expect_text(cxr_tc_counter_name(tc_places[i].counter), tc_places[i].name);
}

void test_phy_counter(void)
{
	static const u8 numbers[CXR_PHY_GROUPS] = { 0x00, 0x01, 0x02, 0x12, 0x16 };
	unsigned int i;

	begin("port counters", "each is decoded from its own field and group only");
	for (i = 0; i < CXR_PHY_COUNTERS; i++)
		test_place(i);
	begin("port counters", "the names are those of mlx5");
	for (i = 0; i < CXR_PHY_COUNTERS; i++)
		expect(!strcmp(cxr_phy_counter_name(places[i].counter), places[i].name), true);
	begin("port counters", "those that only some devices have are the last ones of ethtool -S");
	for (i = 0; i < CXR_PHY_SHOWN; i++)
		expect(in_group(i, CXR_PHY_STATISTICAL), i >= CXR_PHY_ALWAYS);
	begin("port counters", "those of a priority, and their names");
	for (i = 0; i < CXR_PRIO_COUNTERS; i++)
		test_prio_place(i);
	begin("port counters", "those of a traffic class, and their names");
	for (i = 0; i < CXR_TC_COUNTERS; i++)
		test_tc_place(i);
	begin("port counters", "the groups have the numbers of the PRM");
	for (i = 0; i < CXR_PHY_GROUPS; i++)
		expect(cxr_phy_group_number(i), numbers[i]);
}
