# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Tests that are rows of a Python program (rows.py). To be sourced after ktap.sh.

# "id<TAB>sentence" of each row in the program and its other files
rows_list() { sed -nE 's/^@[a-z]+\("([^"]+)", "([^"]+)".*/\1\t\2/p' "$@"; } # PROGRAM [FILES...]

# For a set-up: does the program have as many rows as rows_list found?
rows_agree() { [ "$(run_python "$1" list | wc -l)" = "$(rows_list "$@" | wc -l)" ]; } # PROGRAM [FILES...]
