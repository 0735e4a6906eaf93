# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The examples in Documentation/guide, for the test that executes them. To be sourced after peer.sh.
#
# An example is a literal block after a mark:
#
#   .. tested: NAME       every command succeeds; "tested, long": with LONG=1
#   .. fails: NAME        the last command fails, and its output is shown (not just "...")
#
#   ::
#
#   	a# COMMAND          on this guest; b# on the peer, both# on both; "&" at the end: a server, in the background
#   	OUTPUT              of the command above, if shown: "..." matches any text, and alone on a line any lines
#
# ".. file: PATH" before a block makes it a file on both guests, with the peer's address on the peer. Runs of blanks match as
# one. A command that only reads is repeated until its output matches, since the state may change in the background.

TRANSCRIPT_BIN=/run/transcript/bin	# first in PATH, here and on the peer
TRANSCRIPT_SECONDS=20
transcript_out=/tmp/transcript

# Wrappers of modprobe and udevadm: a guest has the modules in the repository, not installed. (package.sh tests installed
# modules.) Runs here and, by declare -f, on the peer.
transcript_prepare()
{
	local bin=/run/transcript/bin

	mkdir -p $bin
	cat >$bin/modprobe <<-'END'
	#!/bin/bash
	. /cxr/selftests/lib/driver.sh
	case $1 in
	cxr_core) shift; driver_load "$@" ;;
	-r) driver_unload ;;
	*) exec /usr/sbin/modprobe "$@" ;;
	esac
	END
	cat >$bin/udevadm <<-'END'
	#!/bin/bash
	. /cxr/selftests/lib/driver.sh
	both() { [ -n "$(driver_netdev)" ] && [ -n "$(driver_ibdev)" ]; }
	wait_until 20 both
	END
	chmod +x $bin/*
	# link-local addresses made of the MAC, without DAD
	echo 0 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
	echo 0 >/proc/sys/net/ipv6/conf/default/addr_gen_mode
}

# Kind and name of each block of FILE, in order; long ones only with LONG=1
transcript_blocks() { sed -nE "s/^\.\. (tested|fails|file)(${CXR_LONG:+, long|}): ([a-z0-9./-]+)\$/\1 \3/p" "$1"; }

transcript_block() # FILE NAME: its lines
{
	awk -v mark="^[.][.] (tested|fails|file)(, long)?: $2\$" '$0 ~ mark { on = 1; next }
		on && /^\t/ { print substr($0, 2); seen = 1; next } on && seen && NF { exit }' "$1"
}

# A line of the guide as a shell pattern
transcript_pattern()
{
	local text=$1

	text=${text//\\/\\\\} text=${text//'*'/\\*} text=${text//'?'/\\?} text=${text//'['/\\[}
	printf '%s\n' "${text//.../*}"
}

# Does the output match $want? If not, print the reason
transcript_matches()
{
	local -a got
	local i=0 any='' line pattern

	[ ${#want[@]} -gt 0 ] || return 0
	mapfile -t got < <(sed -E 's/[[:space:]]+/ /g; s/^ //; s/ $//; /^$/d' "$transcript_out")
	for line in "${want[@]}"; do
		if [ "$line" = "..." ]; then
			any=1
			continue
		fi
		pattern=$(transcript_pattern "$line")
		# shellcheck disable=SC2053 # it is a pattern
		while [ -n "$any" ] && [ $i -lt ${#got[@]} ] && [[ ${got[i]} != $pattern ]]; do i=$((i + 1)); done
		# shellcheck disable=SC2053
		if [ $i -ge ${#got[@]} ] || [[ ${got[i]} != $pattern ]]; then
			echo "the guide has '$line', and the output '${got[i]-no more lines}'"
			return 1
		fi
		i=$((i + 1)) any=''
	done
	if [ -z "$any" ] && [ $i -lt ${#got[@]} ]; then
		echo "the output has more than the guide: '${got[i]}'"
		return 1
	fi
}

transcript_reads()
{
	case $1 in
	*'>'*) return 1 ;;
	cat\ *|show_*|ibdev2netdev*|dmesg*|"devlink dev param show"*|"rdma "*|"ethtool -S"*|test\ *) ;;
	*) return 1 ;;
	esac
}

transcript_command() # HOST COMMAND
{
	if [ "$1" = a ]; then
		PATH=$TRANSCRIPT_BIN:$PATH timeout $((60 * ${CXR_PATIENCE:-1})) bash -c "$2" >$transcript_out 2>&1
	else
		peer "export PATH=$TRANSCRIPT_BIN:\$PATH; $2" >$transcript_out 2>&1
	fi
}

# Run COMMAND on HOST and compare its output with $want; with a third argument it must fail
transcript_step() # HOST COMMAND [fails]
{
	local code end=$((SECONDS + TRANSCRIPT_SECONDS * ${CXR_PATIENCE:-1})) why

	while :; do
		code=0
		transcript_command "$1" "$2" || code=$?
		why="exit code $code"
		if [ "${3:-}$code" = 0 ] || { [ -n "${3:-}" ] && [ $code != 0 ] && [ $code != 124 ]; }; then
			if why=$(transcript_matches); then return 0; fi
		fi
		transcript_reads "$2" && [ $SECONDS -lt $end ] || break
		sleep 0.5
	done
	cat $transcript_out
	echo "$1# $2: $why"
	return 1
}

transcript_listens() { peer "tcp_listens 18515 || rdma resource show cm_id | grep -q LISTEN"; }

# Execute the lines of block NAME; sets $server if one was started
transcript_lines() # FILE KIND NAME ADDRESS
{
	local -a lines want
	local i=0 host command last=0 fails

	mapfile -t lines < <(transcript_block "$1" "$3" | sed -E "s/0000:03:00\.0/$4/g; s/[[:space:]]+/ /g; s/^ //; s/ $//")
	[ ${#lines[@]} -gt 0 ] || { echo "the block $3 is empty"; return 1; }
	for ((i = 0; i < ${#lines[@]}; i++)); do [[ ${lines[i]} != @(a|b|both)'# '* ]] || last=$i; done
	i=0
	while [ $i -lt ${#lines[@]} ]; do
		[[ ${lines[i]} == @(a|b|both)'# '* ]] || { echo "$3: not a command: ${lines[i]}"; return 1; }
		host=${lines[i]%%#*} command=${lines[i]#*# } want=() fails=
		[ "$2$i" != "fails$last" ] || fails=1
		for ((i++; i < ${#lines[@]}; i++)); do
			[[ ${lines[i]} != @(a|b|both)'# '* ]] || break
			[ -z "${lines[i]}" ] || want+=("${lines[i]}")
		done
		if [ -n "$fails" ] && [[ "${want[*]//.../}" != *[^\ ]* ]]; then
			echo "$3: must show the reason of the failure: $command"
			return 1
		fi
		if [ "$host" = b ] && [ "${command: -1}" = "&" ]; then
			peer_bg server "export PATH=$TRANSCRIPT_BIN:\$PATH; exec ${command%&}"
			server=1
			wait_until $TRANSCRIPT_SECONDS transcript_listens || return
			continue
		fi
		[ "$host" != both ] || transcript_step b "$command" $fails || return
		transcript_step "${host/both/a}" "$command" $fails || return
	done
}

# Create the file of a block, here and on the peer. FILE PATH
transcript_file()
{
	local text

	text=$(transcript_block "$1" "$2")
	[ -n "$text" ] || { echo "the file $2 is empty"; return 1; }
	printf '%s\n' "$text" >"$2" || return
	text=${text//192.168.1.1\//192.168.1.2/}
	peer "base64 -d >$2 <<<$(base64 -w 0 <<<"$text")"
}

# Execute block NAME of FILE. ADDRESS: the PCI function that the guide calls 0000:03:00.0
transcript_run() # FILE KIND NAME ADDRESS
{
	local server='' rc=0

	if [ "$2" = file ]; then transcript_file "$1" "$3"; return; fi
	transcript_lines "$@" || rc=$?
	[ -n "$server" ] || return $rc
	# a client that failed did not end its server
	if [ "$2$rc" != tested0 ]; then peer_kill server; fi
	peer_wait server >$transcript_out || [ "$2$rc" != tested0 ] || { cat $transcript_out; echo "the server failed"; rc=1; }
	return $rc
}

# Execute all blocks of FILE, a page of the guide, also after one that fails
transcript_page() # FILE
{
	local kind name bad=

	while read -r kind name; do
		echo "$(basename "$1"), $name ($SECONDS s)"
		transcript_run "$1" "$kind" "$name" "$(driver_bdfs | head -n 1)" </dev/null || bad=1
	done < <(transcript_blocks "$1")
	[ -z "$bad" ]
}
