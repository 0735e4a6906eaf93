// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * ethtool -t, with the tests of the in-tree driver. RTNL is held. They disturb nobody, so all of
 * them are run, whatever kind a user asks for.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include "en.h"

#define LOOP_WAIT (HZ / 5)

/* ---- a frame to itself ------------------------------------------------------ */

/* What is sent and waited for: frames for experiments, with a number that nobody else has. */
struct loop {
	struct packet_type type;
	struct completion arrived;
	u64 number;
};

static int take_frame(struct sk_buff *skb, struct net_device *ndev, struct packet_type *type,
		      struct net_device *orig)
{
	struct loop *loop = container_of(type, struct loop, type);
	u64 buf, *number;

	number = skb_header_pointer(skb, 0, sizeof(buf), &buf);
	if (number && !memcmp(number, &loop->number, sizeof(loop->number)))
		complete(&loop->arrived);
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

static int send_frame(struct net_device *ndev, const struct loop *loop)
{
	struct sk_buff *skb = netdev_alloc_skb_ip_align(ndev, ETH_ZLEN);
	int err;

	if (!skb)
		return -ENOMEM;
	skb_reserve(skb, ETH_HLEN);
	skb_reset_network_header(skb);
	memset(skb_put(skb, ETH_ZLEN - ETH_HLEN), 0, ETH_ZLEN - ETH_HLEN);
	memcpy(skb->data, &loop->number, sizeof(loop->number));
	skb->protocol = htons(ETH_P_LOOPBACK);
	eth_header(skb, ndev, ETH_P_LOOPBACK, ndev->dev_addr, ndev->dev_addr, skb->len);
	err = dev_queue_xmit(skb);
	return net_xmit_eval(err) ? -ENOBUFS : 0;
}

/* Receive queues do not hear the send queues of their own transport domain. */
static int hear_itself(struct cxr_en *en, bool on)
{
	struct cxr_en_steer *steer = &en->steer;
	unsigned int i;
	int err = 0, last;

	for (i = 0; i < steer->rss.end; i++) {
		last = cxr_cmd_set_tir_self(en->core, steer->rss.tirn[i],
					    on ? CXR_TIR_SELF_UNICAST : 0);
		err = err ?: last;
	}
	/* a rule of a user may be about the frame */
	if (steer->rules) {
		last = cxr_flow_set_en_tables(en->core, on ? steer->macs.id : steer->rules,
					      steer->macs.id);
		err = err ?: last;
	}
	return err;
}

static int send_and_wait(struct net_device *ndev)
{
	struct loop loop = {
		.type = {
			.type = htons(ETH_P_LOOPBACK),
			.dev = ndev,
			.func = take_frame,
		},
		.number = get_random_u64(),
	};
	int err;

	init_completion(&loop.arrived);
	dev_add_pack(&loop.type);
	err = send_frame(ndev, &loop);
	if (!err && !wait_for_completion_timeout(&loop.arrived, LOOP_WAIT))
		err = -ETIMEDOUT;
	dev_remove_pack(&loop.type);	/* nobody looks at it any more */
	return err;
}

static int test_loopback(struct cxr_en *en)
{
	struct cxr_en_steer *steer = &en->steer;
	int err, back;

	if (!netif_carrier_ok(en->ndev))
		return -ENETDOWN;
	err = cxr_loopback_get(en->core);
	if (err)
		return err;
	err = hear_itself(en, true) ?: send_and_wait(en->ndev);
	back = hear_itself(en, false);
	if (back)
		cxr_en_report(en, CXR_EN_RX, "flow table", steer->macs.id,
			      "and TIRs stay as for the loopback test");
	cxr_loopback_put(en->core);
	return err ?: back;
}

/* ---- the others ------------------------------------------------------------- */

static int test_link(struct cxr_en *en)
{
	return netif_carrier_ok(en->ndev) ? 0 : -ENETDOWN;
}

static int test_speed(struct cxr_en *en)
{
	struct cxr_link link;
	int err;

	err = cxr_cmd_query_link(en->core, &link);
	if (err)
		return err;
	return link.speed_mbps ? 0 : -ENETDOWN;
}

static int test_health(struct cxr_en *en)
{
	return cxr_core_dead(en->core) ? -EIO : 0;
}

static const struct {
	const char *name;
	int (*run)(struct cxr_en *en);
} tests[] = {
	{ "Link Test", test_link },
	{ "Speed Test", test_speed },
	{ "Health Test", test_health },
	{ "Loopback Test", test_loopback },	/* if the device lets queues hear themselves */
};

int cxr_en_selftest_count(const struct cxr_en *en)
{
	return ARRAY_SIZE(tests) - !en->core->caps.self_lb_en_modifiable;
}

void cxr_en_selftest_strings(const struct cxr_en *en, u8 *data)
{
	int i;

	for (i = 0; i < cxr_en_selftest_count(en); i++)
		cxr_ethtool_puts(&data, tests[i].name);
}

void cxr_en_self_test(struct net_device *ndev, struct ethtool_test *test, u64 *results)
{
	struct cxr_en *en = netdev_priv(ndev);
	int i, err;

	for (i = 0; i < cxr_en_selftest_count(en); i++) {
		err = tests[i].run(en);
		results[i] = !!err;
		if (!err)
			continue;
		test->flags |= ETH_TEST_FL_FAILED;
		netdev_warn(ndev, "self test: %s: %pe\n", tests[i].name, ERR_PTR(err));
	}
}
