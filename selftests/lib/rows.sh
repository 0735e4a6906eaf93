# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Rows of a table of tests that is a program of its own (rows.py). Sourced behind ktap.sh.

# "id<TAB>sentence" of each row, of the program and the files beside it that have rows of it
rows_list() { sed -nE 's/^@[a-z]+\("([^"]+)", "([^"]+)".*/\1\t\2/p' "$@"; } # PROGRAM [FILES...]

# Of a set-up: the program has as many rows as its files have lines that begin one
rows_agree() { [ "$(run_python "$1" list | wc -l)" = "$(rows_list "$@" | wc -l)" ]; } # PROGRAM [FILES...]
