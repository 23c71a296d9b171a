#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Signals from outside: SIGQUIT prints a thread dump and goes on, SIGUSR2 goes on, SIGTERM, SIGINT and SIGHUP run the hooks, -Xrs leaves them;
# SIGABRT ends the process, and is no crash to be reported.
set -eu
cat >Sig.java <<'TEXT'
public class Sig {
    static void waitHere(Object o) throws Exception {
        synchronized (o) {
            o.wait(60000);
        }
        System.out.println("not reached");
    }
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(60000);
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        }, "the sleeper");
        t.setDaemon(true);
        t.start();
        new Watcher(t, Thread.currentThread()).start();
        waitHere("lock");
    }
}
class Watcher extends Thread {
    final Thread[] watched;
    Watcher(Thread... watched) {
        this.watched = watched;
        setDaemon(true);
    }
    public void run() {
        for (Thread t : watched)
            while (t.getState() != State.TIMED_WAITING)
                onSpinWait();
        System.out.println("ready");
    }
}
TEXT
javac -g Sig.java
start=()
run() {
    name=$1
    shift
    : >out.txt # not only by the child: what is read below is of this run
    "${start[@]}" java "$@" -cp . Sig >out.txt 2>err.txt &
    pid=$!
    for _ in $(seq 600); do
        if grep -q ready out.txt; then
            break
        fi
        sleep 0.05
    done
    if [ "$name" = QUIT ]; then
        kill -QUIT $pid
        until grep -q '^ *Metaspace' out.txt; do # near the end of the dump
            sleep 0.05
        done
        grep -o '^Full thread dump' out.txt
        grep -o '^"main"\|^"the sleeper"\|^"Finalizer"' out.txt | sort
        grep -o 'at Sig\.[^ ]*' out.txt | sort
        grep -o 'State: TIMED_WAITING (sleeping)\|State: WAITING (on object monitor)' out.txt | sort -u
        kill -TERM $pid
        name=TERM
    else
        kill "-$name" $pid
        if [ "$name" = USR2 ]; then # goes on
            sleep 0.3
            kill -TERM $pid
        fi
    fi
    code=0
    wait $pid || code=$?
    echo "$name $*: exit code $code"
    grep -c '^hook' out.txt || true
    grep 'not reached' out.txt || true
}
run QUIT
run TERM
run HUP
run TERM -Xrs
# A HotSpot of before 17.0.19 dies of it.
if ! java -version 2>&1 | grep -qE '"17\.0\.(1[0-8]|[0-9])(\.|")'; then
    run USR2
fi
# Started by a process that blocks them, as HotSpot does SIGQUIT in its threads.
start=(env '--block-signal=QUIT,HUP,TERM')
run QUIT
run HUP
start=()
ulimit -c 0
run ABRT
find . -name '*_err_pid*' | wc -l
