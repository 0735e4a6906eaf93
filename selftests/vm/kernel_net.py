#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""usage: kernel_net.py PROGRAM

Runs a program of the kernel's tests of network drivers. They read descriptions in YAML, for which PyYAML has a fast parser, too.
"""
import os
import runpy
import sys

import yaml  # pylint: disable=import-error

yaml.safe_load = lambda text: yaml.load(text, Loader=yaml.CSafeLoader)
program = sys.argv[1]
os.chdir(os.path.dirname(program))
sys.argv = ["./" + os.path.basename(program)]
sys.path[0] = os.path.dirname(program)
runpy.run_path(program, run_name="__main__")
