// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The vfio-user server: what QEMU does, what it never does, and what nobody should. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vfu_client.h"

#define CONFIG VFIO_PCI_CONFIG_REGION_INDEX
#define BURST 150

static const char *bin_dir;

static void test_discovery(struct client *c)
{
	uint32_t info[4] = { 16 };
	struct vfio_region_info region = { .argsz = sizeof(region), .index = 0 };
	struct vfio_irq_info irq = { .argsz = sizeof(irq), .index = VFIO_PCI_MSIX_IRQ_INDEX };
	int err;

	vfu_send(c, 4, 0, info, sizeof(info), NULL, 0);
	err = vfu_reply(c, info, sizeof(info), NULL);
	ktap(!err && info[2] == 9 && info[3] == 5,
	     "device info reports %u regions and %u interrupt types",
	     info[2], info[3]);
	vfu_send(c, 5, 0, &region, sizeof(region), NULL, 0);
	err = vfu_reply(c, &region, sizeof(region), NULL);
	ktap(!err && region.size == 32u << 20 && region.flags == 3,
	     "BAR 0 has 32 MiB and cannot be mapped");
	vfu_send(c, 7, 0, &irq, sizeof(irq), NULL, 0);
	err = vfu_reply(c, &irq, sizeof(irq), NULL);
	ktap(!err && irq.count == 64 && irq.flags == VFIO_IRQ_INFO_EVENTFD,
	     "there are 64 MSI-X vectors, signaled by eventfd");
	ktap(config_read16(c, 0) == 0x15b3 && config_read16(c, 2) == 0x1017,
	     "vendor and device ID are a ConnectX-5's");
}

/* Follows the list of capabilities. */
static unsigned int find_cap(struct client *c, uint8_t id)
{
	unsigned int at = config_read16(c, PCI_CAPABILITY_LIST) & 0xff, n;

	for (n = 0; at && n < 48; n++) {
		if ((config_read16(c, at) & 0xff) == id)
			return at;
		at = config_read16(c, at) >> 8;
	}
	return 0;
}

