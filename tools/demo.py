#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo: javac compiles generated sources while the calltrace agent follows every call, and once more while Lens records.

usage: demo.py --java-home JDK --agent libcalltrace.so --out FOLDER [--lens LENS --lens-agent liblens.so]
               [--files N] [--top N] [--peer JDK [--compare]]

Leaves FOLDER/flame.html (the flame graph), FOLDER/table.txt (what is printed too) and
FOLDER/counts.tsv (the calls of every method); with --lens FOLDER/javac.lens (the recording) and
FOLDER/lens.html (its page in one file). With --compare the same agent also runs on the
peer's VM: a program with known call counts must give the same list on both, which decides the
exit code; for javac, which looks at clocks and hash codes, the share of equal counts is shown.
"""
import argparse
import subprocess
import sys
import time
from pathlib import Path

from demo_sources import write_sources

ROOT = Path(__file__).resolve().parent.parent
CALLS = ROOT / 'agents' / 'calltrace' / 'tests' / 'Calls.java'


def say(text: str) -> None:
    """A line of progress."""
    print(f'demo: {text}', file=sys.stderr, flush=True)


def run(command: list[str], log: Path) -> float:
    """Runs a command, its stdout into `log`; returns its seconds. Raises SystemExit if it fails."""
    began = time.monotonic()
    with log.open('w', encoding='utf-8') as out:
        code = subprocess.run(command, stdout=out, check=False).returncode
    if code != 0:
        sys.stderr.write(log.read_text(encoding='utf-8', errors='replace')[-4000:])
        raise SystemExit(f'demo: exit code {code} of: {" ".join(command)}')
    return time.monotonic() - began


def agent_option(agent: Path, **options: object) -> str:
    """-agentpath with options; commas in values are escaped."""
    values = ','.join(f'{key}={str(value).replace(",", chr(92) + ",")}' for key, value in options.items())
    return f'-agentpath:{agent}={values}'


def compile_with_agent(home: Path, args: argparse.Namespace, out: Path, files: list[Path]) -> None:
    """javac over all files, into out/classes, with the agent's three outputs in `out`."""
    out.mkdir(parents=True, exist_ok=True)
    listing = out / 'files.txt'
    listing.write_text('\n'.join(str(f) for f in files) + '\n', encoding='utf-8')
    option = agent_option(args.agent, title=f'javac, {len(files)} files', top=args.top, progress=args.progress,
                          output=out / 'table.txt', flame=out / 'flame.html', counts=out / 'counts.tsv')
    seconds = run([str(home / 'bin' / 'javac'), '-J' + option, '-proc:none', '-d', str(out / 'classes'),
                   f'@{listing}'], out / 'javac.log')
    classes = sum(1 for _ in (out / 'classes').rglob('*.class'))
    say(f'{classes} classes in {seconds:.1f} s')


def record_with_lens(args: argparse.Namespace, files: list[Path]) -> None:
    """javac once more, recorded from its start; prints the hot methods and leaves the recording and its page."""
    recording, page, listing = args.out / 'javac.lens', args.out / 'lens.html', args.out / 'files.txt'
    recording.unlink(missing_ok=True)
    say('javac again, recorded by Lens')
    option = f'-agentpath:{args.lens_agent}=record={recording},cpu,hz=1000,alloc,locks,threads,gc,metrics'
    seconds = run([str(args.java_home / 'bin' / 'javac'), '-J' + option, '-proc:none', '-d', str(args.out / 'recorded'),
                   f'@{listing}'], args.out / 'lens.log')
    say(f'recorded in {seconds:.1f} s')
    print()
    for command in (['cpu', '--limit', str(args.top)], ['alloc', '--limit', '5'], ['cpu', '--html', str(page)]):
        subprocess.run([str(args.lens), 'open', str(recording), *command], check=True, stderr=subprocess.DEVNULL)
    print(f'The recording: {args.lens} open {recording}\nIts page in one file: {page}')


def read_counts(path: Path) -> dict[str, int]:
    """Method -> calls, of a file that the agent's option counts= made."""
    rows = (line.split('\t', 1) for line in path.read_text(encoding='utf-8').splitlines())
    return {name: int(calls) for calls, name in rows}


def differences(ours: dict[str, int], theirs: dict[str, int]) -> list[str]:
    """A line for each method whose count is not the same."""
    return [f'  {name}: {ours.get(name, 0)} here, {theirs.get(name, 0)} on the peer'
            for name in sorted(ours.keys() | theirs.keys()) if ours.get(name) != theirs.get(name)]


