// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The policies of RoCE versions: parsing of parameters and lists, and what is granted. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "host.h"
#include "policy/mode.h"
#include "policy/param.h"

#define UNTOUCHED 77

static const struct {
	const char *sentence;
	const char *text;
	int err;
	enum cxr_roce_mode mode;
} mode_cases[] = {
	{ "0 is v1", "0", 0, CXR_ROCE_V1 },
	{ "2 is v2", "2", 0, CXR_ROCE_V2 },
	{ "4 is both", "4", 0, CXR_ROCE_V1_V2 },
	{ "v1 by name", "v1", 0, CXR_ROCE_V1 },
	{ "v2 by name", "v2", 0, CXR_ROCE_V2 },
	{ "v1v2 by name", "v1v2", 0, CXR_ROCE_V1_V2 },
	{ "a number may be hexadecimal", "0x4", 0, CXR_ROCE_V1_V2 },
	{ "a number may be octal", "02", 0, CXR_ROCE_V2 },
	{ "a trailing newline is fine", "v1v2\n", 0, CXR_ROCE_V1_V2 },
	{ "1 is refused: v1.5 is not offered", "1", -EINVAL, 0 },
	{ "3 is refused", "3", -EINVAL, 0 },
	{ "v1.5 is refused by name as well", "v1.5", -EINVAL, 0 },
	{ "an empty string is refused", "", -EINVAL, 0 },
	{ "a lone newline is refused", "\n", -EINVAL, 0 },
	{ "two newlines are refused", "2\n\n", -EINVAL, 0 },
	{ "a number with a valid first digit is refused", "22", -EINVAL, 0 },
	{ "a number that is valid modulo 2^32 is refused", "4294967298", -EINVAL, 0 },
	{ "a negative number is refused", "-1", -EINVAL, 0 },
	{ "a hexadecimal number without digits is refused", "0x", -EINVAL, 0 },
	{ "a truncated name is refused", "v1v", -EINVAL, 0 },
	{ "upper case is refused", "V1", -EINVAL, 0 },
	{ "a leading blank is refused", " 2", -EINVAL, 0 },
	{ "a trailing blank is refused", "2 ", -EINVAL, 0 },
};

static const struct {
	const char *sentence;
	const char *text;
	unsigned int devices;
	int at_03_00_0, at_03_00_1, at_1_a3_1f_7;
} list_cases[] = {
	{ "a single value applies to all devices", "v2", 0, 2, 2, 2 },
	{ "a list sets the devices that it names, others have the default",
	  "0000:03:00.0-2,0001:a3:1f.7-v1", 2, 2, 4, 0 },
	{ "a list may have a single device", "0000:03:00.1-0", 1, 4, 0, 4 },
	{ "an address without a domain is in domain 0", "03:00.1-2", 1, 4, 2, 4 },
	{ "the digits of an address may be upper case", "0001:A3:1F.7-2", 1, 4, 4, 2 },
	{ "a list may have a trailing newline", "03:00.0-v1,03:00.1-v2\n", 2, 0, 2, 4 },
	{ "a domain may have five digits", "10000:e1:00.0-2",
	  1, 4, 4, 4 },
};

#define ONE_OF "must be one of 0 or v1, 2 or v2, 4 or v1v2"
#define NO_ADDRESS "a list has a PCI address before each value, as in 0000:03:00.0-v2"
#define BAD_ADDRESS "not a PCI address such as 0000:03:00.0 or 03:00.0"

static const struct {
	const char *sentence;
	const char *text;
	const char *word;	/* the refused part of @text */
	const char *why;
} refused_cases[] = {
	{ "a duplicate device is refused", "03:00.0-2,03:00.1-2,03:00.0-0", "03:00.0",
	  "this device is in the list twice" },
	{ "a duplicate is found with and without its domain", "03:00.0-2,0000:03:00.0-2",
	  "0000:03:00.0", "this device is in the list twice" },
	{ "a value without an address is refused in a list", "03:00.0-2,v1", "v1", NO_ADDRESS },
	{ "two values without addresses are refused", "2,4", "2", NO_ADDRESS },
	{ "an address without a value is refused", "03:00.0", "03:00.0", NO_ADDRESS },
	{ "an address with an empty value is refused", "03:00.0-", "", ONE_OF },
	{ "an equals sign instead of a dash is refused", "03:00.0=2", "03:00.0=2", NO_ADDRESS },
	{ "an unknown value in a list is named in the message",
	  "03:00.0-2,03:00.1-5", "5", ONE_OF },
	{ "per-port values are refused", "03:00.0-2;4", "03:00.0-2;4",
	  "a device has one port and one value, without ';'" },
	{ "a trailing comma is refused", "03:00.0-2,", "", "an element of the list is empty" },
	{ "a leading comma is refused", ",03:00.0-2", "", "an element of the list is empty" },
	{ "a lone comma is refused", ",", "", "an element of the list is empty" },
	{ "a blank after a comma is refused", "03:00.0-2, 03:00.1-2", " 03:00.1", BAD_ADDRESS },
	{ "a bus of one digit is refused", "3:00.0-2", "3:00.0", BAD_ADDRESS },
	{ "a domain of three digits is refused", "000:03:00.0-2", "000:03:00.0", BAD_ADDRESS },
	{ "a domain with a superfluous leading zero is refused", "00000:03:00.0-2", "00000:03:00.0",
	  BAD_ADDRESS },
	{ "a slot over 1f is refused", "03:20.0-2", "03:20.0", BAD_ADDRESS },
	{ "a function over 7 is refused", "03:00.8-2", "03:00.8", BAD_ADDRESS },
	{ "an address without a function is refused", "03:00-2", "03:00", BAD_ADDRESS },
	{ "an address of four parts is refused", "0000:00:03:00.0-2", "0000:00:03:00.0",
	  BAD_ADDRESS },
	{ "a letter that is not a hexadecimal digit is refused",
	  "0g:00.0-2", "0g:00.0", BAD_ADDRESS },
};

