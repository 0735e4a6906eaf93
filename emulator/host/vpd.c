// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Vital product data (PCI Local Bus 3.0, appendix I): what card this is, for tools. The keywords
 * are those of real cards, the values our own.
 */
#include <linux/pci_regs.h>
#include <stdarg.h>
#include <string.h>

#include "card/card.h"
#include "host/host.h"

#define TAG_STRING	0x82
#define TAG_READ_ONLY	0x90
#define TAG_END		0x78

/* The data so far, and where the length of its last resource stands. */
struct vpd {
	uint8_t *data;
	unsigned int n, len_at;
};

static void begin_resource(struct vpd *vpd, uint8_t tag)
{
	vpd->data[vpd->n] = tag;
	vpd->len_at = vpd->n + 1;
	vpd->n += 3;
}

static void end_resource(struct vpd *vpd)
{
	unsigned int len = vpd->n - vpd->len_at - 2;

	vpd->data[vpd->len_at] = len;
	vpd->data[vpd->len_at + 1] = len >> 8;
}

static void add_text(struct vpd *vpd, const char *fmt, va_list ap)
{
	vpd->n += vsnprintf((char *)vpd->data + vpd->n, VPD_BYTES - vpd->n, fmt, ap);
}

__attribute__((format(printf, 2, 3)))
static void add_string(struct vpd *vpd, const char *fmt, ...)
{
	va_list ap;

	begin_resource(vpd, TAG_STRING);
	va_start(ap, fmt);
	add_text(vpd, fmt, ap);
	va_end(ap);
	end_resource(vpd);
}

__attribute__((format(printf, 3, 4)))
static void add_field(struct vpd *vpd, const char *keyword, const char *fmt, ...)
{
	unsigned int at = vpd->n;
	va_list ap;

	memcpy(vpd->data + at, keyword, 2);
	vpd->n += 3;
	va_start(ap, fmt);
	add_text(vpd, fmt, ap);
	va_end(ap);
	vpd->data[at + 2] = vpd->n - at - 3;
}

/* Its last byte makes the sum of all bytes zero. */
static void end_read_only(struct vpd *vpd)
{
	uint8_t sum = 0;
	unsigned int i;

	memcpy(vpd->data + vpd->n, "RV\1", 3);
	vpd->n += 4;
	end_resource(vpd);
	for (i = 0; i < vpd->n; i++)
		sum += vpd->data[i];
	vpd->data[vpd->n - 1] = -sum;
}

void vpd_fill(const struct cxdev *dev, uint8_t *data)
{
	unsigned long long guid = dev->sys_image_guid, serial = guid & 0xffffff;
	struct vpd vpd = { .data = data };
	const struct card *card = dev->card;

	memset(data, 0, VPD_BYTES);
	add_string(&vpd, "%s, emulated by cxemu", card->model);
	begin_resource(&vpd, TAG_READ_ONLY);
	add_field(&vpd, "PN", "CXEMU-%s", card->name);
	add_field(&vpd, "EC", "A1");
	add_field(&vpd, "V2", "CXEMU-%s", card->name);
	add_field(&vpd, "SN", "CXR%06llX", serial);
	add_field(&vpd, "V3", "%016llx%016llx", guid, guid);
	add_field(&vpd, "VA", "MLX:MN=MLNX:CSKU=V2:UUID=V3:PCI=V0:MODL=%s", card->name);
	add_field(&vpd, "V0", "PCIeGen%u x%u", card->pcie_gen, card->pcie_lanes);
	if (card->vpd_function)
		add_field(&vpd, "VU", "CXR%06llXMLNXS0D0F%u", serial, dev->native_port - 1);
	end_read_only(&vpd);
	data[vpd.n] = TAG_END;
}
