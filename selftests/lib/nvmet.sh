# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# An NVMe over RDMA target with a RAM disk, in this guest's kernel (nvme.sh). Needs driver.sh.

NVME_NQN=nqn.2000-01.test:disk
NVME_MB=32
NVMET=/sys/kernel/config/nvmet

# The number of QPs. Not from their list: kernels up to 6.12 may query a destroyed QP for it.
nvme_qps() { rdma resource show | sed -n 's/.* qp \([0-9]*\).*/\1/p'; }
nvme_qps_are() { [ "$(nvme_qps)" = "$1" ]; }

# Parameters are those of nvmet-rdma.
nvmet_up() # [use_srq=1]
{
	modprobe brd rd_nr=1 rd_size=$((NVME_MB * 1024))
	modprobe nvmet
	modprobe nvmet-rdma "$@"
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	mkdir -p $NVMET/subsystems/$NVME_NQN/namespaces/1 $NVMET/ports/1
	echo 1 >$NVMET/subsystems/$NVME_NQN/attr_allow_any_host
	echo /dev/ram0 >$NVMET/subsystems/$NVME_NQN/namespaces/1/device_path
	echo 1 >$NVMET/subsystems/$NVME_NQN/namespaces/1/enable
	echo rdma >$NVMET/ports/1/addr_trtype
	echo ipv4 >$NVMET/ports/1/addr_adrfam
	my_ip >$NVMET/ports/1/addr_traddr
	echo 4420 >$NVMET/ports/1/addr_trsvcid
	ln -sfn $NVMET/subsystems/$NVME_NQN $NVMET/ports/1/subsystems/$NVME_NQN
}

# Of a device that goes the kernel's target forgets that it listens.
nvmet_enable()
{
	rm $NVMET/ports/1/subsystems/$NVME_NQN
	ln -s $NVMET/subsystems/$NVME_NQN $NVMET/ports/1/subsystems/$NVME_NQN
}

# From any state
nvmet_down()
{
	local d m

	rm -f $NVMET/ports/1/subsystems/$NVME_NQN
	for d in ports/1 subsystems/$NVME_NQN/namespaces/1 subsystems/$NVME_NQN; do
		[ ! -d "$NVMET/$d" ] || rmdir "$NVMET/$d"
	done
	for m in nvmet_rdma nvmet brd; do
		[ ! -d /sys/module/$m ] || rmmod $m
	done
}
