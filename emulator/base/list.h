/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Circular doubly linked intrusive list. A head of an empty list, and an element that is on no
 * list, points to itself.
 */
#ifndef CXEMU_LIST_H
#define CXEMU_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_head {
	struct list_head *prev, *next;
};

#define LIST_HEAD_INIT(name) { .prev = &(name), .next = &(name) }

static inline void list_init(struct list_head *node)
{
	node->prev = node;
	node->next = node;
}

/* The heads of a hash table */
static inline void list_init_all(struct list_head *heads, size_t n)
{
	while (n--)
		list_init(&heads[n]);
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

/* Inserts @node after @at. */
static inline void list_add(struct list_head *node, struct list_head *at)
{
	node->prev = at;
	node->next = at->next;
	at->next->prev = node;
	at->next = node;
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	list_add(node, head->prev);
}

/* No effect on an element that is on no list. */
static inline void list_del(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

/* Moves all of @from to the end of @to. */
static inline void list_splice_tail(struct list_head *from, struct list_head *to)
{
	if (list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

#define list_entry(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)

#define list_for_each_entry(pos, head, member)						\
	for (pos = list_entry((head)->next, typeof(*pos), member);			\
	     &pos->member != (head);							\
	     pos = list_entry(pos->member.next, typeof(*pos), member))

/* From the end */
#define list_for_each_entry_reverse(pos, head, member)					\
	for (pos = list_entry((head)->prev, typeof(*pos), member);			\
	     &pos->member != (head);							\
	     pos = list_entry(pos->member.prev, typeof(*pos), member))

/* The body may remove or free @pos. */
#define list_for_each_entry_safe(pos, tmp, head, member)				\
	for (pos = list_entry((head)->next, typeof(*pos), member),			\
	     tmp = list_entry(pos->member.next, typeof(*pos), member);			\
	     &pos->member != (head);							\
	     pos = tmp, tmp = list_entry(tmp->member.next, typeof(*tmp), member))

#endif
