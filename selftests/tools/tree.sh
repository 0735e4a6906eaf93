# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Fake trees of sysfs, procfs and configfs, as the tools read them. To be sourced.

ZERO_GID=0000:0000:0000:0000:0000:0000:0000:0000

# put FILE TEXT...
put()
{
	local file=$1

	shift
	mkdir -p "${file%/*}"
	printf '%s\n' "$@" >"$file"
}

# pci_function TREE BDF DEVICE-ID DRIVER
pci_function()
{
	local d=$1/devices/pci0000:00/$2

	put "$d/vendor" 0x15b3
	put "$d/device" "$3"
	put "$d/class" 0x020000
	put "$d/resource" "$2: 0x00000000e0000000 0x00000000e1ffffff 0x000000000014220c"
	mkdir -p "$1/bus/pci/devices" "$1/bus/pci/drivers/$4"
	ln -sfn "../../../devices/pci0000:00/$2" "$1/bus/pci/devices/$2"
	ln -sfn "../../../bus/pci/drivers/$4" "$d/driver"
}

# netdev TREE NAME MAC CARRIER DEV_PORT [BDF]; CARRIER "off": the file cannot be read
netdev()
{
	local d=$1/class/net/$2

	put "$d/address" "$3"
	put "$d/dev_id" 0x0
	put "$d/dev_port" "$5"
	if [ "$4" = off ]; then mkdir -p "$d/carrier"; else put "$d/carrier" "$4"; fi
	[ -z "${6:-}" ] || ln -sfn "../../../devices/pci0000:00/$6" "$d/device"
}

# rdma TREE NAME BDF FW
rdma()
{
	mkdir -p "$1/class/infiniband/$2"
	[ -z "$3" ] || ln -sfn "../../../devices/pci0000:00/$3" "$1/class/infiniband/$2/device"
	put "$1/class/infiniband/$2/fw_ver" "$4"
}

# port TREE RDMA PORT STATE TABLE-SIZE: with an empty GID table
port()
{
	local d=$1/class/infiniband/$2/ports/$3 i

	put "$d/state" "$4"
	put "$d/link_layer" Ethernet
	mkdir -p "$d/gid_attrs/types" "$d/gid_attrs/ndevs"
	for ((i = 0; i < $5; i++)); do put "$d/gids/$i" $ZERO_GID; done
}

# gid TREE RDMA PORT INDEX GID TYPE NETDEV
gid()
{
	local d=$1/class/infiniband/$2/ports/$3

	put "$d/gids/$4" "$5"
	put "$d/gid_attrs/types/$4" "$6"
	put "$d/gid_attrs/ndevs/$4" "$7"
}

# Two entries for the GID, v2 first as in the vendor's documents
gid_pair() # TREE RDMA PORT INDEX GID NETDEV
{
	gid "$1" "$2" "$3" "$4" "$5" "RoCE v2" "$6"
	gid "$1" "$2" "$3" $(($4 + 1)) "$5" "IB/RoCE v1" "$6"
}

# The example in the vendor's documents: a ConnectX-3 Pro with two ports, addresses 192.168.1.70 and
# 1234::70 on eth1 and 193.168.1.70 on its VLAN 100.
tree_documents() # TREE
{
	pci_function "$1" 0000:05:00.0 0x1007 mlx4_core
	netdev "$1" eth1 00:02:c9:b6:7c:70 1 0 0000:05:00.0
	netdev "$1" eth1.100 00:02:c9:b6:7c:70 1 0
	netdev "$1" eth2 00:02:c9:b6:7c:71 0 1 0000:05:00.0
	rdma "$1" mlx4_0 0000:05:00.0 2.34.5000
	port "$1" mlx4_0 1 "4: ACTIVE" 16
	port "$1" mlx4_0 2 "1: DOWN" 16
	gid_pair "$1" mlx4_0 1 0 fe80:0000:0000:0000:0202:c9ff:feb6:7c70 eth1
	gid_pair "$1" mlx4_0 1 2 0000:0000:0000:0000:0000:ffff:c0a8:0146 eth1
	gid_pair "$1" mlx4_0 1 4 0000:0000:0000:0000:0000:ffff:c1a8:0146 eth1.100
	gid_pair "$1" mlx4_0 1 6 1234:0000:0000:0000:0000:0000:0000:0070 eth1
	gid_pair "$1" mlx4_0 2 0 fe80:0000:0000:0000:0202:c9ff:feb6:7c71 eth2
}

