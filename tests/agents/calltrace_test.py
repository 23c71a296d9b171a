#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 180
"""Checks the calltrace agent on one JVM: exact counts, tables, the flame graph's data, options.

usage: calltrace_test.py JAVA_HOME AGENT.so WORKDIR
Exit code 0 and one line if all is right, else 1 and a line for each thing that is not.
"""
import contextlib
import html.parser
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / 'agents' / 'calltrace' / 'tests' / 'Calls.java'
TIMEOUT = 300

# The calls of Calls.java, by what its source says. javac's numbers of lambdas are left out.
EXPECTED = {
    'Calls.main([Ljava/lang/String;)V': 1,
    'Calls.fibonacci(I)I': 21891,
    'Calls.even(I)Z': 51,
    'Calls.odd(I)Z': 50,
    'Calls.caught(I)I': 1,
    'Calls.sink(I)V': 50 * 10,
    'Calls$Oops.<init>(I)V': 50,
    'Calls.apply(Ljava/util/function/IntUnaryOperator;I)I': 1,
    'Calls.lambda$main$(II)I': 1000,
    'Calls$$Lambda/hidden.<init>(I)V': 1,
    'Calls$$Lambda/hidden.applyAsInt(I)I': 1000,
    'Calls.down(I)I': 2001,
    'Calls.shapes(I)J': 1,
    'Calls$Circle.<init>(I)V': 100,
    'Calls$Circle.area()J': 100,
    'Calls$Square.<init>(I)V': 300,
    'Calls$Square.area()J': 300,
    'Calls$Shape.twice()J': 400,
    'Calls.threads(I)J': 1,
    'Calls$$Lambda/hidden.<init>(LCalls$Counter;)V': 300,
    'Calls.lambda$threads$(LCalls$Counter;)V': 300,
    'Calls.work(LCalls$Counter;I)V': 300,
    'Calls$Counter.<init>()V': 1,
    'Calls$Counter.add(J)V': 300 * 1000,
    'Calls$Counter.get()J': 1,
    'Calls.spin(J)V': 1,
    'Calls.pause()V': 1,
    'Calls.linger()V': 1,
    'Calls$$Lambda/hidden.<init>()V': 1,
    'Calls$$Lambda/hidden.run()V': 301,  # 300 workers, Calls::forever
    'Calls.forever()V': 1,
}

failures: list[str] = []


def check(good: bool, what: str) -> None:
    """Notes a failure."""
    if not good:
        failures.append(what)


class Vm:
    """Runs java of one JDK with the agent, in a work folder."""

    def __init__(self, home: str, agent: str, work: str) -> None:
        self.home, self.agent = Path(home).resolve(), Path(agent).resolve()
        self.work = Path(work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)

    def tool(self, name: str, *args: str) -> subprocess.CompletedProcess:
        """Runs a tool of the JDK in the work folder."""
        return subprocess.run([str(self.home / 'bin' / name), *args], cwd=self.work, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False, env={**os.environ, 'LC_ALL': 'C.UTF-8'})

    def traced(self, options: str, *args: str) -> subprocess.CompletedProcess:
        """java with the agent."""
        return self.tool('java', f'-agentpath:{self.agent}={options}', *args)


def read_counts(path: Path) -> dict[str, int]:
    """The agent's list, checked for its order."""
    rows = [line.split('\t') for line in path.read_text(encoding='utf-8').splitlines()]
    names = [row[1] for row in rows]
    check(names == sorted(names, key=lambda n: n.encode()), f'{path.name} is not sorted by name')
    check(len(set(names)) == len(names), f'{path.name} names a method twice')
    return {re.sub(r'(lambda\$\w+\$)\d+', r'\1', row[1]): int(row[0]) for row in rows}


def check_counts(counts: dict[str, int], run: str) -> None:
    """Every method of the program, exactly."""
    for name in sorted(EXPECTED.keys() | counts.keys()):
        check(EXPECTED.get(name) == counts.get(name),
              f'{run}: {name}: {counts.get(name)} calls, not {EXPECTED.get(name)}')


class Page(html.parser.HTMLParser):
    """Collects what the page would load and its data."""

    def __init__(self) -> None:
        super().__init__()
        self.external: list[str] = []
        self.data = ''
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.inside = tag == 'script' and values.get('id') == 'data'
        self.external += [f'{tag} {v}' for k, v in attrs if k in ('src', 'href') and v]

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.data += data


