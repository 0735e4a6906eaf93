# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Rows of a table of tests that is a program of its own (rows.py): one process waits for all of them. Sourced behind ktap.sh.

ROWS=/run/rows-$KTAP_SCRIPT

# "id<TAB>sentence" of each row, of the program and the files beside it that have rows of it
rows_list() { sed -nE 's/^@[a-z]+\("([^"]+)", "([^"]+)".*/\1\t\2/p' "$@"; } # PROGRAM [FILES...]

# Of a set-up, and again of the next one: whatever the one before was doing ends
rows_serve() # PROGRAM [FILES...]
{
	rows_end
	mkdir "$ROWS"
	mkfifo "$ROWS/ask" "$ROWS/answer"
	python3 -B "$1" serve "$ROWS" "$(rows_list "$@" | wc -l)" &
	wait_until 200 test -s "$ROWS/pid"
}

rows_end()
{
	if [ -e "$ROWS/pid" ]; then kill -KILL -- -"$(<"$ROWS/pid")" 2>/dev/null || true; fi
	rm -rf "$ROWS"
}

# Ends with the row's exit code
rows_run() # ID WORDS...
{
	local line code=1

	echo "$*" >"$ROWS/ask"
	while IFS= read -r line; do
		case $line in
		"exit code "*) code=${line#exit code } ;;
		?*) echo "$line" ;;
		esac
	done <"$ROWS/answer"
	return "$code"
}
