#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 180
"""Checks that the debugger back end can be loaded into a process started as plain `java Main`: a jdb session with breakpoints, locals,
steps and a watch; wrong options and a second load are refused and leave the process alone. Where the VM (HotSpot) gives a running process
no such capabilities, that is what the agent has to say.

usage: attachjdwp_test.py JAVA_HOME AGENT.so WORKDIR
"""
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 40
FREE_PORT = Path(__file__).resolve().parents[1] / 'programs/parts/free_port.py'
SOURCE = """
public class Rounds {
    int count;
    static int step(Rounds r, int by) {
        int before = r.count;
        r.count += by;
        return before;
    }
    public static void main(String[] args) throws Exception {
        Rounds rounds = new Rounds();
        System.out.println("ready");
        for (int i = 0; ; i++) {
            String text = "round";
            step(rounds, 2);
            Thread.sleep(20);
            if (rounds.count < 0) {
                System.out.println("negative");
                return;
            }
        }
    }
}
"""
failures: list[str] = []


def check(good: bool, what: str) -> None:
    """Notes a failure."""
    if not good:
        failures.append(what)


class Session:
    """A jdb whose answers are awaited one by one."""

    def __init__(self, home: Path, port: int, work: Path) -> None:
        self.file = work / 'jdb.out'
        self.out = self.file.open('w')
        self.jdb = subprocess.Popen([home / 'bin' / 'jdb', f'-J-Duser.home={work}', '-attach', f'localhost:{port}'], cwd=work,
                                    stdin=subprocess.PIPE, stdout=self.out, stderr=subprocess.STDOUT, text=True)

    def text(self) -> str:
        """All that it has said."""
        return self.file.read_text(encoding='utf-8')

    def await_(self, pattern: str, start: int) -> None:
        """Waits for a text behind `start`."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text()[start:]):
            if time.monotonic() > end or self.jdb.poll() is not None:
                check(False, f'jdb does not say {pattern!r} but:\n{self.text()[start:]}')
                return
            time.sleep(0.05)

    def say(self, command: str, *patterns: str) -> None:
        """A command and what its answer must have."""
        start = len(self.text())
        self.jdb.stdin.write(command + '\n')
        self.jdb.stdin.flush()
        for pattern in patterns:
            self.await_(pattern, start)


def debug(home: Path, port: int, work: Path) -> None:
    """The session."""
    s = Session(home, port, work)
    s.await_('Initializing jdb', 0)
    s.say('stop in Rounds.step', 'Set breakpoint Rounds.step')
    s.await_(r'Breakpoint hit: "thread=main", Rounds.step\(\), line=5 bci=0\n.*\n\nmain\[1\] ', 0)
    s.say('where', r'\[1\] Rounds.step \(Rounds.java:5\)\n  \[2\] Rounds.main \(Rounds.java:14\)')
    s.say('locals', r'by = 2')
    s.say('step', r'Step completed: "thread=main", Rounds.step\(\), line=6 bci=5')
    s.say('locals', r'before = \d+')
    s.say('set by = 100', 'by = 100 = 100')
    s.say('step', r'Step completed: "thread=main", Rounds.step\(\), line=7')
    s.say('print r.count - before', 'r.count - before = 100')
    s.say('step up', r'Step completed: "thread=main", Rounds.main\(\), line=14')
    s.say('locals', 'text = "round"')
    s.say('clear Rounds.step', 'Removed: breakpoint Rounds.step')
    s.say('watch Rounds.count', 'Set watch modification of Rounds.count')
    s.say('cont', r'Field \(Rounds.count\) is \d+, will be \d+: "thread=main", Rounds.step\(\), line=6')
    s.say('unwatch Rounds.count', 'Removed: watch modification of Rounds.count')
    s.say('step up', r'Step completed: "thread=main", Rounds.main\(\), line=14')
    s.say('set rounds.count = -1000', 'rounds.count = -1000 = -1000')
    s.say('cont')
    s.jdb.stdin.close()
    s.jdb.wait(PATIENCE)


def free_port() -> int:
    """One that nobody listens at, nor gets before it is used."""
    return int(subprocess.run([sys.executable, FREE_PORT], stdout=subprocess.PIPE, text=True, check=True).stdout)


def main() -> int:
    home, agent, work = (Path(a).resolve() for a in sys.argv[1:4])
    work.mkdir(parents=True, exist_ok=True)
    (work / 'Rounds.java').write_text(SOURCE, encoding='utf-8')
    subprocess.run([home / 'bin' / 'javac', '-g', 'Rounds.java'], cwd=work, check=True)
    out = (work / 'program.out').open('w+')
    program = subprocess.Popen([home / 'bin' / 'java', '-cp', '.', 'Rounds'], cwd=work, stdout=out, stderr=subprocess.STDOUT)

    def said() -> str:
        return (work / 'program.out').read_text(encoding='utf-8')

    def load(options: str) -> str:
        run = subprocess.run([home / 'bin' / 'jcmd', str(program.pid), 'JVMTI.agent_load', str(agent), f'"{options}"'], capture_output=True,
                             text=True, timeout=PATIENCE, check=False)
        return run.stdout + run.stderr

    end = time.monotonic() + PATIENCE
    while 'ready' not in said() and time.monotonic() < end:
        time.sleep(0.05)
    try:
        with socket.socket() as taken:
            taken.bind(('localhost', 0))
            taken.listen()
            busy = taken.getsockname()[1]
            for options in ('nonsense=1', 'help', f'address=localhost:{busy}', 'server=x', 'launch=x', 'transport=dt_nosuch',
                            'address=localhost:99999', 'address=localhost:port', 'server=n', f'server=n,address=localhost:{free_port()}',
                            'allow=x', 'allow=127.0.0.1/33', 'allow=127.0.0.1+', 'quiet=y,,mutf8=y'):
                check('return code: -1' in load(options), f'{options} is not refused')
        check(f'attachjdwp: cannot listen at localhost:{busy}' in said(), 'nothing is said of the address')
        check('attachjdwp: no such option: nonsense=1' in said(), 'nothing is said of the option')
        port = free_port()
        answer = load(f'address=localhost:{port}')
        if 'attachjdwp: this VM gives debugging capabilities only at its start' in said():
            check('return code: -1' in answer, f'loading gave {answer}')
            check('Pellucid' not in (subprocess.run([home / 'bin' / 'java', '-version'], capture_output=True, text=True,
                                                    check=True).stderr), 'capabilities are missing')
            check(program.poll() is None, 'the process has ended')
        else:
            check('return code: 0' in answer, f'loading gave {answer}')
            check('return code: -1' in load(''), 'a second load is not refused')
            debug(home, port, work)
            check(program.wait(PATIENCE) == 0, f'the exit code is {program.returncode}')
            check(said().endswith('negative\n'), f'the program said {said()}')
    finally:
        program.kill()
    for failure in failures:
        print(failure)
    if not failures:
        print('attachjdwp: all as it should be')
    return 1 if failures else 0


sys.exit(main())
