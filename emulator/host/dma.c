// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Guest memory and interrupts of a vfio-user device.
 *
 * The client maps memory by file descriptors and may unmap it at any time, also in other pieces
 * than it was mapped. So an address is looked up at each access, and no pointer is kept beyond a
 * callback of the loop. With an IOMMU there are many thousands of small ranges, mostly of one file:
 * a file is mapped once, as a whole, and ranges refer to it, in a table by address.
 *
 * The client can shorten a file that is mapped. The access that meets this gets zeroes, the range
 * is lost, and what was done fails like any access to memory that is not mapped.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host.h"

#define RANGES_STEP	1024u
#define FILES_MAX	256u	/* of one function; the kernel limits the mappings of a process */

struct dma_file {
	struct list_head node;
	struct list_head all;
	dev_t dev;
	ino_t ino;
	uint8_t *ptr;
	uint64_t size;
	bool writable;
	unsigned int refs;
	volatile sig_atomic_t lost;	/* shorter by now: replaced by zeroes */
	bool told;			/* and logged */
};

struct dma_range {
	uint64_t iova, size;
	struct dma_file *file; /* NULL: cannot be accessed (ROM, BARs of other devices) */
	uint64_t offset;
	bool readable, writable;
};

/* ---- files --------------------------------------------------------------------------------- */

/* Of all functions: a copy may be from one to another. */
static struct list_head all_files = LIST_HEAD_INIT(all_files);