static const struct {
	const char *sentence;
	enum cxr_roce_mode asked;
	struct cxr_roce_support has;
	struct cxr_mode_grant grant;
} grant_cases[] = {
	{ "device with v1 and v2: v1v2 is granted",
	  CXR_ROCE_V1_V2, { true, true, true, true, true },
	  { true, CXR_ROCE_V1_V2, false } },
	{ "device with v1 and v2: v1 is granted", CXR_ROCE_V1, { true, true, true, true, true },
	  { true, CXR_ROCE_V1, false } },
	{ "device with v1 and v2: v2 is granted", CXR_ROCE_V2, { true, true, true, true, true },
	  { true, CXR_ROCE_V2, false } },
	{ "device with v1 only: v1v2 becomes v1, with a warning",
	  CXR_ROCE_V1_V2, { true, true, false, true, true },
	  { true, CXR_ROCE_V1, true } },
	{ "device with v2 only: v1v2 becomes v2, with a warning",
	  CXR_ROCE_V1_V2, { true, false, true, true, true },
	  { true, CXR_ROCE_V2, true } },
	{ "device with v1 only: v2 becomes v1, with a warning",
	  CXR_ROCE_V2, { true, true, false, true, true },
	  { true, CXR_ROCE_V1, true } },
	{ "device with v2 only: v1 becomes v2, with a warning",
	  CXR_ROCE_V1, { true, false, true, true, true },
	  { true, CXR_ROCE_V2, true } },
	{ "v2 is not granted without IPv4", CXR_ROCE_V2, { true, true, true, false, true },
	  { true, CXR_ROCE_V1, true } },
	{ "v2 is not granted without IPv6", CXR_ROCE_V1_V2, { true, true, true, true, false },
	  { true, CXR_ROCE_V1, true } },
	{ "v1 is granted without IPv4 and IPv6",
	  CXR_ROCE_V1, { true, true, false, false, false }, { true, CXR_ROCE_V1, false } },
	{ "device without RoCE: nothing is granted",
	  CXR_ROCE_V1_V2, { false, true, true, true, true },
	  { false, CXR_ROCE_V1_V2, false } },
	{ "device with neither v1 nor v2: nothing is granted",
	  CXR_ROCE_V2, { true, false, false, true, true },
	  { false, CXR_ROCE_V2, false } },
};

static const struct {
	const char *sentence;
	const char *text;
	int err;
	enum cxr_ud_gid_type type;
} ud_cases[] = {
	{ "ud_gid_type: 0 is v1", "0", 0, CXR_UD_V1 },
	{ "ud_gid_type: 2 is v2", "2", 0, CXR_UD_V2 },
	{ "ud_gid_type: v1 by name", "v1", 0, CXR_UD_V1 },
	{ "ud_gid_type: v2 by name", "v2", 0, CXR_UD_V2 },
	{ "ud_gid_type: any by name", "any", 0, CXR_UD_ANY },
	{ "ud_gid_type: any has no number", "-1", -EINVAL, 0 },
	{ "ud_gid_type: 1 is refused", "1", -EINVAL, 0 },
	{ "ud_gid_type: 4 is refused, a datagram has one version", "4", -EINVAL, 0 },
	{ "ud_gid_type: v1v2 is refused", "v1v2", -EINVAL, 0 },
	{ "ud_gid_type: an empty string is refused", "", -EINVAL, 0 },
	{ "ud_gid_type: 65535 is refused", "65535", -EINVAL, 0 },
};

