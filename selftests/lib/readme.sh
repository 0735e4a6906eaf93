# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The commands in README, for tests that execute them. To be sourced.

# The indented lines after "<!-- tested: NAME -->": those with sudo without it, the others with the PATH of an ordinary user of Debian
readme_commands() # NAME [FILE]
{
	awk -v mark="<!-- tested: $1 -->" '$0 == mark { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next }
		on && seen && NF { exit }' "${2:-README.md}" | sed 's,^,PATH=/usr/local/bin:/usr/bin:/bin ,; s,^[^ ]* sudo ,,'
}
