// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The command queue and the commands of the function as a whole: bring-up, refusals, pages, leaks,
 * reset.
 */
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "prm/caps.h"
#include "prm/vport.h"
#include "vfu_client.h"

#define DELIVERY(d) (PRM_DELIVERY_##d << 8)

static int nothing(struct client *c, const struct corruption *corrupt)
{
	struct prm_query_issi_in in = {};
	struct prm_query_issi_out out = {};

	prm_set(&in, opcode, PRM_OP_query_issi);
	return cmd_exec(c, &in, sizeof(in), &out, sizeof(out), corrupt);
}

static int caps(struct client *c, unsigned int op_mod, struct prm_query_hca_cap_out *out)
{
	struct prm_query_hca_cap_in in = {};

	prm_set(&in, op_mod, op_mod);
	return cmd(c, query_hca_cap, &in, out);
}

static void test_delivery(struct client *c)
{
	struct prm_set_hca_cap_in *big = calloc(1, sizeof(*big));
	struct prm_set_hca_cap_out out = {};

	ktap(nothing(c, &(struct corruption){ .bad_type = true }) == DELIVERY(CMD_TYPE),
	     "a slot of unknown type gets a delivery error");
	ktap(nothing(c, &(struct corruption){ .bad_signature = true }) == DELIVERY(SIGNATURE),
	     "a slot with a wrong signature gets a delivery error");
	ktap(nothing(c, &(struct corruption){ .in_len = 12 }) == DELIVERY(IN_LEN),
	     "an input length of 12 bytes gets a delivery error");
	ktap(nothing(c, &(struct corruption){ .in_len = 0x7ffffffc }) == DELIVERY(IN_LEN),
	     "an input length of 2 GiB gets a delivery error");
	ktap(nothing(c, &(struct corruption){ .out_len = 4 }) == DELIVERY(OUT_LEN),
	     "an output length of 4 bytes gets a delivery error");
	prm_set(big, opcode, PRM_OP_set_hca_cap);
	ktap(cmd_exec(c, big, sizeof(*big), &out, sizeof(out),
		      &(struct corruption){ .wrong_token = true }) == DELIVERY(TOKEN),
	     "a mailbox with another token gets a delivery error");
	ktap(cmd_exec(c, big, sizeof(*big), &out, sizeof(out),
		      &(struct corruption){ .wrong_block = true }) == DELIVERY(BLOCK_NUM),
	     "mailboxes out of order get a delivery error");
	ktap(cmd_exec(c, big, sizeof(*big), &out, sizeof(out),
		      &(struct corruption){ .bad_signature = true }) == DELIVERY(SIGNATURE),
	     "a mailbox with a wrong signature gets a delivery error");
	free(big);
}

static void test_before_enable(struct client *c)
{
	struct prm_alloc_pd_in pd = {};
	struct prm_alloc_pd_out out = {};
	struct prm_init_hca_in init = {};
	struct prm_init_hca_out init_out = {};
	struct prm_enable_hca_in en = {};
	struct prm_enable_hca_out en_out;

	ktap(nothing(c, NULL) == PRM_STATUS_BAD_SYS_STATE,
	     "QUERY_ISSI is refused before ENABLE_HCA");
	prm_set(&en, function_id, 1);
	ktap(cmd(c, enable_hca, &en, &en_out) == PRM_STATUS_BAD_PARAM,
	     "ENABLE_HCA of another function is refused");
	prm_set(&en, function_id, 0);
	ktap(!cmd(c, enable_hca, &en, &en_out), "ENABLE_HCA succeeds");
	ktap(cmd(c, enable_hca, &en, &en_out) == PRM_STATUS_BAD_SYS_STATE,
	     "a second ENABLE_HCA is refused");
	ktap(cmd(c, alloc_pd, &pd, &out) == PRM_STATUS_BAD_SYS_STATE,
	     "ALLOC_PD is refused before INIT_HCA");
	ktap(cmd(c, init_hca, &init, &init_out) == PRM_STATUS_BAD_SYS_STATE,
	     "INIT_HCA is refused without pages");
}

