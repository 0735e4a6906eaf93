// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include "word.h"

int cxr_word_refuse(struct cxr_word_fault *fault, struct cxr_word word, const char *why)
{
	fault->word = word.at;
	fault->len = word.len;
	fault->why = why;
	return -EINVAL;
}

struct cxr_word cxr_word_of(const char *text)
{
	struct cxr_word word = { text, strlen(text) };

	if (word.len && text[word.len - 1] == '\n')
		word.len--;
	return word;
}

bool cxr_word_cut(struct cxr_word *rest, char c, struct cxr_word *head)
{
	const char *at = rest->len ? memchr(rest->at, c, rest->len) : NULL;

	if (!at)
		return false;
	head->at = rest->at;
	head->len = at - rest->at;
	rest->at += head->len + 1;
	rest->len -= head->len + 1;
	return true;
}

unsigned int cxr_word_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool cxr_word_digits(struct cxr_word word, unsigned int base, u32 max, u32 *number)
{
	u64 n = 0;

	if (word.len <= 0)
		return false;
	for (; word.len; word.at++, word.len--) {
		if (cxr_word_digit(*word.at) >= base)
			return false;
		n = n * base + cxr_word_digit(*word.at);
		if (n > max)
			return false;
	}
	*number = n;
	return true;
}

bool cxr_word_number(struct cxr_word word, u32 max, u32 *number)
{
	if (word.len < 2 || *word.at != '0')
		return cxr_word_digits(word, 10, max, number);
	if (word.at[1] != 'x' && word.at[1] != 'X')
		return cxr_word_digits(word, 8, max, number);
	word.at += 2;
	word.len -= 2;
	return cxr_word_digits(word, 16, max, number);
}