static void test_config(struct client *c)
{
	unsigned int pcie = find_cap(c, PCI_CAP_ID_EXP), pm = find_cap(c, PCI_CAP_ID_PM);

	ktap(pcie && pm && find_cap(c, PCI_CAP_ID_MSIX),
	     "there are PCIe, PM and MSI-X capabilities");
	config_write16(c, 0, 0xffff);
	config_write16(c, PCI_BASE_ADDRESS_0, 0xffff);
	config_write16(c, PCI_BASE_ADDRESS_0 + 2, 0xffff);
	ktap(config_read16(c, 0) == 0x15b3, "vendor and device ID are read-only");
	ktap(config_read16(c, PCI_BASE_ADDRESS_0) == 0x000c &&
	     config_read16(c, PCI_BASE_ADDRESS_0 + 2) == 0xfe00,
	     "BAR 0 sizes as 32 MiB, 64-bit, prefetchable");
	config_write16(c, pcie + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	ktap(!(config_read16(c, pcie + PCI_EXP_DEVCTL) & PCI_EXP_DEVCTL_BCR_FLR),
	     "the FLR bit reads as zero");
	ktap(!(config_read16(c, PCI_COMMAND) & PCI_COMMAND_MASTER), "FLR disables bus mastering");
	config_write16(c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

struct map {
	uint32_t argsz, flags;
	uint64_t offset, iova, size;
};

struct unmap {
	uint32_t argsz, flags;
	uint64_t iova, size;
};

static int do_map(struct client *c, uint64_t iova, uint64_t size, uint64_t offset, uint32_t flags,
		  int fd)
{
	struct map m = {
		.argsz = sizeof(m), .flags = flags, .offset = offset, .iova = iova, .size = size
	};

	return vfu_call(c, 2, &m, sizeof(m), &fd, fd >= 0);
}

static int do_unmap(struct client *c, uint64_t iova, uint64_t size)
{
	struct unmap u = { .argsz = sizeof(u), .iova = iova, .size = size };

	return vfu_call(c, 3, &u, sizeof(u), NULL, 0);
}

static void test_dma(struct client *c)
{
	int fd = memfd_create("more", 0);

	if (ftruncate(fd, 16 << 12))
		exit(2);
	ktap(!do_map(c, 0x1000000, 16 << 12, 0, 3, fd), "a second DMA range can be mapped");
	ktap(do_map(c, 0x1004000, 4096, 0, 3, fd) == EEXIST,
	     "DMA_MAP refuses an overlapping range");
	ktap(!do_unmap(c, 0x1004000, 4096), "a page in the middle of a range can be unmapped");
	ktap(!do_map(c, 0x1004000, 4096, 0, 1, fd),
	     "the unmapped page can be mapped again, read-only");
	ktap(!do_unmap(c, 0x1002000, 8 << 12), "a range that spans three mappings can be unmapped");
	ktap(!do_unmap(c, 0x1000000, 16 << 12), "the rest can be unmapped across holes");
	ktap(!do_map(c, 0x2000000, 4096, 0, 1, -1), "a range without a file can be mapped");
	ktap(!do_unmap(c, 0x2000000, 4096), "a range without a file can be unmapped");
	ktap(do_map(c, 0x1000000, 17 << 12, 0, 3, fd) == EINVAL,
	     "DMA_MAP refuses a file that is too short");
	ktap(do_map(c, 0x1000000, 4096, 1ull << 60, 3, fd) == EINVAL,
	     "DMA_MAP refuses an offset beyond the file");
	ktap(do_map(c, 0x1000800, 4096, 0, 3, fd) == EINVAL,
	     "DMA_MAP refuses a misaligned address");
	ktap(do_map(c, ~0xfffull, 8192, 0, 3, -1) == EINVAL, "DMA_MAP refuses a range that wraps");
	ktap(do_map(c, 0x1000000, 4096, 0, 0x13, fd) == EINVAL, "DMA_MAP refuses unknown flags");
	close(fd);
}

struct irq_set {
	uint32_t argsz, flags, index, start, count;
};

static int do_irqs(struct client *c, uint32_t flags, uint32_t index, uint32_t start, uint32_t count,
		   int fd)
{
	struct irq_set s = {
		.argsz = sizeof(s), .flags = flags, .index = index, .start = start, .count = count
	};

	return vfu_call(c, 8, &s, sizeof(s), &fd, fd >= 0);
}

static void test_irqs(struct client *c)
{
	const uint32_t on = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	ktap(!do_irqs(c, on, 2, 0, 1, -1), "a vector can be set without an eventfd");
	ktap(!do_irqs(c, on, 2, 63, 1, fd), "the last vector can be set with an eventfd");
	ktap(!do_irqs(c, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER, 2, 0, 0, -1),
	     "all vectors can be disabled");
	ktap(do_irqs(c, on, 2, 64, 1, fd) == EINVAL, "vector 64 is refused");
	ktap(do_irqs(c, on, 2, 1, ~0u, fd) == EINVAL, "a vector range that wraps is refused");
	ktap(do_irqs(c, on, 0, 0, 1, fd) == EINVAL, "INTx is refused");
	ktap(do_irqs(c, on, 9, 0, 0, -1) == EINVAL, "a tenth interrupt type is refused");
	ktap(do_irqs(c, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_MASK, 2, 0, 1, -1) ==
		     EINVAL,
	     "masking is refused");
	close(fd);
}

static void test_access(struct client *c)
{
	struct {
		uint64_t n;
		struct {
			uint64_t offset;
			uint32_t region, count;
			uint8_t data[8];
		} w[3];
	} multi = { .n = 3 };
	uint8_t buf[64] = {};
	__be32 v;

	ktap(region_read(c, 0, 32u << 20, buf, 4) == EINVAL,
	     "a read past the end of BAR 0 is refused");
	ktap(region_read(c, 0, ~0ull, buf, 4) == EINVAL,
	     "a read at an offset that wraps is refused");
	ktap(region_read(c, 1, 0, buf, 4) == EINVAL, "a read of BAR 1 is refused");
	ktap(region_read(c, CONFIG, 4094, buf, 4) == EINVAL,
	     "a read across the end of the configuration space is refused");
	ktap(!region_read(c, 0, 1, buf, 1) && !region_read(c, 0, 0, buf, 8),
	     "reads of 1 and 8 bytes succeed");
	ktap(region_write(c, CONFIG, 4096, buf, 4, false) == EINVAL,
	     "a write past the end of the configuration space is refused");
	ktap(vfu_call(c, 10, buf, 8, NULL, 0) == EINVAL,
	     "a write message that is too short is refused");
	v = cpu_to_be32(0x12345000);
	multi.w[0].offset = offsetof(struct prm_iseg, cmdq_addr_l_sz);
	multi.w[0].count = 4;
	memcpy(multi.w[0].data, &v, 4);
	multi.w[1] = multi.w[0];
	v = cpu_to_be32(0xabcde000);
	memcpy(multi.w[1].data, &v, 4);
	multi.n = 2;
	vfu_send(c, 15, 0x10, &multi, 8 + 48, NULL, 0);
	ktap((reg_read(c, offsetof(struct prm_iseg, cmdq_addr_l_sz)) & ~0xfffu) == 0xabcde000,
	     "WRITE_MULTI performs its writes in order");
	multi.n = 1000;
	ktap(vfu_call(c, 15, &multi, sizeof(multi), NULL, 0) == EINVAL,
	     "WRITE_MULTI refuses a count beyond the message");
	multi.n = 1;
	multi.w[0].count = 9;
	ktap(vfu_call(c, 15, &multi, sizeof(multi), NULL, 0) == EINVAL,
	     "WRITE_MULTI refuses a write of 9 bytes");
	ktap(vfu_call(c, 14, buf, 16, NULL, 0) == ENOTSUP, "DIRTY_PAGES is not supported");
	ktap(vfu_call(c, 77, buf, 16, NULL, 0) == ENOTSUP, "command 77 is not supported");
	ktap(!vfu_call(c, 13, NULL, 0, NULL, 0), "DEVICE_RESET succeeds");
}

/*
 * Messages that cannot be followed close the connection; the next one is served as if nothing had
 * been.
 */
static void test_broken(struct emu *emu)
{
	static const struct { uint32_t w[4]; const char *what; } cases[] = {
		{ { 4 << 16 | 1, 15, 0, 0 }, "a size below the header's" },
		{ { 4 << 16 | 1, 0xffffffff, 0, 0 }, "a size of 4 GiB" },
		{ { 4 << 16 | 1, 16, 1, 0 }, "an unsolicited reply" },
	};
	struct client c;
	uint8_t buf[64];
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		client_connect(&c, emu, 0);
		if (write(c.fd, cases[i].w, 16) != 16)
			exit(2);
		ktap(vfu_reply(&c, buf, sizeof(buf), NULL) == -1000, "%s ends the connection",
		     cases[i].what);
		client_close(&c);
	}
	client_connect(&c, emu, 0);
	for (i = 0; i < 16; i++) {
		const uint32_t msg[8] = { 4 << 16 | 9, 32, 0, 0, 16, 0, 0, 0 };

		if (write(c.fd, (const uint8_t *)msg + 2 * i, 2) != 2)
			exit(2);
		usleep(1000);
	}
	ktap(!vfu_reply(&c, buf, sizeof(buf), NULL),
	     "a message sent two bytes at a time is answered");
	client_close(&c);
}

/* QEMU's writes need no reply, so many of them may be there when the emulator looks. */
static void test_burst(struct client *c, struct emu *emu)
{
	struct { uint32_t argsz, flags, index, start, count;
	} irqs = {
		.argsz = sizeof(irqs), .index = VFIO_PCI_MSIX_IRQ_INDEX, .start = 2,
	};
	struct { uint64_t offset; uint32_t region, count; uint8_t data[4]; } write = {
		.offset = PCI_INTERRUPT_LINE, .region = CONFIG, .count = 1,
	};
	unsigned int i, n, wrong = 0;
	uint8_t buf[256];
	int fds[3];

	kill(emu->pid, SIGSTOP);
	for (i = 1; i <= BURST; i++) {
		write.data[0] = i;
		vfu_send(c, 10, 0x10, &write, sizeof(write), NULL, 0);
		if (i % 50)
			continue;
		/* no vectors and no eventfds, then one, two and three of both */
		irqs.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER;
		irqs.count = 0;
		vfu_send(c, 8, 0, &irqs, sizeof(irqs), NULL, 0);
		irqs.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
		irqs.count = i / 50;
		for (n = 0; n < irqs.count; n++)
			fds[n] = eventfd(0, EFD_CLOEXEC);
		vfu_send(c, 8, 0, &irqs, sizeof(irqs), fds, irqs.count);
		for (n = 0; n < irqs.count; n++)
			close(fds[n]);
	}
	kill(emu->pid, SIGCONT);
	for (i = 0; i < 2 * BURST / 50; i++)
		wrong += vfu_reply(c, buf, sizeof(buf), NULL) != 0;
	ktap(!wrong, "descriptors within a burst are those of their messages");
	ktap((config_read16(c, PCI_INTERRUPT_LINE) & 0xff) == BURST % 256,
	     "the last write of a burst comes last");
}

int main(int argc, char **argv)
{
	struct client c, second;
	struct emu emu;
	int status;

	(void)argc;
	bin_dir = argv[1];
	ktap_plan(53);
	emu_start(&emu, bin_dir, 2);
	test_broken(&emu);
	client_open(&c, &emu, 0);
	client_connect(&second, &emu, 0);
	ktap(vfu_call(&second, 13, NULL, 0, NULL, 0) == -1000,
	     "a second connection to a function is refused");
	client_close(&second);
	test_discovery(&c);
	test_config(&c);
	test_dma(&c);
	test_irqs(&c);
	test_burst(&c, &emu);
	usleep(5000);
	test_access(&c);
	client_close(&c);
	ktap(strstr(emu_control(&emu, "status"), "function f1: "),
	     "status names the second function");
	ktap(strstr(emu_control(&emu, "frobnicate"), "error: unknown command 'frobnicate'"),
	     "the error names an unknown control command");
	status = emu_stop(&emu);
	ktap(status == 3, "with violations the exit status is 3");
	return ktap_end();
}
