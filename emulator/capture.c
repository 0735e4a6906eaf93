// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Capture of the wire in pcap format with nanosecond stamps.
 *
 * The file's buffer is emptied before a frame would cross its end and at the latest FLUSH_NS after
 * a frame came, so that whoever reads the file while it grows sees whole frames only.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"

#define BUFFER (1u << 20)
#define FLUSH_NS 20000000ull
#define SNAPLEN 65535

static pcap_t *pcap;
static pcap_dumper_t *dumper;
static FILE *file;
static char *buffer;
static size_t pending;
static struct timer flush_timer;

static void flush(void)
{
	pending = 0;
	if (!pcap_dump_flush(dumper))
		return;

	fprintf(stderr, "cxemu: the capture cannot be written: %s; capturing ends\n",
		strerror(errno));
	capture_close();
}

static void flush_late(struct timer *timer)
{
	(void)timer;
	if (dumper)
		flush();
}

int capture_open(const char *path)
{
	int err;

	if (dumper)
		return -EBUSY;

	timer_init(&flush_timer, flush_late);
	file = fopen(path, "wb");
	if (!file) {
		err = -errno;
		fprintf(stderr, "cxemu: cannot create the capture file %s: %s\n", path,
			strerror(-err));
		return err;
	}
	buffer = malloc(BUFFER);
	if (!buffer || setvbuf(file, buffer, _IOFBF, BUFFER)) {
		err = -ENOMEM;
		goto close_file;
	}
	pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAPLEN,
						    PCAP_TSTAMP_PRECISION_NANO);
	if (!pcap) {
		err = -ENOMEM;
		goto close_file;
	}
	dumper = pcap_dump_fopen(pcap, file);
	if (!dumper) {
		fprintf(stderr, "cxemu: %s\n", pcap_geterr(pcap));
		err = -EIO;
		goto close_pcap;
	}
	flush();
	return dumper ? 0 : -EIO;

close_pcap:
	pcap_close(pcap);
	pcap = NULL;
close_file:
	fclose(file);
	free(buffer);
	buffer = NULL;
	return err;
}

void capture_frame(const struct frame *frame)
{
	struct pcap_pkthdr header = {};
	struct timespec now;

	if (!dumper)
		return;

	if (pending + frame->len + 64 > BUFFER)
		flush();
	if (!dumper)
		return;

	clock_gettime(CLOCK_REALTIME, &now);
	header.ts.tv_sec = now.tv_sec;
	header.ts.tv_usec = now.tv_nsec;
	header.caplen = frame->len;
	header.len = frame->len;
	pcap_dump((unsigned char *)dumper, &header, frame->data);

	if (!pending)
		timer_arm(&flush_timer, FLUSH_NS);
	pending += frame->len + 16;
}

void capture_close(void)
{
	if (!dumper)
		return;

	timer_cancel(&flush_timer);
	pcap_dump_close(dumper); /* closes the file too */
	pcap_close(pcap);
	free(buffer);
	dumper = NULL;
	pcap = NULL;
	buffer = NULL;
	pending = 0;
}
