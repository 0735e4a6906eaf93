// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The configuration space beyond what any PCI device has: which capabilities stand where, vital
 * product data, and the vendor specific capability as the in-tree driver uses it.
 */
#include <linux/pci_regs.h>
#include <string.h>
#include <unistd.h>

#include "fault_lines.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define CONFIG_REGION 7

static struct emu emu;
static struct client c;

static uint32_t config_read32(uint32_t offset)
{
	return config_read16(&c, offset) | (uint32_t)config_read16(&c, offset + 2) << 16;
}

/* Such a register is read and written as a whole. */
static uint32_t reg32(uint32_t offset)
{
	uint8_t le[4] = {};

	region_read(&c, CONFIG_REGION, offset, le, 4);
	return le[0] | le[1] << 8 | le[2] << 16 | (uint32_t)le[3] << 24;
}

static void set_reg32(uint32_t offset, uint32_t value)
{
	uint8_t le[4] = { value, value >> 8, value >> 16, value >> 24 };

	region_write(&c, CONFIG_REGION, offset, le, 4, false);
}

/* ---- what stands where ---- */

struct place {
	unsigned int id, at;
};

static const struct place pf_caps[] = {
	{ PCI_CAP_ID_EXP, 0x60 }, { PCI_CAP_ID_VPD, 0x48 }, { PCI_CAP_ID_MSIX, 0x9c },
	{ PCI_CAP_ID_VNDR, 0xc0 }, { PCI_CAP_ID_PM, 0x40 },
};

static const struct place vf_caps[] = {
	{ PCI_CAP_ID_EXP, 0x60 }, { PCI_CAP_ID_MSIX, 0x9c }, { PCI_CAP_ID_PM, 0x40 },
};

static const struct place pf_ext_caps[] = {
	{ PCI_EXT_CAP_ID_ERR, 0x100 }, { PCI_EXT_CAP_ID_ARI, 0x150 },
	{ PCI_EXT_CAP_ID_SECPCI, 0x1c0 }, { PCI_EXT_CAP_ID_ACS, 0x230 },
};

static const struct place vf_ext_caps[] = {
	{ PCI_EXT_CAP_ID_ERR, 0x100 }, { PCI_EXT_CAP_ID_ARI, 0x150 },
};

/* In this order, and no others. */
static bool caps_are(const struct place *want, unsigned int n)
{
	unsigned int at = config_read16(&c, PCI_CAPABILITY_LIST) & 0xff, i;

	for (i = 0; i < n; i++) {
		if (at != want[i].at || (config_read16(&c, at) & 0xff) != want[i].id)
			return false;
		at = config_read16(&c, at) >> 8;
	}
	return !at;
}

static bool ext_caps_are(const struct place *want, unsigned int n)
{
	unsigned int at = 0x100, i;
	uint32_t head;

	for (i = 0; i < n; i++) {
		head = config_read32(at);
		if (at != want[i].at || PCI_EXT_CAP_ID(head) != want[i].id ||
		    PCI_EXT_CAP_VER(head) != 1)
			return false;
		at = PCI_EXT_CAP_NEXT(head);
	}
	return !at;
}

static void test_places(bool vf)
{
	ktap(vf ? caps_are(vf_caps, ARRAY_SIZE(vf_caps)) : caps_are(pf_caps, ARRAY_SIZE(pf_caps)),
	     "%s: the capabilities are those of a card", vf ? "VF" : "PF");
	ktap(vf ? ext_caps_are(vf_ext_caps, ARRAY_SIZE(vf_ext_caps)) :
		  ext_caps_are(pf_ext_caps, ARRAY_SIZE(pf_ext_caps)),
	     "%s: so are the extended capabilities, of version 1", vf ? "VF" : "PF");
}

static void test_header(void)
{
	ktap(config_read16(&c, PCI_SUBSYSTEM_VENDOR_ID) == 0x15b3 &&
	     config_read16(&c, PCI_SUBSYSTEM_ID) == 0x0007,
	     "the subsystem is a board of this card");
	ktap(config_read16(&c, PCI_HEADER_TYPE) >> 8 == 0 &&
	     (config_read16(&c, PCI_HEADER_TYPE) & 0xff) == PCI_HEADER_TYPE_MFD,
	     "the card is a multifunction device");
	ktap(config_read16(&c, 0x40 + PCI_PM_PMC) == 0x81c3,
	     "power management: version 3, PME from D3cold, 375 mA");
}

