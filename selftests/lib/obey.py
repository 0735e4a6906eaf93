# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The worker's side of obey.sh: reads requests, answers with a code and text."""

import base64
import os


def answer(folder, code, text):
    with open(f"{folder}/answer", "w", encoding="ascii") as f:
        f.write(f"{code} {base64.b64encode(text.encode()).decode()}\n")


def obey(do):
    """Call do(words) for each request, forever. It returns code and text of the answer, and optionally a function to call after
    the answer."""
    folder = os.environ["OBEY_FOLDER"]
    while True:
        with open(f"{folder}/ask", encoding="ascii") as lines:
            for line in lines:
                code, text, *then = do(line.split())
                answer(folder, code, text)
                for step in then:
                    step()
