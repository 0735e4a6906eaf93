// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * usage: verbs_bench DEVICE DEVICE...            times
 *        verbs_bench --operations                list those that --run knows
 *        verbs_bench --run OPERATION N DEVICE    do it N times, and undo it
 *        verbs_bench --rules DEVICE FILE         times with rules for DSCPs, written to its FILE
 *
 * Times of verbs on the first device, compared with the others. The devices take turns, so that
 * load of the machine affects all of them; prints the median of many turns, in microseconds of the
 * guest. Each device talks to itself over an IPv4 RoCE v2 GID. With --run somebody else counts what
 * the device has to do.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define TURNS 31
#define DEVICES 4
#define LARGE 65536u
#define BUFFER (64u << 20)
#define REMOTE_WRITE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

struct dev {
	const char *name;
	struct ibv_device *device;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	union ibv_gid gid;
	int gid_index;
};

static void *memory;
static size_t memory_size;

static void die(const struct dev *d, const char *what)
{
	fprintf(stderr, "verbs_bench: %s: %s: %m\n", d->name, what);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

/* ---- measurements: microseconds per operation ------------------------------------------------ */

static struct ibv_ah_attr to_itself(const struct dev *d)
{
	return (struct ibv_ah_attr) { .is_global = 1, .port_num = 1,
		.grh = { .dgid = d->gid, .sgid_index = d->gid_index, .hop_limit = 1 } };
}

static void to_rts(const struct dev *d, struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = to_itself(d) };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS, .timeout = 17, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1 };

	if (ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die(d, "to INIT");
	if (ibv_modify_qp(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die(d, "to RTR");
	if (ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die(d, "to RTS");
}

static struct ibv_qp *make_qp(const struct dev *d)
{
	struct ibv_qp_init_attr init = { .send_cq = d->cq, .recv_cq = d->cq,
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = 32, .max_recv_wr = 32,
			 .max_send_sge = 1, .max_recv_sge = 1 } };
	struct ibv_qp *qp = ibv_create_qp(d->pd, &init);

	if (!qp)
		die(d, "QP");
	return qp;
}

static double qp_up(const struct dev *d, size_t unused)
{
	double t = now();
	struct ibv_qp *qp = make_qp(d);

	(void)unused;
	to_rts(d, qp, qp->qp_num);
	t = now() - t;
	ibv_destroy_qp(qp);
	return t;
}

static double qp_gone(const struct dev *d, size_t unused)
{
	struct ibv_qp *qp = make_qp(d);
	double t;

	(void)unused;
	to_rts(d, qp, qp->qp_num);
	t = now();
	if (ibv_destroy_qp(qp))
		die(d, "destroy QP");
	return now() - t;
}

/* Both ends: what two hosts do at the same time is done one after the other here. */
static double connection(const struct dev *d, size_t unused)
{
	double t = now();
	struct ibv_qp *one = make_qp(d), *other = make_qp(d);

	(void)unused;
	to_rts(d, one, other->qp_num);
	to_rts(d, other, one->qp_num);
	if (ibv_destroy_qp(one) || ibv_destroy_qp(other))
		die(d, "destroy QP");
	return now() - t;
}

/* What the device does for a program that begins and ends. */
static double process(const struct dev *d, size_t unused)
{
	double t = now();
	struct ibv_context *ctx = ibv_open_device(d->device);
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;

	(void)unused;
	if (!pd || ibv_dealloc_pd(pd) || ibv_close_device(ctx))
		die(d, "open and close");
	return now() - t;
}

static struct ibv_mr *reg_mr(const struct dev *d, size_t size)
{
	struct ibv_mr *mr = ibv_reg_mr(d->pd, memory, size, REMOTE_WRITE);

	if (!mr)
		die(d, "MR");
	return mr;
}

static double mr(const struct dev *d, size_t size)
{
	double t = now();
	struct ibv_mr *mr = reg_mr(d, size);

	t = now() - t;
	if (ibv_dereg_mr(mr))
		die(d, "deregister MR");
	return t;
}

static double mr_gone(const struct dev *d, size_t size)
{
	struct ibv_mr *mr = reg_mr(d, size);
	double t = now();

	if (ibv_dereg_mr(mr))
		die(d, "deregister MR");
	return now() - t;
}

static double cq(const struct dev *d, size_t entries)
{
	double t = now();
	struct ibv_cq *cq = ibv_create_cq(d->ctx, entries, NULL, NULL, 0);

	t = now() - t;
	if (!cq)
		die(d, "CQ");
	ibv_destroy_cq(cq);
	return t;
}

static double ah(const struct dev *d, size_t unused)
{
	struct ibv_ah_attr attr = to_itself(d);
	double t = now();
	struct ibv_ah *ah = ibv_create_ah(d->pd, &attr);

	(void)unused;
	t = now() - t;
	if (!ah)
		die(d, "AH");
	ibv_destroy_ah(ah);
	return t;
}

static void write_one(const struct dev *d, size_t size)
{
	struct ibv_sge sge = { .addr = (uintptr_t)memory, .length = size, .lkey = d->mr->lkey };
	struct ibv_send_wr *bad, wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = (uintptr_t)memory + BUFFER / 2, .rkey = d->mr->rkey } };

	if (ibv_post_send(d->qp, &wr, &bad))
		die(d, "post");
}

