# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The program's side of obey.sh: lines that are asked, answers with a code and text."""

import base64
import os


def answer(folder, code, text):
    with open(f"{folder}/answer", "w", encoding="ascii") as f:
        f.write(f"{code} {base64.b64encode(text.encode()).decode()}\n")


def obey(do):
    """Calls do(words) for each line, for ever. It returns a code and text, the answer, and what is to be called then, if
    anything."""
    folder = os.environ["OBEY_FOLDER"]
    while True:
        with open(f"{folder}/ask", encoding="ascii") as lines:
            for line in lines:
                code, text, *then = do(line.split())
                answer(folder, code, text)
                for step in then:
                    step()
