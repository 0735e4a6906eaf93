# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A TCP connection to a service that sends back what it gets (socat EXEC:cat), which comes back when it breaks."""
import socket


class WrongData(Exception):
    """What has arrived is not what was sent."""


class Echo:
    """@hosts: addresses, one of which is chosen for each connection; @seconds: limit of each step; @rng: a random.Random"""

    OFTEN = 0.1     # of its exchanges begin with another connection

    def __init__(self, hosts, port, seconds, rng):
        self.hosts, self.port, self.seconds, self.rng = hosts, port, seconds, rng
        self.conn = None

    def close(self):
        if self.conn:
            self.conn.close()
        self.conn = None

    def exchange(self, most):
        """Up to @most bytes there and back. OSError: the connection has broken."""
        text = self.rng.randbytes(self.rng.randrange(1, most))
        try:
            if not self.conn or self.rng.random() < self.OFTEN:
                self.close()
                self.conn = socket.create_connection((self.rng.choice(self.hosts), self.port), timeout=self.seconds)
            self.conn.sendall(text)
            got = b""
            while len(got) < len(text):
                more = self.conn.recv(65536)
                if not more:
                    raise ConnectionError
                got += more
        except OSError:
            self.close()
            raise
        if got != text:
            raise WrongData(f"{len(text)} bytes over TCP")