static void reap(const struct dev *d, int n)
{
	struct ibv_wc wc;

	while (n) {
		int got = ibv_poll_cq(d->cq, 1, &wc);

		if (got < 0 || (got && wc.status != IBV_WC_SUCCESS))
			die(d, got < 0 ? "poll" : ibv_wc_status_str(wc.status));
		n -= got;
	}
}

/* From post to completion, which follows the ACK. */
static double latency(const struct dev *d, size_t size)
{
	double t = now();

	write_one(d, size);
	reap(d, 1);
	return now() - t;
}

static double stream(const struct dev *d, size_t messages)
{
	double t = now();
	size_t i;

	for (i = 0; i < messages; i++)
		write_one(d, LARGE);
	reap(d, messages);
	return (now() - t) / messages;
}

static const struct measure {
	const char *what;
	double (*one)(const struct dev *d, size_t n);
	size_t n;
	const char *operation;	/* with what undoes it; NULL: not for --run */
} measures[] = {
	{ "process: open and close the device", process, 0, "process" },
	{ "connection: both QPs to RTS, destroyed", connection, 0, "connection" },
	{ "QP: create to RTS", qp_up, 0, "qp" },
	{ "QP: destroy", qp_gone, 0, NULL },
	{ "CQ of 256: create", cq, 255, "cq" },
	{ "AH: create", ah, 0, NULL },
	{ "MR of 4 KiB: register", mr, 4096, "mr-4k" },
	{ "MR of 4 KiB: deregister", mr_gone, 4096, NULL },
	{ "MR of 1 MiB: register", mr, 1 << 20, "mr-1m" },
	{ "MR of 1 MiB: deregister", mr_gone, 1 << 20, NULL },
	{ "MR of 1 GiB: register", mr, 1 << 30, NULL },
	{ "RC WRITE of 8 bytes: post to completion", latency, 8, NULL },
	{ "RC WRITE of 64 KiB, 16 at a time: each", stream, 16, NULL },
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* ---- rules for DSCPs ------------------------------------------------------------------------- */

#define RULES 1000
#define LIVE_QPS 1000
#define MODIFIES 20	/* in a turn */

static void write_rule(const char *file, const char *rule)
{
	FILE *f = fopen(file, "w");

	if (!f || fputs(rule, f) < 0 || fclose(f)) {
		fprintf(stderr, "verbs_bench: %s: '%s': %m\n", file, rule);
		exit(1);
	}
}

/* @n rules of one address each, none for the device's own; @tclass -1 removes them. */
static void write_rules(const char *file, int n, int tclass)
{
	char rule[64];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(rule, sizeof(rule), "dst_ip=10.200.%d.%d/32,tclass=%d\n", i / 250,
			 i % 250, tclass);
		write_rule(file, rule);
	}
}