def walk(nodes: list[int]) -> tuple[int, int, int]:
    """Self time and calls over one thread's tree, and how many numbers it takes."""
    self_time = calls = at = 0
    left = 1
    while left > 0:
        self_time += nodes[at + 1]
        calls += nodes[at + 2]
        left += nodes[at + 3] - 1
        at += 4
    return self_time, calls, at


def check_page(path: Path, lost: int) -> dict:
    """The page is complete in itself, its data is JSON and adds up."""
    text = path.read_text(encoding='utf-8')
    page = Page()
    page.feed(text)
    check(not page.external, f'{path.name} loads {page.external}')
    check('@@' not in text, f'{path.name} has a marker left')
    check(not re.search(r'https?://', text), f'{path.name} names a network address')
    data = json.loads(page.data)
    self_time = calls = 0
    for thread in data['threads']:
        sums = walk(thread['nodes'])
        check(sums[2] == len(thread['nodes']), f'{path.name}: the tree of {thread["name"]} has another length')
        check(max(thread['nodes'][::4]) < len(data['methods']), f'{path.name}: a method without a name')
        self_time += sums[0]
        calls += sums[1]
    check(self_time == data['time'], f'{path.name}: self times add up to {self_time}, not {data["time"]}')
    check(calls + lost == data['calls'], f'{path.name}: {calls} calls in the trees, {lost} lost, {data["calls"]} in all')
    check(len(data['rows']) == 2 * len(data['methods']), f'{path.name}: rows do not fit methods')
    return data


def seconds_of(table: str, method: str) -> tuple[float, float]:
    """Self and total seconds that the tables give a method."""
    for line in table.splitlines():
        fields = line.split()
        if len(fields) >= 7 and ' '.join(fields[6:]) == method:
            return float(fields[2]), float(fields[4])
    failures.append(f'the tables do not name {method}')
    return 0, 0


def check_table(table: str) -> None:
    """Headings, order and the times that the program fixes."""
    for heading in ('Most calls\n', 'Most time in itself\n', 'Most time with all it calls\n',
                    'Most calls that ended by an exception\n'):
        check(heading in table, f'the tables lack "{heading.strip()}"')
    check('Calls$Counter.add(long)' in table.split('Most calls\n')[1].splitlines()[1], 'add() is not called most')
    check(re.search(r'^ +500 100\.0%  Calls\.sink\(int\)$', table, re.M) is not None, 'sink() did not end 500 times by an exception')
    spin = seconds_of(table, 'Calls.spin(long)')
    check(0.19 < spin[0] < 5 and 0.19 < spin[1] < 5, f'spin() took {spin} s, not about 0.2')
    fibonacci = seconds_of(table, 'Calls.fibonacci(int)')
    main = seconds_of(table, 'Calls.main(String[])')
    check(abs(fibonacci[0] - fibonacci[1]) < 0.002, f'recursion counted twice: fibonacci() {fibonacci}')
    check(main[1] >= spin[1] + fibonacci[1], f'main() {main} took less than its callees')


def test_program(vm: Vm) -> None:
    """The program with the counts known, all of its output beside the agent's."""
    run = vm.traced('include=Calls,top=40,output=table.txt,counts=counts.tsv,flame=flame.html,title=<a & "b">',
                    '-cp', 'classes', 'Calls')
    check(run.returncode == 0, f'exit code {run.returncode}: {run.stderr[-500:]}')
    check(run.stdout.splitlines()[:1] == ['fibonacci 6765'] and len(run.stdout.splitlines()) == 7,
          f'the program printed {run.stdout!r}')
    check(run.stderr == '', f'stderr: {run.stderr[-500:]!r}')
    counts = read_counts(vm.work / 'counts.tsv')
    check_counts(counts, 'include=Calls')
    check_table((vm.work / 'table.txt').read_text(encoding='utf-8'))
    data = check_page(vm.work / 'flame.html', EXPECTED['Calls.down(I)I'] - 1023)
    check(data['title'] == '<a & "b">', f'the title is {data["title"]!r}')
    check(data['calls'] == sum(EXPECTED.values()), f'{data["calls"]} calls in the page')
    check(any('truncated' in note for note in data['notes']), 'no note that down() was truncated')
    check(any(t['name'] == 'main' for t in data['threads']), 'no thread named main')


