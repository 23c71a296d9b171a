#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: lintian finds no error; in a fresh Debian 12 root they install beside the JDK, its java runs on this VM, agents are
# found by name, lens runs; an update of the JDK's package makes the image anew; removed, nothing is left.
# @only pellucid
# @timeout 600
# @not asan its library would be in each program of the package tools, where it hangs
"""package_test.py JAVA_HOME WORKDIR"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HELLO = 'public class Hello { public static void main(String[] a) { System.out.println(System.getProperty("java.vm.name") + " says hello"); } }\n'
# What is compared before and after: files that no package of ours should leave or change. Logs and caches of dpkg change by themselves.
CHANGING = ("./var/lib/dpkg/", "./var/log/", "./var/cache/", "./etc/ld.so.cache", "./var/lib/apt/", "./tmp/", "./dev/", "./proc/", "./sys/",
            "./root/.")


class Wrong(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def run(*words, check=True, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    expect(done.returncode == 0 or not check, f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def make_packages(work):
    packages = run(sys.executable, ROOT / "tools/make_packages.py", "--build", ROOT / "build/release", "--out", work / "deb")
    return [Path(line) for line in packages.splitlines()]


def check_lintian(packages):
    if not shutil.which("lintian"):
        print("skipped: lintian is not installed (./dev package installs it)")
        return
    found = run("lintian", "--allow-root", "--tag-display-limit", "0", *packages, check=False)
    errors = [line for line in found.splitlines() if line.startswith("E:")]
    expect(not errors, "lintian:\n" + "\n".join(errors))


class FreshRoot:
    """A Debian 12 without anything of ours."""

    def __init__(self, folder):
        self.folder = folder
        run("mmdebstrap", "--variant=apt", "--include=openjdk-17-jdk-headless", "--setup-hook=mkdir -p $1/usr/share/man/man1", "bookworm",
            folder)
        for kind in ("proc", "sys"):
            run("mount", "--bind", f"/{kind}", folder / kind)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for kind in ("proc", "sys"):
            run("umount", "--lazy", self.folder / kind)

    def run(self, *words, check=True):
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root"}
        return run("chroot", self.folder, *words, check=check, env=env)

    def files(self):
        listed = run("find", ".", "-xdev", "(", "-type", "l", "-printf", "%p -> %l\n", ")", "-o", "(", "-not", "-type", "d", "-printf",
                     "%p %s\n", ")", "-o", "-printf", "%p/\n", cwd=self.folder)
        return {line for line in listed.splitlines() if not line.startswith(CHANGING)}


def check_root(root, packages):
    before = root.files()
    for package in packages:
        shutil.copy(package, root.folder / "tmp")
    root.run("apt-get", "update", "-q")
    root.run("apt-get", "install", "-q", "-y", *(f"/tmp/{package.name}" for package in packages))
    (root.folder / "tmp/Hello.java").write_text(HELLO)
    java = "/usr/lib/jvm/pellucid-17/bin/java"
    expect("Pellucid" in root.run(java, "/tmp/Hello.java"), "the image's java is not this VM's")
    expect("OpenJDK" in root.run("java", "/tmp/Hello.java"), "the system's java is no longer the JDK's")
    expect(java in root.run("update-alternatives", "--list", "java"), "update-alternatives does not list it")
    root.run("update-alternatives", "--set", "java", java)
    expect("Pellucid" in root.run("java", "/tmp/Hello.java"), "update-alternatives does not choose it")
    table = root.run(java, "-agentlib:calltrace=include=Hello", "/tmp/Hello.java")
    expect("Hello.main" in table, "-agentlib:calltrace shows no table:\n" + table)
    expect("lens PID" in root.run("lens", "--help"), "lens --help says nothing")
    check_update(root)
    root.run("apt-get", "remove", "-q", "-y", "--purge", "pellucid-17", "pellucid-lens")
    root.run("apt-get", "autoremove", "-q", "-y", "--purge")
    left = root.files() - before
    gone = before - root.files()
    expect(not left and not gone, "removed, there are left: " + " ".join(sorted(left)[:20]) + "; gone: " + " ".join(sorted(gone)[:20]))


def check_update(root):
    """A new file in the JDK's folder, as an update of its package brings it, and the trigger that dpkg runs then."""
    fresh = root.folder / "usr/lib/jvm/java-17-openjdk-amd64/lib/brought_by_update"
    fresh.write_text("new\n")
    root.run("dpkg-trigger", "--no-await", "--by-package=openjdk-17-jre-headless", "/usr/lib/jvm/java-17-openjdk-amd64")
    root.run("dpkg", "--triggers-only", "--pending")
    link = root.folder / "usr/lib/jvm/pellucid-17/lib/brought_by_update"
    expect(link.is_symlink(), "an update of the JDK's package does not reach the image")
    fresh.unlink()
    root.run("dpkg-trigger", "--no-await", "--by-package=openjdk-17-jre-headless", "/usr/lib/jvm/java-17-openjdk-amd64")
    root.run("dpkg", "--triggers-only", "--pending")
    expect(not link.is_symlink(), "what an update took away stays in the image")


def main():
    work = Path(sys.argv[2])
    if not shutil.which("dpkg-shlibdeps"):
        print("skipped: no packages are made: dpkg-dev is not installed (./dev package installs it)")
        return 0
    packages = make_packages(work)
    check_lintian(packages)
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        print("skipped: no fresh root: that takes root and mmdebstrap (./dev package installs it)")
        return 0
    with FreshRoot(work / "root") as root:
        check_root(root, packages)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as wrong:
        sys.exit(str(wrong))
