// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Flow rules: which packets a raw packet QP gets. The specs of a program, one per header, become
 * one value and one mask; the core keeps the rules (drivers/core/steering.c).
 */
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/slab.h>

#include "queue.h"

#define VERSION_MASK 0xf

/* IB_FLOW_ATTR_ALL_DEFAULT takes two rules: for multicast packets and for others. */
struct cxr_ib_flow {
	struct ib_flow ibflow;
	struct cxr_rule *rule[2];
	struct ib_counters *counters;	/* it counts in these, or NULL */
	atomic_t *users;	/* of its matcher (matcher.c), or NULL */
};

bool cxr_ib_has_flows(const struct cxr_caps *caps)
{
	return caps->flow_rules && caps->ft_max_level > CXR_FLOW_LEVEL_FALLBACK;
}

/* ---- specs ---- */

static int parse_eth(const struct ib_flow_spec_eth *spec, struct cxr_rule_attr *rule)
{
	const struct ib_flow_eth_filter *v = &spec->val, *m = &spec->mask;

	ether_addr_copy(rule->mask.dmac, m->dst_mac);
	ether_addr_copy(rule->value.dmac, v->dst_mac);
	ether_addr_copy(rule->mask.smac, m->src_mac);
	ether_addr_copy(rule->value.smac, v->src_mac);
	rule->mask.ethertype = be16_to_cpu(m->ether_type);
	rule->value.ethertype = be16_to_cpu(v->ether_type);
	rule->mask.tci = be16_to_cpu(m->vlan_tag);
	rule->value.tci = be16_to_cpu(v->vlan_tag);
	rule->mask.tagged = !!m->vlan_tag;
	rule->value.tagged = !!m->vlan_tag;
	return 0;
}

/* IP version or L4 protocol; -EINVAL: conflicts with another spec. */
static int merge_field(u8 *mask, u8 *value, u8 m, u8 v)
{
	if ((*mask & m & (*value ^ v)))
		return -EINVAL;
	*mask |= m;
	*value |= m & v;
	return 0;
}

static int parse_ipv4(const struct ib_flow_spec_ipv4 *spec, struct cxr_rule_attr *rule)
{
	const struct ib_flow_ipv4_filter *v = &spec->val, *m = &spec->mask;
	int err;

	if (m->flags)
		return -EOPNOTSUPP;
	err = merge_field(&rule->mask.ip_version, &rule->value.ip_version, VERSION_MASK, 4);
	err = err ?: merge_field(&rule->mask.ip_protocol, &rule->value.ip_protocol, m->proto,
				 v->proto);
	memcpy(rule->mask.src + 12, &m->src_ip, sizeof(m->src_ip));
	memcpy(rule->value.src + 12, &v->src_ip, sizeof(v->src_ip));
	memcpy(rule->mask.dst + 12, &m->dst_ip, sizeof(m->dst_ip));
	memcpy(rule->value.dst + 12, &v->dst_ip, sizeof(v->dst_ip));
	rule->mask.traffic_class = m->tos;
	rule->value.traffic_class = v->tos;
	rule->mask.hop_limit = m->ttl;
	rule->value.hop_limit = v->ttl;
	return err;
}

static int parse_ipv6(const struct ib_flow_spec_ipv6 *spec, struct cxr_rule_attr *rule)
{
	const struct ib_flow_ipv6_filter *v = &spec->val, *m = &spec->mask;
	int err;

	if (m->flow_label)
		return -EOPNOTSUPP;
	err = merge_field(&rule->mask.ip_version, &rule->value.ip_version, VERSION_MASK, 6);
	err = err ?: merge_field(&rule->mask.ip_protocol, &rule->value.ip_protocol, m->next_hdr,
				 v->next_hdr);
	memcpy(rule->mask.src, m->src_ip, sizeof(m->src_ip));
	memcpy(rule->value.src, v->src_ip, sizeof(v->src_ip));
	memcpy(rule->mask.dst, m->dst_ip, sizeof(m->dst_ip));
	memcpy(rule->value.dst, v->dst_ip, sizeof(v->dst_ip));
	rule->mask.traffic_class = m->traffic_class;
	rule->value.traffic_class = v->traffic_class;
	rule->mask.hop_limit = m->hop_limit;
	rule->value.hop_limit = v->hop_limit;
	return err;
}