static void test_checks(struct client *c)
{
	struct prm_alloc_pd_in pd = {};
	struct prm_alloc_pd_out pd_out = {};
	struct prm_dealloc_pd_in de = {};
	struct prm_dealloc_pd_out de_out = {};
	uint8_t raw[32] = {}, out[32] = {};
	uint32_t first;

	prm_set((struct prm_mbox_in *)raw, opcode, 0xfff);
	ktap(cmd_exec(c, raw, 16, out, 16, NULL) == PRM_STATUS_BAD_OP && cmd_syndrome(out),
	     "an unknown opcode is refused");
	prm_set((struct prm_mbox_in *)raw, opcode, PRM_OP_alloc_pd);
	ktap(cmd_exec(c, raw, 32, out, 16, NULL) == PRM_STATUS_BAD_INP_LEN,
	     "input longer than the layout is refused");
	raw[12] = 0x80;
	ktap(cmd_exec(c, raw, 16, out, 16, NULL) == PRM_STATUS_BAD_PARAM,
	     "a set reserved bit is refused");
	prm_set(&pd, uid, 5);
	ktap(cmd(c, alloc_pd, &pd, &pd_out) == PRM_STATUS_BAD_RES,
	     "an unknown user context is refused");
	prm_set(&pd, uid, 0);
	ktap(!cmd(c, alloc_pd, &pd, &pd_out), "ALLOC_PD succeeds");
	first = prm_get(&pd_out, pd);
	prm_set(&de, pd, first);
	ktap(!cmd(c, dealloc_pd, &de, &de_out), "DEALLOC_PD succeeds");
	ktap(cmd(c, dealloc_pd, &de, &de_out) == PRM_STATUS_BAD_RES,
	     "DEALLOC_PD of a stale number is refused");
	ktap(!cmd(c, alloc_pd, &pd, &pd_out) && prm_get(&pd_out, pd) != first,
	     "a freed number is not reused at once");
	prm_set(&de, pd, prm_get(&pd_out, pd));
	cmd(c, dealloc_pd, &de, &de_out);
}

static void test_caps(struct client *c)
{
	struct prm_query_hca_cap_out *out = calloc(1, sizeof(*out));
	struct prm_set_hca_cap_in *in = calloc(1, sizeof(*in));
	struct prm_set_hca_cap_out set_out;
	struct prm_cmd_hca_cap *cap = prm_tail((struct prm_mbox_out *)(void *)out);

	ktap(!caps(c, 1, out) && prm_get(cap, roce) && prm_get(cap, rc),
	     "QUERY_HCA_CAP returns the current capabilities");
	memcpy(prm_tail((struct prm_mbox_in *)(void *)in), cap, 0x1000);
	ktap(!cmd(c, set_hca_cap, in, &set_out), "SET_HCA_CAP accepts unchanged capabilities");
	cap = prm_tail((struct prm_mbox_in *)(void *)in);
	prm_set(cap, log_max_qp, 31);
	ktap(cmd(c, set_hca_cap, in, &set_out) == PRM_STATUS_BAD_PARAM,
	     "SET_HCA_CAP refuses a value above the maximum");
	prm_set(cap, log_max_qp, 10);
	ktap(!cmd(c, set_hca_cap, in, &set_out), "SET_HCA_CAP accepts a value below the maximum");
	prm_set(cap, dct, 1);
	ktap(cmd(c, set_hca_cap, in, &set_out) == PRM_STATUS_BAD_PARAM,
	     "SET_HCA_CAP refuses an unsupported capability");
	ktap(caps(c, 2 * 0x7f, out) == PRM_STATUS_BAD_PARAM,
	     "QUERY_HCA_CAP refuses an unknown type");
	free(in);
	free(out);
}

static int alloc_uars(struct client *c, uint32_t *uars, unsigned int n)
{
	struct prm_alloc_uar_in in = {};
	struct prm_alloc_uar_out out;
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		err = cmd(c, alloc_uar, &in, &out);
		uars[i] = prm_get(&out, uar);
	}
	return err;
}

