/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Declaration of the device's bit layouts, and accessors.
 *
 * In a layout one byte stands for one bit, most significant bit of dword 0 first, so that
 * offsetof() and sizeof() count bits:
 *
 *	struct prm_alloc_pd_out_bits {
 *		u8 status[8];
 *		u8 rsvd_08[24];
 *		...
 *	};
 *	PRM_LAYOUT(alloc_pd_out, 0x10);
 *
 * The struct of bits is never instantiated. PRM_LAYOUT() defines struct prm_alloc_pd_out:
 * big-endian dwords with their layout, so that an accessor does not compile if the field is of
 * another layout, has the wrong width, or crosses a dword. Field names are those of the PRM.
 * rsvd_<hex> carries its own bit offset and must be zero on the way in. "tail:" names what follows
 * a layout in memory; prm_tail() points at it.
 *
 * The same file serves the driver, the emulator and the host tests.
 */
#ifndef CXR_PRM_PRM_H
#define CXR_PRM_PRM_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <asm/byteorder.h>
#else
#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#ifndef __force
#define __force
#endif
#ifndef cpu_to_be32
#define cpu_to_be16(v) ((__force __be16)htobe16(v))
#define cpu_to_be32(v) ((__force __be32)htobe32(v))
#define cpu_to_be64(v) ((__force __be64)htobe64(v))
#define be16_to_cpu(v) be16toh((__force __u16)(v))
#define be32_to_cpu(v) be32toh((__force __u32)(v))
#define be64_to_cpu(v) be64toh((__force __u64)(v))
#endif
#endif

/*
 * struct prm_<name>: @bytes bytes of big-endian dwords. A layout is followed by nothing, or by
 * a tail whose length the command's other fields give.
 */
#define PRM_LAYOUT(name, bytes)						\
	static_assert(sizeof(struct prm_##name##_bits) == (bytes) * 8,	\
		      #name " is not " #bytes " bytes");		\
	struct prm_##name {						\
		union {							\
			__be32 dw[(bytes) / 4];				\
			struct prm_##name##_bits layout[0];		\
		};							\
	}

/* First bit and width of a field. @p points to a struct prm_*. */
#define prm_bit(p, f)	offsetof(typeof((p)->layout[0]), f)
#define prm_width(p, f)	sizeof((p)->layout[0].f)

#define prm_assert_32(p, f)						\
	static_assert(prm_width(p, f) <= 32 &&				\
		       prm_bit(p, f) % 32 + prm_width(p, f) <= 32,	\
		       "not within one dword: " #f)
#define prm_assert_64(p, f)						\
	static_assert(prm_width(p, f) == 64 && prm_bit(p, f) % 32 == 0, \
		       "not two whole dwords: " #f)
#define prm_assert_byte(p, f)						\
	static_assert(prm_width(p, f) % 8 == 0 && prm_bit(p, f) % 8 == 0, \
		       "not whole bytes: " #f)

static inline u32 prm_mask(unsigned int width)
{
	return width >= 32 ? 0xffffffff : (1U << width) - 1;
}

static inline u32 prm_get_bits(const __be32 *dw, unsigned int bit, unsigned int width)
{
	return be32_to_cpu(dw[bit / 32]) >> (32 - bit % 32 - width) & prm_mask(width);
}

/*
 * Sets the field to the low bits of @v. A value that does not fit is a bug of the caller: programs
 * assert, kernels with CONFIG_DEBUG_VM warn, others truncate it.
 */
static inline void prm_set_bits(__be32 *dw, unsigned int bit, unsigned int width, u32 v)
{
	unsigned int shift = 32 - bit % 32 - width;
	u32 mask = prm_mask(width);

#ifndef __KERNEL__
	assert((v & ~mask) == 0);
#elif defined(CONFIG_DEBUG_VM)
	WARN_ONCE(v & ~mask, "%#x does not fit in %u bits\n", v, width);
#endif
	dw[bit / 32] = cpu_to_be32((be32_to_cpu(dw[bit / 32]) & ~(mask << shift)) |
				   (v & mask) << shift);
}

static inline u64 prm_get_dwords(const __be32 *dw, unsigned int bit)
{
	return (u64)be32_to_cpu(dw[bit / 32]) << 32 | be32_to_cpu(dw[bit / 32 + 1]);
}

static inline void prm_set_dwords(__be32 *dw, unsigned int bit, u64 v)
{
	dw[bit / 32] = cpu_to_be32(v >> 32);
	dw[bit / 32 + 1] = cpu_to_be32(v & 0xffffffff);
}

/* Read and write a field of up to 32 bits; array indices must be constants. */
#define prm_get(p, f) ({						\
	prm_assert_32(p, f);						\
	prm_get_bits((p)->dw, prm_bit(p, f), prm_width(p, f));		\
})
#define prm_set(p, f, v) ({						\
	prm_assert_32(p, f);						\
	prm_set_bits((p)->dw, prm_bit(p, f), prm_width(p, f), v);	\
})

/* Read and write a field of 64 bits. */
#define prm_get64(p, f) ({						\
	prm_assert_64(p, f);						\
	prm_get_dwords((p)->dw, prm_bit(p, f));				\
})
#define prm_set64(p, f, v) ({						\
	prm_assert_64(p, f);						\
	prm_set_dwords((p)->dw, prm_bit(p, f), v);			\
})

/*
 * prm_bytes: address of a field of whole bytes (a MAC, a GID, a hash key), to memcpy() from or to.
 * prm_bytes_const: the same of a buffer that is only read.
 */
#define prm_bytes(p, f) ({						\
	prm_assert_byte(p, f);						\
	(u8 *)(p)->dw + prm_bit(p, f) / 8;				\
})
#define prm_bytes_const(p, f) ({					\
	prm_assert_byte(p, f);						\
	(const u8 *)(p)->dw + prm_bit(p, f) / 8;			\
})

/*
 * A layout inside another one, as a pointer of its own type: with struct prm_create_eq_in *in,
 * prm_sub(in, eq_context_entry, eqc) is a struct prm_eqc *. Another type does not compile.
 */
#define prm_assert_sub(p, f, name)					\
	static_assert(__builtin_types_compatible_p(typeof((p)->layout[0].f), \
						    struct prm_##name##_bits) && \
		       prm_bit(p, f) % 32 == 0, #f " is no " #name)
#define prm_sub(p, f, name) ({						\
	prm_assert_sub(p, f, name);					\
	(struct prm_##name *)((p)->dw + prm_bit(p, f) / 32);		\
})
#define prm_sub_const(p, f, name) ({					\
	prm_assert_sub(p, f, name);					\
	(const struct prm_##name *)((p)->dw + prm_bit(p, f) / 32);	\
})

/* The tail behind the layout in memory, such as pas[]. The caller knows its size. */
#define prm_tail(p)		((void *)((p) + 1))
#define prm_tail_const(p)	((const void *)((p) + 1))

#endif
