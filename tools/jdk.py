#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the system's JDK 17, the class library and tools that Pellucid runs under; prints its home.

Looked at in this order: $PELLUCID_JDK, $JAVA_HOME, the real path of javac, the usual places under /usr/lib/jvm.
The first that is a JDK 17 is taken.
"""
import glob
import os
import shutil
import sys


def version(home):
    """The JDK's version string ("17.0.12"), or None where `home` is no JDK."""
    try:
        with open(os.path.join(home, "release"), encoding="utf-8") as release:
            fields = dict(line.rstrip("\n").split("=", 1) for line in release if "=" in line)
    except OSError:
        return None
    return fields.get("JAVA_VERSION", "").strip('"')


def _candidates():
    yield os.environ.get("PELLUCID_JDK")
    yield os.environ.get("JAVA_HOME")
    javac = shutil.which("javac")
    if javac:
        yield os.path.dirname(os.path.dirname(os.path.realpath(javac)))
    yield from sorted(glob.glob("/usr/lib/jvm/*17*"))


def _usable(home):
    if not home or not (version(home) or "").startswith("17"):
        return False
    needed = ("bin/javac", "include/jvmti.h", "lib/modules", "lib/server/libjvm.so")
    return all(os.path.exists(os.path.join(home, path)) for path in needed)


def _is_image(home):
    """True for an image that make_jdk_image.py assembled: it is never its own source."""
    return os.path.exists(os.path.join(home, ".pellucid-image"))


def find():
    """The home of a JDK 17, its links resolved, or None."""
    for home in _candidates():
        if home and _usable(home) and not _is_image(home):
            return os.path.realpath(home)
    return None


if __name__ == "__main__":
    found = find()
    if not found:
        sys.exit("no JDK 17 found: install openjdk-17-jdk-headless (./dev setup) or set JAVA_HOME")
    print(found)