static int parse_ports(const struct ib_flow_spec_tcp_udp *spec, struct cxr_rule_attr *rule)
{
	bool tcp = spec->type == IB_FLOW_SPEC_TCP;

	if (tcp) {
		rule->mask.tcp_sport = be16_to_cpu(spec->mask.src_port);
		rule->value.tcp_sport = be16_to_cpu(spec->val.src_port);
		rule->mask.tcp_dport = be16_to_cpu(spec->mask.dst_port);
		rule->value.tcp_dport = be16_to_cpu(spec->val.dst_port);
	} else {
		rule->mask.udp_sport = be16_to_cpu(spec->mask.src_port);
		rule->value.udp_sport = be16_to_cpu(spec->val.src_port);
		rule->mask.udp_dport = be16_to_cpu(spec->mask.dst_port);
		rule->value.udp_dport = be16_to_cpu(spec->val.dst_port);
	}
	return merge_field(&rule->mask.ip_protocol, &rule->value.ip_protocol, 0xff,
			   tcp ? IPPROTO_TCP : IPPROTO_UDP);
}

static int parse_spec(const union ib_flow_spec *spec, struct cxr_rule_attr *rule)
{
	switch (spec->type) {
	case IB_FLOW_SPEC_ETH:
		return parse_eth(&spec->eth, rule);
	case IB_FLOW_SPEC_IPV4:
		return parse_ipv4(&spec->ipv4, rule);
	case IB_FLOW_SPEC_IPV6:
		return parse_ipv6(&spec->ipv6, rule);
	case IB_FLOW_SPEC_TCP:
	case IB_FLOW_SPEC_UDP:
		return parse_ports(&spec->tcp_udp, rule);
	case IB_FLOW_SPEC_ACTION_TAG:
		if (spec->flow_tag.tag_id > CXR_IB_FLOW_TAG_MAX)
			return -EINVAL;
		rule->tag = spec->flow_tag.tag_id;
		return 0;
	case IB_FLOW_SPEC_ACTION_DROP:
		rule->drop = true;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* ---- attributes ---- */

/* EtherType against IP version */
static bool ethertype_contradicts(const struct cxr_rule_attr *rule)
{
	u16 ethertype = cxr_flow_ethertype(rule->value.ip_version);

	return rule->mask.ip_version && (rule->value.ethertype ^ ethertype) & rule->mask.ethertype;
}

static int parse_specs(struct cxr_ib_dev *dev, const struct ib_flow_attr *attr,
		       struct cxr_rule_attr *rule, struct ib_counters **counters)
{
	const union ib_flow_spec *spec = (const void *)(attr + 1);
	int i, err;

	for (i = 0; i < attr->num_of_specs; i++) {
		if (spec->type != IB_FLOW_SPEC_ACTION_COUNT) {
			err = parse_spec(spec, rule);
		} else {
			err = *counters ? -EINVAL : 0;
			*counters = spec->flow_count.counters;
		}
		if (err) {
			ibdev_dbg(&dev->ibdev, "flow: spec %d, type %#x: %s\n", i, spec->type,
				  err == -EINVAL ?
				  "conflicts with another spec, or its tag is too large" :
				  "it, or a field of it, is not supported");
			return err;
		}
		spec = (const void *)spec + spec->size;
	}
	cxr_flow_mask(&rule->mask, &rule->value);
	if (ethertype_contradicts(rule)) {
		ibdev_dbg(&dev->ibdev, "flow: EtherType %#x conflicts with IPv%u\n",
			  rule->value.ethertype, rule->value.ip_version);
		return -EINVAL;
	}
	if (!dev->core->caps.ft_match.ip_version)
		cxr_flow_ip_by_type(&rule->mask, &rule->value);
	if (!cxr_flow_within(&rule->mask, &dev->core->caps.ft_match)) {
		ibdev_dbg(&dev->ibdev, "flow: the device cannot match on one of these fields\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* struct mlx5_ib_create_flow with its array, of one element at most. */
struct flow_request {
	u32 n_data, reserved;
	struct mlx5_ib_flow_counters_data data;
};

static int copy_req_flow(struct cxr_ib_dev *dev, struct ib_udata *udata, struct flow_request *req)
{
	static const struct cxr_ib_request request = {
		.what = "flow",
		.size = sizeof(*req),
		.unknown = -EOPNOTSUPP,
	};
	int err;

	err = cxr_ib_copy_req(&dev->ibdev, udata, &request, req);
	if (err)
		return err;
	if (req->n_data > 1 || req->reserved) {
		ibdev_dbg(&dev->ibdev, "flow: counters of %u sorts, one only\n", req->n_data);
		return req->reserved ? -EOPNOTSUPP : -EINVAL;
	}
	return 0;
}

static int check_flow_attr(struct cxr_ib_dev *dev, const struct ib_flow_attr *attr)
{
	struct ib_device *ibdev = &dev->ibdev;

	if (!cxr_ib_has_flows(&dev->core->caps)) {
		ibdev_dbg(ibdev, "flow: steering is not supported by the device\n");
		return -EOPNOTSUPP;
	}
	if (attr->port != CXR_IB_PORT) {
		ibdev_dbg(ibdev, "flow: invalid port %u\n", attr->port);
		return -EINVAL;
	}
	if (attr->flags & ~IB_FLOW_ATTR_FLAGS_DONT_TRAP) {
		ibdev_dbg(ibdev, "flow: unsupported flags %#x: ingress rules only\n", attr->flags);
		return attr->flags & ~(IB_FLOW_ATTR_FLAGS_DONT_TRAP | IB_FLOW_ATTR_FLAGS_EGRESS) ?
		       -EINVAL : -EOPNOTSUPP;
	}
	if (attr->priority >= CXR_FLOW_PRIOS) {
		ibdev_dbg(ibdev, "flow: priority %u exceeds the maximum of %u\n", attr->priority,
			  CXR_FLOW_PRIOS - 1);
		return -ENOSPC;
	}
	if (attr->type != IB_FLOW_ATTR_NORMAL && (attr->num_of_specs || attr->flags)) {
		ibdev_dbg(ibdev, "flow: type %d takes neither specs nor flags\n", attr->type);
		return -EINVAL;
	}
	return 0;
}

/* ---- rules ---- */

static int add_rule(struct cxr_ib_dev *dev, struct cxr_ib_flow *flow, int i,
		    const struct cxr_rule_attr *attr)
{
	struct cxr_rule *rule = cxr_rule_add(dev->core, attr);

	if (IS_ERR(rule)) {
		ibdev_dbg(&dev->ibdev, "flow: %s\n", PTR_ERR(rule) == -EEXIST ?
			  "a rule for these packets has another tag or counter, or drops them" :
			  PTR_ERR(rule) == -ENOSPC ? "there are too many rules of this priority" :
			  "the device does not take the rule");
		return PTR_ERR(rule);
	}
	flow->rule[i] = rule;
	return 0;
}

static void del_rules(struct cxr_ib_dev *dev, struct cxr_ib_flow *flow)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flow->rule); i++)
		if (flow->rule[i])
			cxr_rule_remove(dev->core, flow->rule[i]);
	if (flow->counters)
		cxr_ib_counters_put(flow->counters);
}

/* For packets that nobody else wants: multicast, or with @all also others. */
static int add_default_rules(struct cxr_ib_dev *dev, struct cxr_ib_flow *flow, bool all,
			     struct cxr_rule_attr *attr)
{
	int err;

	attr->prio = CXR_FLOW_PRIO_FALLBACK;
	attr->mask.dmac[0] = 1;
	attr->value.dmac[0] = 1;
	err = add_rule(dev, flow, 0, attr);
	if (err || !all)
		return err;
	attr->value.dmac[0] = 0;
	return add_rule(dev, flow, 1, attr);
}

static int add_normal_rule(struct cxr_ib_dev *dev, struct cxr_ib_flow *flow,
			   const struct ib_flow_attr *attr, const struct flow_request *req,
			   struct cxr_rule_attr *rule)
{
	struct ib_counters *counters = NULL;
	int err;

	err = parse_specs(dev, attr, rule, &counters);
	if (err)
		return err;
	if (counters) {
		err = cxr_ib_counters_get(counters, req->n_data ? &req->data : NULL,
					  &rule->counter);
		if (err)
			return err;
		rule->count = true;
		flow->counters = counters;
	}
	return add_rule(dev, flow, 0, rule);
}

static int add_rules(struct cxr_ib_dev *dev, struct cxr_ib_flow *flow,
		     const struct ib_flow_attr *attr, const struct flow_request *req, u32 tirn)
{
	struct cxr_rule_attr rule = {
		.prio = attr->priority,
		.shared = attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP,
		.tirn = tirn,
	};

	switch (attr->type) {
	case IB_FLOW_ATTR_NORMAL:
		return add_normal_rule(dev, flow, attr, req, &rule);
	case IB_FLOW_ATTR_ALL_DEFAULT:
		return add_default_rules(dev, flow, true, &rule);
	case IB_FLOW_ATTR_MC_DEFAULT:
		return add_default_rules(dev, flow, false, &rule);
	default:
		ibdev_dbg(&dev->ibdev, "flow: unsupported type %d\n", attr->type);
		return -EOPNOTSUPP;
	}
}

struct ib_flow *cxr_ib_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				   struct ib_udata *udata)
{
	struct cxr_ib_dev *dev = to_cxr_dev(ibqp->device);
	struct cxr_ib_qp *qp = to_cxr_qp(ibqp);
	struct flow_request req;
	struct cxr_ib_flow *flow;
	int err;

	if (!qp->raw || !qp->raw->has_tir) {
		ibdev_dbg(&dev->ibdev, "flow: QP %#x is not a raw packet QP that receives\n",
			  ibqp->qp_num);
		return ERR_PTR(qp->raw ? -EINVAL : -EOPNOTSUPP);
	}
	err = check_flow_attr(dev, attr);
	err = err ?: copy_req_flow(dev, udata, &req);
	if (err)
		return ERR_PTR(err);
	flow = kzalloc(sizeof(*flow), GFP_KERNEL);
	if (!flow)
		return ERR_PTR(-ENOMEM);
	err = add_rules(dev, flow, attr, &req, qp->raw->tirn);
	if (err) {
		del_rules(dev, flow);
		kfree(flow);
		return ERR_PTR(err);
	}
	return &flow->ibflow;
}

struct ib_flow *cxr_ib_add_flow(struct cxr_ib_dev *dev, const struct cxr_rule_attr *attr,
				atomic_t *users)
{
	struct cxr_ib_flow *flow = kzalloc(sizeof(*flow), GFP_KERNEL);
	int err;

	if (!flow)
		return ERR_PTR(-ENOMEM);
	err = add_rule(dev, flow, 0, attr);
	if (err) {
		kfree(flow);
		return ERR_PTR(err);
	}
	flow->users = users;
	atomic_inc(users);
	return &flow->ibflow;
}

int cxr_ib_destroy_flow(struct ib_flow *ibflow)
{
	struct cxr_ib_flow *flow = container_of(ibflow, struct cxr_ib_flow, ibflow);

	del_rules(to_cxr_dev(ibflow->device), flow);
	if (flow->users)
		atomic_dec(flow->users);
	kfree(flow);
	return 0;
}