static const struct {
	const char *sentence;
	enum cxr_ud_gid_type asked;
	struct cxr_mode_grant mode;
	struct cxr_ud_grant grant;
} ud_grant_cases[] = {
	{ "ud_gid_type: v1 is granted on a v1v2 port", CXR_UD_V1, { true, CXR_ROCE_V1_V2, false },
	  { CXR_UD_V1, false } },
	{ "ud_gid_type: v2 is granted on a v1v2 port", CXR_UD_V2, { true, CXR_ROCE_V1_V2, false },
	  { CXR_UD_V2, false } },
	{ "ud_gid_type: v1 is granted on a v1 port", CXR_UD_V1, { true, CXR_ROCE_V1, false },
	  { CXR_UD_V1, false } },
	{ "ud_gid_type: v2 on a v1 port becomes v1, with a warning", CXR_UD_V2,
	  { true, CXR_ROCE_V1, false }, { CXR_UD_V1, true } },
	{ "ud_gid_type: v1 on a v2 port becomes v2, with a warning", CXR_UD_V1,
	  { true, CXR_ROCE_V2, true }, { CXR_UD_V2, true } },
	{ "ud_gid_type: any is granted on every port", CXR_UD_ANY, { true, CXR_ROCE_V2, false },
	  { CXR_UD_ANY, false } },
	{ "ud_gid_type: no warning on a port without RoCE", CXR_UD_V2,
	  { false, CXR_ROCE_V1, false }, { CXR_UD_V2, false } },
};

static void test_ud_values(void)
{
	struct cxr_word_fault fault;
	struct cxr_param param;
	unsigned int i;
	int value;

	for (i = 0; i < ARRAY_SIZE(ud_cases); i++) {
		begin("mode", ud_cases[i].sentence);
		value = UNTOUCHED;
		expect(cxr_param_parse_one(&cxr_ud_gid_type_spec, ud_cases[i].text, &value, &fault),
		       ud_cases[i].err);
		expect(value, ud_cases[i].err ? UNTOUCHED : (int)ud_cases[i].type);
		if (ud_cases[i].err)
			expect(!!strstr(fault.why, "must be one of 0 or v1, 2 or v2, any"), true);
	}

	begin("mode", "ud_gid_type: a device that is not in the list has any");
	expect(cxr_param_parse(&cxr_ud_gid_type_spec, "03:00.0-2", &param, &fault), 0);
	expect(cxr_param_of(&param, 0, 3, 0, 0), CXR_UD_V2);
	expect(cxr_param_of(&param, 0, 3, 0, 1), CXR_UD_ANY);
}

static void test_ud_grants(void)
{
	struct cxr_ud_grant grant;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ud_grant_cases); i++) {
		begin("mode", ud_grant_cases[i].sentence);
		grant = cxr_ud_gid_type_grant(ud_grant_cases[i].asked, &ud_grant_cases[i].mode);
		expect(grant.type, ud_grant_cases[i].grant.type);
		expect(grant.differs, ud_grant_cases[i].grant.differs);
	}

	begin("mode", "ud_gid_type: an address handle takes a GID of that type only, or any");
	expect(cxr_ud_gid_type_allows(CXR_UD_V1, false), true);
	expect(cxr_ud_gid_type_allows(CXR_UD_V1, true), false);
	expect(cxr_ud_gid_type_allows(CXR_UD_V2, false), false);
	expect(cxr_ud_gid_type_allows(CXR_UD_V2, true), true);
	expect(cxr_ud_gid_type_allows(CXR_UD_ANY, false), true);
	expect(cxr_ud_gid_type_allows(CXR_UD_ANY, true), true);
}

static void test_values(void)
{
	struct cxr_word_fault fault;
	unsigned int i;
	int value;

	for (i = 0; i < ARRAY_SIZE(mode_cases); i++) {
		begin("mode", mode_cases[i].sentence);
		value = UNTOUCHED;
		expect(cxr_param_parse_one(&cxr_roce_mode_spec, mode_cases[i].text, &value, &fault),
		       mode_cases[i].err);
		expect(value, mode_cases[i].err ? UNTOUCHED : (int)mode_cases[i].mode);
	}

	begin("mode", "the message for 1 and 3 explains both numberings");
	cxr_param_parse_one(&cxr_roce_mode_spec, "3", &value, &fault);
	expect(!!strstr(fault.why, "0 v1, 1 v1.5, 2 v2, 3 v1.5 and v2, 4 v1 and v2"), true);
	expect(!!strstr(fault.why, "0 v1, 1 v2, 2 v1 and v2"), true);

	begin("mode", "each mode has the name that selects it");
	expect_text(cxr_param_name(&cxr_roce_mode_spec, CXR_ROCE_V1), "v1");
	expect_text(cxr_param_name(&cxr_roce_mode_spec, CXR_ROCE_V2), "v2");
	expect_text(cxr_param_name(&cxr_roce_mode_spec, CXR_ROCE_V1_V2), "v1v2");
	expect_text(cxr_param_name(&cxr_roce_mode_spec, 3), "?");
}

