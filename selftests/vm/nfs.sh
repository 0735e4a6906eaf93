#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# NFS over RDMA: the kernel's client (xprtrdma) and server (svcrdma), versions 4.2 and 3, data checked by fio and by sums on both ends; link
# loss, and a device that goes away or whose firmware crashes at either end, with files open.
# guests: 2
# takes: 60
# turn: yes
# kernels: 6.1 6.12 7.2
# drivers: cxr mlx5
# timeout: 600
# long: 900
. "$(dirname "$0")/../lib/ktap.sh"
. "$(dirname "$0")/../lib/programs.sh"
. "$(dirname "$0")/../lib/nfsd.sh"
# shellcheck source=selftests/lib/ends.sh
. "$(dirname "$0")/../lib/ends.sh"

MNT=/mnt

on_server() { peer "set -e; . selftests/lib/programs.sh; . selftests/lib/nfsd.sh; $*"; }

ready()
{
	clear_up
	programs_up
	ends_up 4200
	on_server nfsd_up
	modprobe rpcrdma
	# mount.nfs of version 3 looks for them
	mkdir -p /run/rpcbind /var/lib/nfs
	mounted vers=4.2
}

before_each() { ends_know; }

clear_up()
{
	pkill -KILL -x fio || true
	! mountpoint -q $MNT || umount -f -l $MNT
	peer ". selftests/lib/programs.sh; . selftests/lib/nfsd.sh; nfsd_down"
}

leave()
{
	clear_up
	programs_down
}

mounted() # OPTIONS
{
	local path=/

	[[ $1 != *vers=3* ]] || path=$NFS_EXPORT
	! mountpoint -q $MNT || umount $MNT
	program mount -t nfs -o "rdma,port=$NFS_PORT,$1" "$(peer_ip):$path" $MNT
	grep "$MNT nfs.*proto=rdma" /proc/mounts
}

same_at_both_ends() # FILE
{
	[ "$(sha256sum <"$MNT/$1")" = "$(on_server "sha256sum <$NFS_EXPORT/$1")" ]
}

# A file written here, read there, and read here again by a new mount
files() # OPTIONS
{
	local n

	mounted "$1"
	head -c 16M /dev/urandom >/tmp/nfs
	cp /tmp/nfs $MNT/file
	same_at_both_ends file
	mounted "$1"
	cmp /tmp/nfs $MNT/file
	for n in 1 2 3 4 5 6 7 8 9; do echo "$n" >"$MNT/small$n"; done
	mv $MNT/small1 $MNT/renamed
	rm $MNT/small2 $MNT/file
	[ "$(on_server "cat $NFS_EXPORT/small* $NFS_EXPORT/renamed" | xargs)" = "3 4 5 6 7 8 9 1" ]
	rm $MNT/small* $MNT/renamed /tmp/nfs
}

# Random reads and writes whose sums are checked, by four threads, past the page cache and through it
fio_verifies()
{
	program fio --name=direct --directory=$MNT --size=4M --bsrange=512-256k --bs_unaligned=0 --rw=randrw --verify=crc32c --direct=1 \
		--ioengine=psync --thread --numjobs=4 --group_reporting
	program fio --name=cached --directory=$MNT --size=4M --bs=4k --rw=randwrite --verify=crc32c --ioengine=psync --thread --numjobs=4 \
		--group_reporting
	rm -f $MNT/direct* $MNT/cached*
}

# Start writes that go on; each block is checked at the end
write_on() # SECONDS
{
	program fio --name=on --directory=$MNT --size=8M --bs=64k --rw=randwrite --verify=crc32c --direct=1 --ioengine=psync --thread --numjobs=2 \
		--time_based --runtime="$1" --group_reporting >/tmp/fio 2>&1 &
	WRITER=$!
	wait_until 20 written
}

written() { [ -s $MNT/on.1.0 ]; }

writes_end()
{
	wait "$WRITER" || { cat /tmp/fio; return 1; }
	cat /tmp/fio
	same_at_both_ends on.0.0
	same_at_both_ends on.1.0
	rm -f $MNT/on*
}

cable_pulled()
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: nobody pulls the cable"
	write_on 12
	emu fault a port down
	nap 3
	emu fault a port up
	writes_end
}

interface_flaps()
{
	write_on 10
	ip link set "$netdev" down
	nap 2
	ip link set "$netdev" up
	writes_end
}

# The client's device goes away and returns while files are written: writes wait, then continue
client_rebound()
{
	local bdf

	bdf=$(driver_bdfs | head -n 1)
	write_on 12
	rebind "$bdf"
	writes_end
	ktap_spoilt
}

server_rebound()
{
	write_on 12
	peer "$(declare -f rebind); rebind \$(driver_bdfs | head -n 1)"
	writes_end
	ktap_spoilt
}

rebind() # BDF
{
	local drv

	drv=$(readlink -f "/sys/bus/pci/devices/$1/driver")
	echo "$1" >"$drv/unbind"
	nap 1
	echo "$1" >"$drv/bind"
	driver_up 4200
}

# The firmware of one end crashes while files are written: writes wait until its driver has recovered, then continue
end_crashes() # a|b
{
	[ -c "${CXR_EMU_PORT:-}" ] || skip "no emulator: there is no firmware that crashes"
	[ "$CXR_DRIVER" = cxr ] || skip "the in-tree driver does not recover while NFS is mounted"
	write_on 12
	ends_crash "$1" 4200
	writes_end
	ktap_spoilt
}

unmounted_device()
{
	umount $MNT
	wait_until 20 lacks xprtrdma rdma resource show qp
	driver_unload
	driver_up 4200
	mounted vers=4.2
	ls $MNT
}

ktap_setup ready
ktap_test v4 "version 4.2: files arrive intact both ways" files vers=4.2
ktap_test verify "fio: what is read is what was written, by several threads" fio_verifies
ktap_test client.rebound "the client's device is unbound and bound: nothing is lost" client_rebound
ktap_test client.firmware "the firmware of the client's device crashes: nothing is lost" end_crashes a
if [ -n "${CXR_LONG:-}" ]; then
	ktap_test v3 "version 3: files arrive intact both ways" files vers=3,nolock,mountproto=tcp
	ktap_test cable "the cable is pulled for a while: nothing is lost" cable_pulled
	ktap_test flap "the interface goes down and up: nothing is lost" interface_flaps
	ktap_test server.rebound "the server's device is unbound and bound: nothing is lost" server_rebound
	ktap_test server.firmware "the firmware of the server's device crashes: nothing is lost" end_crashes b
	ktap_test unload "after an unmount the driver unloads, and a mount works again" unmounted_device
fi
ktap_finally leave
ktap_end
