# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Checks of frames on the wire. A test sends a mark before and after its traffic that says what the
# frames between them must be; scripts/check runs selftests/wire/roce_check on the capture, which
# understands the words (window.h). A script that sources this file has "# windows: yes" in its head.
# Each window has the name of the script from $CXR_SCRIPT and is counted in the file $CXR_WINDOWS
# (run-tests sets both and reports the number), so that windows missing in the capture are found.
# window.py does the same.
#
#   window "type=v1 vlan=100" COMMAND...    all RoCE frames while COMMAND runs are v1 with tag 100

# Send a mark, a frame of the experimental Ethertype to an unused address, on NETDEV (default: the first port)
window_frame() # "begin WORDS : LABEL" or "end", [NETDEV]
{
	case $1 in
	begin*) set -- "begin ${CXR_SCRIPT:+script=$CXR_SCRIPT }${1#begin }" "${@:2}" ;;
	end) [ -z "${CXR_WINDOWS:-}" ] || echo . >>"$CXR_WINDOWS" ;;
	esac
	printf '\x02\0\0\0\0\xfe\x02\0\0\0\0\xff\x88\xb5%-60s' "$1" | socat -u - "INTERFACE:${2:-$(driver_netdev)}"
}

window()
{
	local words=$1

	shift
	window_frame "begin $words : $*"
	"$@" || return
	window_frame end
}
