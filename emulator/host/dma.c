// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Guest memory and interrupts of a vfio-user device.
 *
 * The client maps memory by file descriptors and may unmap it at any time, also in other pieces
 * than it was mapped. So an address is looked up at each access and no pointer is kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host.h"

struct dma_range {
	struct list_head node;
	uint64_t iova, size;
	uint8_t *ptr; /* NULL: cannot be accessed (ROM, BARs of other devices) */
	bool readable, writable;
};

/*
 * Moves the range to the front: with an IOMMU there are thousands of ranges, of which few are used.
 */
static struct dma_range *find_range(struct function *fn, uint64_t iova)
{
	struct dma_range *r;

	list_for_each_entry(r, &fn->dma, node) {
		if (iova >= r->iova && iova - r->iova < r->size) {
			list_del(&r->node);
			list_add(&r->node, &fn->dma);
			return r;
		}
	}
	return NULL;
}

static bool overlaps(struct function *fn, uint64_t iova, uint64_t size)
{
	struct dma_range *r;

	list_for_each_entry(r, &fn->dma, node)
		if (iova < r->iova + r->size && r->iova < iova + size)
			return true;
	return false;
}

static void free_range(struct dma_range *r)
{
	if (r->ptr)
		munmap(r->ptr, r->size);
	list_del(&r->node);
	free(r);
}

/* Access to a mapping past the end of its file would raise SIGBUS. */
static int check_file(int fd, uint64_t offset, uint64_t size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (offset > (uint64_t)st.st_size || size > (uint64_t)st.st_size - offset)
		return -EINVAL;
	return 0;
}

static int map_file(struct dma_range *r, int fd, uint64_t offset)
{
	int prot = (r->readable ? PROT_READ : 0) | (r->writable ? PROT_WRITE : 0);
	int err = check_file(fd, offset, r->size);
	void *ptr;

	if (err)
		return err;
	ptr = mmap(NULL, r->size, prot, MAP_SHARED, fd, offset);
	if (ptr == MAP_FAILED)
		return -errno;
	r->ptr = ptr;
	return 0;
}

int dma_map(struct function *fn, uint64_t iova, uint64_t size, uint64_t offset, int fd,
	    bool readable, bool writable)
{
	struct dma_range *r;
	int err = -EINVAL;

	if (!size || iova % 4096 || size % 4096 || offset % 4096 || iova + size - 1 < iova)
		goto close_fd;
	err = -EEXIST;
	if (overlaps(fn, iova, size))
		goto close_fd;
	err = -ENOMEM;
	r = calloc(1, sizeof(*r));
	if (!r)
		goto close_fd;

	r->iova = iova;
	r->size = size;
	r->readable = readable;
	r->writable = writable;
	list_init(&r->node);
	err = fd < 0 ? 0 : map_file(r, fd, offset);
	if (err)
		free(r);
	else
		list_add_tail(&r->node, &fn->dma);
close_fd:
	if (fd >= 0)
		close(fd);
	return err;
}

/* Removes [iova, end) from @r, which it overlaps; what is left on either side stays mapped. */
static int split_range(struct function *fn, struct dma_range *r, uint64_t iova, uint64_t end)
{
	uint64_t r_end = r->iova + r->size;
	uint64_t from = iova > r->iova ? iova : r->iova, to = end < r_end ? end : r_end;
	struct dma_range *rest;

	if (from == r->iova && to == r_end) {
		free_range(r);
		return 0;
	}
	if (to < r_end && from > r->iova) {
		rest = malloc(sizeof(*rest));
		if (!rest)
			return -ENOMEM;
		*rest = *r;
		rest->iova = to;
		rest->size = r_end - to;
		if (r->ptr)
			rest->ptr = r->ptr + (to - r->iova);
		list_add_tail(&rest->node, &fn->dma);
	}
	if (r->ptr)
		munmap(r->ptr + (from - r->iova), to - from);
	if (from > r->iova) {
		r->size = from - r->iova;
	} else {
		if (r->ptr)
			r->ptr += to - r->iova;
		r->iova = to;
		r->size = r_end - to;
	}
	return 0;
}

int dma_unmap(struct function *fn, uint64_t iova, uint64_t size)
{
	struct dma_range *r, *tmp;
	int err = 0;

	if (!size || iova % 4096 || size % 4096 || iova + size - 1 < iova)
		return -EINVAL;
	list_for_each_entry_safe(r, tmp, &fn->dma, node)
		if (!err && iova < r->iova + r->size && r->iova < iova + size)
			err = split_range(fn, r, iova, iova + size);
	return err;
}

void dma_unmap_all(struct function *fn)
{
	struct dma_range *r, *tmp;

	list_for_each_entry_safe(r, tmp, &fn->dma, node)
		free_range(r);
}

static int dma_copy(struct function *fn, uint64_t addr, uint8_t *buf, size_t len, bool write)
{
	struct dma_range *r;
	uint64_t left;
	uint8_t *at;
	size_t n;

	if (!pci_bus_master(fn))
		return -EFAULT;
	for (; len; len -= n, addr += n, buf += n) {
		r = find_range(fn, addr);
		if (!r || !r->ptr || !(write ? r->writable : r->readable))
			return -EFAULT;
		left = r->size - (addr - r->iova);
		n = len < left ? len : left;
		at = r->ptr + (addr - r->iova);
		if (write)
			memcpy(at, buf, n);
		else
			memcpy(buf, at, n);
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

/*
 * Without an eventfd the vector is disabled or masked, and the interrupt is lost (the EQ counts as
 * fired).
 */
static int function_irq(void *guest, unsigned int vector)
{
	struct function *fn = guest;
	uint64_t one = 1;

	if (!pci_bus_master(fn) || vector >= VECTORS_MAX || fn->irq_fds[vector] < 0)
		return -ENXIO;
	/* A saturated eventfd still wakes the reader. */
	if (write(fn->irq_fds[vector], &one, sizeof(one)) < 0 && errno != EAGAIN)
		return -errno;
	return 0;
}

const struct guest_ops function_guest_ops = {
	.read = function_read, .write = function_write, .irq = function_irq,
};