/* Beyond its end, or without memory on the host for it. */
static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	const uint8_t *at = info->si_addr;
	struct dma_file *file;

	(void)context;
	list_for_each_entry(file, &all_files, all) {
		if (at < file->ptr || at >= file->ptr + file->size)
			continue;
		if (mmap(file->ptr, file->size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			break;
		file->lost = 1;
		guest_memory_lost++;
		return;
	}
	signal(sig, SIG_DFL);	/* a fault of our own: it happens again */
}

int dma_survive_bus_errors(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

static void put_file(struct function *fn, struct dma_file *file)
{
	if (!file || --file->refs)
		return;
	list_del(&file->all);
	munmap(file->ptr, file->size);
	list_del(&file->node);
	fn->n_files--;
	free(file);
}

/* A mapping of the whole file, with room for @end bytes; another one if the file has grown. */
static struct dma_file *find_file(struct function *fn, const struct stat *st, uint64_t end,
				  bool writable)
{
	struct dma_file *file;

	list_for_each_entry(file, &fn->files, node)
		if (file->dev == st->st_dev && file->ino == st->st_ino && file->size >= end &&
		    (file->writable || !writable) && !file->lost)
			return file;
	return NULL;
}

static struct dma_file *map_file(struct function *fn, int fd, const struct stat *st, bool writable)
{
	struct dma_file *file;
	void *ptr;

	if (fn->n_files == FILES_MAX)
		return NULL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	ptr = mmap(NULL, st->st_size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	if (ptr == MAP_FAILED) {
		free(file);
		return NULL;
	}
	file->ptr = ptr;
	file->size = st->st_size;
	file->dev = st->st_dev;
	file->ino = st->st_ino;
	file->writable = writable;
	list_add_tail(&file->node, &fn->files);
	list_add_tail(&file->all, &all_files);
	fn->n_files++;
	return file;
}

/* The file of a range, with a reference. */
static int get_file(struct function *fn, struct dma_range *r, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || r->offset > (uint64_t)st.st_size ||
	    r->size > (uint64_t)st.st_size - r->offset)
		return -EINVAL;
	r->file = find_file(fn, &st, r->offset + r->size, r->writable);
	if (!r->file)
		r->file = map_file(fn, fd, &st, r->writable);
	if (!r->file)
		return -ENOMEM;
	r->file->refs++;
	return 0;
}

/* ---- ranges -------------------------------------------------------------------------------- */

/* The place of the first range that ends behind @iova. */
static unsigned int place_of(const struct function *fn, uint64_t iova)
{
	unsigned int low = 0, high = fn->n_ranges;

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		const struct dma_range *r = &fn->ranges[middle];

		if (r->iova + (r->size - 1) < iova)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct dma_range *find_range(struct function *fn, uint64_t iova)
{
	unsigned int at = fn->last_range;

	if (at >= fn->n_ranges || iova - fn->ranges[at].iova >= fn->ranges[at].size)
		at = place_of(fn, iova);
	if (at >= fn->n_ranges || iova < fn->ranges[at].iova)
		return NULL;
	fn->last_range = at;
	return &fn->ranges[at];
}

/* Makes room for a range at place @at. */
static int insert_range(struct function *fn, unsigned int at, const struct dma_range *r)
{
	struct dma_range *more;

	if (fn->n_ranges >= 2 * DMA_RANGES_MAX)	/* unmapping splits ranges */
		return -ENOMEM;
	if (fn->n_ranges == fn->ranges_room) {
		more = realloc(fn->ranges, (fn->ranges_room + RANGES_STEP) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		fn->ranges = more;
		fn->ranges_room += RANGES_STEP;
	}
	memmove(&fn->ranges[at + 1], &fn->ranges[at], (fn->n_ranges - at) * sizeof(*r));
	fn->ranges[at] = *r;
	fn->n_ranges++;
	return 0;
}

int dma_map(struct function *fn, uint64_t iova, uint64_t size, uint64_t offset, int fd,
	    bool readable, bool writable)
{
	struct dma_range r = { .iova = iova, .size = size, .offset = offset,
			       .readable = readable, .writable = writable };
	unsigned int at;
	int err = -EINVAL;

	if (!size || iova % 4096 || size % 4096 || offset % 4096 || iova + size - 1 < iova)
		goto close_fd;
	at = place_of(fn, iova);
	err = -EEXIST;
	if (at < fn->n_ranges && fn->ranges[at].iova <= iova + (size - 1))
		goto close_fd;
	err = -E2BIG;
	if (fn->n_ranges >= DMA_RANGES_MAX)
		goto close_fd;
	err = fd < 0 ? 0 : get_file(fn, &r, fd);
	if (!err)
		err = insert_range(fn, at, &r);
	if (err && r.file)
		put_file(fn, r.file);
close_fd:
	if (fd >= 0)
		close(fd);
	return err;
}

/* Makes two ranges of one that begins before @iova and goes on behind it. 0 or -errno. */
static int split_at(struct function *fn, uint64_t iova)
{
	unsigned int at = place_of(fn, iova);
	struct dma_range *r, rest;
	int err;

	if (at >= fn->n_ranges || fn->ranges[at].iova >= iova)
		return 0;
	rest = fn->ranges[at];
	rest.offset += iova - rest.iova;
	rest.size -= iova - rest.iova;
	rest.iova = iova;
	err = insert_range(fn, at + 1, &rest);
	if (err)
		return err;
	if (rest.file)
		rest.file->refs++;
	r = &fn->ranges[at];
	r->size = iova - r->iova;
	return 0;
}

int dma_unmap(struct function *fn, uint64_t iova, uint64_t size)
{
	uint64_t last = iova + (size - 1);
	unsigned int from, to;
	int err;

	if (!size || iova % 4096 || size % 4096 || last < iova)
		return -EINVAL;
	err = split_at(fn, iova);
	if (!err && last + 1)
		err = split_at(fn, last + 1);
	if (err)
		return err;
	from = place_of(fn, iova);
	for (to = from; to < fn->n_ranges && fn->ranges[to].iova <= last; to++)
		put_file(fn, fn->ranges[to].file);
	if (to > from)
		memmove(&fn->ranges[from], &fn->ranges[to],
			(fn->n_ranges - to) * sizeof(*fn->ranges));
	fn->n_ranges -= to - from;
	return 0;
}

void dma_unmap_all(struct function *fn)
{
	while (fn->n_ranges)
		put_file(fn, fn->ranges[--fn->n_ranges].file);
	free(fn->ranges);
	fn->ranges = NULL;
	fn->ranges_room = 0;
}

/* ---- access -------------------------------------------------------------------------------- */

/* Is the memory of the range gone? Logged once. */
static bool is_lost(struct function *fn, struct dma_file *file, uint64_t addr)
{
	if (file->lost && !file->told)
		violation(fn->dev,
			  "the client has taken away memory that is mapped for DMA, at 0x%llx",
			  (unsigned long long)addr);
	file->told = file->lost;
	return file->lost;
}

static int copy_in_range(struct function *fn, struct dma_range *r, uint64_t addr, uint8_t *buf,
			 size_t n, bool write)
{
	struct dma_file *file = r->file;
	uint8_t *at = file->ptr + r->offset + (addr - r->iova);

	if (is_lost(fn, file, addr))
		return -EFAULT;
	if (write)
		memcpy(at, buf, n);
	else
		memcpy(buf, at, n);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return is_lost(fn, file, addr) ? -EFAULT : 0;
}

static int dma_copy(struct function *fn, uint64_t addr, uint8_t *buf, size_t len, bool write)
{
	struct dma_range *r;
	uint64_t left;
	size_t n;
	int err;

	if (!pci_bus_master(fn))
		return -EPERM;
	for (; len; len -= n, addr += n, buf += n) {
		r = find_range(fn, addr);
		if (!r || !r->file || !(write ? r->writable : r->readable))
			return -EFAULT;
		left = r->size - (addr - r->iova);
		n = len < left ? len : left;
		err = copy_in_range(fn, r, addr, buf, n, write);
		if (err)
			return err;
	}
	return 0;
}

static int function_read(void *guest, uint64_t addr, void *buf, size_t len)
{
	return dma_copy(guest, addr, buf, len, false);
}

static int function_write(void *guest, uint64_t addr, const void *buf, size_t len)
{
	return dma_copy(guest, addr, (void *)buf, len, true);
}

static uint8_t *function_ptr(void *guest, uint64_t addr, size_t *len, bool write)
{
	struct function *fn = guest;
	struct dma_range *r = pci_bus_master(fn) ? find_range(fn, addr) : NULL;
	uint64_t left;

	if (!r || !r->file || !(write ? r->writable : r->readable) ||
	    is_lost(fn, r->file, addr))
		return NULL;
	left = r->size - (addr - r->iova);
	if (*len > left)
		*len = left;
	return r->file->ptr + r->offset + (addr - r->iova);
}

/*
 * Without an eventfd the vector is disabled or masked, and the interrupt is lost (the EQ counts as
 * fired).
 */
static int function_irq(void *guest, unsigned int vector)
{
	struct function *fn = guest;
	struct pollfd p = { .events = POLLOUT };
	uint64_t one = 1;

	if (!pci_bus_master(fn) || vector >= VECTORS_MAX || fn->irq_fds[vector] < 0)
		return -ENXIO;
	/* A saturated eventfd wakes the reader as it is, and a write to it might wait. */
	p.fd = fn->irq_fds[vector];
	if (poll(&p, 1, 0) == 1 && p.revents & POLLOUT &&
	    write(p.fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		return -errno;
	return 0;
}

const struct guest_ops function_guest_ops = {
	.read = function_read, .write = function_write, .ptr = function_ptr, .irq = function_irq,
};
