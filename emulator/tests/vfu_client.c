// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "vfu_client.h"

struct header {
	uint16_t id, command;
	uint32_t size, flags, error;
};

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- the process ---- */

static int connect_socket(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), tries;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	for (tries = 0; tries < 500; tries++) {
		if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
			return fd;
		usleep(10000);
	}
	die(path);
	return -1;
}

void emu_start(struct emu *emu, const char *bin_dir, unsigned int n)
{
	emu_start_option(emu, bin_dir, n, NULL, NULL);
}

void emu_start_option(struct emu *emu, const char *bin_dir, unsigned int n, const char *option,
		      const char *value)
{
	const char *const options[] = { value ? option : NULL, value && *value ? value : NULL,
					NULL };

	emu_start_options(emu, bin_dir, n, options);
}

void emu_start_options(struct emu *emu, const char *bin_dir, unsigned int n,
		       const char *const *options)
{
	char bin[512], vm[8][128], *argv[24] = { bin };
	unsigned int i, argc = 1;

	strcpy(emu->dir, "/tmp/cxemu-test.XXXXXX");
	if (!mkdtemp(emu->dir))
		die("mkdtemp");
	emu->n = n;
	snprintf(bin, sizeof(bin), "%s/cxemu", bin_dir);
	snprintf(emu->control, sizeof(emu->control), "%s/control", emu->dir);
	snprintf(emu->log, sizeof(emu->log), "%s/log", emu->dir);
	argv[argc++] = "--trace";
	argv[argc++] = "debug";
	while (*options)
		argv[argc++] = (char *)*options++;
	for (i = 0; i < n; i++) {
		snprintf(vm[i], sizeof(vm[i]), "f%u=%s/f%u", i, emu->dir, i);
		argv[argc++] = "--vm";
		argv[argc++] = vm[i];
	}
	argv[argc++] = "--control";
	argv[argc++] = emu->control;
	argv[argc++] = "--log";
	argv[argc++] = emu->log;
	emu->pid = fork();
	if (emu->pid < 0)
		die("fork");
	if (!emu->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(bin, argv);
		_exit(127);
	}
	close(connect_socket(emu->control));
}

/* The emulator's log goes to the end of the one that the tests were given. */
static void keep_log(const struct emu *emu)
{
	FILE *from = fopen(emu->log, "r"), *to = test_log();
	char line[512];

	while (from && to && fgets(line, sizeof(line), from))
		fputs(line, to);
	if (to)
		fflush(to);
	if (from)
		fclose(from);
}

