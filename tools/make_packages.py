#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages pellucid-17 and pellucid-lens of a release build; prints their paths.

    make_packages.py --build build/release --out build/packages

What they hold is the table FILES; control files and maintainer scripts lie in packaging/<package>/. The JDK image itself is made
where the package is installed (packaging/pellucid-17/postinst, by tools/make_jdk_image.py).
"""
import argparse
import email.utils
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
OWN = "usr/lib/pellucid-17"
LENS = "usr/lib/pellucid-lens"

# package -> (source below the tree or the build, place in the package, mode); BUILD stands for the build's folder
FILES = {
    "pellucid-17": [
        ("BUILD/libjvm.so", f"{OWN}/lib/libjvm.so", 0o644),
        ("BUILD/agents/libhprof.so", f"{OWN}/lib/libhprof.so", 0o644),
        ("BUILD/agents/libcalltrace.so", f"{OWN}/lib/libcalltrace.so", 0o644),
        ("BUILD/agents/libattachjdwp.so", f"{OWN}/lib/libattachjdwp.so", 0o644),
        ("tools/make_jdk_image.py", f"{OWN}/make_jdk_image.py", 0o755),
        ("tools/jdk.py", f"{OWN}/jdk.py", 0o644),
        ("include/pellucid_jvmti.h", "usr/include/pellucid_jvmti.h", 0o644),
        ("include/jvmpi.h", "usr/include/jvmpi.h", 0o644),
        ("README.md", "usr/share/doc/pellucid-17/README.md", 0o644),
        ("docs/STATUS.md", "usr/share/doc/pellucid-17/STATUS.md", 0o644),
    ],
    "pellucid-lens": [
        ("BUILD/bin/lens", f"{LENS}/bin/lens", 0o755),
        ("BUILD/agents/liblens.so", f"{LENS}/lib/liblens.so", 0o644),
        ("lens/lens.1", "usr/share/man/man1/lens.1.gz", 0o644),
        ("lens/lens.bash", "usr/share/bash-completion/completions/lens", 0o644),
        ("docs/LENS.md", "usr/share/doc/pellucid-lens/LENS.md", 0o644),
    ],
}
LINKS = {"pellucid-lens": [("usr/bin/lens", f"../{LENS.removeprefix('usr/')}/bin/lens")]}
SCRIPTS = ("postinst", "prerm")


def version():
    text = (ROOT / "src/options/options.c").read_text(encoding="utf-8")
    return re.search(r'#\s*define PELLUCID_VERSION "([^"]+)"', text).group(1)


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def zipped(data):
    return gzip.compress(data, 9, mtime=0)


def place(source, target, mode):
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".gz":
        target.write_bytes(zipped(source.read_bytes()))
    else:
        shutil.copyfile(source, target)
    if is_elf(target):
        run("strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", str(target))
    target.chmod(mode)


def shared_library_packages(tree):
    """What the package's binaries need, as dpkg-shlibdeps finds it."""
    elves = [str(path) for path in tree.rglob("*") if path.is_file() and not path.is_symlink() and is_elf(path)]
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "debian").mkdir()
        (Path(work) / "debian/control").write_text("Source: pellucid\n\nPackage: pellucid\nArchitecture: any\n", encoding="utf-8")
        # libjvm.so, of the agents and the JDK, is no library of a package
        out = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", *elves, cwd=work, stderr=subprocess.DEVNULL)
    return out.strip().removeprefix("shlibs:Depends=")


def write_documents(tree, package, release):
    folder = tree / "usr/share/doc" / package
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(PACKAGING / "copyright", folder / "copyright")
    place(PACKAGING / package / "lintian-overrides", tree / "usr/share/lintian/overrides" / package, 0o644)
    when = email.utils.formatdate(int(run("git", "log", "-1", "--format=%ct", cwd=ROOT)), localtime=False).replace("-0000", "+0000")
    entry = f"pellucid ({release}) stable; urgency=medium\n\n  * Built of the project's tree.\n\n"
    entry += f" -- The Pellucid authors <pellucid@localhost.localdomain>  {when}\n"
    (folder / "changelog.gz").write_bytes(zipped(entry.encode()))


def write_control(tree, package, release):
    control = tree / "DEBIAN"
    control.mkdir()
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink() and control not in path.parents)
    kib = sum((path.stat().st_size + 1023) // 1024 for path in files)
    text = (PACKAGING / package / "control").read_text(encoding="utf-8")
    text = text.replace("@VERSION@", release).replace("@SHLIBS@", shared_library_packages(tree))
    (control / "control").write_text(text.replace("Depends:", f"Installed-Size: {kib}\nDepends:", 1), encoding="utf-8")
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files]
    (control / "md5sums").write_text("".join(sums), encoding="utf-8")
    for name in (*SCRIPTS, "triggers"):
        source = PACKAGING / package / name
        if source.exists():
            shutil.copyfile(source, control / name)
            (control / name).chmod(0o755 if name in SCRIPTS else 0o644)


def make(package, build, release, out):
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work) / package
        tree.mkdir()
        for source, target, mode in FILES[package]:
            path = build / source.removeprefix("BUILD/") if source.startswith("BUILD/") else ROOT / source
            place(path, tree / target, mode)
        for link, target in LINKS.get(package, ()):
            (tree / link).parent.mkdir(parents=True, exist_ok=True)
            (tree / link).symlink_to(target)
        write_documents(tree, package, release)
        write_control(tree, package, release)
        for folder in (path for path in [tree, *tree.rglob("*")] if path.is_dir() and not path.is_symlink()):
            folder.chmod(0o755)
        deb = out / f"{package}_{release}_amd64.deb"
        run("dpkg-deb", "--root-owner-group", "--build", "-Zxz", str(tree), str(deb))
    return deb


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="the folder of a release build")
    parser.add_argument("--out", type=Path, required=True, help="where the packages are left")
    args = parser.parse_args()
    os.umask(0o022)
    args.out.mkdir(parents=True, exist_ok=True)
    for package in FILES:
        print(make(package, args.build.resolve(), version(), args.out.resolve()))


if __name__ == "__main__":
    sys.exit(main())