static int free_uars(struct client *c, const uint32_t *uars, unsigned int n)
{
	struct prm_dealloc_uar_in in = {};
	struct prm_dealloc_uar_out out;
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		prm_set(&in, uar, uars[i]);
		err = cmd(c, dealloc_uar, &in, &out);
	}
	return err;
}

/*
 * With many objects the card wants more pages, makes no more without them, and gives them back
 * afterwards.
 */
static void test_pages(struct client *c)
{
	uint32_t uars[1200];
	struct prm_query_pages_in q = {};
	struct prm_query_pages_out r;
	unsigned int n;

	for (n = 0; n < 1200 && !alloc_uars(c, uars + n, 1); n++)
		;
	ktap(n >= 512 && n < 1200, "without more pages no object beyond %u can be created", n);
	prm_set(&q, op_mod, 3);
	ktap(!cmd(c, query_pages, &q, &r) && (int32_t)prm_get(&r, num_pages) > 0,
	     "QUERY_PAGES asks for more pages");
	ktap(!give_pages(c, 3) && !alloc_uars(c, uars + n, 100),
	     "with more pages objects can be created again");
	n += 100;
	ktap(!free_uars(c, uars, n), "all UARs can be freed");
	ktap(!give_pages(c, 2), "without the objects no extra pages are needed");
}

static void test_page_refusals(struct client *c)
{
	struct { struct prm_manage_pages_in hdr; __be64 pas[2]; } m = {};
	struct prm_manage_pages_out o;

	prm_set(&m.hdr, opcode, PRM_OP_manage_pages);
	prm_set(&m.hdr, op_mod, 1);
	prm_set(&m.hdr, input_num_entries, 1);
	m.pas[0] = cpu_to_be64(RAM_IOVA + (1 << 20));
	ktap(cmd_exec(c, &m, sizeof(m), &o, sizeof(o), NULL) == PRM_STATUS_BAD_PARAM,
	     "a page that was already given is refused");
	m.pas[0] = cpu_to_be64(RAM_IOVA + 100);
	ktap(cmd_exec(c, &m, sizeof(m), &o, sizeof(o), NULL) == PRM_STATUS_BAD_PARAM,
	     "a misaligned page is refused");
	prm_set(&m.hdr, input_num_entries, 3);
	ktap(cmd_exec(c, &m, sizeof(m), &o, sizeof(o), NULL) == PRM_STATUS_BAD_INP_LEN,
	     "a page count beyond the input is refused");
}

static int set_address(struct client *c, unsigned int index, unsigned int version, unsigned int l3,
		       const uint8_t gid[16], unsigned int vlan)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0xab, 0xcd };
	struct prm_set_roce_address_in in = {};

	prm_set(&in, roce_address_index, index);
	prm_set(&in, roce_address.roce_version, version);
	prm_set(&in, roce_address.roce_l3_type, l3);
	prm_set(&in, roce_address.vlan_valid, !!vlan);
	prm_set(&in, roce_address.vlan_id, vlan);
	memcpy(prm_bytes(&in, roce_address.source_l3_address), gid, 16);
	if (gid[0] || gid[15])
		memcpy(prm_bytes(&in, roce_address.source_mac_47_32), mac, 6);
	return cmd(c, set_roce_address, &in, &(struct prm_set_roce_address_out){});
}

