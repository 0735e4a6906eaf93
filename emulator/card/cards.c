// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The table of cards: identity, limits, object ranges. */
#include <string.h>

#include "card/card.h"
#include "func/user.h"
#include "key/key.h"
#include "prm/caps.h"
#include "prm/definer.h"

/* Protocols of PTYS: 1, 10, 25, 40, 50 and 100 Gb/s, in two numberings; and 1, 10 and 25 Gb/s. */
#define PROTO_100G 0xf8f5b0d2
#define PROTO_EXT_100G 0x000007f2
#define PROTO_25G 0x38003012

#define PF_BAR (32u << 20)
#define VF_BAR (1u << 20)
#define PF_VECTORS 64
#define VF_VECTORS 12
#define UAR_FIRST 64
/* Up to @end: of the BAR, or where its memory begins. */
#define UARS(end) { UAR_FIRST, (end) / UAR_BYTES - UAR_FIRST }
/* The memory is at the end of the BAR of a PF; that of a VF has no room for it. */
#define PF_MEMIC (PF_BAR - MEMIC_BAR_BYTES)

/* All numbers of 24 bits from @first on. */
#define NUMBERS(first) { first, OBJ_NUMBERS - (first) }

/* PDs: 2^23 of newer firmware, of older all numbers. */
#define PDS_NEW { 1, 1 << 23 }
#define PDS_OLD NUMBERS(1)

/* What all cards share, and in what number they differ: QPs, RQTs. */
#define COMMON(log_qps, pds, log_rqts)                                                      \
	.bar_bytes = PF_BAR, .vectors = PF_VECTORS, .boot_pages = 64, .init_pages = 1100,   \
	.memic_at = PF_MEMIC, .caps = card_fill_caps,                                       \
	.objs = {                                                                           \
		[OBJ_UAR] = UARS(PF_MEMIC),                                                 \
		[OBJ_PD] = pds,                                                             \
		[OBJ_TD] = { 1, 1 << 10 },                                                  \
		[OBJ_XRCD] = { 1, 1 << 10 },                                                \
		[OBJ_MKEY] = NUMBERS(16),                                                   \
		[OBJ_PSV] = { 1, 1 << 16 },                                                 \
		[OBJ_EQ] = { 1, 1 << 7 },                                                   \
		[OBJ_CQ] = NUMBERS(0x400),                                                  \
		[OBJ_QP] = { 0x80, 1 << (log_qps) },                                        \
		[OBJ_SRQ] = { 0, 1 << 23 },                                                 \
		[OBJ_XRC_SRQ] = { 0, 1 << 23 },                                             \
		[OBJ_RMP] = { 0, 1 << 16 },                                                 \
		[OBJ_DCT] = { 0, 1 << 18 },                                                 \
		[OBJ_TIS] = { 1, 1 << 12 },                                                 \
		[OBJ_TIR] = { 1, 1 << 12 },                                                 \
		[OBJ_SQ] = { 0, 1 << 14 },                                                  \
		[OBJ_RQ] = { 0, 1 << 23 },                                                  \
		[OBJ_RQT] = { 1, 1 << (log_rqts) },                                         \
		[OBJ_Q_COUNTER] = { 1, 128 },                                               \
		[OBJ_FLOW_TABLE] = { 1, 1 << 10 },                                          \
		[OBJ_FLOW_GROUP] = { 1, 1 << 14 },                                          \
		[OBJ_FLOW_COUNTER] = { 1, 1 << 14 },                                        \
		[OBJ_MATCH_DEFINER] = { 1, 64 },                                            \
		[OBJ_MCG] = { 0, 1 << 21 },                                                 \
		[OBJ_UCTX] = { 1, (1 << USER_CONTEXTS_LOG) - 1 },                           \
		[OBJ_UMEM] = { 1, 1 << UMEMS_LOG },                                         \
		[OBJ_MEMIC] = { 1, MEMIC_BYTES / PRM_MEMIC_UNIT },                          \
	}

/*
 * Device IDs are those of the mlx5 driver; subsystem IDs are boards of pci.ids, arbitrary for the
 * last three, which it does not list; firmware versions are released ones; PSIDs are our own. The
 * numbers are what such cards say with that firmware; Documentation/card-differences.rst tells
 * how far that is known. Cards before ConnectX-5 need the L2 header inline, and cannot insert a
 * VLAN tag. The protocols of ConnectX-6 Dx are those of a published card; 200 and 400 Gb/s are not
 * supported: these cards run at 100.
 */
