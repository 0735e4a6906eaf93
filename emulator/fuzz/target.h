/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What a fuzz target is to libFuzzer, and to replay.c. */
#ifndef CXEMU_FUZZ_TARGET_H
#define CXEMU_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
