# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash disable=SC2154	# command is the caller's
#
# What a stand-in for ssh does at its end: run $command on b as ssh would, with its output, its errors and its exit code, and end it when
# it is terminated. To be sourced after peer.sh.
id=ssh-$$ code=0
# What comes back comes in lines; this may have none.
PEER_TIMEOUT=500 peer_bg $id "o=\$(mktemp) code=0
(
$command
) >\$o 2>\$o.2 || code=\$?
base64 -w 0 \$o; echo; base64 -w 0 \$o.2; echo
rm -f \$o \$o.2
exit \$code"
trap 'peer_kill $id; exit 143' TERM
said=$(peer_wait $id) || code=$?
sed -n 1p <<<"$said" | base64 -d
sed -n 2p <<<"$said" | base64 -d >&2
exit $code
