# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Work that goes on beside other work."""

import threading


class Beside(threading.Thread):
    """Begins at once; its error is the error of who calls finish(). It ends with the process."""

    def __init__(self, work, *args):
        super().__init__(target=self.guarded, args=(work, *args), daemon=True)
        self.error = None
        self.start()

    def guarded(self, work, *args):
        try:
            work(*args)
        except BaseException as e:  # pylint: disable=broad-exception-caught
            self.error = e

    def finish(self):
        self.join()
        if self.error:
            raise self.error


def finish_all(threads):
    """All have ended before the first error counts."""
    for t in threads:
        t.join()
    for t in threads:
        t.finish()
