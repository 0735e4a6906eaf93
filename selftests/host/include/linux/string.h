/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The kernel's <linux/string.h> for the host. */
#ifndef HOST_LINUX_STRING_H
#define HOST_LINUX_STRING_H

#include <string.h>

#endif