/* The modification that looks a rule up, to RTR, and that to RTS. */
static double modify(const struct dev *d)
{
	double t = 0, start;
	int i;

	for (i = 0; i < MODIFIES; i++) {
		struct ibv_qp *qp = make_qp(d);

		start = now();
		to_rts(d, qp, qp->qp_num);
		t += now() - start;
		ibv_destroy_qp(qp);
	}
	return t / MODIFIES;
}

static double median(double *t)
{
	qsort(t, TURNS, sizeof(t[0]), compare);
	return t[TURNS / 2];
}

/* Each turn has all three numbers of rules, so that load of the machine affects all of them. */
static void rules_and_modify(const struct dev *d, const char *file)
{
	static const int numbers[] = { 0, 1, RULES };
	static double t[3][TURNS];
	int i, turn;

	for (turn = 0; turn < TURNS; turn++)
		for (i = 0; i < 3; i++) {
			write_rules(file, numbers[i], 96);
			modify(d);
			t[i][turn] = modify(d);
			write_rules(file, numbers[i], -1);
		}
	printf("%-42s %10s %10s %10s %8s %8s\n", "rules", "0", "1", "1000", "1/0", "1000/0");
	printf("%-42s", "QP: RESET to RTS");
	for (i = 0; i < 3; i++)
		printf(" %10.1f", median(t[i]));
	printf(" %8.2f %8.2f\n", t[1][TURNS / 2] / t[0][TURNS / 2],
	       t[2][TURNS / 2] / t[0][TURNS / 2]);
}

/* A rule is written that concerns none, or all, of the connections that there are. */
static void rules_and_live(struct dev *d, const char *file)
{
	static struct ibv_qp *qps[LIVE_QPS];
	static double none[TURNS], all[TURNS];
	char rule[64];
	double start;
	int i, turn;

	for (i = 0; i < LIVE_QPS; i++) {
		qps[i] = make_qp(d);
		to_rts(d, qps[i], qps[i]->qp_num);
	}
	for (turn = 0; turn < TURNS; turn++) {
		start = now();
		snprintf(rule, sizeof(rule), "dst_ip=10.200.0.1/32,tclass=%d\n", 4 * (turn + 1));
		write_rule(file, rule);
		none[turn] = now() - start;
		start = now();
		snprintf(rule, sizeof(rule), "tclass=%d\n", 4 * (turn + 1));
		write_rule(file, rule);
		all[turn] = now() - start;
	}
	write_rule(file, "dst_ip=10.200.0.1/32,tclass=-1\n");
	write_rule(file, "tclass=-1\n");
	printf("%-42s %10.1f\n", "a rule for none of 1000 live QPs", median(none));
	printf("%-42s %10.1f %10.1f each\n", "a rule for all of 1000 live QPs", median(all),
	       all[TURNS / 2] / LIVE_QPS);
	for (i = 0; i < LIVE_QPS; i++)
		ibv_destroy_qp(qps[i]);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void find_gid(struct dev *d)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry entries[256];
	ssize_t i, n = ibv_query_gid_table(d->ctx, entries, 256, 0);

	for (i = 0; i < n; i++)
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(&entries[i].gid, v4, sizeof(v4))) {
			d->gid = entries[i].gid;
			d->gid_index = entries[i].gid_index;
			return;
		}
	die(d, "no IPv4 RoCE v2 GID");
}