def test_small_tree(vm: Vm) -> None:
    """Everything followed with little room for contexts: the same counts, sums that add up."""
    run = vm.traced('nodes=300,depth=100000,output=/dev/null,counts=small.tsv,flame=small.html,progress=0.1',
                    '-cp', 'classes', 'Calls')
    check(run.returncode == 0, f'nodes=300: exit code {run.returncode}')
    check('calltrace: ' in run.stderr and ' M calls' in run.stderr, 'no progress lines')
    counts = read_counts(vm.work / 'small.tsv')
    check_counts({n: c for n, c in counts.items() if n.startswith('Calls')}, 'nodes=300')
    text = (vm.work / 'small.html').read_text(encoding='utf-8')
    lost = re.search(r'truncated: ([\d,]+) calls', text)
    data = check_page(vm.work / 'small.html', int(lost.group(1).replace(',', '')) if lost else 0)
    check(any('joined as (other)' in note and 'nodes=300' in note for note in data['notes']), 'no note of joined contexts')
    check(any('waiting' in note for note in data['notes']), 'no note that waiting was left out')


def test_exclude(vm: Vm) -> None:
    """exclude= wins over include=."""
    run = vm.traced('include=Calls,exclude=Calls$,output=/dev/null,counts=some.tsv', '-cp', 'classes', 'Calls')
    check(run.returncode == 0, f'exclude: exit code {run.returncode}')
    counts = read_counts(vm.work / 'some.tsv')
    check(counts == {n: c for n, c in EXPECTED.items() if not n.startswith('Calls$')}, 'exclude=Calls$ gives other counts')


def test_bad_options(vm: Vm) -> None:
    """One clear line and no start."""
    for options, line in (('nonsense=1', "calltrace: unknown option 'nonsense' ('help' lists them)"),
                          ('top=many', "calltrace: bad value 'many' of option top: rows in each table (15)"),
                          ('flame=/nowhere/at/all.html', 'calltrace: cannot write /nowhere/at/all.html: No such file or directory')):
        run = vm.traced(options, '-version')
        check(run.returncode != 0, f'{options}: the VM started')
        lines = [text for text in run.stderr.splitlines() if text.startswith('calltrace: ')]
        check(lines == [line], f'{options}: {lines}')


LIVE_SOURCE = """
public class Rounds {
    static int rounds;
    static void step() throws Exception {
        rounds++;
        Thread.sleep(1);
    }
    public static void main(String[] args) throws Exception {
        Thread reader = new Thread(() -> {
            try {
                System.in.read();
                rounds = -1_000_000_000;
            } catch (java.io.IOException e) {
                throw new RuntimeException(e);
            }
        });
        reader.setDaemon(true);
        reader.start();
        System.out.println("ready");
        while (rounds >= 0)
            step();
        System.out.println("end");
    }
}
"""
PATIENCE = 60


def await_(what: str, true: Callable[[], bool]) -> None:
    """Waits until something holds."""
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise ValueError(f'{what} does not come')
        time.sleep(0.05)


class Program:
    """A running Rounds that an agent is loaded into."""

    def __init__(self, vm: Vm, *options: str) -> None:
        self.vm, self.said = vm, vm.work / 'live.err'
        self.output, self.err = (vm.work / 'live.out').open('w'), self.said.open('w')
        self.process = subprocess.Popen([str(vm.home / 'bin' / 'java'), *options, '-cp', 'classes', 'Rounds'], cwd=vm.work,
                                        stdin=subprocess.PIPE, stdout=self.output, stderr=self.err, text=True)
        await_('the program', lambda: 'ready' in (vm.work / 'live.out').read_text())

    def load(self, options: str) -> str:
        """jcmd's answer."""
        return self.vm.tool('jcmd', str(self.process.pid), 'JVMTI.agent_load', str(self.vm.agent), f'"{options}"').stdout

    def messages(self) -> list[str]:
        """What the agent has said."""
        return [line for line in self.said.read_text().splitlines() if line.startswith('calltrace: ')]


@contextlib.contextmanager
def running(vm: Vm, *options: str) -> Iterator[Program]:
    """A program that is gone afterwards."""
    program = Program(vm, *options)
    try:
        yield program
    finally:
        program.process.kill()
        program.process.wait()


def steps_in(path: Path) -> int:
    """How often step() was called, by a list of counts."""
    found = re.search(r'^(\d+)\tRounds\.step\(\)V$', path.read_text(encoding='utf-8'), re.M) if path.exists() else None
    return int(found.group(1)) if found else 0


