# SPDX-License-Identifier: Apache-2.0
"""Loops of a minute on real libraries, whose last half counts: H2, Lucene, TLS, and Tomcat under load; CPU and wall time of an operation on both
VMs, the medians of --rounds. The load comes from HotSpot's java, whichever VM serves."""
import glob
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import ROOT, Machine, environment, number, ratio, save

SECONDS, WARM = 60, 30
CONNECTIONS = 8
TOMCAT = ["tomcat10-embed-core.jar", "tomcat10-servlet-api.jar", "tomcat10-annotations-api.jar"]
# name, title, class, its arguments behind the seconds, jars of /usr/share/java, Debian package
LOOPS = [("sql", "H2 in memory, a transaction and queries", "Sql", [], ["h2.jar"], "libh2-java"),
         ("index", "Lucene in memory, 40 documents and 8 queries", "Index", [],
          ["lucene-core-*.jar", "lucene-analyzers-common-*.jar", "lucene-queryparser-*.jar", "lucene-queries-*.jar", "lucene-sandbox-*.jar"], "liblucene8-java"),
         ("handshake", "TLS 1.3, a handshake with RSA 2048", "Tls", ["handshake"], [], None),
         ("bulk", "TLS 1.3, a MiB by AES-256-GCM there and back", "Tls", ["bulk"], [], None)]
SERVER = ("serve", "Tomcat, a request", "Serve", [], TOMCAT, "libtomcat10-embed-java")


def class_path(classes, jars):
    """None when one is not installed."""
    found = [sorted(glob.glob(f"/usr/share/java/{jar}"))[-1:] for jar in jars]
    return ":".join([str(classes), *(path for paths in found for path in paths)]) if all(found) else None


def compiled(row, peer, folder):
    """The class path of a row's program, which is compiled; None when its libraries are not there."""
    name, _, program, _, jars, package = row
    path = class_path(folder, jars)
    if path is None:
        print(f"{name}: skipped, the package {package} is not installed", file=sys.stderr)
        return None
    loops = ROOT / "bench/loops"
    subprocess.run([f"{peer}/bin/javac", "-nowarn", "-cp", path, "-d", folder, *(str(loops / f"{c}.java") for c in (program, "Meter", "Load"))], check=True)
    return path


def results(text):
    """The numbers of the line `result ...`."""
    return [int(word) for line in text.splitlines() if line.startswith("result ") for word in line.split()[1:]]


def loop(machine, path, row, seconds, store):
    """CPU and wall milliseconds of an operation, or None."""
    done = machine.measure(path, row[2], str(seconds), *row[3], *([store] if row[2] == "Tls" else []))
    if not done:
        return None
    operations, cpu, wall = results(done[0])
    return cpu / operations / 1e6, wall / operations / 1e6


def serve(machine, peer, path, seconds, folder):
    """Wall milliseconds for a request, and how long 99 of 100 took at most; or None."""
    argv = [str(machine.home / "bin/java"), *machine.options, "-cp", path, "Serve", str(folder)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(), text=True) as server:
        port = next((line.split()[1] for line in server.stdout if line.startswith("port ")), None)
        if port is None:
            print(f"{machine.title}: Tomcat does not start", file=sys.stderr)
            return None
        load = Machine("load", peer).measure(path, "Load", port, str(CONNECTIONS), str(WARM), str(seconds))
        server.stdin.close()
    if not load:
        return None
    requests, nanos, late = results(load[0])
    return nanos / requests / 1e6, late / 1e6


def medians(measured):
    good = [values for values in measured if values]
    return [statistics.median(column) for column in zip(*good)] if good else [None, None]


def table(found, heads):
    lines = [f"| {heads[0]} | Pellucid {heads[1]} | HotSpot {heads[1]} | ratio | Pellucid {heads[2]} | HotSpot {heads[2]} | ratio |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for title, ours, peer in found:
        cells = [f"{number(a, '.3f')} | {number(b, '.3f')} | {ratio(a, b)}" for a, b in zip(ours, peer)]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(args, peer):
    rounds, seconds = args.rounds or 1, args.seconds or SECONDS
    machines = [Machine("Pellucid", args.ours), Machine("HotSpot", peer)]
    wanted = [row for row in [*LOOPS, SERVER] if not args.only or row[0] in args.only]
    loops, served = [], []
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        store = str(Path(folder) / "keys.p12")
        subprocess.run([f"{peer}/bin/keytool", "-genkeypair", "-alias", "own", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=localhost", "-validity", "3650",
                        "-storetype", "PKCS12", "-keystore", store, "-storepass", "changeit"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for row in wanted:
            path = compiled(row, peer, folder)
            if path is None:
                continue
            measured = {machine.title: [] for machine in machines}
            for _ in range(rounds):
                for machine in machines:
                    measured[machine.title].append(serve(machine, peer, path, seconds, folder) if row is SERVER else loop(machine, path, row, seconds, store))
            (served if row is SERVER else loops).append((row[1], medians(measured["Pellucid"]), medians(measured["HotSpot"])))
    tables = [(loops, ("an operation, warm", "CPU ms", "wall ms")), (served, ("under load", "wall ms", "99th percentile ms"))]
    text = "\n\n".join(table(found, heads) for found, heads in tables if found)
    print(text)
    if args.save:
        save("Loops", f"`./dev bench --loops --save`, {rounds} round(s) of {seconds} s, of which the last half counts; the server is asked for {WARM} s before.", text)
    return 0
