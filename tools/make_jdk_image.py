#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Assembles a JDK image that runs on our libjvm.so: the system's JDK 17 by links.

    make_jdk_image.py --vm build/release/libjvm.so --out build/jdk

Folders are real, files are links, with these exceptions. The launcher finds its home through the real path of
bin/<tool> and of lib/libjli.so, so those are copies; lib/server/libjvm.so is a hard link to (or a copy of) the VM; of
what else lies there only libjsig.so is taken.
So are agents of ours that the VM is to find by name (--library), in lib, and programs of ours (--program), in bin. What nothing finds its home through (jmods, man ...) is linked as a whole folder. Running it again does only what
changed, and takes away what the system's JDK no longer has.
"""
import argparse
import os
import shutil
import sys

import jdk

MARK = ".pellucid-image"
WHOLE_FOLDERS = {"jmods", "legal", "man", "include"}
LEFT_OUT = {"docs", "lib/server", "lib/client", "lib/minimal", "lib/zero"}
LINKED_BESIDE_VM = ("lib/server/libjsig.so",)
COPIED_FOLDERS = {"bin"}
COPIED_FILES = {"lib/libjli.so"}


def plan(home):
    """Yields (kind, path inside the image, source) for all of the image but the VM; kind: dir, link or copy."""
    stack = [""]
    while stack:
        folder = stack.pop()
        for entry in sorted(os.scandir(os.path.join(home, folder)), key=lambda e: e.name):
            path = os.path.join(folder, entry.name)
            if path in LEFT_OUT or not os.path.exists(entry.path):
                continue
            if entry.is_dir() and path not in WHOLE_FOLDERS:
                yield "dir", path, entry.path
                stack.append(path)
            elif folder in COPIED_FOLDERS or path in COPIED_FILES:
                yield "copy", path, entry.path
            else:
                yield "link", path, entry.path
    yield "dir", "lib/server", None
    for path in LINKED_BESIDE_VM:
        if os.path.exists(os.path.join(home, path)):
            yield "link", path, os.path.join(home, path)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def make_dir(path):
    if os.path.islink(path) or not os.path.isdir(path):
        remove(path)
        os.makedirs(path)


def make_link(path, source):
    if not (os.path.islink(path) and os.readlink(path) == source):
        remove(path)
        os.symlink(source, path)


def make_copy(path, source):
    if os.path.isfile(path) and not os.path.islink(path):
        have, want = os.stat(path), os.stat(source)
        if (have.st_size, have.st_mtime_ns) == (want.st_size, want.st_mtime_ns):
            return
    remove(path)
    shutil.copy2(source, path)


def place_own(path, vm):
    """A real file, so that its own path lies inside the image. Replaced in one step: it may be running."""
    if os.path.lexists(path) and not os.path.islink(path) and os.path.samefile(path, vm):
        return
    fresh = path + ".new"
    remove(fresh)
    try:
        os.link(vm, fresh)
    except OSError:
        shutil.copy2(vm, fresh)
    os.replace(fresh, path)


def remove_strangers(out, known):
    for folder, names, files in os.walk(out):
        inside = os.path.relpath(folder, out)
        for name in names + files:
            path = os.path.normpath(os.path.join(inside, name))
            if path not in known:
                remove(os.path.join(out, path))


def assemble(home, vm, libraries, programs, out):
    make_dir(out)
    with open(os.path.join(out, MARK), "w", encoding="utf-8") as mark:
        mark.write(home + "\n")
    own = {"lib/server/libjvm.so": vm, **{f"lib/{os.path.basename(path)}": path for path in libraries},
           **{f"bin/{os.path.basename(path)}": path for path in programs}}
    known = {MARK, *own}
    make = {"link": make_link, "copy": make_copy}
    for kind, path, source in plan(home):
        known.add(path)
        target = os.path.join(out, path)
        if kind == "dir":
            make_dir(target)
        else:
            make[kind](target, source)
    for path, source in own.items():
        place_own(os.path.join(out, path), source)
    remove_strangers(out, known)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vm", required=True, help="the libjvm.so to put into lib/server")
    parser.add_argument("--library", action="append", default=[], help="a library of ours to put into lib")
    parser.add_argument("--program", action="append", default=[], help="a program of ours to put into bin")
    parser.add_argument("--out", required=True, help="the folder to assemble")
    parser.add_argument("--jdk", help="home of the JDK 17 to link to (default: tools/jdk.py finds it)")
    args = parser.parse_args()
    home = args.jdk or jdk.find()
    if not home:
        sys.exit("no JDK 17 found: ./dev setup installs one")
    assemble(os.path.realpath(home), args.vm, args.library, args.program, args.out)


if __name__ == "__main__":
    main()