static void expect_fault(const struct cxr_word_fault *fault, const char *word, const char *why)
{
	char text[64] = "";

	snprintf(text, sizeof(text), "%.*s", fault->len, fault->word);
	expect_text(text, word);
	expect_text(fault->why, why);
}

static void test_lists(void)
{
	struct cxr_param param;
	struct cxr_word_fault fault;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(list_cases); i++) {
		begin("param", list_cases[i].sentence);
		expect(cxr_param_parse(&cxr_roce_mode_spec, list_cases[i].text, &param, &fault), 0);
		expect(param.devices, list_cases[i].devices);
		expect(cxr_param_of(&param, 0, 3, 0, 0), list_cases[i].at_03_00_0);
		expect(cxr_param_of(&param, 0, 3, 0, 1), list_cases[i].at_03_00_1);
		expect(cxr_param_of(&param, 1, 0xa3, 0x1f, 7), list_cases[i].at_1_a3_1f_7);
	}
	for (i = 0; i < ARRAY_SIZE(refused_cases); i++) {
		begin("param", refused_cases[i].sentence);
		param.value = UNTOUCHED;
		param.devices = UNTOUCHED;
		expect(cxr_param_parse(&cxr_roce_mode_spec, refused_cases[i].text, &param, &fault),
		       -EINVAL);
		expect(param.value, UNTOUCHED);
		expect(param.devices, UNTOUCHED);
		expect_fault(&fault, refused_cases[i].word, refused_cases[i].why);
	}
}

/* "00:SS.0-2,..." for @n devices, 32 slots to a bus. */
static void write_list(char *text, unsigned int n)
{
	unsigned int i;

	*text = '\0';
	for (i = 0; i < n; i++)
		text += sprintf(text, "%s%02x:%02x.0-2", i ? "," : "", i / 32, i % 32);
}

static void test_text_limits(void)
{
	static char text[CXR_PARAM_TEXT_MAX + 2];
	struct cxr_word_fault fault;
	struct cxr_param param;

	begin("param", "a list of 32 devices is accepted");
	write_list(text, CXR_PARAM_DEVICES_MAX);
	expect(cxr_param_parse(&cxr_roce_mode_spec, text, &param, &fault), 0);
	expect(param.devices, CXR_PARAM_DEVICES_MAX);
	expect(cxr_param_of(&param, 0, 0, 31, 0), 2);
	expect(cxr_param_of(&param, 0, 1, 0, 0), 4);

	begin("param", "a 33rd device is refused");
	write_list(text, CXR_PARAM_DEVICES_MAX + 1);
	expect(cxr_param_parse(&cxr_roce_mode_spec, text, &param, &fault), -EINVAL);
	expect_fault(&fault, "01:00.0-2", "there are more than 32 devices in the list");

	begin("param", "a string of 512 characters is refused");
	memset(text, '0', CXR_PARAM_TEXT_MAX + 1);
	text[CXR_PARAM_TEXT_MAX + 1] = '\0';
	expect(cxr_param_parse(&cxr_roce_mode_spec, text, &param, &fault), -EINVAL);
	expect_fault(&fault, "00000000000000000000000000000000",
		     "the text is longer than 511 characters");

	begin("param", "a string of 511 characters is accepted");
	text[CXR_PARAM_TEXT_MAX] = '\0';
	expect(cxr_param_parse(&cxr_roce_mode_spec, text, &param, &fault), 0);
	expect(param.value, CXR_ROCE_V1);
}

static void test_grants(void)
{
	struct cxr_mode_grant grant;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(grant_cases); i++) {
		begin("mode", grant_cases[i].sentence);
		grant = cxr_roce_mode_grant(grant_cases[i].asked, &grant_cases[i].has);
		expect(grant.roce, grant_cases[i].grant.roce);
		expect(grant.mode, grant_cases[i].grant.mode);
		expect(grant.differs, grant_cases[i].grant.differs);
	}

	begin("mode", "v1v2 has both versions, the others have one");
	expect(cxr_roce_mode_has_v1(CXR_ROCE_V1_V2) && cxr_roce_mode_has_v2(CXR_ROCE_V1_V2), true);
	expect(cxr_roce_mode_has_v1(CXR_ROCE_V2) || cxr_roce_mode_has_v2(CXR_ROCE_V1), false);
}

void test_mode(void)
{
	test_values();
	test_lists();
	test_text_limits();
	test_grants();
	test_ud_values();
	test_ud_grants();
}
