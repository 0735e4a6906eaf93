// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A client that does its worst harms its own function: the other one of the process goes on. */
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vfu_client.h"

#define RANGES_MAX 65535u
#define RANGES_AT 0x100000000ull

static struct emu emu;
static struct client bad, good;

static bool good_works(void)
{
	struct prm_query_issi_in in = {};
	struct prm_query_issi_out out;

	return !cmd(&good, query_issi, &in, &out);
}

static bool complained(const char *text)
{
	return strstr(emu_control(&emu, "violations"), text);
}

/* ---- interrupts ---- */

static int set_irq_fd(unsigned int vector, int fd)
{
	struct { uint32_t argsz, flags, index, start, count; } s = {
		.argsz = sizeof(s),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.start = vector,
		.count = 1,
	};

	return vfu_call(&bad, 8, &s, sizeof(s), &fd, 1);
}

static void test_irq_fds(void)
{
	int ends[2], fd = eventfd(0, EFD_CLOEXEC);

	if (pipe2(ends, O_CLOEXEC) || fd < 0)
		exit(2);
	ktap(set_irq_fd(0, ends[1]) == EINVAL &&
	     complained("SET_IRQS: a descriptor is no eventfd"),
	     "a pipe is refused as an interrupt");
	ktap(set_irq_fd(0, bad.ram_fd) == EINVAL, "a file is refused as an interrupt");
	ktap(!set_irq_fd(0, fd) && fcntl(fd, F_GETFL) & O_NONBLOCK,
	     "an eventfd that blocks does not block afterwards");
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

/* ---- memory ---- */

static int map(uint64_t iova, uint64_t size, uint64_t offset, int fd)
{
	struct { uint32_t argsz, flags; uint64_t offset, iova, size; } m = {
		.argsz = sizeof(m), .flags = 3, .offset = offset, .iova = iova, .size = size,
	};

	return vfu_call(&bad, 2, &m, sizeof(m), &fd, fd >= 0);
}

static int unmap(uint64_t iova, uint64_t size)
{
	struct { uint32_t argsz, flags; uint64_t iova, size; } u = {
		.argsz = sizeof(u), .iova = iova, .size = size,
	};

	return vfu_call(&bad, 3, &u, sizeof(u), NULL, 0);
}

/* Every other page, so that no two ranges are one; the client's memory is a range already. */
static void test_many_ranges(void)
{
	unsigned int n;
	int err = 0;

	for (n = 1; n < RANGES_MAX && !err; n++)
		err = map(RANGES_AT + n * 8192ull, 4096, (n & 255) * 4096ull, bad.ram_fd);
	if (err)
		printf("# range %u: %s\n", n, strerror(err));
	ktap(!err, "a client can map as many ranges as are announced");
	ktap(map(RANGES_AT, 4096, 0, bad.ram_fd) == E2BIG &&
	     complained("DMA_MAP: more ranges than max_dma_maps"), "one more range is refused");
	ktap(unmap(RANGES_AT + 8192, 4096) == 0 && !map(RANGES_AT, 4096, 0, bad.ram_fd),
	     "a range can be mapped in place of one that is unmapped");
	ktap(good_works(), "the other function works beside a client with many ranges");
	ktap(!unmap(RANGES_AT, RANGES_MAX * 8192ull), "all of the ranges can be unmapped at once");
}

static void test_many_files(void)
{
	unsigned int n;
	int err = 0, fd;

	for (n = 0; n < 300 && !err; n++) {
		fd = memfd_create("many", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, 4096))
			exit(2);
		err = map(RANGES_AT + n * 4096ull, 4096, 0, fd);
		close(fd);
	}
	ktap(err == ENOMEM && good_works(), "a client cannot map any number of files");
	unmap(RANGES_AT, 300 * 4096ull);
}

/* Reads of the command queue raise SIGBUS in a process that maps it. */
static void test_memory_taken(void)
{
	if (ftruncate(bad.ram_fd, 0))
		exit(2);
	reg_write(&bad, offsetof(struct prm_iseg, cmd_dbell), 1);
	reg_read(&bad, 0);
	ktap(complained("the client has taken away memory that is mapped for DMA"),
	     "a client that takes away its memory is noticed");
	ktap(complained("command slot 0 is outside the memory mapped for DMA"),
	     "an access to memory that was taken away fails");
	ktap(good_works(), "the other function works after it");
	if (ftruncate(bad.ram_fd, RAM_BYTES))
		exit(2);
	ktap(!unmap(RAM_IOVA, RAM_BYTES) && !map(RAM_IOVA, RAM_BYTES, 0, bad.ram_fd),
	     "the memory can be mapped again");
	cmdq_setup(&bad);
	ktap(!boot_to_init(&bad), "the function works in the memory that was mapped again");
}

/* The budget of a function is an option; it is checked where the device is in the test itself. */
static bool in_log(const char *text)
{
	char line[400];
	bool found = false;
	FILE *log = fopen(emu.log, "r");

	while (log && !found && fgets(line, sizeof(line), log))
		found = strstr(line, text);
	if (log)
		fclose(log);
	return found;
}

/* The number that the process would give the next file. */
static unsigned int next_file(void)
{
	unsigned int n = 0;
	char path[64];

	do
		snprintf(path, sizeof(path), "/proc/%d/fd/%u", emu.pid, n++);
	while (!access(path, F_OK));
	return n - 1;
}

/* Ends the connection of @bad, which is made again. */
static void test_no_descriptors(void)
{
	struct rlimit before, none;
	int fd = eventfd(0, EFD_CLOEXEC);

	if (fd < 0 || prlimit(emu.pid, RLIMIT_NOFILE, NULL, &before))
		exit(2);
	ktap(before.rlim_cur == before.rlim_max, "as many files can be open as the system allows");
	none = before;
	none.rlim_cur = next_file();
	if (prlimit(emu.pid, RLIMIT_NOFILE, &none, NULL))
		exit(2);
	ktap(set_irq_fd(0, fd) == -1000 && in_log("descriptors of a message did not arrive"),
	     "a message without its descriptors ends the connection, and the log says why");
	if (prlimit(emu.pid, RLIMIT_NOFILE, &before, NULL))
		exit(2);
	ktap(good_works(), "that of the others goes on");
	client_close(&bad);
	client_open(&bad, &emu, 0);
	cmdq_setup(&bad);
	close(fd);
}

static void test_memory_option(const char *bin_dir)
{
	struct emu small;

	ktap(strstr(emu_control(&emu, "status"), " KiB of 524288, peak "),
	     "a function may take 512 MiB of host memory by default");
	emu_start_option(&small, bin_dir, 1, "--memory", "3");
	ktap(strstr(emu_control(&small, "status"), " KiB of 3072, peak "),
	     "--memory sets how much a function may take");
	emu_stop(&small);
}

/* What a shell gives is mostly less than the system allows. */
static void lower_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		exit(2);
	limit.rlim_cur = limit.rlim_max / 2;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		exit(2);
}

int main(int argc, char **argv)
{
	(void)argc;
	ktap_plan(0);
	lower_file_limit();
	emu_start(&emu, argv[1], 2);
	client_open(&bad, &emu, 0);
	client_open(&good, &emu, 1);
	cmdq_setup(&good);
	cmdq_setup(&bad);
	if (boot_to_init(&good))
		exit(2);
	test_irq_fds();
	test_many_ranges();
	test_many_files();
	test_memory_taken();
	test_no_descriptors();
	test_memory_option(argv[1]);
	client_close(&bad);
	client_close(&good);
	ktap(emu_stop(&emu) == 3, "the process ends as it should");
	return ktap_end();
}