int emu_stop(struct emu *emu)
{
	char cmd_line[128];
	int status;

	kill(emu->pid, SIGTERM);
	if (waitpid(emu->pid, &status, 0) < 0)
		die("waitpid");
	keep_log(emu);
	snprintf(cmd_line, sizeof(cmd_line), "rm -rf %s", emu->dir);
	if (getenv("CXEMU_KEEP_LOG"))
		printf("# log: %s\n", emu->log);
	else if (system(cmd_line))
		printf("# %s stays\n", emu->dir);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int control_connect(struct emu *emu)
{
	int fd = connect_socket(emu->control);
	char c;

	do {
		if (read(fd, &c, 1) != 1)
			die("greeting");
	} while (c != '\n');
	return fd;
}

const char *emu_control(struct emu *emu, const char *line)
{
	static char text[65536];
	size_t len = 0;
	int fd = control_connect(emu);
	ssize_t n;

	dprintf(fd, "%s\n", line);
	shutdown(fd, SHUT_WR);
	while (len < sizeof(text) - 1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	text[len] = 0;
	close(fd);
	return text;
}

/* ---- messages ---- */

void vfu_send(struct client *c, uint16_t command, uint32_t flags, const void *payload, size_t len,
	      const int *fds, unsigned int n_fds)
{
	struct header hdr = {
		.id = ++c->id, .command = command, .size = sizeof(hdr) + len, .flags = flags
	};
	char control[CMSG_SPACE(16 * sizeof(int))] = {};
	struct iovec iov[2] = { { &hdr, sizeof(hdr) }, { (void *)payload, len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *cm;

	if (n_fds) {
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		cm = CMSG_FIRSTHDR(&msg);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(cm), fds, n_fds * sizeof(int));
	}
	if (sendmsg(c->fd, &msg, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
		die("sendmsg");
}

static bool read_all(int fd, void *buf, size_t len)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t *at = buf;
	ssize_t n;

	for (; len; at += n, len -= n) {
		if (poll(&p, 1, 5000) != 1)
			return false;
		n = read(fd, at, len);
		if (n <= 0)
			return false;
	}
	return true;
}

int vfu_reply(struct client *c, void *buf, size_t room, size_t *len)
{
	uint8_t junk[4096];
	struct header hdr;
	size_t n;

	if (!read_all(c->fd, &hdr, sizeof(hdr)))
		return -1000;
	n = hdr.size - sizeof(hdr);
	if (n > room ? !read_all(c->fd, n > sizeof(junk) ? NULL : junk, n)
		     : !read_all(c->fd, buf, n))
		return -1000;
	if (len)
		*len = n;
	return hdr.flags & 0x20 ? (int)hdr.error : 0;
}

int vfu_call(struct client *c, uint16_t command, const void *payload, size_t len, const int *fds,
	     unsigned int n_fds)
{
	uint8_t buf[4096];

	vfu_send(c, command, 0, payload, len, fds, n_fds);
	return vfu_reply(c, buf, sizeof(buf), NULL);
}

struct access {
	uint64_t offset;
	uint32_t region, count;
	uint8_t data[64];
};

int region_read(struct client *c, unsigned int region, uint64_t offset, void *buf, uint32_t len)
{
	struct access a = { .offset = offset, .region = region, .count = len };
	int err;

	vfu_send(c, 9, 0, &a, 16, NULL, 0);
	err = vfu_reply(c, &a, sizeof(a), NULL);
	if (!err)
		memcpy(buf, a.data, len);
	return err;
}

int region_write(struct client *c, unsigned int region, uint64_t offset, const void *buf,
		 uint32_t len, bool posted)
{
	struct access a = { .offset = offset, .region = region, .count = len };

	memcpy(a.data, buf, len);
	vfu_send(c, 10, posted ? 0x10 : 0, &a, 16 + len, NULL, 0);
	return posted ? 0 : vfu_reply(c, &a, sizeof(a), NULL);
}

uint32_t reg_read(struct client *c, uint64_t offset)
{
	__be32 v = 0;

	if (region_read(c, VFIO_PCI_BAR0_REGION_INDEX, offset, &v, 4))
		die("reg_read");
	return be32_to_cpu(v);
}

void reg_write(struct client *c, uint64_t offset, uint32_t value)
{
	__be32 v = cpu_to_be32(value);

	region_write(c, VFIO_PCI_BAR0_REGION_INDEX, offset, &v, 4, true);
}

void reg_write64(struct client *c, uint64_t offset, uint64_t value)
{
	__be64 v = cpu_to_be64(value);

	region_write(c, VFIO_PCI_BAR0_REGION_INDEX, offset, &v, 8, true);
}

uint16_t config_read16(struct client *c, uint32_t offset)
{
	uint8_t v[2] = {};

	region_read(c, VFIO_PCI_CONFIG_REGION_INDEX, offset, v, 2);
	return v[0] | v[1] << 8;
}

void config_write16(struct client *c, uint32_t offset, uint16_t value)
{
	uint8_t v[2] = { value, value >> 8 };

	region_write(c, VFIO_PCI_CONFIG_REGION_INDEX, offset, v, 2, false);
}

void vector_on(struct client *c, unsigned int vector)
{
	struct { uint32_t argsz, flags, index, start, count;
	} s = {
		.argsz = sizeof(s),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.start = vector,
		.count = 1,
	};

	c->vector_fds[vector] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (vfu_call(c, 8, &s, sizeof(s), &c->vector_fds[vector], 1))
		die("SET_IRQS");
}

bool vector_fired(struct client *c, unsigned int vector, int timeout_ms)
{
	struct pollfd p = { .fd = c->vector_fds[vector], .events = POLLIN };
	uint64_t n;

	return poll(&p, 1, timeout_ms) == 1 && read(p.fd, &n, sizeof(n)) == sizeof(n);
}

void client_connect(struct client *c, struct emu *emu, unsigned int function)
{
	char path[96];

	memset(c, 0, sizeof(*c));
	snprintf(path, sizeof(path), "%s/f%u", emu->dir, function);
	c->fd = connect_socket(path);
	c->ram_fd = -1;
	memset(c->vector_fds, 0xff, sizeof(c->vector_fds));
}

void client_open(struct client *c, struct emu *emu, unsigned int function)
{
	static const char version[] = "\0\0\0\0{\"capabilities\":{\"max_msg_fds\":16}}";
	struct { uint32_t argsz, flags; uint64_t offset, iova, size; } map = {
		.argsz = sizeof(map), .flags = 3, .iova = RAM_IOVA, .size = RAM_BYTES,
	};

	client_connect(c, emu, function);
	if (vfu_call(c, 1, version, sizeof(version), NULL, 0))
		die("VERSION");
	c->ram_fd = memfd_create("ram", MFD_CLOEXEC);
	if (c->ram_fd < 0 || ftruncate(c->ram_fd, RAM_BYTES))
		die("memfd");
	c->ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, c->ram_fd, 0);
	if (c->ram == MAP_FAILED)
		die("mmap");
	c->next = CMDQ_OFFSET + (1 << 20);
	if (vfu_call(c, 2, &map, sizeof(map), &c->ram_fd, 1))
		die("DMA_MAP");
	config_write16(c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

void client_close(struct client *c)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (c->vector_fds[i] >= 0)
			close(c->vector_fds[i]);
	if (c->ram)
		munmap(c->ram, RAM_BYTES);
	if (c->ram_fd >= 0)
		close(c->ram_fd);
	close(c->fd);
}

/* ---- memory and commands ---- */

uint64_t ram_alloc(struct client *c, uint64_t len)
{
	uint64_t at = c->next;

	c->next += (len + 4095) & ~4095ull;
	if (c->next > RAM_BYTES) {
		errno = ENOMEM;
		die("ram_alloc");
	}
	memset(c->ram + at, 0, len);
	return RAM_IOVA + at;
}

void *ram_ptr(struct client *c, uint64_t iova)
{
	return c->ram + (iova - RAM_IOVA);
}

static uint8_t xor_bytes(const void *buf, size_t len)
{
	const uint8_t *p = buf;
	uint8_t sum = 0;

	while (len--)
		sum ^= *p++;
	return sum;
}

#define MBOX_IN (CMDQ_OFFSET + 0x1000)
#define MBOX_OUT (CMDQ_OFFSET + 0x80000)
#define MBOX_STRIDE 1024

static uint64_t fill_chain(struct client *c, uint64_t base, const uint8_t *data, uint32_t len,
			   const struct corruption *corrupt)
{
	struct prm_mbox_block *b;
	uint32_t n = len > 16 ? (len - 16 + 511) / 512 : 0, i, k;

	for (i = 0; i < n; i++) {
		b = (void *)(c->ram + base + i * MBOX_STRIDE);
		memset(b, 0, sizeof(*b));
		k = len - 16 - i * 512 < 512 ? len - 16 - i * 512 : 512;
		if (data)
			memcpy(b->data, data + 16 + i * 512, k);
		b->next = cpu_to_be64(i + 1 < n ? RAM_IOVA + base + (i + 1) * MBOX_STRIDE : 0);
		b->block_num = cpu_to_be32(i + (corrupt && corrupt->wrong_block));
		b->token = c->token + (corrupt && corrupt->wrong_token);
		b->ctrl_sig =
			~xor_bytes(b->rsvd_200, offsetof(struct prm_mbox_block, ctrl_sig) - 512) ^
			(corrupt && corrupt->bad_ctrl);
		b->sig = ~xor_bytes(b, sizeof(*b) - 1) ^ (corrupt && corrupt->bad_signature);
	}
	return n ? RAM_IOVA + base : 0;
}

static void drain_chain(struct client *c, uint64_t base, uint8_t *data, uint32_t len)
{
	uint32_t at, k;

	for (at = 16; at < len; at += k, base += MBOX_STRIDE) {
		k = len - at < 512 ? len - at : 512;
		memcpy(data + at, c->ram + base, k);
	}
}

int cmd_exec(struct client *c, const void *in, uint32_t in_len, void *out, uint32_t out_len,
	     const struct corruption *corrupt)
{
	struct prm_cmdq_entry *e = (void *)(c->ram + CMDQ_OFFSET);
	uint8_t full_out[0x4000] = {};
	unsigned int tries, limit = c->tries ? c->tries : 20000;

	c->token++;
	memset(e, 0, sizeof(*e));
	e->type = corrupt && corrupt->bad_type ? 3 : PRM_CMDQ_TYPE_PCI;
	e->inlen = cpu_to_be32(corrupt && corrupt->in_len ? corrupt->in_len : in_len);
	e->outlen = cpu_to_be32(corrupt && corrupt->out_len ? corrupt->out_len : out_len);
	memcpy(e->in, in, in_len < 16 ? in_len : 16);
	e->in_ptr = cpu_to_be64(fill_chain(c, MBOX_IN, in, in_len, corrupt));
	e->out_ptr = cpu_to_be64(fill_chain(c, MBOX_OUT, NULL, out_len, NULL));
	if (corrupt && corrupt->in_ptr)
		e->in_ptr = cpu_to_be64(corrupt->in_ptr);
	if (corrupt && corrupt->out_ptr)
		e->out_ptr = cpu_to_be64(corrupt->out_ptr);
	e->token = c->token;
	e->rsvd_01[0] = corrupt && corrupt->reserved;
	e->status_own = corrupt && corrupt->software_owned ? 0 : PRM_CMDQ_OWN_HW;
	e->sig = ~xor_bytes(e, sizeof(*e)) ^ (corrupt && corrupt->bad_signature && in_len <= 16);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	reg_write(c, offsetof(struct prm_iseg, cmd_dbell), 1);
	for (tries = 0; tries < limit; tries++) {
		if (!(__atomic_load_n(&e->status_own, __ATOMIC_ACQUIRE) & PRM_CMDQ_OWN_HW))
			break;
		usleep(100);
	}
	if (tries == limit)
		return -1;
	if (xor_bytes(e, sizeof(*e)) != 0xff)
		return corrupt && corrupt->software_owned ? 0 : -2;
	memcpy(full_out, e->out, 16);
	drain_chain(c, MBOX_OUT, full_out, out_len);
	memcpy(out, full_out, out_len);
	return (e->status_own >> 1) << 8 | full_out[0];
}

uint32_t cmd_syndrome(const void *out)
{
	return prm_get((const struct prm_mbox_out *)out, syndrome);
}

void cmdq_setup(struct client *c)
{
	uint64_t addr = RAM_IOVA + CMDQ_OFFSET;
	unsigned int tries;

	for (tries = 0; reg_read(c, offsetof(struct prm_iseg, initializing)) >> 31; tries++) {
		if (tries == 1000)
			die("the card does not end initializing");
		usleep(1000);
	}
	reg_write(c, offsetof(struct prm_iseg, cmdq_addr_h), addr >> 32);
	reg_write(c, offsetof(struct prm_iseg, cmdq_addr_l_sz), addr);
}

int give_pages(struct client *c, unsigned int when)
{
	struct prm_query_pages_in q = {};
	struct prm_query_pages_out r;
	struct { struct prm_manage_pages_in hdr; __be64 pas[256]; } m;
	struct prm_manage_pages_out o;
	uint32_t n, k, i;
	int err;

	prm_set(&q, op_mod, when);
	err = cmd(c, query_pages, &q, &r);
	if (err)
		return err;
	for (n = prm_get(&r, num_pages); n; n -= k) {
		memset(&m, 0, sizeof(m));
		k = n < 256 ? n : 256;
		prm_set(&m.hdr, opcode, PRM_OP_manage_pages);
		prm_set(&m.hdr, op_mod, 1);
		prm_set(&m.hdr, input_num_entries, k);
		for (i = 0; i < k; i++)
			m.pas[i] = cpu_to_be64(ram_alloc(c, 4096));
		err = cmd_exec(c, &m, sizeof(m.hdr) + 8 * k, &o, sizeof(o), NULL);
		if (err)
			return err;
	}
	return 0;
}

int boot_to_init(struct client *c)
{
	struct prm_enable_hca_in en = {};
	struct prm_enable_hca_out en_out;
	struct prm_set_issi_in issi = {};
	struct prm_set_issi_out issi_out;
	struct prm_init_hca_in init = {};
	struct prm_init_hca_out init_out;
	int err;

	cmdq_setup(c);
	err = cmd(c, enable_hca, &en, &en_out);
	prm_set(&issi, current_issi, 1);
	if (!err)
		err = cmd(c, set_issi, &issi, &issi_out);
	if (!err)
		err = give_pages(c, 1);
	if (!err)
		err = give_pages(c, 2);
	if (!err)
		err = cmd(c, init_hca, &init, &init_out);
	return err;
}

int shut_down(struct client *c)
{
	struct prm_teardown_hca_in td = {};
	struct prm_teardown_hca_out td_out;
	struct prm_disable_hca_in dis = {};
	struct prm_disable_hca_out dis_out;
	struct prm_manage_pages_in m;
	struct { struct prm_manage_pages_out hdr; __be64 pas[256]; } o;
	int err = cmd(c, teardown_hca, &td, &td_out);

	while (!err) {
		memset(&m, 0, sizeof(m));
		prm_set(&m, opcode, PRM_OP_manage_pages);
		prm_set(&m, op_mod, 2);
		prm_set(&m, input_num_entries, 256);
		err = cmd_exec(c, &m, sizeof(m), &o, sizeof(o), NULL);
		if (err || !prm_get(&o.hdr, output_num_entries))
			break;
	}
	return err ? err : cmd(c, disable_hca, &dis, &dis_out);
}