# One VPD field: KEYWORD TEXT
vpd_field() { printf '%s' "$1"; printf '%b' "\\0$(printf %o ${#2})"; printf '%s' "$2"; }

# vpd FILE PRODUCT PART
vpd()
{
	local fields length

	fields=$(vpd_field PN "$3"; vpd_field EC A5; vpd_field SN MT2023X01234)
	length=${#fields}
	{
		printf '\202%b\0%s' "\\0$(printf %o ${#2})" "$2"
		printf '\220%b\0%s' "\\0$(printf %o "$length")" "$fields"
		printf '\170'
	} >"$1"
}

# A machine with a ConnectX-6, a virtual function without GID entries, Soft-RoCE on another
# vendor's card, and a GID table with two-digit indices
tree_mixed() # TREE
{
	local i

	pci_function "$1" 0000:01:00.0 0x101b mlx5_core
	pci_function "$1" 0000:02:00.1 0x1018 mlx5_core
	put "$1/devices/pci0000:00/0000:03:00.0/vendor" 0x8086
	put "$1/devices/pci0000:00/0000:03:00.0/resource" "another one"
	vpd "$1/devices/pci0000:00/0000:01:00.0/vpd" \
		"ConnectX-6 VPI adapter card, HDR IB (200Gb/s) and 200GbE, single-port QSFP56" \
		"MCX653105A-HDAT"
	netdev "$1" p5p1 0c:42:a1:00:00:10 1 0 0000:01:00.0
	netdev "$1" ens2f1v0 0c:42:a1:00:00:20 off 0 0000:02:00.1
	netdev "$1" eno1 a0:36:9f:00:00:01 1 0 0000:03:00.0
	rdma "$1" mlx5_0 0000:01:00.0 20.28.1002
	rdma "$1" mlx5_2 0000:02:00.1 16.26.4012
	rdma "$1" rxe0 "" ""
	port "$1" mlx5_0 1 "4: ACTIVE" 32
	port "$1" mlx5_2 1 "1: DOWN" 8
	port "$1" rxe0 1 "4: ACTIVE" 8
	for ((i = 0; i < 12; i++)); do
		gid "$1" mlx5_0 1 $i "$(printf '2001:0db8:0000:0000:0000:0000:0000:%04x' $i)" "RoCE v2" p5p1
	done
	gid "$1" mlx5_0 1 20 0000:0000:0000:0000:0000:ffff:0a00:00fe "RoCE v2" p5p1
	gid "$1" rxe0 1 0 fe80:0000:0000:0000:a236:9fff:fe00:0001 "RoCE v2" eno1
	# a port with the prefix only, and an entry that is removed while it is read
	put "$1/class/infiniband/mlx5_2/ports/1/gids/0" fe80:0000:0000:0000:0000:0000:0000:0000
	put "$1/class/infiniband/mlx5_2/ports/1/gids/1" 0000:0000:0000:0000:0000:ffff:0a00:0001
	put "$1/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence" 3
	put "$1/class/infiniband/mlx5_0/ports/1/hw_counters/lifespan" 10
	put "$1/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent" 17
	put "$1/class/infiniband/mlx5_0/ports/1/cm_rx_msgs/req" 5
	put "$1/class/infiniband/mlx5_0/ports/1/cm_tx_msgs/rep" 4
}
