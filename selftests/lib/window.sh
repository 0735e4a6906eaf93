# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# What the frames on the wire must be. A test says it in a frame of its own, before and after its
# traffic; scripts/check has the capture judged by selftests/wire/roce_check, which knows the words
# (window.h). A script that sources this file has "# windows: yes" in its head. Each window names the
# script that $CXR_SCRIPT says and is counted in the file $CXR_WINDOWS (run-tests sets both and tells the
# number), so that one which does not get as far as the capture is missed. window.py does the same.
#
#   window "type=v1 vlan=100" COMMAND...    all RoCE frames while COMMAND runs are v1 with tag 100

# One frame with a text, of the Ethernet type for experiments, to nobody; by NETDEV, or the first port
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
