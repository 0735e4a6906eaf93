# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Commands on other machines. In a guest the peers are b, c and d, reached over
# the management cable. With CXR_PEER=ssh:HOST guest b is HOST, which needs the
# repository at the same path.
#
#   peer CMD...         run CMD on b: its output, its exit code
#   peer_on c CMD...    the same on c
#   peer_bg ID CMD...   start CMD on b and go on
#   peer_serves ID CONDITION CMD...   the same, and wait until CONDITION holds on b: the server is ready
#   peer_wait ID        wait for its end: prints its output, returns its exit code
#   peer_kill ID        end it with its children, if it still runs
#   run_python FILE...  run a Python program here, without the start-up time of python3
#   emu CMD...          a command for the emulator's control socket
#
# CMD is one line of shell with the functions of driver.sh. PEER_TIMEOUT (120)
# is its time limit in seconds; the exit code is 124 if it is exceeded. CMD ends with its caller.

PEER_DIR=$(dirname "${BASH_SOURCE[0]}")

peer_hosts() { local l="b c d"; echo "${l:0:$((2 * ${CXR_GUESTS:-1} - 3 > 0 ? 2 * ${CXR_GUESTS:-1} - 3 : 0))}"; }

# Print the answer of selftests/lib/agent from file descriptor FD, and return its exit code. FD must not be standard input: the
# agent passes this shell's to the program, which would keep the connection open. A machine that says nothing for SECONDS has died:
# the code is 125.
agent_answer() # FD SECONDS
{
	local tag text code=125

	while IFS= read -r -t "$2" -u "$1" text; do
		tag=${text%% *} text=${text#* }
		case $tag in
		1) printf '%s\n' "$text" ;;
		2) printf '%s\n' "$text" >&2 ;;
		x) code=$text; break ;;
		esac
	done
	return "$code"
}

# Send a job to the agent of HOST ("here": this machine). Its answer can be read from file descriptor AGENT_FD
agent_job() # HOST WORDS...
{
	local host=$1

	shift
	case $host-${CXR_PEER:-vm} in
	here-*) host=127.0.0.1 ;;
	*-vm) ;;
	*-ssh:*)
		exec {AGENT_FD}< <(printf '%s\0' $# "$@" |
			ssh -o BatchMode=yes "${CXR_PEER#ssh:}" "CXR_DRIVER=$CXR_DRIVER CXR_GUEST=$host $PWD/selftests/lib/agent")
		return
		;;
	*) echo "peer: CXR_PEER=$CXR_PEER is neither 'vm' nor 'ssh:HOST'" >&2; return 1 ;;
	esac
	if { exec {AGENT_FD}<>"/dev/tcp/$host/77"; } 2>/dev/null; then
		printf '%s\0' $# "$@" >&"$AGENT_FD"
	else
		# not a guest
		[ "$host" = 127.0.0.1 ] && exec {AGENT_FD}< <(printf '%s\0' $# "$@" | "$PEER_DIR/agent")
	fi
}

# As agent_job; prints the answer, returns the exit code, 125 if there is no answer, or nothing of it for SECONDS
agent_do() # HOST SECONDS WORDS...
{
	local host=$1 seconds=$2 code=125 AGENT_FD

	shift 2
	if agent_job "$host" "$@"; then
		agent_answer "$AGENT_FD" "$seconds" && code=0 || code=$?
		exec {AGENT_FD}<&-
	fi
	[ $code != 125 ] || echo "peer: no answer from $host" >&2
	return $code
}

peer_call() # HOST ID COMMAND
{
	local limit=$((${PEER_TIMEOUT:-120} * ${CXR_PATIENCE:-1}))

	# the agent ends what takes too long, if its machine still runs
	agent_do "$1" $((limit + 10 * ${CXR_PATIENCE:-1})) sh $limit "$2" "$3"
}

peer_on() { local host=$1; shift; peer_call "$host" "now-$BASHPID" "$*"; }
peer() { peer_on b "$@"; }

