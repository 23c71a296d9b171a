#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks Debian's arm64 packages that the aarch64 build needs into a folder, for the compiler and for qemu-user.

    arm64_packages.py --out build/packages/arm64

The packages are the rows of packages.txt marked `arm64`. apt gets a state of its own, so that this machine's list of
architectures stays as it is. Exit code 2: they cannot be had here. Does nothing where the folder is complete.
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def wanted():
    rows = (line.split() for line in (ROOT / "packages.txt").read_text(encoding="utf-8").splitlines())
    return [row[0] for row in rows if len(row) == 2 and row[1] == "arm64"]


def apt_environment(folder):
    for part in ("state/lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    settings = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "Dir::State": folder / "state",
                "Dir::State::status": folder / "status", "Dir::Cache": folder / "cache", "Debug::NoLocking": "true",
                "APT::Sandbox::User": "root"}
    config = folder / "apt.conf"
    config.write_text("".join(f'{name} "{value}";\n' for name, value in settings.items()), encoding="utf-8")
    return dict(os.environ, APT_CONFIG=str(config))


def fetch(folder, packages):
    env = apt_environment(folder)
    for command in (["apt-get", "update", "-q"], ["apt-get", "download", "-q", *packages]):
        done = subprocess.run(command, cwd=folder, env=env, stdout=sys.stderr, check=False)
        if done.returncode != 0:
            sys.exit(2)


def keep_links_inside(out):
    """Makes relative what the packages link by absolute path: else a linker's libm.so, say, is looked up on this machine."""
    for link in out.rglob("*"):
        target = Path(os.readlink(link)) if link.is_symlink() else None
        if target and target.is_absolute():
            link.unlink()
            link.symlink_to(os.path.relpath(out / target.relative_to("/"), link.parent))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=Path, help="the folder to unpack into")
    out = parser.parse_args().out.resolve()
    packages = wanted()
    listed = out / ".packages"
    if listed.exists() and listed.read_text().split() == packages:
        return
    work = out.with_name(out.name + ".apt")
    for folder in (out, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    fetch(work, packages)
    for package in sorted(work.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, out], check=True)
    shutil.rmtree(work)
    keep_links_inside(out)
    listed.write_text("\n".join(packages) + "\n")


main()