/* ---- power states ---- */

#define PM_CTRL (0x40 + PCI_PM_CTRL)

static void test_power(void)
{
	uint32_t before = reg_read(&c, 0);

	config_write16(&c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	config_write16(&c, PM_CTRL, 3);
	ktap(reg_read(&c, 0) == UINT32_MAX && config_read16(&c, PCI_VENDOR_ID) == 0x15b3,
	     "in D3 only the configuration space responds");
	config_write16(&c, PM_CTRL, 1);
	ktap((config_read16(&c, PM_CTRL) & PCI_PM_CTRL_STATE_MASK) == 3, "there is no D1");
	config_write16(&c, PM_CTRL, 0);
	ktap(reg_read(&c, 0) == before && config_read16(&c, PCI_COMMAND) & PCI_COMMAND_MASTER,
	     "D0 again: no register has lost its value");
}

/* ---- vital product data ---- */

#define VPD 0x48

static uint32_t vpd_read(uint16_t addr)
{
	config_write16(&c, VPD + PCI_VPD_ADDR, addr);
	if (config_read16(&c, VPD + PCI_VPD_ADDR) != (addr | PCI_VPD_ADDR_F))
		return 0;
	return config_read32(VPD + PCI_VPD_DATA);
}

static void read_vpd(uint8_t *data, unsigned int len)
{
	unsigned int at;
	uint32_t dword;

	for (at = 0; at < len; at += 4) {
		dword = vpd_read(at);
		memcpy(data + at, &dword, 4);
	}
}

/* The text of a field of the read-only resource, and where it ends; NULL: there is none. */
static const uint8_t *field_of(const uint8_t *data, const char *keyword, unsigned int *len)
{
	unsigned int at = 3 + data[1], end;

	if (data[0] != 0x82 || data[at] != 0x90)
		return NULL;
	end = at + 3 + data[at + 1] + data[at + 2] * 256u;
	for (at += 3; at + 3 <= end; at += 3 + data[at + 2]) {
		*len = data[at + 2];
		if (!memcmp(data + at, keyword, 2))
			return data + at + 3;
	}
	return NULL;
}

static bool field_is(const uint8_t *data, const char *keyword, const char *text)
{
	unsigned int len;
	const uint8_t *p = field_of(data, keyword, &len);

	return p && len == strlen(text) && !memcmp(p, text, len);
}

static void test_vpd(void)
{
	uint8_t data[256] = {}, sum = 0;
	const uint8_t *check, *p;
	unsigned int len;

	read_vpd(data, sizeof(data));
	check = field_of(data, "RV", &len);
	for (p = data; check && p <= check; p++)
		sum += *p;
	ktap(check && !sum && check[len] == 0x78,
	     "vital product data has a checksum, and ends after it");
	ktap(!memcmp(data + 3, "ConnectX-5, ", 12) && field_is(data, "PN", "CXEMU-cx5") &&
	     field_is(data, "SN", "CXR000001") && field_is(data, "V0", "PCIeGen3 x16") &&
	     field_of(data, "V3", &len) && len == 32 && !field_of(data, "VU", &len),
	     "it names the card");
	config_write16(&c, VPD + PCI_VPD_DATA, 0);
	config_write16(&c, VPD + PCI_VPD_ADDR, PCI_VPD_ADDR_F | 4);
	ktap(config_read16(&c, VPD + PCI_VPD_ADDR) == 4 && vpd_read(4) >> 24 == data[7],
	     "it cannot be written");
	ktap(!vpd_read(0x7ffc) && !vpd_read(510), "it reads as zeros after its end");
}

/* ---- the vendor specific capability ---- */

#define VSC		0xc0
#define CTRL		(VSC + 0x04)
#define COUNTER		(VSC + 0x08)
#define SEMAPHORE	(VSC + 0x0c)
#define ADDR		(VSC + 0x10)
#define DATA		(VSC + 0x14)

#define SPACE_SEMAPHORES 0x0a
#define SPACE_ALL	 0x02
#define SPACE_SCAN	 0x07
#define SW_RESET	 0x20
#define FLAG		 0x80000000
#define FAULTY		 0x40000000
#define SIZED		 0x10000000

static uint32_t lock_gateway(void)
{
	uint32_t mine = reg32(COUNTER);

	set_reg32(SEMAPHORE, mine);
	return reg32(SEMAPHORE) == mine ? mine : 0;
}

static unsigned int set_space(unsigned int space)
{
	set_reg32(CTRL, (reg32(CTRL) & 0xffff0000) | space);
	return reg32(CTRL) >> 29;
}

/* What the word has afterwards. */
static uint32_t write_word(uint32_t addr, uint32_t value)
{
	set_reg32(DATA, value);
	set_reg32(ADDR, addr | FLAG);
	if (reg32(ADDR) & FLAG)
		return UINT32_MAX;
	set_reg32(ADDR, addr);
	return reg32(ADDR) & FLAG ? reg32(DATA) : UINT32_MAX;
}

static void test_gateway(void)
{
	uint32_t mine = lock_gateway(), other = reg32(COUNTER);

	ktap((reg32(VSC) & 0xff00ff) == 0x180009 && mine && mine != other,
	     "the gateway's semaphore can be taken, its counter counts");
	set_reg32(SEMAPHORE, other);
	ktap(reg32(SEMAPHORE) == mine, "a second driver does not get it");
	ktap(!set_space(SPACE_ALL), "the space of all registers is not there");
	ktap(set_space(SPACE_SEMAPHORES) && write_word(SW_RESET, mine) == mine &&
	     write_word(SW_RESET, other) == mine,
	     "the semaphore for a reset has one owner");
	ktap(!write_word(SW_RESET, 0) && write_word(SW_RESET, other) == other,
	     "another driver gets it when it is free");
	set_reg32(ADDR, 0x24);
	ktap(reg32(ADDR) & FAULTY, "there are no other semaphores");
	set_reg32(VSC, 0);
	set_reg32(VSC + 0x18, 0xffffffff);
	ktap((reg32(VSC) & 0xff00ff) == 0x180009 && !reg32(VSC + 0x18),
	     "nothing else can be written");
	config_write16(&c, 0x60 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	ktap(!reg32(SEMAPHORE) && lock_gateway() && set_space(SPACE_SEMAPHORES) &&
	     write_word(SW_RESET, mine) == mine, "a function level reset frees both semaphores");
	set_reg32(SEMAPHORE, 0);
	ktap(!reg32(SEMAPHORE) && !strcmp(emu_control(&emu, "violations"), "ok\n"),
	     "the gateway's semaphore can be released");
	set_reg32(CTRL, SPACE_SEMAPHORES);
	ktap(strstr(emu_control(&emu, "violations"),
		    "the vendor specific capability is used without its semaphore (register 0x4)"),
	     "without it, use is a violation");
}

/* A word, and the address of the next one; UINT32_MAX: it cannot be read. */
static uint32_t scan_word(uint32_t addr, uint32_t *next)
{
	uint32_t now;

	set_reg32(ADDR, addr);
	now = reg32(ADDR);
	if (!(now & FLAG) || now & FAULTY)
		return UINT32_MAX;
	*next = now & ~FLAG;
	return reg32(DATA);
}

static void test_scan(void)
{
	uint32_t mine = lock_gateway(), size, at, next = 0, words = 0, revision = 0;

	ktap(set_space(SPACE_SEMAPHORES) && write_word(SW_RESET, 0) == 0 && set_space(SPACE_SCAN) &&
	     reg32(CTRL) & SIZED, "the card's registers have a size");
	size = reg32(ADDR);
	scan_word(0, &next);
	ktap(strstr(emu_control(&emu, "violations"),
		    "the card's registers are read without its semaphore"),
	     "without the semaphore, reading them is a violation");
	set_space(SPACE_SEMAPHORES);
	write_word(SW_RESET, mine);
	set_space(SPACE_SCAN);
	for (at = 0; at < size; at = next) {
		uint32_t word = scan_word(at, &next);

		if (next <= at)
			break;
		if (!at)
			revision = word;
		words++;
	}
	ktap(at == size && size == 0x1014 && words == 24,
	     "each read tells where the next register is: %u of 0x%x bytes", words, size);
	ktap(revision == reg_read(&c, 0), "the first one is the version of the firmware");
	ktap(scan_word(size, &next) == UINT32_MAX && scan_word(2, &next) == UINT32_MAX,
	     "there are none after the last, and all are aligned");
	set_space(SPACE_SEMAPHORES);
	write_word(SW_RESET, 0);
	set_reg32(SEMAPHORE, 0);
}

static void test_gateway_faults(void)
{
	uint32_t mine = lock_gateway(), next = 0;

	fault_must(&emu, "f0 gateway semaphores silent");
	ktap(set_space(SPACE_SEMAPHORES) && write_word(SW_RESET, mine) == UINT32_MAX &&
	     write_word(SW_RESET, mine) == mine,
	     "gateway silent: a write is not done, the next one is");
	fault_must(&emu, "f0 gateway registers error");
	fault_must(&emu, "f0 gateway any next 0x24 nth=2");
	fault_must(&emu, "f0 gateway registers size 6");
	ktap(set_space(SPACE_SCAN) && reg32(ADDR) == 6,
	     "gateway size: the registers have another size");
	ktap(scan_word(0, &next) == UINT32_MAX, "gateway error: an address is faulty");
	ktap(scan_word(0, &next) == reg_read(&c, 0) && next == 0x24,
	     "gateway next: a read has another next address");
	fault_must(&emu, "clear");
	ktap(scan_word(0, &next) == reg_read(&c, 0) && next == 4 && fault_none(&emu),
	     "without the faults it is as before");
	set_space(SPACE_SEMAPHORES);
	write_word(SW_RESET, 0);
	set_reg32(SEMAPHORE, 0);
}

/* Where a PF has the gateway and product data a VF has nothing. */
static void test_vf(void)
{
	set_reg32(SEMAPHORE, 1);
	config_write16(&c, VPD + PCI_VPD_ADDR, 4);
	ktap(!reg32(SEMAPHORE) && !reg32(VPD) && !reg32(COUNTER) && !reg32(COUNTER),
	     "VF: neither gateway nor product data");
	ktap(!config_read16(&c, PCI_HEADER_TYPE), "VF: a single function");
}

static void test_named_function(void)
{
	uint8_t data[256] = {};

	read_vpd(data, sizeof(data));
	ktap(field_is(data, "VU", "CXR000001MLNXS0D0F1") && field_is(data, "SN", "CXR000001") &&
	     field_is(data, "V0", "PCIeGen5 x16"),
	     "ConnectX-7: product data names the function; both ports are one card");
}

/* The emulator notices some time after that a client has gone. */
static bool gets_semaphore(uint32_t mine)
{
	unsigned int tries;

	for (tries = 0; tries < 200; tries++) {
		if (write_word(SW_RESET, mine) == mine)
			return true;
		usleep(10000);
	}
	return false;
}

/* The function before this one is of the same card. */
static void test_shared_semaphore(void)
{
	struct client second = c, first;
	uint32_t mine, its;

	client_open(&first, &emu, 0);
	c = first;
	mine = lock_gateway();
	ktap(set_space(SPACE_SEMAPHORES) && write_word(SW_RESET, mine) == mine,
	     "ConnectX-7: a function takes the semaphore for a reset");
	c = second;
	its = lock_gateway();
	ktap(its && its != mine && set_space(SPACE_SEMAPHORES) && write_word(SW_RESET, its) == mine,
	     "ConnectX-7: the other function of the card does not get it");
	second = c;
	c = first;
	client_close(&c);
	c = second;
	ktap(gets_semaphore(its), "ConnectX-7: until the first is reset");
}

int main(int argc, char **argv)
{
	int status;

	(void)argc;
	ktap_plan(43);
	emu_start(&emu, argv[1], 1);
	client_open(&c, &emu, 0);
	test_places(false);
	test_header();
	test_vpd();
	test_gateway();
	test_scan();
	test_gateway_faults();
	test_power();
	client_close(&c);
	status = emu_stop(&emu);
	ktap(status == 3, "the exit status says that there were violations");

	emu_start_option(&emu, argv[1], 2, "--card", "cx5,vfs=1");
	client_open(&c, &emu, 1);
	test_places(true);
	test_vf();
	client_close(&c);
	ktap(!emu_stop(&emu), "VF: without violations");

	emu_start_option(&emu, argv[1], 2, "--card", "cx7,ports=2");
	client_open(&c, &emu, 1);
	test_named_function();
	test_shared_semaphore();
	client_close(&c);
	ktap(!emu_stop(&emu), "ConnectX-7: without violations");
	return ktap_end();
}
