/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * DEVX: commands that a program composes, and the driver passes to the device. What they do, and
 * which object they are about. The device verifies that the object belongs to the program's
 * context; the driver, that it is the one whose handle the program has.
 *
 * A command has 16 bytes at least. Its fields are read, and written, only as far as it is long.
 */
#ifndef CXR_CODEC_DEVX_H
#define CXR_CODEC_DEVX_H

#include <linux/types.h>
#include "prm/eqe.h"

#define CXR_DEVX_MIN 16		/* bytes of a command, and of its output */

#define CXR_DEVX_EVENT_COMP 0	/* completion of a CQ */

enum cxr_devx_use {
	CXR_DEVX_GENERAL,	/* about no object */
	CXR_DEVX_CREATE,
	CXR_DEVX_MODIFY,
	CXR_DEVX_QUERY,
};

enum cxr_devx_kind {
	CXR_DEVX_NO_OBJECT,
	CXR_DEVX_PD, CXR_DEVX_TD, CXR_DEVX_XRCD, CXR_DEVX_MKEY, CXR_DEVX_PSV, CXR_DEVX_CQ,
	CXR_DEVX_QP, CXR_DEVX_XRC_SRQ, CXR_DEVX_RMP, CXR_DEVX_XRQ, CXR_DEVX_DCT,
	CXR_DEVX_MCG, CXR_DEVX_SQ, CXR_DEVX_RQ, CXR_DEVX_RQT, CXR_DEVX_TIR, CXR_DEVX_TIS,
	CXR_DEVX_Q_COUNTER, CXR_DEVX_FLOW_TABLE, CXR_DEVX_FLOW_GROUP, CXR_DEVX_FTE,
	CXR_DEVX_FLOW_COUNTER, CXR_DEVX_REFORMAT, CXR_DEVX_MODIFY_HEADER, CXR_DEVX_SCHEDULING,
	CXR_DEVX_VXLAN_PORT, CXR_DEVX_L2_ENTRY, CXR_DEVX_OTHER,
	CXR_DEVX_KINDS
};

struct cxr_devx_id {
	enum cxr_devx_kind kind;
	u16 type;		/* of CXR_DEVX_OTHER */
	u32 num;
};

/* A command that gives an object back. */
struct cxr_devx_destroy {
	__be32 in[16];
	u32 len;
};

/* For people. */
u16 cxr_devx_opcode(const void *in);
/* What a command creates. */
enum cxr_devx_kind cxr_devx_kind(const void *in);
/* May programs use the command so? Not for another function, and not for several objects. */
bool cxr_devx_allowed(const void *in, enum cxr_devx_use use);
/* The device answers it to any program. */
bool cxr_devx_is_public(const void *in);
void cxr_devx_set_uid(void *in, u16 uid);

/*
 * A command that creates or modifies: the memory of its object is that of umems, whatever the
 * program wrote, since addresses of others would be physical ones; no QP is given another doorbell
 * record, and no CQ another EQ, on its way. -EINVAL: that, a key of physical addresses, or the
 * command ends before the field that says so.
 */
int cxr_devx_use_umems(void *in, u32 len);
/* -EINVAL: the command that creates an object, or its output, ends before the object's number. */
int cxr_devx_check_create(const void *in, u32 len, u32 out_len);
/* The object that a command modifies or queries. -EINVAL: it ends before the number. */
int cxr_devx_object(const void *in, u32 len, enum cxr_devx_use use, struct cxr_devx_id *id);
/* The object that a command, checked before, has created, and how to give it back. */
void cxr_devx_created(const void *in, const void *out, struct cxr_devx_id *id,
		      struct cxr_devx_destroy *destroy);
/* The command that gives a umem back. */
void cxr_devx_destroy_umem(u16 uid, u32 umem, struct cxr_devx_destroy *destroy);
/* How many flow counters ALLOC_FLOW_COUNTER creates, from the number on; 0: one. */
u32 cxr_devx_flow_counters(const void *in);
/* How many parts of other keys one of CREATE_MKEY, checked before, refers to; 0: it has none. */
u32 cxr_devx_mkey_parts(const void *in);
/*
 * The EQ of CREATE_CQ. @apu: the device has CQs whose events go elsewhere. -ENODATA: it is one of
 * these. -ENOENT: there is none of this number. -EINVAL: @len.
 */
int cxr_devx_cq_eqn(const void *in, u32 len, bool apu);

/* ---- events ---- */

#define CXR_DEVX_EVENT_WORDS 4

/* Which events programs may have: of objects, of the device. A bit for each. */
struct cxr_devx_events {
	u64 affiliated[CXR_DEVX_EVENT_WORDS], unaffiliated[CXR_DEVX_EVENT_WORDS];
};

/* @events: what the device says, or NULL: it says nothing, and has the older events. */
bool cxr_devx_event_allowed(const struct cxr_devx_events *events, u16 event, bool object);
/* Can an object of this kind have the event? Numbers are unique only among those that can. */
bool cxr_devx_event_fits(u16 event, const struct cxr_devx_id *id);
/* Event and type of the object: numbers are unique among these. */
u32 cxr_devx_event_key(u16 event, const struct cxr_devx_id *id);

struct cxr_devx_source {
	bool object;	/* else the device, and @key is the event */
	u32 key;	/* as of cxr_devx_event_key() */
	u32 num;
};

void cxr_devx_event_source(const struct prm_eqe *eqe, const struct cxr_devx_events *events,
			   struct cxr_devx_source *source);

#endif