/* What `gids` says is what was set, entry by entry. */
static void test_gids(struct client *c, struct emu *emu)
{
	static const uint8_t none[16];
	static const uint8_t v4[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
	static const uint8_t v6[16] = { 0xfd, 0, [15] = 1 };

	ktap(!set_address(c, 0, PRM_ROCE_V1, 0, v6, 0) &&
	     !set_address(c, 7, PRM_ROCE_V2, PRM_ROCE_L3_IPV4, v4, 100) &&
	     !set_address(c, 254, PRM_ROCE_V2, PRM_ROCE_L3_IPV6, v6, 0) &&
	     set_address(c, 255, PRM_ROCE_V1, 0, v6, 0) == PRM_STATUS_IX,
	     "the RoCE address table has 255 entries");
	ktap(!strcmp(emu_control(emu, "gids f0"),
		     "function f0: 3 of 255 addresses\n"
		     "  0 fd00:0000:0000:0000:0000:0000:0000:0001 v1 02:00:00:00:ab:cd -\n"
		     "  7 0000:0000:0000:0000:0000:ffff:0a00:0001 v2/IPv4 02:00:00:00:ab:cd 100\n"
		     "  254 fd00:0000:0000:0000:0000:0000:0000:0001 v2/IPv6 02:00:00:00:ab:cd -\n"
		     "ok\n"),
	     "gids prints the entries that are set");
	set_address(c, 0, 0, 0, none, 0);
	set_address(c, 7, 0, 0, none, 0);
	set_address(c, 254, 0, 0, none, 0);
	ktap(!strcmp(emu_control(emu, "gids"), "function f0: 0 of 255 addresses\nok\n"),
	     "gids of all functions does not print cleared entries");
	ktap(!strcmp(emu_control(emu, "gids f9"), "error: gids: no function 'f9'\n"),
	     "gids of an unknown function is an error");
}

/* Begins a capture by @line on a connection of its own; the first bytes of what comes. */
static int begin_stream(struct emu *emu, const char *line, char *got, size_t room)
{
	int fd = control_connect(emu);
	ssize_t n;

	dprintf(fd, "%s\n", line);
	memset(got, 0, room);
	n = read(fd, got, room - 1);
	return n > 0 ? fd : -1;
}

static void test_capture(struct emu *emu)
{
	char fifo[120], file[120], line[160], got[256];
	unsigned int tries;
	int fd, pipe_fd;

	snprintf(fifo, sizeof(fifo), "%s/fifo", emu->dir);
	snprintf(file, sizeof(file), "%s/file", emu->dir);
	fd = begin_stream(emu, "capture - f0", got, sizeof(got));
	ktap(fd >= 0 && !memcmp(got, "\x0a\x0d\x0d\x0a", 4) &&
	     strstr(emu_control(emu, "status"), "capture - of f0: 0 frames, 0 lost"),
	     "the control socket streams a capture of a port");
	close(fd);
	for (tries = 0; tries < 500 && strstr(emu_control(emu, "status"), "capture -"); tries++)
		usleep(10000);
	ktap(tries < 500, "a streamed capture ends with its connection");
	fd = begin_stream(emu, "capture - f9", got, sizeof(got));
	ktap(!strcmp(got, "error: there is no port 'f9'\n"),
	     "a capture of an unknown port is refused");
	close(fd);
	snprintf(line, sizeof(line), "capture %s", fifo);
	mkfifo(fifo, 0600);
	ktap(strstr(emu_control(emu, line), "error: "),
	     "a capture to a pipe without a reader is refused");
	pipe_fd = open(fifo, O_RDONLY | O_NONBLOCK);
	ktap(!strcmp(emu_control(emu, line), "ok\n") && read(pipe_fd, got, 4) == 4 &&
	     !memcmp(got, "\x0a\x0d\x0d\x0a", 4), "a capture to a pipe with a reader is live");
	snprintf(line, sizeof(line), "capture stop %s", fifo);
	ktap(!strcmp(emu_control(emu, line), "ok\n") && strstr(emu_control(emu, line), "error: "),
	     "a capture can be stopped once");
	close(pipe_fd);
	snprintf(line, sizeof(line), "capture %s f0", file);
	ktap(!strcmp(emu_control(emu, line), "ok\n") && strstr(emu_control(emu, line), "error: ") &&
	     strstr(emu_control(emu, "capture"), "error: capture FILE [PORT]"),
	     "a second capture to the same file is refused");
}

/* The control socket may be within reach of a guest: it is no way to overwrite files. */
static void test_capture_spares_files(struct emu *emu)
{
	char path[120], link[120], line[160], got[64] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/letter", emu->dir);
	snprintf(link, sizeof(link), "%s/link", emu->dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || write(fd, "dear", 4) != 4 || symlink(path, link))
		exit(2);
	snprintf(line, sizeof(line), "capture %s", path);
	ktap(strstr(emu_control(emu, line), "exists and is not a capture") &&
	     pread(fd, got, sizeof(got), 0) == 4 && !memcmp(got, "dear", 4),
	     "a file that is no capture is not overwritten by one");
	if (ftruncate(fd, 0))
		exit(2);
	snprintf(line, sizeof(line), "capture %s", link);
	ktap(strstr(emu_control(emu, line), "error: ") && pread(fd, got, sizeof(got), 0) == 0,
	     "a capture follows no symbolic link");
	snprintf(line, sizeof(line), "capture %s", path);
	ktap(!strcmp(emu_control(emu, line), "ok\n") && pread(fd, got, 4, 0) == 4,
	     "an empty file can be captured to");
	snprintf(line, sizeof(line), "capture stop %s", path);
	emu_control(emu, line);
	snprintf(line, sizeof(line), "capture %s", path);
	ktap(!strcmp(emu_control(emu, line), "ok\n"), "a capture can be captured to again");
	close(fd);
}

/* A driver that does everything right leaves an emulator without a word of complaint. */
static void test_good(const char *bin_dir)
{
	struct emu emu;
	struct client c;
	uint32_t uar;
	int status;

	emu_start(&emu, bin_dir, 1);
	client_open(&c, &emu, 0);
	ktap(!boot_to_init(&c), "the function starts");
	ktap(!alloc_uars(&c, &uar, 1) && !free_uars(&c, &uar, 1),
	     "a UAR can be allocated and freed");
	ktap(!shut_down(&c), "the function shuts down");
	ktap(!boot_to_init(&c) && !shut_down(&c), "the function starts and shuts down again");
	client_close(&c);
	ktap(strstr(emu_control(&emu, "status"), "violations: 0"), "status reports no violations");
	status = emu_stop(&emu);
	ktap(!status, "without violations the exit status is 0");
}

/* The numbers of UARs that are allocated after the last and the first of three were freed. */
static void test_numbers(const char *bin_dir, const char *numbers)
{
	bool ready, reuse = numbers && !strcmp(numbers, "reuse");
	uint32_t uars[3], again[2];
	struct client c;
	struct emu emu;

	emu_start_option(&emu, bin_dir, 1, "--numbers", numbers);
	client_open(&c, &emu, 0);
	ready = !boot_to_init(&c) && !alloc_uars(&c, uars, 3) && !free_uars(&c, uars + 2, 1) &&
		!free_uars(&c, uars, 1) && !alloc_uars(&c, again, 2);
	if (reuse)
		ktap(ready && again[0] == uars[0] && again[1] == uars[2],
		     "--numbers reuse: a new object gets the lowest free number");
	else
		ktap(ready && again[0] == uars[2] + 1 && again[1] == uars[2] + 2,
		     "%s: a freed number is not in use again at once",
		     numbers ? "--numbers turn" : "default");
	client_close(&c);
	emu_stop(&emu);
}

static uint64_t clock_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void test_command_us(const char *bin_dir)
{
	char line[192], answer[256] = "";
	struct client c;
	struct emu emu;
	uint64_t begin;
	FILE *out;

	emu_start_option(&emu, bin_dir, 1, "--command-us", "5000");
	client_open(&c, &emu, 0);
	begin = clock_us();
	ktap(!boot_to_init(&c) && clock_us() - begin >= 5 * 5000,
	     "--command-us: commands take their time");
	client_close(&c);
	ktap(!emu_stop(&emu), "a driver that waits for its commands commits no violation");
	snprintf(line, sizeof(line), "%s/cxemu --command-us fast --vm f=/nowhere 2>&1", bin_dir);
	out = popen(line, "r");
	if (!fgets(answer, sizeof(answer), out))
		*answer = 0;
	ktap(strstr(answer, "--command-us: 'fast' is neither off, table nor 0 to 1000000") &&
	     pclose(out), "--command-us refuses other words");
}

static bool has_line(const char *path, const char *line)
{
	FILE *f = fopen(path, "r");
	bool found = false;
	char buf[256];

	while (f && !found && fgets(buf, sizeof(buf), f)) {
		buf[strcspn(buf, "\n")] = 0;
		found = !strcmp(buf, line);
	}
	if (f)
		fclose(f);
	return found;
}

static void test_journal(const char *bin_dir)
{
	char path[] = "/tmp/cxemu-journal.XXXXXX";
	int fd = mkstemp(path);
	struct client c;
	struct emu emu;

	emu_start_option(&emu, bin_dir, 1, "--journal", path);
	client_open(&c, &emu, 0);
	boot_to_init(&c);
	client_close(&c);
	emu_stop(&emu);
	ktap(has_line(path, "f0 cmd 0x104 01040000000000000000000000000000") &&
	     has_line(path, "f0 reg 0x18 00000001"),
	     "the journal has ENABLE_HCA and its doorbell");
	close(fd);
	unlink(path);
}

static void test_leak(struct client *c, struct emu *emu)
{
	uint32_t uar;

	alloc_uars(c, &uar, 1);
	shut_down(c);
	ktap(strstr(emu_control(emu, "violations"), "leak: UAR "),
	     "a UAR that is not freed is reported as a leak");
}

static void test_reset(struct client *c, struct emu *emu)
{
	const char *first;
	uint32_t uar;

	ktap(!boot_to_init(c) && !alloc_uars(c, &uar, 1), "the function starts before a reset");
	config_write16(c, 0x60 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	config_write16(c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	ktap(strstr(emu_control(emu, "status"), ", off, ") &&
	     strstr(emu_control(emu, "status"), "objects: 0"),
	     "FLR destroys all objects");
	c->next = 1 << 20;
	ktap(!boot_to_init(c), "the function starts after FLR");
	config_write16(c, PCI_COMMAND, PCI_COMMAND_MEMORY);
	ktap(nothing(c, NULL) == -1, "without bus mastering no command runs");
	ktap(strstr(emu_control(emu, "violations"), "command slot 0 is outside") &&
	     !strstr(emu_control(emu, "violations"), "DMA read"),
	     "without bus mastering a command is a violation, DMA is dropped");
	config_write16(c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	ktap(strstr(emu_control(emu, "violations"), "bus mastering is on again without a reset"),
	     "bus mastering needs a reset after DMA was dropped");
	config_write16(c, PCI_COMMAND, PCI_COMMAND_MEMORY);
	nothing(c, NULL);
	config_write16(c, 0x60 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	config_write16(c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	first = strstr(emu_control(emu, "violations"), "bus mastering is on");
	ktap(first && !strstr(first + 1, "bus mastering is on"),
	     "after a reset it may be on again");
}

int main(int argc, char **argv)
{
	struct client c;
	struct emu emu;
	int status;

	(void)argc;
	ktap_plan(76);
	test_good(argv[1]);
	test_numbers(argv[1], NULL);
	test_numbers(argv[1], "turn");
	test_numbers(argv[1], "reuse");
	test_command_us(argv[1]);
	test_journal(argv[1]);
	emu_start(&emu, argv[1], 1);
	client_open(&c, &emu, 0);
	cmdq_setup(&c);
	test_delivery(&c);
	test_before_enable(&c);
	test_caps(&c);
	ktap(!give_pages(&c, 1) && !give_pages(&c, 2), "boot and init pages are accepted");
	ktap(!cmd(&c, init_hca, &(struct prm_init_hca_in){}, &(struct prm_init_hca_out){}),
	     "INIT_HCA succeeds");
	test_checks(&c);
	test_gids(&c, &emu);
	test_capture(&emu);
	test_capture_spares_files(&emu);
	test_pages(&c);
	test_page_refusals(&c);
	ktap(nothing(&c, &(struct corruption){ .software_owned = true }) == 0 &&
	     strstr(emu_control(&emu, "violations"), "which software owns"),
	     "a doorbell for a slot that software owns is reported");
	test_leak(&c, &emu);
	c.next = 1 << 20;
	test_reset(&c, &emu);
	client_close(&c);
	status = emu_stop(&emu);
	ktap(status == 3, "with violations the exit status is 3");
	return ktap_end();
}