static void open_dev(struct dev *d)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), d->name)) {
			d->device = list[i];
			d->ctx = ibv_open_device(list[i]);
		}
	if (!d->ctx)
		die(d, "cannot be opened");
	/* The list keeps the device for process(). */
	d->pd = ibv_alloc_pd(d->ctx);
	d->cq = ibv_create_cq(d->ctx, 64, NULL, NULL, 0);
	d->mr = ibv_reg_mr(d->pd, memory, BUFFER, REMOTE_WRITE);
	if (!d->pd || !d->cq || !d->mr)
		die(d, "has no PD, CQ or MR");
	find_gid(d);
	d->qp = make_qp(d);
	to_rts(d, d->qp, d->qp->qp_num);
}

static void measure(const struct measure *m, struct dev *devs, int n)
{
	static double t[DEVICES][TURNS];
	int i, j, turn;

	/* The first run is a warm-up: the device was idle, and may be asleep. */
	for (turn = 0; turn < TURNS; turn++)
		for (j = 0; j < n; j++) {
			i = (turn + j) % n;
			m->one(&devs[i], m->n);
			t[i][turn] = m->one(&devs[i], m->n);
		}
	printf("%-42s", m->what);
	for (i = 0; i < n; i++) {
		qsort(t[i], TURNS, sizeof(t[i][0]), compare);
		printf(" %10.1f", t[i][TURNS / 2]);
	}
	for (i = 1; i < n; i++)
		printf(" %8.2f", t[0][TURNS / 2] / t[i][TURNS / 2]);
	printf("\n");
	fflush(stdout);
}

/* Enough for the largest MR, if the guest has as much memory. */

static void map_memory(void)
{
	memory_size = 1ul << 30;
	memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory != MAP_FAILED)
		return;
	memory_size = BUFFER;
	memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		perror("verbs_bench: memory");
		exit(1);
	}
}

static int run_rules(const char *name, const char *file)
{
	struct dev d = { .name = name };

	map_memory();
	open_dev(&d);
	rules_and_modify(&d, file);
	rules_and_live(&d, file);
	return 0;
}

#define MEASURES ((int)(sizeof(measures) / sizeof(measures[0])))

static int list_operations(void)
{
	int i;

	for (i = 0; i < MEASURES; i++)
		if (measures[i].operation)
			printf("%s\n", measures[i].operation);
	return 0;
}

static int run_operation(const char *operation, int n, const char *name)
{
	struct dev d = { .name = name };
	int i, turn;

	for (i = 0; i < MEASURES; i++)
		if (measures[i].operation && !strcmp(measures[i].operation, operation))
			break;
	if (i == MEASURES) {
		fprintf(stderr, "verbs_bench: there is no operation '%s'\n", operation);
		return 2;
	}
	map_memory();
	open_dev(&d);
	for (turn = 0; turn < n; turn++)
		measures[i].one(&d, measures[i].n);
	return 0;
}

int main(int argc, char **argv)
{
	struct dev devs[DEVICES] = { 0 };
	int i, n = argc - 1;

	if (argc == 2 && !strcmp(argv[1], "--operations"))
		return list_operations();
	if (argc == 5 && !strcmp(argv[1], "--run"))
		return run_operation(argv[2], atoi(argv[3]), argv[4]);
	if (argc == 4 && !strcmp(argv[1], "--rules"))
		return run_rules(argv[2], argv[3]);
	if (n < 2 || n > DEVICES || argv[1][0] == '-') {
		fprintf(stderr, "usage: verbs_bench DEVICE DEVICE...\n");
		fprintf(stderr, "       verbs_bench --operations\n");
		fprintf(stderr, "       verbs_bench --run OPERATION N DEVICE\n");
		fprintf(stderr, "       verbs_bench --rules DEVICE FILE\n");
		return 2;
	}
	map_memory();
	for (i = 0; i < n; i++) {
		devs[i].name = argv[i + 1];
		open_dev(&devs[i]);
	}
	for (i = 0; i < MEASURES; i++) {
		if (measures[i].one == mr && measures[i].n > memory_size)
			printf("%-42s does not fit into this guest\n", measures[i].what);
		else
			measure(&measures[i], devs, n);
	}
	return 0;
}