static const struct card cards[] = {
	{
		.name = "cx4", .model = "ConnectX-4", .device_id = 0x1013, .vf_device_id = 0x1014,
		.subsystem_id = 0x0008, .fw_major = 12, .fw_minor = 28, .fw_sub = 2006,
		.psid = "CXR0000000004", .hw_id = 0x209, .clock_khz = 156250, .roce_addrs = 256,
		.pcie_gen = 3, .pcie_lanes = 16, .port_lanes = 4, .eth_proto = PROTO_100G,
		.inline_mode = PRM_INLINE_MODE_L2, COMMON(18, PDS_OLD, 20)
	},
	{
		.name = "cx4lx", .model = "ConnectX-4 Lx", .device_id = 0x1015,
		.vf_device_id = 0x1016, .subsystem_id = 0x0003, .fw_major = 14, .fw_minor = 32,
		.fw_sub = 1010, .psid = "CXR000000004L", .hw_id = 0x20b, .clock_khz = 156250,
		.roce_addrs = 255, .pcie_gen = 3, .pcie_lanes = 8, .port_lanes = 1,
		.eth_proto = PROTO_25G, .inline_mode = PRM_INLINE_MODE_VPORT,
		.phys_statistical = true, COMMON(17, PDS_NEW, 20)
	},
	{
		.name = "cx5", .model = "ConnectX-5", .device_id = 0x1017, .vf_device_id = 0x1018,
		.subsystem_id = 0x0007, .fw_major = 16, .fw_minor = 35, .fw_sub = 4030,
		.psid = "CXR0000000005", .hw_id = 0x20d, .clock_khz = 156250, .roce_addrs = 255,
		.pcie_gen = 3, .pcie_lanes = 16, .port_lanes = 4, .eth_proto = PROTO_100G,
		.inline_mode = PRM_INLINE_MODE_NOT_REQUIRED, .vlan_insert = true, .tunnels = true,
		.phys_statistical = true, COMMON(18, PDS_NEW, 20)
	},
	{
		.name = "cx6", .model = "ConnectX-6", .device_id = 0x101b, .vf_device_id = 0x101c,
		.subsystem_id = 0x0006, .fw_major = 20, .fw_minor = 37, .fw_sub = 1700,
		.psid = "CXR0000000006", .hw_id = 0x20f, .clock_khz = 156250, .roce_addrs = 255,
		.pcie_gen = 4, .pcie_lanes = 16, .port_lanes = 4, .eth_proto = PROTO_100G,
		.inline_mode = PRM_INLINE_MODE_NOT_REQUIRED, .vlan_insert = true, .tunnels = true,
		.phys_statistical = true, COMMON(17, PDS_NEW, 16)
	},
	{
		.name = "cx6dx", .model = "ConnectX-6 Dx", .device_id = 0x101d,
		.vf_device_id = 0x101e, .subsystem_id = 0x0016, .fw_major = 22, .fw_minor = 36,
		.fw_sub = 1010, .psid = "CXR000000006D", .hw_id = 0x212, .clock_khz = 1000000,
		.roce_addrs = 255, .pcie_gen = 4, .pcie_lanes = 16, .port_lanes = 4,
		.eth_proto = PROTO_100G, .ext_proto = PROTO_EXT_100G,
		.inline_mode = PRM_INLINE_MODE_NOT_REQUIRED, .vlan_insert = true, .tunnels = true,
		.port_select = true, .cc_general = true, .rdma_tables = true,
		.vnic_env_newer = true, .phys_statistical = true, COMMON(17, PDS_NEW, 19)
	},
	{
		.name = "cx7", .model = "ConnectX-7", .device_id = 0x1021, .vf_device_id = 0x101e,
		.subsystem_id = 0x0041, .fw_major = 28, .fw_minor = 38, .fw_sub = 1002,
		.psid = "CXR0000000007", .hw_id = 0x218, .clock_khz = 1000000, .roce_addrs = 255,
		.pcie_gen = 5, .pcie_lanes = 16, .port_lanes = 4, .eth_proto = PROTO_100G,
		.inline_mode = PRM_INLINE_MODE_NOT_REQUIRED, .vlan_insert = true, .tunnels = true,
		.port_select = true, .cc_general = true, .rdma_tables = true, .vpd_function = true,
		.vnic_env_newer = true, .phys_statistical = true, COMMON(17, PDS_NEW, 19)
	},
};

const struct card *card_nth(unsigned int n)
{
	return n < ARRAY_SIZE(cards) ? &cards[n] : NULL;
}

/* A VF, as passed through to a guest. */
const struct card *card_vf(const struct card *card)
{
	static struct card vfs[ARRAY_SIZE(cards)];
	struct card *vf = &vfs[card - cards];

	*vf = *card;
	vf->vf = true;
	vf->device_id = card->vf_device_id;
	vf->bar_bytes = VF_BAR;
	vf->memic_at = 0;
	vf->vectors = VF_VECTORS;
	vf->objs[OBJ_UAR] = (struct obj_range)UARS(VF_BAR);
	return vf;
}

const struct card *card_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cards); i++)
		if (strlen(cards[i].name) == len && !memcmp(cards[i].name, name, len))
			return &cards[i];
	return NULL;
}

void card_list(FILE *out)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cards); i++)
		fprintf(out, "%s (%s)%s", cards[i].name, cards[i].model,
			i + 1 < ARRAY_SIZE(cards) ? ", " : "");
}
