/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Stages: the steps in which a device, its netdev and its RDMA device come up. They go down in the
 * reverse order, on removal as on an error.
 */
#ifndef CXR_STAGE_H
#define CXR_STAGE_H

#include <linux/device.h>
#include <linux/kernel.h>

/*
 * All there are, in the order in which they come up: X(name, up, down). The names are what the
 * module parameter fail_stage takes. cxr.h says what each stage is for.
 */
#define CXR_CORE_STAGES(X)							\
	X("pci",		pci_up,			pci_down)		\
	X("cmdq",		cxr_cmdq_up,		cxr_cmdq_down)		\
	X("hca",		cxr_hca_up,		cxr_hca_down)		\
	X("uar",		cxr_uar_up,		cxr_uar_down)		\
	X("irq",		cxr_irq_up,		cxr_irq_down)		\
	X("eq",			cxr_eq_up,		cxr_eq_down)		\
	X("ports",		cxr_ports_up,		NULL)			\
	X("health",		cxr_health_up,		cxr_health_down)	\
	X("clients",		clients_up,		clients_down)

#define CXR_EN_STAGES(X)							\
	X("en:port",		port_up,		NULL)			\
	X("en:base",		base_up,		base_down)		\
	X("en:wq",		wq_up,			wq_down)		\
	X("en:netdev",		netdev_up,		netdev_down)		\
	X("en:client",		client_up,		client_down)

#define CXR_IB_STAGES(X)							\
	X("ib:uar",		uar_up,			uar_down)		\
	X("ib:roce",		roce_up,		roce_down)		\
	X("ib:gids",		cxr_ib_gids_up,		cxr_ib_gids_down)	\
	X("ib:counters",	cxr_ib_counters_up,	cxr_ib_counters_down)	\
	X("ib:clock",		cxr_ib_clock_up,	cxr_ib_clock_down)	\
	X("ib:xrc",		NULL,			cxr_ib_xrc_down)	\
	X("ib:umr",		NULL,			cxr_ib_umr_down)	\
	X("ib:client",		client_up,		client_down)		\
	X("ib:device",		device_up,		device_down)

/**
 * struct cxr_stage - a step
 * @name: as fail_stage has it
 * @up: 0 or an error, and then nothing of this stage is left; NULL: it comes up when it is wanted
 * @down: NULL: there is nothing to undo
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
 * struct cxr_stages - how far something has come up
 * @table: its stages
 * @count: how many they are
 * @up: how many of them are up
 * @owner: what comes up
 * @dev: in whose name the log is written
 */
struct cxr_stages {
	const struct cxr_stage *table;
	unsigned int count;
	unsigned int up;
	void *owner;
	struct device *dev;
};

/* None of @stages, an array, is up. */
#define CXR_STAGES_DOWN(stages, who, device) ((struct cxr_stages){	\
	.table = (stages), .count = ARRAY_SIZE(stages), .owner = (who), .dev = (device) })

/*
 * All that are not up yet. If one fails, or fail_stage names one, the log says which, and those
 * from number @first on are down at the end.
 */
int cxr_stages_up(struct cxr_stages *stages, unsigned int first);
/* The stages from number @first on, which goes down last. */
void cxr_stages_down(struct cxr_stages *stages, unsigned int first);

#endif
