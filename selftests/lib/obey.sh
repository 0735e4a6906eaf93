# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Persistent worker programs, which execute one request per line (lib/obey.py is their side). Starting Python and opening a device
# takes seconds in a guest, so the set-up does it once, and each test sends its request.
#
#   obey_start NAME COMMAND...	start COMMAND as worker NAME, in place of an earlier one
#   obey NAME WORDS...		execute the request WORDS: prints its output, returns its code, or 125 if the worker has ended
#   obey_stop NAME

OBEY_RUN=/run/obey	# -NAME: the folder of each worker

# A zombie has no exe.
obey_lives() { [ -e "/proc/$1/exe" ]; } # PID

obey_stop() # NAME
{
	local d=$OBEY_RUN-$1 pid

	[ -d "$d" ] || return 0
	pid=$(cat "$d/pid" 2>/dev/null || true)
	if [ -n "$pid" ]; then
		kill -KILL "$pid" 2>/dev/null || true
		while obey_lives "$pid"; do nap 0.05; done
	fi
	rm -rf "$d"
}

obey_start() # NAME COMMAND...
{
	local d=$OBEY_RUN-$1

	obey_stop "$1"
	shift
	mkdir "$d" && mkfifo "$d/ask" "$d/answer" || return
	OBEY_FOLDER=$d "$@" >"$d/log" 2>&1 </dev/null &
	echo $! >"$d/pid"
}

obey() # NAME WORDS...
{
	local d=$OBEY_RUN-$1 pid code text part answer=

	read -r pid <"$d/pid" || return 125
	shift
	{
		echo "$*" >&8
		until IFS= read -r -t 1 part <&9; do
			answer+=$part	# read may time out within a line
			obey_lives "$pid" || { cat "$d/log"; echo "obey: the worker has ended"; return 125; }
		done
	} 8<>"$d/ask" 9<>"$d/answer"
	read -r code text <<<"$answer$part"
	[ -z "$text" ] || base64 -d <<<"$text"
	return "$code"
}