def refused_live(program: Program) -> bool:
    """Whether the VM has no such events for agents that come late, and the agent says so and what to do."""
    answer = program.load('output=live.txt')
    if not any('this VM has no events of method entry' in line for line in program.messages()):
        return False
    check('return code: -1' in answer, f'loading gave {answer}')
    check(program.messages() == ['calltrace: this VM has no events of method entry and exit for agents that are loaded into a running process: '
                                 'start the program with -agentpath:/path/libcalltrace.so=options'], f'said {program.messages()}')
    program.process.communicate('x', PATIENCE)
    check(program.process.returncode == 0, f'the program ended with {program.process.returncode}')
    return True


def test_live(vm: Vm) -> None:
    """Loaded into a running process: written now and then, on request, at the stop; begun anew."""
    counts = vm.work / 'live.tsv'
    with running(vm) as program:
        if refused_live(program):
            return
        check('return code: -1' in program.load('nonsense=1'), 'a wrong option is not refused')
        check('records already' in program.messages()[-1] or 'nonsense' in program.messages()[-1], f'said {program.messages()}')
        check('return code: 0' in program.load('stop'), 'stop is refused')
        check('Rounds.step' in (vm.work / 'live.txt').read_text(), 'the tables do not name step()')
        check('return code: -1' in program.load('stop'), 'a second stop is not refused')
        check(program.messages()[-1] == "calltrace: nothing is recorded in this process: 'stop' means nothing", f'said {program.messages()}')
        check('return code: -1' in program.load('flame=/nowhere/x'), 'a wrong file is not refused')
        check(program.messages()[-1] == 'calltrace: cannot write /nowhere/x: No such file or directory', f'said {program.messages()}')
        check('return code: 0' in program.load('every=0,include=Rounds,counts=live.tsv,flame=live.html,output=live.txt'), 'no second start')
        check('return code: 0' in program.load('dump'), 'dump is refused')
        first = steps_in(counts)
        check(first > 0, 'a dump has no calls')
        time.sleep(0.2)
        vm.tool('jcmd', str(program.process.pid), 'JVMTI.data_dump')
        await_('the data dump', lambda: steps_in(counts) > first)
        program.process.communicate('x', PATIENCE)
        check(program.process.returncode == 0, f'the program ended with {program.process.returncode}')
        check(steps_in(counts) > first, 'the end writes nothing')
        check_page(vm.work / 'live.html', 0)
        check(not list(vm.work.glob('*.tmp')), 'a temporary file is left')


def test_killed(vm: Vm) -> None:
    """What was written before kill -9 is whole, and follows the program; also where the VM lacks late starts."""
    counts = vm.work / 'killed.tsv'
    options = 'every=0.1,include=Rounds,counts=killed.tsv,output=killed.txt'
    with running(vm, f'-agentpath:{vm.agent}={options}') as program:
        await_('the first list', lambda: steps_in(counts) > 0)
        first = steps_in(counts)
        await_('the next list', lambda: steps_in(counts) > first)
        check('return code: 0' in program.load('dump'), 'dump is refused')
        program.process.kill()
    check(steps_in(counts) > first, 'the list is lost')
    check('Most calls' in (vm.work / 'killed.txt').read_text(), 'the tables are not whole')


def test_stopped(vm: Vm) -> None:
    """Started with the program, stopped and started again from outside."""
    with running(vm, f'-agentpath:{vm.agent}=include=Rounds,output=stopped.txt') as program:
        check('return code: 0' in program.load('stop'), 'stop is refused')
        check('Rounds.step' in (vm.work / 'stopped.txt').read_text(), 'the tables do not name step()')
        check('return code: 0' in program.load('output=again.txt,include=nosuch,every=0'), 'no second start')
        program.process.communicate('x', PATIENCE)
        check(program.process.returncode == 0, f'the program ended with {program.process.returncode}')
        check(': 0 calls' in (vm.work / 'again.txt').read_text(), 'the second recording has the first one\'s methods')


def main() -> int:
    """All checks."""
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    vm = Vm(*sys.argv[1:])
    (vm.work / 'Rounds.java').write_text(LIVE_SOURCE, encoding='utf-8')
    compiled = vm.tool('javac', '-d', 'classes', str(SOURCE), 'Rounds.java')
    if compiled.returncode != 0:
        print(f'calltrace: javac failed: {compiled.stderr[-1000:]}')
        return 1
    for test in (test_program, test_small_tree, test_exclude, test_bad_options, test_live, test_killed, test_stopped):
        try:
            test(vm)
        except (OSError, ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
            failures.append(f'{test.__name__}: {type(error).__name__}: {error}')
    for failure in failures:
        print(f'calltrace: {failure}')
    if not failures:
        print(f'calltrace: right, {sum(EXPECTED.values()):,} calls of {len(EXPECTED)} methods')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
