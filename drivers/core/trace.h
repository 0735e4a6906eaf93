/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Tracepoints: /sys/kernel/tracing/events/cxr. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cxr

#if !defined(CXR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CXR_TRACE_H

#include <linux/tracepoint.h>

#define CXR_TRACE_INPUT_MAX 1024	/* bytes */

/* A command has completed, or did not run (err without a status). */
TRACE_EVENT(cxr_cmd,
	TP_PROTO(const char *dev, const char *name, u16 op, u8 status, u32 syndrome, u64 ns,
		 int err),
	TP_ARGS(dev, name, op, status, syndrome, ns, err),
	TP_STRUCT__entry(
		__array(char, dev, 16)
		__array(char, name, 32)
		__field(u16, op)
		__field(u8, status)
		__field(u32, syndrome)
		__field(u64, ns)
		__field(int, err)
	),
	TP_fast_assign(
		strscpy(__entry->dev, dev, sizeof(__entry->dev));
		strscpy(__entry->name, name, sizeof(__entry->name));
		__entry->op = op;
		__entry->status = status;
		__entry->syndrome = syndrome;
		__entry->ns = ns;
		__entry->err = err;
	),
	TP_printk("%s %s (%#x) status %#x syndrome %#x %llu ns err %d", __entry->dev, __entry->name,
		  __entry->op,
		  __entry->status, __entry->syndrome, __entry->ns, __entry->err)
);

/* The input of a command that is about to run, cut at a length that fits a trace buffer. */
TRACE_EVENT(cxr_cmd_input,
	TP_PROTO(const char *dev, const char *name, u16 op, const void *in, u32 inlen),
	TP_ARGS(dev, name, op, in, inlen),
	TP_STRUCT__entry(
		__array(char, dev, 16)
		__array(char, name, 32)
		__field(u16, op)
		__dynamic_array(u8, in, min_t(u32, inlen, CXR_TRACE_INPUT_MAX))
	),
	TP_fast_assign(
		strscpy(__entry->dev, dev, sizeof(__entry->dev));
		strscpy(__entry->name, name, sizeof(__entry->name));
		__entry->op = op;
		memcpy(__get_dynamic_array(in), in, __get_dynamic_array_len(in));
	),
	TP_printk("%s %s %#x %s", __entry->dev, __entry->name, __entry->op,
		  __print_hex_str(__get_dynamic_array(in), __get_dynamic_array_len(in)))
);

/* An event queue entry; err: it could not be decoded. */
TRACE_EVENT(cxr_event,
	TP_PROTO(const char *dev, const char *eq, u8 type, u8 subtype, u32 num, int err),
	TP_ARGS(dev, eq, type, subtype, num, err),
	TP_STRUCT__entry(
		__array(char, dev, 16)
		__array(char, eq, 8)
		__field(u8, type)
		__field(u8, subtype)
		__field(u32, num)
		__field(int, err)
	),
	TP_fast_assign(
		strscpy(__entry->dev, dev, sizeof(__entry->dev));
		strscpy(__entry->eq, eq, sizeof(__entry->eq));
		__entry->type = type;
		__entry->subtype = subtype;
		__entry->num = num;
		__entry->err = err;
	),
	TP_printk("%s %s type %#x subtype %#x number %#x err %d", __entry->dev, __entry->eq,
		  __entry->type,
		  __entry->subtype, __entry->num, __entry->err)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
