/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Windows of a capture: a test sends a mark, which says what the RoCE frames after it must be, and
 * another mark that ends the window. A mark is a frame of Ethertype 0x88b5 (local experimental)
 * with the text
 *
 *	begin WORD... : LABEL
 *	end
 *
 * The first word may be script=NAME, the test script that sends the mark. A number of windows can
 * be demanded of a script, so that a test whose frames are not in the capture is found.
 *
 * Words: type=v1|v2/IPv4|v2/IPv6; the traits by name, =N or =none; min=N: at least N frames
 * (default 1); except=N: ignore frames to QP N; to=MAC: ignore frames to other addresses; smac=MAC:
 * the source address; spread=N: there are N destination QPs, whose UDP source ports are uniformly
 * distributed over 49152..65535 (chi-square over 16 bins, of the upper four of the 14 variable bits
 * and of the lower four).
 */
#ifndef WIRE_WINDOW_H
#define WIRE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETHERTYPE_WINDOW 0x88b5
#define ABSENT (-1)
#define MAX_FLOWS 1024
#define MAX_DEMANDS 64

enum kind { OTHER, V1, V2_IPV4, V2_IPV6, KINDS };

extern const char * const kind_name[KINDS];

/*
 * vlan and pcp of the outer tag, dscp of the IP header (v2), sport of UDP (v2), tclass of GRH or IP
 * header including its ECN bits, hops, and flow of GRH or IPv6; icrc is 1 if it is valid. A window
 * with icrc=0 expects an invalid one.
 */
enum trait { VLAN, PCP, DSCP, TCLASS, HOPS, FLOW, SPORT, ICRC, TRAITS };

/* The fields of a RoCE frame that windows check. */
struct traits {
	enum kind kind;
	int value[TRAITS];	/* ABSENT: no such field */
	int qpn;		/* destination QP */
	uint64_t dmac, smac;
};

struct windows {
	bool open;
	char label[128];
	char script[64];
	int type, except, want[TRAITS];	/* ANY, or the expected value */
	uint64_t to, smac;		/* 0: any */
	unsigned long min, frames;
	unsigned int spread, n_flows; /* expected, 0: any; number of entries in @flow */
	struct {
		int qpn;
		uint16_t sport;
	} flow[MAX_FLOWS];
	unsigned long closed, bad;	/* number of windows, of complaints */
	unsigned int n_demands;
	struct {
		char script[64];
		unsigned long want, got; /* completed windows */
	} demand[MAX_DEMANDS];
};

/* Demand NUMBER windows of script NAME; @text is NAME=NUMBER. Returns false if it is not. */
bool windows_demand(struct windows *w, const char *text);

/* Handle a mark: @text is the payload of a frame of type ETHERTYPE_WINDOW. */
void windows_mark(struct windows *w, const uint8_t *text, size_t len);
void windows_frame(struct windows *w, const struct traits *t, unsigned long number);
/* Does the open window expect frames with an invalid ICRC? */
bool windows_wants_bad_icrc(const struct windows *w);
/* End of the capture. Complaints are printed to stderr and counted in @bad. */
void windows_finish(struct windows *w);

#endif
