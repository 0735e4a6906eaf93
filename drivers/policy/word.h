/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Words of a text that a user writes: how they are taken apart, and what is wrong with one. */
#ifndef CXR_POLICY_WORD_H
#define CXR_POLICY_WORD_H

#include <linux/types.h>

#define CXR_WORD_SHOWN_MAX 32	/* characters logged of a text that is too long */

/* A part of a text, which belongs to the caller. */
struct cxr_word {
	const char *at;
	int len;
};

/* The wrong word, of @len characters, and why it is wrong. */
struct cxr_word_fault {
	const char *word;
	int len;
	const char *why;
};

/* Sets the fault; returns -EINVAL. */
int cxr_word_refuse(struct cxr_word_fault *fault, struct cxr_word word, const char *why);
/* Without a newline at the end. */
struct cxr_word cxr_word_of(const char *text);
/* Splits *rest at the first @c: *head is the part before it, *rest becomes that after it. */
bool cxr_word_cut(struct cxr_word *rest, char c, struct cxr_word *head);
/* The value of a digit in any base up to 16, or 16. */
unsigned int cxr_word_digit(char c);
/* False: empty, a character that is no digit of the base, or a number over @max. */
bool cxr_word_digits(struct cxr_word word, unsigned int base, u32 max, u32 *number);
/* The same of a decimal, octal (0...) or hexadecimal (0x...) number. */
bool cxr_word_number(struct cxr_word word, u32 max, u32 *number);

#endif
