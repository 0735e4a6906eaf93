# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The examples of Documentation/guide, for the test that follows them to the letter. To be sourced, after peer.sh.
#
# An example is a literal block below a mark:
#
#   .. tested: NAME       every command succeeds; "tested, long": with LONG=1
#   .. fails: NAME        the last one does not, and its output tells why: it has more than "..."
#
#   ::
#
#   	a# COMMAND          on this guest; b# on the peer, both# on either; "&" at its end: a server, which runs on
#   	OUTPUT              of the command above, if it is shown: "..." is any text, and alone on a line any lines
#
# A file is one, too: ".. file: PATH", and the block is what is in it, on both guests, with the peer's address on the peer.
# Blanks count as one. A command that only reads is asked again until it says what is written: what it shows comes by itself.

TRANSCRIPT_BIN=/run/transcript/bin	# before all in PATH, here and on the peer
TRANSCRIPT_SECONDS=20
transcript_out=/tmp/transcript

# modprobe and udev find the modules where an owner has them installed; a guest has them in the repository. (That the
# installed ones load by these words, package.sh shows.) For this guest and, by its text, the peer.
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
	# addresses made of the MAC, without a search for another one who has them
	echo 0 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
	echo 0 >/proc/sys/net/ipv6/conf/default/addr_gen_mode
}

# The kind and name of each block of FILE, in their order; those that are long only with LONG=1
transcript_blocks() { sed -nE "s/^\.\. (tested|fails|file)(${CXR_LONG:+, long|}): ([a-z0-9./-]+)\$/\1 \3/p" "$1"; }

transcript_block() # FILE NAME: its lines
{
	awk -v mark="^[.][.] (tested|fails|file)(, long)?: $2\$" '$0 ~ mark { on = 1; next }
		on && /^\t/ { print substr($0, 2); seen = 1; next } on && seen && NF { exit }' "$1"
}

# A line of the guide as a pattern of the shell
transcript_pattern()
{
	local text=$1

	text=${text//\\/\\\\} text=${text//'*'/\\*} text=${text//'?'/\\?} text=${text//'['/\\[}
	printf '%s\n' "${text//.../*}"
}

# Whether the output says what is in $want; if not, why not
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

# Run COMMAND on HOST and compare it with $want; it fails, if the third word says so
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

# The lines of the block NAME, one after another; sets $server once one runs
transcript_lines() # FILE KIND NAME ADDRESS
{
	local -a lines want
	local i=0 host command last=0 fails

	mapfile -t lines < <(transcript_block "$1" "$3" | sed -E "s/0000:03:00\.0/$4/g; s/[[:space:]]+/ /g; s/^ //; s/ $//")
	[ ${#lines[@]} -gt 0 ] || { echo "there is nothing in the block $3"; return 1; }
	for ((i = 0; i < ${#lines[@]}; i++)); do [[ ${lines[i]} != @(a|b|both)'# '* ]] || last=$i; done
	i=0
	while [ $i -lt ${#lines[@]} ]; do
		[[ ${lines[i]} == @(a|b|both)'# '* ]] || { echo "$3: this is no command: ${lines[i]}"; return 1; }
		host=${lines[i]%%#*} command=${lines[i]#*# } want=() fails=
		[ "$2$i" != "fails$last" ] || fails=1
		for ((i++; i < ${#lines[@]}; i++)); do
			[[ ${lines[i]} != @(a|b|both)'# '* ]] || break
			[ -z "${lines[i]}" ] || want+=("${lines[i]}")
		done
		if [ -n "$fails" ] && [[ "${want[*]//.../}" != *[^\ ]* ]]; then
			echo "$3: it is to fail for any reason: $command"
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

# The block is the file PATH. FILE PATH
transcript_file()
{
	local text

	text=$(transcript_block "$1" "$2")
	[ -n "$text" ] || { echo "there is nothing in the file $2"; return 1; }
	printf '%s\n' "$text" >"$2" || return
	text=${text//192.168.1.1\//192.168.1.2/}
	peer "base64 -d >$2 <<<$(base64 -w 0 <<<"$text")"
}

# Run what the block NAME of FILE has. ADDRESS: of the PCI function that the guide calls 0000:03:00.0
transcript_run() # FILE KIND NAME ADDRESS
{
	local server='' rc=0

	if [ "$2" = file ]; then transcript_file "$1" "$3"; return; fi
	transcript_lines "$@" || rc=$?
	[ -n "$server" ] || return $rc
	# who was to fail, or did, has left its server alone
	if [ "$2$rc" != tested0 ]; then peer_kill server; fi
	peer_wait server >$transcript_out || [ "$2$rc" != tested0 ] || { cat $transcript_out; echo "the server failed"; rc=1; }
	return $rc
}

# Run all blocks of FILE, a page of the guide; what fails does not end it
transcript_page() # FILE
{
	local kind name bad=

	while read -r kind name; do
		echo "$(basename "$1"), $name ($SECONDS s)"
		transcript_run "$1" "$kind" "$name" "$(driver_bdfs | head -n 1)" </dev/null || bad=1
	done < <(transcript_blocks "$1")
	[ -z "$bad" ]
}
