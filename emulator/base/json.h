/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The status for programs. Each room adds its part to the object of a function or a port, beside
 * the function that prints the same for people. Names once there keep their meaning: programs that
 * strangers have written read them.
 */
#ifndef CXEMU_JSON_H
#define CXEMU_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

static inline void json_number(struct json_object *to, const char *name, uint64_t value)
{
	json_object_object_add(to, name, json_object_new_uint64(value));
}

static inline void json_flag(struct json_object *to, const char *name, bool value)
{
	json_object_object_add(to, name, json_object_new_boolean(value));
}

static inline void json_text(struct json_object *to, const char *name, const char *value)
{
	json_object_object_add(to, name, json_object_new_string(value));
}

/* An object in another one, which owns it. */
static inline struct json_object *json_part(struct json_object *to, const char *name)
{
	struct json_object *part = json_object_new_object();

	json_object_object_add(to, name, part);
	return part;
}

/* A list in an object, and an object at the end of a list. */
static inline struct json_object *json_list(struct json_object *to, const char *name)
{
	struct json_object *list = json_object_new_array();

	json_object_object_add(to, name, list);
	return list;
}

static inline struct json_object *json_row(struct json_object *list)
{
	struct json_object *row = json_object_new_object();

	json_object_array_add(list, row);
	return row;
}

#endif
