# SPDX-License-Identifier: Apache-2.0
"""Prints a port that nobody listens at, and that the kernel gives to no other socket of its own accord until a server takes it."""
import random
import socket
from pathlib import Path

first_given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
while True:
    port = random.randrange(first_given // 2, first_given)
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        break
