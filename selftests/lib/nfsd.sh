# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# An NFS server in this guest's kernel that serves a RAM disk over RDMA and TCP (nfs.sh). Needs driver.sh and programs.sh.

NFS_PORT=20049
NFS_EXPORT=/srv

nfsd_up()
{
	programs_here || return
	modprobe nfsd && modprobe rpcrdma || return
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd || return
	mkdir -p /var/lib/nfs/{v4recovery,rpc_pipefs,nfsdcld} /run/rpcbind
	touch /var/lib/nfs/{etab,rmtab,xtab,state}
	mountpoint -q $NFS_EXPORT || mount -t tmpfs tmpfs $NFS_EXPORT || return
	rpcinfo >/dev/null 2>&1 || rpcbind -w || return
	exportfs -o rw,no_root_squash,insecure,fsid=0,no_subtree_check "*:$NFS_EXPORT" || return
	pgrep -x rpc.mountd >/dev/null || rpc.mountd || return
	# seconds that clients have after a restart; the kernel takes 10 and more
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	rpc.nfsd --rdma=$NFS_PORT 4
	grep -q "rdma $NFS_PORT" /proc/fs/nfsd/portlist
}

# From any state
nfsd_down()
{
	! mountpoint -q /proc/fs/nfsd || rpc.nfsd 0
	exportfs -ua 2>/dev/null
	pkill -x rpc.mountd
	pkill -x rpcbind
	! mountpoint -q /proc/fs/nfsd || umount /proc/fs/nfsd
	! mountpoint -q $NFS_EXPORT || umount -l $NFS_EXPORT
	modprobe -r nfsd rpcrdma
	true
}
