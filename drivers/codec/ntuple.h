/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Flow specifications of ethtool -N as fields of flow tables. */
#ifndef CXR_CODEC_NTUPLE_H
#define CXR_CODEC_NTUPLE_H

#include "flow.h"

struct ethtool_rx_flow_spec;

/*
 * The packets that @spec is about: bits to match, and their values. NULL, or for people what of it
 * has no field in flow tables, or contradicts the rest.
 */
const char *cxr_ntuple_decode(const struct ethtool_rx_flow_spec *spec, struct cxr_flow_fields *mask,
			      struct cxr_flow_fields *value);

#endif
