/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* DC transport for the tests of the RDMA engine: targets on a side, and initiators to them. */
#ifndef CXEMU_TEST_RDMA_DC_H
#define CXEMU_TEST_RDMA_DC_H

#include "rdma.h"

#define DC_KEY		0x1122334455667788ull
#define DC_USER_INDEX	0x321

struct tdct {
	struct side *side;
	uint32_t num;
	struct tsrq srq;
	unsigned int addr;
};

struct dct_opts {
	unsigned int addr, mtu;
	uint64_t key;		/* 0: DC_KEY */
	bool no_rights;
	uint32_t counter, pd, uid;
	unsigned int log_srq;	/* 0: 6 */
};

void must(int status, const char *what);	/* or the test program ends */
void dc_open(void);	/* sides_open() on a card that has DC transport */
/* With a shared receive queue of its own. The status of CREATE_DCT. */
int create_dct(struct tdct *dct, struct side *side, struct tcq *cq, const struct dct_opts *o);
int dct_command(struct tdct *dct, uint16_t opcode);	/* destroy, drain, arm */
struct prm_dctc query_dct(struct tdct *dct);
void close_dct(struct tdct *dct);	/* drains and destroys it */
/* An initiator in RTS. */
void create_dci(struct tqp *qp, struct side *side, struct tcq *cq, const struct qp_opts *o);
void dci_to_rts(struct tqp *qp, const struct qp_opts *o);
void destroy_dci(struct tqp *qp);
struct wr dc_send(const struct tdct *dct, uint32_t len);
/* WRITE, READ, atomics at @off of the target's buffer. */
struct wr dc_rdma(const struct tdct *dct, uint8_t opcode, uint64_t off, uint32_t len);
void dct_recv(struct tdct *dct, uint64_t off, uint32_t len);	/* posts a receive */
/* Settles; of the next completion: 0: success, 0xff: there is none, else the syndrome. */
unsigned int dc_result(struct tcq *cq);

#endif
