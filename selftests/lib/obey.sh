# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Programs that stay, and do what they are told a line at a time (lib/obey.py is their side). A guest takes seconds to start
# Python and to open a device; so a set-up does that once, and each test asks for its part alone.
#
#   obey_start NAME COMMAND...	start COMMAND, in the place of what NAME was before
#   obey NAME WORDS...		have it do WORDS: what it says, its code; 125 when it has ended
#   obey_stop NAME

OBEY_RUN=/run/obey	# -NAME: the folder of each

# It does not when nobody has waited for it yet.
obey_lives() { [ -e "/proc/$1/exe" ]; } # PID

obey_stop() # NAME
{
	local d=$OBEY_RUN-$1 pid

	[ -d "$d" ] || return 0
	pid=$(cat "$d/pid" 2>/dev/null || true)
	if [ -n "$pid" ]; then
		kill -KILL "$pid" 2>/dev/null || true
		while obey_lives "$pid"; do sleep 0.05; done
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
			answer+=$part	# the second may end in the middle of the line
			obey_lives "$pid" || { cat "$d/log"; echo "obey: it has ended"; return 125; }
		done
	} 8<>"$d/ask" 9<>"$d/answer"
	read -r code text <<<"$answer$part"
	[ -z "$text" ] || base64 -d <<<"$text"
	return "$code"
}
