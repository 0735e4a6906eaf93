// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * General objects: CREATE/QUERY/DESTROY_GENERAL_OBJECT. The only type is the match definer, which
 * says by which fields of a packet a hash group picks an entry.
 *
 * A definer names its fields by format, and each format has its own layout. What is picked is kept
 * as a mask of the fields by which all tables match, so that a packet is looked at once.
 */
#include "nic/nic.h"

struct definer_field {
	uint16_t bit, width;	     /* in match_mask */
	uint16_t match, match_width; /* in the fields of a packet */
};

/* The first bit and the width of a field. */
#define PLACE(layout, field)                                                           \
	offsetof(struct prm_##layout##_bits, field),                                   \
	sizeof(((struct prm_##layout##_bits *)0)->field)
#define FIELD(format, field, of)                                                       \
	{ PLACE(match_definer_format_##format, field), PLACE(fte_match_set_lyr_2_4, of) }
#define MACS(format)                                                                   \
	FIELD(format, outer_dmac_47_16, dmac_47_16),                                   \
	FIELD(format, outer_dmac_15_0, dmac_15_0),                                     \
	FIELD(format, outer_smac_47_16, smac_47_16),                                   \
	FIELD(format, outer_smac_15_0, smac_15_0)
#define VLAN(format)                                                                   \
	FIELD(format, outer_first_vlan_prio, first_prio),                              \
	FIELD(format, outer_first_vlan_cfi, first_cfi),                                \
	FIELD(format, outer_first_vlan_vid, first_vid)
/* A packet has ports of one kind, and zero in place of the other. */
#define L4_PORTS(format)                                                               \
	FIELD(format, outer_l4_sport, tcp_sport), FIELD(format, outer_l4_sport, udp_sport), \
	FIELD(format, outer_l4_dport, tcp_dport), FIELD(format, outer_l4_dport, udp_dport)
#define IP(format, layout)                                                             \
	FIELD(format, outer_ip_src_addr, src_ipv4_src_ipv6.layout),                    \
	FIELD(format, outer_ip_dest_addr, dst_ipv4_dst_ipv6.layout)

static const struct definer_field format_0[] = {
	MACS(0), VLAN(0), FIELD(0, outer_ethertype, ethertype), {}
};

static const struct definer_field format_22[] = {
	MACS(22), VLAN(22), IP(22, ipv4_layout.ipv4), L4_PORTS(22),
	FIELD(22, outer_l3_type, ip_version), {}
};

static const struct definer_field format_29[] = {
	IP(29, ipv6_layout.ipv6), L4_PORTS(29), {}
};

static const struct definer_field format_30[] = {
	MACS(30), IP(30, ipv6_layout.ipv6), {}
};

static const struct definer_format {
	unsigned int id;
	const struct definer_field *fields; /* the last one has no width */
} formats[] = {
	{ PRM_DEFINER_L2, format_0 },
	{ PRM_DEFINER_IPV4, format_22 },
	{ PRM_DEFINER_IPV6_L4, format_29 },
	{ PRM_DEFINER_IPV6_L2, format_30 },
};

uint64_t definer_formats(void)
{
	uint64_t set = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		set |= 1ull << formats[i].id;
	return set;
}

/* ---- masks ---- */

static bool get_bit(const __be32 *dw, unsigned int bit)
{
	return prm_get_bits(dw, bit, 1);
}

/* How many bits of the field are set in the mask. */
static unsigned int bits_set(const __be32 *mask, const struct definer_field *field)
{
	unsigned int i, n = 0;

	for (i = 0; i < field->width; i++)
		n += get_bit(mask, field->bit + i);
	return n;
}

/* A field that a packet has in another width is picked as a whole. */
static int take_field(struct cmd *c, const __be32 *mask, const struct definer_field *field,
		      struct prm_fte_match_set_lyr_2_4 *picked)
{
	unsigned int n = bits_set(mask, field), i;
	bool whole = field->width != field->match_width;

	if (whole && n && n != field->width)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "match_mask: the field at bit 0x%x is picked in part",
			      field->bit);
	for (i = 0; n && i < field->match_width; i++)
		if (whole || get_bit(mask, field->bit + i))
			prm_set_bits(picked->dw, field->match + i, 1, 1);
	return 0;
}

static bool is_known(const struct definer_field *fields, unsigned int bit)
{
	for (; fields->width; fields++)
		if (bit >= fields->bit && bit < fields->bit + fields->width)
			return true;
	return false;
}

static int take_mask(struct cmd *c, const struct prm_match_definer *ctx,
		     const struct definer_format *format, struct prm_fte_match_set_lyr_2_4 *picked)
{
	const __be32 *mask = ctx->dw + prm_bit(ctx, match_mask) / 32;
	const struct definer_field *field;
	bool empty = true;
	unsigned int bit;

	for (bit = 0; bit < prm_width(ctx, match_mask); bit++) {
		if (!get_bit(mask, bit))
			continue;
		empty = false;
		if (!is_known(format->fields, bit))
			return refuse(c, PRM_STATUS_BAD_PARAM,
				      "match_mask: bit 0x%x of format %u is not advertised",
				      bit, format->id);
	}
	if (empty)
		return refuse(c, PRM_STATUS_BAD_PARAM, "match_mask picks no field");
	for (field = format->fields; field->width; field++)
		if (take_field(c, mask, field, picked))
			return -1;
	return 0;
}

/* ---- commands ---- */

static int check_object(struct cmd *c, unsigned int tunnel, unsigned int type)
{
	if (!port_select_advertised(c->dev))
		return refuse(c, PRM_STATUS_BAD_OP, "the card advertises no general objects");
	if (tunnel)
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "vhca_tunnel_id is set (0x%x), but tunnels are not advertised",
			      tunnel);
	if (type != PRM_OBJ_MATCH_DEFINER)
		return refuse(c, PRM_STATUS_BAD_PARAM, "obj_type 0x%x is not advertised", type);
	return 0;
}

#define bad_object(c, in) check_object(c, prm_get(in, vhca_tunnel_id), prm_get(in, obj_type))

static const struct definer_format *find_format(struct cmd *c, unsigned int id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i].id == id)
			return &formats[i];
	refuse(c, PRM_STATUS_BAD_PARAM, "format_id %u is not advertised", id);
	return NULL;
}

static int run_create_general_object(struct cmd *c)
{
	const struct prm_create_general_object_in *in = c->in;
	const struct prm_match_definer *ctx = prm_tail_const(in);
	struct prm_create_general_object_out *out = c->out;
	const struct definer_format *format;
	struct match_definer *definer;

	if (bad_object(c, in))
		return -1;
	if (is_set(c, in, obj_id, "but the card gives the number"))
		return -1;
	if (c->in_len != sizeof(*in) + sizeof(*ctx))
		return refuse(c, PRM_STATUS_BAD_INP_LEN,
			      "%u bytes of input, with a match definer it has %zu", c->in_len,
			      sizeof(*in) + sizeof(*ctx));
	if (check_reserved(c, prm_reserved_match_definer, sizeof(*in)))
		return -1;
	if (prm_get64(ctx, modify_field_select))
		return refuse(c, PRM_STATUS_BAD_PARAM,
			      "modify_field_select is set, but the object is new");
	format = find_format(c, prm_get(ctx, format_id));
	if (!format)
		return -1;

	definer = obj_create(c, OBJ_MATCH_DEFINER, sizeof(*definer));
	if (!definer)
		return -1;
	definer->ctx = *ctx;
	if (take_mask(c, ctx, format, &definer->picked)) {
		obj_free(definer);
		return -1;
	}
	prm_set(out, obj_id, definer->obj.num);
	return 0;
}

static int run_query_general_object(struct cmd *c)
{
	const struct prm_query_general_object_in *in = c->in;
	struct prm_query_general_object_out *out = c->out;
	const struct match_definer *definer;

	if (bad_object(c, in))
		return -1;
	definer = obj_lookup(c, OBJ_MATCH_DEFINER, prm_get(in, obj_id), "obj_id");
	if (!definer)
		return -1;
	if (c->out_len < sizeof(*out) + sizeof(definer->ctx))
		return refuse(c, PRM_STATUS_BAD_OUTP_LEN,
			      "room for %u bytes of output, with a match definer it has %zu",
			      c->out_len, sizeof(*out) + sizeof(definer->ctx));
	prm_set(out, obj_id, definer->obj.num);
	*(struct prm_match_definer *)prm_tail(out) = definer->ctx;
	return 0;
}

static int run_destroy_general_object(struct cmd *c)
{
	const struct prm_destroy_general_object_in *in = c->in;
	struct match_definer *definer;

	if (bad_object(c, in))
		return -1;
	definer = obj_own(c, OBJ_MATCH_DEFINER, prm_get(in, obj_id), "obj_id");
	return definer ? obj_destroy(c, definer) : -1;
}

const struct cmd_desc cmds_definer[] = {
	CMD(create_general_object, .tail = true), CMD(query_general_object),
	CMD(destroy_general_object), {}
};
