# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Background work in threads."""

import threading


class Beside(threading.Thread):
    """Starts at once; finish() raises its exception. A daemon thread."""

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
    """Wait for all threads, then raise the first exception."""
    for t in threads:
        t.join()
    for t in threads:
        t.finish()
