/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The kernel's <linux/types.h> for the host: the system's, and what it keeps for the kernel. */
#ifndef HOST_LINUX_TYPES_H
#define HOST_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;

#endif
