# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Programs that users run over the device. Debian's packages of them are unpacked in build/programs (scripts/check gets them from
# scripts/toolbox programs), which is laid over /usr and /etc of a guest. To be sourced after peer.sh; needs driver.sh.
#
#   programs_up			here and on the peers; may be called at any time
#   programs_down		undo it, after the last test
#   programs_meet_by_cm		programs_up, both ends up (ends.sh), with the default RoCE version of rdma_cm
#   programs_left_nothing	wait until no process has a QP, here and on the peers
#   program COMMAND...		run it, at most PROGRAM_SECONDS (100), and note it for the table of scripts/check-programs
#   program_serves CONDITION COMMAND...	run a server on b, noted as well, until program_ends; returns when CONDITION holds there
#   program_ends		end the server, and print its output
#   mpi HOSTS OPTIONS... -- PROGRAM...	the same for a program that Open MPI starts on each of HOSTS (a,b: one process on each, a:2,b:2: two)

PROGRAMS_FROM=/cxr/build/programs
PROGRAMS_NOTES=/out/programs.tsv

programs_here()
{
	! mountpoint -q /usr || return 0
	[ -e $PROGRAMS_FROM/COMMANDS ] || { echo "there is no build/programs; scripts/check makes it"; return 1; }
	modprobe overlay
	mkdir -p /run/programs/{modules,upper,work}
	# The modules are a mount of their own, in /usr
	mount --bind /usr/lib/modules /run/programs/modules
	mount -t overlay -o lowerdir=$PROGRAMS_FROM/usr:/usr overlay /usr
	mount --move /run/programs/modules /usr/lib/modules
	mount -t overlay -o lowerdir=$PROGRAMS_FROM/etc:/etc,upperdir=/run/programs/upper,workdir=/run/programs/work overlay /etc
	mount --bind /run/hosts /etc/hosts
	# what the scripts of the packages do
	echo '_rpc:x:107:65534::/run/rpcbind:/usr/sbin/nologin' >>/etc/passwd
	echo 'statd:x:108:65534::/var/lib/nfs:/usr/sbin/nologin' >>/etc/passwd
	true >/etc/exports
	ln -sfn /run /var/run
}

programs_gone()
{
	mountpoint -q /usr || return 0
	umount -l /etc/hosts /etc /usr/lib/modules /usr
	rm -rf /run/programs
}

programs_on_peers() # FUNCTION
{
	local host

	for host in $(peer_hosts); do peer_on "$host" ". selftests/lib/programs.sh; $1"; done
}

programs_up() { programs_here && programs_on_peers programs_here; }
programs_down() { program_ends >/dev/null; programs_gone && programs_on_peers programs_gone; }

programs_meet_by_cm()
{
	programs_up
	ends_up 4200
	cma_roce_mode -d "$(driver_ibdev)" -m 2
	peer "cma_roce_mode -d \$(driver_ibdev) -m 2"
}

# The kernel's QPs have no pid.
processes_have_no_qp() { ! rdma resource show qp | grep -q ' pid '; }
programs_left_nothing() { wait_until 30 processes_have_no_qp && programs_on_peers "wait_until 30 processes_have_no_qp"; }

program_noted()
{
	printf '%s\t%s\n' "${KTAP_ID:-none}" "$*" >>$PROGRAMS_NOTES
	echo "$*"
}

program()
{
	program_noted "$@"
	timeout $((${PROGRAM_SECONDS:-100} * ${CXR_PATIENCE:-1})) "$@"
}

program_serves()
{
	local condition=$1

	shift
	program_noted "$@" >/dev/null
	peer_serves program "$condition" "$*"
}

program_ends()
{
	[ -e /tmp/peer-program.pid ] || return 0
	peer_kill program
	peer_wait program || true
}

# Open MPI reaches the other guests with mpi_agent in place of ssh. Guests have no users but root.
mpi()
{
	local hosts=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	program env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi \
		--prtemca plm_ssh_agent /cxr/selftests/lib/mpi_agent --host "$hosts" "${options[@]}" "$@"
}