def count_calls(home: Path, args: argparse.Namespace, name: str) -> dict[str, int]:
    """The counts of the test program's own methods on the VM of `home`."""
    counts = args.out / f'calls-{name}.tsv'
    option = agent_option(args.agent, include='Calls', counts=counts, output='/dev/null')
    run([str(home / 'bin' / 'java'), option, '-cp', str(args.out / 'calls'), 'Calls'], args.out / f'calls-{name}.log')
    return read_counts(counts)


def compare_program(args: argparse.Namespace) -> bool:
    """Whether the program with known counts gives the same list on both VMs."""
    run([str(args.peer / 'bin' / 'javac'), '-d', str(args.out / 'calls'), str(CALLS)], args.out / 'calls.log')
    ours, theirs = (count_calls(home, args, name) for home, name in ((args.java_home, 'here'), (args.peer, 'peer')))
    wrong = differences(ours, theirs)
    if wrong:
        print(f'{len(wrong)} methods of Calls.java have other call counts than on the peer:', *wrong, sep='\n')
        return False
    print(f'Calls.java: the same counts on the peer, {sum(ours.values()):,} calls of {len(ours)} methods.')
    return True


def compare_javac(args: argparse.Namespace, files: list[Path]) -> None:
    """Shows how many of javac's own methods have the same count on the peer."""
    say(f'javac on the peer, {args.peer}')
    compile_with_agent(args.peer, args, args.out / 'peer', files)
    own = [{name: calls for name, calls in read_counts(path / 'counts.tsv').items()
            if name.startswith('com.sun.tools.javac.')} for path in (args.out, args.out / 'peer')]
    wrong = differences(*own)
    names = len(own[0].keys() | own[1].keys())
    print(f"javac: {names - len(wrong):,} of {names:,} methods of com.sun.tools.javac have the same count on the peer "
          f'({sum(own[0].values()):,} calls here, {sum(own[1].values()):,} there).')
    (args.out / 'differences.txt').write_text('\n'.join(wrong) + '\n', encoding='utf-8')


def same_output(args: argparse.Namespace) -> None:
    """Runs what was compiled, to see that it is whole."""
    run([str(args.java_home / 'bin' / 'java'), '-cp', str(args.out / 'classes'), 'demo.Main'], args.out / 'main.log')
    say('the compiled program prints ' + (args.out / 'main.log').read_text(encoding='utf-8').strip())


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--java-home', type=Path, required=True, help='the JDK whose javac runs')
    parser.add_argument('--agent', type=Path, required=True, help='libcalltrace.so')
    parser.add_argument('--lens', type=Path, help='the program lens')
    parser.add_argument('--lens-agent', type=Path, help='liblens.so')
    parser.add_argument('--out', type=Path, required=True, help='folder of everything that is made')
    parser.add_argument('--files', type=int, default=200, help='how many sources, about (200)')
    parser.add_argument('--top', type=int, default=15, help='rows in each table (15)')
    parser.add_argument('--progress', type=float, default=2, help='seconds between lines on stderr (2)')
    parser.add_argument('--peer', type=Path, help='another JDK to compare with')
    parser.add_argument('--compare', action='store_true', help='compare call counts with the peer')
    args = parser.parse_args()
    if args.compare and not args.peer:
        parser.error('--compare needs --peer')
    if bool(args.lens) != bool(args.lens_agent):
        parser.error('--lens and --lens-agent belong together')
    args.agent = args.agent.resolve()
    args.lens_agent = args.lens_agent and args.lens_agent.resolve()
    args.out = args.out.resolve()
    return args


def main() -> int:
    """The demo, whole."""
    args = parse_arguments()
    files = write_sources(args.out / 'src', args.files)
    say(f'javac compiles {len(files)} generated sources with every call followed, {args.java_home}')
    compile_with_agent(args.java_home, args, args.out, files)
    same_output(args)
    print((args.out / 'table.txt').read_text(encoding='utf-8'), end='')
    print(f'The flame graph: {args.out / "flame.html"} (open it in any browser)')
    if args.lens:
        record_with_lens(args, files)
    if not args.compare:
        return 0
    compare_javac(args, files)
    return 0 if compare_program(args) else 1


if __name__ == '__main__':
    sys.exit(main())