peer_bg()
{
	local id=$1

	shift
	rm -f "/tmp/peer-$id.rc"
	true >"/tmp/peer-$id.out"
	(
		code=0
		peer_call b "$id" "$*" >"/tmp/peer-$id.out" 2>&1 || code=$?
		echo $code >"/tmp/peer-$id.rc"
	) &
	echo $! >"/tmp/peer-$id.pid"
}

# The peer reports readiness itself, which is cheaper than polling it
peer_serves()
{
	local id=$1 condition=$2

	shift 2
	peer_bg "$id" "{ $*; } & until $condition; do kill -0 \$! 2>/dev/null || { wait \$!; exit; }; nap 0.2; done
		       echo @ready; wait \$!"
	wait_until 180 peer_has_said "$id" || return
	grep -q '^@ready$' "/tmp/peer-$id.out" || { cat "/tmp/peer-$id.out"; echo "peer: $* has ended"; return 1; }
}

peer_has_said() { grep -q '^@ready$' "/tmp/peer-$1.out" || [ -e "/tmp/peer-$1.rc" ]; }

peer_wait()
{
	local pid

	pid=$(<"/tmp/peer-$1.pid")
	while [ -d "/proc/$pid" ] && [ ! -e "/tmp/peer-$1.rc" ]; do nap 0.1; done
	sed '/^@ready$/d' "/tmp/peer-$1.out"
	pid=$(cat "/tmp/peer-$1.rc" 2>/dev/null || echo 125)
	rm -f "/tmp/peer-$1".*
	return "$pid"
}

peer_kill() { peer "kill -- -\$(cat /run/peer-$1.pid 2>/dev/null) 2>/dev/null || true"; }

# Like `python3 PROGRAM ARGUMENTS...`; in a guest, in a fork of a python3 that has the modules imported already.
run_python()
{
	local fd code=0

	if ! { exec {fd}<>/dev/tcp/127.0.0.1/77; } 2>/dev/null; then python3 -B "$@"; return; fi
	printf '%s\0' $(($# + 4)) py 86400 $BASHPID "$PWD" "$@" >&"$fd"
	agent_answer "$fd" 86400 || code=$?
	exec {fd}<&-
	return $code
}

# driver_up here and on b
driver_both_up() # [MTU]
{
	driver_up "${1:-}" || return
	peer "driver_up ${1:-}" || return
	wait_until 20 ping -q -c 1 -W 1 "$(peer_ip)" >/dev/null
}

# What a driver may say of a fault, which without one is a failure (KTAP_BAD)
fault_allows() # WORDS OF cxctl fault
{
	case " $* " in
	*" silent "*) echo 'timed out' ;;
	*" lose "*) echo 'timed out|recovered by polling|[Rr]ecovered [0-9]+ E|NETDEV WATCHDOG|restarting all queues' ;;
	*" cqe "* | *" request "*) echo 'timed out|NETDEV WATCHDOG|restarting all queues' ;;
	esac
}

# Ask the emulator something (cxctl's words); its answer and exit code. The port can be open once at a time.
emu()
{
	local answer port end=$((SECONDS + 20))

	[ "${1:-}" != fault ] || [ -z "${KTAP_LOG:-}" ] || fault_allows "$@" >>"$KTAP_LOG.allowed"
	[ -c "${CXR_EMU_PORT:-}" ] || { echo "emu: there is no emulator here" >&2; return 125; }
	until { exec {port}<>"$CXR_EMU_PORT"; } 2>/dev/null; do
		[ $SECONDS -lt $end ] || { echo "emu: the port is in use" >&2; return 125; }
		nap 0.01
	done
	echo "$*" >&"$port"
	IFS= read -r -t 20 -u "$port" answer || { echo "emu: no answer" >&2; answer=125; }
	exec {port}<&-
	[ "$answer" = "${answer#* }" ] || printf %b "${answer#* }"
	return "${answer%% *}"
}

no_violation()
{
	local said

	said=$(emu violations) || fail "the emulator does not answer"
	[ -z "$said" ] || { echo "$said"; fail "the emulator reports violations"; }
}

# Commands of this opcode so far
commands_sent() # OPCODE
{
	local n

	n=$(emu commands "$CXR_GUEST" | sed -n "s/^ *$1: //p")
	echo "${n:-0}"
}
