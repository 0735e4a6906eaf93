/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Windows of a capture: a test puts a frame of its own on the wire that says what the RoCE frames
 * after it must be, and one that ends this. The text of such a frame, behind an Ethernet header
 * with type 0x88b5 (for experiments):
 *
 *	begin WORD... : LABEL
 *	end
 *
 * The first word may be script=NAME, the test script that says it: of a script a number of windows
 * can be demanded, so that a test whose frames do not get as far as the capture is missed.
 *
 * Words: type=v1|v2/IPv4|v2/IPv6; the traits by their names, =N or =none; min=N, the number of
 * frames that must come (1); except=N: frames to queue pair N are no concern of the window; to=MAC:
 * nor are those to other addresses; smac=MAC: the source address; spread=N: N queue pairs are sent
 * to, and their UDP source ports are spread over 49152..65535 as dice would do it (chi-square over
 * 16 bins, of the upper four of their 14 bits and of the lower four).
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
 * header with its ECN bits, hops, and flow of GRH or IPv6; icrc is 1 where it is right. In a window
 * that says icrc=0 a wrong one is what is wanted.
 */
enum trait { VLAN, PCP, DSCP, TCLASS, HOPS, FLOW, SPORT, ICRC, TRAITS };

/* What windows look at in a RoCE frame. */
struct traits {
	enum kind kind;
	int value[TRAITS];	/* ABSENT: it has no such field */
	int qpn;		/* it is for */
	uint64_t dmac, smac;
};

struct windows {
	bool open;
	char label[128];
	char script[64];
	int type, except, want[TRAITS];	/* ANY, or what is wanted */
	uint64_t to, smac;		/* 0: any */
	unsigned long min, frames;
	unsigned int spread, n_flows; /* 0: not asked; those in @flow */
	struct {
		int qpn;
		uint16_t sport;
	} flow[MAX_FLOWS];
	unsigned long closed, bad;	/* windows; complaints */
	unsigned int n_demands;
	struct {
		char script[64];
		unsigned long want, got; /* windows that ended */
	} demand[MAX_DEMANDS];
};

/* Of a script so many windows are to come: NAME=NUMBER. False: it says something else. */
bool windows_demand(struct windows *w, const char *text);

/* The text of a frame of type ETHERTYPE_WINDOW. */
void windows_mark(struct windows *w, const uint8_t *text, size_t len);
void windows_frame(struct windows *w, const struct traits *t, unsigned long number);
/* A frame with a wrong ICRC is wanted now. */
bool windows_wants_bad_icrc(const struct windows *w);
/* At the end of the capture. Complaints went to stderr and are counted in @bad. */
void windows_finish(struct windows *w);

#endif
