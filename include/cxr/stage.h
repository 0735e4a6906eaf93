/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Stages: the steps that bring up a device, its netdev and its RDMA device. Removal and errors take
 * them down in reverse order.
 */
#ifndef CXR_STAGE_H
#define CXR_STAGE_H

#include <linux/device.h>
#include <linux/kernel.h>

/*
 * All stages in the order of bring-up: X(name, up, down). The module parameter fail_stage takes the
 * names. cxr.h says what each stage is for.
 */
#define CXR_CORE_STAGES(X)							\
	X("pci",		pci_up,			pci_down)		\
	X("cmdq",		cxr_cmdq_up,		cxr_cmdq_down)		\
	X("hca",		cxr_hca_up,		cxr_hca_down)		\
	X("uar",		cxr_uar_up,		cxr_uar_down)		\
	X("irq",		cxr_irq_up,		cxr_irq_down)		\
	X("eq",			cxr_eq_up,		cxr_eq_down)		\
	X("ports",		cxr_ports_up,		NULL)			\
	X("clock",		cxr_clock_up,		cxr_clock_down)		\
	X("cong",		cxr_cong_up,		cxr_cong_down)		\
	X("health",		cxr_health_up,		cxr_health_down)	\
	X("clients",		clients_up,		clients_down)		\
	X("vfs",		cxr_vfs_up,		cxr_vfs_down)

#define CXR_EN_STAGES(X)							\
	X("en:port",		port_up,		NULL)			\
	X("en:base",		base_up,		base_down)		\
	X("en:devlink",		cxr_en_devlink_up,	cxr_en_devlink_down)	\
	X("en:wq",		wq_up,			wq_down)		\
	X("en:tunnel",		cxr_en_tunnel_up,	cxr_en_tunnel_down)	\
	X("en:dcb",		cxr_en_dcb_up,		NULL)			\
	X("en:link",		cxr_en_link_up,		NULL)			\
	X("en:netdev",		netdev_up,		netdev_down)		\
	X("en:client",		client_up,		client_down)

#define CXR_IB_STAGES(X)							\
	X("ib:uar",		uar_up,			uar_down)		\
	X("ib:roce",		roce_up,		roce_down)		\
	X("ib:gids",		cxr_ib_gids_up,		cxr_ib_gids_down)	\
	X("ib:counters",	cxr_ib_counters_up,	cxr_ib_counters_down)	\
	X("ib:devx",		cxr_ib_devx_up,		cxr_ib_devx_down)	\
	X("ib:dm",		cxr_ib_dm_up,		cxr_ib_dm_down)		\
	X("ib:xrc",		NULL,			cxr_ib_xrc_down)	\
	X("ib:umr",		NULL,			cxr_ib_mkeys_down)	\
	X("ib:odp",		cxr_ib_odp_up,		cxr_ib_odp_down)	\
	X("ib:client",		client_up,		client_down)		\
	X("ib:device",		device_up,		device_down)		\
	X("ib:force",		cxr_ib_force_up,	cxr_ib_force_down)

/**
 * struct cxr_stage - a step of bring-up
 * @name: for fail_stage
 * @up: returns 0, or an error after undoing the stage; NULL: the stage comes up on first use
 * @down: NULL: nothing to undo
 *
 * Both get &cxr_stages.owner, and may sleep.
 */
struct cxr_stage {
	const char *name;
	int (*up)(void *owner);
	void (*down)(void *owner);
};

#define CXR_STAGE(name, up, down) { name, up, down },

/**
 * struct cxr_stages - bring-up state of an owner
 * @table: its stages
 * @count: number of stages
 * @up: number of stages that are up
 * @owner: argument of the callbacks
 * @dev: device for log messages
 */
struct cxr_stages {
	const struct cxr_stage *table;
	unsigned int count;
	unsigned int up;
	void *owner;
	struct device *dev;
};

/* Initializer: no stage of the array @stages is up. */
#define CXR_STAGES_DOWN(stages, who, device) ((struct cxr_stages){	\
	.table = (stages), .count = ARRAY_SIZE(stages), .owner = (who), .dev = (device) })

/*
 * Brings up all stages that are not up. If one fails, or is named by fail_stage, it is logged and
 * the stages from number @first on are taken down.
 */
int cxr_stages_up(struct cxr_stages *stages, unsigned int first);
/* Takes down the stages from number @first on, in reverse order. */
void cxr_stages_down(struct cxr_stages *stages, unsigned int first);

#endif
