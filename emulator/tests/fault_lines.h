/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Faults by control lines, as a person types them: for tests of a cxemu of their own. */
#ifndef CXEMU_FAULT_LINES_H
#define CXEMU_FAULT_LINES_H

#include "vfu_client.h"

/* The answer to "fault ...", in the buffer of emu_control(); *good: it ended with ok. */
const char *fault(struct emu *emu, bool *good, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As fault(). A refusal ends the program. */
void fault_must(struct emu *emu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Nothing is left of any fault. */
bool fault_none(struct emu *emu);

#endif
